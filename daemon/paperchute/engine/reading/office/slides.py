"""Presentations (PPTX) as HTML: a page for each slide, its title a heading, its other shapes from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.exc import PackageNotFoundError
from pptx.oxml.ns import qn
from pptx.shapes.shapetree import BaseShapeFactory
from pptx.util import Pt

from paperchute.engine.document.formulas import markup
from paperchute.engine.reading.office.bullets import Bullets
from paperchute.engine.reading.office.drawings import chart_html, diagram_html, has_shapes
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import Cell, page, picture, table
from paperchute.engine.reading.office.omml import MATH, math_of
from paperchute.engine.reading.symbol_fonts import in_font
from paperchute.language import _

_DEEPEST = 50  # groups inside of groups: a bound on work on hostile files
_MOST_SPANNED = 200  # rows or columns that a cell covers: likewise
_MARKUP = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_OFFERS = ("Choice", "Fallback")
"""What a newer program wrote, and the picture of it that it wrote for older ones: of ink only that is known here."""
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_BLIP = qn("a:blip")
_SHAPES = tuple(map(qn, ("p:sp", "p:pic", "p:graphicFrame", "p:grpSp", "p:cxnSp")))


def slides_html(path: Path, left: LeftOut) -> str:
    """All slides, hidden ones too; what layouts and masters print behind them stands with the first that shows it."""
    try:
        deck = Presentation(str(path))
    except PackageNotFoundError as error:
        raise ValueError("no presentation") from error
    named = [slide.part.partname for slide in deck.slides]
    if len(set(named)) < len(named):
        raise ValueError("a slide is named twice")  # none but a damaged file does so, and it would be read as often
    size = deck.slide_width or Pt(720), deck.slide_height or Pt(540)
    width, height = (float(side) / Pt(1) for side in size)
    made = []
    said: set[str] = set()
    for number, slide in enumerate(deck.slides, start=1):
        left.place = _("slide {n}", n=number)
        if slide._element.get("show") in ("0", "false"):
            left.seen_by_nobody(left.place)
        title = slide.shapes.title
        words = "<br>".join(filter(None, map(_paragraph, title.text_frame.paragraphs))) if title is not None else ""
        head = f"<h1>{words}</h1>" if words.strip() else ""
        shapes = (s for s in _shapes(slide.shapes, 0, left) if title is None or s.shape_id != title.shape_id)
        text = "".join(_shape(shape, left) for shape in shapes)
        behind = [html for html in _behind(slide, size, left) if html not in said]
        said.update(behind)
        made.append(f"<section>{head}{text}{''.join(behind)}</section>")
    return page("".join(made), width=max(width, 300.0), height=max(height, 300.0))


def _shapes(siblings: Any, depth: int, left: LeftOut) -> Iterator[Any]:
    """The shapes from top to bottom, those of a group where it stands: inside, places are its own."""
    if depth > _DEEPEST:
        left.unread_drawing()
        return
    for shape in _siblings(siblings):
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, depth + 1, left)
        else:
            yield shape


def _siblings(shapes: Any) -> list[Any]:
    newer = []
    for either in shapes._element.iterfind(f"{_MARKUP}AlternateContent"):
        offers = ([e for e in either.iterfind(f"{_MARKUP}{kind}/*") if e.tag in _SHAPES] for kind in _OFFERS)
        newer += [BaseShapeFactory(element, shapes) for element in next(filter(None, offers), [])]
    return sorted([*shapes, *newer], key=lambda shape: (shape.top or 0, shape.left or 0))


def _behind(slide: Any, size: tuple[int, int], left: LeftOut) -> Iterator[str]:
    """The words of a slide's layout and master that are no place for its own; beside it stand hints to authors."""
    layers = [slide, slide.slide_layout, slide.slide_layout.slide_master]
    for layer, above in zip(layers[1:], layers, strict=False):
        if above._element.get("showMasterSp") in ("0", "false"):
            return
        for shape in _siblings(layer.shapes):
            if shape.is_placeholder or not _is_within(shape, size):
                continue
            for part in _shapes(shape.shapes, 1, left) if hasattr(shape, "shapes") else [shape]:
                if getattr(part, "has_text_frame", False):
                    yield _text(part)


def _is_within(shape: Any, size: tuple[int, int]) -> bool:
    """Decide whether the middle of a shape lies on the slide."""
    across, down = ((shape.left or 0) + (shape.width or 0) / 2, (shape.top or 0) + (shape.height or 0) / 2)
    return 0 <= across <= size[0] and 0 <= down <= size[1]


def _shape(shape: Any, left: LeftOut) -> str:
    if getattr(shape, "has_table", False):
        return table(_rows(shape.table))
    if getattr(shape, "has_text_frame", False):
        return "" if _is_slide_number(shape) else _text(shape)
    made = ""
    for element in shape._element.iter(_CHART, _DIAGRAM):
        if element.tag == _CHART:
            made += _laid_out(shape, element.get(qn("r:id"), ""), chart_html, left)
        else:
            made += _laid_out(shape, element.get(qn("r:dm"), ""), diagram_html, left)
    if made or shape._element.tag == qn("p:cxnSp"):
        return made
    return _picture(shape, left)


def _laid_out(shape: Any, relation: str, html: Callable[[bytes], str], left: LeftOut) -> str:
    try:
        content = shape.part.related_part(relation).blob
    except KeyError:
        content = b""
    made = html(content)
    if not made or has_shapes(content):
        left.unread_drawing()
    return made


def _picture(shape: Any, left: LeftOut) -> str:
    """A picture, also the one that an object of another program shows; what cannot be found or shown is told."""
    blips = list(shape._element.iter(_BLIP))
    if not blips:
        left.unread_drawing()
    made = ""
    for blip in blips[:1]:
        part = shape.part.rels.get(blip.get(qn("r:embed"), ""))
        if part is None or part.is_external:
            left.lost_picture()
            continue
        width = float(shape.width or 0) / Pt(1)
        shown = picture(part.target_part.blob, part.target_part.content_type, width)
        if not shown:
            left.unread_picture()
        made += shown
    return made


def _is_slide_number(shape: Any) -> bool:
    is_number = shape.is_placeholder and shape._element.xpath("boolean(.//p:ph[@type='sldNum'])")
    return bool(is_number and not any(sign.isalpha() for sign in shape.text_frame.text))


def _rows(grid: Any) -> Iterator[list[Cell]]:
    for row in grid.rows:
        cells = []
        for cell in row.cells:
            if not cell.is_spanned:
                columns, rows = (cell.span_width, cell.span_height) if cell.is_merge_origin else (1, 1)
                columns, rows = min(columns, _MOST_SPANNED), min(rows, _MOST_SPANNED)
                cells.append(Cell("<br>".join(map(_paragraph, cell.text_frame.paragraphs)), columns, rows))
        yield cells


def _text(shape: Any) -> str:
    """Paragraphs; those with a bullet or number are a list, nested as they are indented."""
    paragraphs = [(paragraph, _paragraph(paragraph)) for paragraph in shape.text_frame.paragraphs]
    paragraphs = [(paragraph, text) for paragraph, text in paragraphs if text.strip()]
    bullets = Bullets(shape, usual="•" if shape.is_placeholder and len(paragraphs) > 1 else "")
    made, depth = "", 0
    for paragraph, text in paragraphs:
        marker = bullets.next(paragraph)
        wanted = min(paragraph.level, 8) + 1 if marker else 0
        made += "<ul>" * (wanted - depth) + "</ul>" * (depth - wanted)
        made += f'<li data-marker="{escape(marker)}">{text}</li>' if marker else f"<p>{text}</p>"
        depth = wanted
    return made + "</ul>" * depth


def _paragraph(paragraph: Any) -> str:
    """Its runs, fields, line ends and formulas."""
    made = ""
    for piece in paragraph._p:
        match piece.tag:
            case tag if tag in _RUNS:
                made += _run(piece, paragraph.part)
            case tag if tag == _BREAK:
                made += "<br>"
            case _:
                made += "".join(markup(math_of(formula)) for formula in piece.iter(f"{MATH}oMath"))
    return made


_RUNS = (qn("a:r"), qn("a:fld"))
_BREAK = qn("a:br")


def _run(run: Any, part: Any) -> str:
    look = run.find(qn("a:rPr"))
    text = run.findtext(qn("a:t"), "")
    for font, is_plain in (("a:sym", False), ("a:latin", True)):
        found = look.find(qn(font)) if look is not None else None
        text = in_font(text, found.get("typeface", ""), is_plain) if found is not None else text
    text = escape(text).replace("\n", "<br>").replace("\v", "<br>")
    if look is None or not text.strip():
        return text
    for name, tag in (("b", "b"), ("i", "i")):
        text = f"<{tag}>{text}</{tag}>" if look.get(name) in ("1", "true") else text
    link = look.find(qn("a:hlinkClick"))
    relation = part.rels.get(link.get(qn("r:id"), "")) if link is not None else None
    return (
        f'<a href="{escape(relation.target_ref)}">{text}</a>' if relation is not None and relation.is_external else text
    )
