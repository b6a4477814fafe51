"""Processing calls: the synchronous one, whose answer is the record, and the asynchronous one (contract 3 and 4)."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from paperchute.contract import Operation
from paperchute.engine.call import Call
from paperchute.engine.envelope import answer, success
from paperchute.engine.form import shape_of
from paperchute.engine.paths import preset_at
from paperchute.engine.records import Mode, NewTask
from paperchute.engine.submission import callback_of, orders_from


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
    known = call.parts.tasks.under_key(key, operation.id, mode)
    if known is not None:
        await call.skip_body()
        return known.id
    call.parts.tasks.check_free()
    return await call.new_task(lambda task: _filled(call, operation, mode, key, task))


async def _filled(call: Call, operation: Operation, mode: Mode, key: str | None, task: str) -> str:
    tasks, files = call.parts.tasks, call.parts.store.files
    form = await call.form(task, shape_of(operation, call.parts.settings.limits, several=mode == "async"))
    form.texts.update(preset_at("/v2/process/{source}/{target}".format(**call.request.path_params)))
    callback = callback_of(form.texts) if mode == "async" else ""
    orders = await asyncio.to_thread(
        orders_from,
        operation,
        form,
        call.query,
        task=task,
        files=files,
        language=call.language,
        fetch=call.parts.settings.fetch,
        hosts=call.hosts(),
        protection=call.protection(),
    )
    # Another request under this key may have come first while this one was uploading.
    known = tasks.under_key(key, operation.id, mode)
    if known is not None:
        return known.id
    tasks.submit(NewTask(task, operation.id, mode, call.language, key, callback), orders)
    return task
