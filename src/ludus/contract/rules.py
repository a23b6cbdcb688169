"""The rules of a game: generic functions on the type of the game (`ludus.kernel`), against which everything else is written once.

A **game** is a small frozen NamedTuple: the rules with their parameters (`Rules`). A **state** is one flat int64 array whose length
the game fixes; copying the array copies the state. Nothing here knows of learning, of players or of notation.

The declarations are typed, and `implements` holds an implementation to the type of what it implements: mypy notices one with other arguments.
They are called by position: an implementation may name its arguments as it likes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.kernel import KEY, below, generic, implements, mix_hash, uniform

# What `turn` answers where no single seat is to move.
CHANCE = -1  # a chance event is due: dice, a shuffle, GDL's `random` role
OVER = -2  # the game has ended
JOINT = -3  # all seats move at once; a seat with nothing to decide has one legal move

State = NDArray[np.int64]  # of the length that the game's facts say
Moves = NDArray[np.int64]  # moves, or outcomes of a chance event
Floats = NDArray[np.float64]  # probabilities, or one number for each seat
Rng = NDArray[np.uint64]  # a random stream (`ludus.kernel.stream`)
Sizes = tuple[int, int, int, int]  # what `sizes_of` says

EACH = 64  # moves that `play_each` may be asked for at once
MAX_PLAYOUT = 100_000  # plies of a random game, at most: some games can go on for ever


class Facts(NamedTuple):
    """What callers must know of a game before they can make arrays for it."""

    name: str
    version: int  # raised when a change of the rules or of a state's layout makes old models meaningless
    seats: int
    state_size: int  # length of the state array
    max_moves: int  # most legal moves that any state can have
    max_chances: int  # most outcomes that a chance event can have; 0: no chance in this game
    max_plies: int  # a generous bound on a game's length, or 0 where the rules set none
    score_range: tuple[float, float]
    variant: str = ""  # games of one name whose models are of no use to each other differ in this
    actions: int = (
        0  # moves are numbers from 0 to actions - 1; 0: they are any numbers, or too many to have an output each
    )

    @property
    def model(self) -> str:
        """What a learned model is for."""
        return f"{self.name}-{self.variant}" if self.variant else self.name


class Rules(Protocol):
    """What kernels and their callers need of a game: facts, and implementations of the generic functions below on its type. Those
    without a default are `start`, `turn`, `moves`, `play` (or `play_joint`) and `scores`.
    """

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""


def sizes_of(game: Rules) -> Sizes:
    """The sizes that kernels need to know of a game: most moves, length of a state, seats, most outcomes of chance (at least 1).

    >>> import ludus
    >>> sizes_of(ludus.game("backgammon"))
    (4096, 55, 2, 30)
    """
    facts = game.facts
    return facts.max_moves, facts.state_size, facts.seats, max(facts.max_chances, 1)


# --- what every game implements --------------------------------------------------------------------------------------


@generic(lazy=True)
def start(game: Rules, state: State, /) -> None:
    """Fill `state` with the beginning of a game."""


@generic(lazy=True)
def turn(game: Rules, state: State, /) -> int:
    """The seat to move, or CHANCE, JOINT or OVER."""


@generic(lazy=True)
def moves(game: Rules, state: State, seat: int, out: Moves, /) -> int:
    """Write the legal moves of `seat` into `out`, each once, and return how many (never none at a decision)."""


@generic(lazy=True)
def play(game: Rules, state: State, move: int, /) -> None:
    """Carry out the move of the seat whose turn it is, or the outcome of a chance event. `move` must be legal."""


@generic(lazy=True)
def play_joint(game: Rules, state: State, joint: Moves, /) -> None:
    """Carry out one move for every seat at once, where `turn` says JOINT."""


@generic(lazy=True)
def chances(game: Rules, state: State, outcomes: Moves, probabilities: Floats, /) -> int:
    """Write the outcomes of the chance event that is due and their probabilities, and return how many."""


@generic(lazy=True)
def scores(game: Rules, state: State, out: Floats, /) -> None:
    """Write the result of an ended game, one number for each seat."""


@generic(lazy=True)
def roll(game: Rules, state: State, rng: Rng, outcomes: Moves, probabilities: Floats, /) -> int:
    """Draw an outcome of the chance event that is due. A game may implement this faster than the default does."""


@generic(lazy=True)
def random_move(game: Rules, state: State, seat: int, rng: Rng, out: Moves, /) -> int:
    """Draw a legal move, each as likely as the others. A game may implement this faster than the default does."""


@generic
def play_each(game: Rules, state: State, legal: Moves, first: int, count: int, out: NDArray[np.int64], /) -> None:
    """Write the states after each of the moves `first` to `first + count - 1` of a list, at most EACH of them, for the seat whose turn it is. A game
    may implement this faster than the default does.
    """


@generic
def play_pairs(
    game: Rules, states: NDArray[np.int64], which: Moves, chosen: Moves, count: int, out: NDArray[np.int64], /
) -> None:
    """Write the states after `count` moves, at most EACH, each in a state of its own: move `chosen[i]` in state `which[i]` of an array, for the seat whose
    turn it is there. A game may implement this faster than the default does.
    """


@generic
def playouts(game: Rules, state: State, rng: Rng, count: int, sizes: Sizes, total: Floats, /) -> None:
    """Play on from `state` at random, `count` times, and add the scores to `total`, one number for each seat. `sizes` are the
    game's (`sizes_of`). A game may implement this faster than the default does.
    """


@generic
def guided_playouts(game: Rules, state: State, rng: Rng, count: int, sizes: Sizes, total: Floats, /) -> None:
    """As `playouts`, but with moves that make some sense: quick ones, and still drawn. Without an implementation of the game's own they are
    random.
    """


@generic
def sensible_moves(game: Rules, state: State, seat: int, out: Moves, odds: Floats, /) -> int:
    """Write the legal moves that a search should look at, and how promising each seems, in sum 1; return how many, at least one.
    Without an implementation of the game's own these are all moves, each as promising as the others.
    """


@generic
def ending(game: Rules, state: State, /) -> tuple[int, int]:
    """Where a game of two seats without chance is known to its end by less than a search: the best move of the seat to move, and in how many plies it wins
    with it (negative: loses, as late as it can); -1 and 0 where it is not.
    """


@generic
def foregone(game: Rules, state: State, /) -> int:
    """Where a glance proves who wins a game of two seats without chance: in how many plies at most the seat to move wins (negative: loses); 0 where it does
    not. A search asks at every node.
    """


@generic
def position_key(game: Rules, state: State, /) -> np.uint64:
    """A hash of what decides how a game goes on from a state: equal for equal positions, however they came about."""


@implements(play, object)
def _(game: Any, state: Any, move: int) -> None:
    pass  # games in which all seats always move at once, without chance, never get here


@implements(play_joint, object)
def _(game: Any, state: Any, joint: Any) -> None:
    pass  # games in which the seats take turns never get here


@implements(ending, object)
def _(game: Any, state: Any) -> tuple[int, int]:
    return -1, 0


@implements(foregone, object)
def _(game: Any, state: Any) -> int:
    return 0


@implements(position_key, object)
def _(game: Any, state: Any) -> Any:
    key = KEY
    for i in range(len(state)):
        key = mix_hash(key, state[i])
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
def _(game: Any, state: Any, legal: Any, first: int, count: int, out: Any) -> None:
    for i in range(count):
        child = out[i]
        for j in range(len(state)):  # faster than an assignment of slices
            child[j] = state[j]
        play(game, child, legal[first + i])


@implements(play_pairs, object)
def _(game: Any, states: Any, which: Any, chosen: Any, count: int, out: Any) -> None:
    for i in range(count):
        child = out[i]
        for j in range(len(child)):
            child[j] = states[which[i], j]
        play(game, child, chosen[i])


@implements(playouts, object)
def _(game: Any, state: Any, rng: Any, count: int, sizes: Any, total: Any) -> None:
    max_moves, state_size, seats, max_chances = sizes
    now, result = np.empty(state_size, np.int64), np.zeros(seats)
    legal, joint = np.empty(max_moves, np.int64), np.empty(seats, np.int64)
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
                    joint[s] = random_move(game, now, s, rng, legal)
                play_joint(game, now, joint)
            else:
                play(game, now, random_move(game, now, seat, rng, legal))
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
