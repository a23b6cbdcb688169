"""What a player thinks of a position: in Python, and by `ludus analyse`."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ludus
from ludus.cli.main import main
from ludus.contract.position import Position
from ludus.errors import LudusError

OPENING = ludus.game("backgammon").start().play("31")


class Judge:
    """Likes the last moves best."""

    name = "judge"

    def choose(self, position: Position, rng: Any) -> int:
        return int(position.moves()[-1])

    def rank(self, position: Position, rng: Any) -> list[tuple[Any, float]]:
        return [(move, -float(i)) for i, move in enumerate(reversed(position.moves()))]


def test_a_named_player_judges_all_moves() -> None:
    found = OPENING.analyse("td")
    assert str(found.moves[0].move) == "8/5 6/5"
    assert {int(m.move) for m in found.moves} == {int(m) for m in OPENING.moves()}
    values = [m.value for m in found.moves]
    assert values == sorted(values, reverse=True)
    told = found.to_json()
    assert (told["game"], told["position"], told["turn"]) == ("backgammon", OPENING.text, 0)
    assert told["value"] == told["moves"][0]["value"] == values[0]


def test_a_player_of_ones_own_and_the_best_known_one() -> None:
    assert OPENING.analyse(Judge()).moves[0].move == OPENING.moves()[-1]
    assert OPENING.analyse(Judge()).player == "judge"
    assert OPENING.analyse().player == "td"


def test_chances_and_scores_where_nobody_moves() -> None:
    start = ludus.game("backgammon").start().analyse(Judge())
    assert start.value is None
    assert sum(chance for _, chance in start.chances) == pytest.approx(1)
    last = ludus.game("tictactoe").position("( cell 1 1 xplayer ) ( cell 2 1 xplayer ) ( control xplayer )")
    over = last.play("mark 3 1").analyse(Judge())
    assert (over.scores, over.moves, over.value) == ((1.0, 0.0), (), None)


def test_where_all_move_at_once_each_seat_has_its_moves() -> None:
    found = ludus.game("rockpaperscissors").start().analyse(Judge())
    assert [m.seat for m in found.moves] == [0, 0, 0, 1, 1, 1]
    assert found.value is None


def test_who_moves_without_judging_has_nothing_to_say() -> None:
    with pytest.raises(LudusError, match="random has nothing to say of backgammon here"):
        OPENING.analyse("random")


def test_a_search_shows_the_lines_that_it_expects(capsys: pytest.CaptureFixture[str]) -> None:
    start = ludus.game("quoridor(size=5,walls=2)").start()
    found = start.analyse("alphabeta(depth=3)", lines=2)
    assert [len(judged.line) for judged in found.moves[:3]] == [3, 3, 0]
    for judged in found.moves[:2]:
        position = start
        for move in judged.line:
            position = position.play(move)  # all of them are legal
    told = found.to_json()["moves"]
    assert told[0]["line"] == [move.text for move in found.moves[0].line]
    assert "line" not in told[2]
    with pytest.raises(SystemExit):
        main(["analyse", "quoridor(size=5,walls=2)", "--player", "alphabeta(depth=3)", "--lines", "2"])
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown[2:]] == [judged.move.text for judged in found.moves[:2]]
    assert shown[2].split()[2:] == told[0]["line"][1:]
    with pytest.raises(LudusError, match="td has no lines to show"):
        OPENING.analyse("td", lines=1)


def test_the_command_prints_moves_for_people_and_all_of_them_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    def run(*line: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["analyse", *line])
        assert ended.value.code == 0
        return capsys.readouterr().out

    where = ["backgammon", "--position", OPENING.text]
    lines = run(*where, "--player", "td", "--moves", "3").splitlines()
    assert lines[:2] == [OPENING.text, "X to move, as td sees it; of 16 moves:"]
    first = [str(seen.move) for seen in OPENING.analyse("td").moves[:3]]
    assert first[0] == "8/5 6/5"
    assert [line.rsplit(maxsplit=1)[0].strip() for line in lines[2:]] == first
    told = json.loads(run(*where, "--json"))
    assert len(told["moves"]) == 16
    assert told["moves"][0] == {"seat": 0, "move": "8/5 6/5", "value": told["value"]}
    assert "chance is due" in run("backgammon")


def test_the_end_of_a_game_in_words() -> None:
    last = ludus.game("tictactoe").position("( cell 1 1 xplayer ) ( cell 2 1 xplayer ) ( control xplayer )")
    assert str(last.play("mark 3 1").analyse(Judge())).splitlines()[1:] == [
        "the game is over",
        "  xplayer  1",
        "  oplayer  0",
    ]
