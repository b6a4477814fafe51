"""Ways through a document: destinations and outlines (ISO 32000-1, 12.3.2 and 12.3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from pikepdf import Array, Dictionary, Name, Object, String

from paperchute.engine.pdf.trees import whole


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


_MOST_ITEMS = 200_000
_MOST_DEPTH = 64


def outline_items(root: Object | None) -> Iterator[Object]:
    """Every item of an outline, each once, in no particular order."""
    seen: set[tuple[int, int]] = set()
    stack: list[object] = [root.get(Name.First)] if isinstance(root, Dictionary) else []
    while stack and len(seen) < _MOST_ITEMS:
        item = stack.pop()
        if not isinstance(item, Dictionary) or not item.is_indirect or item.objgen in seen:
            continue
        seen.add(item.objgen)
        yield item
        stack += [item.get(Name.Next), item.get(Name.First)]


def prune_outline(root: Object, known: Callable[[Object | None], bool]) -> None:
    """Drop items whose destination is not `known` and that hold nothing whose is."""
    _prune(root, known, set(), 0)


def joined_outline(roots: Sequence[Object]) -> Object:
    """One outline, the first of `roots`, with the items of all, one below the other."""
    first, *others = roots
    if others:
        items = [item for root in roots for item in _children(root, set())]
        shown = [max(0, whole(root.get(Name.Count))) for root in roots]
        _chain(first, items, sum(shown))
    return first


def _chain(parent: Object, items: list[Object], shown: int) -> None:
    """Make `items` the children of `parent`; shown: how many items are then visible below it, as `/Count` says it."""
    for key in (Name.First, Name.Last, Name.Count):
        if key in parent:
            del parent[key]
    for index, item in enumerate(items):
        item.Parent = parent
        for key, other in ((Name.Prev, index - 1), (Name.Next, index + 1)):
            if 0 <= other < len(items):
                item[key] = items[other]
            elif key in item:
                del item[key]
    if items:
        parent.First, parent.Last = items[0], items[-1]
        parent.Count = shown


def _prune(
    parent: Object, known: Callable[[Object | None], bool], seen: set[tuple[int, int]], depth: int
) -> list[Object]:
    """Prunes below `parent`; its children that are left."""
    children = _children(parent, seen)
    kept = []
    for item in children:
        below = _prune(item, known, seen, depth + 1) if depth < _MOST_DEPTH else []
        target = target_of(item)
        if target is not None and not known(target):
            if not below:
                continue
            set_target(item, None)
        kept.append(item)
    if len(kept) < len(children) or depth >= _MOST_DEPTH:
        shown = sum(_shown(item) for item in kept)
        closed = depth > 0 and whole(parent.get(Name.Count)) < 0
        _chain(parent, kept, -shown if closed else shown)
    return kept


def _shown(item: Object) -> int:
    return 1 + max(0, whole(item.get(Name.Count)))


def _children(parent: Object, seen: set[tuple[int, int]]) -> list[Object]:
    found: list[Object] = []
    item = parent.get(Name.First)
    while isinstance(item, Dictionary) and item.is_indirect and item.objgen not in seen and len(seen) < _MOST_ITEMS:
        seen.add(item.objgen)
        found.append(item)
        item = item.get(Name.Next)
    return found
