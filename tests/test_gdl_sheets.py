"""The rulesheets that ship with ludus, played by the naive interpreter: do they say what the games are?"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

import ludus
from naive_gdl import Naive, show

SHEETS = Path(ludus.__file__).parent / "games" / "gdl" / "sheets"
NAMES = sorted(path.stem for path in SHEETS.glob("*.kif"))
BARE = {"nim", "maze", "trio", "knightstour"}  # without base and input

State = frozenset[str]


@cache
def sheet(name: str) -> Naive:
    return Naive((SHEETS / f"{name}.kif").read_text())


def move(game: Naive, state: State, *texts: str) -> State:
    """The state after a move of each role that has a choice, in the order of the roles; the others do what they must."""
    todo = list(texts)
    joint = []
    for legal in game.legal(state):
        text = legal[0] if len(legal) == 1 else todo.pop(0)
        assert text in legal, f"{text} is not among {legal}"
        joint.append(text)
    assert not todo
    return game.next(state, joint)


def follow(name: str, *texts: str) -> tuple[Naive, State]:
    """A game in which one role at a time has a choice, after these choices."""
    game = sheet(name)
    state = game.initial()
    for text in texts:
        assert not game.terminal(state)
        state = move(game, state, text)
    return game, state


def places(word: str, *cells: str) -> list[str]:
    """`places("mark", "11", "23")`: the moves `( mark 1 1 )` and `( mark 2 3 )`."""
    return [f"( {word} {' '.join(cell)} )" for cell in cells]


def choices(game: Naive, state: State) -> list[int]:
    return [len(legal) for legal in game.legal(state)]


def test_there_are_sheets_of_every_kind() -> None:
    assert len(NAMES) >= 28
    assert {f"hex{n}" for n in range(3, 12)} < set(NAMES)
    roles = {name: sheet(name).roles for name in NAMES}
    assert {len(names) for names in roles.values()} == {1, 2, 3}
    assert [name for name in NAMES if "random" in roles[name]] == ["kuhnpoker", "montyhall", "pig"]


@pytest.mark.parametrize("name", NAMES)
def test_sheets_begin_with_a_comment_that_says_what_is_played(name: str) -> None:
    head = (SHEETS / f"{name}.kif").read_text().split("\n\n")[0].splitlines()
    assert len(head) >= 3
    assert all(line.startswith(";") and len(line) <= 130 for line in head)


@pytest.mark.parametrize("name", NAMES)
def test_random_games_end_with_moves_for_all_and_one_goal_each(name: str) -> None:
    game = sheet(name)
    games = 1 if name in ("reversi", "hex10", "hex11", "gomoku15") else 4
    for seed in range(games):
        rng = random.Random(seed)
        state, steps = game.initial(), 0
        while not game.terminal(state):
            legal = game.legal(state)
            assert all(legal), f"a role without a move in {sorted(state)}"
            state = game.next(state, [rng.choice(moves) for moves in legal])
            steps += 1
            assert steps <= 250
        values = game.goal_values(state)
        assert all(len(one) == 1 and 0 <= one[0] <= 100 for one in values), f"goals {values} in {sorted(state)}"


@pytest.mark.parametrize("name", NAMES)
def test_base_and_input_list_whatever_comes_up(name: str) -> None:
    game = sheet(name)
    base = {show(row[1]) for row in game._rows(game.static, "base", 1)}
    inputs = {(row[1], show(row[2])) for row in game._rows(game.static, "input", 2)}
    if name in BARE:
        assert not base
        assert not inputs
        return
    rng = random.Random(7)
    state = game.initial()
    for _ in range(12):
        assert state <= base
        if game.terminal(state):
            break
        legal = game.legal(state)
        assert {(role, text) for role, moves in zip(game.roles, legal, strict=True) for text in moves} <= inputs
        state = game.next(state, [rng.choice(moves) for moves in legal])


FIRST_MOVES = {
    "tictactoe": [9, 1],
    "tictactoe4": [16, 1],
    "tictactoe5": [25, 1],
    "connectfour4x4": [4, 1],
    "connectfour": [7, 1],
    **{f"hex{n}": [n * n, 1] for n in range(3, 12)},
    "breakthrough6": [16, 1],
    "breakthrough": [22, 1],
    "nim": [16, 1],
    "eightpuzzle": [2],
    "rockpaperscissors": [3, 3],
    "tron": [4, 4],
    "trio": [5, 1, 1],
    "reversi": [4, 1],
    "checkers": [7, 1],
    "pig": [2, 1, 1],
    "kuhnpoker": [1, 1, 6],
    "montyhall": [1, 3],
    "kriegtictactoe": [9, 1],
    "lightsout": [25],
    "shannon": [25, 1],
    "gomoku": [64, 1],
    "gomoku15": [225, 1],
    "knightstour": [2],
    "domineering": [30, 1],
    "kingrook": [19, 1],
    "maze": [1],
    "fifteenpuzzle": [4],
    "pegs": [4],
    "blocks": [9],
}


def test_number_of_first_moves() -> None:
    assert {name: choices(sheet(name), sheet(name).initial()) for name in NAMES} == FIRST_MOVES


def count_positions(name: str, depth: int) -> int:
    """How many different sequences of moves there are, those that end early included (perft)."""
    game = sheet(name)

    def count(state: State, depth: int) -> int:
        if depth == 0 or game.terminal(state):
            return 1
        (mover,) = [i for i, legal in enumerate(game.legal(state)) if legal != ["noop"]]
        return sum(
            count(game.next(state, [text if i == mover else "noop" for i in range(2)]), depth - 1)
            for text in game.legal(state)[mover]
        )

    return count(game.initial(), depth)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("reversi", [4, 12, 56]),
        ("checkers", [7, 49, 302]),
        ("breakthrough6", [16, 256]),
        ("connectfour", [7, 49, 343]),
        ("tictactoe", [9, 72, 504]),
    ],
)
def test_known_numbers_of_openings(name: str, counts: list[int]) -> None:
    assert [count_positions(name, depth + 1) for depth in range(len(counts))] == counts


def test_tictactoe_row_diagonal_and_draw() -> None:
    game, state = follow("tictactoe", *places("mark", "11", "12", "21", "22", "31"))
    assert game.terminal(state)
    assert game.goals(state) == [100, 0]
    game, state = follow("tictactoe", *places("mark", "11", "13", "12", "22", "33", "31"))
    assert game.goals(state) == [0, 100]
    game, state = follow("tictactoe", *places("mark", "22", "11", "13", "31", "21", "23", "12", "32"))
    assert not game.terminal(state)
    state = move(game, state)  # one cell is left, so there is no choice
    assert game.terminal(state)
    assert game.goals(state) == [50, 50]


def test_larger_tictactoe_takes_longer_lines() -> None:
    game, state = follow("tictactoe4", *places("mark", "14", "11", "23", "12", "32", "13"))
    assert not game.terminal(state)
    assert game.goals(move(game, state, "( mark 4 1 )")) == [100, 0]
    game, state = follow("tictactoe5", *places("mark", "11", "12", "21", "22", "31", "32", "41", "42"))
    assert not game.terminal(state)
    assert game.goals(move(game, state, "( mark 5 1 )")) == [100, 0]


@pytest.mark.parametrize(
    ("columns", "goals"),
    [
        ("1212121", [100, 0]),  # upright
        ("7172735", [0, 0]),  # not yet
        ("1122334", [100, 0]),  # along the bottom
        ("71122334", [0, 100]),  # the second player's
        ("12233434474", [100, 0]),  # rising
        ("76655454414", [100, 0]),  # falling
    ],
)
def test_connect_four_lines(columns: str, goals: list[int]) -> None:
    game, state = follow("connectfour", *places("drop", *columns))
    assert game.terminal(state) == (goals != [0, 0])
    if game.terminal(state):
        assert game.goals(state) == goals


def test_connect_four_columns_fill_up() -> None:
    game, state = follow("connectfour", *places("drop", *"111111"))
    assert game.legal(state)[0] == places("drop", *"234567")
    game, state = follow("connectfour4x4", *places("drop", *"1121"))
    assert "( cell 1 3 yellow )" in state


def test_hex_needs_a_chain_from_edge_to_edge() -> None:
    game, state = follow("hex3", *places("place", "12", "13", "31", "32"))
    assert not game.terminal(state)
    assert "( linked 1 2 red )" in state
    assert "( linked 3 1 red )" not in state
    # The stone in the middle joins left to right at once: (2, 1) is a neighbour of (1, 2) by the short diagonal.
    state = move(game, state, "( place 2 1 )")
    assert {"( linked 2 1 red )", "( linked 3 1 red )"} <= state
    assert game.terminal(state)
    assert game.goals(state) == [100, 0]


def test_hex_corners_on_the_long_diagonal_do_not_touch() -> None:
    game, state = follow("hex3", *places("place", "11", "13", "22", "12", "33"))
    assert not game.terminal(state)
    # Blue goes from bottom to top along the left side of what is free.
    game, state = follow("hex3", *places("place", "11", "21", "33", "22", "31", "23"))
    assert game.terminal(state)
    assert game.goals(state) == [0, 100]


@pytest.mark.parametrize("name", ["hex5", "hex7"])
def test_hex_ends_exactly_when_a_search_finds_a_chain(name: str) -> None:
    size = int(name[3:])
    game = sheet(name)
    ends = 0
    for seed in range(4):
        rng = random.Random(seed)
        state = game.initial()
        while not game.terminal(state):
            state = game.next(state, [rng.choice(moves) for moves in game.legal(state)])
            cells = {tuple(text.split()[2:5]) for text in state if text.startswith("( cell")}
            red = {(int(x), int(y)) for x, y, owner in cells if owner == "red"}
            blue = {(int(y), int(x)) for x, y, owner in cells if owner == "blue"}  # mirrored, so that it too goes right
            winners = [crosses(stones, size) for stones in (red, blue)]
            assert game.terminal(state) == any(winners)
        assert game.goals(state) == [100 * won for won in winners]
        ends += 1
    assert ends == 4


def crosses(stones: set[tuple[int, int]], size: int) -> bool:
    """Whether stones join column 1 to the last column."""
    reached = {cell for cell in stones if cell[0] == 1}
    todo = list(reached)
    while todo:
        x, y = todo.pop()
        near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1), (x + 1, y - 1), (x - 1, y + 1)}
        todo += near & stones - reached
        reached |= near & stones
    return any(x == size for x, _ in reached)


def test_breakthrough_captures_and_wins() -> None:
    # On 6 x 6 the pawns meet after one step each: white takes its way through, and black's answers are too slow.
    game, state = follow("breakthrough6", *places("move", "1213", "6564", "1314", "6463"))
    assert "( move 1 4 1 5 )" not in game.legal(state)[0]  # straight ahead is blocked
    assert "( move 1 4 2 5 )" in game.legal(state)[0]
    state = move(game, state, "( move 1 4 2 5 )")
    assert "( cell 2 5 black )" not in state
    assert "( cell 2 5 white )" in state
    assert "( cell 1 4 white )" not in state
    state = move(game, state, "( move 6 3 5 2 )")
    state = move(game, state, "( move 2 5 1 6 )")
    assert game.terminal(state)
    assert game.goals(state) == [100, 0]


def test_breakthrough_is_won_by_capturing_everything() -> None:
    game = sheet("breakthrough")
    state = frozenset({"( cell 3 4 white )", "( cell 4 5 black )", "( control white )"})
    assert not game.terminal(state)
    state = move(game, state, "( move 3 4 4 5 )")
    assert game.terminal(state)
    assert game.goals(state) == [100, 0]


def test_nim_is_won_by_who_answers_with_balance() -> None:
    sizes = {"a": 1, "b": 3, "c": 5, "d": 7}
    game = sheet("nim")
    state = game.initial()
    rng = random.Random(3)
    while not game.terminal(state):
        if "( control first )" in state:
            state = move(game, state, *([rng.choice(game.legal(state)[0])] if choices(game, state)[0] > 1 else []))
            continue
        heaps = {h: n for h in sizes for n in range(8) if f"( heap {h} {n} )" in state}
        balance = heaps["a"] ^ heaps["b"] ^ heaps["c"] ^ heaps["d"]
        heap = next(h for h in heaps if heaps[h] ^ balance < heaps[h])
        text = f"( take {heap} {heaps[heap] - (heaps[heap] ^ balance)} )"
        state = move(game, state, *([text] if choices(game, state)[1] > 1 else []))
    assert game.goals(state) == [0, 100]


def test_eight_puzzle_is_solved_in_twenty() -> None:
    way = "2322213132222333322212132322211112132333"
    assert len(way) == 2 * 20
    game, state = follow("eightpuzzle", *places("slide", *(way[i : i + 2] for i in range(0, 40, 2))))
    assert game.terminal(state)
    assert game.goals(state) == [100]


def test_maze_gold_is_brought_home() -> None:
    words = {"n": "north", "e": "east", "s": "south", "w": "west"}
    game = sheet("maze")
    state = game.initial()
    way = "nnennwneeeesen"
    back = "".join("snwe"["nsew".index(letter)] for letter in reversed(way))
    for letter in way + "!" + back:
        text = "grab" if letter == "!" else f"( go {words[letter]} )"
        assert not game.terminal(state)
        assert text in game.legal(state)[0]
        state = game.next(state, [text])
    assert game.terminal(state)
    assert game.goals(state) == [100]
    assert "( step 29 )" in state


def test_fifteen_puzzle_runs_out_of_moves() -> None:
    # Round and round: three tiles in a circle of four cells come back after twelve moves.
    circle = places("slide", "13", "12", "22", "23")
    game, state = follow("fifteenpuzzle", *circle * 3)
    assert "( step 12 )" in state
    assert {text for text in state if "cell" in text} == {text for text in game.initial() if "cell" in text}
    for text in circle * 22:
        assert not game.terminal(state)
        state = move(game, state, text)
    assert "( step 100 )" in state
    assert game.terminal(state)
    assert game.goals(state) == [0]


def test_pegs_jump_over_pegs_into_holes() -> None:
    game, state = follow("pegs", "( jump 4 2 4 4 )")
    assert "( peg 4 4 )" in state
    assert not {"( peg 4 2 )", "( peg 4 3 )"} & state
    assert game.legal(state)[0] == sorted(f"( jump {way} )" for way in ("2 3 4 3", "6 3 4 3", "4 5 4 3"))
    lone = frozenset({"( left 1 )", "( peg 4 4 )"})
    assert game.terminal(lone)
    assert game.goals(lone) == [100]
    assert game.goals(frozenset({"( left 1 )", "( peg 3 4 )"})) == [90]
    assert game.goals(frozenset({"( left 5 )", "( peg 3 4 )"})) == [0]


def test_blocks_are_stacked_in_nine_moves() -> None:
    way = "h table, a table, e table, f e, b a, c b, g f, d c, h g"
    game, state = follow("blocks", *(f"( put {move} )" for move in way.split(", ")))
    assert game.terminal(state)
    assert game.goals(state) == [95]


def test_rock_paper_scissors_counts_rounds() -> None:
    game = sheet("rockpaperscissors")
    state = game.initial()
    rounds = [("rock", "scissors"), ("rock", "rock"), ("paper", "rock"), ("scissors", "rock"), ("scissors", "paper")]
    for left, right in rounds:
        assert not game.terminal(state)
        state = move(game, state, f"( show {left} )", f"( show {right} )")
    assert game.terminal(state)
    assert game.goals(state) == [70, 30]


def test_tron_crashes() -> None:
    game = sheet("tron")
    state = game.initial()
    state = move(game, state, "( ride east )", "( ride west )")
    assert not game.terminal(state)
    both = move(game, state, "( ride east )", "( ride west )")  # into the same cell
    assert game.terminal(both)
    assert game.goals(both) == [50, 50]
    one = move(game, state, "( ride west )", "( ride north )")  # back into its own wall
    assert game.goals(one) == [0, 100]
    rim = sheet("tron").initial()
    for _ in range(3):
        rim = move(game, rim, "( ride north )", "( ride north )")
    assert not game.terminal(rim)
    assert game.goals(move(game, rim, "( ride east )", "( ride north )")) == [100, 0]


def test_trio_third_player_can_win() -> None:
    game, state = follow("trio", *places("drop", *"123124"))
    assert not game.terminal(state)
    assert [legal == ["noop"] for legal in game.legal(state)] == [False, True, True]
    game, state = follow("trio", *places("drop", *"123453123"))
    assert game.terminal(state)
    assert game.goals(state) == [0, 0, 100]


def test_reversi_turns_discs_over_and_forces_passes() -> None:
    game, state = follow("reversi", "( place 3 4 )")
    assert {"( cell 3 4 black )", "( cell 4 4 black )"} <= state
    assert "( cell 4 4 white )" not in state
    # A lone corner: white cannot move, black can; white's discs lie between black's and the free cell.
    state = frozenset({"( cell 1 1 black )", "( cell 2 1 white )", "( cell 3 1 white )", "( control white )"})
    assert game.legal(state) == [["noop"], ["pass"]]
    state = move(game, state)
    assert game.legal(state) == [["( place 4 1 )"], ["noop"]]
    state = move(game, state)
    assert game.terminal(state)
    assert game.goals(state) == [100, 0]


def test_reversi_counts_to_the_disc() -> None:
    game = sheet("reversi")
    cells = [f"( cell {x} {y} {{}} )" for x in range(1, 9) for y in range(1, 9)]
    for black, goals in ((32, [50, 50]), (33, [100, 0]), (31, [0, 100]), (0, [0, 100])):
        colours = ["black"] * black + ["white"] * (64 - black)
        random.Random(black).shuffle(colours)
        state = frozenset(cell.format(colour) for cell, colour in zip(cells, colours, strict=True)) | {
            "( control black )"
        }
        assert game.terminal(state)
        assert game.goals(state) == goals


def test_checkers_jumps_are_forced_and_go_on() -> None:
    game = sheet("checkers")
    men = {"( cell 3 3 white man )", "( cell 4 4 black man )", "( cell 4 6 black man )", "( cell 7 7 black man )"}
    state = frozenset({*men, "( cell 1 1 white man )", "( control white )", "( step 9 )"})
    assert game.legal(state) == [["( jump 3 3 5 5 )"], ["noop"]]
    state = move(game, state)
    assert {"( chain 5 5 )", "( control white )"} <= state
    assert "( cell 4 4 black man )" not in state
    assert game.legal(state) == [["( jump 5 5 3 7 )"], ["noop"]]
    state = move(game, state)
    assert "( control black )" in state
    assert not any("chain" in text for text in state)
    assert {text for text in state if "black man" in text} == {"( cell 7 7 black man )"}


def test_checkers_men_become_kings_and_the_stuck_lose() -> None:
    game = sheet("checkers")
    state = frozenset(
        {
            "( cell 1 7 black man )",
            "( cell 2 6 white man )",
            "( cell 3 5 white man )",
            "( control black )",
            "( step 50 )",
        }
    )
    assert game.terminal(state)  # black's only man is on the rim, with two white ones in his way
    assert game.goals(state) == [100, 0]
    state = frozenset({"( cell 3 7 white man )", "( cell 8 2 black man )", "( control white )", "( step 50 )"})
    state = move(game, state, "( move 3 7 4 8 )")
    assert "( cell 4 8 white king )" in state
    state = move(game, state)
    assert set(game.legal(state)[0]) == {"( move 4 8 3 7 )", "( move 4 8 5 7 )"}


def test_king_and_rook_know_check_mate_and_stalemate() -> None:
    game = sheet("kingrook")

    def board(king: str, rook: str, black: str, mover: str = "black") -> State:
        pieces = {"white king": king, "white rook": rook, "black king": black}
        texts = {f"( at {name} {' '.join(cell)} )" for name, cell in pieces.items() if cell}
        return frozenset({*texts, f"( control {mover} )", "( step 7 )"})

    mate = board("56", "18", "58")  # Ke6, Ra8, Ke8
    assert game.terminal(mate)
    assert game.goals(mate) == [100, 0]
    stalemate = board("33", "22", "11")  # Kc3 guards Rb2, Ka1 has no cell and is not in check
    assert game.terminal(stalemate)
    assert game.goals(stalemate) == [50, 50]
    # One move before mate, with the opposition: Ra7 to a8.
    state = move(game, board("56", "17", "58", "white"), "( move rook 1 8 )")
    assert game.goals(state) == [100, 0]
    # The rook alone next to the king is lost.
    state = move(game, board("88", "22", "11"))
    assert game.terminal(state)
    assert game.goals(state) == [50, 50]
    # A king cannot hide behind himself on the rook's line.
    assert "( move king 5 4 )" not in game.legal(board("11", "58", "55"))[1]


def test_pig_banks_and_busts() -> None:
    game, state = follow("pig", "roll", "( die 6 )", "roll", "( die 5 )")
    assert {"( pot 11 )", "( control ann )"} <= state
    assert {"( bank ann 11 )", "( control bob )", "( pot 0 )"} <= move(game, state, "hold")
    state = move(game, move(game, state, "roll"), "( die 1 )")
    assert {"( bank ann 0 )", "( control bob )", "( pot 0 )"} <= state
    game, state = follow(
        "pig", "roll", "( die 6 )", "roll", "( die 6 )", "roll", "( die 6 )", "roll", "( die 6 )", "hold"
    )
    assert game.terminal(state)
    assert game.goals(state) == [100, 0, 50]


def test_lights_out_in_seven_presses() -> None:
    game, state = follow("lightsout", *places("press", "11", "32", "24", "55", "43", "51", "22"))
    assert game.terminal(state)
    assert game.goals(state) == [100]
    assert not any("lit" in text for text in state)


def test_shannon_both_sides_can_win() -> None:
    def link(a: str, b: str) -> str:
        return f"( claim ( link {a} {b} ) )"

    def at(x: int, y: int) -> str:
        return f"( at {x} {y} )"

    straight = [link("source", at(1, 1)), link(at(1, 1), at(2, 1)), link(at(2, 1), at(3, 1)), link(at(3, 1), "sink")]
    sinks = [link(at(3, y), "sink") for y in (4, 3, 2, 1)]
    game, state = follow("shannon", straight[0], sinks[0], straight[1], sinks[1], straight[2], sinks[2])
    assert not game.terminal(state)
    assert game.goals(move(game, state, straight[3])) == [100, 0]
    lazy = [link(at(x, y), at(x, y + 1)) for x, y in ((1, 1), (1, 2), (1, 3), (2, 1))]
    game, state = follow("shannon", *(text for pair in zip(lazy, sinks, strict=True) for text in pair))
    assert game.terminal(state)
    assert game.goals(state) == [0, 100]


def test_five_in_a_row_rising_and_not_four() -> None:
    for name in ("gomoku", "gomoku15"):
        game, state = follow(name, *places("place", "11", "21", "22", "31", "33", "41", "44", "51"))
        assert not game.terminal(state)
        assert game.goals(move(game, state, "( place 5 5 )")) == [100, 0]


def test_knight_can_tour_the_board() -> None:
    game = sheet("knightstour")

    def tour(state: State) -> list[int]:
        """The goal of the first full tour found by going first where the fewest ways lead on."""
        if game.terminal(state):
            return game.goals(state)
        after = [game.next(state, [text]) for text in game.legal(state)[0]]
        for following in sorted(after, key=lambda s: (choices(game, s)[0], sorted(s))):
            if tour(following) == [100]:
                return [100]
        return [0]

    assert tour(game.initial()) == [100]


def test_domineering_counts_room() -> None:
    game = sheet("domineering")
    full = frozenset(f"( full {x} {y} )" for x in range(1, 7) for y in range(1, 7))
    room = full - {"( full 2 3 )", "( full 2 4 )"} | {"( control vertical )"}
    assert game.legal(room) == [["( lay 2 3 )"], ["noop"]]
    state = move(game, room)
    assert game.terminal(state)
    assert game.goals(state) == [100, 0]
    other = room - {"( control vertical )"} | {"( control horizontal )"}
    assert game.terminal(other)
    assert game.goals(other) == [100, 0]
