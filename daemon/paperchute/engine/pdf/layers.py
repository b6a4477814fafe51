"""Layers (optional content; ISO 32000-1, 8.11): a source's are added to the target's, as visible as they were."""

from __future__ import annotations

from pikepdf import Array, Dictionary, Name, Object, Pdf


def append_layers(pdf: Pdf, other: Object) -> None:
    """Add another document's `/OCProperties`, whose objects are in `pdf` already, to the document's own."""
    mine = pdf.Root.get(Name.OCProperties)
    if not isinstance(mine, Dictionary):
        pdf.Root.OCProperties = other
        return
    if not isinstance(mine.get(Name.D), Dictionary):
        mine.D = Dictionary()
    theirs = other.get(Name.D)
    if not isinstance(theirs, Dictionary):
        theirs = Dictionary()
    _say_states(mine.D, mine)
    _say_states(theirs, other)
    _extend(mine, other, Name.OCGs)
    for key in (Name.Order, Name.ON, Name.OFF, Name.RBGroups, Name.Locked, Name.AS):
        _extend(mine.D, theirs, key)
    if Name.Order not in theirs and Name.Order in mine.D:
        mine.D.Order = Array([*mine.D.Order, *_layers(other)])


def _say_states(view: Object, properties: Object) -> None:
    """Each layer's state said by itself, where one base state spoke for all of a document's layers."""
    if view.get(Name.BaseState) == Name.OFF:
        on = {layer.objgen for layer in view.get(Name.ON, Array()) if isinstance(layer, Dictionary)}
        view.OFF = Array([layer for layer in _layers(properties) if layer.objgen not in on])
    if Name.BaseState in view:
        del view.BaseState


def _layers(properties: Object) -> list[Object]:
    found = properties.get(Name.OCGs)
    return [layer for layer in found if isinstance(layer, Dictionary)] if isinstance(found, Array) else []


def _extend(mine: Object, other: Object, key: Name) -> None:
    more = other.get(key)
    if isinstance(more, Array):
        known = mine.get(key)
        mine[key] = Array([*(known if isinstance(known, Array) else []), *more])
