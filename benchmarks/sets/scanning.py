"""Pages as a scanner or a fax gives them: turned, blurred, noisy, shadowed, in two colours, pressed as JPEG."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image, ImageFilter

_POINTS_AN_INCH = 72

Degradation = Callable[[Image.Image, Random], Image.Image]


def printed(pdf: Path, dpi: int) -> Image.Image:
    """The first page in grey."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        page: Image.Image = document[0].render(scale=dpi / _POINTS_AN_INCH, grayscale=True).to_pil()
        return page.convert("L")
    finally:
        document.close()


def soft(page: Image.Image, radius: float) -> Image.Image:
    """With edges as soft as a radius in pixels."""
    return page.filter(ImageFilter.GaussianBlur(radius))


def noisy(page: Image.Image, chance: Random, deviation: float) -> Image.Image:
    """With grain, in levels of 255."""
    made = np.random.default_rng(chance.getrandbits(32)).normal(0.0, deviation, (page.height, page.width))
    return _picture(_values(page) + made)


def clean(page: Image.Image, _: Random) -> Image.Image:
    """As it is."""
    return page


def scan(page: Image.Image, chance: Random) -> Image.Image:
    """A good scanner: a slight turn, a little noise, soft edges."""
    return noisy(soft(_turned(page, chance, 0.4), 0.5), chance, 6)


def skew(page: Image.Image, chance: Random) -> Image.Image:
    """Fed in at a slant."""
    return noisy(_turned(page, chance, 3.0), chance, 8)


def shadow(page: Image.Image, chance: Random) -> Image.Image:
    """Darker towards one side, as with a book or a telephone."""
    light = np.linspace(1.0, chance.uniform(0.45, 0.7), page.width)[:: chance.choice((1, -1))]
    return noisy(_picture(_values(page) * light), chance, 5)


def fax(page: Image.Image, chance: Random) -> Image.Image:
    """Two colours, with specks."""
    values = _values(noisy(_turned(page, chance, 0.8), chance, 20))
    return _picture(np.where(values > chance.randint(120, 160), 255.0, 0.0))


def blur(page: Image.Image, chance: Random) -> Image.Image:
    """Out of focus."""
    return noisy(soft(page, chance.uniform(1.0, 1.6)), chance, 5)


def jpeg(page: Image.Image, chance: Random) -> Image.Image:
    """Pressed until letters have halos."""
    held = io.BytesIO()
    noisy(page, chance, 4).save(held, "JPEG", quality=chance.randint(18, 35))
    return Image.open(io.BytesIO(held.getvalue())).convert("L")


DEGRADATIONS: dict[str, tuple[int, Degradation]] = {
    "clean": (150, clean),
    "scan": (200, scan),
    "skew": (200, skew),
    "shadow": (200, shadow),
    "fax": (200, fax),
    "blur": (220, blur),
    "jpeg": (170, jpeg),
}
"""Dots an inch, and what is done to the page."""


def _turned(page: Image.Image, chance: Random, most: float) -> Image.Image:
    angle = chance.uniform(most / 3, most) * chance.choice((1, -1))
    return page.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)


def _values(page: Image.Image) -> NDArray[np.float64]:
    return np.asarray(page, dtype=np.float64)


def _picture(values: NDArray[np.float64]) -> Image.Image:
    return Image.fromarray(values.clip(0, 255).astype(np.uint8))
