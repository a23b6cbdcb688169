"""What is refused of files with games, and what people get to see of an analysis: text, JSON, frames, pages, comments, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from analysed import Last, match_file, played, sample_file
from ludus.analysing import analyse_match
from ludus.analysing.annotating import annotated
from ludus.analysing.reading import read
from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.games.backgammon.mat import read_mat
from test_backgammon_mat import SAMPLE


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return sample_file(tmp_path)


# --- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.mat", b"", "a.mat, line 1: there is no line such as '7 point match'"),
        ("a.mat", b" 7 point match\n", "a.mat holds no game"),
        ("a.mat", SAMPLE.replace("61: 13/7 8/7", "61: 13/7 8/8").encode(), "a.mat, line 12"),
        ("a.mat", SAMPLE[: SAMPLE.index("8/4 8/4")].encode(), "a.mat, line 10"),
        ("a.mat", b"\x00\x01\x02", "this is not text"),
        ("a.mat", b" 7 point match\n\xff", "a.mat, line 2: this is not text in UTF-8"),
        ("a.txt", b"Dear Ann,", "a.txt, line 1: expected a line such as '7 point match'"),
        ("a.json", b"{", "a.json: it is not a saved game, or is cut off"),
        ("a.json", b"[]", "a.json: it is not a saved game of ludus"),
        ("a.json", b'{"game": "backgammon"}', "a.json: it is not a saved game of ludus"),
        ("a.json", b'{"game": "x.py:Game"}', "code is loaded only when you name it"),
        ("a.json", b'{"game": "bakgammon"}', "did you mean 'backgammon'"),
        ("a.quoridor", b"1. e2 e9", "a.quoridor, line 1, move 2"),
        ("a.sgf", b"", "games are read from files that end in .mat"),
    ],
)
def test_damaged_files_are_refused_with_the_place(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LudusError) as raised:
        analyse_match(tmp_path / name)
    assert said in str(raised.value)


def test_what_can_not_be_analysed(tmp_path: Path, sample: Path) -> None:
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (tmp_path / "none.mat", {}, "there is no file"),
        (tmp_path, {}, "files that end in"),
        (sample, {"number": 3}, "holds 2 games: there is no game 3"),
        (sample, {"number": 0}, "there is no game 0"),
        (sample, {"player": "random"}, "random moves without judging"),
        (sample, {"player": "random", "plies": 1}, "judge by td"),
        (sample, {"plies": 3}, "looks 0, 1 or 2 plies ahead"),
        (sample, {"width": 0}, "width=0"),
        (sample, {"jobs": 0}, "jobs=0"),
        (played(tmp_path, "rockpaperscissors", 3), {}, "all seats move at once"),
    ]
    for path, given, said in wrong:
        with pytest.raises(LudusError, match=said):
            analyse_match(path, **given)


# --- what people get to see ------------------------------------------------------------------------------------------

NUMBER = (int, float)
PART = {
    "decisions": int, "counted": int, "loss": NUMBER, "cost": NUMBER, "error_rate": (*NUMBER, type(None)), "pr": (*NUMBER, type(None)),
    "blunders": int, "errors": int, "doubtful": int,
}  # fmt: skip
SUMS = PART | {
    "checker": dict, "cube": dict, "rolls": int, "luck": (*NUMBER, type(None)), "cube_actions": int,
    "result": (*NUMBER, type(None)), "luck_adjusted_result": (*NUMBER, type(None)), "seat": int, "name": str,
}  # fmt: skip
TURN_SHAPE = {
    "number": int, "kind": str, "seat": int, "roll": (str, type(None)), "played": (str, type(None)), "position": str,
    "luck": (*NUMBER, type(None)), "lucks": list, "stake": NUMBER, "forced": bool, "counted": bool, "loss": (*NUMBER, type(None)),
    "loss_error": (*NUMBER, type(None)), "grade": (str, type(None)), "mistake": (str, type(None)), "best": (str, type(None)),
    "cube": (dict, type(None)), "moves": list,
}  # fmt: skip
GAME_SHAPE = {
    "number": int, "score": list, "winner": (int, type(None)), "points": (int, type(None)), "result": list, "players": list, "turns": list,
}  # fmt: skip
SHAPE = {
    "format": str, "version": int, "file": str, "game": str, "names": list, "length": (int, type(None)), "judge": str,
    "plies": (int, type(None)), "width": (int, type(None)), "luck_judge": (str, type(None)), "cubeful": bool, "unit": str, "grades": dict,
    "close": float, "rollout": (dict, type(None)),
    "players": list, "games": list,
}  # fmt: skip


def shaped(value: dict[str, Any], shape: dict[str, Any]) -> bool:
    return set(value) == set(shape) and all(isinstance(value[key], kind) for key, kind in shape.items())


def test_json_has_everything_in_its_shape(sample: Path) -> None:
    found = analyse_match(sample, plies=0)
    told = json.loads(json.dumps(found.to_json()))
    assert shaped(told, SHAPE)
    assert (told["format"], told["version"], told["length"]) == ("ludus analysis", 2, 5)
    for game in told["games"]:
        assert shaped(game, GAME_SHAPE)
        assert all(shaped(turn, TURN_SHAPE) for turn in game["turns"])
    for sums in [*told["players"], *(sums for game in told["games"] for sums in game["players"])]:
        assert shaped(sums, SUMS)
        assert shaped(sums["checker"], PART)
        assert shaped(sums["cube"], PART | {"mistakes": dict})
        for key in ("decisions", "counted", "loss", "cost", "blunders", "errors", "doubtful"):
            assert sums[key] == pytest.approx(sums["checker"][key] + sums["cube"][key])
    for seat in (0, 1):
        whole, games = told["players"][seat], [game["players"][seat] for game in told["games"]]
        for key in ("decisions", "counted", "loss", "cost", "blunders", "errors", "doubtful", "luck", "result"):
            assert whole[key] == pytest.approx(sum(game[key] for game in games))


def test_a_frame_has_a_line_a_turn(sample: Path) -> None:
    pytest.importorskip("pandas")
    found = analyse_match(sample, plies=0)
    made = found.to_frame()
    assert len(made) == len(found.turns) == 24
    assert len(analyse_match(sample, plies=0, cubeless=True).to_frame()) == 16
    assert made["loss"].sum() == pytest.approx(found.sums(0).loss + found.sums(1).loss)
    cube = made[made["kind"] == "cube"]
    assert sorted(cube["played"]) == ["double"] * 2 + ["no double"] * 8 + ["pass", "take"]


class Links(HTMLParser):
    """All tags of a page, and whatever it refers to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.targets: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            if name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                self.targets.append(value or "")


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    names = ('<script src="https://x.org/x.js">', "&amp;")
    path = match_file(tmp_path, 4, most=40, names=names)
    found = analyse_match(path, plies=0)
    assert len(found.worst()) > 2
    page = found.html(2)
    links = Links(page)
    assert not {"script", "link", "iframe", "img", "object", "embed", "base"} & set(links.tags)
    assert links.targets == []
    assert "@import" not in page
    assert "url(" not in page.replace("url(#", "")
    assert links.tags.count("article") == links.tags.count("svg") == 2
    assert links.tags.count("details") == 1
    assert "&amp;amp;" in page
    assert "prefers-color-scheme:dark" in page


def test_a_page_of_a_match_without_bad_decisions(tmp_path: Path) -> None:
    path = tmp_path / "good.mat"
    path.write_text(" 0 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5\n")
    found = analyse_match(path, plies=0)
    assert "No decision lost 0.02 points or more." in found.text()
    assert "<article" not in found.html()
    assert "td" in found._repr_html_()


@pytest.mark.parametrize("names", [("Ann", "Bob"), ("1) 31: 8/5", "; Bob"), (" 2)x".strip(), "Game 2")])
def test_a_copy_with_comments_is_the_same_match(tmp_path: Path, names: tuple[str, str]) -> None:
    path = match_file(tmp_path, 1, 2, 6, most=30, names=names)
    found = analyse_match(path, plies=0)
    text = annotated(found)
    assert read_mat(text) == read_mat(path.read_text())
    comments = [line for line in text.splitlines() if line.startswith("; ") and ("luck" in line or "no double" in line)]
    turns = [turn for turn in found.turns if turn.roll or turn.counted]
    assert any(turn.kind == "cube" for turn in turns)
    assert sum("blunder" in line for line in comments) == found.sums(0).blunder + found.sums(1).blunder
    for turn, line in zip(turns, comments, strict=True):
        said = f"{turn.roll}: luck " if turn.roll else "no double: "
        assert line.startswith(f"; {found.names[turn.seat]}, {said}")


def test_comments_stand_below_what_they_are_about(sample: Path) -> None:
    found = analyse_match(sample, plies=0)
    text = annotated(found)
    assert read_mat(text) == read_mat(SAMPLE)
    lines = text.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith("  5) 22:"))
    assert lines[at + 1].startswith("; Ann, 22: luck ")
    assert lines[at + 2].startswith("; Bob Black, double: wrong double loses 0.")
    assert lines[at + 3].startswith("  6)  Drops")
    assert lines[at + 4].startswith("; Ann, pass: wrong pass loses ")
    only = annotated(analyse_match(sample, plies=0, number=2)).splitlines()
    assert [line.split(":")[0] for line in only if line.startswith("; Ann, ")] == [
        "; Ann, 43",
        "; Ann, no double",
        "; Ann, 51",
    ]


def test_only_matches_can_be_written_with_comments(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=r"only \.mat files"):
        annotated(analyse_match(played(tmp_path, "tictactoe", 3), Last()))


# --- the command -----------------------------------------------------------------------------------------------------


def command(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Iterator[str]:
    with pytest.raises(SystemExit) as ended:
        main(["analyse", *words])
    told = capsys.readouterr()
    assert ended.value.code == code, told.err
    return iter((told.out, told.err))


def test_the_command_prints_sums_and_the_worst_decisions(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, _ = command(capsys, str(sample), "--plies", "0", "--worst", "1", "--moves", "2")
    lines = text.splitlines()
    assert lines[0] == "sample.mat: Ann against Bob Black, match to 5, 2 games"
    assert lines[3].split() == ["Ann", "Bob", "Black"]
    assert sum(line.startswith("  error rate") for line in lines) == 3
    assert sum("XGID=" in line for line in lines) == 1
    assert lines[-2].startswith("   best    take ")


def test_the_command_writes_files_and_json(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, copy = tmp_path / "page.html", tmp_path / "copy.mat"
    text, said = command(
        capsys, str(sample), "--plies", "0", "--json", "--html", str(page), "--annotated", str(copy), "--number", "1"
    )
    told = json.loads(text)
    assert [game["number"] for game in told["games"]] == [1]
    assert page.read_text().startswith("<!doctype html>")
    assert read_mat(copy.read_text()) == read_mat(SAMPLE)
    assert said.splitlines() == [f"wrote {page}", f"wrote {copy}"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.mat"], "there is no file none.mat"),
        (["SAMPLE", "--position", "x"], "--position is a position of a game"),
        (["backgammon", "--plies", "1"], "--plies is for files"),
        (["backgammon", "--plies", "0"], "--plies is for files"),
        (["backgammon", "--rollout"], "--rollout is for files"),
        (["backgammon", "--no-jacoby"], "--jacoby is for files"),
        (["SAMPLE", "--games", "36"], "--games is for rollouts: say --rollout, too"),
        (["SAMPLE", "--jacoby"], "Jacoby's rule is for money"),
        (["backgammon", "--html", "x.html"], "--html is for files"),
        (["SAMPLE", "--plies", "3"], "--plies 3: a number of plies ahead is a whole number from 0 to 2"),
        (["SAMPLE", "--number", "9"], "there is no game 9"),
        (["SAMPLE", "--plies", "0", "--html", "/proc/none/x.html"], "can't write /proc/none/x.html"),
    ],
)
def test_what_the_command_refuses(
    sample: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    out, err = command(capsys, *(word.replace("SAMPLE", str(sample)) for word in words), code=2)
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_the_command_knows_the_endings_that_are_read() -> None:
    from ludus.analysing.reading import ENDINGS
    from ludus.cli import analysing

    assert analysing.ENDINGS == ENDINGS


def test_reading_numbers_games_as_the_file_does(sample: Path) -> None:
    assert [game.number for game in read(sample).games] == [1, 2]
    assert [game.number for game in read(sample, 2).games] == [2]
