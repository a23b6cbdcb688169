"""A copy of a match with what was found as comments: lines that begin with `;`, which ludus and GNU Backgammon pass over."""

from __future__ import annotations

import re

from ludus.analysing.match import GameAnalysis, MatchAnalysis
from ludus.analysing.sheet import CUBE
from ludus.analysing.turns import NO_DOUBLE, Turn
from ludus.analysing.words import cube_words, number, remarks
from ludus.errors import LudusError
from ludus.games.backgammon.mat import write_mat

_TITLE = re.compile(r" Game (\d+)")
_ROW = re.compile(r" *(\d+)\) ")


def annotated(found: MatchAnalysis) -> str:
    """The text of the `.mat` file, with a comment on each decision below its line."""
    if found.sheet.record is None:
        raise LudusError(f"{found.path} is no match of backgammon: only .mat files are written with comments")
    games = {game.number: game for game in found.games}
    lines, out = iter(write_mat(found.sheet.record).splitlines()), [f"; {said}" for said in remarks(found)]
    cells: list[list[Turn]] = []
    for line in lines:
        out.append(line)
        if title := _TITLE.fullmatch(line):
            out.append(next(lines))  # the players' names, which may look like anything
            cells = _cells(games.get(int(title[1])))
        elif (row := _ROW.match(line)) and int(row[1]) <= len(cells):
            out += [_comment(found, turn) for turn in cells[int(row[1]) - 1] if _has_comment(turn)]
    return "\n".join(out) + "\n"


def _cells(game: GameAnalysis | None) -> list[list[Turn]]:
    """The turns of a game by line, as `write_mat` has them: seat 0's on the left, seat 1's on the right. Not to double has no cell of its own."""
    rows: list[list[Turn]] = []
    waiting: list[Turn] = []
    right = True  # whether the last one stands there
    for turn in game.turns if game else ():
        if turn.played == NO_DOUBLE:
            waiting.append(turn)
            continue
        if right or turn.seat == 0:
            rows.append([])
        rows[-1] += [*waiting, turn]
        waiting, right = [], turn.seat == 1
    return rows


def _has_comment(turn: Turn) -> bool:
    return turn.roll != "" or (turn.kind == CUBE and turn.counted)


def _comment(found: MatchAnalysis, turn: Turn) -> str:
    said = [f"luck {number(turn.own_luck, '+.3f')}"] if turn.luck else []
    if turn.forced:
        said.append("forced")
    elif turn.loss is not None and turn.best is not None:
        grade = f" ({turn.grade})" if turn.grade else ""
        error = "" if turn.loss_error is None else f" ± {turn.loss_error:.3f}"
        if turn.played == turn.best.move:
            said.append("best")
        elif turn.kind == CUBE:
            said.append(f"{turn.mistake} loses {turn.loss:.3f}{error}{grade}")
        else:
            said.append(
                f"{turn.played} loses {turn.loss:.3f}{error}{grade}, best is {turn.best.move} {turn.best.value:+.3f}"
            )
    if values := cube_words(turn):
        said.append(values)
    what = turn.roll or turn.played
    return f"; {found.names[turn.seat]}, {what}: {', '.join(said)}"
