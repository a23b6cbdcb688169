"""Settings of a training, and named ones: the papers' own, and our best. One place for every number that steers learning."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ludus.errors import LudusError, choice, unknown


@dataclass(frozen=True)
class Settings:
    """All that a training run depends on, beside the game and the seed."""

    # 'traces': TD(λ) with eligibility traces, one core; 'selfplay': λ-returns and Adam, all cores; 'q': Q-learning on a scheme, one core;
    # 'table': a value for each state, of any game, one core; 'qlnn': Q-learning with an output for each action, one core
    method: str = "selfplay"
    encoding: str = "raw"  # how a network sees positions; for 'q' the scheme, for 'qlnn' the view
    hidden: int = 40  # of a network; a table has none
    games: int = 5_000
    decay: float = 0.7  # λ
    rate: float = 0.1  # step size at the beginning
    final_rate: float = 0.1  # and at the end; geometric in between
    batch: int = 32  # games a step of Adam ('selfplay')
    look_ahead_from: float = 1.0  # share of the games after which targets average over all rolls ('selfplay')
    opening: int = 0  # moves at the beginning, at most, that are random ('selfplay', 'qlnn' in batches)
    seating: tuple[str, ...] = ()  # who sits where while learning: "self" or a player; empty: all are "self"
    rotate: bool = False  # whether all move on by a seat from game to game
    discount: float = 1.0  # γ ('q', 'table')
    exploration: float = 0.0  # share of random actions in the first game ('q', 'table')
    exploration_decay: float = 1.0  # its factor from game to game
    exploration_floor: float = 0.0  # what it does not fall below
    exploration_games: int = 0  # games in which it falls to 0 in a straight line; 0: it does not
    exploration_shape: str = "decay"  # the three above; 'cosine': down to the floor while it learns ('table')
    # The rest up to `table_limit` is for 'table' only; see `ludus.methods.table.Way`.
    learning_share: float = 1.0  # of the games; in the rest nothing is learned or explored
    update: str = "end"  # 'end' and 'step': Q-learning after a match or at each decision; 'traces': TD(λ)
    afterstates: bool = False  # values of states after moves, not of moves in states
    complete: bool = False  # values are followed only where each move has one
    watch: bool = False  # learns from the moves of others too, for their roles
    noops: bool = False  # states in which another role moves are remembered too
    rate_power: float = 0.0  # the step size falls with the visits n of an entry, as 1 / n^rate_power
    playouts: int = 0  # games a move, searched where no value can be followed; 0: a random move there
    playout_share: float = (
        1.0  # of the targets of 'selfplay' that comes from `playouts` random games, in the first game
    )
    playout_until: float = 1.0  # after how many times the games none of it would be left; it falls in a straight line
    nested: bool = False  # whether search chooses the moves in those games too
    table_limit: int = 20_000_000  # entries; further ones are not kept
    # The rest up to `follow` is for 'qlnn' only; see `ludus.methods.qlnn`. Its `update` is 'step' (after each move) or 'end' (batches).
    layout: str = "200-200"  # hidden layers
    units: str = "sigmoid"  # of the hidden layers; or 'relu'
    masked: bool = True  # whether illegal actions are left out of the highest value
    mirror: bool = False  # learns from positions with left and right exchanged too
    replay: int = 0  # decisions that are kept to learn from again; 0: only the batch's own
    minibatch: int = 256  # decisions a step of Adam
    passes: float = 1.0  # how often a decision is learned from, on average
    curriculum: float = 0.0  # share of games that begin in easier positions, in the first game
    curriculum_games: int = 0  # games in which that share falls to 0
    teacher: str = ""  # the player whose games are learned from at first
    lessons: int = 0  # games of that kind
    lesson_values: bool = True  # the teacher says what each move is worth, and not only which one it makes
    follow: float = 0.5  # share of its moves that are played there; the others are the learner's own
    evaluate_every: int = 0  # games; 0: ten times in a run
    checkpoint_every: int = 0  # games; 0: twenty times in a run
    opponents: tuple[str, ...] = ("random",)
    evaluation_games: int = 1_000

    @property
    def summary(self) -> str:
        """The settings that tell presets apart, for people."""
        if self.method == "q":
            what = f"q, scheme {self.encoding}, {self.games:,} games, α {self.rate:g}, γ {self.discount:g}"
        elif self.method == "table":
            what = f"table, {self.games:,} games, α {self.rate:g}, γ {self.discount:g}"
            what += f", λ {self.decay:g}" if self.update == "traces" else ""
            what += f", {self.playouts} playouts" if self.playouts else ""
        elif self.method == "qlnn":
            what = f"qlnn, view {self.encoding}, {self.layout} {self.units} units, {self.games:,} games, γ {self.discount:g}"
            what += f", {self.lessons:,} of them lessons of {self.teacher}" if self.lessons else ""
        else:
            what = f"{self.method}, {self.encoding} inputs, {self.hidden} hidden units, {self.games:,} games, λ {self.decay:g}"
        others = [name for name in self.seating if name != "self"]
        return f"{what}, with {len(others)} {others[0]}" if others else what

    def to_dict(self) -> dict[str, Any]:
        """As TOML and JSON hold it."""
        return {**asdict(self), "opponents": list(self.opponents), "seating": list(self.seating)}

    @classmethod
    def from_dict(cls, values: dict[str, Any], where: str) -> Settings:
        """The settings of a file; LudusError names what is wrong in it."""
        known = {f.name: f.type for f in fields(cls)}
        for key, value in values.items():
            if key not in known:
                raise unknown(f"setting in {where}", key, known)
            usual = getattr(cls, key)
            fits = isinstance(value, list | tuple) if isinstance(usual, tuple) else type(value) is type(usual)
            if not fits and not (isinstance(usual, float) and type(value) is int):
                raise LudusError(f"{where}: {key} = {value!r} should be like {usual!r}")
        values = {k: _like(getattr(cls, k), v) for k, v in values.items()}
        return cls(**values).checked(where)

    def checked(self, where: str) -> Settings:
        """These settings, if a run can be made of them."""
        rules = {
            "method": self.method in ("traces", "selfplay", "q", "table", "qlnn"),
            "hidden": 1 <= self.hidden <= 4096,
            "games": self.games >= 1,
            "decay": 0 <= self.decay <= 1,
            "rate": self.rate > 0,
            "final_rate": self.final_rate > 0,
            "batch": self.batch >= 1,
            "look_ahead_from": 0 <= self.look_ahead_from <= 1,
            "seating": not self.seating or ("self" in self.seating and len(set(self.seating)) <= 2),
            "discount": 0 <= self.discount <= 1,
            "exploration": 0 <= self.exploration <= 1,
            "exploration_decay": 0 < self.exploration_decay <= 1,
            "exploration_floor": 0 <= self.exploration_floor <= 1,
            "exploration_games": self.exploration_games >= 0,
            "exploration_shape": self.exploration_shape in ("decay", "cosine"),
            "learning_share": 0 < self.learning_share <= 1,
            "update": self.update in ("end", "step", "traces"),
            "rate_power": 0 <= self.rate_power <= 1,
            "playouts": self.playouts >= 0,
            "playout_share": 0 <= self.playout_share <= 1,
            "playout_until": self.playout_until > 0,
            "table_limit": self.table_limit >= 1,
            "opening": self.opening >= 0,
            "units": self.units in ("sigmoid", "relu"),
            "replay": self.replay >= 0,
            "minibatch": self.minibatch >= 1,
            "passes": self.passes > 0,
            "curriculum": 0 <= self.curriculum <= 1,
            "curriculum_games": self.curriculum_games >= 0,
            "lessons": self.lessons >= 0 and (self.lessons == 0 or self.teacher != ""),
            "follow": 0 <= self.follow <= 1,
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


def _like(usual: Any, value: Any) -> Any:
    return float(value) if isinstance(usual, float) else tuple(value) if isinstance(usual, tuple) else value


# Alhajry, Alvi & Ahmed (2012): evaluated every 2,500 games, 5,000 in each of the four seats.
_ALHAJRY_TD = Settings(
    "traces", "raw", 20, 100_000, 0.7, 0.2, 0.2,
    opponents=("random", "expert"), evaluate_every=2_500, evaluation_games=20_000,
)  # fmt: skip
_ALHAJRY_QL = replace(
    _ALHAJRY_TD, method="q", encoding="alhajry", decay=0.0, rate=0.5, final_rate=0.5, discount=0.95,
    exploration=0.9, exploration_games=30_000,
)  # fmt: skip
_WITH_EXPERTS = ("self", "expert", "self", "expert")
_WITH_RANDOM = ("self", "random", "self", "random")

# Rossen (2022). How long his last tables were trained he does not say: his tuning took 3,000 games, his first figure 8,000.
_ROSSEN = Settings(
    "q", "rossen", 1, 8_000, 0.0, 0.5, 0.5, seating=("self", "random"), discount=0.4, exploration=1.0,
    exploration_decay=0.9998, evaluation_games=10_000,
)  # fmt: skip

# Wang, Emmerich & Plaat (2018): l = 30,000 matches to learn from, half as many after that, roles switched every match. What is not in
# the text is said in `ludus.papers.wang2018`.
_WANG_Q = Settings(
    "table", "", 1, 45_000, 0.0, 0.1, 0.1, seating=("self", "random"), rotate=True, discount=0.9, exploration=0.5,
    exploration_shape="cosine", learning_share=2 / 3, complete=True, watch=True, evaluation_games=10_000,
)  # fmt: skip

ANY = "*"  # whose presets are those of every game that has none of its own

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
    "ludo": {
        "alhajry2012-td": _ALHAJRY_TD,
        "alhajry2012-td-expert": replace(_ALHAJRY_TD, seating=_WITH_EXPERTS),
        "alhajry2012-td-random": replace(_ALHAJRY_TD, seating=_WITH_RANDOM),
        "alhajry2012-ql": _ALHAJRY_QL,
        "alhajry2012-ql-expert": replace(_ALHAJRY_QL, seating=_WITH_EXPERTS),
        "alhajry2012-ql-random": replace(_ALHAJRY_QL, seating=_WITH_RANDOM),
        # The text; and the code, in which a share of 1 is read as one per cent, and never gets less.
        "rossen2022": _ROSSEN,
        "rossen2022-as-run": replace(_ROSSEN, encoding="rossen-as-run", exploration=0.01, exploration_decay=1.0),
        # Peters's code: three opponents that run for the goal, in any order of seats.
        "peters2022": Settings(
            "q",
            "peters",
            1,
            5_000,
            0.0,
            0.01,
            0.01,
            seating=("self", "semismart", "semismart", "semismart"),
            rotate=True,
            discount=0.7,
            exploration=1.0,
            exploration_decay=0.9995,
            exploration_floor=0.1,
            evaluation_games=10_000,
        ),
        # The shipped players: as backgammon's, with inputs that see threats.
        "best": Settings("selfplay", "rich", 80, 800_000, 0.7, 0.004, 0.0001),
    },
}

# The thesis `quoridor2016`: 133 numbers, sigmoid units, Q-learning after each move, seat 0, easier positions to begin with for 200,000
# games. It gives neither step size nor the first share of random moves.
_QLNN_THESIS = Settings(
    "qlnn", "thesis", 1, 200_000, 0.0, 0.05, 0.05, seating=("self", "path"), exploration=0.3, exploration_games=200_000,
    exploration_floor=0.005, update="step", masked=False, curriculum=0.5, curriculum_games=200_000, opponents=("path", "heuristic"),
    evaluation_games=500,
)  # fmt: skip
_QLNN = Settings(
    "qlnn", "cuts", 1, 70_000, 0.8, 0.002, 0.0001, batch=64, opening=6, exploration=0.08, exploration_games=70_000, units="relu",
    update="end", mirror=True, replay=50_000, minibatch=128, passes=2.0, teacher="lead", lessons=10_000, seating=("self", "heuristic"),
    rotate=True, opponents=("path", "heuristic"), evaluation_games=500,
)  # fmt: skip

PRESETS["quoridor"] = {
    # The shipped player. Without dice, random moves at the beginning and in between show it other positions than its own.
    "best": Settings(
        "selfplay", "side", 96, 400_000, 0.95, 0.004, 0.0001, exploration=0.06, opening=8, opponents=("path", "heuristic"),
        evaluation_games=200,
    ),
    # The thesis's Q-network as the thesis has it, and mended; for its other layouts: --set layout=160-187.
    "qlnn-thesis": _QLNN_THESIS,
    "qlnn": _QLNN,
}  # fmt: skip

PRESETS[ANY] = {
    # A network over the propositions that hold: for `td` and, better, `mcts`. Random moves take the place of dice.
    "network": Settings(
        "selfplay", "propositions", 128, 460_000, 0.8, 0.003, 0.00015, batch=128, exploration=0.1, evaluation_games=1_000,
    ),
    # The same for games whose values self-play alone hardly finds, such as Hex: half of what it learns, and more in the
    # beginning, are the values of random play, from random openings.
    "network-playouts": Settings(
        "selfplay", "propositions", 128, 30_000, 0.9, 0.004, 0.0009, batch=16, exploration=0.1, opening=20, playouts=64,
        playout_until=2.0, evaluation_games=1_000,
    ),
    "wang2018-q": _WANG_Q,
    # 30 ms a move were for search; here games are counted.
    "wang2018-qm": replace(_WANG_Q, playouts=200, watch=False),
    # Their baseline, the TD(λ) learner of Banerjee & Stone (2007).
    "wang2018-td": replace(
        _WANG_Q, update="traces", afterstates=True, complete=False, watch=False, decay=0.7, rate=0.3, final_rate=0.3, discount=1.0,
        exploration=0.01, exploration_shape="decay",
    ),
    # The best table for the role against a random player: means over visits, and much exploration.
    "table-best": replace(
        _WANG_Q, games=1_500_000, afterstates=True, complete=False, watch=False, rate=1.0, final_rate=1.0, rate_power=0.5, discount=1.0,
        exploration=0.8, exploration_floor=0.1, learning_share=1.0,
    ),
}  # fmt: skip


def presets_for(game: str) -> dict[str, Settings]:
    """The presets of a game, by name; the first one is what is taken unless told.

    >>> "wang2018-q" in presets_for("some game that came as data")
    True
    """
    return PRESETS.get(game, PRESETS[ANY])


def preset(game: str, name: str) -> Settings:
    """The settings of a name.

    >>> preset("backgammon", "mauermann2015").hidden
    40
    """
    return choice(f"preset for {game}", name, presets_for(game))
