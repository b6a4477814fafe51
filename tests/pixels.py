"""The pixels of pictures."""

from __future__ import annotations

from PIL import Image


def pixels(picture: Image.Image) -> list[tuple[int, int, int]]:
    """Red, green and blue of each pixel, row by row."""
    values = picture.convert("RGB").tobytes()
    return list(zip(values[::3], values[1::3], values[2::3], strict=True))
