"""Exact endings: numbers of positions, moves as the rules have them, both tables against independent figures, and networks that use them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gnubg_bearoffs
import ludus
from ludus.contract.rules import moves, play
from ludus.contract.views import known
from ludus.games.backgammon import backgammon
from ludus.games.backgammon.endings import (
    ALONE,
    BOTH,
    CENTRED,
    CUBELESS,
    FIRST,
    HOME,
    OWNED,
    ROLLS,
    THEIRS,
    endings,
    rank,
    successors,
    unrank,
)
from ludus.games.backgammon.rules import CHECKERS, DIE1, DIE2, MAX_MOVES, OFF, SIDE, STATE_SIZE, TURN
from ludus.search.solve import solved

GAME = backgammon()


def side(*counts: int) -> np.ndarray:
    return np.array(counts, np.int64)


@st.composite
def homes(draw: st.DrawFn, most: int = CHECKERS) -> list[int]:
    """Checkers on the points 1 to 6, one at least."""
    points = draw(st.lists(st.integers(0, HOME - 1), min_size=1, max_size=most))
    return [points.count(p) for p in range(HOME)]


def state_of(own: list[int], their: list[int], turn: int = 0, dice: tuple[int, int] = (0, 0)) -> np.ndarray:
    state = np.zeros(STATE_SIZE, np.int64)
    for first, counts in ((0, own), (SIDE, their)):
        state[first + 1 : first + 1 + HOME] = counts
        state[first + OFF] = CHECKERS - sum(counts)
    state[TURN], state[DIE1], state[DIE2] = turn, max(dice), min(dice)
    return state


def test_every_position_has_a_number_of_its_own() -> None:
    counts, seen = np.zeros(HOME, np.int64), set()
    for number in range(ALONE):
        checkers = unrank(number, counts)
        assert checkers == counts.sum()
        assert rank(counts, 0) == number
        assert (number >= FIRST) == (checkers == CHECKERS)
        assert (number < BOTH) == (checkers <= 6)
        seen.add(tuple(counts.tolist()))
    assert len(seen) == ALONE


@settings(deadline=None)
@given(homes(), st.integers(1, 6), st.integers(1, 6))
def test_moves_are_those_of_the_rules(own: list[int], die: int, other: int) -> None:
    state = state_of(own, [1, 0, 0, 0, 0, 0], dice=(die, other))
    legal, wanted = np.zeros(MAX_MOVES, np.int64), set()
    for i in range(moves(GAME, state.copy(), 0, legal)):
        after = state.copy()
        play(GAME, after, legal[i])
        wanted.add(rank(after, 1))
    out = np.zeros(2000, np.int64)
    count = successors(np.array(own), max(die, other), min(die, other), out)
    assert set(out[:count].tolist()) == wanted
    assert max(wanted) < rank(np.array(own), 0), "each step leads to a smaller number"


def test_chances_of_one_side_sum_to_one() -> None:
    tables = endings()
    assert np.abs(tables.off.sum(1) - 1).max() < 1e-5
    assert np.abs(tables.first.sum(1) - 1).max() < 1e-5


@pytest.mark.parametrize(
    ("counts", "rolls", "of_36"),
    [
        ((1, 0, 0, 0, 0, 0), 1, 36),
        ((0, 0, 0, 0, 0, 1), 1, 27),
        ((0, 0, 0, 0, 0, 2), 1, 4),  # 6-6, 5-5, 4-4 and 3-3
        ((0, 0, 0, 0, 1, 1), 1, 6),  # 6-5 both ways, and the same four doubles
        ((2, 0, 0, 0, 0, 0), 1, 36),
        ((3, 0, 0, 0, 0, 0), 1, 6),  # doubles
    ],
)
def test_chances_to_be_off_at_once_as_players_know_them(counts: tuple[int, ...], rolls: int, of_36: int) -> None:
    assert endings().off[rank(side(*counts), 0), rolls] * 36 == pytest.approx(of_36, abs=1e-4)


@pytest.mark.parametrize("checkers", [1, 2, 3])
def test_both_sides_are_what_solving_the_game_says(checkers: int) -> None:
    """The solver knows nothing of these tables. It begins with an opening roll, in which doubles are thrown again: the first move is made by hand."""
    game = backgammon(bearoff=checkers)
    start = game.start()
    value = 0.0
    for die in range(1, 7):
        for other in range(1, 7):
            if die != other:
                rolled = start.play(f"{die}{other}")
                assert rolled.turn is not None
                after = [rolled.play(move).state for move in rolled.moves()]
                best = max(_equity(state, rolled.turn) for state in after)
                value += best * (1 if rolled.turn == 0 else -1) / 30
    assert value == pytest.approx(solved(game)[0].mean("value"), abs=1e-6)


def _equity(state: np.ndarray, mover: int) -> float:
    """What a position after a move is worth to who made it."""
    own, their = rank(state, SIDE * mover + 1), rank(state, SIDE * (1 - mover) + 1)
    return 1.0 if own == 0 else -float(endings().both[their, own, CUBELESS])


@settings(deadline=None)
@given(homes(6))
def test_a_cube_at_the_last_roll(own: list[int]) -> None:
    """They bear off for sure with their next roll: all is decided by mine, and the cube doubles a good chance or is passed."""
    tables = endings()
    mine, their = rank(np.array(own), 0), rank(side(1, 0, 0, 0, 0, 0), 0)
    even = 2 * float(tables.off[mine, 1]) - 1
    found = tables.both[mine, their]
    assert found[CUBELESS] == pytest.approx(even, abs=1e-5)
    assert found[THEIRS] == pytest.approx(even, abs=1e-5)
    assert found[OWNED] == pytest.approx(max(even, min(2 * even, 1)), abs=1e-5)
    assert found[CENTRED] == pytest.approx(max(even, min(2 * even, 1)), abs=1e-5)


def test_the_cube_is_worth_most_to_its_owner() -> None:
    both = endings().both[1:, 1:]
    assert (both[..., OWNED] >= both[..., CENTRED] - 1e-6).all()
    assert (both[..., CENTRED] >= both[..., THEIRS] - 1e-6).all()
    assert np.abs(both).max() <= 1 + 1e-6


@settings(deadline=None)
@given(homes(), homes())
def test_chances_are_chances_and_turn_with_the_seats(own: list[int], their: list[int]) -> None:
    plans = GAME.encodings()["plans"]
    one, other = np.zeros(5), np.zeros(5)
    assert known(plans, GAME, state_of(own, their, 0), one)
    assert known(plans, GAME, state_of(their, own, 1), other)
    assert (one >= 0).all()
    assert one[0] <= 1 + 1e-6
    assert one[1] <= one[0] + 1e-6
    assert one[3] <= 1 - one[0] + 1e-6
    assert other == pytest.approx([1 - one[0], one[3], one[4], one[1], one[2]], abs=1e-6)


def test_a_network_is_not_asked_where_the_end_is_known() -> None:
    plans = GAME.encodings()["plans"]
    out = np.full(5, -1.0)
    assert not known(plans, GAME, GAME.start().play("31").play("8/5 6/5").state, out)
    assert not known(plans, GAME, state_of([1, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0], dice=(2, 1)), out)
    assert (out == -1).all()


@pytest.mark.peers
def test_chances_are_those_of_gnu_backgammon() -> None:
    gnubg = pytest.importorskip("gnubg_nn")
    plans, rng = GAME.encodings()["plans"], np.random.default_rng(1)
    out = np.zeros(5)
    for _ in range(300):
        many = rng.integers(1, CHECKERS + 1, 2)
        own, their = (np.bincount(rng.integers(0, HOME, n), minlength=HOME).tolist() for n in many)
        known(plans, GAME, state_of(own, their, 0), out)
        board = [[*their, *[0] * 19], [*own, *[0] * 19]]
        win, gammon, _, lost_gammon, _ = gnubg.probabilities(board, 0)
        assert (out[0], out[1], out[3]) == pytest.approx((win, gammon, lost_gammon), abs=6e-4), (own, their)


# GNU Backgammon's own databases. Their figures have 65,536 steps, 0.00003 of an equity each and half of that of a chance, and are computed from figures
# that were cut to steps before; a cube doubles what was cut.


@pytest.fixture(name="their_equities", scope="module")
def _their_equities(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray:
    path = gnubg_bearoffs.database(gnubg_bearoffs.TWO_SIDED, tmp_path_factory.mktemp("databases"))
    if path is None:
        pytest.skip("GNU Backgammon, the program, is not installed here")
    return gnubg_bearoffs.two_sided(path)


@pytest.fixture(name="their_chances", scope="module")
def _their_chances(tmp_path_factory: pytest.TempPathFactory) -> tuple[np.ndarray, np.ndarray]:
    path = gnubg_bearoffs.database(gnubg_bearoffs.ONE_SIDED, tmp_path_factory.mktemp("databases"))
    if path is None:
        pytest.skip("GNU Backgammon, the program, is not installed here")
    return gnubg_bearoffs.one_sided(path)


@pytest.mark.parametrize(("cube", "most"), [(CUBELESS, 1.5e-4), (OWNED, 2.5e-4), (CENTRED, 2.5e-4), (THEIRS, 1.5e-4)])
def test_all_equities_of_both_sides_are_those_of_gnu_backgammon(
    cube: int, most: float, their_equities: np.ndarray
) -> None:
    ours, theirs = endings().both[1:, 1:, cube], gnubg_bearoffs.with_doubles(their_equities)[1:, 1:, cube]
    assert np.abs(ours - theirs).max() < most
    assert np.abs(ours - theirs).mean() < 5e-5


def test_all_chances_of_one_side_are_those_of_gnu_backgammon(their_chances: tuple[np.ndarray, np.ndarray]) -> None:
    off, first = their_chances
    ours, rolls = endings(), np.arange(ROLLS)
    assert np.abs(off @ rolls - ours.off @ rolls).max() < 2.5e-4
    assert np.abs(first[FIRST:] - ours.first).max() < 5e-5
    gaps = np.abs(off - ours.off)
    assert gaps.max() < 3e-3  # where two moves need as many rolls on average, and each side makes another one
    assert (gaps > 2e-4).mean() < 2e-4


@pytest.mark.parametrize("pair", [(1, 1), (100, 7), (7, 100), (923, 923), (500, 501)])
def test_their_two_sided_database_is_read_as_they_read_it(
    pair: tuple[int, int], their_equities: np.ndarray, tmp_path: Path
) -> None:
    mine, other = pair
    said = _dumped(gnubg_bearoffs.TWO_SIDED, mine * BOTH + other, tmp_path)
    told = re.findall(r"(?:Cubeless equity|[A-Z][a-z ]*cube) +: ([+-][0-9.]+)", said)
    assert [float(number) for number in told] == pytest.approx(their_equities[mine, other], abs=1e-4)


@pytest.mark.parametrize("number", [1, 100, 4151, FIRST, ALONE - 1])
def test_their_one_sided_database_is_read_as_they_read_it(
    number: int, their_chances: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    said = _dumped(gnubg_bearoffs.ONE_SIDED, number, tmp_path)
    for rolls, chance in re.findall(r"^ +(\d+)\s+[0-9.]+\s+([0-9.]+)\t", said, re.MULTILINE):
        assert float(chance) == pytest.approx(100 * their_chances[0][number, int(rolls)], abs=1e-3)
    mean = float(re.findall(r"^Mean\s+[0-9.]+\s+([0-9.]+)", said, re.MULTILINE)[0])
    assert mean == pytest.approx(their_chances[0][number] @ np.arange(ROLLS), abs=1e-3)


def _dumped(name: str, number: int, folder: Path) -> str:
    """What GNU Backgammon's `bearoffdump` says of a position."""
    dump, path = gnubg_bearoffs.program("bearoffdump"), gnubg_bearoffs.database(name, folder)
    if dump is None or path is None:
        pytest.skip("bearoffdump is not installed here")
    return subprocess.run([dump, "-n", str(number), str(path)], capture_output=True, text=True, check=True).stdout


def test_the_tables_are_kept_on_disk_and_made_again_where_they_are_damaged(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.games.backgammon import endings as module
    from ludus.kernel import store

    monkeypatch.setenv("LUDUS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(store, "SHIPPED", store.folder() / "nothing")  # an installation may bring them along
    made: list[str] = []
    small = (np.zeros((2, 2)), np.ones((1, 2)))
    monkeypatch.setattr(module, "_alone", lambda: made.append("alone") or small)
    monkeypatch.setattr(module, "_both", lambda: np.ones((1, 1, 4)))
    for times in (1, 1):
        monkeypatch.setattr(module, "_made", [])
        assert module.endings().first.tolist() == [[1, 1]]
        assert len(made) == times
    (path,) = [path for path in store.folder().rglob("endings*") if path.is_file()]
    path.write_bytes(path.read_bytes()[:-3])
    monkeypatch.setattr(module, "_made", [])
    module.endings()
    assert len(made) == 2


def test_td_uses_them_in_play_and_in_training(tmp_path: object) -> None:
    run = ludus.train(
        "backgammon", "best", out=tmp_path, method="selfplay", encoding="plans", hidden=8, games=64, evaluation_games=10
    )  # type: ignore[arg-type]
    assert ludus.arena("backgammon", [run.player(), "random"], games=20).rows[0].games == 20
