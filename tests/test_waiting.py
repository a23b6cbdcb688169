"""Nobody waits in silence: what is said while code is compiled, what estimates leave out, and that a game doesn't stop in the middle for it."""

from __future__ import annotations

import io
import sys
import threading
import time

import pytest
from rich.console import Console

import ludus
from ludus import waiting
from ludus.kernel import JIT, cache_counts, kernel
from ludus.kernel.compiling import PATIENCE
from ludus.play import play
from ludus.play.ready import quick_name
from ludus.waiting import METER, Notice, Stopwatch, pass_on

compiled_only = pytest.mark.skipif(not JIT, reason="about compiling")


def test_it_is_told_once_and_only_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    meter = waiting.Meter()
    monkeypatch.setattr(waiting, "METER", meter)
    told: list[float] = []
    heard = threading.Event()
    monkeypatch.setattr(waiting, "PATIENCE", 600.0)
    with Notice(told.append), meter.compiling():
        pass
    assert told == []
    monkeypatch.setattr(waiting, "PATIENCE", 0.05)
    with Notice(lambda seconds: (told.append(seconds), heard.set())):  # type: ignore[func-returns-value, arg-type]
        for _ in range(2):
            with meter.compiling(), meter.compiling():
                assert heard.wait(60)
    assert len(told) == 1
    assert told[0] > 0
    assert meter.functions == 5
    assert not meter.listeners


def test_what_another_process_compiles_is_told_too() -> None:
    told: list[float] = []
    with Notice(told.append):
        pass_on(12.0)
        pass_on(12.0)
    assert told == [12.0]


def test_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    waiting.print_notice(11.2)
    assert (
        screen.getvalue() == "Compiling for first use: about 10 seconds. The code is kept, so that this happens once.\n"
    )


def test_a_stopwatch_leaves_compiling_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(waiting, "METER", waiting.Meter())
    watch = Stopwatch()
    now[0] = 1.0
    with waiting.METER.compiling():
        now[0] = 21.0
        assert watch.seconds == 1.0
    now[0] = 21.5
    assert watch.seconds == 1.5


@compiled_only
def test_kernels_are_metered() -> None:
    @kernel
    def add(a: int) -> int:
        return a + 1

    before, seconds = METER.functions, METER.seconds
    assert add(1) == 2
    assert METER.functions == before + 1
    assert METER.seconds > seconds


@compiled_only
def test_a_lazy_kernel_runs_as_plain_python_until_it_has_taken_its_time() -> None:
    @kernel
    def inner(n: int) -> int:
        return n * 2

    @kernel(lazy=lambda n: n < 100)
    def outer(n: int) -> int:
        return inner(n) + 1

    compiled = cache_counts()[1]
    plain = outer(3)
    assert (plain, type(plain), cache_counts()[1]) == (7, int, compiled)
    assert outer(1000) == 2001  # a big one is compiled at once, and serves the small ones from now on
    assert cache_counts()[1] == compiled + 2
    assert outer(3) == 7

    @kernel(lazy=True)
    def impatient(n: int) -> int:
        return inner(n) + n

    impatient.patience = 0.0
    assert impatient(2) == 6
    assert cache_counts()[1] == compiled + 3
    assert PATIENCE > 0


@compiled_only
@pytest.mark.parametrize(
    ("game", "against"), [("tictactoe", "mcts(seconds=0.05)"), ("backgammon", "td"), ("quoridor", "td(seconds=0.05)")]
)
def test_nothing_is_compiled_after_the_first_prompt(game: str, against: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ludus.game(game)
    counts: list[int] = []
    lines = iter(["hint", "moves", "quit"])

    def ask(prompt: str) -> str:
        counts.append(cache_counts()[1])
        return next(lines)

    play(made, against, seed=1, ask=ask, console=Console(file=io.StringIO()))
    assert len(set(counts)) == 1, counts


@pytest.mark.parametrize(
    ("name", "quick"),
    [
        ("td", "td"),
        ("td:runs/a(seconds=3)", "td:runs/a(seconds=0.01)"),
        ("mcts", "mcts(seconds=0.01)"),
        ("mcts(simulations=9000,ahead=true)", "mcts(simulations=1,ahead=true)"),
        ("mcs(playouts=5)", "mcs(playouts=1)"),
        ("random", "random"),
        ("mine.py:Player", "mine.py:Player"),
    ],
)
def test_the_same_player_without_time_to_think(name: str, quick: str) -> None:
    assert quick_name(name) == quick


def test_who_waits_for_something_else_is_told_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, heard = io.StringIO(), threading.Event()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(screen, "flush", heard.set)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(waiting, "PATIENCE", 600.0)
    with waiting.told("Solving hex4."):
        assert screen.getvalue() == ""
        monkeypatch.setattr(waiting, "PATIENCE", 0.0)
        with waiting.told("Solving hex3."):
            assert heard.wait(60)
    assert screen.getvalue() == "Solving hex3.\n"
