"""Pictures of office files and pages as those of the document model."""

from __future__ import annotations

import base64
import binascii
import io
import re
import warnings
from urllib.parse import unquote_to_bytes

import PIL.Image
import PIL.ImageOps

from paperchute.engine.document.model import Image
from paperchute.engine.reading.encoding import encoded

_MOST_PIXELS = 50_000_000  # of one picture: a bound on memory
_UPRIGHT = (None, 1)  # EXIF's orientation (CIPA DC-008, 4.6.4)
_ORIENTATION = 0x0112  # of EXIF
_DATA = re.compile(r"data:[^,;]*(;[^,]*)?,", re.IGNORECASE)


def data_of(address: str) -> bytes | None:
    """The content of a `data:` address (RFC 2397); None for other addresses and for what cannot be decoded."""
    head = _DATA.match(address)
    if head is None:
        return None
    content = unquote_to_bytes(address[head.end() :])
    if not (head[1] or "").lower().endswith(";base64"):
        return content
    try:
        return base64.b64decode(content, validate=False)
    except binascii.Error:
        return None


def image_of(content: bytes) -> Image | None:
    """The picture of a file, upright; as it is stored where it is a plain JPEG or PNG. None for what is no picture."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with PIL.Image.open(io.BytesIO(content)) as picture:
                if picture.width * picture.height > _MOST_PIXELS:
                    return None
                picture.load()
                upright = picture.getexif().get(_ORIENTATION) in _UPRIGHT
                if upright and picture.format == "JPEG" and picture.mode in ("RGB", "L"):
                    return Image(content, "jpg", picture.width, picture.height)
                if upright and picture.format == "PNG" and not getattr(picture, "is_animated", False):
                    return Image(content, "png", picture.width, picture.height)
                return encoded(_plain(PIL.ImageOps.exif_transpose(picture)))
    except (OSError, ValueError, SyntaxError, EOFError, OverflowError, MemoryError, PIL.Image.DecompressionBombError):
        return None


def _plain(picture: PIL.Image.Image) -> PIL.Image.Image:
    if picture.mode in ("RGB", "RGBA", "L"):
        return picture
    if picture.mode.startswith("I") or picture.mode == "F":  # 16 bits of grey, of which people see 8
        lowest, highest = picture.getextrema()
        scale = 255 / max(float(highest), 255.0)  # type: ignore[arg-type]
        return picture.point(lambda value: value * scale).convert("L") if highest != lowest else picture.convert("L")
    has_alpha = picture.mode in ("LA", "PA", "La", "RGBa") or "transparency" in picture.info
    return picture.convert("RGBA" if has_alpha else "RGB")
