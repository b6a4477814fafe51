"""A service that does nothing, as fast as can be: an upload is read, its result has as many bytes (16 MiB at most).

Run by uvicorn, one process: `uvicorn benchmarks.watching.service:app`. With BENCHMARK_PAUSE it takes so many seconds
over each call, without any work. It answers calls in one request, as a task, and
over a pre-signed address (docs/contract.md#synchronous-calls), so that whatever way a client prefers is measured, and
`/count` says how many results were fetched.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

_RESULT = memoryview(b"# result\n" + b"text\n" * (16 << 20 >> 2))[: 16 << 20]
_LEAST = 1024
_PAUSE = float(os.environ.get("BENCHMARK_PAUSE", "0"))

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

_numbers = itertools.count(1)
_fetched = 0


async def app(scope: Message, receive: Receive, send: Callable[[Message], Awaitable[None]]) -> None:
    """Answer one request without looking at anything but its path and length."""
    if scope["type"] != "http":
        return
    length = await _read(receive) if scope["method"] in ("POST", "PUT") else 0
    if _PAUSE and scope["path"].startswith("/v2/process/"):
        await asyncio.sleep(_PAUSE)
    body = _answer(scope["method"], scope["path"], scope["server"][1], length)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def _read(receive: Receive) -> int:
    length, more = 0, True
    while more:
        message = await receive()
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    return length


def _answer(method: str, path: str, port: int, length: int) -> bytes | memoryview:
    global _fetched
    if path.startswith("/download/"):
        _fetched += 1
        return _RESULT[: int(path.rpartition("-")[2])]
    if path == "/count":
        return str(_fetched).encode()
    number, here = next(_numbers), f"http://127.0.0.1:{port}"
    data: dict[str, Any] = {"taskId": f"{number}"}
    if method == "PUT":
        return b""
    if path.startswith("/v2/presignedUrl/"):
        data["presignedUrl"] = f"{here}/upload/{number}"
    elif path.startswith("/v2/process/"):
        data = _record(number, here, length)
    elif path == "/v2/task/taskInfo":
        data |= {"taskStatus": "TaskFinish", "fileInfoDTOList": [_record(number, here, len(_RESULT))]}
    elif path == "/v2/asset/info":
        data = {"tenantAsset": []}
    return json.dumps({"code": "200", "msg": "success", "data": data}).encode()


def _record(number: int, here: str, length: int) -> dict[str, Any]:
    size = min(max(length, _LEAST), len(_RESULT))
    return {
        "taskId": f"{number}",
        "fileKey": f"{number}",
        "fileName": "x.pdf",
        "downFileName": "x.md",
        "downloadUrl": f"{here}/download/{number}-{size}",
        "convertSize": size,
        "status": "success",
        "failureCode": None,
        "failureReason": None,
    }
