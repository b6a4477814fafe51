"""The plain text writer: the flow of a document as a text file, tables as columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from paperchute.engine.document.flow import flowed_text, pieces
from paperchute.engine.document.model import Block, Page, Table
from paperchute.engine.document.running import KeptOnce
from paperchute.engine.writing.reading_order import as_read
from paperchute.notation.numbers import figure

_GAP = 2  # spaces between columns
_SPACE = re.compile(r"\s+")


def write_text(path: Path, pages: Iterable[Page], *, level: bool) -> Path:
    """Write the pages as they come, an empty line between blocks and a form feed between pages.

    Args:
        path: The file; UTF-8 without a mark.
        pages: Of the document. Running heads stand once, where their text stands first; page numbers go.
        level: Tables with their columns level, filled with spaces; else cells parted by tabs, a row a line.

    Raises OSError.
    """
    with path.open("w", encoding="utf-8", newline="\n") as file:
        _write(file, KeptOnce().pages(pages), level)
    return path


def _write(file: TextIO, pages: Iterable[Page], level: bool) -> None:
    ending, is_first = "", True  # what is due before the next text
    for piece in pieces(pages):
        if piece.page is not None:
            ending, is_first = ("" if is_first else "\n\f"), False
            continue
        text = piece.note.text if piece.note is not None else "\n".join(_lines(piece.block, level))
        if text:
            file.write(ending + text)
            ending = "\n\n"
    file.write("\n")


def _lines(block: Block, level: bool) -> Iterator[str]:
    if block.table is not None:
        yield from _rows(block.table, level)
    elif block.kind == "code":
        yield from (line.text for line in block.lines)
    elif block.items:
        yield from (f"{'  ' * item.level}{item.marker} {flowed_text(item.lines)}" for item in block.items)
    elif text := flowed_text(block.lines).strip():
        yield text


def _rows(table: Table, level: bool) -> Iterator[str]:
    table = as_read(table)
    grid: list[list[list[str]]] = [[[] for _ in range(table.columns)] for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = flowed_text(cell.lines).strip().split("\n")
    if not level:
        for row in grid:
            yield "\t".join(_SPACE.sub(" ", " ".join(lines)) for lines in row).rstrip("\t")
        return
    widths = _widths(table, grid)
    numeric = [_is_numeric(table, grid, column) for column in range(table.columns)]
    for row in grid:
        for printed in range(max((len(lines) for lines in row), default=0)):
            texts = [lines[printed] if printed < len(lines) else "" for lines in row]
            cells = (_filled(*cell) for cell in zip(texts, widths, numeric, strict=True))
            yield (" " * _GAP).join(cells).rstrip()


def _widths(table: Table, grid: Sequence[Sequence[Sequence[str]]]) -> list[int]:
    """How wide each column is printed; what spans several takes what these have, and widens the last if it must."""
    widths = [0] * table.columns
    for cell in sorted(table.cells, key=lambda cell: cell.column_span):
        wide = max(map(_width, grid[cell.row][cell.column]), default=0)
        last = cell.column + cell.column_span - 1
        before = sum(widths[cell.column : last]) + _GAP * (cell.column_span - 1)
        widths[last] = max(widths[last], wide - before if cell.column_span > 1 else wide)
    return widths


def _is_numeric(table: Table, grid: Sequence[Sequence[Sequence[str]]], column: int) -> bool:
    """Decide whether a column holds numbers under its head, which then end level."""
    heads = {cell.row for cell in table.cells if cell.header}
    texts = [" ".join(row[column]) for number, row in enumerate(grid) if number not in heads]
    filled = [text for text in texts if text]
    return bool(filled) and all(figure(text) is not None for text in filled)


def _filled(text: str, width: int, is_number: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if is_number else text + space


def _width(text: str) -> int:
    """Return how many places a text takes where all letters are as wide: two for Chinese signs, none for accents."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
