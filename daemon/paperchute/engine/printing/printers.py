"""Office files, texts and HTML laid out on pages.

Office files are printed by LibreOffice where it is installed; all else, and what that does not print, is laid out as
the engine reads it.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.contract import libreoffice
from paperchute.engine.checks.reading import kind_printed
from paperchute.engine.html.fetch import page_from
from paperchute.engine.html.render import render
from paperchute.engine.printing import libreoffice as kit
from paperchute.engine.printing.rtf import rtf_page
from paperchute.engine.reading.office.document import page_of
from paperchute.engine.reading.source import check_openable
from paperchute.engine.work import Refused, Source, Work
from paperchute.language import _

_NEWER = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}
"""Kinds that nothing here reads, and what their programs save in their place."""
_LAID_OUT = ("docx", "xlsx", "pptx")
"""Kinds whose own programs lay them out."""


def print_source(source: Source, work: Work, output: Path) -> None:
    """Print an office file, RTF, text, Markdown, CSV or HTML, and warn of what of it is not shown.

    Args:
        source: The file.
        work: The task, for which hosts may be asked and who is told.
        output: The PDF to write.

    Raises Refused: 02002 a kind that nothing here prints, 02201 locked, 02207 damaged, 02209 too large, 100105 too many
    pages.
    """
    check_openable(source)
    if source.kind in libreoffice.KINDS and _is_printed_by_libreoffice(source, work, output):
        return
    kind = "rtf" if source.kind == "rtf" else kind_printed(source)
    if not kind:
        newer = _NEWER.get(source.kind, "")
        advice = (
            _("Save it as .{kind} first, or install LibreOffice where the engine runs.", kind=newer)
            if newer
            else _("Convert it first.")
        )
        raise Refused("02002", _("{name} cannot be printed here. {advice}", name=source.name, advice=advice))
    if kind == "html":
        page = page_from(source.path.read_bytes())
    elif kind == "rtf":
        page = rtf_page(source, work)
    else:
        page = page_of(source, kind, work)
    render(page, output, work.fetch)
    if kind in _LAID_OUT:
        work.warn(
            _(
                "{name} was laid out by the engine: its text, tables and pictures are there, but page ends, fonts and "
                "places are not those of its own program.",
                name=source.name,
            )
        )


def _is_printed_by_libreoffice(source: Source, work: Work, output: Path) -> bool:
    """Print a file as LibreOffice lays it out, and note that; tell whether that was done.

    Raises Refused 02210 where nothing else is to print it.
    """
    choice = libreoffice.choice()
    if choice == "built-in":
        return False
    why = _not_printed(source, work, output)
    if not why:
        work.note(_("{name} was printed by LibreOffice.", name=source.name))
        return True
    said = _("LibreOffice does not print {name}: {reason}.", name=source.name, reason=why.rstrip("."))
    if choice == "libreoffice":
        raise Refused("02210", said)
    if kit.is_there():
        work.warn(said)
    return False


def _not_printed(source: Source, work: Work, output: Path) -> str:
    """Have LibreOffice print a file; why it does not, empty where it does."""
    if not kit.is_there():
        return libreoffice.absent() or _("it is not used outside of a fence")
    if work.broken == libreoffice.NAME:
        return _("it broke on the file")
    try:
        kit.print_file(source.path, output)
    except kit.PrinterError as error:
        return str(error)
    return ""
