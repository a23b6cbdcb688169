"""A player for game managers: it answers INFO, PING, PREVIEW, START, PLAY, STOP and ABORT, one match at a time.

`Player.answer` is the protocol without the network; `serve` puts it behind a port. Whatever arrives, it answers: messages
for another match with `busy`, what it can't read with an error, and all others before the manager's clock runs out.
"""

from __future__ import annotations

import functools
import math
import re
import threading
import time
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.ggp.clock import Clock, Lateness
from ludus.ggp.loading import Loader, interpret_rules, load_rules
from ludus.ggp.messages import Message, read, write_error, write_info
from ludus.ggp.session import WARM_UP, Log, Session, Sessions, Threads
from ludus.ggp.wire import READ_SECONDS, Reply, Request, Server
from ludus.search.study import rehearse

MARGIN = 0.2  # seconds that an answer is early, for the network's sake, and more if answers were late
PATIENCE = 5.0  # play clocks without a message, after which a manager is thought to be gone


class Limits(NamedTuple):
    """What a player takes for a match."""

    grounding_seconds: float | None = None  # for a rulesheet to load; None: what the start clock leaves
    memory: int = 4000  # megabytes for the same
    margin: float | None = None  # seconds that an answer is early; None: by what was late so far
    patience: float = PATIENCE
    study: float = math.inf  # seconds of a start clock that the player may use, at most
    ponder: bool = True  # whether it thinks while others do


LIMITS = Limits()


class Player:
    """Who is asked by a game manager.

    >>> player = Player("random")
    >>> player.answer("(INFO)").body, player.answer("(PLAY m1 NIL)").body
    ('((name ludus) (status available))', 'busy')
    """

    def __init__(
        self,
        spec: str = "mcts",
        name: str = "ludus",
        limits: Limits = LIMITS,
        *,
        seed: int = 1,
        sessions: Sessions | None = None,
        log: Log = lambda line: None,
    ) -> None:
        if not re.fullmatch(r"[^\s()\";,\[\]]+", name):
            raise LudusError(f"the name '{name}' must be one word, without parentheses or commas")
        self.spec = spec
        self.name = name
        self.limits = limits
        self.seed = seed
        self.log = log
        self._sessions = sessions or Threads(Loader(memory=limits.memory))
        self._lock = threading.Lock()  # guards which match is played
        self._session: Session | None = None
        self._lateness = Lateness(MARGIN)

    def answer(self, text: str, arrived: float | None = None) -> Reply:
        """The answer to a message, which arrived at a moment of the monotonic clock; an error answer if it can't be read."""
        now = time.monotonic() if arrived is None else arrived
        try:
            message = read(text)
            return Reply(getattr(self, f"_{message.kind}")(message, now))
        except LudusError as problem:
            self.log(f"refused: {problem}")
            return Reply(write_error(str(problem)), 400)

    def close(self) -> None:
        """Give the match up, if there is one."""
        with self._lock:
            if self._session is not None:
                self._drop(self._session)
                self._session = None
        self._sessions.close()

    # --- the messages

    def _info(self, message: Message, now: float) -> str:
        return write_info(self.name, "busy" if self._busy(now) else "available", message.style)

    def _ping(self, message: Message, now: float) -> str:
        return "busy" if self._busy(now) else "ready"

    def _preview(self, message: Message, now: float) -> str:
        if self._busy(now):
            return "busy"
        clock = self._clock(message.start_clock, now)
        loading = self._sessions.load(message.rules, self._seconds(clock))
        if loading is None:
            return "busy"
        loading.done.wait(clock.left())
        if loading.error is not None:
            raise LudusError(loading.error)
        return "ready"

    def _start(self, message: Message, now: float) -> str:
        clock = self._clock(message.start_clock, now, max(message.play_clock, 1.0))
        with self._lock:
            if self._current(now) is not None:
                return "busy"
            loading = self._sessions.load(message.rules, self._seconds(clock))
            if loading is None:
                return "busy"
            session = self._session = self._sessions.open(message, loading, self.spec, self.seed, self.log)
            self._expect(session, clock)
        self.log(
            f"match {message.match}: playing {message.role}, {message.start_clock:g} s and {message.play_clock:g} s"
        )
        if self.limits.study < math.inf:
            clock.think = min(clock.think, now + self.limits.study)
        threading.Thread(target=session.prepare, args=(clock,), name="preparing", daemon=True).start()
        session.ready.wait(clock.left())
        if session.over.is_set():
            return "aborted"
        if session.error is not None:
            self._leave(session)
            raise LudusError(session.error)
        session.warm.wait(clock.left())
        return "aborted" if session.over.is_set() else "ready"

    def _play(self, message: Message, now: float) -> str:
        session = self._match(message, now)
        if session is None:
            return "busy"
        clock = self._clock(session.start.play_clock, now, session.start.play_clock)
        self._expect(session, clock)
        turn, is_new = session.turns.note(message.moves, now, clock)
        if is_new:  # what was just heard may belong before what is thought about: then that begins anew
            newest = session.turns.newest()
            move = session.play(session.turns.history(), newest.clock)
            if move is not None:
                newest.settle(move)
        turn.done.wait(clock.left())
        self._lateness.note(time.monotonic() - clock.answer)
        if session.over.is_set():
            return "aborted"
        return session.start.style.write(turn.move or "noop")

    def _stop(self, message: Message, now: float) -> str:
        session = self._match(message, now)
        if session is None:
            return "busy"
        with self._lock:
            if self._session is session:
                self._session = None
        session.end()
        session.turns.note(message.moves, now, Clock(0.0, now, 0.0))
        threading.Thread(target=self._finish, args=(session,), daemon=True).start()
        return "done"

    def _abort(self, message: Message, now: float) -> str:
        session = self._match(message, now)
        if session is None:
            return "busy"
        self._leave(session)
        self.log(f"match {message.match}: aborted")
        return "aborted"

    # --- which match

    def _current(self, now: float) -> Session | None:
        """The match that is played; one whose manager has been silent for too long is given up. Call it with the lock."""
        session = self._session
        if session is not None and now > session.quiet_until:
            self.log(f"match {session.start.match}: the manager has gone; given up")
            self._drop(session)
            self._session = session = None
        return session

    def _busy(self, now: float) -> bool:
        with self._lock:
            return self._current(now) is not None or self._sessions.full()

    def _match(self, message: Message, now: float) -> Session | None:
        with self._lock:
            session = self._current(now)
            return session if session is not None and session.start.match == message.match else None

    def _expect(self, session: Session, clock: Clock) -> None:
        session.quiet_until = clock.answer + self.limits.patience * max(session.start.play_clock, 1.0)

    def _leave(self, session: Session) -> None:
        with self._lock:
            self._drop(session)
            if self._session is session:
                self._session = None

    def _drop(self, session: Session) -> None:
        """Give a match up, and what it still works on."""
        session.end()
        self._sessions.drop(session.loading)

    def _clock(self, seconds: float, now: float, ponder: float = 0.0) -> Clock:
        """A clock of the manager's that began to run; the player may ponder until nobody is expected any more."""
        margin = self._lateness.margin if self.limits.margin is None else self.limits.margin
        until = now + seconds + self.limits.patience * ponder if self.limits.ponder and ponder else -math.inf
        return Clock(seconds, now, margin, until)

    def _seconds(self, clock: Clock) -> float:
        """How long a sheet may take: what the user said, or what the clock leaves, with some of it for the player."""
        given = self.limits.grounding_seconds
        return given if given is not None else max(0.8 * clock.left(), 1.0)

    def _finish(self, session: Session) -> None:
        try:
            goal = session.result(session.turns.history())
        except Exception:
            goal = None
        self.log(f"match {session.start.match}: over{'' if goal is None else f'; our goal value is {goal}'}")


# Two roles, one choice, one step.
_SMALL = """(role a) (role b) (init now) (legal a left) (legal a right) (legal b wait)
(<= (next over) (true now)) (<= terminal (true over)) (goal a 100) (goal b 0)"""

# The same twice, and b sees what a does.
_SECRET = """(role a) (role b) (init (step 1)) (legal a left) (legal a right) (legal b wait)
(<= (sees b (did ?m)) (does a ?m)) (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= terminal (true (step 3))) (goal a 100) (goal b 0)"""


@functools.cache
def warm_up(spec: str, interpreted: bool = False, hidden: bool = False) -> None:
    """Let a player play a small match with itself, so that what must be compiled is compiled before a clock runs: for games that are compiled,
    or for those that are interpreted, and for those with hidden information.
    """
    limits = Limits(study=WARM_UP, ponder=False)
    player = Player(spec, limits=limits, sessions=Threads(Loader(interpret_rules if interpreted else load_rules)))
    match = f"(START warm.up a ({_SECRET if hidden else _SMALL}) 600 2)"
    told = ("(PLAY warm.up 0 NIL NIL)", "(PLAY warm.up 1 left ())", "(STOP warm.up 2 left ())")
    for message in (match, *(told if hidden else ("(PLAY warm.up NIL)", "(STOP warm.up (left wait))"))):
        player.answer(message)
    if spec.startswith("mcts") and not interpreted:
        rehearse(load_rules(_SMALL, 10.0, 1000))


def serve(player: Player, host: str = "127.0.0.1", port: int = 9147, read_seconds: float = READ_SECONDS) -> Server:
    """Put a player behind a port; port 0 takes any that is free.

    >>> from ludus.ggp.wire import ask
    >>> with serve(Player("random"), port=0) as server:
    ...     ask("127.0.0.1", server.port, "( PING )", 5.0)
    'ready'
    """

    def answer(request: Request) -> Reply:
        if request.method == "GET" and request.target in ("/", "/favicon.ico"):  # somebody looks with a browser
            return player.answer("(INFO)")
        return player.answer(request.message, request.arrived)

    return Server(host, port, answer, error=lambda text: Reply(write_error(text), 400), read_seconds=read_seconds)
