"""A person at the table: scripted lines go in, and what the terminal says comes out."""

from __future__ import annotations

import io
import re
import sys
from typing import Any, NamedTuple

import numpy as np
import pexpect
import pytest
from rich.console import Console

import ludus
from ludus import players
from ludus.cli.main import main
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER
from ludus.errors import LudusError
from ludus.kernel import implements, stream
from ludus.play import play, saved
from ludus.play.screen import Screen
from ludus.play.table import Table, roller
from ludus.play.terminal import COMMANDS, Terminal
from tabletop import BACKGAMMON, X_BEGINS, Coins, PlainPlayer, Stones, introduce, play_to_the_end, talk, terminal

LUDO = ludus.game("ludo")
RED_BEGINS = 4  # a seed by which red begins; the next rolls are 3, 3, 5, 2, and 6, 6, 1 for red again


@pytest.fixture(autouse=True)
def _known_by_name(monkeypatch):
    introduce(monkeypatch)


def answer_to(line: str, **settings: Any) -> str:
    """The one line that answers a line typed at the first decision."""
    said = talk(line, **settings).split(f"Your move (X): {line}\n")[1]
    return said.split("Your move (X)")[0].strip()


def boards(said: str) -> int:
    return said.count("|BAR|")


# --- the table -------------------------------------------------------------------------------------------------------


def test_a_table_plays_a_whole_game_without_asking_or_showing_anything(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO())  # whoever asks there ends the test by EOFError
    seats = range(4)
    table = Table(Stones(stones=9), 1, 0, ["you", "a", "b", "c"])
    sitting = {seat: PlainPlayer() for seat in seats[1:]}
    while table.due != OVER:
        seat = table.due
        table.take([table.ask(sitting[seat], seat) if seat else table.read(str(table.choices()[0]), 0)])
    assert {step.seat for step in table.steps} == set(seats)
    assert "1 point" in table.result()
    with pytest.raises(LudusError, match="without judging"):
        table.advice(sitting[1])
    assert capsys.readouterr() == ("", "")


# --- a turn ---------------------------------------------------------------------------------------------------------


def test_a_turn_shows_the_roll_the_board_the_move_and_the_answer():
    said = talk("24/23 13/11")
    assert "You are X, against random. The game's seed is 3." in said
    assert "You roll 21." in said
    assert "X to move: 2-1" in said
    assert "You play 24/23 13/11." in said
    assert re.search(r"random \(O\) rolls 32: \S+", said)
    assert "You roll 52." in said
    assert boards(said) == 2
    assert said.rstrip().endswith("Goodbye.")


def test_a_move_may_be_written_in_any_way_that_the_game_reads():
    assert "You play 24/23 13/11." in talk("13-11, 24-23")


def test_with_colours_the_board_is_painted_and_without_it_is_not():
    def printed(color: bool) -> str:
        file = io.StringIO()
        console = Console(file=file, force_terminal=True, color_system="256", width=100)
        play(BACKGAMMON, "random", seed=X_BEGINS, color=color, ask=lambda prompt: "quit", console=console)
        return file.getvalue()

    assert "\x1b[" in printed(True)
    assert "\x1b[" not in printed(False)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("8/4", "'8/4': 8/4 needs a 4; you have 2 and 1"),
        ("hnit", "unknown command 'hnit'; did you mean 'hint'?"),
        ("sav x.json", "unknown command 'sav'; did you mean 'save'?"),
        ("bar 20", "'bar 20': can't read 'bar'"),  # and not: did you mean 'board'?
        ("pass", "'pass': you may not pass while you can move"),
        ("xyzzy", "'help' lists the commands"),
        ("", "Type a move, or 'help' for the commands."),
        ("undo", "there is nothing to undo"),
        ("save", "save needs the name of a file, as in: save game.json"),
        ("load", "load needs the name of a file"),
        ("load nowhere.json", "can't load nowhere.json: there is no file nowhere.json"),
        ("load .", "can't load .: . is a folder"),
        ("load ~nobody-of-this-name/x", "can't load ~nobody-of-this-name/x:"),
        ("load a\0b", "can't load a"),
        ("load /dev/zero", "can't load /dev/zero: /dev/zero is not a regular file"),
        ("save /nowhere/at/all.json", "can't write /nowhere/at/all.json: No such file or directory"),
        ("save a\0b", "can't write a"),
        ("new 2", "there is no seat 2; the seats of backgammon are 0 to 1"),
        ("new z", "'z' is no seat; they are 0 to 1, or x, o"),
        ("new 0,0", "name each seat of a person once, as in 0,2"),
        ("moves 99", "no legal move contains '99'"),
        ("load \udcff", r"can't load \udcff: there is no file"),
    ],
)
def test_what_is_typed_wrong_is_answered_kindly_and_asked_again(line, answer):
    said = talk(line, "24/23 13/11")
    assert answer in " ".join(said.split())
    assert "You play 24/23 13/11." in said, "the game goes on"


def test_wrong_moves_do_not_print_the_board_again_but_board_does():
    assert boards(talk("8/4", "hnit")) == 1
    assert boards(talk("board")) == 2


def test_help_names_every_command_and_shows_how_moves_are_written():
    said = talk("help")
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", said, re.MULTILINE)
    assert "A move is written like one of these: 6/3, " in said


def test_moves_lists_all_legal_moves_or_those_with_a_text():
    legal = [str(move) for move in BACKGAMMON.start().play("21").moves()]

    def listed(line: str) -> list[str]:
        return re.split(r"\s{2,}|\n", talk(line).split(line + "\n")[1].split("Your move")[0].strip())

    assert sorted(listed("moves")) == sorted(legal)
    assert sorted(listed("moves 24/2")) == sorted(move for move in legal if "24/2" in move)


def test_quit_and_ctrl_c_leave_as_ctrl_d_does():
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    assert "Goodbye." in talk("quit")
    assert "You play" not in talk("quit", "24/23 13/11")
    console = Console(record=True, file=io.StringIO())
    play(BACKGAMMON, "random", seed=1, ask=interrupt, console=console)
    assert console.export_text().rstrip().endswith("Goodbye.")


def test_a_line_that_is_not_text_is_no_reason_to_end():
    lines = iter([b"\xff".decode, lambda: "quit"])
    console = Console(record=True, width=300, file=io.StringIO())
    play(BACKGAMMON, "random", seed=1, ask=lambda prompt: next(lines)(), console=console)
    assert "can't read that line" in console.export_text()


def test_who_has_but_one_move_presses_enter():
    t = terminal(seat=1)
    t.table.beginning = BACKGAMMON.position("XGID=a-----O-------------------:0:0:-1:66:0:0:0:0:10")
    t.table.steps.clear()
    assert t.prompt() == "Your only move is pass; press Enter to play it: "
    t.obey("")
    assert t.table.steps[0].texts == ("pass",)
    with pytest.raises(LudusError, match="nothing to undo"):
        t.obey("undo")  # a forced move is no decision to come back to


def test_a_player_who_fails_does_not_take_the_game_with_it(tmp_path):
    class Cheat:
        def choose(self, position: Position, rng: np.random.Generator) -> int:
            return 999_999

    t = terminal(seed=X_BEGINS)
    t.advance()
    t.players["random"] = Cheat()
    t.obey("24/23 13/11")
    t.tell_errors(t.advance)
    assert "chose 999999, which is not a legal move" in t.console.export_text()
    assert t.prompt() == "Command: "
    t.obey(f"save {tmp_path / 'a.json'}")
    with pytest.raises(LudusError, match="there is no move to make now"):
        t.obey("24/23 13/11")
    t.obey("undo")
    assert t.prompt() == "Your move (X): "


# --- hints -----------------------------------------------------------------------------------------------------------


class Judge(NamedTuple):
    """A player who thinks that a move is worth a hundredth of its number."""

    unit: float = 0.01


@implements(players.base.evaluate_moves, Judge)
def _(player: Any, game: Any, state: Any, seat: int, rng: Any, moves: Any, values: Any) -> int:
    count = rules.moves(game, state, seat, moves)
    for i in range(count):
        values[i] = player.unit * moves[i]
    return count


def test_hint_lists_the_five_best_moves_as_the_opponent_sees_them():
    t = terminal(seed=X_BEGINS)
    t.advance()
    t.players["random"] = Judge()
    t.console.export_text()
    t.obey("hint")
    lines = t.console.export_text().splitlines()
    best = sorted(t.table.choices(), key=lambda move: -int(move))[:5]
    assert lines[0] == "random would play:"
    assert [line.split(maxsplit=1)[0] for line in lines[1:]] == ["1.", "2.", "3.", "4.", "5."]
    for line, move in zip(lines[1:], best, strict=True):
        assert str(move) in line
        assert f"{0.01 * int(move):+.3f}" in line


def test_without_a_player_who_judges_the_answer_is_kind(monkeypatch):
    monkeypatch.delitem(players.REGISTRY, "td")
    assert answer_to("hint") == "sorry, no hints: random and td can't judge moves of backgammon here"


# --- undo ------------------------------------------------------------------------------------------------------------


def test_undo_goes_back_over_the_opponents_moves_and_can_be_repeated():
    t = terminal(seed=X_BEGINS)
    t.advance()
    decisions = []
    while len(decisions) < 6:
        if len(t.table.choices()) > 1:
            decisions.append(t.table.position)
        t.obey(str(t.table.choices()[-1]))
        t.advance()
    while decisions:
        t.obey("undo")
        assert t.table.position == decisions.pop()
    with pytest.raises(LudusError, match="nothing to undo"):
        t.obey("undo")


def test_undo_does_not_change_the_dice():
    """Whoever takes a move back gets the same rolls again, and so does the opponent."""

    def rolls(t: Terminal, pick: int) -> list[str]:
        while len(t.table.steps) < 30:
            t.obey(str(t.table.choices()[pick]))
            t.advance()
        return [step.texts[0] for step in t.table.steps[:30] if step.seat == CHANCE]

    t = terminal(seed=X_BEGINS)
    t.advance()
    first = rolls(t, 0)
    while t.table.undo():
        pass
    again = rolls(t, -1)
    assert first == again
    assert len(set(first)) > 3


def test_the_rolls_of_a_game_are_fair():
    """The n-th roll comes from a stream of its own: taken together they must look like dice nevertheless."""
    counts = np.zeros((6, 6))
    table = Table(BACKGAMMON, 1, 0, ("you", "random"))
    position = BACKGAMMON.start().play("21").play("24/23 13/11")
    room = np.zeros(30, np.int64)
    for n in range(18_000):
        outcome = rules.roll(BACKGAMMON, position.state, stream(table.seed, n, 0), room, np.zeros(30))
        counts[outcome // 10 - 1, outcome % 10 - 1] += 1
    expected = np.tril(np.full((6, 6), 1000.0), -1) + np.eye(6) * 500
    chi2 = float((((counts - expected) ** 2)[expected > 0] / expected[expected > 0]).sum())
    assert chi2 < 45.3, "a value that fair dice exceed once in 1000 times with 20 degrees of freedom"


# --- the end of a game -----------------------------------------------------------------------------------------------


def test_a_whole_game_ends_with_its_result_in_words_and_a_score():
    t = terminal(seed=2)
    play_to_the_end(t)
    said = t.console.export_text()
    mine = t.table.position.scores()[0]
    winner = "You win" if mine > 0 else r"random \(O\) wins"
    thing = {1: "a single game", 2: "a gammon", 3: "a backgammon"}[abs(mine)]
    assert re.search(rf"{winner} {thing}, {abs(mine):g} points?\.", said)
    assert f"Score after 1 game: you {mine:+g}, random {-mine:+g}." in said
    assert t.prompt() == "Another game? [y/n] "


def test_another_game_has_other_dice_and_the_score_runs_on():
    t = terminal(seed=2)
    play_to_the_end(t)
    first, opening = t.table.position.scores()[0], t.table.steps[:20]
    t.obey("y")
    play_to_the_end(t)
    second = t.table.position.scores()[0]
    assert t.table.steps[:20] != opening
    assert f"Score after 2 games: you {first + second:+g}, random {-first - second:+g}." in t.console.export_text()
    with pytest.raises(EOFError):
        t.obey("n")


def test_taking_back_the_last_move_takes_back_the_result():
    t = terminal(seed=2)
    play_to_the_end(t)
    assert t.results
    t.obey("undo")
    assert not t.results
    play_to_the_end(t)
    assert len(t.results) == 1


def test_a_finished_game_from_a_file_does_not_count(tmp_path):
    t = terminal(seed=2)
    play_to_the_end(t)
    t.obey(f"save {tmp_path / 'end.json'}")
    other = terminal(seed=5)
    other.obey(f"load {tmp_path / 'end.json'}")
    other.advance()
    assert t.table.result() in other.console.export_text()
    assert not other.results


def test_a_new_game_may_begin_before_the_old_one_ends_and_in_another_seat():
    said = talk("24/23 13/11", "new 1")
    assert "You are O, against random. The game's seed is 4." in said
    assert "Score" not in said
    assert "You are O, against random. The game's seed is 4." in talk("new o"), "seats have names, too"


def test_the_seat_is_the_persons_choice():
    assert "You are O, against random." in talk(seat=1)
    with pytest.raises(LudusError, match="there is no seat 2"):
        talk(seat=2)


# --- other games -----------------------------------------------------------------------------------------------------


def test_a_game_of_four_seats_without_dice():
    said = talk("take 3", "take 1", game=Stones(stones=7), seat=2, seed=0, against="plain")
    assert said.count("[7 left]") == 0, "two others move before seat 2 sees the board"
    assert "You are seat 2, against plain, plain, plain." in said
    for seat in (0, 1, 3):
        assert re.search(rf"plain \(seat {seat}\): take [12]\n", said)
    assert "You play take 1." in said
    assert "'take 3' is not among: take 1" in said


def test_the_result_for_one_of_four_seats():
    t = terminal(Stones(stones=1), "plain", seat=0)
    t.advance()
    t.obey("")  # the only move
    t.advance()
    said = t.console.export_text()
    assert "You win, 1 point." in said
    assert "Score after 1 game: you 1, plain 0, plain 0, plain 0." in said
    t = terminal(Stones(stones=1), "plain", seat=2)
    t.advance()
    said = t.console.export_text()
    assert "plain (seat 0) wins, 1 point. You have 0 points (place 2 of 4)." in said
    assert "Score after 1 game: you 0, plain 0, plain 1, plain 0." in said


def test_a_game_in_which_all_move_at_once(tmp_path):
    file = tmp_path / "pennies.json"
    said = talk("heads", f"save {file}", "edge", "hint", "tails", game=Coins(), against="plain")
    assert re.search(r"you: heads; plain \(seat 1\): (heads|tails)\n", said)
    assert "'edge' is not among" in said
    assert "there is nothing to advise on here" in said
    mine = len(re.findall(r"you: (\w+); plain \(seat 1\): \1", said))
    assert ("plain (seat 1) wins, 2 points.", "The game is drawn, 1 point each.", "You win, 2 points.")[mine] in said
    again = saved.load(Coins(), file, 0, 0)
    assert again.steps[0].texts[0] == "heads"
    assert again.position.state[0] == 1


# --- several people --------------------------------------------------------------------------------------------------


def test_several_people_are_called_by_what_the_board_calls_them():
    said = talk("", "0/1", game=LUDO, seat="red,yellow", seed=RED_BEGINS)
    assert "red and yellow are people, against random (green), random (blue). The game's seed is 4." in said
    assert "red rolls 6.\n" in said
    assert "red's only move is 0/1; press Enter to play it: \nred plays 0/1.\n" in said
    assert "red can play 1/7 or 0/1.\nred's move: 0/1\nred plays 0/1.\n" in said
    assert "You" not in said


def test_seats_are_named_by_numbers_too():
    assert talk(game=LUDO, seat="0,2", seed=RED_BEGINS) == talk(game=LUDO, seat=[2, 0], seed=RED_BEGINS)


def test_a_roll_that_lets_nobody_move_says_whose_it_was():
    said = talk(game=LUDO, seat=0, seed=RED_BEGINS)
    assert (
        "The roll: red begins.\n"
        "You roll 3 and can't move.\n"
        "random (green) rolls 3 and can't move.\n"
        "random (yellow) rolls 5 and can't move.\n"
        "random (blue) rolls 2 and can't move.\n"
        "You roll 6.\n"
    ) in said


def test_whose_roll_it_is_follows_from_who_may_have_to_decide():
    start = LUDO.start()
    assert roller(start) is None, "anybody may begin"
    assert roller(start.play("blue begins")) == 3
    assert roller(BACKGAMMON.start()) is None
    assert roller(BACKGAMMON.start().play("21").play("24/23 13/11")) == 1


def test_moves_after_which_the_board_looks_the_same_are_one_to_a_person():
    t = terminal(LUDO)
    t.table.beginning = LUDO.position("0,5,5,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6")
    assert list(map(str, t.table.position.moves())) == ["0/1", "5/11", "c 5/11", "d 0/1"]
    assert list(map(str, t.table.choices())) == ["0/1", "5/11"]
    t.obey("c 5/11")
    assert t.table.position.state[:4].tolist() == [0, 5, 11, 0], "whoever wants another piece may name it"
    t.table.beginning = LUDO.position("5,5,57,57 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=5")
    t.table.steps.clear()
    assert t.prompt() == "Your only move is 5/10; press Enter to play it: "
    t.obey("")
    assert not t.table.undo(), "and so it was no decision"


def test_hints_are_given_for_moves_that_differ():
    t = terminal(LUDO)
    t.players["random"] = Judge()
    t.table.beginning = LUDO.position("0,5,5,0 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6")
    t.console.export_text()
    t.obey("hint")
    assert [line.split()[1] for line in t.console.export_text().splitlines()[1:]] == ["5/11", "0/1"]


def test_undo_goes_back_to_whoever_decided_last():
    t = terminal(Stones(stones=9), "plain", seat=(0, 1))
    t.advance()
    t.obey("take 1")
    t.advance()
    assert t.prompt() == "seat 1's move: "
    t.obey("take 2")
    t.advance()  # seats 2 and 3 move, and it is seat 0's turn again
    assert t.prompt().startswith("seat 0's ")
    for seat, left in ((1, 8), (0, 9)):
        t.obey("undo")
        assert (t.table.seat, t.table.position.state[0]) == (seat, left)
    with pytest.raises(LudusError, match="nothing to undo"):
        t.obey("undo")


def test_a_game_of_several_people_is_saved_with_all_their_seats(tmp_path):
    file = tmp_path / "ludo.json"
    talk("", "0/1", f"save {file}", game=LUDO, seat="red,yellow", seed=RED_BEGINS)
    assert '"names": ["red", "random", "yellow", "random"], "seat": [0, 2], "seed": 4' in file.read_text()
    again = talk("undo", game=LUDO, load=file, seat=3)
    assert "red and yellow are people" in again
    assert "red can play 1/7 or 0/1." in again.split("Back to the previous decision.")[1]
    for wrong, reason in (
        ("[0, 0]", "name each seat"),
        ("[]", "name each seat"),
        ("[7]", "no seat 7"),
        ("[true]", "'seat' must be"),
    ):
        file.write_text(re.sub(r'"seat": \[0, 2\]', f'"seat": {wrong}', file.read_text()))
        with pytest.raises(LudusError, match=reason):
            saved.load(LUDO, file, 0, 0)
        file.write_text(re.sub(rf'"seat": {re.escape(wrong)}', '"seat": [0, 2]', file.read_text()))


def test_each_player_may_be_another_one(monkeypatch):
    class Eager:
        name = "eager"

        def choose(self, position: Position, rng: np.random.Generator) -> int:
            return int(position.moves()[-1])

    monkeypatch.setattr("ludus.play.terminal.player", lambda name, game: Eager())
    t = terminal(Stones(stones=40), ("a", "b", "c"), seat=2)
    assert t.table.names == ("b", "c", "you", "a"), "they follow the person in the order of play"
    t.obey("new 0")
    assert t.table.names == ("you", "a", "b", "c")
    with pytest.raises(LudusError, match="3 players are named, but 2 seats are left for them"):
        t.obey("new 0,1")
    assert t.table.people == (0,), "and the game goes on"


def test_people_alone_need_no_player():
    said = talk("take 1", "take 1", "take 1", "", game=Stones(stones=4), seat="0,1,2,3", against="nobody")
    assert "seat 0 and seat 1 and seat 2 and seat 3 are people. The game's seed" in said
    assert "seat 3 wins, 1 point." in said
    assert "Score after 1 game: seat 0 0, seat 1 0, seat 2 0, seat 3 1." in said


def test_the_score_begins_anew_when_others_sit_down():
    t = terminal(Stones(stones=1), "plain", seat=(0, 1))
    play_to_the_end(t)
    assert t.score() == "Score after 1 game: seat 0 1, seat 1 0, plain 0, plain 0."
    t.obey("new")
    play_to_the_end(t)
    assert t.score() == "Score after 2 games: seat 0 2, seat 1 0, plain 0, plain 0."
    t.obey("new 1,3")
    assert t.score() == ""


def test_people_who_move_at_once_are_asked_one_after_the_other():
    said = talk("heads", "undo", "tails", "tails", "heads", "tails", game=Coins(), seat="0,1", against="plain")
    assert said.count("seat 0's move: ") == 3, "one of them is taken back"
    assert "seat 0: tails; seat 1: tails\n" in said
    assert "seat 0: heads; seat 1: tails\n" in said
    assert "The game is drawn, 1 point each." in said


def test_the_command_line_takes_several_seats_and_players(monkeypatch, capsys):
    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
        with pytest.raises(SystemExit):
            main(["play", "ludo", "--seed", "4", "--no-color", *arguments])
        return " ".join("".join(capsys.readouterr()).split())

    assert "red and blue are people, against random (green), random (yellow)." in run(
        "--seat", "red,blue", "--against", "random", "--against", "random"
    )
    assert "2 players are named, but 3 seats are left" in run("--against", "random", "--against", "random")
    assert "'pink' is no seat; they are 0 to 3, or red, green, yellow, blue" in run("--seat", "pink")


# --- a real terminal -------------------------------------------------------------------------------------------------


def test_in_a_real_terminal(tmp_path):
    program = 'import ludus; from ludus.play import play; play(ludus.game("backgammon"), "random", seed=3)'
    terminal = pexpect.spawn(sys.executable, ["-c", program], encoding="utf-8", timeout=600, dimensions=(40, 90))
    terminal.expect("You roll 21")
    terminal.expect_exact("Your move (X): ")
    assert "\x1b[" in terminal.before, "the board is painted"
    terminal.sendline("hepl")
    terminal.expect_exact("did you mean 'help'?")
    terminal.expect_exact("Your move (X): ")
    terminal.sendline("24/23 13/11")
    terminal.expect(r"random \(O\) rolls 32: ")
    terminal.expect_exact("Your move (X): ")
    terminal.sendline(f"save {tmp_path / 'a.json'}")
    terminal.expect("Saved to")
    terminal.expect_exact("Your move (X): ")
    terminal.sendcontrol("c")
    terminal.expect("Goodbye.")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert len(saved.load(BACKGAMMON, tmp_path / "a.json", 0, 0).steps) == 5


# --- what newcomers stumbled over ------------------------------------------------------------------------------------


def test_enter_alone_does_not_begin_another_game():
    t = terminal(seed=2)
    play_to_the_end(t)
    number = t.number
    t.obey("")
    assert t.number == number
    assert "Type y for another game, n to leave" in t.console.export_text(clear=False)
    t.obey("y")
    assert t.number == number + 1


def test_the_first_of_two_who_move_at_once_is_not_seen():
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=60)
    lines = iter(["heads", "tails"])

    def ask(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise EOFError
        shown.write(f"{prompt}{line}\n")  # as a terminal shows what is typed
        return line

    play(Coins(), against=(), seat="0,1", seed=1, color=False, ask=ask, console=console)
    _, _, after = shown.getvalue().partition("heads\n")
    assert after.startswith("\x1b[1A\x1b[2K"), "the line is wiped out before anything else is shown"
    assert "seat 0 has chosen." in after.partition("tails")[0]
    assert "heads" not in after.partition("tails")[0]


def test_a_line_that_is_wrapped_is_wiped_out_whole():
    shown = io.StringIO()
    screen = Screen(Console(file=shown, force_terminal=True, width=20), False)
    screen.cover("x" * 45, str)
    assert shown.getvalue() == "\x1b[1A\x1b[2K" * 3


def test_the_last_board_of_backgammon_is_numbered_as_before():
    for seat, corner in ((0, "+13-14-15"), (1, "+12-11-10")):
        t = terminal(seed=2, seat=seat)
        play_to_the_end(t)
        boards = [line for line in t.console.export_text().splitlines() if line.startswith(("+13-", "+12-"))]
        tops = boards[::2]
        assert len(tops) > 10
        assert all(top.startswith(corner) for top in tops), seat


def test_boards_in_a_narrow_terminal():
    for game, seat in (
        (BACKGAMMON, "0"),
        (ludus.game("quoridor"), "0"),
        (ludus.game("ludo"), "0"),
        (ludus.game("breakthrough"), "0"),
    ):
        shown = io.StringIO()
        console = Console(file=shown, width=40)
        made = Terminal(game, "random", X_BEGINS, False, str, console)
        made.sit(seat)
        made.show()
        board = shown.getvalue().partition("help.")[2]
        assert max(map(len, board.splitlines())) <= 40, game.facts.name
        cut = "what does not fit is cut off" in " ".join(board.split())
        assert cut == (game.facts.name == "quoridor"), "where the numbers of rows on the right are left out"
        made.show()
        assert " ".join(shown.getvalue().split()).count("cut off") <= 1, "it is said once"


def test_roles_of_a_sheet_are_the_names_of_seats():
    game = ludus.game("tictactoe")
    said = talk("mark 2 2", game=game, seat="oplayer")
    assert "You are oplayer, against random." in said
    assert "random (xplayer): " in said
    assert "Your move (oplayer): " in said
    assert ludus.game("pig").seat_names == ("ann", "bob"), "chance has no seat"
    said = talk("help", game=game)
    assert "like one of these: mark 1 1, mark 1 2, mark 1 3; parentheses around it may be left out or not" in said
    with pytest.raises(LudusError, match="'white' is no seat; they are 0 to 1, or xplayer, oplayer"):
        talk(game=game, seat="white")
