"""How far an operation is, told from the worker process while it works."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from paperchute.engine.work import Told

_SECONDS = 0.25
"""Between two reports: faces are redrawn no faster."""

Item = TypeVar("Item")

_listeners: list[Told] = []


def listen(told: Told | None) -> None:
    """Whom to tell from now on; None for nobody. Worker processes set this before they begin with a task."""
    _listeners[:] = [] if told is None else [told]


def counted(pages: Iterable[Item], total: int) -> Iterator[Item]:
    """The pages as they are; each counts as done when the next one is asked for."""
    latest = -_SECONDS
    for done, page in enumerate(pages):
        now = time.monotonic()
        if now - latest >= _SECONDS:
            latest = now
            for told in _listeners:
                told(done, total)
        yield page
