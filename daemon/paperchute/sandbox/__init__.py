"""A process that reads foreign documents closes itself in, before it sees the first one.

Below all other rooms, and used by the engine's workers and the daemon's reader alike: `plain_environment` is what such
a process is started with, `confine` what it calls first, and `bound` what the daemon's reader calls before each
request. Each system does it in its own way (`linux`, `macos`, `windows`); docs/security.md says which fence keeps what
out.
"""

import sys

from paperchute.sandbox.fence import Fence, Standing, plain_environment, take

__all__ = ["Fence", "Standing", "bound", "confine", "plain_environment", "take"]


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


def bound(seconds: float) -> None:
    """From now on this process may take so many seconds of the processor; the system ends it when it takes more.

    Whatever runs in it: a library that never comes back has no thread of ours run. Raises OSError, ValueError.
    """
    if sys.platform == "win32":
        from paperchute.sandbox import windows as system
    else:
        from paperchute.sandbox import limits as system
    system.bound(seconds)
