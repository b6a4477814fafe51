"""The names that the fonts of a page give their glyphs, which PDFium does not tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pikepdf

from paperchute.engine.pdf.document import FAULTS, unlocked
from paperchute.engine.reading.pdf.glyph_names import listed, meaning
from paperchute.engine.reading.pdf.sign_fonts import sign_font
from paperchute.engine.reading.pdf.styles import SUBSET

Meanings = Mapping[tuple[str, int], str]
"""By the base name of a font, without the tag of its subset, and the number that PDFium gives for a character, which is
its code where PDFium knows none: the text it stands for."""

# Bounds on work on hostile files:
_DEEPEST = 4  # forms within forms
_MOST_FORMS = 200  # of a page
_MOST_FONTS = 500  # of a page
_MOST_NAMES = 2_000  # of a font, with the codes between them
_CODES = 256  # of a simple font

_UNSURE = ""  # two fonts of one name differ


class PageGlyphs:
    """The fonts of one file, looked at where a page asks; the file is opened with the first."""

    def __init__(self, path: Path, password: str) -> None:
        self._path = path
        self._password = password
        self._pdf: pikepdf.Pdf | None = None
        self._fonts: dict[tuple[int, int], dict[int, str | None]] = {}

    def of(self, index: int) -> Meanings:
        """Return what the codes of the fonts of page `index` (0-based) mean by the names of their glyphs.

        The meaning is empty where the name says nothing, or two fonts of one base name say different things. A damaged
        page has nothing.
        """
        found: dict[tuple[str, int], str] = {}
        words: set[tuple[str, int]] = set()
        try:
            if self._pdf is None:
                self._pdf = unlocked(self._path, self._password)
            resources = self._pdf.pages[index].resources
            for font in islice(_fonts(resources, _DEEPEST, iter(range(_MOST_FORMS))), _MOST_FONTS):
                base = _name(font)
                for code, text in self._names(font).items():
                    key = (base, code)
                    if text is None:
                        words.add(key)
                    else:
                        found[key] = text if found.get(key, text) == text else _UNSURE
        except (*FAULTS, OSError):
            return {}
        return dict.fromkeys(words, _UNSURE) | found

    def close(self) -> None:
        """Close the file."""
        if self._pdf is not None:
            self._pdf.close()
            self._pdf = None

    def _names(self, font: pikepdf.Dictionary) -> dict[int, str | None]:
        key = font.objgen
        if key not in self._fonts or not font.is_indirect:
            self._fonts[key] = _differences(font)
        return self._fonts[key]


def _fonts(resources: Any, depth: int, room: Iterator[int]) -> Iterator[pikepdf.Dictionary]:
    """The fonts in resources and in those of their forms, each of which takes from `room`."""
    if not isinstance(resources, pikepdf.Dictionary):
        return
    fonts = resources.get("/Font")
    if isinstance(fonts, pikepdf.Dictionary):
        yield from (font for font in fonts.as_dict().values() if isinstance(font, pikepdf.Dictionary))
    forms = resources.get("/XObject")
    if depth and isinstance(forms, pikepdf.Dictionary):
        for form in forms.as_dict().values():
            if next(room, None) is None:
                return
            if isinstance(form, pikepdf.Stream) and form.get("/Subtype") == pikepdf.Name.Form:
                yield from _fonts(form.get("/Resources"), depth - 1, room)


def _name(font: pikepdf.Dictionary) -> str:
    """The base name of a font, without the tag of its subset."""
    return SUBSET.sub("", str(font.get("/BaseFont", "")).removeprefix("/"))


def _differences(font: pikepdf.Dictionary) -> dict[int, str | None]:
    """Return what the codes mean that a font's encoding names (ISO 32000-1, 9.6.6.2)."""
    encoding = font.get("/Encoding")
    names = encoding.get("/Differences") if isinstance(encoding, pikepdf.Dictionary) else None
    is_drawn = font.get("/Subtype") == pikepdf.Name.Type3
    signs = sign_font(_name(font))
    found: dict[int, str | None] = {}
    code = 0
    for item in islice(names, _MOST_NAMES) if isinstance(names, pikepdf.Array) else ():
        if not isinstance(item, pikepdf.Name):
            code = int(item)
            continue
        if 0 <= code < _CODES:
            name = str(item)[1:]
            if signs is not None:
                claimed = listed(name)
                given, sign = ord(claimed) if len(claimed) == 1 else code, signs.named(name)
                found[given] = sign if found.get(given, sign) == sign else _UNSURE
            else:
                found[code] = meaning(name)
                if is_drawn and found[code] is None:
                    found[code] = listed(name)
        code += 1
    return found
