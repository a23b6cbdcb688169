"""How a network sees the states of a compiled rulesheet: by the propositions that hold."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.views import features, from_scores, outcome, worth
from ludus.games.gdl.lanes import PROPOSITIONS, SEATS, begin_of, legal_begin_of
from ludus.kernel import implements, kernel, lowest_bit


class Propositions(NamedTuple):
    """An input for each proposition that holds; an output for the score of each seat."""

    kind: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and outputs of a network for this."""
        return 1, int(game.sizes[PROPOSITIONS]), int(game.sizes[SEATS])


class GdlSight(NamedTuple):
    """What a seat sees: an input for each proposition that holds, and one that says which seat it is."""

    seat: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and no outputs."""
        return 1, int(game.sizes[PROPOSITIONS]) + int(game.sizes[SEATS]), 0


@implements(features, GdlSight)
def _(sight: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    found = list_propositions(game, state, index, value)
    index[found] = game.sizes[PROPOSITIONS] + sight.seat
    value[found] = 1
    return found + 1


@implements(features, Propositions)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    return list_propositions(game, state, index, value)


@kernel
def list_propositions(game: Any, state: Any, index: Any, value: Any) -> int:
    """Write an input for each proposition that holds, and return how many there are."""
    begin, end = begin_of(game), legal_begin_of(game)
    found = 0
    for word in range(begin, end):
        bits = state[word]
        while bits:
            index[found] = (word - begin) * 64 + lowest_bit(bits)
            value[found] = 1
            found += 1
            bits &= bits - 1
    return found


@implements(outcome, Propositions)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    for seat in range(len(out)):
        out[seat] = state[1 + seat] / 100.0


@implements(from_scores, Propositions)
def _(encoding: Any, game: Any, scores: Any, out: Any) -> bool:
    for seat in range(len(out)):
        out[seat] = scores[seat]
    return True


@implements(worth, Propositions)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    for seat in range(len(out)):
        out[seat] = prediction[seat]
