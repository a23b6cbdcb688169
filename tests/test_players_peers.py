"""GNU Backgammon and pubeval as players: that they play what their engine means, and that the arena can hold them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import ludus
from ludus.contract.position import Position
from ludus.contract.rules import play
from ludus.errors import LudusError
from ludus.kernel import stream
from ludus.matches import arena
from ludus.players import player
from ludus.players.base import ask
from ludus.players.peers import board_of
from ludus.scale import processes
from ludus.scale.shards import LostError

pytestmark = pytest.mark.peers
BACKGAMMON = ludus.game("backgammon")


@pytest.fixture(name="engine")
def _engine():  # type: ignore[no-untyped-def]
    return pytest.importorskip("gnubg_nn")


def decisions(games: int, mover: str) -> list[Position]:
    """The positions with a choice in some games that a player plays against itself."""
    found = []
    chooser = player(mover, BACKGAMMON)
    for number in range(games):
        rng, position = stream(5, number), BACKGAMMON.start()
        while not position.over:
            if position.kind == "chance":
                position = position.roll(rng)
                continue
            if len(position.moves()) > 1:
                found.append(position)
            position = position.play(ask(chooser, position, rng))
    return found


def equity(probabilities: tuple[float, ...]) -> float:
    """Points to be expected for money, without the cube: win, gammon, backgammon, lost gammon, lost backgammon."""
    win, gammon, backgammon, lost_gammon, lost_backgammon = probabilities
    return 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon


def worth(engine, position: Position, move: int) -> float:  # type: ignore[no-untyped-def]
    """What a move is worth to the mover: the opponent, on roll after it, judges the position without looking ahead."""
    state = position.state.copy()
    play(BACKGAMMON, state, int(move))  # the kernel, as Position.play would list all moves each time
    mover, after = position.turn, Position(BACKGAMMON, state)
    if after.over:
        return after.scores()[mover]
    return -equity(engine.probabilities(board_of(after.state, 1 - mover), 0))


def test_gnubg_takes_the_best_static_evaluation(engine) -> None:  # type: ignore[no-untyped-def]
    gnubg = player("gnubg", BACKGAMMON)
    classes = set()
    for position in decisions(2, "gnubg") + decisions(2, "random"):
        values = {int(move): worth(engine, position, move) for move in position.moves()}
        assert values[gnubg.choose(position)] == pytest.approx(max(values.values()), abs=1e-6)
        classes.add(engine.classify(board_of(position.state, position.turn)))
    assert {engine.c_contact, engine.c_race, engine.c_bearoff} <= classes


def test_gnubg_knows_the_bear_off_exactly(engine) -> None:  # type: ignore[no-untyped-def]
    one_on_six, one_on_ace = np.eye(25, dtype=int)[5].tolist(), np.eye(25, dtype=int)[0].tolist()
    # From the six point all rolls bear off but 11, 21, 31, 41, 51, 32: nine of 36 (22 needs just three twos).
    failing = sum(1 for a in range(1, 7) for b in range(1, 7) if (4 * a if a == b else a + b) < 6 and max(a, b) < 6)
    assert engine.probabilities([one_on_ace, one_on_six], 0)[0] == pytest.approx(1 - failing / 36, abs=1e-4)


def test_pubeval_plays_by_its_own_scores(engine) -> None:  # type: ignore[no-untyped-def]
    pubeval = player("pubeval", BACKGAMMON)
    for position in decisions(2, "pubeval"):
        chosen = pubeval.choose(position)
        board = board_of(position.state, position.turn)
        steps = engine.pub_best_move(board, int(position.state[53]), int(position.state[54]))
        # Follow the engine's steps by hand: places from 0, the bar is 24, -1 is off.
        theirs, mine = (list(side) for side in board)
        for source, target in zip(steps[::2], steps[1::2], strict=True):
            mine[source] -= 1
            if target >= 0:
                mine[target] += 1
                if theirs[23 - target]:
                    theirs[23 - target] = 0
                    theirs[24] += 1
        assert board_of(position.play(chosen).state, position.turn) == [theirs, mine]


def test_openings_known_to_everybody(engine) -> None:  # type: ignore[no-untyped-def]
    gnubg = player("gnubg", BACKGAMMON)
    for roll, best in {"31": "8/5 6/5", "42": "8/4 6/4", "61": "13/7 8/7", "53": "8/3 6/3", "65": "24/13"}.items():
        position = BACKGAMMON.start().play(roll)
        assert gnubg.choose(position) == BACKGAMMON.read_move(position.state, best)


def test_looking_ahead_is_allowed_up_to_three_plies(engine) -> None:  # type: ignore[no-untyped-def]
    position = BACKGAMMON.start().play("31")
    ahead = player("gnubg(plies=1)", BACKGAMMON)
    assert (ahead.name, str(ask(ahead, position, stream(1)))) == ("gnubg(plies=1)", "8/5 6/5")
    with pytest.raises(LudusError, match="plies must be one of 0, 1, 2, 3"):
        player("gnubg(plies=4)", BACKGAMMON)


def test_processes_change_nothing(engine) -> None:  # type: ignore[no-untyped-def]
    rows = arena("backgammon", ["gnubg", "random"], games=12, jobs=1).rows
    assert arena("backgammon", ["gnubg", "random"], games=12, jobs=2).rows == rows
    assert rows[0].win_rate > 0.9


def test_gnubg_beats_pubeval(engine) -> None:  # type: ignore[no-untyped-def]
    result = arena("backgammon", ["gnubg", "pubeval"], games=300, jobs=1)
    points = result["gnubg"]
    assert abs(points.points_per_game - 0.636) < 4 * points.points_se  # the figure that others found over many games


def test_a_script_needs_no_main_guard(engine) -> None:  # type: ignore[no-untyped-def]
    script = "import ludus\nprint(ludus.arena('backgammon', ['pubeval', 'random'], games=6, jobs=2).games)"
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("6\n", 0), done.stderr


def test_ctrl_c_ends_the_processes(engine, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    started: list[subprocess.Popen[bytes]] = []

    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))

    class Observed(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args, **settings) -> None:  # type: ignore[no-untyped-def]
            super().__init__(*args, **settings)
            started.append(self)
            if len(started) == 2:
                timer.start()

    monkeypatch.setattr(subprocess, "Popen", Observed)
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        arena("backgammon", ["gnubg(plies=2)", "random"], games=1000, jobs=2)
    assert time.perf_counter() - begun < 600, "to its end it would take hours"
    assert len(started) == 2
    assert all(process.poll() is not None for process in started)


def test_a_dead_worker_is_noticed(engine, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(processes, "_BOOTSTRAP", "import sys; sys.exit(3)")
    with pytest.raises(LostError, match=r"games . to .: a worker process ended with code 3"):
        arena("backgammon", ["gnubg", "random"], games=10, jobs=2)


def test_an_error_in_a_worker_arrives_as_it_was(engine, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    lost = "import sys; sys.modules['gnubg_nn'] = None; " + processes._BOOTSTRAP
    monkeypatch.setattr(processes, "_BOOTSTRAP", lost)
    with pytest.raises(LudusError, match="needs the peers extra"):
        arena("backgammon", ["gnubg", "random"], games=10, jobs=2)


@pytest.mark.parametrize("name", ["gnubg", "pubeval"])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)
    with pytest.raises(LudusError) as error:
        arena("backgammon", [name, "random"], games=1)
    assert str(error.value) == f"player '{name}' needs the peers extra: pip install 'ludus[peers]'"
