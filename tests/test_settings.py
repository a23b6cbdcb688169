"""Settings of methods: what they may be, what is said of mistakes, and how they fall in the course of a training."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.errors import LudusError
from ludus.lab import train
from ludus.lab.config import Training, split
from ludus.lab.planning import plan
from ludus.methods import METHODS, Method, describe, method_class
from ludus.methods.presets import PRESETS, Preset
from ludus.methods.schedules import Exploration, StepSize, geometric, linear
from ludus.methods.settings import described, read, setting, to_dict
from ludus.methods.traces import Traces


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
        ({"rate": 0}, "rate = 0 makes no sense: it should be a number above 0"),
        ({"rate": "nan"}, "rate = 'nan' makes no sense: it should be a number above 0"),
        ({"share": 1.5}, "share = 1.5 makes no sense: it should be a number from 0 to 1"),
        ({"share": -0.1}, "share = -0.1 makes no sense: it should be a number from 0 to 1"),
        ({"steps": 0}, "steps = 0 makes no sense: it should be a whole number at least 1"),
        ({"steps": 2.5}, "steps = 2.5 should be a whole number, like 10"),
        ({"steps": "ten"}, "steps = 'ten' should be a whole number, like 10"),
        ({"steps": True}, "steps = True should be a whole number"),
        ({"pace": "fast"}, "pace = 'fast' makes no sense: it should be one of even, falling"),
        ({"pace": 3}, "pace = 3 should be a word"),
        ({"rest": "yes"}, "rest = 'yes' should be true or false"),
        ({"layers": "8,wide"}, r"layers = '8,wide' should be a list, like \[4, 4\]"),
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
        ({"preset": "best", "playouts": 2}, "playouts has no effect with encoding 'rich' of backgammon"),
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


def test_what_a_scheme_does_not_need_is_refused_too() -> None:
    with pytest.raises(LudusError, match="hidden has no effect with scheme 'rossen', which is a table"):
        plan("ludo(rules=ludopy,seats=2)", "rossen2022", settings={"hidden": 20})
    assert plan("ludo", "alhajry2012-ql", settings={"hidden": 5}).config.settings["hidden"] == 5


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
