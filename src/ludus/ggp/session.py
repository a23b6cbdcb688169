"""One match as a player sees it: the state, told by the manager's moves, and the thinking about the next move.

Thinking happens in threads, and the answer is due at a moment in time: if there is none by then, the best move so far is given, any legal one
if the player knows none (`shadow` does while the game is not ready yet), and if nothing at all is known, `noop`. What arrives over
the network, and what is said, is `player`'s business; `workers` lets a session run in a process of its own.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from ludus import players
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.ggp.clock import Clock
from ludus.ggp.following import Follower, HiddenFollower, follower_of
from ludus.ggp.loading import Loader, Loading
from ludus.ggp.messages import Message, term
from ludus.ggp.record import RANDOM
from ludus.ggp.shadow import Shadow
from ludus.ggp.turns import Joint, Turns
from ludus.kernel import stream
from ludus.players.base import ask

LOOK = 0.05  # seconds between two looks at the best move so far
WARM_UP = 0.1  # seconds of thinking before the match, so that compiling does not fall on the first move

Log = Callable[[str], None]


class Thought:
    """A move in the making."""

    def __init__(self) -> None:
        self.stop = threading.Event()  # set: think no longer
        self.left = threading.Event()  # set: nor about what may come next
        self.done = threading.Event()  # set: no better move will come
        self.fallback: str | None = None  # a legal move at random, known early
        self.move: str | None = None
        self.legal: dict[str, None] = {}  # the moves to choose from, once they are known
        self.state: Any = None
        self.has_head = False  # whether the player thinks about this, and not still about something else

    def end(self) -> None:
        """Give it up."""
        self.stop.set()
        self.left.set()
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
        self.turns = Turns()
        self._player: Any = None
        self._follower: Follower | HiddenFollower | None = None
        self._thought = Thought()
        self._board = threading.Lock()  # guards the state
        self._shadow = Shadow(start.rules)
        self._head = threading.Lock()  # players think about one thing at a time
        self._rng = random.Random(f"{seed} {start.match} {start.role}")

    # --- getting ready

    def prepare(self, clock: Clock) -> None:
        """Wait for the rules, find the role, wake the player up. Runs in a thread of its own."""
        thought = self._thought  # the first PLAY ends it
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
            self._follower = follower_of(game, self._seat)
            self._player = self._make_player(game)
            self.game = game
        except Exception as problem:
            self.error = str(problem) if isinstance(problem, LudusError) else f"{type(problem).__name__}: {problem}"
        self.ready.set()
        if self.error is None:
            self._study(thought, clock)
        self.warm.set()
        if self.error is None and self._seat is not None:
            self._ponder(thought, self.game.first(), clock)

    def _make_player(self, game: Any) -> Any:
        try:
            return players.player(self.spec, game)
        except LudusError as problem:
            self.log(f"player '{self.spec}' can't play this: {problem}; playing at random instead")
            return players.player(RANDOM, game)

    def _study(self, thought: Thought, clock: Clock) -> None:
        """Think before the match: what there is to learn of the game, and about the first move."""
        seconds = clock.think - time.monotonic()
        with self._head:
            if self._seat is None or thought.stop.is_set() or seconds < WARM_UP:
                return
            try:
                if hasattr(self._player, "study"):
                    self._player.study(self.game.first(), time.monotonic() + seconds, thought.stop, stream(self.seed))
                    if getattr(self._player, "studied", None) is not None:
                        self.log(f"match {self.start.match}: {self._player.studied.summary}")
                else:
                    self._choose(self.game.first(), 0, WARM_UP, thought.stop)
            except Exception as problem:  # nothing to decide in the first state, say: then there is nothing to study
                self.log(f"match {self.start.match}: nothing was studied: {type(problem).__name__}: {problem}")

    # --- playing

    def play(self, history: list[Joint], clock: Clock) -> str | None:
        """Our move after what was played, before the clock runs out; `noop` if nothing better is known. None if another question came meanwhile."""
        return self.answer(self.ask(history, clock), clock)

    def ask(self, history: list[Joint], clock: Clock) -> Thought:
        """Begin to think about a move."""
        self._thought.end()  # the manager has gone on without it
        thought = self._thought = Thought()
        threading.Thread(target=self._think, args=(thought, history, clock), name="thinking", daemon=True).start()
        if not self.warm.is_set():
            threading.Thread(target=self._peek, args=(thought, history), name="peeking", daemon=True).start()
        return thought

    def answer(self, thought: Thought, clock: Clock, hear: Callable[[str], None] = lambda best: None) -> str | None:
        """What comes of it, as in `play`; `hear` is told the best move so far, now and then."""
        last = None
        while not thought.done.wait(min(LOOK, clock.left())) and clock.left() > 0:
            best = self._best(thought) or thought.fallback
            if best is not None and best != last:
                hear(best)
                last = best
        thought.stop.set()
        if thought is not self._thought:
            return None
        move = thought.move or self._best(thought)
        if move is None and not self.over.is_set():
            self.log(f"match {self.start.match}: no move in time; playing {thought.fallback or 'noop, in the dark'}")
        return move or thought.fallback or "noop"

    def _best(self, thought: Thought) -> str | None:
        """What the player would do if it had to move now, if it says so."""
        best = getattr(self._player, "best", None) if thought.has_head else None
        if best is None:
            return None
        written = best if isinstance(best, str) else self.game.move_text(thought.state, int(best))
        return term(written) if term(written) in thought.legal else None

    def end(self) -> None:
        """The match is over, for whatever reason: think no longer."""
        self.over.set()
        self._thought.end()
        self.ready.set()
        self.warm.set()

    def result(self, history: list[Joint]) -> int | None:
        """Our goal value, if all moves are known and lead to an end."""
        if self._follower is None:
            return None
        with self._board:
            for state in self._follower.follow(history):
                if self.game.terminal(state):
                    return int(self.game.goals(state)[self._index])
        return None

    def _ponder(self, thought: Thought, state: Any, clock: Clock) -> None:
        """Think on while others do, until the next question comes: about the state after our move, if it is known which that is."""
        if not hasattr(self._player, "ponder") or clock.ponder <= time.monotonic():
            return
        try:
            with self._head:
                if thought.left.is_set():
                    return
                with self._board:
                    state = self._after(state, thought.move)
                    if self.game.terminal(state):
                        return
                self._player.ponder(state, clock.ponder, thought.left, stream(self.seed, len(thought.legal)))
        except Exception as problem:
            self.log(f"match {self.start.match}: pondering failed: {type(problem).__name__}: {problem}")

    def _after(self, state: Any, move: str | None) -> Any:
        """The state after our move, if nobody else has a choice; else the same state."""
        legal = self.game.legal(state)
        if (
            move is None
            or len(legal[self._index]) == 1
            or any(len(m) > 1 for i, m in enumerate(legal) if i != self._index)
        ):
            return state
        joint = [found[0] for found in legal]
        joint[self._index] = next(one for one in legal[self._index] if term(one) == move)
        return self.game.advance(state, joint)

    def _think(self, thought: Thought, history: list[Joint], clock: Clock) -> None:
        try:
            self.ready.wait()
            if self._follower is None or self.over.is_set():
                return
            with self._board:
                states = self._follower.follow(history)
                if self._follower.problem:  # the manager made a move that there is not: go on with what is known
                    self.log(f"match {self.start.match}: {self._follower.problem}")
                state = states[0]
                choices = [[term(move) for move in self.game.legal(one)[self._index]] for one in states]
            thought.legal, thought.state = dict.fromkeys(choices[0]), state
            sure = [move for move in choices[0] if all(move in others for others in choices[1:])]
            thought.fallback = self._rng.choice(sure or choices[0])
            if len(choices[0]) == 1 or self._seat is None:
                thought.move = thought.fallback
                return
            with self._head:
                seconds = clock.think - time.monotonic()
                if seconds <= 0 or thought.stop.is_set():
                    return
                if hasattr(self._player, "best"):
                    self._player.best = None
                thought.has_head = True
                chosen = term(self._choose(state, len(history), seconds, thought.stop))
            if chosen in thought.legal:
                thought.move = chosen
            else:
                self.log(f"match {self.start.match}: the player chose {chosen}, which is not legal")
        except Exception as problem:
            self.log(f"match {self.start.match}: thinking failed: {type(problem).__name__}: {problem}")
        finally:
            thought.done.set()
        if thought.state is not None and self._seat is not None:
            self._ponder(thought, thought.state, clock)

    def _peek(self, thought: Thought, history: list[Joint]) -> None:
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

    def _choose(self, state: Any, step: int, seconds: float, stop: threading.Event) -> str:
        """What the player would do: it is told how long it may think, if it wants to know."""
        position = Position(self.game, state, self._seat)
        rng = stream(self.seed, step, self._index)
        if not hasattr(self._player, "think"):
            return ask(self._player, position, rng, self._seat).text
        chosen = self._player.think(position, seconds, stop, rng)
        return chosen if isinstance(chosen, str) else self.game.move_text(state, int(chosen))


class Sessions(Protocol):
    """Where matches are played."""

    def full(self) -> bool:
        """Whether no match can begin now."""

    def load(self, rules: str, seconds: float) -> Loading | None:
        """Begin to load a sheet, or find it again; None if that can't be done now."""

    def open(self, start: Message, loading: Loading, spec: str, seed: int, log: Log) -> Session:
        """A match with these rules."""

    def drop(self, loading: Loading) -> None:
        """Nobody is interested in a sheet any more, whether it is loaded or not."""

    def close(self) -> None:
        """There will be no more matches."""


class Threads:
    """Matches in this process. Threads can't be stopped: what is dropped goes on until it notices."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def full(self) -> bool:
        """Whether too many sheets are being loaded."""
        return self._loader.full()

    def load(self, rules: str, seconds: float) -> Loading | None:
        """Begin to load a sheet, or find it again; None if too many are under way."""
        return self._loader.begin(rules, seconds)

    def open(self, start: Message, loading: Loading, spec: str, seed: int, log: Log) -> Session:
        """A match with these rules."""
        return Session(start, loading, spec, seed, log)

    def drop(self, loading: Loading) -> None:
        """It goes on, and is there if the same rules come again."""

    def close(self) -> None:
        """There is nothing to close."""
