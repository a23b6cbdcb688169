"""Q-learning: a corridor that is solved exactly, a network's step against its numerical slope, and Rossen's learner against
a loop in plain Python.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import ludus
from ludus.contract import rules, views
from ludus.contract.rules import CHANCE, OVER, Facts, moves, play, scores, start, turn
from ludus.contract.views import account, options, prospects, reward
from ludus.errors import LudusError
from ludus.kernel import JIT, below, implements, stream, uniform
from ludus.methods import q
from ludus.methods.episodes import Episodes, NoPartner, Seats
from ludus.methods.presets import preset
from ludus.methods.q import QLearning
from ludus.methods.sights import scheme_of
from ludus.nets import storage
from ludus.players import player


def learner_of(game: Any, name: str, seed: int = 1, games: int = 100, **changes: Any) -> QLearning:
    """The learner of one of Ludo's presets."""
    method = QLearning(**preset("ludo", name).settings | changes)
    return method.begin(game, seed, games, player=lambda who: player(who, game))


LENGTH = 5  # places of the corridor; the game ends on the last
LEFT, RIGHT = 0, 1


class Corridor(NamedTuple):
    """One seat walks from place 0 to the end. A step to the left of place 0 stays there."""

    @property
    def facts(self) -> Facts:
        return Facts("corridor", 1, 1, 1, 2, 0, 0, (0.0, 1.0))


class Steps(NamedTuple):
    """The corridor as it is: a row a place, an action a direction, a reward of 1 at the end."""

    late: bool
    floor: float = -np.inf
    random_ties: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return LENGTH, 2


@implements(start, Corridor)
def _(game: Any, state: Any) -> None:
    state[0] = 0


@implements(turn, Corridor)
def _(game: Any, state: Any) -> int:
    return OVER if state[0] == LENGTH - 1 else 0


@implements(moves, Corridor)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0], out[1] = LEFT, RIGHT
    return 2


@implements(play, Corridor)
def _(game: Any, state: Any, move: int) -> None:
    state[0] = max(state[0] + 2 * move - 1, 0)


@implements(scores, Corridor)
def _(game: Any, state: Any, out: Any) -> None:
    out[0] = 1


@implements(options, Steps)
def _(scheme: Any, game: Any, state: Any, seat: int, rng: Any, rows: Any, actions: Any, listed: Any) -> int:
    for n in range(2):
        rows[n], actions[n], listed[n] = state[0], n, n
    return 2


@implements(prospects, Steps)
def _(scheme: Any, game: Any, now: Any, seat: int, move: int, rows: Any, actions: Any) -> int:
    for n in range(2):
        rows[n], actions[n] = now[0], n
    return 0 if now[0] == LENGTH - 1 else 2


@implements(reward, Steps)
def _(scheme: Any, game: Any, before: Any, seat: int, action: int, move: int, after: Any, now: Any) -> float:
    return 1.0 if now[0] == LENGTH - 1 else 0.0


@pytest.mark.parametrize("late", [False, True], ids=["accounted for at once", "accounted for at the next decision"])
def test_a_corridor_is_solved_exactly(late):
    table = np.zeros((LENGTH, 2))
    exploration = np.ones(100)  # always at random: Q-learning finds the best way without ever taking it on purpose
    learning = q.Learning(q.QTable(table), Steps(late), q.new_workspace(1, 1, 1), rate=1.0, discount=0.5)
    q.learn_games(
        learning, Corridor(), (2, 1, 1, 1), Seats(1, False, NoPartner()), Episodes(1, 0, exploration),
        np.zeros(100), np.zeros(100, np.int64),
    )  # fmt: skip
    best = [0.5 ** (LENGTH - 2 - place) for place in range(LENGTH - 1)]  # to walk straight to the end
    assert table[:-1, RIGHT].tolist() == best
    assert table[:-1, LEFT].tolist() == [0.5 * best[max(place - 1, 0)] for place in range(LENGTH - 1)]
    assert not table[-1].any()


def test_greedy_choice_takes_the_first_of_equals_unless_ties_are_random():
    table, ws, rows, actions = (
        np.array([[1.0, 3.0, 3.0]]),
        q.new_workspace(1, 1, 1),
        np.zeros(3, np.int64),
        np.arange(3),
    )
    chosen = {q.best_option(q.QTable(table), Steps(False), ws, rows, actions, 3, stream(1, i)) for i in range(30)}
    assert chosen == {1}
    wavering = Steps(False, random_ties=True)
    chosen = {q.best_option(q.QTable(table), wavering, ws, rows, actions, 3, stream(1, i)) for i in range(30)}
    assert chosen == {1, 2}


def test_below_the_floor_nothing_is_compared():
    """Rossen's code never looks at negative values: the first option is taken, however bad."""
    table, ws = np.array([[-2.0, -1.0]]), q.new_workspace(1, 1, 1)
    rows, actions = np.zeros(2, np.int64), np.arange(2)
    assert q.best_option(q.QTable(table), Steps(False, floor=0.0), ws, rows, actions, 2, stream(1)) == 0
    assert q.best_option(q.QTable(table), Steps(False), ws, rows, actions, 2, stream(1)) == 1


def test_a_network_moves_down_the_slope_of_its_squared_error():
    game = ludus.game("ludo")
    learner = learner_of(game, "alhajry2012-ql", hidden=3)
    store, ws = learner.store, learner.ws
    position = game.start().play("0").play("6").play("0/1").play("5")
    state, action, target, rate = position.state.copy(), 2, 3.0, 1e-2

    def loss() -> float:
        q.look(store, game, state, ws)
        span = store.high - store.low
        return 0.5 * ((target - q.value_of(store, ws, 0, action)) / span) ** 2

    used = next(i for i in range(store.net.w1.shape[1]) if contract_inputs(game, store.encoding, state)[i])
    for part, place in (
        (store.net.w1, (0, used, 1)),
        (store.net.b1, (0, 2)),
        (store.net.w2, (0, action, 0)),
        (store.net.b2, (0, action)),
    ):
        start_value = part[place].copy()
        slopes = []
        for step in (1e-2, -1e-2):
            part[place] = start_value + step
            slopes.append(loss())
        part[place] = start_value
        slope = (slopes[0] - slopes[1]) / 2e-2
        saved = [w.copy() for w in store.net]
        q.nudge(store, game, state, ws, 0, action, target, rate)
        assert part[place] - start_value == pytest.approx(-rate * store.step * slope, rel=0.02)
        for w, old in zip(store.net, saved, strict=True):
            w[...] = old


def contract_inputs(game: Any, encoding: Any, state: np.ndarray) -> np.ndarray:
    _, inputs, _ = encoding.shape(game)
    index, value, dense = np.zeros(inputs, np.int64), np.zeros(inputs, np.float32), np.zeros(inputs)
    count = views.features(encoding, game, state, index, value)
    dense[index[:count]] = value[:count]
    return dense


# --- Rossen's learner ------------------------------------------------------------------------------------------------


def naive_rossen(
    game: Any, scheme: Any, games: int, epsilon: float, rate: float, discount: float, seed: int
) -> np.ndarray:
    """His loop: he learns from an action when he is asked again, or at once if the scheme says so."""
    table = np.zeros(scheme.shape)
    rows, actions, listed = (np.zeros(16, np.int64) for _ in range(3))
    state, outcomes, odds = np.zeros(game.facts.state_size, np.int64), np.zeros(6, np.int64), np.zeros(6)

    def learn(before: np.ndarray, row: int, action: int, move: int, after: np.ndarray, now: np.ndarray) -> None:
        count = prospects(scheme, game, now, 0, move, rows, actions)
        if count < 0:
            return
        values = [table[r, a] for r, a in zip(rows[:count], actions[:count], strict=True)]
        best = max([scheme.floor, *values]) if values else 0.0
        gain = reward(scheme, game, before, 0, action, move, after, now)
        table[row, action] += rate * (gain + discount * best - table[row, action])

    for number in range(games):
        dice, luck = stream(seed, number, 0), stream(seed, number, 1)
        start(game, state)
        last = None
        while (seat := turn(game, state)) != OVER:
            if seat == CHANCE:
                if last is not None and account(scheme, game, state) == 0:
                    learn(*last, state)
                    last = None
                play(game, state, rules.roll(game, state, dice, outcomes, odds))
            elif seat != 0:
                play(game, state, rules.random_move(game, state, seat, luck, listed))
            else:
                count = options(scheme, game, state, 0, luck, rows, actions, listed)
                if uniform(luck) < epsilon:
                    chosen = below(luck, count)
                else:
                    values = [table[r, a] for r, a in zip(rows[:count], actions[:count], strict=True)]
                    chosen = values.index(max(values)) if max(values) > scheme.floor else 0
                memory = state.copy(), int(rows[chosen]), int(actions[chosen]), int(listed[chosen])
                play(game, state, memory[3])
                last = (*memory, state.copy())
                if not scheme.late:
                    learn(*last, state)
                    last = None
    return table


@pytest.mark.parametrize("name", ["rossen", "rossen-as-run"])
def test_rossens_learner_learns_what_a_naive_one_does(name):
    game = ludus.game("ludo(rules=ludopy-1.3.1,seats=2)")
    games = 20 if JIT else 2
    learner = learner_of(game, "rossen2022", 5, games, encoding=name, exploration=0.3, exploration_decay=1.0)
    learner.advance()
    s = learner.settings
    table = naive_rossen(game, scheme_of(game, name), games, 0.3, s.rate, s.discount, seed=5)
    assert learner.store.table == pytest.approx(table, abs=1e-12)
    assert (table != 0).sum() > 20


# --- learners as the lab uses them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["alhajry2012-ql-random", "peters2022"])
def test_a_learner_goes_on_from_its_state_as_if_nothing_had_happened(name):
    game = ludus.game("ludo" if "alhajry" in name else "ludo(rules=ludopy)")
    whole, first, second = (learner_of(game, name, 3) for _ in range(3))
    for learner in (whole, first):
        learner.unit = 2
        learner.advance()
    second.unit = 2
    second.restore({k: v.copy() for k, v in first.state().items()})
    second.counters.update(first.counters)
    whole.advance()
    second.advance()
    assert whole.counters == second.counters
    assert whole.games == 4
    for key, tensor in whole.state().items():
        assert np.array_equal(tensor, second.state()[key])
        assert not np.array_equal(tensor, first.state()[key])


def test_exploration_falls_as_the_settings_say():
    def share(name: str, games: list[int]) -> np.ndarray:
        settings = QLearning(**preset("ludo", name).settings).settings
        return settings.exploration_in(np.array(games, np.float64), 100_000)

    assert share("rossen2022", [0, 3000]) == pytest.approx([1, 0.9998**3000])
    assert share("alhajry2012-ql", [0, 15_000, 30_000, 50_000]) == pytest.approx([0.9, 0.45, 0, 0])
    assert share("peters2022", [0, 100_000]) == pytest.approx([1, 0.1])
    learner = learner_of(ludus.game("ludo(rules=ludopy,seats=2)"), "rossen2022", exploration_decay=0.9)
    first, second = (learner.advance()["exploration"] for _ in range(2))
    assert first == pytest.approx(np.mean(0.9 ** np.arange(20)))
    assert second == pytest.approx(first * 0.9**20)


def test_seating_that_does_not_fit_the_game_is_refused():
    with pytest.raises(LudusError, match=r"seating names 2 seats \(self, random\), but ludo-ludopy-4 has 4"):
        learner_of(ludus.game("ludo(rules=ludopy)"), "rossen2022")
    with pytest.raises(LudusError, match="unknown scheme of ludo-classic-4 'peters'"):
        learner_of(ludus.game("ludo"), "peters2022")


def test_a_learners_player_plays():
    learner = learner_of(ludus.game("ludo"), "alhajry2012-ql")
    result = ludus.arena("ludo", [learner.player(), "random", "random", "random"], games=4)
    assert sum(row.wins for row in result.rows) == 4


# --- tables as files -------------------------------------------------------------------------------------------------


def table_file(path: Any, table: np.ndarray, **changes: Any) -> str:
    """A file such as a run of Rossen's learner writes."""
    facts = {
        "game": "ludo-ludopy-1.3.1-2",
        "game_text": "ludo(rules=ludopy-1.3.1,seats=2)",
        "game_version": 1,
        "method": "q",
        "player": "q",
        "settings": {"encoding": "rossen", "hidden": 1},
        "training": {"games": 100},
    }
    storage.save(path, {"table": table}, facts | changes)
    return f"q:{path}"


def test_a_table_made_with_two_seats_plays_with_four(tmp_path):
    name = table_file(tmp_path / "t.safetensors", np.zeros((126, 8)))
    result = ludus.arena("ludo(rules=ludopy)", [name, "random", "random", "random"], games=4)
    assert sum(row.wins for row in result.rows) == 4


@pytest.mark.parametrize(
    ("table", "changes", "game", "complaint"),
    [
        (
            np.zeros((28, 12)),
            {},
            "ludo(rules=ludopy)",
            "does not have the shape that scheme 'rossen' needs here: table",
        ),
        (np.zeros((126, 8), np.float32), {}, "ludo(rules=ludopy)", "does not have the shape"),
        (np.full((126, 8), np.nan), {}, "ludo(rules=ludopy)", "not finite"),
        (np.zeros((126, 8)), {}, "ludo", "can't be used: unknown scheme of ludo-classic-4 'rossen'"),
        (np.zeros((126, 8)), {"game_version": 9}, "ludo(rules=ludopy)", "rules version 9"),
        (np.zeros((126, 8)), {"game_text": "backgammon"}, "ludo(rules=ludopy)", "is a model for backgammon"),
        (
            np.zeros((126, 8)),
            {"method": "traces", "player": "td"},
            "ludo(rules=ludopy)",
            "holds what player 'td' plays by; name it as td:",
        ),
        (
            np.zeros((126, 8)),
            {"settings": {}},
            "ludo(rules=ludopy)",
            "can't be used: unknown scheme of ludo-ludopy-4 ''",
        ),
        (
            np.zeros((126, 8)),
            {"settings": {"layout": "2-2"}},
            "ludo(rules=ludopy)",
            "unknown setting of method 'q' 'layout'",
        ),
        (np.zeros((126, 8)), {"method": "sarsa"}, "ludo(rules=ludopy)", "unknown method 'sarsa'"),
    ],
)
def test_foreign_tables_are_refused(tmp_path, table, changes, game, complaint):
    name = table_file(tmp_path / "t.safetensors", table, **changes)
    with pytest.raises(LudusError, match=re.escape(complaint)):
        player(name, ludus.game(game))


def test_a_table_is_no_network_and_a_word_alone_no_table(tmp_path):
    name = table_file(tmp_path / "t.safetensors", np.zeros((126, 8)), game="ludo-ludopy-4")
    with pytest.raises(LudusError, match=r"holds what player 'q' plays by; name it as q:"):
        player(name.replace("q:", "td:"), ludus.game("ludo(rules=ludopy)"))
    with pytest.raises(LudusError, match="say whose values to play by"):
        player("q", ludus.game("ludo"))
    with pytest.raises(LudusError, match=r"there is no model\.safetensors"):
        player(f"q:{tmp_path}", ludus.game("ludo"))
    with pytest.raises(LudusError, match="rules of ludopy only"):
        player("peters", ludus.game("ludo"))
