"""Who may speak to the engine: the API key, and the host names it answers to."""

from __future__ import annotations

import hmac
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from paperchute.engine.http.answers import Refusal
from paperchute.engine.http.spellings import language_asked
from paperchute.engine.work import Refused
from paperchute.language import N_, _, speak, speaking

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^][:@/?#\s]+)(?::[0-9]{0,5})?", re.IGNORECASE)


def has_key(headers: Headers, key: str) -> bool:
    """Whether a request carries the key, as x-api-key or as a bearer token."""
    given = headers.get("x-api-key", "")
    if not given:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else ""
    return hmac.compare_digest(given.encode(), key.encode())


def check_key(request: Request, key: str) -> None:
    """Raises Refused (401) unless the request carries the key."""
    if not has_key(request.headers, key):
        raise Refused("401", _in_both_languages(request, N_("the API key is missing or wrong")))


def check_bearer(request: Request, key: str) -> None:
    """Raises Refused (401) unless the request carries the key after `Bearer` and one space (contract.toml
    [auth.upload])."""
    given = request.headers.get("authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {key}".encode()):
        sentence = N_("the API key is missing or wrong, or does not stand after the word Bearer and one space")
        raise Refused("401", _in_both_languages(request, sentence))


def _in_both_languages(request: Request, sentence: str) -> str:
    """A form may ask for Chinese, but what comes without the key is not read; only query and headers may say so."""
    if "language" in request.query_params or "accept-language" in request.headers:
        return _(sentence)
    with speaking("zh_Hans"):
        return f"{sentence} ({_(sentence)})"


class HostCheck:
    """Answers no web page but its own: a browser says in `Origin` whose page asks.

    On a loopback address it answers to this machine's own names only, so that a web page whose name is rebound to
    loopback gets nothing either.
    """

    def __init__(self, app: ASGIApp, *, loopback: bool) -> None:
        self._app = app
        self._loopback = loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http":
            request = Request(scope, receive)
            speak(language_asked(request))
            hosts = request.headers.getlist("host")
            if self._loopback and (len(hosts) != 1 or _host_name(hosts[0]) not in LOOPBACK):
                await Refusal(request, Refused("403", _("this host name is not served")))(scope, receive, send)
                return
            if any(
                _place(origin) not in [host.lower() for host in hosts] for origin in request.headers.getlist("origin")
            ):
                error = Refused("403", _("pages of other addresses are not served"))
                await Refusal(request, error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _host_name(host: str) -> str:
    """Without port and brackets, in lower case; empty for what is no host."""
    found = _HOST.fullmatch(host)
    return found[1].strip("[]").lower() if found else ""


def _place(origin: str) -> str:
    """Host and port of an origin; empty for `null` and for what is none."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
