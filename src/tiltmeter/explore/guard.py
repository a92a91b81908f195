"""Who may ask the explorer: whoever holds the link, from this machine, from the page itself.

A page on the web can make a browser send requests to this machine. So each request must name this
server as its host (against DNS rebinding), come from the page's own origin where the browser says
where from, and carry the token of the link. There are no cookies and no CORS headers.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiltmeter.explore.requests import MOST_BYTES

TOKEN_HEADER = "x-tiltmeter-token"  # noqa: S105 - a header's name
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


class Guard:
    """Lets through what the page itself asks, and nothing else."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        self.app, self.token, self.hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 with the reason, or pass the request on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # the page opens no WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        why = self._refusal(scope, headers)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *extra]
            await send(message)

        if why:
            response = JSONResponse({"error": why}, status_code=403)
            await response(scope, receive, send_guarded)
            return
        if int(headers.get("content-length") or 0) > MOST_BYTES:
            what = f"the request is larger than {MOST_BYTES:,} bytes"
            await JSONResponse({"error": what}, status_code=413)(scope, receive, send_guarded)
            return
        await self.app(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> str:
        """Why a request is not answered; empty where it is."""
        if headers.get("host", "") not in self.hosts:
            return "this is not the address of the explorer"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return "the explorer answers its own page alone"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "the explorer answers its own page alone"
        if scope["path"].startswith("/static/"):
            return ""
        given = headers.get(TOKEN_HEADER) or _query_token(scope)
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return "the link lacks its token; open the one that the terminal shows"
        return ""


def _query_token(scope: Scope) -> str:
    from urllib.parse import parse_qs

    if scope["method"] != "GET" or scope["path"] != "/":
        return ""
    query: str = scope["query_string"].decode("latin-1")
    return parse_qs(query).get("token", [""])[0]
