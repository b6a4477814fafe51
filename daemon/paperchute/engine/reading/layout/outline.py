"""The document's own outline (bookmarks): the level that it gives to a text on a page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from paperchute.engine.reading.layout.numbering import section_number

_SIGNS = re.compile(r"[\W_]+")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


class Outline:
    """Titles of an outline by the 1-based page that each points to, with their levels from 1."""

    def __init__(self, levels: Mapping[tuple[int, str], int] | None = None) -> None:
        """levels: by page and `normal` title."""
        self._pages: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for (page, title), level in (levels or {}).items():
            self._pages[page][title] = level
        self._firsts = {page: {title[:1] for title in titles} for page, titles in self._pages.items()}
        """The first letter of each title, by which most lines of a page are told to be none."""

    def __contains__(self, page: int) -> bool:
        """Decide whether it points to a page."""
        return page in self._pages

    def level(self, page: int, text: str) -> int:
        """The level of a text on a page, 0 for none; the outline may leave out the printed number."""
        if page not in self:
            return 0
        level = self._level(page, text)
        if not level and (number := section_number(text)) is not None and number.title:
            level = self._level(page, number.title)
        return level

    def begins(self, page: int, text: str) -> bool:
        """Decide whether a title of a page begins with a text, and may go on in the next line."""
        begun = normal(text)
        return bool(begun) and any(title.startswith(begun) for title in self._pages.get(page, ()))

    def under(self, levels: int) -> Outline:
        """The outline with all of it so many levels further down."""
        return Outline(
            {(page, title): level + levels for page, titles in self._pages.items() for title, level in titles.items()}
        )

    def _level(self, page: int, text: str) -> int:
        text = text.casefold()
        first = _LETTER_OR_DIGIT.search(text)
        if first is None or first[0] not in self._firsts[page]:
            return 0
        return self._pages[page].get(_SIGNS.sub("", text), 0)


def normal(text: str) -> str:
    """Text for comparing titles: letters and digits only, case dropped."""
    return _SIGNS.sub("", text.casefold())
