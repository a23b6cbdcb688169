"""Q-learning (Watkins 1989) on a *scheme*, which sorts situations and moves into rows and actions (see `ludus.contract`).

The values live in a table or in a network; both answer the same words below. A learner's seats share them. When an
action is accounted for is the scheme's business: at once, at the seat's next roll, or at its next decision.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, OVER, play, roll, scores, sizes_of, turn
from ludus.contract.views import account, features, options, prospects, reward, tidy
from ludus.errors import LudusError
from ludus.kernel import below, generic, implements, kernel, uniform
from ludus.methods.base import Method, Report
from ludus.methods.episodes import MAX_PLIES, Episodes, Seating, begin_episode, is_own, new_dice, seats_for
from ludus.methods.schedules import Exploration, StepSize
from ludus.methods.settings import setting
from ludus.methods.sights import scheme_of
from ludus.nets.network import Network, hidden_units, new_network, output_units
from ludus.quantities import SHARE, UNITS
from ludus.spec import parse

MAX_OPTIONS = 64


class QTable(NamedTuple):
    """Values in a table: one for each row and action."""

    table: np.ndarray


class QNetwork(NamedTuple):
    """A network with an output for each action, whose sigmoid units span the values from `low` to `high`; `step` is how far
    it goes down the slope towards a changed value.
    """

    net: Network
    encoding: Any
    low: float
    high: float
    step: float


class Workspace(NamedTuple):
    """Space for what a network is asked about: its inputs, its hidden layer and its outputs."""

    inputs: np.ndarray
    value: np.ndarray
    hidden: np.ndarray
    output: np.ndarray
    back: np.ndarray


@kernel
def new_workspace(inputs: int, hidden: int, outputs: int) -> Any:
    """Space for one thread; a table needs none."""
    return Workspace(
        np.zeros(inputs, np.int64),
        np.zeros(inputs, np.float32),
        np.zeros(hidden, np.float32),
        np.zeros(outputs, np.float32),
        np.zeros(hidden, np.float32),
    )


@generic
def look(store: Any, game: Any, state: Any, ws: Any) -> int:
    """Turn to a state: the values asked for next are those of this state."""


@generic
def value_of(store: Any, ws: Any, row: int, action: int) -> float:
    """The value of an action in the state that was looked at last."""


@generic
def nudge(store: Any, game: Any, state: Any, ws: Any, row: int, action: int, target: float, rate: float) -> float:
    """Move the value of an action in a state towards a target; return by how much it was asked to move."""


@generic
def end_game(store: Any, scheme: Any) -> None:
    """Do what the scheme wants done after each game."""


@implements(end_game, QTable)
def _(store: Any, scheme: Any) -> None:
    tidy(scheme, store.table)


@implements(end_game, QNetwork)
def _(store: Any, scheme: Any) -> None:
    pass


@implements(look, QTable)
def _(store: Any, game: Any, state: Any, ws: Any) -> int:
    return 0


@implements(value_of, QTable)
def _(store: Any, ws: Any, row: int, action: int) -> float:
    return store.table[row, action]


@implements(nudge, QTable)
def _(store: Any, game: Any, state: Any, ws: Any, row: int, action: int, target: float, rate: float) -> float:
    change = rate * (target - store.table[row, action])
    store.table[row, action] += change
    return change


@implements(look, QNetwork)
def _(store: Any, game: Any, state: Any, ws: Any) -> int:
    count = features(store.encoding, game, state, ws.inputs, ws.value)
    hidden_units(store.net, 0, ws.inputs, ws.value, count, ws.hidden)
    output_units(store.net, 0, ws.hidden, ws.output)
    return count


@implements(value_of, QNetwork)
def _(store: Any, ws: Any, row: int, action: int) -> float:
    return store.low + (store.high - store.low) * ws.output[action]


@implements(nudge, QNetwork)
def _(store: Any, game: Any, state: Any, ws: Any, row: int, action: int, target: float, rate: float) -> float:
    net = store.net
    count = look(store, game, state, ws)
    y = ws.output[action]
    wanted = (target - store.low) / (store.high - store.low)
    step = (
        np.float32(rate * store.step) * np.float32(wanted - y) * y * (np.float32(1) - y)
    )  # down the slope of the squared error
    for j in range(len(ws.hidden)):
        h = ws.hidden[j]
        ws.back[j] = step * net.w2[0, action, j] * h * (np.float32(1) - h)
        net.w2[0, action, j] += step * h
        net.b1[0, j] += ws.back[j]
    net.b2[0, action] += step
    for a in range(count):
        i, v = ws.inputs[a], ws.value[a]
        for j in range(len(ws.hidden)):
            net.w1[0, i, j] += v * ws.back[j]
    return rate * (target - (store.low + (store.high - store.low) * y))


# --- choosing and learning -------------------------------------------------------------------------------------------


@kernel
def best_option(store: Any, scheme: Any, ws: Any, rows: Any, actions: Any, count: int, rng: Any) -> int:
    """The option with the highest value above the scheme's floor; the first if there is none."""
    best, highest, ties = 0, scheme.floor, 1
    for n in range(count):
        value = value_of(store, ws, rows[n], actions[n])
        if value > highest:
            best, highest, ties = n, value, 1
        elif value == highest and scheme.random_ties:
            ties += 1
            if below(rng, ties) == 0:
                best = n
    return best


class Last(NamedTuple):
    """The last action of each seat: what it was, and whether it is still to be accounted for."""

    due: np.ndarray
    before: np.ndarray  # seat, state
    after: np.ndarray
    row: np.ndarray
    action: np.ndarray
    move: np.ndarray


class Learning(NamedTuple):
    """What is learned, and the numbers that steer it."""

    store: Any  # the values: a QTable or a QNetwork
    scheme: Any
    ws: Any
    rate: float
    discount: float


@kernel
def settle(learning: Any, game: Any, last: Any, seat: int, now: Any, rows: Any, actions: Any) -> float:
    """Account for a seat's last action: Q(s, a) ← Q(s, a) + α (r + γ max Q(s', a') - Q(s, a)); return the change."""
    store, scheme, ws = learning.store, learning.scheme, learning.ws
    last.due[seat] = False
    before, after, action, move = last.before[seat], last.after[seat], last.action[seat], last.move[seat]
    count = prospects(scheme, game, now, seat, move, rows, actions)
    if count < 0:
        return 0.0
    future = scheme.floor if count else 0.0
    if count:
        look(store, game, now, ws)
        for n in range(count):
            future = max(future, value_of(store, ws, rows[n], actions[n]))
    target = reward(scheme, game, before, seat, action, move, after, now) + learning.discount * future
    return nudge(store, game, before, ws, last.row[seat], action, target, learning.rate)


@kernel
def learn_games(learning: Any, game: Any, sizes: Any, seats: Any, episodes: Any, changes: Any, won: Any) -> int:
    """Play and learn from games; return the decisions made. `changes` gets the sum of the changes of each game, `won` whether the learner
    won it.
    """
    store, scheme, ws = learning.store, learning.scheme, learning.ws
    _, state_size, places, max_chances = sizes
    state = np.zeros(state_size, np.int64)
    dice = new_dice(max_chances)
    rng = dice.rng
    rows, actions = np.zeros(MAX_OPTIONS, np.int64), np.zeros(MAX_OPTIONS, np.int64)
    legal = np.zeros(MAX_OPTIONS, np.int64)
    last = Last(
        np.zeros(places, np.bool_), np.zeros((places, state_size), np.int64), np.zeros((places, state_size), np.int64),
        np.zeros(places, np.int64), np.zeros(places, np.int64), np.zeros(places, np.int64),
    )  # fmt: skip
    result = np.zeros(places)
    first = episodes.first
    decisions = 0
    for number in range(first, first + len(episodes.exploration)):
        epsilon = episodes.exploration[number - first]
        begin_episode(game, state, dice, episodes.seed, number)
        last.due[:] = False
        change = 0.0
        plies = 0
        while plies < MAX_PLIES:
            seat = turn(game, state)
            if seat == OVER:
                break
            if seat == CHANCE:
                who = account(scheme, game, state)
                if who >= 0 and last.due[who]:
                    change += settle(learning, game, last, who, state, rows, actions)
                play(game, state, roll(game, state, dice.dice, dice.outcomes, dice.odds))
                continue
            plies += 1
            if not is_own(seats, seat, number, places):
                play(game, state, choose(seats.partner, game, state, seat, rng))
                continue
            if last.due[seat]:
                change += settle(learning, game, last, seat, state, rows, actions)
            decisions += 1
            count = options(scheme, game, state, seat, rng, rows, actions, legal)
            if uniform(rng) < epsilon:
                chosen = below(rng, count)
            else:
                look(store, game, state, ws)
                chosen = best_option(store, scheme, ws, rows, actions, count, rng)
            last.row[seat], last.action[seat], last.move[seat] = rows[chosen], actions[chosen], legal[chosen]
            last.before[seat] = state
            play(game, state, legal[chosen])
            last.after[seat] = state
            last.due[seat] = True
            if not scheme.late:
                change += settle(learning, game, last, seat, state, rows, actions)
        won[number - first] = 0
        if turn(game, state) == OVER:
            scores(game, state, result)
            for seat in range(places):
                if last.due[seat]:
                    change += settle(learning, game, last, seat, state, rows, actions)
                if is_own(seats, seat, number, places) and result[seat] == result.max():
                    won[number - first] = 1
        end_game(store, scheme)
        changes[number - first] = change
    return decisions


# --- playing ---------------------------------------------------------------------------------------------------------


class QPlayer(NamedTuple):
    """Greedy on the values of a scheme's options."""

    store: Any
    scheme: Any
    sizes: tuple[int, int, int]  # inputs, hidden units and outputs of the network; a table has none


@implements(choose, QPlayer)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any) -> int:
    rows, actions = np.empty(MAX_OPTIONS, np.int64), np.empty(MAX_OPTIONS, np.int64)
    legal = np.empty(MAX_OPTIONS, np.int64)
    inputs, hidden, outputs = player.sizes
    ws = new_workspace(inputs, hidden, outputs)
    count = options(player.scheme, game, state, seat, rng, rows, actions, legal)
    look(player.store, game, state, ws)
    return legal[best_option(player.store, player.scheme, ws, rows, actions, count, rng)]


# --- the method ------------------------------------------------------------------------------------------------------


def new_store(game: Any, scheme: Any, hidden: int, seed: int) -> QTable | QNetwork:
    """Where a scheme's values live."""
    if not hasattr(scheme, "encoding"):
        return QTable(np.zeros(scheme.shape))
    _, inputs, _ = scheme.encoding.shape(game)
    network = new_network(1, inputs, hidden, len(scheme.actions), seed)
    return QNetwork(network, scheme.encoding, scheme.low, scheme.high, scheme.step)


class QLearning(Method):
    """Q-learning on one of the game's schemes, with a table or, where the scheme asks for it, a network."""

    @dataclass(frozen=True)
    class Settings(Seating, Exploration, StepSize):
        """What steers it."""

        encoding: str = setting("", "the scheme: how situations and moves are sorted into rows and actions")
        hidden: int = setting(40, "hidden units, where the scheme wants a network", UNITS)
        discount: float = setting(1.0, "γ, what the next value counts", SHARE)

    def check_use(self, game: Any, given: Collection[str]) -> None:
        """Tables have no hidden units."""
        if "hidden" in given and not hasattr(scheme_of(game, self.settings.encoding), "encoding"):
            raise LudusError(f"setting hidden has no effect with scheme '{self.settings.encoding}', which is a table")

    def setup(self) -> None:
        """Make the table or the network."""
        self.sizes = sizes_of(self.game)
        self.scheme = scheme_of(self.game, self.settings.encoding)
        self.store = new_store(self.game, self.scheme, self.settings.hidden, self.seed)
        self.seats = seats_for(self)
        self.counters["wins"] = 0
        self.ws = new_workspace(*self._sizes())

    def _sizes(self) -> tuple[int, int, int]:
        """Inputs, hidden units and outputs of the network; a table has none."""
        if isinstance(self.store, QTable):
            return 1, 1, 1
        _, inputs, hidden, outputs = self.store.net.shape
        return inputs, hidden, outputs

    def learn(self, games: int) -> Report:
        """Learn from the next games."""
        s = self.settings
        rate = s.rate_after(self.games, self.total)
        exploration = s.exploration_in(np.arange(self.games, self.games + games, dtype=np.float64), self.total)
        changes, won = np.zeros(games), np.zeros(games, np.int64)
        self.counters["moves"] += learn_games(
            Learning(self.store, self.scheme, self.ws, rate, s.discount), self.game, self.sizes, self.seats,
            Episodes(self.seed, self.games, exploration), changes, won,
        )  # fmt: skip
        self.counters["wins"] += int(won.sum())
        return {
            "change": float(changes.mean()),
            "won": float(won.mean()),
            "won_so_far": self.counters["wins"] / (self.games + games),
            "exploration": float(exploration.mean()),
            "rate": rate,
        }

    def state(self) -> dict[str, np.ndarray]:
        """The table, or the weights."""
        return dict(self.store.net._asdict()) if isinstance(self.store, QNetwork) else {"table": self.store.table}

    def restore_model(self, model: dict[str, np.ndarray]) -> None:
        """Take the values of a file."""
        for name, own in self.state().items():
            found = model.get(name)
            if found is None or found.shape != own.shape or found.dtype != own.dtype:
                raise LudusError(
                    f"it does not have the shape that scheme '{self.settings.encoding}' needs here: {name}"
                )
        self.restore(model)

    def player(self) -> QPlayer:
        """Greedy on the values."""
        return QPlayer(self.store, self.scheme, self._sizes())

    def facts(self) -> dict[str, Any]:
        """Which version of the scheme the values are for."""
        return {"encoding_version": getattr(self.scheme, "version", 1)}

    @classmethod
    def check_fit(cls, game: Any, facts: dict[str, Any], where: str) -> None:
        """A scheme's tables are of use to any number of seats."""
        theirs = parse(str(facts.get("game_text", "?"))).name
        if theirs != game.facts.name or facts.get("game_version") != game.facts.version:
            raise LudusError(
                f"{where} is a model for {theirs} (rules version {facts.get('game_version')}), "
                f"not for {game.facts.name} (rules version {game.facts.version})"
            )

    @classmethod
    def named(cls, settings: Any) -> str:
        """The player `q` loads such values."""
        return "q"
