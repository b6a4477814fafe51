"""Paragraphs, tables and pictures to blocks of the model, and which of them go on from a column or page before."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import Literal

from paperchute.engine.document.flow import may_go_on
from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import FURNITURE, Block, BlockKind, Cell, Line, ListItem, Span, Style, Table
from paperchute.engine.reading.layout.backgrounds import is_background
from paperchute.engine.reading.layout.colours import by_rows, shade
from paperchute.engine.reading.layout.directions import turned_lines
from paperchute.engine.reading.layout.hyphens import DIVIDED, Hyphens
from paperchute.engine.reading.layout.initials import lines_beside_initial
from paperchute.engine.reading.layout.lines import TextLine, around, gaps_of, rows, segments, words_text
from paperchute.engine.reading.layout.marks import Ground, PageMarks, Picture, Word
from paperchute.engine.reading.layout.numbering import section_number
from paperchute.engine.reading.layout.paragraphs import Paragraph
from paperchute.engine.reading.layout.phrases import is_continued_caption
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

_ENDS = (".", "!", "?", ":", "。", "！", "？", "：")


DRAWN = -1
"""Instead of the handle to a picture: what the page shows at its place is to be drawn."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A block, and for a picture the reader's handle to its content, or `DRAWN`. made_of: what of the page it is."""

    block: Block
    picture: int | None = None
    made_of: Sequence[TextLine | Word] | FoundTable = field(default=(), repr=False, compare=False)

    def words(self) -> Iterator[Word]:
        """Yield the words that are in it."""
        parts = self.made_of.words() if isinstance(self.made_of, FoundTable) else self.made_of
        return (word for part in parts for word in (part.words if isinstance(part, TextLine) else (part,)))


@dataclass(slots=True)
class Flow:
    """The last block of the document's flow so far."""

    _last: Block | None = None
    _page: int = 0

    def marked(self, placed: list[Placed], page: int) -> list[Placed]:
        """The blocks of the next page, those marked that go on with the one before them."""
        result = []
        for number, item in enumerate(placed):
            block = item.block
            if self._says_to_go_on(block, placed[number + 1 :], page):
                item = replace(item, block=replace(block, kind="aside_text"))
            if _is_aside(item.block):
                result.append(item)
                continue
            if self._last is not None and self._goes_on(self._last, block, page):
                item = replace(item, block=replace(block, continues=True))
            result.append(item)
            self._last, self._page = block, page
        return result

    def _says_to_go_on(self, block: Block, following: Sequence[Placed], page: int) -> bool:
        """Decide whether a block is nothing but the line over the rest of the last table, whose rows it would part."""
        if block.kind != "text" or self._last is None or self._last.table is None or len(block.lines) > 1:
            return False
        table = next((item.block for item in following if not _is_aside(item.block)), None)
        return (
            table is not None
            and table.table is not None
            and is_continued_caption(block.lines[0].text)
            and self._goes_on(self._last, table, page)
        )

    def _goes_on(self, before: Block, block: Block, page: int) -> bool:
        elsewhere = page != self._page or block.quad.box.top < before.quad.box.bottom - 1
        if not elsewhere or not may_go_on(before, block):
            return False
        return _same_grid(before, block) if block.kind == "table" else _mid_sentence(before, block)


def _is_aside(block: Block) -> bool:
    return block.kind in FURNITURE or block.kind in ("footnote", "aside_text") or block.background


def _mid_sentence(before: Block, block: Block) -> bool:
    last = before.items[-1] if before.kind == "list" else before
    end, start = last.lines[-1].text.rstrip(), block.lines[0].text.lstrip()
    return bool(end and start) and not end.endswith(_ENDS) and start[0].islower()


def _same_grid(before: Block, block: Block) -> bool:
    """Decide whether two tables have the same columns.

    Drawn as wide (perhaps shifted, in the next column of the page), with the same head printed again, or, without
    rules, beginning at the same places.
    """
    first, second = before.table, block.table
    if first is None or second is None or first.columns != second.columns:
        return False
    heads = max((cell.row + 1 for cell in second.cells if cell.header), default=0)
    if heads and _texts(first, heads) == _texts(second, heads):
        return True
    if first.bordered or second.bordered:
        return abs(before.quad.box.width - block.quad.box.width) < TYPOGRAPHY.frame
    if heads:
        return False
    lefts = zip(_lefts(first), _lefts(second), strict=True)
    return (
        sum(a is not None and b is not None and abs(a - b) < TYPOGRAPHY.frame for a, b in lefts)
        >= TYPOGRAPHY.most * first.columns
    )


def _texts(table: Table, rows: int) -> list[tuple[int, int, str]]:
    return [(c.row, c.column, " ".join(line.text for line in c.lines)) for c in table.cells if c.row < rows]


def _lefts(table: Table) -> list[float | None]:
    """Return where the text of each column begins, from the first one's; None for columns without any of their own."""
    own = [
        [line.quad.x1 for c in table.cells if c.column == n and c.column_span == 1 for line in c.lines]
        for n in range(table.columns)
    ]
    first = min((min(lefts) for lefts in own if lefts), default=0.0)
    return [min(lefts) - first if lefts else None for lefts in own]


def lines_of(
    lines: Sequence[TextLine], hyphens: Hyphens, hard: frozenset[int] = frozenset(), skip: int = 0
) -> tuple[Line, ...]:
    """Model lines. `hard`: numbers of lines whose end is meant; `skip`: words of the first line left out."""
    result = []
    for number, line in enumerate(lines):
        words = line.words[skip:] if number == 0 else line.words
        follows = lines[number + 1] if number + 1 < len(lines) else None
        ends = "hard" if number in hard else _end(line, follows, hyphens)
        box = around(words) if words and number == 0 and skip else line.box
        gaps = () if line.justified or line.rtl or len(words) < 2 else gaps_of(words, line.size)
        result.append(Line(Quad.of(box, line.words[0].angle), spans_of(words), ends, gaps))
    return tuple(result)


def spans_of(words: Sequence[Word]) -> tuple[Span, ...]:
    """Words as spans; words of one look make one span, spaces in it."""
    looks = list(map(_look_of, words))
    if looks and looks.count(looks[0]) == len(looks):  # as in nearly all lines
        return (Span(words_text(words), _style_of(words[0]), words[0].link),)
    spans: list[Span] = []
    text = ""
    look: tuple[Style, str] | None = None
    for number, word in enumerate(words):
        space = "" if number == 0 or word.glued else " "
        if number and looks[number] == looks[number - 1]:
            text += space + word.text
            continue
        now = _style_of(word), word.link
        if look == now:
            text += space + word.text
            continue
        if look is not None:
            # The space between two looks goes to the plain side, so that emphasis and code hug their words.
            before_plain = not (look[0].mono or look[1] or look[0].underline or look[0].strike or look[0].ground)
            spans.append(Span(text + (space if before_plain else ""), *look))
            space = "" if before_plain else space
        text, look = space + word.text, now
    if look is not None:
        spans.append(Span(text, *look))
    return tuple(spans)


_look_of = attrgetter("font", "size", "script", "link", "stacked", "ink")
"""All that the style of a word and its link are made of."""


def _style_of(word: Word) -> Style:
    font = word.font
    style = _style(font.bold, font.italic, font.mono, word.size, font.name, word.script, word.stacked)
    return style if word.ink is None else replace(style, **word.ink._asdict())


@lru_cache(maxsize=1_000)  # more than a document has
def _style(
    bold: bool, italic: bool, mono: bool, size: float, font: str, script: Literal["", "super", "sub"], stacked: bool
) -> Style:
    """The style of words, one for all that look the same."""
    return Style(bold, italic, mono, size, font, script, stacked=stacked)


def list_item(paragraph: Paragraph, level: int, hyphens: Hyphens) -> ListItem:
    """A paragraph with a marker as a list item."""
    marker = paragraph.marker
    assert marker is not None
    box = around(paragraph.lines)
    lines = lines_of(paragraph.lines, hyphens, frozenset(paragraph.hard), skip=marker.words)
    return ListItem(level, marker.text, marker.ordered, Quad.of(box), lines)


def table_block(found: FoundTable, hyphens: Hyphens, grounds: Sequence[Ground] = ()) -> Block:
    """A found table as a block, its cells in the colours of the areas behind them."""
    cells = []
    areas = by_rows(grounds)
    for cell in found.cells:
        behind = shade(cell.box, areas)
        lines = cell.lines()
        hard = frozenset(range(len(lines) - 1)) if found.lined else frozenset[int]()
        cells.append(
            Cell(
                row=cell.row,
                column=cell.column,
                quad=Quad.of(cell.box),
                lines=_on(behind, lines_of(lines, hyphens, hard)),
                row_span=cell.row_span,
                column_span=cell.column_span,
                header=cell.row < found.heads,
                shade=behind,
            )
        )
    table = Table(found.rows, found.columns, tuple(cells), found.bordered)
    confidence = found.confidence * certainty([word for cell in found.cells for word in cell.words])
    return Block("table", Quad.of(found.box), table=table, confidence=confidence)


def _on(behind: str, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """A cell's lines, whose words need not say that they stand on its own colour."""
    if not behind:
        return lines
    return tuple(
        replace(
            line,
            spans=tuple(
                replace(span, style=replace(span.style, ground="")) if span.style.ground == behind else span
                for span in line.spans
            ),
        )
        for line in lines
    )


def with_whole_headings(placed: Sequence[Placed]) -> list[Placed]:
    """Headings whose lines came apart, because only the first of them reaches over all columns, made one again."""
    result: list[Placed] = []
    for item in placed:
        if result and _is_next_line(result[-1].block, item.block):
            made_of = (*result[-1].words(), *item.words())
            above = result.pop().block
            lines = (*above.lines, *item.block.lines)
            quad = Quad.of(hull([above.quad.box, item.block.quad.box]), item.block.quad.angle)
            confidence = min(above.confidence, item.block.confidence)
            item = Placed(replace(above, lines=lines, quad=quad, confidence=confidence), made_of=made_of)
        result.append(item)
    return result


def _is_next_line(above: Block, block: Block) -> bool:
    """Tell if a heading is the next line of the one above it: in the same type, under it and no further than a line."""
    if not above.level or above.level != block.level or len(above.lines) + len(block.lines) > TYPOGRAPHY.few:
        return False
    last, first = above.lines[-1], block.lines[0]
    one, other = last.spans[-1].style, first.spans[0].style
    a, b = last.quad.box, first.quad.box
    return (
        (one.size, one.bold, one.font) == (other.size, other.bold, other.font)
        and section_number(first.text) is None
        and not last.text.rstrip().endswith(_ENDS)
        and 0 < b.bottom - a.bottom < TYPOGRAPHY.tight_line * one.size
        and (abs(a.left - b.left) < one.size or abs(a.center[0] - b.center[0]) < one.size)
    )


def _join_initial(words: Sequence[Word], hyphens: Hyphens, *, dropped: bool) -> None:
    """Join a large initial with the rest of its word: they touch, or the document has that word elsewhere.

    Vowels may be words of their own: `A long` and `along` are both right. dropped: the initial stands beside several
    lines, which keep one distance from it.
    """
    first, rest = words[0], words[1]
    if len(first.text) == 1 and first.text.isupper() and first.size > TYPOGRAPHY.display * rest.size:
        vowel = unicodedata.normalize("NFD", first.text)[0] in "AEIOUYАЕИОУЯ"
        known = (dropped or not vowel) and (first.text + rest.text).casefold() in hyphens.words
        known = known or (dropped and not vowel and rest.text[0].islower())
        touches = rest.text[0].isalpha() and abs(rest.left - first.right) <= TYPOGRAPHY.touching * rest.size
        rest.glued = rest.glued or touches or known


def text_block(
    kind: BlockKind, lines: Sequence[TextLine], hyphens: Hyphens, hard: frozenset[int] = frozenset(), level: int = 0
) -> Block:
    """Lines as a block."""
    initial = 0
    if kind == "text" and len(lines[0].words) > 1:
        initial = lines_beside_initial(lines)
        _join_initial(lines[0].words, hyphens, dropped=initial > 0)
    quad = Quad.of(around(lines), lines[0].words[0].angle)
    confidence = certainty([word for line in lines for word in line.words])
    made = lines_of(lines, hyphens, hard)
    return Block(kind, quad, made, level=level, confidence=confidence, initial=initial)


def certainty(words: Sequence[Word]) -> float:
    """How sure the words are to say what is printed, from 0 to 1: the mean of their letters. Born digital, it is 1."""
    if min([word.confidence for word in words], default=1.0) == 1:  # as nearly always
        return 1.0
    letters = total = 0.0
    for word in words:
        letters += len(word.text)
        total += len(word.text) * word.confidence
    return total / letters if letters else 1.0


def picture_of(picture: Picture, marks: PageMarks) -> Placed:
    """A picture's place as a block, still without its content."""
    return Placed(Block("image", Quad.of(picture.box), background=is_background(picture, marks)), picture.key)


def figure_of(box: Box, words: Sequence[Word], hyphens: Hyphens) -> Placed:
    """A drawn figure's place as a block, with the words that stand in it; its picture is still to be drawn."""
    labels = lines_of(
        [
            *rows(segments([word for word in words if word.angle == 0])),
            *turned_lines([word for word in words if word.angle]),
        ],
        hyphens,
    )
    return Placed(Block("image", Quad.of(box), labels), DRAWN, words)


def code_block(lines: Sequence[TextLine]) -> Block:
    """Monospaced lines as printed: indentation, inner gaps and empty lines kept."""
    wide = sorted((w.right - w.left) / len(w.text) for line in lines for w in line.words)
    step = wide[len(wide) // 2] or 1.0
    left = min(line.left for line in lines)
    steps = sorted(b.baseline - a.baseline for a, b in itertools.pairwise(lines))
    leading = steps[len(steps) // 4] if steps else 0.0  # of empty lines the number alone stands elsewhere
    result: list[Line] = []
    for before, line in zip([None, *lines], lines, strict=False):
        if before is not None and leading > 0:
            empty = round((line.baseline - before.baseline) / leading) - 1
            result += [Line(Quad.of(Box(left, before.bottom, left, before.bottom)), (), "hard")] * min(
                max(empty, 0), TYPOGRAPHY.several
            )
        result.append(Line(Quad.of(line.box), (Span(_as_typed(line, left, step), _code_style(line)),), "hard"))
    confidence = certainty([word for line in lines for word in line.words])
    return Block("code", Quad.of(hull(line.box for line in lines)), tuple(result), confidence=confidence)


def _as_typed(line: TextLine, left: float, step: float) -> str:
    text, at = "", left
    for word in line.words:
        spaces = round((word.left - at) / step)
        text += " " * min(max(spaces, 0 if not text or word.glued else 1), BOUNDS.lines) + word.text
        at = word.right
    return text


def _code_style(line: TextLine) -> Style:
    word = line.words[0]
    return Style(mono=True, size=word.size, font=word.font.name)


def _end(line: TextLine, follows: TextLine | None, hyphens: Hyphens) -> Literal["soft", "hyphen", "glued"]:
    """How the next line joins: a hyphen that divides a word goes.

    Other hyphens, of compounds and in addresses, stay and join without a space.
    """
    if follows is None:
        return "soft"
    last, first = line.words[-1], follows.words[0]
    if last.font.mono or last.link:
        return "glued" if len(last.text) > 1 and last.text.endswith(("/", "-", ".", "_")) else "soft"
    if len(last.text) < TYPOGRAPHY.several or not DIVIDED.search(last.text):
        return "glued" if _joins_without_space(last.text[-1], first.text[0]) else "soft"
    return "hyphen" if first.text[0].islower() and hyphens.closes(last.text, first.text) else "glued"


def _joins_without_space(last: str, first: str) -> bool:
    """Chinese and Japanese set no space between words, so none between lines."""
    return _is_han(last) and _is_han(first)


def _is_han(character: str) -> bool:
    return "\u3000" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"
