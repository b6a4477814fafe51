"""Layers (optional content; ISO 32000-1, 8.11): a source's are added to the target's, as visible as they were."""

from __future__ import annotations

from pikepdf import Array, Dictionary, Name, Object, Pdf


def append(target: Pdf, source: Pdf) -> None:
    """Must run after the pages were copied, so that both sides mean the same layer objects."""
    properties = source.Root.get(Name.OCProperties)
    if not isinstance(properties, Dictionary):
        return
    copy = target.copy_foreign(properties if properties.is_indirect else source.make_indirect(properties))
    if Name.OCProperties not in target.Root:
        target.Root.OCProperties = copy
        return
    mine = target.Root.OCProperties
    _extend(mine, copy, "/OCGs")
    if Name.D not in mine:
        mine.D = Dictionary()
    if isinstance(copy.get(Name.D), Dictionary):
        for key in ("/Order", "/ON", "/OFF", "/RBGroups", "/Locked"):
            _extend(mine.D, copy.D, key)


def _extend(mine: Object, other: Object, key: str) -> None:
    more = other.get(key)
    if isinstance(more, Array):
        known = mine.get(key)
        mine[key] = Array([*(known if isinstance(known, Array) else []), *more])
