"""The body of a flowing HTML document (e_Flow): semantic HTML with lists, tables and footnotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from paperchute.engine.document.cell_pictures import with_cell_pictures
from paperchute.engine.document.flow import Piece, flowed, flowed_text, pieces
from paperchute.engine.document.model import Block, Cell, Image, Line, ListItem, Note, Page, Span, Table
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.writing.html.text import Reference, dir_attribute, spans_html, text_html
from paperchute.engine.writing.markdown_inline import without_common_bold
from paperchute.engine.writing.markers import signs
from paperchute.engine.writing.pictures import Pictures
from paperchute.engine.writing.reading_order import as_read

_ORDER = re.compile(r"[(\[]?(?:(\d{1,9})|([ivxlcdm]+)|([IVXLCDM]+)|([a-z])|([A-Z]))[.)\]]?")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_PLAIN = {"1": re.compile(r"\d+\."), "a": re.compile(r"[a-z]\."), "A": re.compile(r"[A-Z]\.")}


def list_html(items: Sequence[ListItem], inner: Callable[[ListItem], str]) -> str:
    """One list block. `inner` gives the phrasing content of an item."""
    out: list[str] = []
    lists: list[tuple[int, str]] = []  # the open ones: level, and what they are: ul or the type of an ol

    def close_one() -> None:
        _, kind = lists.pop()
        out.append("</li></ul>" if kind == "ul" else "</li></ol>")

    told = signs(items)
    for number, item in enumerate(items):
        while lists and lists[-1][0] > item.level:
            close_one()
        kind = _order(items, number)[0] if item.ordered else "ul"
        if lists and lists[-1] == (item.level, kind):
            out.append("</li>")
        else:
            if lists and lists[-1][0] == item.level:
                close_one()
            out.append(_opening(items, number, kind))
            lists.append((item.level, kind))
        sign = f"{text_html(told[number])} " if told[number] else ""
        out.append(_item(items, number) + sign + inner(item))
    while lists:
        close_one()
    return "".join(out)


def _opening(items: Sequence[ListItem], number: int, kind: str) -> str:
    if kind == "ul":
        return "<ul>"
    start = _order(items, number)[1]
    attributes = f' type="{kind}"' if kind != "1" else ""
    return f"<ol{attributes}>" if start == 1 else f'<ol{attributes} start="{start}">'


def _item(items: Sequence[ListItem], number: int) -> str:
    """The start tag, with its number where that is not the next one.

    The number is as printed where a browser writes it otherwise.
    """
    item = items[number]
    if not item.ordered:
        return "<li>"
    kind, value = _order(items, number)
    before = _before(items, number)
    if before is not None and _order(items, before)[0] != kind:
        before = None
    follows = before is None or _order(items, before)[1] + 1 == value
    attributes = "" if follows else f' value="{value}"'
    plain = _PLAIN.get(kind)
    if plain is None or not plain.fullmatch(item.marker):
        attributes += f' data-marker="{text_html(item.marker)}"'
    return f"<li{attributes}>"


def _before(items: Sequence[ListItem], number: int) -> int | None:
    """The item before in the same list."""
    for n in range(number - 1, -1, -1):
        if items[n].level < items[number].level:
            return None
        if items[n].level == items[number].level:
            return n if items[n].ordered else None
    return None


def _order(items: Sequence[ListItem], number: int) -> tuple[str, int]:
    """The kind of numbering as <ol type> has it, and the item's place in it."""
    match = _ORDER.fullmatch(items[number].marker)
    if match is None:
        before = _before(items, number)
        return ("1", 1) if before is None else ("1", _order(items, before)[1] + 1)
    digits, roman, capitals, letter, capital = match.groups()
    if digits:
        return "1", int(digits)
    word = roman or capitals
    if word and (len(word) > 1 or word in "iI"):
        return ("i" if roman else "I"), _value(word.lower())
    single = word or letter or capital
    return ("a" if single.islower() else "A"), ord(single.lower()) - ord("a") + 1


def _value(word: str) -> int:
    total = 0
    for n, letter in enumerate(word):
        value = _ROMAN[letter]
        total += -value if n + 1 < len(word) and _ROMAN[word[n + 1]] > value else value
    return max(total, 1)


_NUMBER = re.compile(r"[(\s]*[-+−]?\s*[$€£¥₹]?\s*\d[\d.,'’\s]*(?:%|[$€£¥₹]|[A-Z]{3})?\)?")


def table_html(table: Table, inner: Callable[[Cell], str]) -> str:
    """One table; `inner` gives the phrasing content of a cell."""
    table = as_read(table)
    heads = 0
    while heads < table.rows and any(c.header and c.row == heads for c in table.cells):
        heads += 1
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    places = {(cell.row, cell.column): cell for cell in table.cells}
    covered: set[tuple[int, int]] = set()
    for row in range(table.rows):
        for column in range(table.columns):
            if (row, column) in covered:
                continue
            cell = places.get((row, column))
            if cell is not None:
                bottom, right = row + cell.row_span, column + cell.column_span
                covered |= {(r, c) for r in range(row, bottom) for c in range(column, right)}
            rows[row].append(_cell(cell, row < heads, inner))
    lines = [f"<tr>{''.join(cells)}</tr>" for cells in rows]
    head = "<thead>\n" + "\n".join(lines[:heads]) + "\n</thead>\n" if heads else ""
    body = "<tbody>\n" + "\n".join(lines[heads:]) + "\n</tbody>\n" if heads < table.rows else ""
    ruled = ' class="ruled"' if table.bordered else ""
    turned = dir_attribute(flowed_text(cell.lines) for cell in table.cells)
    return f'<div class="table"{turned}><table{ruled}>\n{head}{body}</table></div>'


def _cell(cell: Cell | None, head: bool, inner: Callable[[Cell], str]) -> str:
    tag = "th" if head else "td"
    if cell is None:
        return f"<{tag}></{tag}>"
    attributes = ' scope="col"' if head and cell.column_span == 1 else ' scope="colgroup"' if head else ""
    attributes += f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    attributes += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    if not head and _NUMBER.fullmatch(flowed_text(cell.lines).strip()):
        attributes += ' class="n"'
    attributes += f' style="background:{text_html(cell.shade)}"' if cell.shade else ""
    return f"<{tag}{attributes}>{inner(cell)}</{tag}>"


_NOTE_MARK = re.compile(r"\s*(\d{1,3}|[*†‡§¶]+|[a-z])(?=[\s.)\]:])")
_MOST_PAGES_KEPT = 500
"""Pages whose footnotes can be led to: a bound on memory."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A heading that can be led to: its level from 1, its words, its page, its id in the document."""

    level: int
    title: str
    page: int
    id: str


@dataclass(slots=True)
class FlowBody:
    """Makes the body of one HTML file.

    keep: takes each footnote, which belongs behind the body. anchors: filled with the headings as they are written.
    """

    pictures: Pictures
    keep: Callable[[str], None]
    anchors: list[Anchor] = field(default_factory=list)
    _begun: set[int] = field(default_factory=set)  # pages whose beginning was written
    _marks: dict[int, dict[str, str]] = field(default_factory=dict)  # page: printed mark to id
    _referred: set[str] = field(default_factory=set)

    def texts(self, pages: Iterable[Page]) -> Iterator[str]:
        """The body piece by piece, footnotes aside, which go to `keep`."""
        for piece in pieces(KeptOnce().pages(map(with_cell_pictures, pages))):
            if piece.page is not None:
                self._note_marks(piece.page)
                if piece.page.number not in self._begun:
                    yield self._page_begins(piece.page.number) + "\n"
            elif piece.note is not None:
                yield _note(piece.note) + "\n"
            elif text := self._piece(piece):
                yield text + "\n"

    def _piece(self, piece: Piece) -> str:
        first = piece.blocks[0]
        page = piece.numbers[0]
        if first.kind == "footnote":
            self.keep(self._footnote(piece.block, page) + "\n")
            return ""
        if first.table is not None:
            table = piece.block.table
            assert table is not None
            return table_html(table, lambda cell: self._cell(cell, page)) + self._pages_within(piece)
        if first.image is not None:
            return self._figure(first, first.image, page)
        if first.items:
            turned = dir_attribute(flowed_text(item.lines) for item in piece.block.items)
            text = list_html(piece.block.items, lambda item: self._item(item, page))
            return text.replace(">", f"{turned}>", 1) + self._pages_within(piece)
        if first.kind == "code":
            text = "\n".join(line.text for block in piece.blocks for line in block.lines)
            return f"<pre><code>{text_html(text)}</code></pre>" + self._pages_within(piece)
        return self._text(piece, first, page)

    def _text(self, piece: Piece, first: Block, page: int) -> str:
        turned = dir_attribute(line.text for block in piece.blocks for line in block.lines)
        if first.level:
            return self._heading(first, page, turned)
        content = self._content(piece)
        if first.kind == "formula":
            return f'<div class="formula">{content}</div>'
        if first.kind in ("header", "footer"):
            return f"<{first.kind}{turned}>{content}</{first.kind}>"
        if first.kind == "aside_text":
            return f"<aside{turned}>{content}</aside>"
        return f"<p{turned}>{content}</p>"

    def _heading(self, block: Block, page: int, turned: str) -> str:
        spans = without_common_bold(flowed(block.lines))
        title = " ".join("".join(span.text for span in spans).split())
        anchor = Anchor(block.level, title, page, f"h-{page}-{len(self.anchors) + 1}")
        self.anchors.append(anchor)
        tag = f"h{min(block.level, 6)}"
        title_class = ' class="title"' if block.kind == "doc_title" else ""
        return f'<{tag} id="{anchor.id}"{title_class}{turned}>{self._spans(spans, page)}</{tag}>'

    def _content(self, piece: Piece) -> str:
        """A paragraph's parts, with the beginning of a page between them where one lies there."""
        parts = []
        last = len(piece.blocks) - 1
        for n, (block, page) in enumerate(zip(piece.blocks, piece.numbers, strict=True)):
            if page not in self._begun:
                parts.append(self._page_begins(page))
            # An empty line after the part makes `flowed` join it to the next: divided words close, others are parted.
            lines = block.lines if n == last else (*block.lines, Line(block.quad, ()))
            parts.append(self._spans(flowed(lines), page))
        return "".join(parts)

    def _pages_within(self, piece: Piece) -> str:
        """The beginnings of pages that lie inside something that cannot hold them."""
        return "".join(self._page_begins(page) for page in dict.fromkeys(piece.numbers) if page not in self._begun)

    def _page_begins(self, page: int) -> str:
        self._begun.add(page)
        return f'<span class="page" id="page-{page}" role="doc-pagebreak" aria-label="{page}"></span>'

    def _item(self, item: ListItem, page: int) -> str:
        return self._spans(flowed(item.lines), page)

    def _cell(self, cell: Cell, page: int) -> str:
        spans = flowed(cell.lines)
        said = self._spans(without_common_bold(spans) if cell.header else spans, page).strip()
        pictures = [self._picture(one, one.image, page) for one in cell.pictures if one.image is not None]
        return "<br>".join([*pictures, said] if said else pictures)

    def _figure(self, block: Block, image: Image, page: int) -> str:
        name = "background" if block.background else "formula" if block.kind == "formula" else "picture"
        return f'<figure class="{name}">{self._picture(block, image, page)}</figure>'

    def _picture(self, block: Block, image: Image, page: int) -> str:
        words = text_html(" ".join(flowed_text(block.lines).split()))
        source = text_html(self.pictures.address(image, page))
        width = f"{block.quad.box.width:.0f}pt"
        return f'<img src="{source}" alt="{words}" width="{image.width}" height="{image.height}" style="width:{width}">'

    # ---------- footnotes ----------

    def _note_marks(self, page: Page) -> None:
        """Learn which marks on a page lead to a footnote."""
        notes = [block for block in page.blocks if block.kind == "footnote"]
        marks: dict[str, str] = {}
        for number, block in enumerate(notes, 1):
            mark = _mark_of(block)
            if mark:
                marks.setdefault(mark, f"fn-{page.number}-{number}")
        self._marks[page.number] = marks
        if len(self._marks) > _MOST_PAGES_KEPT:
            del self._marks[next(iter(self._marks))]

    def _footnote(self, block: Block, page: int) -> str:
        mark = _mark_of(block)
        name = self._marks.get(page, {}).get(mark, "")
        back = f' <a href="#r-{name}" role="doc-backlink" aria-label="back">↩</a>' if name in self._referred else ""
        identity = f' id="{name}"' if name else ""
        turned = dir_attribute(line.text for line in block.lines)
        return f'<p class="footnote" role="doc-footnote"{identity}{turned}>{spans_html(flowed(block.lines))}{back}</p>'

    def _spans(self, spans: Sequence[Span], page: int) -> str:
        return spans_html(spans, self._reference(page))

    def _reference(self, page: int) -> Reference:
        def found(mark: str) -> str:
            name = self._marks.get(page, {}).get(mark.strip("[]().,"), "")
            if not name or name in self._referred:
                return ""
            self._referred.add(name)
            return name

        return found


def _mark_of(block: Block) -> str:
    """The mark a footnote begins with."""
    spans = flowed(block.lines)
    if spans and spans[0].style.script == "super":
        return spans[0].text.strip().strip("[]().,")
    match = _NOTE_MARK.match("".join(span.text for span in spans))
    return match[1] if match else ""


def _note(note: Note) -> str:
    """An annotation: who, then what."""
    who = f"<cite>{text_html(note.author)}</cite> " if note.author else ""
    text = text_html(note.text).replace("\n", "<br>\n")
    return f'<aside class="note" role="note" data-kind="{text_html(note.kind)}">{who}{text}</aside>'
