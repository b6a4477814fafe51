"""Attached files (ISO 32000-1, 7.11.4): every source's are in the joined document; equal names are told apart."""

from __future__ import annotations

from pikepdf import Array, Object, Pdf

from paperchute.engine.pdf.destinations import free_name


def add_files(mine: dict[bytes, Object], theirs: dict[bytes, Object]) -> None:
    """Take over a source's entries of `/EmbeddedFiles`."""
    for name, spec in theirs.items():
        mine[_free(name, mine)] = spec


def add_associated(pdf: Pdf, theirs: Object | None) -> None:
    """Take over the document's associated files (PDF 2.0, 14.13), such as the data of an invoice."""
    if isinstance(theirs, Array) and len(theirs):
        known = pdf.Root.get("/AF")
        pdf.Root["/AF"] = Array([*(known if isinstance(known, Array) else []), *theirs])


def _free(name: bytes, taken: dict[bytes, Object]) -> bytes:
    """A number before the extension: `data.csv`, `data-2.csv`."""
    stem, dot, extension = name.rpartition(b".")
    if name not in taken or not stem or name.startswith(b"\xfe\xff"):
        return free_name(name, taken)
    number = 2
    while (free := stem + f"-{number}".encode() + dot + extension) in taken:
        number += 1
    return free
