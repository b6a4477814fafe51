"""The answer to a wrong request: its HTTP status, its code, `data` null (contract.toml [error] rule_request)."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from paperchute.engine.messages import ENGLISH, Language, http_status, words
from paperchute.engine.work import AskLater, Refused

_DRAIN_SECONDS = 10.0
_DRAIN_BYTES = 1 << 20  # from somebody without the key; what else they send the system may keep


class Refusal(JSONResponse):
    """Sent at once. What the client is still uploading is then thrown away for a while: many clients read the answer
    only after their last byte, and closing on them would show as a broken connection instead of as this answer."""

    def __init__(
        self,
        request: Request,
        error: Refused,
        language: Language = ENGLISH,
        *,
        status: int | None = None,
        code: int | None = None,
    ) -> None:
        """status, code: where they are others than the error's own."""
        body = {"code": error.code if code is None else code, "msg": words(error, language), "data": None}
        status = status or http_status(error.code)
        headers = {"Connection": "close"}  # part of the request may stay unread
        if isinstance(error, AskLater):
            headers["Retry-After"] = str(error.seconds)
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
