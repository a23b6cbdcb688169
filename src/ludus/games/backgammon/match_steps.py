"""Backgammon with the cube in small steps, for programs that want a fixed set of actions: checkers one by one as in `steps.py`, and what is done with the cube.

A state is that of the match and one number more, what is used of the dice (`steps.py`). Actions 0 to 155 are those of `Steps`, and from 156 on roll, double, take, pass, beaver (or
raccoon), accept and reject. Resignations are no actions, as they are in no list of moves: an agent that explores would resign all the time. It may have to answer one all the
same, where a position begins with an offer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Game
from ludus.contract.rules import Facts, moves, play, start
from ludus.contract.views import features
from ludus.games.backgammon.match import (
    CRAWFORD,
    CUBE,
    DOUBLED,
    MATCH_SIZE,
    OWNER,
    PHASE,
    PLAYING,
    RACCOONED,
    RESIGNING,
    ROLL,
    SCORE,
    end_game,
    may_double,
)
from ludus.games.backgammon.rules import CHECKERS, DIE1, DIE2, OFF, SIDE, TURN, win_size
from ludus.games.backgammon.sight import BEYOND, see_board
from ludus.games.backgammon.stepped import Stepped
from ludus.games.backgammon.steps import (
    BIG_USED,
    PASS,
    SMALL_USED,
    STEP_ACTIONS,
    SteppedRules,
    facts_of,
    legal_sources,
    list_steps,
    make_step,
)
from ludus.kernel import implements, kernel

USED = MATCH_SIZE  # where the state says what is used
FIRST_ACT = STEP_ACTIONS  # roll; double, take, pass, beaver, accept and reject follow
ACTS = 7
BOARD = BEYOND + 12  # inputs that are those of the game without the cube


class MatchStepRules(SteppedRules):
    """Backgammon with the cube, checker by checker."""

    __slots__ = ()

    @property
    def facts(self) -> Facts:
        """What callers must know of the game: at most 15 sources, by two dice."""
        return facts_of(self.base, "backgammon-steps", 30, STEP_ACTIONS + ACTS)


@implements(start, MatchStepRules)
def _(game: Any, state: Any) -> None:
    start(game.base, state)
    state[USED] = 0


@implements(moves, MatchStepRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    if state[PHASE] == PLAYING and state[DIE1] > 0:
        return list_steps(state, seat, state[USED], out)
    count = moves(game.base, state, seat, out)
    for i in range(count):
        out[i] += FIRST_ACT - ROLL
    return count


@implements(play, MatchStepRules)
def _(game: Any, state: Any, move: int) -> None:
    if move >= FIRST_ACT:
        play(game.base, state, move - FIRST_ACT + ROLL)
    elif state[DIE1] == 0:
        play(game.base, state, move)
    elif move == PASS:
        _end_turn(game, state)
    else:
        _step(game, state, move)


@kernel
def _step(game: Any, state: Any, move: int) -> None:
    die = move % 6 + 1
    make_step(state, move // 6, die)
    if state[DIE1] == state[DIE2]:
        state[USED] += 1
        ended = state[USED] == 4
    else:
        ended = state[USED] != 0
        state[USED] = BIG_USED if die == state[DIE1] else SMALL_USED
    if not ended:
        by_big, by_small = legal_sources(state, state[TURN], state[USED])
        ended = by_big | by_small == 0
    if ended:
        _end_turn(game, state)


@kernel
def _end_turn(game: Any, state: Any) -> None:
    """It is the other seat's turn, unless the game has ended."""
    mover = state[TURN]
    state[TURN] = 1 - mover
    state[DIE1] = 0
    state[DIE2] = 0
    state[USED] = 0
    if state[SIDE * mover + OFF] == CHECKERS:
        end_game(game.base, state, mover, win_size(state, mover))


# --- what a seat sees ------------------------------------------------------------------------------------------------


class MatchSight(NamedTuple):
    """The board as `seat` counts it, its own side first; then the cube, what is to be answered, and the score."""

    seat: int = 0

    @property
    def version(self) -> int:
        """Raised when inputs change."""
        return 1

    def shape(self, game: Any) -> tuple[int, int, int]:
        """Sections, inputs and no outputs."""
        return 1, BOARD + 15, 0


@implements(features, MatchSight)
def _(sight: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    found = see_board(sight.seat, state, state[USED], index, value)
    seen = np.zeros(15)
    cube, phase = state[CUBE], state[PHASE]
    while cube > 1:
        seen[0] += 0.1
        cube //= 2
    if state[OWNER] >= 0:
        seen[1 if state[OWNER] == sight.seat else 2] = 1
    if DOUBLED <= phase <= RACCOONED:
        seen[3 + phase - DOUBLED] = 1
    elif phase >= RESIGNING:
        seen[6 + (phase - RESIGNING) % 3] = 1
    elif phase == PLAYING and state[DIE1] == 0 and may_double(game.base, state):
        seen[9] = 1
    if game.base.match > 0:
        for side in range(2):
            needs = game.base.match - state[SCORE + (sight.seat if side == 0 else 1 - sight.seat)]
            seen[10 + side] = needs / game.base.match
            seen[12 + side] = 1 if needs == 1 else 0
    seen[14] = state[CRAWFORD]
    for k in range(15):
        if seen[k] > 0:
            index[found], value[found] = BOARD + k, seen[k]
            found += 1
    return found


# --- put together ----------------------------------------------------------------------------------------------------


class MatchSteps(MatchStepRules, Stepped):
    """Backgammon with the cube checker by checker: 163 actions.

    >>> from ludus.games.backgammon import backgammon
    >>> game = backgammon(match=3).stepwise()
    >>> position = game.start().play("31").play("8/5").play("6/5")
    >>> [(int(move), str(move)) for move in position.moves()]
    [(156, 'roll'), (157, 'double')]
    """

    __slots__ = ()

    def sight(self, seat: int) -> MatchSight:
        """What a seat sees at its decision, the dice, the cube and the score included."""
        return MatchSight(seat)

    def steps_of(self, state: np.ndarray, move: int) -> list[tuple[int, int]]:
        """The source and the die of a move; nothing of a pass."""
        return [] if move == PASS else [(int(move) // 6, int(move) % 6 + 1)]

    def whole_of(self, state: np.ndarray, move: int) -> int | None:
        """The move of the whole game that a roll of the dice, or what is done with the cube, is."""
        return int(move) - FIRST_ACT + ROLL if move >= FIRST_ACT else super().whole_of(state, move)


_game: type[Game] = MatchSteps  # mypy looks whether it is one
