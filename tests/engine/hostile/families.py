"""Families of documents that ask for more work than their size: each made for a size n, of a seed."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable

from tests.engine.hostile.bad_pdfs import one_page, stream
from tests.engine.hostile.packages import document, presentation, workbook

Made = Callable[[int, random.Random], bytes]


def _html(head: str, piece: str, tail: str = "x") -> Made:
    return lambda n, draw: f"<!doctype html>{head}{piece * n}{tail}{draw.random()}".encode()


def _page(content: bytes, resources: bytes = b"", more: dict[int, bytes] | None = None) -> bytes:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    page = b"/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>%s>>" % resources
    return one_page(b"", page, {4: stream(content), 5: font, **(more or {})})


def _painted(piece: bytes, resources: bytes = b"", more: dict[int, bytes] | None = None) -> Made:
    """Pieces at places that are drawn; x and y stand for them."""

    def made(n: int, draw: random.Random) -> bytes:
        places = ((draw.randrange(20, 560), draw.randrange(20, 760)) for _ in range(n))
        pieces = (piece.replace(b"x", b"%d" % x).replace(b"y", b"%d" % y) for x, y in places)
        return _page(b"BT /F 12 Tf 50 775 Td (Some text) Tj ET\n" + b"\n".join(pieces), resources, more)

    return made


def _workbook(sheet: Callable[[int, random.Random], str]) -> Made:
    return lambda n, draw: workbook(sheet(n, draw))


def _merged(n: int, draw: random.Random) -> str:
    word = f'<sheetData><row r="1"><c r="A1" t="n"><v>{draw.randrange(100)}</v></c></row></sheetData>'
    areas = "".join(f'<mergeCell ref="A{10 * i + 1}:XFD{10 * i + 9}"/>' for i in range(n))
    return f"{word}<mergeCells>{areas}</mergeCells>"


_IMAGE = b"/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray"
_GROUP = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Group<</S/Transparency/I true>>"

FAMILIES: dict[str, tuple[str, int, Made]] = {
    "tables": ("html-to-pdf", 100, _html("", "<table><tr><td>")),
    "columns of boxes": ("html-to-pdf", 100, _html("<style>i{display:flex;flex-flow:column}</style>", "<i>a<i>b</i>")),
    "columns of text": ("html-to-pdf", 100, _html("<style>i{display:block;columns:2}</style>", "<i>a<i>b</i>")),
    "cells": ("html-to-pdf", 100, _html("<style>i{display:table-cell}</style>", "<i>a<i>b</i>")),
    "floats": ("html-to-pdf", 100, _html("<style>i{float:right;width:99%}</style>", "<i>a<i>b</i>")),
    "fieldsets": ("html-to-pdf", 100, _html("", "<fieldset>")),
    "drawings": ("html-to-pdf", 100, _html("", "<svg>")),
    "lines": ("pdf-to-markdown", 1000, _painted(b"x y m x 900 l S")),
    "short lines": ("pdf-to-markdown", 5000, _painted(b"q 1 0 0 1 x y cm 0 0 m 7 0 l 0 7 m 7 0 l S Q")),
    "areas": ("pdf-to-markdown", 1000, _painted(b"0.5 g x y 40 20 re f")),
    "frames": ("pdf-to-markdown", 1000, _painted(b"x y 20 10 re S")),
    "dots": ("pdf-to-markdown", 1000, _painted(b"x y 3 3 re f")),
    "words": ("pdf-to-markdown", 500, _painted(b"BT /F 2 Tf x y Td (word) Tj ET")),
    "groups": (
        "pdf-to-markdown",
        200,
        _painted(b"/X Do", b"/XObject<</X 6 0 R>>", {6: stream(b"0 0 612 792 re f", _GROUP)}),
    ),
    "small pictures": (
        "pdf-to-markdown",
        400,
        _painted(b"q 9 0 0 9 x y cm /X Do Q", b"/XObject<</X 6 0 R>>", {6: stream(b"abcd", _IMAGE)}),
    ),
    "merged areas": ("document-parsing", 200, _workbook(_merged)),
}
"""By name: the operation, the first of the sizes, and what makes a document."""


def _repeated(content: bytes, resources: bytes, more: dict[int, bytes]) -> Made:
    """A page that says one thing n times, packed."""

    def made(n: int, _draw: random.Random) -> bytes:
        page = b"/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<%s>>" % resources
        return one_page(b"", page, {4: stream(zlib.compress(content * n, 9), b"/Filter/FlateDecode"), **more})

    return made


def _uses(n: int, _draw: random.Random) -> bytes:
    parts = "".join(f"<g id=a{level + 1}>{f'<use href=#a{level} />' * 10}</g>" for level in range(n))
    return f"<svg><g id=a0><rect width=9 height=9 /></g>{parts}<use href=#a{n} /></svg>".encode()


def _cells(cell: str) -> Callable[[int], str]:
    """Cells of a sheet, twenty a row."""
    row = f"<row>{cell * 20}</row>"
    return lambda n: f"<sheetData>{row * (n // 20)}</sheetData>"


_LARGE = stream(
    zlib.compress(bytes(3000 * 3000), 9),
    b"/Type/XObject/Subtype/Image/Width 3000/Height 3000/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode",
)
_LONG = f"<si><t>{'text ' * 6000}</t></si>"
_RICH = f"<si>{'<r><rPr><b/></rPr><t>x</t></r>' * 500}</si>"
_PARAGRAPH = "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
_NOTED = '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'
_NOTE = f'<w:footnote w:id="1"><w:p><w:r><w:t>{"a long note " * 2000}</w:t></w:r></w:p></w:footnote>'
_SPAN = f'<w:tc><w:tcPr><w:gridSpan w:val="1000000"/></w:tcPr>{_PARAGRAPH}</w:tc>'
_NUMBERS = _cells("<c><v>1</v></c>")
_STRINGS = _cells('<c t="s"><v>0</v></c>')
_FORMATTED = _cells('<c s="1"><v>1.5</v></c>')
_LINK = '<hyperlink ref="A1:XFD1048576" location="s!A1"/>'
_FORMAT = (
    '<numFmts><numFmt numFmtId="170" formatCode="{}"/></numFmts><cellXfs><xf/><xf numFmtId="170" '
    'applyNumberFormat="1"/></cellXfs>'
)
_SHAPE = '<p:sp><p:nvSpPr><p:cNvPr id="2" name="t"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>'
_SHAPE += "<a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>"
_FRAME = (
    '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="t"/><p:cNvGraphicFramePr/><p:nvPr/>'
    '</p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></p:xfrm><a:graphic><a:graphicData '
    'uri="http://schemas.openxmlformats.org/drawingml/2006/table"><a:tbl><a:tblGrid/>{}</a:tbl></a:graphicData>'
    "</a:graphic></p:graphicFrame>"
)
_ROW = '<a:tr h="1"><a:tc gridSpan="1000000" rowSpan="1000000"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody>'
_ROW += "</a:tc></a:tr>"

MULTIPLIED: dict[str, tuple[str, int, Made]] = {
    "one picture over and over": (
        "pdf-to-img",
        1500,
        _repeated(b"q 600 0 0 700 5 5 cm /X Do Q\n", b"/XObject<</X 6 0 R>>", {6: _LARGE}),
    ),
    "cells of a whole table": ("html-to-pdf", 300, _html("<table>", "<tr><td colspan=1000 rowspan=65534>x")),
    "a drawing of itself": ("html-to-pdf", 9, _uses),
    "equal paragraphs": ("document-parsing", 40_000, lambda n, _: document(_PARAGRAPH * n)),
    "empty paragraphs": ("docx-to-pdf", 300_000, lambda n, _: document("<w:p/>" * n)),
    "one note": ("docx-to-pdf", 4_000, lambda n, _: document(_NOTED * n, _NOTE)),
    "wide cells": ("document-parsing", 50, lambda n, _: document(f"<w:tbl><w:tr>{_SPAN * n}</w:tr></w:tbl>")),
    "one sheet": ("document-parsing", 100, lambda n, _: workbook(_NUMBERS(500), n)),
    "one string": ("xlsx-to-pdf", 9_000, lambda n, _: workbook(_STRINGS(n), strings=_LONG)),
    "one rich string": (
        "document-parsing",
        900,
        lambda n, _: workbook(_STRINGS(n), strings=_RICH),
    ),
    "a long format": (
        "document-parsing",
        50_000,
        lambda n, _: workbook(_FORMATTED(1000), styles=_FORMAT.format("0" * n)),
    ),
    "links of the whole sheet": (
        "document-parsing",
        2_000,
        lambda n, _: workbook(f"{_NUMBERS(20)}<hyperlinks>{_LINK * n}</hyperlinks>"),
    ),
    "one slide": ("document-parsing", 500, lambda n, _: presentation(_SHAPE * 20, n)),
    "wide cells of a slide": ("document-parsing", 100, lambda n, _: presentation(_FRAME.format(_ROW * n))),
}
"""A few kilobytes each that would be much more work, were they read as often as they say."""
