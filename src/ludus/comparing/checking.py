"""Self-checks that run before anything is compared: a bench that is wrong must not print a table.

Of the bench, in each game: a player against itself gets its fair share, the result of a round does not depend on who is named first, and known
figures come out again. Of each method: its moves are legal, and two trainings with the same seed are equal, also where one was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus import players
from ludus.batch import Games
from ludus.comparing.entrants import Entrant
from ludus.comparing.suite import Task
from ludus.comparing.training import Clock, measure, reason, seed_of
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.kernel import stream
from ludus.matches import contest
from ludus.matches.flight import PLAIN
from ludus.matches.statistics import mean_and_error, win_shares
from ludus.methods.settings import to_dict
from ludus.players.base import ask
from ludus.scale.processes import Tell

Z999 = 3.29  # 99.9 %: of a thousand right benches, one is called wrong
ROUNDS = 200
LOOKED_AT = 200  # moves of a method


class Effort:
    """Tells which share of a game's contests is played. Each counts by the processor time that one round of it takes, which is tried first."""

    def __init__(self, game: Any, tell: Tell) -> None:
        self._game, self.tell = game, tell
        self._cost: dict[tuple[str, ...], float] = {}  # seconds a round, by who sits there
        self._total = self._done = 0.0

    def plan(self, seats: Sequence[str], rounds: int) -> None:
        """There will be so many rounds among these players."""
        if tuple(seats) not in self._cost:
            self.tell(f"{game_registry.game_name(self._game)}: how long {' against '.join(seats)} takes")
            measure(self._game, seats, 0, 1, 0)  # the first time takes longer
            clock = Clock()
            measure(self._game, seats, 0, 1, 0)
            self._cost[tuple(seats)] = clock.seconds
        self._total += rounds * self._cost[tuple(seats)]

    def begin(self, seats: Sequence[str], rounds: int) -> Callable[[int, int], None]:
        """One of the planned contests begins: what is to hear of its progress."""
        before, cost = self._done, rounds * self._cost[tuple(seats)]
        self._done += cost
        return lambda done, total: self.tell((before + cost * done / total) / max(self._total, 1e-9))


def planned_checks(task: Task, seats: int) -> list[tuple[list[str], int]]:
    """The contests of `check_players`: who sits there, and how many rounds."""
    alone = list(dict.fromkeys((*task.opponents, task.best))) if seats > 1 else []
    known = [([each.player] + [each.opponent] * (seats - 1), each.rounds) for each in task.known]
    return [([name] * seats, ROUNDS) for name in alone] + known


def check_players(task: Task, seed: int, effort: Effort) -> list[str]:
    """What was seen to be right in a game, in words; LudusError for what is wrong."""
    game = game_registry.game(task.game)
    seats, said = game.facts.seats, []
    for name in dict.fromkeys((*task.opponents, task.best)) if seats > 1 else ():
        effort.tell(f"{task.game}: {name} against itself")
        entry, progress = contest.enter(game, [name] * seats), effort.begin([name] * seats, ROUNDS)
        scores = contest.play(entry, seed, range(ROUNDS * seats), 1, progress, PLAIN).scores
        shares = win_shares(scores, game.facts.score_range[1])[:, 0]
        mean, error = mean_and_error(shares)
        fair = float(
            win_shares(scores, game.facts.score_range[1]).mean()
        )  # less than 1 / seats where games can be drawn
        if abs(mean - fair) > Z999 * error + 1e-9:
            raise LudusError(
                f"the bench is wrong in {task.game}: {name} against itself wins {mean:.1%} of {len(shares)} games, not {fair:.1%}"
            )
        said.append(f"{name} against itself wins {mean:.1%} of {len(shares)} games, where {fair:.1%} is fair")
    for known in task.known:
        effort.tell(f"{task.game}: {known.player} against {known.opponent}")
        entered = [known.player] + [known.opponent] * (seats - 1)
        number, progress = seed_of(seed, "known", known.player), effort.begin(entered, known.rounds)
        found = measure(game, entered, number, known.rounds, 0, progress).mean(axis=1)
        mean, error = mean_and_error(found)
        if abs(mean - known.score) > Z999 * error + 1e-9:
            raise LudusError(
                f"the bench is wrong in {task.game}: {known.player} against {known.opponent} scores {mean:.4f}, but {known.score:.4f} is known"
            )
        said.append(f"{known.player} against {known.opponent} scores {mean:.3f}, as is known ({known.score:.3f})")
    return said


def check_method(task: Task, entrant: Entrant, seed: int, tell: Tell) -> dict[str, Any]:
    """What was found out about a method in a game: `skipped` says why it can't learn it, `failure` what is wrong with it, `said` what is right;
    `settings` are all of them, and `seconds_a_game` is how much processor time it takes to learn.
    """
    game = game_registry.game(task.game)
    tell(f"{task.game}: {entrant.label}")
    try:
        planned = entrant.planned(task, game, seed)
        first = _begun(planned, game, task, seed)
    except LudusError as error:
        return {"skipped": str(error)}
    except Exception as error:  # whatever a method does, the others go on
        return {"failure": reason(error)}
    found: dict[str, Any] = {"settings": to_dict(planned.method.settings)}
    second = _begun(planned, game, task, seed)
    third = _begun(planned, game, task, seed)
    try:
        first.advance()
        second.advance()
        if not _same(first.state(), second.state()):
            return found | {"failure": "two trainings with the same seed differ: its results could not be repeated"}
        third.restore({name: array.copy() for name, array in first.state().items()})
        third.counters.update(first.counters)
        if first.games < first.total:
            clock, before = Clock(), first.games
            first.advance()
            found["seconds_a_game"] = clock.seconds / (first.games - before)
            third.advance()
            if not _same(first.state(), third.state()):
                return found | {
                    "failure": "a training that was interrupted goes on otherwise: state() does not hold all that it learned"
                }
        first.check_finite()
        looked = _check_legal(game, first.player(), seed)
    except Exception as error:
        return found | {"failure": reason(error)}
    finally:
        for learner in (first, second, third):
            learner.close()
    return found | {"said": f"two trainings with one seed are equal, also when interrupted; {looked} moves were legal"}


def _begun(planned: Any, game: Any, task: Task, seed: int) -> Any:
    return planned.method.begin(game, seed, task.budget.games, lambda name: players.player(name, game))


def _same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype and one[name].tobytes() == other[name].tobytes() for name in one
    )


def _check_legal(game: Any, player: Any, seed: int) -> int:
    """Look at moves of a player in random games; LudusError for the first that is not legal. Returns how many were looked at."""
    played = Games(game, seed=seed, count=LOOKED_AT, slots=8)
    batch = played.begin()
    looked = 0
    rng = stream(seed)
    while len(batch) and looked < LOOKED_AT:
        for state, seat in zip(batch.states, batch.seats.tolist(), strict=True):
            ask(player, Position(game, state, seat), rng, seat)
            looked += 1
        batch = played.step(batch.random_moves())
    return looked
