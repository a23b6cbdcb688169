"""Where a game manager meets trouble: damaged databases, tournaments without end, players that are not there, other sites, full houses."""

from __future__ import annotations

import json
import math
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggp_peers import TAKE, Peer, load, raw, saying, tell
from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.ggp import wire
from ludus.ggp.manager import Manager
from ludus.ggp.manager import serve as serve_manager
from ludus.ggp.match import play_match
from ludus.ggp.player import Player, serve, warm_up
from ludus.ggp.record import Clocks
from ludus.ggp.store import Store
from ludus.ggp.tournament import Plan, play_tournament, standings

AMPLE = Clocks(600, 600)  # nobody here is slow


@pytest.fixture(scope="module")
def take() -> Any:
    warm_up("random")
    return load(TAKE)


def command(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["ggp", *map(str, arguments)])
    return ended.value.code  # type: ignore[return-value]


# --- tournaments -----------------------------------------------------------------------------------------------------


def test_a_tournament_without_end_is_refused_before_it_is_written_down(take: Any) -> None:
    plan = Plan("cup", [("take", take)], ["random", "random"], rounds=10**12)
    with pytest.raises(LudusError, match="that makes 2,000,000,000,000 matches; at most 1,000,000"):
        play_tournament(plan)
    manager = Manager(Store(":memory:"))
    with pytest.raises(LudusError, match="that makes 2,000,000,000,000 matches"):
        manager.start_tournament({"sheets": {"take": TAKE}, "players": ["random", "random"], "rounds": 10**12})


def test_the_command_refuses_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "take.kif").write_text(TAKE)
    database = tmp_path / "d.sqlite"
    options = ["--players", "random,random", "--rounds", 10**12, "--database", database]
    assert command("tournament", tmp_path / "take.kif", *options) == 2
    assert "--rounds 1000000000000: a number of rounds is" in capsys.readouterr().err
    assert not database.exists()


@pytest.mark.parametrize(("players", "rounds"), [(["a", "b", "c"], 3), (["a"], 2), (["a", "b"], 1)])
def test_as_many_matches_as_were_counted(players: list[str], rounds: int, take: Any) -> None:
    plan = Plan("cup", [("take", take), ("again", take)], players, rounds)
    assert plan.size() == len(list(plan.fixtures()))


def test_who_won_all_matches_is_not_sure_to_win_all() -> None:
    result = {
        "status": "completed",
        "roles": ["left", "right"],
        "players": ["a", "b"],
        "goalValues": [100, 0],
        "errors": [0, 0],
    }
    first, last = standings([result] * 4)
    assert (first.mean, first.high, last.mean, last.low) == (100, 100, 0, 0)
    assert 40 < first.low < 60
    assert math.isclose(last.high, 100 - first.low)
    single = standings([result])[0]
    assert 0 < single.low < 50
    assert json.dumps(single.to_json())


# --- damaged databases -----------------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path, take: Any) -> tuple[Path, str]:
    """A database with a match, and the name of the match."""
    path = tmp_path / "ggp.sqlite"
    store = Store(path)
    match = play_match(take, "take", ["random", "random"], AMPLE, hear=store.save)
    store.close()
    return path, match.id


DAMAGE = [
    "update ggp_matches set head = 'no json'",
    "update ggp_matches set head = '[]'",
    "update ggp_matches set head = '{}'",
    "update ggp_matches set head = json_set(head, '$.gameRoleNames', json('[\"left\"]'))",
    "update ggp_matches set head = json_set(head, '$.startTime', 'noon')",
    "update ggp_matches set head = json_set(head, '$.startTime', 9e300)",
    "update ggp_matches set head = json_set(head, '$.playClock', 'soon')",
    "update ggp_matches set head = json_set(head, '$.goalValues', json('[1]'))",
    "update ggp_steps set moves = '['",
    "update ggp_steps set moves = '[1, 2]'",
    "update ggp_steps set errors = '[]'",
    "update ggp_steps set errors = '{'",
    "update ggp_steps set time = 'late'",
    "update ggp_steps set state = x'07'",
    "delete from ggp_seats",
    "update ggp_seats set goal = 'many'",
    "update ggp_matches set started = 'noon'",
    "update ggp_matches set game = x'00ff'",
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_database_is_one_line(
    damage: str, database: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path, name = database
    with sqlite3.connect(path) as connection:
        connection.execute("pragma ignore_check_constraints = on")
        connection.execute(damage)
    connection.close()
    codes = []
    for arguments in ([], ["--json"], [name]):
        codes.append(command("results", *arguments, "--database", path))
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == (codes[-1] != 0)
        assert all("database" in line for line in lines)
    assert set(codes) <= {0, 2}
    assert 2 in codes
    store = Store(path)
    try:
        store.results()
        store.match(name)
    except LudusError:
        return
    raise AssertionError("nothing was noticed")


def test_bytes_that_are_lost(database: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = database
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    assert command("results", "--database", path) == 2
    assert "ludus: can't use the database" in capsys.readouterr().err


# --- players ---------------------------------------------------------------------------------------------------------


def test_a_match_without_one_of_its_players_is_not_completed(take: Any) -> None:
    match = play_match(take, "take", ["127.0.0.1:1", "random"], AMPLE)
    assert (match.status, match.errors, match.moves) == ("aborted", [["CE", ""]], [])
    assert "can't connect to 127.0.0.1:1" in match.failure
    results = play_tournament(Plan("cup", [("take", take)], ["127.0.0.1:1", "random"], 1, AMPLE))
    assert [result["status"] for result in results] == ["aborted", "aborted"]
    assert standings(results) == []


@pytest.mark.parametrize("answer", ['say "no"', 'a "b', "c:\\d", "nul\x00", '( take "1" )'])
def test_errors_hold_nothing_that_ends_a_quotation(answer: str, take: Any) -> None:
    with Peer(saying(answer, answer)) as peer:
        match = play_match(take, "take", [peer.name, "random"], AMPLE)
    recorded = match.errors[0][0] + match.errors[1][0]
    assert recorded
    assert not set(recorded) & set('"\\\x00')


# --- other sites -----------------------------------------------------------------------------------------------------


@pytest.fixture
def port() -> Iterator[int]:
    manager = Manager(Store(":memory:"), names=["Games.Example"])
    with serve_manager(manager, port=0) as server:
        yield server.port
    manager.close()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("evil.example:{port}", 403),
        ("192.168.1.1:{port}", 403),
        ("localhost.evil.example", 403),
        ("[", 403),
        ("localhost:{port}", 200),
        ("127.0.0.1:{port}", 200),
        ("[::1]:{port}", 200),
        ("games.example:{port}", 200),
    ],
)
def test_only_names_that_it_was_told_are_its_own(host: str, status: int, port: int) -> None:
    host = host.format(port=port)
    answer = raw(port, f"GET /matches HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\r\n".encode())
    assert answer.startswith(f"HTTP/1.1 {status}".encode())
    body = b"{}"
    answer = raw(
        port,
        f"POST /matches HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 2\r\n\r\n".encode() + body,
    )
    assert answer.startswith(b"HTTP/1.1 " + (b"403" if status == 403 else b"400"))  # 400: it says nothing of a game


def test_where_all_addresses_are_listened_to_any_address_is_good_but_no_name() -> None:
    manager = Manager(Store(":memory:"))
    with serve_manager(manager, port=0):
        manager.address = ("0.0.0.0", 1)
        request = wire.Request("GET", "/matches", {"host": "192.168.1.1:1"}, "")
        assert manager.answer(request).status == 200
        assert manager.answer(request._replace(headers={"host": "evil.example"})).status == 403


# --- a full house ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [b"", b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(IN"])
def test_those_who_keep_silent_do_not_lock_a_manager_out(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_CONNECTIONS", 20)
    with serve(Player("random"), port=0, read_seconds=300.0) as server:
        idle = []
        for _ in range(50):
            idle.append(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            idle[-1].sendall(said)
        for _ in range(5):
            assert tell(server.port, "(PING)") == "ready"
        for connection in idle:
            connection.close()
