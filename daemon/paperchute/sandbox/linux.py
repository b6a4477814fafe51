"""Linux: no new privileges, no capabilities, Landlock for files, seccomp for everything else, resource limits."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from paperchute.sandbox import landlock, limits, seccomp
from paperchute.sandbox.fence import Fence, Standing, raised
from paperchute.sandbox.places import common_places

_NO_NEW_PRIVILEGES = 38  # prctl(2)
_CAPABILITIES_3 = 0x2008_0522  # capset(2)
_READ_ANY_FILE = 1 << 2  # CAP_DAC_READ_SEARCH


def confine(fence: Fence) -> Standing:
    """See `fence.confine`."""
    return raised(
        [
            ("no new privileges", _no_new_privileges),
            ("no capabilities", _no_capabilities),
            ("limits", lambda: limits.limit(fence)),
            ("Landlock", lambda: _files(fence)),
            ("seccomp", _calls),
        ]
    )


def _no_new_privileges() -> str:
    return _prctl(_NO_NEW_PRIVILEGES, 1)


def _no_capabilities() -> str:
    """As root too. To read what only its owner may is kept: Python may lie in another user's home, and which files
    can be reached at all is for Landlock to say."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, for each half of the numbers
    if libc.capget(header, sets) != 0:
        raise _error()
    kept = sets[1] & _READ_ANY_FILE
    left = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    if libc.capset(header, left) != 0:
        raise _error()
    return ""


def _files(fence: Fence) -> str:
    _one_thread()
    return str(landlock.restrict([*common_places(), *fence.read], [*fence.write, Path(os.devnull)]))


def _calls() -> str:
    seccomp.restrict()
    return ""


def _one_thread() -> None:
    """Landlock closes in the thread that calls, and those it starts."""
    if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208 -- names are enough
        raise OSError("the process has threads already")


def _prctl(option: int, value: int) -> str:
    zero = ctypes.c_ulong(0)
    if ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), zero, zero, zero) != 0:
        raise _error()
    return ""


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
