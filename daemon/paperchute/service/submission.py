"""Handing a call to a service: in one request, as a task, over a pre-signed address, or to the upload interface."""

from __future__ import annotations

import json
import mimetypes
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from paperchute.contract import Operation, contract
from paperchute.contract.links import is_link
from paperchute.language import _
from paperchute.redaction import bounded
from paperchute.redaction import masked as without_secrets
from paperchute.service import failures
from paperchute.service.answers import LONGEST_REASON, Verdict, identifier, loaded, masked, read_answer, read_data
from paperchute.service.model import Answer, Call, ServiceAddress, ServiceError
from paperchute.service.upload import Form, address_held
from paperchute.service.wire import Reply, Wire

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
        ((_part, path),) = call.files
        address = _shortcut(path, call.root_of(path))
        if address is not None:
            call = replace(call, files=(), parameters={**call.parameters, "url": address})
        with Form(call) as form:
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
        message = _("an answer that is not JSON")
    if code == "200":
        code, message = "", _("an answer without a receipt")
    words = message or (bounded(masked(json.dumps(body).encode()), 200) if body is not None else f"HTTP {status}")
    return failures.from_verdict(Verdict("refused", code=code, reason=words), name, status, retry_after)


def _shortcut(path: Path, root: Path | None) -> str | None:
    """The address in a file that holds one; None for any other file. Raises ServiceError for one without."""
    if not is_link(path):
        return None
    try:
        address = address_held(path, root)
    except OSError:
        address = ""
    if not address:
        raise ServiceError(
            _("{name} holds no web address.", name=path.name), _("Drop the document itself."), kind="bad-input"
        )
    return address


Mode = Literal["sync", "async", "secure"]

_SYNC_BYTES, _ASYNC_BYTES = 10 << 20, 50 << 20  # docs/contract.md#synchronous-calls
_BEGUN = "05002"  # the task was started already
_NOT_THERE = (404, 405, 501)


@dataclass(frozen=True)
class Submitted:
    """What the service said to a call. hashes: sha256 of its files as sent. told: where to announce the task's end.

    missing: as `Form.missing`.
    """

    verdict: Verdict
    reply: Reply
    hashes: tuple[str, ...]
    told: bool = False
    missing: Mapping[str, str] = field(default_factory=dict)


class ModeMissingError(Exception):
    """The service has no such way of working; nothing was sent that counts."""


def mode_for(call: Call, wire: Wire) -> Mode:
    """How the call goes out under `mode = "auto"`. Our own engine takes everything in one request."""
    wished = wire.address.mode
    if wished == "secure" and not _is_single(call):
        return "async"
    if wished != "auto":
        return wished
    if wire.address.local:
        return "sync"
    size = size_of(call)
    if size <= _SYNC_BYTES:
        return "sync"
    return "secure" if size > _ASYNC_BYTES and _is_single(call) else "async"


def submit(wire: Wire, call: Call, mode: Mode) -> Submitted:
    """Send it. Raises ModeMissingError, ServiceError, InputChangedError and OSError."""
    operation = contract().known(call.operation)
    if mode == "secure":
        return _secure(wire, call, operation)
    path = operation.path
    if mode == "async":
        path = path.replace("/v2/process/", "/v2/processAsync/")
        call = replace(call, parameters={**call.parameters, **_callback(wire)})
    with _form(wire, call, operation) as form:
        reply = wire.post(
            path,
            {**_headers(wire, call), **form.headers},
            form,
            deadline=time.monotonic() + call.timeout,
            read=call.timeout,
        )
        hashes, missing = form.hashes, form.missing
    if mode == "async" and reply.status in _NOT_THERE and not read_answer(reply.status, reply.content).code:
        raise ModeMissingError
    told = mode == "async" and bool(_callback(wire))
    return Submitted(read_answer(reply.status, reply.content), reply, hashes, told, missing)


def _secure(wire: Wire, call: Call, operation: Operation) -> Submitted:
    """Create, upload without the key, start. Until it is started nothing has been charged."""
    ((_part, path),) = call.files
    bare = replace(call, files=(), parameters={**call.parameters, "fileName": path.name, **_callback(wire)})
    with _form(wire, bare, operation) as form:
        headers = {**_headers(wire, call), **form.headers}
        presigned = operation.path.replace("/v2/process/", "/v2/presignedUrl/")
        reply = wire.post(presigned, headers, form, deadline=time.monotonic() + 120.0, read=120.0)
    created = read_data(reply.status, reply.content)
    if created is None:
        if reply.status in _NOT_THERE:
            raise ModeMissingError
        raise failures.from_verdict(
            read_answer(reply.status, reply.content), path.name, reply.status, reply.retry_after
        )
    task, address = identifier(created.get("taskId")), _address(created)
    if not task or not address:
        raise ModeMissingError  # it answered, but not as one that takes uploads
    with Form(call) as form:
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        headers = {"Content-Type": kind, "Content-Length": str(form.file_length)}
        stored = wire.put(address, headers, form.file_blocks())
        hashes, missing = form.hashes, form.missing
    if not 200 <= stored.status < 300:
        raise ServiceError(
            _("The upload of {name} was refused (HTTP {status}).", name=path.name, status=stored.status),
            kind="transient",
        )
    verdict, reply = _started(wire, task)
    return Submitted(verdict, reply, hashes, bool(_callback(wire)), missing)


def _started(wire: Wire, task: str) -> tuple[Verdict, Reply]:
    """Have a task begin, from which on it may be charged: one whose answer is lost is told so once more.

    A task begins once, and says so to a second call; whatever else that is answered, the first may have been heard.
    Raises ServiceError.
    """
    lost: ServiceError | None = None
    for is_last in (False, True):
        try:
            reply = wire.begin("/v2/execute/start", {"taskId": task, **wire.language})
        except ServiceError as error:
            lost = lost or error
            if is_last or error.kind != "lost":
                break
            continue
        verdict = read_answer(reply.status, reply.content)
        if verdict.kind == "pending" or (verdict.kind == "refused" and verdict.code == _BEGUN):
            return Verdict("pending", task), reply
        if lost is None or verdict.kind in ("done", "failed"):
            return verdict, reply
    assert lost is not None
    raise lost


def _headers(wire: Wire, call: Call) -> dict[str, str]:
    headers = {"Idempotency-Key": call.idempotency_key}
    if call.hosts and wire.address.local:
        headers["Paperchute-Hosts"] = ",".join(call.hosts)
    if call.protection != "keep" and wire.address.local:
        headers["Paperchute-Protection"] = call.protection
    return headers


def _form(wire: Wire, call: Call, operation: Operation) -> Form:
    return Form(call, wire.language if operation.parameter("language") is not None else {}, wire.address.names)


def _callback(wire: Wire) -> dict[str, str]:
    """Return where the service may announce the end of a task, as a parameter; none where nobody listens."""
    return {"callbackUrl": wire.address.callback_url} if wire.address.callback_url else {}


def _address(created: dict[str, Any]) -> str:
    found = created.get("presignedUrl") or created.get("uploadUrl")
    return found if isinstance(found, str) else ""


def size_of(call: Call) -> int:
    """Bytes of the call's files together."""
    return sum(_size(path) for _, path in call.files)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # whoever opens it will say so


def _is_single(call: Call) -> bool:
    """One plain file: what the pre-signed flow can carry (docs/contract.md#pre-signed-uploads)."""
    return len(call.files) == 1 and call.files[0][0] == "file" and call.operation not in ("pdf-merge", "pdf-insert")
