"""Text that does not read to the right: seen in a frame turned so that it does, it is laid out like any other.

Vertical writing reads downwards with lines from right to left, which is what text turned clockwise by 90 degrees does,
so both share one frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Line
from paperchute.engine.reading.layout.lines import TextLine, rows, segments
from paperchute.engine.reading.layout.records import PageMarks, Rule, Word

_ASCENT, _DESCENT = 0.78, 0.22  # of the size: the usual extent of a line's letters
_GLUED = 0.9  # of the size: closer words are one where vertical writing changes its script
_FIRST_WIDE = "\u2e80"
_REACH = 1.6  # of the size: between lines of one text
_MOST_LABEL_LINES = 3
_MOST_GROUPED = 3_000


@dataclass(frozen=True, slots=True)
class Frame:
    """A page seen so that text of one direction is upright. angle: that direction, in degrees clockwise; width and
    height: of the page as it is."""

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
        """Where a point of the page is in the frame."""
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
        """A word of the frame's direction as an upright one. Its middle decides where it stands in its line, since
        fonts disagree about how far letters reach to the sides of it."""
        left, top, right, bottom = self.box(word.box)
        baseline = (top + bottom) / 2 + (_ASCENT - _DESCENT) / 2 * word.size
        top, bottom = baseline - _ASCENT * word.size, baseline + _DESCENT * word.size
        return replace(word, left=left, top=top, right=right, bottom=bottom, baseline=baseline, angle=0)

    def marks(self, marks: PageMarks, words: list[Word], area: Box) -> PageMarks:
        """What is drawn in an area of the page, with `words`, which are of the frame already."""
        inside = area.grown(3.0)
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
    for word in map(frame.word, words):
        last = found[-1] if found else None
        if last is not None and abs(last.baseline - word.baseline) < 0.3 * word.size:
            wide = last.text[-1] >= _FIRST_WIDE or word.text[0] >= _FIRST_WIDE
            word.glued = word.glued or (wide and abs(word.left - last.right) < _GLUED * word.size)
        found.append(word)
    return found


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
    """Whether most of a page is vertical writing."""
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
            if any(word.stacked for word in own) or len(turned_lines(own)) > _MOST_LABEL_LINES:
                texts.append(own)
            else:
                labels += own
    return [text for text in texts if text], labels


def _together(words: Sequence[Word]) -> list[list[Word]]:
    """Words of one direction in the groups that stand together."""
    if len(words) > _MOST_GROUPED:
        return [list(words)]
    groups: list[tuple[Box, list[Word]]] = []
    for word in words:
        box, own = word.box.grown(_REACH * word.size / 2), [word]
        apart = []
        for group in groups:
            if group[0].overlap(box) > 0:
                box, own = hull((group[0], box)), group[1] + own
            else:
                apart.append(group)
        groups = [*apart, (box, own)]
    return [own for _, own in groups]
