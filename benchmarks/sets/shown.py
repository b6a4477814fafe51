"""Where the pages of a PDF show a text, told by letters alone: spaces, hyphens, capitals and ligatures do not count."""

from __future__ import annotations

import bisect
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2

_NEXT = 12
"""Letters of the next text that tell a heading from other places of its words."""
_BESIDE = 14
"""Points between the tops of a line and of the next one in another column, at most."""
_NUMBER = re.compile(r"(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*\s*[.:|)]?\s*")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A page, the half of its text's width (margins differ from side to side), and how far from its top."""

    page: int
    half: int
    down: float


class Pages:
    """The letters of all pages, in the order in which they are painted."""

    def __init__(self, pdf: Path) -> None:
        self._shown: list[str] = []
        self._places: list[Place] = []
        self._starts = [0]
        document = pypdfium2.PdfDocument(pdf)
        try:
            for number, page in enumerate(document):
                self._add(number, page)
        finally:
            document.close()
        self.letters = "".join(map(letters, self._shown))
        self._at = [n for n, shown in enumerate(self._shown) for _ in letters(shown)]
        self._lines = sorted({bisect.bisect_left(self._at, start) for start in self._starts} | {len(self.letters)})

    def find(self, text: str, since: int = 0) -> int | None:
        """Where the letters of `text` begin, at `since` or later, else anywhere; None where they are not shown."""
        wanted = letters(text)
        places = (self.letters.find(wanted, start) for start in (since, 0) if wanted)
        return next((at for at in places if at >= 0), None)

    def heading(self, text: str, after: str, since: int = 0) -> tuple[int, str] | None:
        """Where `text` fills whole lines, but for a number before it, and how it is shown there.

        Of several places the one that is followed by `after` counts, else the first at `since` or later.
        """
        wanted = letters(text)
        places = list(self._every(wanted + letters(after)[:_NEXT])) or [at for at in self._every(wanted) if at >= since]
        return self._filling(places, text)

    def headed(self, text: str, after: str) -> tuple[int, str] | None:
        """The same, but only where `after` follows."""
        return self._filling(self._every(letters(text) + letters(after)[:_NEXT]), text)

    def _filling(self, places: Iterable[int], text: str) -> tuple[int, str] | None:
        wanted = letters(text)
        for at in places:
            lead = self._lead(at, len(wanted))
            if lead is not None:
                shown = "".join(self._shown[self._at[n]] for n in range(at, at + len(wanted)))
                return at, lead + (text.upper() if shown.isupper() else text)
        return None

    def place(self, at: int) -> Place:
        """Of the letter at `at`."""
        return self._places[self._at[at]]

    def above(self, at: int) -> list[str]:
        """The lines that stand over the one at `at` on its page, from the top; no running heads."""
        here = self.place(at)
        found: list[tuple[float, str]] = []
        others: list[tuple[float, str]] = []
        for start, end in itertools.pairwise(self._starts):
            text = " ".join("".join(self._shown[start:end]).split())
            places = self._places[start:end]
            if text and places[0].page != here.page:
                others.append((places[0].down, letters(text)))
            elif text and here.down - max(each.down for each in places) > _BESIDE / 2:
                found.append((places[0].down, text))
        return [
            text
            for down, text in sorted(found)
            if not any(abs(at - down) < _BESIDE / 2 and other.startswith(letters(text)) for at, other in others)
        ]

    def wide(self, at: int, count: int) -> bool:
        """Whether the text of `count` letters at `at` crosses its page's middle, or has nothing beside it."""
        here = self.place(at)
        same = [self.place(n) for n in range(at, min(at + count, len(self.letters)))]
        if len({each.half for each in same if each.page == here.page}) > 1:
            return True
        beside = (each for each in self._places if each.page == here.page and each.half != here.half)
        return not any(abs(each.down - here.down) < _BESIDE for each in beside)

    def _every(self, wanted: str) -> Iterator[int]:
        at = self.letters.find(wanted) if wanted else -1
        while at >= 0:
            yield at
            at = self.letters.find(wanted, at + 1)

    def _lead(self, at: int, count: int) -> str | None:
        """The number before the letters at `at`; None where other words stand in their lines."""
        line = self._lines[bisect.bisect_right(self._lines, at) - 1]
        if at + count not in self._lines:
            return None
        lead = "".join(self._shown[self._at[line] : self._at[at]]) if line < at else ""
        return f"{lead.strip()} ".lstrip() if not lead or _NUMBER.fullmatch(lead) else None

    def _add(self, number: int, page: pypdfium2.PdfPage) -> None:
        _, height = page.get_size()
        shown = page.get_textpage()
        lines: list[list[tuple[float, float]]] = [[]]
        for index in range(shown.count_chars()):
            letter = shown.get_text_range(index, 1)
            if letter in "\r\n":
                self._starts.append(len(self._shown))
                lines.append([])
                continue
            left, _, _, top = shown.get_charbox(index)
            self._shown.append(letter)
            lines[-1].append((left, height - top))
        self._starts.append(len(self._shown))
        middle = _middle(lines)
        self._places += [Place(number, int(left > middle), down) for line in lines for left, down in line]


def _middle(lines: Sequence[Sequence[tuple[float, float]]]) -> float:
    """Of the width of a page's text; what is printed up along a margin is none."""
    lying = [line for line in lines if line and _span(left for left, _ in line) > _span(down for _, down in line)]
    lefts = [left for line in lying for left, _ in line]
    return (min(lefts) + max(lefts)) / 2 if lefts else 0.0


def _span(values: Iterable[float]) -> float:
    known = list(values)
    return max(known) - min(known)


def letters(text: str) -> str:
    """Letters and digits, small and with ligatures taken apart."""
    return "".join(each for each in unicodedata.normalize("NFKD", text).casefold() if each.isalnum())
