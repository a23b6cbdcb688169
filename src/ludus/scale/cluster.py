"""Shards done by a Ray cluster: plain tasks, which Ray does again elsewhere if a node is lost."""

from __future__ import annotations

import os
import pickle
import socket
import time
import warnings
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

from ludus.errors import LudusError, NotInstalledError, brief
from ludus.quantities import CORES
from ludus.scale import errand
from ludus.scale.processes import pack
from ludus.scale.shards import TICK, Executor, LostError, Outcome, Shard, Watcher
from ludus.scale.stamps import Stamp, stamp

TRIES = 4  # of a shard, where nodes are lost or processes ended
COUNT = 10.0  # seconds from one count of the cluster's cores to the next: nodes come and go
WAIT = 10.0  # seconds for a first answer of a cluster
CLIENT = "ray://"
PORTS = {True: 10001, False: 6379}  # Ray's own, for clients and for nodes
# What a server of gRPC is greeted with: the preface of HTTP/2, and empty settings. It answers with its own.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


class Ray(Executor):
    """The cluster at an address: `ray://host:port` from outside, `host:port` from one of its nodes. None is the one that this machine belongs to, or
    one that is started here and ends with us. If this process has one already, it is that.
    """

    def __init__(self, address: str | None = None, places: int | None = None) -> None:
        self._ray = _imported()
        self._own = not self._ray.is_initialized()
        if self._own:
            self._connect(address)
        self._most = None if places is None else CORES.read(places, f"jobs={places}")
        self.places, self._counted = self._count(), time.monotonic()
        self._source, self._folder = errand.source_of(), os.getcwd()
        self._ray.cloudpickle.register_pickle_by_value(errand)
        # A shard that ends its node's process, or raises an error, says so as its value: what Ray does again is what is lost with a node.
        self._do = self._ray.remote(num_cpus=1, max_retries=TRIES - 1, retry_exceptions=False)(errand.do)

    def _connect(self, address: str | None) -> None:
        if address is not None:
            _knock(address)
        try:
            quiet = {"log_to_driver": False, "logging_level": "ERROR"}
            with warnings.catch_warnings(action="ignore"):
                self._ray.init(address, include_dashboard=None if address else False, **quiet)
        except Exception as error:  # of many kinds
            if "ersion mismatch" in str(error):
                raise LudusError(_versions(str(error))) from error
            raise LudusError(
                f"can't work with Ray at {address or 'this machine'}: {brief(' '.join(str(error).split()), 300)}"
            ) from error

    def _count(self) -> int:
        there = int(self._ray.cluster_resources().get("CPU", 1))
        return max(there if self._most is None else min(there, self._most), 1)

    def map(
        self,
        shards: Iterable[Shard],
        common: tuple[Any, ...] = (),
        watcher: Watcher | None = None,
        files: Sequence[Path] = (),
    ) -> Generator[Outcome, None, None]:
        """See `Executor`."""
        watcher, source = watcher or Watcher(), enumerate(shards)
        stamped, shared = stamp(files), self._ray.put(pickle.dumps(common))
        flight: dict[Any, tuple[int, Shard, int]] = {}  # by reference: the shard, and how often it was tried
        try:
            while True:
                while len(flight) < self._room() and (following := next(source, None)) is not None:
                    watcher.begun(following[0])
                    flight[self._submit(following[1], shared, stamped)] = (*following, 1)
                if not flight:
                    return
                ready, _ = self._ray.wait(list(flight), num_returns=1, timeout=TICK)
                watcher.tick()
                for reference in ready:
                    number, shard, tries = flight.pop(reference)
                    outcome = self._outcome(reference, number, shard)
                    if isinstance(outcome.error, LostError) and outcome.error.cause == "ended" and tries < TRIES:
                        # A machine that is taken away ends our processes before Ray's.
                        flight[self._submit(shard, shared, stamped)] = (number, shard, tries + 1)
                    else:
                        yield outcome
        finally:
            for reference in flight:
                self._ray.cancel(reference, force=True)

    def _room(self) -> int:
        """Shards that are given away at most: a few more than there are places, so that nobody waits for the next one."""
        if time.monotonic() - self._counted > COUNT:
            self.places, self._counted = self._count(), time.monotonic()
        return self.places + max(2, self.places // 8)

    def _submit(self, shard: Shard, shared: Any, stamped: Stamp) -> Any:
        header, _, call = pack(shard.where, shard.arguments, stamp=stamped)
        return self._do.remote(shared, header, call, self._source, self._folder, shard.patience)

    def _outcome(self, reference: Any, number: int, shard: Shard) -> Outcome:
        errors = self._ray.exceptions
        try:
            what, value, node = self._ray.get(reference)
        except errors.OutOfMemoryError:
            why = "its node has too little memory, and Ray ended it"
            return Outcome(number, error=LostError(shard.title, "lost", why))
        except errors.RayError as error:
            lost = isinstance(error, errors.WorkerCrashedError | errors.NodeDiedError | errors.ObjectLostError)
            why = f"Ray has lost it {TRIES} times" if lost else f"Ray could not do it: {_line(error)}"
            return Outcome(number, error=LostError(shard.title, "lost", why))
        if what == "answer":
            return Outcome(number, pickle.loads(value))
        if what == "error":
            # What is wrong here too was said before; what is said there is about that node.
            return Outcome(number, error=LudusError(value if value.startswith("node ") else f"node {node}: {value}"))
        return Outcome(number, error=LostError(shard.title, what, value, node))

    def close(self) -> None:
        """Let go of the cluster; one that was started here ends."""
        if self._own:
            self._ray.shutdown()


def _imported() -> Any:
    """Ray, told to be quiet."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody asked to be counted
    os.environ.setdefault("RAY_task_oom_retries", str(TRIES - 1))  # for ever, else
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
        import ray.cloudpickle
    except ImportError as error:
        raise NotInstalledError("workers of Ray need the ray extra: pip install 'ludus[ray]'") from error
    return ray


def _knock(address: str) -> None:
    """LudusError if nobody is there, or no Ray: Ray itself would wait for minutes."""
    from_outside = address.startswith(CLIENT)
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    if not from_outside and int(port) == PORTS[True]:
        raise LudusError(
            f"{port} is the port of Ray's clients: write {CLIENT}{address}, or give the port of its nodes, {PORTS[False]}"
        )
    advice = f"start Ray there, ray start --head, and give its port, {PORTS[from_outside]} unless it was told otherwise"
    try:
        with socket.create_connection((host.strip("[]"), int(port)), WAIT) as door:
            door.sendall(_GREETING)
            answer = door.recv(9)
    except OSError as error:
        raise LudusError(f"nobody answers at {address} ({error.strerror or error}): {advice}") from None
    if answer[3:4] != _GREETING[-6:-5]:
        raise LudusError(f"what answers at {address} is not Ray: {advice}")


def _versions(text: str) -> str:
    """What Ray says about versions that differ, in a line."""
    said = " ".join(text.replace("\n", " ").split())
    return brief(f"the cluster has another Ray or Python than this machine; both sides need the same. {said}", 400)


def _line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return brief(lines[-1].strip() if lines else type(error).__name__, 300)
