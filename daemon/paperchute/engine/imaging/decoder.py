"""Opening pictures from outside: sizes are checked before anything is decoded, failures become the contract's codes."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pi_heif
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.TiffImagePlugin import TiffImageFile

from paperchute.contract import PICTURES, kind_of
from paperchute.engine import report
from paperchute.engine.imaging import tiff
from paperchute.engine.imaging.depths import eight_bits
from paperchute.engine.work import Refused
from paperchute.language import _

MOST_PIXELS: Final = 120_000_000
"""The largest frame that is decoded: A0 at 270 dpi. As RGB it takes 360 MB, so that work on it fits into one task."""

MOST_FRAMES: Final = 2_000
"""The most pages of a TIFF file."""

# Formats whose decoders work in this process. Others of Pillow start programs (EPS) or are no pictures of pages.
_FORMATS: Final = ("JPEG", "PNG", "TIFF", "BMP", "GIF", "WEBP", "JPEG2000", "HEIF")
_MOVING: Final = ("GIF", "PNG", "WEBP")
# HEIC is read by libheif: of a file the picture alone, turned as the file's own boxes say, 8 bits of each colour.
pi_heif.register_heif_opener(thumbnails=False, depth_images=False, aux_images=False)

_LEAST_SEEN: Final = 225
"""Grey: what is lighter all over is not seen on white. The faintest letters of scans are 40 levels below paper."""

_WIDE_MODES: Final = ("I", "F", "I;16", "I;16L", "I;16B", "I;16N")


@dataclass(frozen=True, slots=True)
class Frame:
    """One page of a picture file, upright, as 8-bit RGB, transparency laid on a ground.

    number: 1-based place in the file. dpi: across and down, 0 where the file does not say.
    """

    number: int
    picture: Image.Image
    dpi: tuple[float, float]


def open_picture(path: Path, name: str) -> Iterator[Frame]:
    """The pages of a picture file one after the other.

    All of a TIFF, the first frame (of a HEIC file, the one to be shown) of anything else; a warning tells of others.

    Turned as EXIF says; CMYK, palettes, grey and 16 bits become RGB, transparency becomes white, or black under what is
    white itself. `name` is what its sender calls the file.

    Raises Refused: 02209 too many pixels, 100105 too many pages, 02003 a type that is not
    read here, 190010 broken.
    """
    for number, stored in enumerate(stored_frames(path, name), start=1):
        turned = is_lying(stored)
        with _refusing(path, name):
            picture = on_ground(ImageOps.exif_transpose(stored))
        across, down = dpi_of(stored)
        yield Frame(number, picture, (down, across) if turned else (across, down))


def stored_frames(path: Path, name: str, chosen: Sequence[int] | None = None) -> Iterator[Image.Image]:
    """The frames as they are stored: own mode, neither turned nor flattened, decoded. Raises as `open_picture`.

    chosen: 0-based pages in the order they are wanted, all by default. A frame is good until the next one is asked for.
    Pillow turns TIFFs itself, so those come upright, their dpi with them; so do HEIC files.
    """
    with _refusing(path, name):
        opened = Image.open(path, formats=_FORMATS)
    with opened:
        for number in itertools.count() if chosen is None else chosen:
            with _refusing(path, name):
                if not _goes_to(opened, number):
                    return
                _check(opened, name, number + 1)
                lying = is_lying(opened)
                if isinstance(opened, TiffImageFile):
                    tiff.prepare(opened)
                opened.load()
                if isinstance(opened, TiffImageFile):
                    tiff.correct(opened)
                if opened.format == "TIFF" and lying:  # Pillow turns TIFFs while it decodes, all but this
                    opened.info["dpi"] = dpi_of(opened)[::-1]
            if opened.format != "TIFF":
                _say_alone(opened, path, name)
            yield opened
            if opened.format != "TIFF":
                return


def _say_alone(opened: Image.Image, path: Path, name: str) -> None:
    """Warn of pictures beside the one that is read. The second of a JPEG (MPO) is for the camera's own use."""
    if opened.format == "HEIF" and getattr(opened, "n_frames", 1) > 1:
        report.warn(_("{name} holds several pictures; only the one that it shows is read.", name=name))
    elif opened.format in _MOVING and _moves(path):
        report.warn(_("{name} is an animation; only its first picture is read.", name=name))


def _moves(path: Path) -> bool:
    """Decide whether there is a second frame. The file is opened for that alone: a GIF is moved on to it."""
    try:
        with Image.open(path, formats=_MOVING) as opened:
            return bool(getattr(opened, "is_animated", False))
    except Exception:  # noqa: BLE001 -- what is broken behind the frame that is read
        return False


def count_frames(path: Path, name: str) -> int:
    """Return how many pages a picture file has: those of a TIFF, else one. Raises as `open_picture`."""
    with _refusing(path, name), Image.open(path, formats=_FORMATS) as opened:
        if opened.format != "TIFF":
            return 1
        number = 0
        while _goes_to(opened, number):
            _check(opened, name, number + 1)
            number += 1
        return number


def _goes_to(opened: Image.Image, number: int) -> bool:
    """Decide whether there is a frame of that number, from 0; the picture then is that frame."""
    if opened.format == "HEIF" and number == 0:
        return True  # it is opened at the picture that is to be shown, which need not be the file's first
    try:
        opened.seek(number)
    except EOFError:
        if number:
            return False
        raise
    return True


def as_rgb(picture: Image.Image) -> Image.Image:
    """The picture as 8-bit RGB, transparency on white. The picture itself where it is that already."""
    if picture.mode == "RGB" and "transparency" not in picture.info:
        return picture
    if picture.mode in _WIDE_MODES:
        return Image.fromarray(eight_bits(np.asarray(picture))).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in picture.info:
        clear = picture.convert("RGBA")
        white = Image.new("RGB", picture.size, "white")
        white.paste(clear, mask=clear.getchannel("A"))
        return white
    return picture.convert("RGB")


def on_ground(picture: Image.Image) -> Image.Image:
    """As `as_rgb`, but white letters cut out for dark ground, of which white would leave nothing, on black."""
    flat = as_rgb(picture)
    if not picture.has_transparency_data or int(np.asarray(flat.convert("L")).min()) < _LEAST_SEEN:
        return flat
    clear = picture.convert("RGBA")
    alpha = clear.getchannel("A")
    if alpha.getbbox() is None:
        return flat
    black = Image.new("RGB", picture.size, "black")
    black.paste(clear, mask=alpha)
    return black


def dpi_of(picture: Image.Image) -> tuple[float, float]:
    """Pixels per inch across and down as stored, (0, 0) where the file does not say or says nonsense."""
    try:
        across, down = (float(value) for value in picture.info.get("dpi", (0, 0)))
    except (TypeError, ValueError, ZeroDivisionError):
        return 0.0, 0.0
    if all(math.isfinite(value) and 1 <= value <= 20_000 for value in (across, down)):
        return across, down
    return 0.0, 0.0


def is_lying(picture: Image.Image) -> bool:
    """Decide whether EXIF says that rows are columns (orientations 5 to 8, EXIF 2.32 section 4.6.4)."""
    try:
        return picture.getexif().get(0x0112) in (5, 6, 7, 8)
    except (SyntaxError, ValueError, TypeError):
        return False


def _check(stored: Image.Image, name: str, number: int) -> None:
    width, height = stored.size
    if width * height > MOST_PIXELS:
        raise _too_many_pixels(name, f"{width} x {height}")
    if number > MOST_FRAMES:
        raise Refused(
            "100105",
            _("{name} has more than {most} pages; split it and send the parts.", name=name, most=MOST_FRAMES),
        )


@contextmanager
def _refusing(path: Path, name: str) -> Iterator[None]:
    """Whatever a decoder raises on damaged data becomes 190010; what is no picture at all, 02003."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of odd metadata, and of half the size that it refuses
            yield
    except (Refused, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        count = re.search(r"\d+", str(error))  # it says how many pixels, and no sides
        raise _too_many_pixels(name, count[0] if count else "?") from None
    except Exception as error:  # noqa: BLE001 -- decoders raise everything from SyntaxError to struct.error
        if isinstance(error, UnidentifiedImageError) and kind_of(path) not in PICTURES:
            raise Refused(
                "02003",
                _(
                    "{name} is not a picture of a supported type ({kinds}).",
                    name=name,
                    kinds=", ".join(PICTURES),
                ),
            ) from None
        if isinstance(error, UnidentifiedImageError) and (layout := tiff.unread(path)):
            raise Refused(
                "02003",
                _(
                    "{name} is a TIFF file of a kind that is not read here ({layout}). Save it as PNG, or as TIFF "
                    "with 8 bits for each colour and LZW compression.",
                    name=name,
                    layout=layout,
                ),
            ) from None
        raise Refused(
            "190010",
            _("{name} is damaged: its picture data is broken or cut off. Scan or copy it again.", name=name),
        ) from None


def _too_many_pixels(name: str, size: str) -> Refused:
    return Refused(
        "02209",
        _(
            "{name} has too many pixels ({size}). At most {millions} million are read: make the picture smaller.",
            name=name,
            size=size,
            millions=MOST_PIXELS // 1000000,
        ),
    )
