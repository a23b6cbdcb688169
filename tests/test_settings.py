"""Settings of methods: what they may be, what is said of mistakes, how they fall in the course of a training, and that each has an effect."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.errors import LudusError
from ludus.kernel import JIT
from ludus.lab import train
from ludus.lab.config import Training, split
from ludus.lab.planning import plan
from ludus.methods import METHODS, Method, describe, method_class
from ludus.methods.base import WORDS
from ludus.methods.presets import PRESETS, Preset, preset
from ludus.methods.q import QLearning
from ludus.methods.qlnn import QLNN
from ludus.methods.schedules import Exploration, StepSize, geometric, linear
from ludus.methods.selfplay import SelfPlay
from ludus.methods.settings import described, read, setting, to_dict
from ludus.methods.table import Table
from ludus.methods.traces import Traces
from ludus.players import player


@dataclass(frozen=True)
class Walk:
    """Settings of somebody's method."""

    rate: float = setting(0.1, "step size", above=0)
    share: float = setting(0.5, "of random moves", low=0, high=1)
    steps: int = setting(10, "a game", low=1)
    pace: str = setting("even", "how it walks", choices=("even", "falling"))
    slope: float = setting(1.0, "how fast the pace falls", when=("pace", "falling"))
    rest: bool = setting(False, "whether it rests")
    breaks: int = setting(0, "how often", low=0, when=("rest", True))
    layers: tuple[int, ...] = setting((4, 4), "units of each layer")
    friends: tuple[str, ...] = setting((), "who walks along")


# --- what they may be ------------------------------------------------------------------------------------------------


def test_text_typed_on_a_command_line_becomes_what_the_default_is() -> None:
    typed = {
        "rate": "0.5",
        "steps": "7",
        "rest": "True",
        "breaks": "2",
        "layers": "8, 2",
        "friends": "td(plies=1,width=4),random",
    }
    made = read(Walk, typed, "walk")
    assert made == Walk(
        rate=0.5, steps=7, rest=True, breaks=2, layers=(8, 2), friends=("td(plies=1,width=4)", "random")
    )
    assert read(Walk, to_dict(made), "walk") == made  # as a file holds it
    assert read(Walk, {"rate": 1}, "walk") == Walk(rate=1.0)
    assert type(read(Walk, {"rate": 1}, "walk").rate) is float


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"rate": 0}, "rate = 0 makes no sense: it should be above 0"),
        ({"rate": "nan"}, "rate = 'nan' makes no sense: it should be a finite number"),
        ({"share": 1.5}, "share = 1.5 makes no sense: it should be from 0 to 1"),
        ({"share": -0.1}, "share = -0.1 makes no sense: it should be from 0 to 1"),
        ({"steps": 0}, "steps = 0 makes no sense: it should be at least 1"),
        ({"steps": 2.5}, "steps = 2.5 should be a whole number, like 10"),
        ({"steps": "ten"}, "steps = 'ten' should be a whole number, like 10"),
        ({"steps": True}, "steps = True should be a whole number"),
        ({"pace": "fast"}, "pace = 'fast' makes no sense: it should be one of even, falling"),
        ({"pace": 3}, "pace = 3 should be a word"),
        ({"rest": "yes"}, "rest = 'yes' should be true or false"),
        ({"layers": "8,wide"}, r"layers = \['8', 'wide'\] should be a list, like \[4, 4\]"),
        ({"layers": 8}, "layers = 8 should be a list"),
        ({"friends": ["td", 3]}, "friends = .* should be a list"),
        ({"rates": 0.1}, "unknown setting of walk 'rates'; did you mean 'rate'?"),
        ({"zeal": 1}, "unknown setting of walk 'zeal'; there are: breaks, friends, layers, pace, "),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(LudusError, match=complaint):
        read(Walk, values, "walk")


def test_a_setting_without_effect_is_refused_if_somebody_gave_it() -> None:
    with pytest.raises(LudusError, match=r"slope = 2\.0 has no effect unless pace is falling"):
        read(Walk, {"slope": 2.0}, "walk")
    with pytest.raises(LudusError, match="breaks = 3 has no effect unless rest is set"):
        read(Walk, {"breaks": 3, "pace": "falling"}, "walk")
    assert read(Walk, {"slope": 2.0, "pace": "falling"}, "walk").slope == 2.0
    assert read(Walk, {"slope": 1.0}, "walk") == Walk()  # as usual: there is nothing to have an effect
    # A preset or an older file may hold such a setting; only what somebody has just said must count.
    assert read(Walk, {"slope": 2.0}, "walk", given=()).slope == 2.0
    with pytest.raises(LudusError, match="has no effect"):
        read(Walk, {"slope": 2.0, "rate": 0.2}, "walk", given=("slope",))


def test_settings_explain_themselves() -> None:
    shown = {row.name: (row.default, row.help, row.limits) for row in described(Walk)}
    assert shown["rate"] == (0.1, "step size", "> 0")
    assert shown["share"] == (0.5, "of random moves", "≥ 0 and ≤ 1")
    assert shown["pace"] == ("even", "how it walks", "even|falling")
    assert shown["layers"] == ([4, 4], "units of each layer", "")


@pytest.mark.parametrize("name", METHODS)
def test_every_setting_of_ours_has_a_line_of_help_and_a_default_that_makes_sense(name: str) -> None:
    settings = method_class(name).Settings
    read(settings, {f.name: f.default for f in dataclasses.fields(settings)}, name)
    for row in [*describe(name), *described(Training)]:
        assert row.help, row.name
        assert row.help == row.help.strip(" .")
        assert "\n" not in row.help


def test_settings_of_the_method_and_of_the_training_are_told_apart() -> None:
    class Walker(Method):
        Settings = Walk

    assert split({"games": 5, "rate": 0.2}, "walk", Walker) == ({"games": 5}, {"rate": 0.2})
    with pytest.raises(LudusError, match="unknown setting of method 'walk' 'gams'; did you mean 'games'"):
        split({"gams": 5}, "walk", Walker)

    @dataclass(frozen=True)
    class Greedy:
        games: int = setting(1, "of its own")

    class Confused(Method):
        Settings = Greedy

    with pytest.raises(TypeError, match="every training has a setting games: Confused must call its own otherwise"):
        split({}, "confused", Confused)


# --- what somebody asks for ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"preset": "best", "layout": "2-2"}, "unknown setting of method 'selfplay' 'layout'"),
        ({"preset": "best", "look_ahead": 0.5}, "did you mean 'look_ahead_from'"),
        ({"preset": "best", "seating": "self,random"}, "unknown setting of method 'selfplay' 'seating'"),
        ({"preset": "best", "playout_share": 0.5}, "playout_share = 0.5 has no effect unless playouts is set"),
        ({"preset": "mauermann2015", "rotate": True}, "rotate = True has no effect unless seating is set"),
        ({"preset": "mauermann2015", "batch": 4}, "unknown setting of method 'traces' 'batch'"),
        ({"preset": "best", "method": "traces"}, "preset 'best' is for method 'selfplay', not for 'traces'"),
        ({"method": "trace"}, "unknown method 'trace'; did you mean 'traces'"),
        ({"method": 3}, "3 is not a method"),
        ({"method": dict}, "is not a method"),
    ],
)
def test_no_training_ignores_what_was_asked_for(values: dict[str, Any], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=complaint):
        train("backgammon", out=tmp_path / "run", **values)
    assert not (tmp_path / "run").exists()


def test_what_is_said_of_a_method_counts_more_than_its_preset() -> None:
    """Even where somebody asks for the usual: the preset has 40 units, λ 0.7 and inputs `raw4`."""
    made = plan("backgammon", "tdgammon", Traces(encoding="raw", hidden=4), settings={"hidden": 5})
    assert made.config.settings["encoding"] == "raw"
    assert (made.config.settings["hidden"], made.config.settings["final_rate"]) == (5, 0.05)
    assert (made.config.preset, made.config.training.games) == ("tdgammon", 300_000)


def test_presets_with_settings_that_have_no_effect_are_no_mistake_of_the_user() -> None:
    made = plan("tictactoe", "wang2018-q", settings={"exploration_shape": "decay", "exploration_decay": 0.9})
    assert made.config.settings["exploration_decay"] == 0.9
    with pytest.raises(LudusError, match=r"exploration_decay = 0\.9 has no effect unless exploration_shape is decay"):
        plan("tictactoe", "wang2018-q", settings={"exploration_decay": 0.9})
    with pytest.raises(
        LudusError, match="exploration_games = 9 has no effect unless exploration_shape is decay or linear"
    ):
        plan("tictactoe", "wang2018-q", settings={"exploration_games": 9})


# --- presets ---------------------------------------------------------------------------------------------------------

ALL = [pytest.param(found, id=f"{game} {name}") for game, own in PRESETS.items() for name, found in own.items()]


@pytest.mark.parametrize("found", ALL)
def test_every_preset_fits_its_method_and_the_training(found: Preset) -> None:
    assert found.method in METHODS
    settings = read(method_class(found.method).Settings, found.settings, found.method)  # none is without effect
    training = read(Training, found.training, "a training")
    assert training.games == found.games
    for name, value in found.settings.items():
        assert getattr(settings, name) == value  # and none is changed by being read
    assert found.method in found.summary
    assert f"{found.games:,} games" in found.summary


# --- schedules -------------------------------------------------------------------------------------------------------


def test_step_sizes_fall_by_the_same_factor_from_game_to_game() -> None:
    assert [geometric(0.4, 0.1, done, 100) for done in (0, 50, 100, 150)] == pytest.approx([0.4, 0.2, 0.1, 0.1])
    assert [geometric(1.0, 8.0, done, 3) for done in (0, 1, 2, 3)] == pytest.approx([1, 2, 4, 8])
    assert StepSize(rate=0.9, final_rate=0.1).rate_after(30, 60) == pytest.approx(0.3)


def test_a_straight_line_to_nothing() -> None:
    games = np.array([0, 25, 100, 400])
    assert linear(0.8, games, 100).tolist() == pytest.approx([0.8, 0.6, 0, 0])
    assert linear(0.8, games, 0).tolist() == [0.8] * 4  # over no games: it does not fall


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"exploration": 0.8}, [0.8, 0.8, 0.8, 0.8]),
        ({"exploration": 0.8, "exploration_decay": 0.5}, [0.8, 0.4, 0.2, 0.1]),
        ({"exploration": 0.8, "exploration_decay": 0.5, "exploration_floor": 0.3}, [0.8, 0.4, 0.3, 0.3]),
        # A line over four games, by which the rest is multiplied: 1, ¾, ½, ¼.
        ({"exploration": 0.8, "exploration_games": 4}, [0.8, 0.6, 0.4, 0.2]),
        ({"exploration": 0.8, "exploration_decay": 0.5, "exploration_games": 4}, [0.8, 0.3, 0.1, 0.025]),
        # A line that ends at the floor, and begins as much higher, but never above 1.
        ({"exploration_shape": "linear", "exploration": 0.6, "exploration_games": 2, "exploration_floor": 0.1}, [0.7, 0.4, 0.1, 0.1]),
        ({"exploration_shape": "linear", "exploration": 1.0, "exploration_games": 2, "exploration_floor": 0.1}, [1.0, 0.6, 0.1, 0.1]),
        # The cosine of 0°, 30°, 60° and 90°.
        ({"exploration_shape": "cosine", "exploration": 0.8}, [0.8, 0.4 * 3**0.5, 0.4, 0.0]),
        ({"exploration_shape": "cosine", "exploration": 0.8, "exploration_floor": 0.2}, [0.8, 0.2 + 0.3 * 3**0.5, 0.5, 0.2]),
    ],
    ids=str,
)  # fmt: skip
def test_exploration_in_the_first_games_of_three(settings: dict[str, Any], wanted: list[float]) -> None:
    found = Exploration(**settings).exploration_in(np.arange(4.0), 3)
    assert found.tolist() == pytest.approx(wanted, abs=1e-12)


# --- that each has an effect -----------------------------------------------------------------------------------------

SMALL_GAMES = {"traces": "backgammon", "selfplay": "backgammon", "q": "ludo(rules=ludopy-1.3.1,seats=2)",
               "table": "tictactoe", "qlnn": "quoridor(size=5,walls=3)"}  # fmt: skip
BASES: dict[str, Method] = {
    "traces": Traces(hidden=2, seating=("self", "random")),
    "selfplay": SelfPlay(hidden=2, batch=8, playouts=2, opening=2, exploration=0.2, rate=0.05),
    "q": QLearning(**preset("ludo", "rossen2022").settings),
    "table": Table(seating=("self", "random"), rate=0.5, playouts=2, exploration=0.3),
    "qlnn": QLNN(layout="3-2", batch=4, minibatch=16, seating=("self", "path"), teacher="lead", lessons=4, exploration=0.2,
                 curriculum=0.5, curriculum_games=8, replay=40),
}  # fmt: skip
# For each setting another value, and, where that alone would have no effect, what else is set on both sides.
CHANGES: dict[str, dict[str, tuple[Any, dict[str, Any]] | Any]] = {
    "traces": {"encoding": "raw4", "hidden": 3, "decay": 0.2, "rate": 0.3, "final_rate": 0.3, "seating": (), "rotate": True},
    "selfplay": {"encoding": "board", "hidden": 3, "decay": 0.2, "rate": 0.3, "final_rate": 0.3, "batch": 4, "look_ahead_from": 0.0,
                 "opening": 4, "exploration": 0.5, "playouts": 1, "playout_share": 0.5, "playout_until": 0.5},
    "q": {"encoding": "rossen-as-run", "discount": 0.9, "rate": 0.2, "final_rate": 0.2, "seating": ("random", "self"), "rotate": True,
          "exploration": 0.2, "exploration_decay": 0.5, "exploration_floor": (0.5, {"exploration": 0.2}), "exploration_games": 5,
          "exploration_shape": ("cosine", {"exploration_decay": 1.0})},
    "table": {"discount": 0.5, "decay": (0.5, {"update": "traces"}), "rate": 0.2, "final_rate": 0.2, "seating": (), "rotate": True,
              "learning_share": 0.5, "update": "step", "afterstates": True, "complete": True, "watch": True, "noops": True,
              "rate_power": 0.5, "playouts": 0, "nested": True, "table_limit": 9, "exploration": 0.9, "exploration_decay": 0.5,
              "exploration_floor": 0.9, "exploration_games": 5, "exploration_shape": "cosine"},
    "qlnn": {"encoding": "own", "layout": "2-3", "units": "relu", "discount": 0.5, "update": "step", "curriculum": 0.0,
             "curriculum_games": 24, "decay": 0.1, "batch": 3, "opening": 3, "mirror": True, "replay": 20, "minibatch": 8,
             "passes": 3.0, "teacher": "heuristic", "lessons": 8, "lesson_values": False, "follow": 0.0, "rate": 0.3, "final_rate": 0.9,
             "seating": (), "rotate": True, "exploration": 0.9, "exploration_floor": 0.5, "exploration_games": 8,
             "masked": (False, {"decay": 0.1})},
}  # fmt: skip
# Of a list of choices, one is left to this method; or it is for schemes with a network.
WITHOUT = {"q": {"hidden"}, "qlnn": {"exploration_shape", "exploration_decay"}}
OTHERWISE = {"teacher": {"lesson_values": False}}


def learned(name: str, settings: dict[str, Any]) -> dict[str, bytes]:
    """What a method of ours has become after a few games."""
    game, games = ludus.game(SMALL_GAMES[name]), 24
    cls = method_class(name)
    method = cls()
    method.settings = read(cls.Settings, to_dict(BASES[name].settings) | settings, name, given=())
    learner = method.begin(game, 3, games, lambda who: player(who, game))
    words = set()
    while learner.games < games:
        words |= learner.advance().keys()
    learner.close()
    assert words <= WORDS.keys()
    assert learner.counters["moves"] > games
    return {key: array.tobytes() for key, array in learner.state().items()}


@pytest.mark.skipif(not JIT, reason="some hundred games by each method")
@pytest.mark.parametrize("name", METHODS)
def test_every_setting_changes_what_is_learned(name: str) -> None:
    """Also: whatever a method reports, it says by words that all share."""
    known = {row.name for row in describe(name)}
    assert set(CHANGES[name]) == known - WITHOUT.get(name, set()), "a setting is new, or gone"
    bases: dict[str, dict[str, bytes]] = {}
    for setting_name, change in CHANGES[name].items():
        value, beside = (
            change if isinstance(change, tuple) and len(change) == 2 and isinstance(change[1], dict) else (change, {})
        )
        beside = beside | OTHERWISE.get(setting_name, {})
        before = bases.setdefault(str(beside), learned(name, beside))
        assert learned(name, beside | {setting_name: value}) != before, f"{name}: {setting_name} changes nothing"
    assert learned(name, {}) == bases["{}"], "the same settings teach the same"
