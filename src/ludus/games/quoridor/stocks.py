"""The encoding of the strongest networks of Quoridor: the inputs of `side`, and a network for each phase of a game, by the walls that are left."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.views import (
    MEMO,
    changes,
    features,
    from_scores,
    from_view,
    outcome,
    section,
    standing,
    to_view,
    worth,
)
from ludus.games.quoridor.bitboard import PAWN, STEP, TURN
from ludus.games.quoridor.features import OWN_STOCK, STOCK, Side
from ludus.kernel import implements, kernel

# Who has walls left, from the view of the seat to move; where both have, by how many there are in all.
MANY, SOME, FEW, OWN, THEIRS, NONE = range(6)
SECTIONS = 6
FEWEST_MANY, FEWEST_SOME = 13, 6


class Stocks(NamedTuple):
    """`side` with a network for each phase: while both have walls, by how many; when one has none left, or both."""

    side: Side = Side()

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    @property
    def grown_from(self) -> dict[str, tuple[int, ...]]:
        """Encodings whose networks can grow into ones for this: of each, the section that ours go on from."""
        return {"side": (0,) * SECTIONS}

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and outputs of a network for this."""
        _, inputs, outputs = self.side.shape(game)
        return SECTIONS, inputs, outputs


@kernel(inline=True)
def _phase(own: int, other: int) -> int:
    if own == 0:
        return NONE if other == 0 else THEIRS
    if other == 0:
        return OWN
    total = own + other
    return MANY if total >= FEWEST_MANY else SOME if total >= FEWEST_SOME else FEW


@implements(section, Stocks)
def _(encoding: Any, game: Any, state: Any) -> int:
    seat = max(state[TURN], 0)
    return _phase(state[PAWN + 2 + seat], state[PAWN + 3 - seat])


@implements(features, Stocks)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    return features(encoding.side, game, state, index, value)


@implements(standing, Stocks)
def _(encoding: Any, game: Any, state: Any, out: Any, memo: Any) -> bool:
    return standing(encoding.side, game, state, out, memo)


@implements(changes, Stocks)
def _(encoding: Any, game: Any, state: Any, move: int, memo: Any, index: Any, value: Any) -> int:
    own, other = memo[OWN_STOCK], memo[STOCK]
    memo[MEMO] = _phase(own, other - 1) if move < STEP else _phase(own, other)
    return changes(encoding.side, game, state, move, memo, index, value)


@implements(outcome, Stocks)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    outcome(encoding.side, game, state, out)


@implements(worth, Stocks)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    worth(encoding.side, game, prediction, out)


@implements(from_scores, Stocks)
def _(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    return from_scores(encoding.side, game, scores, out)


@implements(to_view, Stocks)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    to_view(encoding.side, game, state, vector)


@implements(from_view, Stocks)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    from_view(encoding.side, game, state, vector)
