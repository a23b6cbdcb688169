"""The HTTP interface, put together. `/api/openapi.json` describes it; the page uses nothing else."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from ludus import __version__
from ludus.errors import LudusError
from ludus.records import NotKeptError, Records
from ludus.web import shapes
from ludus.web.house import House
from ludus.web.routes_files import router as files_router
from ludus.web.routes_games import router as games_router
from ludus.web.routes_matches import router as matches_router
from ludus.web.routes_tables import router as tables_router
from ludus.web.security import Guard
from ludus.web.tables import StaleError
from ludus.web.workers import BusyError

PAGE = Path(__file__).parent / "page"


class Settings(NamedTuple):
    """How a server runs."""

    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()  # by which it may be called in a URL
    token: str | None = None
    players: tuple[str, ...] = ()  # that it offers beside the built-in ones
    workers: int = 2
    limits: tuple[float, int] = (60.0, 4000)  # what a rulesheet of the GGP manager may cost to load: seconds, megabytes


class Page(StaticFiles):
    """The files of the page. Browsers ask whether they have changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file."""
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "no-cache"
        return response


def make_app(records: Records, settings: Settings = Settings()) -> ASGIApp:  # noqa: B008
    """The whole app, behind its guard."""
    house = House(records, settings.players, settings.workers, settings.limits)

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        await house.open()
        yield
        await house.close()

    wrong = {status: {"model": shapes.Error} for status in (400, 401, 403, 404, 409, 413, 422, 500, 503)}
    app = FastAPI(
        title="ludus",
        version=__version__,
        description="Games, and players who learned them. Begin with `POST /api/tables`.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=life,
        responses=wrong,  # type: ignore[arg-type]
    )
    app.state.house = house
    app.include_router(games_router, prefix="/api")
    app.include_router(tables_router, prefix="/api")
    app.include_router(files_router, prefix="/api")
    app.include_router(matches_router, prefix="/api")
    app.include_router(matches_router, include_in_schema=False)  # where game managers have had it from the beginning

    @app.websocket("/api/live")
    async def live(socket: WebSocket) -> None:
        await house.hub.serve(socket)

    _explain(app)
    app.mount("/", Page(directory=PAGE, html=True))
    return Guard(app, settings.host, settings.names, settings.token)


def _explain(app: FastAPI) -> None:
    """Errors say what was wrong, in one shape."""
    statuses: Sequence[tuple[type[LudusError], int]] = ((NotKeptError, 404), (StaleError, 409), (BusyError, 503))

    @app.exception_handler(LudusError)
    async def refused(request: Request, error: LudusError) -> JSONResponse:
        status = next((number for kind, number in statuses if isinstance(error, kind)), 400)
        return JSONResponse({"error": str(error)}, status)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": "; ".join(_problem(each) for each in error.errors()[:3])}, 422)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        logging.getLogger("ludus.web").error("%s %s: %s", request.method, request.url.path, error)
        return JSONResponse({"error": f"something went wrong here: {error}"}, 500)

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(error.detail)}, error.status_code, dict(error.headers or {}))


def _problem(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"] if part != "body")
    return f"{where}: {error['msg'][:200]}" if where else str(error["msg"])[:200]
