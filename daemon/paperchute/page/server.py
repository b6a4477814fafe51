"""The page's server: on a thread of its own for as long as the program runs, whichever daemon it shows."""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import uvicorn
from loguru import logger
from starlette.applications import Starlette

from paperchute.app.daemon import Daemon
from paperchute.app.places import State
from paperchute.app.tally import Tally
from paperchute.app.trial import Samples
from paperchute.errors import PaperchuteError
from paperchute.events import Event
from paperchute.language import _
from paperchute.page import door
from paperchute.page.controls import Controls
from paperchute.page.drops import Drops
from paperchute.page.feed import Feed
from paperchute.page.gate import Gate
from paperchute.page.picture import picture
from paperchute.page.routes import Routes
from paperchute.page.sessions import Sessions
from paperchute.page.workshop import Workshop

_MOST_CONNECTIONS = 200
_START_SECONDS = 10.0
_END_SECONDS = 2


class Page:
    """Listens from the first daemon that it shows until `stop`. A subscriber; any thread may call."""

    def __init__(self, state: State, controls: Controls | None = None) -> None:
        """controls: what is done to the program itself, where the page is to have it."""
        self._state = state
        self._controls = controls
        self._daemon: Daemon | None = None
        self._sessions = Sessions()
        self._tally = Tally()
        self._feed = Feed(lambda: picture(self._present(), self._tally.running(), self._controls))
        self._server: uvicorn.Server | None = None
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
            self._server.should_exit = True
            self._thread.join(_START_SECONDS)
            door.close(self._state)

    def _start(self) -> None:
        """Raises PaperchuteError where the page cannot listen."""
        listener = socket.socket()
        try:
            listener.bind((door.HOST, 0))
            listener.listen()
            drops, samples = Drops(self._state.drops), Samples(self._state.samples)
        except OSError as error:
            listener.close()
            raise _no_page(error.strerror) from error
        self._door = door.Door(int(listener.getsockname()[1]), secrets.token_urlsafe(32))
        routes = Routes(self._sessions, self._door.key, self._feed, drops, self._present, self._controls)
        workshop = Workshop(self._present, samples)
        gate = Gate(Starlette(routes=[*workshop.all(), *routes.all()], lifespan=self._lifespan), self._sessions)
        gate.hosts = frozenset({f"{door.HOST}:{self._door.port}", f"localhost:{self._door.port}"})
        self._server = uvicorn.Server(
            uvicorn.Config(
                gate,
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=_END_SECONDS,
            )
        )
        self._thread = threading.Thread(target=self._serve, args=(self._server, listener), name="page", daemon=True)
        self._thread.start()
        door.keep(self._state, self._door)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._feed.open()
        yield

    def _serve(self, server: uvicorn.Server, listener: socket.socket) -> None:
        try:
            server.run(sockets=[listener])
        except Exception as error:  # noqa: BLE001 -- a page that is gone is no reason to stop the work
            logger.error("the page is gone: {!r}", error)

    def _present(self) -> Daemon:
        assert self._daemon is not None, "shown before it listens"
        return self._daemon


def _no_page(reason: str | None) -> PaperchuteError:
    return PaperchuteError(
        _("The page cannot be shown ({reason}).", reason=reason), _("Everything else works without it.")
    )
