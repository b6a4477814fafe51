"""PDFs for tests, printed from HTML, and what the engine makes of them."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import PIL.Image
import plutoprint

from paperchute.contract import Value
from paperchute.engine.checks.reading import check_reading
from paperchute.engine.document.model import Block, Page
from paperchute.engine.fonts import use_carried_fonts
from paperchute.engine.operations import pdf_to_markdown
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.work import Source, Work

use_carried_fonts()  # so that what is read back does not depend on the machine

LOREM = (
    "The quick survey of the northern harbours showed that most of the older quays had been rebuilt in brick, while "
    "the newer ones were still made of timber and needed repair after nearly every winter storm. "
)


def printed(path: Path, html: str, css: str = "") -> Path:
    """A PDF of the HTML on A4 paper."""
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.load_html(f"<style>body{{font-family:serif;font-size:11pt}} {css}</style>{html}")
    book.write_to_pdf(str(path))
    return path


def picture(width: int = 60, height: int = 40, kind: str = "png") -> str:
    """A data URL with a red picture."""
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (width, height), "red").save(buffer, kind)
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"


@contextmanager
def read(path: Path, options: Options | None = None, password: str = "") -> Iterator[list[Page]]:
    """The pages of a PDF as the reader gives them."""
    with opened(path, path.name, password) as pdf:
        yield list(read_pdf(pdf, range(len(pdf)), options or Options()).pages)


def blocks(path: Path, options: Options | None = None) -> list[Block]:
    """All blocks of a PDF."""
    with read(path, options) as pages:
        return [block for page in pages for block in page.blocks]


def convert(path: Path, folder: Path, name: str = "", **parameters: Value) -> list[Path]:
    """Run pdf-to-markdown as the engine does; the outputs."""
    folder.mkdir()
    work = Work("pdf-to-markdown", (Source("file", path, name or path.name, "pdf"),), parameters, folder)
    check_reading(work)
    return pdf_to_markdown.run(work)


def markdown(path: Path, folder: Path, **parameters: Value) -> str:
    """The text of the first output."""
    return convert(path, folder, "", **parameters)[0].read_text("utf-8")
