"""Runs of earlier versions: they are read, they play, and they go on to the weights that an undisturbed run of today comes to.

Networks are learned in 32 bits, and compilers sum these in the order that suits the processor: bit for bit the same are only runs
on processors of a kind. On another one, what is left to test is that the old runs go on at all.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.kernel import JIT
from ludus.lab import Run, Stopped, train
from ludus.nets import formats, storage
from ludus.players.base import ask
from runs import TRACES, Ear, press_ctrl_c, same, weights

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.skipif(not JIT, reason="the old runs were compiled")

OLD = Path(__file__).parent / "data" / "format1"
MADE_ON = "znver4"

# The runs in the words of today.
RUNS: dict[str, dict[str, Any]] = {
    "traces": {
        "game": "backgammon", "preset": "mauermann2015", "games": 80, "hidden": 2, "seating": ("self", "random"), "rotate": True,
        "final_rate": 0.05, "evaluation_games": 2, "evaluate_every": 40, "checkpoint_every": 20,
    },
    "selfplay": {
        "game": "backgammon", "method": "selfplay", "encoding": "raw", "games": 48, "hidden": 2, "batch": 8, "rate": 0.01,
        "final_rate": 0.001, "look_ahead_from": 0.8, "exploration": 0.1, "opening": 3, "evaluation_games": 2, "evaluate_every": 24,
        "checkpoint_every": 16,
    },
    "q": {
        "game": "ludo(rules=ludopy-1.3.1,seats=2)", "preset": "rossen2022", "games": 100, "exploration_decay": 0.99, "final_rate": 0.1,
        "evaluation_games": 2, "evaluate_every": 50, "checkpoint_every": 20,
    },
    "table": {
        "game": "tictactoe", "preset": "wang2018-qm", "games": 100, "playouts": 3, "evaluation_games": 2, "evaluate_every": 50,
        "checkpoint_every": 30,
    },
    "qlnn": {
        "game": "quoridor(size=5,walls=3)", "preset": "qlnn", "games": 24, "layout": "3-2", "batch": 4, "lessons": 8, "replay": 60,
        "minibatch": 16, "exploration": 0.2, "exploration_games": 20, "exploration_floor": 0.01, "opening": 2,
        "seating": ("self", "path"), "opponents": ("path",), "evaluation_games": 2, "evaluate_every": 12, "checkpoint_every": 8,
    },
}  # fmt: skip
PLAYERS = {"traces": "td", "selfplay": "td", "q": "q", "table": "qm", "qlnn": "qlnn"}
every_run = pytest.mark.parametrize("name", RUNS)


def same_arithmetic(name: str) -> bool:
    """Whether this machine can be expected to come to the same bits: tables are of 64 bits, and nothing is summed in another order."""
    from llvmlite.binding import get_host_cpu_name

    return name in ("q", "table") or get_host_cpu_name() == MADE_ON


@every_run
def test_an_old_run_goes_on_to_the_weights_of_an_undisturbed_one(name: str, tmp_path: Path) -> None:
    ear = Ear()
    before = {line["games"]: line["moves"] for line in Run.open(OLD / name).metrics()}
    resumed = train(resume=shutil.copytree(OLD / name, tmp_path / "old"), progress=ear)
    assert ear.warnings == []  # each checkpoint was good
    assert resumed.finished
    assert {line["games"]: line["moves"] for line in resumed.metrics() if line["games"] in before} == before
    whole = train(out=tmp_path / "new", seed=3, **RUNS[name])
    assert whole.method().settings == resumed.method().settings
    assert whole.config.training == resumed.config.training
    if same_arithmetic(name):
        assert weights(resumed) == weights(whole)
        ours, theirs = ([line["opponents"] for line in run.evaluations()] for run in (whole, resumed))
        assert ours == theirs  # also of those evaluations that the old version made
        assert [(line["games"], line["moves"]) for line in whole.metrics()] == [
            (line["games"], line["moves"]) for line in resumed.metrics()
        ]


@every_run
def test_an_old_model_plays(name: str) -> None:
    run = Run.open(OLD / name)
    assert run.player_name == f"{PLAYERS[name]}:{OLD / name}"
    position, dice = run.game.start(), ludus.stream(1)
    while position.kind == "chance":
        position = position.roll(dice)
    moves = {
        int(ask(player, position, ludus.stream(2)))
        for player in (run.player(), *(ludus.player(f"{who}:{OLD / name}", run.game) for who in (PLAYERS[name], "run")))
    }
    assert len(moves) == 1  # whatever name it is called by


def test_the_record_of_old_runs_speaks_todays_words() -> None:
    """`won` was that of all games so far in two methods, and that of the last unit in a third."""
    lines = [line for line in Run.open(OLD / "table").metrics() if line["kind"] == "progress"]
    so_far = np.cumsum([line["won"] for line in lines]) / np.arange(1, len(lines) + 1)  # lines of one game each
    assert [line["won_so_far"] for line in lines] == pytest.approx(so_far.tolist())
    assert {"points", "points_so_far", "searches"} < lines[0].keys()
    assert not any(word.startswith("recent") for line in lines for word in line)
    assert all("won_so_far" in line and "won" not in line for line in Run.open(OLD / "q").metrics() if "change" in line)
    assert "won" in Run.open(OLD / "qlnn").metrics()[-1] or "agreed" in Run.open(OLD / "qlnn").metrics()[-1]


def test_what_methods_never_used_is_left_out() -> None:
    """The one table of settings of format 1 had, for each method, those of all others too."""
    for name in RUNS:
        config = Run.open(OLD / name).config
        assert (config.method, config.ludus) == (name, "0.1.0")
        assert ("layout" in config.settings) == (name == "qlnn")
        assert config.settings.keys() <= type(config.make_method()).Settings.__dataclass_fields__.keys()
    with pytest.raises(KeyError):
        formats.upgraded({"settings": {"method": "sarsa"}})


def test_a_run_from_before_a_setting_existed_goes_on(undisturbed: Run, tmp_path: Path) -> None:
    """Neither its configuration nor its checkpoints say anything of the setting, and it has its default: so with the method's settings
    and with the training's.
    """
    usual = {"rotate = false\n": "", 'opponents = ["random"]\n': ""}
    with pytest.raises(Stopped):
        train("backgammon", out=tmp_path / "run", progress=Ear(200, press_ctrl_c), **TRACES)
    config = tmp_path / "run" / "config.toml"
    for line, nothing in usual.items():
        assert line in config.read_text()
        config.write_text(config.read_text().replace(line, nothing))
    for path in Run.open(tmp_path / "run").checkpoints():
        tensors, facts = storage.load(path)
        del facts["settings"]["rotate"]
        del facts["training"]["opponents"]
        storage.save(path, tensors, facts)
    ear = Ear()
    assert same(train(resume=tmp_path / "run", progress=ear), undisturbed)
    assert ear.warnings == []
