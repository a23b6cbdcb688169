"""The rules of the whole game, as kernels: backgammon with the doubling cube, one game for money or a match to some points.

A type of its own, so that the code that is compiled for the game without the cube does not depend on it. A state begins with that game's 55 numbers
(`rules.py`), and what reads those reads these.

    # a game 55 | cube 1, owner 1 | phase 1 | points of each seat 2 | Crawford 1
    #  0 … 54     55      56        57        58 59                   60

`cube` is what it shows, `owner` a seat, or -1 while the cube is in the middle. `turn`, of the 55, is always the seat that is to roll, or has rolled. `phase` says what
is going on:

    0       a roll is to be played, or the dice are due; where `turn` may double it first decides whether to
    1 2 3   it has doubled; the other seat has beavered; it has raccooned: the cube shows what was agreed on last, and half of what is asked for now
    4       it may double, but rolls
    5 … 10  5 + 3 * seat + size - 1: a seat offers to resign a single game (1), a gammon (2) or a backgammon (3)

The points are those of the match, never beyond its length. Who has them all has won, and the board stays as it was; else the next game begins at once. In a game for
money the points are 0 until it has ended. `Crawford` is 1 in the Crawford game. The number of the game is not kept: nothing depends on it.

Moves are those of the game without the cube, and the numbers from ROLL on; equal dice of an opening roll, which double the cube, are one outcome. Resignations are legal, but `moves` does not list them: they would be a bad third of a
random player's choices, and what every search looked at first.

Who would win the match with the cube as it is may not double: the cube is dead for that seat, and could only help the other one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.contract.rules import CHANCE, OVER, Facts, chances, moves, play, roll, scores, start, turn
from ludus.games.backgammon.bearoff import BearoffRules
from ludus.games.backgammon.rules import (
    CHECKERS,
    DIE1,
    DIE2,
    MAX_MOVES,
    OFF,
    SIDE,
    STATE_SIZE,
    TURN,
    BackgammonRules,
    win_size,
)
from ludus.kernel import below, implements, kernel

CUBE, OWNER, PHASE = STATE_SIZE, STATE_SIZE + 1, STATE_SIZE + 2
SCORE = STATE_SIZE + 3  # and one further on that of seat 1
CRAWFORD = STATE_SIZE + 5
MATCH_SIZE = STATE_SIZE + 6
PLAYING, DOUBLED, BEAVERED, RACCOONED, ROLLING, RESIGNING = range(6)
LARGEST_CUBE = 1 << 10

EQUAL = 11  # the outcome of an opening roll by which the cube is doubled: any equal dice
ROLL = 1 << 21  # beyond all moves of checkers
DOUBLE, TAKE, PASS, BEAVER, ACCEPT, REJECT, RESIGN = range(ROLL + 1, ROLL + 8)  # RESIGN + 3 * seat + size - 1


class MatchRules(NamedTuple):
    """Backgammon with the cube: a match to `match` points, or, if that is 0, one game for money."""

    match: int = 0
    cube: bool = False  # a game for money: a match always has the cube
    crawford: bool = True  # of a match: no double in the game after a seat first lacks one point
    jacoby: bool = False  # for money: gammons and backgammons count only after a double
    beavers: int = 0  # for money: 1 allows to beaver, 2 to raccoon as well
    automatic: int = 0  # for money: so many times equal dice in the opening roll double the cube
    bearoff: int = 0  # games begin with so many checkers a seat in the home boards; 0: from the usual position

    @property
    def facts(self) -> Facts:
        """What callers must know of the game."""
        most = 1.0 if self.match else 3.0 * LARGEST_CUBE
        outcomes = 31 if self.automatic else 30
        return Facts("backgammon", 1, 2, MATCH_SIZE, MAX_MOVES, outcomes, 0, (-most, most), self._variant)

    @property
    def _variant(self) -> str:
        parts = [f"match{self.match}" if self.match else "cube"]
        parts += ["nocrawford"] * (self.match > 0 and not self.crawford) + ["jacoby"] * self.jacoby
        counts = {"beavers": self.beavers, "automatic": self.automatic, "bearoff": self.bearoff}
        return "-".join(parts + [f"{name}{count}" for name, count in counts.items() if count])


@implements(start, MatchRules)
def _(game: Any, state: Any) -> None:
    new_game(game, state)
    state[SCORE] = 0
    state[SCORE + 1] = 0
    state[CRAWFORD] = 0


@kernel
def new_game(game: Any, state: Any) -> None:
    """The board and the cube as a game of a match begins."""
    if game.bearoff > 0:
        start(BearoffRules(3, game.bearoff), state)
    else:
        start(BackgammonRules(3), state)
    state[CUBE] = 1
    state[OWNER] = -1
    state[PHASE] = PLAYING


@kernel
def is_over(game: Any, state: Any) -> bool:
    """Whether the match, or the game for money, has ended."""
    best = max(state[SCORE], state[SCORE + 1])
    return best >= game.match if game.match > 0 else best > 0


@kernel
def may_double(game: Any, state: Any) -> bool:
    """Whether the seat that is to roll may double, if it has not decided to roll."""
    seat = state[TURN]
    if seat < 0 or state[DIE1] > 0 or state[CRAWFORD] > 0 or state[OWNER] == 1 - seat:
        return False
    if game.match > 0 and state[SCORE + seat] + state[CUBE] >= game.match:
        return False
    return 2 * state[CUBE] <= LARGEST_CUBE


@kernel
def may_beaver(game: Any, state: Any) -> bool:
    """Whether who is to answer a double, or a beaver, may double at once."""
    return game.match == 0 and state[PHASE] <= game.beavers and 4 * state[CUBE] <= LARGEST_CUBE


@implements(turn, MatchRules)
def _(game: Any, state: Any) -> int:
    if is_over(game, state):
        return OVER
    phase, seat = state[PHASE], state[TURN]
    if phase == PLAYING:
        return seat if state[DIE1] > 0 or may_double(game, state) else CHANCE
    if phase == ROLLING:
        return CHANCE
    if phase >= RESIGNING:
        return 1 if phase < RESIGNING + 3 else 0
    return seat if phase == BEAVERED else 1 - seat


@implements(scores, MatchRules)
def _(game: Any, state: Any, out: Any) -> None:
    if game.match > 0:
        out[0] = 1 if state[SCORE] >= game.match else -1
    else:
        out[0] = state[SCORE] - state[SCORE + 1]
    out[1] = -out[0]


# --- dice ------------------------------------------------------------------------------------------------------------


@kernel
def doubles_itself(game: Any, state: Any) -> bool:
    """Whether equal dice double the cube now: in the opening roll, and not more often than agreed."""
    return state[TURN] < 0 and state[CUBE] < 1 << game.automatic


@implements(chances, MatchRules)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    if not doubles_itself(game, state):
        return chances(BackgammonRules(3), state, outcomes, probabilities)
    count = chances(BackgammonRules(3), state, outcomes, probabilities)
    for i in range(count):
        probabilities[i] = 1 / 36
    outcomes[count] = EQUAL
    probabilities[count] = 6 / 36
    return count + 1


@implements(roll, MatchRules)
def _(game: Any, state: Any, rng: Any, outcomes: Any, probabilities: Any) -> int:
    if not doubles_itself(game, state):
        return roll(BackgammonRules(3), state, rng, outcomes, probabilities)
    pair = below(rng, 36)
    a, b = pair // 6, pair % 6
    return EQUAL if a == b else 10 * a + b + 11


# --- moving ----------------------------------------------------------------------------------------------------------


@implements(moves, MatchRules)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    phase = state[PHASE]
    if phase == PLAYING:
        if state[DIE1] > 0:
            return moves(BackgammonRules(3), state, seat, out)
        out[0], out[1] = ROLL, DOUBLE
        return 2
    if phase >= RESIGNING:
        out[0], out[1] = ACCEPT, REJECT
        return 2
    out[0], out[1], out[2] = TAKE, PASS, BEAVER
    return 3 if may_beaver(game, state) else 2


@implements(play, MatchRules)
def _(game: Any, state: Any, move: int) -> None:
    phase, mover = state[PHASE], state[TURN]
    if move >= ROLL:
        _act(game, state, move)
    elif state[DIE1] == 0 and move == EQUAL and mover < 0:  # an automatic double: the cube stays in the middle
        state[CUBE] *= 2
    else:
        moved = state[DIE1] > 0
        play(BackgammonRules(3), state, move)
        if phase == ROLLING:
            state[PHASE] = PLAYING
        if moved and state[SIDE * mover + OFF] == CHECKERS:
            end_game(game, state, mover, win_size(state, mover))


@kernel
def _act(game: Any, state: Any, move: int) -> None:
    """Carry out a move that is not made with checkers."""
    phase, mover = state[PHASE], state[TURN]
    if move == ROLL:
        state[PHASE] = ROLLING
    elif move == DOUBLE:
        state[PHASE] = DOUBLED
    elif move == BEAVER:
        state[CUBE] *= 2
        state[OWNER] = 1 - mover
        state[PHASE] = phase + 1
    elif move == TAKE:
        state[CUBE] *= 2
        state[OWNER] = 1 - mover
        state[PHASE] = PLAYING
    elif move == PASS:
        end_game(game, state, 1 - mover if phase == BEAVERED else mover, 1)
    elif move == REJECT:
        state[PHASE] = PLAYING
    elif move == ACCEPT:
        offer = phase - RESIGNING
        end_game(game, state, 1 if offer < 3 else 0, offer % 3 + 1)
    else:
        state[PHASE] = RESIGNING + move - RESIGN


@kernel
def end_game(game: Any, state: Any, winner: int, size: int) -> None:
    """Count a game that was won, singly (1), as a gammon (2) or as a backgammon (3), and go on to the next if there is one."""
    if not gammons_count(game, state):
        size = 1
    at = SCORE + winner
    state[at] += size * state[CUBE]
    state[PHASE] = PLAYING
    state[DIE1] = 0
    state[DIE2] = 0
    state[CRAWFORD] = 0
    if game.match > 0:
        state[at] = min(state[at], game.match)
        if state[at] < game.match:
            first = state[at] == game.match - 1 and state[SCORE + 1 - winner] < game.match - 1
            state[CRAWFORD] = 1 if game.crawford and first else 0
            new_game(game, state)


@kernel
def gammons_count(game: Any, state: Any) -> bool:
    """Whether more than a single game can be won: by Jacoby's rule not before a double."""
    return not game.jacoby or state[OWNER] >= 0
