"""Which requests get any answer: those to the page's own address, of no other page, with a session where one counts.

On this machine the session stands in a header, which no other page can send here, and not in a cookie, which a browser
would send to every program on this machine's loopback. Who comes over the network and has shown the password gets a
cookie that no script can read; what changes anything must then name the page as its origin.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from loguru import logger
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paperchute.page.connections import Connections
from paperchute.page.sessions import Sessions
from paperchute.page.visitor import Visitor, is_number, visitor
from paperchute.redaction import bounded
from paperchute.rules.page import Network

HERE = frozenset({"/api/entry", "/api/session", "/api/ticket"})
"""Calls of this machine that need no session: all but the first have a secret of their own."""
REMOTE = frozenset({"/api/entry", "/api/log-in"})
"""Calls over the network that need no session."""

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
_READING = ("GET", "HEAD")
_MOST_TOLD = 20
_LONGEST_TOLD = 300
"""Of what is refused: so many texts of so many characters in the log, since everybody can ask."""


@dataclass(frozen=True)
class Outside:
    """How the page answers over the network."""

    names: Collection[str] = ()
    """By which browsers may call it, in lower case, with or without a port."""
    proxies: Collection[Network] = ()
    cookie: str = ""
    """The name of the session's cookie."""


class Gate:
    """ASGI around the page."""

    def __init__(
        self, app: ASGIApp, sessions: Sessions, here: tuple[str, int], connections: Connections, outside: Outside
    ) -> None:
        """here: where this machine's own programs come in; every other address is one of the network."""
        self._app = app
        self._sessions = sessions
        self._here = here
        self._own = frozenset({f"{name}:{here[1]}" for name in (here[0], "localhost")})
        self._connections = connections
        self._outside = outside
        self._told: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        headers = Headers(scope=scope)
        is_remote = tuple(scope["server"] or ()) != self._here
        client = scope["client"] or ("", 0)
        visits = visitor(client[0], headers, self._outside.proxies if is_remote else ())
        session = self._session(headers, is_remote=is_remote)
        scope.setdefault("state", {}).update(is_remote=is_remote, visitor=visits, session=session)
        if (status := self._refused(scope, headers, visits)) is not None:
            await JSONResponse({}, status)(scope, receive, sending)
            return
        if session and self._sessions.holds(session):
            self._connections.let_in((client[0], client[1]))
        await self._app(scope, receive, sending)

    def _session(self, headers: Headers, *, is_remote: bool) -> str:
        """The one that a request shows; empty without one."""
        if not is_remote:
            return shown(headers)
        return cookie_parser(headers.get("cookie", "")).get(self._outside.cookie, "")

    def _refused(self, scope: Scope, headers: Headers, visits: Visitor) -> int | None:
        """The HTTP status that a request is refused with."""
        path, is_remote = scope["path"], scope["state"]["is_remote"]
        if visits.host is None or not self._is_ours(visits.host, is_remote=is_remote):
            self._tell_once(f"the page was asked for as {visits.host!r}, which is none of its `hosts`", is_remote)
            return 421
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if any(origin != visits.origin for origin in origins):
            self._tell_once(
                f"a request of {origins[0]!r} to the page at {visits.origin!r} was refused; where a reverse proxy "
                "stands in front of it, its address belongs into `proxies`",
                is_remote,
            )
            return 403
        if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")) and path != "/":
            return 403  # "/" itself is what a tray or a link opens; it holds nothing
        if path in (HERE - REMOTE if is_remote else REMOTE - HERE):
            return 404
        if not path.startswith("/api/") or path in (REMOTE if is_remote else HERE):
            return None
        if not self._sessions.holds(scope["state"]["session"]):
            return 401
        if is_remote and scope["method"] not in _READING and not origins:
            return 403  # a browser names the origin of all that changes anything
        return None

    def _is_ours(self, host: str, *, is_remote: bool) -> bool:
        if not is_remote:
            return host in self._own
        names = self._outside.names
        return is_number(host) or host in names or host.partition(":")[0] in names

    def _tell_once(self, text: str, is_remote: bool) -> None:
        """To the log, for whoever sets it up."""
        if is_remote and text not in self._told and len(self._told) < _MOST_TOLD:
            self._told.add(text)
            logger.warning("{}", bounded(text, _LONGEST_TOLD))


def shown(headers: Headers) -> str:
    """The secret that a request shows in its header; empty without one."""
    found = _BEARER.fullmatch(headers.get("authorization", ""))
    return found[1] if found else ""
