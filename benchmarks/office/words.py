"""How far two prints of one file agree, by the words that poppler finds in them."""

from __future__ import annotations

import html
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reading.witness import text_of
from benchmarks.watching.tables import Row

_NEAR = 36  # points: half an inch, two lines and a half
_MOST_SECONDS = 60
_BBOX = re.compile(r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>|<(page) ')
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Agreement:
    """Of the words that LibreOffice's print shows: how many, the share that ours shows, and near the same place.

    stated: words that the file has for its own libraries and that LibreOffice shows; lost: those of them that ours does
    not show.
    pages: ours, LibreOffice's.
    """

    shown: int = 0
    found: float = 0.0
    near: float = 0.0
    stated: int = 0
    lost: int = 0
    pages: tuple[int, int] = (0, 0)

    def row(self) -> Row:
        """For a table."""
        return {
            "words": self.shown,
            "found": round(self.found, 3),
            "near": round(self.near, 3),
            "stated": self.stated,
            "lost": self.lost,
            "pages": f"{self.pages[0]}/{self.pages[1]}",
        }


Places = dict[str, list[tuple[int, float, float]]]


def agreement(source: Path, ours: Path | None, theirs: Path | None) -> Agreement:
    """Hold one print against the other, where there are both."""
    if ours is None or theirs is None:
        return Agreement()
    mine, my_pages = _placed(ours)
    other, their_pages = _placed(theirs)
    shown = sum(map(len, other.values()))
    found = sum(min(len(places), len(mine.get(word, ()))) for word, places in other.items())
    near = sum(_near(places, mine.get(word, [])) for word, places in other.items())
    stated = Counter(_stated(source)) & Counter({word: len(places) for word, places in other.items()})
    lost = stated - Counter({word: len(places) for word, places in mine.items()})
    share = (found / shown, near / shown) if shown else (0.0, 0.0)
    return Agreement(shown, *share, stated.total(), lost.total(), (my_pages, their_pages))


def _placed(path: Path) -> tuple[Places, int]:
    """The words of a PDF in small letters, each with its pages and places; and how many pages there are."""
    asked = ["pdftotext", "-bbox", str(path), "-"]
    done = subprocess.run(asked, capture_output=True, check=True, timeout=_MOST_SECONDS)
    text = done.stdout.decode("utf-8", "replace")
    found: Places = defaultdict(list)
    page = 0
    for left, top, right, bottom, word, begins in _BBOX.findall(text):
        if begins:
            page += 1
            continue
        for part in _words(html.unescape(word)):
            found[part].append((page, (float(left) + float(right)) / 2, (float(top) + float(bottom)) / 2))
    return found, page


def _near(wanted: list[tuple[int, float, float]], there: list[tuple[int, float, float]]) -> int:
    """How many of the wanted places have one that is there beside them, each taken once."""
    free, count = list(there), 0
    for page, x, y in wanted:
        beside = (at for at in free if at[0] == page and abs(at[1] - x) <= _NEAR and abs(at[2] - y) <= _NEAR)
        if (taken := next(beside, None)) is not None:
            free.remove(taken)
            count += 1
    return count


def _stated(path: Path) -> Iterator[str]:
    """The words of the file itself, as python-docx, openpyxl and python-pptx read it; none of one that they do not."""
    with suppress(Exception):  # files of tests have every fault there is
        yield from _words(text_of([path]))


def _words(text: str) -> Iterator[str]:
    yield from _WORD.findall(text.casefold())
