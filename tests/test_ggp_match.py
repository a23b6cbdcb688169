"""The GGP game manager over real sockets: clocks, bad players, the record of a match, the database, tournaments, commands."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from databases import KINDS, new_place
from ggp_peers import (
    GUESS,
    PENNIES,
    TAKE,
    Peer,
    dripping,
    dying,
    flooding,
    http,
    load,
    malformed,
    raw,
    saying,
    silent,
    tell,
)
from ludus.cli.main import main
from ludus.errors import LudusError
from ludus.ggp import messages
from ludus.ggp.manager import Manager
from ludus.ggp.manager import serve as serve_manager
from ludus.ggp.match import GRACE, Course, contestants, play_match
from ludus.ggp.player import Player, serve, warm_up
from ludus.ggp.record import Clocks, Match
from ludus.ggp.store import Store
from ludus.ggp.tournament import Plan, play_tournament, standings

AMPLE = Clocks(600, 600)  # for players that answer at once: no clock runs out because the machine is busy


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Clocks in these tests are short: compiling must not fall on them."""
    warm_up("random")


@pytest.fixture(scope="module")
def take(compiled: None) -> Any:
    return load(TAKE)


def check(match: Match, game: Any) -> None:
    """Whatever the players did, the record must be a game by the rules."""
    state = game.first()
    for step, moves in enumerate(match.moves):
        assert match.states[step] == f"( {' '.join(sorted(game.fluents(state)))} )"
        assert all(move in legal for move, legal in zip(moves, game.legal(state), strict=True))
        state = game.advance(state, moves)
    assert len(match.states) == len(match.state_times) == len(match.errors) == len(match.moves) + 1
    if match.completed:
        assert game.terminal(state)
        assert match.goals == game.goals(state)


# --- matches ---------------------------------------------------------------------------------------------------------


def test_our_players_play_a_match_for_our_manager(take: Any) -> None:
    with serve(Player("random", seed=1), port=0) as one, serve(Player("random", seed=2), port=0) as two:
        names = [f"127.0.0.1:{server.port}" for server in (one, two)]
        match = play_match(take, "take", names, AMPLE)
        check(match, take)
        assert match.completed
        assert sorted(match.goals) == [0, 100]
        assert match.errors == [["", ""]] * (match.steps + 1)
        assert tell(one.port, "(PING)") == tell(two.port, "(PING)") == "ready"  # they were told that it is over


def test_the_record_has_the_fields_of_the_match_format(take: Any) -> None:
    match = play_match(take, "take", ["random", "random"], AMPLE, seed=3)
    record = json.loads(json.dumps(match.to_json()))
    assert set(record) >= {
        "matchId", "randomToken", "startTime", "gameName", "gameRulesheetHash", "isCompleted", "isAborted", "states", "moves",
        "stateTimes", "errors", "goalValues", "previewClock", "startClock", "playClock", "playerNamesFromHost", "scrambled"}  # fmt: skip
    assert record["isCompleted"] is True
    assert record["states"][0] == "( ( control left ) ( pile 4 ) )"
    assert all(len(joint) == 2 for joint in record["moves"])
    assert record["playerNamesFromHost"] == ["random", "random"]
    assert record["startTime"] <= record["stateTimes"][0] <= record["stateTimes"][-1]


def test_players_hear_what_ggp_base_would_say(take: Any) -> None:
    with Peer(saying("ready", "(take 1)")) as left, Peer(saying("ready", "(take 1)")) as right:
        match = play_match(take, "take", [left.name, right.name], AMPLE)
        start, first, second, *_, last = [messages.read(text) for text in right.heard]
        assert (start.kind, start.match, start.role, start.start_clock, start.play_clock) == (
            "start",
            match.id,
            "right",
            600,
            600,
        )
        assert load(start.rules).roles == ("left", "right")
        assert (first.kind, first.moves) == ("play", None)
        assert (second.kind, second.moves) == ("play", ("( take 1 )", "noop"))
        assert (last.kind, last.moves) == ("stop", tuple(match.moves[-1]))


def test_chance_is_played_by_the_manager(compiled: None) -> None:
    game = load(GUESS)
    matches = [play_match(game, "guess", ["random"], AMPLE, seed) for seed in range(12)]
    for match in matches:
        check(match, game)
        assert match.players == ["random", "random"]
        assert match.errors == [["", ""]] * 2
    assert {match.moves[0][0] for match in matches} == {f"( name {n} )" for n in (1, 2, 3)}


@pytest.mark.parametrize("answer", ["(take 1)", "( TAKE  1 )", "(take\n1)  ; I think"])
def test_moves_are_understood_however_they_are_written(answer: str, take: Any) -> None:
    with Peer(saying("READY", answer)) as peer:
        match = play_match(take, "take", [peer.name, "random"], AMPLE)
        assert match.moves[0][0] == "( take 1 )"
        assert match.errors[:2] == [["", ""], ["", ""]]


@pytest.mark.parametrize(
    ("behave", "error"),
    [
        (saying("ready", "( take 3 )"), "IL ( take 3 )"),
        (saying("ready", "( TAKE 7 )"), "IL ( take 7 )"),
        (saying("ready", "((((("), "IL ((((("),
        (saying("ready", ""), "IL"),
        (saying("ready", "busy"), "IL busy"),
        (saying("ready", "(take 1) (take 2)"), "IL (take 1) (take 2)"),
        (dying, "CE"),
        (malformed, "CE"),
        (flooding, "CE"),
    ],
)
def test_a_random_legal_move_for_those_who_lie_or_die(behave: Any, error: str, take: Any) -> None:
    with Peer(behave) as peer:
        match = play_match(take, "take", [peer.name, "random"], AMPLE)
        check(match, take)
        assert match.completed
        assert match.errors[1] == [error, ""]
        assert match.to_json()["errors"][1][0] == error


@pytest.mark.parametrize("behave", [silent, dripping])
def test_a_random_legal_move_for_those_who_are_late(behave: Any, compiled: None) -> None:
    game = load(PENNIES)
    with Peer(behave) as peer:
        match = play_match(game, "pennies", ["random", peer.name], Clocks(1, 3))
        check(match, game)
        assert match.completed
        assert match.errors == [["", "TO"], ["", "TO"]]


@pytest.mark.parametrize(("grace", "error"), [(600.0, ""), (0.2, "TO")])
def test_the_play_clock_has_some_grace_but_no_more(
    grace: float, error: str, take: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert GRACE == 1.0  # as in ggp-base
    monkeypatch.setattr("ludus.ggp.match.GRACE", grace)
    over = threading.Event()

    def slow(connection: Any, message: str) -> None:
        if "NIL" in message:
            over.wait(1.5 if grace > 1 else 60)
        connection.sendall(http("ready" if "START" in message else "(take 1)"))

    with Peer(slow) as peer:
        played = play_match(take, "take", [peer.name, "random"], Clocks(600, 1))
        assert played.errors[1] == [error, ""]
    over.set()


def test_a_player_that_refuses_to_start_is_noted(take: Any) -> None:
    with Peer(saying("busy", "(take 1)")) as peer:
        assert play_match(take, "take", [peer.name, "random"], AMPLE).errors[0] == ["busy", ""]


def test_the_same_seed_gives_the_same_substitutes(take: Any) -> None:
    with Peer(dying) as one, Peer(malformed) as two:

        def moves(seed: int) -> list[list[str]]:
            return play_match(take, "take", [one.name, two.name], AMPLE, seed).moves

        assert moves(5) == moves(5)
        assert len({str(moves(seed)) for seed in range(8)}) > 1


def test_a_match_without_end_is_aborted(compiled: None) -> None:
    game = load(
        "(role a) (init x) (legal a go) (<= (next x) (true x)) (<= terminal (true y)) (<= (next y) (true z)) (goal a 50)"
    )
    match = Match(game, "endless", ["random"], AMPLE)
    Course(match, game, contestants(["random"], game, 1), max_steps=5).run()
    assert (match.status, match.steps) == ("aborted", 5)
    assert "did not end within 5 steps" in match.failure


def test_stopping_a_match_tells_the_players(take: Any) -> None:
    aborted = threading.Event()

    def behave(connection: Any, message: str) -> None:
        if "ABORT" in message:
            aborted.set()
        elif "START" in message:
            connection.sendall(http("ready"))
        else:
            stop.set()
            aborted.wait(60)

    stop = threading.Event()
    with Peer(behave) as peer:
        match = Match(take, "take", [peer.name, "random"], Clocks(10, 60))
        Course(match, take, contestants([peer.name, "random"], take, 1), stop=stop).run()
        assert aborted.wait(30)
    assert match.aborted
    assert not match.completed


@pytest.mark.parametrize(
    ("names", "complaint"),
    [
        (["random"], "the game has 2 roles (left, right), but 1 player was given"),
        (["random", "randon"], "unknown player 'randon'; did you mean 'random'?"),
        (["random", "here:99999"], "'here:99999' is no address of a player"),
        (["a:1", "a:1"], "a:1 is given for two roles"),
    ],
)
def test_what_is_wrong_with_a_choice_of_players(names: list[str], complaint: str, take: Any) -> None:
    with pytest.raises(LudusError, match=re.escape(complaint)):
        play_match(take, "take", names, AMPLE)


# --- the database ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_each_step_is_stored_when_it_is_made(kind: str, take: Any, tmp_path: Path) -> None:
    place = new_place(kind, tmp_path)
    store = Store(place)
    seen = []

    def hear(match: Match) -> None:
        store.save(match)
        other = Store(place)  # as if we were interrupted now
        seen.append(other.match(match.id))
        other.close()

    match = play_match(take, "take", ["random", "random"], AMPLE, hear=hear)
    assert store.match(match.id) == match.to_json() == seen[-1]
    assert [len(record["moves"]) for record in seen[1:-1]] == list(range(match.steps))
    assert all(not record["isCompleted"] for record in seen[:-1])
    (result,) = store.results()
    assert (result["status"], result["goalValues"], result["steps"]) == ("completed", match.goals, match.steps)


def test_an_interrupted_match_keeps_what_was_played(take: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "ggp.sqlite")

    def hear(match: Match) -> None:
        store.save(match)
        if match.steps == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match(take, "take", ["random", "random"], AMPLE, hear=hear)
    (result,) = store.results()
    assert (result["status"], result["steps"]) == ("aborted", 1)


def test_other_files_are_not_taken_for_databases(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database" * 1000)
    other = sqlite3.connect(tmp_path / "other")
    other.execute("create table t (x)")
    other.close()
    newer = sqlite3.connect(tmp_path / "newer")
    newer.execute("pragma user_version = 99")
    newer.close()
    for name, complaint in [
        ("text", "not a database"),
        ("other", "not one of ludus"),
        ("newer", "version 99"),
        (".", "can't use"),
    ]:
        with pytest.raises(LudusError, match=complaint):
            Store(tmp_path / name)
    with pytest.raises(LudusError, match="there is no match 'm'"):
        Store(tmp_path / "new").match("m")


# --- tournaments -----------------------------------------------------------------------------------------------------


def test_roles_rotate_in_a_tournament(take: Any) -> None:
    plan = Plan("cup", [("take", take), ("guess", load(GUESS))], ["a", "b", "c"], rounds=2)
    fixtures = list(plan.fixtures())
    assert len(fixtures) == 2 * (6 + 3)
    for player in plan.players:
        for role in (0, 1):
            assert sum(f.game == 0 and f.players[role] == player for f in fixtures) == 4
        assert sum(f.game == 1 and f.players == (player,) for f in fixtures) == 2


def test_a_tournament_has_a_table(take: Any) -> None:
    with Peer(saying("ready", "nonsense")) as peer:
        results = play_tournament(Plan("cup", [("take", take)], [peer.name, "random"], 2, AMPLE))
        table = {standing.player: standing for standing in standings(results)}
        assert [table[name].matches for name in (peer.name, "random")] == [4, 4]
        assert table[peer.name].mean + table["random"].mean == 100
        assert table[peer.name].errors > 0
        assert table["random"].errors == 0
        assert 0 <= table["random"].low <= table["random"].mean <= table["random"].high <= 100


# --- the server ------------------------------------------------------------------------------------------------------


@pytest.fixture
def manager(tmp_path: Path, take: Any) -> Iterator[Callable[..., Any]]:
    """A manager behind a port; call it with a path, and a body to POST."""
    made = Manager(Store(tmp_path / "ggp.sqlite"), grounding_seconds=20)
    with serve_manager(made, port=0) as server:

        def ask(path: str, body: Any = None, method: str | None = None, **headers: str) -> tuple[int, Any]:
            data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", data, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    text, status, kind = answer.read().decode(), answer.status, answer.headers["Content-Type"]
            except urllib.error.HTTPError as answer:
                text, status, kind = answer.read().decode(), answer.code, answer.headers["Content-Type"]
            return status, json.loads(text) if kind == "application/json" else text

        ask.port = server.port  # type: ignore[attr-defined]
        yield ask
        made.close()


def ended(manager: Callable[..., Any], path: str) -> Any:
    while True:
        _, record = manager(path)
        if record.get("isCompleted") or record.get("isAborted") or record.get("running") is False:
            return record
        time.sleep(0.05)


def test_two_matches_at_once(manager: Callable[..., Any], take: Any) -> None:
    meeting = threading.Barrier(2, timeout=60)

    def wait_for_the_other(connection: Any, message: str) -> None:
        if "PLAY" in message and "NIL" in message:
            meeting.wait()  # passes only if both matches are under way
        connection.sendall(http("ready" if "START" in message else "(take 2)"))

    with Peer(wait_for_the_other) as one, Peer(wait_for_the_other) as two:
        wishes = [{"sheet": TAKE, "name": "take", "players": [peer.name, "random"], "play": 30} for peer in (one, two)]
        answers = [manager("/matches", wish) for wish in wishes]
        assert [status for status, _ in answers] == [201, 201]
        records = [ended(manager, f"/matches/{answer['matchId']}") for _, answer in answers]
    for record in records:
        assert record["isCompleted"]
        assert record["moves"][0] == ["( take 2 )", "noop"]
        assert record["errors"][1] == ["", ""]
    _, listed = manager("/matches")
    assert {row["matchId"] for row in listed["matches"]} == {record["matchId"] for record in records}


def test_a_match_can_be_watched_and_aborted(manager: Callable[..., Any]) -> None:
    over = threading.Event()
    with Peer(lambda c, m: c.sendall(http("ready")) if "START" in m else over.wait(60)) as peer:
        wish = {"sheet": TAKE, "players": [peer.name, "random"], "play": 60}
        _, answer = manager("/matches", wish)
        name = answer["matchId"]
        assert manager("/matches", wish) == (
            400,
            {"error": f"{peer.name} is playing in {name}; a GGP player plays one match at a time"},
        )
        while manager(f"/matches/{name}/state")[1]["state"] is None:
            time.sleep(0.05)
        live = manager(f"/matches/{name}/state")[1]
        assert (live["status"], live["step"], live["state"]) == ("running", 0, "( ( control left ) ( pile 4 ) )")
        assert name in manager("/matches")[1]["underWay"]
        assert manager(f"/matches/{name}", method="DELETE")[0] == 200
        assert ended(manager, f"/matches/{name}")["isAborted"]
    over.set()


def test_a_tournament_by_http(manager: Callable[..., Any]) -> None:
    wish = {
        "sheets": {"take": TAKE, "pennies": PENNIES},
        "players": ["random", "random"],
        "rounds": 2,
        "play": 1,
        "name": "cup",
    }
    status, answer = manager("/tournaments", wish)
    assert (status, answer["matches"]) == (201, 8)
    record = ended(manager, f"/tournaments/{answer['tournament']}")
    assert record["matches"] == record["planned"] == 8
    assert record["standings"][0]["matches"] == 16
    assert answer["tournament"] in manager("/tournaments")[1]["tournaments"]


def test_a_tournament_is_not_over_before_all_of_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may end while somebody looks at it."""
    made, go = Manager(Store(tmp_path / "ggp.sqlite")), threading.Event()
    results = made.store.results

    def read_and_wait(*arguments: Any) -> Any:
        found = results(*arguments)
        go.set()
        while made.under_way():
            time.sleep(0.01)
        return found

    def behave(connection: Any, message: str) -> None:
        go.wait(60)
        connection.sendall(http("ready" if "START" in message else "(take 1)"))

    with Peer(behave) as peer:
        plan = made.start_tournament({"sheets": {"take": TAKE}, "players": [peer.name, "random"], "play": 60})
        monkeypatch.setattr(made.store, "results", read_and_wait)
        first, then = made.tournament(plan.name), made.tournament(plan.name)
    assert first["running"]
    assert first["matches"] < plan.size()
    assert (then["running"], then["matches"]) == (False, plan.size())
    made.close()


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"(" * 10_000_000, "longer than"),
        (b"[" * 1_000_000, "no JSON"),
        (b"{}", "give either"),
        ({"game": "../../etc/passwd", "players": ["random"]}, "not the name of a shipped game"),
        ({"game": "backgammon", "players": ["random", "random"]}, "not a GDL game"),
        ({"sheet": "(role", "players": ["random"]}, "line 1"),
        ({"sheet": "(" * 100_000, "players": ["random"]}, ""),
        ({"sheet": TAKE, "players": "random"}, '"players" must be a list'),
        ({"sheet": TAKE, "players": ["random"]}, "the game has 2 roles"),
        ({"sheet": TAKE, "players": ["td:/etc/passwd", "random"]}, "names a file"),
        ({"sheet": TAKE, "players": ["random", "random"], "play": -1}, '"play" must be a number of seconds'),
        ({"sheet": TAKE, "players": ["random", "random"], "clock": 1}, "unknown key 'clock'"),
    ],
    ids=[
        "10 MB",
        "deep JSON",
        "nothing",
        "a file",
        "no sheet",
        "bad sheet",
        "parentheses",
        "no list",
        "too few",
        "a model",
        "clock",
        "key",
    ],
)
def test_what_can_not_be_played_is_refused_and_serving_goes_on(
    body: Any, complaint: str, manager: Callable[..., Any]
) -> None:
    if isinstance(body, bytes) and len(body) > 5_000_000:
        answer = raw(manager.port, b"POST /matches HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)  # type: ignore[attr-defined]
        assert answer.startswith(b"HTTP/1.0 413")
        assert complaint.encode() in answer
    else:
        status, answer = manager("/matches", body)
        assert status == 400
        assert complaint in answer["error"]
    assert manager("/matches") == (200, {"matches": [], "underWay": []})


def test_other_places_and_other_sites(manager: Callable[..., Any]) -> None:
    assert manager("/nowhere")[0] == manager("/matches/none")[0] == manager("/tournaments/none")[0] == 404
    assert (
        manager("/matches", {"sheet": TAKE, "players": ["random", "random"]}, Origin="http://elsewhere.example")[0]
        == 403
    )
    assert manager("/matches")[1]["matches"] == []


# --- commands --------------------------------------------------------------------------------------------------------


def command(*arguments: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["ggp", *map(str, arguments)])
    return ended.value.code  # type: ignore[return-value]


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    (tmp_path / "take.kif").write_text(TAKE)
    return tmp_path / "take.kif"


def test_a_match_from_the_command_line(sheet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database, out = tmp_path / "d.sqlite", tmp_path / "match.json"
    options = ["--players", "random,random", "--play", 1, "--database", database]
    assert command("match", sheet, *options, "--out", out, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record == json.loads(out.read_text())
    assert (record["gameName"], record["isCompleted"]) == ("take", True)
    assert command("results", "--database", database, "--json") == 0
    assert [row["matchId"] for row in json.loads(capsys.readouterr().out)] == [record["matchId"]]
    assert command("results", record["matchId"], "--database", database) == 0
    assert json.loads(capsys.readouterr().out) == record
    assert command("match", sheet, *options) == 0
    assert "completed after" in capsys.readouterr().out
    assert command("results", "--database", database) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_tournament_from_the_command_line(sheet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--players", "random,random", "--rounds", 2, "--play", 1, "--database", tmp_path / "d.sqlite"]
    assert command("tournament", sheet, *options, "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["planned"] == len(answer["results"]) == 4
    assert command("tournament", sheet, *options) == 0
    assert "mean goal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("match none.kif --players random,random", "there is no rulesheet"),
        ("match backgammon --players random,random", "'backgammon' is not a GDL game"),
        ("match tictactoe --players random", "the game has 2 roles"),
        ("match tictactoe", "Missing option '--players'"),
        ("match tictactoe --players random,random --play 0", "--play 0: a clock in seconds is a whole number"),
        ("player --player randon", "unknown player 'randon'; did you mean 'random'?"),
        ("results --database none.sqlite", "there is no database none.sqlite"),
        ("plyer", "unknown command 'plyer'; did you mean 'player'"),
    ],
)
def test_bad_commands(
    line: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(*line.split()) == 2
    assert complaint in capsys.readouterr().err
    assert not list(tmp_path.glob("none*"))


@pytest.mark.parametrize(
    ("name", "options", "ending"),
    [
        ("player", ["--player", "random"], signal.SIGINT),
        ("player", ["--player", "mcts"], signal.SIGTERM),
        ("serve", ["--database"], signal.SIGTERM),
    ],
)
def test_ctrl_c_and_kill_end_a_server(name: str, options: list[str], ending: signal.Signals, tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "ludus.cli.main", "ggp", name, "--port", "0", *options]
    if name == "serve":
        arguments.append(str(tmp_path / "d.sqlite"))
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"127\.0\.0\.1:(\d+)", line)
    assert found, line
    if name == "player":
        assert tell(int(found[1]), "(INFO)") in [f"((name ludus) (status {word}))" for word in ("available", "busy")]
    else:
        for path in ("matches", "api/matches"):
            assert httpx.get(f"http://localhost:{found[1]}/{path}", timeout=60).json() == {
                "matches": [],
                "underWay": [],
            }
    process.send_signal(ending)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors.splitlines()[-1].endswith("has stopped")
    assert "Traceback" not in errors
