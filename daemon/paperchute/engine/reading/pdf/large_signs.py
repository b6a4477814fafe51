"""TeX's font of large signs (cmex10 and its kin): what its glyphs mean, which no list of glyph names has.

PDFium gives such a glyph as its code, so that a sum is an X and a large bracket a control character.
"""

from __future__ import annotations

import re

_FONT = re.compile(r"^(?:cmex\d|lmmathextension)", re.IGNORECASE)

# OMX, the encoding of these fonts, from 0x00 to 0x7f: brackets in four sizes, their pieces, operators in two sizes.
_ENCODING = (
    "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\"
    "()()[]⌊⌋⌈⌉{}⟨⟩/\\"
    "()[]⌊⌋⌈⌉{}⟨⟩/\\/\\"
    "⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐"
    "⎝⎠⎜⎟⟨⟩⨆⨆∮∮⨀⨀⨁⨁⨂⨂"
    "∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁"
    "∐∐^^^~~~[]⌊⌋⌈⌉{}"
    "√√√√√√√‖↑↓⏞⏞⏟⏟⇑⇓"
)

# Fonts made for old printers have the codes below 0x21 once more, above those of letters.
_AGAIN = {**{0xA1 + n: n for n in range(10)}, **{0xAD + n: 10 + n for n in range(23)}}


def is_of_large_signs(font: str) -> bool:
    """Decide whether a font of that name has this encoding."""
    return _FONT.match(font) is not None


def large_sign(character: str) -> str:
    """Return what the glyph of such a font is whose code was given as a character."""
    code = ord(character)
    code = _AGAIN.get(code, code)
    return _ENCODING[code] if code < len(_ENCODING) else character
