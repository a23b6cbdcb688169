"""Strangers' code: a method, a game, a player in files of their own. It is found when the user names it, and never because a file does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ludus
import outsiders
from ludus import names
from ludus.errors import LudusError
from ludus.ggp.manager import Manager
from ludus.ggp.store import Store
from ludus.lab import Run, Stopped, train
from ludus.nets import storage
from ludus.play.saved import load as load_game
from runs import Ear, press_ctrl_c, same

pytest_plugins = ("run_fixtures",)

TINY: dict[str, Any] = {"games": 60, "evaluation_games": 4, "evaluate_every": 40, "checkpoint_every": 20}
SET = [part for key, value in TINY.items() for part in ("--set", f"{key}={value}")]
Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the three files."""
    return outsiders.write(tmp_path_factory.mktemp("brought"))


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs a command in a process and a folder of its own, without compiling: the games are small."""

    def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "ludus", *map(str, arguments)]
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, env=environment)

    return run


@pytest.fixture
def stopped(brought: Path, tmp_path: Path) -> Path:
    """A run of the strangers' method that was stopped, and a copy of the method beside it."""
    shutil.copy(brought / "opener.py", tmp_path)
    with pytest.raises(Stopped):
        train(
            "tictactoe", method=f"{tmp_path / 'opener.py'}:Opener", out=tmp_path / "run",
            progress=Ear(20, press_ctrl_c), **TINY,
        )  # fmt: skip
    return tmp_path / "run"


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One line, exit code 2, and what it must say."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert re.fullmatch(r"ludus: [^\n]+\n", done.stderr), done.stderr
    for word in words:
        assert word in done.stderr


# --- in Python -------------------------------------------------------------------------------------------------------


def test_a_method_of_a_file(brought: Path, tmp_path: Path) -> None:
    run = train("tictactoe", method=f"{brought}/opener.py:Opener", out=tmp_path / "run", rate="0.25", **TINY)
    assert run.config.method == f"{brought / 'opener.py'}:Opener"
    assert run.config.settings == {"rate": 0.25, "start": 0.0}
    assert len(run.config.code["method"]) == 64
    assert {"won", "highest"} < next(line for line in run.metrics() if line["kind"] == "progress").keys()
    result = ludus.arena("tictactoe", [f"{run.player_name}", "random"], games=10, seed=1, jobs=2)
    here = ludus.arena("tictactoe", [run.player(), "random"], games=10, seed=1)
    assert result.rows[0].wins == here.rows[0].wins
    with pytest.raises(LudusError, match=r"unknown setting of method '.*opener\.py:Opener' 'rat'; did you mean 'rate'"):
        train("tictactoe", method=f"{brought}/opener.py:Opener", out=tmp_path / "other", rat=1)


def test_a_place_is_the_same_from_every_folder(brought: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = names.load(f"{brought}/opener.py:Opener", "method")
    monkeypatch.chdir(brought)
    assert names.load("opener.py:Opener", "method") is whole
    monkeypatch.chdir(brought.parent)
    assert names.known(f"{brought.name}/opener.py:Opener") is whole
    assert names.where_is(whole) == f"{brought / 'opener.py'}:Opener"


def test_files_of_one_name_in_two_folders_are_two(brought: Path, tmp_path: Path) -> None:
    """And a name that Python has already, such as random.py, is no hindrance, not even for worker processes."""
    for folder, name in (("a", "stubborn.py"), ("b c", "stubborn.py"), ("b c", "random.py")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(outsiders.PLAYER)
    places = [
        f"{tmp_path}/a/stubborn.py:Stubborn",
        f"{tmp_path}/b c/stubborn.py:Stubborn",
        f"{tmp_path}/b c/random.py:Stubborn",
    ]
    assert len({names.load(place, "player") for place in places}) == 3
    alike = [ludus.arena("tictactoe", [f"{place}(last=true)", place], games=4, jobs=2).rows[0].wins for place in places]
    assert len(set(alike)) == 1


def test_a_game_and_a_player_of_a_file(brought: Path, tmp_path: Path) -> None:
    place = f"{brought}/heap.py:Heap"
    game = ludus.game(f"{place}(size=5)")
    assert (game.size, game.facts.model) == (5, "heap-5")
    assert ludus.games.game_name(game) == f"{place}(size=5)"
    with pytest.raises(LudusError, match="can't be made"):
        ludus.game(f"{place}(length=5)")
    # Of five, one that always takes one loses to one that leaves three and so on; from seven the other way round.
    players = [f"{brought}/stubborn.py:Stubborn", f"{brought}/stubborn.py:guarded"]
    result = ludus.arena(game, players, games=4, jobs=1)
    assert [row.name for row in result.rows] == players
    assert sum(row.wins for row in result.rows) == 4
    run = train(game, method=f"{brought}/opener.py:Opener", out=tmp_path / "run", opponents=players[:1], **TINY)
    assert run.config.code.keys() == {"game", "method"}
    assert run.evaluations()[-1]["opponents"][0]["name"] == players[0]
    assert Run.open(run.folder).game == game  # named before, in this process


def test_a_game_may_be_an_object(brought: Path, tmp_path: Path) -> None:
    game = names.load(f"{brought}/heap.py:Heap", "game")(4)
    run = train(game, method=f"{brought}/opener.py:Opener", out=tmp_path / "run", **TINY)
    assert run.config.game == f"{brought}/heap.py:Heap(size=4)"
    with pytest.raises(LudusError, match=r"learns .*heap\.py:Heap\(size=4\), not tictactoe"):
        train("tictactoe", resume=run.folder)


# --- at the command line ---------------------------------------------------------------------------------------------


def test_train_stop_resume_and_play(stopped: Path, brought: Path, command: Command) -> None:
    place = stopped.parent / "opener.py:Opener"
    refused(command("train", "--resume", stopped), "code is loaded only when you name it", f"--method {place}")
    done = command("train", "--resume", "run", "--method", "opener.py:Opener")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"ludus play tictactoe --against run:run(method={place})" in done.stdout
    whole = train("tictactoe", method=f"{brought}/opener.py:Opener", out=stopped.parent / "whole", **TINY)
    assert weights_of(stopped) == weights_of(whole.folder)

    refused(command("arena", "tictactoe", "run:run", "random", "--games", 2), f"--method {place}")
    played = command("arena", "tictactoe", "run:run(method=opener.py:Opener)", "random", "--games", 4, "--json")
    assert played.returncode == 0, played.stderr
    assert '"games": 4' in played.stdout
    refused(
        command("arena", "tictactoe", "run:run(method=opener.py:FirstMove)", "random"),
        "opener.py:FirstMove is not a method",
    )
    refused(command("arena", "tictactoe", "run:run(method=traces)", "random"), "was learned by", "not by traces")


def weights_of(folder: Path) -> dict[str, bytes]:
    return {name: tensor.tobytes() for name, tensor in storage.load(folder / "model.safetensors")[0].items()}


def test_code_that_has_changed_is_told_of_and_code_that_is_gone_too(stopped: Path, command: Command) -> None:
    file = stopped.parent / "opener.py"
    file.write_text(file.read_text() + "# An afterthought.\n")
    done = command("train", "--resume", "run", "--method", "opener.py:Opener", "--json")
    assert done.returncode == 0
    assert done.stderr == f"ludus: the code of {file}:Opener has changed since the run began: it may go on otherwise\n"
    file.rename(file.with_name("elsewhere.py"))
    refused(
        command("train", "--resume", "run", "--method", "opener.py:Opener"),
        f"there is no file {file} to take a method from",
    )
    moved = command("train", "--resume", "run", "--method", "elsewhere.py:Opener")
    assert moved.returncode == 0, moved.stderr  # the class is still called so
    refused(command("train", "--resume", "run", "--method", "elsewhere.py:FirstMove"), "is not a method")


def test_a_new_training_with_everything_brought_along(brought: Path, command: Command, tmp_path: Path) -> None:
    outsiders.write(tmp_path)
    game, opponent = "heap.py:Heap(size=6)", "stubborn.py:Stubborn(last=true)"
    begin = ["train", game, "--method", "opener.py:Opener", "--out", "run", *SET, "--set", f"opponents={opponent}"]
    done = command(*begin)
    assert done.returncode == 0, done.stderr
    (tmp_path / "run" / "model.safetensors").unlink()  # as if it had been interrupted
    again = ["train", "--resume", "run"]
    refused(command(*again), "--method")
    refused(
        command(*again, "--method", "opener.py:Opener"),
        "the game is",
        "heap.py:Heap, and code is loaded only when you name it",
    )
    refused(
        command(*again[:1], game, *again[1:], "--method", "opener.py:Opener"), "a player is stubborn.py:Stubborn", "--code stubborn.py:Stubborn"
    )  # fmt: skip
    done = command("train", game, "--resume", "run", "--method", "opener.py:Opener", "--code", "stubborn.py:Stubborn")
    assert done.returncode == 0, done.stderr
    swept = command(
        "sweep", game, "--method", "opener.py:Opener", "--over", "rate=0.1,0.2", "--games", "20", "--out", "s"
    )
    assert swept.returncode == 0, swept.stderr
    assert (tmp_path / "s" / "rate=0.2" / "model.safetensors").exists()
    shown = command("train", "--method", "opener.py:Opener", "--help")
    assert re.search(r"rate=0\.5 +step size", shown.stdout)


BROKEN = {
    "syntax.py": ("class Broken(\n", "can't be loaded", "SyntaxError"),
    "raises.py": ("x = 1\n1 / 0\n", "can't be loaded: line 2, ZeroDivisionError"),
    "imports.py": ("import no_such_module\n", "can't be loaded: line 1, ModuleNotFoundError", "no_such_module"),
    "exits.py": ("import sys\nsys.exit('bye')\n", "can't be loaded: line 2, SystemExit: bye"),
    "other.py": ("class Brocken:\n    pass\n", "unknown method in other.py 'Broken'; did you mean 'Brocken'?"),
    "nothing.py": ("", "unknown method in nothing.py 'Broken'"),
    "wrong.py": (
        "class Broken:\n    pass\n",
        "wrong.py:Broken is not a method: it should be a class that inherits from",
    ),
    "bytes.py": ("x = '\0'\n", "can't be loaded"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_code_that_is_broken_is_answered_with_one_line(name: str, command: Command, tmp_path: Path) -> None:
    text, *words = BROKEN[name]
    (tmp_path / name).write_text(text)
    refused(command("train", "tictactoe", "--method", f"{name}:Broken"), name, *words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train tictactoe --method nowhere.py:Sarsa", "nowhere.py to take a method from"),
        ("train tictactoe --method no.such.module:Sarsa", "there is no module no.such.module to take a method from"),
        ("train tictactoe --method json:loads", "json:loads is not a method"),
        ("train tictactoe --method sarsa", "unknown method 'sarsa'"),
        ("train nowhere.py:Game --method traces", "nowhere.py to take a game from"),
        ("train json:JSONDecoder --method traces", "json:JSONDecoder is not a game: it has no facts"),
        ("arena tictactoe nowhere.py:Player random", "nowhere.py to take a player from"),
        ("arena tictactoe json:JSONDecoder random", "is not a player: it has no method choose"),
    ],
)
def test_names_that_lead_nowhere(line: str, words: str, command: Command) -> None:
    refused(command(*line.split()), words)


# --- what only files mention -----------------------------------------------------------------------------------------

EVIL = """
from pathlib import Path
Path({mark!r}).write_text("somebody's code was run")
raise SystemExit("evil")
"""


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of code that leaves a mark when it is loaded, in the present folder."""
    (tmp_path / "evil.py").write_text(EVIL.format(mark=str(tmp_path / "mark")))
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "evil.py"
    assert not (tmp_path / "mark").exists()


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


METHODS_OWN, GAMES_OWN = 'method = "traces"', 'game = "backgammon"'


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (METHODS_OWN, 'method = "evil.py:X"'),
        (METHODS_OWN, 'method = "evil:X"'),
        (GAMES_OWN, 'game = "evil.py:X"'),
        ('opponents = ["random"]', 'opponents = ["evil.py:X"]'),
        ('opponents = ["random"]', 'opponents = ["run:elsewhere(method=evil.py:X)"]'),
        ("seating = []", 'seating = ["self", "evil.py:X"]'),
    ],
)
def test_a_configuration_that_names_code_gets_none_of_it_run(
    old: str, new: str, evil: Path, stopped_once: Path, command: Command
) -> None:
    folder = Path(shutil.copytree(stopped_once, evil.parent / "run"))
    change(folder / "config.toml", old, new)
    run = Run.open(folder)  # to look at it is no harm
    assert run.metrics()
    with pytest.raises(LudusError, match="code is loaded only when you name it"):
        train(resume=folder)
    if old in (METHODS_OWN, GAMES_OWN):
        with pytest.raises(LudusError, match="code is loaded only when you name it"):
            run.player()
    assert len(run.checkpoints()) == 3  # and nothing is done to the run
    refused(command("train", "--resume", "run"), "code is loaded only when you name it")
    assert command("plot", "run").returncode == 0


def test_a_model_that_names_code_gets_none_of_it_run(evil: Path, undisturbed: Run, command: Command) -> None:
    tensors, facts = storage.load(undisturbed.model)
    bad = evil.parent / "bad.safetensors"
    storage.save(bad, tensors, facts | {"method": "evil.py:X", "player": "run"})
    with pytest.raises(LudusError, match="code is loaded only when you name it"):
        ludus.player(f"run:{bad}", undisturbed.game)
    with pytest.raises(LudusError, match="holds what player 'run' plays by"):
        ludus.player(f"td:{bad}", undisturbed.game)
    storage.save(bad, tensors, facts | {"settings": facts["settings"] | {"seating": ["self", "evil.py:X"]}})
    ludus.player(f"run:{bad}", undisturbed.game)  # who sat beside the learner does not matter any more
    refused(command("arena", "backgammon", "run:nowhere(method=traces)", "random"), "there is no file nowhere")


def test_who_asks_a_game_manager_can_not_name_code(evil: Path) -> None:
    manager = Manager(Store(evil.parent / "ggp.sqlite"))
    for name in ("evil.py:X", "run(method=evil.py:X)", "run:runs/a(method=evil.py:X)"):
        with pytest.raises(LudusError, match="names a file"):
            manager.start_match({"game": "tictactoe", "players": [name, "random"]})
    manager.close()


def test_a_saved_game_that_names_code_gets_none_of_it_run(evil: Path) -> None:
    saved = evil.parent / "game.json"
    saved.write_text(
        '{"format": "ludus game", "version": 1, "game": "tictactoe", "names": ["you", "evil.py:X"], "seat": 0, "seed": 7, "moves": []}'
    )
    table = load_game(ludus.game("tictactoe"), saved, 0, 7)
    assert table.names == ("you", "evil.py:X")


def test_the_evil_file_would_leave_its_mark(tmp_path: Path, command: Command) -> None:
    """That nothing happened above says something only if it would have happened here."""
    (tmp_path / "evil.py").write_text(EVIL.format(mark=str(tmp_path / "mark")))
    refused(command("train", "tictactoe", "--method", "evil.py:X"), "SystemExit: evil")
    assert (tmp_path / "mark").exists()


def test_the_run_in_process_equals_the_one_by_objects(brought: Path, tmp_path: Path) -> None:
    """A name, a class and an object are one method."""
    opener = names.load(f"{brought}/opener.py:Opener", "method")
    runs = [
        train("tictactoe", method=method, out=tmp_path / str(number), rate=0.25, **TINY)
        for number, method in enumerate([f"{brought}/opener.py:Opener", opener, opener(rate=0.25)])
    ]
    assert same(runs[1], runs[0])
    assert same(runs[2], runs[0])
    assert runs[0].config == runs[1].config == runs[2].config
