"""Quoridor at the table: the menu, the board with its history, moves in all notations, files, and players who are watched."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any

import pexpect
import pytest
from rich.console import Console

import ludus
from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.methods.presets import PRESETS, presets_for
from ludus.play import choose, saved
from ludus.play.table import Table
from ludus.players import best_known
from tabletop import introduce, talk

QUORIDOR = ludus.game("quoridor")
SMALL = ludus.game("quoridor(size=3,walls=1)")  # a game of it is over soon


@pytest.fixture(autouse=True)
def _known_by_name(monkeypatch):
    introduce(monkeypatch)


def menu(*lines: str, game: Any = SMALL, width: int = 300) -> str:
    """Choose with these lines and then Ctrl-D, and give back all that was to be seen."""
    console = Console(record=True, width=width, file=io.StringIO())
    rest = iter(lines)

    def ask(prompt: str) -> str:
        line = next(rest, None)
        console.print(f"{prompt}{line}", markup=False, highlight=False, soft_wrap=True)
        if line is None:
            raise EOFError
        return line

    choose(game, color=False, ask=ask, console=console)
    return console.export_text()


# --- at the board ----------------------------------------------------------------------------------------------------


def test_the_board_comes_with_history_stocks_distances_and_whose_turn_it_is():
    said = talk("e2", game=QUORIDOR, against="plain")
    assert "You are yellow, against plain." in said
    assert re.search(r"HISTORY\n   \+-+\+ +1\. e2 +\S+\n 9 ", said)
    assert re.search(r" > Y yellow +10 walls +7 to row 9\n   G green +\d+ walls? +\d+ to row 1\n   move 2\n", said)


@pytest.mark.parametrize(
    ("line", "played"),
    [("e2", "e2"), ("u", "e2"), ("R", "f1"), ("e3h", "e3h"), ("h20", "e3h"), ("v24", "a4v"), ("h3", "d1h")],
)
def test_moves_are_read_in_the_official_notation_and_the_thesiss(line, played):
    assert f"You play {played}." in talk(line, game=QUORIDOR, against="plain")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("e4", "'e4': that is too far; the pawn on e1 can go to e2, f1, d1"),
        ("i5h", "'i5h': that wall would stick out of the board"),
        ("xyzzy", "'xyzzy': it is no move; a move is the pawn's square, as e2"),
        ("hnit", "unknown command 'hnit'; did you mean 'hint'?"),
        ("undo", "there is nothing to undo"),
        ("help", "e3h or e3v for a wall"),
    ],
)
def test_what_is_typed_wrong_is_answered_with_the_rule(line, answer):
    assert answer in talk(line, game=QUORIDOR, against="plain")


def test_two_people_play_a_game_to_its_end():
    said = talk("b2", "c3", "b3", game=SMALL, seat="0,1", against=())
    assert "yellow wins by reaching row 3, 1 point." in said


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_game_is_saved_and_loaded_as_text(tmp_path):
    file = tmp_path / "game.quoridor"
    said = talk("e2", f"save {file}", "undo", f"load {file}", game=QUORIDOR, against="plain")
    assert f"Saved to {file}." in said
    assert f"Loaded {file}" in said
    assert re.fullmatch(
        r'\[Game "quoridor"\]\n\[Yellow "you"\]\n\[Green "plain"\]\n\n1\. e2 \S+\n', file.read_text(encoding="utf-8")
    )


def test_a_file_with_an_illegal_move_is_refused_and_the_game_goes_on(tmp_path):
    file = tmp_path / "game.quoridor"
    file.write_text("1. e2 e8\n2. e3h e3v\n", encoding="utf-8")
    said = talk(f"load {file}", "e2", game=QUORIDOR, against="plain")
    assert f"{file}, line 2, move 4: 'e3v': it would cross e3h" in said
    assert "You play e2." in said


def test_a_game_that_only_players_played_is_kept_as_such(tmp_path):
    table = Table(QUORIDOR, 1, (), ["plain", "plain"])
    table.take([128])
    for name in ("game.json", "game.quoridor"):
        saved.save(table, tmp_path / name)
    assert saved.load(QUORIDOR, tmp_path / "game.json", 0, 1).people == ()
    assert saved.load(QUORIDOR, tmp_path / "game.quoridor", 0, 1).people == (0,), "such a file does not say"


# --- the menu --------------------------------------------------------------------------------------------------------


def test_the_menu_lists_its_choices_and_leaves_by_quit_and_ctrl_d():
    for lines in (["quit"], ["6"], []):
        said = menu(*lines)
        for choice in ("play", "watch", "load", "save", "train", "quit"):
            assert f"  {choice} " in said
        assert said.rstrip().endswith("Goodbye.")


def test_a_choice_may_be_a_number_a_word_or_its_beginning():
    for line in ("1", "play", "pl"):
        assert "Against whom? [" in menu(line)
    assert "there is no choice 'dance'; there are play, watch, load, save, train, quit" in menu("dance")


def test_one_plays_leaves_the_table_and_saves_the_game(tmp_path):
    file = tmp_path / "last.quoridor"
    said = menu("save", "play plain", "yellow", "a1", "quit", f"save {file}", game=SMALL)
    assert "there is no game to save yet: play or watch one first" in said
    assert "You are yellow, against plain." in said
    assert "Back at the menu." in said
    assert f"Saved to {file}." in said
    assert "1. a1" in file.read_text(encoding="utf-8")


def test_a_saved_game_goes_on_from_the_menu(tmp_path):
    file = tmp_path / "last.quoridor"
    file.write_text("1. a1 c3\n", encoding="utf-8")
    said = menu(f"load {file}", "plain", "quit")
    assert f"Loaded {file}, a game of yellow and green." in said
    assert "You are yellow, against plain." in said
    assert "can't load" in menu("load nowhere.quoridor", "plain")
    assert "load needs the name of a file" in menu("load", "")


def test_one_watches_move_by_move_back_and_to_the_end(tmp_path):
    file = tmp_path / "watched.quoridor"
    said = menu("watch plain plain", "", "2", "undo", "dance", "help", f"save {file}", "end", "", "quit")
    assert "plain (yellow) against plain (green)." in said
    assert "unknown command 'dance'; there are Enter, a number, end, undo, board, save, help, quit" in said
    assert len(re.findall(r"\b\d+\.", file.read_text(encoding="utf-8"))) == 1, "three moves and one back are one round"
    assert re.search(r"plain \((yellow|green)\) wins by reaching row [13], 1 point\.|The game is drawn", said)
    assert said.rstrip().endswith("Goodbye.")


def test_who_is_watched_is_asked_for_each_seat():
    said = menu("watch", "plain", "", "quit")
    assert f"Who plays yellow? [{best_known(SMALL)}] plain" in said
    assert "Who plays green? [plain] " in said
    assert "unknown player 'nobody'" in menu("watch nobody plain")
    assert "3 players are named, but there are 2 seats" in menu("watch plain plain plain")


def test_train_lists_the_presets_and_hands_over_to_the_lab(monkeypatch):
    asked: dict[str, Any] = {}

    def train(game: str, **values: Any) -> Any:
        asked.update(values, game=game)
        raise LudusError("not today")

    monkeypatch.setattr("ludus.lab.train", train)
    first, enough = QUORIDOR.short_training
    assert first in presets_for("quoridor")
    said = menu("train", "", "7")
    assert f"  {first}: " in said
    assert (asked["preset"], asked["games"], asked["game"]) == (first, 7, "quoridor(size=3,walls=1,limit=36)")
    assert "not today" in said
    assert ("there are no presets for quoridor yet" in said) == ("quoridor" not in PRESETS)
    assert "Which one? [qlnn]" in said
    menu("train", "", "")
    assert asked["games"] == enough, "so many that it learns something"
    menu("train best", "")
    assert asked["games"] == presets_for("quoridor")["best"].games, "few games of it learn nothing"
    assert "there is no preset 'magic'" in menu("train magic")
    for many in ("many", "0", "-1", "1e3", "9" * 5000):
        assert "a number of games is a whole number from 1" in menu("train", "", many).replace("\n", " ")


def test_numbers_of_five_thousand_digits():
    assert "there is no choice" in menu("9" * 5000)
    assert "a number of moves is a whole number" in menu("watch path path", "9" * 5000, "quit").replace("\n", " ")


def test_on_a_narrow_terminal_the_history_goes_below_the_board():
    said = menu("play plain", "yellow", "e2", "quit", game=QUORIDOR, width=48)
    assert "HISTORY" not in said
    assert re.search(r"move 2\n\n  1\. e2 +\S+\n", said)
    assert max(map(len, said.splitlines())) <= 60


# --- a real terminal -------------------------------------------------------------------------------------------------


def test_in_a_real_terminal(tmp_path):
    program = "import sys; from ludus.cli.main import main; main(['play', 'quoridor'])"
    terminal = pexpect.spawn(
        sys.executable,
        ["-c", program],
        encoding="utf-8",
        timeout=600,
        dimensions=(50, 86),
        cwd=tmp_path,
        env=os.environ,
    )
    terminal.expect_exact("quoridor> ")
    terminal.sendline("play random")
    terminal.expect_exact("[yellow] ")
    terminal.sendline("")
    terminal.expect_exact("Your move (yellow): ")
    assert "\x1b[" in terminal.before, "the board is painted"
    terminal.sendline("u")
    terminal.expect_exact("HISTORY")
    terminal.expect_exact("Your move (yellow): ")
    terminal.sendcontrol("c")
    terminal.expect_exact("Back at the menu.")
    terminal.expect_exact("quoridor> ")
    terminal.sendline("save")
    terminal.expect_exact("[game.quoridor] ")
    terminal.sendline("")
    terminal.expect_exact("Saved to game.quoridor.")
    terminal.expect_exact("quoridor> ")
    terminal.sendeof()
    terminal.expect("Goodbye.")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert len(saved.load(QUORIDOR, tmp_path / "game.quoridor", 0, 0).steps) == 2


def test_without_a_terminal_or_with_options_there_is_no_menu(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("e2\nquit\n"))
    with pytest.raises(SystemExit):
        main(["play", "quoridor", "--against", "random", "--seed", "4", "--no-color"])
    said = capsys.readouterr().out
    assert "You play e2." in said
    assert "QUORIDOR" not in said


def test_the_menu_remembers_whom_one_played_against(tmp_path):
    said = menu("play plain", "yellow", "quit", "play", "", "yellow", "quit")
    assert f"Against whom? [{best_known(SMALL)}]" not in said
    assert "Against whom? [plain]" in said
    file = tmp_path / "last.quoridor"
    said = menu(
        "play path", "yellow", "quit", f"save {file}", "play plain", "yellow", "quit", f"load {file}", "", "quit"
    )
    assert "Against whom? [path]" in said
    assert said.count("against path.") == 2


def test_quit_is_no_player():
    for lines in (["play", "quit"], ["play plain", "quit"], ["watch", "plain", "quit"], ["train", "quit"]):
        said = menu(*lines)
        assert "unknown player" not in said
        assert "there is no preset" not in said
        assert said.rstrip().endswith("Goodbye.")


def test_a_trained_player_is_the_next_opponent(monkeypatch):
    class Done:
        player_name, folder = "plain", "runs/a"

    monkeypatch.setattr("ludus.lab.train", lambda game, **values: Done())
    assert "Against whom? [plain]" in menu("train", "", "7", "play", "quit")
