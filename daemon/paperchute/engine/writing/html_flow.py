"""The body of a flowing HTML document (e_Flow): semantic HTML, footnotes at its end with links both ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from paperchute.engine.document.flow import flowed, flowed_text
from paperchute.engine.document.joining import Piece, pieces
from paperchute.engine.document.model import FURNITURE, Block, Cell, Image, Line, ListItem, Note, Page, Span
from paperchute.engine.writing.html_lists import list_html
from paperchute.engine.writing.html_tables import table_html
from paperchute.engine.writing.html_text import Reference, dir_attribute, spans_html, text_html
from paperchute.engine.writing.markdown_inline import without_common_bold
from paperchute.engine.writing.pictures import Pictures

_NOTE_MARK = re.compile(r"\s*(\d{1,3}|[*†‡§¶]+|[a-z])(?=[\s.)\]:])")
_MOST_PAGES_KEPT = 500


@dataclass(frozen=True, slots=True)
class Anchor:
    """A heading that can be led to: its level from 1, its words, its page, its id in the document."""

    level: int
    title: str
    page: int
    id: str


@dataclass(slots=True)
class FlowBody:
    """Makes the body of one HTML file. keep: takes each footnote, which belongs behind the body. anchors: filled with
    the headings as they are written."""

    pictures: Pictures
    keep: Callable[[str], None]
    anchors: list[Anchor] = field(default_factory=list)
    _begun: set[int] = field(default_factory=set)  # pages whose beginning was written
    _marks: dict[int, dict[str, str]] = field(default_factory=dict)  # page: printed mark to id
    _referred: set[str] = field(default_factory=set)

    def texts(self, pages: Iterable[Page]) -> Iterator[str]:
        """The body piece by piece, footnotes aside, which go to `keep`."""
        for piece in pieces(map(_flowing, pages)):
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
        return self._spans(without_common_bold(spans) if cell.header else spans, page).strip()

    def _figure(self, block: Block, image: Image, page: int) -> str:
        name = "background" if block.background else "formula" if block.kind == "formula" else "picture"
        words = text_html(" ".join(flowed_text(block.lines).split()))
        source = text_html(self.pictures.address(image, page))
        width = f"{block.quad.box.width:.0f}pt"
        return (
            f'<figure class="{name}"><img src="{source}" alt="{words}" width="{image.width}" height="{image.height}" '
            f'style="width:{width}"></figure>'
        )

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


def _flowing(page: Page) -> Page:
    """The page without its furniture."""
    return replace(page, blocks=tuple(block for block in page.blocks if block.kind not in FURNITURE))


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
