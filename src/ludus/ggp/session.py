"""One match as a player sees it: the state, told by the manager's moves, and the thinking about the next move.

Thinking happens in threads, and the answer is due at a moment in time: if there is none by then, any legal move is given
(`shadow` knows them while the game is not ready yet), and if nothing at all is known, `noop`. What arrives over the network, and what is said, is `player`'s business.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from ludus import players
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.ggp.loading import Loading
from ludus.ggp.messages import Message, term
from ludus.ggp.record import RANDOM
from ludus.ggp.shadow import Shadow
from ludus.kernel import stream
from ludus.players.base import ask

WARM_UP = 0.1  # seconds of thinking before the match, so that compiling does not fall on the first move

Log = Callable[[str], None]


class Clock:
    """How a clock of the manager's is shared out: the answer leaves `margin` seconds before its end, and thinking stops a
    little earlier. Short clocks have shorter margins.

    >>> clock = Clock(10.0, now=0.0, margin=0.5)
    >>> clock.answer, clock.think
    (9.5, 9.35)
    """

    def __init__(self, seconds: float, now: float, margin: float) -> None:
        margin = min(margin, seconds / 4)
        self.answer = now + max(seconds - margin, 0.05)
        self.think = self.answer - 0.3 * margin

    def left(self) -> float:
        """Seconds until the answer must leave."""
        return max(self.answer - time.monotonic(), 0.0)


class Thought:
    """A move in the making."""

    def __init__(self) -> None:
        self.stop = threading.Event()  # set: think no longer
        self.done = threading.Event()  # set: no better move will come
        self.fallback: str | None = None  # a legal move at random, known early
        self.move: str | None = None

    def end(self) -> None:
        """Give it up."""
        self.stop.set()
        self.done.set()


class Session:
    """A match under way. `game` is there once the rules are loaded and the role is found in them."""

    def __init__(self, start: Message, loading: Loading, spec: str, seed: int, log: Log) -> None:
        self.start = start
        self.loading = loading
        self.spec = spec
        self.seed = seed
        self.log = log
        self.game: Any = None
        self.error: str | None = None
        self.ready = threading.Event()  # `game` or `error` is there
        self.warm = threading.Event()  # nothing is left to be compiled
        self.over = threading.Event()
        self.quiet_until = 0.0  # when the manager is expected at the latest
        self._player: Any = None
        self._state: Any = None
        self._history: list[
            tuple[str, ...]
        ] = []  # joint moves, in lower case; those from `_played` on still to be played
        self._played = 0
        self._thought = Thought()
        self._board = threading.Lock()  # guards the state
        self._shadow = Shadow(start.rules)
        self._head = threading.Lock()  # players think about one thing at a time
        self._rng = random.Random(f"{seed} {start.match} {start.role}")

    # --- getting ready

    def prepare(self, clock: Clock) -> None:
        """Wait for the rules, find the role, wake the player up. Runs in a thread of its own."""
        self.loading.done.wait()
        try:
            if self.loading.error is not None:
                raise LudusError(self.loading.error)
            game = self.loading.game
            if self.start.role not in game.roles:
                raise LudusError(f"the rules have no role '{self.start.role}'; there are: {', '.join(game.roles)}")
            self._index = game.roles.index(self.start.role)
            seats = [role for role in game.roles if role != RANDOM]
            self._seat = seats.index(self.start.role) if self.start.role != RANDOM else None
            self._state = game.first()
            self._player = self._make_player(game)
            self.game = game
        except Exception as problem:
            self.error = str(problem) if isinstance(problem, LudusError) else f"{type(problem).__name__}: {problem}"
        self.ready.set()
        if self.error is None and time.monotonic() + WARM_UP < clock.think:
            self._warm_up()
        self.warm.set()

    def _make_player(self, game: Any) -> Any:
        try:
            return players.player(self.spec, game)
        except LudusError as problem:
            self.log(f"player '{self.spec}' can't play this: {problem}; playing at random instead")
            return players.player(RANDOM, game)

    def _warm_up(self) -> None:
        thought = self._thought  # the first PLAY ends it
        with self._head:
            if self._seat is not None and not thought.stop.is_set():
                try:
                    self._choose(self._state, WARM_UP, thought.stop)
                except Exception:  # nothing to decide in the first state, say: then there is nothing to warm up
                    return

    # --- playing

    def hear(self, moves: Sequence[str] | None) -> None:
        """Note the moves that were made."""
        if moves is not None:
            self._history.append(tuple(moves))

    def move(self, clock: Clock) -> str:
        """Our move, before the clock runs out; `noop` if nothing better is known."""
        self._thought.end()  # the manager has gone on without it
        thought = self._thought = Thought()
        threading.Thread(target=self._think, args=(thought, clock), name="thinking", daemon=True).start()
        if not self.warm.is_set():
            threading.Thread(
                target=self._peek, args=(thought, list(self._history)), name="peeking", daemon=True
            ).start()
        thought.done.wait(clock.left())
        thought.stop.set()
        if thought.move is None and not self.over.is_set():
            self.log(f"match {self.start.match}: no move in time; playing {thought.fallback or 'noop, in the dark'}")
        return thought.move or thought.fallback or "noop"

    def end(self) -> None:
        """The match is over, for whatever reason: think no longer."""
        self.over.set()
        self._thought.end()

    def result(self) -> int | None:
        """Our goal value, if all moves are known and lead to an end."""
        if self.game is None:
            return None
        with self._board:
            self._catch_up()
            if not self.game.terminal(self._state):
                return None
            return int(self.game.goals(self._state)[self._index])

    def _catch_up(self) -> None:
        while self._played < len(self._history):
            joint = self._history[self._played]
            if len(joint) != len(self.game.roles):
                raise LudusError(f"{len(joint)} moves for {len(self.game.roles)} roles")
            # The game may write its moves a little differently than the manager does.
            legal = self.game.legal(self._state)
            texts = [{term(m): m for m in known}.get(text, text) for text, known in zip(joint, legal, strict=True)]
            self._state = self.game.advance(self._state, texts)
            self._played += 1

    def _think(self, thought: Thought, clock: Clock) -> None:
        try:
            self.ready.wait()
            if self.game is None:
                return
            with self._board:
                try:
                    self._catch_up()
                except LudusError as problem:  # the manager made a move that there is not: go on with what is known
                    self.log(f"match {self.start.match}: the moves can't be followed: {problem}")
                state = self._state
                legal = list(self.game.legal(state)[self._index])
            thought.fallback = term(self._rng.choice(legal))
            if len(legal) == 1 or self._seat is None:
                thought.move = thought.fallback
                return
            with self._head:
                seconds = clock.think - time.monotonic()
                if seconds <= 0 or thought.stop.is_set():
                    return
                chosen = term(self._choose(state, seconds, thought.stop))
            if chosen in map(term, legal):
                thought.move = chosen
            else:
                self.log(f"match {self.start.match}: the player chose {chosen}, which is not legal")
        except Exception as problem:
            self.log(f"match {self.start.match}: thinking failed: {type(problem).__name__}: {problem}")
        finally:
            thought.done.set()

    def _peek(self, thought: Thought, history: list[tuple[str, ...]]) -> None:
        """Find a legal move without the game, which is not ready."""
        try:
            legal = self._shadow.legal(self.start.role, history)
        except Exception as problem:
            self.log(f"match {self.start.match}: no legal moves are known yet: {problem}")
            return
        if legal and thought.fallback is None:
            thought.fallback = self._rng.choice(legal)
        if len(legal) == 1:
            thought.move = legal[0]
            thought.done.set()

    def _choose(self, state: Any, seconds: float, stop: threading.Event) -> str:
        """What the player would do: it is told how long it may think, if it wants to know."""
        position = Position(self.game, state, self._seat)
        rng = stream(self.seed, self._played, self._index)
        if not hasattr(self._player, "think"):
            return ask(self._player, position, rng, self._seat).text
        chosen = self._player.think(position, seconds, stop, rng)
        return chosen if isinstance(chosen, str) else self.game.move_text(state, int(chosen))
