"""What a learner sees of a game: encodings for networks, schemes for tables of situations, views with an output for each action,
and curricula. All are NamedTuples with implementations of the generic functions below.

Encodings, views and schemes have a **version**, from 1 on. It is raised with every change of what they show: a model that learned with
another version would read its inputs wrongly. Golden files in `tests` notice such changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.contract.rules import Floats, Moves, Rng, Rules, State
from ludus.errors import LudusError, choice
from ludus.kernel import generic, implements

MEMO = 680  # numbers that an encoding may keep from `standing` to `changes`; behind them `changes` may write the section of the state after a move

Index = NDArray[np.int64]  # numbers of inputs, of rows or of actions
Values = NDArray[np.floating[Any]]  # inputs or outcomes, in the precision of whoever asks


def version_of(shown: Any) -> int:
    """The version of an encoding, a view or a scheme; 1 where it does not say."""
    return int(getattr(shown, "version", 1))


# --- encodings -------------------------------------------------------------------------------------------------------
# An **encoding** is a NamedTuple too: one way of showing a game's states to a network. Networks see a state after a move,
# and predict an *outcome*: a vector of numbers in [0, 1] (who wins, who wins a gammon, ...) with the same meaning for all
# seats. An encoding that shows the board from the view of one seat says with `to_view` and `from_view` how outcomes
# turn with it.


class Encoding(Protocol):
    """What callers need of an encoding, beside the generic functions; a view is one, too."""

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""

    def shape(self, game: Any) -> tuple[int, int, int]:
        """(sections, inputs, outputs) of a network for this."""


@generic
def features(encoding: Encoding, game: Rules, state: State, index: Index, value: Values, /) -> int:
    """Write the inputs that are not zero, as indices, each once, and values, and return how many there are."""


@generic
def standing(encoding: Encoding, game: Rules, state: State, out: State, memo: Index, /) -> bool:
    """Write the state with which those after a move are compared by `changes`: the seat to move has passed, say. What chance has just
    brought must not matter. `memo` is room for MEMO numbers that `changes` wants to have at hand. False where an encoding has no use for this.
    """


@generic
def changes(
    encoding: Encoding, game: Rules, state: State, move: int, memo: Index, index: Index, value: Values, /
) -> int:
    """Write the inputs in which the state after a move differs from `standing`, and by how much; -1 where it must be seen as a
    whole. Where another section judges the state after a move than that of `standing`, write it to memo[MEMO], or return -1. The state
    may be written to, but must be left as it was.
    """


@generic
def section(encoding: Encoding, game: Rules, state: State, /) -> int:
    """Which of the encoding's networks is to judge this state (race or contact, say); 0 where there is just one."""


@generic
def outcome(encoding: Encoding, game: Rules, state: State, out: Values, /) -> None:
    """The outcome of an ended game."""


@generic
def known(encoding: Encoding, game: Rules, state: State, out: Values, /) -> bool:
    """Write what is to be expected of a game that is not over, where that is known without a network, as `outcome` writes it; False where it is not."""


@generic
def worth(encoding: Encoding, game: Rules, prediction: Values, out: Floats, /) -> None:
    """What an outcome, or a prediction of it, is worth: one number for each seat."""


@generic
def from_scores(encoding: Encoding, game: Rules, scores: Floats, out: Values, /) -> bool:
    """The outcome that scores stand for, one number a seat, or their mean over many games; False if they do not tell enough."""


@generic
def to_view(encoding: Encoding, game: Rules, state: State, vector: Values, /) -> None:
    """Turn an outcome, in place, to the view from which the network sees this state."""


@generic
def from_view(encoding: Encoding, game: Rules, state: State, vector: Values, /) -> None:
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


@implements(known, object)
def _(encoding: Any, game: Any, state: Any, out: Any) -> bool:
    return False


@implements(from_scores, object)
def _(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    return False


@implements(to_view, object)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    pass


@implements(from_view, object)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    pass


# A **sight** is an encoding for programs that choose among actions (`ludus.adapters`): it shows the state at a decision, with what the dice say, to
# the seat in its field `seat`, whoever is to move. Its inputs lie between 0 and 1, and it predicts nothing. A game offers one by a method `sight(seat)`.


class StateSight(NamedTuple):
    """The sight of a game that offers none: the numbers of the state as they are, and the seat."""

    seat: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and no outputs."""
        return 1, game.facts.state_size + 1, 0


@implements(features, StateSight)
def _(sight: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    for i in range(len(state)):
        index[i] = i
        value[i] = state[i]
    index[len(state)] = len(state)
    value[len(state)] = sight.seat
    return len(state) + 1


def sight_of(game: Any, seat: int) -> Encoding:
    """What a seat sees of a game at its decision.

    >>> import ludus
    >>> sight_of(ludus.game("tictactoe"), 1).shape(ludus.game("tictactoe"))
    (1, 22, 0)
    """
    return game.sight(seat) if hasattr(game, "sight") else StateSight(seat)


def encoding_of(game: Any, name: str) -> Encoding:
    """One of a game's encodings, by name."""
    known = game.encodings()
    if not known:
        lender = getattr(game, "lender", game).facts.name
        raise LudusError(f"no network learns {game.facts.model} by itself: train {lender}, whose models play it too")
    return choice(f"encoding of {game.facts.name}", name, known)


# --- schemes ---------------------------------------------------------------------------------------------------------
# A **scheme** is how a Q-learner sees a game: a NamedTuple that sorts situations into rows and moves into a few kinds of
# *actions*, and says what each is rewarded with. An *option* is an action that is open now, with the row in which it is
# judged and the move that it stands for.


class Scheme(Protocol):
    """What callers need of a scheme, beside the generic functions."""

    @property
    def version(self) -> int:
        """Raised when rows, actions or rewards change."""

    @property
    def floor(self) -> float:
        """A best value is never less."""

    @property
    def random_ties(self) -> bool:
        """Whether equal values are drawn among, instead of taking the first."""

    @property
    def late(self) -> bool:
        """Whether an action is accounted for later than at once."""


@generic
def options(
    scheme: Scheme, game: Rules, state: State, seat: int, rng: Rng, rows: Index, actions: Index, moves: Moves, /
) -> int:
    """Write the options of `seat` at its decision: their rows, actions and moves; return how many there are."""


@generic
def prospects(scheme: Scheme, game: Rules, now: State, seat: int, move: int, rows: Index, actions: Index, /) -> int:
    """Write the rows and actions whose best value stands for the future of `seat` from `now` on, after it played `move`;
    return how many, or -1 if the move is never accounted for.
    """


@generic
def reward(
    scheme: Scheme, game: Rules, before: State, seat: int, action: int, move: int, after: State, now: State, /
) -> float:
    """What `seat` gets for an action by which it moved from `before` to `after`; `now` is the state at which the account is
    made: `after` itself, or a later one.
    """


@generic
def account(scheme: Scheme, game: Rules, state: State, /) -> int:
    """The seat whose last action is to be accounted for in this state, in which nobody has to decide, or -1."""


@generic
def tidy(scheme: Scheme, table: Floats, /) -> None:
    """Put a table in order after a game."""


@implements(account, object)
def _(scheme: Any, game: Any, state: Any) -> int:
    return -1


@implements(tidy, object)
def _(scheme: Any, table: Any) -> None:
    pass


# --- views and curricula ---------------------------------------------------------------------------------------------
# A **view** is how a network with an output for each action sees a game: an encoding (`features` of the state before the
# move) that says which output stands for which move. A **curriculum** sets up positions from which games begin while learning.


@generic
def action(view: Encoding, game: Rules, state: State, move: int, /) -> int:
    """The output that stands for a move of the seat to move; -1 for a move that needs no judgement."""


@generic
def set_up(curriculum: Any, game: Rules, state: State, seat: int, stage: int, rng: Rng, /) -> None:
    """Fill `state` with a position of a stage, 0 the easiest, in which `seat` is to move."""
