"""What a style sheet asks of the pages that the layout does not do, so that it can be said."""

from __future__ import annotations

import re
from collections.abc import Iterable

from paperchute.engine import report
from paperchute.language import _

_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PAGE = re.compile(r"@page\b([^{}]*)\{((?:[^{}]|\{[^{}]*\})*)\}", re.IGNORECASE)
_SIZE = re.compile(r"(?<![-\w])size\s*:\s*([^;}]+)", re.IGNORECASE)
_OUTSIDE_MARGINS = re.compile(r"\bcounters?\(\s*pages?\b[^)]*\)", re.IGNORECASE)
_NEVER = re.compile(r"\b(string-set)\s*:|\b(target-(?:counters?|text))\(", re.IGNORECASE)


def styles_of(html: str) -> list[str]:
    """The style elements of a document."""
    return _STYLE.findall(html)


def tell_styles(sheets: Iterable[str]) -> None:
    """Warn of page numbers in the flow, running texts from it, references to pages, and pages of different sizes."""
    missed: set[str] = set()
    sizes: dict[str, str] = {}  # of which pages: of all, or of first ones, named ones ...
    for sheet in sheets:
        plain = _COMMENT.sub("", sheet)
        missed.update((found[1] or f"{found[2]}()").lower() for found in _NEVER.finditer(plain))
        for pages, style in _PAGE.findall(plain):
            sizes.update((pages.strip(), " ".join(size.lower().split())) for size in _SIZE.findall(style))
        if "counter-reset: page" not in plain and _OUTSIDE_MARGINS.search(_PAGE.sub("", plain)):
            missed.add("counter(page)")
    if set(sizes) - {""} and len({sizes.get(""), *sizes.values()}) > 1:
        missed.add("size")
    if missed:
        names = ", ".join(sorted(missed))
        report.warn(_("The style sheet asks for what this engine does not lay out: {names}.", names=names))
