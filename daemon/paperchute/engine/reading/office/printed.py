"""Office files and texts as PDFs."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lxml.etree import LxmlError

from paperchute.engine.html.encoding import decode
from paperchute.engine.html.fetch import Page, page_from
from paperchute.engine.html.render import render
from paperchute.engine.reading.office.left_out import tell_of_left_out
from paperchute.engine.reading.office.markup import csv_html, markdown_html, text_html
from paperchute.engine.reading.office.sheets import workbook_html
from paperchute.engine.reading.office.slides import slides_html
from paperchute.engine.reading.office.word import document_html
from paperchute.engine.work import Refused, Source, Work
from paperchute.language import _

_MOST_UNPACKED = 400 << 20  # bytes: a bound on memory
_MOST_PARTS = 20_000  # files in the archive: a bound on work on hostile files


@contextmanager
def opened_safely(path: Path, name: str) -> Iterator[None]:
    """Around the reading of an office file.

    Raises Refused: 02209 when it unpacks to more than can be read, 02207 for whatever its reader stumbles over.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
        if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > _MOST_UNPACKED:
            raise Refused(
                "02209",
                _(
                    "{name} unpacks to more than {megabytes} MB; split it first.",
                    name=name,
                    megabytes=_MOST_UNPACKED >> 20,
                ),
            )
        yield
    except (
        zipfile.BadZipFile,
        LxmlError,
        KeyError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
        OSError,
    ) as error:
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=name)
        ) from error


def printed(source: Source, kind: str, work: Work) -> Path:
    """The file as a PDF in the work's folder. Raises Refused: 02207 damaged, 02209 too large, 100105 too many pages."""
    target = work.folder / "printed.pdf"
    made = _page(source, kind)
    if kind in ("docx", "xlsx", "pptx"):
        with opened_safely(source.path, source.name):
            tell_of_left_out(source.path, work)
    render(made, target, work.fetch)
    return target


def _page(source: Source, kind: str) -> Page:
    if kind == "html":
        return page_from(source.path.read_bytes())
    if kind in ("txt", "md", "csv"):
        text = decode(source.path.read_bytes())
        return Page({"txt": text_html, "md": markdown_html, "csv": csv_html}[kind](text))
    with opened_safely(source.path, source.name):
        if kind == "xlsx":
            return Page(workbook_html(source.path, source.name))
        return Page(document_html(source.path) if kind == "docx" else slides_html(source.path))
