"""A Q-learner's view of Ludo under ludopy's rules: that of Rossen's fellow student Peters, and the opponent that he trained against.

Peters judges each piece alone: a row is a piece and its state, an action a kind of move. What he and Rossen both look at is in
`tabular`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import options, prospects, reward, tidy
from ludus.games.ludo.rules import DIE, GLOBES, HOMES, LAST_STAR, NEXT_STAR, colour, enemy_at, goal_of, lane_of
from ludus.kernel import implements, kernel
from ludus.papers.ludo.tabular import BEHIND, GOAL, HOME, LANE, OUT, PREVIOUS_STAR, crowd_on, joined, reaches_goal

PETERS_STATES = ("home", "goal", "goal zone", "safe", "danger", "unsafe", "close to goal")
PETERS_ACTIONS = (
    "move out",
    "goal",
    "miss goal",
    "goal zone",
    "die",
    "star",
    "protect",
    "kill",
    "normal move",
    "move out of danger",
    "move into danger",
    "nothing",
)
COVERED, THREATENED, UNSAFE, CLOSE = range(3, 7)
LEAVE, FINISH, MISS, ENTER, DIES, STAR, PROTECT, KILL, NORMAL_MOVE, ESCAPE, RISK, NOTHING = range(12)
CLOSE_TO_GOAL = 45
_STATES = len(PETERS_STATES)
_REWARDS = np.array([0.5, 1.0, -0.25, 0.4, -0.6, 0.2, 0.25, 0.2, 0.0000001, 0.15, -0.2, 0.0])
_PIECE_REWARDS = np.array([0.0, 0.0, 0.0, 0.0, 0.1, 0.01, 0.0])


class Peters(NamedTuple):
    """Peters's scheme: a row for each piece and its state, twelve actions."""

    floor: float  # a best value is never less
    random_ties: bool
    late: bool

    @property
    def version(self) -> int:
        """Raised when rows, actions or rewards change."""
        return 1

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, actions) of the table."""
        return 4 * _STATES, len(PETERS_ACTIONS)


PETERS = Peters(-math.inf, True, False)


@kernel
def _followed(state: Any, mine: int, tile: int, lane: int, star: bool) -> bool:
    """Whether there is an enemy on the six squares behind `tile`. Behind a star the count doesn't wrap around the board: it
    gives 0, where nobody is, and -1.
    """
    for steps in range(1, 7):
        square = tile - steps
        if square < 1:
            if not star:
                square += 52
            elif square == -1:
                square = BEHIND
        if crowd_on(state, mine, square, lane):
            return True
    return False


@kernel
def peters_danger(game: Any, state: Any, mine: int, tile: int) -> bool:
    """Whether a piece on `tile` could be hit by the next roll, as Peters has it."""
    lane = lane_of(game)
    if PREVIOUS_STAR[tile]:
        return _followed(state, mine, PREVIOUS_STAR[tile], lane, True) or _followed(state, mine, tile, lane, True)
    if HOMES >> tile & 1:
        return True
    if GLOBES >> tile & 1:
        return False
    return _followed(state, mine, tile, lane, False)


@kernel
def peters_state(game: Any, state: Any, mine: int, piece: int) -> int:
    """The state of a piece of colour `mine`: one of PETERS_STATES."""
    own = 4 * mine
    r = state[own + piece]
    if r == 0:
        return HOME
    if r >= lane_of(game):
        return GOAL if r == goal_of(game) else LANE
    if r >= CLOSE_TO_GOAL:
        return CLOSE
    if r == 1 or GLOBES >> r & 1 or (not HOMES >> r & 1 and joined(state, own, piece, r)):
        return COVERED
    return THREATENED if peters_danger(game, state, mine, r) else UNSAFE


@kernel
def peters_kinds(game: Any, state: Any, mine: int, piece: int, situation: int) -> int:
    """The actions that this die gives a piece in this situation, as bits; 0 if it can't move."""
    goal, lane, die = goal_of(game), lane_of(game), state[DIE]
    own = 4 * mine
    tile = state[own + piece] + die
    if situation == GOAL or (situation == HOME and die != OUT):
        return 0
    if situation == HOME:
        return 1 << LEAVE
    kinds = 0
    if reaches_goal(game, state, mine, tile):
        kinds |= 1 << FINISH
    if situation == LANE:
        return kinds if kinds else 1 << MISS
    if lane <= tile and tile < goal:
        return kinds | 1 << ENTER

    star = PREVIOUS_STAR[tile] > 0
    target = NEXT_STAR[tile] if star and tile != LAST_STAR else tile
    step, crowd = enemy_at(state, mine, tile, lane)
    beyond = crowd_on(state, mine, target, lane)
    if GLOBES >> tile & 1:
        dies = crowd > 0
    elif HOMES >> tile & 1:
        dies = crowd > 1 or step == (tile - 1) // 13
    else:
        dies = crowd > 1 or beyond > 1
    if dies:
        return kinds | 1 << DIES

    if star:
        kinds |= 1 << STAR
    joins = joined(state, own, piece, target) and not HOMES >> tile & 1 and tile != LAST_STAR
    if GLOBES >> tile & 1 or joins:
        kinds |= 1 << PROTECT
    if crowd or beyond:
        kinds |= 1 << KILL
    if situation == THREATENED:  # he judges escapes by the star that is landed on, risks by the next one
        if not peters_danger(game, state, mine, tile):
            kinds |= 1 << ESCAPE
        return kinds if kinds else 1 << RISK
    if tile != LAST_STAR and peters_danger(game, state, mine, target):
        kinds |= 1 << RISK
    return kinds if kinds else 1 << NORMAL_MOVE


@implements(options, Peters)
def _(scheme: Any, game: Any, state: Any, seat: int, rng: Any, rows: Any, actions: Any, listed: Any) -> int:
    mine = colour(game, seat)
    count = 0
    for piece in range(4):
        situation = peters_state(game, state, mine, piece)
        kinds = peters_kinds(game, state, mine, piece, situation)
        for action in range(NOTHING):
            if kinds >> action & 1:
                rows[count], actions[count], listed[count] = situation + _STATES * piece, action, piece
                count += 1
    return count


@implements(prospects, Peters)
def _(scheme: Any, game: Any, now: Any, seat: int, move: int, rows: Any, actions: Any) -> int:
    row = peters_state(game, now, colour(game, seat), move) + _STATES * move
    for action in range(NOTHING + 1):
        rows[action], actions[action] = row, action
    return NOTHING + 1


@implements(reward, Peters)
def _(scheme: Any, game: Any, before: Any, seat: int, action: int, move: int, after: Any, now: Any) -> float:
    return _REWARDS[action] + _PIECE_REWARDS[peters_state(game, before, colour(game, seat), move)]


@implements(tidy, Peters)
def _(scheme: Any, table: Any) -> None:
    for row in range(_STATES):
        for action in range(NOTHING):
            total = 0.0
            for piece in range(4):
                total += table[row + _STATES * piece, action]
            for piece in range(4):
                table[row + _STATES * piece, action] = total / 4


@kernel
def semi_smart(game: Any, state: Any, seat: int, listed: Any, count: int) -> int:
    """The move of Peters's second opponent: to the goal, else out of the yard, else with the piece farthest ahead."""
    mine = colour(game, seat)
    own, die = 4 * mine, state[DIE]
    for n in range(count):
        if reaches_goal(game, state, mine, state[own + listed[n]] + die):
            return listed[n]
    best = listed[0]
    for n in range(count):
        if state[own + listed[n]] == 0:  # listed only where the die brings it out
            return listed[n]
        if state[own + listed[n]] > state[own + best]:
            best = listed[n]
    return best
