"""`python -m benchmarks.pages [--quick | --full] [--peers PYTHON] [--json FILE] [--markdown FILE]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "daemon"))

from benchmarks.pages import documents, measuring  # noqa: E402 - the path above
from benchmarks.watching.tables import Row, table  # noqa: E402

Figures = dict[str, Any]


def main() -> int:
    """Run what was asked for; 1 when a result of ours is not sound."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="about two minutes (the default)")
    size.add_argument("--full", action="store_true", help="the sizes of the documents' figures; half an hour")
    parser.add_argument("--peers", default=sys.executable, help="a Python that has pypdf and weasyprint")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    parser.add_argument("--markdown", type=Path, help="where to keep the tables")
    parser.add_argument("--only", default="", help="sections whose name has this in it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), given.peers, full=given.full, only=given.only)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1), "utf-8")
    if given.markdown:
        given.markdown.write_text(as_markdown(figures), "utf-8")
    return 0 if all(map(_is_sound, figures["sections"].values())) else 1


def measure(base: Path, peers: str, *, full: bool, only: str = "") -> Figures:
    """All sections, printed as they come."""
    out = Console(width=160, highlight=False)
    figures: Figures = {"machine": machine(), "sections": {}}
    out.print(figures["machine"])

    def section(name: str, rows_of: Callable[[Path], list[Row]]) -> None:
        if only in name:
            with tempfile.TemporaryDirectory(dir=base) as place:
                figures["sections"][name] = rows_of(Path(place))
            out.print(table(name, figures["sections"][name]))

    def joined(name: str, task: str, size: tuple[int, int]) -> None:
        section(name, lambda place: measuring.joined(place, task, peers, size))

    many, pages, chapters, count = (1000, 10_000, 100, 1000) if full else (100, 1000, 20, 200)
    scans, texts = (60, 600) if full else (6, 60)
    joined(f"merge {many} files of 10 pages", "merge", (many, 10))
    joined(f"insert 100 pages into {pages:,}", "insert", (pages, 100))
    joined(f"encrypt {pages:,} pages", "encrypt", (pages, 0))
    joined(f"split {pages:,} pages, a file each", "split", (pages, 0))
    joined(f"delete a page of {pages:,}", "delete", (pages, 0))
    scanned = partial(documents.scan, dpi=300)
    section(f"compress {scans} scanned pages of 300 dpi", lambda place: measuring.compressed(place, scanned, scans))
    section(f"compress {texts} pages of text", lambda place: measuring.compressed(place, documents.paper, texts))
    section(f"HTML to PDF, {chapters} chapters", lambda place: measuring.printed(place, peers, chapters))
    section(f"generate {count:,} invoices", lambda place: measuring.generated(place, peers, count))
    return figures


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "programs": {name: _version(name) for name in ("qpdf", "pdftk", "chromium", "ocrmypdf", "gs")},
    }


def as_markdown(figures: Figures) -> str:
    """The tables, for a page."""
    lines = [f"`{json.dumps(figures['machine'])}`"]
    for name, rows in figures["sections"].items():
        columns = list(dict.fromkeys(column for row in rows for column in row))
        lines += ["", f"### {name}", "| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
        for row in rows:
            cells = ("" if row.get(column) is None else str(row[column]) for column in columns)
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _is_sound(rows: list[Row]) -> bool:
    mine = [row for row in rows if row["tool"].startswith("paperchute")]
    return all((row.get("qpdf --check"), row.get("two renderers")) == ("clean", "same") for row in mine)


def _version(program: str) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "not installed"
    return done.stdout.strip().partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main())
