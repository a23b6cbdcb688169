"""Looking through the records: lists, filters, and how somebody fares."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ludus
from databases import KINDS, new_place
from ludus.errors import LudusError
from ludus.ggp.record import Clocks, Match
from ludus.ggp.store import Store
from ludus.records import GameRow, Listed, Records, SeatRow


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    """Empty records."""
    opened = Records(new_place(request.param, tmp_path))
    yield opened
    opened.close()


def play(records: Records, id: str, game: str, who: list[SeatRow], scores: list[float] | None = None) -> None:
    """Keep a game; it is over if there are scores."""
    records.create(GameRow(id, game, game.capitalize()), who)
    if scores is not None:
        records.finish(id, {"scores": scores, "text": "", "reason": "played"})


YOU, ANN = SeatRow("person", "You"), SeatRow("person", "Ann")
EASY, BEST = SeatRow("player", "td", "td", "easy"), SeatRow("player", "td", "td", "best")


# --- lists -----------------------------------------------------------------------------------------------------------


def test_a_list_has_what_a_page_shows_newest_first(records: Records) -> None:
    records.create(GameRow("old", "ludo(seats=2)", "Ludo for two", started=1000), [YOU, EASY])
    records.create(GameRow("new", "quoridor", "Quoridor", started=2000), [ANN, YOU])
    result = {"scores": [1, 0], "text": "Ann wins.", "reason": "resigned"}
    records.finish("new", result)
    assert records.search() == [
        Listed("new", "table", "quoridor", "Quoridor", (("", "Ann"), ("", "You")), 2000, 0, True, result),
        Listed("old", "table", "ludo(seats=2)", "Ludo for two", (("", "You"), ("", "td")), 1000, 0, False, None),
    ]


def test_matches_of_the_ggp_manager_are_listed_too(records: Records) -> None:
    records.create(GameRow("g", "ludo", "Ludo", started=1), [YOU])
    store = Store(records)
    game = ludus.game("tictactoe")
    for name, completed, aborted in (("running", False, False), ("aborted", False, True), ("completed", True, False)):
        match = Match(game, "Tic", ["mcts", name], Clocks(1, 1))
        match.id, match.start_time = name, 1000
        match.states, match.state_times, match.errors = ["( )", "( )"], [1, 2], [["", ""], ["", ""]]
        match.moves, match.completed, match.aborted = [["( mark 1 1 )", "noop"]], completed, aborted
        match.goals = [100, 0] if completed else []
        store.save(match)
    running, completed, aborted, _ = records.search()
    players = (("xplayer", "mcts"), ("oplayer", "completed"))
    result = {"scores": [100, 0], "text": "100 : 0", "reason": "played"}
    assert completed == Listed("completed", "match", "Tic", "Tic", players, 1000, 1, True, result)
    assert (aborted.over, aborted.result) == (True, {"scores": None, "text": "aborted", "reason": "aborted"})
    assert (running.over, running.result) == (False, None)
    assert [row.id for row in records.search(player="aborted")] == ["aborted"]
    assert [row.id for row in records.search(text="MCTS", state="open")] == ["running"]
    assert [row.id for row in records.search(limit=2, before="completed")] == ["aborted", "g"]
    with pytest.raises(LudusError, match="a list has 1 to 1000 games, not 0"):
        records.search(limit=0)
    with pytest.raises(LudusError, match="unknown state 'ovre'; did you mean 'over'"):
        records.search(state="ovre")


class Plain(NamedTuple):
    """A game as the model below holds it."""

    id: str
    game: str
    who: str
    started: int
    over: bool


NAMES = ["ludo", "ludo(seats=2)", "Ludo", "lu%o", "ludopy", "quoridor"]
WHO = ["You", "you", "Ärger", "a_b", "a\\b", "%"]
some_games = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(WHO), st.integers(1, 3), st.booleans()), max_size=8
)
some_filters = st.fixed_dictionaries(
    {},
    optional={
        "game": st.sampled_from([*NAMES, "lu_o"]),
        "player": st.sampled_from(WHO),
        "state": st.sampled_from(["open", "over"]),
        "text": st.sampled_from(["YOU", "ärg", "%", "_", "\\", "", "o(S", "nobody"]),
    },
)
_series = itertools.count()


def lets_through(plain: Plain, filters: dict[str, str]) -> bool:
    """What the filters say, in plain Python."""
    text = f"{plain.id}\n{plain.game}\n{plain.game}\n{plain.who}".casefold()
    return (
        ("game" not in filters or plain.game == filters["game"] or plain.game.startswith(filters["game"] + "("))
        and filters.get("player", plain.who) == plain.who
        and ("state" not in filters or plain.over == (filters["state"] == "over"))
        and filters.get("text", "").casefold() in text
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=some_games, filters=some_filters, limit=st.integers(1, 4))
def test_filters_and_pages_do_what_plain_python_does(
    records: Records, rows: list[tuple[str, str, int, bool]], filters: dict[str, str], limit: int
) -> None:
    # The records stay for all examples; each example's games are newer than all before, and so the first in the list.
    era = 10 * (1 + next(_series))
    plain = [Plain(f"{era}-{i}", game, who, era + at, over) for i, (game, who, at, over) in enumerate(rows)]
    for row in plain:
        records.create(GameRow(row.id, row.game, row.game, started=row.started), [SeatRow("person", row.who)])
        if row.over:
            records.finish(row.id, {"scores": [1]})
    newest = sorted(plain, key=lambda row: (row.started, row.id), reverse=True)
    expected = [row.id for row in newest if lets_through(row, filters)]
    found: list[str] = []
    for _ in range(len(plain) + 1):  # more pages than there can be
        page = records.search(**filters, limit=limit, before=found[-1] if found else None)  # type: ignore[arg-type]
        found += [row.id for row in page if row.started > era]
    assert found == expected


# --- how somebody fares ----------------------------------------------------------------------------------------------


def test_statistics_of_ones_own_games(records: Records) -> None:
    for i in range(10):
        play(records, f"e{i}", "backgammon", [YOU, EASY], [2, -2] if i < 6 else [-1, 1])
    play(records, "best", "backgammon", [BEST, YOU], [1, -1])
    play(records, "draw", "tictactoe", [ANN, YOU], [0.5, 0.5])
    play(records, "four", "ludo", [EASY, YOU, ANN, BEST], [0, 1, 0, 0])
    play(records, "alone", "buttons", [YOU], [1.0])
    play(records, "open", "backgammon", [YOU, EASY])
    play(records, "self", "backgammon", [YOU, YOU], [1, -1])
    play(records, "others", "backgammon", [ANN, EASY], [1, -1])
    rows = records.statistics("You")
    assert [row[:7] for row in rows] == [
        ("backgammon", "td (easy)", 10, 6, 0, 4, 8.0),
        ("backgammon", "td (best)", 1, 0, 0, 1, -1.0),
        ("buttons", "", 1, 1, 0, 0, 1.0),
        ("ludo", "Ann, td (best), td (easy)", 1, 1, 0, 0, 1.0),
        ("tictactoe", "Ann", 1, 0, 1, 0, 0.5),
    ]
    assert (round(rows[0].low, 3), round(rows[0].high, 3)) == (0.313, 0.832)  # Wilson's interval for 6 of 10
    assert records.statistics("Nobody") == []
