"""Runs to be killed, and files to be damaged, for the campaign of faults (faults.py)."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ludus
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.sheet import read_sheet
from ludus.ggp.record import Clocks, Match
from ludus.ggp.store import Store
from ludus.lab import Run, metrics, train
from ludus.lab.plots import learning_curve
from ludus.nets import storage
from ludus.play import saved
from ludus.play.table import Table
from ludus.records import GameRow, Records, SeatRow, StepRow

# A training by every method, as small as it can be and still have checkpoints to fall back to.
SMALL: dict[str, Any] = {"evaluation_games": 4}
RUNS: dict[str, dict[str, Any]] = {
    "traces": {
        "game": "backgammon", "preset": "mauermann2015", "games": 400, "hidden": 10, "evaluate_every": 150, "checkpoint_every": 60, **SMALL,
    },
    "selfplay": {
        "game": "backgammon", "method": "selfplay", "encoding": "raw", "games": 256, "hidden": 8, "batch": 32, "rate": 0.01,
        "final_rate": 0.001, "evaluate_every": 100, "checkpoint_every": 64, **SMALL,
    },
    "q": {
        "game": "ludo(rules=ludopy-1.3.1,seats=2)", "preset": "rossen2022", "games": 400, "evaluate_every": 150, "checkpoint_every": 60, **SMALL,
    },
    "table": {
        "game": "tictactoe", "preset": "wang2018-qm", "games": 400, "playouts": 3, "evaluate_every": 150, "checkpoint_every": 60, **SMALL,
    },
    "zero": {
        "game": "tictactoe", "method": "zero", "games": 32, "blocks": 0, "hidden": 4, "simulations": 4, "width": 4, "playouts": 4, "games_at_once": 4,
        "memory": 200, "minibatch": 16, "passes": 1.0, "evaluate_every": 12, "checkpoint_every": 8, **SMALL,
    },
    "qlnn": {
        "game": "quoridor(size=5,walls=3)", "preset": "qlnn", "games": 48, "layout": "3-2", "batch": 4, "lessons": 8, "replay": 60,
        "minibatch": 16, "exploration": 0.2, "exploration_games": 20, "evaluate_every": 12, "checkpoint_every": 8, **SMALL,
    },
}  # fmt: skip
PLAYERS = {"traces": "td", "selfplay": "td", "q": "q", "table": "qm", "qlnn": "qlnn", "zero": "zero"}

# --- files -----------------------------------------------------------------------------------------------------------


@dataclass
class Kind:
    """A file that is damaged, and how it is used then."""

    name: str
    path: Path
    use: Callable[[], Any]  # returns what the file means; LudusError if it is refused
    signed: bool = False  # whether any damage can be noticed
    data: bytes = field(init=False)
    meaning: Any = field(init=False)

    def notices(self, how: str) -> bool:
        """Whether a damage of such a kind has to be noticed. In place of a model another good one may stand, and odd facts may be of no harm."""
        return self.signed and how != "odd facts" and (how != "swapped" or self.name.startswith("checkpoint"))

    def __post_init__(self) -> None:
        self.data, self.meaning = self.path.read_bytes(), self.use()


def _contents(path: Path) -> Any:
    tensors, facts = storage.load(path)
    return {name: (str(t.dtype), t.shape, t.tobytes()) for name, t in tensors.items()}, facts


def _restored(run: Run, learner: Any, path: Path) -> Any:
    """What a checkpoint means: the run takes it, or says why not."""
    told: list[str] = []
    run.restore(learner, told.append)
    aside = path.with_name(f"{path.name}.bad")
    if aside.exists():
        aside.replace(path)
    if told:
        raise LudusError(told[0])
    return _contents(path)


def files(folder: Path) -> list[Kind]:
    """Files of every kind that ludus reads."""
    found = []
    for method, values in RUNS.items():
        run = train(out=folder / method, **values)
        game, name = run.game, f"{PLAYERS[method]}:{run.model}"
        found.append(
            Kind(
                f"model of {method}",
                run.model,
                lambda game=game, name=name, run=run: (ludus.player(name, game), _contents(run.model))[1],
                True,
            )
        )
        path = run.checkpoints()[0]
        for other in run.checkpoints()[1:]:
            other.unlink()
        learner = run.learner()
        found.append(
            Kind(
                f"checkpoint of {method}",
                path,
                lambda run=run, learner=learner, path=path: _restored(run, learner, path),
                True,
            )
        )
        found.append(Kind("configuration", run.folder / "config.toml", lambda run=run: _configured(run.folder)))
        found.append(Kind("record", run.folder / "metrics.jsonl", lambda run=run: _recorded(run.folder)))
    sheet = folder / "sheet.kif"
    for name in ("tictactoe", "connectfour", "pig"):
        copied = sheet.with_name(f"{name}.kif")
        copied.write_text(gdl.read_text(gdl.shipped()[name]))
        found.append(
            Kind("rulesheet", copied, lambda path=copied: read_sheet(gdl.read_text(path), "the sheet") and None)
        )
    for name, suffix in (
        ("backgammon", ".json"),
        ("backgammon", ".mat"),
        ("tictactoe", ".json"),
        ("quoridor", ".json"),
    ):
        path = folder / f"{name}{suffix}"
        saved.save(played(ludus.game(name), 12), path)
        found.append(
            Kind("saved game", path, lambda path=path, name=name: saved.load(ludus.game(name), path, 0, 1) and None)
        )
    found.append(_database(folder / "matches.sqlite"))
    return found


def _configured(folder: Path) -> None:
    run = Run.open(folder)
    run.method()
    _ = run.game


def _recorded(folder: Path) -> None:
    lines = [line for line in metrics.read(folder / "metrics.jsonl") if line["kind"] == "evaluation"]
    if lines and len(lines) % 3 == 0:  # a figure takes its time
        learning_curve(lines, "a curve")


def played(game: Any, plies: int) -> Table:
    """A game with some random moves."""
    luck, table = random.Random(1), Table(game, 1, 0, ["you", *["random"] * (game.facts.seats - 1)])
    for _ in range(plies):
        position = table.position
        if position.kind == "over":
            break
        if position.kind == "chance":
            table.roll()
        else:
            table.take([luck.choice(position.moves())])
    return table


def _database(path: Path) -> Kind:
    game = ludus.game("tictactoe")
    store = Store(path)
    for number in range(3):
        match = Match(game, "tictactoe", ["random", "random"], Clocks(1, 1), number)
        match.states, match.state_times, match.errors = ["( )", "( )"], [1, 2], [["", ""], ["", ""]]
        match.moves, match.goals, match.completed = [["( mark 1 1 )", "noop"]], [50, 50], True
        store.save(match)
    records = Records(path)
    records.create(
        GameRow("g", "ludo", "Ludo", options={"auto": True}), [SeatRow("person", "You"), SeatRow("player", "td")]
    )
    records.append("g", 0, [StepRow(0, "decision", (str(number),), number) for number in range(9)])
    records.finish("g", {"scores": [1, 0], "text": "X wins.", "reason": "played"})
    records.close()
    store.close()

    def use() -> None:
        opened = Records(path)
        try:
            matches = Store(opened)
            for result in matches.results():
                matches.match(result["matchId"])
            for row in opened.search():
                if row.kind == "table":
                    opened.load(row.id)
            opened.statistics("You")
        finally:
            opened.close()

    return Kind("database", path, use)


ODD: list[Any] = [
    None,
    True,
    -1,
    1.5,
    1e308,
    float("nan"),
    10**30,
    "",
    "x" * 300,
    "a\0b",
    "\ud800",
    [],
    ["x"],
    [[]],
    {},
    {"x": {}},
]
TOML = [
    "-1",
    "1.5",
    "nan",
    "inf",
    "1e400",
    "true",
    '""',
    '"x"',
    '"a\\u0000b"',
    "[]",
    '["x"]',
    "{}",
    "[[[",
    "9" * 400,
    "1979-05-27",
]


def damage(kind: Kind, others: list[bytes], luck: random.Random) -> str:
    """Damage a file, and say how."""
    data, ways = bytearray(kind.data), ["flipped", "cut", "moved", "filled", "swapped"]
    if kind.path.suffix in (".safetensors", ".json", ".jsonl", ".toml"):
        ways += ["odd"] * 3
    way = luck.choice(ways)
    if way == "flipped":
        for _ in range(luck.choice((1, 1, 1, 2, 8))):
            data[luck.randrange(len(data))] ^= 1 << luck.randrange(8)
    elif way == "cut":
        del data[luck.randrange(len(data)) :]
    elif way == "moved":
        first, second = sorted(luck.randrange(len(data)) for _ in range(2))
        data = data[second:] + data[first:second] + data[:first]
    elif way == "filled":
        at = luck.randrange(len(data))
        data[at : at + luck.randrange(1, 64)] = luck.choice((b"\0", b"\xff", b"[", b"9", b'"', b"\n")) * luck.choice(
            (1, 10, 5000)
        )
    elif way == "swapped":
        data = bytearray(luck.choice(others))
    elif kind.path.suffix == ".safetensors":
        return _signed(kind.path, luck)
    else:
        data = bytearray(_odd_text(kind, luck))
    kind.path.write_bytes(data)
    return way


def _signed(path: Path, luck: random.Random) -> str:
    """Write odd facts, or odd numbers, with a digest that fits them."""
    tensors, facts = storage.load(path)
    tensors = {name: tensor.copy() for name, tensor in tensors.items()}
    if luck.random() < 0.2:
        name = luck.choice(list(tensors))
        tensor = tensors[name]
        if tensor.size and tensor.dtype.kind == "f":
            tensor.flat[luck.randrange(tensor.size)] = luck.choice((float("nan"), float("inf")))
            storage.save(path, tensors, facts)
            return "not finite"
        else:
            tensors[name] = tensor.reshape(-1)[: luck.randrange(tensor.size + 1)].copy()
    else:
        facts = copy.deepcopy(facts)
        _spoil(facts, luck)
    storage.save(path, tensors, facts)
    return "odd facts"


def _spoil(value: Any, luck: random.Random) -> None:
    """Replace or remove something in a dictionary or a list, at any depth."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not keys:
        return
    key = luck.choice(keys)
    if isinstance(value[key], dict | list) and value[key] and luck.random() < 0.7:
        _spoil(value[key], luck)
    elif luck.random() < 0.2:
        del value[key]
    else:
        value[key] = luck.choice(ODD)


def _odd_text(kind: Kind, luck: random.Random) -> bytes:
    """Odd values in a file of lines or of JSON."""
    text = kind.data.decode()
    if kind.path.suffix == ".json":
        value = json.loads(text)
        _spoil(value, luck)
        return json.dumps(value).encode()
    lines = text.splitlines()
    number = luck.randrange(len(lines))
    if kind.path.suffix == ".jsonl":
        value = json.loads(lines[number])
        _spoil(value, luck)
        lines[number] = json.dumps(value)
    else:
        lines[number] = f"{lines[number].partition(' = ')[0]} = {luck.choice(TOML)}"
    return ("\n".join(lines) + "\n").encode()
