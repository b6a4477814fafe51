"""Which requests get any answer: those to the page's own address, of no other page, with what their call needs.

Every request passes here, and a call that does not say what it needs is answered to nobody. On this machine the session
stands in a header, which no other page can send here, and not in a cookie, which a browser would send to every program
on this machine's loopback. Over the network it has two halves: one in a cookie that no script can read, which browsers
send to every port of the host, and one in a header, which only this page's own scripts know.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from loguru import logger
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse
from starlette.routing import Match
from starlette.types import Message, Receive, Scope, Send

from paperchute.page.connections import Connections
from paperchute.page.rights import Call, Door, Right
from paperchute.page.sessions import Sessions, whole
from paperchute.page.visitor import Visitor, is_number, visitor
from paperchute.redaction import bounded
from paperchute.rules.page import Network

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
    port: int = 0
    may_change_rules: bool = False

    def cookie(self, *, is_secure: bool) -> str:
        """The name of the session's cookie. Where HTTPS is used no other port or host can set one of this name."""
        return f"{'__Host-' if is_secure else ''}paperchute_{self.port}"


class Gate:
    """ASGI around the page."""

    def __init__(
        self, app: Starlette, sessions: Sessions, here: tuple[str, int], connections: Connections, outside: Outside
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
        door: Door = "here" if tuple(scope["server"] or ()) == self._here else "network"
        client = scope["client"] or ("", 0)
        visits = visitor(client[0], headers, self._outside.proxies if door == "network" else ())
        session = self._session(headers, door, visits)
        scope.setdefault("state", {}).update(door=door, visitor=visits, session=session)
        has_session = self._sessions.holds(session, door)
        if (status := self._refused(scope, headers, visits, has_session=has_session)) is not None:
            await JSONResponse({}, status)(scope, receive, sending)
            return
        if has_session:
            self._connections.let_in((client[0], client[1]))
        await self._app(scope, receive, sending)

    def _session(self, headers: Headers, door: Door, visits: Visitor) -> str:
        """The one that a request shows; not a whole one where a part of it is missing."""
        if door == "here":
            return shown(headers)
        name = self._outside.cookie(is_secure=visits.is_secure)
        return whole(cookie_parser(headers.get("cookie", "")).get(name, ""), shown(headers))

    def _refused(self, scope: Scope, headers: Headers, visits: Visitor, *, has_session: bool) -> int | None:
        """The HTTP status that a request is refused with."""
        path, door = scope["path"], scope["state"]["door"]
        if visits.host is None or not self._is_ours(visits.host, door):
            self._tell_once(f"the page was asked for as {visits.host!r}, which is none of its `hosts`", door)
            return 421
        origins = [origin.lower() for origin in headers.getlist("origin")]
        if any(origin != visits.origin for origin in origins):
            self._tell_once(
                f"a request of {origins[0]!r} to the page at {visits.origin!r} was refused; where a reverse proxy "
                "stands in front of it, its address belongs into `proxies`",
                door,
            )
            return 403
        if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")) and path != "/":
            return 403  # "/" itself is what a tray or a link opens; it holds nothing
        right = self._right(scope)
        if right is not None and not right.needs_session:
            return None if door in right.doors(rules_over_network=False) else 404
        if not has_session:
            return 401 if path.startswith("/api/") else 404
        if right is None or door not in right.doors(rules_over_network=self._outside.may_change_rules):
            return 404
        if door == "network" and scope["method"] not in _READING and not origins:
            return 403  # a browser names the origin of all that changes anything
        return None

    def _right(self, scope: Scope) -> Right | None:
        """Return what a call needs; None of one that is none of ours, or does not say so."""
        for route in self._app.routes:
            if route.matches(scope)[0] is Match.FULL:
                return route.right if isinstance(route, Call) else None
        return None

    def _is_ours(self, host: str, door: Door) -> bool:
        if door == "here":
            return host in self._own
        names = self._outside.names
        return is_number(host) or host in names or host.partition(":")[0] in names

    def _tell_once(self, text: str, door: Door) -> None:
        """To the log, for whoever sets it up."""
        if door == "network" and text not in self._told and len(self._told) < _MOST_TOLD:
            self._told.add(text)
            logger.warning("{}", bounded(text, _LONGEST_TOLD))


def shown(headers: Headers) -> str:
    """The secret that a request shows in its header; empty without one."""
    found = _BEARER.fullmatch(headers.get("authorization", ""))
    return found[1] if found else ""
