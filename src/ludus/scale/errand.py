"""What a node of a cluster is asked to do with a shard. This module goes there as it is, by value: the node may have no ludus, or another one,
so nothing of ludus is imported before that is known.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
from typing import Any

LEFT_OUT = ("__pycache__", "compiled")  # folders of ludus that change no result

_sources: dict[str, str] = {}  # hashes that are known, by folder


def do(
    common: bytes, header: bytes, call: bytes, source: str, folder: str, patience: float | None
) -> tuple[str, Any, str]:
    """Have a process of this node do a packed call (`processes.Parcel`) in a folder, if it has it: what came of it, a value, and who it was.

    What comes of it is `answer` with the pickled value, `error` with words for people, or `raised`, `ended` or `silent` with words on what happened.
    """
    node = platform.node()
    why = objection(source, node)
    if why:
        return "error", why, node
    from ludus.errors import LudusError
    from ludus.scale import processes

    parcel = processes.Parcel(header, common, call)
    folder = folder if os.path.isdir(folder) else os.getcwd()
    try:
        return "answer", processes.resident(folder).ask(parcel, patience=patience), node
    except LudusError as error:
        return "error", str(error), node
    except processes.RaisedError as error:
        return "raised", str(error), node
    except processes.EndedError as error:
        return "ended", str(error), node
    except processes.SilentError as error:
        return "silent", str(error), node


def objection(source: str, node: str) -> str:
    """Why this machine can't do the work of a ludus with such files; empty if it can.

    >>> objection(source_of(), "here"), objection("0.9 something", "here").partition(";")[0]
    ('', 'node here has another ludus than the one that work comes from')
    """
    found = source_of()
    if not found:
        return f"node {node} has no ludus: install it there, the same as here"
    if found == source:
        return ""
    return f"node {node} has another ludus than the one that work comes from; install the same on every node: {found[:20]} is not {source[:20]}"


def source_of(package: str = "ludus") -> str:
    """The hash of all files of a package, and nothing if it is not there.

    >>> source_of("no_such_package"), len(source_of())
    ('', 64)
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return ""
    folder = next(iter(found.submodule_search_locations))
    if folder not in _sources:
        digest = hashlib.sha256()
        for root, folders, files in os.walk(folder):
            folders[:] = sorted(set(folders) - set(LEFT_OUT))
            for name in sorted(name for name in files if not name.startswith(".")):
                path = os.path.join(root, name)
                digest.update(f"{os.path.relpath(path, folder)}\n".encode())
                with open(path, "rb") as file:
                    digest.update(file.read())
        _sources[folder] = digest.hexdigest()
    return _sources[folder]
