"""Marks that a document says are watermarks, taken out of its pages.

A document says so by an artifact of the kind Watermark (ISO 32000-1, 14.8.2.2.2), as `pdf-add-watermark` and Acrobat
write it, by a layer of that name (8.11), or by an annotation of that kind (12.5.6.22). What is drawn like any other
content cannot be told from it, and stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream

from paperchute.engine.pdf.document import FAULTS

_LAYER = "watermark"
_OPENING, _CLOSING = ("BMC", "BDC"), "EMC"
_PAINTING = {"Do", "Tj", "TJ", "'", '"', "sh", "INLINE IMAGE"}
_PATHS = {"S", "s", "f", "F", "f*", "B", "B*", "b", "b*"}
_LISTS = ("/Order", "/ON", "/OFF", "/Locked")


@dataclass(frozen=True)
class Mark:
    """A mark on a page. key: the same for what is the same on several pages.

    first, last: of the page's instructions, inclusive; for an annotation, its number and None.
    """

    key: str
    first: int
    last: int | None = None


def marks_of(page: pikepdf.Page) -> list[Mark]:
    """Find the marks of a page. Raises what pikepdf raises where its content cannot be read."""
    found = [
        Mark(_key_of_annotation(note), number)
        for number, note in enumerate(_annotations(page))
        if isinstance(note, Dictionary) and note.get(Name.Subtype) == Name.Watermark
    ]
    return [*found, *_drawn(page, list(pikepdf.parse_content_stream(page)))]


def take_out(pdf: Pdf, page: pikepdf.Page, keys: Collection[str]) -> int:
    """Take the marks with these keys out of a page; how many there were. Raises as `marks_of`."""
    marks = [mark for mark in marks_of(page) if mark.key in keys]
    noted = {mark.first for mark in marks if mark.last is None}
    if noted:
        page.obj.Annots = Array([note for number, note in enumerate(_annotations(page)) if number not in noted])
    drawn = {mark.first: mark.last for mark in marks if mark.last is not None}
    if drawn:
        instructions = list(pikepdf.parse_content_stream(page))
        kept: list[Any] = []
        at = 0
        while at < len(instructions):
            last = drawn.get(at, at)
            kept += _without_paint(instructions[at : last + 1]) if at in drawn else [instructions[at]]
            at = last + 1
        page.obj.Contents = pdf.make_stream(pikepdf.unparse_content_stream(kept))
    return len(marks)


def drop_layers(pdf: Pdf) -> None:
    """Take the layers of marks out of a document's list, but for those that something is still drawn on."""
    properties = pdf.Root.get(Name.OCProperties)
    layers = properties.get(Name.OCGs) if isinstance(properties, Dictionary) else None
    if not isinstance(properties, Dictionary) or not isinstance(layers, Array):
        return
    pdf.remove_unreferenced_resources()
    gone = {layer.objgen for layer in layers if _is_mark_layer(layer)} - _layers_in_use(pdf)
    if not gone:
        return
    for page in pdf.pages:
        names = _properties_of(page.obj)
        for name in [name for name, value in names.items() if getattr(value, "objgen", None) in gone]:
            del page.obj.Resources.Properties[name]
    properties.OCGs = _without(layers, gone)
    if len(properties.OCGs) == 0:
        del pdf.Root.OCProperties
        return
    for view in (properties.get(Name.D), *(properties.get(Name.Configs) or [])):
        for key in _LISTS if isinstance(view, Dictionary) else ():
            if isinstance(view.get(key), Array):
                view[key] = _without(view[key], gone)


def _annotations(page: pikepdf.Page) -> list[Object]:
    notes = page.obj.get(Name.Annots)
    return list(notes) if isinstance(notes, Array) else []


def _key_of_annotation(note: Object) -> str:
    shown = note.get(Name.AP)
    look = shown.get(Name.N) if isinstance(shown, Dictionary) else None
    return f"annotation {look.objgen if isinstance(look, Stream) else note.objgen}"


def _drawn(page: pikepdf.Page, instructions: Sequence[Any]) -> Iterator[Mark]:
    at = 0
    while at < len(instructions):
        operator = str(instructions[at].operator)
        if operator == "BDC" and (layer := _said(page, instructions[at].operands)) is not None:
            last = _end(instructions, at)
            if last is not None:
                yield Mark(layer or _key(page, instructions[at : last + 1]), at, last)
                at = last
        elif operator == "Do" and (layer := _layer_of(_named(page, "/XObject", instructions[at].operands))):
            yield Mark(layer, at, at)
        at += 1


def _said(page: pikepdf.Page, operands: Sequence[Object]) -> str | None:
    """Give the layer of marked content that is a watermark, empty for one without; None where it is none."""
    if len(operands) < 2:
        return None
    properties = operands[1] if isinstance(operands[1], Dictionary) else _named(page, "/Properties", operands[1:])
    if not isinstance(properties, Dictionary):
        return None
    if operands[0] == Name.OC and _is_mark_layer(properties):
        return f"layer {properties.objgen}"
    is_artifact = operands[0] == Name.Artifact and properties.get(Name.Subtype) == Name.Watermark
    return "" if is_artifact else None


def _named(page: pikepdf.Page, kind: str, operands: Sequence[Object]) -> Object | None:
    resources = page.obj.get(Name.Resources)
    known = resources.get(kind) if isinstance(resources, Dictionary) else None
    name = str(operands[0]) if operands and isinstance(operands[0], Name) else ""
    return known.get(name) if isinstance(known, Dictionary) and name else None


def _layer_of(drawn: Object | None) -> str:
    layer = drawn.get(Name.OC) if isinstance(drawn, Stream) else None
    return f"layer {layer.objgen}" if isinstance(layer, Dictionary) and _is_mark_layer(layer) else ""


def _is_mark_layer(layer: object) -> bool:
    is_layer = isinstance(layer, Dictionary) and layer.get(Name.Type) == Name.OCG and layer.is_indirect
    return is_layer and str(layer.get(Name.Name, "")).strip().lower() == _LAYER  # type: ignore[attr-defined]


def _end(instructions: Sequence[Any], first: int) -> int | None:
    """Give the place of the end of marked content; None where nobody can say what is in it.

    Without an end of its own it ends where the state that it saves first is restored.
    """
    depth = 0
    for at in range(first, len(instructions)):
        operator = str(instructions[at].operator)
        depth += (operator in _OPENING) - (operator == _CLOSING)
        if depth == 0:
            return at
    saved = 0
    for at in range(first + 1, len(instructions)):
        operator = str(instructions[at].operator)
        saved += (operator == "q") - (operator == "Q")
        if saved <= 0:
            return at if operator == "Q" and saved == 0 else None
    return None


def _key(page: pikepdf.Page, part: Sequence[Any]) -> str:
    """Say what a drawing is, by the layer of the only form that it draws, else by its instructions and forms."""
    forms = [_named(page, "/XObject", one.operands) for one in part if str(one.operator) == "Do"]
    layers = {_layer_of(form) for form in forms}
    if len(layers) == 1 and (layer := layers.pop()):
        return layer
    made = hashlib.sha256(pikepdf.unparse_content_stream(part))
    made.update(repr([form.objgen for form in forms if form is not None]).encode())
    return f"drawing {made.hexdigest()}"


def _without_paint(part: Sequence[Any]) -> list[Any]:
    """Give what of a drawing has to stay, since it changes what comes after it: nothing of one within `q` and `Q`."""
    inner = part[1:-1] if str(part[0].operator) in _OPENING and str(part[-1].operator) == _CLOSING else part[1:]
    if len(part) == 1 or _is_enclosed(inner):
        return []
    kept = []
    for one in inner:
        operator = str(one.operator)
        if operator in _PATHS:
            kept.append(pikepdf.ContentStreamInstruction([], pikepdf.Operator("n")))
        elif operator not in _PAINTING:
            kept.append(one)
    return kept


def _is_enclosed(part: Sequence[Any]) -> bool:
    """Decide whether nothing of a drawing's state reaches beyond it."""
    depth = 0
    for number, one in enumerate(part):
        operator = str(one.operator)
        depth += (operator == "q") - (operator == "Q")
        if depth < 0 or (depth == 0 and number < len(part) - 1):
            return False
    return depth == 0


def _layers_in_use(pdf: Pdf) -> set[tuple[int, int]]:
    """Give the layers that something on the pages is drawn on."""
    used: set[tuple[int, int]] = set()
    for page in pdf.pages:
        named = _properties_of(page.obj)
        try:
            content = pikepdf.parse_content_stream(page, "BDC")
        except FAULTS:
            used |= _layers(named.values())
            continue
        used |= _layers(named.get(str(one.operands[1])) for one in content if len(one.operands) > 1)
    for item in _drawn_from([page.obj for page in pdf.pages]):
        used |= _layers([item.get(Name.OC)])
        if isinstance(item, Stream):
            used |= _layers(_properties_of(item).values())
    return used


def _drawn_from(pages: Sequence[Object]) -> Iterator[Object]:
    """All dictionaries and streams that pages lead to, each once."""
    stack: list[Any] = list(pages)
    seen: set[tuple[int, int]] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, Array):
            stack.extend(item)
        elif isinstance(item, Dictionary | Stream) and not (item.is_indirect and item.objgen in seen):
            seen.add(item.objgen)
            yield item
            stack.extend(item[key] for key in list(item.keys()) if key != "/Parent")


def _properties_of(owner: Object) -> dict[str, Object]:
    resources = owner.get(Name.Resources)
    named = resources.get(Name.Properties) if isinstance(resources, Dictionary) else None
    return dict(named.items()) if isinstance(named, Dictionary) else {}


def _layers(groups: Iterable[object]) -> set[tuple[int, int]]:
    """The numbers of layers, and of those that groups of them have."""
    known = [group for group in groups if isinstance(group, Dictionary)]
    return {one.objgen for group in known for one in (group, *_members(group))}


def _members(group: Object) -> list[Object]:
    inner = group.get(Name.OCGs)
    found = list(inner) if isinstance(inner, Array) else [inner]
    return [one for one in found if isinstance(one, Dictionary)]


def _without(layers: Object, gone: Collection[tuple[int, int]]) -> Array:
    return Array([one for one in layers if not (isinstance(one, Dictionary) and one.objgen in gone)])
