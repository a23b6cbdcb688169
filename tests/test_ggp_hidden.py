"""The protocol where information is hidden (GDL-II): each player is told the turn, its own move and what it sees, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

import ludus
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.ggp import messages
from ludus.ggp.following import HiddenFollower
from ludus.ggp.match import Course, play_match
from ludus.ggp.messages import read, write_percepts
from ludus.ggp.player import Player, serve, warm_up
from ludus.ggp.record import Clocks, Match

AMPLE = Clocks(600, 600)  # for players that answer at once: no clock runs out because the machine is busy
MONTY = gdl.read_text(gdl.shipped()["montyhall"])


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compiling must not fall on a clock."""
    warm_up("random", hidden=True)


# --- messages --------------------------------------------------------------------------------------------------------


def test_the_first_message_tells_nothing() -> None:
    assert read("(PLAY m 0 NIL NIL)").moves is None
    assert read("( play m 0 nil () )").moves is None
    assert write_percepts("PLAY", "m", 0, None, ()) == "( PLAY m 0 NIL NIL )"


def test_later_ones_tell_the_turn_the_own_move_and_percepts() -> None:
    assert read("(PLAY m 3 (MARK 1 1) ((SET 1 1) hello))").moves == ("turn 3", "( mark 1 1 )", "( set 1 1 )", "hello")
    assert read("(STOP m 4 NOOP NIL)").moves == read("(STOP m 4 noop ( ))").moves == ("turn 4", "noop")
    assert read("play(m,2,mark(1,1),[set(1,1)])").moves == ("turn 2", "( mark 1 1 )", "( set 1 1 )")


@pytest.mark.parametrize("percepts", [[], ["a"], ["( a 1 )", "b"]])
@pytest.mark.parametrize("kind", ["PLAY", "STOP"])
def test_messages_are_read_as_they_are_written(kind: str, percepts: list[str]) -> None:
    told = read(write_percepts(kind, "m", 7, "( go 1 )", percepts))
    assert (told.kind, told.moves) == (kind.lower(), ("turn 7", "( go 1 )", *percepts))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("(PLAY m x noop ())", "the turn must be a whole number from 0 on, not 'x'"),
        ("(PLAY m -1 noop ())", "the turn must be a whole number from 0 on, not '-1'"),
        ("(PLAY m (1) noop ())", "the turn must be a whole number from 0 on, not '(1)'"),
        ("(PLAY m 1 noop seen)", "the percepts must be a list in parentheses or NIL, not 'seen'"),
        ("(PLAY m 1 NIL ())", "turn 1 must name the player's last move, not NIL"),
        ("(PLAY m 1 ((a) b) ())", "is no term"),
        ("(PLAY m 1 noop (() a))", "is no term"),
        ("(PLAY m 1 noop)", "PLAY with 3 arguments; it is written (PLAY match (move move))"),
        ("(STOP m 1 noop () ())", "STOP with 5 arguments"),
        ("(PLAY m 1 noop (a)", "never closed"),
    ],
)
def test_what_is_damaged_is_refused_in_one_line(text: str, wrong: str) -> None:
    with pytest.raises(LudusError) as problem:
        read(text)
    assert wrong in str(problem.value)
    assert "\n" not in str(problem.value)
    reply = Player("random").answer(text)
    assert (reply.status, "\n" in reply.body) == (400, False)


# --- the manager -----------------------------------------------------------------------------------------------------


class Ear:
    """Hears everything, and moves as it was told beforehand, or by the first word of what it may do."""

    def __init__(self, *moves: str) -> None:
        self.name, self.heard, self.moves = "ear", list[str](), list(moves)

    def prepare(self) -> None:
        pass

    def send(self, message: str, seconds: float) -> str:
        self.heard.append(message)
        return "ready" if "START" in message else self.moves.pop(0) if self.moves else "noop"


def test_a_manager_tells_each_player_what_its_role_sees() -> None:
    game = ludus.game("kriegtictactoe")
    x, o = Ear("( mark 2 2 )", "noop", "noop", "( mark 1 1 )"), Ear("noop", "( mark 2 2 )", "( mark 1 1 )", "noop")
    match = Match(game, "krieg", ["x", "o"], AMPLE, 1)
    Course(match, game, [x, o], max_steps=4).run()
    told = [[re.sub(r"ludus\S+", "m", text) for text in ear.heard[1:5]] for ear in (x, o)]
    assert told[0] == [
        "( PLAY m 0 NIL NIL )",
        "( PLAY m 1 ( mark 2 2 ) ( ( set 2 2 ) ) )",
        "( PLAY m 2 noop ( ) )",
        "( PLAY m 3 noop ( your_turn ) )",
    ]
    assert told[1][1:] == [
        "( PLAY m 1 noop ( your_turn ) )",
        "( PLAY m 2 ( mark 2 2 ) ( ( taken 2 2 ) ) )",
        "( PLAY m 3 ( mark 1 1 ) ( ( set 1 1 ) ) )",
    ]


def test_a_player_is_told_which_move_was_made_for_it() -> None:
    game, guest = ludus.game("montyhall"), Ear("nonsense", "nonsense")
    match = play_with(game, guest)
    assert match.errors[1:3] == [["IL nonsense", ""], ["IL nonsense", ""]]
    assert f"2 {match.moves[1][0]} ( )" in guest.heard[3]
    assert guest.heard[-1].startswith("( STOP ")
    assert f" 4 {match.moves[3][0]} " in guest.heard[-1]


def play_with(game: Any, *players: Ear) -> Match:
    return Course(Match(game, game.facts.name, ["ear"] * len(players), AMPLE, 1), game, players).run()


def test_games_without_secrets_are_told_as_ever() -> None:
    game, one, two = ludus.game("tictactoe"), Ear("( mark 1 1 )"), Ear()
    play_with(game, one, two)
    assert [messages.read(text).moves for text in one.heard[1:3]] == [None, ("( mark 1 1 )", "noop")]


# --- both sides ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["montyhall", "kuhnpoker", "kriegtictactoe"])
def test_a_match_over_the_network(name: str) -> None:
    game = ludus.game(name)
    with serve(Player("random"), port=0) as server:
        others = ["random"] * (game.facts.seats - 1)
        match = play_match(game, name, [f"127.0.0.1:{server.port}", *others], AMPLE, seed=3)
    assert (match.status, match.failure) == ("completed", "")
    assert [error for step in match.errors for error in step if error] == []


def test_the_search_plays_by_what_it_is_told() -> None:
    warm_up("mcts", hidden=True)
    match = play_match(ludus.game("montyhall"), "montyhall", ["mcts"], Clocks(2, 2), seed=1)
    assert [error for step in match.errors for error in step if error] == []
    assert match.moves[-1][0] in ("keep", "switch")


def told(player: Player, text: str) -> str:
    return player.answer(text).body


def test_a_turn_that_is_told_twice_counts_once() -> None:
    player = Player("random")
    assert told(player, f"(START m guest ({MONTY}) 600 600)") == "ready"
    assert told(player, "(PLAY m 0 NIL NIL)") == "noop"
    assert re.fullmatch(r"\( choose [123] \)", told(player, "(PLAY m 1 noop ())"))
    assert re.fullmatch(r"\( choose [123] \)", told(player, "(PLAY m 1 noop ())"))
    assert told(player, "(PLAY m 2 (choose 1) ())") == "noop"
    assert told(player, "(PLAY m 3 noop ((opened 3)))") in ("keep", "switch")
    assert told(player, "(STOP m 4 keep ())") == "done"


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (("turn 2", "noop"), "turn 1 was never told"),
        (("turn 1", "noop", "( opened 7 )"), "can't perceive ( opened 7 )"),
        (("turn 1", "noop", "( opened 3 )"), "no state was found that fits what guest was told"),
        (("turn 1", "( fly )"), "not a legal move of guest"),
        (("noop", "( hide 1 )"), "players are told (PLAY match turn move (percept percept))"),
    ],
)
def test_what_cannot_be_is_said_and_the_rest_is_kept(entry: tuple[str, ...], problem: str) -> None:
    follower = HiddenFollower(ludus.game("montyhall"), 0)
    (before,) = follower.follow([])
    assert follower.problem == ""
    (after,) = follower.follow([entry])
    assert problem in follower.problem
    assert after.tolist() == before.tolist()
    assert follower.game.legal(after)[0] == ["noop"]


def test_the_role_of_chance_is_the_manager_s() -> None:
    reply = Player("random").answer(f"(START m random ({MONTY}) 600 600)")
    assert "is the manager's own" in reply.body
