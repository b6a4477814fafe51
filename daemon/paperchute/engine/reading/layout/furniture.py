"""Running heads, feet and page numbers: only what the pages prove to be some is no part of the flow."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, NamedTuple

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.running import counting_forms, is_number, number_form
from paperchute.engine.reading.layout.levels import Face, face_of
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.lone_furniture import (
    in_lower_margin,
    is_note,
    lone_foot,
    lone_number,
    numbered_row,
)
from paperchute.engine.reading.layout.trace import rejected
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class MarginSettings:
    """Which lines stand in a page's margins and repeat there."""

    band: float = 0.19
    """Of the page's height: how deep a margin is looked at, above and below. LaTeX's books put their heads at 0.15 of a
    large sheet and 0.17 of a small one."""

    step: float = 0.012
    """Of the page's height: within it two lines stand at the same height; 9.5 points of a letter page."""

    largest: float = 1.1
    """Of the body size: of any furniture; larger type is a title. 12 points over text of 11 are what programs leave
    margins in that nobody has set. Nine documents change at 1.09, five of them EU reports."""


MARGINS = MarginSettings()


FurnitureKind = Literal["header", "footer", "number"]

_NO_END = (",", ":", ";", "，", "：", "；")  # of a running head: a letter's `Dear customer,` has one


Key = tuple[str, int]


class MarginLine(NamedTuple):
    """A line near the top or bottom of a page: its text, height as a share of the page's, what it looks like."""

    text: str
    place: float
    face: Face

    def keys(self, page: int) -> tuple[list[Key], list[Key]]:
        """Return what must repeat: the text as it is, and with a page number that counts on; each at its height.

        Heights are in steps of which two overlap, so that no line falls between them.
        """
        number = number_form(self.text, page)
        counting = [number] if number else counting_forms(self.text, page)
        return list(self._placed([self.text.strip().casefold()])), list(self._placed(counting))

    def _placed(self, texts: Sequence[str]) -> Iterator[Key]:
        for text in texts:
            yield text, int(self.place / MARGINS.step)
            yield text, -int(self.place / MARGINS.step + 1 / 2) - 1


@dataclass(frozen=True, slots=True)
class Furniture:
    """Knows which margin lines repeat: `texts` as they are, `counting` but for a page number that counts on.

    short: of a document of two pages, on which less is proof.
    """

    body_size: float
    texts: frozenset[Key]
    counting: frozenset[Key]
    short: bool

    @classmethod
    def of(cls, margins: dict[int, list[MarginLine]], body_size: float) -> Furniture:
        """Return what repeats at the same height on pages enough."""
        if len(margins) < TYPOGRAPHY.pair:
            return cls(body_size, frozenset(), frozenset(), short=False)
        texts: defaultdict[Key, set[int]] = defaultdict(set)
        counting: defaultdict[Key, set[int]] = defaultdict(set)
        for number, lines in margins.items():
            for line in lines:
                same, counted = line.keys(number)
                for key in same:
                    texts[key].add(number)
                for key in counted:
                    counting[key].add(number)
        short = len(margins) == TYPOGRAPHY.pair
        enough = TYPOGRAPHY.pair if short else TYPOGRAPHY.several
        counts = frozenset(key for key, pages in counting.items() if len(pages) >= enough)
        enough = TYPOGRAPHY.pair if short and counts else TYPOGRAPHY.several
        repeated = frozenset(key for key, on in texts.items() if len(on) >= enough)
        return cls(body_size, repeated, counts, short)

    def repeated(self, margins: dict[int, list[MarginLine]]) -> Iterator[MarginLine]:
        """The lines of the margins that stand on pages enough, with a number that counts on or without."""
        for number, lines in margins.items() if self.texts or self.counting else ():
            for line in lines:
                same, counted = line.keys(number)
                if not self.texts.isdisjoint(same) or not self.counting.isdisjoint(counted):
                    yield line

    def kinds(
        self, number: int, lines: Sequence[TextLine], height: float, tables: Sequence[Box] = ()
    ) -> dict[int, FurnitureKind]:
        """Return which lines of page `number` are no part of the flow: their places in `lines`, and what they are.

        From the page's edge inwards, row by row, as long as each is proved to be furniture, and up to the last of them
        that stands apart from the text; else what its place alone tells: a page number, or a row with one. tables:
        their places, whose words are none of the lines.
        """
        found: dict[int, FurnitureKind] = {}
        outer = [n for n, line in enumerate(lines) if _is_in_margin(line, height)]
        for top in (True, False) if outer else ():
            found |= self._margin(number, lines, height, tables, outer, top)
        rest = [line for n, line in enumerate(lines) if n not in found]
        row: list[TextLine] = []
        lone = None
        if "number" not in found.values():
            row = numbered_row(rest, tables, height, self.body_size)
            own = set(map(id, row))
            lone = lone_number([line for line in rest if id(line) not in own], tables, height, self.body_size)
        if all(kind == "header" or lines[n].top < height / 2 for n, kind in found.items()):
            taken = {*map(id, row), id(lone)}
            row += lone_foot([line for line in rest if id(line) not in taken], tables, height, self.body_size)
        own = set(map(id, row))
        for n, line in enumerate(lines):
            if line is lone:
                found[n] = "number"
            elif id(line) in own:
                found[n] = "header" if line.top < height / 2 else "footer"
        return found

    def _margin(
        self,
        number: int,
        lines: Sequence[TextLine],
        height: float,
        tables: Sequence[Box],
        outer: Sequence[int],
        top: bool,
    ) -> dict[int, FurnitureKind]:
        """Give what `kinds` finds at the top or the foot. outer: the places of the lines that stand in the margins."""

        def from_edge(n: int) -> float:
            return lines[n].top if top else -lines[n].bottom

        rows = _rows_from_edge(sorted(outer, key=from_edge), lines)
        rows = [row for row in rows if (lines[row[0]].top < height / 2) == top][: TYPOGRAPHY.few]
        proved: list[list[int]] = []
        for row in rows:
            if not self._is_furniture(number, [lines[n] for n in row], height, outermost=not proved):
                rejected("furniture", hull(lines[n].box for n in row), "no other page proves it")
                break
            proved.append(row)
        while proved:
            passed = {n for row in proved for n in row}
            others = [lines[n] for n in sorted(range(len(lines)), key=from_edge) if n not in passed]
            if self._is_apart(number, [lines[n] for n in proved[-1]], others, lines, tables, height):
                break
            rejected("furniture", hull(lines[n].box for n in proved.pop()), "it does not stand apart from the text")
        return {
            n: "number" if is_number(lines[n].text) else "header" if top else "footer" for row in proved for n in row
        }

    def _is_furniture(self, page: int, row: Sequence[TextLine], height: float, *, outermost: bool) -> bool:
        """Decide whether the pages prove a row of the margin to be furniture.

        In the size of the text it may be the first line of a letter or a form: it is none but as the outermost row of a
        document whose pages are numbered, or in the margin below the text.
        """
        if len(row) > TYPOGRAPHY.few:
            return False
        if not all(map(self._may_be, row)):
            return False
        small = all(is_number(line.text) or line.size <= TYPOGRAPHY.smaller * self.body_size for line in row)
        foot = all(in_lower_margin(line, height) for line in row)
        if not small and ((self.short and not self.counting) or not outermost or not (self.counting or foot)):
            return False
        counts = [line for line in row if self._known(page, line, height, self.counting, counted=True)]
        if all(line in counts or self._known(page, line, height, self.texts) for line in row):
            return True
        # What changes from page to page is a running head's beside a page number at the outer edge of the row.
        outer = (min(row, key=lambda line: line.left), max(row, key=lambda line: line.right))
        return any(
            line in counts
            and is_number(line.text)
            and all(_distance(line, other) >= TYPOGRAPHY.quads * line.size for other in row if other is not line)
            for line in outer
        ) and not any(is_note(line) for line in row if not is_number(line.text))

    def _may_be(self, line: TextLine) -> bool:
        """Decide whether a line can be furniture at all: no heading, no salutation, no footnote."""
        if line.size > MARGINS.largest * self.body_size or any((word.level or 0) > 0 for word in line.words):
            return False
        small = line.size <= TYPOGRAPHY.smaller * self.body_size
        text = line.text.rstrip()
        if is_number(text):
            return line.words[0].script != "super"
        if not small and (line.bold or text.endswith(_NO_END)):
            return False
        return line.words[0].script != "super" and not (text[0].isdigit() and text.endswith("."))

    def _known(self, page: int, line: TextLine, height: float, known: frozenset[Key], counted: bool = False) -> bool:
        margin = _margin_line(line, height) if known else None
        return margin is not None and not known.isdisjoint(margin.keys(page)[counted])

    def _is_apart(
        self,
        page: int,
        row: Sequence[TextLine],
        others: Sequence[TextLine],
        lines: Sequence[TextLine],
        tables: Sequence[Box],
        height: float,
    ) -> bool:
        """Tell whether a row keeps its distance from the nearest row further in, which does not repeat like a letter's.

        others: all lines further in. Where nothing else is on the page, it is the text, save beside a page number.
        """
        inner = _level_with_first(others)
        top, bottom = min(line.top for line in row), max(line.bottom for line in row)
        gaps = [max(near.top - bottom, top - near.bottom) for near in (*(line.box for line in inner), *tables)]
        if not gaps:
            return any(self._known(page, line, height, self.counting, counted=True) for line in row)
        size = max(line.size for line in row)
        if min(gaps) <= max(TYPOGRAPHY.em * size, TYPOGRAPHY.plainly_larger * _usual_gap(lines)):
            return False
        return len(inner) != 1 or not self._known(page, inner[0], height, self.texts)


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
            0 <= box.top - line.bottom < TYPOGRAPHY.blank_line * line.size
            and box.left - line.size < line.left < box.right
            for box in tables
        )
        if again or _is_in_margin(line, height):
            numbered = not again and is_number(line.text)
            found[n] = "number" if numbered else "header" if above or again else "footer"
    return found


def margin_lines(lines: Sequence[TextLine], height: float) -> list[MarginLine]:
    """The outermost lines of a page's upper and lower margin."""
    ordered = sorted(lines, key=lambda line: line.top)
    found = [_margin_line(line, height) for line in (*ordered[: TYPOGRAPHY.few], *ordered[-TYPOGRAPHY.few :])]
    return [line for line in found if line is not None]


def _level_with_first(lines: Sequence[TextLine]) -> list[TextLine]:
    """The first line and those beside it."""
    if not lines:
        return []
    first = lines[0]
    return [
        o
        for o in lines[: BOUNDS.beside]
        if min(first.bottom, o.bottom) - max(first.top, o.top) > TYPOGRAPHY.half_em * first.size
    ]


def _distance(one: TextLine, other: TextLine) -> float:
    return max(one.left - other.right, other.left - one.right)


def _usual_gap(lines: Sequence[TextLine]) -> float:
    """Between a page's lines that stand one under the other; 0 for a page with few."""
    tops = sorted((line.top, line.bottom) for line in lines)
    gaps = [below[0] - above[1] for above, below in itertools.pairwise(tops) if below[0] > above[1]]
    return median(gaps) if len(gaps) > TYPOGRAPHY.several else 0.0


def _margin_line(line: TextLine, height: float) -> MarginLine | None:
    if not _is_in_margin(line, height):
        return None
    return MarginLine(line.text[: TYPOGRAPHY.heading_chars], _middle(line, height), face_of(line))


def _is_in_margin(line: TextLine, height: float) -> bool:
    """Decide whether a line that holds more than signs stands in a page's upper or lower margin."""
    if MARGINS.band < _middle(line, height) < 1 - MARGINS.band:
        return False
    return any(map(str.isalnum, line.text[: TYPOGRAPHY.heading_chars]))


def _middle(line: TextLine, height: float) -> float:
    """Return where a line stands, from 0 at the top of the page to 1."""
    return (line.top + line.bottom) / 2 / height if height else 0.5


def _rows_from_edge(order: Sequence[int], lines: Sequence[TextLine]) -> list[list[int]]:
    """Lines, given from the page's edge inwards, in rows that stand at one height."""
    rows: list[list[int]] = []
    for n in order:
        line = lines[n]
        if (
            rows
            and min(line.bottom, lines[rows[-1][0]].bottom) - max(line.top, lines[rows[-1][0]].top)
            > TYPOGRAPHY.half_em * line.size
        ):
            rows[-1].append(n)
        else:
            rows.append([n])
    return rows
