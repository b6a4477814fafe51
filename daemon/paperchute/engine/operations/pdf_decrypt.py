"""pdf-decrypt: a PDF without its lock (docs/contract.md#page-operations).

What its author forbids goes with the owner's password only: somebody who may just read it gets a copy that opens
without a password and still forbids the same, and a warning.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pikepdf

from paperchute.engine.pdf.pages import rewrite
from paperchute.engine.work import Work
from paperchute.language import _


def run(work: Work) -> list[Path]:
    """The same document, opened. Raises Refused 02201, 120002, 02207."""

    def look(pdf: pikepdf.Pdf) -> None:
        if not pdf.is_encrypted:
            work.note(_("{name} was not locked.", name=work.sources[0].name))

    return rewrite(replace(work, protection="drop"), look)
