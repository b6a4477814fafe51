"""A service's circuit: closed while it answers, open while it is down, stopped until a person or the calendar acts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

from paperchute.service.model import ServiceError

_FIRST_PROBE_SECONDS = 1.0
_LAST_PROBE_SECONDS = 30.0

CircuitState = Literal["closed", "down", "stopped"]


class Circuit:
    """Thread-safe. `down` is probed with growing pauses; `stopped` (bad key, quota) is not, so it costs nothing."""

    def __init__(self, on_change: Callable[[CircuitState, str], None] = lambda state, message: None) -> None:
        """on_change: told once per change, with a sentence for people; never once per job."""
        self._lock = threading.Lock()
        self._on_change = on_change
        self._state: CircuitState = "closed"
        self._message = ""
        self._stopped_by: Literal["", "auth", "quota"] = ""
        self._pause = _FIRST_PROBE_SECONDS
        self._next_probe = 0.0

    @property
    def state(self) -> CircuitState:
        """closed, down or stopped."""
        return self._state

    @property
    def stopped_by(self) -> Literal["", "auth", "quota"]:
        """What a person or the calendar must put right; empty unless stopped."""
        return self._stopped_by

    @property
    def message(self) -> str:
        """Why it is not closed, in a sentence; empty while closed."""
        return self._message

    def open(self, error: ServiceError) -> None:
        """A call ended in `down`, `auth` or `quota`."""
        state: CircuitState = "down" if error.kind == "down" else "stopped"
        with self._lock:
            changed = self._state != state
            self._state, self._message = state, str(error)
            self._stopped_by = "" if state == "down" else "quota" if error.kind == "quota" else "auth"
            if changed:
                self._pause = _FIRST_PROBE_SECONDS
                self._next_probe = time.monotonic() + self._pause
        if changed:
            self._on_change(state, str(error))

    def close(self) -> None:
        """The service answers again, or somebody asked to try."""
        with self._lock:
            changed = self._state != "closed"
            self._state, self._message, self._stopped_by = "closed", "", ""
        if changed:
            self._on_change("closed", "")

    def probe(self, check: Callable[[], None]) -> None:
        """While down, ask the service now and then whether it is back. `check` raises ServiceError when it is not."""
        with self._lock:
            if self._state != "down" or time.monotonic() < self._next_probe:
                return
            self._pause = min(_LAST_PROBE_SECONDS, self._pause * 2)
            self._next_probe = time.monotonic() + self._pause
        try:
            check()
        except ServiceError as error:
            if error.kind != "down":
                self.open(error)
            return
        self.close()
