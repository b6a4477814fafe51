"""Pictures of tables, with what is in them: pages of PDFs whose tables are known, printed, and scans of such pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pypdfium2

from benchmarks.reading.markup import TABLE, tables, with_html_tables

DPI = 200
"""At which PDFs are printed to pictures."""

_WHOLE = 0.95  # of a table's words: a page that has them can have the table
_PART = 0.3  # of its pairs of words: a page that has them has at least a part of the table
_LEAST_WORDS = 12  # those of a smaller table could stand anywhere
_WORD = re.compile(r"\w+")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class TablePicture:
    """A page's picture and its tables as HTML. kind: which collection it comes from."""

    path: Path
    kind: str
    truth: str


def printed(collection: Path, folder: Path, every: int) -> Iterator[TablePicture]:
    """One page of each N-th PDF of a collection (folders `pdfs` and `truth`), printed into `folder`.

    The first that has a whole table and no part of one that goes on over pages.
    """
    truths = {path: known_tables(path.read_text("utf-8")) for path in sorted((collection / "truth").glob("*.md"))}
    for path in [path for path, known in truths.items() if known][::every]:
        document = pypdfium2.PdfDocument(collection / "pdfs" / f"{path.stem}.pdf")
        try:
            found = by_page(truths[path], [page.get_textpage().get_text_bounded() for page in document])
            if not found:
                continue
            number = min(found)
            target = folder / f"{collection.name}-{path.stem}.png"
            picture = document[number].render(scale=DPI / 72).to_pil().convert("RGB")
            picture.save(target, dpi=(DPI, DPI), compress_level=1)
            yield TablePicture(target, collection.name, "\n".join(found[number]))
        finally:
            document.close()


def scanned(scans: Path, origin: Path, every: int) -> Iterator[TablePicture]:
    """Every N-th of the scans (folders `images` and `truth`) with a table of those of `origin`.

    `origin`: the collection that the scans were made from.
    """
    found = []
    documents = [known_tables(path.read_text("utf-8")) for path in sorted((origin / "truth").glob("*.md"))]
    for path in sorted((scans / "images").glob("*.*")):
        text = (scans / "truth" / f"{path.stem}.md").read_text("utf-8")
        own = (by_page(known, [text]).get(0, []) for known in documents)
        truth = [table for known in own for table in known if len(_words(table)) >= _LEAST_WORDS]
        if truth:
            found.append(TablePicture(path, "scans", "\n".join(truth)))
    yield from found[::every]


def known_tables(markdown: str) -> list[str]:
    """The tables of a Markdown text as HTML, those without a word left out."""
    return [table for table in TABLE.findall(with_html_tables(markdown)) if _words(table)]


def by_page(known: Sequence[str], pages: Sequence[str]) -> dict[int, list[str]]:
    """Which of a document's tables stand on which of its pages (texts); pages with a part of a table are left out."""
    words = [_counted(_WORD.findall(text.casefold())) for text in pages]
    found: dict[int, list[str]] = {}
    broken: set[int] = set()
    for table in known:
        own = _counted(_words(table))
        shares = [(_share(own[1], page[1]), _share(own[0], page[0])) for page in words]
        best = max(range(len(pages)), key=lambda n: shares[n])
        if shares[best][0] >= _PART and shares[best][1] >= _WHOLE:
            found.setdefault(best, []).append(table)
        else:
            broken |= {number for number, share in enumerate(shares) if share[0] >= _PART}
    return {number: tables for number, tables in found.items() if number not in broken}


def _counted(words: Sequence[str]) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """The words, and each with the one that follows."""
    return Counter(words), Counter(pairwise(words))


def _share(wanted: Counter[_T], there: Counter[_T]) -> float:
    return (wanted & there).total() / max(1, wanted.total())


def _words(table: str) -> list[str]:
    cells = (cell.text for tree in tables(table) for row in tree.children for cell in row.children)
    return [word for text in cells for word in _WORD.findall(text.casefold())]
