"""Presentations (PPTX) as HTML: a page for each slide, its title a heading, its other shapes from top to bottom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.exc import PackageNotFoundError
from pptx.util import Pt

from paperchute.engine.reading.office.markup import Cell, page, picture, table

_MOST_SHAPES = 20_000  # of a slide: a bound on work on hostile files
_DEEPEST = 12  # groups inside of groups: a bound on work on hostile files


def slides_html(path: Path) -> str:
    """All slides, hidden ones too."""
    try:
        deck = Presentation(str(path))
    except PackageNotFoundError as error:
        raise ValueError("no presentation") from error
    width, height = (float(side) / Pt(1) for side in (deck.slide_width or Pt(720), deck.slide_height or Pt(540)))
    made = []
    for slide in deck.slides:
        title = slide.shapes.title
        head = (
            f"<h1>{escape(title.text_frame.text)}</h1>" if title is not None and title.text_frame.text.strip() else ""
        )
        shapes = [s for s in _shapes(slide.shapes, 0) if title is None or s.shape_id != title.shape_id]
        shapes.sort(key=lambda shape: (shape.top or 0, shape.left or 0))
        made.append(f"<section>{head}{''.join(map(_shape, shapes[:_MOST_SHAPES]))}</section>")
    return page("".join(made), width=max(width, 300.0), height=max(height, 300.0))


def _shapes(shapes: Iterable[Any], depth: int) -> Iterator[Any]:
    """The shapes, those of groups too."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST:
                yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _shape(shape: Any) -> str:
    if getattr(shape, "has_table", False):
        return table(_rows(shape.table))
    if getattr(shape, "has_text_frame", False):
        return _text(shape)
    image = getattr(shape, "image", None)
    return picture(image.blob, image.content_type, float(shape.width) / Pt(1)) if image is not None else ""


def _rows(grid: Any) -> Iterator[list[Cell]]:
    for row in grid.rows:
        cells = []
        for cell in row.cells:
            if not cell.is_spanned:
                columns, rows = (cell.span_width, cell.span_height) if cell.is_merge_origin else (1, 1)
                cells.append(Cell(escape(cell.text_frame.text), columns, rows))
        yield cells


def _text(shape: Any) -> str:
    """Paragraphs; the points of a body with several are a list, nested as they are indented."""
    paragraphs = [(p.level, "".join(map(_run, p.runs))) for p in shape.text_frame.paragraphs]
    paragraphs = [(level, text) for level, text in paragraphs if text.strip()]
    if not (shape.is_placeholder and len(paragraphs) > 1):
        return "".join(f"<p>{text}</p>" for _, text in paragraphs)
    made, depth = "", 0
    for level, text in paragraphs:
        wanted = min(level, 8) + 1
        made += "<ul>" * (wanted - depth) + "</ul>" * (depth - wanted) + f"<li>{text}</li>"
        depth = wanted
    return made + "</ul>" * depth


def _run(run: Any) -> str:
    text = escape(run.text).replace("\n", "<br>").replace("\v", "<br>")
    for on, tag in ((run.font.bold, "b"), (run.font.italic, "i")):
        text = f"<{tag}>{text}</{tag}>" if on else text
    address = run.hyperlink.address
    return f'<a href="{escape(address)}">{text}</a>' if address else text
