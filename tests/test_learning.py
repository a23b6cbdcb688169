"""Learning: both learners against naive references, a game that is learned until it is solved, and the player that results."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ludus
import naive
import stairs
from ludus.contract import rules, views
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER
from ludus.errors import LudusError
from ludus.games.backgammon import Backgammon
from ludus.games.backgammon.features import Raw, Rich
from ludus.kernel import JIT, stream
from ludus.methods import Method, method_class
from ludus.methods.episodes import Episodes, NoPartner, Seats
from ludus.methods.lessons import learn_again, new_notes, remember
from ludus.methods.presets import preset
from ludus.methods.selfplay import Batch, SelfPlay, Targets, play_and_learn
from ludus.methods.traces import Progress, Traces, learn_games
from ludus.nets import storage
from ludus.nets.adam import adam_step
from ludus.nets.network import Network, empty_network, new_network
from ludus.players.base import Random, ask, choose, rank
from ludus.players.greedy import make_td, td_player
from stairs import Stairs, Table
from toys import Pennies

BACKGAMMON = Backgammon()
compiled_only = pytest.mark.skipif(not JIT, reason="too much for plain Python")


def sizes(game: Any) -> tuple[int, int, int, int]:
    facts = game.facts
    return facts.max_moves, facts.state_size, facts.seats, max(facts.max_chances, 1)


def fresh(game: Any, encoding: Any, hidden: int, seed: int) -> Network:
    sections, inputs, outputs = encoding.shape(game)
    return new_network(sections, inputs, hidden, outputs, seed)


def learn(net: Network, encoding: Any, seed: int, games: range, rate: float, decay: float) -> int:
    """Let a network learn backgammon from games with itself, by traces."""
    episodes = Episodes(seed, games.start, np.zeros(len(games)))
    both_seats = Seats(0b11, False, NoPartner())
    return learn_games(net, encoding, BACKGAMMON, sizes(BACKGAMMON), both_seats, episodes, Progress(rate, decay))[0]


def plain(decay: float, look_ahead: bool) -> Targets:
    """λ-returns alone: no random moves, no playouts."""
    return Targets(decay, look_ahead, 0.0, 0.0, 0, 0, 0.0)


def flat(net: Network) -> np.ndarray:
    return np.concatenate([part.reshape(-1) for part in net])


def self_play(judge: naive.Judge, seed: int, number: int) -> Any:
    """The states after each move of a game that a network plays against itself, with the dice that learners use."""
    game, rng = judge.game, stream(seed, number, 0)
    room = max(game.facts.max_chances, 1)
    state = np.zeros(game.facts.state_size, np.int64)
    rules.start(game, state)
    while (seat := rules.turn(game, state)) != OVER:
        if seat == CHANCE:
            rules.play(game, state, rules.roll(game, state, rng, np.zeros(room, np.int64), np.zeros(room)))
        else:
            rules.play(game, state, clearly_best(judge, state, seat))
            yield state.copy()


def clearly_best(judge: naive.Judge, state: np.ndarray, seat: int) -> int:
    """The best move. References and kernels play the same game only as long as no choice hangs on rounding."""
    values = {move: judge.worth(judge.static(judge.after(state, move)))[seat] for move in judge.moves(state, seat)}
    ranked = sorted(values, key=lambda move: -values[move])
    if len(ranked) > 1:
        assert values[ranked[0]] - values[ranked[1]] > 1e-6, "two moves are too close for rounding: take another seed"
    return ranked[0]


# --- TD(λ) with traces -----------------------------------------------------------------------------------------------


def naive_td(net: Network, encoding: Any, game: Any, seed: int, games: int, alpha: float, decay: float) -> None:
    """Tesauro's TD(λ), word for word: w += α (Y(t+1) - Y(t)) e(t), with e(t) = λ e(t-1) + ∇Y(t), for each output."""
    judge = naive.Judge(net, encoding, game)
    for number in range(games):
        traces = [naive.wide(empty_network(*net.shape)) for _ in net.b2[0]]
        x = None
        for state in self_play(judge, seed, number):
            target = judge.static(state)
            if x is not None:
                error = target - naive.forward(net, 0, x)[1]
                for o, trace in enumerate(traces):
                    for part, slope in zip(net, trace, strict=True):
                        part += alpha * error[o] * slope
            if rules.turn(game, state) == OVER:
                break
            x = naive.dense(encoding, game, state)
            hidden, output = naive.forward(net, 0, x)
            for o, trace in enumerate(traces):
                slope = output[o] * (1 - output[o])
                back = slope * net.w2[0, o] * hidden * (1 - hidden)
                for part in trace:
                    part *= decay
                trace.b2[0, o] += slope
                trace.w2[0, o] += slope * hidden
                trace.b1[0] += back
                trace.w1[0] += np.outer(x, back)


@pytest.mark.parametrize("encoding", [Raw(2), Raw(4)], ids=str)
def test_td_with_traces_learns_what_a_naive_one_does(encoding):
    games = 3 if JIT else 2
    net = fresh(BACKGAMMON, encoding, 5, seed=1)
    before, reference = flat(net), naive.wide(net)
    learn(net, encoding, 6, range(games), 0.1, 0.7)
    naive_td(reference, encoding, BACKGAMMON, 6, games, 0.1, 0.7)
    learned = flat(reference) - before
    assert np.abs(learned).max() > 0.01
    assert flat(net) - before == pytest.approx(learned, rel=1e-3, abs=1e-4 * np.abs(learned).max())


@pytest.mark.parametrize("decay", [0.0, 1.0])
def test_td_with_traces_at_both_ends_of_λ(decay):
    net = fresh(BACKGAMMON, Raw(2), 3, seed=2)
    before, reference = flat(net), naive.wide(net)
    learn(net, Raw(2), 12, range(2), 0.05, decay)
    naive_td(reference, Raw(2), BACKGAMMON, 12, 2, 0.05, decay)
    learned = flat(reference) - before
    assert flat(net) - before == pytest.approx(learned, rel=1e-3, abs=1e-4 * np.abs(learned).max())


@compiled_only
def test_td_with_traces_may_stop_between_any_two_games():
    whole, parts = (fresh(BACKGAMMON, Raw(2), 5, seed=3) for _ in range(2))
    moves = learn(whole, Raw(2), 1, range(12), 0.1, 0.7)
    again = [learn(parts, Raw(2), 1, games, 0.1, 0.7) for games in (range(1), range(1, 8), range(8, 12))]
    assert sum(again) == moves
    assert flat(parts).tobytes() == flat(whole).tobytes()


def test_traces_refuse_an_encoding_that_looks_from_the_movers_side():
    # Predictions from alternating sides can't be compared from one position to the next.
    for name in ("rich", "board"):
        with pytest.raises(LudusError, match="'traces' needs"):
            Traces(encoding=name, hidden=4).begin(BACKGAMMON, 1, 10)


def test_games_in_which_all_move_at_once_are_refused():
    with pytest.raises(LudusError, match="in pennies all seats move at once"):
        Traces().begin(Pennies())


# --- λ-returns -------------------------------------------------------------------------------------------------------


def naive_gradient(
    net: Network, encoding: Any, game: Any, seed: int, games: int, decay: float, look_ahead: bool
) -> tuple[Network, int]:
    """The slope of the cross-entropy between predictions and λ-returns, over all positions of some games."""
    judge = naive.Judge(net, encoding, game)
    gradient = naive.wide(empty_network(*net.shape))
    positions = 0
    for number in range(games):
        path = list(self_play(judge, seed, number))
        V = [judge.static(state) for state in path]  # the last one is the outcome
        B = [judge.expect(state, 1) for state in path[:-1]] if look_ahead else V[1:]
        for t, state in enumerate(path[:-1]):
            G = B[t] + sum(decay ** (n - t) * (B[n] - V[n]) for n in range(t + 1, len(B)))
            views.to_view(encoding, game, state, G)
            k, x = views.section(encoding, game, state), naive.dense(encoding, game, state)
            hidden, output = naive.forward(net, k, x)
            error = output - G
            back = (error @ net.w2[k]) * hidden * (1 - hidden)
            gradient.b2[k] += error
            gradient.w2[k] += np.outer(error, hidden)
            gradient.b1[k] += back
            gradient.w1[k] += np.outer(x, back)
            positions += 1
    return gradient, positions


@pytest.mark.parametrize("look_ahead", [False, True], ids=["", "looking ahead"])
@pytest.mark.parametrize(
    ("game", "encoding", "games"),
    [
        pytest.param(Stairs(), Table(), 3, id="four seats"),
        pytest.param(BACKGAMMON, Rich(), 1, id="backgammon", marks=compiled_only),
    ],
)
def test_lambda_returns_teach_what_naive_ones_do(game, encoding, games, look_ahead):
    net = fresh(game, encoding, 4, seed=1)
    gradient = empty_network(*net.shape)
    positions, _ = play_and_learn(
        net, gradient, encoding, game, sizes(game), Batch(7, 0, games), plain(0.7, look_ahead)
    )
    reference, count = naive_gradient(naive.wide(net), encoding, game, 7, games, 0.7, look_ahead)
    assert positions == count
    wanted = flat(reference)
    assert np.abs(wanted).max() > 0.1
    # Looking ahead takes many more choices, of which one or the other may hang on rounding after all.
    tolerance = 1e-3 if look_ahead and isinstance(game, Backgammon) else 1e-4
    assert flat(gradient) == pytest.approx(wanted, rel=1e-3, abs=tolerance * np.abs(wanted).max())


def test_learning_from_no_games_changes_nothing():
    net = fresh(Stairs(), Table(), 4, seed=1)
    gradient = empty_network(*net.shape)
    nothing = play_and_learn(net, gradient, Table(), Stairs(), sizes(Stairs()), Batch(1, 0, 0), plain(0.7, False))
    assert nothing == (0, 0)
    assert not flat(gradient).any()


@pytest.mark.parametrize("look_ahead", [False, True], ids=["", "looking ahead"])
def test_what_is_noted_teaches_the_same_as_what_is_learned_at_once(look_ahead):
    game, encoding = Stairs(), Table()
    net = fresh(game, encoding, 4, seed=1)
    at_once, later, options = empty_network(*net.shape), empty_network(*net.shape), plain(0.7, look_ahead)
    notes = new_notes(500, game.facts.state_size, encoding.shape(game)[2])
    counts = [
        play_and_learn(net, place, encoding, game, sizes(game), Batch(7, 0, 5), options) for place in (at_once, notes)
    ]
    assert counts[0] == counts[1]
    assert counts[0][0] == notes.used[0] > 20
    learn_again(net, later, encoding, game, notes, np.arange(notes.used[0]))
    assert flat(later) == pytest.approx(flat(at_once), rel=1e-5, abs=1e-6)
    assert np.abs(flat(later)).max() > 0.1


def test_a_memory_forgets_what_is_oldest():
    memory, notes = new_notes(5, 1, 1), new_notes(4, 1, 1)
    for first in (0, 3, 6):
        notes.states[:3, 0] = notes.targets[:3, 0] = np.arange(first, first + 3)
        notes.used[0] = 3
        remember(memory, notes)
        assert notes.used[0] == 0
    assert sorted(memory.states[:, 0]) == sorted(memory.targets[:, 0]) == [4, 5, 6, 7, 8]
    assert memory.used[0] == 9


@compiled_only
def test_a_training_with_a_memory_goes_on_as_if_nothing_had_happened():
    plan = SelfPlay(encoding="board", hidden=4, batch=6, memory=300, minibatch=32, passes=2.0, averaging=0.9)
    whole = train(plan, 24)
    half = plan.begin(BACKGAMMON, 4, 24)
    half.advance()
    half.advance()
    kept, counters = {name: array.copy() for name, array in half.state().items()}, dict(half.counters)
    rest = plan.begin(BACKGAMMON, 4, 24)
    rest.restore(kept)
    rest.counters.update(counters)
    while rest.games < 24:
        rest.advance()
    half.close()
    rest.close()
    assert whole.state()["memory.used"][0] > 600  # it went round
    for name, array in whole.state().items():
        assert array.tobytes() == rest.state()[name].tobytes(), name
    assert whole.counters == rest.counters
    assert whole.counters["steps"] > 40


def train(method: Method, games: int, game: Any = BACKGAMMON, threads: int | None = None) -> Any:
    learner = method.begin(game, 4, games)
    if threads is not None:
        learner.close()
        learner.threads = ThreadPoolExecutor(threads)
    while learner.games < games:
        learner.advance()
    learner.close()
    return learner


@compiled_only
def test_results_do_not_depend_on_threads():
    method = SelfPlay(encoding="rich", hidden=4, rate=0.01, batch=10)
    one, two = (train(method, 25, threads=threads) for threads in (1, 2))
    assert {"w1", "first.w1", "second.b2"} < one.state().keys()
    for name, tensor in one.state().items():
        assert tensor.tobytes() == two.state()[name].tobytes(), name
    assert one.counters == two.counters
    assert one.counters["games"] == 25
    assert one.counters["steps"] == 3


@pytest.mark.parametrize("method", ["traces", "selfplay"])
def test_positions_judged_are_the_moves_among_which_it_chose(method):
    """In tic-tac-toe there are nine at first, and one less after each move."""
    learner = method_class(method)(encoding="propositions").begin(ludus.game("tictactoe"), 1, games=1)
    learner.advance()
    moves = learner.counters["moves"] + (
        method == "selfplay"
    )  # which does not count the last one: nothing is left to be learned
    assert learner.counters["positions"] == sum(9 - move for move in range(moves))
    learner.close()


def test_the_step_size_goes_from_first_to_last():
    learner = SelfPlay(encoding="table", batch=20, rate=0.04, final_rate=0.01).begin(Stairs(), 1, 40)
    rates = [learner.settings.rate_after(games, 100) for games in (0, 50, 100, 200)]
    assert rates == pytest.approx([0.04, 0.02, 0.01, 0.01])
    assert [learner.advance()["rate"] for _ in range(2)] == pytest.approx([0.04, 0.02])  # of a unit: as it begins
    learner.close()


# --- a game learned until it is solved -------------------------------------------------------------------------------


def table_of(game: Stairs, net: Network) -> dict[stairs.Places, np.ndarray]:
    """What a network says of each position: how likely each seat wins, counted from the one about to roll."""
    judge, seat = naive.Judge(naive.wide(net), Table(), game), 0
    return {p: judge.static(np.array([*p, seat, 0])) for p in np.ndindex(*(game.top,) * 4)}


def regret(game: Stairs, values: dict, exact: dict) -> float:
    """How much the worst of all choices costs, if one follows `values`."""
    worst = 0.0
    for places in exact:
        believed, true = (stairs.options(game, v, places, stairs.FREE) for v in (values, exact))
        chosen = max(believed, key=lambda move: believed[move][0])
        worst = max(worst, max(v[0] for v in true.values()) - true[chosen][0])
    return float(worst)


@compiled_only
@pytest.mark.parametrize(
    ("look_ahead", "error", "loss"), [(False, 0.02, 0.03), (True, 0.008, 0.004)], ids=["", "looking ahead"]
)
def test_self_play_solves_a_small_game(look_ahead, error, loss):
    game = Stairs()
    exact = stairs.solve(game)
    net = fresh(game, Table(), 8, seed=1)
    gradient, first, second = (empty_network(*net.shape) for _ in range(3))
    assert regret(game, table_of(game, net), exact) > 0.1  # a new network plays badly

    steps, batch = 400, 32
    for step in range(1, steps + 1):
        begin = batch * (step - 1)
        batched = Batch(1, begin, batch)
        count, _ = play_and_learn(net, gradient, Table(), game, sizes(game), batched, plain(0.7, look_ahead))
        for parts in zip(net, gradient, first, second, strict=True):
            adam_step(*(part.reshape(-1) for part in parts), 1 / count, 0.05 * 0.02 ** (step / steps), step)

    learned = table_of(game, net)
    assert np.mean([np.abs(learned[p] - exact[p]).mean() for p in exact]) < error
    assert sum(learned[0, 0, 0, 0]) == pytest.approx(1, abs=0.02)  # somebody wins, though nobody told the network
    assert regret(game, learned, exact) < loss


# --- the player ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def taught() -> Network:
    """A network after 2,500 games by the settings of Mauermann (2015)."""
    return train(Traces(**preset("backgammon", "mauermann2015").settings), 2_500).network


@compiled_only
def test_mauermann2015_soon_beats_a_random_player(taught):
    player, opponent = td_player(BACKGAMMON, Raw(2), taught), Random(BACKGAMMON.facts.max_moves)
    won, games = 0, 500
    outcomes, odds = np.zeros(30, np.int64), np.zeros(30)
    for number in range(games):
        own = number % 2
        dice, luck = stream(9, number), stream(9, number, 1)
        state = BACKGAMMON.start().state.copy()
        while (seat := rules.turn(BACKGAMMON, state)) != OVER:
            if seat == CHANCE:
                move = rules.roll(BACKGAMMON, state, dice, outcomes, odds)
            else:
                move = choose(player if seat == own else opponent, BACKGAMMON, state, seat, luck)
            rules.play(BACKGAMMON, state, move)
        won += Position(BACKGAMMON, state).scores()[own] > 0
    assert won / games > 0.9


def decisions(count: int) -> list[Position]:
    """Positions from the course of random games."""
    found: list[Position] = []
    for number in range(count):
        rng = stream(31, number)
        position = BACKGAMMON.start()
        for _ in range(2 * (5 + 12 * number) + 1):
            position = (
                position.roll(rng) if position.kind == "chance" else position.play(ask(Random(4096), position, rng))
            )
        found.append(position)
    assert all(position.kind == "decision" for position in found)
    return found


@compiled_only
def test_without_lookahead_the_best_looking_move_is_played(taught):
    judge = naive.Judge(naive.wide(taught), Raw(2), BACKGAMMON)
    player = td_player(BACKGAMMON, Raw(2), taught)
    for position in decisions(6):
        state, seat = position.state.copy(), position.turn
        ranked = rank(player, position, stream(1))
        wanted = {move: judge.worth(judge.static(judge.after(state, move)))[seat] for move in judge.moves(state, seat)}
        assert {int(move): value for move, value in ranked} == pytest.approx(wanted, abs=1e-5)
        assert ask(player, position, stream(1)) == clearly_best(judge, state, seat) == ranked[0][0]


@compiled_only
@pytest.mark.parametrize(("plies", "width"), [(1, 100), (2, 2), (3, 1)])
def test_lookahead_is_what_a_naive_search_finds(taught, plies, width):
    judge = naive.Judge(naive.wide(taught), Raw(2), BACKGAMMON)
    player = td_player(BACKGAMMON, Raw(2), taught, plies, width, margin=9.0)
    for position in [p for p in decisions(4) if 2 <= len(p.moves()) <= 20][:2]:
        state, seat = position.state.copy(), position.turn
        ranked = rank(player, position, stream(1))
        assert ask(player, position, stream(1)) == ranked[0][0]
        assert np.array_equal(position.state, state)
        for move, value in ranked[:width]:
            wanted = judge.worth(judge.expect(judge.after(state, move), plies))[seat]
            assert value == pytest.approx(wanted, abs=2e-5), f"{position.text} {move}"


@compiled_only
def test_lookahead_judges_only_as_many_moves_as_it_is_wide(taught):
    position = max(decisions(4), key=lambda p: len(p.moves()))
    greedy, narrow, wide = (td_player(BACKGAMMON, Raw(2), taught, *how, margin=9.0) for how in ((0,), (1, 1), (1, 5)))
    first = [move for move, _ in rank(greedy, position, stream(1))]
    assert ask(narrow, position, stream(1)) == first[0]
    ranked = rank(wide, position, stream(1))
    assert {move for move, _ in ranked[:5]} == set(first[:5])
    assert ranked[4][1] > ranked[5][1]  # the others come after, whatever they look like


@compiled_only
def test_rollouts_come_to_what_a_round_is_worth_on_average():
    game = ludus.game("ludo(seats=2)")
    encoding = game.encodings()["rich"]
    net = new_network(1, encoding.shape(game)[1], 8, 2, seed=4)
    for part in net:
        part *= 20  # opinions strong enough to differ
    position = game.position("3,9,30,0 0,0,0,0 20,24,50,1 0,0,0,0 turn=red die=4")
    judge = naive.Judge(naive.wide(net), encoding, game)
    player = td_player(game, encoding, net, rollouts=3_000)
    ranked = rank(player, position, stream(1))
    assert len(ranked) == 3
    for move, value in ranked:
        wanted = mean_worth(judge, judge.after(position.state.copy(), int(move)), 0, rolls=4)
        assert value == pytest.approx(wanted, abs=0.006)
    assert ask(player, position, stream(1)) == ranked[0][0]


def mean_worth(judge: naive.Judge, state: np.ndarray, seat: int, rolls: int) -> float:
    """What a round of greedy play is worth to `seat` on average: until it has moved, or nobody has after so many rolls."""
    mover = rules.turn(judge.game, state)
    if mover == OVER or (mover == CHANCE and rolls == 0):
        return float(judge.worth(judge.static(state))[seat])
    if mover == CHANCE:
        return sum(
            odds * mean_worth(judge, judge.after(state, die), seat, rolls - 1) for die, odds in judge.chances(state)
        )
    child = judge.after(state, judge.best(state, mover))
    if mover == seat:
        return float(judge.worth(judge.static(child))[seat])
    return mean_worth(judge, child, seat, rolls)


@compiled_only
def test_a_model_of_one_game_is_no_model_of_another(taught, tmp_path):
    # Not even if the rules of both are the same numbers, and the file has been read before.
    path = tmp_path / "model.safetensors"
    facts = {"game": "backgammon", "game_version": BACKGAMMON.facts.version, "settings": {"encoding": "raw"}}
    storage.save(path, taught._asdict(), facts)
    player = make_td(Backgammon(2), str(path))
    assert np.array_equal(flat(player.net), flat(taught))
    with pytest.raises(LudusError, match="not for pennies"):
        make_td(Pennies(2), str(path))


@compiled_only
def test_the_mean_of_the_weights_plays_and_the_weights_themselves_learn_as_without_it() -> None:
    settings = {"encoding": "board", "hidden": 4, "batch": 4, "rate": 0.01, "final_rate": 0.01}
    plain = method_class("selfplay")(**settings).begin(BACKGAMMON, seed=3, games=40)
    averaged = method_class("selfplay")(**settings, averaging=0.5).begin(BACKGAMMON, seed=3, games=40)
    mean = plain.network.w1.copy()
    for step in range(1, 11):
        plain.advance()
        averaged.advance()
        share = min(0.5, step / (step + 10))
        mean += np.float32(1 - share) * (plain.network.w1 - mean)
        assert np.array_equal(plain.network.w1, averaged.network.w1)
        assert averaged.model()["w1"] == pytest.approx(mean, abs=1e-6)
    assert not np.array_equal(averaged.model()["w1"], averaged.network.w1)
