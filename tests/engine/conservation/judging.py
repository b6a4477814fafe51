"""What is wrong with a result, judged by what was written into the document."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from paperchute.contract import contract
from paperchute.engine import ledger, report
from paperchute.engine.expectation import expected_of
from paperchute.engine.operations import implementation
from paperchute.engine.work import Source, Work
from tests.engine.conservation import figures, oddities, pages, structures, texts
from tests.engine.conservation.documents import Document, marks_of
from tests.engine.conservation.outputs import text_of

SHAPES = {shape.__name__: shape for module in (figures, pages, texts, structures, oddities) for shape in module.SHAPES}

OPERATIONS = (
    *("pdf-to-markdown", "pdf-to-html", "pdf-to-docx", "pdf-to-pptx", "pdf-to-rtf", "pdf-to-xlsx", "pdf-to-txt"),
    "document-parsing",
)
"""Those whose results hold all that was read."""

_SOME_REPEATED = 3
"""Words that writers say besides: names of sheets, of tables that go on."""

_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f"


@dataclass(slots=True)
class Verdict:
    """What came of one document, and what was said of it. told: words that were left out, and counted."""

    faults: list[str] = field(default_factory=list)
    told: int = 0
    warnings: list[str] = field(default_factory=list)


def drawn(shape: str, seed: int) -> Document:
    """The document of a shape and a seed: the same each time."""
    document = Document(Random(f"{shape} {seed}"))
    SHAPES[shape](document)
    return document


def judged(document: Document, operation: str, folder: Path) -> Verdict:
    """Run an operation on a document, and hold its result against what was written."""
    source = document.save(folder / "a.pdf")
    out = folder / "out"
    out.mkdir()
    defaults = {p.name: p.default for p in contract().operations[operation].parameters if p.default is not None}
    work = Work(operation, (Source("file", source, source.name, "pdf"),), {**defaults, "enableOcr": 0}, out)
    with ledger.kept() as book, report.collected() as warnings:
        book.expected = expected_of(work)
        paths = implementation(operation).run(work)
        book.hold(paths)
    verdict = Verdict(told=book.left_out.total(), warnings=list(warnings))
    if book.lost.total():
        verdict.faults.append(f"{book.lost.total()} words unaccounted")
    verdict.faults += _compared(document, text_of(paths), operation, verdict.told)
    return verdict


def _compared(document: Document, text: str, operation: str, told: int) -> list[str]:
    faults = []
    values = operation == "pdf-to-xlsx"  # amounts may have become numbers
    if missing := _missing_amounts(document.amounts, text, values):
        faults.append(f"amounts missing: {missing[:5]}")
    said = " ".join([*document.said, *([] if operation == "pdf-to-docx" else document.counted)])
    for amount in document.amounts if values else ():
        said = said.replace(amount, " ", 1)
    lost = _missing(_words(said), _words(text))
    if sum(lost.values()) > told:
        faults.append(f"lost: {list(lost)[:8]}, and {told} were told")
    more = _missing(_words(text), _words(" ".join([*document.said, *document.counted])))
    if not document.again and not values and sum(more.values()) > _SOME_REPEATED:
        faults.append(f"said twice: {list(more)[:8]}")
    marks = [] if values else marks_of(text)  # a workbook has a sheet for each table
    if document.ordered and marks != sorted(marks):
        faults.append(f"out of order: {[pair for pair in itertools.pairwise(marks) if pair[1] < pair[0]][:4]}")
    return faults


def _missing_amounts(amounts: list[str], text: str, values: bool) -> list[str]:
    """Those that stand nowhere as they were printed, or, in a workbook, as their value."""
    there = f" {_plain(text)} "
    missing = []
    for amount in sorted(amounts, key=len, reverse=True):
        printed = _plain(amount)
        forms = [printed, *([_value(amount)] if values else [])]
        for form in forms:
            found = re.search(rf"(?<![\d.,’'-]){re.escape(form)}(?![\d’']|[.,-]\d)", there)
            if found:
                there = f"{there[: found.start()]} {there[found.end() :]}"
                break
        else:
            missing.append(amount)
    return missing


def _plain(text: str) -> str:
    """With one minus, and without the spaces within amounts."""
    text = re.sub(r"[−–]", "-", text.replace("\u00a0", " ").replace("\u202f", " "))
    text = re.sub(r"(?<!\S)(-) (?=\d)", r"\1", text)
    return re.sub(r"(?<![\w.,'’])(\d{1,3}) (?=\d{3},\d\d(?!\d))", r"\1", text)


def _value(amount: str) -> str:
    digits = re.sub(r"\D", "", amount)
    negative = any(sign in amount for sign in ("-", "−", "("))
    return f"{'-' if negative else ''}{int(digits) / 100:.2f}"


def _words(text: str) -> Counter[str]:
    plain = unicodedata.normalize("NFKC", text)
    return Counter(re.findall(r"[^\W_]+", "".join(c for c in plain if c not in _INVISIBLE)))


def _missing(wanted: Counter[str], there: Counter[str]) -> Counter[str]:
    """The words that are not there; those that are only parted or joined otherwise are."""
    letters = Counter("".join(wanted.elements())) - Counter("".join(there.elements()))
    lost: Counter[str] = Counter()
    for word in sorted((wanted - there).elements(), key=len, reverse=True):
        own = Counter(word)
        if letters and own <= letters:
            letters -= own
            lost[word] += 1
    if letters:
        lost["".join(sorted(letters.elements()))[:20]] += 1
    return lost
