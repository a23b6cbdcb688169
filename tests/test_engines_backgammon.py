"""Backgammon engines beside us: GNU Backgammon's socket, by the program itself where it is installed, and wildbg's HTTP interface."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

import ludus
import scripted_engines
from ludus.contract.position import Position
from ludus.errors import LudusError, NotInstalledError
from ludus.games.backgammon.rules import BAR, DIE1, DIE2, SIDE, TURN
from ludus.matches import arena
from ludus.players import player
from ludus.players.engines import backgammon, process
from ludus.players.engines.backgammon import fibs_board, points
from ludus.players.peers import board_of

BACKGAMMON = ludus.game("backgammon")
OPENING = BACKGAMMON.start().play("31")


def played(name: str, position: Position = OPENING) -> str:
    """What a player moves."""
    return BACKGAMMON.move_text(position.state, player(name, BACKGAMMON).choose(position))


# --- GNU Backgammon --------------------------------------------------------------------------------------------------


@pytest.fixture(name="program")
def _program() -> None:
    """The tests of the program itself."""
    try:
        process.installed("gnubg", "gnubg-program", "")
    except NotInstalledError:
        pytest.skip("GNU Backgammon, the program, is not installed here")


def pretend(reply: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program before the real one that always replies the same."""
    script = folder / "gnubg"
    script.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{scripted_engines.__file__}' gnubg '{reply}'\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_places_are_the_movers(tmp_path: Path) -> None:
    position = BACKGAMMON.position("XGID=-b---BD-B---eE---c-e----B-:0:0:-1:64:0:0:0:0:10")
    for seat in (0, 1):
        board = board_of(position.state, seat)
        assert sum(n for n in points(board) if n > 0) == 15 - int(position.state[SIDE * seat])
        assert points(board) == [-n for n in reversed(points(board_of(position.state, 1 - seat)))]
    assert fibs_board(board_of(position.state, 1), 6, 4).split(":")[33:37] == ["6", "4", "0", "0"]


def test_a_move_at_the_socket_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend("8/5 6/5 ", tmp_path, monkeypatch)
    assert played("gnubg-program") == "8/5 6/5"


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ("Error: badly formed board", "the engine answered 'Error: badly formed board', which is no move"),
        ("24/1 24/1", r"made a move \[24, 1, 24, 1\] that is not legal in XGID"),
        ("close", r"gnubg-program\(plies=0\)': the engine is gone: it closed the connection"),
    ],
)
def test_what_the_program_does_wrong_is_said(
    reply: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(reply, tmp_path, monkeypatch)
    with pytest.raises(LudusError, match=complaint) as error:
        played("gnubg-program")
    assert len(str(error.value).splitlines()) == 1


def test_without_the_program_one_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(
        NotInstalledError, match="player 'gnubg-program' needs the program gnubg: apt-get install gnubg"
    ):
        player("gnubg-program", BACKGAMMON)


@pytest.mark.usefixtures("program")
def test_a_port_that_somebody_has_taken_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    free = backgammon._free_port
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1], free()])
        monkeypatch.setattr(backgammon, "_free_port", lambda: next(ports))
        assert played("gnubg-program") == "8/5 6/5"


@pytest.mark.usefixtures("program")
def test_the_program_opens_as_books_do() -> None:
    # The standard openings, on which all agree: 3-1, 4-2 and 6-1 make points.
    for plies in (0, 2):
        for dice, best in (("31", "8/5 6/5"), ("42", "8/4 6/4"), ("61", "13/7 8/7")):
            assert played(f"gnubg-program(plies={plies})", BACKGAMMON.start().play(dice)) == best


@pytest.mark.usefixtures("program")
def test_the_program_enters_hits_and_bears_off() -> None:
    entering = BACKGAMMON.position("XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10")
    assert played("gnubg-program", entering).startswith("bar/")
    bearing = BACKGAMMON.position("XGID=-BB-------------------b---:0:0:1:21:0:0:0:0:10")
    assert played("gnubg-program", bearing) == "2/off 1/off"


@pytest.mark.usefixtures("program")
def test_the_program_plays_whole_games_on_two_cores() -> None:
    rows = arena("backgammon", ["gnubg-program", "random"], games=4, seed=1, jobs=1).rows
    assert rows[0].wins == 4
    assert arena("backgammon", ["gnubg-program", "random"], games=4, seed=1, jobs=2).rows == rows


# --- wildbg ----------------------------------------------------------------------------------------------------------


class Wildbg(BaseHTTPRequestHandler):
    """A server of wildbg's documented interface, `GET /move`, that judges by nothing: its first move is our first legal one."""

    reply: ClassVar[tuple[int, bytes] | None] = None  # to every query, instead
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        code, said = self.reply or (200, json.dumps({"moves": self.moves()}).encode())
        self.send_response(code)
        self.end_headers()
        self.wfile.write(said)

    def moves(self) -> list[dict[str, Any]]:
        """All legal moves, as wildbg lists them, without the probabilities' values."""
        url = urlsplit(self.path)
        given = {key: int(value) for key, value in parse_qsl(url.query)}
        assert url.path == "/move"
        state = np.zeros(BACKGAMMON.facts.state_size, np.int64)
        for i in range(26):
            count = given.get(f"p{i}", 0)
            state[i if count > 0 else SIDE + BAR - i] += abs(count)
        state[0], state[SIDE] = 15 - state[1:SIDE].sum(), 15 - state[SIDE + 1 : 2 * SIDE].sum()
        state[TURN], state[DIE1], state[DIE2] = 0, max(given["die1"], given["die2"]), min(given["die1"], given["die2"])
        texts = [str(move) for move in Position(BACKGAMMON, state).moves()]
        return [{"play": steps(text), "probabilities": {"win": 0.5}} for text in texts]

    def log_message(self, *_: object) -> None:
        """Nothing."""


def steps(text: str) -> list[dict[str, int]]:
    """The single steps of a move in our notation.

    >>> steps("bar/22* 6/5(2)")
    [{'from': 25, 'to': 22}, {'from': 6, 'to': 5}, {'from': 6, 'to': 5}]
    """
    found = []
    for word in text.replace("*", "").replace("bar", "25").replace("off", "0").split():
        places, times = re.fullmatch(r"([0-9/]+)(?:\((\d)\))?", word).groups()  # type: ignore[union-attr]
        way = [int(place) for place in places.split("/")]
        found += [{"from": a, "to": b} for a, b in pairwise(way)] * int(times or 1)
    return found


@pytest.fixture(name="url")
def _url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(Wildbg, "asked", [])
    with ThreadingHTTPServer(("127.0.0.1", 0), Wildbg) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_wildbg_server_is_asked_as_its_interface_says(url: str) -> None:
    assert played(f"wildbg(url={url}/)") == str(OPENING.moves()[0])
    assert Wildbg.asked == [
        "/move?die1=3&die2=1&p1=-2&p6=5&p8=3&p12=-5&p13=5&p17=-3&p19=-5&p24=2"  # the example of wildbg's own README
    ]
    one_point = ludus.game("backgammon(scoring=1)")
    player(f"wildbg(url={url})", one_point).choose(one_point.start().play("31"))
    assert Wildbg.asked[1].endswith("&x_away=1&o_away=1")


def test_a_wildbg_server_plays_whole_games(url: str) -> None:
    result = arena("backgammon", [f"wildbg(url={url})", "random"], games=2, seed=1, jobs=1)
    assert result.rows[0].games == 2


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        ((400, b'{"message": "Player x has more than 15 checkers."}'), "refused with 400: Player x has more than 15 checkers."),
        ((500, b"oh\nno"), "refused with 500: oh no"),
        ((200, b"<html>"), "the server said what is no list of moves: <html>"),
        ((200, b'{"moves": []}'), "the server said what is no list of moves"),
        ((200, b'{"moves": [{"play": [{"from": 99, "to": 1}]}]}'), "the server said what is no list of moves"),
        ((200, b'{"moves": [{"play": [{"from": 24, "to": 1}]}]}'), r"made a move \[24, 1\] that is not legal in XGID"),
    ],
)  # fmt: skip
def test_what_a_server_does_wrong_is_said(
    reply: tuple[int, bytes], complaint: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Wildbg, "reply", reply)
    with pytest.raises(LudusError, match=complaint) as error:
        played(f"wildbg(url={url})")
    assert "player 'wildbg(url=http://127.0.0.1:" in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_where_no_server_is() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Wildbg) as server:
        port = server.server_port
    with pytest.raises(
        LudusError, match=f"player 'wildbg.url=http://127.0.0.1:{port}.': no wildbg server answers there"
    ):
        played(f"wildbg(url=http://127.0.0.1:{port})")


@pytest.mark.parametrize(
    "url", ["8080", "file:///etc/passwd", "http://", "http://127.0.0.1:port", "http://[", "ftp://x", "http://a b"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(LudusError, match=r"wildbg\(url="):
        player(f"wildbg(url={url})", BACKGAMMON)
