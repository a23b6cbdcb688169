"""What is told of a match beside its board: the score, the cube, how a game of it ended, and what is at stake."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.rules import play
from ludus.contract.telling import Score, Stakes
from ludus.games.backgammon.board import NAMES, WINS
from ludus.games.backgammon.cubeful import reward
from ludus.games.backgammon.equities import equities
from ludus.games.backgammon.match import (
    ACCEPT,
    BEAVERED,
    CRAWFORD,
    CUBE,
    OWNER,
    PASS,
    PHASE,
    REJECT,
    ROLL,
    SCORE,
    gammons_count,
    is_over,
)
from ludus.games.backgammon.match_notation import CHECKER_GAME, offer_of
from ludus.games.backgammon.rules import CHECKERS, DIE1, OFF, SIDE, STATE_SIZE, TURN, win_size


def won_by(game: Any, before: np.ndarray, move: int) -> tuple[int, int] | None:
    """Who wins a game by a move, and how many points; None if it goes on."""
    mover, phase, cube = int(before[TURN]), int(before[PHASE]), int(before[CUBE])
    if move == PASS:
        return (1 - mover if phase == BEAVERED else mover), cube
    if move == ACCEPT and (offer := offer_of(phase)):
        return 1 - offer[0], offer[1] * cube
    if move < ROLL and before[DIE1] > 0:
        board = before[:STATE_SIZE].copy()
        play(CHECKER_GAME, board, move)
        if board[SIDE * mover + OFF] == CHECKERS:
            return mover, (int(win_size(board, mover)) if gammons_count(game, before) else 1) * cube
    return None


def points_text(count: int) -> str:
    """
    >>> points_text(1), points_text(4)
    ('1 point', '4 points')
    """
    return f"{count} point{'s' * (count != 1)}"


class MatchTelling:
    """What is told beside the board of a game with the cube."""

    __slots__ = ()

    def score_of(self: Any, state: np.ndarray) -> Score:
        """What is played, the points, and the cube in words."""
        owner = f"{NAMES[int(state[OWNER])]} owns it" if state[OWNER] >= 0 else "in the middle"
        cube = f"Cube at {state[CUBE]}, {owner}"
        if not self.match:
            rules = ["Jacoby rule"] * self.jacoby + [("", "beavers", "beavers and raccoons")[self.beavers]] * bool(
                self.beavers
            )
            rules += [f"at most {self.automatic} automatic double{'s' * (self.automatic > 1)}"] * bool(self.automatic)
            return Score(", ".join(["For money", *rules]), (), (cube,))
        points = int(state[SCORE]), int(state[SCORE + 1])
        note = "Crawford game: nobody may double" if state[CRAWFORD] else cube
        return Score(f"Match to {points_text(self.match)}", points, (note,))

    def news_of(self: Any, state: np.ndarray, move: int) -> str:
        """How a game ends by a move, if another one follows; that a resignation was rejected; else nothing."""
        if move == REJECT and (offer := offer_of(int(state[PHASE]))):
            return f"{NAMES[1 - offer[0]]} rejects it: the game goes on."
        ended = won_by(self, state, move)
        if ended is None or not self.match:
            return ""
        (winner, points), cube = ended, int(state[CUBE])
        score = [int(state[SCORE]), int(state[SCORE + 1])]
        score[winner] += points
        if score[winner] >= self.match:
            return ""
        loser = NAMES[1 - winner]
        if move == PASS:
            how = f"{loser} passed: {NAMES[winner]} wins"
        else:
            resigned = f"{loser} resigned: " if move == ACCEPT else ""
            how = f"{resigned}{NAMES[winner]} wins {WINS[points // cube]},"
        at = "" if move == PASS or cube == 1 else f" with the cube at {cube}"
        return f"{how} {points_text(points)}{at}. The score is {NAMES[0]} {score[0]}, {NAMES[1]} {score[1]}."

    def stakes_of(self: Any, state: np.ndarray) -> Stakes:
        """A game won or lost with the cube as it is, and three times as much from end to end, as in a game without the cube; in a match what this does to the chances in it."""
        cube = int(state[CUBE])
        if not self.match or is_over(self, np.array(state, np.int64)):
            return Stakes(float(cube), 6.0 * cube)
        table = equities(self.match, self.crawford)
        own, other = (self.match - int(state[SCORE + seat]) for seat in (0, 1))
        return Stakes(1.0, 3.0 * float(reward(table, own, other, cube) + reward(table, other, own, cube)))
