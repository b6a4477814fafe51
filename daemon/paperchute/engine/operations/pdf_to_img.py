"""pdf-to-img: the pages of a PDF as pictures (docs/contract.md#operations).

- imageScaling: pixels a point; 1 gives 72 dpi, and the files say so. imageColorMode e_Binary parts ink from paper by
  Otsu's threshold; TIFF holds it as Group 4.
- A file for each page, so isOutputDocumentPerPage changes nothing but that a single page is numbered too.
- enableOcr and what goes with it have nothing to do: a picture holds no text.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import PIL.Image
import pypdfium2 as pdfium

from paperchute.engine.pdf.pages import page_names
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.report import counted
from paperchute.engine.work import Refused, Work, chosen_pages, output_name
from paperchute.language import _

_MOST_PIXELS = 200_000_000
"""Of one page: what the readers of pictures take too."""
_FORMATS = {
    "JPG": ("jpg", "JPEG"),
    "JPEG": ("jpg", "JPEG"),
    "JPEG2000": ("jp2", "JPEG2000"),
    "PNG": ("png", "PNG"),
    "BMP": ("bmp", "BMP"),
    "TIFF": ("tiff", "TIFF"),
    "TGA": ("tga", "TGA"),
    "GIF": ("gif", "GIF"),
    "WEBP": ("webp", "WEBP"),
}
"""The extension and Pillow's name of each `imageFormat`."""


def run(work: Work) -> list[Path]:
    """A picture for each page. Raises Refused 02201, 120002, 02207, 110001, 02209 for one with too many pixels."""
    source = work.sources[0]
    extension, _name = _FORMATS[work.text("imageFormat") or "JPG"]
    with opened(source.path, source.name, work.text("password")) as document:
        chosen = list(dict.fromkeys(chosen_pages(work.text("pageRanges"), len(document), source.name)))
        whole = work.folder / output_name(work, extension)
        alone = len(document) == 1 and not work.flag("isOutputDocumentPerPage")
        names = [whole] if alone else page_names(whole, chosen)
        document.init_forms()
        for index, path in zip(counted(chosen, len(chosen)), names, strict=True):
            _save(work, _drawn(work, document[index], index + 1), path)
    return names


def _drawn(work: Work, page: pdfium.PdfPage, number: int) -> PIL.Image.Image:
    """The page as a reader shows it, notes and filled-in fields included."""
    scale = work.number("imageScaling", 1.0)
    width, height = page.get_size()
    if width * height * scale * scale > _MOST_PIXELS:
        raise Refused(
            "02209",
            _(
                "page {page} would have more than {most} million pixels; send a smaller imageScaling",
                page=number,
                most=_MOST_PIXELS // 1_000_000,
            ),
        )
    mode = work.text("imageColorMode")
    bitmap = page.render(scale=scale, grayscale=mode in ("e_Gray", "e_Binary"), may_draw_forms=True)
    drawn: PIL.Image.Image = bitmap.to_pil()
    return _parted(drawn) if mode == "e_Binary" else drawn


def _parted(picture: PIL.Image.Image) -> PIL.Image.Image:
    """Ink and paper alone."""
    _threshold, parted = cv2.threshold(np.asarray(picture.convert("L")), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return PIL.Image.fromarray(parted).convert("1", dither=PIL.Image.Dither.NONE)


def _save(work: Work, picture: PIL.Image.Image, path: Path) -> None:
    """Write it, with its resolution where the format has a place for that."""
    _extension, name = _FORMATS[work.text("imageFormat") or "JPG"]
    if picture.mode == "1" and name not in ("TIFF", "PNG", "BMP", "GIF"):
        picture = picture.convert("L")
    elif picture.mode not in ("1", "L", "RGB"):
        picture = picture.convert("RGB")
    dpi = 72 * work.number("imageScaling", 1.0)
    options: dict[str, object] = {"dpi": (dpi, dpi)} if name in ("JPEG", "PNG", "TIFF", "BMP") else {}
    if name == "TIFF":
        options["compression"] = "group4" if picture.mode == "1" else "tiff_deflate"
    elif name in ("JPEG", "WEBP"):
        options["quality"] = 90
    picture.save(path, name, **options)
