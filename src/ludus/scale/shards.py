"""What is agreed on work in many places: a shard, what comes of it, and who has shards done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.errors import LudusError

PATIENCE = 600.0  # seconds without a word until a shard is given up
TICK = 0.1  # seconds at most from one look at the work to the next


class Shard(NamedTuple):
    """A piece of work: a second of it or half a minute, or as long as it takes where it can't be taken apart."""

    where: str  # the function that does it, `module:name`; it is given another argument, `tell`
    arguments: tuple[Any, ...] = ()
    title: str = "a shard"  # what it is about, if something has to be said of it
    patience: float | None = None  # seconds without a word, after the first one, until it is given up


class LostError(LudusError):
    """Nothing came of a shard: who did it raised an error, ended, said nothing for too long, or was lost with the place where it was done."""

    exit_code = 1

    def __init__(self, title: str, cause: str, why: str, node: str = "") -> None:
        super().__init__(f"{title}{f', on node {node}' if node else ''}: {why}")
        self.title, self.cause, self.why, self.node = title, cause, why, node  # cause: raised, ended, silent or lost


class Outcome(NamedTuple):
    """What came of a shard."""

    number: int  # of the shard, in the order in which they were given
    value: Any = None
    error: BaseException | None = None

    def result(self) -> Any:
        """The value; or the error is raised."""
        if self.error is not None:
            raise self.error
        return self.value


class Watcher:
    """Hears how the work goes on. This one does nothing; others override what they care for. What it raises ends the work."""

    def begun(self, number: int) -> None:
        """A shard was given to somebody."""

    def told(self, number: int, value: Any) -> None:
        """Whoever does a shard has told something of it. From a cluster nothing is heard but results."""

    def tick(self) -> None:
        """Some time has passed."""


class Executor(ABC):
    """Has shards done in many places, at most a few more at once than there are places."""

    places: int  # shards that are done at the same time
    patience: float = PATIENCE  # seconds without a word until somebody who plays or learns is given up

    @abstractmethod
    def map(
        self,
        shards: Iterable[Shard],
        common: tuple[Any, ...] = (),
        watcher: Watcher | None = None,
        files: Sequence[Path] = (),
    ) -> Generator[Outcome, None, None]:
        """What comes of each shard, as soon as it comes; `gathered` puts it in order.

        `common` are arguments that all of them have before their own. `shards` is asked for the next one when there is a place for it, so that it may
        depend on what came of others. `files` are read by the shards: whoever does one must have the same.

        Who closes it, or stops asking for more, ends all work that is under way.
        """

    def close(self) -> None:  # noqa: B027  most have nothing to let go of
        """Let go of processes and connections."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def gathered(outcomes: Iterable[Outcome]) -> list[Any]:
    """The values of all shards in their order. The first error is raised; what comes twice counts once.

    >>> gathered([Outcome(1, "b"), Outcome(0, "a"), Outcome(1, "b")])
    ['a', 'b']
    """
    found: dict[int, Any] = {}
    try:
        for outcome in outcomes:
            found.setdefault(outcome.number, outcome.result())
    finally:
        if isinstance(outcomes, Generator):
            outcomes.close()
    return [found[number] for number in sorted(found)]
