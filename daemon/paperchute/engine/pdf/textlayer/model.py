"""Text to be put into a page."""

from __future__ import annotations

from dataclasses import dataclass, field

from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Image
from paperchute.engine.reading.pdf.view import Matrix

Colour = tuple[float, float, float]
"""Red, green and blue from 0 to 1."""


@dataclass(frozen=True, slots=True)
class LayerWord:
    """A word on the upright page, in points. length: along its line; left, baseline: where it begins.

    angle: reading direction in degrees clockwise. gap: up to the next word of its line, 0 at the end. box: its ink.
    """

    text: str
    x: float
    y: float
    length: float
    size: float
    gap: float
    box: Box
    angle: int = 0
    bold: bool = False
    ink: Colour = (0.0, 0.0, 0.0)
    paper: Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that make one piece of the document: a structure type of ISO 32000-1, 14.8.4 such as P or H1.

    path: the elements around it with a number for each, such as (("Table", 0), ("TR", 2)).
    """

    tag: str
    words: list[LayerWord]
    path: tuple[tuple[str, int], ...] = ()


@dataclass(slots=True)
class PageLayer:
    """What goes onto one page. to_user: from points of the upright page (y downwards) to the page's user space.

    pictures: parts of the page to be drawn as pictures, where the page's own are taken away.
    """

    to_user: Matrix
    passages: list[Passage] = field(default_factory=list)
    pictures: list[tuple[Box, Image]] = field(default_factory=list)
