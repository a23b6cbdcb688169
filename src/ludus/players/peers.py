"""Other people's backgammon players, to measure ours by: GNU Backgammon's networks and Tesauro's pubeval, both from the
PyPI package `gnubg-nn` (GPL, in the `peers` extra). They answer through Python, hold its lock, and share one engine a process.

GNU Backgammon's board is two lists of 25 counts, the opponent's and the mover's, each from its own side: place i is point
i + 1, place 24 the bar. That is our own order without the checkers that are off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import moves, play
from ludus.errors import LudusError, NotInstalledError
from ludus.games.backgammon.rules import BAR, DIE1, DIE2, MAX_MOVES, OFF, SIDE, STATE_SIZE
from ludus.kernel import kernel

Board = list[list[int]]
Steps = list[int]  # from, to, from, to, … in our numbers: 25 is the bar, 0 is off


class Peer:
    """A player whose engine names the steps of its move, given the board and the dice."""

    def __init__(self, name: str, steps: Callable[[Board, int, int], Steps]) -> None:
        self.name = name
        self._steps = steps
        self._out = np.zeros(MAX_MOVES, np.int64)
        self._target = np.zeros(STATE_SIZE, np.int64)
        self._trial = np.zeros(STATE_SIZE, np.int64)

    def choose_state(self, game: Any, state: np.ndarray, seat: int, stream: Any = None) -> int:
        """The move for `seat`. The arena prefers this to `choose`: it needs no Position, and no text of any move."""
        if moves(game, state, seat, self._out) == 1:
            return int(self._out[0])  # a question not worth asking: often there is no move at all
        steps = self._steps(board_of(state, seat), int(state[DIE1]), int(state[DIE2]))
        move = move_of_steps(game, state, seat, np.array(steps, np.int64), self._out, self._target, self._trial)
        if move < 0:
            raise LudusError(f"player '{self.name}' made a move {steps} that is not legal in {game.state_text(state)}")
        return int(move)

    def choose(self, position: Position, rng: Any = None) -> int:
        """The move in a position."""
        if position.turn is None:
            raise LudusError("nobody is to move here")
        return self.choose_state(position.game, position.state.copy(), position.turn)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def need_no_cube(game: Any, name: str) -> None:
    """LudusError if a game has the doubling cube, of which these players know nothing."""
    if hasattr(game, "match"):
        raise LudusError(f"player '{name}' knows nothing of the cube: it plays backgammon, not {game.facts.model}")


def make_gnubg(game: Any, path: str | None, plies: int = 0) -> Peer:
    """GNU Backgammon's networks. `plies` is GNU Backgammon's own count: 0 judges the positions after each move, 1 looks
    at all the opponent's rolls and replies, and so on; cubeless, for money.
    """
    need_no_cube(game, "gnubg")
    engine = _engine("gnubg")

    # What `best_move(…, n)` was seen to do, as its documentation does not say. At n = 0 it takes the move with the best
    # static evaluation of the position after it, by `probabilities(board, 0)` for the opponent, who is then on roll: in
    # 597 of 597 positions, bear-offs included. At n = 1 and 2 it takes the best by `probabilities(board, n)`, in 40 of
    # 40. The score is that of money play. The bear-off databases are in use from the start, and `gnubg_nn.set.osdb` and
    # `.shortcuts` change neither a move nor a probability at n = 0 (5,567 positions, a fresh process each), so all stays
    # as it is: that is GNU Backgammon's usual 0-ply. tests/test_players_peers.py looks again.
    def steps(board: Board, die1: int, die2: int) -> Steps:
        return [place for step in engine.best_move(board, die1, die2, n=plies) for place in step]

    return Peer("gnubg" if plies == 0 else f"gnubg(plies={plies})", steps)


def make_pubeval(game: Any, path: str | None) -> Peer:
    """Tesauro's public evaluator of 1993: two sets of linear weights, one for races, one for contact."""
    need_no_cube(game, "pubeval")
    engine = _engine("pubeval")

    def steps(board: Board, die1: int, die2: int) -> Steps:
        return [place + 1 for place in engine.pub_best_move(board, die1, die2)]

    return Peer("pubeval", steps)


def _engine(name: str) -> Any:
    try:
        import gnubg_nn  # optional: in the peers extra
    except ImportError:
        raise NotInstalledError(f"player '{name}' needs the peers extra: pip install 'ludus[peers]'") from None
    return gnubg_nn


def board_of(state: np.ndarray, seat: int) -> Board:
    """GNU Backgammon's board, with `seat` as the mover.

    >>> import ludus
    >>> board_of(ludus.game("backgammon").start().state, 0)[1]
    [0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
    """
    counts = state.tolist()
    sides = counts[1 : BAR + 1], counts[SIDE + 1 : SIDE + BAR + 1]
    return [sides[1 - seat], sides[seat]]


@kernel
def move_of_steps(game: Any, state: Any, seat: int, steps: Any, out: Any, target: Any, trial: Any) -> int:
    """The legal move that leads where these single steps lead, or -1. Engines order and pair their steps differently from
    us, so that only the resulting positions can be compared.
    """
    own, other = SIDE * seat, SIDE * (1 - seat)
    target[:] = state
    for i in range(0, len(steps), 2):
        source, place = steps[i], steps[i + 1]
        target[own + source] -= 1
        target[own + place] += 1
        if place > OFF and target[other + 25 - place] > 0:
            target[other + 25 - place] = 0
            target[other + BAR] += 1
    for i in range(moves(game, state, seat, out)):
        trial[:] = state
        play(game, trial, out[i])
        if np.array_equal(trial[: 2 * SIDE], target[: 2 * SIDE]):
            return out[i]
    return -1
