"""Tags (logical structure; ISO 32000-1, 14.7): the structure of every source is in the joined document.

A page's content names its structure elements by the page's number in the parent tree, so the numbers of each further
source are moved behind those that are taken.
"""

from __future__ import annotations

from collections.abc import Callable

from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

from paperchute.engine.pdf.trees import entry, read_names, read_numbers, tree, write_names, write_numbers

_MOST_DEPTH = 200
_MOST_NUMBER = 2**31


class Tags:
    """The structure of the joined document. Its sources' objects are in `pdf` already."""

    def __init__(self, pdf: Pdf) -> None:
        self._pdf = pdf
        self._numbers: dict[int, Object] = {}
        self._ids: dict[bytes, Object] = {}
        self._next = 0
        self._elements: list[Object] = []
        self._untagged = False

    def add(self, root: Object | None, pages: list[Object], *, partial: bool, language: str) -> None:
        """Take over the structure of one source, of which `pages` were taken; partial: there are others, too."""
        if not isinstance(root, Dictionary):
            self._untagged = True
            for page in pages:
                _Numbers(lambda _: None).visit(page)
            return
        numbers = read_numbers(entry(root, "/ParentTree"))
        offset, used = self._next, set()

        def moved(number: int) -> int:
            used.add(number)
            return number + offset

        walk = _Numbers(moved)
        for page in pages:
            walk.visit(page)
        moved_numbers = {n + offset: value for n, value in numbers.items() if n in used or not partial}
        self._numbers.update(moved_numbers)
        self._next = max(moved_numbers, default=offset - 1) + 1
        if partial:
            _prune(root, {page.objgen for page in pages})
        self._append(root, language)

    def finish(self) -> None:
        """Write what was gathered."""
        root = self._pdf.Root
        if "/StructTreeRoot" not in root:
            return
        root.StructTreeRoot.K = Array(self._elements)
        root.StructTreeRoot.ParentTree = write_numbers(self._pdf, self._numbers)
        root.StructTreeRoot.ParentTreeNextKey = self._next
        if self._ids:
            root.StructTreeRoot.IDTree = write_names(self._pdf, self._ids)
        if self._untagged:
            if not isinstance(entry(root, "/MarkInfo"), Dictionary):
                root.MarkInfo = Dictionary(Marked=True)
            root.MarkInfo.Suspects = True

    def _append(self, other: Object, language: str) -> None:
        ids = read_names(other.get(Name.IDTree))
        self._ids = {**ids, **self._ids}
        mine = self._pdf.Root.get(Name.StructTreeRoot)
        elements = _kids(other)
        self._elements += elements
        if not isinstance(mine, Dictionary):
            self._pdf.Root.StructTreeRoot = other
            return
        self._take_maps(mine, other, elements)
        for element in elements:
            element.P = mine
            if language and Name.Lang not in element:
                element.Lang = String(language)
        spaces = other.get(Name.Namespaces)
        if isinstance(spaces, Array):
            known = mine.get(Name.Namespaces)
            mine.Namespaces = Array([*(known if isinstance(known, Array) else []), *spaces])

    def _take_maps(self, mine: Object, other: Object, elements: list[Object]) -> None:
        """Names of roles and classes that mean something else in the other document get a number there."""
        renamed: dict[Name, dict[str, str]] = {}
        for key, used_as in ((Name.RoleMap, Name.S), (Name.ClassMap, Name.C)):
            theirs = other.get(key)
            if not isinstance(theirs, Dictionary):
                continue
            if not isinstance(mine.get(key), Dictionary):
                mine[key] = theirs
                continue
            for name in list(theirs.keys()):
                free, number = name, 2
                while free in mine[key] and mine[key][free] != theirs[name]:
                    free = f"{name}_{number}"
                    number += 1
                mine[key][free] = theirs[name]
                if free != name:
                    renamed.setdefault(used_as, {})[name] = free
        if renamed:
            for element in tree(elements, Name.K):
                for used_as, names in renamed.items():
                    _rename(element, used_as, names)


class _Numbers:
    """Rewrites the parent tree numbers of pages, their annotations and the forms that they draw."""

    def __init__(self, moved: Callable[[int], int | None]) -> None:
        self._moved = moved
        self._seen: set[tuple[int, int]] = set()

    def visit(self, page: Object) -> None:
        self._move(page, "/StructParents")
        notes = entry(page, "/Annots")
        if isinstance(notes, Array):
            for note in notes:
                if isinstance(note, Dictionary):
                    self._move(note, "/StructParent")
        self._forms(entry(page, "/Resources"), 0)

    def _forms(self, resources: Object | None, depth: int) -> None:
        if not isinstance(resources, Dictionary) or depth > _MOST_DEPTH or self._known(resources):
            return
        drawn = entry(resources, "/XObject")
        if not isinstance(drawn, Dictionary) or self._known(drawn):
            return
        for name in list(drawn.keys()):
            form = drawn[name]
            if isinstance(form, Stream) and not self._known(form):
                self._move(form, "/StructParents")
                self._move(form, "/StructParent")
                self._forms(entry(form, "/Resources"), depth + 1)

    def _known(self, item: Object) -> bool:
        if not item.is_indirect:
            return False
        if item.objgen in self._seen:
            return True
        self._seen.add(item.objgen)
        return False

    def _move(self, owner: Object, key: str) -> None:
        number = entry(owner, key)
        if number is None:
            return
        moved = self._moved(number) if isinstance(number, int) and 0 <= number < _MOST_NUMBER else None
        if moved is None:
            del owner[key]
        elif moved != number:
            owner[key] = moved


def _prune(root: Object, pages: set[tuple[int, int]]) -> None:
    """Drop elements without content on these pages: their words would be those of pages that were left out."""
    kept = [element for element in _kids(root) if _has_content(element, pages, 0)]
    root.K = Array(kept)
    if Name.IDTree in root:
        del root.IDTree  # leads to elements that are gone; it is of use to few, and not needed


def _has_content(element: Object, pages: set[tuple[int, int]], depth: int) -> bool:
    if depth > _MOST_DEPTH:
        return False
    own = element.get(Name.Pg)
    on_page = isinstance(own, Dictionary) and own.objgen in pages
    content = element.get(Name.K)
    kids = list(content) if isinstance(content, Array) else [content]
    kept: list[object] = []
    for kid in kids:
        if isinstance(kid, int):
            if on_page:
                kept.append(kid)
        elif isinstance(kid, Dictionary):
            if kid.get(Name.Type) in (Name.MCR, Name.OBJR):
                page = kid.get(Name.Pg)
                if (isinstance(page, Dictionary) and page.objgen in pages) or (page is None and on_page):
                    kept.append(kid)
            elif _has_content(kid, pages, depth + 1):
                kept.append(kid)
    if len(kept) < len(kids):
        element.K = Array(kept)
    return bool(kept)


def _kids(root: Object) -> list[Object]:
    found = root.get(Name.K)
    if isinstance(found, Array):
        return [kid for kid in found if isinstance(kid, Dictionary)]
    return [found] if isinstance(found, Dictionary) else []


def _rename(element: Object, key: Name, names: dict[str, str]) -> None:
    value = element.get(key)
    if isinstance(value, Name) and str(value) in names:
        element[key] = Name(names[str(value)])
    elif isinstance(value, Array):
        element[key] = Array([Name(names[str(v)]) if isinstance(v, Name) and str(v) in names else v for v in value])
