"""GNU Backgammon's bear-off databases, read as its manual and `bearoffdump` describe them: what they hold, in the order of our own numbers of positions, which is also theirs.

Two-sided (`gnubg-TS-06-06-1`): for each pair of positions of up to six checkers four equities of who rolls, in 65,536 steps from -1 to 1: without a cube, with one's own, in the middle, the other's. They are those of not
doubling with this roll. One-sided (`gnubg-OS-06-15-1-1-0`): for each position of up to 15 checkers the chances, in 65,536 steps, to be done after so many rolls, and to have the first checker off, without leading and
trailing zeros.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

from ludus.games.backgammon.endings import ALONE, BOTH, CENTRED, OWNED, ROLLS, THEIRS

HEADER = 40  # bytes
INSTALLED = ("/var/lib/gnubg", "/usr/share/gnubg", "/usr/lib/gnubg", "/usr/local/share/gnubg")
TWO_SIDED, ONE_SIDED = "gnubg_ts0.bd", "gnubg_os0.bd"
_MADE_BY = {TWO_SIDED: ["-t", "6x6"], ONE_SIDED: ["-o", "6"]}


def program(name: str) -> str | None:
    """Where one of GNU Backgammon's programs is, or None."""
    return shutil.which(
        name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/games", "/usr/local/games"])
    )


def database(name: str, folder: Path) -> Path | None:
    """The database as it was installed, or else made anew in a folder, which takes half a minute; None where there is no GNU Backgammon."""
    for place in INSTALLED:
        if (path := Path(place) / name).is_file():
            return path
    maker = program("makebearoff")
    if maker is None:
        return None
    subprocess.run([maker, *_MADE_BY[name], "-f", str(folder / name)], check=True, capture_output=True)
    return folder / name


def two_sided(path: Path) -> np.ndarray:
    """Their equities of not doubling: [position of who rolls, position of the other, whose cube]."""
    steps = np.frombuffer(_body(path, b"gnubg-TS-06-06-1"), "<u2").reshape(BOTH, BOTH, 4)
    return steps / 32767.5 - 1


def with_doubles(equities: np.ndarray) -> np.ndarray:
    """Equities of who may also double with this roll, as our table has them."""
    found = equities.copy()
    doubled = np.minimum(2 * equities[..., THEIRS], 1)
    for cube in (OWNED, CENTRED):
        found[..., cube] = np.maximum(equities[..., cube], doubled)
    return found


def one_sided(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Their chances to be done, and to have the first checker off, after so many rolls: [position, rolls]."""
    body = _body(path, b"gnubg-OS-06-15-1-1-0")
    where = np.dtype([("at", "<u4"), ("many", "u1"), ("first", "u1"), ("gammon_many", "u1"), ("gammon_first", "u1")])
    index = np.frombuffer(body, where, ALONE)
    steps = np.frombuffer(body, "<u2", offset=index.nbytes) / 65535
    off, first = np.zeros((ALONE, ROLLS)), np.zeros((ALONE, ROLLS))
    for number, (at, many, begin, gammon_many, gammon_begin) in enumerate(index.tolist()):
        off[number, begin : begin + many] = steps[at : at + many]
        first[number, gammon_begin : gammon_begin + gammon_many] = steps[at + many : at + many + gammon_many]
    return off, first


def _body(path: Path, kind: bytes) -> bytes:
    raw = path.read_bytes()
    if not raw.startswith(kind):
        raise ValueError(f"{path} begins with {raw[:20]!r}, and is no {kind.decode()}")
    return raw[HEADER:]
