"""`python -m benchmarks.reading [--samples DIR] [--peers ENV] [--out FILE]`: quality and speed beside peers.

Peers are libraries in a virtual environment of their own, given by --peers (or PAPERCHUTE_PEERS):
    python -m venv ENV
    ENV/bin/pip install liteparse pdf-inspector pdf_oxide kreuzberg "markitdown[pdf]" pdfplumber pypdfium2
    ENV/bin/pip install opendataloader-pdf    # with Java
    ENV/bin/pip install "pymupdf4llm<2"    # AGPL: to be measured, never to be used
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pypdfium2
from rich.console import Console

from benchmarks.reading.readers import READERS
from benchmarks.reading.report import kinds, markdown, rows
from benchmarks.reading.samples import Collection, by_label, collections, halves
from benchmarks.reading.scores import means
from benchmarks.watching.tables import table

ROOT = Path(__file__).parents[2]

Figures = dict[str, Any]


def main() -> int:
    """Measure, print, keep; 1 when our own reader could not be measured."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reading", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument(
        "--samples", type=Path, default=default, help="folder with roundtrip, tables, olmocr, or with sets"
    )
    parser.add_argument("--peers", type=Path, default=os.environ.get("PAPERCHUTE_PEERS"), help="their environment")
    parser.add_argument("--only", nargs="+", choices=list(READERS), help="readers to measure; default: all")
    parser.add_argument("--out", type=Path, help="where to keep the figures: FILE.md and FILE.json")
    parser.add_argument("--kinds", action="store_true", help="also tell the kinds of a set's documents apart")
    given = parser.parse_args()
    found = collections(given.samples)
    if not found:
        parser.error(f"no samples in {given.samples}: it has no folder roundtrip, tables or olmocr, and no set")
    figures = measure(found, given.peers, given.only or list(READERS))
    if given.kinds:
        for collection in found:
            Console(width=200, highlight=False).print(
                table(f"{collection.name} by kind", kinds(figures, collection.name))
            )
    if given.out:
        given.out.with_suffix(".json").write_text(json.dumps(figures, indent=1), "utf-8")
        given.out.with_suffix(".md").write_text(markdown(figures), "utf-8")
    return 1 if "ours" in figures["not measured"] else 0


def measure(found: list[Collection], peers: Path | None, names: list[str]) -> Figures:
    """All readers over all collections, one after another; printed as they come."""
    out = Console(width=200, highlight=False)
    figures: Figures = {"machine": _machine(), "documents": {}, "readers": {}, "not measured": {}}
    pages = {c.name: sum(map(_pages, c.pdfs.values())) for c in found}
    figures["documents"] = {c.name: {"documents": len(c.pdfs), "pages": pages[c.name]} for c in found}
    out.print(figures["machine"], figures["documents"])
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            python = Path(sys.executable) if name == "ours" else peers and peers / "bin" / "python"
            if python is None or not Path(python).exists():
                figures["not measured"][name] = "no environment for peers was given"
                continue
            try:
                figures["readers"][name] = _reader(name, Path(python), found, pages, Path(folder))
            except (OSError, RuntimeError, subprocess.SubprocessError) as error:
                figures["not measured"][name] = str(error)
            out.print(f"{name}: {'not ' if name in figures['not measured'] else ''}measured")
    for collection in found:
        out.print(table(collection.name, rows(figures, collection.name)))
    for name, why in figures["not measured"].items():
        out.print(f"{name}: not measured ({why})")
    return figures


def _reader(name: str, python: Path, found: list[Collection], pages: dict[str, int], folder: Path) -> Figures:
    """One reader's scores and speed, by collection."""
    result: Figures = {}
    for collection in found:
        here = folder / name / collection.name
        here.mkdir(parents=True)
        targets = {document: here / f"{document}.md" for document in collection.pdfs}
        report = _run(name, python, [(collection.pdfs[d], targets[d]) for d in targets], here)
        made = {document: path.read_text("utf-8", "replace") for document, path in targets.items()}
        scores = collection.score(made)
        entries = report["documents"].values()
        seconds, cpu = (sum(entry[key] for entry in entries) for key in ("seconds", "CPU seconds"))
        result[collection.name] = {
            "version": report["version"],
            "scores": means(scores),
            "halves": {} if collection.half else halves(scores),
            "kinds": by_label(scores) if collection.half else {},
            "pages/s": round(pages[collection.name] / seconds, 1),
            "pages/CPU s": round(pages[collection.name] / cpu, 1) if cpu else None,
            "peak MiB": report["peak MiB"],
            "errors": {Path(d).stem: e["error"] for d, e in report["documents"].items() if e["error"]},
            "by document": scores,
        }
    return result


def _run(name: str, python: Path, tasks: list[tuple[Path, Path]], folder: Path) -> Figures:
    listed, out, log = folder / "_list.json", folder / "_run.json", folder / "_log.txt"
    listed.write_text(json.dumps([[str(a.resolve()), str(b)] for a, b in tasks]), "utf-8")
    environment = os.environ | ({"PYTHONPATH": str(ROOT / "daemon")} if name == "ours" else {"PYTHONPATH": ""})
    script = Path(__file__).with_name("readers.py")
    with log.open("wb") as errors:
        done = subprocess.run(
            [python, script, name, listed, out],
            env=environment,
            stdout=errors,
            stderr=errors,
            timeout=3600,
            check=False,
        )
    if done.returncode:
        words = log.read_text("utf-8", "replace").strip().splitlines()
        raise RuntimeError(words[-1][:200] if words else f"exit code {done.returncode}")
    report: Figures = json.loads(out.read_text("utf-8"))
    return report


def _pages(path: Path) -> int:
    document = pypdfium2.PdfDocument(path)
    try:
        return len(document)
    finally:
        document.close()


def _machine() -> Figures:
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


if __name__ == "__main__":
    sys.exit(main())
