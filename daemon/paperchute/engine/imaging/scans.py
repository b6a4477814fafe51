"""Scanned pages of a PDF cleaned or laid straight in place: the page's picture is replaced, all else stays."""

from __future__ import annotations

import io
import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import pikepdf
from numpy.typing import NDArray
from pikepdf import Dictionary, Matrix, Name, Object, Page, Pdf, Stream
from PIL import Image

from paperchute.engine.imaging.beds import sheet_on_bed
from paperchute.engine.imaging.blank import DPI, Pixels, grown, ink_of
from paperchute.engine.imaging.decoder import MOST_PIXELS, as_rgb
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.imaging.picture_files import clean_picture
from paperchute.engine.imaging.planes import scaled
from paperchute.engine.imaging.recoding import group4
from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.report import counted
from paperchute.engine.work import Refused
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """Which pictures of a PDF are scanned pages."""

    most_operators: int = 200_000
    """Of a page or form that are looked at: a bound on work."""


SCANS = ScanSettings()

_SKEWED, _UPRIGHT = 1e-3, 0.9999  # the rounding of matrices: of a right angle, and of a quarter turn
_LONGEST = 32_766  # pixels: OpenCV turns no picture that is longer
_NOT_DECODED_HERE = (
    pikepdf.UnsupportedImageTypeError,
    pikepdf.HifiPrintImageNotTranscodableError,
    pikepdf.NotExtractableError,
    pikepdf.DependencyError,
    NotImplementedError,
)
_PAINTING = frozenset(
    ("f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "sh", "Tj", "TJ", "'", '"', "INLINE IMAGE", "Do")
)
"""Operators that put something on a page, be it invisible text (ISO 32000-1, annex A)."""


def clean_scans(pdf: Pdf, name: str) -> int:
    """Clean the pictures of those pages that are scans; how many pages were. Pages born digital stay as they are.

    A picture that several pages show is cleaned once. Raises Refused 02209 for pictures of too many pixels, 190010 for
    broken ones.
    """
    done: set[tuple[int, int]] = set()
    pages = enumerate(counted(pdf.pages, len(pdf.pages)), start=1)
    return sum(clean_page(page, f"{name}, page {number}", done) for number, page in pages)


def clean_page(page: Page, where: str, done: set[tuple[int, int]]) -> bool:
    """Clean the pictures of a page that is a scan; whether it is one. Raises as `clean_scans`.

    Args:
        page: The page.
        where: What it is called, for messages.
        done: Pictures that other pages have had cleaned; those of this one are added.
    """
    pictures = list(_full_page_pictures(page))
    for picture in pictures:
        if picture.objgen not in done:
            done.add(picture.objgen)
            _clean(picture, where)
    return bool(pictures)


def _full_page_pictures(page: Page) -> Iterator[Stream]:
    """The pictures that cover most of a page; masks are none."""
    left, bottom, right, top = (float(edge) for edge in page.cropbox)
    area = abs((right - left) * (top - bottom))
    for picture, matrix in drawn_pictures(page):
        if picture.get(Name.ImageMask, False):
            continue
        if area and abs(matrix.a * matrix.d - matrix.b * matrix.c) >= PRINT.more * area:
            yield picture


def drawn_pictures(page: Page) -> Iterator[tuple[Stream, Matrix]]:
    """List the pictures that a page draws, as often as it does, with the matrix by which each is drawn."""
    yield from _drawn(page.obj.get(Name.Resources), page, Matrix(), 0)


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
                elif drawn.get(Name.Subtype) == Name.Form and depth < PRINT.several:
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


def state_of_pictures(page: Page) -> Literal["whole", "damaged", "unknown"]:
    """Decide whether all pictures that a page draws are there, and whole: unknown where they cannot be decoded here."""
    resources = page.obj.get(Name.Resources)
    known = resources.get(Name.XObject) if isinstance(resources, Dictionary) else None
    drawn = {str(operands[0]) for operands, operator in _instructions(page) if str(operator) == "Do" and operands}
    if not drawn <= set(known.keys() if isinstance(known, Dictionary) else ()):
        return "damaged"
    unknown = False
    for stream, _matrix in drawn_pictures(page):
        try:
            if int(stream.Width) * int(stream.Height) > MOST_PIXELS:
                unknown = True
            else:
                pikepdf.PdfImage(stream).as_pil_image().load()
        except _NOT_DECODED_HERE:
            unknown = True
        except (*FAULTS, OSError, zlib.error):
            return "damaged"
    return "unknown" if unknown else "whole"


def _shows_only_a_picture(page: Page) -> bool:
    """Decide whether a page consists of one picture, so that nothing has to move along with it."""
    if isinstance(page.obj.get(Name.Annots), pikepdf.Array) and len(page.obj.Annots):
        return False
    drawn = list(drawn_pictures(page))
    if len(drawn) != 1 or [*_full_page_pictures(page)] != [drawn[0][0]]:
        return False
    try:
        painted = [str(one.operator) for one in pikepdf.parse_content_stream(page) if str(one.operator) in _PAINTING]
    except FAULTS:
        return False
    return painted == ["Do"]


def straighten(
    page: Page, degrees: float, where: str, sheet: Sequence[tuple[float, float]] | None = None
) -> Matrix | None:
    """Turn the picture of a scanned page counterclockwise about its middle; how it moved in the page's user space.

    None where it stays as it is: the page has more than its picture, that has a mask or lies oddly, or ink
    would be cut off at a corner. What comes in at the edges has the paper's tone. Raises Refused 02209, 190010.

    Args:
        page: The page, whose picture is no other page's.
        degrees: As one looks at the page, in any of its quarter turns.
        where: What the page is called, for messages.
        sheet: What `sheet_of` found on it; the bed around it gets the paper's tone, too.
    """
    if not _shows_only_a_picture(page):
        return None
    ((stream, m),) = drawn_pictures(page)
    if any(key in stream for key in (Name.SMask, Name.Mask, Name.Decode)):
        return None
    if max(int(stream.Width), int(stream.Height)) > _LONGEST:
        return None
    along, down = math.hypot(m.a, m.b), math.hypot(m.c, m.d)
    if abs(m.a * m.c + m.b * m.d) > _SKEWED * along * down:
        return None
    if min(max(abs(m.a), abs(m.b)) / along, max(abs(m.c), abs(m.d)) / down) < _UPRIGHT:
        return None
    picture = _decoded(stream, where)
    width, height = picture.size
    turned = degrees if m.a * m.d - m.b * m.c > 0 else -degrees
    forth = _about_middle(turned, (width, height), (along / width, down / height))
    values = _values(picture)
    if sheet is not None:
        values = _without_bed(values, [m.inverse().transform(corner) for corner in sheet])
    if _cuts_ink(values, forth, height * 72 / down):
        return None
    outside = _paper_tone(values)
    result = cv2.warpAffine(values, forth, (width, height), flags=cv2.INTER_CUBIC, borderValue=outside)
    _store(stream, np.asarray(result, np.uint8), picture.mode)
    x, y = m.a / 2 + m.c / 2 + m.e, m.b / 2 + m.d / 2 + m.f
    turn = Matrix().rotated(degrees)
    return Matrix().translated(-x, -y) @ turn @ Matrix().translated(x, y)


def sheet_of(page: Page, where: str) -> list[tuple[float, float]] | None:
    """Find the corners, in the page's user space, of the sheet on a bed that is larger; None where that is not sure.

    A page that is more than its picture has none. Raises Refused 02209, 190010. Args: as of `straighten`.
    """
    if not _shows_only_a_picture(page):
        return None
    ((stream, matrix),) = drawn_pictures(page)
    if any(key in stream for key in (Name.SMask, Name.Mask, Name.Decode)):
        return None
    picture = _decoded(stream, where)
    found = sheet_on_bed(_values(picture), picture.height * 72 / math.hypot(matrix.c, matrix.d))
    return None if found is None else [matrix.transform((x, 1 - y)) for x, y in found.tolist()]


def paint_edges(page: Page, where: str, done: set[tuple[int, int]]) -> None:
    """Paint dark edges and punch holes over with the paper around them. Raises Refused 02209, 190010.

    Args: as of `clean_page`.
    """
    for stream in list(_full_page_pictures(page)):
        if stream.objgen in done or Name.Decode in stream:
            continue
        done.add(stream.objgen)
        matrix = next(matrix for picture, matrix in drawn_pictures(page) if picture.objgen == stream.objgen)
        picture = _decoded(stream, where)
        values = _values(picture)
        painted = _painted(values, picture.height * 72 / math.hypot(matrix.c, matrix.d))
        if painted is not None:
            _store(stream, painted, picture.mode)


def _without_bed(values: Pixels, sheet: Sequence[tuple[float, float]]) -> Pixels:
    """The picture with paper all around its sheet, whose corners are given in the unit square of a picture."""
    height, width = values.shape[:2]
    corners = [(round(x * width), round((1 - y) * height)) for x, y in sheet]
    inside = cv2.fillConvexPoly(np.zeros((height, width), np.uint8), np.array(corners, np.int32), 1) > 0
    result = values.copy()
    result[~inside] = np.asarray(_paper_tone(values[inside][:, None]), np.uint8)
    return result


def _painted(values: Pixels, dpi: float) -> Pixels | None:
    """The picture without what a scanner adds at its edges; None where it adds nothing."""
    small = scaled(values, min(1.0, DPI / dpi))
    ink = ink_of(small)
    if not ink.scanner.any():
        return None
    mask = grown(grown(ink.scanner)) & (1 - grown(ink.marks))
    paper = (1 - grown(grown(ink.scanner | ink.marks))).astype(np.float32)
    reach = min(small.shape[:2]) / 16
    share = np.maximum(cv2.GaussianBlur(paper, (0, 0), reach), 1e-3)
    toned = small.reshape(*small.shape[:2], -1).astype(np.float32) * paper[:, :, None]
    blurred = np.asarray(cv2.GaussianBlur(toned, (0, 0), reach), np.float32).reshape(toned.shape)
    tone = np.clip(blurred / share[:, :, None], 0, 255).astype(np.uint8).reshape(small.shape)
    whole = values.shape[1::-1]
    where = cv2.resize(mask, whole, interpolation=cv2.INTER_NEAREST) > 0
    result = values.copy()
    result[where] = cv2.resize(tone, whole, interpolation=cv2.INTER_LINEAR)[where]
    return result


def _values(picture: Image.Image) -> Pixels:
    """A picture's pixels as grey or RGB."""
    toned = picture if picture.mode in ("1", "L", "RGB") else as_rgb(picture)
    return np.asarray(toned.convert("L") if toned.mode == "1" else toned, np.uint8)


def _store(stream: Stream, values: Pixels, mode: str) -> None:
    """Replace a picture by another of the same size, packed as it was: bits as bits, JPEG as JPEG, else lossless."""
    result = Image.fromarray(values)
    if mode == "1":
        bits = result.point(lambda grey: 255 * (grey > 127)).convert("1", dither=Image.Dither.NONE)
        group4(bits, Name.DeviceGray).put_into(stream)
    else:
        _replace(stream, result, as_jpeg=_is_lossy(stream))


def _about_middle(degrees: float, size: tuple[int, int], sides: tuple[float, float]) -> NDArray[np.float64]:
    """A turn counterclockwise of a picture whose pixels have these sides."""
    turn = math.radians(degrees)
    stretch = np.diag(sides)
    linear = np.linalg.inv(stretch) @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    linear = linear @ stretch
    middle = np.array(size) / 2 - 0.5
    return np.column_stack([linear, middle - linear @ middle])


def _cuts_ink(values: NDArray[np.uint8], forth: NDArray[np.float64], dpi: float) -> bool:
    """Decide whether any ink would be turned out of a picture."""
    grey = cv2.cvtColor(values, cv2.COLOR_RGB2GRAY) if values.ndim == 3 else values
    share = min(1.0, DPI / dpi)
    small = scaled(np.asarray(grey, np.uint8), share)
    back = cv2.invertAffineTransform(forth * [[1, 1, share], [1, 1, share]])
    kept = cv2.warpAffine(np.ones_like(small), back, (small.shape[1], small.shape[0]), flags=cv2.INTER_NEAREST)
    return bool(ink_of(small).marks[np.asarray(kept) == 0].any())


def _paper_tone(values: NDArray[np.uint8]) -> tuple[float, ...]:
    """The colour that most of the lighter half of a picture has."""
    step = max(1, int((values.shape[0] * values.shape[1] / 250_000) ** 0.5))
    sample = values[::step, ::step].reshape(-1, values.shape[2] if values.ndim == 3 else 1).astype(np.float32)
    lightness = sample.mean(axis=1)
    lighter = sample[lightness >= np.median(lightness)]
    return tuple(float(value) for value in np.median(lighter, axis=0))


def _decoded(stream: Stream, where: str) -> Image.Image:
    """A picture of a page, decoded. Raises Refused 02209 for too many pixels, 190010 for one that cannot be read."""
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
    try:
        picture = pikepdf.PdfImage(stream).as_pil_image()
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
    return picture


def _is_lossy(stream: Stream) -> bool:
    return bool({"/DCTDecode", "/JPXDecode"} & {str(name) for name in pikepdf.PdfImage(stream).filters})


def _clean(stream: Stream, where: str) -> None:
    """Replace a picture by itself, cleaned. Black-and-white ones have no tint and stay."""
    is_bits = int(stream.get(Name.BitsPerComponent, 8)) == 1
    if is_bits and int(stream.get(Name.Width, 0)) * int(stream.get(Name.Height, 0)) <= MOST_PIXELS:
        return
    picture = _decoded(stream, where)
    if picture.mode == "1":
        return
    result = clean_picture(picture if picture.mode in ("L", "RGB") else as_rgb(picture))
    _replace(stream, result, as_jpeg=_is_lossy(stream))


def _replace(stream: Stream, result: Image.Image, *, as_jpeg: bool) -> None:
    """Other pixels for a picture, its size, masks and everything else kept (ISO 32000-1, 8.9.5)."""
    channels = 1 if result.mode == "L" else 3
    if as_jpeg:
        buffer = io.BytesIO()
        result.save(buffer, "JPEG", quality=PRINT.quality)
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
    """Decide whether a colour space is one that the new pixels can stay in."""
    if isinstance(space, pikepdf.Array) and len(space) > 1 and space[0] == Name.ICCBased:
        return int(space[1].get(Name.N, 0)) == channels
    return space == (Name.DeviceGray if channels == 1 else Name.DeviceRGB)
