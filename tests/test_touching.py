"""Moves by touch, in every game: what can be touched leads to the legal moves, all of them and no others, and is on the board."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import ludus
from ludus.contract.position import Position
from ludus.contract.touching import Turn, board_of, places_of, turn_of
from ludus.errors import LudusError
from ludus.kernel import JIT, stream
from toys import Nim
from wandering import one_on

SVG = "{http://www.w3.org/2000/svg}"
GAMES = [
    "backgammon",
    "quoridor(size=5)",
    "quoridor(size=3,walls=2)",
    "quoridor(size=6,seats=4)",
    "quoridor(size=3,columns=5,seats=4)",
    "ludo",
    "ludo(seats=2,blockades=pass,capture_bonus=true)",
    "ludo(rules=ludopy,seats=3)",
    "ludo(rules=ludopy-1.3.1,seats=4)",
    "tictactoe",
    "connectfour4x4",
    "breakthrough6",
    "hex4",
    "checkers",
    "kingrook",
    "eightpuzzle",
    "shannon",
]
GAMES_COUNT, EVERY = (4, 9) if JIT else (1, 17)  # random games, and of how many positions one is looked at


def some_positions(name: str) -> Iterator[Position]:
    """Positions of random games, also of their ends."""
    game = ludus.game(name)
    for seed in range(GAMES_COUNT):
        rng, position, number = stream(seed), game.start(), 0
        while not position.over and number < 400:
            if number % EVERY == seed % EVERY:
                yield position
            number += 1
            position = one_on(position, rng)
        yield position


def made_by_touch(game: Any, state: Any, seat: int) -> dict[str, Turn]:
    """All whole moves that touches lead to, each touch being one of those that were offered, with the turn at its end."""
    found: dict[str, Turn] = {}
    seen: set[bytes] = set()
    ahead: list[tuple[str, ...]] = [()]
    while ahead:
        touched = ahead.pop()
        turn = turn_of(game, state, seat, touched)
        if turn.move is not None:
            found[turn.move] = turn
        for touch in turn.touches:
            after = turn_of(game, state, seat, (*touched, touch.text))
            assert after.move == touch.move, "a touch tells beforehand whether it makes a move"
            key = after.state.tobytes() + str(after.move).encode()
            if key not in seen:
                seen.add(key)
                ahead.append((*touched, touch.text))
    return found


def after(position: Position, move: str) -> str:
    """The position after a move; pieces of one colour are not told apart in Ludo, where they are listed with commas between them."""
    words = position.play(move).text.split()
    return " ".join(",".join(sorted(word.split(","))) for word in words)


def drawn(picture: str) -> tuple[dict[str, str], Counter[tuple[str, str]]]:
    """The places of a drawing with their names, and its pieces: place and kind."""
    root = ET.fromstring(picture)
    nodes = [node for node in root.iter() if node.get("class") == "place"]
    places = {node.get("data-place", ""): node.get("data-name", "") for node in nodes}
    assert len(places) == len(nodes), "no place is there twice"
    pieces = [node for node in root.iter(f"{SVG}g") if node.get("class") == "piece"]
    assert all(node.get("pointer-events") == "none" for node in pieces)
    return places, Counter((node.get("data-place", ""), node.get("data-kind", "")) for node in pieces)


@pytest.mark.parametrize("name", GAMES)
def test_touches_make_all_legal_moves_and_no_others(name):
    for position in some_positions(name):
        for seat in range(position.game.facts.seats):
            made = made_by_touch(position.game, position.state, seat)
            assert set(made) <= {move.text for move in position.moves(seat)}
            assert {after(position, move) for move in made} == {after(position, str(m)) for m in position.moves(seat)}


@pytest.mark.parametrize("name", GAMES)
def test_what_can_be_touched_is_on_the_board_and_has_a_name(name):
    for position in some_positions(name):
        game, state = position.game, position.state
        places, pieces = drawn(game.board_svg(state))
        assert all(places.values())
        assert {where for where, _ in pieces} <= set(places)
        for seat in range(game.facts.seats):
            for touch in turn_of(game, state, seat).touches:
                assert {touch.target, touch.source or touch.target} <= set(places)
                assert touch.name
                taken = [where for where, _ in pieces if where == touch.source]
                assert touch.source is None or taken or name == "shannon", "there is a piece, or the end of a link"


@pytest.mark.parametrize("name", GAMES)
def test_a_turned_board_has_the_same_places_and_pieces(name):
    for position in some_positions(name):
        game, state = position.game, position.state
        for seat in range(game.facts.seats):
            assert drawn(board_of(game, state, seat)) == drawn(game.board_svg(state))


@pytest.mark.parametrize("name", GAMES)
def test_the_last_move_can_be_marked(name):
    for position in some_positions(name):
        game, state = position.game, position.state
        places, _ = drawn(game.board_svg(state))
        if position.kind == "chance":
            assert places_of(game, state, int(position.chances()[0][0])) == []
        for seat in range(game.facts.seats):
            touches = turn_of(game, state, seat).touches
            for touch in touches:
                if touch.move is not None:
                    marked = places_of(game, state, game.read_move(state, touch.move, seat))
                    assert {other.target for other in touches if other.text == touch.text} & set(marked)
                    assert set(marked) <= set(places)
                    assert len(set(marked)) == len(marked)


@pytest.mark.parametrize("name", GAMES)
def test_what_can_not_be_touched_is_refused_by_name(name):
    position = next(some_positions(name))
    with pytest.raises(LudusError, match="'nowhere'"):
        turn_of(position.game, position.state, 0, ["nowhere"])


def test_a_game_from_outside_that_knows_no_touches_has_none():
    game = Nim()
    state = Position.start(game).state
    assert turn_of(game, state, 0) == (state, (), None)
    assert places_of(game, state, 1) == []
    assert board_of(game, state, 1) == game.board_svg(state), "and its picture is never turned round"
    with pytest.raises(LudusError, match="'B3' can't be touched: there is nothing to touch now"):
        turn_of(game, state, 0, ["B3"])
