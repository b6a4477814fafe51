"""A PDF of a picture file: a page for each of its frames, as large as it says, its pixels as they are.

The data of JPEG and JPEG 2000 files is taken over unchanged (ISO 32000-1, 7.4.8 and 7.4.9), and of PNG where the page
can hold it. Ink and paper become CCITT Group 4, everything else Flate with PNG's predictors (7.4.4.4).
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream
from PIL import Image

from paperchute.contract import PICTURES
from paperchute.engine.imaging.decoder import dpi_of, on_ground, stored_frames
from paperchute.engine.imaging.depths import eight_bits
from paperchute.engine.imaging.picture_files import fits_profile
from paperchute.engine.imaging.recoding import group4
from paperchute.engine.imaging.sheets import page_size
from paperchute.engine.work import Source

_MOST_HELD = 64 << 20  # bytes of pages in memory, before they are put on disk
_MOST_PROFILE = 4 << 20
_PLAIN_JPEG = (0xC0, 0xC1, 0xC2)  # baseline, extended, progressive; readers know no arithmetic coding
_NO_LENGTH = (0x01, *range(0xD0, 0xD9))  # JPEG markers that nothing follows (ITU-T T.81, B.1.1.3)
_BOXED_JPEG_2000 = b"\0\0\0\x0cjP  \r\n\x87\n"

_PLACED = {
    1: (1, 0, 0, 1, 0, 0), 2: (-1, 0, 0, 1, 1, 0), 3: (-1, 0, 0, -1, 1, 1), 4: (1, 0, 0, -1, 0, 1),
    5: (0, -1, -1, 0, 1, 1), 6: (0, -1, 1, 0, 0, 1), 7: (0, 1, 1, 0, 0, 0), 8: (0, 1, -1, 0, 1, 0),
}  # fmt: skip
"""How the unit square of a picture lies on its page, of width and height 1, by EXIF's orientation (2.32, 4.6.4)."""


def as_pdf(source: Source, folder: Path, number: int = 0) -> Source:
    """Make a PDF of a source that is a picture; others stay what they are.

    Raises Refused 02209, 100105, 02003, 190010 (`imaging.decoder`).
    """
    if source.kind not in PICTURES:
        return source
    path = folder / f"picture-{number}.tmp"
    write_picture_pdf(source.path, source.name, path)
    return replace(source, path=path, kind="pdf")


def write_picture_pdf(source: Path, name: str, target: Path) -> None:
    """Write a page for each frame of a picture file. name: what its sender calls it. Raises as `as_pdf`."""
    parts: list[Path] = []
    pdf, held = pikepdf.new(), 0
    for frame in stored_frames(source, name):
        held += _add_page(pdf, frame, source)
        if held > _MOST_HELD:
            parts.append(target.with_name(f"{target.name}.{len(parts)}"))
            pdf.save(parts[-1])
            pdf, held = pikepdf.new(), 0
    with ExitStack() as opened:
        whole = pikepdf.new()
        for part in parts:
            whole.pages.extend(opened.enter_context(pikepdf.open(part)).pages)
        whole.pages.extend(pdf.pages)
        whole.save(target, min_version="1.5")
    for part in parts:
        part.unlink()


def _add_page(pdf: Pdf, frame: Image.Image, source: Path) -> int:
    """Add a page that shows a frame; the bytes of its picture."""
    orientation = _orientation(frame)
    width, height = page_size(frame.size, dpi_of(frame))
    if orientation > 4:
        width, height = height, width
    picture = _embedded(pdf, frame, source)
    a, b, c, d, e, f = _PLACED[orientation]
    placed = (a * width, b * height, c * width, d * height, e * width, f * height)
    page = pdf.add_blank_page(page_size=(width, height))
    page.Resources = Dictionary(XObject=Dictionary(Im0=picture))
    page.Contents = pdf.make_stream(f"q {' '.join(f'{value:.4f}' for value in placed)} cm /Im0 Do Q".encode())
    return len(picture.read_raw_bytes())


def _orientation(frame: Image.Image) -> int:
    try:
        found = frame.getexif().get(0x0112)
    except (SyntaxError, ValueError, TypeError):
        return 1
    return found if isinstance(found, int) and found in _PLACED else 1


# ---------- the picture ----------


@dataclass(frozen=True, slots=True)
class _Pixels:
    """What a picture object holds beside its size. decode: the values' meaning, where it is not the usual one."""

    data: bytes
    filter: Name
    space: Object | Name | None
    bits: int = 8
    parameters: Dictionary | None = None
    decode: Sequence[int] = ()


def _embedded(pdf: Pdf, frame: Image.Image, source: Path) -> Stream:
    pixels = _taken_over(pdf, frame, source) or _lossless(pdf, frame)
    stream = Stream(pdf, pixels.data)
    stream.Type, stream.Subtype = Name.XObject, Name.Image
    stream.Width, stream.Height = frame.size
    stream.Filter = pixels.filter
    if pixels.parameters is not None:
        stream.DecodeParms = pixels.parameters
    if pixels.space is not None:
        stream.ColorSpace, stream.BitsPerComponent = pixels.space, pixels.bits
    if pixels.decode:
        stream.Decode = Array(list(pixels.decode))
    return pdf.make_indirect(stream)


def _taken_over(pdf: Pdf, frame: Image.Image, source: Path) -> _Pixels | None:
    """The file's own data, where a page can show it as it is."""
    if frame.format in ("JPEG", "MPO") and frame.mode in ("L", "RGB", "CMYK"):
        data = source.read_bytes()
        if _coding(data) not in _PLAIN_JPEG:
            return None
        inverted = frame.mode == "CMYK" and "adobe" in frame.info  # as Photoshop writes them, and Pillow reads them
        plain_rgb = [layer[0] for layer in getattr(frame, "layer", ())] == [82, 71, 66] and "adobe" not in frame.info
        parameters = Dictionary(ColorTransform=0) if plain_rgb else None
        return _Pixels(data, Name.DCTDecode, _space(pdf, frame), 8, parameters, (1, 0) * 4 if inverted else ())
    if frame.format == "JPEG2000" and frame.mode in ("L", "RGB"):
        data = source.read_bytes()
        return _Pixels(data, Name.JPXDecode, None) if data.startswith(_BOXED_JPEG_2000) else None
    if frame.format == "PNG" and not frame.has_transparency_data:
        return _from_png(pdf, source.read_bytes(), frame)
    return None


def _coding(data: bytes) -> int:
    """The marker that says how a JPEG is coded (ITU-T T.81, table B.1); 0 where there is none."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return marker
        if marker == 0xFF:
            at += 1
        else:
            at += 2 if marker in _NO_LENGTH else 2 + int.from_bytes(data[at + 2 : at + 4])
    return 0


def _lossless(pdf: Pdf, frame: Image.Image) -> _Pixels:
    """The pixels packed anew, none of them changed; what is clear is laid on a ground, as when the file is read."""
    if frame.mode == "1" and "transparency" not in frame.info:
        made = group4(frame.copy(), Name.DeviceGray)
        return _Pixels(made.data, made.filter, Name.DeviceGray, 1, made.parameters)
    if frame.mode == "CMYK":
        return _Pixels(zlib.compress(frame.tobytes(), 6), Name.FlateDecode, _space(pdf, frame))
    if frame.has_transparency_data:
        picture = on_ground(frame)
    elif frame.mode in ("I", "F"):
        picture = Image.fromarray(eight_bits(np.asarray(frame)))
    elif frame.mode in ("L", "RGB", "P") or frame.mode.startswith("I;16"):
        picture = frame
    else:
        picture = frame.convert("RGB")
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=6, exif=b"", icc_profile=None)
    found = _from_png(pdf, out.getvalue(), picture)
    if found is None:
        raise ValueError("a PNG of our own is laid out as no page can show it")
    return found


def _from_png(pdf: Pdf, data: bytes, picture: Image.Image) -> _Pixels | None:
    """The data of a PNG (W3C PNG, 4.1); None for one whose rows are interlaced, or which has transparency."""
    chunks = list(_chunks(data))
    head = next((body for kind, body in chunks if kind == b"IHDR"), b"")
    palette = next((body for kind, body in chunks if kind == b"PLTE"), b"")
    bits, colour, interlaced = head[8], head[9], head[12]
    if interlaced or colour not in (0, 2, 3) or any(kind == b"tRNS" for kind, _ in chunks):
        return None
    space: Object | Name = _space(pdf, picture)
    if colour == 3:
        space = Array([Name.Indexed, space, len(palette) // 3 - 1, pikepdf.String(palette)])
    elif colour == 0 and picture.mode not in ("L", "1") and not picture.mode.startswith("I"):
        space = Name.DeviceGray
    columns = int.from_bytes(head[:4])
    parameters = Dictionary(Predictor=15, Colors=3 if colour == 2 else 1, BitsPerComponent=bits, Columns=columns)
    packed = b"".join(body for kind, body in chunks if kind == b"IDAT")
    return _Pixels(packed, Name.FlateDecode, space, bits, parameters)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4])
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length


def _space(pdf: Pdf, picture: Image.Image) -> Object | Name:
    """The colours of a picture: by its profile where it has one that fits (ISO 32000-1, 8.6.5.5)."""
    grey = picture.mode in ("L", "1") or picture.mode.startswith("I")
    channels, device = (
        (4, Name.DeviceCMYK) if picture.mode == "CMYK" else (1, Name.DeviceGray) if grey else (3, Name.DeviceRGB)
    )
    profile = picture.info.get("icc_profile")
    if not profile or len(profile) > _MOST_PROFILE or not fits_profile(profile, picture):
        return device
    return Array([Name.ICCBased, pdf.make_indirect(Stream(pdf, profile, N=channels, Alternate=device))])
