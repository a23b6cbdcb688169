"""Rulesheets that are small enough to be worked out exactly, and a strategy that writes random ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

# All kinds of states: both call while the coin is in the air, then one calls, then the coin is tossed for nobody.
COINS = """
(role a) (role random) (role b)
(coin heads) (coin tails)
(init (round 1))
(<= (next (round 2)) (true (round 1)))
(<= (next (round 3)) (true (round 2)))
(<= (next (round 4)) (true (round 3)))
(<= (legal random (toss ?c)) (coin ?c) (not (true (round 4))))
(<= (legal ?p (call ?c)) (calls ?p) (coin ?c))
(<= (legal ?p wait) (role ?p) (distinct ?p random) (not (calls ?p)))
(<= (calls ?p) (or (true (round 1)) (and (true (round 2)) (distinct ?p b))) (role ?p) (distinct ?p random))
(<= (next (right ?p ?n)) (true (round ?n)) (does ?p (call ?c)) (does random (toss ?c)))
(<= (next (right ?p ?n)) (true (right ?p ?n)))
(<= (next lucky) (true (round 3)) (does random (toss heads)))
(<= terminal (true (round 4)))
(<= (goal a 100) (true (right a 1)) (true (right a 2)))
(<= (goal a 40) (true (right a 1)) (not (true (right a 2))))
(<= (goal a 30) (not (true (right a 1))) (true (right a 2)) (true lucky))
(<= (goal a 0) (not (true (right a 1))) (or (not (true (right a 2))) (not (true lucky))))
(<= (goal b 75) (true (right b 1)) (true lucky))
(<= (goal b 10) (not (true (right b 1))))
(<= (goal b 0) (true (right b 1)) (not (true lucky)))
"""

# Edges of a graph are put in and taken out; what counts is what can be reached.
PATHS = """
(role builder)
(node 1) (node 2) (node 3)
(init (edge 1 2)) (init (time 0))
(tick 0 1) (tick 1 2) (tick 2 3)
(<= (legal builder (turn ?x ?y)) (node ?x) (node ?y))
(<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does builder (turn ?x ?y))))
(<= (next (edge ?x ?y)) (does builder (turn ?x ?y)) (not (true (edge ?x ?y))))
(<= (next (time ?n)) (true (time ?t)) (tick ?t ?n))
(<= (reach ?x ?y) (true (edge ?x ?y)))
(<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))
(<= circle (node ?x) (reach ?x ?x))
(<= terminal (true (time 3)))
(<= (goal builder 100) (reach 1 3) (not circle))
(<= (goal builder 30) (reach 1 3) circle)
(<= (goal builder 10) (not (reach 1 3)))
"""

# A role may be left without a move, and then the game is over as it stands. There are several goals, or none.
STUCK = """
(role a) (role b)
(init start)
(legal a left) (legal a right) (legal a on)
(<= (legal b go) (not (true stuck)))
(<= (next stuck) (does a left))
(<= (next half) (does a right))
(<= (next later) (does a on) (true start))
(<= (next half) (does a on) (true later))
(<= terminal (true half))
(<= (goal a 20) (true stuck))
(<= (goal a 70) (true stuck))
(<= (goal a 60) (true half))
(<= (goal b 50) (true half))
"""

# More moves than a word has bits, and not always the same.
PICKS = """
(role chooser) (role picker)
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(even 0) (even 2) (even 4) (even 6) (even 8)
(worth 0 0) (worth 1 10) (worth 2 20) (worth 3 30) (worth 4 40) (worth 5 50) (worth 6 60) (worth 7 70) (worth 8 80) (worth 9 100)
(init begin)
(<= (legal chooser all) (true begin))
(<= (legal chooser some) (true begin))
(<= (legal chooser few) (true begin))
(<= (legal chooser wait) (not (true begin)))
(<= (legal picker wait) (true begin))
(<= (legal picker (pick ?x ?y)) (true all) (digit ?x) (digit ?y))
(<= (legal picker (pick ?x ?y)) (true some) (digit ?x) (even ?y))
(<= (legal picker (pick ?x 9)) (true few) (even ?x))
(<= (next ?m) (does chooser ?m) (distinct ?m wait))
(<= (next (picked ?x ?y)) (does picker (pick ?x ?y)))
(<= terminal (true (picked ?x ?y)))
(<= (goal picker ?w) (true (picked ?x ?y)) (worth ?x ?w))
(<= (goal chooser ?w) (true (picked ?x ?y)) (worth ?y ?w))
"""

ALL = {"coins": COINS, "paths": PATHS, "stuck": STUCK, "picks": PICKS}

# --- random sheets ---------------------------------------------------------------------------------------------------

terms = st.sampled_from(["?x", "?x", "?y", "1", "2", "3"])


@st.composite
def fluents(draw: Any) -> str:
    a, b = draw(terms), draw(terms)
    return draw(st.sampled_from(["on", f"(p {a})", f"(p {a})", f"(q {a} {b})", f"(s (f {a}))", f"(s (g {b} {a}))"]))


@st.composite
def conditions(draw: Any, level: int, depth: int = 2) -> tuple[str, bool]:
    """A condition that needs views below `level`, or at it where nothing is negated; and whether it gives values to its variables."""
    a, b = draw(terms), draw(terms)
    kind = draw(st.sampled_from(["true", "true", "view", "view", "not", "or", "distinct", "static"]))
    if kind == "true":
        return f"(true {draw(fluents())})", True
    if kind == "view" and level >= 0:
        number = draw(st.integers(0, level))
        return f"(v{number} {a} {b})", True
    if kind == "not" and depth:
        return f"(not {draw(conditions(level - 1, depth - 1))[0]})", False
    if kind == "or" and depth:
        parts = [draw(conditions(level, depth - 1))[0] for _ in range(2)]
        return f"(or {' '.join(parts)})", False
    if kind == "distinct":
        return f"(distinct {a} {b})", False
    return f"(succ {a} {b})", True


@st.composite
def rules(draw: Any, head: str, level: int, given: tuple[str, ...] = (), least: int = 1) -> str:
    """A rule whose variables all get values: those that no condition gives any are numbers."""
    body = draw(st.lists(conditions(level), min_size=least, max_size=3))
    safe = " ".join([*given, *(text for text, binds in body if binds)])
    parts = [*given, *(text for text, _ in body)]
    whole = " ".join([head, *parts])
    parts += [f"(num {v})" for v in ("?x", "?y") if v in whole and v not in safe]
    return f"(<= {' '.join([head, *draw(st.permutations(parts))])})"


@st.composite
def sheets(draw: Any, steps: int = 4) -> str:
    """A random game: it ends after some steps at the latest; a role may be left without a move, and goals may be missing."""
    roles = ["a", "b", "c"][: draw(st.integers(1, 3))]
    if draw(st.booleans()):
        roles.insert(draw(st.integers(0, len(roles))), "random")
    lines = [f"(role {role})" for role in roles]
    lines += ["(num 1) (num 2) (num 3) (succ 1 2) (succ 2 3) (init (step 0))"]
    lines += [f"(after {i} {i + 1})" for i in range(steps)]
    lines += ["(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))", f"(<= terminal (true (step {steps})))"]
    lines += [
        f"(init {fluent})"
        for fluent in draw(st.sets(st.sampled_from(["on", "(p 1)", "(p 3)", "(q 1 2)", "(s (f 2))"])))
    ]
    top = draw(st.integers(0, 2))
    for level in range(top + 1):
        for _ in range(draw(st.integers(1, 3))):
            lines.append(draw(rules(f"(v{level} {draw(terms)} {draw(terms)})", level)))
    for role in roles:
        always = draw(st.integers(0, 5))
        lines.append(f"(legal {role} wait)" if always else f"(<= (legal {role} wait) (true (step 0)))")
        lines.append(draw(rules(f"(legal {role} (m ?x))", top, ("(num ?x)",))))
        lines.append(draw(rules(f"(goal {role} {draw(st.sampled_from([0, 25, 100]))})", top)))
        lines.append(draw(rules(f"(goal {role} 50)", top)))
        for _ in range(2):
            move = draw(st.sampled_from(["(m ?x)", "(m ?y)", "(m 2)", "wait"]))
            lines.append(draw(rules(f"(next {draw(fluents())})", top, (f"(does {role} {move})",), 0)))
    lines.append(draw(rules(f"(next {draw(fluents())})", top)))
    lines.append("(<= (next (p ?x)) (true (p ?x)) (not (does ?r (m ?x))) (role ?r))")
    lines.append(f"(<= (goal {roles[-1]} 10) (true (step 0)))")
    if draw(st.booleans()):  # something to be reached by way of something else
        lines += ["(<= (v0 ?x ?y) (true (q ?x ?y)))", "(<= (v0 ?x ?z) (v0 ?x ?y) (v0 ?y ?z))"]
        lines += [f"(<= (next (q ?x ?y)) (does {roles[0]} (m ?x)) (num ?y) (or (true (p ?y)) (succ ?x ?y)))"]
        lines += ["(<= (next (q ?x ?y)) (true (q ?x ?y)))", f"(<= (goal {roles[-1]} 60) (v0 1 3))"]
    if draw(st.booleans()):
        lines.append(draw(rules("terminal", top, least=2)))
    return "\n".join(lines)
