"""The table where people and players sit: one game under way, its steps so far, its dice, undo, and its result in words.

A table neither asks nor shows anything: the terminal does, and whatever else people may sit at.

All chance follows from the seed: the n-th roll of a game and what a player draws at its n-th step are always the same.
So undo, and save and load, can't be used to fish for better dice: whoever goes back gets the same rolls again.

Beyond the contract, a game may offer `seat_names` (a name for each seat, as the board shows them), `result_text(state)`
(what was won, to be read after "You win": "a gammon"), `status_text(state)` (whose turn it is), and, for file formats of its own, `formats` with `write_game` and
`read_game` (see `saved.py`). `board_for(state, color, width, seat)` is the board for a terminal of some width, as one seat sees it. Moves after which its `board_text` is the same are one and the same to a person. A true `history`
asks for the last moves beside the board, `move_forms` says how moves are written, for the help, and a true `menu` wants that
`ludus play` begins with the menu (`menu.py`); `short_training` is a preset and a number of games that show something soon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.knowing import hides
from ludus.contract.position import Move, Position
from ludus.contract.rules import CHANCE, JOINT, OVER, roll, turn
from ludus.errors import LudusError, brief
from ludus.games.animation import animated
from ludus.kernel import stream
from ludus.players import base
from ludus.quantities import SEED
from ludus.showing import frame, html_picture, html_table

YOU = "you"
DICE = 0  # what random numbers are for: the dice, 1 + a seat's player, or advice
ADVICE = 1000  # draws random numbers of its own: asking for it must not change the game


class Step(NamedTuple):
    """One roll, one seat's move, or one move of all seats at once, and the position that it leads to."""

    seat: int  # who moved; CHANCE for a roll, JOINT for all seats
    moves: tuple[int, ...]  # one move or outcome, or one for each seat
    texts: tuple[str, ...]  # the same as people write them
    after: Position


Seats = int | str | Sequence[int]  # the people's: one, several, or as they are typed


def read_seats(game: Any, seats: Seats) -> tuple[int, ...]:
    """Where the people sit: in one seat or several, named by numbers or as the board shows them.

    >>> import ludus
    >>> read_seats(ludus.game("ludo"), "0, yellow"), read_seats(ludus.game("backgammon"), 1)
    ((0, 2), (1,))
    """
    last = game.facts.seats - 1
    if isinstance(seats, str):
        names = [name.lower() for name in getattr(game, "seat_names", ())]
        words = [word.strip().lower() for word in seats.split(",")]
        for word in words:
            if word not in names and not (word.isdecimal() and len(word) < 10):
                raise LudusError(
                    f"'{brief(word)}' is no seat; they are 0 to {last}" + f", or {', '.join(names)}" * bool(names)
                )
        seats = [int(word) if word.isdecimal() else names.index(word) for word in words]
    people = (seats,) if isinstance(seats, int) else tuple(seats)
    for seat in people:
        if not 0 <= seat <= last:
            raise LudusError(f"there is no seat {seat}; the seats of {game.facts.name} are 0 to {last}")
    if len(set(people)) != len(people) or not people:
        raise LudusError("name each seat of a person once, as in 0,2")
    return tuple(sorted(people))


def mark(game: Any, seat: int) -> str:
    """What the board calls a seat."""
    names = getattr(game, "seat_names", None)
    return names[seat] if names else f"seat {seat}"


class Table:
    """A game under way. Whatever goes wrong in a step leaves it as it was.

    >>> import ludus
    >>> game = ludus.game("tictactoe")
    >>> table = Table(game, seed=1, seats=0, names=["you", "random"])
    >>> table.take([table.read("mark 2 2", 0)]).texts
    ('( mark 2 2 )',)
    >>> table.due, len(table.position.moves())
    (1, 8)
    """

    def __init__(self, game: Any, seed: int, seats: Seats, names: Sequence[str]) -> None:
        people = () if seats == () else read_seats(game, seats)  # nobody's: players play each other
        self.game = game
        self.seed: int = SEED.read(seed, f"seed={seed}")
        self.people = people  # the seats that people have
        self.names = tuple(names)  # who sits where
        self.remarks: tuple[str, ...] = ()  # what the file it came from holds beside it
        self.chosen: list[int] = []  # by the first of the people, where all seats move at once
        self.beginning: Position = game.start()
        self.steps: list[Step] = []
        # The last answer of `choices`: it is asked for again and again, and a hundred boards take a while to draw.
        self._asked: tuple[Position | None, int, list[Move]] = None, 0, []

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.steps[-1].after if self.steps else self.beginning

    def to_frame(self, kind: str = "pandas") -> Any:
        """The steps so far as a frame of pandas, or of polars if told."""
        return frame([{"step": i, "who": self._mover(s), "move": " | ".join(s.texts)} for i, s in enumerate(self.steps, 1)], kind)  # fmt: skip

    def _mover(self, step: Step) -> str:
        return {CHANCE: "chance", JOINT: "all"}.get(step.seat) or self.names[step.seat]

    def _repr_html_(self) -> str:
        boards = [self.beginning, *(step.after for step in self.steps)]
        moving = animated([position._repr_svg_() for position in boards])
        rows = [(f"{i}. {self._mover(s)}", " | ".join(s.texts)) for i, s in enumerate(self.steps, 1)]
        steps = html_table("", ("who", "move"), rows)
        return f"{html_picture(moving)}<details><summary>{len(rows)} steps</summary>{steps}</details>"

    @property
    def due(self) -> int:
        """The seat that is to move, or CHANCE, JOINT or OVER."""
        return int(turn(self.game, self.position.state))

    @property
    def seat(self) -> int:
        """The person who is asked now, or will be."""
        if self.due == JOINT:
            return self.people[len(self.chosen)]
        return self.due if self.due in self.people or not self.people else self.people[0]

    def choices(self) -> list[Move]:
        """What the person may play now; nothing while it is not their turn."""
        position, seat = self.position, self.seat
        if self._asked[0] is not position or self._asked[1] != seat:
            self._asked = position, seat, self._choices(position, seat)
        return self._asked[2]

    def _choices(self, position: Position, seat: int) -> list[Move]:
        """A seat's moves, of those that look the same on the board the first."""
        legal = position.moves(seat)
        if len(legal) < 2 or position.kind != "decision" or hides(self.game):  # what moves lead to may tell a secret
            return legal
        looks: dict[str, Move] = {}
        for move in legal:
            looks.setdefault(self.game.board_text(position.play(int(move)).state), move)
        return list(looks.values())

    def stream(self, purpose: int) -> np.ndarray:
        """The random numbers for the step that is due."""
        index = sum(step.seat == CHANCE for step in self.steps) if purpose == DICE else len(self.steps)
        return stream(self.seed, index, purpose)

    # Going on.

    def roll(self) -> Step:
        """Let chance take its step."""
        state, most = self.position.state, self.game.facts.max_chances
        return self.take([int(roll(self.game, state, self.stream(DICE), np.zeros(most, np.int64), np.zeros(most)))])

    def ask(self, player: Any, seat: int) -> int:
        """What a player who sits there moves."""
        return base.ask(player, self.position, self.stream(1 + seat), seat)

    def advice(self, player: Any) -> list[tuple[Move, float]]:
        """The person's choices with what a player thinks each is worth, best first; LudusError if it has no opinion."""
        choices = self.choices()
        return [pair for pair in base.rank(player, self.position, self.stream(ADVICE)) if pair[0] in choices]

    def take(self, moves: Sequence[int]) -> Step:
        """Take the step that is due: the outcome of a roll, a seat's move, or one move for each seat."""
        position, due = self.position, self.due
        after = position.play(moves if due == JOINT else moves[0])
        texts = tuple(self.game.move_text(position.state, int(move)) for move in moves)
        self.steps.append(Step(due, tuple(map(int, moves)), texts, after))
        self.chosen.clear()
        return self.steps[-1]

    def read(self, text: str, seat: int) -> int:
        """The legal move of a seat, or the outcome of a roll, that a text stands for; LudusError says why there is none."""
        if self.due == OVER:
            raise LudusError("the game is over")
        return int(self.game.read_move(self.position.state, text, seat if self.due == JOINT else None))

    def undo(self) -> bool:
        """Go back to the people's previous decision, over rolls, players' moves and forced ones; False: there is none."""
        if self.chosen:
            self.chosen.pop()
            return True
        for i in reversed(range(len(self.steps))):
            before = self.steps[i - 1].after if i else self.beginning
            if any(len(self._choices(before, seat)) > 1 for seat in self.people):
                del self.steps[i:]
                return True
        return False

    # In words.

    def mark(self, seat: int) -> str:
        """What the board calls a seat."""
        return mark(self.game, seat)

    @property
    def alone(self) -> bool:
        """Whether there is just one person, who can be addressed."""
        return len(self.people) == 1

    def who(self, seat: int) -> str:
        """A seat in a sentence: several people are called by what the board calls them."""
        if seat in self.people:
            return YOU if self.alone else self.mark(seat)
        return f"{self.names[seat]} ({self.mark(seat)})"

    def does(self, seat: int, verb: str) -> str:
        """The beginning of a sentence, as in 'You roll' or 'red rolls'."""
        return f"You {verb}" if self.alone and seat in self.people else f"{self.who(seat)} {verb}s"

    def whose(self, seat: int) -> str:
        """As in 'Your move' or "red's move"."""
        return "Your" if self.alone else f"{self.mark(seat)}'s"

    def result(self) -> str:
        """How the game ended, in words for the people who played it."""
        position = self.position
        scores = position.scores()
        best = max(scores)
        winners = [seat for seat, score in enumerate(scores) if score == best]
        said = getattr(self.game, "result_text", None)
        what = f" {said(position.state)}" if said else ""
        if len(winners) == len(scores):
            return f"The game is drawn, {points(best)} each."
        names = " and ".join(self.who(seat) for seat in winners)
        if len(winners) > 1:
            words = f"{names} share the win, {points(best)} each."
        else:
            words = f"{self.does(winners[0], 'win')}{what}, {points(best)}."
        if self.alone and self.people[0] not in winners and len(scores) > 2:
            mine = scores[self.people[0]]
            place = 1 + sum(score > mine for score in scores)
            words += f" You have {points(mine)} (place {place} of {len(scores)})."
        return "Y" + words[1:] if words.startswith(YOU + " ") else words


def roller(position: Position) -> int | None:
    """Whose roll is due: the one seat that may have to decide by it; None where there is no such seat.

    >>> import ludus
    >>> start = ludus.game("ludo").start()
    >>> roller(start), roller(start.play("green begins"))
    (None, 1)
    """
    seats = {position.play(int(outcome)).turn for outcome, _ in position.chances()} - {None}
    return seats.pop() if len(seats) == 1 else None


def points(value: float) -> str:
    """
    >>> points(1), points(0.5)
    ('1 point', '0.5 points')
    """
    return f"{value:g} point{'' if value == 1 else 's'}"
