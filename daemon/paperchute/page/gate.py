"""Which requests get any answer: those to the page's own address, of no other page, with a session where one counts.

The session stands in a header, which no other page can send here, and not in a cookie, which a browser would send to
every program on this machine's loopback.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paperchute.page.sessions import Sessions

OPEN = frozenset({"/api/session", "/api/ticket"})
"""Calls that have a secret of their own."""

_HEADERS = (
    # Nothing but its own files and this server; it is shown in no other page, and what it loads is what it says.
    # Pictures come with the session, so the page itself makes their addresses (blob:).
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        b"trusted-types 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
_BEARER = re.compile(r"Bearer ([A-Za-z0-9_-]{1,200})")


class Gate:
    """ASGI around the page."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions
        self.hosts: Collection[str] = ()
        """The values of `Host` that are served, in lower case, with their port."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if (status := self._refused(scope["path"], Headers(scope=scope))) is not None:
            await JSONResponse({}, status)(scope, receive, sending)
            return
        await self._app(scope, receive, sending)

    def _refused(self, path: str, headers: Headers) -> int | None:
        """The HTTP status that a request is refused with."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return 421
        own = f"http://{hosts[0].lower()}"
        if any(origin.lower() != own for origin in headers.getlist("origin")):
            return 403
        if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")) and path != "/":
            return 403  # "/" itself is what a tray or a link opens; it holds nothing
        if path.startswith("/api/") and path not in OPEN and not self._sessions.holds(shown(headers)):
            return 401
        return None


def shown(headers: Headers) -> str:
    """The secret that a request shows; empty without one."""
    found = _BEARER.fullmatch(headers.get("authorization", ""))
    return found[1] if found else ""
