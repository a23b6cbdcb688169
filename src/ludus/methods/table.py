"""A value for each state that was met, for any game: a hash table holds one for each move in each state that a role has met, or for each state
after a move (Wang, Emmerich & Plaat 2018). The kernels are in `tabular`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.position import Position
from ludus.contract.rules import moves, sizes_of
from ludus.errors import LudusError
from ludus.kernel import below, implements, kernel
from ludus.methods.base import Method, Report
from ludus.methods.episodes import Episodes, Seating, seats_for
from ludus.methods.schedules import Exploration, StepSize
from ludus.methods.settings import setting
from ludus.methods.tabular import UPDATES, Options, Plan, Tally, best_known, learn_matches, option_keys
from ludus.nets.hashtable import HashTable, entries, move_key, new_table, state_key, table_of, value_at
from ludus.quantities import COUNT, PLAYOUTS_OR_NONE, SHARE, SOME_SHARE, need_memory
from ludus.search.montecarlo import search_budget, search_move

USUAL_LIMIT = 20_000_000  # entries
ENTRY_BYTES = 100  # at most, while the table grows

# --- playing -----------------------------------------------------------------------------------------------------


@kernel
def table_move(table: Any, options: Any, game: Any, state: Any, seat: int, sizes: Any, rng: Any) -> int:
    """The move that the table says is best; where it knows none, one found by search, or a random one."""
    max_moves, state_size, _, _ = sizes
    legal, keys = np.empty(max_moves, np.int64), np.empty(max_moves, np.uint64)
    count = moves(game, state, seat, legal)
    option_keys(game, state, seat, options.afterstates, legal, count, np.empty(state_size, np.int64), keys)
    chosen = best_known(table, keys, count, options.complete)
    if chosen < 0 and options.playouts > 0:
        budget = search_budget(options.playouts, options.nested)
        chosen = search_move(game, state, seat, rng, budget, sizes, legal, np.empty(max_moves))
    elif chosen < 0:
        chosen = below(rng, count)
    return legal[chosen]


class TablePlayer(NamedTuple):
    """Greedy on the values of states; where it knows none, it searches or moves at random."""

    table: HashTable
    options: Options
    sizes: tuple[int, int, int, int]


@implements(choose, TablePlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    return table_move(player.table, player.options, game, state, seat, player.sizes, rng)


@implements(evaluate_moves, TablePlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    keys = np.empty(len(legal), np.uint64)
    count = moves(game, state, seat, legal)
    option_keys(game, state, seat, player.options.afterstates, legal, count, np.empty(len(state), np.int64), keys)
    for n in range(count):
        values[n] = player.options.low + player.options.span * value_at(player.table, keys[n])
    return count


# --- files -----------------------------------------------------------------------------------------------------------


def rules_mark(game: Any) -> np.ndarray:
    """A mark of the rules that a table is for: games of one name may number their states and moves otherwise, as sheets of rules do."""
    position = Position.start(game)
    mark = np.uint64(state_key(position.state.copy(), game.facts.seats))  # compiled functions return plain integers
    for seat in range(game.facts.seats):
        for move in position.moves(seat):
            mark = np.uint64(move_key(mark, int(move)))
            mark = np.uint64(move_key(mark, int.from_bytes(move.text.encode()[-7:])))
    return np.array([mark], np.uint64)


def table_from(tensors: dict[str, np.ndarray], game: Any, where: str) -> HashTable:
    """The table in a file; LudusError if there is none in it, or one for other rules."""
    kinds = {"keys": np.uint64, "values": np.float64, "visits": np.int64, "rules": np.uint64}
    for name, kind in kinds.items():
        if name not in tensors or tensors[name].dtype != kind or tensors[name].ndim != 1:
            raise LudusError(f"{where} does not hold a table of states: {name} is missing or of another kind")
    keys, values, visits = tensors["keys"], tensors["values"], tensors["visits"]
    if not len(keys) == len(values) == len(visits):
        raise LudusError(
            f"{where} is damaged: it has {len(keys)} keys, but {len(values)} values and {len(visits)} visits"
        )
    if (len(keys) and keys[0] == 0) or not (keys[1:] > keys[:-1]).all() or not np.isfinite(values).all():
        raise LudusError(f"{where} is damaged: its keys are not in order, or its values not finite")
    if not np.array_equal(tensors["rules"], rules_mark(game)):
        raise LudusError(
            f"{where} was made for other rules of {game.facts.name}: it begins otherwise, or moves have other names"
        )
    return table_of(keys, values, visits)


# --- the method ------------------------------------------------------------------------------------------------------


class Table(Method):
    """A value for each state that was met, for any game: Q-learning or TD(λ)."""

    joint = True

    @dataclass(frozen=True)
    class Settings(Seating, Exploration, StepSize):
        """What steers it."""

        discount: float = setting(1.0, "γ, what the next value counts", SHARE)
        decay: float = setting(0.0, "λ, by which traces fade from move to move", SHARE, when=("update", "traces"))
        learning_share: float = setting(
            1.0, "share of the games; in the rest nothing is learned or explored", SOME_SHARE
        )
        update: str = setting(
            "end", "Q-learning after a match, at each step, or TD(λ) with traces", choices=tuple(UPDATES)
        )
        afterstates: bool = setting(False, "values of states after moves, not of moves in states")
        complete: bool = setting(False, "values are followed only where each move has one")
        watch: bool = setting(False, "learns from the moves of others too, for their roles")
        noops: bool = setting(False, "states in which another role moves are remembered too")
        rate_power: float = setting(
            0.0, "the step size falls with the visits n of an entry, as 1 / n^rate_power", SHARE
        )
        playouts: int = setting(
            0, "games a move, searched where no value can be followed; 0: a random move there", PLAYOUTS_OR_NONE
        )
        nested: bool = setting(False, "whether search chooses the moves in those games too", when=("playouts", True))
        table_limit: int = setting(USUAL_LIMIT, "entries; further ones are not kept", COUNT)

    def setup(self) -> None:
        """Make an empty table."""
        s, game = self.settings, self.game
        if getattr(game, "fleeting", False):
            raise LudusError(
                f"{game.facts.name} is too large to be compiled, and its states have no lasting numbers: a table of them would be lost"
            )
        self.sizes, self.seats = sizes_of(game), seats_for(self, stretch=True)
        if not choose.handles(type(self.seats.partner)):  # type: ignore[attr-defined]
            raise LudusError(
                f"a table learns at compiled speed, but {type(self.seats.partner).__name__} plays in plain Python"
            )
        # A unit a line of the record, so that each line tells of all games since the one before.
        self.unit = -(-self.total // 100)
        self.learning_games = round(self.total * s.learning_share)
        self.counters |= {"searches": 0, "wins": 0}
        self.points = np.zeros(1)  # the sum of all goals so far
        low, high = game.facts.score_range
        self.options = Options(
            UPDATES[s.update], s.afterstates, s.complete, s.watch, s.noops, s.discount, s.decay, s.rate_power, s.playouts, s.nested,
            s.table_limit, float(low), float(high - low) or 1.0,
        )  # fmt: skip
        if s.table_limit > USUAL_LIMIT:
            need_memory(ENTRY_BYTES * s.table_limit, f"setting table_limit = {s.table_limit}")
        self.table = new_table()

    def exploration(self, games: np.ndarray) -> np.ndarray:
        """The share of random moves in games of such numbers; none once learning has ended."""
        return np.where(games < self.learning_games, self.settings.exploration_in(games, self.learning_games), 0.0)

    def learn(self, games: int) -> Report:
        """Learn from the next games."""
        numbers = np.arange(self.games, self.games + games, dtype=np.float64)
        tally = Tally(np.zeros(games), np.zeros(games), np.zeros(2, np.int64))
        rate = self.settings.rate_after(self.games, self.total)
        exploration = self.exploration(numbers)
        self.table = learn_matches(
            self.table, self.options, self.game, self.sizes, self.seats, Episodes(self.seed, self.games, exploration),
            Plan(numbers < self.learning_games, rate), tally,
        )  # fmt: skip
        decisions, searches = tally.counts.tolist()
        self.counters["moves"] += decisions
        self.counters["searches"] += searches
        self.counters["wins"] += int(tally.wins.sum())
        self.points += tally.points.sum()
        done = self.games + games
        return {
            "won": float(tally.wins.mean()),
            "points": float(tally.points.mean()),
            "won_so_far": self.counters["wins"] / done,
            "points_so_far": float(self.points[0]) / done,
            "searches": searches / max(decisions, 1),
            "entries": int(self.table.used[0]),
            "exploration": float(exploration.mean()),
            "rate": rate,
        }

    def model(self) -> dict[str, np.ndarray]:
        """The table's entries, and a mark of the rules that they are for."""
        keys, values, visits = entries(self.table)
        return {"keys": keys, "values": values, "visits": visits, "rules": rules_mark(self.game)}

    def state(self) -> dict[str, np.ndarray]:
        """The same, and the sum of goals."""
        return self.model() | {"points": self.points}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take back what `state` once was."""
        table = table_from(state, self.game, "the checkpoint")
        if "points" not in state or state["points"].shape != (1,):
            raise LudusError("what was kept does not fit these settings: points is missing or has another shape")
        self.points = np.array(state["points"], np.float64)
        self.table = table

    def restore_model(self, model: dict[str, np.ndarray]) -> None:
        """Take back the table alone."""
        self.table = table_from(model, self.game, "the model")

    def player(self) -> TablePlayer:
        """Greedy on the values."""
        return TablePlayer(self.table, self.options, self.sizes)

    @classmethod
    def named(cls, settings: Settings) -> str:
        """The players `q` and, with search, `qm` load such tables."""
        return "qm" if settings.playouts else "q"
