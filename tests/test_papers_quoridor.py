"""The thesis on Quoridor: its figures come out of its formulas, its tables out of the rules, and where they do not the report says so."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest

from ludus.games import game as game_of_name
from ludus.kernel import JIT
from ludus.lab import Run
from ludus.papers import quoridor2016
from ludus.papers.quoridor import complexity as part
from ludus.papers.quoridor import learning
from ludus.papers.report import Bench, Budget, Drawing, Row
from ludus.players import player
from paper_checks import section, sound


def cut(x: float, digits: int) -> float:
    """A number with so many digits, the rest cut off, as the thesis does it."""
    scale = 10.0 ** (digits - 1 - math.floor(math.log10(abs(x))))
    return math.floor(x * scale + 1e-9) / scale


def named(rows: list[Row], quantity: str) -> list[Row]:
    return [row for row in rows if row.quantity == quantity]


def test_formulas_give_the_printed_figures() -> None:
    printed = "Mertens (3.1), as printed"
    rows = [row for row in part.state_space() + part.game_tree() if row.paper is not None and row.experiment != printed]
    assert len(rows) == 13
    for row in rows:
        assert row.ours is not None
        assert row.paper is not None
        digits = 6 if row.quantity.startswith("branching") else 5
        assert row.paper in (pytest.approx(row.ours, rel=2e-5), pytest.approx(cut(row.ours, digits), rel=1e-9)), row


def test_walls_that_fit_are_counted_one_by_one_for_few() -> None:
    counts = part.fitting_walls()
    gone = [part.taken_by(wall) for wall in range(128)]

    def fits(walls: tuple[int, ...]) -> bool:
        return not any(gone[a] >> b & 1 for a, b in combinations(walls, 2))

    assert counts[:3] == [1, 128, sum(map(fits, combinations(range(128), 2)))]
    three = sum(fits(walls) for walls in combinations(range(128), 3))
    assert counts[3] == three
    assert all(counts[i] < math.comb(128, i) for i in range(2, 21))


def test_table_1_by_enumeration() -> None:
    found = part.enumerate_pawns()
    assert sum(positions for positions, _ in part.TABLE_1.values()) == part.POSITIONS_1
    assert sum(decisions for _, decisions in part.TABLE_1.values()) == part.DECISIONS_1
    differ = {name for name, row in part.TABLE_1.items() if found[name][:2] != row}
    assert differ == {"BC_4", "BB_6"}
    assert found["BC_4"] == (2, 6, 6)
    assert found["BB_6"] == (2856, 4 * 2856, 4 * 2856)
    mixed, apart = part.totals(found)
    assert mixed[:2] == (3168, 11_311)
    assert apart[0] == 9 * 63 + 9 * 9 + 63 * 9 + 63 * 62


def test_a_jump_as_the_thesis_words_it_goes_aside_too() -> None:
    found = part.enumerate_pawns()
    assert found["AB_2"] == (7, 35, 21)  # straight on alone, by the rules
    assert found["BB_1"][2] == 14 * 3 + 14 * 5  # from the edge straight on, and to it aside


def test_mertens_sum_as_printed_is_not_his_figure() -> None:
    rows = [row for row in part.state_space() if row.experiment == "Mertens (3.1), as printed"]
    assert [row.ours for row in rows] == [pytest.approx(2.9608e40, rel=1e-4), pytest.approx(1.9186e44, rel=1e-4)]
    assert [row.paper for row in rows] == [6.1582e38, 3.9905e42]


def test_most_places_left_is_exact() -> None:
    """From above: all sets of up to three walls. From below: there are patterns that leave as many."""
    exact = part.most_places_left()
    gone, everything = [part.taken_by(wall) for wall in range(128)], (1 << 128) - 1
    sets = {everything}
    for i in range(1, 4):
        sets = {free & ~gone[wall] for free in sets for wall in range(128) if free >> wall & 1}
        assert max(free.bit_count() for free in sets) == exact[i]
    assert part.growing() == exact


def test_table_2_is_a_growing_pattern_but_not_the_most_that_can_be_left() -> None:
    exact = part.most_places_left()
    assert {i: (n, exact[i]) for i, n in enumerate(part.TABLE_2) if n != exact[i]} == {
        5: (115, 116),
        6: (113, 114),
        20: (0, 84),
    }
    assert part.growing(part.TABLE_2) == list(part.TABLE_2[:20])
    rows = part.wall_table()
    assert [row.paper for row in rows[::2]] == list(part.TABLE_2)
    assert [row.ours for row in rows[::2]] == [row.ours for row in rows[1::2]] == exact


def test_a_pattern_that_there_is_not_ends_early() -> None:
    assert part.growing((128, 127, *[0] * 19)) == [128]


def test_notes_say_where_the_tables_differ() -> None:
    text = " ".join(part.findings())
    assert "BC_4 and BB_6 differ" in text
    assert "2,856 such positions, and 5,121 in all" in text
    assert "i = 5 (116 instead of 115) and i = 6 (114 instead of 113); for i = 20 they would be 84" in text
    assert "exists up to 19 walls" in text


# 100 games a training of the thesis, 8 to 20 of the others, 4 a match.
TRIAL = Budget(share=1 / 500, whole=1 / 100, least=2)


@pytest.mark.skipif(not JIT, reason="some hundred games")
def test_every_figure_is_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "plot", lambda run, log=False: ())  # a second a run, for curves that nobody looks at
    bench = Bench(tmp_path, 1, TRIAL, lambda line: None)
    made = quoridor2016.run(bench)
    sound(made, bench)
    stated = [row.paper for row in made.rows]
    for figure in (2.2775e27, 1.7796e23, 5.6379e26, 1.0766e28, 19.0974, 4.9758e116, 3.9905e42, 1.7884e162, 7.2172e13, 1.1387e29, 3168, 11_309):  # fmt: skip
        assert figure in stated
    assert len(section(made, part.REAL)) == 3 * len(part.REAL_GAMES)

    layouts, opponents = len(learning.LAYOUTS), len(learning.OPPONENTS)
    counts = {name: len(section(made, name)) for name in learning.SECTIONS}
    assert counts == {
        learning.PLAYERS: 2,
        learning.FAILING: layouts * (opponents + 2),
        learning.ABLATION: len(learning.CHANGES) * opponents,
        learning.WITHOUT: len(learning.TAKEN_BACK) * opponents,
        learning.IMITATION: 2 * (1 + opponents),
        learning.FINAL: 2 * layouts * opponents,
    }
    drawn = [Drawing(*figure).section for figure in made.figures]
    assert drawn == [learning.FAILING] * layouts + [learning.ABLATION]
    whole = next(row for row in section(made, learning.WITHOUT) if row.experiment == "all changes against heuristic")
    assert f"a short training comes to {100 * (whole.ours or 0):.1f} % against the heuristic here" in " ".join(
        made.notes
    )


def test_notes_name_the_changes_that_matter_most() -> None:
    rows = [
        Row(f"{name} against heuristic", "win rate", None, 0.9 - 0.01 * i, section=learning.WITHOUT)
        for i, name in enumerate(learning.TAKEN_BACK)
    ]
    (note,) = learning.findings(rows)
    assert "comes to 90.0 %" in note
    assert "lowest are: lessons in the heuristic's moves, 79.0 %; sigmoid units, 80.0 %; no mirror, 81.0 %" in note


def test_games_are_the_same_from_the_same_seed() -> None:
    game = game_of_name("quoridor(size=5,walls=3)")
    one, same, other = (part.play_game(game, player("random", game), seed, 3) for seed in (1, 1, 2))
    assert one == same != other
    assert one[0] == 32 + 3
