"""Which service does the work: the embedded engine, or the one the rule file names."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loguru import logger

from paperchute.app.places import State
from paperchute.errors import PaperchuteError
from paperchute.rules.model import ServiceSettings
from paperchute.rules.secrets import resolve
from paperchute.service.client import ServiceClient
from paperchute.service.engine_process import EngineProcess
from paperchute.service.records import ServiceAddress, ServiceError

_RESTART_PAUSE_SECONDS = 5.0


class Services:
    """Holds the one client in use, and the engine's process when it is ours. Thread-safe."""

    def __init__(self, state: State, settings: ServiceSettings) -> None:
        self._state = state
        self._settings = settings
        self._lock = threading.Lock()
        self._engine: EngineProcess | None = None
        self._client: ServiceClient | None = None
        self._next_start = 0.0

    def start(self) -> None:
        """Start the engine if it is to do the work. Raises PaperchuteError when it does not come up."""
        with self._lock:
            self._connect()

    def stop(self) -> None:
        """Close the client and end the engine."""
        with self._lock:
            self._disconnect()

    def replace(self, settings: ServiceSettings) -> None:
        """The rule file names another service now; running calls on the old one end as failed connections."""
        with self._lock:
            self._disconnect()
            self._settings = settings
            try:
                self._connect()
            except PaperchuteError as error:
                logger.error("{}", error)

    def client(self) -> ServiceClient:
        """The client for a call. Raises ServiceError(kind="down") while there is none."""
        client = self._client
        if client is None:
            raise ServiceError("The service is not running.", "It is started again by itself.", kind="down")
        return client

    def check(self) -> None:
        """Ask the service whether it is there. Raises ServiceError."""
        self.client().check()

    def keep_alive(self) -> None:
        """Start the engine again if it has died."""
        engine = self._engine
        if self._settings.base_url is not None or (engine is not None and engine.alive()):
            return
        if time.monotonic() < self._next_start:
            return
        with self._lock:
            self._next_start = time.monotonic() + _RESTART_PAUSE_SECONDS
            logger.warning("the engine has ended and is started again")
            self._disconnect()
            try:
                self._connect()
            except PaperchuteError as error:
                logger.error("{}", error)

    def _connect(self) -> None:
        self._client, self._engine = _open(self._settings, self._state.engine)

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._engine is not None:
            self._engine.stop()
            self._engine = None


@contextmanager
def connect(settings: ServiceSettings, engine_state: Path) -> Iterator[ServiceClient]:
    """A client of its own for the length of the block. Raises PaperchuteError when the engine does not come up."""
    client, engine = _open(settings, engine_state)
    try:
        yield client
    finally:
        client.close()
        if engine is not None:
            engine.stop()


def _open(settings: ServiceSettings, engine_state: Path) -> tuple[ServiceClient, EngineProcess | None]:
    if settings.base_url is not None:
        key = resolve(settings.api_key) if settings.api_key else ""
        return ServiceClient(ServiceAddress(settings.base_url, key)), None
    engine = EngineProcess(engine_state, workers=settings.concurrency)
    return ServiceClient(engine.start()), engine
