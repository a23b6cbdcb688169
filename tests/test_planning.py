"""Plans for one seat: against plain recursion on sheets made at random, on the sheets that come with ludus, and the parts that they are made with."""

from __future__ import annotations

import pickle
import threading
import time
from typing import Any

import numpy as np
import pytest

import ludus
from lone_walks import Walk, walk
from ludus.contract import rules
from ludus.contract.clock import NoClock
from ludus.contract.planning import best_ahead, counter_of, guide_of, steps_to_go
from ludus.contract.position import Position
from ludus.contract.rules import EACH, OVER, moves, play, play_pairs, scores, sizes_of, turn
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.lanes import GOALS, LEGAL, MOVES, NEXT, PROPOSITIONS, REGISTERS, begin_of
from ludus.games.gdl.sheet import read_sheet
from ludus.kernel import JIT, below, stream
from ludus.search.adapting import ITERATIONS, TOTAL, adapt, new_nest
from ludus.search.breadth import EXHAUSTED, NODES, new_layers, widen
from ludus.search.planning import Planner
from toys import Nim, Race

LONG = 600.0  # seconds: these searches end because they have found what there is
SOLO = ("eightpuzzle", "lightsout", "knightstour", "maze", "fifteenpuzzle", "pegs", "blocks")


def end_of(game: Any, plan: tuple[int, ...]) -> float:
    """The score at the end of a plan, which must be an end of the game."""
    state, result = game.first(), np.zeros(1)
    for move in plan:
        assert turn(game, state) != OVER
        assert move in [int(legal) for legal in Position(game, state).moves()]
        play(game, state, move)
    assert turn(game, state) == OVER
    scores(game, state, result)
    return float(result[0])


def states_of(game: Any, count: int, seed: int = 1) -> np.ndarray:
    """States of random games that are not over."""
    rng, legal, found = stream(seed), np.zeros(game.facts.max_moves, np.int64), []
    state = game.first()
    while len(found) < count:
        if turn(game, state) == OVER:
            state = game.first()
        found.append(state.copy())
        mover = turn(game, state)
        play(game, state, int(legal[below(rng, moves(game, state, mover, legal))]))
        if turn(game, state) == OVER:
            state = game.first()
    return np.array(found)


# --- plans against plain recursion -----------------------------------------------------------------------------------


def planned(known: Walk, name: str) -> None:
    game = gdl.load(known.sheet, name)
    plan = Planner(game).plan(game.first(), LONG, None, stream(1))
    assert plan is not None
    assert plan.proven
    assert round(100 * plan.score) == known.best()
    assert known.score([game.move_text(game.first(), move) for move in plan.moves]) == known.best()


@pytest.mark.parametrize("seed", range(25 if JIT else 3))
def test_walks_that_end_by_a_clock(seed: int) -> None:
    planned(walk(seed), f"walk{seed}")


@pytest.mark.parametrize("seed", range(25 if JIT else 3))
def test_walks_whose_goals_depend_on_the_number_of_steps_in_any_way(seed: int) -> None:
    # Here it may be best to come later to a place: what only counts steps can be left out of a search for plans, but not of a proof.
    planned(walk(seed, timed=True), f"timed{seed}")


@pytest.mark.parametrize("seed", range(5))
def test_no_end_is_better_than_the_guide_says(seed: int) -> None:
    known = walk(seed, timed=True)
    game = gdl.load(known.sheet, f"timed{seed}")
    guide = guide_of(game)
    state, node, step = game.first(), 0, 0
    while turn(game, state) != OVER:
        later = max(value for (_, when), value in known.worth.items() if when >= step)
        assert known.best(node, step) <= round(100 * best_ahead(guide, game, state)) <= later
        assert known.best(node, step) <= round(100 * guide.best)
        move = Position(game, state).moves()[0]
        node, step = known.ways[node][move.text], step + 1
        play(game, state, int(move))


def test_all_states_are_found_once() -> None:
    known = walk(3, nodes=30, limit=12)
    game = gdl.load(known.sheet, "walk3")
    for counter, with_steps in ((counter_of(game), False), (NoClock(), True)):
        reached, layer = {(0, 0) if with_steps else 0}, {0}
        for step in range(1, known.limit):
            layer = {there for node in layer for there in known.ways[node].values()} - known.ends
            reached |= {(node, step) if with_steps else node for node in layer}
        status, layers = widen(
            game, counter, new_layers(game, counter, game.first()), sizes_of(game), 10**6, 10**6, 2.0
        )
        assert status == EXHAUSTED
        assert int(layers.used[NODES]) == len(reached)


# --- the sheets that come with ludus ---------------------------------------------------------------------------------


def test_every_sheet_with_one_seat_is_named_here() -> None:
    roles = {name: read_sheet(gdl.read_text(path)).roles for name, path in gdl.shipped().items()}
    assert sorted(SOLO) == [name for name, known in roles.items() if len(known) == 1]  # chance would be a role, too


@pytest.mark.skipif(not JIT, reason="takes long in plain Python")
@pytest.mark.parametrize("name", SOLO)
def test_the_best_end_is_found(name: str) -> None:
    game, best, stop = ludus.game(name), 0.95 if name == "blocks" else 1.0, threading.Event()

    def tell(plan: Any) -> None:
        if plan.score >= best:
            stop.set()

    plan = Planner(game).plan(game.first(), LONG, stop, stream(1), tell)
    assert plan is not None
    assert plan.score == best == end_of(game, plan.moves)
    assert plan.proven or name == "blocks"  # 100 is known to be the highest


def test_the_shortest_way_of_the_maze_is_found_without_counting_steps() -> None:
    game = ludus.game("maze")
    plan = Planner(game).plan(game.first(), LONG, None, stream(1))
    assert plan is not None
    assert len(plan.moves) == 29  # breadth-first: none is shorter


# --- the parts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["eightpuzzle", "knightstour", "tictactoe", "connectfour4x4", "breakthrough6"])
def test_pairs_are_played_like_one_after_the_other(name: str) -> None:
    game = ludus.game(name)
    assert_pairs(game, states_of(game, 40))


def test_pairs_of_a_game_of_your_own() -> None:
    game = Nim((3, 4, 5))
    state = np.zeros(game.facts.state_size, np.int64)
    rules.start(game, state)
    assert_pairs(game, np.array([state, [1, 0, 2, 1]]))


def assert_pairs(game: Any, states: np.ndarray) -> None:
    legal, pairs = np.zeros(game.facts.max_moves, np.int64), []
    for i, state in enumerate(states):
        pairs += [(i, int(move)) for move in legal[: moves(game, state, turn(game, state), legal)]]
    for first in range(0, len(pairs), EACH):
        some = pairs[first : first + EACH]
        which, chosen = np.array([i for i, _ in some]), np.array([move for _, move in some])
        out = np.zeros((EACH, states.shape[1]), np.int64)
        play_pairs(game, states, which, chosen, len(some), out)
        for k, (i, move) in enumerate(some):
            after = states[i].copy()
            play(game, after, move)
            assert out[k].tolist() == after.tolist()


def plainly_relaxed(game: Any, state: np.ndarray, conditions: list[int]) -> float:
    """The rounds of the relaxed game until each condition can hold, in sum: sets of literals, one state, no lanes."""
    propositions, inputs = int(game.sizes[PROPOSITIONS]), 1 + int(game.sizes[PROPOSITIONS] + game.sizes[MOVES])
    base, begin = inputs + int(game.sizes[REGISTERS]), int(begin_of(game))
    assert base == inputs, "no sheet here depends on itself"
    can = {1} | {2 * (1 + p) + (0 if int(state[begin + (p >> 6)]) >> (p & 63) & 1 else 1) for p in range(propositions)}
    can |= {2 * (1 + propositions + m) + 1 for m in range(int(game.sizes[MOVES]))}
    total = 0
    while True:
        while True:  # gates, until nothing follows any more
            size = len(can)
            for phase in (LEGAL, GOALS, NEXT):
                for begin_gate, end_gate, *_ in game.segments[game.parts[phase] : game.parts[phase + 1]].tolist():
                    for g in range(begin_gate, end_gate):
                        a, b = int(game.left[g]), int(game.right[g])
                        can |= {2 * (base + g)} if a in can and b in can else set()
                        can |= {2 * (base + g) + 1} if a ^ 1 in can or b ^ 1 in can else set()
            can |= {
                2 * (1 + propositions + m) for m, literal in enumerate(game.legal_literals.tolist()) if literal in can
            }
            if len(can) == size:
                break
        missing = [literal for literal in conditions if literal not in can]
        if not missing:
            return total
        total += len(missing)
        after = {
            2 * (1 + p) + s for p, n in enumerate(game.next_literals.tolist()) for s in (0, 1) if int(n) ^ s in can
        }
        if after <= can:
            return float("inf")
        can |= after


@pytest.mark.parametrize("name", ["eightpuzzle", "lightsout", "maze", "pegs", "blocks"])
def test_the_relaxed_game_by_sets_of_literals(name: str) -> None:
    game = ludus.game(name)
    guide, states, out = guide_of(game), states_of(game, 12 if JIT else 3), np.zeros(EACH)
    steps_to_go(guide, game, states, len(states), out)
    for state, found in zip(states, out, strict=False):
        assert found == plainly_relaxed(game, state, guide.conditions.tolist())


def test_far_is_further_than_near_and_what_is_lost_is_infinitely_far() -> None:
    game, out = ludus.game("pegs"), np.zeros(EACH)
    texts = ["(peg 4 2) (peg 4 3) (left 2)", "(peg 1 4) (peg 7 4) (left 2)"]
    states = np.array([game.read_state(text) for text in texts])
    steps_to_go(guide_of(game), game, states, 2, out)
    assert 0 < out[0] < np.inf
    assert out[1] == np.inf


def test_policies_move_towards_the_best_game() -> None:
    game, games = ludus.game("knightstour"), ITERATIONS - 1 if JIT else 10
    nest, rng = new_nest(game), stream(3)
    adapt(game, game.first(), nest, sizes_of(game), rng, games, 2.0)
    plan = tuple(int(move) for move in nest.top[: nest.used[TOTAL]])
    assert end_of(game, plan) == nest.best[0] == nest.score[1]
    learned, means = nest.policy[1].copy(), []
    for policy in (learned, np.zeros_like(learned)):
        found = []
        for _ in range(30):  # one game each, by the same policy
            nest.policy[1] = policy
            adapt(game, game.first(), nest, sizes_of(game), rng, 1, 2.0)
            found.append(nest.score[0])
        means.append(np.mean(found))
    assert means[0] > means[1] + 0.05


# --- the player ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "words"),
    [("tictactoe", "has 2 seats"), ("pig", "has 2 seats"), (Race(), "has 4 seats")],
    ids=str,
)
def test_other_games_are_refused_in_a_line(game: Any, words: str) -> None:
    with pytest.raises(LudusError, match=words) as found:
        ludus.player("plan", ludus.game(game) if isinstance(game, str) else game)
    assert "\n" not in str(found.value)


def test_chance_is_refused() -> None:
    game = gdl.load(
        "(role random) (role me) (init (at 0)) (legal random a) (legal random b) (legal me x) (legal me y)"
        "(<= (next (at 1)) (does random a)) (<= (next (at 2)) (does random b))"
        "(<= terminal (true (at 1))) (<= terminal (true (at 2))) (<= (goal me 100) (true (at 1))) (<= (goal me 0) (true (at 2)))"
        "(goal random 0)",
        "coin",
    )
    with pytest.raises(LudusError, match="coin has chance: plans are made"):
        ludus.player("plan", game)


def test_a_proven_plan_is_followed_without_searching_again() -> None:
    game = ludus.game("maze")
    player = ludus.player(f"plan(seconds={LONG:g})", game)
    position, played = game.start(), 0
    while not position.over:
        known = player.planner.best is not None
        assert not known or player.planner.best.proven
        chosen = player.think(position, 0.0 if known else LONG, None, np.random.default_rng(played))
        position, played = position.play(chosen), played + 1
    assert played == 29
    assert list(position.scores()) == [1.0]
    position = game.start().play(game.start().moves()[0])
    again = player.think(position, 0.0, None, stream(9))  # the next game: still known
    assert (again, len(player.planner.best.moves)) == (player.planner.best.moves[0], 28)


def test_it_answers_when_it_is_stopped_and_says_what_it_would_play() -> None:
    game, stop = ludus.game("blocks"), threading.Event()
    player = ludus.player("plan", game)
    player.prepare()
    thread = threading.Thread(target=player.think, args=(game.start(), LONG, stop, stream(1)))
    thread.start()
    while player.best is None:
        time.sleep(0.01)
    stop.set()
    thread.join(LONG)
    assert not thread.is_alive()
    assert player.best in [int(move) for move in game.start().moves()]
    stop.set()
    assert player.think(game.start(), LONG, stop, stream(1)) in game.start().moves()


def test_moves_are_ranked_by_what_they_lead_to() -> None:
    known = walk(2)
    game = gdl.load(known.sheet, "walk2")
    player, position = ludus.player("plan(seconds=20)", game), game.start()
    found = player.rank(position, stream(1))
    for move, value in found:
        after = known.ways[0][move.text]
        if after in known.ends:
            assert round(100 * value) == known.worth[after, 1]
    assert found[0][1] == max(value for _, value in found) == known.best() / 100
    assert {move for move, _ in found} == set(position.moves())
    assert all(one.proven for one in player.look(position, stream(1)))


def test_a_player_goes_to_other_processes() -> None:
    player = pickle.loads(pickle.dumps(ludus.player("plan(seconds=5)", ludus.game("maze"))))
    position = ludus.game("maze").start()
    assert player.choose(position, np.random.default_rng(1)) in position.moves()
    assert player.name == "plan(seconds=5)"


def test_an_interpreted_sheet_is_planned_too() -> None:
    known = walk(4, nodes=5, limit=4)
    game = gdl.load(known.sheet, "slow", seconds=0.0001)
    assert type(game).__name__ == "Interpreted"
    plan = Planner(game).plan(game.start().state, LONG, None, stream(1))
    assert plan is not None
    assert plan.proven
    assert round(100 * plan.score) == known.best()
