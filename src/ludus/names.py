"""Names that stand for code: what is installed (entry points), and what somebody brings along, as `file.py:Class` or `package.module:Class`.

Code is loaded only because a user named it, on a command line or in Python, or has installed it. A run's folder or a model file
that names code is asked about with `known`, which loads nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from ludus.errors import LudusError, unknown
from ludus.files import MEGABYTE, check_name, read_regular

_CODE = re.compile(r"(?P<module>(?:[A-Za-z]:[\\/])?[^():]+\.py|\w+(\.\w+)*):(?P<name>[A-Za-z_]\w*)")

_loaded: dict[str, Any] = {}  # what users have named so far in this process, by where it is
_files: dict[str, Path] = {}  # the modules that were loaded from files, by name
_watched: list[set[str]] = []  # the places that are used while somebody watches


def is_code(name: str) -> bool:
    """Whether a name says where its code is.

    >>> is_code("mymethod.py:Sarsa"), is_code("package.module:Sarsa"), is_code("td:runs/first"), is_code("td")
    (True, True, False, False)
    """
    return _CODE.fullmatch(name) is not None


def load(where: str, kind: str) -> Any:
    """What a user's `file.py:Class` or `package.module:Class` names; LudusError says what is wrong with it. `kind` is what it should be.

    >>> load("fractions:Fraction", "number")
    <class 'fractions.Fraction'>
    """
    match = _CODE.fullmatch(where)
    if match is None:
        raise LudusError(f"can't read '{where}' as a {kind}; write file.py:Class or package.module:Class")
    if (found := known(where)) is not None:
        return found
    module, name = match["module"], match["name"]
    found = _file(Path(module), kind) if module.endswith(".py") else _module(module, kind)
    if not hasattr(found, name):
        theirs = [
            n for n, value in vars(found).items() if inspect.isclass(value) and value.__module__ == found.__name__
        ]
        raise unknown(f"{kind} in {module}", name, theirs or ["(no class at all)"])
    remember(getattr(found, name), where)
    return known(where)


def _file(path: Path, kind: str) -> ModuleType:
    path = path.resolve()
    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == str(path):
            return module
    if not path.is_file():
        raise LudusError(f"there is no file {path} to take a {kind} from")
    fits = path.stem.isidentifier() and path.stem not in sys.modules
    return _execute(path.stem if fits else f"file_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}", path)


def _execute(name: str, path: Path) -> ModuleType:
    """The module of a name, from a file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(
            str(path.parent)
        )  # what the file imports may lie beside it, and worker processes look for it there
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        raise _blamed(error, str(path)) from error
    _files[name] = path
    return module


def files() -> dict[str, str]:
    """The modules that users had loaded from files, by name: what another process needs to find their classes."""
    return {name: str(path) for name, path in _files.items()}


def load_files(paths: Mapping[str, str]) -> None:
    """Load what `files` named in another process. A file that is gone by now is left out: it may not be needed."""
    for name, path in paths.items():
        if name not in sys.modules and Path(path).is_file():
            _execute(name, Path(path))


def _module(name: str, kind: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise LudusError(f"there is no module {name} to take a {kind} from") from None
        raise _blamed(error, name) from error
    except BaseException as error:
        raise _blamed(error, name) from error


def _blamed(error: BaseException, where: str) -> BaseException:
    """A user's code that can't be loaded is named in one line; Ctrl-C stays what it is."""
    if not isinstance(error, Exception | SystemExit):
        return error
    line = next((f"line {t.tb_lineno}, " for t in _frames(error) if t.tb_frame.f_code.co_filename == where), "")
    return LudusError(f"{where} can't be loaded: {line}{type(error).__name__}: {error}")


def _frames(error: BaseException) -> list[Any]:
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames[::-1]


# --- what has been named ---------------------------------------------------------------------------------------------


def remember(thing: Any, where: str | None = None) -> Any:
    """Note that the user named a class or function, and return it: from now on its place finds it again."""
    _loaded[_canonical(where) if where else where_is(thing)] = thing
    return thing


def _canonical(where: str) -> str:
    """A place, with the whole path of its file: the same from every folder."""
    module, _, name = where.rpartition(":")
    return f"{check_name(module).resolve()}:{name}" if module.endswith(".py") else where


def known(where: str) -> Any | None:
    """What a place stands for, if the user has named it in this process; nothing is loaded."""
    place = _canonical(where)
    for used in _watched if place in _loaded else ():
        used.add(place)
    return _loaded.get(place)


@contextlib.contextmanager
def watch() -> Iterator[set[str]]:
    """The places of users' code that are used within: another process needs it too, if it is to do the same."""
    used: set[str] = set()
    _watched.append(used)
    try:
        yield used
    finally:
        _watched.pop()


def is_portable(where: str) -> bool:
    """Whether another process finds what is at a place. What was typed at a prompt it does not, and a script would begin anew there."""
    script = getattr(sys.modules["__main__"], "__file__", None)
    mine = ["__main__", str(Path(script).resolve())] if script else ["__main__"]
    return is_code(where) and where.rpartition(":")[0] not in mine


def where_is(thing: Any) -> str:
    """Where a class or function is to be found again.

    >>> from fractions import Fraction
    >>> where_is(Fraction)
    'fractions:Fraction'
    """
    for where, other in _loaded.items():
        if other is thing:
            return where
    file = _files.get(thing.__module__)
    if thing.__module__ == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
    if file:
        return f"{Path(file).resolve()}:{thing.__qualname__}"
    return f"{thing.__module__}:{thing.__qualname__}"


def source_digest(thing: Any) -> str:
    """A hash of the file that a class or function comes from, or of its own source where there is no file; empty if neither is there."""
    with contextlib.suppress(LudusError, OSError, TypeError):
        return path_digest(Path(inspect.getfile(thing)))
    with contextlib.suppress(OSError, TypeError):
        return hashlib.sha256(inspect.getsource(thing).encode()).hexdigest()
    return ""


def path_digest(path: Path, megabytes: int = 100) -> str:
    """A hash of a file's content, if it is not larger than that."""
    return hashlib.sha256(read_regular(path, megabytes * MEGABYTE)).hexdigest()


# --- what is installed -----------------------------------------------------------------------------------------------


def installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, such as `ludus.methods`, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def load_installed(group: str, name: str) -> Any | None:
    """What an installed package offers under a name; None if none does. LudusError if it can't be loaded."""
    entry = installed(group).get(name)
    if entry is None:
        return None
    try:
        return entry.load()
    except Exception as error:
        raise LudusError(f"'{name}' of an installed package can't be loaded ({entry.value}): {error}") from error
