"""pdf-metadata: title, author, subject and keywords of a PDF; ours beyond the interface (docs/pages.md#metadata)."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from paperchute.engine.checks.pages import METADATA
from paperchute.engine.pdf.catalog import set_described
from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.work import Work


def run(work: Work) -> list[Path]:
    """The document that says so of itself; the rest stays. Raises Refused 02201, 120002, 02207."""
    said = {name: text for name in METADATA if (text := work.text(name).strip())}

    def write(pdf: pikepdf.Pdf) -> None:
        set_described(pdf, said)

    return rewrite(work, write)
