"""Every setting of our methods changes what is learned: none is accepted and ignored, and no sweep is one over nothing."""

from __future__ import annotations

from typing import Any

import pytest

import ludus
from ludus.kernel import JIT
from ludus.methods import METHODS, describe, method_class
from ludus.methods.base import WORDS
from ludus.methods.presets import preset
from ludus.methods.settings import read
from ludus.players import player

GAMES = 24
# Small trainings, and for each of their settings another value.
BASES: dict[str, dict[str, Any]] = {
    "traces": {"game": "backgammon", "hidden": 2, "seating": ["self", "random"]},
    "selfplay": {"game": "backgammon", "hidden": 2, "batch": 8, "opening": 2, "exploration": 0.2, "rate": 0.05},
    "q": {"game": "ludo(rules=ludopy-1.3.1,seats=2)", **preset("ludo", "rossen2022").settings},
    "table": {"game": "tictactoe", "seating": ["self", "random"], "rate": 0.5, "playouts": 2, "exploration": 0.3},
    "qlnn": {"game": "quoridor(size=5,walls=3)", "layout": "3-2", "batch": 4, "minibatch": 16, "seating": ["self", "path"], "teacher": "lead",
             "lessons": 4, "exploration": 0.2, "curriculum": 0.5, "curriculum_games": 8, "replay": 40},
    "zero": {"game": "tictactoe", "games_at_once": 8, "simulations": 6, "memory": 100, "minibatch": 8, "blocks": 1, "hidden": 4, "playouts": 4, "opening": 2},
}  # fmt: skip
CHANGES: dict[str, dict[str, Any]] = {
    "traces": {"encoding": "raw4", "hidden": 3, "decay": 0.2, "rate": 0.3, "final_rate": 0.3, "seating": [], "rotate": True},
    "selfplay": {"encoding": "board", "hidden": 3, "decay": 0.2, "rate": 0.3, "final_rate": 0.3, "batch": 4, "parts": 3, "look_ahead_from": 0.0,
                 "opening": 4, "exploration": 0.5, "begin_with": "backgammon-rich", "averaging": 0.5, "exploration_margin": 0.05, "search": 1, "search_width": 2, "playouts": 1, "playout_share": 0.5, "playout_until": 0.5,
                 "memory": 500, "minibatch": 16, "passes": 2.0},
    "q": {"encoding": "rossen-as-run", "hidden": 3, "discount": 0.9, "rate": 0.2, "final_rate": 0.2, "seating": ["random", "self"],
          "rotate": True, "exploration": 0.2, "exploration_decay": 0.5, "exploration_floor": 0.5, "exploration_games": 5,
          "exploration_shape": "cosine"},
    "table": {"discount": 0.5, "decay": 0.5, "rate": 0.2, "final_rate": 0.2, "seating": [], "rotate": True, "learning_share": 0.5,
              "update": "step", "afterstates": True, "complete": True, "watch": True, "noops": True, "rate_power": 0.5, "playouts": 0,
              "nested": True, "table_limit": 9, "exploration": 0.9, "exploration_decay": 0.5, "exploration_floor": 0.9,
              "exploration_games": 5, "exploration_shape": "cosine"},
    "qlnn": {"encoding": "own", "layout": "2-3", "units": "relu", "discount": 0.5, "update": "step", "masked": False, "curriculum": 0.0,
             "curriculum_games": 24, "decay": 0.1, "batch": 3, "opening": 3, "mirror": True, "replay": 20, "minibatch": 8, "passes": 3.0,
             "teacher": "heuristic", "lessons": 8, "lesson_values": False, "follow": 0.0, "rate": 0.3, "final_rate": 0.9, "seating": [],
             "rotate": True, "exploration": 0.9, "exploration_floor": 0.5, "exploration_games": 8},
    "zero": {"rate": 0.3, "final_rate": 0.3, "channels": 64, "blocks": 0, "hidden": 5, "simulations": 9, "width": 2, "sharpness": 1.0, "opening": 5,
             "noise": 0.9, "random": 0, "decay": 0.5, "playouts": 8, "playout_share": 0.1, "playout_until": 0.9, "games_at_once": 12,
             "memory": 110, "minibatch": 16, "passes": 2.0, "averaging": 0.5, "weight_decay": 0.5, "parts": 3},
}  # fmt: skip
# What is set on both sides, where a setting has an effect only then.
SCORED = {"game": "tictactoe", "encoding": "propositions", "playouts": 2}
SEARCHED = {"game": "quoridor(size=5,walls=1)", "encoding": "side"}
BESIDE: dict[tuple[str, str], dict[str, Any]] = {
    ("selfplay", "playouts"): SCORED, ("selfplay", "playout_share"): SCORED, ("selfplay", "playout_until"): SCORED,
    ("selfplay", "search"): SEARCHED, ("selfplay", "search_width"): SEARCHED | {"search": 2},
    ("selfplay", "minibatch"): {"memory": 500}, ("selfplay", "passes"): {"memory": 500},
    ("selfplay", "begin_with"): {"encoding": "rich", "hidden": 160},
    ("q", "hidden"): {"game": "ludo", "encoding": "alhajry", "seating": []},
    ("q", "exploration_floor"): {"exploration": 0.2},
    ("table", "decay"): {"update": "traces"},
    ("qlnn", "masked"): {"decay": 0.1}, ("qlnn", "teacher"): {"lesson_values": False},
}  # fmt: skip
# This method shares its exploration with others, and has one shape of it.
FIXED = {"qlnn": {"exploration_shape", "exploration_decay"}}


def learned(name: str, settings: dict[str, Any]) -> dict[str, bytes]:
    """What a method has become after a few games. Whatever it reports, it says by the words that all methods share."""
    values = BASES[name] | settings
    game, cls = ludus.game(values.pop("game")), method_class(name)
    method = cls()
    method.settings = read(cls.Settings, values, name, given=())  # as from a file: what has no effect may stay
    learner = method.begin(game, 3, GAMES, lambda who: player(who, game))
    while learner.games < GAMES:
        assert learner.advance().keys() <= WORDS.keys()
    learner.close()
    assert learner.counters["moves"] > GAMES
    return {key: array.tobytes() for key, array in learner.state().items()}


@pytest.mark.skipif(not JIT, reason="some hundred games by each method")
@pytest.mark.parametrize("name", METHODS)
def test_every_setting_changes_what_is_learned(name: str) -> None:
    known = {row.name for row in describe(name)}
    assert set(CHANGES[name]) == known - FIXED.get(name, set()), "a setting is new, or gone"
    usual = learned(name, {})
    assert learned(name, {}) == usual, "the same settings teach the same"
    for setting, value in CHANGES[name].items():
        beside = BESIDE.get((name, setting), {})
        before = learned(name, beside) if beside else usual
        assert learned(name, beside | {setting: value}) != before, f"{setting} changes nothing"
