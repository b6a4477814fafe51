"""`python -m benchmarks.scans [--samples DIR] [--only READER...] [--every N] [--json FILE]`: reading scans.

`python -m benchmarks.scans --cells [--peers ENV] ...`: finding tables on pictures.
`python -m benchmarks.scans --repairs ...`: what each repair of a page costs, and on how many pages it is needed.

DIR has a folder `scans` with `images` and `truth`, a text of the same name for each picture; the part of a name after
`_` is the kind of scan. Tesseract and OCRmyPDF are measured where their commands are installed.

For cells there are folders `tables` and `roundtrip` beside it with `pdfs` and `truth` (tables in Markdown). Of each PDF
one page with whole tables is printed to a picture at 200 dpi; scans that hold tables of `roundtrip` are taken as they
are. Peers are libraries in a virtual environment of their own, given by --peers (or PAPERCHUTE_PEERS):
    python -m venv ENV
    ENV/bin/pip install img2table "rapidocr>=3.10" onnxruntime pdfplumber camelot-py kreuzberg
    ENV/bin/pip install "pymupdf4llm<2"    # AGPL: to be measured, never to be used
Each measures the same pictures one by one; what takes longer than five minutes for one has failed on it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from benchmarks.scans.cells import measured, peers_of, table_pictures
from benchmarks.scans.readers import READERS
from benchmarks.scans.repairs import costs_of_repairs
from benchmarks.scans.running import ROOT, lines_of
from benchmarks.scans.scores import text_scores
from benchmarks.scans.table_readers import TABLE_READERS
from benchmarks.watching.tables import Row, table, with_ratio

_COMMANDS = {"tesseract": ("tesseract",), "ocrmypdf": ("ocrmypdf", "pdftotext")}

Figures = dict[str, Any]


def main() -> int:
    """Measure, print, keep; 1 when our own reader failed on a page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scans", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument("--samples", type=Path, default=default, help="folder with scans, and for cells the others")
    parser.add_argument("--cells", action="store_true", help="measure tables instead of text")
    parser.add_argument("--repairs", action="store_true", help="measure our repairs of pages instead of text")
    parser.add_argument("--only", nargs="+", choices=list(dict.fromkeys([*READERS, *TABLE_READERS])), metavar="READER")
    parser.add_argument("--every", type=int, default=1, help="measure every N-th picture only")
    parser.add_argument("--peers", type=Path, help="the environment of those that find tables")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    out = Console(width=200, highlight=False)
    figures: Figures = {"machine": f"{platform.platform()}, {os.cpu_count()} processors"}
    out.print(figures["machine"])
    known = TABLE_READERS if given.cells else READERS
    names = [name for name in given.only or known if name in known]
    with tempfile.TemporaryDirectory() as folder:
        work = _repairs if given.repairs else _cells if given.cells else _texts
        return work(given, names, Path(folder), out, figures)


def _texts(given: argparse.Namespace, names: list[str], folder: Path, out: Console, figures: Figures) -> int:
    pictures = _pictures(given, out)
    figures |= {"pages": [], "readers": []}
    for name in names:
        if not all(map(shutil.which, _COMMANDS.get(name, ()))):
            out.print(f"{name}: not installed")
            continue
        rows, whole = _measured(name, pictures, given.samples / "scans" / "truth", folder / name)
        figures["pages"] += rows
        figures["readers"].append(whole)
        out.print(whole)
        _keep(given.json, figures)
    _print(out, figures)
    _keep(given.json, figures)
    return 1 if any(row["trouble"] for row in figures["pages"] if row["reader"] == "ours") else 0


def _repairs(given: argparse.Namespace, _names: list[str], _folder: Path, out: Console, figures: Figures) -> int:
    figures["repairs"] = costs_of_repairs(_pictures(given, out))
    _keep(given.json, figures)
    out.print(table("Repairs", figures["repairs"]))
    return 0


def _pictures(given: argparse.Namespace, out: Console) -> list[Path]:
    pictures = sorted((given.samples / "scans" / "images").glob("*.*"))[:: given.every]
    if not pictures:
        sys.exit(f"no pictures in {given.samples / 'scans' / 'images'}")
    out.print(f"{len(pictures)} pages")
    return pictures


def _cells(given: argparse.Namespace, names: list[str], folder: Path, out: Console, figures: Figures) -> int:
    pictures = table_pictures(given.samples, folder, given.every)
    if not pictures:
        sys.exit(f"no tables in {given.samples}: it has no folder tables or roundtrip")
    kinds = Counter(picture.kind for picture in pictures)
    out.print(", ".join(f"{count} pictures of {kind}" for kind, count in kinds.items()))
    figures |= {"cells": [], "pages": []}
    for name, rows, pages in measured(pictures, names, peers_of(given.peers), folder / "read"):
        figures["cells"] += rows
        figures["pages"] += pages
        out.print(rows[-1] if rows else name)
        _keep(given.json, figures)
    shown = sorted(figures["cells"], key=lambda row: (row["pictures"] == "all", row["pictures"]))
    out.print(table("Tables on pictures", shown))
    return 1 if any(row["trouble"] for row in figures["pages"] if row["reader"] == "ours") else 0


def _keep(path: Path | None, figures: Figures) -> None:
    """A run that is cut off has been of use."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), "utf-8")


def _measured(name: str, pictures: list[Path], truth: Path, out: Path) -> tuple[list[Row], Row]:
    """A row for each page, and one for the reader."""
    rows: list[Row] = []
    whole: Row = {"reader": name, "pages": len(pictures)}
    for line in lines_of("text", name, pictures, out):
        if "page" in line:
            text = (out / f"{line['page']}.md").read_text("utf-8")
            scores = text_scores((truth / f"{line['page']}.md").read_text("utf-8"), text)
            kind = line["page"].partition("_")[2] or "scan"
            rows.append({"reader": name, "kind": kind, **scores, **line})
        else:
            whole |= {"load s": round(line["loaded"], 2)} if "loaded" in line else {"peak MB": round(line["peak"])}
    for column in ("CER", "CER letters", "WER", "word F1"):
        whole[column] = round(fmean(row[column] for row in rows), 4)
    whole["s/page"] = round(fmean(row["seconds"] for row in rows), 2)
    whole["processor s/page"] = round(fmean(row["processor"] for row in rows), 2)
    return rows, whole


def _print(out: Console, figures: Figures) -> None:
    for column in ("CER", "s/page", "processor s/page"):
        with_ratio(figures["readers"], column, "reader", "tesseract")
    out.print(table("All pages", figures["readers"]))
    kinds = sorted({row["kind"] for row in figures["pages"]})
    by_kind: list[Row] = []
    for kind in kinds:
        line: Row = {"kind": kind}
        for reader in figures["readers"]:
            own = [r["CER"] for r in figures["pages"] if r["kind"] == kind and r["reader"] == reader["reader"]]
            line[reader["reader"]] = round(fmean(own), 4)
        by_kind.append(line)
    out.print(table("CER by kind of scan", by_kind))


if __name__ == "__main__":
    sys.exit(main())
