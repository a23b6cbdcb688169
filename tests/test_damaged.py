"""Files that say odd things, well signed or not, and trainings that diverge: refused in one line that names the file, or of no harm."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.lab import Run, TrainingError, train
from ludus.lab.config import Config
from ludus.lab.inspect import inspect
from ludus.lab.metrics import Record, read
from ludus.lab.plots import learning_curve
from ludus.methods import Method
from ludus.nets import storage
from ludus.players.base import Random

OLD = Path(__file__).parent / "data" / "format1"
PLAYERS = {"traces": "td", "selfplay": "td", "q": "q", "table": "qm", "qlnn": "qlnn"}
every_method = pytest.mark.parametrize("name", PLAYERS)

GONE = object()
ODD: list[Any] = [GONE, None, True, -1, 1.5, float("nan"), 10**30, "", "x" * 5000, "a\0b", [], ["x"], {}, {"x": {}}]


@pytest.fixture
def run(name: str, tmp_path: Path) -> Run:
    """A small run of a method, to be damaged."""
    return Run.open(shutil.copytree(OLD / name, tmp_path / "run"))


def changed(facts: dict[str, Any], luck: random.Random, count: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Facts of which one is odd, or missing; at the top or one level below."""
    places = [(key,) for key in facts]
    places += [(key, inner) for key, value in facts.items() if isinstance(value, dict) for inner in value]
    cases = [(place, odd) for place in places for odd in ODD if place != ("format_version",)]
    for place, odd in luck.sample(cases, min(count, len(cases))):
        new = copy.deepcopy(facts)
        holder = new[place[0]] if len(place) == 2 else new
        if odd is GONE:
            del holder[place[-1]]
        else:
            holder[place[-1]] = odd
        yield f"{'.'.join(place)} = {'gone' if odd is GONE else repr(odd)[:50]}", new


def only_one_line(what: str, *uses: Callable[[], Any]) -> None:
    """Each use works, or is refused in one line."""
    for use in uses:
        told = "one line"
        try:
            use()
        except LudusError as error:
            told = str(error)
        except Exception as error:
            pytest.fail(f"{what}: {error!r}")
        assert len(told.splitlines()) == 1, what


# --- models and checkpoints ------------------------------------------------------------------------------------------


@every_method
def test_a_well_signed_model_with_odd_facts(name: str, run: Run) -> None:
    tensors, facts = storage.load(run.model)
    game = run.game
    for what, odd in changed(facts, random.Random(1), 120):
        storage.save(run.model, tensors, odd)
        only_one_line(
            what, run.player, lambda: run.finished, lambda: ludus.player(f"run:{run.model}", game),
            lambda: ludus.player(f"{PLAYERS[name]}:{run.model}", game), lambda: inspect(run.folder),
        )  # fmt: skip


def odd_tensors(tensors: dict[str, np.ndarray]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    for name, tensor in tensors.items():
        odd = {
            "of no dimension": np.zeros((), tensor.dtype),
            "of one more": tensor[None],
            "empty": tensor[:0],
            "of other numbers": tensor.astype(np.float64 if tensor.dtype != np.float64 else np.int16),
        }
        for what, other in odd.items():
            yield f"{name} {what}", tensors | {name: np.ascontiguousarray(other)}
        yield f"without {name}", {key: value for key, value in tensors.items() if key != name}


@every_method
def test_a_well_signed_model_with_odd_tensors(name: str, run: Run) -> None:
    tensors, facts = storage.load(run.model)
    game = run.game
    for what, odd in odd_tensors(tensors):
        storage.save(run.model, odd, facts)
        only_one_line(what, run.player, lambda: ludus.player(f"run:{run.model}", game), lambda: inspect(run.folder))


@every_method
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_wherever_they_are(name: str, value: float, run: Run) -> None:
    for path in (run.model, run.checkpoints()[0]):
        tensors, facts = storage.load(path)
        for key, tensor in tensors.items():
            if tensor.dtype.kind == "f" and tensor.size:
                spoilt = tensor.copy()
                spoilt.flat[-1] = value
                storage.save(path, tensors | {key: spoilt}, facts)
                with pytest.raises(LudusError, match=f"{path.name} makes no sense: .* not finite, in {key}"):
                    storage.load(path)


@every_method
def test_a_well_signed_checkpoint_with_odd_facts_or_tensors_is_put_aside(name: str, run: Run) -> None:
    (path,) = run.checkpoints()
    good = path.read_bytes()
    tensors, facts = storage.load(path)
    learner = run.learner()
    cases = [(what, tensors, odd) for what, odd in changed(facts, random.Random(1), 80)]
    cases += [(what, odd, facts) for what, odd in odd_tensors(tensors)]
    for what, spoilt, odd in cases:
        storage.save(path, spoilt, odd)
        warnings: list[str] = []
        before = {key: value.tobytes() for key, value in learner.state().items()}
        only_one_line(what, partial(run.restore, learner, warnings.append))
        if warnings:
            assert str(path) in warnings[0], what
            assert {key: value.tobytes() for key, value in learner.state().items()} == before, what
            assert learner.games == 0
        path.write_bytes(good)
    assert run.restore(learner, pytest.fail)


# --- configurations --------------------------------------------------------------------------------------------------


@every_method
def test_odd_values_in_a_configuration(name: str, run: Run) -> None:
    path = run.folder / "config.toml"
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        key, equals, _ = line.partition(" = ")
        for odd in (
            ("-1", "1.5", "nan", "1e400", "true", '""', '"x"', '"a\\u0000b"', "[]", '["x"]', "{}", "[[[", "9" * 400)
            if equals
            else ()
        ):
            path.write_text("\n".join([*lines[:number], f"{key} = {odd}", *lines[number + 1 :]]))
            only_one_line(
                f"{key} = {odd}",
                lambda: Config.read(path),
                lambda: Run.open(run.folder).method(),
                lambda: Run.open(run.folder).game,
            )


def test_a_configuration_as_deep_as_a_well(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("game = " + "[" * 100_000)
    with pytest.raises(LudusError, match="damaged"):
        Run.open(tmp_path)


# --- records ---------------------------------------------------------------------------------------------------------


def test_every_flipped_bit_in_a_record_is_noticed_or_does_no_harm(tmp_path: Path) -> None:
    run = Run.open(shutil.copytree(OLD / "traces", tmp_path / "run"))
    path, luck = run.folder / "metrics.jsonl", random.Random(1)
    data = path.read_bytes()
    refused = 0
    for _ in range(300):
        flipped = bytearray(data)
        flipped[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
        path.write_bytes(flipped)
        try:
            evaluations = run.evaluations()
        except LudusError as error:
            refused += f"{path}, line " in str(error)
        else:
            only_one_line(
                "a curve", lambda lines=evaluations: learning_curve(lines, "x") if luck.random() < 0.1 else None
            )
    assert refused > 100


ROW = {
    "name": "random",
    "games": 10,
    "win_rate": 0.5,
    "win_rate_ci95": [0.2, 0.8],
    "points_per_game": 0.1,
    "points_se": None,
}
LINE = {"kind": "evaluation", "games": 5, "moves": 9, "seconds": 0.5, "opponents": [ROW]}


@pytest.mark.parametrize(
    "line",
    [[], 5, None, LINE | {"kind": "evaluatiom"}, LINE | {"games": "5"}, LINE | {"games": -1}, LINE | {"games": True}, LINE | {"moves": None},
     LINE | {"opponents": {}}, LINE | {"opponents": [[]]}, LINE | {"seconds": float("nan")},
     *(LINE | {"opponents": [{k: v for k, v in ROW.items() if k != key}]} for key in ROW),
     *(LINE | {"opponents": [ROW | {key: odd}]} for key in ROW for odd in ("x", [], {}, float("inf")) if (key, odd) != ("name", "x"))],
)  # fmt: skip
def test_a_line_that_makes_no_sense(line: Any, tmp_path: Path) -> None:
    path, good = tmp_path / "metrics.jsonl", json.dumps(LINE)
    path.write_text(f"{good}\n{json.dumps(line)}\n{good}\n")
    with pytest.raises(LudusError, match=r"metrics\.jsonl, line 2 is damaged: "):
        read(path)
    warnings: list[str] = []
    record = Record(path, 5, warn=warnings.append)  # as a run that goes on does
    record.close()
    assert record.lines == read(path) == [LINE, LINE]
    (warning,) = warnings
    assert "line 2 is damaged" in warning


def test_a_record_never_holds_what_is_no_json(tmp_path: Path) -> None:
    record = Record(tmp_path / "metrics.jsonl", 0)
    with pytest.raises(LudusError, match="not finite"):
        record.add({"kind": "progress", "games": 1, "error": float("nan")})
    record.close()
    assert (tmp_path / "metrics.jsonl").read_bytes() == b""


def test_plot_says_which_line_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(OLD / "traces", tmp_path / "run")
    text = (folder / "metrics.jsonl").read_text()
    (folder / "metrics.jsonl").write_text(text.replace('"win_rate"', '"win_rbte"'))
    with pytest.raises(SystemExit) as ended:
        main(["plot", str(folder)])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "metrics.jsonl, line " in line
    assert "win_rate" in line


# --- trainings that diverge ------------------------------------------------------------------------------------------


class Diverging(Method):
    """Its weights grow beyond all bounds, and it reports nothing of it."""

    def setup(self) -> None:
        self.weights = np.ones(3)

    def learn(self, games: int) -> None:
        with np.errstate(over="ignore"):
            self.weights *= 1e90

    def state(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights}

    def player(self) -> Any:
        return Random(self.game.facts.max_moves)


def refuse(word: str) -> None:
    pytest.fail(f"{word} is not JSON")


def check_files(folder: Path) -> None:
    """All that a run has left can be read."""
    for path in folder.rglob("*.safetensors"):
        storage.load(path)
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=refuse)


def test_a_training_that_diverges_stops_and_keeps_what_was_good(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    values = {"games": 200, "evaluate_every": 100, "checkpoint_every": 40, "evaluation_games": 2}
    good = folder / "checkpoints" / "000000040.safetensors"
    with pytest.raises(
        TrainingError, match=f"after 80 games weights is no longer finite: the training has diverged; .* is {good}$"
    ):
        train("tictactoe", method=Diverging, out=folder, **values)
    assert Run.open(folder).checkpoints() == [good]
    assert not Run.open(folder).finished
    check_files(folder)


def test_that_is_noticed_at_an_evaluation_too(tmp_path: Path) -> None:
    values = {"games": 200, "evaluate_every": 80, "checkpoint_every": 200, "evaluation_games": 2}
    with pytest.raises(TrainingError, match=r"after 80 games .* there was no checkpoint yet"):
        train("tictactoe", method=Diverging, out=tmp_path / "run", **values)
    check_files(tmp_path / "run")


def test_what_the_command_line_says_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = [
        "train",
        "tictactoe",
        "--method",
        f"{__file__}:Diverging",
        "--games",
        "200",
        "--out",
        str(tmp_path / "run"),
        "--set",
        "evaluation_games=2",
    ]
    with pytest.raises(SystemExit) as ended:
        main(line)
    told = capsys.readouterr()
    assert ended.value.code == 1
    assert "diverged" in told.err.splitlines()[-1]
    assert "The player" not in told.out


FAST: dict[str, dict[str, Any]] = {
    "traces": {"game": "backgammon", "preset": "mauermann2015", "games": 60, "hidden": 2},
    "selfplay": {"game": "backgammon", "method": "selfplay", "encoding": "raw", "games": 48, "hidden": 2, "batch": 8},
    "q": {"game": "ludo(rules=ludopy-1.3.1,seats=2)", "preset": "rossen2022", "games": 100},
    "table": {"game": "tictactoe", "preset": "wang2018-qm", "games": 100, "playouts": 3},
    "qlnn": {"game": "quoridor(size=5,walls=3)", "preset": "qlnn", "games": 24, "layout": "3-2", "batch": 4, "lessons": 8},
}  # fmt: skip


@every_method
def test_the_largest_steps_leave_files_that_can_be_read(name: str, tmp_path: Path) -> None:
    values = {**FAST[name], "rate": 1e6, "final_rate": 1e6, "evaluation_games": 2, "out": tmp_path / "run"}
    try:
        assert train(**values).player() is not None
    except TrainingError as error:
        assert "diverged" in str(error)  # noqa: PT017  # either will do
    check_files(tmp_path / "run")
