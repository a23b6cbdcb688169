"""Who may ask for what. Whoever reaches the port can play, so it listens on this machine alone unless told otherwise; pages of other sites get
nothing, whatever name they make lead here; and where other machines are let in, they need a token.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import json
import urllib.parse
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "::1")
ANYWHERE = ("0.0.0.0", "::", "")  # addresses to listen on that mean all of a machine's
COOKIE = "ludus-token"
MAX_BODY = 4_000_000  # bytes

_policy = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_headers = {
    b"content-security-policy": _policy.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"x-frame-options": b"DENY",
}


class Guard:
    """Stands before the app: refuses what must not come in, and puts the headers on what goes out."""

    def __init__(self, app: ASGIApp, host: str, names: Iterable[str] = (), token: str | None = None) -> None:
        self._app, self._host, self._token = app, host.lower(), token
        self._names = {*LOOPBACK, *map(str.lower, names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(scope, send, *refusal)
            return
        cookie = self._cookie(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = list(message.get("headers", []))
                # Browsers keep to all policies that they are told: what has one of its own must not get the page's too.
                said += [header for header in _headers.items() if header[0] not in dict(said)]
                if cookie:
                    said.append((b"set-cookie", cookie))
                message = {**message, "headers": said}
            await send(message)

        await self._app(scope, _limited(receive) if scope["type"] == "http" else receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if not self._is_ours(host):  # a page of another site, whose name was made to lead here
            return 403, f"'{host[:80]}' is no name of this server; --allow-host allows one"
        origin = headers.get("origin")
        asks = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if origin is not None and not asks and origin.lower().partition("://")[2] != host.lower():
            return 403, "pages of other sites may not play here"
        if self._token is not None and not self._knows_token(scope, headers):
            return 401, "this server asks for a token: open the address that it printed, with ?token=…"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MAX_BODY:
            return 413, f"this is more than {MAX_BODY:,} bytes"
        return None

    def _is_ours(self, host: str) -> bool:
        """Whether a Host names this server. Where all of a machine's addresses are listened to, any address does: only names can lie."""
        try:
            name = (urllib.parse.urlsplit(f"//{host}").hostname or "").lower()
            if name in self._names or name == self._host:
                return True
            return self._host in ANYWHERE and bool(ipaddress.ip_address(name))
        except ValueError:
            return False

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        given = [headers.get("authorization", "").removeprefix("Bearer "), _query_token(scope)]
        with contextlib.suppress(CookieError):
            given += [
                morsel.value for morsel in SimpleCookie(headers.get("cookie", "")).values() if morsel.key == COOKIE
            ]
        return any(hmac.compare_digest(each.encode(), (self._token or "").encode()) for each in given if each)

    def _cookie(self, scope: Scope) -> bytes | None:
        """The token that came in the address, for the browser to keep."""
        if self._token is None or scope["type"] != "http" or not _query_token(scope):
            return None
        return f"{COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict".encode()


def _query_token(scope: Scope) -> str:
    query = urllib.parse.parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return query.get("token", [""])[0]


def _limited(receive: Receive) -> Receive:
    """A body that ends when it is too long, also where nobody said how long it would be."""
    seen = 0

    async def read() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > MAX_BODY:
            return {"type": "http.disconnect"}
        return message

    return read


async def _refuse(scope: Scope, send: Send, status: int, error: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": error[:100]})
        return
    body = json.dumps({"error": error}).encode()
    headers: list[Any] = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *_headers.items()]})
    await send({"type": "http.response.body", "body": body})
