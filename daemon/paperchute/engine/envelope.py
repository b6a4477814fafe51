"""The service's answers: envelope and record, as contract.toml [envelope] and [record] have them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from paperchute.contract import contract
from paperchute.engine.store import Task


def success(data: Any, **more: Any) -> Response:
    """A successful envelope."""
    return JSONResponse({"code": "200", "msg": "success", "data": data, **more})


def answer(task: Task, base_url: str) -> Response:
    """The answer to a processing call whose task has ended, well or not."""
    operation = contract().operations[task.operation]
    record = record_of(task, base_url)
    more: dict[str, Any] = {}
    if operation.id == "pdf-insert":
        more["actionType"] = record["actionType"] = json.loads(task.parameters)["actionType"]
    return success([record] if operation.result == "array" else record, **more)


def record_of(task: Task, base_url: str) -> dict[str, Any]:
    """One task's record with all fifteen fields (old clients fail on a missing one)."""
    operation = contract().operations[task.operation]
    done = task.state == "success"
    values = {
        "fileKey": task.id,
        "taskId": task.id,
        "fileName": task.file_name,
        "downFileName": task.output_name if done else None,
        "fileUrl": task.id,
        "downloadUrl": f"{base_url}/v2/download/{task.token}/{quote(task.output_name, safe='')}" if done else None,
        "sourceType": operation.source_type,
        "targetType": operation.target_type,
        "fileSize": task.file_size,
        "convertSize": task.output_size if done else 0,
        "convertTime": task.milliseconds,
        "status": task.state if task.ended else "processing",
        "failureCode": task.code or None,
        "failureReason": task.reason or None,
        "fileParameter": task.parameters,
    }
    return {name: values[name] for name in contract().record_fields}
