"""Page numbers, rows with one, and feet, that no other page proves: apart from the text, where these stand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.running import is_number
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.words import one_of


@dataclass(frozen=True, slots=True)
class ApartSettings:
    """Which line of a page is its number by its place alone. All that is less certain stays in the text."""

    number_gap: float = 1.5
    """Of the font size: from the text to the number. `eu-002` and a page of Elsevier's change at 1.0, one of REVTeX at
    1.8."""

    far: float = 4.0
    """The same under the text, from where such a row need not be small: of a page with much small type. A page of the
    OCR benchmark's heads and feet changes at 3.0."""

    margin: float = 0.08
    """Of the page's height: from its lower edge to the end of a foot without a number. It is less than an inch of A4 or
    letter paper, where text and footnotes end unless somebody chose otherwise. A page of the OCR benchmark's heads and
    feet changes at 0.1."""


APART = ApartSettings()


_NOTE = re.compile(r"^(?:[*†‡§¶]|\d{1,3}[.)]?(?:\s|$)|\[\d)")
_LONE = re.compile(r"^(?:[-–—]\s?\d{1,4}\s?[-–—]|\d{1,3}|[ivxl]{1,6})$", re.IGNORECASE)
_NAMED = re.compile(rf"(?:^|\s){one_of('page')}\s*\d|\d\s*{one_of('page_after')}", re.IGNORECASE)


def _is_lone(text: str) -> bool:
    """Tell whether a text is a page number that may stand alone: a small one, or one that says what it is."""
    return _LONE.match(text) is not None or (_NAMED.search(text) is not None and is_number(text))


def is_note(line: TextLine) -> bool:
    """Decide whether a line looks like the beginning of a footnote."""
    return line.words[0].script == "super" or _NOTE.match(line.text) is not None


def lone_number(lines: Sequence[TextLine], tables: Sequence[Box], height: float, body_size: float) -> TextLine | None:
    """The line that is the page's number: its last or first one, alone in its row and far from all others.

    It is centred over or under the text; or flush with one of its edges, at the edge of the page.
    """
    if len(lines) < 2:
        return None
    for line in (max(lines, key=lambda line: line.bottom), min(lines, key=lambda line: line.top)):
        text = line.text.strip()
        if not _is_lone(text) or text.isupper() or line.size > TYPOGRAPHY.larger * body_size:
            continue
        others = [other for other in lines if other is not line]
        left, top, right, bottom = hull([*(o.box for o in others), *tables])
        width = right - left
        if max(line.top - bottom, top - line.bottom) < APART.number_gap * line.size:
            continue
        if width < TYPOGRAPHY.cell_chars * line.size or _is_lone(_nearest(line, others).text.strip()):
            continue
        below = line.top > bottom
        centred = abs(line.left + line.right - left - right) / 2 <= TYPOGRAPHY.hardly * width
        at_edge = min(line.bottom, height - line.top) <= TYPOGRAPHY.tenth * height
        flush = min(abs(line.left - left), abs(line.right - right)) <= TYPOGRAPHY.hardly * width
        if (centred and (below or at_edge)) or (flush and at_edge):
            return line
    return None


def numbered_row(lines: Sequence[TextLine], tables: Sequence[Box], height: float, body_size: float) -> list[TextLine]:
    """The outermost row of a page where it is a head or foot: a bare number and other texts, far apart and small.

    None of it may be lost, since no other page proves it: `Net weight  42` may stand so.
    """
    for line in (max(lines, key=lambda line: line.bottom), min(lines, key=lambda line: line.top)) if lines else ():
        row = [o for o in lines if _are_beside(o, line)]
        if not 1 < len(row) <= TYPOGRAPHY.few or len(lines) - len(row) < TYPOGRAPHY.short_text:
            continue
        others = [o for o in lines if not _are_beside(o, line)]
        row.sort(key=lambda line: line.left)
        _, top, _, bottom = hull([*(o.box for o in others), *tables])
        gap = max(min(o.top for o in row) - bottom, top - max(o.bottom for o in row))
        numbers = [o for o in row if _is_lone(o.text.strip())]
        if (
            len(numbers) == 1
            and gap >= TYPOGRAPHY.tab * body_size
            and min(line.bottom, height - line.top) <= TYPOGRAPHY.tenth * height
            and (
                all(o.size <= TYPOGRAPHY.smaller * body_size for o in row)
                or (row[0].top > bottom and gap >= APART.far * body_size)
            )
            and all(b.left - a.right >= TYPOGRAPHY.quads * b.size for a, b in itertools.pairwise(row))
            and not any(o.bold or is_note(o) for o in row if o is not numbers[0])
        ):
            return row
    return []


def lone_foot(lines: Sequence[TextLine], tables: Sequence[Box], height: float, body_size: float) -> list[TextLine]:
    """Find the lines at the lower edge of a page that are its foot by their place: in the margin, apart, in small type.

    In the type of the text they are one only far from it. None of it may be lost, since no other page proves it.
    """
    below = sorted(
        (line for line in lines if line.top > (1 - TYPOGRAPHY.fifth) * height), key=lambda line: -line.bottom
    )
    if not below or not in_lower_margin(below[0], height):
        return []
    foot = [below[0]]
    for line in below[1:]:
        if min(o.top for o in foot) - line.bottom > TYPOGRAPHY.next_line * line.size:
            break
        foot.append(line)
    own = set(map(id, foot))
    rest = [line for line in lines if id(line) not in own]
    if not rest or not _is_set_as_foot(foot):
        return []
    gap = min(line.top for line in foot) - max([*(line.bottom for line in rest), *(box.bottom for box in tables)])
    small = all(line.size <= TYPOGRAPHY.smaller * body_size for line in foot)
    usual = all(line.size <= TYPOGRAPHY.larger * body_size for line in foot)
    far = gap >= APART.far * body_size
    return foot if (usual and far) or (small and gap >= TYPOGRAPHY.tab * body_size) else []


def in_lower_margin(line: TextLine, height: float) -> bool:
    """Decide whether a line ends in the margin under the text."""
    return line.bottom > (1 - APART.margin) * height


def _is_set_as_foot(lines: Sequence[TextLine]) -> bool:
    """Decide whether lines are neither headings, notes nor the rows of a table, such as a sum beside its label."""
    if (
        any(_LONE.match(line.text.strip()) for line in lines)
        or all(line.bold for line in lines)
        or any((word.level or 0) > 0 for line in lines for word in line.words)
    ):
        return False
    if is_note(min(lines, key=lambda line: (line.top, line.left))):
        return False
    if len(lines) > TYPOGRAPHY.short_text * TYPOGRAPHY.few:
        return False  # before all are compared with all
    most = max(sum(_are_beside(line, other) for other in lines) for line in lines)
    return most <= TYPOGRAPHY.few and len(lines) <= TYPOGRAPHY.short_text * most


def _are_beside(one: TextLine, other: TextLine) -> bool:
    """Tell if two lines share some height; asked of every line, where `min` and `max` would take most of the time."""
    bottom = one.bottom if one.bottom < other.bottom else other.bottom
    return bottom > (one.top if one.top > other.top else other.top)


def _nearest(line: TextLine, others: Sequence[TextLine]) -> TextLine:
    return min(others, key=lambda other: max(line.top - other.bottom, other.top - line.bottom))
