"""Files that are written whole or not at all, and read only if they have an end."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ludus.errors import LudusError, brief

MEGABYTE = 1_000_000

# Without O_NONBLOCK, opening a pipe waits for somebody who writes into it; without O_BINARY, Windows changes ends of lines.
_READING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY", "O_NOINHERIT"))


class HeldError(LudusError):
    """Another process holds a lock."""


def _shown(path: Path | str) -> str:
    return brief(path, 250)


def read_regular(path: Path | str, limit: int) -> bytes:
    """The content of a file that a user named; LudusError if there is none, if it is a folder, a pipe or a device (which may never
    end), if it can't be read, or if it holds more than `limit` bytes.

    >>> read_regular("/dev/zero", 1000)
    Traceback (most recent call last):
    ludus.errors.LudusError: /dev/zero is not a regular file: give a file, not a pipe or a device
    """
    shown = _shown(path)
    try:
        handle = os.open(path, _READING)
    except FileNotFoundError:
        raise LudusError(f"there is no file {shown}") from None
    except OSError as error:
        if os.path.isdir(path):  # Windows opens none
            raise LudusError(f"{shown} is a folder: give a file") from None
        raise LudusError(f"can't read {shown}: {error.strerror}") from error
    except ValueError as error:  # a NUL character, say
        raise _no_name(path, error) from None
    try:
        about = os.fstat(handle)
        if stat.S_ISDIR(about.st_mode):
            raise LudusError(f"{shown} is a folder: give a file")
        if not stat.S_ISREG(about.st_mode):
            raise LudusError(f"{shown} is not a regular file: give a file, not a pipe or a device")
        with open(handle, "rb", closefd=False) as file:
            data = file.read(limit + 1) if about.st_size <= limit else b""
    except OSError as error:
        raise LudusError(f"can't read {shown}: {error.strerror}") from error
    finally:
        os.close(handle)
    if about.st_size > limit or len(data) > limit:  # some files say that they are empty, and aren't
        raise LudusError(f"{shown} is too large: it may hold at most {limit / MEGABYTE:,.6g} MB")
    return data


def _no_name(path: Path | str, error: ValueError) -> LudusError:
    return LudusError(f"{_shown(repr(str(path)))} can't be the name of a file: {brief(error)}")


def check_name(path: Path | str) -> Path:
    """A path that a user named; LudusError if no file or folder can be called so."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise LudusError(f"can't use {_shown(path)}: {error.strerror}") from None
    except ValueError as error:  # a NUL character, say
        raise _no_name(path, error) from None
    return Path(path)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that, whatever happens, either the old content or the new one is there, never a part."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise LudusError(f"can't write {_shown(path)}: {error.strerror}") from error
    except ValueError as error:  # a NUL character, say
        raise _no_name(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise LudusError(f"can't write {path}: {error.strerror}; what was there before is untouched") from error
    except BaseException:
        os.unlink(temporary)
        raise


@contextlib.contextmanager
def held(path: Path | str, wait: bool = True) -> Iterator[bool]:
    """Hold a lock, which is a file, while no other process does; tells whether it had to be waited for. HeldError if it is not to be waited
    for. A process that is ended lets go.

    >>> with tempfile.TemporaryDirectory() as folder, held(Path(folder) / "lock") as waited:
    ...     waited
    False
    """
    from filelock import FileLock, Timeout  # takes a while, and is rarely needed

    lock, waited = FileLock(path), False
    try:
        lock.acquire(blocking=False)
    except Timeout:
        if not wait:
            raise HeldError(f"another process holds {_shown(path)}") from None
        waited = True
        lock.acquire()
    try:
        yield waited
    finally:
        lock.release()
