"""One call to the engine, from its request to its answer, and its line in the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from loguru import logger
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from paperchute import telemetry
from paperchute.contract import Operation
from paperchute.engine.http.answers import TAKEN, Refusal
from paperchute.engine.http.doorkeeper import Doorkeeper, ShownKey, shown_key, unknown_key
from paperchute.engine.http.form import Form, FormReader, Shape
from paperchute.engine.http.spellings import language_asked, language_of, operation_at
from paperchute.engine.http.submission import check_implemented
from paperchute.engine.keys.table import OWN, ApiKey
from paperchute.engine.metrics import Metrics
from paperchute.engine.settings import Settings
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.ports import BlobStore, TaskStore
from paperchute.engine.tasks.task import NewTask, Order, Task
from paperchute.engine.work import Protecting, Refused
from paperchute.language import _, speak

_LONGEST_KEY = 255
_FRAMING = 1 << 20  # bytes of a form's boundaries and heads
_SHOWN_NAMES = 20

Refuse = Callable[[Request, Refused], Response]
_P = ParamSpec("_P")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Parts:
    """What stands behind the routes for as long as the engine runs."""

    settings: Settings
    store: TaskStore
    blobs: BlobStore
    tasks: Tasks
    metrics: Metrics
    doors: Doorkeeper


class Call:
    """One request. A client that goes away leaves its task running, to be had under its key or its task id."""

    def __init__(self, request: Request, parts: Parts) -> None:
        self.request = request
        self.parts = parts
        self.query = dict(request.query_params)
        self.language = language_asked(request)
        """Of everything that is answered, and of what the task will say."""
        self.key = OWN
        self._outcome = "done"
        self._ignored: list[str] = []
        prefix = "/server" if request.url.path.startswith("/server/") else ""
        self.base_url = f"{request.url.scheme}://{request.url.netloc}{prefix}"
        self._log = logger.bind(path=request.url.path.removeprefix(prefix).removeprefix("/v2/process/"))

    async def answered(
        self,
        work: Callable[[Call], Awaitable[Response]],
        *,
        shown: ShownKey | None = shown_key,
        refuse: Refuse = Refusal,
    ) -> Response:
        """Give what `work` answers, or the refusal it raises. shown: where its key stands, None where it needs none."""
        begun = time.monotonic()
        try:
            if shown is not None:
                await self.identify(shown)
            answer = await work(self)
        except Refused as error:
            self.parts.metrics.refused(error.code)
            self._note("refused", begun, code=error.code)
            return refuse(self.request, error)
        except ClientDisconnect:
            self._note("client gone", begun)
            return Response(status_code=400)  # nobody reads it
        self._note(self._outcome, begun)
        return answer

    async def identify(self, shown: ShownKey = shown_key) -> ApiKey:
        """Whose call it is. Raises Refused (401)."""
        given = shown(self.request.headers)
        found = self.parts.doors.own(given)
        if found is None and given:
            found = await self.ask(self.parts.doors.named, given)
        if found is None:
            raise unknown_key(self.request, shown)
        self.key = found
        self.bind(caller=found.name)
        return found

    async def let_in(self, operation: Operation | None) -> None:
        """Before an upload is read: whether the work that it is for would be taken. Raises Refused."""
        await self.ask(self.parts.tasks.let_in, self.key, operation.id if operation is not None else "")

    def took(self, task: str | None) -> None:
        """Note what the request has made, for whoever is refused: its task, "" for none, None while that is open."""
        setattr(self.request.state, TAKEN, task)

    async def submit(self, new: NewTask, orders: Sequence[Order]) -> str:
        """See `Tasks.submit`. What it refuses has left nothing; an error of the store may come after the commit."""
        self.took(None)
        try:
            task = await self.ask(self.parts.tasks.submit, new, orders)
        except (Refused, OSError):
            self.took("")
            raise
        self.took(task)
        return task

    def bind(self, **facts: object) -> None:
        """Facts for the call's line in the log."""
        self._log = self._log.bind(**facts)
        telemetry.note(**facts)

    async def ask(self, work: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
        """Return what `work` gives, which asks the store: on a thread of its own where that is another machine's."""
        if self.parts.store.remote:
            return await asyncio.to_thread(work, *args, **named)
        return work(*args, **named)

    def operation(self) -> Operation:
        """The operation that the path names. Raises Refused when there is none or the engine does not do it."""
        path = "/v2/process/{source}/{target}".format(**self.request.path_params)
        return self.known(operation_at(path))

    def known(self, operation: Operation | None) -> Operation:
        """An operation that the engine does. Raises Refused."""
        if operation is None:
            raise Refused("404", _("there is no such operation"))
        self.bind(operation=operation.id)
        check_implemented(operation)
        return operation

    def request_key(self) -> str | None:
        """The idempotency key. Raises Refused when it is too long."""
        key = self.request.headers.get("idempotency-key") or None
        self.bind(key=key and key[:_LONGEST_KEY])
        if key is not None and len(key) > _LONGEST_KEY:
            raise Refused("03000", _("an Idempotency-Key has at most {most} characters", most=_LONGEST_KEY))
        return key

    def hosts(self) -> tuple[str, ...]:
        """The hosts that the call's HTML may fetch from beside the engine's own list."""
        if not self.parts.settings.hosts_by_call:
            return ()
        named = self.request.headers.get("paperchute-hosts", "").split(",")
        return tuple(host for name in named if (host := name.strip().lower()))

    def protection(self) -> Protecting:
        """Return what is to become of the protection of locked documents. Raises Refused for what it cannot be."""
        wish = self.request.headers.get("paperchute-protection", "keep").strip().lower()
        if wish == "drop":
            return "drop"
        if wish != "keep":
            raise Refused("03000", _("Paperchute-Protection is keep or drop"))
        return "keep"

    async def form(self, task: str, shape: Shape) -> Form:
        """The request's form, its files among the inputs of `task`. Raises Refused, ClientDisconnect."""
        blobs = self.parts.blobs
        reader = FormReader(
            blobs.inputs(task), shape, self.parts.settings.limits, room=lambda size: blobs.take(task, size)
        )
        try:
            return await reader.read(self.request.headers.get("content-type", ""), self.request.stream())
        finally:
            self.language = language_of(reader.form.texts, self.query) or self.language
            speak(self.language)
            self._ignored = reader.form.ignored

    async def skip_body(self, most: int) -> None:
        """Read what is of no use, such as the same upload again. Raises Refused beyond so many bytes."""
        async for block in self.request.stream():
            most -= len(block)
            if most < 0:
                raise Refused("02209", _("the request is larger than the one that came before under its key"))

    async def skip_repeated(self, task: Task) -> None:
        """Read the body of a request under a task's key, which is no larger than the one that made it. As above."""
        limits = self.parts.settings.limits
        await self.skip_body(sum(run.file_size for run in task.runs) + limits.max_text + _FRAMING)

    async def new_task(self, fill: Callable[[str], Awaitable[str]]) -> str:
        """The id that `fill` gives back, called with a new one; the new one's files are gone unless it is the same."""
        blobs = self.parts.blobs
        task = blobs.new_task(self.key.id)
        taken = ""
        is_certain = True
        try:
            taken = await fill(task)
            return taken
        except (self.parts.store.trouble, asyncio.CancelledError):
            is_certain = not self.parts.store.remote  # it may have been written down, and somebody at work on its files
            raise
        finally:
            if taken != task and is_certain:
                await asyncio.shield(asyncio.to_thread(blobs.discard, task))

    def task_id(self) -> str:
        """The task that the query names. Raises Refused (01007)."""
        task = self.query.get("taskId", "").strip()
        if not task:
            raise Refused("01007", _("the query has no taskId"))
        self.bind(task=task[:64])
        return task

    def outcome(self, task: Task) -> None:
        """What became of a task, for the log."""
        run = task.runs[0]
        facts = {"code": run.code, "in": run.file_size, "out": run.output_size, "worker_ms": run.milliseconds}
        self._outcome = run.state
        self.bind(task=task.id, **facts)

    def _note(self, outcome: str, begun: float, **facts: object) -> None:
        milliseconds = int((time.monotonic() - begun) * 1000)
        names = [name[:100] for name in self._ignored[:_SHOWN_NAMES]]
        telemetry.note(outcome=outcome, **facts)
        log = self._log.bind(outcome=outcome, ms=milliseconds, ignored=names, trace_id=telemetry.trace_id(), **facts)
        log.info("call")
