"""Grounding: from rules with variables to rules without, by clingo (Gebser et al.), within limits of time and memory.

The rules are first taken apart where that makes them narrower: a variable that only some conditions share needs no join with the others.
Then clingo finds all propositions and moves that could ever be reached, and grounds the rules with these as its facts.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.games.gdl.closures import by_single_steps
from ludus.games.gdl.kif import Term, variables
from ludus.games.gdl.rules import Literal, Rule
from ludus.games.gdl.sheet import Sheet
from ludus.system import HAS_LIMITS, own_limits

MAX_ATOMS = 2_000_000  # propositions and moves together
MAX_EFFORT = 50_000_000  # steps, roughly, to take rules apart: some seconds
MAX_OUTPUT = 1_500_000_000  # bytes of ground rules

TOO_MANY_ATOMS, OUT_OF_MEMORY = 3, 4  # exit codes of the grounder

OUTPUTS = (("init", 1), ("legal", 2), ("next", 1), ("goal", 2), ("terminal", 0), ("sees", 2))
_WORDS = {
    "true": "t",
    "does": "d",
    "init": "init",
    "legal": "legal",
    "next": "next",
    "goal": "goal",
    "terminal": "terminal",
    "sees": "sees",
}


class TooLargeError(LudusError):
    """The limits do not allow to ground a sheet; it can still be played by the interpreter."""


class Limits(NamedTuple):
    """How much a sheet may cost."""

    seconds: float  # of processor time, so that a busy machine changes nothing
    megabytes: int


def ground(sheet: Sheet, limits: Limits) -> tuple[bytes, Names]:
    """The ground rules of a sheet as clingo writes them (ASPIF), and what its names stand for."""
    names = Names()
    rules = prepared(sheet)
    dynamic = sheet.dynamic | {rule.relation for rule in rules if rule.relation[0].startswith(PART)}
    relaxed = [_asp(_relaxed(rule, dynamic), names) for rule in rules]
    relaxed += ["t(X) :- init(X).", "t(X) :- next(X).", "d(R,M) :- legal(R,M)."]
    exact = [_asp(rule, names) for rule in rules] + [f"#show {w}/{n}." for w, n in (("t", 1), ("d", 2), *OUTPUTS)]
    return _run("\n".join(relaxed) + "\0" + "\n".join(exact) + "\n", limits), names


def prepared(sheet: Sheet) -> list[Rule]:
    """The rules on which anything in a game depends, in a form that is quick to evaluate."""
    return narrower(by_single_steps(needed(sheet), _part))


def needed(sheet: Sheet) -> list[Rule]:
    """The rules on which anything in a game depends."""
    by_head: dict[tuple[str, int], list[Rule]] = {}
    for rule in sheet.rules:
        by_head.setdefault(rule.relation, []).append(rule)
    found, fresh = set(OUTPUTS), list(OUTPUTS)
    while fresh:
        for rule in by_head.get(fresh.pop(), ()):
            for literal in rule.body:
                if literal.relation not in found:
                    found.add(literal.relation)
                    fresh.append(literal.relation)
    return [rule for rule in sheet.rules if rule.relation in found]


# --- narrower rules --------------------------------------------------------------------------------------------------

_fresh = iter(range(1 << 62))
PART = " "  # begins the names of relations that are made here: no name of a sheet has a blank


def _part() -> str:
    return f"{PART}{next(_fresh)}"


def narrower(rules: list[Rule]) -> list[Rule]:
    """Rules, each taken apart where that is of use and can be found out without much ado."""
    made, effort = [], MAX_EFFORT
    for rule in rules:
        width = len({v for literal in rule.body for v in variables(literal.atom)})
        cost = width * len(rule.body) ** 2
        if cost > effort:
            made.append(rule)
        else:
            effort -= cost
            made += split(rule)
    return made


def split(rule: Rule) -> list[Rule]:
    """A rule as several, none of which joins more than it must.

    >>> wide = Rule(("h", "?x"), (Literal(("a", "?x", "?y")), Literal(("b", "?y")), Literal(("c", "?z"))), 1)
    >>> [len(r.body) for r in split(wide)]
    [1, 3]
    """
    made: list[Rule] = []
    body = list(rule.body)
    costs: dict[Literal, int] = {}  # of conditions that stand for several
    while len(body) > 2:
        group = _narrowest(rule.head, body, costs)
        if group is None:
            break
        rest = [literal for literal in body if literal not in group]
        outside = set(variables(rule.head)).union(*(variables(literal.atom) for literal in rest))
        inside = dict.fromkeys(v for literal in group for v in variables(literal.atom))
        atom = (_part(), *(v for v in inside if v in outside))
        made.append(Rule(atom, tuple(group), rule.line))
        body = [*rest, Literal(atom)]
        costs[body[-1]] = _cost(set(inside), group, costs)
    return [*made, Rule(rule.head, tuple(body), rule.line)]


def _cost(wanted: set[str], literals: list[Literal], costs: dict[Literal, int]) -> int:
    """How many conditions it takes to give some variables their values: the number of rows is at most the product of theirs."""
    given = [(costs.get(lit, 1), set(variables(lit.atom))) for lit in literals if lit.positive]
    cost = 0
    while wanted:
        price, vs = max(given, key=lambda one: len(one[1] & wanted) / one[0])
        if not vs & wanted:
            break
        cost += price
        wanted = wanted - vs
    return cost


def _narrowest(head: tuple, body: list[Literal], costs: dict[Literal, int]) -> list[Literal] | None:
    """The literals that can be joined on their own, with the fewest variables, to be rid of a variable of the rule. They must cost less than all
    do together: what is left out may be just what keeps the number of rows small.
    """
    of = [set(variables(literal.atom)) for literal in body]
    everything = set().union(*of)
    best: list[Literal] | None = None
    fewest, whole = len(everything), _cost(everything, body, costs)
    for variable in sorted(everything - set(variables(head))):
        union = set().union(*(vs for vs in of if variable in vs))
        while len(union) < fewest:
            # What lies within is joined too; a variable of a negated literal needs a literal that gives it a value.
            chosen = [i for i, vs in enumerate(of) if vs <= union and vs]
            bound = set().union(*(of[i] for i in chosen if body[i].positive))
            if bound >= union:
                group = [body[i] for i in chosen]
                if len(chosen) < len(body) and _cost(union, group, costs) < whole:
                    best, fewest = group, len(union)
                break
            giving = [vs | union for i, vs in enumerate(of) if body[i].positive and vs & (union - bound)]
            if not giving:
                break
            union = min(giving, key=len)
    return best


def _relaxed(rule: Rule, dynamic: set[tuple[str, int]]) -> Rule:
    """A rule without the conditions that a state or a move may break."""
    return rule._replace(
        body=tuple(literal for literal in rule.body if literal.positive or literal.relation not in dynamic)
    )


# --- clingo's language -----------------------------------------------------------------------------------------------


class Names:
    """Names that clingo can read for symbols of any kind, and back."""

    def __init__(self) -> None:
        self.symbols: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, symbol: str) -> int:
        """The number of a symbol."""
        if symbol not in self._numbers:
            self._numbers[symbol] = len(self.symbols)
            self.symbols.append(symbol)
        return self._numbers[symbol]

    def term(self, term: Term, renamed: dict[str, str]) -> str:
        """A term for clingo."""
        if isinstance(term, str):
            if term.startswith("?"):
                return renamed.setdefault(term, f"V{len(renamed)}")
            return f"c{self.number(term)}"
        return f"f{self.number(term[0])}({','.join(self.term(part, renamed) for part in term[1:])})"

    def read(self, text: str) -> tuple:
        """The atom that clingo wrote, as a term.

        >>> names = Names()
        >>> names.read("legal(" + names.term("x", {}) + "," + names.term(("mark", "1"), {}) + ")")
        ('legal', 'x', ('mark', '1'))
        """
        stack: list[list] = [[]]
        for word, bracket in _parts.findall(text):
            if word:
                stack[-1].append(word)
            elif bracket == "(":
                stack.append([stack[-1].pop()])
            elif bracket == ")":
                stack[-2].append(stack.pop())
        return self._meaning(stack[0][0], True)  # type: ignore[return-value]

    def _meaning(self, part: str | list, is_atom: bool = False) -> Term:
        if isinstance(part, list):
            name = part[0] if is_atom else self.symbols[int(part[0][1:])]
            return (name, *(self._meaning(p) for p in part[1:]))
        return (part,) if is_atom else self.symbols[int(part[1:])]


_parts = re.compile(r"([a-z0-9]+)|([(),])")


def _asp(rule: Rule, names: Names) -> str:
    renamed: dict[str, str] = {}

    def atom(parts: tuple) -> str:
        arguments = ",".join(names.term(part, renamed) for part in parts[1:])
        word = _WORDS.get(parts[0]) or (
            f"s{parts[0][1:]}" if parts[0].startswith(PART) else f"r{names.number(parts[0])}"
        )
        return f"{word}({arguments})" if arguments else word

    conditions = []
    for literal in rule.body:
        if literal.is_equation:
            conditions.append(f"{names.term(literal.atom[1], renamed)} != {names.term(literal.atom[2], renamed)}")
        else:
            conditions.append(("" if literal.positive else "not ") + atom(literal.atom))
    return f"{atom(rule.head)} :- {', '.join(conditions)}." if conditions else f"{atom(rule.head)}."


# --- the process -----------------------------------------------------------------------------------------------------


def _run(program: str, limits: Limits) -> bytes:
    given = _given(limits)
    child = Path(__file__).with_name("ground_child.py")
    command = [sys.executable, "-I", str(child), str(given.megabytes), str(MAX_ATOMS), str(math.ceil(given.seconds))]
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as result, tempfile.TemporaryFile() as errors:
        source.write(program.encode())
        source.seek(0)
        process = subprocess.Popen(command, stdin=source, stdout=result, stderr=errors)
        try:
            end = _wait(process, result.fileno(), given.seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
        if end == 0:
            result.seek(0)
            return result.read()
        errors.seek(0)
        raise TooLargeError(_reason(end, limits, given, errors.read(100_000).decode(errors="replace")))


def _given(limits: Limits) -> Limits:
    """The limits of the grounder: it can't have more than this process has itself."""
    seconds, size = own_limits()
    return Limits(
        min(limits.seconds, 1e6 if seconds is None else seconds),
        limits.megabytes if size is None else min(limits.megabytes, size >> 20),
    )


def _reason(end: int | str, limits: Limits, given: Limits, said: str) -> str:
    """Why there are no ground rules, from how the grounder ended and the last that it said."""
    lacks_memory = end == OUT_OF_MEMORY or re.search("bad_alloc|MemoryError|Cannot allocate|failed to map", said)
    if end == "time":
        own = ", which is all that this process may use (ulimit -t)" * (given.seconds < limits.seconds)
        return f"grounding takes more than {given.seconds:g} seconds of processor time{own}"
    if end == "late":
        return f"grounding was not done after {_patience(given.seconds):g} seconds on a busy machine"
    if end == "size":
        return "there are too many ground rules"
    if end == TOO_MANY_ATOMS:
        return f"there are more than {MAX_ATOMS:,} propositions and moves"
    if lacks_memory:
        own = ", which is all that this process may use (ulimit -v)" * (given.megabytes < limits.megabytes)
        return f"grounding takes more than {given.megabytes:,} MB of memory{own}"
    last = " ".join(said.strip().splitlines()[-1:])[:200]
    how = f"was ended by signal {-end}" if isinstance(end, int) and end < 0 else f"ended with code {end}"
    return f"the grounder {how}{': ' + last if last else ''}"


def _patience(seconds: float) -> float:
    """How long to wait for so much processor time: a busy machine must not change how a game is played."""
    return 5 * seconds + 30


def _end_of(process: subprocess.Popen, seconds: float) -> int | str | None:
    """The exit code of the grounder, or "time" if it came to its limit; None while it works."""
    if not HAS_LIMITS:  # where the clock alone can stop it
        return process.poll()
    number, status, used = os.wait4(process.pid, os.WNOHANG)
    if not number:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    # The system asks it to end at the limit, and ends it a little later.
    is_slow = process.returncode == -signal.SIGKILL and used.ru_utime + used.ru_stime > seconds
    return "time" if is_slow or process.returncode == -signal.SIGXCPU else process.returncode


def _wait(process: subprocess.Popen, output: int, seconds: float) -> int | str:
    """The exit code of the grounder, or why it had to be stopped."""
    begun, pause = time.monotonic(), 0.001
    while True:
        if (end := _end_of(process, seconds)) is not None:
            return end
        if time.monotonic() - begun > _patience(seconds):
            return "late"
        if os.fstat(output).st_size > MAX_OUTPUT:
            return "size"
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
