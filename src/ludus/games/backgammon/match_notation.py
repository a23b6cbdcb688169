"""The moves of backgammon with the cube in text, both ways: `roll`, `double`, `take`, `pass`, `beaver`, `raccoon`, `X resigns a gammon`, `accept`, `reject` beside the moves of checkers.

Whatever is not allowed is refused with the rule's name.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ludus.contract.rules import OVER, moves, turn
from ludus.games.backgammon import notation
from ludus.games.backgammon.board import NAMES, WINS
from ludus.games.backgammon.match import (
    ACCEPT,
    BEAVER,
    CRAWFORD,
    CUBE,
    DOUBLE,
    DOUBLED,
    EQUAL,
    LARGEST_CUBE,
    OWNER,
    PASS,
    PHASE,
    PLAYING,
    RACCOONED,
    REJECT,
    RESIGN,
    RESIGNING,
    ROLL,
    ROLLING,
    SCORE,
    TAKE,
    doubles_itself,
    gammons_count,
)
from ludus.games.backgammon.notation import wrong
from ludus.games.backgammon.rules import DIE1, OFF, SIDE, STATE_SIZE, TURN, BackgammonRules

CHECKER_GAME = BackgammonRules()  # which knows how checkers move

# --- moves -----------------------------------------------------------------------------------------------------------

_TEXTS = {ROLL: "roll", DOUBLE: "double", TAKE: "take", PASS: "pass", ACCEPT: "accept", REJECT: "reject"}
_WORDS = {
    "roll": ROLL, "rolls": ROLL, "double": DOUBLE, "doubles": DOUBLE, "redouble": DOUBLE, "redoubles": DOUBLE, "take": TAKE, "takes": TAKE, "pass": PASS,
    "passes": PASS, "drop": PASS, "drops": PASS, "beaver": BEAVER, "beavers": BEAVER, "raccoon": BEAVER, "raccoons": BEAVER, "accept": ACCEPT,
    "accepts": ACCEPT, "reject": REJECT, "rejects": REJECT, "decline": REJECT, "declines": REJECT,
}  # fmt: skip
_RESIGN = re.compile(r"(?:([xo]) )?resigns?(?: (?:an? )?(single|gammon|backgammon)(?: game)?)?")
_SIZES = {None: 1, "single": 1, "gammon": 2, "backgammon": 3}


def offer_of(phase: int) -> tuple[int, int] | None:
    """The seat that offers to resign, and what: 1, 2 or 3 for a single game, a gammon, a backgammon. None in other phases."""
    return None if phase < RESIGNING else ((phase - RESIGNING) // 3, (phase - RESIGNING) % 3 + 1)


def move_text(game: Any, state: np.ndarray, move: int) -> str:
    """A move, or the two digits of a roll, as people write it."""
    if move == EQUAL and state[TURN] < 0:
        return "equal dice"
    if move < ROLL:
        return notation.move_text(CHECKER_GAME, state, move)
    if move >= RESIGN:
        return f"{NAMES[(move - RESIGN) // 3]} resigns {WINS[(move - RESIGN) % 3 + 1]}"
    if move == BEAVER:
        return "beaver" if state[PHASE] == DOUBLED else "raccoon"
    return _TEXTS[int(move)]


def read_move(game: Any, state: np.ndarray, text: str, writer: int | None = None) -> int:
    """The legal move, or the roll where dice are due, that a text stands for. LudusError names the rule that forbids it. Who resigns is the seat that it names, else
    the one that writes it, or whose decision it is.
    """
    state = np.array(state, np.int64)
    due = int(turn(game, state))
    if due == OVER:
        raise wrong(text, "the match is over" if game.match else "the game is over")
    words = " ".join(text.lower().split())
    if found := _RESIGN.fullmatch(words):
        seat = NAMES.index(found[1].upper()) if found[1] else due if writer is None else writer
        size = _SIZES[found[2]]
        if seat < 0:
            raise wrong(text, f"say who resigns, as in X resigns {WINS[size]}")
        if reason := why_no_resignation(game, state, seat, size):
            raise wrong(text, reason)
        return RESIGN + 3 * seat + size - 1
    move = _WORDS.get(words)
    playing = state[PHASE] == PLAYING and state[DIE1] > 0
    if move is None or (playing and move == PASS):  # who can't move passes, too
        if due >= 0 and not playing:
            raise wrong(text, f"{NAMES[due]} has to decide first: {_choices(game, state, due)}")
        if doubles_itself(game, state) and (words == "equal dice" or re.fullmatch(r"([1-6])\W?\1", words)):
            return EQUAL
        return notation.read_move(CHECKER_GAME, state[:STATE_SIZE], text)
    if move in _listed(game, state, due):
        return move
    raise wrong(text, _why_not(game, state, move, due))


def _listed(game: Any, state: np.ndarray, seat: int) -> list[int]:
    """The moves that a seat is offered."""
    if seat < 0:
        return []
    out = np.zeros(game.facts.max_moves, np.int64)
    return out[: moves(game, state, seat, out)].tolist()


def _choices(game: Any, state: np.ndarray, seat: int) -> str:
    return " or ".join(move_text(game, state, move) for move in _listed(game, state, seat))


def _pending(game: Any, state: np.ndarray) -> str | None:
    """What must be answered before anything else is done."""
    phase, due = int(state[PHASE]), int(turn(game, state))
    if phase == ROLLING:
        return f"{NAMES[int(state[TURN])]} rolls: the dice are due"
    if phase != PLAYING:
        return f"{NAMES[due]} has to answer first: {_choices(game, state, due)}"
    return None


def _why_not(game: Any, state: np.ndarray, move: int, due: int) -> str:
    """The rule that forbids a move without checkers."""
    phase = int(state[PHASE])
    if move in (ACCEPT, REJECT):
        return "there is no resignation to answer"
    if move in (TAKE, PASS, BEAVER) and not DOUBLED <= phase <= RACCOONED:
        return "there is no double to answer"
    if move == BEAVER:
        if game.match:
            return "beavers are for money: in a match a double is taken or passed"
        allowed = {0: "no beavers", 1: "beavers, but no raccoons", 2: "beavers and raccoons, and nothing beyond"}
        return f"this game has {allowed[game.beavers]}; the cube goes to {LARGEST_CUBE} at most"
    if move == ROLL:
        return _pending(game, state) or (
            "the dice are rolled already; write a move of checkers"
            if due >= 0
            else "the dice are due; write them as two digits, such as 31"
        )
    return why_no_double(game, state) or "nobody can double here"


def why_no_double(game: Any, state: np.ndarray) -> str | None:
    """The rule by which the seat that is to roll may not double; None if it may."""
    seat, cube = int(state[TURN]), int(state[CUBE])
    if reason := _pending(game, state):
        return reason
    if seat < 0:
        return "nobody can double before the opening roll"
    if state[DIE1] > 0:
        return "one doubles before the roll, and the dice are rolled"
    if state[CRAWFORD]:
        return "this is the Crawford game, in which nobody may double"
    if state[OWNER] == 1 - seat:
        return f"the cube is {NAMES[1 - seat]}'s, and only its owner may double"
    if game.match and state[SCORE + seat] + cube >= game.match:
        return f"the cube is dead for {NAMES[seat]}, who wins the match with it at {cube}"
    if 2 * cube > LARGEST_CUBE:
        return f"the cube goes to {LARGEST_CUBE} at most"
    return None


def why_no_resignation(game: Any, state: np.ndarray, seat: int, size: int) -> str | None:
    """The rule by which a seat can't resign so much now; None if it can."""
    state = np.array(state, np.int64)
    if reason := _pending(game, state):
        return reason
    if state[TURN] < 0:
        return "nobody can resign before the opening roll"
    if size > 1 and state[SIDE * seat + OFF] > 0:
        return f"{NAMES[seat]} has borne off a checker, and can't lose {WINS[size]} any more"
    if size > 1 and not gammons_count(game, state):
        return f"by Jacoby's rule {WINS[size]} does not count before a double: resign a single game"
    return None


# --- what a game offers ----------------------------------------------------------------------------------------------


class MatchNotation:
    """Moves of a game with the cube in text, both ways."""

    __slots__ = ()

    @property
    def move_forms(self) -> str:
        """How moves are written, for the help."""
        return "8/5 6/5, bar/20*, 6/off, roll, double, take, pass, resign, resign gammon, resign backgammon, accept, reject"

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move, or the two digits of a roll, as people write it."""
        return move_text(self, state, move)

    def read_move(self, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move, or the roll where dice are due, that a text stands for."""
        return read_move(self, state, text, seat)

    def unlisted(self: Any, state: np.ndarray, seat: int | None = None) -> list[int]:
        """The resignations that are possible now, of one seat, or of both: legal, but in no list of moves."""
        if state[PHASE] != PLAYING or state[TURN] < 0 or turn(self, np.array(state, np.int64)) == OVER:
            return []
        offers = [(who, size) for who in ((0, 1) if seat is None else (seat,)) for size in (1, 2, 3)]
        return [RESIGN + 3 * who + size - 1 for who, size in offers if not why_no_resignation(self, state, who, size)]
