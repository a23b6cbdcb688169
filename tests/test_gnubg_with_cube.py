"""GNU Backgammon, the program, as a player of matches and money games with the cube: it decides as its own hints do, however it is asked, and what goes wrong is said in one line."""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.batch import Batch
from ludus.batch.batch import Questions
from ludus.contract.playing import choose
from ludus.contract.rules import CHANCE, OVER, moves, play, roll, turn
from ludus.errors import LudusError, NotInstalledError
from ludus.games.backgammon.match import BEAVER, BEAVERED, DOUBLE, DOUBLED, PASS, PHASE, ROLL, TAKE
from ludus.games.backgammon.match_ids import gnubg_id
from ludus.kernel import stream
from ludus.matches import arena
from ludus.players import player
from ludus.players.engines import inside_gnubg, process
from ludus.players.engines.gnubg import Gnubg, make_with_cube, question

MATCH = ludus.game("backgammon(match=7)")
MONEY = ludus.game("backgammon(cube=true)")
WILD = ludus.game("backgammon(cube=true,beavers=2)")

# X is about to roll, with the cube in the middle.
LAST_ROLL = "XGID=--A--A------------------b-:0:0:1:00:0:0:0:0:10"  # 19 rolls of 36 win at once, and the others lose
WON = "XGID=-C----------------ffC-----:0:0:1:00:0:0:0:0:10"
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
CLOSED_OUT = "XGID=-------------N-----bbbbbbA:0:0:1:00:0:0:0:0:10"
HOPELESS = "XGID=-----C------------------b-:0:0:1:D:0:0:0:0:10"  # X has doubled, and will hardly ever win


@pytest.fixture(name="program")
def _program() -> str:
    try:
        return process.installed("gnubg", "gnubg", "")
    except NotInstalledError:
        pytest.skip("GNU Backgammon, the program, is not installed here")


@pytest.fixture(name="gnubg")
def _gnubg(program: str) -> Gnubg:
    return player("gnubg(plies=0)", MATCH)


def decisions(game: Any, count: int, each: int, seed: int) -> np.ndarray:
    """States of `td`'s games against itself in which somebody has a choice, one in so many. Doubles are made at random, so that cubes are high."""
    td, rng, whims = player("td", game), stream(seed), np.random.default_rng(seed)
    room, odds, found, met = np.empty(4096, np.int64), np.empty(36), list[np.ndarray](), 0
    state = game.start().state.copy()
    while len(found) < count:
        seat = turn(game, state)
        if seat == OVER:
            state = game.start().state.copy()
        elif seat == CHANCE:
            play(game, state, roll(game, state, rng, room, odds))
        else:
            met += moves(game, state, seat, room) > 1
            if met % each == 0 and moves(game, state, seat, room) > 1:
                found.append(state.copy())
            rash = state[53] == 0 and state[PHASE] == 0 and whims.random() < 0.1
            play(game, state, DOUBLE if rash else choose(td, game, state, seat, rng))
    return np.array(found)


def chosen(made: Gnubg, game: Any, states: np.ndarray) -> list[int]:
    """What the player does in each of these states, asked all at once."""
    rows, seats = np.arange(len(states)), np.array([turn(game, state) for state in states])
    return made.choose_batch(Batch(game, Questions(states, seats, rows, rows, np.zeros((len(rows), 1))))).tolist()


def move(name: str, game: Any, xgid: str) -> int:
    return player(name, game).choose(game.position(xgid))


# --- what it decides -------------------------------------------------------------------------------------------------


def hints(program: str, game: Any, states: np.ndarray, folder: Path) -> list[str]:
    """What the program itself hints at in these states, told of them by its own IDs."""
    commands = [
        *(f"set evaluation {what} evaluation {how}" for what in ("chequerplay", "cubedecision") for how in ("plies 0", "cubeful on", "noise 0")),
        "set jacoby off", "set beavers 3" if getattr(game, "beavers", 0) else "set beavers 0", *(f"set player {seat} human" for seat in (0, 1)),
        *(f"set automatic {what} off" for what in ("roll", "game", "bearoff", "move")), f"new match {game.match}" if game.match else "new session",
    ]  # fmt: skip
    for state in states:
        commands += [f"set gnubgid {gnubg_id(game, state)}", "hint", "show beavers"]
    done = subprocess.run(
        [program, "-t", "-q", "-r", "-l", "en"],
        input="\n".join([*commands, ""]),
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"HOME": str(folder), "PATH": os.environ["PATH"]},
    )
    said = re.split(r"(?:\d beavers/raccoons|No beavers) allowed|Beavers disallowed", done.stdout)
    return said[-len(states) - 1 : -1]


@pytest.mark.parametrize("game", [MATCH, MONEY, WILD], ids=["match", "money", "beavers"])
def test_it_decides_as_the_program_hints(program: str, game: Any, tmp_path: Path) -> None:
    states = decisions(game, 120, 7, seed=1)
    acts = 0
    for state, did, hint in zip(
        states, chosen(player("gnubg", game), game, states), hints(program, game, states, tmp_path), strict=True
    ):
        text = game.move_text(state, did)
        if did >= ROLL:
            acts += 1
            advice = re.search(r"Proper cube action: (.*)", hint)
            if advice is None:  # it shows no cube action where a double would be silly
                assert did in (ROLL, TAKE), (hint, text)
                continue
            words = advice[1].lower()
            if did in (ROLL, DOUBLE):
                doubles = words.startswith(("double", "redouble", "optional"))
                assert (did == DOUBLE) == doubles, (words, text)
            elif state[PHASE] == BEAVERED:
                assert did == (TAKE if "beaver" in words else BEAVER), (words, text)
            elif "beaver" in words:
                assert did == (BEAVER if game.beavers and state[PHASE] == DOUBLED else TAKE), (words, text)
            else:
                assert did == (PASS if "pass" in words else TAKE), (words, text)
        elif found := re.search(r"^\s+1\. Cubeful 0-ply\s+(.*?)\s+(?:Eq|MWC)", hint, re.MULTILINE):
            best = game.read_move(state, re.sub(r"(\S+)\((\d)\)", lambda m: " ".join([m[1]] * int(m[2])), found[1]))
            after, theirs = state.copy(), state.copy()
            play(game, after, did)
            play(game, theirs, best)
            assert np.array_equal(after, theirs), (found[1], text)
        else:
            raise AssertionError(f"no hint for {game.state_text(state)}: {hint}")
    assert acts > 10


def test_a_last_roll_is_doubled_and_taken(program: str) -> None:
    assert move("gnubg", MONEY, LAST_ROLL) == DOUBLE
    assert move("gnubg", MONEY, LAST_ROLL.replace(":00:", ":D:")) == TAKE


def test_what_is_lost_is_passed_and_what_is_even_is_rolled(program: str) -> None:
    assert move("gnubg", MONEY, WON) == DOUBLE
    assert move("gnubg", MONEY, WON.replace(":00:", ":D:")) == PASS
    assert move("gnubg", MONEY, OPENING) == ROLL


def test_a_silly_double_is_beavered_where_beavers_are_allowed(program: str) -> None:
    assert move("gnubg", WILD, HOPELESS) == BEAVER
    assert move("gnubg", MONEY, HOPELESS) == TAKE


def test_a_silly_beaver_is_raccooned(program: str) -> None:
    position = WILD.position(WON.replace(":00:", ":D:")).play("beaver")
    assert position.state[PHASE] == BEAVERED
    assert player("gnubg", WILD).choose(position) == BEAVER


def test_who_trails_doubles_at_once_after_the_crawford_game(program: str) -> None:
    after, before = (f"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:{score}:0:7:10" for score in ("5:6", "0:0"))
    assert move("gnubg", MATCH, after) == DOUBLE
    assert move("gnubg", MATCH, before) == ROLL


def test_resignations_are_accepted_where_no_more_is_to_be_won(program: str) -> None:
    made = player("gnubg", MONEY)
    for xgid, offer, answer in (
        (WON, "O resigns a single game", "accept"),
        (WON, "X resigns a single game", "accept"),
        (OPENING, "O resigns a single game", "accept"),
        (CLOSED_OUT, "X resigns a single game", "reject"),  # X can hardly save the gammon
        (CLOSED_OUT, "X resigns a backgammon", "accept"),
    ):
        offered = MONEY.position(xgid).play(offer)
        assert MONEY.move_text(offered.state, made.choose(offered)) == answer, offer


def test_the_last_checker_is_borne_off(program: str) -> None:
    position = MATCH.position("XGID=-B----------------------b-:0:0:1:21:3:3:0:7:10")
    assert MATCH.move_text(position.state, player("gnubg", MATCH).choose(position)) == "1/off(2)"


# --- how it is asked -------------------------------------------------------------------------------------------------


def test_many_questions_are_answered_as_each_alone(gnubg: Gnubg) -> None:
    states = decisions(MATCH, 40, 3, seed=2)
    together = chosen(gnubg, MATCH, states)
    assert all(engine.running for engine in gnubg.asked.engines)
    alone = player("gnubg", MATCH)
    assert [chosen(alone, MATCH, states[i : i + 1])[0] for i in range(len(states))] == together
    assert [engine.running for engine in alone.asked.engines] == [True] + [False] * (len(alone.asked.engines) - 1)


def test_a_result_does_not_depend_on_the_cores(program: str) -> None:
    for game in ("backgammon(match=1)", "backgammon(cube=true)"):
        rows = arena(game, ["gnubg", "random"], games=4, seed=1, jobs=1).rows
        assert arena(game, ["gnubg", "random"], games=4, seed=1, jobs=2).rows == rows


def test_a_question_says_all_of_a_position() -> None:
    state = MATCH.position("XGID=-b---BD-B---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10").state
    asked = question(MATCH, state, "move")
    assert asked[: inside_gnubg.FIELDS] == ["move", 3, 1, 2, 1, 7, 2, 3, 0, 0, 0]  # O is on roll, and owns the cube
    assert len(asked) == inside_gnubg.FIELDS + 50
    assert sum(asked[inside_gnubg.FIELDS :]) == 30
    beavered = WILD.position(OPENING).play("double").play("beaver")
    assert question(WILD, beavered.state, "cube")[3:8] == [2, 1, 0, 0, 0]  # as if who doubled now owned the cube


# --- what goes wrong -------------------------------------------------------------------------------------------------


def children(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those that they have."""
    for line in subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        child, parent = map(int, line.split())
        if parent == pid:
            yield child
            yield from children(child)


def process_of(engine: process.Engine) -> int:
    """The number of the program's own process, which a keeper has started."""
    assert engine._running is not None
    return next(children(engine._running.process.pid))


def ended(pid: int) -> bool:
    """Whether a process is gone, or only waits for somebody to hear of its end; it is given its time."""
    for _ in range(1000):
        told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
        if not told.strip() or told.strip().startswith("Z"):
            return True
        time.sleep(0.05)
    return False


def test_without_the_program_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    for name in ("gnubg", "gnubg-program"):
        with pytest.raises(NotInstalledError, match=r"needs the program gnubg: .*apt-get install gnubg") as error:
            player(name, MATCH)
        assert len(str(error.value).splitlines()) == 1


def test_a_program_that_dies_is_named_and_started_anew(gnubg: Gnubg) -> None:
    start = MATCH.start().play("31")
    best = gnubg.choose(start)
    os.kill(process_of(gnubg.asked.engines[0]), signal.SIGKILL)
    with pytest.raises(
        LudusError, match=r"player 'gnubg\(plies=0\)': the engine ended with code 137 when asked"
    ) as error:
        gnubg.choose(start)
    assert len(str(error.value).splitlines()) == 1
    assert gnubg.choose(start) == best


def test_a_program_that_hangs_is_given_up(program: str) -> None:
    made, start = make_with_cube(MATCH, "gnubg", patience=30), MATCH.start().play("31")
    best = made.choose(start)
    stopped = process_of(made.asked.engines[0])
    os.kill(stopped, signal.SIGSTOP)
    for engine in made.asked.engines:
        engine.patience = 0.5
    with pytest.raises(LudusError, match=r"the engine said nothing to .* within 0.5 seconds") as error:
        made.choose(start)
    assert len(str(error.value).splitlines()) == 1
    assert ended(stopped)
    for engine in made.asked.engines:
        engine.patience = 30
    assert made.choose(start) == best


def test_nothing_runs_on_when_the_player_is_let_go_of(program: str) -> None:
    made = player("gnubg", MATCH)
    made.choose(MATCH.start().play("31"))
    running = process_of(made.asked.engines[0])
    del made
    gc.collect()
    assert ended(running)


def test_what_the_program_refuses_is_said(gnubg: Gnubg) -> None:
    with pytest.raises(LudusError, match="the engine answered 'ludus-error ValueError: nobody knows what 'tea' is' to"):
        gnubg.asked.ask([["tea", *question(MATCH, MATCH.start().state, "move")[1:]]])


def test_matches_beyond_its_tables_are_refused() -> None:
    with pytest.raises(LudusError, match="plays matches to 64 points at most, not to 65"):
        player("gnubg", ludus.game("backgammon(match=65)"))
