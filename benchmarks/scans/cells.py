"""Tables on pictures: how well their cells are found, beside peers."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from benchmarks.reading.scores import cell_scores, markdown_scores
from benchmarks.scans.running import lines_of
from benchmarks.scans.scores import exact_cells
from benchmarks.scans.tables import TablePicture, printed, scanned
from benchmarks.watching.tables import Row

_COMMANDS = {
    "tesseract + img2table": ("tesseract",),
    "ocrmypdf + pdfplumber": ("ocrmypdf",),
    "ocrmypdf + camelot": ("ocrmypdf",),
    "kreuzberg (tesseract)": ("tesseract",),
}
_SCORES = ("cell F1", "cell recall", "cell precision", "exact cells", "TEDS", "s/page", "processor s/page")


def table_pictures(samples: Path, folder: Path, every: int) -> list[TablePicture]:
    """Those that can be made of the collections `tables`, `roundtrip` and `scans` of the samples."""
    found: list[TablePicture] = []
    for name in ("tables", "roundtrip"):
        if (samples / name).is_dir():
            found += printed(samples / name, folder, every)
    if (samples / "scans").is_dir() and (samples / "roundtrip").is_dir():
        found += scanned(samples / "scans", samples / "roundtrip", every)
    return found


def measured(
    pictures: list[TablePicture], names: list[str], peers: Path | None, folder: Path
) -> Iterator[tuple[str, list[Row], list[Row]]]:
    """Of each reader its name, a row for each kind of picture and one for all, and a row for each picture.

    peers: their environment. A reader that is not to be had gives no rows, and why in the place of its name.
    """
    for number, name in enumerate(names):
        missing = [command for command in _COMMANDS.get(name, ()) if not shutil.which(command)]
        python = None if name == "ours" else peers and peers / "bin" / "python"
        if missing or (name != "ours" and (python is None or not python.exists())):
            yield f"{name}: not measured ({', '.join(missing) or 'no environment for peers was given'})", [], []
            continue
        out = folder / str(number)
        try:
            lines = lines_of("tables", name, [picture.path for picture in pictures], out, python)
        except RuntimeError as error:
            yield f"{name}: not measured ({error})", [], []
            continue
        known = {picture.path.stem: picture for picture in pictures}
        pages = [_scored(name, line, known[line["page"]], out) for line in lines if "page" in line]
        peak = round(next(line["peak"] for line in lines if "peak" in line))
        kinds = dict.fromkeys(row["kind"] for row in pages)
        rows = [_mean([row for row in pages if row["kind"] == kind], name, kind) for kind in kinds]
        failed = sum(bool(row["trouble"]) for row in pages)
        yield name, [*rows, _mean(pages, name, "all") | {"peak MB": peak, "failed": failed}], pages


def peers_of(given: Path | None) -> Path | None:
    """The peers' environment: as given, else PAPERCHUTE_PEERS."""
    named = os.environ.get("PAPERCHUTE_PEERS")
    return given or (Path(named) if named else None)


def _scored(name: str, line: Row, picture: TablePicture, out: Path) -> Row:
    made = (out / f"{line['page']}.md").read_text("utf-8")
    return {
        "reader": name,
        "kind": picture.kind,
        "page": line["page"],
        **cell_scores(picture.truth, made),
        "exact cells": exact_cells(picture.truth, made),
        "TEDS": markdown_scores(picture.truth, made)["tables"],
        "s/page": line["seconds"],
        "processor s/page": line["processor"],
        "trouble": line["trouble"],
    }


def _mean(rows: list[Row], name: str, kind: str) -> Row:
    named = {score: round(fmean(row[score] for row in rows), 2 if "s/page" in score else 3) for score in _SCORES}
    return {"pictures": kind, "reader": name, "count": len(rows), **named}
