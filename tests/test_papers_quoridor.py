"""The thesis on Quoridor: its figures come out of its formulas, its tables out of the rules, and where they do not the report says so."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import pytest

from ludus.kernel import JIT
from ludus.papers import quoridor2016
from ludus.papers.quoridor import complexity as part
from ludus.papers.quoridor import learning as quoridor_learning
from ludus.papers.report import Bench, Row
from ludus.papers.reproduce import PAPERS


def cut(x: float, digits: int) -> float:
    """A number with so many digits, the rest cut off, as the thesis does it."""
    scale = 10.0 ** (digits - 1 - math.floor(math.log10(abs(x))))
    return math.floor(x * scale + 1e-9) / scale


def named(rows: list[Row], quantity: str) -> list[Row]:
    return [row for row in rows if row.quantity == quantity]


def test_formulas_give_the_printed_figures() -> None:
    rows = [row for row in part.state_space() + part.game_tree() if row.paper is not None]
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


def test_table_2_is_one_growing_pattern_and_not_always_the_best() -> None:
    nested = part.tessellation((*part.TABLE_2[:-1], 84), 20)
    assert tuple(nested[:-1]) == part.TABLE_2[:-1]
    best = part.tessellation()
    assert [i for i in range(20) if best[i] != nested[i]] == [5, 6]
    assert best[5:7] == [116, 114]


def test_a_pattern_that_there_is_not_ends_early() -> None:
    assert part.tessellation((128, 127, *[0] * 19)) == [128]


def test_every_figure_is_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = {"random": 3, "path": 3, "mcts(simulations=20,guided=true)": 2} if JIT else {"path": 2}
    monkeypatch.setattr(part, "REAL_GAMES", games)
    empty = quoridor_learning.Part([], [])
    monkeypatch.setattr(quoridor_learning, "learning", lambda bench: empty)
    said: list[str] = []
    made = quoridor2016.run(Bench(tmp_path, 1, False, said.append))
    assert made.paper in PAPERS
    data = made.to_json()["rows"]
    assert len({(row["experiment"], row["quantity"]) for row in data}) == len(data), "two rows with one name"
    assert {row.section for row in made.rows} == set(part.SECTIONS)
    stated = [row.paper for row in made.rows]
    for figure in (2.2775e27, 1.7796e23, 5.6379e26, 1.0766e28, 19.0974, 4.9758e116, 3.9905e42, 1.7884e162, 7.2172e13, 1.1387e29, 3168, 11_309):  # fmt: skip
        assert figure in stated
    measured = [row for row in made.rows if row.section == part.REAL]
    assert len(measured) == 3 * len(games) == 3 * len(said)
    for row in measured:
        assert row.ci95 is not None
        assert row.ours is not None
        assert row.ci95[0] <= row.ours <= row.ci95[1]
    page = made.html()
    assert "3168" in page.replace(",", "")
    assert "Table 3.2" in page


def test_games_are_the_same_from_the_same_seed() -> None:
    from ludus.games import game as game_of_name
    from ludus.players import player

    game = game_of_name("quoridor(size=5,walls=3)")
    one, same, other = (part.play_game(game, player("random", game), seed, 3) for seed in (1, 1, 2))
    assert one == same != other
    assert one[0] == 32 + 3
