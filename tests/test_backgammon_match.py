"""The rules of backgammon with the cube: what every match keeps to, small matches against a calculation of our own, and what is refused, with the rule's name."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.position import Position
from ludus.contract.rules import playouts, sizes_of
from ludus.errors import LudusError
from ludus.games import game_name
from ludus.games.backgammon.match import (
    BEAVERED,
    CRAWFORD,
    CUBE,
    DOUBLE,
    DOUBLED,
    LARGEST_CUBE,
    OWNER,
    PASS,
    PHASE,
    RACCOONED,
    RESIGN,
    ROLL,
    SCORE,
    TAKE,
    may_double,
)
from ludus.games.backgammon.rules import DIE1, OFF, SIDE, STATE_SIZE, TURN
from ludus.kernel import JIT, stream
from ludus.players import player
from ludus.search.solve import solve
from plain_solver import plainly

MATCH = ludus.game("backgammon(match=7)")
MONEY = ludus.game("backgammon(cube=true,jacoby=true,beavers=2,automatic=2)")
NAMES = [
    "backgammon(match=1)",
    "backgammon(match=2)",
    "backgammon(match=3,crawford=false)",
    "backgammon(match=7)",
    "backgammon(cube=true)",
    "backgammon(cube=true,jacoby=true,beavers=1,automatic=3)",
    "backgammon(cube=true,beavers=2)",
]
BEGUN = "XGID=-b----E-C---eE---c-e----B-"
examples = settings(deadline=None, max_examples=60 if JIT else 5)


def wander(name: str, seed: int) -> list[tuple[Position, int]]:
    """The positions of a random match, each with the move or outcome by which it is left, and its end, with -1. Now and then somebody offers to resign."""
    game, rng = ludus.game(name), random.Random(seed)
    position, path = game.start(), list[tuple[Position, int]]()
    while not position.over:
        offers = [move for move in game.unlisted(position.state) if rng.random() < 0.005]
        if offers:
            move = rng.choice(offers)
        elif position.kind == "chance":
            outcomes, odds = zip(*position.chances(), strict=True)
            move = int(rng.choices(outcomes, odds)[0])
        else:
            move = int(rng.choice(position.moves()))
        path.append((position, move))
        position = position.play(move)
    return [*path, (position, -1)]


# --- names -----------------------------------------------------------------------------------------------------------


def test_names_and_facts():
    for name in NAMES:
        assert game_name(ludus.game(name)) == name
    assert ludus.game("backgammon(match=7,cube=true)") == MATCH  # a match has the cube
    assert MATCH.facts.model == "backgammon-match7"
    assert ludus.game("backgammon(match=7,crawford=false)").facts.model == "backgammon-match7-nocrawford"
    assert MONEY.facts.model == "backgammon-cube-jacoby-beavers2-automatic2"
    assert MATCH.facts.score_range == (-1, 1)
    assert MONEY.facts.score_range == (-3 * LARGEST_CUBE, 3 * LARGEST_CUBE)
    assert MATCH.start().state[:STATE_SIZE].tolist() == ludus.game("backgammon").start().state.tolist()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("backgammon(match=-1)", "a whole number from 0 to 1,000"),
        ("backgammon(match=7,jacoby=true)", "jacoby is for games for money"),
        ("backgammon(match=7,beavers=1)", "beavers is for games for money"),
        ("backgammon(jacoby=true)", "write cube=true"),
        ("backgammon(cube=true,crawford=false)", "the Crawford game is one of a match"),
        ("backgammon(cube=true,beavers=3)", "beavers must be one of 0, 1, 2"),
        ("backgammon(cube=true,automatic=11)", "a whole number from 0 to 10"),
        ("backgammon(match=7,scoring=1)", "gammons and backgammons always count"),
    ],
)
def test_what_a_name_may_not_have(name, reason):
    with pytest.raises(LudusError, match=reason):
        ludus.game(name)


@pytest.mark.parametrize("name", ["pubeval", "wildbg"])
def test_players_that_know_no_cube_do_not_play_with_it(name):
    with pytest.raises(LudusError, match="knows nothing of the cube"):
        player(name, MATCH)


# --- what every match keeps to ---------------------------------------------------------------------------------------


@examples
@given(st.sampled_from(NAMES), st.integers(0, 10_000))
def test_every_match_keeps_to_the_rules(name, seed):
    path = wander(name, seed)
    game, crawfords, taken = path[0][0].game, 0, False
    for (before, move), (after, _) in itertools.pairwise(path):
        was, now = before.state, after.state
        cube, owner = int(now[CUBE]), int(now[OWNER])
        assert cube & (cube - 1) == 0 < cube <= LARGEST_CUBE
        assert was[SCORE] <= now[SCORE]
        assert was[SCORE + 1] <= now[SCORE + 1]
        begins = now[TURN] < 0 <= was[TURN]
        # The cube has an owner from the first take on, until a game ends.
        taken = False if begins else taken or move == TAKE or now[PHASE] in (BEAVERED, RACCOONED)
        assert (owner >= 0) == taken
        if owner < 0:
            assert cube <= 1 << game.automatic
        if before.turn is not None and move < ROLL:
            assert was[PHASE] == now[PHASE] == 0
        if move == DOUBLE:
            assert was[DIE1] == 0 == was[CRAWFORD]
            assert was[OWNER] in (-1, was[TURN])
            assert after.turn == 1 - before.turn
        if move == TAKE:
            assert (cube, owner) == (2 * was[CUBE], 1 - was[TURN])
        if game.match:
            assert max(now[SCORE : SCORE + 2]) <= game.match
            assert after.over == (max(now[SCORE : SCORE + 2]) == game.match)
            if begins and not after.over:
                crawfords += int(now[CRAWFORD])
                assert not now[CRAWFORD] or max(now[SCORE : SCORE + 2]) == game.match - 1
        else:
            assert after.over == bool(now[SCORE : SCORE + 2].any())
        assert np.array_equal(game.read_state(after.text), now)
    end = path[-1][0]
    low = min(end.state[SCORE : SCORE + 2])
    if game.match:
        assert sorted(end.scores()) == [-1, 1]
        # Who lost by the last game from below one point before the end may have had no Crawford game: one jumped over it.
        reached = any(max(p.state[SCORE : SCORE + 2]) == game.match - 1 for p, _ in path[1:]) and game.match > 1
        assert crawfords == (1 if game.crawford and reached else 0)
    else:
        assert sum(end.scores()) == 0
        assert low == 0


@examples
@given(st.sampled_from(NAMES), st.integers(0, 10_000))
def test_a_decision_before_the_roll_exists_only_where_a_double_is_legal(name, seed):
    for position, _ in wander(name, seed):
        state, game = position.state, position.game
        if position.over or state[PHASE] or state[DIE1]:
            continue
        legal = [int(move) for move in position.moves()]
        assert legal == ([ROLL, DOUBLE] if may_double(game, state.copy()) else [])
        dead = game.match and state[TURN] >= 0 and state[SCORE + state[TURN]] + state[CUBE] >= game.match
        if state[CRAWFORD] or dead or state[TURN] < 0 or state[OWNER] == 1 - state[TURN]:
            assert position.kind == "chance"


def test_resignations_are_legal_but_in_no_list():
    position = MATCH.start().play("31")
    listed = [int(move) for move in position.moves()]
    offers = MATCH.unlisted(position.state)
    assert offers == [RESIGN + i for i in range(6)]
    assert not set(offers) & set(listed)
    for move in offers:
        assert position.play(move) == position.play(MATCH.move_text(position.state, move))
    assert position.play("resign gammon") == position.play("X resigns a gammon")
    offered = position.play("resign gammon")
    assert [str(move) for move in offered.moves()] == ["accept", "reject"]
    assert offered.turn == 1
    assert offered.play("reject") == position
    assert offered.play("accept").state[SCORE : SCORE + 2].tolist() == [0, 2]
    assert MATCH.unlisted(MATCH.start().state) == []


def test_a_resignation_comes_at_any_time_of_either_seat():
    waiting = MATCH.start().play("31").play("8/5 6/5").play("double").play("take")
    assert waiting.kind == "chance"
    with pytest.raises(LudusError, match="say who resigns"):
        waiting.play("resign")
    for name, winner in (("X", 1), ("O", 0)):
        offered = waiting.play(f"{name} resigns a backgammon")
        assert offered.turn == winner
        assert offered.play("accept").state[SCORE + winner] == 6
        assert offered.play("reject") == waiting


# --- the points ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "text", "scores"),
    [
        ("backgammon(cube=true)", "XGID=-A-o----------------------:0:0:1:21:0:0:0:0:10", 3),
        ("backgammon(cube=true)", "XGID=-A---------o--------------:0:0:1:21:0:0:0:0:10", 2),
        ("backgammon(cube=true)", "XGID=-A---------n--------------:0:0:1:21:0:0:0:0:10", 1),
        ("backgammon(cube=true)", "XGID=-A---------o--------------:2:1:1:21:0:0:0:0:10", 8),
        ("backgammon(cube=true,jacoby=true)", "XGID=-A---------o--------------:0:0:1:21:0:0:1:0:10", 1),
        ("backgammon(cube=true,jacoby=true)", "XGID=-A---------o--------------:1:-1:1:21:0:0:1:0:10", 4),
        ("backgammon(cube=true,jacoby=true,automatic=1)", "XGID=-A---------o--------------:1:0:1:21:0:0:1:0:10", 2),
    ],
)
def test_a_game_for_money_is_worth_the_cube_times_its_size(game, text, scores):
    end = ludus.game(game).position(text).play("1/off")
    assert end.scores() == [scores, -scores]
    assert ludus.game(game).position(end.text) == end


def at(score: str, crawford: int = 0, cube: str = "0:0", length: int = 7) -> Position:
    """X bears off its last checker and wins a gammon."""
    return ludus.game(f"backgammon(match={length})").position(
        f"XGID=-A---------o--------------:{cube}:1:21:{score}:{crawford}:{length}:10"
    )


def test_games_of_a_match_follow_each_other():
    after = at("1:3").play("1/off")
    assert after.state[SCORE : SCORE + 2].tolist() == [3, 3]
    assert after.state[:STATE_SIZE].tolist() == MATCH.start().state[:STATE_SIZE].tolist()
    assert (after.state[CUBE], after.state[OWNER], after.state[CRAWFORD]) == (1, -1, 0)
    assert after.kind == "chance"
    assert at("4:3").play("1/off").state[CRAWFORD] == 1  # 6-3: the Crawford game
    assert at("4:6").play("1/off").state[CRAWFORD] == 0  # O had its Crawford game before
    assert at("4:6", crawford=1).play("1/off").state[CRAWFORD] == 0  # both lack one point now
    over = at("4:3", cube="2:1").play("1/off")
    assert over.over
    assert over.state[SCORE : SCORE + 2].tolist() == [7, 3]  # no more than the match
    assert over.scores() == [1, -1]
    free = ludus.game("backgammon(match=7,crawford=false)")
    assert free.position("XGID=-A---------o--------------:0:0:1:21:4:3:0:7:10").play("1/off").state[CRAWFORD] == 0


def test_beavers_and_raccoons():
    doubled = MONEY.start().play("31").play("8/5 6/5").play("double")
    assert [str(move) for move in doubled.moves()] == ["take", "pass", "beaver"]
    assert doubled.play("pass").scores() == [-1, 1]
    beavered = doubled.play("beaver")
    assert (beavered.turn, [str(m) for m in beavered.moves()]) == (1, ["take", "pass", "raccoon"])
    assert beavered.play("pass").scores() == [2, -2]
    taken = beavered.play("take")
    assert (taken.state[CUBE], taken.state[OWNER], taken.kind) == (4, 0, "chance")
    raccooned = beavered.play("raccoon")
    assert (raccooned.turn, [str(m) for m in raccooned.moves()]) == (0, ["take", "pass"])
    assert raccooned.play("pass").scores() == [-4, 4]
    taken = raccooned.play("take")
    assert (taken.state[CUBE], taken.state[OWNER], taken.turn, taken.state[TURN]) == (8, 0, None, 1)


def test_automatic_doubles():
    start = MONEY.start()
    assert sum(p for _, p in start.chances()) == pytest.approx(1)
    assert {str(o): p for o, p in start.chances()}["equal dice"] == pytest.approx(1 / 6)
    once = start.play("33")
    assert (once.state[CUBE], once.state[OWNER], once.kind) == (2, -1, "chance")
    twice = once.play("equal dice")
    assert twice.state[CUBE] == 4
    assert len(twice.chances()) == 30
    with pytest.raises(LudusError, match="the opening roll can't be a double"):
        twice.play("11")


# --- small matches, exactly ------------------------------------------------------------------------------------------

ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


@cache
def leaves(pips: int) -> list[tuple[Fraction, int]]:
    """What is left of one checker's way after a roll, if it is made as short as it can be: how likely, and how much."""
    steps = [max(0, pips - (4 * a if a == b else a + b)) for a, b in ROLLS]
    return [(Fraction(steps.count(left), 36), left) for left in sorted(set(steps))]


class Small:
    """Matches in which each game is a race of two checkers, by our own calculation. A value is the first seat's chance to win the match, less the other's; of a game for
    money its points. Each seat plays as well as it can, or at random.
    """

    def __init__(self, match: int, crawford: bool, best: tuple[bool, bool]) -> None:
        self.match, self.crawford, self.best = match, crawford, best
        self.to_roll, self.begin = cache(self._to_roll), cache(self._begin)

    def _decided(self, options: list[Fraction], seat: int) -> Fraction:
        if not self.best[seat]:
            return sum(options, Fraction(0)) / len(options)
        return max(options) if seat == 0 else min(options)

    def _won(self, score: tuple[int, int], seat: int, points: int) -> Fraction:
        """After a game that a seat won."""
        if not self.match:
            return Fraction(points if seat == 0 else -points)
        new = [score[0], score[1]]
        new[seat] += points
        if new[seat] >= self.match:
            return Fraction(1 if seat == 0 else -1)
        first = new[seat] == self.match - 1 > new[1 - seat]
        return self.begin((new[0], new[1]), self.crawford and first)

    def _begin(self, score: tuple[int, int], crawford: bool) -> Fraction:
        """Before the opening roll: each has a checker on its point 6."""
        total = Fraction(0)
        for a, b in ROLLS:
            if a != b:
                seat = 0 if a > b else 1
                total += Fraction(1, 30) * self._moved(score, crawford, 1, -1, (6, 6), seat, max(0, 6 - a - b))
        return total

    def _moved(self, score: Any, crawford: bool, cube: int, owner: int, pips: Any, seat: int, left: int) -> Fraction:
        if left == 0:
            return self._won(score, seat, cube)  # 14 checkers are off: there are no gammons
        now = (left, pips[1]) if seat == 0 else (pips[0], left)
        return self.to_roll(score, crawford, cube, owner, now, 1 - seat)

    def _rolls(self, score: Any, crawford: bool, cube: int, owner: int, pips: Any, seat: int) -> Fraction:
        return sum(
            (p * self._moved(score, crawford, cube, owner, pips, seat, left) for p, left in leaves(pips[seat])),
            Fraction(0),
        )

    def _to_roll(self, score: Any, crawford: bool, cube: int, owner: int, pips: Any, seat: int) -> Fraction:
        rolled = self._rolls(score, crawford, cube, owner, pips, seat)
        dead = self.match and score[seat] + cube >= self.match
        if crawford or owner == 1 - seat or dead or 2 * cube > LARGEST_CUBE:
            return rolled
        taken = self._rolls(score, crawford, 2 * cube, 1 - seat, pips, seat)
        answered = self._decided([taken, self._won(score, seat, cube)], 1 - seat)
        return self._decided([rolled, answered], seat)


@pytest.mark.parametrize(
    ("name", "match", "crawford"),
    [
        ("backgammon(match=1,bearoff=1)", 1, True),
        ("backgammon(match=2,bearoff=1)", 2, True),
        ("backgammon(match=3,bearoff=1)", 3, True),
        ("backgammon(match=3,crawford=false,bearoff=1)", 3, False),
        ("backgammon(match=4,bearoff=1)", 4, True),
        ("backgammon(cube=true,bearoff=1)", 0, True),
    ],
)
@pytest.mark.skipif(not JIT, reason="solving takes too long in plain Python")
def test_small_matches_are_worth_what_our_own_calculation_says(name, match, crawford):
    solution = solve(ludus.game(name))
    for kind, best in (("value", (True, True)), ("exploiter", (True, False)), ("random", (False, False))):
        expected = float(Small(match, crawford, best).begin((0, 0), False))
        assert getattr(solution, kind)[0] == pytest.approx(expected, abs=1e-12)
    assert solution.exploiter[1] == pytest.approx(solution.exploiter[0], abs=1e-12)
    assert (solution.exploiter[0] > 0.01) == (match != 1)  # without the cube there is nothing to decide here


def middle(
    score: tuple[int, int], crawford: int, cube: int, owner: int, pips: tuple[int, int], length: int
) -> Position:
    """X is to roll, or to double, in a race of two checkers."""
    game = ludus.game(f"backgammon(match={length},bearoff=1)")
    state = game.start().state.copy()
    state[1 : SIDE - 1], state[SIDE + 1 : 2 * SIDE - 1] = 0, 0
    state[pips[0]], state[SIDE + pips[1]], state[TURN] = 1, 1, 0
    state[CUBE], state[OWNER], state[CRAWFORD] = cube, owner, crawford
    state[SCORE : SCORE + 2] = score
    assert state[OFF] == state[SIDE + OFF] == 14
    return Position(game, state)


@cache
def plain(length: int) -> Any:
    """What is known of the positions of a match."""
    return plainly(ludus.game(f"backgammon(match={length},bearoff=1)"), 0)


@pytest.mark.parametrize(
    ("score", "crawford", "cube", "owner", "length"),
    [
        ((0, 0), 0, 1, -1, 3),
        ((1, 2), 1, 1, -1, 3),
        ((1, 2), 0, 1, -1, 3),  # post-Crawford: X doubles at once, and O has a free drop
        ((2, 2), 0, 1, -1, 5),
        ((0, 1), 0, 2, 0, 4),
        ((0, 1), 0, 2, 1, 4),
    ],
)
@pytest.mark.parametrize("pips", [(3, 6), (6, 1), (6, 6)])
def test_positions_of_matches_are_worth_what_our_own_calculation_says(score, crawford, cube, owner, length, pips):
    position = middle(score, crawford, cube, owner, pips, length)
    known = plain(length)(tuple(position.state.tolist()))
    for kind, best in (("value", (True, True)), ("exploiter", (True, False)), ("random", (False, False))):
        assert known[kind] == Small(length, True, best).to_roll(score, bool(crawford), cube, owner, pips, 0)


@pytest.mark.skipif(not JIT, reason="a hundred thousand matches take too long in plain Python")
def test_random_matches_end_as_often_as_they_should():
    # One checker on point 1 each: whoever rolls wins the game, so that this one is decided by doubles, takes and passes alone.
    position = middle((0, 1), 0, 1, -1, (1, 1), 3)
    expected = float(Small(3, True, (False, False)).to_roll((0, 1), False, 1, -1, (1, 1), 0))
    total, count = np.zeros(2), 100_000
    playouts(position.game, position.state.copy(), stream(1), count, sizes_of(position.game), total)
    assert total[0] == -total[1]
    assert total[0] / count == pytest.approx(expected, abs=5 / np.sqrt(count))


# --- what is refused -------------------------------------------------------------------------------------------------

X_TO_ROLL = f"{BEGUN}:0:0:1:00:0:0:0:7:10"


@pytest.mark.parametrize(
    ("text", "move", "reason"),
    [
        (f"{BEGUN}:0:0:0:00:0:0:0:7:10", "double", "before the opening roll"),
        (f"{BEGUN}:0:0:0:00:0:0:0:7:10", "resign", "say who resigns"),
        (f"{BEGUN}:0:0:0:00:0:0:0:7:10", "X resigns", "before the opening roll"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10", "double", "before the roll"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10", "roll", "rolled already"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10", "take", "no double to answer"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10", "accept", "no resignation to answer"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10", "pass", "you may not pass while you can move"),
        (X_TO_ROLL, "31", "X has to decide first: roll or double"),
        (X_TO_ROLL, "8/5 6/5", "X has to decide first: roll or double"),
        (X_TO_ROLL, "take", "no double to answer"),
        (X_TO_ROLL, "nonsense", "roll or double"),
        (f"{X_TO_ROLL}:roll", "double", "the dice are due"),
        (f"{X_TO_ROLL}:roll", "resign", "say who resigns"),
        (f"{BEGUN}:1:-1:1:00:0:0:0:7:10", "double", "the cube is O's"),
        (f"{BEGUN}:0:0:1:00:3:6:1:7:10", "double", "Crawford game"),
        (f"{BEGUN}:0:0:1:00:6:3:0:7:10", "double", "the cube is dead for X"),
        (f"{BEGUN}:2:1:1:00:3:0:0:7:10", "double", "the cube is dead for X"),
        (f"{BEGUN}:0:0:1:D:0:0:0:7:10", "double", "O has to answer first: take or pass"),
        (f"{BEGUN}:0:0:1:D:0:0:0:7:10", "31", "O has to decide first: take or pass"),
        (f"{BEGUN}:0:0:1:D:0:0:0:7:10", "beaver", "beavers are for money"),
        (f"{BEGUN}:0:0:1:D:0:0:0:7:10", "O resigns", "O has to answer first"),
        (f"{BEGUN}:0:0:1:D:0:0:0:7:10", "roll", "O has to answer first"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10:X-resigns-1", "double", "O has to answer first: accept or reject"),
        (f"{BEGUN}:0:0:1:31:0:0:0:7:10:X-resigns-1", "8/5 6/5", "O has to decide first: accept or reject"),
        ("XGID=-A----------b-------------:0:0:1:21:0:0:0:7:10", "resign gammon", "has borne off a checker"),
        (f"{BEGUN}:0:0:1:00:7:3:0:7:10", "roll", "the match is over"),
    ],
)
def test_moves_out_of_turn_are_refused_with_the_rule(text, move, reason):
    position = MATCH.position(text)
    with pytest.raises(LudusError, match=reason):
        MATCH.read_move(position.state, move)


@pytest.mark.parametrize(
    ("name", "text", "move", "reason"),
    [
        ("backgammon(cube=true)", f"{BEGUN}:0:0:1:D:0:0:0:0:10", "beaver", "this game has no beavers"),
        ("backgammon(cube=true,beavers=1)", f"{BEGUN}:1:-1:1:B:0:0:2:0:10", "raccoon", "but no raccoons"),
        ("backgammon(cube=true)", f"{BEGUN}:10:1:1:00:0:0:0:0:10", "double", "1024 at most"),
        ("backgammon(cube=true,jacoby=true)", f"{BEGUN}:0:0:1:31:0:0:1:0:10", "resign gammon", "Jacoby's rule"),
        ("backgammon(cube=true)", f"{BEGUN}:0:0:1:00:2:0:0:0:10:over", "roll", "the game is over"),
    ],
)
def test_moves_that_a_game_for_money_does_not_have(name, text, move, reason):
    game = ludus.game(name)
    with pytest.raises(LudusError, match=reason):
        game.position(text).play(move)


def test_other_numbers_are_no_moves():
    position = MATCH.start().play("31").play("8/5 6/5")
    for number in (TAKE, PASS, ROLL - 1, RESIGN + 6, 31, 0, -1):
        with pytest.raises(LudusError, match="not a legal move here; legal are: roll, double"):
            position.play(number)
    assert position.state[PHASE] != DOUBLED
