"""How the command line is called here: by its name where it is installed, by `start.py` in a checkout.

A self-contained program (`sys.frozen`) is called by its own path, where it is on none.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

_options: list[str] = []

VARIABLE = "PAPERCHUTE_COMMAND"
"""What started us, as `start.py` says it: the words before the verb."""


def again() -> list[str]:
    """The words that start this program, without what follows them."""
    started = os.environ.get(VARIABLE)
    if started and sys.platform != "win32":  # there `start.py` waits for us, and starts nothing else
        return shlex.split(started)
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "paperchute"]


def told_with(options: Sequence[str]) -> None:
    """Options that this process was given and that every command which people read must bear, or it means another one.

    The number of a job, for instance, is that of another file where rules and state are others.
    """
    _options[:] = options


def command(verb: str) -> str:
    """A command that works where it is read, such as `paperchute retry 5`."""
    words = f"{_written(_options)} {verb}" if _options else verb
    started = os.environ.get(VARIABLE)
    if started:
        return f"{started} {words}"
    if shutil.which("paperchute"):
        return f"paperchute {words}"
    python = _written([sys.executable])
    return f"{python} {words}" if getattr(sys, "frozen", False) else f"{python} -m paperchute {words}"


def _written(words: Sequence[str]) -> str:
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)
