"""document-fingerprint: by what a scan made twice is known again (docs/contract.md#document-fingerprint).

Of each page the words at their places, as numbers that do not give them back, and how dark its ink is, 2 mm by 2 mm.
Two of them are compared in the daemon's reader process (`jobs/likeness.py`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pikepdf
import pypdfium2 as pdfium

from paperchute.engine.imaging.blank import DPI, ink_of
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.ocr.options import AUTO, OcrOptions
from paperchute.engine.reading.ocr.text_layers import EditableReader, ReadPage
from paperchute.engine.reading.pdf.document import OpenPdf, opened, opened_page
from paperchute.engine.reading.pdf.reader import read_marks
from paperchute.engine.reading.pdf.styles import Fonts
from paperchute.engine.reading.pdf.view import Matrix, View
from paperchute.engine.reading.source import options_of
from paperchute.engine.report import counted
from paperchute.engine.work import Work, output_name

_CELL = 2 / 25.4 * 72  # points: a tick is four of them wide, and two scans of a page lie less than one apart
_SURELY = 0.9  # what digits are read with where they are right: in worse ones another may be hidden
_MOST_PIXELS = 24_000_000
_OCR = OcrOptions(AUTO, "INVALID_CHARACTER_AND_SCAN_PAGE")


def run(work: Work) -> list[Path]:
    """The fingerprint as JSON. Raises Refused 02201, 120002, 02207, 190005, and for pictures as `with_pdfs`."""
    output = work.folder / output_name(work, "json")
    work = with_pdfs(work)
    source, password = work.sources[0], work.text("password")
    with open_pdf(source.path, source.name, password) as pdf:
        found: dict[str, Any] = {"version": 1, "attached": list(_attached(pdf)), "pages": []}
    with opened(source.path, source.name, password) as document:
        reader = EditableReader(document, _OCR, options_of(work, layout=False), colours=False)
        for index in counted(range(len(document)), len(document)):
            reader.read(index)
            with opened_page(document, index) as page:
                found["pages"].append(_page(document, page, index, reader.page(index)))
    output.write_text(json.dumps(found, separators=(",", ":")), "utf-8")
    return [output]


def _attached(pdf: pikepdf.Pdf) -> Iterator[str]:
    """Yield what no page shows: attached files, such as an invoice's data, and signatures; in no order."""
    for stream in pdf.objects:
        if isinstance(stream, pikepdf.Stream) and stream.get("/Type") == "/EmbeddedFile":
            yield hashlib.sha256(stream.read_raw_bytes()).hexdigest()
        elif isinstance(stream, pikepdf.Dictionary) and "/ByteRange" in stream and "/Contents" in stream:
            yield hashlib.sha256(bytes(stream["/Contents"])).hexdigest()


def _page(document: OpenPdf, page: pdfium.PdfPage, index: int, read: ReadPage | None) -> dict[str, Any]:
    """Words and ink, both as the page is shown."""
    shown, words = View.of(page), list[tuple[Word, Matrix]]()
    if read is not None:
        words += [(word, read.to_user) for word in read.words]
    if read is None or read.page is None:  # it has text of its own, beside what was recognised
        marks, _objects = read_marks(document, page, index, Fonts())
        own = View.of(page, marks.angle).matrix.inverse()
        words += [(word, own) for word in marks.words]
    placed = [_word(word, shown.matrix.at(*to_user.at(*word.box.center))) for word, to_user in words]
    return {"words": placed, "width": round(shown.width, 1), "height": round(shown.height, 1), **_ink(page, shown)}


def _word(word: Word, at: tuple[float, float]) -> tuple[str, bool, bool, float, float]:
    """A word's number, whether digits are in it, whether it was surely read, and its middle in points."""
    text = unicodedata.normalize("NFKC", word.text).casefold()
    number = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return number, any(map(str.isdigit, text)), word.confidence >= _SURELY, round(at[0], 1), round(at[1], 1)


def _ink(page: pdfium.PdfPage, shown: View) -> dict[str, Any]:
    """How dark the ink of a page is, cell by cell, from 0 to 255."""
    columns, rows = (max(round(side / _CELL), 1) for side in (shown.width, shown.height))
    scale = min(DPI / 72, (_MOST_PIXELS / max(shown.width * shown.height, 1.0)) ** 0.5)
    picture = page.render(scale=scale, may_draw_forms=True).to_numpy()
    found = ink_of(np.ascontiguousarray(picture[:, :, :3]))
    ink = (found.depth * (found.marks | found.dust)).astype(np.float32)
    cells = cv2.resize(ink, (columns, rows), interpolation=cv2.INTER_AREA)
    packed = zlib.compress(np.clip(np.rint(cells), 0, 255).astype(np.uint8).tobytes())
    return {"columns": columns, "rows": rows, "ink": base64.b64encode(packed).decode()}
