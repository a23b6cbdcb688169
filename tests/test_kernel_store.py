"""The cache of compiled code can't be wrong: whatever processes do to it, and whatever happens to its files, the right code runs."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ludus.kernel import JIT, PACKAGE, store

pytestmark = pytest.mark.skipif(not JIT, reason="about compiled code")

# Three kernels of a module, called with types in some order; what they answer, and how many were compiled.
SUMS = """
from ludus.kernel import kernel

FACTOR = 2

@kernel
def double(x):
    return FACTOR * x

@kernel
def twice(x):
    total = double(x)
    for i in range(3):  # too long to be copied into its caller
        total += double(x) * i - double(x) * i
    return total

@kernel
def answer(x):
    return twice(x) + 1
"""
PROGRAM = """
import json, sys, time
import sums
from ludus.kernel import cache_counts

ways = {"int": lambda f: f(21), "float": lambda f: f(1.25), "complex": lambda f: f(1j)}
told = {}
for word in sys.argv[1:]:
    name, kind = word.split(":")
    told[word] = str(ways[kind](getattr(sums, name)))
print(json.dumps([told, cache_counts()]))
"""
WORDS = [f"{name}:{kind}" for name in ("double", "twice", "answer") for kind in ("int", "float", "complex")]
RIGHT = {
    "double:int": "42", "double:float": "2.5", "double:complex": "2j", "twice:int": "42", "twice:float": "2.5", "twice:complex": "2j",
    "answer:int": "43", "answer:float": "3.5", "answer:complex": "(1+2j)",
}  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "sums.py").write_text(SUMS)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def begin(desk: Path, *words: str, cache: str = "cache", before: str = "") -> subprocess.Popen[str]:
    given = {**os.environ, "PYTHONPATH": f"{desk}{os.pathsep}{PACKAGE.parent}", "LUDUS_CACHE_DIR": str(desk / cache)}
    command = [sys.executable, str(desk / "program.py"), *words]
    if before:
        command = [
            sys.executable,
            "-c",
            f"import sys; {before}; sys.argv[:] = {['program.py', *words]}; exec(open('program.py').read())",
        ]
    return subprocess.Popen(command, cwd=desk, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(desk: Path, *words: str, cache: str = "cache", before: str = "") -> tuple[dict[str, str], tuple[int, int], str]:
    """What the kernels answered, how many were loaded and compiled, and what was said on stderr."""
    process = begin(desk, *words, cache=cache, before=before)
    out, err = process.communicate()
    assert process.returncode == 0, err
    told, counts = json.loads(out)
    return told, counts, err


def saved(desk: Path) -> list[Path]:
    return [path for path in (desk / "cache").glob("??/*") if not path.name.startswith(".")]


def test_many_processes_some_of_them_killed(desk: Path) -> None:
    luck = random.Random(1)
    for round_number in range(3):
        crowd = [begin(desk, *luck.sample(WORDS, 5)) for _ in range(4)]
        for victim in crowd[: 2 if round_number < 2 else 0]:
            time.sleep(luck.uniform(0.2, 0.8))
            victim.send_signal(signal.SIGKILL)
        for process in crowd:
            out, err = process.communicate()
            if process.returncode == 0:
                told, _ = json.loads(out)
                assert told == {word: RIGHT[word] for word in told}
            else:
                assert process.returncode == -signal.SIGKILL, err
    told, _, err = run(desk, *WORDS)
    assert (told, err) == (RIGHT, "")
    assert run(desk, *WORDS)[1][1] == 0


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "other", "folder"])
def test_a_damaged_file_is_compiled_anew_and_mended(desk: Path, harm: str) -> None:
    run(desk, *WORDS)
    luck = random.Random(harm)
    files = saved(desk)
    for path in files:
        data = bytearray(path.read_bytes())
        if harm == "flip":
            data[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
        elif harm == "cut":
            del data[luck.randrange(len(data)) :]
        elif harm == "empty":
            data.clear()
        elif harm == "other":
            data = bytearray(luck.choice([each for each in files if each != path]).read_bytes())
        path.unlink()
        if harm == "folder":
            path.mkdir()
        else:
            path.write_bytes(data)
    told, counts, err = run(desk, *WORDS)
    assert told == RIGHT
    assert counts[1] > 0
    assert len(err.splitlines()) == 1
    assert err.startswith("ludus: ")
    if harm != "folder":
        told, counts, err = run(desk, *WORDS)
        assert (told, counts[1], err) == (RIGHT, 0, "")


def test_what_stands_under_another_name_is_not_taken(desk: Path) -> None:
    # A whole file of another kernel, as an index that points to the wrong one once made a process run other code.
    run(desk, "double:int", "double:float")
    one, other = (path for path in saved(desk) if not path.name.endswith(".entry"))
    (first, second) = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    assert run(desk, "double:int", "double:float")[0] == {"double:int": "42", "double:float": "2.5"}


@pytest.mark.parametrize(
    ("cache", "before"),
    [
        ("sums.py", ""),  # a file in the place of the folder
        ("cache", "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"),  # no file may grow: a full disk
        ("/dev/null", ""),
    ],
    ids=["no folder", "full disk", "no place"],
)  # fmt: skip
def test_a_cache_that_can_t_be_written_is_told_in_a_line(desk: Path, cache: str, before: str) -> None:
    told, counts, err = run(desk, *WORDS, cache=cache, before=before)
    assert told == RIGHT
    assert counts == [0, len(WORDS)]
    assert len(err.splitlines()) == 1
    assert "can't keep compiled code in" in err
    assert not (desk / "cache").exists() or not saved(desk)


def test_an_edit_of_a_constant_or_of_a_callee_is_noticed_and_one_of_a_comment_is_not(desk: Path) -> None:
    run(desk, *WORDS)
    (desk / "sums.py").write_text("# a comment, so that all lines move\n" + SUMS)
    assert run(desk, *WORDS)[1][1] == 0
    (desk / "sums.py").write_text(SUMS.replace("FACTOR = 2", "FACTOR = 3"))
    assert run(desk, "answer:int")[0] == {"answer:int": "64"}
    (desk / "sums.py").write_text(SUMS.replace("return FACTOR * x", "return FACTOR * x + 1"))
    assert run(desk, "answer:int")[0] == {"answer:int": "44"}
    (desk / "sums.py").write_text(SUMS)
    assert run(desk, *WORDS)[0] == RIGHT


TWINS = {
    "east": "class Rich(NamedTuple):\n    gold: int = 1\n@implements(riches, Rich)\ndef _(who):\n    return who.gold * 100\n",
    "west": "class Rich(NamedTuple):\n    gold: int = 1\n@implements(riches, Rich)\ndef _(who):\n    return who.gold * 7\n",
}
TOWN = """
from ludus.kernel import generic, kernel
@generic
def riches(who):
    "How rich somebody is."
@kernel
def tax(who):
    return riches(who) // 2
"""
VISIT = """
import json, sys
import town
from ludus.kernel import cache_counts
places = [__import__(name) for name in sys.argv[1].split(",")]
taxes = {place.__name__: town.tax(place.Rich(2)) for place in places}
print(json.dumps([taxes, cache_counts()]))
"""


def test_classes_of_the_same_name_are_the_same_whatever_was_imported_first(desk: Path) -> None:
    header = "from typing import NamedTuple\nfrom ludus.kernel import implements\nfrom town import riches\n"
    for name, text in TWINS.items():
        (desk / f"{name}.py").write_text(header + text)
    (desk / "town.py").write_text(TOWN)
    (desk / "program.py").write_text(VISIT)
    right = {"east": 100, "west": 7}
    assert run(desk, "east,west")[0] == right
    for order in ("west,east", "east,west", "west", "east"):
        taxes, counts, _ = run(desk, order)
        assert (taxes, counts[1]) == ({name: right[name] for name in order.split(",")}, 0)
    # An implementation of its own, where the default served before, is noticed too.
    (desk / "west.py").write_text(header + TWINS["west"].replace("* 7", "* 9"))
    assert run(desk, "east,west")[0] == {"east": 100, "west": 9}


LONG = "\n".join(
    f"    if x > {100 + k}: total = total * x / {k}.5 + x" for k in range(99)
)  # too long to be copied into a caller
FAST = f"""
from ludus.kernel import kernel

@kernel(fastmath=True)
def double(x):
    total = 2 * x
{LONG}
    return total

@kernel(fastmath=True)
def twice(x):
    return double(x)

@kernel(fastmath=True)
def answer(x):
    return twice(x) + 1
"""


def test_processes_agree_on_symbols_whatever_the_order_of_their_sets(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of two processes that compile the same at once, one has the last word on each file: what it wrote has to fit to the other's.
    (desk / "sums.py").write_text(FAST)
    names = []
    for number, cache in ((1, "one"), (2, "two")):
        monkeypatch.setenv("PYTHONHASHSEED", str(number))
        assert run(desk, "answer:float", cache=cache)[0] == {"answer:float": "3.5"}
        names.append(sorted(path.relative_to(desk / cache) for path in (desk / cache).glob("??/*")))
    assert names[0] == names[1]
    for place in names[0]:
        monkeypatch.setenv("LUDUS_CACHE_DIR", str(desk / "one"))
        one = store.load(place.name)
        monkeypatch.setenv("LUDUS_CACHE_DIR", str(desk / "two"))
        two = store.load(place.name)
        assert [one[what] for what in ("functions", "needs", "links")] == [
            two[what] for what in ("functions", "needs", "links")
        ]
        assert one["functions"]
    assert any(store.load(place.name)["needs"] for place in names[0])


# Too long to be copied into its callers: they are linked with it.
LONG = """
import numpy as np
from ludus.kernel import kernel

@kernel
def climb(x):
    a = np.zeros(100)
%s
    return a.sum()

@kernel
def peak(x):
    return climb(x) + ADDED
"""
CLIMB = "\n".join(f"    a[(x * {i}) % 100] += x * {i} % 7 + a[(x + {i}) % 100]" for i in range(80))


def in_python(desk: Path, program: str) -> str:
    given = {**os.environ, "PYTHONPATH": f"{desk}{os.pathsep}{PACKAGE.parent}", "LUDUS_CACHE_DIR": str(desk / "cache")}
    done = subprocess.run([sys.executable, "-c", program], cwd=desk, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def test_code_of_another_process_is_linked_with_what_was_compiled_here(tmp_path: Path) -> None:
    (tmp_path / "hills.py").write_text("ADDED = 1\n" + LONG % CLIMB)
    told = in_python(
        tmp_path,
        "import hills, subprocess, sys; from ludus.kernel import cache_counts\n"
        "low = hills.climb(3)\n"
        "subprocess.run([sys.executable, '-c', 'import hills; hills.peak(3)'], check=True)\n"
        "print(hills.peak(3) - low, cache_counts())",
    )
    assert told == "1.0 (1, 1)\n"


def test_a_module_that_is_reloaded_runs_as_it_is_written_now(tmp_path: Path) -> None:
    (tmp_path / "hills.py").write_text("ADDED = 1\n" + LONG % CLIMB)
    told = in_python(
        tmp_path,
        "import hills, importlib, pathlib, sys\n"
        "sys.dont_write_bytecode = True\n"
        "first = hills.peak(3)\n"
        "file = pathlib.Path('hills.py'); text = file.read_text()\n"
        "importlib.reload(hills); print(hills.peak(3) - first)\n"  # as it was
        "file.write_text(text.replace('ADDED = 1', 'ADDED = 12')); importlib.reload(hills); print(hills.peak(3) - first)\n"
        "file.write_text(text.replace('return a.sum()', 'return a.sum() + 100')); importlib.reload(hills); print(hills.peak(3) - first)",
    )
    assert told.split() == ["0.0", "11.0", "100.0"]


def test_old_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_CACHE_DIR", str(tmp_path))
    store.save("aa" + "0" * 38, "old")
    store.save("bb" + "0" * 38, "new")
    os.utime(tmp_path / "aa" / ("aa" + "0" * 38), (0, 0))
    assert store.clean() == 1
    assert (store.load("aa" + "0" * 38), store.load("bb" + "0" * 38)) == (None, "new")


def content(value: Any) -> Any:
    return value


def test_what_can_t_be_read_again_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As when it was made with a module that has gone since.
    monkeypatch.setenv("LUDUS_CACHE_DIR", str(tmp_path))
    name = "cc" + "0" * 38
    store.save(name, content)
    assert store.load(name) is content
    monkeypatch.delattr(sys.modules[__name__], "content")
    assert store.load(name) is None
