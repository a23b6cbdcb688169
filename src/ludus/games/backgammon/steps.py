"""Backgammon in small steps, for programs that want a fixed set of actions: in the whole game a move is a turn, and there are too many.

A state is that of the whole game and one number more. While a turn is being made, board and dice are as they have become, and the number says
what is used: of two different dice 1 (the larger) or 2 (the smaller), of a double how many steps. Between turns it is 0, and the rest is the state of the
whole game.

    # the whole game 55 | used 1
    #  0 … 54             55

`Steps` has 156 actions, a checker by a die: 6 * source + die - 1. Sources are points as the mover counts them, 1 to 24, and 25 for the bar. Action 0: no
checker can move.

`Halves` has the 1352 actions of OpenSpiel's backgammon: two steps at once, so that a double takes two actions. first + 26 * second, and 676 more if
the first step is not by the larger die. Sources are OpenSpiel's: points from 0 to 23, as seat 1 counts them, for both seats, 24 for the bar, 25 for no step.

A step is legal if a legal turn of the whole game goes on with it. All turns can be made so, and end in the same states.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.rules import Facts, chances, moves, play, roll, scores, start, turn
from ludus.games.backgammon.rules import (
    BAR,
    CHECKERS,
    DIE1,
    DIE2,
    OFF,
    SIDE,
    STATE_SIZE,
    TURN,
    BackgammonRules,
    mask_after,
    open_sources,
)
from ludus.kernel import implements, kernel, lowest_bit

USED = STATE_SIZE  # where the state says what is used
BIG_USED, SMALL_USED = 1, 2
STEP_ACTIONS = 156
HALF_ACTIONS = 1352
SMALL_FIRST = 676
ON_BAR, NO_STEP = 24, 25  # sources as OpenSpiel numbers them
PASS = 0  # of Steps
NO_STEPS = SMALL_FIRST + 26 * NO_STEP + NO_STEP  # of Halves


class SteppedRules(NamedTuple):
    """What backgammon in steps has in common. Until a step is made, the moves of `base` may be played too: by its own `play`, on the same state."""

    base: Any = BackgammonRules()


class StepRules(SteppedRules):
    """Backgammon checker by checker."""

    __slots__ = ()

    @property
    def facts(self) -> Facts:
        """What callers must know of the game: at most 15 sources, by two dice."""
        return facts_of(self.base, "backgammon-steps", 30, STEP_ACTIONS)


class HalfRules(SteppedRules):
    """Backgammon by two checkers at once, as OpenSpiel has it."""

    __slots__ = ()

    @property
    def facts(self) -> Facts:
        """What callers must know of the game: at most 15 sources for each of two steps, in two orders."""
        return facts_of(self.base, "backgammon-openspiel", 450, HALF_ACTIONS)


def facts_of(base: Any, name: str, max_moves: int, actions: int) -> Facts:
    """The facts of a game in steps."""
    facts: Facts = base.facts
    return facts._replace(name=name, state_size=facts.state_size + 1, max_moves=max_moves, actions=actions)


# --- what is as in the whole game ------------------------------------------------------------------------------------


@implements(start, SteppedRules)
def _(game: Any, state: Any) -> None:
    start(game.base, state)
    state[USED] = 0


@implements(turn, SteppedRules)
def _(game: Any, state: Any) -> int:
    return turn(game.base, state)


@implements(scores, SteppedRules)
def _(game: Any, state: Any, out: Any) -> None:
    scores(game.base, state, out)


@implements(chances, SteppedRules)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    return chances(game.base, state, outcomes, probabilities)


@implements(roll, SteppedRules)
def _(game: Any, state: Any, rng: Any, outcomes: Any, probabilities: Any) -> int:
    return roll(game.base, state, rng, outcomes, probabilities)


# --- steps -----------------------------------------------------------------------------------------------------------


@kernel
def masks(state: Any, seat: int) -> tuple[int, int]:
    """The points with checkers of a seat, and those that two or more enemies close, as bits."""
    own, other = SIDE * seat, SIDE * (1 - seat)
    mine, closed = 0, 0
    for p in range(1, 26):
        mine |= (state[own + p] > 0) << p
    for p in range(1, 25):
        closed |= (state[other + 25 - p] > 1) << p
    return mine, closed


@kernel
def going_on(state: Any, own: int, mine: int, closed: int, die: int, next_die: int) -> int:
    """The sources by one die after which the other can be played too."""
    out, left = 0, open_sources(mine, closed, die)
    while left:
        source = lowest_bit(left)
        left &= left - 1
        if open_sources(mask_after(state, own, mine, source, die), closed, next_die):
            out |= 1 << source
    return out


@kernel
def legal_sources(state: Any, seat: int, used: int) -> tuple[int, int]:
    """The points from which a checker may move now, by the larger die and by the smaller; of a double all are by the larger."""
    big, small = state[DIE1], state[DIE2]
    mine, closed = masks(state, seat)
    if big == small or used == SMALL_USED:
        return open_sources(mine, closed, big), 0
    if used == BIG_USED:
        return 0, open_sources(mine, closed, small)
    own = SIDE * seat
    by_big = going_on(state, own, mine, closed, big, small)
    by_small = going_on(state, own, mine, closed, small, big)
    if by_big | by_small:
        return by_big, by_small
    by_big = open_sources(mine, closed, big)  # only one die can be played: the larger if possible
    return by_big, 0 if by_big else open_sources(mine, closed, small)


@kernel
def make_step(state: Any, source: int, die: int) -> None:
    """Move one checker of the seat whose turn it is."""
    mover = state[TURN]
    own, other = SIDE * mover, SIDE * (1 - mover)
    target = source - die
    state[own + source] -= 1
    if target <= OFF:
        state[own + OFF] += 1
        return
    state[own + target] += 1
    if state[other + 25 - target]:
        state[other + 25 - target] = 0
        state[other + BAR] += 1


@kernel
def end_turn(state: Any) -> None:
    """It is the other seat's turn to roll."""
    state[TURN] = 1 - state[TURN]
    state[DIE1] = 0
    state[DIE2] = 0
    state[USED] = 0


@kernel
def list_steps(state: Any, seat: int, used: int, out: Any) -> int:
    """Write the actions of `Steps` that a seat has while it makes its turn; return how many there are."""
    by_big, by_small = legal_sources(state, seat, used)
    count, either = 0, by_big | by_small
    while either:
        source = lowest_bit(either)
        either &= either - 1
        if by_small >> source & 1:
            out[count] = 6 * source + state[DIE2] - 1
            count += 1
        if by_big >> source & 1:
            out[count] = 6 * source + state[DIE1] - 1
            count += 1
    if count == 0:
        out[0] = PASS
        return 1
    return count


@implements(moves, StepRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    return list_steps(state, seat, state[USED], out)


@implements(play, StepRules)
def _(game: Any, state: Any, move: int) -> None:
    if state[DIE1] == 0:
        play(game.base, state, move)
        return
    if move == PASS:
        end_turn(state)
        return
    die = move % 6 + 1
    make_step(state, move // 6, die)
    if state[DIE1] == state[DIE2]:
        state[USED] += 1
        ended = state[USED] == 4
    else:
        ended = state[USED] != 0
        state[USED] = BIG_USED if die == state[DIE1] else SMALL_USED
    if not ended:
        by_big, by_small = legal_sources(state, state[TURN], state[USED])
        ended = by_big | by_small == 0
    if ended:
        end_turn(state)


# --- half turns ------------------------------------------------------------------------------------------------------


@kernel
def place_of(source: int, seat: int) -> int:
    """A source as OpenSpiel numbers it."""
    if source == BAR:
        return ON_BAR
    return source - 1 if seat else 24 - source


@kernel
def source_of(place: int, seat: int) -> int:
    """A source as its owner counts it."""
    if place == ON_BAR:
        return BAR
    return place + 1 if seat else 24 - place


@implements(moves, HalfRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    by_big, by_small = legal_sources(state, seat, state[USED])
    if by_big | by_small == 0:
        out[0] = NO_STEPS
        return 1
    own, big, small = SIDE * seat, state[DIE1], state[DIE2]
    mine, closed = masks(state, seat)
    count = 0
    for large_first in (True, False):
        firsts, die, next_die = (by_big, big, small) if large_first else (by_small, small, big)
        while firsts:
            first = lowest_bit(firsts)
            firsts &= firsts - 1
            action = place_of(first, seat) + (0 if large_first else SMALL_FIRST)
            seconds = open_sources(mask_after(state, own, mine, first, die), closed, next_die)
            if seconds == 0:
                out[count] = action + 26 * NO_STEP
                count += 1
            while seconds:
                out[count] = action + 26 * place_of(lowest_bit(seconds), seat)
                count += 1
                seconds &= seconds - 1
    return count


@implements(play, HalfRules)
def _(game: Any, state: Any, move: int) -> None:
    big, small, seat = state[DIE1], state[DIE2], state[TURN]
    if big == 0:
        play(game.base, state, move)
        return
    first, second = move % 26, move % SMALL_FIRST // 26
    if first != NO_STEP:
        make_step(state, source_of(first, seat), big if move < SMALL_FIRST else small)
    if second != NO_STEP:
        make_step(state, source_of(second, seat), small if move < SMALL_FIRST else big)
    if big == small and state[USED] == 0 and second != NO_STEP and state[SIDE * seat + OFF] < CHECKERS:
        state[USED] = 2  # the other half of a double, even if there is no step left: so OpenSpiel has it
    else:
        end_turn(state)
