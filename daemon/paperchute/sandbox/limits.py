"""What a closed-in process has: resource limits, and the places that it may read."""

from __future__ import annotations

import math
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from paperchute.sandbox.fence import Fence


def limit(fence: Fence) -> str:
    """Set the limits for the rest of the process's life. Raises OSError, ValueError."""
    if sys.platform != "win32":
        import resource

        _lower(resource.RLIMIT_CORE, 0)  # a core file would hold the document
        _lower(resource.RLIMIT_NOFILE, fence.files)
        if fence.output:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails instead
            _lower(resource.RLIMIT_FSIZE, fence.output)
        if fence.memory and sys.platform == "linux":
            # Private memory that can be written; files that are mapped, such as libraries and PDFs, do not count.
            # macOS has no such limit, and refuses the one on addresses.
            _lower(resource.RLIMIT_DATA, fence.memory)
    return ""


def bound(seconds: float) -> None:
    """See `paperchute.sandbox.bound`."""
    if sys.platform != "win32":
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        end = math.ceil(used.ru_utime + used.ru_stime + seconds)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (end if hard == resource.RLIM_INFINITY else min(end, hard), hard))


def _lower(which: int, most: int) -> None:
    if sys.platform != "win32":
        import resource

        now = resource.getrlimit(which)[1]
        allowed = most if now == resource.RLIM_INFINITY else min(most, now)
        resource.setrlimit(which, (allowed, allowed))


_SYSTEM = (
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/share",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/local/share",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/System/Library",  # macOS, with its fonts
    "/Library/Fonts",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/var/cache/fontconfig",
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
)
_AT_HOME = (".fonts", ".local/share/fonts", ".fonts.conf", ".config/fontconfig", ".cache/fontconfig", "Library/Fonts")


def common_places() -> list[Path]:
    """All that exists of them. Never a person's whole home, nor a whole file system."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 -- Path.home raises where there is none
    shared = {Path(), Path("/"), Path("/usr"), Path("/usr/local"), home, *home.parents}
    wanted = [Path(place) for place in _SYSTEM]
    wanted += [home / place for place in _AT_HOME]
    wanted += _fonts()
    wanted += [Path(place) for place in (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)]
    wanted += [Path(place) for place in sys.path if place]
    if sys.pycache_prefix:  # what is compiled is kept there: every process would compile all that it loads again
        wanted.append(Path(sys.pycache_prefix))
    if getattr(sys, "frozen", False):  # a self-contained program, which holds its own modules
        wanted.append(Path(sys.executable))
    return [place for place in dict.fromkeys(wanted) if place.resolve() not in shared and place.exists()]


def _fonts() -> Iterator[Path]:
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        if base := os.environ.get(variable):
            yield from (Path(base, "fonts"), Path(base, "fontconfig"))
    for variable in ("FONTCONFIG_FILE", "FONTCONFIG_PATH"):
        if place := os.environ.get(variable):
            yield Path(place)
