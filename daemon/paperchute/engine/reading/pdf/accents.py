"""Accents that are characters of their own, as TeX's older fonts set them over and under letters."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.calls import Handle


@dataclass(frozen=True, slots=True)
class AccentSettings:
    """Where an accent belongs to a letter. Distances are shares of the height of the letter's font."""

    far: int = 250
    """Characters between an accent and its letter, where accents have drifted along their line, which is not longer."""


ACCENTS = AccentSettings()

_MARKS = {
    "`": "\u0300",
    "´": "\u0301",
    "ˊ": "\u0301",
    "^": "\u0302",
    "ˆ": "\u0302",
    "~": "\u0303",
    "˜": "\u0303",
    "¯": "\u0304",
    "ˉ": "\u0304",
    "˘": "\u0306",
    "˙": "\u0307",
    "¨": "\u0308",
    "˚": "\u030a",
    "˝": "\u030b",
    "ˇ": "\u030c",
    "¸": "\u0327",
    "˛": "\u0328",
}
_BELOW = "¸˛"
_OF_CODE = "^~"  # these mostly stand in code, alone
_ACCENT = re.compile("[" + re.escape("".join(_MARKS)) + "]")
_DOTLESS = {"ı": "i", "ȷ": "j", "\uf6be": "j"}  # the last by Adobe's list of glyph names


def with_accents(page: Handle, text: str) -> tuple[str, list[int]] | None:
    """The page's text with its accents on their letters, and the place of each of its characters on the page.

    None where no accent belongs to a letter.
    """
    places = [match.start() for match in _ACCENT.finditer(text)]
    if not places:
        return None
    letters = dict(_letters(page, text, places, TYPOGRAPHY.several))
    drifted = [place for place in places if place not in letters and text[place] not in _OF_CODE]
    letters |= _letters(page, text, drifted, ACCENTS.far)
    signs = list(text)
    joined: dict[int, int] = {}
    for place, letter in sorted(letters.items()):
        composed = _composed(signs[letter], text[place])
        if composed:
            signs[letter] = composed
            joined[place] = letter
    if not joined:
        return None
    gone = _gone(page, signs, joined)
    kept = [place for place in range(len(signs)) if place not in gone]
    return "".join(map(signs.__getitem__, kept)), kept


def _composed(letter: str, accent: str) -> str:
    """The letter with its accent; empty where Unicode has no character for both."""
    found = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _MARKS[accent])
    return found if len(found) == 1 else ""


def _letters(page: Handle, text: str, accents: list[int], reach: int) -> Iterator[tuple[int, int]]:
    """The places of accents, and of the letters over or under which they stand, up to `reach` characters away."""
    around = {near for place in accents for near in range(max(place - reach, 0), min(place + reach + 1, len(text)))}
    places = sorted(near for near in around if text[near].isalpha() and text[near] not in _MARKS)
    if not places:
        return
    left, right, bottom, top = calls.ink_boxes(page, places).T
    height = calls.loose_boxes(page, places) @ (0, 1, 0, -1)
    baseline = calls.origins(page, places)[:, 1]
    boxes, baselines = calls.ink_boxes(page, accents), calls.origins(page, accents)[:, 1]
    for place, box, own in zip(accents, boxes.tolist(), baselines.tolist(), strict=True):
        near = slice(bisect.bisect(places, place - reach - 1), bisect.bisect(places, place + reach))
        middle = (box[0] + box[1]) / 2
        tall = height[near]
        rise = own - baseline[near]
        fits = (left[near] - TYPOGRAPHY.hardly * tall <= middle) & (middle <= right[near] + TYPOGRAPHY.hardly * tall)
        fits &= (rise >= -TYPOGRAPHY.touching * tall) & (rise <= TYPOGRAPHY.half_em * tall) & (tall > 0)
        if text[place] in _BELOW:
            fits &= box[3] <= bottom[near] + TYPOGRAPHY.touching * tall
        else:
            fits &= box[2] >= top[near] - TYPOGRAPHY.touching * tall
        found = [near.start + int(number) for number in fits.nonzero()[0]]
        found = [number for number in found if _composed(text[places[number]], text[place])]
        if found:
            yield place, places[min(found, key=lambda number: abs(left[number] + right[number] - 2 * middle))]


def _gone(page: Handle, signs: list[str], joined: dict[int, int]) -> set[int]:
    """The places of accents that stand on letters now, and of spaces inside words that PDFium put there for them.

    Where there is a space on the page, and none in the text, the accent becomes one.
    """

    def is_blank(place: int) -> bool:
        return 0 <= place < len(signs) and (place in joined or signs[place].isspace())

    runs: dict[int, int] = {}
    for seed in _seeds(joined):
        if not is_blank(seed):
            continue
        start = after = seed
        while is_blank(start - 1):
            start -= 1
        while is_blank(after):
            after += 1
        runs[start] = after
    inner = {start: after for start, after in runs.items() if start > 0 and after < len(signs)}
    ends = [place for start, after in inner.items() for place in (start - 1, after)]
    boxes, baselines = calls.loose_boxes(page, ends).tolist(), calls.origins(page, ends)[:, 1].tolist()
    close = {
        start
        for number, start in enumerate(inner)
        if _is_close(*boxes[2 * number : 2 * number + 2], *baselines[2 * number : 2 * number + 2])
    }
    gone: set[int] = set()
    for start, after in runs.items():
        if start in close:
            gone.update(range(start, after))
            continue
        accents = [place for place in range(start, after) if place in joined]
        gone.update(accents)
        if accents and len(accents) == after - start:
            signs[start] = " "
            gone.discard(start)
    return gone


def _seeds(joined: dict[int, int]) -> Iterable[int]:
    """The accents, and what stands before and after their letters."""
    yield from joined
    for letter in joined.values():
        yield from (letter - 1, letter + 1)


def _is_close(before: list[float], here: list[float], baseline: float, other: float) -> bool:
    """Decide whether no space parts two characters; boxes are (left, top, right, bottom)."""
    tall = max(before[1] - before[3], here[1] - here[3])
    gap = here[0] - before[2]
    half = TYPOGRAPHY.half_em * tall
    return abs(baseline - other) <= half and -half <= gap <= TYPOGRAPHY.touching * tall
