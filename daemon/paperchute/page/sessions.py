"""Who may use the page: a ticket lets in once, and becomes a session that lasts as long as somebody looks."""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable

from paperchute.page.rights import Door

TICKET_SECONDS = 60.0
"""A browser that has to start first takes some seconds; whoever reads a ticket later finds it spent."""
_SESSION_SECONDS = 12 * 3600.0  # without a request: a page left open over night asks all the time
_MOST_TICKETS = 20
_MOST_SESSIONS = 100


class Sessions:
    """Tickets and sessions, in memory only and by their hashes. Any thread may ask.

    A session is one of the door by which it came, and worth nothing at the other.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds that only grow."""
        self._clock = clock
        self._lock = threading.Lock()
        self._tickets: dict[bytes, float] = {}
        self._sessions: dict[bytes, float] = {}

    def ticket(self) -> str:
        """A new ticket. The oldest one goes where there are too many."""
        return self._new(self._tickets, "here", TICKET_SECONDS, _MOST_TICKETS)

    def begin(self, ticket: str) -> str | None:
        """The session that a ticket gives, once; None for one that is spent, too old or none of ours."""
        with self._lock:
            self._forget(self._tickets)
            if self._tickets.pop(_hashed(ticket, "here"), None) is None:
                return None
        return self.admit("here")

    def admit(self, door: Door) -> str:
        """A session for who was let in at a door. The one that was used longest ago goes where there are too many."""
        return self._new(self._sessions, door, _SESSION_SECONDS, _MOST_SESSIONS)

    def end(self, session: str, door: Door) -> None:
        """It lets in no more."""
        with self._lock:
            self._sessions.pop(_hashed(session, door), None)

    def holds(self, session: str, door: Door) -> bool:
        """Decide whether it is a session of this door; it lasts on from now."""
        with self._lock:
            self._forget(self._sessions)
            known = _hashed(session, door)
            if known not in self._sessions:
                return False
            del self._sessions[known]  # to the end: the one that was used longest ago goes first
            self._sessions[known] = self._clock() + _SESSION_SECONDS
            return True

    def _new(self, among: dict[bytes, float], door: Door, seconds: float, most: int) -> str:
        new = secrets.token_urlsafe(32)
        if door == "network":
            new = whole(new, secrets.token_urlsafe(32))
        with self._lock:
            self._forget(among)
            while len(among) >= most:
                del among[next(iter(among))]
            among[_hashed(new, door)] = self._clock() + seconds
        return new

    def _forget(self, among: dict[bytes, float]) -> None:
        now = self._clock()
        for known in [known for known, end in among.items() if end <= now]:
            del among[known]


def halves(session: str) -> tuple[str, str]:
    """The two secrets of a session over the network, which are worth nothing without each other."""
    in_cookie, _dot, in_header = session.partition(".")
    return in_cookie, in_header


def whole(in_cookie: str, in_header: str) -> str:
    """A session over the network, of its two secrets; none is one where both stand in the place of one."""
    return f"{in_cookie}.{in_header}"


def _hashed(secret: str, door: Door) -> bytes:
    """By which it is looked up: how long that takes tells nothing of the secret itself."""
    return hashlib.sha256(f"{door}:{secret}".encode("utf-8", "surrogatepass")).digest()
