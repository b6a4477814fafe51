"""Recognised pages: as the marks that layout works on, on disk while they wait, and laid out."""

from __future__ import annotations

import pickle
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import BinaryIO, Generic, TypeVar, cast

from paperchute.engine import ledger
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Image, Page
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.layout.marks import MARKS, Font, PageMarks, Picture, Rule, Word, placed_words
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.plain import plain_blocks
from paperchute.engine.reading.ocr.colours import add_inks
from paperchute.engine.reading.ocr.figures import Figures, cut_from, encoded
from paperchute.engine.reading.ocr.recognised import Seen, SeenWord
from paperchute.engine.reading.ocr.strokes import drawn_on
from paperchute.engine.reading.ocr.styles import Sizes, bold_words, by_rows, in_one_size
from paperchute.engine.reading.pdf.reader import Options


@dataclass(frozen=True, slots=True)
class GutterSettings:
    """Which gaps of recognised lines are gutters of columns. Distances are shares of the font size."""

    most_runs: int = 200
    """Gaps that are followed at a time: a bound on work on noise."""


GUTTERS = GutterSettings()


@dataclass(frozen=True, slots=True)
class DashSettings:
    """Which lone dashes stand for a value in a table. Distances are shares of the font size."""

    height: tuple[float, float] = (0.1, 0.6)
    """Above the baseline: where a dash lies."""

    usual_size: float = 10.0
    """Points: the size of running text on a page without words."""


DASHES = DashSettings()


@dataclass(slots=True)
class _Run:
    """A gap of successive rows: what they have in common across, and how far it reaches down."""

    left: float
    right: float
    top: float
    bottom: float
    rows: int = 1


def in_columns(words: Sequence[Word]) -> list[Word]:
    """The words in their order, but what stands to the right of a gutter after all that stands to the left of it.

    Words on one row of a column get one baseline.
    """
    gutters = _gutters([word for word in words if word.angle == 0])
    columns: defaultdict[int, list[Word]] = defaultdict(list)
    for word in words:
        middle = (word.left + word.right) / 2
        columns[sum(run.top <= word.baseline <= run.bottom and run.right <= middle for run in gutters)].append(word)
    for own in columns.values():
        _level([word for word in own if word.angle == 0])
    return [word for _, own in sorted(columns.items()) for word in own]


def _level(words: Sequence[Word]) -> None:
    """Give words of one size on one row the baseline of most of their letters; each was measured by itself."""
    by_size: defaultdict[float, list[Word]] = defaultdict(list)
    for word in words:
        by_size[word.size].append(word)
    for size, own in by_size.items():
        own.sort(key=lambda word: word.baseline)
        start = 0
        for number in range(1, len(own) + 1):
            if number < len(own) and own[number].baseline - own[start].baseline <= PRINT.slight * size:
                continue
            row = own[start:number]
            letters = [word.baseline for word in row for _ in word.text]
            baseline = letters[len(letters) // 2]
            for word in row:
                up = word.baseline - baseline
                word.baseline, word.top, word.bottom = baseline, word.top - up, word.bottom - up
            start = number


def _gutters(words: Sequence[Word]) -> list[_Run]:
    runs: list[_Run] = []
    found: list[_Run] = []
    for row in _rows(words):
        top, bottom = min(word.baseline for word in row), max(word.baseline for word in row)
        size = median(word.size for word in row)
        gaps = _gaps(row, size)
        going: list[_Run] = []
        for run in runs:
            common = [(max(run.left, a), min(run.right, b)) for a, b in gaps]
            left, right = max(common, key=lambda gap: gap[1] - gap[0], default=(0.0, 0.0))
            if top - run.bottom > PRINT.several * size:
                found.append(run)
            elif right - left >= PRINT.half * size:
                going.append(_Run(left, right, run.top, bottom, run.rows + 1))
            elif any(word.left < run.right and word.right > run.left for word in row):
                found.append(run)
            else:
                going.append(run)
        known = [(run.left, run.right) for run in going if run.bottom == bottom]
        fresh = [gap for gap in gaps if not any(a < gap[1] and gap[0] < b for a, b in known)]
        runs = [*going, *(_Run(a, b, top, bottom) for a, b in fresh)][-GUTTERS.most_runs :]
    return [run for run in found + runs if run.rows >= PRINT.sample]


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words that stand on one line across the page, from left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.baseline):
        if rows and word.baseline - rows[-1][0].baseline <= PRINT.quarter * word.size:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _gaps(row: Sequence[Word], size: float) -> list[tuple[float, float]]:
    gaps: list[tuple[float, float]] = []
    right = row[0].right
    for word in row[1:]:
        if word.left - right >= PRINT.more * size:
            gaps.append((right, word.left))
        right = max(right, word.right)
    return gaps


Item = TypeVar("Item")


class Spool(Generic[Item]):
    """Keeps items under numbers in an unnamed temporary file, which goes with the process. Raises OSError."""

    def __init__(self) -> None:
        # Pickle reads back only what this very process wrote: the file has no name that others could open.
        self._file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 -- lives as long as its owner
        self._places: dict[int, int] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def put(self, number: int, item: Item) -> None:
        """Keep an item."""
        self._places[number] = self._file.seek(0, 2)
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)

    def get(self, number: int) -> Item:
        """The item kept under a number; raises KeyError."""
        self._file.seek(self._places[number])
        return cast(Item, pickle.load(self._file))

    def close(self) -> None:
        """Let go of the disk space."""
        self._file.close()


_REGULAR, _BOLD = Font(), Font(bold=True)


@dataclass(slots=True)
class SeenPage:
    """A recognised page. images: the content of its marks' pictures, by their key; a background is among them.

    sheet: the whole upright page, backdrop: the same without its words, None for plain paper; where asked for.
    unsure: as of `Seen`.
    """

    marks: PageMarks
    images: list[Image] = field(default_factory=list)
    sheet: Image | None = None
    backdrop: Image | None = None
    unsure: float = 0.0


def words_of(seen: Seen, a_point: float, sizes: Sizes) -> list[Word]:
    """The words in points. a_point: pixels of the upright picture a point."""
    measured = by_rows(seen.words)
    common = sizes.of([(max(s / a_point, 0.5), len(w.text)) for s, w in zip(measured, seen.words, strict=True)])
    bold = bold_words(seen.words, common)
    return [_word(word, size, a_point, b) for word, size, b in zip(seen.words, common, bold, strict=True)]


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
    if options.inks:
        marks.grounds = add_inks(seen.picture, a_point, words)
    page = SeenPage(marks, unsure=seen.unsure)
    if options.formulas:
        page.sheet = encoded(seen.picture)
    if not options.images:
        return page
    figures = Figures(seen.picture, a_point, boxes, marks.rules)
    if options.looks and options.backgrounds:
        page.backdrop = figures.backdrop()
        return page
    places = figures.boxes()
    behind = figures.background(places, marks.grounds) if background and options.backgrounds and words else None
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
    if lying < 2 or (lying == len(rules) and lying < PRINT.some):
        return []
    ruled = hull(Box(rule.x1, rule.y1, rule.x2, rule.y2) for rule in rules)
    low, high = DASHES.height
    found = []
    for dash in dashes:
        x, y = dash.center
        row = [w for w in words if w.angle == 0 and w.baseline - high * w.size < y < w.baseline - low * w.size]
        if not row or not ruled.holds(x, y):
            continue
        near = min(row, key=lambda w: abs(w.left - x))
        clear = dash.grown(PRINT.half * near.size)
        others = [box for box in (*dashes, *(w.box for w in row)) if box != dash]
        if dash.width < PRINT.most * near.size and not any(clear.overlap(box) > 0 for box in others):
            top, bottom = near.baseline - MARKS.ascent * near.size, near.baseline + MARKS.descent * near.size
            found.append(Word("-", dash.left, top, dash.right, bottom, near.baseline, near.size, _REGULAR))
    return found


def _word(word: SeenWord, size: float, a_point: float, bold: bool) -> Word:
    box = Box(*(value / a_point for value in word.box))
    baseline = word.baseline / a_point
    top, bottom = box.top, box.bottom
    if word.angle == 0:  # layout expects the line's height, not the ink's: the usual shares of the size
        top, bottom = baseline - MARKS.ascent * size, baseline + MARKS.descent * size
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
    return max(weights, key=lambda size: weights[size], default=DASHES.usual_size)


def seen_layout(page: SeenPage, layout: PageLayout, options: Options) -> Page:
    """A recognised page as a page of the model, its pictures filled in."""
    marks = page.marks
    placed = layout.blocks(marks) if options.layout else plain_blocks(marks, layout.norms.hyphens)
    blocks = []
    for item in placed:
        block = in_one_size(item.block)
        if item.picture is not None:
            if options.looks and options.backgrounds:  # the backdrop has it
                continue
            block = replace(block, image=page.images[item.picture])
        elif block.kind == "formula" and options.formulas and page.sheet is not None:
            a_point = page.sheet.width / marks.width
            block = replace(block, image=cut_from(page.sheet, block.quad.box.grown(3.0), a_point))
        blocks.append(block)
    ledger.account(marks, blocks)
    return Page(
        *(marks.number, marks.width, marks.height, marks.angle, tuple(blocks)),
        backdrop=page.backdrop,
        words=placed_words(marks) if options.words else (),
        recognised=True,
        unsure=page.unsure,
    )
