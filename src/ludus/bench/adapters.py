"""How fast environments are stepped: `ludus bench adapters`. The peers are PettingZoo's own environments, with actions drawn at random in the same way.

A step is an action of the agent with all that follows: the answers of the other seats, dice, the next observation and mask.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ludus.bench import openspiel
from ludus.bench.measuring import Measure, Peer, not_installed, repeat

HOME = "ludus.adapters"  # a room below this one: found by name
ROWS = 256  # games at once
VECTORS = (
    ("backgammon", "random"),
    ("backgammon", "td"),
    ("quoridor", "random"),
    ("ludo", "random"),
    ("tictactoe", "random"),
)
STEPS = 50  # between two looks at the clock


def measures() -> Iterator[Measure]:
    """Vectorised games beside PettingZoo's chess, and single ones beside its games of the same kind."""
    yield from openspiel.measures()
    if not _installed("gymnasium"):
        yield Measure("environments", "steps/s", None, *not_installed("Gymnasium"))
        return
    for game, opponent in VECTORS:
        chess = _pettingzoo("chess")
        yield Measure(
            f"Gymnasium, {ROWS} games of {game} against {opponent}", "steps/s", _vector(game, opponent), *chess
        )
    yield Measure(
        "Gymnasium, one game of backgammon against random", "steps/s", _single("backgammon"), *_pettingzoo("chess")
    )
    if not _installed("pettingzoo"):
        yield Measure("PettingZoo", "steps/s", None, *not_installed("PettingZoo"))
        return
    yield Measure("PettingZoo, tictactoe", "steps/s", _aec("tictactoe"), *_pettingzoo("tictactoe"))
    yield Measure("PettingZoo, connectfour", "steps/s", _aec("connectfour"), *_pettingzoo("connect_four"))
    yield Measure("PettingZoo, backgammon", "steps/s", _aec("backgammon"), *_pettingzoo("chess"))


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _vector(game: str, opponent: str) -> Callable[[float], float]:
    envs = importlib.import_module(f"{HOME}.gymnasium").LudusVectorEnv(ROWS, game, opponent)
    rng = np.random.default_rng(1)
    mask = envs.reset(seed=1)[0]["action_mask"]

    def work(number: int) -> None:
        nonlocal mask
        for _ in range(STEPS):
            actions = (mask * rng.random(mask.shape, np.float32)).argmax(1)
            mask = envs.step(actions)[0]["action_mask"]

    return lambda seconds: repeat(work, STEPS * ROWS, seconds)


def _single(game: str) -> Callable[[float], float]:
    env = importlib.import_module(f"{HOME}.gymnasium").LudusEnv(game)
    rng = np.random.default_rng(1)
    mask = env.reset(seed=1)[0]["action_mask"]

    def work(number: int) -> None:
        nonlocal mask
        for _ in range(STEPS):
            seen, _, over, _, _ = env.step(_any(mask, rng))
            mask = (env.reset()[0] if over else seen)["action_mask"]

    return lambda seconds: repeat(work, STEPS, seconds)


def _any(mask: np.ndarray, rng: np.random.Generator) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[rng.integers(len(legal))])


def _aec(game: str) -> Callable[[float], float]:
    return _stepping(importlib.import_module(f"{HOME}.pettingzoo").env(game))


def _stepping(env: Any) -> Callable[[float], float]:
    """Steps of an AEC environment with agents that draw among the legal actions."""
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def work(number: int) -> None:
        for _ in range(STEPS):
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                seen = env.last()[0]
            env.step(_any(seen["action_mask"], rng))

    return lambda seconds: repeat(work, STEPS, seconds)


def _pettingzoo(name: str) -> Peer:
    """One of PettingZoo's own classic environments."""
    try:
        module = importlib.import_module(f"pettingzoo.classic.{name}.{name}")
    except ImportError:
        return not_installed("PettingZoo's chess: pip install 'ludus[peers]'" if name == "chess" else "PettingZoo")
    return Peer(f"PettingZoo {name}", _stepping(module.env()))
