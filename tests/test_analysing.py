"""Whole games and matches judged: losses and luck that are known exactly, sums, files of all kinds, and what people get to see."""

from __future__ import annotations

import json
import threading
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import ludus
from analysed import Last, match_file, played, sample_file
from ludus.analysing import MatchAnalysis, analyse_match
from ludus.analysing.annotating import annotated
from ludus.analysing.judging import find_judge, judge_part
from ludus.analysing.match import GameAnalysis
from ludus.analysing.sheet import ROLL, Act, Sheet
from ludus.analysing.turns import Choice, Turn
from ludus.batch.luck import judge_outcome
from ludus.contract.playing import evaluate_moves
from ludus.contract.rules import moves, play
from ludus.errors import LudusError
from ludus.games.backgammon.mat import GAME, read_mat
from ludus.games.backgammon.rules import OFF, SIDE, TURN
from ludus.kernel import JIT, implements, kernel, stream
from ludus.play.saved import save
from ludus.play.table import Table
from ludus.players.base import rank
from test_backgammon_bearoff import after, best, chance_to_win, sides

compiled = pytest.mark.skipif(not JIT, reason="takes too long in plain Python")
SHORT = 24  # plays of a game that tests judge: it is cut off there


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return sample_file(tmp_path)


# --- bear-offs that are known exactly --------------------------------------------------------------------------------

TWO = ludus.game("backgammon(bearoff=2)")
KINDS = 3**6  # of sides with at most two checkers on each of six points


class Exact(NamedTuple):
    """Knows how likely the side that is to roll wins a bear-off of two checkers a side. A loser has borne off some, so that all wins are single."""

    wins: np.ndarray


@kernel
def _side(state: Any, seat: int) -> int:
    number = 0
    for point in range(6):
        number = 3 * number + state[SIDE * seat + 1 + point]
    return number


@kernel
def _worth(judge: Any, state: Any, seat: int) -> float:
    """What a seat that has just moved can expect."""
    if state[SIDE * seat + OFF] == 15:
        return 1.0
    return 1.0 - 2.0 * judge.wins[_side(state, 1 - seat), _side(state, seat)]


@implements(evaluate_moves, Exact)
def _(judge: Any, game: Any, state: Any, seat: int, rng: Any, legal: Any, values: Any) -> int:
    count = moves(game, state, seat, legal)
    child = np.empty_like(state)
    for i in range(count):
        child[:] = state
        play(game, child, legal[i])
        values[i] = _worth(judge, child, seat)
    return count


@implements(judge_outcome, Exact)
def _(judge: Any, game: Any, state: Any, room: Any, out: Any) -> None:
    seat = state[TURN]
    legal, values = np.empty(4000, np.int64), np.empty(4000)
    count = evaluate_moves(judge, game, state, seat, state, legal, values)
    out[seat] = np.max(values[:count])
    out[1 - seat] = -out[seat]


@cache
def exact() -> Exact:
    wins = np.full((KINDS, KINDS), np.nan)
    few = [side for side in np.ndindex(3, 3, 3, 3, 3, 3) if 1 <= sum(side) <= 2]
    for mine in few:
        for other in few:
            wins[number(mine), number(other)] = float(chance_to_win(mine, other))
    return Exact(wins)


def number(side: tuple[int, ...]) -> int:
    return int(np.dot(side, 3 ** np.arange(5, -1, -1)))


def bearoff(folder: Path, seed: int, careless: bool = True) -> tuple[Path, Table]:
    """A bear-off as a saved game, in which any legal moves are made."""
    table, dice = Table(TWO, seed, (), ["Ann", "Bob"]), np.random.default_rng(seed)
    while not table.position.over:
        if table.position.kind == "chance":
            table.roll()
        else:
            legal = table.position.moves()
            table.take([int(legal[dice.integers(len(legal))] if careless else legal[0])])
    path = folder / f"bearoff{seed}.json"
    save(table, path)
    return path, table


def test_losses_in_bearoffs_are_exact(tmp_path: Path) -> None:
    lost = 0
    for seed in range(30 if JIT else 6):
        path, table = bearoff(tmp_path, seed)
        found = analyse_match(path, exact())
        decisions = [turn for turn in found.turns if turn.kind == "move"]
        before = [table.beginning, *(step.after for step in table.steps)]
        made = [(at, step) for at, step in enumerate(table.steps) if step.seat >= 0]
        assert len(decisions) == len(made)
        for turn, (at, step) in zip(decisions, made, strict=True):
            state = before[at].state
            mine, others = sides(state, step.seat)
            most = best(mine, others, int(state[TURN + 1]), int(state[TURN + 2]))
            got = after(sides(step.after.state, step.seat)[0], others)
            assert turn.loss == pytest.approx(2 * float(most - got), abs=1e-12)
            assert turn.played == step.texts[0]
            assert turn.forced == (len(before[at].moves()) == 1)
            lost += turn.grade != ""
    assert lost > 0


def test_the_luck_of_a_roll_is_exact_and_its_mean_is_nothing(tmp_path: Path) -> None:
    """By all rolls of each position of a game; and what one has by luck the other lacks."""
    _, table = bearoff(tmp_path, 3)
    judge, seen = find_judge(TWO, exact()), 0
    for step, position in zip(table.steps, [table.beginning, *(step.after for step in table.steps)], strict=False):
        if position.kind != "chance":
            continue
        acts = [Act(ROLL, -1, int(outcome), "", position.state.copy()) for outcome, _ in position.chances()]
        lucks = [judged.luck for judged in judge_part(judge, TWO, acts, 1, range(len(acts)), lambda done: None)]
        odds = [chance for _, chance in position.chances()]
        assert np.dot(odds, lucks) == pytest.approx([0, 0], abs=1e-12)
        assert np.sum(lucks, axis=1) == pytest.approx(np.zeros(len(lucks)), abs=1e-12)
        seat = step.after.turn
        if position.state[TURN] >= 0 and seat is not None:
            mine, others = sides(position.state, seat)
            for act, luck in zip(acts, lucks, strict=True):
                known = best(mine, others, act.code // 10, act.code % 10) - chance_to_win(mine, others)
                assert luck[seat] == pytest.approx(2 * float(known), abs=1e-12)
                seen += 1
    assert seen >= 21


@pytest.mark.parametrize("seed", range(12 if JIT else 3))
def test_what_luck_does_not_explain_is_what_was_given_away(tmp_path: Path, seed: int) -> None:
    """With a judge who knows, and an even game: the result less all luck is what the other lost less what one lost oneself."""
    path, _ = bearoff(tmp_path, seed)
    found = analyse_match(path, exact())
    mine, others = found.sums(0), found.sums(1)
    assert mine.result in (1, -1)
    assert mine.adjusted == pytest.approx(others.loss - mine.loss, abs=1e-10)
    assert mine.result is not None
    assert mine.luck is not None
    assert others.luck is not None
    assert mine.adjusted == pytest.approx(mine.result - mine.luck + others.luck)
    assert others.adjusted == pytest.approx(-mine.adjusted)


# --- networks --------------------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("plies", [0, 1])
def test_losses_are_what_the_player_says_of_each_position(tmp_path: Path, plies: int) -> None:
    """Of the move that was made too, if it is not among those that are looked at again."""
    found = analyse_match(match_file(tmp_path, 5, most=SHORT), plies=plies, width=2, cubeless=True)
    game = ludus.game("backgammon")
    judge = ludus.player(f"td(plies={plies},width=4000,margin=9)" if plies else "td", game)
    outside = 0
    for turn in found.turns:
        values = {move.text: value for move, value in rank(judge, game.position(turn.position), stream(1))}
        assert {choice.move for choice in turn.moves} == set(values)
        deep = [choice for choice in turn.moves if choice.plies == plies]
        if turn.forced:
            assert turn.loss == 0
            continue
        assert turn.choice in deep
        for choice in deep:
            assert choice.value == pytest.approx(values[choice.move], abs=1e-5)
        assert turn.best == max(deep, key=lambda choice: choice.value)
        assert turn.loss is not None
        assert turn.loss >= 0
        outside += turn.choice == deep[2] if len(deep) == 3 else 0
        assert len(deep) <= 3 or plies == 0
    assert outside > 0 or plies == 0


@compiled
def test_two_plies_are_those_of_the_player(tmp_path: Path) -> None:
    text = " 0 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 24/23 13/10           21: 13/11 6/5\n"
    path = tmp_path / "two.mat"
    path.write_text(text)
    found = analyse_match(path, plies=2, cubeless=True)
    game = ludus.game("backgammon")
    values = {
        move.text: value
        for move, value in rank(
            ludus.player("td(plies=2,width=40,margin=9)", game), game.position(found.turns[0].position), stream(1)
        )
    }
    assert found.turns[0].best == found.turns[0].moves[0]
    assert found.turns[0].moves[0].move == "8/5 6/5"
    for choice in found.turns[0].moves:
        assert choice.plies == 0 or choice.value == pytest.approx(values[choice.move], abs=1e-5)
    assert found.turns[0].grade == "blunder"
    assert (found.plies, found.width, found.judge) == (2, 8, "td")


@compiled
def test_a_players_own_plies_and_width_count(sample: Path) -> None:
    found = analyse_match(sample, "td(plies=1,width=2)")
    assert (found.plies, found.width, found.luck_judge) == (1, 2, "td")
    assert any(choice.plies == 1 for turn in found.turns for choice in turn.moves)
    assert all(sum(choice.plies == 1 for choice in turn.moves) <= 3 for turn in found.turns)
    with pytest.raises(LudusError, match="looks 1 plies ahead, not 2"):
        analyse_match(sample, "td(plies=1)", 2)


@compiled
def test_cores_change_nothing_and_luck_is_that_of_the_first_sight(tmp_path: Path) -> None:
    path = match_file(tmp_path, 1, 2, most=60)
    one, three = (analyse_match(path, plies=0, jobs=jobs).to_json() for jobs in (1, 3))
    assert one == three
    ahead = analyse_match(match_file(tmp_path, 1, most=SHORT), plies=1)
    assert [turn.luck for turn in ahead.turns] == [
        turn.luck for turn in analyse_match(match_file(tmp_path, 1, most=SHORT), plies=0).turns
    ]


def test_who_stops_it_stops_all_of_it(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        analyse_match(match_file(tmp_path, 1, most=10), plies=0, jobs=2, progress=stop)
    assert threading.active_count() == before


def test_progress_goes_to_the_end(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    path = match_file(tmp_path, 1, most=10)
    analyse_match(path, plies=0, cubeless=True, progress=lambda *far: heard.append(far))
    assert heard[-1] == (10, 10)
    assert sorted(heard) == heard


# --- sums ------------------------------------------------------------------------------------------------------------


def turn_that_lost(number: int, loss: float, luck: float = 0.0, seat: int = 0) -> Turn:
    played = [Choice("b", 0.5 - loss, 2)] if loss else []
    listed = (Choice("a", 0.5, 2), *played, Choice("c", -1.0, 0))
    return Turn(1, number, "move", seat, "31", "b" if loss else "a", "somewhere", (luck, -luck), listed)


def test_sums_by_hand() -> None:
    # Powers of two, so that every sum is exact.
    losses = [0.125, 0.0625, 0.03125, 0.015625, 0.0]
    turns = [turn_that_lost(at, loss, 0.25) for at, loss in enumerate(losses, 1)]
    turns.append(Turn(1, 6, "move", 0, "66", "pass", "somewhere", (-0.5, 0.5), (Choice("pass", -0.5, 0),)))
    turns.append(Turn(1, 7, "cube", 1, "", "double", "somewhere"))
    turns.append(Turn(1, 8, "roll", 1, "64", "", "somewhere", (0.125, -0.125)))
    game = GameAnalysis(1, tuple(turns), (0, 0), 0, 2, (2.0, -2.0))
    found = MatchAnalysis(Sheet(Path("x.mat"), GAME, ("Ann", "Bob"), (), 5), "td", 2, 8, "td", (game,))
    ann, bob = found.sums(0), found.sums(1)
    assert (ann.decisions, ann.forced, ann.counted) == (6, 1, 5)
    assert (ann.blunder, ann.error, ann.doubtful) == (1, 1, 1)
    assert ann.loss == sum(losses)
    assert ann.error_rate == 1000 * sum(losses) / 5
    assert ann.pr == 500 * sum(losses) / 5
    assert (ann.luck, ann.rolls) == (0.75, 6)
    assert (bob.luck, bob.rolls, bob.actions, bob.decisions) == (-0.125, 1, 1, 0)
    assert (bob.error_rate, bob.pr) == (None, None)
    assert (ann.result, ann.adjusted, bob.adjusted) == (2, 2 - 0.875, -2 + 0.875)
    assert [turn.number for turn in found.worst()] == [1, 2, 3]
    assert [turn.number for turn in found.worst(1)] == [1]


@pytest.mark.parametrize(
    ("loss", "grade"), [(0.08, "blunder"), (0.0799, "error"), (0.04, "error"), (0.0399, "doubtful"), (0.02, "doubtful"), (0.0199, "")]
)  # fmt: skip
def test_grades_begin_where_they_are_said_to(loss: float, grade: str) -> None:
    turn = Turn(1, 1, "move", 0, "31", "b", "", (), (Choice("a", loss, 0), Choice("b", 0.0, 0)))
    assert turn.grade == grade


# --- matches ---------------------------------------------------------------------------------------------------------


def test_without_the_cube_it_is_shown_and_not_judged(sample: Path) -> None:
    found = analyse_match(sample, plies=0, cubeless=True)
    first, second = found.games
    assert [(turn.seat, turn.played) for turn in first.turns if turn.kind == "cube"] == [
        (0, "double"), (1, "take"), (1, "double"), (0, "pass"),
    ]  # fmt: skip
    assert all(turn.loss is None and not turn.luck and not turn.moves for turn in first.turns if turn.kind == "cube")
    assert (found.sums(0).actions, found.sums(1).actions) == (2, 2)
    assert first.result == (-1, 1)  # two points with the cube on 2
    assert "4 actions with the cube were read, and not judged." in found.text()
    assert found.names == ("Ann", "Bob Black")
    assert (second.score, second.winner, second.points) == ((0, 2), 0, 1)


@pytest.mark.parametrize(
    ("rows", "points", "result"),
    [
        (["  2)  Doubles => 2                Beavers => 4", "  3)  Takes", "  4) 52: 13/11 13/8"], 4, 1),
        (["  2)  Doubles => 2                Beavers => 4", "  3)  Takes", "  4) 52: 13/11 13/8"], 8, 2),
        (["  2)  Doubles => 2                Takes", "  3) 52: 13/11 13/8               Doubles => 4"], 2, 1),
        (["  2)  Doubles => 2                Drops"], 1, 1),
    ],
)
def test_results_are_those_without_the_cube(tmp_path: Path, rows: list[str], points: int, result: float) -> None:
    head = [
        " 0 point match",
        "",
        " Game 1",
        " Ann : 0      Bob : 0",
        "  1) 31: 8/5 6/5                 65: 24/18 18/13",
    ]
    path = tmp_path / "beaver.mat"
    path.write_text("\n".join([*head, *rows, f"      Wins {points} point{'s' * (points > 1)}"]))
    found = analyse_match(path, plies=0, cubeless=True)
    assert found.games[0].result == (result, -result)
    assert read_mat(annotated(found)) == read_mat(path.read_text())
    told = sum(row.count("s => ") + row.count("Takes") + row.count("Drops") for row in rows)
    assert found.sums(0).actions + found.sums(1).actions == told


def test_a_game_that_was_given_up_after_a_roll(sample: Path) -> None:
    found = analyse_match(sample, plies=0, cubeless=True, number=2)
    last = found.turns[-1]
    assert (last.kind, last.roll, last.played, last.loss) == ("roll", "64", "", None)
    assert len(last.luck) == 2
    assert found.games[0].result == (1, -1)
    bob = found.sums(1)
    assert (bob.decisions, bob.forced, bob.rolls) == (2, 1, 3)
    assert [turn.roll for turn in found.turns] == ["21", "43", "66", "51", "64"]


def test_a_game_without_an_end_has_no_result(tmp_path: Path) -> None:
    found = analyse_match(match_file(tmp_path, 3, most=10), plies=0)
    assert found.games[0].result == ()
    assert (found.sums(0).result, found.sums(0).adjusted) == (None, None)
    assert found.sums(0).luck is not None
    assert "Game 1 has no result." in found.text()


def test_positions_are_those_of_the_file_and_moves_those_that_were_made(tmp_path: Path) -> None:
    """From the first roll on, whoever begins."""
    beginners = set()
    for seed in range(6):
        path = match_file(tmp_path, seed, most=8)
        record = read_mat(path.read_text()).games[0]
        found = analyse_match(path, plies=0, cubeless=True)
        beginners.add(record.turns[0].seat)
        position = ludus.game("backgammon").start()
        for turn, told in zip(found.turns, record.turns, strict=True):
            first = position.state[TURN] < 0
            position = position.play(turn.roll[::-1] if first and turn.seat == 1 else turn.roll)
            assert (turn.position, turn.seat, turn.played) == (position.text, told.seat, told.text)
            position = position.play(turn.played)
    assert beginners == {0, 1}


# --- other games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ending"), [("quoridor(size=5,walls=1)", ".quoridor"), ("tictactoe", ".json"), ("ludo", ".json"), ("backgammon", ".json")]
)  # fmt: skip
def test_whatever_ludus_saves_can_be_judged(tmp_path: Path, name: str, ending: str) -> None:
    found = analyse_match(played(tmp_path, name, 12, ending), Last())
    moved = [turn for turn in found.turns if turn.kind == "move"]
    assert moved
    for turn in moved:
        assert turn.loss == len(turn.moves) - 1  # the first move was made, which it likes least
    assert (found.judge, found.plies, found.luck_judge) == ("last", None, None)
    assert found.sums(0).luck is None
    json.dumps(found.to_json())
    assert "<svg" in found.html()


def test_results_of_saved_games(tmp_path: Path) -> None:
    found = analyse_match(played(tmp_path, "tictactoe", 9), Last())
    assert found.games[0].winner == 0
    assert found.games[0].result == (1.0, 0.0)
    assert found.sums(0).result == 1


@compiled
def test_a_network_looks_ahead_in_games_without_chance(tmp_path: Path) -> None:
    found = analyse_match(played(tmp_path, "quoridor", 4, ".quoridor"), "td", 1, width=3)
    assert all(turn.loss is not None and turn.loss >= 0 and not turn.luck for turn in found.turns)
    assert found.luck_judge is None
    assert "luck" not in found.text()
