"""Gymnasium: the official checks for every game, vectorised games that go as single ones do, and what happens to wrong input."""

from __future__ import annotations

import doctest
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import ludus
import ludus.adapters.gymnasium as adapter
from environments import EVERY
from ludus.adapters.actions import Actions
from ludus.adapters.against import Against
from ludus.adapters.naming import environments
from ludus.adapters.rendering import MODES, rendered
from ludus.adapters.sights import Sights
from ludus.errors import LudusError
from ludus.kernel import JIT


def make(game: str, **settings: Any) -> Any:
    return gymnasium.make("ludus/Game-v0", game=game, **settings)


def any_legal(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def an_episode(env: Any, seed: int) -> list[Any]:
    """What happens in a game with legal actions, all of it."""
    rng, seen = np.random.default_rng(seed), env.reset(seed=seed)
    told, over = [seen], False
    while not over:
        seen = env.step(any_legal(seen[0]["action_mask"], rng))
        told.append(seen)
        over = seen[2]
    return told


# --- one game ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", EVERY)
def test_every_game_passes_gymnasiums_check(game, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what it only warns of counts as well
        check_env(make(game).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", ["Backgammon", "Tictactoe"])
def test_all_ways_to_render_pass_gymnasiums_check(name, capsys):
    check_env(gymnasium.make(f"ludus/{name}-v0").unwrapped)


def test_every_name_is_registered_and_leads_to_its_game():
    assert {f"ludus/{name}-v0" for name in environments()} <= set(gymnasium.registry)
    assert gymnasium.make("ludus/Hex5-v0").unwrapped.games.base == ludus.game("hex5")
    assert gymnasium.make("ludus/Quoridor-v0", size=5).unwrapped.games.base == ludus.game("quoridor(size=5)")
    assert gymnasium.make("ludus/BackgammonOpenSpiel-v0").action_space.n == 1352
    assert gymnasium.make("ludus/Backgammon-v0", encoding="raw").observation_space["observation"].shape == (198,)


def test_gymnasium_finds_the_names_by_the_module():
    code = "import gymnasium; print(gymnasium.make('ludus.adapters.gymnasium:ludus/Tictactoe-v0').action_space)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        == "Discrete(10)"
    )


@pytest.mark.parametrize("game", ["backgammon", "ludo", "quoridor(size=5)", "tictactoe", "pig", "tron"])
def test_the_same_seed_gives_the_same_game(game):
    one, other = an_episode(make(game), 3), an_episode(make(game), 3)
    assert [str(step) for step in one] == [str(step) for step in other]


def test_the_reward_is_the_score_of_the_agents_seat_at_the_end():
    for seat in (0, 1):
        env = make("backgammon", seat=seat).unwrapped
        *before, last = an_episode(env, 5)
        assert all(step[1] == 0 for step in before[1:])
        assert last[1] == last[4]["scores"][seat] != 0
        assert sum(last[4]["scores"]) == 0


def test_without_a_seed_the_next_game_is_another():
    env = make("backgammon")
    first = env.reset(seed=1)[0]["observation"]
    second = env.reset()[0]["observation"]
    assert not np.array_equal(first, second)
    env.reset(seed=1)
    assert np.array_equal(env.reset()[0]["observation"], second)


def test_the_agent_is_asked_at_its_own_decisions_only():
    env = make("ludo(seats=2)", seat=1, opponent="expert").unwrapped
    rng, seen = np.random.default_rng(1), env.reset(seed=1)[0]
    for _ in range(50):
        assert env.games.rows.turns[0] == 1
        seen, _, over, _, _ = env.step(any_legal(seen["action_mask"], rng))
        if over:
            break


def test_each_other_seat_can_have_a_player_of_its_own():
    env = make("ludo", seat=2, opponent=["fast", "random", "expert"]).unwrapped
    assert an_episode(env, 1)[-1][2]


@pytest.mark.skipif(not JIT, reason="td takes long in plain Python")
def test_strong_players_win():
    lost = [an_episode(make("backgammon", opponent="td"), seed)[-1][1] < 0 for seed in range(8)]
    assert sum(lost) >= 7


def test_masks_are_given_as_maskable_ppo_wants_them():
    env = make("tictactoe")
    seen, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == bool
    assert np.array_equal(masks, seen["action_mask"])
    assert np.array_equal(masks, info["action_mask"])


# --- rendering ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["backgammon", "ludo", "quoridor(size=5)", "hex5"])
def test_renderings_show_the_position(game, capsys):
    shown = {}
    for mode in MODES:
        env = make(game, render_mode=mode).unwrapped
        env.reset(seed=1)
        shown[mode] = env.render()
        state = env.games.rows.states[0]
    assert shown["ansi"] == env.games.game.board_text(state)
    assert shown["human"] is None
    assert shown["ansi"] in capsys.readouterr().out
    assert shown["svg"].startswith("<svg")
    assert shown["rgb_array"].dtype == np.uint8
    assert shown["rgb_array"].shape[1:] == (480, 3)
    assert len(np.unique(shown["rgb_array"].reshape(-1, 3), axis=0)) > 10


def test_dice_that_are_used_are_not_shown_as_if_they_were_not():
    position = ludus.game("backgammon-steps").start().play("31")
    before, after = (rendered(p.game, p.state, "svg") for p in (position, position.play("8/5")))
    assert before != after
    assert "used: 3" in rendered(position.game, position.play("8/5").state, "ansi")


# --- many games at once ------------------------------------------------------------------------------------------------


def vector(game: str, count: int, **settings: Any) -> Any:
    return gymnasium.make_vec("ludus/Game-v0", count, "vector_entry_point", game=game, **settings)


@pytest.mark.parametrize("game", ["backgammon", "tictactoe", "tron", "quoridor(size=5)"])
def test_games_go_in_a_vector_as_they_go_alone(game):
    # Row r of a vector with a seed is that seed's game r: a single environment that has played r games before is there too.
    count = 3
    envs, rng = vector(game, count), np.random.default_rng(2)
    seen, _ = envs.reset(seed=7)
    singles = [Against(game) for _ in range(count)]
    for row, single in enumerate(singles):
        single.begin(seed=7)
        for _ in range(row):
            single.begin()
    done = np.zeros(count, bool)
    for _ in range(40):
        actions = np.array([any_legal(m, rng) if m.any() else 0 for m in seen["action_mask"]])
        seen, rewards, over, cut, _ = envs.step(actions)
        for row, single in enumerate(singles):
            if done[row]:
                continue
            single.step(actions[row : row + 1])
            assert single.over[0] == over[row]
            assert np.array_equal(single.observe()[0], seen["observation"][row])
            assert np.array_equal(single.masks()[0], seen["action_mask"][row])
            assert single.scores()[0, 0] == rewards[row]
        done |= over
        assert not cut.any()
        if done.all():
            break


def test_a_game_that_ended_is_followed_by_the_next_at_the_next_step():
    envs, rng = vector("tictactoe", 4), np.random.default_rng(1)
    seen, _ = envs.reset(seed=1)
    assert envs.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.NEXT_STEP
    ended = np.zeros(4, bool)
    for _ in range(30):
        actions = np.array([any_legal(m, rng) if m.any() else 9 for m in seen["action_mask"]])
        seen, rewards, over, _, _ = envs.step(actions)
        assert envs.observation_space.contains(seen)
        assert (seen["action_mask"][ended].sum(1) >= 9).all()  # new games
        assert not rewards[ended].any()
        assert not over[ended].any()
        assert not seen["action_mask"][over].any()
        ended = over


def test_games_are_cut_after_so_many_steps():
    envs, rng = vector("quoridor", 2, max_episode_steps=5), np.random.default_rng(1)
    seen, _ = envs.reset(seed=1)
    lengths = []
    for _ in range(12):
        seen, _, over, cut, _ = envs.step([any_legal(m, rng) for m in seen["action_mask"]])
        lengths.append((bool(over[0]), bool(cut[0])))
    assert lengths == [(False, k % 6 == 4) for k in range(12)]


@pytest.mark.skipif(not JIT, reason="td takes long in plain Python")
def test_players_are_asked_for_all_games_at_once():
    asked: list[int] = []

    class Noting:
        def choose_batch(self, batch: Any) -> np.ndarray:
            asked.append(len(batch))
            return batch.random_moves()

    envs = vector("tictactoe", 16, opponent=Noting())
    envs.reset(seed=1)
    envs.step(np.arange(16) % 9)
    assert asked == [16]


def test_after_a_player_that_fails_games_can_begin_anew():
    class Failing:
        def choose(self, position: Any, rng: Any) -> Any:
            return "mark 9 9"

    env = make("tictactoe", opponent=Failing()).unwrapped
    env.reset(seed=1)
    with pytest.raises(LudusError, match="'mark 9 9' is not a legal move here"):
        env.step(4)
    assert env.reset(seed=1)[0]["action_mask"].sum() == 9


def test_a_vector_tells_why_actions_were_not_legal():
    envs = vector("tictactoe", 3)
    envs.reset(seed=1)
    _, rewards, over, _, infos = envs.step(np.array([4, 9, 4]))
    assert over.tolist() == [False, True, False]
    assert rewards.tolist() == [0, 0, 0]  # the least that one can get in a rulesheet
    assert "action 9 is not legal for seat 0" in infos["illegal"][1]
    assert infos["_illegal"].tolist() == [False, True, False]
    seen, _, over, _, _ = envs.step(np.zeros(3, int))
    assert not over[1]
    assert seen["action_mask"][1].sum() >= 9


# --- the page on environments ------------------------------------------------------------------------------------------

PAGE = Path(__file__).parent.parent / "docs" / "environments.md"


def test_what_the_page_shows_is_so():
    result = doctest.testfile(str(PAGE), module_relative=False, globs={"ludus": ludus})
    assert result.attempted > 15
    assert result.failed == 0


def test_the_page_has_the_right_sizes():
    page = PAGE.read_text()
    for game, kind in (("backgammon", "steps"), ("backgammon", "openspiel"), ("ludo", "steps"), ("quoridor", "steps")):
        assert f"| {Actions(game, kind).size} |" in page
    for game in ("backgammon", "ludo"):
        assert f"| {Sights(Actions(game)).size} |" in page


# --- wrong input ---------------------------------------------------------------------------------------------------------


def test_an_illegal_action_loses_the_game_and_says_why():
    env = make("backgammon").unwrapped
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-3.0, True, False)
    assert info["illegal"].startswith("action 0 is not legal for seat 0 here; legal are ")
    assert info["scores"] == [-3.0, 3.0]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"game": "bacgammon"}, "unknown game 'bacgammon'; did you mean 'backgammon'"),
        ({"game": "backgammon", "opponent": "tdd"}, "unknown player 'tdd'; did you mean 'td'"),
        ({"game": "tictactoe", "opponent": "gnubg"}, "player 'gnubg' plays backgammon only"),
        ({"game": "backgammon", "opponent": 7}, "7 is not a player"),
        ({"game": "ludo", "opponent": ["random"]}, "1 players are given, but there are 3 other seats"),
        ({"game": "backgammon", "seat": 2}, "seat=2: backgammon has the seats 0 to 1"),
        ({"game": "backgammon", "actions": "stepz"}, "unknown kind of actions 'stepz'; did you mean 'steps'"),
        ({"game": "backgammon", "encoding": "row"}, "unknown encoding of backgammon 'row'; did you mean 'raw'"),
        ({"game": "quoridor", "sise": 5}, "unknown argument of game 'quoridor' 'sise'; did you mean 'size'"),
        ({"game": "backgammon", "render_mode": "png"}, "render_mode='png' is none of human, ansi, svg, rgb_array"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(settings, reason):
    with pytest.raises(LudusError, match=reason.replace("(", r"\(")) as error:
        adapter.LudusEnv(**settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("action", [156, -1, 1.5, "8/5", [1, 2]])
def test_what_is_no_action_of_the_space_is_refused(action):
    env = make("backgammon").unwrapped
    env.reset(seed=1)
    with pytest.raises(LudusError, match="0 to 155"):
        env.step(action)


def test_a_wrong_number_of_games_or_actions_is_refused():
    with pytest.raises(LudusError, match="0 games at once are not possible"):
        adapter.LudusVectorEnv(0)
    envs = adapter.LudusVectorEnv(4, "tictactoe")
    envs.reset(seed=1)
    with pytest.raises(LudusError, match=r"give 4 actions, whole numbers from 0 to 9, not int64 of shape \(3,\)"):
        envs.step(np.zeros(3, int))


@pytest.mark.parametrize("module", ["gymnasium", "pettingzoo"])
def test_a_missing_extra_says_what_to_install(module):
    code = f"import sys; sys.modules[{module!r}] = None; import ludus.adapters.{module}"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert f"pip install 'ludus[{module}]'" in said.splitlines()[-1]
