"""The slower way to play a rulesheet: for those that are too large to ground. What follows from a state is worked out when the state is met.

Rules become small Python functions, loops over indexed sets of facts, and are evaluated from the bottom up, one group of relations that need each other after
another. Kernels reach the interpreter by a call back into Python, so that an interpreted game is a game like any other, only slow.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus import contract
from ludus.contract import CHANCE, JOINT, OVER, Facts
from ludus.errors import LudusError
from ludus.games.gdl import face
from ludus.games.gdl.grounding import OUTPUTS, needed, split
from ludus.games.gdl.kif import Term, brief, natural, variables, write
from ludus.games.gdl.rules import Literal, Rule
from ludus.games.gdl.sheet import Sheet, components, goal_value, read_sheet
from ludus.kernel import call_python, implements, python_function

MAX_NESTING = 40  # of function terms: rules that nest them deeper are taken to do so without end
MAX_FACTS = 3_000_000  # that may follow from one state
MAX_LOOPS = 15  # within each other, in one Python function: Python allows 20
SECONDS = 60.0  # for one state
MAX_MOVES = 16_384  # of a role
ROOM = 8_192  # propositions that may hold at once


class _Relation:
    """A set of rows, and those rows found by some of their columns."""

    def __init__(self) -> None:
        self.rows: dict[tuple, None] = {}  # a dictionary: its order is the same in every run
        self.indices: dict[tuple[int, ...], dict[tuple, list[tuple]]] = {}

    def add(self, row: tuple) -> bool:
        if row in self.rows:
            return False
        self.rows[row] = None
        for columns, index in self.indices.items():
            index.setdefault(tuple(row[c] for c in columns), []).append(row)
        return True

    def index(self, columns: tuple[int, ...]) -> dict[tuple, list[tuple]]:
        found = self.indices.get(columns)
        if found is None:
            found = self.indices[columns] = {}
            for row in self.rows:
                found.setdefault(tuple(row[c] for c in columns), []).append(row)
        return found


class _Clock:
    """Says when the evaluation of a state takes too long, or finds too much."""

    def __init__(self) -> None:
        self.end = float("inf")
        self.facts = 0  # found so far

    def start(self) -> None:
        self.end = time.monotonic() + SECONDS
        self.facts = 0

    def check(self, more: int = 0) -> None:
        if time.monotonic() > self.end:
            raise LudusError(f"the rules take more than {SECONDS:g} seconds to say what follows from a state")
        if self.facts + more > MAX_FACTS:
            raise LudusError(f"more than {MAX_FACTS:,} facts follow from the rules")


Key = tuple[str, int]
Store = dict[Key, _Relation]


# --- rules as Python functions ---------------------------------------------------------------------------------------


class _Writer:
    """Writes the Python function of a rule: `found(store, fresh, known, check, ticks)` puts each row of the head that follows into `fresh`, unless it
    is `known`.
    """

    def __init__(self, rule: Rule) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[str, str] = {}
        self.temporary = 0
        self.calls: list[str] = []  # of functions within the function, from the outside in
        self.rule = rule

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def value(self, term: Term) -> str:
        """An expression for a term whose variables are all known."""
        if isinstance(term, str):
            return self.names[term] if term.startswith("?") else repr(term)
        return f"({', '.join(self.value(part) for part in term)},)"

    def known(self, term: Term) -> bool:
        return all(v in self.names for v in variables(term))

    def take_apart(self, term: Term, source: str) -> list[str]:
        """Conditions under which a ground term fits a pattern; variables that are new get their values from it."""
        if isinstance(term, str) and term.startswith("?") and term not in self.names:
            self.names[term] = source
            return []
        if self.known(term):
            return [f"{source} == {self.value(term)}"]
        assert isinstance(term, tuple)
        conditions = [f"type({source}) is tuple and len({source}) == {len(term)} and {source}[0] == {term[0]!r}"]
        for i, part in enumerate(term[1:], 1):
            conditions += self.take_apart(part, f"{source}[{i}]")
        return conditions

    def join(self, literal: Literal) -> None:
        arguments = literal.atom[1:]
        columns = tuple(i for i, a in enumerate(arguments) if self.known(a))
        key = f"store[{literal.relation!r}]"
        if len(columns) == len(arguments):
            self.line(f"if ({''.join(self.value(a) + ', ' for a in arguments)}) in {key}.rows:")
            self.depth += 1
            return
        if self.temporary and self.temporary % MAX_LOOPS == 0:
            name = f"more{self.temporary}"
            self.calls.append("    " * self.depth + f"{name}()")
            self.line(f"def {name}():")
            self.depth += 1
        row = f"row{self.temporary}"
        self.temporary += 1
        if columns:
            wanted = "".join(self.value(arguments[c]) + ", " for c in columns)
            self.line(f"for {row} in {key}.index({columns!r}).get(({wanted}), ()):")
        else:
            self.line(f"for {row} in list({key}.rows):")
        self.depth += 1
        self.line("ticks[0] += 1")
        self.line("if not ticks[0] & 0xFFFF: check(len(fresh))")
        conditions: list[str] = []
        for i, argument in enumerate(arguments):
            if i not in columns:
                conditions += self.take_apart(argument, f"{row}[{i}]")
        if conditions:
            self.line(f"if {' and '.join(conditions)}:")
            self.depth += 1

    def reject(self, literal: Literal) -> None:
        a, b = (self.value(t) for t in literal.atom[1:]) if literal.is_equation else ("", "")
        if literal.is_equation:
            self.line(f"if {a} != {b}:")
        else:
            row = "".join(self.value(t) + ", " for t in literal.atom[1:])
            self.line(f"if ({row}) not in store[{literal.relation!r}].rows:")
        self.depth += 1

    def write(self) -> str:
        rest = list(self.rule.body)
        while rest:
            ready = [lit for lit in rest if not lit.positive and self.known(lit.atom)]
            if ready:
                self.reject(ready[0])
                rest.remove(ready[0])
                continue
            # The condition of which most is known comes first, small sets before large ones.
            best = min(
                (lit for lit in rest if lit.positive),
                key=lambda lit: (
                    not self.known(lit.atom),
                    -sum(self.known(a) for a in lit.atom[1:]) / max(len(lit.atom) - 1, 1),
                    len({v for v in variables(lit.atom) if v not in self.names}),
                ),
            )
            self.join(best)
            rest.remove(best)
        self.line(f"row = ({''.join(self.value(a) + ', ' for a in self.rule.head[1:])})")
        self.line("if row not in known: fresh[row] = None")
        return "def found(store, fresh, known, check, ticks):\n" + "\n".join([*self.lines, *reversed(self.calls)])


def _function(rule: Rule) -> Callable[..., None]:
    space: dict[str, Any] = {}
    try:
        exec(compile(_Writer(rule).write(), "<rule>", "exec"), space)
    except SyntaxError:  # Python allows 100 levels of indentation
        raise LudusError(f"the rule on line {rule.line} has too many conditions") from None
    return space["found"]


class _Group:
    """Relations that need each other, with their rules."""

    def __init__(self, relations: set[Key], rules: list[Rule]) -> None:
        self.relations = relations
        self.rules = [
            (rule.relation, _function(rule), any(isinstance(a, tuple) for a in rule.head[1:])) for rule in rules
        ]
        self.recursive = any(lit.relation in relations for rule in rules for lit in rule.body)

    def evaluate(self, store: Store, clock: _Clock) -> None:
        """Add all that follows to the store."""
        ticks = [0]
        while True:
            changed = False
            for relation, function, nests in self.rules:
                target = store[relation]
                fresh: dict[tuple, None] = {}
                function(store, fresh, target.rows, clock.check, ticks)
                clock.check(len(fresh))
                clock.facts += len(fresh)
                for row in fresh:
                    target.add(row)
                    changed = True
                    if nests and self.recursive and _nesting(row) > MAX_NESTING:
                        raise LudusError(f"the rules for '{relation[0]}' nest terms without end")
            clock.check()
            if not (changed and self.recursive):
                return


def _nesting(term: Term) -> int:
    return 0 if isinstance(term, str) else 1 + max((_nesting(part) for part in term), default=0)


# --- states ----------------------------------------------------------------------------------------------------------


class Machine:
    """A rulesheet at work on sets of terms."""

    def __init__(self, sheet: Sheet) -> None:
        self.roles = sheet.roles
        rules = [part for rule in needed(sheet) for part in split(rule)]
        graph: dict[Key, list[Key]] = {key: [] for key in OUTPUTS}
        for rule in rules:
            here = graph.setdefault(rule.relation, [])
            for literal in rule.body:
                if not literal.is_equation:
                    here.append(literal.relation)
                    graph.setdefault(literal.relation, [])
        self.relations = list(graph)
        self.clock = _Clock()
        self.groups: list[_Group] = []
        self.group_of: dict[Key, int] = {}
        self.needs: list[set[int]] = []  # all groups that a group needs, itself among them
        moved: list[bool] = []
        timely: list[bool] = []
        for number, relations in enumerate(components(graph)):
            group = _Group(relations, [rule for rule in rules if rule.relation in relations])
            before = {self.group_of[k] for r in relations for k in graph[r] if k in self.group_of}
            for relation in relations:
                self.group_of[relation] = number
            self.groups.append(group)
            self.needs.append({number}.union(*(self.needs[b] for b in before)))
            moved.append(("does", 2) in relations or any(moved[b] for b in before))
            timely.append(("true", 1) in relations or ("does", 2) in relations or any(timely[b] for b in before))
        self.static = self._new_store()
        self.clock.start()
        for number, group in enumerate(self.groups):
            if not timely[number]:
                group.evaluate(self.static, self.clock)
        self.timely = timely
        self.moved = moved

    def _new_store(self) -> Store:
        return {key: _Relation() for key in (*self.relations, ("true", 1), ("does", 2))}

    def _evaluate(self, store: Store, done: set[int], wanted: Key) -> _Relation:
        self.clock.start()
        for number in sorted(self.needs[self.group_of[wanted]]):
            if self.timely[number] and number not in done:
                self.groups[number].evaluate(store, self.clock)
                done.add(number)
        return store[wanted]

    def initial(self) -> frozenset:
        """The first state."""
        return frozenset(row[0] for row in self.static[("init", 1)].rows)

    def look(self, state: frozenset) -> _Look:
        """A state, ready to be asked about."""
        store = {key: _Relation() if self.timely[self.group_of[key]] else self.static[key] for key in self.relations}
        store[("true", 1)] = _Relation()
        store[("does", 2)] = _Relation()
        for term in sorted(state, key=write):
            store[("true", 1)].add((term,))
        return _Look(self, store)


class _Look:
    """One state, and what was found out about it so far."""

    def __init__(self, machine: Machine, store: Store) -> None:
        self.machine, self.store = machine, store
        self.done: set[int] = set()

    def ask(self, relation: Key) -> list[tuple]:
        """The rows of a relation that hold in this state."""
        return list(self.machine._evaluate(self.store, self.done, relation).rows)

    def following(self, joint: Sequence[Term]) -> frozenset:
        """The state after the moves of all roles."""
        # What depends on the moves is worked out for these moves only.
        machine, done = self.machine, set(self.done)
        store = self.store | {("does", 2): _Relation()}
        for number, group in enumerate(machine.groups):
            if machine.moved[number]:
                store.update((relation, _Relation()) for relation in group.relations)
        for role, move in zip(machine.roles, joint, strict=True):
            store[("does", 2)].add((role, move))
        rows = machine._evaluate(store, done, ("next", 1)).rows
        self.done.update(number for number in done if not machine.moved[number])
        return frozenset(row[0] for row in rows)


# --- the game --------------------------------------------------------------------------------------------------------
# A state: whose turn, goals by seat, moves by role that are fixed already (or -1), how many propositions, their numbers

TURN = 0


class _Interpreting(NamedTuple):
    sheet: np.ndarray
    sizes: np.ndarray  # seats, roles, role of chance or -1, number of the function that kernels call


class Interpreted(face.Face, _Interpreting):
    """A game whose rules came as a rulesheet, and are interpreted."""

    __slots__ = ()
    fleeting = True  # states and moves are numbered as they are met, otherwise in each process

    def __reduce__(self) -> Any:  # another process has another interpreter
        known = face.info(self)
        return _again, (known.name, known.origin, known.source)

    @property
    def facts(self) -> Facts:
        seats, roles, luck, _ = self.sizes.tolist()
        return self._facts(seats, 2 + seats + roles + ROOM, MAX_MOVES, MAX_MOVES if luck >= 0 else 0)

    def _referee(self) -> Referee:
        return _referees[face.info(self).digest]

    def fluents(self, state: np.ndarray) -> list[str]:
        # In an order that does not depend on what was played before: texts are compared, and go to other processes.
        return sorted((write(t) for t in self._referee().fluents(state)), key=natural)

    def fixed(self, state: np.ndarray) -> list[tuple[str, str]]:
        seats = int(self.sizes[0])
        moves = state[1 + seats : 1 + seats + len(self.roles)].tolist()
        return [(role, self.move_text(state, m)) for role, m in zip(self.roles, moves, strict=True) if m >= 0]

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or what chance chose, as the sheet writes it."""
        return self._referee().move_texts[move]

    def legal(self, state: np.ndarray) -> list[list[str]]:
        referee = self._referee()
        return [[referee.move_texts[m] for m in codes] for codes in referee.legal(state)]

    def goals(self, state: np.ndarray) -> list[int]:
        super().goals(state)  # or an error
        return self._referee().goals(state)

    def advance(self, state: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        referee, after = self._referee(), state.copy()
        self._check_count(texts)
        for r, codes in enumerate(referee.legal(state)):
            move = face.match(self.roles[r], texts[r], {referee.move_texts[m]: m for m in codes})
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


class Referee:
    """Keeps the numbers that stand for terms, and answers what kernels ask; from any thread, one at a time."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.number = python_function(self.answer)
        self.lock = threading.RLock()
        self.roles = machine.roles
        self.seats = [r for r, role in enumerate(self.roles) if role != "random"]
        self.luck = self.roles.index("random") if "random" in self.roles else -1
        self.terms: list[Term] = []
        self.numbers: dict[Term, int] = {}
        self.moves: list[Term] = []
        self.move_texts: list[str] = []
        self.move_numbers: dict[Term, int] = {}
        self.looks: dict[bytes, tuple[_Look, list[list[int]]]] = {}
        self.begin = 1 + len(self.seats) + len(self.roles)

    def fluents(self, state: np.ndarray) -> list[Term]:
        count = int(state[self.begin])
        return [self.terms[i] for i in state[self.begin + 1 : self.begin + 1 + count].tolist()]

    def set_fluents(self, state: np.ndarray, fluents: frozenset) -> None:
        if len(fluents) > ROOM:
            raise LudusError(f"more than {ROOM:,} propositions hold at once")
        with self.lock:
            for term in sorted(fluents, key=write):
                if term not in self.numbers:
                    if _nesting(term) > MAX_NESTING:
                        raise LudusError("the rules nest the terms of the state without end")
                    self.numbers[term] = len(self.terms)
                    self.terms.append(term)
        state[self.begin :] = 0
        state[self.begin] = len(fluents)
        state[self.begin + 1 : self.begin + 1 + len(fluents)] = sorted(self.numbers[t] for t in fluents)

    def _look(self, state: np.ndarray) -> tuple[_Look, list[list[int]]]:
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
                if term not in self.move_numbers:
                    self.move_numbers[term] = len(self.moves)
                    self.moves.append(term)
                    self.move_texts.append(write(term))
            if len(own) > MAX_MOVES:
                raise LudusError(f"{role} has more than {MAX_MOVES:,} legal moves")
            legal.append([self.move_numbers[t] for t in own])
        if len(self.looks) >= 256:
            self.looks.pop(next(iter(self.looks)))
        self.looks[key] = look, legal
        return self.looks[key]

    def legal(self, state: np.ndarray) -> list[list[int]]:
        """The legal moves of each role."""
        with self.lock:
            return self._look(state)[1]

    def goals(self, state: np.ndarray) -> list[int]:
        """The goal of each role."""
        out = [0] * len(self.roles)
        for role, term in self._look(state)[0].ask(("goal", 2)):
            value = goal_value(term)
            if value is None:
                raise LudusError(f"a goal must be a number from 0 to 100, but for {role} it is {write(term)}")
            if role in self.roles:
                out[self.roles.index(role)] = value
        return out

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
        elif self.luck >= 0 and len(legal[self.luck]) > 1:
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

    def go_on(self, state: np.ndarray) -> None:
        """The moves of all seats are fixed: carry them out, unless chance has a choice of its own."""
        if self.luck >= 0 and state[TURN] != CHANCE and len(self.legal(state)[self.luck]) > 1:
            state[TURN] = CHANCE
        else:
            self.carry_out(state)

    def answer(self, word: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
        """What a kernel asked for. A game that can't go on is over: kernels know no other way."""
        try:
            return self._answer(word, state, number, other)
        except (LudusError, MemoryError, RecursionError) as error:
            warnings.warn(f"the game ends without a result: {error or 'it needs too much memory'}", stacklevel=1)
            state[TURN] = OVER
            return 0

    def _answer(self, word: int, state: np.ndarray, number: int, other: np.ndarray) -> int:
        """The words of the contract by number."""
        if word == START:
            self.set_fluents(state, self.machine.initial())
            self.complete(state)
        elif word == LIST:
            legal = self.legal(state)[self.seats[number] if number >= 0 else self.luck]
            other[: len(legal)] = legal
            return len(legal)
        elif word == PLAY:
            role = self.luck if state[TURN] == CHANCE else self.seats[int(state[TURN])]
            state[1 + len(self.seats) + role] = number
            self.go_on(state)
        else:
            for seat, role in enumerate(self.seats):
                state[1 + len(self.seats) + role] = other[seat]
            self.go_on(state)
        return 0


START, LIST, PLAY, PLAY_JOINT = range(4)
_referees: dict[str, Referee] = {}


def interpret(sheet: Sheet, name: str, origin: str, source: str) -> Interpreted:
    """The game of a sheet; LudusError if not even its first states can be worked out."""
    if sheet.tangle:
        raise LudusError(sheet.tangle)
    try:
        digest = face.digest(source)
        # Equal games have one referee: the numbers in their states must mean the same.
        referee = _referees.get(digest) or Referee(Machine(sheet))
        sheet_array = face.pack(name, origin, sheet.roles, source, [], [])
        sizes = np.array([len(referee.seats), len(sheet.roles), referee.luck, referee.number], np.int64)
        game = Interpreted(sheet_array, sizes)
        state = np.zeros(game.facts.state_size, np.int64)
        referee.set_fluents(state, referee.machine.initial())
        referee.complete(state)
        _referees[digest] = referee
        return game
    except (LudusError, MemoryError, RecursionError) as error:
        raise LudusError(f"{name} can't be played: {error or 'it needs too much memory'}") from None


def _again(name: str, origin: str, source: str) -> Interpreted:
    return interpret(read_sheet(source, name), name, origin, source)


@implements(contract.start, Interpreted)
def _(game: Any, state: Any) -> None:
    call_python(game.sizes[3], START, state, 0, state)


@implements(contract.turn, Interpreted)
def _(game: Any, state: Any) -> int:
    return state[TURN]


@implements(contract.moves, Interpreted)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    return call_python(game.sizes[3], LIST, state, seat, out)


@implements(contract.play, Interpreted)
def _(game: Any, state: Any, move: int) -> None:
    call_python(game.sizes[3], PLAY, state, move, state)


@implements(contract.play_joint, Interpreted)
def _(game: Any, state: Any, joint: Any) -> None:
    call_python(game.sizes[3], PLAY_JOINT, state, 0, joint)


@implements(contract.chances, Interpreted)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    if game.sizes[2] < 0:
        return 0
    count = call_python(game.sizes[3], LIST, state, -1, outcomes)
    for i in range(count):
        probabilities[i] = 1.0 / count
    return count


@implements(contract.scores, Interpreted)
def _(game: Any, state: Any, out: Any) -> None:
    for seat in range(game.sizes[0]):
        out[seat] = state[1 + seat] / 100.0
