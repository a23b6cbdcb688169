"""Boards of rulesheets in the terminal: `golden/boards.txt` shows those of every sheet that comes with the package, at the beginning and after
some moves. Who changes how they are drawn looks at them, and writes the file anew:

    python tests/test_gdl_boards.py
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import ludus
from ludus.contract.position import Position
from ludus.contract.touching import places_of, turn_of
from ludus.games import gdl
from ludus.games.gdl.games import interpret
from ludus.games.gdl.picture import DARK, LIGHT, MOST, WIDEST
from ludus.games.gdl.sheet import read_sheet

GOLDEN = Path(__file__).parent / "golden" / "boards.txt"
STEPS = 7


def later(position: Position) -> Position:
    """The position after some moves, neither the first ones of the lists nor the same in every game."""
    for step in range(STEPS):
        if position.over:
            break
        if position.kind == "chance":
            position = position.play(int(position.chances()[-1][0]))
        elif position.kind == "joint":
            moves = [position.moves(seat) for seat in range(position.game.facts.seats)]
            position = position.play([int(own[(step + seat) % len(own)]) for seat, own in enumerate(moves)])
        else:
            moves = position.moves()
            position = position.play(int(moves[11 * (step + 1) % len(moves)]))
    return position


def shown(name: str) -> str:
    start = ludus.game(name).start()
    return f"=== {name}\n{start}\n--- {STEPS} moves later\n{later(start)}\n"


@pytest.mark.parametrize("name", gdl.shipped())
def test_boards_are_those_of_the_golden_file(name: str) -> None:
    golden = {part.partition("\n")[0]: f"=== {part}" for part in GOLDEN.read_text().split("=== ")[1:]}
    assert shown(name) == golden[name]


def test_there_is_a_golden_board_of_every_sheet() -> None:
    assert GOLDEN.read_text().count("=== ") == len(gdl.shipped())


@pytest.mark.parametrize("name", ["hex3", "shannon", "maze", "kingrook", "nim"])
def test_pictures_show_what_boards_show(name: str) -> None:
    position = later(ludus.game(name).start())
    picture = ET.fromstring(position._repr_svg_())
    texts = " ".join(node.text for node in picture.iter() if node.text)
    words = {
        "hex3": ["red", "blue"],
        "shannon": ["source", "sink", "safe", "gone"],
        "maze": ["at", "gold"],
        "kingrook": ["white rook"],
    }
    assert all(word in texts for word in words.get(name, ["heap a"]))
    hexagons = [node for node in picture.iter() if node.tag.endswith("polygon")]
    assert len(hexagons) == (9 if name == "hex3" else 0)


def test_checkers_stand_on_dark_cells() -> None:
    nodes = list(ET.fromstring(ludus.game("checkers").start()._repr_svg_()).iter())
    squares = [node.get("fill") for node in nodes if (node.get("width"), node.get("rx")) == ("51", "2")]
    assert len(squares) == 64
    assert squares[-8] == squares[1] == DARK, (
        "the corner at the left of the bottom, and the second cell from the left of the top"
    )
    assert squares[0] == LIGHT
    assert {node.get("fill") for node in nodes if node.get("class") == "place"} == {DARK}, "there only can be touched"


def picture_of(name: str, *moves: str) -> ET.Element:
    position = ludus.game(name).start()
    for move in moves:
        position = position.play(move)
    return ET.fromstring(position._repr_svg_())


def test_pictures_tell_what_they_show_to_those_who_cannot_see_it() -> None:
    root = picture_of("tictactoe", "mark 2 2", "mark 1 1")
    words = {node.tag.rpartition("}")[2]: node.text for node in root if node.text}
    assert root.get("role") == "img"
    assert words["title"] == "tictactoe: xplayer to move"
    assert words["desc"] == "xplayer to move. 1 1: oplayer. 2 2: xplayer. control xplayer."
    names = {node.get("data-place"): node.get("data-name") for node in root.iter() if node.get("class") == "place"}
    assert len(names) == 9
    assert (names["2,2"], names["3,1"]) == ("cell 2 2, xplayer", "cell 3 1, empty")


def test_pieces_are_drawn_by_their_names() -> None:
    pieces = [node for node in picture_of("tictactoe", "mark 2 2", "mark 1 1").iter() if node.get("class") == "piece"]
    assert {(node.get("data-kind"), node[0].tag.rpartition("}")[2]) for node in pieces} == {
        ("xplayer", "path"),
        ("oplayer", "circle"),
    }
    signs = {
        node.get("data-kind"): [child.text for child in node if child.text]
        for node in picture_of("kingrook").iter()
        if node.get("class") == "piece"
    }
    assert signs == {"white king": ["♚"], "black king": ["♚"], "white rook": ["♜"]}
    letters = [
        node[-1].text for node in picture_of("connectfour", "drop 1", "drop 2").iter() if node.get("class") == "piece"
    ]
    assert letters == ["R", "Y"], "told apart without colours"


def test_a_picture_has_room_for_so_many_propositions_and_says_how_many_there_are() -> None:
    facts = " ".join(f"(init (fact{i} {'a' * 2 * i}))" for i in range(1, 101))
    text = f"(role you) {facts} (legal you go) (<= (next done) (does you go)) (<= terminal (true done)) (goal you 100)"
    root = ET.fromstring(gdl.load(text).start()._repr_svg_())
    lines = [node.text or "" for node in root.iter() if node.tag.endswith("text")]
    assert len(lines) == MOST + 1
    assert lines[-1] == "… and 40 more"
    assert max(map(len, lines)) == WIDEST + len("…")


def test_a_board_is_turned_round_only_where_two_sides_face_each_other() -> None:
    def order(name: str, seat: int) -> list[str]:
        game = ludus.game(name)
        nodes = ET.fromstring(game.board_svg(game.start().state, seat)).iter()
        return [node.get("data-place", "") for node in nodes if node.get("class") == "place"]

    assert order("breakthrough", 1) == order("breakthrough", 0)[::-1]
    assert order("connectfour", 1) == order("connectfour", 0), "what falls must fall downwards"


# --- by touch --------------------------------------------------------------------------------------------------------


def touches(position: Position, seat: int = 0) -> list[tuple[str | None, str, str]]:
    return [touch[:3] for touch in turn_of(position.game, position.state, seat).touches]


def test_moves_that_name_cells_are_made_by_touching_them() -> None:
    assert (None, "2,2", "( mark 2 2 )") in touches(ludus.game("tictactoe").start())
    assert ("1,2", "2,3", "( move 1 2 2 3 )") in touches(ludus.game("breakthrough").start())


def test_every_cell_of_a_column_drops_a_piece_there() -> None:
    found = [target for _, target, text in touches(ludus.game("connectfour").start()) if text == "( drop 3 )"]
    assert sorted(found) == [f"3,{row}" for row in range(1, 7)]


def test_a_piece_that_is_named_is_found_on_the_board() -> None:
    found = touches(ludus.game("kingrook").start())
    assert ("5,3", "4,2", "( move king 4 2 )") in found
    assert {source for source, _, _ in found} == {"5,3", "1,1"}


def test_links_are_touched_at_both_ends() -> None:
    found = touches(ludus.game("shannon").start())
    assert ("1,1", "1,2", "( claim ( link ( at 1 1 ) ( at 1 2 ) ) )") in found
    assert [(a, b) for a, b, _ in found if b.startswith("source")] == [
        (f"1,{row}", f"source,{row}") for row in range(1, 5)
    ]


def test_other_moves_are_chosen_from_the_list() -> None:
    assert touches(ludus.game("nim").start()) == []
    assert touches(ludus.game("tron").start(), 1) == []


def test_where_all_move_at_once_a_touch_leaves_the_board_as_it_is() -> None:
    text = """(role you) (role me) (index 1) (index 2) (init (cell 1 1 b)) (init (cell 2 2 b))
        (<= (legal ?r (take ?x ?y)) (role ?r) (index ?x) (index ?y)) (<= (next done) (does you (take ?x ?y)))
        (<= terminal (true done)) (goal you 100) (goal me 100)"""
    for game in both(text):
        start = game.start()
        turn = turn_of(game, start.state, 1, ["( take 2 2 )"])
        assert turn.move == "( take 2 2 )"
        assert (turn.state == start.state).all()


def test_the_last_move_is_marked_by_its_cells_or_by_what_it_changes() -> None:
    game = ludus.game("connectfour")
    state = game.start().play("drop 3").state
    assert places_of(game, state, game.read_move(state, "drop 3")) == ["3,2"]
    kingrook = ludus.game("kingrook").start()
    assert places_of(kingrook.game, kingrook.state, int(kingrook.moves()[0])) == ["5,3", "4,2"]


# --- sheets of one's own ---------------------------------------------------------------------------------------------

# Elephants, a bishop and a nil among empty cells; e moves, b can't at first, and what is left behind is called `{left}`.
PIECES = """
(role you) (index 1) (index 2) (index 3) (succ 1 2) (succ 2 3)
(init (cell 1 1 e)) (init (cell 2 1 e)) (init (cell 3 1 b)) (init (cell 1 3 nil)) (init (cell 2 3 rook)) (init (cell 3 3 rook))
(init (cell 3 2 rook)) (init (cell 1 2 {left})) (init (cell 2 2 {left}))
(<= (legal you (move ?x ?y ?x ?z)) (true (cell ?x ?y e)) (succ ?y ?z) (true (cell ?x ?z {left})))
(<= (next (cell ?x ?z e)) (does you (move ?x ?y ?x ?z)))
(<= (next (cell ?x ?y {left})) (does you (move ?x ?y ?x ?z)))
(<= (next (cell ?u ?v ?what)) (true (cell ?u ?v ?what)) (not (touched ?u ?v)))
(<= (touched ?x ?y) (does you (move ?x ?y ?x ?z)))
(<= (touched ?x ?z) (does you (move ?x ?y ?x ?z)))
(<= terminal (true (cell 1 2 e))) (goal you 100)
"""


def both(text: str) -> list[Any]:
    return [gdl.load(text), interpret(read_sheet(text), "game", "", text)]


def test_pieces_are_shown_whatever_they_are_called() -> None:
    for game in both(PIECES.format(left="empty")):
        lines = [line.split() for line in str(game.start()).splitlines()]
        assert lines == [["3", "nil", "rook", "rook"], ["2", ".", ".", "rook"], ["1", "e", "e", "b"], ["1", "2", "3"]]
        lines = [line.split() for line in str(game.start().play("move 2 1 2 2")).splitlines()]
        assert lines[1:3] == [["2", ".", "e", "rook"], ["1", "e", ".", "b"]]


def test_most_cells_of_a_name_for_nothing_are_empty() -> None:
    cells = " ".join(f"(init (cell {x} {y} {'b' if (x, y) != (1, 1) else 'x'}))" for x in (1, 2, 3) for y in (1, 2, 3))
    text = f"(role you) {cells} (legal you go) (<= (next done) (does you go)) (<= terminal (true done)) (goal you 100)"
    for game in both(text):
        assert str(game.start()) == "3  . . .\n2  . . .\n1  x . .\n   1 2 3"


@pytest.mark.parametrize("name", ["domineering", "kingrook", "hex3", "shannon"])
def test_an_interpreted_board_looks_like_a_compiled_one(name: str) -> None:
    compiled, interpreted = both(gdl.shipped()[name].read_text())
    assert str(interpreted.start()) == str(compiled.start())
    assert str(later(interpreted.start())) == str(later(compiled.start()))


def test_a_sheet_that_does_not_say_what_can_hold_shows_where_one_can_move() -> None:
    text = "\n".join(line for line in gdl.shipped()["lightsout"].read_text().splitlines() if "(base" not in line)
    for game in both(text):
        assert len(str(game.start()).splitlines()) == 7


def test_names_of_columns_and_rows_may_be_words() -> None:
    text = """(role you) (init (square left low x)) (init (square right high y)) (init (score you 0)) (legal you go)
        (<= (next done) (does you go)) (<= terminal (true done)) (goal you 100)"""
    for game in both(text):
        lines = str(game.start()).splitlines()
        assert lines[2].split() == ["left", "right"]
        assert [line.split()[0] for line in lines[:2]] == ["low", "high"]


def test_a_row_of_numbers_is_no_board() -> None:
    text = """(role you) (init (heap 1 3)) (init (heap 2 5)) (init (heap 3 3)) (legal you go)
        (<= (next done) (does you go)) (<= terminal (true done)) (goal you 100)"""
    for game in both(text):
        assert str(game.start()) == "( heap 1 3 )  ( heap 2 5 )  ( heap 3 3 )"


def test_boards_fit_into_forty_columns() -> None:
    parts = {part.partition("\n")[0]: part for part in GOLDEN.read_text().split("=== ")[1:]}
    for name, part in parts.items():
        if name in ("gomoku15", "hex10", "hex11"):  # where columns have numbers of two digits
            continue
        rows = [line for line in part.splitlines()[1:] if line.strip() and line.strip()[0] in "0123456789"]
        assert all(len(row) <= 40 for row in rows), name


if __name__ == "__main__":
    GOLDEN.write_text("".join(shown(name) for name in gdl.shipped()))
    print(GOLDEN)
