"""Games on disk: what is saved comes back whole, and whatever is not a saved game is refused with its reason."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError
from ludus.kernel import below, stream
from ludus.play import saved
from ludus.play.table import Table
from tabletop import BACKGAMMON, X_BEGINS, Coins, Stones, introduce, talk, terminal


@pytest.fixture(autouse=True, scope="module")
def _known_by_name():
    with pytest.MonkeyPatch.context() as monkeypatch:
        introduce(monkeypatch)
        yield


def random_table(game: Any, seed: int, steps: int, seat: Any = 0) -> Table:
    names = tuple("you" if s == seat else "random" for s in range(game.facts.seats))
    table, rng = Table(game, seed, seat, names), stream(seed, 0, 77)
    while len(table.steps) < steps and table.due != OVER:
        if table.due == CHANCE:
            table.roll()
        elif table.due == JOINT:
            table.take([below(rng, 2) for _ in names])
        else:
            legal = table.position.moves()
            table.take([legal[below(rng, len(legal))]])
    return table


def same(one: Table, other: Table) -> bool:
    return (one.seed, one.people, one.names, one.steps) == (other.seed, other.people, other.names, other.steps)


@given(
    st.sampled_from([BACKGAMMON, ludus.game("backgammon(scoring=1)"), ludus.game("ludo(rules=ludopy)"), Stones(), Coins()]),
    st.integers(0, 2**63 - 1), st.integers(0, 200), st.sampled_from([0, 1, (0, 1)]),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_a_saved_game_comes_back_with_its_dice_to_come(game, seed, steps, seat):
    table = random_table(game, seed, steps, seat)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.json"
        saved.save(table, path)
        again = saved.load(game, path, 0, 0)
        assert same(again, table)
        if table.due == CHANCE:
            assert again.roll() == table.roll()
        assert [file.name for file in Path(folder).iterdir()] == ["game.json"], "no temporary file is left"


def test_a_saved_game_is_readable_by_people(tmp_path):
    talk("24/23 13/11", f"save {tmp_path / 'a.json'}")
    lines = (tmp_path / "a.json").read_text().splitlines()
    assert lines[0] == (
        '{"format": "ludus game", "version": 1, "game": "backgammon", "names": ["you", "random"], '
        '"seat": 0, "seed": 3, "moves": ['
    )
    assert lines[1:3] == ['  {"roll": "21"},', '  {"seat": 0, "move": "24/23 13/11"},']


def test_load_goes_on_where_save_stopped_also_from_the_start(tmp_path):
    file = tmp_path / "a game.json"
    first = talk("24/23 13/11", f"save {file}")
    board = first.split("You roll 52.")[1].split("Your move")[0]
    assert board in talk("24/22 13/12", f"load {file}").split("Loaded")[1]
    assert board in talk(load=file, seed=99)
    undone = talk("undo", load=file).split("Back to your previous decision.")[1]
    assert "X to move: 2-1" in undone.split("Your move")[0]


def test_loading_tells_who_played_before(tmp_path):
    talk(f"save {tmp_path / 'a.json'}")
    text = (tmp_path / "a.json").read_text().replace('"random"', '"td:runs/a"')
    (tmp_path / "a.json").write_text(text)
    assert "a game of you and td:runs/a." in talk(load=tmp_path / "a.json")


def test_save_asks_before_it_writes_over_a_file_of_others(tmp_path):
    file = tmp_path / "diary.json"
    file.write_text("dear diary")
    assert "Not saved." in talk(f"save {file}", "")
    assert file.read_text() == "dear diary"
    assert "Saved to" in talk(f"save {file}", "y")
    said = talk(f"save {tmp_path / 'mine.json'}", f"save {tmp_path / 'mine.json'}")
    assert said.count("Saved to") == 2, "one's own file is written over without a question"


def test_a_save_that_fails_leaves_the_old_file_alone(tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    saved.save(random_table(BACKGAMMON, 1, 10), file)
    before = file.read_text()

    def full_disk(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(LudusError, match=r"can't write .*a\.json: No space left on device"):
        saved.save(random_table(BACKGAMMON, 1, 20), file)
    assert file.read_text() == before
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


GOOD = {
    "format": "ludus game", "version": 1, "game": "backgammon", "names": ["you", "td"], "seat": 0, "seed": 1,
    "moves": [{"roll": "31"}, {"seat": 0, "move": "8/5 6/5"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "chess"}, "it is not a saved game of ludus"),
        ({"version": 2}, "it has version 2 of the format; this ludus reads version 1"),
        ({"game": "backgammon(scoring=1)"}, r"it is a game of 'backgammon\(scoring=1\)', and this is backgammon"),
        ({"game": None}, "it is a game of None"),
        ({"names": ["you"]}, "its 'names' must be a list of 2 names"),
        ({"names": ["you", "\x1b[2J"]}, "its 'names' must be a list of 2 names"),
        ({"seat": 2}, "there is no seat 2"),
        ({"seat": "0"}, "its 'seat' must be a whole number"),
        ({"seed": True}, "its 'seed' must be a whole number"),
        ({"seed": -1}, "seed=-1: a seed is a whole number"),
        ({"seed": 2**64}, "a seed is a whole number"),
        ({"moves": "31"}, "its 'moves' must be a list"),
        ({"moves": [{"roll": "77"}]}, "move 1: '77': a die shows 1 to 6, not 7"),
        ({"moves": [{"roll": "31"}, {"seat": 0, "move": "8/4 6/5"}]}, "move 2: '8/4 6/5': "),
        ({"moves": [{"roll": "31"}, {"seat": 1, "move": "8/5 6/5"}]}, "move 2: a move of seat 1 comes where a move of seat 0"),
        ({"moves": [{"roll": "31"}, {"roll": "31"}]}, "move 2: a roll comes where a move of seat 0 is due"),
        ({"moves": [{"joint": ["a", "b"]}]}, "move 1: a move of all seats comes where a roll is due"),
        ({"moves": [["roll", "31"]]}, "move 1: it must be"),
        ({"moves": [{"roll": 31}]}, "move 1: it must be"),
        ({"moves": [{"roll": "31", "seat": 0}]}, "move 1: it must be"),
    ],
)  # fmt: skip
def test_a_file_with_a_fault_is_refused_with_its_name_and_the_reason(tmp_path, change, reason):
    file = tmp_path / "x.json"
    file.write_text(json.dumps(GOOD))
    assert len(saved.load(BACKGAMMON, file, 0, 0).steps) == 2, "without the fault it can be loaded"
    file.write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(LudusError, match=rf"can't load .*x\.json: .*{reason}"):
        saved.load(BACKGAMMON, file, 0, 0)


def test_moves_after_the_end_are_refused(tmp_path):
    table = random_table(Stones(), 1, 50)
    saved.save(table, tmp_path / "a.json")
    data = json.loads((tmp_path / "a.json").read_text())
    data["moves"].append(data["moves"][-1])
    (tmp_path / "a.json").write_text(json.dumps(data))
    with pytest.raises(LudusError, match=rf"move {len(table.steps) + 1}: the game is over before it"):
        saved.load(Stones(), tmp_path / "a.json", 0, 0)


@pytest.mark.parametrize("junk", [b"", b"{", b"null", b"[" * 100_000, b"\xff\xfe\x00", b"1" * 5000, b"GIF89a"])
def test_foreign_files_are_refused_whatever_their_ending(tmp_path, junk):
    for name in ("x.json", "x.mat", "x"):
        (tmp_path / name).write_bytes(junk)
        with pytest.raises(LudusError, match=re.escape(str(tmp_path / name))):
            saved.load(BACKGAMMON, tmp_path / name, 0, 0)


def test_a_huge_file_is_not_even_read(tmp_path):
    with open(tmp_path / "x.json", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(LudusError, match="too large"):
        saved.load(BACKGAMMON, tmp_path / "x.json", 0, 0)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_damaged_file_never_ends_or_changes_the_game(data):
    """Cut off, with characters exchanged or lines lost: it is refused, or what is left obeys the rules."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / data.draw(st.sampled_from(["game.json", "game.mat"]))
        saved.save(random_table(BACKGAMMON, data.draw(st.integers(0, 9)), 41), path)
        text = path.read_text()
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 60))
        path.write_text(
            text[:at] + data.draw(st.sampled_from(["", "7", '"', "}", "-", "/", "\0", "é"])) + text[at + length :]
        )
        t = terminal(seed=X_BEGINS)
        before = t.table
        t.tell_errors(lambda: t.obey(f"load {path}"))
        if t.table is before:
            assert re.search(r"can't load|game\.mat", t.console.export_text())
        else:
            position = BACKGAMMON.start()
            for step in t.table.steps:
                position = position.play(step.moves[0])
            assert position == t.table.position


# --- backgammon's own format -----------------------------------------------------------------------------------------


def test_backgammon_is_saved_and_loaded_as_mat(tmp_path):
    file = tmp_path / "game.mat"
    said = talk("24/23 13/11", f"save {file}")
    assert " 0 point match" in file.read_text()
    assert re.search(r"1\) 21: 24/23 13/11|1\) 21: 13/11 24/23", file.read_text())
    loaded = talk("undo", load=file)
    assert "You play" not in loaded
    before = said.split("You roll 52.")[1].split("Your move")[0].splitlines()
    after = re.split(r"You roll \d\d\.", loaded)[1].splitlines()
    assert [line[:43] for line in before[1:14]] == [line[:43] for line in after[1:14]], "the same board"


@given(st.integers(0, 1000), st.integers(0, 300))
@settings(max_examples=20, deadline=None)
def test_mat_files_hold_all_but_a_roll_that_is_not_yet_played(seed, steps):
    table = random_table(BACKGAMMON, seed, steps)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.mat"
        saved.save(table, path)
        again = saved.load(BACKGAMMON, path, 1, 5)
    assert (again.names, again.seat, again.seed) == (("you", "random"), 1, 5)
    assert len(again.steps) == len(table.steps) // 2 * 2
    assert [step.after for step in again.steps] == [step.after for step in table.steps[: len(again.steps)]]


MATCH = (
    " 5 point match\n\n Game 1\n Ann : 0                        Bob : 0\n"
    "  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Drops\n"
    "                                  Wins 1 point\n\n"
    " Game 2\n Ann : 0                        Bob : 1\n"
    "  1)                             21: 13/11 6/5\n  2)  Doubles => 2                Takes\n  3) 31: 8/5 6/5\n"
)


def test_the_last_game_of_a_match_is_loaded_and_the_cube_left_out(tmp_path):
    file = tmp_path / "match.mat"
    file.write_text(MATCH)
    table = saved.load(BACKGAMMON, file, 0, 7)
    assert table.names == ("Ann", "Bob")
    assert [step.texts[0] for step in table.steps] == ["12", "13/11 6/5", "31", "8/5 6/5"]
    assert [step.seat for step in table.steps] == [CHANCE, 1, CHANCE, 0]
    assert "a game of Ann and Bob." in talk(load=file)


def test_what_a_match_holds_beside_a_game_is_said(tmp_path):
    file = tmp_path / "match.mat"
    file.write_text(MATCH)
    said = talk(load=file)
    assert "This is game 2 of 2 in the file." in said
    assert "Not played here, and left out: the match to 5, at 0-1; the cube, which went to 2." in said
    assert "With the cube it is played as backgammon(match=5)." in said
    first = talk(f"load {file} 1", "quit")
    assert "This is game 1 of 2 in the file." in first
    assert "the match to 5, at 0-0; the cube, a double that was not taken; how it ended: Ann gave up." in first
    assert "holds 2 games: there is no game 3" in talk(f"load {file} 3")
    assert [step.texts[0] for step in saved.load(BACKGAMMON, saved.File(file, 1), 0, 0).steps] == ["31", "8/5 6/5"]


def test_a_game_without_match_and_cube_is_loaded_without_a_word(tmp_path):
    file = tmp_path / "game.mat"
    talk("24/23 13/11", f"save {file}")
    assert not saved.load(BACKGAMMON, file, 0, 0).remarks


def test_a_file_of_one_game_has_no_second(tmp_path):
    file = tmp_path / "game.json"
    talk("24/23 13/11", f"save {file}")
    assert "it holds 1 game, and there is no game 2" in talk(f"load {file} 2")
    assert "Loaded" in talk(f"load {file} 1")


def test_endings_that_are_not_written_are_refused_before_anything_is_asked(tmp_path):
    file = tmp_path / "out.sgf"
    said = talk(f"save {file}")
    assert f"can't write {file}: games of backgammon are written as .mat or .json, not .sgf" in said
    assert list(tmp_path.iterdir()) == []
    file.write_text("(;GM[6])")
    assert "Write over it?" not in talk(f"save {file}", "y")
    assert file.read_text() == "(;GM[6])"
    assert "Saved to" in talk(f"save {tmp_path / 'plain'}")


def test_a_saved_game_goes_on_against_the_player_it_was_saved_with(tmp_path):
    file = tmp_path / "game.json"
    talk("24/23 13/11", f"save {file}", against="random")
    assert "You are X, against random." in talk(load=file, against=None)
    assert "You are X, against td." in talk(load=file, against="td")
    file.write_text(file.read_text().replace('"random"', '"nobody.py:Nobody"'))
    assert "You are X, against td." in talk(load=file, against=None), "code is not loaded because a file names it"


def test_whoever_saved_a_game_has_the_same_seat_again(tmp_path):
    file = tmp_path / "game.mat"
    said = talk(f"save {file}", seat=1, seed=1)
    assert "You are O" in said
    assert "You are O, against random." in talk(load=file, against=None)
    assert "You are X, against random." in talk(load=file, seat=0)
