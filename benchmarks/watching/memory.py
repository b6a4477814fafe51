"""How much memory a process has taken."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import psutil

MIB = 1 << 20


def peak_mib(process: int | str = "self") -> float:
    """The most resident memory of a process since it began, or since `forget_peak` (VmHWM, proc_pid_status(5)).

    Not getrusage's ru_maxrss: across fork and exec that keeps the peak of the parent, which here is the benchmark.
    """
    if sys.platform == "win32":
        return float(psutil.Process(None if process == "self" else int(process)).memory_info().peak_wset / MIB)
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def forget_peak(process: int) -> None:
    """Measure its peak from now on (clear_refs, proc_pid_clear_refs(5))."""
    Path(f"/proc/{process}/clear_refs").write_text("5")
