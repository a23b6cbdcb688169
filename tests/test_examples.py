"""The examples: each trains, stops and goes on with the same result, and plays; and each is the algorithm that it says it is."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.batch import Games
from ludus.errors import LudusError
from ludus.kernel import JIT
from ludus.lab import Run, Stopped, train
from ludus.matches import arena
from ludus.matches.flight import play_games
from ludus.methods import method_class
from ludus.players import player
from runs import Ear, press_ctrl_c
from toys import Nim, Pennies, Race

FOLDER = Path(__file__).parent.parent / "examples" / "methods"
TINY: dict[str, Any] = {"games": 30, "evaluation_games": 4, "evaluate_every": 30, "checkpoint_every": 10}

# Where each example is tried, with what settings.
TRIALS = [
    ("sarsa", "Sarsa", "tictactoe", {"entries": 5000}),
    ("sarsa", "Sarsa", "backgammon", {"encoding": "raw"}),
    ("truetd", "TrueTD", "backgammon", {}),
    ("truetd", "TrueTD", "tictactoe", {"encoding": "propositions", "exploration": 0.1}),
    ("reinforce", "Reinforce", "tictactoe", {"encoding": "propositions"}),
    ("reinforce", "Reinforce", "backgammon", {"hidden": 4}),
    ("hebbian", "Hebbian", "backgammon", {"units": 5}),
]
each_trial = pytest.mark.parametrize(
    ("file", "name", "game", "settings"), TRIALS, ids=lambda v: v if isinstance(v, str) else ""
)


def method(file: str, name: str) -> Any:
    """The class of an example, as `--method FILE:NAME` finds it."""
    if file == "reinforce":
        pytest.importorskip("torch")
    return method_class(f"{FOLDER / file}.py:{name}")


def learner(file: str, name: str, game: Any, games: int, **settings: Any) -> Any:
    game = ludus.game(game) if isinstance(game, str) else game
    return method(file, name)(**settings).begin(game, seed=1, games=games)


def tensors(run: Run) -> str:
    return hashlib.sha256(run.model.read_bytes()).hexdigest()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_can_be_read_at_a_glance(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 130
    assert path.stem in {trial[0] for trial in TRIALS}


@each_trial
def test_it_trains_stops_and_goes_on_bit_for_bit(
    file: str, name: str, game: str, settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cls = method(file, name)
    monkeypatch.setattr(cls, "unit", 10)
    run = train(game, method=cls(**settings), out=tmp_path / "whole", **TINY)
    assert run.finished
    assert run.evaluations()[-1]["games"] == 30
    with pytest.raises(Stopped):
        train(game, method=cls(**settings), out=tmp_path / "parts", progress=Ear(20, press_ctrl_c), **TINY)
    again = train(resume=tmp_path / "parts", method=cls)
    assert tensors(again) == tensors(run)


@each_trial
def test_what_it_becomes_depends_on_the_seed_and_plays(
    file: str, name: str, game: str, settings: dict[str, Any]
) -> None:
    def state(seed: int) -> dict[str, np.ndarray]:
        made = method(file, name)(**settings).begin(ludus.game(game), seed=seed, games=20)
        before = {key: array.copy() for key, array in made.state().items()}
        made.advance()
        assert any((before[key] != array).any() for key, array in made.state().items())
        who = made.player()
        result = arena(game, [who, "random"], games=4)
        assert result.rows[0].name == file
        assert not hasattr(who, "choose")
        return made.state()

    one, same, other = state(1), state(1), state(2)
    assert all((one[key] == same[key]).all() for key in one)
    assert any((one[key] != other[key]).any() for key in one)


# --- SARSA -----------------------------------------------------------------------------------------------------------


def test_sarsa_learns_nim_by_a_table() -> None:
    game = Nim(heaps=(2, 3))
    sarsa = learner("sarsa", "Sarsa", game, 3000, entries=4096, exploration=0.2)
    while sarsa.games < sarsa.total:
        sarsa.advance()
    scores = play_games(game, [sarsa.player(), player("random", game)], ["sarsa", "random"], 1, range(100)).scores
    assert (scores[::2, 0] == 1).all()  # where it begins, it can always win: it takes one from the second heap


def test_sarsa_draws_a_value_towards_that_of_the_next_move_of_the_same_seat() -> None:
    sarsa = learner("sarsa", "Sarsa", Race(), 1, entries=100, rate=0.5)
    sarsa.error = sarsa.updates = 0
    module = sys.modules[type(sarsa).__module__]
    sarsa.memory = module.Memory(8, 100)
    after = Games(Race(), count=2).begin().afterstates()
    rows = after.hashed(100).take([0, 1])
    inputs = rows.index.tolist()
    assert len(set(inputs)) == 2
    sarsa.memory.put([6, 3], rows)  # slot 1, seat 2; slot 0, seat 3
    sarsa.update(np.array([6, 3, 1]), np.array([1.0, -1.0, 9.0]))  # the last has not moved yet
    wanted = np.zeros((100, 4))
    wanted[inputs[0], 2], wanted[inputs[1], 3] = 0.5, -0.5
    assert sarsa.weights.tolist() == wanted.tolist()
    sarsa.update(np.array([6]), np.array([1.0]))
    assert sarsa.weights[inputs[0], 2] == 0.75
    assert (sarsa.error, sarsa.updates) == (2.5, 3)


@pytest.mark.parametrize("game", [Race(), Pennies()], ids=["four seats", "at once"])
def test_sarsa_learns_any_game(game: Any) -> None:
    sarsa = learner("sarsa", "Sarsa", game, 100, entries=1000)
    report = sarsa.advance()
    assert report["error"] > 0
    assert all(column.any() for column in sarsa.weights.T)  # every seat has learned
    assert arena(game, [sarsa.player(), "random"], games=8).rows[0].name == "sarsa"


# --- true online TD(λ) -----------------------------------------------------------------------------------------------


def forward_view(seen: list[np.ndarray], outcome: np.ndarray, w: np.ndarray, rate: float, decay: float) -> np.ndarray:
    """The online forward view, which looks at all states again at each step: slow, and the definition."""
    first, end = w.copy(), len(seen)
    predicted = {0: first}  # the weights after each step
    for horizon in range(1, end + 1):
        w = first.copy()
        for k in range(horizon):
            # The λ-return of state k as known at the horizon: values of the states on the way by the weights of their time.
            bootstrap = [seen[i] @ predicted[i - 1] if i < end else outcome for i in range(k + 1, horizon + 1)]
            *shorter, last = bootstrap
            target = decay ** len(shorter) * last
            target = target + (1 - decay) * sum(
                (decay**n * value for n, value in enumerate(shorter)), np.zeros_like(last)
            )
            w += rate * np.outer(seen[k], target - seen[k] @ w)
        predicted[horizon] = w
    return w


@pytest.mark.parametrize("decay", [0.0, 0.5, 0.9, 1.0])
def test_true_td_is_exactly_the_online_forward_view(decay: float) -> None:
    made = learner("truetd", "TrueTD", "backgammon", 1, rate=0.05, decay=decay)
    rng = np.random.default_rng(3)
    seen, outcome = list(rng.normal(size=(7, 198)) / 10), np.array([1.0, 0.0])
    made.weights[:] = rng.normal(size=made.weights.shape)
    wanted = forward_view(seen, outcome, made.weights, 0.05, decay)
    made.follow(seen, outcome)
    assert made.weights == pytest.approx(wanted, rel=1e-10, abs=1e-12)


def test_true_td_needs_one_view_for_all_seats() -> None:
    with pytest.raises(LudusError, match="turns with the seats"):
        learner("truetd", "TrueTD", "backgammon", 1, encoding="rich")


@pytest.mark.skipif(not JIT, reason="it plays thousands of games")
@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "name", "settings", "games", "least"),
    [
        ("sarsa", "Sarsa", {"encoding": "raw"}, 4000, 0.9),
        ("truetd", "TrueTD", {}, 4000, 0.9),
        ("reinforce", "Reinforce", {}, 2000, 0.85),
        ("hebbian", "Hebbian", {}, 4000, 0.6),
    ],
)
def test_it_learns_backgammon(file: str, name: str, settings: dict[str, Any], games: int, least: float) -> None:
    made = learner(file, name, "backgammon", games, **settings)
    while made.games < made.total:
        made.advance()
    assert arena("backgammon", [made.player(), "random"], games=400).rows[0].win_rate > least


# --- REINFORCE -------------------------------------------------------------------------------------------------------


def test_reinforce_draws_by_a_softmax_over_each_row_and_keeps_all_of_adam() -> None:
    made = learner("reinforce", "Reinforce", "tictactoe", 64, encoding="propositions")
    module = sys.modules[type(made).__module__]
    before = {key: array.copy() for key, array in made.state().items()}
    batch = Games("tictactoe", count=5).begin()
    look = module.Look(batch, "propositions")
    odds = look.log_odds(made.network).exp().detach().numpy()
    logits = look.logits(made.network).detach().numpy()
    for row in range(5):
        mine = slice(look.legal.starts[row], look.legal.starts[row + 1])
        assert odds[mine] == pytest.approx(np.exp(logits[mine]) / np.exp(logits[mine]).sum(), rel=1e-5)
    made.advance()
    after = {key: array.copy() for key, array in made.state().items()}
    assert {key.split(".")[-1] for key in after} == {"weight", "bias", "step", "exp_avg", "exp_avg_sq"}
    assert all((before[key] != after[key]).any() for key in after)
    made.restore(before)
    made.counters["games"] = 0
    made.advance()
    assert all((made.state()[key] == after[key]).all() for key in after)


# --- Hebbian learning with synaptic scaling --------------------------------------------------------------------------


def test_the_network_with_synaptic_scaling_finds_the_kinds_of_a_mixture() -> None:
    """Two kinds of inputs, mixed: each unit comes to stand for one, and the weights of each keep their sum."""
    made = learner("hebbian", "Hebbian", "backgammon", 1, units=2, contrast=100.0, hebb=0.05)
    module = sys.modules[type(made).__module__]
    rng = np.random.default_rng(1)
    kinds = np.zeros((2, 198))
    kinds[0, :20] = kinds[1, 20:50] = 1
    truth = rng.integers(2, size=400)
    shown = (kinds[truth] * (rng.random((400, 198)) < 0.7)).astype(np.float32)
    index = [np.flatnonzero(row) for row in shown]
    starts = np.concatenate([[0], np.cumsum([len(i) for i in index])])
    flat = np.concatenate(index)
    x = module.Observation(198, flat, np.ones(len(flat), np.float32), starts, np.zeros(400, np.int64))
    for _ in range(20):
        for row in range(400):
            one = x.take([row])
            made.see(one, module.respond(made.weights, 100.0, one))
    assert made.weights.sum(axis=1) == pytest.approx([298.0, 298.0])
    assert (made.weights > 0).all()
    winner = module.respond(made.weights, 100.0, x).argmax(axis=1)
    assert abs((winner == truth).mean() - 0.5) == 0.5  # all of one kind by one unit, whichever it is


def test_the_activity_is_a_softmax_of_weighted_inputs() -> None:
    made = learner("hebbian", "Hebbian", "backgammon", 1, units=4, contrast=30.0)
    module = sys.modules[type(made).__module__]
    made.weights *= np.random.default_rng(2).uniform(0.5, 2, made.weights.shape)
    x = Games("backgammon", count=3).begin().afterstates().observe("raw")
    dense = x.dense().astype(np.float64)
    y = 1 + 30.0 * dense / dense.sum(axis=1, keepdims=True)
    assert y.sum(axis=1) == pytest.approx(np.full(len(x), 198 + 30.0))
    excitation = y @ np.log(made.weights).T
    wanted = np.exp(excitation - excitation.max(axis=1, keepdims=True))
    wanted /= wanted.sum(axis=1, keepdims=True)
    assert module.respond(made.weights, 30.0, x) == pytest.approx(wanted)
