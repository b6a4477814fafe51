"""The Markdown writer: GitHub-flavoured, tables with plain grids as pipes, pictures in files next to the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from paperchute.engine.document.flow import Piece, flowed, flowed_text, pieces
from paperchute.engine.document.model import Block, Cell, Line, ListItem, Note, Page, Span, Table
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.writing.markdown_inline import (
    escaped,
    html_inline,
    inline,
    line_start_escaped,
    target,
    without_common_bold,
)
from paperchute.engine.writing.markers import signs
from paperchute.engine.writing.pictures import PictureFiles, Pictures
from paperchute.engine.writing.reading_order import as_read

_PIPE = re.compile(r"(?<!\\)((?:\\\\)*)\|")


def table_markdown(table: Table, html: bool = False) -> str:
    """One table.

    Pipe tables have exactly one head row, so a table with several, or with spans, becomes HTML; so does any where
    `html` says so.
    """
    table = as_read(table)
    heads = max((cell.row + 1 for cell in table.cells if cell.header), default=0)
    if html or heads > 1 or any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells):
        return _html(table, heads)
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = _pipe_cell(cell, cell.row == 0)
    lines = [_row(grid[0]), _row(["---"] * table.columns), *map(_row, grid[1:])]
    return "\n".join(lines)


def _pipe_cell(cell: Cell, head: bool) -> str:
    text = inline(_cell_spans(cell.lines, head), starts_line=False).replace("  \n", "<br>")
    return _PIPE.sub(r"\1\\|", text)


def _cell_spans(lines: Sequence[Line], head: bool) -> tuple[Span, ...]:
    """The cell's text; in a head bold is dropped, as a head is bold."""
    return without_common_bold(flowed(lines)) if head else flowed(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _html(table: Table, heads: int) -> str:
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    places: dict[tuple[int, int], Cell] = {(cell.row, cell.column): cell for cell in table.cells}
    covered: set[tuple[int, int]] = set()
    for row in range(table.rows):
        for column in range(table.columns):
            if (row, column) in covered:
                continue
            cell = places.get((row, column))
            tag = "th" if row < heads else "td"
            if cell is None:
                rows[row].append(f"<{tag}></{tag}>")
                continue
            covered |= {
                (r, c) for r in range(row, row + cell.row_span) for c in range(column, column + cell.column_span)
            }
            spans = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
            spans += f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
            rows[row].append(f"<{tag}{spans}>{html_inline(_cell_spans(cell.lines, row < heads))}</{tag}>")
    return "<table>\n" + "\n".join(f"<tr>{''.join(cells)}</tr>" for cells in rows) + "\n</table>"


_NUMBERED = re.compile(r"^\(?(\d{1,9})([.)])$")
_MOST_LEVELS = 6
"""Of headings (CommonMark 0.31, 4.2)."""


@dataclass(slots=True)
class MarkdownWriter:
    """Writes pages into one Markdown file; `images` lists the image files written so far.

    folder: where the file and its `images` folder go. name: the file's name without `.md`, which image names begin
    with. boxed: keep printed lines and all that repeats on the pages; else running heads and feet stand once.
    html_tables: all tables as HTML, as document parsing has them (docs/contract.md#document-parsing). pictures: where
    they go, as files by default.
    """

    folder: Path
    name: str
    boxed: bool = False
    html_tables: bool = False
    pictures: Pictures | None = None
    _levels: _Levels = field(default_factory=lambda: _Levels())

    @property
    def path(self) -> Path:
        """The Markdown file."""
        return self.folder / f"{self.name}.md"

    @property
    def images(self) -> list[Path]:
        """The image files."""
        return self._pictures.files

    def write(self, pages: Iterable[Page]) -> Path:
        """Write the pages as they come and return the file's path. Raises OSError.

        Blank pages give one empty line: a file of no bytes is what broken transfers leave.
        """
        with self.path.open("w", encoding="utf-8", newline="\n") as file:
            first = True
            for text in self._texts(pages):
                file.write(text if first else "\n\n" + text)
                first = False
            file.write("\n")
        return self.path

    def text(self, piece: Piece) -> str:
        """The Markdown of the next piece, empty where it has none: list items are indented as they follow."""
        if piece.note is not None:
            return _note(piece.note)
        if not piece.blocks:
            return ""
        if piece.block.kind in ("header", "footer") and not self.boxed:  # Markdown has no mark of its own for them
            return f"<{piece.block.kind}>{html_inline(flowed(piece.block.lines))}</{piece.block.kind}>"
        return self._block(piece.block, piece.numbers[0], self._levels)

    def end_list(self) -> None:
        """What comes next does not go on a list."""
        self._levels.close()

    def block(self, block: Block, page: int) -> str:
        """One block of `page` by itself."""
        return self._block(block, page, _Levels())

    def _texts(self, pages: Iterable[Page]) -> Iterator[str]:
        kept = pieces(pages, _never) if self.boxed else pieces(KeptOnce().pages(pages))
        return filter(None, map(self.text, kept))

    def _block(self, block: Block, page: int, levels: _Levels) -> str:
        if block.image is not None:
            levels.close()
            words = " ".join(flowed_text(block.lines).split())
            return f"![{escaped(words, in_link=True)}]({target(self._pictures.address(block.image, page))})"
        return self._text(block, levels)

    @property
    def _pictures(self) -> Pictures:
        if self.pictures is None:
            self.pictures = PictureFiles(self.folder, self.name)
        return self.pictures

    def _text(self, block: Block, levels: _Levels) -> str:
        """One block without a picture."""
        if block.kind == "list":
            told = zip(block.items, signs(block.items), strict=True)
            return "\n".join(self._item(item, sign, levels) for item, sign in told).lstrip("\n")
        levels.close()
        if block.table is not None:
            return table_markdown(block.table, self.html_tables)
        if block.kind == "code":
            return _fenced(block.lines)
        if block.latex:
            return f"$$\n{block.latex}\n$$"
        spans = self._spans(block.lines)
        if block.level:
            text = " ".join(inline(without_common_bold(spans), starts_line=False).split("  \n"))
            text = re.sub(r"(#+)$", r"\\\1", text)  # trailing number signs would close the heading
            return f"{'#' * min(block.level, _MOST_LEVELS)} {text}"
        return inline(spans)

    def _item(self, item: ListItem, sign: str, levels: _Levels) -> str:
        number = _NUMBERED.match(item.marker) if item.ordered else None
        marker = f"{number[1]}{number[2]}" if number else "-"
        indent, opens = levels.indent(item.level, len(marker) + 1)
        spans = self._spans(item.lines)
        text_marker = item.marker if item.ordered and not number else sign  # Markdown counts in digits only
        if text_marker:
            spans = (Span(text_marker + " "), *spans)
        task = _TASKS.get(item.marker, "")
        text = task + inline(spans).replace("\n", "\n" + " " * (indent + len(marker) + 1))
        # A nested list may follow its item's text without an empty line only when it has text and starts at 1.
        space = "\n" if opens and (not text or (number and number[1] != "1")) else ""
        return f"{space}{' ' * indent}{marker} {text}"

    def _spans(self, lines: Sequence[Line]) -> tuple[Span, ...]:
        if not self.boxed:
            return flowed(lines)
        return flowed([replace(line, ends="hard") for line in lines])


_TASKS = {"☐": "[ ] ", "☑": "[x] ", "☒": "[x] "}
"""What stands before an item that is ticked, or not (GitHub Flavored Markdown, 5.3)."""


@dataclass(slots=True)
class _Levels:
    """How far the items of the list being written are indented, level by level."""

    _indents: list[tuple[int, int]] = field(default_factory=list)

    def indent(self, level: int, width: int) -> tuple[int, bool]:
        """Spaces before the marker of an item of `level`, whose own marker takes `width`; whether it opens a list."""
        opens = True
        while self._indents and self._indents[-1][0] >= level:
            self._indents.pop()
            opens = False
        indent = self._indents[-1][1] if self._indents else 0
        self._indents.append((level, indent + width))
        return indent, opens

    def close(self) -> None:
        """The list has ended."""
        self._indents.clear()


def _never(before: Block, block: Block, page_end: bool) -> bool:
    return False


def _fenced(lines: Sequence[Line]) -> str:
    text = "\n".join(line.text for line in lines)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _note(note: Note) -> str:
    """An annotation as a quote: who, then what."""
    who = f"{escaped(note.author)}: " if note.author else ""
    lines = [line_start_escaped(escaped(line)) for line in note.text.split("\n")]
    return "\n".join(f"> {line}" for line in [f"**Note** {who}{lines[0]}", *lines[1:]])
