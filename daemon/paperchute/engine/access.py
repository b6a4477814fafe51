"""Who may speak to the engine: the API key, and the host names it answers to."""

from __future__ import annotations

import hmac

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from paperchute.engine.messages import in_chinese
from paperchute.engine.refusal import Refusal
from paperchute.engine.work import Refused

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def check_key(request: Request, key: str) -> None:
    """Raises Refused (401) unless the request carries the key, as x-api-key or as a bearer token."""
    given = request.headers.get("x-api-key", "")
    if not given:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else ""
    if not hmac.compare_digest(given.encode(), key.encode()):
        raise Refused("401", _in_both_languages(request, "the API key is missing or wrong"))


def check_bearer(request: Request, key: str) -> None:
    """Raises Refused (401) unless the request carries the key after `Bearer` and one space (contract.toml
    [auth.upload])."""
    given = request.headers.get("authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
        reason = "the API key is missing or wrong, or does not stand after the word Bearer and one space"
        raise Refused("401", _in_both_languages(request, reason))


def _in_both_languages(request: Request, reason: str) -> str:
    """A form may ask for Chinese, but what comes without the key is not read; only the query may say so."""
    return reason if "language" in request.query_params else f"{reason} ({in_chinese('401')})"


class HostCheck:
    """Answers only to this machine's own names, so that a web page whose name is rebound to loopback gets nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http":
            request = Request(scope, receive)
            if _host_name(request.headers.get("host", "")) not in LOOPBACK:
                error = Refused("403", "this host name is not served")
                await Refusal(request, error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _host_name(host: str) -> str:
    """Without port and brackets, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
