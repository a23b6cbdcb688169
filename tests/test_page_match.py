"""Matches of backgammon in the browser: the score, the cube, what is decided by buttons, and what is told between the games."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browsing import WAIT, Finger, Hand, Keys, Mouse, Person, Visit, sit
from serving import Seated, Serving

pytest_plugins = ("page_fixtures",)

expect.set_options(timeout=WAIT)

# A match to 7. X may double; the cube is at 2, in X's hands.
OWNED = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:7:10"
MATCH = "backgammon(match=7)"


class Doubler(Person):
    """Doubles whenever that is possible: so matches are short."""

    def act(self, sight: dict[str, Any]) -> None:
        doubles = [name for name in sight["possible"] if name.startswith("Double")]
        super().act({**sight, "possible": doubles or sight["possible"]})


def act(page: Page, name: str) -> Locator:
    """The button of a decision."""
    return page.get_by_role("group", name="Your decision").get_by_role("button", name=name)


def last(table: Seated) -> str:
    return str([step["texts"][0] for step in table.refresh()["steps"] if not step["chance"]][-1])


@pytest.mark.parametrize("hand", [Mouse(), Keys(), Finger()], ids=lambda hand: type(hand).__name__)
def test_a_whole_match(server: Serving, visit: Visit, hand: Hand) -> None:
    table = server.new("backgammon(match=3)", "person", "random", seed=7)
    person = visit(hand)
    person.__class__ = Doubler
    sit(person, table)
    person.play()
    result = table.refresh()["result"]
    assert result["text"].split(" wins ")[1].startswith("the match 3-")
    assert person.result() == result["text"]
    assert {"double", "roll"} <= {step["texts"][0] for step in table.table["steps"]}


def test_a_match_is_set_up(server: Serving, visit: Visit) -> None:
    person = visit()
    person.go("#/new?game=backgammon")
    page = person.page
    page.get_by_label("Play", exact=True).select_option("A match to 5 points")
    expect(page.get_by_label("Most points of a win")).to_have_count(0)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".match-score")).to_contain_text("Match to 5 points")
    assert server.get(f"tables/{page.url.partition('/table/')[2]}")["game"] == "backgammon(match=5)"


def test_a_game_for_money_has_its_rules_behind_more(server: Serving, visit: Visit) -> None:
    person = visit()
    person.go("#/new?game=backgammon")
    page = person.page
    page.get_by_label("Play", exact=True).select_option("For money, with the cube")
    expect(page.get_by_label("Jacoby rule")).not_to_be_visible()
    page.get_by_text("More rules").click()
    page.get_by_label("Jacoby rule").select_option("gammons count only after a double")
    page.get_by_label("Beavers").select_option("beavers and raccoons")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".match-score")).to_contain_text("For money, Jacoby rule, beavers and raccoons")
    made = server.get(f"tables/{page.url.partition('/table/')[2]}")
    assert made["game"] == "backgammon(cube=true,jacoby=true,beavers=2)"


def test_another_game_begins_with_the_options_of_the_last(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "random")
    table.post("resign", {"seat": 0}, "0")
    person = visit()
    sit(person, table)
    person.page.get_by_role("link", name="Set up another game").click()
    expect(person.page.get_by_label("Play", exact=True).locator("option:checked")).to_have_text("A match to 7 points")


def test_the_score_and_the_cube_are_seen(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "person", position=OWNED)
    person = visit()
    sit(person, table)
    page = person.page
    expect(page.locator(".match-score")).to_have_text("Match to 7 pointsX 2 – O 3Cube at 2, X owns it")
    expect(page.locator(".seat .score")).to_have_text(["2", "3"])
    expect(page.locator('.board [data-place="cube"].piece')).to_have_text("2")
    crawford = server.new(MATCH, "person", "person", position=OWNED.replace(":1:1:1:00:2:3:0", ":0:0:1:31:6:3:1"))
    sit(person, crawford)
    expect(page.locator(".match-score")).to_contain_text("Crawford game: nobody may double")
    expect(page.locator('.board [data-place="cube"]')).to_have_count(0)


def test_buttons_and_their_keys(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "person", position=OWNED)
    person = visit()
    sit(person, table, 0)
    sit(person, table, 1)  # both sit at this browser
    page = person.page
    expect(act(page, "Double to 4")).to_have_attribute("aria-keyshortcuts", "d")
    page.keyboard.press("d")
    expect(act(page, "Take at 4")).to_be_visible()
    act(page, "Take at 4").click()
    expect(page.locator(".match-score")).to_contain_text("Cube at 4, O owns it")
    assert last(table) == "take"


def test_the_cube_and_the_dice_are_touched_on_the_board(server: Serving, visit: Visit) -> None:
    person = visit()
    for place, move, ply in (("cube 2, X's, double to 4", "double", "1"), ("dice, roll", "roll", "2")):
        table = server.new(MATCH, "person", "person", position=OWNED)
        sit(person, table)
        person.see()
        person.hand.touch(person.page, place)
        expect(person.page.locator(".board")).to_have_attribute("data-ply", ply)
        assert last(table) == move


def test_a_finger_on_the_cube_is_asked_again(server: Serving, visit: Visit) -> None:
    person = visit(Finger())
    table = server.new(MATCH, "person", "person", position=OWNED)
    sit(person, table)
    before = person.see()
    person.hand.touch(person.page, "cube 2, X's, double to 4")
    sight = person.see(before["all"])
    assert sight["answer"] == "Confirm"
    assert table.refresh()["ply"] == 0
    person.act(sight)
    expect(person.page.locator(".status .say")).to_have_text("X doubles to 4")


def test_the_end_of_a_game_is_told_until_one_has_moved(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "person", position=OWNED, seed=3)
    person = visit()
    sit(person, table, 0)
    sit(person, table, 1)
    page = person.page
    person.hand.touch(page, "Double to 4")
    act(page, "Pass").click()
    told = "O passed: X wins 2 points. The score is X 4, O 3."
    expect(page.locator(".news")).to_have_text(told)
    expect(person.announced).to_contain_text(told)
    expect(page.locator(".steps .note")).to_have_text(told)
    page.reload()
    expect(page.locator(".news")).to_have_text(told)
    sight = person.see()
    while table.refresh()["ply"] < 4:
        person.act(sight)
        sight = person.see(sight["all"])
    expect(page.locator(".news")).to_have_count(0)
    expect(page.locator(".steps .note")).to_have_text(told)


def test_resigning_is_offered_and_answered(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "person", position=OWNED)
    one, other = visit(), visit(Finger())
    sit(one, table, 0)
    sit(other, table, 1)
    told = {
        "Reject": "O rejects it: the game goes on.",
        "Accept": "X resigned: O wins a single game, 2 points with the cube at 2. The score is X 2, O 5.",
    }
    for answer, news in told.items():
        one.page.get_by_role("button", name="Resign", exact=True).click()
        one.page.get_by_role("button", name="A single game", exact=True).click()
        expect(other.page.locator(".status .say")).to_have_text("X resigns a single game")
        act(other.page, answer).tap()
        expect(one.page.locator(".news")).to_have_text(news)


def test_the_whole_match_can_be_given_up(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "person", position=OWNED)
    person = visit()
    sit(person, table)
    person.page.get_by_role("button", name="Resign", exact=True).click()
    person.page.get_by_role("button", name="The whole match").click()
    expect(person.page.locator(".ended")).to_contain_text("X gives up: O wins.")


def test_a_hint_on_the_cube_says_why(server: Serving, visit: Visit) -> None:
    table = server.new(MATCH, "person", "person", position=OWNED)
    person = visit()
    sit(person, table)
    person.page.get_by_role("button", name="Hint").click()
    expect(person.page.locator("div.hint")).to_contain_text("td would play")
    person.page.get_by_text("Why", exact=True).click()
    expect(person.page.locator("div.hint")).to_contain_text("O takes a redouble with")


def test_a_match_from_a_file_is_one_match(server: Serving, visit: Visit) -> None:
    table = server.new("backgammon(match=3)", "random", "random", seed=1, pace=0)
    table.wait_for(99)
    file = server.http.get(f"tables/{table.id}/export/mat").content
    person = visit()
    person.go("#/games")
    person.page.get_by_label("File").set_input_files({"name": "match.mat", "mimeType": "text/plain", "buffer": file})
    expect(person.page.locator(".ended")).to_contain_text(table.refresh()["result"]["text"])
    expect(person.page.locator("h1")).to_contain_text("Backgammon, match to 3")
    notes = [step["note"] for step in table.table["steps"] if "note" in step]
    expect(person.page.locator(".steps .note")).to_have_text(notes)
