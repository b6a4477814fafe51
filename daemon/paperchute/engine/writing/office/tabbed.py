"""Lines with parts at the right: a date, an amount, a second signature. Each is a paragraph with tab stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from paperchute.engine.document.geometry import Quad, hull
from paperchute.engine.document.model import Block, Line, Span
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.parts import Stop


def parted(block: Block) -> list[Block]:
    """The block, its lines with parts at the right as blocks of their own: no other line goes on with them."""
    if block.kind != "text" or not any(map(is_tabbed, block.lines)):
        return [block]
    groups: list[list[Line]] = []
    for line in block.lines:
        if groups and not is_tabbed(line) and not is_tabbed(groups[-1][-1]):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [
        replace(
            block,
            lines=tuple(lines),
            quad=Quad.of(hull(line.quad.box for line in lines)),
            continues=block.continues and number == 0,
        )
        for number, lines in enumerate(groups)
    ]


def is_tabbed(line: Line) -> bool:
    """Decide whether a line has parts that stand apart."""
    return bool(line.gaps) and not line.quad.angle


def with_tabs(lines: Sequence[Line], edges: tuple[float, float]) -> tuple[tuple[Line, ...], tuple[Stop, ...]]:
    """The only line of a block with its wide spaces as tabs, and where these go; other lines as they are."""
    if len(lines) != 1 or not is_tabbed(lines[0]):
        return tuple(lines), ()
    line = lines[0]
    left, right = edges
    ends = [*(gap.left for gap in line.gaps[1:]), line.quad.box.right]
    stops = [
        Stop(end - left, "right") if right - end <= MEASURES.letter else Stop(gap.right - left, "left")
        for gap, end in zip(line.gaps, ends, strict=True)
    ]
    return (replace(line, spans=_tabbed(line)),), tuple(stops)


def _tabbed(line: Line) -> tuple[Span, ...]:
    places = {gap.at for gap in line.gaps}
    found = []
    at = 0
    for span in line.spans:
        text = "".join("\t" if at + n in places else character for n, character in enumerate(span.text))
        found.append(replace(span, text=text))
        at += len(span.text)
    return tuple(found)
