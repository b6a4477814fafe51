"""Paragraphs with lines around them, and areas side by side: where their text and their lines stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.drawn import Area, Panel
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import Border, FlowPart, LayoutCell, LayoutPart, Place, Sides


@dataclass(frozen=True, slots=True)
class FrameSettings:
    """How word processors draw lines around text. Lengths are points."""

    most_space: float = 31.0
    """Between a line and the text, the most that Word takes (`w:space`, ECMA-376 part 1, 17.3.4)."""

    pen: tuple[float, float] = (0.25, 6.0)
    """How thin and thick such a line may be (`w:sz`, 17.3.4)."""


FRAMES = FrameSettings()


def place_in(place: Place, panel: Panel, text: Box, edges: tuple[float, float]) -> tuple[Place, Sides]:
    """A paragraph's place in its panel, and the panel's lines with their distances from the text.

    text: where the lines of the paragraph stand with their own room. edges: of the column.
    """
    box, sides = panel.box, panel.sides
    if panel.fill:  # only what lines go around has room beside its text
        edge = Border(panel.fill, FRAMES.pen[0])
        sides = Sides(*(side or edge for side in sides))
    left = _space(text.left - box.left) if sides.left else 0.0
    right = min(left, _space(box.right - text.right)) if sides.right else 0.0
    top = _space(text.top - box.top) if sides.top else 0.0
    bottom = _space(box.bottom - text.bottom) if sides.bottom else 0.0
    indent = box.left + left - edges[0]
    end = edges[1] - (box.right - right)
    before = place.before - top if sides.top else place.before
    spaced = Sides(*(_at(side, space) for side, space in zip(sides, (top, right, bottom, left), strict=True)))
    return replace(place, indent=indent, end=end, before=max(before, 0.0)), spaced


def _space(points: float) -> float:
    return min(max(points, 0.0), FRAMES.most_space)


def _at(side: Border | None, space: float) -> Border | None:
    if side is None:
        return None
    least, most = FRAMES.pen
    return Border(side.color, min(max(side.pen, least), most), space)


def is_seen(panel: Panel) -> bool:
    """Decide whether a panel has a colour or lines."""
    return bool(panel.fill or any(panel.sides))


def spans_of(areas: Sequence[Area], right: float) -> list[tuple[float, float]]:
    """Left and right of the cells of areas side by side. right: of the column.

    A panel is its own cell. Other text has the room at its sides, so that it is seen where in this its lines begin and
    end.
    """
    found: list[tuple[float, float]] = []
    for number, area in enumerate(areas):
        box = area.panel.box
        after = areas[number + 1] if number + 1 < len(areas) else None
        start, end = box.left, box.right
        if not is_seen(area.panel):
            if found:
                start = max(found[-1][1], box.left - TYPOGRAPHY.half * box.width)
            room = max(right, box.right) if after is None else after.panel.box.left
            end = room if after is None or is_seen(after.panel) else min(box.right + _spare(area), room)
            if found and after is not None:  # evenly at both sides, so that what is centred stays so
                more = max(min(box.left - start, room - box.right), 0.0)
                start, end = box.left - more, box.right + more
        found.append((start, max(end, start)))
    return found


def edges_of(areas: Sequence[Area], right: float) -> list[tuple[float, float]]:
    """Left and right of what stands in areas side by side. right: of the column.

    Text keeps half of its distance from a panel's left side on the right, where its lines may come out a little longer.
    """
    found = []
    for area, (start, end) in zip(areas, spans_of(areas, right), strict=True):
        text = hull(block.quad.box for block in area.blocks)
        needed = text.right + _spare(area)
        if is_seen(area.panel):
            inset = max(text.left - start, 0.0)
            found.append((text.left, max(end - TYPOGRAPHY.half * inset, min(needed, end))))
        else:
            found.append((start, max(min(needed, end), text.right)))
    return found


def _spare(area: Area) -> float:
    return MEASURES.spare_width * area.panel.box.width + MEASURES.letter


def layout(areas: Sequence[Area], parts: Sequence[Sequence[FlowPart]], left: float, right: float) -> LayoutPart:
    """Areas as the cells of a row; what lies between them is an empty cell. left, right: of the column."""
    cells: list[LayoutCell] = []
    whole = hull(area.panel.box for area in areas)
    before = areas[0].panel.box.left
    inner = edges_of(areas, right)
    for area, own, (start, end), (first, last) in zip(areas, parts, spans_of(areas, right), inner, strict=True):
        if start - before > MEASURES.rounding:
            cells.append(LayoutCell((), start - before))
        else:
            start = before
        sides = Sides(*(_at(side, 0.0) for side in area.panel.sides))
        margins = (max(first - start, 0.0), max(end - last, 0.0))
        cells.append(LayoutCell(tuple(own), end - start, area.panel.fill, sides, margins))
        before = end
    return LayoutPart(tuple(cells), whole.height, whole.left - left)
