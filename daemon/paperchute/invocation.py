"""How the command line is called here: by its name where it is installed, by `start.py` in a checkout.

A self-contained program (`sys.frozen`) is called by its own path, where it is on none.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

VARIABLE = "PAPERCHUTE_COMMAND"
"""What started us, as `start.py` says it: the words before the verb."""


def again() -> list[str]:
    """The words that start this program, without what follows them."""
    started = os.environ.get(VARIABLE)
    if started and sys.platform != "win32":  # there `start.py` waits for us, and starts nothing else
        return shlex.split(started)
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "paperchute"]


def command(verb: str) -> str:
    """A command that works where it is read, such as `paperchute retry 5`."""
    started = os.environ.get(VARIABLE)
    if started:
        return f"{started} {verb}"
    if shutil.which("paperchute"):
        return f"paperchute {verb}"
    python = subprocess.list2cmdline([sys.executable]) if sys.platform == "win32" else shlex.quote(sys.executable)
    return f"{python} {verb}" if getattr(sys, "frozen", False) else f"{python} -m paperchute {verb}"
