"""Boards of rulesheets in numbers, and the symmetries that are found in their rules."""

import numpy as np
import pytest

import ludus
from ludus.games.gdl.geometry import geometry_of, holds
from ludus.kernel import JIT, stream

pytestmark = pytest.mark.skipif(not JIT, reason="random games in which symmetries are tried")

# Who puts a stone on the middle of 3 x 3 cells ends the game, and left wins, whoever it was: no exchange of the roles respects that.
UNFAIR = """
(role left) (role right)
(index 1) (index 2) (index 3)
(<= (base (cell ?x ?y ?p)) (index ?x) (index ?y) (role ?p))
(<= (base (control ?p)) (role ?p))
(<= (input ?p (put ?x ?y)) (role ?p) (index ?x) (index ?y))
(<= (input ?p noop) (role ?p))
(init (control left))
(<= (taken ?x ?y) (true (cell ?x ?y ?p)))
(<= (legal ?p (put ?x ?y)) (true (control ?p)) (index ?x) (index ?y) (not (taken ?x ?y)))
(<= (legal left noop) (true (control right)))
(<= (legal right noop) (true (control left)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
(<= (next (cell ?x ?y ?p)) (does ?p (put ?x ?y)))
(<= (next (control right)) (true (control left)))
(<= (next (control left)) (true (control right)))
(<= terminal (true (cell 2 2 ?p)))
(<= (goal left 100) (true (cell 2 2 ?p)))
(<= (goal right 0) (true (cell 2 2 ?p)))
"""


@pytest.mark.parametrize(
    ("name", "board", "planes", "keeping", "exchanging"),
    [
        ("tictactoe", (3, 3), 2, 8, 8),
        ("connectfour", (7, 6), 2, 2, 2),
        ("breakthrough6", (6, 6), 2, 2, 2),
        (
            "hex4",
            (4, 4),
            4,
            1,
            1,
        ),  # chains are followed from one edge: turning the board round is no symmetry of what is noted of them
        ("reversi", (8, 8), 2, 8, 8),
    ],
)
def test_boards_and_symmetries(name, board, planes, keeping, exchanging):
    found = geometry_of(ludus.game(name))
    assert (found.width, found.height) == board
    assert found.planes == planes
    assert np.count_nonzero(~found.exchanges) == keeping
    assert np.count_nonzero(found.exchanges) == exchanging


def test_a_move_lies_where_it_begins_and_its_plane_is_its_step():
    game = ludus.game("breakthrough6")
    found = geometry_of(game)
    texts = {game.move_text(game.first(), m): m for m in range(game.facts.actions)}
    ahead, other = texts["( move 2 2 2 3 )"], texts["( move 5 2 5 3 )"]
    aside = texts["( move 2 2 3 3 )"]
    assert found.move_plane[ahead] == found.move_plane[other] != found.move_plane[aside]
    assert found.move_cells[ahead].tolist() == found.move_cells[aside].tolist() == [1 * 6 + 1]


def test_a_move_that_names_a_column_lies_in_all_of_its_cells():
    game = ludus.game("connectfour")
    found = geometry_of(game)
    drop = next(m for m in range(game.facts.actions) if game.move_text(game.first(), m) == "( drop 3 )")
    assert found.move_cells[drop].tolist() == [2, 9, 16, 23, 30, 37]


def test_a_game_without_a_board_is_one_cell():
    found = geometry_of(ludus.game("nim"))
    assert found.cells == 1
    assert found.globals == 0


def test_rules_that_favour_a_role_let_no_exchange_pass(tmp_path):
    sheet = tmp_path / "unfair.kif"
    sheet.write_text(UNFAIR)
    found = geometry_of(ludus.game(str(sheet)))
    assert np.count_nonzero(~found.exchanges) == 8
    assert not found.exchanges.any()


def test_an_exchange_of_propositions_that_is_no_symmetry_is_noticed():
    game = ludus.game("tictactoe")
    found = geometry_of(game)
    ours, theirs = np.arange(found.inputs.shape[1]), found.moves[0].copy()
    assert holds(game, ours, theirs, np.array([0, 1]), stream(1), 20)
    ours[[0, 2]] = ours[[2, 0]]
    assert not holds(game, ours, theirs, np.array([0, 1]), stream(1), 20)
