"""Which files are printed before they are read."""

from __future__ import annotations

from pathlib import PurePosixPath

from paperchute.contract import contract
from paperchute.contract.kinds import canonical
from paperchute.engine.work import Source, Work

PRINTED = frozenset({"docx", "xlsx", "pptx", "html", "md", "csv", "txt"})


def kind_printed(source: Source) -> str:
    """Which of PRINTED a file is, empty for none. Texts have no marks of their own, so the file's name tells them."""
    kind = source.kind
    if kind in ("txt", "json"):
        named = canonical(PurePosixPath(source.name).suffix)
        kind = named if named in ("md", "csv", "html") else "txt"
    return kind if kind in PRINTED else ""


def takes_printed(work: Work) -> frozenset[str]:
    """The kinds that the contract lets an operation read beside PDFs and pictures."""
    return PRINTED & {canonical(extension) for extension in contract().known(work.operation).input_ext}
