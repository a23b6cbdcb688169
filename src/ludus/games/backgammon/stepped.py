"""Backgammon in steps, put together from its parts: the rules of `steps.py`, and texts and pictures that are those of the whole game."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.contract.position import Game, Position, Positions
from ludus.contract.views import Encoding
from ludus.errors import LudusError, brief
from ludus.games.backgammon.notation import place_text
from ludus.games.backgammon.rules import DIE1, DIE2, OFF, SIDE, TURN
from ludus.games.backgammon.sight import BackgammonSight
from ludus.games.backgammon.steps import (
    BIG_USED,
    NO_STEP,
    PASS,
    SMALL_FIRST,
    HalfRules,
    StepRules,
    legal_sources,
    source_of,
)

_TEXT = re.compile(r"(.*?)\s*(?:\bused=(\d))?\s*")


class Stepped(Positions):
    """What people see of backgammon in steps."""

    __slots__ = ()
    base: Any

    if TYPE_CHECKING:  # the rules with which it is put together say it

        @property
        def facts(self) -> Any:
            """What callers must know of the game."""

    def steps_of(self, state: np.ndarray, move: int) -> list[tuple[int, int]]:
        """The sources and dice of a move, in the order of play."""
        raise NotImplementedError

    def whole_of(self, state: np.ndarray, move: int) -> int | None:
        """The move of the whole game that this is, if it is one as it stands: a roll of the dice."""
        return int(move) if state[DIE1] == 0 else None

    def _whole(self, state: np.ndarray) -> np.ndarray:
        """The part of a state that is that of the whole game; what is used of the dice comes last."""
        return state[: self.base.facts.state_size]

    @property
    def origin(self) -> str:
        """The name by which the game can be had again."""
        usual = type(self.base)._field_defaults
        changed = [f"{k}={str(v).lower()}" for k, v in self.base._asdict().items() if v != usual[k]]
        return self.facts.name + (f"({','.join(changed)})" if changed else "")

    @property
    def seat_names(self) -> tuple[str, ...]:
        """What the seats are called."""
        names: tuple[str, ...] = self.base.seat_names
        return names

    def encodings(self) -> dict[str, Encoding]:
        """None: those of the whole game show positions between turns."""
        return {}

    def sight(self, seat: int) -> Any:
        """What a seat sees at its decision, the dice included."""
        return BackgammonSight(seat)

    def move_text(self, state: np.ndarray, move: int) -> str:
        """Steps as people write them, in the order of play; the die is named where a checker is borne off by more than it needs."""
        if (whole := self.whole_of(state, move)) is not None:
            return str(self.base.move_text(self._whole(state), whole))
        enemy = state[SIDE * (1 - int(state[TURN])) :]
        words, hit = [], set()
        for source, die in self.steps_of(state, move):
            target = max(source - die, OFF)
            hits = bool(target > OFF and enemy[25 - target] == 1 and target not in hit)
            hit.add(target)
            word = f"{place_text(source)}/{place_text(target)}" + "*" * hits
            words.append(word if die <= source else f"{word} by {die}")
        return " ".join(words) or "pass"

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal steps, or the roll where dice are due, that a text stands for."""
        position = Position(self, state)
        if position.kind == "over":
            raise LudusError(f"{brief(text)!r}: the game is over")
        if position.kind == "chance":
            return int(self.base.read_move(self._whole(state), text))
        wanted = " ".join(text.lower().replace("*", "").split())
        legal = position.moves()
        for move in legal:
            if str(move).replace("*", "") == wanted:
                return int(move)
        raise LudusError(f"{brief(text)!r} is no legal step here; legal are: {', '.join(map(str, legal[:8]))}")

    def state_text(self, state: np.ndarray) -> str:
        """The position as an XGID, and what is used of the dice while a turn is being made."""
        used = f" used={state[-1]}" if state[-1] else ""
        return str(self.base.state_text(self._whole(state))) + used

    def read_state(self, text: str) -> np.ndarray:
        """The state of such a text."""
        match = _TEXT.fullmatch(text)
        assert match is not None
        state = np.append(self.base.read_state(match[1]), int(match[2] or 0))
        if state[-1]:
            double = state[DIE1] == state[DIE2] > 0
            if state[DIE1] == 0 or state[-1] > (3 if double else 2) or state[TURN] < 0:
                raise LudusError(
                    f"{brief(text)!r}: used={state[-1]} is not possible with dice {state[DIE1]}{state[DIE2]}"
                )
            self._check_used(text, state)
        return state

    def _check_used(self, text: str, state: np.ndarray) -> None:
        if not any(legal_sources(state, int(state[TURN]), int(state[-1]))):
            raise LudusError(f"{brief(text)!r}: no step is left, so that the turn has ended; leave out used=")

    def shown(self, state: np.ndarray) -> np.ndarray:
        """The state for drawings of the whole game, in which dice that are used are negative."""
        out, used = np.array(self._whole(state), np.int64), int(state[-1])
        if used and out[DIE1] == out[DIE2]:
            out[DIE2] *= -1 if used >= 2 else 1
        elif used:
            out[DIE1 if used == BIG_USED else DIE2] *= -1
        return out

    def board_text(self, state: np.ndarray, color: bool = False) -> str:
        """The board, and below it what is used of the dice."""
        text, used = str(self.base.board_text(self._whole(state), color)), int(state[-1])
        if not used:
            return text
        double = state[DIE1] == state[DIE2]
        return f"{text}\nused: {f'{used} of 4 steps' if double else state[DIE1 if used == BIG_USED else DIE2]}"

    def board_svg(self, state: np.ndarray, seat: int | None = None) -> str:
        """The board as a picture."""
        return str(self.base.board_svg(self.shown(state), seat))


class Steps(StepRules, Stepped):
    """Backgammon checker by checker: 156 actions.

    >>> from ludus.games.backgammon import backgammon
    >>> game = backgammon().stepwise()
    >>> position = game.start().play("31").play("8/5")
    >>> position.turn, position.moves()[:3]
    (0, [<5/4>, <6/5>, <8/7>])
    """

    __slots__ = ()

    def steps_of(self, state: np.ndarray, move: int) -> list[tuple[int, int]]:
        """The source and the die of a move; nothing of a pass."""
        return [] if move == PASS else [(int(move) // 6, int(move) % 6 + 1)]


class Halves(HalfRules, Stepped):
    """Backgammon with the actions of OpenSpiel: 1352.

    >>> from ludus.games.backgammon import backgammon
    >>> game = backgammon().stepwise("openspiel")
    >>> position = game.start().play("31")
    >>> game.read_move(position.state, "8/5 6/5")
    484
    """

    __slots__ = ()

    def steps_of(self, state: np.ndarray, move: int) -> list[tuple[int, int]]:
        """The sources and dice of a move, in the order of play."""
        dice = int(state[DIE1]), int(state[DIE2])
        seat, places = int(state[TURN]), (int(move) % 26, int(move) % SMALL_FIRST // 26)
        order = dice if move < SMALL_FIRST else dice[::-1]
        return [(int(source_of(p, seat)), die) for p, die in zip(places, order, strict=True) if p != NO_STEP]

    def _check_used(self, text: str, state: np.ndarray) -> None:
        if state[-1] != 2 or state[DIE1] != state[DIE2]:
            raise LudusError(f"{brief(text)!r}: of a double two steps are used, and nothing of other dice")


_games: tuple[type[Game], ...] = (Steps, Halves)  # mypy looks whether they are

STEPWISE = {"steps": Steps, "openspiel": Halves}
