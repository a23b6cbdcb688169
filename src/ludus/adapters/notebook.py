"""A board to click in a notebook: `ludus.widget(position)`. Needs the extra `notebook` (anywidget).

The widget draws the position and asks `ludus.contract.touching` what a finger can do, as the page does; it knows no rules. What is clicked comes as a
message, `{"touch": "8/5"}`, `{"move": "8/5 6/5"}`, `{"roll": true}` or `{"undo": true}`.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

from ludus.contract.position import Position
from ludus.contract.touching import Turn, board_of, choose, turn_of
from ludus.errors import LudusError, NotInstalledError
from ludus.kernel import stream
from ludus.quantities import SEED

MOST_MOVES = 300  # in the list of moves


def widget(position: Position, seed: int = 1) -> Any:
    """A board to click. Its `position` changes with each move, and can be set; `observe(function, "position")` hears of it. Chance is drawn by a
    button, from `seed`. In games whose boards can't be touched, and where one likes to read, moves are chosen from a list.

    >>> import ludus
    >>> board = ludus.widget(ludus.game("backgammon").start().play("31"))
    >>> board.touch("8/5"), board.touch("6/5")
    (None, None)
    >>> board.position.kind
    'chance'
    """
    if not isinstance(position, Position):
        raise LudusError(f"a board shows a position, not {type(position).__name__}: give game.start(), say")
    return _board_class()(position, SEED.read(seed, f"seed={seed}"))


def _board_class() -> type:
    """The class of the widget; its parents are only there where anywidget is."""
    global _made
    if _made is None:
        _made = _make()
    return _made


_made: type | None = None


def _make() -> type:
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise NotInstalledError(
            "a board to click needs anywidget, which is not installed: pip install 'ludus[notebook]'"
        ) from None

    class Board(anywidget.AnyWidget):  # type: ignore[misc]
        """A board to click."""

        _esm = (resources.files("ludus.adapters") / "board.js").read_text("utf-8")
        svg = traitlets.Unicode().tag(sync=True)
        touches = traitlets.List().tag(sync=True)  # source or null, target, text, name
        moves = traitlets.List().tag(sync=True)
        words = traitlets.Unicode().tag(sync=True)
        trouble = traitlets.Unicode().tag(sync=True)
        can = traitlets.List().tag(sync=True)  # "roll", "undo"
        position = traitlets.Instance(Position)

        def __init__(self, position: Position, seed: int) -> None:
            self._touched: list[str] = []
            self._earlier: list[Position] = []
            self._rng = stream(seed)
            super().__init__(position=position)
            self.observe(self._moved, "position")
            self.on_msg(lambda _, content, buffers: self.hear(content))
            self._show()

        # What one can do, by clicking or in Python.

        def touch(self, text: str) -> None:
            """Touch something: one of `touches`, by its text. A move is made when its touches are complete."""
            found = choose(self._turn().touches, text)
            self._touched.append(text)
            if found.move is not None:
                self.move(found.move)
            else:
                self._show()

        def move(self, text: str) -> None:
            """Play a move."""
            self._go(self.position.play(text))

        def roll(self) -> None:
            """Let chance have its way."""
            self._go(self.position.roll(self._rng))

        def undo(self) -> None:
            """Take back the touches of this turn, or else the last move."""
            if self._touched:
                self._touched = []
                self._show()
            elif self._earlier:
                before = self._earlier.pop()
                kept = list(self._earlier)
                self.position = before
                self._earlier = kept
                self._show()

        def hear(self, content: Any) -> None:
            """Do what a message from the browser says; what is wrong with it is shown there."""
            self.trouble = ""
            try:
                match content:
                    case {"touch": str(text)}:
                        self.touch(text)
                    case {"move": str(text)}:
                        self.move(text)
                    case {"roll": True}:
                        self.roll()
                    case {"undo": True}:
                        self.undo()
                    case _:
                        raise LudusError("the board sent what nobody understands")
            except LudusError as error:
                self.trouble = str(error)

        # What is shown.

        def _go(self, after: Position) -> None:
            kept = [*self._earlier, self.position]
            self.position = after
            self._earlier = kept
            self._show()

        def _moved(self, change: Any) -> None:
            self._touched, self._earlier = [], []
            self._show()

        def _turn(self) -> Turn:
            position = self.position
            if position.turn is None:
                return Turn(position.state, (), None)
            return turn_of(position.game, position.state, position.turn, self._touched)

        def _show(self) -> None:
            position, turn = self.position, self._turn()
            with self.hold_sync():
                self.svg = board_of(position.game, turn.state, position.turn)
                self.touches = [[each.source, each.target, each.text, each.name] for each in turn.touches]
                self.moves = [] if position.turn is None else [str(each) for each in position.moves()[:MOST_MOVES]]
                self.words = _words(position)
                rolls = ["roll"] * (position.kind == "chance")
                self.can = rolls + ["undo"] * bool(self._touched or self._earlier)

    return Board


def _words(position: Position) -> str:
    names = getattr(position.game, "seat_names", None)
    if position.over:
        return "The game is over: " + ", ".join(f"{score:g}" for score in position.scores())
    if position.turn is None:
        all_at_once = "all seats move at once: set .position to position.play([…])"
        return "Chance is due" if position.kind == "chance" else all_at_once
    return f"{names[position.turn] if names else f'seat {position.turn}'} to move"
