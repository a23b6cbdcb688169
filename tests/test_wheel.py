"""The wheel: everything that ludus needs is in it, what it needs of others is named, and it works where it is installed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import ludus

sys.path.append(str(Path(__file__).parent.parent / "tools"))

import wheel_check

ROOT = Path(__file__).parent.parent

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Packages are imported by other names than they are installed by.
NAMES = {
    "psycopg": "psycopg",
    "pyspiel": "open-spiel",
    "gnubg_nn": "gnubg-nn",
    "PIL": "pillow",
    "tensorboard": "tensorboard",
}
DATA = ("models/*.safetensors", "games/gdl/sheets/*.kif", "web/page/**/*.*", "comparing/suites/*.toml", "comparing/published/*", "records/migrations/**/*.py", "py.typed")  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_check.build(tmp_path_factory.mktemp("wheel"))


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "src/ludus"], capture_output=True, text=True, cwd=ROOT, check=True)
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert {name.removeprefix("src/") for name in listed.stdout.split()} <= packed
    for pattern in DATA:
        found = [f"ludus/{path.relative_to(ROOT / 'src' / 'ludus')}" for path in (ROOT / "src" / "ludus").glob(pattern)]
        assert found, pattern
        assert set(found) <= packed
    assert not [name for name in packed if "__pycache__" in name or not name.startswith("ludus")]


def test_the_version_stands_in_one_place(wheel: Path) -> None:
    about = zipfile.ZipFile(wheel).read(f"ludus-{ludus.__version__}.dist-info/METADATA").decode()
    assert f"\nVersion: {ludus.__version__}\n" in about
    assert "\nRequires-Python: >=3.11\n" in about
    for python in ("3.11", "3.12", "3.13"):
        assert f"Classifier: Programming Language :: Python :: {python}\n" in about
    assert "version" in PROJECT["dynamic"]
    assert re.search(rf"^## {re.escape(ludus.__version__)}\b", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def _names(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w.-]+", each)[0].lower().replace("_", "-") for each in requirements}  # type: ignore[index]


def test_what_is_imported_is_what_is_required() -> None:
    """At the top of a module only what every installation has; inside functions, and in adapters, which are loaded by name, also what an extra brings."""
    always = _names(PROJECT["dependencies"]) | {
        "llvmlite",
        "starlette",
        "pydantic",
        "click",
        "pillow",
    }  # these come with numba, fastapi, typer and matplotlib
    extras = always | _names(
        [each for name, part in PROJECT["optional-dependencies"].items() if name != "dev" for each in part]
    )
    extras |= {"ipython", "traitlets"}  # there where notebooks are; traitlets comes with anywidget
    for path in (ROOT / "src" / "ludus").rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        top = {id(node) for node in tree.body}
        for node in ast.walk(tree):
            found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            found += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in (each.split(".")[0] for each in found):
                package = NAMES.get(name, name).lower().replace("_", "-")
                allowed = always if id(node) in top and "adapters" not in path.parts else extras
                inside = path.name == "inside_gnubg.py" and name == "gnubg"  # runs in GNU Backgammon's own Python
                known = package in allowed or name in sys.stdlib_module_names or name in ("ludus", "clingo") or inside
                assert known, f"{path.name}:{node.lineno} imports {name}"


@pytest.mark.long
def test_an_installed_wheel_works(wheel: Path, tmp_path: Path) -> None:
    """Demo, game and page in an environment of its own, with the packages of this one. `tools/wheel_check.py` asks the index for them."""
    commands = wheel_check.install(wheel, tmp_path / "environment", borrow=True)
    said: list[str] = []
    wheel_check.check(wheel_check.Installed(commands, tmp_path / "home"), said.append)
    assert said[-1] == "the page answers"
