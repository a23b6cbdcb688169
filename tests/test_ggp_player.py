"""The GGP player behind a real socket: what it answers to managers, to slow, broken and hostile ones too, and always in time."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ggp_peers import GUESS, PENNIES, TAKE, Deaf, Stubborn, Timely, load, raw, tell
from ludus import players
from ludus.errors import LudusError
from ludus.ggp import messages
from ludus.ggp.loading import Loader
from ludus.ggp.player import Limits, Player, serve, warm_up
from ludus.ggp.session import Threads
from ludus.ggp.wire import MAX_BODY, Server, ask

AVAILABLE = "((name ludus) (status available))"
BUSY = "((name ludus) (status busy))"
START = f"(START m1 left ({TAKE}) 600 600)"  # nobody takes so long: these clocks are no matter
TAKES = ("( take 1 )", "( take 2 )")


@pytest.fixture(autouse=True)
def odd_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players with bad habits, by name."""
    for name in ("stubborn", "deaf", "broken", "timely"):
        monkeypatch.setitem(players.REGISTRY, name, players.Entry("", "ggp_peers", f"make_{name}", {}))
    Stubborn.thinking.clear()
    Deaf.release.clear()
    Timely.given.clear()


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Clocks in these tests are short: compiling must not fall on them."""
    warm_up("random")


@pytest.fixture(scope="module")
def port(compiled: None) -> Iterator[int]:
    """A player that several tests use, one after the other."""
    with serve(Player("random"), port=0) as server:
        yield server.port


def finish(port: int) -> None:
    tell(port, "(ABORT m1)")
    assert tell(port, "(INFO)") == AVAILABLE


# --- a match ---------------------------------------------------------------------------------------------------------


def test_a_match_from_start_to_stop(port: int) -> None:
    assert tell(port, "(INFO)") == AVAILABLE
    assert tell(port, "(PING)") == "ready"
    assert tell(port, START) == "ready"
    assert tell(port, "(INFO)") == BUSY
    assert tell(port, "(PING)") == "busy"
    assert tell(port, "(PLAY m1 NIL)") in TAKES
    assert tell(port, "(PLAY m1 ((take 2) noop))") == "noop"
    assert tell(port, "(PLAY m1 (noop (take 1)))") == "( take 1 )"  # one is left
    assert tell(port, "(STOP m1 ((take 1) noop))") == "done"
    assert tell(port, "(INFO)") == AVAILABLE


def test_a_preview_is_followed_by_a_match(port: int) -> None:
    assert tell(port, f"(PREVIEW ({TAKE}) 20)") == "ready"
    assert tell(port, "(INFO)") == AVAILABLE
    assert tell(port, START) == "ready"
    assert tell(port, f"(PREVIEW ({TAKE}) 20)") == "busy"
    finish(port)


def test_an_upper_casing_controller_is_answered_in_upper_case(port: int) -> None:
    assert tell(port, START.upper().replace(START.split(";")[1].split("\n")[0].upper(), "")) == "ready"
    assert tell(port, "(PLAY M1 NIL)") in [move.upper() for move in TAKES]
    assert tell(port, "(PLAY M1 ((TAKE 1) NOOP))") == "NOOP"
    assert tell(port, "(STOP M1 (NOOP (TAKE 2)))") == "done"


def test_the_functional_spelling_is_answered_likewise(port: int) -> None:
    rules = "role(left), legal(left,go(up)), legal(left,go(down)), next(far) :- does(left,go(X)), terminal :- true(far), goal(left,100)"
    assert tell(port, "info()") == "[[name,ludus],[status,available]]"
    assert tell(port, f"start(m1,left,[{rules}],600,600)") == "ready"
    assert tell(port, "play(m1,nil)") in ("go(up)", "go(down)")
    assert tell(port, "stop(m1,[go(up)])") == "done"


def test_seats_do_not_count_the_role_of_chance(port: int) -> None:
    assert tell(port, f"(START m1 guesser ({GUESS}) 600 600)") == "ready"
    assert tell(port, "(PLAY m1 NIL)") in [f"( name {n} )" for n in (1, 2, 3)]
    assert tell(port, "(STOP m1 ((name 1) (name 2)))") == "done"


def test_all_may_move_at_once(port: int) -> None:
    assert tell(port, f"(START m1 two ({PENNIES}) 600 600)") == "ready"
    assert tell(port, "(PLAY m1 ())") in ("( show heads )", "( show tails )")
    finish(port)


# --- one match at a time ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message", ["(PLAY other NIL)", "(STOP other NIL)", "(ABORT other)", START, START.replace("m1", "m2")]
)
def test_busy_for_everything_that_is_not_its_match(message: str, port: int) -> None:
    assert tell(port, START) == "ready"
    assert tell(port, message) == "busy"
    assert tell(port, "(PLAY m1 NIL)") in TAKES  # and its own goes on
    finish(port)


def test_without_a_match_everything_is_foreign(port: int) -> None:
    assert [tell(port, f"({kind} m1 NIL)") for kind in ("PLAY", "STOP")] == ["busy", "busy"]
    assert tell(port, "(ABORT m1)") == "busy"


def test_a_match_whose_manager_is_gone_is_given_up() -> None:
    player, now = Player("random", limits=Limits(patience=0.2)), time.monotonic()
    assert player.answer(START, now).body == "ready"
    last = now + 600 + 0.2 * 600  # a start clock, and a share of a play clock
    assert player.answer("(INFO)", last - 1).body == BUSY
    assert player.answer("(INFO)", last).body == AVAILABLE
    assert player.answer("(PLAY m1 NIL)", last).body == "busy"
    assert player.answer(START, last).body == "ready"
    player.close()


# --- in time ---------------------------------------------------------------------------------------------------------


def test_abort_is_answered_while_it_thinks() -> None:
    with serve(Player("stubborn"), port=0) as server:
        assert tell(server.port, f"(START m1 left ({TAKE}) 1 60)") == "ready"
        Stubborn.thinking.clear()
        answers: list[str] = []
        asking = threading.Thread(target=lambda: answers.append(tell(server.port, "(PLAY m1 NIL)", 90)))
        asking.start()
        assert Stubborn.thinking.wait(30)
        assert tell(server.port, "(INFO)") == BUSY  # the server goes on answering
        assert tell(server.port, "(ABORT m1)") == "aborted"
        asking.join(30)  # it would have thought for 60 s
        assert answers == ["aborted"]
        assert tell(server.port, "(INFO)") == AVAILABLE


@pytest.mark.parametrize("spec", ["deaf", "stubborn", "broken"])
def test_a_legal_move_before_the_clock_runs_out_whatever_the_player_does(spec: str) -> None:
    with serve(Player(spec), port=0) as server:
        # The player would take a minute for each, and these wait for half of one.
        assert tell(server.port, f"(START m1 left ({TAKE}) 2 4)") == "ready"
        assert tell(server.port, "(PLAY m1 NIL)") in TAKES
        assert tell(server.port, "(PLAY m1 ((take 1) noop))") == "noop"
        assert tell(server.port, "(PLAY m1 (noop (take 1)))") in TAKES
        Deaf.release.set()


def test_a_player_is_told_how_long_it_may_think() -> None:
    with serve(Player("timely", limits=Limits(margin=0.5)), port=0) as server:
        assert tell(server.port, f"(START m1 left ({TAKE}) 20 5)") == "ready"
        asked = time.monotonic()
        assert tell(server.port, "(PLAY m1 NIL)") == "( take 1 )"
        given, begun = Timely.given[-1]
        assert 4.3 - (begun - asked) <= given < 4.5  # thinking ends a little before the answer is due


def test_legal_moves_while_the_game_is_still_being_made() -> None:
    slow = threading.Event()

    def load_slowly(rules: str, seconds: float, memory: int) -> Any:
        slow.wait(60)
        return load(rules)

    with serve(Player("random", sessions=Threads(Loader(load_slowly))), port=0) as server:
        assert tell(server.port, f"(START m1 left ({TAKE}) 1 2)") == "ready"
        assert tell(server.port, "(PLAY m1 NIL)") in TAKES
        assert tell(server.port, "(PLAY m1 ((take 2) noop))") == "noop"
        assert tell(server.port, "(PLAY m1 (noop (take 1)))") == "( take 1 )"  # one is left
        slow.set()


def test_noop_where_nothing_is_known() -> None:
    slow = threading.Event()
    with serve(Player("random", sessions=Threads(Loader(lambda *_: slow.wait(60)))), port=0) as server:
        assert tell(server.port, "(START m1 left (nonsense) 1 1)") == "ready"  # nobody has looked at it yet
        assert tell(server.port, "(PLAY m1 NIL)") == "noop"
        slow.set()


def test_rules_that_load_later_are_caught_up_with() -> None:
    slow = threading.Event()

    def load_slowly(rules: str, seconds: float, memory: int) -> Any:
        slow.wait(60)
        return load(rules)

    player = Player("random", sessions=Threads(Loader(load_slowly)))
    assert player.answer(f"(START m1 left ({TAKE}) 1 30)").body == "ready"
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(player.answer("(PLAY m1 ((take 2) noop))").body))
    asking.start()
    slow.set()
    asking.join(60)
    assert answers == ["noop"]  # right is to move: that much it knows by now
    assert player.answer("(PLAY m1 (noop (take 1)))").body == "( take 1 )"


def test_moves_that_there_are_not_do_not_stop_it(port: int) -> None:
    assert tell(port, START) == "ready"
    assert tell(port, "(PLAY m1 ((take 7) noop))") in TAKES
    assert tell(port, "(PLAY m1 (noop))") in TAKES
    finish(port)


# --- bad rules -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "rules"),
    [
        ("left", ""),
        ("left", "nonsense"),
        ("middle", TAKE),
        ("left", "(legal left go) (goal left 100) terminal"),
        ("left", TAKE + "(<= (next (pile ?x)) (not (true (pile ?x))))"),
        ("left", TAKE + "(<= p (not q)) (<= q (not p)) (<= (next r) p)"),
        ("left", "(role left) (init (n zero)) (<= (legal left (s ?x)) (legal left ?x)) (legal left a) (goal left 0)"),
    ],
    ids=["empty", "words", "role", "no role", "unsafe", "unstratified", "endless"],
)
def test_a_bad_sheet_is_refused_with_a_reason_and_the_player_is_free_again(role: str, rules: str, port: int) -> None:
    answer = tell(port, f"(START m1 {role} ({rules}) 600 600)")
    assert answer.startswith('(error "')
    assert tell(port, "(INFO)") == AVAILABLE
    assert tell(port, START) == "ready"
    finish(port)


def test_a_loader_that_fails_is_a_refusal() -> None:
    def fail(rules: str, seconds: float, memory: int) -> Any:
        raise RecursionError("too deep")

    assert "RecursionError: too deep" in Player("random", sessions=Threads(Loader(fail))).answer(START).body


def test_sheets_that_never_finish_do_not_pile_up() -> None:
    for_ever = threading.Event()
    player = Player("random", sessions=Threads(Loader(lambda *_: for_ever.wait(60))))
    answers, states = [], []
    for i in range(5):
        answers.append(player.answer(f"(START m{i} left ((role left{i})) 0.1 1)").body)
        player.answer(f"(ABORT m{i})")
        states.append(player.answer("(INFO)").body)
    for_ever.set()
    assert answers == ["ready", "ready", "ready", "busy", "busy"]
    assert states == [AVAILABLE, AVAILABLE, BUSY, BUSY, BUSY]  # and INFO says so


# --- HTTP ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/1.1"])
def test_post(version: str, port: int) -> None:
    answer = raw(port, f"POST / {version}\r\nContent-Type: text/acl\r\nContent-Length: 6\r\n\r\n(INFO)".encode(), False)
    head, _, body = answer.decode().partition("\r\n\r\n")
    assert head.startswith(f"{version} 200 OK\r\n")
    fields = dict(line.split(": ") for line in head.split("\r\n")[1:])
    assert fields["Content-Type"] == "text/acl"
    assert fields["Content-Length"] == str(len(body))
    assert fields["Access-Control-Allow-Origin"] == "*"
    assert body == AVAILABLE


def test_python_s_own_client(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/", iter([b"(IN", b"FO)"]), {"Content-Type": "text/acl"}, encode_chunked=True)
    assert connection.getresponse().read().decode() == AVAILABLE


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST / HTTP/1.0\r\n\r\n(INFO)",  # no length: it ends with its last parenthesis
        b"POST / HTTP/1.0\n\n(INFO)",
        b"post /any/where HTTP/1.0\r\ncontent-length:6\r\n\r\n(info)",
        b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n(INFO)",
        b"GET /%28INFO%29 HTTP/1.0\r\n\r\n\r\n",
        b"GET /(INFO) HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /%28+INFO+%29 HTTP/1.0\r\nAccept: text/delim\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
    ],
)
def test_what_else_clients_send(request_bytes: bytes, port: int) -> None:
    assert raw(port, request_bytes, half_close=False).decode().endswith(AVAILABLE)


def test_a_whole_match_by_url_encoded_get(port: int) -> None:
    def get(message: str) -> str:
        return ask("127.0.0.1", port, message, 30.0, method="GET")

    assert get(START) == "ready"
    assert get("(PLAY m1 NIL)") in TAKES
    assert get("(PLAY m1 ((take 1) noop))") == "noop"
    assert get("(STOP m1 (noop (take 2)))") == "done"


def test_a_browser_may_ask_first(port: int) -> None:
    answer = raw(
        port, b"OPTIONS / HTTP/1.1\r\nOrigin: http://somewhere\r\nAccess-Control-Request-Method: POST\r\n\r\n"
    ).decode()
    assert answer.startswith("HTTP/1.1 204")
    assert "Access-Control-Allow-Methods: POST, GET, OPTIONS" in answer
    assert "Access-Control-Allow-Headers: Content-Type" in answer


# --- hostile peers ---------------------------------------------------------------------------------------------------


def post(body: bytes) -> bytes:
    return b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    "body", [b"(" * 10_000_000, b"()" * 5_000_000, b")" * 10_000_000], ids=["open", "pairs", "close"]
)
@pytest.mark.parametrize("with_length", [True, False])
def test_ten_megabytes_of_parentheses(body: bytes, with_length: bool, port: int) -> None:
    answer = raw(port, post(body) if with_length else b"POST / HTTP/1.0\r\n\r\n" + body)
    assert answer.startswith(b"HTTP/1.0 4")
    assert b'(error "' in answer
    assert tell(port, "(INFO)") == AVAILABLE


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (post(b"(((((((("), 400),
        (post(b"(" * (MAX_BODY - 1)), 400),
        (post(b"()" * (MAX_BODY // 2)), 400),
        (post(b"\x00\xff\xfe(\x80)"), 400),
        (post(b""), 400),
        (post(b"(START m1 left ((role left) 10 5)"), 400),
        (post(b"(MAKE tea)"), 400),
        (b"GET /%28%28%28 HTTP/1.0\r\n\r\n", 400),
        (b"GET /%E2%28 HTTP/1.0\r\n\r\n", 400),
        (b"hello\r\n\r\n", 400),
        (b"hello", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400),  # somebody tries TLS
        (b"BREW /pot HTTP/1.0\r\n\r\n", 405),
        (b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\n(INFO)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: -5\r\n\r\n(INFO)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n(INFO)", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n", 413),
        (b"POST / HTTP/1.0\r\n" + b"A: b\r\n" * 100_000, 431),
        (b"POST / HTTP/1.0\r\nA: " + b"b" * 1_000_000, 431),
        (b"POST " + b"/" * 3_000_000, 431),
    ],
)  # fmt: skip
def test_garbage_gets_an_error_answer(data: bytes, status: int, port: int) -> None:
    answer = raw(port, data)
    assert answer[:12] in (f"HTTP/1.0 {status}".encode(), f"HTTP/1.1 {status}".encode())
    assert b'(error "' in answer
    assert tell(port, "(INFO)") == AVAILABLE


@pytest.fixture
def impatient() -> Iterator[Server]:
    with serve(Player("random"), port=0, read_seconds=0.5) as server:
        yield server


def test_those_who_never_finish_are_left(impatient: Server) -> None:
    assert b" 408 " in raw(impatient.port, b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(INFO", half_close=False)
    assert b" 408 " in raw(impatient.port, b"POST / HT", half_close=False)
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=30) as connection:
        sent = 0
        try:
            while sent < 600:  # a byte now and then, for up to a minute
                connection.sendall(b"X-A: b\r\n" if sent else b"POST / HTTP/1.0\r\n")
                sent += 1
                time.sleep(0.1)
        except OSError:
            pass
    assert sent < 600
    assert tell(impatient.port, "(INFO)") == AVAILABLE


def test_those_who_die_or_say_nothing_do_not_keep_others_out(impatient: Server) -> None:
    quiet = [socket.create_connection(("127.0.0.1", impatient.port)) for _ in range(50)]
    for connection in quiet[:25]:
        connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n(((")
        connection.close()
    assert tell(impatient.port, "(INFO)") == AVAILABLE
    for connection in quiet[25:]:
        connection.close()


def test_a_port_that_is_taken_is_named(port: int) -> None:
    with pytest.raises(LudusError, match=f"can't listen on 127.0.0.1:{port}: .*--port"):
        serve(Player("random"), port=port)


def test_a_name_must_be_one_word() -> None:
    with pytest.raises(LudusError, match="must be one word"):
        Player("random", "lu dus)")
    assert Player("random", "egghead").answer("info").body == "((name egghead) (status available))"


def test_errors_can_be_read_by_programs(port: int) -> None:
    (error,) = messages.items(tell(port, "(PLAY"))
    word, text = messages.items(error[1:-1])
    assert word == "error"
    assert json.loads(text) == "1 '(' is never closed"
