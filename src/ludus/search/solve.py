"""Exact answers for small games of two seats without chance: the value of the game, and how well anybody can do against a random
player. Every position is met once, by a memoised search in a kernel.

What a learner or a player comes to is measured by these numbers; nothing here is learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, JOINT, OVER, moves, play, scores, sizes_of, start, turn
from ludus.errors import LudusError
from ludus.kernel import kernel
from ludus.nets.hashtable import find, new_table, slot_of, state_key, with_capacity
from ludus.quantities import COUNT, need_memory

MOST_POSITIONS = 1_000_000
POSITION_BYTES = 300  # at most, while what is known of positions grows

# What is known of a position, for each seat.
SURE = 0  # the score that the seat can't be kept from
BEST = 1  # the highest mean score against a random player
SAFE = 2  # the same for who never gives away any of what is sure
WINS = 3  # the highest chance to win against a random player
AIMLESS = 4  # the mean score of random play on both sides
KINDS = 5

DONE, TOO_MANY, HAS_CHANCE, HAS_JOINT, RECURS = range(5)
_OPEN = -1  # the row of a position that is being searched


class Stack(NamedTuple):
    """The positions on the way from the first one to the one that is searched, with what is known of the moves in them."""

    state: np.ndarray
    key: np.ndarray
    moves: np.ndarray
    size: np.ndarray  # how many moves there are
    next: np.ndarray  # the move to be tried next
    found: np.ndarray  # depth, move, seat, kind


@kernel
def _new_stack(depth: int, max_moves: int, state_size: int) -> Any:
    return Stack(
        np.zeros((depth, state_size), np.int64), np.zeros(depth, np.uint64), np.zeros((depth, max_moves), np.int64),
        np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros((depth, max_moves, 2, KINDS)),
    )  # fmt: skip


@kernel
def _deeper(stack: Any) -> Any:
    """A copy of a stack with twice the room."""
    depth, max_moves = stack.moves.shape
    wide = _new_stack(2 * depth, max_moves, stack.state.shape[1])
    wide.state[:depth], wide.key[:depth], wide.moves[:depth] = stack.state, stack.key, stack.moves
    wide.size[:depth], wide.next[:depth], wide.found[:depth] = stack.size, stack.next, stack.found
    return wide


@kernel
def _ended(game: Any, state: Any, result: Any, out: Any) -> None:
    """What is known of an ended game."""
    scores(game, state, result)
    for seat in range(2):
        out[seat, SURE] = out[seat, BEST] = out[seat, SAFE] = out[seat, AIMLESS] = result[seat]
        out[seat, WINS] = 1.0 if result[seat] > result[1 - seat] else 0.0


@kernel
def _combined(found: Any, count: int, mover: int, out: Any) -> None:
    """What follows for a position from what is known after each of its moves."""
    for seat in range(2):
        for kind in range(KINDS):
            out[seat, kind] = 0.0
            for n in range(count):
                out[seat, kind] += found[n, seat, kind] / count
        sure = found[0, seat, SURE]
        for n in range(1, count):
            value = found[n, seat, SURE]
            sure = max(sure, value) if seat == mover else min(sure, value)
        out[seat, SURE] = sure
        if seat == mover:
            for kind in (BEST, SAFE, WINS):
                out[seat, kind] = -np.inf
                for n in range(count):
                    if kind != SAFE or found[n, seat, SURE] == sure:
                        out[seat, kind] = max(out[seat, kind], found[n, seat, kind])


@kernel
def search_all(game: Any, sizes: Any, table: Any, limit: int, answer: Any) -> Any:
    """Search from the beginning of the game; write what is known of it to `answer`, and return (a code, positions)."""
    max_moves, state_size, _, _ = sizes
    stack = _new_stack(64, max_moves, state_size)
    rows = np.zeros((1024, 2, KINDS))
    state, result, known = np.zeros(state_size, np.int64), np.zeros(2), np.zeros((2, KINDS))
    positions, stored, depth = 0, 0, -1
    start(game, state)
    key = state_key(state, 0)
    enter = True
    while True:
        if enter:  # a position that was not met before
            mover = turn(game, state)
            if mover == CHANCE:
                return HAS_CHANCE, positions
            if mover == JOINT:
                return HAS_JOINT, positions
            if positions >= limit:
                return TOO_MANY, positions
            positions += 1
            table = with_capacity(table, 1)
            if mover != OVER:
                table.visits[slot_of(table, key)] = _OPEN
                depth += 1
                if depth == len(stack.key):
                    stack = _deeper(stack)
                stack.state[depth], stack.key[depth], stack.next[depth] = state, key, 0
                stack.size[depth] = moves(game, state, mover, stack.moves[depth])
                enter = False
                continue
            _ended(game, state, result, known)
        elif stack.next[depth] < stack.size[depth]:  # the next move of the position on top
            state[:] = stack.state[depth]
            play(game, state, stack.moves[depth, stack.next[depth]])
            key = state_key(state, 0)
            slot = find(table, key)
            if slot < 0:
                enter = True
                continue
            if table.visits[slot] == _OPEN:
                return RECURS, positions
            stack.found[depth, stack.next[depth]] = rows[table.visits[slot]]
            stack.next[depth] += 1
            continue
        else:  # all of its moves are known
            state[:] = stack.state[depth]
            key = stack.key[depth]
            _combined(stack.found[depth], stack.size[depth], turn(game, state), known)
            depth -= 1
        if stored == len(rows):
            wide = np.zeros((2 * stored, 2, KINDS))
            wide[:stored] = rows
            rows = wide
        rows[stored] = known
        table.visits[slot_of(table, key)] = stored
        stored += 1
        if depth < 0:
            answer[:] = known
            return DONE, positions
        stack.found[depth, stack.next[depth]] = known
        stack.next[depth] += 1
        enter = False


# --- for Python ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solution:
    """What is known of a game. Tuples have a number for each seat."""

    game: str
    positions: int
    value: tuple[float, float]  # what each seat can't be kept from
    exploiter: tuple[float, float]  # mean score of the best player against a random one
    safe: tuple[float, float]  # of the best player that never gives away anything of the value
    wins: tuple[float, float]  # the highest win rate against a random player; a drawn game is not won
    random: tuple[float, float]  # mean score of a random player against another

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus solve --json`; `mean` is that of alternating seats."""
        kinds = ("value", "exploiter", "safe", "wins", "random")
        return {
            "game": self.game,
            "positions": self.positions,
            **{kind: {"seats": list(getattr(self, kind)), "mean": self.mean(kind)} for kind in kinds},
        }

    def mean(self, kind: str) -> float:
        """The mean over alternating seats, as in `solution.mean("safe")`."""
        return float(np.mean(getattr(self, kind)))


_REFUSALS = {
    HAS_CHANCE: "has chance in it",
    HAS_JOINT: "has positions in which both seats move at once",
    RECURS: "can come back to a position that it has been in, and so go on for ever",
}


def solve(game: Any, limit: int = MOST_POSITIONS) -> Solution:
    """Solve a game of two seats; LudusError if it is not one that can be solved, or has more positions than `limit`.

    >>> import ludus
    >>> solution = solve(ludus.game("tictactoe"))
    >>> solution.value, round(solution.mean("exploiter"), 6)
    ((0.5, 0.5), 0.979915)
    """
    facts = game.facts
    name = facts.name
    can = "the solver takes games of two seats that take turns, without chance and without return"
    if facts.seats != 2:
        raise LudusError(f"{name} has {facts.seats} seat{'s' * (facts.seats != 1)}: {can}")
    limit = COUNT.read(limit, f"limit={limit}")
    need_memory(POSITION_BYTES * limit, f"limit={limit}")
    if facts.max_chances:
        raise LudusError(f"{name} {_REFUSALS[HAS_CHANCE]}: {can}")
    answer = np.zeros((2, KINDS))
    code, positions = search_all(game, sizes_of(game), new_table(), limit, answer)
    if code == TOO_MANY:
        raise LudusError(f"{name} is too large: it has more than {limit:,} positions; --limit takes another number")
    if code != DONE:
        raise LudusError(f"{name} {_REFUSALS[code]}: {can}")
    known = {kind: (float(answer[0, i]), float(answer[1, i])) for kind, i in _COLUMNS.items()}
    return Solution(name, int(positions), **known)


_COLUMNS = {"value": SURE, "exploiter": BEST, "safe": SAFE, "wins": WINS, "random": AIMLESS}
