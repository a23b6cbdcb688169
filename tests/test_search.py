"""Monte Carlo search, with and without a tree, against games that are solved exactly here by plain recursion."""

from __future__ import annotations

import pickle
import threading
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import naive
from duel import Duel
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import JOINT, sizes_of
from ludus.errors import LudusError
from ludus.kernel import JIT, stream
from ludus.matches import arena
from ludus.nets.network import new_network
from ludus.players import player
from ludus.players.base import ask, rank
from ludus.players.mcts import MCTS, Effort, make_mcts
from ludus.search.growing import OneByOne
from ludus.search.leaves import Mixed, NetworkLeaf, evaluate, network_leaf
from ludus.search.montecarlo import Budget, add_nested, mcs_move
from ludus.search.tree import FIRST, MOVE, NODES, OWNER, PARENT, PROVEN, SLOT, SLOTS, VISITS, find_state, keep_below
from ludus.search.uct import uct_options
from stairs import Stairs, Table
from toys import Nim, Pennies, PerfectNim

compiled_only = pytest.mark.skipif(not JIT, reason="too many simulations for plain Python")

NIM = Nim((1, 1, 3))  # take the three. All these Nims are of one type, so that search is compiled once for them


# --- the truth -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=100_000)
def exact(position: Position) -> tuple[float, ...]:
    """What a position is worth to each seat if all play their best."""
    if position.kind == "over":
        return tuple(position.scores())
    if position.kind == "chance":
        return tuple(sum(p * np.array(exact(position.play(outcome))) for outcome, p in position.chances()))
    return max((exact(position.play(move)) for move in position.moves()), key=lambda value: value[position.turn])


@lru_cache(maxsize=100_000)
def by_chance(position: Position) -> tuple[float, ...]:
    """What a position is worth to each seat if all move at random."""
    if position.kind == "over":
        return tuple(position.scores())
    after = position.chances() or [(move, 1 / len(position.moves())) for move in position.moves()]
    return tuple(sum(p * np.array(by_chance(position.play(move))) for move, p in after))


def best_by_chance(position: Position) -> int:
    return max(position.moves(), key=lambda move: by_chance(position.play(move))[position.turn])


# --- flat search -----------------------------------------------------------------------------------------------------


def test_flat_search_estimates_what_random_play_yields():
    count = 2000 if JIT else 60
    for move, value in rank(player(f"mcs(playouts={count})", NIM), NIM.start(), stream(1)):
        assert value == pytest.approx(by_chance(NIM.start().play(move))[0], abs=5 / count**0.5)


def test_flat_search_takes_the_move_whose_random_games_are_best():
    state = NIM.start().state.copy()
    count = 2000 if JIT else 50
    assert mcs_move(NIM, state, 0, stream(1), count, sizes_of(NIM)) == best_by_chance(NIM.start())


def test_where_all_move_at_once_the_others_move_at_random():
    """At 1:1 in Pennies every coin wins half the time against one shown at random."""
    game = Pennies()
    judge = player("mcs(playouts=160)", game)
    for seat in (0, 1):
        values = [v for i in range(10) for _, v in rank(judge, game.position("1:1").seen_by(seat), stream(seat, i))]
        # The other's coin is drawn sixteen times for each move, and the games of a draw all end alike.
        assert abs(np.mean(values)) < 4 / (16 * len(values)) ** 0.5
        assert max(values) < 1
        assert min(values) > -1


@compiled_only
def test_flat_search_by_time_finds_the_same_move():
    timed = player("mcs(seconds=0.02)", NIM)
    assert ask(timed, NIM.start(), stream(1)) == best_by_chance(NIM.start())
    assert rank(timed, NIM.start(), stream(1))[0][0] == best_by_chance(NIM.start())


def test_games_played_by_searches_come_closer_to_best_play_than_random_ones():
    """In Nim from 2-2 both moves of seat 0 lose. Random games say it wins every other; each level sees more of the truth."""
    game = Nim((0, 2, 2))
    state, games = game.start().state.copy(), 200 if JIT else 4
    means = []
    for level in (0, 1, 2):
        legal, sums = np.zeros(sizes_of(game)[0], np.int64), np.zeros(sizes_of(game)[0])
        count = games if level == 0 else 1
        moves = add_nested(game, state, 0, stream(1), Budget(level, count, games), sizes_of(game), legal, sums)
        means.append(sums[:moves].mean() / games)
    if JIT:
        assert means[0] > means[1] + 0.1
        assert means[1] > means[2] + 0.02
    assert -1 <= means[2] < 0
    assert np.array_equal(state, game.start().state)


@compiled_only
def test_nested_search_plays_what_it_finds():
    game = Nim((0, 1, 2))  # take one of the two, and the other side finds 1-1
    right = game.read_move(game.start().state, "C1")
    assert ask(player("nmcs(playouts=4,games=8)", game), game.start(), stream(1)) == right


# --- the tree --------------------------------------------------------------------------------------------------------


def grown(position: Position, count: int, **arguments: Any) -> MCTS:
    """A player that has just done so many simulations from a position."""
    found = make_mcts(position.game, None, simulations=count, nodes=200_000 if JIT else 5_000, **arguments)
    found.look(position, stream(1))
    return found


def values(player: MCTS) -> np.ndarray:
    """The root's value in scores."""
    low, high = player.game.facts.score_range
    return low + player.tree.mean[0] * (high - low)


def check(player: MCTS) -> None:
    """Look whether a tree is in order: each opened node's state follows from its parent's, and its children are its own."""
    tree, game = player.tree, player.game
    for k in range(tree.used[SLOTS]):
        node, first = tree.slots[k, OWNER], tree.slots[k, FIRST]
        assert tree.nodes[node, SLOT] == k
        assert node < first < tree.used[NODES]
        assert tree.nodes[first, PARENT] == node
        if node > 0:
            state = tree.states[tree.nodes[tree.nodes[node, PARENT], SLOT]].copy()
            if rules.turn(game, state) != JOINT:
                rules.play(game, state, tree.nodes[node, MOVE])
                assert np.array_equal(state, tree.states[k])


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("game", [NIM if JIT else Nim((0, 1, 2)), Duel(3 if JIT else 1)], ids=["nim", "duel"])
def test_what_is_proven_is_true_and_a_small_game_is_solved(game, ahead):
    position = game.start()
    while position.kind == "chance":
        position = position.roll(stream(1))
    solver = grown(position, 50_000 if JIT else 500, ahead=ahead, leaf=1)
    tree, (low, high) = solver.tree, game.facts.score_range
    assert tree.nodes[0, PROVEN]
    assert values(solver) == pytest.approx(exact(position))
    check(solver)
    for k in range(tree.used[SLOTS]):
        node = tree.slots[k, OWNER]
        if tree.nodes[node, PROVEN]:
            assert low + tree.mean[node] * (high - low) == pytest.approx(exact(Position(game, tree.states[k])))


@compiled_only
@pytest.mark.parametrize("heaps", [(2, 3, 4), (1, 3, 5), (1, 2, 4)])
def test_it_finds_the_winning_move_of_nim(heaps):
    position = Nim(heaps).start()
    assert ask(player("mcts(simulations=20000)", position.game), position, stream(1)) == PerfectNim().choose(
        position, None
    )


@compiled_only
def test_with_chance_it_finds_the_value_and_the_move_of_exact_play():
    game = Duel(6)
    choices = set()
    for text in ("1:1 left 6 die 1", "0:3 left 6 die 2", "2:1 left 5 die 1", "4:1 left 5 die 3"):
        position = game.position(text)
        want = {str(move): exact(position.play(move))[position.turn] for move in position.moves()}
        looks = grown(position, 20_000).look(position, stream(2))
        assert str(looks[0].move) == max(want, key=lambda move: want[move])
        assert looks[0].value == pytest.approx(max(want.values()), abs=0.05)
        choices.add(str(looks[0].move))
    assert choices == {"add", "take"}


@compiled_only
def test_where_all_move_at_once_its_moves_are_mixed_as_the_equilibrium_is():
    game = Pennies()
    position = game.position("1:1").seen_by(0)
    looks = grown(position, 5_000).look(position, stream(1))
    assert looks[0].visits / sum(look.visits for look in looks) < 0.6
    assert looks[0].value == pytest.approx(0.0, abs=0.1)
    chooser = make_mcts(game, None, simulations=500, nodes=5_000)
    tails = np.mean([ask(chooser, position, stream(2, i), seat) for seat in (0, 1) for i in range(100)])
    assert 0.35 < tails < 0.65


def test_all_kinds_of_states_are_searched_in_plain_python_too():
    for position in (
        NIM.start(),
        Duel().position("1:1 left 2 die 1"),
        Pennies().start().seen_by(1),
        start_of(Stairs()),
    ):
        searched = grown(position, 60, leaf=1)
        check(searched)
        looks = searched.look(position, stream(3))
        assert {look.move for look in looks} == set(position.moves())
        assert sum(look.visits for look in looks) == 60 - 1 or searched.tree.nodes[0, PROVEN]


def start_of(game: Any) -> Position:
    position = game.start()
    for i in range(100):
        if position.kind == "decision" and len(position.moves()) > 1:
            break
        position = position.roll(stream(i)) if position.kind == "chance" else position.play(position.moves()[0])
    return position


@compiled_only
def test_a_full_tree_is_searched_on_without_growing():
    position = Nim((3, 4, 5)).start()
    small = make_mcts(position.game, None, simulations=5_000, nodes=300)
    looks = small.look(position, stream(1))
    assert small.tree.used[NODES] <= 300
    assert sum(look.visits for look in looks) == 5_000 - 1
    check(small)


@compiled_only
def test_more_simulations_beat_fewer():
    result = arena(Nim((4, 5, 6)), ["mcts(simulations=1500)", "mcts(simulations=20)"], games=50, seed=1, jobs=1)
    assert result.rows[0].wins > 32


# --- keeping the tree ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "position",
    [Nim((3, 4, 5)).start(), Duel(6).position("1:1 left 6 die 1"), Pennies(4).start().seen_by(0)],
    ids=["nim", "duel", "pennies"],
)
def test_what_is_known_below_the_new_root_is_kept(position):
    searched = grown(position, 3_000 if JIT else 100, leaf=1)
    tree = searched.tree
    counts = [tree.nodes[tree.slots[k, OWNER], VISITS] for k in range(1, tree.used[SLOTS])]
    k = 1 + int(np.argmax(counts))
    state, visits, mean = tree.states[k].copy(), max(counts), tree.mean[tree.slots[k, OWNER]].copy()
    below = subtree(searched, int(tree.slots[k, OWNER]))
    node = find_state(tree, state)
    keep_below(tree, node)
    assert np.array_equal(tree.states[tree.nodes[0, SLOT]], state)
    assert tree.nodes[0, VISITS] == visits
    assert tree.mean[0] == pytest.approx(mean)
    check(searched)
    assert subtree(searched, 0) == below


def subtree(player: MCTS, root: int) -> Any:
    """All that hangs below a node: moves and visits, nested."""
    tree = player.tree
    below: dict[int, list[int]] = {}
    for node in range(1, tree.used[NODES]):
        below.setdefault(int(tree.nodes[node, PARENT]), []).append(node)

    def of(node: int) -> Any:
        return [(int(tree.nodes[n, MOVE]), int(tree.nodes[n, VISITS]), of(n)) for n in below.get(node, [])]

    return of(root)


@compiled_only
def test_a_player_by_time_goes_on_with_its_tree_and_one_by_count_begins_anew():
    position = Nim((3, 4, 5)).start()
    timed = make_mcts(position.game, None, seconds=0.3, c=1.0)
    position = position.play(timed.choose(position, np.random.default_rng(1)))
    position = position.play(position.moves()[0])
    tree = timed.tree
    known = tree.nodes[find_state(tree, position.state.copy()), VISITS]
    assert known > 0
    looks = timed.look(position, stream(1))
    assert sum(look.visits for look in looks) >= known - 1
    assert np.array_equal(tree.states[0], position.state)

    counted = make_mcts(position.game, None, simulations=50)
    for _ in range(2):
        assert sum(look.visits for look in counted.look(position, stream(1))) == 50 - 1


# --- players ---------------------------------------------------------------------------------------------------------


@compiled_only
def test_by_count_a_seed_decides_every_game_whatever_the_number_of_cores():
    name = "mcts(simulations=30)"
    one = arena(NIM, [name, "random"], games=20, seed=3, jobs=1)
    again = arena(NIM, [name, "random"], games=20, seed=3, jobs=1, slots=1)
    assert np.array_equal(one.shares, again.shares)


@compiled_only
def test_thinking_ends_when_it_is_told_to_and_when_there_is_nothing_to_find():
    position = Nim((4, 5, 6)).start()
    thinker = make_mcts(position.game, None)
    stop = threading.Event()
    threading.Timer(0.05, stop.set).start()
    assert (
        thinker.think(position, 1000.0, stop, stream(1)) in position.moves()
    )  # or this test takes a quarter of an hour
    solved = Nim((0, 1, 2)).start()
    assert str(make_mcts(solved.game, None).think(solved, 1000.0, None, stream(1))) == "C1"


@compiled_only
def test_it_gives_hints_and_can_be_sent_to_another_process():
    position = Nim((0, 1, 2)).start()
    advisor = player("mcts(simulations=200)", position.game)
    ranked = rank(advisor, position, stream(1))
    assert (str(ranked[0][0]), ranked[0][1]) == ("C1", 1.0)
    assert rank(pickle.loads(pickle.dumps(advisor)), position, stream(1)) == ranked


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("mcts(seconds=1,simulations=5)", "by time or by count"),
        ("mcts(seconds=0)", "a time in seconds is a number above 0"),
        ("mcts(leaf=-1)", "a number of playouts is a whole number from 1"),
        ("mcts(c=-1)", "a weight is a number from 0"),
        ("mcts(mix=0.5)", "name one, as in mcts:runs"),
        ("mcts(mix=2)", "from 0 to 1"),
        ("mcts:nowhere", "nowhere"),
        ("mcs(playouts=0)", "from 1 to"),
        ("mcs(seconds=0)", "above 0"),
        ("mcs(playouts=1,seconds=1)", "not both"),
        ("nmcs(level=3)", "one of 1, 2"),
        ("nmcs(games=0)", "from 1 to"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(name, complaint):
    with pytest.raises(LudusError, match=complaint):
        player(name, NIM)


# --- networks --------------------------------------------------------------------------------------------------------


def network_of(game: Stairs) -> tuple[NetworkLeaf, naive.Judge]:
    sections, inputs, outputs = Table().shape(game)
    net = new_network(sections, inputs, 3, outputs, seed=1)
    for part in net:
        part *= 20  # so that positions differ
    return network_leaf(game, Table(), net), naive.Judge(naive.wide(net), Table(), game)


def test_a_network_judges_a_leaf_by_its_best_move_and_search_begins_with_that():
    game = Stairs()
    position = start_of(game)
    seat = position.turn
    leaf, judge = network_of(game)
    state = position.state.copy()
    worth = {int(m): judge.worth(judge.static(judge.after(state, int(m)))) for m in position.moves()}
    best = max(worth, key=lambda move: worth[move][seat])
    searched = MCTS(game, [OneByOne(leaf, uct_options(game, 0.3, True))], Effort(simulations=1, nodes=1000))
    searched.look(position, stream(1))
    assert values(searched) == pytest.approx(worth[best], abs=1e-5)
    searched = MCTS(game, [OneByOne(leaf, uct_options(game, 0.3, True))], Effort(simulations=2, nodes=1000))
    assert [look.move for look in searched.look(position, stream(1)) if look.visits] == [best]


def test_random_games_have_their_share_in_a_mixed_judgement():
    game = Stairs()
    position = start_of(game)
    leaf, _ = network_of(game)

    def value(share: float) -> np.ndarray:
        out = np.zeros(4)
        mixed = Mixed(leaf, 20_000 if JIT else 20, share, np.zeros(4))
        evaluate(mixed, game, position.state.copy(), stream(1), sizes_of(game), out)
        return out

    assert value(0.25) == pytest.approx(0.75 * value(0.0) + 0.25 * value(1.0))
    assert sum(value(1.0)) == pytest.approx(1.0)  # one of four wins
    assert np.abs(value(0.0) - value(1.0)).max() > 0.05


def test_a_clock_that_has_run_out_before_the_first_look_still_gives_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    # As on a machine so busy that the tree is planted too late.
    now = iter(range(0, 10**9, 5))
    monkeypatch.setattr("ludus.search.growing.time.perf_counter", lambda: float(next(now)))
    for game in (Nim(), Pennies()):
        position = game.start()
        assert ask(player("mcts(seconds=1)", game), position, stream(1), 0) in position.moves(0)
