"""Tree search in lanes, and what it is made of: lanes play as the rules say, what is proven is true, shared states are what they should be."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import ludus
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import OVER
from ludus.games import gdl
from ludus.kernel import JIT, stream
from ludus.players import player
from ludus.players.base import ask
from ludus.search.fleet import ACTIVE, ENDED, load, look, new_fleet, read_scores, read_state, step
from ludus.search.growing import Growing, InLanes, added
from ludus.search.judgement import judge_bits, learn, loss, new_adam, new_judgement
from ludus.search.lanes import LaneOptions
from ludus.search.study import Study, rehearse, sample_games
from ludus.search.tree import (
    AGE,
    COUNT,
    FIRST,
    MOVE,
    MOVER,
    OWNER,
    PARENT,
    PENDING,
    PLY,
    PROVEN,
    SLOT,
    SLOTS,
    VISITS,
    place_in_table,
)

compiled_only = pytest.mark.skipif(not JIT, reason="too many simulations for plain Python")


@lru_cache(maxsize=100_000)
def exact(position: Position) -> tuple[float, ...]:
    """What a position is worth to each seat if all play their best, by plain recursion."""
    if position.kind == "over":
        return tuple(position.scores())
    return max((exact(position.play(move)) for move in position.moves()), key=lambda value: value[position.turn])


def after(game: Any, *texts: str) -> Position:
    position = game.start()
    for text in texts:
        position = position.play(text)
    return position


def growing(game: Any, words: int = 1, nodes: int = 200_000 if JIT else 3000, **options: Any) -> Growing:
    return Growing(game, InLanes(new_fleet(game, words), LaneOptions(**options)), nodes)


# --- lanes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [1, 4] if JIT else [1])
@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "rockpaperscissors", "trio"] if JIT else ["tictactoe"])
def test_a_lane_plays_as_the_rules_say_one_state_at_a_time(name, words):
    """Each lane begins in a state of its own, makes the move that it was told, and goes on at random; its record says with which moves."""
    game = ludus.game(name)
    fleet, rng, state = new_fleet(game, words), stream(1), np.zeros(game.facts.state_size, np.int64)
    begun = [game.start().state.copy() for _ in range(64 * words)]
    legal = np.zeros(game.facts.max_moves, np.int64)
    for lane in range(0, 64 * words, 3):
        seat = int(rules.turn(game, begun[lane]))
        load(game, fleet, lane, begun[lane])
        if seat >= 0:
            count = rules.moves(game, begun[lane], seat, legal)
            fleet.told[lane, game.seat_role[seat]] = legal[lane % count]
            rules.play(game, begun[lane], legal[lane % count])
    look(game, fleet)
    for _ in range(3 if game.facts.seats == 2 and rules.turn(game, game.start().state) >= 0 else 1):
        if (fleet.masks[ENDED] != 0).any():
            break
        step(game, fleet, 1, rng)
        look(game, fleet)
    for lane in range(0, 64 * words, 3):
        now, made = begun[lane].copy(), fleet.record[lane, : fleet.recorded[lane]].tolist()
        while made:
            if rules.turn(game, now) >= 0:
                rules.play(game, now, made.pop(0))
            else:
                rules.play_joint(game, now, np.array([made.pop(0) for _ in range(game.facts.seats)]))
        read_state(game, fleet, lane, state)
        begin = 1 + game.facts.seats + len(game.roles)
        assert np.array_equal(state[begin:], now[begin:])
        over = bool((fleet.masks[ENDED, lane >> 6] >> (lane & 63)) & 1)
        assert over == (rules.turn(game, now) == OVER)
        if over:
            read_scores(game, fleet, lane)
            want = np.zeros(game.facts.seats)
            rules.scores(game, now, want)
            assert np.allclose(fleet.value, want)


def test_idle_lanes_do_nothing():
    game = ludus.game("tictactoe")
    fleet = new_fleet(game)
    load(game, fleet, 5, game.start().state)
    look(game, fleet)
    step(game, fleet, 1, stream(1))
    assert fleet.masks[ACTIVE, 0] == 1 << 5
    assert fleet.steps.sum() == 1


# --- the tree --------------------------------------------------------------------------------------------------------


def check(tree: Growing) -> None:
    """Look whether a tree is in order: states follow from their parents', each is there once a ply, and the table finds it."""
    game, t = tree.game, tree.tree
    seen = set()
    for k in range(t.used[SLOTS]):
        key = (int(t.slots[k, PLY]), t.states[k].tobytes())
        assert key not in seen
        seen.add(key)
        at = place_in_table(t, t.states[k], t.slots[k, PLY])
        assert t.table[at].tolist() == [t.used[AGE], k]
        assert t.nodes[t.slots[k, OWNER], SLOT] == k
        for child in range(t.slots[k, FIRST], t.slots[k, FIRST] + t.slots[k, COUNT]):
            assert t.nodes[child, PARENT] == t.slots[k, OWNER]
            below = t.nodes[child, SLOT]
            if t.slots[k, MOVER] >= 0 and below >= 0:
                state = t.states[k].copy()
                rules.play(game, state, t.nodes[child, MOVE])
                assert np.array_equal(state, t.states[below])
                assert t.slots[below, PLY] == t.slots[k, PLY] + 1


@pytest.mark.parametrize(
    "options", [{}, {"probe": False, "open_at": 1}, {"rave": 50.0, "later": True, "candidates": 2}]
)
def test_what_is_proven_is_true_and_a_small_game_is_solved(options):
    game = ludus.game("tictactoe")
    texts = (
        ("mark 2 2", "mark 1 1", "mark 3 3") if JIT else ("mark 2 2", "mark 1 1", "mark 3 3", "mark 1 3", "mark 1 2")
    )
    position = after(game, *texts)
    tree = growing(game, **options)
    tree.begin(position.state)
    tree.simulate(stream(1), 20_000 if JIT else 600)
    t = tree.tree
    assert t.nodes[0, PROVEN]
    assert t.mean[0] == pytest.approx(exact(position))
    for k in range(t.used[SLOTS]):
        if t.nodes[t.slots[k, OWNER], PROVEN]:
            assert t.mean[t.slots[k, OWNER]] == pytest.approx(exact(Position(game, t.states[k])))
    check(tree)


@compiled_only
@pytest.mark.parametrize("words", [1, 4])
def test_moves_in_another_order_lead_to_the_same_slot(words):
    game = ludus.game("connectfour4x4")
    tree = growing(game, words)
    tree.begin(game.start().state)
    tree.simulate(stream(1), 30_000)
    check(tree)
    t = tree.tree
    opened = (t.nodes[: t.used[0], SLOT] >= 0).sum()
    assert opened > t.used[SLOTS]  # some nodes share


@compiled_only
def test_what_is_known_below_a_new_root_is_kept_and_shared_states_with_it():
    game = ludus.game("connectfour4x4")
    tree = growing(game)
    tree.begin(game.start().state)
    tree.simulate(stream(1), 20_000)
    move = int(tree.root(0).moves[tree.root(0).visits.argmax()])
    position = game.start().play(move)
    visits = {}
    t = tree.tree
    for k in range(t.used[SLOTS]):
        visits[(int(t.slots[k, PLY]), t.states[k].tobytes())] = int(t.slots[k, 6])
    tree.begin(position.state, keep=True)
    assert t.used[SLOTS] > 10
    assert np.array_equal(t.states[t.nodes[0, SLOT]], position.state)
    assert not t.nodes[: t.used[0], PENDING].any()
    check(tree)
    for k in range(t.used[SLOTS]):
        assert visits[(int(t.slots[k, PLY]), t.states[k].tobytes())] == t.slots[k, 6]
    tree.simulate(stream(2), 5_000)
    check(tree)


@compiled_only
def test_every_simulation_is_counted_once():
    game = ludus.game("breakthrough6")
    tree = growing(game, probe=False)
    tree.begin(game.start().state)
    done = sum(tree.simulate(stream(i), 700) for i in range(4))
    assert tree.root(0).visits.sum() == done == tree.tree.nodes[0, VISITS]


@compiled_only
def test_the_same_stream_gives_the_same_tree():
    game = ludus.game("hex5")
    roots = []
    for _ in range(2):
        tree = growing(game, rave=100.0, later=True, candidates=2)
        tree.begin(game.start().state)
        tree.simulate(stream(7), 2_000)
        roots.append(tree.root(0))
    assert np.array_equal(roots[0].visits, roots[1].visits)
    assert np.array_equal(roots[0].values, roots[1].values)


@compiled_only
def test_by_count_a_move_depends_on_the_position_and_the_stream_alone():
    game = ludus.game("hex5")
    once, twice = player("mcts(simulations=30)", game), player("mcts(simulations=30)", game)
    twice.choose(game.start().play(game.start().moves()[3]), stream(9))  # something else before
    position = game.start().play(game.start().moves()[0])
    seen = [[(look.move, look.visits) for look in one.look(position, stream(3))] for one in (once, twice)]
    assert seen[0] == seen[1]


@compiled_only
def test_a_full_tree_is_searched_on_without_growing():
    game = ludus.game("hex5")
    tree = growing(game, nodes=200)
    tree.begin(game.start().state)
    assert tree.simulate(stream(1), 3_000) >= 3_000
    assert tree.tree.used[0] <= 200
    check(tree)


@compiled_only
def test_where_all_move_at_once_the_visits_are_near_the_equilibrium():
    game = ludus.game("rockpaperscissors")
    tree = growing(game)
    tree.begin(game.start().state)
    tree.simulate(stream(1), 20_000)
    for seat in (0, 1):
        visits = tree.root(seat).visits
        assert (visits / visits.sum()).max() < 0.6


# Two rows and two columns, and what each meeting brings to the first seat; the other gets the rest of 100.
MATRIX = """(role row) (role column) (init (step 1))
(<= (legal ?r left) (role ?r) (true (step 1))) (<= (legal ?r right) (role ?r) (true (step 1)))
(<= (next (chose ?r ?m)) (does ?r ?m)) (<= terminal (true (chose row ?m)))
(<= (goal row ?v) (true (chose row ?a)) (true (chose column ?b)) (pay ?a ?b ?v ?w))
(<= (goal column ?w) (true (chose row ?a)) (true (chose column ?b)) (pay ?a ?b ?v ?w))
"""


@compiled_only
@pytest.mark.parametrize("payoff", [((100, 0), (20, 60)), ((80, 30), (10, 90)), ((50, 60), (40, 20))])
def test_games_of_one_joint_move_come_to_the_equilibrium_of_linear_programming(payoff):
    rows = [
        f"(pay {a} {b} {payoff[i][j]} {100 - payoff[i][j]})"
        for i, a in enumerate(("left", "right"))
        for j, b in enumerate(("left", "right"))
    ]
    game = gdl.load(MATRIX + " ".join(rows), "matrix")
    tree = growing(game)
    tree.begin(game.start().state)
    tree.simulate(stream(1), 100_000)
    # Maximise the value v that a mixture of rows brings against each column.
    matrix = np.array(payoff) / 100
    solution = linprog(
        [0, 0, -1],
        A_ub=np.c_[-matrix.T, np.ones(2)],
        b_ub=[0, 0],
        A_eq=[[1, 1, 0]],
        b_eq=[1],
        bounds=[(0, 1)] * 2 + [(None, None)],
    )
    root = tree.root(0)
    assert (root.visits / root.visits.sum())[0] == pytest.approx(solution.x[0], abs=0.06)
    assert tree.tree.mean[0, 0] == pytest.approx(solution.x[2], abs=0.03)


@compiled_only
def test_chance_is_drawn_as_the_rules_say():
    """In pig the first decision is worth what an exact solution of the game says, to within the noise of so many games."""
    game = ludus.game("pig")
    chooser = player("mcts(simulations=2000)", game)
    position = game.start()
    while position.kind == "chance":
        position = position.roll(stream(1))
    looks = chooser.look(position, stream(1))
    assert sum(look.visits for look in looks) >= 2000 * 8
    assert 0.4 < looks[0].value < 0.9


@compiled_only
def test_an_immediate_win_is_found_and_an_immediate_loss_avoided():
    game = ludus.game("connectfour")
    position = after(game, "drop 1", "drop 7", "drop 2", "drop 7", "drop 3", "drop 6")
    chooser = player("mcts(simulations=100)", game)
    assert str(position.moves()[0]) is not None
    assert chooser.choose(position, stream(1)) == position.play("drop 4").game.read_move(position.state, "drop 4")
    defending = after(game, "drop 1", "drop 7", "drop 2", "drop 7", "drop 3")
    assert chooser.choose(defending, stream(1)) == game.read_move(defending.state, "drop 4")


@compiled_only
def test_several_trees_make_one_search():
    game = ludus.game("hex5")
    trees = [growing(game) for _ in range(2)]
    for i, tree in enumerate(trees):
        tree.begin(game.start().state)
        tree.simulate(stream(i), 1_000)
    roots = [tree.root(0) for tree in trees]
    both = added(roots)
    assert np.array_equal(both.visits, roots[0].visits + roots[1].visits)
    best = both.visits.argmax()
    mean = sum(r.visits[best] * r.values[best] for r in roots) / both.visits[best]
    assert both.values[best] == pytest.approx(mean)
    timed = player("mcts(seconds=0.05,threads=2)", game)
    assert ask(timed, game.start(), stream(1)) in game.start().moves()


@compiled_only
def test_more_simulations_beat_fewer():
    result = ludus.arena(
        "connectfour", ["mcts(simulations=400)", "mcts(simulations=20)"], games=40, seed=1, jobs=1, opening=2
    )
    assert result.rows[0].wins > 26


# --- judgement and study ---------------------------------------------------------------------------------------------


def test_sampled_states_are_states_of_games_with_their_results():
    game = ludus.game("tictactoe")
    states, results = np.zeros((200 if JIT else 40, 1), np.int64), np.zeros((200 if JIT else 40, 2))
    assert sample_games(game, new_fleet(game), stream(1), states, results) == len(states)
    assert set(results.ravel()) <= {0.0, 0.5, 1.0}
    assert np.allclose(results.sum(1), 1)
    start = game.start().state
    assert int(start[1 + 2 + 2]) in states.ravel().tolist()  # some games keep the very first state


def test_a_judgement_learns_what_it_is_told():
    """Whether the first proposition holds, or the second, but not both: more than a sum of weights can say."""
    game = ludus.game("tictactoe")
    states = np.arange(4, dtype=np.int64).reshape(-1, 1)
    targets = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    judgement = new_judgement(game, seed=1, hidden=8)
    before = loss(judgement, states, targets)
    learn(judgement, new_adam(judgement), states, targets, (4000 if JIT else 300, 8, 0.05), stream(1))
    assert loss(judgement, states, targets) < 0.1 * before if JIT else loss(judgement, states, targets) < before
    out, hidden = np.zeros(2), np.zeros(8, np.float32)
    judge_bits(judgement, states[1], hidden, out)
    assert out[0] > out[1]


@compiled_only
def test_a_judgement_tells_more_of_random_games_than_that_both_win_as_often():
    game = ludus.game("breakthrough6")
    states, results = np.zeros((12_000, 2), np.int64), np.zeros((12_000, 2))
    assert sample_games(game, new_fleet(game), stream(1), states, results) == len(states)
    judgement = new_judgement(game, seed=1)
    learn(judgement, new_adam(judgement), states[:10_000], results[:10_000], (1500, 64, 0.003), stream(1))
    assert loss(judgement, states[10_000:], results[10_000:]) < 0.98 * np.log(2)


@compiled_only
@pytest.mark.parametrize("name", ["connectfour4x4", "rockpaperscissors", "trio"])
def test_a_study_tries_ways_to_search(name):
    game = ludus.game(name)
    rehearse(game)
    seconds = 3.0
    while True:  # a machine with other work to do may need more
        studied = Study(game, LaneOptions(), seed=1, threads=2).run(time.monotonic() + seconds)
        if studied.trials:
            break
        seconds *= 2
    assert studied.games > 0
    assert isinstance(studied.options, LaneOptions)
    assert all(games > 0 and -1 <= gain <= 1 for _, games, gain in studied.trials)
    assert "short games" in studied.summary
    chooser = player("mcts(simulations=20,study=0.5)", game)
    assert (
        ask(chooser, game.start().seen_by(0) if game.start().kind == "joint" else game.start(), stream(1)) is not None
    )
