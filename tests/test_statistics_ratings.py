"""Ratings beside choix and statsmodels, and how often their intervals hold the truth."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import choix
import numpy as np
import pytest
import statsmodels.api as sm

from ludus.errors import LudusError
from ludus.matches.statistics import Ratings, bradley_terry, plackett_luce, ratings_of_wins

ELO = 400 / math.log(10)
STRENGTH = np.exp(np.array([0.8, 0.2, 0.0, -0.3, -0.7]))


def ranked(games: int, seats: int, rng: np.random.Generator) -> np.ndarray:
    """Games as the model has them: the players of each, the best first."""
    out = []
    for _ in range(games):
        among = rng.choice(len(STRENGTH), seats, replace=False)
        out.append(among[np.argsort(rng.exponential(1 / STRENGTH[among]))])
    return np.array(out)


def in_order(players: np.ndarray) -> np.ndarray:
    return np.tile(np.arange(1, players.shape[1] + 1), (len(players), 1))


def table(rankings: np.ndarray) -> np.ndarray:
    wins = np.zeros((len(STRENGTH), len(STRENGTH)))
    np.add.at(wins, (rankings[:, 0], rankings[:, 1]), 1)
    return wins


PAIRS = ranked(300, 2, np.random.default_rng(1))
FOURS = ranked(200, 4, np.random.default_rng(2))


def model(players: np.ndarray, first_wins: np.ndarray) -> sm.GLM:
    """Bradley and Terry's model as a logistic regression, with the first player's strength as 0."""
    x = np.zeros((len(players), len(STRENGTH)))
    x[np.arange(len(players)), players[:, 0]] += 1
    x[np.arange(len(players)), players[:, 1]] -= 1
    return sm.GLM(first_wins, x[:, 1:], family=sm.families.Binomial())


# --- the ratings -----------------------------------------------------------------------------------------------------


def test_bradley_terry_is_that_of_choix() -> None:
    theirs = choix.ilsr_pairwise(len(STRENGTH), [tuple(pair) for pair in PAIRS.tolist()], tol=1e-13)
    assert bradley_terry(table(PAIRS)).elo == pytest.approx(ELO * theirs, abs=1e-9 * ELO)


def test_plackett_luce_is_that_of_choix() -> None:
    theirs = choix.ilsr_rankings(len(STRENGTH), FOURS.tolist(), tol=1e-13)
    assert plackett_luce(FOURS, in_order(FOURS)).elo == pytest.approx(ELO * theirs, abs=1e-9 * ELO)


def test_who_won_and_nothing_else_is_the_choice_model_of_choix() -> None:
    theirs = choix.ilsr_top1(len(STRENGTH), [(game[0], game[1:]) for game in FOURS.tolist()], tol=1e-13)
    told = np.tile([1, 2, 2, 2], (len(FOURS), 1))
    for places in (told, in_order(FOURS)):
        ours = plackett_luce(FOURS, places, only_first=True).elo
        assert ours == pytest.approx(ELO * theirs, abs=1e-9 * ELO)


def test_with_two_seats_both_are_the_same() -> None:
    one, other = bradley_terry(table(PAIRS)), plackett_luce(PAIRS, in_order(PAIRS))
    assert one.elo == pytest.approx(other.elo, abs=1e-9)


def test_a_draw_is_half_a_win_for_both() -> None:
    places = in_order(PAIRS)
    places[:100, 1] = 1
    wins = table(PAIRS[100:]) + (table(PAIRS[:100]) + table(PAIRS[:100]).T) / 2
    assert plackett_luce(PAIRS, places).elo == pytest.approx(bradley_terry(wins).elo, abs=1e-9)


@pytest.mark.parametrize("tie", [(1, 1, 3, 4), (1, 2, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1)])
def test_a_tie_is_each_of_its_orders_equally_often(tie: tuple[int, ...]) -> None:
    """Six of one kind of game in which some are tied, beside all 24 orders in which they could have come, as far as they fit."""
    fitting = [order for order in itertools.permutations(range(4)) if [tie[s] for s in order] == sorted(tie)]
    games = [[FOURS[0][s] for s in order] for order in fitting]
    once = np.vstack([np.tile(FOURS[0], (len(fitting), 1)), FOURS])
    places = np.vstack([np.tile(tie, (len(fitting), 1)), in_order(FOURS)])
    spread = np.vstack([games, FOURS])
    assert plackett_luce(once, places).elo == pytest.approx(plackett_luce(spread, in_order(spread)).elo, abs=1e-9)


def test_ratings_far_apart_that_hang_by_a_thread_are_found() -> None:
    wins = np.zeros((12, 12))
    for weaker in range(11):  # each has met its neighbours alone
        wins[weaker, weaker + 1], wins[weaker + 1, weaker] = 1000, 1
    assert np.diff(bradley_terry(wins).elo) == pytest.approx(-ELO * math.log(1000), abs=1e-6)


# --- how sure they are -----------------------------------------------------------------------------------------------


def test_intervals_are_those_of_a_logistic_regression() -> None:
    theirs = model(PAIRS, np.ones(len(PAIRS))).fit(tol=1e-14)
    ours = bradley_terry(table(PAIRS))
    for player in range(1, len(STRENGTH)):
        value, low, _ = ours.difference(player, 0, z=1.0)
        assert value == pytest.approx(ELO * theirs.params[player - 1], abs=1e-6)
        assert value - low == pytest.approx(ELO * theirs.bse[player - 1], rel=1e-6)


def test_intervals_over_pairs_of_games_are_those_of_a_clustered_regression() -> None:
    groups = np.arange(len(PAIRS)) // 2
    kind = {"groups": groups, "use_correction": False}
    theirs = model(PAIRS, np.ones(len(PAIRS))).fit(tol=1e-14, cov_type="cluster", cov_kwds=kind)
    count = len(PAIRS) / 2
    ours = plackett_luce(PAIRS, in_order(PAIRS), groups)
    for player in range(1, len(STRENGTH)):
        value, low, _ = ours.difference(player, 0, z=1.0)
        assert value - low == pytest.approx(ELO * theirs.bse[player - 1] * math.sqrt(count / (count - 1)), rel=1e-6)


def test_games_played_twice_over_are_no_news_if_one_says_so() -> None:
    twice, groups = np.repeat(FOURS, 2, axis=0), np.repeat(np.arange(len(FOURS)), 2)
    once = plackett_luce(FOURS, in_order(FOURS))
    assert plackett_luce(twice, in_order(twice), groups).covariance == pytest.approx(once.covariance, rel=1e-6)
    assert np.all(np.diag(plackett_luce(twice, in_order(twice)).covariance) < 0.51 * np.diag(once.covariance))


def test_intervals_hold_the_true_difference() -> None:
    rng = np.random.default_rng(3)
    true = ELO * math.log(STRENGTH[0] / STRENGTH[4])
    held = 0
    for _ in range(200):
        games = ranked(120, 3, rng)
        _, low, high = plackett_luce(games, in_order(games)).difference(0, 4)
        held += low <= true <= high
    assert 180 <= held <= 198  # 190 ± 3 standard deviations


def test_ratings_say_what_to_expect() -> None:
    ratings = bradley_terry(np.array([[0.0, 30.0], [10.0, 0.0]]))
    assert ratings.expected(0, 1) == pytest.approx(0.75)
    assert ratings.expected(1, 0) == pytest.approx(0.25)
    assert [low < x < high for x, (low, high) in zip(ratings.elo, ratings.intervals(), strict=True)] == [True, True]
    assert isinstance(ratings, Ratings)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bradley_terry(np.ones((2, 3))), "a row and a column for each"),
        (lambda: bradley_terry(np.ones((2, 2))), "0 where a player meets itself"),
        (lambda: bradley_terry(np.array([[0, 5], [0, 0]]), ["td", "random"]), "random never won against td"),
        (lambda: bradley_terry(np.array([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 5], [0, 0, 5, 0]])), "player 0, player 1 never won against player 2, player 3"),
        (lambda: bradley_terry(np.array([[0, 5], [1, 0]]), ["td"]), "2 players, but 1 names"),
        (lambda: plackett_luce(np.array([[0, 0]]), np.array([[1, 2]])), "sits twice"),
        (lambda: plackett_luce(np.array([[0, 1]]), np.array([[1, 2, 3]])), "a row a game"),
        (lambda: plackett_luce(np.array([[0.0, 1.0]]), np.array([[1, 2]])), "whole numbers"),
        (lambda: plackett_luce(np.array([[0, 1]]), np.array([[1, 1]]), np.array([1, 2])), "1 games, but 2 numbers of groups"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call: Callable, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()


def test_tables_of_which_only_wins_are_known_are_rated_as_their_games_would_be() -> None:
    rng = np.random.default_rng(4)
    seats = np.tile([0, 1, 2, 3], (60, 1))
    first = rng.choice(4, size=60, p=[0.4, 0.3, 0.2, 0.1])
    groups = np.repeat(np.arange(12), 5)
    one_by_one = plackett_luce(seats, (seats != first[:, None]).astype(float), groups, only_first=True)
    won = np.stack([np.bincount(first[groups == group], minlength=4) for group in range(12)])
    together = ratings_of_wins(won, np.arange(12))
    np.testing.assert_allclose(together.elo, one_by_one.elo, atol=1e-8)
    np.testing.assert_allclose(together.covariance, one_by_one.covariance, rtol=1e-8)


def test_a_player_that_did_not_sit_at_a_table_is_no_loser_there() -> None:
    nan = math.nan
    won = np.array([[60, 40, nan], [nan, 70, 30], [55, nan, 45.0]])
    table = np.array([[0, 60, 55], [40, 0, 70], [45, 30, 0]])
    np.testing.assert_allclose(ratings_of_wins(won, np.arange(3)).elo, bradley_terry(table).elo, atol=1e-8)
    with pytest.raises(LudusError, match="two players or more"):
        ratings_of_wins(np.array([[1.0, nan]]), np.arange(1))


@pytest.mark.parametrize("lost", [0.5, 0.01])
def test_lopsided_wins_have_the_interval_that_follows_from_their_odds(lost: float) -> None:
    # Of two players the variance of the difference is 1 / wins + 1 / losses, on the scale of natural logarithms.
    ratings = bradley_terry(np.array([[0, 4000], [lost, 0]]))
    found, low, high = ratings.difference(0, 1, z=1.0)
    scale = 400 / math.log(10)
    assert found == pytest.approx(scale * math.log(4000 / lost))
    reach = (high - low) / 2
    assert reach == pytest.approx(scale * math.sqrt(1 / 4000 + 1 / lost), rel=1e-6)
    assert [(b - a) / 2 for a, b in ratings.intervals(z=1.0)] == pytest.approx([reach / 2, reach / 2])
