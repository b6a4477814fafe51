"""No writer's memory grows with the pages.

Ten times as many may take a few megabytes more, for what is kept of each (a bookmark, a name), and none of it is text
or picture.
"""

from __future__ import annotations

import gc
import io
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import PIL.Image
import pytest

from paperchute.engine.document.flow import with_levels, with_merged_tables
from paperchute.engine.document.model import Block, Facts, Image, Line, Page
from paperchute.engine.parse_options import LABELS
from paperchute.engine.writing.html.writer import HtmlWriter
from paperchute.engine.writing.markdown import MarkdownWriter
from paperchute.engine.writing.parsed import Heading, ParseWriter, catalogued
from paperchute.engine.writing.xlsx.writer import WorkbookWriter
from tests.engine.writing.blocks import QUAD, page, raised, table, text

_FEW, _MANY = 20, 200
_SIDE = 140  # pixels of a picture, some 60 kB


def _noise() -> bytes:
    """A PNG file that nothing makes smaller."""
    buffer = io.BytesIO()
    PIL.Image.frombytes("RGB", (_SIDE, _SIDE), os.urandom(3 * _SIDE * _SIDE)).save(buffer, "png")
    return buffer.getvalue()


def pages(count: int) -> Iterator[Page]:
    """Pages with text, footnotes, a picture and tables, every other one broken by the page end."""
    for number in range(1, count + 1):
        picture = Image(_noise(), "png", _SIDE, _SIDE)
        note = Block("footnote", QUAD, text("1 a note " * 20).lines)
        yield page(
            number,
            table(("Port", "Ships"), *[(f"port {n}", f"{n},{n:03}") for n in range(20)], continues=number % 2 == 0),
            text(f"Part {number}", kind="paragraph_title", level=2),
            *(text("words " * 90) for _ in range(8)),
            Block("image", QUAD, image=picture),
            note,
            Block("text", QUAD, (Line(QUAD, (raised("1"),)),)),
        )


def _markdown(folder: Path, count: int) -> None:
    MarkdownWriter(folder, "a").write(pages(count))


def _parsed(folder: Path, count: int) -> None:
    catalog: list[Heading] = []
    stream = catalogued(with_merged_tables(with_levels(pages(count))), catalog, ())
    ParseWriter(folder, "PDF", count, LABELS, concatenate=True).write(stream, catalog)


def _html(folder: Path, count: int) -> None:
    HtmlWriter(folder, "a", Facts(count), marked=True).write_one(pages(count))


def _boxes(folder: Path, count: int) -> None:
    HtmlWriter(folder, "a", Facts(count), boxed=True, marked=True).write_one(pages(count))


def _many(folder: Path, count: int) -> None:
    HtmlWriter(folder, "a", Facts(count), marked=True).write_many(pages(count))


def _workbook(folder: Path, count: int) -> None:
    WorkbookWriter(folder / "a.xlsx", folder / "scratch", "e_ForDocument").write(pages(count))


@pytest.mark.slow
@pytest.mark.parametrize("write", [_markdown, _parsed, _html, _boxes, _many, _workbook])
def test_memory_does_not_grow_with_the_pages(tmp_path: Path, write: Callable[[Path, int], None]) -> None:
    peaks: list[int] = []
    for count in (_FEW, _FEW, _MANY):  # the first time fills caches
        folder = tmp_path / f"{len(peaks)}"
        folder.mkdir()
        gc.collect()
        tracemalloc.start()
        write(folder, count)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # A picture a page would be 10 MB more, the pages' text some 8 MB.
    assert peaks[2] - peaks[1] < 3 << 20, peaks
