"""PettingZoo: its official tests for every game, and what they don't look at."""

from __future__ import annotations

import functools
import itertools
import types
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import ludus
from environments import EVERY, JOINT
from ludus.adapters import pettingzoo as adapter
from ludus.adapters.naming import JOINT_SHEETS, environments
from ludus.contract.rules import OVER
from ludus.errors import LudusError
from ludus.games import gdl

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo", "ignore::DeprecationWarning")

CYCLES = 20


@pytest.mark.parametrize("game", EVERY)
def test_every_game_passes_the_tests_of_aec_environments(game, capsys):
    api_test(adapter.env(game), num_cycles=CYCLES)
    seed_test(functools.partial(adapter.env, game), CYCLES)


@pytest.mark.parametrize("game", ["backgammon", "ludo", "quoridor(size=5)", "tictactoe", "tron"])
def test_renderings_pass_the_test_of_pettingzoo(game, capsys):
    render_test(functools.partial(adapter.env, game), {"svg": lambda shown: shown.startswith("<svg")})


@pytest.mark.parametrize("game", JOINT)
def test_games_in_which_all_move_at_once_pass_the_tests_of_parallel_environments(game, capsys):
    parallel_api_test(adapter.parallel_env(game), CYCLES)
    parallel_seed_test(functools.partial(adapter.parallel_env, game), CYCLES)


def test_games_are_cut_as_pettingzoo_wants_it(capsys):
    # Its test draws any actions, and none may end the game: only this sheet is so.
    game = "rockpaperscissors"
    module = types.SimpleNamespace(
        env=functools.partial(adapter.env, game), parallel_env=functools.partial(adapter.parallel_env, game)
    )
    max_cycles_test(module)


@pytest.mark.parametrize("game", ["backgammon", "ludo", "quoridor(size=5)", "trio"])
def test_games_are_cut_after_so_many_actions_of_each_agent(game):
    env, rng, acted = adapter.env(game, max_cycles=3), np.random.default_rng(1), 0
    env.reset(seed=1)
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            assert truncated
            env.step(None)
        else:
            env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
            acted += 1
    assert acted == 3 * env.unwrapped.table.game.facts.seats


def test_every_name_is_registered():
    assert {f"ludus/{name}-v0" for name in environments()} <= set(pettingzoo.aec_registry)
    assert {f"ludus/{name}-v0" for name in ("Tron", "Rockpaperscissors")} <= set(pettingzoo.parallel_registry)
    assert pettingzoo.make("aec", "ludus/Backgammon-v0", max_cycles=5).unwrapped.table.max_cycles == 5
    assert isinstance(pettingzoo.make("parallel", "ludus/Tron-v0"), pettingzoo.ParallelEnv)


def test_the_list_of_sheets_in_which_all_move_at_once_is_whole():
    small = [name for name in gdl.shipped() if name not in ("hex9", "hex10", "hex11", "gomoku15", "reversi")]
    assert tuple(name for name in small if ludus.game(name).start().kind == "joint") == JOINT_SHEETS == JOINT


def test_an_agent_acts_several_times_in_a_row_and_chance_is_inside():
    env, rng, order = adapter.env("backgammon"), np.random.default_rng(1), []
    env.reset(seed=1)
    for agent in env.agent_iter(60):
        seen, _, terminated, _, _ = env.last()
        order.append(agent)
        env.step(None if terminated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    assert any(a == b for a, b in itertools.pairwise(order))
    assert set(order) == {"player_0", "player_1"}


def play_out(env: Any, seed: int) -> dict[str, float]:
    """A game with legal actions; the sum of each agent's rewards."""
    rng, total = np.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    return total


@pytest.mark.parametrize("game", ["backgammon(bearoff=3)", "tictactoe", "tron", "trio"])
def test_rewards_are_the_scores(game):
    env = adapter.env(game)
    for seed in range(3):
        total = play_out(env, seed)
        assert env.unwrapped.table.turn == OVER
        assert list(total.values()) == env.unwrapped.table.scores().tolist()


def test_both_agents_see_the_board_from_their_own_side():
    env = adapter.env("backgammon")
    env.reset(seed=1)
    one, other = (env.observe(agent)["observation"] for agent in env.agents)
    assert np.array_equal(one[:192], other[:192])  # the beginning is the same from both sides
    assert not np.array_equal(one[192:], other[192:])  # but one is to move
    assert not env.observe(env.agents[1 - env.agents.index(env.agent_selection)])["action_mask"].any()


# --- wrong input ---------------------------------------------------------------------------------------------------------


def test_an_illegal_action_loses_the_game_and_says_why():
    env = adapter.env("backgammon")
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(0)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards[agent] == -3
    assert sum(env.rewards.values()) == 0
    assert "action 0 is not legal" in env.infos[agent]["illegal"]


UNLIKE = """(role x) (role y) (legal x a) (legal x b) (legal y a) (legal y c)
(<= (next done) (does x ?m)) (<= terminal (true done)) (goal x 50) (goal y 50)"""


def test_an_illegal_action_loses_where_all_move_at_once():
    env = adapter.parallel_env(gdl.load(UNLIKE, "unlike"))
    seen, _ = env.reset(seed=1)
    assert [one["action_mask"].tolist() for one in seen.values()] == [[1, 1, 0], [1, 0, 1]]
    _, rewards, terminated, _, infos = env.step({"player_0": 2, "player_1": 2})
    assert rewards == {"player_0": 0.0, "player_1": 1.0}
    assert all(terminated.values())
    assert infos["player_0"]["illegal"] == "action 2 is not legal for seat 0 here; legal are 0 (a), 1 (b)"
    assert infos["player_1"] == {}
    assert not env.agents


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: adapter.env("bacgammon"), "unknown game 'bacgammon'; did you mean 'backgammon'"),
        (lambda: adapter.parallel_env("backgammon"), r"in backgammon the seats take turns: use env\(\)"),
        (lambda: adapter.env("tictactoe", max_cycles=0), "max_cycles=0: give 1 or more"),
        (lambda: adapter.env("tictactoe", render_mode="png"), "render_mode='png' is none of human"),
        (lambda: adapter.env("tictactoe", size=5), "unknown argument of game 'tictactoe' 'size'"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(call, reason):
    with pytest.raises(LudusError, match=reason) as error:
        call()
    assert "\n" not in str(error.value)


def test_what_is_no_action_of_the_space_is_refused():
    env = adapter.env("tictactoe")
    env.reset(seed=1)
    with pytest.raises(LudusError, match="10 is no action of tictactoe; they are 0 to 9"):
        env.step(10)
    parallel = adapter.parallel_env("tron")
    parallel.reset(seed=1)
    with pytest.raises(LudusError, match="there is no action of player_1"):
        parallel.step({"player_0": 0})
