"""Positions of backgammon with the cube in text, both ways: XGIDs with cube, score, Crawford game and length, and GNU Backgammon's `PositionID:MatchID`.

What an XGID can't say stands in an eleventh field of our own: `roll` (a seat that may double has decided to roll), `X-resigns-2` (a gammon is offered), and `over` (a game for money has
ended, and its score is what was won). A Match ID has all but `roll`. Whatever comes back can be; what can't is refused with the rule's name.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import OVER, turn
from ludus.games.backgammon.board import NAMES, winner
from ludus.games.backgammon.match import (
    BEAVERED,
    CRAWFORD,
    CUBE,
    DOUBLED,
    LARGEST_CUBE,
    MATCH_SIZE,
    OWNER,
    PHASE,
    PLAYING,
    RACCOONED,
    RESIGNING,
    ROLLING,
    SCORE,
    end_game,
    is_over,
)
from ludus.games.backgammon.match_notation import offer_of, why_no_double, why_no_resignation
from ludus.games.backgammon.notation import id_bits, is_xgid, position_id, read_position_id, read_xgid, wrong, xgid
from ludus.games.backgammon.rules import DIE1, DIE2, STATE_SIZE, TURN, win_size


class Standing(NamedTuple):
    """What a position has beside the board."""

    cube: int  # what it shows
    owner: int
    phase: int
    points: tuple[int, int]
    crawford: bool


_LETTERS = {DOUBLED: "D", BEAVERED: "B", RACCOONED: "R"}
_EXTRA = re.compile(r"roll|over|([XO])-resigns-([123])")


def match_xgid(game: Any, state: np.ndarray) -> str:
    """The XGID of a position, with a field of our own at its end where it takes one."""
    board, _, _, side, dice, *_ = xgid(state).split(":")
    phase, owner = int(state[PHASE]), {0: 1, 1: -1}.get(int(state[OWNER]), 0)
    rule = int(state[CRAWFORD]) if game.match else game.jacoby + 2 * (game.beavers > 0)
    fields = [
        board,
        int(state[CUBE]).bit_length() - 1,
        owner,
        side,
        _LETTERS.get(phase, dice),
        *state[SCORE : SCORE + 2],
    ]
    fields += [rule, game.match, LARGEST_CUBE.bit_length() - 1]
    if offer := offer_of(phase):
        fields.append(f"{NAMES[offer[0]]}-resigns-{offer[1]}")
    elif phase == ROLLING:
        fields.append("roll")
    elif not game.match and is_over(game, state):
        fields.append("over")
    return ":".join(map(str, fields))


def read_match_xgid(game: Any, text: str) -> np.ndarray:
    """The state of an XGID, with `XGID=` before it or not. Fields that are left out are those of a first game."""
    fields = text.strip().split(":")
    extra = fields.pop() if len(fields) == 11 else ""
    if extra and not _EXTRA.fullmatch(extra):
        raise wrong(text, f"field 11 is {extra!r}; it may be roll, over, or a resignation such as X-resigns-2")
    board = read_xgid(":".join(fields))
    fields += ["0", "0", "0", str(game.match), "10"][len(fields) - 5 :]
    names = {1: "cube", 5: "score", 6: "score", 7: "Crawford", 8: "length", 9: "largest cube"}
    for at, name in names.items():
        if not re.fullmatch(r"[0-9]{1,5}", fields[at]):
            raise wrong(text, f"{name} {fields[at]!r} (field {at + 1}) is not a whole number")
    owner = {"1": 0, "-1": 1, "0": -1}.get(fields[2])
    if owner is None:
        raise wrong(text, f"owner {fields[2]!r} of the cube is not 1 (X), -1 (O) or 0 (nobody)")
    _check_length(text, game, int(fields[8]))
    if int(fields[1]) >= LARGEST_CUBE.bit_length():
        raise wrong(
            text, f"cube {fields[1]} stands for 2 to that power; it may be 0 to {LARGEST_CUBE.bit_length() - 1}"
        )
    letters = {letter: phase for phase, letter in _LETTERS.items()}
    phase = letters.get(fields[4].upper(), PLAYING)
    if offer := re.fullmatch(r"([XO])-resigns-([123])", extra):
        phase = RESIGNING + 3 * NAMES.index(offer[1]) + int(offer[2]) - 1
    elif extra == "roll":
        phase = ROLLING
    points = int(fields[5]), int(fields[6])
    if extra == "over" and (game.match or not any(points)):
        raise wrong(text, "over, in field 11, goes with the points of who has won a game for money")
    if not game.match and extra != "over":
        points = 0, 0  # the score of a session is no part of its games
    crawford = bool(game.match) and fields[7] == "1"
    return _whole(text, game, board, Standing(1 << int(fields[1]), owner, phase, points, crawford))


# The bits of a Match ID, lowest first: where each of its numbers begins, and how many bits it has.
_BITS = {
    "cube": (0, 4), "owner": (4, 2), "roller": (6, 1), "crawford": (7, 1), "game": (8, 3), "decides": (11, 1), "doubled": (12, 1), "resigned": (13, 2),
    "die1": (15, 3), "die2": (18, 3), "length": (21, 15), "score0": (36, 15), "score1": (51, 15), "no_jacoby": (66, 1),
}  # fmt: skip
_NOBODY = 3  # as an owner
_BEFORE, _DURING, _AFTER = 0, 1, 2  # as what the game is


def match_id(game: Any, state: np.ndarray) -> str:
    """GNU Backgammon's Match ID: all but the checkers. Its player 0, who sits at the top, is seat 1 here."""
    state = np.array(state, np.int64)
    due, phase, roller = int(turn(game, state)), int(state[PHASE]), max(int(state[TURN]), 0)
    over, offer = due == OVER, offer_of(phase)
    numbers = {
        "cube": int(state[CUBE]).bit_length() - 1,
        "owner": _NOBODY if state[OWNER] < 0 else 1 - int(state[OWNER]),
        "roller": 1 - roller,
        "crawford": int(state[CRAWFORD]),
        "game": _AFTER if over else _BEFORE if state[TURN] < 0 else _DURING,
        "decides": 1 - (due if due >= 0 else roller),
        "doubled": int(DOUBLED <= phase <= RACCOONED),
        "resigned": offer[1] if offer else 0,
        "die1": int(state[DIE1]),
        "die2": int(state[DIE2]),
        "length": game.match,
        "score0": int(state[SCORE + 1]),
        "score1": int(state[SCORE]),
        "no_jacoby": int(not game.jacoby),
    }
    key = sum(number << _BITS[name][0] for name, number in numbers.items())
    return base64.b64encode(key.to_bytes(9, "little")).decode()


def gnubg_id(game: Any, state: np.ndarray) -> str:
    """GNU Backgammon's `PositionID:MatchID` of a position.

    >>> import ludus
    >>> position = ludus.game("backgammon(match=7)").start().play("52").play("13/8 24/22").play("double")
    >>> gnubg_id(position.game, position.state)
    '4PPgASTgc/ABMA:MBngAAAAAAAE'
    """
    return f"{position_id(state)}:{match_id(game, state)}"


def read_gnubg_id(game: Any, text: str) -> np.ndarray:
    """The state of `PositionID:MatchID`; of a Position ID alone, with seat 0 on roll in a first game, the cube in the middle."""
    board = read_position_id(text)
    code = text.strip().partition(":")[2]
    if not code:
        return _whole(text, game, board, Standing(1, -1, PLAYING, (0, 0), False))
    key = id_bits(text, code, "Match ID", 12)
    parts = {name: key >> at & (1 << count) - 1 for name, (at, count) in _BITS.items()}
    _check_length(text, game, parts["length"])
    if parts["cube"] >= LARGEST_CUBE.bit_length():
        raise wrong(text, f"the cube shows {1 << parts['cube']}; it goes to {LARGEST_CUBE} at most")
    if parts["owner"] == 2:
        raise wrong(text, "the owner of the cube is none of the players, nor nobody")
    owner, answers = {0: 1, 1: 0, _NOBODY: -1}[parts["owner"]], 1 - parts["decides"]
    phase, opponent = PLAYING, 1 - int(board[TURN])
    if parts["resigned"]:
        phase = RESIGNING + 3 * (1 - answers) + parts["resigned"] - 1
    elif parts["doubled"]:
        phase = BEAVERED if answers == board[TURN] else RACCOONED if owner == opponent else DOUBLED
    if parts["game"] == _BEFORE:
        board[TURN] = -1
    points = parts["score1"], parts["score0"]
    if not game.match and parts["game"] < _AFTER:
        points = 0, 0
    return _whole(text, game, board, Standing(1 << parts["cube"], owner, phase, points, bool(parts["crawford"])))


def _check_length(text: str, game: Any, length: int) -> None:
    if length != game.match:
        here, there = (f"a match to {n}" if n else "a game for money" for n in (game.match, length))
        name = f"backgammon(match={length})" if length else "backgammon(cube=true)"
        raise wrong(text, f"this is {there}, not {here}; its game is {name}")


def _whole(text: str, game: Any, board: np.ndarray, standing: Standing) -> np.ndarray:
    """The state with all that is known of it, after a look at whether it can be. A game that is won on the board is counted."""
    state = np.zeros(MATCH_SIZE, np.int64)
    state[:STATE_SIZE] = board
    state[CUBE], state[OWNER], state[PHASE] = standing.cube, standing.owner, PLAYING
    state[SCORE : SCORE + 2] = standing.points
    _check_standing(text, game, standing)
    state[CRAWFORD] = standing.crawford
    over, won, phase = bool(is_over(game, state)), winner(board), standing.phase
    if (over or won is not None) and (phase != PLAYING or board[DIE1]):
        raise wrong(text, "the game is over, so that nothing is to be answered or moved")
    if not over and won is not None:
        end_game(game, state, won, win_size(state, won))
    if phase in (DOUBLED, ROLLING):
        reason = why_no_double(game, state)
    elif phase in (BEAVERED, RACCOONED):
        reason = _why_no_beaver(game, state, phase)
    else:
        offer = offer_of(phase)
        reason = why_no_resignation(game, state, *offer) if offer else None
    if reason:
        raise wrong(text, reason)
    state[PHASE] = phase if not over else PLAYING
    return state


def _why_no_beaver(game: Any, state: np.ndarray, phase: int) -> str | None:
    """The rule by which a beaver, or a raccoon, can't be waiting for its answer."""
    if state[TURN] < 0 or state[DIE1] > 0:
        return "one doubles before the roll, and a beaver answers that"
    if game.match:
        return "beavers are for money: in a match a double is taken or passed"
    if phase - DOUBLED > game.beavers:
        return f"this game has no {'beavers' if phase == BEAVERED else 'raccoons'}: its name has beavers={game.beavers}"
    if state[OWNER] != 1 - state[TURN] or 2 * state[CUBE] > LARGEST_CUBE or state[CUBE] < 1 << (phase - DOUBLED):
        return "who beavers owns the cube, at what it was doubled to"
    return None


def _check_standing(text: str, game: Any, standing: Standing) -> None:
    cube, owner, points, length = standing.cube, standing.owner, standing.points, game.match
    centred = 1 << game.automatic  # the most that it shows in the middle
    if owner >= 0 and cube == 1:
        raise wrong(text, f"the cube shows 1, and so is nobody's, not {NAMES[owner]}'s")
    if owner < 0 and cube > centred:
        raise wrong(text, f"the cube shows {cube}, and so has an owner: only who takes a double makes it {cube}")
    if not length:
        if min(points) > 0 or max(points) > 3 * LARGEST_CUBE:
            raise wrong(text, f"score {points[0]}-{points[1]}: one seat wins a game, at most {3 * LARGEST_CUBE} points")
        return
    if max(points) > length:
        raise wrong(text, f"score {points[0]}-{points[1]} is beyond the match, which goes to {length}")
    if points == (length, length):
        raise wrong(text, f"score {points[0]}-{points[1]}: only one seat can have won the match")
    if standing.crawford and not game.crawford:
        raise wrong(text, "this match is played without the Crawford rule, and has no Crawford game")
    if standing.crawford and (max(points) != length - 1 or points[0] == points[1]):
        raise wrong(
            text,
            f"at {points[0]}-{points[1]} of {length} there is no Crawford game: it is the first in which a seat lacks one point",
        )
    if standing.crawford and owner >= 0:
        raise wrong(text, "this is the Crawford game, in which nobody may double: the cube has no owner")


# --- what a game offers ----------------------------------------------------------------------------------------------


class MatchIds:
    """Positions of a game with the cube in text, both ways."""

    __slots__ = ()

    def state_text(self, state: np.ndarray) -> str:
        """The position as an XGID."""
        return match_xgid(self, state)

    def read_state(self, text: str) -> np.ndarray:
        """The state of an XGID, or of GNU Backgammon's `PositionID:MatchID`."""
        return read_match_xgid(self, text) if is_xgid(text) else read_gnubg_id(self, text)
