"""What every game must do. A new game is one more line in GAMES.

The tests walk through random games and look at each position on the way. Run as a program, this file prints a digest of
such walks: compiled and plain Python must come to the same one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

import ludus
from ludus.contract import rules, views
from ludus.contract.knowing import hides
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, JOINT, OVER, Facts
from ludus.errors import LudusError
from ludus.kernel import JIT, PACKAGE, draw, stream
from ludus.players.base import Random, choose
from stairs import Stairs
from toys import Nim, Pennies, Race

GAMES = [
    ludus.game("backgammon"),
    ludus.game("backgammon(scoring=1)"),
    ludus.game("backgammon(scoring=2)"),
    ludus.game("backgammon(bearoff=3)"),
    ludus.game("backgammon(match=3)"),
    ludus.game("backgammon(cube=true,jacoby=true,beavers=2,automatic=2)"),
    ludus.game("backgammon-steps"),
    ludus.game("backgammon-steps(match=3)"),
    ludus.game("ludo"),
    ludus.game("ludo(rules=ludopy,seats=2)"),
    ludus.game("ludo(rules=ludopy-1.3.1,seats=3)"),
    ludus.game("quoridor"),
    ludus.game("quoridor(size=5,walls=2)"),
    ludus.game("quoridor(size=7,columns=5)"),
    ludus.game("quoridor(seats=4)"),
    ludus.game("tictactoe"),
    ludus.game("pig"),
    ludus.game("rockpaperscissors"),
    ludus.game("kuhnpoker"),
    Nim(),
    Nim((1, 0, 2, 1)),
    Race(),
    Race(5),
    Pennies(),
    Stairs(),
]
if importlib.util.find_spec("pyspiel"):
    SPIELS = ("tic_tac_toe", "pig(winscore=20)", "goofspiel(num_cards=3)")
    GAMES += [ludus.game(f"openspiel:{name}") for name in SPIELS]

WALKS = 4 if JIT else 1  # random games that are looked at
GENEROUS = 10_000  # plies that end any game here, where the rules set no bound


def name(value: Any) -> str:
    return repr(value).replace("=", " ")


every_game = pytest.mark.parametrize("game", GAMES, ids=name)
every_encoding = pytest.mark.parametrize(
    ("game", "encoding"), [(g, e) for g in GAMES for e in g.encodings().values()], ids=lambda value: name(value)
)


# --- walking through a game ------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A state on the way, and what `turn` says of it."""

    state: np.ndarray
    turn: int

    @property
    def deciding(self) -> bool:
        return self.turn >= 0 or self.turn == JOINT

    def seats(self, game: Any) -> list[int]:
        """Who has to decide here."""
        return list(range(game.facts.seats)) if self.turn == JOINT else [self.turn] * (self.turn >= 0)


def listed(game: Any, state: np.ndarray, seat: int) -> list[int]:
    """The legal moves of a seat."""
    out = np.zeros(game.facts.max_moves, np.int64)
    return out[: rules.moves(game, state, seat, out)].tolist()


def possible(game: Any, state: np.ndarray) -> tuple[list[int], list[float]]:
    """The outcomes of the chance event that is due, and their probabilities."""
    outcomes, odds = np.zeros(game.facts.max_chances, np.int64), np.zeros(game.facts.max_chances)
    count = rules.chances(game, state, outcomes, odds)
    return outcomes[:count].tolist(), odds[:count].tolist()


def rolled(game: Any, state: np.ndarray, rng: np.ndarray) -> int:
    room = game.facts.max_chances
    return int(rules.roll(game, state, rng, np.zeros(room, np.int64), np.zeros(room)))


def walk(game: Any, seed: int) -> Iterator[Step]:
    """All states of a random game, from the beginning to the end."""
    facts, rng = game.facts, stream(seed)
    room = np.zeros(facts.max_moves, np.int64)
    state = np.full(facts.state_size, 99, np.int64)  # `start` must not rely on what was there before
    rules.start(game, state)
    for _ in range(2 * GENEROUS):
        due = int(rules.turn(game, state))
        yield Step(state.copy(), due)
        if due == OVER:
            return
        if due == CHANCE:
            rules.play(game, state, rolled(game, state, rng))
        elif due == JOINT:
            joint = [rules.random_move(game, state, seat, rng, room) for seat in range(facts.seats)]
            rules.play_joint(game, state, np.array(joint, np.int64))
        else:
            rules.play(game, state, rules.random_move(game, state, due, rng, room))
    raise AssertionError("the game does not end")


@lru_cache(maxsize=None, typed=True)  # typed, because tuples of different games may be equal
def walks(game: Any) -> list[list[Step]]:
    return [list(walk(game, seed)) for seed in range(WALKS)]


def steps(game: Any) -> list[Step]:
    return [step for path in walks(game) for step in path]


def ends(game: Any) -> list[np.ndarray]:
    return [path[-1].state for path in walks(game)]


def seen_by_networks(game: Any) -> list[np.ndarray]:
    """The states after a move: those that encodings must be able to show."""
    return [b.state for path in walks(game) for a, b in itertools.pairwise(path) if a.deciding and b.turn != OVER]


def some(things: list[Any], most: int) -> list[Any]:
    """At most so many of the things, evenly chosen."""
    return things[:: max(1, -(-len(things) // most))]


# --- facts and play --------------------------------------------------------------------------------------------------


@every_game
def test_a_game_tells_its_facts_and_offers_what_people_need(game):
    facts = game.facts
    assert isinstance(facts, Facts)
    assert isinstance(game, tuple)  # a NamedTuple: frozen, and its type is what words dispatch on
    assert hash(game) == hash(pickle.loads(pickle.dumps(game)))
    assert facts.seats >= 1
    assert facts.max_moves >= 1
    assert facts.score_range[0] < facts.score_range[1]
    for offer in (
        "start",
        "position",
        "encodings",
        "move_text",
        "read_move",
        "state_text",
        "read_state",
        "board_text",
        "board_svg",
    ):
        assert callable(getattr(game, offer)), offer


@every_game
def test_a_random_game_comes_to_its_end(game):
    for path in walks(game):
        plies = sum(step.deciding for step in path)
        assert path[-1].turn == OVER
        assert plies <= (game.facts.max_plies or GENEROUS)
        assert all(step.turn in (CHANCE, JOINT, *range(game.facts.seats)) for step in path[:-1])


@every_game
def test_games_begin_alike_and_go_on_as_chance_and_the_players_will(game):
    first, second = (list(walk(game, seed)) for seed in (1, 1))
    assert [s.state.tolist() for s in first] == [s.state.tolist() for s in second]
    assert len({path[0].state.tobytes() for path in walks(game)}) == 1
    assert len({path[-1].state.tobytes() for path in (*walks(game), *(list(walk(game, 50 + i)) for i in range(8)))}) > 1


@every_game
def test_a_decision_has_moves_each_listed_once(game):
    for step in steps(game):
        for seat in step.seats(game):
            legal = listed(game, step.state, seat)
            assert 1 <= len(legal) <= game.facts.max_moves
            assert len(set(legal)) == len(legal)


@every_game
def test_where_a_game_has_an_action_space_all_moves_lie_in_it(game):
    actions = game.facts.actions
    assert actions == 0 or actions >= game.facts.max_moves
    for step in steps(game):
        for seat in step.seats(game):
            assert not actions or all(0 <= move < actions for move in listed(game, step.state, seat))


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("backgammon", 0),
        ("backgammon-steps", 156),
        ("backgammon-steps(match=3)", 163),
        ("backgammon-openspiel", 1352),
        ("ludo", 4),
        ("quoridor", 141),
        ("quoridor(size=5)", 141),
        ("quoridor(size=5,columns=7)", 141),
        ("tictactoe", 20),
    ],
)
def test_the_number_of_actions(name, actions):
    assert ludus.game(name).facts.actions == actions  # tictactoe: nine squares and waiting, for each role


@every_game
def test_random_moves_are_legal_and_all_are_drawn(game):
    rng, room = stream(11), np.zeros(game.facts.max_moves, np.int64)
    step = min(
        (s for s in steps(game) if s.deciding), key=lambda s: abs(len(listed(game, s.state, s.seats(game)[0])) - 4)
    )
    for seat in step.seats(game):
        legal = listed(game, step.state, seat)
        drawn = [int(rules.random_move(game, step.state, seat, rng, room)) for _ in range(100 * len(legal))]
        assert set(drawn) == set(legal)


@every_game
def test_chances_sum_to_one_and_rolls_keep_to_them(game):
    events = [step for step in steps(game) if step.turn == CHANCE]
    assert bool(events) == (game.facts.max_chances > 0)
    for step in events:
        outcomes, odds = possible(game, step.state)
        assert 1 <= len(outcomes) <= game.facts.max_chances
        assert len(set(outcomes)) == len(outcomes)
        assert min(odds) > 0
        assert sum(odds) == pytest.approx(1)
    rng, count = stream(12), 3000 if JIT else 1500
    for step in events[:2]:  # the first event of a game may be of another kind than the rest
        outcomes, odds = possible(game, step.state)
        found = [rolled(game, step.state, rng) for _ in range(count)]
        assert set(found) <= set(outcomes)
        seen = [found.count(outcome) for outcome in outcomes]
        assert stats.chisquare(seen, np.array(odds) * count).pvalue > 1e-4


@every_game
def test_every_move_leads_to_a_sound_state(game):
    def sound(state: np.ndarray) -> bool:
        good = rules.turn(game, state) in (CHANCE, JOINT, OVER, *range(game.facts.seats))
        return good and np.array_equal(
            game.read_state(game.state_text(state)), state
        )  # reading refuses impossible ones

    for step in some(steps(game), 40):
        if step.turn == JOINT:
            choices = [listed(game, step.state, seat) for seat in step.seats(game)]
            for turn in range(max(map(len, choices))):
                child = step.state.copy()
                rules.play_joint(game, child, np.array([c[turn % len(c)] for c in choices], np.int64))
                assert sound(child)
        elif step.turn != OVER:
            options = possible(game, step.state)[0] if step.turn == CHANCE else listed(game, step.state, step.turn)
            for move in some(options, 12):
                child = step.state.copy()
                rules.play(game, child, move)
                assert sound(child)


# --- who may change a state ------------------------------------------------------------------------------------------


@every_game
def test_asking_changes_nothing(game):
    facts, rng = game.facts, stream(13)
    for step in some(steps(game), 60):
        state = step.state.copy()
        rules.turn(game, state)
        if step.turn == CHANCE:
            possible(game, state)
            rolled(game, state, rng)
        if step.turn == OVER:
            rules.scores(game, state, np.zeros(facts.seats))
        for seat in step.seats(game):
            listed(game, state, seat)
            choose(Random(facts.max_moves), game, state, seat, rng)
        game.state_text(state)
        game.board_text(state)
        assert np.array_equal(state, step.state)


@every_game
def test_copies_are_independent(game):
    # All there is to a state stands in its array: two copies that are played on do not feel each other.
    for path in walks(game):
        for here, there in itertools.pairwise(path):
            if here.turn == JOINT:
                continue
            options = possible(game, here.state)[0] if here.turn == CHANCE else listed(game, here.state, here.turn)
            one, other = here.state.copy(), here.state.copy()
            rules.play(game, one, options[0])
            first = one.copy()
            rules.play(game, other, options[-1])
            assert np.array_equal(one, first)
            if len(options) > 1:
                assert not np.array_equal(one, other)
            assert not np.array_equal(here.state, there.state)


# --- scores ----------------------------------------------------------------------------------------------------------


@every_game
def test_scores_are_one_for_each_seat_and_within_their_range(game):
    low, high = game.facts.score_range
    for state in ends(game):
        out = np.full(game.facts.seats, np.nan)
        rules.scores(game, state, out)
        assert np.isfinite(out).all()
        assert low <= out.min()
        assert out.max() <= high


@every_game
def test_there_are_scores_at_the_end_only(game):
    path = walks(game)[0]
    assert len(Position(game, path[-1].state).scores()) == game.facts.seats
    for step in some(path[:-1], 10):
        with pytest.raises(LudusError, match="not over"):
            Position(game, step.state).scores()


# --- texts -----------------------------------------------------------------------------------------------------------


@every_game
def test_states_read_back_from_their_text(game):
    for step in steps(game):
        text = game.state_text(step.state)
        assert "\n" not in text
        assert game.read_state(text).tolist() == step.state.tolist()


@every_game
def test_moves_and_outcomes_read_back_from_their_text(game):
    for step in some(steps(game), 100 if JIT else 20):
        for seat in step.seats(game) if step.deciding else [None]:
            if step.turn == OVER:
                continue
            options = possible(game, step.state)[0] if seat is None else listed(game, step.state, seat)
            texts = [game.move_text(step.state, move) for move in options]
            assert len(set(texts)) == len(texts)
            for move, text in some(list(zip(options, texts, strict=True)), 10):
                assert game.read_move(step.state, text, seat) == move


@every_game
@pytest.mark.parametrize("text", ["", "nonsense", "99/98", "-1", "¾", "a" * 5000])
def test_nonsense_is_refused_in_words(game, text):
    start = game.start()
    with pytest.raises(LudusError):
        game.read_state(text)
    with pytest.raises(LudusError):
        game.read_move(start.state, text, 0)


@every_game
def test_boards_can_be_shown(game):
    for step in some(steps(game), 10):
        position = Position(game, step.state)
        assert str(position).strip()
        assert game.board_text(step.state, color=True).strip()
        assert position._repr_svg_().lstrip().startswith("<svg")
        assert game.facts.name in repr(position)


# --- encodings -------------------------------------------------------------------------------------------------------


@every_encoding
def test_features_are_distinct_finite_and_within_the_declared_size(game, encoding):
    sections, inputs, _ = encoding.shape(game)
    for state in seen_by_networks(game):
        before = state.copy()
        index, value = np.full(inputs + 8, -7, np.int64), np.full(inputs + 8, -7, np.float32)
        count = views.features(encoding, game, state, index[:inputs], value[:inputs])
        assert 0 < count <= inputs
        assert len(set(index[:count].tolist())) == count  # each once
        assert index[:count].min() >= 0
        assert index[:count].max() < inputs
        assert np.isfinite(value[:count]).all()
        assert (value[:count] != 0).all()
        assert np.abs(value[:count]).max() <= 16  # of an order that networks like
        assert (index[inputs:] == -7).all()  # nothing is written beyond the room that was given
        assert (value[inputs:] == -7).all()
        assert 0 <= views.section(encoding, game, state) < sections
        assert np.array_equal(state, before)


@every_encoding
def test_turning_to_a_view_and_back_is_no_change(game, encoding):
    _, _, outputs = encoding.shape(game)
    rng = np.random.default_rng(1)
    for state in some(seen_by_networks(game), 50):
        vector = rng.random(outputs).astype(np.float32)
        turned = vector.copy()
        views.to_view(encoding, game, state, turned)
        views.from_view(encoding, game, state, turned)
        assert turned == pytest.approx(vector, abs=1e-6)
        views.from_view(encoding, game, state, turned)
        views.to_view(encoding, game, state, turned)
        assert turned == pytest.approx(vector, abs=1e-6)


@every_encoding
def test_outcomes_are_shares_and_worth_what_the_scores_say(game, encoding):
    _, _, outputs = encoding.shape(game)
    for state in ends(game):
        outcome, value = np.full(outputs, np.nan, np.float32), np.full(game.facts.seats, np.nan)
        views.outcome(encoding, game, state, outcome)
        views.worth(encoding, game, outcome, value)
        assert ((outcome >= 0) & (outcome <= 1)).all()
        # An encoding may see less than the scores do (wins, but no gammons), yet never puts a loser above a winner.
        points = np.zeros(game.facts.seats)
        rules.scores(game, state, points)
        assert np.isfinite(value).all()
        for a in range(game.facts.seats):
            for b in range(game.facts.seats):
                assert (points[a] > points[b]) == (value[a] > value[b])


@every_encoding
def test_worth_is_one_number_a_seat_for_any_prediction(game, encoding):
    rng = np.random.default_rng(2)
    for _ in range(20):
        value = np.full(game.facts.seats, np.nan)
        views.worth(encoding, game, rng.random(encoding.shape(game)[2]).astype(np.float32), value)
        assert np.isfinite(value).all()


# --- positions -------------------------------------------------------------------------------------------------------


def middle(game: Any) -> Position:
    path = walks(game)[0]
    return Position(game, path[len(path) // 2].state)


@every_game
def test_positions_tell_what_is_going_on(game):
    kinds = {CHANCE: "chance", OVER: "over", JOINT: "joint"}
    for step in some(steps(game), 40):
        position = Position(game, step.state)
        assert position.kind == kinds.get(step.turn, "decision")
        assert position.turn == (step.turn if step.turn >= 0 else None)
        assert position.over == (step.turn == OVER)
        assert [int(o) for o, _ in position.chances()] == (possible(game, step.state)[0] if step.turn == CHANCE else [])
        for seat in range(game.facts.seats):
            legal = listed(game, step.state, seat) if seat in step.seats(game) else []
            assert [int(move) for move in position.moves(seat)] == legal
            assert [str(move) for move in position.moves(seat)] == [game.move_text(step.state, m) for m in legal]


@every_game
def test_positions_never_change(game):
    position = middle(game)
    before = position.state.copy()
    with pytest.raises(AttributeError, match="never changes"):
        position.seat = 1
    with pytest.raises(ValueError, match="read-only"):
        position.state[0] = 1
    writable = before.copy()
    held = Position(game, writable)
    writable[:] = 0
    assert held == position
    proceed(position, stream(14))
    assert np.array_equal(position.state, before)


def proceed(position: Position, rng: np.ndarray) -> Position:
    """The position after something random."""
    if position.kind == "chance":
        return position.roll(rng)
    seats = range(position.game.facts.seats) if position.kind == "joint" else [position.turn]
    moves = [options[int(draw(rng)) % len(options)] for options in map(position.moves, seats)]
    return position.play(moves if position.kind == "joint" else moves[0])


@every_game
def test_positions_play_whole_games(game):
    rng, position = stream(15), game.start()
    for _ in range(2 * GENEROUS):
        if position.over:
            break
        position = proceed(position, rng)
    assert position.moves(0) == []
    assert position.chances() == []
    assert len(position.scores()) == game.facts.seats


@every_game
def test_positions_take_moves_as_numbers_and_as_texts(game):
    for step in some([s for s in steps(game) if s.turn != OVER], 10):
        position = Position(game, step.state)
        if step.turn == JOINT:
            moves = [position.moves(seat)[-1] for seat in step.seats(game)]
            assert (
                position.play(moves) == position.play([str(m) for m in moves]) == position.play([int(m) for m in moves])
            )
        else:
            move = position.chances()[-1][0] if step.turn == CHANCE else position.moves()[-1]
            assert position.play(move) == position.play(str(move)) == position.play(np.int64(move))


@every_game
def test_equal_positions_are_one_in_a_set(game):
    one, same, start = middle(game), Position.read(game, middle(game).text), game.start()
    assert one == same
    assert hash(one) == hash(same)
    assert len({one, same, start, game.start()}) == 2
    assert one != start
    assert one != one.text


def test_positions_of_different_games_are_never_equal():
    # Not even if rules and state are the same numbers, as for the tuples of which they are made.
    positions = [
        Position(game, np.zeros(2, np.int64)) for game in (Race(2), Pennies(2), ludus.game("backgammon(scoring=2)"))
    ]
    positions += [Position(game, np.zeros(2, np.int64)) for game in (Race(3), Pennies(3), ludus.game("backgammon"))]
    assert all(one != other for one, other in itertools.combinations(positions, 2))
    assert len(set(positions)) == len(positions)


@every_game
def test_positions_refuse_what_the_rules_do_not_allow(game):
    position, rng = game.start(), stream(16)
    with pytest.raises(LudusError):
        position.play("nonsense")
    over = Position(game, ends(game)[0])
    with pytest.raises(LudusError, match="over"):
        over.play(0)
    with pytest.raises(LudusError, match="no chance event"):
        over.roll(rng)
    for step in some([s for s in steps(game) if s.turn != OVER], 10):
        position = Position(game, step.state)
        if step.turn == JOINT:
            with pytest.raises(LudusError, match="all seats move at once"):
                position.moves()
            for wrong in (0, np.int64(0), "0", [0] * (game.facts.seats + 1), []):
                with pytest.raises(LudusError, match=f"list of {game.facts.seats} moves"):
                    position.play(wrong)
            with pytest.raises(LudusError, match="not a legal move"):
                position.play([10**6] * game.facts.seats)
        else:
            with pytest.raises(LudusError, match="not a legal move"):
                position.play(10**6)
            with pytest.raises(LudusError, match="give one move"):
                position.play([0, 0])
        if step.turn != CHANCE:
            with pytest.raises(LudusError, match="no chance event"):
                position.roll(rng)


@every_game
def test_a_seat_has_its_own_view_where_all_move_at_once(game):
    for step in some(steps(game), 10):
        position = Position(game, step.state)
        seen = position.seen_by(game.facts.seats - 1)
        if hides(game):  # then the seat may know less, and not even whose turn it is
            continue
        assert seen == position
        if step.turn == JOINT:
            assert (position.turn, seen.turn) == (None, game.facts.seats - 1)
            assert seen.moves() == position.moves(game.facts.seats - 1)
        else:
            assert seen.turn == position.turn


# --- compiled and plain ----------------------------------------------------------------------------------------------


def digest(game: Any) -> str:
    """A hash of all that happens in two random games: states, legal moves, chances, scores and features."""
    total = hashlib.sha256()

    def add(numbers: Any, kind: type) -> None:
        total.update(np.asarray(numbers, kind).tobytes())

    for seed in (21, 22):
        moved = False
        for step in walk(game, seed):
            add([*step.state, step.turn], np.int64)
            for seat in step.seats(game):
                add(listed(game, step.state, seat), np.int64)
            if step.turn == CHANCE:
                for part, kind in zip(possible(game, step.state), (np.int64, np.float64), strict=True):
                    add(part, kind)
            for encoding in game.encodings().values():
                _, inputs, outputs = encoding.shape(game)
                vector = np.linspace(0, 1, outputs).astype(np.float32)
                if step.turn == OVER:
                    views.outcome(encoding, game, step.state, vector)
                elif moved:
                    index, value = np.zeros(inputs, np.int64), np.zeros(inputs, np.float32)
                    count = views.features(encoding, game, step.state, index, value)
                    add([views.section(encoding, game, step.state), *index[:count]], np.int64)
                    add(value[:count], np.float32)
                    views.to_view(encoding, game, step.state, vector)
                worth = np.zeros(game.facts.seats)
                views.worth(encoding, game, vector, worth)
                add(vector, np.float32)
                add(worth, np.float64)
            moved = step.deciding
        points = np.zeros(game.facts.seats)
        rules.scores(game, step.state, points)
        add(points, np.float64)
    return total.hexdigest()


@pytest.fixture(scope="module")
def plain():
    """The digests of all games, from a process without compilation."""
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(PACKAGE.parent)},
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not JIT, reason="compares compiled with plain")
@every_game
def test_compiled_and_plain_games_are_the_same(game, plain):
    assert plain["JIT"] is False
    assert digest(game) == plain[repr(game)]


if __name__ == "__main__":
    print(json.dumps({"JIT": JIT} | {repr(game): digest(game) for game in GAMES}))
