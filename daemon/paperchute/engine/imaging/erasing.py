"""Taking words out of a page's picture, where they are to stand as text instead."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
import PIL.Image

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.imaging.planes import Pixels

_DPI: Final = 144.0  # what lies behind text needs no more
_AROUND: Final = 0.08  # of a line's height: letters reach a little beyond it
_QUALITY: Final = 85
_CONTRAST: Final = 50  # of 255
_INK: Final = 0.02  # of the area of lines


def without_words(image: Image, place: Box, lines: Iterable[Box]) -> Image:
    """A picture that stands at `place` on its page, the words at `lines` (points) painted over from what is around.

    Large pictures become smaller. The picture itself comes back when there are no words on it, or when it cannot be
    decoded.
    """
    try:
        with PIL.Image.open(io.BytesIO(image.data), formats=("PNG", "JPEG")) as opened:
            picture = np.asarray(opened.convert("RGB"))
    except (OSError, ValueError, PIL.Image.DecompressionBombError):
        return image
    across, down = image.width / max(place.width, 1e-3), image.height / max(place.height, 1e-3)
    factor = min(1.0, _DPI / 72 / max(across, down))
    if factor < 1:
        size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    across, down = across * factor, down * factor
    mask = np.zeros(picture.shape[:2], np.uint8)
    for line in lines:
        box = line.grown(_AROUND * line.height + 0.5)
        left, right = (max(0, int((x - place.left) * across)) for x in (box.left, box.right))
        top, bottom = (max(0, int((y - place.top) * down)) for y in (box.top, box.bottom))
        mask[top : bottom + 1, left : right + 1] = 1
    if not _has_ink(picture, mask):
        return image
    painted = cv2.inpaint(np.ascontiguousarray(picture), mask, 3, cv2.INPAINT_TELEA)
    buffer = io.BytesIO()
    PIL.Image.fromarray(np.asarray(painted, np.uint8)).save(buffer, "JPEG", quality=_QUALITY)
    return Image(buffer.getvalue(), "jpg", picture.shape[1], picture.shape[0])


def _has_ink(picture: Pixels, mask: Pixels) -> bool:
    """Whether something much darker or lighter than most of the masked area is in it."""
    values = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)[mask > 0].astype(np.float32)
    if values.size == 0:
        return False
    return float((np.abs(values - np.median(values)) > _CONTRAST).mean()) > _INK
