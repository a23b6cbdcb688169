"""Settings of a training, and named ones: the papers' own, and our best. One place for every number that steers learning."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ludus.errors import LudusError, choice, unknown


@dataclass(frozen=True)
class Settings:
    """All that a training run depends on, beside the game and the seed."""

    method: str = (
        "selfplay"  # 'traces': TD(λ) with eligibility traces, one core; 'selfplay': λ-returns and Adam, all cores
    )
    encoding: str = "raw"
    hidden: int = 40
    games: int = 5_000
    decay: float = 0.7  # λ
    rate: float = 0.1  # step size at the beginning
    final_rate: float = 0.1  # and at the end; geometric in between
    batch: int = 32  # games a step of Adam ('selfplay')
    look_ahead_from: float = 1.0  # share of the games after which targets average over all rolls ('selfplay')
    evaluate_every: int = 0  # games; 0: ten times in a run
    checkpoint_every: int = 0  # games; 0: twenty times in a run
    opponents: tuple[str, ...] = ("random",)
    evaluation_games: int = 1_000

    def to_dict(self) -> dict[str, Any]:
        """As TOML and JSON hold it."""
        return {**asdict(self), "opponents": list(self.opponents)}

    @classmethod
    def from_dict(cls, values: dict[str, Any], where: str) -> Settings:
        """The settings of a file; LudusError names what is wrong in it."""
        known = {f.name: f.type for f in fields(cls)}
        for key, value in values.items():
            if key not in known:
                raise unknown(f"setting in {where}", key, known)
            usual = getattr(cls, key)
            fits = isinstance(value, list | tuple) if key == "opponents" else type(value) is type(usual)
            if not fits and not (isinstance(usual, float) and type(value) is int):
                raise LudusError(f"{where}: {key} = {value!r} should be like {usual!r}")
        values = {k: float(v) if isinstance(getattr(cls, k), float) else v for k, v in values.items()}
        if "opponents" in values:
            values["opponents"] = tuple(values["opponents"])
        return cls(**values).checked(where)

    def checked(self, where: str) -> Settings:
        """These settings, if a run can be made of them."""
        rules = {
            "method": self.method in ("traces", "selfplay"),
            "hidden": 1 <= self.hidden <= 4096,
            "games": self.games >= 1,
            "decay": 0 <= self.decay <= 1,
            "rate": self.rate > 0,
            "final_rate": self.final_rate > 0,
            "batch": self.batch >= 1,
            "look_ahead_from": 0 <= self.look_ahead_from <= 1,
            "evaluate_every": self.evaluate_every >= 0,
            "checkpoint_every": self.checkpoint_every >= 0,
            "evaluation_games": self.evaluation_games >= 1,
        }
        for key, good in rules.items():
            if not good:
                raise LudusError(f"{where}: {key} = {getattr(self, key)!r} makes no sense")
        return self

    def changed(self, **values: Any) -> Settings:
        """A copy with some values changed, checked."""
        return replace(self, **values).checked("settings")


PRESETS: dict[str, dict[str, Settings]] = {
    "backgammon": {
        # Mauermann (2015): 198-40-2, λ 0.7, γ 1, reward 1 for the winner at the end. The report does not give α.
        "mauermann2015": Settings("traces", "raw", 40, 5_000, 0.7, 0.1, 0.1),
        # Tesauro (1992, 1995): the same with outputs for gammons.
        "tdgammon": Settings("traces", "raw4", 40, 300_000, 0.7, 0.1, 0.05),
        # Raw inputs and 80 hidden units, for comparison with Higgins's Benchmark 1.
        "raw80": Settings("selfplay", "board", 80, 200_000, 0.7, 0.005, 0.0002, batch=16),
        # For `make demo`: the best there is after a minute.
        "demo": Settings(
            "selfplay",
            "rich",
            64,
            40_000,
            0.7,
            0.004,
            0.0005,
            batch=16,
            opponents=("random", "td"),
            evaluation_games=500,
        ),
        # The shipped player: λ-returns (Sutton 1988) of self-play from the seat's own view, measures such as GNU
        # Backgammon's as inputs, networks for race and contact, Adam (Kingma & Ba 2015).
        "best": Settings("selfplay", "rich", 160, 2_000_000, 0.7, 0.003, 0.0001),
    },
}


def preset(game: str, name: str) -> Settings:
    """The settings of a name.

    >>> preset("backgammon", "mauermann2015").hidden
    40
    """
    return choice(f"preset for {game}", name, PRESETS.get(game, {}))
