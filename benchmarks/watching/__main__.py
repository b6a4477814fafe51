"""`python -m benchmarks.watching [--quick | --full] [--json FILE]`: measure, print tables, keep the figures."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "daemon"))

from benchmarks.watching import bursts, latency, whole_path  # noqa: E402 - they need the path above
from benchmarks.watching.writers import WRITERS  # noqa: E402

Row = dict[str, Any]
_PACKAGES = ("watchdog", "watchfiles", "inotify_simple", "httpx", "uvicorn", "httptools")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watching", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="about two minutes (the default)")
    size.add_argument("--full", action="store_true", help="up to 100,000 files; half an hour")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    parser.add_argument("--folder", type=Path, help="on which disk to measure; default: the temporary folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        figures = measure(Path(folder), full=given.full)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1), "utf-8")


def measure(base: Path, *, full: bool) -> dict[str, Any]:
    """All sections, printed as they come."""
    out = Console(width=160)
    figures: dict[str, Any] = {"machine": machine()}
    out.print(figures["machine"])

    def section(name: str, rows: list[Row]) -> None:
        figures[name] = rows
        out.print(_table(name, rows))

    flat = ("write, close", ".part, rename", "mv in")
    counts: dict[str, tuple[int, ...]] = dict.fromkeys(flat, (1_000,))
    if full:
        counts = {name: (1_000, 10_000, 100_000) if name in flat else (1_000, 10_000) for name in WRITERS}
    section("bursts", bursts.bursts(base / "b", counts))
    stopped = {"write, close": (20_000 if full else 10_000,)}
    section("bursts, watcher stopped meanwhile", bursts.bursts(base / "b", stopped, stopped=True))
    section("latency", latency.latency(base / "l", 200 if full else 60))
    section("idle watcher", latency.idle(base / "i", 50, 20.0 if full else 4.0))
    section("rescan", latency.rescan(base / "r", (1_000, 10_000, 100_000) if full else (1_000, 10_000)))
    with whole_path.service() as port:
        section("drop to output, one by one", whole_path.one_by_one(base / "w", port, 300 if full else 60))
        section("drop to output, burst", whole_path.burst(base / "w", port, 1_500 if full else 500, (1, 2, 4)))
        section("idle daemon", whole_path.idle_daemon(base / "w", port, 50, 20.0 if full else 4.0))
        section("large input", whole_path.large(base / "w", port, 1024 if full else 256))
        section("recovery", whole_path.recovery(base / "w", port))
        if full:
            section("backlog", whole_path.burst(base / "w", port, 100_000, (4,)))
    return figures


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "packages": versions,
    }


def _table(name: str, rows: list[Row]) -> Table:
    table = Table(title=name, title_justify="left")
    for column in rows[0]:
        table.add_column(column, justify="left" if isinstance(rows[0][column], str) else "right")
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    return table


if __name__ == "__main__":
    main()
