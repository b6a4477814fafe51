"""The notation of places on pages: `1: 50,100,200,120` (docs/redaction.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paperchute.contract.values import PageListError, parse_page_list
from paperchute.language import _


@dataclass(frozen=True, slots=True)
class PageBox:
    """A box on pages, in points from the top left of the page as readers show it. pages: a page list."""

    pages: str
    left: float
    top: float
    right: float
    bottom: float


def parse_box(text: str) -> PageBox:
    """Read a box. Raises ValueError, which says what is wrong."""
    pages, parted, edges = text.partition(":")
    try:
        left, top, right, bottom = (float(edge) for edge in edges.split(","))
    except ValueError:
        left = top = right = bottom = math.nan
    if not parted or not all(map(math.isfinite, (left, top, right, bottom))):
        raise ValueError(
            _("{text} is no place on a page: write pages: left,top,right,bottom, such as 1: 50,100,200,120", text=text)
        )
    if left >= right or top >= bottom:
        raise ValueError(_("{text} covers nothing: right must be more than left, and bottom more than top", text=text))
    try:
        parse_page_list(pages)
    except PageListError as error:
        raise ValueError(f"{text}: {error}") from None
    return PageBox(pages, left, top, right, bottom)
