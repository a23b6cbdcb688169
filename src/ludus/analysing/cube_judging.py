"""Positions with the cube as a network judges them: moves at the score, and decisions about the cube.

Values are points of a money game ("EMG equities"): 1 is to win what the cube shows at this score, -1 to lose it. Where there is a choice about the cube each branch is judged as
`ludus explain` does: no double, double and take, double and pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.analysing.cube_games import cube_word
from ludus.analysing.sheet import Act
from ludus.analysing.turns import CubeValues
from ludus.contract.rules import moves, play
from ludus.games.backgammon.cubeful import reward
from ludus.games.backgammon.judging import stake_of
from ludus.games.backgammon.match import BEAVER, CUBE, DOUBLE, PASS, PHASE, PLAYING, ROLL, TAKE
from ludus.kernel import kernel
from ludus.players.cubeful import FAR, settle
from ludus.players.explaining import verdict_in_words
from ludus.search.lookahead import lookahead_workspace

NOTHING = -1  # instead of a second act
FARTHEST = 2 * FAR  # points that a double loses at first sight: nobody thinks of it, and it is not looked at again


class Scale(NamedTuple):
    """How equities become points of a money game, and back: of the seat that decides."""

    middle: float = 0.0  # between what is won and what is lost with the cube as it is
    half: float = 1.0  # from there to either
    stake: float = (
        1.0  # what a point is worth in the unit of results: the cube for money, match winning chance in a match
    )

    def points(self, equity: float) -> float:
        """An equity in points."""
        return (equity - self.middle) / self.half


PLAIN = Scale()  # points as they are


class Answers(NamedTuple):
    """Equities of who is asked to take."""

    take: float
    drop: float
    beaver: float | None  # None: it is not allowed

    @property
    def best(self) -> float:
        """By the best answer but to pass."""
        return self.take if self.beaver is None else max(self.take, self.beaver)


@kernel
def judge_after(player: Any, game: Any, state: Any, seat: int, first: int, second: int, plies: int) -> float:
    """What a state is worth to a seat after a move, and after a second one if there is one, judged so many plies ahead."""
    space = lookahead_workspace(player.net, game, player.sizes)
    child = state.copy()
    play(game, child, first)
    if second != NOTHING:
        play(game, child, second)
    settled = settle(player, game, child, plies, space)
    return settled if seat == 0 else -settled


def scale_of(player: Any, game: Any, state: np.ndarray, seat: int) -> Scale:
    """The scale of a seat's decision."""
    stake, table = stake_of(game, state, seat), player.encoding.table
    won = float(reward(table, stake.own, stake.other, stake.cube))
    lost = -float(reward(table, stake.other, stake.own, stake.cube))
    half = (won - lost) / 2
    return Scale((won + lost) / 2, half, half / 2 if game.match else half)  # an equity of a match goes from -1 to 1


def judge_cube(player: Any, game: Any, act: Act, plies: int) -> tuple[list[tuple[int, float, int]], CubeValues, Scale]:
    """The choices of a decision about the cube with their values and how far ahead they were judged, best first, and what both sides should do."""
    scale = scale_of(player, game, act.state, act.seat)
    if act.state[PHASE] == PLAYING:
        listed, values = _double(player, game, act, plies, scale)
    else:
        listed, values = _answer(player, game, act, plies, scale)
    # Of equal choices the one that was made is first: it lost nothing.
    return sorted(listed, key=lambda each: (-each[1], each[0] != act.code)), values, scale


def _double(
    player: Any, game: Any, act: Act, plies: int, scale: Scale
) -> tuple[list[tuple[int, float, int]], CubeValues]:
    state, seat = act.state.copy(), act.seat
    asked = state.copy()
    play(game, asked, DOUBLE)
    for depth in dict.fromkeys((0, plies)):
        hold = scale.points(judge_after(player, game, state, seat, ROLL, NOTHING, depth))
        answers = answers_to(player, game, asked, 1 - seat, depth)
        take, drop = scale.points(-answers.best), scale.points(-answers.drop)
        double = min(take, drop)
        if act.code == ROLL and hold - double > FARTHEST:
            break
    verdict, _, _ = verdict_in_words(hold, take, drop, stake_of(game, state, seat))
    return [(ROLL, hold, depth), (DOUBLE, double, depth)], CubeValues(hold, take, drop, verdict)


def _answer(
    player: Any, game: Any, act: Act, plies: int, scale: Scale
) -> tuple[list[tuple[int, float, int]], CubeValues]:
    answers = answers_to(player, game, act.state, act.seat, plies)
    take, drop = scale.points(answers.take), scale.points(answers.drop)
    listed = [(TAKE, take, plies), (PASS, drop, plies)]
    if answers.beaver is not None:
        listed.append((BEAVER, scale.points(answers.beaver), plies))
    best = max(listed, key=lambda each: each[1])[0]
    values = CubeValues(None, -scale.points(answers.best), -drop, cube_word(act.state, best))
    return listed, values


def answers_to(player: Any, game: Any, state: np.ndarray, seat: int, plies: int) -> Answers:
    """What a seat can expect of each answer to a double, a beaver or a raccoon."""
    take, drop = (float(judge_after(player, game, state, seat, code, NOTHING, plies)) for code in (TAKE, PASS))
    return Answers(take, drop, beaver_worth(game, state, seat, take))


def beaver_worth(game: Any, state: np.ndarray, seat: int, take: float) -> float | None:
    """What it is worth to double once more, by what it is worth to take, and to keep the cube; None where it is not allowed. The other side then takes that,
    passes, or doubles again, where it may.
    """
    legal = np.zeros(game.facts.max_moves, np.int64)
    if BEAVER not in legal[: moves(game, state, seat, legal)]:
        return None
    cube = float(state[CUBE])
    worth = min(2 * take, 2 * cube)
    return min(worth, max(4 * take, -4 * cube)) if game.beavers > state[PHASE] else worth
