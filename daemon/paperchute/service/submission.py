"""Handing a call to a service: in one request, as a task, or over a pre-signed address (contract sections 3, 4, 6)."""

from __future__ import annotations

import mimetypes
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from paperchute.contract import Operation, contract
from paperchute.service import failures
from paperchute.service.reading import Outcome, identifier, read_answer, read_data
from paperchute.service.records import Call, ServiceError
from paperchute.service.upload import Form
from paperchute.service.wire import Reply, Wire

Mode = Literal["sync", "async", "secure"]

_SYNC_BYTES, _ASYNC_BYTES = 10 << 20, 50 << 20  # contract section 3 and [async], [presigned] recommended sizes
_NOT_THERE = (404, 405, 501)


@dataclass(frozen=True)
class Submitted:
    """What the service said to a call. hashes: sha256 of its files as sent. told: where to announce the task's end.

    missing: as `Form.missing`.
    """

    outcome: Outcome
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
    ((_, path),) = call.files
    bare = replace(call, files=(), parameters={**call.parameters, "fileName": path.name, **_callback(wire)})
    with _form(wire, bare, operation) as form:
        headers = {**_headers(wire, call), **form.headers}
        presigned = operation.path.replace("/v2/process/", "/v2/presignedUrl/")
        reply = wire.post(presigned, headers, form, deadline=time.monotonic() + 120.0, read=120.0)
    created = read_data(reply.status, reply.content)
    if created is None:
        if reply.status in _NOT_THERE:
            raise ModeMissingError
        raise failures.from_outcome(
            read_answer(reply.status, reply.content), path.name, reply.status, reply.retry_after
        )
    task, address = identifier(created.get("taskId")), _address(created)
    if not task or not address:
        raise ModeMissingError  # it answered, but not as one that takes uploads
    with Form(call, takes_language=False) as form:
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        headers = {"Content-Type": kind, "Content-Length": str(form.file_length)}
        stored = wire.put(address, headers, form.file_blocks())
        hashes, missing = form.hashes, form.missing
    if not 200 <= stored.status < 300:
        raise ServiceError(f"The upload of {path.name} was refused (HTTP {stored.status}).", kind="transient")
    reply = wire.get("/v2/execute/start", {"taskId": task, "language": "1"})
    outcome = read_answer(reply.status, reply.content)
    if outcome.kind == "pending" or (outcome.kind == "refused" and outcome.code == "05002"):  # started already
        outcome = Outcome("pending", task)
    return Submitted(outcome, reply, hashes, bool(_callback(wire)), missing)


def _headers(wire: Wire, call: Call) -> dict[str, str]:
    headers = {"Idempotency-Key": call.idempotency_key}
    if call.hosts and wire.address.local:
        headers["Paperchute-Hosts"] = ",".join(call.hosts)
    if call.protection != "keep" and wire.address.local:
        headers["Paperchute-Protection"] = call.protection
    return headers


def _form(wire: Wire, call: Call, operation: Operation) -> Form:
    return Form(call, operation.parameter("language") is not None, wire.address.names)


def _callback(wire: Wire) -> dict[str, str]:
    """Where the service may announce the end of a task, as a parameter; none where nobody listens."""
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
    """One plain file: what the pre-signed flow can carry (contract section 6)."""
    return len(call.files) == 1 and call.files[0][0] == "file" and call.operation not in ("pdf-merge", "pdf-insert")
