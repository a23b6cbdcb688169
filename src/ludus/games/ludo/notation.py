"""Ludo in text, both ways: moves, dice, and whole positions on one line.

A move is written by the positions of its own colour, `14/20`, `0/1` for a release, with a star where an enemy is sent
to its yard. Of pieces on one square the first is meant, others are named by their letter: `c 14/20`. Reading is liberal in
form and strict in substance: whatever comes back is legal, and whatever does not is explained.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.rules import play
from ludus.errors import LudusError
from ludus.games.ludo.board import COLOURS, seat_names
from ludus.games.ludo.rules import (
    CLASSIC,
    COUNT,
    DIE,
    MOVABLE,
    ROUND,
    SAFE,
    STATE_SIZE,
    TRACK_END,
    TURN,
    LudoRules,
    colour,
)

LETTERS = "abcd"  # the pieces of a colour


def _wrong(text: str, reason: str) -> LudusError:
    return LudusError(f"{text if len(text) <= 80 else text[:79] + '…'!r}: {reason}")


def _listed(words: Sequence[str], last: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def _own(game: LudoRules, state: np.ndarray, seat: int) -> list[int]:
    """Where the four pieces of a seat are."""
    at = 4 * int(colour(game, seat))
    return state[at : at + 4].tolist()


# --- writing moves ---------------------------------------------------------------------------------------------------


def move_text(game: LudoRules, state: np.ndarray, move: int) -> str:
    """A move as people write it, to the square where the piece really gets; of chance, the die or who begins.

    >>> import ludus
    >>> position = ludus.game("ludo").position("0,0,14,14 0,2,0,0 0,0,0,0 0,0,0,0 turn=red die=1")
    >>> position.moves()
    [<14/15*>, <d 14/15*>]
    """
    if state[DIE] == 0:
        return str(int(move)) if state[TURN] >= 0 else f"{seat_names(game)[move]} begins"
    step, hits = landing_of(game, state, move)
    own = _own(game, state, int(state[TURN]))
    letter = "" if own.index(step[0]) == move else f"{LETTERS[move]} "
    return f"{letter}{step[0]}/{step[1]}" + "*" * hits


def landing_of(game: LudoRules, state: np.ndarray, move: int) -> tuple[tuple[int, int], bool]:
    """From where to where a piece gets, and whether it sends an enemy to its yard."""
    seat = int(state[TURN])
    after = np.array(state, np.int64)
    play(game, after, move)
    own = 4 * int(colour(game, seat))
    others = [i for i in range(TURN) if not own <= i < own + 4]
    hits = any(state[i] and not after[i] for i in others)
    return (int(state[own + move]), int(after[own + move])), hits


# --- reading moves ---------------------------------------------------------------------------------------------------

_PLACE = r"\d{1,2}|yard|home|goal"
_MOVE = re.compile(rf"([a-d]?)\s*(?:({_PLACE})(?:\s*[/-]\s*({_PLACE}))?)?\s*(\*?)")


def read_move(game: LudoRules, state: np.ndarray, text: str) -> int:
    """The legal move, or the outcome where chance is due, that a text stands for. LudusError says why there is none.

    A piece's letter or its square is enough; of several pieces on a square the first is taken.

    >>> import ludus
    >>> position = ludus.game("ludo").position("0,0,14,20 0,0,0,0 0,0,0,0 0,0,0,0 turn=red die=6")
    >>> [read_move(position.game, position.state, text) for text in ("14/20", "14", "c", "c 14/20", "yard/1", "b")]
    [2, 2, 2, 2, 0, 1]
    """
    if state[DIE] < 0:
        raise _wrong(text, "the game is over")
    tidy = text.strip().lower()
    if state[DIE] == 0:
        return _read_roll(text, tidy) if state[TURN] >= 0 else _read_beginner(game, text, tidy)
    seat, die = int(state[TURN]), int(state[DIE])
    own = _own(game, state, seat)
    legal = [i for i in range(4) if state[MOVABLE] >> i & 1]
    examples = _listed([move_text(game, state, move) for move in legal if own.index(own[move]) == move], "or")
    found = _MOVE.fullmatch(tidy)
    if not tidy or not found or not (found[1] or found[2]):
        raise _wrong(text, f"can't read it as a move; write {examples}")
    letter, star = found[1], found[4]
    source, target = _place(game, found[2]), _place(game, found[3])
    if letter:
        piece = LETTERS.index(letter)
        if source not in (None, own[piece]):
            raise _wrong(text, f"piece {letter} is on {own[piece]}, not on {source}; you can play {examples}")
    elif source in own:
        piece = own.index(source)
    else:
        raise _wrong(text, f"you have no piece on {source}; yours are on {_listed([str(r) for r in own])}")
    if piece not in legal:
        raise _wrong(text, f"{_obstacle(game, own[piece], die)}; you can play {examples}")
    (here, there), hits = landing_of(game, state, piece)
    if target not in (None, there):
        raise _wrong(text, f"a {die} takes the piece on {here} to {there}, not to {target}")
    if star and not hits:
        raise _wrong(text, f"{here}/{there} sends no enemy to its yard; write it without the star")
    return piece


def _place(game: LudoRules, word: str | None) -> int | None:
    if word is None or word.isdecimal():
        return None if word is None else int(word)
    return 0 if word == "yard" else game.goal


def _obstacle(game: LudoRules, position: int, die: int) -> str:
    """Why a piece can't go by a die."""
    if position == game.goal:
        return "a piece that is home stays there"
    if position == 0 and die != 6:
        return f"a piece leaves the yard by a 6 only, and this is a {die}"
    if position + die > game.goal and game.exact:
        return f"the piece on {position} needs exactly {game.goal - position} to get home, and this is a {die}"
    return f"a blockade keeps the piece on {position} from going by a {die}"


def _read_roll(text: str, tidy: str) -> int:
    if not re.fullmatch(r"\d{1,2}", tidy):
        raise _wrong(text, "the die is to be rolled here; write what it shows, 1 to 6")
    if not 1 <= int(tidy) <= 6:
        raise _wrong(text, f"a die shows 1 to 6, not {int(tidy)}")
    return int(tidy)


def _read_beginner(game: LudoRules, text: str, tidy: str) -> int:
    seat = _seat(game, re.sub(r"\s+begins$", "", tidy))
    if seat is None:
        raise _wrong(text, f"it is to be drawn here who begins; write one of {_listed(seat_names(game))}")
    return seat


def _seat(game: LudoRules, word: str) -> int | None:
    """The seat of a colour's name or of a number."""
    if word in seat_names(game):
        return seat_names(game).index(word)
    return int(word) if re.fullmatch(r"\d", word) and int(word) < game.seats else None


# --- positions -------------------------------------------------------------------------------------------------------

_MOST_SIXES = 10**9  # the rules set no bound; nobody will come near this one
_FORM = "0,0,14,57 0,0,0,0 3,3,51,52 0,0,0,0 turn=red die=4"


def _usual(game: LudoRules, die: int) -> dict[str, int]:
    """What is not written: the six on the table is the first in a row, the first round is over."""
    return {"sixes": int(die == 6)} if game.rules == CLASSIC else {"round": 2, "tries": 0}


def state_text(game: LudoRules, state: np.ndarray) -> str:
    """A whole state on one line: the pieces of red, green, yellow and blue, whose turn it is, the die.

    `sixes` (how many in a row, classic), `round` and `tries` (the attempts so far in the first round, ludopy) follow
    where they are not what they usually are.

    >>> import ludus
    >>> start = ludus.game("ludo(seats=2)").start()
    >>> start.text
    '0,0,0,0 0,0,0,0 0,0,0,0 0,0,0,0 opening'
    >>> start.play("yellow begins").play("6").play("0/1").play("6").text
    '0,0,0,0 0,0,0,0 1,0,0,0 0,0,0,0 turn=yellow die=6 sixes=2'
    """
    words = [",".join(map(str, state[4 * c : 4 * c + 4].tolist())) for c in range(len(COLOURS))]
    seat, die = int(state[TURN]), int(state[DIE])
    if seat < 0:
        return " ".join([*words, "opening"])
    words.append(f"{'won' if die < 0 else 'turn'}={seat_names(game)[seat]}")
    if die > 0:
        words.append(f"die={die}")
    held = {"sixes": int(state[COUNT]), "tries": int(state[COUNT]), "round": int(state[ROUND])}
    words += [f"{key}={held[key]}" for key, usual in _usual(game, die).items() if held[key] != usual]
    return " ".join(words)


def read_state(game: LudoRules, text: str) -> np.ndarray:
    """The state that such a line stands for, if the rules can lead to it as far as one can see; else a LudusError."""
    words = text.lower().split()
    groups = [word for word in words if "=" not in word and word != "opening"]
    if len(groups) != len(COLOURS):
        raise _wrong(text, f"it has {len(groups)} groups of pieces, not 4, one for each colour; write as in {_FORM}")
    if words[: len(groups)] != groups:
        raise _wrong(text, f"the pieces come first, as in {_FORM}")
    state = np.zeros(STATE_SIZE, np.int64)
    for c, group in enumerate(groups):
        state[4 * c : 4 * c + 4] = _read_group(game, text, c, group)
    if "opening" in words:
        if words[len(groups) :] != ["opening"] or game.rules != CLASSIC:
            reason = "stands alone" if game.rules == CLASSIC else "is for classic rules only; here red begins"
            raise _wrong(text, f"'opening' {reason}")
        if state.any():
            raise _wrong(text, "at the opening all pieces are in their yards")
        state[TURN] = -1
        return state
    values = _read_values(game, text, words[len(groups) :])
    _check_pieces(game, text, state)
    won = [s for s in range(game.seats) if set(_own(game, state, s)) == {game.goal}]
    if len(won) > 1:
        raise _wrong(text, f"{_listed([seat_names(game)[s] for s in won])} are all home, but only one can win")
    seat = state[TURN] = values["seat"]
    state[ROUND], state[COUNT] = values.get("round", 0), values.get("tries", values.get("sixes", 0))
    _check_round(game, text, state, values["die"])
    if values["over"]:
        if won != [seat]:
            raise _wrong(text, f"{seat_names(game)[seat]} has not won: it has pieces that are not home")
        state[DIE] = -1
    elif won:
        name = seat_names(game)[won[0]]
        raise _wrong(text, f"all pieces of {name} are home, so that the game is over; write won={name}")
    elif values["die"]:
        die = values["die"]
        if game.rules == CLASSIC:
            state[COUNT] -= die == 6
        play(game, state, die)  # which says what may move
        if state[DIE] != die:
            raise _wrong(text, f"{seat_names(game)[seat]} can't move by a {die}, so that the turn has passed on")
    return state


def _read_group(game: LudoRules, text: str, c: int, group: str) -> list[int]:
    name = COLOURS[c]
    if not re.fullmatch(r"\d{1,3}(,\d{1,3}){3}", group):
        raise _wrong(text, f"can't read {group!r} as the pieces of {name}; write four positions, as in 0,0,14,57")
    positions = [int(part) for part in group.split(",")]
    for r in positions:
        if r > game.goal:
            raise _wrong(text, f"{name} has a piece on {r}; positions are 0, the yard, to {game.goal}, the goal")
    if name not in seat_names(game) and any(positions):
        raise _wrong(text, f"{name} does not play among {game.seats}, so that its pieces must be 0,0,0,0")
    return positions


def _read_values(game: LudoRules, text: str, words: list[str]) -> dict[str, int]:
    """What stands behind the pieces, with the usual where nothing is written."""
    given: dict[str, str] = {}
    keys = ("turn", "die", "won", *_usual(game, 0))
    for word in words:
        key, _, value = word.partition("=")
        if key not in keys:
            raise _wrong(text, f"can't read {word!r}; after the pieces come {_listed([f'{k}=' for k in keys], 'or')}")
        if key in given:
            raise _wrong(text, f"{key} is given twice")
        given[key] = value
    over = "won" in given
    if over == ("turn" in given) or (over and "die" in given):
        raise _wrong(text, "write turn=, with die= if it is rolled, or won= alone where the game is over")
    word = given.pop("won" if over else "turn")
    seat = _seat(game, word)
    if seat is None:
        raise _wrong(text, f"{word!r} is no seat; they are {_listed(seat_names(game))}, or 0 to {game.seats - 1}")
    die = 0
    if "die" in given:
        die = _number(text, "die", given.pop("die"))
        if not 1 <= die <= 6:
            raise _wrong(text, f"a die shows 1 to 6, not {die}; leave it out where it is still to be rolled")
    values = {**_usual(game, die), **{key: _number(text, key, value) for key, value in given.items()}}
    return {**values, "seat": seat, "die": die, "over": int(over)}


def _number(text: str, key: str, value: str) -> int:
    if not re.fullmatch(r"\d{1,10}", value):
        raise _wrong(text, f"{key}={value}: it must be a whole number")
    return int(value)


def _check_pieces(game: LudoRules, text: str, state: np.ndarray) -> None:
    """Under classic rules two colours meet on safe squares only."""
    if game.rules != CLASSIC:
        return
    there: dict[int, tuple[int, int]] = {}  # who stands on a square of the track, and how it counts that square
    for seat in range(game.seats):
        for r in _own(game, state, seat):
            if not 1 <= r <= TRACK_END or (game.safe_squares and SAFE >> r & 1):
                continue
            other, at = there.setdefault((13 * int(colour(game, seat)) + r - 1) % 52, (seat, r))
            if other != seat:
                one, two = seat_names(game)[other], seat_names(game)[seat]
                safe = "on safe squares only" if game.safe_squares else "nowhere, as no square is safe"
                raise _wrong(text, f"{one}'s {at} is {two}'s {r}: two colours can stand together {safe}")


def _check_round(game: LudoRules, text: str, state: np.ndarray, die: int) -> None:
    """Whether sixes, tries and round can be what they are said to be, with this die on the table."""
    count, turn = int(state[COUNT]), int(state[TURN])
    if game.rules == CLASSIC:
        most = 2 if game.three_sixes else _MOST_SIXES
        least = int(die == 6)
        if not least <= count <= most:
            raise _wrong(text, f"sixes={count}: it must be {least} to {most} here")
        return
    if state[ROUND] not in (1, 2):
        raise _wrong(text, f"round={state[ROUND]}: it is 1 in the first round, and 2 later")
    if count > (3 if state[ROUND] == 1 else 0):
        raise _wrong(text, f"tries={count}: it must be 0 to 3 in the first round, and 0 later")
    if state[ROUND] == 1:
        for seat, name in enumerate(seat_names(game)):
            out = [r for r in _own(game, state, seat) if r]
            if seat >= turn and out:
                raise _wrong(text, f"in the first round {name}, who is still to get a piece out, has one on {out[0]}")
            if out not in ([], [1]):
                raise _wrong(text, f"in the first round {name} can have no more out of its yard than one piece, on 1")


# --- what a game offers ----------------------------------------------------------------------------------------------


class Notation:
    """Moves and positions of a game in text, both ways."""

    __slots__ = ()

    @property
    def seat_names(self: Any) -> tuple[str, ...]:
        """The colours of the seats."""
        return seat_names(self)

    def move_text(self: Any, state: np.ndarray, move: int) -> str:
        """A move, or the outcome of a chance event, as people write it."""
        return move_text(self, state, move)

    def read_move(self: Any, state: np.ndarray, text: str, seat: int | None = None) -> int:
        """The legal move, or possible outcome, that a text stands for."""
        return read_move(self, state, text)

    def state_text(self: Any, state: np.ndarray) -> str:
        """The whole state on one line."""
        return state_text(self, state)

    def read_state(self: Any, text: str) -> np.ndarray:
        """The state that such a line stands for."""
        return read_state(self, text)
