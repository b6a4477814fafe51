"""Running heads, feet and page numbers: what repeats in the margins, and what else is no part of the flow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.lone_furniture import APART, lone_number, stands_apart
from paperchute.engine.reading.layout.marks import Rule


@dataclass(frozen=True, slots=True)
class MarginSettings:
    """Which lines stand in a page's margins and repeat there."""

    band: float = 0.14
    """Of the page's height: how deep a margin is looked at, above and below. Of 83 sample pages change 2 at 0.8 times,
    none at 0.9, none at 1.2."""

    strip: float = 0.05
    """Of the page's height: half an inch of a letter page, which text hardly ever reaches. 0.8 to 1.2 times it reads 83
    sample pages the same."""

    most_lines: int = 6
    """Lines of one margin that are remembered, the outermost ones. One less or more reads 83 sample pages the same."""

    most_rows: int = 4
    """Rows from the page's edge inwards that may be furniture. One less or more reads 83 sample pages the same."""

    most_in_row: int = 4
    """Texts in a row of furniture; more are the cells of a table. One less or more reads 83 sample pages the same."""

    step: float = 0.012
    """Of the page's height: within it two lines stand at the same height; 9.5 points of a letter page. 0.8 to 1.2 times
    it reads 83 sample pages the same."""

    neighbours: int = 2
    """Pages before and after on which furniture repeats: left and right pages have their own. Of 83 sample pages change
    8 with one less, none with one more."""

    fewest_pages: int = 3
    """Pages anywhere in the document on which a line that repeats is furniture. One less or more reads 83 sample pages
    the same."""

    title_size: float = 1.15
    """Of the body size: in larger type `Part 1` and `Part 2` are titles, and a row of several texts is no head. 0.8 to
    1.2 times it reads 83 sample pages the same."""

    apart: float = 1.2
    """Of the font size: from a repeated row to the text; the head of a table that goes on stands closer."""

    same_row: float = 0.4
    """Of the font size: by how much texts of one row are at one height."""

    head_gap: float = 2.5
    """Of the font size: from a table's repeated head, which the structure leaves out, to its rows."""

    most_compared: int = 40
    """Lines that are looked through for those beside the first: a bound on work."""

    most_chars: int = 200
    """Characters of a margin's line that are compared: a bound on work."""


MARGINS = MarginSettings()


FurnitureKind = Literal["header", "footer", "number"]

_NUMBER = re.compile(
    r"^(?:[-–—|·\[(]\s*)?(?:(?:page|seite|p\.?|pg\.?|página|pagina)\s*)?(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7}|[A-Z]?[-.]?\d{1,3}-\d{1,3})"
    r"(?:\s*(?:/|of|von|de|di|sur|aus|\|)\s*\d{1,4})?(?:\s*[-–—|·\])])?$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


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
        text = _DIGITS.sub("#", self.text) if self.size < MARGINS.title_size * body_size else self.text
        return (text, int(self.place / MARGINS.step)), (text, -int(self.place / MARGINS.step + 1 / 2))


@dataclass(frozen=True, slots=True)
class Furniture:
    """Knows which margin lines repeat. `pages` maps page numbers to the keys that repeat on them."""

    body_size: float
    pages: dict[int, frozenset[Key]]

    @classmethod
    def of(cls, margins: dict[int, list[MarginLine]], body_size: float) -> Furniture:
        """What repeats at the same height.

        On a page close by (the next but one, as left and right pages differ), or on several pages anywhere.
        """
        numbers = sorted(margins)
        keys = {n: {key for line in margins[n] for key in line.keys(body_size)} for n in numbers}
        counts = Counter(key for own in keys.values() for key in own)
        pages: dict[int, frozenset[Key]] = {}
        for place, number in enumerate(numbers):
            near = [
                n for n in numbers[max(0, place - MARGINS.neighbours) : place + MARGINS.neighbours + 1] if n != number
            ]
            close = set().union(*(keys[n] for n in near))
            pages[number] = frozenset(
                key for key in keys[number] if key in close or counts[key] >= MARGINS.fewest_pages
            )
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
            for place, row in enumerate(rows[: MARGINS.most_rows]):
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
        if repeats and (
            len(row) == 1 or gap > MARGINS.apart * size or not inner
        ):  # a table's head repeats close to its rows
            return True
        if (
            not inner
            or _are_rows(row, inner)
            or (size > MARGINS.title_size * self.body_size and len(row) > 1)
            or len(row) > MARGINS.most_in_row
        ):
            return False
        if (
            all(min(line.place, 1 - line.place) < MARGINS.strip for line in margin)
            and size <= APART.number_size * self.body_size
        ):
            return True
        outer = (min(row, key=lambda line: line.left), max(row, key=lambda line: line.right))
        return gap > APART.gap * size and any(_NUMBER.match(line.text.strip()) for line in outer)


def artifacts(lines: Sequence[TextLine], height: float, tables: Sequence[Box]) -> dict[int, FurnitureKind]:
    """Lines that the document's own structure leaves out: their places in `lines`, and what they are.

    They stand in the margins, or are a table's head that is printed again right above the rest of it.
    """
    found: dict[int, FurnitureKind] = {}
    for n, line in enumerate(lines):
        if any(word.level != -1 for word in line.words):
            continue
        above = line.top < height / 2
        again = any(
            0 <= box.top - line.bottom < MARGINS.head_gap * line.size and box.left - line.size < line.left < box.right
            for box in tables
        )
        if again or _margin_line(line, height) is not None:
            numbered = not again and _NUMBER.match(line.text.strip())
            found[n] = "number" if numbered else "header" if above or again else "footer"
    return found


def margin_lines(lines: Sequence[TextLine], height: float) -> list[MarginLine]:
    """The outermost lines of a page's upper and lower margin."""
    ordered = sorted(lines, key=lambda line: line.top)
    found = [_margin_line(line, height) for line in (*ordered[: MARGINS.most_lines], *ordered[-MARGINS.most_lines :])]
    return [line for line in found if line is not None]


def _level_with_first(lines: Sequence[TextLine]) -> list[TextLine]:
    """The first line and those beside it."""
    if not lines:
        return []
    first = lines[0]
    return [
        o
        for o in lines[: MARGINS.most_compared]
        if min(first.bottom, o.bottom) - max(first.top, o.top) > MARGINS.same_row * first.size
    ]


def _are_rows(row: Sequence[TextLine], inner: Sequence[TextLine]) -> bool:
    """Whether two rows are of one table: every text of the outer stands over or under one of the inner."""
    if not 2 <= len(row) <= len(inner):
        return False
    return all(any(min(a.right, b.right) > max(a.left, b.left) for b in inner) for a in row)


def _margin_line(line: TextLine, height: float) -> MarginLine | None:
    middle = (line.top + line.bottom) / 2 / height if height else 0.5
    if MARGINS.band < middle < 1 - MARGINS.band:
        return None
    text = line.text.casefold()[: MARGINS.most_chars]
    return MarginLine(text, middle, line.size) if any(c.isalnum() for c in text) else None


def _rows_from_edge(order: Sequence[int], lines: Sequence[TextLine]) -> list[list[int]]:
    """Lines, given from the page's edge inwards, in rows that stand at one height."""
    rows: list[list[int]] = []
    for n in order:
        line = lines[n]
        if (
            rows
            and min(line.bottom, lines[rows[-1][0]].bottom) - max(line.top, lines[rows[-1][0]].top)
            > MARGINS.same_row * line.size
        ):
            rows[-1].append(n)
        else:
            rows.append([n])
    return rows
