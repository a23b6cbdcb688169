"""The player behind `alphabeta`: minimax search with alpha-beta cuts for two seats without chance, deeper and deeper until time or
depth runs out. The search itself is in `ludus.search.minimax`; here are the clock and what people and programs ask of a player.

A position is judged by a network, or by what a game offers by itself (Quoridor: the difference of the two ways).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.contract.position import Move, Position
from ludus.contract.rules import JOINT, ending, moves, play, turn
from ludus.errors import LudusError
from ludus.players.base import as_stream, decider
from ludus.players.helping import Helpers
from ludus.players.models import model_of
from ludus.search.leaves import network_leaf
from ludus.search.minimax import run
from ludus.search.minimax_looks import evaluate_joint
from ludus.search.minimax_space import (
    BEST,
    BEST_MOVE,
    DEEPEST,
    ENTERED,
    LONGEST,
    NODES,
    PER_PLY,
    WON,
    MinimaxOptions,
    MinimaxWorkspace,
    begin,
    beyond,
    go_on_from,
    known_move,
    minimax_workspace,
    won_at,
)

PACE = 0.002  # seconds that a call of the compiled search should take: the clock and `stop` wait for it
SECONDS = 0.1
RANKING = 1.0  # seconds for a judgement of all moves, at least: none of them can be left out
ANY = 9.0  # beyond all values
NARROW_FROM = 3  # plies: deeper searches expect what the one before found,
AROUND = 0.25  # so much more or less, on the scale of half the log odds
LINE = 10  # moves of a line that is shown, at most
WIDTH = 24  # moves that are searched at a node, unless told


class AlphaBeta:
    """Alpha-beta search.

    >>> import ludus
    >>> game = ludus.game("quoridor(size=5,walls=2)")
    >>> ludus.player("alphabeta(depth=3)", game).rank(game.start(), ludus.kernel.stream(1))[0][0]
    <c2>
    """

    def __init__(self, game: Any, view: Any, seconds: float, depth: int, width: int, name: str) -> None:
        self.name = name
        self.game = game
        self.seconds = seconds
        self.depth = depth  # 0: by time
        low, high = game.facts.score_range
        self._view = view
        many = game.facts.max_moves
        self._options = MinimaxOptions(width or many, 4 * width or many, width == 0, 1 / (high - low), high + low)
        self.threads = 1  # that search together
        self.ponder = False  # whether they go on while the opponent thinks
        self._helpers: Helpers | None = None
        self._legal = np.zeros(game.facts.max_moves, np.int64)
        self._workspace: MinimaxWorkspace | None = None
        self._left = self._nowhere()  # the game as it was after the last move
        self._chunk = 64
        self.reached = 0  # the depth of the last search that was finished
        self.value = 0.0  # what it found the position worth to the seat to move
        if not depth:
            self.slots = 1  # games that the arena should have in flight: the clock is for one at a time

    @property
    def workspace(self) -> MinimaxWorkspace:
        """The stack and the table."""
        if self._workspace is None:
            self._workspace = minimax_workspace(self.game)
        return self._workspace

    @property
    def helpers(self) -> Helpers:
        """The threads that search as well."""
        if self._helpers is None:
            self._helpers = Helpers(self.game, self._view, self._options)
        return self._helpers

    @property
    def effort(self) -> tuple[int, int]:
        """Of all searches so far: how many nodes, and how many positions were judged."""
        nodes = int(self.workspace.cursor[ENTERED])
        return nodes, int(self.workspace.cursor[NODES]) - nodes

    def choose_state(self, game: Any, state: np.ndarray, seat: int, rng: np.ndarray) -> int:
        """The move for `seat`. The arena prefers this to `choose`."""
        return self._search(np.array(state, np.int64), seat, self.seconds, self.depth)

    def choose(self, position: Position, rng: Any) -> int:
        """The move in a position."""
        return self.choose_state(position.game, position.state.copy(), decider(position), as_stream(rng))

    def think(self, position: Position, seconds: float, stop: threading.Event | None, rng: Any) -> Move:
        """The move after so much time, or soon after `stop` is set."""
        chosen = self._search(position.state.copy(), decider(position), seconds, 0, stop)
        return next(move for move in position.moves() if move == chosen)

    def rank(self, position: Position, rng: Any) -> list[tuple[Move, float]]:
        """The legal moves and what each is worth, best first. All are searched equally deep, so that their values can be compared: as
        deep as time allows, or to the player's depth.
        """
        seat = decider(position)
        if position.kind == "joint":
            codes, looks = self._joint_values(position.state.copy(), seat)
            worth = dict(zip(codes.tolist(), looks.tolist(), strict=True))
            return sorted(((m, worth[int(m)]) for m in position.moves()), key=lambda pair: -pair[1])
        if self._helpers is not None:
            self._helpers.stop()
        past = self.workspace.past.copy()
        self.workspace.past[:] = 0  # who asks for hints plays no move, and the position may be of any game
        try:
            return self._ranked(position, seat)
        finally:
            self.workspace.past[:] = past

    def _ranked(self, position: Position, seat: int) -> list[tuple[Move, float]]:
        legal = position.moves()
        chosen = self._search_from(position.state.copy(), seat, self.seconds, self.depth, None)
        if self.depth:
            self.forget()  # or the values would depend on what was searched before
        after = [position.play(move).state.copy() for move in legal]
        end = time.perf_counter() + max(self.seconds, RANKING)
        found: list[float] = []
        for plies in range(self.depth or DEEPEST):
            values = self._sweep(after, plies, None if self.depth or not plies else end)
            if values is None:
                break
            found = values
            if not self.depth and (time.perf_counter() >= end or min(map(abs, found)) > WON):
                break
        sign = 1 if seat == 0 else -1
        best = sorted(zip(legal, found, strict=True), key=lambda pair: (-sign * pair[1], pair[0] != chosen))
        return [(move, min(max(sign * value, -1.0), 1.0)) for move, value in best]

    def line(self, position: Position, move: Move, most: int = LINE) -> list[Move]:
        """A move, and how the last search expects the game to go on after it, as far as its table knows.

        >>> import ludus
        >>> game = ludus.game("quoridor(size=5,walls=2)")
        >>> player = ludus.player("alphabeta(depth=4)", game)
        >>> player.line(game.start(), player.rank(game.start(), ludus.kernel.stream(1))[0][0])
        [<c2>, <c4>, <b1h>, <d4>]
        """
        found, position = [move], position.play(move)
        while len(found) < most and position.kind == "decision":
            known = known_move(self.workspace, self.game, position.state.copy())
            reply = next((each for each in position.moves() if each == known), None)
            if reply is None:
                break
            found.append(reply)
            position = position.play(reply)
        return found

    def _sweep(self, states: Sequence[np.ndarray], plies: int, end: float | None) -> list[float] | None:
        """What each state is worth to seat 0, searched so deep; None if time runs out."""
        ws, found = self.workspace, []
        for state in states:
            begin(ws, self.game, state, plies, -ANY, ANY)
            while not run(ws, self.game, self._view, self._options, self._chunk):
                if end is not None and time.perf_counter() >= end:
                    return None
            found.append(float(ws.value[0]))
        return found

    def prepare(self) -> None:
        """Compile, or load what was compiled, before a clock runs."""
        begin(self.workspace, self.game, self.game.start().state.copy(), 1, -ANY, ANY)
        run(self.workspace, self.game, self._view, self._options, 10)

    def forget(self) -> None:
        """Begin the next move with an empty table."""
        if self._helpers is not None:
            self._helpers.stop()
        self.workspace.table.keys[:] = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_workspace": None, "_helpers": None, "_left": self._nowhere()}

    def __repr__(self) -> str:
        return f"<player {self.name}>"

    def _nowhere(self) -> np.ndarray:
        return Position.start(self.game).state.copy()

    def _joint_values(self, state: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """Where both move at once: the moves of a seat, and what each looks like to it beside some of the other's."""
        ws = self.workspace
        count = evaluate_joint(ws, self.game, self._view, self._options, state, seat)
        return ws.legal[0, :count].copy(), ws.promise[0, :count].copy()

    def _search(
        self, state: np.ndarray, seat: int, seconds: float, depth: int, stop: threading.Event | None = None
    ) -> int:
        """The best move, as one of a game: by time, positions that were there before are draws; to a depth, nothing counts but the state."""
        if depth:
            self.workspace.past[:] = 0
            return self._search_from(state, seat, seconds, depth, stop)
        helpers = self.helpers if self.threads > 1 or self.ponder else None
        if helpers is not None:
            helpers.stop()
        go_on_from(self.workspace, self.game, self._left, state)
        if turn(self.game, state) == JOINT:
            return self._search_from(state, seat, seconds, depth, stop)
        if helpers is not None and self.threads > 1:
            helpers.start(self.threads - 1, self.workspace, state)
        try:
            chosen = self._search_from(state, seat, seconds, depth, stop)
        finally:
            if helpers is not None:
                helpers.stop()
        before, self._left = state, state.copy()
        play(self.game, self._left, chosen)
        go_on_from(self.workspace, self.game, before, self._left)
        if helpers is not None and self.ponder and turn(self.game, self._left) >= 0:
            helpers.start(self.threads, self.workspace, self._left)
        return chosen

    def _search_from(
        self, state: np.ndarray, seat: int, seconds: float, depth: int, stop: threading.Event | None
    ) -> int:
        ws, now = self.workspace, time.perf_counter()
        end = now + seconds
        if moves(self.game, state, seat, self._legal) == 1:
            self.reached, self.value = 0, 0.0
            return int(self._legal[0])
        if turn(self.game, state) == JOINT:
            legal, values = self._joint_values(state, seat)
            self.reached, self.value = 1, float(values.max())
            return int(legal[np.argmax(values)])
        known, left = ending(self.game, state)
        if left and not self._options.exact:
            self.reached, self.value = abs(left), math.copysign(won_at(abs(left)), left)
            return int(known)
        # Or the result would depend on the moves before; and a win that the table knows of only as such is put off for ever.
        if depth or abs(self.value) > WON:
            self.forget()
        chosen = -1
        for plies in range(1, (depth or DEEPEST) + 1):
            low, high = -ANY, ANY
            if plies > NARROW_FROM and not self._options.exact and abs(self.value) < WON:
                low, high = beyond(self.value, -AROUND), beyond(self.value, AROUND)
            while True:
                begin(ws, self.game, state, plies, low, high)
                while not run(ws, self.game, self._view, self._options, self._chunk):
                    begun, now = now, time.perf_counter()
                    self._chunk = max(16, min(int(self._chunk * PACE / max(now - begun, 1e-9)), 4 * self._chunk))
                    # The first ply is always finished: somebody has to move.
                    if not depth and plies > 1 and (now >= end or (stop is not None and stop.is_set())):
                        # The best move of the search before is looked at first: another one found by now is better, unless all are worse than was thought.
                        best = int(ws.frames[0, BEST_MOVE])
                        return best if best >= 0 and ws.bounds[0, BEST] > low else chosen
                value = float(ws.bounds[0, BEST])
                if low < value < high:
                    break
                if value >= high:  # better, or worse, than was thought: look again
                    chosen, high = int(ws.frames[0, BEST_MOVE]), ANY
                else:
                    low = -ANY
            chosen = int(ws.frames[0, BEST_MOVE])
            self.reached, self.value = plies, float(ws.bounds[0, BEST])
            # An end of the game within this depth: deeper searches find none that is sooner.
            found = abs(self.value) > WON and LONGEST - (abs(self.value) - WON) / PER_PLY <= plies + 0.5
            if found or (not depth and time.perf_counter() >= end):
                break
        return chosen


def make_alphabeta(
    game: Any,
    path: str | None,
    seconds: float | None = None,
    depth: int | None = None,
    width: int = WIDTH,
    threads: int = 1,
    ponder: bool = False,
) -> AlphaBeta:
    """The player `alphabeta`, with the view that a game offers by itself, or `alphabeta:RUN_OR_FILE` with a network's. At each node
    the `width` best moves are searched, four times as many at the root; with width=0 all of them, each to the full depth. By time, several `threads` search
    together, and with `ponder` while the opponent thinks, too.
    """
    facts = game.facts
    if facts.seats != 2 or facts.max_chances or Position.start(game).kind != "decision":
        raise LudusError(f"alphabeta plays games of two seats that take turns, without chance; {facts.model} is none")
    if seconds is not None and depth is not None:
        raise LudusError("alphabeta searches by time or to a depth: give seconds or depth, not both")
    if depth is not None and depth > DEEPEST:
        raise LudusError(f"alphabeta(depth={depth}): it can look at most {DEEPEST} plies ahead")
    if depth is not None and (threads > 1 or ponder):
        raise LudusError("alphabeta searches to a depth alone: threads and ponder are for seconds")
    if path is not None:
        view: Any = network_leaf(game, *model_of(game, path))
    elif hasattr(game, "view"):
        view = game.view()
    else:
        raise LudusError(f"{facts.model} has no judgement of its own: name a network, as in alphabeta:RUN")
    limit = f"depth={depth}" if depth else f"seconds={seconds or SECONDS:g}"
    more = (f",threads={threads}" if threads > 1 else "") + (",ponder=true" if ponder else "")
    name = f"alphabeta{':' + path if path else ''}({limit}{more})"
    player = AlphaBeta(game, view, seconds or SECONDS, depth or 0, width, name)
    player.threads, player.ponder = threads, ponder
    return player
