"""What can be played: the catalog, rulesheets that people bring, and whether the server is ready."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from ludus import __version__
from ludus.web import catalog
from ludus.web.data import Ref
from ludus.web.house import House
from ludus.web.shapes import NewSheet

router = APIRouter(tags=["games"])

Digest = Annotated[str, Path(pattern=r"^[0-9a-f]{8,64}$")]
GameName = Annotated[str, Query(min_length=1, max_length=200)]


def house_of(request: Request) -> House:
    """The server's parts."""
    return request.app.state.house


@router.get("/ready")
async def ready(request: Request) -> dict[str, Any]:
    """Whether the rules are ready, and what is being compiled."""
    house = house_of(request)
    return {"ready": house.ready, "doing": house.hub.doing, "version": __version__}


@router.get("/catalog")
async def list_games() -> dict[str, Any]:
    """The games and the levels of opponents."""
    return {"games": catalog.games(), "levels": catalog.levels()}


@router.get("/about")
async def about(request: Request, game: GameName) -> dict[str, Any]:
    """A game with its parameters: its seats, its notation, its players."""
    house = house_of(request)
    found = await house.tables.about(game)
    family = "gdl" if found.is_sheet else found.name
    return {**found._asdict(), "family": family, "players": catalog.players(found.name, house.players)}


@router.post("/sheets", status_code=201)
async def bring_sheet(request: Request, sheet: NewSheet) -> dict[str, Any]:
    """Bring a rulesheet. It is checked, and refused with a reason if no game can be made of it within a few seconds."""
    house = house_of(request)
    name = sheet.name.strip() or "My game"
    found = await house.slow.ask("about", Ref(name, sheet.text), seconds=60.0)
    digest = await house.writer.write(lambda records: records.save_sheet(sheet.text, name))
    return {"game": f"sheet:{digest}", "title": name, "seats": found.seats, "seat_names": list(found.seat_names)}


@router.get("/sheets/{digest}")
async def get_sheet(request: Request, digest: Digest) -> dict[str, str]:
    """The text of a rulesheet."""
    found = await asyncio.to_thread(house_of(request).records.sheet, digest)
    return {"name": found.name, "text": found.text}
