"""The page for everybody: axe-core on every view, whole games by ear, a small page, and a quiet console."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Response, expect

from browsing import PHONE, WAIT, Finger, Names, Visit, sit
from serving import Serving

pytest_plugins = ("page_fixtures",)

expect.set_options(timeout=WAIT)

MOST_BYTES = 400_000  # of all files that the first view needs
SMALLEST = 24  # pixels of a target
VIEWS = (
    "#/",
    "#/new",
    "#/new?watch=1",
    "#/new?sheet=1",
    "#/boards",
    "#/games",
    "#/matches",
    "#/api",
    "#/settings",
    "#/nowhere",
)
GAMES = ("backgammon", "ludo", "quoridor", "connectfour", "rockpaperscissors")


def faults(page: Page) -> list[str]:
    """What axe-core finds serious or critical, in words."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {rule['impact']} {rule['help']}: {node['target']} {node.get('failureSummary', '')}"
        for rule in found if rule["impact"] in ("serious", "critical") for node in rule["nodes"]
    ]  # fmt: skip


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return request.param


def test_axe_finds_nothing_serious_on_any_view(visit: Visit, theme: str) -> None:
    person = visit(color_scheme=theme)
    found = []
    for view in VIEWS:
        person.go(view)
        expect(person.page.locator(".waiting")).to_have_count(0)
        found += faults(person.page)
    assert found == []


def test_axe_finds_nothing_serious_at_any_table(server: Serving, visit: Visit, theme: str) -> None:
    person = visit(color_scheme=theme)
    page, found = person.page, []
    for game in GAMES:
        sit(person, server.new(game, "person", *["random"] * (3 if game == "ludo" else 1), seed=1))
        found += faults(page)
    for button in ("Share", "Help"):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        found += faults(page)
        page.get_by_role("button", name="Close").click()
    person.resign()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    assert found + faults(page) == []


def test_axe_finds_nothing_serious_about_what_was_played(server: Serving, visit: Visit, theme: str) -> None:
    person = visit(color_scheme=theme)
    played = server.new("tictactoe", "random", "random", pace=0)
    played.wait_for(99)
    wish = {"games": ["tictactoe"], "players": ["random", "random"], "start": 1, "play": 1}
    cup = server.http.post("tournaments", json=wish).json()["tournament"]
    while (standing := server.get(f"tournaments/{cup}"))["running"]:
        pass
    match = standing["results"][0]["matchId"]
    found = []
    for view in (f"#/table/{played.id}?ply=2", f"#/boards?ids={played.id}", f"#/tournament/{cup}", f"#/match/{match}"):
        person.go(view)
        expect(person.page.locator(".waiting")).to_have_count(0)
        found += faults(person.page)
    assert found == []


def test_axe_finds_nothing_serious_on_a_phone_and_for_readers(server: Serving, visit: Visit, theme: str) -> None:
    person = visit(Finger(), color_scheme=theme)
    person.go("#/settings")
    person.page.get_by_label("Screen reader mode").check()
    sit(person, server.new("backgammon", "person", "random", seed=1))
    expect(person.page.get_by_role("list", name="Legal moves")).to_be_visible()
    assert faults(person.page) == []


@pytest.mark.parametrize("game", ["backgammon", "ludo(seats=2)", "quoridor(size=3)", "tictactoe"])
def test_a_whole_game_by_the_accessibility_tree_alone(server: Serving, visit: Visit, game: str) -> None:
    table = server.new(game, "person", "random", seed=7)
    person = visit(Names())
    sit(person, table)
    assert "region" in person.play()["all"]
    result = table.refresh()["result"]
    assert result["reason"] == "played"
    expect(person.announced).to_contain_text(result["text"])


def test_moves_are_announced(server: Serving, visit: Visit) -> None:
    person = visit(Names())
    sit(person, server.new("tictactoe", "person", "random", seed=7))
    person.page.get_by_label("Type a move").fill("mark 2 2")
    person.page.keyboard.press("Enter")
    expect(person.announced).to_contain_text(re.compile(r"Xplayer plays .*mark 2 2.*Oplayer plays"))


@pytest.mark.parametrize("game", ["backgammon", "ludo", "quoridor", "connectfour"])
def test_on_a_phone_targets_are_large_enough_and_nothing_runs_over_the_edge(
    server: Serving, visit: Visit, game: str
) -> None:
    person = visit(Finger())
    sit(person, server.new(game, "person", *["random"] * (3 if game == "ludo" else 1), seed=1))
    assert person.page.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]
    # A groove for a wall is as thin as the wall; what a finger does there is asked again.
    small = person.page.evaluate(
        """(least) => [...document.querySelectorAll(".board [role=button]:not(:has(.ghost)), button, a.button, select, summary")].filter((one) => {
          const { width, height } = one.getBoundingClientRect();
          return width && Math.round(Math.min(width, height)) < least;
        }).map((one) => one.getAttribute("aria-label") ?? one.textContent)""",
        SMALLEST,
    )
    assert small == []


def test_the_first_view_is_small(visit: Visit) -> None:
    person = visit()
    answers: list[Response] = []
    person.page.on("response", lambda answer: answers.append(answer))
    person.page.goto(person.url, wait_until="networkidle")
    sizes = {answer.url: len(answer.body()) for answer in list(answers)}
    assert any(url.endswith("main.js") for url in sizes)
    assert all(url.startswith(person.url) for url in sizes), "nothing comes from elsewhere"
    assert sum(sizes.values()) < MOST_BYTES


def test_complaints_in_the_console_are_noticed(visit: Visit) -> None:
    person = visit()
    person.go()
    with person.page.expect_event("pageerror"):
        person.page.evaluate("() => { console.error('a fault'); setTimeout(() => { throw new Error('another') }) }")
    first, second = person.complaints
    assert "a fault" in first
    assert "another" in second
    person.complaints.clear()
