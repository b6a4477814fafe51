"""pdf-merge: several PDFs and pictures into one, in the order of their parts (docs/contract.md#pdf-merge)."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from paperchute.engine.pdf.assembly import Joiner
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.printing.bundle import with_pdfs
from paperchute.engine.work import Work, chosen_pages, output_name


def run(work: Work) -> list[Path]:
    """The pages of all files, one file behind the other; the document's own metadata is the first file's."""
    work = with_pdfs(work)
    ranges = work.texts("filePageRanges") or [""] * len(work.sources)
    passwords = work.texts("passwords") or [""] * len(work.sources)
    output = work.folder / output_name(work, "pdf", "merged.pdf")
    joiner = Joiner()
    taken, protections = [], []
    with ExitStack() as opened:
        for source, pages, password in zip(work.sources, ranges, passwords, strict=True):
            password = password or work.text("password")
            pdf = opened.enter_context(open_pdf(source.path, source.name, password))
            protections.append(protection_of(pdf, source.name, password))
            taken.append(joiner.take(pdf, chosen_pages(pages, len(pdf.pages), source.name), source.name))
        how = lock_for(protections, work.protection)
        joiner.save(
            output,
            [page for part in taken for page in part.pages],
            [label for part in taken for label in part.shown],
        )
    lock([output], how)
    return [output]
