"""What an engine of a cluster knows of its own loops without asking anybody: when each last turned, and with what."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from loguru import logger

from paperchute.engine.work import AskLater
from paperchute.language import _

_HEARD_SECONDS = 20.0  # since the database was last heard of
_STILL_SECONDS = 60.0  # in which each loop has come round at least once, whether or not it had an answer


@dataclass
class _Loop:
    turned: float = field(default_factory=time.monotonic)
    heard: float = field(default_factory=time.monotonic)
    is_lost: bool = False


class Pulse:
    """Loops by name. Thread-safe, and quick: whoever asks how the engine is waits for nobody."""

    def __init__(self, still_seconds: float = 0.0) -> None:
        """still_seconds: for which a loop may stand still beyond what is usual."""
        self._still = _STILL_SECONDS + still_seconds
        self._loops: dict[str, _Loop] = {}
        self._lock = threading.Lock()

    def heard(self, name: str) -> None:
        """Note that a loop has come round, and that the database has answered it."""
        with self._lock:
            loop = self._loops.setdefault(name, _Loop())
            was_lost, loop.is_lost = loop.is_lost, False
            loop.turned = loop.heard = time.monotonic()
        if was_lost:
            logger.warning("{}: the database answers again", name)

    def lost(self, name: str, why: str) -> None:
        """Note that a loop has come round without an answer of the database. Logs the first of several."""
        with self._lock:
            loop = self._loops.setdefault(name, _Loop())
            was_lost, loop.is_lost = loop.is_lost, True
            loop.turned = time.monotonic()
        if not was_lost:
            logger.warning("{}: {}", name, why)

    def check_heard(self) -> None:
        """Raises AskLater while the database has not been heard of in some loop."""
        now = time.monotonic()
        with self._lock:
            silent = [name for name, loop in self._loops.items() if loop.is_lost or now - loop.heard > _HEARD_SECONDS]
        if silent:
            raise AskLater(_("the service's database cannot be used at present; try again later"))

    def check_turns(self) -> None:
        """Raises AskLater when a loop has stood still for so long that only a new start will help."""
        now = time.monotonic()
        with self._lock:
            still = [name for name, loop in self._loops.items() if now - loop.turned > self._still]
        if still:
            raise AskLater(_("a part of the service stands still: {names}", names=", ".join(still)))
