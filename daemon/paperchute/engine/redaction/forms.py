"""Forms, patterns and appearances that show what is looked for, whoever draws them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from pikepdf import Dictionary, Name, Object, Pdf, Stream

from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.redaction.content import sight_of
from paperchute.engine.redaction.finder import Finder
from paperchute.engine.redaction.hidden import places_hidden
from paperchute.engine.redaction.places import letters_on, looked_at, may_be_coded, places_coded, places_seen
from paperchute.engine.redaction.sight import NotFollowed, Sight

_SMALLEST = 20.0
"""Points: marks of boxes and buttons, of which forms have hundreds, are no larger; what is drawn there says no word."""


def forms_with(pdf: Pdf, finder: Finder, folder: Path, language: str) -> set[tuple[int, int]]:
    """Find them by their numbers: by their text, and what pages do not draw by themselves by its look, too.

    Pages are looked at with what they draw. Of an annotation they may show nothing, or another appearance than a click
    brings, and of a pattern a part. Raises Refused 190005.
    """
    path, numbers = folder / "forms.tmp", list[tuple[int, int]]()
    sheets = pikepdf.new()
    for item in pdf.objects:
        try:
            if isinstance(item, Stream) and (item.get(Name.Subtype) == Name.Form or item.get("/PatternType") == 1):
                _add_sheet(sheets, item)
                numbers.append(item.objgen)
        except FAULTS:
            continue
    if not numbers:
        return set()
    sheets.save(path)
    drawn = set(_drawn(pdf))
    found: set[tuple[int, int]] = set()
    known: dict[bytes, bool] = {}  # as most boxes of a form look alike
    with pikepdf.open(path) as sheets, closing(pdfium.PdfDocument(path)) as document:
        for index, number in enumerate(numbers):
            with closing(document[index]) as page:
                hits, is_readable = letters_on(page, finder)
            is_hit = bool(hits)
            if not is_hit and number not in drawn:
                same = _told(sheets.pages[index])
                if same not in known:
                    beside = path.with_suffix(".pictures.tmp")
                    known[same] = _shows(sheets, document, index, is_readable, finder, language, beside)
                is_hit = known[same]
            if is_hit:
                found.add(number)
    path.unlink()
    return found


def _drawn(pdf: Pdf) -> Iterator[tuple[int, int]]:
    """The numbers of the forms that pages draw, or could by the names in their resources."""
    left: list[Object] = [page.obj for page in pdf.pages]
    known: set[tuple[int, int]] = set()
    while left:
        resources = left.pop().get(Name.Resources)
        named = resources.get(Name.XObject) if isinstance(resources, Dictionary) else None
        for form in named.values() if isinstance(named, Dictionary) else ():
            if isinstance(form, Stream) and form.get(Name.Subtype) == Name.Form and form.objgen not in known:
                known.add(form.objgen)
                yield form.objgen
                left.append(form)


def _add_sheet(sheets: Pdf, form: Stream) -> None:
    """Add a page that shows a form as it is."""
    box = [float(value) for value in form.get("/BBox", (0, 0, 100, 100))]
    copy = sheets.copy_foreign(form)
    page = sheets.add_blank_page(page_size=(max(box[2] - box[0], 3.0), max(box[3] - box[1], 3.0)))
    page.obj.MediaBox = pikepdf.Array(box)
    page.obj.Contents = sheets.make_stream(copy.read_bytes())
    if Name.Resources in copy:
        page.obj.Resources = copy.Resources


def _told(sheet: pikepdf.Page) -> bytes:
    """Tell a sheet by what it draws: others of the same look alike."""
    resources = sheet.obj.get(Name.Resources, pikepdf.Dictionary())
    return b"%s %s %s" % (sheet.obj.MediaBox.unparse(), resources.unparse(), sheet.obj.Contents.read_bytes())


def _shows(
    sheets: Pdf,
    document: pdfium.PdfDocument,
    index: int,
    is_readable: bool,
    finder: Finder,
    language: str,
    beside: Path,
) -> bool:
    """Decide whether a sheet shows what is looked for otherwise than as text."""
    try:
        sight: Sight | None = sight_of(sheets.pages[index])
    except NotFollowed:
        sight = None
    with closing(document[index]) as page:
        if sight is not None and not sight.pictures and max(page.get_size()) < _SMALLEST:
            return False
        if (sight is None or may_be_coded(sight)) and any(places_coded(page, finder)):
            return True
        is_text = sight is not None and not sight.astray and is_readable and not looked_at(sight)
        if not is_text and places_seen(page, None, finder, language):
            return True
    drawn = [(index, picture) for picture in (sight.pictures if sight is not None else ())]
    return any(True for _found in places_hidden(sheets, drawn, document, beside, finder, language))
