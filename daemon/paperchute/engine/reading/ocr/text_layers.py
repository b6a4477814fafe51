"""Pages for PDFs with a text layer: what is recognised, and the lines to lay over the ink."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pypdfium2 as pdfium

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Quad
from paperchute.engine.document.model import Block, Line, Page
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.pdf.textlayer.content import Colour, LayerWord, PageLayer, Passage
from paperchute.engine.reading.layout.lines import segments
from paperchute.engine.reading.layout.marks import MARKS, Word
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.reading.ocr.colours import colours_of
from paperchute.engine.reading.ocr.insets import text_pictures
from paperchute.engine.reading.ocr.marks import SeenPage, Spool, page_of, seen_layout, words_of
from paperchute.engine.reading.ocr.options import OcrOptions
from paperchute.engine.reading.ocr.pdf_pages import DrawnPage, beside, draw_and_see, moved
from paperchute.engine.reading.ocr.recognised import Seen, SeenWord
from paperchute.engine.reading.ocr.recognition import is_figure
from paperchute.engine.reading.ocr.scope import facts_of, is_wanted, is_whole
from paperchute.engine.reading.ocr.styles import Sizes
from paperchute.engine.reading.pdf.document import opened_page
from paperchute.engine.reading.pdf.reader import Options, read_marks
from paperchute.engine.reading.pdf.styles import Fonts
from paperchute.engine.reading.pdf.view import Matrix, View

_TAGS = {"footnote": "Note", "formula": "Formula", "code": "Code"}
_SOFT_HYPHEN = "\u00ad"
_BLACK: Colour = (0.0, 0.0, 0.0)
_WHITE: Colour = (1.0, 1.0, 1.0)


@dataclass(slots=True)
class ReadPage:
    """A recognised page between the two passes.

    words: those to be laid in; page: of a page that was taken from its picture altogether, None where it has text of
    its own; to_user: see PageLayer; colours: of ink and paper by a word's place in `words`, where they are needed;
    silence: the page's own text is not readable; lifts: by how many points a word, by its place in `words`, lies
    further right and down on a sheet that is bent, empty for a flat one; turn, skew: by how many degrees clockwise the
    page has to be turned to stand upright, and then counterclockwise to lie straight, 0 for a bent one; upright, lying:
    how many letters of words that were surely read stand and lie on the page so turned; figures may be read both ways.
    """

    words: list[Word]
    page: SeenPage | None
    to_user: Matrix
    colours: list[tuple[Colour, Colour]] = field(default_factory=list)
    silence: bool = False
    lifts: list[tuple[float, float]] = field(default_factory=list)
    turn: int = 0
    skew: float = 0.0
    upright: int = 0
    lying: int = 0


def is_surely_read(word: SeenWord) -> bool:
    """Decide whether a word, of two letters or digits at least, has surely been read."""
    return word.confidence >= PRINT.nearly and sum(map(str.isalnum, word.text)) > 1


def to_user(page: pdfium.PdfPage, drawn: DrawnPage) -> Matrix:
    """From points of the upright picture (y downwards) to the user space of a PDF page."""
    back, s = drawn.seen.back, drawn.a_point / drawn.scale
    on_view = Matrix(
        back[0, 0] * s,
        back[1, 0] * s,
        back[0, 1] * s,
        back[1, 1] * s,
        back[0, 2] / drawn.scale,
        back[1, 2] / drawn.scale,
    )
    return Matrix(*map(float, View.of(page, drawn.turn).matrix.inverse().after(on_view)))


def _lifts(seen: Seen, a_point: float, words: Sequence[Word]) -> list[tuple[float, float]]:
    if seen.bend is None:
        return []
    middles = np.array([word.box.center for word in words]).reshape(-1, 2)
    return [(right, down) for right, down in (seen.bend.lifts(middles * a_point) / a_point).tolist()]


def layer_of(read: ReadPage, laid: Page | None, *, flow: bool, formulas: bool) -> PageLayer:
    """The layer of a page. laid: the page through layout, None for lines from top to bottom.

    flow: a hyphen that divides a word at a line's end is a soft one, so that the word is found. formulas: displayed
    formulas are pictures and get no text.
    """
    layer = PageLayer(read.to_user)
    finder = _Finder(read)
    passages: list[Passage] = []
    for number, block in enumerate(laid.blocks if laid is not None else ()):
        if formulas and block.kind == "formula":
            finder.drop(block.lines)
        for tag, path, lines in _parts(block, number):
            words = [word for line in lines for word in finder.line(line, flow)]
            if words:
                passages.append(Passage(tag, words, path))
        if block.image is not None and not block.background:
            layer.pictures.append((block.quad.box, block.image))
    layer.passages = passages + [Passage("P", line) for line in finder.rest()]
    return layer


def _parts(block: Block, number: int) -> Iterator[tuple[str, tuple[tuple[str, int], ...], Sequence[Line]]]:
    """Structure type, elements around and lines of each piece of a block."""
    if block.kind == "list":
        for place, item in enumerate(block.items):
            lines = list(item.lines)
            if lines:  # the marker is no part of the item's lines, but stands before the first
                first, box = lines[0], lines[0].quad.box
                lines[0] = replace(first, quad=Quad.of(box._replace(left=min(box.left, item.quad.box.left))))
            yield "LBody", (("L", number), ("LI", place)), lines
    elif block.table is not None:
        for cell in block.table.cells:
            yield "TH" if cell.header else "TD", (("Table", number), ("TR", cell.row)), cell.lines
    elif block.lines:
        tag = f"H{min(block.level, 6)}" if block.level else _TAGS.get(block.kind, "P")
        yield tag, (), block.lines


class _Finder:
    """Finds the words of a line by their place, each once."""

    def __init__(self, read: ReadPage) -> None:
        self._read = read
        self._rows: dict[int, list[int]] = {}
        for number, word in enumerate(read.words):
            self._rows.setdefault(int(word.box.center[1] // PRINT.strip), []).append(number)
        self._left = set(range(len(read.words)))

    def line(self, line: Line, flow: bool) -> list[LayerWord]:
        """A line's words from left to right (or as it is read); with `flow`, dividing hyphens softened."""
        found = self._take(line)
        words = self._layer_words(found)
        if words and line.ends in ("soft", "hard"):
            words[-1] = replace(words[-1], gap=PRINT.quarter * words[-1].size)
        if flow and line.ends == "hyphen" and words and words[-1].text.endswith("-"):
            last = words[-1]
            words[-1] = replace(last, text=last.text[:-1] + _SOFT_HYPHEN)
        return words

    def drop(self, lines: Sequence[Line]) -> None:
        """Words that get no layer."""
        for line in lines:
            self._take(line)

    def rest(self) -> list[list[LayerWord]]:
        """Return what no line took, line by line from top to bottom."""
        words = self._read.words
        groups: list[list[int]] = []
        for number in sorted(self._left, key=lambda n: (round(words[n].baseline), words[n].left)):
            last = groups[-1][-1] if groups else None
            if (
                last is not None
                and abs(words[last].baseline - words[number].baseline) < PRINT.less * words[number].size
            ):
                groups[-1].append(number)
            else:
                groups.append([number])
        self._left.clear()
        return [self._layer_words(sorted(group, key=lambda n: words[n].left)) for group in groups]

    def _take(self, line: Line) -> list[int]:
        box = line.quad.box
        found = []
        for row in range(int(box.top // PRINT.strip), int(box.bottom // PRINT.strip) + 1):
            for number in self._rows.get(row, ()):
                x, y = self._read.words[number].box.center
                if number in self._left and box.holds(x, y, 0.5):
                    found.append(number)
        self._left -= set(found)
        words = self._read.words
        if found and words[found[0]].angle != 0:
            return sorted(found)
        rtl = sum(is_rtl(words[n].text) for n in found) * 2 > len(found)
        return sorted(found, key=lambda n: -words[n].left if rtl else words[n].left)

    def _layer_words(self, numbers: Sequence[int]) -> list[LayerWord]:
        words = [self._read.words[n] for n in numbers]
        result = []
        for place, (number, word) in enumerate(zip(numbers, words, strict=True)):
            follows = words[place + 1] if place + 1 < len(words) else None
            gap = 0.0
            if follows is not None and not follows.glued and word.angle == follows.angle == 0:
                gap = max(follows.left - word.right, 0.0)
            ink, paper = self._read.colours[number] if self._read.colours else (_BLACK, _WHITE)
            text = word.text[::-1] if is_rtl(word.text) else word.text  # content shows it as it looks
            placed = moved(word, *self._read.lifts[number]) if self._read.lifts else word
            x, y, length = _start(placed)
            result.append(
                LayerWord(text, x, y, length, word.size, gap, placed.box, word.angle, word.font.bold, ink, paper)
            )
        return result


def _start(word: Word) -> tuple[float, float, float]:
    """Return where a word begins on its baseline, and how long it is."""
    across = word.right - word.left
    if word.angle == 90:
        return word.left + MARKS.descent * across, word.top, word.bottom - word.top
    if word.angle == 270:
        return word.right - MARKS.descent * across, word.bottom, word.bottom - word.top
    return word.left, word.baseline, max(word.right - word.left, 0.1)


def _unit(colour: Iterable[float]) -> Colour:
    red, green, blue = (float(value) / 255 for value in colour)
    return red, green, blue


def _unsure(words: Sequence[Word]) -> float:
    """Give the share of recognised words, by their width, that were not read surely: of a page with text of its own.

    What else is on such a page is a photo, an icon or a rule, and text that the page itself states.
    """
    hard = sum(word.box.width for word in words if word.confidence < PRINT.most)
    share = hard / sum(word.box.width for word in words) if hard else 0.0
    is_doubted = any(is_figure(word.text) and word.confidence < 1 - PRINT.quarter for word in words)
    return max(share, PRINT.few) if is_doubted else share


class EditableReader:
    """First `read` for every page wanted, then `page` and `laid`.

    scans: indices of pages found to be scans; unsure: by number, `Page.unsure` of those that were recognised. colours:
    take down the colours of ink and paper.
    """

    def __init__(self, document: pdfium.PdfDocument, ocr: OcrOptions, options: Options, *, colours: bool) -> None:
        self._document = document
        self._ocr = ocr
        self._options = options
        self._colours = colours
        self._fonts = Fonts()
        self._sizes = Sizes()
        self._survey = Survey()
        self._spool: Spool[ReadPage] = Spool()
        self._layout: PageLayout | None = None
        self.scans: set[int] = set()
        self.unsure: dict[int, float] = {}

    @property
    def recognises(self) -> str:
        """The code of the language that was asked for."""
        return self._ocr.language

    @property
    def language(self) -> str:
        """What the words of whole pages show to be their language, empty where they show none."""
        return self._survey.languages.result()

    def read(self, index: int) -> None:
        """Recognise page `index`, if the scope has it. Raises Refused: 02207 damaged, 190005."""
        with opened_page(self._document, index) as page:
            self._read(page, index)

    def page(self, index: int) -> ReadPage | None:
        """Return what was recognised on a page, None for pages out of the scope."""
        return self._spool.get(index) if index in self._spool else None

    def laid(self, index: int) -> Page | None:
        """A page through layout, None where there is none: it was not wanted, or the page has text of its own."""
        read = self.page(index)
        if read is None or read.page is None or not self._options.layout:
            return None
        if self._layout is None:
            self._layout = PageLayout(self._survey.norms())
        return seen_layout(read.page, self._layout, self._options)

    def _read(self, page: pdfium.PdfPage, index: int) -> None:
        marks, objects = read_marks(self._document, page, index, self._fonts)
        facts = facts_of(page, marks, objects)
        if not is_wanted(self._ocr, facts):
            return
        whole = is_whole(facts, marks)
        drawn = draw_and_see(
            page, index, self._ocr.language, facts.dpi, turn=0 if whole else marks.angle, straighten=whole
        )
        seen = drawn.seen
        if whole:
            found = page_of(seen, index + 1, drawn.a_point, self._sizes, self._options, background=False)
            upright = [word for word in found.marks.words if word.angle == 0]
            self._survey.add(index + 1, found.marks.height, segments(upright))
            words = found.marks.words
            self.unsure[index + 1] = seen.unsure
        else:
            found = None
            words = beside(facts.kept, words_of(seen, drawn.a_point, self._sizes)) if seen.turn == 0 else []
            is_missed = any(
                not any(box.holds(*word.box.center) for word in words) for box, _grey in text_pictures(page, marks)
            )
            self.unsure[index + 1] = seen.unsure if is_missed else _unsure(words)
        if facts.scanned:
            self.scans.add(index)
        colours = []
        if self._colours:
            seen_colours = colours_of(seen.picture, drawn.a_point, words)
            colours = [(_unit(ink), _unit(ground)) for ink, ground in seen_colours]
        silence = whole and not facts.scanned
        lifts = _lifts(seen, drawn.a_point, words)
        skew = seen.skew if whole and seen.bend is None else 0.0
        standing, lying = (
            sum(sum(map(str.isalpha, w.text)) for w in seen.words if (w.angle == 0) == stands and is_surely_read(w))
            for stands in (True, False)
        )
        turn = seen.turn if whole else 0
        read = ReadPage(words, found, to_user(page, drawn), colours, silence, lifts, turn, skew, standing, lying)
        self._spool.put(index, read)
