"""Office files and texts as PDFs."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import ParseError

from lxml.etree import LxmlError
from pptx.exc import PythonPptxError

from paperchute.contract.kinds import BROKEN_ZIP
from paperchute.engine.html.fetch import Page, page_from
from paperchute.engine.html.render import render
from paperchute.engine.reading.office.encodings import text_of
from paperchute.engine.reading.office.left_out import LeftOut
from paperchute.engine.reading.office.markup import csv_html, markdown_html, text_html
from paperchute.engine.reading.office.package import sound
from paperchute.engine.reading.office.sheets import workbook_html
from paperchute.engine.reading.office.slides import slides_html
from paperchute.engine.reading.office.word import document_html
from paperchute.engine.work import Refused, Source, Work
from paperchute.language import _

_MOST_UNPACKED = 400 << 20  # bytes: a bound on memory
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")
_MOST_CONTROLS = 0.01  # of a text's characters: what has more is none
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
        *BROKEN_ZIP,
        *(LxmlError, ParseError, PythonPptxError),
        *(KeyError, AttributeError, TypeError, IndexError, OSError),
    ) as error:
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=name)
        ) from error


def printed(source: Source, kind: str, work: Work) -> Path:
    """The file as a PDF in the work's folder. Raises Refused: 02207 damaged, 02209 too large, 100105 too many pages."""
    target = work.folder / "printed.pdf"
    render(_page(source, kind, work), target, work.fetch)
    return target


def _page(source: Source, kind: str, work: Work) -> Page:
    if kind == "html":
        return page_from(source.path.read_bytes())
    if kind in ("txt", "md", "csv"):
        text = _text(source, work)
        return Page({"txt": text_html, "md": markdown_html, "csv": csv_html}[kind](text))
    left = LeftOut()
    with opened_safely(source.path, source.name):
        path = sound(source.path, work.folder / f"sound.{kind}", work)
        if kind == "xlsx":
            html = workbook_html(path, source.name, left)
        else:
            html = document_html(path, left) if kind == "docx" else slides_html(path, left)
        left.tell(path, work)
    return Page(html)


def _text(source: Source, work: Work) -> str:
    """The text of a file, whose encoding is told where the file does not say it."""
    text, encoding, is_sure = text_of(source.path.read_bytes())
    if len(_CONTROLS.findall(text)) > _MOST_CONTROLS * len(text):
        raise Refused(
            "02207", _("{name} cannot be opened: it is damaged, or not what its name says.", name=source.name)
        )
    if source.kind == "unknown" and not is_sure:
        raise Refused(
            "02207",
            _(
                "{name} does not say which encoding its text is in, and no known one makes sense of it. Save it as "
                "UTF-8 first.",
                name=source.name,
            ),
        )
    if encoding and is_sure:
        work.note(_("{name} was read as {encoding}.", name=source.name, encoding=encoding))
    elif encoding:
        work.warn(
            _(
                "{name} does not say which encoding its text is in. It was read as {encoding}, and letters may be "
                "wrong: check it, or save it as UTF-8.",
                name=source.name,
                encoding=encoding,
            )
        )
    return text
