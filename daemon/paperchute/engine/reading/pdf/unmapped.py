"""What characters mean for which PDFium has no Unicode value, or a wrong one: it gives their codes in their font."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.engine.reading.pdf import calls
from paperchute.engine.reading.pdf.calls import Handle
from paperchute.engine.reading.pdf.large_signs import is_of_large_signs, large_sign
from paperchute.engine.reading.pdf.page_glyphs import Meanings
from paperchute.engine.reading.pdf.sign_fonts import sign_font
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


_OF_AMOUNTS = "0123456789,."
_LYING, _BROAD = "−=", "+×÷±<>"
"""Signs that fonts of signs have in the place of these, and that look like none of them."""


class Spans(NamedTuple):
    """Where words and text objects begin: the places, upwards, of each the number of its font; the fonts by name."""

    places: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.intp]
    fonts: Sequence[str]


class _Kinds(NamedTuple):
    """From the first place `start` on, the code of each character and the number of its font.

    examples: by font and code, up to that for all higher ones, the place of the last such character; -1 for none.
    """

    start: int
    codes: npt.NDArray[np.uint32]
    numbers: npt.NDArray[np.intp]
    examples: npt.NDArray[np.int64]

    @classmethod
    def of(cls, text: str, spans: Spans) -> _Kinds:
        """Those of a text."""
        start = int(spans.places[0]) if len(spans.places) else len(text)
        codes = np.frombuffer(text[start:].encode("utf-32-le", "surrogatepass"), np.uint32)
        numbers = np.repeat(spans.numbers, np.diff(spans.places, append=len(text)))
        examples = np.full((len(spans.fonts), _CODES + 1), -1)
        examples[numbers, np.minimum(codes, _CODES)] = np.arange(start, len(text))
        return cls(start, codes, numbers, examples)


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
    kinds = _Kinds.of(text, spans)
    places, claimed = _unmapped(page, text, spans, kinds), _claimed(page, text, spans)
    flat = frozenset(_flat_figures(page, kinds))
    if not places and not claimed and not flat:
        return None
    items = calls.text_objects(page, places).tolist()
    known = [item for item in dict.fromkeys(items) if item]
    looks = dict(zip(known, zip(*map(np.ndarray.tolist, calls.fonts(calls.handles(known))), strict=True), strict=True))
    signs, spelled, given, done = list(text), dict[str, int](), None, [*claimed]
    for place, sign in (dict.fromkeys(flat, UNREADABLE) | claimed).items():
        signs[place] = sign
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
        if place in flat and meant.isdecimal():
            continue
        if len(meant) > 1 and len(spelled) < _MOST_SPELLED:
            meant = chr(spelled.setdefault(meant, _SPELLED + len(spelled)))
        if len(meant) == 1:
            signs[place] = meant
            done.append(place)
        elif (font.name, ord(text[place])) in given and _BLANK.match(text[place]) and not font.math:
            signs[place] = UNREADABLE
    return Meant("".join(signs), {number: letters for letters, number in spelled.items()}, done)


def _flat_figures(page: Handle, kinds: _Kinds) -> list[int]:
    """The places of figures that are none, by the look of one of each font: a minus that claims to be a 2.

    Figures are upright; what a font shows in their place lies, as a minus and an equals sign do.
    """
    known = kinds.examples[:, ord("0") : ord("9") + 1]
    asked = known[known >= 0].tolist()
    loose, ink = calls.loose_boxes(page, asked), calls.ink_boxes(page, asked)
    height, width = ink[:, 3] - ink[:, 2], ink[:, 1] - ink[:, 0]
    high = loose[:, 1] - loose[:, 3]
    # Of 11,852 kinds of figures in 700 public files 6 are so: marks in the place of a 2. The lowest figures have .26.
    lies = (height > 0) & (height < TYPOGRAPHY.same_baseline * high) & (height < TYPOGRAPHY.most * width)
    if not lies.any():
        return []
    turned = calls.matrices(page, asked)
    flat = [place - kinds.start for place in itertools.compress(asked, lies & (turned[:, 1:3] == 0).all(axis=1))]
    own = kinds.numbers.astype(np.int64) * _CODES + np.minimum(kinds.codes, _CODES - 1)
    return (np.isin(own, own[flat]).nonzero()[0] + kinds.start).tolist()


def meaning_of(font: str, code: str, names: Meanings) -> str:
    """What a character of a font means by the names in the file, else by the font's own; empty where neither says."""
    own = sign_font(font)
    known = own.signs if own is not None else _OMS if _SYMBOLS.match(font) else {}
    return names.get((font, ord(code)), known.get(code, ""))


def _claimed(page: Handle, text: str, spans: Spans) -> dict[int, str]:
    """The places of characters that their fonts, for themselves, show as other signs, with these."""
    ends = [*spans.places[1:].tolist(), len(text)]
    numbers = spans.numbers.tolist()
    own = [None if font is None or font.is_spelled else font.signs for font in map(sign_font, spans.fonts)]
    if not any(own):
        return {}
    found = {
        place: (number, signs[text[place]])
        for start, end, number in zip(spans.places.tolist(), ends, numbers, strict=True)
        if (signs := own[number])
        for place in range(start, end)
        if text[place] in signs
    }
    false = _only_named_so(page, text, found)
    return {place: sign for place, (number, sign) in found.items() if number not in false}


def _only_named_so(page: Handle, text: str, claims: Mapping[int, tuple[int, str]]) -> set[int]:
    """The fonts that are no fonts of signs, by the look of one of each figure, comma and full stop that they claim.

    claims: by the place of a character the number of its font, and the sign in its place.
    """
    examples = {
        (number, text[place]): place
        for place, (number, sign) in claims.items()
        if text[place] in _OF_AMOUNTS and sign in _LYING + _BROAD
    }
    asked = list(examples.values())
    if not asked:
        return set()
    loose, ink = calls.loose_boxes(page, asked), calls.ink_boxes(page, asked)
    high, height, width = loose[:, 1] - loose[:, 3], ink[:, 3] - ink[:, 2], ink[:, 1] - ink[:, 0]
    turned = calls.matrices(page, asked)
    seen = (height > 0) & (turned[:, 1] == 0) & (turned[:, 2] == 0)
    lies = np.array([claims[place][1] in _LYING for place in asked])
    # A plus and its kin have .8 to 1.1 of their width, and figures but a bold 4 more.
    broad = (height >= TYPOGRAPHY.same_baseline * high) & (height <= TYPOGRAPHY.plainly_larger * width)
    fits = np.where(lies, height < TYPOGRAPHY.most * width, broad)
    return {claims[place][0] for place in itertools.compress(asked, seen & ~fits)}


def _unmapped(page: Handle, text: str, spans: Spans, kinds: _Kinds) -> list[int]:
    """The places of characters without a Unicode value, and of those in fonts whose names for them say more.

    One character of each kind is asked about, and all of the fonts of which one has none.
    """
    blank = [match.start() for match in _BLANK.finditer(text)]
    lost = list(itertools.compress(blank, calls.unmapped(page, blank)))
    start, codes, numbers, examples = kinds
    known = examples[:, :_CODES].ravel()
    asked = known[known >= 0].tolist()
    bad_fonts = {int(numbers[place - start]) for place in itertools.compress(asked, calls.unmapped(page, asked))}
    wrong = [number for number, font in enumerate(map(sign_font, spans.fonts)) if font is not None and font.is_spelled]
    if not bad_fonts and not wrong:
        return lost
    asked = ((np.isin(numbers, list(bad_fonts)) & (codes < _CODES)).nonzero()[0] + start).tolist()
    found = itertools.compress(asked, calls.unmapped(page, asked))
    named = (np.isin(numbers, wrong) & (codes > _SPACE)).nonzero()[0] + start
    return sorted({*lost, *found, *named.tolist()})
