"""Fixed action spaces: each id stands for a move and always the same, small steps come to what whole turns come to, and OpenSpiel's ids are OpenSpiel's."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.adapters.actions import Actions, whole_move
from ludus.contract.rules import CHANCE, JOINT, OVER, moves, play, random_move, roll, scores, start, turn
from ludus.errors import LudusError
from ludus.games import game_name
from ludus.games.backgammon.rules import CHECKERS, DIE1, DIE2, OFF, SIDE, STATE_SIZE, TURN
from ludus.games.gdl import read_text, shipped
from ludus.games.gdl.games import interpret
from ludus.games.gdl.sheet import read_sheet
from ludus.kernel import JIT, below, stream
from toys import Race

BASE = ludus.game("backgammon")
KINDS = ("steps", "openspiel")
SHEET = read_text(shipped()["tictactoe"])

# --- backgammon in steps -----------------------------------------------------------------------------------------------


def ends_of_moves(game: Any, state: np.ndarray) -> dict[bytes, int]:
    """The states after all moves of the whole game."""
    out = np.zeros(game.facts.max_moves, np.int64)
    found = {}
    for move in out[: moves(game, state, turn(game, state), out)].tolist():
        after = state.copy()
        play(game, after, move)
        found[after.tobytes()] = move
    return found


def ends_of_steps(game: Any, state: np.ndarray) -> set[bytes]:
    """The states in which a turn can end, by any order of steps; what is left between turns is the state of the whole game."""
    out, seat = np.zeros(game.facts.max_moves, np.int64), turn(game, state)
    seen, ends, rest = {state.tobytes()}, set(), [state]
    while rest:
        here = rest.pop()
        count = moves(game, here, seat, out)
        assert count > 0
        for move in out[:count].tolist():
            after = here.copy()
            play(game, after, move)
            if turn(game, after) == seat:
                if after.tobytes() not in seen:
                    seen.add(after.tobytes())
                    rest.append(after)
            else:
                assert after[STATE_SIZE] == 0
                ends.add(after[:STATE_SIZE].tobytes())
    return ends


@st.composite
def boards(draw: st.DrawFn) -> np.ndarray:
    """Any board, whether a game can come to it or not, with dice rolled for seat 0 or 1."""
    state = np.zeros(STATE_SIZE + 1, np.int64)
    low = draw(st.sampled_from([1, 1, 18]))  # all over the board, or seat 0 at home
    taken: set[int] = set()
    for seat in range(2):
        for place in draw(st.lists(st.integers(low, 25), min_size=1, max_size=CHECKERS)):
            point = place if low == 1 or place == 25 else 25 - place
            if point == 25 and low > 1:
                continue
            absolute = point if seat == 0 else 25 - point
            if point == 25 or seat == 0 or absolute not in taken:
                state[SIDE * seat + point] += 1
                if seat == 0:
                    taken.add(point)
        state[SIDE * seat + OFF] = min(CHECKERS - state[SIDE * seat + 1 : SIDE * seat + SIDE].sum(), CHECKERS - 1)
    dice = sorted(draw(st.tuples(st.integers(1, 6), st.integers(1, 6))))
    state[TURN], state[DIE1], state[DIE2] = draw(st.integers(0, 1)), dice[1], dice[0]
    return state


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.skipif(not JIT, reason="takes too long in plain Python")
@given(state=boards())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_on_any_board_steps_come_to_the_ends_of_whole_turns_and_to_no_others(kind, state):
    assert ends_of_steps(BASE.stepwise(kind), state) == set(ends_of_moves(BASE, state[:STATE_SIZE].copy()))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["backgammon", "backgammon(bearoff=5)"])
@pytest.mark.skipif(not JIT, reason="takes too long in plain Python")
def test_in_games_steps_come_to_the_ends_of_whole_turns_and_to_no_others(name, kind):
    game = ludus.game(name).stepwise(kind)
    rng, room, odds = stream(5), np.zeros(game.facts.max_moves, np.int64), np.zeros(30)
    state = np.zeros(game.facts.state_size, np.int64)
    seen: Counter[str] = Counter()
    while seen["turns"] < 300:
        start(game, state)
        while (seat := turn(game, state)) != OVER:
            if seat == CHANCE:
                play(game, state, roll(game, state, rng, room, odds))
            else:
                if state[STATE_SIZE] == 0 and below(rng, 4) == 0:
                    ends = ends_of_moves(game.base, state[:STATE_SIZE].copy())
                    assert ends_of_steps(game, state) == set(ends)
                    seen["turns"] += 1
                    seen["doubles"] += state[DIE1] == state[DIE2]
                    seen["passes"] += list(ends.values()) == [0]
                play(game, state, random_move(game, state, seat, rng, room))
    assert seen["doubles"] > 20
    assert seen["passes"] > (3 if "bearoff" not in name else -1)


def test_whole_moves_can_be_played_between_turns():
    game, rng, odds = BASE.stepwise(), stream(6), np.zeros(30)
    room = np.zeros(BASE.facts.max_moves, np.int64)
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    while (seat := turn(game, state)) != OVER:
        if seat == CHANCE:
            play(game, state, roll(game, state, rng, room, odds))
        else:
            player = (game, BASE)[seat]  # one seat moves in steps, the other in whole turns
            play(player, state, random_move(player, state, seat, rng, room))
    out = np.zeros(2)
    scores(game, state, out)
    assert sorted(np.abs(out)) in ([1, 1], [2, 2], [3, 3])


def test_a_step_after_which_the_other_die_is_lost_is_not_legal():
    # Black holds points 2, 3 and 18. After 20/14 the 5 is open; after 8/2 it would not be, and 8/3 is closed as well.
    board = "-" * 2 + "bb" + "-" * 4 + "A" + "-" * 9 + "b-A" + "-" * 5
    assert len(board) == 26
    position = BASE.stepwise().position(f"XGID={board}:0:0:1:65:0:0:0:0:10")
    assert [str(move) for move in position.moves()] == ["20/15", "20/14"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 used=3", "used=3 is not possible with dice 31"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10 used=1", "used=1 is not possible"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:9 used=9", "used=9 is not possible"),
    ],
)
def test_positions_that_can_not_be_are_refused(text, reason):
    with pytest.raises(LudusError, match=reason):
        BASE.stepwise().position(text)


@pytest.mark.parametrize(
    "name",
    [
        "backgammon-steps",
        "backgammon-openspiel(bearoff=3)",
        "backgammon-steps(scoring=1)",
        "backgammon-steps(match=3,crawford=false)",
    ],
)
def test_games_in_steps_have_names(name):
    game = ludus.game(name)
    assert game_name(game) == name
    assert game_name(game.base) == name.replace("-steps", "").replace("-openspiel", "")


# --- OpenSpiel ---------------------------------------------------------------------------------------------------------


@pytest.mark.peers
def test_ids_are_openspiels_in_every_position_of_its_games():
    pyspiel = pytest.importorskip("pyspiel")
    from test_backgammon_peers import our_key, roll_in_spiel, spiel_key

    actions, rng = Actions("backgammon", "openspiel"), stream(7)
    game, odds = actions.game, np.zeros(30)
    room, seen = np.zeros(game.facts.max_moves, np.int64), 0
    assert actions.size == pyspiel.load_game("backgammon").num_distinct_actions()
    for _ in range(40):
        spiel, state = (
            pyspiel.load_game("backgammon(scoring_type=full_scoring)").new_initial_state(),
            actions.game.start().state.copy(),
        )
        while (seat := int(turn(game, state))) != OVER:
            assert spiel_key(spiel) == our_key(state[:STATE_SIZE])
            if seat == CHANCE:
                opening = state[TURN] < 0
                play(game, state, roll(game, state, rng, room, odds))
                roll_in_spiel(spiel, state, opening)
                continue
            assert spiel.current_player() == seat
            legal = actions.legal(state, seat)
            assert legal.tolist() == spiel.legal_actions()
            action = int(legal[below(rng, len(legal))])
            actions.apply(state, action)
            spiel.apply_action(action)
            seen += 1
        assert spiel.is_terminal()
    assert seen > 1500


# --- any game ----------------------------------------------------------------------------------------------------------

NAMES = (
    "backgammon",
    "ludo",
    "quoridor(size=5)",
    "quoridor(seats=4)",
    "quoridor(size=4,columns=6)",
    "backgammon(match=3)",
    "tictactoe",
    "pig",
    "rockpaperscissors",
    "tron",
    "hex3",
)


@pytest.mark.parametrize("name", NAMES)
def test_in_random_games_ids_and_moves_stand_for_each_other(name):
    actions, rng = Actions(name), stream(8)
    game = actions.game
    state, odds = game.start().state.copy(), np.zeros(max(game.facts.max_chances, 1))
    room = np.zeros(max(game.facts.max_moves, game.facts.max_chances), np.int64)
    for _ in range(300):
        due = int(turn(game, state))
        if due == OVER:
            break
        if due == CHANCE:
            play(game, state, roll(game, state, rng, room, odds))
            continue
        chosen = []
        for seat in range(game.facts.seats):
            legal = actions.legal(state, seat)
            if due not in (seat, JOINT):
                assert len(legal) == 0
                continue
            assert legal.tolist() == sorted(set(legal.tolist()))
            found = room[: moves(game, state, seat, room)].tolist()
            assert sorted(found) == sorted(actions.move(seat, i) for i in legal.tolist())
            assert [actions.id(state, seat, actions.text(state, seat, i)) for i in legal.tolist()] == legal.tolist()
            assert np.flatnonzero(actions.mask(state, seat)).tolist() == legal.tolist()
            chosen.append(int(legal[below(rng, len(legal))]))
        actions.apply(state, chosen if due == JOINT else chosen[0])


def test_seats_of_a_rulesheet_share_the_ids_of_equal_moves():
    actions = Actions("tictactoe")
    assert actions.size == 10
    assert actions.texts[0] == "( mark 1 1 )"
    first = actions.game.start().play("mark 1 1")
    assert 0 not in actions.legal(first.state.copy(), 1)
    assert actions.move(0, 5) != actions.move(1, 5)


# Ids are written into other people's models: whoever changes them makes those useless. A change here needs new names of environments, with -v1.
GOLDEN = {
    "backgammon": (156, ""),
    "backgammon-openspiel": (1352, ""),
    "backgammon(match=3)": (163, ""),
    "backgammon(cube=true)": (163, ""),
    "ludo": (4, ""),
    "ludo(rules=ludopy,seats=2)": (4, ""),
    "quoridor": (141, ""),
    "quoridor(size=5)": (141, ""),
    "tictactoe": (10, "e926be376ba7"),
    "connectfour": (8, "7a1f3e540a69"),
    "hex5": (26, "ac90acb68a7f"),
    "breakthrough6": (161, "fdb5ea8e826e"),
    "rockpaperscissors": (3, "4d175216cba4"),
    "tron": (4, "89c5077c6b5c"),
    "pig": (3, "985ed977e8e0"),
    "nim": (17, "d0b33c67ce75"),
    "checkers": (171, "c051c156a915"),
    "kingrook": (129, "28a7e1f3de52"),
}


def digest(texts: list[str] | None) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12] if texts else ""


@pytest.mark.parametrize("name", GOLDEN)
def test_ids_stay_what_they_are(name):
    actions = Actions(name)
    assert (actions.size, digest(actions.texts)) == GOLDEN[name]


@pytest.mark.parametrize(
    ("name", "position", "text", "action"),
    [
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "8/5", 50),
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10", "24/23", 144),
        ("backgammon", "XGID=-b---BD-B---eE---c-e---AA-:0:0:-1:66:0:0:0:0:10", "24/18", 149),
        ("backgammon-openspiel", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "8/5 6/5", 484),
        ("backgammon(match=7)", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "8/5", 50),
        ("backgammon(match=7)", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10", "roll", 156),
        ("backgammon(match=7)", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10", "double", 157),
        ("backgammon(match=7)", "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:7:10", "take", 158),
        ("backgammon(match=7)", "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:7:10", "pass", 159),
        ("backgammon(cube=true,beavers=2)", "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:2:0:10", "beaver", 160),
        ("quoridor", "", "e2", 128),
        ("quoridor", "", "a1h", 0),
        ("connectfour", "", "drop 3", 2),
    ],
)
def test_some_ids(name, position, text, action):
    actions = Actions(name)
    state = (actions.game.position(position) if position else actions.game.start()).state.copy()
    seat = int(turn(actions.game, state))
    assert actions.id(state, seat, text) == action


# --- wrong ones --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (155, r"action 155 is not legal for seat 0 here; legal are 36 \(6/5\), 38 \(6/3\), 48"),
        (156, "156 is no action of backgammon-steps; they are 0 to 155"),
        (-1, "they are 0 to 155"),
        (2.0, "2.0 is no action of"),
        ("8/5", "is no action of"),
    ],
)
def test_what_is_no_legal_action_is_refused_in_one_line(action, reason):
    actions = Actions("backgammon")
    state = actions.game.start().play("31").state.copy()
    with pytest.raises(LudusError, match=reason) as error:
        actions.apply(state, action)
    assert "\n" not in str(error.value)
    assert actions.reason(state, 0, action) == str(error.value)


def test_no_action_is_taken_where_nobody_is_to_move():
    actions = Actions("backgammon")
    with pytest.raises(LudusError, match="chance is due here"):
        actions.apply(actions.game.start().state.copy(), 0)


def test_games_without_fixed_actions_are_refused():
    with pytest.raises(LudusError, match=r"race has no fixed actions: its facts\.actions is 0"):
        Actions(Race())
    with pytest.raises(LudusError, match=r"give it more seconds or memory, as in tictactoe\(seconds=100"):
        Actions(interpret(read_sheet(SHEET, "tictactoe"), "tictactoe", "", SHEET))
    with pytest.raises(LudusError, match="unknown kind of actions 'stepz'; did you mean 'steps'"):
        Actions("backgammon", "stepz")


def test_two_states_that_are_no_turn_have_no_move_between_them():
    actions = Actions("backgammon")
    state = actions.game.start().play("31").state.copy()
    with pytest.raises(LudusError, match="not the beginning and the end of one turn"):
        whole_move(actions, state, state)
