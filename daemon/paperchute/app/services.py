"""The services of the rule file, each with a connection of its own: no key of one ever goes out with a call of another.

Those that rules ask are connected at the start; one that only a job of earlier rules still asks, when it does.
"""

from __future__ import annotations

import threading
import time

from paperchute.app.connection import Connection
from paperchute.app.places import State
from paperchute.errors import PaperchuteError
from paperchute.events import Observer
from paperchute.language import _
from paperchute.rules.service_names import BUILT_IN
from paperchute.rules.settings import RuleFile, ServiceSettings
from paperchute.service.client import ServiceClient
from paperchute.service.model import Asset, ServiceError

_REPLACED_SECONDS = 30.0
"""After which nobody waits for a service that the rule file has just named; the one before it may be slow to end."""
_LOOK_SECONDS = 0.1


class Services:
    """Holds a connection for each service that is asked. Thread-safe."""

    def __init__(self, state: State, file: RuleFile, observer: Observer) -> None:
        self._state = state
        self._file = file
        self._observer = observer
        self._lock = threading.Lock()
        self._connections: dict[str, Connection] = {}
        self._is_at_work = False  # from `start` to `stop`

    def start(self) -> None:
        """Connect all that rules ask. Raises PaperchuteError when our engine does not come up, or a key is missing."""
        with self._lock:
            self._is_at_work = True
            for name in self._file.in_use:
                if name not in self._file.services:
                    self._connect(name, self._settings_of(name)).start()
                else:  # the others can do their work
                    self._start(name)

    def stop(self) -> None:
        """Close all clients and end the engine."""
        with self._lock:
            self._is_at_work = False
            for connection in self._connections.values():
                connection.stop()

    def replace(self, file: RuleFile) -> None:
        """Go by other rules. Running calls on a service that is no longer as it was end as failed connections."""
        with self._lock:
            self._file = file
            for name, connection in list(self._connections.items()):
                is_idle = name == BUILT_IN and name not in file.in_use
                if is_idle or file.settings_of(name) not in (connection.settings, None):
                    connection.stop()  # of one that is gone from the file, calls under way come to their end
                    connection.forget_webhooks()
                    del self._connections[name]
            for name in file.in_use:
                if name not in self._connections:
                    self._start(name)

    def client(self, name: str) -> ServiceClient:
        """The client for a call.

        Raises ServiceError(kind="down") while there is none, PaperchuteError where the file has no such service.
        """
        connection = self._connections.get(name)
        if connection is None:
            with self._lock:
                if not self._is_at_work:
                    raise ServiceError(_("The service is not running."), kind="down")
                connection = self._connections.get(name) or self._start(name)
        return connection.client()

    def client_of(self, name: str, settings: ServiceSettings) -> ServiceClient:
        """The client of just this service, which is waited for where the rule file has only just named it.

        Raises PaperchuteError where another one stays at work, ServiceError(kind="down") while there is none.
        """
        end = time.monotonic() + _REPLACED_SECONDS
        while True:
            if self._file.settings_of(name) == settings:
                client = self.client(name)
                with self._lock:  # held until the one before has ended and this one is there
                    connection = self._connections.get(name)
                if connection is not None and connection.settings == settings:
                    return client
            if time.monotonic() >= end:
                raise PaperchuteError(
                    _("The rule file names another service than the one that is at work."), _("Try again in a moment.")
                )
            time.sleep(_LOOK_SECONDS)

    def check(self, name: str, spent: bool) -> None:
        """Ask a service whether it is there and takes the key. Raises ServiceError.

        spent: the account had no units left, so it is asked whether it has some now, where the service counts them.
        """
        try:
            self.client(name)
            self._connections[name].check(spent)
        except (KeyError, PaperchuteError) as error:
            if isinstance(error, ServiceError):
                raise
            raise ServiceError(str(error), kind="down") from error

    def keep_alive(self) -> None:
        """Start the engine again if it has died, and connect what could not be before."""
        for connection in list(self._connections.values()):
            connection.keep_alive()

    def assets(self) -> dict[str, tuple[Asset, ...]]:
        """What each account had left when it was last asked for; empty for the engine, and until the first answer."""
        return {name: connection.assets() for name, connection in self._connections.copy().items()}

    def look_at_assets(self) -> None:
        """Ask the remote services now and then what the accounts have left, without waiting for their answers."""
        for connection in list(self._connections.values()):
            connection.look_at_assets()

    def _settings_of(self, name: str) -> ServiceSettings:
        settings = self._file.settings_of(name)
        if settings is None:
            raise PaperchuteError(
                _("The rule file has no service {name}, which a call of this job has gone to.", name=repr(name)),
                _("Write it into the rule file again, then retry the job."),
            )
        return settings

    def _connect(self, name: str, settings: ServiceSettings) -> Connection:
        self._connections[name] = made = Connection(self._state.engine, settings, self._observer)
        return made

    def _start(self, name: str) -> Connection:
        """Connect a service, now or as soon as it can be. Raises PaperchuteError where there is none of that name."""
        made = self._connect(name, self._settings_of(name))
        made.try_to_start()
        return made
