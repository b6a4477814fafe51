"""Boxes in colours on pages: what each block of a page was taken for, and what became nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, Stream

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import BlockKind
from paperchute.engine.pdf.textlayer.content import numbers
from paperchute.engine.pdf.watermarks import draw_artifact, view_of
from paperchute.engine.reading.pdf.view import Matrix

_COLOURS: dict[BlockKind, str] = {
    "doc_title": "#c00000", "paragraph_title": "#e03030", "text": "#606060", "list": "#208020", "table": "#1050d0",
    "code": "#8030b0", "formula": "#d07000", "image": "#c02080", "footnote": "#008080", "aside_text": "#008080",
    "header": "#906030", "footer": "#906030", "number": "#906030", "header_image": "#906030", "footer_image": "#906030",
}  # fmt: skip
_REJECTED = "#ff0000"
_LINE, _LETTERS, _WIDE = 0.8, 6.0, 0.56
"""Points: of a box, of its label, and how wide its letters are as a share of their size."""
_TINT = 0.08  # how much of a box's colour lies over what is in it


class Mark(NamedTuple):
    """A box, as its page is laid out, with a label of ASCII characters. kind: None for what became nothing."""

    box: Box
    label: str
    kind: BlockKind | None


class LaidOut(NamedTuple):
    """A page that was laid out: its size and turn as `document.model.Page` has them, and what is drawn on it.

    at: which page of the file it is, from 0.
    """

    at: int
    width: float
    height: float
    angle: int
    marks: tuple[Mark, ...]


def draw_layout(pdf: Pdf, pages: Iterable[LaidOut]) -> None:
    """Draw what was found on the pages of a document over what they show."""
    font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Helvetica-Bold")))
    tint = pdf.make_indirect(Dictionary(Type=Name.ExtGState, ca=_TINT))
    resources = Dictionary(Font=Dictionary({"/F": font}), ExtGState=Dictionary({"/Tint": tint}))
    for page in pages:
        if page.at < len(pdf.pages) and page.width > 0 and page.height > 0:
            _draw(pdf, pdf.pages[page.at], page, resources)


def _draw(pdf: Pdf, sheet: pikepdf.Page, page: LaidOut, resources: Dictionary) -> None:
    form = Stream(
        pdf,
        "\n".join(_drawn(page.marks, page.height)).encode("ascii"),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array([0, 0, round(page.width, 4), round(page.height, 4)]),
        Resources=resources,
    )
    to_user, (width, height, _unit) = view_of(sheet)
    turned = {
        0: Matrix(1, 0, 0, -1, 0, height),
        90: Matrix(0, 1, 1, 0, 0, 0),
        180: Matrix(-1, 0, 0, 1, width, 0),
        270: Matrix(0, -1, -1, 0, height, width),
    }[page.angle % 360]
    across, down = (width, height) if page.angle % 180 == 0 else (height, width)
    upright = Matrix(across / page.width, 0, 0, -down / page.height, 0, down)
    place = to_user.after(turned.inverse()).after(upright)
    draw_artifact(sheet, pdf.make_indirect(form), place, "Watermark", under=False)


def _drawn(marks: Sequence[Mark], height: float) -> Iterable[str]:
    """The operators that draw boxes on a page, whose origin is at the lower left of it as it is laid out."""
    for mark in marks:
        colour = numbers(*_rgb(_REJECTED if mark.kind is None else _COLOURS[mark.kind]))
        left, top, right, bottom = mark.box
        area = numbers(left, height - bottom, right - left, bottom - top)
        dashes = "[3 2] 0 d" if mark.kind is None else ""
        yield f"q {colour} rg {colour} RG {_LINE} w {dashes} q /Tint gs {area} re f Q {area} re S"
        x, y = left, height - top
        wide = _WIDE * _LETTERS * len(mark.label)
        if mark.kind is None or y + _LETTERS > height:  # what became nothing has its label at the other end
            x, y = max(right - wide, 0.0), max(height - bottom - _LETTERS, 0.0)
        ground = numbers(x, y, wide, _LETTERS)
        text = mark.label.translate({ord(c): f"\\{c}" for c in "()\\"})
        yield f"1 g {ground} re f {colour} rg BT /F {_LETTERS} Tf {numbers(x, y + _LINE)} Td ({text}) Tj ET Q"


def _rgb(colour: str) -> list[float]:
    return [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
