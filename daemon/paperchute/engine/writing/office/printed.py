"""Blocks as they were printed, line for line: what text boxes at fixed places hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.document.model import Block, Span
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.writing.office.fonts import SANS, family, fitting
from paperchute.engine.writing.office.measures import MEASURES
from paperchute.engine.writing.office.paragraphs import place_of, text_starts
from paperchute.engine.writing.office.parts import Align
from paperchute.engine.writing.office.runs import Run, runs_of, text_of


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """indent: from the box's left edge. height: from the bottom of the line above. stretch: of letters, per cent.

    tab: from the box's left edge to where the text after a list marker stands, 0 without one.
    """

    runs: tuple[Run, ...]
    indent: float
    height: float
    stretch: int = 100
    rtl: bool = False
    tab: float = 0.0


@dataclass(frozen=True, slots=True)
class PrintedBlock:
    """Lines in a box.

    angle: the direction they are read in, clockwise from the right: 0, 90 (down) or 270 (up). stacked: vertical
    writing, its letters upright.
    """

    box: Box
    lines: tuple[PrintedLine, ...]
    align: Align = "left"
    angle: int = 0
    stacked: bool = False

    def roomy(self, width: float) -> Box:
        """The box with room to spare where lines end, as they may be set in a wider font than they were printed in.

        width: of the page, which the box stays within: word processors move what does not.
        """
        box = self.box
        beside, longer = MEASURES.line / 2, MEASURES.longer * box.height
        if self.stacked:  # letters as high as they are printed need no more
            return box._replace(bottom=box.bottom + beside, left=box.left - beside)
        if self.angle == 270:
            return box._replace(top=box.top - longer, right=box.right + beside)
        if self.angle == 90:
            return box._replace(bottom=box.bottom + longer, left=box.left - beside)
        spare = MEASURES.line + MEASURES.longer * box.width
        to_left = self.align != "left" or any(line.rtl for line in self.lines)
        to_right = self.align != "right" and not all(line.rtl for line in self.lines)
        bottom = box.bottom + TYPOGRAPHY.half * self.lines[-1].height
        left, right = max(box.left - spare * to_left, 0.0), min(box.right + spare * to_right, width)
        return Box(min(left, box.left), box.top, max(right, box.right), bottom)


def unturned(block: Block) -> list[Block]:
    """The block itself; one whose text is turned as a block for each of its lines, as a box holds no more of them."""
    lines = block.all_lines
    if block.image is not None or not lines or 2 * sum(line.quad.angle in (90, 270) for line in lines) <= len(lines):
        return [block]
    markers = {id(item.lines[0]): Span(f"{item.marker} ") for item in block.items if item.lines}
    return [
        Block(
            "text", line.quad, (replace(line, spans=(markers[id(line)], *line.spans)) if id(line) in markers else line,)
        )
        for line in lines
    ]


def printed_block(block: Block, usual: str = SANS) -> PrintedBlock | None:
    """The text of a block as printed, None when it has none. usual: the family where fonts are unknown."""
    lines = [line for line in block.all_lines if line.spans]
    starts = text_starts(block.items, usual)
    markers = {id(item.lines[0]): (item, at) for item, at in zip(block.items, starts, strict=True) if item.lines}
    if not lines:
        return None
    box = hull([*(line.quad.box for line in lines), *(item.quad.box for item, _ in markers.values())])
    angle = lines[0].quad.angle
    if angle in (90, 270) and len(lines) == 1:
        runs = _named(runs_of(lines), usual)
        stacked = any(run.style.stacked for run in runs)
        stretch = 100 if stacked else fitting(runs, box.height, usual)
        return PrintedBlock(box, (PrintedLine(runs, 0.0, box.width, stretch),), angle=angle, stacked=stacked)
    align = place_of(replace(block, lines=tuple(lines)), (box.left, box.right)).align
    align = align if align in ("center", "right") and len(lines) > 1 else "left"
    found: list[PrintedLine] = []
    bottom = box.top
    for line in sorted(lines, key=lambda line: line.quad.box.bottom):
        place = line.quad.box
        runs = _named(runs_of([replace(line, ends="soft")]), usual)
        if not runs:
            continue
        if found and place.bottom - bottom < TYPOGRAPHY.third * place.height:  # two pieces of one line
            before = found[-1]
            gap = Run("  ", runs[0].style)
            found[-1] = replace(before, runs=(*before.runs, gap, *runs), stretch=100)
            continue
        indent, tab = (place.left - box.left if align == "left" else 0.0), 0.0
        rtl = is_rtl(text_of(runs))
        if rtl:
            indent = box.right - place.right
        item, start = markers.get(id(line), (None, place.left))
        stretch = 100 if block.kind == "code" else fitting(runs, place.right - start, usual)
        if item is not None:
            runs = (Run(f"{item.marker}\t", replace(runs[0].style, bold=False, italic=False)), *runs)
            if not rtl:
                indent, tab = max(item.quad.box.left - box.left, 0.0), start - box.left
        found.append(PrintedLine(runs, indent, max(place.bottom - bottom, MEASURES.least), stretch, rtl, tab))
        bottom = place.bottom
    return PrintedBlock(box, tuple(found), align) if found else None


def _named(runs: Sequence[Run], usual: str) -> tuple[Run, ...]:
    """Runs whose font is known to word processors: what was fitted to the usual family must be shown in it."""
    return tuple(
        run if family(run.style.font) or run.style.mono else replace(run, style=replace(run.style, font=usual))
        for run in runs
    )
