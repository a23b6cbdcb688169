"""What agents see: numbers between 0 and 1, each seat from its own side, with all that decides how a game goes on; and always the same."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

import ludus
from environments import EVERY
from ludus.adapters.actions import Actions
from ludus.adapters.sights import Sights
from ludus.batch import Games
from ludus.contract.rules import Facts
from ludus.games.backgammon.rules import SIDE, TURN
from toys import Pennies


def states_of(game: Any, steps: int = 30) -> np.ndarray:
    """States at decisions of random games."""
    games = Games(game, seed=3, count=4, slots=4)
    batch, found = games.begin(), []
    for _ in range(steps):
        if not len(batch):
            break
        found.append(batch.states)
        batch = games.step(batch.random_moves())
    return np.concatenate(found)


def seen(name: str, states: np.ndarray, seat: int = 0) -> np.ndarray:
    return Sights(Actions(name)).observe(states, seat, np.zeros(len(states), bool))


@pytest.mark.parametrize("name", EVERY)
def test_inputs_lie_between_0_and_1_and_differ_where_positions_do(name):
    actions = Actions(name)
    states = np.unique(states_of(actions.game), axis=0)
    for seat in range(actions.game.facts.seats):
        rows = seen(name, states, seat)
        assert rows.dtype == np.float32
        assert rows.min() >= 0
        assert rows.max() <= 1
        assert len(np.unique(rows, axis=0)) == len(states)


def test_a_seat_of_backgammon_sees_what_the_other_would_see_with_the_sides_exchanged():
    states = states_of(ludus.game("backgammon-steps"))
    other = states.copy()
    other[:, :SIDE], other[:, SIDE : 2 * SIDE] = states[:, SIDE : 2 * SIDE], states[:, :SIDE]
    other[:, TURN] = 1 - states[:, TURN]
    assert np.array_equal(seen("backgammon", states, 0), seen("backgammon", other, 1))
    assert not np.array_equal(seen("backgammon", states, 0), seen("backgammon", states, 1))


class Coins(Pennies):
    """A game from outside, whose moves are numbers from 0 to 1."""

    @property
    def facts(self) -> Facts:
        return super().facts._replace(actions=2)


def test_a_game_without_a_sight_shows_its_state():
    sights = Sights(Actions(Coins()))
    state = Coins().start().state.copy()
    assert sights.one(state, 1, False).tolist() == [*state.tolist(), 1]
    assert not sights.bounded


# Agents that learned with other inputs would see nonsense: a change needs a new version of the sight, and new names of environments.
GOLDEN = {
    "backgammon": (204, "b8381aacf34d"),
    "backgammon(match=3)": (219, "dfa6bd462f6e"),
    "ludo": (60, "ce656857d40b"),
    "ludo(rules=ludopy,seats=3)": (60, "d25ce72d5d0e"),
    "quoridor": (295, "7a632aff376d"),
    "quoridor(seats=4)": (461, "cd2644bf54d3"),
    "quoridor(size=7,columns=5)": (123, "b1f9a33188b6"),
    "tictactoe": (22, "e2863731b24f"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_inputs_stay_what_they_are(name):
    game = Actions(name).game
    rows = np.concatenate([seen(name, states_of(game), seat) for seat in range(game.facts.seats)])
    assert (rows.shape[1], hashlib.sha256(rows.tobytes()).hexdigest()[:12]) == GOLDEN[name]
