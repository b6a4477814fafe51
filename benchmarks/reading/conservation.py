"""`python -m benchmarks.reading.conservation [--samples DIR] [--operation NAME] [--json FILE]`: what became of words.

Each PDF is read, to Markdown unless another operation is named, without recognition, in a process of its own. The
ledger says what became of its words. Of Markdown a second reader (poppler's pdftotext, where it is installed) says
which words it sees that are neither in the result, nor counted as left out or lost: losses that the ledger does not
know of.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from paperchute.contract import contract, kind_of
from paperchute.engine import ledger, report
from paperchute.engine.operations import implementation
from paperchute.engine.readback import expected_of
from paperchute.engine.work import Refused, Source, Work

ROOT = Path(__file__).parents[2]
MARKDOWN = "pdf-to-markdown"
OPERATIONS = (MARKDOWN, "pdf-to-html", "pdf-to-docx", "pdf-to-rtf", "pdf-to-xlsx", "pdf-to-csv", "document-parsing")
LONGEST = 60  # seconds for one document

Told = dict[str, Any]


def told(path: Path, operation: str = MARKDOWN) -> Told:
    """The counts of a document, what was said of it, and how many words only the second reader knows."""
    defaults = {p.name: p.default for p in contract().operations[operation].parameters if p.default is not None}
    with tempfile.TemporaryDirectory() as folder, ledger.kept() as book, report.collected() as warnings:
        source = Source("file", path, path.name, kind_of(path))
        work = Work(operation, (source,), {**defaults, "enableOcr": 0}, Path(folder))
        book.expected = expected_of(work)
        try:
            paths = implementation(work.operation).run(work)
        except Refused as refused:
            return {"refused": refused.code}
        if book.expected is not None:
            book.lost[0] += book.expected.missing(paths)
        if operation != MARKDOWN:
            return {"words": book.counts(), "warnings": warnings}
        text = " ".join(one.read_text("utf-8") for one in paths if one.suffix == ".md")
        known = book.left_out.total() + book.lost.total()
        unknown = max(missing(seen_by_poppler(path), text) - known, 0)
        return {"words": book.counts(), "warnings": warnings, "unknown": unknown}


def seen_by_poppler(path: Path) -> str:
    """The text of a PDF as pdftotext gives it; empty where it is not installed."""
    if shutil.which("pdftotext") is None:
        return ""
    given = ["pdftotext", "-q", "-enc", "UTF-8", str(path), "-"]
    return subprocess.run(given, capture_output=True, timeout=LONGEST, check=False).stdout.decode("utf-8", "replace")


def missing(wanted: str, text: str) -> int:
    """How many words of one text another lacks; words that are only parted or joined otherwise are there."""
    here, there = (Counter(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", one))) for one in (wanted, text))
    letters = Counter("".join(here.elements())) - Counter("".join(there.elements()))
    return ledger.count_lost((here - there).elements(), letters) if letters else 0


def _tell(path: Path, operation: str, answers: multiprocessing.SimpleQueue[Told]) -> None:
    answers.put(told(path, operation))


def apart(path: Path, operation: str = MARKDOWN) -> Told:
    """The same, in a process that may fail."""
    answers: multiprocessing.SimpleQueue[Told] = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=_tell, args=(path, operation, answers))
    process.start()
    process.join(LONGEST)
    process.kill()
    return {"failed": True} if answers.empty() else answers.get()


def main() -> int:
    """Read, print, keep; 1 where words are lost that nobody was told of."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading.conservation", description=__doc__)
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument("--samples", type=Path, default=default, help="folder that is searched for PDFs")
    parser.add_argument("--operation", choices=OPERATIONS, default=MARKDOWN)
    parser.add_argument("--every", type=int, default=1, help="read one of so many")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    found = {
        str(path.relative_to(given.samples)): apart(path, given.operation)
        for path in sorted(given.samples.rglob("*.pdf"))[:: given.every]
    }
    if not found:
        parser.error(f"no PDFs in {given.samples}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1), "utf-8")
    total: Counter[str] = Counter()
    out = Console(width=200, highlight=False)
    for name, one in found.items():
        total.update(one.get("words", {}))
        if one.get("failed") or one.get("unknown") or one.get("words", {}).get("unaccounted"):
            out.print(f"{name}: {one}")
    counted = {key: sum(key in one for one in found.values()) for key in ("refused", "failed")}
    silent = sum(one.get("unknown", 0) for one in found.values())
    out.print(f"{len(found)} documents, {counted}: {dict(total)}; known to poppler alone: {silent}")
    return 1 if total["unaccounted"] or counted["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
