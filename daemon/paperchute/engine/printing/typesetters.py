"""Office files laid out by libraries of their own kinds (`contract.typesetters`), held against what the files say.

Both are Rust behind a Python module, work in memory and start no program. A file that ends the process ends a worker,
and the engine has the next printer try (`tasks.pool`), as with LibreOffice.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path

import pypdfium2
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

from paperchute.contract.typesetters import typesetter
from paperchute.engine import fonts, report
from paperchute.language import _

_FONTS = Path(fonts.__file__).parent
_CONFIGURATION = "FONTCONFIG_FILE"
_CACHE = '<cachedir prefix="xdg">fontconfig</cachedir>'
_WORD = re.compile(r"[^\W_]+")
_LAST_RESORT = "Carlito"
"""What office2pdf sets in the place of a font that is not there: as narrow as Calibri, which most files ask for."""
_NOT_SHOWN = frozenset({"script", "style", "title"})
_SHEET_NAMES = frozenset({"h1"})
"""Where the engine puts the names of sheets, which their own program has on its tabs alone."""


class TypesetterError(Exception):
    """A library did not lay a file out, or not all of it. The text says why."""


def is_there(kind: str) -> bool:
    """Tell whether this process can lay a kind of files out: only where somebody hears of it should it end."""
    return report.is_heard() and bool(typesetter(kind))


def print_file(source: Path, kind: str, output: Path, page: str) -> None:
    """Print an office file as PDF.

    Args:
        source: The file.
        kind: One of `contract.typesetters.TYPESETTERS` whose library is there.
        output: The PDF to write.
        page: HTML of all that the file says, as the engine reads it.

    Raises TypesetterError where it prints nothing, or the print lacks a word or a picture.
    """
    name = typesetter(kind)
    with report.loading(name):
        try:
            content = _printed(kind, source.read_bytes())
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
            raise TypesetterError(str(error) or type(error).__name__) from None
    output.write_bytes(content)
    said = _Shown(_NOT_SHOWN | (_SHEET_NAMES if kind == "xlsx" else frozenset()))
    said.feed(page)
    said.close()
    try:
        with pypdfium2.PdfDocument(output) as document:
            _hold_against(said, document)
    except pypdfium2.PdfiumError as error:  # it is no PDF that can be read
        raise TypesetterError(str(error)) from None


def _printed(kind: str, content: bytes) -> bytes:
    if kind == "docx":
        import dxpdf

        with _carried_fonts():
            return bytes(dxpdf.convert(content))
    import office2pdf

    options = office2pdf.ConvertOptions(font_paths=[str(_FONTS)], last_resort_font_family=_LAST_RESORT)
    return bytes(office2pdf.convert_bytes(content, office2pdf.Format(kind), options).pdf)


@contextmanager
def _carried_fonts() -> Iterator[None]:
    """Have dxpdf's own fontconfig find the fonts that the engine carries.

    It is older than what `fonts.conf` is written for, and would take `relative` for the folder that the process is in.
    """
    text = (_FONTS / "fonts.conf").read_text("utf-8")
    before = os.environ.get(_CONFIGURATION)
    with tempfile.TemporaryDirectory() as folder:
        absolute = text.replace('<dir prefix="relative">.</dir>', f"<dir>{escape(str(_FONTS))}</dir>")
        path = Path(folder, "fonts.conf")
        path.write_text(absolute.replace(_CACHE, f"<cachedir>{escape(folder)}</cachedir>"), "utf-8")
        os.environ[_CONFIGURATION] = str(path)
        try:
            yield
        finally:
            if before is None:
                del os.environ[_CONFIGURATION]
            else:
                os.environ[_CONFIGURATION] = before


def _hold_against(said: _Shown, document: pypdfium2.PdfDocument) -> None:
    """Raise TypesetterError where a print lacks a word that a file says, or shows fewer pictures than the file has."""
    stated = Counter(chain.from_iterable(map(_words, said.texts)))
    shown: list[str] = []
    pictures = 0
    for sheet in document:
        shown.extend(_words(sheet.get_textpage().get_text_bounded()))
        pictures += sum(1 for _picture in sheet.get_objects((FPDF_PAGEOBJ_IMAGE,)))
    beyond = Counter(shown) - stated
    parts = "".join(word for word in shown if word in beyond)  # a word may go on in the next line
    lacking = next((word for word in stated - Counter(shown) if word not in parts), "")
    if lacking:
        raise TypesetterError(_("words of the file are missing from its print, such as {word}", word=lacking))
    if pictures < said.pictures:
        raise TypesetterError(
            _(
                "pictures of the file are missing from its print: {shown} of {count} are there",
                shown=pictures,
                count=said.pictures,
            )
        )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


class _Shown(HTMLParser):
    """The texts of a page that are shown, and how many pictures.

    hidden: elements whose text nobody prints.
    """

    def __init__(self, hidden: frozenset[str]) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.pictures = 0
        self._hidden, self._depth = hidden, 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag in self._hidden
        self.pictures += tag == "img"

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag in self._hidden

    def handle_data(self, data: str) -> None:
        if not self._depth:
            self.texts.append(data)
