"""Boxes that formulas are made of, in HTML, and how high each of them is.

Every line of a formula is as high as its font is large, so the height of each box is known before it is laid out, and
with it where strokes, scripts and brackets stand. Lengths are in em. The boxes are elements of names of our own, which
no style sheet of a document means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

UP, DOWN = 0.84, 0.16
"""Above and below the base line of Liberation Serif and Times, in a line of 1 em."""
SMALLER = 0.72
"""The size of scripts, measured by that of their base."""
AXIS = 0.25
"""Where strokes of fractions stand, and the middle of brackets, above the base line."""
_STROKE = 0.06
_ASCENT, _DESCENT, _ROOF = 0.694, 0.21, 0.79
"""How far brackets reach above and below the base line, and the sign of a root above it, in the same fonts."""
_WIDTHS = {"(": 0.333, ")": 0.333, "[": 0.333, "]": 0.333, "{": 0.48, "}": 0.48, "|": 0.2, "∣": 0.2, "‖": 0.281}
_WIDE = 0.4  # brackets that those fonts do not have, in most others
_BARS = frozenset("¯‾_\u0304\u0305\u0332―─")
_DRAWINGS = {
    "→": "M0 5H100M92 0L100 5L92 10",
    "⃗": "M0 5H100M92 0L100 5L92 10",
    "←": "M100 5H0M8 0L0 5L8 10",
    "⏞": "M0 10Q0 5 8 5H42Q50 5 50 0Q50 5 58 5H92Q100 5 100 10",
    "⏟": "M0 0Q0 5 8 5H42Q50 5 50 10Q50 5 58 5H92Q100 5 100 0",
    "⎴": "M0 10V2H100V10",
    "⎵": "M0 0V8H100V0",
}
"""What is drawn as wide as its base, in a box of 100 by 10."""
_STRIKES = {
    "updiagonalstrike": "M0 10L100 0",
    "downdiagonalstrike": "M0 0L100 10",
    "horizontalstrike": "M0 5H100",
    "verticalstrike": "M50 0V10",
}
_SIDES = {
    "box": "border",
    "roundedbox": "border-radius:.6em;border",
    "circle": "border-radius:.6em;border",
    "top": "border-top",
    "bottom": "border-bottom",
    "left": "border-left",
    "right": "border-right",
}
NOTATIONS = frozenset({*_SIDES, *_STRIKES})
"""What can stand around a part."""


@dataclass(frozen=True, slots=True)
class Box:
    """What is laid out, how far it reaches above and below the base line, about how wide it is; a sign's own text."""

    html: str
    up: float = UP
    down: float = DOWN
    width: float = 0.0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a table. aligned: as CSS has it. style: its lines."""

    box: Box
    aligned: str = "center"
    has_right_line: bool = False
    has_bottom_line: bool = False


def element(name: str, style: str, html: str) -> str:
    """Write an element of ours."""
    return f'<pc-{name} style="{style}">{html}</pc-{name}>'


def em(length: float) -> str:
    """Write a length."""
    return f"{length:.3f}em"


def said(text: str) -> str:
    """Write what is not drawn, but keeps texts apart where they are read out of the HTML: in titles of the outline."""
    return element("said", "display:none", text)


def space(width: float) -> Box:
    """Leave room."""
    return Box(element("space", f"display:inline-block;width:{em(max(width, 0.0))}", ""), width=width)


def beside(*boxes: Box) -> Box:
    """Set boxes side by side."""
    return Box(
        "".join(box.html for box in boxes),
        max([UP, *(box.up for box in boxes)]),
        max([DOWN, *(box.down for box in boxes)]),
        sum(box.width for box in boxes),
    )


def _block(box: Box, style: str = "") -> str:
    return element("line", f"display:block;white-space:nowrap;{style}", box.html)


def large(text: str, style: str, size: float) -> Box:
    """Set a sum or integral on lines of its own: larger, its middle on the axis."""
    drop = size * AXIS - AXIS
    style = f"display:inline-block;font-size:{size}em;vertical-align:{em(-drop / size)};{style}"
    return Box(element("sign", style, text), size * UP - drop, size * DOWN + drop, 0.4 * size)


def stretched(fence: Box, inner: Box) -> Box:
    """Make a bracket as high as what it holds, by the same part above the axis and below it."""
    half = max(inner.up - (UP - _ASCENT) - AXIS, inner.down - _STROKE + AXIS)
    if half < 1.5 * (_ASCENT - AXIS):
        return fence
    return _drawn_out(fence.text, _WIDTHS.get(fence.text, _WIDE), _DESCENT, half + AXIS, half - AXIS)


def _drawn_out(sign: str, width: float, below: float, up: float, down: float) -> Box:
    """A sign as high as it is asked for, which stays a text. below: how far it reaches below its base line."""
    ascent = _ROOF if sign == "√" else _ASCENT
    html = (
        f'<svg viewBox="0 {-ascent} {width} {ascent + below}" preserveAspectRatio="none" style="display:inline-block;'
        f'width:{em(width)};height:{em(up + down)};vertical-align:{em(-down)};overflow:visible">'
        f'<text x="0" y="0" fill="currentColor" style="font-size:1px;font-family:serif">{escape(sign)}</text></svg>'
    )
    return Box(html, up, down, width)


def fraction(top: Box, bottom: Box, has_stroke: bool) -> Box:
    """Set one part above the other."""
    stroke, room = _STROKE if has_stroke else 0.0, 0.04
    rise = AXIS - stroke / 2 - room - bottom.up
    html = (
        _block(top, f"padding:0 .12em {em(room)};" + (f"border-bottom:{em(stroke)} solid" if has_stroke else ""))
        + said("/" if has_stroke else " ")
        + _block(bottom, f"padding:{em(room)} .12em 0")
    )
    style = f"display:inline-block;vertical-align:{em(rise)};margin:0 .08em;text-align:center"
    up = rise + bottom.up + 2 * room + stroke + top.up + top.down
    return Box(element("fraction", style, html), up, bottom.down - rise, max(top.width, bottom.width) + 0.4)


def slanted(upper: Box, lower: Box) -> Box:
    """Set a fraction of two numbers as one sign, `½`, which is read as one."""
    rise = 0.3
    html = (
        element("script", f"font-size:{SMALLER}em;vertical-align:{em(rise / SMALLER)}", upper.html)
        + "⁄"
        + element("script", f"font-size:{SMALLER}em", lower.html)
    )
    width = SMALLER * (upper.width + lower.width) + 0.2
    return Box(element("fraction", "white-space:nowrap", html), SMALLER * UP + rise, DOWN, width)


def root(base: Box, index: Box | None = None, size: float = SMALLER) -> Box:
    """Set a root. size: of its index."""
    height, depth = base.up - _STROKE, 0.0 if base.down <= DOWN else base.down - 0.04
    style = f"display:inline-block;border-top:{em(_STROKE)} solid;margin:-{em(_STROKE)} .1em 0 -.02em"
    sign = _drawn_out("√", 0.549, 0.0, height, depth)
    html = sign.html + element("line", f"{style};white-space:nowrap", base.html)
    if index is not None:
        style = f"display:inline-block;font-size:{em(size)};vertical-align:{em(0.45 / size)};margin-right:-.45em"
        html = element("script", style, index.html) + html
    whole = element("root", "white-space:nowrap", html)
    return Box(whole, max(base.up, size * index.up + 0.45 if index else 0.0), base.down, base.width + 0.8)


def scripts(base: Box, low: Box | None, high: Box | None, size: float, aligned: str = "left") -> Box:
    """Set scripts of a base: those behind it, or those before it, which are `right` aligned."""
    rise = max(0.36, base.up - 0.5)
    drop = max(0.18, base.down + 0.02)
    if low is not None and high is not None:
        drop = max(drop, 0.25)
        gap = max((rise + drop) / size - high.down - low.up, -0.12)
        style = f"display:inline-block;font-size:{em(size)};vertical-align:{em(-drop / size)};text-align:{aligned}"
        html = _block(high, f"margin-bottom:{em(gap)}") + said("_") + _block(low)
        return Box(
            said("^") + element("script", style, html),
            size * (low.up + gap + high.down + high.up) - drop,
            size * low.down + drop,
            size * max(low.width, high.width),
        )
    script, raised = (high, rise) if high is not None else (low, -drop)
    if script is None:
        return Box("", 0.0, 0.0)
    style = f"display:inline-block;font-size:{em(size)};vertical-align:{em(raised / size)};white-space:nowrap"
    if set(script.text) & set("′″‴'"):
        style += ";margin-left:.1em"
    html = said("^" if raised > 0 else "_") + element("script", style, script.html)
    return Box(html, raised + size * script.up, size * script.down - raised, size * script.width)


def limits(base: Box, under: Box | None, over: Box | None, size: float) -> Box:
    """Set what stands above and below a base. size: of it."""
    top, bottom = (Box("", 0.0, 0.0) if mark is None else _mark(mark, size) for mark in (over, under))
    rise = -(base.down + bottom.up) if bottom.text else 0.0
    style = f"display:inline-block;vertical-align:{em(rise)};text-align:center;white-space:nowrap"
    return Box(
        element("limits", style, top.html + _block(base) + bottom.html),
        base.up + top.up + top.down,
        base.down + bottom.up + bottom.down,
        max(base.width, top.width, bottom.width),
    )


def _mark(mark: Box, size: float) -> Box:
    """What stands above or below. Drawings have no line of text, so no base line of their own, and give no text."""
    if mark.text in _BARS:
        style = f"display:block;border-top:{em(_STROKE)} solid;height:{em(0.08)}"
        return Box(element("line", style, ""), _STROKE + 0.08, 0.0)
    if mark.text in _DRAWINGS:
        height = 0.22
        style = f"display:block;position:relative;height:{em(height)}"
        return Box(element("line", style, _drawing(_DRAWINGS[mark.text])), height, 0.0)
    html = _block(mark, f"font-size:{em(size)}")
    return Box(html, size * mark.up, size * mark.down, size * mark.width, mark.text or " ")


def _drawing(path: str) -> str:
    """Lines over the whole of what is around."""
    return (
        '<svg viewBox="-1 -1 102 12" preserveAspectRatio="none" style="position:absolute;left:0;top:0;width:100%;'
        f'height:100%"><path d="{path}" fill="none" stroke="currentColor" stroke-width="1" '
        'vector-effect="non-scaling-stroke"/></svg>'
    )


def enclosed(notations: Sequence[str], inner: Box) -> Box:
    """Set lines around a part, or through it (those of `NOTATIONS`)."""
    style = "".join(f"{_SIDES[name]}:{em(_STROKE)} solid;" for name in notations if name in _SIDES)
    strikes = "".join(_drawing(_STRIKES[name]) for name in notations if name in _STRIKES)
    shape = "display:inline-block;position:relative;white-space:nowrap;padding:.1em;margin:0 .1em;"
    html = element("line", shape + style, inner.html + strikes)
    return Box(html, inner.up + 0.2, inner.down + 0.2, inner.width + 0.4)


def table(rows: Sequence[Sequence[Cell]], has_frame: bool) -> Box:
    """Set a table. Its middle is on the axis, near enough, where a box has the middle of small letters."""
    made, height, width = "", 0.0, 0.0
    for row in rows:
        whole = beside(*(cell.box for cell in row))
        made += element("row", "display:table-row", said(" ").join(map(_cell, row)))
        height += whole.up + whole.down + 0.24
        width = max(width, whole.width + 0.8 * len(row))
    style = "display:inline-table;vertical-align:middle;border-collapse:collapse;border-spacing:0;text-align:center"
    if has_frame:
        style += f";border:{em(_STROKE)} solid"
    return Box(element("table", style, made), height / 2 + AXIS, height / 2 - AXIS, width)


def _cell(cell: Cell) -> str:
    style = (
        f"display:table-cell;white-space:nowrap;padding:.12em .4em;vertical-align:baseline;text-align:{cell.aligned}"
    )
    for side, has_line in (("right", cell.has_right_line), ("bottom", cell.has_bottom_line)):
        style += f";border-{side}:{em(_STROKE)} solid" if has_line else ""
    return element("cell", style, cell.box.html)
