"""Exact answers for small games of two seats that take turns, with chance or without: the value of the game, how well anybody can do against a random
player, and the best moves. All positions are found (`search.graph`) and judged backwards from the ends of the game (`search.exact`).

A game may come back to a position if its rules end it after some plies, as those of Quoridor do: then a position is what stands on the board, and
judged for each number of plies left. So a game that is cut short counts as the rules say. What could go on for ever has no exact value here.

What a learner or a player comes to is measured by these numbers; nothing here is learned.
"""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.clock import NoClock, clock_of
from ludus.contract.knowing import hides
from ludus.contract.rules import sizes_of
from ludus.errors import LudusError
from ludus.quantities import COUNT, need_memory
from ludus.search.exact import AIMLESS, BEST, SAFE, SURE, WINS, Picks, judged
from ludus.search.graph import DONE, GOES_ON, HAS_JOINT, RECURS, TOO_MANY, graph_of
from ludus.system import memory

MOST_POSITIONS = 10_000_000
POSITION_BYTES = 300  # at most, beside the state, while what is known of positions grows


@dataclass(frozen=True)
class Solution:
    """What is known of a game. Tuples have a number for each seat."""

    game: str
    positions: int  # that the game can come to, each counted once, however many plies are left
    plies: int  # after which the rules end the game; 0: they need no such limit
    value: tuple[float, float]  # what each seat can't be kept from, in the mean over chance
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
            "plies": self.plies or None,
            **{kind: {"seats": list(getattr(self, kind)), "mean": self.mean(kind)} for kind in kinds},
        }

    def mean(self, kind: str) -> float:
        """The mean over alternating seats, as in `solution.mean("safe")`."""
        return float(np.mean(getattr(self, kind)))


class Book(NamedTuple):
    """The best moves of a solved game: a position's number is found by its key, and its move by that number."""

    clock: Any
    table: Any
    picks: Picks


_CAN = "the solver takes games of two seats that take turns, and that must end"
_REFUSALS = {
    HAS_JOINT: "has positions in which both seats move at once",
    RECURS: "can come back to a position that it has been in, and so go on for ever",
}


def solve(game: Any, limit: int | None = None) -> Solution:
    """Solve a game of two seats; LudusError if it is not one that can be solved, or has more positions than `limit` (MOST_POSITIONS, or as many as
    half of the memory can hold).

    >>> import ludus
    >>> solution = solve(ludus.game("tictactoe"))
    >>> solution.value, round(solution.mean("exploiter"), 6)
    ((0.5, 0.5), 0.979915)
    """
    return solved(game, limit)[0]


def solved(game: Any, limit: int | None = None) -> tuple[Solution, Book]:
    """The same, and the best moves with it."""
    facts = game.facts
    name = facts.name
    if hides(game):
        raise LudusError(f"{name} hides some of its state from each seat: {_CAN}")
    if facts.seats != 2:
        raise LudusError(f"{name} has {facts.seats} seat{'s' * (facts.seats != 1)}: {_CAN}")
    each = POSITION_BYTES + 8 * facts.state_size
    if limit is None:
        limit = min(MOST_POSITIONS, memory() // (2 * each))
    limit = COUNT.read(limit, f"limit={limit}")
    need_memory(each * limit, f"limit={limit}")
    clock = clock_of(game)
    code, graph = graph_of(game, clock, sizes_of(game), limit)
    if code == GOES_ON:  # not all games end by the count: it is a part of the position like any other
        clock = NoClock()
        code, graph = graph_of(game, clock, sizes_of(game), limit)
    if code == TOO_MANY:
        raise LudusError(
            f"{name} is too large: it has more than {limit:,} positions; ludus solve --limit takes another number"
        )
    found = judged(graph, clock.limit) if code == DONE else None
    if found is None:
        raise LudusError(f"{name} {_REFUSALS[RECURS if code == DONE else code]}: {_CAN}")
    answer, picks = found
    known = {kind: (float(answer[0, i]), float(answer[1, i])) for kind, i in _COLUMNS.items()}
    return Solution(name, int(graph.used[0]), int(clock.limit), **known), Book(clock, graph.table, picks)


KEPT = 4  # games that were solved last
_kept: dict[str, tuple[Solution, Book]] = {}


def remembered(game: Any) -> tuple[Solution, Book]:
    """What `solved` says, without solving a game again that was one of the last: players are made again and again."""
    key = hashlib.sha256(pickle.dumps(game)).hexdigest()
    if key not in _kept:
        found = solved(game)
        while len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = found
    return _kept[key]


_COLUMNS = {"value": SURE, "exploiter": BEST, "safe": SAFE, "wins": WINS, "random": AIMLESS}
