"""How strong an opponent is to be, in words, and which player that is in each game.

Weaker levels are the same players, less sure of themselves: they take a move the likelier the better they think it is, by a softmax whose temperature is a
share of what can be won and lost in the game. So they play like beginners, who see much and misjudge it, and not like dice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.errors import LudusError, unknown
from ludus.spec import parse


class Level(NamedTuple):
    """A level for people."""

    title: str
    note: str


LEVELS = {
    "beginner": Level("Beginner", "knows the rules, and little more"),
    "easy": Level("Easy", "sees good moves, and often takes others"),
    "medium": Level("Medium", "plays sensibly, with mistakes"),
    "strong": Level("Strong", "plays as it learned to, without looking ahead"),
    "best": Level("As strong as it gets", "thinks ahead for as long as you let it"),
}


class Choice(NamedTuple):
    """A player, and how loosely it chooses among what it thinks of the moves."""

    player: str
    temperature: float = 0.0


# By family and level; {seconds} is the thinking time.
_players: dict[str, dict[str, Choice]] = {
    "backgammon": {
        "beginner": Choice("td", 0.06), "easy": Choice("td", 0.025), "medium": Choice("td", 0.01),
        "strong": Choice("td"), "best": Choice("td(plies=2)"),
    },
    "ludo": {
        "beginner": Choice("td", 0.08), "easy": Choice("td", 0.03), "medium": Choice("td", 0.01),
        "strong": Choice("td"), "best": Choice("td(rollouts=24)"),
    },
    "quoridor": {
        "beginner": Choice("td", 0.15), "easy": Choice("td", 0.06), "medium": Choice("td", 0.02),
        "strong": Choice("td"), "best": Choice("td(seconds={seconds})"),
    },
}  # fmt: skip
_others = {  # games without a network of their own
    "beginner": Choice("mcts(simulations=50)", 0.2), "easy": Choice("mcts(simulations=100)", 0.07), "medium": Choice("mcts(simulations=200)"),
    "strong": Choice("mcts(simulations=2000)"), "best": Choice("mcts(seconds={seconds})"),
}  # fmt: skip

SECONDS = 2.0  # to think, unless told
MOST_SECONDS = 600.0


def at_level(family: str, level: str, has_network: bool, seconds: float = SECONDS) -> Choice:
    """The player of a level in a game of some family, with so many seconds to think where it does.

    >>> at_level("quoridor", "best", True, 5.0).player
    'td(seconds=5)'
    >>> at_level("tictactoe", "medium", False)
    Choice(player='mcts(simulations=200)', temperature=0.0)
    """
    if level not in LEVELS:
        raise unknown("level", level, LEVELS)
    if not 0.05 <= seconds <= MOST_SECONDS:
        raise LudusError(f"{seconds:g} seconds to think: it must be between 0.05 and {MOST_SECONDS:g}")
    known = _players.get(family, _others) if has_network else _others
    choice = known[level]
    return choice._replace(player=choice.player.format(seconds=f"{seconds:g}"))


def takes_time(name: str) -> bool:
    """Whether a player is one that looks ahead, or has a game to solve first, and so may take seconds for a move.

    >>> takes_time("td"), takes_time("td(plies=2)"), takes_time("mcts(simulations=200)"), takes_time("heuristic")
    (False, True, True, False)
    """
    spec = parse(name)
    quick: dict[str, Any] = {"plies": 0, "rollouts": 0}
    looks = any(spec.arguments.get(key, quick.get(key)) != quick.get(key) for key in ("plies", "rollouts", "seconds"))
    return (
        looks
        or spec.name
        in ("mcts", "mcs", "nmcs", "alphabeta", "qm", "lead", "gnubg", "gnubg-program", "wildbg", "perfect")
        or spec.path is not None
    )


def seconds_of(name: str) -> float:
    """How long a player's name says that it thinks; 0 if it doesn't say.

    >>> seconds_of("mcts(seconds=5)"), seconds_of("td")
    (5.0, 0.0)
    """
    said = parse(name).arguments.get("seconds")
    return float(said) if isinstance(said, int | float) else 0.0
