"""OpenSpiel's games as games of ludus: ply by ply what OpenSpiel itself plays; its bots as players; and what is refused, in one line."""

from __future__ import annotations

import pickle
import random
import sys
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.cli.main import main
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError, NotInstalledError
from ludus.games import game_name
from ludus.kernel import stream

pyspiel = pytest.importorskip("pyspiel")

from ludus.adapters.openspiel.bots import SpielPlayer  # noqa: E402
from ludus.games.openspiel import adopt, loading, referee  # noqa: E402

GAMES = [
    "connect_four",
    "tic_tac_toe",
    "breakthrough(rows=6,columns=4)",
    "backgammon(scoring_type=full_scoring)",
    "pig(winscore=30)",
    "matrix_mp",
    "goofspiel(num_cards=4)",  # all seats at once, and chance
    "oshi_zumo(coins=6,size=1)",
    "catch",  # one seat
    "2048(max_tile=32)",
    "misere(game=breakthrough(rows=5,columns=4))",
    "python_tic_tac_toe",
    "pathfinding(horizon=20)",  # one seat, simultaneous
]


class Beside:
    """A game of ours and OpenSpiel's own state, played along."""

    def __init__(self, name: str) -> None:
        self.game = ludus.game(f"openspiel:{name}")
        self.state = np.full(self.game.facts.state_size, 99, np.int64)
        rules.start(self.game, self.state)
        self.theirs = self.game.spiel.new_initial_state()

    def legal(self, seat: int) -> list[int]:
        out = np.zeros(self.game.facts.max_moves, np.int64)
        return out[: rules.moves(self.game, self.state, seat, out)].tolist()

    def chances(self) -> list[tuple[int, float]]:
        room = self.game.facts.max_chances
        outcomes, odds = np.zeros(room, np.int64), np.zeros(room)
        count = rules.chances(self.game, self.state, outcomes, odds)
        return list(zip(outcomes[:count].tolist(), odds[:count].tolist(), strict=True))

    def go_on(self, draw: random.Random) -> bool:
        """Compare what both say of this state, and play a random ply in both; False at the end."""
        game, state, theirs = self.game, self.state, self.theirs
        turn = rules.turn(game, state)
        position = Position(game, state)
        assert str(position) == str(theirs).rstrip()
        assert game.spiel_state(state).history() == theirs.history()
        if turn == OVER:
            assert theirs.is_terminal()
            assert position.scores() == theirs.returns()
            return False
        if turn == CHANCE:
            assert self.chances() == theirs.chance_outcomes()
            move = draw.choice(self.chances())[0]
        elif turn == JOINT:
            assert theirs.is_simultaneous_node()
            each = [self.legal(seat) for seat in range(game.facts.seats)]
            assert each == [theirs.legal_actions(seat) or [0] for seat in range(game.facts.seats)]
            joint = [draw.choice(legal) for legal in each]
            rules.play_joint(game, state, np.array(joint, np.int64))
            theirs.apply_actions(joint)
            return True
        else:
            assert turn == theirs.current_player()
            assert self.legal(turn) == theirs.legal_actions()
            move = draw.choice(self.legal(turn))
            assert game.move_text(state, move) == theirs.action_to_string(turn, move)
        rules.play(game, state, move)
        theirs.apply_action(move)
        return True


@pytest.mark.parametrize("name", GAMES)
def test_random_games_go_as_openspiel_plays_them(name: str) -> None:
    for seed in range(3):
        both, draw, plies = Beside(name), random.Random(seed), 0
        while both.go_on(draw):
            plies += 1
        assert 0 < plies < 2 * both.game.facts.max_plies + 10
        assert np.array_equal(both.game.read_state(both.game.state_text(both.state)), both.state)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_of_itself_what_openspiel_says(name: str) -> None:
    game = ludus.game(f"openspiel:{name}")
    theirs, facts = game.spiel, game.facts
    assert facts.seats == theirs.num_players()
    assert facts.actions == theirs.num_distinct_actions()
    assert facts.max_plies == theirs.max_game_length()
    assert facts.score_range == (theirs.min_utility(), theirs.max_utility())
    assert ludus.game(game_name(game)) == game
    again = pickle.loads(pickle.dumps(game))
    assert (again, again.facts) == (game, facts)


def test_a_state_that_was_forgotten_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "MAX_KEPT", 1)
    both, draw = Beside("goofspiel(num_cards=4)"), random.Random(5)
    begun = both.state.copy()
    while both.go_on(draw):
        assert both.game.spiel_state(begun).history() == []


def test_texts_of_moves_are_openspiels_and_without_the_seat_where_all_have_the_same() -> None:
    position = ludus.game("openspiel:connect_four").start()
    assert [str(move) for move in position.moves()][:2] == ["x0", "x1"]
    assert position.play("x3").play("#3").text == "3 3"
    bids = ludus.game("openspiel:goofspiel(num_cards=3,points_order=descending)").start()
    bids = bids.play(str(bids.chances()[0][0])) if bids.kind == "chance" else bids
    assert [str(move) for move in bids.moves(1)] == ["Bid: 1", "Bid: 2", "Bid: 3"]
    with pytest.raises(LudusError, match=r"'x9' is not a legal move here; legal are: x0, x1"):
        position.play("x9")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write start"),
        ("3 9", r"'9' after 1 actions"),
        ("x", "'x' after 0 actions"),
        ("0 0 0 0 0 0 0", "'0' after 6"),
    ],
)
def test_a_position_that_can_not_be_is_refused(text: str, why: str) -> None:
    with pytest.raises(LudusError, match=why):
        ludus.game("openspiel:connect_four").position(text)


def test_a_joint_position_needs_a_move_of_each() -> None:
    game = ludus.game("openspiel:matrix_mp")
    assert game.position("0 1").scores() == [-1.0, 1.0]
    with pytest.raises(LudusError, match="one is missing"):
        game.position("0")


def test_playouts_are_whole_games_and_depend_on_the_stream_alone() -> None:
    for name in ("tic_tac_toe", "goofspiel(num_cards=3)", "pig(winscore=10)"):
        game = ludus.game(f"openspiel:{name}")
        totals = []
        for seed in (1, 1, 2):
            total = np.zeros(game.facts.seats)
            rules.playouts(game, game.start().state.copy(), stream(seed), 30, rules.sizes_of(game), total)
            totals.append(total.tolist())
        assert totals[0] == totals[1] != totals[2]
        assert sum(totals[0]) == 0
        assert 0 < abs(totals[0][0]) <= 30


def test_a_game_of_your_own_hands_can_be_adopted() -> None:
    repeated = pyspiel.load_game("repeated_game(stage_game=matrix_pd(),num_repetitions=2)")
    position = adopt(repeated).start().play(["Cooperate", "Defect"]).play(["Defect", "Defect"])
    assert position.scores() == [0 + 1, 10 + 1]


# --- the arena -------------------------------------------------------------------------------------------------------


def test_bots_meet_players_and_cores_change_nothing() -> None:
    players = ["mcts(simulations=20)", "openspiel:mcts(simulations=20)"]
    one = ludus.arena("openspiel:tic_tac_toe", players, games=6, seed=1, jobs=1)
    two = ludus.arena("openspiel:tic_tac_toe", players, games=6, seed=1, jobs=2)
    assert [row.wins for row in one.rows] == [row.wins for row in two.rows]
    assert (
        ludus.arena("openspiel:tic_tac_toe", ["openspiel:mcts(simulations=50)", "random"], games=10, seed=1)
        .rows[0]
        .wins
        > 7
    )


def test_bots_play_where_all_move_at_once_alone_and_by_python_games() -> None:
    for name, bot in [
        ("openspiel:goofspiel(num_cards=3)", "openspiel:random"),
        ("openspiel:catch", "openspiel:random"),
        ("openspiel:python_tic_tac_toe", "openspiel:mcts(simulations=5)"),
        ("openspiel:misere(game=python_tic_tac_toe())", "openspiel:mcts(simulations=5)"),
    ]:
        result = ludus.arena(name, [bot], games=4, seed=1, jobs=1)
        assert (result.games, result.game) == (4, name)


def test_a_bot_that_prefers_some_actions() -> None:
    position = ludus.game("openspiel:tic_tac_toe").start()
    bot = ludus.player("openspiel:fixed_action_preference(actions=4:8)", position.game)
    rng = np.random.default_rng(1)
    assert (bot.choose(position, rng), bot.choose(position.play(4), rng)) == (4, 8)
    with pytest.raises(LudusError, match=r"can't move in tic_tac_toe\(\): No legal actions"):
        bot.choose(position.play(4).play(8), rng)


def test_openspiels_mcts_plays_our_games_and_wins() -> None:
    result = ludus.arena("tictactoe", ["openspiel:mcts(simulations=30)", "random"], games=6, seed=1, jobs=1)
    assert result.rows[0].wins >= 4


def test_a_bot_moves_checker_by_checker_in_backgammon() -> None:
    result = ludus.arena("backgammon(bearoff=4)", ["openspiel:random", "random"], games=4, seed=1, jobs=1)
    assert sum(row.wins for row in result.rows) == 4


def test_whoever_acts_on_openspiels_states_is_a_player_and_its_mistakes_are_named() -> None:
    def last(state: Any, seat: int, rng: Any) -> int:
        return state.legal_actions(seat)[-1]

    for name in ("openspiel:connect_four", "rockpaperscissors", "backgammon(bearoff=3)", "backgammon-steps(bearoff=3)"):
        game = ludus.game(name)
        assert ludus.arena(game, [SpielPlayer(name, last), SpielPlayer(game, last)], games=2, seed=1).games == 2
    with pytest.raises(LudusError, match="was made for hex3, and can't play tictactoe"):
        ludus.arena("tictactoe", [SpielPlayer("hex3", last), "random"], games=1)
    with pytest.raises(LudusError, match="player 'wrong': action 9 is not legal for seat 0"):
        ludus.arena("tictactoe", [SpielPlayer("tictactoe", lambda *_: 9, name="wrong"), "random"], games=1)


def test_people_are_told_once_that_it_is_slow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_told", [])
    for _ in range(3):
        ludus.game("openspiel:tic_tac_toe")
    assert capsys.readouterr().err.count("slow") == 1


def test_the_commands_know_them(capsys: pytest.CaptureFixture[str]) -> None:
    for line, what in [
        ("arena openspiel:tic_tac_toe random openspiel:random --games 2 --jobs 1", "openspiel:random"),
        ("board openspiel:tic_tac_toe --position 4", ".x."),
        ("games", "openspiel:NAME"),
        ("players", "openspiel:mcts"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        assert ended.value.code == 0
        assert what in capsys.readouterr().out


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("openspiel", "name one of OpenSpiel's, as in openspiel:connect_four"),
        ("openspiel:conect_four", "did you mean 'connect_four'"),
        ("openspiel:connect_four(row=5)", "did you mean 'rows'"),
        ("openspiel:connect_four(rows=five)", "rows must be a whole number"),
        ("openspiel:tic_tac_toe(size=4)", "takes no parameters, but got 'size'"),
        ("openspiel:misere", r"needs a game: openspiel:misere\(game=tic_tac_toe\(\)\)"),
        ("openspiel:misere(game=kuhn_pokre())", "did you mean 'kuhn_poker'"),
        ("openspiel:nim(pile_sizes=a;b)", "OpenSpiel can't load nim"),
        ("openspiel:kuhn_poker", "choose a game of perfect information"),
        ("openspiel:misere(game=kuhn_poker())", "choose a game of perfect information"),
        ("openspiel:goofspiel(imp_info=true)", "choose a game of perfect information"),
        ("openspiel:mfg_garnet", "mean field"),
        ("openspiel:stones_and_gems", "draws its chances by itself"),
    ],
)
def test_a_game_that_can_not_be_had_is_refused(name: str, why: str) -> None:
    with pytest.raises(LudusError, match=why) as error:
        ludus.game(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("player", "game", "why"),
    [
        ("openspiel", "tic_tac_toe", "openspiel:mcts or openspiel:random or"),
        ("openspiel:mtcs", "tic_tac_toe", "did you mean 'mcts'"),
        ("openspiel:random(simulations=5)", "tic_tac_toe", "takes no arguments"),
        ("openspiel:mcts(simulations=0)", "tic_tac_toe", "a whole number from 1"),
        ("openspiel:mcts(plies=2)", "tic_tac_toe", "unknown argument"),
        ("openspiel:mcts", "goofspiel", "seats take turns"),
    ],
)
def test_a_bot_that_can_not_be_had_is_refused(player: str, game: str, why: str) -> None:
    with pytest.raises(LudusError, match=why):
        ludus.player(player, ludus.game(f"openspiel:{game}"))


def test_without_openspiel_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(NotInstalledError, match=r"pip install 'ludus\[openspiel\]'"):
        ludus.game("openspiel:connect_four")
    missing: Any = None
    for name in [name for name in sys.modules if name.startswith("ludus.adapters.openspiel")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(NotInstalledError, match=r"pip install 'ludus\[openspiel\]'"):
        missing = ludus.player("openspiel:mcts", ludus.game("tictactoe"))
    assert missing is None


def test_a_game_that_breaks_down_is_over_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    both = Beside("tic_tac_toe")
    monkeypatch.setattr(both.game.referee, "room", 0)
    with pytest.warns(UserWarning, match="ends without a result: it is longer"):
        rules.play(both.game, both.state, 4)
    assert rules.turn(both.game, both.state) == OVER
    assert Position(both.game, both.state).scores() == [0.0, 0.0]
