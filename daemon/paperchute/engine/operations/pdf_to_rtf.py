"""pdf-to-rtf: a PDF as RTF; its parameters do what they do for pdf-to-docx (docs/contract.md#operations)."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.office.outputs import written
from paperchute.engine.writing.rtf.writer import write_rtf


def run(work: Work) -> list[Path]:
    """The document, or one for each page. Raises Refused 02201, 120002, 02207, 110001."""
    boxed = work.text("pageLayoutMode") == "e_Box"
    return written(work, "rtf", lambda facts, pages, path: write_rtf(facts, pages, path, boxed=boxed), looks=boxed)
