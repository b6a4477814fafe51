"""`python -m benchmarks.watching [--quick | --full] [--json FILE]`: measure, print tables, keep the figures."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "daemon"))

from benchmarks.watching import bursts, idle, latency, recovery, rescan, start, whole_path, workers  # noqa: E402 - as above
from benchmarks.watching.daemon import service  # noqa: E402
from benchmarks.watching.tables import Row, table  # noqa: E402
from benchmarks.watching.watchers import KINDS, installed  # noqa: E402
from benchmarks.watching.writers import WRITERS, available  # noqa: E402

Figures = dict[str, Any]

_PACKAGES = ("watchdog", "watchfiles", "inotify_simple", "httpx", "uvicorn", "httptools")
_QUICK_WRITERS = ("write, close", ".part, rename", "mv in")
_FAILURES = (OSError, RuntimeError, subprocess.SubprocessError)


def main() -> int:
    """Run what was asked for; 1 when a section could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watching", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="about two minutes (the default)")
    size.add_argument("--full", action="store_true", help="up to 100,000 files; an hour")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    parser.add_argument("--folder", type=Path, help="on which disk to measure; default: the temporary folder")
    given = parser.parse_args()

    def keep(figures: Figures) -> None:
        if given.json:
            given.json.write_text(json.dumps(figures, indent=1), "utf-8")

    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        figures = measure(Path(folder), keep, full=given.full)
    return 1 if figures["failed"] else 0


def measure(base: Path, keep: Callable[[Figures], None], *, full: bool) -> Figures:
    """All sections, printed and kept as they come, the longest last: a run that is cut off has been of use.

    failed: why a section could not be measured. seconds: what measuring each took.
    """
    out = Console(width=160, highlight=False)
    figures: Figures = {"machine": machine(base), "failed": {}, "seconds": {}}
    out.print(figures["machine"])

    def section(name: str, rows_of: Callable[[Path], list[Row]]) -> None:
        place, began = base / "now", time.monotonic()
        try:
            figures[name] = rows_of(place)
            out.print(table(name, figures[name]))
        except _FAILURES as error:  # one thing that does not work must not hide the figures of the others
            figures["failed"][name] = str(error)
            out.print(f"{name}: not measured ({error})")
        finally:
            shutil.rmtree(place, ignore_errors=True)
            figures["seconds"][name] = round(time.monotonic() - began, 1)
            keep(figures)

    def burst(count: int) -> None:
        writers = tuple(WRITERS) if full else _QUICK_WRITERS
        section(f"bursts of {count:,}", lambda place: bursts.bursts(place, writers, count))

    stopped, stopped_count = (tuple(WRITERS), 20_000) if full else (("write, close",), 10_000)
    burst(1_000)
    section("stopped meanwhile", lambda place: bursts.bursts(place, stopped, stopped_count, stopped=True))
    section("latency", lambda place: latency.latency(place, 300 if full else 60))
    section("rescan", lambda place: rescan.rescan(place, (1_000, 10_000, 100_000) if full else (1_000, 10_000)))
    with service() as idler:
        section("idle", lambda place: idle.idle(place, idler, 20.0 if full else 4.0))
        section("start", lambda place: start.start(place, idler, 9 if full else 3, 10_000))
        section("recovery", lambda place: recovery.recovery(place, idler))
        section("one by one", lambda place: whole_path.one_by_one(place, idler, 300 if full else 60))
        section("burst of 10 KiB", lambda place: whole_path.burst(place, idler, 1_500 if full else 500, (1, 2, 4)))
        section("burst of 10 MiB", lambda place: whole_path.large_files(place, idler, 40 if full else 10))
        section("one large input", lambda place: whole_path.one_large(place, idler, 1024 if full else 256))
        if full:
            section("backlog", lambda place: whole_path.backlog(place, idler, 100_000))
    section("workers", lambda place: workers.by_number(place, *(((1, 2, 4, 8), 5) if full else ((1, 4), 1))))
    if full:
        burst(10_000)
        burst(100_000)
    return figures


def machine(base: Path) -> dict[str, Any]:
    """What the figures depend on, and what could not take part."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    absent = [kind for kind in KINDS if not installed(kind)] + [name for name in WRITERS if not available(name)]
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(psutil.getloadavg()[0], 2),
        "file system": _file_system(base),
        "packages": versions,
        "not installed": absent,
    }


def _file_system(path: Path) -> str:
    if shutil.which("stat") is None:
        return "unknown"
    done = subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
