"""Rulesheets that are too large, or without end: refused or interpreted, within limits, and nothing is left of the attempt."""

from __future__ import annotations

import itertools
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.contract import rules
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl import datalog, grounding, interpreter
from ludus.kernel import stream

BASE = "(role a) (init on) (legal a go) (legal a stay) (<= (next on) (does a stay)) (<= (next off) (does a go)) (<= terminal (true off)) (goal a 100)"
NUMBERS = " ".join(f"(n {i})" for i in range(30))


def with_goal(condition: str) -> str:
    return f"{BASE} {NUMBERS} (<= (goal a 50) {condition})"


def chain(names: list[str]) -> str:
    """Every two of some variables stand in one condition: no rule can be taken apart."""
    return " ".join(f"(rel {x} {y})" for i, x in enumerate(names) for y in names[i + 1 :])


VARIABLES = [f"?v{i}" for i in range(12)]
ENDLESS_STATE = f"{BASE} (init (count z)) (<= (next (count (s ?x))) (true (count ?x)) (true on))"
ENDLESS_FACTS = f"{BASE} (num z) (<= (num (s ?x)) (num ?x)) (<= (next (f ?x)) (num ?x))"
ENDLESS_PAIRS = f"{BASE} (num z) (<= (num (s ?x ?y)) (num ?x) (num ?y)) (<= (next (f ?x)) (num ?x))"
ENDLESS_MOVES = f"{BASE} (<= (legal a (wrap ?m)) (legal a ?m))"
WIDE_HEAD = f"{BASE} {NUMBERS} (<= (next (t {' '.join(VARIABLES)})) {' '.join(f'(n {v})' for v in VARIABLES)})"
WIDE_FACTS = f"{BASE} {NUMBERS} (<= (t {' '.join(VARIABLES)}) {' '.join(f'(n {v})' for v in VARIABLES)}) (<= (next (u {' '.join(VARIABLES)})) (t {' '.join(VARIABLES)}))"
WIDE_BUT_UNUSED = WIDE_FACTS.replace(f"(u {' '.join(VARIABLES)})", "(u ?v0)")


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    monkeypatch.setattr(datalog, "SECONDS", 1.0)
    monkeypatch.setattr(datalog, "MAX_FACTS", 100_000)


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path, monkeypatch):
    """No file in the folder for temporary files, and no process."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = children()
    yield
    assert list(tmp_path.iterdir()) == []
    assert children() <= before


def children() -> set[str]:
    """The processes of this one that have not ended, or were not waited for."""
    return set(Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())


def load(text: str, seconds: float = 2.0, memory: int = 500) -> tuple[Any, list[str]]:
    said: list[str] = []
    return gdl.load(text, "hostile", seconds=seconds, memory=memory, say=said.append), said


def test_an_endless_state_is_interpreted_as_far_as_it_goes(monkeypatch):
    monkeypatch.setattr(interpreter, "MAX_NESTING", 10)
    game, said = load(ENDLESS_STATE, seconds=1)
    assert type(game).__name__ == "Interpreted"
    assert (
        said[-1].startswith("hostile is interpreted, as grounding takes more than 1 seconds")
        or "MB of memory" in said[-1]
    )
    assert game.start().play("stay").play("go").scores() == [1.0]
    position = game.start()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(20):
            if position.over:
                break
            position = position.play("stay")
    assert position.over
    assert "the game ends without a result: the rules nest the terms of the state without end" in str(
        caught[-1].message
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENDLESS_FACTS, "hostile can't be played: the rules for 'num' nest terms without end"),
        (ENDLESS_MOVES, "hostile can't be played: the rules for 'legal' nest terms without end"),
    ],
)  # fmt: skip
def test_endless_facts_are_refused(text, message):
    with pytest.raises(LudusError, match=message):
        load(text, seconds=1)


def test_exponential_facts_are_an_error_once_all_of_them_are_asked_for():
    game, said = load(ENDLESS_PAIRS, seconds=1)
    assert said[-1].startswith("hostile is interpreted")
    with pytest.raises(
        LudusError, match=r"more than 100,000 facts follow|the rules for 'num' nest|take more than 1 seconds"
    ):
        game.advance(game.first(), ["stay"])


@pytest.mark.parametrize("text", [WIDE_HEAD, WIDE_FACTS])
def test_a_state_with_too_many_propositions_is_never_reached(text):
    game, said = load(text, seconds=1)
    assert type(game).__name__ == "Interpreted"
    assert said[-1].startswith("hostile is interpreted")
    with pytest.raises(LudusError, match=r"more than 100,000 facts follow|take more than 1 seconds"):
        game.advance(game.first(), ["stay"])


def test_what_nobody_asks_for_costs_nothing():
    # Thirty to the twelfth rows, but only their first column is of use.
    game, said = load(WIDE_BUT_UNUSED, seconds=1)
    assert said[-1].startswith("hostile is interpreted")
    assert len(game.fluents(game.advance(game.first(), ["stay"]))) == 31


def test_random_games_of_what_cannot_go_on_end():
    game, _ = load(WIDE_HEAD, seconds=1)
    total = np.zeros(1)
    with pytest.warns(UserWarning, match="the game ends without a result"):
        rules.playouts(game, game.first(), stream(1), 1, rules.sizes_of(game), total)


def test_wide_joins_with_few_results_are_taken_apart():
    # Thirty to the twelfth combinations, but no rule needs to look at more than two of the variables at once.
    body = " ".join(f"(next_to {x} {y})" for x, y in itertools.pairwise(VARIABLES))
    facts = " ".join(f"(next_to {i} {i + 1})" for i in range(29))
    game, _ = load(f"{with_goal(body)} {facts}", seconds=20)
    assert type(game).__name__ == "Gdl"
    assert game.start().play("go").scores() == [1.0]


def test_joins_that_cannot_be_taken_apart_are_stopped():
    # Twelve numbers of which no two are the same, but there are eleven.
    few = " ".join(f"(n {i})" for i in range(11))
    tangle = (
        f"{BASE} {few} (<= (rel ?x ?y) (n ?x) (n ?y) (distinct ?x ?y)) (<= (next win) {chain(VARIABLES)} (does a go))"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game, _ = load(tangle, seconds=1)
        assert type(game).__name__ == "Interpreted"
        with pytest.raises(LudusError, match="the rules take more than 1 seconds to say what follows from a state"):
            game.advance(game.first(), ["go"])


def test_memory_is_a_limit_too():
    # Grounding needs some millions of atoms: too many for 200 megabytes, whatever the time.
    wide = f"{BASE} {NUMBERS} (<= (t ?a ?b ?c ?d ?e) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (true on)) (<= (next (u ?a ?b ?c ?d ?e)) (t ?a ?b ?c ?d ?e))"
    game, said = load(wide, seconds=60, memory=200)
    assert type(game).__name__ == "Interpreted"
    assert said[-1] == "hostile is interpreted, as grounding takes more than 200 MB of memory"


def test_too_many_atoms_and_too_much_output(monkeypatch):
    text = f"{BASE} {NUMBERS} (<= (next (u ?a ?b)) (n ?a) (n ?b))"
    with monkeypatch.context() as patch:
        patch.setattr(grounding, "MAX_ATOMS", 100)
        assert (
            load(text, seconds=60)[1][-1] == "hostile is interpreted, as there are more than 100 propositions and moves"
        )
    assert type(load(text, seconds=60)[0]).__name__ == "Gdl"


def test_ordinary_games_are_played_after_all_that():
    game, said = load(BASE)
    assert type(game).__name__ == "Gdl"
    assert said == ["grounding the rules", "building the network"]
    assert game.start().play("go").scores() == [1.0]
