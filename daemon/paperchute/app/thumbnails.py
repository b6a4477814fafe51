"""A page of a document as a picture, drawn in the reader process: the file may be hostile."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image, ImageDraw, ImageOps

from paperchute.app.pdf_files import open_pdf
from paperchute.contract import PICTURES, kind_of_open
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import reading
from paperchute.files.reader_line import Said
from paperchute.language import _

_MOST_PIXELS = 120_000_000
"""Of a picture that is reduced: an A4 sheet at 1200 dpi has 139 million, and three bytes each have to be held."""
_FRAME = "#d81b1b"


def answer_thumbnail(request: Mapping[str, Any], content: bytes) -> Said:
    """A PNG of a page of the file `path`, as large as fits into `side` by `side` px, and how many pages there are.

    Beside it `width` and `height` say how large the page is, in pixels of 144 dpi, or of a picture in those that are
    drawn. `turn`: by how many degrees clockwise it is turned before, 0, 90, 180 or 270.
    `page` counts from 1, and is the first where it is not given. From `root` on no link is followed, where it is given.
    `boxes` are framed on a page of a PDF: left, top, right and bottom in pixels of 144 dpi.
    Raises PaperchuteError where there is none.
    """
    path, side, number = Path(request["path"]), int(request["side"]), int(request.get("page", 1))
    root = Path(request["root"]) if request.get("root") else None
    try:
        with reading(path, root) as file:
            kind = kind_of_open(file)
        if kind == "pdf":
            picture, pages, scale = _of_pdf(path, root, side, number, request.get("boxes", ()))
        elif kind in PICTURES:
            picture, pages, scale = _of_picture(path, root, side), 1, 1.0
        else:
            raise _none(path)
    except (OSError, ValueError, IndexError, pypdfium2.PdfiumError, Image.DecompressionBombError) as error:
        raise _none(path) from error
    if turn := int(request.get("turn", 0)):
        picture = picture.rotate(-turn, expand=True)
    made = io.BytesIO()
    picture.save(made, "PNG")
    return {
        "pages": pages,
        "width": round(picture.width * scale),
        "height": round(picture.height * scale),
    }, made.getvalue()


def _of_pdf(
    path: Path, root: Path | None, side: int, number: int, boxes: Sequence[Sequence[int]]
) -> tuple[Image.Image, int, float]:
    """The page, how many there are, and by how much larger than the picture the page is in pixels of 144 dpi."""
    document = open_pdf(path, root=root)
    try:
        if not 0 < number <= len(document):
            raise _none(path)
        page = document[number - 1]
        scale = side / max(page.get_size())
        drawn: Image.Image = page.render(scale=scale, limit_image_cache=True).to_pil().convert("RGB")
        for box in boxes:
            left, top, right, bottom = (edge * scale * 72 / 144 for edge in box)
            ImageDraw.Draw(drawn).rectangle((left - 4, top - 4, right + 4, bottom + 4), outline=_FRAME, width=3)
        return drawn, len(document), 144 / 72 / scale
    finally:
        document.close()


def _of_picture(path: Path, root: Path | None, side: int) -> Image.Image:
    with reading(path, root) as file, Image.open(file) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise _none(path)
        picture.draft("RGB", (side, side))
        picture.thumbnail((side, side))
        return ImageOps.exif_transpose(picture.convert("RGB"))  # as it is read, and as every viewer shows it


def _none(path: Path) -> PaperchuteError:
    return PaperchuteError(_("There is no picture of {name}.", name=path.name))
