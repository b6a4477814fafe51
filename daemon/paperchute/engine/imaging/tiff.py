"""Kinds of TIFF that Pillow reads otherwise than they are meant, or calls broken (TIFF 6.0, section 8).

Grey values that count from white down, in the other byte order, of 32 bits without a sign, and colour maps of 8 bits
become what other programs show. A file whose layout is not known here is told from one that is damaged.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile
from PIL.TiffImagePlugin import COMPRESSION_INFO, II, MM, OPEN_INFO, ImageFileDirectory_v2, TiffImageFile

from paperchute.engine.imaging.depths import used_bits

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_PLANAR, _COLOUR_MAP, _SAMPLE_FORMAT = 284, 320, 339
_PLACES, _SIZES = (273, 324), (279, 325)
"""Where a frame's strips and tiles are, and how large."""

_LAYOUT: Final = {
    _PHOTOMETRIC: "PhotometricInterpretation",
    _BITS: "BitsPerSample",
    _SAMPLE_FORMAT: "SampleFormat",
    338: "ExtraSamples",
    266: "FillOrder",
}

_WHITE_IS_LEAST: Final = 0
_UNSIGNED, _SIGNED = 1, 2

# Layouts that Pillow can unpack and does not list: (byte order, photometric interpretation, sample format, fill order,
# bits, extra samples) -> (mode, how it is unpacked). Those whose values it then has wrong are put right by `correct`.
OPEN_INFO.update(
    {
        (MM, 0, (1,), 1, (16,), ()): ("I;16B", "I;16B"),
        (II, 0, (2,), 1, (16,), ()): ("I", "I;16S"),
        (MM, 0, (2,), 1, (16,), ()): ("I", "I;16BS"),
        (II, 0, (1,), 1, (32,), ()): ("I", "I;32S"),
        (MM, 0, (1,), 1, (32,), ()): ("I", "I;32BS"),
        (MM, 1, (1,), 1, (32,), ()): ("I", "I;32BS"),
        (II, 0, (2,), 1, (32,), ()): ("I", "I;32S"),
        (MM, 0, (2,), 1, (32,), ()): ("I", "I;32BS"),
        (II, 0, (3,), 1, (64,), ()): ("F", "F;64F"),
        (MM, 0, (3,), 1, (64,), ()): ("F", "F;64BF"),
        (II, 1, (3,), 1, (64,), ()): ("F", "F;64F"),
        (MM, 1, (3,), 1, (64,), ()): ("F", "F;64BF"),
    }
    | {  # CMYK with transparency, under which there is paper
        (order, 5, (1,), 1, (8,) * 5, (alpha,)): ("CMYK", "CMYKX") for order in (II, MM) for alpha in (1, 2)
    }
)

_NATIVE: Final = {
    "I;16BS": "I;16NS",
    "I;32BS": "I;32NS",
    "F;32BF": "F;32NF",
    "F;64BF": "F;64NF",
}
"""How values are unpacked that libtiff has already brought into this machine's byte order."""


@dataclass(frozen=True, slots=True)
class TiffSettings:
    """What a TIFF's values mean, and how much of them is told."""

    map_of_bytes: int = 256
    """Colour maps without a value as large as this count to 255, not to 65535 as they should: libtiff's test."""

    most_told: int = 12
    """Of a tag that are told, and characters of each: more than any layout that anybody writes has."""


TIFF = TiffSettings()


def prepare(picture: TiffImageFile) -> None:
    """Put right how a frame's data is going to be unpacked."""
    tags = picture.tag_v2
    own_decoder = not picture.use_load_libtiff
    planes_of_16 = {"RGB": "RGB;16N", "RGBA": "RGBA;16N", "CMYK": "CMYK;16N"}.get(picture.mode)
    if own_decoder and tags.get(_PLANAR) == 2 and tags.get(_BITS, ())[:1] == (16,) and planes_of_16:
        # Pillow's own decoder takes each plane for one of bytes.
        picture.use_load_libtiff = True
        tile = ImageFile._Tile("libtiff", (0, 0, tags[_WIDTH], tags[_HEIGHT]), 0, (planes_of_16, False, tags.offset))
        picture.tile = [tile]
    elif not own_decoder:
        picture.tile = [_in_native_order(tile) for tile in picture.tile]


def _in_native_order(tile: ImageFile._Tile) -> ImageFile._Tile:
    if not isinstance(tile.args, tuple):
        return tile
    return tile._replace(args=(_NATIVE.get(tile.args[0], tile.args[0]), *tile.args[1:]))


def correct(picture: TiffImageFile) -> None:
    """Put right the values of a decoded frame, in place: the least is black, and there is no sign."""
    tags = picture.tag_v2
    if picture.mode in ("P", "PA") and max(tags[_COLOUR_MAP], default=0) < TIFF.map_of_bytes:
        size = len(tags[_COLOUR_MAP]) // 3
        picture.putpalette([tags[_COLOUR_MAP][at + size * band] for at in range(size) for band in range(3)])
    flips = tags.get(_PHOTOMETRIC) == _WHITE_IS_LEAST
    if picture.mode == "I":
        signed = tags.get(_SAMPLE_FORMAT, (_UNSIGNED,))[0] == _SIGNED
        values = _without_sign(np.asarray(picture), tags.get(_BITS, (1,))[0], flips=flips, signed=signed)
        picture.paste(Image.fromarray(values))
    elif flips and picture.mode in ("F", "I;16", "I;16B"):
        values = np.asarray(picture)
        most = np.nanmax(values) if picture.mode == "F" else values.dtype.type((1 << used_bits(values)) - 1)
        picture.paste(Image.fromarray((most - values).astype(values.dtype)))
    elif picture.mode in ("RGB", "RGBA") and tags.get(_BITS, ())[:1] == (16,):
        _brighten(picture)


def _brighten(picture: TiffImageFile) -> None:
    """Make white of the most that fewer bits than 16 can say: Pillow has kept the upper eight of each colour."""
    upper = int(np.asarray(picture.getextrema())[:3].max())
    kept = used_bits(np.asarray(upper << 8 | 255)) - 8
    if 0 < kept < 8:
        most = (1 << kept) - 1
        picture.paste(picture.point([min(value * 255 // most, 255) for value in range(256)] * len(picture.getbands())))


def _without_sign(values: NDArray[np.int32], bits: int, *, flips: bool, signed: bool) -> NDArray[np.int32]:
    """Values of which the sign's bit is a part, or which use all bits but that, so that white is white."""
    greys: NDArray[Any] = values if signed else values.view(np.uint32)
    if flips:
        greys = (greys.max() - greys).view(np.uint32)
    least, most = int(greys.min()), int(greys.max())
    if most >= 1 << 31:
        greys = greys >> 1
    elif signed and bits == 16 and least >= 0 and 1 << 14 <= most < 1 << 15:
        greys = greys << 1
    return greys.astype(np.int32)


def unread(path: Path) -> str:
    """Give what of a whole TIFF is not read here, by the names of its tags; "" for one that is read, or is damaged."""
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            head = file.read(8)
            tags = ImageFileDirectory_v2(head + file.read(8) if b"\x2b" in head[2:4] else head)
            file.seek(tags.next)
            tags.load(file)
        places, sizes = (tags.get(strips) or tags[tiles] for strips, tiles in (_PLACES, _SIZES))
        size = path.stat().st_size
        if not all(0 < at <= at + length <= size for at, length in zip(places, sizes, strict=True)):
            return ""
        if tags.get(_COMPRESSION, 1) not in COMPRESSION_INFO:
            return f"Compression {tags[_COMPRESSION]}"
        return ", ".join(f"{name} {_plain(tags[tag])}" for tag, name in _LAYOUT.items() if tag in tags)
    except Exception:  # noqa: BLE001 -- Pillow raises anything of tags that are no such tags
        return ""


def _plain(value: Any) -> str:
    """A tag's value in short."""
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(str(one)[: TIFF.most_told] for one in values[: TIFF.most_told])
