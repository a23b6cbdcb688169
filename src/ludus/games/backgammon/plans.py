"""The encoding of the strongest networks: the inputs of `rich`, a network for each plan of a game, and endings that are known exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.views import (
    MEMO,
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
from ludus.games.backgammon.features import (
    BOARD,
    CONTACT,
    ENCODINGS,
    LATE,
    POINT_UNITS,
    RACE,
    SPENT,
    Rich,
    write_measures,
)
from ludus.games.backgammon.measures import (
    ALL_POINTS,
    BACK,
    EXTRA,
    MUTUAL,
    changed_look,
    facing,
    freedom,
    holding,
    look,
    mobility,
    mutual_measures,
    own_measures,
    passing,
    race_measures,
    rear_of,
)
from ludus.games.backgammon.rules import (
    BAR,
    CHECKERS,
    DIE1,
    DIE2,
    OFF,
    SIDE,
    SMALL_FIRST,
    STATE_SIZE,
    TURN,
    BackgammonRules,
)
from ludus.kernel import highest_bit, implements, kernel, lowest_bit

# What a position with contact is about, for the seat about to roll. Checkers on the bar or in the other's home are *back*.
# Contact is *late* for a side that has used up its board, or bears off.
BOTH_BACK, OWN_BACK, THEIR_BACK, NONE_BACK, OWN_BACK_GAME, THEIR_BACK_GAME = CONTACT, 3, 4, 5, 6, 7
OWN_LATE, THEIR_LATE, BOTH_LATE = LATE, 8, 9
# The same with an *advanced anchor*, a point held in the other's home above its ace and deuce points: of one's own, of theirs, of both; then where only who has it is back.
OWN_ANCHOR, THEIR_ANCHOR, BOTH_ANCHOR, OWN_BACK_ANCHOR, THEIR_BACK_ANCHOR = 10, 11, 12, 13, 14
SECTIONS = 15
ADVANCED = 0b1111 << 19  # points 19 to 22


class Plans(NamedTuple):
    """`rich` with a network for each plan: who has checkers back, who plays a back game (two anchors, or four checkers back), who holds an advanced anchor,
    races, late contact by who is late. Where both sides bear off it needs no network.
    """

    tables: Endings
    rich: Rich = Rich()

    @property
    def version(self) -> int:
        """Raised when inputs or outcomes change."""
        return 2

    @property
    def grown_from(self) -> dict[str, tuple[int, ...]]:
        """Encodings whose networks can grow into ones for this: of each, the section that ours go on from."""
        return {"rich": (CONTACT, RACE, LATE, *(CONTACT,) * 5, LATE, LATE, *(CONTACT,) * 5)}

    @property
    def labels(self) -> tuple[str, ...]:
        """What the outputs are the chances of, for the seat whose view it is."""
        return self.rich.labels

    def shape(self, game: BackgammonRules) -> tuple[int, int, int]:
        """(sections, inputs, outputs)"""
        _, inputs, outputs = self.rich.shape(game)
        return SECTIONS, inputs, outputs


@kernel(inline=True)
def _plan(state: Any, own: int, mine: Any, other: int, theirs: Any) -> int:
    """The section of a position, from what `look` says of both sides."""
    some, made, sums = mine
    their_some, their_made, their_sums = theirs
    if highest_bit(some | 1) + highest_bit(their_some | 1) < 25:  # the rearmost checkers have passed each other
        return RACE
    spent = state[own + OFF] + state[own + 1] + state[own + 2]
    their_spent = state[other + OFF] + state[other + 1] + state[other + 2]
    if spent >= SPENT:
        return BOTH_LATE if their_spent >= SPENT else OWN_LATE
    if their_spent >= SPENT:
        return THEIR_LATE
    back, their_back = sums >> BACK & 15, their_sums >> BACK & 15
    anchors, their_anchors = made >> 19 & 0b111111, their_made >> 19 & 0b111111
    if anchors & (anchors - 1) != 0 or back > 3:
        return OWN_BACK_GAME
    if their_anchors & (their_anchors - 1) != 0 or their_back > 3:
        return THEIR_BACK_GAME
    anchored, their_anchored = made & ADVANCED != 0, their_made & ADVANCED != 0
    if back == 0:
        if their_back == 0:
            return NONE_BACK
        return THEIR_BACK_ANCHOR if their_anchored else THEIR_BACK
    if their_back == 0:
        return OWN_BACK_ANCHOR if anchored else OWN_BACK
    if anchored:
        return BOTH_ANCHOR if their_anchored else OWN_ANCHOR
    return THEIR_ANCHOR if their_anchored else BOTH_BACK


@implements(section, Plans)
def _(encoding: Any, game: Any, state: Any) -> int:
    seat = max(state[TURN], 0)  # nobody's turn, before the opening roll, is as good as the first seat's
    own, other = SIDE * seat, SIDE * (1 - seat)
    return _plan(state, own, look(state, own), other, look(state, other))


@implements(features, Plans)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    return features(encoding.rich, game, state, index, value)


# A move touches a few points: most inputs stay as they were, and so does what they bring to the hidden layer. The memo holds what `look` says of the position
# before the move (who moves next, then who has moved), its section, what `facing` says, room for the state after a move, and the measures before it.
LOOKED, KIND, FACED, AFTER = 0, 6, 7, 13
BEFORE = (
    AFTER + STATE_SIZE
)  # by their bits: an array that is seen as one of floats has its references counted, which takes as long as a measure
ROOM = BEFORE + 2 * EXTRA
HOME_POINTS = 0b1111110

# UNITS[n]: what n checkers bring to the four inputs of their point; UNITS[16 + n]: of the bar, whose last two are about checkers that are off.
UNITS = np.zeros((32, POINT_UNITS), np.float32)
for _n in range(1, 16):
    UNITS[_n] = _n == 1, _n > 1, _n > 2, max(_n - 3, 0) * 0.5
    UNITS[16 + _n] = 1, (_n - 1) * 0.5, 0, 0


@implements(standing, Plans)
def _(encoding: Any, game: Any, state: Any, out: Any, memo: Any) -> bool:
    for i in range(STATE_SIZE):
        out[i] = state[i]
    out[TURN] = 1 - state[TURN]
    out[DIE1] = out[DIE2] = 0
    own, other = SIDE * out[TURN], SIDE * (1 - out[TURN])
    mine, theirs = look(out, own), look(out, other)
    memo[0], memo[1], memo[2] = mine
    memo[3], memo[4], memo[5] = theirs
    memo[KIND] = _plan(out, own, mine, other, theirs)
    memo[FACED], memo[FACED + 1], memo[FACED + 2] = facing(out, own, mine, theirs)
    memo[FACED + 3], memo[FACED + 4], memo[FACED + 5] = facing(out, other, theirs, mine)
    room = memo[ROOM : ROOM + EXTRA]
    write_measures(out, memo[KIND] == RACE, own, mine, other, theirs, room.view(np.float32), 0)
    bits = room.view(np.int32)
    for i in range(2 * EXTRA):
        memo[BEFORE + i] = bits[i]
    return True


@kernel(inline=True)
def _list_changes(before: int, after: int, at: int, index: Any, value: Any, count: int) -> int:
    """List the inputs from number `at` on in which one row of UNITS differs from another."""
    for unit in range(POINT_UNITS):
        difference = UNITS[after, unit] - UNITS[before, unit]
        index[count] = at + unit
        value[count] = difference
        count += difference != 0
    return count


@kernel(inline=True)
def _list_measure(i: int, memo: Any, index: Any, value: Any, count: int) -> int:
    """List a measure, unless it is what it was."""
    difference = value[2 * BOARD + i] - np.int32(memo[BEFORE + i]).view(np.float32)
    index[count] = 2 * BOARD + i
    value[count] = difference
    return count + (difference != 0)


@kernel(inline=True)
def _still_faced(memo: Any, side: int, mine: Any, theirs: Any) -> tuple[int, int, int]:
    """What `facing` says of a side whose own checkers are where they were."""
    rear, pips, mobile = rear_of(theirs[0]), memo[FACED + 1], memo[FACED + 2]
    if rear != rear_of(memo[LOOKED + 3]):
        pips = passing(memo, side, rear)
    if theirs[1] != memo[LOOKED + 4]:
        mobile = mobility(memo, side, mine[0], theirs[1])
    return memo[FACED], pips, mobile


@implements(changes, Plans)
def _(encoding: Any, game: Any, state: Any, move: int, memo: Any, index: Any, value: Any) -> int:
    mover = state[TURN]
    own, other = SIDE * mover, SIDE * (1 - mover)
    for i in range(2 * SIDE):
        memo[AFTER + i] = state[i]
    die, next_die = state[DIE1], state[DIE2]
    if move & SMALL_FIRST:
        die, next_die = next_die, die
    touched, hit, sources = 0, 0, move & (SMALL_FIRST - 1)
    while sources:
        source = sources & 31
        sources >>= 5
        target = max(source - die, OFF)
        die = next_die
        touched |= 1 << source | 1 << target
        memo[AFTER + own + source] -= 1
        memo[AFTER + own + target] += 1
        if target > OFF and memo[AFTER + other + 25 - target]:
            memo[AFTER + other + 25 - target] = 0
            memo[AFTER + other + BAR] += 1
            hit |= 1 << (25 - target) | 1 << BAR
    mine, theirs = (memo[0], memo[1], memo[2]), (memo[3], memo[4], memo[5])  # who is about to roll now, who moved
    count = 0
    if touched & 1:
        at = BOARD + POINT_UNITS * 24
        left, before = memo[AFTER + own + OFF], state[own + OFF]
        index[0], value[0] = at + 3, np.float32(left) / np.float32(15) - np.float32(before) / np.float32(15)
        index[1], value[1] = at + 2, 1
        count = 1 + (before == 0)
    touched &= ~1
    pips, mobile, rear, their_made = memo[FACED + 4], memo[FACED + 5], rear_of(mine[0]), mine[1] & ALL_POINTS
    while touched:
        p = lowest_bit(touched)
        touched &= touched - 1
        before, n = state[own + p], memo[AFTER + own + p]
        theirs = changed_look(theirs, p, before, n)
        pips += (n - before) * max(p - rear, 0)
        mobile += (n - before) * freedom(their_made, p)
        bar = 16 * (p == BAR)
        count = _list_changes(before + bar, n + bar, BOARD + POINT_UNITS * (p - 1), index, value, count)
    some_hit = hit != 0
    while hit:
        p = lowest_bit(hit)
        hit &= hit - 1
        before, n = state[other + p], memo[AFTER + other + p]
        mine = changed_look(mine, p, before, n)
        bar = 16 * (p == BAR)
        count = _list_changes(before + bar, n + bar, POINT_UNITS * (p - 1), index, value, count)
    if (mine[0] | theirs[0]) & ~HOME_POINTS == 0 or memo[AFTER + own + OFF] == CHECKERS:
        return -1
    own, other = AFTER + own, AFTER + other
    plan = _plan(memo, other, mine, own, theirs)
    if (plan == RACE) != (memo[KIND] == RACE):  # all measures are others
        return -1
    memo[MEMO] = plan
    at = 2 * BOARD  # the measures are written to their own places, which the inputs listed here do not reach
    if memo[KIND] == RACE:
        race_measures(memo, other, value, at)
        race_measures(memo, own, value, at + EXTRA)
    else:
        if some_hit:
            faced, facing_them = facing(memo, other, mine, theirs), facing(memo, own, theirs, mine)
            own_measures(mine, faced[0], memo[other + OFF], value, at)
        else:
            faced, facing_them = _still_faced(memo, other, mine, theirs), (holding(theirs[1]), pips, mobile)
        own_measures(theirs, facing_them[0], memo[own + OFF], value, at + EXTRA)
        mutual_measures(mine, memo[other + BAR], theirs, faced, value, at)
        mutual_measures(theirs, memo[own + BAR], mine, facing_them, value, at + EXTRA)
        if not some_hit:
            for i in MUTUAL:
                count = _list_measure(i, memo, index, value, count)
    for i in range(0 if some_hit or memo[KIND] == RACE else EXTRA, 2 * EXTRA):
        count = _list_measure(i, memo, index, value, count)
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
