"""The slower way to play a rulesheet: for those that are too large to ground. What follows from a state is worked out when the state is met.

The rules are evaluated by `datalog.py`. Kernels reach the interpreter by a call back into Python, so that an interpreted game is a game like any other, only
slow.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus.contract import rules
from ludus.contract.rules import CHANCE, JOINT, OVER, Facts
from ludus.errors import LudusError
from ludus.games.gdl import datalog
from ludus.games.gdl.datalog import World, foundation
from ludus.games.gdl.face import Ending, facts_of
from ludus.games.gdl.grounding import prepared
from ludus.games.gdl.kif import Term, brief, natural, read_term, simple, write
from ludus.games.gdl.program import MOVES, STATE
from ludus.games.gdl.rulecode import Key
from ludus.games.gdl.sheet import Sheet, goal_value
from ludus.games.gdl.tables import MAX_NESTING, nesting
from ludus.kernel import call_python, forget_function, implements, python_function

MAX_MOVES = 16_384  # of a role
MAX_LOOKS = 256  # states that are remembered
ROOM = 8_192  # propositions that may hold at once


# --- states ----------------------------------------------------------------------------------------------------------


class Machine:
    """A rulesheet at work on sets of terms."""

    def __init__(self, sheet: Sheet) -> None:
        self.roles = sheet.roles
        self.lasting = foundation(prepared(sheet))
        self._initial = frozenset(row[0] for row in self.lasting.ask(("init", 1)))
        self.lasting.program.sample = self.look(self._initial).world.relations

    def initial(self) -> frozenset:
        """The first state."""
        return self._initial

    def look(self, state: frozenset) -> Look:
        """A state, ready to be asked about."""
        return Look(self, state)


class Look:
    """One state, and what was found out about it so far."""

    def __init__(self, machine: Machine, state: frozenset) -> None:
        self.machine = machine
        self.world = World(machine.lasting.program, STATE, machine.lasting)
        for term in sorted(state, key=write):
            self.world.give(("true", term))

    def ask(self, relation: Key) -> list[tuple]:
        """The rows of a relation that hold in this state."""
        return self.world.ask(relation)

    def forget(self) -> None:
        """It is not needed any more. Answers know where they belong: without this, only a garbage collection would find them."""
        self.world.clear()
        self.world.parts.clear()

    def following(self, joint: Sequence[Term]) -> frozenset:
        """The state after the moves of all roles."""
        return frozenset(row[0] for row in self._with(joint, ("next", 1)))

    def percepts(self, joint: Sequence[Term]) -> list[tuple]:
        """What the roles perceive after the moves of all: pairs of a role and a percept."""
        return self._with(joint, ("sees", 2))

    def _with(self, joint: Sequence[Term], relation: Key) -> list[tuple]:
        """The rows of a relation that hold with these moves."""
        # What depends on the moves is worked out for these moves only.
        world = World(self.world.program, MOVES, self.world)
        for role, move in zip(self.machine.roles, joint, strict=True):
            world.give(("does", role, move))
        rows = world.ask(relation)
        world.clear()
        world.parts.clear()
        return rows


# --- the game --------------------------------------------------------------------------------------------------------
# A state: whose turn, goals by seat, moves by role that are fixed already (or -1), how many propositions, their numbers

TURN = 0


class Interpreting(NamedTuple):
    """The rules of an interpreted game: where its interpreter is to be found."""

    sheet: np.ndarray
    sizes: np.ndarray  # seats, roles, role of chance or -1, number of the function that kernels call

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        seats, roles, chance, _ = self.sizes.tolist()
        return facts_of(self, seats, 2 + seats + roles + ROOM, MAX_MOVES, MAX_MOVES if chance >= 0 else 0)


class Referee:
    """Keeps the numbers that stand for terms, and answers what kernels ask; from any thread, one at a time."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        own = weakref.ref(self)  # kernels know the function, which should not keep the game

        def answer(request: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
            referee = own()
            assert referee is not None  # a game that is played has one
            return referee.answer(request, state, number, other)

        self.number = python_function(answer)
        weakref.finalize(self, forget_function, self.number)
        self.lock = threading.RLock()
        self.roles = machine.roles
        self.seats = [r for r, role in enumerate(self.roles) if role != "random"]
        self.chance_role = self.roles.index("random") if "random" in self.roles else -1
        self.terms: list[Term] = []
        self.numbers: dict[Term, int] = {}
        self.moves: list[Term] = []
        self.move_texts: list[str] = []
        self.move_numbers: dict[Term, int] = {}
        self.move_of: dict[str, int] = {}  # by text
        self.looks: dict[bytes, tuple[Look, list[list[int]]]] = {}
        self.begin = 1 + len(self.seats) + len(self.roles)
        self.percepts: list[tuple[str, ...]] = []  # sets of them, by number
        self.lists: list[list[int]] = []  # legal moves of veiled states (`percepts`), by number
        self._percept_numbers: dict[tuple[str, ...], int] = {}
        self._list_numbers: dict[tuple[int, ...], int] = {}

    def fluents(self, state: np.ndarray) -> list[Term]:
        """The propositions that hold in a state."""
        count = int(state[self.begin])
        return [self.terms[i] for i in state[self.begin + 1 : self.begin + 1 + count].tolist()]

    def set_fluents(self, state: np.ndarray, fluents: frozenset) -> None:
        """Let these propositions hold in a state, and no others."""
        if len(fluents) > ROOM:
            raise LudusError(f"more than {ROOM:,} propositions hold at once")
        with self.lock:
            for term in sorted(fluents, key=write):
                if term not in self.numbers:
                    if nesting(term) > MAX_NESTING:
                        raise LudusError("the rules nest the terms of the state without end")
                    self.numbers[term] = len(self.terms)
                    self.terms.append(term)
        state[self.begin :] = 0
        state[self.begin] = len(fluents)
        state[self.begin + 1 : self.begin + 1 + len(fluents)] = sorted(self.numbers[t] for t in fluents)

    def _look(self, state: np.ndarray) -> tuple[Look, list[list[int]]]:
        count = int(state[self.begin])
        key = state[self.begin : self.begin + 1 + count].tobytes()
        if key in self.looks:
            return self.looks[key]
        look = self.machine.look(frozenset(self.fluents(state)))
        rows = look.ask(("legal", 2))
        legal = []
        for role in self.roles:
            own = sorted({row[1] for row in rows if row[0] == role}, key=lambda t: natural(write(t)))
            for term in own:
                self._number_move(term)
            if len(own) > MAX_MOVES:
                raise LudusError(f"{role} has more than {MAX_MOVES:,} legal moves")
            legal.append([self.move_numbers[t] for t in own])
        while len(self.looks) >= MAX_LOOKS or sum(old.world.size for old, _ in self.looks.values()) > datalog.MAX_FACTS:
            old, _ = self.looks.pop(next(iter(self.looks)))
            old.forget()
        self.looks[key] = look, legal
        return self.looks[key]

    def _number_move(self, term: Term) -> int:
        if term not in self.move_numbers:
            self.move_numbers[term] = len(self.moves)
            self.moves.append(term)
            self.move_texts.append(write(term))
            self.move_of[self.move_texts[-1]] = self.move_numbers[term]
        return self.move_numbers[term]

    def move_number(self, text: str) -> int:
        """The number of a move, whether it was met before or not."""
        with self.lock:
            return self._number_move(simple(read_term(text, "a move")))

    def legal(self, state: np.ndarray) -> list[list[int]]:
        """The legal moves of each role."""
        with self.lock:
            return self._look(state)[1]

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role; where several hold, the best counts."""
        return [max(values, default=0) for values in self.ending(state).goals]

    def ending(self, state: np.ndarray) -> Ending:
        """What the rules say of a state as the end of a game."""
        with self.lock:
            look = self._look(state)[0]
            rows, terminal = look.ask(("goal", 2)), bool(look.ask(("terminal", 0)))
        goals: list[list[int]] = [[] for _ in self.roles]
        for role, term in rows:
            value = goal_value(term)
            if value is None:
                raise LudusError(f"a goal must be a number from 0 to 100, but for {role} it is {brief(term)}")
            if role in self.roles:
                goals[self.roles.index(role)].append(value)
        return Ending(terminal, [sorted(set(values)) for values in goals])

    def complete(self, state: np.ndarray) -> None:
        """Work out whose turn it is, and the goals at the end."""
        with self.lock:
            self._complete(state)

    def _complete(self, state: np.ndarray) -> None:
        look, legal = self._look(state)
        state[1 : 1 + len(self.seats)] = 0
        state[1 + len(self.seats) : self.begin] = -1
        deciding = [s for s, r in enumerate(self.seats) if len(legal[r]) > 1]
        if look.ask(("terminal", 0)) or not all(legal):
            state[TURN] = OVER
            for row in look.ask(("goal", 2)):
                value = goal_value(row[1])
                if row[0] in self.roles and row[0] != "random":
                    if value is None:
                        raise LudusError(
                            f"a goal must be a number from 0 to 100, but for {row[0]} it is {brief(row[1])}"
                        )
                    at = 1 + self.seats.index(self.roles.index(row[0]))
                    state[at] = max(int(state[at]), value)  # where several goals hold, the best counts
        elif len(deciding) > 1:
            state[TURN] = JOINT
        elif deciding:
            state[TURN] = deciding[0]
        elif self.chance_role >= 0 and len(legal[self.chance_role]) > 1:
            state[TURN] = CHANCE
        else:
            state[TURN] = 0

    def carry_out(self, state: np.ndarray) -> None:
        """Make the moves that are fixed, and for all other roles their only one."""
        with self.lock:
            look, legal = self._look(state)
            fixed = state[1 + len(self.seats) : self.begin].tolist()
            joint = [self.moves[m if m >= 0 else own[0]] for m, own in zip(fixed, legal, strict=True)]
            self.set_fluents(state, look.following(joint))
            self.complete(state)

    def sees(self, state: np.ndarray, joint: Sequence[int]) -> tuple[list[int], list[int]]:
        """The moves of all roles, where -1 stands for the only one, and for each role the number of the set of its percepts."""
        with self.lock:
            look, legal = self._look(state)
            moves = [m if m >= 0 else own[0] for m, own in zip(joint, legal, strict=True)]
            rows = look.percepts([self.moves[m] for m in moves])
            return moves, [self._percepts(role, rows) for role in self.roles]

    def _percepts(self, role: str, rows: list[tuple]) -> int:
        texts = tuple(sorted({write(row[1]) for row in rows if row[0] == role}, key=natural))
        return self.percept_number(texts)

    def percept_number(self, texts: tuple[str, ...]) -> int:
        """The number of a set of percepts, given as sorted texts."""
        with self.lock:
            if texts not in self._percept_numbers:
                self._percept_numbers[texts] = len(self.percepts)
                self.percepts.append(texts)
            return self._percept_numbers[texts]

    def keep_list(self, legal: list[int]) -> int:
        """A number for a list of moves."""
        with self.lock:
            key = tuple(legal)
            if key not in self._list_numbers:
                self._list_numbers[key] = len(self.lists)
                self.lists.append(list(legal))
            return self._list_numbers[key]

    def go_on(self, state: np.ndarray) -> None:
        """The moves of all seats are fixed: carry them out, unless chance has a choice of its own."""
        if self.chance_role >= 0 and state[TURN] != CHANCE and len(self.legal(state)[self.chance_role]) > 1:
            state[TURN] = CHANCE
        else:
            self.carry_out(state)

    def answer(self, request: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
        """What a kernel asked for. A game that can't go on is over: kernels know no other way."""
        try:
            return self._answer(request, state, number, other)
        except (LudusError, MemoryError, RecursionError) as error:
            warnings.warn(f"the game ends without a result: {error or 'it needs too much memory'}", stacklevel=1)
            state[TURN] = OVER
            return 0

    def _answer(self, request: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
        """The generic functions of the rules, by number."""
        if request == START:
            self.set_fluents(state, self.machine.initial())
            self.complete(state)
        elif request == LIST:
            legal = self.legal(state)[self.seats[number] if number >= 0 else self.chance_role]
            other[: len(legal)] = legal
            return len(legal)
        elif request == PLAY:
            role = self.chance_role if state[TURN] == CHANCE else self.seats[int(state[TURN])]
            state[1 + len(self.seats) + role] = number
            self.go_on(state)
        elif request == SEES:
            moves, sets = self.sees(state, other[: len(self.roles)].tolist())
            other[len(self.roles) :] = [moves[r] for r in self.seats] + [sets[r] for r in self.seats]
        elif request == KEEP:
            return self.keep_list(self.legal(state)[self.seats[number]])
        elif request == KEPT:
            other[: len(self.lists[number])] = self.lists[number]
            return len(self.lists[number])
        else:
            for seat, role in enumerate(self.seats):
                state[1 + len(self.seats) + role] = other[seat]
            self.go_on(state)
        return 0


START, LIST, PLAY, PLAY_JOINT, SEES, KEEP, KEPT = range(7)
referees: weakref.WeakValueDictionary[str, Referee] = weakref.WeakValueDictionary()  # by the digest of the sheet
_kept: dict[int, Referee] = {}  # by the `sheet` of each game


def keep(sheet: np.ndarray, referee: Referee) -> None:
    """Let a referee live as long as a game does, of which this is the sheet."""
    _kept[id(sheet)] = referee
    weakref.finalize(sheet, _kept.pop, id(sheet), None)


@implements(rules.start, Interpreting)
def _(game: Any, state: Any) -> None:
    call_python(game.sizes[3], START, state, 0, state)


@implements(rules.turn, Interpreting)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(rules.moves, Interpreting)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    return call_python(game.sizes[3], LIST, state, seat, out)


@implements(rules.play, Interpreting)
def _(game: Any, state: Any, move: int) -> None:
    call_python(game.sizes[3], PLAY, state, move, state)


@implements(rules.play_joint, Interpreting)
def _(game: Any, state: Any, joint: Any) -> None:
    call_python(game.sizes[3], PLAY_JOINT, state, 0, joint)


@implements(rules.chances, Interpreting)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    if game.sizes[2] < 0:
        return 0
    count = call_python(game.sizes[3], LIST, state, -1, outcomes)
    for i in range(count):
        probabilities[i] = 1.0 / count
    return count


@implements(rules.scores, Interpreting)
def _(game: Any, state: Any, out: Any) -> None:
    for seat in range(game.sizes[0]):
        out[seat] = state[1 + seat] / 100.0
