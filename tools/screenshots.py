"""Pictures of every view of the page, light and dark, on a desk and on a phone, for people to look at.

    python tools/screenshots.py                    # into docs/pictures/page
    python tools/screenshots.py --only ludo --out /tmp/pictures

It starts a server of its own, with a database that is thrown away. Seeds are fixed, so that the games with dice and walls are the same each
time; those of rulesheets, whose hints come from a search by the clock, and times of day differ. Pictures are kept small by few colours.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.append(str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parent.parent / "tests"))

import browser as chromium

from browsing import DESK, PHONE
from serving import Seated, Serving

PICTURES = Path(__file__).parent.parent / "docs" / "pictures" / "page"
COLOURS = 80
SCREENS = {"desktop": {"viewport": DESK}, "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True}}
Scene = tuple[str, str, Callable[[Page], None]]  # a name, the part of the address after #, and what is done there


def main() -> int:
    """Make the pictures; says how many, and how large they are together."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=PICTURES)
    parser.add_argument("--only", default="", help="views whose name contains this")
    wishes = parser.parse_args()
    if (path := chromium.find()) is None:
        print(chromium.MISSING, file=sys.stderr)
        return 1
    wishes.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Serving(Path(folder))
        launched = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        try:
            sizes = [
                photograph(launched, server.url, scene, look, wishes.out)
                for scene in scenes(server) if wishes.only in scene[0] for look in looks()
            ]  # fmt: skip
        finally:
            launched.close()
            server.stop()
    print(f"{len(sizes)} pictures, {sum(sizes) / 1000:.0f} kB, in {wishes.out}")
    return 0


def looks() -> Iterator[tuple[str, str]]:
    """Each screen, light and dark."""
    return ((screen, theme) for screen in SCREENS for theme in ("light", "dark"))


def photograph(launched: Browser, url: str, scene: Scene, look: tuple[str, str], out: Path) -> int:
    """One picture of a view; its size in bytes."""
    (name, address, act), (screen, theme) = scene, look
    context = launched.new_context(color_scheme=theme, reduced_motion="reduce", **SCREENS[screen])  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url + address)
    page.locator("main h1").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    act(page)
    picture = Image.open(io.BytesIO(page.screenshot()))
    context.close()
    target = out / f"{name}-{screen}-{theme}.webp"
    # Octrees keep the colours of small things, a pawn or a yard; the median cut does not.
    few = picture.convert("RGB").quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.convert("RGB").save(target, lossless=True)
    return target.stat().st_size


def scenes(server: Serving) -> Iterator[Scene]:
    """Every view, with games that are worth looking at."""
    tables = {
        "backgammon": played(server, "backgammon", 9, "person", "medium"),
        "ludo": played(server, "ludo", 14, "person", "medium", "easy", "beginner"),
        "quoridor": played(server, "quoridor", 8, "person", "medium"),
        "rulesheet": played(server, "connectfour", 7, "person", "medium"),
    }
    cube = doubled(server)
    over = server.new("backgammon", "medium", "beginner", seed=5, pace=0)
    match = server.http.post(
        "matches", json={"game": "tictactoe", "players": ["mcts", "random"], "start": 1, "play": 1}
    )
    meeting = {"games": ["tictactoe"], "players": ["mcts", "random"], "start": 1, "play": 1, "rounds": 2}
    tournament = server.http.post("tournaments", json=meeting).json()["tournament"]
    over.wait_for(99)
    still = lambda page: None  # noqa: E731
    yield "home", "#/", still
    yield "new", "#/new?game=ludo", still
    yield "sheet", "#/new?sheet=1", still
    for name, table in tables.items():
        yield name, invitation(table), settled
    yield "cube", invitation(cube), settled
    yield "hint", invitation(tables["backgammon"]), hinted
    yield "replay", f"#/table/{over.id}?ply=20", settled
    yield "share", invitation(tables["quoridor"]), lambda page: page.get_by_role("button", name="Share").click()
    yield "help", invitation(tables["quoridor"]), lambda page: page.get_by_role("button", name="Help").click()
    yield "boards", "#/boards", lambda page: page.locator(".picture svg").nth(3).wait_for()
    yield "games", "#/games", still
    yield "matches", "#/matches", still
    yield "match", f"#/match/{match.json()['matchId']}", lambda page: page.get_by_text("Completed").wait_for()
    yield "tournament", f"#/tournament/{tournament}", lambda page: page.get_by_text("Over: ").wait_for()
    yield "api", "#/api", still
    yield "settings", "#/settings", still


def played(server: Serving, game: str, moves: int, *seats: str) -> Seated:
    """A game in which the person made some moves, as the hint says."""
    table = server.new(game, *seats, seed=4)
    for _ in range(moves):
        table.wait_for(0)
        table.move(server.get(f"tables/{table.id}/hint", seat=0)["moves"][0]["move"])
    table.wait_for(0)
    return table


def doubled(server: Serving) -> Seated:
    """A match in which the computer has doubled: whoever plays with it rolls, and makes its last legal move."""
    table = server.new("backgammon(match=7)", "person", "strong", seed=4)
    while "take" not in (moves := [move["text"] for move in table.look(seat=0)["moves"]]):
        table.move("roll" if "roll" in moves else moves[-1])
        table.wait_for(0)
    return table


def invitation(table: Seated) -> str:
    """The address of a seat."""
    return f"#/table/{table.id}?seat=0&key={table.keys['0']}"


def settled(page: Page) -> None:
    """Wait until the board is there, with its chances."""
    page.locator(".board svg").wait_for()
    page.locator(".legend").wait_for(state="attached")


def hinted(page: Page) -> None:
    """Ask for a hint."""
    settled(page)
    page.get_by_role("button", name="Hint").click()
    page.locator("div.hint").wait_for()


if __name__ == "__main__":
    raise SystemExit(main())
