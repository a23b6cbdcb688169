"""Where a rulesheet's propositions and moves lie on its board, in numbers that a network can use, and which symmetries its rules have.

`layout` finds columns and rows for a drawing. Here each proposition is a *plane* (what it says, without its place) at a cell, and so is each move: its first
cell, and as its plane the step to the second one and whatever else it says. What has no place belongs to the position as a whole. A game without a board is a board
of one cell.

A symmetry turns or mirrors the board, may exchange the roles, and leads from every position to one in which the same moves, seen through it, lead to the same end.
Candidates are taken from the board's shape and the names of the sheet; whether the rules agree is tried by random games.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.rules import OVER, play
from ludus.games.gdl.drawing import layout_of
from ludus.games.gdl.face import info
from ludus.games.gdl.kif import Term, read_term
from ludus.games.gdl.lanes import PROPOSITIONS, begin_of, nodes_of
from ludus.games.gdl.layout import Layout, Shape, take_apart
from ludus.games.gdl.machine import complete, count_legal
from ludus.kernel import below, kernel, stream

SWAPS = 6  # names beside the roles that may be exchanged by a symmetry: more would be too many pairs to try
TRIALS = 12  # random games in which a symmetry must hold
TRIAL_PLIES = 200


class Spot(NamedTuple):
    """Where a proposition or a move lies."""

    plane: Any  # what it says beside its place
    cells: tuple[int, ...]  # one; for a move that names a column alone all of that column; none: it has no place


class Geometry(NamedTuple):
    """The board of a game in numbers. Index `s` counts symmetries, of which the first changes nothing."""

    width: int
    height: int
    planes: int  # of propositions
    globals: int  # propositions without a place
    move_planes: int
    bare_moves: int  # without a place
    inputs: (
        np.ndarray
    )  # [s, proposition]: cell * planes + plane, or width * height * planes + the number of a global one
    moves: np.ndarray  # [s, move]: the move that it becomes
    move_plane: np.ndarray  # [move]; for a bare one -1 - its number
    move_cells: np.ndarray  # [move, i]: cells, filled up with -1
    exchanges: np.ndarray  # [s]: whether seats 0 and 1 change places

    @property
    def cells(self) -> int:
        """How many cells the board has."""
        return self.width * self.height

    def seen_by(self, seat: int) -> np.ndarray:
        """The symmetries through which a seat sees the position as seat 0 would. Where none exchanges the seats, each sees it as it is."""
        swapped = bool(seat) and bool(self.exchanges.any())
        return np.flatnonzero(self.exchanges == swapped)


@lru_cache(maxsize=16)
def geometry_of(game: Any) -> Geometry:
    """The board of a compiled rulesheet of two seats, and its symmetries.

    >>> import ludus
    >>> found = geometry_of(ludus.game("connectfour4x4"))
    >>> found.width, found.height, found.planes, found.move_planes, found.exchanges.tolist()
    (4, 4, 2, 1, [False, False, True, True])
    """
    known, layout = info(game), layout_of(game)
    propositions = [_spot(read_term(text), layout) for text in known.propositions]
    owners = np.repeat(np.arange(len(known.roles)), np.diff(game.role_moves)).tolist()
    moves = [_move_spot(read_term(text), layout) for text in known.moves]
    if layout is None or not any(spot.cells for spot in propositions):
        layout, propositions = None, [Spot(text, (0,)) for text in known.propositions]
        moves = [Spot(text, (0,)) for text in known.moves]
    width, height = (len(layout.columns), len(layout.rows)) if layout else (1, 1)
    planes = _numbered(spot.plane for spot in propositions if spot.cells)
    move_planes = _numbered(spot.plane for spot in moves if spot.cells)
    loose = _numbered(i for i, spot in enumerate(propositions) if not spot.cells)
    bare = _numbered(i for i, spot in enumerate(moves) if not spot.cells)
    at = np.array(
        [
            spot.cells[0] * len(planes) + planes[spot.plane] if spot.cells else width * height * len(planes) + loose[i]
            for i, spot in enumerate(propositions)
        ],
        np.int64,
    )
    cells = np.full((len(moves), max(max((len(spot.cells) for spot in moves), default=1), 1)), -1)
    for cell, spot in zip(cells, moves, strict=True):
        cell[: len(spot.cells)] = spot.cells
    found = _symmetries(game, layout, list(zip(owners, known.moves, strict=True)))
    return Geometry(
        width, height, len(planes), len(loose), len(move_planes), len(bare),
        np.array([at[ours] for ours, _, _ in found]),
        np.array([theirs for _, theirs, _ in found]),
        np.array([move_planes[spot.plane] if spot.cells else -1 - bare[i] for i, spot in enumerate(moves)]),
        cells,
        np.array([exchanges for _, _, exchanges in found]),
    )  # fmt: skip


def _numbered(things: Any) -> dict[Any, int]:
    return {thing: i for i, thing in enumerate(dict.fromkeys(things))}


# --- places ----------------------------------------------------------------------------------------------------------


def _spot(term: Term, layout: Layout | None) -> Spot:
    """Where a proposition lies."""
    shape, values, _ = take_apart(term)
    kind = layout.kinds.get(shape) if layout else None
    if layout is None or kind is None or kind.end:
        return Spot(term, ())
    cells = [_cell(layout, *cell) for cell in kind.cells(values)]
    if None in cells:
        return Spot(term, ())
    step = layout.step(*kind.cells(values)) if len(cells) == 2 else None
    return Spot((shape, tuple(kind.rest(values)), step), (int(cells[0] or 0),))


def _cell(layout: Layout, column: str, row: str) -> int | None:
    """The number of a cell, from the bottom row on."""
    if column not in layout.columns or row not in layout.rows:
        return None
    return (len(layout.rows) - 1 - layout.rows.index(row)) * len(layout.columns) + layout.columns.index(column)


def _move_spot(term: Term, layout: Layout | None) -> Spot:
    """Where a move lies: it names one cell, two or more of them, or a column or a row alone."""
    shape, values, owners = take_apart(term)
    if layout is None:
        return Spot(term, ())
    pairs, i = [], 0
    while i + 1 < len(values):
        if owners[i] == owners[i + 1] and _cell(layout, values[i], values[i + 1]) is not None:
            pairs.append(i)
            i += 1
        i += 1
    used = {place for i in pairs for place in (i, i + 1)}
    rest = tuple(value for i, value in enumerate(values) if i not in used)
    if pairs:
        first, *others = [(values[i], values[i + 1]) for i in pairs]
        steps = tuple(layout.step(first, other) for other in others)
        return Spot((shape, rest, steps), (int(_cell(layout, *first) or 0),))
    for names, across in ((layout.columns, True), (layout.rows, False)):
        if len(values) == 1 and values[0] in names:
            line = [
                _cell(layout, *((values[0], r) if across else (r, values[0])))
                for r in (layout.rows if across else layout.columns)
            ]
            return Spot((shape, (), "column" if across else "row"), tuple(sorted(c for c in line if c is not None)))
    return Spot(term, ())


# --- symmetries ------------------------------------------------------------------------------------------------------

Found = tuple[
    np.ndarray, np.ndarray, bool
]  # what each proposition and each move becomes, and whether seats are exchanged


def _symmetries(game: Any, layout: Layout | None, moves: list[tuple[int, str]]) -> list[Found]:
    """All that are found, that which changes nothing first, those that exchange the seats last."""
    known = info(game)
    propositions = [read_term(text) for text in known.propositions]
    terms = [(owner, read_term(text)) for owner, text in moves]
    place = {term: i for i, term in enumerate(propositions)}
    move_place = {term: i for i, term in enumerate(terms)}
    found: list[Found] = []
    seen: set[bytes] = set()
    for names, turn, order in itertools.product(_exchanges(game, layout, propositions), *_motions(layout)):
        role = [known.roles.index(names.get(r, r)) for r in known.roles]

        def image(term: Term, names: Any = names, turn: Any = turn, order: Any = order) -> Term:
            return _image(term, layout, names, turn, order)

        try:
            ours = np.array([place[image(term)] for term in propositions])
            theirs = np.array([move_place[role[owner], image(term)] for owner, term in terms])
        except KeyError:
            continue
        key = ours.tobytes() + theirs.tobytes()
        if key in seen or len(set(ours.tolist())) < len(ours) or len(set(theirs.tolist())) < len(theirs):
            continue
        seen.add(key)
        if not found or holds(game, ours, theirs, np.array(role), stream(1), TRIALS):
            found.append((ours, theirs, bool(role[game.seat_role[0]] != game.seat_role[0])))
    return sorted(found, key=lambda each: each[2])


def _motions(layout: Layout | None) -> tuple[list[Any], list[Any]]:
    """The ways to mirror columns and rows, and to exchange them: none first."""
    square = layout is not None and layout.columns == layout.rows[::-1]
    mirrors = list(itertools.product((False, True), repeat=2)) if layout is not None else [(False, False)]
    return mirrors, [False, True] if square else [False]


def _exchanges(game: Any, layout: Layout | None, propositions: list[Term]) -> Iterator[dict[str, str]]:
    """The ways to exchange names of the sheet in pairs: none first. Roles are exchanged if two other names are, or alone."""
    yield {}
    roles = [role for role in info(game).roles if role != "random"]
    numbers = {*layout.columns, *layout.rows} if layout else set()
    words: set[str] = set()
    for term in propositions:
        words |= set(_names(term))
    others = sorted(words - set(roles) - numbers)
    if len(roles) != 2 or len(others) > SWAPS:
        return
    swap = {roles[0]: roles[1], roles[1]: roles[0]}
    for pairs in _pairings(others):
        yield swap | {a: b for pair in pairs for a, b in (pair, pair[::-1])}


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from _names(part)
    else:
        yield term


def _pairings(names: list[str]) -> Iterator[list[tuple[str, str]]]:
    """All ways to put some of the names into pairs: none of them first."""
    if not names:
        yield []
        return
    first, *rest = names
    for pairs in _pairings(rest):
        yield pairs
    for other in rest:
        for pairs in _pairings([name for name in rest if name != other]):
            yield [(first, other), *pairs]


def _image(term: Term, layout: Layout | None, names: dict[str, str], mirror: tuple[bool, bool], turned: bool) -> Term:
    """A proposition or a move, seen through a motion of the board and an exchange of names."""
    shape, values, owners = take_apart(term)
    out = [names.get(value, value) for value in values]
    if layout is not None:
        i = 0
        while i < len(values):
            pair = i + 1 < len(values) and owners[i] == owners[i + 1]
            if pair and values[i] in layout.columns and values[i + 1] in layout.rows:
                out[i], out[i + 1] = _moved(layout, values[i], values[i + 1], mirror, turned)
                i += 1
            elif len(values) == 1 and values[i] in layout.columns:
                out[i] = _moved(layout, values[i], layout.rows[0], mirror, turned)[turned]
            i += 1
    return _filled(shape, iter(out))


def _moved(layout: Layout, column: str, row: str, mirror: tuple[bool, bool], turned: bool) -> tuple[str, str]:
    columns, rows = layout.columns, layout.rows[::-1]
    c, r = columns.index(column), rows.index(row)
    if mirror[0]:
        c = len(columns) - 1 - c
    if mirror[1]:
        r = len(rows) - 1 - r
    return (columns[r], rows[c]) if turned else (columns[c], rows[r])


def _filled(shape: Shape, values: Iterator[str]) -> Term:
    if not isinstance(shape, tuple):
        return shape
    return (shape[0], *(next(values) if part is None else _filled(part, values) for part in shape[1:]))


# --- trying ----------------------------------------------------------------------------------------------------------


@kernel
def _mirror(game: Any, state: Any, ours: Any, out: Any, values: Any) -> None:
    """The state in which the images of a state's propositions hold."""
    begin = begin_of(game)
    out[:] = 0
    for p in range(game.sizes[PROPOSITIONS]):
        if state[begin + (p >> 6)] >> (p & 63) & 1:
            q = ours[p]
            out[begin + (q >> 6)] |= np.int64(1) << (q & 63)
    for r in range(begin - 1 - game.sizes[5]):
        out[1 + game.sizes[5] + r] = -1
    values[:] = 0
    complete(game, out, values)


@kernel
def holds(game: Any, ours: Any, theirs: Any, role: Any, rng: Any, games: int) -> bool:
    """Whether random games, seen through a symmetry, are games of the same rules with the same scores. `ours` and `theirs` are what propositions and moves become, `role`
    what roles do.
    """
    size = begin_of(game) + (game.sizes[PROPOSITIONS] + 63) // 64 + (len(theirs) + 63) // 64
    state, other, after = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    values = np.zeros(nodes_of(game), np.int64)
    legal, found = np.zeros(len(theirs), np.int64), np.zeros(len(theirs), np.int64)
    marked = np.zeros(len(theirs), np.bool_)
    begin = begin_of(game)
    first = np.zeros(size, np.int64)
    for i in range(len(game.initial)):
        first[begin + i] = game.initial[i]
    values[:] = 0
    complete(game, first, values)
    for _ in range(games):
        state[:] = first
        for _ in range(TRIAL_PLIES):
            _mirror(game, state, ours, other, values)
            if (state[0] == OVER) != (other[0] == OVER):
                return False
            if state[0] == OVER:
                for seat in range(2):
                    if state[1 + seat] != other[1 + game.role_seat[role[game.seat_role[seat]]]]:
                        return False
                break
            if state[0] < 0 or other[0] != game.role_seat[role[game.seat_role[state[0]]]]:
                return False
            for r in range(len(role)):
                count = count_legal(game, state, r, legal)
                if count != count_legal(game, other, role[r], found):
                    return False
                for i in range(count):
                    marked[found[i]] = True
                same = True
                for i in range(count):
                    same = same and marked[theirs[legal[i]]]
                for i in range(count):
                    marked[found[i]] = False
                if not same:
                    return False
            count = count_legal(game, state, game.seat_role[state[0]], legal)
            move = legal[below(rng, count)]
            play(game, state, move)
            play(game, other, theirs[move])
            _mirror(game, state, ours, after, values)
            for i in range(begin, begin + (game.sizes[PROPOSITIONS] + 63) // 64):
                if after[i] != other[i]:
                    return False
    return True
