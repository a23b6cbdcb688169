"""What a seat sees of Ludo at its decision, the die included: for programs that choose among actions (`contract.views`, sights)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.views import features
from ludus.games.ludo.rules import COUNT, DIE, ROUND, TURN, colour, goal_of
from ludus.kernel import implements

PIECES = 16
UNITS = 3  # of a piece: in the yard, home, how far it has come
DICE = UNITS * PIECES  # the die, whose turn it is, first round, sixes or attempts so far
TURNS = DICE + 6
ROUNDS = TURNS + 4


class LudoSight(NamedTuple):
    """The pieces of all colours, those of `seat` first, then on around the board."""

    seat: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and no outputs."""
        return 1, ROUNDS + 2, 0


@implements(features, LudoSight)
def _(sight: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    found, goal, mine = 0, goal_of(game), colour(game, sight.seat)
    for piece in range(PIECES):
        at = state[(4 * mine + piece) % PIECES]
        if at == 0 or at == goal:
            index[found], value[found] = UNITS * piece + (at == goal), 1
        else:
            index[found], value[found] = UNITS * piece + 2, at / goal
        found += 1
    if state[DIE] > 0:
        index[found], value[found] = DICE + state[DIE] - 1, 1
        found += 1
    if state[TURN] >= 0:
        index[found], value[found] = TURNS + (state[TURN] - sight.seat) % game.seats, 1
        found += 1
    if state[ROUND] == 1:
        index[found], value[found] = ROUNDS, 1
        found += 1
    if state[COUNT] > 0:
        index[found], value[found] = ROUNDS + 1, min(state[COUNT], 4) / 4
        found += 1
    return found
