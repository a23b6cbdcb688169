"""Rules as Python functions: in which order the conditions of a rule are asked, and the code that asks them.

A rule is written once for each pattern of calls, that is for each set of columns of its head whose values the caller knows. What the functions ask, and
what is remembered of the answers, is the matter of `datalog.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from ludus.errors import LudusError
from ludus.games.gdl.kif import Term, bounded, variables
from ludus.games.gdl.rules import Literal, Rule

MAX_CONDITIONS = 100  # of a rule: Python allows so many levels of indentation
MAX_LOOPS = 15  # within each other, in one Python function: Python allows 20

Key = tuple[str, int]


class Pattern(NamedTuple):
    """A way to ask about a relation: the columns that are known, and those whose values are wanted."""

    relation: Key
    known: tuple[int, ...]
    wanted: tuple[int, ...]


class Guess(NamedTuple):
    """How many answers a question has, and how many steps it takes to find them, roughly."""

    rows: float
    steps: float


class Asked(Protocol):
    """What the code of a rule must know about the relations it asks."""

    def number(self, pattern: Pattern) -> int:
        """A number that stands for a pattern."""

    def is_stored(self, relation: Key) -> bool:
        """Whether all rows of the relation are there, once it is asked for."""

    def is_dear(self, relation: Key) -> bool:
        """Whether it takes time to fetch the relation."""

    def guess(self, relation: Key, known: tuple[int, ...], depth: int) -> Guess:
        """What to expect of a question, to be asked in the midst of so many others."""


def known_columns(atom: tuple, names: Iterable[str]) -> tuple[int, ...]:
    """The columns of an atom in which there is no variable but these.

    >>> known_columns(("r", "?x", ("f", "a"), ("g", "?x", "?y")), {"?x"})
    (0, 1)
    """
    given = set(names)
    return tuple(i for i, a in enumerate(atom[1:]) if given.issuperset(variables(a)))


def order(body: Sequence[Literal], names: Iterable[str], asked: Asked, depth: int) -> tuple[list[Literal], Guess]:
    """The conditions in the order in which they are asked when some variables are known: those with few answers first."""
    if len(body) > MAX_CONDITIONS:
        raise LudusError(
            f"a rule has {len(body):,} conditions; with more than {MAX_CONDITIONS} it can't be interpreted"
        )
    bound, rest = set(names), list(body)
    done: list[Literal] = []
    rows, steps = 1.0, 1.0
    while rest:
        best, found, score = rest[0], Guess(0.5, 0.0), float("inf")
        for literal in rest:
            columns = known_columns(literal.atom, bound)
            whole = len(columns) == len(literal.atom) - 1
            if not literal.positive and not whole:
                continue
            guess = Guess(0.0, 0.0) if literal.is_equation else asked.guess(literal.relation, columns, depth)
            if whole:
                guess = Guess(min(guess.rows, 0.5), guess.steps)
            value = guess.rows + 0.001 * guess.steps
            if bound and literal.positive and bound.isdisjoint(variables(literal.atom)):
                value *= 4.0  # what has to do with the rest is asked about the rest: guesses are often too high there
            if value < score:
                best, found, score = literal, guess, value
        rest.remove(best)
        done.append(best)
        bound.update(variables(best.atom))
        steps = min(steps + rows * (1.0 + found.steps), 1e12)
        rows = min(rows * (found.rows if best.positive else 0.9), 1e12)
    return done, Guess(rows, steps)


class _Writer:
    """Writes `found(memory, key, fresh, changes, ticks, check)`: puts the wanted columns of each row that follows into `fresh`; where nothing but
    whether there is a row is wanted, it returns True as soon as there is.
    """

    def __init__(self, rule: Rule, pattern: Pattern, asked: Asked) -> None:
        self.rule, self.pattern, self.asked = rule, pattern, asked
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[str, str] = {}
        self.loops = 0
        self.ends: list[str] = []  # lines that belong after all others, from the outside in
        self.used: dict[int, None] = {}
        # What to do once a row is found and all that could follow are the same; None as long as others can follow.
        self.leave: str | None = None if pattern.wanted else "return True"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def end(self, *texts: str) -> None:
        self.ends.append("\n".join("    " * self.depth + text for text in texts))

    def condition(self, conditions: list[str]) -> None:
        if conditions:
            self.line(f"if {' and '.join(conditions)}:")
            self.depth += 1

    def value(self, term: Term) -> str:
        """An expression for a term whose variables are all known."""
        if isinstance(term, str):
            return self.names[term] if term.startswith("?") else repr(term)
        return self.row(term)

    def row(self, terms: Iterable[Term]) -> str:
        return f"({''.join(self.value(t) + ', ' for t in terms)})"

    def made(self, term: Term) -> str:
        """An expression for a term of the head. What is put together from terms that are put together already may grow without end."""
        written = self.value(term)
        inside = dict.fromkeys(self.names[v] for v in variables(term))
        if isinstance(term, str) or not inside:
            return written
        return f"({written} if {' and '.join(f'type({name}) is str' for name in inside)} else bounded({written}))"

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

    def memory(self, pattern: Pattern, positive: bool = True) -> str:
        number = self.asked.number(pattern)
        if self.asked.is_dear(pattern.relation):  # to be fetched only if the function gets that far
            return f"memory[{number if positive else ~number}]"
        self.used[number] = None
        return f"m{number}"

    def holds(self, literal: Literal) -> None:
        """A condition in which everything is known."""
        terms, no = literal.atom[1:], "" if literal.positive else "not "
        if literal.is_equation:
            self.line(f"if {self.value(terms[0])} {'==' if literal.positive else '!='} {self.value(terms[1])}:")
        else:
            place = self.memory(Pattern(literal.relation, tuple(range(len(terms))), ()), literal.positive)
            if self.asked.is_stored(literal.relation) and not self.asked.is_dear(literal.relation):
                self.line(f"if {self.row(terms)} {no}in {place}:")
            else:
                self.line(f"if {no}{place}[{self.row(terms)}]:")
        self.depth += 1

    def join(self, literal: Literal, later: set[str], changes: bool) -> None:
        """A condition that gives values to variables; `later` are those that are still of use."""
        terms = literal.atom[1:]
        columns = () if changes else known_columns(literal.atom, self.names)
        wanted = tuple(
            i for i, t in enumerate(terms) if i not in columns and (changes or self._matters(t, i, terms, later))
        )
        if not changes:
            place = self.memory(Pattern(literal.relation, columns, wanted)) + f"[{self.row(terms[c] for c in columns)}]"
            if not wanted:
                self.line(f"if {place}:")
                self.depth += 1
                return
        else:
            place = "changes"
        if self.leave is None and all(self.known(self.rule.head[1 + c]) for c in self.pattern.wanted):
            # Whatever is found from here on is the same row: the first will do.
            self.line(f"if {self.row(self.rule.head[1 + c] for c in self.pattern.wanted)} not in fresh:")
            self.depth += 1
            opened = True
        else:
            opened = False
        if self.loops and self.loops % MAX_LOOPS == 0:
            name = f"more{self.loops}"
            self.end(f"if {name}(): {self.leave}" if self.leave else f"{name}()")
            self.leave = self.leave and "return True"
            self.line(f"def {name}():")
            self.depth += 1
        if self.loops:
            self.line(f"rows = {place}")
            self.line("ticks[0] -= 1 + len(rows)")
            self.line("if ticks[0] < 0: check(len(fresh))")
            place = "rows"
        if self.leave == "break":
            self.end("else: continue", "break")
        elif opened:
            self.leave = "break"
        parts = [f"x{self.loops}_{i}" for i in wanted]
        self.line(f"for {', '.join(parts)}, in {place}:" if parts else f"for _ in {place}:")
        self.loops += 1
        self.depth += 1
        conditions: list[str] = []
        for i, part in zip(wanted, parts, strict=True):
            conditions += self.take_apart(terms[i], part)
        self.condition(conditions)

    def _matters(self, term: Term, column: int, terms: tuple, later: set[str]) -> bool:
        """Whether the value in a column is of use: it must be fit to a pattern, or is asked for again."""
        if isinstance(term, tuple):
            return True
        return term in later or any(term in variables(t) for i, t in enumerate(terms) if i != column)

    def write(self, first: Literal | None) -> str:
        head, pattern = self.rule.head, self.pattern
        conditions: list[str] = []
        for i, column in enumerate(pattern.known):
            conditions += self.take_apart(head[1 + column], f"k{i}")
        self.condition(conditions)
        needed = {v for c in pattern.wanted for v in variables(head[1 + c])}
        body = list(self.rule.body)
        begin: list[Literal] = []
        if first is not None:
            body.remove(first)
            begin = [first]
        names = {*self.names, *(variables(first.atom) if first else ())}
        todo = begin + order(body, names, self.asked, 0)[0]
        for i, literal in enumerate(todo):
            if literal is first or not self.known(literal.atom):
                later = needed.union(*(variables(other.atom) for other in todo[i + 1 :]))
                self.join(literal, later, literal is first)
            else:
                self.holds(literal)
        if pattern.wanted:
            self.line(f"fresh[({''.join(self.made(head[1 + c]) + ', ' for c in pattern.wanted)})] = None")
        if self.leave:
            self.line(self.leave)
        start = ["def found(memory, key, fresh, changes, ticks, check):"]
        if pattern.known:
            start.append(f"    {', '.join(f'k{i}' for i in range(len(pattern.known)))}, = key")
        start += [f"    m{number} = memory[{number}]" for number in self.used]
        return "\n".join([*start, *self.lines, *reversed(self.ends)])


def function(rule: Rule, pattern: Pattern, asked: Asked, first: Literal | None = None) -> Callable[..., Any]:
    """The Python function of a rule for a pattern of calls. If a condition comes `first`, the rows for it are the `changes`."""
    space: dict[str, Any] = {"bounded": bounded}
    try:
        exec(compile(_Writer(rule, pattern, asked).write(first), "<rule>", "exec"), space)
    except (SyntaxError, RecursionError, MemoryError):  # Python allows 100 levels of indentation
        raise LudusError(f"the rule on line {rule.line} has too many conditions") from None
    found: Callable[..., Any] = space["found"]
    return found
