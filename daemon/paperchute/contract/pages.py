"""Page lists such as `1-3,6` (contract section 9, PAGES)."""

from __future__ import annotations

import re

from paperchute.language import _

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
            raise PageListError(_("{part} is not a page or range; write pages such as 1-3,6", part=repr(part.strip())))
        first = int(match[1])
        last = int(match[2] or first)
        if first < 1:
            raise PageListError(_("pages are counted from 1"))
        if last < first:
            raise PageListError(_("the range {part} runs backwards", part=part.strip()))
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
            raise PageListError(
                _("page {page} is outside the document, which ends with page {count}", page=page, count=count)
            )
    return [page - 1 for first, last in ranges for page in range(first, last + 1)]
