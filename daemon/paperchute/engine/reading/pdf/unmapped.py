"""What characters mean for which PDFium has no Unicode value, or a wrong one: it gives their codes in their font."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.calls import Handle
from paperchute.engine.reading.pdf.large_signs import is_of_large_signs, large_sign
from paperchute.engine.reading.pdf.page_glyphs import Meanings
from paperchute.engine.reading.pdf.publishers_signs import is_publishers
from paperchute.engine.reading.pdf.spelling import UNREADABLE
from paperchute.engine.reading.pdf.styles import Fonts

_CODES = 256  # of a simple font; of others PDFium gives other characters where it has no Unicode value
_SPACE = 0x20  # what is not above it is no sign
_BLANK = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x85]|\r(?!\n)|(?<!\r)\n")
"""Codes that make no word, or a hyphen, where they are taken for characters; PDFium ends lines with two."""
_SPELLED = 0xF0000
"""The first of the private characters that stand for several, so that places in the text stay places on the page."""
_MOST_SPELLED = 0xFFFE  # of these
_SYMBOLS = re.compile(r"cmsy\d", re.IGNORECASE)
_OMS = {"\x1c": "≪", "\x1d": "≫", "7": "↦", "h": "⟨", "i": "⟩"}
"""Of TeX's font of symbols (cmsy10 and its kin), the codes for whose names in the font PDFium has no Unicode value."""


class Spans(NamedTuple):
    """Where words and text objects begin: the places, upwards, of each the number of its font; the fonts by name."""

    places: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.intp]
    fonts: Sequence[str]


class Meant(NamedTuple):
    """The text with what is meant for the codes; what private characters in it stand for; the places of all."""

    text: str
    spelled: dict[int, str]
    places: list[int]


def with_meanings(page: Handle, text: str, spans: Spans, fonts: Fonts, names: Callable[[], Meanings]) -> Meant | None:
    """The page's text with what its codes mean; None where all its characters have Unicode values.

    names: asked once, and only where there are such codes. What its font names, and nobody knows, is `UNREADABLE`
    where it would be taken for a space; signs of formulas are not.
    """
    places = _unmapped(page, text, spans)
    if not places:
        return None
    items = calls.text_objects(page, places).tolist()
    known = [item for item in dict.fromkeys(items) if item]
    looks = dict(zip(known, zip(*map(np.ndarray.tolist, calls.fonts(calls.handles(known))), strict=True), strict=True))
    signs, spelled, given, done = list(text), dict[str, int](), None, []
    for place, item in zip(places, items, strict=True):
        if not item:
            continue
        font = fonts.of(*looks[item])
        if is_of_large_signs(font.name):
            signs[place] = large_sign(text[place])
            done.append(place)
            continue
        given = names() if given is None else given
        meant = meaning_of(font.name, text[place], given)
        if len(meant) > 1 and len(spelled) < _MOST_SPELLED:
            meant = chr(spelled.setdefault(meant, _SPELLED + len(spelled)))
        if len(meant) == 1:
            signs[place] = meant
            done.append(place)
        elif (font.name, ord(text[place])) in given and _BLANK.match(text[place]) and not font.math:
            signs[place] = UNREADABLE
    return Meant("".join(signs), {number: letters for letters, number in spelled.items()}, done)


def meaning_of(font: str, code: str, names: Meanings) -> str:
    """What a character of a font means by the names in the file, else by the font's own; empty where neither says."""
    known = _OMS.get(code, "") if _SYMBOLS.match(font) else ""
    return names.get((font, ord(code)), known)


def _unmapped(page: Handle, text: str, spans: Spans) -> list[int]:
    """The places of characters without a Unicode value, and of those that publishers' fonts of signs give a wrong one.

    One character of each kind is asked about, and all of the fonts of which one has none.
    """
    blank = [match.start() for match in _BLANK.finditer(text)]
    lost = list(itertools.compress(blank, calls.unmapped(page, blank)))
    if not len(spans.places):
        return lost
    start = int(spans.places[0])
    codes = np.frombuffer(text[start:].encode("utf-32-le", "surrogatepass"), np.uint32)
    numbers = np.repeat(spans.numbers, np.diff(spans.places, append=len(text)))
    example = np.full((len(spans.fonts), _CODES + 1), -1)
    example[numbers, np.minimum(codes, _CODES)] = np.arange(start, len(text))
    known = example[:, :_CODES].ravel()
    asked = known[known >= 0].tolist()
    bad_fonts = {int(numbers[place - start]) for place in itertools.compress(asked, calls.unmapped(page, asked))}
    wrong = [number for number, font in enumerate(spans.fonts) if is_publishers(font)]
    if not bad_fonts and not wrong:
        return lost
    asked = ((np.isin(numbers, list(bad_fonts)) & (codes < _CODES)).nonzero()[0] + start).tolist()
    found = itertools.compress(asked, calls.unmapped(page, asked))
    claimed = (np.isin(numbers, wrong) & (codes < _CODES) & (codes > _SPACE)).nonzero()[0] + start
    return sorted({*lost, *found, *claimed.tolist()})
