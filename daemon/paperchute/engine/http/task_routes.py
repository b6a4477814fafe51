"""The routes of tasks: processing calls, the pre-signed flow, and what clients ask about tasks."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import IO, Any

from starlette.responses import Response

from paperchute.contract import Operation, contract
from paperchute.engine.http.answers import answer, page_of, success, task_of
from paperchute.engine.http.call import Call
from paperchute.engine.http.form import Form, Shape, base_name, shape_of
from paperchute.engine.http.spellings import operation_at, preset_at
from paperchute.engine.http.submission import callback_of, completed, draft_from, orders_from
from paperchute.engine.tasks.ports import StoredUpload
from paperchute.engine.tasks.storage import ARRIVING
from paperchute.engine.tasks.task import Mode, NewTask, Order, Run
from paperchute.engine.work import Refused
from paperchute.language import _


async def process(call: Call) -> Response:
    """POST /v2/process/{source}/{target}."""
    task = await call.parts.tasks.result(await _submitted(call, "sync"))
    call.outcome(task)
    return answer(task, call.base_url)


async def process_async(call: Call) -> Response:
    """POST /v2/processAsync/{source}/{target}."""
    task = await _submitted(call, "async")
    call.bind(task=task)
    return success({"taskId": task, "taskStatus": "TaskWaiting"})


async def _submitted(call: Call, mode: Mode) -> str:
    """The id of the task that does what the request asks for. Raises Refused, ClientDisconnect."""
    operation = call.operation()
    key = call.request_key()
    known = await call.ask(call.parts.tasks.under_key, key, operation.id, mode, call.key.id)
    call.took(known.id if known is not None else "")
    if known is not None:
        await call.skip_repeated(known)
        return known.id
    await call.let_in(operation)
    return await call.new_task(lambda task: _filled(call, operation, mode, key, task))


async def _filled(call: Call, operation: Operation, mode: Mode, key: str | None, task: str) -> str:
    tasks, blobs = call.parts.tasks, call.parts.blobs
    form = await call.form(task, shape_of(operation, call.parts.settings.limits, several=mode == "async"))
    form.texts.update(preset_at("/v2/process/{source}/{target}".format(**call.request.path_params)))
    callback = callback_of(form.texts) if mode == "async" else ""
    orders = await asyncio.to_thread(
        orders_from,
        operation,
        form,
        call.query,
        task=task,
        blobs=blobs,
        language=call.language,
        fetch=call.parts.settings.fetch,
        hosts=call.hosts(),
        protection=call.protection(),
    )
    # Another request under this key may have come first while this one was uploading.
    known = await call.ask(tasks.under_key, key, operation.id, mode, call.key.id)
    if known is not None:
        call.took(known.id)
        return known.id
    return await call.submit(NewTask(task, operation.id, mode, call.language, key, callback, owner=call.key.id), orders)


async def create(call: Call) -> Response:
    """POST /v2/presignedUrl/{source}/{target}: the operation's form without its file."""
    operation = call.operation()
    shape = shape_of(operation, call.parts.settings.limits)
    texts = (shape.texts or frozenset()) | {"fileName"}
    return await _created(call, Shape(operation.id, {}, texts), operation)


async def create_generic(call: Call) -> Response:
    """POST /v2/presignedUrl: the older form, which names its operation (first file) or its task (further files)."""
    return await _created(call, Shape("presignedUrl", {}, None), None)


async def upload(call: Call) -> Response:
    """PUT of the file's bytes to the address that `create` gave. Raises Refused, ClientDisconnect."""
    store, blobs = call.parts.store, call.parts.blobs
    run = await call.ask(store.by_upload, call.request.path_params["token"])
    if run is None or blobs.upload_link(run):
        raise Refused("05001", _("there is no such upload address"))
    call.bind(task=run.task)
    await call.ask(_check_open, call, run)
    if run.upload_until < await call.ask(store.now):
        raise Refused("05004", _("the upload address has expired"))
    path = blobs.inputs(run.task) / run.id
    part = path.with_name(run.id + ARRIVING)
    try:
        file = await asyncio.to_thread(part.open, "xb")
    except FileExistsError:
        raise Refused("05002", _("the file is being uploaded to this address already")) from None
    except OSError as error:
        raise Refused("01003", _("the upload could not be stored: {reason}", reason=error.strerror)) from error
    try:
        with file:
            size = await _received(call, run, file)
        await call.ask(_check_open, call, run)
        part.replace(path)
    except OSError as error:
        raise Refused("01003", _("the upload could not be stored: {reason}", reason=error.strerror)) from error
    finally:
        part.unlink(missing_ok=True)
        await asyncio.to_thread(blobs.count_again, run.task)
    await call.ask(call.parts.tasks.uploaded, run, size)
    call.bind(**{"in": size})
    return success(None)


async def start(call: Call) -> Response:
    """GET /v2/execute/start."""
    return success({"taskId": await call.ask(_started, call)})


def _started(call: Call) -> str:
    tasks, blobs = call.parts.tasks, call.parts.blobs
    task = tasks.task(call.task_id(), call.key.id)
    if task.state != "open":
        raise Refused("05002", _("the task has been started already or has ended"))
    uploads: list[StoredUpload] = []
    try:
        orders = [
            _completed(call, run, draft, uploads) for run, draft in zip(task.runs, tasks.drafts(task), strict=True)
        ]
        tasks.start(task, orders)
    except Refused:
        for upload in uploads:
            blobs.let_go(upload)
        raise
    return task.id


def _completed(call: Call, run: Run, draft: Order, uploads: list[StoredUpload]) -> Order:
    """A draft with its file, which is added to the uploads that came. Raises Refused."""
    blobs, limits = call.parts.blobs, call.parts.settings.limits
    upload = blobs.arrived(run)
    if upload is None:
        raise Refused("05005", _("the file {name} has not been uploaded", name=draft.name))
    uploads.append(upload)
    if upload.size > limits.max_file:
        raise _too_large(draft.name, limits.max_file)
    return completed(draft, upload, blobs, call.parts.settings.fetch)


async def _created(call: Call, shape: Shape, operation: Operation | None) -> Response:
    key = call.request_key()
    await call.let_in(operation)
    made: list[Run] = []

    async def fill(task: str) -> str:
        form = await call.form(task, shape)
        run = await call.ask(_draft, call, form, operation, key, task)
        made.append(run)
        return run.task

    await call.new_task(fill)
    run = made[0]
    call.bind(task=run.task)
    link = call.parts.blobs.upload_link(run) or f"{call.base_url}/v2/upload/{run.upload}"
    return success({"taskId": run.task, "presignedUrl": link})


def _draft(call: Call, form: Form, operation: Operation | None, key: str | None, task: str) -> Run:
    """The run that waits for its file: of a new task, or one more of a task that the form names."""
    tasks = call.parts.tasks
    name = _last(form, "fileName")
    if not name:
        raise Refused("03000", _("fileName is missing"))
    more = _last(form, "taskId") if operation is None else ""
    if more:
        known = tasks.task(more, call.key.id)
        operation, task = contract().operations[known.operation], known.id
    elif operation is None:
        wanted = _last(form, "executeTypeUrl")
        if not wanted:
            raise Refused("03000", _("executeTypeUrl or taskId is missing"))
        operation = call.known(operation_at(f"/v2/process/{wanted.strip('/')}"))
    before = None if more else tasks.under_key(key, operation.id, "secure", call.key.id)
    if before is not None:
        return before.runs[0]
    draft = draft_from(operation, form.texts, call.query, task=task, name=base_name(name), language=call.language)
    draft = replace(draft, hosts=call.hosts(), protection=call.protection())
    if more:
        return tasks.add_draft(draft, call.key.id)
    callback = callback_of(form.texts)
    return tasks.open(NewTask(task, operation.id, "secure", call.language, key, callback, owner=call.key.id), draft)


async def _received(call: Call, run: Run, file: IO[bytes]) -> int:
    limits, blobs = call.parts.settings.limits, call.parts.blobs
    size = 0
    async for block in call.request.stream():
        size += len(block)
        if size > limits.max_file:
            raise _too_large(run.file_name, limits.max_file)
        blobs.take(run.task, len(block))
        await asyncio.to_thread(file.write, block)
    return size


def _too_large(name: str, most: int) -> Refused:
    return Refused("02209", _("{name} is larger than {most} bytes", name=name, most=most))


def _check_open(call: Call, run: Run) -> None:
    task = call.parts.store.get(run.task)
    if task is None or task.state != "open":
        raise Refused("05002", _("the task takes no more files"))


def _last(form: Form, name: str) -> str:
    return next((text.strip() for text in reversed(form.texts.get(name, [])) if text.strip()), "")


_LARGEST_PAGE = 1000


async def task_info(call: Call) -> Response:
    """GET /v2/task/taskInfo.

    Without a taskId the header Idempotency-Key names the task, by the request that made it: a synchronous call learns
    its taskId only at its end.
    """
    return success(await call.ask(_told, call))


def _told(call: Call) -> dict[str, Any]:
    tasks = call.parts.tasks
    key = call.request_key()
    if key and not call.query.get("taskId"):
        task = tasks.under_way(key, call.key.id)
    else:
        task = tasks.task(call.task_id(), call.key.id)
    return task_of(task, call.base_url, tasks.pages(task))


async def task_list(call: Call) -> Response:
    """GET /v2/task/list."""
    page = _number(call, "page", 1, most=1_000_000)
    size = _number(call, "size" if call.query.get("size") else "pageSize", 10, most=_LARGEST_PAGE)
    total, tasks = await call.ask(call.parts.store.page, (page - 1) * size, size, call.key.id)
    return page_of(tasks, total, page, size)


async def close_task(call: Call) -> Response:
    """POST /v2/task/closeTask."""
    await call.ask(call.parts.tasks.close, call.task_id(), call.key.id)
    return success(None)


def _number(call: Call, name: str, default: int, *, most: int) -> int:
    text = call.query.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= most):
        raise Refused("03000", _("{name} takes a whole number from 1 to {most}", name=name, most=most))
    return int(text)
