"""Compiled code on disk. A file is named by a hash of everything that its code depends on, is written whole or not at all, and holds a
hash of its name and content: so whoever finds a file finds the right code, whatever other processes do, and wherever they were ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.files import held
from ludus.system import cache_folder

MARK = b"ludus kernel 1\n"
SHIPPED = Path(__file__).parent / "compiled"  # what a wheel brings along
KEPT_FOR = 90 * 24 * 3600.0  # seconds: files that nobody read for so long are removed
DAY = 24 * 3600.0


def folder() -> Path:
    """Where compiled code is kept: $LUDUS_CACHE_DIR, or `ludus` in the user's folder for caches."""
    told = os.environ.get("LUDUS_CACHE_DIR")
    if told:
        return Path(told)
    try:
        return cache_folder() / "ludus"
    except RuntimeError:  # a user without a home
        return Path(os.devnull) / "ludus"


def load(name: str) -> Any:
    """What was saved under a name; None if there is nothing, or nothing whole."""
    for place in (folder(), SHIPPED):
        path = place / name[:2] / name
        try:
            data = path.read_bytes()
        except OSError:
            continue
        body = data[len(MARK) + 32 :]
        if data.startswith(MARK) and _digest(name, body) == data[len(MARK) : len(MARK) + 32]:
            _keep(path)
            with contextlib.suppress(Exception):  # made with modules that this process can't import
                return pickle.loads(body)
            continue
        _warn(f"{path} is damaged; the code is compiled anew")
    return None


def save(name: str, content: Any) -> None:
    """Keep something under a name; if that is impossible, say so once, and go on."""
    body = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
    path = folder() / name[:2] / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MARK + _digest(name, body) + body)
            os.replace(temporary, path)
        except BaseException:
            _remove(Path(temporary))
            raise
    except OSError as error:
        _warn(f"can't keep compiled code in {folder()} ({error.strerror}); it will be compiled again next time")


def _digest(name: str, body: bytes) -> bytes:
    return hashlib.sha256(name.encode() + body).digest()


@contextlib.contextmanager
def turn(name: str) -> Iterator[bool]:
    """Make something while no other process makes the same; tells whether another one did so just before. A process that is ended lets go.
    Where files can't be locked everybody works for itself: that only takes longer.
    """
    path, waited = folder() / name[:2] / f".{name}", False
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            waited = stack.enter_context(held(path))
            stack.callback(_remove, path)
        yield waited


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def clean(now: float | None = None) -> int:
    """Remove what nobody has read for a long time, and what was left half written; return how many files."""
    now, removed = time.time() if now is None else now, 0
    for path in folder().glob("??/*"):
        with contextlib.suppress(OSError):
            if now - path.stat().st_mtime > (DAY if path.name.startswith(".") else KEPT_FOR):
                path.unlink()
                removed += 1
    return removed


def _keep(path: Path) -> None:
    """Note that a file was read; once a day is enough."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)


_warned = False


def _warn(text: str) -> None:
    global _warned
    if not _warned:
        print(f"ludus: {text}", file=sys.stderr)
    _warned = True
