"""A campaign of faults: what becomes of ludus when processes are killed, files are damaged, and people type anything.

    python tools/faults.py                                            # about an hour on two cores
    python tools/faults.py --seed 2 --kills 20 --files 2000 --texts 10000 --lines 100

Kills: trainings by every method are killed at random moments and resumed; the files have to be those of an undisturbed run. Files: models,
checkpoints, configurations, records, databases, saved games and rulesheets are damaged, or say odd things and are well signed. Texts: names,
positions, moves, rulesheets, matches and messages. Lines: every command with options that make no sense. What is wrong has to be refused in one
line. A traceback, a difference, or a damaged file that is taken for good makes the exit code 1. The same seed does the same, but for the kills.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent))

from fault_files import RUNS, damage, files
from fault_texts import command_lines, readers, spoilt

from ludus.cli.main import main as ludus_main
from ludus.errors import LudusError
from ludus.lab import Run, metrics, train

PATIENCE = 30.0  # seconds for a single file, text or line
MEMORY = 10 * 10**9  # bytes that may be used
SHOWN = 10  # faults of a kind that are told in full


@dataclass
class Tally:
    """What came of one kind of faults."""

    name: str
    tried: int = 0
    refused: int = 0
    tracebacks: int = 0
    differences: int = 0
    accepted: int = 0  # in silence, though damaged
    told: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> int:
        """How much went wrong."""
        return self.tracebacks + self.differences + self.accepted

    def tell(self, text: str) -> None:
        """Keep a fault for the report."""
        if len(self.told) < SHOWN:
            self.told.append(text)

    def attempt(self, what: str, use: Callable[[], Any]) -> Any:
        """Try something: its result, or None if it was refused or failed."""
        self.tried += 1
        try:
            with patience():
                return use()
        except LudusError as error:
            self.refused += 1
            if not str(error).strip():
                self.tracebacks += 1
                self.tell(f"{what}: an error without a word")
        except (Exception, TooLong, SystemExit) as error:
            self.tracebacks += 1
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.tell(f"{what}: {error!r:.200} in {Path(last.filename).name}, line {last.lineno}")
        return None


class TooLong(BaseException):
    """Something took longer than anybody waits."""


@contextlib.contextmanager
def patience() -> Iterator[None]:
    """Give up what takes too long."""

    def give_up(number: int, frame: Any) -> None:
        raise TooLong(f"more than {PATIENCE:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Progress:
    """Shows on stderr how far a campaign is."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.last = what, total, 0.0

    def __call__(self, done: int) -> None:
        """So many are done."""
        now = time.monotonic()
        if done == self.total or now - self.last > 2:
            self.last = now
            print(f"{self.what}: {done:,} of {self.total:,}", file=sys.stderr, flush=True)


# --- kills -----------------------------------------------------------------------------------------------------------

SERIES = 5  # kills of a run, at most, before it may come to its end


def in_child(folder: Path, values: dict[str, Any]) -> int:
    """Begin a training, or go on with it, in a process of its own; returns its number."""
    number = os.fork()
    if number:
        return number
    code = 3
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        if (folder / "config.toml").exists():
            train(resume=folder)
        else:
            train(out=folder, **values)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def kept(run: Run) -> dict[str, Any]:
    """All of a run that must not depend on what happened on the way."""
    last = f"checkpoints/{run.config.training.games:09}.safetensors"
    whole = {name: (run.folder / name).read_bytes() for name in ("config.toml", "model.safetensors", last)}
    lines = metrics.read(run.folder / "metrics.jsonl")
    return whole | {
        "record": [{k: v for k, v in line.items() if k not in ("seconds", "games_per_second")} for line in lines]
    }


def kill(count: int, seed: int, folder: Path) -> Tally:
    """Kill trainings, and compare what becomes of them with what would have become of them."""
    tally, luck, progress = Tally("kills"), random.Random(seed), Progress("kills", count)
    if not count:
        return tally
    good, seconds = {}, {}
    for method, values in RUNS.items():
        good[method] = kept(train(out=folder / method, **values))  # compiles
        begun = time.perf_counter()
        again = kept(train(out=folder / f"{method}-again", **values))
        seconds[method] = time.perf_counter() - begun
        if again != good[method]:
            tally.differences += 1
            tally.tell(f"{method}: a second run differs from the first")
    series = 0
    while tally.tried < count:
        method = luck.choice(list(RUNS))
        place, series = folder / f"killed-{series}", series + 1
        for _ in range(luck.randint(1, SERIES)):
            number = in_child(place, RUNS[method])
            time.sleep(luck.uniform(0, 1.2 * seconds[method]))
            os.kill(number, signal.SIGKILL)
            _, status = os.waitpid(number, 0)
            tally.tried += os.WIFSIGNALED(status)
            tally.tracebacks += os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0
            progress(min(tally.tried, count))
        _, status = os.waitpid(in_child(place, RUNS[method]), 0)
        if status:
            tally.tracebacks += 1
            tally.tell(f"{method}: {place} can't be resumed")
            continue
        ours = kept(Run.open(place))
        if ours != good[method]:
            tally.differences += 1
            tally.tell(f"{method}: {', '.join(k for k in ours if ours[k] != good[method].get(k))} of {place} differ")
        else:
            shutil.rmtree(place)
    return tally


# --- files, texts, lines ---------------------------------------------------------------------------------------------


def damage_files(count: int, seed: int, folder: Path) -> list[Tally]:
    """Damage files, and use them."""
    if not count:
        return []
    luck, progress = random.Random(seed), Progress("files", count)
    kinds = files(folder)
    tallies = {kind.name: Tally(f"files: {kind.name}") for kind in kinds}
    for number in range(count):
        kind = luck.choice(kinds)
        tally, path = tallies[kind.name], kind.path
        how = damage(kind, [other.data for other in kinds], luck)
        meaning = tally.attempt(f"{path.name} of seed {seed}, number {number}, {how}", kind.use)
        if meaning is not None and kind.notices(how) and meaning != kind.meaning:
            tally.accepted += 1
            tally.tell(f"{path.name} of seed {seed}, number {number}, {how}: taken for good")
        path.write_bytes(kind.data)
        progress(number + 1)
    return list(tallies.values())


def try_texts(count: int, seed: int) -> list[Tally]:
    """Give texts of all sorts to whoever reads any."""
    if not count:
        return []
    luck, progress = random.Random(seed), Progress("texts", count)
    known = readers()
    tallies = {reader.name: Tally(f"texts: {reader.name}") for reader in known}
    for number in range(count):
        reader = luck.choice(known)
        text = spoilt(luck.choice(reader.samples), luck)
        tallies[reader.name].attempt(f"{text[:200]!r}", lambda text=text, reader=reader: reader.read(text))
        progress(number + 1)
    return list(tallies.values())


def try_lines(count: int, seed: int, folder: Path) -> Tally:
    """Give commands options that make no sense."""
    tally, luck, progress = Tally("command lines"), random.Random(seed), Progress("command lines", count)
    choices = command_lines() if count else []
    here = Path.cwd()
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    os.chdir(empty)
    try:
        for number in range(count):
            line = luck.choice(choices)(luck)
            told = tally.attempt(" ".join(line)[:300], lambda line=line: ended(line))
            if told is not None:
                code, words = told
                tally.refused += code == 2
                if code != 2 or len(words.splitlines()) != 1:
                    tally.accepted += 1
                    tally.tell(f"{' '.join(line)[:300]}: code {code}, {words[:300]!r}")
            progress(number + 1)
    finally:
        os.chdir(here)
    return tally


def ended(line: list[str]) -> tuple[int, str]:
    """How a command ended: its exit code, and what it said on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            ludus_main(line)
        except SystemExit as end:
            return int(end.code or 0), said.getvalue()
    return 0, said.getvalue()


# --- the command -----------------------------------------------------------------------------------------------------


def table(tallies: list[Tally]) -> str:
    """What came of it, for people."""
    head = ("faults", "tried", "refused", "tracebacks", "differences", "accepted in silence")
    rows = [head] + [
        (t.name, *(f"{n:,}" for n in (t.tried, t.refused, t.tracebacks, t.differences, t.accepted))) for t in tallies
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=200, help="of trainings")
    parser.add_argument("--files", type=int, default=20_000, help="to be damaged")
    parser.add_argument("--texts", type=int, default=100_000, help="to be read")
    parser.add_argument("--lines", type=int, default=500, help="of commands")
    parser.add_argument("--keep", type=Path, help="a folder for all files, which stays; unless given, one that goes")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tallies = [
            kill(options.kills, options.seed, folder / "kills"),
            *damage_files(options.files, options.seed, folder / "files"),
            *try_texts(options.texts, options.seed),
            try_lines(options.lines, options.seed, folder),
        ]
    print(table(tallies))
    for tally in tallies:
        for text in tally.told:
            print(f"{tally.name}: {text}")
    return int(any(tally.wrong for tally in tallies))


if __name__ == "__main__":
    # What fills the memory is to fail here, and not to take the machine along.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.exit(main())
