"""Matches of backgammon and games for money, with the cube, over HTTP: as the page plays them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import ludus
from ludus.contract.telling import stakes_of
from serving import Seated, Serving

# X has 5 points of 7, O 3; the cube is at 2 in X's hands, and O may not double.
OWNED = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:5:3:0:7:10"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    running = Serving(tmp_path_factory.mktemp("match"))
    yield running
    running.stop()


def buttons(view: dict[str, Any]) -> dict[str, str]:
    """What the buttons say, and the moves that they make."""
    return {touch["button"]: touch["move"] for touch in view["touches"] if touch["button"]}


def test_a_whole_match_against_a_player_that_doubles_and_answers(server: Serving) -> None:
    table = server.new("backgammon(match=3)", "person", "strong", seed=5)
    while table.table["kind"] != "over":
        assert table.move(server.get(f"tables/{table.id}/hint", seat=0)["moves"][0]["move"]).status_code == 200
    result = table.refresh()["result"]
    assert result["scores"] in ([1.0, -1.0], [-1.0, 1.0])
    assert result["text"].split(" wins ")[1].startswith("the match 3-")
    done = {(step["seat"], step["texts"][0]) for step in table.table["steps"] if not step["chance"]}
    assert {(0, "roll"), (1, "roll")} <= done
    assert done & {(1, "double"), (1, "take"), (1, "pass")}, "the cube was turned, and the player had its part in it"
    notes = [step["note"] for step in table.table["steps"] if "note" in step]
    assert notes
    assert all("The score is X " in note for note in notes)


def test_what_is_decided_has_buttons_and_the_board_its_places(server: Serving) -> None:
    table = server.new("backgammon(match=7)", "person", "person", position=OWNED)
    view = table.look(seat=0)
    assert view["score"] == {"title": "Match to 7 points", "points": [5, 3], "notes": ["Cube at 2, X owns it"]}
    assert view["moves"], "with the cube at 2 X wins the match: there is nothing to decide, and the dice are rolled"
    assert buttons(view) == {}
    table = server.new("backgammon(match=7)", "person", "person", position=OWNED.replace(":1:1:1:00:5", ":1:1:1:00:2"))
    view = table.look(seat=0)
    assert buttons(view) == {"Roll": "roll", "Double to 4": "double"}
    assert {touch["target"] for touch in view["touches"]} == {"cube", "dice"}
    assert 'data-place="cube" data-name="cube 2, X\'s"' in view["board"]
    table.move("double")
    assert buttons(table.look(seat=1)) == {"Take at 4": "take", "Pass": "pass"}
    table.move("take")
    assert table.look()["score"]["notes"] == ["Cube at 4, O owns it"]


def test_beavers_have_a_button_where_they_are_played(server: Serving) -> None:
    table = server.new("backgammon(cube=true,jacoby=true,beavers=1)", "person", "person", seed=1)
    table.move(table.look()["moves"][0]["text"])
    table.move("double")
    view = table.look()
    assert view["score"]["title"] == "For money, Jacoby rule, beavers"
    assert buttons(view) == {"Take at 2": "take", "Pass": "pass", "Beaver to 4": "beaver"}
    table.move("beaver")
    assert table.look()["score"]["notes"][0].startswith("Cube at 2")
    assert table.table["status"].endswith("beavers to 4")


def test_the_end_of_a_game_is_told_and_stays_told(server: Serving) -> None:
    table = server.new("backgammon(match=7)", "person", "person", seed=1)
    table.move(table.look()["moves"][0]["text"])
    doubler = table.table["due"][0]
    table.move("double")
    table.move("pass")
    mark = "XO"[doubler]
    told = f"{'XO'[1 - doubler]} passed: {mark} wins 1 point. The score is X {1 - doubler}, O {doubler}."
    assert [step.get("note") for step in table.table["steps"]][3] == told
    assert table.table["kind"] == "decision", "the next game has begun, and its dice are rolled"
    server.kill()
    server.start()
    assert [step.get("note") for step in table.refresh()["steps"]][3] == told
    table.post("undo", {"seat": 0}, "0", "1")
    assert all("note" not in step for step in table.refresh()["steps"])


def test_the_crawford_game_is_named(server: Serving) -> None:
    crawford = server.new(
        "backgammon(match=7)", "person", "person", position="XGID=-b----E-C---eE---c-e----B-:0:0:1:31:6:3:1:7:10"
    )
    assert crawford.look()["score"]["notes"] == ["Crawford game: nobody may double"]


def resign(table: Seated, seat: int, what: str) -> Any:
    offers = [one["text"] for one in table.look()["resignations"] if one["seat"] == seat and one["name"] == what]
    return table.move(offers[0], seat)


def test_resigning_while_the_other_is_to_move(server: Serving) -> None:
    table = server.new("backgammon(match=7)", "person", "person", seed=2)
    mover = table.table["due"][0]
    assert resign(table, 1 - mover, "a gammon").status_code == 200
    assert table.table["due"] == [mover]
    assert table.table["steps"][-1]["seat"] == 1 - mover
    assert buttons(table.look()) == {"Accept": "accept", "Reject": "reject"}
    table.move("reject")
    assert table.table["steps"][-1]["note"] == f"{'XO'[mover]} rejects it: the game goes on."
    resign(table, 1 - mover, "a backgammon")
    table.move("accept")
    assert "resigned: " in table.table["steps"][-2]["note"]
    assert table.look()["score"]["points"][mover] == 3


def test_nobody_resigns_for_the_other(server: Serving) -> None:
    table = server.new("backgammon(match=7)", "person", "person", seed=2)
    mover = table.table["due"][0]
    other = "XO"[1 - mover]
    refused = table.move(f"{other} resigns a gammon", mover)
    assert refused.status_code == 400
    assert refused.json()["error"] == f"'{other} resigns a gammon': that is for {other} to do, not for {'XO'[mover]}"
    refused = table.move(table.look()["moves"][0]["text"], 1 - mover)
    assert refused.status_code == 400, "nor moves for the other"
    assert table.refresh()["ply"] == 1


def test_a_player_answers_a_resignation(server: Serving) -> None:
    table = server.new("backgammon(match=7)", "person", "strong", position=OWNED)
    resign(table, 0, "a backgammon")
    assert [step["texts"] for step in table.refresh()["steps"]][1:3] == [["X resigns a backgammon"], ["accept"]]


def test_giving_up_for_money_costs_what_the_cube_shows(server: Serving) -> None:
    table = server.new(
        "backgammon(cube=true)", "person", "person", position="XGID=-b----E-C---eE---c-e----B-:2:1:1:00:0:0:0:0:10"
    )
    assert table.post("resign", {"seat": 0}, "0").json()["table"]["result"]["scores"] == [-4.0, 4.0]


def test_hints_speak_of_the_cube(server: Serving) -> None:
    table = server.new("backgammon(match=7)", "person", "person", position=OWNED.replace(":1:1:1:00:5", ":1:1:1:00:2"))
    hint = server.get(f"tables/{table.id}/hint", seat=0)
    assert {move["move"] for move in hint["moves"]} == {"roll", "double"}
    assert any("takes a redouble with" in line for line in hint["words"])
    chances: dict[str, Any] = {"plies": []}
    while not chances["plies"]:
        chances = server.get(f"tables/{table.id}/chances")
    assert -1 <= chances["plies"][0]["value"][0] <= 1


def test_weak_players_err_by_what_is_at_stake() -> None:
    # The scores of a game for money go up to 3072: measured by that, all mistakes would be small. In a match a game is a small part of all.
    money, match = ludus.game("backgammon(cube=true)"), ludus.game("backgammon(match=7)")
    plain = ludus.game("backgammon")
    assert stakes_of(money, money.start().state) == stakes_of(plain, plain.start().state)
    late = stakes_of(match, match.position(OWNED).state)
    assert stakes_of(match, match.start().state).span < late.span < 6


def test_a_match_goes_into_a_file_and_comes_back(server: Serving) -> None:
    table = server.new("backgammon(match=3)", "person", "strong", seed=5)
    while table.table["kind"] != "over":
        table.move(server.get(f"tables/{table.id}/hint", seat=0)["moves"][0]["move"])
    for form in ("mat", "json"):
        text = server.http.get(f"tables/{table.id}/export/{form}").text
        made = server.http.post("import", json={"name": f"match.{form}", "text": text}).json()
        (again,) = made["tables"]
        found = server.get(f"tables/{again}")
        assert found["game"] == "backgammon(match=3)"
        assert found["title"] == "Backgammon, match to 3"
        assert found["result"] == table.table["result"]
        assert [step["texts"] for step in found["steps"]] == [step["texts"] for step in table.table["steps"]]
        assert [step.get("note") for step in found["steps"]] == [step.get("note") for step in table.table["steps"]]
