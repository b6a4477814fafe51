"""What another program has open Windows neither renames nor removes; most programs let go of it in a moment.

Virus scanners, search indexers and previews open each new file, for milliseconds to seconds (CreateFileW, "Creating and
Opening Files"). Other systems do not mind who has a file open, and never get here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from paperchute.language import _

_HELD = {32: 10.0, 33: 10.0, 5: 2.0}
"""Seconds for which an error is tried again: ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION, and ERROR_ACCESS_DENIED,
which is said of files about to be deleted and of folders with open files, as of a missing right (winerror.h)."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.5

Result = TypeVar("Result")


class HeldError(PermissionError):
    """Another program has the file open."""


def when_free(act: Callable[[], Result]) -> Result:
    """Give what `act` returns, tried again while another program is in the way. Raises OSError, which says so then."""
    began, pause = time.monotonic(), _FIRST_PAUSE
    while True:
        try:
            return act()
        except PermissionError as error:
            code = getattr(error, "winerror", None)
            patience = 0.0 if code is None else _HELD.get(code, 0.0)
            if time.monotonic() - began >= patience:
                if patience == max(_HELD.values()):
                    raise HeldError(error.errno, _("it is open in another program"), error.filename) from error
                raise
        time.sleep(pause)
        pause = min(_LONGEST_PAUSE, 2 * pause)
