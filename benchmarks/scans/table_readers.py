"""Programs that find tables on page pictures, each as a function from a picture to Markdown or HTML with tables.

Run in a process of their own, peers in an environment of their own (`python -m benchmarks.scans --help`).
"""

from __future__ import annotations

import html
import importlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.scans.readers import Reader, ours, with_text_layer


def tesseract_img2table() -> Reader:
    """img2table's tables with and without rules; Tesseract as it calls it."""
    return _img2table(importlib.import_module("img2table.ocr").TesseractOCR(lang="eng"))


def rapidocr_img2table() -> Reader:
    """The same with RapidOCR and the models of its package."""
    ocr = importlib.import_module("img2table.ocr").RapidOCR
    return _img2table(ocr(params={"Global.log_level": "critical"}))


def ocrmypdf_pdfplumber() -> Reader:
    """Tables by alignment of the text layer, as a scan has no drawn lines."""
    module = importlib.import_module("pdfplumber")
    settings = {"vertical_strategy": "text", "horizontal_strategy": "text"}

    def read(picture: Path) -> str:
        with with_text_layer(picture) as made, module.open(made) as document:
            return "\n".join(_html(rows) for page in document.pages for rows in page.extract_tables(settings))

    return read


def ocrmypdf_camelot() -> Reader:
    """Camelot's own choice: rules that it sees on the printed page, else the alignment of the text layer."""
    module = importlib.import_module("camelot")

    def read(picture: Path) -> str:
        with with_text_layer(picture) as made:
            found = module.read_pdf(str(made), flavor="auto", pages="all")
            return "\n".join(_html(table.data) for table in found)

    return read


def kreuzberg() -> Reader:
    """Its recognition by Tesseract, with its search for tables."""
    module = importlib.import_module("kreuzberg")
    tesseract = module.TesseractConfig(enable_table_detection=True)
    recognition = module.OcrConfig(backend="tesseract", language="eng", tesseract_config=tesseract)
    config = module.ExtractionConfig(output_format="markdown", use_cache=False, force_ocr=True, ocr=recognition)

    def read(picture: Path) -> str:
        made = module.extract_file_sync(str(picture), config=config)
        return str(made.content) if "|" in made.content else "\n\n".join(str(table.markdown) for table in made.tables)

    return read


def pymupdf4llm() -> Reader:
    """Its layout network, and RapidOCR, which it takes where that is installed; AGPL: to be measured and no more."""
    pymupdf, module = importlib.import_module("pymupdf"), importlib.import_module("pymupdf4llm")

    def read(picture: Path) -> str:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.pdf"
            with pymupdf.open(picture) as opened:
                page.write_bytes(opened.convert_to_pdf())
            # Our scores take a cell of a pipe table as plain text, in which HTML's break is no letter.
            return str(module.to_markdown(str(page), show_progress=False)).replace("<br>", " ")

    return read


TABLE_READERS: dict[str, Callable[[], Reader]] = {
    "ours": ours,
    "tesseract + img2table": tesseract_img2table,
    "rapidocr + img2table": rapidocr_img2table,
    "ocrmypdf + pdfplumber": ocrmypdf_pdfplumber,
    "ocrmypdf + camelot": ocrmypdf_camelot,
    "kreuzberg (tesseract)": kreuzberg,
    "pymupdf4llm (rapidocr)": pymupdf4llm,
}


def _img2table(ocr: Any) -> Reader:
    image = importlib.import_module("img2table.document").Image

    def read(picture: Path) -> str:
        found = image(src=str(picture)).extract_tables(ocr=ocr, borderless_tables=True)
        return "\n".join(str(table.html) for table in found)

    return read


def _html(rows: Sequence[Sequence[str | None]]) -> str:
    cells = ("".join(f"<td>{html.escape(' '.join((cell or '').split()))}</td>" for cell in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
