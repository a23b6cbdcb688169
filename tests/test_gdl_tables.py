"""Relations that are worked out call by call: rows that depend on the negation of other rows, recursion over lists, and loops; beside the circuit and plain Python."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdl_small import PATHS
from gdl_together import play_together
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.datalog import World, foundation
from ludus.games.gdl.games import interpret
from ludus.games.gdl.kif import read_terms, simple
from ludus.games.gdl.program import STATIC, Program
from ludus.games.gdl.rules import Rule, rules_of
from ludus.games.gdl.sheet import read_sheet
from naive_gdl import Naive


def interpreted(text: str) -> Any:
    return interpret(read_sheet(text, "game"), "game", "", text)


def rules_from(text: str) -> list[Rule]:
    return [rule for term, line in read_terms(text) for rule in rules_of(simple(term), line, "rules")]


def tabled(rules: list[Rule]) -> World:
    """A world in which everything that depends on itself is worked out call by call."""
    program = Program(rules)
    for group in program.all_groups:
        program.tabled.update(group)
    world = World(program, STATIC, None)
    world.relations = program.lasting
    return world


FRAME = "(role a) (init (n 0)) (legal a go) (<= (next (n ?y)) (true (n ?x)) (up ?x ?y)) (<= terminal (true (n 4)))" \
    "(up 0 1) (up 1 2) (up 2 3) (up 3 4) (<= (goal a 100) good) (<= (goal a 0) (not good))"  # fmt: skip

# Who can take one or two from a heap wins if what is left is lost: a relation needs its own negation, but no row needs its own.
HEAP = (
    FRAME
    + """(<= (less ?x ?y) (up ?y ?x)) (<= (less ?x ?z) (up ?y ?x) (up ?z ?y))
    (<= (won ?x) (less ?x ?y) (not (won ?y))) (<= good (true (n ?x)) (won ?x))"""
)

# The same within a state: a light is on if the one before it is off.
LIGHTS = FRAME + """(<= (on 0) (true (n 3))) (<= (on ?y) (up ?x ?y) (not (on ?x))) (<= good (on 4))"""


@pytest.mark.parametrize("text", [HEAP, LIGHTS])
def test_both_engines_take_rules_of_which_no_single_fact_needs_its_own_negation(text):
    assert "depends on its own negation" in read_sheet(text).tangle
    compiled, slow = gdl.load(text), interpreted(text)
    one, other = compiled.first(), slow.first()
    results = []
    while not compiled.terminal(one):
        assert compiled.fluents(one) == slow.fluents(other)
        assert compiled.ending(one) == slow.ending(other)
        results.append(compiled.ending(one).goals)
        one, other = compiled.advance(one, ["go"]), slow.advance(other, ["go"])
    assert slow.terminal(other)
    assert compiled.goals(one) == slow.goals(other)
    assert len({str(goals) for goals in results}) == 2  # it did make a difference


@pytest.mark.parametrize(
    "rules",
    [
        "(<= odd (not odd)) (<= good odd)",
        "(<= (left ?x) (true (n ?x)) (not (right ?x))) (<= (right ?x) (true (n ?x)) (not (left ?x))) (<= good (left ?x))",
        "(<= (a ?x) (b ?x)) (<= (b ?x) (up ?x ?y) (c ?y)) (<= (c ?y) (up ?x ?y) (not (a ?x))) (<= good (a 2))",
    ],
)
def test_both_engines_refuse_a_fact_that_needs_its_own_negation(rules):
    for make in (gdl.load, interpreted):
        with pytest.raises(LudusError, match="depends on its own negation"):
            make(FRAME + "(<= (legal a stop) good)" + rules)


def test_a_game_is_played_the_same_call_by_call(monkeypatch):
    whole = Program._sort

    def sort(self: Program) -> None:
        whole(self)
        for group in self.all_groups:
            self.tabled.update(group)

    monkeypatch.setattr(Program, "_sort", sort)
    game, known = interpreted(PATHS + " "), Naive(PATHS)
    for seed in range(8):
        play_together(game, known, seed)


edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14, unique=True)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(edges, edges)
def test_loops_come_to_the_same_call_by_call_as_wholly(red, blue):
    text = "".join(f"(red n{a} n{b}) " for a, b in red) + "".join(f"(blue n{a} n{b}) " for a, b in blue)
    text += """(red x x) (blue x x)
        (<= (even ?a ?b) (red ?a ?b)) (<= (even ?a ?c) (odd ?a ?b) (blue ?b ?c))
        (<= (odd ?a ?c) (even ?a ?b) (blue ?b ?c)) (<= (odd ?a ?c) (odd ?b ?c) (red ?a ?b))
        (<= (both ?a ?b) (even ?a ?b) (odd ?a ?b)) (<= (round ?a) (both ?a ?b) (odd ?b ?a) (not (even ?a ?a)))"""
    rules = rules_from(text)
    for relation in (("even", 2), ("odd", 2), ("both", 2), ("round", 1)):
        assert sorted(tabled(rules).ask(relation)) == sorted(foundation(rules).ask(relation))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(edges)
def test_negation_along_the_edges_of_any_graph_without_circles(pairs):
    below: dict[int, list[int]] = {}
    for a, b in pairs:
        if a != b:
            below.setdefault(max(a, b), []).append(min(a, b))
    text = "(edge x y) " + "".join(f"(edge n{a} n{b}) " for a, found in below.items() for b in found)

    @cache
    def won(node: int) -> bool:
        return any(not won(other) for other in below.get(node, ()))

    found = foundation(rules_from(text + "(<= (won ?x) (edge ?x ?y) (not (won ?y)))")).ask(("won", 1))
    assert sorted(row[0] for row in found) == sorted(["x", *(f"n{a}" for a in range(6) if won(a))])


def test_lists_are_worked_out_only_as_far_as_they_are_asked_for():
    # All lists of six of these elements would be millions; two of them are asked for.
    elements = " ".join(f"(element e{i})" for i in range(12))
    text = f"""(role a) (init (stack (cons e1 (cons e2 nil)))) {elements} (empty nil)
        (<= (list nil 0) (empty nil)) (<= (list (cons ?x ?rest) ?m) (element ?x) (list ?rest ?n) (up ?n ?m))
        (up 0 1) (up 1 2) (up 2 3) (up 3 4) (up 4 5) (up 5 6)
        (<= (length ?s ?n) (true (stack ?s)) (list ?s ?n))
        (<= (legal a (push ?x)) (element ?x)) (<= (next (stack (cons ?x ?s))) (true (stack ?s)) (does a (push ?x)))
        (<= terminal (length ?s 5)) (<= (goal a 100) (length ?s 5)) (<= (goal a 0) (not terminal))"""
    game = interpreted(text)
    state = game.first()
    for move in ("( push e0 )", "( push e3 )", "( push e4 )"):
        assert not game.terminal(state)
        state = game.advance(state, [move])
    assert game.terminal(state)
    assert game.goals(state) == [100]
