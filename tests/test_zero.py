"""Method and player `zero`: the network for boards, the search by policy and value, and learning from searches."""

import itertools

import numpy as np
import pytest

import ludus
from ludus.contract.rules import moves
from ludus.errors import LudusError
from ludus.games.gdl.geometry import geometry_of
from ludus.kernel import JIT, stream
from ludus.kernel.tiles import AROUND, BIAS, CUT, add_weight_gradient, convolve
from ludus.methods.zero import ZeroMethod
from ludus.nets import board as nets
from ludus.players.zero import Limits, Zero
from ludus.search.board import board_judge, show
from ludus.search.puct import (
    COUNT,
    FIRST,
    MOVE,
    PARENT,
    PROVEN,
    VISITS,
    Lesson,
    Puct,
    favourite,
    find_root,
    judge,
    keep_subtree,
    learned_shares,
    mean_of,
    new_forest,
    root_at,
    search_rounds,
    search_tree,
)

compiled = pytest.mark.skipif(not JIT, reason="thousands of positions")
SMALL = {"games_at_once": 8, "simulations": 8, "memory": 400, "minibatch": 16, "blocks": 1, "hidden": 8}


def network(game, seed=1):
    found = geometry_of(game)
    shape = nets.shape_of(found, 32, 1, 8)
    weights = nets.new_weights(shape, seed)
    weights += np.random.default_rng(seed).normal(0, 0.05, len(weights)).astype(np.float32)
    return found, shape, weights


def a_judge(game, seed=1):
    found, shape, weights = network(game, seed)
    return board_judge(weights, shape, found)


def walk(game, seed, plies):
    """A position after some random moves."""
    position, rng = game.start(), np.random.default_rng(seed)
    for _ in range(plies):
        if position.kind != "over":
            found = position.moves()
            position = position.play(found[rng.integers(len(found))])
    return position


# --- the network -----------------------------------------------------------------------------------------------------


def test_a_convolution_is_the_sum_that_it_should_be():
    rng = np.random.default_rng(1)
    seen, around, errors = (rng.normal(size=(17, width)).astype(np.float32) for width in (8, 64, 64))
    seen[0] = 0
    where = rng.integers(0, 17, (16, 9)).astype(np.int32)
    weights = rng.normal(size=9 * 8 * 64 + 64).astype(np.float32)
    cube, bias = weights[:-64].reshape(9, 8, 64), weights[-64:]
    out = np.zeros(17 * 64, np.float32)
    sizes = (9, 8, 64, BIAS | AROUND | CUT)
    convolve(out, seen.ravel(), where.ravel(), 16, weights, around.ravel(), (0, len(weights) - 64), sizes)
    wanted = np.maximum(np.einsum("rki,kio->ro", seen[where], cube) + bias + around[1:], 0)
    np.testing.assert_allclose(out.reshape(17, 64)[1:], wanted, atol=1e-4)
    gradient = np.zeros(9 * 8 * 64, np.float32)
    add_weight_gradient(gradient, 0, seen.ravel(), where.ravel(), errors.ravel(), 13, (9, 8, 64))
    wanted = np.einsum("rki,ro->kio", seen[where[:13]], errors[1:14])
    np.testing.assert_allclose(gradient.reshape(9, 8, 64), wanted, atol=1e-4)


@compiled
def test_the_gradient_is_that_of_the_losses():
    game = ludus.game("connectfour4x4")
    found, shape, weights = network(game)
    judging = board_judge(weights, shape, found)
    space, errors = nets.new_space(shape, 3), nets.new_errors(shape, 3, game.facts.max_moves)
    rng = np.random.default_rng(3)
    positions = [walk(game, seed, 3) for seed in range(3)]
    legal = [np.array([int(m) for m in p.moves()]) for p in positions]
    shares = [rng.dirichlet(np.ones(len(some))).astype(np.float32) for some in legal]
    scores = [0.0, 0.3, 1.0]

    def loss():
        for p, position in enumerate(positions):
            show(judging, game, position.state, 0, space, p)
        nets.forward(weights, shape, space, 3)
        lessons = zip(legal, map(len, legal), shares, scores, strict=True)
        return sum(sum(nets.judge_errors(found, shape, space, errors, p, each)) for p, each in enumerate(lessons))

    gradient = np.zeros_like(weights)
    loss()
    nets.backward(weights, gradient, shape, space, errors, 3)
    at, step = nets.places(shape), 0.003
    bounds = [
        0,
        at.first_bias,
        at.loose,
        at.blocks,
        at.blocks + at.half,
        at.heads,
        at.heads_bias,
        at.hidden,
        at.out,
        at.size,
    ]
    for begin, end in itertools.pairwise(bounds):
        i = begin + int(np.argmax(np.abs(gradient[begin:end])))
        before = weights[i]
        weights[i] = before + step
        above = loss()
        weights[i] = before - step
        slope = (above - loss()) / (2 * step)
        weights[i] = before
        assert slope == pytest.approx(gradient[i], rel=0.05, abs=0.005)


def test_positions_are_judged_alike_alone_and_together():
    game = ludus.game("connectfour4x4")
    found, shape, weights = network(game)
    judging, many = board_judge(weights, shape, found), nets.new_space(shape, 4)
    for p in range(4):
        show(judging, game, walk(game, p, p).state, 0, many, p)
    nets.forward(weights, shape, many, 4)
    for p in range(4):
        show(judging, game, walk(game, p, p).state, 0, judging.space, 0)
        nets.forward(weights, shape, judging.space, 1)
        assert nets.win_of(judging.space, 0) == nets.win_of(many, p)
        assert nets.logit_of(found, shape, judging.space, 0, 1) == nets.logit_of(found, shape, many, p, 1)


def test_both_seats_are_judged_by_the_same_eyes():
    """A position of seat 1 and its image under an exchange of the seats are the same to the network."""
    game = ludus.game("hex3")
    judging = a_judge(game)
    position = game.start().play("place 1 3")
    image = game.read_state("( cell 3 1 blue ) ( linked 3 1 blue ) ( control red )")
    legal, logits = np.zeros(game.facts.max_moves, np.int64), np.zeros(game.facts.max_moves, np.float32)
    seen = []
    for state in (position.state, image):
        seat = int(state[0])
        count = moves(game, state, seat, legal)
        win = judge(judging, game, state, seat, legal, count, logits)
        seen.append((win, sorted(logits[:count].tolist())))
    assert seen[0] == seen[1]


# --- the search ------------------------------------------------------------------------------------------------------


def searched(game, state, simulations, seed=1):
    tree = new_forest(game, 100_000)
    root_at(tree, game, state)
    search_tree(tree, game, a_judge(game, seed), Puct(), simulations)
    return tree


@compiled
def test_a_search_to_the_end_knows_the_value():
    """Tic-tac-toe after two moves, whatever the network thinks: a centre against an edge wins, a centre against a corner does not."""
    game = ludus.game("tictactoe")
    for reply, worth in (("mark 1 2", 1.0), ("mark 1 1", 0.5)):
        tree = searched(game, game.start().play("mark 2 2").play(reply).state, 20_000)
        assert tree.nodes[0, PROVEN]
        assert mean_of(tree, 0, 0) == worth


@compiled
def test_a_win_at_once_needs_one_simulation():
    game = ludus.game("connectfour")
    position = game.start()
    for column in (1, 2, 1, 2, 1, 2):
        position = position.play(f"drop {column}")
    tree = searched(game, position.state, 100)
    assert tree.nodes[0, VISITS] == 1
    assert game.move_text(position.state, int(tree.nodes[favourite(tree), MOVE])) == "( drop 1 )"


@compiled
def test_one_simulation_plays_by_the_policy():
    game = ludus.game("connectfour4x4")
    tree = searched(game, game.start().state, 1)
    first, count = tree.nodes[0, FIRST], tree.nodes[0, COUNT]
    assert favourite(tree) == first + tree.prior[first : first + count].argmax()


@compiled
def test_visits_add_up_and_stay_when_a_tree_is_cut():
    game = ludus.game("connectfour")
    tree = searched(game, game.start().state, 300)
    first, count = tree.nodes[0, FIRST], tree.nodes[0, COUNT]
    assert tree.nodes[0, VISITS] == 300 == 1 + tree.nodes[first : first + count, VISITS].sum()
    child = favourite(tree)
    kept, total, state = tree.nodes[child, VISITS], tree.total[child], tree.states[child].copy()
    assert find_root(tree, state) == child
    keep_subtree(tree, child, np.zeros(len(tree.nodes), np.int64))
    assert (tree.nodes[0, VISITS], tree.total[0]) == (kept, total)
    assert (tree.states[0] == state).all()
    for node in range(tree.used[0]):
        if tree.nodes[node, COUNT]:
            below = slice(tree.nodes[node, FIRST], tree.nodes[node, FIRST] + tree.nodes[node, COUNT])
            assert (tree.nodes[below, PARENT] == node).all()
            assert tree.nodes[below, VISITS].sum() + 1 == tree.nodes[node, VISITS]


@compiled
def test_what_is_learned_of_moves_prefers_what_the_search_found():
    game = ludus.game("connectfour")
    position = game.start()
    for column in (1, 7, 2, 7, 3):
        position = position.play(f"drop {column}")  # seat 1 must answer at 4
    tree, lesson = new_forest(game, 5_000), Lesson(64, 7, 1.0, 0.2)
    root_at(tree, game, position.state)
    search_rounds(tree, game, a_judge(game), Puct(), lesson, stream(1))
    shares = np.zeros(game.facts.max_moves)
    learned_shares(tree, lesson, shares)
    assert shares.sum() == pytest.approx(1)
    assert shares[:7].argmax() == 3
    assert shares[3] > 0.9


# --- the player ------------------------------------------------------------------------------------------------------


@compiled
def test_a_player_by_count_depends_on_the_position_alone():
    game = ludus.game("connectfour4x4")
    player = Zero(game, a_judge(game), Limits(simulations=50))
    position = walk(game, 1, 4)
    chosen = player.choose(position, None)
    player.choose(walk(game, 2, 2), None)
    assert player.choose(position, None) == chosen
    ranked = player.rank(position, None)
    assert ranked[0][0] == chosen
    assert {int(m) for m, _ in ranked} == {int(m) for m in position.moves()}
    assert sorted((v for _, v in ranked), reverse=True) == [v for _, v in ranked]


@compiled
def test_a_player_by_time_goes_on_with_its_tree():
    game = ludus.game("connectfour4x4")
    player = Zero(game, a_judge(game), Limits(seconds=0.05))
    position = game.start()
    position = position.play(player.choose(position, None))
    below = find_root(player.tree, position.state)
    assert below > 0
    visits = int(player.tree.nodes[below, VISITS])
    player.rank(position, None)
    assert player.tree.nodes[0, VISITS] > visits
    assert (player.tree.states[0] == position.state).all()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("backgammon", "compiled rulesheets"),
        ("pig", "without chance"),
        ("rockpaperscissors", "all seats move at once"),
        ("eightpuzzle", "two seats"),
    ],
)
def test_other_games_are_refused(name, why):
    with pytest.raises(LudusError, match=why):
        ludus.train(name, method="zero", games=8)


# --- learning --------------------------------------------------------------------------------------------------------


@compiled
def test_learning_is_the_same_however_often_it_is_interrupted():
    game = ludus.game("tictactoe")
    whole = ZeroMethod(**SMALL).begin(game, 3, 32)
    for _ in range(4):
        whole.advance()
    first = ZeroMethod(**SMALL).begin(game, 3, 32)
    for _ in range(2):
        first.advance()
    second = ZeroMethod(**SMALL).begin(game, 3, 32)
    second.restore({name: array.copy() for name, array in first.state().items()})
    second.counters = dict(first.counters)
    for _ in range(2):
        second.advance()
    assert all((array == second.state()[name]).all() for name, array in whole.state().items())
    for learner in (whole, first, second):
        learner.close()


@compiled
def test_a_run_plays_by_its_name(tmp_path):
    settings = {name: str(value) for name, value in SMALL.items()}
    run = ludus.train(
        "tictactoe", method="zero", games=16, seed=1, out=tmp_path / "run", **settings, evaluation_games=4, evaluate_every=16
    )  # fmt: skip
    game = ludus.game("tictactoe")
    player = ludus.players.player(f"zero:{run.folder}(simulations=20)", game)
    assert player.choose(game.start(), None) in game.start().moves()


@compiled
def test_it_learns_to_win():
    """After some games of hex on 4 x 4 cells, a search of a few simulations beats the same search by a network that has learned nothing."""
    game = ludus.game("hex4")
    learner = ZeroMethod(games_at_once=32, simulations=16, memory=5_000, blocks=1, playouts=16).begin(game, 1, 256)
    begin, end = {}, {}
    while learner.games < 256:
        end = learner.advance()
        begin = begin or end
    assert end["value_loss"] < begin["value_loss"]
    pupil = Zero(game, board_judge(learner.mean, learner.shape, learner.board), Limits(simulations=4))
    novice = Zero(
        game, board_judge(nets.new_weights(learner.shape, 5), learner.shape, learner.board), Limits(simulations=4)
    )
    pupil.name, novice.name = "pupil", "novice"
    result = ludus.arena(game, [pupil, novice], games=60, seed=1, opening=3)
    learner.close()
    assert result["pupil"].win_rate > 0.6
