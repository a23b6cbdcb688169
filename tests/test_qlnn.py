"""Q-networks for Quoridor: what they see, where they begin, what they learn from, and the files that they live in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.contract.playing import choose
from ludus.contract.rules import OVER, moves, play, random_move, start, turn
from ludus.contract.views import action, features, set_up
from ludus.errors import LudusError
from ludus.games.quoridor import Quoridor, quoridor
from ludus.games.quoridor.bitboard import (
    BIT,
    HORIZONTAL,
    OFFSET,
    PAWN,
    PLY,
    STEP,
    TURN,
    VERTICAL,
    distance,
    is_open,
    shut,
)
from ludus.kernel import JIT, count_bits, stream
from ludus.methods import deepq
from ludus.methods.episodes import Episodes, NoPartner, Seats
from ludus.methods.qlnn import QLNN, lesson_slope
from ludus.nets import storage
from ludus.nets.dense import SIGMOID, dense_workspace, empty_dense
from ludus.papers.quoridor.starts import Starts
from ludus.papers.quoridor.views import MOST, VIEWS, View, shutting, turned_square, ways_of
from ludus.players import player
from ludus.players.base import rank

GAME, SMALL, CORRIDOR = quoridor(), quoridor(size=5, walls=3), quoridor(size=3, walls=0)
TALL = quoridor(size=7, columns=5)
WALKS = 12 if JIT else 2
every_view = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)


def positions(game: Quoridor, walks: int = WALKS) -> list[np.ndarray]:
    """Positions of random games, some of each."""
    out, listed = [], np.zeros(141, np.int64)
    for number in range(walks):
        rng, state = stream(5, number), np.zeros(game.facts.state_size, np.int64)
        start(game, state)
        while (seat := turn(game, state)) != OVER:
            if state[PLY] % 7 == number % 7:
                out.append(state.copy())
            play(game, state, random_move(game, state, seat, rng, listed))
    return out


def inputs(view: View, game: Quoridor, state: np.ndarray) -> dict[int, float]:
    """The active inputs and their values; each must be named once."""
    size = view.shape(game)[1]
    index, value = np.full(size, -1), np.zeros(size, np.float32)
    count = features(view, game, state, index, value)
    assert len(set(index[:count].tolist())) == count
    assert ((index[:count] >= 0) & (index[:count] < size)).all()
    return {i: v for i, v in zip(index[:count].tolist(), value[:count].tolist(), strict=True) if v}


def turned(game: Quoridor, state: np.ndarray, by: int) -> np.ndarray:
    """The position with top and bottom (2), or left and right (1), exchanged; with the former the seats change too."""
    out = np.zeros_like(state)
    start(game, out)
    out[PLY] = state[PLY]
    for seat in range(2):
        other = 1 - seat if by & 2 else seat
        out[PAWN + other] = turned_square(game, by, state[PAWN + seat])
        out[PAWN + 2 + other] = state[PAWN + 2 + seat]
    out[TURN] = 1 - state[TURN] if by & 2 else state[TURN]
    row_above, column_beside = game.size - 2, game.columns - 2
    for wall in range(128):
        word = state[HORIZONTAL] if wall < 64 else state[VERTICAL]
        if word & BIT[wall & 63]:
            row, column = divmod(wall & 63, 8)
            there = 8 * (row_above - row if by & 2 else row) + (column_beside - column if by & 1 else column)
            out[HORIZONTAL if wall < 64 else VERTICAL] |= BIT[there]
            shut(out, (wall & 64) + there)
    return out


def listed_moves(game: Quoridor, state: np.ndarray) -> list[int]:
    out = np.zeros(141, np.int64)
    return out[: moves(game, state, state[TURN], out)].tolist()


# --- views -----------------------------------------------------------------------------------------------------------


def test_the_thesis_sees_133_numbers() -> None:
    state = np.zeros(GAME.facts.state_size, np.int64)
    start(GAME, state)
    for move in (STEP, 32, 64 + 50):  # a step, a horizontal wall, a vertical one
        play(GAME, state, move)
    assert VIEWS["thesis"].shape(GAME) == (1, 133, 140)
    assert inputs(VIEWS["thesis"], GAME, state) == {0: 1, 1: 13, 2: 76, 3: 9, 4: 9, 5 + 32: 1, 5 + 64 + 50: 1}


@pytest.mark.parametrize("game", [GAME, SMALL, TALL], ids=repr)
@every_view
def test_from_its_own_side_both_seats_see_the_same_and_only_then(view: View, game: Quoridor) -> None:
    same_inputs, same_actions, symmetric = [], [], []
    for state in positions(game):
        opposite = turned(game, state, 2)
        symmetric.append(np.array_equal(np.delete(state, TURN), np.delete(opposite, TURN)))
        same_inputs.append(inputs(view, game, state) == inputs(view, game, opposite))
        ours = {action(view, game, state, m) for m in listed_moves(game, state)}
        theirs = {action(view, game, opposite, m) for m in listed_moves(game, opposite)}
        same_actions.append(ours == theirs)
    assert all(same_inputs) == all(same_actions) == view.own
    # Only who is to move tells such positions apart, and of the other views the thesis's alone shows that.
    assert view.own or same_inputs == (symmetric if view.board else [False] * len(symmetric))


@pytest.mark.parametrize("game", [GAME, SMALL, TALL], ids=repr)
@every_view
def test_the_mirrored_view_sees_the_mirrored_board(view: View, game: Quoridor) -> None:
    other, slots = view.mirrored(game)
    for state in positions(game):
        mirrored = turned(game, state, 1)
        assert inputs(other, game, state) == inputs(view, game, mirrored)
        in_mirror = {int(slots[action(view, game, state, m)]) for m in listed_moves(game, state) if m < 140}
        assert in_mirror == {action(view, game, mirrored, m) for m in listed_moves(game, mirrored) if m < 140}


@every_view
def test_actions_are_told_apart(view: View) -> None:
    for state in positions(GAME, 3):
        slots = [action(view, GAME, state, m) for m in listed_moves(GAME, state) if m < 140]
        assert len(set(slots)) == len(slots)
        assert all(0 <= slot < 140 for slot in slots)


def naive_distances(game: Quoridor, state: np.ndarray, squares: list[int]) -> dict[int, int]:
    """How far each square is from the nearest of those given."""
    found, edge = dict.fromkeys(squares, 0), list(squares)
    while edge:
        square = edge.pop(0)
        for way in range(4):
            there = square + int(OFFSET[way])
            if is_open(state, square, way) and there not in found:
                found[there] = found[square] + 1
                edge.append(there)
    return found


@pytest.mark.parametrize("game", [GAME, SMALL, TALL], ids=repr)
def test_ways_are_those_that_a_plain_search_finds(game: Quoridor) -> None:
    ahead, back, near = np.zeros((MOST, 2), np.int64), np.zeros((MOST, 2), np.int64), np.zeros(2, np.int64)
    for state in positions(game):
        for seat in range(2):
            length = ways_of(game, state, seat, ahead, back, near)
            assert length == distance(game, state, seat)
            row = 0 if seat else game.size - 1
            goal = naive_distances(game, state, [9 * row + c for c in range(game.columns)])
            pawn = naive_distances(game, state, [int(state[PAWN + seat])])
            through = {s: pawn[s] + goal[s] - length for s in pawn if s in goal}
            on_ways = {s for i in range(length + 1) for s in _squares(ahead[i])}
            assert on_ways == {s for s, more in through.items() if more == 0}
            assert set(_squares(near)) == {s for s, more in through.items() if more in (1, 2)}


def _squares(words: np.ndarray) -> list[int]:
    return [s for s in range(81) if int(words[s // 63]) >> (s % 63) & 1]


def test_walls_that_shut_all_ways_make_them_longer() -> None:
    ahead, back, near = np.zeros((MOST, 2), np.int64), np.zeros((MOST, 2), np.int64), np.zeros(2, np.int64)
    seen = 0
    for state in positions(GAME):
        for seat in range(2):
            length = ways_of(GAME, state, seat, ahead, back, near)
            horizontal, vertical = shutting(GAME, state, ahead, length)
            for wall in range(128):
                if (horizontal if wall < 64 else vertical) & BIT[wall & 63]:
                    seen += 1
                    shut(state, wall)
                    assert distance(GAME, state, seat) != length
                    shut(state, wall)
    assert seen > 20


def test_views_are_for_two_seats() -> None:
    with pytest.raises(LudusError, match="for two seats"):
        VIEWS["thesis"].shape(quoridor(seats=4))


# --- the curriculum --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", [0, 1, 2])
@pytest.mark.parametrize("game", [GAME, SMALL, TALL, quoridor(size=3, walls=1)], ids=repr)
def test_positions_to_begin_with_are_sound(game: Quoridor, stage: int) -> None:
    state = np.zeros(game.facts.state_size, np.int64)
    for number in range(60 if JIT else 10):
        seat = number % 2
        set_up(Starts(), game, state, seat, stage, stream(9, number))
        ways = [distance(game, state, s) for s in range(2)]
        assert state[TURN] == seat
        assert min(ways) >= 1
        assert stage > 0 or ways[seat] <= 2
        built = count_bits(state[HORIZONTAL]) + count_bits(state[VERTICAL])
        assert built + state[PAWN + 2] + state[PAWN + 3] <= 2 * game.walls
        assert state[PAWN] != state[PAWN + 1]


def test_the_curriculum_grows_harder_and_ends() -> None:
    state, first = np.zeros(GAME.facts.state_size, np.int64), np.zeros(GAME.facts.state_size, np.int64)
    start(GAME, first)
    shares = []
    for number in (0, 100, 199, 200, 250):
        usual = 0
        for i in range(200):
            deepq.begin(GAME, deepq.Beginnings(Starts(), 3, 0.5, 200), state, 0, number, stream(number, i))
            usual += (state == first).all()
        shares.append(usual / 200)
    assert shares[0] == pytest.approx(0.5, abs=0.12)
    assert shares[1] == pytest.approx(0.75, abs=0.12)
    assert shares[3:] == [1, 1]


# --- what is learned from --------------------------------------------------------------------------------------------


def test_illegal_actions_are_left_out_of_the_highest_value() -> None:
    state, listed = np.zeros(GAME.facts.state_size, np.int64), np.zeros(141, np.int64)
    start(GAME, state)
    count, view, ws = moves(GAME, state, 0, listed), VIEWS["cuts"], dense_workspace(empty_dense((1, 1, 1, 140)))
    ws.output[:] = 0.25
    ws.output[STEP + 2] = 0.9  # down, off the board
    ws.output[STEP] = 0.5
    assert deepq.highest_output(view, GAME, state, ws, listed, count, True) == pytest.approx(0.5)
    assert deepq.highest_output(view, GAME, state, ws, listed, count, False) == pytest.approx(0.9)
    assert listed[deepq.best_of(view, GAME, state, ws, listed, count, stream(1))] == STEP


def one_game(decay: float, exploration: float) -> tuple[deepq.Decisions, int]:
    """A game in the corridor by a network of zeros, which says ½ of everything: its decisions, and how many there are."""
    view, space = VIEWS["board"], 400
    net = empty_dense((view.shape(CORRIDOR)[1], 2, 2, 140), SIGMOID)
    states = np.zeros((space, CORRIDOR.facts.state_size), np.int64)
    out = deepq.Decisions(states, np.zeros(space, np.int64), np.zeros(space), np.zeros(1))
    learning = deepq.Learning(net, view, rate=0.0, discount=1.0, decay=decay, masked=True, opening=0)
    rows = deepq.play_batch(
        learning, CORRIDOR, (141, CORRIDOR.facts.state_size, 2, 1), Seats(0b11, False, NoPartner()),
        deepq.Beginnings(Starts(), 3, 0.0, 0), Episodes(1, 0, np.full(1, exploration)), out,
    )  # fmt: skip
    return out, rows


@pytest.mark.parametrize("decay", [0.0, 0.7, 1.0])
def test_returns_lead_from_the_result_to_the_networks_word(decay: float) -> None:
    """What is further back is nearer to the network's ½, by λ a step."""
    out, rows = one_game(decay, exploration=0.0)
    for seat in range(2):
        mine = [t for t in range(rows) if out.states[t, TURN] == seat][::-1]
        wanted = out.won[0] if seat == 1 else 1 - out.won[0]  # `won` is told of the last of the learner's seats
        for t in mine:
            assert out.targets[t] == pytest.approx(wanted)
            wanted = (1 - decay) * 0.5 + decay * wanted


def test_after_a_random_move_the_networks_word_stands() -> None:
    out, rows = one_game(decay=1.0, exploration=1.0)
    assert rows > 2
    assert out.targets[: rows - 2] == pytest.approx(0.5)  # all but each seat's last decision
    assert sorted(out.targets[rows - 2 : rows]) in ([0, 1], [0.5, 0.5])


def test_lessons_pull_towards_the_teachers_values_and_choice() -> None:
    logits = np.zeros((1, 3), np.float32)
    values, shares = np.array([[0.9, 0.5, -1]], np.float32), np.array([[1, 0, -1]], np.float32)
    slope, hits = lesson_slope(logits, values, shares, True)
    assert slope[0] == pytest.approx([(0.5 - 1) + 0.1 * (0.5 - 0.9), 0.5, 0])
    assert hits == 1
    slope, _ = lesson_slope(logits, values, shares, False)
    assert slope[0] == pytest.approx([-0.5, 0.5, 0])


def solved(game: Quoridor) -> dict[bytes, float]:
    """The exact result of each position of a tiny game for its first seat: 1, 0, or ½ where nobody can force a win.

    Positions are told apart without their number of plies: values are found by going over all of them until none changes.
    """
    known: dict[bytes, tuple[int, list[bytes]]] = {}
    value: dict[bytes, float] = {}
    first = np.zeros(game.facts.state_size, np.int64)
    start(game, first)
    todo = [first]
    while todo:
        state = todo.pop()
        key = state.tobytes()
        if key in known or key in value:
            continue
        if turn(game, state) == OVER:
            value[key] = 1.0 if state[PAWN] >= 9 * (game.size - 1) else 0.0
            continue
        children = []
        for move in listed_moves(game, state):
            child = state.copy()
            play(game, child, move)
            child[PLY] = 0
            children.append(child.tobytes())
            todo.append(child)
        known[key] = (int(state[TURN]), children)
    changed = True
    while changed:
        changed = False
        for key, (seat, children) in known.items():
            results = [value.get(child) for child in children]
            good, bad = (1.0, 0.0) if seat == 0 else (0.0, 1.0)
            if key not in value and (good in results or all(r == bad for r in results)):
                value[key] = good if good in results else bad
                changed = True
    return value


@pytest.mark.skipif(not JIT, reason="some thousand games")
@pytest.mark.parametrize("update", ["step", "end"])
def test_a_tiny_game_is_learned(update: str) -> None:
    """On three rows without walls the learner's choice from the start keeps the win that the exact solution promises."""
    ways: dict[str, dict[str, Any]] = {
        "step": {"rate": 0.2, "final_rate": 0.1},
        "end": {
            "rate": 0.003,
            "final_rate": 0.001,
            "batch": 20,
            "decay": 0.8,
            "minibatch": 64,
            "replay": 2_000,
            "passes": 2.0,
        },
    }
    method = QLNN(
        encoding="board",
        layout="24-24",
        units="relu",
        update=update,
        exploration=0.3,
        exploration_floor=0.05,
        **ways[update],
    )
    learner = method.begin(CORRIDOR, 1, 4_000)
    while learner.games < 4_000:
        learner.advance()
    exact = solved(CORRIDOR)
    me = learner.player()
    kept = lost = 0
    for state in positions(CORRIDOR, 40):
        seat = int(state[TURN])
        state[PLY] = 0
        if exact.get(state.tobytes()) == 1.0 - seat:  # a win for the seat to move
            play(CORRIDOR, state, choose(me, CORRIDOR, state.copy(), seat, stream(1)))
            state[PLY] = 0
            good = exact.get(state.tobytes()) == 1.0 - seat
            kept, lost = kept + good, lost + (not good)
    assert kept + lost > 20
    assert kept / (kept + lost) > 0.9


# --- learners, runs, files -------------------------------------------------------------------------------------------

TINY: dict[str, Any] = {"layout": "6-5", "batch": 4, "minibatch": 16}
STEPS: dict[str, Any] = {"layout": "6-5", "games": 12, "evaluation_games": 2, "opponents": ("path",)}  # after each move


def tiny_learner(games: int = 12, seed: int = 1, **settings: Any) -> QLNN:
    """A learner of the small game at its beginning."""
    return QLNN(**settings).begin(SMALL, seed, games, player=lambda name: player(name, SMALL))


@pytest.mark.parametrize(
    ("changes", "units"),
    [
        ({"layout": "6-5", "update": "step"}, [20, 40, 50]),
        (TINY | {"replay": 50, "teacher": "lead", "lessons": 4, "mirror": True}, [4, 8, 12]),
    ],
)
def test_a_learner_goes_on_from_its_state_as_if_nothing_had_happened(changes: dict[str, Any], units: list[int]) -> None:
    whole, first, second = (tiny_learner(units[-1], 3, **changes, exploration=0.2) for _ in range(3))
    for learner in (whole, first):
        learner.advance()
        learner.advance()
        assert learner.games == units[1]
    second.restore({k: v.copy() for k, v in first.state().items()})
    second.counters.update(first.counters)
    whole.advance()
    second.advance()
    assert whole.counters == second.counters
    assert whole.games == units[2]
    for key, tensor in whole.state().items():
        assert np.array_equal(tensor, second.state()[key]), key


def test_exploration_falls_to_its_floor() -> None:
    learner = tiny_learner(encoding="own", exploration=0.4, exploration_games=100, exploration_floor=0.005, **TINY)
    found = learner.settings.exploration_in(np.array([0.0, 50, 100, 1000]), 12)
    assert found == pytest.approx([0.405, 0.205, 0.005, 0.005])
    assert learner.advance()["exploration"] == pytest.approx(0.005 + 0.4 * np.mean([1, 0.99, 0.98, 0.97]))


def test_teachers_must_be_able_to_teach() -> None:
    with pytest.raises(LudusError, match="can't say"):
        tiny_learner(encoding="own", **TINY, teacher="heuristic", lessons=4)
    with pytest.raises(LudusError, match="lessons needs a teacher"):
        tiny_learner(**TINY, lessons=4)
    learner = tiny_learner(encoding="own", **TINY, teacher="heuristic", lessons=4, lesson_values=False)
    assert 0 <= learner.advance()["agreed"] <= 1


def test_a_run_makes_a_player_that_a_file_keeps(tmp_path: Path) -> None:
    run = ludus.train("quoridor(size=5,walls=3)", "qlnn-thesis", tmp_path / "run", **STEPS)
    assert run.player_name == f"qlnn:{tmp_path / 'run'}"
    mine, again = run.player(), player(run.player_name, SMALL)
    assert all(np.array_equal(a, b) for a, b in zip(mine.net[:6], again.net[:6], strict=True))
    result = ludus.arena(SMALL, [run.player_name, "path"], games=4, jobs=1)
    assert result.games == 4
    hints = rank(mine, SMALL.start(), stream(1))
    assert [value for _, value in hints] == sorted((value for _, value in hints), reverse=True)


def test_files_that_are_no_such_player_are_refused(tmp_path: Path) -> None:
    run = ludus.train("quoridor(size=5,walls=3)", "qlnn-thesis", tmp_path / "run", **STEPS)
    with pytest.raises(LudusError, match=r"is a model for quoridor-5x5.*not for quoridor "):
        player(run.player_name, GAME)
    tensors, facts = storage.load(run.model)
    bad = tmp_path / "bad.safetensors"
    for wrong, error in (
        ({"w2": tensors["w2"][:-1]}, "shape"),
        ({"b3": tensors["b3"] * np.float32(np.nan)}, "not finite"),
        ({"w1": tensors["w1"].astype(np.float64)}, "shape"),
    ):
        storage.save(bad, tensors | wrong, facts)
        with pytest.raises(LudusError, match=error):
            player(f"qlnn:{bad}", SMALL)
    storage.save(bad, tensors, facts | {"method": "q", "player": "q"})
    with pytest.raises(LudusError, match="holds what player 'q' plays by; name it as q:"):
        player(f"qlnn:{bad}", SMALL)
    data = bytearray(run.model.read_bytes())
    data[-3] ^= 1
    bad.write_bytes(bytes(data))
    with pytest.raises(LudusError, match="damaged"):
        player(f"qlnn:{bad}", SMALL)
    with pytest.raises(LudusError, match="no qlnn of layout '3-4'"):
        player("qlnn(layout=3-4)", GAME)
    with pytest.raises(LudusError, match="leave out layout"):
        player(f"qlnn:{run.folder}(layout=160-187)", SMALL)
