"""The service's answers: envelope, record and refusal, as contract.toml has them."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from paperchute.contract import contract
from paperchute.engine.tasks.task import Run, Task
from paperchute.engine.work import AskLater, Refused

_LIST_FIELDS = next(call["record_fields"] for call in contract().raw["async"]["call"] if call["id"] == "task-list")


def success(data: Any, **more: Any) -> Response:
    """A successful envelope."""
    return JSONResponse({"code": "200", "msg": "success", "data": data, **more})


def answer(task: Task, base_url: str) -> Response:
    """The answer to a synchronous call whose task has ended, well or not."""
    operation = contract().operations[task.operation]
    record = record_of(task.runs[0], base_url)
    if operation.result != "array":  # some clients read a task object where others read the record
        record = {**record, "taskStatus": _status(task), "fileInfoDTOList": [record]}
    more = {name: record[name] for name in ("actionType",) if name in record}
    return success([record] if operation.result == "array" else record, **more)


def record_of(run: Run, base_url: str) -> dict[str, Any]:
    """One run's record with all fifteen fields (old clients fail on a missing one), and keys of our own."""
    operation = contract().operations[run.operation]
    done = run.state == "success"
    values = {
        "fileKey": run.id,
        "taskId": run.task,
        "fileName": run.file_name,
        "downFileName": run.output_name if done else None,
        "fileUrl": run.id,
        "downloadUrl": f"{base_url}/v2/download/{run.token}/{quote(run.output_name, safe='')}" if done else None,
        "sourceType": operation.source_type,
        "targetType": operation.target_type,
        "fileSize": run.file_size,
        "convertSize": run.output_size if done else 0,
        "convertTime": run.milliseconds,
        "status": run.state if run.ended else "processing",
        "failureCode": run.code or None,
        "failureReason": run.reason or None,
        "fileParameter": run.parameters,
    }
    record = {name: values[name] for name in contract().record_fields}
    record["warnings"] = json.loads(run.warnings)
    record |= {name: json.loads(getattr(run, name)) for name in ("notes", "words", "questions")}
    record["pages"] = run.pages
    if operation.id == "pdf-insert":
        record["actionType"] = json.loads(run.parameters)["actionType"]
    return record


def task_of(task: Task, base_url: str, pages: tuple[int, int]) -> dict[str, Any]:
    """The task object of taskInfo (contract.toml [task_object]).

    pages: done, and in all, of the files being worked on; our own keys pagesDone and pagesTotal.
    """
    operation = contract().operations[task.operation]
    return {
        **_counts(task),
        "sourceType": operation.source_type,
        "targetType": operation.target_type,
        "callbackUrl": task.callback,
        "fileInfoDTOList": [record_of(run, base_url) for run in task.runs],
        "pagesDone": pages[0],
        "pagesTotal": pages[1],
    }


def page_of(tasks: Sequence[Task], total: int, page: int, size: int) -> Response:
    """The task list: the page object within the envelope and, as its documentation has it, at top level too."""
    body = {
        "records": [_list_entry(task) for task in tasks],
        "total": total,
        "size": size,
        "current": page,
        "pages": -(-total // size),
    }
    return success(body, **body)


def _list_entry(task: Task) -> dict[str, Any]:
    operation = contract().operations[task.operation]
    known = {
        **_counts(task),
        "id": task.id,
        "creationTime": _clock(task.created),
        "updateTime": _clock(task.updated),
        "callbackUrl": task.callback,
        "sourceType": operation.source_type,
        "targetType": operation.target_type,
    }
    return {name: known.get(name) for name in _LIST_FIELDS}


def _counts(task: Task) -> dict[str, Any]:
    states = [run.state for run in task.runs]
    return {
        "taskId": task.id,
        "taskFileNum": len(states),
        "taskSuccessNum": states.count("success"),
        "taskFailNum": states.count("failed"),
        "taskStatus": _status(task),
        "assetTypeId": 0,
        "taskCost": 0,
        "taskTime": sum(run.milliseconds for run in task.runs),
    }


def _status(task: Task) -> str:
    """One of contract.toml [status] task."""
    if task.state == "started":
        waiting = all(run.state == "waiting" for run in task.runs)
        return "TaskWaiting" if waiting else "TaskProcessing"
    return {"open": "TaskStart", "overdue": "TaskOverdue"}.get(task.state, "TaskFinish")


def _clock(moment: float) -> str:
    return datetime.datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S")


TAKEN = "taken"
"""Of a request's state: the task that it has made, empty for none; absent or None where that is not known."""
_DRAIN_SECONDS = 10.0
_DRAIN_BYTES = 1 << 20  # from somebody without the key; what else they send the system may keep


_USED = {str(case["code"]): case["http"] for case in contract().raw["error_use"]["cases"] if case["kind"] == "request"}
_STATUS = {**_USED, "403": 403}


def http_status(code: str) -> int:
    """The HTTP status of a request error with this code: [error_use] first, then [[error_code]], else 400."""
    used = _STATUS.get(code)
    if isinstance(used, int):
        return used
    known = contract().errors.get(code)
    return known.http if known is not None and known.http else 400


class Refusal(JSONResponse):
    """Sent at once.

    What the client is still uploading is then thrown away for a while: many clients read the answer only after their
    last byte, and closing on them would show as a broken connection instead of as this answer.
    """

    def __init__(
        self,
        request: Request,
        error: Refused,
        *,
        status: int | None = None,
        code: int | None = None,
    ) -> None:
        """status, code: where they are others than the error's own."""
        body = {"code": error.code if code is None else code, "msg": error.reason, "data": None}
        headers = {"Connection": "close"}  # part of the request may stay unread
        taken = getattr(request.state, TAKEN, None)
        if isinstance(error, AskLater) and error.is_dropped:
            taken = ""
        if taken is not None:
            headers["Paperchute-Task"] = taken or "none"
        if isinstance(error, AskLater):
            headers["Retry-After"] = str(error.seconds)
            status = status or error.status
        status = status or http_status(error.code)
        super().__init__(body, status, headers)
        self._request = request
        self._most = _DRAIN_BYTES if status in (401, 403) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""

        async def send_then_drain(message: Message) -> None:
            if message["type"] != "http.response.body":
                await send(message)
                return
            await send({**message, "more_body": True})
            await self._drain()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        await super().__call__(scope, receive, send_then_drain)

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                drained = 0
                async for block in self._request.stream():
                    drained += len(block)
                    if self._most is not None and drained > self._most:
                        return
        except (TimeoutError, ClientDisconnect, RuntimeError):
            return  # RuntimeError: the body has been read already
