"""Where the propositions of a rulesheet stand on a board. Nothing in a sheet says so, but most boards are written alike: somewhere in a term
there are a column and a row, as in `(cell 1 2 white)`, `(at white king 5 3)` or `(gone (link (at 1 1) (at 1 2)))`.

A layout is found once for a game, from all that can hold, from the first state and its legal moves, and from what the rules say of cells
that never changes: whether cells have six neighbours, or which of them are joined. `look` then says what is where in one state.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ludus.errors import LudusError
from ludus.games.gdl.datalog import foundation
from ludus.games.gdl.kif import Term, natural, read_term, write
from ludus.games.gdl.rulecode import Key
from ludus.games.gdl.sheet import read_sheet

Cell = tuple[str, str]  # a column and a row
Link = tuple[Cell, Cell]  # the lower or left one first
Shape = Any  # a term with None in place of what varies

BLANKS = ("b", "blank", "empty", "e", "none", "nil", "free")
BASE = ("base", 1)
MOST = 30  # columns or rows of a board
SIX = {1: {(1, 0), (0, 1), (1, -1)}, -1: {(1, 0), (0, 1), (1, 1)}}  # the neighbours of a cell of hex, by the slant


class Sources(NamedTuple):
    """What a layout is found from: texts of propositions and moves, and the rulesheet."""

    possible: Sequence[str]  # what can hold in any state; empty if that is not known
    first: Sequence[str]  # what holds in the first one
    moves: Sequence[str]  # that are legal in the first one
    source: str


class Kind(NamedTuple):
    """How propositions of one shape are read."""

    pairs: tuple[int, ...]  # where a column stands, with the row after it
    end: bool = False  # the other end of a link is no cell, but a name

    def cells(self, values: Sequence[str]) -> list[Cell]:
        """The cells that a proposition names."""
        return [(values[i], values[i + 1]) for i in self.pairs]

    def rest(self, values: Sequence[str]) -> list[str]:
        """What else it says."""
        used = {place for i in self.pairs for place in (i, i + 1)}
        return [value for i, value in enumerate(values) if i not in used]


class Seen(NamedTuple):
    """What is where in a state."""

    cells: dict[Cell, list[str]]  # what stands there, nothing that means an empty cell
    links: dict[Link, str]  # what is said of the link between two cells
    ends: dict[tuple[Cell, str], str]  # what is said of the link between a cell and a name beside the board
    others: list[str]  # propositions that belong to no place


class Layout:
    """The board of a game."""

    def __init__(self, kinds: dict[Shape, Kind], columns: list[str], rows: list[str], named: set[Cell]) -> None:
        self.kinds = kinds
        self.columns, self.rows = columns, rows  # from the left, from the top
        self.named = named  # the cells on which something can stand
        self.blanks: dict[Shape, set[str]] = {}  # what means an empty cell
        self.slant = 0  # 1: each row is half a cell to the right of the row below it, -1: to the left
        self.joined: set[Link] = set()  # cells that are joined, if not all neighbours are
        self.sides: dict[str, str] = {}  # what lies beside the board, 'left' or 'right', linked to its cells
        self.side_cells: set[tuple[Cell, str]] = set()
        self.words: set[str] = set()  # all that can be seen on the board

    def link(self, a: Cell, b: Cell) -> Link | None:
        """The link between two cells, if they are neighbours in a column or a row."""
        step = self.step(a, b)
        return {(1, 0): (a, b), (0, 1): (a, b), (-1, 0): (b, a), (0, -1): (b, a)}.get(step)

    def step(self, a: Cell, b: Cell) -> tuple[int, int]:
        """How far a cell lies to the right of another one and above it."""
        across, up = self._numbers
        return across[b[0]] - across[a[0]], up[b[1]] - up[a[1]]

    @cached_property
    def _numbers(self) -> tuple[dict[str, int], dict[str, int]]:
        return {c: i for i, c in enumerate(self.columns)}, {r: -i for i, r in enumerate(self.rows)}

    def word(self, shape: Shape, values: Sequence[str]) -> str:
        """What is to be seen of a proposition that has a place; nothing if it means an empty cell."""
        kind = self.kinds[shape]
        rest = " ".join(kind.rest(values))
        if kind.end or not rest:
            return str(shape[0])
        if len(kind.pairs) == 2:
            return f"{shape[0]} {rest}"
        return "" if rest in self.blanks.get(shape, ()) else rest

    def look(self, fluents: Iterable[str]) -> Seen:
        """What is where, if these propositions hold."""
        cells: dict[Cell, list[str]] = defaultdict(list)
        bare: list[tuple[Cell, str]] = []
        seen = Seen(cells, {}, {}, [])
        for text in fluents:
            shape, values, _ = take_apart(read_term(text))
            kind = self.kinds.get(shape)
            places = kind.cells(values) if kind else []
            if kind is None or any(c not in self._numbers[0] or r not in self._numbers[1] for c, r in places):
                seen.others.append(text)
                continue
            word = self.word(shape, values)
            if kind.end:
                seen.ends[places[0], kind.rest(values)[0]] = word
            elif len(places) == 2:
                link = self.link(*places)
                if link is not None:
                    seen.links[link] = word
            elif not kind.rest(values):
                bare.append((places[0], word))
            elif word and word not in cells[places[0]]:
                cells[places[0]].append(word)
        for cell, word in bare:  # what stands on a cell goes before what is said of it
            cells[cell].append(word)
        return seen


def take_apart(term: Term) -> tuple[Shape, list[str], list[int]]:
    """The shape of a proposition, its values from left to right, and a number for the term that each of them belongs to.

    >>> take_apart(("gone", ("at", "1", "2"), "sink"))
    (('gone', ('at', None, None), None), ['1', '2', 'sink'], [2, 2, 1])
    """
    values: list[str] = []
    owners: list[int] = []
    numbers = itertools.count(1)

    def walk(part: Term) -> Shape:
        number = next(numbers)
        shape: list[Shape] = [part[0]]
        for item in part[1:]:
            if isinstance(item, tuple):
                shape.append(walk(item))
            else:
                shape.append(None)
                values.append(item)
                owners.append(number)
        return tuple(shape)

    return (walk(term), values, owners) if isinstance(term, tuple) else (term, values, owners)


def find_layout(known: Sources) -> Layout | None:
    """The board of a game, if it has one.

    >>> texts = [f"(full {x} {y})" for x in "12" for y in "123"]
    >>> layout = find_layout(Sources([*texts, "(control white)"], ["(control white)"], [], ""))
    >>> layout.columns, layout.rows, layout.look(["(full 2 3)", "(control white)"]).cells[("2", "3")]
    (['1', '2'], ['3', '2', '1'], ['full'])
    """
    if not known.possible:  # a sheet may say itself what can hold
        known = known._replace(possible=[write(row[0]) for rows in _lasting(known.source, BASE.__eq__) for row in rows])
    facts, first = _by_shape(known.possible or known.first), _by_shape(known.first)
    kinds = _kinds(facts, first)
    moves = {} if known.possible else _kinds(_by_shape(known.moves), {})
    reach = [(facts, kinds), (_by_shape(known.moves), moves)]
    areas = [
        {cell for v in rows[shape] for cell in kind.cells(v)} for rows, some in reach for shape, kind in some.items()
    ]
    if not areas:
        return None
    main = max(areas, key=len)
    columns = sorted({c for c, _ in main}, key=natural)
    rows = sorted({r for _, r in main}, key=natural, reverse=True)
    if not (2 <= len(columns) <= MOST and 2 <= len(rows) <= MOST):
        return None
    board = {(c, r) for c in columns for r in rows}
    kinds = {s: k for s, k in kinds.items() if all(cell in board for values in facts[s] for cell in k.cells(values))}
    named = {cell for s, kind in kinds.items() for values in facts[s] for cell in kind.cells(values)}
    layout = Layout(kinds, columns, rows, named if known.possible else board)
    _sort_links(layout, facts)
    layout.blanks = {
        shape: _blanks(layout, first.get(shape, []), kind, known.moves) for shape, kind in layout.kinds.items()
    }
    layout.words = {word for shape in layout.kinds for values in facts[shape] if (word := layout.word(shape, values))}
    if known.possible:
        _neighbours(layout, known.source)
    return layout


def _by_shape(texts: Iterable[str]) -> dict[Shape, list[list[str]]]:
    found: dict[Shape, list[list[str]]] = defaultdict(list)
    for text in texts:
        shape, values, _ = take_apart(read_term(text))
        found[shape].append(values)
    return found


def _kinds(facts: dict[Shape, list[list[str]]], first: dict[Shape, list[list[str]]]) -> dict[Shape, Kind]:
    """The shapes that have a column and a row in them, where one can see that they are that."""
    found: dict[Shape, Kind] = {}
    for shape, rows in facts.items():
        if not isinstance(shape, tuple) or not isinstance(shape[0], str):
            continue
        owners = _owners(shape)
        values = [set(column) for column in zip(*rows, strict=True)]
        pairs, i = [], 0
        while i + 1 < len(values):
            if owners[i] == owners[i + 1] and _counts(values[i]) and _counts(values[i + 1]):
                pairs.append(i)
                i += 1
            i += 1
        firsts = [row[0] for row in first.get(shape, ())]
        # A number for each of some things, such as the size of each heap, is no place.
        numbers = len(values) == 2 and 1 < len(firsts) == len(set(firsts)) == len(values[0])
        if 1 <= len(pairs) <= 2 and not numbers:
            found[shape] = Kind(tuple(pairs))
    if not found:  # columns and rows may have names
        found = {s: Kind((0,)) for s in facts if isinstance(s, tuple) and len(s) == 4 and s[1:] == (None,) * 3}
    return found


def _owners(shape: Shape) -> list[int]:
    def filled(part: Shape) -> Term:
        return (part[0], *("" if item is None else filled(item) for item in part[1:]))

    return take_apart(filled(shape))[2]


def _counts(values: set[str]) -> bool:
    """Whether values look like the numbers or letters of columns and rows."""
    return len(values) <= MOST and (
        all(v.isdecimal() and len(v) < 4 for v in values)
        or all(len(v) == 1 and v.isascii() and v.isalpha() for v in values)
    )


def _sort_links(layout: Layout, facts: dict[Shape, list[list[str]]]) -> None:
    """Tell what stands on a cell from what joins two of them, or a cell and a name."""
    linked: set[str] = set()
    for shape, kind in list(layout.kinds.items()):
        if len(kind.pairs) == 2:
            links = {layout.link(*kind.cells(values)) for values in facts[shape]}
            if None in links:
                del layout.kinds[shape]
                continue
            layout.joined |= {link for link in links if link}
            linked.add(shape[0])
    for shape, kind in list(layout.kinds.items()):
        if shape[0] not in linked or len(kind.pairs) != 1 or len(facts[shape][0]) != 3:
            continue
        ends = {(kind.cells(values)[0], kind.rest(values)[0]) for values in facts[shape]}
        sides = {name: {cell[0] for cell, other in ends if other == name} for _, name in ends}
        places = {name: "left" if columns == {layout.columns[0]} else "right" for name, columns in sides.items()}
        if all(columns in ({layout.columns[0]}, {layout.columns[-1]}) for columns in sides.values()):
            layout.kinds[shape] = Kind(kind.pairs, end=True)
            layout.sides |= places
            layout.side_cells |= ends
        else:
            del layout.kinds[shape]


def _blanks(layout: Layout, rows: list[list[str]], kind: Kind, moves: Sequence[str]) -> set[str]:
    """The names that mean an empty cell: at least half of the cells begin with one, or moves lead to it and none begins with it."""
    standing = {kind.cells(values)[0]: " ".join(kind.rest(values)) for values in rows}
    found = set()
    for name in set(standing.values()) & set(BLANKS):
        holds = {cell for cell, what in standing.items() if what == name}
        told = _by_shape(moves)
        trips = [k.cells(values) for s, k in _kinds(told, {}).items() if len(k.pairs) == 2 for values in told[s]]
        left_alone = any(b in holds for _, b in trips) and not any(a in holds for a, _ in trips)
        if 2 * len(holds) >= len(standing) or left_alone:
            found.add(name)
    return found


def _neighbours(layout: Layout, source: str) -> None:
    """What the rules say of cells side by side: that there are six at each, or which of them are joined."""
    board = {(c, r) for c in layout.columns for r in layout.rows}
    for rows in _lasting(source, lambda relation: relation[1] == 4):
        ways = [((a, b), (c, d)) for a, b, c, d in rows if (a, b) in board and (c, d) in board and (a, b) != (c, d)]
        steps = {layout.step(*way) for way in ways}
        steps = {max(step, (-step[0], -step[1])) for step in steps}  # to the right, or upwards
        for slant, six in SIX.items():
            if steps == six:
                layout.slant = slant
        if steps and steps <= {(1, 0), (0, 1)} and not layout.joined:
            links = {link for way in ways if (link := layout.link(*way))}
            across, up = len(layout.columns), len(layout.rows)
            if len(layout.named) - 1 <= 2 * len(links) and len(links) < across * (up - 1) + up * (across - 1):
                layout.joined = links


def _lasting(source: str, names: Callable[[Key], bool]) -> list[list[tuple]]:
    """The rows of some relations that hold in every state, as far as they can be worked out soon."""
    found: list[list[tuple]] = []
    with contextlib.suppress(LudusError):  # it takes too long, say: the board is drawn without
        sheet = read_sheet(source)
        wanted = sorted({rule.relation for rule in sheet.rules if names(rule.relation)} - sheet.dynamic)
        needed, count = set(wanted), 0
        while count != len(needed):
            count = len(needed)
            needed |= {part.relation for rule in sheet.rules if rule.relation in needed for part in rule.body}
        world = foundation([rule for rule in sheet.rules if rule.relation in needed])
        for relation in wanted:
            found.append(world.ask(relation, soon=True))
    return found
