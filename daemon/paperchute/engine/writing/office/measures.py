"""Measures of a page for what is written for word processors, in points; shares are those of `TYPOGRAPHY`."""

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

    spare_width: float = 0.012
    """Of the text's width: by so much lines in a similar font come out longer than they were printed, and the edges of
    wide columns may differ and be meant to be the same."""

    shortest_rule: float = 20.0
    """Shorter rules are parts of drawings, or the squares of a comb."""

    longer: float = 0.25
    """Of a line's length, where it ends in a text box: it may be set in a wider font than it was printed in, and what
    finds no room is cut off."""

    usual_end: float = 0.75
    """Of the page's height: text may go on down to here at least, where no page of the section has shown more. LaTeX's
    smallest blocks of text end at 0.8."""

    most_cells: int = 6
    """Side by side: more are the cells of a table."""

    most_shapes: int = 400
    """Rules and areas of a page that are looked at: a bound on work on drawings and hostile pages."""


MEASURES = MeasureSettings()
