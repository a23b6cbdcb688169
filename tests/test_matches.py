"""The arena: what it plays, that it plays it the same way however the work is spread, and what it makes of the scores."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import ludus
from ludus.bench import games as bench
from ludus.bench.measuring import ROUNDS, Measure
from ludus.contract.position import Position
from ludus.errors import LudusError
from ludus.kernel import JIT, stream
from ludus.matches import Result, Row, arena, table
from ludus.matches.flight import Manner, play_games
from ludus.matches.result import shortened, summarise
from ludus.matches.statistics import mean_and_error, wilson, win_shares
from ludus.players import player
from ludus.players.base import choose
from toys import First, Nim, Pennies, PerfectNim, PythonFirst, Race, Whimsical

BACKGAMMON = ludus.game("backgammon")
RANDOM = player("random", BACKGAMMON)


# --- what is played --------------------------------------------------------------------------------------------------


def one_by_one(game: Any, players: list[Any], seed: int, number: int) -> list[float]:
    """A game of a contest as it is meant: one position after the other. Returns one score a player."""
    seats = game.facts.seats
    dice = stream(seed, number, 0)
    streams = [stream(seed, number, 1 + seat) for seat in range(seats)]

    def move(seat: int) -> int:
        return choose(players[(seat + number) % seats], game, position.state.copy(), seat, streams[seat])

    position = game.start()
    while not position.over:
        if position.kind == "chance":
            position = position.roll(dice)
        elif position.kind == "joint":
            position = position.play([int(move(seat)) for seat in range(seats)])
        else:
            position = position.play(int(move(position.turn)))
    scores = position.scores()
    return [scores[(column - number) % seats] for column in range(seats)]


@pytest.mark.parametrize("game", [BACKGAMMON, Nim(), Race(), Pennies()], ids=lambda game: game.facts.name)
def test_games_in_flight_are_the_games_one_by_one(game: Any) -> None:
    players = [player("random", game), First(game.facts.max_moves), *[player("random", game)] * (game.facts.seats - 2)]
    names = ["a", "b", "c", "d"][: game.facts.seats]
    numbers = range(3, 11)
    scores = play_games(game, players, names, 5, numbers, manner=Manner(slots=3)).scores
    assert scores.tolist() == [one_by_one(game, players, 5, number) for number in numbers]


@pytest.mark.parametrize(
    ("game", "players"),
    [
        (BACKGAMMON, ["random", "random"]),
        (BACKGAMMON, [RANDOM, Whimsical()]),
        (Race(), ["random", First(2), "random", First(2)]),
        (Race(), ["random", Whimsical(), First(2), Whimsical()]),
        (Pennies(), ["random"]),
    ],
    ids=["compiled", "python", "four seats", "four seats, python", "at once"],
)
def test_results_depend_on_the_seed_alone(game: Any, players: list[Any]) -> None:
    games = 30 if JIT else 5
    rows = arena(game, players, games, jobs=1).rows
    assert arena(game, players, games, jobs=2).rows == rows
    assert arena(game, players, games, slots=1).rows == rows
    assert arena(game, players, games, slots=7, jobs=3).rows == rows
    assert any(arena(game, players, games, seed=seed).rows != rows for seed in (2, 3, 4))


def test_python_players_play_as_compiled_ones_do() -> None:
    compiled = arena(BACKGAMMON, [First(4096), "random"], 20 if JIT else 4)
    python = arena(BACKGAMMON, [PythonFirst(), "random"], 20 if JIT else 4)
    assert [row.points_per_game for row in python.rows] == [row.points_per_game for row in compiled.rows]


def test_seats_rotate() -> None:
    class Observer:
        def __init__(self) -> None:
            self.seats: Counter[int] = Counter()

        def choose(self, position: Position, rng: np.random.Generator) -> int:
            if position.state[position.turn] == 0:  # the first step, as nobody stays
                self.seats[position.turn] += 1
            return position.moves()[1]

    observers = [Observer() for _ in range(4)]
    arena(Race(length=1000), observers, games=8)
    assert [observer.seats for observer in observers] == [Counter({0: 2, 1: 2, 2: 2, 3: 2})] * 4


def test_openings_are_random_and_each_player_has_each_side_of_them() -> None:
    class Observer:
        def __init__(self, name: str) -> None:
            self.name = name

        def choose(self, position: Position, rng: np.random.Generator) -> int:
            left = sum(position.state[:-1])
            if not seen or left >= seen[-1][0]:  # a new game
                firsts.append((position.text, self.name))
            seen.append((left,))
            return position.moves()[0]

    firsts: list[tuple[str, str]] = []
    seen: list[tuple[int]] = []
    arena(Nim(heaps=(9, 9, 9)), [Observer("a"), Observer("b")], games=20, opening=1, slots=1)
    assert len(firsts) == 20
    assert [text for text, _ in firsts[::2]] == [text for text, _ in firsts[1::2]]
    assert {name for _, name in firsts[::2]} == {"b"}  # the one that begins is moved for
    assert {name for _, name in firsts[1::2]} == {"a"}
    assert len({text for text, _ in firsts}) > 5
    with pytest.raises(LudusError, match="opening=-1"):
        arena(Nim(), ["random"], 1, opening=-1)


def test_perfect_players_of_nim_win_from_the_first_seat() -> None:
    result = arena(Nim(heaps=(3, 4, 5)), [PerfectNim()], games=20)
    assert [(row.name, row.wins) for row in result.rows] == [("perfect", 10), ("perfect#2", 10)]


def test_a_perfect_player_always_wins_a_won_position() -> None:
    game = Nim(heaps=(3, 4, 5))
    scores = play_games(game, [PerfectNim(), player("random", game)], ["perfect", "random"], 1, range(100)).scores
    assert (scores[::2, 0] == 1).all()  # it begins in games 0, 2, 4, …
    assert (scores.sum(axis=1) == 0).all()


def test_the_only_runner_wins_the_race() -> None:
    runner, sleepers = Runner(), [First(2)] * 3
    result = arena(Race(), [runner, *sleepers], games=40)
    assert [row.wins for row in result.rows] == [40, 0, 0, 0]
    assert result["Runner"].points_per_game == 1.0


class Runner:
    def choose(self, position: Position, rng: np.random.Generator) -> str:
        return "run"


def test_where_all_move_at_once_a_position_says_whose_move_is_asked_for() -> None:
    class Heads:
        def choose(self, position: Position, rng: np.random.Generator) -> int:
            return 0

    class Foresighted:
        """Knows that the other one shows heads: matches in seat 0, differs in seat 1."""

        def choose(self, position: Position, rng: np.random.Generator) -> str:
            return "heads" if position.turn == 0 else "tails"

    result = arena(Pennies(), [Foresighted(), Heads()], games=10)
    assert [row.wins for row in result.rows] == [10, 0]


def test_random_players_are_equal() -> None:
    result = arena("backgammon", ["random", "random"], games=4000 if JIT else 10)
    low, high = wilson(result.rows[0].wins, result.games, z=3.5)
    assert low < 0.5 < high
    assert result.rows[0].points_per_game == -result.rows[1].points_per_game


# --- what is refused -------------------------------------------------------------------------------------------------


class Refusing:
    """Must not be asked."""

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        raise AssertionError("a game was started")


@pytest.mark.parametrize(
    ("game", "players", "settings", "message"),
    [
        ("backgamon", ["random"], {}, "unknown game 'backgamon'; did you mean 'backgammon'"),
        ("backgammon", [Refusing(), "randon"], {}, "unknown player 'randon'; did you mean 'random'"),
        ("backgammon", [Refusing(), object()], {}, "is not a player"),
        ("backgammon", [Refusing()] * 3, {}, "backgammon seats 2: give 1 or 2 players, not 3"),
        ("backgammon", [], {}, "backgammon seats 2: give 1 or 2 players, not 0"),
        (Race(), [Refusing()] * 3, {}, "race seats 4: give 1 or 2 or 4 players, not 3"),
        (Nim(), ["gnubg", Refusing()], {}, "player 'gnubg' plays backgammon only, not nim"),
        ("backgammon", [Refusing()], {"games": 0}, "games=0"),
        ("backgammon", [Refusing()], {"seed": -1}, "seed=-1"),
        ("backgammon", [Refusing()], {"jobs": 0}, "jobs=0"),
        ("backgammon", [Refusing()], {"slots": 0}, "slots=0"),
    ],
)
def test_nothing_starts_before_all_is_known(game: Any, players: Any, settings: dict[str, int], message: str) -> None:
    with pytest.raises(LudusError, match=message.replace("(", r"\(")):
        arena(game, players, **settings)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (99, "player 'cheat', game 3, seat 1: 99 is not a legal move in 2-4-5 seat 1"),
        ("B9", "player 'cheat', game 3, seat 1: 'B9' is not possible here"),
        (None, "player 'cheat', game 3, seat 1: None is not a legal move"),
        (16.5, "player 'cheat', game 3, seat 1: 16.5 is not a legal move"),
    ],
)
def test_illegal_moves_are_named(answer: Any, message: str) -> None:
    class Cheat:
        """Honest for three games. It knows a new game by the generator, which is the same one throughout a game."""

        name = "cheat"

        def __init__(self) -> None:
            self.generators: list[np.random.Generator] = []

        def choose(self, position: Position, rng: np.random.Generator) -> Any:
            if rng not in self.generators:
                self.generators.append(rng)
            return answer if len(self.generators) == 4 else position.moves()[0]

    with pytest.raises(LudusError) as error:
        arena(Nim(), [Cheat(), First(12)], games=10, slots=1)
    assert message in str(error.value)


def test_a_game_that_breaks_its_promise_to_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    short = Nim().facts._replace(max_plies=2)
    monkeypatch.setattr(Nim, "facts", property(lambda self: short))
    with pytest.raises(LudusError, match="game 0 of nim goes on after 2 plies"):
        arena(Nim(), [First(12), First(12)], games=1)


# --- how the work goes on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_is_told(jobs: int) -> None:
    heard: list[tuple[int, int]] = []
    games = 3000 if JIT else 20
    arena("backgammon", ["random"], games, jobs=jobs, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (games, games)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_the_contest_and_its_threads(jobs: int) -> None:
    threads, games = threading.active_count(), 2_000_000
    heard: list[int] = []
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        arena("backgammon", ["random"], games, jobs=jobs, progress=lambda done, total: heard.append(done))
    assert max(heard, default=0) < games, "it was not played to its end"
    timer.join()
    assert threading.active_count() <= threads


def test_a_failing_worker_ends_the_others() -> None:
    threads = threading.active_count()

    def fail(done: int, total: int) -> None:
        raise ZeroDivisionError

    begun = time.perf_counter()
    with pytest.raises(ZeroDivisionError):
        arena("backgammon", ["td"], games=2_000_000, jobs=2, progress=fail)
    assert time.perf_counter() - begun < 300, "to its end it would take more than an hour"
    assert threading.active_count() <= threads


# --- what comes out --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (1, 1), (0, 10), (10, 10), (3, 17), (612, 1000), (499_999, 10**6)])
def test_wilson_interval_is_scipys(wins: int, games: int) -> None:
    interval = stats.binomtest(wins, games).proportion_ci(0.95, method="wilson")
    assert wilson(wins, games) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_wilson_interval_holds_the_truth_as_often_as_it_says() -> None:
    wins = np.random.default_rng(1).binomial(50, 0.3, size=4000)
    held = [low <= 0.3 <= high for low, high in (wilson(w, 50) for w in wins)]
    assert 0.93 < np.mean(held) < 0.97


def test_standard_error_is_scipys() -> None:
    points = np.random.default_rng(1).normal(0.1, 2.0, size=321)
    assert mean_and_error(points) == pytest.approx((points.mean(), stats.sem(points)))
    assert np.isnan(mean_and_error([1.0])[1])


def test_a_shared_win_is_shared() -> None:
    scores = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]])
    assert win_shares(scores, 1.0).tolist() == [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]
    alone = np.array([[100.0], [50.0]])
    assert win_shares(alone, 100.0).tolist() == [[1], [0]]


def test_the_result_as_json() -> None:
    result = arena("backgammon(scoring=1)", ["random", "random"], games=10, seed=3)
    data = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(data) == ["game", "games", "seed", "opening", "seconds", "players"]
    assert (data["game"], data["games"], data["seed"]) == ("backgammon(scoring=1)", 10, 3)
    assert data["seconds"] > 0
    first, second = data["players"]
    assert list(first)[:-1] == ["name", "games", "wins", "win_rate", "win_rate_ci95", "points_per_game", "points_se"]
    assert sum(first["by_seat"]) / 2 == pytest.approx(first["win_rate"])  # five games in each seat
    assert (first["name"], second["name"]) == ("random", "random#2")
    assert isinstance(first["wins"], int)
    assert first["wins"] + second["wins"] == 10
    assert first["win_rate"] == first["wins"] / 10
    assert first["points_per_game"] == pytest.approx(2 * first["win_rate"] - 1)  # each win counts one point
    low, high = first["win_rate_ci95"]
    assert low < first["win_rate"] < high


def test_win_rates_seat_by_seat() -> None:
    # Player p sits in seat (p - i) mod 4 in game i: six games of player 1 are in seats 1, 0, 3, 2, 1 and 0.
    scores = np.zeros((6, 4))
    scores[[0, 1, 3], 1] = 1
    scores[[2, 4, 5], 0] = 1
    assert summarise(scores, list("abcd"), 1.0)[1].by_seat == (0.5, 0.5, 1.0, 0.0)


def test_after_one_game_no_error_is_known() -> None:
    data = arena(Nim(), [First(12)], games=1).to_json()
    assert [row["points_se"] for row in data["players"]] == [None, None]
    assert [row["by_seat"].count(None) for row in data["players"]] == [1, 1]  # it never sat in the other seat
    assert data["game"] == "toys:Nim"  # by which it would be found again


def test_the_result_as_a_table() -> None:
    row = Row("td:runs/a", 2000, 1234.5, 0.6172, (0.5957, 0.6383), 0.5, 0.0321, (0.6, 0.6345))
    result = Result("backgammon", 2000, 7, 12.34, (row,))
    text = str(result)
    for part in (
        "backgammon: 2,000 games, seed 7, 12.3 s",
        "td:runs/a",
        "61.72%",
        "59.57% – 63.83%",
        "+0.5000",
        "0.0321",
    ):
        assert part in text
    assert table(result).row_count == 1


# --- the benchmark ---------------------------------------------------------------------------------------------------


def test_bench_lets_both_sides_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def side(name: str, speed: float) -> Callable[[float], float]:
        def work(seconds: float) -> float:
            heard.append(name)
            return speed if seconds else 0.0

        return work

    measure = Measure("things", "things/s", side("ours", 30.0), "them", side("theirs", 10.0))
    monkeypatch.setattr(bench, "MEASURES", [lambda game: measure, lambda game: None])
    (row,) = bench.bench("backgammon", seconds=0.1)
    assert heard == ["ours"] + ["ours", "theirs"] * ROUNDS  # the very first one compiles, and does not count
    assert list(row) == ["name", "value", "unit", "peer", "peer_value", "ratio"]
    assert (row["name"], row["unit"], row["peer"]) == ("things", "things/s", "them")
    assert (row["value"], row["peer_value"], row["ratio"]) == (30.0, 10.0, 3.0)


needs_jit = pytest.mark.skipif(not JIT, reason="speed is that of compiled code")


@needs_jit
def test_bench_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setattr(bench, "MEASURES", bench.MEASURES[:1])
    (row,) = bench.bench("backgammon", seconds=0.05)
    assert (row["name"], row["unit"]) == ("random games", "games/s")
    assert row["value"] > 1000
    assert row["peer"] == "not installed: OpenSpiel"
    assert row["peer_value"] is row["ratio"] is None


@needs_jit
@pytest.mark.peers
def test_random_games_beside_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    monkeypatch.setattr(bench, "MEASURES", bench.MEASURES[:1])
    (row,) = bench.bench("backgammon", seconds=0.2)
    assert row["peer"] == "OpenSpiel"
    assert row["ratio"] > 5


@pytest.mark.peers
def test_openspiel_is_measured_alike_in_all_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """One simulation that evaluates its root by rollouts, whatever the game."""
    pyspiel = pytest.importorskip("pyspiel")
    asked: list[tuple[int, int]] = []
    rollouts: list[int] = []
    evaluator, bot = pyspiel.RandomRolloutEvaluator, pyspiel.MCTSBot

    def watched_evaluator(count: int, seed: int) -> Any:
        rollouts.append(count)
        return evaluator(count, seed)

    def watched_bot(*given: Any) -> Any:
        asked.append((rollouts[-1], given[3]))
        return bot(*given)

    monkeypatch.setattr(pyspiel, "RandomRolloutEvaluator", watched_evaluator)
    monkeypatch.setattr(pyspiel, "MCTSBot", watched_bot)
    for name, count in (("backgammon", 50), ("quoridor(size=3,walls=1)", 200)):
        peer = bench._random_peer(ludus.game(name))
        assert peer.name == "OpenSpiel"
        assert peer.work is not None
        assert peer.work(0.0) > 0
        assert asked.pop() == (count, 1)
        assert asked == []


@needs_jit
def test_quoridor_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setattr(bench, "MEASURES", bench.MEASURES[:5])
    rows = {row["name"]: row for row in bench.bench("quoridor(size=5,walls=3)", seconds=0.05)}
    assert list(rows) == ["random games", "guided games", "perft 4", "perft 3"]
    assert rows["random games"]["peer"] == rows["perft 3"]["peer"] == "not installed: OpenSpiel"
    four = rows["perft 4"]
    assert four["peer"] == "quoted, not measured: 0.0137 s for 31,540 positions"
    assert four["peer_value"] is four["ratio"] is None  # a quoted figure is no peer


@needs_jit
@pytest.mark.peers
def test_quoridor_beside_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    monkeypatch.setattr(bench, "MEASURES", [bench._random_games, bench._perft_of_openspiel])
    games, perft = bench.bench("quoridor(size=5,walls=3)", seconds=0.2)
    assert (games["peer"], perft["peer"]) == ("OpenSpiel", "OpenSpiel from Python")
    assert games["ratio"] > 2.5
    assert perft["ratio"] < 0.5  # seconds


@needs_jit
@pytest.mark.peers
def test_random_games_beside_ludopy(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ludopy")
    monkeypatch.setattr(bench, "MEASURES", bench.MEASURES[:2])
    classic, theirs = bench.bench("ludo", seconds=0.2)
    assert (classic["name"], classic["peer"]) == ("random games", None)  # nobody else has these rules
    assert (theirs["name"], theirs["peer"]) == ("random games, rules of ludopy", "ludopy")
    assert min(classic["value"], theirs["value"]) > 1000
    assert theirs["ratio"] > 50
    (asked_for,) = bench.bench("ludo(rules=ludopy,seats=2)", seconds=0.05)
    assert (asked_for["name"], asked_for["peer"]) == ("random games", "ludopy")
    (older,) = bench.bench("ludo(rules=ludopy-1.3.1)", seconds=0.05)
    assert (
        older["peer"] == "not installed: ludopy with rules ludopy-1.3.1"
    )  # the installed package is of another version
    assert older["ratio"] is None


@needs_jit
def test_bench_of_ludo_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ludopy", None)
    measures = [measure for make in bench.MEASURES for measure in [make(ludus.game("ludo"))] if measure is not None]
    assert [(m.name, m.peer, m.theirs) for m in measures] == [
        ("random games", None, None),
        ("random games, rules of ludopy", "not installed: ludopy", None),
        ("training games", None, None),
        ("evaluations", None, None),
    ]


def test_bench_needs_time() -> None:
    with pytest.raises(LudusError, match="seconds=0"):
        bench.bench("backgammon", seconds=0)


def test_long_names_are_shortened_in_the_table_and_told_below_it():
    long = "td:runs/backgammon-with-a-long-name-1(plies=1,width=8)"
    rows = tuple(summarise(np.array([[1.0, -1.0], [1.0, -1.0]]), [long, "random"], 3.0))
    shown = str(Result("backgammon", 2, 1, 0.1, rows))
    lines = shown.splitlines()
    assert len([line for line in lines if "100.00%" in line]) == 1
    assert "td:runs/ba…1,width=8)" in shown
    assert f"td:runs/ba…1,width=8) is {long}" in " ".join(shown.split())
    assert max(map(len, lines)) <= 80, "a usual terminal has no more columns"
    same = [long, long.replace("name", "mane")]
    assert shortened(same) == same, "names that could not be told apart stay whole"
