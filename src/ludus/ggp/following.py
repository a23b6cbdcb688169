"""Where a match stands, from the moves that were told: also where some were told twice or never, or can't be right.

A PLAY that is sent again can look like the next one; what is heard later tells which it was. Where one was missed, several states may explain
what was heard. Where information is hidden, players are told less, and states are drawn that fit it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ludus.contract.knowing import hides
from ludus.errors import LudusError
from ludus.games.gdl.hidden import Seen
from ludus.ggp.messages import TURN, term
from ludus.ggp.turns import Joint
from ludus.kernel import stream
from ludus.players.hidden import Recollection

WIDTH = 8  # states that are kept
SECONDS = 0.5  # to find out what may have been played in between


class Follower:
    """Follows a match by the rules of its game."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.problem = ""  # what could not be followed, of the last history
        self._joints: list[Joint] = []
        self._states: list[list[Any]] = [[game.first()]]  # after each joint move, the states that may be

    def follow(self, history: Sequence[Joint]) -> list[Any]:
        """The states that the match may have come to, the likeliest first. Never empty: what does not fit changes nothing."""
        self.problem = ""
        same = 0
        while same < min(len(history), len(self._joints)) and history[same] == self._joints[same]:
            same += 1
        del self._joints[same:], self._states[same + 1 :]
        for joint in history[same:]:
            self._states.append(self._after(joint))
            self._joints.append(joint)
        return self._states[-1]

    def _after(self, joint: Joint) -> list[Any]:
        """The states after one more joint move."""
        states = self._states[-1]
        found = self._play_all(states, joint)
        if found or self._joints[-1:] == [joint]:  # it was sent again
            return found or states
        found = self._without_a_repetition(joint) or list(self._with_one_between(states, joint))
        if not found:
            self.problem = f"{' '.join(joint)} can't be followed"
        return found or states

    def _without_a_repetition(self, joint: Joint) -> list[Any]:
        """The states if one of the moves that were told twice in a row was made once."""
        repeated = [i for i in range(1, len(self._joints)) if self._joints[i] == self._joints[i - 1]]
        for i in repeated[: -WIDTH - 1 : -1]:
            states = self._states[i]
            for later in (*self._joints[i + 1 :], joint):
                states = self._play_all(states, later)
            if states:
                return states
        return []

    def _play_all(self, states: list[Any], joint: Joint) -> list[Any]:
        """The states after a joint move, of those in which it is legal."""
        return [after for state in states for after in self._play(state, joint)]

    def _play(self, state: Any, joint: Joint) -> Iterator[Any]:
        """The state after a joint move, if it is a legal one."""
        legal = self.game.legal(state)
        if self.game.terminal(state) or len(joint) != len(legal):
            return
        # The game may write its moves a little differently than the manager does.
        texts = [{term(move): move for move in known}.get(text) for text, known in zip(joint, legal, strict=True)]
        if all(text is not None for text in texts):
            yield self.game.advance(state, texts)

    def _with_one_between(self, states: list[Any], joint: Joint) -> Iterator[Any]:
        """The states that explain a joint move by another one before it, of which we did not hear."""
        end, count = time.monotonic() + SECONDS, 0
        for state in states:
            if self.game.terminal(state):
                continue
            for missed in product(*self.game.legal(state)):
                if count >= WIDTH or time.monotonic() > end:
                    return
                for after in self._play(self.game.advance(state, list(missed)), joint):
                    count += 1
                    yield after


class HiddenFollower:
    """Follows a match by what one seat was told (GDL-II): own moves and percepts."""

    def __init__(self, game: Any, seat: int | None) -> None:
        if seat is None:
            raise LudusError("the role 'random' of a game with hidden information is the manager's own")
        self.game, self.seat = game, seat
        self.problem = ""
        self._recollection = Recollection(game, seat)
        self._last = self._recollection.state([], stream(1), SECONDS)

    def follow(self, history: Sequence[Joint]) -> list[Any]:
        """What the seat knows now, as the only state of a list; as before if what was told can't be."""
        self.problem = ""
        try:
            told = self._told(history)
            self._last = self._recollection.state(told, stream(len(told)), SECONDS)
        except LudusError as problem:
            self.problem = str(problem)
        return [self._last]

    def _told(self, history: Sequence[Joint]) -> list[Seen]:
        """Each turn once, in their order."""
        turns: dict[int, Seen] = {}
        for entry in history:
            if not entry[0].startswith(TURN):
                raise LudusError(
                    "where information is hidden, players are told (PLAY match turn move (percept percept))"
                )
            turns[int(entry[0][len(TURN) :])] = Seen(entry[1], entry[2:])
        for number in range(1, max(turns, default=0) + 1):
            if number not in turns:
                raise LudusError(f"turn {number} was never told, so that what happened can't be followed")
        return [turns[number] for number in sorted(turns)]


def follower_of(game: Any, seat: int | None) -> Follower | HiddenFollower:
    """Who follows a match of a game, for a seat, or for the role of chance."""
    return HiddenFollower(game, seat) if hides(game) else Follower(game)
