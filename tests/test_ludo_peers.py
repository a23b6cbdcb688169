"""Our rules of `ludopy` beside the package itself, and our players as guests in its games.

The package gets our dice and plays along for thousands of games; after every roll and every answer both must be in the same
position. Its release 1.3.1 differs from 1.5.0 in a few constants of the board only, which are put back here.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.adapters.ludopy import LudopyAgent
from ludus.contract.playing import choose
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER, moves, play, scores, start, turn
from ludus.errors import LudusError
from ludus.games.ludo import Ludo, ludo
from ludus.games.ludo.rules import COUNT, ROUND, STATE_SIZE, TURN, colour
from ludus.kernel import JIT, kernel, stream
from ludus.nets.network import new_network
from ludus.players.greedy import td_player

GHOSTS: dict[int, list[int]] = {2: [1, 3], 3: [3], 4: []}
YARD = [0, 0, 0, 0]

needs_jit = pytest.mark.skipif(not JIT, reason="thousands of games take too long in plain Python")
every_version = pytest.mark.parametrize("rules", ["ludopy", "ludopy-1.3.1"])


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The package, whose dice come from `package.dice`, and which can be told to be of another version."""
    module = pytest.importorskip("ludopy")
    if not hasattr(module.Game, "_dice_generator"):
        pytest.skip("another release of ludopy than 1.5")
    dice = random.Random(1)
    monkeypatch.setattr(
        module.Game, "_dice_generator", lambda match: setattr(match, "current_dice", int(6 * dice.random()) + 1)
    )
    return SimpleNamespace(
        Game=module.Game, game=module.game, player=module.player, dice=dice, patch=monkeypatch.setattr
    )


def become(package: Any, rules: str) -> None:
    """Make the package the release that has these rules."""
    player, goal = package.player, ludo(rules=rules).goal
    lane = 53 if rules == "ludopy-1.3.1" else 52
    tiles = np.full(goal + 1, player.TAILE_FREE)
    tiles[:52] = player.BORD_TILES[:52]
    tiles[lane:goal] = player.TAILE_GOAL_AREAL
    tiles[goal] = player.TAILE_GOAL
    package.patch(player, "TOTAL_NUMBER_OF_TAILES", goal + 1)
    package.patch(player, "HOME_AREAL_INDEXS", list(range(lane, goal)))
    package.patch(player, "GOAL_INDEX", goal)
    package.patch(player, "BORD_TILES", tiles)


def hasten(package: Any) -> None:
    """Let the package hold its numbers in lists in place of arrays, and write no history: four times as fast. All that it
    decides, it decides as before; that lists change nothing is seen by a few games without this.
    """

    def copied(numbers: list[Any]) -> list[Any]:
        return [[*row] for row in numbers] if numbers and isinstance(numbers[0], list) else [*numbers]

    package.patch(package.game.Game, "_add_to_hist", lambda match: None)
    package.patch(package.player, "BORD_TILES", package.player.BORD_TILES.tolist())
    package.patch(package.player, "np", SimpleNamespace(copy=copied))
    package.patch(package.game, "np", SimpleNamespace(copy=copied))


# --- the rules -------------------------------------------------------------------------------------------------------


def taste(rng: random.Random, movable: list[int], pieces: list[int], kind: int) -> int:
    """A piece to move: any, the one farthest ahead, or the last, which makes for crowds on the track."""
    if kind == 0 or rng.random() < 0.2:
        return movable[int(rng.random() * len(movable))]
    return (max if kind == 1 else min)(movable, key=lambda piece: pieces[piece])


# A row of a record holds who rolled, the die, the pieces that could move (as bits) and the one that did, whether it was the
# first round, the attempts before, and all pieces afterwards.
ROLLER, DIE, MOVABLE, PIECE, FIRST_ROUND, ATTEMPTS, PIECES = range(7)


def record(match: Any, rng: random.Random) -> np.ndarray:
    """A whole game of the package's."""
    rows, kinds, over = [], [rng.randrange(3) for _ in range(4)], False
    while not over:
        first, attempts = match.round == 1, match.current_start_attempts
        (die, movable, own, *_), roller = match.get_observation()
        piece = taste(rng, movable, own, kinds[roller]) if len(movable) else -1
        *_, over = match.answer_observation(piece)
        a, b, c, d = (player.pieces for player in match.players)
        rows.append((roller, die, sum(1 << i for i in movable), piece, first, attempts, *a, *b, *c, *d))
    return np.array(rows, np.int64)


@kernel
def same_until(game: Any, record: Any, state: Any, room: Any) -> int:
    """Play a recorded game here; the first row that comes out otherwise, or the number of rows if none does. One compiled
    loop, as thousands of games are to be compared.
    """
    start(game, state)
    for row in range(len(record)):
        seat = record[row, ROLLER] // 2 if game.seats == 2 else record[row, ROLLER]
        if turn(game, state) != CHANCE or state[TURN] != seat:
            return row
        if (state[ROUND] == 1) != (record[row, FIRST_ROUND] == 1) or state[COUNT] != record[row, ATTEMPTS]:
            return row
        play(game, state, record[row, DIE])
        movable = 0
        if turn(game, state) == seat:
            for n in range(moves(game, state, seat, room)):
                movable |= 1 << room[n]
        if movable != record[row, MOVABLE]:
            return row
        if movable:
            play(game, state, record[row, PIECE])
        for i in range(16):
            if state[i] != record[row, PIECES + i]:
                return row
        if (turn(game, state) == OVER) != (row == len(record) - 1):
            return row
    return len(record)


def compare(package: Any, game: Ludo, games: int, seed: int) -> Counter[str]:
    """Play games here and there. Says what happened in them."""
    rng, happened = random.Random(seed), Counter()
    package.dice.seed(seed)
    room, state, won = np.zeros(4, np.int64), np.zeros(STATE_SIZE, np.int64), np.zeros(game.seats)
    for _ in range(games):
        match = package.Game(list(GHOSTS[game.seats]))
        rows = record(match, rng)
        same = same_until(game, rows, state, room)
        assert same == len(rows), (rows[max(same - 1, 0) : same + 1].tolist(), state.tolist())
        scores(game, state, won)
        assert [colour(game, seat) for seat in range(game.seats) if won[seat]] == [match.get_winner_of_game()]

        after = rows[:, PIECES:].reshape(-1, 4, 4)
        before = np.concatenate([np.zeros((1, 4, 4), int), after[:-1]])
        n, roller, piece = np.arange(len(rows)), rows[:, ROLLER], rows[:, PIECE]
        old, new = before[n, roller, piece], after[n, roller, piece]
        happened["rolls"] += len(rows)
        happened["sent home"] += np.sum((old > 0) & (new == 0))
        happened["jumps"] += np.sum(new - old > 6)
        happened["turned back"] += np.sum((new > 0) & (new < old))
        fallen = np.sum((before > 0) & (after == 0), axis=(1, 2)) - ((old > 0) & (new == 0))
        happened["captures"] += np.sum(fallen)
        happened[f"won by {match.get_winner_of_game()}"] += 1
    return happened


def check(happened: Counter[str], game: Ludo, games: int) -> None:
    """The comparison means something only if all that is special in these rules took part in it."""
    for kind in ("sent home", "captures", "jumps", "turned back"):
        assert happened[kind] > games / 4, happened
    assert all(happened[f"won by {colour(game, seat)}"] > games / 10 for seat in range(game.seats)), happened


@pytest.mark.peers
@needs_jit
@every_version
@pytest.mark.parametrize(("seats", "games"), [(4, 2_000), (3, 400), (2, 400)])
def test_games_go_in_ludopy_as_they_go_here(package, rules, seats, games):
    become(package, rules)
    hasten(package)
    game = ludo(rules=rules, seats=seats)
    check(compare(package, game, games, seed=seats), game, games)


@pytest.mark.peers
@every_version
def test_also_in_the_package_as_it_is(package, rules):
    if rules != "ludopy":
        become(package, rules)
    games = 40 if JIT else 2
    assert compare(package, ludo(rules=rules), games, seed=1)["rolls"] > 200 * games


# --- the bridge ------------------------------------------------------------------------------------------------------


class Witness:
    """A player that remembers what it was shown, and moves the last piece that can."""

    def __init__(self) -> None:
        self.shown: list[Position] = []

    def choose(self, position: Position, rng: np.random.Generator) -> int:
        self.shown.append(position)
        return position.moves()[-1]


def observation(
    die: int, movable: list[int], own: list[int], *enemies: list[int]
) -> tuple[int, list[int], list[int], list[list[int]], bool, bool]:
    return die, movable, own, [*enemies, *[YARD] * (3 - len(enemies))], False, False


def shown(position: Position) -> list[list[int]]:
    return position.state[:16].reshape(4, 4).tolist()


def test_an_observation_becomes_a_position_with_the_observer_in_seat_0():
    agent = LudopyAgent(witness := Witness(), rules="ludopy")
    pieces = [[9, 0, 0, 30], [1, 2, 3, 4], [5, 6, 7, 8], [57, 57, 20, 21]]
    assert agent.answer(observation(3, [0, 3], *pieces)) == 3
    (position,) = witness.shown
    assert shown(position) == pieces
    assert position.turn == 0
    assert position.moves() == [0, 3]
    assert position.state[ROUND] == 2  # a six rolls again


def test_arrays_are_as_good_as_lists():
    agent = LudopyAgent(Witness(), rules="ludopy")
    parts = (np.int64(3), np.array([0, 3]), np.array([9, 0, 0, 30]), np.zeros((3, 4), int), False, False)
    assert agent.answer(parts) == 3
    assert agent.answer((np.int64(3), np.array([]), np.zeros(4, int), np.zeros((3, 4), int), False, False)) == -1


def test_nothing_to_decide_is_not_asked():
    agent = LudopyAgent(witness := Witness(), rules="ludopy")
    assert agent.answer(observation(5, [], YARD)) == -1
    assert agent.answer(observation(5, [2], [0, 57, 4, 0])) == 2
    assert agent.answer(observation(6, [], [57] * 4)) == -1  # the package asks on when somebody has won
    assert witness.shown == []


def test_two_players_sit_opposite_each_other():
    agent = LudopyAgent(witness := Witness(), ghosts=[1, 3], rules="ludopy")
    assert agent.game.seats == 2
    agent.answer(observation(3, [0, 3], [9, 0, 0, 30], YARD, [1, 2, 3, 4]))
    assert shown(witness.shown[0]) == [[9, 0, 0, 30], YARD, [1, 2, 3, 4], YARD]
    with pytest.raises(
        LudusError, match=r"a ghost has left its home: player \[9, 0, 0, 30\], enemies \[\[1, 2, 3, 4\]"
    ):
        agent.answer(observation(3, [0, 3], [9, 0, 0, 30], [1, 2, 3, 4]))


@pytest.mark.parametrize("ghost", [1, 2, 3])
def test_among_three_the_seat_says_where_the_ghost_is(ghost):
    agent = LudopyAgent(witness := Witness(), ghosts=[ghost], rules="ludopy")
    everybody = [[10 + seat, 20, 30, 0] if seat != ghost else YARD for seat in range(4)]
    for seat in set(range(4)) - {ghost}:
        turned = everybody[seat:] + everybody[:seat]
        agent.answer(observation(3, [0, 1, 2], *turned), seat)
        # The ghost is our fourth colour, which nobody plays, and the others go round as they did.
        position = witness.shown[-1]
        assert shown(position) == everybody[ghost + 1 :] + everybody[: ghost + 1]
        assert shown(position)[position.turn] == everybody[seat]
    with pytest.raises(LudusError, match="among three players the answer needs the seat"):
        agent.answer(observation(3, [0, 1, 2], *everybody))
    with pytest.raises(LudusError, match=f"seat={ghost}: nobody plays there"):
        agent.answer(observation(3, [0, 1, 2], *everybody), ghost)


GOOD = observation(3, [0, 3], [9, 0, 0, 30])


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (GOOD[:4], r"not an observation of ludopy's, which is \(dice, move_pieces, player_pieces, enemy_pieces,"),
        (3, "not an observation"),
        (("three", *GOOD[1:]), "not an observation"),
        ((*GOOD[:2], [9, 0, 30], *GOOD[3:]), "not an observation|four whole numbers"),
        ((*GOOD[:3], [YARD, YARD], *GOOD[4:]), "four whole numbers"),
        ((*GOOD[:2], [9.5, 0, 0, 30], *GOOD[3:]), "four whole numbers"),
        ((0, *GOOD[1:]), "dice 0: a die shows 1 to 6"),
        ((7, *GOOD[1:]), "dice 7: a die shows 1 to 6"),
        (observation(3, [0, 3], [9, 0, -1, 30]), "position -1: positions are counted from 0"),
        (
            observation(3, [0, 3], [9, 0, 0, 30], [0, 0, 0, 59]),
            "position 59 lies beyond the goal of ludopy, 57.*other version",
        ),
        (observation(3, [0, 1, 3], [9, 57, 57, 30]), r"move_pieces \[0, 1, 3\] is not what ludopy allows by a 3 from"),
        (observation(3, [], [9, 57, 57, 30]), r"move_pieces \[\] is not what ludopy allows"),
    ],
)
def test_observations_that_are_none(wrong, reason):
    with pytest.raises(LudusError, match=reason):
        LudopyAgent("random", rules="ludopy").answer(wrong)


def test_a_seat_that_is_none():
    with pytest.raises(LudusError, match="seat=4: nobody plays there"):
        LudopyAgent("random", rules="ludopy").answer(GOOD, 4)


def test_a_game_of_the_newer_version_is_noticed_by_an_agent_for_the_older():
    # What is home there could still move here.
    with pytest.raises(LudusError, match=r"is not what ludopy-1\.3\.1 allows"):
        LudopyAgent("random", rules="ludopy-1.3.1").answer(observation(3, [0], [9, 57, 57, 57]))


@pytest.mark.parametrize("ghosts", [[0], [0, 2], [1, 2], [1, 2, 3], [4]])
def test_ghosts_that_our_rules_do_not_know(ghosts):
    with pytest.raises(LudusError, match=r"ghosts=.*none for four players"):
        LudopyAgent("random", ghosts=ghosts)


def test_players_and_rules_that_are_none():
    with pytest.raises(LudusError, match="unknown player 'randon'; did you mean 'random'"):
        LudopyAgent("randon")
    with pytest.raises(LudusError, match="player 'expert' knows the classic rules"):
        LudopyAgent("expert")
    with pytest.raises(LudusError, match=r"rules='classic': the rules of the package are ludopy or ludopy-1\.3\.1"):
        LudopyAgent("random", rules="classic")
    with pytest.raises(LudusError, match="is not a player"):
        LudopyAgent(object(), rules="ludopy").answer(GOOD)


def test_the_package_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "ludopy.player", None)
    assert LudopyAgent("random").game == ludo(rules="ludopy")
    assert ludus.LudopyAgent is LudopyAgent


@pytest.mark.peers
@every_version
def test_the_version_of_the_package_decides(package, rules):
    become(package, rules)
    assert LudopyAgent("random").game == ludo(rules=rules)
    package.patch(package.player, "GOAL_INDEX", 61)
    with pytest.raises(LudusError, match="has its goal at 61"):
        LudopyAgent("random")


@pytest.mark.peers
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_guest_answers_as_it_would_play_here(package, seats):
    """The network sees the whole board from its own side, so that any piece in a wrong place would show sooner or later."""
    game, ghosts = ludo(rules="ludopy", seats=seats), GHOSTS[seats]
    encoding = game.encodings()["rich"]
    sections, inputs, outputs = encoding.shape(game)
    player = td_player(game, encoding, new_network(sections, inputs, 10, outputs, seed=3))
    agent, rng = LudopyAgent(player, ghosts=ghosts), stream(1)
    state = np.zeros(STATE_SIZE, np.int64)
    decisions = 0
    for _ in range(4 if JIT else 1):
        match, over = package.Game(list(ghosts)), False
        start(game, state)
        while not over:
            (
                (
                    die,
                    movable,
                    *_,
                ),
                roller,
            ) = observed = match.get_observation()
            play(game, state, die)
            piece = agent.answer(*observed)
            if len(movable):
                seat = turn(game, state)
                later = state.copy()
                later[ROUND], later[COUNT] = 2, 0  # as the agent takes it
                assert piece == choose(player, game, later, seat, rng), state
                decisions += len(movable) > 1
                play(game, state, piece)
            else:
                assert piece == -1
            *_, over = match.answer_observation(piece)
        assert match.get_winner_of_game() == roller
    assert decisions > (100 if JIT else 20)


def guests(package: Any, agents: list[LudopyAgent], games: int) -> Counter[int]:
    """Who of the agents won how many games of the package's, each sitting everywhere in turn."""
    colours = [0, 2] if len(agents) == 2 else list(range(len(agents)))
    wins: Counter[int] = Counter()
    for number in range(games):
        match, over = package.Game(list(GHOSTS[len(agents)])), False
        while not over:
            seen, roller = match.get_observation()
            agent = agents[(colours.index(roller) + number) % len(agents)]
            *_, over = match.answer_observation(agent.answer(seen, roller))
        wins[(colours.index(match.get_winner_of_game()) + number) % len(agents)] += 1
    return wins


@pytest.mark.peers
@needs_jit
@pytest.mark.parametrize("seats", [2, 4])
def test_a_guest_wins_as_often_as_in_our_arena(package, seats):
    names = ["semismart", "random"] * (seats // 2)
    rate = ludus.arena(f"ludo(rules=ludopy,seats={seats})", names, games=10_000).rows[0].wins / 10_000
    games = 240 // seats
    hasten(package)
    agents = [LudopyAgent(name, GHOSTS[seats], seed=seed) for seed, name in enumerate(names)]
    wins = guests(package, agents, games)
    assert abs(wins[0] / games - rate) < 3 * (rate * (1 - rate) / games) ** 0.5, (wins, rate)


@pytest.mark.peers
def test_guests_play_on_until_the_last_has_finished(package):
    agents = [LudopyAgent(name) for name in ("random", "semismart", "rossen", "peters")]
    match = package.Game()
    for _ in range(5_000):
        seen, roller = match.get_observation()
        match.answer_observation(agents[roller].answer(seen))
        if match.all_players_finish():
            break
    assert sorted(match.get_winners_of_game()) == [0, 1, 2, 3]
