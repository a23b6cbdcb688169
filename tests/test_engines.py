"""Other people's engines as players: what they are told, how their moves are read, and what is said of those that misbehave."""

from __future__ import annotations

import dataclasses
import doctest
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ludus
import scripted_engines
from ludus.adapters.qtp import Qtp
from ludus.errors import LudusError
from ludus.games.quoridor.qtp import move_words, read_words
from ludus.kernel import stream
from ludus.matches import arena
from ludus.matches.result import Result
from ludus.play.saved import opponents
from ludus.play.table import Table
from ludus.players import is_outside, player
from ludus.players.base import ask
from ludus.players.engines import process
from ludus.players.engines.process import Engine, command_of
from ludus.players.engines.qtp import layout
from ludus.web.catalog import players as listed
from ludus.web.data import About
from ludus.web.seating import SeatWish, seat_of

QUORIDOR = ludus.game("quoridor")
SMALL = ludus.game("quoridor(size=5,walls=2)")
TICTACTOE = ludus.game("tictactoe")
SOURCE = Path(__file__).parent.parent / "src"


def scripted(*words: object) -> str:
    """The command of an engine of `scripted_engines.py`."""
    return shlex.join([sys.executable, scripted_engines.__file__, *map(str, words)])


def own(arguments: str) -> str:
    """The command of an engine of our own."""
    return f"env PYTHONPATH={shlex.quote(str(SOURCE))} {shlex.quote(sys.executable)} -m ludus engine {arguments}"


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> None:
    """Fail if a process does not end."""
    for _ in range(3000):
        if not alive(pid):
            return
        time.sleep(0.01)
    raise AssertionError(f"process {pid} goes on")


# --- the words of QTP ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [QUORIDOR, SMALL], ids=["9x9", "5x5"])
def test_every_move_has_its_own_words_and_back(game: ludus.Game) -> None:
    position = game.start()
    words = {move_words(game, position.state, move): move for move in position.moves()}
    assert len(words) == len(position.moves())
    assert all(read_words(game, position.state, text) == move for text, move in words.items())
    assert all(read_words(game, position.state, text.lower()[:4]) == move for text, move in words.items())


def test_black_begins_at_the_top_and_walls_are_named_by_the_square_above_and_to_the_left() -> None:
    # Referee and engines of the protocol: B5 horizontal on a board of five lies between rows 5 and 4, from B to C.
    position = SMALL.start()
    assert move_words(SMALL, position.state, SMALL.read_move(position.state, "c2")) == "C4"
    wall = read_words(SMALL, position.state, "B5 horizontal")
    after = position.play(wall)
    assert SMALL.move_text(position.state, wall) == "b1h"  # our first row is black's
    assert "c2" not in [str(move) for move in after.play("a4h").moves()]  # the wall is before black's pawn on C5


# --- what an engine is told ------------------------------------------------------------------------------------------


def test_an_engine_is_told_the_moves_of_a_game(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = player(f"qtp:{scripted('told', log, 'C2,B2 vertical,C4')}", SMALL)
    position = SMALL.start().play("c2")
    position = position.play(engine.choose(position))
    assert (str(position.text), engine.name.startswith("qtp:")) == ("c2 c4 / 2 2 / - / yellow 2", True)
    position = position.play("d1h")
    position = position.play(engine.choose(position))
    assert log.read_text().splitlines() == [
        "boardsize 5", "clear_board", "walls 2", "playmove black C4", "genmove white",
        "playwall black D5 horizontal", "genmove white",
    ]  # fmt: skip
    log.unlink()
    assert str(SMALL.start().play(engine.choose(SMALL.start())).text) == "c2 c5 / 2 2 / - / green 1"
    assert log.read_text().splitlines() == ["boardsize 5", "clear_board", "walls 2", "genmove black"]


def test_a_position_in_the_midst_of_a_game_is_laid_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = player(f"qtp:{scripted('told', log, 'C1')}", SMALL)
    position = SMALL.position("c3 c4 / 1 1 / a1h d4v / yellow 6")
    assert str(position.play(engine.choose(position)).text) == "c5 c4 / 1 1 / a1h d4v / over 7"  # it jumped, and won
    assert log.read_text().splitlines()[3:] == [
        "playmove black C4", "playmove black C3", "playmove white C2", "playwall black A5 horizontal", "playwall white D2 vertical",
        "genmove black",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["quoridor(size=3,walls=1)", "quoridor(size=5,walls=3)", "quoridor"])
def test_any_position_of_a_game_can_be_laid_out(name: str) -> None:
    game = ludus.game(name)
    for number in range(10):
        rng, position = stream(7, number), game.start()
        chooser = player("random" if number % 2 else "heuristic", game)
        while not position.over:
            board = Qtp()
            begin = [f"boardsize {game.size}", "clear_board", f"walls {game.walls}"]
            assert {board.answer(line) for line in [*begin, *layout(game, position.state)]} == {"=\n\n"}
            seen, wanted = board._board()._states[-1], position.state  # turn and plies are not on a board
            assert seen[2:].tolist() == wanted[2:].tolist()
            for _ in range(5):
                position = position if position.over else position.play(ask(chooser, position, rng))


def test_walls_that_nobody_has_built_can_not_be_shown() -> None:
    with pytest.raises(LudusError, match="4 walls are gone from the stocks, and 0 are on the board"):
        layout(SMALL, SMALL.position("c1 c5 / 0 0 / - / yellow 0").state)


def test_comments_and_other_talk_before_an_answer_are_passed_over() -> None:
    engine = player(f"qtp:{scripted('chatty', 'c4,c3 H')}", SMALL)
    position = SMALL.start()
    position = position.play(engine.choose(position)).play("c4")
    assert str(position.play(engine.choose(position)).text) == "c2 c4 / 1 2 / c3h / green 3"


def test_a_ugi_engine_plays_whole_games_of_a_rulesheet(tmp_path: Path) -> None:
    log = tmp_path / "log"
    name = f"ugi:{scripted('tictactoe', log)}(seconds=0.02)"
    result = arena(TICTACTOE, [name, "random"], games=6, seed=1, jobs=1)
    assert result.rows[0].games == 6
    told = log.read_text().splitlines()
    assert told[:5] == ["ugi", "isready", "uginewgame", "position startpos", "go movetime 20"]
    assert told.count("uginewgame") == 6
    assert told[5].startswith("position startpos moves mark_1_1 mark_")
    assert arena(TICTACTOE, [name, "random"], games=6, seed=1, jobs=2).rows == result.rows


def test_an_engine_of_another_dialect_is_greeted_in_its_own(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = player(f"ugi:{scripted('tictactoe', log)}(seconds=0.02,dialect=uci)", TICTACTOE)
    engine.choose(TICTACTOE.start())
    assert log.read_text().splitlines()[:3] == ["uci", "isready", "ucinewgame"]


def test_a_ugi_engine_is_told_a_position_whose_moves_nobody_knows(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = player(f"ugi:{scripted('tictactoe', log)}(seconds=0.02)", TICTACTOE)
    position = TICTACTOE.start().play("mark 2 2").play("mark 3 3").play("mark 3 2")
    position = position.play(engine.choose(position)).play("mark 2 1")
    assert TICTACTOE.move_text(position.state, engine.choose(position)) == "( mark 1 2 )"
    first, second = [line for line in log.read_text().splitlines() if line.startswith("position")]
    assert first.startswith("position fen ")
    assert second == f"{first} moves mark_1_1 mark_2_1"


def test_a_ugi_engine_that_chooses_what_is_not_legal(tmp_path: Path) -> None:
    engine = player(f"ugi:{scripted('tictactoe', tmp_path / 'log')}(seconds=0.02)", TICTACTOE)
    position = TICTACTOE.start().play("mark 1 1").play("mark 3 3").play("mark 3 2")
    with pytest.raises(LudusError, match="the engine chose 'mark_1_1', which is not a legal move in"):
        engine.choose(position)  # it looks at moves, and was told a position


# --- whole games against an engine of our own ------------------------------------------------------------------------


def fates(result: Result) -> list[dict[str, object]]:
    """How the players fared, whatever they are called."""
    return [{**dataclasses.asdict(row), "name": ""} for row in result.rows]


def test_our_player_behind_qtp_plays_as_it_does_without() -> None:
    name, there = "alphabeta(depth=1)", f"""qtp:{own('quoridor --player "alphabeta(depth=1)"')}"""
    beside = arena(SMALL, [name, "heuristic"], games=6, seed=1, opening=2, jobs=1)
    result = arena(SMALL, [there, "heuristic"], games=6, seed=1, opening=2, jobs=1)
    assert fates(result) == fates(beside)
    assert result.rows[0].name == there


def test_our_player_behind_ugi_plays_games_with_dice() -> None:
    there = f"ugi:{own('backgammon --player td')}(seconds=0.01)"
    beside = arena("backgammon", ["td", "random"], games=1, seed=1, jobs=1)
    result = arena("backgammon", [there, "random"], games=1, seed=1, jobs=1)
    assert fates(result) == fates(beside)


# --- engines that misbehave ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (scripted("told", os.devnull, "C5"), "moved where it can't, in c1 c5 / 2 2 / - / yellow 0: 'C5' is not legal; .*'c1'"),
        (scripted("told", os.devnull, "banana"), "moved where it can't, .*: 'banana' is no move; one is a square, as E8"),
        (scripted("told", os.devnull, "I9"), "'I9' is off a board of 5 × 5"),
        (scripted("? unacceptable size"), "the engine answered '\\? unacceptable size' to 'boardsize 5'"),
        (scripted("hello"), "said nothing( but 'hello')? to 'boardsize 5' within 1 seconds"),
        (scripted("silent"), "said nothing to '[a-z_]+( [a-z0-9]+)?' within 1 seconds"),
        (scripted("flooding"), "said nothing( but '(la)+')? to '[a-z_]+( [a-z0-9]+)?' within 1 seconds"),
        (scripted("dying"), "the engine ended with code 3 when asked 'genmove black'; on stderr: out of walnuts"),
        (shlex.join([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]), "ended with code 137"),
    ],
    ids=["illegal", "garbage", "off", "refusing", "deaf", "silent", "flooding", "dying", "killed"],
)  # fmt: skip
def test_what_an_engine_does_wrong_is_said_in_a_line(command: str, complaint: str) -> None:
    # Only where its silence is waited for; on a busy machine that may be before it has been started.
    quick = "(patience=1)" if "within 1" in complaint else ""
    engine = player(f"qtp:{command}{quick}", SMALL)
    with pytest.raises(LudusError, match=complaint) as error:
        engine.choose(SMALL.start())
    assert str(error.value).startswith(f"player 'qtp:{command[:40]}")
    assert len(str(error.value).splitlines()) == 1
    assert not engine.engine.running


def test_an_engine_that_lives_on_and_says_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.01)
    with pytest.raises(LudusError, match="the engine closed its output when asked 'boardsize 5'"):
        player(f"qtp:{scripted('mute')}", SMALL).choose(SMALL.start())


def test_an_interrupted_question_is_not_answered_later(tmp_path: Path) -> None:
    engine = player(f"qtp:{scripted('told', tmp_path / 'log', 'C4')}", SMALL)

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.engine.ask("name", interrupt)
    assert not engine.engine.running
    assert engine.choose(SMALL.start()) == SMALL.read_move(SMALL.start().state, "c2")


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "engine").write_bytes(b"\x7fnothing")
    (tmp_path / "engine").chmod(0o755)
    with pytest.raises(
        LudusError, match=r"ended with code 1 when asked .*; on stderr: it can't be started: Exec format error"
    ):
        player(f"qtp:{tmp_path / 'engine'}", SMALL).choose(SMALL.start())


def test_an_engine_that_failed_is_started_anew(tmp_path: Path) -> None:
    engine = player(f"qtp:{scripted('told', tmp_path / 'log', 'C4,nonsense')}", SMALL)
    for _ in range(2):
        assert str(SMALL.start().play(engine.choose(SMALL.start())).text) == "c2 c5 / 2 2 / - / green 1"
        with pytest.raises(LudusError, match="nonsense"):
            engine.choose(SMALL.start())


def test_an_arena_says_which_engine_failed() -> None:
    with pytest.raises(LudusError, match=r"player 'qtp:.*the engine ended with code 3 .*out of walnuts"):
        arena(SMALL, [f"qtp:{scripted('dying')}", "random"], games=4, jobs=2)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("qtp", "player 'qtp' needs the command of an engine: qtp:COMMAND"),
        ("qtp:  ", "needs the command of an engine"),
        ("qtp:/no/such/engine --fast", "player 'qtp:/no/such/engine --fast': there is no program '/no/such/engine' that can be run"),
        ("qtp:./engine 'oops", "can't read the command in 'qtp:./engine 'oops': No closing quotation"),
        ("qtp:true(patience=0)", "a time in seconds is a number above 0"),
        ("ugi", "player 'ugi' needs the command of an engine"),
        ("ugi:true(dialect=cecp)", "dialect must be one of ugi, uci"),
    ],
)  # fmt: skip
def test_a_name_without_an_engine_is_refused(name: str, complaint: str) -> None:
    with pytest.raises(LudusError, match=complaint.replace("(", r"\(").replace(")", r"\)")):
        player(name, QUORIDOR)


def test_four_can_not_play_by_qtp() -> None:
    with pytest.raises(LudusError, match="plays quoridor for two only, and this game has 4 seats"):
        player("qtp:true", ludus.game("quoridor(seats=4)"))
    with pytest.raises(LudusError, match=r"plays on square boards only.* this one has 7 rows and 5 columns"):
        player("qtp:true", ludus.game("quoridor(size=7,columns=5)"))


def test_a_ugi_engine_does_not_play_where_all_move_at_once(tmp_path: Path) -> None:
    sheet = tmp_path / "choose.kif"
    sheet.write_text(
        "(role left) (role right) (init now) (<= (legal ?r a) (role ?r) (true now)) (<= (legal ?r b) (role ?r) (true now))"
        "(<= (next done) (true now)) (<= terminal (true done)) (<= (goal ?r 50) (role ?r))"
    )
    with pytest.raises(LudusError, match="plays games where seats move one after the other, not all at once"):
        arena(str(sheet), ["ugi:true", "random"], games=1, jobs=1)


def test_a_command_is_split_without_a_shell(tmp_path: Path) -> None:
    assert command_of("sh -c 'a b' \"$HOME\" `x` ; y", "qtp")[1:] == ["-c", "a b", "$HOME", "`x`", ";", "y"]


# --- processes -------------------------------------------------------------------------------------------------------


def test_an_engine_ends_with_the_object_that_holds_it() -> None:
    engine = Engine("stubborn", command_of(scripted("stubborn"), "qtp"), patience=60)
    engine.ask("", lambda line: line == "ready" or None)
    pid = _child(engine._running.process.pid)  # type: ignore[union-attr]
    assert alive(pid)
    del engine
    wait_until_gone(pid)


def test_an_engine_ends_when_we_are_killed(tmp_path: Path) -> None:
    script = f"""
import time
from ludus.players.engines import process
from ludus.players.engines.process import Engine, command_of
engine = Engine("stubborn", command_of({scripted("stubborn")!r}, "qtp"), patience=60)
engine.ask("", lambda line: line == "ready" or None)
print(engine._running.process.pid, flush=True)
time.sleep(600)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE)}
    )
    assert process.stdout is not None
    keeper = int(process.stdout.readline())
    pid = _child(keeper)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until_gone(pid)
    wait_until_gone(keeper)


def _child(keeper: int) -> int:
    """The engine that a keeper keeps."""
    return int(Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()[0])


# --- who may name programs -------------------------------------------------------------------------------------------


def test_a_file_can_not_have_a_program_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for name in (f"qtp:touch {mark}", f"ugi:touch {mark}"):
        assert is_outside(name)
        with pytest.raises(LudusError, match="programs are run and servers asked only when you name them yourself"):
            player(name, QUORIDOR, load=False)
    with pytest.raises(LudusError, match="servers asked only when you name them"):
        player("wildbg", ludus.game("backgammon"), load=False)
    assert not mark.exists()


def test_the_page_neither_lists_nor_takes_them() -> None:
    names = {entry["name"] for entry in listed("quoridor", []) + listed("backgammon", [])}
    assert names & {"qtp", "ugi", "wildbg"} == set()
    assert "gnubg-program" in names
    about = About("quoridor", 2, ("yellow", "green"), "td", "", (), -1.0, 1.0, False)
    for name in ("qtp:touch ran", "ugi:touch ran", "wildbg", "wildbg(url=http://127.0.0.1:9)"):
        with pytest.raises(LudusError, match="names a file or a program: offer it by 'ludus serve --player"):
            seat_of(SeatWish("player", player=name), about, None, offered=())
    assert seat_of(SeatWish("player", player="qtp:theirs"), about, None, offered=["qtp:theirs"]).player == "qtp:theirs"


def test_a_saved_game_that_names_a_program_is_gone_on_with_against_others(tmp_path: Path) -> None:
    table = Table(QUORIDOR, 1, 0, ["you", f"qtp:touch {tmp_path / 'ran'}"])
    assert opponents(table) is None
    assert not (tmp_path / "ran").exists()


def test_the_page_in_the_docs_says_what_is() -> None:
    page = Path(__file__).parent.parent / "docs" / "engines.md"
    assert doctest.testfile(str(page), module_relative=False) == (0, 4)  # none of four fails
    assert all(
        f"`{name}`" in page.read_text() or f"`{name}:COMMAND`" in page.read_text()
        for name in ("qtp", "ugi", "gnubg-program", "wildbg")
    )
