"""`python -m benchmarks.reading.conservation [--samples DIR] [--operation NAME ...]`: what became of words.

Each file that the operation takes is read, PDFs without recognition, in a process of its own. The ledger says what
became of its words. Beside it stands a second witness: the words of the source as another program reads it (PDFs:
poppler's pdftotext, where it is installed) are held against the words of the result as another program reads that.
What is neither in the result, nor counted as left out or lost, is a loss that the ledger does not know of.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.reading import witness
from paperchute.contract import PICTURES, contract, kind_of
from paperchute.engine import ledger, report
from paperchute.engine.expectation import expected_of
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused, Source, Work

ROOT = Path(__file__).parents[2]
OPERATIONS = (
    *("pdf-to-markdown", "pdf-to-html", "pdf-to-docx", "pdf-to-rtf", "pdf-to-xlsx", "pdf-to-csv", "pdf-to-editable"),
    *("document-parsing", "document-extract"),
)
PRINTED = ("docx", "xlsx", "pptx", "html", "md", "csv", "txt")
"""What parsing and extracting read beside PDFs and pictures."""
LONGEST = 120  # seconds for one document
NAMED = 8  # of the words that a document lacks

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_FIGURE = re.compile(r"\d[\d.,'’]*")
_MARK = re.compile(r"\d{1,3}|[a-z]|[ivxlcdm]+", re.IGNORECASE)

Told = dict[str, Any]


def told(path: Path, operation: str) -> Told:
    """The counts of a document, what was said of it, and the words that only the second witness knows."""
    parameters = {p.name: p.default for p in contract().operations[operation].parameters if p.default is not None}
    kind = _kind(path)
    if kind not in PICTURES:
        parameters["enableOcr"] = 0
    if operation == "document-extract":
        parameters["extractFields"] = "{}"
    with tempfile.TemporaryDirectory() as folder, ledger.kept() as book, report.collected() as warnings:
        source = Source("file", path, path.name, kind_of(path))
        work = Work(operation, (source,), parameters, Path(folder))
        book.expected = expected_of(work)
        try:
            paths = implementation(work.operation).run(work)
        except Refused as refused:
            return {"refused": refused.code}
        book.hold(paths)
        found: Told = {"words": book.counts(), "warnings": warnings}
        if kind not in PICTURES and operation != "document-extract" and witness.can_read(kind):
            wanted, text = witness.text_of([path], kind), witness.text_of(paths)
            gone = missing(_plain(wanted, operation), _plain(text, operation))
            free = book.left_out.total() + book.lost.total()
            gone = _without_marks(gone, witness.counted(paths))
            if gone.total() > free:
                found["unknown"] = gone.total() - free
                found["named"] = list(gone)[:NAMED]
        return found


def missing(wanted: str, text: str) -> Counter[str]:
    """The words that a text lacks; words that are only parted or joined otherwise are there."""
    here, there = (Counter(re.findall(r"[^\W_]+", one)) for one in (wanted, text))
    letters = Counter("".join(here.elements())) - Counter("".join(there.elements()))
    gone: Counter[str] = Counter()
    for word in sorted((here - there).elements(), key=len, reverse=True):
        own = Counter(word)
        if letters and own <= letters:
            letters -= own
            gone[word] += 1
    if letters:
        gone["".join(sorted(letters.elements()))] += 1
    return gone


def _plain(text: str, operation: str) -> str:
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if operation.endswith("-xlsx"):  # figures may have become numbers, shown as they were printed
        text = _FIGURE.sub(lambda figure: re.sub(r"\D", "", figure[0]).strip("0"), text)
    return text


def _without_marks(gone: Counter[str], count: int) -> Counter[str]:
    """Without what may be so many marks of lists and notes."""
    kept: Counter[str] = Counter()
    for word in gone.elements():
        if count and _MARK.fullmatch(word):
            count -= 1
        else:
            kept[word] += 1
    return kept


def _kind(path: Path) -> str:
    """A file's kind; texts are told by their names."""
    kind = kind_of(path)
    return path.suffix[1:].lower() if kind in ("txt", "html", "json") else kind


def _tell(path: Path, operation: str, answers: multiprocessing.SimpleQueue[Told]) -> None:
    answers.put(told(path, operation))


def apart(path: Path, operation: str) -> Told:
    """The same, in a process that may fail."""
    answers: multiprocessing.SimpleQueue[Told] = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=_tell, args=(path, operation, answers))
    process.start()
    process.join(LONGEST)
    process.kill()
    return {"failed": True} if answers.empty() else answers.get()


def files_for(operation: str, folder: Path, kinds: list[str]) -> Iterator[Path]:
    """The files of a folder that an operation takes. kinds: those that are wanted."""
    taken = {"pdf"} if operation.startswith("pdf-") else {"pdf", *PRINTED, *PICTURES}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.parent.name != "truth" and _kind(path) in taken & set(kinds):
            yield path


def main() -> int:
    """Read, print, keep; 1 where words are lost that nobody was told of."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading.conservation", description=__doc__)
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument("--samples", type=Path, default=default, help="folder that is searched for documents")
    parser.add_argument("--operation", nargs="+", choices=OPERATIONS, default=[OPERATIONS[0]])
    parser.add_argument("--kinds", nargs="+", choices=["pdf", *PRINTED, *sorted(PICTURES)], default=["pdf"])
    parser.add_argument("--every", type=int, default=1, help="read one of so many")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    out = Console(width=200, highlight=False)
    everything, bad = {}, 0
    for operation in given.operation:
        found = {}
        for path in list(files_for(operation, given.samples, given.kinds))[:: given.every]:
            name = str(path.relative_to(given.samples))
            one = found[name] = apart(path, operation)
            if one.get("failed") or one.get("unknown") or one.get("words", {}).get("unaccounted"):
                out.print(f"{operation} {name}: {one}", markup=False)
        if not found:
            parser.error(f"nothing in {given.samples} that {operation} takes")
        everything[operation] = found
        bad += _summed(operation, found, out)
        if given.json:
            given.json.write_text(json.dumps(everything, indent=1), "utf-8")
    return int(bad > 0)


def _summed(operation: str, found: dict[str, Told], out: Console) -> int:
    """Print the sums; how many words are unaccounted, and documents failed."""
    total: Counter[str] = Counter()
    for one in found.values():
        total.update(one.get("words", {}))
    counted = {key: sum(key in one for one in found.values()) for key in ("refused", "failed")}
    silent = sum(one.get("unknown", 0) for one in found.values())
    out.print(f"{operation}: {len(found)} documents, {counted}: {dict(total)}; known to the witness alone: {silent}")
    return total["unaccounted"] + counted["failed"]


if __name__ == "__main__":
    sys.exit(main())
