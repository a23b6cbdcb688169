"""The solver: published values, brute force in plain Python, what is known of nim, and what it refuses."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.cli.main import main
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.matches import arena
from ludus.search.solve import solve
from toys import Nim, Pennies, Race


@pytest.mark.parametrize(
    ("name", "positions", "value", "known"),
    [
        ("tictactoe", 5_478, (0.5, 0.5), {"safe": 0.977798, "exploiter": 0.979915, "wins": 0.966708}),
        ("hex3", 5_514, (1.0, 0.0), {"safe": 0.988889, "exploiter": 0.988889, "wins": 0.988889}),
        ("connectfour4x4", 161_029, (0.5, 0.5), {"safe": 0.973538, "exploiter": 0.978337}),
    ],
)
def test_known_values(name: str, positions: int, value: tuple[float, float], known: dict[str, float]) -> None:
    found = solve(ludus.game(name))
    assert (found.positions, found.value) == (positions, value)
    for kind, number in known.items():
        assert found.mean(kind) == pytest.approx(number, abs=5e-7)
    assert found.mean("random") == pytest.approx(0.5)


def brute(at: Position, seat: int) -> dict[str, float]:
    """The same by recursion over positions, for one seat."""

    @cache
    def of(at: Position) -> dict[str, float]:
        if at.over:
            scores = at.scores()
            score = scores[seat]
            return {
                "value": score,
                "exploiter": score,
                "safe": score,
                "random": score,
                "wins": float(score > scores[1 - seat]),
            }
        after = [of(at.play(move)) for move in at.moves()]
        mean = {kind: float(np.mean([a[kind] for a in after])) for kind in after[0]}
        if at.turn != seat:
            return mean | {"value": min(a["value"] for a in after)}
        value = max(a["value"] for a in after)
        safe = max(a["safe"] for a in after if a["value"] == value)
        return mean | {"value": value, "safe": safe} | {k: max(a[k] for a in after) for k in ("exploiter", "wins")}

    return of(at)


@pytest.mark.parametrize("heaps", [(1, 1, 0), (2, 1, 0), (1, 2, 3), (2, 2, 2)])
def test_nim_by_brute_force(heaps: tuple[int, int, int]) -> None:
    game = Nim(heaps)
    found = solve(game)
    for seat in (0, 1):
        for kind, number in brute(game.start(), seat).items():
            assert getattr(found, kind)[seat] == pytest.approx(number), kind
    lost = np.bitwise_xor.reduce(heaps) == 0
    assert found.value == ((-1, 1) if lost else (1, -1))


def test_random_players_score_what_the_solver_says() -> None:
    found = solve(ludus.game("connectfour4x4"))
    row = arena("connectfour4x4", ["random", "random"], 20_000, seed=1).rows[0]
    assert row.by_seat == pytest.approx(found.random, abs=0.02)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("tictactoe4", "too large: it has more than 2,000 positions"),
        ("pig", "has chance in it"),
        ("rockpaperscissors", "both seats move at once"),
        ("maze", "has 1 seat"),
        ("trio", "has 3 seats"),
        (Race(), "4 seats"),
        (Pennies(), "both seats move at once"),
    ],
    ids=str,
)
def test_refusals(game: Any, words: str) -> None:
    with pytest.raises(LudusError, match=words):
        solve(ludus.game(game) if isinstance(game, str) else game, limit=2_000)


BACK_AND_FORTH = """
(role a) (role b)
(init (at 1)) (init (control a))
(<= (legal ?r (go left)) (true (control ?r)))
(<= (legal ?r (go right)) (true (control ?r)))
(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y) (does ?r (go right)))
(<= (next (at ?y)) (true (at ?x)) (succ ?y ?x) (does ?r (go left)))
(<= terminal (true (at 0))) (<= terminal (true (at 3)))
(<= (goal a 100) (true (at 3))) (<= (goal b 0) (true (at 3)))
(<= (goal a 0) (not (true (at 3)))) (<= (goal b 100) (not (true (at 3))))
"""


def test_games_that_can_go_on_for_ever_are_refused() -> None:
    from ludus.games.gdl import load

    with pytest.raises(LudusError, match="come back to a position"):
        solve(load(BACK_AND_FORTH, name="tug"))


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["solve", "tictactoe", "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["positions"] == 5_478
    assert shown["safe"]["mean"] == pytest.approx(0.977798, abs=5e-7)
    assert shown["value"]["seats"] == [0.5, 0.5]
    with pytest.raises(SystemExit) as ended:
        main(["solve", "hex9", "--limit", "100"])
    assert ended.value.code == 2
