"""The analysis of games with the cube: known mistakes with it, moves that are right at one score and wrong at another, what counts, and rollouts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ludus
from analysed import Last, careless_match, careless_plays, sample_file
from ludus.analysing import MatchAnalysis, analyse_match
from ludus.analysing.annotating import annotated
from ludus.analysing.rolling import FAR, LEAST, in_doubt
from ludus.analysing.turns import CLOSE, Choice, Turn
from ludus.errors import LudusError
from ludus.games.backgammon.equities import match_equity
from ludus.games.backgammon.mat import Record, read_mat, record_plays, write_mat
from ludus.kernel import JIT
from ludus.play.saved import save
from ludus.play.table import Table
from ludus.players.explaining import explain

compiled = pytest.mark.skipif(not JIT, reason="takes too long in plain Python")
OPENING = "  1) 31: 8/5 6/5                 65: 24/18 18/13"


def written(folder: Path, length: int, *games: tuple[str, list[str]], tags: str = "") -> Path:
    """A file with games, each a score and its rows."""
    lines = [*tags.splitlines(), "", f" {length} point match", ""]
    for number, (score, rows) in enumerate(games, 1):
        ann, bob = score.split("-")
        lines += [f" Game {number}", f" Ann : {ann}                        Bob : {bob}", *rows, ""]
    path = folder / "written.mat"
    path.write_text("\n".join(lines))
    return path


def cube_turns(found: MatchAnalysis, game: int = 1) -> list[Turn]:
    return [turn for turn in found.turns if turn.kind == "cube" and turn.game == game]


# --- known mistakes --------------------------------------------------------------------------------------------------


def test_a_double_in_an_even_position_is_wrong_and_so_is_to_pass_it(tmp_path: Path) -> None:
    rows = [
        "  1) 65: 24/18 18/13             65: 24/18 18/13",
        "  2)  Doubles => 2                Drops",
        "      Wins 1 point",
    ]
    found = analyse_match(written(tmp_path, 7, ("0-0", rows)), plies=0)
    rolled, doubled, passed = cube_turns(found)
    assert (rolled.played, rolled.mistake, rolled.counted, rolled.loss) == ("no double", "", False, 0)
    assert (doubled.played, doubled.mistake, doubled.grade, doubled.seat) == ("double", "wrong double", "blunder", 0)
    assert (passed.played, passed.mistake, passed.grade, passed.seat) == ("pass", "wrong pass", "blunder", 1)
    assert passed.loss is not None
    assert passed.loss > 0.5  # an even game given up
    ann, bob = found.sums(0), found.sums(1)
    assert dict(ann.mistakes) == {"missed double": 0, "wrong double": 1, "wrong take": 0, "wrong pass": 0}
    assert dict(bob.mistakes)["wrong pass"] == 1
    assert (ann.cube.counted, ann.cube.blunder, bob.cube.decisions, bob.cube.counted) == (1, 1, 2, 1)
    assert ann.loss == pytest.approx(ann.checker.loss + ann.cube.loss)


def test_who_is_too_good_should_not_double_and_nobody_should_take(tmp_path: Path) -> None:
    """Ann's board is nearly closed and a checker of Bob's on the bar: she plays on for the gammon. By Jacoby's rule there is none without a double."""
    rows = [
        "  1) 31: 8/5 6/5                 63: 24/18 13/10",
        "  2) 55: 8/3 8/3 6/1* 6/1        66: Cannot Move",
        "  3) 44: 24/20 24/20 13/9 13/9   66: Cannot Move",
        "  4)  Doubles => 2                Takes",
    ]
    path = written(tmp_path, 0, ("0-0", rows))
    for jacoby in (False, True):
        doubled, taken = cube_turns(analyse_match(path, plies=0, jacoby=jacoby))[-2:]
        assert doubled.mistake == ("" if jacoby else "wrong double")
        assert doubled.cube is not None
        assert doubled.cube.verdict == ("double, pass" if jacoby else "too good to double, pass")
        assert taken.mistake == "wrong take"
        assert taken.best is not None
        assert (taken.best.move, taken.best.value) == ("pass", pytest.approx(-1))


def test_who_trails_after_the_crawford_game_must_double_at_once(tmp_path: Path) -> None:
    """There is no cube in the Crawford game. After it Bob, with one point of three against two, has nothing to lose by doubling."""
    crawford = [
        OPENING,
        "  2) 52: 13/11 13/8               64: 8/2 6/2",
        "                                  Wins 1 point",
    ]
    after = [OPENING, "  2) 52: 13/11 13/8"]
    found = analyse_match(written(tmp_path, 3, ("2-0", crawford), ("2-1", after)), plies=0)
    assert cube_turns(found, 1) == []
    (missed,) = cube_turns(found, 2)
    assert (missed.seat, missed.mistake, missed.grade) == (1, "missed double", "blunder")
    assert missed.cube is not None
    assert missed.cube.verdict == "double, take"


def test_a_double_shows_that_it_was_not_the_crawford_game(tmp_path: Path) -> None:
    rows = [OPENING, "  2) 52: 13/11 13/8               Doubles => 2", "  3)  Takes"]
    found = analyse_match(written(tmp_path, 3, ("2-1", rows)), plies=0)
    assert [turn.played for turn in cube_turns(found)] == ["no double", "double", "take"]


def test_a_dead_cube_is_no_decision(tmp_path: Path) -> None:
    rows = [
        "  1) 31: 8/5 6/5                  Doubles => 2",
        "  2)  Takes                      52: 13/11 13/8",
        "  3) 31: 24/23 13/10             52: 13/11 8/3",
    ]
    found = analyse_match(written(tmp_path, 2, ("0-0", rows)), plies=0)
    assert [turn.played for turn in cube_turns(found)] == ["double", "take"]


def test_beavers_are_judged(tmp_path: Path) -> None:
    """A double by the underdog: to take it is right, and to beaver it is better still."""
    head = ["  1) 31: 8/5 6/5                  Doubles => 2"]
    beavered = analyse_match(written(tmp_path, 0, ("0-0", [*head, "  2)  Beavers => 4               Takes"])), plies=0)
    assert [(turn.played, turn.mistake) for turn in cube_turns(beavered)][1] == ("beaver", "")
    assert cube_turns(beavered)[0].mistake == "wrong double"
    tag = '; [Beaver "On"]'
    taken = analyse_match(written(tmp_path, 0, ("0-0", [*head, "  2)  Takes"]), tags=tag), plies=0)
    answer = cube_turns(taken)[1]
    assert (answer.played, answer.mistake) == ("take", "missed beaver")
    values = {choice.move: choice.value for choice in answer.moves}
    assert values["beaver"] == pytest.approx(2 * values["take"])
    without = cube_turns(analyse_match(written(tmp_path, 0, ("0-0", [*head, "  2)  Takes"])), plies=0))[1]
    assert (without.mistake, len(without.moves)) == ("", 2)


def test_a_double_that_is_left_unanswered_by_who_lost_was_passed(tmp_path: Path) -> None:
    rows = [OPENING, "  2)  Doubles => 2", "      Wins 1 point"]
    path = written(tmp_path, 5, ("0-0", rows))
    found = analyse_match(path, plies=0)
    assert [(turn.seat, turn.played) for turn in cube_turns(found)][-1] == (1, "pass")
    assert read_mat(annotated(found)) == read_mat(path.read_text())


# --- the score -------------------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize(
    ("score", "best", "wrong"),
    [
        ((1, 2), "8/2 6/2", "24/14"),  # a gammon wins the match for Ann: she attacks
        ((2, 1), "24/14", "8/2 6/2"),  # a gammon loses it: she makes sure of her last checkers
    ],
)
def test_a_move_that_is_right_at_a_score_is_not_called_wrong(
    tmp_path: Path, score: tuple[int, int], best: str, wrong: str
) -> None:
    """The opening roll 64, which for money may be played in both ways."""
    game = ludus.game("backgammon").start().play("64")
    for move, right in ((best, True), (wrong, False)):
        record = record_plays([64, int(next(each for each in game.moves() if each.text == move))], score)
        path = tmp_path / "six-four.mat"
        path.write_text(write_mat(Record(("Ann", "Bob"), 3, (record,))))
        turn = analyse_match(path, plies=1).turns[0]
        assert turn.best is not None
        assert turn.best.move == best
        assert (turn.loss == 0) == right
        assert (turn.grade == "") == right
        assert analyse_match(path, plies=1, cubeless=True).turns[0].grade == ""
        path.write_text(write_mat(Record(("Ann", "Bob"), 0, (record,))))
        assert analyse_match(path, plies=1).turns[0].grade == ""


@compiled
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_it_says_what_explain_says(tmp_path: Path, plies: int) -> None:
    """Of each position in which there is something to decide: which choices there are, what they are worth, and what is best."""
    path = careless_match(tmp_path / "match.mat", 5, 3, (0.2, 0.2)) if plies < 2 else sample_file(tmp_path)
    found = analyse_match(path, plies=plies, number=1 if plies < 2 else 2)
    name = f"td(plies={plies},width=5)" if plies else "td"  # as many as it shows
    seen, kinds = 0, set()
    for turn in [turn for turn in found.turns if turn.counted][:: 3 if plies == 1 else 1]:
        told = explain(turn.position, name).facts
        if turn.kind == "move":
            values = {each["move"]: each["equity"] for each in told["moves"]}
            for choice in turn.moves[: len(values)]:
                if choice.plies == plies and choice.move in values:
                    assert choice.value == pytest.approx(values[choice.move], abs=2e-5)
                    seen += 1
        else:
            assert turn.cube is not None
            for key, value in told["equities"].items():
                ours = getattr(turn.cube, key)
                assert ours is None or ours == pytest.approx(value, abs=2e-5)
            assert turn.best is not None
            if turn.played in ("double", "no double"):
                assert (turn.best.move == "double") == told["doubles"]
                assert turn.cube.verdict == told["best"]
            else:
                assert (turn.best.move == "take") == told["takes"]
            kinds.add(turn.played)
    assert seen >= 8
    assert "no double" in kinds


@compiled
def test_results_of_a_match_add_up_to_the_match(tmp_path: Path) -> None:
    """From an even chance to all or nothing; and costs are losses at what a point is worth in each game."""
    path = careless_match(tmp_path / "match.mat", 5, 2, (0.1, 0.2))
    found = analyse_match(path, plies=0)
    assert found.sheet.unit == "match winning chance"
    results = sorted(found.sums(seat).result or 0.0 for seat in (0, 1))
    assert results == pytest.approx([-0.5, 0.5])
    for game in found.games:
        ann, bob = (game_score for game_score in game.score)
        if max(ann, bob) < 4:
            first = game.turns[0]
            one, other = 5 - ann, 5 - bob
            won = match_equity(one - 1, other) if one > 1 else 1.0
            lost = match_equity(one, other - 1) if other > 1 else 0.0
            assert first.stake == pytest.approx((won - lost) / 2)
    for seat in (0, 1):
        own = [turn for turn in found.turns if turn.seat == seat and turn.loss]
        assert found.sums(seat).cost == pytest.approx(sum((turn.loss or 0) * turn.stake for turn in own))
    assert "match winning chance lost" in found.text()


def test_money_counts_the_cube(tmp_path: Path) -> None:
    rows = [OPENING, "  2)  Doubles => 2                Takes", "  3) 52: 13/11 13/8", "      Wins 4 points"]
    found = analyse_match(written(tmp_path, 0, ("0-0", rows)), plies=0)
    assert (found.sheet.unit, found.games[0].result) == ("points", (4, -4))
    assert [turn.stake for turn in found.turns if turn.kind == "move"] == [1, 1, 2]
    assert "without Jacoby's rule" in found.text()
    assert "by Jacoby's rule" in analyse_match(written(tmp_path, 0, ("0-0", rows)), plies=0, jacoby=True).text()
    tagged = analyse_match(written(tmp_path, 0, ("0-0", rows), tags='; [Jacoby "On"]'), plies=0)
    assert tagged.sheet.game.jacoby


# --- what counts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "double", "counted", "mistake"),
    [
        ("no double", 0.5 - CLOSE, False, ""),
        ("no double", 0.51 - CLOSE, True, ""),
        ("no double", 0.75, True, "missed double"),
        ("double", -3.0, True, "wrong double"),
        ("double", 0.75, True, ""),
    ],
)
def test_close_and_actual_decisions_count(played: str, double: float, counted: bool, mistake: str) -> None:
    listed = sorted([Choice("no double", 0.5, 2), Choice("double", double, 2)], key=lambda each: -each.value)
    turn = Turn(1, 1, "cube", 0, "", played, "somewhere", moves=tuple(listed))
    assert (turn.counted, turn.mistake) == (counted, mistake)


def test_not_to_double_is_part_of_the_turn_that_follows(tmp_path: Path) -> None:
    found = analyse_match(sample_file(tmp_path), plies=0)
    for first, then in zip(found.turns, found.turns[1:], strict=False):
        if first.played == "no double":
            assert (first.number, first.seat, first.roll) == (then.number, then.seat, "")
            assert then.roll
    cubeless = analyse_match(sample_file(tmp_path), plies=0, cubeless=True)
    kept = [(turn.number, turn.seat, turn.roll, turn.played) for turn in found.turns if turn.played != "no double"]
    assert kept == [(turn.number, turn.seat, turn.roll, turn.played) for turn in cubeless.turns]


# --- other files and judges ------------------------------------------------------------------------------------------


@compiled
def test_a_match_is_judged_alike_however_it_was_saved(tmp_path: Path) -> None:
    game = ludus.game("backgammon(match=3)")
    plays = careless_plays(game, 5, (0.2, 0.2))
    table = Table(game, 1, (), ["Ann", "Bob"])
    for move in plays:
        table.take([move])
    save(table, tmp_path / "match.json")
    (tmp_path / "match.mat").write_text(game.write_game("match.mat", ("Ann", "Bob"), plays))
    ours, theirs = (analyse_match(tmp_path / f"match.{ending}", plies=0) for ending in ("json", "mat"))
    assert len(ours.games) == len(theirs.games)
    for here, there in zip(ours.games, theirs.games, strict=True):
        assert (here.score, here.winner, here.result) == (there.score, there.winner, pytest.approx(there.result))
        assert [turn.to_json() | {"roll": None} for turn in here.turns] == [
            turn.to_json() | {"roll": None} for turn in there.turns
        ]
    plain = analyse_match(tmp_path / "match.json", plies=0, cubeless=True)
    assert not plain.sheet.cubeful
    assert plain.sums(0).cube.decisions == 0


def test_a_judge_without_a_network_judges_checker_play_alone(tmp_path: Path) -> None:
    found = analyse_match(sample_file(tmp_path), Last())
    assert not found.sheet.cubeful
    assert "without the cube, whatever the score" in found.text()
    assert "4 actions with the cube were read, and not judged." in found.text()


@pytest.mark.parametrize(
    ("length", "score", "rows", "given", "said"),
    [
        (5, "0-0", ["  1) 31: 8/5 6/5                  Doubles => 2", "  2)  Beavers => 4               Takes"], {}, "game 1: beavers are for money"),
        (5, "5-0", [OPENING], {}, "game 1: it begins at 5-0 in a match to 5"),
        (5, "0-0", [OPENING], {"jacoby": True}, "Jacoby's rule is for money"),
        (0, "0-0", [OPENING], {"jacoby": True, "cubeless": True}, "Jacoby's rule is one of games with the cube"),
        (0, "0-0", [OPENING], {"rollout": 0}, "rollout=0: a number of games"),
        (2000, "0-0", [OPENING], {}, "2000"),
    ],
)  # fmt: skip
def test_what_can_not_be_judged_with_the_cube(
    tmp_path: Path, length: int, score: str, rows: list[str], given: dict[str, Any], said: str
) -> None:
    path = written(tmp_path, length, (score, rows))
    with pytest.raises(LudusError, match=said):
        analyse_match(path, plies=0, **given)
    if not given:
        assert analyse_match(path, plies=0, cubeless=True).turns


# --- rollouts --------------------------------------------------------------------------------------------------------


@compiled
def test_decisions_in_doubt_are_rolled_out_and_no_others(tmp_path: Path) -> None:
    path = sample_file(tmp_path)
    before, after = analyse_match(path, plies=0), analyse_match(path, plies=0, rollout=12)
    doubt = 0
    for old, new in zip(before.turns, after.turns, strict=True):
        if not in_doubt(old):
            assert new == old
            continue
        doubt += 1
        assert old.loss is not None
        assert LEAST <= old.loss < FAR
        assert new.loss_error is not None
        assert new.loss is not None
        assert new.loss >= 0
        assert 0 < new.loss_error < 0.3
        rolled = [choice for choice in new.moves if choice.error is not None]
        assert new.choice in rolled
        assert new.best in rolled
        assert {choice.move for choice in new.moves} == {choice.move for choice in old.moves}
        assert abs(new.loss - old.loss) < 0.1 + 5 * new.loss_error
    assert after.rolled is not None
    assert (after.rolled.decisions, after.rolled.games) == (doubt, 12)
    assert doubt >= 3
    assert {turn.kind for turn in after.turns if turn.loss_error is not None} == {"move", "cube"}
    assert analyse_match(path, plies=0, rollout=12, jobs=1).to_json() == after.to_json()
    for shown in (after.text(), after.html(), annotated(after)):
        assert " ± 0." in shown
    json.dumps(after.to_json())


def test_only_networks_roll_out(tmp_path: Path) -> None:
    with pytest.raises(LudusError, match="last can't roll out"):
        analyse_match(sample_file(tmp_path), Last(), rollout=12)
