"""The pieces of a Ludo board in its picture, and the places on which they stand, which a page can touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ludus.games.ludo.board import COLOURS, TRACK, Cell, cell_of, lane, marks, mover, pieces, playing, stacks
from ludus.games.ludo.rules import LUDOPY_131, MOVABLE
from ludus.games.ludo.shapes import circle, sign
from ludus.games.ludo.touching import place_of
from ludus.games.ludo.view import CELL, ON_FACE, PAPER, View
from ludus.games.svg import HIT, area, length, piece, place, write

_R = 14.5  # a piece's radius
_SMALL = 9.0  # that of a piece which shares its square with another colour


def places(view: View, state: np.ndarray) -> Iterator[str]:
    """What can be touched: yards, squares, columns and homes."""
    game, on, half = view.game, stacks(view.game, state), 3 * CELL
    for owner in playing(game):
        name, at = COLOURS[owner], pieces(state, owner)
        x, y = view.yard(owner)
        yield area(
            x - half, y - half, 2 * half, 2 * half, place_of(game, owner, 0), f"{name}'s yard, {_count(at.count(0))}"
        )
        words = place(place_of(game, owner, game.goal), f"{name}'s home, {_count(at.count(game.goal))}")
        if game.rules != LUDOPY_131:
            yield f'<polygon points="{view.triangle(owner)}" {HIT} {words}/>'
        else:  # the column reaches into the triangle, and the goal is beside it
            x, y = view.center(cell_of(game, owner, game.goal))
            yield f'<rect x="{length(x - 20)}" y="{length(y - 20)}" width="40" height="40" {HIT} {words}/>'
    first, special = mover(game, state) or 0, marks(game)
    squares = {cell: (f"square {(i - 13 * first) % 52 + 1}", f"t{i}") for i, cell in enumerate(TRACK)}
    for owner in playing(game):
        for r in range(lane(game), game.goal):
            squares[cell_of(game, owner, r)] = f"{COLOURS[owner]}'s column, square {r}", place_of(game, owner, r)
    for cell, (name, where) in squares.items():
        x, y = view.center(cell)
        who = ", ".join(f"{n} {COLOURS[c]}" for c, n in on.get(cell, {}).items()) or "empty"
        words = ", ".join([name, *([special[cell]] if cell in special else []), who])
        yield area(x - CELL / 2, y - CELL / 2, CELL, CELL, where, words)


def _count(number: int) -> str:
    return "empty" if not number else f"{number} piece{'s' * (number > 1)}"


def _spots(view: View, stack: Iterable[int], cell: Cell) -> dict[int, tuple[float, float, float]]:
    """The center and radius of each colour's pieces on one square: side by side where there are several colours."""
    x, y = view.center(cell)
    owners = list(stack)
    if len(owners) == 1:
        return {owners[0]: (x, y, _R)}
    spots = [(-1, -1), (1, 1), (1, -1), (-1, 1)]
    return {c: (x + 9.5 * right, y + 9.5 * down, _SMALL) for c, (right, down) in zip(owners, spots, strict=False)}


def standing(view: View, key: str, cell: Cell, stack: dict[int, int]) -> list[str]:
    """The pieces on a square, those of a colour one upon the other."""
    out = []
    columns = {cell_of(view.game, c, r): r for c in stack for r in range(lane(view.game), view.game.goal)}
    for owner, (x, y, r) in _spots(view, stack, cell).items():
        where = place_of(view.game, owner, columns[cell]) if cell in columns else f"t{TRACK.index(cell)}"
        for i in range(stack[owner]):
            number = str(stack[owner]) if 0 < i == stack[owner] - 1 else ""
            out += piece(where, COLOURS[owner], i, _piece(key, owner, x, y, r, number))
    return out


def waiting(view: View, state: np.ndarray, key: str, owner: int) -> list[str]:
    """The pieces of a colour that are in its yard, and those that are home."""
    game, out, name = view.game, [], COLOURS[owner]
    yard, home = (pieces(state, owner).count(r) for r in (0, game.goal))
    for i, (x, y) in enumerate(view.sockets(owner)[:yard]):
        out += piece(place_of(game, owner, 0), name, i, _piece(key, owner, x, y, _R + 2))
    for i in range(home):
        shapes = _piece(key, owner, *view.home(owner), _R, str(home) if i == home - 1 else "")
        out += piece(place_of(game, owner, game.goal), name, i, shapes)
    return out


def _piece(key: str, owner: int, x: float, y: float, r: float, number: str = "") -> list[str]:
    """A piece with its colour's sign, and with the number of those below it and itself."""
    out = [
        circle(x, y + 2, r, "#000", 'fill-opacity="0.3"'),
        circle(x, y, r, f"url(#{key}-c{owner})", f'stroke="{PAPER}" stroke-width="1.6"'),
        sign(owner, x, y, r * 0.5, f'fill="{ON_FACE[owner]}" fill-opacity="0.9"'),
    ]
    if number:
        badge, size = (7.5, 11) if r > _SMALL else (5.5, 9)
        left, up = x + 0.72 * r, y - 0.72 * r
        out.append(circle(left, up, badge, "#2b2723", f'stroke="{PAPER}"'))
        out.append(write(left, up + 0.36 * size, number, size, "#fff", "bold"))
    return out


def halos(view: View, state: np.ndarray) -> list[str]:
    """A ring around every piece that may move."""
    game, owner = view.game, mover(view.game, state)
    if owner is None:
        return []
    own, at = state[4 * owner : 4 * owner + 4], stacks(game, state)
    free = {int(own[i]) for i in range(4) if state[MOVABLE] >> i & 1}
    cells = [cell_of(game, owner, r) for r in sorted(free) if r]
    rings = [_spots(view, at[cell], cell)[owner] for cell in cells]
    if 0 in free:
        rings += [(x, y, _R + 2) for x, y in view.sockets(owner)[: own.tolist().count(0)]]
    style = 'fill="none" stroke="#1d1a17" stroke-width="2.2" stroke-dasharray="5 3" class="halo" pointer-events="none"'
    return [f'<circle cx="{length(x)}" cy="{length(y)}" r="{length(r + 2.8)}" {style}/>' for x, y, r in rings]
