"""The page's connections, bounded: a flood takes neither the program's files nor the place of who was let in."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 200
"""Connections at a time. A page that is open has six at most."""
_ENTRY_SECONDS = 30.0
"""For who has not been let in: the page's own files and a log-in take a fraction of that."""


class Connections:
    """All that are open, the oldest first. On the event loop."""

    def __init__(self) -> None:
        self._open: dict[Connection, None] = {}

    def __call__(self, *given: Any, **named: Any) -> Connection:
        """As uvicorn makes what serves a connection."""
        return Connection(self, *given, **named)

    def came(self, connection: Connection) -> None:
        """A new one. Where there are too many, one goes of the address that has most of those not let in."""
        self._open[connection] = None
        if len(self._open) > MOST:
            outside = [one for one in self._open if not one.is_let_in]
            most = Counter(one.address for one in outside).most_common(1)
            gone = next((one for one in outside if one.address == most[0][0]), next(iter(self._open)))
            self.went(gone)
            gone.abort()

    def went(self, connection: Connection) -> None:
        """It is no more."""
        self._open.pop(connection, None)

    def let_in(self, client: tuple[str, int]) -> None:
        """Whoever is at the other end has shown a session."""
        for one in self._open:
            if one.client == client:
                one.is_let_in = True


class Connection(H11Protocol):
    """One of them."""

    def __init__(self, among: Connections, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._among = among
        self._end: asyncio.TimerHandle | None = None
        self.is_let_in = False

    @property
    def address(self) -> str:
        """Where it comes from."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See asyncio.Protocol."""
        super().connection_made(transport)
        # asyncio does so by itself, but not for what came in by a listener that was handed to it. Else the system holds
        # back a body until its head is acknowledged, which the other end puts off for 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._end = self.loop.call_later(_ENTRY_SECONDS, self._end_outside)
        self._among.came(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        if self._end is not None:
            self._end.cancel()
        self._among.went(self)
        super().connection_lost(exc)

    def abort(self) -> None:
        """End it at once."""
        self.transport.abort()

    def _end_outside(self) -> None:
        if not self.is_let_in:
            self.abort()
