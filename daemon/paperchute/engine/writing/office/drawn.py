"""Blocks with what is drawn around, under or beside them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Block, Line
from paperchute.engine.writing.office.parts import NO_SIDES, Sides


@dataclass(frozen=True, slots=True)
class Panel:
    """An area or frame that text stands in. sides: its frame."""

    box: Box
    fill: str = ""
    sides: Sides = NO_SIDES


@dataclass(frozen=True, slots=True)
class Area:
    """Blocks in reading order, and the panel in which they stand; its box alone where there is none."""

    panel: Panel
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Arranged(Block):
    """Areas side by side, from left to right, as they are read; or a single one."""

    areas: tuple[Area, ...] = ()


@dataclass(frozen=True, slots=True)
class Framed(Block):
    """A paragraph with lines along some of its sides, or alone in a panel."""

    panel: Panel | None = None


@dataclass(frozen=True, slots=True)
class Ruled(Block):
    """A line with rules to write on, from left to right, beside its words; it may have none."""

    rules: tuple[tuple[float, float], ...] = ()


def takes_lines(block: Block) -> bool:
    """Decide whether text that goes on elsewhere may be joined to a block: what holds areas or rules shows no more."""
    return not isinstance(block, Arranged | Ruled) and bool(block.lines or not isinstance(block, Framed))


def framed(block: Block, panel: Panel) -> Framed:
    """The block in its panel, whose colour its words need not say."""
    own = {field.name: getattr(block, field.name) for field in fields(Block)}
    return Framed(**{**own, "lines": on_ground(panel.fill, block.lines)}, panel=panel)


def on_ground(ground: str, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Lines whose words need not say that they stand on a colour."""
    if not ground:
        return lines
    return tuple(
        replace(
            line,
            spans=tuple(
                replace(span, style=replace(span.style, ground="")) if span.style.ground == ground else span
                for span in line.spans
            ),
        )
        for line in lines
    )
