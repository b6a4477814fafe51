"""What a failed call means: for its job (again and when, or never), and for the whole service (its circuit)."""

from __future__ import annotations

import errno
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from paperchute.events import Health, Observer
from paperchute.service.model import ServiceError

BASE_SECONDS = 2.0
CAP_SECONDS = 300.0

_ASKED_AGAIN = 5  # a minute at most between two questions about a task that are answered with a no
_LIMITED_ATTEMPTS = 4  # half a minute at most, where the service does not say how long
_FIRST_PROBE_SECONDS = 1.0
_LAST_PROBE_SECONDS = 30.0
_STOPPED_PROBE_SECONDS = 120.0  # what a person puts right takes minutes; the question costs nothing
_SOON_SECONDS = 5.0
# Nothing that time could mend: the name or the request itself is impossible here.
_HOPELESS = {errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP, errno.EISDIR, errno.ENOTDIR}

CircuitState = Literal["closed", "down", "stopped"]
Kind = Literal["retry", "service", "fail"]


# ---------- for the job ----------


@dataclass(frozen=True)
class Decision:
    """What a failed call means for its job."""

    kind: Kind
    """retry: again. service: the whole service waits, and the job keeps its tries."""
    delay: float = 0.0
    """Seconds until the next try."""
    attempt: bool = True
    """Whether this counts as a failed try."""


def after_service_error(error: ServiceError, attempts: int, retries: int, *, repeatable: bool) -> Decision:
    """Return what to do after a failed call.

    attempts: tries of this step that failed before this one. retries: what the rule allows. repeatable: asking again
    cannot cost twice (our own engine honours idempotency keys); otherwise a lost answer is repeated only where the
    rule allows retries at all (docs/contract.md#errors).
    """
    if error.kind in ("down", "auth", "quota"):
        return Decision("service")
    if error.kind == "limited":  # nothing is wrong with the job, however often it is its turn too early
        return Decision("retry", backoff(_LIMITED_ATTEMPTS, error.retry_after), attempt=False)
    if error.kind == "lost" and repeatable:
        retries = max(retries, 1)
    if error.of_task and error.kind != "lost":  # the service goes on with the task, whatever it says to a question
        return Decision("retry", backoff(max(attempts, _ASKED_AGAIN), error.retry_after), attempt=False)
    if error.kind in ("lost", "transient") and attempts < retries:
        return Decision("retry", backoff(attempts, error.retry_after))
    return Decision("fail")


def hopeless(error: OSError) -> bool:
    """Decide whether waiting cannot mend a disk's refusal; a full disk or a lost share it can."""
    return error.errno in _HOPELESS


def backoff(attempts: int, retry_after: float | None) -> float:
    """Seconds to wait: exponential with full jitter, never less than the service asked for."""
    ceiling = min(CAP_SECONDS, BASE_SECONDS * 2.0 ** min(attempts, 16))
    jittered = random.uniform(0.1, 1.0) * ceiling
    return max(retry_after, jittered * 0.1 + retry_after) if retry_after is not None else jittered


# ---------- for the service ----------


def months(moment: float) -> tuple[str, str]:
    """The months at a Unix time, here and in UTC. A quota begins anew with one of them, and nobody knows with which."""
    return time.strftime("%Y-%m", time.localtime(moment)), time.strftime("%Y-%m", time.gmtime(moment))


class Circuit:
    """Thread-safe. `down` is probed with growing pauses, `stopped` (bad key, quota) every few minutes.

    A stop by the rule file's own limit is not: no service knows of that.
    """

    def __init__(self, observer: Observer, service: str = "") -> None:
        """observer: told of each change of its state, and of no single job. service: whose it is, in what is told."""
        self._service = service
        self._lock = threading.Lock()
        self._observer = observer
        self._state: CircuitState = "closed"
        self._message = ""
        self._stopped_by: Literal["", "auth", "quota"] = ""
        self._asks = False
        self._pause = _FIRST_PROBE_SECONDS
        self._last_probe = self._next_probe = self._next_at = 0.0

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

    @property
    def next_probe(self) -> float | None:
        """Unix time at which the service is asked next whether work may go on; None while it need not be, or is not."""
        return self._next_at if self._state != "closed" and self._asks else None

    def open(self, error: ServiceError) -> None:
        """A call ended in `down`, `auth` or `quota`."""
        state: CircuitState = "down" if error.kind == "down" else "stopped"
        with self._lock:
            changed = self._state != state
            self._state, self._message = state, str(error)
            self._stopped_by = "" if state == "down" else "quota" if error.kind == "quota" else "auth"
            self._asks = state == "down" or error.answered or error.of_task
            if changed:
                self._pause = _FIRST_PROBE_SECONDS if state == "down" else _STOPPED_PROBE_SECONDS
                self._next_probe, self._next_at = time.monotonic() + self._pause, time.time() + self._pause
        if changed:
            self._observer.publish(Health("open" if state == "down" else "stopped", str(error), self._service))

    def close(self) -> None:
        """The service answers again, or somebody asked to try."""
        with self._lock:
            changed = self._state != "closed"
            self._state, self._message, self._stopped_by = "closed", "", ""
        if changed:
            self._observer.publish(Health("closed", service=self._service))

    def probe_soon(self) -> None:
        """Ask the service within seconds: something has come that it is needed for."""
        with self._lock:
            sooner = self._next_probe - max(time.monotonic(), self._last_probe + _SOON_SECONDS)
            if sooner > 0:
                self._next_probe, self._next_at = self._next_probe - sooner, self._next_at - sooner

    def probe(self, check: Callable[[bool], None]) -> None:
        """While it is not closed, ask the service now and then whether work may go on.

        check: raises ServiceError while it may not; told whether the account had no units left.
        """
        now = time.monotonic()
        with self._lock:
            if self._state == "closed" or not self._asks or now < self._next_probe:
                return
            self._pause = min(_LAST_PROBE_SECONDS, self._pause * 2) if self._state == "down" else _STOPPED_PROBE_SECONDS
            self._last_probe, self._next_probe, self._next_at = now, now + self._pause, time.time() + self._pause
            state, spent = self._state, self._stopped_by == "quota"
        try:
            check(spent)
        except ServiceError as error:
            if state == "down" and error.kind != "down":
                self.open(error)
            return
        self.close()
