"""Rendering for tests: HTML in, the finished PDF out."""

from __future__ import annotations

from pathlib import Path

import pikepdf
from pikepdf import Name

from paperchute.engine.html.fetch import Page, page_from
from paperchute.engine.html.render import Paper, render
from paperchute.engine.work import FetchPolicy


def rendered(folder: Path, html: str | bytes, paper: Paper | None = None) -> Path:
    """The PDF of a page; nothing may be fetched."""
    output = folder / "page.pdf"
    render(page_from(html) if isinstance(html, bytes) else Page(html), output, FetchPolicy(), paper)
    return output


def links(path: Path) -> list[str]:
    """Where the links lead, in order: an address, or `#NAME page N`."""
    found = []
    with pikepdf.open(path) as pdf:
        names = {}
        if Name.Names in pdf.Root:
            places = pikepdf.NameTree(pdf.Root.Names.Dests)
            names = {str(name): pdf.pages.index(pikepdf.Page(place[0])) + 1 for name, place in places.items()}
        for page in pdf.pages:
            for note in page.obj.get(Name.Annots, pikepdf.Array()):
                if Name.A in note:
                    found.append(str(note.A.URI))
                else:
                    found.append(f"#{note.Dest} page {names[str(note.Dest)]}")
    return found


def sizes(path: Path) -> list[tuple[float, float]]:
    """Width and height of each page in points."""
    with pikepdf.open(path) as pdf:
        return [(float(page.mediabox[2]), float(page.mediabox[3])) for page in pdf.pages]
