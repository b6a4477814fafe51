"""The way in over the network: the password gives a session, which stands in a cookie until somebody logs out."""

from __future__ import annotations

import math

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from paperchute.language import _, ngettext
from paperchute.page.answers import Answer
from paperchute.page.log_ins import LogIns, TooSoon
from paperchute.page.routes import short_body
from paperchute.page.sessions import Sessions


class Entry:
    """The calls of `page.gate.REMOTE`, and log-out."""

    def __init__(self, sessions: Sessions, log_ins: LogIns, cookie: str) -> None:
        """cookie: its name."""
        self._sessions = sessions
        self._log_ins = log_ins
        self._cookie = cookie

    def routes(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Route("/api/entry", self._entry),
            Route("/api/log-in", self._log_in, methods=["POST"]),
            Route("/api/log-out", self._log_out, methods=["POST"]),
        ]

    async def _entry(self, request: Request) -> Response:
        """GET /api/entry: whether the browser has a session."""
        return Answer({"inside": self._sessions.holds(request.state.session) if request.state.is_remote else None})

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
        answer = Answer({})
        answer.set_cookie(
            self._cookie,
            self._sessions.admit(),
            httponly=True,
            samesite="strict",
            secure=request.state.visitor.is_secure,
        )
        return answer

    async def _log_out(self, request: Request) -> Response:
        """POST /api/log-out."""
        self._sessions.end(request.state.session)
        answer = Answer({})
        answer.delete_cookie(self._cookie, httponly=True, samesite="strict", secure=request.state.visitor.is_secure)
        return answer
