"""The service's answers: envelope and record, as contract.toml [envelope] and [record] have them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from paperchute.contract import Value, contract
from paperchute.engine.messages import CHINESE, http_status, meaning
from paperchute.engine.store import Task
from paperchute.engine.work import Refused

_MASK = "***"


def refusal(
    error: Refused, language: int, status: int | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A request error: its HTTP status, its code, `data` null."""
    body = {"code": error.code, "msg": words(error, language), "data": None}
    return JSONResponse(body, status or http_status(error.code), dict(headers or {}))


def words(error: Refused, language: int) -> str:
    """What is wrong, in the language asked for."""
    if language == CHINESE:
        return error.reason_zh or meaning(error.code, language)
    return error.reason or meaning(error.code, language)


def success(data: Any, **more: Any) -> Response:
    """A successful envelope."""
    return JSONResponse({"code": "200", "msg": "success", "data": data, **more})


def answer(task: Task, base_url: str) -> Response:
    """The answer to a processing call whose task has ended, well or not."""
    operation = contract().operations[task.operation]
    record = record_of(task, base_url)
    more: dict[str, Any] = {}
    if operation.id == "pdf-insert":
        more["actionType"] = record["actionType"] = json.loads(task.parameters).get("actionType")
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
        "downloadUrl": f"{base_url}/v2/download/{task.token}/{_quoted(task.output_name)}" if done else None,
        "sourceType": operation.source_type,
        "targetType": operation.target_type,
        "fileSize": task.file_size,
        "convertSize": task.output_size if done else 0,
        "convertTime": task.milliseconds,
        "status": task.state,
        "failureCode": task.code or None,
        "failureReason": task.reason or None,
        "fileParameter": task.parameters,
    }
    return {name: values[name] for name in contract().record_fields}


def masked(operation: str, parameters: Mapping[str, Value]) -> str:
    """Submitted parameters as JSON text, passwords masked."""
    known = contract().operations[operation]
    shown: dict[str, Any] = {}
    for name, value in parameters.items():
        parameter = known.parameter(name)
        secret = parameter is not None and parameter.is_secret
        if secret and isinstance(value, list):
            shown[name] = [_MASK if entry else "" for entry in value]
        else:
            shown[name] = _MASK if secret else value
    return json.dumps(shown, ensure_ascii=False)


def _quoted(name: str) -> str:
    return quote(name, safe="")
