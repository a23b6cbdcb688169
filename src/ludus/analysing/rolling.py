"""Decisions in doubt, rolled out: what seems to lose a little is played out again and again, after the choice that was made and after the best ones.

What seems to lose next to nothing has no name, and what seems to lose much is no matter of doubt; the decisions in between are rolled out, those first that seem to lose most.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ludus.analysing.cube_games import cube_word
from ludus.analysing.cube_judging import PLAIN, Scale, beaver_worth, scale_of
from ludus.analysing.match import MatchAnalysis, Rolled
from ludus.analysing.sheet import CUBE
from ludus.analysing.turns import DOUBLE, NO_DOUBLE, Choice, Turn
from ludus.contract.rules import moves, play
from ludus.errors import LudusError
from ludus.games.backgammon import match
from ludus.games.backgammon.judging import WithCube, stake_of
from ludus.players.explaining import verdict_in_words
from ludus.players.greedy import TDPlayer
from ludus.players.rollout import Work, to_the_end
from ludus.search.rollouts import Manner

GAMES = 324  # each choice, unless told
LEAST, FAR = 0.01, 0.16  # points: what seems to lose less, or more, is not rolled out
MOST = 30  # decisions of a file
CHOICES = 3  # of a decision with checkers: the one that was made, and the best others
TRUNCATE = 11  # rolls after which the network's judgement stands for the rest

Values = Sequence[np.ndarray]  # what each game of a rollout was worth, choice by choice, in points
Error = tuple[float, float]  # a mean, and its standard error


def in_doubt(turn: Turn) -> bool:
    """Whether it takes a rollout to know what a decision lost."""
    return turn.counted and turn.loss is not None and LEAST <= turn.loss < FAR


def roll_out(
    found: MatchAnalysis,
    player: Any,
    games: int,
    seed: int,
    jobs: int,
    progress: Callable[[int, int], None] | None = None,
) -> MatchAnalysis:
    """The same analysis, with the decisions in doubt judged by rollouts. LudusError if the judge can't roll out."""
    if not isinstance(player, TDPlayer) or not found.sheet.game.facts.max_chances:
        raise LudusError(f"{found.judge} can't roll out {found.sheet.game.facts.name}: that takes a network, and dice")
    doubt = sorted((turn for turn in found.turns if in_doubt(turn)), key=lambda turn: -(turn.loss or 0.0))
    chosen, again = doubt[:MOST], dict[int, Turn]()
    for done, turn in enumerate(chosen):
        if progress:
            progress(done, len(chosen))
        again[id(turn)] = _Decision(found.sheet.game, player, turn, games, seed, jobs).rolled_out()
    if progress:
        progress(len(chosen), len(chosen))
    made = tuple(
        dataclasses.replace(game, turns=tuple(again.get(id(turn), turn) for turn in game.turns)) for game in found.games
    )
    return dataclasses.replace(found, games=made, rolled=Rolled(len(chosen), len(doubt), games, seed))


class _Decision:
    """One decision, and the rollouts that it takes."""

    def __init__(self, game: Any, player: TDPlayer, turn: Turn, games: int, seed: int, jobs: int) -> None:
        self.game, self.turn, self.games, self.jobs = game, turn, games, jobs
        self.player, self.manner = to_the_end(player, turn.state), Manner(seed, TRUNCATE)
        self.scale: Scale = PLAIN
        if isinstance(player.encoding, WithCube):
            self.scale = scale_of(player, game, turn.state, turn.seat)

    def rolled_out(self) -> Turn:
        """The turn with what the rollouts say."""
        if self.turn.kind != CUBE:
            return self._move()
        return self._double() if self.turn.played in (DOUBLE, NO_DOUBLE) else self._answer()

    def _play(self, ways: Sequence[Sequence[int]], until_sure: bool) -> Values:
        """What games are worth to the seat after each of some ways on, in points."""
        states = []
        for way in ways:
            state = self.turn.state.copy()
            for move in way:
                play(self.game, state, move)
            states.append(state)
        work = Work(self.game, self.player, self.turn.seat, states, self.manner, self.jobs)
        return [(values - self.scale.middle) / self.scale.half for values in work.go(self.games, until_sure=until_sure)]

    def _move(self) -> Turn:
        turn, legal = self.turn, np.zeros(self.game.facts.max_moves, np.int64)
        count = moves(self.game, turn.state, turn.seat, legal)
        codes = {self.game.move_text(turn.state, code): code for code in legal[:count].tolist()}
        others = [each for each in turn.moves if each.move != turn.played][: CHOICES - 1]
        listed = [turn.choice, *others]
        values = self._play([[codes[each.move]] for each in listed if each], until_sure=True)
        found = dict(zip((each.move for each in listed if each), values, strict=True))
        return self._with(found)

    def _double(self) -> Turn:
        hold, take = self._play([[match.ROLL], [match.DOUBLE, match.TAKE]], until_sure=False)
        drop = self._passed([match.DOUBLE, match.PASS])
        asked = self.turn.state.copy()
        play(self.game, asked, match.DOUBLE)
        taken = -float(take.mean()) * self.scale.half
        beaver = beaver_worth(self.game, asked, 1 - self.turn.seat, taken)
        if beaver is not None and beaver > taken:
            take = take * (beaver / taken)
        double = take if take.mean() <= drop else np.full_like(take, drop)
        stake = stake_of(self.game, self.turn.state, self.turn.seat)
        verdict, _, _ = verdict_in_words(float(hold.mean()), float(take.mean()), drop, stake)
        assert self.turn.cube is not None
        cube = self.turn.cube._replace(
            no_double=float(hold.mean()), double_take=float(take.mean()), double_pass=drop, verdict=verdict
        )
        return dataclasses.replace(self._with({NO_DOUBLE: hold, DOUBLE: double}), cube=cube)

    def _answer(self) -> Turn:
        (take,) = self._play([[match.TAKE]], until_sure=False)
        drop = self._passed([match.PASS])
        found = {"take": take, "pass": np.full_like(take, drop)}
        worth = beaver_worth(self.game, self.turn.state, self.turn.seat, float(take.mean()) * self.scale.half)
        if worth is not None:
            found[cube_word(self.turn.state, match.BEAVER)] = np.full_like(take, worth / self.scale.half)
        turn = self._with(found)
        assert turn.cube is not None
        assert turn.best is not None
        best = max(float(values.mean()) for name, values in found.items() if name != "pass")
        return dataclasses.replace(
            turn, cube=turn.cube._replace(double_take=-best, double_pass=-drop, verdict=turn.best.move)
        )

    def _passed(self, way: Sequence[int]) -> float:
        """What a double that is passed is worth to the seat: that is known, and a single game says it."""
        state = self.turn.state.copy()
        for move in way:
            play(self.game, state, move)
        work = Work(self.game, self.player, self.turn.seat, [state], self.manner, 1)
        return float(self.scale.points(work.go(1)[0][0]))

    def _with(self, found: dict[str, np.ndarray]) -> Turn:
        """The turn with choices that were rolled out before all others, best first, and how sure its loss is. Choices are compared game by game with the
        one that was played out most: those that are surely worse have fewer games.
        """
        turn, plies = self.turn, max(each.plies for each in self.turn.moves)
        base = max(found.values(), key=lambda values: (len(values), values.mean()))
        values = {move: float(base.mean() - (base[: len(got)] - got).mean()) for move, got in found.items()}
        order = sorted(found, key=lambda move: (-values[move], move != turn.played))
        rolled = [Choice(move, values[move], plies, _mean(found[move])[1]) for move in order]
        others = [each for each in turn.moves if each.move not in found]
        rival = found[order[1] if order[0] == turn.played else order[0]]
        shared = min(len(rival), len(found[turn.played]))
        error = _mean(rival[:shared] - found[turn.played][:shared])[1]
        return dataclasses.replace(turn, moves=(*rolled, *others), loss_error=error)


def _mean(values: np.ndarray) -> Error:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
