"""What is done to the program itself, and not to its daemon: by whoever has started it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Controls:
    """Any thread may call."""

    quit: Callable[[], None]
    """End the program in order; returns at once."""
    starts: Callable[[], bool | None]
    """Whether it starts when its person logs in; None where nothing starts programs so."""
    start_at_login: Callable[[bool], None]
    """Switch that. Raises PaperchuteError and OSError."""
