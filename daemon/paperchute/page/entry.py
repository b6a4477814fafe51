"""The way in over the network: the password gives a session, half of it in a cookie, until somebody logs out."""

from __future__ import annotations

import math

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from paperchute.language import _, ngettext
from paperchute.page.answers import Answer
from paperchute.page.gate import Outside
from paperchute.page.log_ins import LogIns, TooSoon
from paperchute.page.rights import Call, Right
from paperchute.page.routes import short_body
from paperchute.page.sessions import Sessions, halves


class Entry:
    """The calls by which somebody comes in over the network, and leaves."""

    def __init__(self, sessions: Sessions, log_ins: LogIns, outside: Outside) -> None:
        self._sessions = sessions
        self._log_ins = log_ins
        self._outside = outside

    def routes(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Call("/api/entry", self._entry, Right.PUBLIC),
            Call("/api/log-in", self._log_in, Right.PUBLIC_NETWORK, ["POST"]),
            Call("/api/log-out", self._log_out, Right.SESSION, ["POST"]),
        ]

    async def _entry(self, request: Request) -> Response:
        """GET /api/entry: whether the browser has a session, and whether one may change rules."""
        state = request.state
        if state.door == "here":
            return Answer({"inside": None})
        inside = self._sessions.holds(state.session, "network")
        return Answer({"inside": inside, "rules": self._outside.may_change_rules})

    async def _log_in(self, request: Request) -> Response:
        """POST /api/log-in, with the password as its body."""
        if not request.headers.get("origin"):
            return Answer({}, 403)
        given = (await short_body(request)).decode("utf-8", "replace")
        try:
            fits = await self._log_ins.fits(given, request.state.visitor.address)
        except TooSoon as refused:
            seconds = math.ceil(refused.seconds)
            reason = ngettext("Wait {n} second, then try again.", "Wait {n} seconds, then try again.", seconds)
            return Answer({"reason": reason}, 429, {"Retry-After": str(seconds)})
        if not fits:
            return Answer({"reason": _("That is not the password.")}, 401)
        in_cookie, in_header = halves(self._sessions.admit("network"))
        is_secure = request.state.visitor.is_secure
        answer = Answer({"session": in_header})
        answer.set_cookie(
            self._outside.cookie(is_secure=is_secure),
            in_cookie,
            httponly=True,
            samesite="strict",
            secure=is_secure,
        )
        return answer

    async def _log_out(self, request: Request) -> Response:
        """POST /api/log-out."""
        self._sessions.end(request.state.session, request.state.door)
        is_secure = request.state.visitor.is_secure
        answer = Answer({})
        answer.delete_cookie(
            self._outside.cookie(is_secure=is_secure), httponly=True, samesite="strict", secure=is_secure
        )
        return answer
