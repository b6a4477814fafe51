"""The invoices that lie in a PDF as data (Factur-X, ZUGFeRD, XRechnung, Order-X), as findings.

Whoever sent the file wrote it, so it is read within bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from paperchute.engine.e_invoice.markup import MOST_BYTES
from paperchute.engine.extraction.findings import Findings
from paperchute.engine.extraction.stated import Stated, read_data
from paperchute.engine.pdf.attached import attached
from paperchute.engine.pdf.document import FAULTS, unlocked

NAMES = frozenset({"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"})
"""What the file is called, in small letters, by ZUGFeRD 1 and 2, Factur-X and Order-X."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The data of one file. data: what it says, None where it could not be read as an invoice."""

    name: str
    data: Stated | None

    @property
    def findings(self) -> Findings | None:
        """What it says of the invoice."""
        return self.data.findings if self.data is not None else None


def embedded(path: Path, password: str) -> list[Embedded]:
    """The invoices that lie in a PDF as data; none where it cannot be opened, which reading its pages tells."""
    files = invoice_files(path, password)
    return [Embedded(name, read_data(content, name) if content else None) for name, content in files]


def invoice_files(path: Path, password: str) -> list[tuple[str, bytes | None]]:
    """The attached files of a PDF that are called like invoices, one of each content; None for what is not read."""
    try:
        with unlocked(path, password) as pdf:
            files = list(attached(pdf, NAMES, MOST_BYTES))
    except (*FAULTS, OSError):
        return []
    distinct = {content: name for name, content in reversed(files)}
    return [(name, content) for content, name in reversed(distinct.items())]
