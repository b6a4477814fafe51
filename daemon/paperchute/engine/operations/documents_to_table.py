"""documents-to-table: receipts and invoices as one workbook (docs/contract.md#documents-to-table).

Each file is read as document-extract reads it. One that cannot be read has a row that says why. Numbers of an e-invoice
are those of its data, which its pages must say as well.
"""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

from loguru import logger

from paperchute.contract import PICTURES
from paperchute.engine import report
from paperchute.engine.checks.reading import is_data
from paperchute.engine.e_invoice.markup import content_of, why_unread
from paperchute.engine.extraction.answer import Watched
from paperchute.engine.extraction.embedded import embedded
from paperchute.engine.extraction.findings import Findings
from paperchute.engine.extraction.rows import Row, row_of, unread_row, with_repeats
from paperchute.engine.extraction.stated import read_data
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Refused, Source, Work, output_name
from paperchute.engine.writing.xlsx.documents import write_documents
from paperchute.language import _, ngettext

_READ = frozenset({*PICTURES, "pdf", "unknown", "encrypted"})  # why the last two cannot be read, opening them tells
_OF_THE_TASK = frozenset({errno.EMFILE, errno.EFBIG, errno.ENOSPC, errno.EDQUOT})
"""Errors that are no document's: too many open files, and no room for what is written."""
_MOST_WARNINGS = report.MOST - 1
"""Documents that have a warning of their own; the table has the remarks on all."""


def run(work: Work) -> list[Path]:
    """The workbook. Raises Refused 02207 where no file can be read: a table of nothing is of no use to anybody."""
    pages = 0
    read: list[Row] = []
    for source in work.sources:
        row, count = _row(work, source)
        read.append(row)
        pages += count
        report.handles(pages)
    if not any(row.cells for row in read):
        raise Refused("02207", _("None of the documents can be read: {why}", why=_told(read[0])))
    rows = list(with_repeats(read))
    links = work.texts("links") or [""] * len(rows)
    output = work.folder / output_name(work, "xlsx", "documents")
    write_documents(output, rows, links)
    _tell(work, rows)
    return [output]


def _row(work: Work, source: Source) -> tuple[Row, int]:
    """The row of a file, and how many pages it has taken. What goes wrong with it concerns no other one."""
    part = replace(work, operation="document-extract", sources=(source,), parameters=_reading(work))
    with report.apart() as warnings:
        try:
            found, count = _findings(part)
        except Refused as error:
            return unread_row(source.name, error.reason), 1
        except Exception as error:  # whatever a foreign document does to a library, the others are read
            if isinstance(error, OSError) and error.errno in _OF_THE_TASK:
                raise
            logger.warning("a document of a table could not be read: {}", type(error).__name__)
            return unread_row(source.name, _("the document could not be processed")), 1
        row = row_of(source.name, found)
        return replace(row, remarks=(*row.remarks, *(text.rstrip(".") for text in warnings))), count


def _reading(work: Work) -> dict[str, str]:
    """How each file is read: of what the call says, what is about reading."""
    return {name: work.text(name) for name in ("password", "ocrRecognitionLang") if work.text(name)}


def _findings(work: Work) -> tuple[Findings, int]:
    """Return what one file says, and how many pages it has. Raises Refused."""
    (source,) = work.sources
    if is_data(source):
        content = content_of(source.path)
        said = read_data(content or b"", source.name)
        if said is None:
            raise Refused("02207", why_unread(content) or _("it is no e-invoice"))
        return said.findings, 1
    if source.kind not in _READ:
        why = _("it is of kind {kind}: neither a PDF nor a picture nor an e-invoice", kind=source.kind)
        raise Refused("02002", why)
    data = embedded(source.path, work.text("password")) if source.kind == "pdf" else []
    for one in data:
        if one.findings is None:
            work.warn(_("The invoice's data in {file} could not be read.", file=one.name))
    watched = Watched(data)
    with document_of(work, words=True, taken=len(data)) as document:
        count = sum(1 for _page in watched.pages(document.pages))
    return watched.findings(), count


def _tell(work: Work, rows: list[Row]) -> None:
    """Warn of each document that somebody has to look at, and of the values that are open."""
    told = [row for row in rows if row.remarks]
    for row in told[:_MOST_WARNINGS]:
        work.warn(_told(row))
    more = len(told) - _MOST_WARNINGS
    if more > 0:
        work.warn(
            ngettext(
                "{n} more document needs a look: the table says why.",
                "{n} more documents need a look: the table says why.",
                more,
            )
        )


def _told(row: Row) -> str:
    return f"{row.name}: {'; '.join(row.remarks)}."
