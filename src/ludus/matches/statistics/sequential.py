"""A test that stops as soon as it is sure: the sequential probability ratio test over pairs of games, as chess programs are tested.

A pair is two games with exchanged seats and, where there is chance, the same dice. What the first player wins of a pair, 0, ½, 1, 1½ or 2
games, is one of five outcomes (hence "pentanomial"), and pairs are independent of each other where the games of a pair are not. After any
number of pairs the likelihood of what was seen is compared under two hypotheses on the win share, each with the distribution of the five outcomes that fits best
among those with that share. Beyond a bound the test ends; the bounds are Wald's, and follow from how often it may err.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ludus.errors import LudusError, brief

OUTCOMES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # win shares of a pair
UNSEEN = 1e-3  # counted for an outcome that was never seen, as it might be
HALVINGS = 60
LEAST_PAIRS = 20  # before points decide: a variance of fewer says too little


class Question(NamedTuple):
    """What a test is to decide: whether a mean is `low` (or less) or `high` (or more), and how often it may err in each case."""

    low: float
    high: float
    alpha: float = 0.05  # how often it may say "high" where `low` is true
    beta: float = 0.05  # how often it may say "low" where `high` is true
    points: bool = False  # whether it is on points a game; else on the win share

    @property
    def bounds(self) -> tuple[float, float]:
        """Beyond these logarithms of the likelihood ratio the test ends."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


class Verdict(NamedTuple):
    """How a test stands."""

    question: Question
    pairs: int
    mean: float  # what was seen: the first player's win share, or its points a game
    llr: float  # the logarithm of the likelihood ratio
    decision: str  # "high", "low" or "" while it is open

    def sentence(self, first: str, second: str) -> str:
        """The verdict for people.

        >>> print(sprt_pairs([10, 40, 100, 60, 30], question("0,5")).sentence("td", "random"))
        td is better than random: it won 56.2 % of 480 games. If its true share were 50 %, this test would say so in about 5 of 100 cases.
        """
        points = self.question.points
        even, name = (0.0, "{:+g} points a game") if points else (0.5, "{:.4g} %")
        low, high = (name.format(x if points else 100 * x) for x in self.question[:2])
        seen = f"made {self.mean:+.3f} points a game in" if points else f"won {100 * self.mean:.1f} % of"
        did = f"it {seen} {2 * self.pairs:,} games" if self.pairs else "no games yet"
        if not self.decision:
            verb = "makes" if points else "wins"
            return f"It is not sure yet whether {first} {verb} {low} or {high} against {second}: {did}."
        # What the test has refuted, and how often it would refute it wrongly.
        refuted, doubt, risk = (
            (self.question.low, low, self.question.alpha)
            if self.decision == "high"
            else (self.question.high, high, self.question.beta)
        )
        good = "better" if self.decision == "high" else "weaker"
        gap = f"{abs(refuted):g} points a game" if points else _points(abs(refuted - even))
        if refuted == even:
            what = f"is {good} than {second}"
        elif (refuted > even) == (self.decision == "high"):
            what = f"is {good} than {second} by more than {gap}"
        else:
            what = f"is not {'weaker' if good == 'better' else 'better'} than {second} by {gap}"
        kind = "mean" if points else "share"
        return f"{first} {what}: {did}. If its true {kind} were {doubt}, this test would say so in about {100 * risk:g} of 100 cases."


def question(text: str, alpha: float = 0.05, beta: float = 0.05) -> Question:
    """The question that somebody typed: by how many percentage points of the win share the first player is better, at most or at least; or Elo; or
    how many points it makes a game.

    >>> question("0,5")[:2], question("-1,1")[:2]
    ((0.5, 0.55), (0.49, 0.51))
    >>> [round(share, 3) for share in question("0,10elo")[:2]]
    [0.5, 0.514]
    >>> question("0,0.1points")
    Question(low=0.0, high=0.1, alpha=0.05, beta=0.05, points=True)
    """
    unit = next((unit for unit in ("elo", "points") if text.lower().endswith(unit)), "")
    elo = unit == "elo"
    try:
        low, high = (float(part) for part in text[: len(text) - len(unit)].split(","))
    except ValueError:
        low = high = math.nan
    if unit == "points" and -math.inf < low < high < math.inf:
        return checked(Question(low, high, alpha, beta, points=True))
    shares = [share_of_elo(x) if elo else 0.5 + x / 100 for x in (low, high)]
    if not 0 < shares[0] < shares[1] < 1:
        raise LudusError(
            f"'{brief(text)}': give two differences, the smaller one first, in percentage points between -50 and 50, such as 0,5, in Elo, such as 0,10elo, or in points a game, such as 0,0.1points"
        )
    return checked(Question(shares[0], shares[1], alpha, beta))


def checked(asked: Question) -> Question:
    """The same question; LudusError if it makes no sense."""
    if not (math.isfinite(asked.low) and math.isfinite(asked.high) and asked.low < asked.high):
        raise LudusError(f"a test from {asked.low:g} to {asked.high:g}: the first number is to be the smaller one")
    if not (0 < asked.alpha < 0.5 and 0 < asked.beta < 0.5):
        raise LudusError(f"alpha={asked.alpha:g}, beta={asked.beta:g}: errors are between 0 and 0.5, such as 0.05")
    return asked


def share_of_elo(elo: float) -> float:
    """The win share that a difference in Elo points comes to.

    >>> round(share_of_elo(100), 4)
    0.6401
    """
    return 1 / (1 + 10 ** (-max(-10_000.0, min(elo, 10_000.0)) / 400)) if not math.isnan(elo) else elo


def pair_counts(won: np.ndarray) -> np.ndarray:
    """How often each of the five outcomes came, from what a player won of each game in turn: 0, ½ or 1; two games are a pair.

    >>> pair_counts(np.array([1.0, 1.0, 0.0, 0.5])).tolist()
    [0, 1, 0, 0, 1]
    """
    return np.bincount(_half_wins(won), minlength=5)


def pairs_until_sure(won: np.ndarray, asked: Question) -> int:
    """After how many pairs the test on the win share ends, looked at one by one; or all of them, if it does not.

    >>> pairs_until_sure(np.ones(1000), question("0,5"))
    31
    """
    return _first_sure(pair_llr(np.cumsum(np.eye(5)[_half_wins(won)], axis=0), asked), asked)


def points_until_sure(points: np.ndarray, asked: Question) -> int:
    """The same for the test on points, from their mean in each pair.

    >>> points_until_sure(np.tile([0.5, -0.25, 1.0], 200), Question(0.0, 0.2, points=True))
    20
    """
    return _first_sure(points_llr(points, asked), asked)


def _first_sure(llr: np.ndarray, asked: Question) -> int:
    low, high = asked.bounds
    sure = np.flatnonzero((llr <= low) | (llr >= high))
    return int(sure[0]) + 1 if len(sure) else len(llr)


def _half_wins(won: np.ndarray) -> np.ndarray:
    """What was won of each pair, in half games."""
    games = np.asarray(won, np.float64)
    if games.ndim != 1 or len(games) % 2 or not np.isin(games, (0, 0.5, 1)).all():
        raise LudusError("what was won of each game is 0, 0.5 or 1, and there are two games a pair")
    return (2 * games.reshape(-1, 2).sum(axis=1)).astype(np.int64)


def sprt_pairs(counts: np.ndarray | list[int], asked: Question) -> Verdict:
    """How the test on the win share stands after pairs of games, of which each of the five outcomes came so often."""
    seen = np.asarray(counts)
    if seen.shape != (5,) or (seen < 0).any():
        raise LudusError(f"there are five counts, of pairs with 0, ½, 1, 1½ and 2 games won, not {brief(counts)}")
    checked(asked)
    if not 0 < asked.low < asked.high < 1:
        raise LudusError(f"win shares are between 0 and 1, not {asked.low:g} and {asked.high:g}")
    pairs = int(seen.sum())
    mean = float(seen @ OUTCOMES) / pairs if pairs else math.nan
    return _verdict(asked, pairs, mean, float(pair_llr(seen, asked)))


def sprt_points(points: np.ndarray, asked: Question) -> Verdict:
    """How the test on points stands, for games that are won by more or less. `points` are the first player's, the mean of each pair of games.

    Their distribution is taken as normal, which the mean of many is. Without variance, or with fewer than 20 pairs, the test stays open.

    >>> sprt_points(np.tile([0.5, -0.25, 1.0], 20), Question(0.0, 0.2)).decision
    'high'
    """
    seen = np.asarray(points, np.float64)
    if seen.ndim != 1 or not np.isfinite(seen).all():
        raise LudusError("points are one finite number a pair of games")
    checked(asked)
    if not len(seen):
        return _verdict(asked, 0, math.nan, 0.0)
    return _verdict(asked, len(seen), float(seen.mean()), float(points_llr(seen, asked)[-1]))


def points_llr(points: np.ndarray, asked: Question) -> np.ndarray:
    """The logarithm of the likelihood ratio after each pair in turn, 0 while there are too few or all are equal."""
    pairs = np.arange(1, len(points) + 1)
    away = points - points[:1]  # where they never vary, the variance comes out as 0, without rounding
    mean = np.cumsum(away) / pairs
    variance = np.maximum(np.cumsum(away**2) / pairs - mean**2, 0.0)
    mean = mean + points[:1]
    known = (pairs >= LEAST_PAIRS) & (variance > 0)
    low, high = (variance + (mean - hypothesis) ** 2 for hypothesis in (asked.low, asked.high))
    return np.where(known, pairs / 2 * np.log(np.where(known, low, 1.0) / np.where(known, high, 1.0)), 0.0)


def pair_llr(counts: np.ndarray, asked: Question) -> np.ndarray:
    """The logarithm of the likelihood ratio of the five outcomes' counts, which are along the last axis."""
    seen = np.maximum(np.asarray(counts, np.float64), UNSEEN)
    return _log_likelihood(seen, asked.high) - _log_likelihood(seen, asked.low)


def _log_likelihood(seen: np.ndarray, share: float) -> np.ndarray:
    """That of the best distribution with a given mean, beside the best of all.

    It is p / (1 + t (outcome - mean)), with the frequencies p that were seen and the one t that gives this mean.
    """
    away = OUTCOMES - share
    low = np.full(seen.shape[:-1], -1 / away[-1])
    high = np.full(seen.shape[:-1], -1 / away[0])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        rising = np.sum(seen * away / (1 + middle[..., None] * away), axis=-1) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return -np.sum(seen * np.log1p(((low + high) / 2)[..., None] * away), axis=-1)


def _verdict(asked: Question, pairs: int, mean: float, llr: float) -> Verdict:
    low, high = asked.bounds
    return Verdict(asked, pairs, mean, llr, "high" if llr >= high else "low" if llr <= low else "")


def _points(share: float) -> str:
    text = f"{100 * share:.3g}"
    return f"{text} percentage point{'' if text == '1' else 's'}"
