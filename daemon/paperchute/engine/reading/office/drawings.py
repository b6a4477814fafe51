"""Charts and diagrams (SmartArt) of office files as HTML: what their parts keep as text (ECMA-376, 21.2 and 21.4)."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from lxml import etree

from paperchute.engine.reading.office.markup import Cell, table
from paperchute.engine.reading.office.number_formats import shown

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_MOST_POINTS = 2_000  # of a chart: what no person reads as a table


def parsed(content: bytes) -> Any:
    """The root of a part, None for one that is no XML."""
    try:
        return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return None


def paragraphs_of(element: Any) -> Iterator[str]:
    """The paragraphs of DrawingML text, fields and line ends with them."""
    for paragraph in element.iter(f"{_A}p"):
        text = ""
        for piece in paragraph.iter(f"{_A}t", f"{_A}br", f"{_A}tab"):
            text += (piece.text or "") if piece.tag == f"{_A}t" else " "
        if text.strip():
            yield text


def diagram_html(content: bytes) -> str:
    """The words of a diagram's points, in the order in which they were written; empty where none can be read."""
    root = parsed(content)
    if root is None:
        return ""
    points = (point for point in root.iter(f"{_D}pt") if point.get("type", "node") in ("node", "asst"))
    return "".join(f"<p>{escape(text)}</p>" for point in points for text in paragraphs_of(point))


def chart_titles(content: bytes) -> str:
    """The titles of a chart and its axes: all that it says beyond the cells it was made of."""
    root = parsed(content)
    return _titles(root) if root is not None else ""


def _titles(root: Any) -> str:
    return "".join(f"<p>{escape(text)}</p>" for title in root.iter(f"{_C}title") for text in paragraphs_of(title))


def chart_html(content: bytes) -> str:
    """A chart's titles, then its values as a table, a column for each series; empty where none can be read."""
    root = parsed(content)
    if root is None:
        return ""
    series = list(root.iter(f"{_C}ser"))
    heads = [_name(one) for one in series]
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    for one in series:
        for tag in ("cat", "xVal"):
            categories = _points(one.find(f"{_C}{tag}")) | categories
        columns.append(_points(one.find(f"{_C}val")) or _points(one.find(f"{_C}yVal")))
    places = sorted({place for column in (categories, *columns) for place in column})
    if len(places) * len(columns) > _MOST_POINTS:
        return ""
    rows = [[Cell("")] + [Cell(escape(head)) for head in heads]] if any(heads) else []
    rows += [[Cell(escape(column.get(place, ""))) for column in (categories, *columns)] for place in places]
    return _titles(root) + table(rows, heads=int(any(heads)))


def _name(series: Any) -> str:
    said = series.find(f"{_C}tx")
    return " ".join(value.text or "" for value in said.iter(f"{_C}v")) if said is not None else ""


def _points(said: Any) -> dict[int, str]:
    """The values that a chart keeps of the cells it was made of, by place; names on several levels are joined."""
    found: dict[int, str] = {}
    if said is None:
        return found
    form = said.findtext(f".//{_C}formatCode", "General")
    is_number = next(said.iter(f"{_C}numCache", f"{_C}numLit"), None) is not None
    for point in said.iter(f"{_C}pt"):
        value = point.findtext(f"{_C}v", "")
        place = int(point.get("idx", "0")) if point.get("idx", "0").isdigit() else 0
        text = _figure(value, point.get("formatCode", form)) if is_number else value
        found[place] = f"{text} {found[place]}" if place in found else text
    return found


def _figure(value: str, form: str) -> str:
    try:
        return shown(float(value), form)
    except ValueError:
        return value
