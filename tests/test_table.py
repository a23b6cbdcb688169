"""Tables of states: the hash table against a dictionary, learning against plain Python, runs that stop and go on, and players."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.cli.main import main
from ludus.contract.position import Position
from ludus.contract.rules import JOINT, OVER, sizes_of
from ludus.errors import LudusError
from ludus.kernel import below, stream, uniform
from ludus.lab import Run, train
from ludus.lab.inspect import inspect
from ludus.lab.train import Stopped
from ludus.matches import arena
from ludus.methods.presets import ANY, PRESETS, preset, presets_for
from ludus.methods.table import Table
from ludus.methods.tabular import NO_MOVE
from ludus.nets import hashtable, storage
from ludus.players import player
from ludus.players.base import ask, rank
from ludus.search import montecarlo
from ludus.search.montecarlo import search_budget
from ludus.search.solve import solve
from runs import Ear, press_ctrl_c, same

TINY: dict[str, Any] = {"preset": "wang2018-q", "games": 300, "evaluation_games": 10, "checkpoint_every": 60}


@pytest.fixture(scope="module")
def game() -> Any:
    return ludus.game("tictactoe")


def learner_of(game: Any, name: str, games: int, seed: int = 1, **changes: Any) -> Table:
    """The learner of a preset for any game, at its beginning."""
    method = Table(**preset(game.facts.name, name).settings | changes)
    return method.begin(game, seed, games, player=lambda who: player(who, game))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train("tictactoe", out=tmp_path_factory.mktemp("table") / "run", **TINY | {"games": 3_000})


# --- the hash table --------------------------------------------------------------------------------------------------

keys = st.integers(1, 40) | st.integers(1, 2**64 - 1) | st.sampled_from([2**64 - 1, 1024, 2048, 1 << 63])


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(keys, st.floats(-1, 1)), max_size=60))
def test_a_table_is_a_dictionary(changes: list[tuple[int, float]]) -> None:
    table = hashtable.new_table(4)
    known: dict[int, float] = {}
    for key, value in changes:
        table = hashtable.with_capacity(table, 1)
        assert hashtable.value_at(table, np.uint64(key)) == known.get(key, 0.0)
        table.values[hashtable.slot_of(table, np.uint64(key))] = known[key] = value
    assert table.used[0] == len(known) <= hashtable.FULLEST * len(table.keys)
    found, values, visits = hashtable.entries(table)
    assert found.tolist() == sorted(known)
    assert dict(zip(found.tolist(), values.tolist(), strict=True)) == known
    again = hashtable.table_of(found, values, visits)
    assert all(hashtable.value_at(again, np.uint64(key)) == value for key, value in known.items())


def test_missing_keys_are_told_apart_from_zeros() -> None:
    table = hashtable.new_table()
    assert hashtable.find(table, np.uint64(5)) == -1 - 5
    assert hashtable.slot_of(table, np.uint64(5)) == 5
    assert hashtable.find(table, np.uint64(5)) == 5
    assert hashtable.find(table, np.uint64(5 + len(table.keys))) == -1 - 6  # its own slot is taken: the next


def test_keys_of_states_that_differ_in_a_bit_or_two() -> None:
    """Bits that are flipped in several words must not cancel each other."""
    bits = [(word, bit) for word in range(3) for bit in range(64)]
    seen = set()
    for i, one in enumerate(bits):
        for other in bits[i:]:
            state = np.zeros(3, np.uint64)
            for word, bit in {one, other}:
                state[word] |= np.uint64(1) << np.uint64(bit)
            seen.add(int(hashtable.state_key(state.view(np.int64), 0)))
    assert len(seen) == len(bits) * (len(bits) + 1) // 2
    buckets = np.bincount(np.array(sorted(seen), np.uint64) % np.uint64(256), minlength=256)
    assert buckets.max() < 2 * buckets.mean()  # a mean of 73, and so about six standard deviations


def test_keys_depend_on_seat_order_and_move() -> None:
    a, b = np.array([1, 2]), np.array([2, 1])
    found = {int(hashtable.state_key(s, seat)) for s in (a, b) for seat in (0, 1)}
    assert len(found) == 4
    key = np.uint64(hashtable.state_key(a, 0))
    assert len({int(hashtable.move_key(key, move)) for move in range(-1, 5000)}) == 5001


def test_keys_are_plain_arithmetic() -> None:
    """What a file holds must be found again by any version of the compiler."""

    def stir(key: int, word: int) -> int:
        mixed = key ^ (word % 2**64)
        upper = (mixed >> 32) * 0xC2B2AE3D
        mixed = ((mixed % 2**32) * 0x9E3779B1 + 0x27D4EB2F) ^ ((upper << 32) % 2**64 | upper >> 32)
        return mixed ^ mixed >> 29

    state, key = [5, -7, 1 << 62], stir(0x9E3779B1, 1)
    for word in state:
        key = stir(key, word)
    assert hashtable.state_key(np.array(state), 1) == stir(stir(key, 2), 1)


# --- learning against plain Python -----------------------------------------------------------------------------------


class Reference:
    """The same learning with a dictionary, as the papers write it down."""

    def __init__(self, game: Any, s: Table.Settings, seed: int) -> None:
        self.game, self.s, self.seed = game, s, seed
        self.values: dict[Any, float] = {}
        self.visits: dict[Any, int] = defaultdict(int)
        self.wins, self.points = 0, 0.0

    def options(self, at: Position, seat: int) -> list[Any]:
        if self.s.afterstates:
            return [(seat, at.play(move).state.tobytes()) for move in at.moves()]
        return [(seat, at.state.tobytes(), int(move)) for move in at.moves()]

    def change(self, key: Any, target: float) -> None:
        self.visits[key] += 1
        alpha = self.s.rate * self.visits[key] ** -self.s.rate_power
        self.values[key] = (1 - alpha) * self.values.get(key, 0.0) + alpha * target

    def best(self, options: list[Any]) -> float:
        return max(0.0, *(self.values.get(o, 0.0) for o in options))

    def traces(self, mine: list[Any], target: float) -> None:
        error = target - self.values.get(mine[-1], 0.0)
        for age, key in enumerate(reversed(mine)):
            share = (self.s.discount * self.s.decay) ** age
            self.change(key, self.values.get(key, 0.0) + share * error)

    def play(self, number: int, epsilon: float, learns: bool) -> None:
        luck = stream(self.seed, number, 1)
        at = self.game.start()
        own = number % 2  # the seat in which the learner sits
        record: list[tuple[int, list[Any], Any]] = []
        while not at.over:
            move = None
            for seat in (0, 1):
                legal = at.moves()
                if seat == at.turn and seat != own:
                    move = legal[below(luck, len(legal))]
                if (seat != own and not self.s.watch) or (seat != at.turn and not self.s.noops):
                    continue
                options = self.options(at, seat) if seat == at.turn else [(seat, at.state.tobytes(), NO_MOVE)]
                mine = [chosen for who, _, chosen in record if who == seat]
                if learns and self.s.update == "step" and mine:
                    self.change(mine[-1], self.s.discount * self.best(options))
                if seat != at.turn:
                    chosen = options[0]
                elif seat != own:
                    chosen = options[legal.index(move)]
                else:
                    if uniform(luck) < epsilon:
                        pick = below(luck, len(legal))
                    else:
                        values = [self.values.get(o, 0.0) for o in options]
                        pick = int(np.argmax(values))
                        if max(values) <= 0 or (self.s.complete and not all(o in self.values for o in options)):
                            pick = below(luck, len(legal))
                    move, chosen = legal[pick], options[pick]
                if learns and self.s.update == "traces" and mine:
                    self.traces(mine, self.s.discount * self.values.get(chosen, 0.0))
                record.append((seat, options, chosen))
            at = at.play(move)
        goals = at.scores()
        if learns and self.s.update == "end":
            later: dict[int, list[Any]] = {}
            for seat, options, chosen in reversed(record):
                target = self.s.discount * self.best(later[seat]) if seat in later else goals[seat]
                self.change(chosen, target)
                later[seat] = options
        elif learns:
            for seat in (0, 1):
                mine = [chosen for who, _, chosen in record if who == seat]
                if mine and self.s.update == "traces":
                    self.traces(mine, goals[seat])
                elif mine:
                    self.change(mine[-1], goals[seat])
        self.wins += goals[own] > goals[1 - own]
        self.points += goals[own]


ANY_VALUE = {"complete": False}
OWN = ANY_VALUE | {"watch": False}
STEADY = {"rate": 0.3, "final_rate": 0.3}
WAYS = {
    "Algorithm 4, own moves only": OWN,
    "Algorithm 4": ANY_VALUE,
    "with states in which others move": ANY_VALUE | {"noops": True},
    "values followed only where all are known": {"complete": True},
    "Algorithm 3": OWN | {"update": "step"},
    "TD(λ)": OWN | STEADY | {"update": "traces", "afterstates": True, "decay": 0.7},
    "means over visits": ANY_VALUE | {"afterstates": True, "rate": 1.0, "final_rate": 1.0, "rate_power": 0.8},
}


@pytest.mark.parametrize("changes", WAYS.values(), ids=list(WAYS))
def test_learning_is_that_of_plain_python(game: Any, changes: dict[str, Any]) -> None:
    learner = learner_of(game, "wang2018-q", 150, 5, **changes)
    reference = Reference(game, learner.settings, 5)
    while learner.games < 150:
        report = learner.advance()
    for number in range(150):
        epsilon = 0.5 * np.cos(number / 100 * np.pi / 2) if number < 100 else 0.0
        reference.play(number, epsilon, number < 100)
    _, values, visits = hashtable.entries(learner.table)
    assert len(values) == len(reference.values) == report["entries"]
    assert sorted(values) == pytest.approx(sorted(reference.values.values()), abs=1e-12)
    assert visits.sum() == sum(reference.visits.values())
    assert report["won_so_far"] == reference.wins / 150
    assert report["points_so_far"] == pytest.approx(reference.points / 150)
    assert min((visits > 1).sum(), (values > 0).sum()) > 10  # or there would have been nothing to get wrong


def test_exploration_falls_as_a_cosine_and_ends_with_learning(game: Any) -> None:
    learner = learner_of(game, "wang2018-q", 45_000, exploration_floor=0.1)
    found = learner.exploration(np.array([0.0, 15_000, 29_999, 30_000, 44_000]))
    assert found == pytest.approx([0.5, 0.4 * np.sqrt(0.5) + 0.1, 0.1, 0, 0], abs=1e-4)
    fixed = learner_of(game, "wang2018-td", 45_000)
    assert fixed.exploration(np.array([0.0, 29_999, 30_000])).tolist() == [0.01, 0.01, 0]


def test_a_full_table_takes_no_new_entries(game: Any) -> None:
    learner = learner_of(game, "wang2018-q", 300, table_limit=50)
    while learner.games < 300:
        learner.advance()
    assert learner.table.used[0] == 50
    assert learner.table.visits.sum() > 100  # those that are in it are learned on


def test_the_best_table_comes_near_the_exact_optimum() -> None:
    game = ludus.game("nim")
    learner = learner_of(game, "table-best", 20_000)
    while learner.games < 20_000:
        learner.advance()
    row = arena(game, [learner.player(), "random"], 4_000, seed=2).rows[0]
    assert row.points_per_game > solve(game).mean("exploiter") - 0.02


@pytest.mark.parametrize("name", ["rockpaperscissors", "pig", "trio", "maze"])
def test_any_game_can_be_learned(name: str) -> None:
    """Moves at once, chance, three seats, one seat."""
    game = ludus.game(name)
    learner = learner_of(game, "wang2018-qm", 200, playouts=2, learning_share=1.0)
    while learner.games < 200:
        report = learner.advance()
    assert learner.seats.mask == 1
    assert report["entries"] > 2
    assert 0 <= report["points"] <= 1
    assert ask(learner.player(), game.start(), stream(1), 0) in game.start().moves(0)
    if game.start().kind == "joint":
        assert game.start().state[0] == JOINT


# --- search ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nested", [False, True])
def test_search_finds_the_move_that_wins(game: Any, nested: bool) -> None:
    at = game.start()
    for text in ("mark 1 1", "mark 2 2", "mark 1 2", "mark 3 3"):
        at = at.play(text)
    legal = at.moves()
    listed, means = np.array([int(m) for m in legal]), np.zeros(len(legal))
    sizes = sizes_of(game)
    best = montecarlo.search_move(game, at.state.copy(), 0, stream(1), search_budget(20, nested), sizes, listed, means)
    assert legal[best].text == "( mark 1 3 )"
    assert means[best] == 1
    assert at.state[0] != OVER


def test_nested_search_sees_what_a_good_opponent_does(game: Any) -> None:
    """Random games think a fork not so bad; games in which both search know better."""
    at = game.start().play("mark 2 2")
    listed = np.array([int(m) for m in at.moves()])
    means = {}
    for nested in (False, True):
        means[nested] = np.zeros(len(listed))
        budget = search_budget(300, nested)
        montecarlo.search_move(game, at.state.copy(), 1, stream(3), budget, sizes_of(game), listed, means[nested])
    corners = [i for i, move in enumerate(at.moves()) if set(move.text.split()[2:4]) <= {"1", "3"}]
    edges = [i for i in range(len(listed)) if i not in corners]
    gap = {kind: means[kind][corners].mean() - means[kind][edges].mean() for kind in means}
    assert gap[True] > gap[False] > 0  # only corners are safe against perfect play


# --- presets, runs and players ---------------------------------------------------------------------------------------


def test_presets_for_games_that_have_none_of_their_own() -> None:
    assert presets_for("tictactoe") is PRESETS[ANY]
    assert "wang2018-q" not in presets_for("backgammon")
    with pytest.raises(LudusError, match="unknown preset for tictactoe 'wang'"):
        preset("tictactoe", "wang")
    with pytest.raises(LudusError, match="update = 'never'"):
        learner_of(ludus.game("tictactoe"), "wang2018-q", 100, update="never")


def test_a_run_that_stops_goes_on_to_the_same_table(tmp_path: Path) -> None:
    undisturbed = train("tictactoe", out=tmp_path / "whole", **TINY)
    with pytest.raises(Stopped):
        train("tictactoe", out=tmp_path / "parts", progress=Ear(90, press_ctrl_c), **TINY)
    assert same(train(resume=tmp_path / "parts"), undisturbed)


def test_the_record_tells_of_all_matches_since_the_line_before(run: Run) -> None:
    lines = [line for line in run.metrics() if line["kind"] == "progress"]
    assert [line["games"] for line in lines] == list(range(30, 3_001, 30))
    assert np.mean([line["won"] for line in lines]) == pytest.approx(lines[-1]["won_so_far"])
    assert np.mean([line["points"] for line in lines]) == pytest.approx(lines[-1]["points_so_far"])
    assert lines[-1]["searches"] == 0
    assert sum(line["won"] for line in lines[-20:]) > sum(line["won"] for line in lines[:20])


def test_players_of_a_table(run: Run, game: Any) -> None:
    assert run.player_name == f"q:{run.folder}"
    at = game.start()
    ranked = rank(player(run.player_name, game), at, stream(1))
    assert ask(player(run.player_name, game), at, stream(1)) == ranked[0][0]
    searching = player(f"qm:{run.folder}(playouts=50,nested=false)", game)
    alone, with_search = (
        arena(game, [who, "random"], 600, seed=1).rows[0].win_rate for who in (run.player(), searching)
    )
    assert with_search > alone > 0.5


def test_players_refuse_what_is_not_for_them(run: Run, tmp_path: Path) -> None:
    with pytest.raises(LudusError, match=r"is a model for tictactoe-.*not for hex3"):
        player(run.player_name, ludus.game("hex3"))
    with pytest.raises(LudusError, match="a number of playouts is a whole number from 1"):
        player(f"qm:{run.folder}(playouts=0)", run.game)
    with pytest.raises(LudusError, match="holds what player 'q' plays by; name it as q:"):
        player(f"td:{run.folder}", run.game)
    tensors, facts = storage.load(run.model)
    for name, broken, words in (
        ("rules", tensors["rules"] + np.uint64(1), "other rules"),
        ("keys", tensors["keys"][::-1].copy(), "not in order"),
        ("values", tensors["values"][:-1], "keys, but"),
        ("visits", tensors["visits"].astype(np.int32), "of another kind"),
    ):
        storage.save(tmp_path / "model.safetensors", tensors | {name: broken}, facts)
        with pytest.raises(LudusError, match=words):
            player(f"q:{tmp_path}", run.game)


def test_looking_into_a_table(run: Run, game: Any, capsys: pytest.CaptureFixture[str]) -> None:
    seen = inspect(run.folder)
    assert (seen.game, seen.seat, len(seen.moves)) == ("tictactoe", 0, 9)
    assert seen.moves[0].move == rank(run.player(), game.start(), stream(1))[0][0].text
    assert sum(entry.visits for entry in seen.moves) == 2_000  # the beginning of each match that was learned from
    at = game.start().play("mark 2 2")
    with pytest.raises(SystemExit) as ended:
        main(["table", str(run.folder), "--position", at.text, "--json"])
    assert ended.value.code in (0, None)
    shown = json.loads(capsys.readouterr().out)
    assert shown["seat"] == 1
    assert shown["entries"] == seen.entries
    assert [move["value"] for move in shown["moves"]] == sorted((m["value"] for m in shown["moves"]), reverse=True)


def test_games_without_lasting_numbers_have_no_tables(game: Any) -> None:
    class Fleeting(type(game)):  # type: ignore[misc]
        fleeting = True

    with pytest.raises(LudusError, match="no lasting numbers"):
        learner_of(Fleeting(*game), "wang2018-q", 100)
