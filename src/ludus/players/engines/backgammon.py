"""Backgammon engines that run beside us: GNU Backgammon, the program, by its socket, and wildbg by HTTP. Both choose whole moves, cubeless; with the cube see `gnubg.py`."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
from functools import partial
from typing import Any

from ludus.errors import LudusError, brief
from ludus.players.engines.gnubg import INSTALL, PATIENCE, Gnubg, make_with_cube
from ludus.players.engines.process import Engine, installed
from ludus.players.peers import Board, Peer, Steps, need_no_cube

MOST = 1 << 20  # bytes of an answer
LOOPBACK = "127.0.0.1"
TRIALS = 5  # of finding a port
UNLIMITED = 9999  # the length of a match, as FIBS has it, that is none: play for money
_MOVE = re.compile(r"(?:(?:bar|[0-9]{1,2})/(?:off|[0-9]{1,2})\*? *){1,4}")  # 8/5* 6/5


def points(board: Board) -> list[int]:
    """The 26 places as FIBS and wildbg number them, for the mover: 25 is the mover's bar, 0 the opponent's; the opponent's checkers are negative.

    >>> import ludus
    >>> from ludus.players.peers import board_of
    >>> points(board_of(ludus.game("backgammon").start().state, 0))
    [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
    """
    theirs, ours = board
    return [-theirs[24], *(ours[i] - theirs[23 - i] for i in range(24)), ours[24]]


# --- GNU Backgammon --------------------------------------------------------------------------------------------------


def make_gnubg_program(game: Any, path: str | None, plies: int = 0, patience: float = PATIENCE) -> Peer | Gnubg:
    """GNU Backgammon, the program. `plies` is its own count, its move filters are its usual ones; for money, or for the game where a win is one point.
    In games with the cube it is the player `gnubg`.
    """
    if hasattr(game, "match"):
        return make_with_cube(game, "gnubg-program", plies, patience)
    name = f"gnubg-program(plies={plies})"
    program = installed("gnubg", "gnubg-program", INSTALL)
    asked = _Gnubg(
        Engine(name, [program, "-t", "-q", "-r", "-l", "en"], patience), plies, 1 if game.scoring == 1 else UNLIMITED
    )
    return Peer(name, asked.steps)


class _Gnubg:
    """The program, and our end of its socket. It listens on loopback for one caller, and closes its door behind us."""

    def __init__(self, engine: Engine, plies: int, match: int) -> None:
        self.engine, self.plies, self.match = engine, plies, match
        self._socket: socket.socket | None = None

    def steps(self, board: Board, die1: int, die2: int) -> Steps:
        """Its move, as single steps."""
        answer = self._ask(fibs_board(board, die1, die2, self.match))
        if not _MOVE.fullmatch(answer):
            self.engine.blame(f"answered '{brief(answer)}', which is no move")
        return [
            25 if place == "bar" else 0 if place == "off" else int(place) for place in re.findall("[a-z0-9]+", answer)
        ]

    def _ask(self, line: str) -> str:
        if self._socket is None or not self.engine.running:
            self._socket = self._connected()
        try:
            self._socket.settimeout(self.engine.patience)
            self._socket.sendall(f"{line}\n".encode())
            answer = b""
            while not answer.endswith(b"\n") and len(answer) < MOST:
                part = self._socket.recv(4096)
                if not part:
                    raise OSError("it closed the connection")
                answer += part
        except OSError as error:
            reason = (
                f"said nothing within {self.engine.patience:g} seconds"
                if isinstance(error, TimeoutError)
                else f"is gone: {error}"
            )
            self.engine.blame(reason)
        except BaseException:  # Ctrl-C: what it would say later is no answer to the next question
            self.engine.end(mercy=0)
            raise
        return _words(answer)

    def _connected(self) -> socket.socket:
        """Start the program, have it listen, and connect. The port was free a moment ago: should somebody else have it by now, it is told another."""
        self.engine.end(mercy=0)
        for setting in (f"plies {self.plies}", "cubeful off", "noise 0"):
            self.engine.tell(f"set evaluation chequerplay evaluation {setting}")
        for _ in range(TRIALS):
            place = f"{LOOPBACK}:{_free_port()}"
            self.engine.tell(f"external {place}")
            # It does not read on while it listens. So this is answered only if it could not.
            if self.engine.ask("show evaluation", partial(_listens, place)):
                with contextlib.suppress(OSError):
                    return socket.create_connection((LOOPBACK, int(place.partition(":")[2])), self.engine.patience)
        self.engine.blame(f"found no port to listen on in {TRIALS} trials")


def _listens(place: str, line: str) -> bool | None:
    return True if place in line else False if "Move filters" in line else None


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind((LOOPBACK, 0))
        return int(trial.getsockname()[1])


def fibs_board(board: Board, die1: int, die2: int, match: int = UNLIMITED) -> str:
    """A position as FIBS writes it, with the mover as "you", who moves from 24 to 1.

    >>> import ludus
    >>> from ludus.players.peers import board_of
    >>> fibs_board(board_of(ludus.game("backgammon").start().state, 0), 3, 1)
    'board:you:they:9999:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0'
    """
    theirs, ours = board
    off = [15 - sum(ours), 15 - sum(theirs)]
    cube_and_colours = [1, 1, 1, 0, 1, -1, 0, 25]  # cube, who may double, doubled; our colour, our direction, home, bar
    fields = [
        match,
        0,
        0,
        *points(board),
        1,
        die1,
        die2,
        0,
        0,
        *cube_and_colours,
        *off,
        ours[24],
        theirs[24],
        0,
        0,
        0,
        0,
    ]
    return ":".join(["board:you:they", *map(str, fields)])


# --- wildbg ----------------------------------------------------------------------------------------------------------


def make_wildbg(game: Any, path: str | None, url: str = f"http://{LOOPBACK}:8080", patience: float = PATIENCE) -> Peer:
    """The wildbg server at an address."""
    need_no_cube(game, "wildbg")
    name = f"wildbg(url={url})"
    try:
        parts = urllib.parse.urlsplit(url)
        fine = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and parts.port != 0
            and url.isascii()
            and url.isprintable()
            and " " not in url
        )
    except ValueError:
        fine = False
    if not fine:
        raise LudusError(
            f"wildbg(url={brief(url)}): url must be the address of a wildbg server, as http://{LOOPBACK}:8080"
        )
    away = {"x_away": 1, "o_away": 1} if game.scoring == 1 else {}

    def steps(board: Board, die1: int, die2: int) -> Steps:
        places = {f"p{i}": count for i, count in enumerate(points(board)) if count}
        query = urllib.parse.urlencode({"die1": die1, "die2": die2, **places, **away})
        return _wildbg_steps(name, f"{url.rstrip('/')}/move?{query}", patience)

    return Peer(name, steps)


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy has a part in this


def _wildbg_steps(name: str, query: str, patience: float) -> Steps:
    """The best move of the answer to a query: the first in its list."""
    try:
        with _opener.open(query, timeout=patience) as answer:
            said = answer.read(MOST)
    except urllib.error.HTTPError as error:
        with error:
            said = error.read(MOST)
        raise LudusError(f"player '{name}': the server refused with {error.code}: {_message(said)}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise LudusError(f"player '{name}': no wildbg server answers there: {brief(reason)}") from None
    try:
        play = json.loads(said)["moves"][0]["play"]
        steps = [int(step[key]) for step in play for key in ("from", "to")]
        if len(steps) > 8 or any(not 0 <= place <= 25 for place in steps):
            raise ValueError
    except (ValueError, KeyError, IndexError, TypeError):
        raise LudusError(f"player '{name}': the server said what is no list of moves: {_words(said)}") from None
    return steps


def _message(said: bytes) -> str:
    try:
        return _words(str(json.loads(said)["message"]).encode())
    except (ValueError, KeyError, TypeError):
        return _words(said)


def _words(said: bytes) -> str:
    """What was said, on one line."""
    return brief(" ".join(said.decode("utf-8", "replace").split()), 200)
