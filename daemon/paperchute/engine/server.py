"""The HTTP face of the engine: its routes, and what stands behind them for as long as it runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import quote

from loguru import logger
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from paperchute.contract import contract
from paperchute.engine.access import HostCheck, check_key
from paperchute.engine.envelope import success
from paperchute.engine.operations import implemented
from paperchute.engine.processing import Call
from paperchute.engine.refusal import Refusal
from paperchute.engine.settings import Settings
from paperchute.engine.spelling import language_of
from paperchute.engine.store import Store
from paperchute.engine.tasks import Tasks
from paperchute.engine.work import Refused

_SWEEP_SECONDS = 3600.0
_UNLIMITED = 2**31 - 1
_NOTHING_HERE = Refused("404", "there is nothing at this address")


class Engine:
    """The application. `app` is what a server runs; `loopback` closes it to pages that rebind their DNS name."""

    def __init__(self, settings: Settings, *, loopback: bool) -> None:
        self._settings = settings
        self._store = Store(settings.state, settings.limits.result_seconds)
        self._tasks: Tasks | None = None
        routes = [
            Route("/health", self._health),
            Route("/v2/process/{source}/{target}", self._process, methods=["POST"]),
            Route("/v2/download/{token}/{name:path}", self._download),
            Route("/v2/asset/info", self._asset_info),
            Route("/v2/tool/support", self._tool_support),
        ]
        inner = Starlette(
            routes=[Mount("/server", routes=routes), *routes],
            lifespan=self._lifespan,
            exception_handlers={Refused: _refused, HTTPException: _no_route, Exception: _fault},
        )
        self.app: ASGIApp = HostCheck(inner) if loopback else inner

    def stop(self) -> None:
        """End all work at once; those who wait for a task are told to ask again."""
        if self._tasks is not None:
            self._tasks.stop()

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._tasks = Tasks(self._store, self._settings)
        sweeper = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeper.cancel()
            self.stop()
            self._store.close()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            with logger.catch(message="expired results could not be removed"):
                await asyncio.to_thread(self._store.sweep)

    # ---------- routes ----------

    async def _process(self, request: Request) -> Response:
        assert self._tasks is not None
        return await Call(request, self._settings, self._store, self._tasks).answer()

    async def _download(self, request: Request) -> Response:
        task = self._store.by_token(request.path_params["token"])
        if task is None:
            raise Refused("05004", "the result has expired or never was")
        disposition = f"attachment; filename*=UTF-8''{quote(task.output_name, safe='')}"
        return FileResponse(
            self._store.output(task.id),
            media_type="application/octet-stream",
            headers={"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"},
        )

    async def _asset_info(self, request: Request) -> Response:
        check_key(request, self._settings.key)
        return success({"tenantAsset": [{"assetTypeName": "PACKAGES", "asset": _UNLIMITED, "withholdingAsset": 0}]})

    async def _tool_support(self, request: Request) -> Response:
        check_key(request, self._settings.key)
        able = [operation for operation in contract().operations.values() if operation.id in implemented()]
        return success(
            [
                {
                    "sourceTypeName": operation.source_type,
                    "targetTypeName": operation.target_type,
                    "executeTypeUrl": operation.path.removeprefix("/v2/process/"),
                }
                for operation in able
            ]
        )

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok"})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return Refusal(request, error, language_of({}, request.query_params))


async def _no_route(request: Request, _: Exception) -> Response:
    return await _refused(request, _NOTHING_HERE)


async def _fault(request: Request, error: Exception) -> Response:
    logger.opt(exception=error).error("a fault while answering {}", request.url.path)
    return Refusal(request, Refused("01001", "an internal fault"), language_of({}, request.query_params), status=500)
