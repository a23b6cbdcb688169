"""The thesis's program (`quoridor2016`, chapter 4) by its own names: its `Game`, its `State` tuple and its vector of 133 values.

Each function is a few lines over what the rules and positions offer, for who reads the thesis and wants to follow it here; hot
loops use the kernels. Its numbers are ours: squares 0 to 80 from the first player's home row on, walls 0 to 127, actions 0 to
139. `docs/quoridor.md` has the whole table of names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from ludus.contract.position import Move, Position
from ludus.contract.rules import OVER
from ludus.errors import LudusError
from ludus.games.quoridor import Quoridor, bitboard, quoridor
from ludus.games.quoridor.bitboard import (
    ANCHORS,
    BIT,
    DIRECTIONS,
    PASS,
    PAWN,
    PLY,
    STEP,
    TURN,
    WIDTH,
)
from ludus.games.quoridor.board import winner
from ludus.games.quoridor.naming import is_anchor, seat_names, square_text, wall_text, walls_on
from ludus.games.quoridor.notation import read_move, read_state
from ludus.games.quoridor.objections import OFFSETS, WAYS, clash, objection

# (c, p_y, p_g, s_y, s_g, w): who is to move, the pawns' squares, the stocks, the walls.
State = tuple[int, int, int, int, int, frozenset[int]]
VALUES = 133

# --- states ----------------------------------------------------------------------------------------------------------


def _two(game: Any) -> None:
    if game.seats != 2:
        raise LudusError("the thesis's states are for two players")


def state(position: Position) -> State:
    """A position of two players as the thesis's tuple. At the end of a game it is the turn of who did not move last.

    >>> import ludus
    >>> state(ludus.game("quoridor").start().play("e3h"))
    (1, 4, 76, 9, 10, frozenset({20}))
    """
    game, now = position.game, position.state
    _two(game)
    mover = 1 - _last_mover(position) if now[TURN] == OVER else int(now[TURN])
    p_y, p_g, s_y, s_g = (int(value) for value in now[PAWN : PAWN + 4])
    return mover, p_y, p_g, s_y, s_g, frozenset(walls_on(now))


def position(state: State, game: Any = None, ply: int = 0) -> Position:
    """The position of a tuple; LudusError names the rule where there can be no such position. The tuple knows no plies.

    >>> print(position((0, 51, 70, 5, 9, frozenset([32, 116, 119, 59, 12, 31]))).text)
    g6 h8 / 5 9 / e2h h4h a5h d8h e7v h7v / yellow 0
    """
    game = game if game is not None else quoridor()
    _two(game)
    if len(state) != 6:
        raise LudusError(f"a state has six parts, (c, p_y, p_g, s_y, s_g, walls), not {len(state)}")
    mover, *numbers = (_whole(part) for part in state[:5])
    walls = sorted(_whole(wall) for wall in state[5])
    for what, values, most in (("player", [mover], 1), ("square", numbers[:2], 80), ("wall", walls, 127)):
        for value in values:
            if not 0 <= value <= most:
                raise LudusError(f"there is no {what} {value} in a state; they are 0 to {most}")
    home = numbers[0] // WIDTH == game.size - 1 or numbers[1] < WIDTH
    pawns = " ".join(square_text(square) for square in numbers[:2])
    names = " ".join(wall_text(wall) for wall in walls) or "-"
    whose = "over" if home else seat_names(game)[mover]
    return Position(game, read_state(game, f"{pawns} / {numbers[2]} {numbers[3]} / {names} / {whose} {ply}"))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise LudusError(f"{value!r} is no whole number")
    return int(value)


def vector(position: Position) -> np.ndarray:
    """The 133 numbers that the thesis's network sees: the first five of the tuple, and 128 zeroes or ones for the walls.

    >>> import ludus
    >>> seen = vector(ludus.game("quoridor").start().play("e3h"))
    >>> len(seen), seen[:5].tolist(), np.flatnonzero(seen[5:]).tolist()
    (133, [1.0, 4.0, 76.0, 9.0, 10.0], [20])
    """
    *numbers, walls = state(position)
    out = np.zeros(VALUES, np.float32)
    out[:5] = numbers
    out[[5 + wall for wall in walls]] = 1.0
    return out


# --- its Game --------------------------------------------------------------------------------------------------------


def initial_state(game: Any = None) -> Position:
    """The beginning of a game: `game.start()`."""
    return (game if game is not None else quoridor()).start()


def is_terminal(position: Position) -> bool:
    """Whether the game is over: `position.over`."""
    return position.over


def valid(what: Position | State, action: int | str | None = None) -> bool:
    """Whether an action is legal in a position, or whether a tuple is a position at all; `objection` says why not.

    >>> valid(initial_state(), "u"), valid(initial_state(), "uu"), valid((0, 4, 4, 10, 10, frozenset()))
    (True, False, False)
    """
    try:
        found = what if isinstance(what, Position) else position(what)
        if action is None:
            return True
        if isinstance(action, str):
            read_move(found.game, found.state, action)
            return True
    except LudusError:
        return False
    return 0 <= action <= PASS and not objection(found.game, found.state, int(action))


def actions(position: Position) -> list[Move]:
    """All legal moves: `position.moves()`."""
    return position.moves()


def execute_move(position: Position, action: int | str) -> Position:
    """The position after a move: `position.play(action)`."""
    return position.play(action)


def utility(position: Position, seat: int) -> float:
    """What the position is worth to a seat: the score at the end (1 won, -1 lost), 0 before it."""
    return position.scores()[seat] if position.over else 0.0


def undo(position: Position, action: int | str) -> Position:
    """The position from which an action, a number or as the thesis writes it, led to this one.

    >>> import ludus
    >>> before = ludus.game("quoridor").start().play("e2").play("e3h")
    >>> undo(before.play("u"), "u") == before
    True
    """
    game = _game(position)
    code = _code(action)
    before = np.array(position.state, np.int64)
    seat = _last_mover(position)
    before[TURN] = seat
    before[PLY] = max(int(before[PLY]) - 1, 0)
    if code < STEP and code in walls_on(before):
        before[bitboard.VERTICAL if code & 64 else bitboard.HORIZONTAL] ^= BIT[code & 63]
        bitboard.shut(before, code)
        before[PAWN + game.seats + seat] += 1
    elif STEP <= code < PASS:
        rows, columns = WAYS[code - STEP]
        here = int(before[PAWN + seat])
        row, column = here // WIDTH - rows, here % WIDTH - columns
        if 0 <= row < game.size and 0 <= column < game.columns:
            before[PAWN + seat] = here - OFFSETS[code - STEP]
    found = Position(game, before)
    if before[PAWN + game.seats + seat] <= game.walls and not found.over and valid(found, code):
        after = found.play(code).state.tolist()
        if after[:PLY] + after[PLY + 1 :] == position.state.tolist()[:PLY] + position.state.tolist()[PLY + 1 :]:
            return found
    raise LudusError(f"{action!r}: that can't have been the last move here, which was {seat_names(game)[seat]}'s")


def _game(position: Position) -> Quoridor:
    return cast(Quoridor, position.game)  # whoever asks here is at a board of Quoridor


def _last_mover(position: Position) -> int:
    game, now = _game(position), position.state
    if now[TURN] != OVER:
        return (int(now[TURN]) - 1) % int(game.seats)
    won = winner(game, now)
    return won if won is not None else (int(now[PLY]) - 1) % int(game.seats)


def _code(action: int | str) -> int:
    if not isinstance(action, str):
        return int(action)
    if action in DIRECTIONS:
        return STEP + DIRECTIONS.index(action)
    if action == "pass":
        return PASS
    if action[:1] in ("h", "v") and action[1:].isdecimal() and int(action[1:]) < 64:
        return int(action[1:]) + 64 * (action[0] == "v")
    raise LudusError(f"{action!r} is no action; write it as the thesis does: u, ul, h3, v24")


# --- paths and walls -------------------------------------------------------------------------------------------------


def shortest_path(position: Position, seat: int) -> list[str]:
    """The squares of a shortest way to a seat's goal, from its pawn's on, as if there were no other pawns.

    >>> import ludus
    >>> shortest_path(ludus.game("quoridor(size=5)").start().play("b1h"), 0)
    ['c1', 'd1', 'd2', 'd3', 'd4', 'd5']
    """
    path = np.zeros(81, np.int64)
    length = bitboard.shortest_path(position.game, position.state.copy(), seat, path, np.zeros(2 * 81, np.int64))
    squares = [int(position.state[PAWN + seat])]
    for way in path[:length].tolist():
        squares.append(squares[-1] + OFFSETS[way])
    return [square_text(square) for square in squares]


def _walls(words: Iterable[int], board: int) -> list[Move]:
    """The moves of two words of anchors."""
    out = []
    for turned, word in enumerate(words):
        out += [
            Move(a + 64 * turned, wall_text(a + 64 * turned)) for a in range(64) if word & BIT[a] and board & BIT[a]
        ]
    return out


def path_blockers(position: Position, seat: int) -> list[Move]:
    """The walls that would shut a step of `shortest_path`, whether they could be built or not.

    >>> import ludus
    >>> print(*path_blockers(ludus.game("quoridor(size=3)").start(), 0))
    a1h b1h a2h b2h
    """
    room = np.zeros(3 * 81, np.int64)
    words = bitboard.path_blockers(position.game, position.state.copy(), seat, room)
    return _walls(words, int(ANCHORS[bitboard.board_of(_game(position))]))


def crossing_actions(position: Position) -> list[Move]:
    """The walls that would cross or overlap those on the board.

    >>> import ludus
    >>> print(*crossing_actions(ludus.game("quoridor").start().play("e3h")))
    d3h e3h f3h e3v
    """
    walls = [wall for wall in range(STEP) if is_anchor(position.game, wall & 63) and clash(position.state, wall)]
    return [Move(wall, wall_text(wall)) for wall in walls]
