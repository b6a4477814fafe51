"""Outlines (bookmarks; ISO 32000-1, 12.3.3): one below the other, without items that lead to pages not taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pikepdf import Dictionary, Name, Object

from paperchute.engine.pdf.destinations import set_target, target_of
from paperchute.engine.pdf.trees import whole

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
