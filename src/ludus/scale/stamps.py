"""Whether two machines would do the same: the same packages, code compiled for the same kind of processor, the same files.

Results are the same bytes wherever a shard is done only if all this is the same. So whoever gives work away stamps it, and whoever gets it looks. That
it is the same ludus is seen before, by `errand`.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ludus import names
from ludus.errors import LudusError

PACKAGES = ("numpy", "numba", "llvmlite")  # by whose version numbers may come out otherwise
MODELS = ("model.safetensors", "config.toml", "rules.kif")  # what players read of a run's folder
LARGEST = 8_000  # megabytes of a file


class Stamp(NamedTuple):
    """What a result depends on beside the work and ludus itself."""

    packages: tuple[tuple[str, str], ...]
    processor: str  # the kind that code is compiled for
    files: tuple[tuple[str, str], ...]  # users' files that are read, with their hashes

    def check(self) -> None:
        """LudusError if this process would not do the same as the one that made the stamp."""
        here = f"node {platform.node()}"
        for (name, theirs), (_, ours) in zip(self.packages, packages(), strict=True):
            if theirs != ours:
                raise LudusError(
                    f"{here} has {name} {ours}, and the work needs {theirs}: install the same on every node"
                )
        if self.processor != processor():
            raise LudusError(
                f"{here} compiles for {processor()}, the work is for {self.processor}, and they may round differently: "
                "set NUMBA_CPU_NAME and NUMBA_CPU_FEATURES on every node and here, to 'x86-64-v3' and '' say"
            )
        for path, digest in self.files:
            if not Path(path).is_file():
                raise LudusError(f"{here} has no file {path}: put it where every node finds it under this name")
            if digest_of(path) != digest:
                raise LudusError(f"{here} has another {path} than there was when the work was begun")


def stamp(files: Iterable[Path | str] = ()) -> Stamp:
    """The stamp of this process, for work that reads such files; those of users' code are added.

    >>> stamp([__file__]).check()
    """
    paths = sorted({str(Path(path).resolve()) for path in (*files, *names.files().values())})
    return Stamp(packages(), processor(), tuple((path, digest_of(path)) for path in paths if Path(path).is_file()))


@cache
def packages() -> tuple[tuple[str, str], ...]:
    """The versions of what results depend on.

    >>> [name for name, _ in packages()]
    ['Python', 'numpy', 'numba', 'llvmlite']
    """
    python = ".".join(platform.python_version_tuple()[:2])
    return (("Python", python), *((name, version(name)) for name in PACKAGES))


@cache
def processor() -> str:
    """The kind of processor that code is compiled for."""
    import numba

    import ludus.kernel.target  # noqa: F401  which chooses it

    config = numba.config
    features = f" with {config.CPU_FEATURES}" if config.CPU_FEATURES else ""
    return f"{config.CPU_NAME or platform.machine()}{features}{' (not at all)' if config.DISABLE_JIT else ''}"


def digest_of(path: str) -> str:
    """A hash of a file's content."""
    about = os.stat(path)
    return _digest(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=1024)
def _digest(path: str, changed: int, size: int) -> str:
    return names.path_digest(Path(path), LARGEST)


def files_in(called: Iterable[str]) -> list[Path]:
    """The files that names of players or games name: `td:runs/first`, `mygame.kif`.

    >>> [path.name for path in files_in(["random", f"td:{__file__}(plies=1)"])]
    ['stamps.py']
    """
    parts = [part.strip() for name in called for part in re.split(r"[:(),=]", name)]
    found = []
    for path in (Path(part) for part in dict.fromkeys(parts) if part and "\0" not in part):
        if path.is_dir():
            found += [path / name for name in MODELS if (path / name).is_file()]
        elif path.is_file():
            found.append(path)
    return found
