"""Whole games in the browser, of each family: with the mouse, by dragging, with the keyboard alone, with a finger on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browsing import WAIT, Dragging, Finger, Hand, Keys, Mouse, Visit, sit
from serving import Serving

pytest_plugins = ("page_fixtures",)

expect.set_options(timeout=WAIT)

GAMES = ("backgammon", "ludo(seats=2)", "quoridor(size=3)", "connectfour")
WAYS = [(game, hand) for hand in (Mouse(), Keys(), Finger()) for game in GAMES] + [("backgammon", Dragging())]


@pytest.mark.parametrize(
    ("game", "hand"), WAYS, ids=lambda each: each if isinstance(each, str) else type(each).__name__
)
def test_a_whole_game(server: Serving, visit: Visit, game: str, hand: Hand) -> None:
    table = server.new(game, "person", "random", seed=7)
    person = visit(hand)
    sit(person, table)
    person.play()
    result = table.refresh()["result"]
    assert result["reason"] == "played"
    assert person.result() == result["text"]


def test_a_wall_is_confirmed_on_a_phone(server: Serving, visit: Visit) -> None:
    person = visit(Finger())
    table = server.new("quoridor(size=3)", "person", "random", seed=7)
    sit(person, table)
    before = person.see()
    person.hand.touch(person.page, "wall a1h, can move here")
    sight = person.see(before["all"])
    assert sight["answer"] == "Confirm"
    assert table.refresh()["ply"] == 0
    person.act(sight)
    person.see(sight["all"])
    assert table.refresh()["steps"][0]["texts"] == ["a1h"]


def test_a_finger_that_chose_walls_means_the_nearest_one(server: Serving, visit: Visit) -> None:
    person = visit(Finger())
    table = server.new("quoridor(size=5)", "person", "random", seed=7)
    sit(person, table)
    before = person.see()
    upright = person.page.get_by_role("button", name="Walls upright")
    upright.tap()
    expect(upright).to_have_attribute("aria-pressed", "true")
    person.hand.touch(person.page, "c3")
    sight = person.see(before["all"])
    assert sight["answer"] == "Confirm"
    person.act(sight)
    person.see(sight["all"])
    assert table.refresh()["steps"][0]["texts"][0].endswith("v")


def test_where_two_walls_cross_the_one_that_is_shown_is_built(server: Serving, visit: Visit) -> None:
    person = visit()
    table = server.new("quoridor(size=5)", "person", "person")
    sit(person, table)
    person.see()
    wall = person.page.locator('.board [data-place="c3h"]').bounding_box()
    assert wall is not None
    person.page.mouse.move(wall["x"] + wall["width"] / 2, wall["y"] + wall["height"] / 2)
    shown = person.page.locator(".board .place:hover").get_attribute("data-place")
    person.page.mouse.down()
    person.page.mouse.up()
    expect(person.page.locator(".board")).to_have_attribute("data-ply", "1")
    assert table.refresh()["steps"][0]["texts"] == [shown]


def test_a_wall_that_is_not_allowed_is_explained(server: Serving, visit: Visit) -> None:
    person = visit()
    table = server.new("quoridor(size=5)", "person", "person")
    table.move("b2h")
    sit(person, table, 1)
    person.see()
    person.hand.touch(person.page, "wall b2v")
    expect(person.page.get_by_role("alert")).to_contain_text("it would cross b2h")
    assert table.refresh()["ply"] == 1
