"""Games as files: what a table can be saved as, and games that people bring."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ludus.web.data import Asked, Found, Told, Written
from ludus.web.house import House
from ludus.web.routes_games import house_of
from ludus.web.routes_tables import Id, Ply, SeatQuery
from ludus.web.seating import SeatWish, Wish
from ludus.web.shapes import NewFile
from ludus.web.table import Table

router = APIRouter(tags=["files"])

Form = Literal["json", "mat", "quoridor", "ggp", "svg", "animation"]


@router.get("/tables/{table_id}/export/{form}", response_class=Response)
async def export(
    request: Request,
    table_id: Id,
    form: Form,
    ply: Ply = None,
    seat: SeatQuery = None,
    flip: bool = False,
    inline: Annotated[bool, Query(description="Show it instead of saving it.")] = False,
) -> Response:
    """A game as a file: in its own format, as JSON, as a GGP match; its board as a picture; or the whole game as an animated SVG."""
    house: House = house_of(request)
    table = await house.tables.get(table_id)
    told = Told(
        table.row.title, tuple(s.who for s in table.seats), table.people, table.row.seed if table.over else 0, table.row.started, table.result,
        table.row.position,
    )  # fmt: skip
    steps = table.texts if ply is None else table.texts[:ply]
    file: Written = await house.idle.ask("write_game", table.ref, steps, told, form, Asked(seat, flip))
    headers = {} if inline else {"content-disposition": _attachment(file.name)}
    # A picture on its own may have its own style, and nothing else.
    headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return Response(file.text, media_type=file.kind, headers=headers)


def _attachment(name: str) -> str:
    """The header that has a browser save a file. Headers are ASCII: a name in other letters comes in percents beside one in dashes.

    >>> print(_attachment("ärger.json"))
    attachment; filename="-rger.json"; filename*=UTF-8''%C3%A4rger.json
    """
    plain = "".join(sign if sign.isascii() else "-" for sign in name)
    return f'attachment; filename="{plain}"' + ("" if plain == name else f"; filename*=UTF-8''{quote(name)}")


@router.post("/import", status_code=201)
async def bring_games(request: Request, file: NewFile) -> dict[str, Any]:
    """Keep the games of a file. Each becomes a table that can be replayed, and gone on with by whoever takes the keys."""
    house: House = house_of(request)
    wanted = await house.tables.ref(file.game) if file.game else None
    games: list[Found] = await house.idle.ask("read_games", file.name, file.text, wanted)
    made: list[Table] = []
    keys: list[dict[str, str]] = []
    for found in games:
        seats = tuple(SeatWish("person", name[:60]) for name in found.names)
        name = file.game if file.game else found.game
        table, own = await house.tables.create(Wish(name, seats, moves=found.steps))
        made.append(table)
        keys.append({str(seat): key for seat, key in own.items()})
    return {
        "tables": [table.id for table in made],
        "keys": keys,
        "remarks": [list(found.remarks) for found in games],
    }
