"""Headers, footers and page numbers: what a section's pages print in their margins, as one rule for all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from paperchute.engine.document.model import FURNITURE, Block, Page
from paperchute.engine.document.running import counting_forms
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.leading import leading_of
from paperchute.engine.writing.office.lists import value
from paperchute.engine.writing.office.parts import (
    COUNT_FIELD,
    PAGE_FIELD,
    Leading,
    MarginPiece,
    Margins,
    NumberFormat,
)
from paperchute.engine.writing.office.runs import Run, runs_of, text_of

_NUMBERS = re.compile(r"\d+")
_ROMAN = re.compile(r"(?<![A-Za-z])(?:[ivxlc]{1,7}|[IVXLC]{1,7})(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class _Printed:
    """What one page prints in its margins. words: for each block, with what counts with the pages taken out."""

    margins: Margins
    words: tuple[str, ...]


@dataclass(slots=True)
class SectionMargins:
    """The margins of a section's pages, gathered page by page.

    page_count: of the document, to know "3 of 10" by. The first page of odd and of even number that has any counts;
    the section's first one may differ from all others, as a title page does.
    """

    page_count: int
    _seen: list[_Printed] = field(default_factory=list)
    _sides: dict[int, _Printed] = field(default_factory=dict)
    _number: tuple[int, NumberFormat, int] | None = None

    def fits(self, page: Page) -> bool:
        """Decide whether the page's margins say what those of earlier pages of its side say, its number aside."""
        own, known = self._printed(page), self._sides.get(page.number % 2)
        if not own.words or not self._seen:
            return True
        if known is not None:
            return own.words == known.words
        first, other = self._seen[0], self._sides.get(1 - page.number % 2)
        if other is None or not first.words:
            return True
        return own.words in (first.words, other.words)

    def add(self, page: Page) -> list[Block]:
        """One more page; its heads and feet where the section's cannot say what they say."""
        own = self._printed(page)
        fits = self.fits(page) or page.number % 2 not in self._sides  # then the section says it from here on
        if self._number is None:
            self._number = _page_number(page, len(self._seen))
        self._seen.append(own)
        if own.words and len(self._seen) > 1:
            self._sides.setdefault(page.number % 2, own)
        return [] if fits else [block for block in page.blocks if block.kind in FURNITURE and block.image is None]

    def number(self) -> tuple[int, NumberFormat]:
        """The section's first page number, 0 to count on, and how it is written."""
        if self._number is None:
            return 0, "decimal"
        printed, style, place = self._number
        return max(printed - place, 0), style

    def result(self, following: Page | None = None) -> tuple[Margins, Margins | None, Margins | None]:
        """Margins of all pages, of the first where they differ, of even ones where they differ.

        following: the page after the first one, where only that was seen and the section's pages go on.
        """
        first = self._seen[0] if self._seen else _Printed(Margins(), ())
        odd, even = self._sides.get(1), self._sides.get(0)
        later = self._printed(following) if following is not None else first
        usual = odd or even or (later if later.words else first)
        sides = self._sides.values() or [usual]
        differs = usual is not first and first.words not in [side.words for side in sides]
        both = odd is not None and even is not None and odd.words != even.words
        return usual.margins, first.margins if differs else None, even.margins if even and both else None

    def _printed(self, page: Page) -> _Printed:
        blocks = [block for block in page.blocks if block.kind in FURNITURE]
        heads = _rows(block for block in blocks if block.quad.box.center[1] < page.height / 2)
        feet = _rows(block for block in blocks if block.quad.box.center[1] >= page.height / 2)
        pieces = [
            [
                tuple(self._piece(block, page, _leading(rows, number)) for block in row)
                for number, row in enumerate(rows)
            ]
            for rows in (heads, feet)
        ]
        words = tuple(_words(block, page) for row in (*heads, *feet) for block in row)
        tops = [block.quad.box.top - _leading(heads, 0).above for row in heads[:1] for block in row]
        bottoms = [block.quad.box.bottom + _leading(feet, -1).below for row in feet[-1:] for block in row]
        distances = max(min(tops, default=0.0), 0.0), max(page.height - max(bottoms, default=page.height), 0.0)
        head, foot = map(tuple, pieces)
        return _Printed(Margins(head, foot, distances), words)

    def _piece(self, block: Block, page: Page, leading: Leading) -> MarginPiece:
        box = block.quad.box
        middle = box.center[0] / page.width if page.width else 0.5
        slot: Literal["left", "center", "right"] = (
            "left" if middle < TYPOGRAPHY.third else "right" if middle > 1 - TYPOGRAPHY.third else "center"
        )
        if block.image is not None:
            return MarginPiece(slot, image=block.image, width=box.width, height=box.height)
        runs = runs_of(block.lines)
        if block.kind == "number":
            runs = tuple(self._with_fields(runs))
        return MarginPiece(slot, runs, leading)

    def _with_fields(self, runs: Sequence[Run]) -> list[Run]:
        """The first number of a page number's text is the page's; a second one, where it is, the number of pages."""
        result: list[Run] = []
        found = 0
        for run in runs:
            at = 0
            for match in _NUMBERS.finditer(run.text) if _has_digits(runs) else _ROMAN.finditer(run.text):
                what = PAGE_FIELD if found == 0 else COUNT_FIELD
                if found > 1 or (found == 1 and match[0] != str(self.page_count)):
                    continue
                found += 1
                result += [replace(run, text=run.text[at : match.start()]), replace(run, text=what)]
                at = match.end()
            result.append(replace(run, text=run.text[at:]))
        return [run for run in result if run.text]


def _has_digits(runs: Sequence[Run]) -> bool:
    return any(_NUMBERS.search(run.text) for run in runs)


def _page_number(page: Page, place: int) -> tuple[int, NumberFormat, int] | None:
    """The number printed on a page, its format, and the page's place in the section."""
    for block in page.blocks:
        if block.kind != "number":
            continue
        if match := _NUMBERS.search(block.text):
            return int(match[0]), "decimal", place
        if match := _ROMAN.search(block.text):
            style: NumberFormat = "lowerRoman" if match[0].islower() else "upperRoman"
            number = value(match[0], style)
            if number > 0:
                return number, style, place
    return None


def _rows(blocks: Iterable[Block]) -> list[list[Block]]:
    """Blocks that stand beside each other, left to right, from top to bottom."""
    rows: list[list[Block]] = []
    for block in sorted(blocks, key=lambda b: b.quad.box.center[1]):
        last = rows[-1][-1].quad.box if rows else None
        if last is not None and last.top <= block.quad.box.center[1] <= last.bottom:
            rows[-1].append(block)
        else:
            rows.append([block])
    return [sorted(row, key=lambda b: b.quad.box.left) for row in rows]


def _leading(rows: Sequence[Sequence[Block]], number: int) -> Leading:
    """The leading of a row: down from the one above it, where there is one."""
    own = leading_of([line for block in rows[number] for line in block.lines[-1:]])
    if number < 1 or not own.height:
        return own
    step = max(b.quad.box.bottom for b in rows[number]) - max(b.quad.box.bottom for b in rows[number - 1])
    lines = max(len(block.lines) for block in rows[number])
    return replace(own, height=max(step / max(lines, 1), 1.0), exact=step < lines * own.height)


def _words(block: Block, page: Page) -> str:
    """Give what a block in the margin says without the page's number. Other numbers count: `Part 2` is not `Part 3`."""
    if block.image is not None:
        return "image"
    text = text_of(runs_of(block.lines))
    if block.kind == "number":
        return (_NUMBERS if _NUMBERS.search(text) else _ROMAN).sub("", text)
    return next(iter(counting_forms(text, page.number)), text)
