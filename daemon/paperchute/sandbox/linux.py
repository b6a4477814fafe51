"""Linux: no new privileges, no capabilities, Landlock for files, seccomp for everything else, resource limits."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from paperchute.sandbox import limits, seccomp
from paperchute.sandbox.fence import Fence, Standing, raised
from paperchute.sandbox.limits import common_places

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1  # flag of create: say the version instead
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_ALL_OF_FIRST = (1 << 13) - 1
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract sockets of others, signals to others

_READING = _READ_FILE | _READ_DIR
_WRITING = _READING | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
"""Links, sockets, pipes and devices are nobody's to make, and no program to run: libraries are mapped, not run."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The kernel's version of Landlock; 0 where there is none."""
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def restrict(read: Iterable[Path], write: Iterable[Path]) -> int:
    """Leave this thread, and what it starts, these files only. The version of Landlock it was done with.

    The process must have given up new privileges. Raises OSError.
    """
    known = version()
    if not known:
        raise OSError(errno.ENOSYS, "this kernel has none")
    handled = _ALL_OF_FIRST
    handled |= _REFER if known >= 2 else 0
    handled |= _TRUNCATE if known >= 3 else 0
    handled |= _IOCTL_DEVICE if known >= 5 else 0
    rules = _Ruleset(handled, _TCP if known >= 4 else 0, _SCOPES if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = _call(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    try:
        for places, rights in ((read, _READING), (write, _WRITING)):
            for place in places:
                _allow(ruleset, place, rights & handled)
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return known


def _allow(ruleset: int, place: Path, rights: int) -> None:
    if sys.platform != "linux":
        return
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there, or not for this user, is not given out either
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = _Beneath(rights, descriptor)
        _call(_ADD, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(number, *arguments))
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


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
    """As root too.

    To read what only its owner may is kept: Python may lie in another user's home, and which files can be reached at
    all is for Landlock to say.
    """
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
    return str(restrict([*common_places(), *fence.read], [*fence.write, Path(os.devnull)]))


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
