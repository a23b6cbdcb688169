"""What a rulesheet may cost, and what is said when it costs more: time, memory, the size of terms, and of what is kept."""

from __future__ import annotations

import gc
import json
import os
import resource
import subprocess
import sys
import warnings
import weakref
from pathlib import Path
from typing import Any

import pytest

from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl import aspif, face, grounding, interpreter
from ludus.games.gdl.games import interpret
from ludus.games.gdl.grounding import Limits, TooLargeError
from ludus.games.gdl.program import Program
from ludus.games.gdl.rules import Literal, Rule
from ludus.games.gdl.sheet import read_sheet

BASE = "(role a) (init on) (legal a go) (legal a stay) (<= (next on) (does a stay)) (<= (next off) (does a go)) (<= terminal (true off)) (goal a 100)"
GIVEN = Limits(20.0, 4000)

# --- the limits of this process --------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["RLIMIT_AS, 2_500_000_000", "RLIMIT_CPU, 19"])
def test_smaller_limits_of_our_own_do_not_change_how_a_game_is_played(limit: str) -> None:
    name, value = limit.split(", ")
    code = f"""
import resource
from ludus.games import gdl
resource.setrlimit(resource.{name}, ({value}, {value}))
said = []
print(type(gdl.load({BASE!r}, say=said.append)).__name__, said)
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.stdout.startswith("Gdl "), run.stdout + run.stderr


@pytest.mark.parametrize(
    ("end", "given", "said", "reason"),
    [
        ("time", GIVEN, "", "grounding takes more than 20 seconds of processor time"),
        ("time", Limits(5.0, 4000), "", "more than 5 seconds of processor time, which is all that this process may use (ulimit -t)"),
        (grounding.OUT_OF_MEMORY, GIVEN, "", "grounding takes more than 4,000 MB of memory"),
        (grounding.OUT_OF_MEMORY, Limits(20.0, 500), "", "500 MB of memory, which is all that this process may use (ulimit -v)"),
        (-6, GIVEN, "terminate called after throwing an instance of 'std::bad_alloc'", "grounding takes more than 4,000 MB of memory"),
        (1, GIVEN, "Traceback\nModuleNotFoundError: No module named 'clingo'\n", "the grounder ended with code 1: ModuleNotFoundError: No module named 'clingo'"),
        (-9, GIVEN, "", "the grounder was ended by signal 9"),
        ("late", GIVEN, "", "grounding was not done after 130 seconds on a busy machine"),
    ],
)  # fmt: skip
def test_the_real_cause_is_named(end: int | str, given: Limits, said: str, reason: str) -> None:
    assert grounding._reason(end, GIVEN, given, said).endswith(reason)


def test_a_grounder_that_can_not_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    said: list[str] = []
    assert type(gdl.load(BASE, "x", say=said.append)).__name__ == "Interpreted"
    assert said[-1] == "x is interpreted, as the grounder ended with code 1"


def test_processor_time_counts_and_not_that_of_the_clock(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        idle = subprocess.Popen(["sleep", "1.2"])
        assert grounding._wait(idle, out.fileno(), 1.0) == 0
        limits = (1, 2)
        busy = subprocess.Popen(
            [sys.executable, "-c", "while True: pass"],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limits),
        )
        assert grounding._wait(busy, out.fileno(), 1.0) == "time"


# --- what has no limit of its own ------------------------------------------------------------------------------------


def test_a_rule_with_thousands_of_variables_is_left_as_it_is() -> None:
    wide = Rule(("h",), tuple(Literal(("rel", f"?v{i}", f"?v{i + 1}")) for i in range(2000)), 1)
    narrow = Rule(("h",), tuple(Literal(("rel", f"?v{i}", f"?v{i + 1}")) for i in range(5)), 1)
    assert grounding.narrower([wide]) == [wide]
    assert len(grounding.narrower([wide, narrow])) > 2
    many = [wide._replace(body=wide.body[:60])] * 1000
    assert 1000 < len(grounding.narrower(many)) < 1000 + 60 * 1000  # some, but not all


def test_such_a_rule_is_refused_by_the_interpreter() -> None:
    body = " ".join(f"(rel ?v{i} ?v{i + 1})" for i in range(2000))
    text = f"{BASE} (rel 1 2) (rel 2 1) (<= (next wide) {body})"
    game = interpret(read_sheet(text), "wide", "", text)
    with pytest.raises(LudusError, match="a rule has 2,000 conditions; with more than 100 it can't be interpreted"):
        game.advance(game.first(), ["stay"])


def test_a_network_that_would_take_too_much_memory() -> None:
    ground = b"asp 1 0 0\n1 0 1 1 0 1 2\n1 1 1 2 0 0\n4 1 a 1 1\n0\n"
    assert len(aspif.read_ground(ground, 200).shown) == 1
    with pytest.raises(TooLargeError, match="a network of 2 ground rules takes more than 0 MB of memory"):
        aspif.read_ground(ground, 0)


DOUBLING = f"{BASE} (init (s z)) (<= (next (s (f ?x ?x))) (true (s ?x)))"


def test_terms_that_double_at_every_step_come_to_an_end() -> None:
    game = interpret(read_sheet(DOUBLING), "doubling", "", DOUBLING)
    state = game.first()
    for _ in range(12):
        state = game.advance(state, ["stay"])
    with pytest.raises(LudusError, match="the rules make terms of more than 10,000 symbols"):
        game.advance(state, ["stay"])
    position = game.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(100):
            if position.over:
                break
            position = position.play("stay")
    assert position.over


def test_terms_that_double_within_a_state() -> None:
    chain = " ".join(f"(<= (p{i + 1} (f ?x ?x)) (p{i} ?x))" for i in range(60))
    text = f"{BASE} (p0 z) {chain} (<= (next (s ?x)) (p60 ?x))"
    sheet = read_sheet(text)
    with pytest.raises(LudusError, match="chain can't be played: the rules make terms of more than 10,000 symbols"):
        interpret(sheet, "chain", "", text)


def test_equations_that_double() -> None:
    body = " ".join(f"(= ?x{i} (f ?x{i + 1} ?x{i + 1}))" for i in range(60))
    with pytest.raises(LudusError, match=r"line 1: the rules make terms of more than 10,000 symbols"):
        read_sheet(f"{BASE} (q z) (<= (next (s ?x0)) {body} (q ?x60))")


def test_a_sheet_with_many_relations() -> None:
    rules = [Rule((f"r{i}", "?x"), (Literal((f"r{i + 1}", "?x")),), 1) for i in range(20_000)]
    program = Program([*rules, Rule(("r20000", "a"), (), 1)])
    assert len(program.level) == 20_001
    loop = [Rule(("b",), (Literal(("a",)),), 1), Rule(("a",), (Literal(("b",)),), 1)]
    assert Program(loop).all_groups == [(("b", 0), ("a", 0))]  # in the order of the sheet


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_interpreted_sheets_are_forgotten_with_their_games() -> None:
    def number() -> int:
        face._unpacked.clear()  # the last few games that were looked at
        gc.collect()
        return len(interpreter._kept)

    before = number()
    text = f"{BASE} (init (name forgotten))"
    game = interpret(read_sheet(text), "x", "", text)
    same = interpret(read_sheet(text), "y", "", text)
    referee = weakref.ref(game._referee())
    assert same._referee() is referee()
    assert number() == before + 2
    del game
    assert number() == before + 1
    assert same.start().play("go").scores() == [1.0]  # this one still knows what its numbers mean
    del same
    assert number() == before
    assert referee() is None


def test_states_that_are_dropped_need_no_garbage_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MAX_LOOKS", 1)
    text = f"{BASE} (succ 0 1) (succ 1 2) (succ 2 3) (init (n 0)) (<= (next (n ?m)) (true (n ?n)) (succ ?n ?m)) (<= (up ?n) (true (n ?n)))"
    text += " (<= (legal a (to ?n)) (up ?n))"
    game = interpret(read_sheet(text), "x", "", text)
    state = game.first()
    gc.collect()
    gc.disable()
    try:
        game.legal(state)
        world = weakref.ref(game._referee()._look(state)[0])
        game.legal(game.advance(state, ["stay"]))
        assert world() is None
    finally:
        gc.enable()


# --- files and commands ----------------------------------------------------------------------------------------------


def command(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["gdl", *map(str, arguments)])
    return ended.value.code  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["check", "show"])
def test_pipes_and_devices_are_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe.kif")
    (tmp_path / "zero.kif").symlink_to("/dev/zero")
    for file in ("pipe.kif", "zero.kif"):
        assert command(name, tmp_path / file) == 2
        assert "is not a regular file" in capsys.readouterr().err
    with pytest.raises(LudusError, match="is not a regular file"):
        gdl.from_name(str(tmp_path / "pipe.kif"))


def checked(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    (tmp_path / "game.kif").write_text(text)
    assert command("check", tmp_path / "game.kif", "--json", *options) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("compiled", [True, False])
def test_check_says_how_games_end(
    compiled: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(sys, "executable", "/bin/false")
    start = "(role a) (role b) (init on) (legal a go) (<= (next off) (true on)) (legal b wait)"
    fine = checked(f"{start} (<= terminal (true off)) (goal a 100) (goal b 0)", tmp_path, capsys)
    assert (fine["ended"], fine["scores"]) == (5, [100.0, 0.0])
    assert fine["remarks"] == ([] if compiled else ["game is interpreted, as the grounder ended with code 1"])
    odd = checked(
        f"{start} (<= terminal (true off)) (goal a 100) (goal a 30) (<= (goal b 50) (true on))", tmp_path, capsys
    )
    assert "several goals hold for a at the end of a game (30, 100): the best counts" in odd["remarks"]
    assert "no goal holds for b at the end of a game: that counts as 0" in odd["remarks"]
    stuck = checked(
        "(role a) (init on) (<= (legal a go) (true on)) (<= (next off) (true on)) (<= terminal (true over)) (<= (next over) (true over)) (goal a 100)",
        tmp_path,
        capsys,
    )
    assert "a has no legal move in a state that is not terminal: the game ends there" in stuck["remarks"]
    endless = checked(
        "(role a) (init on) (legal a go) (<= (next on) (true on)) (<= terminal (true off)) (<= (next off) (true off)) (goal a 100)",
        tmp_path,
        capsys,
    )
    assert (endless["ended"], endless["scores"]) == (0, None)
    assert "5 of 5 random games did not end within 500 steps" in endless["remarks"]
    assert command("check", tmp_path / "game.kif") == 0
    assert "5 random games of 500.0 steps on average; 0 ended\n" in capsys.readouterr().out
