"""The upload interface: a document is handed in, and what comes back is a receipt (contract section 8)."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paperchute.contract.links import MOST_BYTES, address_in, is_link
from paperchute.files.identity import opened
from paperchute.redaction import bounded
from paperchute.redaction import masked as without_secrets
from paperchute.service import failures
from paperchute.service.reading import LONGEST_REASON, Outcome, identifier, loaded, masked
from paperchute.service.records import Answer, Call, ServiceAddress, ServiceError
from paperchute.service.upload import Form
from paperchute.service.wire import Wire

_MOST_SHORTCUT = 1 << 16  # bytes; a shortcut is a few lines
_MOST_TASKS = 1000  # of one upload
_PATH = "/api/v2/files/upload"


class Hub:
    """The upload interface of one service."""

    def __init__(self, address: ServiceAddress) -> None:
        self._wire = Wire(ServiceAddress(address.hub_url, ""), {"Authorization": f"Bearer {address.hub_key}"})
        self._lookup = address.hub_lookup

    def close(self) -> None:
        """Close all connections."""
        self._wire.close()

    def upload(self, call: Call) -> Answer:
        """Hand in a file, or the address that a dropped `.url` shortcut holds. The answer is a receipt as JSON.

        Raises ServiceError, InputChangedError and OSError.
        """
        ((_, path),) = call.files
        address = _shortcut(path)
        if address is not None:
            call = Call(call.operation, (), {**call.parameters, "url": address}, call.idempotency_key, {}, call.timeout)
        with Form(call, takes_language=False) as form:
            headers = {"Idempotency-Key": call.idempotency_key, **form.headers}
            deadline = time.monotonic() + call.timeout
            reply = self._wire.post(_PATH, headers, form, deadline=deadline, read=call.timeout)
            hashes = form.hashes
        try:
            body = loaded(reply.content)
        except ValueError:
            body = None
        accepted = _accepted(body) if reply.status == 200 else None
        if accepted is None:
            raise _refusal(reply.status, body, path.name, reply.retry_after)
        receipt = {
            "source": path.name,
            "uploaded": datetime.now(UTC).isoformat(timespec="seconds"),
            "mode": call.parameters.get("mode"),
            "metadata": call.parameters.get("metadata"),
            **accepted,
            "state": "accepted",
        }
        if self._lookup and accepted["taskIds"]:
            receipt["lookup"] = self._wire.base + self._lookup.replace(
                "{taskId}", quote(accepted["taskIds"][0], safe="")
            )
        text = json.dumps(receipt, indent=2, ensure_ascii=False) + "\n"
        task = accepted["taskIds"][0] if accepted["taskIds"] else accepted["batchId"]
        return Answer(task, "", f"{path.stem}.json", None, hashes, text)


def _accepted(body: Any) -> dict[str, Any] | None:
    """Batch and tasks of a good answer: HTTP 200 alone says nothing, the body's code decides."""
    if not isinstance(body, dict) or str(body.get("code")) != "200" or not isinstance(body.get("data"), dict):
        return None
    data = body["data"]
    tasks = data.get("taskIds")
    told = tasks[:_MOST_TASKS] if isinstance(tasks, list) else []
    found = [task for value in told if (task := _id(value))]
    batch = _id(data.get("batchId"))
    return {"batchId": batch, "taskIds": found} if batch or found else None


def _id(value: Any) -> str:
    """An id for the receipt, which lies where people look."""
    return without_secrets(identifier(value), sure=True)


def _refusal(status: int, body: Any, name: str, retry_after: float | None) -> ServiceError:
    given = body if isinstance(body, dict) else {}
    code = bounded(str(given.get("code") or ""), 60)
    message = bounded(str(given.get("msg") or given.get("message") or ""), LONGEST_REASON)
    if body is None and status == 200:
        message = "an answer that is no JSON"
    if code == "200":
        code, message = "", "an answer without a receipt"
    words = message or (bounded(masked(json.dumps(body).encode()), 200) if body is not None else f"HTTP {status}")
    return failures.from_outcome(Outcome("refused", code=code, reason=words), name, status, retry_after)


def _shortcut(path: Path) -> str | None:
    """The address in a file that holds one; None for any other file. Raises ServiceError for one without."""
    if not is_link(path):
        return None
    try:
        with opened(path) as file:
            address = address_in(path, file.read(MOST_BYTES + 1))
    except OSError:
        address = ""
    if not address:
        raise ServiceError(f"{path.name} holds no web address.", "Drop the document itself.", kind="bad-input")
    return address
