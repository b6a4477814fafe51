"""What stands side by side, or in a panel: side bars, cards, boxes. It becomes the cells of a table without rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, BlockKind, Page, Shape
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY
from paperchute.engine.writing.office.drawn import Area, Arranged, Framed, Panel, Ruled, framed, on_ground
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import Border, Sides

_APART: frozenset[BlockKind] = frozenset({"footnote", "aside_text", "formula", "code"})
"""What keeps to itself: it may stand in a margin, or beside its own number."""


def arranged(flow: Sequence[Block], page: Page) -> list[Block]:
    """The blocks of a page's flow, those that stand in panels or side by side put together."""
    units = _in_panels(flow, panels_of(page, flow))
    return _gathered([_on_page(_with_inner(unit), page) if isinstance(unit, Area) else unit for unit in units])


def panels_of(page: Page, flow: Sequence[Block]) -> list[Panel]:
    """The panels of a page that hold text, the smallest first; those of its tables are the tables' own."""
    most = TYPOGRAPHY.nearly_all * page.width * page.height
    tables = [block.quad.box for block in flow if block.table is not None]
    areas = [
        shape
        for shape in page.shapes
        if min(shape.box.width, shape.box.height) >= MEASURES.line
        and shape.box.area <= most
        and not any(_holds(table.grown(MEASURES.rounding), shape.box) for table in tables)
    ]
    areas = areas[: MEASURES.most_shapes]
    thin = [shape for shape in page.shapes if min(shape.box.width, shape.box.height) <= MEASURES.line]
    thin = thin[: MEASURES.most_shapes]
    found = [
        Panel(shape.box, shape.fill, _edges(shape) if shape.edge else _sides(shape.box, thin))
        for shape in areas
        if shape.fill or shape.edge
    ]
    found += [
        Panel(box, "", _sides(box, thin))
        for box in _frames(thin)
        if not any(_holds(table.grown(MEASURES.rounding), box) for table in tables)
    ]
    used = [panel for panel in found if any(_holds(panel.box, block.quad.box) for block in flow if block.table is None)]
    return _different(sorted(used, key=lambda panel: panel.box.area))


def _on_page(area: Area, page: Page) -> Area:
    """The area, its panel as high as a table may be on the page, and with its text."""
    text = hull(block.quad.box for block in area.blocks)
    box = area.panel.box
    top, bottom = max(box.top, MEASURES.two_lines), min(box.bottom, page.height - 2 * MEASURES.two_lines)
    placed = box._replace(top=min(top, text.top), bottom=max(bottom, text.bottom))
    return replace(area, panel=replace(area.panel, box=placed))


def _different(panels: Iterable[Panel]) -> list[Panel]:
    """Of panels in one place, such as an area and its frame, one with what both have."""
    result: list[Panel] = []
    for panel in panels:
        same = next((n for n, other in enumerate(result) if _same(other.box, panel.box)), None)
        if same is None:
            result.append(panel)
        else:
            other = result[same]
            sides = other.sides if any(other.sides) else panel.sides
            result[same] = Panel(other.box, panel.fill or other.fill, sides)
    return result


def _same(one: Box, other: Box) -> bool:
    return all(abs(a - b) <= 2 * MEASURES.rounding for a, b in zip(one, other, strict=True))


def _holds(outer: Box, inner: Box) -> bool:
    slack = MEASURES.rounding
    return outer.holds(inner.left, inner.top, slack) and outer.holds(inner.right, inner.bottom, slack)


def _edges(shape: Shape) -> Sides:
    border = Border(shape.edge, shape.pen)
    return Sides(border, border, border, border)


def _sides(box: Box, thin: Sequence[Shape]) -> Sides:
    """The sides of an area along which something thin is drawn."""
    found: list[Border | None] = [None, None, None, None]
    for shape in thin:
        side = shape.box
        border = Border(shape.fill or shape.edge, max(min(side.width, side.height), shape.pen))
        if side.width >= side.height and abs(side.left - box.left) + abs(side.right - box.right) <= MEASURES.line:
            if abs(side.top - box.top) <= MEASURES.rounding:
                found[0] = border
            elif abs(side.bottom - box.bottom) <= MEASURES.rounding:
                found[2] = border
        elif side.height > side.width and abs(side.top - box.top) + abs(side.bottom - box.bottom) <= MEASURES.line:
            if abs(side.left - box.left) <= MEASURES.rounding:
                found[3] = border
            elif abs(side.right - box.right) <= MEASURES.rounding:
                found[1] = border
    return Sides(*found)


def _frames(thin: Sequence[Shape]) -> list[Box]:
    """The boxes of frames that are drawn side by side, four at a time."""
    flat = [shape.box for shape in thin if shape.box.width >= shape.box.height]
    tall = [shape.box for shape in thin if shape.box.height > shape.box.width]
    found = []
    for top in flat:
        below = [
            box
            for box in flat
            if box.top - top.bottom >= MEASURES.line
            and abs(box.left - top.left) <= MEASURES.rounding
            and abs(box.right - top.right) <= MEASURES.rounding
        ]
        if not below:
            continue
        bottom = min(below, key=lambda box: box.top)
        around = hull((top, bottom))
        at_sides = [
            any(
                abs(box.left - x) <= MEASURES.rounding + box.width
                and box.top <= around.top + MEASURES.rounding + top.height
                and box.bottom >= around.bottom - MEASURES.rounding - bottom.height
                for box in tall
            )
            for x in (around.left, around.right)
        ]
        if all(at_sides) and around.width >= MEASURES.line:
            found.append(around)
    return found


def _in_panels(flow: Sequence[Block], panels: Sequence[Panel]) -> list[Block | Area]:
    """The flow with the blocks that follow each other in one panel as one."""
    result: list[Block | Area] = []
    last: Panel | None = None
    for block in flow:
        outer = [panel for panel in panels if block.kind not in _APART and _holds(panel.box, block.quad.box)]
        panel = outer[-1] if outer else None
        before = result[-1] if result else None
        if panel is None:
            result.append(block)
        elif panel is last and isinstance(before, Area):
            result[-1] = replace(before, blocks=(*before.blocks, block))
        else:
            result.append(Area(panel, (block,)))
        last = panel
    return result


def _with_inner(area: Area) -> Area:
    return replace(area, blocks=tuple(_gathered(area.blocks)))


def _gathered(units: Sequence[Block | Area]) -> list[Block]:
    result: list[Block] = []
    number = 0
    while number < len(units):
        cells = _side_by_side(units[number : number + BOUNDS.beside])
        if cells:
            result.append(_stand_in([_area(cell) for cell in cells]))
            number += sum(map(len, cells))
        else:
            unit = units[number]
            result.append(_alone(unit) if isinstance(unit, Area) else unit)
            number += 1
    return result


def _stand_in(areas: Sequence[Area]) -> Arranged:
    return Arranged("text", Quad.of(hull(area.panel.box for area in areas)), areas=tuple(areas))


def _alone(area: Area) -> Block:
    """A panel that has nothing at its side: a paragraph with a frame, or several things in one."""
    block = area.blocks[0]
    if len(area.blocks) == 1 and block.lines and not isinstance(block, Framed | Ruled):
        return framed(block, area.panel)
    return _stand_in([area])


def bare(area: Area) -> tuple[Block, ...]:
    """The blocks of an area, whose words need not say that they stand on its colour."""
    fill = area.panel.fill
    return tuple(
        replace(
            block,
            lines=on_ground(fill, block.lines),
            items=tuple(replace(item, lines=on_ground(fill, item.lines)) for item in block.items),
        )
        for block in area.blocks
    )


def _side_by_side(units: Sequence[Block | Area]) -> list[list[Block | Area]]:
    """Return what stands side by side from the first unit on, column by column; nothing where nothing does."""
    if _is_apart(units[0]):
        return []
    cells: list[list[Block | Area]] = [[units[0]]]
    for unit in units[1:]:
        if _is_apart(unit):
            break
        box, boxes = _box(unit), [hull(map(_box, cell)) for cell in cells]
        over = [number for number, other in enumerate(boxes) if _overlap(box, other)]
        if not over and _is_left_of(boxes[-1], box) and _is_level(box, boxes[-1]):
            cells.append([unit])
        elif not over and _is_picture(unit) and _is_left_of(box, boxes[0]) and _is_level(box, boxes[0]):
            cells.insert(0, [unit])
        elif over == [len(cells) - 1] and box.top >= boxes[-1].bottom - MEASURES.rounding:
            below_all = box.top >= max(other.bottom for other in boxes)
            if (
                len(cells) > 1
                and below_all
                and (isinstance(cells[-1][-1], Area) or box.top > boxes[-1].bottom + MEASURES.two_lines)
            ):
                break
            cells[-1].append(unit)
        else:
            break
    return cells if 1 < len(cells) <= MEASURES.most_cells and _begins_here(cells) and _is_meant(cells) else []


def _is_picture(unit: Block | Area) -> bool:
    """Decide whether a unit is a picture without words, which may stand before what was read before it."""
    return isinstance(unit, Block) and unit.image is not None and not unit.lines


def _is_apart(unit: Block | Area) -> bool:
    return isinstance(unit, Block) and unit.kind in _APART


def _overlap(one: Box, other: Box) -> bool:
    """Decide whether one stands over or under the other."""
    return min(one.right, other.right) - max(one.left, other.left) > MEASURES.rounding


def _is_left_of(one: Box, other: Box) -> bool:
    return one.right <= other.left + MEASURES.rounding


def _is_level(box: Box, other: Box) -> bool:
    """Decide whether a part of one stands at the height of the other."""
    return min(box.bottom, other.bottom) - max(box.top, other.top) > MEASURES.rounding


def _begins_here(cells: Sequence[Sequence[Block | Area]]) -> bool:
    """Tell if the first column begins with its first unit, and no later one stands nearer to the top of the others."""
    top = min(_box(cell[0]).top for cell in cells[1:])
    nearest = min(cells[0], key=lambda unit: abs(_box(unit).top - top))
    return nearest is cells[0][0]


def _is_meant(cells: Sequence[Sequence[Block | Area]]) -> bool:
    """Tell whether columns are areas of their own, rather than those of one text, which have a width and no panels."""
    if any(len(cell) == 1 and isinstance(cell[0], Area) for cell in cells):
        return True
    widths = [hull(map(_box, cell)).width for cell in cells]
    short = max(sum(map(_count_lines, cell)) for cell in cells) < TYPOGRAPHY.short_text
    return short or max(widths) > TYPOGRAPHY.plainly_larger * min(widths)


def _count_lines(unit: Block | Area) -> int:
    blocks = unit.blocks if isinstance(unit, Area) else (unit,)
    return sum(len(block.lines) + sum(len(item.lines) for item in block.items) for block in blocks)


def _box(unit: Block | Area) -> Box:
    return unit.panel.box if isinstance(unit, Area) else unit.quad.box


def _area(cell: Sequence[Block | Area]) -> Area:
    """A column as one area; panels in it beside other text stay panels of their own in it."""
    first = cell[0]
    if len(cell) == 1 and isinstance(first, Area):
        return first
    blocks = tuple(_alone(unit) if isinstance(unit, Area) else unit for unit in cell)
    return Area(Panel(hull(map(_box, cell))), blocks)
