"""Reading the service's answers, with every tolerance of the contract. Pure: bytes in, an outcome out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from paperchute.contract import contract

_MASK = "***"
_MOST_WARNINGS = 20  # what our engine gives at most (engine/notices.py)
_WARNING_LETTERS = 500  # a sentence; whatever is longer is none


@dataclass(frozen=True)
class Outcome:
    """What an answer says.

    done: `download_url` is set, or `body` holds the result itself. pending: ask again by `task_id`. failed: the file
    could not be processed (`code`, `reason`). refused: the request was wrong, or the service is in trouble; with
    `unreadable` nobody can say which.
    """

    kind: Literal["done", "pending", "failed", "refused"]
    task_id: str = ""
    download_url: str = ""
    file_name: str = ""
    size: int | None = None
    code: str = ""
    reason: str = ""
    body: bool = False
    unreadable: bool = False
    warnings: tuple[str, ...] = ()


def read_answer(status: int, content: bytes) -> Outcome:
    """An answer of the processing interface (contract sections 2 to 5 and 15). status: HTTP."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return Outcome("refused", reason=f"HTTP {status} without a readable answer", unreadable=True)
    if not isinstance(value, dict):
        return Outcome("refused", reason=f"HTTP {status} with an answer that is no object")
    if 200 <= status < 300 and isinstance(value.get("result"), dict) and "data" not in value:
        return Outcome("done", body=True, file_name="result.json")
    code = _text(value.get("code")) or _text(value.get("errorCode")) or _text(value.get("error_code"))
    if not 200 <= status < 300 or code != "200":
        named = _text(value.get("errorCode")) or _text(value.get("error_code"))
        return Outcome("refused", code=code, reason=_message(value) or named or f"HTTP {status}")
    return _read_data(value.get("data"))


def read_data(status: int, content: bytes) -> dict[str, Any] | None:
    """The `data` object of a good answer; None for any other."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not 200 <= status < 300 or _text(value.get("code")) != "200":
        return None
    data = value.get("data")
    return data if isinstance(data, dict) else None


def read_pages(content: bytes) -> tuple[int, int] | None:
    """How many pages of a task are done, and how many there are, where a service says so as our engine does."""
    data = read_data(200, content) or {}
    done, total = data.get("pagesDone"), data.get("pagesTotal")
    if type(done) is int and type(total) is int and 0 <= done <= total and total > 0:
        return done, total
    return None


def _read_data(data: Any) -> Outcome:
    if isinstance(data, list):
        records = [_read_record(r) for r in data if isinstance(r, dict)]
        return _worst(records) if records else Outcome("refused", reason="an answer without a record")
    if not isinstance(data, dict):
        return Outcome("refused", reason="an answer without a record")
    if isinstance(data.get("fileInfoDTOList"), list):
        return _read_task(data)
    return _read_record(data)


def _read_task(task: Mapping[str, Any]) -> Outcome:
    task_id = _text(task.get("taskId"))
    state = _state(_text(task.get("taskStatus")))
    if state == "expired":
        return Outcome("failed", task_id, code="05003", reason="the task waited too long and was dropped")
    records = [_read_record(r) for r in task["fileInfoDTOList"] if isinstance(r, dict)]
    if not records or (state in ("running", "queued") and all(r.kind == "pending" for r in records)):
        return Outcome("pending", task_id)
    found = _worst(records)
    return found if found.task_id else Outcome(**{**vars(found), "task_id": task_id})


def _read_record(record: Mapping[str, Any]) -> Outcome:
    task_id = _text(record.get("taskId"))
    word = _text(record.get("status"))
    state = _state(word)
    code, reason = _text(record.get("failureCode")), _text(record.get("failureReason"))
    if state == "failed":
        return Outcome("failed", task_id, code=code, reason=reason or "no reason given")
    if state == "expired":
        return Outcome("failed", task_id, code=code or "05004", reason=reason or "the result has expired")
    url = _text(record.get("downloadUrl"))
    if state == "done" and url:
        return Outcome(
            "done",
            task_id,
            url,
            _text(record.get("downFileName")),
            _size(record.get("convertSize")),
            warnings=_warnings(record.get("warnings")),
        )
    if not task_id:
        return Outcome("refused", reason=f"an answer with the status {word!r}, no address and no task")
    return Outcome("pending", task_id, reason=word)


def _worst(records: list[Outcome]) -> Outcome:
    """Of several records the first that is not done; all done: the first (a merge answers with one)."""
    return next((r for r in records if r.kind != "done"), records[0])


def _state(word: str) -> str:
    for row in contract().raw["status"]["client_map"]:
        if word in row["any_of"]:
            return str(row["to"])
    lowered = word.lower()
    for row in contract().raw["status"]["client_map"]:
        if lowered in (known.lower() for known in row["any_of"]):
            return str(row["to"])
    return "running"


def masked(content: bytes) -> str:
    """The answer as JSON text for the journal: passwords masked, the submitted parameters dropped."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    return json.dumps(_mask(value))


def _mask(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _MASK if "password" in name.lower() and entry else _mask(entry)
            for name, entry in value.items()
            if name != "fileParameter"
        }
    if isinstance(value, list):
        return [_mask(entry) for entry in value]
    return value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _message(value: Mapping[str, Any]) -> str:
    return _text(value.get("msg")) or _text(value.get("message")) or _text(value.get("detail"))


def _warnings(value: Any) -> tuple[str, ...]:
    """The record's key `warnings`, which is our engine's own: sentences for people, each in one line."""
    if not isinstance(value, list):
        return ()
    texts = (text for text in value[:_MOST_WARNINGS] if isinstance(text, str) and text.strip())
    return tuple(" ".join(text[:_WARNING_LETTERS].split()) for text in texts)


def _size(value: Any) -> int | None:
    text = _text(value)
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else None
