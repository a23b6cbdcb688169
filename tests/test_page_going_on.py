"""What happens in the middle of games: taking back, a reload, a second browser, a server that dies, and others' games to watch."""

from __future__ import annotations

import json
import re
import socket
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import Route, WebSocketRoute, expect

from browsing import WAIT, Keys, Names, Person, Visit, sit
from ggp_peers import Peer, http
from serving import Serving
from test_serve import SHEET

pytest_plugins = ("page_fixtures",)

expect.set_options(timeout=WAIT)

ROWS = ("xox", "xoo", "ox ")  # one cell is left
ONE_CELL_LEFT = "( control xplayer ) " + " ".join(
    f"( cell {x} {y} {sign}player )" for x, row in enumerate(ROWS, 1) for y, sign in enumerate(row, 1) if sign != " "
)
# A move without a choice is made after 150 ms; here when it is called for.
HOLD_AUTOPLAY = """
const start = window.setTimeout;
window.setTimeout = (work, time, ...more) => start(time === 150 ? () => (window.autoplay = work) : work, time, ...more);
"""
CLICK_AND_AUTOPLAY = """() => {
  const place = document.querySelector('.board [aria-label$="can move here"]');
  const { left, top, width, height } = place.getBoundingClientRect();
  const where = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, pointerId: 1, pointerType: "mouse" };
  for (const kind of ["pointerdown", "pointerup"]) place.dispatchEvent(new PointerEvent(kind, where));
  window.autoplay();
}"""
TWO_ON_THE_BAR = "XGID=-b----E-C---eE---c-e-----B:0:0:1:44:0:0:0:0:10"


def test_one_click_from_the_first_page_to_a_game(server: Serving, visit: Visit) -> None:
    person = visit()
    person.go()
    person.page.get_by_role("button", name="Play Quoridor").click()
    assert "e1, yellow's pawn, can move" in person.see()["possible"]
    expect(person.page.get_by_role("listitem").filter(has_text="Computer, medium")).to_be_visible()


def test_a_game_is_set_up_with_the_keyboard(server: Serving, visit: Visit) -> None:
    person = visit(Keys())
    person.go("#/new?game=quoridor")
    page = person.page
    page.get_by_label("Board", exact=True).press("3")
    page.get_by_label("Strength").press("b")
    page.get_by_label("Name").first.fill("Ada")
    page.get_by_role("button", name="Play", exact=True).press("Enter")
    person.see()
    (row,) = server.get("tables", player="Ada")["tables"]
    assert row["game"] == "quoridor(size=3)"
    expect(page.get_by_role("listitem").filter(has_text="Computer, beginner")).to_be_visible()


def test_a_board_of_quoridor_may_be_a_rectangle(server: Serving, visit: Visit) -> None:
    person = visit()
    person.go("#/new?game=quoridor")
    page = person.page
    page.get_by_label("Board", exact=True).select_option("4")
    page.get_by_text("More rules").click()
    expect(page.get_by_label("Columns").locator("option:checked")).to_have_text("as many as rows")
    page.get_by_label("Columns").select_option("3")
    page.get_by_role("button", name="Play", exact=True).click()
    assert "b1, yellow's pawn, can move" in person.see()["possible"]
    made = server.get(f"tables/{page.url.partition('/table/')[2]}")
    assert made["game"] == "quoridor(size=4,columns=3)"


def test_taking_back_goes_to_the_choice_before(server: Serving, visit: Visit) -> None:
    person = visit()
    table = server.new("connectfour", "person", "random", seed=2)
    sit(person, table)
    first = person.see()
    person.act(first)
    assert person.see(first["all"])["possible"]
    assert table.refresh()["ply"] == 2
    person.page.get_by_role("button", name="Undo", exact=True).click()
    expect(person.page.get_by_text("Nothing was played yet.")).to_be_visible()
    assert table.refresh()["ply"] == 0
    person.play()
    assert person.result() == table.refresh()["result"]["text"]


def test_a_roll_alone_can_not_be_taken_back(server: Serving, visit: Visit) -> None:
    person = visit()
    table = server.new("backgammon", "person", "random", seed=7)
    sit(person, table)
    undo = person.page.get_by_role("button", name="Undo", exact=True)
    sight = person.see()
    expect(undo).to_be_disabled()
    ply = table.refresh()["ply"]
    while table.refresh()["ply"] == ply:
        person.act(sight)
        sight = person.see(sight["all"])
    expect(undo).to_be_enabled()


def test_news_that_change_nothing_leave_a_piece_in_the_hand(server: Serving, visit: Visit) -> None:
    """As when the connection comes back, and all is told again."""
    person = visit()
    told: list[str | bytes] = []
    sockets: list[WebSocketRoute] = []

    def listen(route: WebSocketRoute) -> None:
        def hear(message: str | bytes) -> None:
            told.append(message)
            route.send(message)

        route.connect_to_server().on_message(hear)
        sockets.append(route)

    person.page.route_web_socket("**/api/live", listen)
    table = server.new("backgammon", "person", "person", seed=7)
    for seat in (0, 1):
        sit(person, table, seat)
    sight = person.see()
    person.act(sight)
    taken = person.see(sight["all"])
    assert all(name.endswith("can move here") for name in taken["possible"])
    (again,) = [text for text in told if '"type":"table"' in str(text)][-1:]
    sockets[-1].send(again)
    sockets[-1].send(json.dumps({"type": "error", "id": table.id, "error": "Told again."}))
    expect(person.page.get_by_text("Told again.")).to_be_visible()
    assert person.see()["possible"] == taken["possible"]


def test_an_answer_that_comes_late_does_not_undo_what_was_touched_since(server: Serving, visit: Visit) -> None:
    """Somebody touches a piece twice, as the first time seems to come to nothing, and goes on before all answers are there."""
    person = visit(Names())
    held: list[Route] = []

    def hold(route: Route) -> None:
        route.fallback() if held else held.append(route)

    person.page.route("**/view?*touched=*", hold)
    sit(person, server.new("backgammon", "person", "random", position=TWO_ON_THE_BAR))
    touched = person.page.locator(".status .question p")
    bar = person.see()["possible"][0]
    with person.page.expect_request("**/view?*touched=*"):
        person.hand.touch(person.page, bar)
    person.hand.touch(person.page, bar)
    expect(touched).to_have_text("bar/21")
    person.hand.touch(person.page, person.see()["possible"][0])
    expect(touched).to_have_text("bar/21 bar/21")
    with person.page.expect_response("**/view?*touched=*"):
        held[0].fallback()
    person.page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    expect(touched).to_have_text("bar/21 bar/21")


def test_a_move_that_plays_itself_while_somebody_makes_it_is_sent_once(server: Serving, visit: Visit) -> None:
    """Its moment comes when the hand has sent the move, and the page has not drawn that yet."""
    person = visit()
    sent: list[str] = []
    person.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    person.page.add_init_script(HOLD_AUTOPLAY)
    sit(person, server.new("tictactoe", "person", "person", position=ONE_CELL_LEFT))
    person.page.wait_for_function("() => window.autoplay")
    person.page.evaluate(CLICK_AND_AUTOPLAY)
    expect(person.page.locator(".ended")).to_be_visible()
    assert [url.rpartition("/")[2] for url in sent] == ["moves"]


def test_half_a_turn_can_be_taken_back_step_by_step(server: Serving, visit: Visit) -> None:
    person = visit()
    sit(person, server.new("backgammon", "person", "random", position="4HPwATDgc/ABMA", seed=3))
    undo, turns = person.page.get_by_role("button", name="Undo step"), []

    def half_done(sight: dict[str, Any]) -> bool:
        if not undo.count() and "picked up" not in sight["all"]:
            turns.append(sight["all"])
        return undo.count() > 0

    person.play(until=half_done)
    undo.click()
    expect(undo).to_have_count(0)
    assert person.see()["all"] == turns[-1]


def test_a_reload_in_mid_game_changes_nothing(server: Serving, visit: Visit) -> None:
    person = visit()
    table = server.new("ludo(seats=2)", "person", "random", seed=4)
    sit(person, table)
    before = person.play(until=lambda sight: len(sight["possible"]) > 1)
    assert "key" not in person.page.url, "whoever copies the address gives no seat away"
    person.page.reload()
    assert person.see()["all"] == before["all"]
    person.act(before)
    assert person.see(before["all"])["all"] != before["all"]


def test_two_browsers_on_one_game(server: Serving, visit: Visit) -> None:
    host, guest = visit(), visit(seed=2)
    host.go("#/new?game=tictactoe")
    host.page.get_by_role("group", name="Oplayer").get_by_label("Person elsewhere").check()
    host.page.get_by_role("button", name="Play", exact=True).click()
    host.page.get_by_role("button", name="Invite").click()
    guest.page.goto(host.page.get_by_label("Invitation to play oplayer").input_value())
    host.page.get_by_role("button", name="Close").click()
    take_turns(host, guest)
    assert host.result() == guest.result()


def take_turns(*people: Person) -> None:
    while True:
        for person in people:
            sight = person.see()
            if sight["over"]:
                return
            person.act(sight)


def test_another_person_is_asked_before_a_move_is_taken_back(server: Serving, visit: Visit) -> None:
    table = server.new("tictactoe", "person", "person")
    one, other = visit(), visit()
    sit(one, table, 0)
    sit(other, table, 1)
    one.act(one.see())
    other.see()
    one.page.get_by_role("button", name="Undo", exact=True).click()
    other.page.get_by_role("button", name="Allow").click()
    assert len(one.see()["possible"]) == 9
    assert table.refresh()["ply"] == 0


def test_giving_up_and_playing_again(server: Serving, visit: Visit) -> None:
    person = visit()
    table = server.new("quoridor(size=5)", "person", "beginner")
    sit(person, table)
    person.resign()
    expect(person.page.locator(".ended")).to_contain_text("yellow gives up: green wins.")
    person.page.get_by_role("button", name="Rematch").click()
    expect(person.page.get_by_role("heading", level=1)).to_have_text(re.compile("against You"))
    assert person.see()["possible"]


def test_a_rulesheet_is_pasted(server: Serving, visit: Visit) -> None:
    person = visit()
    person.forgive("400")  # the browser tells of every refusal
    person.go("#/new?sheet=1")
    rules = person.page.get_by_label("Rules")
    rules.fill("(role you")
    person.page.get_by_role("button", name="Use these rules").click()
    expect(person.page.get_by_role("alert")).to_contain_text("is never closed")
    rules.fill(SHEET)
    person.page.get_by_role("button", name="Use these rules").click()
    expect(person.page.get_by_text("is ready: you, me.")).to_be_visible()
    person.page.get_by_role("button", name="Play", exact=True).click()
    rematch, field = person.page.get_by_role("button", name="Rematch"), person.page.locator(".writing input:enabled")
    board = person.page.locator(".board")
    while True:
        expect(rematch.or_(field)).to_be_visible()
        if rematch.count():
            break
        ply = board.get_attribute("data-ply") or ""
        person.page.get_by_role("list", name="Legal moves").get_by_role("button", name="step").click()
        expect(board).not_to_have_attribute("data-ply", ply)  # the machine may have answered before anybody looks
    assert person.result() == "you wins, 1 point."


def test_a_match_of_the_manager_is_watched_live(server: Serving, visit: Visit) -> None:
    seen = threading.Event()  # a player over the network waits until the page shows its match, and then moves wrongly

    def behave(connection: socket.socket, message: str) -> None:
        if "START" not in message:
            seen.wait(300)
        connection.sendall(http("ready" if "START" in message else "( mark 9 9 )"))

    person = visit()
    person.go("#/matches")
    page = person.page
    with Peer(behave) as peer:
        page.get_by_label("Players", exact=True).fill(f"{peer.name}, random")
        page.get_by_label("Seconds a move").fill("300")
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("heading", name="Under way")).to_be_visible()
        rows = page.get_by_role("region", name="Steps").get_by_role("row")
        early = rows.count()
        seen.set()
        expect(page.get_by_role("heading", name="Completed")).to_be_visible()
    assert rows.count() > early, "it was shown while it was played"
    match = server.get(f"matches/{page.url.rpartition('/')[2]}")
    expect(rows).to_have_count(2 + len(match["moves"]))
    expect(rows.filter(has_text="IL ( mark 9 9 )").first).to_be_visible()
    assert page.locator(".score").all_inner_texts() == [str(goal) for goal in match["goalValues"]]


def test_several_boards_at_once(server: Serving, visit: Visit) -> None:
    tables = [server.new(game, "random", "random", pace=0.5) for game in ("tictactoe", "quoridor(size=3)")]
    person = visit()
    person.go(f"#/boards?ids={','.join(table.id for table in tables)}")
    boards = person.page.locator(".small-board")
    expect(boards).to_have_count(2)
    for number, table in enumerate(tables):
        table.wait_for(99)
        expect(boards.nth(number)).to_contain_text(table.table["result"]["text"])


def test_the_page_recovers_by_itself_when_the_server_was_killed(visit: Visit, tmp_path: Path) -> None:
    server = Serving(tmp_path)
    person = visit(url=server.url)
    for part in ("net::ERR_", "WebSocket connection"):
        person.forgive(part)
    table = server.new("backgammon", "person", "random", seed=6)
    sit(person, table)

    def has_a_choice(sight: dict[str, Any]) -> bool:
        """Late enough, and nothing plays itself while the server is away."""
        return len(table.refresh()["steps"]) > 6 and len(table.look(seat=0)["moves"]) > 1

    before = person.play(until=has_a_choice)
    lost = person.page.get_by_text("The connection is lost.")
    server.kill()
    expect(lost).to_be_visible()
    server.start()
    expect(lost).to_be_hidden()
    steps = table.refresh()["steps"]
    assert person.see()["all"] == before["all"]
    person.play(until=lambda sight: len(table.refresh()["steps"]) > len(steps) + 6)
    assert table.refresh()["steps"][: len(steps)] == steps
    server.stop()
