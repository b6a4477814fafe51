"""What a first, cheap pass over all pages learns: the size of running text, heading styles, running heads and feet."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from paperchute.engine.reading.layout.furniture import Furniture, MarginLine, margin_lines
from paperchute.engine.reading.layout.hyphens import Hyphens, HyphenSurvey
from paperchute.engine.reading.layout.lines import TextLine


@dataclass(frozen=True, slots=True)
class SurveySettings:
    """What tells running text and headings over a whole document.

    Fixed on printed Markdown, of which it took the scores of headings from 0.903 to 0.931.
    """

    running_line: int = 36
    """Characters from which a line is one of running text: fewer are cells, headings, ends of paragraphs."""

    running_share: float = 0.2
    """The share of all characters that long lines must have to decide the body size; else all lines do, as in forms."""

    larger: float = 1.09
    """Of the body size: beyond it type is larger than running text; in steps of half a point 11 on 10 is, 10.5 is
    not."""

    bold_size: float = 0.95
    """Of the body size: bold type of at least this size may be a heading; smaller is that of tables and captions."""

    same_level: float = 0.5
    """Points by which sizes of one heading level may differ: the step to which sizes are rounded."""

    longest_heading: int = 160
    """Characters of one line of a heading: more than fit on a page in type larger than the text."""

    longest_title: int = 3
    """Lines of the document's own title, after which its style is that of a chapter."""


SURVEY = SurveySettings()


StyleKey = tuple[float, bool]
"""Font size to half a point, and whether all of it is bold."""

_LETTER = re.compile(r"[^\W\d_]")


def style_key(line: TextLine) -> StyleKey:
    """The style of a line as headings are told apart by it."""
    return round(line.size * 2) / 2, line.bold


@dataclass(frozen=True, slots=True)
class Norms:
    """What the whole document has in common.

    body_size: points. levels: the heading level of each style that may be one. outline: titles of the document's own
    outline (bookmarks) by page number and normalised text, with their level from 1; outlined: the styles they are
    printed in. tagged: whether the document's own structure has headings. title_style: that of its own title, which
    stands on title_page.
    """

    body_size: float
    levels: dict[StyleKey, int]
    outline: dict[tuple[int, str], int]
    outlined: frozenset[StyleKey]
    tagged: bool
    title_page: int
    title_style: StyleKey | None
    furniture: Furniture
    hyphens: Hyphens


@dataclass(slots=True)
class Survey:
    """Takes in the pages one by one, then gives the norms."""

    outline: dict[tuple[int, str], int] = field(default_factory=dict)
    _pages: frozenset[int] | None = None
    _chars: Counter[StyleKey] = field(default_factory=Counter)
    _running: Counter[StyleKey] = field(default_factory=Counter)
    _lines: Counter[StyleKey] = field(default_factory=Counter)
    _last_page: dict[StyleKey, int] = field(default_factory=dict)
    _outlined: defaultdict[StyleKey, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    _tagged: bool = False
    _hyphens: HyphenSurvey = field(default_factory=HyphenSurvey)
    _margins: dict[int, list[MarginLine]] = field(default_factory=dict)

    def add(self, number: int, height: float, lines: Sequence[TextLine]) -> None:
        """Take in the lines of page `number` (1-based)."""
        outlined = number in self._outlined_pages()
        for line in lines:
            key = style_key(line)
            chars = line.chars
            self._tagged = self._tagged or (line.words[-1].level or 0) > 0
            self._chars[key] += chars
            if chars >= SURVEY.running_line:
                self._running[key] += chars
            if (
                chars <= SURVEY.longest_heading
                and not line.mono
                and any(map(_LETTER.search, [w.text for w in line.words]))
            ):
                self._lines[key] += 1
                self._last_page[key] = max(number, self._last_page.get(key, 0))
            level = self.outline.get((number, normal(line.text))) if outlined else None
            if level:
                self._outlined[key][level] += 1
        self._hyphens.add(lines)
        self._margins[number] = margin_lines(lines, height)

    def _outlined_pages(self) -> frozenset[int]:
        """The pages that the outline points to."""
        if self._pages is None:
            self._pages = frozenset(page for page, _ in self.outline)
        return self._pages

    def norms(self) -> Norms:
        """What the pages have in common."""
        # Long lines tell running text from tables, which often have the more characters, in smaller type.
        enough = self._running.total() > SURVEY.running_share * self._chars.total()
        counted = self._running if enough else self._chars
        body = max(counted, key=lambda key: counted[key], default=(0.0, False))
        levels = self._levels(body)
        return Norms(
            body_size=body[0],
            levels=levels,
            outline=self.outline,
            outlined=frozenset(self._outlined),
            tagged=self._tagged,
            title_page=min(self._margins, default=0),
            title_style=self._title_style(levels),
            furniture=Furniture.of(self._margins, body[0]),
            hyphens=self._hyphens.result(),
        )

    def _title_style(self, levels: dict[StyleKey, int]) -> StyleKey | None:
        """The style of the document's own title: the largest of all, on the first page and nowhere else."""
        largest = max(levels, default=None)
        if (
            largest is None
            or self._lines[largest] > SURVEY.longest_title
            or self._last_page[largest] != min(self._margins)
        ):
            return None
        return largest

    def _levels(self, body: StyleKey) -> dict[StyleKey, int]:
        """Heading levels by style: larger before smaller, at one size bold before regular."""
        outlined = {key: counts.most_common(1)[0][0] for key, counts in self._outlined.items()}
        candidates = [
            key
            for key in self._lines
            if key in outlined
            or key[0] > SURVEY.larger * body[0]
            or (key[1] and not body[1] and key[0] >= SURVEY.bold_size * body[0] and not outlined)
        ]
        levels: dict[StyleKey, int] = {}
        level = 0
        last: StyleKey | None = None
        for key in sorted(candidates, key=lambda key: (-key[0], not key[1])):
            if last is None or last[0] - key[0] > SURVEY.same_level or last[1] != key[1]:
                level += 1
            levels[key] = outlined.get(key, min(level, 6))
            last = key
        return levels


def normal(text: str) -> str:
    """Text for comparing titles: letters and digits only, case dropped."""
    return "".join(filter(str.isalnum, text.casefold()))
