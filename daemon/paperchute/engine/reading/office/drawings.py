"""Charts and diagrams (SmartArt) of office files as HTML: what their parts keep as text (ECMA-376, 21.2 and 21.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
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


def chart_words(content: bytes, sheets: Set[str]) -> tuple[str, bool]:
    """What a chart of a workbook says beyond the cells of `sheets`, which are read: its titles, or the whole of it.

    The second is whether that is all: some keep no copy of the cells of a hidden sheet that they were made of.
    """
    root = parsed(content)
    if root is None:
        return "", False
    places = [formula.text or "" for series in root.iter(f"{_C}ser") for formula in series.iter(f"{_C}f")]
    named = [place.rpartition("!")[0].strip("'").replace("''", "'") for place in places]
    has_own = next(root.iter(f"{_C}numLit", f"{_C}strLit"), None) is not None
    if not has_own and sheets >= {*named}:
        return _titles(root), True
    made = chart_html(content)
    return made, "<table" in made


def _titles(root: Any) -> str:
    """Titles, and what is written at single values; a title may be that of a cell."""
    made = ""
    for title in root.iter(f"{_C}title", f"{_C}dLbl"):
        said = list(paragraphs_of(title)) or [value.text or "" for value in title.iter(f"{_C}v")]
        made += "".join(f"<p>{escape(text)}</p>" for text in said if text.strip())
    return made


def chart_html(content: bytes) -> str:
    """A chart's titles, then its values as a table, a column for each series; empty where none can be read.

    Series with names of their own for their values, as points have their places across, are tables of their own.
    """
    root = parsed(content)
    if root is None:
        return ""
    tables: list[tuple[dict[int, str], list[tuple[str, dict[int, str]]]]] = []
    for series in root.iter(f"{_C}ser"):
        name = _name(series)
        names = _points(series.find(f"{_C}cat")) or _points(series.find(f"{_C}xVal"))
        found = (_points(series.find(f"{_C}{tag}")) for tag in ("val", "yVal", "bubbleSize"))
        columns = [(name, values) for values in found if values]
        if tables and (tables[-1][0] == names or not names):
            tables[-1][1].extend(columns)
        else:
            tables.append((names, columns))
    if sum(len(values) for _names, columns in tables for _name, values in columns) > _MOST_POINTS:
        return ""
    return _titles(root) + "".join(_values(names, columns) for names, columns in tables)


def has_shapes(content: bytes) -> bool:
    """Decide whether texts were drawn upon a chart, in a part of its own, which is not read."""
    return b":userShapes " in content


def _values(names: dict[int, str], columns: Sequence[tuple[str, dict[int, str]]]) -> str:
    has_heads = any(head for head, _values in columns)
    rows = [[Cell("")] + [Cell(escape(head)) for head, _values in columns]] if has_heads else []
    for place in sorted({place for values in (names, *(values for _head, values in columns)) for place in values}):
        rows.append([Cell(escape(values.get(place, ""))) for values in (names, *(values for _head, values in columns))])
    return table(rows, heads=int(has_heads))


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
