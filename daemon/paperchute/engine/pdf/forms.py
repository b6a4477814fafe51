"""Form fields (ISO 32000-1, 12.7): the fields of every source are in the joined form, equal names told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from paperchute.engine.pdf.actions import named_in, renamed_in_scripts
from paperchute.engine.pdf.trees import fields_of, tree

_MOST_DEPTH = 64
_FONT = re.compile(r"/([^\s/\[\]()<>{}%]+)(?=\s+[\d.]+\s+Tf)")
_LEFT_OUT = ("/XFA", "/SigFlags")  # XFA describes the pages of its own document; signatures are gone (signatures.py)

_INHERITED = ("/FT", "/Ff", "/V", "/DV", "/DA", "/Q", "/MaxLen", "/Opt")
_OF_GROUPS = {*_INHERITED, "/T", "/TU", "/TM", "/Kids", "/Parent"}


def only_on(form: Object, notes: Iterable[Object]) -> list[str]:
    """Leave the fields, and of those the widgets, that are among the annotations `notes`.

    Returns those that keep their value and are computed no more: of fields that are gone readers would make another.
    """
    kept = {node.objgen for note in notes for node in _with_parents(note)}
    _leave(form, Name.CO, kept)
    order = form.get(Name.CO)
    computed = [field for field in order if isinstance(field, Dictionary)] if isinstance(order, Array) else []
    before = _full_names(form) if computed else set()
    for field in fields_of(form):
        _leave(field, Name.Kids, kept)
    _leave(form, Name.Fields, kept)
    gone = before - _full_names(form) if computed else set()
    lacking = [field for field in computed if gone & _computed_of(field)]
    for field in lacking:
        del field.AA.C
    if lacking:
        _leave(form, Name.CO, {field.objgen for field in computed} - {field.objgen for field in lacking})
    return [_full_name(field) for field in lacking]


def _full_names(form: Object) -> set[str]:
    return {_full_name(field) for field in fields_of(form)}


def _full_name(field: Object) -> str:
    return ".".join(str(node[Name.T]) for node in reversed(_with_parents(field)) if Name.T in node)


def _computed_of(field: Object) -> set[str]:
    """Find the fields that a field's calculation names."""
    events = field.get(Name.AA)
    action = events.get(Name.C) if isinstance(events, Dictionary) else None
    return named_in(action) if isinstance(action, Dictionary) else set()


def with_orphans(pdf: Pdf, form: Object | None, notes: Iterable[Object]) -> Object | None:
    """A source's form with the fields that only its pages' annotations name, which viewers take for fields, too.

    Returns None where there are no fields.
    """
    known = {field.objgen for field in fields_of(form) if field.is_indirect}
    found: list[Object] = []
    for note in notes:
        if note.get(Name.Subtype) != Name.Widget or not note.is_indirect or note.objgen in known:
            continue
        *_between, root = chain = _with_parents(note)
        if root.objgen not in known and any(Name.FT in node for node in chain):
            known |= {node.objgen for node in tree([root], Name.Kids)}
            found.append(root)
    if not isinstance(form, Dictionary):
        form = pdf.make_indirect(Dictionary()) if found else None
    if form is not None and found:
        fields = form.get(Name.Fields)
        form.Fields = Array([*(fields if isinstance(fields, Array) else []), *found])
    return form


def _with_parents(note: Object) -> list[Object]:
    """A widget, its field, and the groups above it."""
    chain: list[Object] = []
    node: Object | None = note
    while isinstance(node, Dictionary) and len(chain) < _MOST_DEPTH:
        chain.append(node)
        node = node.get(Name.Parent)
    return chain


class Form:
    """The form of the joined document. The objects of its sources are in `pdf` already."""

    def __init__(self, pdf: Pdf) -> None:
        self._pdf = pdf
        self._own: Object | None = None
        self._fields: list[Object] = []
        self._order: list[Object] = []
        self._groups: dict[str, Object] = {}
        self._taken: set[str] = set()

    def add(self, form: Object) -> None:
        """Add the fields of a source's form.

        A group of fields joins the group of its name where no field of the one is called as a field of the other. Else
        a root field whose name is taken becomes `name_2`; its own calculations go on meaning it. Resources of the
        same name that are not the same font get another name in the fields that use them.
        """
        fields = form.get(Name.Fields)
        roots = [field for field in fields if isinstance(field, Dictionary)] if isinstance(fields, Array) else []
        order = form.get(Name.CO)
        fonts: dict[str, str] = {}
        if self._own is None:
            self._own = form
        else:
            _keep_defaults(self._own, form, roots)
            fonts = _add_resources(self._own, form)
            if form.get(Name.NeedAppearances, False):
                self._own.NeedAppearances = True
        roots = [field for field in roots if not self._joins_group(field)]
        renamed = self._told_apart(roots)
        if fonts or renamed:
            for field in tree(roots, Name.Kids):
                if fonts and isinstance(field.get(Name.DA), String):
                    field.DA = String(_FONT.sub(lambda m: "/" + fonts.get(m[1], m[1]), str(field.DA)))
                renamed_in_scripts(field, renamed)
        self._fields += roots
        self._groups |= {str(field.get(Name.T)): field for field in roots if _is_group(field)}
        self._order += list(order) if isinstance(order, Array) else []

    def add_copied_widget(self, widget: Object) -> None:
        """Give a widget, copied with a page that stands in the document twice, its place in the form."""
        parent = widget.get(Name.Parent)
        if isinstance(parent, Dictionary) and isinstance(parent.get(Name.Kids), Array):
            parent.Kids = Array([*parent.Kids, widget])
        else:
            self._told_apart([widget])
            self._fields.append(widget)

    def finish(self) -> None:
        """Write the form, if there are fields."""
        if self._own is None or not self._fields:
            return
        for key in _LEFT_OUT:
            if key in self._own:
                del self._own[key]
        self._own.Fields = Array(self._fields)
        if self._order:
            self._own.CO = Array(self._order)
        self._pdf.Root.AcroForm = self._own

    def _joins_group(self, field: Object) -> bool:
        """Add the fields of a group to the group that has its name, where that leaves every full name as it is."""
        mine = self._groups.get(str(field.get(Name.T, "")))
        if mine is None or not _is_group(field) or not _are_apart(mine, field, 0):
            return False
        _join(mine, field)
        return True

    def _told_apart(self, roots: Iterable[Object]) -> dict[str, str]:
        """Gives fields whose name is taken another one; which got which."""
        renamed = {}
        roots = list(roots)
        theirs = {str(field.get(Name.T, "")) for field in roots}
        for field in roots:
            name = str(field.get(Name.T, ""))
            free, number = name, 2
            while free in self._taken or (free != name and free in theirs):
                free = f"{name}_{number}"
                number += 1
            if free != name:
                field.T = String(free)
                renamed[name] = free
            self._taken.add(free)
        return renamed


def _is_group(field: Object) -> bool:
    """Tell whether a field only holds fields and what they inherit (12.7.3.1): it has no value of its own to lose."""
    kids = field.get(Name.Kids)
    return (
        field.is_indirect
        and isinstance(kids, Array)
        and len(kids) > 0
        and all(isinstance(kid, Dictionary) and kid.is_indirect and Name.T in kid for kid in kids)
        and set(field.keys()) <= _OF_GROUPS
    )


def _are_apart(mine: Object, theirs: Object, depth: int) -> bool:
    """Tell whether no field of one group has the full name of a field of the other."""
    known = {str(kid.T): kid for kid in mine.Kids}
    for kid in theirs.Kids:
        same = known.get(str(kid.T))
        if same is not None and not (
            depth < _MOST_DEPTH and _is_group(same) and _is_group(kid) and _are_apart(same, kid, depth + 1)
        ):
            return False
    return True


def _join(mine: Object, theirs: Object) -> None:
    """Move the fields of a group into another; each keeps what it inherited."""
    for group in (mine, theirs):
        for key in _INHERITED:
            if key in group:
                for kid in group.Kids:
                    if key not in kid:
                        kid[key] = group[key]
                del group[key]
    known = {str(kid.T): kid for kid in mine.Kids}
    for kid in list(theirs.Kids):
        same = known.get(str(kid.T))
        if same is not None:
            _join(same, kid)
        else:
            kid.Parent = mine
            mine.Kids.append(kid)


def _leave(owner: Object, key: Name, kept: set[tuple[int, int]]) -> None:
    found = owner.get(key)
    if isinstance(found, Array):
        owner[key] = Array([item for item in found if isinstance(item, Dictionary) and item.objgen in kept])


def _keep_defaults(mine: Object, other: Object, roots: Iterable[Object]) -> None:
    """Look (DA) and alignment (Q) that the other form gives all its fields, onto the fields themselves."""
    for key in (Name.DA, Name.Q):
        if key not in other or (key in mine and mine[key] == other[key]):
            continue
        for field in roots:
            if key not in field:
                field[key] = other[key]


def _add_resources(mine: Object, other: Object) -> dict[str, str]:
    """Fonts and the like that the new fields name; which fonts got another name."""
    renamed: dict[str, str] = {}
    theirs = other.get(Name.DR)
    if not isinstance(theirs, Dictionary):
        return renamed
    if not isinstance(mine.get(Name.DR), Dictionary):
        mine.DR = theirs
        return renamed
    for kind in list(theirs.keys()):
        if not isinstance(theirs[kind], Dictionary):
            continue
        if not isinstance(mine.DR.get(kind), Dictionary):
            mine.DR[kind] = theirs[kind]
            continue
        known = mine.DR[kind]
        for name in list(theirs[kind].keys()):
            if name not in known:
                known[name] = theirs[kind][name]
            elif kind == "/Font" and not _same_font(known[name], theirs[kind][name]):
                number = 2
                while f"{name}_{number}" in known:
                    number += 1
                known[f"{name}_{number}"] = theirs[kind][name]
                renamed[name[1:]] = f"{name[1:]}_{number}"
    return renamed


def _same_font(one: Object, other: Object) -> bool:
    """Standard fonts are told by their names; anything embedded or encoded of its own is taken for another."""
    if not isinstance(one, Dictionary) or not isinstance(other, Dictionary):
        return True
    if one.objgen == other.objgen and one.is_indirect:
        return True
    plain = Name.FontDescriptor not in one and Name.FontDescriptor not in other
    return plain and one.get(Name.BaseFont) == other.get(Name.BaseFont) and _encoding(one) == _encoding(other)


def _encoding(font: Object) -> bytes:
    encoding = font.get(Name.Encoding)
    if isinstance(encoding, Dictionary):
        differences = encoding.get(Name.Differences)
        return differences.unparse(resolved=True) if isinstance(differences, Array) else b""
    return str(encoding).encode()
