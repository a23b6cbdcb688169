"""Luck that is taken off: that means stay what they are whatever a judge thinks, that they are known better, and that nothing else changes."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import ludus
from ludus.batch.luck import judge_outcome, judging_room, new_luck, note_luck
from ludus.cli.main import main
from ludus.contract.rules import CHANCE, OVER, Facts, chances, moves, play, scores, start, turn
from ludus.errors import LudusError
from ludus.kernel import JIT, implements, stream
from ludus.matches import arena, arena_paired, arena_until
from ludus.matches.flight import Manner, play_games
from ludus.matches.pairs import points_of
from ludus.matches.statistics import Question, less_luck, question
from ludus.players import player
from ludus.players.base import rank
from toys import First, PythonFirst, Race, Whimsical

LUDO = "ludo(seats=2)"
GAMES = 40
compiled = pytest.mark.skipif(not JIT, reason="a network judges six rolls or more at every move")


# --- a tiny game, and a judge without sense --------------------------------------------------------------------------


class Tosses(NamedTuple):
    """Four tosses of 0, 1 or 2. After a 0 the next one is tossed at once; else the seats in turn add it to their sum, or take it from the other's."""

    # tosses made, the toss to be played (0: none), sum of seat 0, sum of seat 1
    number: int = 4

    @property
    def facts(self) -> Facts:
        return Facts("tosses", 1, 2, 4, 2, 3, self.number, (-8.0, 8.0))


@implements(start, Tosses)
def _(game: Any, state: Any) -> None:
    for i in range(4):
        state[i] = 0


@implements(turn, Tosses)
def _(game: Any, state: Any) -> int:
    if state[1] > 0:
        return state[0] % 2
    return OVER if state[0] == game.number else CHANCE


@implements(chances, Tosses)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    for i in range(3):
        outcomes[i] = i
        probabilities[i] = 0.5 if i == 0 else 0.25
    return 3


@implements(moves, Tosses)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 0
    out[1] = 1
    return 2


@implements(play, Tosses)
def _(game: Any, state: Any, move: int) -> None:
    if state[1] == 0:
        state[0] += 1
        state[1] = move
        return
    seat = state[0] % 2
    state[2 + seat if move == 0 else 3 - seat] += state[1] if move == 0 else -state[1]
    state[1] = 0


@implements(scores, Tosses)
def _(game: Any, state: Any, out: Any) -> None:
    out[0] = state[2] - state[3]
    out[1] = state[3] - state[2]


class Absurd(NamedTuple):
    """A judge whose numbers have nothing to do with the game. They are whole, so that sums of them are exact."""

    factor: int = 7


@implements(judge_outcome, Absurd)
def _(judge: Any, game: Any, state: Any, room: Any, out: Any) -> None:
    total = 0
    for i in range(len(state)):
        total = 3 * total + state[i]
    for seat in range(len(out)):
        out[seat] = judge.factor * (total + seat) % 31


def paths(game: Any, judge: Any, chance: float = 1.0, dice: tuple[int, ...] = ()) -> Iterator[tuple[float, Any, Any]]:
    """All ways in which the dice may fall, if everybody takes the first move: how likely each is, its scores, and its luck."""
    state, luck, left = np.zeros(game.facts.state_size, np.int64), new_luck(game, 1), list(dice)
    start(game, state)
    while turn(game, state) != OVER:
        if turn(game, state) != CHANCE:
            play(game, state, 0)
            continue
        outcomes, odds = np.zeros(3, np.int64), np.zeros(3)
        count = chances(game, state, outcomes, odds)
        if not left:
            for outcome, p in zip(outcomes[:count].tolist(), odds[:count].tolist(), strict=True):
                yield from paths(game, judge, chance * p, (*dice, outcome))
            return
        outcome = left.pop(0)
        note_luck(judge, game, state, outcome, luck, judging_room(judge, game), 0)
        play(game, state, outcome)
    made = np.zeros(2)
    scores(game, state, made)
    yield chance, made, luck.sums[0]


@pytest.mark.parametrize("factor", [7, -1000, 0])
def test_the_mean_stays_the_same_whatever_a_judge_thinks(factor: int) -> None:
    """Summed over all ways of the dice, without rounding: odds are powers of two, and all else is whole."""
    found = list(paths(Tosses(), Absurd(factor)))
    assert len(found) == 3**4
    assert sum(chance for chance, _, _ in found) == 1
    raw = sum(chance * made for chance, made, _ in found)
    adjusted = sum(chance * (made - luck) for chance, made, luck in found)
    assert adjusted.tolist() == raw.tolist()
    assert (factor == 0) == all((luck == 0).all() for _, _, luck in found)


def test_the_arena_notes_the_luck_of_the_dice_that_fell() -> None:
    """Each game is one of those ways, with its score and its luck, by player: who sits where changes from game to game."""
    game, games = Tosses(), 300 if JIT else 60
    known = {(*made.tolist(), *luck.tolist()) for _, made, luck in paths(game, Absurd())}
    played = play_games(game, [First(2), First(2)], ["a", "b"], 1, range(games), manner=Manner(luck=Absurd()))
    seen = set()
    for number, row in enumerate(np.stack(played, axis=1)):
        seen.add(tuple((row if number % 2 == 0 else row[:, ::-1]).reshape(-1).tolist()))
    assert seen <= known
    assert len(seen) > 20


@pytest.mark.skipif(not JIT, reason="is about the difference")
def test_luck_is_the_same_without_compiling() -> None:
    script = "from test_luck import *; print(repr(play_games(Tosses(), [First(2), player('random', Tosses())], ['a', 'b'], 1, range(50), manner=Manner(luck=Absurd())).luck.tolist()))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    here = play_games(
        Tosses(), [First(2), player("random", Tosses())], ["a", "b"], 1, range(50), manner=Manner(luck=Absurd())
    )
    assert json.loads(plain.stdout) == here.luck.tolist()


def test_a_network_judges_a_roll_by_the_best_move_with_it() -> None:
    """As its player's own hints say; and where nobody can move, by the position as it is."""
    game = ludus.game(LUDO)
    td, position, rolled = player("td", game), game.start(), 0
    while rolled < 5:
        outcome = position.chances()[-1][0]  # the last seat begins, and throws sixes
        out, room = np.zeros(2), judging_room(td, game)
        after = position.play(outcome)
        judge_outcome(td, game, after.state.copy(), room, out)
        position = after
        if after.turn is not None:
            rolled += 1
            best, value = rank(td, after, stream(1))[0]
            assert out[after.turn] == pytest.approx(value, abs=1e-6)
            position = after.play(best)
        assert out.sum() == pytest.approx(1)


# --- luck in the arena -----------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("game", ["backgammon", LUDO, "ludo"])
def test_what_one_seat_wins_by_luck_the_others_lose(game: str) -> None:
    played = arena_paired(game, ["td", "random"], GAMES, manner=Manner(luck="td")).played
    assert played.luck.sum(axis=1) == pytest.approx(np.zeros(len(played.luck)), abs=1e-9)
    assert (played.luck != 0).all()


@pytest.mark.parametrize(
    ("game", "players", "judge"),
    [
        pytest.param(LUDO, ["td", "expert"], "td", marks=compiled),
        (Race(), [First(2), "random", Whimsical(), "random"], Absurd()),
    ],
    ids=["compiled", "python"],
)
def test_luck_depends_on_the_seed_alone(game: Any, players: list[Any], judge: Any) -> None:
    """And scores are what they are without a judge."""

    def contest(jobs: int, **manner: Any) -> Any:
        return arena_paired(game, players, GAMES + 4, jobs=jobs, manner=Manner(**manner)).played

    once = contest(1, luck=judge)
    assert (once.luck != 0).any()
    for again in (contest(3, luck=judge), contest(1, luck=judge, slots=1), contest(2, luck=judge, slots=3)):
        assert again.scores.tolist() == once.scores.tolist()
        assert again.luck.tolist() == once.luck.tolist()
    without = contest(1)
    assert without.scores.tolist() == once.scores.tolist()
    assert not without.luck.any()


@compiled
def test_luck_is_noted_in_worker_processes_too(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Last:\n    def choose(self, position, rng):\n        return position.moves()[-1]\n"
    )
    players = [f"{tmp_path}/mine.py:Last", "random"]
    here, there = (arena_paired(LUDO, players, 8, jobs=jobs, manner=Manner(luck="td")).played for jobs in (1, 2))
    assert there.luck.tolist() == here.luck.tolist()
    assert (here.luck != 0).all()


def test_python_players_have_the_luck_of_compiled_ones() -> None:
    quick, python = (
        play_games(
            Race(), [who, *[player("random", Race())] * 3], list("abcd"), 1, range(20), manner=Manner(luck=Absurd())
        )
        for who in (First(2), PythonFirst())
    )
    assert python.luck.tolist() == quick.luck.tolist()


@compiled
def test_a_mean_is_known_much_better_without_luck() -> None:
    """Twice as well is what is asked for; `tools/pairs.py` says how much it is. The plain mean of many games lies where it should."""
    contest = arena_paired(LUDO, ["td", "expert"], 2000, manner=Manner(luck="td"))
    assert contest.adjusted[0].plain_games > 4 * 2000
    assert contest.raw[0].plain_games > 2000
    many = arena(LUDO, ["td", "expert"], 20_000, seed=2)["td"]
    assert abs(contest.adjusted[0].mean - many.points_per_game) < 4 * (0.003**2 + many.points_se**2) ** 0.5


# --- rounds ----------------------------------------------------------------------------------------------------------


@compiled
def test_dice_are_the_same_for_seatings_that_differ() -> None:
    """Where a, b, a and b sit there are two: with four, half of all games would be the same again."""
    contest = arena_paired("ludo", ["td", "expert"], 80)
    game = contest.played.scores
    assert contest.names == ("td", "expert")
    assert any((game[i] != game[i + 2][[2, 3, 0, 1]]).any() for i in range(0, len(game), 4))
    whole = arena_paired("ludo", ["td", "expert", "fast", "random"], 8)
    assert whole.names == ("td", "expert", "fast", "random")


def test_points_are_judged_by_rounds() -> None:
    """By hand: rounds of 2 made 1, 3 and 2; games in the first seat varied by 3, in the second by 1."""
    points = points_of(np.array([0.0, 2.0, 3.0, 3.0, 3.0, 1.0]), np.zeros(6), 2)
    assert points.mean == 2
    assert points.high - points.mean == pytest.approx(4.302653 / 3**0.5, rel=1e-6)  # Student's t for two degrees
    assert points.plain_games == pytest.approx(((3 + 1) / 2) / (1 / 3))


def test_what_is_left_without_luck_has_the_same_mean() -> None:
    """Over all series of five rounds, whose luck has mean 0 and little to do with the points, in the sum over all rounds."""
    rounds = [(2.0, 1.0), (-1.0, 0.5), (0.25, -1.5)]  # points and luck, each as likely
    series = np.array(list(itertools.product(rounds, repeat=5)))
    left = np.array([less_luck(one[:, 0], one[:, 1], 1) for one in series])
    assert left.mean(axis=0) == pytest.approx(np.full(5, np.mean([made for made, _ in rounds])), abs=1e-12)
    assert (left != series[..., 0] - series[..., 1]).any()  # not all of it was taken off


@pytest.mark.parametrize("slope", [0.0, 0.3, 1.0])
def test_luck_counts_as_much_as_it_did(slope: float) -> None:
    """What is taken off leaves the variance that luck does not explain, also where it explains nothing."""
    rng = np.random.default_rng(1)
    luck, rest = rng.normal(size=(2, 20_000))
    assert less_luck(slope * luck + rest, luck, 2).var() == pytest.approx(
        rest.reshape(-1, 2).mean(axis=1).var(), rel=0.01
    )


# --- until it is sure ------------------------------------------------------------------------------------------------


@compiled
def test_a_question_on_points_is_answered_sooner_without_luck() -> None:
    asked = question("0.1,0.14points")  # td is ahead by 0.19
    plain = arena_until(LUDO, ["td", "expert"], asked)
    sooner = arena_until(LUDO, ["td", "expert"], asked, manner=Manner(luck="td"))
    assert plain.verdict.decision == sooner.verdict.decision == "high"
    assert 2 * sooner.result.games < plain.result.games
    again = arena_until(LUDO, ["td", "expert"], asked, jobs=1, manner=Manner(luck="td", slots=7))
    assert again.verdict == sooner.verdict


def test_both_players_are_told_the_same_of_points() -> None:
    """Points are those that one is ahead of an even game: in Ludo, which counts 1 for a win and 0 for a loss, too."""
    one, other = (
        arena_until(LUDO, players, Question(-9, 9, points=True), games=8).verdict.mean
        for players in (["td", "td"], ["expert", "expert"])
    )
    assert one == other == 0


# --- on the command line ---------------------------------------------------------------------------------------------


def command(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["arena", *words])
    assert ended.value.code == 0
    return capsys.readouterr().out


@compiled
def test_the_command_shows_both_means_and_how_sure_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    told = command(capsys, LUDO, "td", "expert", "--games", str(GAMES), "--luck", "td")
    assert "luck taken off" in told
    assert "With the luck of the dice taken off, td makes +0." in told
    assert "as sure as" in told
    told = command(capsys, LUDO, "td", "expert", "--games", str(GAMES), "--paired")
    assert "luck taken off" not in told
    assert "By rounds with exchanged seats, td makes" in told


@compiled
def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(command(capsys, LUDO, "td", "expert", "--games", str(GAMES), "--luck", "td", "--json"))
    paired = found["paired"]
    assert (paired["rounds"], paired["games_a_round"], paired["judge"]) == (GAMES // 2, 2, "td")
    td, expert = paired["players"]
    assert td["raw"]["points_per_game"] == found["players"][0]["points_per_game"]
    low, high = td["adjusted"]["points_ci95"]
    assert low < td["adjusted"]["points_per_game"] < high
    assert td["adjusted"]["points_per_game"] + expert["adjusted"]["points_per_game"] == pytest.approx(1)
    assert td["adjusted"]["plain_games"] > GAMES


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arena_paired("tictactoe", ["random"], manner=Manner(luck="td")), "tictactoe has no chance in it"),
        (lambda: arena_paired(LUDO, ["random"], manner=Manner(luck="expert")), "td or td:DIR_OR_FILE, not by 'expert'"),
        (lambda: arena_paired(LUDO, ["random"], manner=Manner(luck="td(plies=1)")), r"not by 'td\(plies=1\)'"),
        (lambda: arena_paired(Race(), ["random"], manner=Manner(luck="td")), "no player for race is shipped; train one"),
        (lambda: arena_paired(LUDO, ["random"], 7), "games=7: a round of ludo is 2 games.* 8 would do"),
        (lambda: arena_paired(LUDO, ["random"], 2), "games=2: .*at least two rounds; 4 would do"),
        (lambda: arena_until(LUDO, ["td", "td"], question("0,5"), manner=Manner(luck="td")), "ask in points a game"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call: Callable, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()


@compiled
def test_nothing_is_noted_unless_somebody_asks() -> None:
    game = ludus.game("backgammon")
    random = [player("random", game)] * 2
    played = play_games(game, random, ["a", "b"], 3, range(GAMES))
    judged = play_games(game, random, ["a", "b"], 3, range(GAMES), manner=Manner(luck="td"))
    assert not played.luck.any()
    assert played.adjusted.tolist() == played.scores.tolist() == judged.scores.tolist()
