"""Match equity tables against published figures, and against what must be so at every score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.errors import LudusError
from ludus.games.backgammon.equities import LONGEST, Opening, equities, gammon_value, match_equity

# Kazaross and XG (2011), in per cent: the chance of a side that needs a points against one that needs b.
PUBLISHED = {
    1: {2: 67.736, 3: 75.076, 4: 81.436, 5: 84.179, 6: 88.731, 7: 90.724, 9: 94.402, 11: 96.644, 15: 98.789},
    2: {3: 59.947, 4: 66.870, 5: 74.359, 6: 79.940, 7: 84.225, 9: 90.197, 11: 93.93, 15: 97.69},
    3: {4: 57.150, 5: 64.795, 6: 71.123, 7: 76.209, 9: 84.02, 11: 89.44, 15: 95.49},
    4: {5: 57.73, 6: 64.285, 7: 69.92, 9: 78.80, 11: 85.40, 15: 93.27},
    5: {6: 56.64, 7: 62.64, 9: 72.54, 11: 80.27, 15: 90.20},
    7: {8: 55.48, 9: 60.85, 11: 70.02, 13: 77.41, 15: 83.26},
    9: {10: 55.02, 11: 59.79, 13: 68.21, 15: 75.28},
    11: {12: 54.56, 13: 58.92, 15: 66.79},
    13: {14: 54.19, 15: 58.25},
}
# The same after the Crawford game, for the side that trails.
AFTER = {2: 48.803, 3: 32.264, 4: 31.002, 5: 19.012, 6: 18.072, 7: 11.559, 8: 10.906, 9: 6.953, 11: 4.2069, 15: 1.5304}


def test_scores_are_worth_what_was_published() -> None:
    for own, row in PUBLISHED.items():
        for other, percent in row.items():
            assert 100 * match_equity(own, other) == pytest.approx(percent, abs=0.5), (own, other)


def test_so_are_those_after_the_crawford_game() -> None:
    for needs, percent in AFTER.items():
        assert 100 * match_equity(needs, 1, after=True) == pytest.approx(percent, abs=0.5), needs


def test_the_crawford_game_by_hand() -> None:
    # One of two, with a gammon in g of the wins: the match is won by a gammon, and even after a single win.
    g = Opening().gammons
    assert match_equity(2, 1) == pytest.approx(0.5 * (g + (1 - g) * 0.5))
    # Three away: two points bring an even match, three win it; a single win leads to two away after the Crawford game.
    b = g * Opening().backgammons
    by_hand = 0.5 * ((1 - g) * match_equity(2, 1, after=True) + (g - b) * 0.5 + b)
    assert match_equity(3, 1) == pytest.approx(by_hand)


def test_after_the_crawford_game_an_even_number_of_points_gains_little() -> None:
    # Who doubles at once wins two points a game: 2 and 1 away, 4 and 3 away differ by the free drop only.
    for needs in (2, 4, 6, 8):
        now, before = (match_equity(n, 1, after=True) for n in (needs, needs - 1))
        assert 0 < before - now < 0.025


def test_without_swings_a_free_drop_is_worth_nothing() -> None:
    table = equities(5, opening=Opening(swing=1e-9))
    assert table[1, 2, 1] == pytest.approx(0.5)


def test_without_the_crawford_rule_the_trailing_side_doubles_at_once() -> None:
    table = equities(9, crawford=False)
    assert np.array_equal(table[0, :, 1], table[1, :, 1])
    assert table[0, 2, 1] > equities(9)[0, 2, 1]


@settings(deadline=None)
@given(st.integers(2, 60), st.data())
def test_a_table_is_fair_and_grows(length: int, data: st.DataObject) -> None:
    table = equities(length)
    own, other = (data.draw(st.integers(1, length)) for _ in range(2))
    assert table[0, own, other] + table[0, other, own] == pytest.approx(1)
    assert 0 < table[0, own, other] < 1
    if own < length:
        assert table[0, own, other] > table[0, own + 1, other]
        assert table[0, other, own] < table[0, other, own + 1]
    # Longer matches have the same end.
    assert equities(length + 1)[0, own, other] == table[0, own, other]


@settings(deadline=None)
@given(st.floats(0.1, 0.4), st.floats(0, 0.3), st.floats(0.4, 0.9), st.floats(0.01, 0.1))
def test_other_openings_make_sense_too(gammons: float, eager: float, efficiency: float, swing: float) -> None:
    table = equities(9, opening=Opening(gammons, eager, 0.05, efficiency, swing))
    inside = table[0, 1:, 1:]
    assert np.allclose(inside + inside.T, 1)
    assert ((inside > 0) & (inside < 1)).all()
    assert (np.diff(inside, axis=1) > 0).all()


def test_gammons_are_worth_what_the_score_makes_of_them() -> None:
    table = equities(15)
    assert gammon_value(table, 2, 1, 1) == 1.0  # a gammon wins the match, a single game makes it even
    assert gammon_value(table, 1, 5, 1) == 0.0  # any win is enough
    assert gammon_value(table, 2, 2, 2) == 0.0
    assert gammon_value(table, 0, 0, 4) == 0.5  # money
    assert gammon_value(table, 4, 2, 2) > 0.5 > gammon_value(table, 2, 4, 2)  # who trails wants them


def test_scores_that_can_not_be_are_refused() -> None:
    for own, other in ((0, 3), (3, 0), (LONGEST + 1, 2), (2, -1)):
        with pytest.raises(LudusError, match="needs 1 to 1000"):
            match_equity(own, other)
    with pytest.raises(LudusError, match="nobody needs only one point"):
        match_equity(3, 2, after=True)
    with pytest.raises(LudusError, match="no match equity table for 1001 points"):
        equities(1001)
