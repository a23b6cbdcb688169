"""Games that were played: going through them, links, files both ways, statistics."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from browsing import WAIT, Visit
from serving import Seated, Serving

pytest_plugins = ("page_fixtures",)

expect.set_options(timeout=WAIT)


@pytest.fixture(scope="module")
def played(server: Serving) -> Seated:
    """A game of backgammon between two players."""
    table = server.new("backgammon", "random", "random", seed=8, pace=0)
    table.wait_for(99)
    return table


def expect_ply(page: Page, ply: int) -> None:
    expect(page.locator(".board")).to_have_attribute("data-ply", str(ply))


def test_a_game_is_gone_through_by_steps_and_slider(visit: Visit, played: Seated) -> None:
    person = visit()
    page, last = person.page, played.table["ply"]
    person.go(f"#/table/{played.id}")
    expect_ply(page, last)
    page.get_by_label("One step back").click()
    expect_ply(page, last - 1)
    page.get_by_label("To the start").click()
    expect_ply(page, 0)
    page.get_by_label("One step on").click()
    expect_ply(page, 1)
    page.get_by_role("slider").fill("20")
    expect_ply(page, 20)
    page.keyboard.press("ArrowRight")
    expect_ply(page, 21)
    page.get_by_role("region", name="Moves").get_by_role("button").nth(4).click()
    expect_ply(page, 5)
    assert page.url.endswith("?ply=5")
    page.get_by_role("button", name="Back to now").click()
    expect_ply(page, last)


def test_a_game_plays_itself_through(visit: Visit, played: Seated) -> None:
    person = visit()
    page, last = person.page, played.table["ply"]
    person.go(f"#/table/{played.id}?ply={last - 3}")
    expect_ply(page, last - 3)
    page.get_by_label("Speed").select_option("fast")
    page.get_by_role("button", name="Play the game through").click()
    expect_ply(page, last)
    expect(page.get_by_text("Back to now")).to_have_count(0)


def test_a_link_leads_to_a_position(visit: Visit, played: Seated) -> None:
    person = visit()
    person.go(f"#/table/{played.id}?ply=7")
    expect_ply(person.page, 7)
    person.page.get_by_role("button", name="Share").click()
    link = person.page.get_by_label("Link to this position").input_value()
    other = visit()
    other.page.goto(link)
    expect_ply(other.page, 7)
    position = played.look(ply=7)["position"]
    assert person.page.get_by_label("Position", exact=True).input_value() == position


@pytest.mark.parametrize(("link", "begins"), [(".mat", " 0 point match"), (".json", "{"), ("Animated SVG", "<svg"), ("SVG", "<svg")])  # fmt: skip
def test_a_game_is_saved_as_a_file(visit: Visit, played: Seated, link: str, begins: str) -> None:
    person = visit()
    person.go(f"#/table/{played.id}")
    person.page.get_by_role("button", name="Share").click()
    with person.page.expect_download() as download:
        person.page.get_by_role("link", name=link, exact=True).click()
    text = download.value.path().read_text()
    assert begins.strip() in text[:400]


def test_a_position_is_saved_as_a_png(visit: Visit, played: Seated) -> None:
    person = visit()
    person.go(f"#/table/{played.id}")
    person.page.get_by_role("button", name="Share").click()
    with person.page.expect_download() as download:
        person.page.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_match_of_another_program_is_read(server: Serving, visit: Visit, played: Seated) -> None:
    file = server.http.get(f"tables/{played.id}/export/mat").content
    person = visit()
    person.go("#/games")
    person.page.get_by_label("File").set_input_files({"name": "match.mat", "mimeType": "text/plain", "buffer": file})
    expect_ply(person.page, played.table["ply"])
    assert person.page.url.partition("/table/")[2] != played.id


def test_a_file_that_is_none_is_refused_in_words(visit: Visit) -> None:
    person = visit()
    person.forgive("400")  # the browser tells of every refusal
    person.go("#/games")
    person.page.get_by_label("File").set_input_files({"name": "a.json", "mimeType": "text/plain", "buffer": b"{"})
    expect(person.page.get_by_role("alert")).to_contain_text("no JSON")


def test_games_are_found_and_counted(server: Serving, visit: Visit) -> None:
    seats = [{"kind": "person", "name": "Grace"}, {"kind": "player", "level": "easy"}]
    for _ in range(2):
        made = server.http.post("tables", json={"game": "tictactoe", "seats": seats}).json()
        server.http.post(f"tables/{made['id']}/resign", json={"seat": 0}, headers={"Ludus-Key": made["keys"]["0"]})
    person = visit()
    person.go("#/games")
    person.page.get_by_label("Player", exact=True).fill("Grace")
    rows = person.page.get_by_role("region", name="Games").get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("xplayer gives up: oplayer wins.")
    person.page.get_by_label("Of", exact=True).fill("Grace")
    counted = person.page.get_by_role("region", name="Statistics").get_by_role("row").nth(1)
    (row,) = server.get("statistics", name="Grace")["rows"]
    cells = counted.get_by_role("cell")
    for number, text in enumerate((row["against"], "2", "0", "0", "2"), 1):
        expect(cells.nth(number)).to_have_text(text)
    rows.nth(1).get_by_role("link").click()
    expect(person.page.locator(".board svg")).to_be_visible()


def test_a_setting_is_kept_by_the_browser(visit: Visit) -> None:
    person = visit(color_scheme="light")
    person.go("#/settings")
    person.page.get_by_label("Dark").check()
    person.page.get_by_label("Your name").fill("Ada")
    person.page.reload()
    expect(person.page.get_by_label("Your name")).to_have_value("Ada")
    assert person.page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    kept = json.loads(person.page.evaluate("() => localStorage.getItem('ludus.settings')"))
    assert (kept["theme"], kept["name"]) == ("dark", "Ada")
