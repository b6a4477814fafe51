"""Running heads, feet and page numbers: what belongs to the page and not to the flow of the document."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Rule

_GAP = 0.8
_FAR = 3.0
"""Of the font size: the least distance to the text, and that of what has few other signs."""
_SMALL = 0.86
_SMALLER = 0.95
"""Of the size of running text."""
_LONGEST_PART = 40
_LONGEST_ROW = 100
_LONGEST_FAR = 60
"""Characters."""
_FLUSH = 0.025
_ACROSS = 0.8
_PARTS_APART = 0.08
_SIDES_APART = 0.3
_CENTRED = 0.04
"""Shares of the width of the text."""
_NEAR_RULE = 2.5
_SAME_RULE = 4.0
_RULED = 60.0
_NOTE = re.compile(r"^(?:\W|\d{1,3}[.)]?(?:\s|$)|\[\d)")
_ENDS = (".", "!", "?", "。", "！", "？")
_LONE_NUMBER = re.compile(r"^[-–—]?\s?\d{1,4}\s?[-–—]?$")


def stands_apart(
    row: Sequence[TextLine],
    others: Sequence[TextLine],
    rules: Sequence[Rule],
    tables: Sequence[Box],
    body_size: float,
    top: bool,
) -> bool:
    """Whether the outermost row of a margin is a running head or foot by its own look.

    others: all lines further in; tables: their places, whose words are none of the lines. The row must keep its
    distance, be no larger than the text and no sentence (that may be the end of a footnote), and moreover: be parted
    from the text by a rule of its width; be set in three parts, left, middle and right, at the foot of the page (at its
    head they may be a letter's); in two at the text's edges in smaller type; or be a short line in small type far off.
    """
    if not others or body_size <= 0:
        return False
    size = max(line.size for line in row)
    extent = hull([*(line.box for line in others), *tables])
    gap = extent.top - max(r.bottom for r in row) if top else min(r.top for r in row) - extent.bottom
    chars = sum(line.chars for line in row)
    in_three = len(row) == 3 and not top
    largest = 1.3 if in_three else 1.02
    if gap < _GAP * size or size > largest * body_size or chars > _LONGEST_ROW or _is_sentence(row):
        return False
    left, right = min(o.left for o in others), max(o.right for o in others)
    parts = sorted(row, key=lambda line: line.left)
    ruled = not all(line.bold for line in row) and _is_ruled_off(row, others, rules, right - left, top)
    smaller = size <= _SMALLER * body_size
    if len(parts) == 1:
        return ruled or (size <= _SMALL * body_size and gap >= _FAR * body_size and chars <= _LONGEST_FAR)
    spread = _is_spread(parts, left, right)
    return spread and (ruled or (smaller and len(parts) == 2) or in_three)


def lone_number(lines: Sequence[TextLine], tables: Sequence[Box], body_size: float) -> int | None:
    """The place in `lines` of a page number that is the last line of its page, however high it stands: centred under
    the text and far from it."""
    if len(lines) < 2:
        return None
    last = max(range(len(lines)), key=lambda n: lines[n].bottom)
    line, others = lines[last], [*lines[:last], *lines[last + 1 :]]
    left, _, right, bottom = hull([*(o.box for o in others), *tables])
    centred = abs(line.left + line.right - left - right) / 2 <= _CENTRED * (right - left)
    far = line.top - bottom >= 1.5 * line.size
    plain = line.size <= 1.05 * body_size and bool(_LONE_NUMBER.match(line.text.strip()))
    return last if plain and far and centred and right - left > 20 * line.size else None


def _is_sentence(row: Sequence[TextLine]) -> bool:
    """Whether a row looks like a footnote, or like the end of one that began on the page before."""
    first, last = min(row, key=lambda line: line.left), max(row, key=lambda line: line.left)
    if first.words[0].script == "super" or _NOTE.match(first.text):
        return True
    return len(row) == 1 and (first.text[0].islower() or last.text.rstrip().endswith(_ENDS))


def _is_spread(parts: Sequence[TextLine], left: float, right: float) -> bool:
    """Whether two or three short parts stand at the left and right edges of the text, and in its middle."""
    width = right - left
    apart = _PARTS_APART if len(parts) > 2 else _SIDES_APART
    if len(parts) > 3 or any(line.chars > _LONGEST_PART for line in parts):
        return False
    if any(b.left - a.right < max(apart * width, 3 * a.size) for a, b in itertools.pairwise(parts)):
        return False
    middle = len(parts) == 2 or abs(parts[1].left + parts[1].right - left - right) / 2 <= _CENTRED * width
    return middle and max(abs(parts[0].left - left), abs(parts[-1].right - right)) <= _FLUSH * width


def _is_ruled_off(
    row: Sequence[TextLine], others: Sequence[TextLine], rules: Sequence[Rule], width: float, top: bool
) -> bool:
    """Whether a rule of the text's width lies between a row and the text, right at the row; and no second one soon
    after it, as in a table."""
    size = max(line.size for line in row)
    edge = max(line.bottom for line in row) if top else min(line.top for line in row)
    text = min(line.top for line in others) if top else max(line.bottom for line in others)
    distances = sorted(
        distance
        for rule in rules
        if rule.horizontal
        and rule.x2 - rule.x1 >= _ACROSS * width
        and -0.3 * size <= (distance := (rule.y1 - edge) * (1 if top else -1)) <= _RULED
    )
    if not distances or distances[0] > min(_NEAR_RULE * size, abs(text - edge) + 1):
        return False
    return all(distance - distances[0] <= _SAME_RULE for distance in distances)


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
