"""Destinations (ISO 32000-1, 12.3.2): the names of every source stay, and what is named leads where it led."""

from __future__ import annotations

from collections.abc import Iterable

from pikepdf import Array, Dictionary, Name, Object, String


def explicit(destination: Object | None) -> Object | None:
    """The array that an unnamed destination, or the value of a named one, stands for."""
    if isinstance(destination, Dictionary):
        destination = destination.get(Name.D)
    return destination if isinstance(destination, Array) and len(destination) > 0 else None


def leads_to_page(destination: Object | None) -> bool:
    """Whether a destination's value leads to a page that is there: those of pages not taken have become null."""
    array = explicit(destination)
    return array is not None and isinstance(array[0], Dictionary)


def target_of(owner: Object) -> Object | None:
    """The destination of an annotation or outline item, named or not; None when it has none."""
    if Name.Dest in owner:
        return owner.Dest
    action = owner.get(Name.A)
    if isinstance(action, Dictionary) and action.get(Name.S) == Name.GoTo:
        return action.get(Name.D)
    return None


def set_target(owner: Object, destination: Object | None) -> None:
    """Replace an owner's destination; None takes it away."""
    if Name.Dest in owner:
        if destination is None:
            del owner.Dest
        else:
            owner.Dest = destination
    elif destination is None:
        del owner.A
    else:
        owner.A.D = destination


class Names:
    """The named destinations of the joined document: strings (`/Names /Dests`) and, of old, names (`/Dests`)."""

    def __init__(self) -> None:
        self.strings: dict[bytes, Object] = {}
        self.names: dict[bytes, Object] = {}

    def add(self, strings: dict[bytes, Object], names: dict[bytes, Object], owners: Iterable[Object]) -> None:
        """Take over a source's; names that are taken get a number, also where `owners` (links, outline) use them."""
        new_strings = _merged(self.strings, strings)
        new_names = _merged(self.names, names)
        if not new_strings and not new_names:
            return
        for owner in owners:
            target = target_of(owner)
            if isinstance(target, String) and bytes(target) in new_strings:
                set_target(owner, String(new_strings[bytes(target)]))
            elif isinstance(target, Name) and str(target)[1:].encode() in new_names:
                set_target(owner, Name("/" + new_names[str(target)[1:].encode()].decode()))

    def known(self, destination: Object | None) -> bool:
        """Whether a destination leads to a page of the document."""
        if isinstance(destination, String):
            return leads_to_page(self.strings.get(bytes(destination)))
        if isinstance(destination, Name):
            return leads_to_page(self.names.get(str(destination)[1:].encode()))
        return leads_to_page(destination)


def _merged(mine: dict[bytes, Object], theirs: dict[bytes, Object]) -> dict[bytes, bytes]:
    """Adds the entries that lead to a page; which of them got another name."""
    renamed = {}
    for name, value in theirs.items():
        if not leads_to_page(value):
            continue
        free = free_name(name, mine)
        if free != name:
            renamed[name] = free
        mine[free] = value
    return renamed


def free_name(name: bytes, taken: dict[bytes, Object]) -> bytes:
    """`name`, or `name-2`, `name-3`, ... when it is taken; in the encoding of the name."""
    if name not in taken:
        return name
    wide = name.startswith(b"\xfe\xff")
    number = 2
    while True:
        suffix = f"-{number}"
        free = name + (suffix.encode("utf-16-be") if wide else suffix.encode())
        if free not in taken:
            return free
        number += 1
