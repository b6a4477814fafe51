"""Places of a picture blacked out, pixel by pixel."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator, Sequence

import pikepdf
from pikepdf import Name, Pdf, Stream
from PIL import Image, ImageDraw

from paperchute.engine.imaging.decoder import MOST_PIXELS
from paperchute.engine.imaging.recoding import group4
from paperchute.engine.pdf.document import FAULTS

_SCAN, _COMMENT = 0xDA, 0xFE
_PROGRAMS, _RESTARTS, _END, _FILL = (0xE0, 0xEF), (0xD0, 0xD7), 0xD9, 0xFF
_OF_COLOURS = (b"JFIF\0", b"ICC_PROFILE\0", b"Adobe")
_BOXES_BESIDE = (b"xml ", b"uuid", b"uinf", b"jp2i")
Polygon = Sequence[tuple[float, float]]

_KEPT = ("/Type", "/Subtype", "/Width", "/Height", "/Interpolate", "/Intent", "/OC", "/StructParent")
_PHOTOGRAPHS = ("/DCTDecode", "/JPXDecode")
_FINE = 92  # quality of JPEG: what was one before shows no difference


def blacked_out(pdf: Pdf, stream: Stream, places: Sequence[Polygon]) -> Stream | None:
    """Give a copy of a picture that is black in some places, all its data made anew.

    None where it cannot be decoded here, or its pixels mean more than colours: stencils, keyed colours, CMYK.

    Args:
        pdf: The document, for the copy.
        stream: The picture.
        places: In the unit square that the picture is drawn in (ISO 32000-1, 8.9.5.1).
    """
    if any(key in stream for key in (Name.ImageMask, Name.Mask, Name.Decode, Name.SMaskInData)):
        return None
    if int(stream.get(Name.Width, 0)) * int(stream.get(Name.Height, 0)) > MOST_PIXELS:
        return None
    try:
        picture = _decoded(pdf, stream)
        if picture.size != (int(stream.Width), int(stream.Height)):
            return None
        copy = _copy(pdf, stream, picture, places)
        if copy is not None and Name.SMask in stream:
            mask = stream.SMask
            if not isinstance(mask, Stream) or any(key in mask for key in (Name.Decode, Name.Matte)):
                return None
            levels = pikepdf.PdfImage(mask).as_pil_image().convert("L")
            copy.SMask = _stream(pdf, mask, _painted(levels, places, 255), "/FlateDecode")
            copy.SMask.ColorSpace = Name.DeviceGray
    except (*FAULTS, OSError, zlib.error, NotImplementedError):
        return None
    return copy


def _decoded(pdf: Pdf, stream: Stream) -> Image.Image:
    """Decode a picture's own pixels, without the mask that pikepdf would lay on them."""
    bare = pdf.make_stream(stream.read_raw_bytes())
    for key in list(stream.keys()):
        if key not in ("/Length", "/SMask"):
            bare[key] = stream[key]
    picture: Image.Image = pikepdf.PdfImage(bare).as_pil_image()
    picture.load()
    return picture


def _copy(pdf: Pdf, stream: Stream, picture: Image.Image, places: Sequence[Polygon]) -> Stream | None:
    if picture.mode not in ("1", "L", "P", "RGB"):
        return None
    space = stream.get(Name.ColorSpace)
    if picture.mode == "P" or (picture.mode == "RGB" and not _has_channels(space, 3)):
        picture, space = picture.convert("RGB"), Name.DeviceRGB
    elif picture.mode in ("1", "L") and not _has_channels(space, 1):
        space = Name.DeviceGray
    filters = str(stream.get(Name.Filter, ""))
    packed = next((name for name in _PHOTOGRAPHS if name in filters), "/FlateDecode")
    made = _stream(pdf, stream, _painted(picture, places, 0), packed)
    made.ColorSpace = space
    return made


def _has_channels(space: object, count: int) -> bool:
    """Decide whether pixels of so many channels can be shown in a space as they are."""
    if space in ((Name.DeviceGray, Name.CalGray) if count == 1 else (Name.DeviceRGB, Name.CalRGB)):
        return True
    if isinstance(space, pikepdf.Array) and len(space) == 2 and space[0] == Name.ICCBased:
        return int(space[1].get(Name.N, 0)) == count
    return False


def _painted(picture: Image.Image, places: Sequence[Polygon], value: int) -> Image.Image:
    picture = picture.copy()
    draw = ImageDraw.Draw(picture)
    width, height = picture.size
    fill = (value,) * 3 if picture.mode == "RGB" else value
    for place in places:
        corners = [(x * width, (1 - y) * height) for x, y in place]
        draw.polygon(corners, fill=fill, outline=fill, width=3)
    return picture


def _stream(pdf: Pdf, original: Stream, picture: Image.Image, packed: str) -> Stream:
    made = pdf.make_stream(b"")
    for key in _KEPT:
        if key in original:
            made[key] = original[key]
    if picture.mode == "1":
        group4(picture, Name.DeviceGray).put_into(made)
        return made
    made.BitsPerComponent = 8
    if packed in _PHOTOGRAPHS and picture.mode in ("L", "RGB"):
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=_FINE, subsampling=0)
        made.write(out.getvalue(), filter=Name.DCTDecode)
    else:
        made.write(zlib.compress(picture.tobytes(), 6), filter=Name.FlateDecode)
    return made


def forget_beside(stream: Stream) -> None:
    """Take out what the data of a picture say beside its pixels: comments, properties, small copies of it.

    JPEG: ITU-T T.81, annex B; JPEG 2000: ISO 15444-1, annex I.
    """
    filters = stream.get(Name.Filter)
    named = [str(one) for one in filters] if isinstance(filters, pikepdf.Array) else [str(filters)]
    if named not in (["/DCTDecode"], ["/JPXDecode"]):
        return
    try:
        data = stream.read_raw_bytes()
        kept = b"".join(_jpeg_parts(data) if named == ["/DCTDecode"] else _jpeg_2000_parts(data))
        if len(kept) < len(data):
            parms = stream.get(Name.DecodeParms)
            is_said = isinstance(parms, pikepdf.Dictionary | pikepdf.Array)
            stream.write(kept, filter=Name(named[0]), decode_parms=parms if is_said else None)  # type: ignore[arg-type]
    except (*FAULTS, struct.error):
        return


def _jpeg_parts(data: bytes) -> Iterator[bytes]:
    """The segments of a JPEG but for those of programs, of which some say what its colours are; nothing behind it."""
    yield data[:2]
    place = 2
    while data[place : place + 1] == b"\xff" and (kind := data[place + 1]) != _SCAN:
        end = place + 2 + struct.unpack_from(">H", data, place + 2)[0]
        is_beside = kind == _COMMENT or _PROGRAMS[0] <= kind <= _PROGRAMS[1]
        if not is_beside or data[place + 4 : end].startswith(_OF_COLOURS):
            yield data[place:end]
        place = end
    yield data[place : _end_of_image(data, place)]


def _end_of_image(data: bytes, place: int) -> int:
    """Return where a JPEG ends whose first scan begins at a place: what is behind that may be another picture."""
    while 0 <= (place := data.find(b"\xff", place)) < len(data) - 3:
        kind = data[place + 1]
        if kind == _END:
            return place + 2
        if kind == 0 or _RESTARTS[0] <= kind <= _RESTARTS[1]:
            place += 2
        else:
            place += 1 if kind == _FILL else 2 + int(struct.unpack_from(">H", data, place + 2)[0])
    return len(data)


def _jpeg_2000_parts(data: bytes) -> Iterator[bytes]:
    """The boxes of a JPEG 2000 file but for those of text and of programs."""
    place = 0
    is_boxed = data[4:8] == b"jP  "
    while is_boxed and place + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, place)
        if size < 8:  # 0: to the end; 1: longer than 4 GiB
            break
        if kind not in _BOXES_BESIDE:
            yield data[place : place + size]
        place += size
    yield data[place:]
