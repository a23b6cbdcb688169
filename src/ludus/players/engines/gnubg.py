"""GNU Backgammon, the program, in games with the cube: matches and money. Its own Python runs a script of ours (`inside_gnubg.py`) that answers by lines.

What is set, and all else is as the program has it after `-r` (no settings of the user's are read): so many plies, cubeful, no noise; the pruning networks and move filters that are usual from one ply
on; Jacoby's rule and beavers as the game has them; its match equities (Kazaross and XG2, 25 points) and both its bear-off databases. Nothing is random. It never offers to resign. It decides as in its
own games: at 0 plies it doubles where that is optional, at more it does not.

The program sleeps for ten milliseconds whenever a script asks something, however quickly it is done. So a hundred questions a second are the most that one process answers, and many questions are spread
over several of them. They are started when they are first needed: one question at a time needs one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from ludus.batch import Batch
from ludus.contract.position import Position
from ludus.contract.rules import moves, turn
from ludus.errors import LudusError, brief
from ludus.games.backgammon.match import (
    ACCEPT,
    BEAVER,
    BEAVERED,
    CRAWFORD,
    CUBE,
    DOUBLE,
    OWNER,
    PASS,
    PHASE,
    RACCOONED,
    REJECT,
    RESIGNING,
    ROLL,
    SCORE,
    TAKE,
)
from ludus.games.backgammon.rules import DIE1, DIE2, MAX_MOVES, STATE_SIZE, TURN, BackgammonRules
from ludus.players import peers
from ludus.players.base import decider
from ludus.players.engines.process import Engine, installed
from ludus.players.peers import board_of, move_of_steps

PATIENCE = 60.0  # seconds for an answer
INSTALL = "apt-get install gnubg, or https://www.gnu.org/software/gnubg/"
SCRIPT = Path(__file__).with_name("inside_gnubg.py")
PROCESSES = 6  # at most; more would hardly be faster, as the processor is then busy
AT_ONCE = 32  # questions a process, at most: what is sent must fit into a pipe
LONGEST_MATCH = 64  # points: its tables end there

Question = list[Any]
Answer = list[Any]


class Advice(IntEnum):
    """What GNU Backgammon says of a cube, by its own numbers."""

    DOUBLE_TAKE = 0
    DOUBLE_PASS = 1
    NO_DOUBLE_TAKE = 2
    TOO_GOOD_TAKE = 3
    TOO_GOOD_PASS = 4
    DOUBLE_BEAVER = 5
    NO_DOUBLE_BEAVER = 6
    REDOUBLE_TAKE = 7
    REDOUBLE_PASS = 8
    NO_REDOUBLE_TAKE = 9
    TOO_GOOD_REDOUBLE_TAKE = 10
    TOO_GOOD_REDOUBLE_PASS = 11
    NO_REDOUBLE_BEAVER = 12
    DEAD_CUBE = 13
    DEAD_REDOUBLE = 14
    NOT_AVAILABLE = 15
    OPTIONAL_DOUBLE_TAKE = 16
    OPTIONAL_REDOUBLE_TAKE = 17
    OPTIONAL_DOUBLE_BEAVER = 18
    OPTIONAL_DOUBLE_PASS = 19
    OPTIONAL_REDOUBLE_PASS = 20


DOUBLES = {Advice.DOUBLE_TAKE, Advice.DOUBLE_PASS, Advice.DOUBLE_BEAVER, Advice.REDOUBLE_TAKE, Advice.REDOUBLE_PASS}
OPTIONAL = {each for each in Advice if each.name.startswith("OPTIONAL")}
PASSES = {each for each in Advice if each.name.endswith("_PASS")}
BEAVERS = {each for each in Advice if each.name.endswith("_BEAVER")}


def make_gnubg(game: Any, path: str | None, plies: int = 0) -> Any:
    """GNU Backgammon: its networks, within our process, where there is no cube, and the program where there is one."""
    return make_with_cube(game, "gnubg", plies) if hasattr(game, "match") else peers.make_gnubg(game, path, plies)


def make_with_cube(game: Any, name: str, plies: int = 0, patience: float = PATIENCE) -> Gnubg:
    """The program, for a game with the cube."""
    name = f"{name}(plies={plies})"
    if game.match > LONGEST_MATCH:
        raise LudusError(f"player '{name}' plays matches to {LONGEST_MATCH} points at most, not to {game.match}")
    program = installed("gnubg", name, f"with the cube the program itself plays; {INSTALL}")
    return Gnubg(name, Asked(name, program, plies, patience), plies)


class Asked:
    """The program, in as many processes as are of use."""

    def __init__(self, name: str, program: str, plies: int, patience: float = PATIENCE) -> None:
        command = [program, "-t", "-q", "-r", "-l", "en", "-p", str(SCRIPT)]
        self.plies = plies
        self.engines = [Engine(name, command, patience) for _ in range(PROCESSES)]

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """The answers to questions, in their order. LudusError if a process ends, or is silent for too long."""
        answers: list[Answer] = []
        try:
            for first in range(0, len(questions), PROCESSES * AT_ONCE):
                answers += self._asked(questions[first : first + PROCESSES * AT_ONCE])
        except BaseException:  # also Ctrl-C: what they would say later is no answer to the next questions
            for engine in self.engines:
                engine.end(mercy=0)
            raise
        return answers

    def _asked(self, questions: Sequence[Question]) -> list[Answer]:
        lines = [json.dumps(question) for question in questions]
        busy = self.engines[: len(lines)]
        for i, engine in enumerate(busy):
            first = [] if engine.running else [str(self.plies)]
            engine.tell("\n".join([*first, *lines[i :: len(busy)]]))
        return [_read(busy[i % len(busy)], line) for i, line in enumerate(lines)]


def _read(engine: Engine, line: str) -> Answer:
    """The answer to a question that was asked."""
    said = engine.hear(line, lambda words: words if words.startswith("ludus") else None)
    kind, _, rest = said.partition(" ")
    if kind == "ludus":
        try:
            answer = json.loads(rest)
        except ValueError:
            answer = None
        if isinstance(answer, list):
            return answer
    engine.blame(f"answered '{brief(said)}' to '{brief(line)}'")


def question(game: Any, state: np.ndarray, what: str) -> Question:
    """What is asked about a state, with the side on roll as GNU Backgammon's player 1.

    A beaver, or a raccoon, is judged as a double by who is on roll and owns the cube: so does the program.
    """
    seat = max(int(state[TURN]), 0)
    owner = seat if BEAVERED <= state[PHASE] <= RACCOONED else int(state[OWNER])
    points = [int(state[SCORE + 1 - seat]), int(state[SCORE + seat])] if game.match else [0, 0]
    theirs, ours = board_of(state, seat)
    return [
        what, int(state[DIE1]), int(state[DIE2]), int(state[CUBE]), -1 if owner < 0 else int(owner == seat), game.match, *points,
        int(state[CRAWFORD]), int(game.jacoby), int(game.beavers > 0), *theirs, *ours,
    ]  # fmt: skip


class Gnubg:
    """The player. Questions of many games are asked together."""

    slots = 2 * PROCESSES * AT_ONCE  # games in flight: the other player moves in about half of them
    pace = 1.0  # seconds that a step of the arena may take

    def __init__(self, name: str, asked: Asked, plies: int) -> None:
        self.name, self.asked, self.plies = name, asked, plies
        self._legal, self._room = np.zeros(MAX_MOVES, np.int64), np.zeros(MAX_MOVES, np.int64)
        self._target, self._trial = np.zeros(STATE_SIZE, np.int64), np.zeros(STATE_SIZE, np.int64)

    def choose_batch(self, batch: Batch) -> np.ndarray:
        """The moves of many decisions."""
        return np.array(self._choose(batch.game, batch.states, batch.seats.tolist()), np.int64)

    def choose(self, position: Position, rng: Any = None) -> int:
        """The move in a position."""
        return self._choose(position.game, position.state[None], [decider(position)])[0]

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    def _choose(self, game: Any, states: np.ndarray, seats: list[int]) -> list[int]:
        chosen, asked, questions = [0] * len(seats), [], []
        for row, seat in enumerate(seats):
            state = states[row].copy()
            legal = self._legal[: moves(game, state, seat, self._legal)].tolist()
            if len(legal) == 1:
                chosen[row] = legal[0]  # a question not worth asking
                continue
            kind = "move" if legal[0] < ROLL else "chances" if state[PHASE] >= RESIGNING else "cube"
            asked.append((row, state, seat, kind, legal))
            questions.append(question(game, state, kind))
        for (row, state, seat, kind, legal), answer in zip(asked, self.asked.ask(questions), strict=True):
            try:
                chosen[row] = (
                    self._move(game, state, seat, answer) if kind == "move" else self._act(game, state, legal, answer)
                )
            except (ValueError, TypeError, IndexError):
                raise LudusError(
                    f"player '{self.name}' answered {brief(answer)}, which is nothing to do in {game.state_text(state)}"
                ) from None
        return chosen

    def _move(self, game: Any, state: np.ndarray, seat: int, answer: Answer) -> int:
        pairs = zip(answer[::2], answer[1::2], strict=True)
        steps = np.array([place for pair in pairs if pair[0] for place in pair], np.int64)  # others fill it up
        if len(steps) and not (steps.min() >= 0 and steps.max() <= 25):
            raise ValueError(answer)
        board = state[:STATE_SIZE].copy()
        move = move_of_steps(BackgammonRules(3), board, seat, steps, self._room, self._target, self._trial)
        if move < 0:
            raise ValueError(answer)
        return int(move)

    def _act(self, game: Any, state: np.ndarray, legal: list[int], answer: Answer) -> int:
        """What to do with the cube, or with a game that the other side gives up."""
        if legal[0] == ACCEPT:
            return ACCEPT if _worth_accepting(game, state, answer) else REJECT
        take, advice = float(answer[2]), Advice(answer[4])
        if legal[0] == ROLL:
            return DOUBLE if advice in DOUBLES or (self.plies == 0 and advice in OPTIONAL) else ROLL
        if state[PHASE] == BEAVERED:  # our own double was beavered
            if advice in BEAVERS:
                return TAKE
            if advice in (Advice.NO_DOUBLE_TAKE, Advice.NO_REDOUBLE_TAKE):
                return PASS if take <= -1 else TAKE
            return BEAVER if BEAVER in legal else TAKE  # a raccoon
        if advice in PASSES:
            return PASS
        return BEAVER if advice in BEAVERS and BEAVER in legal else TAKE


def _worth_accepting(game: Any, state: np.ndarray, answer: Answer) -> bool:
    """Whether what is offered is worth as much as going on, without the cube, from before the roll."""
    *_, equity, gammon0, more0, gammon1, more1 = (float(number) for number in answer)
    on_roll = turn(game, state) == max(int(state[TURN]), 0)
    size = (int(state[PHASE]) - RESIGNING) % 3 + 1
    gammon, more = (gammon1, more1) if on_roll else (gammon0, more0)
    return (1, 1 + gammon, 1 + gammon + more)[size - 1] >= (equity if on_roll else -equity) - 1e-6
