"""Running heads, feet and page numbers: what repeats in the margins, and what stands there alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from paperchute.engine.reading.layout.lines import TextLine

FurnitureKind = Literal["header", "footer", "number"]

_BAND = 0.14  # of the page height
_MOST_PER_MARGIN = 6
_NUMBER = re.compile(
    r"^(?:[-–—|·\[(]\s*)?(?:(?:page|seite|p\.?|pg\.?|página|pagina)\s*)?(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7}|[A-Z]?[-.]?\d{1,3}-\d{1,3})"
    r"(?:\s*(?:/|of|von|de|di|sur|aus|\|)\s*\d{1,4})?(?:\s*[-–—|·\])])?$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_NEIGHBOURS = 2


class MarginLine(NamedTuple):
    """A line near the top or bottom of a page: its text, its place as a share of the page height, its font size."""

    top: bool
    text: str
    place: float
    size: float

    def key(self, body_size: float) -> tuple[bool, str]:
        """What must repeat. Numbers may differ from page to page, but not in large type: `Part 1`, `Part 2` are titles."""
        return self.top, _DIGITS.sub("#", self.text) if self.size < 1.15 * body_size else self.text


@dataclass(frozen=True, slots=True)
class Furniture:
    """Knows which margin lines repeat. `pages` maps page numbers to the keys that repeat on them."""

    body_size: float
    pages: dict[int, frozenset[tuple[bool, str]]]

    @classmethod
    def of(cls, margins: dict[int, list[MarginLine]], body_size: float) -> Furniture:
        """What repeats: on at least three pages or a third of a short document, or on a page close by and the next but
        one (left and right pages differ), at the same height."""
        numbers = sorted(margins)
        counts: Counter[tuple[bool, str]] = Counter()
        for lines in margins.values():
            counts.update({line.key(body_size) for line in lines})
        need = 2 if len(numbers) <= 4 else max(3, min(len(numbers) // 4, 6))
        pages: dict[int, frozenset[tuple[bool, str]]] = {}
        for place, number in enumerate(numbers):
            near = [n for n in numbers[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS + 1] if n != number]
            close = {(line.key(body_size), round(line.place, 2)) for n in near for line in margins[n]}
            pages[number] = frozenset(
                line.key(body_size)
                for line in margins[number]
                if len(numbers) > 1
                and (
                    counts[line.key(body_size)] >= need
                    or any((line.key(body_size), round(line.place + d, 2)) in close for d in (-0.01, 0.0, 0.01))
                )
            )
        return cls(body_size, pages)

    def kind(self, number: int, line: TextLine, height: float) -> FurnitureKind | None:
        """What a line of page `number` is when it is no part of the flow, else None."""
        here = _margin_line(line, height)
        if here is None:
            return None
        text = line.text.strip()
        if _NUMBER.match(text):
            return "number"
        if here.key(self.body_size) in self.pages.get(number, frozenset()):
            return "header" if here.top else "footer"
        return None


def margin_lines(lines: Sequence[TextLine], width: float, height: float) -> list[MarginLine]:
    """The outermost lines of a page's upper and lower margin."""
    ordered = sorted(lines, key=lambda line: line.top)
    found = [_margin_line(line, height) for line in (*ordered[:_MOST_PER_MARGIN], *ordered[-_MOST_PER_MARGIN:])]
    return [line for line in found if line is not None]


def _margin_line(line: TextLine, height: float) -> MarginLine | None:
    middle = (line.top + line.bottom) / 2 / height if height else 0.5
    if _BAND < middle < 1 - _BAND:
        return None
    return MarginLine(middle < 0.5, line.text.casefold()[:200], middle, line.size)
