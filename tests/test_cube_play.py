"""Networks that know nothing of the cube, in games with it: what they make of positions, and whether they decide rightly where the answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.playing import choose, evaluate_moves
from ludus.contract.rules import play, random_move, roll, turn
from ludus.contract.views import known, worth
from ludus.games.backgammon.cubeful import Chances, Stake, cubeful, race_efficiency, weigh
from ludus.games.backgammon.equities import equities
from ludus.games.backgammon.judging import WithCube, chances_in, efficiency_of, judge, race_pips, stake_of
from ludus.games.backgammon.match import DOUBLE, DOUBLED, OWNER, PHASE, ROLL, SCORE, TAKE
from ludus.games.backgammon.rules import SIDE, TURN
from ludus.kernel import stream
from ludus.nets.value import predict, workspace
from ludus.players import player
from ludus.players.models import model_of

MONEY = ludus.game("backgammon(cube=true)")
MATCH = ludus.game("backgammon(match=7)")
PLAIN = ludus.game("backgammon")
PLIES = ("td", "td(plies=1)", "td(plies=2)")

# X is about to roll, with the cube in the middle unless it says otherwise.
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
LAST_ROLL = "XGID=--A--A------------------b-:0:0:1:00:0:0:0:0:10"  # 19 rolls of 36 win at once, and the others lose
LOST = "XGID=-----C------------------b-:0:0:1:00:0:0:0:0:10"  # three checkers to go, against two on the ace point
WON = "XGID=-C----------------ffC-----:0:0:1:00:0:0:0:0:10"
CLOSED_OUT = "XGID=-------------N-----bbbbbbA:0:0:1:00:0:0:0:0:10"  # X can hardly save the gammon


def at(text: str, game: Any = MONEY) -> Any:
    return game.position(text)


def values(position: Any, who: str = "td") -> dict[str, float]:
    return {judged.move.text: judged.value for judged in position.analyse(who).moves}


def chances_of(position: Any) -> Chances:
    """The chances of the seat about to roll, as the network of the game without the cube has them."""
    encoding, net = model_of(PLAIN, None)
    ws = workspace(net, PLAIN, 4096, 55, 2)
    predict(net, encoding, PLAIN, position.state[:55].copy(), ws)
    seen: Chances = chances_in(ws.output, int(position.state[TURN]))
    return seen


def judged(game: Any, state: np.ndarray) -> float:
    """What the network with the cube makes of a state, for seat 0."""
    encoding, net = model_of(game, None)
    ws, out = workspace(net, game, 4096, game.facts.state_size, 2), np.zeros(2)
    predict(net, encoding, game, state, ws)
    worth(encoding, game, ws.output, out)
    assert out[1] == -out[0]
    return float(out[0])


# --- found by name -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["backgammon(match=3)", "backgammon(cube=true,jacoby=true,beavers=2)"])
def test_the_shipped_model_plays_with_the_cube(name: str) -> None:
    result = ludus.arena(name, ["td", "random"], games=40, seed=1)
    assert result["td"].wins >= 36


def test_a_model_of_a_file_does_too(tmp_path: Any) -> None:
    run = ludus.train("backgammon", preset="mauermann2015", games=20, out=str(tmp_path / "run"))
    pupil = player(f"td:{run.folder}", MATCH)
    assert isinstance(pupil.encoding, WithCube)
    position = at(OPENING.replace(":0:10", ":7:10"), MATCH)
    assert set(values(position, f"td:{run.folder}")) == {"roll", "double"}


def test_no_training_begins_that_could_not_go_on(tmp_path: Any) -> None:
    with pytest.raises(ludus.LudusError, match="no network learns backgammon-match3 by itself: train backgammon"):
        ludus.train("backgammon(match=3)", preset="mauermann2015", games=20, out=str(tmp_path / "run"))


def test_both_seats_play_a_whole_match() -> None:
    result = ludus.arena("backgammon(match=5)", ["td", "td"], games=4, seed=3)
    assert result.rows[0].games == 4


# --- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [OPENING, LAST_ROLL, WON, "XGID=-a-a--E-C---dE---c-db---B-:1:1:1:00:0:0:0:0:10"])
def test_values_are_those_of_the_model(text: str) -> None:
    position = at(text)
    seen, state = chances_of(position), position.state
    stake, x = stake_of(MONEY, state, 0), efficiency_of(state, 0)
    verdict = weigh(equities(0), seen, stake, x)
    found = values(position)
    assert found["roll"] == pytest.approx(verdict.hold, abs=1e-5)
    assert found["double"] == pytest.approx(min(verdict.take, verdict.drop), abs=1e-5)


def test_a_game_that_is_yet_to_begin_is_worth_what_the_score_says() -> None:
    table, state = equities(7), MATCH.start().state.copy()
    for own, other, crawford in ((0, 0, 0), (3, 5, 0), (6, 2, 1), (6, 2, 0), (1, 6, 0)):
        state[SCORE], state[SCORE + 1], state[SCORE + 2] = own, other, crawford
        after = int(6 in (own, other) and not crawford)
        assert judged(MATCH, state) == pytest.approx(2 * table[after, 7 - own, 7 - other] - 1, abs=1e-6)
    assert judged(MONEY, MONEY.start().state.copy()) == 0


def test_what_has_ended_is_worth_what_was_won() -> None:
    state = MATCH.start().state.copy()
    state[SCORE + 1] = 7
    assert judged(MATCH, state) == -1
    assert judged(MONEY, at(LAST_ROLL).play("roll").play("66").play("5/off 2/off").state.copy()) == 1
    assert judged(MONEY, at(LAST_ROLL).play("double").play("pass").state.copy()) == 1


def mirrored(state: np.ndarray) -> np.ndarray:
    """The same position with the seats exchanged."""
    other = state.copy()
    other[:SIDE], other[SIDE : 2 * SIDE] = state[SIDE : 2 * SIDE], state[:SIDE]
    other[TURN] = 1 - state[TURN]
    if state[OWNER] >= 0:
        other[OWNER] = 1 - state[OWNER]
    other[SCORE], other[SCORE + 1] = state[SCORE + 1], state[SCORE]
    return other


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 60), st.booleans())
def test_seats_see_the_same_from_their_sides(seed: int, plies: int, match: bool) -> None:
    game = MATCH if match else MONEY
    state, rng = game.start().state.copy(), stream(seed)
    room, odds = np.empty(4096, np.int64), np.empty(36)
    for _ in range(plies):
        seat = turn(game, state)
        if seat == -2:
            return
        move = roll(game, state, rng, room, odds) if seat == -1 else random_move(game, state, seat, rng, room)
        play(game, state, move)
    if turn(game, state) != -2 and state[TURN] >= 0:
        assert judged(game, mirrored(state)) == pytest.approx(-judged(game, state), abs=2e-5 * max(1, state[55]))


# --- decisions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", PLIES)
def test_nobody_doubles_at_the_beginning(who: str) -> None:
    found = values(at(OPENING), who)
    assert found["roll"] > found["double"] + 0.1


def test_two_plies_see_the_last_roll_exactly() -> None:
    p = 19 / 36
    found = values(at(LAST_ROLL), "td(plies=2)")
    assert found["roll"] == pytest.approx(2 * p - 1, abs=1e-6)
    assert found["double"] == pytest.approx(2 * (2 * p - 1), abs=1e-6)
    # Two away, both: the cube is the match. A single game more makes it 1 away of 2, in the Crawford game.
    match = ludus.game("backgammon(match=2)")
    found = values(match.position(LAST_ROLL.replace(":0:10", ":2:10")), "td(plies=2)")
    one_away = 2 * equities(2)[0, 1, 2] - 1
    assert found["roll"] == pytest.approx(p * one_away - (1 - p) * one_away, abs=1e-6)
    assert found["double"] == pytest.approx(2 * p - 1, abs=1e-6)


@pytest.mark.parametrize("who", PLIES)
def test_a_lost_game_is_passed_and_a_last_roll_taken(who: str) -> None:
    # O to answer: X, who doubles, has 19 rolls of 36, or is three checkers behind.
    found = values(at(LAST_ROLL).play("double"), who)
    assert found["take"] > found["pass"] == pytest.approx(-1)
    winning = "XGID=-B-------------------c----:0:0:1:00:0:0:0:0:10"
    found = values(at(winning).play("double"), who)
    assert found["pass"] > found["take"]


def test_a_beaver_is_better_than_a_take_when_the_double_was_a_mistake() -> None:
    game = ludus.game("backgammon(cube=true,beavers=1)")
    for who in ("td", "td(plies=1)"):
        found = values(game.position(LOST).play("double"), who)
        assert found["beaver"] > found["take"] > 0 > found["pass"]
        found = values(game.position(LOST), who)
        assert found["roll"] > found["double"]


def test_after_the_crawford_game_who_trails_doubles_and_the_leader_drops_freely() -> None:
    game = ludus.game("backgammon(match=5)")
    opening = OPENING.replace(":0:0:0:0:10", ":3:4:0:5:10")  # X needs two points and O one
    for who in PLIES:
        found = values(game.position(opening), who)
        assert found["double"] > found["roll"]
        found = values(game.position(opening).play("double"), who)
        assert found["pass"] > found["take"]  # X is about to roll, and so a little ahead
        assert found["pass"] == pytest.approx(0, abs=1e-6)


def test_in_the_crawford_game_no_double_is_thought_of() -> None:
    game = ludus.game("backgammon(match=5)")
    position = game.position(OPENING.replace(":0:0:0:0:10", ":3:4:1:5:10"))
    assert position.kind == "chance"
    state = position.state.copy()
    stake = stake_of(game, state, 0)
    assert stake == Stake(2, 1, frozen=1)
    assert judged(game, state) == pytest.approx(cubeful(equities(5), chances_of(position), stake, 0.0), abs=1e-5)


def test_a_resignation_is_accepted_if_it_gives_enough() -> None:
    position = at(OPENING).play("resign a gammon")
    assert position.turn == 1
    found = values(position)
    assert found["accept"] == pytest.approx(2)
    assert found["accept"] > found["reject"]
    position = at(CLOSED_OUT)
    found = values(position.play("resign"))
    assert found["reject"] > found["accept"] == pytest.approx(1)
    found = values(position.play("resign a backgammon"))
    assert found["accept"] > found["reject"]


def test_checkers_are_moved_for_the_score() -> None:
    # At double match point gammons are nothing; at 2 away, 1 away in the Crawford game they are everything: values differ, and so may moves.
    game = ludus.game("backgammon(match=5)")
    dice = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:4:0:5:10", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:3:4:1:5:10"
    last, crawford = (values(game.position(text)) for text in dice)
    assert set(last) == set(crawford)
    assert max(last.values()) > max(crawford.values())
    assert max(last, key=lambda move: last[move]) == "8/5 6/5"


# --- the parts ---------------------------------------------------------------------------------------------------------


def test_chances_of_every_kind_of_network() -> None:
    five = np.array([0.6, 0.2, 0.01, 0.1, 0.005], np.float32)
    assert chances_in(five, 0) == pytest.approx((0.6, 0.2, 0.01, 0.1, 0.005))
    assert chances_in(five, 1) == pytest.approx((0.4, 0.1, 0.005, 0.2, 0.01))
    assert chances_in(np.array([0.6, 0.3], np.float32), 1) == pytest.approx((1 / 3, 0, 0, 0, 0))
    assert chances_in(np.array([0.5, 0.5, 0.2, 0.1], np.float32), 0) == pytest.approx((0.5, 0.2, 0, 0.1, 0))


def test_pips_of_races() -> None:
    assert race_pips(at(LAST_ROLL).state, 0) == 7
    assert race_pips(at(LAST_ROLL).state, 1) == 2
    assert race_pips(at(OPENING).state, 0) == -1
    assert efficiency_of(at(LAST_ROLL).state, 0) == race_efficiency(7)


@pytest.mark.parametrize("who", PLIES)
def test_choosing_and_judging_agree(who: str) -> None:
    made = player(who, MATCH)
    state, rng = at(OPENING.replace(":0:10", ":7:10"), MATCH).state.copy(), stream(1)
    before = state.copy()
    legal, worths = np.zeros(4096, np.int64), np.zeros(4096)
    for move in (ROLL, DOUBLE):
        count = evaluate_moves(made, MATCH, state, 0, rng, legal, worths)
        assert legal[:count].tolist() == [ROLL, DOUBLE]
        assert choose(made, MATCH, state, 0, rng) == legal[np.argmax(worths[:count])]
        assert np.array_equal(state, before)
        after = state.copy()
        play(MATCH, after, move)
    assert after[PHASE] == DOUBLED
    assert choose(made, MATCH, after, 1, rng) == TAKE


def test_endings_that_are_known_exactly_are_priced_with_the_cube() -> None:
    """Without any network, and as its chances would be."""
    plain, exact = ludus.game("backgammon").encodings()["plans"], np.zeros(5)
    with_cube = MONEY.adapted(plain)
    found = np.zeros(5)
    position = at("XGID=-BB------------------bc---:0:0:1:00:0:0:3:0:10")
    assert known(plain, MONEY, position.state, exact)
    assert known(with_cube, MONEY, position.state, found)
    chances = chances_in(exact, 0)
    stake = stake_of(MONEY, position.state, 0)
    assert found[0] == pytest.approx(judge(with_cube.table, MONEY, position.state, chances), abs=1e-6)
    assert found[0] >= cubeful(with_cube.table, chances, stake, efficiency_of(position.state, 0)) - 1e-6
    assert not known(with_cube, MONEY, MONEY.start().state, found)
