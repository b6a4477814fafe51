"""What the reading operations share: their common parameters, and the document model of what was uploaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath

from paperchute.contract import PageListError, select_pages
from paperchute.engine.document.model import Document
from paperchute.engine.progress import counted
from paperchute.engine.reading.pdf.opening import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf
from paperchute.engine.work import Refused, Work

_READ = {"pdf", "unknown"}  # what is of no known kind may be a damaged PDF, which opening it tells


def check_reading(work: Work) -> None:
    """Raises Refused: 02002 for a kind of file that is not read here, 03000 when OCR is asked for."""
    for source in work.sources:
        if source.kind not in _READ:
            raise Refused(
                "02002",
                f"{source.name}: this engine reads PDF files here, not {source.kind}; convert it to PDF first.",
                f"{source.name}：本引擎在此仅支持 PDF 文件，不支持 {source.kind}。",
            )
    if work.flag("enableOcr"):
        raise Refused(
            "03000",
            "enableOcr: text recognition is not part of this engine yet; send 0 to read the text the PDF holds.",
            "enableOcr：本引擎尚不支持文字识别，请传 0。",
        )


@contextmanager
def document_of(work: Work, layout: bool = True, looks: bool = False) -> Iterator[Document]:
    """The document model of the uploaded file's `pageRanges`, read page by page while its pages are walked.

    layout: False for no analysis of the layout, as enableAiLayout 0. looks: with each page's look (`Options.looks`).

    Raises Refused: 02201 locked, 120002 wrong password, 02207 damaged, 110001 pages that are not there.
    """
    source = work.sources[0]
    with opened(source.path, source.name, work.text("password")) as pdf:
        try:
            selected = select_pages(work.text("pageRanges"), len(pdf))
        except PageListError as error:
            raise Refused("110001", f"pageRanges: {error}.") from None
        document = read_pdf(pdf, selected, _options(work, layout, looks))
        yield replace(document, pages=counted(document.pages, len(selected)))


def stem_of(work: Work) -> str:
    """What results are named after: the uploaded file's name without its extension."""
    return PurePosixPath(work.sources[0].name).stem or "document"


def _options(work: Work, layout: bool, looks: bool) -> Options:
    """Absent parameters mean what the contract's defaults say (section 9)."""
    return Options(
        layout=layout and bool(work.parameters.get("enableAiLayout", True)),
        images=bool(work.parameters.get("isContainImg", True)),
        backgrounds=bool(work.parameters.get("containPageBackgroundImage", True)),
        notes=bool(work.parameters.get("isContainAnnot", True)),
        formulas=work.flag("formulaToImage"),
        looks=looks,
    )
