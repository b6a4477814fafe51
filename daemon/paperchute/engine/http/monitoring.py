"""What an engine that only works tells those who watch over it: that it lives, that it can work, what it has done."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from paperchute.engine.http.access import HostCheck
from paperchute.engine.http.answers import Refusal
from paperchute.engine.http.doorkeeper import shown_key, unknown_key
from paperchute.engine.metrics import MEDIA_TYPE, Metrics
from paperchute.engine.work import Refused


def monitored(
    metrics: Metrics, check: Callable[[], None], check_alive: Callable[[], None], *, key: str, loopback: bool
) -> ASGIApp:
    """The application. key: empty for none.

    check: raises Refused while no work can be done; check_alive: when the process must be started anew. Both wait for
    nothing.
    """

    async def ready(_request: Request) -> Response:
        check()
        return JSONResponse({"status": "ready"})

    async def told(request: Request) -> Response:
        if key and not hmac.compare_digest(shown_key(request.headers).encode(), key.encode()):
            raise unknown_key(request, shown_key)
        return Response(metrics.text(None), media_type=MEDIA_TYPE)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return Refusal(request, error)

    routes = [Route("/health", health(check_alive)), Route("/ready", ready), Route("/metrics", told)]
    return HostCheck(Starlette(routes=routes, exception_handlers={Refused: refused}), loopback=loopback)


def health(check_alive: Callable[[], None]) -> Callable[[Request], Awaitable[Response]]:
    """The route that says whether the process answers, and its loops turn. check_alive: raises Refused."""

    async def answer(_request: Request) -> Response:
        check_alive()
        return JSONResponse({"status": "ok"})

    return answer
