"""Rollouts: the mean is that of the game, luck taken off makes it sure sooner, and who plays which games changes nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ludus
from ludus.contract.rules import sizes_of
from ludus.errors import LudusError
from ludus.games.backgammon import backgammon
from ludus.games.backgammon.equities import match_equity
from ludus.players.greedy import TDPlayer
from ludus.players.rollout import LEAST, SURE, rollout
from ludus.scale.local import Processes
from ludus.search.rollouts import Manner, play_part, worths
from ludus.search.solve import solved

GAME = backgammon()
OPENING = GAME.start().play("31")


def games_of(position: ludus.Position, count: int, truncate: int = 0, seed: int = 1) -> np.ndarray:
    """What each game of a rollout was worth to seat 0."""
    player = ludus.player("td", position.game)
    assert isinstance(player, TDPlayer)
    manner, states = Manner(seed, truncate), position.state[None]
    found = play_part(player.net, player.encoding, position.game, sizes_of(position.game), manner, states, range(count), lambda _: None)  # fmt: skip
    out = np.zeros((count, 2))
    worths(player.encoding, position.game, found[0], out)
    return out[:, 0]


def test_the_mean_is_that_of_the_solved_game() -> None:
    """In a bear-off with two checkers a side the network plays nearly as well as can be: what it gets is known exactly."""
    small = backgammon(bearoff=2)
    exact = solved(small)[0].mean("value")
    state = small.start().state.copy()
    values = games_of(ludus.Position(GAME, state), 360)
    assert abs(values.mean() - exact) < 4 * values.std() / np.sqrt(len(values)) + 0.01


def test_luck_taken_off_leaves_little_of_the_variance() -> None:
    """A single game is worth -3 to 3; less its luck, it is worth nearly always the same."""
    after = OPENING.play("8/5 6/5")
    assert games_of(after, 72).std() < 0.5
    assert games_of(after, 72, truncate=1).std() < 0.05, (
        "after one roll, all that is left is what the network thinks of all"
    )


def test_more_games_go_on_where_fewer_ended() -> None:
    after = OPENING.play("8/5 6/5")
    assert (games_of(after, 72, 3)[:36] == games_of(after, 36, 3)).all()
    assert (games_of(after, 36, 3) != games_of(after, 36, 3, seed=2)).any()


def test_each_36_games_begin_with_all_rolls_and_each_1296_with_all_pairs() -> None:
    """So they bring no chance into the mean. (Of the last roll before the end, all that it could have been is counted, and not what it was.)"""
    after = OPENING.play("8/5 6/5")
    one, other = (games_of(after, 36, 2, seed) for seed in (1, 2))
    assert one.std() > 0.001
    assert one.mean() == pytest.approx(other.mean(), abs=1e-6)
    one, other = (games_of(after, 1296, 3, seed) for seed in (1, 2))
    assert one.mean() == pytest.approx(other.mean(), abs=1e-6)
    assert one[:36].mean() != pytest.approx(other[:36].mean(), abs=1e-6)


def test_the_best_move_comes_first_and_says_how_sure_it_is() -> None:
    found = rollout(OPENING, games=LEAST, moves=3, truncate=5)
    assert str(found.rows[0].move) == "8/5 6/5"
    assert found.rows[0].behind == found.rows[0].behind_error == 0
    assert all(row.games == LEAST for row in found.rows)
    assert found.sure == all(row.behind > SURE * row.behind_error for row in found.rows[1:])
    assert [row.value for row in found.rows] == sorted((row.value for row in found.rows), reverse=True)
    assert "8/5 6/5 is surely the best of these." in found.text()
    for row in found.rows:
        assert 0.3 < row.chances[0] < 0.7
        wins, gammons, backgammons, lost, lost_backgammons = row.chances
        assert row.value == pytest.approx(2 * wins - 1 + gammons + backgammons - lost - lost_backgammons, abs=1e-4)


def test_it_ends_as_soon_as_one_move_is_surely_best() -> None:
    found = rollout(OPENING, games=10 * LEAST, moves=2, truncate=3)
    assert found.sure
    assert found.rows[0].games < 10 * LEAST


def test_a_game_of_a_match_is_played_to_its_own_end() -> None:
    """What it is worth then is known from the score: X bears off the last checker, and has one point of five."""
    position = ludus.game("backgammon(match=5)").position("XGID=-A----------------------b-:0:0:1:21:0:0:0:5:10")
    found = rollout(position, games=36, moves=1)
    assert found.rows[0].value == pytest.approx(2 * match_equity(4, 5) - 1, abs=1e-6)
    assert found.rows[0].error == pytest.approx(0, abs=1e-6)


def test_a_position_before_the_roll() -> None:
    found = rollout(OPENING.play("8/5 6/5"), games=72, truncate=3)
    (row,) = found.rows
    assert row.move is None
    assert found.seat == 1, "who rolls next"
    assert row.value < 0
    assert rollout(GAME.start(), games=72, truncate=3).rows[0].value == pytest.approx(0, abs=0.05)


def test_who_plays_the_games_changes_nothing() -> None:
    one = rollout(OPENING, games=72, moves=2, truncate=2, jobs=1)
    assert rollout(OPENING, games=72, moves=2, truncate=2, jobs=2) == one
    with Processes(2) as crew:
        assert rollout(OPENING, games=72, moves=2, truncate=2, jobs=crew) == one


def test_other_games_with_dice_are_rolled_out_too() -> None:
    position, rng = ludus.game("ludo(seats=2)").start(), ludus.stream(1)
    while len(position.moves()) < 2:
        position = position.roll(rng) if position.kind == "chance" else position.play(position.moves()[0])
    found = rollout(position, games=36, moves=2, truncate=4)
    assert {row.move for row in found.rows} <= set(position.moves())


def test_as_json_frame_and_page() -> None:
    found = rollout(OPENING, games=36, moves=2, truncate=1)
    kept = json.loads(json.dumps(found.to_json()))
    assert kept["moves"][0]["move"] == "8/5 6/5"
    assert list(kept["moves"][0]["chances"]) == ["wins", "gammons", "backgammons", "gammons lost", "backgammons lost"]
    assert list(found.to_frame()["games"]) == [36, 36]
    assert "<svg" in found._repr_html_()


@pytest.mark.parametrize(
    ("game", "player", "words"),
    [
        ("quoridor", "td", "rollouts are for games with dice"),
        ("backgammon", "random", "random can't roll out: that takes a network's player"),
        ("backgammon", "td(plies=1)", "can't roll out"),
    ],
)
def test_what_can_not_be_rolled_out(game: str, player: str, words: str) -> None:
    with pytest.raises(LudusError, match=words):
        rollout(ludus.game(game).start(), player, games=1)


def test_a_game_that_is_over() -> None:
    position = GAME.start()
    rng = ludus.stream(1)
    while not position.over:
        position = position.roll(rng) if position.kind == "chance" else position.play(position.moves()[0])
    with pytest.raises(LudusError, match="the game is over"):
        rollout(position, games=1)
