"""Comparisons of methods, from the command to the files: what is measured, what goes wrong, and what is left after any end."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ludus.comparing import checking
from ludus.comparing.checking import Effort, check_players, planned_checks
from ludus.comparing.entrants import entrants, read_entrant
from ludus.comparing.jobs import Bench
from ludus.comparing.judging import judge
from ludus.comparing.listening import Listener
from ludus.comparing.loading import beside, load, pack, published, unpack
from ludus.comparing.results import Comparison
from ludus.comparing.running import SEEDS, compare, resume
from ludus.comparing.suite import Task, parse_suite, read_suite, suites
from ludus.comparing.tuning import ranges
from ludus.errors import LudusError, NotInstalledError
from ludus.games import game
from ludus.methods import METHODS, method_class
from ludus.players import REGISTRY
from ludus.search.solve import solve
from ludus.spec import parse

HERE = Path(__file__).parent
TINY = """
title = "Two tiny games"
budget = {games = 120}
measuring = {rounds = 6, curve_rounds = 3, points = 3}

[methods.table]
exploration = 0.2

[[games]]
game = "tictactoe"
opponents = ["random"]
best = "perfect"

[[games]]
game = "nim"
opponents = ["random", "perfect"]
best = "perfect"
peers = ["mcts(simulations=20)"]

[[tuning]]
game = "hex3"
budget = {games = 60}
opponents = ["random"]
best = "perfect"
"""
SOUND = f"{HERE / 'troublesome.py'}:Sound"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suite") / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="module")
def found(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """A comparison that nothing disturbed."""
    return compare([SOUND, "table"], tiny, tmp_path_factory.mktemp("undisturbed") / "out", seeds=2, jobs=2)


def digests(folder: Path) -> dict[str, str]:
    """Every file but measured times."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("costs.json", "cost.json")
    }


# --- what is measured -------------------------------------------------------------------------------------------------


def test_each_method_learns_each_game_with_each_seed(found: Comparison) -> None:
    assert len(found.cells) == 2 * 2 * 2
    for cell in found.cells.values():
        assert cell.finished
        assert cell.stopped_by == "games"
        assert [point.games for point in cell.points][-1] == 120
        assert len(cell.points) == len(cell.seconds) == 3
        assert list(cell.points[-1].scores) == list(found.game(cell.game).task.opponents)
        assert cell.points[-1].scores["random"].shape == (6, 2)  # rounds, seats
        assert cell.points[0].scores["random"].shape == (3, 2)


def test_the_scale_is_exact_where_the_game_is_solved(found: Comparison) -> None:
    scale, solution = found.game("tictactoe").scales["random"], solve(game("tictactoe"))
    assert scale.exact
    assert (scale.low, scale.high) == (solution.mean("random"), solution.mean("safe"))


def test_a_player_is_measured_in_each_seat_with_the_same_opponents(found: Comparison) -> None:
    """Who always makes the first move meets the same random opponent in the same round, whatever its seed has taught it."""
    first, second = found.of("tictactoe", "sound")
    assert first.points[-1].moves != second.points[-1].moves  # other games were learned from
    assert not np.array_equal(
        first.points[-1].scores["random"], second.points[-1].scores["random"]
    )  # and other rounds played


def test_the_methods_meet(found: Comparison) -> None:
    meeting = found.meetings[0]
    assert meeting.players == ("sound", "table")
    assert meeting.shares.shape == (6, 2)
    assert np.allclose(meeting.shares.sum(axis=1), 1)


def test_other_programs_are_met_and_count_nothing_on_the_scale(found: Comparison) -> None:
    assert [(each.game, each.peer, each.method, each.seed) for each in found.foreign] == [
        ("nim", "mcts(simulations=20)", method, seed) for seed in (1, 2) for method in ("sound", "table")
    ]
    assert all(each.scores.shape == (6, 2) for each in found.foreign)  # rounds, seats
    assert list(found.game("nim").scales) == ["random", "perfect"]
    told = judge(found).encounters
    assert [(each.method, each.trainings) for each in told] == [("sound", 2), ("table", 2)]
    scores = [each.scores.mean() for each in found.foreign if each.method == "table"]
    assert told[1].points.value == pytest.approx(np.mean(scores))


def test_a_program_that_is_not_here_is_left_out_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, game: object) -> None:
        raise NotInstalledError(f"player {name} needs a package that is not here")

    monkeypatch.setattr("ludus.comparing.running.player", missing)
    heard: list[str] = []
    listener = Listener()
    monkeypatch.setattr(listener, "note", heard.append)
    path = tmp_path / "suite.toml"
    path.write_text(TINY)
    out = compare(["table"], path, tmp_path / "out", seeds=1, jobs=1, listener=listener)
    assert not out.foreign
    assert (
        "nim is not played against mcts(simulations=20): player mcts(simulations=20) needs a package that is not here"
        in heard
    )


def test_the_number_of_cores_changes_nothing(found: Comparison, tiny: Path, tmp_path: Path) -> None:
    compare([SOUND, "table"], tiny, tmp_path / "out", seeds=2, jobs=1)
    assert digests(tmp_path / "out") == {
        name: digest for name, digest in digests(found.folder).items() if not name.startswith("report")
    }


@pytest.mark.parametrize(("limit", "name"), [("positions = 200", "positions"), ("seconds = 0.000001", "seconds")])
def test_any_budget_may_end_a_training(limit: str, name: str, tmp_path: Path) -> None:
    text = TINY.replace("{games = 120}", f"{{games = 120, {limit}}}")
    path = tmp_path / "limited.toml"
    path.write_text(text)
    cells = compare([SOUND], path, tmp_path / "out", seeds=1, jobs=1).cells.values()
    assert {cell.stopped_by for cell in cells} == {name}
    assert all(cell.points[-1].games < 120 for cell in cells)


# --- after any end ----------------------------------------------------------------------------------------------------


def test_what_is_finished_is_not_done_again(found: Comparison, tiny: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in found.folder.rglob("result.json")}
    compare([SOUND, "table"], tiny, found.folder, seeds=2, jobs=1)
    assert before == {path: path.stat().st_mtime_ns for path in found.folder.rglob("result.json")}


def test_killed_and_resumed_it_ends_with_the_same_bytes(found: Comparison, tiny: Path, tmp_path: Path) -> None:
    """At random moments; `tools/compare_kills.py` does it with more of them."""
    out, luck = tmp_path / "out", random.Random(5)
    command = [sys.executable, "-m", "ludus", "compare", SOUND, "table", "--suite", str(tiny), "--out", str(out)]
    command += ["--seeds", "2", "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    for _ in range(3):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(luck.uniform(1, 5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    mine = {name: digest for name, digest in digests(out).items() if "report" not in name and not name.endswith(".csv")}
    theirs = {n: d for n, d in digests(found.folder).items() if "report" not in n and not n.endswith(".csv")}
    assert mine == theirs


def test_other_methods_do_not_go_on_in_its_folder(found: Comparison, tiny: Path) -> None:
    with pytest.raises(LudusError, match="holds another comparison: its methods differ"):
        compare([SOUND], tiny, found.folder, seeds=2)
    with pytest.raises(LudusError, match="holds another comparison: its seeds differ"):
        compare([SOUND, "table"], tiny, found.folder, seeds=3)


def test_code_is_not_loaded_because_a_folder_names_it(found: Comparison) -> None:
    command = [sys.executable, "-m", "ludus", "compare", "--resume", str(found.folder)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert "code, which is loaded only when you name it" in answer.stderr


def test_code_that_has_changed_does_not_go_on(tiny: Path, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text((HERE / "troublesome.py").read_text())
    compare([f"{code}:Sound"], tiny, tmp_path / "out", seeds=1, jobs=1)
    other = tmp_path / "elsewhere.py"
    other.write_text(code.read_text().replace("self.settings.rate * len(batch)", "2 * len(batch)"))
    with pytest.raises(LudusError, match="the code of sound has changed since the comparison began"):
        resume(tmp_path / "out", [f"{other}:Sound"])
    other.unlink()
    moved = tmp_path / "moved.py"
    code.rename(moved)
    assert resume(tmp_path / "out", [f"{moved}:Sound"]).cells


def test_it_is_resumed_by_naming_the_code_again(found: Comparison) -> None:
    assert resume(found.folder, [SOUND]).cells.keys() == found.cells.keys()


# --- bad methods ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Raises", "ZeroDivisionError: no games left to divide by"),
        ("Diverges", "no longer finite"),
        ("NeverEnds", "did not finish a unit of games within 10 seconds"),
        ("EndsAll", "its process was ended"),
        ("Luck", "two trainings with the same seed differ"),
        ("Forgets", r"state\(\) does not hold all that it learned"),
        ("Cheats", "not a legal move"),
        ("Impatient", "a_package_that_nobody_has"),
    ],
)
def test_a_bad_method_fails_alone_and_is_named(name: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(TINY[: TINY.index('[[games]]\ngame = "nim"')])
    bad = f"{HERE / 'troublesome.py'}:{name}"
    found = compare(
        [bad, SOUND], path, tmp_path / "out", seeds=1, jobs=1, patience=10.0 if name == "NeverEnds" else 600.0
    )
    by_method = {cell.method: cell for cell in found.unfinished()}
    assert list(by_method) == [name.lower()]
    failure = by_method[name.lower()].failure
    assert re.search(words, failure), failure
    assert all(cell.finished for cell in found.of("tictactoe", "sound"))


def test_a_method_that_is_not_for_a_game_is_left_out_there(tiny: Path, tmp_path: Path) -> None:
    found = compare(["traces(encoding=nonsense)", "table"], tiny, tmp_path / "out", seeds=1, jobs=1)
    assert {cell.method for cell in found.unfinished() if cell.skipped} == {"traces(encoding=nonsense)"}


def test_code_that_needs_a_package_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    path, code = tmp_path / "one.toml", tmp_path / "needy.py"
    path.write_text(TINY[: TINY.index('[[games]]\ngame = "nim"')])
    code.write_text("import a_package_that_nobody_has\n")
    found = compare([f"{code}:Needy", SOUND], path, tmp_path / "out", seeds=1, jobs=1)
    assert "a_package_that_nobody_has" in found.cells["tictactoe", "needy", 1].skipped
    assert found.cells["tictactoe", "sound", 1].finished


def test_nothing_is_compared_where_nobody_can_learn_anything(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=r"no method can learn any of the games; traces.* unknown encoding"):
        compare(["traces(encoding=nonsense)"], tiny, tmp_path / "out", seeds=1, jobs=1)


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ([], "name a method at least"),
        (["tracs"], "did you mean 'traces'"),
        (["traces", "traces"], "'traces' is named twice"),
        (["nowhere.py:X"], "there is no file"),
        (["traces(hidden"], "can't read"),
        ([3], "3 is not a method"),
    ],
)
def test_methods_that_make_no_sense(methods: list[object], words: str) -> None:
    with pytest.raises(LudusError, match=words):
        entrants(methods)


# --- a bench that is wrong --------------------------------------------------------------------------------------------


def test_a_known_figure_that_does_not_come_out_ends_it_all(tmp_path: Path) -> None:
    text = TINY.replace(
        'best = "perfect"\n\n[[games]]',
        'best = "perfect"\nknown = [{player = "perfect", opponent = "random", score = 0.5}]\n\n[[games]]',
    )
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(LudusError, match=r"the bench is wrong in tictactoe: perfect against random scores 0\.9"):
        compare(["table"], path, tmp_path / "out", seeds=1, jobs=1)


# --- suites -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", suites())
def test_suites_that_come_with_ludus_are_sound(name: str) -> None:
    """Each names games and players that there are, and settings that the methods know."""
    suite = read_suite(name)
    for task in (*suite.tasks, *suite.tuning):
        made = game(task.game)
        assert bool(task.opponents) == (made.facts.seats > 1)
        for player in (*task.opponents, *task.peers, task.best, task.worst):
            assert parse(player).name in REGISTRY
        for method in task.settings.keys() & METHODS:  # others are for examples
            read_entrant(method).planned(task, made, 1)


@pytest.mark.parametrize(
    "task", [task for name in suites() for task in read_suite(name).tasks if task.known], ids=lambda task: task.game
)
def test_known_figures_of_the_suites_come_out(task: Task) -> None:
    alone = replace(task, opponents=(), best=task.worst)
    made, told = game(task.game), []
    effort = Effort(made, told.append)
    for seats, rounds in planned_checks(alone, made.facts.seats):
        effort.plan(seats, rounds)
    said = check_players(alone, 1, effort)
    assert sum("as is known" in words for words in said) == len(task.known)
    shares = [share for share in told if isinstance(share, float)]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0), "by then all is done"


def test_what_a_contest_takes_counts_in_the_share_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an estimate would grow and grow while the slow players are at it."""
    seconds = {"quick": 1.0, "slow": 9.0}
    played: list[str] = []
    monkeypatch.setattr(checking, "measure", lambda made, seats, *_: played.append(seats[0]))
    monkeypatch.setattr(checking, "Clock", lambda: SimpleNamespace(seconds=seconds[played[-1]]))
    told: list[Any] = []
    effort = Effort(game("tictactoe"), told.append)
    for who in seconds:
        effort.plan([who, "random"], 10)
    effort.begin(["quick", "random"], 10)(20, 20)
    assert told[-1] == pytest.approx(0.1)
    hear = effort.begin(["slow", "random"], 10)
    hear(10, 20)
    assert told[-1] == pytest.approx(0.55)
    hear(20, 20)
    assert told[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", r"it needs a table \[\[games\]\]"),
        ("title = 3\n[[games]]", "title = 3 is no name"),
        ("[[games]]\n", 'a line game = "…" is missing'),
        ('[[games]]\ngame = "nim"', 'nim: a line best = "…" is missing'),
        ('[[games]]\ngame = "nim"\nbest = "td"\nbeast = 1', "unknown entry of a game 'beast'; did you mean 'best'"),
        ('[[games]]\ngame = "nim"\nbest = "td"\nbudget = {games = 0}', "nim: setting games = 0 makes no sense"),
        ('[[games]]\ngame = "nim"\nbest = "td"\nbudget = 5', "nim: budget is a table, not 5"),
        ('[[games]]\ngame = "nim"\nbest = "td"\nopponents = "td"', "opponents is a list of players"),
        ('[[games]]\ngame = "nim"\nbest = "td"\npeers = [1]', "peers is a list of players"),
        ('[[games]]\ngame = "nim"\nbest = "td"\nmethods.traces = 1', "methods.traces is a table"),
        ('[[games]]\ngame = "nim"\nbest = "td"\n[[games]]\ngame = "nim"\nbest = "td"', "nim is in it twice"),
        ("[[games]\n", "is not a suite"),
    ],
)
def test_suites_that_make_no_sense(text: str, words: str) -> None:
    with pytest.raises(LudusError, match=f"^mine.toml.*{words}"):
        parse_suite(text, "mine", "mine.toml")


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="unknown suite 'smal'; did you mean 'small'"):
        read_suite("smal")
    with pytest.raises(LudusError, match=r"nowhere\.toml"):
        read_suite(tmp_path / "nowhere.toml")


# --- tuning -----------------------------------------------------------------------------------------------------------


def test_settings_are_tuned_on_other_games(tiny: Path, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    found = compare([SOUND], tiny, tmp_path / "out", seeds=1, jobs=2, tune=5)
    tuning = found.methods[0].tuning
    assert tuning["trials"] == 5
    assert tuning["cost"]["trainings"] == 5 * 2  # trials, seeds
    assert tuning["cost"]["games"] == 5 * 2 * 60
    assert {path.parts[-3] for path in (tmp_path / "out" / "tuning").rglob("result.json")} == {"hex3"}
    settings = found.methods[0].settings["tictactoe"]
    assert settings == {"rate": 0.1} | tuning["settings"]


def test_what_somebody_fixed_is_not_tuned() -> None:
    cls = method_class("traces").Settings
    assert {each.name for each in ranges(cls, set())} == {"hidden", "rate", "final_rate", "decay"}
    assert {each.name for each in ranges(cls, {"rate", "hidden"})} == {"final_rate", "decay"}


def test_a_suite_without_games_to_tune_on(tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    path.write_text(TINY[: TINY.index("[[tuning]]")])
    with pytest.raises(LudusError, match="names no games to tune settings on"):
        compare([SOUND], path, tmp_path / "out", tune=3)


# --- published results ------------------------------------------------------------------------------------------------


def test_a_published_comparison_is_the_same(found: Comparison) -> None:
    again = unpack(pack(found.folder), "packed")
    assert again.cells.keys() == found.cells.keys()
    for key, cell in found.cells.items():
        other = again.cells[key]
        assert (other.seconds, other.stopped_by) == (cell.seconds, cell.stopped_by)
        assert np.array_equal(again.normalised(key[0], other.points[-1]), found.normalised(key[0], cell.points[-1]))
    assert [each.scores.tolist() for each in again.foreign] == [each.scores.tolist() for each in found.foreign]
    assert pack(found.folder) == pack(found.folder)
    assert str(HERE).encode() not in gzip.decompress(pack(found.folder)).replace(
        SOUND.encode(), b""
    )  # but as it was named


def test_methods_are_set_beside_published_ones(found: Comparison, tiny: Path, tmp_path: Path) -> None:
    mine = compare(["table", "table(exploration=0.5)"], tiny, tmp_path / "out", seeds=2, jobs=2)
    both = beside(mine, unpack(pack(found.folder), "packed"))
    labels = {method.label: method.published for method in both.methods}
    assert labels == {"table": False, "table(exploration=0.5)": False, "sound": True, "table (published)": True}
    assert np.array_equal(
        both.final("nim", "table"), both.final("nim", "table (published)")
    )  # the same seeds, the same method


@pytest.mark.parametrize(("suite", "game"), [("small", "nim"), ("standard", "connectfour")])
def test_the_leaderboard_is_of_the_suite_as_it_is(suite: str, game: str) -> None:
    """Else nothing could be set beside it: whoever changes the suite makes it anew, by tools/leaderboard.py."""
    found = published(suite)
    assert found.suite.text == read_suite(suite).text
    assert all(len(found.of(game, label)) == SEEDS for label in ("selfplay", "traces", "table", "sarsa"))


def test_there_is_no_leaderboard_on_every_suite() -> None:
    with pytest.raises(LudusError, match="there is no leaderboard on suite 'smoke'"):
        published("smoke")


def test_what_is_not_a_published_comparison(tmp_path: Path) -> None:
    for data in (b"", b"no gzip", gzip.compress(b"[1"), gzip.compress(b"[]")):
        with pytest.raises(LudusError, match="is not a published comparison"):
            unpack(data, "this")
    with pytest.raises(LudusError, match="there is no comparison"):
        load(tmp_path)


def test_damaged_files_are_named(found: Comparison, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(found.folder, folder)
    path = next(folder.rglob("result.json"))
    path.write_text('{"points": [')
    with pytest.raises(LudusError, match=r"result\.json is damaged.*--resume makes it again"):
        load(folder)
    path.unlink()
    resume(folder, [SOUND], jobs=1)
    assert json.loads(path.read_text()) == json.loads((found.folder / path.relative_to(folder)).read_text())


def test_files_are_named_so_that_no_name_leads_elsewhere(tiny: Path) -> None:
    bench = Bench("out", read_suite(tiny), (), 1, 1, 1.0)
    assert bench.path("cells", "../../x", "a/b").parts == ("out", "cells", "..-..-x", "a-b")
