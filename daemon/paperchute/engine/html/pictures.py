"""Pictures of an HTML document: counted before they are decoded, and handed over in a form that is drawn."""

from __future__ import annotations

import base64
import binascii
import io
import re
import warnings

from PIL import ExifTags, Image, ImageCms, ImageOps, UnidentifiedImageError
from PIL.PsdImagePlugin import PsdImageFile
from PIL.WebPImagePlugin import WebPImageFile

from paperchute.engine.html.repeats import without_repeats
from paperchute.engine.work import Refused
from paperchute.language import _

_MOST_PIXELS = 120_000_000  # of one picture; decoded it takes four bytes a pixel
_MOST_PIXELS_TOGETHER = 300_000_000
_DRAWN = ("BMP", "GIF", "JPEG", "PNG", "PPM", PsdImageFile.format, WebPImageFile.format)  # what PlutoBook decodes
_READ = (*_DRAWN, "TIFF", "AVIF", "JPEG2000", "ICO")
_INLINE = re.compile(r"data:(image/[a-z0-9.+-]{1,40});base64,([A-Za-z0-9+/]+={0,2})", re.IGNORECASE)
_SVG = re.compile(rb"<svg\b", re.IGNORECASE)
_QUALITY = 95
_FAULTS = (UnidentifiedImageError, Image.DecompressionBombError, ImageCms.PyCMSError, OSError, ValueError, SyntaxError)


class Pixels:
    """The pixels of one document. undrawn: the kinds of pictures in data: addresses that cannot be drawn."""

    def __init__(self) -> None:
        self.undrawn: list[str] = []
        self._together = 0

    def count(self, content: bytes) -> None:
        """Add a file, which may be no picture. Raises Refused (03000) beyond what one document may have."""
        pixels = _pixels_of(content)
        self._together += pixels
        if pixels > _MOST_PIXELS:
            most = _MOST_PIXELS // 1_000_000
            raise Refused("03000", _("the document has a picture of more than {most} million pixels", most=most))
        if self._together > _MOST_PIXELS_TOGETHER:
            most = _MOST_PIXELS_TOGETHER // 1_000_000
            raise Refused(
                "03000", _("the document's pictures have more than {most} million pixels in total", most=most)
            )

    def inline(self, text: str) -> str:
        """The text with the pictures in its data: addresses as they are drawn. Raises Refused like `count`.

        PlutoBook decodes these itself, without asking its fetcher. Those in a spelling that is not seen here meet the
        worker's memory limit.
        """
        return _INLINE.sub(self._inline, text)

    def _inline(self, found: re.Match[str]) -> str:
        kind, encoded = found[1].lower(), found[2]
        content = binascii.a2b_base64(encoded[: len(encoded) // 4 * 4])
        self.count(content)
        made = drawable(content, kind)
        if made is None:
            self.undrawn.append(kind)
        if made is None or made is content:
            return found[0]
        return f"data:{kind_of(made)};base64,{base64.b64encode(made).decode()}"


def drawable(content: bytes, kind: str) -> bytes | None:
    """A picture as the layout draws it: upright, in RGB, in a format that it knows.

    Args:
        content: A file that the document names.
        kind: What it is said to be, as `image/tiff`; other than pictures are left as they are.

    Returns:
        The content itself where it is drawn as it is, or is no picture; None for one that cannot be drawn.
    """
    try:
        with Image.open(io.BytesIO(content), formats=_READ) as picture:
            form = picture.format or ""
            turned = picture.getexif().get(ExifTags.Base.Orientation, 1) in range(2, 9)
            if form in _DRAWN and not turned and picture.mode != "CMYK":
                return content
            return _redrawn(picture, form)
    except UnidentifiedImageError:
        if "svg" in kind or _SVG.search(content[:1000]):
            return _drawing(content)
        return None if kind.startswith("image/") else content
    except _FAULTS:
        return None


def _drawing(content: bytes) -> bytes:
    """An SVG that repeats its parts as often as can be drawn; the content itself where that is so."""
    text = content.decode("latin-1")  # whatever it is in, it keeps its bytes
    made = without_repeats(text)
    return content if made is text else made.encode("latin-1")


def _redrawn(picture: Image.Image, form: str) -> bytes:
    """A picture as JPEG where it was one, else as PNG, which loses nothing."""
    profile = picture.info.get("icc_profile")
    upright = ImageOps.exif_transpose(picture)
    if upright.mode == "CMYK":
        upright, profile = _in_rgb(upright, profile), None
    if upright.mode not in ("RGB", "RGBA", "L", "LA", "P", "1"):
        upright = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    out = io.BytesIO()
    if form == "JPEG" and upright.mode in ("RGB", "L"):
        upright.save(out, "JPEG", quality=_QUALITY, subsampling=0, icc_profile=profile)
    else:
        upright.save(out, "PNG", icc_profile=profile, compress_level=3)
    return out.getvalue()


def _in_rgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """A picture in the colours of print, by its own profile where it has one."""
    if profile:
        try:
            given = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            made = ImageCms.profileToProfile(picture, given, ImageCms.createProfile("sRGB"), outputMode="RGB")
            if made is not None:
                return made
        except (ImageCms.PyCMSError, OSError):
            pass  # a profile that nobody can read says nothing
    return picture.convert("RGB")


def kind_of(made: bytes) -> str:
    """The media type of a picture that `drawable` made."""
    if _SVG.search(made[:1000]):
        return "image/svg+xml"
    return "image/png" if made.startswith(b"\x89PNG") else "image/jpeg"


def _pixels_of(content: bytes) -> int:
    """Return how many pixels a picture has, by its head; 0 for what is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=_READ) as picture:
                return picture.width * picture.height
    except Image.DecompressionBombError:
        return _MOST_PIXELS + 1
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return 0
