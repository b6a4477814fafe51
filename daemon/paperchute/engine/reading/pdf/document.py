"""PDF files opened with PDFium, damaged ones repaired first."""

from __future__ import annotations

import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from loguru import logger

from paperchute.engine.pdf.document import FAULTS, is_put_together, locked, say_damaged, unlocked
from paperchute.engine.pdf.nesting import draws_for_ever
from paperchute.engine.pdf.protection import spellings
from paperchute.engine.reading.pdf.fields import show_fields
from paperchute.engine.reading.pdf.overpainted import hide_overpainted
from paperchute.engine.reading.pdf.page_glyphs import PageGlyphs
from paperchute.engine.work import Refused
from paperchute.language import _

_MOST_BYTES = 256 << 20
"""Of the file, and of what its compressed objects become."""

_MOST_PAGES = 20_000  # that are looked for in a damaged file: a bound on work
_OBJECT = re.compile(rb"(?<!\d)(\d{1,9})\s+\d{1,5}\s+obj\b")
_STREAM = re.compile(rb"stream\r?\n(.*?)(?:endstream|\Z)", re.DOTALL)
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_FIRST = re.compile(rb"/First\s+(\d{1,9})")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_BOX = re.compile(rb"/MediaBox\b")
_LETTER = b"[0 0 612 792]"  # points; for pages whose size was said by what is lost


class OpenPdf(pdfium.PdfDocument):  # type: ignore[misc]  # pypdfium2 has no types
    """A PDF file that is open, and can be opened anew."""

    def __init__(self, path: Path, password: str | None = None) -> None:
        # PDFium takes each path for UTF-8, which names another file where the system's own encoding is none.
        with ExitStack() as unless_open:
            source = path if sys.getfilesystemencoding() == "utf-8" else unless_open.enter_context(path.open("rb"))
            super().__init__(source, password=password, autoclose=True)
            unless_open.pop_all()
        self.path = path
        self._again = partial(OpenPdf, path, password)
        self._plain = partial(unlocked, path, password or "")
        self._catalog: _Catalog | None = None
        self.glyphs = PageGlyphs(path, password or "")
        """What the fonts of its pages say of their glyphs."""

    def get_page(self, index: int) -> pdfium.PdfPage:
        """A page (0-based), without pictures that are painted too often to be drawn."""
        page = super().get_page(index)
        hide_overpainted(page, index, self.path)
        return page

    @contextmanager
    def plain(self) -> Iterator[pikepdf.Pdf]:
        """The file as qpdf reads it; what the catalog says is noted, so that it need not be opened for that again.

        Raises what pikepdf raises.
        """
        with self._plain() as pdf:
            if self._catalog is None:
                self._catalog = _Catalog.of(pdf)
            yield pdf

    @property
    def hides_layers(self) -> bool:
        """Whether some of its layers are not shown (ISO 32000-1, 8.11.4.3)."""
        return self._known_catalog().hides_layers

    @property
    def is_portfolio(self) -> bool:
        """Whether it is a collection of files, of which its pages are the cover (ISO 32000-1, 12.3.5)."""
        return self._known_catalog().is_portfolio

    def _known_catalog(self) -> _Catalog:
        """Return what the catalog says; of a file that qpdf cannot open, nothing."""
        if self._catalog is None:
            with suppress(*FAULTS, OSError), self.plain():
                pass
        if self._catalog is None:
            self._catalog = _Catalog()
        return self._catalog

    def close(self) -> None:
        """Close the file."""
        self.glyphs.close()
        super().close()

    def renewed(self) -> OpenPdf:
        """The file opened anew, and this one closed: PDFium keeps all that it read of a file while it is open."""
        has_fields_drawn = self.formenv is not None
        self.close()
        again = self._again()
        if has_fields_drawn:
            again.init_forms()
        return again


class _Catalog(NamedTuple):
    """What a file's catalog (ISO 32000-1, 7.7.2) says that PDFium does not tell; False where it cannot be read."""

    hides_layers: bool = False
    is_portfolio: bool = False

    @classmethod
    def of(cls, pdf: pikepdf.Pdf) -> _Catalog:
        """That of an open file."""
        return cls(*(_says(pdf, asked) for asked in (_hides_layers, lambda catalog: "/Collection" in catalog)))


def _says(pdf: pikepdf.Pdf, asked: Callable[[pikepdf.Object], bool]) -> bool:
    try:
        return asked(pdf.Root)
    except (*FAULTS, OSError):
        return False


def _hides_layers(catalog: pikepdf.Object) -> bool:
    shown = catalog.get("/OCProperties", pikepdf.Dictionary()).get("/D", pikepdf.Dictionary())
    return bool(len(shown.get("/OFF", ()))) or shown.get("/BaseState") == pikepdf.Name.OFF


def rebuilt(path: Path, target: Path) -> bool:
    """Decide whether the pages still in the file could be put under a new root, in `target`.

    They come in the order in which they stand in the file.
    """
    if path.stat().st_size > _MOST_BYTES:
        return False
    data = path.read_bytes()
    plain, packed = _objects(data)
    pages: dict[int, bool] = {}
    for number, body in [*plain, *packed.items()]:
        if _PAGE.search(body):
            pages.pop(number, None)  # what stands later replaces what stood before
            pages[number] = bool(_BOX.search(body))
    if not pages or len(pages) > _MOST_PAGES:
        return False
    root = max(number for number, _ in [*plain, *packed.items()]) + 1
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    box = b"" if all(pages.values()) else b"/MediaBox" + _LETTER
    added = packed | {
        root: b"<</Type/Catalog/Pages %d 0 R>>" % (root + 1),
        root + 1: b"<</Type/Pages/Count %d/Kids[%b]%b>>" % (len(pages), kids, box),
    }
    with target.open("wb") as file:
        file.write(data + b"\nendstream\nendobj\n")
        file.writelines(b"%d 0 obj\n%b\nendobj\n" % item for item in added.items())
        file.write(b"trailer\n<</Root %d 0 R/Size %d>>\n%%%%EOF\n" % (root, root + 2))
    logger.info("repaired: {} pages were found in a file whose end is missing", len(pages))
    return True


def _objects(data: bytes) -> tuple[list[tuple[int, bytes]], dict[int, bytes]]:
    """Objects by number: (the dictionaries of those that stand in the file, those inside object streams)."""
    found = list(_OBJECT.finditer(data))
    plain: list[tuple[int, bytes]] = []
    packed: dict[int, bytes] = {}
    room = _MOST_BYTES
    ends = [*(m.start() for m in found), len(data)][1:]
    for match, end in zip(found, ends, strict=True):
        body = data[match.end() : end]
        head = body.partition(b"stream")[0]
        plain.append((int(match[1]), head))
        if _PACKED.search(head) and (stream := _STREAM.search(body)):
            text = _inflated(stream[1], room) if b"/FlateDecode" in head else stream[1]
            room -= len(text)
            packed |= _unpacked(text, _FIRST.search(head))
    return plain, packed


def _inflated(data: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, max(most, 1))
    except zlib.error:
        return b""


def _unpacked(text: bytes, first: re.Match[bytes] | None) -> dict[int, bytes]:
    """The objects of an object stream (ISO 32000-1, 7.5.7): pairs of number and place, then the objects."""
    start = int(first[1]) if first else 0
    numbers = [int(n) for n in text[:start].split() if n.isdigit()]
    places = [start + place for place in numbers[1::2]]
    ends = [*places[1:], len(text)]
    return {n: text[a:b].strip() for n, a, b in zip(numbers[0::2], places, ends, strict=False)}


@contextmanager
def opened(
    path: Path, name: str, password: str, on_damage: Callable[[str, int], None] = say_damaged
) -> Iterator[OpenPdf]:
    """The PDF at `path`, closed afterwards. `name` is what its sender calls it; `password` is empty for none.

    What PDFium cannot open is repaired where that can be done; `on_damage` is told the name and the pages found.

    Raises Refused: 02201 locked and no password given, 120002 wrong password, 02207 unreadable or without pages.
    """
    with ExitStack() as stack:
        document, is_whole = _opened(path, name, password, stack)
        stack.enter_context(closing(document))
        if len(document) < 1:
            raise Refused("02207", _("{name} has no pages.", name=name))
        if not is_whole:
            on_damage(name, len(document))
        if draws_for_ever(path, password):
            raise Refused(
                "02207", _("{name} contains drawings that are nested within themselves endlessly.", name=name)
            )
        show_fields(document, path, password)
        yield document


@contextmanager
def opened_page(document: pdfium.PdfDocument, index: int) -> Iterator[pdfium.PdfPage]:
    """One page (0-based); raises Refused 02207 when it is damaged, as leaving it out would lose text silently."""
    try:
        page = document[index]
    except pdfium.PdfiumError:
        raise Refused(
            "02207",
            _("Page {number} is damaged and cannot be read. Use pageRanges to get the other pages.", number=index + 1),
        ) from None
    try:
        yield page
    finally:
        page.close()


def _opened(path: Path, name: str, password: str, stack: ExitStack) -> tuple[OpenPdf, bool]:
    """(the document, whether its own list of objects could be used: else what was found was put together)."""
    # PDFium sets its last error on some failures only; this one clears a password error left by an earlier file.
    pdfium_c.FPDF_LoadMemDocument(b"", 0, None)
    try:
        document = _document(path, password)
        is_whole = pdfium_c.FPDF_DocumentHasValidCrossReferenceTable(document) or _is_whole(path, password, document)
        return document, bool(is_whole)
    except pdfium.PdfiumError as error:
        if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
            raise locked(name, given=bool(password)) from None
        repaired = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "repaired.pdf"
        if not (_repaired(path, name, password, repaired) or rebuilt(path, repaired)):
            raise _unreadable(name) from None
    try:
        return OpenPdf(repaired), False
    except pdfium.PdfiumError:
        raise _unreadable(name) from None


def _is_whole(path: Path, password: str, document: OpenPdf) -> bool:
    """Decide whether qpdf can use the list of objects, where PDFium cannot, and finds as many pages.

    Some programs end its lines in one character, where two belong, and have done so in every file.
    """
    try:
        with unlocked(path, password) as pdf:
            return len(pdf.pages) == len(document) and not is_put_together(pdf)
    except (*FAULTS, OSError):
        return False


def _document(path: Path, password: str) -> OpenPdf:
    """With the password in its spellings, else with none, as a file opens that only restricts its readers."""
    for attempt in spellings(password) if password else []:
        try:
            return OpenPdf(path, attempt)
        except pdfium.PdfiumError as error:
            if error.err_code != pdfium_c.FPDF_ERR_PASSWORD:
                raise
    return OpenPdf(path)


def _repaired(path: Path, name: str, password: str, target: Path) -> bool:
    """Decide whether qpdf could write a sound copy, without encryption, to `target`.

    Raises Refused: 02201 and 120002, as it knows ways of locking that PDFium does not.
    """
    try:
        with unlocked(path, password) as pdf:
            if not pdf.pages:
                return False
            pdf.save(target, encryption=False)
            logger.info("repaired: {} pages of a damaged file could be saved", len(pdf.pages))
    except pikepdf.PasswordError:
        raise locked(name, given=bool(password)) from None
    except FAULTS:
        return False
    return True


def _unreadable(name: str) -> Refused:
    return Refused("02207", _("{name} cannot be opened as a PDF: it is damaged or of another type.", name=name))
