"""A state of one of our games as OpenSpiel's states hold it: it never changes, so that clones share it and what was found out about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.adapters.actions import Actions
from ludus.contract.rules import CHANCE, JOINT, OVER, chances, play, play_joint, scores, start, turn
from ludus.errors import LudusError


class Moment:
    """One state, and how many decisions and chance events led to it. OpenSpiel clones a state by copying its attributes deeply: a moment's
    copy is the moment itself.
    """

    __slots__ = ("_board", "_legal", "array", "plies", "rolls", "turn")

    def __init__(self, array: np.ndarray, whose: int, plies: int = 0, rolls: int = 0) -> None:
        self.array, self.turn, self.plies, self.rolls = array, whose, plies, rolls
        self._legal: dict[int, list[int]] = {}
        self._board = ""

    def __deepcopy__(self, memo: Any) -> Moment:
        return self

    def __reduce__(self) -> Any:  # OpenSpiel writes states down by pickling their attributes
        return Moment, (self.array, self.turn, self.plies, self.rolls)

    def legal(self, actions: Actions, seat: int) -> list[int]:
        """The legal ids of a seat, sorted."""
        if seat not in self._legal:
            self._legal[seat] = actions.legal(self.array, seat).tolist()
        return self._legal[seat]

    def board(self, actions: Actions) -> str:
        """The board as people see it."""
        if not self._board:
            self._board = actions.game.board_text(self.array)
        return self._board


def first(actions: Actions) -> Moment:
    """The beginning of a game."""
    array = np.zeros(actions.game.facts.state_size, np.int64)
    start(actions.game, array)
    return moment_of(actions, array)


def moment_of(actions: Actions, array: np.ndarray, plies: int = 0, rolls: int = 0) -> Moment:
    """The moment of a state."""
    return Moment(array, int(turn(actions.game, array)), plies, rolls)


def after(actions: Actions, now: Moment, chosen: Any) -> Moment:
    """The moment after an id, or one id a seat where all move at once, or the outcome of chance of this number."""
    array = now.array.copy()
    if now.turn == CHANCE:
        outcomes, _ = possible(actions, now)
        if not 0 <= chosen < len(outcomes):
            raise LudusError(f"{chosen} is no outcome of chance here; they are 0 to {len(outcomes) - 1}")
        play(actions.game, array, outcomes[chosen])
        return moment_of(actions, array, now.plies, now.rolls + 1)
    if now.turn == JOINT:
        play_joint(actions.game, array, np.array([_move(actions, now, s, a) for s, a in enumerate(chosen)], np.int64))
    elif now.turn == OVER:
        raise LudusError("the game is over: no action can be played")
    else:
        play(actions.game, array, _move(actions, now, now.turn, chosen))
    return moment_of(actions, array, now.plies + 1, now.rolls)


def _move(actions: Actions, now: Moment, seat: int, action: int) -> int:
    if action not in now.legal(actions, seat):
        raise LudusError(actions.reason(now.array, seat, action))
    return actions.move(seat, action)


def possible(actions: Actions, now: Moment) -> tuple[list[int], list[float]]:
    """The outcomes of the chance event that is due, as the game numbers them, and their probabilities."""
    room = actions.game.facts.max_chances
    outcomes, odds = np.zeros(room, np.int64), np.zeros(room)
    count = chances(actions.game, now.array, outcomes, odds)
    return outcomes[:count].tolist(), odds[:count].tolist()


def points(actions: Actions, now: Moment) -> list[float]:
    """The scores of an ended game."""
    out = np.zeros(actions.game.facts.seats)
    scores(actions.game, now.array, out)
    return out.tolist()


# --- what a game is like, found out by playing it --------------------------------------------------------------------

GAMES, PLIES = 40, 4000  # random games that are looked at, and their moves altogether


class Traits:
    """What OpenSpiel asks of a game and no rule says: whether all seats ever move at once, and what their scores come to in sum, if it is
    always the same. Random games tell. A game that turns out otherwise later says so (`LudusState`).
    """

    def __init__(self, actions: Actions) -> None:
        self.joint, sums, left = False, set(), PLIES
        draw = np.random.default_rng(1)
        for _ in range(GAMES):
            now = first(actions)
            while now.turn != OVER and left > 0:
                left -= 1
                if now.turn == CHANCE:
                    odds = possible(actions, now)[1]
                    now = after(actions, now, int(draw.choice(len(odds), p=odds)))
                elif now.turn == JOINT:
                    self.joint = True
                    now = after(
                        actions, now, [draw.choice(now.legal(actions, s)) for s in range(actions.game.facts.seats)]
                    )
                else:
                    now = after(actions, now, draw.choice(now.legal(actions, now.turn)))
            if now.turn == OVER:
                sums.add(round(sum(points(actions, now)), 9))
        self.sum: float | None = sums.pop() if len(sums) == 1 and actions.game.facts.seats > 1 else None
