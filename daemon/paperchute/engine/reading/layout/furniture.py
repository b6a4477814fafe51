"""Running heads, feet and page numbers: what repeats in the margins, and what stands there alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.apart import lone_number, stands_apart
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.records import Rule

FurnitureKind = Literal["header", "footer", "number"]

_BAND = 0.14  # of the page height
_MOST_PER_MARGIN = 6
_MOST_ROWS = 4
_MOST_IN_ROW = 4
_STRIP = 0.05  # of the page height: half an inch of a letter page
_NUMBER = re.compile(
    r"^(?:[-–—|·\[(]\s*)?(?:(?:page|seite|p\.?|pg\.?|página|pagina)\s*)?(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7}|[A-Z]?[-.]?\d{1,3}-\d{1,3})"
    r"(?:\s*(?:/|of|von|de|di|sur|aus|\|)\s*\d{1,4})?(?:\s*[-–—|·\])])?$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_NEIGHBOURS = 2
_FEWEST_PAGES = 3
_STEP = 0.012  # of the page height


Key = tuple[str, int]


class MarginLine(NamedTuple):
    """A line near the top or bottom of a page: text in small letters, height as a share of the page's, font size."""

    text: str
    place: float
    size: float

    def keys(self, body_size: float) -> tuple[Key, Key]:
        """What must repeat: the text at its height, in steps of which two overlap so that no line falls between them.

        Numbers may differ from page to page, but not in large type: `Part 1`, `Part 2` are titles.
        """
        text = _DIGITS.sub("#", self.text) if self.size < 1.15 * body_size else self.text
        return (text, int(self.place / _STEP)), (text, -int(self.place / _STEP + 0.5))


@dataclass(frozen=True, slots=True)
class Furniture:
    """Knows which margin lines repeat. `pages` maps page numbers to the keys that repeat on them."""

    body_size: float
    pages: dict[int, frozenset[Key]]

    @classmethod
    def of(cls, margins: dict[int, list[MarginLine]], body_size: float) -> Furniture:
        """What repeats at the same height: on a page close by (the next but one, as left and right pages differ), or on
        several pages anywhere."""
        numbers = sorted(margins)
        keys = {n: {key for line in margins[n] for key in line.keys(body_size)} for n in numbers}
        counts = Counter(key for own in keys.values() for key in own)
        pages: dict[int, frozenset[Key]] = {}
        for place, number in enumerate(numbers):
            near = [n for n in numbers[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS + 1] if n != number]
            close = set().union(*(keys[n] for n in near))
            pages[number] = frozenset(key for key in keys[number] if key in close or counts[key] >= _FEWEST_PAGES)
        return cls(body_size, pages)

    def kinds(
        self,
        number: int,
        lines: Sequence[TextLine],
        height: float,
        rules: Sequence[Rule] = (),
        tables: Sequence[Box] = (),
    ) -> dict[int, FurnitureKind]:
        """Which lines of page `number` are no part of the flow: their places in `lines`, and what they are.

        From the page's edge inwards, up to the innermost row that repeats on other pages, is a page number standing
        apart, or lies in the outermost strip that text hardly ever reaches; then what plainly stands apart by itself.
        """
        found: dict[int, FurnitureKind] = {}
        for top in (True, False):
            ordered = sorted(range(len(lines)), key=lambda n: lines[n].top if top else -lines[n].bottom)
            rows = _rows_from_edge([n for n in ordered if _margin_line(lines[n], height) is not None], lines)
            rows = [row for row in rows if (lines[row[0]].top < height / 2) == top]
            last = -1
            for place, row in enumerate(rows[:_MOST_ROWS]):
                passed = {n for r in rows[: place + 1] for n in r}
                others = [lines[n] for n in ordered if n not in passed]
                own = [lines[n] for n in row]
                inner = _level_with_first(others)
                if self._is_furniture(number, own, inner, height) or (
                    place == last + 1
                    and not _are_rows(own, inner)
                    and stands_apart(own, others, rules, tables, self.body_size, top)
                ):
                    last = place
            for row in rows[: last + 1]:
                for n in row:
                    numbered = _NUMBER.match(lines[n].text.strip())
                    found[n] = "number" if numbered else "header" if top else "footer"
        feet = any(kind != "header" for kind in found.values())
        lone = None if feet else lone_number(lines, tables, self.body_size)
        return found if lone is None else found | {lone: "number"}

    def _is_furniture(self, number: int, row: Sequence[TextLine], inner: Sequence[TextLine], height: float) -> bool:
        """Whether a row of the margin is furniture. `inner`: the nearest row further in."""
        margin = [line for line in (_margin_line(line, height) for line in row) if line is not None]
        size = max(line.size for line in row)
        gap = (
            0.0
            if not inner
            else max(
                min(b.top for b in inner) - max(b.bottom for b in row),
                min(b.top for b in row) - max(b.bottom for b in inner),
            )
        )
        known = self.pages.get(number, frozenset())
        repeats = any(key in known for line in margin for key in line.keys(self.body_size))
        if repeats and (len(row) == 1 or gap > 1.2 * size or not inner):  # a table's head repeats close to its rows
            return True
        if (
            not inner
            or _are_rows(row, inner)
            or (size > 1.15 * self.body_size and len(row) > 1)
            or len(row) > _MOST_IN_ROW
        ):
            return False
        if all(min(line.place, 1 - line.place) < _STRIP for line in margin) and size <= 1.05 * self.body_size:
            return True
        outer = (min(row, key=lambda line: line.left), max(row, key=lambda line: line.right))
        return gap > 0.8 * size and any(_NUMBER.match(line.text.strip()) for line in outer)


def artifacts(lines: Sequence[TextLine], height: float, tables: Sequence[Box]) -> dict[int, FurnitureKind]:
    """Lines that the document's own structure leaves out: in the margins, or as a table's head that is printed again
    right above the rest of it. Their places in `lines`, and what they are."""
    found: dict[int, FurnitureKind] = {}
    for n, line in enumerate(lines):
        if any(word.level != -1 for word in line.words):
            continue
        above = line.top < height / 2
        again = any(
            0 <= box.top - line.bottom < 2.5 * line.size and box.left - line.size < line.left < box.right
            for box in tables
        )
        if again or _margin_line(line, height) is not None:
            numbered = not again and _NUMBER.match(line.text.strip())
            found[n] = "number" if numbered else "header" if above or again else "footer"
    return found


def margin_lines(lines: Sequence[TextLine], height: float) -> list[MarginLine]:
    """The outermost lines of a page's upper and lower margin."""
    ordered = sorted(lines, key=lambda line: line.top)
    found = [_margin_line(line, height) for line in (*ordered[:_MOST_PER_MARGIN], *ordered[-_MOST_PER_MARGIN:])]
    return [line for line in found if line is not None]


def _level_with_first(lines: Sequence[TextLine]) -> list[TextLine]:
    """The first line and those beside it."""
    if not lines:
        return []
    first = lines[0]
    return [o for o in lines[:40] if min(first.bottom, o.bottom) - max(first.top, o.top) > 0.4 * first.size]


def _are_rows(row: Sequence[TextLine], inner: Sequence[TextLine]) -> bool:
    """Whether two rows are of one table: every text of the outer stands over or under one of the inner."""
    if not 2 <= len(row) <= len(inner):
        return False
    return all(any(min(a.right, b.right) > max(a.left, b.left) for b in inner) for a in row)


def _margin_line(line: TextLine, height: float) -> MarginLine | None:
    middle = (line.top + line.bottom) / 2 / height if height else 0.5
    if _BAND < middle < 1 - _BAND:
        return None
    text = line.text.casefold()[:200]
    return MarginLine(text, middle, line.size) if any(c.isalnum() for c in text) else None


def _rows_from_edge(order: Sequence[int], lines: Sequence[TextLine]) -> list[list[int]]:
    """Lines, given from the page's edge inwards, in rows that stand at one height."""
    rows: list[list[int]] = []
    for n in order:
        line = lines[n]
        if (
            rows
            and min(line.bottom, lines[rows[-1][0]].bottom) - max(line.top, lines[rows[-1][0]].top) > 0.4 * line.size
        ):
            rows[-1].append(n)
        else:
            rows.append([n])
    return rows
