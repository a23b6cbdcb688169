"""Our games for OpenSpiel's algorithms: its own conformance test on every family, on variants and on rulesheets, and its algorithms at work on them."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.adapters.actions import Actions
from ludus.adapters.sights import Sights
from ludus.bench import openspiel as bench
from ludus.bench.measuring import measured
from ludus.errors import LudusError
from ludus.games import REGISTRY
from ludus.games.gdl import read_text, shipped

pyspiel = pytest.importorskip("pyspiel")

from ludus.adapters import openspiel  # noqa: E402
from ludus.adapters.openspiel.registering import PARAMETERS  # noqa: E402

Type = pyspiel.GameType
EXAMPLE = Path(__file__).parent.parent / "examples" / "adapters" / "openspiel_qlearning.py"

# Dice games are cut: a test looks at each of their states many times.
FAMILIES = [
    "ludus_backgammon(max_game_length=40)",
    "ludus_backgammon(ids=openspiel,max_game_length=40)",
    "ludus_backgammon(bearoff=3)",
    "ludus_backgammon(match=3,bearoff=2)",
    "ludus_backgammon(cube=true,jacoby=true,beavers=2,max_game_length=40)",
    "ludus_backgammon(scoring=1,bearoff=5,ids=openspiel)",
    "ludus_ludo(max_game_length=30)",
    "ludus_ludo(rules=ludopy,seats=2,max_game_length=30)",
    "ludus_ludo(rules=ludopy-1.3.1,seats=3,max_game_length=30)",
    "ludus_ludo(blockades=pass,exact=False,seats=2,max_game_length=30)",
    "ludus_quoridor(limit=30)",
    "ludus_quoridor(size=5)",
    "ludus_quoridor(size=3,walls=1)",
    "ludus_quoridor(size=3,columns=5,walls=1)",
    "ludus_quoridor(size=5,seats=4)",
]
SHEETS = ["tictactoe", "nim", "pig", "rockpaperscissors", "tron", "eightpuzzle", "lightsout", "hex3", "connectfour4x4", "trio", "maze", "kingrook"]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        *FAMILIES,
        *(f"ludus_{sheet}" for sheet in SHEETS),
        "ludus_game(title=tictactoe)",
        "ludus_game(title=quoridor[size|3;walls|1])",
    ],
)
def test_openspiels_own_test_of_games(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "ludus_backgammon",
        "ludus_ludo",
        *(f"ludus_{sheet}" for sheet in shipped() if "(sees " not in read_text(shipped()[sheet])),
    ],
)
def test_openspiels_own_test_of_whole_games(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


# --- names and what games say of themselves --------------------------------------------------------------------------


def test_every_game_and_rulesheet_has_a_name_with_its_parameters() -> None:
    known = {kind.short_name: kind.parameter_specification for kind in pyspiel.registered_games()}
    for name, entry in REGISTRY.items():
        assert set(PARAMETERS[name]) - {"ids"} == set(entry.parameters)
        assert set(entry.parameters) < set(known[f"ludus_{name}"])
    assert {f"ludus_{sheet}" for sheet in shipped()} < set(known)


@pytest.mark.parametrize(
    ("name", "dynamics", "chance", "utility", "length"),
    [
        ("ludus_backgammon", "SEQUENTIAL", "EXPLICIT_STOCHASTIC", "ZERO_SUM", 5000),
        ("ludus_ludo(max_game_length=99)", "SEQUENTIAL", "EXPLICIT_STOCHASTIC", "CONSTANT_SUM", 99),
        ("ludus_quoridor(size=5)", "SEQUENTIAL", "DETERMINISTIC", "ZERO_SUM", 100),
        ("ludus_tron", "SIMULTANEOUS", "DETERMINISTIC", "CONSTANT_SUM", 5000),
        ("ludus_kingrook", "SEQUENTIAL", "DETERMINISTIC", "CONSTANT_SUM", 40),
        ("ludus_eightpuzzle", "SEQUENTIAL", "DETERMINISTIC", "GENERAL_SUM", 40),
        ("ludus_rockpaperscissors(utility=general)", "SIMULTANEOUS", "DETERMINISTIC", "GENERAL_SUM", 5),
        ("ludus_tictactoe(dynamics=simultaneous)", "SIMULTANEOUS", "DETERMINISTIC", "CONSTANT_SUM", 5000),
    ],
)
def test_a_game_says_what_it_is_like(name: str, dynamics: str, chance: str, utility: str, length: int) -> None:
    game = pyspiel.load_game(name)
    kind = game.get_type()
    assert kind.dynamics == getattr(Type.Dynamics, dynamics)
    assert kind.chance_mode == getattr(Type.ChanceMode, chance)
    assert kind.utility == getattr(Type.Utility, utility)
    assert game.max_game_length() == length


def test_a_game_of_ludus_goes_by_its_own_name_too() -> None:
    for name, spiel in [
        ("quoridor(size=5,walls=2)", "ludus_quoridor(size=5,walls=2)"),
        ("quoridor(size=5,columns=7)", "ludus_quoridor(columns=7,size=5)"),
        (ludus.game("ludo(seats=2)"), "ludus_ludo(seats=2)"),
        ("tictactoe", "ludus_tictactoe()"),
        ("backgammon-steps(bearoff=3)", "ludus_game(title=backgammon-steps[bearoff|3])"),
    ]:
        assert str(openspiel.game(name)) == spiel


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ludus_quoridor(size=99)", "from 3 to 9"),
        ("ludus_game(title=quoridr)", "did you mean 'quoridor'"),
        ("ludus_backgammon(ids=letters)", "steps"),
        ("ludus_backgammon(match=3,ids=openspiel)", "OpenSpiel's backgammon knows no cube"),
        ("ludus_tictactoe(dynamics=odd)", "unknown dynamics 'odd'"),
        ("ludus_tictactoe(utility=odd)", "unknown utility 'odd'"),
        ("ludus_tictactoe(max_game_length=-4)", "a number of moves"),
    ],
)
def test_what_can_not_be_had_is_refused_in_a_line(name: str, why: str) -> None:
    with pytest.raises(LudusError, match=why) as error:
        pyspiel.load_game(name)
    assert "\n" not in str(error.value)


def test_a_parameter_that_no_game_has_is_refused() -> None:
    with pytest.raises(LudusError, match="did you mean 'max_game_length'"):
        openspiel.game("tictactoe", max_length=4)


# --- states ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["backgammon", "ludo", "quoridor(size=5)", "pig", "tron"])
def test_states_go_as_our_games_do(name: str) -> None:
    """A random game in both: the same turns, moves, chances and scores, by the ids of `ludus.adapters.actions`."""
    state, actions, draw = openspiel.game(name).new_initial_state(), Actions(name), random.Random(4)
    position = actions.game.start()
    for _ in range(2000):
        kind = position.kind
        if kind == "over":
            break
        if kind == "chance":
            assert state.is_chance_node()
            outcomes, chances = state.chance_outcomes(), position.chances()
            assert [p for _, p in outcomes] == [p for _, p in chances]
            assert [state.action_to_string(o) for o, _ in outcomes] == [str(move) for move, _ in chances]
            chosen = draw.randrange(len(outcomes))
            state.apply_action(chosen)
            position = position.play(chances[chosen][0])
        else:
            seats = range(state.num_players()) if kind == "joint" else [position.turn]
            assert state.is_simultaneous_node() == (kind == "joint")
            for seat in seats:
                texts = [state.action_to_string(seat, action) for action in state.legal_actions(seat)]
                assert sorted(texts) == sorted(str(move) for move in position.moves(seat))
            chosen = [draw.choice(state.legal_actions(seat)) for seat in seats]
            moves = [actions.move(seat, action) for seat, action in zip(seats, chosen, strict=True)]
            state.apply_actions(chosen) if kind == "joint" else state.apply_action(chosen[0])
            position = position.play(moves) if kind == "joint" else position.play(moves[0])
        assert str(state) == str(position)
    assert state.is_terminal()
    assert state.returns() == position.scores()


def test_a_clone_shares_what_never_changes_and_goes_its_own_way() -> None:
    state = openspiel.game("tictactoe").new_initial_state()
    other = state.clone()
    assert other.moment is state.moment
    other.apply_action(other.legal_actions()[4])
    assert (len(state.legal_actions()), len(other.legal_actions())) == (9, 8)
    assert (state.history(), other.history()) == ([], [4])


@pytest.mark.parametrize("name", ["ludus_backgammon(ids=openspiel)", "ludus_tron", "ludus_quoridor(seats=4,size=5)"])
def test_games_and_states_read_back_from_their_text(name: str) -> None:
    state, draw = pyspiel.load_game(name).new_initial_state(), random.Random(2)
    for _ in range(3):
        if state.is_simultaneous_node():
            state.apply_actions([draw.choice(state.legal_actions(seat)) for seat in range(state.num_players())])
        else:
            state.apply_action(draw.choice(state.legal_actions()))
    game, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
    assert str(game) == str(state.get_game())
    assert (str(again), again.history(), again.legal_actions()) == (str(state), state.history(), state.legal_actions())


def test_a_game_that_goes_on_for_too_long_is_cut_and_nobody_wins() -> None:
    state = openspiel.game("tictactoe", max_game_length=3).new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.is_cut()
    assert state.returns() == [0.5, 0.5]


def test_an_illegal_action_is_named() -> None:
    state = openspiel.game("tictactoe").new_initial_state()
    with pytest.raises(LudusError, match="action 9 is not legal for seat 0 here; legal are 0"):
        state.apply_action(9)


def test_a_game_that_is_not_what_random_games_told_says_what_to_do() -> None:
    with pytest.raises(LudusError, match="dynamics=simultaneous"):
        openspiel.game("tron", dynamics="sequential").new_initial_state().current_player()
    game = openspiel.game("rockpaperscissors", utility="auto")
    game.sum = 0.5
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_actions([0, 0])
    with pytest.raises(LudusError, match="utility=general"):
        state.returns()


# --- observers -------------------------------------------------------------------------------------------------------


def test_an_observer_shows_tensors_in_parts_and_strings() -> None:
    game = openspiel.game("backgammon")
    state = game.new_initial_state()
    state.apply_action(0)
    observer = game.make_py_observer()
    observer.set_from(state, 0)
    assert {name: part.shape for name, part in observer.dict.items()} == {"turn": (2,), "observation": (204,)}
    assert observer.dict["turn"].tolist() == [state.current_player() == 0, state.current_player() == 1]
    assert np.shares_memory(observer.tensor, observer.dict["observation"])
    assert observer.tensor.tolist() == state.observation_tensor(0) != state.observation_tensor(1)
    assert observer.dict["observation"].tolist() == Sights(game.actions).one(state.moment.array, 0, False).tolist()
    assert observer.string_from(state, 0) == state.text == state.observation_string(1)
    assert state.information_state_string(0) == "0"


def test_what_is_seen_tells_positions_apart() -> None:
    for name in ("tictactoe", "quoridor(size=3,seats=4)"):
        state = openspiel.game(name).new_initial_state()
        seen = {tuple(state.child(action).observation_tensor(0)) for action in state.legal_actions()}
        assert len(seen) == len(state.legal_actions())


# --- OpenSpiel's algorithms ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small_nim(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Nim with heaps of 1 and 2: who begins takes one of the two, and wins."""
    path = tmp_path_factory.mktemp("sheets") / "nim12.kif"
    text = read_text(shipped()["nim"])
    for old, new in [("(init (heap b 3))", "(init (heap b 2))"), ("(init (heap c 5))", ""), ("(init (heap d 7))", "")]:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return openspiel.game(str(path))


def test_cfr_in_cpp_and_exploitability(small_nim: Any) -> None:
    exploitability = importlib.import_module("open_spiel.python.algorithms.exploitability")
    solver = pyspiel.CFRPlusSolver(small_nim)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    worse = exploitability.exploitability(small_nim, pyspiel.UniformRandomPolicy(small_nim))
    best = exploitability.exploitability(small_nim, solver.average_policy())
    assert best < 0.05 < worse
    start = small_nim.new_initial_state()
    policy = solver.average_policy().action_probabilities(start)
    assert start.action_to_string(0, max(policy, key=policy.get)) == "( take b 1 )"


def test_mcts_in_python_finds_the_winning_move() -> None:
    mcts = importlib.import_module("open_spiel.python.algorithms.mcts")
    game = openspiel.game("tictactoe")
    position = ludus.game("tictactoe")
    row = position.start().play("mark 1 1").play("mark 2 1").play("mark 1 2").play("mark 2 2")
    draw = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 100, mcts.RandomRolloutEvaluator(1, draw), random_state=draw)
    state = openspiel.state_of(game, row)
    assert state.action_to_string(0, bot.step(state)) == "( mark 1 3 )"


def test_the_example_learns_by_q_learning_and_plays_in_the_arena() -> None:
    spec = importlib.util.spec_from_file_location("openspiel_qlearning", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    player = example.as_player("tictactoe", example.learn("tictactoe", games=300))
    result = ludus.arena("tictactoe", [player, "random"], games=60, seed=1)
    again = ludus.arena("tictactoe", [player, "random"], games=60, seed=1)
    assert [row.wins for row in result.rows] == [row.wins for row in again.rows]
    assert result["qlearning"].wins > 30  # against 60: more than it loses


# --- how fast it is --------------------------------------------------------------------------------------------------


def test_the_benchmark_measures_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "OURS", (("tictactoe", "python_tic_tac_toe"),))
    rows = [measured(measure, 0.01) for measure in bench.measures()]
    assert [row["name"] for row in rows] == ["OpenSpiel, tictactoe", "openspiel:connect_four in ludus"]
    assert all(row["value"] > 0 and row["peer_value"] > 0 for row in rows)


def test_a_missing_openspiel_is_named_by_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (only,) = bench.measures()
    assert only.peer == "not installed: OpenSpiel"
