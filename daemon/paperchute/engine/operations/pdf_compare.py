"""pdf-compare: what differs between two versions of a PDF (docs/contract.md#page-operations).

- content: words and pictures. Both versions with their differences highlighted, both side by side, and JSON.
- overlay: one version over the other, each in its colour.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Matrix

from paperchute.engine.comparison.copies import Colours, Sheet, Version, mark, marks_of, overlaid, side_by_side
from paperchute.engine.comparison.differences import Difference, Side, differences
from paperchute.engine.comparison.text import Text, text_of
from paperchute.engine.document.model import Page
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import Protection, lock, lock_for, protection_of
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.reading.pdf.document import opened, opened_page
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.reading.source import document_of
from paperchute.engine.work import Source, Work, file_name, output_name
from paperchute.language import _
from paperchute.notation.colours import parse_colour

_BASE_INK, _COMPARED_INK = "#E00000", "#0050E0"
"""In overlay mode, where the call names no colours: what both versions have is dark."""
_PASSWORDS = ("basePassword", "comparePassword")


def run(work: Work) -> list[Path]:
    """The marked copies, both versions side by side, and the differences as JSON; of overlay mode one PDF.

    Raises Refused 02201, 120002, 02207, 190005.
    """
    passwords = [work.text(name) or work.text("password") for name in _PASSWORDS]
    with ExitStack() as stack:
        protections: list[Protection | None] = []
        pdfs = []
        for source, password in zip(work.sources, passwords, strict=True):
            pdf = stack.enter_context(open_pdf(source.path, source.name, password))
            protections.append(protection_of(pdf, source.name, password))
            make_passable(pdf, source.name)
            pdfs.append(pdf)
        how = lock_for(protections, work.protection)
        if work.text("mode") == "overlay":
            outputs = [_overlay(work, pdfs, passwords)]
        else:
            outputs = _content(work, pdfs, passwords)
    lock([path for path in outputs if path.suffix == ".pdf"], how)
    return outputs


def _overlay(work: Work, pdfs: Sequence[pikepdf.Pdf], passwords: Sequence[str]) -> Path:
    versions = [
        Version(pdf, list(_sheets(source, password, [0] * len(pdf.pages))), {})
        for pdf, source, password in zip(pdfs, work.sources, passwords, strict=True)
    ]
    inks = (
        parse_colour(work.text("overlayBaseColor") or _BASE_INK),
        parse_colour(work.text("overlayCompareColor") or _COMPARED_INK),
    )
    opacities = [work.integer(name, 100) / 100 for name in ("fillAlphaBase", "fillAlphaCompare")]
    output = work.folder / output_name(work, "pdf", work.sources[0].name)
    overlaid(output, versions, inks, opacities)
    return output


def _content(work: Work, pdfs: Sequence[pikepdf.Pdf], passwords: Sequence[str]) -> list[Path]:
    read = [_read(work, source, password) for source, password in zip(work.sources, passwords, strict=True)]
    found = differences(read[0][0], read[1][0])
    if not found:
        work.note(_("No differences were found."))
    colours = Colours(parse_colour(work.text("replaceColor")), parse_colour(work.text("insertColor")))
    versions = [
        Version(pdf, list(_sheets(source, password, angles)), marks_of(found, base=is_base))
        for pdf, source, password, (_text, angles), is_base in zip(
            pdfs, work.sources, passwords, read, (True, False), strict=True
        )
    ]
    stem = Path(output_name(work, "pdf", work.sources[0].name)).stem
    both = work.folder / file_name(f"{stem} - side by side", "pdf")
    side_by_side(both, versions, _rows(read[0][0], read[1][0], [len(angles) for _text, angles in read]), colours)
    data = work.folder / file_name(f"{stem} - differences", "json")
    data.write_text(json.dumps(_report(work.sources, found), ensure_ascii=False, indent=1), "utf-8")
    outputs = [both, data]
    for version, name, is_base in zip(versions, ("base", "compared"), (True, False), strict=True):
        mark(version, colours, base=is_base)
        outputs.append(work.folder / file_name(f"{stem} - {name}", "pdf"))
        version.pdf.save(outputs[-1], min_version="1.4", fix_metadata_version=False)
    return outputs


def _read(work: Work, source: Source, password: str) -> tuple[Text, list[int]]:
    """Return what is compared of a version, and by how much each of its pages is turned to be read."""
    angles: list[int] = []
    # Read as pdf-to-txt reads, so that scans are recognised where they need it.
    reading = replace(work, operation="pdf-to-txt", sources=(source,), parameters={"password": password})
    with document_of(reading, words=True) as document:
        return text_of(_noted(document.pages, angles)), angles


def _noted(pages: Iterable[Page], angles: list[int]) -> Iterator[Page]:
    for page in pages:
        angles.append(page.angle)
        yield page


def _sheets(source: Source, password: str, angles: Sequence[int]) -> Iterator[Sheet]:
    """The pages as they are read: angles are those by which each is turned beyond its own rotation."""
    with opened(source.path, source.name, password) as document:
        for index, angle in enumerate(angles):
            with opened_page(document, index) as page:
                view = View.of(page, angle)
                yield Sheet(view.width, view.height, Matrix(*view.matrix).inverse())


def _rows(base: Text, compared: Text, counts: Sequence[int]) -> list[tuple[int, int]]:
    """Return which pages stand beside each other: those that have most words in common, in the order of both."""
    shared: dict[int, Counter[int]] = {}
    there: dict[str, set[int]] = {}
    for token in compared.tokens:
        there.setdefault(token.text, set()).add(token.places[0][0])
    for token in base.tokens:
        pages = there.get(token.text, set())
        if len(pages) == 1:  # a word that stands on every page tells nothing
            shared.setdefault(token.places[0][0], Counter()).update(pages)
    rows: list[tuple[int, int]] = []
    last = -1
    for page in range(counts[0]):
        nearest = [other for other, _ in shared.get(page, Counter()).most_common(1) if other > last]
        partner = nearest[0] if nearest else last + 1 if page not in shared and last + 1 < counts[1] else -1
        if partner >= 0:
            rows += [(-1, other) for other in range(last + 1, partner)]
            last = partner
        rows.append((page, partner))
    return rows + [(-1, other) for other in range(last + 1, counts[1])]


def _report(sources: Sequence[Source], found: Sequence[Difference]) -> dict[str, Any]:
    """The differences as JSON: pages counted from 1, boxes in points of the page as it is read (y downwards)."""
    return {
        "base": sources[0].name,
        "compared": sources[1].name,
        "differences": [
            {
                "kind": one.kind,
                "of": "picture" if one.is_picture else "text",
                "base": _side(one.base),
                "compared": _side(one.compared),
            }
            for one in found
        ],
    }


def _side(side: Side) -> dict[str, Any] | None:
    if not side.places:
        return None
    places = [{"page": page + 1, "box": [round(value, 2) for value in box]} for page, box in side.places]
    return {"text": side.text, "places": places}
