"""The encoding `plans`: which network judges a position, moves judged by what they change, and networks that grow out of smaller ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ludus
from ludus.batch import Games
from ludus.contract.rules import moves, play, turn
from ludus.contract.views import encoding_of, section
from ludus.errors import LudusError
from ludus.games.backgammon import backgammon
from ludus.games.backgammon.endings import is_ending
from ludus.games.backgammon.features import LATE, RACE
from ludus.games.backgammon.plans import (
    BOTH_BACK,
    OWN_BACK,
    OWN_BACK_GAME,
    SECTIONS,
    THEIR_BACK,
    THEIR_BACK_GAME,
)
from ludus.games.backgammon.rules import SIDE, TURN
from ludus.methods import method_class
from ludus.nets.network import new_network
from ludus.nets.value import predict, predict_change, survey, workspace
from ludus.players.models import model_of

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


def test_seats_that_change_places_change_plans() -> None:
    other = {OWN_BACK: THEIR_BACK, THEIR_BACK: OWN_BACK, OWN_BACK_GAME: THEIR_BACK_GAME, THEIR_BACK_GAME: OWN_BACK_GAME}
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
    ],
)
def test_plans_of_positions(position: str, plan: int) -> None:
    assert section(PLANS, GAME, GAME.position(position).state) == plan


def test_a_grown_network_judges_as_the_small_one_did(decisions: np.ndarray) -> None:
    rich, small = model_of(GAME, "backgammon")
    learner = method_class("selfplay")(encoding="plans", hidden=170, begin_with="backgammon").begin(GAME, games=100)
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
    settings = {"encoding": "plans", "hidden": 200, "begin_with": "backgammon", "games": 10} | wish
    with pytest.raises(LudusError, match=words):
        ludus.train("backgammon", method="selfplay", out=tmp_path / "run", **settings)
    assert not (tmp_path / "run").exists()


def test_every_plan_is_late_or_a_race_where_rich_says_so(decisions: np.ndarray) -> None:
    rich = encoding_of(GAME, "rich")
    for state in decisions:
        kind, plan = section(rich, GAME, state), section(PLANS, GAME, state)
        assert (plan in (RACE, LATE)) == (kind in (RACE, LATE))
        assert plan not in (RACE, LATE) or plan == kind
    assert {section(PLANS, GAME, state) for state in decisions} >= {BOTH_BACK, OWN_BACK}
