"""Looking some plies ahead with a network, for any game: the best replies to a move, averaged over all outcomes of chance
(`expect`, `expect_two`, `expect_three`, `evaluate_ahead`), or games played on greedily until one's own next move (`evaluate_by_rounds`).

Where all seats move at once, the network judges the position as it stands. If the move to be found is itself one of those, the others'
moves are sampled (`moves_of_others`), as in `best_move`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import CHANCE, JOINT, OVER, chances, moves, play, play_joint, roll, turn
from ludus.contract.views import worth
from ludus.kernel import draw, kernel, seed_stream
from ludus.nets.value import (
    OTHERS,
    Workspace,
    best_by_slopes,
    best_move,
    best_surveyed,
    moves_of_others,
    predict,
    predict_change,
    survey,
    survey_slopes,
    workspace,
)

ROUND_PLIES = 100  # rolls and moves in a round, at most: somebody may throw sixes for ever


MARGIN = (
    0.16  # a move that is worse by more at first sight is not looked at again; it is the usual one of GNU Backgammon
)


class Plies(NamedTuple):
    """How far `evaluate_ahead` looks: the `width` best moves, none behind by more than `margin`, are judged again by the replies one ply ahead; half as many
    of these, none behind by more than half as much, two plies ahead; and so on.
    """

    depth: int  # 1 to 3
    width: int
    margin: float = MARGIN


class Rounds(NamedTuple):
    """How `evaluate_by_rounds` looks ahead: the `width` best moves are judged again by so many rounds after each."""

    number: int
    width: int


class Chance(NamedTuple):
    """Arrays for events of chance."""

    outcomes: np.ndarray
    odds: np.ndarray
    dice: np.ndarray  # a random stream


class LookaheadWorkspace(NamedTuple):
    """Arrays for the intermediate results of looking ahead. The moves and their values are the result."""

    ws: Workspace
    legal: np.ndarray  # the moves that are evaluated
    values: np.ndarray  # what each is worth to who makes it
    child: np.ndarray  # the state after one of them
    joint: np.ndarray  # a move for each seat
    judgement: np.ndarray
    chance: Chance


@kernel
def lookahead_workspace(net: Any, game: Any, sizes: Any) -> Any:
    """A new workspace for one thread; `sizes` are the game's (`sizes_of`)."""
    max_moves, state_size, seats, max_chances = sizes
    ws = workspace(net, game, max_moves, state_size, seats)
    return LookaheadWorkspace(
        ws,
        np.empty(max_moves, np.int64),
        np.empty(max_moves),
        np.empty(state_size, np.int64),
        np.empty(seats, np.int64),
        np.empty_like(ws.best),
        Chance(np.empty(max_chances, np.int64), np.empty(max_chances), np.empty(1, np.uint64)),
    )


# --- positions -------------------------------------------------------------------------------------------------------


@kernel
def expect(net: Any, encoding: Any, game: Any, state: Any, ws: Any, outcomes: Any, odds: Any, out: Any) -> None:
    """Judge a state by the reply that comes next: the average over all rolls of the best reply to each, into `out`. Which reply is best is seen in part at
    first sight, where the encoding allows it (`best_by_slopes`).
    """
    seat = turn(game, state)
    if seat in (OVER, JOINT):
        predict(net, encoding, game, state, ws)
        out[:] = ws.output
    elif seat == CHANCE:
        count = chances(game, state, outcomes, odds)
        rolled = np.empty_like(state)
        out[:] = 0
        surveyor = OVER  # for whom the position was surveyed: the dice do not change it
        surveyed = False
        for i in range(count):
            rolled[:] = state
            play(game, rolled, outcomes[i])
            mover = turn(game, rolled)
            if mover >= 0:
                if mover != surveyor:
                    surveyed = survey(net, encoding, game, rolled, ws)
                    surveyor = mover
                    if surveyed:
                        survey_slopes(net, encoding, game, mover, ws)
                if surveyed:
                    best_by_slopes(net, encoding, game, rolled, mover, ws)
                else:
                    best_surveyed(net, encoding, game, rolled, mover, surveyed, ws)
                out += np.float32(odds[i]) * ws.best
            else:  # chance follows chance or ends the game, or all move at once
                predict(net, encoding, game, rolled, ws)
                out += np.float32(odds[i]) * ws.output
    else:
        best_move(net, encoding, game, state, seat, ws)
        out[:] = ws.best


@kernel
def _reply(net: Any, encoding: Any, game: Any, state: Any, result: int, ws: Any, child: Any) -> None:
    """Write the state after an event of chance, if one is due, and the best reply to `child`."""
    child[:] = state
    if turn(game, child) == CHANCE:
        play(game, child, result)
    mover = turn(game, child)
    if mover >= 0:
        play(game, child, best_move(net, encoding, game, child, mover, ws))


@kernel
def expect_two(net: Any, encoding: Any, game: Any, state: Any, ws: Any, outcomes: Any, odds: Any, out: Any) -> None:
    """Judge a state by the two plies that come next: each best reply is judged by `expect` instead of at once."""
    out[:] = 0
    rolls, shares = outcomes.copy(), odds.copy()
    rolls[0], shares[0], count = 0, 1.0, 1
    if turn(game, state) == CHANCE:
        count = chances(game, state, rolls, shares)
    child, judgement = np.empty_like(state), np.empty_like(out)
    for i in range(count):
        _reply(net, encoding, game, state, rolls[i], ws, child)
        expect(net, encoding, game, child, ws, outcomes, odds, judgement)
        out += np.float32(shares[i]) * judgement


@kernel
def expect_three(net: Any, encoding: Any, game: Any, state: Any, ws: Any, outcomes: Any, odds: Any, out: Any) -> None:
    """Judge a state by the three plies that come next: each best reply is judged by `expect_two`."""
    out[:] = 0
    rolls, shares = outcomes.copy(), odds.copy()
    rolls[0], shares[0], count = 0, 1.0, 1
    if turn(game, state) == CHANCE:
        count = chances(game, state, rolls, shares)
    child, judgement = np.empty_like(state), np.empty_like(out)
    for i in range(count):
        _reply(net, encoding, game, state, rolls[i], ws, child)
        expect_two(net, encoding, game, child, ws, outcomes, odds, judgement)
        out += np.float32(shares[i]) * judgement


# --- moves -----------------------------------------------------------------------------------------------------------


@kernel
def _samples(game: Any, state: Any) -> int:
    """How many states after a move stand for all that it can lead to."""
    return OTHERS if turn(game, state) == JOINT else 1


@kernel
def _join_move(game: Any, state: Any, seat: int, move: int, sample: int, joint: Any, legal: Any, child: Any) -> None:
    """Write the state after a move of `seat` and one sample of the others' to `child`; `joint` and `legal` are overwritten."""
    child[:] = state
    moves_of_others(game, state, seat, sample, joint, legal)
    joint[seat] = move
    play_joint(game, child, joint)


@kernel(inline=True)
def _make_move(game: Any, state: Any, seat: int, move: int, samples: int, sample: int, space: Any) -> None:
    """Write the state after a move of `seat` to `space.child`: one of so many samples, where all seats move at once."""
    if samples > 1:
        _join_move(game, state, seat, move, sample, space.joint, space.ws.legal, space.child)
    else:
        space.child[:] = state
        play(game, space.child, move)


@kernel
def evaluate_now(net: Any, encoding: Any, game: Any, state: Any, seat: int, space: Any) -> int:
    """Write the moves of `seat`, and what the network makes of the states after them; return how many there are."""
    ws, legal, child, samples = space.ws, space.legal, space.child, _samples(game, state)
    count = moves(game, state, seat, legal)
    surveyed = samples == 1 and survey(net, encoding, game, state, ws)
    for i in range(count):
        total = 0.0
        for sample in range(samples):
            if not (surveyed and predict_change(net, encoding, game, state, legal[i], ws)):
                _make_move(game, state, seat, legal[i], samples, sample, space)
                predict(net, encoding, game, child, ws)
            worth(encoding, game, ws.output, ws.worth)
            total += ws.worth[seat]
        space.values[i] = total / samples
    return count


@kernel
def keep_behind(values: Any, order: Any, width: int, floor: float) -> None:
    """Lower the values of moves that were not judged again, so that they do not overtake those that were, the worst of them at `floor`."""
    if len(order) > width:
        ahead = values[order[width]] - floor
        if ahead >= 0:
            for i in order[width:]:
                values[i] -= ahead + 1e-6


@kernel
def _judge_again(net: Any, encoding: Any, game: Any, state: Any, seat: int, move: int, depth: int, space: Any) -> float:
    """What a move is worth to `seat`, so many plies ahead."""
    ws, child, judgement = space.ws, space.child, space.judgement
    outcomes, odds = space.chance.outcomes, space.chance.odds
    samples = _samples(game, state)
    total = 0.0
    for sample in range(samples):
        _make_move(game, state, seat, move, samples, sample, space)
        if depth == 1:
            expect(net, encoding, game, child, ws, outcomes, odds, judgement)
        elif depth == 2:
            expect_two(net, encoding, game, child, ws, outcomes, odds, judgement)
        else:
            expect_three(net, encoding, game, child, ws, outcomes, odds, judgement)
        worth(encoding, game, judgement, ws.worth)
        total += ws.worth[seat]
    return total / samples


@kernel
def evaluate_ahead(
    net: Any, encoding: Any, game: Any, state: Any, seat: int, plies: Any, space: Any, alone: bool = True
) -> int:
    """As `evaluate_now`; then judge the best moves again, by the replies some plies ahead (`plies` is a `Plies`). A move without a rival is judged again only
    if its value is wanted, too (`alone`).
    """
    values = space.values
    count = evaluate_now(net, encoding, game, state, seat, space)
    if count == 1:
        return count
    width, margin, kept = plies.width, plies.margin, count
    for depth in range(1, plies.depth + 1):
        order = np.argsort(-values[:count])
        most, kept = min(kept, max(width, 1)), 1
        while kept < most and values[order[kept]] >= values[order[0]] - margin:
            kept += 1
        if kept == 1 and not alone:
            break
        floor = np.inf
        for i in order[:kept]:
            values[i] = _judge_again(net, encoding, game, state, seat, space.legal[i], depth, space)
            floor = min(floor, values[i])
        keep_behind(values, order, kept, floor)
        width, margin = max(width // 2, 2), margin / 2
    return count


@kernel
def _draw_in_layers(game: Any, state: Any, outcomes: Any, odds: Any, share: float) -> int:
    """The outcome of a chance event below which a share of all its chances lies."""
    count = chances(game, state, outcomes, odds)
    for i in range(count - 1):
        share -= odds[i]
        if share < 0:
            return outcomes[i]
    return outcomes[count - 1]


@kernel
def _play_round(net: Any, encoding: Any, game: Any, state: Any, seat: int, chance: Any, share: float, ws: Any) -> None:
    """Play on greedily until `seat` has moved, all move at once, or the game is over; the judgement of where that leads goes to `ws.best`."""
    outcomes, odds = chance.outcomes, chance.odds
    first = True
    for _ in range(ROUND_PLIES):
        mover = turn(game, state)
        if mover == CHANCE:
            # The first roll goes evenly through all its outcomes from round to round.
            result = (
                _draw_in_layers(game, state, outcomes, odds, share)
                if first
                else roll(game, state, chance.dice, outcomes, odds)
            )
            first = False
            play(game, state, result)
        elif mover < 0:
            break
        else:
            move = best_move(net, encoding, game, state, mover, ws)
            if mover == seat:
                return
            play(game, state, move)
    predict(net, encoding, game, state, ws)
    ws.best[:] = ws.output


@kernel
def evaluate_by_rounds(
    net: Any, encoding: Any, game: Any, state: Any, seat: int, rng: Any, rounds: Any, space: Any
) -> int:
    """As `evaluate_now`; then judge the best moves again, by playing on from each with the same dice for all (`rounds` is a `Rounds`)."""
    ws, values, child, chance = space.ws, space.values, space.child, space.chance
    samples = _samples(game, state)
    count = evaluate_now(net, encoding, game, state, seat, space)
    if count == 1:
        return count
    order = np.argsort(-values[:count])
    floor = np.inf
    series = np.int64(draw(rng))
    for i in order[: rounds.width]:
        total = 0.0
        for k in range(rounds.number):
            seed_stream(chance.dice, series, k, 2)
            _make_move(game, state, seat, space.legal[i], samples, k % OTHERS, space)
            _play_round(net, encoding, game, child, seat, chance, (k + 0.5) / rounds.number, ws)
            worth(encoding, game, ws.best, ws.worth)
            total += ws.worth[seat]
        values[i] = total / rounds.number
        floor = min(floor, values[i])
    keep_behind(values, order, rounds.width, floor)
    return count
