"""Pictures as cameras and scanners give them, and PDFs of them."""

from __future__ import annotations

import io
import random
from pathlib import Path

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageDraw
import PIL.ImageFont
from pikepdf import Dictionary, Name


def photo(size: tuple[int, int] = (1600, 1200)) -> PIL.Image.Image:
    """What a camera gives: soft shapes with grain."""
    chance = np.random.default_rng(3)
    small = PIL.Image.fromarray(chance.integers(0, 255, (12, 16, 3), np.uint8)).resize(
        size, PIL.Image.Resampling.BICUBIC
    )
    grain = chance.normal(0, 4, (size[1], size[0], 3))
    return PIL.Image.fromarray(np.clip(np.asarray(small) + grain, 0, 255).astype(np.uint8))


def letter(size: tuple[int, int] = (1654, 2339)) -> PIL.Image.Image:
    """A page of text, as ink and paper alone."""
    page, chance = PIL.Image.new("L", size, 255), random.Random(5)
    draw, font = PIL.ImageDraw.Draw(page), PIL.ImageFont.load_default(34)
    for line in range(40):
        letters = "".join(chance.choice("abcdefghiklmnoprstuvw ") for _ in range(45))
        draw.text((150, 150 + 50 * line), letters, 0, font)
    return page.point(lambda grey: 255 * (grey > 127))


def scan(path: Path, *pictures: PIL.Image.Image, jpeg: int = 0, dpi: float = 200) -> Path:
    """A page for each picture, which covers it."""
    pdf = pikepdf.new()
    for picture in pictures:
        width, height = (side * 72 / dpi for side in picture.size)
        page = pdf.add_blank_page(page_size=(width, height))
        image = pdf.make_stream(picture.tobytes())
        if jpeg:
            out = io.BytesIO()
            picture.save(out, "JPEG", quality=jpeg)
            image = pdf.make_stream(out.getvalue(), Filter=Name.DCTDecode)
        image.Type, image.Subtype = Name.XObject, Name.Image
        image.Width, image.Height = picture.size
        image.BitsPerComponent = 1 if picture.mode == "1" else 8
        image.ColorSpace = Name.DeviceRGB if picture.mode == "RGB" else Name.DeviceGray
        page.Resources = Dictionary(XObject=Dictionary(Im=image))
        page.Contents = pdf.make_stream(f"{width} 0 0 {height} 0 0 cm /Im Do".encode())
    pdf.save(path, compress_streams=True)
    return path
