"""Ways through a document: destinations and outlines (ISO 32000-1, 12.3.2 and 12.3.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import count

from pikepdf import Array, Dictionary, Name, Object, String

from paperchute.engine.pdf.trees import entry, whole


def explicit(destination: Object | None) -> Object | None:
    """The array that an unnamed destination, or the value of a named one, stands for."""
    if isinstance(destination, Dictionary):
        destination = entry(destination, "/D")
    return destination if isinstance(destination, Array) and len(destination) > 0 else None


def leads_to_page(destination: Object | None) -> bool:
    """Tell whether a destination's value leads to a page that is there: those of pages not taken have become null."""
    array = explicit(destination)
    return array is not None and isinstance(array[0], Dictionary)


def target_of(owner: Object) -> Object | None:
    """The destination of an annotation or outline item, named or not; None when it has none."""
    if "/Dest" in owner:
        return owner.Dest
    action = entry(owner, "/A")
    if isinstance(action, Dictionary) and entry(action, "/S") == Name.GoTo:
        return entry(action, "/D")
    return None


def drop_target(owner: Object) -> None:
    """Take an owner's destination away."""
    if Name.Dest in owner:
        del owner.Dest
    else:
        del owner.A


Place = tuple[Object, Name]
"""A dictionary that holds a destination, and its key there."""
_LEADING = {"/Dest", "/OpenAction", "/A", "/AA"}


def places_of(owner: Object) -> Iterator[Place]:
    """Find every place that holds a destination of an annotation, outline item, field, page or catalog.

    Looks through the actions that follow one another (12.6.2) and those of events; not at those into other documents.
    """
    if not _LEADING & owner.keys():
        return
    for key in (Name.Dest, Name.OpenAction):
        if key in owner and not (isinstance(owner[key], Dictionary) and "/S" in owner[key]):
            yield owner, key
    stack: list[object] = [entry(owner, "/A"), entry(owner, "/OpenAction")]
    events = entry(owner, "/AA")
    if isinstance(events, Dictionary):
        stack += [events[key] for key in list(events.keys())]
    seen: set[tuple[int, int]] = set()
    steps = 0
    while stack and steps < _MOST_ITEMS:
        action, steps = stack.pop(), steps + 1
        if isinstance(action, Array):
            stack += list(action)
        elif isinstance(action, Dictionary) and not (action.is_indirect and action.objgen in seen):
            seen.add(action.objgen)
            if entry(action, "/S") == Name.GoTo and "/D" in action:
                yield action, Name.D
            stack.append(entry(action, "/Next"))


class Names:
    """The named destinations of the joined document, all of them in `/Names /Dests`.

    The standard keeps the names of `/Dests` (PDF 1.1) and the strings of the name tree apart (12.3.2.3); readers look
    a name up in both, and by its text whatever its encoding, so in practice they are one name space.
    """

    def __init__(self) -> None:
        self.strings: dict[bytes, Object] = {}
        self._texts: set[str] = set()

    def add(
        self,
        strings: dict[bytes, Object],
        names: dict[bytes, Object],
        places: Iterable[Place],
        pages: Sequence[Object | None],
    ) -> None:
        """Take over a source's names, and let every destination of the source lead where it led there.

        A name that is taken gets a number. A page given by its number, as wkhtmltopdf writes it, becomes that page; a
        name that the source does not have leads nowhere, as it did, whatever other sources call so.

        Args:
            strings: The source's name tree.
            names: The source's `/Dests`, by `old_names`.
            places: Where its destinations stand.
            pages: Its pages in the joined document, by their index; None for one that is not taken.
        """
        theirs = {_text(key) for key in (*strings, *names)}
        new_strings = self._taken_over(strings, theirs, pages)
        new_names = self._taken_over({key: names[key] for key in names if key not in new_strings}, theirs, pages)
        done: set[tuple[int, int]] = set()
        for owner, key in places:
            if owner.is_indirect:
                if owner.objgen in done:
                    continue
                done.add(owner.objgen)
            target = owner[key]
            if isinstance(target, String):
                owner[key] = _renamed(bytes(target), new_strings, new_names)
            elif isinstance(target, Name):
                owner[key] = _renamed(_as_string(_bytes_of(target)), new_names, new_strings)
            else:
                _lead_to_pages(explicit(target), pages)

    def _taken_over(
        self, entries: dict[bytes, Object], theirs: set[str], pages: Sequence[Object | None]
    ) -> dict[bytes | str, bytes]:
        """Take over those that lead to a page; the new name of each, by its bytes and by its text."""

        def is_taken(name: bytes) -> bool:
            return _text(name) in self._texts or _text(name) in theirs

        renamed: dict[bytes | str, bytes] = {}
        for name, value in entries.items():
            _lead_to_pages(explicit(value), pages)
            if leads_to_page(value):
                text = _text(name)
                free = name if text not in self._texts else free_name(name, is_taken)
                self._texts.add(_text(free))
                self.strings[free] = value
                renamed[name] = free
                renamed.setdefault(text, free)
        return renamed


def _renamed(name: bytes, *entries: dict[bytes | str, bytes]) -> Object:
    """The new name in the first of the places where readers look that has it; a destination without page if none."""
    for known in entries:
        found = known.get(name) or known.get(_text(name))
        if found is not None:
            return String(found)
    return Array([None, Name.Fit])


def is_alive(destination: Object | None) -> bool:
    """Tell whether a destination that `Names` took over leads to a page of the document."""
    return isinstance(destination, String) or leads_to_page(destination)


def _lead_to_pages(array: Object | None, pages: Sequence[Object | None]) -> None:
    """Put the page into a destination that gives its number, which viewers follow; the first page's is 0."""
    if array is None or isinstance(array[0], bool) or not isinstance(array[0], int | Decimal):
        return
    number = int(array[0])
    array[0] = pages[number] if 0 <= number < len(pages) else None


def old_names(found: Object | None) -> dict[bytes, Object]:
    """The entries of `/Dests` (PDF 1.1), by the strings that mean the same."""
    if not isinstance(found, Dictionary):
        return {}
    return {_as_string(key[1:].encode(errors="surrogateescape")): found[key] for key in list(found.keys())}


def _bytes_of(name: Object) -> bytes:
    """The bytes of a name without its slash; they need not be any encoding's."""
    return _HEX.sub(lambda found: bytes([int(found[1], 16)]), name.unparse()[1:])


def _as_string(name: bytes) -> bytes:
    """The string that means what a name means, whose text is UTF-8 (7.3.5)."""
    try:
        return name if name.isascii() else bytes(String(name.decode()))
    except UnicodeDecodeError:
        return name


def _text(name: bytes) -> str:
    """Return what a name reads as, by which readers compare."""
    try:
        return str(String(name))
    except UnicodeDecodeError:  # one that claims an encoding it has not
        return name.decode("latin-1")


def free_name(name: bytes, is_taken: Callable[[bytes], bool]) -> bytes:
    """`name-2`, `name-3`, ...: the first that is not taken; in the encoding of the name."""
    wide = name.startswith(b"\xfe\xff")
    for number in count(2):
        suffix = f"-{number}"
        free = name + (suffix.encode("utf-16-be") if wide else suffix.encode())
        if not is_taken(free):
            break
    return free


_HEX = re.compile(rb"#([0-9a-fA-F]{2})")
_MOST_ITEMS = 200_000
_MOST_DEPTH = 64


def outline_items(root: Object | None) -> Iterator[Object]:
    """Every item of an outline, each once, in no particular order."""
    seen: set[tuple[int, int]] = set()
    stack: list[object] = [entry(root, "/First")] if isinstance(root, Dictionary) else []
    while stack and len(seen) < _MOST_ITEMS:
        item = stack.pop()
        if not isinstance(item, Dictionary) or not item.is_indirect or item.objgen in seen:
            continue
        seen.add(item.objgen)
        yield item
        stack += [entry(item, "/Next"), entry(item, "/First")]


def prune_outline(root: Object) -> None:
    """Drop items whose destination is not alive and that hold nothing whose is."""
    _prune(root, set(), 0)


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


def _prune(parent: Object, seen: set[tuple[int, int]], depth: int) -> list[Object]:
    """Prunes below `parent`; its children that are left."""
    children = _children(parent, seen)
    kept = []
    for item in children:
        below = _prune(item, seen, depth + 1) if depth < _MOST_DEPTH else []
        target = target_of(item)
        if target is not None and not is_alive(target):
            if not below:
                continue
            drop_target(item)
        kept.append(item)
    if len(kept) < len(children) or depth >= _MOST_DEPTH:
        shown = sum(_shown(item) for item in kept)
        closed = depth > 0 and whole(entry(parent, "/Count")) < 0
        _chain(parent, kept, -shown if closed else shown)
    return kept


def _shown(item: Object) -> int:
    return 1 + max(0, whole(entry(item, "/Count")))


def _children(parent: Object, seen: set[tuple[int, int]]) -> list[Object]:
    found: list[Object] = []
    item = entry(parent, "/First")
    while isinstance(item, Dictionary) and item.is_indirect and item.objgen not in seen and len(seen) < _MOST_ITEMS:
        seen.add(item.objgen)
        found.append(item)
        item = entry(item, "/Next")
    return found
