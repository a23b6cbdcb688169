"""Texts and who reads them, and command lines, for the campaign of faults (faults.py)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from fault_files import RUNS, played

import ludus
from ludus import games, players, spec
from ludus.cli.main import app
from ludus.games import gdl
from ludus.games.backgammon.mat import read_mat
from ludus.games.gdl.sheet import read_sheet
from ludus.ggp import messages
from ludus.lab.config import Training
from ludus.lab.planning import plan
from ludus.methods import METHODS, method_class
from ludus.methods.settings import defaults
from ludus.quantities import Quantity

# --- texts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """Somebody who reads texts that people or programs give, with good ones to begin with."""

    name: str
    samples: list[str]
    read: Callable[[str], Any]


SIGNS = "()=,:;.-/\\'\"?<>[]{}|+*%#@ \t\n\0\x1b0123456789abcxyzABCXYZéλ٣∞😀\u202e\ud800"


def spoilt(text: str, luck: random.Random) -> str:
    """A text with a few mistakes in it."""
    for _ in range(luck.choice((1, 1, 1, 2, 4, 16))):
        at, end = (luck.randrange(len(text) + 1) for _ in range(2))
        part = text[at : min(end, at + 20)]
        text = luck.choice((
            text[:at] + luck.choice(SIGNS) + text[at:],
            text[:at] + text[at + 1 :],
            text[:at] + luck.choice(SIGNS) + text[at + 1 :],
            text[:at] + part + text[at:],
            text[:at] + text[at + len(part) :],
            text[:at] + part * luck.choice((2, 50)) + text[at:],
            text[:at] + luck.choice(("9" * 30, "9" * 500, "9" * 5000, "-1", "nan", "inf", "1e400", "(" * 2000, "a" * 5000)) + text[at:],
        ))  # fmt: skip
    return text


def readers() -> list[Reader]:
    """All who read texts."""
    board = {name: ludus.game(name) for name in ("backgammon", "ludo", "quoridor", "tictactoe")}
    found = [
        Reader("names", ["td:runs/a(plies=1)", "ludo(rules=ludopy,seats=2)", "mcts(seconds=0.1,c=0.3)"], spec.parse),
        Reader(
            "games", ["backgammon(scoring=1)", "ludo(rules=ludopy,seats=2)", "quoridor(size=5,walls=3,limit=9)", "nim(seconds=5,memory=500)"],
            lambda text: None if re.search(r"\.py\s*:", text) else games.game(text),
        ),
        Reader(
            "players", ["td(plies=1,width=4)", "mcts(simulations=50,nodes=1000)", "mcs(playouts=4)", "alphabeta(depth=2)", "lead(plies=1,wall=2)"],
            lambda text: None if re.search(r"\.py\s*:", text) else players.player(text, board["quoridor"]),
        ),
        Reader("rulesheets", [gdl.read_text(gdl.shipped()[name]) for name in ("tictactoe", "nim", "pig")], lambda text: read_sheet(text, "the sheet")),
        Reader(
            "messages", ["(INFO)", "(START m white ((role white)(role black)) 10 5)", "(PLAY m ((mark 1 1) noop))", "(STOP m NIL)", "play(m1,[mark(1,1),noop])"],
            messages.read,
        ),
        Reader("settings", ["0.5", "40", "random,td(plies=1)", "true", "raw"], _set),
    ]  # fmt: skip
    for name, game in board.items():
        positions = [step.after for step in played(game, 30).steps]
        decisions = [p for p in positions if p.kind == "decision"]
        found.append(Reader(f"positions of {name}", [p.text for p in positions], game.position))
        found.append(
            Reader(f"moves of {name}", [str(m) for p in decisions[:3] for m in p.moves()[:9]], decisions[0].play)
        )
    table = played(board["backgammon"], 30)
    plays = [move for step in table.steps for move in step.moves]
    found.append(
        Reader(
            "matches",
            [board["backgammon"].write_game("a.mat", ["you", "me"], plays)],
            lambda text: read_mat(text, "the file"),
        )
    )
    return found


def _set(text: str) -> Any:
    """Give one text to settings of all methods."""
    luck = random.Random(len(text))
    method = luck.choice(list(METHODS))
    name = luck.choice([*defaults(method_class(method).Settings), *defaults(Training)])
    where = {key: RUNS[method][key] for key in ("preset", "method") if key in RUNS[method]}
    return plan(RUNS[method]["game"], **where, settings={name: text}).method


# --- command lines ---------------------------------------------------------------------------------------------------

BEGINNINGS = {
    "train": ["tictactoe"], "sweep": ["tictactoe", "--over", "rate=0.1"], "play": ["tictactoe"], "analyse": ["tictactoe"], "arena": ["tictactoe", "random", "random"],
    "bench": ["tictactoe"], "solve": ["tictactoe"], "compare": ["table"], "reproduce": ["mauermann2015"], "demo": [], "gdl check": ["tictactoe"], "rollout": ["backgammon"],
    "ggp player": [], "ggp match": ["tictactoe", "--players", "random,random"], "ggp serve": [], "serve": ["--no-open"],
    "ggp tournament": ["tictactoe", "--players", "random,random"], "ggp results": [], "engine": ["tictactoe"], "explain": ["XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"],
}  # fmt: skip
NUMBERS = [
    "0",
    "-1",
    "0.5",
    "1e12",
    str(10**12),
    str(2**63),
    "9" * 400,
    "9" * 5000,
    "nan",
    "inf",
    "-inf",
    "1e308",
    "",
    " ",
    "text",
    "0x10",
    "1,2",
]
PATHS = ["a" * 5000, "/dev/zero", "/dev/null", "none/at/all", "/proc/self/mem"]
PATH_LINES = [
    ["plot"], ["table"], ["train", "--resume"], ["play", "tictactoe", "--load"], ["ggp", "results", "--database"], ["train"], ["gdl", "check"],
    ["gdl", "show"], ["board"], ["methods"], ["reproduce"], ["warmup"],
]  # fmt: skip
Line = Callable[[random.Random], list[str]]


def command_lines() -> list[Line]:
    """Makers of command lines, each of which has to be refused."""
    made: list[Line] = []
    groups = [("", app)] + [(f"{group.name} ", group.typer_instance) for group in app.registered_groups]
    for prefix, group in groups:
        for info in group.registered_commands:
            name = prefix + (info.name or info.callback.__name__)
            for option, hint in get_type_hints(info.callback, include_extras=True).items():
                for kind in getattr(hint, "__metadata__", ()):
                    if isinstance(kind, Quantity):
                        made.append(_numbered(name, option, [text for text in NUMBERS if not _fits(kind, text)]))
            made.append(lambda luck, name=name: [*name.split(), f"--{''.join(luck.choices('abcxyz-', k=5))}=1"])
    made += [lambda luck, line=line: [*line, luck.choice(PATHS)] for line in PATH_LINES]
    made += [_player_line, _setting_line] * 10
    return made


def _numbered(name: str, option: str, texts: list[str]) -> Line:
    return lambda luck: [*name.split(), *BEGINNINGS[name], f"--{option.replace('_', '-')}={luck.choice(texts)}"]


def _fits(kind: Quantity, text: str) -> bool:
    try:
        return kind.fault(kind.type(text)) is None
    except ValueError:
        return False


def _player_line(luck: random.Random) -> list[str]:
    name, entry = luck.choice([pair for pair in players.REGISTRY.items() if pair[1].parameters])
    key, kind = luck.choice(list(entry.parameters.items()))
    bad = [text for text in NUMBERS if not isinstance(kind, Quantity) or not _fits(kind, text.strip())]
    text = luck.choice(
        [text for text in bad if text.strip() and text not in ("0", "1", "2")]
        if not isinstance(kind, Quantity)
        else bad
    )
    return ["arena", (entry.games or ("quoridor",))[0], f"{name}({key}={text})", "random", "--games", "2"]


def _setting_line(luck: random.Random) -> list[str]:
    method = luck.choice(list(METHODS))
    settings = {**defaults(method_class(method).Settings), **defaults(Training)}
    name = luck.choice([name for name, value in settings.items() if type(value) in (int, float)])
    where = [part for key in ("preset", "method") if key in RUNS[method] for part in (f"--{key}", RUNS[method][key])]
    return [
        "train",
        RUNS[method]["game"],
        *where,
        "--set",
        f"{name}={luck.choice(['-1', '9' * 400, 'nan', 'inf', '1e308', '', 'text'])}",
    ]
