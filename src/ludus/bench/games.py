"""How fast the house is, beside its peers on the same machine: the engine of `ludus bench`.

A measurement is a pair of functions, ours and a peer's, each doing some work and saying how much of it. They take turns in
several short rounds, and the median of each counts: machines are noisy, and a noise that hits both spoils no ratio.
"""

from __future__ import annotations

import functools
import importlib
import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ludus.contract.position import Position
from ludus.contract.rules import (
    CHANCE,
    OVER,
    guided_playouts,
    moves,
    play,
    play_each,
    playouts,
    random_move,
    roll,
    sizes_of,
    start,
    turn,
)
from ludus.contract.views import changes, encoding_of
from ludus.errors import LudusError
from ludus.games import game as game_of_name
from ludus.kernel import kernel, stream
from ludus.methods.learner import new_learner
from ludus.methods.presets import PRESETS, Settings
from ludus.nets.network import new_network
from ludus.nets.value import predict, predict_change, survey, workspace

ROUNDS = 5

# What can be measured beside games: the module of each has a function `measures()`.
TOPICS = {"gdl": "ludus.bench.gdl", "methods": "ludus.bench.methods"}


class Measure(NamedTuple):
    """One line of a benchmark. `ours` and `theirs` work for about so many seconds and return how much they did a second."""

    name: str
    unit: str
    ours: Callable[[float], float] | None  # None: it can't be measured here, and the name says why
    peer: str | None = None
    theirs: Callable[[float], float] | None = None


def bench(game_name: str, seconds: float = 2.0) -> list[dict[str, Any]]:
    """Measure a game on one core, giving each side of each measurement about so many seconds.

    "gdl" stands for a few rulesheets, read and played at random, "methods" for learners and players in plain Python. The rows are `{"name", "value", "unit", "peer", "peer_value", "ratio"}`; the peer's are None where none is installed.
    """
    if seconds <= 0:
        raise LudusError(f"seconds={seconds}: give each measurement some time")
    if game_name in TOPICS:
        return [_row(measure, seconds) for measure in importlib.import_module(TOPICS[game_name]).measures()]
    game = game_of_name(game_name)
    return [_row(measure, seconds) for make in MEASURES for measure in [make(game)] if measure is not None]


def _row(measure: Measure, seconds: float) -> dict[str, Any]:
    ours: list[float] = []
    theirs: list[float] = []
    if measure.ours is None:
        return {
            "name": measure.name,
            "value": None,
            "unit": measure.unit,
            "peer": None,
            "peer_value": None,
            "ratio": None,
        }
    measure.ours(0.0)  # compiles
    for _ in range(ROUNDS):
        ours.append(measure.ours(seconds / ROUNDS))
        if measure.theirs is not None:
            theirs.append(measure.theirs(seconds / ROUNDS))
    value = statistics.median(ours)
    peer_value = statistics.median(theirs) if theirs else None
    return {
        "name": measure.name,
        "value": value,
        "unit": measure.unit,
        "peer": measure.peer if theirs else None,
        "peer_value": peer_value,
        "ratio": value / peer_value if peer_value else None,
    }


def repeat(work: Callable[[int], object], batch: int, seconds: float) -> float:
    """Do batches of work, numbered from 0, until the time is up; at least one. Returns how much was done a second."""
    begun = time.perf_counter()
    done = 0
    while done == 0 or time.perf_counter() < begun + seconds:
        work(done)
        done += batch
    return done / (time.perf_counter() - begun)


# --- games between players that move at random -----------------------------------------------------------------------


def _random_games(game: Any, name: str = "random games") -> Measure:
    facts, sizes = game.facts, sizes_of(game)
    state, total = Position.start(game).state.copy(), np.zeros(facts.seats)
    batch = 100

    def work(number: int) -> None:
        playouts(game, state, stream(1, number), batch, sizes, total)

    if facts.name == "ludo":
        peer, theirs = "ludopy", _ludopy_games(game)
    elif facts.name == "quoridor":
        peer, theirs = "OpenSpiel", openspiel_rollouts(openspiel_quoridor(game), 200)
    else:
        peer, theirs = "OpenSpiel", _openspiel_games(facts.name)
    return Measure(name, "games/s", lambda s: repeat(work, batch, s), peer, theirs)


def _random_games_of_ludopy(game: Any) -> Measure | None:
    """Classic Ludo has no peer: that of `ludopy`'s own rules is measured beside it."""
    if game.facts.name != "ludo" or game.parameters["rules"] != "classic":
        return None
    return _random_games(game_of_name(f"ludo(rules=ludopy,seats={game.seats})"), "random games, rules of ludopy")


def _openspiel_games(name: str) -> Callable[[float], float] | None:
    """OpenSpiel's random games in C++. Called from Python ply by ply it is a hundred times slower, which would tell of
    Python only; its search with random playouts runs them without leaving C++.
    """
    openings = {"backgammon": "backgammon(scoring_type=full_scoring)"}
    try:
        import pyspiel
    except ImportError:
        return None
    if name not in openings:
        return None
    game = pyspiel.load_game(openings[name])
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    batch = 50

    def work(number: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(1, number + 1)
        pyspiel.MCTSBot(game, evaluator, 2.0, batch, 1000, False, 1, False).step(state)

    return lambda seconds: repeat(work, batch, seconds)


def openspiel_rollouts(name: str, rollouts: int) -> Callable[[float], float] | None:
    """OpenSpiel's rollouts: a search of one simulation evaluates its root by as many as we like."""
    try:
        import pyspiel
    except ImportError:
        return None
    game: Any = pyspiel.load_game(name)

    def work(number: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, number + 1)
        pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, number + 1, False).step(game.new_initial_state())

    return lambda seconds: repeat(work, rollouts, seconds)


def openspiel_quoridor(game: Any) -> str:
    """OpenSpiel's name of a game of Quoridor. Its limit is always four plies a square."""
    return f"quoridor(board_size={game.size},wall_count={game.walls},players={game.seats})"


def _ludopy_games(game: Any) -> Callable[[float], float] | None:
    """Random games of the package `ludopy`, if its installed version plays by these rules. It is used as its manual says,
    and writes the history of each game, which it can't be told not to.
    """
    try:
        import ludopy
        import ludopy.player
    except ImportError:
        return None
    if game.parameters["rules"] == "classic" or game.goal != ludopy.player.GOAL_INDEX:
        return None
    ghosts = {2: [1, 3], 3: [3], 4: []}[game.seats]
    choice = random.Random(1)

    def work(number: int) -> None:
        match, over = ludopy.Game(ghosts), False
        while not over:
            (_, pieces, *_), _ = match.get_observation()
            piece = pieces[int(choice.random() * len(pieces))] if len(pieces) else -1
            *_, over = match.answer_observation(piece)

    return lambda seconds: repeat(work, 1, seconds)


# --- Quoridor's own --------------------------------------------------------------------------------------------------

GENERATOR = 2.3e6  # positions a second whose legal moves a good generator finds: a trial with Numba on one core


def _perft(game: Any, depth: int, peer: str, theirs: Callable[[float], float] | None) -> Measure:
    from ludus.games.quoridor.rules import perft

    state = Position.start(game).state.copy()

    def ours(seconds: float) -> float:
        # The processor's time, not the clock's: what it stands beside is a fixed number, which a busy machine would not hit too.
        begun = time.process_time()
        perft(game, state, depth)
        return time.process_time() - begun

    return Measure(f"perft {depth}", "s", ours, peer, theirs)


def _perft_of_generator(game: Any) -> Measure | None:
    """The last but one ply of perft 4 is where the moves are counted: once for each of its positions."""
    if game.facts.name != "quoridor":
        return None
    from ludus.games.quoridor.rules import perft

    positions = int(perft(game, Position.start(game).state.copy(), 3))
    peer = f"{positions:,} positions at {GENERATOR / 1e6:g} M/s"
    return _perft(game, 4, peer, lambda seconds: positions / GENERATOR)


def _perft_of_openspiel(game: Any) -> Measure | None:
    if game.facts.name != "quoridor":
        return None
    return _perft(game, 3, "OpenSpiel from Python", _openspiel_perft(game, 3))


def _openspiel_perft(game: Any, depth: int) -> Callable[[float], float] | None:
    """The seconds that OpenSpiel takes when it is asked from Python. That is long: it is asked once, and says the same again."""
    try:
        import pyspiel
    except ImportError:
        return None

    def count(state: Any, depth: int) -> int:
        listed = state.legal_actions()
        return len(set(listed)) if depth == 1 else sum(count(state.child(action), depth - 1) for action in set(listed))

    @functools.cache
    def once() -> float:
        state = pyspiel.load_game(openspiel_quoridor(game)).new_initial_state()
        begun = time.process_time()
        count(state, depth)
        return time.process_time() - begun

    return lambda seconds: once()


def _guided_games(game: Any) -> Measure | None:
    """Games of sensible moves, as `mcts(guided=true)` plays them at its leaves."""
    if type(game) not in guided_playouts.answers:  # type: ignore[attr-defined]
        return None
    state, sizes, total = Position.start(game).state.copy(), sizes_of(game), np.zeros(game.facts.seats)

    def work(number: int) -> None:
        guided_playouts(game, state, stream(1, number), 100, sizes, total)

    return Measure("guided games", "games/s", lambda s: repeat(work, 100, s))


# --- learning and judging --------------------------------------------------------------------------------------------


def _training_games(game: Any) -> Measure | None:
    """TD(λ) with eligibility traces on raw inputs and 40 hidden units, or as Ludo's paper has it, from the 2,000th game on:
    first games are odd.
    """
    if "raw" not in game.encodings():
        return None
    settings = PRESETS["ludo"]["alhajry2012-td"] if game.facts.name == "ludo" else Settings("traces", "raw", 40)
    learner = new_learner(game, settings.changed(games=1 << 40), seed=1)

    def work(number: int) -> None:
        learner.advance()

    def ours(seconds: float) -> float:
        while learner.games < 2_000:
            learner.advance()
        return repeat(work, learner.unit, seconds)

    peer = _openspiel_games(game.facts.name)
    return Measure("training games", "games/s", ours, "OpenSpiel random games", peer)


@kernel
def _judge_all(net: Any, encoding: Any, game: Any, states: Any, ws: Any) -> None:
    for i in range(len(states)):
        predict(net, encoding, game, states[i], ws)


def _evaluations(game: Any) -> Measure | None:
    """Positions a second that a network with raw inputs and 80 hidden units judges."""
    if "raw" not in game.encodings():
        return None
    encoding, facts = encoding_of(game, "raw"), game.facts
    sections, inputs, outputs = encoding.shape(game)
    net = new_network(sections, inputs, 80, outputs, seed=1)
    ws = workspace(net, game, facts.max_moves, facts.state_size, facts.seats)
    states = _positions(game, 5_000, seed=1)

    def work(number: int) -> None:
        _judge_all(net, encoding, game, states, ws)

    peer = _gnubg_evaluations(game)
    return Measure("evaluations", "positions/s", lambda s: repeat(work, len(states), s), "GNU Backgammon 0-ply", peer)


@kernel
def _judge_moves(net: Any, encoding: Any, game: Any, states: Any, ws: Any, by_change: bool) -> int:
    """Judge the state after each move of each of these states; return how many."""
    listed, child, done = ws.listed, ws.children, 0
    for i in range(len(states)):
        count = moves(game, states[i], turn(game, states[i]), listed)
        if by_change:
            survey(net, encoding, game, states[i], ws)
        for k in range(count):
            if not (by_change and predict_change(net, encoding, game, states[i], listed[k], ws)):
                play_each(game, states[i], listed, k, 1, child)
                predict(net, encoding, game, child[0], ws)
        done += count
    return done


def _judged_moves(game: Any) -> Measure | None:
    """Moves a second that the network of the preset `best` judges by what they change, beside the same without that."""
    answered = {name: e for name, e in game.encodings().items() if type(e) in changes.answers}  # type: ignore[attr-defined]
    if not answered:
        return None
    encoding, facts = next(iter(answered.values())), game.facts
    sections, inputs, outputs = encoding.shape(game)
    net = new_network(sections, inputs, PRESETS[facts.name]["best"].hidden, outputs, seed=1)
    ws = workspace(net, game, facts.max_moves, facts.state_size, facts.seats)
    states = _positions(game, 5_000, seed=1)
    states = np.array(
        [s for s in states if moves(game, s, turn(game, s), ws.listed) > 20][:100]
    )  # there are walls to build

    def judge(by_change: bool) -> Callable[[float], float]:
        batch = _judge_moves(net, encoding, game, states, ws, by_change)
        return lambda seconds: repeat(
            lambda number: _judge_moves(net, encoding, game, states, ws, by_change), batch, seconds
        )

    return Measure("moves judged", "moves/s", judge(True), "each position anew", judge(False))


def _positions(game: Any, count: int, seed: int) -> np.ndarray:
    """Positions after moves of random games, to judge."""
    facts = game.facts
    states = np.zeros((count, facts.state_size), np.int64)
    chances = max(facts.max_chances, 1)
    _fill(game, states, stream(seed), *(np.zeros(n, np.int64) for n in (facts.max_moves, chances)), np.zeros(chances))
    return states


@kernel
def _fill(game: Any, states: Any, rng: Any, room: Any, outcomes: Any, odds: Any) -> None:
    state, found = np.zeros(states.shape[1], np.int64), 0
    start(game, state)
    while found < len(states):
        seat = turn(game, state)
        if seat == OVER:
            start(game, state)
        elif seat == CHANCE:
            play(game, state, roll(game, state, rng, outcomes, odds))
        else:
            play(game, state, random_move(game, state, seat, rng, room))
            if turn(game, state) != OVER:
                states[found] = state
                found += 1


def _gnubg_evaluations(game: Any) -> Callable[[float], float] | None:
    if game.facts.name != "backgammon":
        return None
    try:
        import gnubg_nn

        from ludus.games.backgammon.rules import TURN
        from ludus.players.peers import board_of
    except ImportError:
        return None
    calls = iter(range(1, 1 << 30))

    def theirs(seconds: float) -> float:
        # Each call has positions of its own, as GNU Backgammon remembers what it has judged. They are made before the
        # clock starts, as many as it could judge three times as fast as it is known to.
        states = _positions(game, max(round(seconds * 400_000), 1), seed=next(calls))
        boards = [board_of(state, int(state[TURN])) for state in states]
        begun = time.perf_counter()
        for done, board in enumerate(boards):  # noqa: B007
            gnubg_nn.probabilities(board, 0)
            if time.perf_counter() - begun > seconds:
                break
        return (done + 1) / (time.perf_counter() - begun)

    return theirs


# What is measured, in this order. A maker returns None for a game that it does not concern.
MEASURES: list[Callable[[Any], Measure | None]] = [
    _random_games,
    _random_games_of_ludopy,
    _guided_games,
    _perft_of_generator,
    _perft_of_openspiel,
    _training_games,
    _evaluations,
    _judged_moves,
]
