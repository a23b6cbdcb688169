"""Contests that go on until the answer is sure: pairs of games with the same dice, and when they end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.matches import arena_until, until
from ludus.matches.flight import Manner, play_games
from ludus.matches.statistics import Question, Verdict, pair_counts, question, sprt_pairs
from ludus.players import player
from toys import First, Nim, PerfectNim

ASKED = question("0,5")
STRONG = "mcts(simulations=20)"


# --- pairs of games --------------------------------------------------------------------------------------------------


class Steady:
    """Always moves alike."""

    name = "steady"

    def choose(self, position: Any, rng: Any) -> Any:
        return position.moves()[0]


def test_the_games_of_a_pair_have_the_same_dice() -> None:
    """Two that always move alike then play the same game twice, whoever sits where."""
    game = ludus.game("backgammon")
    players = [Steady(), Steady()]
    paired = play_games(game, players, ["a", "b"], 3, range(40), manner=Manner(paired=True)).scores
    assert (paired[::2, 0] == paired[1::2, 1]).all()
    assert len(set(paired[::2, 0].tolist())) > 1  # other pairs have other dice
    apart = play_games(game, players, ["a", "b"], 3, range(40)).scores
    assert (apart[::2, 0] != apart[1::2, 1]).any()


def test_a_pair_is_the_same_whichever_games_are_played_with_it() -> None:
    game = ludus.game("backgammon")
    players = [player("random", game)] * 2
    whole = play_games(game, players, ["a", "b"], 3, range(20), manner=Manner(paired=True)).scores
    part = play_games(game, players, ["a", "b"], 3, range(10, 20), manner=Manner(slots=2, paired=True)).scores
    assert part.tolist() == whole[10:].tolist()


def test_luck_cancels_in_pairs() -> None:
    """Win shares of pairs of Ludo games vary less with the same dice than with others."""
    game = ludus.game("ludo(seats=2)")
    players = [player(name, game) for name in ("td", "expert")]

    def variance(manner: Manner) -> float:
        scores = play_games(game, players, ["td", "expert"], 1, range(4000), manner=manner).scores
        return float(np.var((scores[:, 0] > scores[:, 1]).reshape(-1, 2).mean(axis=1)))

    assert variance(Manner(paired=True)) < 0.9 * variance(Manner())


# --- when a contest ends ---------------------------------------------------------------------------------------------


def test_the_better_player_is_found_and_the_contest_ends() -> None:
    settled = arena_until("tictactoe", [STRONG, "random"], ASKED)
    assert settled.verdict.decision == "high"
    assert settled.result.games == 2 * settled.verdict.pairs == 2 * sum(settled.outcomes) < 200
    assert settled.outcomes == tuple(pair_counts(settled.result.won(0)))
    assert settled.sentence().startswith(f"{STRONG} is better than random")


def test_the_weaker_player_is_found_too() -> None:
    assert arena_until("tictactoe", ["random", STRONG], ASKED).verdict.decision == "low"


def test_it_ends_with_the_first_pair_that_decides() -> None:
    settled = arena_until("tictactoe", [STRONG, "random"], ASKED)
    won = settled.result.won(0)
    assert sprt_pairs(pair_counts(won), ASKED).decision == "high"
    assert sprt_pairs(pair_counts(won[:-2]), ASKED).decision == ""


@pytest.mark.parametrize("pairs", [20, 1000])
def test_how_many_are_played_at_once_changes_nothing(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = arena_until("tictactoe", [STRONG, "random"], ASKED, jobs=1)
    monkeypatch.setattr(until, "PAIRS", pairs)
    after = arena_until("tictactoe", [STRONG, "random"], ASKED, jobs=2)
    assert after.result.rows == before.result.rows
    assert after.verdict == before.verdict


def test_it_gives_up_after_as_many_games_as_it_may_play() -> None:
    heard: list[Verdict] = []
    settled = arena_until("tictactoe", ["random", "random"], Question(0.4999, 0.5001), games=301, progress=heard.append)
    assert settled.result.games == 300
    assert settled.verdict.decision == ""
    assert [verdict.pairs for verdict in heard] == [50, 100, 150]
    assert "not sure yet" in settled.sentence()


def test_players_that_always_move_alike_are_doubted() -> None:
    """Each pair is the same pair again: there is nothing to be sure of."""
    assert "always move alike" in arena_until(Nim(), [PerfectNim(), First(12)], ASKED).doubt
    assert arena_until(Nim(), [PerfectNim(), "random"], ASKED, manner=Manner(opening=1)).doubt == ""


# --- on the command line ---------------------------------------------------------------------------------------------


def command(*words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["arena", "tictactoe", STRONG, "random", *words])
    assert ended.value.code == 0


def test_the_command_says_it_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    command("--sprt", "0,5")
    told = capsys.readouterr()
    assert f"{STRONG} is better than random: it won" in told.out
    assert "evidence" in told.err


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    command("--sprt", "0,5", "--json")
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert told.err == ""
    assert found["sprt"]["decision"] == "high"
    assert sum(found["sprt"]["outcomes"]) == found["sprt"]["pairs"] == found["games"] / 2
    assert found["sprt"]["bounds"] == pytest.approx(ASKED.bounds)
    assert [row["name"] for row in found["players"]] == [STRONG, "random"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: arena_until("ludo", ["td", "random"], ASKED), "ludo seats 4, and 2 were given"),
        (lambda: arena_until("tictactoe", ["random"], ASKED), "tictactoe.* seats 2, and 1 were given"),
        (lambda: arena_until("tictactoe", ["random", "random"], ASKED, games=1), "games=1: a pair is 2 games"),
        (lambda: arena_until("tictactoe", ["random", "random"], Question(0.6, 0.5)), "the first number is to be the smaller"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call: Callable, message: str) -> None:
    with pytest.raises(LudusError, match=message):
        call()
