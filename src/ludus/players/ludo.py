"""The strategies of Alhajry et al. (2012) for classic Ludo: defensive, aggressive, fast, and their mixture, the expert.

Each may prefer to release a piece on a six. What is not decided by that is left to chance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import moves
from ludus.errors import LudusError
from ludus.games.ludo.rules import CLASSIC, colour
from ludus.games.ludo.tactics import attacking, defending, leading, releasing
from ludus.kernel import below, implements

RANDOM, DEFENSIVE, AGGRESSIVE, FAST, EXPERT = range(5)


class Strategy(NamedTuple):
    """One of the strategies."""

    kind: int
    release: bool  # a piece is released whenever a six allows it


@implements(choose, Strategy)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    legal = np.empty(4, np.int64)
    count = moves(game, state, seat, legal)
    own = 4 * colour(game, seat)
    kind = player.kind
    chosen = -1
    if player.release:
        chosen = releasing(state, own, legal, count)
    if chosen < 0 and kind in (DEFENSIVE, EXPERT):
        chosen = defending(game, state, own, legal, count)
    if chosen < 0 and kind in (AGGRESSIVE, EXPERT):
        chosen = attacking(game, state, own, legal, count, rng)
    if chosen < 0 and kind in (FAST, EXPERT):
        chosen = leading(state, own, legal, count)
    if chosen < 0:
        chosen = legal[below(rng, count)]
    return chosen


def _make(kind: int, name: str) -> Any:
    def make(game: Any, path: str | None, release: bool = True) -> Strategy:
        """A strategy; with `release` a piece is released whenever a six allows it."""
        if game.rules != CLASSIC:
            raise LudusError(f"player '{name}' knows the classic rules of ludo only")
        return Strategy(kind, release)

    return make


make_defensive = _make(DEFENSIVE, "defensive")
make_aggressive = _make(AGGRESSIVE, "aggressive")
make_fast = _make(FAST, "fast")
make_expert = _make(EXPERT, "expert")
