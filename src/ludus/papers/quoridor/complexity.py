"""The complexity part of `quoridor2016`: how many positions and games of Quoridor there are. The thesis's figures are computed again
from its formulas, its tables counted anew with the rules, and the real branching factor and length measured in games. Nothing that is
counted here looks at the thesis's numbers; where they differ, both stand in the report.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.playing import choose
from ludus.contract.position import Position
from ludus.contract.rules import OVER, play, turn
from ludus.games import game as game_of_name
from ludus.games.quoridor.bitboard import OFFSET, PAWN, WIDTH, is_open
from ludus.games.quoridor.rules import count_moves, steps
from ludus.kernel import stream
from ludus.matches.statistics import Z95, mean_and_error
from ludus.papers.report import Bench, Row
from ludus.players import player as player_of

WALLS, PLACES = 20, 128  # walls of both seats together, and where walls can stand

# Equations 3.1 and 3.2.
MERTENS_PAWNS, MERTENS_WALLS, MERTENS_STATES = 6480, 6.1582e38, 3.9905e42
PAWNS, WALL_SETS, STATES, YEARS, BYTES = 6399, 1.7796e23, 2.2775e27, 7.2172e13, 1.1387e29
STATES_A_SECOND, BYTES_A_STATE, SECONDS_A_YEAR = 1e6, 50, 365.25 * 86_400
# Equations 3.3 to 3.7; the first two are Glendenning's, measured.
GLENDENNING_BRANCHING, GLENDENNING_LENGTH, MERTENS_TREE = 60.4, 91.1, 1.7884e162
DECISION_STATES, DECISIONS, BRANCHING, TREE = 5.6379e26, 1.0766e28, 19.0974, 4.9758e116

# Table 3.1: positions and decisions for each pattern. A is the first row, C the last, B lies between; the first pawn comes first.
TABLE_1 = {
    "AB_1": (2, 6), "AB_2": (7, 35), "AB_3": (434, 1302), "AB_4": (124, 248),
    "BC_1": (7, 35), "BC_2": (434, 1736), "BC_3": (124, 372), "BC_4": (2, 4),
    "AC_1": (18, 36), "AC_2": (63, 189),
    "BB_1": (28, 140), "BB_2": (24, 96), "BB_3": (84, 504), "BB_4": (84, 504), "BB_5": (830, 2490), "BB_6": (903, 3612),
}  # fmt: skip
POSITIONS_1, DECISIONS_1 = 3168, 11_309
# Table 3.2: how many places are left, at most, when i walls stand. For i = 20 it says 0, as no stock is left.
TABLE_2 = (128, 125, 123, 120, 118, 115, 113, 111, 109, 107, 105, 103, 101, 98, 96, 94, 92, 90, 88, 86, 0)
MOST_SETS = 1_000  # of walls that are followed while a pattern grows; 280 are the most that there are

# Who plays the games in which branching and length are measured, and how many.
REAL_GAMES = {"random": 1_000, "path": 1_000, "heuristic": 1_000, "mcts(simulations=300,guided=true)": 50}

STATE_SPACE, PAWN_TABLE, WALL_TABLE, GAME_TREE, REAL = "Section 3.3", "Table 3.1", "Table 3.2", "Section 3.4", "Games"
SECTIONS = {
    STATE_SPACE: "how many positions there are",
    PAWN_TABLE: "positions of the pawns, and the decisions of the first",
    WALL_TABLE: "places left when i walls stand",
    GAME_TREE: "decisions, branching and the game tree",
    REAL: "branching and length as measured",
}
# How the figures are made. What came out is said by `findings`.
NOTES = (
    "The thesis cuts its figures off after the last digit that it prints. A year has 365.25 days.",
    "Table 3.1 counts the decisions of the first pawn, on a board without walls, in positions that are not over: the first pawn is in A or B, the second in B or C. Its decisions "
    "follow from the rule in the thesis's words: a pawn next to the other may jump “to all the places where the opponent pawn can move”, so also aside where the way straight "
    "on is free. By the rules of the game, which our kernels have, it then only goes straight on; those decisions are the second figure of each pattern.",
    "Places left when i walls stand: “at most” is the exact maximum over all sets of i walls, “growing” that of one pattern to which each wall is added where it takes fewest places. "
    "For i = 20 the table has 0 since nobody has a wall left.",
    "“Walls that fit” counts the sets of walls in which none crosses or overlaps another exactly, row by row; the thesis says that its estimate would then be very precise. Positions with a pawn cut "
    "off are still among them.",
    "The branching factor of a game is the mean over its decisions; of a player, the mean over its games against itself. “Moves multiplied” is the product of all "
    "numbers of legal moves along a game, as a power of ten: the size of a tree of games like it. The thesis's figure there is that of its C.",
)  # fmt: skip


class Part(NamedTuple):
    """What this part adds to the report."""

    rows: list[Row]
    notes: tuple[str, ...]


def complexity(bench: Bench) -> Part:
    """All of it."""
    rows = [*state_space(), *pawn_table(), *wall_table(), *game_tree(), *real_games(bench)]
    return Part(rows, NOTES + findings())


def _figure(
    section: str, experiment: str, quantity: str, paper: float | None, ours: float, shown: str = "{:.4e}"
) -> Row:
    return Row(experiment, quantity, paper, ours, None, None, shown, None, section)


# --- section 3.3 -----------------------------------------------------------------------------------------------------


def stocks(i: int) -> int:
    """f of equation 3.2: in how many ways i walls on the board can have come from two stocks of ten.

    >>> [stocks(i) for i in (0, 10, 20)]
    [1, 11, 1]
    """
    return i + 1 if i <= 10 else 21 - i


def stocks_of_builder(i: int) -> int:
    """g of equation 3.4: the same where the seat to move has a wall left."""
    return i + 1 if i <= 9 else 20 - i


def fitting_walls() -> list[int]:
    """How many sets of i walls there are in which none crosses or overlaps another, for i from 0 to 20.

    Row by row: anchors in a row hold nothing, a horizontal wall (never two side by side) or a vertical one, and the row above has no
    vertical wall where this one has.

    >>> fitting_walls()[:3]
    [1, 128, 7952]
    """
    columns = 8
    # For each set of columns with vertical walls: in how many ways a row can also hold k horizontal ones.
    row = [[0] * (columns + 1) for _ in range(1 << columns)]
    for upright in range(1 << columns):
        for lying in range(1 << columns):
            if not lying & upright and not lying & lying << 1:
                row[upright][upright.bit_count() + lying.bit_count()] += 1
    counts = [[0] * (WALLS + 1) for _ in range(1 << columns)]
    counts[0][0] = 1
    for _ in range(columns):
        within = [list(numbers) for numbers in counts]  # summed over all subsets of a set of columns
        for bit in range(columns):
            for columns_set in range(1 << columns):
                if columns_set >> bit & 1:
                    rest = within[columns_set ^ 1 << bit]
                    within[columns_set] = [a + b for a, b in zip(within[columns_set], rest, strict=True)]
        counts = [_times(row[upright], within[~upright & 255]) for upright in range(1 << columns)]
    return [sum(numbers[i] for numbers in counts) for i in range(WALLS + 1)]


def _times(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """The product of two polynomials, up to the number of walls."""
    out = [0] * (WALLS + 1)
    for i, x in enumerate(a):
        for j in range(WALLS + 1 - i):
            out[i + j] += x * b[j]
    return out


def state_space() -> list[Row]:
    """Equations 3.1 and 3.2, and what the thesis says of them."""
    printed = sum(math.prod(PLACES - 4 * j for j in range(i + 1)) for i in range(WALLS + 1))
    mertens = sum(math.prod(PLACES - 4 * j for j in range(i)) for i in range(WALLS + 1))
    sets = sum(stocks(i) * math.comb(PLACES, i) for i in range(WALLS + 1))
    fitting = sum(stocks(i) * number for i, number in enumerate(fitting_walls()))
    pawns = 81 * 80 - 9 * 9
    states = 2 * pawns * sets
    s = STATE_SPACE
    return [
        _figure(s, "Mertens (3.1)", "positions of pawns", MERTENS_PAWNS, 81 * 80, "{:,.0f}"),
        _figure(s, "Mertens (3.1), as printed", "sequences of walls, S_f", MERTENS_WALLS, printed),
        _figure(s, "Mertens (3.1), as printed", "positions, S", MERTENS_STATES, 81 * 80 * printed),
        _figure(s, "Mertens (3.1), products up to i - 1", "sequences of walls, S_f", MERTENS_WALLS, mertens),
        _figure(s, "Mertens (3.1), products up to i - 1", "positions, S", MERTENS_STATES, 81 * 80 * mertens),
        _figure(s, "thesis (3.2)", "positions of pawns", PAWNS, pawns, "{:,.0f}"),
        _figure(s, "thesis (3.2)", "walls and stocks, S_f", WALL_SETS, sets),
        _figure(s, "thesis (3.2)", "positions, S", STATES, states),
        _figure(s, "thesis (3.2)", "years, a million positions a second", YEARS, states / STATES_A_SECOND / SECONDS_A_YEAR),
        _figure(s, "thesis (3.2)", "bytes, 50 a position", BYTES, states * BYTES_A_STATE),
        _figure(s, "walls that fit", "walls and stocks, S_f", None, fitting),
        _figure(s, "walls that fit", "positions, S", None, 2 * pawns * fitting),
    ]  # fmt: skip


# --- table 3.1 -------------------------------------------------------------------------------------------------------


def pattern(first: int, second: int) -> str:
    """The row of table 3.1 to which two squares belong, with the first pawn to move; '' if the game is over."""
    (row, column), (other_row, other_column) = divmod(first, WIDTH), divmod(second, WIDTH)
    areas = "ABBBBBBBC"[row] + "ABBBBBBBC"[other_row]
    if areas not in ("AB", "AC", "BB", "BC"):
        return ""
    next_to = abs(row - other_row) + abs(column - other_column) == 1
    edge = column in (0, 8)
    if areas == "AB":
        number = (1 if edge else 2) if next_to else (4 if edge else 3)
    elif areas == "AC":
        number = 1 if edge else 2
    elif areas == "BC":
        number = (4 if edge else 1) if next_to else (3 if edge else 2)
    elif next_to and row == other_row:
        number = 1 if edge or other_column in (0, 8) else 3
    elif next_to:
        number = 2 if edge else 4
    else:
        number = 5 if edge else 6
    return f"{areas}_{number}"


def worded_moves(state: np.ndarray) -> int:
    """The decisions of the first pawn by the thesis's words: over a pawn it jumps to all places where that one can move."""
    first, second = int(state[PAWN]), int(state[PAWN + 1])
    landings = set()
    for way in range(4):
        there = first + int(OFFSET[way])
        if not is_open(state, first, way):
            continue
        if there != second:
            landings.add(there)
        else:
            landings |= {second + int(OFFSET[w]) for w in range(4) if is_open(state, second, w)} - {first}
    return len(landings)


def enumerate_pawns() -> dict[str, tuple[int, int, int]]:
    """For each pattern, on a board without walls: positions, decisions by the thesis's words, and by the rules of the game."""
    game = game_of_name("quoridor")
    state = Position.start(game).state.copy()
    found = dict.fromkeys(TABLE_1, (0, 0, 0))
    for first in range(WIDTH * WIDTH):
        for second in range(WIDTH * WIDTH):
            name = pattern(first, second) if first != second else ""
            if name:
                state[PAWN], state[PAWN + 1] = first, second
                positions, worded, ruled = found[name]
                by_rules = int(steps(game, state, 0)).bit_count()
                found[name] = positions + 1, worded + worded_moves(state), ruled + by_rules
    return found


def totals(found: dict[str, tuple[int, int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sums of the table: with BB_6 as the thesis counts it, and with both pawns told apart."""
    apart = tuple(sum(row[i] for row in found.values()) for i in range(3))
    left = math.comb(63, 2) - sum(found[f"BB_{n}"][0] for n in range(1, 6))
    missing = found["BB_6"][0] - left
    return (apart[0] - missing, apart[1] - 4 * missing, apart[2] - 4 * missing), apart


def pawn_table() -> list[Row]:
    """Table 3.1, by enumeration."""
    found, rows, n = enumerate_pawns(), [], "{:,.0f}"
    for name, (positions, decisions) in TABLE_1.items():
        rows.append(_figure(PAWN_TABLE, name, "positions", positions, found[name][0], n))
        rows.append(_figure(PAWN_TABLE, name, "decisions, jumps as worded", decisions, found[name][1], n))
        rows.append(_figure(PAWN_TABLE, name, "decisions, jumps by the rules", None, found[name][2], n))
    mixed, apart = totals(found)
    for experiment, numbers, paper in (
        ("in all, BB_6 as the thesis counts it", mixed, (POSITIONS_1, DECISIONS_1)),
        ("in all, both pawns told apart", apart, (None, None)),
    ):
        rows.append(_figure(PAWN_TABLE, experiment, "positions", paper[0], numbers[0], n))
        rows.append(_figure(PAWN_TABLE, experiment, "decisions, jumps as worded", paper[1], numbers[1], n))
        rows.append(_figure(PAWN_TABLE, experiment, "decisions, jumps by the rules", None, numbers[2], n))
    return rows


# --- table 3.2 -------------------------------------------------------------------------------------------------------


def taken_by(wall: int) -> int:
    """The places, as bits, that are gone once a wall stands: its own, that of the wall across, and the two along it."""
    kind, anchor = divmod(wall, 64)
    row, column = divmod(anchor, 8)
    along = [(row, column - 1), (row, column + 1)] if kind == 0 else [(row - 1, column), (row + 1, column)]
    places = [anchor, anchor + 64, *(64 * kind + 8 * r + c for r, c in along if 0 <= r < 8 and 0 <= c < 8)]
    return sum(1 << place for place in places)


def most_places_left() -> list[int]:
    """How many places are left, at most, when i walls stand that neither cross nor overlap, for i from 0 to 20. Exact.

    Anchor by anchor, each empty, with a lying or with an upright wall: the fewest places that are gone, by what stands in the last row
    and on the left. A place for an upright wall is seen again in the next row, one for a lying wall at the next anchor; both are FREE,
    GONE, or hold a wall that reaches on (REACHES).

    >>> most_places_left()[:4]
    [128, 125, 123, 120]
    """
    free, gone, reaches = range(3)
    columns, far = 8, np.int16(1_000)
    # By the uprights' places of the last row (one axis a column), the lying wall's place on the left, and the number of walls.
    fewest = np.full((3,) * columns + (3, WALLS + 1), far)
    fewest[(gone,) * (columns + 1) + (0,)] = 0  # beyond the board there is nothing to lose

    def better(found: np.ndarray, where: np.ndarray) -> None:
        np.minimum(where, found, out=where)

    for _ in range(columns):
        rows_end = fewest.min(axis=-2)
        fewest[...] = far
        fewest[..., gone, :] = rows_end
        for column in range(columns):
            before = np.moveaxis(fewest, column, 0)
            after = np.full_like(before, far)
            for above, left in product(range(3), repeat=2):
                now = before[above, ..., left, :]
                lost = (above == reaches) + (left == reaches)
                here = gone if above == reaches else free, gone if left == reaches else free
                better(now + np.int16(lost), after[here[0], ..., here[1], :])
                if left != reaches:  # a lying wall
                    better(now[..., :-1] + np.int16(2 + (left == free)), after[gone, ..., reaches, 1:])
                if above != reaches:  # an upright one
                    better(now[..., :-1] + np.int16(2 + (above == free)), after[reaches, ..., gone, 1:])
            fewest = np.moveaxis(after, 0, column)
    return [PLACES - int(fewest[..., i].min()) for i in range(WALLS + 1)]


def growing(wanted: Sequence[int] | None = None) -> list[int]:
    """How many places are left after each wall of one pattern that grows, each wall where it takes fewest; all equally good sets are
    followed. With `wanted`: where exactly so many are left instead; the list then ends where there is no such pattern.
    """
    gone = [taken_by(wall) for wall in range(PLACES)]
    kept, out = {(1 << PLACES) - 1}, [PLACES]
    for i in range(1, WALLS + 1):
        after = {free & ~gone[wall] for free in kept for wall in range(PLACES) if free >> wall & 1}
        left = wanted[i] if wanted is not None else max(free.bit_count() for free in after)
        kept = set(sorted(free for free in after if free.bit_count() == left)[:MOST_SETS])
        if not kept:
            break
        out.append(left)
    return out


def wall_table() -> list[Row]:
    """Table 3.2: the most that can be left, and what one growing pattern leaves."""
    rows, exact, grown = [], most_places_left(), growing()
    for i, paper in enumerate(TABLE_2):
        shown = "0 (no walls left)" if i == WALLS else None
        for quantity, found in (("places left, at most", exact), ("places left, growing", grown)):
            rows.append(Row(f"i = {i}", quantity, paper, found[i], None, None, "{:,.0f}", shown, WALL_TABLE))
    return rows


# --- section 3.4 -----------------------------------------------------------------------------------------------------


def branching(positions: int, decisions: int, places: Sequence[int]) -> tuple[int, int]:
    """S_d and D of equation 3.5.

    >>> made, decided = branching(3168, 11_309, TABLE_2)
    >>> round(decided / made, 4)
    19.0975
    """
    sets = [math.comb(PLACES, i) for i in range(WALLS + 1)]
    states = positions * sum(stocks(i) * n for i, n in enumerate(sets))
    walls = sum(stocks_of_builder(i) * places[i] * n for i, n in enumerate(sets))
    return states, decisions * states // positions + positions * walls


def game_tree() -> list[Row]:
    """Equations 3.3 to 3.7, from the thesis's tables and from ours."""
    s, length = GAME_TREE, GLENDENNING_LENGTH
    rows = [_figure(s, "Mertens (3.3)", "games, G", MERTENS_TREE, GLENDENNING_BRANCHING**length)]
    apart = totals(enumerate_pawns())[1]
    for experiment, table, papers in (
        (
            "thesis (3.5–3.7), its tables",
            (POSITIONS_1, DECISIONS_1, TABLE_2),
            (DECISION_STATES, DECISIONS, BRANCHING, TREE),
        ),
        ("our tables, jumps by the rules", (apart[0], apart[2], most_places_left()), (None, None, None, None)),
    ):
        states, decisions = branching(*table)
        b = decisions / states
        rows += [
            _figure(s, experiment, "positions with a decision, S_d", papers[0], states),
            _figure(s, experiment, "decisions, D", papers[1], decisions),
            _figure(s, experiment, "branching factor, b", papers[2], b, "{:.4f}"),
            _figure(s, experiment, "games, C", papers[3], b**length),
        ]
    return rows


def findings() -> tuple[str, ...]:
    """Where the thesis's tables and ours differ, and what the difference does."""
    found, exact = enumerate_pawns(), most_places_left()
    differ = [name for name, row in TABLE_1.items() if found[name][:2] != row]
    theirs, (positions, decisions, _) = TABLE_1["BC_4"], found["BC_4"]
    _, apart = totals(found)
    more = [f"i = {i} ({exact[i]} instead of {TABLE_2[i]})" for i in range(WALLS) if exact[i] > TABLE_2[i]]
    b, ours = (decided / made for made, decided in (branching(POSITIONS_1, DECISIONS_1, n) for n in (TABLE_2, exact)))
    return (
        f"Of table 3.1, {' and '.join(differ)} differ from what we count.",
        f"BC_4: {decisions // positions} decisions a position by either rule, not {theirs[1] // theirs[0]}: from a8 with the other "
        "pawn on a9 there are a7, b8 and the jump to b9.",
        f"BB_6 is what is left of the {math.comb(63, 2):,} pairs of squares in B when BB_1 to BB_5 are taken off; but those are counted for either pawn as the "
        f"first. With both pawns told apart throughout, as in all other rows, there are {found['BB_6'][0]:,} such positions, and {apart[0]:,} in all.",
        f"Table 3.2 is said to hold the most places that can be left. More can be for {' and '.join(more)}; for i = {WALLS} they would be {exact[WALLS]}. "
        f"A pattern that grows so that just the thesis's numbers are left exists up to {len(growing(TABLE_2)) - 1} walls. In its branching factor all this makes a "
        f"difference of {abs(ours - b):.0e}.",
    )


# --- games -----------------------------------------------------------------------------------------------------------


def play_game(game: Any, player: Any, seed: int, number: int) -> list[int]:
    """How many legal moves there were at each decision of a game of a player against itself."""
    state, rng, found = Position.start(game).state.copy(), stream(seed, number, 1), []
    pick = player.choose_state if hasattr(player, "choose_state") else lambda *rest: choose(player, *rest)
    while (seat := turn(game, state)) != OVER:
        found.append(int(count_moves(game, state, seat)))
        play(game, state, int(pick(game, state, seat, rng)))
    return found


def real_games(bench: Bench) -> list[Row]:
    """Branching and length, measured."""
    game, rows = game_of_name("quoridor"), []
    for name, number in REAL_GAMES.items():
        games = bench.games(number)
        bench.say(f"{games:,} games of {name} against itself")
        played = [play_game(game, player_of(name, game), bench.seed, n) for n in range(games)]
        ends = Counter(len(numbers) == game.limit for numbers in played)
        for quantity, paper, values in (
            ("branching factor", GLENDENNING_BRANCHING, [float(np.mean(numbers)) for numbers in played]),
            ("plies", GLENDENNING_LENGTH, [float(len(numbers)) for numbers in played]),
            ("moves multiplied, 10^", math.log10(TREE), [sum(map(math.log10, numbers)) for numbers in played]),
        ):
            mean, error = mean_and_error(values)
            interval = (mean - Z95 * error, mean + Z95 * error) if len(values) > 1 else None
            experiment = f"{name}, {ends[True]} stopped at {game.limit} plies" if ends[True] else name
            rows.append(Row(experiment, quantity, paper, mean, interval, games, "{:.1f}", None, REAL))
    return rows
