"""Named settings of trainings: the papers' own, and our best. One place for every number that steers learning.

Plain data, so that listing them imports no method; a test sees that each fits its method.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.errors import choice

ANY = "*"  # whose presets are those of every game that has none of its own


class Preset(NamedTuple):
    """A method, its settings, and those of the training itself (`ludus.lab.config.Training`)."""

    method: str
    settings: dict[str, Any]
    training: dict[str, Any]

    @property
    def games(self) -> int:
        """Games to learn from."""
        return self.training["games"]

    @property
    def summary(self) -> str:
        """What tells presets apart, for people."""
        s = self.settings
        others = [name for name in s.get("seating", ()) if name != "self"]
        words = [
            self.method,
            f"{s['encoding']} inputs" if "encoding" in s else "",
            f"{s['hidden']} hidden units" if s.get("hidden", 1) > 1 else "",
            f"{self.games:,} games",
            f"λ {s['decay']:g}" if "decay" in s else "",
            f"α {s['rate']:g}" if s.get("rate") == s.get("final_rate") else "",
            f"γ {s['discount']:g}" if "discount" in s else "",
            f"{s['playouts']} playouts" if "playouts" in s else "",
            f"{s['lessons']:,} lessons of {s['teacher']}" if "lessons" in s else "",
            f"with {len(others)} {others[0]}" if others else "",
        ]
        return ", ".join(filter(None, words))

    def changed(self, **settings: Any) -> Preset:
        """A copy with some of the method's settings changed."""
        return self._replace(settings=self.settings | settings)


def _preset(method: str, games: int, training: dict[str, Any] | None = None, **settings: Any) -> Preset:
    return Preset(method, settings, {"games": games, **(training or {})})


def _steady(rate: float) -> dict[str, Any]:
    return {"rate": rate, "final_rate": rate}


# Alhajry, Alvi & Ahmed (2012): evaluated every 2,500 games, 5,000 in each of the four seats.
_ALHAJRY = {"opponents": ("random", "expert"), "evaluate_every": 2_500, "evaluation_games": 20_000}
_ALHAJRY_TD = _preset("traces", 100_000, _ALHAJRY, encoding="raw", hidden=20, decay=0.7, **_steady(0.2))
_ALHAJRY_QL = _preset(
    "q", 100_000, _ALHAJRY, encoding="alhajry", hidden=20, discount=0.95, exploration=0.9, exploration_games=30_000,
    **_steady(0.5),
)  # fmt: skip
_WITH_EXPERTS = ("self", "expert", "self", "expert")
_WITH_RANDOM = ("self", "random", "self", "random")

# Rossen (2022). How long his last tables were trained he does not say: his tuning took 3,000 games, his first figure 8,000.
_ROSSEN = _preset(
    "q", 8_000, {"evaluation_games": 10_000}, encoding="rossen", hidden=1, seating=("self", "random"), discount=0.4,
    exploration=1.0, exploration_decay=0.9998, **_steady(0.5),
)  # fmt: skip

# Wang, Emmerich & Plaat (2018): l = 30,000 matches to learn from, half as many after that, roles switched every match. What is not in
# the text is said in `ludus.papers.wang2018`.
_WANG_Q = _preset(
    "table", 45_000, {"evaluation_games": 10_000}, seating=("self", "random"), rotate=True, discount=0.9, exploration=0.5,
    exploration_shape="cosine", learning_share=2 / 3, complete=True, watch=True, **_steady(0.1),
)  # fmt: skip

# The thesis `quoridor2016`: 133 numbers, sigmoid units, Q-learning after each move, seat 0, easier positions to begin with for 200,000
# games. It gives neither step size nor the first share of random moves.
_THESIS_OPPONENTS = {"opponents": ("path", "heuristic"), "evaluation_games": 500}
_QLNN_THESIS = _preset(
    "qlnn", 200_000, _THESIS_OPPONENTS, encoding="thesis", seating=("self", "path"), exploration=0.3, exploration_games=200_000,
    exploration_floor=0.005, update="step", masked=False, curriculum=0.5, curriculum_games=200_000, **_steady(0.05),
)  # fmt: skip
_QLNN = _preset(
    "qlnn", 70_000, _THESIS_OPPONENTS, encoding="cuts", decay=0.8, rate=0.002, final_rate=0.0001, batch=64, opening=6,
    exploration=0.08, exploration_games=70_000, units="relu", update="end", mirror=True, replay=50_000, minibatch=128, passes=2.0,
    teacher="lead", lessons=10_000, seating=("self", "heuristic"), rotate=True,
)  # fmt: skip

PRESETS: dict[str, dict[str, Preset]] = {
    "backgammon": {
        # Mauermann (2015): 198-40-2, λ 0.7, γ 1, reward 1 for the winner at the end. The report does not give α.
        "mauermann2015": _preset("traces", 5_000, encoding="raw", hidden=40, decay=0.7, **_steady(0.1)),
        # Tesauro (1992, 1995): the same with outputs for gammons.
        "tdgammon": _preset("traces", 300_000, encoding="raw4", hidden=40, decay=0.7, rate=0.1, final_rate=0.05),
        # Raw inputs and 80 hidden units, for comparison with Higgins's Benchmark 1.
        "raw80": _preset(
            "selfplay", 200_000, encoding="board", hidden=80, decay=0.7, rate=0.005, final_rate=0.0002, batch=16
        ),
        # For `make demo`: the best there is after a minute.
        "demo": _preset(
            "selfplay", 40_000, {"opponents": ("random", "td"), "evaluation_games": 500}, encoding="rich", hidden=64, decay=0.7,
            rate=0.004, final_rate=0.0005, batch=16,
        ),
        # The best from nothing in an hour: λ-returns (Sutton 1988) of self-play from the seat's own view, measures such as GNU
        # Backgammon's as inputs, networks for race and contact, Adam (Kingma & Ba 2015). It became the model backgammon-rich.
        "best": _preset("selfplay", 2_000_000, encoding="rich", hidden=160, decay=0.7, rate=0.003, final_rate=0.0001),
        # The shipped player grew out of that one: more units, and networks by game plan.
        "plans": _preset(
            "selfplay", 3_000_000, encoding="plans", hidden=256, begin_with="backgammon-rich", decay=0.7, rate=0.002, final_rate=0.0001,
            batch=64, averaging=0.999, exploration=0.005,
        ),
        # And from there, with --set begin_with=RUN, by targets that average over all rolls.
        "plans-late": _preset(
            "selfplay", 390_000, encoding="plans", hidden=256, decay=0.8, rate=0.0006, final_rate=0.00015, batch=16, averaging=0.999,
            exploration=0.005, look_ahead_from=0.0,
        ),
        # The same, but each position is learned from several times, as such targets are dear, and more of them are odd. No shipped player came of it (docs/models.md).
        "plans-again": _preset(
            "selfplay", 300_000, encoding="plans", hidden=256, decay=0.8, rate=0.0004, final_rate=0.00001, batch=32, averaging=0.9995,
            exploration=0.1, exploration_margin=0.1, opening=4, look_ahead_from=0.0, memory=1_500_000, minibatch=512, passes=10.0,
        ),
    },
    "ludo": {
        "alhajry2012-td": _ALHAJRY_TD,
        "alhajry2012-td-expert": _ALHAJRY_TD.changed(seating=_WITH_EXPERTS),
        "alhajry2012-td-random": _ALHAJRY_TD.changed(seating=_WITH_RANDOM),
        "alhajry2012-ql": _ALHAJRY_QL,
        "alhajry2012-ql-expert": _ALHAJRY_QL.changed(seating=_WITH_EXPERTS),
        "alhajry2012-ql-random": _ALHAJRY_QL.changed(seating=_WITH_RANDOM),
        # The text; and the code, in which a share of 1 is read as one per cent, and never gets less.
        "rossen2022": _ROSSEN,
        "rossen2022-as-run": _ROSSEN.changed(encoding="rossen-as-run", exploration=0.01, exploration_decay=1.0),
        # Peters's code: three opponents that run for the goal, in any order of seats.
        "peters2022": _preset(
            "q", 5_000, {"evaluation_games": 10_000}, encoding="peters", hidden=1,
            seating=("self", "semismart", "semismart", "semismart"), rotate=True, discount=0.7, exploration=1.0,
            exploration_decay=0.9995, exploration_floor=0.1, **_steady(0.01),
        ),
        # The shipped players: as backgammon's, with inputs that see threats.
        "best": _preset("selfplay", 800_000, encoding="rich", hidden=80, decay=0.7, rate=0.004, final_rate=0.0001),
    },
    "quoridor": {
        # The shipped player. Without dice, random moves at the beginning and in between show it other positions than its own.
        "best": _preset(
            "selfplay", 400_000, {"opponents": ("path", "heuristic"), "evaluation_games": 200}, encoding="side", hidden=96,
            decay=0.95, rate=0.004, final_rate=0.0001, exploration=0.06, opening=8,
        ),
        # It grew: a network for each phase of the game, first as before, then by searches of a few plies.
        "stocks": _preset(
            "selfplay", 160_000, {"opponents": ("path", "heuristic"), "evaluation_games": 200}, encoding="stocks", hidden=128,
            begin_with="quoridor-side", decay=0.95, rate=0.002, final_rate=0.0002, batch=32, averaging=0.998, exploration=0.06, opening=8,
        ),
        "searched": _preset(
            "selfplay", 140_000, {"opponents": ("path", "heuristic"), "evaluation_games": 200}, encoding="stocks", hidden=128, search=3,
            search_width=10, decay=0.75, rate=0.0008, final_rate=0.00004, batch=16, averaging=0.998, exploration=0.05, opening=8,
        ),
        # The thesis's Q-network as the thesis has it, and mended; for its other layouts: --set layout=160-187.
        "qlnn-thesis": _QLNN_THESIS,
        "qlnn": _QLNN,
    },
    ANY: {
        # Policy and value of a board, from searches as in AlphaZero: for `zero`. For two seats in turns without chance.
        "zero": _preset(
            "zero", 12_000, {"opponents": ("random", "mcts(simulations=100)"), "evaluation_games": 40}, channels=32, blocks=2, simulations=32,
            rate=0.002, final_rate=0.0003, decay=0.93,
        ),
        # A network over the propositions that hold: for `td` and, better, `mcts`. Random moves take the place of dice.
        "network": _preset(
            "selfplay", 460_000, encoding="propositions", hidden=128, decay=0.8, rate=0.003, final_rate=0.00015, batch=128,
            exploration=0.1,
        ),
        # The same for games whose values self-play alone hardly finds, such as Hex: half of what it learns, and more in the
        # beginning, are the values of random play, from random openings.
        "network-playouts": _preset(
            "selfplay", 30_000, encoding="propositions", hidden=128, decay=0.9, rate=0.004, final_rate=0.0009, batch=16,
            exploration=0.1, opening=20, playouts=64, playout_until=2.0,
        ),
        "wang2018-q": _WANG_Q,
        # 30 ms a move were for search; here games are counted.
        "wang2018-qm": _WANG_Q.changed(playouts=200, watch=False),
        # Their baseline, the TD(λ) learner of Banerjee & Stone (2007).
        "wang2018-td": _WANG_Q.changed(
            update="traces", afterstates=True, complete=False, watch=False, decay=0.7, discount=1.0, exploration=0.01,
            exploration_shape="decay", **_steady(0.3),
        ),
        # The best table for the role against a random player: means over visits, and much exploration.
        "table-best": _WANG_Q._replace(training={"games": 1_500_000, "evaluation_games": 10_000}).changed(
            afterstates=True, complete=False, watch=False, rate_power=0.5, discount=1.0, exploration=0.8, exploration_floor=0.1,
            learning_share=1.0, **_steady(1.0),
        ),
    },
}  # fmt: skip


def presets_for(game: str) -> dict[str, Preset]:
    """The presets of a game, by name; the first one whose method can learn the game is what is taken unless told.

    >>> "wang2018-q" in presets_for("some game that came as data")
    True
    """
    return PRESETS.get(game, PRESETS[ANY])


def preset(game: str, name: str) -> Preset:
    """The preset of a name.

    >>> preset("backgammon", "mauermann2015").settings["hidden"]
    40
    """
    return choice(f"preset for {game}", name, presets_for(game))
