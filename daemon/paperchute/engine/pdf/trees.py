"""Trees: walked whole, however they are knotted; name and number trees (ISO 32000-1, 7.9.6, 7.9.7) read and written.

pikepdf's own trees stop at the first fault; files from outside have faults, and one bad node must not lose the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

_LEAF = 64  # entries a node
_MOST_NODES = 1_000_000


def whole(value: object, default: int = 0) -> int:
    """A whole number of a document from outside, where it is one."""
    return value if isinstance(value, int) and abs(value) < 2**31 else default


def entry(owner: Object, key: str | Name) -> Object | None:
    """Return what `owner.get(key)` gives, for what is asked of every page: pikepdf raises in C++ where there is none.

    That takes ten times as long as the question whether there is one.
    """
    return owner[key] if key in owner else None  # noqa: SIM401 - see above


def read_names(tree: Object | None) -> dict[bytes, Object]:
    """The entries of a name tree; of a name that stands twice, the first."""
    found: dict[bytes, Object] = {}
    for key, value in _entries(tree, Name.Names):
        if isinstance(key, String):
            found.setdefault(bytes(key), value)
    return found


def read_numbers(tree: Object | None) -> dict[int, Object]:
    """The entries of a number tree with keys from 0; of a number that stands twice, the first."""
    found: dict[int, Object] = {}
    for key, value in _entries(tree, Name.Nums):
        if isinstance(key, int) and key >= 0:
            found.setdefault(key, value)
    return found


def write_names(pdf: Pdf, entries: Mapping[bytes, Object]) -> Object:
    """A name tree, in the order that readers search by."""
    return _written(pdf, Name.Names, [(String(key), entries[key]) for key in sorted(entries)])


def write_numbers(pdf: Pdf, entries: Mapping[int, Object]) -> Object:
    """A number tree."""
    return _written(pdf, Name.Nums, [(key, entries[key]) for key in sorted(entries)])


def tree(roots: Iterable[object], kids: Name) -> Iterator[Object]:
    """All dictionaries of a tree in their order, each once."""
    stack = list(roots)[::-1]
    seen: set[tuple[int, int]] = set()
    while stack and len(seen) < _MOST_NODES:
        node = stack.pop()
        if not isinstance(node, Dictionary):
            continue
        if node.is_indirect:
            if node.objgen in seen:
                continue
            seen.add(node.objgen)
        yield node
        below = entry(node, kids)
        if isinstance(below, Array):
            stack.extend(reversed(list(below)))


def fields_of(form: Object | None) -> Iterator[Object]:
    """All fields and widgets of a form (12.7.2)."""
    roots = entry(form, "/Fields") if isinstance(form, Dictionary) else None
    return tree(roots if isinstance(roots, Array) else [], Name.Kids)


def own_parts(item: Object) -> Iterator[Object]:
    """The dictionaries and streams of one object that belong to it alone."""
    stack = [item]
    while stack:
        part = stack.pop()
        if isinstance(part, Array):
            below = list(part)
        else:
            yield part
            below = [part[key] for key in list(part.keys())]
        stack += [found for found in below if isinstance(found, Dictionary | Array) and not found.is_indirect]


def _entries(root: Object | None, leaf: Name) -> Iterator[tuple[object, Object]]:
    for node in tree([root], Name.Kids):
        pairs = entry(node, leaf)
        if isinstance(pairs, Array):
            flat = list(pairs)
            yield from zip(flat[0::2], flat[1::2], strict=False)


def _written(pdf: Pdf, leaf: Name, entries: Sequence[tuple[String | int, Object]]) -> Object:
    if len(entries) <= _LEAF:
        return pdf.make_indirect(Dictionary({str(leaf): _flat(entries)}))
    nodes = []
    for start in range(0, len(entries), _LEAF):
        part = entries[start : start + _LEAF]
        limits = Array([part[0][0], part[-1][0]])
        nodes.append(pdf.make_indirect(Dictionary({str(leaf): _flat(part), "/Limits": limits})))
    while len(nodes) > _LEAF:
        groups = [nodes[start : start + _LEAF] for start in range(0, len(nodes), _LEAF)]
        nodes = [
            pdf.make_indirect(Dictionary(Kids=Array(g), Limits=Array([g[0].Limits[0], g[-1].Limits[1]])))
            for g in groups
        ]
    return pdf.make_indirect(Dictionary(Kids=Array(nodes)))


def _flat(entries: Sequence[tuple[String | int, Object]]) -> Array:
    return Array([item for entry in entries for item in entry])
