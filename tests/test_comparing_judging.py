"""Figures of made-up comparisons: those of the statistics, and no claim that is not true."""

from __future__ import annotations

import io
import itertools
import json
import math

import numpy as np
import pytest
from rich.console import Console

from comparisons import SEVEN, THREE, World, made
from ludus.comparing.judging import Judgement, judge
from ludus.comparing.judging.differences import END, TESTED
from ludus.comparing.judging.speed import speeds
from ludus.matches.statistics import (
    bootstrap_interval,
    bradley_terry,
    holm,
    iqm,
    mean_score,
    median_score,
    optimality_gap,
    performance_profile,
    power,
    probability_of_improvement,
    seeds_needed,
    welch,
    wilson,
)

WORLD = World({"sarsa": 0.7, "traces": 0.6, "q": 0.6})
FOUND = made(WORLD)
JUDGED = judge(FOUND)


def finals(method: str) -> list[np.ndarray]:
    return [FOUND.final(game.name, method) for game in FOUND.games]


def claims(judgement: Judgement) -> list[tuple[str, str, str, int]]:
    return [
        (pair.second, each.game, each.what, each.sign)
        for pair in judgement.pairs
        for each in pair.differences
        if each.sure
    ]


# --- figures are those of the statistics -----------------------------------------------------------------------------


def test_measures_of_a_method_are_those_of_the_statistics() -> None:
    for each in JUDGED.standings:
        seeds = [game.mean(axis=1) for game in finals(each.method)]
        for figure, measure in (
            (each.iqm, iqm), (each.mean, mean_score), (each.median, median_score), (each.gap, optimality_gap),
        ):  # fmt: skip
            assert figure is not None
            assert figure.value == pytest.approx(float(measure(seeds)))
            assert figure.low < figure.value < figure.high
        # The same draws, as the measures of a method share them.
        _, low, high = bootstrap_interval(iqm, finals(each.method))
        assert each.iqm is not None
        assert each.iqm[1:] == pytest.approx((float(low), float(high)))


def test_a_profile_is_that_of_the_statistics_and_stays_within_0_and_1() -> None:
    for each in JUDGED.standings:
        profile = each.profile
        assert profile is not None
        seeds = [game.mean(axis=1) for game in finals(each.method)]
        np.testing.assert_allclose(profile.share, performance_profile(seeds, profile.thresholds))
        assert profile.low.min() >= 0
        assert profile.high.max() <= 1


def test_ranks_follow_the_interquartile_mean() -> None:
    values = [each.iqm.value for each in JUDGED.standings if each.iqm]
    assert values == sorted(values, reverse=True)
    assert [each.rank for each in JUDGED.standings] == [1, 2, 3]
    assert JUDGED.standings[0].method == "sarsa"


def test_the_probability_of_improvement_is_told_of_all_pairs_from_both_sides() -> None:
    assert [(pair.first, pair.second) for pair in JUDGED.pairs] == list(itertools.combinations(WORLD.strengths, 2))
    for a, b in itertools.permutations(WORLD.strengths, 2):
        pair = JUDGED.pair(a, b)
        assert pair is not None
        seeds = [[game.mean(axis=1) for game in finals(name)] for name in (a, b)]
        assert pair.improvement.value == pytest.approx(float(probability_of_improvement(*seeds)))
        assert 0 <= pair.improvement.low <= pair.improvement.value <= pair.improvement.high <= 1


def test_who_is_better_in_every_training_is_not_so_for_sure() -> None:
    """Ten trainings of each in three games: as sure as thirty wins of thirty."""
    judged = judge(made(World({"good": 0.9, "bad": 0.1}, spread=0.0)))
    assert judged.pairs[0].improvement == (1.0, *wilson(30, 30))
    turned = judged.pair("bad", "good")
    assert turned is not None
    assert turned.improvement == pytest.approx((0.0, *wilson(0, 30)))


def test_all_tests_of_the_first_method_are_corrected_together() -> None:
    p = []
    for second in ("traces", "q"):
        for what in TESTED:
            for game in FOUND.games:
                if what == END:
                    a, b = (FOUND.final(game.name, name).mean(axis=1) for name in ("sarsa", second))
                else:
                    of = speeds(FOUND, game.name, what)
                    a, b = of["sarsa"], of[second]
                p.append(welch(a, b).p)
    tested = [each for pair in JUDGED.pairs for each in pair.differences if not math.isnan(each.p)]
    assert [each.p for each in tested] == pytest.approx(p)
    assert [each.corrected for each in tested] == pytest.approx(holm(p).tolist())
    assert all(each.sure == (each.corrected <= 0.05) for each in tested)
    assert all(not pair.differences for pair in JUDGED.pairs if pair.first != "sarsa")


def test_measured_times_have_no_part_in_any_claim() -> None:
    by_seconds = [each for pair in JUDGED.pairs for each in pair.differences if each.what == "seconds"]
    assert len(by_seconds) == 2 * len(THREE)
    assert all(math.isnan(each.p) and not each.sure for each in by_seconds)


def test_ratings_of_two_seats_are_those_of_bradley_and_terry() -> None:
    names = list(WORLD.strengths)
    wins = np.zeros((3, 3))
    for meeting in FOUND.meetings:
        if meeting.game == "nim":
            a, b = (names.index(name) for name in meeting.players)
            wins[a, b] += 2 * meeting.shares[:, 0].sum()
            wins[b, a] += 2 * meeting.shares[:, 1].sum()
    rated = next(each for each in JUDGED.ratings if each.game == "nim")
    assert rated.model == "Bradley–Terry"
    assert not rated.one_sided
    np.testing.assert_allclose([figure.value for figure in rated.elo], bradley_terry(wins).elo, atol=1e-8)


def test_games_of_four_seats_are_rated_by_plackett_and_luce() -> None:
    rated = next(each for each in JUDGED.ratings if each.game == "ludo(seats=4)")
    assert rated.model == "Plackett–Luce"
    assert rated.methods[int(np.argmax([figure.value for figure in rated.elo]))] == "sarsa"
    assert JUDGED.ratings[-1].game == ""  # over the suite


def test_a_method_that_never_wins_has_a_rating_nevertheless() -> None:
    found = judge(made(World({"good": 3.0, "bad": -3.0}, games=THREE[:1], spread=0.0)))
    (rated,) = found.ratings
    assert rated.one_sided
    assert all(math.isfinite(x) for figure in rated.elo for x in figure)
    assert rated.elo[0].low > rated.elo[1].high


def test_the_power_is_that_of_the_statistics() -> None:
    for each in JUDGED.powers:
        assert each.level == pytest.approx(1 - 0.05 / (2 * 3 * len(THREE)))
        assert power(each.smallest, each.spread, each.seeds, each.level) == pytest.approx(0.8, abs=1e-6)
        assert each.for_tenth == seeds_needed(0.1, each.spread, level=each.level)
        assert each.for_twentieth == seeds_needed(0.05, each.spread, level=each.level)


# --- speed -----------------------------------------------------------------------------------------------------------


def test_who_comes_to_the_same_end_earlier_learns_faster() -> None:
    world = World({"early": 0.7, "late": 0.7}, speed={"early": 0.01, "late": 0.4}, spread=0.02, meet=False)
    found = judge(made(world))
    (pair,) = found.pairs
    assert pair.signs("games") == [1, 1, 1]
    assert -1 not in pair.signs(END)
    assert found.sentence.startswith("early learns faster than late on all 3 games")


def test_who_needs_more_positions_for_the_same_learns_slower_over_positions_alone() -> None:
    world = World({"thrifty": 0.7, "greedy": 0.7}, positions={"greedy": 1000}, spread=0.02, meet=False)
    (pair,) = judge(made(world)).pairs
    assert pair.signs("positions") == [1, 1, 1]
    assert pair.signs("games") == [0, 0, 0]


# --- claims ----------------------------------------------------------------------------------------------------------


def test_equal_methods_are_called_different_in_at_most_5_of_100_reports() -> None:
    reports = 60
    alarms = 0
    for seed in range(reports):
        world = World(dict.fromkeys(("a", "b", "c"), 0.6), games=THREE[:2], seeds=6, rounds=2)
        found = judge(made(world, seed))
        alarms += bool(claims(found)) or bool(found.circles)
    assert alarms <= 0.05 * reports


def test_a_method_that_is_clearly_better_is_called_better_on_all_games() -> None:
    found = judge(made(World({"good": 0.8, "bad": 0.4}, meet=False)))
    assert [sign for _, _, what, sign in claims(found) if what == END] == [1, 1, 1]
    assert "ends stronger" in found.sentence
    (pair,) = found.pairs
    assert pair.improvement.value == 1
    assert pair.improvement.low > 0.8


def test_a_few_trainings_that_come_out_alike_prove_nothing() -> None:
    # Two trainings each, all of a method alike: Welch's test would be certain.
    found = judge(made(World({"a": 9.0, "b": -9.0}, games=THREE[:1], seeds=2, spread=0.0, meet=False)))
    (pair,) = found.pairs
    (end,) = (each for each in pair.differences if each.what == END)
    assert end.p == pytest.approx(1 / 3)
    assert not end.sure


def test_circles_are_seen_where_they_are() -> None:
    circle = ("a", "b", "c")
    world = World(dict.fromkeys(circle, 0.6), games=THREE[:2], circle=circle)
    found = judge(made(world)).circles
    assert [each.game for each in found] == ["tictactoe", "nim", ""]
    for each in found:
        assert each.circles == (circle,)
        assert sum(each.alpha_rank) == pytest.approx(1)
        assert sum(each.lottery) == pytest.approx(1)


# --- failures --------------------------------------------------------------------------------------------------------


def test_methods_that_failed_somewhere_are_compared_on_shared_games() -> None:
    world = World(
        {"sarsa": 0.6, "traces": 0.6}, games=SEVEN, seeds=3,
        broken={("nim", "traces"): "weights are NaN"}, skipped={("eightpuzzle", "sarsa"): "it needs two seats"},
    )  # fmt: skip
    found = judge(made(world))
    shared = tuple(sheet.name for sheet in SEVEN if sheet.name not in ("nim", "eightpuzzle"))
    assert found.games == found.pairs[0].games == shared
    assert "of the 5 games that both finished" in found.sentence
    assert any("5 of 7 games" in warning and "nim, eightpuzzle" in warning for warning in found.warnings)
    told = [(each.method, each.game, each.kind, each.reason, each.seeds) for each in found.troubles]
    assert sorted(told) == [
        ("sarsa", "eightpuzzle", "skipped", "it needs two seats", (1, 2, 3)),
        ("traces", "nim", "failed", "weights are NaN", (1, 2, 3)),
    ]


def test_a_method_that_failed_nearly_everywhere_does_not_spoil_the_table() -> None:
    broken = {(sheet.name, "bad"): "boom" for sheet in SEVEN[1:]}
    found = judge(made(World({"a": 0.6, "b": 0.6, "bad": 0.6}, games=SEVEN, seeds=3, broken=broken)))
    assert len(found.games) == 7
    assert [(each.method, each.rank) for each in found.standings if each.rank is None] == [("bad", None)]
    assert any(warning.startswith("bad finished 1 of 7 games") for warning in found.warnings)


def test_few_seeds_are_warned_of() -> None:
    few = judge(made(World({"a": 0.6, "b": 0.6}, seeds=4, meet=False)))
    assert any("fewer than 10" in warning for warning in few.warnings)
    assert any("too few seeds to see a difference of 0.1" in warning for warning in few.warnings)
    many = judge(made(World({"a": 0.6, "b": 0.6}, seeds=12, spread=0.01, rounds=100, meet=False)))
    assert many.warnings == ()


def test_nothing_finished_is_no_error() -> None:
    broken = {(sheet.name, "a"): "boom" for sheet in THREE}
    found = judge(made(World({"a": 0.6}, seeds=2, broken=broken)))
    assert found.sentence == "No training came to its end: there is nothing to compare yet."
    assert (found.pairs, found.ratings, found.powers) == ((), (), ())


# --- costs, JSON and the terminal ------------------------------------------------------------------------------------


def test_costs_are_those_of_all_trainings() -> None:
    for each in JUDGED.costs:
        cells = [FOUND.cells[each.game, each.method, seed] for seed in FOUND.seeds]
        assert each.positions == sum(cell.points[-1].positions for cell in cells)
        assert each.learning == pytest.approx(sum(cell.seconds[-1] for cell in cells))
        assert each.games == 3200 * len(cells)
    assert len(JUDGED.costs) == 3 * len(THREE)


def test_json_has_all_figures_and_no_nan() -> None:
    told = json.loads(json.dumps(JUDGED.to_json(), allow_nan=False))
    assert told["sentence"] == JUDGED.sentence
    assert [each["method"] for each in told["standings"]] == [each.method for each in JUDGED.standings]
    first = JUDGED.standings[0]
    assert first.iqm is not None
    assert told["standings"][0]["iqm"] == list(first.iqm)
    assert {each["what"] for each in told["pairs"][0]["differences"]} == {"end", "games", "positions", "seconds"}


@pytest.mark.parametrize("name", ["sarsa", "[red]examples/methods/a_long_file_name.py:TrueOnline(alpha=0.1)"])
def test_the_table_fits_80_columns_and_holds_all_methods(name: str) -> None:
    found = judge(made(World({name: 0.6, "traces": 0.5}, seeds=3, games=THREE[:1], meet=False)))
    out = io.StringIO()
    Console(file=out, width=80).print(found.table())
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    text = "".join(lines).replace(" ", "")
    assert name[:4] in text
    assert "traces" in text
    assert all(each.iqm and each.iqm.text().replace(" ", "") in text for each in found.standings)
