"""The contract that every game fulfils, and Position, the friendly view of one state.

A **Game** is a small frozen NamedTuple: the rules with their parameters. A **state** is one flat int64 array whose length
the game fixes; copying the array copies the state. The words below are generic functions on the type of the game
(`ludus.kernel`); learners, players and the arena are written once, against them. Nothing here knows of learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from ludus.errors import LudusError, choice
from ludus.kernel import KEY, below, generic, implements, stir, uniform

# What `turn` answers where no single seat is to move.
CHANCE = -1  # a chance event is due: dice, a shuffle, GDL's `random` role
OVER = -2  # the game has ended
JOINT = -3  # all seats move at once; a seat with nothing to decide has one legal move


EACH = 64  # moves that `play_each` may be asked for at once
MEMO = 32  # numbers that an encoding may keep from `standing` to `changes`
MAX_PLAYOUT = 100_000  # plies of a random game, at most: some games can go on for ever


class Facts(NamedTuple):
    """What callers must know of a game before they can make room for it."""

    name: str
    version: int  # raised when a change of the rules or of a state's layout makes old models meaningless
    seats: int
    state_size: int  # length of the state array
    max_moves: int  # most legal moves that any state can have
    max_chances: int  # most outcomes that a chance event can have; 0: no chance in this game
    max_plies: int  # a generous bound on a game's length, or 0 where the rules set none
    score_range: tuple[float, float]
    variant: str = ""  # games of one name whose models are of no use to each other differ in this

    @property
    def model(self) -> str:
        """What a learned model is for."""
        return f"{self.name}-{self.variant}" if self.variant else self.name


# --- the vocabulary of rules -----------------------------------------------------------------------------------------


@generic
def start(game: Any, state: Any) -> None:
    """Fill `state` with the beginning of a game."""


@generic
def turn(game: Any, state: Any) -> int:
    """The seat to move, or CHANCE, JOINT or OVER."""


@generic
def moves(game: Any, state: Any, seat: int, out: Any) -> int:
    """Write the legal moves of `seat` into `out`, each once, and return how many (never none at a decision)."""


@generic
def play(game: Any, state: Any, move: int) -> None:
    """Carry out the move of the seat whose turn it is, or the outcome of a chance event. `move` must be legal."""


@generic
def play_joint(game: Any, state: Any, joint: Any) -> None:
    """Carry out one move for every seat at once, where `turn` says JOINT."""


@generic
def chances(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    """Write the outcomes of the chance event that is due and their probabilities, and return how many."""


@generic
def scores(game: Any, state: Any, out: Any) -> None:
    """Write the result of an ended game, one number for each seat."""


@generic
def roll(game: Any, state: Any, rng: Any, outcomes: Any, probabilities: Any) -> int:
    """Draw an outcome of the chance event that is due. A game may answer this faster than the default does."""


@generic
def random_move(game: Any, state: Any, seat: int, rng: Any, out: Any) -> int:
    """Draw a legal move, each as likely as the others. A game may answer this faster than the default does."""


@generic
def play_each(game: Any, state: Any, listed: Any, first: int, count: int, out: Any) -> None:
    """Write the states after each of the moves `first` to `first + count - 1` of a list, at most EACH of them, for the seat whose turn it is. A game
    may answer this faster than the default does.
    """


@generic
def playouts(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    """Play on from `state` at random, `count` times, and add the scores to `total`, one number for each seat. `sizes` are the
    game's (`sizes_of`). A game may answer this faster than the default does.
    """


@generic
def guided_playouts(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    """As `playouts`, but with moves that make some sense: quick ones, and still drawn. Without an answer of the game's own they are
    random.
    """


@generic
def sensible_moves(game: Any, state: Any, seat: int, out: Any, odds: Any) -> int:
    """Write the legal moves that a search should look at, and how promising each seems, in sum 1; return how many, at least one.
    Without an answer of the game's own these are all moves, each as promising as the others.
    """


@generic
def position_key(game: Any, state: Any) -> Any:
    """A hash of what decides how a game goes on from a state: equal for equal positions, however they came about."""


@implements(play, object)
def _(game: Any, state: Any, move: int) -> None:
    pass  # games in which all seats always move at once, without chance, never get here


@implements(play_joint, object)
def _(game: Any, state: Any, joint: Any) -> None:
    pass  # games in which the seats take turns never get here


@implements(position_key, object)
def _(game: Any, state: Any) -> Any:
    key = KEY
    for i in range(len(state)):
        key = stir(key, state[i])
    return key


@implements(chances, object)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    return 0


@implements(roll, object)
def _(game: Any, state: Any, rng: Any, outcomes: Any, probabilities: Any) -> int:
    count = chances(game, state, outcomes, probabilities)
    rest = uniform(rng)
    for i in range(count - 1):
        rest -= probabilities[i]
        if rest < 0:
            return outcomes[i]
    return outcomes[count - 1]


@implements(random_move, object)
def _(game: Any, state: Any, seat: int, rng: Any, out: Any) -> int:
    return out[below(rng, moves(game, state, seat, out))]


@implements(play_each, object)
def _(game: Any, state: Any, listed: Any, first: int, count: int, out: Any) -> None:
    for i in range(count):
        child = out[i]
        for j in range(len(state)):  # faster than an assignment of slices
            child[j] = state[j]
        play(game, child, listed[first + i])


@implements(playouts, object)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    max_moves, state_size, seats, max_chances = sizes
    now, result = np.empty(state_size, np.int64), np.zeros(seats)
    listed, joint = np.empty(max_moves, np.int64), np.empty(seats, np.int64)
    outcomes, odds = np.empty(max_chances, np.int64), np.empty(max_chances)
    for _ in range(count):
        for i in range(state_size):
            now[i] = state[i]
        for _ in range(MAX_PLAYOUT):
            seat = turn(game, now)
            if seat == OVER:
                break
            if seat == CHANCE:
                play(game, now, roll(game, now, rng, outcomes, odds))
            elif seat == JOINT:
                for s in range(seats):
                    joint[s] = random_move(game, now, s, rng, listed)
                play_joint(game, now, joint)
            else:
                play(game, now, random_move(game, now, seat, rng, listed))
        if turn(game, now) == OVER:  # a game without end counts as nothing for all
            scores(game, now, result)
            for s in range(seats):
                total[s] += result[s]


@implements(guided_playouts, object)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    playouts(game, state, rng, count, sizes, total)


@implements(sensible_moves, object)
def _(game: Any, state: Any, seat: int, out: Any, odds: Any) -> int:
    count = moves(game, state, seat, out)
    for i in range(count):
        odds[i] = 1.0 / count
    return count


# --- the vocabulary of features --------------------------------------------------------------------------------------
# An **encoding** is a NamedTuple too: one way of showing a game's states to a network. Networks see a state after a move,
# and predict an *outcome*: a vector of numbers in [0, 1] (who wins, who wins a gammon, ...) with the same meaning for all
# seats. An encoding that shows the board from the view of one seat says with `to_view` and `from_view` how outcomes
# turn with it.


@generic
def features(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    """Write the inputs that are not zero, as indices, each once, and values, and return how many there are."""


@generic
def standing(encoding: Any, game: Any, state: Any, out: Any, memo: Any) -> bool:
    """Write the state with which those after a move are compared by `changes`: the seat to move has passed, say. `memo` is room for
    MEMO numbers that `changes` wants to have at hand. False where an encoding has no use for this.
    """


@generic
def changes(encoding: Any, game: Any, state: Any, move: int, memo: Any, index: Any, value: Any) -> int:
    """Write the inputs in which the state after a move differs from `standing`, and by how much; -1 where it must be seen as a
    whole. The state may be written to, but must be left as it was.
    """


@generic
def section(encoding: Any, game: Any, state: Any) -> int:
    """Which of the encoding's networks is to judge this state (race or contact, say); 0 where there is just one."""


@generic
def outcome(encoding: Any, game: Any, state: Any, out: Any) -> None:
    """The outcome of an ended game."""


@generic
def worth(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    """What an outcome, or a prediction of it, is worth: one number for each seat."""


@generic
def from_scores(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    """The outcome that scores stand for, one number a seat, or their mean over many games; False if they do not tell enough."""


@generic
def to_view(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    """Turn an outcome, in place, to the view from which the network sees this state."""


@generic
def from_view(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    """Undo `to_view`."""


@implements(standing, object)
def _(encoding: Any, game: Any, state: Any, out: Any, memo: Any) -> bool:
    return False


@implements(changes, object)
def _(encoding: Any, game: Any, state: Any, move: int, memo: Any, index: Any, value: Any) -> int:
    return -1


@implements(section, object)
def _(encoding: Any, game: Any, state: Any) -> int:
    return 0


@implements(from_scores, object)
def _(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    return False


@implements(to_view, object)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    pass


@implements(from_view, object)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    pass


# --- the vocabulary of schemes ---------------------------------------------------------------------------------------
# A **scheme** is how a Q-learner sees a game: a NamedTuple that sorts situations into rows and moves into a few kinds of
# *actions*, and says what each is rewarded with. An *option* is an action that is open now, with the row in which it is
# judged and the move that it stands for.


@generic
def options(scheme: Any, game: Any, state: Any, seat: int, rng: Any, rows: Any, actions: Any, listed: Any) -> int:
    """Write the options of `seat` at its decision: their rows, actions and moves; return how many there are."""


@generic
def prospects(scheme: Any, game: Any, now: Any, seat: int, move: int, rows: Any, actions: Any) -> int:
    """Write the rows and actions whose best value stands for the future of `seat` from `now` on, after it played `move`;
    return how many, or -1 if the move is never accounted for.
    """


@generic
def reward(scheme: Any, game: Any, before: Any, seat: int, action: int, move: int, after: Any, now: Any) -> float:
    """What `seat` gets for an action by which it moved from `before` to `after`; `now` is the state at which the account is
    made: `after` itself, or a later one.
    """


@generic
def account(scheme: Any, game: Any, state: Any) -> int:
    """The seat whose last action is to be accounted for in this state, in which nobody has to decide, or -1."""


@generic
def tidy(scheme: Any, table: Any) -> None:
    """Put a table in order after a game."""


@implements(account, object)
def _(scheme: Any, game: Any, state: Any) -> int:
    return -1


@implements(tidy, object)
def _(scheme: Any, table: Any) -> None:
    pass


# --- the vocabulary of views and curricula ---------------------------------------------------------------------------
# A **view** is how a network with an output for each action sees a game: an encoding (`features` of the state before the
# move) that says which output stands for which move. A **curriculum** sets up positions from which games begin while learning.


@generic
def action(view: Any, game: Any, state: Any, move: int) -> int:
    """The output that stands for a move of the seat to move; -1 for a move that needs no judgement."""


@generic
def set_up(curriculum: Any, game: Any, state: Any, seat: int, stage: int, rng: Any) -> None:
    """Fill `state` with a position of a stage, 0 the easiest, in which `seat` is to move."""


# --- the vocabulary of players ---------------------------------------------------------------------------------------


@generic
def choose(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    """The move that a built-in player makes for `seat` in `state`. It must leave the state as it found it."""


@generic
def assess(view: Any, game: Any, state: Any) -> float:
    """What a state is worth to seat 0 of two, less what it is worth to seat 1, without looking ahead."""


@generic
def judge(player: Any, game: Any, state: Any, seat: int, rng: Any, moves: Any, values: Any) -> int:
    """Write the legal moves and what the player thinks each is worth to `seat`; return how many there are."""


# --- the friendly side -----------------------------------------------------------------------------------------------


@runtime_checkable
class Game(Protocol):
    """What a game's NamedTuple offers to Python, beside the generic functions above."""

    @property
    def facts(self) -> Facts: ...
    def start(self) -> Position:
        """The position at the beginning of a game."""

    def position(self, text: str) -> Position:
        """The position that a line of text stands for; LudusError says what is wrong with it."""

    def encodings(self) -> dict[str, Any]:
        """The game's ways to show states to a network, by name; `shape(game)` of each is (sections, inputs, outputs)."""

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or the outcome of a chance event, as people write it."""

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move, or possible outcome, that a text stands for; LudusError says why there is none. The seat
        matters where all move at once.
        """

    def state_text(self, state: np.ndarray) -> str:
        """The whole state on one line, for files and links."""

    def read_state(self, text: str) -> np.ndarray:
        """The state that such a line stands for; LudusError says what is wrong with it."""

    def board_text(self, state: np.ndarray, color: bool = False) -> str: ...
    def board_svg(self, state: np.ndarray) -> str: ...


def encoding_of(game: Any, name: str) -> Any:
    """One of a game's encodings, by name."""
    return choice(f"encoding of {game.facts.name}", name, game.encodings())


def sizes_of(game: Any) -> tuple[int, int, int, int]:
    """The room that kernels need for a game: most moves, length of a state, seats, most outcomes of chance (at least 1).

    >>> import ludus
    >>> sizes_of(ludus.game("backgammon"))
    (4096, 55, 2, 30)
    """
    facts = game.facts
    return facts.max_moves, facts.state_size, facts.seats, max(facts.max_chances, 1)


class Move(int):
    """A legal move: an integer for kernels that shows itself as people write it."""

    text: str

    def __new__(cls, value: int, text: str) -> Move:
        self = super().__new__(cls, value)
        self.text = text
        return self

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"


class Position:
    """One state of a game. It never changes: `play` gives a new one.

    >>> import ludus
    >>> position = ludus.game("backgammon").start().play("31")
    >>> position.turn, len(position.moves())
    (0, 16)
    >>> position.play("8/5 6/5").kind
    'chance'
    """

    __slots__ = ("game", "seat", "state")
    game: Any
    state: np.ndarray
    seat: int | None  # whose decision this is about, where all seats move at once

    def __init__(self, game: Any, state: np.ndarray, seat: int | None = None) -> None:
        frozen = np.array(state, np.int64)
        frozen.setflags(write=False)
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "state", frozen)
        object.__setattr__(self, "seat", seat)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Position never changes; play() gives a new one")

    @classmethod
    def start(cls, game: Any) -> Position:
        """The position at the beginning of a game."""
        state = np.zeros(game.facts.state_size, np.int64)
        start(game, state)
        return cls(game, state)

    @classmethod
    def read(cls, game: Any, text: str) -> Position:
        """The position that `str(position.text)` or another text of the game's stands for."""
        return cls(game, game.read_state(text))

    def seen_by(self, seat: int) -> Position:
        """This position as the decision of one seat, where all move at once: its `turn` and `moves()` are that seat's."""
        return Position(self.game, self.state, seat)

    # What is going on. Kernels get copies: they are compiled for arrays that may be written.

    @property
    def kind(self) -> str:
        """'decision', 'chance', 'joint' or 'over'."""
        return {CHANCE: "chance", OVER: "over", JOINT: "joint"}.get(turn(self.game, self.state.copy()), "decision")

    @property
    def turn(self) -> int | None:
        """The seat to move; None where there is no such seat."""
        seat = turn(self.game, self.state.copy())
        if seat == JOINT:
            return self.seat
        return int(seat) if seat >= 0 else None

    @property
    def over(self) -> bool:
        return self.kind == "over"

    def scores(self) -> list[float]:
        """The result, one number for each seat; an error while the game goes on."""
        if not self.over:
            raise LudusError("the game is not over: there are no scores yet")
        out = np.zeros(self.game.facts.seats)
        scores(self.game, self.state.copy(), out)
        return [float(x) for x in out]

    # Going on.

    def moves(self, seat: int | None = None) -> list[Move]:
        """The legal moves of the seat to move (name the seat where all move at once)."""
        kind, mover = self.kind, self.turn
        if kind in ("chance", "over"):
            return []
        if seat is None:
            if mover is None:
                raise LudusError("all seats move at once here: say whose moves you want, as in moves(0)")
            seat = mover
        elif kind == "decision" and seat != mover:
            return []
        return [Move(m, self.game.move_text(self.state, m)) for m in self._codes(seat)]

    def chances(self) -> list[tuple[Move, float]]:
        """The outcomes of the chance event that is due, with their probabilities."""
        if self.kind != "chance":
            return []
        room = max(self.game.facts.max_chances, 1)
        outcomes, odds = np.zeros(room, np.int64), np.zeros(room)
        count = chances(self.game, self.state.copy(), outcomes, odds)
        return [
            (Move(o, self.game.move_text(self.state, o)), p)
            for o, p in zip(outcomes[:count].tolist(), odds[:count].tolist(), strict=True)
        ]

    def play(self, move: int | str | Sequence[int | str]) -> Position:
        """The position after a move, or after the outcome of a chance event; one move a seat where all move at once."""
        state = self.state.copy()
        kind = self.kind
        if kind == "over":
            raise LudusError("the game is over: no move can be played")
        if kind == "joint":
            if isinstance(move, str | int | np.integer) or len(move) != self.game.facts.seats:
                raise LudusError(f"all seats move at once here: give a list of {self.game.facts.seats} moves")
            joint = np.array([self._legal(m, seat) for seat, m in enumerate(move)], np.int64)
            play_joint(self.game, state, joint)
        else:
            if not isinstance(move, str | int | np.integer):
                raise LudusError("one seat moves here: give one move, not a list")
            play(self.game, state, self._legal(move, self.turn))
        return Position(self.game, state)

    def _legal(self, move: int | str, seat: int | None) -> int:
        if isinstance(move, str):
            return self.game.read_move(self.state, move, seat)
        if int(move) not in self._codes(seat):
            legal = [m for m, _ in self.chances()] if self.kind == "chance" else self.moves(seat)
            raise LudusError(f"{move!r} is not a legal move here; legal are: {', '.join(str(m) for m in legal[:8])}")
        return int(move)

    def _codes(self, seat: int | None) -> list[int]:
        """The legal moves, or the possible outcomes, as bare integers."""
        if seat is None:
            room = max(self.game.facts.max_chances, 1)
            out = np.zeros(room, np.int64)
            return out[: chances(self.game, self.state.copy(), out, np.zeros(room))].tolist()
        out = np.zeros(self.game.facts.max_moves, np.int64)
        return out[: moves(self.game, self.state.copy(), seat, out)].tolist()

    def roll(self, rng: np.ndarray) -> Position:
        """The position after a random outcome of the chance event that is due."""
        if self.kind != "chance":
            raise LudusError("no chance event is due here")
        room = self.game.facts.max_chances
        state = self.state.copy()
        result = roll(self.game, state, rng, np.zeros(room, np.int64), np.zeros(room))
        play(self.game, state, result)
        return Position(self.game, state)

    # How it looks.

    @property
    def text(self) -> str:
        """The position on one line."""
        return self.game.state_text(self.state)

    def __str__(self) -> str:
        return self.game.board_text(self.state)

    def __repr__(self) -> str:
        return f"Position({self.game.facts.name} {self.text})"

    def _repr_svg_(self) -> str:
        return self.game.board_svg(self.state)

    def __eq__(self, other: object) -> bool:
        # Games are tuples: those of two types may hold the same numbers.
        return (
            isinstance(other, Position)
            and (type(self.game), self.game) == (type(other.game), other.game)
            and np.array_equal(self.state, other.state)
        )

    def __hash__(self) -> int:
        return hash((type(self.game).__name__, self.state.tobytes()))
