"""A Q-learner's view of Ludo under ludopy's rules: that of Rossen (2022). That of his fellow student is in `peters`.

Rossen sorts each of the four pieces into one of six states; their multiset is the row, and an action names a kind of move.
Both look around with the package's own functions, which see the first enemy on a square only, and whose square -1 (there is
no star after the last one, nor a sixth square behind the first star) is the square behind the start.

Where Rossen's text and program differ, `ROSSEN` follows the text and `ROSSEN_AS_RUN` the program:

- MoveStar is any move to a star; in the program none with two enemies on either star, so that MoveStar and MoveSuicide,
  the text's example of two actions at a time, exclude each other.
- The program takes the square behind the start for the star after the last one, and sees attacks and suicides there.
- The text rewards the state after the move; the program the state at the next roll, when the others have moved (`late`),
  so that a game's last action is never accounted for.
- The program's best value, of a choice and of the future, starts from 0: worse ones count as 0 (`floor`). It compares ε
  with a whole number from 0 to 99, so that its 1 is 1 %.

All else agrees, or the text is silent: there MoveSafe includes leaving the yard, as the text's count of 762 cells that can
occur implies, and an enemy's globe is safe only when its owner's yard is empty: never, where nobody plays that colour.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import account, options, prospects, reward
from ludus.games.ludo.rules import (
    DIE,
    GLOBES,
    HOMES,
    LAST_STAR,
    NEXT_STAR,
    TURN,
    colour,
    enemy_at,
    goal_of,
    lane_of,
)
from ludus.kernel import implements, kernel

BEHIND = 52  # the square behind the start
OUT = 6  # the die that brings a piece out of the yard
MAX_OPTIONS = 16  # most options that either scheme lists: Peters's pieces have at most four each

# Where a piece came from that jumped to a star; 0: no star. From the first star one looks back to the last.
PREVIOUS_STAR = np.zeros(66, np.int64)
for _star in np.flatnonzero(NEXT_STAR):
    PREVIOUS_STAR[NEXT_STAR[_star]] = _star
PREVIOUS_STAR[np.flatnonzero(NEXT_STAR)[0]] = LAST_STAR

HOME, GOAL, LANE = range(3)  # states of a piece that both schemes have

# --- what both look at -----------------------------------------------------------------------------------------------


@kernel(inline=True)
def crowd_on(state: Any, mine: int, tile: int, lane: int) -> int:
    """How many pieces the first enemy has there."""
    _, count = enemy_at(state, mine, tile, lane)
    return count


@kernel(inline=True)
def joined(state: Any, own: int, piece: int, tile: int) -> bool:
    """Whether another own piece is there."""
    found = False
    for i in range(4):
        found |= i != piece and state[own + i] == tile
    return found


@kernel
def reaches_goal(game: Any, state: Any, mine: int, tile: int) -> bool:
    """Whether a move to `tile` ends in the goal: there, or on the last star unless two enemies hold it."""
    if tile == LAST_STAR:
        return crowd_on(state, mine, tile, lane_of(game)) < 2
    return tile == goal_of(game)


# --- Rossen ----------------------------------------------------------------------------------------------------------

ROSSEN_STATES = ("home", "goal", "approach goal", "danger", "safe", "normal")
ROSSEN_ACTIONS = ("move out", "move safe", "move star", "move home", "move attack", "move suicide", "move", "stay")
DANGER, SAFE, NORMAL = range(3, 6)
MOVE_OUT, MOVE_SAFE, MOVE_STAR, MOVE_HOME, MOVE_ATTACK, MOVE_SUICIDE, MOVE, STAY = range(8)


class Rossen(NamedTuple):
    """Rossen's scheme: a row for each multiset of the pieces' states, eight actions."""

    as_run: bool  # stars as in the program, not as in the text
    floor: float  # a best value is never less
    random_ties: bool
    late: bool  # an action is accounted for at the next roll of its seat

    @property
    def version(self) -> int:
        """Raised when rows, actions or rewards change."""
        return 1

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, actions) of the table."""
        return len(MULTISETS), len(ROSSEN_ACTIONS)


ROSSEN = Rossen(False, -math.inf, False, False)
ROSSEN_AS_RUN = Rossen(True, 0.0, False, True)

MULTISETS = {states: row for row, states in enumerate(combinations_with_replacement(range(6), 4))}
# The row of the pieces' states, in any order, read as a number to the base of six.
_ROW = np.array([MULTISETS[a, b, c, d] for a, b, c, d in map(sorted, product(range(6), repeat=4))], np.int64)
# Which piece is moved where several could do the same: the one whose state comes first here (by state, GOAL last).
_URGENCY = np.array([2, 6, 5, 1, 4, 3], np.int64)
_ACTION_REWARDS = np.array([1, 1, 0.5, 0.5, 0.25, -1, 0, 0])
_STATE_REWARDS = np.array([-0.5, 0.5, 1, -0.5, 1, 0.75])
# The actions that a piece may have in a state, as bits. A friend's tile in the goal zone is forgotten, as in his program.
_ANYWHERE = 1 << MOVE_SAFE | 1 << MOVE_STAR | 1 << MOVE_HOME | 1 << MOVE_ATTACK | 1 << MOVE_SUICIDE | 1 << MOVE
POSSIBLE = np.array(
    [1 << MOVE_OUT | 1 << MOVE_SAFE | 1 << MOVE_ATTACK, 0, 1 << MOVE_HOME | 1 << MOVE, _ANYWHERE, _ANYWHERE, _ANYWHERE],
    np.int64,
)


@kernel
def _owner_is_out(state: Any, mine: int, tile: int) -> bool:
    """Whether the colour that starts on `tile` has no piece in its yard."""
    owner = 4 * ((mine + (tile - 1) // 13) & 3)
    return state[owner] > 0 and state[owner + 1] > 0 and state[owner + 2] > 0 and state[owner + 3] > 0


@kernel
def _in_range(state: Any, mine: int, tile: int, lane: int) -> bool:
    """Whether an enemy up to six squares behind `tile` can get there before it turns off to its home column."""
    for steps in range(1, 7):
        square = tile - steps
        if square < 1:
            square += 52
        step, count = enemy_at(state, mine, square, lane)
        if count:
            there = square - 13 * step
            if there < 1:
                there += 52
            other = 4 * ((mine + step) & 3)
            for i in range(4):  # one that is found in its home column, not on this square, is no threat
                if state[other + i] == there and there + steps <= 52:
                    return True
    return False


@kernel
def rossen_state(game: Any, state: Any, mine: int, piece: int) -> int:
    """The state of a piece of colour `mine`: one of ROSSEN_STATES."""
    lane = lane_of(game)
    own = 4 * mine
    r = state[own + piece]
    if r == 0:
        return HOME
    if r >= lane:
        return GOAL if r == goal_of(game) else LANE
    if r == 1 or GLOBES >> r & 1 or joined(state, own, piece, r):
        return SAFE
    if HOMES >> r & 1:
        return SAFE if _owner_is_out(state, mine, r) else DANGER
    if PREVIOUS_STAR[r] and _in_range(state, mine, PREVIOUS_STAR[r], lane):
        return DANGER
    return DANGER if _in_range(state, mine, r, lane) else NORMAL


@kernel
def rossen_row(game: Any, state: Any, mine: int) -> int:
    """The row of the four pieces' states."""
    code = 0
    for piece in range(4):
        code = 6 * code + rossen_state(game, state, mine, piece)
    return _ROW[code]


@kernel
def rossen_kinds(scheme: Any, game: Any, state: Any, mine: int, piece: int) -> int:
    """The actions that this die gives a piece, as bits; 0 if it can't move."""
    goal, lane, die = goal_of(game), lane_of(game), state[DIE]
    own = 4 * mine
    r = state[own + piece]
    tile = r + die
    kinds = 0
    if r == goal or (r == 0 and die != OUT):
        return kinds
    if r == 0:
        kinds = 1 << MOVE_OUT | 1 << MOVE_SAFE
        if crowd_on(state, mine, 1, lane) == 1:
            kinds |= 1 << MOVE_ATTACK
        return kinds
    if reaches_goal(game, state, mine, tile):
        kinds |= 1 << MOVE_HOME
    if r >= lane:
        if joined(state, own, piece, tile):
            kinds |= 1 << MOVE_SAFE
        return kinds if kinds else 1 << MOVE

    crowd = crowd_on(state, mine, tile, lane)
    if PREVIOUS_STAR[tile]:
        beyond = 0
        if tile != LAST_STAR:
            beyond = crowd_on(state, mine, NEXT_STAR[tile], lane)
            if joined(state, own, piece, NEXT_STAR[tile]):
                kinds |= 1 << MOVE_SAFE
        elif scheme.as_run:
            beyond = crowd_on(state, mine, BEHIND, lane)
        if not scheme.as_run or (crowd < 2 and beyond < 2):
            kinds |= 1 << MOVE_STAR
        if crowd == 1 or beyond == 1:
            kinds |= 1 << MOVE_ATTACK
        if crowd > 1 or beyond > 1:
            kinds |= 1 << MOVE_SUICIDE
        return kinds

    globe, start = GLOBES >> tile & 1, HOMES >> tile & 1
    if (
        joined(state, own, piece, tile)
        or (lane <= tile and tile < goal)
        or (globe and crowd == 0)
        or (start and _owner_is_out(state, mine, tile))
    ):
        kinds |= 1 << MOVE_SAFE
    if crowd == 1 and not globe and not start:
        kinds |= 1 << MOVE_ATTACK
    elif crowd:
        kinds |= 1 << MOVE_SUICIDE
    return kinds if kinds else 1 << MOVE


@implements(options, Rossen)
def _(scheme: Any, game: Any, state: Any, seat: int, rng: Any, rows: Any, actions: Any, listed: Any) -> int:
    mine = colour(game, seat)
    row = rossen_row(game, state, mine)
    kinds, urgency = np.empty(4, np.int64), np.empty(4, np.int64)
    for piece in range(4):
        kinds[piece] = rossen_kinds(scheme, game, state, mine, piece)
        urgency[piece] = _URGENCY[rossen_state(game, state, mine, piece)]
    count = 0
    for action in range(STAY):
        best = -1
        for piece in range(4):
            if kinds[piece] >> action & 1 and (best < 0 or urgency[piece] < urgency[best]):
                best = piece
        if best >= 0:
            rows[count], actions[count], listed[count] = row, action, best
            count += 1
    return count


@implements(prospects, Rossen)
def _(scheme: Any, game: Any, now: Any, seat: int, move: int, rows: Any, actions: Any) -> int:
    if scheme.late and now[DIE] < 0:  # his code never comes back to the last action of a game
        return -1
    mine = colour(game, seat)
    row = rossen_row(game, now, mine)
    possible = 0
    for piece in range(4):
        possible |= POSSIBLE[rossen_state(game, now, mine, piece)]
    count = 0
    for action in range(STAY):
        if possible >> action & 1:
            rows[count], actions[count] = row, action
            count += 1
    return count


@implements(reward, Rossen)
def _(scheme: Any, game: Any, before: Any, seat: int, action: int, move: int, after: Any, now: Any) -> float:
    return _ACTION_REWARDS[action] + _STATE_REWARDS[rossen_state(game, now, colour(game, seat), move)]


@implements(account, Rossen)
def _(scheme: Any, game: Any, state: Any) -> int:
    return state[TURN] if scheme.late and state[DIE] == 0 else -1
