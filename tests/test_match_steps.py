"""Matches in small steps, as environments play them: the same games as in whole turns, with the cube among the actions."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import pytest

import ludus
import ludus.adapters.gymnasium  # registers the names
from ludus.adapters.actions import Actions, whole_move
from ludus.adapters.agents import Agent
from ludus.adapters.sights import Sights
from ludus.errors import LudusError

GAMES = (
    "backgammon(match=3)",
    "backgammon(cube=true,jacoby=true,beavers=2,automatic=2)",
    "backgammon(match=5,bearoff=3)",
)
ROLL, DOUBLE, TAKE, PASS = 156, 157, 158, 159


@pytest.mark.parametrize("name", GAMES)
def test_every_turn_in_steps_is_a_whole_turn(name: str) -> None:
    actions, rng, done = Actions(name), random.Random(3), set[int]()
    for _ in range(8):
        small, whole = actions.game.start(), actions.base.start()
        while not small.over:
            if small.kind == "chance":
                outcome = int(rng.choice(small.chances())[0])
                small, whole = small.play(outcome), whole.play(outcome)
            else:
                before, small = small, small.play(_chosen(rng, small, done))
                while not actions.whole(small.state):
                    assert actions.game.position(small.text).state.tolist() == small.state.tolist()
                    small = small.play(_chosen(rng, small, done))
                whole = whole.play(whole_move(actions, before.state.copy(), small.state.copy()))
            assert small.state[:-1].tolist() == whole.state.tolist()
        assert small.scores() == whole.scores()
    assert {ROLL, DOUBLE, TAKE, PASS} <= done


def _chosen(rng: random.Random, position: Any, done: set[int]) -> int:
    move = int(rng.choice(position.moves()))
    done.add(move)
    return move


def test_the_ids_of_openspiel_are_refused_with_what_to_use_instead() -> None:
    with pytest.raises(LudusError, match="OpenSpiel's backgammon knows no cube; use those of steps"):
        Actions("backgammon(match=3)", "openspiel")


def test_a_seat_sees_the_cube_and_the_score() -> None:
    actions = Actions("backgammon(match=7)")
    position = actions.game.position("XGID=-b----E-C---eE---c-e----B-:2:1:1:D:1:6:0:7:10")
    for seat, (mine, theirs) in enumerate([(6 / 7, 1 / 7), (1 / 7, 6 / 7)]):
        seen = Sights(actions).one(position.state.copy(), seat, False)[204:]
        owner = [1, 0] if seat == 0 else [0, 1]
        needs_one = [0, 1] if seat == 0 else [1, 0]
        expected = [0.2, *owner, 1, 0, 0, 0, 0, 0, 0, mine, theirs, *needs_one, 0]
        assert np.allclose(seen, expected)


def test_an_agent_meets_td_and_the_cube() -> None:
    env = gymnasium.make("ludus/Backgammon-v0", match=2, opponent="td")
    (observation, _), ended, acts = env.reset(seed=1), False, set[int]()
    while not ended:
        action = int(np.flatnonzero(observation["action_mask"])[-1])  # doubles wherever it may, and passes
        acts |= {action} if action >= ROLL else set()
        observation, reward, ended, _, _ = env.step(action)
    assert reward in (-1, 1)
    assert DOUBLE in acts


def test_an_agent_plays_matches_in_an_arena() -> None:
    last = Agent(lambda observations, masks: masks.shape[1] - 1 - masks[:, ::-1].argmax(1), name="last")
    assert ludus.arena("backgammon(match=2)", [last, "random"], games=4, seed=1)["last"].games == 4
