"""What a PDF has beside its pages: files that are attached, and an outline."""

from __future__ import annotations

from pathlib import Path

import pikepdf
from pikepdf import AttachedFileSpec, OutlineItem, Pdf


def attach(pdf: Pdf, name: str, data: bytes) -> AttachedFileSpec:
    """Attach a file under a name, of which nothing else is told."""
    spec = AttachedFileSpec(pdf, data, description="", filename=name, mime_type="", creation_date="", mod_date="")
    pdf.attachments[name] = spec
    return spec


def outline(path: Path) -> list[tuple[int, str, int]]:
    """(depth, title, page) of every item, in order; pages count from 1."""
    found: list[tuple[int, str, int]] = []
    with pikepdf.open(path) as pdf:

        def walk(items: list[OutlineItem], depth: int) -> None:
            for item in items:
                assert isinstance(item.destination, pikepdf.Array)
                found.append((depth, item.title, pdf.pages.index(pikepdf.Page(item.destination[0])) + 1))
                walk(item.children, depth + 1)

        with pdf.open_outline() as tree:
            walk(tree.root, 1)
    return found
