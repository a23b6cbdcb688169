"""The encoding of the strongest networks: the inputs of `rich`, a network for each plan of a game, and endings that are known exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import OVER, play, turn
from ludus.contract.views import (
    Encoding,
    changes,
    features,
    from_view,
    known,
    outcome,
    section,
    standing,
    to_view,
    worth,
)
from ludus.games.backgammon.endings import Endings, ending, endings, is_ending
from ludus.games.backgammon.features import BOARD, CONTACT, ENCODINGS, EXTRA, LATE, RACE, Rich
from ludus.games.backgammon.rules import BAR, DIE1, DIE2, SIDE, STATE_SIZE, TURN, BackgammonRules
from ludus.kernel import implements, kernel

# What a position with contact is about, for the seat about to roll. Checkers on the bar or in the other's home are *back*.
BOTH_BACK, OWN_BACK, THEIR_BACK, NONE_BACK, OWN_BACK_GAME, THEIR_BACK_GAME = CONTACT, 3, 4, 5, 6, 7
SECTIONS = 8


class Plans(NamedTuple):
    """`rich` with a network for each plan: who has checkers back, who plays a back game (two anchors, or four checkers back), races, late contact. Where both
    sides bear off it needs no network.
    """

    tables: Endings
    rich: Rich = Rich()

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 1

    @property
    def grown_from(self) -> dict[str, tuple[int, ...]]:
        """Encodings whose networks can grow into ones for this: of each, the section that ours go on from."""
        return {"rich": (CONTACT, RACE, LATE, CONTACT, CONTACT, CONTACT, CONTACT, CONTACT)}

    @property
    def labels(self) -> tuple[str, ...]:
        """What the outputs are the chances of, for the seat whose view it is."""
        return self.rich.labels

    def shape(self, game: BackgammonRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        _, inputs, outputs = self.rich.shape(game)
        return SECTIONS, inputs, outputs


@kernel(inline=True)
def _back(state: Any, side: int) -> tuple[int, int]:
    """How many checkers of a side are back, and how many anchors it has there."""
    checkers, anchors = state[side + BAR], 0
    for p in range(19, 25):
        checkers += state[side + p]
        anchors += state[side + p] > 1
    return checkers, anchors


@implements(section, Plans)
def _(encoding: Any, game: Any, state: Any) -> int:
    kind = section(encoding.rich, game, state)
    if kind != CONTACT:
        return kind
    own, own_anchors = _back(state, SIDE * state[TURN])
    their, their_anchors = _back(state, SIDE * (1 - state[TURN]))
    if own_anchors > 1 or own > 3:
        return OWN_BACK_GAME
    if their_anchors > 1 or their > 3:
        return THEIR_BACK_GAME
    if own == 0:
        return NONE_BACK if their == 0 else THEIR_BACK
    return OWN_BACK if their == 0 else BOTH_BACK


@implements(features, Plans)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    return features(encoding.rich, game, state, index, value)


# A move touches a few points: most inputs stay as they were, and so does what they bring to the hidden layer. The memo holds how many moves were looked at, how many
# inputs the position before has and of which section it is, room for the state after a move, the inputs by number, their values, the values of all inputs in order, and the last look that
# had each of them. Values are single floats, two in the room of a number.
INPUTS = 2 * (BOARD + EXTRA)
LOOKS, ACTIVE, KIND, AFTER = 0, 1, 2, 3
LISTED = AFTER + STATE_SIZE
VALUES = LISTED + INPUTS
IN_ORDER = VALUES + INPUTS // 2
SEEN = IN_ORDER + INPUTS // 2


@implements(standing, Plans)
def _(encoding: Any, game: Any, state: Any, out: Any, memo: Any) -> bool:
    for i in range(STATE_SIZE):
        out[i] = state[i]
    out[TURN] = 1 - state[TURN]
    out[DIE1] = out[DIE2] = 0
    for i in range(IN_ORDER, SEEN + INPUTS // 2):
        memo[i] = 0
    floats = memo.view(np.float32)
    active = features(encoding, game, out, memo[LISTED:VALUES], floats[2 * VALUES : 2 * IN_ORDER])
    for i in range(active):
        floats[2 * IN_ORDER + memo[LISTED + i]] = floats[2 * VALUES + i]
    memo[LOOKS], memo[ACTIVE], memo[KIND] = 0, active, section(encoding, game, out)
    return True


@implements(changes, Plans)
def _(encoding: Any, game: Any, state: Any, move: int, memo: Any, index: Any, value: Any) -> int:
    after = memo[AFTER:LISTED]
    for i in range(STATE_SIZE):
        after[i] = state[i]
    play(game, after, move)
    if turn(game, after) == OVER or is_ending(after) or section(encoding, game, after) != memo[KIND]:
        return -1
    memo[LOOKS] += 1
    look, floats, seen = memo[LOOKS], memo.view(np.float32), memo.view(np.int32)
    there, count = features(encoding, game, after, index, value), 0
    for i in range(there):
        which = index[i]
        difference = value[i] - floats[2 * IN_ORDER + which]
        seen[2 * SEEN + which] = look
        index[count] = which
        value[count] = difference
        count += difference != 0
    for i in range(memo[ACTIVE]):
        which = memo[LISTED + i]
        index[count] = which
        value[count] = -floats[2 * VALUES + i]
        count += seen[2 * SEEN + which] != look
    return count


@implements(known, Plans)
def _(encoding: Any, game: Any, state: Any, out: Any) -> bool:
    if state[DIE1] != 0 or state[TURN] < 0 or not is_ending(state):
        return False
    ending(encoding.tables, state, state[TURN], out)
    win, gammon, lost_gammon = out[0], out[1], out[2]
    out[1], out[2], out[3], out[4] = gammon, 0, lost_gammon, 0
    if state[TURN] == 1:
        out[0], out[1], out[3] = 1 - win, lost_gammon, gammon
    return True


@implements(outcome, Plans)
def _(encoding: Any, game: Any, state: Any, out: Any) -> None:
    outcome(encoding.rich, game, state, out)


@implements(worth, Plans)
def _(encoding: Any, game: Any, prediction: Any, out: Any) -> None:
    worth(encoding.rich, game, prediction, out)


@implements(to_view, Plans)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    to_view(encoding.rich, game, state, vector)


@implements(from_view, Plans)
def _(encoding: Any, game: Any, state: Any, vector: Any) -> None:
    from_view(encoding.rich, game, state, vector)


class Encodings(Mapping[str, Encoding]):
    """The encodings by name. The tables of endings are made when somebody asks for the one that needs them."""

    def __getitem__(self, name: str) -> Encoding:
        return Plans(endings()) if name == "plans" else ENCODINGS[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*ENCODINGS, "plans"))

    def __len__(self) -> int:
        return len(ENCODINGS) + 1
