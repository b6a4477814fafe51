"""How a paragraph stands in its column, read from where its lines were printed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Line, ListItem, Style
from paperchute.engine.writing.office.fonts import SANS, STANDARD, text_width
from paperchute.engine.writing.office.parts import Align, Place

_EVEN = 2.5
"""Points by which edges may differ and still be meant to be the same."""
_MOST_BEFORE = 60.0


def place_of(block: Block, edges: tuple[float, float], above: float | None, usual: float) -> Place:
    """Alignment, indents and space.

    edges: of the column. above: the bottom of what stands above in it, None at its top. usual: the document's own
    pitch (`pitch_of`); what it puts between lines needs no extra space.
    """
    left, right = edges
    box = block.quad.box
    lines = [line for line in block.lines if line.quad.box.width > 0]
    size = size_of(lines) or 10.0
    pitch = pitch_of(lines)
    leading = ((pitch or usual) - 1) * size
    before = 0.0 if above is None else min(max(box.top - above - leading, 0.0), _MOST_BEFORE)
    if not lines:
        return Place(before=before)
    align = _align([line.quad.box for line in lines], left, right, size)
    if align in ("center", "right"):
        return Place(align, before=before, pitch=pitch)
    rest = [line.quad.box.left for line in lines[1:]] or [lines[0].quad.box.left]
    start = min(rest)
    indent = start - left if _EVEN < start - left < 0.6 * (right - left) else 0.0
    first = lines[0].quad.box.left - start
    first = first if len(lines) > 1 and _EVEN < abs(first) < 0.3 * (right - left) else 0.0
    return Place(align, indent, first, before, pitch)


def text_starts(items: Sequence[ListItem], usual: str) -> list[float]:
    """Where the text of each item begins after its marker, in the page's x: under it its further lines begin too.

    Items of one line begin where others of their level do, else a marker's width to the right. usual: the font family.
    """
    known: dict[int, float] = {}
    for item in items:
        starts = [line.quad.box.left for line in item.lines[1:]]
        if starts and min(starts) > item.quad.box.left + 3:
            known.setdefault(item.level, min(starts) - item.quad.box.left)
    found = []
    for item in items:
        size = size_of(item.lines) or 10.0
        marker = text_width(item.marker, Style(size=size), usual if usual in STANDARD else SANS) + 0.35 * size
        found.append(item.quad.box.left + max(known.get(item.level, 0.0), marker))
    return found


def align_of(box: Box, left: float, right: float) -> Align:
    """Of something without lines, such as a picture: where it lies between the edges."""
    before, after = box.left - left, right - box.right
    if before > 6 and abs(before - after) < max(6.0, 0.06 * (right - left)):
        return "center"
    return "right" if before > 6 and abs(after) < 4 else "left"


def size_of(lines: Sequence[Line]) -> float:
    """The font size most characters have, 0 when none is known."""
    weights: dict[float, int] = {}
    for line in lines:
        for span in line.spans:
            if not span.style.script:
                size = round(span.style.size * 2) / 2
                weights[size] = weights.get(size, 0) + len(span.text)
    return max(weights, key=lambda size: weights[size]) if weights else 0.0


def pitch_of(lines: Sequence[Line]) -> float:
    """From line to line as a multiple of the font size; 0 where there are too few lines to tell."""
    size = size_of(lines)
    tops = [line.quad.box.bottom for line in lines]
    steps = [b - a for a, b in pairwise(tops) if b - a > 0.5 * size]
    return median(steps) / size if steps and size > 0 else 0.0


def _align(boxes: Sequence[Box], left: float, right: float, size: float) -> Align:
    width = right - left
    middles = [(box.left + box.right) / 2 - (left + right) / 2 for box in boxes]
    starts = [box.left - left for box in boxes]
    ends = [right - box.right for box in boxes]
    slack = max(_EVEN, 0.01 * width)
    if all(abs(middle) < slack for middle in middles) and max(starts) > max(size, 0.04 * width):
        return "center"
    if all(abs(end) < slack for end in ends) and min(starts) > 0.1 * width and (len(boxes) == 1 or _spread(starts)):
        return "right"
    inner = ends[:-1]
    if len(inner) >= 2 and max(inner) - min(inner) < _EVEN and ends[-1] > -_EVEN and min(inner) < 0.12 * width:
        return "both"
    return "left"


def _spread(values: Sequence[float]) -> bool:
    return max(values) - min(values) > _EVEN
