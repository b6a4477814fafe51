"""A service that does nothing, as fast as can be: the upload is read, the result is the same few bytes.

Run by uvicorn, one process: `uvicorn benchmarks.watching.service:app`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

_RESULT = b"# result\n" + b"text\n" * 2000
_numbers = itertools.count(1)

Message = MutableMapping[str, Any]


async def app(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Contract section 3, without looking at anything."""
    if scope["type"] != "http":
        return
    if scope["method"] == "POST":
        while (await receive()).get("more_body"):
            pass
        body = _answer(scope["server"][1])
    elif scope["path"].startswith("/download/"):
        body = _RESULT
    else:
        body = b'{"code": "200", "msg": "success", "data": {"tenantAsset": []}}'
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


def _answer(port: int) -> bytes:
    number = next(_numbers)
    record = {
        "taskId": f"{number}",
        "fileKey": f"{number}",
        "fileName": "x.pdf",
        "downFileName": "x.md",
        "downloadUrl": f"http://127.0.0.1:{port}/download/{number}",
        "convertSize": len(_RESULT),
        "status": "success",
        "failureCode": None,
        "failureReason": None,
    }
    return json.dumps({"code": "200", "msg": "success", "data": record}).encode()
