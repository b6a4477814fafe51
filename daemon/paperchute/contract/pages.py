"""Page lists such as `1-3,6` (contract section 9, PAGES)."""

from __future__ import annotations

import re

_PART = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


class PageListError(ValueError):
    """A page list that is malformed (code 03000) or names pages the document has not (code 110001)."""


def parse_page_list(text: str) -> list[tuple[int, int]]:
    """Ranges (first, last), 1-based and inclusive, in the order given; empty text and `all` give [] = every page.

    Raises PageListError for anything malformed; `5-3` and `0` are (contract section 9).
    """
    text = text.strip()
    if not text or text.lower() == "all":
        return []
    ranges = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise PageListError(f"{part.strip()!r} is not a page or range; write 1-based pages such as 1-3,6")
        first = int(match[1])
        last = int(match[2] or first)
        if first < 1:
            raise PageListError("pages count from 1")
        if last < first:
            raise PageListError(f"the range {part.strip()} runs backwards")
        ranges.append((first, last))
    return ranges


def select_pages(text: str, count: int) -> list[int]:
    """0-based page indices that `text` selects from a document of `count` pages, in the order given.

    Raises PageListError when a page lies outside the document.
    """
    ranges = parse_page_list(text) or [(1, count)]
    for first, last in ranges:
        if last > count:
            page = first if first > count else last
            raise PageListError(f"page {page} is outside the document, which has {count} pages")
    return [page - 1 for first, last in ranges for page in range(first, last + 1)]
