"""What an engine that only works tells those who watch over it: that it lives, that it can work, what it has done."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from paperchute.engine.http.access import HostCheck
from paperchute.engine.http.answers import Refusal
from paperchute.engine.http.doorkeeper import shown_key, unknown_key
from paperchute.engine.metrics import MEDIA_TYPE, Metrics
from paperchute.engine.tasks.completion import busy
from paperchute.engine.work import Refused


def monitored(
    metrics: Metrics, check: Callable[[], None], trouble: type[Exception], *, key: str, loopback: bool
) -> ASGIApp:
    """The application. check: raises Refused or `trouble` while no work can be done. key: empty for none."""

    async def ready(_request: Request) -> Response:
        try:
            await asyncio.to_thread(check)
        except trouble:
            raise busy() from None
        return JSONResponse({"status": "ready"})

    async def told(request: Request) -> Response:
        if key and not hmac.compare_digest(shown_key(request.headers).encode(), key.encode()):
            raise unknown_key(request, shown_key)
        return Response(metrics.text(None), media_type=MEDIA_TYPE)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return Refusal(request, error)

    routes = [Route("/health", health), Route("/ready", ready), Route("/metrics", told)]
    return HostCheck(Starlette(routes=routes, exception_handlers={Refused: refused}), loopback=loopback)


async def health(_request: Request) -> Response:
    """Whether the process answers at all."""
    return JSONResponse({"status": "ok"})
