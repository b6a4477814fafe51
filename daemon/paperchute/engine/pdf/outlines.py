"""Outlines (bookmarks; ISO 32000-1, 12.3.3): kept for the pages that are taken, dropped with the others."""

from __future__ import annotations

from collections.abc import Iterator

from pikepdf import Dictionary, Name, Object, Pdf

from paperchute.engine.pdf.destinations import Destinations, page_numbers, page_of

_MOST_ITEMS = 100_000  # an outline that refers to itself ends here


def append_outline(target: Pdf, source: Pdf, destinations: Destinations) -> None:
    """Add the source's outline below the target's, without items whose pages were not copied."""
    root = source.Root.get(Name.Outlines)
    if not isinstance(root, Dictionary) or not isinstance(root.get(Name.First), Dictionary):
        return
    for item in _walk(root):
        destinations.make_explicit(item)
        if Name.SE in item:
            del item.SE  # structure elements stay with their own document
    copy = target.copy_foreign(root if root.is_indirect else source.make_indirect(root))
    if Name.Outlines not in target.Root or Name.First not in target.Root.Outlines:
        target.Root.Outlines = copy
    else:
        _link(target.Root.Outlines, [*_children(target.Root.Outlines), *_children(copy)])
    prune_outline(target)


def prune_outline(pdf: Pdf) -> None:
    """Drop items that lead to pages which are not in the document and hold nothing that does."""
    root = pdf.Root.get(Name.Outlines)
    if not isinstance(root, Dictionary):
        return
    destinations = Destinations(pdf)
    pages = page_numbers(pdf)
    _prune(root, destinations, pages, 0)
    if Name.First not in root:
        del pdf.Root.Outlines


def _prune(parent: Object, destinations: Destinations, pages: dict[tuple[int, int], int], depth: int) -> int:
    """Prunes below `parent`; how many items are left there, at all depths."""
    kept, total = [], 0
    for item in _children(parent):
        below = _prune(item, destinations, pages, depth + 1) if depth < 64 else 0
        destinations.make_explicit(item)
        page = page_of(item)
        leads_nowhere = (Name.Dest in item or _goes(item)) and (page is None or page.objgen not in pages)
        if leads_nowhere and below == 0:
            continue
        if leads_nowhere:
            for key in (Name.Dest, Name.A):
                if key in item:
                    del item[key]
        kept.append(item)
        total += 1 + below
    _link(parent, kept)
    return total


def _goes(item: Object) -> bool:
    action = item.get(Name.A)
    return isinstance(action, Dictionary) and action.get(Name.S) == Name.GoTo


def _children(parent: Object) -> list[Object]:
    found: list[Object] = []
    seen: set[tuple[int, int]] = set()
    item = parent.get(Name.First)
    while isinstance(item, Dictionary) and item.objgen not in seen and len(found) < _MOST_ITEMS:
        seen.add(item.objgen)
        found.append(item)
        item = item.get(Name.Next)
    return found


def _walk(root: Object) -> Iterator[Object]:
    stack, count = _children(root), 0
    while stack and count < _MOST_ITEMS:
        item = stack.pop()
        count += 1
        yield item
        stack.extend(_children(item))


def _link(parent: Object, items: list[Object]) -> None:
    """Chain `items` as the children of `parent`, which is shown open."""
    for key in (Name.First, Name.Last, Name.Count):
        if key in parent:
            del parent[key]
    for index, item in enumerate(items):
        item.Parent = parent
        for key, other in ((Name.Prev, index - 1), (Name.Next, index + 1)):
            if key in item:
                del item[key]
            if 0 <= other < len(items):
                item[key] = items[other]
    if items:
        parent.First, parent.Last = items[0], items[-1]
        parent.Count = sum(1 + max(0, int(item.get(Name.Count, 0))) for item in items)
