"""Ratings: one number a player, from which the chance to win any game among them follows.

The model is that of Plackett and Luce: among the players of a game, each comes first with a probability in proportion to its strength,
then among the others each comes next likewise. With two seats it is that of Bradley and Terry. A tie counts as each of its orders
equally often, so that a drawn game of two is half a win for both. Ratings are told on the scale of Elo: 400 points more are odds of ten to one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.errors import LudusError
from ludus.matches.statistics.basics import Z95

SCALE = 400 / math.log(10)  # Elo points of a natural logarithm of strength
ROUNDS = 1000
CLOSE = 1e-11


class Ratings(NamedTuple):
    """Ratings in Elo points, whose mean is 0, and how sure they are."""

    elo: np.ndarray
    covariance: np.ndarray  # of the ratings

    def intervals(self, z: float = Z95) -> list[tuple[float, float]]:
        """The interval of each rating: of how far a player is from the mean of all."""
        errors = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))  # rounding may put a 0 below it
        return [(float(x - z * e), float(x + z * e)) for x, e in zip(self.elo, errors, strict=True)]

    def difference(self, a: int, b: int, z: float = Z95) -> tuple[float, float, float]:
        """By how much player a is rated above player b, and the interval of that."""
        found = float(self.elo[a] - self.elo[b])
        c = self.covariance
        error = math.sqrt(max(0.0, float(c[a, a] + c[b, b] - 2 * c[a, b])))
        return found, found - z * error, found + z * error

    def expected(self, a: int, b: int) -> float:
        """What player a wins of games against player b, by their ratings."""
        return 1 / (1 + 10 ** float((self.elo[b] - self.elo[a]) / 400))


class _Choices(NamedTuple):
    """What was seen, as choices: who came first among some players. A row a choice."""

    among: np.ndarray  # bool, a column a player
    won: np.ndarray  # the weight with which each of them came first
    group: np.ndarray  # the number of the group of games that it belongs to


def bradley_terry(wins: np.ndarray, names: Sequence[str] = ()) -> Ratings:
    """Ratings from a table of games of two: `wins[i, j]` is what player i won against player j, with halves for draws.

    Games are taken as independent of each other. `plackett_luce` knows of pairs of games.

    >>> ratings = bradley_terry(np.array([[0, 75], [25, 0]]))
    >>> [round(x, 1) for x in ratings.difference(0, 1)]
    [190.8, 112.2, 269.5]
    """
    table = np.asarray(wins, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 2:
        raise LudusError(
            f"a table of wins has a row and a column for each of two players or more, not the shape {table.shape}"
        )
    if not np.isfinite(table).all() or (table < 0).any() or np.diag(table).any():
        raise LudusError("a table of wins holds numbers from 0 on, and 0 where a player meets itself")
    pairs = [(i, j) for i, j in itertools.combinations(range(len(table)), 2) if table[i, j] + table[j, i] > 0]
    among, won = np.zeros((len(pairs), len(table)), bool), np.zeros((len(pairs), len(table)))
    for row, (i, j) in enumerate(pairs):
        among[row, [i, j]] = True
        won[row, i], won[row, j] = table[i, j], table[j, i]
    log = _fit(among, won, _names(names, len(table)))
    return Ratings(SCALE * log, SCALE**2 * _uncertainty(_information(among, won, log)))


def plackett_luce(
    players: np.ndarray,
    places: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    only_first: bool = False,
    names: Sequence[str] = (),
) -> Ratings:
    """Ratings from games of any number of seats: who sat there, a row a game, and the place that each came to.

    A lower place is better; equal places are a tie. `only_first` looks at who won and nothing else, as fits games that
    end with the first to arrive, where all others are not told apart. `groups` gives games that are not independent of each other, such as a pair with the
    same dice, the same number; intervals then take this into account. Without it each game is a group.

    >>> games = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]])
    >>> places = np.array([[1, 2, 3], [1, 2, 3], [1, 1, 3], [1, 2, 2]])
    >>> plackett_luce(games, places).elo.round(1).tolist()
    [80.0, -34.0, -46.0]
    """
    seats, came = np.asarray(players), np.asarray(places, np.float64)
    if seats.ndim != 2 or seats.shape != came.shape or seats.shape[1] < 2 or not len(seats):
        raise LudusError(
            f"players and places have a row a game and a column for each of two seats or more, not the shapes {seats.shape} and {came.shape}"
        )
    if not np.issubdtype(seats.dtype, np.integer) or (seats < 0).any() or np.isnan(came).any():
        raise LudusError("players are whole numbers from 0 on, and places are numbers")
    ordered = np.sort(seats, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise LudusError("a player sits twice in a game: it cannot be rated against itself")
    of_game = np.arange(len(seats)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    if of_game.shape != (len(seats),):
        raise LudusError(f"there are {len(seats)} games, but {of_game.size} numbers of groups")
    return _rated(_choices(seats, came, of_game, only_first), _names(names, int(seats.max()) + 1))


def ratings_of_wins(won: np.ndarray, groups: np.ndarray, names: Sequence[str] = ()) -> Ratings:
    """Ratings from how many games each of a table won, where the games themselves are not known: `plackett_luce` with `only_first`.

    `won` has a row a table and a column a player, with parts for shared wins, and NaN where a player did not sit at the table. Tables
    of the same group are not independent of each other.

    >>> ratings = ratings_of_wins(np.array([[8, 2], [7, 3]]), np.array([1, 2]))
    >>> ratings.elo.round(1).tolist()
    [95.4, -95.4]
    """
    wins = np.asarray(won, np.float64)
    among = ~np.isnan(wins)
    if wins.ndim != 2 or not len(wins) or (among.sum(axis=1) < 2).any() or not np.all(wins[among] >= 0):
        raise LudusError("what players won has a row a table, with numbers from 0 on of two players or more")
    of_table = np.unique(np.asarray(groups), return_inverse=True)[1]
    if of_table.shape != (len(wins),):
        raise LudusError(f"there are {len(wins)} tables, but {of_table.size} numbers of groups")
    return _rated(_Choices(among, np.where(among, wins, 0.0), of_table), _names(names, wins.shape[1]))


def _rated(choices: _Choices, names: list[str]) -> Ratings:
    log = _fit(choices.among, choices.won, names)
    bread = _uncertainty(_information(choices.among, choices.won, log))
    # How much each group pulls at the strengths, beyond what they explain: the squares of these pulls say how unsure
    # the strengths are, also where draws, or pairs with the same dice, make games less random than the model has them.
    pulls = np.zeros((choices.group.max() + 1, len(log)))
    np.add.at(pulls, choices.group, choices.won - _expected(choices.among, choices.won, log))
    fewer = len(pulls) / (len(pulls) - 1) if len(pulls) > 1 else math.nan
    return Ratings(SCALE * log, SCALE**2 * fewer * bread @ (pulls.T @ pulls) @ bread)


def _names(names: Sequence[str], count: int) -> list[str]:
    if names and len(names) != count:
        raise LudusError(f"there are {count} players, but {len(names)} names")
    return list(names) or [f"player {number}" for number in range(count)]


def _choices(players: np.ndarray, places: np.ndarray, groups: np.ndarray, only_first: bool) -> _Choices:
    """All choices of all games. A tie of n players is n! orders, of which equal parts are summed up."""
    count = int(players.max()) + 1
    among: list[np.ndarray] = []
    won: list[np.ndarray] = []
    group: list[int] = []
    for seats, came, of in zip(players, places, groups.tolist(), strict=True):
        left = np.zeros(count, bool)
        left[seats] = True
        for place in np.unique(came):
            tied = seats[came == place]
            if only_first:
                taken: list[tuple[int, ...]] = [()]
            else:
                taken = [some for size in range(len(tied)) for some in itertools.combinations(tied.tolist(), size)]
            for gone in taken:  # those of the tie who came before
                still = left.copy()
                still[list(gone)] = False
                if still.sum() < 2:
                    continue
                first = np.zeros(count)
                next_ones = [player for player in tied.tolist() if player not in gone]
                first[next_ones] = 1 / math.comb(len(tied), len(gone)) / len(next_ones)
                among.append(still)
                won.append(first)
                group.append(of)
            left[tied] = False
            if only_first:
                break
    return _Choices(np.array(among), np.array(won), np.array(group))


def _fit(among: np.ndarray, won: np.ndarray, names: list[str]) -> np.ndarray:
    """The logarithms of the most likely strengths, with a mean of 0.

    Newton's method, as the likelihood has a single peak. The MM iteration of Hunter (2004) comes to the same, but takes
    more than a hundred thousand rounds where twelve players in a row are linked by one lost game in a thousand.
    """
    _check_connected(among, won, names)
    sets, which = np.unique(among, axis=0, return_inverse=True)
    first = np.zeros(sets.shape)
    np.add.at(first, which.ravel(), won)
    weights = first.sum(axis=1)

    def likelihood(log: np.ndarray) -> float:
        return float(first.sum(axis=0) @ log - weights @ np.log(sets @ np.exp(log)))

    log = np.zeros(len(names))
    for _ in range(ROUNDS):
        pull = np.sum(first - _expected(sets, first, log), axis=0)
        # Nothing is known of the mean of all; the constant keeps it at 0.
        step = np.linalg.solve(_information(sets, first, log) + 1 / len(log), pull)
        before = likelihood(log)
        while likelihood(log + step) < before - 1e-12 * abs(before):  # more than rounding
            step /= 2
        log = log + step - np.mean(log + step)
        if np.max(np.abs(step)) < CLOSE:
            return log
    raise LudusError("the ratings do not settle: too few wins connect some of the players; add games")


def _check_connected(among: np.ndarray, won: np.ndarray, names: list[str]) -> None:
    """LudusError if some players never won against any of the others: how far they are apart cannot be known then."""
    reach = (won.T @ among.astype(np.float64) > 0) | np.eye(len(names), dtype=bool)
    for middle in range(len(names)):
        reach |= reach[:, middle, None] & reach[middle]
    if not reach.all():
        row = int(np.argmin(reach.sum(axis=1)))
        weak = [name for name, reached in zip(names, reach[row], strict=True) if reached]
        others = [name for name, reached in zip(names, reach[row], strict=True) if not reached]
        raise LudusError(
            f"{', '.join(weak)} never won against {', '.join(others)}, so that no finite ratings fit: "
            "add games, or half a win for both sides of each pairing"
        )


def _shares(among: np.ndarray, log: np.ndarray) -> np.ndarray:
    part = among * np.exp(log)
    return part / part.sum(axis=1, keepdims=True)


def _expected(among: np.ndarray, won: np.ndarray, log: np.ndarray) -> np.ndarray:
    return _shares(among, log) * won.sum(axis=1, keepdims=True)


def _information(among: np.ndarray, won: np.ndarray, log: np.ndarray) -> np.ndarray:
    """Fisher's information on the logarithms of the strengths."""
    shares, weights = _shares(among, log), won.sum(axis=1)
    return np.diag(weights @ shares) - (shares * weights[:, None]).T @ shares


def _uncertainty(information: np.ndarray) -> np.ndarray:
    """The inverse of the information, but for the mean of all, of which nothing is known.

    A general pseudo-inverse has to guess which of its directions that is, and is off by any factor where one side wins nearly everything.
    """
    of_mean = 1 / len(information)
    inverse: np.ndarray = np.linalg.inv(information + of_mean) - of_mean
    return inverse
