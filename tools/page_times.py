"""How fast the page is, in a real browser on this machine: the first paint with a warm cache, and a network player's reply.

    python tools/page_times.py            # a table
    python tools/page_times.py --cold     # after installing, with nothing compiled yet: from the command to the page, and to a machine's first move
    python tools/page_times.py --json

Each is the median of ten, but for the cold start. A reply is timed in the page itself: from the click that makes the move to the frame that
shows the position after the reply, without motion.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.append(str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parent.parent / "tests"))

import browser as chromium

from browsing import DESK
from serving import Seated, Serving

TIMES = 10
# Milliseconds between a click on the first legal move and the board of the next turn, as the frames come.
REPLY = """() => new Promise((done) => {
  const board = document.querySelector(".board");
  const before = Number(board.dataset.ply);
  const start = performance.now();
  const look = () => {
    const mine = Number(board.dataset.ply) > before + 1 && document.querySelector(".moves button:enabled");
    if (mine || document.querySelector(".ended")) requestAnimationFrame(() => done(performance.now() - start));
    else requestAnimationFrame(look);
  };
  document.querySelector(".moves button:enabled").click();
  look();
})"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cold", action="store_true", help="measure the first start after installing instead")
    parser.add_argument("--json", action="store_true", help="for programs")
    wishes = parser.parse_args()
    if (path := chromium.find()) is None:
        print(chromium.MISSING, file=sys.stderr)
        return 1
    if wishes.cold:
        with tempfile.TemporaryDirectory() as folder:
            print_cold(cold_start(Path(folder), path), wishes.json)
        return 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Serving(Path(folder))
        launched = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        try:
            found: dict[str, Any] = {"first paint, warm cache": summary(first_paints(launched, server.url))}
            for game in ("backgammon", "quoridor", "ludo(seats=2)"):
                found[f"reply of a network player, {game}"] = summary(replies(launched, server, game))
        finally:
            launched.close()
            server.stop()
    if wishes.json:
        print(json.dumps(found))
    else:
        for name, values in found.items():
            print(
                f"{name}: {values['median']:.0f} ms (of {values['times']}; {values['least']:.0f} to {values['most']:.0f})"
            )
    return 0


def cold_start(folder: Path, path: str) -> dict[str, Any]:
    """Start a copy of the package that has never compiled anything, look at the page, and let a machine begin a game."""
    import ludus

    without = shutil.ignore_patterns("compiled", "__pycache__")
    shutil.copytree(Path(ludus.__file__).parent, folder / "code" / "ludus", ignore=without)
    sys.path.insert(0, str(folder / "code"))  # where the server finds it
    os.environ["LUDUS_CACHE_DIR"] = str(folder / "cache")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        page = launched.new_page()
        begun = time.perf_counter()
        server = Serving(folder)
        page.goto(server.url)
        page.wait_for_function(PAINT)
        painted = time.perf_counter() - begun
        told: dict[str, None] = {}
        moved = threading.Event()
        asking = threading.Thread(target=_begin_game, args=(server, moved), daemon=True)
        asking.start()
        while not moved.wait(0.2):
            told |= dict.fromkeys(page.locator("[role=status]").all_inner_texts())
        found = {
            "painted": painted,
            "moved": time.perf_counter() - begun,
            "told": [text for text in told if text.strip()],
        }
        launched.close()
        server.stop()
    return found


def _begin_game(server: Serving, moved: threading.Event) -> None:
    table = server.new("backgammon", "strong", "strong", seed=2)  # whoever begins by the dice is a machine
    while all(step["chance"] for step in table.refresh()["steps"]):
        time.sleep(0.1)
    moved.set()


def print_cold(found: dict[str, Any], as_json: bool) -> None:
    """The times of a cold start, in seconds."""
    if as_json:
        print(json.dumps(found))
        return
    print(f"from the command to the first paint: {found['painted']:.1f} s")
    print(f"from the command to a machine's first move: {found['moved']:.1f} s")
    print(f"what the page said meanwhile: {'; '.join(found['told']) or 'nothing'}")


def summary(times: list[float]) -> dict[str, float]:
    """Median and range of some times, in milliseconds."""
    return {"median": statistics.median(times), "least": min(times), "most": max(times), "times": len(times)}


def first_paints(launched: Browser, url: str) -> list[float]:
    """The first paint of the first page, again and again in a browser that knows it."""
    page = launched.new_context(viewport=DESK).new_page()
    page.goto(url, wait_until="networkidle")
    found = []
    for _ in range(TIMES):
        page.goto("about:blank")
        page.goto(url, wait_until="networkidle")
        found.append(page.wait_for_function(PAINT).json_value())
    page.context.close()
    return found


def replies(launched: Browser, server: Serving, game: str) -> list[float]:
    """From a move to the reply on the screen, ten times in one game."""
    context = launched.new_context(viewport=DESK, reduced_motion="reduce")
    page = context.new_page()
    page.goto(server.url)
    # A move that plays itself would be counted as a quick reply.
    page.evaluate("() => localStorage.setItem('ludus.settings', JSON.stringify({ auto: false }))")
    seed, found = 0, list[float]()
    while len(found) <= TIMES:
        seed += 1
        sit(page, server.new(game, "person", "td", seed=seed), server.url)
        while len(found) <= TIMES and not page.locator(".ended").count():
            found.append(page.evaluate(REPLY))
    context.close()
    return found[1:]  # the first one waits for the network to be read


def sit(page: Page, table: Seated, url: str) -> None:
    """Take the person's seat, and wait for the turn."""
    page.goto(f"{url}#/table/{table.id}?seat=0&key={table.keys['0']}")
    page.reload()  # with the settings
    page.locator(".writing details").evaluate("(list) => { list.open = true; }")
    page.locator(".moves button:enabled").first.wait_for()


if __name__ == "__main__":
    raise SystemExit(main())
