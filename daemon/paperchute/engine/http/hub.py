"""The upload interface: a document or its address goes in, and is extracted from in one of two modes.

Its answers carry numbers as codes, and all but a wrong key, its limits and a busy service show in the body alone. See
docs/contract.md#upload-interface.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from paperchute.contract import contract
from paperchute.engine.http.answers import Refusal, record_of
from paperchute.engine.http.call import Call
from paperchute.engine.http.form import Form, Shape, Upload, base_name
from paperchute.engine.http.submission import orders_from
from paperchute.engine.outside import FetchRefused, download
from paperchute.engine.tasks.task import NewTask, Task
from paperchute.engine.work import AskLater, Refused
from paperchute.language import _

# Behaves like document-extract (docs/contract.md#upload-interface); an empty schema asks it for automatic fields.
_OPERATION = contract().operations["document-extract"]
_MODES = {"VisualExtract": "vision", "LayoutExtract": "layout"}
_SHOWN = ("401", "06001")  # codes that show in the HTTP status as well
_SHAPE = Shape("the upload", {"file": 1}, frozenset({"url", "mode", "metadata", "language"}))


def refuse(request: Request, error: Refused) -> Response:
    """A refusal as this interface has it."""
    shown = error.code in _SHOWN or isinstance(error, AskLater)
    return Refusal(request, error, status=None if shown else 200, code=int(error.code))


async def upload(call: Call) -> Response:
    """POST /api/v2/files/upload."""
    call.known(_OPERATION)
    key = call.request_key()
    known = await call.ask(call.parts.tasks.under_key, key, _OPERATION.id, "hub", call.key.id)
    call.took(known.id if known is not None else "")
    if known is not None:
        await call.skip_repeated(known)
        return _accepted(known)
    await call.let_in(_OPERATION)
    task = await call.new_task(lambda task: _filled(call, key, task))
    return _accepted(await call.ask(call.parts.tasks.task, task, call.key.id))


async def task_state(call: Call) -> Response:
    """GET /api/v2/tasks/{task}: experimental."""
    run = await call.ask(call.parts.store.by_id, call.request.path_params["task"])
    if run is None:
        raise Refused("05001", _("there is no such task"))
    return _success(_state(call, await call.ask(call.parts.tasks.task, run.task, call.key.id)))


async def batch_state(call: Call) -> Response:
    """GET /api/v2/batches/{batch}: experimental. One upload is one batch with one task in it."""
    return _success(_state(call, await call.ask(call.parts.tasks.task, call.request.path_params["batch"], call.key.id)))


async def _filled(call: Call, key: str | None, task: str) -> str:
    tasks, blobs = call.parts.tasks, call.parts.blobs
    form = await call.form(task, _SHAPE)
    url, metadata = _last(form, "url"), _metadata(_last(form, "metadata"))
    asked = {"mode": [_mode(_last(form, "mode"))], "extractFields": ["{}"]}
    if bool(url) == bool(form.uploads):
        raise Refused("03000", _("send either file or url"))
    if url:
        form.uploads.append(await _fetched(call, url, task))
    asked["language"] = ["2" if call.language == "zh_Hans" else "1"]
    orders = await asyncio.to_thread(
        orders_from,
        _OPERATION,
        Form(form.uploads, asked),
        {},
        task=task,
        blobs=blobs,
        language=call.language,
        fetch=call.parts.settings.fetch,
    )
    known = await call.ask(tasks.under_key, key, _OPERATION.id, "hub", call.key.id)
    if known is not None:
        call.took(known.id)
        return known.id
    new = NewTask(task, _OPERATION.id, "hub", call.language, key, metadata=metadata, owner=call.key.id)
    return await call.submit(new, orders)


async def _fetched(call: Call, url: str, task: str) -> Upload:
    """The document at an address, for which private, loopback and link-local addresses are closed. Raises Refused."""
    blobs, settings = call.parts.blobs, call.parts.settings
    path = blobs.inputs(task) / "fetched"
    try:
        size = await asyncio.to_thread(
            download,
            url,
            path,
            settings.limits.max_file,
            inner=settings.inner_hosts,
            room=lambda size: blobs.take(task, size),
        )
    except FetchRefused as error:
        raise Refused("01004", _("the url cannot be fetched: {reason}", reason=error)) from error
    return Upload("file", path, base_name(unquote(PurePosixPath(urlsplit(url).path).name)), size)


def _accepted(task: Task) -> Response:
    return _success({"batchId": task.id, "taskIds": [run.id for run in task.runs]})


def _state(call: Call, task: Task) -> dict[str, object]:
    if task.mode != "hub":
        raise Refused("05001", _("there is no such task"))
    run = task.runs[0]
    return {
        "taskId": run.id,
        "batchId": task.id,
        "status": run.state if run.ended else "processing",
        "metadata": json.loads(task.metadata) if task.metadata else None,
        "record": record_of(run, call.base_url),
    }


def _success(data: object) -> Response:
    return JSONResponse({"code": 200, "msg": "success", "data": data})


def _mode(text: str) -> str:
    for known, meaning in _MODES.items():
        if text.lower() == known.lower():
            return meaning
    allowed = " | ".join(_MODES)
    raise Refused("03000", _("mode takes {allowed}, not {mode}", allowed=allowed, mode=repr(text[:40])))


def _metadata(text: str) -> str:
    if not text:
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Refused("01006", _("metadata is not a JSON object"))
    return text


def _last(form: Form, name: str) -> str:
    return next((text.strip() for text in reversed(form.texts.get(name, [])) if text.strip()), "")
