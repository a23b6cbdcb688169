"""Games that come as data: rulesheets in the Game Description Language (GDL) of General Game Playing.

`load` reads a sheet, checks it, and compiles it to a propositional network that kernels play; a sheet that is too large for that is interpreted.
Sheets that come with the package lie in the folder `sheets`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus import quantities
from ludus.errors import LudusError, brief
from ludus.files import read_regular
from ludus.games.gdl.kif import MAX_TEXT
from ludus.spec import parse

SHEETS = Path(__file__).parent / "sheets"
SUFFIXES = (".kif", ".gdl")
SECONDS, MEMORY = 20.0, 4000  # what grounding may cost, unless told: time, and megabytes
PARAMETERS: dict[str, Any] = {"seconds": quantities.SECONDS, "memory": quantities.MEGABYTES}  # of a sheet's name


def shipped() -> dict[str, Path]:
    """The sheets that come with the package, by name.

    >>> "tictactoe" in shipped()
    True
    """
    return {path.stem: path for path in sorted(SHEETS.glob("*.kif"))}


def load(
    text: str,
    name: str = "game",
    seconds: float = SECONDS,
    memory: int = MEMORY,
    say: Callable[[str], None] = lambda line: None,
    origin: str = "",
) -> Any:
    """The game of a rulesheet. Grounding may take so many seconds and megabytes; a sheet that needs more is interpreted, state by state.

    >>> game = load("(role you) (legal you go) (<= (next done) (does you go)) (<= terminal (true done)) (goal you 100)")
    >>> game.start().play("go").scores()
    [1.0]
    """
    # Whoever only lists sheets does not wait for Numba.
    from ludus.games.gdl.compiling import compile_sheet
    from ludus.games.gdl.games import interpret
    from ludus.games.gdl.grounding import Limits, TooLargeError
    from ludus.games.gdl.sheet import read_sheet

    seconds = quantities.SECONDS.read(seconds, f"seconds={seconds}")
    memory = quantities.MEGABYTES.read(memory, f"memory={memory}")
    sheet = read_sheet(text, name)
    try:
        return compile_sheet(sheet, name, origin, text, Limits(seconds, memory), say)
    except TooLargeError as reason:
        say(f"{name} is interpreted, as {reason}")
        return interpret(sheet, name, origin, text)


def read_text(path: Path) -> str:
    """The text of a rulesheet's file."""
    if not os.path.exists(path):  # and not path.exists(), which fails for names that no file can have
        raise LudusError(f"there is no rulesheet {brief(path)}")
    data = read_regular(path, 4 * MAX_TEXT)  # bytes of a character
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise LudusError(f"{brief(path)} is not text") from None


def summary(path: Path) -> str:
    """What a sheet says about itself: the first sentence of the comment at its beginning.

    >>> summary(shipped()["tictactoe"]) != ""
    True
    """
    comment = []
    for line in read_text(path).splitlines():
        if not line.startswith(";"):
            break
        comment.append(line.strip("; "))
    return " ".join(comment).split(". ")[0].rstrip(".")


@lru_cache(maxsize=32)
def load_file(path: Path, name: str, origin: str, seconds: float, memory: int, stamp: int) -> Any:
    """The game of a file; `stamp` tells versions of it apart."""
    return load(read_text(path), name, seconds, memory, origin=origin)


def from_name(name: str, seconds: float = SECONDS, memory: int = MEMORY) -> Any:
    """The game of a sheet that comes with the package, or of a file."""
    try:
        path = shipped().get(name) or Path(name).resolve()
        stamp = path.stat().st_mtime_ns if path.exists() else 0
    except (OSError, ValueError) as error:  # too long, say, or with a character that no file's name has
        raise LudusError(f"there is no rulesheet {name[:80]!r}: {error}") from None
    origin = name if name in shipped() else str(path)
    return load_file(path, path.stem, origin, float(seconds), memory, stamp)


def from_copy(path: Path, name: str) -> Any:
    """The game of a copy of a sheet that was once had by a name, with the parameters that the name has."""
    arguments = {"seconds": SECONDS, "memory": MEMORY} | parse(name).check("game", PARAMETERS)
    return load_file(
        path,
        Path(parse(name).name).stem,
        name,
        arguments["seconds"],
        arguments["memory"],
        path.stat().st_mtime_ns,
    )
