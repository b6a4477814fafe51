"""Separator sheets and labels, as a PDF to print: what `separatorCode` of pdf-split finds again in a scanned stack.

A separator sheet bears PATCHT in Code 128 along two edges, so that one of them is read whatever happens to the other,
and in its middle the code that names the document behind it. Labels are cut out and put on first pages.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import zxingcpp
from PIL import ImageFont

import paperchute
from paperchute.errors import PaperchuteError
from paperchute.language import N_, _

PAPERS = {"a4": (595.28, 841.89), "letter": (612.0, 792.0)}
"""Width and height in points."""

_SHEET = "PATCHT"
_FONT = Path(paperchute.__file__).parent / "engine" / "fonts" / "LiberationSans-Regular.ttf"
_MOST_TEXT = 300  # bytes of a code: its squares are then 0.8 mm wide on a sheet, and 0.4 mm on a label
_BAR = 2.2  # points of the narrowest bar of PATCHT
_LABELS = (2, 5)  # across and down
_SENTENCES = (
    (N_("Separator sheet"), 190.0, 28.0),
    (N_("A new document begins behind this sheet."), 220.0, 13.0),
    (N_("The sheet itself is taken out."), 240.0, 13.0),
)
"""What a sheet says, and where: points from the paper's top, and of the letters."""


@dataclass(frozen=True)
class Sheet:
    """A page to print. code: what names the documents behind it, empty for none; is_labels: to be cut into labels."""

    code: str = ""
    is_labels: bool = False


def write_sheets(target: Path, sheets: Sequence[Sheet], paper: str) -> None:
    """Write a PDF with a page for each sheet.

    Args:
        target: The file; it must not be there.
        sheets: In their order.
        paper: One of PAPERS.

    Raises PaperchuteError for a code that is too long or has nothing in it, and OSError.
    """
    for sheet in sheets:
        if len(sheet.code.encode()) > _MOST_TEXT or (sheet.is_labels and not sheet.code.strip()):
            raise PaperchuteError(
                _(
                    "A code takes 1 to {most} bytes of text, not {count}.",
                    most=_MOST_TEXT,
                    count=len(sheet.code.encode()),
                ),
                _("Write what the documents are called by, such as {example}.", example="customer=Huber"),
            )
    with closing(pdfium.PdfDocument.new()) as document:
        font = _Font(document)
        for sheet in sheets:
            page = document.new_page(*PAPERS[paper])
            canvas = _Canvas(document, page, font, *PAPERS[paper])
            if sheet.is_labels:
                _draw_labels(canvas, sheet.code)
            else:
                _draw_separator(canvas, sheet.code)
            page.gen_content()
            page.close()
        with target.open("xb") as file:
            document.save(file)


def is_written(text: str) -> bool:
    """Decide whether the sheets' font has all letters of a text."""
    font = ImageFont.truetype(_FONT, 20)
    absent = bytes(font.getmask("\uffff"))
    return all(bytes(font.getmask(letter)) != absent for letter in text if not letter.isspace())


def _draw_separator(canvas: _Canvas, code: str) -> None:
    width, height = canvas.size
    for middle in (height - 90.0, 90.0):
        canvas.bars(_SHEET, width / 2, middle, 70.0)
    for sentence, below, size in _SENTENCES:
        said = _(sentence) if is_written(_(sentence)) else sentence
        canvas.text(said, width / 2, height - below, size)
    canvas.squares(code or _SHEET, width / 2, height / 2 - 20.0, 190.0)
    for number, line in enumerate(filter(is_written, code.splitlines()[:6])):
        canvas.text(line, width / 2, height / 2 - 150.0 - 20.0 * number, 14.0)


def _draw_labels(canvas: _Canvas, code: str) -> None:
    across, down = _LABELS
    width, height = canvas.size[0] / across, canvas.size[1] / down
    for column in range(across):
        for row in range(down):
            middle = width * (column + 0.5), canvas.size[1] - height * (row + 0.5)
            canvas.squares(code, middle[0], middle[1] + 12.0, 100.0)
            if is_written(code):
                canvas.text(" ".join(code.split()), middle[0], middle[1] - 60.0, 9.0, most=width - 24.0)


class _Font:
    """The font of all sheets, whole in the document."""

    def __init__(self, document: pdfium.PdfDocument) -> None:
        data = _FONT.read_bytes()
        held = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
        self.raw = pdfium_c.FPDFText_LoadFont(document, held, len(data), pdfium_c.FPDF_FONT_TRUETYPE, True)
        if not self.raw:
            raise RuntimeError(f"{_FONT.name} cannot be used")


class _Canvas:
    """A page that is drawn on; places are points from its lower left corner."""

    def __init__(
        self, document: pdfium.PdfDocument, page: pdfium.PdfPage, font: _Font, width: float, height: float
    ) -> None:
        self.size = width, height
        self._document, self._page, self._font = document, page, font

    def text(self, text: str, middle: float, baseline: float, size: float, most: float = 0.0) -> None:
        """Write a line around `middle`, smaller where it would be wider than `most`, or than the page."""
        width = self._width(text, size)
        room = most or self.size[0] - 60.0
        scale = min(1.0, room / width) if width else 1.0
        item = self._text_object(text, size * scale)
        pdfium_c.FPDFPageObj_Transform(item, 1, 0, 0, 1, middle - width * scale / 2, baseline)
        pdfium_c.FPDFPage_InsertObject(self._page, item)

    def bars(self, text: str, x: float, y: float, height: float) -> None:
        """Draw Code 128 around a place."""
        picture = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.Code128).to_image(add_quiet_zones=False)
        row = _rows(picture)[0]
        self._filled([row], x - _BAR * len(row) / 2, y + height / 2, _BAR, height)

    def squares(self, text: str, x: float, y: float, side: float) -> None:
        """Draw a QR code around a place."""
        made = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level="Q")
        rows = _rows(made.to_image(add_quiet_zones=False))
        module = side / len(rows)
        self._filled(rows, x - side / 2, y + side / 2, module, module)

    def _filled(self, rows: Sequence[Sequence[bool]], left: float, top: float, wide: float, tall: float) -> None:
        path = pdfium_c.FPDFPageObj_CreateNewPath(left, top)
        for number, row in enumerate(rows):
            high, low = top - tall * number, top - tall * (number + 1)
            for start, end in _runs(row):
                corners = [(left + wide * at, y) for at, y in ((end, high), (end, low), (start, low))]
                pdfium_c.FPDFPath_MoveTo(path, left + wide * start, high)
                for corner in corners:
                    pdfium_c.FPDFPath_LineTo(path, *corner)
                pdfium_c.FPDFPath_Close(path)
        pdfium_c.FPDFPageObj_SetFillColor(path, 0, 0, 0, 255)
        pdfium_c.FPDFPath_SetDrawMode(path, pdfium_c.FPDF_FILLMODE_WINDING, False)
        pdfium_c.FPDFPage_InsertObject(self._page, path)

    def _width(self, text: str, size: float) -> float:
        item = self._text_object(text, size)
        left, bottom, right, top = (ctypes.c_float() for _side in range(4))
        pdfium_c.FPDFPageObj_GetBounds(item, left, bottom, right, top)
        pdfium_c.FPDFPageObj_Destroy(item)
        return right.value - left.value

    def _text_object(self, text: str, size: float) -> Any:
        item = pdfium_c.FPDFPageObj_CreateTextObj(self._document, self._font.raw, size)
        encoded = (text + "\0").encode("utf-16-le")
        letters = ctypes.cast(ctypes.create_string_buffer(encoded), ctypes.POINTER(ctypes.c_ushort))
        pdfium_c.FPDFText_SetText(item, letters)
        return item


def _rows(picture: Any) -> list[list[bool]]:
    """A code's picture of one pixel a module: where it is black."""
    height, width = picture.shape
    data = memoryview(picture).tobytes()
    return [[not value for value in data[width * row : width * (row + 1)]] for row in range(height)]


def _runs(row: Sequence[bool]) -> list[tuple[int, int]]:
    """Return where black begins and ends, in modules."""
    edges = [at for at in range(len(row) + 1) if (at > 0 and row[at - 1]) != (at < len(row) and row[at])]
    return list(zip(edges[::2], edges[1::2], strict=True))
