"""Small real documents, made on the spot."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import plutoprint
import pypdfium2

from paperchute.engine.fonts import use_carried_fonts

use_carried_fonts()


def write_pdf(path: Path, text: str, pages: int = 1) -> None:
    """A PDF with a heading and a line of text on each page."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sheets = "".join(
        f'<section style="break-after: page"><h1>{text}</h1><p>Page {number + 1} speaks of {text}.</p></section>'
        for number in range(pages)
    )
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.load_html(sheets)
    book.write_to_pdf(str(path))


def page_count(path: Path, password: str = "") -> int:
    """How many pages a PDF has."""
    with pikepdf.open(path, password=password) as pdf:
        return len(pdf.pages)


def words_of(path: Path) -> str:
    """The text of a PDF, each run of white space one space."""
    document = pypdfium2.PdfDocument(path)
    try:
        return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())
    finally:
        document.close()
