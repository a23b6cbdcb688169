"""Janowski's model: against its own closed forms, against positions solved exactly, and at its limits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bearoffs import exact, held, wins_of
from ludus.games.backgammon.cubeful import (
    Chances,
    Shares,
    Stake,
    best_equity,
    cubeful,
    dead_take_point,
    doubled,
    live_window,
    race_efficiency,
    shares_of,
    take_point,
    weigh,
)
from ludus.games.backgammon.equities import equities

MONEY = equities(0)
MATCH = equities(15)
NONE = Shares(0.0, 0.0)
MINE, CENTRED, THEIRS = (Stake(owner=owner) for owner in (1, 0, -1))

shares = st.tuples(st.floats(0, 0.6), st.floats(0, 0.2)).map(lambda pair: Shares(pair[0], pair[0] * pair[1]))
efficiencies = st.floats(0, 1)
wins = st.floats(0, 1)


def chances(p: float, mine: Shares = NONE, theirs: Shares = NONE) -> Chances:
    q = 1 - p
    return Chances(p, p * mine.gammons, p * mine.backgammons, q * theirs.gammons, q * theirs.backgammons)


def swapped(seen: Chances) -> Chances:
    return Chances(1 - seen.win, seen.lose_gammon, seen.lose_backgammon, seen.gammon, seen.backgammon)


# --- money: what Janowski's paper has in closed form -------------------------------------------------------------------


def test_take_points_without_gammons() -> None:
    assert take_point(MONEY, 0, 0, NONE, NONE, 1) == pytest.approx(0.2)
    assert dead_take_point(MONEY, 0, 0, NONE, NONE, 1) == pytest.approx(0.25)
    assert live_window(MONEY, NONE, NONE, CENTRED) == pytest.approx((0.2, 0.8))
    assert live_window(MONEY, NONE, NONE, MINE) == pytest.approx((0.0, 0.8))
    assert live_window(MONEY, NONE, NONE, THEIRS) == pytest.approx((0.2, 1.0))


@settings(deadline=None)
@given(shares, shares, efficiencies)
def test_an_owned_cube_has_the_equities_of_the_paper(mine: Shares, theirs: Shares, x: float) -> None:
    win, loss = 1 + sum(mine), 1 + sum(theirs)
    low, high = live_window(MONEY, mine, theirs, CENTRED)
    for p in np.linspace(low, high, 5):
        slope = win + loss + 0.5 * x
        assert cubeful(MONEY, chances(p, mine, theirs), MINE, x) == pytest.approx(p * slope - loss)
        assert cubeful(MONEY, chances(p, mine, theirs), THEIRS, x) == pytest.approx(p * slope - loss - 0.5 * x)


@settings(deadline=None)
@given(shares, shares, efficiencies)
def test_take_cash_redouble_and_beaver_points_are_those_of_the_paper(mine: Shares, theirs: Shares, x: float) -> None:
    win, loss = 1 + sum(mine), 1 + sum(theirs)
    slope = win + loss + 0.5 * x
    cash, redouble = (loss + 0.5 + 0.5 * x) / slope, (loss + x) / slope
    at = weigh(MONEY, chances(cash, mine, theirs), MINE, x)
    assert at.take == pytest.approx(at.drop)
    at = weigh(MONEY, chances(redouble, mine, theirs), MINE, x)
    assert at.take == pytest.approx(at.hold)
    level = (loss + 0.5 * x) / slope  # below it, a beaver gains
    assert weigh(MONEY, chances(level, mine, theirs), CENTRED, x).take == pytest.approx(0)


@pytest.mark.parametrize(
    ("x", "take", "redouble", "cash"), [(0, 0.25, 0.5, 0.75), (2 / 3, 0.214, 0.714, 0.786), (1, 0.2, 0.8, 0.8)]
)
def test_published_points_without_gammons(x: float, take: float, redouble: float, cash: float) -> None:
    verdict = weigh(MONEY, chances(redouble), MINE, x)
    assert verdict.hold == pytest.approx(verdict.take, abs=2e-3)
    verdict = weigh(MONEY, chances(cash), MINE, x)
    assert verdict.take == pytest.approx(verdict.drop, abs=2e-3)
    assert take == pytest.approx(1 - cash, abs=1e-3)


@settings(deadline=None)
@given(shares, shares, wins)
def test_a_dead_cube_leaves_the_chances_to_decide(mine: Shares, theirs: Shares, p: float) -> None:
    cubeless = p * (1 + sum(mine)) - (1 - p) * (1 + sum(theirs))
    for stake in (MINE, CENTRED, THEIRS):
        assert cubeful(MONEY, chances(p, mine, theirs), stake, 0) == pytest.approx(cubeless)


def test_by_jacoby_gammons_count_only_when_the_cube_was_turned() -> None:
    seen = Chances(0.9, 0.8, 0.1, 0.02, 0.0)
    plain, jacoby = Stake(), Stake(jacoby=1)
    assert cubeful(MONEY, seen, plain, 0.68) > 1 >= cubeful(MONEY, seen, jacoby, 0.68)
    assert cubeful(MONEY, seen, Stake(cube=2, owner=1), 0.68) == cubeful(
        MONEY, seen, Stake(cube=2, owner=1, jacoby=1), 0.68
    )
    verdict = weigh(MONEY, seen, plain, 0.68)
    assert verdict.hold > verdict.drop  # too good to double
    verdict = weigh(MONEY, seen, jacoby, 0.68)
    assert verdict.hold <= verdict.drop < verdict.take


def test_a_beaver_doubles_what_the_doubler_loses() -> None:
    seen = chances(0.45)
    plain, beavers = (weigh(MONEY, seen, Stake(beavers=allowed), 0.68) for allowed in (0, 1))
    assert plain.take < 0
    assert beavers.take == pytest.approx(2 * plain.take)
    strong = chances(0.7)
    assert weigh(MONEY, strong, Stake(beavers=1), 0.68) == weigh(MONEY, strong, CENTRED, 0.68)


# --- matches -----------------------------------------------------------------------------------------------------------


def test_take_points_by_hand_at_two_away() -> None:
    # Whoever wins with the cube at 2 wins the match: one takes with the chance that passing leaves.
    assert take_point(MATCH, 2, 2, NONE, NONE, 1) == pytest.approx(MATCH[0, 2, 1])
    # The leader, two away of four: with the cube at 2 he plays for the match, and they can redouble to 4, which is dead for both.
    drop, lost = MATCH[0, 2, 3], MATCH[0, 2, 2]
    assert take_point(MATCH, 2, 4, NONE, NONE, 1) == pytest.approx((drop - lost) / (1 - lost))


def test_a_redouble_comes_into_the_take_point() -> None:
    # Four away, both, offered 2: he redoubles to 4 for the match. They take that with what passing 2 leaves to them.
    theirs = MATCH[0, 4, 2]
    top, lost, drop = MATCH[0, 2, 4], MATCH[0, 4, 2], MATCH[0, 4, 3]
    by_hand = (1 - theirs) * (drop - lost) / (top - lost)
    assert take_point(MATCH, 4, 4, NONE, NONE, 1) == pytest.approx(by_hand)
    assert by_hand < dead_take_point(MATCH, 4, 4, NONE, NONE, 1)


def test_nobody_doubles_in_a_crawford_game() -> None:
    stake = Stake(4, 1, frozen=1)
    for p in (0.1, 0.5, 0.9):
        assert cubeful(MATCH, chances(p), stake, 0.68) == cubeful(MATCH, chances(p), stake, 0.0)
        assert best_equity(MATCH, chances(p), stake, 0.68) == cubeful(MATCH, chances(p), stake, 0.68)


def test_after_the_crawford_game_who_trails_doubles_at_once() -> None:
    for needs, p in product((2, 3, 4, 5, 6), (0.2, 0.4, 0.48)):
        verdict = weigh(MATCH, chances(p, Shares(0.25, 0.01), Shares(0.25, 0.01)), Stake(needs, 1), 0.68)
        assert verdict.take > verdict.hold
    # Two away: the free drop. Just above an even chance they pass, and the match is even.
    verdict = weigh(MATCH, chances(0.51), Stake(2, 1), 0.68)
    assert verdict.drop < verdict.take
    assert verdict.drop == pytest.approx(0)


def test_a_cube_that_wins_the_match_is_dead() -> None:
    # With the cube at 4, who needs four has no use for it.
    for p in (0.2, 0.6, 0.95):
        assert cubeful(MATCH, chances(p), Stake(4, 6, 4, 1), 1.0) == cubeful(MATCH, chances(p), Stake(4, 6, 4, 1), 0.0)
    # Nor has anybody at the last score.
    assert cubeful(MATCH, chances(0.7), Stake(1, 1), 1.0) == pytest.approx(0.4)


def test_a_long_match_is_like_money() -> None:
    table = equities(100)
    mine, theirs = Shares(0.25, 0.01), Shares(0.2, 0.01)
    long = take_point(table, 100, 100, mine, theirs, 1)
    assert long == pytest.approx(take_point(MONEY, 0, 0, mine, theirs, 1), abs=0.01)


# --- properties --------------------------------------------------------------------------------------------------------


@st.composite
def stakes(draw: st.DrawFn) -> Stake:
    if draw(st.booleans()):
        return Stake(0, 0, 2 ** draw(st.integers(0, 3)), draw(st.integers(-1, 1)), 0, draw(st.integers(0, 1)))
    own, other, cube = draw(st.integers(1, 15)), draw(st.integers(1, 15)), 2 ** draw(st.integers(0, 3))
    return Stake(own, other, cube, draw(st.integers(-1, 1)) if cube > 1 else 0, draw(st.integers(0, 1)))


def table_of(stake: Stake) -> np.ndarray:
    return MATCH if stake.own else MONEY


@settings(deadline=None)
@given(stakes(), shares, shares, wins, efficiencies)
def test_both_sides_see_the_same(stake: Stake, mine: Shares, theirs: Shares, p: float, x: float) -> None:
    seen, table = chances(p, mine, theirs), table_of(stake)
    other = stake._replace(own=stake.other, other=stake.own, owner=-stake.owner)
    assert cubeful(table, seen, stake, x) == pytest.approx(-cubeful(table, swapped(seen), other, x), abs=1e-9)


@settings(deadline=None)
@given(stakes(), shares, shares, wins, wins, efficiencies)
@example(Stake(2, 1), NONE, NONE, 0.2, 0.6, 1.0)
def test_more_wins_are_never_worse(stake: Stake, mine: Shares, theirs: Shares, p: float, more: float, x: float) -> None:
    p, more = sorted((p, more))
    table = table_of(stake)
    for worth in (cubeful, best_equity):
        less, better = (worth(table, chances(chance, mine, theirs), stake, x) for chance in (p, more))
        assert better >= less - 1e-9


@settings(deadline=None)
@given(stakes(), shares, shares, wins, efficiencies)
def test_equities_lie_between_the_worst_and_the_best_result(
    stake: Stake, mine: Shares, theirs: Shares, p: float, x: float
) -> None:
    found = cubeful(table_of(stake), chances(p, mine, theirs), stake, x)
    most = 1.0 if stake.own else 3.0 * stake.cube
    assert -most - 1e-9 <= found <= most + 1e-9


@settings(deadline=None)
@given(stakes(), shares, shares, wins, efficiencies)
def test_the_cube_is_worth_having(stake: Stake, mine: Shares, theirs: Shares, p: float, x: float) -> None:
    seen, table = chances(p, mine, theirs), table_of(stake)
    assume(not stake.jacoby)
    mine_, middle, theirs_ = (cubeful(table, seen, stake._replace(owner=owner), x) for owner in (1, 0, -1))
    assert mine_ >= middle - 1e-9
    assert middle >= theirs_ - 1e-9


@settings(deadline=None)
@given(stakes(), shares, shares)
def test_the_window_is_one(stake: Stake, mine: Shares, theirs: Shares) -> None:
    low, high = live_window(table_of(stake), mine, theirs, stake)
    assert 0 <= low <= high <= 1


@settings(deadline=None)
@given(st.tuples(*[st.floats(0, 1)] * 5))
def test_a_network_may_contradict_itself(outputs: tuple[float, ...]) -> None:
    mine, theirs = shares_of(Chances(*outputs))
    for side in (mine, theirs):
        assert 0 <= side.backgammons <= side.gammons <= 1


def test_doubling_hands_the_cube_over() -> None:
    assert doubled(Stake(5, 7, 2, 1)) == Stake(5, 7, 4, -1)


def test_long_races_make_better_use_of_the_cube() -> None:
    found = [race_efficiency(pips) for pips in (2, 12, 40, 80, 120, 160)]
    assert found == pytest.approx([0.273, 0.388, 0.6, 0.65, 0.7, 0.7])


# --- bear-offs solved exactly ------------------------------------------------------------------------------------------

SIDES = [(a,) for a in range(1, 7)] + [(a, b) for a in range(1, 7) for b in range(a, 7)]


def test_in_the_last_roll_the_cube_is_dead_and_all_is_exact() -> None:
    # The other side bears off at its next roll: a cube that was turned is never turned again.
    found = 0
    for own, other in product(SIDES, SIDES):
        if wins_of(other, (6, 6)) < 1:
            continue
        found += 1
        p = wins_of(own, other)
        verdict = weigh(MONEY, chances(p), CENTRED, 0.0)
        assert verdict.take == pytest.approx(2 * held(own, other, -1))
        assert best_equity(MONEY, chances(p), CENTRED, 0.0) == pytest.approx(exact(own, other, 0))
    assert found > 27


def test_a_double_in_the_last_roll_by_hand() -> None:
    # 19 of 36 rolls bear both checkers off at once; if none of them comes, the other side wins.
    own, other = (5, 2), (1, 1)
    p = wins_of(own, other)
    assert p == pytest.approx(19 / 36)
    assert exact(own, other, 0) == pytest.approx(2 * (2 * p - 1))  # double and take
    assert exact(own, other, -1) == pytest.approx(2 * p - 1)


def test_decisions_in_short_bearoffs_are_nearly_those_of_perfect_play() -> None:
    lost, count = 0.0, 0
    for own, other, owner in product(SIDES, SIDES, (0, 1)):
        p = wins_of(own, other)
        verdict = weigh(MONEY, chances(p), Stake(owner=owner), race_efficiency(sum(own)))
        hold, take = held(own, other, owner), 2 * held(own, other, -1)
        # What perfect play makes of it, less what comes of the model's double or take.
        doubles, takes = min(verdict.take, verdict.drop) > verdict.hold, verdict.take <= verdict.drop
        value = (take if takes else 1.0) if doubles else hold
        best = max(hold, min(take, 1.0))
        lost += abs(best - value)
        count += 1
    assert lost / count < 0.006
