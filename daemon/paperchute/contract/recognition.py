"""Recognition that nothing is said about: `enableOcr` absent means "where the file needs it" to us.

The contract's default is 0, and whoever sends 0 gets no recognition. See docs/contract.md#where-sources-disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paperchute.contract.operations import Operation
from paperchute.contract.values import Value, accept

SWITCH = "enableOcr"
SCOPE = "ocrOption"
WHERE_NEEDED = "INVALID_CHARACTER_AND_SCAN_PAGE"
"""The contract's own word for the pages that need recognition."""

SCANNED_AREA = 0.5
"""Of a page: what pictures cover of a scan. The client, which asks a service, and the engine judge by the same."""

FEW_CHARACTERS = 200
"""Characters of visible text on a scan: stamps and numbers that were put on it."""

EVERYWHERE = "ALL"
"""The contract's own word for all pages: of a picture among a page's text only they are sure to be asked for."""


@dataclass(frozen=True, slots=True)
class TextPictureSettings:
    """Which pictures beside a page's text look like text: screenshots, tables pasted in, scanned paragraphs.

    The client, which asks a service, and the engine judge by the same.
    """

    least_area: float = 0.01
    """Of the page: three short rows of a table. Smaller ones are signs and logos."""

    least_side: float = 24.0
    """Points: two lines of small print."""

    own_words: int = 5
    """Words of the page that stand on a picture: from here on it is a ground, or has a text layer of its own."""

    dpi: float = 100.0
    """Pixels per inch at which they are looked at: small print still shows its strokes."""

    most_pixels: int = 4_000_000
    """Of a picture that is looked at: a bound on memory; A3 has 1.9 million."""

    near: int = 24
    """Of 255: what differs less from the paper is paper too; scanned paper has such grain."""

    paper: float = 0.5
    """Of a picture's pixels that are paper, at least. Photographs have less; of print on paper it is 0.75 and more."""

    ink: int = 60
    """Of 255: what differs more from the paper is ink."""

    edges: int = 14
    """Between ink and paper along a row of pixels that has writing on it: seven strokes, as two short words have. A bar
    chart has two for each bar."""

    rows: int = 12
    """Of pixels with writing: two lines of small print."""

    most: int = 50
    """Pictures of a page that are looked at: a bound on work."""


TEXT_PICTURES = TextPictureSettings()


@dataclass(frozen=True, slots=True)
class Unread:
    """What of a file nobody reads without recognition, as numbers of pages from 1.

    pages: scans, and those whose text is no text. pictures: pages among whose text pictures look like text.
    """

    pages: tuple[int, ...] = ()
    pictures: tuple[int, ...] = ()

    @property
    def scope(self) -> str:
        """The contract's word for the pages to be recognised; empty for none."""
        return EVERYWHERE if self.pictures else WHERE_NEEDED if self.pages else ""


_TO_TEXT = ("csv", "docx", "html", "json", "pptx", "rtf", "txt", "xlsx")
AUTOMATIC = frozenset(
    (
        *("document-extract", "document-layout", "document-parsing", "documents-to-table", "pdf-to-markdown"),
        *(f"{source}-to-{kind}" for source in ("pdf", "img") for kind in _TO_TEXT),
    )
)
"""The operations whose results are text, or what it says, so that a scan without recognition would be an empty one."""


def is_automatic(operation: Operation, given: Mapping[str, Value]) -> bool:
    """Decide whether pages are recognised where they need it, as the parameters given say nothing about it."""
    return operation.id in AUTOMATIC and given.get(SWITCH) is None


def defaults(operation: Operation) -> dict[str, Value]:
    """The contract's defaults that absent parameters stand for; recognition that is automatic has none."""
    stated = {p.name: accept(p, p.default) for p in operation.parameters if p.default is not None}
    if operation.id in AUTOMATIC:
        stated.pop(SWITCH, None)
        stated.pop(SCOPE, None)
    return stated
