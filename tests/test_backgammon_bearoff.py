"""Short bear-offs: where they begin, that they are backgammon, and the best moves by a calculation of our own and by GNU Backgammon's."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import ludus
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.games import game_name
from ludus.games.backgammon.rules import SIDE
from ludus.kernel import stream
from ludus.players.base import ask
from ludus.players.models import has_model
from ludus.players.peers import board_of
from ludus.search.solve import solve
from plain_solver import all_states

THREE = ludus.game("backgammon(bearoff=3)")

Side = tuple[int, ...]  # checkers on points 1 to 6
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


def test_it_begins_with_a_few_checkers_at_home() -> None:
    assert THREE.start().state[:7].tolist() == [12, 0, 0, 0, 1, 1, 1]
    assert THREE.start().state[SIDE : SIDE + 7].tolist() == [12, 0, 0, 0, 1, 1, 1]
    assert ludus.game("backgammon(bearoff=15)").start().state[:7].tolist() == [0, 2, 2, 2, 3, 3, 3]
    assert THREE.start().kind == "chance"
    assert len(THREE.start().chances()) == 30


def test_its_names() -> None:
    assert game_name(THREE) == "backgammon(bearoff=3)"
    assert THREE.facts.model == "backgammon-bearoff3"
    assert ludus.game("backgammon(bearoff=0)") == ludus.game("backgammon")
    with pytest.raises(LudusError, match="a whole number from 0 to 15"):
        ludus.game("backgammon(bearoff=16)")


def test_it_has_neither_the_models_nor_the_files_of_the_whole_game() -> None:
    assert has_model(ludus.game("backgammon"))
    assert not has_model(THREE)
    assert THREE.formats == ()


def test_moves_are_those_of_backgammon() -> None:
    whole = ludus.game("backgammon")
    for state in all_states(ludus.game("backgammon(bearoff=1)")):
        here = Position(ludus.game("backgammon(bearoff=1)"), np.array(state, np.int64))
        there = Position(whole, np.array(state, np.int64))
        assert (here.text, list(map(str, here.moves()))) == (there.text, list(map(str, there.moves())))


# --- the best moves --------------------------------------------------------------------------------------------------


def after_die(side: Side, die: int) -> set[Side]:
    """What can become of a side by one die."""
    if not any(side):
        return {side}
    found = set()
    for point in range(1, 7):
        rearmost = not any(side[point:])
        if side[point - 1] and (point >= die or rearmost):
            left = list(side)
            left[point - 1] -= 1
            if point > die:
                left[point - die - 1] += 1
            found.add(tuple(left))
    return found


@cache
def after_roll(side: Side, a: int, b: int) -> frozenset[Side]:
    found = set()
    for dice in [(a,) * 4] if a == b else [(a, b), (b, a)]:
        here = {side}
        for die in dice:
            here = {there for one in here for there in after_die(one, die)}
        found |= here
    return frozenset(found)


@cache
def chance_to_win(mover: Side, other: Side) -> Fraction:
    """Of the side that is to roll, if both play well."""
    return Fraction(sum(best(mover, other, a, b) for a, b in ROLLS), 36)


def best(mover: Side, other: Side, a: int, b: int) -> Fraction:
    return max(after(there, other) for there in after_roll(mover, a, b))


def after(mover: Side, other: Side) -> Fraction:
    """What a side that has moved can expect."""
    return 1 - chance_to_win(other, mover) if any(mover) else Fraction(1)


def sides(state: np.ndarray, seat: int) -> tuple[Side, Side]:
    mine, others = (tuple(state[SIDE * s + 1 : SIDE * s + 7].tolist()) for s in (seat, 1 - seat))
    return mine, others


def test_perfect_bears_off_as_well_as_can_be() -> None:
    game = ludus.game("backgammon(bearoff=2)")
    perfect, rng = ludus.player("perfect", game), stream(1)
    for state in map(np.array, all_states(game)[::7]):
        position = Position(game, state)
        seat = position.turn
        chosen = position.play(ask(perfect, position, rng))
        assert seat is not None
        mine, others = sides(state, seat)
        assert after(sides(chosen.state, seat)[0], others) == best(mine, others, int(state[53]), int(state[54]))


def test_who_begins_has_the_better_chance_and_both_are_as_likely_to_begin() -> None:
    found = solve(THREE)
    assert found.value == pytest.approx((0, 0), abs=1e-12)
    assert found.random == pytest.approx((0, 0), abs=1e-12)
    assert found.exploiter[0] == pytest.approx(found.exploiter[1], abs=1e-12)
    assert 0 < found.safe[0] <= found.exploiter[0] < 1
    assert found.wins[0] == pytest.approx((1 + found.exploiter[0]) / 2)


@pytest.mark.peers
def test_gnu_backgammon_agrees() -> None:
    engine = pytest.importorskip("gnubg_nn")
    perfect, rng, number = ludus.player("perfect", THREE), stream(1), 0
    for game in range(60):
        rolls, position = stream(5, game), THREE.start()
        while not position.over:
            if position.kind == "chance":
                position = position.roll(rolls)
                continue
            ends = {int(move): position.play(move) for move in position.moves()}
            chosen, seat = int(ask(perfect, position, rng)), position.turn
            assert seat is not None
            chances = {
                move: 1.0 if end.over else 1 - engine.probabilities(board_of(end.state, 1 - seat), 0)[0]
                for move, end in ends.items()
            }
            assert chances[chosen] == pytest.approx(max(chances.values()), abs=2e-4)
            number += len(ends) > 1
            position = ends[chosen]
    assert number > 100
