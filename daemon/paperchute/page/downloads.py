"""Results for the browser: seen on the page, and fetched as files that it keeps and never shows.

A browser that fetches a file shows no session, so it is given an address that serves once and soon, to whoever has the
session that asked for it.
"""

from __future__ import annotations

import base64
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from paperchute.app.daemon import Daemon
from paperchute.app.results import Result, content, packed, results_of, shown
from paperchute.errors import PaperchuteError
from paperchute.language import _
from paperchute.page.rights import Call, Door, Right
from paperchute.page.routes import told
from paperchute.page.sessions import Sessions

_ONCE_SECONDS = 60.0
_MOST_WAITING = 100
_MOST_AT_ONCE = 8
"""Files on their way: each holds a thread while the network takes its time."""


@dataclass(frozen=True)
class _Fetch:
    """What an address serves, and to whom."""

    session: str
    door: Door
    name: str
    results: list[Result]
    end: float


class Downloads:
    """What is behind the gate, for whichever daemon runs."""

    def __init__(self, sessions: Sessions, daemon: Callable[[], Daemon]) -> None:
        self._sessions = sessions
        self._daemon = daemon
        self._waiting: dict[str, _Fetch] = {}
        self._sending = threading.BoundedSemaphore(_MOST_AT_ONCE)

    def all(self) -> list[BaseRoute]:
        """As Starlette takes them."""
        return [
            Call("/api/jobs/{job:int}/results/{number:int}", told(self._shown)),
            Call("/api/jobs/{job:int}/results/{number:int}/fetch", told(self._prepare), methods=["POST"]),
            Call("/api/jobs/{job:int}/results/fetch", told(self._prepare), methods=["POST"]),
            Call("/api/results/{token:str}", self._fetched, Right.PUBLIC),
        ]

    async def _shown(self, request: Request) -> dict[str, Any]:
        """GET /api/jobs/N/results/K?page=1: a page as a picture, and the text."""
        page = request.query_params.get("page", "1")
        if not page.isdecimal() or len(page) > 6:
            raise HTTPException(400)
        (result,) = await run_in_threadpool(self._results, request)
        found = await run_in_threadpool(shown, result, int(page))
        return {**found, "picture": base64.b64encode(found["picture"]).decode("ascii"), "page": int(page)}

    async def _prepare(self, request: Request) -> dict[str, Any]:
        """POST /api/jobs/N/results/K/fetch, or without K for all: the address that serves them, once."""
        results = await run_in_threadpool(self._results, request)
        name = results[0].path.name
        if len(results) > 1:
            name = f"{results[0].path.parent.name}.zip"
        now = time.monotonic()
        self._waiting = {token: one for token, one in self._waiting.items() if one.end > now}
        while len(self._waiting) >= _MOST_WAITING:
            del self._waiting[next(iter(self._waiting))]
        token = secrets.token_urlsafe(32)
        self._waiting[token] = _Fetch(request.state.session, request.state.door, name, results, now + _ONCE_SECONDS)
        return {"address": f"/api/results/{token}"}

    def _results(self, request: Request) -> list[Result]:
        """Those that a call means. Raises PaperchuteError, also for one that is not there any more."""
        found = results_of(self._daemon().journal, request.path_params["job"])
        number = request.path_params.get("number")
        if number is not None:
            if number >= len(found):
                raise HTTPException(404)
            found = [found[number]]
        for one in found:
            one.open().close()
        return found

    async def _fetched(self, request: Request) -> Response:
        """GET /api/results/TOKEN: the file, or the archive of all."""
        fetch = self._waiting.pop(request.path_params["token"], None)
        if fetch is None or fetch.end <= time.monotonic() or fetch.door != request.state.door:
            raise HTTPException(404)
        if not self._sessions.holds(fetch.session, fetch.door):
            raise HTTPException(404)
        return await run_in_threadpool(self._sent, fetch)

    def _sent(self, fetch: _Fetch) -> Response:
        if not self._sending.acquire(blocking=False):
            return Response(_("Too many files are being fetched. Try again later."), 503, media_type="text/plain")
        try:
            size = None
            if len(fetch.results) == 1:
                file = fetch.results[0].open()
                size = os.fstat(file.fileno()).st_size
                blocks = content(file)
            else:
                blocks = packed(fetch.results)
        except PaperchuteError as error:
            self._sending.release()
            return Response(str(error), 409, media_type="text/plain")
        return _Sending(blocks, _headers(fetch.name, size), self._sending.release)


class _Sending(StreamingResponse):
    """A file on its way; `ended` is called however that ends."""

    def __init__(self, blocks: Iterator[bytes], headers: dict[str, str], ended: Callable[[], None]) -> None:
        super().__init__(blocks, headers=headers)
        self._ended = ended

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


def _headers(name: str, size: int | None) -> dict[str, str]:
    """Of a file that is kept and not shown; if a browser showed it all the same, nothing in it would run."""
    kept = {
        "content-type": "application/octet-stream",
        "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "content-security-policy": "sandbox",
    }
    return kept if size is None else {**kept, "content-length": str(size)}
