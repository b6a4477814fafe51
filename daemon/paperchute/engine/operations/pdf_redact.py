"""pdf-redact: what must not be read is taken out of a PDF, and the result is read again (docs/redaction.md)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Array, Matrix, Name, Object

from paperchute.contract import told_of_pages
from paperchute.contract.page_boxes import parse_box
from paperchute.engine import report
from paperchute.engine.pdf.document import open_pdf
from paperchute.engine.pdf.protection import lock, lock_for, protection_of
from paperchute.engine.pdf.sanitize import make_passable
from paperchute.engine.reading.ocr.options import AUTO
from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.view import View
from paperchute.engine.redaction.drawn import drop_undrawn, keeps_undrawn
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.forms import forms_with
from paperchute.engine.redaction.hidden import keeps_hidden
from paperchute.engine.redaction.objects import Objects
from paperchute.engine.redaction.places import Polygon
from paperchute.engine.redaction.redactor import Redactor
from paperchute.engine.work import Refused, Work, chosen_pages, output_name
from paperchute.language import _, ngettext

_ROUNDS = 3
"""Times that a result is read again, its pages made pictures where something is found."""


def run(work: Work) -> list[Path]:
    """The document without what is looked for.

    Raises Refused 02201, 120002, 02207, 110001, 190005; 02210 where something is found in the result.
    """
    source, password = work.sources[0], work.text("password")
    finder = Finder(
        work.texts("patterns"), work.texts("expressions"), work.texts("words"), match_case=work.flag("matchCase")
    )
    paths = [work.folder / f"redacted-{number}.tmp" for number in range(_ROUNDS + 2)]
    with open_pdf(source.path, source.name, password) as pdf:
        how = lock_for([protection_of(pdf, source.name, password)], work.protection)
        report.handles(len(pdf.pages))
        objects = Objects(pdf, finder)
        objects.take_out_carried()
        pdf.save(paths[0], fix_metadata_version=False, encryption=False)
        with opened(paths[0], source.name, ""):  # which refuses what is drawn for ever
            boxes = _boxes(work, paths[0])
        redactor = Redactor(finder, boxes, work.text("ocrRecognitionLang") or AUTO)
        noted = objects.clear_annotations(
            forms_with(pdf, finder, work.folder, redactor.language),
            lambda index, note: _is_covered(note, boxes.get(index, ())),
        )
        objects.clean()  # before anything is said of who signed
        make_passable(pdf, source.name)
        pdf.save(paths[0], fix_metadata_version=False, encryption=False)
    found = redactor.search(paths[0])
    redactor.remove(paths[0], paths[1], found)
    at = 1
    while left := redactor.search(paths[at]):
        if at == _ROUNDS:
            raise _still_there(source.name, [*left])
        redactor.picture(paths[at], paths[at + 1], left)
        at += 1
    output = work.folder / output_name(work, "pdf", source.name)
    with pikepdf.open(paths[at]) as pdf:
        pdf.remove_unreferenced_resources()
        drop_undrawn(pdf)
        pdf.save(output, fix_metadata_version=False)
    with pikepdf.open(output) as pdf:
        shown = bool(forms_with(pdf, finder, work.folder, redactor.language))
        shown = shown or keeps_hidden(pdf, paths[0], finder, redactor.language)
        if shown or Objects(pdf, finder).left() or keeps_undrawn(pdf, redactor.replaced):
            raise _still_there(source.name, [])
    for path in paths:
        path.unlink(missing_ok=True)
    _tell(work, redactor, objects, noted)
    lock([output], how)
    return [output]


def _still_there(name: str, indices: Sequence[int]) -> Refused:
    if indices:
        where = told_of_pages(index + 1 for index in indices)
        return Refused(
            "02210",
            _(
                "{name}: something that was to be redacted is still found on {pages}. No result was made.",
                name=name,
                pages=where,
            ),
        )
    return Refused(
        "02210",
        _(
            "{name}: something that was to be redacted is still found outside of its pages. No result was made.",
            name=name,
        ),
    )


def _boxes(work: Work, path: Path) -> dict[int, list[Polygon]]:
    """The boxes that the call names, in the user space of their pages."""
    found: dict[int, list[Polygon]] = {}
    document = pdfium.PdfDocument(path)
    with closing(document):
        for box in map(parse_box, work.texts("boxes")):
            for index in dict.fromkeys(chosen_pages(box.pages, len(document), work.sources[0].name)):
                with closing(document[index]) as page:
                    inverse = Matrix(*View.of(page).matrix).inverse()
                corners = (box.left, box.bottom), (box.right, box.bottom), (box.right, box.top), (box.left, box.top)
                found.setdefault(index, []).append(tuple(map(inverse.transform, corners)))
    return found


def _is_covered(note: Object, boxes: Sequence[Polygon]) -> bool:
    edges = note.get(Name.Rect)
    if not isinstance(edges, Array) or len(edges) != 4:
        return False
    x1, y1, x2, y2 = (float(edge) for edge in edges)
    for box in boxes:
        xs, ys = zip(*box, strict=True)
        if min(x1, x2) < max(xs) and max(x1, x2) > min(xs) and min(y1, y2) < max(ys) and max(y1, y2) > min(ys):
            return True
    return False


def _tell(work: Work, redactor: Redactor, objects: Objects, noted: int) -> None:
    """Say how much went and where, never what."""
    places = {index: count for index, count in redactor.places.items() if count}
    elsewhere = objects.places + noted
    if objects.files:
        work.warn(
            ngettext(
                "{n} attached file or recording was taken out: nobody can say what is in it.",
                "{n} attached files and recordings were taken out: nobody can say what is in them.",
                objects.files,
            )
        )
    if redactor.pictured:
        pages = told_of_pages(index + 1 for index in redactor.pictured)
        work.warn(
            _(
                "Made a picture, over the text that stays, as nothing less removes what is drawn there: {pages}.",
                pages=pages,
            )
        )
    if not places and not elsewhere:
        work.warn(_("Nothing that was to be redacted was found."))
        return
    if places:
        said = ngettext(
            "{n} place was blacked out, on {pages}.",
            "{n} places were blacked out, on {pages}.",
            sum(places.values()),
            pages=told_of_pages(index + 1 for index in places),
        )
        work.note(said)
    if elsewhere:
        work.note(
            ngettext("{n} entry beside the pages was cleared.", "{n} entries beside the pages were cleared.", elsewhere)
        )
