"""Pictures of pages: clean, and as a camera or scanner sees them."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Pixels = NDArray[np.uint8]


def clean_page(width: int = 620, height: int = 877) -> Image.Image:
    """White paper with lines of black text."""
    page = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(page)
    for row in range(60, height - 60, 22):
        draw.text(
            (50, row), "The quick survey of the northern harbours showed them rebuilt in brick.", "black", font_size=14
        )
    return page


def photographed(page: Image.Image, *, soft: float = 25, depth: float = 0.5, noise: float = 3) -> Pixels:
    """The page on cream paper, darker to the right, a shadow across it. soft: width of the shadow's slope, pixels."""
    values = np.asarray(page).astype(np.float32) * np.array([0.98, 0.95, 0.88], np.float32)
    height, width = values.shape[:2]
    mask = np.zeros((height, width), np.float32)
    cv2.fillPoly(mask, [np.array([[0, height // 2], [width, height // 3], [width, height], [0, height]])], 1)
    shadow = 1 - depth * cv2.GaussianBlur(mask, (0, 0), soft)
    light = np.linspace(1, 0.8, width, dtype=np.float32)[None, :]
    seen = values * (shadow * light)[..., None]
    seen += np.random.default_rng(5).normal(0, noise, seen.shape)
    return np.clip(seen, 0, 255).astype(np.uint8)


def photograph(width: int, height: int) -> Image.Image:
    """Something with many colours and tones."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    grain = np.random.default_rng(2).normal(0, 1, (height, width, 3)).astype(np.float32)
    clouds = cv2.GaussianBlur(grain, (0, 0), 3) * 150
    waves = np.stack([120 + 70 * np.sin(x / 17), 110 + 60 * np.cos((x + y) / 23), 90 + 50 * np.sin(y / 31)], -1)
    return Image.fromarray(np.clip(waves + clouds, 0, 255).astype(np.uint8))


def outdoors(width: int, height: int, seed: int) -> Image.Image:
    """What a camera sees where there is no paper: shapes of every size, light and dark, one going over into another."""
    chance = np.random.default_rng(seed)
    values = np.zeros((height, width, 3), np.float32)
    for octave in range(1, 7):
        size = max(width, height) / 2**octave / 3
        grey = cv2.GaussianBlur(chance.normal(0, 1, (height, width)).astype(np.float32), (0, 0), size)
        colour = cv2.GaussianBlur(chance.normal(0, 1, (height, width, 3)).astype(np.float32), (0, 0), size)
        layer = grey[..., None] / grey.std() + 0.6 * colour / colour.std()
        values += layer / 1.5**octave
    return Image.fromarray(np.clip(130 + 60 * values / values.std(), 0, 255).astype(np.uint8))


def psnr(a: Pixels, b: Pixels) -> float:
    """Peak signal-to-noise ratio of two pictures, in decibels."""
    error = float(np.mean((a.astype(np.float64) - b.astype(np.float64)) ** 2))
    return 99.0 if error == 0 else 10 * float(np.log10(255**2 / error))
