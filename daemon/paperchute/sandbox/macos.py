"""macOS: a sandbox profile (sandbox_init of libSystem, as Chromium and Bazel use it) and resource limits.

Apple calls it deprecated and has kept it since 2007; the App Sandbox that it recommends is for signed applications.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from paperchute.sandbox import limits
from paperchute.sandbox.fence import Fence, Standing, raised
from paperchute.sandbox.limits import common_places

_PERSONAL = ("/Users", "/Volumes", "/Network", "/private/tmp", "/private/var", "/private/etc", "/Library")


def confine(fence: Fence) -> Standing:
    """See `fence.confine`."""
    if sys.platform == "win32":
        return Standing()
    return raised([("limits", lambda: limits.limit(fence)), ("sandbox profile", lambda: _profile(fence))])


def _profile(fence: Fence) -> str:
    libc = ctypes.CDLL(None)
    message = ctypes.c_char_p()
    if libc.sandbox_init(profile(fence).encode(), ctypes.c_uint64(0), ctypes.byref(message)) != 0:
        raise OSError((message.value or b"").decode("utf-8", "replace"))
    return ""


def profile(fence: Fence) -> str:
    """In the profile's own language; of rules that fit, the last one counts."""
    readable = [*common_places(), *fence.read, *fence.write]
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny network*)",
        "(deny process-fork)",
        "(deny process-exec*)",
        "(deny process-info* (target others))",
        "(deny signal (target others))",
        "(deny mach-priv*)",
        "(deny iokit-open)",
        "(deny file-link)",
        "(deny file-write*)",
        *(f"(deny file-read-data {_below(Path(place))})" for place in _PERSONAL),
        *(f"(allow file-read* {_below(place)})" for place in readable),
        *(f"(allow file-write* {_below(place)})" for place in fence.write),
        f"(allow file-write-data {_below(Path(os.devnull))})",
    ]
    return "\n".join(lines)


def _below(place: Path) -> str:
    text = str(place.resolve()).replace("\\", "\\\\").replace('"', '\\"')
    return f'(subpath "{text}")'
