"""Pictures of a PDF made smaller by what they are: ink and paper, grey, or a photograph (ISO 32000-1, 8.9)."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import pikepdf
from numpy.typing import NDArray
from pikepdf import Array, Dictionary, Name, Pdf, Stream
from PIL import Image

from paperchute.engine.imaging.decoder import MOST_PIXELS
from paperchute.engine.imaging.mixed_raster import MixedRaster, separate
from paperchute.engine.pdf.document import FAULTS

Codec = Literal["jpeg", "flate"]


@dataclass(frozen=True, slots=True)
class Wish:
    """How far a picture may be changed.

    upper: pixels per inch above which it is resampled; target: to which. Of bilevel pictures `bilevel_upper` and
    `bilevel_target`. qualities: of JPEG, rising; none leaves the pixels as they are. measured: of these the least
    that looks the same at 150 dpi. layered: a page of text may become ink above paper, which is measured always, but
    for the noise of paper.
    """

    upper: int = 0
    target: int = 0
    bilevel_upper: int = 0
    bilevel_target: int = 0
    grey_upper: int = 0
    grey_target: int = 0
    qualities: tuple[int, ...] = ()
    codec: Codec = "jpeg"
    measured: bool = True
    layered: bool = False


LOSSLESS: Final = Wish()
SAME: Final = Wish(225, 150, 0, 0, 225, 150, (55, 65, 75, 85, 90, 95))
SMALL: Final = Wish(120, 100, 450, 300, 120, 100, (45,), measured=False, layered=True)
LEVELS: Final = {"lossless": LOSSLESS, "same": SAME, "small": SMALL}
"""What the parameter `level` says."""

_LOOKED_AT = 150.0  # dpi: what a page is read at on screens and by office printers
_GREY = 10  # of 255: in squares of 8 by 8 pixels colours that differ less are noise of a scanner
_CALM, _NOISY = 0.03, 0.1  # of the range of tones: contrast that counts, as that work has it, and above a paper's noise
_SHARPER = 2  # times as many bytes as JPEG may layers have: their letters stay sharp where `small` blurs JPEG's
_LIKE, _LEAST_LIKE = 0.95, 0.8
"""Structural similarity (Wang and others, 2004) of pictures that look the same: on the mean, and in all but a hundredth
of the places. JPEG of quality 75 of scans and photographs has more; a letter that blurs has 0.6."""


def recode(pdf: Pdf, stream: Stream, dpi: float, wish: Wish) -> int:
    """Write a picture anew where that makes it smaller and changes no more than is wished; the bytes saved.

    Pictures that cannot be decoded here (JBIG2, odd colour spaces), of too many pixels, or whose colours mean more
    than colours (keyed, indexed, CMYK) stay as they are.

    Args:
        pdf: Whose it is.
        stream: The picture; its place, size and masks stay. Where it becomes layers, it is the form that draws them.
        dpi: Pixels per inch at which the document draws it.
        wish: What may be done.
    """
    before = len(stream.read_raw_bytes())
    if int(stream.get(Name.Width, 0)) * int(stream.get(Name.Height, 0)) > MOST_PIXELS:
        return 0
    try:
        made = _bilevel(stream, dpi, wish) if _is_bilevel(stream) else _toned(stream, dpi, wish)
    except (*FAULTS, OSError, zlib.error):
        return 0
    most = before if made is None else min(before, _SHARPER * len(made.data))
    if wish.layered and (layers := _layered(stream, dpi, most)) is not None:
        layers.put_into(pdf, stream)
        return before - layers.bytes
    if made is None or len(made.data) >= before:
        return 0
    made.put_into(stream)
    return before - len(made.data)


@dataclass(frozen=True, slots=True)
class _Made:
    """Other bytes for a picture. space: None keeps the colour space it has."""

    data: bytes
    filter: Name
    width: int
    height: int
    bits: int = 8
    space: Name | None = None
    parameters: Dictionary | None = None

    def put_into(self, stream: Stream) -> None:
        stream.write(self.data, filter=self.filter, decode_parms=self.parameters)
        stream.Width, stream.Height, stream.BitsPerComponent = self.width, self.height, self.bits
        if self.space is not None:
            stream.ColorSpace = self.space
            if Name.Decode in stream:
                del stream.Decode


# ---------- ink and paper ----------


def _is_bilevel(stream: Stream) -> bool:
    return bool(stream.get(Name.ImageMask, False)) or int(stream.get(Name.BitsPerComponent, 8)) == 1


def _bilevel(stream: Stream, dpi: float, wish: Wish) -> _Made | None:
    """Group 4, bit for bit; resampled only where a target is wished."""
    packed = {str(name) for name in _filters(stream)}
    if "/JBIG2Decode" in packed or ("/CCITTFaxDecode" in packed and not wish.bilevel_target):
        return None
    if "/CCITTFaxDecode" in packed:
        picture = pikepdf.PdfImage(stream).as_pil_image().convert("1")
    else:
        size = int(stream.Width), int(stream.Height)
        picture = Image.frombytes("1", size, stream.read_bytes())
    if wish.bilevel_target and dpi > wish.bilevel_upper > 0 and Name.ImageMask not in stream:
        picture = _resampled(picture.convert("L"), wish.bilevel_target / dpi).point(lambda grey: 255 * (grey > 127))
        picture = picture.convert("1", dither=Image.Dither.NONE)
    return group4(picture, None)


def group4(picture: Image.Image, space: Name | None) -> _Made:
    """The picture's bits as CCITT Group 4, which no reader gives back otherwise than they were (11.4.2 of TIFF 6)."""
    out = io.BytesIO()
    picture.save(out, "TIFF", compression="group4", tiffinfo={278: picture.height})  # all rows in one strip
    with Image.open(out) as tiff:
        starts, sizes, photometric = tiff.tag_v2[273], tiff.tag_v2[279], tiff.tag_v2[262]  # type: ignore[attr-defined]
    if len(starts) != 1:
        raise ValueError("a picture in several strips")
    data = out.getvalue()[starts[0] : starts[0] + sizes[0]]
    parameters = Dictionary(K=-1, Columns=picture.width, Rows=picture.height, BlackIs1=photometric == 1)
    return _Made(data, Name.CCITTFaxDecode, picture.width, picture.height, 1, space, parameters)


# ---------- ink above paper ----------


@dataclass(frozen=True, slots=True)
class _Layers:
    """What a form draws in the place of a picture: the paper, then the stencils of the inks with their colours."""

    paper: _Made
    inks: tuple[tuple[_Made, tuple[int, ...]], ...]

    @property
    def bytes(self) -> int:
        return len(self.paper.data) + sum(len(stencil.data) for stencil, _colour in self.inks)

    def put_into(self, pdf: Pdf, stream: Stream) -> None:
        operator = "g" if self.paper.space == Name.DeviceGray else "rg"
        drawn, content = Dictionary(Paper=pdf.make_indirect(_picture(pdf, self.paper))), ["q /Paper Do Q"]
        for number, (stencil, colour) in enumerate(self.inks):
            made = _picture(pdf, stencil)
            made.ImageMask = True
            drawn[f"/Ink{number}"] = pdf.make_indirect(made)
            content.append(f"q {' '.join(f'{value / 255:.3f}' for value in colour)} {operator} /Ink{number} Do Q")
        for key in list(stream.keys()):
            if key not in ("/Length", "/OC", "/StructParent", "/Metadata"):
                del stream[key]
        stream.write("\n".join(content).encode())
        stream.Type, stream.Subtype, stream.BBox = Name.XObject, Name.Form, Array([0, 0, 1, 1])
        stream.Resources = Dictionary(XObject=drawn)


def _picture(pdf: Pdf, made: _Made) -> Stream:
    stream = Stream(pdf, b"", Type=Name.XObject, Subtype=Name.Image)
    made.put_into(stream)
    return stream


def _layered(stream: Stream, dpi: float, most: int) -> _Layers | None:
    """The picture as ink above paper in fewer bytes than `most`, where that looks the same; None where it does not."""
    if any(key in stream for key in (Name.SMask, Name.Mask, Name.Decode)) or _is_bilevel(stream):
        return None
    if stream.get(Name.ColorSpace) not in (Name.DeviceRGB, Name.DeviceGray):
        return None  # a profile belongs to its pixels
    picture = pikepdf.PdfImage(stream).as_pil_image()
    if picture.mode not in ("L", "RGB"):
        return None
    for raster in separate(picture, dpi):
        layers = _laid(raster, picture.mode)
        if layers.bytes >= most:
            return None
        wanted = _resampled(picture, min(1.0, _LOOKED_AT / dpi))
        shown = _resampled(raster.render(picture.size, picture.mode), min(1.0, _LOOKED_AT / dpi))
        if all(_are_similar(*bands, _NOISY) for bands in zip(wanted.split(), shown.split(), strict=True)):
            return layers
    return None


def _laid(raster: MixedRaster, mode: str) -> _Layers:
    with Image.open(io.BytesIO(raster.paper)) as paper:
        size = paper.size
    space = Name.DeviceGray if mode == "L" else Name.DeviceRGB
    stencils = [Image.fromarray(ink.stencil).convert("1", dither=Image.Dither.NONE) for ink in raster.inks]
    return _Layers(
        _Made(raster.paper, Name.DCTDecode, *size, 8, space),
        tuple((group4(stencil, None), ink.colour) for stencil, ink in zip(stencils, raster.inks, strict=True)),
    )


# ---------- grey and colour ----------


def _toned(stream: Stream, dpi: float, wish: Wish) -> _Made | None:
    """Grey where no colour is seen, bits where all is ink or paper; else fewer pixels, and JPEG where it is wished."""
    if isinstance(stream.get(Name.Mask), Array) or Name.Decode in stream or _is_mixed(stream):
        return None
    picture = pikepdf.PdfImage(stream).as_pil_image(apply_mask=False)
    if picture.mode not in ("L", "RGB"):
        return None
    plain = stream.get(Name.ColorSpace) in (Name.DeviceRGB, Name.DeviceGray)
    if picture.mode == "RGB" and plain and wish.qualities and _is_grey(picture):
        picture = picture.convert("L")
    space = None if not plain else Name.DeviceGray if picture.mode == "L" else Name.DeviceRGB
    if picture.mode == "L" and plain and _has_two_tones(picture) and Name.SMask not in stream:
        return group4(picture.convert("1", dither=Image.Dither.NONE), Name.DeviceGray)
    grey = picture.mode == "L" and wish.grey_target
    upper, target = (wish.grey_upper, wish.grey_target) if grey else (wish.upper, wish.target)
    small = _resampled(picture, target / dpi) if target and dpi > upper > 0 else picture
    if not wish.qualities:
        return _flate(small, space) if small is not picture else None
    if wish.codec == "flate":
        return _flate(small, space)
    least = _least_quality(picture, small, dpi, wish)
    return None if least is None else _Made(least.getvalue(), Name.DCTDecode, *small.size, 8, space)


def _least_quality(picture: Image.Image, small: Image.Image, dpi: float, wish: Wish) -> io.BytesIO | None:
    """JPEG of the least quality that looks the same; None where none does. The better the quality, the more alike."""
    found, first, end = None, 0, len(wish.qualities)
    while first < end:
        middle = (first + end) // 2 if wish.measured else first
        out = io.BytesIO()
        small.save(out, "JPEG", quality=wish.qualities[middle], optimize=True)
        if not wish.measured:
            return out
        if _look_alike(picture, out, dpi):
            found, end = out, middle
        else:
            first = middle + 1
    return found


def _is_mixed(stream: Stream) -> bool:
    """Decide whether colours and transparency belong together pixel by pixel (11.6.5.2), so that neither may change."""
    mask = stream.get(Name.SMask)
    return Name.Matte in stream or (isinstance(mask, Stream) and Name.Matte in mask)


def _flate(picture: Image.Image, space: Name | None) -> _Made:
    return _Made(zlib.compress(picture.tobytes(), 9), Name.FlateDecode, *picture.size, 8, space)


def _resampled(picture: Image.Image, share: float) -> Image.Image:
    size = max(1, round(picture.width * share)), max(1, round(picture.height * share))
    return picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _is_grey(picture: Image.Image) -> bool:
    """Decide whether a colour picture shows no colour: a stamp of a few letters counts, a scanner's noise does not."""
    small = np.asarray(picture.reduce(8) if min(picture.size) >= 8 else picture, np.int16)
    return int(np.ptp(small, axis=2).max()) <= _GREY


def _has_two_tones(picture: Image.Image) -> bool:
    used = np.flatnonzero(np.asarray(picture.histogram()))
    return set(used.tolist()) <= {0, 255}


def _look_alike(picture: Image.Image, made: io.BytesIO, dpi: float) -> bool:
    """Compare a picture with what was made of it, both as large as they are at 150 dpi: each colour by itself."""
    wanted = _resampled(picture, min(1.0, _LOOKED_AT / dpi))
    with Image.open(made) as other:
        shown = other.convert(picture.mode).resize(wanted.size, Image.Resampling.LANCZOS)
    return all(_are_similar(*bands, _CALM) for bands in zip(wanted.split(), shown.split(), strict=True))


def _are_similar(one: Image.Image, other: Image.Image, contrast: float) -> bool:
    x, y = (np.asarray(band, np.float32) for band in (one, other))

    def soft(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.GaussianBlur(values, (0, 0), 1.5), np.float32)

    mean_x, mean_y = soft(x), soft(y)
    var_x, var_y = soft(x * x) - mean_x * mean_x, soft(y * y) - mean_y * mean_y
    both = soft(x * y) - mean_x * mean_y
    c1, c2 = (0.01 * 255) ** 2, (contrast * 255) ** 2
    like = (2 * mean_x * mean_y + c1) * (2 * both + c2) / ((mean_x**2 + mean_y**2 + c1) * (var_x + var_y + c2))
    return float(like.mean()) >= _LIKE and float(np.percentile(like, 1)) >= _LEAST_LIKE


def _filters(stream: Stream) -> list[object]:
    found = stream.get(Name.Filter)
    return list(found) if isinstance(found, Array) else [] if found is None else [found]
