"""Pages drawn on sheets: each page a form XObject in its place, with its annotations and what leads to it.

Pages keep their content streams as they are stored, so that nothing of a page is decoded or written anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.document.geometry import Box
from paperchute.engine.pdf.catalog import add_associated
from paperchute.engine.pdf.document import FAULTS
from paperchute.engine.pdf.imposition import Layout, Size, scale_in
from paperchute.engine.pdf.navigation import explicit, old_names, outline_items, places_of
from paperchute.engine.pdf.trees import read_names, whole
from paperchute.engine.pdf.watermarks import sorted_box, view_of
from paperchute.engine.reading.pdf.view import Matrix
from paperchute.engine.work import Refused
from paperchute.language import _

_LARGEST = 14_400  # units; ISO 32000-1, annex C.2: the largest side of a page
_MOST_DEPTH = 64
_OF_PAGES = ("/PageLabels", "/StructTreeRoot", "/MarkInfo", "/Threads", "/AcroForm")
"""Parts of the catalog that say something of pages which are none any more."""
_NOT_SHOWN, _NO_ROTATE = 2 | 32, 16  # annotation flags: hidden or not on the screen; upright however a page is turned
_FLAT = (Name.QuadPoints, Name.Vertices, Name.L, Name.CL)  # coordinates one behind the other


@dataclass(frozen=True)
class Placed:
    """A page's place: its sheet, the map from its user space to the sheet's, and the part of the sheet it covers."""

    sheet: Object
    to_sheet: Matrix
    box: Box


def shown_size(page: pikepdf.Page) -> Size:
    """Width and height of a page as readers show it, in points."""
    _to_user, (width, height, unit) = view_of(page)
    return round(width * unit, 3), round(height * unit, 3)


def draw_fields(pdf: Pdf) -> tuple[list[int], list[int]]:
    """Draw the fields of the document's form on its pages, and take the form away.

    Returns the 0-based pages that have fields, and of those the ones whose drawings may not show all they should.
    """
    form = pdf.Root.get(Name.AcroForm)
    drawn, unsure = [], []
    others: list[list[Object]] = []
    wanted = form.get(Name.NeedAppearances) if isinstance(form, Dictionary) else None
    is_left_to_reader = isinstance(wanted, bool) and wanted
    for index, page in enumerate(pdf.pages):
        notes = _notes(page.obj)
        widgets = [note for note in notes if note.get(Name.Subtype) == Name.Widget]
        others.append([note for note in notes if note.get(Name.Subtype) != Name.Widget])
        if widgets:
            drawn.append(index)
            page.obj.Annots = Array(widgets)
            if any(_is_unsure(widget, is_left_to_reader) for widget in widgets):
                unsure.append(index)
        elif Name.Annots in page.obj:
            del page.obj.Annots
    if drawn:
        if is_left_to_reader:
            pdf.generate_appearance_streams()
        pdf.flatten_annotations("screen")
    for page, kept in zip(pdf.pages, others, strict=True):
        page.obj.Annots = Array(kept)
    return drawn, unsure


def _is_unsure(widget: Object, is_left_to_reader: bool) -> bool:
    """Tell whether what is filled in may be lost: qpdf draws letters beyond ASCII only where a font says how."""
    node: Object | None = widget
    depth = 0
    while isinstance(node, Dictionary) and Name.V not in node and depth < _MOST_DEPTH:
        node, depth = node.get(Name.Parent), depth + 1
    value = node.get(Name.V) if isinstance(node, Dictionary) else None
    if not isinstance(value, String) or not str(value) or whole(widget.get(Name.F)) & _NOT_SHOWN:
        return False
    if is_left_to_reader:
        return not str(value).isascii()
    looks = widget.get(Name.AP)
    return not (isinstance(looks, Dictionary) and isinstance(looks.get(Name.N), Stream))


def put_on_sheets(pdf: Pdf, layout: Layout, *, is_booklet: bool) -> None:
    """Replace the document's pages by sheets with them, and let all that leads to a page lead to its place there.

    is_booklet: readers are told at which edge a printer is to turn the sheets over. Raises Refused 02207 for a page
    whose content cannot be read.
    """
    pages = list(pdf.pages)
    uses = Counter(part.objgen for page in pages for part in _contents(page))
    _give_each_its_own_notes(pdf, pages)
    placed: dict[int, Placed] = {}
    unit = max(1.0, *(side / _LARGEST for side in layout.size))
    sheets = []
    for side in layout.sides:
        media = Array([0, 0, *(round(length / unit, 4) for length in layout.size)])
        sheet = pdf.make_indirect(Dictionary(Type=Name.Page, MediaBox=media, Resources=Dictionary(XObject={})))
        if unit > 1:
            sheet.UserUnit = round(unit, 6)
        drawn = []
        for cell, index in zip(layout.cells, side, strict=False):
            if index is None:
                continue
            placed[index] = _place(pages[index], cell, unit, sheet)
            sheet.Resources.XObject[f"/Page{index + 1}"] = _form_of(pdf, pages[index], index, uses)
            drawn.append(f"q {_written(placed[index].to_sheet)} cm /Page{index + 1} Do Q\n")
        sheet.Contents = pdf.make_stream("".join(drawn).encode())
        sheets.append(sheet)
    _lead_to_sheets(pdf, pages, placed)
    for index, page in enumerate(pages):
        place = placed[index]
        moved = [note for note in _notes(page.obj) if _move(pdf, note, place)]
        if moved:
            place.sheet.Annots = Array([*place.sheet.get(Name.Annots, Array()), *moved])
        add_associated(pdf, page.obj.get("/AF"))
    _replace(pdf, pages, sheets)
    if is_booklet:
        wanted = pdf.Root.get(Name.ViewerPreferences)
        wanted = wanted if isinstance(wanted, Dictionary) else Dictionary()
        wanted.Duplex = Name.DuplexFlipShortEdge if layout.size[0] >= layout.size[1] else Name.DuplexFlipLongEdge
        pdf.Root.ViewerPreferences = wanted


def _replace(pdf: Pdf, pages: Sequence[pikepdf.Page], sheets: Sequence[Object]) -> None:
    """Put the sheets where the pages were; of those, little stays for what may still point at them."""
    del pdf.pages[:]
    for sheet in sheets:
        pdf.pages.append(pikepdf.Page(sheet))
    for page in pages:
        for key in list(page.obj.keys()):
            if key != "/Contents":  # forms are made of it when the document is saved
                del page.obj[key]
    for key in _OF_PAGES:
        if key in pdf.Root:
            del pdf.Root[key]
    names = pdf.Root.get(Name.Names)
    for key in ("/Pages", "/Templates"):
        if isinstance(names, Dictionary) and key in names:
            del names[key]
    for item in outline_items(pdf.Root.get(Name.Outlines)):
        if Name.SE in item:
            del item.SE


def _place(page: pikepdf.Page, cell: Box, unit: float, sheet: Object) -> Placed:
    """Put a page in the middle of its cell, as large as it fits."""
    to_user, (width, height, own) = view_of(page)
    scale = scale_in((width * own, height * own), cell) * own
    x = (cell.left + cell.right - width * scale) / 2
    y = (cell.top + cell.bottom - height * scale) / 2
    from_user = Matrix(*pikepdf.Matrix(*to_user).inverse().shorthand)
    to_sheet = Matrix(scale / unit, 0, 0, scale / unit, x / unit, y / unit).after(from_user)
    return Placed(sheet, to_sheet, Box(x / unit, y / unit, (x + width * scale) / unit, (y + height * scale) / unit))


def _form_of(pdf: Pdf, page: pikepdf.Page, index: int, uses: Counter[tuple[int, int]]) -> Object:
    """Make a form XObject of a page: of its content stream itself, where that is the only one and no other page's."""
    parts = _contents(page)
    to_user, (width, height, _unit) = view_of(page)
    box = Array([round(edge, 4) for edge in to_user.box(0, 0, width, height)])
    if len(parts) == 1 and uses[parts[0].objgen] == 1 and Name.Subtype not in parts[0]:
        content = parts[0]
        content.Type, content.Subtype = Name.XObject, Name.Form
        content.Resources = page.resources
        if Name.Group in page.obj:
            content.Group = page.obj.Group
        content.BBox = box
        return content
    try:
        for part in parts:
            part.read_bytes()
        form = page.as_form_xobject(handle_transformations=False)
    except FAULTS as error:
        raise Refused("02207", _("page {number} cannot be read", number=index + 1)) from error
    form.BBox = box
    return pdf.make_indirect(form)


def _contents(page: pikepdf.Page) -> list[Stream]:
    found = page.obj.get(Name.Contents)
    return [part for part in (found if isinstance(found, Array) else [found]) if isinstance(part, Stream)]


def _written(matrix: Matrix) -> str:
    return " ".join(f"{value:.6f}".rstrip("0").rstrip(".") for value in matrix)


# ---------- what leads to pages ----------


def _lead_to_sheets(pdf: Pdf, pages: Sequence[pikepdf.Page], placed: dict[int, Placed]) -> None:
    by_page = {page.obj.objgen: placed[index] for index, page in enumerate(pages)}
    names = pdf.Root.get(Name.Names)
    named = read_names(names.get(Name.Dests)) if isinstance(names, Dictionary) else {}
    for value in (*named.values(), *old_names(pdf.Root.get(Name.Dests)).values()):
        _lead(value, by_page, placed)
    for owner in (pdf.Root, *outline_items(pdf.Root.get(Name.Outlines)), *_all_notes(pages)):
        for holder, key in places_of(owner):
            _lead(holder[key], by_page, placed)


def _lead(destination: Object | None, by_page: dict[tuple[int, int], Placed], placed: dict[int, Placed]) -> None:
    """Change a destination in its place: to the same point of the sheet, else to the whole of the page there."""
    array = explicit(destination)
    if array is None:
        return
    target: object = array[0]
    if isinstance(target, int | Decimal) and not isinstance(target, bool):
        place = placed.get(int(target))
    else:
        place = by_page.get(target.objgen) if isinstance(target, Dictionary) else None
    if place is None:
        return
    kind, *values = list(array)[1:] or [Name.Fit]
    point = [float(v) if isinstance(v, int | Decimal) else None for v in values[:2]]
    array[0] = place.sheet
    while len(array) > 1:
        del array[1]
    if kind == Name.XYZ and len(point) == 2 and point[0] is not None and point[1] is not None:
        x, y = place.to_sheet.at(point[0], point[1])
        array.extend([Name.XYZ, round(x, 3), round(y, 3), *values[2:3]])
    else:
        array.extend(Array([Name.FitR, *(round(edge, 3) for edge in place.box)]))


# ---------- annotations ----------


def _notes(page: Object) -> list[Object]:
    notes = page.get(Name.Annots)
    return [note for note in notes if isinstance(note, Dictionary)] if isinstance(notes, Array) else []


def _all_notes(pages: Iterable[pikepdf.Page]) -> list[Object]:
    return [note for page in pages for note in _notes(page.obj)]


def _give_each_its_own_notes(pdf: Pdf, pages: Sequence[pikepdf.Page]) -> None:
    """Copy annotations that stand on a page already, as some programs share them: each gets a place of its own."""
    seen: set[tuple[int, int]] = set()
    for page in pages:
        own = []
        for note in _notes(page.obj):
            if not note.is_indirect or note.objgen in seen:
                note = pdf.make_indirect(Dictionary({key: note[key] for key in list(note.keys()) if key != "/Popup"}))
            seen.add(note.objgen)
            own.append(note)
        page.obj.Annots = Array(own)


def _move(pdf: Pdf, note: Object, place: Placed) -> bool:
    """Put an annotation where its page is now; False for one that lies beside what was shown of the page."""
    to_sheet = place.to_sheet
    try:
        box = to_sheet.box(*sorted_box(note.Rect))
    except FAULTS:
        return False  # nobody can see, or click on, what has no place
    shown = place.box
    is_beside = box.left > shown.right or box.right < shown.left or box.top > shown.bottom or box.bottom < shown.top
    kind = note.get(Name.Subtype)
    if is_beside and kind != Name.Popup:  # a pop-up window may hang over the page's edge
        return False
    if kind == Name.Link:
        box = Box(
            max(box.left, shown.left),
            max(box.top, shown.top),
            min(box.right, shown.right),
            min(box.bottom, shown.bottom),
        )
    note.Rect = Array([round(edge, 3) for edge in box])
    note.P = place.sheet
    for key in _FLAT:
        if isinstance(note.get(key), Array):
            note[key] = _moved_points(note[key], to_sheet)
    if isinstance(note.get(Name.InkList), Array):
        note.InkList = Array([_moved_points(line, to_sheet) for line in note.InkList if isinstance(line, Array)])
    for key in (Name.RD, Name.StructParent):
        if key in note:
            del note[key]
    scale = abs(to_sheet.a) + abs(to_sheet.b)  # one of them is 0
    _scale_border(note, scale)
    looks = note.get(Name.AP)
    if to_sheet.a <= 0 and isinstance(looks, Dictionary) and not whole(note.get(Name.F)) & _NO_ROTATE:
        turn = Matrix(*(round(value / scale) for value in to_sheet[:4]))
        note.AP = Dictionary({key: _turned(pdf, looks[key], turn) for key in list(looks.keys())})
    return True


def _moved_points(flat: Object, to_sheet: Matrix) -> Array:
    try:
        values = [float(value) for value in flat]
    except FAULTS:
        return Array()
    points = [to_sheet.at(x, y) for x, y in zip(values[::2], values[1::2], strict=False)]
    return Array([round(value, 3) for point in points for value in point])


def _scale_border(note: Object, scale: float) -> None:
    style, border = note.get(Name.BS), note.get(Name.Border)
    if isinstance(style, Dictionary):
        note.BS = Dictionary({key: style[key] for key in list(style.keys())})
        note.BS.W = _scaled(style.get(Name.W, 1), scale)
    if isinstance(border, Array):
        note.Border = Array([_scaled(value, scale) if nth < 3 else value for nth, value in enumerate(border)])


def _scaled(value: object, scale: float) -> object:
    return round(float(value) * scale, 3) if isinstance(value, int | Decimal) else value


def _turned(pdf: Pdf, look: Object, turn: Matrix) -> Object:
    """Turn an appearance, or that of each state, as the page is turned: readers fit what comes of it into `/Rect`."""
    if isinstance(look, Stream):
        try:
            own = Matrix(*(float(value) for value in look.get(Name.Matrix, (1, 0, 0, 1, 0, 0))))
            box = own.box(*sorted_box(look.BBox))
        except FAULTS:
            return look
        return pdf.make_stream(
            b"/Look Do",
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=Array([round(edge, 4) for edge in box]),
            Matrix=Array(list(turn)),
            Resources=Dictionary(XObject=Dictionary(Look=look)),
        )
    if isinstance(look, Dictionary):
        return Dictionary({key: _turned(pdf, look[key], turn) for key in list(look.keys())})
    return look
