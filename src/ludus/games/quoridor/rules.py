"""The rules of Quoridor as kernels: steps and jumps of pawns, walls, and the rule that no wall may cut a pawn off. The layout of a state, and the
ways through it, are in `bitboard.py`; `turn` is OVER at the end.

A move is a number: 0 to 63 a horizontal wall at that anchor, 64 to 127 a vertical one, 128 to 139 a step or jump of the pawn
(DIRECTIONS), PASS where a seat can do nothing else. These are the 140 actions of the thesis (`quoridor2016`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import OVER, Facts, moves, play, position_key, random_move, scores, start, turn
from ludus.games.quoridor.bitboard import (
    ACTIONS,
    ANCHORS,
    BIT,
    EDGES,
    HORIZONTAL,
    NOT_LEFT,
    NOT_RIGHT,
    NOT_TOP,
    OFFSET,
    PASS,
    PAWN,
    PLY,
    STEP,
    TURN,
    UP_LOW,
    VERTICAL,
    WIDTH,
    board_of,
    distance,
    is_open,
    path_blockers,
    shut,
    side_of,
)
from ludus.kernel import KEY, below, count_bits, implements, kernel, lowest_bit, mix_hash

_DIAGONAL = np.array(
    [[0, 8, 0, 9], [8, 0, 10, 0], [0, 10, 0, 11], [9, 0, 11, 0]]
)  # the move that is one way and then another


class QuoridorRules(NamedTuple):
    """Quoridor for two or four seats on a board of `size` rows and `columns` columns, with `walls` walls for each seat; a game that is not won
    after `limit` plies is a draw.
    """

    size: int = 9
    columns: int = 9  # early, as compiled code is given the first numbers in registers
    walls: int = 10
    seats: int = 2
    limit: int = 324

    def __repr__(self) -> str:
        square = self.columns == self.size
        shown = [f"{key}={value}" for key, value in self._asdict().items() if not (square and key == "columns")]
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def parameters(self) -> dict[str, int]:
        """What the game's name tells of it; on a square board nothing of columns, which are 0 then."""
        return {**self._asdict(), "columns": 0 if self.columns == self.size else self.columns}

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        usual = (self.size, self.columns, self.walls, self.seats) == (9, 9, 10, 2)
        variant = "" if usual else f"{self.size}x{self.columns}"
        variant += f"-{self.walls}walls" if self.walls != usual_walls(self.size * self.columns, self.seats) else ""
        variant += f"-{self.seats}seats" if self.seats != 2 else ""
        most = 2 * (self.size - 1) * (self.columns - 1) + 12
        size = PAWN + 2 * self.seats
        return Facts("quoridor", 1, self.seats, size, most, 0, self.limit, (-1.0, 1.0), variant, ACTIONS)


def usual_walls(squares: int, seats: int) -> int:
    """The walls of a seat: an eighth of the squares, shared among the seats of a game for four as for two."""
    return squares // (4 * seats)


@implements(start, QuoridorRules)
def _(game: Any, state: Any) -> None:
    state[TURN] = 0
    state[PLY] = 0
    state[HORIZONTAL] = 0
    state[VERTICAL] = 0
    for i in range(4):
        state[UP_LOW + i] = EDGES[board_of(game), i]
    for seat in range(game.seats):
        side = side_of(game, seat)
        row, column = game.size // 2, game.columns // 2
        if side == 0:
            row = 0
        elif side == 1:
            column = 0
        elif side == 2:
            row = game.size - 1
        else:
            column = game.columns - 1
        state[PAWN + seat] = WIDTH * row + column
        state[PAWN + game.seats + seat] = game.walls


@implements(turn, QuoridorRules)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(scores, QuoridorRules)
def _(game: Any, state: Any, out: Any) -> None:
    winner = -1
    for seat in range(game.seats):
        if is_home(game, state, seat):
            winner = seat
    for seat in range(game.seats):
        out[seat] = 0.0 if winner < 0 else 1.0 if seat == winner else -1.0 / (game.seats - 1)


@implements(position_key, QuoridorRules)
def _(game: Any, state: Any) -> Any:
    key = mix_hash(mix_hash(mix_hash(KEY, state[TURN]), state[HORIZONTAL]), state[VERTICAL])
    rest = 0
    for seat in range(game.seats):  # neither how many plies it took, nor what follows from the walls
        rest = rest << 14 | state[PAWN + seat] << 7 | state[PAWN + game.seats + seat]
    return mix_hash(key, rest)


@kernel(inline=True)
def is_home(game: Any, state: Any, seat: int) -> bool:
    """Whether a seat's pawn has reached its goal."""
    side, square = side_of(game, seat), state[PAWN + seat]
    if side == 0:
        return square >= WIDTH * (game.size - 1)
    if side == 2:
        return square < WIDTH
    return square % WIDTH == (game.columns - 1 if side == 1 else 0)


@implements(play, QuoridorRules)
def _(game: Any, state: Any, move: int) -> None:
    seat = state[TURN]
    state[PLY] += 1
    state[TURN] = 0 if seat + 1 == game.seats else seat + 1
    if move < STEP:
        state[PAWN + game.seats + seat] -= 1
        if move < 64:
            state[HORIZONTAL] |= BIT[move]
        else:
            state[VERTICAL] |= BIT[move - 64]
        shut(state, move)
    elif move != PASS:
        state[PAWN + seat] += OFFSET[move - STEP]
        if is_home(game, state, seat):
            state[TURN] = OVER
    if state[PLY] >= game.limit:
        state[TURN] = OVER


# --- pawns -----------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def is_taken(game: Any, state: Any, square: int) -> bool:
    """Whether a pawn stands on a square."""
    for seat in range(game.seats):  # noqa: SIM110 (kernels have no generators)
        if state[PAWN + seat] == square:
            return True
    return False


@kernel
def steps(game: Any, state: Any, seat: int) -> int:
    """The steps and jumps that a seat's pawn can make, as bits in the order of DIRECTIONS."""
    square, out = state[PAWN + seat], 0
    for way in range(4):
        if not is_open(state, square, way):
            continue
        next_square = square + OFFSET[way]
        if not is_taken(game, state, next_square):
            out |= 1 << way
        elif is_open(state, next_square, way):
            if not is_taken(game, state, next_square + OFFSET[way]):
                out |= 1 << (way + 4)
        else:  # a wall or the edge is behind the pawn: jump to its sides
            for turned in (1, 3):
                aside = (way + turned) & 3
                if is_open(state, next_square, aside) and not is_taken(game, state, next_square + OFFSET[aside]):
                    out |= 1 << _DIAGONAL[way, aside]
    return out


# --- walls -----------------------------------------------------------------------------------------------------------


@kernel(inline=True)
def free_anchors(game: Any, state: Any) -> tuple[int, int]:
    """The anchors at which a horizontal and a vertical wall would not cross or overlap another."""
    h, v, board = state[HORIZONTAL], state[VERTICAL], ANCHORS[board_of(game)]
    horizontal = board & ~(h | v | (h << 1 & NOT_LEFT[1]) | (h >> 1 & NOT_RIGHT[1]))
    vertical = board & ~(h | v | v << 8 | (v >> 8 & NOT_TOP[1]))
    return horizontal, vertical


@kernel(inline=True)
def touching(game: Any, state: Any) -> tuple[int, int]:
    """The anchors at which a wall would touch others or the edge in two of its three points: only such a wall can cut a way."""
    h, v = state[HORIZONTAL], state[VERTICAL]
    # The points in the middle and at the ends of walls, as anchors, and all that are not on the board; the edges of the largest board come to them.
    h_ends = (h << 1 & NOT_LEFT[1]) | (h >> 1 & NOT_RIGHT[1])
    v_ends = v << 8 | (v >> 8 & NOT_TOP[1])
    points = h | v | h_ends | v_ends | ~ANCHORS[board_of(game)]
    # A horizontal wall: its left end, middle and right end. Where it would overlap others it is not asked about.
    left = points << 1 | ~NOT_LEFT[1]
    right = points >> 1 | ~NOT_RIGHT[1]
    horizontal = (left & right) | (points & (left | right))
    below_it = points << 8 | 0xFF
    above_it = points >> 8 | ~NOT_TOP[1]
    vertical = (below_it & above_it) | (points & (below_it | above_it))
    return horizontal, vertical


@kernel(inline=True)
def leaves_ways(game: Any, state: Any, wall: int) -> bool:
    """Whether every pawn still has a way to its goal if this wall is built."""
    shut(state, wall)
    good = True
    for seat in range(game.seats):
        if distance(game, state, seat) < 0:
            good = False
            break
    shut(state, wall)
    return good


@kernel
def without_cuts(
    game: Any, state: Any, horizontal: int, vertical: int, doubtful_h: int, doubtful_v: int
) -> tuple[int, int]:
    """Walls as two words of anchors, without those of the doubtful ones that would cut a pawn off."""
    while doubtful_h != 0:
        anchor = lowest_bit(doubtful_h)
        doubtful_h ^= BIT[anchor]
        if not leaves_ways(game, state, anchor):
            horizontal ^= BIT[anchor]
    while doubtful_v != 0:
        anchor = lowest_bit(doubtful_v)
        doubtful_v ^= BIT[anchor]
        if not leaves_ways(game, state, anchor + 64):
            vertical ^= BIT[anchor]
    return horizontal, vertical


@kernel
def legal_walls(game: Any, state: Any) -> tuple[int, int]:
    """The anchors of all legal horizontal and vertical walls, whoever builds them."""
    horizontal, vertical = free_anchors(game, state)
    doubtful_h, doubtful_v = touching(game, state)
    doubtful_h &= horizontal
    doubtful_v &= vertical
    if doubtful_h == 0 and doubtful_v == 0:
        return horizontal, vertical
    buffer = np.empty(3 * 81, np.int64)
    cut_h, cut_v = BIT[0] & 0, BIT[0] & 0
    for seat in range(game.seats):
        h, v = path_blockers(game, state, seat, buffer)
        cut_h |= h
        cut_v |= v
    return without_cuts(game, state, horizontal, vertical, doubtful_h & cut_h, doubtful_v & cut_v)


@implements(moves, QuoridorRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    count = 0
    own = steps(game, state, seat)
    while own != 0:
        step = lowest_bit(own)
        own &= own - 1
        out[count] = STEP + step
        count += 1
    if state[PAWN + game.seats + seat] > 0:
        horizontal, vertical = legal_walls(game, state)
        while horizontal != 0:
            anchor = lowest_bit(horizontal)
            horizontal ^= BIT[anchor]
            out[count] = anchor
            count += 1
        while vertical != 0:
            anchor = lowest_bit(vertical)
            vertical ^= BIT[anchor]
            out[count] = anchor + 64
            count += 1
    if count == 0:
        out[0] = PASS
        count = 1
    return count


@kernel
def count_moves(game: Any, state: Any, seat: int) -> int:
    """How many legal moves there are."""
    count = count_bits(steps(game, state, seat))
    if state[PAWN + game.seats + seat] > 0:
        horizontal, vertical = legal_walls(game, state)
        count += count_bits(horizontal) + count_bits(vertical)
    return max(count, 1)


@kernel
def perft(game: Any, state: Any, depth: int) -> int:
    """How many sequences of `depth` legal moves there are; those that end the game earlier count only as far as they go."""
    if depth == 0:
        return 1
    states = np.empty((depth, len(state)), np.int64)
    legal = np.empty((depth, ACTIONS), np.int64)
    left = np.zeros(depth, np.int64)
    states[0] = state
    total, level = 0, 0
    left[0] = -1
    while level >= 0:
        now = states[level]
        if left[level] < 0:  # just arrived
            seat = now[TURN]
            if seat == OVER:
                level -= 1
                continue
            if level == depth - 1:
                total += count_moves(game, now, seat)
                level -= 1
                continue
            left[level] = moves(game, now, seat, legal[level])
        if left[level] == 0:
            level -= 1
            continue
        left[level] -= 1
        child = states[level + 1]
        for i in range(len(state)):
            child[i] = now[i]
        play(game, child, legal[level, left[level]])
        level += 1
        left[level] = -1
    return total


# --- random games: a move is drawn first and checked then ------------------------------------------------------------


@implements(random_move, QuoridorRules)
def _(game: Any, state: Any, seat: int, rng: Any, out: Any) -> int:
    own = steps(game, state, seat)
    ways = count_bits(own)
    if state[PAWN + game.seats + seat] > 0:
        horizontal, vertical = free_anchors(game, state)
        doubtful_h, doubtful_v = touching(game, state)
        if ways == 0:  # don't draw for ever where there is nothing
            horizontal, vertical = legal_walls(game, state)
            if horizontal == 0 and vertical == 0:
                return PASS
        while True:
            drawn = below(rng, STEP + ways)
            if drawn >= STEP:
                return STEP + nth_bit(own, drawn - STEP)
            bit = BIT[drawn & 63]
            if drawn < 64:
                if horizontal & bit == 0:
                    continue
                if doubtful_h & bit == 0:
                    return drawn
            else:
                if vertical & bit == 0:
                    continue
                if doubtful_v & bit == 0:
                    return drawn
            if leaves_ways(game, state, drawn):
                return drawn
            if drawn < 64:
                horizontal ^= bit
            else:
                vertical ^= bit
    return STEP + nth_bit(own, below(rng, ways)) if ways > 0 else PASS


@kernel(inline=True)
def nth_bit(mask: int, n: int) -> int:
    """The position of the n-th bit that is set."""
    for _ in range(n):
        mask &= mask - 1
    return lowest_bit(mask)
