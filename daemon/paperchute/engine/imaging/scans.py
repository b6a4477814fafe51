"""Scanned pages of a PDF cleaned in place: the page's picture is replaced, everything else stays."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pikepdf
from pikepdf import Dictionary, Matrix, Name, Object, Page, Pdf, Stream
from PIL import Image

from paperchute.engine.imaging.cleanup import TONES
from paperchute.engine.imaging.decoder import MOST_PIXELS, as_rgb
from paperchute.engine.imaging.picture_files import clean_picture
from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.work import Refused
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """Which pictures of a PDF are scanned pages."""

    covers: float = 0.7
    """Of the page: what a scanner leaves free are margins."""

    deepest: int = 4
    """Forms inside of forms that are looked into: a bound on work."""

    most_operators: int = 200_000
    """Of a page or form that are looked at: a bound on work."""


SCANS = ScanSettings()


def clean_scans(pdf: Pdf, name: str) -> int:
    """Clean the pictures of those pages that are scans; how many pages were. Pages born digital stay as they are.

    A picture that several pages show is cleaned once. Raises Refused 02209 for pictures of too many pixels, 190010 for
    broken ones.
    """
    done: set[tuple[int, int]] = set()
    count = 0
    for number, page in enumerate(pdf.pages, start=1):
        pictures = list(_full_page_pictures(page))
        count += bool(pictures)
        for picture in pictures:
            if picture.objgen not in done:
                done.add(picture.objgen)
                _clean(picture, f"{name}, page {number}")
    return count


def _full_page_pictures(page: Page) -> Iterator[Stream]:
    """The pictures that cover most of a page; masks are none."""
    left, bottom, right, top = (float(edge) for edge in page.cropbox)
    area = abs((right - left) * (top - bottom))
    for picture, matrix in _drawn(page.obj.get(Name.Resources), page, Matrix(), 0):
        if picture.get(Name.ImageMask, False):
            continue
        if area and abs(matrix.a * matrix.d - matrix.b * matrix.c) >= SCANS.covers * area:
            yield picture


def _drawn(
    resources: Object | None, content: Page | Object, start: Matrix, depth: int
) -> Iterator[tuple[Stream, Matrix]]:
    """The pictures that content draws, with the matrix they are drawn by; those inside forms too."""
    known = resources.get(Name.XObject) if isinstance(resources, Dictionary) else None
    if not isinstance(known, Dictionary):
        return
    matrix, stack = start, []
    for number, (operands, operator) in enumerate(_instructions(content)):
        if number > SCANS.most_operators:
            return
        match str(operator):
            case "q":
                stack.append(matrix)
            case "Q":
                matrix = stack.pop() if stack else start
            case "cm" if len(operands) == 6:
                matrix = Matrix(*(float(value) for value in operands)) @ matrix
            case "Do" if operands and str(operands[0]) in known:
                drawn = known[str(operands[0])]
                if not isinstance(drawn, Stream):
                    continue
                if drawn.get(Name.Subtype) == Name.Image:
                    yield drawn, matrix
                elif drawn.get(Name.Subtype) == Name.Form and depth < SCANS.deepest:
                    inner = Matrix(drawn.Matrix) @ matrix if Name.Matrix in drawn else matrix
                    yield from _drawn(drawn.get(Name.Resources) or resources, drawn, inner, depth + 1)


def _instructions(content: Page | Object) -> Iterable[tuple[list[Object], object]]:
    try:
        found = pikepdf.parse_content_stream(content, "q Q cm Do")
    except FAULTS:
        return []
    return [
        (list(item.operands), item.operator) for item in found if isinstance(item, pikepdf.ContentStreamInstruction)
    ]


def _clean(stream: Stream, where: str) -> None:
    """Replace a picture by itself, cleaned. Black-and-white ones have no tint and stay."""
    width, height = int(stream.get(Name.Width, 0)), int(stream.get(Name.Height, 0))
    if width * height > MOST_PIXELS:
        raise Refused(
            "02209",
            _(
                "{where}: its picture has {width} x {height} pixels; at most {millions} million are read.",
                where=where,
                width=width,
                height=height,
                millions=MOST_PIXELS // 1000000,
            ),
        )
    if int(stream.get(Name.BitsPerComponent, 8)) == 1:
        return
    image = pikepdf.PdfImage(stream)
    filters = [str(name) for name in image.filters]
    try:
        picture = image.as_pil_image()
        picture.load()
    except (*FAULTS, OSError, zlib.error):
        raise Refused(
            "190010",
            _(
                "{where}: its picture is damaged or of a kind that cannot be read, so it cannot be cleaned."
                " Leave the page out with pageRanges, or scan it again.",
                where=where,
            ),
        ) from None
    if picture.mode == "1":
        return
    result = clean_picture(picture if picture.mode in ("L", "RGB") else as_rgb(picture))
    _replace(stream, result, as_jpeg="/DCTDecode" in filters or "/JPXDecode" in filters)


def _replace(stream: Stream, result: Image.Image, *, as_jpeg: bool) -> None:
    """Other pixels for a picture, its size, masks and everything else kept (ISO 32000-1, 8.9.5)."""
    channels = 1 if result.mode == "L" else 3
    if as_jpeg:
        buffer = io.BytesIO()
        result.save(buffer, "JPEG", quality=TONES.quality)
        stream.write(buffer.getvalue(), filter=Name.DCTDecode)
    else:
        stream.write(zlib.compress(result.tobytes(), 6), filter=Name.FlateDecode)
    space = stream.get(Name.ColorSpace)
    if not _is_space_of(space, channels):
        stream.ColorSpace = Name.DeviceGray if channels == 1 else Name.DeviceRGB
    stream.BitsPerComponent = 8
    for key in (Name.Decode, Name.DecodeParms, Name.Intent):
        if key in stream:
            del stream[key]
    if isinstance(stream.get(Name.Mask), pikepdf.Array):  # colours to leave out, which are others now
        del stream[Name.Mask]


def _is_space_of(space: Object | None, channels: int) -> bool:
    """Whether a colour space is one that the new pixels can stay in."""
    if isinstance(space, pikepdf.Array) and len(space) > 1 and space[0] == Name.ICCBased:
        return int(space[1].get(Name.N, 0)) == channels
    return space == (Name.DeviceGray if channels == 1 else Name.DeviceRGB)
