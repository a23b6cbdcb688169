"""What is told beside a board: the score of a match, how a game of it ended, what is at stake.

A game may say it by the methods `score_of`, `news_of` and `stakes_of`; the functions of the same names below ask any game, also
one that has none of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.rules import State


class Score(NamedTuple):
    """How a match stands."""

    title: str  # what is played: "Match to 7 points"
    points: tuple[int, ...]  # of each seat so far; none where nothing is counted
    notes: tuple[str, ...] = ()  # what else matters: "Crawford game: nobody may double"


def score_of(game: Any, state: State) -> Score | None:
    """How the match stands; None in games that are no matches.

    >>> import ludus
    >>> match = ludus.game("backgammon(match=7)")
    >>> score_of(match, match.start().state)
    Score(title='Match to 7 points', points=(0, 0), notes=('Cube at 1, in the middle',))
    """
    return game.score_of(state) if hasattr(game, "score_of") else None


def news_of(game: Any, state: State, move: int) -> str:
    """What everybody should hear of a move, as the board does not show it: how a game of a match ends by it, if the match goes on. Else nothing.

    >>> import ludus
    >>> position = ludus.game("backgammon(match=7)").start().play("31").play("8/5 6/5").play("double")
    >>> news_of(position.game, position.state, position.game.read_move(position.state, "pass"))
    'X passed: O wins 1 point. The score is X 0, O 1.'
    """
    return str(game.news_of(state, move)) if hasattr(game, "news_of") else ""


class Stakes(NamedTuple):
    """What a game is played for now."""

    single: float  # what who gives up now loses
    span: float  # from the worst to the best result of a game, by which differences between moves are to be measured


def stakes_of(game: Any, state: State) -> Stakes:
    """What is at stake: the range of the scores, unless the game knows better, as a match does, in which one game is seldom all.

    >>> import ludus
    >>> plain = ludus.game("backgammon")
    >>> stakes_of(plain, plain.start().state)
    Stakes(single=1.0, span=6.0)
    """
    if hasattr(game, "stakes_of"):
        stakes: Stakes = game.stakes_of(state)
        return stakes
    low, high = game.facts.score_range
    return Stakes(1.0 if low < 0 else high, high - low)
