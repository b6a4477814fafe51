"""Characters that a file does not name, in words of which it names the others: read from how the page looks.

A ligature of a publisher's own, an apostrophe without a Unicode value. What recognition reads at the place of such a
word is believed where it agrees with each character that is known, and only for the one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.imaging.measures import PRINT
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.pdf.spelling import UNREADABLE

_SIGNS = "'-+°·×±µ"
"""What a character that is no letter may be. No digit: nothing but its own look speaks for it, and it counts."""
_LIGATURES = re.compile("ff[bhijklt]?|f[bhijklt]|tt?[hit]|Th|[cs]t|sp|c[hk]|tz|ij|IJ|[ao]e")
"""What else but a letter with an accent one character stands for. Other letters are the next one's, read twice."""
_ALIKE = str.maketrans("’‘“”´`–—−‐μ•", "''\"\"''----µ·")
"""Signs that recognition takes for each other, as the one that is asked about."""


def places_of_gaps(words: Sequence[Word]) -> list[Box]:
    """Return where the words stand that are to be filled, with the paper around them."""
    if not any(UNREADABLE in word.text for word in words):
        return []
    return [hull(w.box for w in run).grown(PRINT.part * run[0].size) for run in _runs(words) if _is_gapped(run)]


def with_gaps_filled(words: Sequence[Word], seen: Sequence[Word]) -> list[Word]:
    """The words of a page, with the characters that are unknown as they were recognised, where the others agree."""
    result: list[Word] = []
    for run in _runs(words):
        parts = _parts(run, seen) if _is_gapped(run) else None
        if parts is None:
            result += run
            continue
        sure = min(word.confidence for word in _at(hull(word.box for word in run), seen))
        for word in run:
            gaps = word.text.count(UNREADABLE)
            text = word.text
            for part in parts[:gaps]:
                text = text.replace(UNREADABLE, part, 1)
            parts = parts[gaps:]
            result.append(replace(word, text=text, confidence=sure) if gaps else word)
    return result


def _runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    """The pieces of each printed word."""
    run: list[Word] = []
    for word in words:
        if run and not word.glued:
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _is_gapped(run: Sequence[Word]) -> bool:
    """Decide whether a word has unknown characters, none beside another, and enough that are known."""
    text = "".join(word.text for word in run)
    return (
        0 < text.count(UNREADABLE) <= PRINT.some
        and 2 * UNREADABLE not in text
        and sum(map(str.isalnum, text)) >= PRINT.pair
        and all(word.angle == 0 and not word.stacked for word in run)
    )


def _parts(run: Sequence[Word], seen: Sequence[Word]) -> list[str] | None:
    """Return what stands for the unknown characters of a word; None where recognition does not say it surely."""
    here = _at(hull(word.box for word in run), seen)
    if not here or min(word.confidence for word in here) < PRINT.most:
        return None
    known = re.escape("".join(word.text for word in run).translate(_ALIKE))
    pattern = known.replace(re.escape(UNREADABLE), f"(.{{1,{PRINT.some}}}?)")
    found = re.fullmatch(pattern, "".join(word.text for word in here).translate(_ALIKE))
    parts = list(found.groups()) if found else []
    return parts if parts and all(map(_may_be_unnamed, parts)) else None


def _may_be_unnamed(part: str) -> bool:
    """Decide whether a character may be meant that fonts have no name for: no plain letter, and no digit."""
    return bool(_LIGATURES.fullmatch(part)) or (
        len(part) == 1 and ((part.isalpha() and not part.isascii()) or part in _SIGNS)
    )


def _at(place: Box, seen: Sequence[Word]) -> list[Word]:
    """The recognised words at a place, from left to right; none where one of them reaches out of it."""
    near = [word for word in seen if word.angle == 0 and word.box.overlap(place) > 0]
    here = [word for word in near if word.box.overlap(place) > PRINT.half * word.box.area]
    here.sort(key=lambda word: word.left)
    return here if all(before.right <= after.right for before, after in pairwise(here)) else []
