"""`ludus engine`: our players in other people's tools, by QTP and by UGI."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

import ludus
from ludus.adapters.qtp import COMMANDS, Qtp
from ludus.adapters.speaking import converse
from ludus.adapters.ugi import Ugi
from ludus.cli.main import main

TICTACTOE = ludus.game("tictactoe")


def said(engine: Qtp | Ugi, text: str) -> list[str]:
    """What an engine says to some lines."""
    answers = io.StringIO()
    converse(engine, io.StringIO(text), answers)
    return answers.getvalue().splitlines()


def short(engine: Qtp, *lines: str) -> list[str]:
    """The answers to some commands, without the empty lines that end them."""
    return [line for line in said(engine, "\n".join(lines) + "\n") if line]


# --- QTP -------------------------------------------------------------------------------------------------------------


def test_an_answer_ends_with_an_empty_line_and_comments_get_none() -> None:
    assert said(Qtp("path"), "# hello\n\n\t name \r\n\x07version#1\nnonsense\nquit\nname\n") == [
        "= ludus path", "", "=", "", "? unknown command", "", "=", "",
    ]  # fmt: skip


def test_it_lists_what_it_knows() -> None:
    assert short(Qtp(), "list_commands") == ["= name", *COMMANDS[1:]]
    assert short(Qtp(), "known_command genmove", "known_command sing", "known_command") == [
        "= true",
        "= false",
        "= false",
    ]


def test_a_game_by_the_protocol() -> None:
    engine = Qtp("path")
    assert short(engine, "boardsize 5", "clear_board", "walls 3", "genmove black") == ["=", "=", "=", "= C4"]
    assert short(engine, "playmove white c2", "playwall w A4 vertical", "genmove b", "winner") == [
        "=",
        "=",
        "= C3",
        "= false",
    ]
    assert short(engine, "genmove white", "genmove black", "winner") == ["= C4", "= C2", "= false"]  # it jumped
    assert short(engine, "genmove white", "winner") == ["= C5", "= true white"]
    assert short(engine, "genmove black", "playmove black C1") == [
        "? illegal move",
        "? illegal move",
    ]  # the game is over
    assert short(engine, "undo", "winner", "undo 6", "undo 2", "undo") == [
        "=",
        "= false",
        "=",
        "? cannot undo",
        "? cannot undo",
    ]


def test_the_board_has_the_coordinates_of_the_protocol() -> None:
    engine = Qtp()
    short(engine, "boardsize 5", "walls 2", "playwall black B5 v", "playwall white A3 h", "playmove black D5")
    assert said(engine, "showboard\n") == [
        "=",
        "   A   B   C   D   E",
        " +---+---+---+---+---+",
        "5|   |   H   | B |   |5  black walls: 1",
        " +---+---H---+---+---+",
        "4|   |   H   |   |   |4  white walls: 1",
        " +---+---+---+---+---+",
        "3|   |   |   |   |   |3",
        " +=======+---+---+---+",
        "2|   |   |   |   |   |2",
        " +---+---+---+---+---+",
        "1|   |   | W |   |   |1",
        " +---+---+---+---+---+",
        "   A   B   C   D   E",
        "",
    ]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("boardsize 2", "? unacceptable size"),
        ("boardsize 25", "? unacceptable size"),
        ("boardsize", "? syntax error: write boardsize SIZE"),
        ("boardsize -5", "? syntax error: write boardsize SIZE"),
        ("boardsize 5 5", "? syntax error: write boardsize SIZE"),
        (f"boardsize {'9' * 400}", "? syntax error: write boardsize SIZE"),
        ("walls many", "? syntax error: write walls NUMBER"),
        ("walls 1000", "? walls 1000: a number of walls is a whole number from 0 to 64"),
        ("undo", "? cannot undo"),
        ("undo 0", "? cannot undo"),
        ("genmove", "? syntax error: a colour is black or white"),
        ("genmove green", "? syntax error: a colour is black or white"),
        ("playmove black", "? syntax error: write playmove COLOUR SQUARE"),
        ("playmove black E7 horizontal", "? syntax error: write playmove COLOUR SQUARE"),
        ("playmove black E5", "? illegal move"),
        ("playmove black Z99", "? illegal move"),
        ("playmove black ü8", "? illegal move"),
        ("playwall black E7", "? syntax error: write playwall COLOUR SQUARE horizontal|vertical"),
        ("playwall black E1 horizontal", "? illegal move"),
        ("playwall black I7 vertical", "? illegal move"),
        ("playwall black E7 slanting", "? illegal move"),
        ("\ud800\x00\x1b[31m", "? unknown command"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_command_is_said_and_changes_nothing(command: str, answer: str) -> None:
    engine = Qtp("path")
    assert short(engine, command) == [answer]
    assert short(engine, "genmove black") == ["= E8"]


def test_a_player_that_can_not_play_on_this_board_says_so() -> None:
    assert short(Qtp("td"), "boardsize 4", "genmove black")[1].startswith("? ")
    assert short(Qtp("gnubg"), "genmove black") == ["? player 'gnubg' plays backgammon only, not quoridor"]


def test_unless_told_the_best_known_player_plays_on_each_board() -> None:
    engine = Qtp()
    for size in (9, 3):
        answer = short(engine, f"boardsize {size}", "walls 0", "genmove black")[2]
        assert answer.startswith("= ")


# --- UGI -------------------------------------------------------------------------------------------------------------


def test_a_game_by_ugi() -> None:
    engine = Ugi(TICTACTOE, "perfect")
    assert said(engine, "ugi\nisready\nuginewgame\nsetoption name hash value 1\nstop\n") == [
        "id name ludus perfect", "id author ludus", "ugiok", "readyok",
    ]  # fmt: skip
    moves = "mark_1_1 mark_2_2 mark_1_2 mark_3_3"
    assert said(engine, f"position startpos moves {moves}\nquery p1turn\nquery result\ngo depth 1\n") == [
        "response true", "response none", "bestmove mark_1_3",
    ]  # fmt: skip
    assert said(engine, f"position startpos moves {moves} mark_1_3\nquery gameover\nquery result\nquit\nugi\n") == [
        "response true", "response p1win",
    ]  # fmt: skip


def test_a_position_by_ugi() -> None:
    position = TICTACTOE.start().play("mark 1 1").play("mark 2 2").play("mark 1 2")
    asked = f"position fen {position.text}\ngo\nposition fen {position.text} moves mark_1_3\nquery p1turn\n"
    assert said(Ugi(TICTACTOE, "perfect"), asked) == ["bestmove mark_1_3", "response true"]


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("sing", "info string unknown command 'sing'"),
        ("position", "info string write 'position startpos' or 'position fen TEXT', and 'moves' after it"),
        ("position startpos moves mark_9_9", "info string 'mark_9_9' is not a legal move in "),
        ("position fen nonsense", "info string "),
        ("query weather", "info string query p1turn, gameover or result"),
    ],
)
def test_what_is_wrong_with_a_command_of_ugi_is_said(command: str, answer: str) -> None:
    (line,) = said(Ugi(TICTACTOE), command + "\n")
    assert line.startswith(answer)


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("quoridor --player tdd", "unknown player 'tdd'; did you mean 'td'?"),
        ("quoridor --protocol cecp", "unknown protocol 'cecp'; there are: qtp, ugi"),
        ("quoridor(size=5)", "the tool says the size of the board by 'boardsize'"),
        ("quoridor(columns=5)", "boards that are not square are for --protocol ugi"),
        ("backgammon --protocol qtp", "--protocol qtp is for quoridor, not backgammon"),
        ("quorido", "unknown game 'quorido'; did you mean 'quoridor'?"),
        ("quoridor --seed -1", "--seed -1: a seed is"),
    ],
)
def test_a_command_line_that_makes_no_sense(arguments: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["engine", *arguments.split()])
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert complaint in err
    assert len(err.splitlines()) == 1


def test_a_whole_session_in_a_process_of_its_own() -> None:
    source = str(Path(__file__).parent.parent / "src")
    ran = subprocess.run(
        [sys.executable, "-m", "ludus", "engine", "quoridor", "--player", "path"],
        input=b"name\n\xff\xfe\ngenmove black\nquit\n",
        capture_output=True,
        check=True,
        cwd=source,
    )
    assert ran.stdout == b"= ludus path\n\n? unknown command\n\n= E8\n\n=\n\n"
    assert ran.stderr == b""
