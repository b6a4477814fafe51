"""`python -m benchmarks.reading.sensitivity [--samples DIR] [--only NAME ...] [--json FILE]`: what thresholds decide.

Each field of each settings record of the reading engine is made 20 % smaller and larger, and 10 % where that changes
something; whole numbers below 10 by one. The pages whose outcome changes are counted. Layout is measured on
born-digital samples, recognition on scans; what the networks answer is kept, so that only what changes is computed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import pickle
import pkgutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from paperchute.contract import kind_of
from paperchute.engine import reading
from paperchute.engine.reading.layout.colours import add_inks
from paperchute.engine.reading.layout.figures import labels_of_figures
from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.ocr.models import Network
from paperchute.engine.reading.pdf.document import opened, opened_page
from paperchute.engine.reading.pdf.reader import read_marks
from paperchute.engine.reading.pdf.styles import Fonts
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Refused, Source, Work

ROOT = Path(__file__).parents[2]

MOST_PAGES = 3
"""Pages of one document that are looked at: the first ones."""

EVERY_PDF, EVERY_SCAN = 3, 6
"""One sample of so many is read."""

BEFORE_LAYOUT = ("ListSettings",)
"""Records of layout that the PDF reader uses already."""

Outcome = dict[str, str]
"""The fingerprint of each page."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a settings record. record: the record that the method uses."""

    record: Any
    name: str

    @property
    def title(self) -> str:
        """Record and field, as one writes them."""
        return f"{type(self.record).__name__}.{self.name}"

    @property
    def value(self) -> Any:
        """What it is now."""
        return getattr(self.record, self.name)

    def put(self, value: Any) -> None:
        """Make it another, whoever imported the record."""
        object.__setattr__(self.record, self.name, value)


def settings() -> Iterator[tuple[str, Field]]:
    """Every field of every record, with the module that defines it."""
    for found in pkgutil.walk_packages(reading.__path__, f"{reading.__name__}."):
        module = importlib.import_module(found.name)
        for record in vars(module).values():
            if is_settings(record) and type(record).__module__ == found.name:
                yield from ((found.name, Field(record, each.name)) for each in fields(record))


def is_settings(thing: object) -> bool:
    """Whether it is the record of settings of a method."""
    return is_dataclass(thing) and not isinstance(thing, type) and type(thing).__name__.endswith("Settings")


def varied(value: Any, factor: float) -> Any:
    """A value made smaller or larger; ranges at both ends."""
    if isinstance(value, tuple):
        return tuple(varied(part, factor) for part in value)
    if isinstance(value, int):
        return value + (1 if factor > 1 else -1) if value < 10 else round(value * factor)
    return value * factor


@dataclass(frozen=True, slots=True)
class Samples:
    """Documents of one kind. usual: what comes of each; asked: the fields that each comes to."""

    outcome: Callable[[str], Outcome]
    usual: dict[str, Outcome]
    asked: dict[str, set[str]]

    @classmethod
    def of(cls, names: Iterable[str], outcome: Callable[[str], Outcome], records: set[type]) -> Samples:
        """Read all of them once."""
        usual, asked = {}, {}
        for name in names:
            with _watched(records) as seen:
                usual[name] = outcome(name)
            asked[name] = seen
        return cls(outcome, usual, asked)

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return sum(map(len, self.usual.values()))

    def asking(self, field: Field) -> list[str]:
        """The documents that a field may change."""
        return [name for name, asked in self.asked.items() if field.title in asked]

    def changed(self, names: list[str]) -> int:
        """How many of their pages are read otherwise now."""
        count = 0
        for name in names:
            usual, other = self.usual[name], self.outcome(name)
            count += sum(other.get(page) != usual.get(page) for page in usual.keys() | other.keys())
        return count


@contextmanager
def _watched(records: set[type]) -> Iterator[set[str]]:
    """Which fields of the records are asked for meanwhile."""
    seen: set[str] = set()

    def get(record: Any, name: str) -> Any:
        seen.add(f"{type(record).__name__}.{name}")
        return object.__getattribute__(record, name)

    for record in records:
        record.__getattribute__ = get  # type: ignore[method-assign,assignment]
    try:
        yield seen
    finally:
        for record in records:
            del record.__getattribute__


def measured(field: Field, samples: Samples) -> dict[str, int]:
    """How many pages change by factor (or, of small whole numbers, by step)."""
    asking = samples.asking(field)
    value = field.value
    small = isinstance(value, int) and value < 10
    found: dict[str, int] = {}
    for outer, inner in ((0.8, 0.9), (1.2, 1.1)):
        for factor in (outer,) if small else (outer, inner):
            try:
                field.put(varied(value, factor))
                changed = samples.changed(asking)
            finally:
                field.put(value)
            step = f"{'+' if factor > 1 else '-'}1" if small else f"{factor:g}"
            found[step] = changed
            if not changed:
                break
    return found


def _fingerprint(thing: object) -> str:
    return hashlib.sha256(repr(thing).encode()).hexdigest()


def _marks(path: Path) -> bytes:
    """The marks of a PDF's first pages; pickled, as layout changes them."""
    with opened(path, path.name, "") as document:
        fonts, found = Fonts(), []
        for index in range(min(len(document), MOST_PAGES)):
            with opened_page(document, index) as page:
                found.append(read_marks(document, page, index, fonts, inks=True)[0])
    return pickle.dumps(found, pickle.HIGHEST_PROTOCOL)


def _layout(pickled: bytes) -> Outcome:
    survey, pages = Survey(), pickle.loads(pickled)
    for marks in pages:
        add_inks(marks)
        lines = segments([word for word in marks.words if word.angle == 0])
        survey.add(marks.number, marks.height, lines, labels_of_figures(lines, marks))
    layout = PageLayout(survey.norms())
    return {str(marks.number): _fingerprint(layout.blocks(marks)) for marks in pages}


def _read(path: Path, **parameters: Any) -> Outcome:
    """A file through the whole reader."""
    with tempfile.TemporaryDirectory() as folder:
        source = Source("file", path, path.name, kind_of(path))
        work = Work("pdf-to-markdown", (source,), parameters, Path(folder))
        try:
            with document_of(work, inks=True) as document:
                return {str(page.number): _fingerprint(page) for page in document.pages}
        except Refused as refused:
            return {"0": refused.code}


def _remembering() -> None:
    """Make the networks keep what they answered."""
    run = Network.run
    known: dict[Any, Any] = {}

    def remembered(self: Network, values: Any) -> Any:
        key = id(self), values.shape, hashlib.sha256(values.tobytes()).digest()
        if key not in known:
            known[key] = run(self, values)
        return known[key]

    Network.run = remembered  # type: ignore[method-assign]


def main() -> int:
    """Measure and print; 1 where no samples are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading.sensitivity", description=__doc__)
    default = Path(os.environ.get("PAPERCHUTE_SAMPLES", ROOT / "../shared/samples"))
    parser.add_argument("--samples", type=Path, default=default, help="folder with roundtrip, tables, olmocr, scans")
    parser.add_argument("--only", nargs="+", default=[], help="parts of the names of modules, records or fields")
    parser.add_argument("--json", type=Path, help="where to keep the figures")
    given = parser.parse_args()
    pdfs = [
        path for kind in ("roundtrip", "tables", "olmocr") for path in sorted(given.samples.glob(f"{kind}/pdfs/*.pdf"))
    ]
    pdfs, scans = pdfs[::EVERY_PDF], sorted(given.samples.glob("scans/images/*"))[::EVERY_SCAN]
    if not pdfs:
        parser.error(f"no samples in {given.samples}")
    _remembering()
    found = list(settings())
    records = {type(field.record) for _, field in found}
    kept = {path.name: _marks(path) for path in pdfs}
    files = {path.name: path for path in (*pdfs, *scans)}
    ways: dict[str, Callable[[], Samples]] = {
        "layout": lambda: Samples.of(kept, lambda name: _layout(kept[name]), records),
        "pdf": lambda: Samples.of(kept, lambda name: _read(files[name], pageRanges="1"), records),
        "scans": lambda: Samples.of([p.name for p in scans], lambda name: _read(files[name], enableOcr=1), records),
    }
    out = Console(width=200, highlight=False)
    samples: dict[str, Samples] = {}
    figures = {}
    for module, field in found:
        if given.only and not any(part in f"{module}:{field.title}" for part in given.only):
            continue
        way = "scans" if ".ocr." in module else "layout" if ".layout." in module else "pdf"
        if type(field.record).__name__ in BEFORE_LAYOUT:
            way = "pdf"
        if way not in samples:
            samples[way] = ways[way]()
        asking, pages = len(samples[way].asking(field)), samples[way].pages
        changed = measured(field, samples[way])
        figures[field.title] = {"pages": pages, "of": way, "documents": asking, "changed": changed}
        changes = ", ".join(f"{step}: {count}" for step, count in changed.items())
        out.print(f"{field.title} = {field.value}: {asking} documents come to it, of {pages} pages change {changes}")
        if given.json:
            given.json.write_text(json.dumps(figures, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
