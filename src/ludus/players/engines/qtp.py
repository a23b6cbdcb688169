"""Engines that speak the Quoridor Text Protocol: `qtp:COMMAND`. What we know of it, and from where, is in docs/engines.md."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ludus.contract.position import Position
from ludus.errors import LudusError, brief
from ludus.games.quoridor.bitboard import PAWN, WIDTH
from ludus.games.quoridor.naming import square_text, wall_text, walls_on
from ludus.games.quoridor.qtp import COLOURS, command_text, place_text, read_words
from ludus.players.base import decider
from ludus.players.engines.following import Following
from ludus.players.engines.process import Engine, command_of

PATIENCE = 60.0  # seconds for an answer


def make_qtp(game: Any, path: str | None, patience: float = PATIENCE) -> QtpPlayer:
    """The player of an engine's command."""
    if game.seats != 2:
        raise LudusError(f"player 'qtp' plays quoridor for two only, and this game has {game.seats} seats")
    if game.columns != game.size:
        raise LudusError(
            f"player 'qtp' plays on square boards only, as its protocol has no others, and this one has {game.size} rows and {game.columns} columns"
        )
    return QtpPlayer(Engine(f"qtp:{path}", command_of(path, "qtp"), patience))


class QtpPlayer:
    """An engine as a player. It follows one game at a time, and is told of the opponent's moves; a position that it can't come to by a move is
    laid out on its board, as the protocol lets one colour play several times in a row.
    """

    slots = 1

    def __init__(self, engine: Engine) -> None:
        self.engine, self.name = engine, engine.name
        self._following: Following | None = None

    def choose_state(self, game: Any, state: np.ndarray, seat: int, stream: Any = None) -> int:
        """The engine's move for `seat`."""
        following = self._brought(game, state)
        words = self._ask(f"genmove {COLOURS[seat]}")
        try:
            move = read_words(game, state, words)
        except LudusError as error:
            self.engine.blame(f"moved where it can't, in {game.state_text(state)}: {error}")
        following.play(move)
        self._following = following
        return move

    def choose(self, position: Position, rng: Any = None) -> int:
        """The engine's move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position))

    def _brought(self, game: Any, state: np.ndarray) -> Following:
        """The game before the engine, brought to a state."""
        following, self._following = self._following if self.engine.running else None, None  # until it has moved
        led = following.lead_to(state) if following is not None and following.game == game else None
        if following is None or led is None:
            for command in (f"boardsize {game.size}", "clear_board", f"walls {game.walls}"):
                self._ask(command)
            following = Following(game)
            led = following.lead_to(state)
        if led is None:
            for command in layout(game, state):
                self._ask(command)
            following = Following(game, state)
        for played in led or ():
            self._ask(command_text(game, played.state, played.move))
        return following

    def _ask(self, command: str) -> str:
        """What the engine answers after its `=`."""
        answer = self.engine.ask(command, lambda line: line.strip() if line.lstrip()[:1] in ("=", "?") else None)
        if answer.startswith("?"):
            self.engine.blame(f"answered '{brief(answer)}' to '{command}'")
        return answer[1:].strip()

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def layout(game: Any, state: np.ndarray) -> list[str]:
    """The commands that make a position out of the beginning: the pawns walk to their squares one after the other, and then the walls are built.

    >>> import ludus
    >>> layout(ludus.game("quoridor"), ludus.game("quoridor").position("e2 e8 / 9 10 / e3h / yellow 3").state)
    ['playmove black E8', 'playmove white E2', 'playwall black E7 horizontal']
    """
    walls, stocks = walls_on(state), state[PAWN + 2 : PAWN + 4].tolist()
    used = [game.walls - left for left in stocks]
    if len(walls) != sum(used):
        raise LudusError(
            f"a qtp engine can't be shown {game.state_text(state)}: {sum(used)} walls are gone from the stocks, and {len(walls)} are on the board"
        )
    middle, last = game.size // 2, game.size - 1
    homes, goals = (middle, WIDTH * last + middle), (last, 0)
    commands, standing = [], homes[1]
    for seat, goal in enumerate(goals):
        at = int(state[PAWN + seat])
        for square in walk(game.size, homes[seat], at, standing, goal):
            commands.append(f"playmove {COLOURS[seat]} {place_text(game, square_text(square))}")
        standing = at
    builders = [COLOURS[0]] * used[0] + [COLOURS[1]] * used[1]
    for colour, wall in zip(builders, walls, strict=True):
        commands.append(f"playwall {colour} {place_text(game, wall_text(wall))}")
    return commands


def walk(size: int, home: int, to: int, standing: int, goal: int) -> list[int]:
    """The squares of a way on the empty board that keeps off the other pawn and off the row that would end the game.

    >>> walk(9, 4, 22, 13, 8)
    [5, 14, 23, 22]
    """
    came: dict[int, int] = {home: home}
    waiting = deque([home])
    while waiting and to not in came:
        square = waiting.popleft()
        row, column = divmod(square, WIDTH)
        for r, c in ((row + 1, column), (row, column + 1), (row - 1, column), (row, column - 1)):
            there = WIDTH * r + c
            if 0 <= r < size and 0 <= c < size and r != goal and there != standing and there not in came:
                came[there] = square
                waiting.append(there)
    way = []
    while to != home:
        way.append(to)
        to = came[to]
    return way[::-1]
