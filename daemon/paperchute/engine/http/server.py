"""The HTTP face of the engine: its routes, and what stands behind them for as long as it runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

from loguru import logger
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from paperchute import telemetry
from paperchute.contract import contract
from paperchute.engine.http import hub, task_routes, try_page
from paperchute.engine.http.access import HostCheck
from paperchute.engine.http.answers import Refusal, success
from paperchute.engine.http.call import Call, Parts, Refuse
from paperchute.engine.http.doorkeeper import Doorkeeper, ShownKey, bearer_key, shown_key
from paperchute.engine.http.monitoring import health
from paperchute.engine.keys import metrics as key_metrics
from paperchute.engine.keys.table import OWN
from paperchute.engine.metrics import MEDIA_TYPE, Metrics
from paperchute.engine.operations import implemented
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.ports import BlobStore, TaskStore
from paperchute.engine.tasks.storage import attachment
from paperchute.engine.work import AskLater, Refused
from paperchute.language import _

_ANY_KIND = "application/octet-stream"
_SMALL = 1 << 16  # bytes of a result that are read at once: sooner done than handed to a thread three times


class Backing(Protocol):
    """What stands behind the routes, before the event loop and after it."""

    @property
    def store(self) -> TaskStore:
        """Where tasks are written down."""
        ...

    @property
    def blobs(self) -> BlobStore:
        """Where their files are kept."""
        ...

    @property
    def metrics(self) -> Metrics:
        """What this engine counts."""
        ...

    def begin(self) -> Tasks:
        """On the event loop, before the first call."""
        ...

    def regular(self, tasks: Tasks) -> Sequence[tuple[float, Callable[[], None]]]:
        """Return what this engine itself does once in so many seconds."""
        ...

    def check(self) -> None:
        """Raises AskLater while this engine can do no work. Waits for nothing."""
        ...

    def check_alive(self) -> None:
        """Raises AskLater when this engine must be started anew to do any."""
        ...

    def stop(self) -> None:
        """Begin nothing more."""
        ...


class Engine:
    """The application. `app` is what a server runs; `loopback` closes it to pages that rebind their DNS name."""

    def __init__(self, settings: Settings, backing: Backing, *, loopback: bool) -> None:
        self._settings = settings
        self._backing = backing
        self._store, self._blobs, self._metrics = backing.store, backing.blobs, backing.metrics
        self.doors = Doorkeeper(settings.key, backing.store.keys)
        self._parts: Parts | None = None
        routes = [
            Route("/openapi.json", try_page.openapi),
            Route("/try", try_page.to_page),
            Route("/try/", try_page.page),
            Route("/try/{name}", try_page.page),
            Route("/health", health(backing.check_alive)),
            Route("/v1/health", health(backing.check_alive)),  # asked by one public client
            Route("/ready", self._ready),
            Route("/metrics", self._tell_metrics),
            self._route("POST", "/v2/process/{source}/{target}", task_routes.process),
            self._route("POST", "/v2/processAsync/{source}/{target}", task_routes.process_async),
            self._route("POST", "/v2/presignedUrl", task_routes.create_generic),
            self._route("POST", "/v2/presignedUrl/{source}/{target}", task_routes.create),
            self._route("PUT", "/v2/upload/{token}", task_routes.upload, shown=None),
            self._route("GET", "/v2/execute/start", task_routes.start),
            self._route("GET", "/v2/task/taskInfo", task_routes.task_info),
            self._route("GET", "/v2/task/list", task_routes.task_list),
            self._route("POST", "/v2/task/closeTask", task_routes.close_task),
            self._route("POST", "/api/v2/files/upload", hub.upload, shown=bearer_key, refuse=hub.refuse),
            self._route("GET", "/api/v2/tasks/{task}", hub.task_state, shown=bearer_key, refuse=hub.refuse),
            self._route("GET", "/api/v2/batches/{batch}", hub.batch_state, shown=bearer_key, refuse=hub.refuse),
            Route("/v2/download/{token}/{name:path}", self._download),
            Route("/v2/asset/info", self._asset_info),
            Route("/v2/tool/support", self._tool_support),
        ]
        inner = Starlette(
            routes=[Mount("/server", routes=routes), *routes],
            lifespan=self._lifespan,
            exception_handlers={
                Refused: self._refused,
                HTTPException: self._no_route,
                Exception: self._fault,
                **({backing.store.trouble: self._away, OSError: self._away} if backing.store.remote else {}),
            },
        )
        self.app: ASGIApp = HostCheck(inner, loopback=loopback)

    def stop(self) -> None:
        """End all work at once; those who wait for a task are told to ask again."""
        self._backing.stop()
        if self._parts is not None:
            self._parts.tasks.stop()

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        tasks = self._backing.begin()
        self._parts = Parts(self._settings, self._store, self._blobs, tasks, self._metrics, self.doors)
        regular = [asyncio.create_task(_regularly(*work)) for work in self._backing.regular(tasks)]
        try:
            yield
        finally:
            for job in regular:
                job.cancel()
            self.stop()

    # ---------- routes ----------

    def _route(
        self,
        method: str,
        path: str,
        work: Callable[[Call], Awaitable[Response]],
        *,
        shown: ShownKey | None = shown_key,
        refuse: Refuse = Refusal,
    ) -> Route:
        async def answer(request: Request) -> Response:
            assert self._parts is not None
            parent = request.headers.get(telemetry.HEADER, "")
            with telemetry.span(f"{method} {path}", "server", parent):
                return await Call(request, self._parts).answered(work, shown=shown, refuse=refuse)

        return Route(path, answer, methods=[method])

    async def _download(self, request: Request) -> Response:
        assert self._parts is not None
        call = Call(request, self._parts)
        run = await call.ask(self._store.by_token, request.path_params["token"])
        task = await call.ask(self._store.get, run.task) if run is not None else None
        if (
            run is None
            or run.state != "success"
            or task is None
            or not await call.ask(self._parts.tasks.has_results, task)
        ):
            raise Refused("05004", _("the result has expired or never existed"))
        found = await call.ask(self._blobs.download, run, request.method)
        if isinstance(found, str):
            return RedirectResponse(found, status_code=307)
        headers = {"Content-Disposition": attachment(run.output_name), "X-Content-Type-Options": "nosniff"}
        if run.output_size <= _SMALL and request.method == "GET" and "range" not in request.headers:
            return Response(found.read_bytes(), media_type=_ANY_KIND, headers=headers)
        return FileResponse(found, media_type=_ANY_KIND, headers=headers)

    async def _ready(self, _request: Request) -> Response:
        """Raises AskLater while a call would be turned away.

        A full queue or storage that is shared does not count: another server would turn the call away as well, and
        whoever asks here would take all of them out of service.
        """
        assert self._parts is not None
        if self._store.remote:
            self._backing.check()
        else:
            await asyncio.to_thread(self._parts.tasks.check_free)
        return JSONResponse({"status": "ready"})

    async def _tell_metrics(self, request: Request) -> Response:
        assert self._parts is not None
        if await Call(request, self._parts).identify() != OWN:
            raise Refused("403", _("only the service's own key may see this"))
        try:
            load = await asyncio.to_thread(self._parts.tasks.load)
            keys = key_metrics.text(await asyncio.to_thread(self._store.keys.all))
        except self._store.trouble:  # what this engine itself has counted is worth all the more then
            load, keys = None, ""
        told = self._metrics.text(load, database=load is not None if self._store.remote else None)
        return Response(told + keys, media_type=MEDIA_TYPE)

    async def _asset_info(self, request: Request) -> Response:
        assert self._parts is not None
        call = Call(request, self._parts)
        key = await call.identify()
        await call.ask(self._parts.tasks.check_workers)  # clients ask this to learn whether the service can be used
        left, held = await call.ask(self._store.keys.left, key)
        return success({"tenantAsset": [{"assetTypeName": "PACKAGES", "asset": left, "withholdingAsset": held}]})

    async def _tool_support(self, request: Request) -> Response:
        assert self._parts is not None
        await Call(request, self._parts).identify()
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

    # ---------- what goes wrong ----------

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        self._metrics.refused(error.code)
        return Refusal(request, error)

    async def _away(self, request: Request, error: Exception) -> Response:
        """Say that what engines share may be there again later: it is another machine's."""
        path, reason = request.url.path, f"{type(error).__name__}: {error}".partition("\n")[0]
        if isinstance(error, self._store.trouble):
            logger.error("the database does not do what is asked of it for {}: {}", path, reason)
            why = _("the service's database cannot be used at present; try again later")
        else:
            logger.error("the storage does not do what is asked of it for {}: {}", path, reason)
            why = _("the service's storage cannot be used at present; try again later")
        return await self._refused(request, AskLater(why))

    async def _no_route(self, request: Request, _error: Exception) -> Response:
        return await self._refused(request, Refused("404", _("there is nothing at this address")))

    async def _fault(self, request: Request, error: Exception) -> Response:
        self._metrics.refused("500")
        logger.opt(exception=error).error("a fault while answering {}", request.url.path)
        return Refusal(request, Refused("01001", _("an internal error")), status=500)


async def _regularly(seconds: float, job: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(seconds)
        with logger.catch(message="regular work failed"):
            await asyncio.to_thread(job)
