"""The encoding `plans`: which network judges a position, moves judged by what they change, and networks that grow out of smaller ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ludus
from ludus.batch import Games
from ludus.contract.rules import CHANCE, moves, play, turn
from ludus.contract.views import encoding_of, features, section, worth
from ludus.errors import LudusError
from ludus.games.backgammon import backgammon
from ludus.games.backgammon.endings import is_ending
from ludus.games.backgammon.features import LATE, RACE
from ludus.games.backgammon.plans import (
    BOTH_BACK,
    BOTH_LATE,
    OWN_ANCHOR,
    OWN_BACK,
    OWN_BACK_ANCHOR,
    OWN_BACK_GAME,
    OWN_LATE,
    SECTIONS,
    THEIR_ANCHOR,
    THEIR_BACK,
    THEIR_BACK_ANCHOR,
    THEIR_BACK_GAME,
    THEIR_LATE,
)
from ludus.games.backgammon.rules import SIDE, TURN
from ludus.kernel import stream
from ludus.methods import method_class
from ludus.nets.network import new_network
from ludus.nets.value import best_move, near_best, predict, predict_change, survey, workspace
from ludus.players.models import model_of
from ludus.search.lookahead import expect

GAME = backgammon()
PLANS = encoding_of(GAME, "plans")


@pytest.fixture(scope="module")
def decisions() -> np.ndarray:
    """States with dice, of random games, which see everything."""
    played = Games(GAME, seed=3, count=40, slots=40)
    batch, found = played.begin(), []
    while len(batch):
        found.append(batch.states.copy())
        batch = played.step(batch.random_moves())
    states = np.concatenate(found)
    return states[np.random.default_rng(1).permutation(len(states))[:200]]


def after_moves(state: np.ndarray) -> list[tuple[int, np.ndarray]]:
    legal = np.zeros(GAME.facts.max_moves, np.int64)
    found = []
    for move in legal[: moves(GAME, state.copy(), turn(GAME, state), legal)]:
        child = state.copy()
        play(GAME, child, move)
        found.append((int(move), child))
    return found


def test_a_move_is_judged_by_what_it_changes_as_the_position_after_it_is(decisions: np.ndarray) -> None:
    net = new_network(*PLANS.shape(GAME)[:2], 24, 5, seed=1)
    ws = workspace(net, GAME, GAME.facts.max_moves, GAME.facts.state_size, 2)
    by_change = 0
    for state in decisions:
        assert survey(net, PLANS, GAME, state, ws)
        for move, child in after_moves(state):
            if predict_change(net, PLANS, GAME, state, move, ws):
                by_change += 1
                found = ws.output.copy()
                predict(net, PLANS, GAME, child, ws)
                assert found == pytest.approx(ws.output, abs=1e-5)
                survey(net, PLANS, GAME, state, ws)  # as `predict` uses the same arrays
    assert by_change > 1000


def test_the_mean_over_all_rolls_is_that_of_the_best_moves_each_seen_as_a_whole(decisions: np.ndarray) -> None:
    """`expect` surveys a position once for all rolls, and judges moves by what they change."""
    net = new_network(*PLANS.shape(GAME)[:2], 24, 5, seed=1)
    ws = workspace(net, GAME, GAME.facts.max_moves, GAME.facts.state_size, 2)
    outcomes, odds, found = np.zeros(30, np.int64), np.zeros(30), np.zeros(5, np.float32)
    for state in decisions[:12]:
        before = after_moves(state)[0][1]
        if turn(GAME, before) != CHANCE:
            continue
        expect(net, PLANS, GAME, before, ws, outcomes, odds, found)
        mean = 0.0
        for roll, share in zip(outcomes[:21].tolist(), odds[:21].tolist(), strict=True):
            rolled = before.copy()
            play(GAME, rolled, roll)
            best = -np.inf
            for _, child in after_moves(rolled):
                predict(net, PLANS, GAME, child, ws)
                worth(PLANS, GAME, ws.output, ws.worth)
                best = max(best, ws.worth[rolled[TURN]])
            mean += share * best
        worth(PLANS, GAME, found, ws.worth)
        assert ws.worth[before[TURN]] == pytest.approx(mean, abs=1e-5)


def test_random_moves_within_a_margin_are_those_that_seem_nearly_best(decisions: np.ndarray) -> None:
    net = new_network(*PLANS.shape(GAME)[:2], 24, 5, seed=1)
    ws, rng, seen = workspace(net, GAME, GAME.facts.max_moves, GAME.facts.state_size, 2), stream(1), 0
    for state in decisions[:10]:
        seat, values = turn(GAME, state), {}
        for move, child in after_moves(state):
            predict(net, PLANS, GAME, child, ws)
            worth(PLANS, GAME, ws.output, ws.worth)
            values[move] = float(ws.worth[seat])
        margin = (max(values.values()) - min(values.values())) / 3
        near = {move for move, value in values.items() if value >= max(values.values()) - margin - 1e-6}
        best_move(net, PLANS, GAME, state, seat, ws)
        drawn = {int(near_best(net, PLANS, GAME, state, seat, margin + 1e-6, rng, ws)) for _ in range(40 * len(near))}
        assert drawn == near
        seen += len(near) > 1
    assert seen > 2


def test_seats_that_change_places_change_plans() -> None:
    pairs = [(OWN_BACK, THEIR_BACK), (OWN_BACK_GAME, THEIR_BACK_GAME), (OWN_LATE, THEIR_LATE)]
    pairs += [(OWN_ANCHOR, THEIR_ANCHOR), (OWN_BACK_ANCHOR, THEIR_BACK_ANCHOR)]
    other = dict(pairs) | {there: here for here, there in pairs}
    seen = set()
    played = Games(GAME, seed=5, count=30, slots=30)
    batch = played.begin()
    while len(batch):
        for state in batch.states:
            turned = state.copy()
            turned[TURN] = 1 - state[TURN]
            plan = section(PLANS, GAME, state)
            seen.add(int(plan))
            both = {plan, section(PLANS, GAME, turned)} == {
                OWN_BACK_GAME
            }  # each has many back, and looks at itself first
            assert both or section(PLANS, GAME, turned) == other.get(plan, plan)
            exchanged = np.concatenate([state[SIDE : 2 * SIDE], state[:SIDE], [1 - state[TURN]], state[TURN + 1 :]])
            assert section(PLANS, GAME, exchanged) == plan
        batch = played.step(batch.random_moves())
    assert seen == set(range(SECTIONS))


@pytest.mark.parametrize(
    ("position", "plan"),
    [
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", BOTH_BACK),  # the beginning
        ("XGID=-BBBBBBC----------cbbbbbb-:0:0:1:00:0:0:0:0:10", RACE),
        ("XGID=-b----E-C---eE---c-eB-----:0:0:1:00:0:0:0:0:10", OWN_ANCHOR),
        ("XGID=-b----E-C---eE---c-eB-----:0:0:-1:00:0:0:0:0:10", THEIR_ANCHOR),
    ],
)
def test_plans_of_positions(position: str, plan: int) -> None:
    assert section(PLANS, GAME, GAME.position(position).state) == plan


@pytest.mark.parametrize("name", ["plans", "rich"])
def test_before_the_opening_roll_the_board_is_seen_as_by_the_first_seat(name: str) -> None:
    """In a match other numbers stand where a turn of -1 would look: scores up to 1,000, and the cube."""
    match = ludus.game("backgammon(match=1000)")
    encoding = encoding_of(GAME, name)
    before = match.position("XGID=-b----E-C---eE---c-e----B-:0:0:0:00:900:899:0:1000:10").state.copy()
    first = before.copy()
    assert before[TURN] == -1
    first[TURN] = 0
    assert section(encoding, match, before) == section(encoding, match, first)
    inputs, values = np.zeros((2, 248), np.int64), np.zeros((2, 248), np.float32)
    counts = [features(encoding, match, state, inputs[i], values[i]) for i, state in enumerate((before, first))]
    assert counts[0] == counts[1] > 30
    assert np.array_equal(inputs[0], inputs[1])
    assert np.array_equal(values[0], values[1])


def test_a_grown_network_judges_as_the_small_one_did(decisions: np.ndarray) -> None:
    rich, small = model_of(GAME, "backgammon-rich")
    learner = method_class("selfplay")(encoding="plans", hidden=170, begin_with="backgammon-rich").begin(
        GAME, games=100
    )
    ws, wide = (
        workspace(net, GAME, GAME.facts.max_moves, GAME.facts.state_size, 2) for net in (small, learner.network)
    )
    compared = 0
    for state in decisions:
        for _, child in after_moves(state)[:3]:
            predict(small, rich, GAME, child, ws)
            predict(learner.network, PLANS, GAME, child, wide)
            if not is_ending(child):
                assert wide.output == pytest.approx(ws.output, abs=1e-5)
                compared += 1
    assert compared > 300


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"hidden": 100}, "a network of 160 units for encoding 'rich' can't grow into one of 100 for 'plans'"),
        ({"encoding": "board"}, "can't grow into one of 200 for 'board'"),
        ({"begin_with": "nobody"}, "there is no file .*nobody"),
        ({"begin_with": "quoridor"}, "is a model for quoridor"),
    ],
)
def test_a_network_that_can_not_grow(wish: dict, words: str, tmp_path: Path) -> None:
    settings = {"encoding": "plans", "hidden": 200, "begin_with": "backgammon-rich", "games": 10} | wish
    with pytest.raises(LudusError, match=words):
        ludus.train("backgammon", method="selfplay", out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_every_plan_is_late_or_a_race_where_rich_says_so(decisions: np.ndarray) -> None:
    rich = encoding_of(GAME, "rich")
    for state in decisions:
        kind, plan = section(rich, GAME, state), section(PLANS, GAME, state)
        assert (plan == RACE) == (kind == RACE)
        assert (plan in (OWN_LATE, THEIR_LATE, BOTH_LATE)) == (kind == LATE)
    assert {section(PLANS, GAME, state) for state in decisions} >= {BOTH_BACK, OWN_BACK}
