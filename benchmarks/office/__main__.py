"""`python -m benchmarks.office FOLDER [--unseen] [--count 40] [--kinds docx ...] [--keep FOLDER] [--json FILE]`."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median

from rich.console import Console

from benchmarks.office.printing import Printer, Printing
from benchmarks.office.words import Agreement, agreement
from benchmarks.watching.tables import Row, table

KINDS = ("docx", "xlsx", "pptx")
_WORST = 10


def main() -> int:
    """Print every file twice, and tell how far the prints agree."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.office", description=__doc__)
    parser.add_argument("folder", type=Path, help="office files, in whatever folders")
    parser.add_argument("--unseen", action="store_true", help="the half that nobody looks at: figures alone")
    parser.add_argument("--count", type=int, default=20, help="files of each kind and half")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--keep", type=Path, help="a folder for the prints")
    parser.add_argument("--json", type=Path, help="where to keep the figures of each file")
    given = parser.parse_args()
    out = Console(width=160, highlight=False)
    with tempfile.TemporaryDirectory() as scratch:
        place = given.keep or Path(scratch)
        found = {
            kind: measured(chosen(given.folder, kind, given.count, unseen=given.unseen), place / kind)
            for kind in given.kinds
        }
    half = "unseen" if given.unseen else "seen"
    out.print(table(f"office files, the half {half}", [_row(kind, files) for kind, files in found.items()]))
    if not given.unseen:
        for kind, files in found.items():
            out.print(table(f"{kind}: the worst", [one.row() for one in sorted(files, key=_goodness)[:_WORST]]))
    if given.json:
        rows = {kind: [one.row() for one in files] for kind, files in found.items()}
        given.json.write_text(json.dumps(rows, indent=1), "utf-8")
    return 0


def chosen(folder: Path, kind: str, count: int, *, unseen: bool) -> list[Path]:
    """The files of one half: whose content's hash is odd, or even."""
    paths = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in sorted(folder.rglob(f"*.{kind}"))}
    return [paths[one] for one in sorted(paths) if (int(one, 16) % 2 == 1) == unseen][:count]


class Compared:
    """One file, printed by both."""

    def __init__(self, path: Path, ours: Printing, theirs: Printing) -> None:
        self.path, self.ours, self.theirs = path, ours, theirs
        self.agreement = agreement(path, ours.output, theirs.output)

    def row(self) -> Row:
        """What is told of it."""
        return {
            "file": self.path.name,
            **self.agreement.row(),
            "seconds": round(self.ours.seconds, 2),
            "LibreOffice's": round(self.theirs.seconds, 2),
            "told": self.ours.told,
        }


def measured(paths: Sequence[Path], place: Path) -> list[Compared]:
    """Each file, by a worker that may use LibreOffice alone and one that may not use it."""
    place.mkdir(parents=True, exist_ok=True)
    with Printer("built-in", place / "ours") as ours, Printer("libreoffice", place / "libreoffice") as theirs:
        return [Compared(path, ours.printed(path), theirs.printed(path)) for path in paths]


def _row(kind: str, files: Sequence[Compared]) -> Row:
    both = [one for one in files if one.ours.output and one.theirs.output]
    worded: list[Agreement] = [one.agreement for one in both if one.agreement.shown]
    return {
        "kind": kind,
        "files": len(files),
        "not printed by ours": sum(one.ours.output is None for one in files),
        "by LibreOffice": sum(one.theirs.output is None for one in files),
        "words found": round(fmean(one.found for one in worded), 3) if worded else None,
        "near their place": round(fmean(one.near for one in worded), 3) if worded else None,
        "stated, lost untold": sum(one.agreement.lost for one in both if not one.ours.is_told),
        "of stated": sum(one.agreement.stated for one in both),
        "same pages": round(fmean(one.agreement.pages[0] == one.agreement.pages[1] for one in both), 2)
        if both
        else None,
        "seconds / LibreOffice's": round(median(one.ours.seconds / one.theirs.seconds for one in both), 2)
        if both
        else None,
    }


def _goodness(one: Compared) -> tuple[bool, float]:
    return one.ours.output is not None, one.agreement.found + one.agreement.near


if __name__ == "__main__":
    sys.exit(main())
