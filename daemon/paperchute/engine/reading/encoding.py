"""How a picture is kept: a drawing as PNG, which is exact; a photograph or scan as JPEG, which is a tenth as large."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import PIL.Image

from paperchute.engine.document.model import Image


@dataclass(frozen=True, slots=True)
class EncodingSettings:
    """Which pictures lose nothing by being pressed."""

    few_colours: int = 256
    """Colours of a drawing, at most: its edges would show JPEG's traces, and PNG is small for it."""

    small: int = 100_000
    """Bytes of a PNG that is small enough to stay one, whatever it shows."""

    smaller: float = 0.7
    """Of the PNG's size: from there a JPEG is worth what it loses."""

    quality: int = 88
    """Of JPEG, up to 100: no trace is seen beside the printed page."""


ENCODING = EncodingSettings()


def _are_grey(colours: Sequence[tuple[int, Any]]) -> bool:
    """Decide whether colours, each with the number of its pixels, have equal parts of red, green and blue."""
    return all(colour[0] == colour[1] == colour[2] for _count, colour in colours)


def encoded(picture: PIL.Image.Image) -> Image:
    """A picture as a file. One that is seen through anywhere is a PNG."""
    colours = picture.getcolors(ENCODING.few_colours)
    is_opaque = "A" in picture.getbands() and picture.getchannel("A").getextrema() == (255, 255)
    if (picture.mode == "RGB" or (picture.mode == "RGBA" and is_opaque)) and colours is not None and _are_grey(colours):
        picture = picture.convert("L")  # black on white is a third as large so
    elif is_opaque:
        picture = picture.convert("RGB")
    png = io.BytesIO()
    picture.save(png, "png", compress_level=4)
    size = picture.width, picture.height
    if colours is None and picture.mode in ("RGB", "L") and png.tell() > ENCODING.small:
        jpeg = io.BytesIO()
        picture.save(jpeg, "jpeg", quality=ENCODING.quality)
        if jpeg.tell() < ENCODING.smaller * png.tell():
            return Image(jpeg.getvalue(), "jpg", *size)
    return Image(png.getvalue(), "png", *size)
