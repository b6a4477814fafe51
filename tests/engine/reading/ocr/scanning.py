"""Scans for tests: pages printed from HTML, drawn as pictures and spoilt."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import PIL.Image
import PIL.ImageFilter
import pypdfium2

from paperchute.contract import kind_of
from paperchute.engine.document.model import Block, Page
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work
from tests.engine.reading.printing import printed

LETTER = (
    "<h1>Harbour survey</h1><p>The quick survey of the northern harbours showed that most of the older quays had been "
    "rebuilt in brick, while the newer ones were still made of timber.</p>"
    "<ul><li>Repair the eastern pier</li><li>Count the mooring posts</li></ul>"
)
TABLE = (
    "<style>table{border-collapse:collapse}td,th{border:1px solid black;padding:4pt 12pt}</style>"
    "<table><tr><th>Port</th><th>Ships</th><th>Tons</th></tr><tr><td>Aarhus</td><td>12</td><td>4800</td></tr>"
    "<tr><td>Bergen</td><td>7</td><td>2150</td></tr><tr><td>Tromsø</td><td>–</td><td>310</td></tr>"
    "<tr><td colspan='2'>Together</td><td>6950</td></tr></table>"
)

PARAGRAPHS = [
    "The quick survey of the northern harbours showed that most of the older quays",
    "had been rebuilt in brick, while the newer ones were still made of timber",
    "Repair the eastern pier for 1,250.00 and count each of the mooring posts there",
    "A number of engines were ordered for the machine room beneath the granary",
] * 5
"""Lines of text with an amount, enough for a page."""


def scanned(folder: Path, html: str, *, dpi: int = 150, css: str = "") -> PIL.Image.Image:
    """The first page of the HTML as a picture."""
    path = printed(folder / "printed.pdf", html, f"body{{font-family:sans-serif}}{css}")
    document = pypdfium2.PdfDocument(path)
    try:
        return document[0].render(scale=dpi / 72).to_pil().convert("RGB")
    finally:
        document.close()


def upper(picture: PIL.Image.Image) -> PIL.Image.Image:
    """The page without its lower part, which is empty in the letter and takes time to look over."""
    return picture.crop((0, 0, picture.width, picture.height * 2 // 5))


def skewed(picture: PIL.Image.Image, degrees: float) -> PIL.Image.Image:
    """The page laid in askew on a grey lid."""
    return picture.rotate(degrees, PIL.Image.Resampling.BICUBIC, expand=True, fillcolor=(225, 225, 222))


def noisy(picture: PIL.Image.Image, strength: float = 18.0) -> PIL.Image.Image:
    """Grain and a little blur, and a shadow from the left."""
    soft = np.asarray(picture.filter(PIL.ImageFilter.GaussianBlur(0.6)), np.float32)
    grain = np.random.default_rng(7).normal(0, strength, soft.shape[:2])[..., None]
    shadow = np.linspace(0.55, 1.0, soft.shape[1])[None, :, None]
    return PIL.Image.fromarray(np.clip(soft * shadow + grain, 0, 255).astype(np.uint8))


def saved(path: Path, *pictures: PIL.Image.Image, dpi: int = 150) -> Path:
    """One picture file; several pictures make the pages of a TIFF."""
    more: dict[str, Any] = {"save_all": True, "append_images": list(pictures[1:])} if len(pictures) > 1 else {}
    pictures[0].save(path, dpi=(dpi, dpi), **more)
    return path


def scan_pdf(path: Path, *pictures: PIL.Image.Image, dpi: int = 150) -> Path:
    """A PDF of page pictures as JPEGs."""
    pdf = pikepdf.new()
    for picture in pictures:
        buffer = io.BytesIO()
        picture.save(buffer, "jpeg", quality=85)
        width, height = picture.width * 72 / dpi, picture.height * 72 / dpi
        page = pdf.add_blank_page(page_size=(width, height))
        image = pdf.make_stream(buffer.getvalue())
        image.Type, image.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
        image.Width, image.Height, image.BitsPerComponent = picture.width, picture.height, 8
        image.ColorSpace, image.Filter = pikepdf.Name.DeviceRGB, pikepdf.Name.DCTDecode
        page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=image))
        page.Contents = pdf.make_stream(f"q {width} 0 0 {height} 0 0 cm /Im0 Do Q".encode())
    pdf.save(path)
    return path


def read(path: Path, folder: Path, *, looks: bool = False, **parameters: int | str) -> list[Page]:
    """The pages as the operations get them, recognition on. looks: for boxes."""
    folder.mkdir(exist_ok=True)
    source = Source("file", path, path.name, kind_of(path))
    work = Work("pdf-to-markdown", (source,), {"enableOcr": 1, **parameters}, folder)
    with document_of(work, looks=looks) as document:
        return list(document.pages)


def text_of(blocks: Sequence[Block]) -> str:
    """All text of blocks, items and cells, line by line."""
    parts: list[str] = []
    for block in blocks:
        parts += [line.text for line in block.lines]
        parts += [line.text for item in block.items for line in item.lines]
        if block.table is not None:
            parts += [line.text for cell in block.table.cells for line in cell.lines]
    return "\n".join(parts)
