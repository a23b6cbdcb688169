"""How fast the house is, beside its peers on the same machine: the engine of `ludus bench`, and what it measures of each game."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.bench import adapters, gdl, methods, searching
from ludus.bench.measuring import NOBODY, Measure, Peer, measured, not_installed, openspiel_rollouts, repeat
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
from ludus.games import game as game_of_name
from ludus.games.backgammon.rules import TURN
from ludus.games.quoridor.rules import perft
from ludus.kernel import kernel, specialises, stream
from ludus.methods.presets import PRESETS
from ludus.methods.traces import Traces
from ludus.nets.network import new_network
from ludus.nets.value import predict, predict_change, survey, workspace
from ludus.players.peers import board_of
from ludus.quantities import SECONDS

TOPICS: dict[str, Any] = {"gdl": gdl, "methods": methods, "adapters": adapters}  # what can be measured beside games


def bench(game_name: str, seconds: float = 2.0) -> list[dict[str, Any]]:
    """Measure a game on one core, giving each side of each measurement about so many seconds.

    "gdl" stands for a few rulesheets, read and played at random, "methods" for learners and players in plain Python, "adapters"
    for environments of other people's programs. The rows are `{"name", "value", "unit", "peer", "peer_value", "ratio"}`. Only
    what was measured has a `peer_value`; `peer` says where a package is not installed.
    """
    seconds = SECONDS.read(seconds, f"seconds={seconds}")
    if game_name in TOPICS:
        return [measured(measure, seconds) for measure in TOPICS[game_name].measures()]
    game = game_of_name(game_name)
    found = [measure for make in MEASURES if (measure := make(game)) is not None]
    return [measured(measure, seconds) for measure in (*found, *searching.measures(game))]


# --- games between players that move at random -----------------------------------------------------------------------


def _random_games(game: Any, name: str = "random games") -> Measure:
    facts, sizes = game.facts, sizes_of(game)
    state, total = Position.start(game).state.copy(), np.zeros(facts.seats)
    batch = 100

    def work(number: int) -> None:
        playouts(game, state, stream(1, number), batch, sizes, total)

    return Measure(name, "games/s", lambda s: repeat(work, batch, s), *_random_peer(game))


def _random_peer(game: Any) -> Peer:
    """Who else plays random games of this game."""
    if game.facts.name == "ludo":
        return _ludopy_games(game)
    if game.facts.name == "quoridor":
        return openspiel_rollouts(openspiel_quoridor(game), 200) if game.columns == game.size else NOBODY
    if game.facts.name == "backgammon":
        return openspiel_rollouts("backgammon(scoring_type=full_scoring)", 50)
    return NOBODY


def _random_games_of_ludopy(game: Any) -> Measure | None:
    """Classic Ludo has no peer: that of `ludopy`'s own rules is measured beside it."""
    if game.facts.name != "ludo" or game.parameters["rules"] != "classic":
        return None
    return _random_games(game_of_name(f"ludo(rules=ludopy,seats={game.seats})"), "random games, rules of ludopy")


def openspiel_quoridor(game: Any) -> str:
    """OpenSpiel's name of a game of Quoridor on a square board, as it has no others. Its limit is always four plies a square."""
    return f"quoridor(board_size={game.size},wall_count={game.walls},players={game.seats})"


def _ludopy_games(game: Any) -> Peer:
    """Random games of the package `ludopy`, if its installed version plays by these rules. It is used as its manual says,
    and writes the history of each game, which it can't be told not to.
    """
    if game.parameters["rules"] == "classic":
        return NOBODY
    try:
        import ludopy  # optional
        import ludopy.player
    except ImportError:
        return not_installed("ludopy")
    if game.goal != ludopy.player.GOAL_INDEX:
        return not_installed(f"ludopy with rules {game.parameters['rules']}")
    ghosts = {2: [1, 3], 3: [3], 4: []}[game.seats]
    choice = random.Random(1)

    def work(number: int) -> None:
        match, over = ludopy.Game(ghosts), False
        while not over:
            (_, pieces, *_), _ = match.get_observation()
            piece = pieces[int(choice.random() * len(pieces))] if len(pieces) else -1
            *_, over = match.answer_observation(piece)

    return Peer("ludopy", lambda seconds: repeat(work, 1, seconds))


# --- Quoridor's own --------------------------------------------------------------------------------------------------

# Positions a second whose legal moves a good generator in Numba was said to find on one core. Nobody measures it here: it is quoted.
QUOTED_SPEED = 2.3e6


def _perft(game: Any, depth: int, peer: Peer) -> Measure:
    state = Position.start(game).state.copy()

    def ours(seconds: float) -> float:
        # The processor's time, not the clock's: there is one long piece of work, which a busy machine would spoil.
        begun = time.process_time()
        perft(game, state, depth)
        return time.process_time() - begun

    return Measure(f"perft {depth}", "s", ours, *peer)


def _perft_quoted(game: Any) -> Measure | None:
    """The last but one ply of perft 4 is where the moves are counted: once for each of its positions."""
    if game.facts.name != "quoridor":
        return None
    positions = int(perft(game, Position.start(game).state.copy(), 3))
    seconds = positions / QUOTED_SPEED
    return _perft(game, 4, Peer(f"quoted, not measured: {seconds:.3g} s for {positions:,} positions"))


def _perft_of_openspiel(game: Any) -> Measure | None:
    if game.facts.name != "quoridor":
        return None
    return _perft(game, 3, _openspiel_perft(game, 3) if game.columns == game.size else NOBODY)


def _openspiel_perft(game: Any, depth: int) -> Peer:
    """The seconds that OpenSpiel takes when it is asked from Python. That is long: it is asked once, and says the same again."""
    try:
        import pyspiel  # optional
    except ImportError:
        return not_installed("OpenSpiel")

    def count(state: Any, depth: int) -> int:
        legal = set(state.legal_actions())
        return len(legal) if depth == 1 else sum(count(state.child(action), depth - 1) for action in legal)

    @functools.cache
    def once() -> float:
        state = pyspiel.load_game(openspiel_quoridor(game)).new_initial_state()
        begun = time.process_time()
        count(state, depth)
        return time.process_time() - begun

    return Peer("OpenSpiel from Python", lambda seconds: once())


def _guided_games(game: Any) -> Measure | None:
    """Games of sensible moves, as `mcts(guided=true)` plays them at its leaves."""
    if not specialises(guided_playouts, type(game)):
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
    settings = (
        PRESETS["ludo"]["alhajry2012-td"].settings if game.facts.name == "ludo" else {"encoding": "raw", "hidden": 40}
    )
    learner = Traces(**settings).begin(game, seed=1, games=1 << 40)

    def work(number: int) -> None:
        learner.advance()

    def ours(seconds: float) -> float:
        while learner.games < 2_000:
            learner.advance()
        return repeat(work, learner.unit, seconds)

    peer = _random_peer(game) if game.facts.name == "backgammon" else NOBODY
    name = f"{peer.name} random games" if peer.work else peer.name
    return Measure("training games", "games/s", ours, name, peer.work)


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

    return Measure("evaluations", "positions/s", lambda s: repeat(work, len(states), s), *_gnubg_evaluations(game))


@kernel
def _judge_moves(net: Any, encoding: Any, game: Any, states: Any, ws: Any, by_change: bool) -> int:
    """Judge the state after each move of each of these states; return how many."""
    listed, child, done = ws.legal, ws.children, 0
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
    answered = {name: e for name, e in game.encodings().items() if specialises(changes, type(e))}
    if not answered:
        return None
    encoding, facts = next(iter(answered.values())), game.facts
    sections, inputs, outputs = encoding.shape(game)
    net = new_network(sections, inputs, PRESETS[facts.name]["best"].settings["hidden"], outputs, seed=1)
    ws = workspace(net, game, facts.max_moves, facts.state_size, facts.seats)
    states = _positions(game, 5_000, seed=1)
    states = np.array(
        [s for s in states if moves(game, s, turn(game, s), ws.legal) > 20][:100]
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
def _fill(game: Any, states: Any, rng: Any, legal: Any, outcomes: Any, odds: Any) -> None:
    state, found = np.zeros(states.shape[1], np.int64), 0
    start(game, state)
    while found < len(states):
        seat = turn(game, state)
        if seat == OVER:
            start(game, state)
        elif seat == CHANCE:
            play(game, state, roll(game, state, rng, outcomes, odds))
        else:
            play(game, state, random_move(game, state, seat, rng, legal))
            if turn(game, state) != OVER:
                states[found] = state
                found += 1


def _gnubg_evaluations(game: Any) -> Peer:
    if game.facts.name != "backgammon":
        return NOBODY
    try:
        import gnubg_nn  # optional
    except ImportError:
        return not_installed("gnubg-nn")
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

    return Peer("GNU Backgammon 0-ply", theirs)


# What is measured, in this order. A maker returns None for a game that it does not concern.
MEASURES: list[Callable[[Any], Measure | None]] = [
    _random_games,
    _random_games_of_ludopy,
    _guided_games,
    _perft_quoted,
    _perft_of_openspiel,
    _training_games,
    _evaluations,
    _judged_moves,
]
