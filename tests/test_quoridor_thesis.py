"""The thesis's names for Quoridor: its State tuple, its vector, its Game."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.games.quoridor.bitboard import is_open
from ludus.games.quoridor.bitboard import shut as close
from ludus.kernel import JIT, stream
from ludus.papers.quoridor import thesis
from ludus.players.base import Random, ask

NINE = ludus.game("quoridor")
PRINTED = (0, 51, 70, 5, 9, frozenset([32, 116, 119, 59, 12, 31]))  # the state that the thesis prints
examples = settings(deadline=None, max_examples=60 if JIT else 8)


def walk(seed: int, plies: int) -> list[tuple[Position, int]]:
    """The positions of a random game, each with the move that led to the next."""
    position, out, rng = NINE.start(), [], stream(seed)
    while not position.over and len(out) < plies:
        out.append((position, int(ask(Random(NINE.facts.max_moves), position, rng))))
        position = position.play(out[-1][1])
    return [*out, (position, -1)]


walks = st.builds(walk, st.integers(0, 1000), st.integers(0, 330 if JIT else 30))


def test_the_state_that_the_thesis_prints_there_and_back():
    assert thesis.state(thesis.position(PRINTED)) == PRINTED


@examples
@given(walks)
def test_every_position_comes_back_from_its_tuple_but_for_the_plies(walked):
    position = walked[-1][0]
    if position.over:
        return
    again = thesis.position(thesis.state(position), ply=int(position.state[1]))
    assert again == position


def test_the_vector_is_the_tuple_with_a_place_for_each_wall():
    seen = thesis.vector(thesis.position(PRINTED))
    assert seen.shape == (133,)
    assert seen[:5].tolist() == [0, 51, 70, 5, 9]
    assert set(np.flatnonzero(seen[5:]).tolist()) == PRINTED[5]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({5: frozenset([32, 33])}, "it would overlap a5h"),
        ({5: frozenset([32, 96])}, "it would cross a5h"),
        ({5: frozenset([128])}, "there is no wall 128 in a state; they are 0 to 127"),
        ({1: 81}, "there is no square 81"),
        ({1: 70}, "two pawns can't be on one square"),
        ({0: 2}, "there is no player 2"),
        ({3: 11}, "yellow can't have 11 walls left"),
        ({3: 6}, "too many walls: 6 on the board and 15 in stock"),
        ({4: "9"}, "'9' is no whole number"),
    ],
)
def test_impossible_tuples_are_refused_with_the_rule(change, reason):
    state = tuple(change.get(i, part) for i, part in enumerate(PRINTED))
    assert not thesis.valid(state)
    with pytest.raises(LudusError, match=reason):
        thesis.position(state)


@examples
@given(walks)
def test_undo_goes_back_the_way_that_the_game_came(walked):
    for (before, move), (after, _) in itertools.pairwise(walked):
        assert thesis.undo(after, move) == before


def test_undo_of_what_was_not_played_is_an_error():
    after = NINE.start().play("e2").play("e8")
    for action in ("h20", "uu", "pass"):  # a wall that is not there, a jump over nobody, and a pass of who could move
        with pytest.raises(LudusError, match="that can't have been the last move here, which was green's"):
            thesis.undo(after, action)
    with pytest.raises(LudusError, match="'zz' is no action"):
        thesis.undo(after, "zz")


@examples
@given(walks)
def test_the_shortest_path_is_a_path_and_its_blockers_are_what_shuts_it(walked):
    position = walked[-1][0]
    for seat in (0, 1):
        path = thesis.shortest_path(position, seat)
        assert path[-1][1] == "91"[seat]
        assert len(set(path)) == len(path)
        blockers = set(thesis.path_blockers(position, seat))
        crossing = set(thesis.crossing_actions(position))
        for wall in range(128):
            if wall in crossing:
                continue
            shut = np.array(position.state)
            close(shut, wall)
            steps = itertools.pairwise(path)
            open_still = all(one_step(shut, a, b) for a, b in steps)
            assert open_still == (wall not in blockers)


def one_step(state: np.ndarray, here: str, there: str) -> bool:
    """Whether no wall is between two neighbours, by their names."""
    way = {(0, 1): 0, (1, 0): 1, (0, -1): 2, (-1, 0): 3}[ord(there[0]) - ord(here[0]), int(there[1]) - int(here[1])]
    return bool(is_open(state, 9 * (int(here[1]) - 1) + ord(here[0]) - ord("a"), way))


def test_the_names_of_the_thesiss_game():
    position = thesis.initial_state()
    assert len(thesis.actions(position)) == 131
    assert not thesis.is_terminal(position)
    assert thesis.utility(position, 0) == 0
    won = NINE.position("e8 a5 / 10 10 / - / yellow 4")
    won = thesis.execute_move(won, "u")
    assert thesis.is_terminal(won)
    assert (thesis.utility(won, 0), thesis.utility(won, 1)) == (1, -1)
    assert not thesis.valid(won, "d")
