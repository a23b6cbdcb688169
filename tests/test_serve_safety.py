"""Who may ask `ludus serve` for what: this machine alone unless told otherwise, no page of another site, nobody without the token, nothing too large."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ludus.web.security import MAX_BODY
from serving import WAIT, Serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    running = Serving(tmp_path_factory.mktemp("serve"))
    yield running
    running.stop()


def test_it_listens_on_this_machine_alone(server: Serving) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        assert line.getpeername()[0] == "127.0.0.1"
    found = Path("/proc/net/tcp").read_text().splitlines()
    listening = [line.split()[1] for line in found if line.split()[3] == "0A"]
    assert f"0100007F:{server.port:04X}" in listening
    assert f"00000000:{server.port:04X}" not in listening


def test_every_answer_has_a_strict_policy(server: Serving) -> None:
    for path in ("", "api/ready", "api/nothing", "main.js"):
        headers = httpx.get(server.url + path, timeout=WAIT).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_a_name_that_was_made_to_lead_here_gets_nothing(server: Serving) -> None:
    answer = httpx.get(server.url + "api/ready", headers={"Host": "evil.example"}, timeout=WAIT)
    assert (answer.status_code, answer.json()["error"]) == (
        403,
        "'evil.example' is no name of this server; --allow-host allows one",
    )


def test_a_picture_has_a_policy_of_its_own_and_only_that(server: Serving) -> None:
    table = server.new("tictactoe", "person", "person")
    headers = server.http.get(f"tables/{table.id}/export/svg").headers
    assert headers.get_list("content-security-policy") == ["default-src 'none'; style-src 'unsafe-inline'; sandbox"]


def test_a_page_of_another_site_changes_nothing(server: Serving) -> None:
    wish = {"game": "tictactoe", "seats": [{"kind": "person"}, {"kind": "person"}]}
    for origin in ("http://evil.example", "null", "http://["):
        assert server.http.post("tables", json=wish, headers={"Origin": origin}).status_code == 403
    assert server.http.post("tables", json=wish, headers={"Origin": server.url.rstrip("/")}).status_code == 201


def test_a_socket_of_another_site_is_refused(server: Serving) -> None:
    async def talk(origin: str) -> Any:
        async with server.live(origin=origin) as line:
            return json.loads(await line.recv())

    assert asyncio.run(talk(server.url.rstrip("/")))["type"] == "ready"
    with pytest.raises(InvalidStatus, match="403"):
        asyncio.run(talk("http://evil.example"))


@pytest.mark.parametrize(
    "path",
    ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "....//app.py", "/etc/passwd", "%2fetc%2fpasswd", "page/../../app.py", "..\\app.py", "%00"],
)  # fmt: skip
def test_nothing_but_the_page_is_served(server: Serving, path: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as line:  # clients tidy paths up before they ask
        line.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(65_536), b""))
    assert answer.split()[1] in (b"404", b"400")
    assert b"import" not in answer
    assert b"root:" not in answer


def test_what_is_too_large_is_refused(server: Serving) -> None:
    whole = server.http.post("sheets", content=b"x" * (MAX_BODY + 1))
    assert whole.status_code == 413
    long = server.http.post("sheets", json={"text": "x" * 600_000})
    assert long.status_code == 422
    assert "at most 500000 characters" in long.json()["error"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'{"game": 1}', b'{"game": "backgammon", "seats": []}', b'{"game": "x", "seats": [{"kind": "ghost"}]}', b"\xff"],
)  # fmt: skip
def test_what_is_no_wish_is_explained(server: Serving, body: bytes) -> None:
    answer = server.http.post("tables", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]


@pytest.mark.parametrize("name", ["td:/etc/passwd", "mine.py:Player", "run:runs/a", "os:system"])
def test_no_file_and_no_code_is_loaded_because_a_page_names_it(server: Serving, name: str) -> None:
    wish = {"game": "tictactoe", "seats": [{"kind": "person"}, {"kind": "player", "player": name}]}
    answer = server.http.post("tables", json=wish)
    assert answer.status_code == 400
    assert "names a file" in answer.json()["error"]
    for game in (name, "/tmp/game.kif", "game.kif", "game.py:Mine"):
        answer = server.http.post("tables", json={"game": game, "seats": [{"kind": "person"}]})
        assert answer.status_code == 400
        assert "is not the name of a game" in answer.json()["error"]


def test_no_game_is_solved_because_a_page_asks_for_it(server: Serving) -> None:
    wish = {"game": "tictactoe", "seats": [{"kind": "person"}, {"kind": "player", "player": "perfect"}]}
    answer = server.http.post("tables", json=wish)
    assert answer.status_code == 400
    assert "offer it by 'ludus serve --player perfect'" in answer.json()["error"]


LONG = json.dumps({"watch": "x" * 60_000})


def test_nonsense_on_the_socket_is_answered_and_the_socket_stays(server: Serving) -> None:
    async def talk() -> list[Any]:
        async with server.live() as line:
            heard = [json.loads(await line.recv())]
            for words in (
                "{",
                "[]",
                '{"watch": {}}',
                '{"watch": "nothing"}',
                '{"watch": "a", "seat": "x"}',
                '{"watch": "\\ud800"}',
                LONG,
            ):
                await line.send(words)
                heard.append(json.loads(await line.recv()))
            return heard

    first, *others = asyncio.run(talk())
    assert first["type"] == "ready"
    assert [message["type"] for message in others] == ["error"] * 7
    assert all(len(message["error"]) < 200 for message in others)


def test_a_message_that_is_too_large_ends_its_own_socket_only(server: Serving) -> None:
    async def talk() -> None:
        async with server.live() as line:
            await line.recv()
            await line.send("x" * 1_000_000)
            with pytest.raises(ConnectionClosed):
                await line.recv()

    asyncio.run(talk())
    assert server.get("ready")


def test_other_machines_need_the_token(tmp_path: Path) -> None:
    server = Serving(tmp_path, "--host", "0.0.0.0", "--token", "mirabilis")
    try:
        assert "?token=mirabilis" in server.said
        assert httpx.get(server.url, timeout=WAIT).status_code == 401
        assert server.http.get("ready").status_code == 401
        assert server.http.get("ready", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert server.http.get("ready", headers={"Authorization": "Bearer mirabilis"}).status_code == 200
        browser = httpx.Client(base_url=server.url, timeout=WAIT)
        assert browser.get("", params={"token": "mirabilis"}).status_code == 200
        assert browser.get("api/ready").status_code == 200, "the browser keeps it as a cookie"
        with pytest.raises(InvalidStatus, match="403"):
            asyncio.run(_enter(server))
    finally:
        server.stop()


async def _enter(server: Serving) -> None:
    async with server.live() as line:
        await line.recv()
