"""Characters to words: what PDFium's text page holds, as `Word` records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from paperchute.engine.reading.layout.marks import MARKS, Font, Ink, Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.accents import with_accents
from paperchute.engine.reading.pdf.calls import Addresses, Floats, Integers, larger, smaller
from paperchute.engine.reading.pdf.large_signs import is_of_large_signs
from paperchute.engine.reading.pdf.leftward import as_read, is_leftward, is_plain_figure
from paperchute.engine.reading.pdf.looks import Look, Looks
from paperchute.engine.reading.pdf.page_glyphs import Meanings
from paperchute.engine.reading.pdf.spelling import UNREADABLE, placed, printed
from paperchute.engine.reading.pdf.styles import Fonts, text_color
from paperchute.engine.reading.pdf.unmapped import Spans, with_meanings
from paperchute.engine.reading.pdf.unsaid_spaces import unsaid_spaces
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.reading.pdf.visible import VISIBLE
from paperchute.engine.reading.pdf.word_places import merged, torn, words_in


@dataclass(frozen=True, slots=True)
class CharSettings:
    """How characters make words. Distances are shares of the font size."""

    most: int = 400_000
    """Characters read of one page; a dense printed page has some 10,000. 0.8 to 1.2 times it reads 36 sample pages the
    same."""

    slanted: float = 20.0
    """Degrees off a right angle: heads of narrow columns, and no page that lies askew."""


CHARS = CharSettings()

Truths = npt.NDArray[np.bool_]


class _Run(NamedTuple):
    """What all characters of one text object share. `size` in points as printed, `angle` clockwise on the view."""

    font: Font
    size: float
    angle: int
    slanted: bool = False


class _Runs(NamedTuple):
    """The different runs, their sizes and angles once more, and the number of the run of each text object."""

    runs: list[_Run]
    sizes: Floats
    angles: Integers
    of: Integers


class PageText:
    """The characters of a page: read once, given as words for any view of the page.

    tagged: with their marks; inks: with their colours. glyphs: what the page's fonts say of their glyphs, where that
    is wanted.

    PDFium is asked about few of the characters: those at the ends of words and, where these are of different text
    objects (ISO 32000-1, 9.4), all of that word. Text objects are counted from 1; 0 stands for none.
    """

    def __init__(
        self,
        textpage: pdfium.PdfTextPage,
        fonts: Fonts,
        tagged: bool = False,
        inks: bool = False,
        glyphs: Callable[[], Meanings] = dict,
    ) -> None:
        self._textpage = textpage  # kept, as only its handle is used from here on
        self._page = calls.handle_of(textpage)
        self._fonts = fonts
        self.outside = 0
        count = min(max(pdfium_c.FPDFText_CountChars(textpage), 0), CHARS.most)
        text = calls.text(self._page, count)
        self._text = ""
        self._starts = self._ends = np.zeros(0, dtype=np.int64)
        self._leftward = False
        self._places: Integers | None = None
        """Of each character of the text its place on the page, where these differ."""
        self._take(text)
        items = self._look_at_objects()
        meant = with_meanings(self._page, text, self._fonts_of_spans(), fonts, glyphs)
        if meant is not None:
            text = meant.text
        mended = (as_read if is_leftward(text) else with_accents)(self._page, text)
        if mended is not None:
            text, kept = mended
            self._places = np.array(kept, dtype=np.int64)
        if self._take(text) or mended is not None:
            items = self._look_at_objects()
        self._spelled = meant.spelled if meant is not None else {}
        self.objects = frozenset(items)  # the addresses of those that have words
        self._pale = calls.are_pale(self._handles, VISIBLE.contrast)
        self.pale: list[tuple[Word, bool]] = []
        """Of the words given last those that may not be seen, and whether they have no ink at all."""
        self._meant = frozenset(meant.places if meant is not None else ())
        # Of each text object, as far as they were asked for:
        self._marks = [-1, *calls.content_ids(self._handles)] if tagged else []
        self._colors = ["", *map(text_color, items, self._looks.modes[1:].tolist())] if inks else []

    def _take(self, text: str) -> bool:
        """Find the words of a text; whether they stand elsewhere than those of the one before."""
        if text == self._text:
            return False
        leftward, starts, ends = self._leftward, self._starts, self._ends
        self._text = placed(text)
        self._leftward = is_leftward(text)
        self._starts, self._ends = words_in(self._text)
        same = np.array_equal(starts, self._starts) and np.array_equal(ends, self._ends)
        return leftward != self._leftward or not same

    def _look_at_objects(self) -> list[int]:
        """Find the text objects of the words, and how these look; give the objects' addresses."""
        places, objects = self._text_objects()
        self._begins = merged(self._starts, self._changes)
        """Where words begin, and text objects."""
        known, firsts, numbers = np.unique(objects, return_index=True, return_inverse=True)
        without = int(len(known) > 0 and known[0] == 0)  # the characters that PDFium made up come first
        items: list[int] = known[without:].tolist()
        self._firsts: list[int] = places[firsts[without:]].tolist()
        self._objects = np.zeros(len(self._text), dtype=np.int64)
        """The text object of each character that begins a word, or inside a word another text object."""
        self._objects[places] = numbers + (1 - without)
        firsts_at, self._handles = self._at(self._firsts), calls.handles(items)
        self._looks = Looks.of(
            *calls.fonts(self._handles), calls.font_sizes(self._page, firsts_at), calls.matrices(self._page, firsts_at)
        )
        return items

    def _at(self, indices: list[int]) -> list[int]:
        """The places on the page of characters of the text."""
        return indices if self._places is None else self._places[indices].tolist()

    def _fonts_of_spans(self) -> Spans:
        """Return where text objects begin, and their fonts."""
        fonts, numbers = np.unique(self._looks.fonts, return_inverse=True)
        names = [self._fonts.of(font, 0).name for font in fonts.tolist()]
        return Spans(self._begins, numbers[self._objects[self._begins]], names)

    def unreadable(self) -> float:
        """The share of characters, from 0 to 1, for which their font gives no Unicode value, or that PDFium may drop.

        The first one of a text object speaks for all of it, which asks PDFium a fifth as often.
        """
        firsts = self._at(self._firsts)
        lost = calls.unmapped(self._page, firsts)
        bad = [False, *lost]
        if self._meant:
            bad[1:] = (bad and place not in self._meant for place, bad in zip(firsts, lost, strict=True))
        crowded = self._crowded()
        if crowded:
            fonts = self._looks.fonts.tolist()
            bad[1:] = (bad or font in crowded for bad, font in zip(bad[1:], fonts[1:], strict=True))
        if not any(bad) and UNREADABLE not in self._text:
            return 0.0
        starts = self._begins.tolist()
        unread = total = 0
        for start, end in itertools.pairwise([*starts, len(self._text)]):
            part = self._text[start:end]
            length = sum(map(len, part.split()))
            total += length
            unread += length if bad[self._objects[start]] else part.count(UNREADABLE)
        return unread / total if total else 0.0

    def _crowded(self) -> set[int]:
        """The fonts, by their first words, whose characters stand so close that PDFium may take some for shadows."""
        found: set[int] = set()
        words = (self._ends - self._starts > 1).nonzero()[0]
        starts, ends = self._starts[words].tolist(), self._ends[words].tolist()
        fonts = self._looks.fonts[self._objects[self._starts[words]]].tolist()
        firsts = dict(zip(reversed(fonts), zip(reversed(starts), reversed(ends), strict=True), strict=True))
        spans = [range(start, end) for start, end in firsts.values() if self._objects[start]]
        places = iter(calls.origins(self._page, self._at([place for span in spans for place in span])).tolist())
        looks = self._looks.looks([int(self._objects[span.start]) for span in spans])
        for span, (font, _, size, (a, b, *_)) in zip(spans, looks, strict=True):
            own = list(itertools.islice(places, len(span)))
            # The letters of a ligature stand in one place.
            steps = sorted(step for here, then in itertools.pairwise(own) if (step := math.dist(here, then)) > 0.0)
            # PDFium takes the same character again within 0.07 for its shadow, and reads 1000 as 100.
            if steps and steps[len(steps) // 2] < TYPOGRAPHY.tenth * abs(size) * math.hypot(a, b):
                found.add(font)
        return found

    def words(self, view: View) -> list[Word]:
        """The words in the order of the page's content, where they stand on `view`.

        Those outside it are left out; `outside` says how many.
        """
        runs = self._runs(view)
        boxes = self._boxes(view)
        if self._with_leaps(boxes):
            boxes = self._boxes(view)
        starts, ends, glued = self._pieces(boxes, runs)
        first, last = boxes[:, starts], boxes[:, ends - 1]
        left, top = smaller(first[:2], last[:2])
        right, bottom = larger(first[2:], last[2:])
        x, y = (left + right) / 2, (top + bottom) / 2
        # Else it is off the page, or its place is no number at all.
        inside = (x >= 0.0) & (x <= view.width) & (y >= 0.0) & (y <= view.height)
        # A word that runs over the edge is read where a part of it can be seen, and stands as far as the page goes.
        reach = TYPOGRAPHY.half * np.minimum(bottom - top, right - left)
        seen = (np.minimum(right, view.width) - np.maximum(left, 0.0) >= reach) & (
            np.minimum(bottom, view.height) - np.maximum(top, 0.0) >= reach
        )
        cut = seen & ~inside
        if cut.any():
            left[cut], right[cut] = np.maximum(left[cut], 0.0), np.minimum(right[cut], view.width)
            inside |= cut
        self.outside = int(np.count_nonzero(~inside & ~glued))
        if not inside.all():
            starts, ends, glued = starts[inside], ends[inside], glued[inside]
            left, top, right, bottom = left[inside], top[inside], right[inside], bottom[inside]
        objects = self._objects[starts]
        numbers = runs.of[objects]
        sizes, angles = runs.sizes[numbers], runs.angles[numbers]
        sizes = np.where(sizes > 0.0, sizes, np.maximum(bottom - top, 1.0))
        upright = angles == 0
        # A font that writes vertically (ISO 32000-1, 9.7.4.3):
        down, aside = last[1] - first[1], np.abs(last[0] - first[0])
        stacked = upright & (down[inside] > TYPOGRAPHY.half * sizes) & (aside < down)[inside]
        # The font's own extent may be far off (formula fonts): upright words take the usual share of the size.
        origins = calls.origins(self._page, self._at(starts.tolist())).T
        lying = upright & ~stacked
        baselines = np.where(lying, view.matrix.b * origins[0] + view.matrix.d * origins[1] + view.matrix.f, bottom)
        hung = np.array([run.font.math and is_of_large_signs(run.font.name) for run in runs.runs])[numbers] & lying
        if hung.any():  # its signs hang below their origin, with their middle where a minus stands
            left_, right_, bottom_, top_ = calls.ink_boxes(self._page, self._at(starts[hung].tolist())).T
            middle = view.matrix.b * (left_ + right_) / 2 + view.matrix.d * (bottom_ + top_) / 2 + view.matrix.f
            baselines[hung] = middle + TYPOGRAPHY.same_baseline * sizes[hung]
        top = np.where(lying, baselines - MARKS.ascent * sizes, top)
        bottom = np.where(lying, baselines + MARKS.descent * sizes, bottom)
        if any(run.slanted for run in runs.runs):
            slanted = np.array([run.slanted for run in runs.runs])[numbers] & lying
            right = np.where(slanted, np.minimum(right, left + sizes), right)  # such a head stands over where it begins
        words = list(
            map(
                Word,
                self._parts(starts.tolist(), ends.tolist()),
                *(row.tolist() for row in (left, top, right, bottom, baselines, sizes)),
                [runs.runs[number].font for number in numbers.tolist()],
                glued.tolist(),
                angles.tolist(),
            )
        )
        for n in stacked.nonzero()[0]:
            words[n].angle, words[n].stacked = 90, True
        self.pale = []
        bare = self._looks.modes == pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE
        if any(self._pale) or bare.any():
            pale = [False, *self._pale], bare.tolist()
            self.pale = [
                (word, pale[1][item])
                for word, item in zip(words, objects.tolist(), strict=True)
                if pale[0][item] or pale[1][item]
            ]
        if self._marks:
            for word, item in zip(words, objects.tolist(), strict=True):
                word.mark = self._marks[item]
        if self._colors:
            for word, item in zip(words, objects.tolist(), strict=True):
                word.ink = Ink(self._colors[item]) if self._colors[item] else None
        return words

    def _text_objects(self) -> tuple[Integers, Addresses]:
        """The places where words begin, or text objects change inside them, and the addresses of the text objects.

        Characters that PDFium made up count to the text object before them.
        """
        starts = self._starts
        begins = self._objects_at(starts)
        # Text objects follow one another, so where two words begin in the same one all of the first is in it, and else
        # both ends of a word tell for all of it; but text of both directions comes in the order of reading.
        asked = np.ones(len(starts), dtype=bool)
        if not self._leftward:
            asked[:-1] = (begins[1:] != begins[:-1]) | (begins[:-1] == 0)
            numbers = asked.nonzero()[0]
            asked[numbers] = self._objects_at(self._ends[numbers] - 1) != begins[numbers]
        # Of each character its text object, 0 where none was asked for or PDFium has none.
        objects = np.zeros(len(self._text), dtype=np.uint64)
        is_start = np.zeros(len(self._text), dtype=bool)
        is_start[starts] = True
        steps = np.zeros(len(self._text) + 1, dtype=np.int64)
        steps[starts[asked]] += 1
        steps[self._ends[asked]] -= 1
        inside = (steps[:-1].cumsum() > 0) & ~is_start
        objects[inside] = self._objects_at(inside.nonzero()[0])
        objects[starts] = begins
        told = (is_start | (objects != 0)).nonzero()[0]
        changed = ~is_start[told]
        changed[1:] &= objects[told[1:]] != objects[told[:-1]]
        self._changes = told[changed]
        places = np.concatenate([starts, self._changes])
        return places, objects[places]

    def _objects_at(self, places: Integers) -> Addresses:
        """The addresses of the text objects of characters; 0 for those that PDFium made up."""
        return calls.text_objects(self._page, self._at(places.tolist()))

    def _runs(self, view: View) -> _Runs:
        """The runs of the text objects; the first one also stands for no text object."""
        runs = {_Run(Font(), 0.0, 0): 0}
        numbers = [0]
        known: dict[Look, int] = {}
        a, b, c, d = view.matrix[:4]
        begins = self._looks.begins()
        for look in self._looks.looks(begins):
            number = known.get(look)
            if number is None:
                font, mode, size, matrix = look
                x, y = a * matrix[0] + c * matrix[1], b * matrix[0] + d * matrix[1]
                turned = math.degrees(math.atan2(y * size, x * size)) if math.isfinite((x + y) * size) else 0.0
                angle, size = round(turned / 90) * 90, abs(size) * math.hypot(matrix[2], matrix[3])
                size = round(size, 2) if math.isfinite(size) else 0.0
                run = _Run(self._fonts.of(font, mode), size, angle % 360, abs(turned - angle) > CHARS.slanted)
                number = known[look] = runs.setdefault(run, len(runs))
            numbers.append(number)
        sizes, angles = np.array([run.size for run in runs]), np.array([run.angle for run in runs])
        return _Runs(list(runs), sizes, angles, np.repeat(numbers, np.diff([0, *begins, len(self._looks.fonts)])))

    def _boxes(self, view: View) -> Floats:
        """Rows of left, top, right, bottom on the view, which only turns by right angles.

        Of all characters where a piece of a word may begin or end.
        """
        wanted = np.zeros(len(self._text), dtype=bool)
        for places in (self._starts, self._ends - 1, self._changes, self._changes - 1):
            wanted[places] = True
        asked = wanted.nonzero()[0]
        left, top, right, bottom = calls.loose_boxes(self._page, self._at(asked.tolist())).T
        a, b, c, d, e, f = view.matrix
        boxes = np.zeros((4, len(self._text)))
        if b == 0 and a > 0:
            boxes[:, asked] = left + e, f - top, right + e, f - bottom
        else:
            x, y = a * left + c * top + e, b * left + d * top + f
            x2, y2 = a * right + c * bottom + e, b * right + d * bottom + f
            boxes[:, asked] = smaller(x, x2), smaller(y, y2), larger(x, x2), larger(y, y2)
        return boxes

    def _with_leaps(self, boxes: Floats) -> bool:
        """Tell if there are words that end left of where they begin: then their characters count as places to begin at.

        TeX goes back to the margin to set a formula's number, and a table that is read to the left to its next figure.
        """
        back = boxes[2, self._ends - 1] < boxes[0, self._starts]
        if self._leftward:
            ends = zip(self._starts.tolist(), self._ends.tolist(), strict=True)
            back &= np.array([is_plain_figure(self._text[start:end]) for start, end in ends], dtype=bool)
        if not back.any():
            return False
        spans = [range(s + 1, e) for s, e in zip(self._starts[back].tolist(), self._ends[back].tolist(), strict=True)]
        inner = {place for span in spans for place in span}.difference(self._changes.tolist())
        if not inner:
            return False
        fresh = np.array(sorted(inner), dtype=np.int64)
        self._objects[fresh] = self._objects[self._begins[self._begins.searchsorted(fresh, "right") - 1]]
        self._changes, self._begins = merged(self._changes, fresh), merged(self._begins, fresh)
        return True

    def _pieces(self, boxes: Floats, runs: _Runs) -> tuple[Integers, Integers, Truths]:
        """Words, in pieces where their style, their line, their marked content or their colour changes.

        Where the pieces start, where they end, and whether no space parts them from the piece before.
        """
        starts, ends, changes = self._starts, self._ends, self._changes
        before = self._begins[self._begins.searchsorted(changes) - 1]
        last, here = self._objects[before], self._objects[changes]
        run = runs.of[here]
        sizes, angles = runs.sizes[run], runs.angles[run]
        jumps = _jumps(boxes[:, changes - 1], boxes[:, changes], sizes, angles)
        if not self._leftward:
            jumps |= unsaid_spaces(self._text, changes, boxes, sizes, angles, self._loose_boxes)
        styles = runs.of[last] != run
        for told in (self._marks, self._colors):
            if told:
                by_object = np.array(told)
                styles |= by_object[last] != by_object[here]
        cuts = changes[jumps | styles]
        starts, glued = merged(starts, cuts), np.zeros(len(self._text), dtype=bool)
        glued[changes[styles & ~jumps]] = True
        ends = merged(ends, cuts)
        return starts, ends, glued[starts] | self._torn(boxes, runs, starts, ends)

    def _torn(self, boxes: Floats, runs: _Runs, starts: Integers, ends: Integers) -> Truths:
        run = runs.of[self._objects[starts]]
        along = (runs.angles[run] == 0) & (not self._leftward)
        return torn(self._text, starts, ends, boxes, np.where(along, run, -1), runs.sizes[run])

    def _loose_boxes(self, places: list[int]) -> Floats:
        return calls.loose_boxes(self._page, self._at(places))

    def _parts(self, starts: list[int], ends: list[int]) -> list[str]:
        """Parts of the text as it is to be written."""
        parts = [self._text[start:end] for start, end in zip(starts, ends, strict=True)]
        if self._spelled:
            parts = [part.translate(self._spelled) for part in parts]
        return printed(parts, self._text)


def _jumps(before: Floats, here: Floats, sizes: Floats, angles: Integers) -> Truths:
    """Return whether characters of these sizes and angles do not stand right after those before them; boxes as rows."""
    reach = np.maximum(sizes, 1.0)
    lying = angles % 180 == 0
    off = np.where(lying, np.abs(here[3] - before[3]), np.abs(here[0] - before[0])) > TYPOGRAPHY.nearly_all * reach
    apart = larger(here[0] - before[2], before[0] - here[2]) > TYPOGRAPHY.wide_space * reach
    jumps: Truths = off | (lying & apart)
    return jumps
