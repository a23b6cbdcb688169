"""Nothing that only POSIX has is needed to import ludus, nor to play, train, read rulesheets, keep games or ask worker processes. Linux that looks
like Windows (`other_system`) shows it as far as it can; docs/install.md says what was not run.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.errors import LudusError
from ludus.scale import processes
from ludus.web import lines

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "ludus"
PLAIN = {"NUMBA_DISABLE_JIT": "1"}

IMPORT_ALL = """
import importlib, sys
import other_system
other_system.pretend()
for name in sys.argv[1:]:
    importlib.import_module(name)
print(sys.platform)
"""

USE = """
import os, sys, tempfile
import other_system
other_system.pretend()
from pathlib import Path
import ludus
from ludus import system
from ludus.errors import LudusError
from ludus.files import read_regular
from ludus.records import Records

os.environ["LOCALAPPDATA"] = "appdata"
assert system.cache_folder() == Path("appdata") and system.data_folder() == Path("appdata/ludus")
assert system.memory() > 0 and system.own_limits() == (None, None) and system.most_memory_held() == 0
assert ludus.game("backgammon").start().play("31").play("8/5 6/5").kind == "chance"
Path("sheet.kif").write_bytes(Path(sys.argv[1]).read_bytes())
game = ludus.game("sheet.kif")  # clingo grounds it, in a process of its own
assert len(game.start().play("mark 2 2").moves()) == 8
run = ludus.train("sheet.kif", method="table", out="run", games=20, evaluation_games=2)
assert ludus.arena("sheet.kif", [run.player(), "random"], games=2, jobs=1).games == 2
with run.locked():
    try:
        ludus.train(resume="run")
    except LudusError as error:
        assert "is being trained by another process" in str(error), error
    else:
        raise AssertionError("two trained at once")
Records("games.sqlite").close()
try:
    read_regular(".", 10)
except LudusError as error:
    assert "is a folder" in str(error)
from ludus.ggp.workers import Workers
try:
    Workers("random")
except LudusError as error:
    assert "Linux or macOS" in str(error)
print("fine")
"""


def run(code: str, *arguments: str, cwd: Path = ROOT) -> str:
    paths = [str(ROOT / "src"), str(ROOT / "tests")]
    environment = os.environ | PLAIN | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=cwd, env=environment
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def modules() -> list[str]:
    """Every module of ludus but the two that are scripts."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(("ludus", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        if not name.endswith(("__main__", "migrations.env")):
            found.append(name)
    return found


def test_every_module_can_be_imported() -> None:
    assert run(IMPORT_ALL, *modules()) == "win32\n"


def test_games_rulesheets_training_locks_and_records_work(tmp_path: Path) -> None:
    sheet = SOURCE / "games" / "gdl" / "sheets" / "tictactoe.kif"
    assert run(USE, str(sheet), cwd=tmp_path).endswith("fine\n")


def test_the_tests_of_pure_parts_pass() -> None:
    """Rules, notation, files, numbers: the same tests as elsewhere, in the pretended system."""
    files = [
        "test_backgammon_notation",
        "test_ludo_notation",
        "test_quoridor_notation",
        "test_gdl_reading",
        "test_storage",
    ]
    names = [f"tests/{name}.py" for name in files]
    run("import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))", "-p", "other_system", "-p", "no:cacheprovider", "--capture=sys", "-q", *names)  # fmt: skip


def test_files_are_read_and_written_in_utf_8_whatever_the_system_likes() -> None:
    """Windows has another encoding, unless one is named."""
    careless = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                bare = len(node.args) == (node.func.attr == "write_text") and not node.keywords
                if node.func.attr in ("read_text", "write_text") and bare and "/proc/" not in ast.unparse(node):
                    careless.append(f"{path.name}:{node.lineno}")
    assert careless == []


# --- what is done otherwise there ------------------------------------------------------------------------------------


def test_a_silent_worker_is_noticed_where_pipes_can_not_be_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PIPES_CAN_WAIT", False)
    with processes.Worker() as worker:
        assert worker.call("ludus.scale.processes:echo", "hello", patience=600.0) == "hello"
    with (
        processes.Worker() as worker,
        pytest.raises(processes.SilentError, match=r"nothing was heard for 0\.2 seconds"),
    ):
        worker.call("test_platforms:mute", patience=0.2)


def mute(tell: processes.Tell) -> None:
    """Say something, and then nothing more."""
    tell("now")
    __import__("time").sleep(600)


def test_a_process_comes_back_to_a_port_where_it_can_not_be_given_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "CAN_PASS_SOCKETS", False)
    child = "import sys; from ludus.web import lines; line = lines.answer(sys.argv[1]); line.send(line.recv() + 1)"
    process, line = lines.start([sys.executable, "-c", child], {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    with line:
        line.send(41)
        assert line.recv() == 42
    assert process.wait() == 0
    with pytest.raises(OSError, match="ended before it was there"):
        lines.start([sys.executable, "-c", "pass"], dict(os.environ))


def test_code_on_a_drive_of_windows_has_a_name() -> None:
    from ludus.names import is_code
    from ludus.spec import parse

    assert is_code(r"C:\methods\mine.py:Sarsa")
    assert parse(r"td:C:\runs\first(plies=1)").path == r"C:\runs\first"
    with pytest.raises(LudusError):
        parse("td::(")
