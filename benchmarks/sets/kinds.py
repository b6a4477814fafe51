"""The kinds of documents there are sets of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sets import articles, forms, lectures, prints, reports, scans, scripts, sheets, typeset
from benchmarks.sets.genres import GENRES
from benchmarks.sets.latex import PROGRAM as LATEX
from benchmarks.sets.layouts import LAYOUTS
from benchmarks.sets.printing import BROWSER, OFFICE
from benchmarks.sets.scanning import DEGRADATIONS
from benchmarks.sets.scripts import LANGUAGES as SCRIPTS
from benchmarks.sets.writing import Maker, Sample


@dataclass(frozen=True, slots=True)
class Kind:
    """How a set's documents are made, by which programs, and how many make one of each layout."""

    maker: Maker
    programs: tuple[str, ...]
    count: int

    def lacking(self) -> list[str]:
        """Those of its programs that are not installed."""
        return [name for name in self.programs if not shutil.which(name)]


def _latex(number: int, seed: str, place: Path) -> Iterator[Sample]:
    pdf = place / "paper.pdf"
    truth = typeset.paper(number, seed, pdf)
    yield Sample((LAYOUTS[number % len(LAYOUTS)].name,), pdf, truth)


KINDS: dict[str, Kind] = {
    "latex": Kind(_latex, (LATEX,), len(LAYOUTS)),
    "reports": Kind(reports.report, (BROWSER, OFFICE, LATEX), 3 * len(reports.TABLE_KINDS)),
    "prints": Kind(prints.printed, (BROWSER, OFFICE), 3 * len(GENRES)),
    "lectures": Kind(lectures.lecture, (LATEX,), 2 * len(lectures.THEMES)),
    "sheets": Kind(sheets.printed, (BROWSER,), 4 * len(sheets.SHEETS)),
    "forms": Kind(forms.printed, (BROWSER,), 4 * len(forms.FORMS)),
    "scripts": Kind(scripts.printed, (BROWSER,), 4 * len(SCRIPTS)),
    "articles": Kind(articles.published, (articles.PROGRAM,), articles.COUNT),
    "scans": Kind(scans.scanned, (), 4 * len(DEGRADATIONS)),
}
"""By the names that `--only` takes."""
