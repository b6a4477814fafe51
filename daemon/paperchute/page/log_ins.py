"""Log-ins: who guesses waits longer and longer, by where it comes from, and nobody is locked out for good."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass

from loguru import logger
from starlette.concurrency import run_in_threadpool

from paperchute.page.password import Password

_FREE = 3
"""Wrong ones that cost nothing: people mistype."""
_LONGEST_SECONDS = 60.0
_FORGOTTEN_SECONDS = 3600.0
_MOST_PLACES = 1000
_MOST_IN_LINE = 4
"""Log-ins that wait for their turn: each takes the processor for a fifth of a second, and they come one by one."""
_AGAIN_SECONDS = 2.0
"""To who finds the line full."""
_HOME_BITS = 64
"""Of an IPv6 address: all behind them are one customer's."""


@dataclass
class _Place:
    """What came from one address."""

    wrong: int = 0
    until: float = 0.0
    """When the next one may come."""
    last: float = 0.0


class LogIns:
    """On the event loop. In memory only: a restart begins anew."""

    def __init__(self, password: Password, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds that only grow."""
        self._password = password
        self._clock = clock
        self._places: dict[str, _Place] = {}
        self._in_line: set[str] = set()
        self._turn = asyncio.Lock()

    async def fits(self, given: str, address: str) -> bool:
        """Tell whether it is the password. Raises TooSoon where this address has to wait before it may say another."""
        place = _home(address)
        if (seconds := self._wait(place)) > 0:
            raise TooSoon(seconds)
        self._in_line.add(place)
        try:
            async with self._turn:
                fits = await run_in_threadpool(self._password.fits, given)
        finally:
            self._in_line.discard(place)
        if fits:
            self._places.pop(place, None)
            logger.info("somebody logged in to the page from {}", address)
        else:
            logger.warning("a wrong password for the page from {} (in a row: {})", address, self._was_wrong(place))
        return fits

    def _wait(self, place: str) -> float:
        """Seconds before this place may try."""
        if place in self._in_line or len(self._in_line) >= _MOST_IN_LINE:
            return _AGAIN_SECONDS
        now = self._clock()
        known = self._places.get(place)
        if known is not None and now - known.last > _FORGOTTEN_SECONDS:
            del self._places[place]
            return 0.0
        return known.until - now if known is not None else 0.0

    def _was_wrong(self, place: str) -> int:
        known = self._places.pop(place, None) or _Place()
        self._places[place] = known  # to the end: who was wrong longest ago is forgotten first
        known.wrong += 1
        known.last = self._clock()
        if known.wrong > _FREE:
            known.until = known.last + min(2.0 ** (known.wrong - _FREE), _LONGEST_SECONDS)
        while len(self._places) > _MOST_PLACES:
            del self._places[next(iter(self._places))]
        return known.wrong


class TooSoon(Exception):
    """The next log-in may come in so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def _home(address: str) -> str:
    """Return what counts as one place."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((known, _HOME_BITS), strict=False))
    return address
