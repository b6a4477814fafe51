"""One processing call, from its request to its answer, and its line in the log."""

from __future__ import annotations

import asyncio
import time

from loguru import logger
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from paperchute.contract import Operation, contract
from paperchute.engine.access import check_key
from paperchute.engine.envelope import answer
from paperchute.engine.form import FormReader
from paperchute.engine.messages import Language
from paperchute.engine.refusal import Refusal
from paperchute.engine.settings import Settings
from paperchute.engine.spelling import language_of
from paperchute.engine.store import Store, Task
from paperchute.engine.submission import check_implemented, order_from
from paperchute.engine.tasks import Tasks
from paperchute.engine.work import Refused

_LONGEST_KEY = 255
_SHOWN_NAMES = 20


class Call:
    """One request to /v2/process. A client that goes away leaves its task running, to be had under its key."""

    def __init__(self, request: Request, settings: Settings, store: Store, tasks: Tasks) -> None:
        self._request = request
        self._settings = settings
        self._store = store
        self._tasks = tasks
        self._query = dict(request.query_params)
        self._language: Language = language_of({}, self._query)
        self._ignored: list[str] = []
        self._log = logger.bind(path=request.url.path.partition("/v2/process/")[2])

    async def answer(self) -> Response:
        """The envelope with the record, or the refusal. Writes the call's line into the log."""
        begun = time.monotonic()
        try:
            check_key(self._request, self._settings.key)
            task = await self._task()
        except Refused as error:
            self._note("refused", begun, code=error.code)
            return Refusal(self._request, error, self._language)
        except ClientDisconnect:
            self._note("client gone", begun)
            return Response(status_code=400)  # nobody reads it
        bound = {"in": task.file_size, "out": task.output_size, "worker_ms": task.milliseconds}
        self._note(task.state, begun, task=task.id, code=task.code, **bound)
        return answer(task, _own_address(self._request))

    def _note(self, outcome: str, begun: float, **facts: object) -> None:
        milliseconds = int((time.monotonic() - begun) * 1000)
        names = [name[:100] for name in self._ignored[:_SHOWN_NAMES]]
        self._log.bind(outcome=outcome, ms=milliseconds, ignored=names, **facts).info("call")

    async def _task(self) -> Task:
        operation = contract().operation_at("/v2/process/{source}/{target}".format(**self._request.path_params))
        if operation is None:
            raise Refused("404", "there is no such operation")
        key = self._request.headers.get("idempotency-key") or None
        self._log = self._log.bind(operation=operation.id, key=key and key[:_LONGEST_KEY])
        if key is not None and len(key) > _LONGEST_KEY:
            raise Refused("03000", f"an Idempotency-Key has at most {_LONGEST_KEY} characters")
        check_implemented(operation)
        known = self._tasks.under_key(key, operation.id) if key else None
        if known is None:
            return await self._tasks.result(await self._submitted(operation, key))
        async for _ in self._request.stream():
            continue  # the same upload again
        return await self._tasks.result(known.id)

    async def _submitted(self, operation: Operation, key: str | None) -> str:
        """The id of the task that does what the request asks for. Raises Refused, ClientDisconnect."""
        self._tasks.check_free()
        task = self._store.new_id()
        taken = False
        try:
            reader = FormReader(self._store.inputs(task), operation, self._settings.limits)
            try:
                form = await reader.read(self._request.headers.get("content-type", ""), self._request.stream())
            finally:
                self._language = language_of(reader.form.texts, self._query)
                self._ignored = reader.form.ignored
            order = await asyncio.to_thread(
                order_from,
                operation,
                form,
                self._query,
                task=task,
                store=self._store,
                request_key=key,
                language=self._language,
            )
            # Another request under this key may have come first while this one was uploading.
            known = self._tasks.under_key(key, operation.id) if key else None
            if known is not None:
                return known.id
            self._tasks.submit(order)
            taken = True
            return task
        finally:
            if not taken:
                self._store.discard(task)


def _own_address(request: Request) -> str:
    """The address the client used, with the prefix it used."""
    prefix = "/server" if request.url.path.startswith("/server/") else ""
    return f"{request.url.scheme}://{request.url.netloc}{prefix}"
