"""A thread that owns its state, so nothing in it needs a lock: everybody else posts what it is to do, and goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")

_BATCH = 64  # messages acted on before the thread turns to its own work, so that a long burst holds up nothing
_FAREWELL_SECONDS = 2.0  # how long the end of a thread is waited for, which a hung share may hold up


class Actor:
    """Acts on its messages one after another. What is posted while it does not run waits for its start."""

    def __init__(self, name: str) -> None:
        """name: its thread's."""
        self.name = name
        self._inbox: queue.SimpleQueue[tuple[Callable[..., object], tuple[Any, ...]]] = queue.SimpleQueue()
        self._stopping = False
        self._thread = threading.Thread()

    def start(self) -> None:
        """Start the thread, or start it again after it died; what was posted is kept."""
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def alive(self) -> bool:
        """Decide whether the thread runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the thread. One that is held up by a hung share is not waited for beyond two seconds."""
        self._post(self._stop)
        self._thread.join(_FAREWELL_SECONDS)

    def _post(self, act: Callable[..., object], *arguments: Any) -> None:
        """Have it call `act`. From any thread: never blocks, never raises."""
        self._inbox.put((act, arguments))

    def _ask(self, timeout: float, act: Callable[..., _Answer], *arguments: Any) -> _Answer | None:
        """What `act` returns once all that was posted before is done; None where that takes over `timeout` seconds."""
        answer: queue.SimpleQueue[_Answer] = queue.SimpleQueue()
        self._post(lambda: answer.put(act(*arguments)))
        try:
            return answer.get(timeout=timeout)
        except queue.Empty:
            return None

    def _take_in(self, pause: float | None) -> None:
        """Act on some of what was posted; wait `pause` seconds for the first of it, for ever when None."""
        try:
            act, arguments = self._inbox.get(timeout=pause) if pause != 0.0 else self._inbox.get_nowait()
            act(*arguments)
            for _ in range(_BATCH):
                act, arguments = self._inbox.get_nowait()
                act(*arguments)
        except queue.Empty:
            return

    def _run(self) -> None:
        """What the thread does until `_stopping`. Must not raise."""
        raise NotImplementedError

    def _stop(self) -> None:
        self._stopping = True
