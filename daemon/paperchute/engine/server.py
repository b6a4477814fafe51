"""The HTTP face of the engine: routes, key and host check, one processing call from request to answer."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import AsyncIterator
from urllib.parse import quote

from loguru import logger
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from paperchute.contract import Operation, contract
from paperchute.engine.envelope import answer, refusal, success
from paperchute.engine.form import FormReader
from paperchute.engine.operations import implemented
from paperchute.engine.settings import Settings
from paperchute.engine.store import Store
from paperchute.engine.submission import work_from
from paperchute.engine.tasks import Tasks
from paperchute.engine.work import Refused

_LOOPBACK_HOSTS = {"127.0.0.1", "localhost", "[::1]", "::1"}
_SWEEP_SECONDS = 3600.0
_BUSY_SECONDS = 5
_ENGLISH = 1


class Engine:
    """The application. `app` is what a server runs; `loopback` closes it to pages that rebind their DNS name."""

    def __init__(self, settings: Settings, *, loopback: bool) -> None:
        self._settings = settings
        self._store = Store(settings.state, settings.result_seconds)
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
            exception_handlers={404: self._not_found, 405: self._not_found, Exception: self._fault},
        )
        self.app: ASGIApp = _HostCheck(inner) if loopback else inner

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._tasks = Tasks(self._store, self._settings)
        sweeper = asyncio.create_task(self._sweep())
        try:
            yield
        finally:
            sweeper.cancel()
            self._tasks.stop()
            self._store.close()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            await asyncio.to_thread(self._store.sweep)

    # ---------- routes ----------

    async def _process(self, request: Request) -> Response:
        language = _language(request)
        try:
            self._check_key(request)
            path = f"/v2/process/{request.path_params['source']}/{request.path_params['target']}"
            operation = contract().operation_at(path)
            if operation is None:
                raise Refused("404", "there is no such operation", "路径不存在")
            return await self._done(request, operation)
        except Refused as error:
            busy = error.code == "01001"
            headers = {"Retry-After": str(_BUSY_SECONDS)} if busy else {}
            # Part of the body may be unread; a connection in that state cannot serve another request.
            headers["Connection"] = "close"
            return refusal(error, language, 503 if busy else None, headers)
        except ClientDisconnect:
            return Response(status_code=400)

    async def _done(self, request: Request, operation: Operation) -> Response:
        assert self._tasks is not None
        request_key = request.headers.get("idempotency-key")
        future = self._tasks.known(request_key, operation.id) if request_key else None
        if future is not None:
            async for _ in request.stream():
                pass  # the same upload again; its answer is known
        else:
            future = await self._submitted(request, operation, request_key)
        task = await asyncio.shield(future)
        return answer(task, _own_address(request))

    async def _submitted(self, request: Request, operation: Operation, request_key: str | None) -> asyncio.Future:  # type: ignore[type-arg]
        assert self._tasks is not None
        settings = self._settings
        number = self._store.new_id()
        try:
            file_parts = frozenset(p.name for p in operation.parameters if p.type == "file")
            reader = FormReader(self._store.inputs(number), file_parts, settings.max_file, settings.max_text)
            form = await reader.read(request.headers.get("content-type", ""), request.stream())
            work = await asyncio.to_thread(
                work_from, operation, form, dict(request.query_params), number, self._store, settings
            )
            if request_key and (again := self._tasks.known(request_key, operation.id)) is not None:
                self._store.discard(number)
                return again
            language = work.parameters.get("language", _ENGLISH)
            return self._tasks.submit(number, work, request_key, int(str(language)))
        except BaseException:
            if self._store.get(number) is None:
                self._store.discard(number)
            raise

    async def _download(self, request: Request) -> Response:
        task = self._store.by_token(request.path_params["token"])
        if task is None:
            return refusal(Refused("05004", "the result has expired or never was"), _language(request), 410)
        disposition = f"attachment; filename*=UTF-8''{quote(task.output_name, safe='')}"
        return FileResponse(
            self._store.output(task.id),
            media_type="application/octet-stream",
            headers={"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"},
        )

    async def _asset_info(self, request: Request) -> Response:
        try:
            self._check_key(request)
        except Refused as error:
            return refusal(error, _language(request))
        unlimited = 2**31 - 1
        return success({"tenantAsset": [{"assetTypeName": "PACKAGES", "asset": unlimited, "withholdingAsset": 0}]})

    async def _tool_support(self, request: Request) -> Response:
        try:
            self._check_key(request)
        except Refused as error:
            return refusal(error, _language(request))
        able = [o for o in contract().operations.values() if o.id in implemented()]
        return success(
            [
                {
                    "sourceTypeName": o.source_type,
                    "targetTypeName": o.target_type,
                    "executeTypeUrl": o.path.removeprefix("/v2/process/"),
                }
                for o in able
            ]
        )

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _not_found(self, request: Request, _: Exception) -> Response:
        return refusal(Refused("404", "there is nothing at this address", "路径不存在"), _language(request))

    async def _fault(self, request: Request, error: Exception) -> Response:
        logger.opt(exception=error).error("a fault while answering {}", request.url.path)
        return refusal(Refused("01001", "an internal fault"), _language(request), 500)

    def _check_key(self, request: Request) -> None:
        given = request.headers.get("x-api-key", "")
        if not given:
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            given = token if scheme.lower() == "bearer" else ""
        if not hmac.compare_digest(given.encode(), self._settings.key.encode()):
            raise Refused("401", "the API key is missing or wrong")


class _HostCheck:
    """Refuses requests for other host names than this machine's own: a web page must not reach the engine."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            host = Request(scope).headers.get("host", "")
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name not in _LOOPBACK_HOSTS:
                response = refusal(Refused("403", "this host name is not served"), _ENGLISH)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _language(request: Request) -> int:
    """For refusals before the form is read; the form's own `language` counts from then on."""
    return 2 if request.query_params.get("language") == "2" else _ENGLISH


def _own_address(request: Request) -> str:
    """The address the client used, with the prefix it used."""
    prefix = "/server" if request.url.path.startswith("/server/") else ""
    return f"{request.url.scheme}://{request.url.netloc}{prefix}"
