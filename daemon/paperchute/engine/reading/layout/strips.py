"""Parts of a page that are told before its columns: panels side by side, and strips whose columns differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Shape
from paperchute.engine.reading.layout.sides import Piece
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY

Bands = list[tuple[list[Piece], ...]]


@dataclass(frozen=True, slots=True)
class StripSettings:
    """What is read by itself. Lengths are points where nothing else is said."""

    slack: float = 2.0
    """By which a line may reach out of its panel. Pages in two columns change at 1 and at 3."""

    heading: float = 1.12
    """Times the size of the text: of a heading over the next strip. An Arabic page changes at 1.09."""


STRIPS = StripSettings()


def panels_of(shapes: Sequence[Shape], width: float, height: float) -> list[Box]:
    """The areas and frames of a page in which text may stand."""
    most = TYPOGRAPHY.most * width * height
    return [
        shape.box
        for shape in shapes[: BOUNDS.lines]
        if (shape.fill or shape.edge)
        and min(shape.box.width, shape.box.height) > 2 * TYPOGRAPHY.frame
        and shape.box.area < most
    ]


def panels_beside(pieces: Sequence[Piece], panels: Sequence[Box]) -> Bands:
    """The pieces in bands: those above the uppermost panel with something beside it, these, and those below; else none.

    What stands in one panel is read to its end.
    """
    for panel in sorted(panels, key=lambda box: box.top):
        inside = [piece for piece in pieces if _holds(panel, piece.box)]
        if sum(piece.line is not None for piece in inside) < TYPOGRAPHY.several or len(inside) == len(pieces):
            continue
        own = {id(piece) for piece in inside}
        level = [p for p in pieces if id(p) not in own and panel.top < p.box.center[1] < panel.bottom]
        left = [piece for piece in level if piece.box.right <= panel.left + STRIPS.slack]
        right = [piece for piece in level if piece.box.left >= panel.right - STRIPS.slack]
        if not level or len(left) + len(right) < len(level):
            continue
        sides = [side for side in (left, inside, right) if side]
        if any(sum(piece.line is not None for piece in side) < TYPOGRAPHY.several for side in sides):
            continue
        both = {id(piece) for side in sides for piece in side}
        above = [p for p in pieces if id(p) not in both and p.box.center[1] <= panel.top]
        below = [p for p in pieces if id(p) not in both and p.box.center[1] > panel.top]
        middle = (sides[0], sides[1]) if len(sides) == 2 else (sides[0], [*sides[1], *sides[2]])
        return [band for band in ((above,), middle, (below,)) if all(band)]
    return []


def masthead(pieces: Sequence[Piece]) -> Bands:
    """The pieces in bands where a name in large type has small lines at its sides: what is left of it comes first."""
    sizes = [piece.line.size for piece in pieces if piece.line]
    if not sizes:
        return []
    largest = max(sizes)
    names = [p for p in pieces if p.line and p.line.size == largest and p.line.chars >= TYPOGRAPHY.phrase]
    names = [p for p in names if p.box.top <= names[0].box.bottom + largest]
    if not names:
        return []
    name = hull(piece.box for piece in names)
    own = {id(piece) for piece in names}
    level = [p for p in pieces if id(p) not in own and name.top < p.box.center[1] < name.bottom]
    left = [piece for piece in level if piece.box.right <= name.left]
    right = [piece for piece in level if piece.box.left >= name.right]
    if not level or len(left) + len(right) < len(level) or any(p.line is None for p in level):
        return []
    if any(TYPOGRAPHY.display * p.line.size > largest for p in level if p.line):
        return []
    beside = {id(piece) for piece in level}
    if _go_on(level, [p for p in pieces if id(p) not in beside], largest):
        return []
    above = [p for p in pieces if id(p) not in own and id(p) not in beside and p.box.center[1] <= name.top]
    below = [p for p in pieces if id(p) not in own and id(p) not in beside and p.box.center[1] > name.top]
    middle = (left, [*names, *right]) if left else (names, right)
    return [band for band in ((above,), middle, (below,)) if all(band)]


def _go_on(lines: Sequence[Piece], others: Sequence[Piece], reach: float) -> bool:
    """Decide whether the text of some lines goes on above or below them, as that of a side bar does."""
    return any(
        min(piece.box.right, other.box.right) > max(piece.box.left, other.box.left)
        and other.box.top - reach < piece.box.center[1] < other.box.bottom + reach
        and other.line is not None
        and piece.line is not None
        and other.line.size < TYPOGRAPHY.display * piece.line.size
        for piece in lines
        for other in others
    )


def _holds(panel: Box, box: Box) -> bool:
    slack = STRIPS.slack
    return panel.holds(box.left, box.top, slack) and panel.holds(box.right, box.bottom, slack)


@dataclass(slots=True)
class _Strip:
    """Rows of pieces with columns at the same places; gutters: what is free in all of them, between columns."""

    rows: list[list[Piece]]
    gutters: list[tuple[float, float]]
    bottom: float = field(init=False)

    def __post_init__(self) -> None:
        self.bottom = max(piece.box.bottom for piece in self.rows[0])

    @property
    def pieces(self) -> list[Piece]:
        return [piece for row in self.rows for piece in row]


def strips(pieces: Sequence[Piece]) -> Bands:
    """The pieces parted across the page where columns of text end and other ones begin; else none."""
    rows = _rows(pieces)
    if not 2 * TYPOGRAPHY.few <= len(rows) <= BOUNDS.lines:
        return []
    found: list[_Strip] = []
    for row in rows:
        gaps = _gaps(row)
        if not found or not _take(found[-1], row, gaps):
            found.append(_Strip([row], gaps))
    parts = _joined(found)
    return [(part,) for part in parts] if len(parts) > 1 else []


def _take(strip: _Strip, row: list[Piece], gaps: list[tuple[float, float]]) -> bool:
    """Add a row to a strip that has its columns, or that still goes on beside it; whether it belongs to it."""
    common = strip.gutters
    if row[0].box.top >= strip.bottom - STRIPS.slack:  # else the page cannot be parted here
        if len(row) > 1:
            common = _common(strip.gutters, gaps) if strip.gutters else []
            if not common:
                return False
        elif strip.gutters and _crosses(row[0], strip.gutters):
            return False
    elif strip.gutters and len(row) > 1 and not any(_crosses(piece, strip.gutters) for piece in row):
        common = _common(strip.gutters, gaps) or common
    strip.rows.append(row)
    strip.gutters = common
    strip.bottom = max(strip.bottom, *(piece.box.bottom for piece in row))
    return True


def _joined(found: Sequence[_Strip]) -> list[list[Piece]]:
    """The strips, those that are no columns of text put to the one above; headings go to what they head."""
    parts: list[list[Piece]] = []
    texts = [_is_text(strip) for strip in found]
    if not any(texts):
        return []
    heads: list[Piece] = []
    for number, strip in enumerate(found):
        rows = list(strip.rows)
        after: list[Piece] = []
        while strip.gutters and len(rows) > 1 and _heads_next(rows, strip.pieces):
            after = [rows.pop()[0], *after]
        own = [*heads, *(piece for row in rows for piece in row)]
        heads = after
        begins = texts[number] or (number > 0 and texts[number - 1])
        if begins or not parts:
            parts.append(own)
        else:
            parts[-1] += own
    if sum(bool(strip.gutters) for strip in found) < 2 and not heads:  # a title over columns
        return []
    return [*parts, heads] if heads else parts


def _is_text(strip: _Strip) -> bool:
    """Decide whether a strip is columns of running text."""
    if not strip.gutters:
        return False
    pieces = strip.pieces
    box = hull(piece.box for piece in pieces)
    edges = [box.left, *(x for gutter in strip.gutters for x in gutter), box.right]
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        lines = [piece.line for piece in pieces if piece.line and left <= piece.box.center[0] <= right]
        if len(lines) < TYPOGRAPHY.few:
            return False
        if median(line.chars for line in lines) < TYPOGRAPHY.cell_chars:
            return False
        if median(line.right - line.left for line in lines) < TYPOGRAPHY.most * (right - left):
            return False
    return True


def _heads_next(rows: Sequence[Sequence[Piece]], pieces: Sequence[Piece]) -> bool:
    """Decide whether the last row is a heading alone, under all that stands before it."""
    piece, *others = rows[-1]
    above = max(other.box.bottom for row in rows[:-1] for other in row)
    if others or piece.box.top < above - STRIPS.slack:
        return False
    line = piece.line
    sizes = [other.line.size for other in pieces if other.line]
    return line is not None and bool(sizes) and line.size >= STRIPS.heading * median(sizes)


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces at the height of the first of them, from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.box.top):
        if rows and piece.box.center[1] < rows[-1][0].box.bottom:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.box.left) for row in rows]


def _gaps(row: Sequence[Piece]) -> list[tuple[float, float]]:
    found = []
    end = row[0].box.right
    for piece in row[1:]:
        if piece.box.left - end >= 2 * TYPOGRAPHY.frame:
            found.append((end, piece.box.left))
        end = max(end, piece.box.right)
    return found


def _common(one: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return what is free in both, where each gap of one meets one of the other; else nothing."""
    few, many = sorted((one, other), key=len)
    found = []
    for left, right in few:
        meets = [(max(left, a), min(right, b)) for a, b in many if min(right, b) - max(left, a) >= 2 * TYPOGRAPHY.frame]
        if not meets:
            return []
        found.append(meets[0])
    return found


def _crosses(piece: Piece, gutters: Sequence[tuple[float, float]]) -> bool:
    return any(piece.box.left < left and piece.box.right > right for left, right in gutters)
