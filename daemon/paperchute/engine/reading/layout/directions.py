"""Text that is not upright: words turned by quarters, and vertical writing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Line
from paperchute.engine.reading.layout.lines import TextLine, rows, segments
from paperchute.engine.reading.layout.marks import FIRST_WIDE, MARKS, PageMarks, Rule, Word
from paperchute.engine.reading.layout.trace import at_work
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class Frame:
    """A page seen so that text of one direction is upright.

    angle: that direction, in degrees clockwise; width and height: of the page as it is.
    """

    angle: int
    width: float
    height: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the page as seen in the frame."""
        return (self.width, self.height) if self.angle % 180 == 0 else (self.height, self.width)

    @property
    def back(self) -> Frame:
        """The frame that undoes this one."""
        return Frame(-self.angle % 360, *self.size)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the page is in the frame."""
        if self.angle == 90:
            return y, self.width - x
        if self.angle == 180:
            return self.width - x, self.height - y
        if self.angle == 270:
            return self.height - y, x
        return x, y

    def box(self, box: Box) -> Box:
        """A box in the frame."""
        (x1, y1), (x2, y2) = self.at(box.left, box.top), self.at(box.right, box.bottom)
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))

    def quad(self, quad: Quad) -> Quad:
        """A quad in the frame; it keeps its first corner, so it still tells the direction of reading."""
        points = zip(quad[0::2], quad[1::2], strict=True)
        return Quad(*(n for x, y in points for n in self.at(x, y)))

    def word(self, word: Word) -> Word:
        """A word of the frame's direction as an upright one.

        Its middle decides where it stands in its line, since fonts disagree about how far letters reach to the sides of
        it.
        """
        left, top, right, bottom = self.box(word.box)
        baseline = (top + bottom) / 2 + (MARKS.ascent - MARKS.descent) / 2 * word.size
        top, bottom = baseline - MARKS.ascent * word.size, baseline + MARKS.descent * word.size
        return replace(word, left=left, top=top, right=right, bottom=bottom, baseline=baseline, angle=0)

    def marks(self, marks: PageMarks, words: list[Word], area: Box) -> PageMarks:
        """Return what is drawn in an area of the page, with `words`, which are of the frame already."""
        inside = area.grown(TYPOGRAPHY.frame)
        boxes = ((Box(*rule[:4]), rule.edge) for rule in marks.rules)
        found = [(self.box(box), edge) for box, edge in boxes if inside.holds(*box.center)]
        return PageMarks(
            marks.number,
            *self.size,
            words=words,
            rules=[Rule(*box, edge) for box, edge in found],
            dots=[self.box(dot) for dot in marks.dots if inside.holds(*dot.center)],
            drawings=[d._replace(box=self.box(d.box)) for d in marks.drawings if inside.holds(*d.box.center)],
            grounds=[g._replace(box=self.box(g.box)) for g in marks.grounds],
            tables=marks.tables,
        )

    def block(self, block: Block) -> Block:
        """A block with all that is in it, in the frame."""
        table = block.table
        if table is not None:
            cells = tuple(replace(c, quad=self.quad(c.quad), lines=self._lines(c.lines)) for c in table.cells)
            table = replace(table, cells=cells)
        items = tuple(replace(i, quad=self.quad(i.quad), lines=self._lines(i.lines)) for i in block.items)
        return replace(block, quad=self.quad(block.quad), lines=self._lines(block.lines), items=items, table=table)

    def _lines(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        return tuple(replace(line, quad=self.quad(line.quad)) for line in lines)


def upright_words(frame: Frame, words: Iterable[Word]) -> list[Word]:
    """Words of the frame's direction as upright ones, without spaces where vertical writing changes its script."""
    found: list[Word] = []
    for word in _seen(frame, words):
        last = found[-1] if found else None
        if last is not None and abs(last.baseline - word.baseline) < TYPOGRAPHY.same_baseline * word.size:
            wide = last.text[-1] >= FIRST_WIDE or word.text[0] >= FIRST_WIDE
            word.glued = word.glued or (wide and abs(word.left - last.right) < TYPOGRAPHY.em * word.size)
        found.append(word)
    return found


def _seen(frame: Frame, words: Iterable[Word]) -> list[Word]:
    own = list(words)
    copies = list(map(frame.word, own))
    told = at_work()
    if told is not None:
        told.copied(copies, own)
    return copies


def turned_lines(words: Sequence[Word]) -> list[TextLine]:
    """Words that are not upright as printed lines in reading order, where they stand on the page."""
    found: list[TextLine] = []
    for angle in sorted({word.angle for word in words}):
        own = [word for word in words if word.angle == angle]
        around = hull(word.box for word in own)
        frame = Frame(angle, around.right, around.bottom)
        for line in rows(segments(upright_words(frame, own))):
            back = frame.back
            for word in line.words:
                word.left, word.top, word.right, word.bottom = back.box(word.box)
                word.angle = angle
            left, top, right, bottom = back.box(line.box)
            found.append(replace(line, left=left, top=top, right=right, bottom=bottom, baseline=bottom))
    return found


def is_vertical(words: Sequence[Word]) -> bool:
    """Decide whether most of a page is vertical writing."""
    stacked = sum(len(word.text) for word in words if word.stacked)
    return stacked > 0 and 2 * stacked > sum(len(word.text) for word in words)


def sideways(words: Sequence[Word], grids: Sequence[Box], vertical: bool) -> tuple[list[list[Word]], list[Word]]:
    """Words that are not upright: texts to be read like any other, each of one direction, and labels beside the text.

    grids: ruled tables that are turned, each a text. vertical: on a page of vertical writing what reads downwards is
    the page's text, and none of both.
    """
    texts: list[list[Word]] = []
    labels: list[Word] = []
    for angle in sorted({word.angle for word in words} - ({90} if vertical else set())):
        rest = [word for word in words if word.angle == angle]
        for grid in grids:
            texts.append([word for word in rest if grid.holds(*word.box.center)])
            rest = [word for word in rest if not grid.holds(*word.box.center)]
        for own in _together(rest):
            if any(word.stacked for word in own) or len(turned_lines(own)) > TYPOGRAPHY.several:
                texts.append(own)
            else:
                labels += own
    return [text for text in texts if text], labels


def _together(words: Sequence[Word]) -> list[list[Word]]:
    """Words of one direction in the groups that stand together."""
    if len(words) > BOUNDS.lines:
        return [list(words)]
    groups: list[tuple[Box, list[Word]]] = []
    for word in words:
        box, own = word.box.grown(TYPOGRAPHY.tight_line * word.size / 2), [word]
        apart = []
        for group in groups:
            if group[0].overlap(box) > 0:
                box, own = hull((group[0], box)), group[1] + own
            else:
                apart.append(group)
        groups = [*apart, (box, own)]
    return [own for _, own in groups]


def with_stacked(words: list[Word]) -> list[Word]:
    """The words in their order, letters that stand below each other made one word, `stacked` and of angle 90."""
    if len(words) > BOUNDS.marks or max([word.text for word in words], default="") < FIRST_WIDE:
        return words
    strings: list[list[Word]] = []
    for word in words:
        if strings and _follows(strings[-1][-1], word):
            strings[-1].append(word)
        else:
            strings.append([word])
    beside = _Rows(words)
    sure = {n for n, string in enumerate(strings) if _is_vertical(string, TYPOGRAPHY.several, beside)}
    if not sure:
        return words
    sure |= {n for n, string in enumerate(strings) if _is_vertical(string, TYPOGRAPHY.pair, beside)}
    return [word for n, string in enumerate(strings) for word in (_joined(string) if n in sure else string)]


def _follows(above: Word, below: Word) -> bool:
    """Decide whether a word can be the next letters of a vertical line."""
    size = max(above.size, below.size)
    if not (_fits(above) and _fits(below)) or min(above.size, below.size) <= TYPOGRAPHY.most * size:
        return False
    off = min(
        abs(above.left + above.right - below.left - below.right) / 2,
        max(above.left - below.left, below.right - above.right),  # a point or comma stands in a corner of its place
        max(below.left - above.left, above.right - below.right),
    )
    return (
        above.top < below.top
        and off <= TYPOGRAPHY.same_baseline * size
        and abs(below.top - _bottom(above)) <= TYPOGRAPHY.most * size
    )


def _fits(word: Word) -> bool:
    """Tell if a word is as wide as one letter of a vertical line: wide letters below each other, or a few abreast."""
    if word.stacked:
        return True
    return (
        word.angle == 0
        and len(word.text) <= TYPOGRAPHY.few
        and word.right - word.left <= TYPOGRAPHY.plainly_larger * word.size
    )


def _bottom(word: Word) -> float:
    """The lower end of a word's letters; that of several wide ones in the width of one is not that of the first."""
    below = len(word.text) - 1 if not word.stacked and word.text >= FIRST_WIDE else 0
    return word.bottom + below * word.size


def _is_vertical(string: Sequence[Word], fewest: int, rows: _Rows) -> bool:
    if any(word.stacked for word in string):
        return True
    if not all(map(_fits, string)):
        return False
    wide = sum(len(word.text) for word in string if word.text >= FIRST_WIDE)
    if wide < fewest or 2 * wide <= sum(len(word.text) for word in string):
        return False
    return sum(rows.has_neighbour(word) for word in string) < TYPOGRAPHY.half * len(string)


class _Rows:
    """Finds what stands right beside a letter."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._rows: dict[int, list[Word]] = {}
        for word in words:
            if word.angle == 0:
                self._rows.setdefault(int(word.baseline // BOUNDS.strip), []).append(word)

    def has_neighbour(self, word: Word) -> bool:
        """Decide whether an upright word stands closer beside this one than lines of vertical writing do."""
        row = int(word.baseline // BOUNDS.strip)
        reach = TYPOGRAPHY.third * word.size
        return any(
            other is not word and -reach < max(other.left - word.right, word.left - other.right) < reach
            for near in (row - 1, row, row + 1)
            for other in self._rows.get(near, ())
            if abs(other.baseline - word.baseline) < TYPOGRAPHY.same_baseline * word.size
        )


def _joined(string: Sequence[Word]) -> list[Word]:
    """A vertical line's letters as words, one for each look."""
    found: list[list[Word]] = []
    for word in string:
        if found and found[-1][0].font == word.font:
            found[-1].append(word)
        else:
            found.append([word])
    return [_word(part, glued=number > 0) for number, part in enumerate(found)]


def _word(letters: Sequence[Word], glued: bool) -> Word:
    left, top, right, bottom = hull(word.box._replace(bottom=_bottom(word)) for word in letters)
    return replace(
        letters[0],
        text="".join(map(_usual, "".join(word.text for word in letters))),
        left=left,
        top=top,
        right=right,
        bottom=bottom,
        size=max(word.size for word in letters),
        glued=glued,
        angle=90,
        stacked=True,
    )


def _usual(letter: str) -> str:
    """The usual form of a sign that has another one for vertical writing (Unicode blocks FE10 and FE30)."""
    if not ("\ufe10" <= letter <= "\ufe19" or "\ufe30" <= letter <= "\ufe4f"):
        return letter
    plain = unicodedata.normalize("NFKC", letter)
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in plain)
