"""The naive interpreter of GDL itself, on rules small enough to work out by hand."""

from __future__ import annotations

import pytest

from naive_gdl import Naive, parse, show

FRAME = "(role you) (init (n 1)) (legal you go) (<= (next (n 2)) (does you go)) (<= terminal (true (n 2)))"


def goal(rules: str) -> list[int]:
    """What is reached at the end of a game of one move in which these rules give the goal."""
    game = Naive(FRAME + rules)
    state = game.next(game.initial(), ["go"])
    assert game.terminal(state)
    return game.goal_values(state)[0]


def test_texts_are_read_whatever_their_case_and_comments() -> None:
    assert parse("(A ?X) ; (not this)\n(<= B (c (D e)))") == [("a", "?x"), ("<=", "b", ("c", ("d", "e")))]
    assert show(("f", "a", ("g", "b"))) == "( f a ( g b ) )"
    assert parse("((f))") == ["f"]


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("(p ?x)", [1, 2, 3]),
        ("(p ?x) (not (q ?x))", [1, 3]),
        ("(p ?x) (distinct ?x 2)", [1, 3]),
        ("(p ?x) (not (distinct ?x 2))", [2]),
        ("(p ?y) (p ?x) (q ?y) (not (distinct ?x ?y))", [2]),
        ("(or (q ?x) (and (p ?x) (distinct ?x 1)))", [2, 3]),
        ("(p ?x) (not (or (q ?x) (r ?x)))", [1]),
        ("(p ?x) (not (and (p ?x) (q ?x)))", [1, 3]),
        ("(p ?x) (not (not (q ?x)))", [2]),
        ("(true (n ?x))", [2]),
        ("(r ?x) (missing ?x)", []),
        ("(r ?x) (not (missing ?x))", [3]),
    ],
)
def test_conditions(condition: str, values: list[int]) -> None:
    assert goal(f"(p 1) (p 2) (p 3) (q 2) (r 3) (<= (goal you ?x) {condition})") == values


def test_closure_both_ways_of_writing_it() -> None:
    edges = "(e 1 2) (e 2 3) (e 3 1) (e 4 5)"
    linear = "(<= (way ?a ?b) (e ?a ?b)) (<= (way ?a ?c) (way ?a ?b) (e ?b ?c))"
    square = "(<= (way ?a ?b) (e ?a ?b)) (<= (way ?a ?c) (way ?a ?b) (way ?b ?c))"
    for rules in (linear, square):
        assert goal(f"{edges} {rules} (<= (goal you ?x) (way 1 ?x))") == [1, 2, 3]
        assert goal(f"{edges} {rules} (<= (goal you ?x) (e ?x ?y) (not (way ?x 1)))") == [4]


def test_a_relation_may_depend_on_another_part_of_itself() -> None:
    assert goal("(<= (goal you 100) (true (n 1))) (<= (goal you 0) (not (goal you 100)))") == [0]
    with pytest.raises(ValueError, match="its own negation"):
        Naive(FRAME + "(<= p (not q)) (<= q (not p)) (<= (goal you 1) p)")


def test_a_role_may_be_left_open() -> None:
    assert goal("(<= (goal ?p 40) (true (n 2)))") == [40]


def test_goals_that_are_not_exactly_one() -> None:
    game = Naive(FRAME + "(goal you 1) (goal you 2)")
    assert game.goals(game.initial()) == [-1]
