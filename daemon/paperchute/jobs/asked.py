"""How another process knows that the daemon goes by what it has changed: it asks, and the daemon answers."""

from __future__ import annotations

import secrets
import time

from paperchute.jobs.journal.store import Settings

NUDGE = "nudge"
"""The setting that asks for what waits to be tried now."""
ASKED = "asked"
TAKEN = "taken"
_LOOK_SECONDS = 0.05
_WAIT_SECONDS = 15.0
"""A daemon looks each second, and one on a busy machine or a slow disk takes some of them."""


def is_taken(settings: Settings, seconds: float = _WAIT_SECONDS) -> bool:
    """Wait until the daemon works by what was changed before this call; False when it has not within `seconds`."""
    token = secrets.token_hex(8)
    settings.set(ASKED, token)
    end = time.monotonic() + seconds
    while settings.get(TAKEN) != token:
        if time.monotonic() > end:
            return False
        time.sleep(_LOOK_SECONDS)
    return True
