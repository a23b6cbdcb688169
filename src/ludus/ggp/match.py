"""One match: the manager's side of the protocol. `record` keeps what comes of it.

Clocks are ggp-base's: START may take the start clock, PLAY the play clock and a second. For an answer that is illegal, late
or missing a random legal move is played, and the error is recorded: `TO` too late, `CE` no connection, `IL move` illegal.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ludus import players
from ludus.contract.knowing import hides
from ludus.errors import LudusError
from ludus.games.gdl.games import Interpreted
from ludus.ggp import messages, wire
from ludus.ggp.loading import Loader
from ludus.ggp.player import Limits, Player, warm_up
from ludus.ggp.record import CLOCKS, RANDOM, Clocks, Match, now
from ludus.ggp.session import WARM_UP, Threads

GRACE = 1.0  # seconds that PLAY may take beyond the play clock
MAX_STEPS = 10_000  # a sheet may describe a game without end
LOCAL_MARGIN = 0.1  # players in this process need not think of the network


class Contestant(Protocol):
    """Whoever plays a role."""

    name: str

    def prepare(self) -> None:
        """Get ready, before any clock runs."""

    def send(self, message: str, seconds: float) -> str:
        """The answer to a message; TroubleError if there is none in time."""


class Remote:
    """A player behind an address."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.address = wire.address(name)

    def prepare(self) -> None:
        """Getting ready is its own business."""

    def send(self, message: str, seconds: float) -> str:
        """The answer to a message; TroubleError if there is none in time."""
        return wire.ask(*self.address, message, seconds, self.name)


class Local:
    """A built-in player, who hears the same messages, though not over the network."""

    def __init__(self, spec: str, game: Any, seed: int) -> None:
        players.player(spec, game)  # says now what is wrong with the name
        self.name = spec
        self._hidden = hides(game)
        self._interpreted = isinstance(game.base if self._hidden else game, Interpreted)
        here = Threads(Loader(lambda *_: game))
        self._player = Player(
            spec, limits=Limits(margin=LOCAL_MARGIN, study=WARM_UP, ponder=False), seed=seed, sessions=here
        )

    def prepare(self) -> None:
        """Compile what must be compiled."""
        warm_up(self.name, interpreted=self._interpreted, hidden=self._hidden)

    def send(self, message: str, seconds: float) -> str:
        """The answer to a message."""
        return self._player.answer(message).body


def is_address(name: str) -> bool:
    """Whether a contestant is named by an address, and not as a built-in player.

    >>> is_address("localhost:9147"), is_address("mcts"), is_address("td:runs/a")
    (True, False, False)
    """
    return re.fullmatch(r"\S+:\d+", name) is not None


def contestants(names: Sequence[str], game: Any, seed: int) -> list[Contestant]:
    """Who plays the roles of a game, in the order of the sheet; the role `random` needs nobody."""
    roles = [role for role in game.roles if role != RANDOM]
    if len(names) != len(roles):
        raise LudusError(
            f"the game has {len(roles)} role{'s' * (len(roles) != 1)} ({', '.join(roles)}), "
            f"but {len(names)} player{'s were' if len(names) != 1 else ' was'} given"
        )
    remote = [name for name in names if is_address(name)]
    for name in remote:
        if remote.count(name) > 1:
            raise LudusError(f"{name} is given for two roles, but a GGP player plays one match at a time")
    return [Remote(n) if is_address(n) else Local(n, game, seed * 1000 + i) for i, n in enumerate(names)]


Hear = Callable[[Match], None]


class Course:
    """A match being played. `run` returns when it is over; `stop`, set from elsewhere, aborts it."""

    def __init__(
        self, match: Match, game: Any, players: Sequence[Contestant], hear: Hear = lambda match: None,
        stop: threading.Event | None = None, max_steps: int = MAX_STEPS,
    ) -> None:  # fmt: skip
        self.match = match
        self.game = game
        self.hear = hear  # is told of every step, to store it
        self.stop = stop or threading.Event()
        self.max_steps = max_steps
        seated = iter(players)
        self.players = [None if role == RANDOM else next(seated) for role in match.roles]
        self._rng = random.Random(match.seed)
        self._percepts: list[list[str]] = []  # what each role saw of the last step, where information is hidden

    def run(self) -> Match:
        """Play the match, to its end or until it is stopped."""
        match = self.match
        self.hear(match)
        try:
            self._play()
        except LudusError as problem:
            match.aborted, match.failure = True, str(problem)
        except BaseException:  # Ctrl-C too: the players should not wait for us
            match.aborted = True
            self._send_abort()
            self.hear(match)
            raise
        if match.aborted:
            self._send_abort()
        self.hear(match)
        if match.completed:
            self._ask_all(self._told("STOP"), match.clocks.play)
        return match

    def _play(self) -> None:
        match, game = self.match, self.game
        state = game.first()
        self._note(state)
        for player in filter(None, self.players):
            player.prepare()
        rules = messages.compact(game.source)
        starts = [messages.write_start(match.id, role, rules, *match.clocks) for role in match.roles]
        answers = self._ask_all(starts, match.clocks.start)
        match.errors.append([_start_error(answer) for answer in answers])
        for answer in answers:
            if isinstance(answer, wire.UnreachableError):  # a match without one of its players is none
                raise LudusError(f"{answer}; start the player first, or name another")
        while not self.stop.is_set() and not game.terminal(state):
            self.hear(match)
            if match.steps == self.max_steps:
                raise LudusError(f"the match did not end within {self.max_steps:,} steps")
            legal = game.legal(state)
            for role, known in zip(match.roles, legal, strict=True):
                if not known:
                    raise LudusError(f"the rules give role '{role}' no legal move in step {match.steps + 1}")
            # Drawn for all roles, needed or not, so that one player's failures do not change another's random numbers.
            spare = [self._rng.choice(known) for known in legal]
            answers = self._ask_all(self._told("PLAY"), match.clocks.play + GRACE)
            if self.stop.is_set():
                break
            made = [_accept(*each) for each in zip(answers, legal, spare, strict=True)]
            moves = [move for move, _ in made]
            self._percepts = game.percepts(state, moves) if hides(game) else []
            state = game.advance(state, moves)
            match.moves.append(moves)
            match.errors.append([error for _, error in made])
            self._note(state)
        if self.stop.is_set():
            match.aborted = True
            return
        match.goals = [int(goal) for goal in game.goals(state)]
        match.completed = True

    def _told(self, kind: str) -> list[str]:
        """PLAY or STOP for each role: the last moves of all, or where information is hidden its own and what it saw."""
        match = self.match
        last = match.moves[-1] if match.moves else None
        if not hides(self.game):
            return [messages.write_moves(kind, match.id, last)] * len(self.players)
        if last is None:
            return [messages.write_percepts(kind, match.id, 0, None, ())] * len(self.players)
        told = zip(last, self._percepts, strict=True)
        return [messages.write_percepts(kind, match.id, match.steps, move, seen) for move, seen in told]

    def _note(self, state: Any) -> None:
        self.match.states.append(f"( {' '.join(sorted(self.game.fluents(state)))} )")
        self.match.state_times.append(now())

    def _ask_all(self, texts: Sequence[str], seconds: float) -> list[str | wire.TroubleError | None]:
        """Ask all players at once; None for the role that the manager plays itself, and for all if the match is stopped."""
        answers: list[str | wire.TroubleError | None] = [None] * len(texts)
        threads = []

        def ask(role: int, player: Contestant) -> None:
            try:
                answers[role] = player.send(texts[role], seconds)
            except wire.TroubleError as problem:
                answers[role] = problem
            except Exception as problem:
                answers[role] = wire.TroubleError("CE", f"{type(problem).__name__}: {problem}")

        for role, player in enumerate(self.players):
            if player is not None:
                threads.append(threading.Thread(target=ask, args=(role, player), daemon=True))
                threads[-1].start()
        for thread in threads:
            while thread.is_alive() and not (self.stop.is_set() and not self.match.completed):
                thread.join(0.1)
        return list(answers)

    def _send_abort(self) -> None:
        """Tell the players, without waiting long for those who do not listen."""
        threads = []
        for player in filter(None, self.players):
            threads.append(
                threading.Thread(target=_quietly, args=(player, messages.write_abort(self.match.id)), daemon=True)
            )
            threads[-1].start()
        until = time.monotonic() + 1.0
        for thread in threads:
            thread.join(max(until - time.monotonic(), 0.0))


def _quietly(player: Contestant, message: str) -> None:
    try:
        player.send(message, 1.0)
    except Exception:  # a player that is not there need not be told
        return


def _start_error(answer: str | wire.TroubleError | None) -> str:
    if isinstance(answer, wire.TroubleError):
        return answer.code
    if answer is None or answer.strip().lower() == "ready":
        return ""
    return messages.quotable(messages.shorten(answer, 100)) or "no answer"


def _accept(answer: str | wire.TroubleError | None, legal: Sequence[str], spare: str) -> tuple[str, str]:
    """The move that is made for an answer, and the error to record, if any."""
    if answer is None:
        return spare, ""
    if isinstance(answer, wire.TroubleError):
        return spare, answer.code
    try:
        move = messages.term(answer)
    except LudusError:
        return spare, f"IL {messages.quotable(messages.shorten(answer))}".rstrip()
    for known in legal:
        if messages.term(known) == move:
            return known, ""
    return spare, f"IL {messages.quotable(messages.shorten(move))}"


def play_match(
    game: Any,
    game_name: str,
    names: Sequence[str],
    clocks: Clocks = CLOCKS,
    seed: int = 1,
    hear: Hear = lambda match: None,
) -> Match:
    """Play a match of a GDL game: players are addresses (host:port) or built-in players, in the order of the roles."""
    players = contestants(names, game, seed)
    return Course(Match(game, game_name, names, clocks, seed), game, players, hear).run()
