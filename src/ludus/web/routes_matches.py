"""Matches and tournaments of the GGP manager: the same JSON that a manager on the network has always spoken."""

from __future__ import annotations

import asyncio
import urllib.parse
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Request
from fastapi.responses import JSONResponse

from ludus.web.house import House
from ludus.web.routes_games import house_of

router = APIRouter(tags=["GGP"])

MatchId = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_.-]+$")]
Wish = Annotated[
    dict[str, Any],
    Body(examples=[{"game": "tictactoe", "players": ["127.0.0.1:9147", "mcts"], "start": 10, "play": 5}]),
]


async def _passed_on(request: Request, method: str, path: str, body: Any = None) -> JSONResponse:
    status, answer = await house_of(request).manager.ask(method, path, body)
    return JSONResponse(answer, status)


@router.get("/matches")
async def list_matches(request: Request) -> dict[str, Any]:
    """The last matches, and which are under way."""
    house: House = house_of(request)
    under_way: list[str] = []
    if house.manager.running:
        _, answer = await house.manager.ask("GET", "/matches")
        under_way = answer["underWay"]
    return {"matches": await asyncio.to_thread(house.store.results), "underWay": under_way}


@router.post("/matches", status_code=201)
async def start_match(request: Request, wish: Wish) -> Any:
    """Start a match: "game", the name of a shipped rulesheet, or "sheet", its text; "players", "start", "play", "seed"."""
    return await _passed_on(request, "POST", "/matches", wish)


@router.get("/matches/{match_id}")
async def get_match(request: Request, match_id: MatchId) -> dict[str, Any]:
    """A match in the GGP match format."""
    return await asyncio.to_thread(house_of(request).store.match, match_id)


@router.get("/matches/{match_id}/state")
async def get_state(request: Request, match_id: MatchId) -> Any:
    """Where a match stands, in short."""
    return await _passed_on(request, "GET", f"/matches/{urllib.parse.quote(match_id)}/state")


@router.delete("/matches/{match_id}")
@router.delete("/tournaments/{match_id}")
@router.post("/matches/{match_id}/abort")
@router.post("/tournaments/{match_id}/abort")
async def abort(request: Request, match_id: MatchId) -> Any:
    """Abort what is under way."""
    return await _passed_on(request, "POST", f"/matches/{urllib.parse.quote(match_id)}/abort")


@router.get("/tournaments")
async def list_tournaments(request: Request) -> Any:
    """The names of tournaments."""
    return await _passed_on(request, "GET", "/tournaments")


@router.post("/tournaments", status_code=201)
async def start_tournament(request: Request, wish: Wish) -> Any:
    """Start a tournament: "games" (names) or "sheets" (name: rules), "players", "rounds", "start", "play", "seed"."""
    return await _passed_on(request, "POST", "/tournaments", wish)


@router.get("/tournaments/{match_id}")
async def get_tournament(request: Request, match_id: MatchId) -> Any:
    """How a tournament stands."""
    return await _passed_on(request, "GET", f"/tournaments/{urllib.parse.quote(match_id)}")
