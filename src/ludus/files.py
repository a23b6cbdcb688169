"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ludus.errors import LudusError


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that, whatever happens, either the old content or the new one is there, never a part."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise LudusError(f"can't write {path}: {error.strerror}") from error
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
