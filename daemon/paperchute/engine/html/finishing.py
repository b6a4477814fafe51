"""What a laid out PDF still lacks: an outline, its language, the exact size of its pages, links that lead somewhere.

Works on what cairo writes: link annotations with a URI action or the name of a destination, and names as an array.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf, String

from paperchute.engine.html.fetcher import NO_BASE
from paperchute.engine.html.marks import MARK, Heading, Marked
from paperchute.engine.html.textlayer import repair
from paperchute.engine.pdf.addresses import leads_to_web
from paperchute.engine.pdf.defusing import defuse
from paperchute.engine.work import Refused

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*\Z")  # BCP 47
_MOST_POINTS = 14_400.0  # the largest page, ISO 32000-1 annex C.2
_OPEN_ITEMS = 40


def finish(laid_out: BinaryIO, output: Path, document: Marked) -> None:
    """Write the PDF `laid_out`, as PlutoBook made it from `document`, to `output`.

    Raises Refused (02210) for a page without size or beyond what PDF knows.
    """
    with pikepdf.open(laid_out) as pdf:
        for page in pdf.pages:
            _set_size(page)
        destinations = _destinations(pdf)
        names = {mark: document.names.get(mark, mark) for mark in destinations}
        for page in pdf.pages:
            _check_links(page, names)
        _add_outline(pdf, document.headings, destinations)
        _set_destinations(pdf, {names[mark]: place for mark, place in destinations.items()})
        repair(pdf, document.html)
        if _LANGUAGE.match(document.language):
            pdf.Root.Lang = String(document.language)
        if Name.Title in pdf.docinfo:
            pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        defuse(pdf)
        with output.open("wb") as file:  # by its name it would be written elsewhere and renamed
            pdf.save(file)


def _set_size(page: pikepdf.Page) -> None:
    """PlutoBook counts in single precision: 595.28 has become 595.280029."""
    left, bottom, width, height = (round(float(number), 3) for number in page.mediabox)
    if width <= 0 or height <= 0:
        raise Refused("02210", "the margins leave no room on the page", "页边距过大")
    if width > _MOST_POINTS or height > _MOST_POINTS:
        raise Refused(
            "02210", f"a page of {width:g} x {height:g} points is larger than {_MOST_POINTS:g}", "页面尺寸超出限制"
        )
    page.mediabox = Array([left, bottom, width, height])


def _check_links(page: pikepdf.Page, names: dict[str, str]) -> None:
    """Drop what starts a program or opens a file, and what leads nowhere; the text stays."""
    notes = page.obj.get(Name.Annots)
    if not isinstance(notes, Array):
        return
    kept = []
    for note in notes.as_list():
        action, name = note.get(Name.A), note.get(Name.Dest)
        if isinstance(action, Dictionary):
            uri = str(action.get(Name.URI, ""))
            beside = uri.removeprefix(NO_BASE)  # a file that stood beside the HTML may stand beside the PDF
            if beside != uri and beside and beside[0] not in "#?" and leads_to_web(beside):
                action.URI = String(beside)
                kept.append(note)
            elif ":" in uri and leads_to_web(uri):
                kept.append(note)
        elif isinstance(name, String) and str(name) in names:
            note.Dest = String(names[str(name)])
            kept.append(note)
    page.obj.Annots = Array(kept)


def _destinations(pdf: Pdf) -> dict[str, Array]:
    """The named destinations."""
    tree = pdf.Root.get(Name.Names, Dictionary()).get(Name.Dests)
    if not isinstance(tree, Dictionary):
        return {}
    return {str(name): place for name, place in pikepdf.NameTree(tree).items() if isinstance(place, Array)}


def _set_destinations(pdf: Pdf, places: dict[str, Array]) -> None:
    """Keep the document's own names; the outline holds the places of the others itself."""
    own = {bytes(String(name)): place for name, place in places.items() if not name.startswith(MARK)}
    if Name.Names in pdf.Root:
        del pdf.Root.Names
    if own:
        leaf = Dictionary(Names=Array([entry for name in sorted(own) for entry in (String(name), own[name])]))
        pdf.Root.Names = Dictionary(Dests=pdf.make_indirect(leaf))


def _add_outline(pdf: Pdf, headings: list[Heading], places: dict[str, Array]) -> None:
    """Of the headings that are to be seen; one that is deeper than the one before it lies below it."""
    shown = [heading for heading in headings if heading.mark in places and heading.title]
    if not shown:
        return
    is_closed = len(shown) > _OPEN_ITEMS
    root = _Item(0, pdf.make_indirect(Dictionary(Type=Name.Outlines)))
    above = [root]
    for heading in shown:
        while above[-1].level >= heading.level:
            above.pop()
        entry = Dictionary(Title=String(heading.title), Dest=places[heading.mark], Parent=above[-1].entry)
        item = _Item(heading.level, pdf.make_indirect(entry))
        above[-1].children.append(item)
        above.append(item)
    root.link(is_closed=False, below_closed=is_closed)
    pdf.Root.Outlines = root.entry


@dataclass
class _Item:
    """An entry of the outline, or its root at level 0 (ISO 32000-1, 12.3.3)."""

    level: int
    entry: Dictionary
    children: list[_Item] = field(default_factory=list)

    def link(self, *, is_closed: bool, below_closed: bool) -> int:
        """Connect all entries below; how many can be seen when this one is open."""
        if not self.children:
            return 0
        self.entry.First, self.entry.Last = self.children[0].entry, self.children[-1].entry
        for one, other in pairwise(self.children):
            one.entry.Next, other.entry.Prev = other.entry, one.entry
        below = sum(child.link(is_closed=below_closed, below_closed=below_closed) for child in self.children)
        count = len(self.children) + (0 if below_closed else below)
        self.entry.Count = -count if is_closed else count
        return count
