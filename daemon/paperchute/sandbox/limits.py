"""What the kernel counts for one process by itself, alike on Linux and macOS (setrlimit(2))."""

from __future__ import annotations

import signal
import sys

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


def _lower(which: int, most: int) -> None:
    if sys.platform != "win32":
        import resource

        now = resource.getrlimit(which)[1]
        allowed = most if now == resource.RLIM_INFINITY else min(most, now)
        resource.setrlimit(which, (allowed, allowed))
