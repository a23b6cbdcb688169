"""Engines that speak UGI, the Universal Game Interface, or another protocol like the chess players' UCI: `ugi:COMMAND`, in any game where seats
move one after the other. Moves are in ludus's notation, with `_` for a space and without a rulesheet's outer parentheses. What is said is in docs/engines.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import moves, turn
from ludus.errors import LudusError, brief
from ludus.players.base import decider
from ludus.players.engines.following import Following
from ludus.players.engines.process import Engine, command_of

PATIENCE = 60.0  # seconds for an answer, beyond those to think


def make_ugi(
    game: Any, path: str | None, seconds: float = 1.0, patience: float = PATIENCE, dialect: str = "ugi"
) -> UgiPlayer:
    """The player of an engine's command."""
    return UgiPlayer(Engine(f"ugi:{path}", command_of(path, "ugi"), patience), seconds, dialect)


def move_word(game: Any, state: np.ndarray, move: int) -> str:
    """A move as one word.

    >>> import ludus
    >>> game = ludus.game("tictactoe")
    >>> move_word(game, game.start().state, game.start().moves()[0])
    'mark_1_1'
    """
    return "_".join(game.move_text(state, move).removeprefix("( ").removesuffix(" )").split())


class UgiPlayer:
    """An engine as a player. It is told the moves of the game where we know them, and the position where we don't."""

    slots = 1

    def __init__(self, engine: Engine, seconds: float, dialect: str) -> None:
        self.engine, self.name = engine, engine.name
        self.seconds, self.dialect = seconds, dialect
        self._following: Following | None = None

    def choose_state(self, game: Any, state: np.ndarray, seat: int, stream: Any = None) -> int:
        """The engine's move for `seat`."""
        if turn(game, state) != seat:
            raise LudusError(f"player '{self.name}' plays games where seats move one after the other, not all at once")
        following = self._brought(game, state)
        beginning = "startpos" if following.first is None else f"fen {game.state_text(following.first)}"
        words = ["moves", *(move_word(game, *played) for played in following.played)] if following.played else []
        self.engine.tell(" ".join(["position", beginning, *words]))
        legal = np.zeros(game.facts.max_moves, np.int64)
        choices = {move_word(game, state, int(m)): int(m) for m in legal[: moves(game, state, seat, legal)]}
        word = self.engine.ask(
            f"go movetime {max(round(1000 * self.seconds), 1)}", _best_move, self.engine.patience + self.seconds
        )
        if word not in choices:
            self.engine.blame(f"chose '{brief(word)}', which is not a legal move in {game.state_text(state)}")
        following.play(choices[word])
        return choices[word]

    def choose(self, position: Position, rng: Any = None) -> int:
        """The engine's move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position))

    def _brought(self, game: Any, state: np.ndarray) -> Following:
        """The game before the engine, brought to a state. It is started if it does not run."""
        if not self.engine.running:
            self._following = None
            self.engine.ask(self.dialect, lambda line: line.strip() == f"{self.dialect}ok" or None)
            self.engine.ask("isready", lambda line: line.strip() == "readyok" or None)
        if self._following is None or self._following.lead_to(state) is None:
            self._following = Following(game)
            if self._following.lead_to(state) is not None:
                self.engine.tell(f"{self.dialect}newgame")
            else:  # it began elsewhere, or the dice had a word
                self._following = Following(game, state)
        return self._following

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def _best_move(line: str) -> str | None:
    words = line.split()
    return words[1] if words[:1] == ["bestmove"] and len(words) > 1 else None
