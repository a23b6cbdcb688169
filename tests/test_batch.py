"""Play in batches: the same games as one by one, and arrays that say what the rules say, row by row."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

import ludus
from ludus.batch import Batch, Games, Memory
from ludus.batch.choices import list_moves
from ludus.batch.observation import observe
from ludus.contract import rules
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER, Facts
from ludus.contract.views import features, from_view, outcome, section, to_view, worth
from ludus.errors import LudusError
from ludus.kernel import JIT, implements, stream
from ludus.matches import arena
from ludus.matches.flight import Manner, play_games
from ludus.players import player
from ludus.players.base import ask
from toys import First, Nim, Pennies, Race

GAMES = [
    ludus.game("backgammon"),
    ludus.game("ludo"),
    ludus.game("quoridor(size=5,walls=2)"),
    ludus.game("tictactoe"),
    Nim(),
    Race(),
    Pennies(),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.facts.name)


def some_batch(game: Any, steps: int = 5, seed: int = 3) -> Batch:
    """Decisions some random moves after the beginning."""
    games = Games(game, seed=seed, count=12, slots=6)
    batch = games.begin()
    for _ in range(steps):
        batch = games.step(batch.random_moves())
    return batch


def random_scores(game: Any, **options: Any) -> tuple[np.ndarray, Games]:
    games = Games(game, **options)
    batch = games.begin()
    while len(batch):
        batch = games.step(batch.random_moves())
    return games.scores, games


# --- which games are played ------------------------------------------------------------------------------------------


@each_game
@pytest.mark.parametrize("opening", [0, 2])
def test_random_games_are_those_of_the_arena(game: Any, opening: int) -> None:
    seats = game.facts.seats
    numbers = range(3, 13 if JIT else 6)
    random = player("random", game)
    by_player = play_games(
        game, [random] * seats, ["random"] * seats, 5, numbers, manner=Manner(opening=opening)
    ).scores
    wanted = [
        [row[(seat + number) % seats] for seat in range(seats)]
        for number, row in zip(numbers, by_player.tolist(), strict=True)
    ]
    for slots in (1, 4, 100):
        ours, games = random_scores(game, seed=5, first=3, count=len(numbers), slots=slots, opening=opening, limit=0)
        assert ours.tolist() == wanted
        assert games.done == len(numbers)


@each_game
def test_each_game_ends_once_in_its_own_slot(game: Any) -> None:
    games = Games(game, seed=2, count=9, slots=4)
    batch, ended = games.begin(), {}
    homes: dict[int, int] = {}
    while len(batch):
        homes |= dict(zip(batch.games.tolist(), batch.slots.tolist(), strict=True))
        assert len(set(batch.slots.tolist())) == len(set(batch.games.tolist())) <= 4
        batch = games.step(batch.random_moves())
        for number, slot, scores, state in zip(
            batch.ended.games.tolist(), batch.ended.slots.tolist(), batch.ended.scores, batch.ended.states, strict=True
        ):
            assert number not in ended
            assert homes[number] == slot
            assert Position(game, state).scores() == scores.tolist()
            ended[number] = scores.tolist()
        assert batch.ended.over.all()
    assert [ended[number] for number in range(9)] == games.scores.tolist()


def test_where_all_move_at_once_each_seat_has_a_row() -> None:
    batch = Games(Pennies(), count=3).begin()
    assert batch.seats.tolist() == [0, 1, 0, 1, 0, 1]
    assert batch.games.tolist() == [0, 0, 1, 1, 2, 2]
    games = Games(Pennies(), count=3)
    batch = games.begin()
    while len(batch):
        batch = games.step(np.zeros(len(batch), int))  # both show heads: they match
    assert games.scores.tolist() == [[1, -1]] * 3


def test_games_that_go_on_are_cut() -> None:
    games = Games(Race(length=10**9), count=3, slots=2, limit=7)
    batch, steps, cut = games.begin(), 0, []
    while len(batch):
        batch = games.step(batch.random_moves())
        steps += 1
        cut += [
            (number, over) for number, over in zip(batch.ended.games.tolist(), batch.ended.over.tolist(), strict=True)
        ]
    assert steps == 14  # two games side by side, then the third
    assert cut == [(0, False), (1, False), (2, False)]
    assert games.scores.tolist() == [[0, 0, 0, 0]] * 3


class Early(NamedTuple):
    """A coin is thrown: on heads seat 0 wins at once, on tails it must say so first.  # coin 1 (0: not yet), said 1"""

    seats: int = 1

    @property
    def facts(self) -> Facts:
        return Facts("early", 1, 1, 2, 1, 2, 0, (0.0, 1.0))


@implements(rules.start, Early)
def _(game: Any, state: Any) -> None:
    state[0] = 0
    state[1] = 0


@implements(rules.turn, Early)
def _(game: Any, state: Any) -> int:
    if state[0] == 0:
        return CHANCE
    return OVER if state[0] == 1 or state[1] == 1 else 0


@implements(rules.chances, Early)
def _(game: Any, state: Any, outcomes: Any, probabilities: Any) -> int:
    for i in range(2):
        outcomes[i] = i + 1
        probabilities[i] = 0.5
    return 2


@implements(rules.moves, Early)
def _(game: Any, state: Any, seat: int, out: Any) -> int:
    out[0] = 1
    return 1


@implements(rules.play, Early)
def _(game: Any, state: Any, move: int) -> None:
    state[0 if state[0] == 0 else 1] = move


@implements(rules.scores, Early)
def _(game: Any, state: Any, out: Any) -> None:
    out[0] = float(state[0])


@pytest.mark.parametrize("slots", [1, 3, 40])
def test_games_without_a_decision_are_counted_too(slots: int) -> None:
    game = Early()
    games = Games(game, count=40, slots=slots)
    batch = games.begin()
    ended = batch.ended.games.tolist()
    asked = 0
    while len(batch):
        asked += len(batch)
        batch = games.step(batch.random_moves())
        ended += batch.ended.games.tolist()
    assert sorted(ended) == list(range(40))
    assert asked == (games.scores == 2).sum()
    assert 5 < asked < 35
    assert arena(game, [First(1)], games=40, slots=slots).rows[0].points_per_game == games.scores.mean()


# --- what a batch says -----------------------------------------------------------------------------------------------


@each_game
def test_moves_and_afterstates_are_the_rules_own(game: Any) -> None:
    batch = some_batch(game, 3 if game == Nim() else 5)
    legal, after = batch.legal(), batch.afterstates()
    assert legal.moves.tolist() == after.moves.tolist()
    assert (
        np.repeat(np.arange(len(batch)), np.diff(legal.starts)).tolist() == legal.rows.tolist() == after.rows.tolist()
    )
    for row in range(len(batch)):
        position = batch.position(row)
        mine = slice(legal.starts[row], legal.starts[row + 1])
        assert legal.moves[mine].tolist() == [int(m) for m in position.moves()]
        if Position(game, position.state).kind == "joint":
            continue
        for move, state, over, scores in zip(
            after.moves[mine].tolist(), after.states[mine], after.over[mine], after.scores[mine], strict=True
        ):
            then = position.play(move)
            assert state.tolist() == then.state.tolist()
            assert over == then.over
            assert scores.tolist() == (then.scores() if over else [0] * game.facts.seats)
    assert after.seats.tolist() == batch.seats[after.rows].tolist()


def test_afterstates_of_a_joint_move_assume_the_same_of_the_others_for_all_moves() -> None:
    after = Games(Pennies(), count=50).begin().afterstates()
    for row in range(100):
        heads, tails = after.states[2 * row], after.states[2 * row + 1]
        assert sorted([heads.tolist(), tails.tolist()]) == [[0, 1], [1, 0]]  # one of them matches
    assert 10 < after.states[::2, 0].sum() < 90


@pytest.mark.parametrize(
    ("game", "name"),
    # One name for each class of encodings.
    [(game, name) for game in GAMES[:4] for name in {type(e): n for n, e in game.encodings().items()}.values()],
    ids=lambda value: value if isinstance(value, str) else value.facts.name,
)
def test_encodings_are_followed_row_by_row(game: Any, name: str) -> None:
    encoding = game.encodings()[name]
    _, inputs, outputs = encoding.shape(game)
    after = some_batch(game, 6).afterstates()
    x = after.observe(name)
    dense = x.dense()
    predictions = np.random.default_rng(1).random((len(after), outputs)).astype(np.float32)
    outcomes, values = after.outcomes(name, predictions), after.worth(encoding, predictions)
    back = after.to_view(name, outcomes)
    index, value = np.zeros(inputs, np.int64), np.zeros(inputs, np.float32)
    assert x.inputs == inputs
    assert len(x) == len(after)
    for row in range(len(after)):
        state, vector, wanted = after.states[row].copy(), predictions[row].copy(), np.zeros(game.facts.seats)
        full = np.zeros(inputs, np.float32)
        if after.over[row]:
            outcome(encoding, game, state, vector)
        else:
            count = features(encoding, game, state, index, value)
            full[index[:count]] = value[:count]
            assert x.sections[row] == section(encoding, game, state)
            from_view(encoding, game, state, vector)
        assert dense[row].tolist() == full.tolist()
        assert outcomes[row].tolist() == vector.tolist()
        worth(encoding, game, vector, wanted)
        assert values[row] == wanted[after.seats[row]]
        to_view(encoding, game, state, vector)
        assert back[row].tolist() == vector.tolist()


def test_finished_games_are_worth_what_they_are_and_show_nothing() -> None:
    game = ludus.game("tictactoe")
    games = Games(game, seed=1, count=20)
    batch = games.begin()
    for _ in range(7):
        batch = games.step(batch.random_moves())
    after = batch.afterstates()
    assert 0 < after.over.sum() < len(after)
    values = after.worth("propositions", np.full((len(after), 2), 0.25))
    assert values[after.over].tolist() == after.scores[after.over, after.seats[after.over]].tolist()
    assert set(values[~after.over]) == {0.25}
    assert (after.observe("propositions").dense().sum(axis=1) == 0).tolist() == after.over.tolist()
    ended = Games(game, count=1)
    batch = ended.begin()
    while len(batch):
        batch = ended.step(batch.random_moves())
    assert batch.ended.outcomes("propositions", np.zeros((1, 2))).tolist() == batch.ended.scores.tolist()


def test_sparse_products_are_the_dense_ones() -> None:
    x = some_batch(GAMES[0], 8).afterstates().observe("raw")
    rng, dense = np.random.default_rng(1), x.dense().astype(np.float64)
    one, many = rng.normal(size=198), rng.normal(size=(198, 5))
    assert x @ one == pytest.approx(dense @ one)
    assert x @ many == pytest.approx(dense @ many)
    assert (x @ many.astype(np.float32)).dtype == np.float32
    rows = rng.integers(len(x), size=30)
    part = x.take(rows)
    assert (part.dense() == x.dense()[rows]).all()
    assert part.sections.tolist() == x.sections[rows].tolist()
    amounts = rng.normal(size=(30, 5))
    weights, column = many.copy(), one.copy()
    part.add_to(weights, amounts)
    part.add_to(column, amounts[:, 0])
    assert weights == pytest.approx(many + dense[rows].T @ amounts)
    assert column == pytest.approx(one + dense[rows].T @ amounts[:, 0])
    with pytest.raises(ValueError, match=r"shape \(198,\) or \(198, units\), not \(197,\)"):
        x @ one[1:]
    with pytest.raises(ValueError, match="do not fit 30 rows of 198 inputs"):
        part.add_to(weights, amounts[1:])
    with pytest.raises(IndexError, match="rows, not all of"):
        x.take([len(x)])


class Full(NamedTuple):
    """Shows a state by many inputs, none of which is 0."""

    inputs: int = 90

    def shape(self, game: Any) -> tuple[int, int, int]:
        return 1, self.inputs, 1


@implements(features, Full)
def _(encoding: Any, game: Any, state: Any, index: Any, value: Any) -> int:
    for i in range(encoding.inputs):
        index[i] = i
        value[i] = i + 1 + 100 * state[0]
    return encoding.inputs


def test_buffers_grow() -> None:
    """More moves and more inputs a row than are reckoned with."""
    game = Nim(heaps=(40, 50))
    states = np.array([[heap, 50, 0] for heap in range(30, 37)])
    found, starts = list_moves(game, states, np.zeros(7, np.int64), 90)
    room = np.zeros(90, np.int64)
    wanted = [room[: rules.moves(game, state, 0, room)].tolist() for state in states]
    assert [found[a:b].tolist() for a, b in itertools.pairwise(starts)] == wanted
    x = observe(Full(), game, states, np.zeros(7, np.bool_))
    assert x.dense().tolist() == (np.arange(1, 91) + 100 * states[:, :1]).tolist()


@pytest.mark.parametrize("name", ["tictactoe", "ludo", "quoridor(size=5,walls=2)"])
def test_a_mask_has_the_legal_actions(name: str) -> None:
    game = ludus.game(name)
    batch = some_batch(game, 3)
    legal = batch.legal()
    mask = batch.mask()
    assert mask.shape == (len(batch), game.facts.actions)
    assert [np.flatnonzero(row).tolist() for row in mask] == [
        sorted(legal.moves[legal.starts[r] : legal.starts[r + 1]].tolist()) for r in range(len(batch))
    ]


def test_hashed_inputs_are_a_table() -> None:
    game = ludus.game("tictactoe")
    batch = some_batch(game, 6)
    after = batch.afterstates()
    x = after.hashed(10_000)
    assert np.diff(x.starts).tolist() == (~after.over).astype(int).tolist()
    assert set(x.value.tolist()) == {1.0}
    for row in np.flatnonzero(~after.over):
        key = rules.position_key(game, after.states[row].copy())
        assert x.index[x.starts[row]] == int(key) % 10_000
    assert (batch.hashed(7).dense().sum(axis=1) == 1).all()


def test_rows_are_remembered_by_place() -> None:
    x = some_batch(GAMES[0], 4).afterstates().observe("rich")
    memory = Memory(50, x.inputs)
    memory.put([3, 40], x.take([0, 1]))
    assert (memory.take([40, 3]).dense() == x.dense()[[1, 0]]).all()
    widest = int(np.argmax(np.diff(x.starts)))
    memory.put([7, 3], x.take([widest, 2]))
    found = memory.take([3, 7, 40, 9])
    assert (found.dense() == np.vstack([x.dense()[[2, widest, 1]], np.zeros(x.inputs)])).all()
    assert found.sections.tolist()[:3] == x.sections[[2, widest, 1]].tolist()
    memory.clear([7])
    assert np.diff(memory.take([7, 3]).starts).tolist() == [0, np.diff(x.starts)[2]]


def test_some_games_have_no_mask() -> None:
    with pytest.raises(LudusError, match="backgammon has no fixed number of actions"):
        Games("backgammon", count=1).begin().mask()


# --- choosing --------------------------------------------------------------------------------------------------------


def test_the_best_move_is_the_first_of_equals() -> None:
    batch = some_batch(Nim(), 1)
    legal = batch.legal()
    values = np.round(np.random.default_rng(1).random(len(legal)), 1)
    for row, place in enumerate(legal.argmax(values)):
        mine = values[legal.starts[row] : legal.starts[row + 1]]
        assert place == legal.starts[row] + np.argmax(mine)
    assert legal.best(values).tolist() == legal.moves[legal.argmax(values)].tolist()
    assert legal.best(np.zeros(len(legal))).tolist() == legal.moves[legal.starts[:-1]].tolist()
    with pytest.raises(ValueError, match="give one number for each"):
        legal.best(values[1:])


def test_draws_follow_their_weights() -> None:
    legal = Games(Pennies(), count=2000, slots=2000).begin().legal()
    weights = np.tile([3.0, 1.0], 4000)
    share = (legal.moves[legal.draw(weights)] == 1).mean()
    assert 0.22 < share < 0.28
    assert 0.46 < (legal.moves[legal.draw()] == 1).mean() < 0.54
    assert (legal.moves[legal.draw(np.tile([1.0, 0.0], 4000))] == 0).all()
    assert (legal.moves[legal.draw(np.tile([0.0, 1.0], 4000))] == 1).all()


def test_what_a_row_draws_depends_on_its_game_and_seat_alone() -> None:
    def drawn(slots: int, first: int, count: int) -> dict[tuple[int, int], list[float]]:
        games = Games(Race(), seed=4, first=first, count=count, slots=slots)
        batch, out = games.begin(), {}
        while len(batch):
            for number, seat, value in zip(batch.games.tolist(), batch.seats.tolist(), batch.uniform(), strict=True):
                out.setdefault((number, seat), []).append(float(value))
            legal = batch.legal()
            batch = games.step(legal.moves[legal.draw(np.tile([1.0, 4.0], len(batch)))])
        return out

    all_at_once = drawn(20, 0, 20)
    assert drawn(3, 0, 20) == all_at_once
    assert drawn(3, 0, 7) | drawn(4, 7, 13) == all_at_once
    assert len({values[0] for values in all_at_once.values()}) > 70  # 80 streams, each of its own


# --- what is refused -------------------------------------------------------------------------------------------------


def test_wrong_moves_are_named() -> None:
    games = Games(Nim(), count=3)
    batch = games.begin()
    with pytest.raises(LudusError, match=r"^game 1, seat 0: 99 is not a legal move in 3-4-5 seat 0$"):
        games.step([1, 99, 1])
    with pytest.raises(LudusError, match="one move is wanted for each of 3 rows"):
        games.step([1, 1])
    with pytest.raises(LudusError, match="whole number, not an array of float64"):
        games.step([1.0, 1.0, 1.0])
    with pytest.raises(LudusError, match="one move is wanted"):
        games.step(None)
    assert len(games.step(batch.random_moves())) == 3  # nothing is lost


@pytest.mark.parametrize("name", ["seed", "first", "count", "slots", "opening", "limit"])
def test_senseless_numbers_are_refused(name: str) -> None:
    with pytest.raises(LudusError, match=f"{name}=-1: give"):
        Games(Nim(), **{name: -1})


def test_games_must_begin() -> None:
    with pytest.raises(LudusError, match="call begin"):
        Games(Nim()).step([])
    games = Games(Nim(), count=0)
    assert len(games.begin()) == 0
    assert games.scores.shape == (0, 2)


def test_begin_begins_anew() -> None:
    games = Games(Nim(), count=5, slots=2)
    first = games.begin()
    games.step(first.random_moves())
    again = games.begin()
    assert (again.states == first.states).all()
    assert (again.random_moves() == Games(Nim(), count=5, slots=2).begin().random_moves()).all()


def test_a_batch_can_not_be_spoiled() -> None:
    games = Games(Nim(), count=2)
    batch = games.begin()
    with pytest.raises(ValueError, match="read-only"):
        batch.states[0, 0] = 1
    legal = batch.legal()
    legal.moves[:] = 99
    batch.seats[:] = 1
    with pytest.raises(LudusError, match="seat 0: 99 is not a legal move"):
        games.step(legal.best(np.zeros(len(legal))))
    kept = batch.states.copy()
    games.step(batch.random_moves())
    assert (batch.states == kept).all()  # it is still what it was
    assert (batch.legal().moves == games.begin().legal().moves).all()


def test_predictions_must_fit() -> None:
    after = some_batch(GAMES[0], 1).afterstates()
    with pytest.raises(ValueError, match=r"of shape \(\d+, 2\) \(rows, outputs of the encoding\), not \(3, 2\)"):
        after.worth("raw", np.zeros((3, 2)))
    with pytest.raises(LudusError, match="unknown encoding of backgammon 'rax'"):
        after.observe("rax")


# --- players that are asked for many moves at once -------------------------------------------------------------------


class BatchRandom:
    """Moves at random, as the built-in player does, but for all games in flight at once."""

    name = "batch"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def choose_batch(self, batch: Batch) -> np.ndarray:
        self.sizes.append(len(batch))
        return batch.random_moves()


@each_game
def test_a_player_of_batches_plays_as_the_compiled_one(game: Any) -> None:
    seats, games = game.facts.seats, 12 if JIT else 3
    asked = BatchRandom()
    ours = arena(game, [asked, *[First(game.facts.max_moves)] * (seats - 1)], games)
    theirs = arena(game, ["random", *[First(game.facts.max_moves)] * (seats - 1)], games)
    assert [row.points_per_game for row in ours.rows] == [row.points_per_game for row in theirs.rows]
    assert ours.rows[0].name == "batch"
    again = arena(game, [BatchRandom(), *[First(game.facts.max_moves)] * (seats - 1)], games, slots=1)
    assert again.rows == ours.rows


def test_it_is_asked_once_a_step() -> None:
    asked = BatchRandom()
    arena(Nim(), [asked, asked], games=64)
    assert max(asked.sizes) >= 8
    assert len(asked.sizes) < sum(asked.sizes) / 3


class BatchCheat:
    name = "cheat"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose_batch(self, batch: Batch) -> Any:
        return (
            np.where(batch.games == 3, self.answer, batch.random_moves()) if np.ndim(self.answer) == 0 else self.answer
        )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (99, "player 'cheat', game 3, seat 1: 99 is not a legal move in "),
        ([1, 1], "player 'cheat', one move is wanted for each of 1 rows, as a whole number, not an array of int64 of shape (2,)"),
        ([[1, 2]], "player 'cheat', one move is wanted"),
        (["A1", "A1"], "player 'cheat', one move is wanted"),
    ],
)  # fmt: skip
def test_illegal_answers_of_batches_are_named(answer: Any, message: str) -> None:
    with pytest.raises(LudusError) as error:
        arena(Nim(), [BatchCheat(answer), First(12)], games=10, slots=1)
    assert message in str(error.value)


def test_a_player_of_batches_can_be_asked_for_one_position() -> None:
    position = ludus.game("backgammon").start().play("31")
    ours, theirs = stream(7), stream(7)
    for _ in range(3):
        assert ask(BatchRandom(), position, ours) == ask(player("random", position.game), position, theirs)
    assert ours == theirs
    assert ask(BatchRandom(), Pennies().start(), stream(1), 1) in (0, 1)
    with pytest.raises(LudusError, match=r"player 'cheat', game 0, seat 0: 99 is not a legal move"):
        ask(BatchAlways(), position, stream(1))


class BatchAlways:
    name = "cheat"

    def choose_batch(self, batch: Batch) -> list[int]:
        return [99] * len(batch)
