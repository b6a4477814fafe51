"""Tick boxes that are drawn and no text: small squares beside a word, crossed or ticked or empty."""

from __future__ import annotations

from collections.abc import Sequence

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.marks import Drawing, Font, PageMarks, Rule, Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

EMPTY, TICKED = "☐", "☒"
_TICKS = frozenset("xX×✓✔✕✖✗✘")


def read_tick_boxes(marks: PageMarks) -> None:
    """Make words of the tick boxes of a page, in the place of what they are drawn of."""
    drawings, marks.small = [*marks.drawings, *marks.small], []
    squares = [drawing.box for drawing in drawings if _is_square(drawing)]
    if not 0 < len(squares) <= BOUNDS.lines:
        return
    squares = _apart(squares)
    found = [square for square in squares if any(_is_beside(word, square) for word in marks.words)]
    for square in found:
        around = square.grown(TYPOGRAPHY.half * square.width)
        inside = [word for word in marks.words if square.holds(*word.box.center)]
        if any(word.text not in _TICKS for word in inside):
            continue
        drawn = [drawing for drawing in drawings if drawing.strokes and _is_inside(drawing.box, around)]
        drawn += [drawing for drawing in drawings if drawing.fill and _fills(drawing.box, square)]
        ticked = bool(inside) or any(_covers(drawing.box, square) for drawing in drawn)
        ticked = ticked or any(_fills(dot, square) for dot in marks.dots)
        taken = {id(drawing) for drawing in drawn}
        marks.words = [word for word in marks.words if not any(word is other for other in inside)]
        marks.words.append(_word(square, TICKED if ticked else EMPTY, inside))
        marks.drawings = [one for one in marks.drawings if id(one) not in taken and not _same(one.box, square)]
        marks.dots = [dot for dot in marks.dots if not _is_inside(dot, around)]
        marks.rules = [rule for rule in marks.rules if not _is_edge(rule, square)]


def _is_square(drawing: Drawing) -> bool:
    small, large = sorted((drawing.box.width, drawing.box.height))
    least, most = TYPOGRAPHY.sign
    return (
        drawing.strokes == 0
        and not drawing.fill
        and least <= small
        and large <= min(most, TYPOGRAPHY.wider_leading * small)
    )


def _apart(squares: Sequence[Box]) -> list[Box]:
    """Those that touch no other, each once: some programs draw the area and its edge."""
    single: list[Box] = []
    for one in squares:
        if not any(_same(one, other) for other in single):
            single.append(one)
    return [one for one in single if not any(other is not one and _touch(one, other) for other in single)]


def _is_beside(word: Word, square: Box) -> bool:
    """Decide whether a word stands in the line of a square, next to it, on either side."""
    if not any(map(str.isalnum, word.text)) or word.angle:
        return False
    middle = square.center[1]
    gap = max(word.left - square.right, square.left - word.right)
    in_line = word.top - square.height / 2 <= middle <= word.bottom + square.height / 2
    return in_line and 0 <= gap <= TYPOGRAPHY.next_line * square.width


def _word(square: Box, text: str, inside: Sequence[Word]) -> Word:
    """The tick box as a word, as large as the square; its tick's mark, where that was text of the structure."""
    mark = next((word.mark for word in inside), -1)
    font = inside[0].font if inside else Font()
    return Word(text, *square, baseline=square.bottom, size=square.height, font=font, mark=mark)


def _covers(box: Box, square: Box) -> bool:
    least = TYPOGRAPHY.third * square.width
    return min(box.width, box.height) >= least


def _fills(box: Box, square: Box) -> bool:
    """Decide whether a filled shape is the mark in a square: inside it, and neither a speck nor its ground."""
    most = TYPOGRAPHY.nearly_all * square.width
    return _is_inside(box, square) and _covers(box, square) and max(box.width, box.height) <= most


def _is_inside(box: Box, around: Box) -> bool:
    return (
        around.left <= box.left and box.right <= around.right and around.top <= box.top and box.bottom <= around.bottom
    )


def _is_edge(rule: Rule, square: Box) -> bool:
    near = square.grown(1.0)
    return near.left <= rule.x1 and rule.x2 <= near.right and near.top <= rule.y1 and rule.y2 <= near.bottom


def _same(one: Box, other: Box) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1.0


def _touch(one: Box, other: Box) -> bool:
    one = one.grown(TYPOGRAPHY.touching * one.width)
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
