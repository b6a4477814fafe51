"""`python -m benchmarks.reading.stages [--samples DIR]`: where the time of reading to Markdown goes, stage by stage.

Of each collection: milliseconds of the processor and Python calls a page by stage, without those of the stages inside
of it; pages a second of the processor; and the documents whose pages take most, as multiples of the median. Scans are
not recognised.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from inspect import isfunction
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import pypdfium2
from rich.console import Console

from benchmarks.fidelity.measuring import page_count
from benchmarks.reading.samples import Collection, collections
from benchmarks.watching.tables import Row, table
from paperchute.engine import expectation, ledger, readback
from paperchute.engine.operations import pdf_to_markdown
from paperchute.engine.reading import omissions
from paperchute.engine.reading.layout import blocks, column_text, lines, page, paragraphs
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.layout.tables import finding
from paperchute.engine.reading.pdf import calls, document, objects, reader
from paperchute.engine.reading.pdf.chars import PageText
from paperchute.engine.tasks.worker import collect_rarely
from paperchute.engine.work import Source, Work

ROOT = Path(__file__).parents[2]
WORST = 3
"""Documents that are named."""


def _functions(module: Any) -> list[tuple[Any, str]]:
    """Name the public functions of a module."""
    return [(module, name) for name, value in vars(module).items() if isfunction(value) and name[0] != "_"]


PARTS: dict[str, Sequence[tuple[Any, str]]] = {
    "open": [(document, "_opened"), (reader, "read_outline")],
    "damage": [(omissions.Damage, "look_at"), (omissions, "tell_of_parts")],
    "PDFium: pages": [
        (document.OpenPdf, "get_page"),
        (pypdfium2.PdfPage, "get_textpage"),
        (pypdfium2.PdfPage, "close"),
    ],
    "PDFium: asked": _functions(calls),
    "words": [(reader, "_text_of"), (PageText, "__init__"), (PageText, "words"), (PageText, "unreadable")],
    "drawings, fields, links": [(objects.PageObjects, "__init__"), (reader._Reader, "_sheet")],
    "pictures": [(reader._Reader, "_pictured")],
    "lines": [(reader, "_lines"), (lines, "segments"), (lines, "rows")],
    "survey": [(reader._Reader, "survey"), (Survey, "add"), (Survey, "norms")],
    "tables in text": [(page, "with_tables"), (column_text, "column_tables"), (finding, "stand_alone")],
    "paragraphs": [(column_text.ColumnText, "_text"), (paragraphs, "paragraphs"), (column_text, "with_levels")],
    "model": [
        (blocks, "lines_of"),
        (column_text, "text_block"),
        (column_text, "list_item"),
        (column_text, "table_block"),
    ],
    "ledger": [(ledger, "account"), (ledger.Ledger, "hold"), (readback.Expected, "add")],
    "writer": [(pdf_to_markdown, "run")],
}
"""What each stage is made of: functions by the places where they are looked up. Those of a page's layout come to it."""


@dataclass(slots=True)
class Clock:
    """Seconds of the processor, or where `counts` Python calls, by the stage that is innermost."""

    counts: bool = False
    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _open: list[str] = field(default_factory=lambda: ["between"])
    _since: float = 0.0

    def turn(self) -> None:
        """Enter what was spent up to here."""
        if not self.counts:
            now = time.process_time()
            self.spent[self._open[-1]] += now - self._since
            self._since = now

    def inside(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function of a stage."""

        @wraps(function)
        def timed(*args: Any, **named: Any) -> Any:
            self.turn()
            self._open.append(stage)
            try:
                return function(*args, **named)
            finally:
                self.turn()
                self._open.pop()

        return timed

    def see(self, frame: Any, event: str, _arg: Any) -> None:
        """Count a call, as `sys.setprofile` has it."""
        if event == "call" and frame.f_code.co_filename != __file__:
            self.spent[self._open[-1]] += 1

    def total(self) -> float:
        """Sum up what all stages spent."""
        return sum(self.spent.values())

    @contextmanager
    def running(self) -> Iterator[None]:
        """Watch the stages within the block."""
        with ExitStack() as stack:
            for stage, places in PARTS.items():
                for owner, name in places:
                    stack.enter_context(patch.object(owner, name, self.inside(stage, getattr(owner, name))))
            layout = [page.Stage(self.inside(f"layout: {s.name}", s.run), s.needs, s.gives) for s in page.STAGES]
            stack.enter_context(patch.object(page, "STAGES", layout))
            self._since = time.process_time()
            if self.counts:
                sys.setprofile(self.see)
                stack.callback(sys.setprofile, None)
            yield


def read(path: Path, folder: Path) -> None:
    """Read a document to Markdown as a worker of the engine does, holding the result against the ledger."""
    work = Work("pdf-to-markdown", (Source("file", path, path.name, "pdf"),), {"enableOcr": False}, folder)
    with ledger.kept() as kept:
        kept.expected = expectation.expected_of(work)
        kept.hold(pdf_to_markdown.run(work))


def measured(collection: Collection, folder: Path) -> tuple[list[Row], list[Row]]:
    """The stages of a collection, and its documents that take most a page."""
    clock, counter = Clock(), Clock(counts=True)
    each: dict[str, float] = {}
    pages = 0
    for name, path in collection.pdfs.items():
        count = page_count(path)
        pages += count
        before = clock.total()
        with clock.running():
            read(path, folder)
            clock.turn()
        each[name] = 1000 * (clock.total() - before) / count
        with counter.running():
            read(path, folder)
    stages = [
        {"stage": name, "ms": round(1000 * spent / pages, 2), "calls": round(counter.spent[name] / pages)}
        for name, spent in sorted(clock.spent.items(), key=lambda item: -item[1])
    ]
    total = clock.total()
    stages.append({"stage": "all", "ms": round(1000 * total / pages, 2), "calls": round(counter.total() / pages)})
    usual = median(each.values())
    worst = sorted(each, key=lambda name: -each[name])[:WORST]
    rows: list[Row] = [{"document": name, "of the median": round(each[name] / usual, 1)} for name in worst]
    return stages, [{"document": "pages a CPU second", "of the median": round(pages / total, 1)}, *rows]


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading.stages", description=__doc__)
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument("--samples", type=Path, default=default, help="as `benchmarks.reading` has it")
    given = parser.parse_args()
    collect_rarely()
    out = Console(width=120, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        for collection in collections(given.samples):
            read(next(iter(collection.pdfs.values())), Path(folder))  # so that all are warm
            for name, rows in zip(("stages", "documents"), measured(collection, Path(folder)), strict=True):
                out.print(table(f"{collection.name}: {name}", rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
