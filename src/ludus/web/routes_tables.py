"""Tables: sitting down, moving, taking back, looking."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import JSONResponse

from ludus.web.data import Asked
from ludus.web.house import House
from ludus.web.routes_games import house_of
from ludus.web.seating import SeatWish, Wish
from ludus.web.shapes import Moved, NewMove, NewTable, Player, Seat, Seated, TableOut, ViewOut, Why

router = APIRouter(tags=["tables"])

Id = Annotated[str, Path(min_length=1, max_length=120, pattern=r"^[A-Za-z0-9_.-]+$")]
Keys = Annotated[
    str, Header(alias="Ludus-Key", description="The key to a seat; several are separated by commas.", max_length=1000)
]
Ply = Annotated[int | None, Query(ge=0, le=1_000_000)]
SeatQuery = Annotated[int | None, Query(ge=0, le=63)]
Word = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]


def _keys(text: str) -> list[str]:
    return [key.strip() for key in text.split(",") if key.strip()]


@router.post("/tables", status_code=201, response_model=Seated)
async def begin(request: Request, wanted: NewTable) -> Any:
    """Begin a game. The answer has the keys to the seats of people: whoever has a key sits there."""
    seats = tuple(
        SeatWish("player", s.name, s.player, s.level, s.seconds)
        if isinstance(s, Player)
        else SeatWish("person", s.name)
        for s in wanted.seats
    )
    clock = wanted.clock.model_dump() if wanted.clock else None
    wish = Wish(wanted.game, seats, wanted.seed, wanted.position, clock, wanted.pace)
    return _seated(*await house_of(request).tables.create(wish))


def _seated(table: Any, keys: dict[int, str]) -> JSONResponse:
    said = {"id": table.id, "keys": {str(seat): key for seat, key in keys.items()}, "table": table.to_json()}
    return JSONResponse(said, 201)


@router.get("/tables")
async def search(
    request: Request,
    game: Word = None,
    player: Word = None,
    state: Literal["open", "over"] | None = None,
    search: Word = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Word = None,
) -> dict[str, Any]:
    """Games and GGP matches, newest first."""
    records = house_of(request).records
    rows = await asyncio.to_thread(records.search, game, player, state, search, limit + 1, before)
    tables = [
        {**row._asdict(), "seats": [{"name": name, "who": who} for name, who in row.seats],
         "result": row.result.get("text") if row.result else None}
        for row in rows[:limit]
    ]  # fmt: skip
    return {"tables": tables, "more": len(rows) > limit}


@router.get("/tables/{table_id}", response_model=TableOut)
async def get_table(request: Request, table_id: Id) -> Any:
    """A table, its steps and how it stands."""
    table = await house_of(request).tables.get(table_id)
    return JSONResponse(table.to_json())


@router.get("/tables/{table_id}/view", response_model=ViewOut)
async def view(
    request: Request,
    table_id: Id,
    ply: Ply = None,
    seat: SeatQuery = None,
    flip: bool = False,
    touched: Annotated[list[Annotated[str, Query(max_length=200)]], Query(max_length=64)] = [],  # noqa: B006
) -> Any:
    """A position of a game as a page shows it. `seat` looks at it, from the bottom of the board, or from the top if it is to `flip`; `touched` is what was touched of a move so far."""
    tables = house_of(request).tables
    table = await tables.get(table_id)
    return JSONResponse(await tables.view(table, Asked(seat, flip, tuple(touched)), ply))


@router.get("/tables/{table_id}/why", response_model=Why)
async def why(
    request: Request,
    table_id: Id,
    move: Annotated[str, Query(max_length=2_000, pattern=r"^[^\x00]*$")],
    seat: SeatQuery = None,
) -> Any:
    """Whether a move is legal, and if not, why."""
    tables = house_of(request).tables
    table = await tables.get(table_id)
    reason = await tables.why(table, move, seat if seat is not None else table.now.turn or 0)
    return {"legal": not reason, "reason": reason}


@router.post("/tables/{table_id}/moves", response_model=Moved)
async def move(
    request: Request, table_id: Id, made: NewMove, keys: Keys = "", moves: Annotated[bool, Query()] = False
) -> Any:
    """Make a move. When this is answered, the move is on disk. The same request again does no harm."""
    tables = house_of(request).tables
    table = await tables.move(table_id, made.seat, made.ply, made.move, _keys(keys))
    said = {"table": table.to_json()}
    return JSONResponse(said | {"moves": list(table.now.moves)} if moves else said)


@router.post("/tables/{table_id}/rematch", status_code=201, response_model=Seated)
async def rematch(request: Request, table_id: Id, keys: Keys = "") -> Any:
    """The same game again, everybody one seat further, with the same keys. Who asks later comes to the same table."""
    return _seated(*await house_of(request).tables.rematch(table_id, _keys(keys)))


@router.post("/tables/{table_id}/{wish}", response_model=Moved)
async def ask(
    request: Request, table_id: Id, wish: Literal["undo", "decline", "resign", "resume"], who: Seat, keys: Keys = ""
) -> Any:
    """Take back a move (where another person plays, ask for it), decline that, give up, or ask a player again that could not move."""
    tables = house_of(request).tables
    if wish == "resume":
        table = await tables.resume(table_id)
    else:
        act = {"undo": tables.undo, "decline": tables.decline, "resign": tables.resign}[wish]
        table = await act(table_id, who.seat, _keys(keys))
    return JSONResponse({"table": table.to_json()})


@router.get("/tables/{table_id}/hint")
async def hint(request: Request, table_id: Id, seat: SeatQuery = None) -> dict[str, Any]:
    """What the best player that answers at once would do now."""
    tables = house_of(request).tables
    table = await tables.get(table_id)
    return await tables.hint(table, seat if seat is not None else table.now.turn or 0)


@router.get("/tables/{table_id}/chances")
async def chances(request: Request, table_id: Id) -> dict[str, Any]:
    """What each seat could hope for at each ply, in points. More may come while it is computed; the live socket tells."""
    house: House = house_of(request)
    table = await house.tables.get(table_id)
    house.judge_soon(table)
    return await house.chances(table)


@router.get("/statistics")
async def statistics(
    request: Request, name: Annotated[str, Query(max_length=60, pattern=r"^[^\x00]*$")]
) -> dict[str, Any]:
    """How somebody fares, by game and opponents, with 95 % intervals of the rate of wins."""
    rows = await asyncio.to_thread(house_of(request).records.statistics, name)
    return {"rows": [row._asdict() for row in rows]}
