"""The kernels of compiled rulesheets on games small enough to be worked out: circuits, lanes, single states. Quick enough without compilation."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from gdl_small import ALL, COINS, PATHS
from gdl_together import agree, moments, play_together
from ludus.contract import rules
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.games import gdl
from ludus.games.gdl.lanes import (
    GATES,
    LEGAL,
    MOVES,
    NONE,
    PROPOSITIONS,
    REGISTERS,
    evaluate,
    lane_playouts,
    nodes_of,
    transpose,
)
from ludus.kernel import JIT, count_bits, stream
from naive_gdl import Naive

every_game = pytest.mark.parametrize("name", ALL)
pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # of words as numbers, which are meant as bits


@cache
def load(name: str) -> Any:
    return gdl.load(ALL[name], name)


@cache
def naive(name: str) -> Naive:
    return Naive(ALL[name])


@every_game
def test_whole_games_are_those_of_the_naive_interpreter(name):
    for seed in range(20 if JIT else 2):
        play_together(load(name), naive(name), seed)


# --- bits ------------------------------------------------------------------------------------------------------------


def bits_of(words: np.ndarray) -> np.ndarray:
    """A row of 64 bits a word, the lowest first."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").reshape(-1, 64)


def test_transposing_is_what_numpy_does():
    rng = np.random.default_rng(1)
    words = rng.integers(-(2**63), 2**63, 192, np.int64)
    before = words.copy()
    transpose(words, 64)
    assert np.array_equal(bits_of(words[64:128]), bits_of(before[64:128]).T)
    assert np.array_equal(words[:64], before[:64])  # its neighbours stay as they are
    assert np.array_equal(words[128:], before[128:])


def test_bits_of_negative_words_are_counted():
    assert [count_bits(np.int64(x)) for x in (-1, -(2**63), 0, 5)] == [64, 1, 0, 2]


# --- circuits --------------------------------------------------------------------------------------------------------


@every_game
def test_gates_read_what_is_before_them_and_none_is_there_twice(name):
    game = load(name)
    s = game.sizes.tolist()
    base = 1 + s[PROPOSITIONS] + s[MOVES] + s[REGISTERS]
    assert len(game.left) == len(game.right) == s[GATES]
    assert nodes_of(game) == base + s[GATES]
    own = base + np.arange(s[GATES])
    assert ((game.left >> 1) < own).all()
    assert ((game.right >> 1) < own).all()
    assert (np.minimum(game.left, game.right) >= 2).all()  # constants are folded
    pairs = {tuple(sorted(pair)) for pair in zip(game.left.tolist(), game.right.tolist(), strict=True)}
    assert len(pairs) == s[GATES]
    assert all(a >> 1 != b >> 1 for a, b in pairs)  # x and x, x and not x


@every_game
def test_every_gate_and_register_belongs_to_one_segment_and_is_of_use(name):
    game = load(name)
    gates = [g for begin, end, _, _ in game.segments.tolist() for g in range(begin, end)]
    registers = [r for _, _, begin, end in game.segments.tolist() for r in range(begin, end)]
    assert sorted(gates) == list(range(len(game.left)))
    assert sorted(registers) == list(range(len(game.registers)))
    inputs = 1 + int(game.sizes[PROPOSITIONS]) + int(game.sizes[MOVES])
    outputs = (
        game.legal_literals,
        game.next_literals,
        game.goal_literals,
        game.sizes[-1:],
        game.left,
        game.right,
        game.registers,
    )
    read = {int(literal) >> 1 for part in outputs for literal in part}
    assert read >= set(range(inputs, int(nodes_of(game))))


def test_only_loops_have_registers():
    assert len(load("paths").registers) > 0
    assert len(load("coins").registers) == 0


def test_what_can_be_reached_is_found_in_all_lanes_at_once():
    # Each lane has a graph of its own; loops must come to rest in all of them.
    game, known = load("paths"), naive("paths")
    rng = random.Random(3)
    edges = [f"( edge {x} {y} )" for x in "123" for y in "123"]
    graphs = [frozenset([e for e in edges if rng.random() < 0.4] + ["( time 3 )"]) for _ in range(64 if JIT else 16)]
    for lanes in ((NONE,), (NONE,) * 4):
        values = np.zeros(int(nodes_of(game)) * len(lanes), np.int64)
        texts = {text: i for i, text in enumerate(game.fluents(full(game)))}
        for lane, graph in enumerate(graphs):
            for text in graph:
                for word in range(len(lanes)):  # other words: other lanes
                    values[(1 + texts[text]) * len(lanes) + word] |= np.int64(1) << np.int64((lane + 5 * word) % 64)
        evaluate(game, LEGAL, values, lanes)
        evaluate(game, 1, values, lanes)
        for lane, graph in enumerate(graphs):
            (wanted,) = known.goals(graph)
            for word in range(len(lanes)):
                held = [
                    int(value)
                    for literal, value in zip(game.goal_literals.tolist(), game.goal_value, strict=True)
                    if (int(values[(literal >> 1) * len(lanes) + word]) >> ((lane + 5 * word) % 64) ^ literal) & 1
                ]
                assert held == [wanted]


def full(game: Any) -> np.ndarray:
    """A state in which everything holds, so that its fluents are all there are."""
    state = game.first()
    state[1 + game.facts.seats + len(game.roles) :] = -1
    return state


def test_a_rule_that_needs_just_itself_is_a_loop():
    # Nothing follows from p by way of p, and p must not be taken for true.
    text = """(role a) (init (e 1)) (legal a (put 1)) (legal a (put 2)) (legal a go)
        (<= (p ?x) (true (e ?x))) (<= (p ?x) (p ?x) (true (f ?x))) (<= (next (f ?x)) (does a (put ?x)))
        (<= (next (e ?x)) (true (e ?x)) (true (f ?y))) (<= (next (f ?x)) (true (f ?x)))
        (<= terminal (true (f 1)) (true (f 2))) (<= (goal a 100) (p 1) (not (p 2))) (<= (goal a 1) (p 2))
        (<= (goal a 50) (not (p 1)) (not (p 2)))"""
    game, known = gdl.load(text), Naive(text)
    for seed in range(10 if JIT else 3):
        play_together(game, known, seed, 30)


# --- lanes -----------------------------------------------------------------------------------------------------------

COUNT = 20_000 if JIT else 90  # no multiple of 64


def mean_is_exact(
    game: Any, state: np.ndarray, exact: list[tuple[float, float]], lanes: tuple, count: int = COUNT
) -> None:
    total = np.zeros(game.facts.seats)
    lane_playouts(game, state, stream(5, count), count, total, lanes)
    for found, (mean, variance) in zip(total / count, exact, strict=True):
        assert abs(found - mean) <= 4.5 * (variance / count) ** 0.5 + 1e-9


@pytest.mark.parametrize("words", [1, 4])
@pytest.mark.parametrize("name", ["coins", "stuck", "picks"] + ["paths"] * JIT)
def test_random_games_in_lanes_score_as_they_must(name, words):
    game = load(name)
    mean_is_exact(game, game.first(), moments(naive(name), naive(name).initial()), (NONE,) * words)


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 127, 128, 255, 256, 257, 1000])
def test_as_many_games_are_played_as_were_asked_for(count):
    # Everybody's score is 1 in every game, so that the sum is the number of games.
    text = """(role a) (init on) (legal a stop) (<= (legal a on) (true on)) (<= (next on) (does a on)) (<= (next off) (does a stop))
        (<= terminal (true off)) (goal a 100)"""
    game = gdl.load(text)
    for words in (1, 4):
        total = np.zeros(1)
        steps = lane_playouts(game, game.first(), stream(count), count, total, (NONE,) * words)
        assert total[0] == count
        assert steps >= count
        total = np.zeros(1)
        rules.playouts(game, game.first(), stream(count), count, rules.sizes_of(game), total)
        assert total[0] == count


@pytest.mark.parametrize("words", [1, 4])
def test_lanes_begin_in_the_middle_of_a_game_and_while_the_coin_is_in_the_air(words):
    game, known = load("coins"), naive("coins")
    lanes = (NONE,) * words
    pending = game.start().play(["( call heads )", "( call tails )"])
    assert pending.kind == "chance"
    fixed = {"a": "( call heads )", "b": "( call tails )"}
    mean_is_exact(game, pending.state.copy(), moments(known, known.initial(), fixed), lanes)
    second = pending.play("( toss heads )")
    state = frozenset(game.fluents(second.state))
    mean_is_exact(game, second.state.copy(), moments(known, state), lanes)
    called = second.play("( call tails )")
    assert called.kind == "chance"
    mean_is_exact(game, called.state.copy(), moments(known, state, {"a": "( call tails )"}), lanes)
    third = called.play("( toss heads )")
    mean_is_exact(game, third.state.copy(), moments(known, frozenset(game.fluents(third.state))), lanes)
    over = third.play("( toss tails )")
    total = np.zeros(2)
    lane_playouts(game, over.state.copy(), stream(1), 100, total, lanes)
    assert (total / 100).tolist() == pytest.approx(over.scores())


def test_games_without_end_count_as_nothing(monkeypatch):
    if JIT:
        pytest.skip("the limit is part of what is compiled")
    monkeypatch.setattr("ludus.games.gdl.lanes.IDLE_LIMIT", 30)
    game = gdl.load("(role a) (init on) (legal a go) (<= (next on) (does a go)) (<= terminal (true off)) (goal a 100)")
    total = np.zeros(1)
    lane_playouts(game, game.first(), stream(1), 10, total, (NONE,))
    assert total[0] == 0


# --- single states ---------------------------------------------------------------------------------------------------


@every_game
def test_states_after_each_move_are_those_after_the_move(name):
    game = load(name)
    facts, rng = game.facts, random.Random(2)
    listed, out = np.zeros(facts.max_moves, np.int64), np.full((rules.EACH, facts.state_size), 77, np.int64)
    decisions = 0
    for _ in range(20 if JIT else 3):
        position = game.start()
        while not position.over:
            if position.kind == "decision":
                decisions += 1
                state = position.state.copy()
                count = rules.moves(game, state, position.turn, listed)
                for first in range(0, count, rules.EACH):
                    here = min(count - first, rules.EACH)
                    rules.play_each(game, state, listed, first, here, out)
                    for i in range(here):
                        child = state.copy()
                        rules.play(game, child, listed[first + i])
                        assert np.array_equal(out[i], child)
                position = position.play(rng.choice(position.moves()))
            elif position.kind == "chance":
                position = position.play(rng.choice(position.chances())[0])
            else:
                position = position.play([rng.choice(position.moves(s)) for s in range(facts.seats)])
    assert decisions


def test_kinds_of_states():
    game = gdl.load(COINS, "coins")
    position = game.start()
    assert (position.kind, int(position.state[0])) == ("joint", JOINT)
    position = position.play(["( call heads )", "( call heads )"])
    assert (position.kind, int(position.state[0])) == ("chance", CHANCE)
    assert [(str(m), p) for m, p in position.chances()] == [("( toss heads )", 0.5), ("( toss tails )", 0.5)]
    position = position.play("( toss tails )")
    assert (position.kind, position.turn) == ("decision", 0)  # b can only wait
    position = position.play("( call heads )").play("( toss tails )")
    assert position.kind == "chance"  # nobody else has a choice
    position = position.play("( toss heads )")
    assert (position.kind, int(position.state[0])) == ("over", OVER)
    assert position.scores() == [0.0, 0.1]


@every_game
def test_states_read_back_from_their_text(name):
    game = load(name)
    rng = random.Random(4)
    for _ in range(10 if JIT else 2):
        position = game.start()
        while True:
            assert game.read_state(position.text).tolist() == position.state.tolist()
            agree(game, naive(name), position.state, frozenset(game.fluents(position.state)))
            if position.over:
                break
            if position.kind == "chance":
                position = position.play(rng.choice(position.chances())[0])
            elif position.kind == "joint":
                position = position.play([rng.choice(position.moves(s)) for s in range(game.facts.seats)])
            else:
                position = position.play(rng.choice(position.moves()))


def test_the_layout_of_a_sheet_does_not_matter():
    game, other = gdl.load(PATHS, "one"), gdl.load("; a comment\n" + PATHS.upper().replace("\n", "\r\n"), "two")
    assert game == other
    assert np.array_equal(game.first(), other.first())
