"""The rules of Ludo as kernels: one family of games with two rule sets, `classic` and that of the `ludopy` package.

A state is 21 numbers. A piece's position is counted from its own colour's yard: 0 yard, 1 … 51 the common track, then the
home column, and last the goal.

    # pieces 4 x 4 (colour by colour) | turn 1, die 1, movable 1, round 1, count 1
    #  0 … 15                           16      17     18         19       20

`turn` is the seat to move, -1 before `classic` has drawn who begins. `die` is 0 until it is rolled and -1 when the game is
over, won by the seat in `turn`. Bit i of `movable` says that piece i may move by this die. `round` (ludopy) is 1 in the
first round and 2 later. `count` is the number of sixes thrown in a row (classic) or of the attempts made to get a piece
out in the first round (ludopy).

Two players take the colours 0 and 2, which face each other; three take 0, 1 and 2. A move is the number of a piece, 0 to 3.
An outcome of chance is the number of the die, or the seat that begins. Whoever can't move is passed over by the roll.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, OVER, Facts, chances, moves, play, random_move, roll, scores, start, turn
from ludus.kernel import below, count_bits, implements, kernel

TURN, DIE, MOVABLE, ROUND, COUNT = 16, 17, 18, 19, 20
STATE_SIZE = 21
TRACK_END = 51  # the last square of the track that a piece enters

RULES = ("classic", "ludopy", "ludopy-1.3.1")
CLASSIC, LUDOPY_150, LUDOPY_131 = range(3)
BLOCKADES = ("none", "land", "pass")
NO_BLOCKADES, LAND, PASS = range(3)


class LudoRules(NamedTuple):
    """Ludo for two to four. `ludo()` makes one from the words that people use; here are their numbers.

    All but the first two concern `classic` alone. A blockade is two or more pieces of one enemy on a square that is not safe.
    """

    rules: int = CLASSIC
    seats: int = 4
    blockades: int = LAND  # NO_BLOCKADES: all of them are captured; LAND: no landing on one; PASS: nor passing it
    safe_squares: bool = True  # on eight squares nobody is captured, and all colours may stand together
    exact: bool = True  # a piece gets home by an exact roll only
    three_sixes: bool = False  # the third six in a row is not played, and ends the turn
    capture_bonus: bool = False  # a capture gives another roll

    @property
    def goal(self) -> int:
        """The position of a piece that is home."""
        return 59 if self.rules == LUDOPY_131 else 57

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        variant = f"{RULES[self.rules]}-{self.seats}"
        return Facts("ludo", 1, self.seats, STATE_SIZE, 4, 6, 0, (0.0, 1.0), variant, actions=4)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as people write them."""
        return self._asdict() | {"rules": RULES[self.rules], "blockades": BLOCKADES[self.blockades]}


@kernel(inline=True)
def colour(game: Any, seat: int) -> int:
    """The colour that a seat plays."""
    return 2 * seat if game.seats == 2 else seat


@kernel(inline=True)
def goal_of(game: Any) -> int:
    """`LudoRules.goal`, for kernels."""
    return 59 if game.rules == LUDOPY_131 else 57


@implements(start, LudoRules)
def _(game: Any, state: Any) -> None:
    for i in range(STATE_SIZE):
        state[i] = 0
    if game.rules == CLASSIC:
        state[TURN] = -1
    else:
        state[ROUND] = 1


@implements(turn, LudoRules)
def _(game: Any, state: Any) -> int:
    if state[DIE] > 0:
        return state[TURN]
    return CHANCE if state[DIE] == 0 else OVER


@implements(scores, LudoRules)
def _(game: Any, state: Any, out: Any) -> None:
    for seat in range(game.seats):
        out[seat] = 0
    out[state[TURN]] = 1


# --- dice ------------------------------------------------------------------------------------------------------------


@implements(chances, LudoRules)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    opening = state[TURN] < 0
    count = game.seats if opening else 6
    for i in range(count):
        outcomes[i] = i if opening else i + 1
        probabilities[i] = 1 / count
    return count


@implements(roll, LudoRules)
def _(game: Any, state: Any, rng: Any, outcomes: Any, probabilities: Any) -> int:
    if state[TURN] < 0:
        return below(rng, game.seats)
    return below(rng, 6) + 1


# --- moves -----------------------------------------------------------------------------------------------------------

# The n-th set bit of a mask of four: piece = _NTH[4 * mask + n].
_NTH = np.array([([i for i in range(4) if mask >> i & 1] + [0] * 4)[:4] for mask in range(16)], np.int64).reshape(-1)


@implements(moves, LudoRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    mask = state[MOVABLE]
    count = count_bits(mask)
    for n in range(count):
        out[n] = _NTH[4 * mask + n]
    return count


@implements(random_move, LudoRules)
def _(game: Any, state: Any, seat: int, rng: Any, out: Any) -> int:
    mask = state[MOVABLE]
    return _NTH[4 * mask + below(rng, count_bits(mask))]


@implements(play, LudoRules)
def _(game: Any, state: Any, move: int) -> None:
    if state[TURN] < 0:
        state[TURN] = move
    elif state[DIE] == 0:
        if game.rules == CLASSIC:
            _roll_classic(game, state, move)
        else:
            _roll_ludopy(game, state, move)
    elif game.rules == CLASSIC:
        _move_classic(game, state, move)
    else:
        _move_ludopy(game, state, move)


@kernel(inline=True)
def _next_seat(game: Any, state: Any) -> None:
    state[COUNT] = 0
    state[TURN] += 1
    if state[TURN] == game.seats:
        state[TURN] = 0
        if state[ROUND] == 1:
            state[ROUND] = 2


@kernel(inline=True)
def all_home(state: Any, own: int, goal: int) -> bool:
    """Whether the four pieces from `own` on have reached the goal."""
    return state[own] + state[own + 1] + state[own + 2] + state[own + 3] == 4 * goal


# --- classic ---------------------------------------------------------------------------------------------------------
# Squares are looked at as bits: bit r of a mask is the square that the mover's pieces have as position r. Square 52 of that
# count is the one behind the mover's start, which its own pieces never enter.

ON_TRACK = (1 << (TRACK_END + 1)) - 2
SAFE = sum(1 << r for r in range(1, TRACK_END + 1) if (r - 1) % 13 in (0, 8))  # the same for every colour


@kernel(inline=True)
def seen_from(mine: int, other: int, position: int) -> int:
    """The position, as colour `mine` counts, of a piece of `other` on the track (1 … 52)."""
    square = position + 13 * ((other - mine) & 3)
    return square - 52 if square > 52 else square


@kernel
def enemies(state: Any, mine: int) -> tuple[int, int]:
    """The squares of the track with enemies of colour `mine`, and those with two or more, as bits."""
    some, more = 0, 0
    for step in range(1, 4):
        other = 4 * ((mine + step) & 3)
        ahead = 13 * step
        for i in range(4):
            r = state[other + i]
            square = r + ahead
            square -= 52 * (square > 52)
            bit = (1 << square) * ((r > 0) & (r <= TRACK_END))
            more |= some & bit
            some |= bit
    return some, more


@kernel
def _roll_classic(game: Any, state: Any, die: int) -> None:
    if die == 6:
        state[COUNT] += 1
        if game.three_sixes and state[COUNT] == 3:
            _next_seat(game, state)
            return
    mine = colour(game, state[TURN])
    own = 4 * mine
    mask, closed = 0, 0
    if game.blockades != NO_BLOCKADES:
        _, more = enemies(state, mine)
        closed = more & ON_TRACK
        if game.safe_squares:
            closed &= ~SAFE
    for i in range(4):
        r = state[own + i]
        if r == 0:
            free = die == 6 and closed >> 1 & 1 == 0
        elif r + die > 57:
            free = r < 57 and not game.exact
        else:
            free = closed >> (r + die) & 1 == 0
        if game.blockades == PASS and r > 0 and closed >> (r + 1) & ((1 << die) - 1):
            free = False
        mask |= free << i
    if mask:
        state[DIE] = die
        state[MOVABLE] = mask
    elif die != 6:
        _next_seat(game, state)


@kernel(inline=True)
def landing(position: int, die: int) -> int:
    """Where a piece gets by this die under classic rules."""
    return 1 if position == 0 else min(position + die, 57)


@kernel
def _move_classic(game: Any, state: Any, piece: int) -> None:
    die, mine = state[DIE], colour(game, state[TURN])
    own = 4 * mine
    target = landing(state[own + piece], die)
    state[own + piece] = target
    captured = False
    if target <= TRACK_END and not (game.safe_squares and SAFE >> target & 1):
        for step in range(1, 4):
            other = 4 * ((mine + step) & 3)
            there = target - 13 * step  # as the other colour counts
            there += 52 * (there < 1)
            if there <= TRACK_END:
                for i in range(4):
                    if state[other + i] == there:
                        state[other + i] = 0
                        captured = True
    state[MOVABLE] = 0
    if target == 57 and all_home(state, own, 57):
        state[DIE] = -1
        return
    state[DIE] = 0
    if die != 6 and not (captured and game.capture_bonus):
        _next_seat(game, state)
    elif die != 6:
        state[COUNT] = 0


# --- ludopy ----------------------------------------------------------------------------------------------------------
# Tile by tile as the package does it, oddities included: the first tile of the home column (`lane`) is taken for a square of
# the track by whoever lands there, or on the same square from another colour's side.

LAST_STAR = 51
_STARS = (5, 12, 18, 25, 31, 38, 44, LAST_STAR)
NEXT_STAR = np.zeros(60, np.int64)  # where a piece that lands on a star jumps to; 0: no star
NEXT_STAR[list(_STARS[:-1])] = _STARS[1:]
GLOBES = sum(1 << r for r in (9, 22, 35, 48))
HOMES = sum(1 << r for r in (14, 27, 40))  # the other colours' starting squares, in order


@kernel(inline=True)
def lane_of(game: Any) -> int:
    """The first tile of the home column."""
    return 53 if game.rules == LUDOPY_131 else 52


@kernel
def enemy_at(state: Any, mine: int, position: int, lane: int) -> tuple[int, int]:
    """The first enemy (1 to 3 colours on) that stands where `mine` counts `position`, and with how many pieces; (0, 0)."""
    if position > lane or position < 1:
        return 0, 0
    for step in range(1, 4):
        ahead = 13 * step
        there, also = position - ahead, -1
        if position == 1 + ahead:
            also = lane
        elif position <= ahead:
            there += 52
        other = 4 * ((mine + step) & 3)
        count = 0
        for i in range(4):
            r = state[other + i]
            count += (r == there) | (r == also)
        if count:
            return step, count
    return 0, 0


@kernel
def _strike(state: Any, mine: int, piece: int, position: int, lane: int) -> None:
    """Send the single enemy home that stands there; where there are two or more, the piece itself goes home."""
    step, count = enemy_at(state, mine, position, lane)
    if count > 1:
        state[4 * mine + piece] = 0
    elif count == 1:
        there, also = position - 13 * step, -1
        if there == 1:
            also = lane
        elif there < 1:
            there += 52
        other = 4 * ((mine + step) & 3)
        for i in range(4):
            if state[other + i] == there or state[other + i] == also:
                state[other + i] = 0


@kernel
def _roll_ludopy(game: Any, state: Any, die: int) -> None:
    own, goal = 4 * colour(game, state[TURN]), goal_of(game)
    mask = 0
    for i in range(4):
        r = state[own + i]
        mask |= (r != goal and (r > 0 or die == 6)) << i
    if mask:
        state[DIE] = die
        state[MOVABLE] = mask
    else:
        _end_ludopy(game, state, own, die)


@kernel
def _move_ludopy(game: Any, state: Any, piece: int) -> None:
    die, mine = state[DIE], colour(game, state[TURN])
    goal, lane = goal_of(game), lane_of(game)
    own = 4 * mine
    at = own + piece
    old = state[at]
    new = old + die
    if old >= lane:
        state[at] = new if new <= goal else old - (new - goal)  # what is too much is gone back
    elif old == 0:
        state[at] = 1
        _strike(state, mine, piece, 1, lane)
    elif new == LAST_STAR:
        state[at] = goal
        _strike(state, mine, piece, new, lane)
    elif NEXT_STAR[new]:
        state[at] = NEXT_STAR[new]
        _strike(state, mine, piece, new, lane)
        _strike(state, mine, piece, NEXT_STAR[new], lane)
    elif GLOBES >> new & 1:
        _, count = enemy_at(state, mine, new, lane)
        state[at] = 0 if count else new
    elif HOMES >> new & 1:
        step, _ = enemy_at(state, mine, new, lane)
        if step == (new - 1) // 13:  # its owner is there
            state[at] = 0
        else:
            state[at] = new
            _strike(state, mine, piece, new, lane)
    else:
        state[at] = new
        _strike(state, mine, piece, new, lane)
    state[MOVABLE] = 0
    if all_home(state, own, goal):
        state[DIE] = -1
        return
    state[DIE] = 0
    _end_ludopy(game, state, own, die)


@kernel
def _end_ludopy(game: Any, state: Any, own: int, die: int) -> None:
    """Who rolls next: in the first round a player with all pieces in the yard has four attempts; later a six rolls again."""
    if state[ROUND] == 1:
        if state[COUNT] < 3 and state[own] + state[own + 1] + state[own + 2] + state[own + 3] == 0:
            state[COUNT] += 1
        else:
            _next_seat(game, state)
    elif die != 6:
        _next_seat(game, state)
