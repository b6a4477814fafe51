"""Recognition that nothing is said about: `enableOcr` absent means "where the file needs it" to us.

The contract's default is 0, and whoever sends 0 gets no recognition. See docs/contract.md#where-sources-disagree.
"""

from __future__ import annotations

from collections.abc import Mapping

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

_TO_TEXT = ("csv", "docx", "html", "json", "pptx", "rtf", "txt", "xlsx")
AUTOMATIC = frozenset(
    (
        *("document-extract", "document-parsing", "pdf-to-markdown"),
        *(f"{source}-to-{kind}" for source in ("pdf", "img") for kind in _TO_TEXT),
    )
)
"""The operations whose results are text, so that a scan without recognition would be an empty one."""


def is_automatic(operation: Operation, given: Mapping[str, Value]) -> bool:
    """Whether pages are recognised where they need it, as the parameters given say nothing about it."""
    return operation.id in AUTOMATIC and given.get(SWITCH) is None


def defaults(operation: Operation) -> dict[str, Value]:
    """The contract's defaults that absent parameters stand for; recognition that is automatic has none."""
    stated = {p.name: accept(p, p.default) for p in operation.parameters if p.default is not None}
    if operation.id in AUTOMATIC:
        stated.pop(SWITCH, None)
        stated.pop(SCOPE, None)
    return stated
