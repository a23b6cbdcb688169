"""Explanations of cube decisions: numbers by hand, words that fit them, and every kind of position."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.errors import LudusError
from ludus.games.backgammon.cubeful import Chances, Stake, weigh
from ludus.games.backgammon.equities import equities
from ludus.games.backgammon.points import cubeless, moved, normalised, take_points, window
from ludus.players.explaining import explain, game_of, verdict_in_words

MONEY, MATCH = equities(0), equities(15)
OPENING = "XGID=-b----E-C---eE---c-e----B-"
START = f"{OPENING}:0:0:1:00:0:0:0:0:10"
STRONG = "XGID=aB-B-CBBAA--d----bbd--bB--:0:0:1:00:0:0:0:0:10"  # a double and a take
CRUSHING = "XGID=---BCCCBB-------bbbccc----:0:0:1:00:0:0:0:0:10"  # a double and a pass: 12 pips ahead of 93 in a race
GAMMONISH = "XGID=bb--BBC-A---dE---AAe--b---:0:0:1:00:0:0:0:0:10"  # too good to double


# --- points ------------------------------------------------------------------------------------------------------------


def test_money_points_without_gammons() -> None:
    found = window(MONEY, Chances(0.6), Stake(cube=2, owner=1), 1.0)
    assert found.cash == pytest.approx(0.8, abs=1e-6)
    assert found.double is None  # waiting for the cash point is as good
    found = window(MONEY, Chances(0.6), Stake(), 0.0)
    assert found.opens == pytest.approx(0.5, abs=1e-6)
    assert found.cash == pytest.approx(0.75, abs=1e-6)
    assert found.too_good is None


def test_janowskis_points_with_gammons() -> None:
    # W = 1.4, L = 1.2, x = 2/3, the cube on one's own side: (L + x) / S redouble, (L + 0.5 + 0.5 x) / S cash, (L + 1) / S too good, with S = W + L + 0.5 x.
    chances, x = Chances(0.5, 0.2, 0.0, 0.1, 0.0), 2 / 3
    whole = 1.4 + 1.2 + 0.5 * x
    found = window(MONEY, chances, Stake(cube=2, owner=1), x)
    assert found.double == pytest.approx((1.2 + x) / whole, abs=1e-5)
    assert found.cash == pytest.approx((1.2 + 0.5 + 0.5 * x) / whole, abs=1e-5)
    takes = take_points(MONEY, chances, Stake(cube=2, owner=1), x)
    assert takes.model == pytest.approx((1.4 - 0.5) / whole, abs=1e-5)
    assert takes.dead == pytest.approx((1.4 - 0.5) / 2.6)
    assert takes.live == pytest.approx((1.4 - 0.5) / 3.1)


def test_two_away_two_away_is_one_window() -> None:
    # Whoever doubles plays for the match: with a dead cube one doubles from 50 % on, and takes with what a loss of one point leaves.
    takes = take_points(MATCH, Chances(0.5), Stake(2, 2), 0.68)
    assert takes.dead == pytest.approx(MATCH[0, 2, 1])
    assert takes == pytest.approx((takes.dead,) * 3, abs=1e-6)
    assert window(MATCH, Chances(0.5), Stake(2, 2), 0.68).opens == pytest.approx(0.5, abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(st.floats(0.05, 0.95), st.floats(0, 0.5), st.floats(0, 0.5), st.integers(2, 15), st.integers(2, 15))
def test_at_a_point_two_choices_are_equal(win: float, g: float, lg: float, own: int, other: int) -> None:
    chances, stake, x = Chances(win, win * g, 0.0, (1 - win) * lg, 0.0), Stake(own, other), 0.68
    found = window(MATCH, chances, stake, x)
    if found.double:
        at = weigh(MATCH, moved(chances, found.double), stake, x)
        assert min(at.take, at.drop) == pytest.approx(at.hold, abs=1e-4)
    if found.cash:
        at = weigh(MATCH, moved(chances, found.cash), stake, x)
        assert at.take == pytest.approx(at.drop, abs=1e-4)
        takes = take_points(MATCH, chances, stake, x)
        assert takes.model == pytest.approx(1 - found.cash)
        assert min(takes.live, takes.dead) - 1e-6 <= takes.model <= max(takes.live, takes.dead) + 1e-6


def test_equities_in_points_of_the_cube() -> None:
    assert normalised(MONEY, Stake(cube=4, owner=1), 4.0) == 1
    assert normalised(MONEY, Stake(cube=2, owner=1), -6.0) == -3
    won = 2 * MATCH[0, 3, 5] - 1
    assert normalised(MATCH, Stake(5, 5, 2), won) == pytest.approx(1)
    assert cubeless(MONEY, Chances(0.5, 0.2, 0.0, 0.1, 0.0), Stake()) == pytest.approx(0.1)


# --- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "stake", "words"),
    [
        ((0.1, -0.2, 1.0), Stake(), "no double"),
        ((0.1, -0.2, 1.0), Stake(beavers=1), "no double, beaver"),
        ((0.6, 0.8, 1.0), Stake(cube=2, owner=1), "redouble, take"),
        ((0.8, 1.2, 1.0), Stake(), "double, pass"),
        ((0.6, 0.605, 1.0), Stake(), "optional double, take"),
        ((1.1, 1.3, 1.0), Stake(), "too good to double, pass"),
    ],
)
def test_verdicts(values: tuple[float, float, float], stake: Stake, words: str) -> None:
    assert verdict_in_words(*values, stake)[0] == words


@pytest.mark.parametrize(
    ("text", "best"),
    [
        (START, "no double"),
        (STRONG, "double, take"),
        (CRUSHING, "double, pass"),
        (GAMMONISH, "too good to double, pass"),
        (GAMMONISH.replace("0:0:0:0:10", "0:0:1:0:10"), "double, pass"),  # by Jacoby's rule its gammons are nothing
    ],
)
def test_decisions_are_explained(text: str, best: str) -> None:
    found = explain(text)
    assert found.facts["best"] == best
    told = str(found)
    assert best in told.lower()
    assert "lose the market" in told
    for name, value in found.facts["equities"].items():
        assert f"{value:+.3f}" in told, name


def test_markets_are_lost_where_the_position_swings() -> None:
    quiet, sharp = explain(START).facts["market_losers"], explain(STRONG).facts["market_losers"]
    assert quiet < 0.02 < 0.3 < sharp < 1


def test_where_the_cube_can_not_be_turned_the_rule_is_named() -> None:
    told = str(explain(f"{OPENING}:0:0:1:00:3:4:1:5:10"))
    assert "can't double: this is the Crawford game" in told
    assert "A gammon adds 1.00 to a win for X, and 0.00 for O" in told
    told = str(explain(f"{OPENING}:1:-1:1:00:0:0:0:7:10"))
    assert "X can't double: the cube is O's" in told


def test_a_double_to_be_answered_and_dice_to_be_played() -> None:
    answered, asked = explain(STRONG), explain(STRONG.replace(":00:", ":D:"))
    assert asked.facts["equities"] == answered.facts["equities"]
    assert "by taking" in str(asked)
    rolled = explain(STRONG.replace(":00:", ":31:"))
    assert len(rolled.facts["moves"]) == 5
    assert rolled.facts["moves"][0]["move"] == rolled.facts["best"]


def test_both_seats_are_told_the_same() -> None:
    position = ludus.game("backgammon(cube=true)").position(START).play("roll").play("31").play("8/5 6/5")
    assert explain(position.text).facts["roller"] == "O"
    assert explain(position.text).facts["chances"]["win"] < 0.5


def test_looking_ahead_changes_the_equities_only() -> None:
    now, ahead = explain(STRONG), explain(STRONG, "td(plies=1)")
    assert now.facts["window"] == ahead.facts["window"]
    assert now.facts["equities"] != ahead.facts["equities"]
    assert ahead.facts["equities"]["double_pass"] == 1


@pytest.mark.parametrize(
    ("text", "game"),
    [
        (START, "backgammon(cube=true)"),
        (f"{OPENING}:0:0:1:00:0:0:3:0:10", "backgammon(cube=true,jacoby=true,beavers=1)"),
        (f"{OPENING}:0:0:1:00:2:3:0:7:10", "backgammon(match=7)"),
        ("4HPwATDgc/ABMA", "backgammon(cube=true)"),
        ("4PPgASTgc/ABMA:MBngAAAAAAAE", "backgammon(match=7)"),
    ],
)
def test_the_game_is_known_by_its_position(text: str, game: str) -> None:
    assert game_of(text) == game
    assert explain(text).facts["game"] == game


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nonsense", "14 characters"),
        ("XGID=nonsense", "an XGID is"),
        (f"{OPENING}:0:0:1:00:9:4:0:5:10", "beyond the match"),
        (f"{OPENING}:0:0:1:00:0:0:0:99999:10", "99,?999"),
        (f"{OPENING}:0:0:0:00:0:0:0:0:10", "yet to begin"),
        ("4HPwATDgc/ABMA:MBng", "a Match ID has 12 characters"),
        ("XGID=------------------------b-:0:0:1:00:0:0:0:0:10", "the game is over"),
    ],
)
def test_what_can_not_be_explained_is_refused(text: str, reason: str) -> None:
    with pytest.raises(LudusError, match=reason):
        explain(text)


def test_a_player_without_a_network_has_nothing_to_say() -> None:
    with pytest.raises(LudusError, match="random has no network"):
        explain(START, "random")


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="XGID=-abcABC:0123456789D", max_size=60))
def test_odd_texts_are_refused_in_words(text: str) -> None:
    with pytest.raises(LudusError):
        explain(text)


def test_the_command() -> None:
    command = [sys.executable, "-m", "ludus", "explain", START, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["best"] == "no double"
    done = subprocess.run([*command[:4], "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("ludus: 'nonsense'")
