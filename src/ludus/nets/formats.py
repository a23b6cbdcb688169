"""What files of older versions mean, in the terms of today's. Files are read in every format there ever was, and written in the newest.

Format 1 had one flat table of settings for all methods; each method now has its own, and those of the training stand apart.
"""

from __future__ import annotations

from typing import Any

FORMAT = 2

TRAINING = ("games", "evaluate_every", "checkpoint_every", "opponents", "evaluation_games")

_STEPS = ("rate", "final_rate")
_SEATS = ("seating", "rotate")
_EXPLORES = ("exploration", "exploration_decay", "exploration_floor", "exploration_games")

# The methods of format 1: the settings that each used, and the player that loads what it learned.
_USED = {
    "traces": ("encoding", "hidden", "decay", *_STEPS, *_SEATS),
    "selfplay": (
        "encoding", "hidden", "decay", *_STEPS, "batch", "look_ahead_from", "opening", "exploration", "playouts", "playout_share",
        "playout_until",
    ),
    "q": ("encoding", "hidden", "discount", *_STEPS, *_SEATS, *_EXPLORES),
    "table": (
        "discount", "decay", *_STEPS, *_SEATS, *_EXPLORES, "exploration_shape", "learning_share", "update", "afterstates", "complete",
        "watch", "noops", "rate_power", "playouts", "nested", "table_limit",
    ),
    "qlnn": (
        "encoding", "discount", "decay", *_STEPS, *_SEATS, "exploration", "exploration_floor", "exploration_games", "layout", "units",
        "update", "masked", "curriculum", "curriculum_games", "batch", "opening", "mirror", "replay", "minibatch", "passes", "teacher",
        "lessons", "lesson_values", "follow",
    ),
}  # fmt: skip
_PLAYERS = {"traces": "td", "selfplay": "td", "q": "q", "qlnn": "qlnn"}


def upgraded(values: dict[str, Any]) -> dict[str, Any]:
    """What a file of format 1 says (the facts of a model, or a run's configuration), as format 2 says it. KeyError or TypeError if it makes
    no sense.

    >>> new = upgraded({"seed": 1, "settings": {"method": "traces", "hidden": 40, "games": 100, "layout": "2-2"}})
    >>> new["method"], new["settings"], new["training"], new["player"]
    ('traces', {'hidden': 40}, {'games': 100}, 'td')
    """
    flat = values["settings"]
    method = flat["method"]
    player = _PLAYERS.get(method) or ("qm" if flat.get("playouts") else "q")
    return values | {
        "method": method,
        "player": player,
        "settings": {name: flat[name] for name in _USED[method] if name in flat},
        "training": {name: flat[name] for name in TRAINING if name in flat},
    }
