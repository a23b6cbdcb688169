"""A game manager as a server: several matches and tournaments at once, by HTTP and JSON. People see them on the page of `ludus serve`.

What is played lives in the database; here is only what is under way. Whoever reaches the port can start matches, so it
listens on this machine alone unless told otherwise, reads no files, and does nothing for other sites' pages.
"""

from __future__ import annotations

import gc
import ipaddress
import json
import re
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

from ludus.errors import LudusError, unknown
from ludus.games import game as game_of_name
from ludus.ggp.loading import Load, Loader, load_rules
from ludus.ggp.match import Course, contestants, is_address
from ludus.ggp.record import Clocks, Match
from ludus.ggp.store import Store
from ludus.ggp.tournament import Plan, play_tournament, standings
from ludus.ggp.wire import Reply, Request, Server
from ludus.players import code_in
from ludus.spec import parse

MAX_UNDER_WAY = 16  # matches and tournaments
MAX_FIXTURES = 10_000
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANYWHERE = ("0.0.0.0", "::", "")  # addresses to listen on that mean all of a machine's


class _Work(NamedTuple):
    """A match or a tournament under way."""

    thread: threading.Thread
    stop: threading.Event
    addresses: set[str]  # of players, who are busy with it


class Manager:
    """Starts matches and tournaments, each in a thread of its own."""

    def __init__(
        self,
        store: Store,
        *,
        grounding_seconds: float = 60.0,
        memory: int = 4000,
        load: Load = load_rules,
        names: Iterable[str] = (),
    ) -> None:
        self.store = store
        self.names = {*LOOPBACK, *map(str.lower, names)}  # by which it may be called in a URL
        self.address = ("127.0.0.1", 9080)  # where it listens
        self.grounding_seconds = grounding_seconds
        self._loader = Loader(load, memory)
        self._lock = threading.Lock()
        self._under_way: dict[str, _Work] = {}
        self._plans: dict[str, Plan] = {}

    # --- what can be asked for

    def start_match(self, wish: dict[str, Any]) -> Match:
        """Start a match: {"game": name} or {"sheet": rules}, "players", "start", "play", "seed"."""
        _check(wish, ("game", "sheet", "name", "players", "start", "play", "seed"))
        name, game = self._game(wish)
        players, clocks, seed = _players(wish), _clocks(wish), _whole(wish, "seed", 1)
        seated = contestants(players, game, seed)
        match = Match(game, name, players, clocks, seed)
        stop = threading.Event()
        self.store.save(match)
        self._begin(match.id, players, stop, Course(match, game, seated, self.store.save, stop).run)
        return match

    def start_tournament(self, wish: dict[str, Any]) -> Plan:
        """Start a tournament: "games" (names) or "sheets" (name: rules), "players", "rounds", "start", "play", "seed"."""
        _check(wish, ("games", "sheets", "name", "players", "rounds", "start", "play", "seed"))
        names, sheets = wish.get("games", []), wish.get("sheets", {})
        if not isinstance(names, list) or not isinstance(sheets, dict):
            raise LudusError("games must be a list of names, and sheets an object with a rulesheet for each name")
        games = [self._game({"game": name}) for name in names]
        games += [self._game({"sheet": text, "name": name}) for name, text in sheets.items()]
        title = re.sub(r"[^A-Za-z0-9_.-]+", "_", str(wish.get("name", "tournament")))[:60]
        plan = Plan(
            f"{title}.{time.time_ns() // 1_000_000}", games, _players(wish), _whole(wish, "rounds", 1), _clocks(wish),
            _whole(wish, "seed", 1),
        )  # fmt: skip
        if plan.size() > MAX_FIXTURES:
            raise LudusError(f"that makes {plan.size():,} matches; at most {MAX_FIXTURES:,} are possible")
        for fixture in islice(plan.round(), len(plan.players) * len(games) * 4):  # what is wrong with a name shows now
            contestants(fixture.players, games[fixture.game][1], plan.seed)
        stop = threading.Event()
        self._begin(plan.name, plan.players, stop, lambda: play_tournament(plan, self.store.save, stop))
        self._plans[plan.name] = plan
        return plan

    def abort(self, name: str) -> None:
        """Abort a match or a tournament that is under way."""
        with self._lock:
            work = self._under_way.get(name)
        if work is None:
            raise LudusError(f"no match or tournament '{name}' is under way")
        work.stop.set()

    def under_way(self) -> list[str]:
        """What is being played."""
        with self._lock:
            return [name for name, work in self._under_way.items() if work.thread.is_alive()]

    def tournament(self, name: str) -> dict[str, Any]:
        """How a tournament stands."""
        running = name in self.under_way()
        results = self.store.results(MAX_FIXTURES, name)
        if not results and name not in self._plans:
            raise LudusError(f"there is no tournament '{name}'")
        plan = self._plans.get(name)
        return {
            "name": name,
            "running": running,
            "matches": len(results),
            "planned": plan.size() if plan else None,
            "standings": [standing.to_json() for standing in standings(results)],
            "results": results,
        }

    def close(self) -> None:
        """Abort all that is under way, and wait until it is stored."""
        with self._lock:
            works = list(self._under_way.values())
        for work in works:
            work.stop.set()
        for work in works:
            work.thread.join(10.0)

    def _begin(self, name: str, players: Any, stop: threading.Event, run: Callable[[], Any]) -> None:
        addresses = {player for player in players if is_address(player)}
        with self._lock:
            self._under_way = {key: work for key, work in self._under_way.items() if work.thread.is_alive()}
            if len(self._under_way) >= MAX_UNDER_WAY:
                raise LudusError(f"{MAX_UNDER_WAY} matches are under way; wait until one has ended")
            for key, work in self._under_way.items():
                if taken := addresses & work.addresses:
                    raise LudusError(f"{min(taken)} is playing in {key}; a GGP player plays one match at a time")

            def run_and_clean_up() -> None:
                run()
                gc.collect()  # between matches there is time for it

            thread = threading.Thread(target=run_and_clean_up, name=name, daemon=True)
            self._under_way[name] = _Work(thread, stop, addresses)
            thread.start()

    def _game(self, wish: dict[str, Any]) -> tuple[str, Any]:
        if ("game" in wish) == ("sheet" in wish):
            raise LudusError('give either "game", the name of a shipped rulesheet, or "sheet", its text')
        if "game" in wish:
            name = str(wish["game"])
            if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
                raise LudusError(
                    f"'{name[:60]}' is not the name of a shipped game; send the text of others as \"sheet\""
                )
            return name, need_gdl(name, game_of_name(name))
        loading = self._loader.begin(str(wish["sheet"]), self.grounding_seconds)
        if loading is None:
            raise LudusError("too many rulesheets are being loaded; try again soon")
        if not loading.done.wait(2 * self.grounding_seconds):
            raise LudusError(f"the rulesheet was not ready within {2 * self.grounding_seconds:g} s")
        if loading.error is not None:
            raise LudusError(loading.error)
        return str(wish.get("name", "sheet"))[:60], loading.game

    # --- HTTP

    def answer(self, request: Request) -> Reply:
        """The answer to a request."""
        host = request.headers.get("host", "")
        if host and not self._is_ours(host):  # a page of another site, whose name was made to lead here
            error = f"'{host[:80]}' is no name of this manager; --allow-host allows one"
            return _json({"error": error}, 403)
        origin = request.headers.get("origin")
        if request.method != "GET" and origin and urllib.parse.urlsplit(origin).netloc != host:
            return _json({"error": "pages of other sites may not start matches here"}, 403)
        path = [urllib.parse.unquote(part) for part in request.target.split("?")[0].strip("/").split("/")]
        try:
            reply = self._route(request.method, path, request)
        except LudusError as problem:
            return _json({"error": str(problem)}, 404 if str(problem).startswith("there is no") else 400)
        if reply is None:
            return _json(
                {"error": f"there is nothing at {request.method} {request.target[:100]}; see GET /matches"}, 404
            )
        return reply

    def _is_ours(self, host: str) -> bool:
        """Whether a Host names this manager. Where all of a machine's addresses are listened to, any address does: only names can lie."""
        bound = self.address[0].lower()
        try:
            name = (urllib.parse.urlsplit(f"//{host}").hostname or "").lower()
            if name in self.names or name == bound:
                return True
            return bound in ANYWHERE and bool(ipaddress.ip_address(name))
        except ValueError:
            return False

    def _route(self, method: str, path: list[str], request: Request) -> Reply | None:
        body = request.body
        match (method, *path):
            case ("GET", "matches"):
                under_way = self.under_way()  # first, here and below: what has ended by then is stored as ended
                return _json({"matches": self.store.results(), "underWay": under_way})
            case ("GET", "matches", name):
                return _json(self.store.match(name))
            case ("GET", "matches", name, "state"):
                is_under_way = name in self.under_way()
                return _json(progress(self.store.match(name), is_under_way))
            case ("POST", "matches"):
                return _json({"matchId": self.start_match(_object(body)).id}, 201)
            case ("POST", "matches" | "tournaments", name, "abort") | ("DELETE", "matches" | "tournaments", name):
                self.abort(name)
                return _json({"aborting": name})
            case ("POST", "tournaments"):
                plan = self.start_tournament(_object(body))
                return _json({"tournament": plan.name, "matches": plan.size()}, 201)
            case ("GET", "tournaments"):
                return _json(
                    {
                        "tournaments": sorted(
                            {r["tournament"] for r in self.store.results() if r["tournament"]} | set(self._plans)
                        )
                    }
                )
            case ("GET", "tournaments", name):
                return _json(self.tournament(name))
        return None


def serve(manager: Manager, host: str = "127.0.0.1", port: int = 9080) -> Server:
    """Put a manager behind a port; port 0 takes any that is free."""
    server = Server(host, port, manager.answer, cors=False, error=lambda text: _json({"error": text}, 400))
    manager.address = (host, server.port)
    return server


def progress(match: dict[str, Any], is_under_way: bool) -> dict[str, Any]:
    """Where a match stands, for programs that watch it."""
    status = "completed" if match["isCompleted"] else "aborted" if match["isAborted"] else "running"
    return {
        "matchId": match["matchId"],
        "status": "interrupted" if status == "running" and not is_under_way else status,
        "step": len(match["moves"]),
        "state": match["states"][-1] if match["states"] else None,
        "lastMoves": match["moves"][-1] if match["moves"] else None,
        "goalValues": match.get("goalValues"),
    }


def need_gdl(name: str, game: Any) -> Any:
    """A game, if it is one that the protocol can carry."""
    if not hasattr(game, "roles"):
        raise LudusError(f"'{name}' is not a GDL game: a match over the network needs a rulesheet")
    return game


def _json(value: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(value), status, "application/json")


def _object(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise LudusError(f"the body is no JSON: {str(problem)[:100]}") from None
    if not isinstance(value, dict):
        raise LudusError('the body must be a JSON object, such as {"game": "tictactoe", "players": ["mcts", "random"]}')
    return value


def _check(wish: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in wish:
        if key not in known:
            raise unknown("key", key[:60], known)


def _players(wish: dict[str, Any]) -> list[str]:
    players = wish.get("players")
    if not isinstance(players, list) or not players or not all(isinstance(name, str) for name in players):
        raise LudusError(
            '"players" must be a list of addresses or built-in players, such as ["127.0.0.1:9147", "random"]'
        )
    for name in players:
        if not is_address(name) and (parse(name).path is not None or code_in(name)):
            raise LudusError(f"'{name[:60]}' names a file; built-in players of a manager go without")
    return players


def _clocks(wish: dict[str, Any]) -> Clocks:
    clocks = Clocks(wish.get("start", 10), wish.get("play", 5))
    for name, value in zip(Clocks._fields, clocks, strict=True):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
            raise LudusError(f'"{name}" must be a number of seconds, at most a day')
    return clocks


def _whole(wish: dict[str, Any], name: str, otherwise: int) -> int:
    value = wish.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 1 << 53:
        raise LudusError(f'"{name}" must be a whole number')
    return value
