"""Who may speak to the engine, under which names, over how many connections, and how long it may be kept waiting."""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar
from urllib.parse import urlsplit

from loguru import logger
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from paperchute.engine.http.answers import Refusal
from paperchute.engine.http.spellings import language_asked
from paperchute.engine.work import Refused
from paperchute.language import _, speak

_MOST = 1_000  # each waiting call has one
_MOST_STRANGERS = 100  # a browser opens six
_LEAST_BACKLOG = 16  # asyncio accepts as many at a time before it lets anybody count them
_SHARE = 2  # of the open files that the system allows; the others are for uploads, results and workers
_HEADER_SECONDS = 10.0  # a head is some hundred bytes; who takes longer holds a connection on purpose
_BODY_SECONDS = 60.0  # without a byte
_STRANGER_IDLE_SECONDS = 5
_TOLD_SECONDS = 60.0  # between two lines of the log

HasKey = Callable[[list[tuple[bytes, bytes]]], bool]
"""Whether the headers of a request carry a key."""


def open_files() -> int:
    """Raise the number of files that this process may have open as far as it goes; the number."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (OSError, ValueError) as error:  # macOS says "unlimited" and takes less
            logger.info("the number of open files stays {}: {}", soft, error)
        if soft != resource.RLIM_INFINITY:
            return soft
    return _SHARE * _MOST


class Connections:
    """All connections of one server. For its event loop alone."""

    def __init__(self, has_key: HasKey, files: int) -> None:
        """files: how many the process may have open."""
        self.has_key = has_key
        self.backlog = max(_LEAST_BACKLOG, min(_MOST_STRANGERS, files // (4 * _SHARE)))
        self._most = min(_MOST, files // _SHARE)
        self._most_strangers = min(_MOST_STRANGERS, self._most // _SHARE)
        self._all: dict[BoundedProtocol, None] = {}  # the oldest first
        self._told = -_TOLD_SECONDS

    def add(self, new: BoundedProtocol) -> None:
        """Take a connection in, and cut off another one if there are too many."""
        self._all[new] = None
        strangers = [one for one in self._all if one.is_stranger()]
        if len(strangers) > self._most_strangers:
            self._cut(strangers[0], "too many that have shown no key")  # the newest may be about to show it
        elif len(self._all) > self._most:
            self._cut(new, "too many")

    def remove(self, gone: BoundedProtocol) -> None:
        """It has ended."""
        self._all.pop(gone, None)

    def _cut(self, one: BoundedProtocol, why: str) -> None:
        self.remove(one)
        one.transport.abort()
        if time.monotonic() - self._told > _TOLD_SECONDS:
            self._told = time.monotonic()
            logger.warning("a connection was cut off: {} ({} connections)", why, len(self._all))


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 for one connection, with a clock for what has to come from the other end."""

    register: ClassVar[Connections]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.stranger = True
        self._clock: asyncio.TimerHandle | None = None
        self._patient_keep_alive = self.timeout_keep_alive
        self.timeout_keep_alive = min(self.timeout_keep_alive, _STRANGER_IDLE_SECONDS)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called by asyncio."""
        super().connection_made(transport)
        self._wait(_HEADER_SECONDS)
        self.register.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        self._wait(None)
        self.register.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Called by asyncio."""
        before = self.cycle
        if self._clock is None:
            self._wait(_HEADER_SECONDS)  # the first bytes of another request
        super().data_received(data)
        if self.cycle is not before:
            self.is_stranger()
        if self.cycle is not None and not self.cycle.response_complete:
            self._wait(_BODY_SECONDS if self.cycle.more_body else None)

    def is_stranger(self) -> bool:
        """Decide whether it has shown no key. A key's first call may be known for one only while it is answered."""
        if self.stranger and self.cycle is not None and self.register.has_key(self.headers):
            self.stranger = False
            self.timeout_keep_alive = self._patient_keep_alive
        return self.stranger

    def on_response_complete(self) -> None:
        """uvicorn; from here its own clock for idle connections counts."""
        self._wait(None)
        self.is_stranger()
        super().on_response_complete()

    def _wait(self, seconds: float | None) -> None:
        if self._clock is not None:
            self._clock.cancel()
        self._clock = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        if self.flow.read_paused:  # it is us who are slow
            self._wait(_BODY_SECONDS)
        else:
            self.transport.abort()


def bounded(connections: Connections) -> type[BoundedProtocol]:
    """The protocol of a server's connections."""

    class Bounded(BoundedProtocol):
        pass

    Bounded.register = connections
    return Bounded


LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^][:@/?#\s]+)(?::[0-9]{0,5})?", re.IGNORECASE)


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
