"""What work in many places costs, measured; and what a thousand cores would do for the learners, on paper.

    python tools/scale.py                       # a contest of two minutes by processes of this machine, and the same by Ray: six minutes
    python tools/scale.py --seconds 20          # a shorter one
    python tools/scale.py --paper               # a minute on one core; needs no Ray

The first plays one contest by local processes and by a Ray on this machine, on the same cores, after both have compiled and loaded everything, and prints by how
much Ray takes longer, and by how much more processor time, Ray's own processes included; how long an empty shard takes; and the load of the machine before. On a busy
one the clock means little, and the processor time still does something. Ends with code 1 if the results differ, or if Ray takes more than 10 % longer.

The second measures on one core how many games of self-play each preset of `selfplay` learns from in a second of processor time, at the beginning of a training, and works
out what a cluster would make of it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

import ludus
from ludus.methods import method_class
from ludus.methods.presets import preset
from ludus.quantities import cores
from ludus.scale.opening import workers
from ludus.scale.shards import Executor, Shard, gathered

GAME, PLAYERS = "backgammon", ["td(plies=1)", "td"]
MOST = 0.10  # of the time may be lost
LEARNERS = (
    ("backgammon", "best"),
    ("ludo", "best"),
    ("quoridor", "best"),
    ("connectfour", "network"),
    ("hex7", "network-playouts"),
)
NETWORK = 1.25e9  # bytes a second into the machine that learns: 10 Gbit/s
DELAY = 0.02  # seconds until all parts of a step are under way, and their answers are there


class Taken(NamedTuple):
    """What a contest took, and what came of it."""

    seconds: float  # by the clock
    work: float  # seconds of processor time
    result: bytes

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, {self.work:.1f} s of processor time"


def timed(crew: Executor, games: int) -> Taken:
    """Play a contest."""
    begun, before = time.perf_counter(), spent()
    result = ludus.arena(GAME, PLAYERS, games, seed=1, jobs=crew)
    return Taken(time.perf_counter() - begun, spent() - before, result.shares.tobytes())


def spent() -> float:
    """Processor time of this process and all that it has started, in seconds."""
    parents, times = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        number = int(path.parent.name)
        parents[number], times[number] = int(fields[1]), int(fields[11]) + int(fields[12])
    ours = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(times[number] for number in ours) / os.sysconf("SC_CLK_TCK")


def empty(crew: Executor) -> float:
    """Seconds of an empty shard, one after the other."""
    begun, count = time.perf_counter(), 50
    for _ in range(count):
        gathered(crew.map([Shard("ludus.scale.processes:echo", (1,))]))
    return (time.perf_counter() - begun) / count


def overhead(seconds: float) -> int:
    """Measure what Ray costs."""
    places, load = cores(), os.getloadavg()[0]
    print(f"{places} cores, load {load:.1f} before; {GAME}: {' against '.join(PLAYERS)}")
    with workers("local", places) as here:
        timed(here, 100)
        games = 200
        while (taken := timed(here, games)).seconds < min(seconds / 4, 10.0):
            games *= 2
        games = int(games * seconds / taken.seconds)
        local = timed(here, games)
        print(f"local processes: {games:,} games in {local}; an empty shard takes {1000 * empty(here):.1f} ms")
    begun = time.perf_counter()
    with workers("ray", places) as there:
        print(f"Ray: up after {time.perf_counter() - begun:.1f} s")
        timed(there, 400)
        remote = timed(there, games)
        print(f"Ray: {games:,} games in {remote}; an empty shard takes {1000 * empty(there):.1f} ms")
    lost, same = remote.seconds / local.seconds - 1, remote.result == local.result
    print(
        f"Ray takes {lost:+.1%} time, {remote.work / local.work - 1:+.1%} processor time; the results are {'the same bytes' if same else 'NOT the same'}"
    )
    return int(not same or lost > MOST)


def paper(seconds: float) -> int:
    """Work out what a thousand cores would do."""
    print(
        "| learner | one core, games/s | weights | batch | cores it can use | games/s on them | batch for 1,000 cores at half their speed |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for game, name in LEARNERS:
        made = preset(game, name)
        if made.method != "selfplay":
            continue
        batch = made.settings.get("batch", 32)
        settings = {**made.settings, "parts": 1}
        learner = method_class("selfplay")(**settings).begin(ludus.game(game), 1, 10**6)
        learner.advance()  # compiles
        first, begun = learner.games, time.process_time()
        while time.process_time() - begun < seconds:
            learner.advance()
        rate = (learner.games - first) / (time.process_time() - begun)
        learner.close()
        size = sum(array.nbytes for array in learner.model().values())
        used, speed = max(
            ((p, _speed(rate, size, batch, p)) for p in (1 << k for k in range(11)) if p <= batch),
            key=lambda pair: pair[1],
        )
        needed = 1000 * rate * (1000 * size / NETWORK + DELAY)
        print(
            f"| `{game}`, `{name}` | {rate:,.0f} | {size / 1e6:.2f} MB | {batch} | {used} | {speed:,.0f} | {needed:,.0f} |"
        )
    return 0


def _speed(rate: float, size: int, batch: int, places: int) -> float:
    """Games a second on so many cores, by a step's games, its gradients over the network, and its delay."""
    if places == 1:
        return rate
    return batch / (batch / (places * rate) + places * size / NETWORK + DELAY)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=None, help="of the contest (120), or for each learner (5)")
    parser.add_argument("--paper", action="store_true", help="a thousand cores, on paper")
    options = parser.parse_args()
    sys.exit(paper(options.seconds or 5.0) if options.paper else overhead(options.seconds or 120.0))


if __name__ == "__main__":
    main()
