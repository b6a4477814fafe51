"""Marks on pages: a drawing put over or under what a page shows, as readers turn and cut it (ISO 32000-1, 14.8.2.2).

A mark is an artifact of the kind Watermark on a layer of its own, so that programs know it, and `pdf-del-watermark`.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String
from PIL import Image

from paperchute.engine.imaging.decoder import dpi_of, stored_frames
from paperchute.engine.imaging.sheets import page_size
from paperchute.engine.pdf.catalog import append_layers
from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.pdf.textlayer.content import numbers
from paperchute.engine.reading.pdf.view import Matrix
from paperchute.engine.work import Refused
from paperchute.language import _

Sheet = tuple[float, float, float]
"""Width and height of a page as readers show it, in its own units, and how many points such a unit is."""

_MOST_TILES = 10_000  # of one page


@dataclass(frozen=True)
class Mark:
    """What is put on pages: a form XObject of the document that they are in, and its size in points."""

    form: Object
    width: float
    height: float


@dataclass(frozen=True)
class Placing:
    """How a mark stands on a page, in points and degrees against the clock.

    across, down: 0 left or top, 0.5 in the middle, 1 right or bottom. scale: None for as large as the page takes, and
    `largest` at most. tiles: gaps between copies that fill the page, None for a single mark.
    """

    scale: float | None
    largest: float
    opacity: float = 1.0
    rotation: float = 0.0
    across: float = 0.5
    down: float = 0.5
    offset: tuple[float, float] = (0.0, 0.0)
    tiles: tuple[float, float] | None = None


def mark_of_page(pdf: Pdf, path: Path) -> Mark:
    """Make a mark for `pdf` of the only page of the PDF at `path`."""
    with pikepdf.open(path) as laid_out:
        page = laid_out.pages[0]
        left, bottom, right, top = (float(value) for value in page.mediabox)
        form = pdf.copy_foreign(page.as_form_xobject())
    return Mark(form, right - left, top - bottom)


def mark_of_picture(pdf: Pdf, path: Path, name: str) -> Mark:
    """Make a mark for `pdf` of a picture file, whose clear parts stay clear. Raises as `stored_frames`."""
    frame = next(iter(stored_frames(path, name)))
    pixels = frame.convert("RGBA")
    picture = _picture(pdf, pixels.convert("RGB"), Name.DeviceRGB)
    if frame.has_transparency_data:
        picture.SMask = _picture(pdf, pixels.getchannel("A"), Name.DeviceGray)
    width, height = page_size(pixels.size, dpi_of(frame))
    form = _form(
        pdf, f"q {numbers(width, 0, 0, height, 0, 0)} cm /Im Do Q", width, height, Dictionary(XObject={"/Im": picture})
    )
    return Mark(form, width, height)


def _picture(pdf: Pdf, pixels: Image.Image, space: Name) -> Stream:
    return Stream(
        pdf,
        zlib.compress(pixels.tobytes()),
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=pixels.width,
        Height=pixels.height,
        ColorSpace=space,
        BitsPerComponent=8,
        Filter=Name.FlateDecode,
    )


def _form(pdf: Pdf, content: str, width: float, height: float, resources: Dictionary) -> Stream:
    return Stream(
        pdf,
        content.encode("ascii"),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array([0, 0, round(width, 4), round(height, 4)]),
        Resources=resources,
    )


class Marking:
    """Puts one mark on pages of a document.

    cut: the 0-based pages that it does not fit on, of which a part or all of it is lost.
    """

    def __init__(self, pdf: Pdf, mark: Mark, placing: Placing, *, under: bool) -> None:
        """Add a layer to the document's, whose name is Watermark. under: what pages show lies over the mark."""
        self._pdf = pdf
        self._mark = mark
        self._placing = placing
        self.under = under
        self._drawn: dict[Sheet, tuple[Object, bool]] = {}
        self.cut: list[int] = []
        kind = Name.BG if under else Name.FG
        usage = Dictionary(PageElement=Dictionary(Subtype=kind))
        self._group = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Watermark"), Usage=usage))
        if placing.opacity < 1:  # as one thing, or letters that touch would show it
            mark.form.Group = Dictionary(S=Name.Transparency)
        append_layers(pdf, Dictionary(OCGs=Array([self._group]), D=Dictionary(Order=Array([self._group]))))

    def add(self, indices: Sequence[int]) -> None:
        """Put the mark on the pages with these 0-based indices. Raises Refused 03000 for too many tiles."""
        for index in indices:
            page = self._pdf.pages[index]
            to_user, sheet = view_of(page)
            if sheet not in self._drawn:
                self._drawn[sheet] = self._draw(sheet)
            form, fits = self._drawn[sheet]
            if not fits:
                self.cut.append(index)
            draw_artifact(page, form, to_user, "Watermark", under=self.under)

    def _draw(self, sheet: Sheet) -> tuple[Object, bool]:
        """A page's whole drawing, and whether all of it is to be seen."""
        placing, mark = self._placing, self._mark
        width, height, unit = sheet
        scale = placing.scale or min(placing.largest, _fitting(mark, placing.rotation, width * unit, height * unit))
        scale /= unit
        turned = math.radians(placing.rotation)
        cos, sin = math.cos(turned), math.sin(turned)
        wide = scale * (abs(mark.width * cos) + abs(mark.height * sin))
        high = scale * (abs(mark.width * sin) + abs(mark.height * cos))
        x = placing.across * (width - wide) + placing.offset[0] / unit
        y = (1 - placing.down) * (height - high) + placing.offset[1] / unit
        places, fits = [(x, y)], x >= -1 and y >= -1 and x + wide <= width + 1 and y + high <= height + 1
        if placing.tiles is not None:
            steps = wide + placing.tiles[0] / unit, high + placing.tiles[1] / unit
            places, fits = _grid((x, y), steps, (wide, high), (width, height)), True
        linear = Matrix(scale * cos, scale * sin, -scale * sin, scale * cos)
        middle = linear.at(mark.width / 2, mark.height / 2)
        content = "".join(
            f"q {numbers(*linear[:4], left + wide / 2 - middle[0], bottom + high / 2 - middle[1])} cm /Mark Do Q\n"
            for left, bottom in places
        )
        resources = Dictionary(XObject=Dictionary({"/Mark": mark.form}))
        if placing.opacity < 1:
            content = f"/Clear gs\n{content}"
            state = Dictionary(Type=Name.ExtGState, ca=placing.opacity, CA=placing.opacity)
            resources.ExtGState = Dictionary({"/Clear": state})
        form = _form(self._pdf, content, width, height, resources)
        form.OC = self._group
        return self._pdf.make_indirect(form), fits


def draw_artifact(page: pikepdf.Page, form: Object, place: Matrix, subtype: str, *, under: bool) -> None:
    """Draw a form over or under what a page shows, as an artifact of the page's making (ISO 32000-1, 14.8.2.2.2).

    place: from the form to the page's user space. subtype: Watermark, Header or Footer.
    """
    name = page.add_resource(form, Name.XObject)
    drawn = f"/Artifact <</Type /Pagination /Subtype /{subtype}>> BDC q {numbers(*place)} cm {name} Do Q EMC\n"
    before, behind = enclosing(page)
    page.contents_add(f"{drawn if under else ''}{before}\n".encode(), prepend=True)
    page.contents_add(f"\n{behind}\n{'' if under else drawn}".encode())


def _fitting(mark: Mark, rotation: float, width: float, height: float) -> float:
    """The largest scale at which a turned mark stands on a page of that size, with a tenth of it left free."""
    turned = math.radians(rotation)
    cos, sin = abs(math.cos(turned)), abs(math.sin(turned))
    return 0.9 * min(width / (mark.width * cos + mark.height * sin), height / (mark.width * sin + mark.height * cos))


def _grid(
    start: tuple[float, float], steps: tuple[float, float], size: tuple[float, float], page: tuple[float, float]
) -> list[tuple[float, float]]:
    """Return where copies stand that fill a page, one of them at `start`."""
    lines = [
        range(math.ceil((-extent - first) / step), math.floor((whole - first) / step) + 1)
        for first, step, extent, whole in zip(start, steps, size, page, strict=True)
    ]
    if len(lines[0]) * len(lines[1]) > _MOST_TILES:
        raise Refused("03000", _("the mark is too small to fill a page with it; make it larger, or the gaps wider"))
    return [(start[0] + i * steps[0], start[1] + j * steps[1]) for j in lines[1] for i in lines[0]]


def view_of(page: pikepdf.Page) -> tuple[Matrix, Sheet]:
    """The map from a page as it is shown (origin at the bottom left) to its user space, and its size as shown."""
    left, bottom, right, top = _shown_box(page)
    turn = int(page.rotation) % 360 if page.rotation is not None else 0
    matrix = {
        0: Matrix(1, 0, 0, 1, left, bottom),
        90: Matrix(0, 1, -1, 0, right, bottom),
        180: Matrix(-1, 0, 0, -1, right, top),
        270: Matrix(0, -1, 1, 0, left, top),
    }.get(turn, Matrix(1, 0, 0, 1, left, bottom))
    width, height = right - left, top - bottom
    unit = page.obj.get(Name.UserUnit, 1)
    sheet = (height, width) if turn in (90, 270) else (width, height)
    return matrix, (*sheet, float(unit) if isinstance(unit, int | float) and unit > 0 else 1.0)


def _shown_box(page: pikepdf.Page) -> tuple[float, float, float, float]:
    """Return what readers show of a page: the part of its CropBox that lies on its MediaBox (14.11.2.1)."""
    media, crop = (sorted_box(box) for box in (page.mediabox, page.cropbox))
    left, bottom = max(media[0], crop[0]), max(media[1], crop[1])
    right, top = min(media[2], crop[2]), min(media[3], crop[3])
    return (left, bottom, right, top) if right > left and top > bottom else media


def sorted_box(box: Object) -> tuple[float, float, float, float]:
    """A rectangle as left, bottom, right, top, by whichever corners it is given."""
    x, y, x2, y2 = (float(value) for value in box)
    return min(x, x2), min(y, y2), max(x, x2), max(y, y2)


def enclosing(page: pikepdf.Page) -> tuple[str, str]:
    """Return what goes before and behind a page's content, so that nothing of its state reaches what is added."""
    depth = lowest = 0
    try:
        for one in pikepdf.parse_content_stream(page, "q Q"):
            depth += 1 if str(one.operator) == "q" else -1
            lowest = min(lowest, depth)
    except FAULTS:
        return "q", "Q"
    return "q " * (1 - lowest), "Q " * (1 + depth - lowest)
