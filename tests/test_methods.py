"""A method of one's own: a dozen lines, and the lab trains it, stops it, goes on with it bit for bit, evaluates it, sweeps over it; the arena plays it."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.errors import LudusError
from ludus.lab import Run, Stopped, train
from ludus.lab.sweep import sweep
from ludus.methods import Method, method_class, method_name, setting
from ludus.nets import storage
from runs import Ear, press_ctrl_c, same, timeless
from toys import Pennies

TINY: dict[str, Any] = {"games": 120, "evaluation_games": 6, "evaluate_every": 50, "checkpoint_every": 30}


class Favourite:
    """Begins with one move, and goes on at random."""

    def __init__(self, move: int) -> None:
        self.move = move

    def choose(self, position: Any, rng: np.random.Generator) -> int:
        legal = position.moves()
        return self.move if self.move in legal else legal[rng.integers(len(legal))]


class Visits(Method):
    """Counts how often it has begun with each move."""

    @dataclass(frozen=True)
    class Settings:
        """What steers it."""

        step: float = setting(1.0, "what a visit counts", above=0)
        head: int = setting(0, "visits that the first move has at the beginning", low=0)

    def setup(self) -> None:
        self.moves = self.game.start().moves()
        self.visits = np.zeros(len(self.moves))
        self.visits[0] = self.settings.head

    def learn(self, games: int) -> dict[str, float]:
        chosen = [np.random.default_rng([self.seed, self.games + i]).integers(len(self.moves)) for i in range(games)]
        np.add.at(self.visits, chosen, self.settings.step)
        self.counters["moves"] += games
        return {"entries": int((self.visits > 0).sum()), "spread": np.float32(self.visits.std())}

    def state(self) -> dict[str, np.ndarray]:
        return {"visits": self.visits}

    def player(self) -> Favourite:
        return Favourite(int(self.moves[self.visits.argmax()]))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train("tictactoe", method=Visits, out=tmp_path_factory.mktemp("visits") / "run", **TINY)


def files(run: Run) -> dict[str, str]:
    """A hash of each file of a run that must not depend on what happened on the way."""
    kept = [run.folder / "config.toml", run.model, *run.checkpoints()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


# --- what the lab does with it ---------------------------------------------------------------------------------------


def test_it_is_trained_and_evaluated(undisturbed: Run) -> None:
    assert undisturbed.finished
    assert [line["games"] for line in undisturbed.evaluations()] == [0, 60, 100, 120]  # units of twenty games
    assert undisturbed.config.label == undisturbed.config.method == "test_methods:Visits"
    assert undisturbed.config.settings == {"step": 1.0, "head": 0}
    tensors, facts = storage.load(undisturbed.model)
    assert tensors["visits"].sum() == 120
    assert (facts["player"], facts["counters"]) == ("run", {"games": 120, "moves": 120, "positions": 120})
    assert {p.name for p in undisturbed.folder.iterdir()} > {"curve.png", "curve.svg", "rules.kif"}


def test_what_it_reports_is_in_the_record_in_its_own_words_too(undisturbed: Run) -> None:
    lines = [line for line in undisturbed.metrics() if line["kind"] == "progress"]
    assert [line["games"] for line in lines] == list(range(20, 121, 20))
    assert lines[-1]["entries"] == 9
    assert lines[-1]["spread"] == pytest.approx(storage.load(undisturbed.model)[0]["visits"].std(), rel=1e-6)


@pytest.mark.parametrize("games", [20, 60, 100])
def test_stopped_and_resumed_it_leaves_the_same_files(games: int, undisturbed: Run, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train("tictactoe", method=Visits(), out=tmp_path / "run", progress=Ear(games, press_ctrl_c), **TINY)
    stopped = Run.open(tmp_path / "run")
    assert int(stopped.checkpoints()[0].stem) == games
    again = train(resume=tmp_path / "run", method=Visits)
    assert same(again, undisturbed)
    assert files(again) == files(undisturbed)


def test_it_is_known_from_then_on_and_need_not_be_named_again(undisturbed: Run, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        train("tictactoe", method=Visits, out=tmp_path / "run", progress=Ear(60, press_ctrl_c), **TINY)
    ear = Ear()
    assert files(train(resume=tmp_path / "run", progress=ear)) == files(undisturbed)
    assert ear.warnings == []


def test_a_class_of_a_function_or_a_notebook_is_known_as_well(tmp_path: Path) -> None:
    class Inner(Visits):
        """Nobody could import it."""

    run = train("tictactoe", method=Inner(head=3), out=tmp_path / "run", **TINY | {"games": 20})
    assert isinstance(Run.open(run.folder).player(), Favourite)


def test_the_arena_plays_it(undisturbed: Run) -> None:
    assert undisturbed.player_name == f"run:{undisturbed.folder}(method=test_methods:Visits)"
    named = ludus.arena("tictactoe", [f"run:{undisturbed.folder}", "random"], games=20, seed=3)
    here = ludus.arena("tictactoe", [undisturbed.player(), "random"], games=20, seed=3)
    assert named.rows[0].name == f"run:{undisturbed.folder}"
    assert named.rows[0].wins == here.rows[0].wins
    assert ludus.player(undisturbed.player_name, undisturbed.game).move == undisturbed.player().move


def test_a_sweep_goes_over_its_settings_and_goes_on_where_it_was(tmp_path: Path) -> None:
    over = {"head": [0, 200]}
    made = sweep("tictactoe", None, over, tmp_path / "s", method=Visits(step=0.5), **TINY | {"games": 40})
    totals = [storage.load(point.run.model)[0]["visits"].sum() for point in made.points]
    assert totals == [20, 220]
    assert made.to_json()["points"][1]["settings"] == {"head": 200}
    (made.points[1].run.folder / "model.safetensors").unlink()  # as if it had been interrupted
    again = sweep("tictactoe", None, over, tmp_path / "s", method=Visits(step=0.5), **TINY | {"games": 40})
    assert [timeless(point.run) for point in again.points] == [timeless(point.run) for point in made.points]
    with pytest.raises(LudusError, match=r"its step is 0\.5 instead of 2\.0"):
        sweep("tictactoe", None, over, tmp_path / "s", method=Visits(step=2.0), **TINY | {"games": 40})
    with pytest.raises(LudusError, match="unknown setting 'heat'; did you mean 'head'"):
        sweep("tictactoe", None, {"heat": [1]}, tmp_path / "t", method=Visits, **TINY)


def test_a_resumed_run_keeps_what_it_was_begun_with(undisturbed: Run) -> None:
    for wrong, complaint in (
        ({"method": Visits(step=2.0)}, "keeps its settings: name the method alone"),
        ({"method": "traces"}, "learns by test_methods:Visits, not by traces"),
        ({"game": "hex3"}, "learns tictactoe, not hex3"),
        ({"seed": 2}, "give resume alone"),
        ({"preset": "network"}, "give resume alone"),
        ({"step": 2.0}, "give resume alone"),
    ):
        with pytest.raises(LudusError, match=complaint):
            train(resume=undisturbed.folder, **wrong)  # type: ignore[arg-type]


# --- TensorBoard -----------------------------------------------------------------------------------------------------


def test_tensorboard_is_told_the_methods_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the package, which keeps what is handed to it."""
    events: list[Any] = []

    class Writer:
        def __init__(self, folder: str) -> None:
            self.add_event = events.append

        def close(self) -> None:
            events.append("closed")

    class Summary(SimpleNamespace):
        Value = SimpleNamespace

    parts = {
        "tensorboard": {}, "tensorboard.compat": {}, "tensorboard.compat.proto": {}, "tensorboard.summary": {},
        "tensorboard.summary.writer": {}, "tensorboard.summary.writer.event_file_writer": {"EventFileWriter": Writer},
        "tensorboard.compat.proto.event_pb2": {"Event": SimpleNamespace, "SessionLog": SimpleNamespace(START=1)},
        "tensorboard.compat.proto.summary_pb2": {"Summary": Summary},
    }  # fmt: skip
    for name, values in parts.items():
        module = ModuleType(name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, name, module)
    run = train("tictactoe", method=Visits, out=tmp_path / "run", tensorboard=True, **TINY | {"games": 40})
    assert events.pop() == "closed"
    told = [(event.step, {v.tag: v.simple_value for v in event.summary.value}) for event in events]
    wanted = [(20, "learning/spread"), (40, "learning/spread"), (40, "win_rate/random")]
    assert [
        (step, tag) for step, values in told for tag in values if tag in ("learning/spread", "win_rate/random")
    ] == wanted
    lines = [line for line in run.metrics() if line["kind"] == "progress"]
    assert [values["learning/spread"] for _, values in told if "learning/spread" in values] == [
        line["spread"] for line in lines
    ]
    assert {"learning/entries", "learning/games_per_second"} < told[0][1].keys()


def test_tensorboard_itself_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    run = train("tictactoe", method=Visits, out=tmp_path / "run", tensorboard=True, **TINY | {"games": 40})
    events = EventAccumulator(str(run.folder / "tensorboard"))
    events.Reload()
    assert [event.step for event in events.Scalars("learning/spread")] == [20, 40]


# --- what authors get wrong ------------------------------------------------------------------------------------------


def begun(cls: type[Method], games: int = 40) -> Any:
    return cls().begin(ludus.game("tictactoe"), 1, games)


def test_a_method_without_settings_says_so() -> None:
    class Plain(Method):
        """Has none."""

    with pytest.raises(LudusError, match="method 'plain' has no settings: what is rate"):
        Plain(rate=1)
    with pytest.raises(LudusError, match="unknown setting of method 'visits' 'stp'; did you mean 'step'"):
        Visits(stp=1)


def test_games_in_which_all_move_at_once_are_for_methods_that_say_so() -> None:
    with pytest.raises(
        LudusError, match="in pennies all seats move at once; method 'visits' learns games of turns only"
    ):
        Visits().begin(Pennies())


def test_a_state_that_is_a_copy_is_no_silent_loss(tmp_path: Path) -> None:
    """Without `restore`, going on from it would be to begin anew, and nobody would notice."""

    class Counts(Visits):
        def state(self) -> dict[str, np.ndarray]:
            return {"visits": self.visits.astype(np.float32)}

    with pytest.raises(Stopped):
        train("tictactoe", method=Counts, out=tmp_path / "run", progress=Ear(60, press_ctrl_c), **TINY)
    with pytest.raises(TypeError, match=r"Counts\.state\(\) gives copies.* write Counts\.restore\(state\)"):
        train(resume=tmp_path / "run", method=Counts)
    assert len(Run.open(tmp_path / "run").checkpoints()) == 2  # which are as good as before


def test_what_plays_may_be_less_than_what_learns(tmp_path: Path) -> None:
    class Momentum(Visits):
        def setup(self) -> None:
            super().setup()
            self.speed = np.zeros(1)

        def state(self) -> dict[str, np.ndarray]:
            return {"visits": self.visits, "speed": self.speed}

        def model(self) -> dict[str, np.ndarray]:
            return {"visits": self.visits}

    run = train("tictactoe", method=Momentum, out=tmp_path / "run", **TINY | {"games": 20})
    assert storage.load(run.model)[0].keys() == {"visits"}
    assert storage.load(run.checkpoints()[0])[0].keys() == {"visits", "speed"}
    assert ludus.player(f"run:{run.folder}", run.game).move == run.player().move


def test_what_is_no_array_can_not_be_kept(tmp_path: Path) -> None:
    class Loose(Visits):
        def state(self) -> dict[str, Any]:
            return {"visits": self.visits.tolist()}

    with pytest.raises(TypeError, match=r"state\(\) of Loose must give NumPy arrays; visits is list"):
        train("tictactoe", method=Loose, out=tmp_path / "run", **TINY)


def test_numbers_of_numpy_will_do_everywhere(tmp_path: Path) -> None:
    """Counters, reports, and arrays without any axis."""

    class Scalar(Visits):
        def setup(self) -> None:
            super().setup()
            self.total_visits = np.array(0.5)
            self.counters["odd"] = 0

        def learn(self, games: int) -> dict[str, float]:
            super().learn(games)
            self.total_visits += games
            self.counters["moves"] += np.int64(2)
            self.counters["odd"] += np.int32(1)
            return {"error": np.float32(0.5), "entries": np.int64(3)}

        def state(self) -> dict[str, np.ndarray]:
            return super().state() | {"total": self.total_visits}

    with pytest.raises(Stopped):
        train("tictactoe", method=Scalar, out=tmp_path / "run", progress=Ear(60, press_ctrl_c), **TINY)
    ear = Ear()
    run = train(resume=tmp_path / "run", method=Scalar, progress=ear)
    assert ear.warnings == []
    tensors, facts = storage.load(run.model)
    assert (tensors["total"].shape, tensors["total"].item()) == ((), 120.5)
    assert facts["counters"] == {"games": 120, "moves": 132, "positions": 132, "odd": 6}
    assert json.dumps(run.metrics()[-2])


def test_a_report_may_not_use_the_words_of_the_record() -> None:
    class Wordy(Visits):
        def learn(self, games: int) -> dict[str, float]:
            return {"seconds": 1.0}

    with pytest.raises(TypeError, match="Wordy reports 'seconds', which the record says of every training"):
        begun(Wordy).advance()


def test_a_report_that_is_not_finite_ends_the_training(tmp_path: Path) -> None:
    class Wild(Visits):
        def learn(self, games: int) -> dict[str, float]:
            return {"error": float("nan") if self.games >= 40 else 0.0}

    with pytest.raises(
        LudusError, match=r"after 60 games error is nan: the training has diverged.*000000040"
    ) as caught:
        train("tictactoe", method=Wild, out=tmp_path / "run", **TINY)
    assert caught.value.exit_code == 1  # type: ignore[attr-defined]


def test_what_is_not_finite_is_not_kept_either(tmp_path: Path) -> None:
    class Lost(Visits):
        def learn(self, games: int) -> dict[str, float]:
            self.visits[0] = np.inf
            return {}

    with pytest.raises(LudusError, match="after 40 games visits is no longer finite"):
        train("tictactoe", method=Lost, out=tmp_path / "run", **TINY)
    assert Run.open(tmp_path / "run").checkpoints() == []


def test_the_last_unit_is_what_is_left_of_the_games() -> None:
    learner = begun(Visits, games=50)
    done = []
    while learner.games < 50:
        learner.advance()
        done.append(learner.games)
    assert done == [20, 40, 50]
    assert learner.visits.sum() == 50


def test_names_of_methods() -> None:
    assert method_name(method_class("traces")) == "traces"
    assert method_name(Visits) == "test_methods:Visits"
    assert method_class("test_methods:Visits", load=False) is Visits
    with pytest.raises(LudusError, match=r"code is loaded only when you name it: --method nowhere\.py:Sarsa"):
        method_class("nowhere.py:Sarsa", load=False)
