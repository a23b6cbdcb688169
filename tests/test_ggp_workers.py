"""The processes in which a GGP player loads sheets and plays: they can be ended, and nothing is left of them."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ggp_peers import TAKE
from ludus.ggp.player import Player
from ludus.ggp.workers import Workers

TAKES = ("( take 1 )", "( take 2 )")
NAMES = [f"?v{i}" for i in range(12)]
# Twelve numbers of which no two are the same, but there are eleven: it takes for ever to find that out.
FOR_EVER = f"""(role a) (init on) (legal a go) (legal a stay) (<= (next off) (does a go)) (<= terminal (true off)) (goal a 100)
{" ".join(f"(n {i})" for i in range(11))} (<= (rel ?x ?y) (n ?x) (n ?y) (distinct ?x ?y))
(<= (next win) {" ".join(f"(rel {x} {y})" for i, x in enumerate(NAMES) for y in NAMES[i + 1 :])} (does a go))"""


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    made = Workers("random")
    yield made
    made.close()


@pytest.fixture
def player(workers: Workers) -> Iterator[Player]:
    assert workers.ready.wait(600)
    player = Player("random", sessions=workers)
    yield player
    player.answer("(ABORT m1)")
    assert player.answer("(PING)").body == "ready"


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def running(number: int) -> bool:
    """Whether a process has neither ended nor is about to be buried."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_matches_one_after_another(player: Player, workers: Workers) -> None:
    lines: list[str] = []
    player.log = lines.append
    for name in ("m1", "m2"):
        assert player.answer(f"(START {name} left ({TAKE}) 600 600)").body == "ready"
        assert player.answer("(INFO)").body == "((name ludus) (status busy))"
        assert player.answer(f"(PLAY {name} NIL)").body in TAKES
        assert player.answer(f"(PLAY {name} ((take 2) noop))").body == "noop"
        assert player.answer(f"(PLAY {name} (noop (take 1)))").body == "( take 1 )"
        assert player.answer(f"(STOP {name} ((take 1) noop))").body == "done"
    until(lambda: sum("our goal value is 100" in line for line in lines) == 2)


class Unready(Workers):
    """Still compiles."""

    def _await(self, control: socket.socket) -> None:
        """It does not hear that everything is compiled."""


def test_it_is_busy_until_everything_is_compiled() -> None:
    workers = Unready("random")
    player = Player("random", sessions=workers)
    assert player.answer("(INFO)").body == "((name ludus) (status busy))"
    assert player.answer("(PING)").body == "busy"
    assert player.answer(f"(START m1 left ({TAKE}) 600 600)").body == "busy"
    player.close()
    assert workers._process.returncode is not None


def test_a_sheet_that_is_abandoned_is_ended(player: Player, workers: Workers) -> None:
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(player.answer(f"(START m1 a ({FOR_EVER}) 600 5)").body))
    asking.start()
    until(lambda: workers._worker is not None and workers._worker.rules.strip() == FOR_EVER.strip())
    number = workers._worker.number  # type: ignore[union-attr]
    until(lambda: player.answer("(ABORT m1)").body == "aborted")
    asking.join(60)
    assert answers == ["aborted"]
    until(lambda: not running(number))
    assert player.answer(f"(START m1 left ({TAKE}) 600 600)").body == "ready"  # and not busy
    assert player.answer("(PLAY m1 NIL)").body in TAKES


def test_another_process_goes_on_where_one_has_died(player: Player, workers: Workers) -> None:
    assert player.answer(f"(START m1 left ({TAKE}) 600 600)").body == "ready"
    assert player.answer("(PLAY m1 NIL)").body in TAKES
    worker = workers._worker
    assert worker is not None
    os.kill(worker.number, signal.SIGKILL)
    assert worker.gone.wait(60)
    assert player.answer("(PLAY m1 ((take 2) noop))").body == "noop"
    assert player.answer("(PLAY m1 (noop (take 1)))").body == "( take 1 )"


def test_an_answer_is_given_though_the_worker_stands_still(player: Player, workers: Workers) -> None:
    assert player.answer(f"(START m1 left ({TAKE}) 20 1)").body == "ready"
    assert workers._worker is not None
    os.kill(workers._worker.number, signal.SIGSTOP)
    assert player.answer("(PLAY m1 NIL)").body == "noop"  # it would wait for ever
    os.kill(workers._worker.number, signal.SIGCONT)
    until(
        lambda: (
            player.answer("(PLAY m1 ((take 2) noop))").body == "noop"
            and player.answer("(PLAY m1 (noop (take 1)))").body == "( take 1 )"
        )
    )


def test_bad_sheets_are_refused_with_a_reason(player: Player) -> None:
    assert "closed" in player.answer("(START m1 left ((role left) 20 5)").body
    assert "no role 'middle'" in player.answer(f"(START m1 middle ({TAKE}) 600 600)").body
    assert "does not say what 'legal' is" in player.answer("(START m1 left ((role left)) 20 5)").body


def test_a_preview_is_loaded_once(player: Player, workers: Workers) -> None:
    assert player.answer(f"(PREVIEW ({TAKE}) 20)").body == "ready"
    worker = workers._worker
    assert player.answer(f"(START m1 left ({TAKE}) 600 600)").body == "ready"
    assert workers._worker is worker


def test_all_begins_anew_where_the_first_process_has_died() -> None:
    workers = Workers("random")
    player = Player("random", sessions=workers)
    try:
        assert workers.ready.wait(600)
        assert player.answer(f"(START m1 left ({TAKE}) 600 600)").body == "ready"
        worker = workers._worker
        assert worker is not None
        os.kill(workers._process.pid, signal.SIGKILL)
        workers._process.wait(60)
        assert player.answer("(PLAY m1 NIL)").body in TAKES  # the match goes on
        assert player.answer("(ABORT m1)").body == "aborted"
        until(lambda: not running(worker.number))
        assert player.answer(f"(START m2 left ({TAKE}) 600 600)").body == "busy"
        assert workers.ready.wait(600)
        assert player.answer(f"(START m2 left ({TAKE}) 600 600)").body == "ready"
        assert player.answer("(PLAY m2 NIL)").body in TAKES
    finally:
        player.close()
