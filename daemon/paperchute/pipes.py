"""The pipes by which processes of ours speak with each other."""

from __future__ import annotations

import os


def own_input() -> int:
    """A descriptor for standard input that nothing else reads, which stays with the null device instead.

    On Windows a thread that waits for a pipe holds up every other one that asks the same file object for anything. As
    the runtime of nearly every library asks about standard input while it is loaded, none could be loaded any more.
    """
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return own
