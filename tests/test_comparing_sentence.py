"""The sentence that comes first: it claims what the corrected tests say, in good English."""

from __future__ import annotations

from dataclasses import replace

import pytest

from comparisons import SEVEN, THREE, World, made
from ludus.comparing.judging import Difference, Figure, Pair
from ludus.comparing.judging.differences import END
from ludus.comparing.judging.standing import Standing
from ludus.comparing.judging.words import sentence
from ludus.comparing.results import Comparison

HALF = Figure(0.314, 0.22, 0.409)


def comparison(*methods: str, games: int = 7) -> Comparison:
    return made(World(dict.fromkeys(methods, 0.5), games=SEVEN[:games], seeds=2, rounds=1, meet=False))


def pair(found: Comparison, second: str, speed: str, end: str) -> Pair:
    """Two methods with a sign for each game that they share: + ahead for sure, - behind for sure, 0 not sure."""
    games = [game.name for game in found.games][: len(end)]
    signs = [("games", speed), (END, end)]
    differences = tuple(
        Difference(game, what, Figure(-0.1 if sign == "-" else 0.1, 0, 0), 0.5, 0.5, sign != "0")
        for what, row in signs
        for game, sign in zip(games, row, strict=True)
    )
    return Pair("sarsa", second, tuple(games), HALF, differences)


def standings(found: Comparison) -> list[Standing]:
    by_game = {game.name: Figure(0.5, 0.4, 0.6) for game in found.games}
    return [Standing(method.label, 1, 14, 0, 0, by_game, iqm=HALF) for method in found.methods]


CHANCE = "probability that sarsa is better over the suite: 0.31 [0.22, 0.41]."


@pytest.mark.parametrize(
    ("speed", "end", "said"),
    [
        ("+++++00", "----000", "sarsa learns faster than traces on 5 of 7 games and ends weaker on 4; "),
        ("+++++++", "+000000", "sarsa learns faster than traces on all 7 games and ends stronger on 1; "),
        ("-------", "-------", "sarsa learns slower than traces on all 7 games and ends weaker on all 7; "),
        ("++-0000", "-000000", "sarsa learns faster than traces on 2 of 7 games and slower on 1, and ends weaker on 1; "),
        ("0000000", "++--000", "sarsa ends stronger than traces on 2 of 7 games and weaker on 2, and no difference in how fast they learn is sure; "),
        ("+000000", "0000000", "sarsa learns faster than traces on 1 of 7 games, and no difference at the end is sure; "),
        ("0000000", "0000000", "Between sarsa and traces no difference is sure on any of 7 games; "),
    ],
)  # fmt: skip
def test_of_two_methods_on_seven_games(speed: str, end: str, said: str) -> None:
    found = comparison("sarsa", "traces")
    assert sentence(found, standings(found), [pair(found, "traces", speed, end)]) == said + CHANCE


@pytest.mark.parametrize(
    ("games", "speed", "end", "said"),
    [
        (1, "+", "-", "sarsa learns faster than traces on tictactoe and ends weaker; "),
        (1, "0", "+", "sarsa ends stronger than traces on tictactoe, and no difference in how fast they learn is sure; "),
        (1, "0", "0", "Between sarsa and traces no difference is sure on tictactoe; "),
        (2, "++", "--", "sarsa learns faster than traces on both games and ends weaker on both; "),
        (2, "0+", "0-", "sarsa learns faster than traces on 1 of 2 games and ends weaker on 1; "),
    ],
)  # fmt: skip
def test_of_one_game_and_of_two(games: int, speed: str, end: str, said: str) -> None:
    found = comparison("sarsa", "traces", games=games)
    assert sentence(found, standings(found), [pair(found, "traces", speed, end)]) == said + CHANCE


@pytest.mark.parametrize(
    ("speed", "end", "said"),
    [
        ("+++00", "-0000", "sarsa learns faster than traces on 3 of the 5 games that both finished and ends weaker on 1; "),
        ("+++++", "00000", "sarsa learns faster than traces on all 5 games that both finished, and no difference at the end is sure; "),
        ("00000", "00000", "Between sarsa and traces no difference is sure on any of the 5 games that both finished; "),
        ("+", "-", "sarsa learns faster than traces on tictactoe, the one game that both finished, and ends weaker; "),
        ("0", "0", "Between sarsa and traces no difference is sure on tictactoe, the one game that both finished; "),
    ],
)  # fmt: skip
def test_of_methods_that_did_not_finish_all_games(speed: str, end: str, said: str) -> None:
    found = comparison("sarsa", "traces")
    assert sentence(found, standings(found), [pair(found, "traces", speed, end)]) == said + CHANCE


def test_of_three_methods_each_is_named() -> None:
    found = comparison("sarsa", "traces", "q")
    pairs = [pair(found, "traces", "+++++++", "+++0000"), pair(found, "q", "0000000", "-000000")]
    assert sentence(found, standings(found), pairs) == (
        "sarsa ends stronger than traces (on 3 of 7 games) and weaker than q (on 1 of 7 games). "
        "It learns faster than traces (on all 7 games); no difference to q is sure. "
        "Probability that sarsa is better over the suite: 0.31 [0.22, 0.41] against traces, 0.31 [0.22, 0.41] against q."
    )


def test_of_three_methods_without_any_difference() -> None:
    found = comparison("sarsa", "traces", "q")
    none = [pair(found, name, "0000000", "0000000") for name in ("traces", "q")]
    said = sentence(found, standings(found), none)
    assert said.startswith("Between sarsa and each of traces and q no difference is sure. Probability that sarsa")


def test_of_many_methods_they_are_counted() -> None:
    found = comparison("sarsa", "a", "b", "c", "d")
    ends = {"a": "+000000", "b": "+++++++", "c": "0000000", "d": "-+00000"}
    pairs = [pair(found, name, "-------", end) for name, end in ends.items()]
    pairs[1] = replace(pairs[1], improvement=Figure(0.9, 0.8, 1.0))
    assert sentence(found, standings(found), pairs) == (
        "sarsa ends stronger than 3 of 4 other methods and weaker than 1 of 4 other methods, on one game or more each; no difference to 1 is sure. "
        "It learns slower than all 4 other methods, on one game or more each. "
        "Probability that sarsa is better over the suite: from 0.31 [0.22, 0.41] against a to 0.90 [0.80, 1.00] against b."
    )


def test_of_a_method_alone() -> None:
    found = comparison("sarsa")
    assert sentence(found, standings(found), []) == (
        "sarsa reaches 0.31 [0.22, 0.41] on the scale from the worst (0) to the best player (1): the interquartile mean over 7 games. "
        "There is no other method to compare it with."
    )


@pytest.mark.parametrize(
    ("finished", "said"),
    [
        (0, "No training came to its end: there is nothing to compare yet."),
        (1, "No method has two finished trainings in a game: there is nothing to compare yet."),
    ],
)
def test_of_nothing(finished: int, said: str) -> None:
    found = comparison("sarsa", "traces")
    nothing = [Standing(name, None, finished, 7, 0, {}) for name in ("sarsa", "traces")]
    assert sentence(found, nothing, []) == said


def test_of_a_method_that_failed_everywhere() -> None:
    found = comparison("sarsa", "traces")
    failed, good = standings(found)
    failed = replace(failed, by_game={}, iqm=None, rank=None)
    said = sentence(found, [good, failed], [])
    assert said == "Nothing can be said of sarsa: in no game two of its trainings came to their end."


def test_another_method_that_failed_everywhere_is_named() -> None:
    found = comparison("sarsa", "traces", "q", games=len(THREE))
    said = sentence(found, standings(found), [pair(found, "q", "000", "000")])
    assert said.startswith("Between sarsa and q no difference is sure on any of 3 games; ")
    assert said.endswith(" Of traces nothing can be said, as sarsa shares no finished game with it.")
