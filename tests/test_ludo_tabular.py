"""The tabular schemes of Rossen and Peters: positions set up by hand, what the papers' definitions say of them, and laws.

The squares of the next colour's pieces, as the mover counts them, are 13 more than its own count, or 39 less.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.rules import moves, play, start
from ludus.contract.views import account, options, prospects, reward, tidy
from ludus.games.ludo.rules import DIE, MOVABLE, ROUND, TURN, colour
from ludus.kernel import stream
from ludus.papers.ludo import tabular
from ludus.papers.ludo.peters import PETERS, PETERS_ACTIONS, PETERS_STATES, peters_state, semi_smart
from ludus.papers.ludo.tabular import (
    MAX_OPTIONS,
    ROSSEN,
    ROSSEN_ACTIONS,
    ROSSEN_AS_RUN,
    ROSSEN_STATES,
    rossen_kinds,
    rossen_row,
    rossen_state,
)

Four = tuple[int, int, int, int]

YARD = (0, 0, 0, 0)
GAME = ludus.game("ludo(rules=ludopy-1.3.1)")
NEWER = ludus.game("ludo(rules=ludopy)")
PAIR = ludus.game("ludo(rules=ludopy-1.3.1, seats=2)")


def board(own: Four, enemy: Four = YARD, die: int = 0, seat: int = 0, game: Any = GAME) -> np.ndarray:
    """A state with these pieces of the seat to move and of the next one, each as its own colour counts."""
    state = np.zeros(game.facts.state_size, np.int64)
    start(game, state)
    for n, four in enumerate((own, enemy)):
        first = 4 * colour(game, (seat + n) % game.seats)
        state[first : first + 4] = four
    state[TURN], state[ROUND] = seat, 2
    if die:
        play(game, state, die)
        assert state[DIE] == die, "nothing to decide"
    return state


def sorted_by(scheme: Any, state: np.ndarray, game: Any = GAME) -> list[str]:
    """The states of the mover's pieces."""
    see, names = (peters_state, PETERS_STATES) if scheme is PETERS else (rossen_state, ROSSEN_STATES)
    return [names[see(game, state, colour(game, state[TURN]), piece)] for piece in range(4)]


def listed(scheme: Any, state: np.ndarray, game: Any = GAME) -> tuple[list[int], list[int], list[int]]:
    rows, actions, pieces = (np.full(MAX_OPTIONS, -1, np.int64) for _ in range(3))
    count = options(scheme, game, state, int(state[TURN]), stream(1, 1, 1), rows, actions, pieces)
    return rows[:count].tolist(), actions[:count].tolist(), pieces[:count].tolist()


def open_to(scheme: Any, state: np.ndarray, game: Any = GAME) -> list[tuple[str, int]]:
    """The options as (action, piece)."""
    names = PETERS_ACTIONS if scheme is PETERS else ROSSEN_ACTIONS
    _, actions, pieces = listed(scheme, state, game)
    return [(names[action], piece) for action, piece in zip(actions, pieces, strict=True)]


def foreseen(scheme: Any, state: np.ndarray, move: int, game: Any = GAME) -> tuple[set[int], list[int]]:
    rows, actions = np.full(MAX_OPTIONS, -1, np.int64), np.full(MAX_OPTIONS, -1, np.int64)
    count = prospects(scheme, game, state, int(state[TURN]), move, rows, actions)
    return set(rows[:count].tolist()), actions[:count].tolist()


# --- Rossen ----------------------------------------------------------------------------------------------------------


def test_rossen_has_126_rows_of_8_actions() -> None:
    assert ROSSEN.shape == ROSSEN_AS_RUN.shape == (126, 8)
    assert sorted(set(tabular._ROW.tolist())) == list(range(126))
    assert rossen_row(GAME, board(YARD), 0) == 0
    assert rossen_row(GAME, board((59, 59, 59, 59)), 0) == 56
    # The paper's example: two at home, one in danger (an enemy three squares behind), one safe on a globe.
    for own in ((0, 0, 30, 9), (30, 0, 9, 0)):
        assert rossen_row(GAME, board(own, (14, 0, 0, 0)), 0) == 16


def test_rossen_has_762_cells_that_can_occur() -> None:
    cells = 0
    for row, kinds in enumerate(tabular.MULTISETS):
        # An enemy on square 20 threatens the next six. No two may stand together, or they were safe.
        danger, normal = iter((21, 23, 24, 26)), iter((2, 3, 4, 6))
        squares = {"home": 0, "goal": 59, "approach goal": 55, "safe": 9}
        names = [ROSSEN_STATES[kind] for kind in kinds]
        own = [
            next(danger) if name == "danger" else next(normal) if name == "normal" else squares[name] for name in names
        ]
        state = board(tuple(own), (7, 0, 0, 0))  # type: ignore[arg-type]
        assert sorted_by(ROSSEN, state) == names
        assert rossen_row(GAME, state, 0) == row
        rows, actions = foreseen(ROSSEN, state, 0)
        assert rows <= {row}
        cells += len(actions)
    assert cells == 762


@pytest.mark.parametrize(
    ("own", "enemy", "expected"),
    [
        ((0, 59, 53, 58), YARD, ["home", "goal", "approach goal", "approach goal"]),
        ((1, 9, 20, 20), YARD, ["safe", "safe", "safe", "safe"]),
        # Another colour's starting square is safe once its owner's yard is empty.
        ((14, 27, 0, 0), YARD, ["danger", "danger", "home", "home"]),
        ((14, 27, 0, 0), (30, 59, 54, 30), ["safe", "danger", "home", "home"]),
        # An enemy on square 14: six squares on are within its reach, seven are not.
        ((20, 21, 0, 0), (1, 0, 0, 0), ["danger", "normal", "home", "home"]),
        # On square 11, its 50: it goes to its 52, and then turns off.
        ((13, 15, 0, 0), (50, 0, 0, 0), ["danger", "normal", "home", "home"]),
        # On its 53, in its home column: the package finds it on square 14, but it threatens nobody.
        ((16, 0, 0, 0), (53, 0, 0, 0), ["normal", "home", "home", "home"]),
        # On square 52, behind the start.
        ((3, 7, 0, 0), (39, 0, 0, 0), ["danger", "normal", "home", "home"]),
        # On square 4: by a one it jumps from the star 5 to the star 12.
        ((12, 11, 0, 0), (43, 0, 0, 0), ["danger", "normal", "home", "home"]),
        # On square 11: its own last star, 12, would lead it to the goal, but he takes it for any other star.
        ((18, 0, 0, 0), (50, 0, 0, 0), ["danger", "home", "home", "home"]),
    ],
)
def test_rossen_sorts_pieces(own: Four, enemy: Four, expected: list[str]) -> None:
    for seat in range(4):
        assert sorted_by(ROSSEN, board(own, enemy, seat=seat)) == expected


@pytest.mark.parametrize(
    ("own", "enemy", "die", "expected"),
    [
        # Three could move safe: the one in danger does, else the one at home.
        ((0, 3, 59, 59), YARD, 6, [("move out", 0), ("move safe", 0)]),
        ((0, 3, 59, 59), (41, 0, 0, 0), 6, [("move out", 0), ("move safe", 1)]),
        ((0, 0, 59, 59), (40, 0, 0, 0), 6, [("move out", 0), ("move safe", 0), ("move attack", 0)]),
        # Normal comes before safe, the first piece before its equals.
        ((9, 15, 32, 59), YARD, 1, [("move", 1)]),
        # Stars.
        ((2, 0, 0, 0), YARD, 3, [("move star", 0)]),
        ((2, 12, 0, 0), YARD, 3, [("move safe", 0), ("move star", 0), ("move", 1)]),
        ((2, 0, 0, 0), (44, 0, 0, 0), 3, [("move star", 0), ("move attack", 0)]),
        ((2, 0, 0, 0), (51, 0, 0, 0), 3, [("move star", 0), ("move attack", 0)]),
        ((46, 0, 0, 0), (38, 0, 0, 0), 5, [("move star", 0), ("move home", 0), ("move attack", 0)]),
        ((46, 0, 0, 0), YARD, 5, [("move star", 0), ("move home", 0)]),
        # Globes.
        ((4, 0, 0, 0), (48, 0, 0, 0), 5, [("move suicide", 0)]),
        ((12, 0, 0, 0), YARD, 2, [("move", 0)]),
        ((12, 0, 0, 0), (30, 30, 54, 59), 2, [("move safe", 0)]),
        ((12, 0, 0, 0), (1, 30, 54, 59), 2, [("move safe", 0), ("move suicide", 0)]),
        # Other squares.
        ((17, 0, 0, 0), (7, 0, 0, 0), 3, [("move attack", 0)]),
        ((17, 0, 0, 0), (7, 7, 0, 0), 3, [("move suicide", 0)]),
        ((17, 20, 0, 0), YARD, 3, [("move safe", 0), ("move", 1)]),
        # The goal zone.
        ((50, 0, 0, 0), YARD, 4, [("move safe", 0)]),
        ((55, 54, 0, 0), YARD, 4, [("move home", 0), ("move", 1)]),
        ((55, 54, 0, 0), YARD, 1, [("move safe", 1), ("move", 0)]),
        ((55, 59, 0, 0), YARD, 4, [("move safe", 0), ("move home", 0)]),
    ],
)
def test_rossen_lists_actions(own: Four, enemy: Four, die: int, expected: list[tuple[str, int]]) -> None:
    for seat in range(4):
        state = board(own, enemy, die, seat)
        assert open_to(ROSSEN, state) == expected
        assert open_to(ROSSEN_AS_RUN, state) == expected


@pytest.mark.parametrize(
    ("own", "enemy", "die", "text", "run"),
    [
        # Two enemies on the second star, then on the last.
        ((2, 0, 0, 0), (51, 51, 0, 0), 3, ["move star", "move suicide"], ["move suicide"]),
        ((46, 0, 0, 0), (38, 38, 0, 0), 5, ["move star", "move suicide"], ["move suicide"]),
        # Enemies on the square behind the start, which the program takes for the star after the last.
        ((46, 0, 0, 0), (39, 0, 0, 0), 5, ["move star", "move home"], ["move star", "move home", "move attack"]),
        ((46, 0, 0, 0), (39, 39, 0, 0), 5, ["move star", "move home"], ["move home", "move suicide"]),
    ],
)
def test_rossens_text_and_program_differ_at_stars(
    own: Four, enemy: Four, die: int, text: list[str], run: list[str]
) -> None:
    state = board(own, enemy, die)
    assert [action for action, _ in open_to(ROSSEN, state)] == text
    assert [action for action, _ in open_to(ROSSEN_AS_RUN, state)] == run


def test_rossens_rewards() -> None:
    before = board((0, 59, 59, 59), die=6)
    after = before.copy()
    play(GAME, after, 0)
    out = ROSSEN_ACTIONS.index("move out")
    assert reward(ROSSEN, GAME, before, 0, out, 0, after, after) == 2  # 1 for the action, 1 as it is safe now
    before = board((17, 59, 59, 59), (7, 7, 0, 0), die=3)
    after = before.copy()
    play(GAME, after, 0)
    suicide = ROSSEN_ACTIONS.index("move suicide")
    assert reward(ROSSEN, GAME, before, 0, suicide, 0, after, after) == -1.5
    now = board((30, 59, 59, 59))  # the account is made later
    assert reward(ROSSEN, GAME, before, 0, suicide, 0, after, now) == -0.25


def test_rossens_program_accounts_at_the_next_roll() -> None:
    waiting, deciding = board(YARD, seat=2), board(YARD, die=6, seat=2)
    assert account(ROSSEN_AS_RUN, GAME, waiting) == 2
    assert account(ROSSEN_AS_RUN, GAME, deciding) == -1
    assert account(ROSSEN, GAME, waiting) == account(PETERS, GAME, waiting) == -1
    over = board((59, 59, 59, 58), die=1, seat=2)
    play(GAME, over, 3)
    assert account(ROSSEN_AS_RUN, GAME, over) == -1
    assert foreseen(ROSSEN, over, 3) == (set(), [])


# --- Peters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "enemy", "expected"),
    [
        ((0, 59, 53, 45), YARD, ["home", "goal", "goal zone", "close to goal"]),
        ((1, 9, 20, 20), YARD, ["safe", "safe", "safe", "safe"]),
        ((14, 14, 52, 30), YARD, ["danger", "danger", "close to goal", "unsafe"]),
        # An enemy on square 14, on 52, and on 4 behind a star that leads on.
        ((20, 21, 0, 0), (1, 0, 0, 0), ["danger", "unsafe", "home", "home"]),
        ((2, 6, 7, 0), (39, 0, 0, 0), ["danger", "danger", "unsafe", "home"]),
        ((12, 11, 0, 0), (43, 0, 0, 0), ["danger", "unsafe", "home", "home"]),
        # Behind the first star he sees square 52, as -1, but not 51, as 0 is the yard; elsewhere he does.
        ((5, 4, 0, 0), (39, 0, 0, 0), ["danger", "danger", "home", "home"]),
        ((5, 4, 0, 0), (38, 0, 0, 0), ["unsafe", "danger", "home", "home"]),
    ],
)
def test_peters_sorts_pieces(own: Four, enemy: Four, expected: list[str]) -> None:
    for seat in range(4):
        assert sorted_by(PETERS, board(own, enemy, seat=seat)) == expected


@pytest.mark.parametrize(
    ("own", "enemy", "die", "expected"),
    [
        ((0, 59, 0, 53), YARD, 6, [("move out", 0), ("move out", 2), ("goal", 3)]),
        ((0, 59, 0, 53), YARD, 5, [("miss goal", 3)]),
        ((50, 0, 0, 0), YARD, 4, [("goal zone", 0)]),
        ((46, 0, 0, 0), YARD, 5, [("goal", 0), ("star", 0)]),
        ((46, 0, 0, 0), (38, 0, 0, 0), 5, [("goal", 0), ("star", 0), ("kill", 0)]),
        ((46, 0, 0, 0), (38, 38, 0, 0), 5, [("die", 0)]),
        ((2, 12, 0, 0), YARD, 3, [("star", 0), ("protect", 0), ("normal move", 1)]),
        ((4, 0, 0, 0), YARD, 5, [("protect", 0)]),
        ((4, 0, 0, 0), (48, 0, 0, 0), 5, [("die", 0)]),
        # Another colour's start: its owner sends one home, and it is dangerous anyhow.
        ((12, 0, 0, 0), (1, 0, 0, 0), 2, [("die", 0)]),
        ((12, 0, 0, 0), YARD, 2, [("move into danger", 0)]),
        ((17, 0, 0, 0), (7, 0, 0, 0), 3, [("kill", 0)]),
        ((17, 0, 0, 0), (7, 0, 0, 0), 4, [("move into danger", 0)]),
        # An enemy is behind the piece.
        ((20, 0, 0, 0), (6, 0, 0, 0), 1, [("move into danger", 0)]),
        ((20, 0, 0, 0), (6, 0, 0, 0), 3, [("move into danger", 0)]),
        ((28, 0, 0, 0), (10, 0, 0, 0), 5, [("move out of danger", 0)]),
    ],
)
def test_peters_lists_actions(own: Four, enemy: Four, die: int, expected: list[tuple[str, int]]) -> None:
    for seat in range(4):
        assert open_to(PETERS, board(own, enemy, die, seat)) == expected


def test_peters_rows_are_pieces_and_states() -> None:
    assert PETERS.shape == (28, 12) == (4 * len(PETERS_STATES), len(PETERS_ACTIONS))
    state = board((2, 12, 0, 9), die=3)
    assert listed(PETERS, state)[0] == [5, 5, 5 + 7, 3 + 21]
    after = state.copy()
    play(GAME, after, 0)
    after[TURN] = 0  # `foreseen` asks for the seat to move
    assert foreseen(PETERS, after, 0) == ({3}, list(range(12)))  # it has joined the other on the star: safe


def test_peters_rewards() -> None:
    names = PETERS_ACTIONS.index
    before = board((28, 0, 0, 59), (14, 0, 0, 0), die=6)
    assert reward(PETERS, GAME, before, 0, names("move out of danger"), 0, before, before) == 0.15 + 0.1
    assert reward(PETERS, GAME, before, 0, names("move out"), 1, before, before) == 0.5
    assert reward(PETERS, GAME, board((30, 0, 0, 0), die=1), 0, names("normal move"), 0, before, before) == 1e-7 + 0.01


def test_peters_pieces_share_what_they_learned() -> None:
    table = np.arange(28 * 12, dtype=float).reshape(28, 12)
    last = table[:, 11].copy()
    tidy(PETERS, table)
    assert np.array_equal(table[:, 11], last)
    pieces = table[:, :11].reshape(4, 7, 11)
    assert np.array_equal(pieces, np.broadcast_to(np.arange(84).reshape(7, 12)[:, :11] + 126.0, (4, 7, 11)))
    tidy(ROSSEN, table)  # Rossen leaves his as it is
    assert np.array_equal(table[:, 11], last)


@pytest.mark.parametrize(
    ("own", "enemy", "die", "piece"),
    [
        ((58, 46, 0, 0), YARD, 5, 1),  # by the last star
        ((58, 46, 0, 0), (38, 38, 0, 0), 5, 0),  # which is held: the one ahead, though it misses the goal
        ((53, 0, 0, 58), YARD, 6, 0),
        ((30, 0, 0, 58), YARD, 6, 1),
        ((30, 31, 31, 59), YARD, 2, 1),
        ((0, 7, 59, 59), YARD, 2, 1),
    ],
)
def test_semi_smart_hurries(own: Four, enemy: Four, die: int, piece: int) -> None:
    for seat in range(4):
        state = board(own, enemy, die, seat)
        out = np.zeros(4, np.int64)
        assert semi_smart(GAME, state, seat, out, moves(GAME, state, seat, out)) == piece


# --- laws ------------------------------------------------------------------------------------------------------------


def test_the_newer_board_is_shorter() -> None:
    state = board((52, 57, 56, 51), die=1, game=NEWER)
    assert sorted_by(ROSSEN, state, NEWER) == ["approach goal", "goal", "approach goal", "normal"]
    assert sorted_by(PETERS, state, NEWER) == ["goal zone", "goal", "goal zone", "close to goal"]
    assert ("move home", 2) in open_to(ROSSEN, state, NEWER)
    assert open_to(PETERS, state, NEWER) == [("miss goal", 0), ("goal", 2), ("goal zone", 3)]
    assert ("goal", 3) in open_to(PETERS, board((52, 57, 56, 51), die=6, game=NEWER), NEWER)


def test_a_colour_that_nobody_plays_has_its_yard_full() -> None:
    # With two at the board the enemy is opposite: its start is 27 here. Those of the absent, 14 and 40, are never safe.
    state = board((14, 27, 40, 0), (5, 5, 6, 57), game=PAIR)
    assert sorted_by(ROSSEN, state, PAIR) == ["danger", "safe", "danger", "home"]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from((GAME, NEWER, PAIR)),
    st.lists(st.integers(0, 59), min_size=16, max_size=16),
    st.integers(0, 3),
    st.integers(1, 6),
)
def test_options_are_legal_and_leave_nothing_out(game: Any, pieces: list[int], seat: int, die: int) -> None:
    state = board(YARD, seat=seat % game.seats, game=game)
    for player in range(game.seats):
        first = 4 * colour(game, player)
        state[first : first + 4] = np.minimum(pieces[first : first + 4], game.goal)
    play(game, state, die)
    assume(state[MOVABLE] > 0)
    mover = int(state[TURN])
    out = np.zeros(4, np.int64)
    legal = set(out[: moves(game, state, mover, out)].tolist())
    kept = state.copy()

    rows, actions, chosen = listed(PETERS, state, game)
    assert set(chosen) == legal
    assert len(set(zip(actions, chosen, strict=True))) == len(rows) <= MAX_OPTIONS
    assert all(row // 7 == piece and 0 <= action < 11 for row, action, piece in zip(rows, actions, chosen, strict=True))

    for scheme in (ROSSEN, ROSSEN_AS_RUN):
        rows, actions, chosen = listed(scheme, state, game)
        assert set(chosen) <= legal
        assert actions
        assert actions == sorted(set(actions))
        assert len(set(rows)) == 1
        assert 0 <= rows[0] < 126
        mine = colour(game, mover)
        kinds = [rossen_kinds(scheme, game, state, mine, piece) for piece in range(4)]
        assert [kind > 0 for kind in kinds] == [piece in legal for piece in range(4)]
        assert set(actions) == {action for action in range(8) for kind in kinds if kind >> action & 1}
        for action, piece in zip(actions, chosen, strict=True):
            assert kinds[piece] >> action & 1
            after = state.copy()
            play(game, after, piece)
            ahead, _ = foreseen(scheme, after, piece, game)
            assert ahead <= set(range(126))
            assert -1.5 <= reward(scheme, game, state, mover, action, piece, after, after) <= 2
    assert np.array_equal(state, kept)
