"""The first page of a document as a small picture, drawn in the reader process: the file may be hostile."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image

from paperchute.app.pdf_files import open_pdf
from paperchute.contract import PICTURES, kind_of_open
from paperchute.errors import PaperchuteError
from paperchute.files.beneath import reading
from paperchute.files.reader_line import Said
from paperchute.language import _

_MOST_PIXELS = 120_000_000
"""Of a picture that is reduced: an A4 sheet at 1200 dpi has 139 million, and three bytes each have to be held."""


def answer_thumbnail(request: Mapping[str, Any], content: bytes) -> Said:
    """A PNG of the first page of the file `path`, as large as fits into `side` by `side` px.

    Raises PaperchuteError where there is none.
    """
    path, side = Path(request["path"]), int(request["side"])
    try:
        with reading(path, None) as file:
            kind = kind_of_open(file)
        if kind == "pdf":
            picture = _of_pdf(path, side)
        elif kind in PICTURES:
            picture = _of_picture(path, side)
        else:
            raise _none(path)
    except (OSError, ValueError, pypdfium2.PdfiumError, Image.DecompressionBombError) as error:
        raise _none(path) from error
    made = io.BytesIO()
    picture.save(made, "PNG")
    return {}, made.getvalue()


def _of_pdf(path: Path, side: int) -> Image.Image:
    document = open_pdf(path)
    try:
        page = document[0]
        scale = side / max(page.get_size())
        drawn: Image.Image = page.render(scale=scale, limit_image_cache=True).to_pil()
        return drawn
    finally:
        document.close()


def _of_picture(path: Path, side: int) -> Image.Image:
    with reading(path, None) as file, Image.open(file) as picture:
        if picture.width * picture.height > _MOST_PIXELS:
            raise _none(path)
        picture.draft("RGB", (side, side))
        picture.thumbnail((side, side))
        return picture.convert("RGB")


def _none(path: Path) -> PaperchuteError:
    return PaperchuteError(_("There is no picture of {name}.", name=path.name))
