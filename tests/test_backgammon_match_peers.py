"""Matches with the cube beside GNU Backgammon, the program: it plays whole matches along by its own rules, and says after each act what its IDs are."""

from __future__ import annotations

import dataclasses
import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.contract.position import Position
from ludus.errors import NotInstalledError
from ludus.games.backgammon.mat import Turn, read_mat
from ludus.games.backgammon.match import CRAWFORD, DOUBLE, REJECT, RESIGN, ROLL, SCORE
from ludus.games.backgammon.match_ids import gnubg_id
from ludus.games.backgammon.rules import DIE1, DIE2, TURN
from ludus.kernel import stream
from ludus.players.engines import process

pytestmark = pytest.mark.peers

SETTINGS = [
    *(f"set player {seat} human" for seat in (0, 1)),
    *(f"set automatic {what} off" for what in ("roll", "game", "bearoff", "move")),
    "set automatic crawford on",
    "set automatic doubles 0",
    "set beavers 3",
    "set confirm new off",
]
MARK, MARKED = (
    "show beavers",
    "3 beavers/raccoons allowed",
)  # a question whose answer is found again among all that is said


@pytest.fixture
def gnubg(tmp_path: Path) -> Any:
    """Gives commands to the program: what it said between the marks among them."""
    try:
        program = process.installed("gnubg", "gnubg-program", "")
    except NotInstalledError:
        pytest.skip("GNU Backgammon, the program, is not installed here")

    def ask(commands: list[str]) -> list[str]:
        done = subprocess.run(
            [program, "-t", "-q", "-r"],
            input="\n".join([*SETTINGS, *commands, ""]),
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        )
        return done.stdout.split(MARKED)[1:-1]

    return ask


def shown(said: str) -> str:
    """The IDs that the program shows last."""
    board, match = re.findall(r"Position ID: (\S+)\s+Match ID\s+: (\S+)", said)[-1]
    return f"{board}:{match}"


def pick(position: Position, rng: random.Random) -> int:
    """Some move: few doubles, so that games come to their end, and now and then an offer to resign, by who is to move, as gnubg has it."""
    offers = [move for move in position.game.unlisted(position.state) if (move - RESIGN) // 3 == position.turn]
    if offers and rng.random() < 0.01:
        return rng.choice(offers)
    legal = [int(move) for move in position.moves()]
    if legal == [ROLL, DOUBLE]:
        return DOUBLE if rng.random() < 0.05 else ROLL
    if REJECT in legal:
        return REJECT if rng.random() < 0.5 else legal[0]
    return rng.choice(legal)


def command(text: str, move: int) -> str:
    """What gnubg calls a move."""
    if move < ROLL:
        return "move" if text == "pass" else f"move {text}"
    resigned = re.fullmatch(r"[XO] resigns an? (single|gammon|backgammon).*", text)
    return (
        f"resign {resigned[1]}"
        if resigned
        else {"pass": "drop", "beaver": "redouble", "raccoon": "redouble"}.get(text, text)
    )


def walk(game: Any, seed: int) -> tuple[list[str], list[Position], list[int]]:
    """Commands that let the program play a random match along, a mark after each act, our positions at the marks, and all plays."""
    rng, rolls = random.Random(seed), stream(seed)
    commands, marked, plays = [f"new match {game.match}" if game.match else "new session"], [], []
    position = game.start()
    while not position.over:
        state = position.state
        if position.kind == "chance":
            position = position.roll(rolls)
            after = position.state
            big, small = int(after[DIE1]), int(after[DIE2])
            turned = state[TURN] < 0 and after[TURN] == 1
            plays.append(10 * small + big if turned else 10 * big + small)
            commands += [f"set turn {1 - after[TURN]}"] * bool(state[TURN] < 0) + [f"set dice {big} {small}"]
        else:
            plays.append(pick(position, rng))
            position = position.play(plays[-1])
            if plays[-1] == ROLL:
                continue
            commands.append(command(game.move_text(state, plays[-1]), plays[-1]))
        ended = position.over or bool(position.state[TURN] < 0)
        commands += ["show score" if ended else "show board", MARK] + ["new game"] * (ended and not position.over)
        marked.append(position)
    return commands, marked, plays


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["backgammon(match=3)", "backgammon(match=9)"])
def test_whole_matches_are_played_as_gnu_backgammon_plays_them(gnubg, name, seed):
    game = ludus.game(name)
    commands, marked, _ = walk(game, seed)
    said = gnubg(commands)
    assert len(said) == len(marked) > 100
    for words, position in zip(said, marked, strict=True):
        state = position.state
        if position.over or state[TURN] < 0:
            o, x, length, play = re.findall(r"is: \S+ (\d+), \S+ (\d+) \(match to (\d+) points([^)]*)\)", words)[-1]
            assert [min(int(x), game.match), min(int(o), game.match)] == state[SCORE : SCORE + 2].tolist()
            assert int(length) == game.match
            assert position.over or (play == ", Crawford game") == bool(state[CRAWFORD])
        else:
            assert shown(words) == gnubg_id(game, state)
            assert np.array_equal(game.read_state(shown(words)), state)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("jacoby", [False, True])
def test_games_for_money_with_beavers_are_played_as_gnu_backgammon_plays_them(gnubg, jacoby, seed):
    game = ludus.game(f"backgammon(cube=true,beavers=2,jacoby={str(jacoby).lower()})")
    commands, marked, _ = walk(game, seed)
    said = gnubg([f"set jacoby {'on' if jacoby else 'off'}", *commands])
    for words, position in zip(said, marked, strict=True):
        if position.over:
            o, x = re.findall(r"is: \S+ (\d+), \S+ (\d+)", words)[-1]
            assert position.scores() == [int(x) - int(o), int(o) - int(x)]
        else:
            assert shown(words) == gnubg_id(game, position.state)
            assert np.array_equal(game.read_state(shown(words)), position.state)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["backgammon(match=5)", "backgammon(cube=true,beavers=2)"])
def test_a_match_comes_back_from_gnu_backgammon_as_it_was_written(gnubg, tmp_path, name, seed):
    game = ludus.game(name)
    _, _, plays = walk(game, seed)
    (tmp_path / "ours.mat").write_text(game.write_game("ours.mat", ("gnubg", "Ann"), plays))
    gnubg(["import mat ours.mat", "export match mat theirs.mat"])
    ours, theirs = (read_mat((tmp_path / f"{whose}.mat").read_text()) for whose in ("ours", "theirs"))
    assert (theirs.length, len(theirs.games)) == (game.match, len(ours.games))
    for here, there in zip(ours.games, theirs.games, strict=True):
        last = here.turns[-1]
        if (
            isinstance(last, Turn) and last.move is None
        ):  # given up after the roll: gnubg makes a move that is the only one
            assert there.turns[-1].dice == last.dice
            here, there = (dataclasses.replace(each, turns=each.turns[:-1]) for each in (here, there))
        assert here == there
