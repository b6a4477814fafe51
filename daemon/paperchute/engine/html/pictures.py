"""Pictures are measured before they are decoded: a few bytes can stand for gigabytes of pixels."""

from __future__ import annotations

import binascii
import io
import re
import warnings

from PIL import Image, UnidentifiedImageError
from PIL.PsdImagePlugin import PsdImageFile
from PIL.WebPImagePlugin import WebPImageFile

from paperchute.engine.work import Refused

_MOST_PIXELS = 120_000_000  # of one picture; decoded it takes four bytes a pixel
_MOST_PIXELS_TOGETHER = 300_000_000
_KINDS = ("BMP", "GIF", "JPEG", "PNG", "PPM", PsdImageFile.format, WebPImageFile.format)  # what PlutoBook decodes
_INLINE = re.compile(r"data:image/[a-z0-9.+-]{1,40};base64,([A-Za-z0-9+/]+)", re.IGNORECASE)


class Pixels:
    """The pixels of one document."""

    def __init__(self) -> None:
        self._together = 0

    def count(self, content: bytes) -> None:
        """Add a file, which may be no picture. Raises Refused (03000) beyond what one document may have."""
        pixels = _pixels_of(content)
        self._together += pixels
        if pixels > _MOST_PIXELS:
            most = _MOST_PIXELS // 1_000_000
            raise Refused("03000", f"the document has a picture of more than {most} million pixels", "图片尺寸超出限制")
        if self._together > _MOST_PIXELS_TOGETHER:
            most = _MOST_PIXELS_TOGETHER // 1_000_000
            raise Refused("03000", f"its pictures have more than {most} million pixels together", "图片总尺寸超出限制")

    def count_inline(self, text: str) -> None:
        """Add the pictures that a text holds as data: addresses. Raises Refused like `count`.

        PlutoBook decodes these itself, without asking its fetcher. Those in a spelling that is not seen here meet the
        worker's memory limit.
        """
        for found in _INLINE.finditer(text):
            encoded = found[1][: len(found[1]) // 4 * 4]
            self.count(binascii.a2b_base64(encoded))


def _pixels_of(content: bytes) -> int:
    """How many pixels a picture has, by its head; 0 for what is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=_KINDS) as picture:
                return picture.width * picture.height
    except Image.DecompressionBombError:
        return _MOST_PIXELS + 1
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return 0
