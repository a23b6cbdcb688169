"""Rules evaluated on demand: only what is asked for is worked out, what is remembered stays right, and the answers are those of the rules."""

from __future__ import annotations

import itertools

import pytest

from ludus.errors import LudusError
from ludus.games.gdl import datalog
from ludus.games.gdl.datalog import World, foundation
from ludus.games.gdl.kif import read_terms, simple
from ludus.games.gdl.program import MOVES, STATE
from ludus.games.gdl.rulecode import Pattern
from ludus.games.gdl.rules import rules_of

NUMBERS = " ".join(f"(n {i})" for i in range(30))


def world(text: str) -> World:
    return foundation(
        [rule for term, line in read_terms(text, "test") for rule in rules_of(simple(term), line, "test")]
    )


def state(lasting: World, *fluents: tuple | str) -> World:
    made = World(lasting.program, STATE, lasting)
    for fluent in fluents:
        made.give(("true", fluent))
    return made


def answer(asked: World, relation: tuple[str, int], known: dict[int, str], wanted: tuple[int, ...]) -> list[tuple]:
    """The wanted columns of the rows with known values."""
    return list(asked[asked.program.number(Pattern(relation, tuple(known), wanted))][tuple(known.values())])


def test_a_wide_relation_is_asked_for_what_is_known():
    # Thirty to the sixth rows hold, of which one is asked for at a time.
    columns = "?a ?b ?c ?d ?e ?f"
    body = " ".join(f"(n {c})" for c in columns.split())
    lasting = world(
        f"{NUMBERS} (<= (wide {columns}) {body}) (<= (good ?x) (n ?x) (wide ?x 1 2 3 4 5)) (<= bad (wide 1 2 3 4 5 30))"
    )
    assert lasting.ask(("good", 1)) == [(str(i),) for i in range(30)]
    assert lasting.ask(("bad", 0)) == []


def test_columns_that_nobody_wants_are_not_enumerated():
    columns = "?a ?b ?c ?d ?e ?f"
    body = " ".join(f"(n {c})" for c in columns.split())
    lasting = world(
        f"{NUMBERS} (<= (wide {columns}) {body}) (<= (first ?a) (wide {columns})) (<= some (wide {columns}))"
    )
    assert len(lasting.ask(("first", 1))) == 30
    assert lasting.ask(("some", 0)) == [()]


def test_answers_are_those_of_a_state_and_of_its_moves():
    lasting = world(
        "(<= (seen ?x) (true (p ?x))) (<= (moved ?x) (seen ?x) (does a (take ?x))) (<= (known ?x) (fact ?x)) (fact 1)"
    )
    one, two = state(lasting, ("p", "1")), state(lasting, ("p", "2"), ("p", "3"))
    assert one.ask(("seen", 1)) == [("1",)]
    assert two.ask(("seen", 1)) == [("2",), ("3",)]
    for taken, wanted in (("2", [("2",)]), ("3", [("3",)]), ("1", [])):
        after = World(lasting.program, MOVES, two)
        after.give(("does", "a", ("take", taken)))
        assert after.ask(("moved", 1)) == wanted
        assert after.ask(("known", 1)) == [("1",)]


REACH = """(node a) (node b) (node c) (node d) (colour red) (colour blue)
    (<= (reach ?k ?x ?y) (true (edge ?k ?x ?y)))
    (<= (reach ?k ?x ?z) (reach ?k ?x ?y) (true (edge ?k ?y ?z)))
    (<= (joined ?k ?x) (reach ?k a ?x))
    (<= (red ?x) (joined red ?x))"""


def test_a_relation_that_depends_on_itself_is_evaluated_for_what_is_asked():
    lasting = world(REACH)
    edges = [("edge", k, x, y) for k, pairs in (("red", ("ab", "bc")), ("blue", ("ad", "bd"))) for x, y in pairs]
    asked = state(lasting, *edges)
    assert asked.ask(("red", 1)) == [("b",), ("c",)]
    assert ("reach", 3) not in asked.relations  # the whole of it is not needed
    assert len(asked.parts) == 1
    assert answer(asked, ("reach", 3), {0: "blue"}, (1, 2)) == [("a", "d"), ("b", "d")]
    whole = [("red", "a", "b"), ("red", "b", "c"), ("red", "a", "c"), ("blue", "a", "d"), ("blue", "b", "d")]
    assert sorted(asked.ask(("reach", 3))) == sorted(whole)


def test_values_are_handed_on_between_relations_that_need_each_other():
    # `odd` has in its second column what `even` has in its first.
    lasting = world("""(<= (even ?k ?x) (true (start ?k ?x))) (<= (even ?k ?y) (odd ?x ?k) (after ?x ?y)) (<= (odd ?y ?k) (even ?k ?x) (after ?x ?y))
        (<= (answer ?x) (even b ?x)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)""")
    asked = state(lasting, ("start", "a", "0"), ("start", "b", "1"))
    assert lasting.program.parameters(("even", 2), (0,)) == {("even", 2): (0,), ("odd", 2): (1,)}
    assert asked.ask(("answer", 1)) == [("1",), ("3",)]
    assert lasting.program.parameters(("even", 2), (1,)) == {("even", 2): (), ("odd", 2): ()}


def test_long_chains_of_relations_need_no_deep_stack():
    chain = " ".join(f"(<= (r{i + 1} ?x) (r{i} ?x))" for i in range(2000))
    lasting = world(f"(<= (r0 ?x) (true (p ?x))) {chain}")
    assert state(lasting, ("p", "1")).ask(("r2000", 1)) == [("1",)]


def test_many_conditions_in_one_rule():
    # More loops than Python nests in one function; once with a row to be found, once with the question whether there is one.
    names = [f"?v{i}" for i in range(40)]
    body = " ".join(f"(after {a} {b})" for a, b in itertools.pairwise(names))
    facts = " ".join(f"(after {i} {i + 1})" for i in range(60))
    lasting = world(f"{facts} (<= (far ?v0 ?v39) {body}) (<= (start ?v0) {body}) (<= some {body})")
    assert lasting.ask(("far", 2)) == [(str(i), str(i + 39)) for i in range(22)]
    assert lasting.ask(("start", 1)) == [(str(i),) for i in range(22)]
    assert lasting.ask(("some", 0)) == [()]


def test_what_is_remembered_for_ever_is_bounded(monkeypatch):
    lasting = world(f"{NUMBERS} (<= (pair ?x ?y) (n ?x) (n ?y)) (<= (here ?x ?y) (true (p ?x)) (pair ?x ?y))")
    monkeypatch.setattr(datalog, "MAX_FACTS", 100)
    for i in range(30):
        assert len(state(lasting, ("p", str(i))).ask(("here", 2))) == 30
        assert lasting.remembered <= 100 + 31


def test_an_error_leaves_nothing_half_done(monkeypatch):
    lasting = world(REACH)
    asked = state(lasting, *(("edge", "red", str(i), str(i + 1)) for i in range(20)))
    with monkeypatch.context() as patch:
        patch.setattr(datalog, "MAX_FACTS", 50)
        with pytest.raises(LudusError, match="more than 50 facts follow"):
            asked.ask(("reach", 3))
    assert len(asked.ask(("reach", 3))) == 20 * 21 / 2
