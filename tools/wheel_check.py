"""Does the package work where it is installed? Builds a wheel, installs it into an empty environment far from this checkout, and uses it there:
the version, the models, a short demo, a game in the terminal, the page.

    python tools/wheel_check.py                                # dependencies from the package index
    python tools/wheel_check.py --python python3.13            # with another Python
    python tools/wheel_check.py --borrow                       # dependencies of this environment: needs no network
    python tools/wheel_check.py --wheel dist/ludus-….whl       # a wheel that is there
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
SQUARES = [f"mark {x} {y}" for x in (2, 1, 3) for y in (2, 1, 3)]  # whichever is free is taken


def build(folder: Path) -> Path:
    """A wheel of the checkout as it is, by the builder of this environment: nothing is asked of the network."""
    command = [sys.executable, *PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, ROOT]  # fmt: skip
    subprocess.run(list(map(str, command)), check=True)
    (wheel,) = folder.glob("ludus-*.whl")
    return wheel


def install(wheel: Path, folder: Path, python: str = sys.executable, borrow: bool = False) -> Path:
    """Make an environment with the wheel; return the folder of its commands."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    own = commands / "python"
    subprocess.run(
        [str(own), *PIP, "install", *(["--no-deps", "--no-index"] if borrow else []), str(wheel)], check=True
    )
    if borrow:
        (site,) = folder.glob("[Ll]ib/**/site-packages")
        # A path and no more: what this environment has installed in a way that names a checkout is not seen.
        (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return commands


class Installed:
    """An installed ludus, called in a folder of its own."""

    def __init__(self, commands: Path, home: Path) -> None:
        home.mkdir(exist_ok=True)
        hidden = ("PYTHON", "LUDUS_", "XDG_", "NUMBA_")
        self._environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        self._environment |= {"HOME": str(home), "LUDUS_DATA_DIR": str(home / "data"), "PYTHONUNBUFFERED": "1"}
        if cache := os.environ.get("LUDUS_CACHE_DIR"):
            self._environment["LUDUS_CACHE_DIR"] = cache
        self._commands, self._home = commands, home

    def run(self, *words: str, typed: Sequence[str] = ()) -> str:
        """What a command prints; CalledProcessError if it fails."""
        done = subprocess.run(
            [str(self._commands / words[0]), *words[1:]], input="\n".join((*typed, "")), capture_output=True, encoding="utf-8",
            cwd=self._home, env=self._environment,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)} ended with code {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def first_page(self) -> bytes:
        """The page that `ludus serve` answers first, and one of the files that it names."""
        command = [str(self._commands / "ludus"), "serve", "--no-open", "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=self._home, env=self._environment) as server:
            try:
                assert server.stderr is not None
                said = server.stderr.readline().decode()
                found = re.search(r"http://[^/\s]+/", said)
                if found is None:
                    raise RuntimeError(f"ludus serve said: {said}")
                page = _get(found[0])
                _get(found[0] + re.findall(r'(?:src|href)="/?([^"]+\.js)"', page.decode())[0])
                return page
            finally:
                server.terminate()


def _get(address: str) -> bytes:
    for _ in range(100):  # it may not be ready at once
        with contextlib.suppress(ConnectionError), urllib.request.urlopen(address, timeout=60) as answer:
            return answer.read()
        time.sleep(0.2)
    raise RuntimeError(f"nobody answers at {address}")


def check(ludus: Installed, say: Callable[[str], None] = print) -> None:
    """Use it as somebody would on the first day; RuntimeError or AssertionError if something is not as it should be."""
    code = "import ludus; print(ludus.__version__); print(ludus.__file__)"
    version, where = ludus.run("python", "-c", code).splitlines()
    assert not Path(where).is_relative_to(ROOT), f"{where} is the checkout"
    assert ludus.run("ludus", "--version") == f"ludus {version}\n"
    say(f"ludus {version} in {where}")
    assert "backgammon" in ludus.run("ludus", "models", "list")
    assert "tictactoe" in ludus.run("ludus", "gdl", "list")
    say("its models and rulesheets are there")
    assert "is the player that you just trained" in ludus.run("ludus", "demo", "--quick")
    say("the demo trains and plays")
    played = ludus.run("ludus", "play", "tictactoe", "--against", "random", "--seed", "1", typed=SQUARES)
    assert "Score after 1 game" in played, played
    say("a game is played to its end in the terminal")
    assert b"<title>ludus" in ludus.first_page()
    say("the page answers")


def main() -> None:
    """Build, install, check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="for the empty environment")
    parser.add_argument("--borrow", action="store_true", help="take the dependencies of this environment")
    parser.add_argument("--wheel", type=Path, help="instead of building one")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = told.wheel or build(folder)
        check(Installed(install(wheel, folder / "environment", told.python, told.borrow), folder / "home"))


if __name__ == "__main__":
    main()
