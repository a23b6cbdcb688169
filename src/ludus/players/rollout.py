"""Rollouts for people: `ludus.rollout(position)` in Python, `ludus rollout` in the terminal. What is rolled out, for how long, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ludus import players
from ludus.contract.position import Move, Position
from ludus.contract.rules import sizes_of
from ludus.contract.views import to_view
from ludus.errors import LudusError
from ludus.games import game_name
from ludus.kernel import stream
from ludus.players.base import rank
from ludus.players.greedy import TDPlayer
from ludus.quantities import COUNT, COUNT_OR_NONE, GAMES, SEED, cores
from ludus.scale.local import Threads
from ludus.scale.shards import Executor, Shard, gathered
from ludus.search.rollouts import LAYERS, Manner, worths
from ludus.showing import frame, html_table

WORK = "ludus.search.rollouts:play_part"
SURE = 3.3  # standard errors between the best move and another: that is looked at again and again, so it is more than the usual 2
LEAST = 4 * LAYERS  # games before anything is sure
Z95 = 1.96


class RolledOut(NamedTuple):
    """What came of one move, or of the position itself where nobody is to move."""

    move: Move | None
    value: float  # what it is worth to the seat that moves, or rolls
    error: float  # standard error of that
    behind: float  # what it loses to the best one
    behind_error: float  # with the same dice for both
    chances: tuple[float, ...]  # of what the network predicts, as that seat sees it: wins, gammons, …
    games: int


@dataclass(frozen=True)
class Rollout:
    """What a rollout says of a position."""

    position: Position
    seat: int
    player: str
    rows: tuple[RolledOut, ...]  # best first
    manner: Manner
    labels: tuple[str, ...] = ()  # what chances are of

    @property
    def sure(self) -> bool:
        """Whether the best move is surely better than all others that were rolled out."""
        return all(row.behind > SURE * row.behind_error for row in self.rows[1:])

    def to_json(self) -> dict[str, Any]:
        """The public shape of `ludus rollout --json`."""
        return {
            "game": game_name(self.position.game),
            "position": self.position.text,
            "seat": self.seat,
            "player": self.player,
            "seed": self.manner.seed,
            "truncate": self.manner.truncate,
            "sure": self.sure,
            "moves": [
                row._asdict() | {"move": row.move.text if row.move else None, "chances": dict(zip(self.labels, row.chances, strict=False))}
                for row in self.rows
            ],
        }  # fmt: skip

    def text(self) -> str:
        """As people read it."""
        lines = [self._columns, *self._cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        table = ["  ".join(f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(line, widths, strict=True))) for line in lines]  # fmt: skip
        return "\n".join([self.position.text, *table, *([self._verdict()] if len(self.rows) > 1 else [])])

    @property
    def _columns(self) -> list[str]:
        return ["move", "value", "± 95 %", "behind", "± 95 %", *self.labels, "games"]

    def _cells(self) -> list[list[str]]:
        return [
            [
                row.move.text if row.move else "this position",
                f"{row.value:+.4f}",
                f"{Z95 * row.error:.4f}",
                f"{row.behind:.4f}" if row.behind_error else "",
                f"{Z95 * row.behind_error:.4f}" if row.behind_error else "",
                *(f"{chance:.2%}" for chance in row.chances[: len(self.labels)]),
                f"{row.games:,}",
            ]
            for row in self.rows
        ]

    def _verdict(self) -> str:
        best, second = self.rows[0], self.rows[1]
        if self.sure:
            return f"{best.move} is surely the best of these."
        return f"{best.move} and {second.move} are too close to call: more --games would tell."

    def __str__(self) -> str:
        return self.text()

    def to_frame(self, kind: str = "pandas") -> Any:
        """The moves as a frame of pandas, or of polars if told."""
        rows = [row._asdict() | {"move": row.move.text if row.move else None} for row in self.rows]
        for row in rows:
            row |= dict(zip(self.labels, row.pop("chances"), strict=False))
        return frame(rows, kind)

    def _repr_html_(self) -> str:
        return self.position._repr_html_() + html_table(f"rolled out by {self.player}", self._columns, self._cells())


def rollout(
    position: Position,
    player: Any = None,
    games: int = 1296,
    moves: int = 4,
    truncate: int = 0,
    seed: int = 1,
    jobs: int | Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Rollout:
    """Play a position out again and again by a network against itself, after each of its best moves, and say what each is worth.

    `player` is a network's greedy player, the shipped `td` unless told. The `moves` that it likes best are rolled out with the same dice, `games` times each; those that are
    surely worse are dropped on the way, and it ends early when one move is surely best. With `truncate` the network's judgement stands for all after
    so many rolls. `jobs` is the number of cores, or who does the work elsewhere, such as `ludus.workers("ray")`; it changes no result.

    >>> import ludus
    >>> found = rollout(ludus.game("backgammon").start().play("31"), games=36, moves=2, truncate=3)
    >>> found.rows[0].move
    <8/5 6/5>
    """
    games, moves = GAMES.read(games, f"games={games}"), COUNT.read(moves, f"moves={moves}")
    manner = Manner(SEED.read(seed, f"seed={seed}"), COUNT_OR_NONE.read(truncate, f"truncate={truncate}"))
    judge, name = _network_player(position.game, player)
    judge = to_the_end(judge, position.state)
    seat, candidates = _candidates(position, judge, moves)
    work = Work(position.game, judge, seat, [state for _, state in candidates], manner, jobs)
    found = work.go(games, progress)
    order = sorted(range(len(candidates)), key=lambda i: -found[i].mean())
    best, rows = order[0], []
    for i in order:
        shared = min(len(found[i]), len(found[best]))
        behind = found[best][:shared] - found[i][:shared]
        error = float(behind.std(ddof=1) / np.sqrt(shared)) if i != best and shared > 1 else 0.0
        chances = work.chances(i, position.state)
        rows.append(RolledOut(candidates[i][0], *_mean(found[i]), float(behind.mean()), error, chances, len(found[i])))
    return Rollout(position, seat, name, tuple(rows), manner, tuple(getattr(judge.encoding, "labels", ())))


def _mean(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def to_the_end(judge: TDPlayer, state: np.ndarray) -> TDPlayer:
    """A player as it rolls out from a state on: games of a match end where they end, and the score says what that is worth."""
    if not hasattr(judge.encoding, "for_rollouts"):
        return judge
    return judge._replace(encoding=judge.encoding.for_rollouts(state))


def _network_player(game: Any, player: Any) -> tuple[TDPlayer, str]:
    if not game.facts.max_chances:
        raise LudusError(
            f"rollouts are for games with dice: in {game.facts.name} a network would play the same game again and again"
        )
    name = player if isinstance(player, str) else "td" if player is None else str(getattr(player, "name", "td"))
    made = players.player(name, game) if player is None or isinstance(player, str) else player
    if not isinstance(made, TDPlayer):
        raise LudusError(
            f"{name} can't roll out: that takes a network's player without lookahead, such as td or td:runs/mine"
        )
    return made, name


def _candidates(position: Position, judge: TDPlayer, most: int) -> tuple[int, list[tuple[Move | None, np.ndarray]]]:
    """Who moves or rolls, and the moves that are rolled out, with the states after them."""
    if position.kind == "over":
        raise LudusError("the game is over: there is nothing to roll out")
    if position.kind == "joint":
        raise LudusError(f"in {position.game.facts.name} all seats move at once: that can't be rolled out")
    if position.turn is None:
        rollers = {position.play(outcome).turn for outcome, _ in position.chances()}
        alone = rollers.pop() if len(rollers) == 1 else None
        return alone or 0, [(None, position.state.copy())]  # the first seat, where the dice decide whose turn it is
    ranked = rank(judge, position, stream(1))[:most]
    return position.turn, [(move, position.play(move).state.copy()) for move, _ in ranked]


class Work:
    """The games of a rollout, as far as they are played."""

    def __init__(
        self, game: Any, judge: TDPlayer, seat: int, states: list[np.ndarray], manner: Manner, jobs: Any
    ) -> None:
        self.game, self.judge, self.seat, self.states, self.manner = game, judge, seat, states, manner
        self.crew = jobs if isinstance(jobs, Executor) else Threads(jobs or cores())
        self.outcomes: list[list[np.ndarray]] = [[] for _ in states]  # by candidate, in the order of games

    def go(
        self, games: int, progress: Callable[[int, int], None] | None = None, until_sure: bool = True
    ) -> list[np.ndarray]:
        """Play until there are enough games, or, unless told otherwise, one candidate is surely best; return what each game was worth."""
        left, done = list(range(len(self.states))), 0
        while done < games and (len(left) > 1 or len(self.states) == 1):
            numbers = range(done, min(done + LEAST, games))
            self._play(left, numbers)
            done = numbers.stop
            values = {i: self._values(i) for i in left}
            best = max(left, key=lambda i: values[i].mean())
            if done >= LEAST and until_sure:
                left = [i for i in left if i == best or not _surely_less(values[i], values[best])]
            if progress:
                progress(done, games)
        return [self._values(i) for i in range(len(self.states))]

    def _play(self, left: list[int], numbers: range) -> None:
        starts = np.array([self.states[i] for i in left])
        parts = [numbers[first : first + LAYERS] for first in range(0, len(numbers), LAYERS)]
        shards = [
            Shard(WORK, (starts, part), f"games {part.start} to {part.stop - 1}", self.crew.patience) for part in parts
        ]
        common = (self.judge.net, self.judge.encoding, self.game, sizes_of(self.game), self.manner)
        with closing(self.crew.map(shards, common)) as under_way:
            for found in gathered(under_way):
                for i, games in zip(left, found, strict=True):
                    self.outcomes[i].append(games)

    def _values(self, candidate: int) -> np.ndarray:
        games = np.concatenate(self.outcomes[candidate])
        out = np.zeros((len(games), self.game.facts.seats))
        worths(self.judge.encoding, self.game, games, out)
        return out[:, self.seat]

    def chances(self, candidate: int, state: np.ndarray) -> tuple[float, ...]:
        """The mean outcome, as the seat that moves or rolls sees it."""
        mean = np.concatenate(self.outcomes[candidate]).mean(axis=0)
        to_view(self.judge.encoding, self.game, state, mean)
        return tuple(float(x) for x in mean)


def _surely_less(values: np.ndarray, best: np.ndarray) -> bool:
    difference = best - values
    return bool(difference.mean() > SURE * difference.std(ddof=1) / np.sqrt(len(difference)))
