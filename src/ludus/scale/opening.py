"""Who does the work, from the words of a command line."""

from __future__ import annotations

import re

from ludus.errors import LudusError, brief
from ludus.quantities import SECONDS
from ludus.scale.local import Processes
from ludus.scale.shards import PATIENCE, Executor

_ADDRESS = re.compile(r"(ray://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(?P<port>[0-9]{1,5})")


def workers(where: str = "local", jobs: int | None = None, patience: float = PATIENCE) -> Executor:
    """Who does work elsewhere: `local` for processes of this machine, `ray` for Ray here, `ray://host:port` or `host:port` for a cluster.

    At most `jobs` shards are done at once; as many as there are cores unless told. One of whom nothing is heard for `patience` seconds is given up.
    Close it when all is done, or use it in a `with`.

    >>> import ludus
    >>> with ludus.workers("local", jobs=2) as crew:
    ...     ludus.arena("tictactoe", ["random", "random"], games=100, jobs=crew).games
    100
    """
    patience = SECONDS.read(patience, f"patience={patience}")
    made = Processes(jobs, cores=1) if where == "local" else _cluster(where, jobs)
    made.patience = patience
    return made


def _cluster(where: str, jobs: int | None) -> Executor:
    match = _ADDRESS.fullmatch(where)
    if where != "ray" and (match is None or int(match["port"]) > 65_535):
        raise LudusError(f"can't read '{brief(where)}' as workers; write local, ray, ray://HOST:PORT or HOST:PORT")
    from ludus.scale.cluster import Ray

    return Ray(None if where == "ray" else where, jobs)
