"""`python -m benchmarks.scans [--samples DIR] [--only READER...] [--every N] [--json FILE]`: reading scans.

DIR has folders `images` and `truth`, a text of the same name for each picture; the part of a name after `_` is the
kind of scan. For cells, a folder `tables` beside it with `pdfs` and `truth` (tables as HTML in Markdown) is printed to
pictures at 200 dpi first. Tesseract and OCRmyPDF are measured where their commands are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Any

import pypdfium2
from rich.console import Console

from benchmarks.reading.scores import cell_scores
from benchmarks.scans.readers import READERS
from benchmarks.scans.scores import text_scores
from benchmarks.watching.tables import Row, table, with_ratio

ROOT = Path(__file__).parents[2]
_COMMANDS = {"tesseract": ("tesseract",), "ocrmypdf": ("ocrmypdf", "pdftotext")}
_TABLE_DPI = 200

Figures = dict[str, Any]


def main() -> int:
    """Measure, print, keep; 1 when our own reader failed on a page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scans", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples")) / "scans"
    parser.add_argument("--samples", type=Path, default=default)
    parser.add_argument("--only", nargs="+", choices=list(READERS), default=list(READERS))
    parser.add_argument("--every", type=int, default=1, help="measure every N-th picture only")
    parser.add_argument("--cells", action="store_true", help="tables, too")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    pictures = sorted((given.samples / "images").glob("*.*"))[:: given.every]
    if not pictures:
        parser.error(f"no pictures in {given.samples / 'images'}")
    out = Console(width=180, highlight=False)
    figures: Figures = {"machine": f"{platform.platform()}, {os.cpu_count()} processors", "pages": [], "readers": []}
    out.print(figures["machine"], f"{len(pictures)} pages")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only:
            if not all(map(shutil.which, _COMMANDS.get(name, ()))):
                out.print(f"{name}: not installed")
                continue
            rows, whole = _measured(name, pictures, given.samples / "truth", Path(folder) / name)
            figures["pages"] += rows
            figures["readers"].append(whole)
            out.print(whole)
            _keep(given.json, figures)
        if given.cells:
            figures["cells"] = [_cells(given.samples.parent / "tables", given.every, Path(folder))]
    _print(out, figures)
    _keep(given.json, figures)
    return 1 if any(row["trouble"] for row in figures["pages"] if row["reader"] == "ours") else 0


def _keep(path: Path | None, figures: Figures) -> None:
    """A run that is cut off has been of use."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), "utf-8")


def _measured(name: str, pictures: list[Path], truth: Path, out: Path) -> tuple[list[Row], Row]:
    """A row for each page, and one for the reader."""
    rows: list[Row] = []
    whole: Row = {"reader": name, "pages": len(pictures)}
    for line in _run(name, pictures, out):
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


def _cells(tables: Path, every: int, folder: Path) -> Row:
    """Cells of printed tables that were turned into pictures, found by our reader."""
    pictures, out = folder / "pictures", folder / "cells"
    pictures.mkdir()
    for path in sorted((tables / "pdfs").glob("*.pdf"))[::every]:
        document = pypdfium2.PdfDocument(path)
        pages = [page.render(scale=_TABLE_DPI / 72).to_pil().convert("RGB") for page in document]
        pages[0].save(pictures / f"{path.stem}.tiff", save_all=True, append_images=pages[1:], dpi=(_TABLE_DPI,) * 2)
        document.close()
    found = [line["page"] for line in _run("ours", sorted(pictures.iterdir()), out) if "page" in line]
    scores = [
        cell_scores((tables / "truth" / f"{page}.md").read_text("utf-8"), (out / f"{page}.md").read_text("utf-8"))
        for page in found
    ]
    return {"reader": "ours", "documents": len(found)} | {
        name: round(fmean(score[name] for score in scores), 3) for name in scores[0]
    }


def _run(name: str, pictures: list[Path], out: Path) -> list[dict[str, Any]]:
    """One reader in a process of its own. Raises RuntimeError when that ends badly."""
    out.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scans.child", name, str(out), *map(str, pictures)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'daemon'}{os.pathsep}{ROOT}"},
    )
    if done.returncode:
        raise RuntimeError(f"{name} ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


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
    if "cells" in figures:
        out.print(table("Cells of tables in pictures", figures["cells"]))


if __name__ == "__main__":
    sys.exit(main())
