"""Rulesheets as games, put together from their parts: the rules that kernels play (`machine`, `interpreter`), what people see of them (`face`, `drawing`) and
touch (`touching`), and what networks see (`features`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ludus.contract.clock import NoClock
from ludus.contract.planning import NoGuide
from ludus.contract.position import Game
from ludus.contract.views import Encoding
from ludus.errors import LudusError
from ludus.games.gdl.clock import StepClock, StepCounter, step_clock, step_counter
from ludus.games.gdl.drawing import Drawing
from ludus.games.gdl.face import Ending, Face, digest, info, not_legal, pack, plain
from ludus.games.gdl.features import GdlSight, Propositions
from ludus.games.gdl.hidden import Hidden, hide
from ludus.games.gdl.interpreter import Interpreting, Machine, Referee, keep, referees
from ludus.games.gdl.kif import natural, write
from ludus.games.gdl.lanes import SEATS, begin_of, legal_begin_of, nodes_of
from ludus.games.gdl.machine import Compiled, carry_out, complete, look_at_end
from ludus.games.gdl.percepts import InterpretedSight
from ludus.games.gdl.relaxing import Relaxed, relaxed
from ludus.games.gdl.sheet import Sheet, read_sheet
from ludus.games.gdl.touching import Touching


class Gdl(Face, Drawing, Touching, Compiled):
    """A game whose rules came as a rulesheet, compiled. See `ludus.games.gdl` for how to get one."""

    __slots__ = ()

    def fluents(self, state: np.ndarray) -> list[str]:
        """The propositions that hold in a state."""
        texts, begin = info(self).propositions, int(begin_of(self))
        return [t for p, t in enumerate(texts) if int(state[begin + (p >> 6)]) >> (p & 63) & 1]

    def fixed(self, state: np.ndarray) -> list[tuple[str, str]]:
        """The roles whose moves are fixed already, while chance has still to choose, and the moves."""
        moves = state[1 + int(self.sizes[SEATS]) :].tolist()
        return [(role, self.move_text(state, moves[r])) for r, role in enumerate(self.roles) if moves[r] >= 0]

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or what chance chose, as the sheet writes it."""
        return info(self).moves[move]

    def legal_codes(self, state: np.ndarray) -> list[list[int]]:
        """The legal moves of each role, chance among them, as numbers."""
        bits = np.ascontiguousarray(state[int(legal_begin_of(self)) :]).view(np.uint8)
        numbers = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
        ends = np.searchsorted(numbers, self.role_moves).tolist()
        codes = numbers.tolist()
        return [codes[begin:end] for begin, end in pairwise(ends)]

    def legal(self, state: np.ndarray) -> list[list[str]]:
        """The legal moves of each role, chance among them."""
        texts = info(self).moves
        return [[texts[m] for m in codes] for codes in self.legal_codes(state)]

    def advance(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """The state after one move of each role."""
        after, begin = state.copy(), 1 + int(self.sizes[SEATS])
        self._check_count(texts)
        move_of, first, legal = info(self).move_of, self.role_moves.tolist(), self.legal_codes(state)
        for r, text in enumerate(texts):
            own = move_of.get(text) or move_of.get(
                plain(text), []
            )  # numbers of the moves that are written so, one a role
            place = bisect_left(own, first[r])
            move = own[place] if place < len(own) else -1
            if move not in legal[r]:
                raise not_legal(self.roles[r], text, [self.move_text(state, m) for m in legal[r]])
            after[begin + r] = move
        carry_out(self, after)
        return after

    def read_state(self, text: str) -> np.ndarray:
        """The state in which the propositions of a line hold, and no others."""
        fluents, fixed = self._read_fluents(text)
        state = np.zeros(self.facts.state_size, np.int64)
        for term in fluents:
            number = info(self).proposition_of.get(write(term))
            if number is None:
                raise LudusError(f"the position: {write(term)} can never hold in {self.facts.name}")
            state[int(begin_of(self)) + (number >> 6)] |= np.int64(1) << np.int64(number & 63)
        self._check_together({info(self).proposition_of[write(term)] for term in fluents})
        complete(self, state, np.zeros(nodes_of(self), np.int64))
        self._fix(state, fixed, self.legal_codes(state))
        return state

    def _check_together(self, held: set[int]) -> None:
        """Propositions that never hold together are an error: the network takes for granted that they don't."""
        for members in info(self).exclusive:
            found = [info(self).propositions[number] for number in members if number in held]
            if len(found) > 1:
                raise LudusError(
                    f"the position: {found[0]} and {found[1]} can never hold together in {self.facts.name}"
                )

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role at the end of a game; 0 where the rules name none, and the best where they name several."""
        super().goals(state)  # or an error
        return [max(values, default=0) for values in self.ending(state).goals]

    def ending(self, state: np.ndarray) -> Ending:
        """What the rules say of a state as the end of a game."""
        out = np.zeros(len(self.goal_literals) + 1, np.bool_)
        look_at_end(self, state, out)
        goals: list[list[int]] = [[] for _ in self.roles]
        for g in np.flatnonzero(out[:-1]).tolist():
            goals[int(self.goal_role[g])].append(int(self.goal_value[g]))
        return Ending(bool(out[-1]), goals)

    def encodings(self) -> dict[str, Encoding]:
        """The ways to show states to a network."""
        return {"propositions": Propositions()}

    def sight(self, seat: int) -> GdlSight:
        """What a seat sees at its decision."""
        return GdlSight(seat)

    def clock(self) -> StepClock | NoClock:
        """What ends the game after some steps, if the sheet has such a thing (`contract.clock`)."""
        return step_clock(self, info(self).source, info(self).proposition_of)

    def counter(self) -> StepCounter | NoClock:
        """All that only counts steps (`contract.planning`)."""
        return step_counter(self, info(self).source, info(self).proposition_of)

    def guide(self) -> Relaxed | NoGuide:
        """How far it is to the best end, for games of one seat (`contract.planning`)."""
        if int(self.sizes[SEATS]) != 1:
            return NoGuide()
        counter = self.counter()
        return relaxed(self, counter.mask if isinstance(counter, StepCounter) else np.zeros_like(self.initial))


class Interpreted(Face, Drawing, Touching, Interpreting):
    """A game whose rules came as a rulesheet, and are interpreted."""

    __slots__ = ()
    fleeting = True  # states and moves are numbered as they are met, otherwise in each process

    def __reduce__(self) -> Any:  # another process has another interpreter
        known = info(self)
        return _again, (known.name, known.origin, known.source)

    def _referee(self) -> Referee:
        return referees[info(self).digest]

    def fluents(self, state: np.ndarray) -> list[str]:
        """The propositions that hold in a state."""
        # In an order that does not depend on what was played before: texts are compared, and go to other processes.
        return sorted((write(t) for t in self._referee().fluents(state)), key=natural)

    def fixed(self, state: np.ndarray) -> list[tuple[str, str]]:
        """The roles whose moves are fixed already, while chance has still to choose, and the moves."""
        seats = int(self.sizes[0])
        moves = state[1 + seats : 1 + seats + len(self.roles)].tolist()
        return [(role, self.move_text(state, m)) for role, m in zip(self.roles, moves, strict=True) if m >= 0]

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or what chance chose, as the sheet writes it."""
        return self._referee().move_texts[move]

    def legal_codes(self, state: np.ndarray) -> list[list[int]]:
        """The legal moves of each role, chance among them, as numbers."""
        return self._referee().legal(state)

    def legal(self, state: np.ndarray) -> list[list[str]]:
        """The legal moves of each role, chance among them."""
        referee = self._referee()
        return [[referee.move_texts[m] for m in codes] for codes in referee.legal(state)]

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role at the end of a game; 0 where the rules name none."""
        super().goals(state)  # or an error
        return self._referee().goals(state)

    def ending(self, state: np.ndarray) -> Ending:
        """What the rules say of a state as the end of a game."""
        return self._referee().ending(state)

    def advance(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """The state after one move of each role."""
        referee, after = self._referee(), state.copy()
        self._check_count(texts)
        for r, (text, codes) in enumerate(zip(texts, referee.legal(state), strict=True)):
            move = referee.move_of.get(text, referee.move_of.get(plain(text), -1))
            if move not in codes:
                raise not_legal(self.roles[r], text, [referee.move_texts[m] for m in codes])
            after[1 + int(self.sizes[0]) + r] = move
        referee.carry_out(after)
        return after

    def read_state(self, text: str) -> np.ndarray:
        """The state in which the propositions of a line hold, and no others."""
        fluents, fixed = self._read_fluents(text)
        referee = self._referee()
        state = np.zeros(self.facts.state_size, np.int64)
        referee.set_fluents(state, frozenset(fluents))
        referee.complete(state)
        self._fix(state, fixed, referee.legal(state))
        return state


_games: tuple[type[Game], ...] = (Gdl, Interpreted)  # mypy looks whether they are


def interpret(sheet: Sheet, name: str, origin: str, source: str) -> Interpreted | Hidden:
    """The game of a sheet; LudusError if not even its first states can be worked out."""
    game = _interpret(sheet, name, origin, source)
    return hide(game, InterpretedSight(np.arange(game.facts.seats + 1))) if sheet.hides else game


def _interpret(sheet: Sheet, name: str, origin: str, source: str) -> Interpreted:
    try:
        key = digest(source)
        # Equal games have one referee: the numbers in their states must mean the same.
        referee = referees.get(key) or Referee(Machine(sheet))
        sheet_array = pack(name, origin, sheet.roles, source)
        sizes = np.array([len(referee.seats), len(sheet.roles), referee.chance_role, referee.number], np.int64)
        game = Interpreted(sheet_array, sizes)
        state = np.zeros(game.facts.state_size, np.int64)
        referee.set_fluents(state, referee.machine.initial())
        referee.complete(state)
        referees[key] = referee
        keep(sheet_array, referee)
        return game
    except (LudusError, MemoryError, RecursionError) as error:
        raise LudusError(f"{name} can't be played: {error or 'it needs too much memory'}") from None


def _again(name: str, origin: str, source: str) -> Interpreted:
    return _interpret(read_sheet(source, name), name, origin, source)
