"""Matches, and games for money with the cube, as `.mat` files (`mat.py`), which hold the whole match: the plays of a file are those of all its games.

A file has no place for offers to resign that were rejected, nor for automatic doubles: the former are left out, games with the latter refused. Where a game ends with points
that neither the board nor a pass explains, the loser has resigned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus.contract.rules import OVER, play, start, turn
from ludus.errors import LudusError
from ludus.games.backgammon.board import NAMES, WINS
from ludus.games.backgammon.mat import Cube, GameRecord, Record, Turn, read_mat, write_mat
from ludus.games.backgammon.match import (
    ACCEPT,
    BEAVER,
    CUBE,
    DOUBLE,
    DOUBLED,
    EQUAL,
    PASS,
    PHASE,
    RACCOONED,
    RESIGN,
    ROLL,
    SCORE,
    TAKE,
)
from ludus.games.backgammon.match_notation import move_text, read_move, why_no_resignation
from ludus.games.backgammon.match_telling import won_by
from ludus.games.backgammon.rules import DIE1, DIE2, TURN

_ACTIONS = {DOUBLE: "double", BEAVER: "beaver", TAKE: "take", PASS: "drop"}
_MOVES = {action: move for move, action in _ACTIONS.items()}


class MatchFiles:
    """Matches as `.mat` files: what `ludus play` saves and loads (see `ludus.play.saved`)."""

    __slots__ = ()

    @property
    def formats(self: Any) -> tuple[str, ...]:
        """The endings of the files that `write_game` and `read_game` know: none for bear-offs, as files begin at the usual start."""
        return () if self.bearoff else (".mat",)

    def write_game(self: Any, name: str, seats: Sequence[str], plays: Sequence[int]) -> str:
        """The text of a `.mat` file with all games of a match. A roll that is not yet played is left out, as the format has no place."""
        try:
            return write_mat(Record((seats[0], seats[1]), self.match, tuple(_records(self, plays))))
        except LudusError as error:
            raise LudusError(f"can't write {name}: {error}") from error

    def read_game(
        self: Any, name: str, text: str, number: int | None = None
    ) -> tuple[Sequence[str], list[int], list[str]]:
        """The players, and all rolls and moves of the match in a `.mat` file; of games for money those of one, the last unless told. And what is
        left out, in words.
        """
        record = read_mat(text, name)
        count = len(record.games)
        if record.length != self.match:
            is_match = f"a match to {record.length}: play it as backgammon(match={record.length})"
            raise LudusError(
                f"{name} holds {is_match if record.length else 'games for money: play them as backgammon(cube=true)'}"
            )
        if not count:
            raise LudusError(f"{name} holds no game")
        most = 1 if self.match else count
        if number is not None and not 1 <= number <= most:
            there = "one match, which is played as a whole" if self.match else f"{count} game{'s' * (count > 1)}"
            raise LudusError(f"{name} holds {there}: there is no {'match' if self.match else 'game'} {number}")
        first = 0 if self.match else (number or count) - 1
        said = [] if self.match or count == 1 else [f"This is game {first + 1} of {count} in the file."]
        reader = _Reader(self)
        for index, game in enumerate(
            record.games[first:] if self.match else record.games[first : first + 1], first + 1
        ):
            try:
                reader.read(game)
            except LudusError as error:
                raise LudusError(f"{name}, game {index}: {error}") from error
        return record.names, reader.plays, said


# --- writing ---------------------------------------------------------------------------------------------------------


def _records(game: Any, plays: Sequence[int]) -> Iterator[GameRecord]:
    """The games of a match, from its plays; the end need not be there."""
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    turns: list[Turn | Cube] = []
    score = 0, 0
    for move in map(int, plays):
        before = state.copy()
        seat, mover, rolled = int(turn(game, state)), int(state[TURN]), int(10 * state[DIE1] + state[DIE2])
        play(game, state, move)
        if move in _ACTIONS:
            agreed = int(before[CUBE]) * (2 if move == BEAVER else 1)
            turns.append(Cube(seat, _ACTIONS[move], 2 * agreed))
        elif move == ACCEPT and rolled:
            turns.append(Turn(mover, rolled, None, "????"))
        elif move < ROLL and rolled:
            turns.append(Turn(mover, rolled, move, move_text(game, before, move)))
        elif move == EQUAL and mover < 0:
            raise LudusError("a .mat file has no place for automatic doubles; save it as .json")
        if ended := won_by(game, before, move):
            yield GameRecord(tuple(turns), *ended, score)
            turns, score = [], (int(state[SCORE]), int(state[SCORE + 1]))
    if turns:
        yield GameRecord(tuple(turns), None, 0, score)


# --- reading ---------------------------------------------------------------------------------------------------------


class _Reader:
    """The plays of a match, game after game."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.state = np.zeros(game.facts.state_size, np.int64)
        start(game, self.state)
        self.plays: list[int] = []

    def _take(self, move: int) -> None:
        self.plays.append(move)
        play(self.game, self.state, move)

    def read(self, game: GameRecord) -> None:
        """Go on with a game. LudusError names what the rules do not allow."""
        state = self.state
        if turn(self.game, state) == OVER:
            raise LudusError(f"the match is over before it, at {state[SCORE]}-{state[SCORE + 1]}")
        if state[TURN] >= 0:
            raise LudusError("the game before it has no end")
        if self.game.match and game.score != (state[SCORE], state[SCORE + 1]):
            score = f"{state[SCORE]}-{state[SCORE + 1]}"
            raise LudusError(f"it begins at {game.score[0]}-{game.score[1]}, but the games before it make {score}")
        ended = False
        for act in game.turns:
            ended = self._act(act)
        if game.winner is not None and not ended:
            self._resign(game.winner, game.points)

    def _act(self, act: Turn | Cube) -> bool:
        """Play one turn, and say whether it ends the game."""
        state = self.state
        if isinstance(act, Cube):
            move = read_move(self.game, state, {"drop": "pass"}.get(act.action, act.action))
        else:
            if turn(self.game, state) >= 0:
                self._take(ROLL)
            turned = state[TURN] < 0 and act.seat == 1  # the first digit of the opening roll is seat 0's die
            self._take(act.dice % 10 * 10 + act.dice // 10 if turned else act.dice)
            if act.move is None:
                return False
            move = act.move
        ended = won_by(self.game, state, move) is not None
        self._take(move)
        return ended

    def _resign(self, winner: int, points: int) -> None:
        state, cube = self.state, int(self.state[CUBE])
        if DOUBLED <= state[PHASE] <= RACCOONED and turn(self.game, state) == 1 - winner and points == cube:
            self._take(PASS)  # some programs leave it to the reader that a double was passed
            return
        size, rest = divmod(points, cube)
        if rest or not 1 <= size <= 3:
            raise LudusError(
                f"{NAMES[winner]} wins {points} points, which is no game, gammon or backgammon with the cube at {cube}"
            )
        if reason := why_no_resignation(self.game, state, 1 - winner, size):
            raise LudusError(f"{NAMES[winner]} wins {WINS[size]}, but {reason}")
        self._take(RESIGN + 3 * (1 - winner) + size - 1)
        self._take(ACCEPT)
