"""Signs of mathematics in fonts of publishers' typesetting: what their glyphs are, whatever they claim.

They are TeX's fonts, and Adobe's Symbol, with other names for the glyphs: a minus is C0, its number in the encoding,
an arrow an exclamation mark, and an equals sign a quarter. Seen in papers of Elsevier, Springer, Wiley and the Royal
Society of Chemistry, where glyphs of each were held against these tables.
"""

from __future__ import annotations

import re

from paperchute.engine.reading.pdf.glyph_names import listed
from paperchute.engine.reading.pdf.large_signs import large_sign

_SYMBOLS = re.compile(r"Adv(?:P4C4E74|MacMthSyN)$")
_LARGE = re.compile(r"AdvP4C4E46$")
_ADOBE = re.compile(r"AdvPSSym$")
_NUMBERED = re.compile(r"C(\d{1,3})")

# OMS, the encoding of TeX's symbols, from 0x00 to 0x7f. Its ring is a degree in these papers; a stroke through the next
# sign and a piece of an arrow stand for nothing alone.
_ENCODING = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯°•"
    "≍≡⊆⊇≤≥≼≽∼≈⊂⊃≪≫≺≻"
    "←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝"
    "′∞∈∋△▽\0\0∀∃¬∅ℜℑ⊤⊥"
    "ℵABCDEFGHIJKLMNO"
    "PQRSTUVWXYZ∪∩⊎∧∨"
    "⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀"
    "√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠"
)
_BESIDE = {138: "]", 188: "=", 189: "[", 222: ")", 240: "(", 254: "+"}
# Of the Symbol encoding (ISO 32000-1, D.5) what has no letter's or digit's place.
_ADOBES = dict(zip(range(176, 188), "°±″≥×∝∂•÷≠≡≈", strict=True)) | {163: "≤", 165: "∞", 174: "→", 211: "©"}


def is_publishers(font: str) -> bool:
    """Whether a font of that name is one of these."""
    return any(kind.search(font) for kind in (_SYMBOLS, _LARGE, _ADOBE))


def publishers_sign(font: str, glyph: str) -> str:
    """What a glyph of that name, without its slash, is in such a font; empty where nobody knows."""
    numbered = _NUMBERED.fullmatch(glyph)
    if _ADOBE.search(font):
        return _ADOBES.get(int(numbered[1]), "") if numbered else ""
    latin = "" if numbered else listed(glyph)
    code = int(numbered[1]) if numbered else ord(latin) if len(latin) == 1 else -1
    if code < 0:
        return ""
    if _LARGE.search(font):
        return large_sign(chr(code)) if code < len(_ENCODING) else ""
    found = _ENCODING[code] if code < len(_ENCODING) else _BESIDE.get(code, "")
    return found.strip("\0")
