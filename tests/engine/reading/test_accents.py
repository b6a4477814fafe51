"""Accents that are characters of their own, set over and under their letters as TeX's older fonts do."""

from __future__ import annotations

import itertools
import tempfile
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import pikepdf
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from paperchute.engine.reading.pdf.document import opened
from paperchute.engine.reading.pdf.reader import Options, read_pdf

_NAMES = {
    "\u0300": "grave",
    "\u0301": "acute",
    "\u0302": "circumflex",
    "\u0303": "tilde",
    "\u0304": "macron",
    "\u0306": "breve",
    "\u0307": "dotaccent",
    "\u0308": "dieresis",
    "\u030a": "ring",
    "\u030b": "hungarumlaut",
    "\u030c": "caron",
    "\u0327": "cedilla",
    "\u0328": "ogonek",
}
_CODES = {mark: code for code, mark in enumerate(_NAMES, 128)}
_DOTLESS = 160
_PLAIN = [chr(code) for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))]
_LETTERS = [
    composed
    for letter, mark in itertools.product(_PLAIN, _NAMES)
    if len(composed := unicodedata.normalize("NFC", letter + mark)) == 1
    and composed != "ģ"  # whose cedilla is a comma, and above
]
_SIZE = 10.0
# Of Courier, which all readers have, in the font's thousandths: all characters advance the same.
_ADVANCE, _X_HEIGHT, _HEIGHT = 600, 426, 562


def _accented(word: str, x: float, y: float) -> bytes:
    """The operators by which TeX prints a word: each accent goes back over its letter, and up where that is high."""
    parts, plain = [], b""
    for number, letter in enumerate([*unicodedata.normalize("NFC", word), ""]):
        place = x + number * _ADVANCE * _SIZE / 1000
        base, *marks = list(unicodedata.normalize("NFD", letter) or " ")
        if (marks or not letter) and plain:
            parts.append(_shown(plain, place - len(plain) * _ADVANCE * _SIZE / 1000, y))
            plain = b""
        for mark in marks:
            is_high = mark not in "\u0327\u0328" and (base.isupper() or base in "bdfhkltij")
            raised = (_HEIGHT - _X_HEIGHT) * _SIZE / 1000 if is_high else 0.0
            parts.append(_shown(bytes([_CODES[mark]]), place, y + raised))
        plain += bytes([_DOTLESS]) if base == "i" and marks else base.encode()
    return b"\n".join(parts)


def _shown(code: bytes, x: float, y: float) -> bytes:
    text = code.replace(b"\\", rb"\\").replace(b"(", rb"\(").replace(b")", rb"\)")
    return b"BT /R %g Tf %.3f %.3f Td (%b) Tj ET" % (_SIZE, x, y, text)


def _read(content: Sequence[bytes]) -> str:
    """The text of a page with that content, in a font of TeX's accents."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    names = [*(Name(f"/{name}") for name in _NAMES.values())]
    encoding = Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([128, *names, _DOTLESS, Name.dotlessi]))
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Courier, Encoding=encoding)
    page.Resources = Dictionary(Font=Dictionary(R=font))
    page.Contents = pdf.make_stream(b"\n".join(content))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        pdf.save(path)
        with opened(path, path.name, "") as document:
            found = read_pdf(document, [0], Options())
            return " ".join(line.text for page in found.pages for block in page.blocks for line in block.lines)


@given(st.lists(st.text(st.sampled_from([*_PLAIN, *_LETTERS]), min_size=1, max_size=9), min_size=1, max_size=5))
@settings(max_examples=25, deadline=None)
def test_any_words_whose_accents_are_set_as_tex_does_come_back(words: list[str]) -> None:
    assume(words[0] != "o")  # alone it is the bullet of a list
    content, place = [], 72.0
    for word in words:
        content.append(_accented(word, place, 700))
        place += (len(word) + 1) * _ADVANCE * _SIZE / 1000
    assert _read(content) == " ".join(words)


def test_each_letter_with_its_accent() -> None:
    words = [f"o{letter}o" for letter in _LETTERS]
    step = 4 * _ADVANCE * _SIZE / 1000
    places = [(72 + step * (n % 16), 780 - 16 * (n // 16)) for n in range(len(words))]
    assert _read([_accented(word, *place) for word, place in zip(words, places, strict=True)]) == " ".join(words)


@pytest.mark.parametrize("mark", _NAMES)
def test_an_accent_that_stands_alone_stays(mark: str) -> None:
    sign = unicodedata.normalize("NFC", _read([_shown(bytes([_CODES[mark]]), 72, 700)]))
    text = b"o" + bytes([_CODES[mark]]) + b"o e" + bytes([_CODES[mark]]) + b" ax"
    lines = [_shown(text, 72, 700 - 10 * n) for n in range(3)]  # lines as close as they come
    assert _read(lines).split() == [f"o{sign}o", f"e{sign}", "ax"] * 3


@pytest.mark.parametrize("text", ["a~b ^c `d x^2", "n~ o^ e`"])
def test_signs_of_code_stay(text: str) -> None:
    assert _read([_shown(text.encode(), 72, 700)]) == text


def test_accents_that_come_after_their_line_go_to_their_letters() -> None:
    step = _ADVANCE * _SIZE / 1000
    umlaut = bytes([_CODES["\u0308"]])
    late = [_shown(umlaut, 72 + step * n, 700 - 0.3) for n in (1, 4 + 3)]
    assert _read([_shown(b"fur Abkurz und so", 72, 700), *late]) == "für Abkürz und so"


def test_a_letter_and_an_accent_that_unicode_has_not_together_stay_apart() -> None:
    found = _read([_shown(bytes([_CODES["\u030b"]]), 72, 700), _shown(b"x", 72, 700)])
    assert sorted(found.replace(" ", "")) == ["x", "\u02dd"]
