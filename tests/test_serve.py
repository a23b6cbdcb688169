"""`ludus serve` over HTTP: whole games in each family, taking back, other people, files; and what a kill leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from databases import KINDS, new_place
from serving import WAIT, Serving

SHEET = """
(role you) (role me)
(<= (base (at ?x)) (number ?x)) (number 0) (number 1) (number 2) (number 3)
(succ 0 1) (succ 1 2) (succ 2 3)
(init (at 0)) (init (control you))
(base (control you)) (base (control me))
(<= (input ?r step) (role ?r)) (<= (input ?r rest) (role ?r)) (<= (input ?r noop) (role ?r))
(<= (legal ?r step) (true (control ?r))) (<= (legal ?r rest) (true (control ?r)))
(<= (legal you noop) (true (control me))) (<= (legal me noop) (true (control you)))
(<= (next (at ?y)) (does ?r step) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does ?r rest) (true (at ?x)))
(<= (next (control me)) (true (control you))) (<= (next (control you)) (true (control me)))
(<= terminal (true (at 3)))
(goal you 100) (goal me 0)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    running = Serving(tmp_path_factory.mktemp("serve"))
    yield running
    running.stop()


@pytest.mark.parametrize(
    ("game", "seats"),
    [("backgammon", 2), ("ludo(seats=2)", 2), ("ludo", 4), ("quoridor(size=3)", 2), ("quoridor(size=3,seats=4)", 4), ("quoridor(size=3,columns=4)", 2), ("tictactoe", 2)],
)  # fmt: skip
def test_a_whole_game_and_every_position_of_it(server: Serving, game: str, seats: int) -> None:
    table = server.new(game, "person", *["random"] * (seats - 1), seed=3)
    while table.table["kind"] != "over":
        view = table.look(seat=0)
        assert view["turn"] == 0, "players move by themselves, and dice roll by themselves"
        assert table.move(view["moves"][-1]["text"]).status_code == 200
    result = table.table["result"]
    assert result["reason"] == "played"
    assert len(result["scores"]) == seats
    assert table.refresh()["status"] == result["text"]
    for ply in (0, 1, table.table["ply"] // 2, table.table["ply"]):
        assert table.look(ply=ply)["board"].startswith("<svg")
    listed = server.get("tables", game=game.split("(")[0], state="over")["tables"]
    assert any(row["id"] == table.id and row["result"] == result["text"] for row in listed)


def test_the_same_seed_gives_the_same_dice_and_the_same_replies(server: Serving) -> None:
    one, other = (server.new("backgammon", "person", "strong", seed=11) for _ in range(2))
    for table in (one, other):
        table.move(table.look()["moves"][0]["text"])
    assert [step["texts"] for step in one.table["steps"]] == [step["texts"] for step in other.table["steps"]]


def test_a_move_that_is_sent_again_is_made_once(server: Serving) -> None:
    table = server.new("tictactoe", "person", "person")
    assert table.move("mark 2 2", 0, 0).status_code == 200
    again = table.move("( mark 2 2 )", 0, 0)
    assert again.status_code == 200
    assert again.json()["table"]["ply"] == 1
    stale = table.move("mark 1 1", 0, 0)
    assert stale.status_code == 409
    assert stale.json()["error"] == "the game is at ply 1, and this move was for ply 0"


def test_what_is_not_legal_is_explained_and_changes_nothing(server: Serving) -> None:
    table = server.new("quoridor", "person", "person")
    table.move("e5h")
    assert server.get(f"tables/{table.id}/why", move="e5v") == {"legal": False, "reason": "'e5v': it would cross e5h"}
    refused = table.move("e5v")
    assert (refused.status_code, refused.json()["error"]) == (400, "'e5v': it would cross e5h")
    assert table.refresh()["ply"] == 1


@pytest.mark.parametrize("game", ["tictactoe", "rockpaperscissors"])
def test_a_seat_that_is_not_there_is_refused(server: Serving, game: str) -> None:
    table = server.new(game, "person", "person")
    refused = server.http.get(f"tables/{table.id}/why", params={"move": "noop", "seat": 63})
    assert (refused.status_code, refused.json()["error"]) == (400, "there is no seat 63; the seats are 0 to 1")


def test_nobody_moves_for_others(server: Serving) -> None:
    table, stranger = (server.new("tictactoe", "person", "person") for _ in range(2))
    table.keys = stranger.keys
    refused = table.move("mark 1 1", 0)
    assert (refused.status_code, refused.json()["error"]) == (400, "you don't have the key to the seat of xplayer")
    assert table.post("resign", {"seat": 1}, "1").status_code == 400
    machine = server.new("tictactoe", "random", "person")
    assert "moves by itself" in machine.post("resign", {"seat": 0}, "1").json()["error"]


def test_taking_back_against_a_player_goes_to_the_persons_last_choice(server: Serving) -> None:
    table = server.new("backgammon", "person", "strong", seed=5)
    before = [step["texts"] for step in table.wait_for(0)["steps"]]
    table.move(table.look()["moves"][0]["text"])
    after = [step["texts"] for step in table.table["steps"]]
    back = table.post("undo", {"seat": 0}, "0").json()["table"]
    assert [step["texts"] for step in back["steps"]] == before
    table.refresh()
    table.move(table.look()["moves"][0]["text"])
    assert [step["texts"] for step in table.table["steps"]] == after, "nobody fishes for better dice"


def test_taking_back_among_people_is_asked_for(server: Serving) -> None:
    table = server.new("tictactoe", "person", "person")
    table.move("mark 1 1")
    assert table.post("undo", {"seat": 0}, "0").json()["table"]["asked"] == {"what": "undo", "seat": 0}
    assert table.post("decline", {"seat": 1}, "1").json()["table"]["asked"] is None
    table.post("undo", {"seat": 0}, "0")
    assert table.post("undo", {"seat": 1}, "1").json()["table"]["ply"] == 0
    table.refresh()
    table.move("mark 1 1")
    alone = table.post("undo", {"seat": 0}, "0", "1")
    assert alone.json()["table"]["ply"] == 0, "whoever has all keys has nobody to ask"


def test_giving_up_and_playing_again_with_seats_exchanged(server: Serving) -> None:
    table = server.new("quoridor", "person", "medium")
    over = table.post("resign", {"seat": 0}, "0").json()["table"]
    assert over["result"] == {"scores": [-1.0, 1.0], "text": "yellow gives up: green wins.", "reason": "resigned"}
    refused = table.post("resign", {"seat": 0}, "0")
    assert refused.json()["error"] == "the game has ended: yellow gives up: green wins."
    again = table.post("rematch", {}, "0").json()
    assert [seat["kind"] for seat in again["table"]["seats"]] == ["player", "person"]
    assert again["table"]["seats"][0]["level"] == "medium"
    assert again["keys"] == {"1": table.keys["0"]}
    assert (
        server.http.post(f"tables/{table.id}/rematch").json()["error"] == "only those who played can ask for a rematch"
    )


def test_people_come_together_again_for_a_rematch(server: Serving) -> None:
    table = server.new("tictactoe", "person", "person")
    table.post("resign", {"seat": 0}, "0")
    one, other = (table.post("rematch", {}, seat).json() for seat in ("0", "1"))
    assert one["id"] == other["id"] == table.refresh()["next"]
    assert (one["keys"], other["keys"]) == ({"1": table.keys["0"]}, {"0": table.keys["1"]})


def test_whose_time_is_up_loses(server: Serving) -> None:
    table = server.new("tictactoe", "person", "person", clock={"seconds": 5, "increment": 0})
    assert 0 < table.table["seats"][0]["clock"] <= 5000
    while table.refresh()["kind"] != "over":
        pass
    assert table.table["result"]["reason"] == "time"
    assert table.table["result"]["text"] == "xplayer has no time left: oplayer wins."


def test_where_all_move_at_once_nothing_happens_until_all_have_chosen(server: Serving) -> None:
    table = server.new("rockpaperscissors", "person", "person")
    first = server.get(f"tables/{table.id}/view", seat=0)["moves"][0]["text"]
    assert table.move(first, 0).json()["table"]["ply"] == 0
    assert table.table["due"] == [1]
    assert table.move(first, 1).json()["table"]["steps"][0]["texts"] == [first, first]


def test_players_that_take_their_time_play_each_other(server: Serving) -> None:
    table = server.new("tictactoe", "mcts(simulations=20)", "random", pace=0)
    table.wait_for(99)
    assert table.table["result"]["reason"] == "played"


def test_hints_and_chances(server: Serving) -> None:
    table = server.new("backgammon", "person", "strong", seed=5)
    hint = server.get(f"tables/{table.id}/hint")
    assert hint["player"] == "td"
    legal = [move["text"] for move in table.look()["moves"]]
    assert hint["moves"][0]["move"] in legal
    assert hint["moves"][0]["value"] >= hint["moves"][1]["value"]
    while len(chances := server.get(f"tables/{table.id}/chances")["plies"]) <= table.table["ply"]:
        pass
    last = chances[-1]["value"]
    assert last[0] == pytest.approx(-last[1])


def test_a_rulesheet_that_is_pasted_is_a_game(server: Serving) -> None:
    made = server.http.post("sheets", json={"text": SHEET, "name": "Stairs"})
    assert made.status_code == 201
    assert made.json()["seat_names"] == ["you", "me"]
    table = server.new(made.json()["game"], "person", "easy")
    while table.table["kind"] != "over":
        table.move("step")
        table.wait_for(0)
    assert table.table["result"]["text"] == "you wins, 1 point."
    assert server.get(f"sheets/{made.json()['game'].removeprefix('sheet:')}")["text"] == SHEET


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(role", "is never closed"),
        ("nonsense", "role"),
        ("(role a) " * 20_000, ""),
        ("(role a) (p 0) (<= (p (s ?x)) (p ?x))", ""),
    ],
)
def test_a_rulesheet_that_is_no_game_is_refused_and_the_server_goes_on(server: Serving, text: str, reason: str) -> None:
    refused = server.http.post("sheets", json={"text": text})
    assert refused.status_code == 400
    assert reason in refused.json()["error"]
    assert server.get("ready")["version"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_loses_nothing(kind: str, tmp_path: Path) -> None:
    server = Serving(tmp_path, "--database", new_place(kind, tmp_path))
    table = server.new("backgammon", "person", "strong", seed=9)
    watched = server.new("tictactoe", "random", "random", pace=0.2)
    for _ in range(3):
        table.move(table.wait_for(0) and table.look()["moves"][0]["text"])
        before = table.table["steps"]
        server.kill()
        server.start()
        assert table.refresh()["steps"][: len(before)] == before
    assert table.move(table.wait_for(0) and table.look()["moves"][0]["text"]).status_code == 200, (
        "the same key still fits"
    )
    assert watched.wait_for(99)["kind"] == "over", "players that play each other go on by themselves"
    server.stop()


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "form"),
    [
        ("backgammon", "mat"),
        ("quoridor(size=5)", "quoridor"),
        ("quoridor(size=3,columns=5)", "quoridor"),
        ("tictactoe", "ggp"),
        ("ludo", "json"),
    ],
)
def test_a_game_goes_to_a_file_and_comes_back(server: Serving, game: str, form: str) -> None:
    seats = 4 if game == "ludo" else 2
    table = server.new(game, *["random"] * seats, pace=0, seed=4)
    table.wait_for(99)
    file = server.http.get(f"tables/{table.id}/export/{form}")
    assert "attachment" in file.headers["content-disposition"]
    name = file.headers["content-disposition"].split('"')[1]
    back = server.http.post("import", json={"name": name, "text": file.text})
    assert back.status_code == 201, back.text
    steps = [step["texts"] for step in server.get(f"tables/{back.json()['tables'][0]}")["steps"]]
    assert steps == [step["texts"] for step in table.table["steps"]]


def test_pictures_of_a_position_and_of_a_whole_game(server: Serving) -> None:
    table = server.new("tictactoe", "random", "random", pace=0)
    table.wait_for(99)
    one = server.http.get(f"tables/{table.id}/export/svg", params={"ply": 2})
    film = server.http.get(f"tables/{table.id}/export/animation")
    assert one.headers["content-type"].startswith("image/svg+xml")
    assert len(film.text) > len(one.text)


def test_names_of_files_come_in_all_letters(server: Serving) -> None:
    game = server.http.post("sheets", json={"text": SHEET + "; 3", "name": "象棋"}).json()["game"]
    table = server.new(game, "person", "person")
    file = server.http.get(f"tables/{table.id}/export/json")
    assert file.headers["content-disposition"].endswith("filename*=UTF-8''%E8%B1%A1%E6%A3%8B.json")


def test_a_match_record_need_not_say_who_played(server: Serving) -> None:
    record = {"gameRoleNames": ["xplayer", "oplayer"], "gameName": "tictactoe", "moves": [["mark 2 2", "noop"]]}
    for names in (None, [], 5):
        text = json.dumps({**record, "playerNamesFromHost": names})
        (found,) = server.http.post("import", json={"name": "m.json", "text": text}).json()["tables"]
        assert [seat["who"] for seat in server.get(f"tables/{found}")["seats"]] == ["xplayer", "oplayer"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("game.exe", "", "files of games end in .mat, .quoridor or .json"),
        ("game.json", "{", "no JSON"),
        ("game.json", json.dumps({"game": "/etc/passwd"}), "is not the name of a game"),
        ("game.json", json.dumps({"game": "\ud800"}), "'\\ud800' is not the name of a game"),
        ("game.mat", "nonsense", "game.mat"),
        ("m.json", json.dumps({"gameRoleNames": [], "gameName": "tictactoe", "moves": [["x"]]}), "step 1"),
    ],
)
def test_a_file_that_is_none_is_refused(server: Serving, name: str, text: str, reason: str) -> None:
    refused = server.http.post("import", json={"name": name, "text": text})
    assert refused.status_code == 400
    assert reason in refused.json()["error"]


def test_statistics_of_ones_own_games(server: Serving) -> None:
    seats = [{"kind": "person", "name": "Ada"}, {"kind": "player", "level": "easy"}]
    for _ in range(2):
        made = server.http.post("tables", json={"game": "tictactoe", "seats": seats}).json()
        server.http.post(f"tables/{made['id']}/resign", json={"seat": 0}, headers={"Ludus-Key": made["keys"]["0"]})
    (row,) = server.get("statistics", name="Ada")["rows"]
    assert (row["games"], row["won"], row["lost"]) == (2, 0, 2)
    assert 0 == row["low"] < row["high"] < 1


# --- matches of the GGP manager --------------------------------------------------------------------------------------


def test_a_match_is_watched_live_step_by_step(server: Serving) -> None:
    wish = {"game": "tictactoe", "players": ["random", "random"], "start": 1, "play": 1}
    made = server.http.post("matches", json=wish)
    assert made.status_code == 201, made.text
    name = made.json()["matchId"]

    async def watch() -> list[dict[str, Any]]:
        async with server.live() as line:
            await line.send(json.dumps({"watch": name}))
            heard: list[dict[str, Any]] = []
            while not (heard and heard[-1]["match"]["isCompleted"]):
                message = json.loads(await line.recv())
                assert message["type"] != "error", message
                heard += [message] if message["type"] == "match" else []
            return heard

    heard = asyncio.run(watch())
    last = heard[-1]
    assert last["match"]["goalValues"] in ([100, 0], [50, 50], [0, 100])
    assert last["view"]["board"].startswith("<svg")
    assert server.get(f"matches/{name}") == last["match"]
    assert any(row["id"] == name and row["kind"] == "match" for row in server.get("tables")["tables"])
    assert httpx.get(f"{server.url}matches/{name}", timeout=WAIT).json() == last["match"], (
        "where managers have had it from the beginning"
    )


def test_a_tournament_stands(server: Serving) -> None:
    wish = {"games": ["tictactoe"], "players": ["random", "random"], "start": 1, "play": 1, "name": "cup"}
    name = server.http.post("tournaments", json=wish).json()["tournament"]
    while (cup := server.get(f"tournaments/{name}"))["running"]:
        pass
    assert cup["matches"] == cup["planned"] == 2
    assert name in server.get("tournaments")["tournaments"]
    refused = server.http.post("matches", json={"game": "chess", "players": ["random"]})
    assert refused.status_code == 400
    assert "unknown game" in refused.json()["error"]
