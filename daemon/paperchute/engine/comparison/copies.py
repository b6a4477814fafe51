"""Differences drawn onto the documents: marked copies, both side by side, and one over the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Matrix, Name, Object, Pdf, String

from paperchute.engine.comparison.differences import Difference, Side
from paperchute.engine.document.geometry import Box
from paperchute.language import _

Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""
Marks = Mapping[int, Sequence[tuple[Difference, Side]]]
"""By 0-based page what is marked there: a difference, and which side of it the page shows."""
_GAP = 12.0
"""Points between two pages that lie side by side."""
_LONGEST = 500
"""Characters of the other version that a mark tells."""


@dataclass(frozen=True)
class Sheet:
    """A page as it is read: its size in points, and the map from there (y downwards) to its user space."""

    width: float
    height: float
    to_user: Matrix

    def upright(self, left: float, top: float) -> Matrix:
        """The map from user space to a place on another page, upright, by its top left corner (y upwards)."""
        return self.to_user.inverse() @ Matrix(1, 0, 0, -1, left, top)

    def corners(self, box: Box) -> list[float]:
        """A box in user space: x and y of its four corners in turn, from the top left as one reads."""
        points = [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]
        return [float(value) for point in points for value in self.to_user.transform(point)]

    def quads(self, side: Side, index: int) -> list[list[float]]:
        """The corners of what one side of a difference is on the page of that 0-based number."""
        return [self.corners(box) for box in _joined([box for at, box in side.places if at == index])]


@dataclass(frozen=True)
class Version:
    """One of the two documents: open, its pages as they are read, and what is marked on them."""

    pdf: Pdf
    sheets: Sequence[Sheet]
    marks: Marks


@dataclass(frozen=True)
class Colours:
    """Of what was replaced or moved, and of what one version has alone."""

    replaced: Colour
    alone: Colour

    def of(self, difference: Difference) -> Colour:
        """The colour in which a difference is marked."""
        return self.replaced if difference.kind in ("replaced", "moved") else self.alone


def marks_of(found: Iterable[Difference], *, base: bool) -> dict[int, list[tuple[Difference, Side]]]:
    """Sort differences by the pages of one side. base: of the base, else of the compared document."""
    marks: dict[int, list[tuple[Difference, Side]]] = defaultdict(list)
    for difference in found:
        side = difference.base if base else difference.compared
        for page in dict.fromkeys(page for page, _box in side.places):
            marks[page].append((difference, side))
    return marks


def mark(version: Version, colours: Colours, *, base: bool) -> None:
    """Add a highlight annotation for each difference, which says what the other version has there."""
    for index, found in version.marks.items():
        page = version.pdf.pages[index]
        notes = page.obj.get(Name.Annots)
        if not isinstance(notes, Array):
            notes = page.obj.Annots = Array()
        for difference, side in found:
            quads = version.sheets[index].quads(side, index)
            note = _highlight(version.pdf, quads, colours.of(difference), _said(difference, base=base))
            notes.append(version.pdf.make_indirect(note))


def _said(difference: Difference, *, base: bool) -> str:
    other = difference.compared if base else difference.base
    match difference.kind:
        case "moved":
            return _("On page {page} of the other version", page=other.places[0][0] + 1)
        case "replaced":
            return _("In the other version: {text}", text=other.text[:_LONGEST])
    return _("Not in the other version")


def _highlight(pdf: Pdf, quads: Sequence[Sequence[float]], colour: Colour, text: str) -> Dictionary:
    """A highlight annotation with its appearance, which viewers would else each draw in a way of their own."""
    xs, ys = [x for quad in quads for x in quad[::2]], [y for quad in quads for y in quad[1::2]]
    rect = Array([min(xs), min(ys), max(xs), max(ys)])
    look = pdf.make_stream(
        _painted(quads, colour).encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=rect,
        Resources=Dictionary(ExtGState=_blends(Marked=Name.Multiply)),
    )
    return Dictionary(
        Type=Name.Annot,
        Subtype=Name.Highlight,
        Rect=rect,
        # Readers want them in this order, whatever the standard says: top left and right, bottom left and right.
        QuadPoints=Array([quad[n] for quad in quads for n in (0, 1, 2, 3, 6, 7, 4, 5)]),
        C=Array(colour),
        F=4,
        T=String("Paperchute"),
        Contents=String(text),
        AP=Dictionary(N=look),
    )


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Words that follow one another in a line as one box, the space between them in it."""
    found: list[Box] = []
    for box in boxes:
        if found and abs(box.center[1] - found[-1].center[1]) < box.height / 2 and box.left >= found[-1].left:
            last = found[-1]
            if box.left - last.right < 2 * box.height:
                found[-1] = Box(
                    last.left, min(last.top, box.top), max(last.right, box.right), max(last.bottom, box.bottom)
                )
                continue
        found.append(box)
    return found


# ---------- both versions on one page ----------


def side_by_side(output: Path, versions: Sequence[Version], rows: Sequence[tuple[int, int]], colours: Colours) -> None:
    """Write a PDF that shows pages of the two versions beside each other, upright, with their marks.

    rows: their 0-based numbers; -1 where one version has none.
    """
    with pikepdf.new() as pdf:
        for row in rows:
            shown = [
                (number, version, index)
                for number, (version, index) in enumerate(zip(versions, row, strict=True))
                if index >= 0
            ]
            width = max(version.sheets[index].width for _, version, index in shown)
            height = max(version.sheets[index].height for _, version, index in shown)
            page = pdf.add_blank_page(page_size=(2 * width + _GAP, height))
            parts, forms = [], Dictionary()
            for number, version, index in shown:
                sheet, left = version.sheets[index], number * (width + _GAP)
                forms[f"/P{number}"] = _form(pdf, version, index)
                parts += [f"q {_numbers(sheet.upright(left, height).shorthand)} cm /P{number} Do"]
                for colour, quads in _quads(version, index, colours).items():
                    parts.append(_painted(quads, colour))
                parts += [
                    "Q",
                    f"q 0.6 G 0.5 w {_numbers((left, height - sheet.height, sheet.width, sheet.height))} re S Q",
                ]
            page.obj.Resources = Dictionary(XObject=forms, ExtGState=_blends(Marked=Name.Multiply))
            page.obj.Contents = pdf.make_stream("\n".join(parts).encode())
        pdf.save(output, min_version="1.4")


def overlaid(output: Path, versions: Sequence[Version], colours: Sequence[Colour], opacities: Sequence[float]) -> None:
    """Write a PDF of one version over the other, page by page: the ink of each in its colour, nothing made pixels."""
    with pikepdf.new() as pdf:
        for index in range(max(len(version.sheets) for version in versions)):
            shown = [(n, version) for n, version in enumerate(versions) if index < len(version.sheets)]
            width = max(version.sheets[index].width for _, version in shown)
            height = max(version.sheets[index].height for _, version in shown)
            page = pdf.add_blank_page(page_size=(width, height))
            states, forms, parts = Dictionary(), Dictionary(), []
            for number, version in shown:
                states[f"/S{number}"] = Dictionary(BM=Name.Multiply, ca=opacities[number], CA=opacities[number])
                forms[f"/P{number}"] = _tinted(pdf, version, index, colours[number], (width, height))
                parts.append(f"q /S{number} gs /P{number} Do Q")
            page.obj.Resources = Dictionary(XObject=forms, ExtGState=states)
            page.obj.Contents = pdf.make_stream("\n".join(parts).encode())
        pdf.save(output, min_version="1.4")


def _tinted(pdf: Pdf, version: Version, index: int, colour: Colour, size: tuple[float, float]) -> Object:
    """A page on white with its ink in a colour: black becomes the colour, and white stays (blend mode Screen)."""
    place, area = _numbers(version.sheets[index].upright(0.0, size[1]).shorthand), f"0 0 {_numbers(size)} re f"
    return pdf.make_stream(
        f"q 1 g {area} Q q {place} cm /Page Do Q /Tint gs {_numbers(colour)} rg {area}".encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array([0, 0, *size]),
        Group=Dictionary(S=Name.Transparency, I=True, CS=Name.DeviceRGB),
        Resources=Dictionary(XObject=Dictionary(Page=_form(pdf, version, index)), ExtGState=_blends(Tint=Name.Screen)),
    )


def _form(pdf: Pdf, version: Version, index: int) -> Object:
    """A page's content in its own user space, as a form of another document."""
    form = pdf.copy_foreign(version.pdf.pages[index].as_form_xobject(handle_transformations=False))
    corners = version.sheets[index].corners(Box(0.0, 0.0, version.sheets[index].width, version.sheets[index].height))
    form.BBox = Array([min(corners[::2]), min(corners[1::2]), max(corners[::2]), max(corners[1::2])])
    form.Group = Dictionary(S=Name.Transparency)
    return form


def _quads(version: Version, index: int, colours: Colours) -> dict[Colour, list[list[float]]]:
    found: dict[Colour, list[list[float]]] = defaultdict(list)
    for difference, side in version.marks.get(index, ()):
        found[colours.of(difference)] += version.sheets[index].quads(side, index)
    return found


def _painted(quads: Iterable[Sequence[float]], colour: Colour) -> str:
    lines = [f"q /Marked gs {_numbers(colour)} rg"]
    for quad in quads:
        (x1, y1), (x2, y2), (x3, y3), (x4, y4) = (map(_number, quad[n : n + 2]) for n in (0, 2, 4, 6))
        lines.append(f"{x1} {y1} m {x2} {y2} l {x3} {y3} l {x4} {y4} l h f")
    return "\n".join([*lines, "Q"])


def _blends(**modes: Name) -> Dictionary:
    """Graphics states that blend so, by their names."""
    return Dictionary({f"/{name}": Dictionary(BM=mode) for name, mode in modes.items()})


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _numbers(values: Iterable[float]) -> str:
    return " ".join(map(_number, values))
