"""What holds for the report of every paper, whatever its experiments."""

from __future__ import annotations

from ludus.papers.report import Bench, Report, Row
from ludus.papers.reproduce import PAPERS

KEYS = {"experiment", "quantity", "paper", "ours", "ci95", "games"}


def section(made: Report, name: str) -> list[Row]:
    """The rows of a section."""
    return [row for row in made.rows if row.section == name]


def sound(made: Report, bench: Bench) -> None:
    """The report is whole: each row has a name of its own and a figure that makes sense, or says what is missing."""
    assert made.paper in PAPERS
    assert made.seed == bench.seed
    data = made.to_json()["rows"]
    assert len({(row["experiment"], row["quantity"]) for row in data}) == len(data), "two rows with one name"
    assert all(set(row) in (KEYS, KEYS | {"missing"}) for row in data)
    for row in made.rows:
        assert (row.ours is None) == bool(row.missing), row
        assert not made.sections or row.section in made.sections
        if row.ours is not None and row.ci95 is not None:
            assert row.ci95[0] <= row.ours <= row.ci95[1], row
        if row.shown.endswith("%}") and row.ours is not None:
            assert 0 <= row.ours <= 1, row
        assert row.games is None or row.games > 0
    assert {row.section for row in made.rows} >= set(made.sections), "a section without a row"
    page = made.html()
    for name, title in made.sections.items():
        assert f"<h2>{name}: {title}".replace("'", "&#x27;") in page
    assert page.count("<svg") == len(made.figures)
    assert all(row.missing in page for row in made.rows)
    assert sum(table.row_count for table in made.tables()) == len(made.rows)
    assert ("A trial" in page) == (bench.budget.whole < 1)
