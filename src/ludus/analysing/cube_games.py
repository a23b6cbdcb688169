"""Games of backgammon with the cube, from files: each decision about it is an act of its own, not to double too.

States are those of the whole game (`games/backgammon/match.py`), at the score of the match. What is wanted without the cube is cut out of them: the states of
the game without it are their first numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games as game_registry
from ludus.analysing.sheet import CUBE, MOVE, ROLL, Act, Played, Sheet
from ludus.contract.rules import CHANCE, play, start, turn
from ludus.errors import LudusError, brief
from ludus.games.backgammon import mat, match
from ludus.games.backgammon.cubeful import reward
from ludus.games.backgammon.equities import equities
from ludus.games.backgammon.judging import before_game
from ludus.games.backgammon.match_telling import won_by
from ludus.games.backgammon.rules import STATE_SIZE, TURN

CODES = {"double": match.DOUBLE, "take": match.TAKE, "drop": match.PASS, "beaver": match.BEAVER}
WORDS = {match.ROLL: "no double", match.DOUBLE: "double", match.TAKE: "take", match.PASS: "pass"}
ON = ("on", "true", "yes", "1")  # what a tag of a file says of a rule that counts


def cube_word(state: np.ndarray, code: int) -> str:
    """What a decision about the cube is called."""
    if code == match.BEAVER:
        return "beaver" if state[match.PHASE] == match.DOUBLED else "raccoon"
    return WORDS[code]


# --- `.mat` files ----------------------------------------------------------------------------------------------------


def rules_of(path: Path, record: mat.Record, jacoby: bool | None) -> Any:
    """The game that a file holds: its length is in it, and what other rules count is in its tags, or shows in its games."""
    tags = {key.lower(): value.strip().lower() in ON for key, value in record.tags}
    if record.length:
        for number, each in enumerate(record.games, 1):
            if max(each.score) >= record.length:
                score = f"{each.score[0]}-{each.score[1]}"
                raise LudusError(f"{brief(path)}, game {number}: it begins at {score} in a match to {record.length}")
            if any(isinstance(act, mat.Cube) and act.action == "beaver" for act in each.turns):
                raise LudusError(f"{brief(path)}, game {number}: beavers are for money; in a match one takes or passes")
        crawford = "" if tags.get("crawford", True) else ",crawford=false"
        return game_registry.game(f"backgammon(match={record.length}{crawford})")
    beavers = max([int(tags.get("beaver", False)), *map(_beavers, record.games)])
    if beavers > 2:
        raise LudusError(f"{brief(path)}: a double is beavered, and that raccooned; nothing goes beyond")
    jacoby = tags.get("jacoby", False) if jacoby is None else jacoby
    rules = ",jacoby=true" * jacoby + f",beavers={beavers}" * (beavers > 0)
    return game_registry.game(f"backgammon(cube=true{rules})")


def _beavers(game: mat.GameRecord) -> int:
    """How many follow each other, at most."""
    said = groupby(game.turns, lambda act: isinstance(act, mat.Cube) and act.action == "beaver")
    return max((len(list(acts)) for beaver, acts in said if beaver), default=0)


def record_games(game: Any, record: mat.Record) -> Iterator[Played]:
    """The games of a file. The first one in which a side needs one point is the Crawford game, unless somebody doubles in it."""
    seen = not game.match or not game.crawford
    for number, each in enumerate(record.games, 1):
        near = bool(game.match) and max(each.score) == game.match - 1
        doubled = any(isinstance(act, mat.Cube) for act in each.turns)
        state = np.zeros(game.facts.state_size, np.int64)
        start(game, state)
        if game.match:
            state[match.SCORE : match.SCORE + 2] = each.score
            state[match.CRAWFORD] = near and not seen and not doubled
        seen = seen or near
        result = () if each.winner is None else _result(game, state, each.winner, each.points)
        yield Played(number, tuple(_acts(game, state, each)), each.score, each.winner, each.points, result)


def _acts(game: Any, state: np.ndarray, record: mat.GameRecord) -> Iterator[Act]:
    state = state.copy()
    for act in record.turns:
        if isinstance(act, mat.Cube):
            yield _decided(game, state, act.seat, CODES[act.action])
            continue
        if turn(game, state) >= 0:
            yield _decided(game, state, act.seat, match.ROLL)
        turned = state[TURN] < 0 and act.seat == 1  # the first digit of the opening roll is seat 0's die
        dice = act.dice % 10 * 10 + act.dice // 10 if turned else act.dice
        yield Act(ROLL, act.seat, dice, f"{act.dice}", state.copy())
        play(game, state, dice)
        if act.move is not None:
            yield Act(MOVE, act.seat, act.move, act.text, state.copy())
            play(game, state, act.move)
    open_double = match.DOUBLED <= state[match.PHASE] <= match.RACCOONED
    if open_double and record.winner is not None:  # some programs leave it to the reader that a double was passed
        loser = int(turn(game, state))
        if record.winner == 1 - loser and record.points == state[match.CUBE]:
            yield _decided(game, state, loser, match.PASS)


def _decided(game: Any, state: np.ndarray, seat: int, code: int) -> Act:
    """A decision about the cube, which is carried out in the state."""
    act = Act(CUBE, seat, code, cube_word(state, code), state.copy())
    play(game, state, code)
    return act


def _result(game: Any, state: np.ndarray, winner: int, points: int) -> tuple[float, ...]:
    """What a game brought: points for money, and in a match how much likelier the winner is to win it than before."""
    won = float(points)
    if game.match:
        table = equities(game.match, game.crawford)
        own, other = (int(game.match - state[match.SCORE + seat]) for seat in (winner, 1 - winner))
        before = before_game(table, game, state) * (1 if winner == 0 else -1)
        won = (float(reward(table, own, other, points)) - before) / 2
    return (won, -won) if winner == 0 else (-won, won)


# --- saved games -----------------------------------------------------------------------------------------------------


def saved_games(game: Any, beginning: Any, steps: Iterable[Any]) -> Iterator[Played]:
    """The games of a match, or the one for money, that `ludus play` saved; resignations are not judged."""
    before, acts, number = beginning, list[Act](), 1
    first = beginning.state
    for step in steps:
        code, state = int(step.moves[0]), before.state.copy()
        if step.seat == CHANCE:
            acts.append(Act(ROLL, step.after.turn if step.after.turn is not None else -1, code, step.texts[0], state))
        elif code < match.ROLL:
            acts.append(Act(MOVE, step.seat, code, step.texts[0], state))
        elif code <= match.BEAVER:
            acts.append(Act(CUBE, step.seat, code, cube_word(state, code), state))
        if step.seat != CHANCE and (ended := won_by(game, state, code)):
            score = tuple(first[match.SCORE : match.SCORE + 2].tolist()) if game.match else ()
            yield Played(number, tuple(acts), score, *ended, _result(game, first, *ended))
            acts, number, first = [], number + 1, step.after.state
        before = step.after
    if acts:
        yield Played(number, tuple(acts), tuple(first[match.SCORE : match.SCORE + 2].tolist()) if game.match else ())


# --- without the cube ------------------------------------------------------------------------------------------------


def without_cube(sheet: Sheet) -> Sheet:
    """The same games as if there were no cube: what was done with it is only told, and a result is divided by what it showed."""
    games = tuple(
        played._replace(
            acts=tuple(
                act._replace(state=act.state[:STATE_SIZE].copy(), code=-1 if act.kind == CUBE else act.code)
                for act in played.acts
                if act.kind != CUBE or act.code != match.ROLL
            ),
            result=_plain_result(played),
        )
        for played in sheet.games
    )
    return sheet._replace(game=game_registry.game("backgammon"), games=games)


def _plain_result(played: Played) -> tuple[float, ...]:
    if played.winner is None or played.points is None:
        return ()
    last = played.acts[-1] if played.acts else None
    cube = 1 if last is None else int(last.state[match.CUBE])
    if last is not None and last.kind == CUBE and last.code in (match.TAKE, match.BEAVER):
        cube *= 2
    won = played.points / cube
    return (won, -won) if played.winner == 0 else (-won, won)
