"""The generated documents as files: printed by the engine with and without tags, and as scans of the print."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pikepdf
import PIL.Image
import PIL.ImageFilter
import pypdfium2

from benchmarks.extraction.documents import Made
from paperchute.engine.html.fetch import page_from
from paperchute.engine.html.render import render
from paperchute.engine.work import FetchPolicy

_DPI = 200


def printed(made: Made, folder: Path) -> Path:
    """The document as a PDF without tags."""
    path = folder / f"{made.seed}.pdf"
    render(page_from(f"<!doctype html><meta charset=utf-8>{made.page}".encode()), path, FetchPolicy())
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for name in ("/StructTreeRoot", "/MarkInfo", "/Lang"):
            if name in pdf.Root:
                del pdf.Root[name]
        pdf.save(path)
    return path


def scanned(pdf: Path, seed: int) -> Path:
    """The first page as a scan: grey, a little askew, noisy and blurred, stored as JPEG."""
    chance = random.Random(seed)
    with pypdfium2.PdfDocument(pdf) as document:
        picture = document[0].render(scale=_DPI / 72, grayscale=True).to_pil().convert("L")
    picture = picture.rotate(chance.uniform(-0.8, 0.8), PIL.Image.Resampling.BICUBIC, fillcolor=255)
    picture = picture.filter(PIL.ImageFilter.GaussianBlur(chance.uniform(0.3, 0.9)))
    noise = PIL.Image.effect_noise(picture.size, chance.uniform(4, 18))
    picture = PIL.Image.blend(picture, noise, 0.08)
    path = pdf.with_suffix(".jpg")
    buffer = io.BytesIO()
    picture.save(buffer, "jpeg", quality=chance.randrange(55, 90), dpi=(_DPI, _DPI))
    path.write_bytes(buffer.getvalue())
    return path
