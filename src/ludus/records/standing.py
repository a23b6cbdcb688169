"""How somebody fares: games won, drawn and lost against each who sat at the same tables."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, select

from ludus.records.rows import Standing
from ludus.records.scheme import games, seats

BEST_ALONE = 1.0  # only rulesheets have games for one; this is their goal value of 100


def standings(connection: Connection, name: str) -> list[Standing]:
    """A row for each game and those whom it was against, most games first.

    Games that are not over don't count, nor do those in which the name sits at several seats: nobody wins against oneself.
    """
    import numpy as np  # where nobody asks for statistics, nobody waits for numpy

    from ludus.matches.statistics import wilson, win_shares

    mine = select(seats.c.game).where(seats.c.who == name)
    query = (
        select(games.c.id, games.c.game, games.c.result, seats.c.who, seats.c.level)
        .join(seats, seats.c.game == games.c.id)
        .where(games.c.over.is_(True), games.c.id.in_(mine))
        .order_by(games.c.id, seats.c.number)
    )
    tables: dict[str, list[Any]] = defaultdict(list)
    for row in connection.execute(query):
        tables[row.id].append(row)
    outcomes: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for sitting in tables.values():
        own = [number for number, row in enumerate(sitting) if row.who == name]
        scores = (sitting[0].result or {}).get("scores")
        if len(own) != 1 or not scores:
            continue
        share = float(win_shares(np.array([scores], np.float64), BEST_ALONE)[0, own[0]])
        others = [_label(row.who, row.level) for number, row in enumerate(sitting) if number != own[0]]
        outcomes[sitting[0].game, ", ".join(sorted(others))].append((share, float(scores[own[0]])))
    found = []
    for (game, against), pairs in outcomes.items():
        count = len(pairs)
        won, lost = sum(share == 1 for share, _ in pairs), sum(share == 0 for share, _ in pairs)
        low, high = wilson(sum(share for share, _ in pairs), count)
        points = sum(points for _, points in pairs)
        found.append(Standing(game, against, count, won, count - won - lost, lost, points, low, high))
    return sorted(found, key=lambda row: (-row.games, row.game, row.against))


def _label(who: str, level: str | None) -> str:
    """The same player is another opponent at another level.

    >>> _label("td", "easy"), _label("Easy", "easy")
    ('td (easy)', 'Easy')
    """
    return who if level is None or level.casefold() in who.casefold() else f"{who} ({level})"
