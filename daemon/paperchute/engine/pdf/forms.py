"""Form fields (ISO 32000-1, 12.7): a source's fields join the target's form; equal names are told apart."""

from __future__ import annotations

from pikepdf import Array, Dictionary, Name, Object, Pdf, String


class Importer:
    """Collects the fields of copied pages and adds them to the target's form."""

    def __init__(self, target: Pdf, source: Pdf) -> None:
        self._target = target
        self._source = source
        self._roots: dict[tuple[int, int], Object] = {}

    def take(self, page: object) -> None:
        """Note the fields whose widgets are among the page's annotations."""
        for note in page.obj.Annots:  # type: ignore[attr-defined]
            if note.get(Name.Subtype) == Name.Widget:
                root = _root(note)
                self._roots[root.objgen] = root

    def finish(self) -> None:
        """Add what was taken."""
        form = self._source.Root.get(Name.AcroForm)
        if not self._roots or not isinstance(form, Dictionary):
            return
        mine = self._form(form)
        taken = {str(field.get(Name.T, "")) for field in mine.Fields if isinstance(field, Dictionary)}
        for field in self._roots.values():
            name = str(field.get(Name.T, ""))
            free, number = name, 2
            while free in taken:
                free = f"{name}_{number}"
                number += 1
            if free != name:
                field.T = String(free)
            taken.add(free)
            mine.Fields.append(field)

    def _form(self, form: Object) -> Object:
        copied = self._target.copy_foreign(self._source.make_indirect(_without_fields(form)))
        if not isinstance(self._target.Root.get(Name.AcroForm), Dictionary):
            self._target.Root.AcroForm = copied
            copied.Fields = Array()
            return copied
        mine = self._target.Root.AcroForm
        if not isinstance(mine.get(Name.Fields), Array):
            mine.Fields = Array()
        if copied.get(Name.NeedAppearances, False):
            mine.NeedAppearances = True
        _add_resources(mine, copied)
        return mine


def prune(pdf: Pdf) -> None:
    """Drop fields none of whose widgets is on a page that is left."""
    form = pdf.Root.get(Name.AcroForm)
    if not isinstance(form, Dictionary) or not isinstance(form.get(Name.Fields), Array):
        return
    present = {
        _root(note).objgen
        for page in pdf.pages
        for note in page.obj.get(Name.Annots, Array())
        if isinstance(note, Dictionary) and note.get(Name.Subtype) == Name.Widget
    }
    form.Fields = Array([field for field in form.Fields if field.objgen in present])


def _root(widget: Object) -> Object:
    field, depth = widget, 0
    while isinstance(field.get(Name.Parent), Dictionary) and depth < 64:
        field = field.Parent
        depth += 1
    return field


def _without_fields(form: Object) -> Dictionary:
    left_out = ("/Fields", "/CO", "/XFA", "/SigFlags")
    return Dictionary({key: form[key] for key in list(form.keys()) if key not in left_out})


def _add_resources(mine: Object, other: Object) -> None:
    """Fonts and the like that the new fields name; a name that is taken means the same standard font nearly always."""
    theirs = other.get(Name.DR)
    if not isinstance(theirs, Dictionary):
        return
    if not isinstance(mine.get(Name.DR), Dictionary):
        mine.DR = theirs
        return
    for kind in list(theirs.keys()):
        if not isinstance(mine.DR.get(kind), Dictionary):
            mine.DR[kind] = theirs[kind]
        elif isinstance(theirs[kind], Dictionary):
            for name in list(theirs[kind].keys()):
                if name not in mine.DR[kind]:
                    mine.DR[kind][name] = theirs[kind][name]
