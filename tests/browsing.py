"""People in front of the page, in a real Chromium: each has eyes, and a way to touch what they see.

A person knows nothing of the games. They see which places are marked, touch one of them, answer what they are asked, and go on
until the game is over.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import ConsoleMessage, Locator, Page, TimeoutError, ViewportSize

from serving import Seated

WAIT = 60_000.0  # milliseconds on a very busy machine; nothing is measured here
DESK: ViewportSize = {"width": 1280, "height": 800}
MARKED = (" can move", " can move here")
PHONE: ViewportSize = {"width": 390, "height": 844}

# What is on the screen: the places that are marked as possible and the buttons of what is decided without a piece, the button that a question wants pressed, whether all is over. It is
# looked at again and again until there is something to do, and something else than before.
SIGHT = """(before) => {
  const board = document.querySelector(".board");
  if (!board) return null;
  const places = [...board.querySelectorAll("[role=button]")].map((place) => place.getAttribute("aria-label"));
  const questions = [...document.querySelectorAll(".status .question button:not(:disabled)")].map((button) => button.textContent);
  const answer = questions.find((text) => /^(Done|Confirm|Play .+)$/.test(text)) ?? null;
  const acts = [...document.querySelectorAll(".status .acts button")].map((button) => button.textContent);
  const over = document.querySelector(".ended") !== null;
  const possible = [...places.filter((name) => / can move( here)?$/.test(name)), ...acts];
  const all = JSON.stringify([board.dataset.ply, places, questions, over]);
  return (over || answer || possible.length) && all !== before ? { over, answer, possible, all } : null;
}"""

# Where the place or button of a name is: in its middle, unless something else lies there (two walls may cross). Null if it has gone meanwhile, because a forced move played itself.
WHERE = """(name) => {
  const things = [...document.querySelectorAll(".board [role=button], .status button")];
  const thing = things.find((one) => (one.getAttribute("aria-label") ?? one.textContent) === name);
  if (!thing) return null;
  thing.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = thing.getBoundingClientRect();
  const spots = [[1, 1], [0.5, 1], [1, 0.5], [1.5, 1], [1, 1.5], [0.5, 0.5]].map(([x, y]) => ({ x: left + (x * width) / 2, y: top + (y * height) / 2 }));
  const spot = spots.find(({ x, y }) => document.elementFromPoint(x, y)?.closest("button, [role=button]") === thing);
  return { ...spot, focused: thing === document.activeElement };
}"""


class Person:
    """Somebody at a browser; `hand` is how they touch a place or a button, by its name."""

    def __init__(self, page: Page, url: str, hand: Hand, seed: int = 1) -> None:
        self.page, self.url, self.hand, self.rng = page, url, hand, random.Random(seed)
        self.complaints: list[str] = []
        self._forgiven: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in self._forgiven):
            self.complaints.append(f"{message.text} ({message.location.get('url', '')})")

    def forgive(self, part: str) -> None:
        """A complaint that belongs to what is tested: the browser itself tells of connections that break."""
        self._forgiven.append(part)

    def go(self, address: str = "#/") -> None:
        """Open a view. The page is loaded anew: otherwise what is seen might for a moment still be the last view."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}{address}")
        self.page.locator("main h1").first.wait_for(state="attached")

    def resign(self) -> None:
        """Give up, and say so twice."""
        self.page.get_by_role("button", name="Resign").click()
        self.page.locator(".question").get_by_role("button", name="Resign").click()

    @property
    def announced(self) -> Locator:
        """What a screen reader was told last."""
        return self.page.locator("#announcer")

    def see(self, before: str | None = None) -> dict[str, Any]:
        """What there is to do; later than `before`, if that is given."""
        try:
            return self.page.wait_for_function(SIGHT, arg=before).json_value()
        except TimeoutError as fault:
            shown = self.page.get_by_role("main").aria_snapshot()
            raise AssertionError(f"nothing new to do is seen; before: {before}\n{shown}") from fault

    def act(self, sight: dict[str, Any]) -> None:
        """Answer the question, or touch one of the places that are marked."""
        self.hand.touch(self.page, sight["answer"] or self.rng.choice(sight["possible"]))

    def play(self, until: Callable[[dict[str, Any]], bool] = lambda sight: False) -> dict[str, Any]:
        """Play on until the game is over, or until something else is seen."""
        sight = self.see()
        while not sight["over"] and not until(sight):
            self.act(sight)
            sight = self.see(sight["all"])
        return sight

    def result(self) -> str:
        return self.page.locator(".ended b").inner_text()


class Hand:
    """How somebody touches a place or a button, whose name they see."""

    def touch(self, page: Page, name: str) -> None:
        raise NotImplementedError


class Mouse(Hand):
    """Clicks."""

    def touch(self, page: Page, name: str) -> None:
        if spot := page.evaluate(WHERE, name):
            page.mouse.click(spot["x"], spot["y"])


class Finger(Hand):
    """Taps, on a phone."""

    def touch(self, page: Page, name: str) -> None:
        if spot := page.evaluate(WHERE, name):
            page.touchscreen.tap(spot["x"], spot["y"])


class Dragging(Mouse):
    """Holds a piece that is marked, and lets it go over the first place that lights up; clicks what can't be held.

    A position that changes meanwhile takes the piece out of the hand: then it is held again, if it is still there.
    """

    TARGET = (
        """() => document.querySelector('.board.dragging [aria-label$="can move here"]')?.getAttribute("aria-label")"""
    )

    def touch(self, page: Page, name: str) -> None:
        if not name.endswith("can move"):
            return super().touch(page, name)
        for _ in range(5):
            if (spot := page.evaluate(WHERE, name)) is None:
                return
            page.mouse.move(spot["x"], spot["y"])
            page.mouse.down()
            page.mouse.move(spot["x"] + 8, spot["y"] + 8, steps=2)
            if (target := page.evaluate(self.TARGET)) and (there := page.evaluate(WHERE, target)):
                page.mouse.move(there["x"], there["y"], steps=4)
                return page.mouse.up()
            page.mouse.up()
        raise AssertionError(f"{name} can't be dragged")


class Keys(Hand):
    """The keyboard alone: Tab to the board, the full stop to the next place where something can be done, Enter."""

    ON_BOARD = "() => document.activeElement.closest('.board') !== null"
    MOST = 200  # steps to anything on a page

    def touch(self, page: Page, name: str) -> None:
        for _ in range(self.MOST):
            spot = page.evaluate(WHERE, name)
            if spot is None:
                return
            if spot["focused"]:
                return page.keyboard.press("Enter")
            page.keyboard.press("." if name.endswith(MARKED) and page.evaluate(self.ON_BOARD) else "Tab")
        raise AssertionError(f"no key leads to {name}")


class Reader(Person):
    """Somebody who hears the page: all they know is the tree that a screen reader is given."""

    OFFERED = re.compile(r'button "([^"]*, can move(?: here)?)"')
    ANSWER = re.compile(r'button "(Done|Confirm|Play [^"]+)"')

    def see(self, before: str | None = None) -> dict[str, Any]:
        main = self.page.get_by_role("main")
        end = time.monotonic() + WAIT / 1000
        while time.monotonic() < end:
            heard = main.aria_snapshot()
            board = heard.partition('region "Game"')[0]  # comes after the region of the board
            possible = self.OFFERED.findall(board)
            answer = self.ANSWER.search(board)
            over = 'button "Rematch"' in heard
            if heard != before and (possible or answer or over):
                return {"over": over, "answer": answer and answer[1], "possible": possible, "all": heard}
        raise AssertionError(f"nothing to do is heard:\n{heard}")


class Names(Hand):
    """By role and name, as a screen reader offers them."""

    def touch(self, page: Page, name: str) -> None:
        # It may have gone meanwhile: a forced move plays itself.
        if page.get_by_role("button", name=name, exact=True).evaluate_all(
            "(found) => found[0]?.focus() ?? found.length"
        ):
            page.keyboard.press("Enter")


Visit = Callable[..., Person]


def sit(person: Person, table: Seated, seat: int = 0) -> None:
    """Take a seat by the link that invites to it."""
    person.go(f"#/table/{table.id}?seat={seat}&key={table.keys[str(seat)]}")
    person.page.locator(".board svg").wait_for()
