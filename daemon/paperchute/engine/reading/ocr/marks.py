"""From what was seen on a page picture to the marks that layout works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Image
from paperchute.engine.reading.layout.records import Font, PageMarks, Picture, Rule, Word
from paperchute.engine.reading.ocr.drawn import drawn_on
from paperchute.engine.reading.ocr.figures import Figures, encoded
from paperchute.engine.reading.ocr.gutters import in_columns
from paperchute.engine.reading.ocr.records import Seen, SeenWord
from paperchute.engine.reading.ocr.sizes import Sizes, Strokes, by_rows, is_bold
from paperchute.engine.reading.pdf.reader import Options

_ALONE = 0.5  # of the size
_ROW_RULES = 3
_REGULAR, _BOLD = Font(), Font(bold=True)


@dataclass(slots=True)
class SeenPage:
    """A recognised page. images: the content of its marks' pictures, by their key; a background is among them.

    sheet: the whole upright page, backdrop: the same without its words, None for plain paper; where asked for.
    """

    marks: PageMarks
    images: list[Image] = field(default_factory=list)
    sheet: Image | None = None
    backdrop: Image | None = None


def words_of(seen: Seen, a_point: float, sizes: Sizes) -> list[Word]:
    """The words in points. a_point: pixels of the upright picture a point."""
    measured = by_rows(seen.words)
    common = sizes.of([(max(s / a_point, 0.5), len(w.text)) for s, w in zip(measured, seen.words, strict=True)])
    strokes = Strokes(seen.words)
    usual = {size: strokes.usual(size) for size in {round(word.size) for word in seen.words}}
    return [
        _word(word, size, a_point, is_bold(word, usual[round(word.size)]))
        for word, size in zip(seen.words, common, strict=True)
    ]


def page_of(
    seen: Seen, number: int, a_point: float, sizes: Sizes, options: Options, *, background: bool = True
) -> SeenPage:
    """The marks of page `number`, with rules, bullets and what else `options` ask for.

    background: with what is printed behind the words, where that is wanted.
    """
    words = words_of(seen, a_point, sizes)
    height, width = seen.picture.shape[:2]
    marks = PageMarks(number, width / a_point, height / a_point, seen.turn, words)
    boxes = [word.box for word in words]
    drawn = drawn_on(seen.picture, a_point, boxes, _body_size(words))
    marks.rules, marks.dots = drawn.rules, drawn.dots
    marks.words = in_columns(words + _lone_dashes(drawn.dashes, words, drawn.rules))
    page = SeenPage(marks)
    if options.formulas:
        page.sheet = encoded(seen.picture)
    if not options.images:
        return page
    figures = Figures(seen.picture, a_point, boxes, marks.rules)
    if options.looks and options.backgrounds:
        page.backdrop = figures.backdrop()
        return page
    places = figures.boxes()
    behind = figures.background(places) if background and options.backgrounds and words else None
    if behind is not None:
        marks.pictures.append(Picture(Box(0.0, 0.0, marks.width, marks.height), len(page.images)))
        page.images.append(behind)
    for place in places:
        marks.pictures.append(Picture(place, len(page.images)))
        page.images.append(figures.cut(place))
    return page


def _lone_dashes(dashes: Sequence[Box], words: Sequence[Word], rules: Sequence[Rule]) -> list[Word]:
    """Dashes that stand for a value, alone in the cell of a ruled table: too small to be found as text.

    Each stands on a row with words, at the height of a dash, inside the rules and with nothing close to it. The rules
    are those of cells, or at least three that may part rows.
    """
    lying = sum(rule.horizontal for rule in rules)
    if lying < 2 or (lying == len(rules) and lying < _ROW_RULES):
        return []
    ruled = hull(Box(rule.x1, rule.y1, rule.x2, rule.y2) for rule in rules)
    found = []
    for dash in dashes:
        x, y = dash.center
        row = [w for w in words if w.angle == 0 and w.baseline - 0.6 * w.size < y < w.baseline - 0.1 * w.size]
        if not row or not ruled.holds(x, y):
            continue
        near = min(row, key=lambda w: abs(w.left - x))
        clear = dash.grown(_ALONE * near.size)
        others = [box for box in (*dashes, *(w.box for w in row)) if box != dash]
        if dash.width < 0.8 * near.size and not any(clear.overlap(box) > 0 for box in others):
            top, bottom = near.baseline - 0.78 * near.size, near.baseline + 0.22 * near.size
            found.append(Word("-", dash.left, top, dash.right, bottom, near.baseline, near.size, _REGULAR))
    return found


def _word(word: SeenWord, size: float, a_point: float, bold: bool) -> Word:
    box = Box(*(value / a_point for value in word.box))
    baseline = word.baseline / a_point
    top, bottom = box.top, box.bottom
    if word.angle == 0:  # layout expects the line's height, not the ink's: the usual shares of the size
        top, bottom = baseline - 0.78 * size, baseline + 0.22 * size
    return Word(
        word.text,
        box.left,
        top,
        box.right,
        bottom,
        baseline,
        size,
        _BOLD if bold else _REGULAR,
        glued=word.glued,
        angle=word.angle,
        confidence=round(word.confidence, 4),
    )


def _body_size(words: list[Word]) -> float:
    weights: dict[float, int] = {}
    for word in words:
        weights[word.size] = weights.get(word.size, 0) + len(word.text)
    return max(weights, key=lambda size: weights[size], default=10.0)
