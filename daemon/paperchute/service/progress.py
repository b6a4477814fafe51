"""How far calls are that wait for their answer: asked for beside them, once they take long enough to matter."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from paperchute.service.model import OnPages

_SECONDS = 1.0
"""A call is asked about when it has taken this long, and again after as much."""


@dataclass(frozen=True)
class _Waiting:
    told: OnPages
    since: float


class PageWatch:
    """One thread asks about all waiting calls; it exists only while there are any."""

    def __init__(self, ask: Callable[[str], tuple[int, int] | None] | None) -> None:
        """ask: gives the pages done and in all of the call under an idempotency key, None where nothing is known;
        `ask` itself is None where the service cannot be asked."""
        self._ask = ask
        self._calls: dict[str, _Waiting] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    @contextlib.contextmanager
    def watched(self, key: str, told: OnPages) -> Iterator[None]:
        """While the block runs, `told` hears how far the call under `key` is."""
        if self._ask is None:
            yield
            return
        with self._lock:
            self._calls[key] = _Waiting(told, time.monotonic())
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, args=(self._ask,), name="pages", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._lock:
                self._calls.pop(key, None)

    def close(self) -> None:
        """Ask no more."""
        self._closed.set()

    def _watch(self, ask: Callable[[str], tuple[int, int] | None]) -> None:
        while not self._closed.wait(_SECONDS):
            with self._lock:
                if not self._calls:
                    self._thread = None
                    return
                waiting = list(self._calls.items())
            for key, call in waiting:
                if time.monotonic() - call.since < _SECONDS or self._closed.is_set():
                    continue
                pages = ask(key)
                if pages is not None and self._calls.get(key) is call:
                    call.told(*pages)
