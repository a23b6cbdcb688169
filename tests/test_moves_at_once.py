"""Sheets that begin with turns, and in which all seats move at once later: every player knows what to do there.

The Makefile runs this in plain Python too, where a `play` in such a state would raise an error; compiled code would read and write anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import naive
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER
from ludus.errors import LudusError
from ludus.games import gdl
from ludus.kernel import stream
from ludus.matches import arena
from ludus.nets import storage
from ludus.nets.network import Network, new_network
from ludus.nets.value import OTHERS
from ludus.players import player
from ludus.players.alphabeta import AlphaBeta
from ludus.players.base import ask, rank
from ludus.players.greedy import td_player
from ludus.search.leaves import network_leaf
from ludus.search.minimax_space import won_at
from ludus.search.solve import solve

# In rounds 1, 2 and 4 one seat speaks, in 3 and 5 both do, the first with three words and the second with two. The last words count.
LATE = """
(role a) (role b)
(word 1) (word 2) (word 3)
(speaks 1 a) (speaks 2 b) (speaks 3 a) (speaks 3 b) (speaks 4 a) (speaks 5 a) (speaks 5 b)
(then 1 2) (then 2 3) (then 3 4) (then 4 5) (then 5 6)
(init (round 1))
(<= (next (round ?m)) (true (round ?n)) (then ?n ?m))
(<= (deciding ?p) (true (round ?n)) (speaks ?n ?p))
(<= (legal a (say ?w)) (deciding a) (word ?w))
(<= (legal b (say ?w)) (deciding b) (word ?w) (distinct ?w 3))
(<= (legal ?p wait) (role ?p) (distinct ?p random) (not (deciding ?p)))
(<= (next (said ?p ?n ?w)) (does ?p (say ?w)) (true (round ?n)))
(<= (next (said ?p ?n ?w)) (true (said ?p ?n ?w)))
(<= terminal (true (round 6)))
(pays 1 1 60 30) (pays 1 2 20 90) (pays 2 1 40 0) (pays 2 2 60 10) (pays 3 1 0 80) (pays 3 2 70 70)
(<= (goal a ?g) (true (said a 5 ?x)) (true (said b 5 ?y)) (pays ?x ?y ?g ?h))
(<= (goal b ?h) (true (said a 5 ?x)) (true (said b 5 ?y)) (pays ?x ?y ?g ?h))
"""
# The same with a coin that is tossed after the second round, so that both move at once after chance.
COIN = (
    LATE.replace("(role b)", "(role b) (role random)")
    .replace("(then 2 3)", "(then 2 coin) (then coin 3)")
    .replace("(init", "(<= (legal random (say ?w)) (true (round coin)) (word ?w) (distinct ?w 3))\n"
             "(<= (legal random wait) (not (true (round coin))))\n(init", 1)
)  # fmt: skip

NETWORKED = [
    "td",
    "td(plies=1)",
    "td(plies=2)",
    "td(rollouts=3)",
    "mcts(simulations=12)",
    "mcts(simulations=9,mix=0.5)",
]
ALPHABETA = ["td(seconds=0.001)", "alphabeta(depth=1)", "alphabeta(depth=3)", "alphabeta(depth=4,width=1)"]
UNAIDED = ["random", "mcs(playouts=2)", "nmcs(playouts=1,games=1)", "nmcs(level=2,playouts=1,games=1)", "mcts(simulations=12)", "mcts(seconds=0.001)", "mcs(seconds=0.001)"]  # fmt: skip


@cache
def late() -> Any:
    return gdl.load(LATE, "late")


@cache
def coin() -> Any:
    return gdl.load(COIN, "coin")


def network_of(game: Any) -> Network:
    encoding = game.encodings()["propositions"]
    sections, inputs, outputs = encoding.shape(game)
    net = new_network(sections, inputs, 4, outputs, seed=5)
    for part in net:
        part *= 20  # so that positions differ
    return net


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The file of a network for a game."""
    folder = tmp_path_factory.mktemp("models")

    @cache
    def file(game: Any) -> str:
        path = folder / f"{game.facts.name}.safetensors"
        facts = {"game": game.facts.model, "game_version": game.facts.version, "settings": {"encoding": "propositions"}}
        storage.save(path, network_of(game)._asdict(), facts)
        return str(path)

    return file


def positions(game: Any, seed: int) -> Iterator[Position]:
    """The positions of a random game in which somebody has to decide."""
    position, rng, pick = game.start(), stream(seed), np.random.default_rng(seed)
    while not position.over:
        if position.kind == "chance":
            position = position.roll(rng)
            continue
        yield position
        seats = range(game.facts.seats)
        if position.kind == "joint":
            position = position.play([int(pick.choice(position.moves(seat))) for seat in seats])
        else:
            position = position.play(int(pick.choice(position.moves())))


def test_the_sheets_are_what_they_should_be() -> None:
    assert [p.kind for p in positions(late(), 1)] == ["decision", "decision", "joint", "decision", "joint"]
    assert [p.kind for p in positions(coin(), 1)] == ["decision", "decision", "joint", "decision", "joint"]
    last = list(positions(late(), 1))[-1]
    assert [len(last.moves(seat)) for seat in (0, 1)] == [3, 2]


# --- what players think ----------------------------------------------------------------------------------------------


class Judge(naive.Judge):
    """As the naive one, for positions in which all move at once too: there it looks no further."""

    def afters(self, state: np.ndarray, seat: int, move: int) -> list[np.ndarray]:
        """The states after a move that stand for all that can be."""
        if rules.turn(self.game, state) != JOINT:
            return [self.after(state, move)]
        assert self.game.facts.seats == 2
        theirs, found = self.moves(state, 1 - seat), []
        for sample in range(OTHERS):
            pair = [move, theirs[sample * len(theirs) // OTHERS]]
            child = state.copy()
            rules.play_joint(self.game, child, np.array(pair if seat == 0 else pair[::-1]))
            found.append(child)
        return found

    def expect(self, state: np.ndarray, plies: int) -> np.ndarray:
        return self.static(state) if rules.turn(self.game, state) == JOINT else super().expect(state, plies)

    def rounds(self, state: np.ndarray, seat: int) -> np.ndarray:
        """Where greedy play leads, up to the next move of `seat`; without chance."""
        mover = rules.turn(self.game, state)
        if mover in (OVER, JOINT):
            return self.static(state)
        assert mover != CHANCE
        child = self.after(state, self.best(state, mover))
        return self.static(child) if mover == seat else self.rounds(child, seat)


@pytest.mark.parametrize("game", [late, coin])
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_looking_ahead_sees_what_a_naive_search_does(game: Any, plies: int) -> None:
    net, encoding = network_of(game()), game().encodings()["propositions"]
    found = td_player(game(), encoding, net, plies, width=99, margin=9.0)
    judge = Judge(naive.wide(net), encoding, game())
    for position in positions(game(), 3):
        for seat in (0, 1) if position.kind == "joint" else (position.turn,):
            state = position.state.copy()
            ranked = rank(found, position.seen_by(seat), stream(1))
            for move, value in ranked:
                ends = [judge.worth(judge.expect(s, plies))[seat] for s in judge.afters(state, seat, int(move))]
                assert value == pytest.approx(np.mean(ends), abs=2e-5), f"{position.text} {seat} {move}"
            assert ask(found, position, stream(1), seat) == ranked[0][0]


def test_rounds_go_where_naive_ones_do() -> None:
    net, encoding = network_of(late()), late().encodings()["propositions"]
    found = td_player(late(), encoding, net, rollouts=OTHERS)
    judge = Judge(naive.wide(net), encoding, late())
    for position in positions(late(), 4):
        for seat in (0, 1) if position.kind == "joint" else (position.turn,):
            for move, value in rank(found, position.seen_by(seat), stream(1)):
                afters = judge.afters(position.state.copy(), seat, int(move))
                ends = [judge.worth(judge.rounds(state, seat))[seat] for state in afters]
                assert value == pytest.approx(np.mean(ends), abs=2e-5), f"{position.text} {seat} {move}"


def test_alphabeta_takes_what_is_best_beside_the_moves_of_the_other() -> None:
    game = late()
    net, encoding = network_of(game), game.encodings()["propositions"]
    found = AlphaBeta(game, network_leaf(game, encoding, net), 1.0, 2, 0, "exact")
    judge = Judge(naive.wide(net), encoding, game)

    def difference(state: np.ndarray, ended: float) -> float:
        one, two = judge.worth(judge.static(state))
        return (one - two) * (ended if rules.turn(game, state) == OVER else 1.0)

    for position in positions(game, 2):
        if position.kind == "joint":
            for seat, sign in ((0, 1), (1, -1)):
                ranked = rank(found, position.seen_by(seat), stream(1))
                for move, value in ranked:
                    afters = judge.afters(position.state.copy(), seat, int(move))
                    wanted = sign * np.mean([difference(state, won_at(1)) for state in afters])
                    assert value == pytest.approx(wanted, abs=1e-5), f"{position.text} {seat} {move}"
                assert ask(found, position, stream(1), seat) == ranked[0][0]
    # Round 4, depth 2: what follows is judged as it stands, and is no worse for being looked at.
    fourth = list(positions(game, 2))[3]
    found.choose(fourth, stream(1))
    children = [judge.after(fourth.state.copy(), int(move)) for move in fourth.moves()]
    assert all(rules.turn(game, state) == JOINT for state in children)
    assert found.value == pytest.approx(max(difference(state, 1.0) for state in children), abs=1e-5)


# --- whole games -----------------------------------------------------------------------------------------------------


def named(name: str, file: str = "MODEL") -> str:
    """The name of a player with its network: td(plies=1) becomes td:MODEL(plies=1)."""
    kind, _, rest = name.partition("(")
    return f"{kind}:{file}" + (f"({rest}" if rest else "")


@pytest.mark.parametrize(
    ("game", "name"),
    [(game, name) for game in (late, coin) for name in UNAIDED + [named(name) for name in NETWORKED]]
    + [(late, named(name)) for name in ALPHABETA],
)
def test_every_player_plays_such_games(game: Any, name: str, model: Any) -> None:
    found = player(name.replace("MODEL", model(game())), game())
    for seed in (1, 2):
        for position in positions(game(), seed):
            for seat in (0, 1) if position.kind == "joint" else (position.turn,):
                assert ask(found, position, stream(seed), seat) in position.moves(seat)
                if name != "random":
                    ranked = rank(found, position.seen_by(seat), stream(seed))
                    assert {int(move) for move, _ in ranked} == {int(move) for move in position.moves(seat)}
                    assert np.isfinite([value for _, value in ranked]).all()
    result = arena(game(), [found, "random"], games=4, seed=1, jobs=1)
    assert result.rows[0].games == 4


@pytest.mark.parametrize("name", ["td(plies=1)", "td(plies=2)", "td(rollouts=8)", "alphabeta(depth=2)"])
def test_at_the_last_words_the_best_on_average_is_chosen(name: str, model: Any) -> None:
    """The first seat gets 40, 50 or 35 on average; the difference is -20, 45 or -40. No network has a say at the end of the game."""
    found = player(named(name, model(late())), late())
    last = list(positions(late(), 6))[-1]
    ranked = rank(found, last.seen_by(0), stream(1))
    if name.startswith("td"):
        assert [value for _, value in ranked] == pytest.approx([0.5, 0.4, 0.35], abs=1e-6)
    assert str(ranked[0][0]) == "( say 2 )"


def test_what_needs_turns_or_no_chance_says_so(model: Any) -> None:
    with pytest.raises(LudusError, match="move at once"):
        solve(late())
    with pytest.raises(LudusError, match="without chance"):
        player(named("alphabeta", model(coin())), coin())
    with pytest.raises(LudusError, match="without chance"):
        player(named("td(seconds=1)", model(coin())), coin())
