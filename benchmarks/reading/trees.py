"""Ordered trees and how far apart two of them are."""

from __future__ import annotations

from dataclasses import dataclass, field

from rapidfuzz.distance import Levenshtein

_MOST_EXACT = 300_000
"""Up to this product of two sizes the distance is exact; above it the level-wise upper bound stands in."""


@dataclass(slots=True)
class Node:
    """A node; `span` is (columns, rows) of a table cell."""

    tag: str
    span: tuple[int, int] = (1, 1)
    text: str = ""
    children: list[Node] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Nodes of the whole tree."""
        return 1 + sum(child.size for child in self.children)


def similarity(a: Node, b: Node, with_text: bool = True) -> float:
    """1 - distance / nodes of the larger tree, from 0 to 1.

    Inserting or deleting a node costs 1; renaming costs 1 where tag or span differ, else the normalised Levenshtein
    distance of the texts (0 without texts).
    """
    m, n = a.size, b.size
    distance = exact_distance if m * n <= _MOST_EXACT else level_distance
    return max(0.0, 1.0 - distance(a, b, with_text) / max(m, n))


def exact_distance(a: Node, b: Node, with_text: bool) -> float:
    """The ordered tree edit distance (Zhang and Shasha 1989)."""
    nodes_a, left_a, roots_a = _flat(a)
    nodes_b, left_b, roots_b = _flat(b)
    costs = [[_renaming(x, y, with_text) for y in nodes_b] for x in nodes_a]
    trees = [[0.0] * len(nodes_b) for _ in nodes_a]
    for i in roots_a:
        for j in roots_b:
            first, second = left_a[i], left_b[j]
            forest = [[float(y) for y in range(j - second + 2)]]
            for x in range(1, i - first + 2):
                p = first + x - 1
                row = [float(x)]
                for y in range(1, j - second + 2):
                    q = second + y - 1
                    best = min(forest[x - 1][y], row[y - 1]) + 1.0
                    if left_a[p] == first and left_b[q] == second:
                        trees[p][q] = best = min(best, forest[x - 1][y - 1] + costs[p][q])
                    else:
                        best = min(best, forest[left_a[p] - first][left_b[q] - second] + trees[p][q])
                    row.append(best)
                forest.append(row)
    return trees[-1][-1]


def level_distance(a: Node, b: Node, with_text: bool) -> float:
    """An edit distance in which a node may only answer one of its own level.

    An upper bound of the exact one, the same for all but odd tables, and quick for large ones.
    """
    own = _renaming(a, b, with_text)
    if not a.children or not b.children:
        return own + sum(child.size for child in (*a.children, *b.children))
    sizes = [child.size for child in b.children]
    row = [0.0]
    for size in sizes:
        row.append(row[-1] + size)
    for gone in a.children:
        cost = gone.size
        new = [row[0] + cost]
        for n, other in enumerate(b.children):
            best = min(row[n + 1] + cost, new[n] + sizes[n])
            if row[n] < best:
                best = min(best, row[n] + level_distance(gone, other, with_text))
            new.append(best)
        row = new
    return own + row[-1]


def _renaming(a: Node, b: Node, with_text: bool) -> float:
    if a.tag != b.tag or a.span != b.span:
        return 1.0
    return Levenshtein.normalized_distance(a.text, b.text) if with_text and a.text != b.text else 0.0


def _flat(root: Node) -> tuple[list[Node], list[int], list[int]]:
    """Nodes in postorder, the number of each one's leftmost leaf, and the key roots."""
    order: list[Node] = []
    left: list[int] = []

    def walk(node: Node) -> int:
        leaves = [walk(child) for child in node.children]
        order.append(node)
        left.append(leaves[0] if leaves else len(order) - 1)
        return left[-1]

    walk(root)
    return order, left, sorted({leaf: n for n, leaf in enumerate(left)}.values())
