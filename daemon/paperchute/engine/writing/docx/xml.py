"""Elements of Office Open XML (ECMA-376) and its units."""

from __future__ import annotations

from typing import Any, Final

from docx.oxml.parser import oxml_parser
from lxml.etree import _Element

NAMESPACES: Final = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "xml": "http://www.w3.org/XML/1998/namespace",
}


def element(tag: str, attributes: dict[str, object] | None = None, *children: _Element, text: str = "") -> _Element:
    """An element such as `w:p`. Attribute names have their prefix too, or none; values are written as text."""
    prefix = tag.split(":", 1)[0]
    made: Any = oxml_parser.makeelement(_name(tag), nsmap={prefix: NAMESPACES[prefix]})
    for name, value in (attributes or {}).items():
        made.set(_name(name) if ":" in name else name, str(value))
    if text:
        made.text = text
    made.extend(children)
    return made  # type: ignore[no-any-return]


def flag(tag: str, on: bool) -> list[_Element]:
    """A switch as it stands in properties: the bare element when on, nothing when off."""
    return [element(tag)] if on else []


def shading(color: str) -> _Element:
    """The colour, #rrggbb, behind a run or a cell."""
    return element("w:shd", {"w:val": "clear", "w:color": "auto", "w:fill": color.lstrip("#").upper()})


def twips(points: float) -> int:
    """Twentieths of a point."""
    return round(points * 20)


def emu(points: float) -> int:
    """English Metric Units, 12,700 to a point."""
    return round(points * 12_700)


def _name(tag: str) -> str:
    prefix, local = tag.split(":", 1)
    return f"{{{NAMESPACES[prefix]}}}{local}"
