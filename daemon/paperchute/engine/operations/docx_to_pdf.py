"""docx-to-pdf: a Word file as pages (docs/contract.md#office-to-pdf)."""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.printing.printers import print_source
from paperchute.engine.work import Work, output_name


def run(work: Work) -> list[Path]:
    """The file as PDF. Raises Refused as `print_source` does."""
    output = work.folder / output_name(work, "pdf")
    print_source(work.sources[0], work, output)
    return [output]
