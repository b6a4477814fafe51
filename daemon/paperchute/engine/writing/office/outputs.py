"""One file for a document, or one for each of its pages, with the names that results are offered under."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from paperchute.engine.document.model import Facts, Page
from paperchute.engine.reading.ocr.options import ocr_options
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Work, output_name

Write = Callable[[Facts, Iterable[Page], Path], Path]


def written(work: Work, extension: str, write: Write, *, looks: bool) -> list[Path]:
    """Read the uploaded file and write it: as one file, or by isOutputDocumentPerPage as one for each page.

    looks: with a drawing of each page, as boxes need; flowing text has its colours.
    Raises Refused as `document_of` does.
    """
    whole = work.folder / output_name(work, extension)
    if ocr_options(work) is None:  # the contract: containPageBackgroundImage has effect only when OCR is on
        work = replace(work, parameters={**work.parameters, "containPageBackgroundImage": True})
    with document_of(work, looks=looks, inks=not looks) as document:
        if not work.flag("isOutputDocumentPerPage"):
            return [write(document.facts, document.pages, whole)]
        digits = len(str(document.facts.page_count))
        files = []
        for page in document.pages:
            name = f"{whole.stem}-{page.number:0{digits}}.{extension}"
            files.append(write(document.facts, [page], whole.with_name(name)))
    return list(dict.fromkeys(files))
