"""The page's server: on a thread of its own for as long as the program runs, whichever daemon it shows."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import uvicorn
from loguru import logger
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from paperchute.app.daemon import Daemon
from paperchute.app.places import State
from paperchute.app.tally import Tally
from paperchute.app.trial import Samples
from paperchute.errors import PaperchuteError
from paperchute.events import Event
from paperchute.language import _
from paperchute.page import door
from paperchute.page.access import Access
from paperchute.page.connections import Connections
from paperchute.page.controls import Controls
from paperchute.page.downloads import Downloads
from paperchute.page.drops import Drops
from paperchute.page.entry import Entry
from paperchute.page.feed import Feed
from paperchute.page.gate import Gate, Outside
from paperchute.page.job_calls import JobCalls
from paperchute.page.log_ins import LogIns
from paperchute.page.picture import picture
from paperchute.page.routes import Routes
from paperchute.page.sessions import Sessions
from paperchute.page.workshop import Workshop

_START_SECONDS = 10.0
_END_SECONDS = 2


class _Server(uvicorn.Server):
    """It is told when to end; uvicorn's own wakes up ten times a second to look, and to write dates for its headers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = asyncio.Event()

    async def main_loop(self) -> None:
        """See uvicorn."""
        await self.on_tick(0)
        self._loop = asyncio.get_running_loop()
        if not self.should_exit:
            await self._ending.wait()

    def end(self) -> None:
        """Any thread may call."""
        self.should_exit = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has just ended
                self._loop.call_soon_threadsafe(self._ending.set)


class Page:
    """Listens from the first daemon that it shows until `stop`. A subscriber; any thread may call."""

    def __init__(
        self, state: State, controls: Controls | None = None, access: Access | None = None, port: int = 0
    ) -> None:
        """controls: what is done to the program itself, where the page is to have it. access: of other machines.

        port: on this machine itself; 0 for any that is free.
        """
        self._port = port
        self._state = state
        self._controls = controls
        self._access = access
        self._daemon: Daemon | None = None
        self._sessions = Sessions()
        self._tally = Tally()
        self._feed = Feed(lambda: picture(self._present(), self._tally.running(), self._controls))
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self._door: door.Door | None = None

    def shown(self, daemon: Daemon) -> Daemon:
        """The daemon, which the page shows from now on. Without a page it works all the same."""
        self._daemon = daemon
        self._tally = Tally()
        if self._server is None:
            try:
                self._start()
            except PaperchuteError as error:
                logger.warning("{}", error)
        return daemon

    def hear(self, event: Event, /) -> None:
        """A subscriber: the page is told."""
        self._tally.hear(event)  # one of its own: the daemon's may hear of it later
        self._feed.hear(event)

    def open(self, view: str = "") -> Path:
        """A file for the browser that leads to the page, once. Raises PaperchuteError without a page, and OSError."""
        if self._door is None:
            raise _no_page(_("it does not listen"))
        return door.leading_to(self._state, self._door.address(self._sessions.ticket(), view))

    def stop(self) -> None:
        """Listen no more; pages that are open say so."""
        if self._server is not None and self._thread is not None:
            self._feed.close()
            self._server.end()
            self._thread.join(_START_SECONDS)
            door.close(self._state)

    def _start(self) -> None:
        """Raises PaperchuteError where the page cannot listen."""
        listeners = self._outside_listeners()
        try:
            here = self._here()
            listeners.append(here)
            drops, samples = Drops(self._state.drops), Samples(self._state.samples)
        except OSError as error:
            for listener in listeners:
                listener.close()
            raise _no_page(error.strerror) from error
        self._door = door.Door(int(here.getsockname()[1]), secrets.token_urlsafe(32))
        self._server = _Server(
            uvicorn.Config(
                self._application(self._door, drops, samples, connections := Connections()),
                log_config=None,
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                http=cast(Any, connections),
                ws="none",
                timeout_graceful_shutdown=_END_SECONDS,
            )
        )
        self._thread = threading.Thread(target=self._serve, args=(self._server, listeners), name="page", daemon=True)
        self._thread.start()
        door.keep(self._state, self._door)

    def _here(self) -> socket.socket:
        """Where this machine's own programs come in; at another port where the wanted one is taken. Raises OSError."""
        try:
            return socket.create_server((door.HOST, self._port))
        except OSError as error:
            if not self._port:
                raise
            logger.warning("the page takes another port, since {} cannot be had: {}", self._port, error.strerror)
            return socket.create_server((door.HOST, 0))

    def _outside_listeners(self) -> list[socket.socket]:
        """Where other machines come in; nowhere when that address cannot be had, which is no reason not to work."""
        if self._access is None:
            return []
        host, port = self._access.address
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        both = host == "::" and socket.has_dualstack_ipv6()
        try:
            listener = socket.create_server((host, port), family=family, dualstack_ipv6=both)
        except OSError as error:
            logger.error("the page does not listen on {} port {}: {}", host, port, error.strerror)
            return []
        logger.info(
            "the page is at http://{} for who has the password", f"[{host}]:{port}" if both else f"{host}:{port}"
        )
        return [listener]

    def _application(self, its: door.Door, drops: Drops, samples: Samples, connections: Connections) -> Gate:
        """Return what answers, from the gate inwards."""
        outside, entry = Outside(), list[BaseRoute]()
        if (access := self._access) is not None:
            outside = Outside(access.names, access.proxies, access.address[1], access.may_change_rules)
            entry = Entry(self._sessions, LogIns(access.password), outside).routes()
        routes = [
            *entry,
            *Workshop(self._present, samples).all(),
            *Downloads(self._sessions, self._present).all(),
            *JobCalls(self._feed, self._present).all(),
            *Routes(self._sessions, its.key, self._feed, drops, self._present, self._controls).all(),
        ]
        app = Starlette(routes=routes, lifespan=self._lifespan)
        return Gate(app, self._sessions, (door.HOST, its.port), connections, outside)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._feed.open()
        yield

    def _serve(self, server: _Server, listeners: list[socket.socket]) -> None:
        try:
            server.run(sockets=listeners)
        except Exception as error:  # noqa: BLE001 -- a page that is gone is no reason to stop the work
            logger.error("the page is gone: {!r}", error)

    def _present(self) -> Daemon:
        assert self._daemon is not None, "shown before it listens"
        return self._daemon


def _no_page(reason: str | None) -> PaperchuteError:
    return PaperchuteError(
        _("The page cannot be shown ({reason}).", reason=reason), _("Everything else works without it.")
    )
