"""What can be played, and how strong opponents can be, in words for people. Games themselves are not loaded for this."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ludus.games import REGISTRY
from ludus.games.gdl import read_text, shipped, summary
from ludus.players import REGISTRY as PLAYERS
from ludus.players.levels import LEVELS

_titles = {"backgammon": "Backgammon", "ludo": "Ludo", "quoridor": "Quoridor"}
_words = {
    "backgammon": "Two players race fifteen checkers home by the throw of two dice: one game, a match with the doubling cube, or a game for money.",
    "ludo": "Two to four players bring four pieces home by the throw of a die, and send each other back.",
    "quoridor": "Reach the other side first. Each turn, move your pawn or build a wall.",
}


def _option(
    name: str, label: str, values: list[Any], usual: Any, titles: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """An option of a game's name, and what its values are called. With `of`, it is one of those variants alone; with `more`, it is out of sight at first."""
    said = list(titles) or [str(value) for value in values]
    return {
        "name": name,
        "label": label,
        "values": values,
        "titles": said,
        "default": usual,
        "of": None,
        "more": False,
    } | more


LENGTHS = (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 25)  # of matches
SINGLE, MONEY = "", "cube=true"
MATCHES = [f"match={length}" for length in LENGTHS]
VARIANT = "variant"  # an option whose values are written into the name as they are


_seats = {"backgammon": ["X", "O"], "ludo": ["red", "green", "yellow", "blue"], "quoridor": ["yellow", "green"]}
_formats = {"backgammon": ["mat", "json"], "quoridor": ["quoridor", "json"]}

# For people; `REGISTRY` has all that a name may take.
_options = {
    "backgammon": [
        _option(
            VARIANT,
            "Play",
            [SINGLE, *MATCHES, MONEY],
            SINGLE,
            [
                "One game, without the cube",
                *(f"A match to {n} point{'s' * (n > 1)}" for n in LENGTHS),
                "For money, with the cube",
            ],
        ),
        _option("scoring", "Most points of a win", [1, 2, 3], 3, of=[SINGLE]),
        _option("crawford", "Crawford game", [True, False], True, ["yes", "no"], of=MATCHES, more=True),
        _option(
            "jacoby",
            "Jacoby rule",
            [False, True],
            False,
            ["no", "gammons count only after a double"],
            of=[MONEY],
            more=True,
        ),
        _option("beavers", "Beavers", [0, 1, 2], 0, ["no", "beavers", "beavers and raccoons"], of=[MONEY], more=True),
        _option(
            "automatic",
            "Automatic doubles",
            [0, 1, 2, 3],
            0,
            ["none", "one at most", "two at most", "three at most"],
            of=[MONEY],
            more=True,
        ),
    ],
    "ludo": [
        _option("seats", "Seats", [2, 3, 4], 4),
        _option("rules", "Rules", ["classic", "ludopy", "ludopy-1.3.1"], "classic"),
    ],
    "quoridor": [
        _option("seats", "Seats", [2, 4], 2),
        _option("size", "Board", [3, 4, 5, 6, 7, 8, 9], 9),
        _option(
            "columns",
            "Columns",
            ["", 3, 4, 5, 6, 7, 8, 9],
            "",
            ["as many as rows", *"3456789"],
            more=True,
        ),
    ],
}


@lru_cache(maxsize=1)
def games() -> list[dict[str, Any]]:
    """The games, best known first, and the shipped rulesheets."""
    own = [
        {
            "name": name,
            "title": _titles[name],
            "family": name,
            "seats": len(_seats[name]),
            "seat_names": _seats[name],
            "summary": _words[name],
            "options": _options[name],
            "formats": _formats.get(name, ["json"]),
            "players": players(name, []),
        }
        for name in REGISTRY
    ]
    sheets = []
    for name, path in shipped().items():
        text = read_text(path)
        if re.search(r"^\(<= \(sees ", text, re.MULTILINE):  # the page would show what is hidden
            continue
        roles = [r for r in re.findall(r"^\(role\s+([^\s()]+)", text, re.MULTILINE) if r != "random"]
        words = summary(path)
        sheets.append(
            {
                "name": name,
                "title": _title(name, words),
                "family": "gdl",
                "seats": len(roles),
                "seat_names": roles,
                "summary": words,
                "options": [],
                "formats": ["json", "ggp"],
                "players": players("gdl", []),
            }
        )
    return own + sheets


def _title(name: str, words: str) -> str:
    """The name that a sheet's own summary gives the game: "Connect four: …", or the sheet's."""
    begin = re.split(r":| \(|, a |, for | over | on | of | with ", words)[0].strip()
    size = re.search(r"(\d+) (?:x|columns and) (\d+)", words)
    title = f"{begin} {size[1]} × {size[2]}" if size else begin
    return title if 2 < len(title) <= 40 else name[:1].upper() + name[1:]


def levels() -> list[dict[str, str]]:
    """How strong opponents can be, weakest first."""
    return [{"id": name, "title": level.title, "note": level.note} for name, level in LEVELS.items()]


def players(family: str, offered: list[str]) -> list[dict[str, str]]:
    """The players that can be named for a game of some family, those first that whoever runs the server offers."""
    listed = [{"name": name, "summary": "offered by this server"} for name in offered]
    for name, entry in PLAYERS.items():
        fits = not entry.games or family in entry.games
        if fits and not entry.outside and name not in ("run", "q", "qm", "perfect", "openspiel"):
            listed.append({"name": name, "summary": entry.summary.replace("_", " ")})
    return listed
