"""The games that environments are tested with: every family, its variants, and more than ten rulesheets."""

from __future__ import annotations

FAMILIES = (
    "backgammon",
    "backgammon(scoring=1)",
    "backgammon(bearoff=3)",
    "backgammon(match=2)",
    "backgammon(cube=true,jacoby=true,beavers=2,bearoff=3)",
    "ludo",
    "ludo(seats=2)",
    "ludo(rules=ludopy,seats=3)",
    "ludo(rules=ludopy-1.3.1)",
    "ludo(blockades=pass,capture_bonus=true)",
    "quoridor",
    "quoridor(size=5)",
    "quoridor(size=3,walls=0)",
    "quoridor(seats=4)",
)
SHEETS = (
    "breakthrough6",
    "connectfour4x4",
    "eightpuzzle",  # one seat
    "hex5",
    "kingrook",
    "maze",
    "nim",
    "pig",  # dice
    "rockpaperscissors",  # all move at once
    "tictactoe",
    "trio",  # three seats
    "tron",  # all move at once
)
JOINT = ("rockpaperscissors", "tron")
EVERY = (*FAMILIES, *SHEETS)
