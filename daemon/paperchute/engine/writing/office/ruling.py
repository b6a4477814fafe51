"""Rules of a page that are no table's: under headings, above and between paragraphs, and to write on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import Box, Quad, hull
from paperchute.engine.document.model import Block, Line, Page, Shape, Span
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.drawn import Framed, Panel, Ruled, framed
from paperchute.engine.writing.office.leading import size_of
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.panels import panels_of
from paperchute.engine.writing.office.parts import NO_SIDES, Border, Stop

_Row = list[Shape]


def ruled(flow: Sequence[Block], page: Page) -> list[Block]:
    """The flow with the page's rules: along paragraphs, beside words, and as lines of their own to write on."""
    result = list(flow)
    rows = _rows(page, flow)
    over_notes = rules_over(page, [block.quad.box for block in flow if block.kind == "footnote"])
    text = hull(block.quad.box for block in flow) if flow else Box(0.0, 0.0, page.width, page.height)
    for number, row in enumerate(rows):
        alone = not any(_follow(row, other) for other in rows[max(number - 1, 0) : number + 2] if other is not row)
        if len(row) == 1 and _under(result, row[0]):
            continue
        if row[0] in over_notes:
            _insert_over_notes(result, row)
            continue
        place = _beside_words(result, row)
        if place is not None:
            at, line = place
            result[at : at + 1] = _parted_at(result[at], line, row)
        elif len(row) > 1 or not _over(result, row[0], text):
            _insert(result, row, text, alone=alone)
    return result


def rules_over(page: Page, notes: Sequence[Box]) -> list[Shape]:
    """The rules that part footnotes from the text above them: no table's, and no side of a box."""
    tables = [block.quad.box.grown(TYPOGRAPHY.frame) for block in page.blocks if block.table is not None]
    tall = [shape.box for shape in page.shapes if shape.box.width <= TYPOGRAPHY.frame < shape.box.height]
    return [
        shape
        for shape in _flat(page)
        if any(_is_over(shape.box, box) and _is_right_over(shape.box, box) for box in notes)
        and not any(table.holds(*shape.box.center) for table in tables)
        and not any(_meets(shape.box, box) for box in tall[: MEASURES.most_shapes])
    ]


def _is_right_over(rule: Box, note: Box) -> bool:
    return -MEASURES.rounding <= note.top - rule.bottom <= MEASURES.two_lines


def _flat(page: Page) -> list[Shape]:
    """Return what lies on a page like a rule."""
    return [
        shape
        for shape in page.shapes
        if shape.box.height <= TYPOGRAPHY.frame
        and shape.box.width >= MEASURES.shortest_rule
        and (shape.fill or shape.edge)
    ][: MEASURES.most_shapes]


def _rows(page: Page, flow: Sequence[Block]) -> list[_Row]:
    """The rules that are neither a table's, nor a panel's, nor of the page's head or foot, by their height."""
    tables = [block.quad.box.grown(TYPOGRAPHY.frame) for block in flow if block.table is not None]
    panels = [panel.box.grown(TYPOGRAPHY.frame) for panel in panels_of(page, flow)]
    tall = [s.box for s in page.shapes if s.box.width <= TYPOGRAPHY.frame and s.box.height > 2 * TYPOGRAPHY.frame][
        : MEASURES.most_shapes
    ]
    feet = [block.quad.box for block in page.blocks if block.kind in ("footer", "number", "footer_image")]
    heads = [block.quad.box for block in page.blocks if block.kind in ("header", "header_image")]
    top = min((block.quad.box.top for block in flow), default=0.0)
    bottom = max((block.quad.box.bottom for block in flow), default=page.height)
    rows: list[_Row] = []
    for shape in sorted(_flat(page), key=lambda shape: (shape.box.center[1], shape.box.left)):
        x, y = shape.box.center
        if any(table.holds(x, y) for table in tables) or any(_is_side(shape.box, panel) for panel in panels):
            continue
        if (y > bottom and any(box.top > y for box in feet)) or (y < top and any(box.bottom < y for box in heads)):
            continue
        if any(_meets(shape.box, box) for box in tall):
            continue
        if rows and abs(rows[-1][0].box.center[1] - y) <= MEASURES.rounding:
            if shape.box.left >= rows[-1][-1].box.right - MEASURES.rounding:
                rows[-1].append(shape)
        else:
            rows.append([shape])
    return [row for row in rows if not any(_is_underline(row, line) for block in flow for line in block.lines)]


def _follow(row: _Row, other: _Row) -> bool:
    """Decide whether two rows of rules are alike and near each other, as those to write on."""
    a, b = row[0].box, other[0].box
    return (
        abs(a.left - b.left) + abs(a.right - b.right) <= 2 * MEASURES.rounding
        and abs(a.top - b.top) <= MEASURES.half_inch
    )


def _is_side(rule: Box, panel: Box) -> bool:
    """Decide whether a rule is the upper or lower side of a panel."""
    near = min(abs(rule.center[1] - panel.top), abs(rule.center[1] - panel.bottom)) <= 2 * TYPOGRAPHY.frame
    return near and panel.left <= rule.left and rule.right <= panel.right


def _meets(rule: Box, box: Box) -> bool:
    """Decide whether an upright line begins or ends at a rule, or crosses it: both are parts of a drawing or a comb."""
    reach = MEASURES.rounding
    return (
        box.top - reach <= rule.center[1] <= box.bottom + reach
        and rule.left - reach <= box.center[0] <= rule.right + reach
    )


def _is_underline(row: _Row, line: Line) -> bool:
    """Decide whether a rule is drawn under words, or through them."""
    box = line.quad.box
    reach = 2 * MEASURES.rounding
    return any(
        box.top < shape.box.center[1] < box.bottom + MEASURES.rounding
        and shape.box.left >= box.left - reach
        and shape.box.right <= box.right + reach
        and not any(gap.left - reach <= shape.box.left and shape.box.right <= gap.right + reach for gap in line.gaps)
        for shape in row
    )


def _words_of(line: Line) -> list[tuple[float, float]]:
    """Return where words stand in a line, from gap to gap."""
    box = line.quad.box
    starts = [box.left, *(gap.right for gap in line.gaps)]
    ends = [*(gap.left for gap in line.gaps), box.right]
    return list(zip(starts, ends, strict=True))


def _beside_words(flow: Sequence[Block], row: _Row) -> tuple[int, Line] | None:
    """The number of the block, and its line, that has words in a row of rules and none on them."""
    y = row[0].box.center[1]
    for number, block in enumerate(flow):
        if block.kind != "text" or isinstance(block, Ruled):
            continue
        for line in block.lines:
            box = line.quad.box
            if line.quad.angle or not box.top + box.height / 2 < y < box.bottom + box.height / 2:
                continue
            words = _words_of(line)
            if not any(_is_label(shape.box, start, end) for shape in row for start, end in words):
                continue
            if all(
                shape.box.right <= start + MEASURES.rounding or shape.box.left >= end - MEASURES.rounding
                for shape in row
                for start, end in words
            ):
                return number, line
    return None


def _is_label(rule: Box, start: float, end: float) -> bool:
    """Decide whether words stand right before a rule, or right behind it."""
    return (
        -MEASURES.rounding <= rule.left - end <= MEASURES.half_inch
        or -MEASURES.rounding <= start - rule.right <= MEASURES.half_inch
    )


def _parted_at(block: Block, line: Line, row: _Row) -> list[Block]:
    """A block, the line with rules as one of its own."""
    at = next(number for number, other in enumerate(block.lines) if other is line)
    rules = tuple((shape.box.left, shape.box.right) for shape in row)
    box = hull(
        [line.quad.box, *(shape.box._replace(top=line.quad.box.top, bottom=line.quad.box.bottom) for shape in row)]
    )
    made: list[Block] = []
    for lines in (block.lines[:at], block.lines[at + 1 :]):
        quad = Quad.of(hull(other.quad.box for other in lines)) if lines else block.quad
        made.append(replace(block, lines=lines, quad=quad, continues=block.continues and not made))
    own = Ruled("text", Quad.of(box), (replace(line, ends="hard"),), rules=rules, continues=block.continues and at == 0)
    return [one for one in (made[0], own, replace(made[1], continues=False)) if one.lines]


def _under(flow: list[Block], shape: Shape) -> bool:
    """Put a rule under the paragraph right above it; whether there is one."""
    rule = shape.box
    y = rule.center[1]
    above = _nearest(flow, rule, lambda box: y - box.bottom)
    if above is not None:
        block = flow[above]
        box = Box(rule.left, block.quad.box.top, rule.right, y)
        flow[above] = framed(block, Panel(box, "", NO_SIDES._replace(bottom=_border(shape))))
    return above is not None


def _border(shape: Shape) -> Border:
    return Border(shape.fill or shape.edge, max(shape.box.height, shape.pen))


def _over(flow: list[Block], shape: Shape, text: Box) -> bool:
    """Put a rule over the paragraph right below it; whether there is one, and it is none to sign on."""
    rule = shape.box
    y = rule.center[1]
    below = _nearest(flow, rule, lambda box: box.top - y)
    if below is None or rule.width < TYPOGRAPHY.most * text.width:
        return False
    block = flow[below]
    flow[below] = framed(
        block, Panel(Box(rule.left, y, rule.right, block.quad.box.bottom), "", NO_SIDES._replace(top=_border(shape)))
    )
    return True


def _nearest(flow: Sequence[Block], rule: Box, distance: Callable[[Box], float]) -> int | None:
    """The number of the paragraph at a rule that reaches over all of its width."""
    for number, block in enumerate(flow):
        box = block.quad.box
        if type(block) is not Block or not block.lines or block.table is not None:
            continue
        most = max(TYPOGRAPHY.em * size_of(block.lines), MEASURES.line / 2)
        wide = rule.left <= box.left + 2 * MEASURES.rounding and rule.right >= box.right - 2 * MEASURES.rounding
        shared = any(
            other is not block
            and _is_over(other.quad.box, rule)
            and min(other.quad.box.bottom, box.bottom) - max(other.quad.box.top, box.top) > MEASURES.rounding
            for other in flow
        )
        if wide and not shared and -2 * MEASURES.rounding <= distance(box) <= most:
            return number
    return None


def _insert(flow: list[Block], row: _Row, text: Box, *, alone: bool) -> None:
    """Put rules that nothing is written on into the flow, under what stands above them.

    alone: there is no other one near, so that it may part texts.
    """
    box = hull(shape.box for shape in row)
    y = box.center[1]
    above = [
        n
        for n, block in enumerate(flow)
        if block.quad.box.bottom <= y + MEASURES.rounding and _is_over(block.quad.box, box)
    ]
    top = max((flow[n].quad.box.bottom for n in above), default=text.top)
    if not text.left - MEASURES.half_inch <= box.center[0] <= text.right + MEASURES.half_inch:
        return
    if alone and _is_line(row, text):
        place = Box(box.left, y - MEASURES.least, box.right, y)
        sides = NO_SIDES._replace(bottom=_border(row[0]))
        flow.insert(max(above, default=-1) + 1, Framed("text", Quad.of(place), panel=Panel(place, "", sides)))
        return
    rules = tuple((shape.box.left, shape.box.right) for shape in row)
    place = Box(box.left, max(y - MEASURES.line, min(top, y)), box.right, y + MEASURES.rounding)
    made = Ruled("text", Quad.of(place), rules=rules)
    flow.insert(max(above, default=-1) + 1, made)


def _insert_over_notes(flow: list[Block], row: _Row) -> None:
    """Put a rule before the first footnote below it, with which it stands aside of the text."""
    box = hull(shape.box for shape in row)
    at = next(n for n, block in enumerate(flow) if block.kind == "footnote" and block.quad.box.bottom > box.top)
    place = box._replace(top=box.bottom - MEASURES.least)
    sides = NO_SIDES._replace(bottom=_border(row[0]))
    flow.insert(at, Framed("footnote", Quad.of(place), panel=Panel(place, "", sides)))


def _is_line(row: _Row, text: Box) -> bool:
    """Decide whether a rule goes over all of the text, so that it parts what stands above from what stands below."""
    return len(row) == 1 and row[0].box.width >= TYPOGRAPHY.nearly_all * text.width


def _is_over(one: Box, other: Box) -> bool:
    return min(one.right, other.right) > max(one.left, other.left)


def with_rules(block: Ruled, edges: tuple[float, float]) -> tuple[tuple[Line, ...], tuple[Stop, ...]]:
    """The line of a block with tabs that lead along its rules, and where these go."""
    left = edges[0]
    line = block.lines[0] if block.lines else None
    words = _words_of(line) if line is not None else []
    stops: list[Stop] = []
    tabs: list[str] = []  # before each word or group of words, and at the end
    free = list(block.rules)
    at = left
    for start, end in [*words, (float("inf"), 0.0)]:
        found = ""
        for rule in [rule for rule in free if rule[1] <= start + MEASURES.rounding]:
            free.remove(rule)
            if (rule[0] > at + MEASURES.letter and not (words and at > left)) or rule[0] > at + MEASURES.half_inch:
                stops.append(Stop(rule[0] - left, "left"))
                found += "\t"
            stops.append(Stop(rule[1] - left, "right", leader=True))
            found += "\t"
            at = rule[1]
        if start != float("inf") and tabs:
            stops.append(Stop(start - left, "left"))
            found += "\t"
        tabs.append(found)
        at = end
    if line is None:
        return (Line(block.quad, (Span(tabs[-1]),)),), tuple(stops)
    return (replace(line, spans=_tabbed(line, tabs)),), tuple(stops)


def _led(tabs: str) -> str:
    """A space before tabs, as a rule begins behind the words."""
    return f" {tabs}" if tabs else ""


def _tabbed(line: Line, tabs: Sequence[str]) -> tuple[Span, ...]:
    """The spans of a line with tabs before it, in its gaps and at its end."""
    places = dict(zip((gap.at for gap in line.gaps), tabs[1:], strict=False))
    found: list[Span] = []
    at = 0
    for span in line.spans:
        text = "".join(_led(places[at + n]) if at + n in places else character for n, character in enumerate(span.text))
        found.append(replace(span, text=text))
        at += len(span.text)
    found[0] = replace(found[0], text=tabs[0] + found[0].text)
    found[-1] = replace(found[-1], text=found[-1].text.rstrip(" ") + _led(tabs[-1]))
    return tuple(found)
