"""The classic rules of Ludo: one by one on boards set up by hand, then against a naive table in hundreds of games.

Here too are the strategies for these rules. Positions are counted as each colour counts its own: 0 is the yard, 1 to 51 the
track, 57 home. The next colour's square 1 is one's own 14, so that green's 2 is red's 15.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ludus
from ludus.contract.playing import choose
from ludus.contract.position import Position
from ludus.contract.rules import CHANCE, OVER, chances, moves, play, random_move, roll, scores, turn
from ludus.contract.rules import start as begin
from ludus.errors import LudusError
from ludus.games.ludo import Ludo, ludo
from ludus.games.ludo.rules import COUNT, DIE, MOVABLE, STATE_SIZE, TURN, colour
from ludus.kernel import JIT, count_bits, stream
from naive_ludo import Piece, Table

Four = tuple[int, int, int, int]

GAME = ludo()
YARD = (0, 0, 0, 0)
AWAY = (20, 0, 0, 0)  # somebody who takes part, out of the way


def board(*pieces: Four, game: Ludo = GAME, mover: int = 0) -> Position:
    """A position before a roll; pieces of the mover, then of the next seats."""
    state = np.zeros(STATE_SIZE, np.int64)
    for n, four in enumerate(pieces):
        at = 4 * colour(game, (mover + n) % game.seats)
        state[at : at + 4] = four
    state[TURN] = mover
    return Position(game, state)


def seen(position: Position, mover: int = 0) -> list[Four]:
    """The pieces of all seats, those of the mover first."""
    game, state = position.game, position.state
    ats = [4 * colour(game, (mover + n) % game.seats) for n in range(game.seats)]
    return [tuple(state[at : at + 4].tolist()) for at in ats]


def texts(position: Position) -> list[str]:
    return [str(move) for move in position.moves()]


def legal(*pieces: Four, die: int, game: Ludo = GAME) -> list[str]:
    """The moves of a roll: the same for whoever sits in the mover's seat. Empty if the roll changes nothing."""
    found = [texts(board(*pieces, game=game, mover=mover).play(die)) for mover in range(game.seats)]
    assert found.count(found[0]) == len(found) or (game.seats == 3 and len(pieces) > 1)
    return found[0]


# --- the beginning and the dice --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_who_begins_is_drawn(seats):
    game = ludo(seats=seats)
    start = game.start()
    assert seen(start) == [YARD] * seats
    assert start.turn is None
    assert [(int(seat), odds) for seat, odds in start.chances()] == [
        (seat, pytest.approx(1 / seats)) for seat in range(seats)
    ]
    for seat in range(seats):
        assert start.play(seat).state[TURN] == seat


def test_a_die_has_six_sides():
    assert [(int(die), odds) for die, odds in GAME.start().play(0).chances()] == [
        (n, pytest.approx(1 / 6)) for n in range(1, 7)
    ]


def test_rolls_and_beginners_are_drawn_evenly():
    rng, count = stream(1), 6_000 if JIT else 1_200
    room, odds = np.zeros(6, np.int64), np.zeros(6)
    before, after = np.zeros(STATE_SIZE, np.int64), GAME.start().play(0).state.copy()
    begin(GAME, before)
    for state, wanted in ((before, range(4)), (after, range(1, 7))):
        drawn = Counter(int(roll(GAME, state, rng, room, odds)) for _ in range(count))
        assert sorted(drawn) == list(wanted)
        assert chances(GAME, state, room, odds) == len(wanted)
        share = count / len(wanted)
        assert all(abs(n - share) < 4.5 * share**0.5 for n in drawn.values()), drawn


def test_turns_go_round():
    assert board(AWAY, AWAY, AWAY, AWAY, mover=3).play(1).play("20/21").state[TURN] == 0
    assert board(AWAY, AWAY, game=ludo(seats=2), mover=1).play(1).play("20/21").state[TURN] == 0


def test_two_players_face_each_other():
    game = ludo(seats=2)
    assert [int(colour(game, seat)) for seat in range(2)] == [0, 2]
    assert legal((26, 0, 0, 0), (2, 0, 0, 0), die=2, game=game) == ["26/28*"]


# --- out of the yard -------------------------------------------------------------------------------------------------


def test_a_six_releases():
    # Four pieces in the yard are four moves that lead to the same, each with the name of its piece.
    assert legal(YARD, die=6) == ["0/1", "b 0/1", "c 0/1", "d 0/1"]
    assert seen(board(YARD).play(6).play("0/1"))[0] == (1, 0, 0, 0)


@pytest.mark.parametrize("die", [1, 2, 3, 4, 5])
def test_no_other_roll_does(die):
    passed = board(YARD).play(die)
    assert passed.kind == "chance"
    assert passed.state[TURN] == 1


def test_nobody_must_release():
    assert legal((10, 57, 57, 0), die=6) == ["10/16", "0/1"]


# --- rolling again ---------------------------------------------------------------------------------------------------


def test_a_six_rolls_again():
    after = board((10, 0, 0, 0)).play(6).play("10/16")
    assert after.kind == "chance"
    assert after.state[TURN] == 0
    assert board((10, 0, 0, 0)).play(5).play("10/15").state[TURN] == 1


def test_also_when_nothing_could_move():
    stuck = board((57, 57, 57, 55))
    assert stuck.play(6).state[TURN] == 0
    assert stuck.play(6).kind == "chance"
    assert stuck.play(5).state[TURN] == 1


def test_sixes_go_on_for_ever_unless_agreed_otherwise():
    position = board((1, 0, 0, 0))
    for at in (1, 7, 13, 19):
        position = position.play(6).play(f"{at}/{at + 6}")
    assert position.state[TURN] == 0


def test_the_third_six_in_a_row_is_not_played_and_ends_the_turn():
    position = board((1, 0, 0, 0), game=ludo(three_sixes=True))
    position = position.play(6).play("1/7").play(6).play("7/13")
    third = position.play(6)
    assert third.kind == "chance"
    assert third.state[TURN] == 1
    assert seen(third)[0] == (13, 0, 0, 0)
    # The next player starts to count anew.
    assert third.play(6).play("0/1").play(6).state[TURN] == 1
    # Another roll in between breaks the row.
    assert position.play(5).play("13/18").state[COUNT] == 0


def test_sixes_count_also_where_they_could_not_be_played():
    position = board((57, 57, 57, 55), game=ludo(three_sixes=True)).play(6).play(6)
    assert position.state[TURN] == 0
    assert position.play(6).state[TURN] == 1


def test_a_capture_gives_no_roll_unless_agreed():
    for bonus, roller in ((False, 1), (True, 0)):
        position = board((13, 0, 0, 0), (2, 0, 0, 0), game=ludo(capture_bonus=bonus))
        assert position.play(2).play("13/15*").state[TURN] == roller
        assert position.play(1).play("13/14").state[TURN] == 1  # no capture: 14 is safe anyway
        assert position.play(3).play("13/16").state[TURN] == 1


def test_the_roll_after_a_capture_begins_a_new_row_of_sixes():
    game = ludo(capture_bonus=True, three_sixes=True)
    position = (
        board((3, 0, 0, 0), (4, 0, 0, 0), game=game).play(6).play("3/9").play(6).play("9/15").play(2).play("15/17*")
    )
    assert position.state[TURN] == 0
    assert position.play(6).kind == "decision"


# --- capturing, safe squares and blockades ---------------------------------------------------------------------------


def test_a_single_enemy_is_captured_and_goes_back_to_its_yard():
    after = board((13, 13, 0, 0), (2, 30, 0, 0)).play(2).play("13/15*")
    assert seen(after)[:2] == [(15, 13, 0, 0), (0, 30, 0, 0)]


@pytest.mark.parametrize("mover", range(4))
@pytest.mark.parametrize(("ahead", "theirs"), [(1, 2), (2, 41), (3, 28)])
def test_any_colour_captures_any_other_also_past_its_own_start(ahead, theirs, mover):
    # 13 squares lie between two starts. What is 15 for the mover is 2, 41 or 28 for the others.
    pieces = [YARD] * 4
    pieces[0], pieces[ahead] = (13, 0, 0, 0), (theirs, 0, 0, 0)
    position = board(*pieces, mover=mover).play(2)
    assert texts(position) == ["13/15*"]
    assert seen(position.play("13/15*"), mover) == [(15, 0, 0, 0), YARD, YARD, YARD]


def test_passing_an_enemy_does_it_no_harm():
    assert legal((13, 0, 0, 0), (2, 0, 0, 0), die=3) == ["13/16"]


@pytest.mark.parametrize("square", [1, 9, 14, 22, 27, 35, 40, 48])
def test_on_eight_squares_all_stand_together(square):
    enemy = square - 13 if square > 13 else square + 39
    if square > 1:
        here = board((square - 1, 0, 0, 0), (enemy, enemy, 0, 0)).play(1).play(f"{square - 1}/{square}")
    else:
        here = board(YARD, (enemy, enemy, 0, 0)).play(6).play("0/1")
    assert seen(here)[:2] == [(square, 0, 0, 0), (enemy, enemy, 0, 0)]


def test_without_safe_squares_nobody_is_safe_even_at_the_start():
    game = ludo(safe_squares=False)
    assert legal((8, 0, 0, 0), (48, 0, 0, 0), die=1, game=game) == ["8/9*"]
    assert legal((57, 57, 57, 0), (40, 0, 0, 0), die=6, game=game) == ["0/1*"]
    assert legal((57, 57, 57, 0), (40, 40, 0, 0), die=6, game=game) == []  # a blockade before the yard


def test_two_enemies_bar_a_square():
    both = (2, 2, 0, 0)
    assert legal((13, 12, 0, 0), both, die=2) == ["12/14"]
    assert legal((13, 57, 57, 57), both, die=3) == ["13/16"]  # but not the way


def test_none_bars_and_all_are_captured_where_blockades_mean_nothing():
    after = board((13, 0, 0, 0), (2, 2, 2, 0), game=ludo(blockades="none")).play(2).play("13/15*")
    assert seen(after)[:2] == [(15, 0, 0, 0), YARD]


def test_blockades_that_can_not_be_passed():
    game, both = ludo(blockades="pass"), (2, 2, 0, 0)
    assert legal((13, 12, 0, 0), both, die=3, game=game) == []
    assert legal((15 - 6, 16, 0, 0), both, die=5, game=game) == ["9/14", "16/21"]
    assert legal((13, 0, 0, 0), (2, 0, 0, 0), die=3, game=game) == ["13/16"]  # one piece is no blockade
    assert legal((13, 0, 0, 0), (1, 1, 0, 0), die=3, game=game) == ["13/16"]  # nor are two on a safe square
    assert legal((13, 0, 0, 0), die=3, game=game) == ["13/16"]


@pytest.mark.parametrize("blockades", ["none", "land", "pass"])
def test_ones_own_pieces_are_never_in_the_way(blockades):
    assert legal((13, 15, 15, 57), die=2, game=ludo(blockades=blockades)) == ["13/15", "15/17", "c 15/17"]


@pytest.mark.parametrize("blockades", ["land", "pass"])
def test_home_columns_are_ones_own(blockades):
    # An enemy's 52 to 56 are no squares of ours, though the numbers meet.
    game = ludo(blockades=blockades)
    assert legal((12, 0, 0, 0), (53, 53, 54, 54), die=3, game=game) == ["12/15"]
    assert legal((50, 0, 0, 0), (39, 40, 41, 41), die=3, game=game) == ["50/53"]


# --- home ------------------------------------------------------------------------------------------------------------


def test_the_last_step_is_exact():
    assert legal((52, 53, 56, 57), die=5) == ["52/57"]
    assert legal((52, 53, 56, 57), die=1) == ["52/53", "53/54", "56/57"]
    assert legal((52, 53, 56, 57), die=6) == []


def test_or_more_than_exact_where_that_is_agreed():
    position = board((52, 53, 56, 57), game=ludo(exact=False)).play(5)
    assert texts(position) == ["52/57", "53/57", "56/57"]
    assert seen(position.play("56/57"))[0] == (52, 53, 57, 57)


@pytest.mark.parametrize("mover", range(4))
def test_four_pieces_home_win_and_end_the_game(mover):
    end = board((57, 57, 51, 57), AWAY, mover=mover).play(6).play("51/57")  # a six, but nothing is rolled any more
    assert end.over
    assert end.scores() == [float(seat == mover) for seat in range(4)]
    assert end.moves() == end.chances() == []


def test_three_pieces_home_do_not():
    assert board((57, 57, 51, 0)).play(6).play("51/57").kind == "chance"


# --- against a naive table -------------------------------------------------------------------------------------------

VARIANTS: list[dict[str, Any]] = [
    {},
    {"blockades": "none"},
    {"blockades": "pass"},
    {"safe_squares": False},
    {"safe_squares": False, "blockades": "pass"},
    {"exact": False},
    {"three_sixes": True},
    {"capture_bonus": True},
    {"blockades": "none", "safe_squares": False, "exact": False, "three_sixes": True, "capture_bonus": True},
]
every_variant = pytest.mark.parametrize("options", VARIANTS, ids=lambda options: ", ".join(options) or "usual")


def compare(game: Ludo, state: np.ndarray, table: Table) -> None:
    """The kernel and the table must see the same pieces, roller, die, moves, sixes and winner."""
    pieces = np.zeros(16, np.int64)
    for four in table.pieces:
        at = 4 * four[0].colour
        pieces[at : at + 4] = [piece.steps for piece in four]
    assert state[:16].tolist() == pieces.tolist(), state
    assert state[TURN] == (-1 if table.roller is None else table.roller), state
    if table.winner is not None:
        assert turn(game, state) == OVER
        won = np.zeros(game.seats)
        scores(game, state, won)
        assert won.tolist() == [seat == table.winner for seat in range(game.seats)]
        return
    assert state[DIE] == (table.die or 0), state
    assert state[MOVABLE] == sum(1 << piece for piece in table.movable()), state
    if table.die is None:
        assert turn(game, state) == CHANCE
        assert state[COUNT] == table.sixes, state
    else:
        room = np.zeros(4, np.int64)
        assert turn(game, state) == table.roller
        assert room[: moves(game, state, table.roller, room)].tolist() == table.movable(), state


@every_variant
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_games_go_as_at_a_naive_table(seats, options):
    game, rng = ludo(seats=seats, **options), random.Random(seats)
    happened: Counter[str] = Counter()
    for _ in range(14 if JIT else 1):
        state, table = np.full(STATE_SIZE, 9, np.int64), Table(seats, **options)
        begin(game, state)
        compare(game, state, table)
        table.roller = rng.randrange(seats)
        play(game, state, table.roller)
        while table.winner is None:
            compare(game, state, table)
            if table.die is None:
                move, roller = rng.randint(1, 6), table.roller
                table.roll(move)
                happened["passed"] += table.roller != roller
            else:
                move = rng.choice(table.movable())
                before = sum(piece.steps > 0 for four in table.pieces for piece in four)
                table.move(move)
                happened["captured"] += sum(piece.steps > 0 for four in table.pieces for piece in four) < before
                happened["moved"] += 1
            play(game, state, move)
        compare(game, state, table)
    # The comparison means something only if all this took part in it; two players meet seldom, and not in every game.
    assert min(happened["passed"], happened["moved"]) > 10, happened
    assert happened["captured"] > 0 or not JIT, happened


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table with any pieces that could stand there together, a die, and any rules. Pieces come in crowds: what matters
    in Ludo is who meets whom.
    """
    options = draw(
        st.fixed_dictionaries(
            {"seats": st.sampled_from([2, 3, 4]), "blockades": st.sampled_from(["none", "land", "pass"])}
            | {name: st.booleans() for name in ("safe_squares", "exact", "three_sixes", "capture_bonus")}
        )
    )
    table = Table(**options)
    table.roller, table.sixes = draw(st.integers(0, table.seats - 1)), draw(st.integers(0, 2))
    middle, taken = draw(st.integers(0, 51)), {}
    for seat, four in enumerate(table.pieces):
        # The roller's pieces have the enemies' before them, most of those on one square.
        near = st.integers(-4, 0) if seat == table.roller else st.sampled_from([draw(st.integers(1, 6))] * 3 + [0, 2])
        for piece in four:
            steps = (middle + draw(near) - 13 * piece.colour) % 52 + 1
            if steps > 51 or draw(st.integers(0, 3)) == 0:  # no colour enters the square behind its own start
                steps = draw(st.sampled_from([0, 0, 1, 49, 51, 52, 53, 54, 55, 56, 57]))
            place = Piece(piece.colour, steps).place()
            if table.is_safe(place) or taken.setdefault(place, seat) == seat:
                piece.steps = steps
    return table


@given(tables(), st.integers(1, 6), st.data())
@settings(deadline=None, max_examples=400 if JIT else 100)
def test_any_roll_and_move_on_any_board_are_those_of_a_naive_table(table, die, data):
    names = ("blockades", "safe_squares", "exact", "three_sixes", "capture_bonus")
    game = ludo(seats=table.seats, **{name: getattr(table, name) for name in names})
    state = np.zeros(STATE_SIZE, np.int64)
    for four in table.pieces:
        at = 4 * four[0].colour
        state[at : at + 4] = [piece.steps for piece in four]
    state[TURN], state[COUNT] = table.roller, table.sixes
    table.roll(die)
    play(game, state, die)
    compare(game, state, table)
    if table.die is not None:
        move = data.draw(st.sampled_from(table.movable()))
        table.move(move)
        play(game, state, move)
        compare(game, state, table)


# --- what random games look like -------------------------------------------------------------------------------------


def test_a_random_game_of_four_has_some_400_rolls_with_1_87_movable_pieces_each():
    # From 20,000 games: 399.8 and 1.866. The margins are four standard errors of so many games.
    games = 300 if JIT else 12
    rolls = movable = 0
    room, odds = np.zeros(6, np.int64), np.zeros(6)
    for number in range(games):
        rng, state = stream(7, number), np.zeros(STATE_SIZE, np.int64)
        begin(GAME, state)
        play(GAME, state, roll(GAME, state, rng, room, odds))
        while (seat := turn(GAME, state)) != OVER:
            if seat == CHANCE:
                play(GAME, state, roll(GAME, state, rng, room, odds))
                rolls += 1
                movable += count_bits(state[MOVABLE])
            else:
                play(GAME, state, random_move(GAME, state, seat, rng, room))
    assert rolls / games == pytest.approx(399.8, abs=4 * 66 / games**0.5)
    assert movable / rolls == pytest.approx(1.866, abs=4 * 0.2 / games**0.5)


# --- strategies ------------------------------------------------------------------------------------------------------


def chosen(name: str, *pieces: Four, die: int, game: Ludo = GAME) -> set[str]:
    """What a strategy plays, over many streams; the same in every seat."""
    player = ludus.player(name, game)
    found = []
    for mover in range(game.seats):
        position = board(*pieces, game=game, mover=mover).play(die)
        assert position.turn == mover, "nothing to decide"
        codes = {int(choose(player, game, position.state.copy(), mover, stream(5, n))) for n in range(40)}
        found.append({position.game.move_text(position.state, move) for move in codes})
    assert found.count(found[0]) == len(found)
    return found[0]


STRATEGIES = ("defensive", "aggressive", "fast", "expert")


@pytest.mark.parametrize("name", STRATEGIES)
def test_all_release_on_a_six(name):
    assert chosen(name, (13, 30, 0, 0), (6, 13, 0, 0), die=6) == {
        "0/1"
    }  # though 30 is under threat, and 13/19* captures


def test_unless_told_not_to():
    own, enemy = (13, 30, 0, 57), (6, 13, 0, 0)
    assert chosen("defensive(release=false)", own, enemy, die=6) == {"30/36"}
    assert chosen("aggressive(release=false)", own, enemy, die=6) == {"13/19*"}
    assert chosen("fast(release=false)", own, enemy, die=6) == {"30/36"}
    assert chosen("expert(release=false)", own, enemy, die=6) == {"30/36"}
    assert chosen("defensive(release=false)", own, die=6) == {"13/19", "30/36", "0/1"}  # nothing to do: by chance


def test_the_defensive_one_moves_the_most_advanced_piece_under_threat():
    # Green's 3 and 13 are red's 16 and 26, four squares behind two of the pieces; yellow's 41 is red's 15.
    assert chosen("defensive", (20, 30, 40, 57), (3, 13, 0, 0), die=1) == {"30/31"}
    assert chosen("defensive", (20, 30, 40, 57), (3, 0, 0, 0), die=1) == {"20/21"}
    assert chosen("defensive", (19, 30, 50, 57), (57, 57, 57, 0), (41, 0, 0, 0), die=1) == {"19/20"}


@pytest.mark.parametrize(
    ("own", "enemy"),
    [
        pytest.param((20, 20, 50, 57), (3, 0, 0, 0), id="a pair"),
        pytest.param((22, 50, 5, 57), (6, 0, 0, 0), id="on a safe square"),
        pytest.param((53, 20, 5, 57), (36, 36, 0, 0), id="in the home column"),
        pytest.param((23, 50, 5, 57), (3, 0, 0, 0), id="seven squares ahead"),
        pytest.param((15, 50, 5, 57), (2 + 13, 0, 0, 0), id="behind the enemy"),
        pytest.param((15, 50, 5, 57), YARD, id="before the enemy's yard"),
    ],
)
def test_pieces_that_nobody_threatens(own, enemy):
    # With nothing to defend, any move is as good as another.
    assert chosen("defensive", own, enemy, die=1) == set(legal(own, enemy, die=1))


def test_an_enemy_that_turns_off_into_its_column_before_is_no_threat():
    # Green's track ends at its 51, red's 12: its piece on 49, red's 10, can't get to red's 13.
    assert len(chosen("defensive", (13, 30, 50, 57), (49, 0, 0, 0), die=1)) == 3
    assert chosen("defensive", (12, 30, 50, 57), (49, 0, 0, 0), die=1) == {"12/13"}


def test_the_aggressive_one_captures_with_any_piece_that_can():
    assert chosen("aggressive", (13, 5, 20, 57), (2, 0, 0, 0), die=2) == {"13/15*"}
    assert chosen("aggressive", (13, 28, 20, 57), (2, 17, 0, 0), die=2) == {"13/15*", "28/30*"}
    assert chosen("aggressive", (13, 5, 20, 57), YARD, die=2) == {"13/15", "5/7", "20/22"}


def test_the_fast_one_moves_the_most_advanced_piece_that_can_move():
    assert chosen("fast", (13, 30, 5, 57), (2, 0, 0, 0), die=2) == {"30/32"}
    assert chosen("fast", (13, 30, 56, 57), (2, 0, 0, 0), die=2) == {"30/32"}


def test_the_expert_releases_defends_attacks_and_runs_in_this_order():
    assert chosen("expert", (13, 30, 0, 57), (6, 13, 0, 0), die=6) == {"0/1"}
    assert chosen("expert", (13, 30, 50, 57), (2, 12, 0, 0), die=2) == {"30/32"}  # 30 is in reach of 25; 13/15* waits
    assert chosen("expert", (13, 30, 50, 57), (2, 20, 0, 0), die=2) == {"13/15*"}
    assert chosen("expert", (13, 30, 50, 57), YARD, die=2) == {"50/52"}


def test_strategies_are_for_classic_rules():
    for name in STRATEGIES:
        with pytest.raises(LudusError, match=f"player '{name}' knows the classic rules"):
            ludus.player(name, ludo(rules="ludopy"))
    for name in ("semismart", "rossen", "peters"):
        with pytest.raises(
            LudusError, match=rf"player '{name}' knows the rules of ludopy only, as in ludo\(rules=ludopy\)"
        ):
            ludus.player(name, GAME)


# --- options that are none -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ludo(seats=5)", r"ludo\(seats=5\): seats must be one of 2, 3, 4"),
        ("ludo(seats=two)", r"ludo\(seats=two\)"),
        ("ludo(rules=foo)", r"ludo\(rules=foo\): rules must be one of classic, ludopy, ludopy-1\.3\.1"),
        ("ludo(blockades=3)", r"ludo\(blockades=3\): blockades must be one of none, land, pass"),
        ("ludo(exact=1)", r"ludo\(exact=1\): exact must be true or false"),
        ("ludo(three_sixes=maybe)", r"ludo\(three_sixes=maybe\): three_sixes must be true or false"),
        ("ludo(rules=ludopy,exact=false)", r"ludo\(exact=False\): the rules of ludopy are fixed"),
        ("ludo(rules=ludopy-1.3.1,blockades=none)", r"ludo\(blockades=none\): the rules of ludopy-1\.3\.1 are fixed"),
        ("ludo(blockade=none)", "did you mean 'blockades'"),
        ("ludo:here", "unknown game"),
    ],
)
def test_options_that_are_none_are_named(text, reason):
    with pytest.raises(LudusError, match=reason):
        ludus.game(text)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"seats": 5}, r"ludo\(seats=5\): two, three or four can play"),
        ({"rules": "foo"}, r"ludo\(rules=foo\): rules must be one of"),
        ({"rules": "ludopy", "exact": False}, "options are for classic only"),
        ({"blockades": 3}, r"ludo\(blockades=3\): blockades must be one of"),
        ({"exact": 1}, r"ludo\(exact=1\): exact must be true or false"),
        ({"dice": 2}, "ludo has no option 'dice'"),
    ],
)
def test_python_hears_the_same(options, reason):
    with pytest.raises(LudusError, match=reason):
        ludo(**options)
