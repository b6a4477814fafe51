"""Texts for pages as PDF pages of their own size, laid out like any HTML: every script, fonts embedded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path

import plutoprint

from paperchute.engine.html.fetch import Page
from paperchute.engine.html.render import render
from paperchute.engine.work import FetchPolicy

LAID_SIZE = 36.0
"""Points of the letters as they are laid out; whoever places the mark scales it."""

_POINTS_A_PIXEL = 0.75  # of CSS
_STYLE = (
    "body,div{{margin:0}}div{{display:inline-block;white-space:pre;text-align:center;"
    "font:bold {size}pt sans-serif;color:{colour}}}"
)
_LINE_HEIGHT = 1.4  # of the letters' size: room for marks above and below them in every script
_LINES_STYLE = (
    "body,div{{margin:0}}div{{white-space:pre;text-align:{align};height:{height}pt;break-after:page;"
    "font:{size}pt/{line}pt sans-serif;color:{colour}}}div:last-child{{break-after:auto}}"
)


def write_text_mark(text: str, colour: str, output: Path) -> None:
    """Write a PDF of one page that shows `text`, and is as large as that.

    Args:
        text: Lines, in any script.
        colour: As `#RRGGBB`.
        output: The PDF.

    Raises Refused 02210 where it cannot be laid out, such as a line longer than a page may be.
    """
    style = _STYLE.format(size=LAID_SIZE, colour=colour)
    _write(f'<style>{style}</style><div dir="auto">{_shown(text)}</div>', output)


def write_lines(lines: Sequence[str], size: float, colour: str, align: str, output: Path) -> None:
    """Write a PDF with a page for each of `lines`, all as wide as the widest.

    Args:
        lines: Texts of as many lines each, in any script.
        size: Of the letters, in points.
        colour: As `#RRGGBB`.
        align: left, center or right.
        output: The PDF.

    Raises Refused 02210 where they cannot be laid out.
    """
    height = math.ceil(size * _LINE_HEIGHT) * (lines[0].count("\n") + 1)
    style = _LINES_STYLE.format(
        size=size, line=math.ceil(size * _LINE_HEIGHT), height=height, colour=colour, align=align
    )
    _write(f"<style>{style}</style>" + "".join(f'<div dir="auto">{_shown(one)}</div>' for one in lines), output, height)


def _shown(text: str) -> str:
    """Return a text as HTML; a character that ends a text for the print library is left out, as nothing shows it."""
    return escape(text.replace("\0", ""))


def _write(content: str, output: Path, height: int | None = None) -> None:
    """Print on sheets as wide as the content needs. height: of a sheet in points, None for as high as needed."""
    # On a sheet of a point it is as large as its lines make it.
    measured = plutoprint.Book(plutoprint.PageSize(1, 1), plutoprint.PAGE_MARGINS_NONE, plutoprint.MEDIA_TYPE_SCREEN)
    measured.load_html(f"<!doctype html>{content}")
    width, needed = (
        math.ceil(pixels * _POINTS_A_PIXEL)
        for pixels in (measured.get_document_width(), measured.get_document_height())
    )
    sheet = f"<style>@page{{size:{width}pt {height or needed}pt;margin:0}}</style>"
    render(Page(f"<!doctype html>{sheet}{content}"), output, FetchPolicy())
