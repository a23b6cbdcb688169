"""The rules of backgammon: one by one on boards set up by hand, then against a naive move generator on thousands of boards.

Here too are the measures that networks see: shots, escapes, and that both seats see the same.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from ludus.contract.rules import CHANCE, OVER, chances, moves, play, random_move, roll, scores, turn
from ludus.contract.rules import start as begin
from ludus.contract.views import features, outcome, section
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.features import BOARD, CONTACT, LATE, RACE, Raw, Rich
from ludus.games.backgammon.measures import ESCAPES, EXTRA, shots
from ludus.games.backgammon.rules import BAR, DIE1, DIE2, MAX_MOVES, OFF, SIDE, STATE_SIZE, TURN, win_size
from ludus.kernel import JIT, stream

GAME = Backgammon()

Checkers = dict[int, int]  # how many stand where


def board(mine: Checkers, theirs: Checkers, dice: int = 0, mover: int = 0) -> np.ndarray:
    """A state. All points are as the mover counts them: 25 is its own bar, 0 the enemy's. The rest is borne off."""
    state = np.zeros(STATE_SIZE, np.int64)
    own, other = SIDE * mover, SIDE * (1 - mover)
    for point, count in mine.items():
        state[own + point] = count
    for point, count in theirs.items():
        state[other + 25 - point] = count
    state[own + OFF], state[other + OFF] = 15 - sum(mine.values()), 15 - sum(theirs.values())
    state[TURN], state[DIE1], state[DIE2] = mover, dice // 10, dice % 10
    return state


def legal(state: np.ndarray) -> list[int]:
    out = np.zeros(MAX_MOVES, np.int64)
    return out[: moves(GAME, state, state[TURN], out)].tolist()


def texts(mine: Checkers, theirs: Checkers, dice: int) -> set[str]:
    """The legal moves as people write them: the same for both seats."""
    found = []
    for mover in (0, 1):
        state = board(mine, theirs, dice, mover)
        found.append({GAME.move_text(state, move) for move in legal(state)})
    assert found[0] == found[1]
    return found[0]


def after(state: np.ndarray, text: str) -> np.ndarray:
    state = state.copy()
    play(GAME, state, GAME.read_move(state, text))
    return state


# --- the beginning and the dice --------------------------------------------------------------------------------------


def test_the_beginning():
    state = np.full(STATE_SIZE, 7, np.int64)
    begin(GAME, state)
    for side in (0, SIDE):
        assert {p: n for p, n in enumerate(state[side : side + SIDE]) if n} == {24: 2, 13: 5, 8: 3, 6: 5}
    assert state[TURN] == -1
    assert turn(GAME, state) == CHANCE


@pytest.mark.parametrize(("dice", "mover"), [(31, 0), (13, 1), (65, 0), (26, 1)])
def test_the_higher_die_of_the_opening_begins_and_plays_both(dice, mover):
    state = GAME.start().play(dice).state
    assert (state[TURN], state[DIE1], state[DIE2]) == (mover, max(dice // 10, dice % 10), min(dice // 10, dice % 10))


def rolls(state: np.ndarray) -> dict[int, float]:
    outcomes, odds = np.zeros(30, np.int64), np.zeros(30)
    count = chances(GAME, state, outcomes, odds)
    return dict(zip(outcomes[:count].tolist(), odds[:count].tolist(), strict=True))


def test_the_opening_has_no_doubles():
    assert rolls(GAME.start().state.copy()) == pytest.approx(
        {10 * a + b: 1 / 30 for a in range(1, 7) for b in range(1, 7) if a != b}
    )


def test_later_rolls_are_doubles_one_time_in_six():
    later = rolls(board({6: 15}, {19: 15}))
    assert later == pytest.approx({10 * a + b: (1 + (a != b)) / 36 for a in range(1, 7) for b in range(1, a + 1)})


def test_turns_alternate():
    state = after(board({6: 15}, {19: 15}, 31), "6/5 6/3")
    assert (state[TURN], state[DIE1], state[DIE2]) == (1, 0, 0)
    assert turn(GAME, state) == CHANCE


# --- moving ----------------------------------------------------------------------------------------------------------


def test_a_checker_may_move_by_each_die_or_two_checkers_by_one_each():
    assert texts({24: 1, 13: 1}, {1: 15}, 31) == {"24/20", "24/21 13/12", "24/23 13/10", "13/9"}


def test_points_with_two_enemies_are_closed_also_as_a_stop_on_the_way():
    assert texts({24: 1}, {21: 2, 1: 13}, 31) == {"24/20"}  # by way of 23
    assert texts({24: 1}, {21: 2, 23: 2, 1: 11}, 31) == {"pass"}
    assert texts({24: 1}, {20: 2, 1: 13}, 31) == {"24/21"}


def test_a_single_enemy_is_hit_and_goes_to_the_bar():
    state = board({24: 2, 13: 5, 8: 3, 6: 5}, {4: 1, 1: 14}, 42)
    hit = after(state, "8/4* 6/4")
    assert hit[4] == 2
    assert hit[SIDE + 21] == 0
    assert hit[SIDE + BAR] == 1
    assert hit.sum() - hit[TURN] == 30


def test_hitting_on_the_way_is_a_move_of_its_own():
    # One checker runs four pips; stopping at 10 hits, stopping at 12 does not.
    assert texts({13: 1}, {10: 1, 19: 14}, 31) == {"13/10*/9", "13/9"}


def test_checkers_on_the_bar_enter_first():
    theirs = {20: 2, 19: 2, 1: 11}  # the five and the six are closed
    assert texts({25: 1, 13: 2}, theirs, 53) == {"bar/22 13/8", "bar/17"}
    assert texts({25: 2, 13: 2}, theirs, 53) == {"bar/22"}
    assert texts({25: 1, 13: 2}, theirs, 65) == {"pass"}
    assert texts({25: 2, 13: 2}, theirs, 33) == {"bar/22(2) 13/10(2)", "bar/22(2) 13/7"}


def test_entering_may_hit():
    state = after(board({25: 1, 6: 5}, {22: 1, 1: 14}, 31), "bar/22* 6/5")
    assert state[22] == 1
    assert state[SIDE + BAR] == 1


# --- how much must be played -----------------------------------------------------------------------------------------


def test_both_dice_must_be_played_if_possible():
    # 13/12 would leave no six: so the one is played by the other checker.
    assert texts({24: 1, 13: 1}, {18: 2, 17: 2, 6: 2, 1: 9}, 61) == {"24/23 13/7"}


def test_if_only_one_die_can_be_played_it_is_the_larger():
    # Either 13/7 or 13/12 is possible, but then neither die goes on from there.
    assert texts({13: 1}, {6: 2, 1: 13}, 61) == {"13/7"}


def test_if_the_larger_can_not_be_played_the_smaller_is():
    assert texts({13: 1}, {7: 2, 6: 2, 1: 11}, 61) == {"13/12"}


def test_the_order_of_the_dice_may_decide():
    # Only by the one first: the six from 13 is closed.
    assert texts({13: 1}, {7: 2, 1: 13}, 61) == {"13/6"}


def test_a_double_is_played_four_times():
    assert texts({24: 1}, {1: 15}, 22) == {"24/16"}
    assert texts({24: 4}, {1: 15}, 66) == {"24/18(4)", "24/12 24/18(2)", "24/12(2)", "24/6 24/18"}


def test_a_double_is_played_as_often_as_possible():
    assert texts({24: 1}, {18: 2, 1: 13}, 22) == {"24/20"}
    assert texts({24: 1}, {16: 2, 1: 13}, 22) == {"24/18"}
    assert texts({24: 2}, {20: 2, 1: 13}, 22) == {"24/22(2)"}
    assert texts({24: 1}, {22: 2, 1: 13}, 22) == {"pass"}


# --- bearing off -----------------------------------------------------------------------------------------------------


def test_no_checker_leaves_before_all_are_home():
    assert texts({7: 1, 6: 1}, {20: 15}, 64) == {"7/1 6/2", "7/3 6/off"}
    assert texts({25: 1, 1: 1}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 5}, 11) == {"pass"}
    assert texts({7: 2}, {20: 15}, 65) == {"7/2 7/1"}


def test_a_checker_leaves_by_its_own_number():
    assert texts({6: 1, 4: 1}, {20: 15}, 64) == {"6/off 4/off", "6/2 4/off"}
    assert texts({4: 2, 2: 1}, {20: 15}, 42) == {"4/off 2/off", "4/2 4/off"}


def test_a_higher_number_takes_the_rearmost_only():
    assert texts({4: 1, 3: 1, 1: 1}, {20: 15}, 65) == {"4/off 3/off"}
    assert texts({5: 1, 3: 1}, {20: 15}, 41) == {"5/off", "5/1 3/2"}


def test_a_higher_number_must_not_pass_a_checker_behind():
    assert texts({5: 1, 3: 1}, {1: 2, 20: 13}, 44) == {"pass"}  # the four can't take 3/off while 5 is there


def test_the_last_checkers_leave_by_a_double():
    assert texts({2: 4}, {20: 15}, 66) == {"2/off(4)"}
    assert texts({2: 2}, {20: 15}, 66) == {"2/off(2)"}
    assert texts({6: 2, 1: 2}, {20: 15}, 33) == {"6/off(2)"}


# --- the end ---------------------------------------------------------------------------------------------------------


def points(state: np.ndarray, game: Backgammon = GAME) -> list[float]:
    out = np.zeros(2)
    scores(game, state, out)
    return out.tolist()


WINS = [
    pytest.param({20: 14}, 1, id="a single game: the loser has borne off one"),
    pytest.param({20: 15}, 2, id="a gammon: none, but no checker is in the winner's home or on the bar"),
    pytest.param({7: 1, 20: 14}, 2, id="a gammon: just out of the winner's home"),
    pytest.param({6: 1, 20: 14}, 3, id="a backgammon: a checker is in the winner's home"),
    pytest.param({1: 1, 20: 14}, 3, id="a backgammon: on the winner's ace point"),
    pytest.param({0: 1, 20: 14}, 3, id="a backgammon: a checker is on the bar"),
    pytest.param({0: 1, 20: 13}, 1, id="a single game: one is off, though another is on the bar"),
]


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize(("loser", "size"), WINS)
def test_what_a_win_counts(loser, size, winner):
    state = after(board({1: 1}, loser, 21, winner), "1/off")
    assert turn(GAME, state) == OVER
    assert win_size(state, winner) == size
    for scoring in (1, 2, 3):
        won = min(size, scoring)
        assert points(state, Backgammon(scoring)) == ([won, -won] if winner == 0 else [-won, won])


@pytest.mark.parametrize(("loser", "size"), WINS)
def test_what_networks_are_told_of_a_win(loser, size):
    first, second = (after(board({1: 1}, loser, 21, winner), "1/off") for winner in (0, 1))
    for encoding, wanted in (
        (Raw(2), ([1, 0], [0, 1])),
        (Raw(4), ([1, 0, size > 1, 0], [0, 1, 0, size > 1])),
        (Rich(), ([1, size > 1, size > 2, 0, 0], [0, 0, 0, size > 1, size > 2])),
    ):
        for state, vector in zip((first, second), wanted, strict=True):
            out = np.full(len(vector), 9, np.float32)
            outcome(encoding, GAME, state, out)
            assert out.tolist() == vector


def test_the_rest_of_the_dice_is_not_played_after_the_last_checker():
    assert texts({1: 1}, {20: 15}, 66) == {"1/off"}
    assert texts({2: 1}, {20: 15}, 21) == {"2/off"}  # by one die or by both: it is one move


# --- against a naive generator ---------------------------------------------------------------------------------------

Side = tuple[int, ...]
Position = tuple[Side, Side]  # both sides' checkers on 0 (off) to 25 (bar), each by its own numbers


def naive_steps(own: Side, other: Side, die: int) -> Iterator[Position]:
    """All that one checker may do with one die."""
    for source in range(1, 26):
        target = source - die
        if own[source] == 0 or (own[BAR] and source != BAR):
            continue
        if target >= 1:
            if other[25 - target] > 1:
                continue
        else:
            if any(own[7:]):
                continue  # somebody is not yet home
            if target < 0 and any(own[source + 1 :]):
                continue  # a higher number than needed, and somebody is behind
        mine, theirs = list(own), list(other)
        mine[source] -= 1
        mine[max(target, OFF)] += 1
        if target >= 1 and theirs[25 - target] == 1:
            theirs[25 - target] = 0
            theirs[BAR] += 1
        yield tuple(mine), tuple(theirs)


def naive_results(own: Side, other: Side, dice: tuple[int, ...]) -> dict[Position, int]:
    """All positions that dice in this order can lead to, with how many of them were played; some moves stop early."""
    reached = {(own, other): 0}
    frontier = {(own, other)}
    for played, die in enumerate(dice, 1):
        frontier = {there for here in frontier for there in naive_steps(*here, die)}
        reached |= dict.fromkeys(frontier, played)
    return reached


def naive_positions(state: np.ndarray) -> set[Position]:
    """All positions after a legal move, by the rule book: as many dice as possible; if it is one, the larger if possible."""
    mover = state[TURN]
    own, other = (tuple(state[SIDE * side : SIDE * (side + 1)].tolist()) for side in (mover, 1 - mover))
    big, small = int(state[DIE1]), int(state[DIE2])
    if big == small:
        reached = naive_results(own, other, (big,) * 4)
        most = max(reached.values())
        return {there for there, played in reached.items() if played == most}
    first, second = naive_results(own, other, (big, small)), naive_results(own, other, (small, big))
    both = {there for reached in (first, second) for there, played in reached.items() if played == 2}
    for reached in (first, second):
        singles = {there for there, played in reached.items() if played == 1}
        both = both or singles
    return both or {(own, other)}


def compare(state: np.ndarray) -> None:
    """The kernel must list exactly the naive positions, each once, and leave the state alone."""
    mover, before = state[TURN], state.copy()
    listed = legal(state)
    assert np.array_equal(state, before)
    found = []
    for move in listed:
        child = state.copy()
        play(GAME, child, move)
        found.append(tuple(tuple(child[SIDE * side : SIDE * (side + 1)].tolist()) for side in (mover, 1 - mover)))
    assert len(set(found)) == len(found), GAME.state_text(state)
    assert set(found) == naive_positions(state), GAME.state_text(state)


def random_board(rng: random.Random) -> np.ndarray:
    """Any board that could be, most of them such as games seldom see: on the bar, bearing off against anchors, piled up."""
    reach = rng.choice((6, 9, 24, 24, 25))
    mine: Checkers = {}
    for _ in range(rng.randint(1, 15)):
        point = rng.randint(1, reach) if rng.random() > 0.1 * (reach == 25) else BAR
        mine[point] = mine.get(point, 0) + 1
    free = [p for p in range(1, 25) if p not in mine]
    spots = rng.sample(free, min(len(free), rng.randint(1, 8)))
    theirs: Checkers = {}
    for _ in range(rng.randint(1, 15)):
        point = rng.choice([*spots, 0])
        theirs[point] = theirs.get(point, 0) + 1
    a, b = rng.randint(1, 6), rng.randint(1, 6)
    return board(mine, theirs, 10 * max(a, b) + min(a, b), rng.randint(0, 1))


def test_moves_are_those_of_a_naive_generator_on_any_board():
    rng = random.Random(1)
    for _ in range(5_000 if JIT else 500):
        compare(random_board(rng))


def game_states(games: int, seed: int) -> Iterator[np.ndarray]:
    """The states of random games."""
    room, odds = np.zeros(MAX_MOVES, np.int64), np.zeros(30)
    for number in range(games):
        rng, state = stream(seed, number), np.zeros(STATE_SIZE, np.int64)
        begin(GAME, state)
        while (seat := turn(GAME, state)) != OVER:
            yield state
            move = roll(GAME, state, rng, room, odds) if seat == CHANCE else random_move(GAME, state, seat, rng, room)
            play(GAME, state, move)


def test_moves_are_those_of_a_naive_generator_in_real_games():
    decisions = 0
    for state in game_states(12 if JIT else 1, seed=2):
        if state[DIE1]:
            compare(state)
            decisions += 1
    assert decisions > (600 if JIT else 30)


def test_the_most_moves_fit_into_the_room_that_is_promised():
    # Fifteen checkers, each on a point of its own, with four steps to share out among them.
    widest = board(dict.fromkeys(range(10, 25), 1), {0: 15}, 11)
    assert 1000 < len(legal(widest)) < GAME.facts.max_moves
    compare(widest)


# --- what networks see -----------------------------------------------------------------------------------------------


def naive_shots(own: Side, other: Side) -> tuple[int, int, int]:
    """Of the 36 rolls: how many can hit, how many can hit one of several blots, and the pips of the best hits together."""
    hit = several = pips = 0
    for a, b in itertools.product(range(1, 7), repeat=2):
        struck: set[int] = set()
        for dice in [(a,) * 4] if a == b else [(a, b), (b, a)]:
            frontier = {(own, other)}
            for die in dice:
                following = set()
                for here in frontier:
                    for there in naive_steps(*here, die):
                        following.add(there)
                        struck |= {25 - p for p in range(1, 25) if there[1][p] == 0 and other[p] == 1}
                frontier = following
        hit += bool(struck)
        several += len(struck) > 1
        pips += max(struck, default=0)
    return hit, several, pips


def masks(state: np.ndarray, side: int) -> tuple[int, int, int, int]:
    """The arguments of `shots` for one side, all by its own numbers: its points, its bar, closed points, enemy blots."""
    own, other = state[SIDE * side :], state[SIDE * (1 - side) :]
    return (
        sum(1 << p for p in range(1, 25) if own[p]),
        int(own[BAR]),
        sum(1 << 25 - p for p in range(1, 25) if other[p] > 1),
        sum(1 << 25 - p for p in range(1, 25) if other[p] == 1),
    )


def test_shots_are_counted_as_a_naive_search_does():
    rng = random.Random(3)
    seen = set()
    for _ in range(250 if JIT else 60):
        state = random_board(rng)
        for side in (0, 1):
            sides = [tuple(state[SIDE * s : SIDE * (s + 1)].tolist()) for s in (side, 1 - side)]
            if sides[0][BAR] + sum(sides[0][1:25]) > 9:
                continue  # long to search by hand
            wanted = naive_shots(*sides)
            assert shots(*masks(state, side)) == wanted, (GAME.state_text(state), side)
            seen.add(wanted)
    assert len(seen) > 20


def test_famous_shots():
    # A blot so many pips away, and nothing between: known to every player.
    known = {
        1: 11,
        2: 12,
        3: 14,
        4: 15,
        5: 15,
        6: 17,
        7: 6,
        8: 6,
        9: 5,
        10: 3,
        11: 2,
        12: 3,
        15: 1,
        16: 1,
        18: 1,
        20: 1,
        24: 1,
    }
    for away in range(1, 24):
        state = board({24: 1}, {24 - away: 1})
        assert shots(*masks(state, 0))[0] == known.get(away, 0), away


def naive_escapes(mask: int) -> int:
    """Of the 36 rolls, how many take a checker seven pips on or more, if bit i of the mask closes the point i + 1 ahead."""

    def farthest(at: int, dice: tuple[int, ...]) -> int:
        stops = [at]
        for i, die in enumerate(dice):
            there = at + die
            if there > 12 or not mask >> (there - 1) & 1:
                stops.append(farthest(there, dice[:i] + dice[i + 1 :]))
        return max(stops)

    pairs = itertools.product(range(1, 7), repeat=2)
    return sum(farthest(0, (a,) * 4 if a == b else (a, b)) >= 7 for a, b in pairs)


def test_escapes_are_counted_as_a_naive_search_does():
    assert naive_escapes(0b111111) == ESCAPES[0b111111] == 0  # a full prime
    assert naive_escapes(0) == ESCAPES[0] == 23  # 18 of two different dice, and all doubles but 11
    rng = random.Random(4)
    for mask in rng.sample(range(1 << 12), 400 if JIT else 100):
        assert ESCAPES[mask] == naive_escapes(mask), bin(mask)


def inputs(encoding: Raw | Rich, state: np.ndarray) -> dict[int, float]:
    size = encoding.shape(GAME)[1]
    index, value = np.zeros(size, np.int64), np.zeros(size, np.float32)
    count = features(encoding, GAME, state, index, value)
    return dict(zip(index[:count].tolist(), value[:count].tolist(), strict=True))


def mirrored(state: np.ndarray) -> np.ndarray:
    """The same position with the seats exchanged."""
    out = np.concatenate([state[SIDE : 2 * SIDE], state[:SIDE], state[2 * SIDE :]])
    out[TURN] = 1 - state[TURN]
    return out


def positions_for_networks() -> list[np.ndarray]:
    """States after a move: of random games, and boards of all kinds."""
    rng = random.Random(5)
    found = [state.copy() for state in game_states(3 if JIT else 1, seed=6) if state[TURN] >= 0 and state[DIE1] == 0]
    for _ in range(300 if JIT else 60):
        state = random_board(rng)
        state[DIE1] = state[DIE2] = 0
        found.append(state)
    return found


@pytest.mark.parametrize("encoding", [Rich(), Rich(measures=0)], ids=str)
def test_both_seats_see_a_position_alike_from_their_own_sides(encoding):
    for state in positions_for_networks():
        other = mirrored(state)
        assert inputs(encoding, state) == inputs(encoding, other)
        assert section(encoding, GAME, state) == section(encoding, GAME, other)


def test_what_one_side_shows_does_not_depend_on_who_is_to_roll():
    # With the other seat about to roll, the two sides' inputs just change places.
    for state in positions_for_networks():
        other = state.copy()
        other[TURN] = 1 - state[TURN]
        sides = [(i - BOARD if i >= BOARD else i + BOARD) if i < 2 * BOARD else i for i in range(2 * (BOARD + EXTRA))]
        sides[2 * BOARD :] = [*range(2 * BOARD + EXTRA, 2 * BOARD + 2 * EXTRA), *range(2 * BOARD, 2 * BOARD + EXTRA)]
        assert {sides[i]: v for i, v in inputs(Rich(), state).items()} == inputs(Rich(), other)


def test_raw_inputs_show_seat_0_first_whoever_is_to_move():
    swap = {**{i: 96 + i for i in range(96)}, 192: 193, 194: 195, 196: 197}
    swap |= {b: a for a, b in swap.items()}
    for state in positions_for_networks():
        assert {swap[i]: v for i, v in inputs(Raw(), state).items()} == inputs(Raw(), mirrored(state))


def test_raw_inputs_are_tesauros():
    state = board({24: 1, 13: 5, 8: 3, 6: 2, BAR: 2}, {19: 15}, mover=1)  # seat 1 is about to roll
    seen = inputs(Raw(), state)
    own = {96 + 4 * 23: 1, **{96 + 4 * 12 + i: 1 for i in range(4)}, **{96 + 4 * 7 + i: 1 for i in range(3)}}
    own |= {96 + 4 * 5: 1, 96 + 4 * 5 + 1: 1, 193: 1.0, 195: 2 / 15}
    enemy = {4 * 5: 1, 4 * 5 + 1: 1, 4 * 5 + 2: 1, 4 * 5 + 3: 6}
    assert seen == pytest.approx({**own, **enemy, 196: 1})


def test_networks_for_contact_races_and_late_positions():
    assert section(Rich(), GAME, board({24: 2, 6: 13}, {1: 2, 19: 13})) == CONTACT
    assert section(Rich(), GAME, board({13: 1, 6: 14}, {14: 15})) == RACE
    assert section(Rich(), GAME, board({14: 1, 6: 14}, {13: 15})) == CONTACT
    assert section(Rich(), GAME, board({BAR: 1, 6: 14}, {24: 15})) == LATE
    assert section(Rich(), GAME, board({20: 2, 6: 6}, {19: 15})) == LATE  # seven are off
    assert section(Rich(), GAME, board({20: 2, 6: 7}, {18: 15})) == CONTACT
    assert section(Rich(measures=0), GAME, board({13: 1, 6: 14}, {14: 15})) == 0
