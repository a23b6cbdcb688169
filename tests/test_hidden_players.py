"""`mcts` where information is hidden: the states that it thinks possible, what it plays, and how far it can be exploited, against values by the book."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

import ludus
from hidden_games import best_answer, equilibrium, information_sets, knows, tabulated, value
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.games.gdl.games import interpret
from ludus.games.gdl.sheet import read_sheet
from ludus.kernel import stream
from ludus.players.hidden import Budget, HiddenMCTS

MONTY, KUHN, KRIEG = (ludus.game(name) for name in ("montyhall", "kuhnpoker", "kriegtictactoe"))
CHIPS = 4  # goals of Kuhn's poker are quarters of a chip's worth: a score of 1/4 is a chip


# --- the games, by the book ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("last", "share"), [("switch", 2 / 3), ("keep", 1 / 3)])
def test_switching_wins_two_games_of_three(last, share):
    def guest(position: Position, seat: int) -> dict[str, float]:
        moves = [str(move) for move in position.moves(seat)]
        return {last: 1.0} if last in moves else dict.fromkeys(moves, 1 / len(moves))

    assert value(MONTY.start(), [guest]) == [pytest.approx(share)]
    assert best_answer(MONTY, [guest], 0) == pytest.approx(2 / 3)


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_kuhn_s_equilibria_cannot_be_exploited(alpha):
    both = [equilibrium(alpha)] * 2
    mean = 0.5 - 1 / 18 / CHIPS  # ann loses a chip in 18 games
    assert value(KUHN.start(), both) == [pytest.approx(mean), pytest.approx(1 - mean)]
    assert best_answer(KUHN, both, 0) == pytest.approx(mean)
    assert best_answer(KUHN, both, 1) == pytest.approx(1 - mean)


# --- states that fit what is known -----------------------------------------------------------------------------------


def drawn(game: Any, position: Position, seat: int, seed: int = 1) -> list[Position]:
    """States that a player thinks possible."""
    player = HiddenMCTS(game, simulations=10)
    state = position.seen_by(seat).state.copy()
    found = player.states(player.known(state, seat), stream(seed), Budget(10, 0.0))
    assert found is not None
    brief = game.brief()
    return [Position(brief, one) for one in found]


def test_the_car_is_behind_the_other_door_twice_as_often():
    position = MONTY.start().play("hide 2").play("choose 1").play("open 3")
    found = drawn(MONTY, position, 0)
    cars = Counter(text for one in found for text in MONTY.base.fluents(MONTY.within(one.state)) if "car" in text)
    assert set(cars) == {"( car 1 )", "( car 2 )"}
    assert len(found) == 256
    assert 145 <= cars["( car 2 )"] <= 195  # 2/3 of them, within three standard deviations


def test_all_states_that_are_drawn_fit_and_all_that_fit_are_drawn():
    position = KRIEG.start().play("mark 2 2").play("mark 1 1").play("mark 3 3")
    # One mark on 7 cells where it may be; two on 8, in any order.
    for seat, there_are in ((0, 7), (1, 28)):
        key = int(KRIEG.sizes[0]) + 3 + seat  # where the key of what the seat knows is
        found = drawn(KRIEG, position, seat)
        assert {int(one.state[key]) for one in found} == {int(position.state[key])}
        assert len({tuple(KRIEG.base.fluents(KRIEG.within(one.state))) for one in found}) == there_are


def test_who_was_told_that_a_cell_is_taken_knows_it():
    position = KRIEG.start().play("mark 2 2").play("mark 2 2").play("mark 1 1").play("mark 1 1").play("mark 1 2")
    taken = [text for one in drawn(KRIEG, position, 1) for text in KRIEG.base.fluents(KRIEG.within(one.state))]
    assert taken.count("( cell 2 2 x )") == 256


def test_what_cannot_be_is_found_out():
    player = HiddenMCTS(KUHN, simulations=10)
    position = KUHN.start().play("deal jack king")
    state = position.seen_by(0).state.copy()
    known = player.known(state, 0)
    assert player.states(known._replace(keys=known.keys + np.uint64(1)), stream(1), Budget(10, 0.0)) is None
    move = player.choose(position.seen_by(0), np.random.default_rng(1))
    assert move in position.moves()


# --- what it plays ---------------------------------------------------------------------------------------------------


def test_the_guest_switches():
    player = ludus.player("mcts(simulations=300)", MONTY)
    for seed, (car, chosen, opened) in enumerate([(2, 1, 3), (1, 1, 3), (3, 2, 1), (2, 3, 1)]):
        position = MONTY.start().play(f"hide {car}").play(f"choose {chosen}").play(f"open {opened}").seen_by(0)
        assert str(position.moves()[0]) == "keep"
        assert MONTY.move_text(position.state, player.choose(position, np.random.default_rng(seed))) == "switch"


def test_an_interpreted_game_is_played_likewise():
    text = gdl.read_text(gdl.shipped()["montyhall"])
    game = interpret(read_sheet(text, "monty"), "monty", "", text)
    position = game.start().play("hide 2").play("choose 1").play("open 3").seen_by(0)
    chosen = ludus.player("mcts(simulations=60,leaf=1)", game).choose(position, np.random.default_rng(1))
    assert game.move_text(position.state, chosen) == "switch"


def test_by_count_a_move_depends_on_what_is_known_and_the_stream_alone():
    player = ludus.player("mcts(simulations=200)", KRIEG)
    one = KRIEG.start().play("mark 2 2").play("mark 1 1")
    other = KRIEG.start().play("mark 2 2").play("mark 3 3")
    assert knows(one, 0) == knows(other, 0)
    first = player.look(one.seen_by(0), stream(1))
    player.look(KRIEG.start().seen_by(0), stream(2))
    assert player.look(other.seen_by(0), stream(1)) == first
    assert sum(look.tries for look in first) > 100


def test_it_looks_at_nothing_but_what_the_seat_knows():
    """Even a careless caller's whole state makes no difference."""
    player = ludus.player("mcts(simulations=200)", KUHN)
    for deal in ("deal queen king", "deal queen jack"):
        position = KUHN.start().play(deal)
        looks = player.look(position.seen_by(0), stream(3))
        assert [(str(a.move), a.tries) for a in player.look(position, stream(3))] == [
            (str(a.move), a.tries) for a in looks
        ]
        if deal == "deal queen king":
            before = [(str(look.move), look.tries) for look in looks]
    assert before == [(str(look.move), look.tries) for look in looks]


def test_the_best_hands_are_played_and_the_worst_are_not():
    player = ludus.player("mcts(simulations=1000)", KUHN)
    bet = KUHN.start().play("deal jack king").play("bet").seen_by(1)
    assert {str(m): p for m, p in player.policy(bet, stream(1)).items()}["call"] > 0.99
    weak = KUHN.start().play("deal king jack").play("bet").seen_by(1)
    assert {str(m): p for m, p in player.policy(weak, stream(1)).items()}["fold"] > 0.99


def test_kuhn_s_poker_is_played_so_that_little_can_be_made_of_it():
    """Exploitability in chips a game, the mean of both seats: 0 in equilibrium, 0.458 for random play."""
    player = ludus.player("mcts(simulations=3000)", KUHN)

    def ask(position: Position, seat: int) -> dict[str, float]:
        policies = [player.policy(position.seen_by(seat), stream(seed, 1, seat)) for seed in range(2)]
        return {str(move): sum(p[move] for p in policies) / len(policies) for move in policies[0]}

    def exploitability(policy: Any) -> float:
        return CHIPS * (sum(best_answer(KUHN, [policy, policy], seat) for seat in (0, 1)) - 1) / 2

    def aimless(position: Position, seat: int) -> dict[str, float]:
        return {str(move): 1 / len(position.moves(seat)) for move in position.moves(seat)}

    assert exploitability(aimless) == pytest.approx(0.4583, abs=0.0001)
    assert exploitability(tabulated(KUHN, ask)) < 0.1


def test_there_are_twelve_things_to_know_in_kuhn_s_poker():
    assert [len(information_sets(KUHN.start(), seat)) for seat in (0, 1)] == [6, 6]


def test_it_beats_random_play_at_kriegspiel():
    result = ludus.arena(KRIEG, ["mcts(simulations=300)", "random"], games=60, jobs=1)
    assert result.rows[0].wins > 40


def test_thinking_ends_when_it_is_told_to():
    player, stop = ludus.player("mcts(seconds=600)", KRIEG), threading.Event()
    position = KRIEG.start().seen_by(0)
    player.prepare()
    threading.Timer(0.2, stop.set).start()
    assert player.think(position, 600.0, stop, stream(1)) in position.moves()
    assert player.best in position.moves()
    player.study(position.state, time.monotonic() + 600.0, stop, stream(1))


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ("mcts:runs/a", "networks see the whole state"),
        ("mcts(guided=true)", "not for games with hidden information"),
        ("mcts(seconds=1,simulations=5)", "give seconds or simulations, not both"),
    ],
)
def test_what_makes_no_sense_is_refused(spec, wrong):
    with pytest.raises(LudusError, match=wrong):
        ludus.player(spec, KUHN)
