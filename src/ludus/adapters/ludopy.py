"""Our players as guests in a game of the PyPI package `ludopy`, to meet the agents that other people wrote for it.

The package shows each player the board from its own side and hears which piece it moves. Here such an observation becomes
a state of our own rules, which are the package's move for move, and any of our players answers it. The package itself is
not needed: observations are plain numbers.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ludus import players as player_registry
from ludus.contract.position import Position
from ludus.contract.rules import play
from ludus.errors import LudusError
from ludus.games.ludo import Ludo, ludo
from ludus.games.ludo.rules import DIE, MOVABLE, ROUND, RULES, STATE_SIZE, TURN, colour
from ludus.kernel import stream
from ludus.players.base import ask

PURPOSE = 11  # keeps the agent's random numbers apart from those of games with the same seed

_PARTS = "dice, move_pieces, player_pieces, enemy_pieces, player_is_a_winner, there_is_a_winner"


class LudopyAgent:
    """A player that answers the observations of a `ludopy.Game`.

    `player` is a name, as everywhere, or a player itself. `ghosts` are the package's ghost players, the same list that its
    game got: none for four players, `[1, 3]` for two, any one of 1, 2 and 3 for three. `rules` is `ludopy` or
    `ludopy-1.3.1`; unless told, the installed package decides, and `ludopy` is meant where none is installed.

    An observation does not say which round it is. The agent takes it for a later one, where a six rolls again; only the very
    first rolls of a game are another matter, and there is hardly anything to choose then.

    >>> agent = LudopyAgent("semismart", rules="ludopy")
    >>> home = [0, 0, 0, 0]
    >>> agent.answer((6, [0, 1, 2, 3], [9, 0, 0, 30], [home, home, home], False, False))
    1
    >>> agent.answer((5, [], home, [home, home, home], False, False))
    -1
    """

    def __init__(self, player: Any, ghosts: Iterable[int] = (), rules: str | None = None, seed: int = 1) -> None:
        self.ghosts = _checked_ghosts(ghosts)
        self.game: Ludo = ludo(rules=_checked_rules(rules), seats=4 - len(self.ghosts))
        self.player = player_registry.player(player, self.game) if isinstance(player, str) else player
        self._rng = stream(seed, 0, PURPOSE)

    def answer(self, observation: Sequence[Any], seat: int | None = None) -> int:
        """The piece to move, 0 to 3, or -1 where none can.

        `seat` is the number that `get_observation` gives beside the observation. It matters among three only: there the
        ghost's place is to the left of one player and to the right of another, which the pieces don't tell.
        """
        position = self.position(observation, seat)
        if position.turn is None:
            return -1
        mask = int(position.state[MOVABLE])
        if mask & (mask - 1) == 0:
            return mask.bit_length() - 1  # a question not worth asking
        return int(ask(self.player, position, self._rng))

    def position(self, observation: Sequence[Any], seat: int | None = None) -> Position:
        """The position that an observation shows, with the die rolled. Where nothing can move, it is the one before the roll.

        The observer is our seat 0; among three, it and the others have the seats that leave the last colour to the ghost.
        """
        die, movable, pieces = self._checked(observation)
        own = self._own_colour(seat)
        state = np.zeros(STATE_SIZE, np.int64)
        for step in range(4):
            at = 4 * ((own + step) & 3)
            state[at : at + 4] = pieces[step]
        playing = [int(colour(self.game, s)) for s in range(self.game.seats)]
        for ghost in set(range(4)) - set(playing):
            if state[4 * ghost : 4 * ghost + 4].any():
                raise LudusError(
                    f"a ghost has left its home: {_where(pieces)}; tell LudopyAgent the ghosts of this game, "
                    f"now {self.ghosts}, and with three players whose turn it is"
                )
        state[TURN], state[ROUND] = playing.index(own), 2
        after = state.copy()
        play(self.game, after, die)
        mask = int(after[MOVABLE])
        if movable != [piece for piece in range(4) if mask >> piece & 1]:
            raise LudusError(
                f"move_pieces {movable} is not what {RULES[self.game.rules]} allows by a {die} from {pieces[0].tolist()}; "
                "is it the other version of the package? Give its rules to LudopyAgent"
            )
        return Position(self.game, after if after[DIE] > 0 else state)

    def _own_colour(self, seat: int | None) -> int:
        if seat is not None and (seat not in range(4) or seat in self.ghosts):
            raise LudusError(f"seat={seat!r}: nobody plays there; seats are 0 to 3 without the ghosts {self.ghosts}")
        if len(self.ghosts) != 1:
            return 0
        if seat is None:
            raise LudusError("among three players the answer needs the seat too: agent.answer(observation, seat)")
        return (int(seat) - self.ghosts[0] - 1) & 3

    def _checked(self, observation: Sequence[Any]) -> tuple[int, list[int], np.ndarray]:
        """The die, the pieces that can move, and all pieces, the observer's first."""
        try:
            dice, move_pieces, own, enemies, _, _ = observation
            die, movable = operator.index(dice), [operator.index(piece) for piece in move_pieces]
            pieces = np.array([own, *enemies])
        except (TypeError, ValueError):
            raise LudusError(f"not an observation of ludopy's, which is ({_PARTS})") from None
        if pieces.shape != (4, 4) or pieces.dtype.kind not in "iu":
            raise LudusError("player_pieces must hold four whole numbers, and enemy_pieces three times as many")
        if not 1 <= die <= 6:
            raise LudusError(f"dice {die}: a die shows 1 to 6")
        if pieces.min() < 0:
            raise LudusError(f"position {pieces.min()}: positions are counted from 0, the home ({_where(pieces)})")
        if pieces.max() > self.game.goal:
            raise LudusError(
                f"position {pieces.max()} lies beyond the goal of {RULES[self.game.rules]}, {self.game.goal}; "
                "is it the other version of the package? Give its rules to LudopyAgent"
            )
        return die, movable, pieces


def _where(pieces: np.ndarray) -> str:
    return f"player {pieces[0].tolist()}, enemies {pieces[1:].tolist()}"


def _checked_ghosts(ghosts: Iterable[int]) -> list[int]:
    found = sorted(set(ghosts))
    if found not in ([], [1], [2], [3], [1, 3]):
        raise LudusError(
            f"ghosts={found}: none for four players, one of 1, 2 and 3 for three, [1, 3] for two; "
            "our rules seat two players opposite each other, and the package lets player 0 always play"
        )
    return found


def _checked_rules(rules: str | None) -> str:
    if rules is None:
        try:
            goal = importlib.import_module("ludopy.player").GOAL_INDEX
        except ImportError:
            return "ludopy"
        for name in RULES[1:]:
            if ludo(rules=name).goal == goal:
                return name
        raise LudusError(f"the installed ludopy has its goal at {goal}, which is none of the versions known here")
    if rules not in RULES[1:]:
        raise LudusError(f"rules={rules!r}: the rules of the package are {' or '.join(RULES[1:])}")
    return rules
