"""Measures of a page that several parts of what is written for word processors share, in points."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """One home for the distances of a typographer, in points; and one bound on work."""

    least: float = 1.0
    """What is kept of a space, a step or the height of a line at least: less is how the print came to lie."""

    rounding: float = 2.0
    """By which places that are meant to be the same may differ: coordinates are rounded, and letters reach out of their
    boxes."""

    letter: float = 3.0
    """About the width of a narrow letter: further right begins another place."""

    line: float = 12.0
    """A line of text in its usual size, and the room that a letter takes between margins."""

    two_lines: float = 24.0
    """Less at the end of a page, or above a note, is no gap."""

    quarter_inch: float = 18.0
    """A step of Word's lists, and about what printers leave free at the edge of a page."""

    half_inch: float = 36.0
    """Word's own distance of headers, and its gap between columns (`w:space`, ECMA-376 part 1, 17.6.4)."""

    most_shapes: int = 400
    """Rules and areas of a page that are looked at: a bound on work on drawings and hostile pages."""


MEASURES = MeasureSettings()
