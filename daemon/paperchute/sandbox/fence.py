"""What a process may still do, and closing it in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fence:
    """What a process that reads foreign documents keeps.

    read: folders and files that it may read, beside Python, its libraries, fonts and what the system says of itself.
    write: folders in which it may write as well. memory: bytes of its own, 0 for as much as there is. output: largest
    file in bytes, 0 for any. files: how many it may have open.

    Never a network, another program, another process, or anybody's files but these.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    memory: int = 0
    output: int = 0
    files: int = 4096


@dataclass(frozen=True)
class Standing:
    """Which fences stand and which do not, each with the reason, for log and status."""

    up: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = ", ".join(self.up) or "none"
        return f"{text}; missing: {', '.join(self.missing)}" if self.missing else text


def raised(fences: Iterable[tuple[str, Callable[[], str]]]) -> Standing:
    """Put fences up in their order. Each gives its version, or nothing; it raises OSError where the system has none."""
    up: list[str] = []
    missing: list[str] = []
    for name, fence in fences:
        try:
            up.append(f"{name} {fence()}".strip())
        except (OSError, ValueError, AttributeError) as error:  # AttributeError: the C library does not know the call
            missing.append(f"{name} ({getattr(error, 'strerror', None) or error})")
    return Standing(tuple(up), tuple(missing))


def confine(fence: Fence) -> Standing:
    """Close this process in for the rest of its life, and say how far that went.

    To be called before it has threads and before it reads anything foreign. A fence that this system does not have
    is left out: a document is then read with those that there are.
    """
    if sys.platform == "linux":
        from paperchute.sandbox import linux as system
    elif sys.platform == "darwin":
        from paperchute.sandbox import macos as system
    elif sys.platform == "win32":
        from paperchute.sandbox import windows as system
    else:
        return Standing(missing=(f"all: not known on {sys.platform}",))
    return system.confine(fence)
