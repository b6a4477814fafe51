"""The baton: of the threads that work on jobs, the one that holds it works, and hands it on while it waits.

The interpreter runs one thread at a time anyway, but goes over to another at each call of the system, of which a small
file takes two hundred: with four workers, half of the processor's time went into that. The baton stays with its holder
over such calls, and goes on where it waits for a service, another process or the disk.

It is a courtesy and no lock: it guards nothing, and nobody's work depends on it. Who keeps it for long, as on a share
that hangs, has lost it; who waits for it in vain goes on without it; and where its holders mostly wait, as on a share
whose every answer takes milliseconds, it rests, so that all of them wait at once.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

_KEPT_SECONDS = 0.01
"""So long a holder keeps it from those who wait. A small file has it five times, each for a millisecond."""
_WAITS = 20
"""Times as long somebody waits for it, however short a while each of the others has it."""
_JUDGED_SECONDS = 0.05
"""In so much time with its holders it shows whether they work: some fifty turns, or twenty on a slow share."""
_LEAST_WORK = 0.7
"""Of that time. On a local disk the process works at least 0.73 of it, mostly nine tenths, with 2 to 8 workers and on a
busy machine too; on a share that takes 2 ms an answer it is 0.4 to 0.9, most often below this."""
_REST_SECONDS = 1.5
_SETTLING_SECONDS = 0.1
"""After a rest it is not judged for so long: some still work without it, and have its holders wait."""


class _Own(threading.local):
    """What each thread knows of itself."""

    inside = False
    """Whether it is inside of `held`."""
    token: threading.Lock | None = None
    """What it has locked, while it holds the baton."""
    taken = 0.0
    """When it took that, as monotonic seconds."""
    worked = 0.0
    """How long the processor had worked for this process by then, in seconds: a holder that waits for the interpreter,
    which another thread has just then, waits for work and not for the disk."""


class Baton:
    """One for all threads that it is meant for. Each method is called by the thread that it is about."""

    def __init__(self) -> None:
        self._token = threading.Lock()  # locked while somebody holds the baton; another one once that is lost
        self._since = 0.0  # when it was taken, as monotonic seconds
        self._rests_until = 0.0  # nobody takes it before, in monotonic seconds
        self._held = self._worked = 0.0  # seconds with its holders since it was judged, and what of them was work
        self._own = _Own()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Work with the baton in hand for the length of the block; nothing changes for who has it already."""
        if self._own.inside:
            yield
            return
        self._own.inside = True
        self.take_again()
        try:
            yield
        finally:
            self.hand_on()
            self._own.inside = False

    @contextlib.contextmanager
    def handed_on(self) -> Iterator[None]:
        """Others work while the block waits. Nothing changes for who is not inside of `held`."""
        self.hand_on()
        try:
            yield
        finally:
            self.take_again()

    def hand_on(self) -> None:
        """Let go of it, where this thread has it."""
        own = self._own
        token, own.token = own.token, None
        if token is not None:
            self._judge(time.monotonic() - own.taken, time.process_time() - own.worked)
            token.release()

    def take_again(self) -> None:
        """Wait for it, a short while at most, where this thread is inside of `held`."""
        own = self._own
        if not own.inside or own.token is not None or time.monotonic() < self._rests_until:
            return
        for _ in range(_WAITS):
            token = self._token
            if token.acquire(timeout=_KEPT_SECONDS):
                if token is self._token:
                    own.token, own.worked = token, time.process_time()
                    own.taken = self._since = time.monotonic()
                    return
                token.release()  # lost by its last holder while we waited
            elif time.monotonic() - self._since >= _KEPT_SECONDS and token is self._token:
                self._token = threading.Lock()

    def _judge(self, held: float, worked: float) -> None:
        """Have it rest where its holders mostly wait. held, worked: seconds of the last one."""
        if time.monotonic() < self._rests_until + _SETTLING_SECONDS:
            return
        self._held += min(held, _KEPT_SECONDS)  # a single one that stalled says nothing of the others
        self._worked += min(worked, _KEPT_SECONDS)
        if self._held < _JUDGED_SECONDS:
            return
        if self._worked < _LEAST_WORK * self._held:
            self._rests_until = time.monotonic() + _REST_SECONDS
        self._held = self._worked = 0.0


baton = Baton()
"""That of this process, as there is one interpreter."""
