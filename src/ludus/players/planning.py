"""The player behind `plan`: in games with one seat and without chance it looks for a plan to the best end (`search.planning`), and follows it. What it proves
once is never searched again; until then it goes on searching at every move.
"""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Move, Position
from ludus.contract.rules import OVER, moves, play, scores, turn
from ludus.kernel import stream
from ludus.players.base import as_stream, decider
from ludus.search.planning import Plan, Planner, check_solo

SECONDS = 1.0


class Prospect(NamedTuple):
    """What is known of one move."""

    move: Move
    value: float  # the score that it leads to, with the best plan that was found
    proven: bool  # whether no plan after it is better


class Planning:
    """Plans for one seat.

    >>> import ludus
    >>> ludus.arena("maze", ["plan(seconds=20)"], 2).rows[0].points_per_game
    1.0
    """

    slots = 1  # games that the arena should have in flight: a plan and the clock are for one at a time

    def __init__(self, game: Any, seconds: float = SECONDS, name: str = "plan") -> None:
        check_solo(game)
        self.game, self.seconds, self.name = game, seconds, name
        self.best: int | None = None  # the move that it would play, while it thinks
        self._planner: Planner | None = None
        self._legal = np.zeros(game.facts.max_moves, np.int64)

    # --- what is asked of a player -----------------------------------------------------------------------------------

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move in a state. The arena prefers this to `choose`."""
        return self._move(state, time.perf_counter() + self.seconds, None, rng)

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), as_stream(rng))

    def think(self, position: Position, seconds: float, stop: threading.Event | None, rng: Any) -> Move:
        """The move after so much time, or soon after `stop` is set; sooner where nothing is left to find out."""
        decider(position)
        self.best = None
        chosen = self._move(position.state, time.perf_counter() + seconds, stop, as_stream(rng))
        return next(move for move in position.moves() if move == chosen)

    def ponder(self, state: np.ndarray, end: float, stop: threading.Event, rng: np.ndarray) -> None:
        """Search from a state until a moment of the monotonic clock, or until `stop` is set."""
        if turn(self.game, state) != OVER:
            self.planner.plan(state, end - time.monotonic(), stop, rng)

    def study(self, state: np.ndarray, end: float, stop: threading.Event, rng: np.ndarray) -> None:
        """Look for a plan before a match that begins with a state, until a moment of the monotonic clock, or until `stop` is set."""
        self.ponder(state, end, stop, rng)

    def look(self, position: Position, rng: Any) -> list[Prospect]:
        """What each move leads to, the best first: half of the time goes to the position itself, the rest to what comes after the moves."""
        decider(position)
        own, found = as_stream(rng), position.moves()
        best = self.planner.plan(position.state, self.seconds / 2, None, own)
        seen = [self._after(position.state, move, best, self.seconds / (2 * len(found)), own) for move in found]
        return sorted(seen, key=lambda one: (-one.value, best is None or one.move != best.moves[0]))

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves with the scores that they lead to, the best first."""
        return [(one.move, one.value) for one in self.look(position, rng)]

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        state = self.game.start().state
        if turn(self.game, state) != OVER:
            self.planner.warm_up(state, stream(1))

    def forget(self) -> None:
        """Begin the next move without a plan."""
        if self._planner is not None:
            self._planner.forget()

    @property
    def planner(self) -> Planner:
        """Who makes the plans."""
        if self._planner is None:
            self._planner = Planner(self.game)
        return self._planner

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_planner": None}

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    # --- planning ----------------------------------------------------------------------------------------------------

    def _move(self, state: np.ndarray, end: float, stop: threading.Event | None, rng: np.ndarray) -> int:
        if moves(self.game, state, 0, self._legal) == 1:
            return int(self._legal[0])

        def tell(plan: Plan) -> None:
            self.best = plan.moves[0]

        found = self.planner.plan(state, end - time.perf_counter(), stop, rng, tell)
        # Where no end of the game was found at all, any move is as good as another.
        return found.moves[0] if found is not None else int(self._legal[0])

    def _after(self, state: np.ndarray, move: Move, best: Plan | None, seconds: float, rng: np.ndarray) -> Prospect:
        """What a move leads to, beside the best plan for the state itself."""
        if best is not None and move == best.moves[0]:
            return Prospect(move, best.score, best.proven)
        after, result = state.copy(), np.zeros(1)
        play(self.game, after, move)
        if turn(self.game, after) == OVER:
            scores(self.game, after, result)
            return Prospect(move, float(result[0]), True)
        found = self.planner.fresh().plan(after, seconds, None, rng)
        if found is None:
            return Prospect(move, self.game.facts.score_range[0], False)
        return Prospect(move, found.score, found.proven)


def make_plan(game: Any, path: str | None, seconds: float = SECONDS) -> Planning:
    """The player `plan`; LudusError if a game has several seats, or chance."""
    return Planning(game, seconds, f"plan(seconds={seconds:g})")
