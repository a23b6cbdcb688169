"""A GGP player keeps in step with its match: PLAYs that are late, come twice, in the wrong order or not at all."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from ggp_peers import PENNIES, TAKE, Deaf, Pensive, load
from ludus import players
from ludus.ggp.clock import Clock, Lateness
from ludus.ggp.following import Follower
from ludus.ggp.player import Limits, Player, warm_up
from ludus.ggp.turns import Turns
from ludus.kernel import stream

# Count up by one or two, in turn, to twenty.
COUNT = """
(role left) (role right) (init (at 0)) (init (control left))
{steps}
(<= (legal ?p (add ?n)) (true (control ?p)) (true (at ?m)) (plus ?m ?n ?sum))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (at ?sum)) (does ?p (add ?n)) (true (at ?m)) (plus ?m ?n ?sum))
(<= (next (control right)) (true (control left))) (<= (next (control left)) (true (control right)))
(<= terminal (true (at 20))) (<= terminal (true (at 21)))
(goal left 50) (goal right 50)
""".format(steps=" ".join(f"(plus {m} {n} {m + n})" for m in range(20) for n in (1, 2)))
# Both may do the same again and again.
AGAIN = """
(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(legal a go) (legal b go) (<= (legal a (at ?n)) (true (n ?n))) (legal b wait)
(<= (next (n ?m)) (true (n ?n)) (succ ?n ?m)) (<= terminal (true (n 4))) (goal a 1) (goal b 1)
"""
LEFT, RIGHT = ("( add 1 )", "noop"), ("noop", "( add 2 )")


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    warm_up("random")


@pytest.fixture(scope="module")
def count() -> Any:
    return load(COUNT)


def fluents(game: Any, states: list[Any]) -> list[list[str]]:
    return [sorted(game.fluents(state)) for state in states]


def test_what_is_told_is_followed(count: Any) -> None:
    states = Follower(count).follow([LEFT, RIGHT, LEFT])
    assert fluents(count, states) == [["( at 4 )", "( control right )"]]


@pytest.mark.parametrize("history", [[LEFT, LEFT], [LEFT, LEFT, LEFT]])
def test_what_is_told_twice_is_played_once(history: list[tuple[str, str]], count: Any) -> None:
    states = Follower(count).follow(history)
    assert fluents(count, states) == [["( at 1 )", "( control right )"]]


def test_what_is_told_twice_may_have_been_played_twice() -> None:
    game = load(AGAIN)
    follower = Follower(game)
    go = ("go", "go")
    assert fluents(game, follower.follow([go, go])) == [["( n 2 )"]]
    assert fluents(game, follower.follow([go, go, ("( at 2 )", "wait")])) == [["( n 3 )"]]  # so it was
    assert fluents(game, follower.follow([go, go, ("( at 1 )", "wait")])) == [["( n 2 )"]]  # so it was not
    assert fluents(game, follower.follow([go, go, ("( at 1 )", "wait"), go])) == [["( n 3 )"]]


@pytest.mark.parametrize("between", [("( fly )", "noop"), ("noop",), ("noop", "noop", "noop"), ("noop", "( add 7 )")])
def test_what_can_not_be_is_forgotten(between: tuple[str, ...], count: Any) -> None:
    follower = Follower(count)
    assert len(follower.follow([LEFT, between])) == 1
    assert "can't be followed" in follower.problem
    states = follower.follow([LEFT, between, RIGHT])
    assert fluents(count, states) == [["( at 3 )", "( control left )"]]
    assert follower.problem == ""


def test_what_was_never_told_is_found_out(count: Any) -> None:
    follower = Follower(count)
    states = follower.follow([LEFT, LEFT, ("( add 2 )", "noop")])  # right has moved in between
    assert fluents(count, states) == [["( at 4 )", "( control right )"], ["( at 5 )", "( control right )"]]


def test_a_history_that_is_corrected(count: Any) -> None:
    follower = Follower(count)
    follower.follow([LEFT, LEFT])
    states = follower.follow([LEFT, RIGHT, LEFT])
    assert fluents(count, states) == [["( at 4 )", "( control right )"]]


# --- the player ------------------------------------------------------------------------------------------------------


def start(player: Player, rules: str = COUNT, role: str = "left", seconds: float = 20) -> None:
    assert player.answer(f"(START m1 {role} ({rules}) 20 {seconds:g})").body == "ready"


def test_plays_that_are_heard_in_the_wrong_order() -> None:
    player = Player("random")
    start(player)
    now = time.monotonic()
    assert player.answer("(PLAY m1 NIL)", now).body in ("( add 1 )", "( add 2 )")
    # The first of these two is heard last, as its thread was slow.
    assert player.answer("(PLAY m1 (noop (add 1)))", now + 2).body
    assert player.answer("(PLAY m1 ((add 2) noop))", now + 1).body == "noop"
    assert player.answer("(PLAY m1 ((add 1) noop))", now + 3).body == "noop"  # right is to move
    assert player.answer("(PLAY m1 (noop (add 1)))", now + 4).body in ("( add 1 )", "( add 2 )")
    player.close()


def test_a_play_that_is_sent_twice_is_answered_twice_and_played_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(players.REGISTRY, "halfway", players.Entry("", "ggp_peers", "make_halfway", {}))
    Deaf.release.set()
    player = Player("halfway")
    start(player)
    Deaf.release.clear()
    answers: list[str] = []
    asking = [
        threading.Thread(target=lambda: answers.append(player.answer("(PLAY m1 NIL)", time.monotonic()).body))
        for _ in range(3)
    ]
    for thread in asking:
        thread.start()
    Deaf.release.set()
    for thread in asking:
        thread.join(60)
    assert answers == ["( add 1 )"] * 3
    for _ in range(3):  # each is answered by now
        assert player.answer("(PLAY m1 ((add 1) noop))").body == "noop"
    assert player.answer("(PLAY m1 (noop (add 1)))").body in ("( add 1 )", "( add 2 )")
    player.close()


def test_it_comes_back_into_step_whatever_was_played() -> None:
    player = Player("random")
    start(player)
    player.answer("(PLAY m1 NIL)")
    player.answer("(PLAY m1 ((add 9) noop))")  # there is no such move
    assert player.answer("(PLAY m1 ((add 1) noop))").body == "noop"
    assert player.answer("(PLAY m1 (noop (add 1)))").body in ("( add 1 )", "( add 2 )")
    player.close()


def test_the_best_so_far_where_thinking_outlasts_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(players.REGISTRY, "halfway", players.Entry("", "ggp_peers", "make_halfway", {}))
    Deaf.release.set()
    lines: list[str] = []
    player = Player("halfway", limits=Limits(margin=0.5), log=lines.append)
    start(player, TAKE, seconds=4)
    Deaf.release.clear()
    assert player.answer("(PLAY m1 NIL)").body == "( take 2 )"  # the last one is what it would do
    Deaf.release.set()
    player.close()
    assert not [line for line in lines if "no move in time" in line]


def test_a_search_says_what_is_best_so_far() -> None:
    game = load(COUNT)
    player = players.player("mcts", game)
    assert player.best is None
    seen = []

    class Stop(threading.Event):
        """Looks over the player's shoulder."""

        def is_set(self) -> bool:
            seen.append(player.best)
            return len(seen) > 50

    position = game.start()
    chosen = player.think(position, 600.0, Stop(), stream(1))
    assert set(seen) <= {int(move) for move in position.moves()}  # from the first look on
    assert len(seen) > 1
    assert int(chosen) in {int(move) for move in position.moves()}


def test_abort_ends_a_start_that_is_loading() -> None:
    from ludus.ggp.loading import Loader
    from ludus.ggp.session import Threads

    loading, for_ever = threading.Event(), threading.Event()

    def load_for_ever(rules: str, seconds: float, memory: int) -> Any:
        loading.set()
        for_ever.wait(60)
        return load(rules)

    player = Player("random", sessions=Threads(Loader(load_for_ever)))
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(player.answer(f"(START m1 one ({PENNIES}) 600 5)").body))
    asking.start()
    assert loading.wait(30)
    while player.answer("(ABORT m1)").body != "aborted":
        time.sleep(0.01)
    asking.join(30)
    assert answers == ["aborted"]
    for_ever.set()


def test_turns_are_kept_in_order_of_arrival() -> None:
    turns = Turns()
    for arrived, move in ((3.0, "c"), (1.0, "a"), (2.0, "b")):
        turn, is_new = turns.note((move,), arrived, Clock(5, arrived, 0.5))
        assert is_new
        assert turn.done.is_set() == (move != "c")  # only the last one is waited for
    assert turns.history() == [("a",), ("b",), ("c",)]
    assert turns.newest().moves == ("c",)


def test_it_studies_before_a_match_and_ponders_what_may_come_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its own move it thinks about the state that the move leads to; while another is to move, about that state."""
    monkeypatch.setitem(players.REGISTRY, "pensive", players.Entry("", "ggp_peers", "make_pensive", {}))
    Pensive.told.clear()
    Pensive.stopped.clear()
    player = Player("pensive")
    start(player)
    assert player.answer("(PLAY m1 NIL)").body == "( add 1 )"
    assert player.answer("(PLAY m1 ((add 1) noop))").body == "noop"
    assert player.answer("(PLAY m1 (noop (add 2)))").body == "( add 1 )"
    deadline = time.monotonic() + 60
    while len(Pensive.told) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    player.answer("(ABORT m1)")
    player.close()
    assert Pensive.told[0] == ("study", ["( at 0 )", "( control left )"])
    pondered = [state for kind, state in Pensive.told if kind == "ponder"]
    known = [
        ["( at 0 )", "( control left )"],
        ["( at 1 )", "( control right )"],
        ["( at 3 )", "( control left )"],
        ["( at 4 )", "( control right )"],
    ]
    assert pondered
    assert all(state in known for state in pondered)
    while len(Pensive.stopped) < len(pondered) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert all(Pensive.stopped)  # each was told to stop


def test_nobody_ponders_where_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(players.REGISTRY, "pensive", players.Entry("", "ggp_peers", "make_pensive", {}))
    Pensive.told.clear()
    player = Player("pensive", limits=Limits(ponder=False, study=0.0))
    start(player)
    assert player.answer("(PLAY m1 NIL)").body == "( add 1 )"
    assert player.answer("(PLAY m1 ((add 1) noop))").body == "noop"
    player.close()
    assert not Pensive.told


def test_an_answer_that_was_late_makes_the_next_one_earlier() -> None:
    lateness = Lateness(0.2)
    usual = Clock(10.0, 0.0, lateness.margin).answer
    lateness.note(0.3)
    assert Clock(10.0, 0.0, lateness.margin).answer == pytest.approx(usual - 0.6)
    for _ in range(300):
        lateness.note(-1.0)  # in time again
    assert Clock(10.0, 0.0, lateness.margin).answer == pytest.approx(usual, abs=0.01)


def test_what_was_pondered_before_the_first_play_does_not_hold_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """PLAY comes while the study is still under way: what follows the study must not take the player's head for itself."""
    monkeypatch.setitem(players.REGISTRY, "pensive", players.Entry("", "ggp_peers", "make_pensive", {}))
    begun = threading.Event()

    def study(self: Any, state: Any, end: float, stop: threading.Event, rng: Any) -> None:
        begun.set()
        stop.wait(60)

    monkeypatch.setattr(Pensive, "study", study)
    lines: list[str] = []
    player = Player("pensive", log=lines.append)
    answering = threading.Thread(target=lambda: player.answer(f"(START m1 left ({COUNT}) 600 20)"), daemon=True)
    answering.start()
    assert begun.wait(60)
    assert player.answer("(PLAY m1 NIL)").body == "( add 1 )"
    player.answer("(ABORT m1)")
    answering.join(60)
    player.close()
    assert not [line for line in lines if "no move in time" in line]
