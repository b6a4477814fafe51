"""Office files, texts and HTML laid out on pages.

Office files are printed by LibreOffice where it is installed, then by the library of their kind, where the extra has
it; all else, and what those do not print, is laid out as the engine reads it.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.contract import libreoffice
from paperchute.contract.typesetters import INSTALL, TYPESETTERS, typesetter
from paperchute.engine import report
from paperchute.engine.checks.reading import kind_printed
from paperchute.engine.html.fetch import page_from
from paperchute.engine.html.render import render
from paperchute.engine.printing import libreoffice as kit
from paperchute.engine.printing import typesetters
from paperchute.engine.printing.rtf import rtf_page
from paperchute.engine.reading.office.document import page_of
from paperchute.engine.reading.source import check_openable
from paperchute.engine.work import Refused, Source, Work
from paperchute.language import _

_NEWER = {"doc": "docx", "xls": "xlsx", "ppt": "pptx"}
"""Kinds that nothing here reads, and what their programs save in their place."""


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
        if _is_typeset(source, kind, work, output):
            return
        page = page_of(source, kind, work)
    render(page, output, work.fetch)
    if kind in TYPESETTERS:
        laid_out = _(
            "{name} was laid out by the engine: its text, tables and pictures are there, but page ends, fonts and "
            "places are not those of its own program.",
            name=source.name,
        )
        better = _("This keeps them: {command}", command=INSTALL)
        work.warn(laid_out if typesetter(kind) else f"{laid_out} {better}")


def _is_printed_by_libreoffice(source: Source, work: Work, output: Path) -> bool:
    """Print a file as LibreOffice lays it out, and note that; tell whether that was done.

    Raises Refused 02210 where nothing else is to print it.
    """
    choice = libreoffice.choice()
    if choice == "built-in" or work.broken in TYPESETTERS.values():  # which had the file after it
        return False
    why = _not_printed(source, work, output)
    if not why:
        work.note(_told_of(libreoffice.NAME, source))
        return True
    said = _told_of(libreoffice.NAME, source, why)
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


def _is_typeset(source: Source, kind: str, work: Work, output: Path) -> bool:
    """Have the library of its kind print a file, and say so; tell whether it shows what the file says."""
    if libreoffice.choice() != "auto" or not typesetters.is_there(kind):
        return False
    name = typesetter(kind)
    try:
        if work.broken == name:
            raise typesetters.TypesetterError(_("it broke on the file"))
        with report.apart() as unread:
            page = page_of(source, kind, work)
        typesetters.print_file(source.path, kind, output, page.html)
    except typesetters.TypesetterError as error:
        work.note(_told_of(name, source, str(error)))
        return False
    work.note(_told_of(name, source))
    for text in unread:  # nobody has seen whether it is in the print
        work.warn(_("Look at the print of {name}: {what}", name=source.name, what=text))
    return True


def _told_of(printer: str, source: Source, why: str = "") -> str:
    """Say that a printer has printed a file, or why it has not."""
    if not why:
        return _("{name} was printed by {printer}.", name=source.name, printer=printer)
    return _("{printer} does not print {name}: {reason}.", printer=printer, name=source.name, reason=why.rstrip("."))
