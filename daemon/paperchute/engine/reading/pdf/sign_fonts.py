"""Fonts that show signs and Greek letters, whatever characters their glyphs claim to be.

A publisher's minus is a figure 2, a µ a small m or l, an equals sign a quarter; a box of Wingdings is an o. Text that
believes them has `2.0 lL` for `2.0 µL`, and `25.7` for `−5.7`. The fonts of a name have the same glyphs in every file,
so each is known by its name. Symbol, Wingdings and the encodings of TeX are documented, under whatever name a publisher
gives these fonts. Of the others stands here what pages show: those of papers in which we held each glyph against its
table, and of others what readers of many papers found, nearly always two of them apart from each other.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from paperchute.engine.reading.pdf.glyph_names import listed
from paperchute.engine.reading.pdf.large_signs import large_sign
from paperchute.engine.reading.symbol_fonts import PRIVATE, SYMBOL, WINGDINGS, WINGDINGS_2, coded

_NUMBERED = re.compile(r"C(\d{1,3})")
_SECOND_TAG = re.compile(r"^[A-Z][a-z]{5}(?=Adv)")
"""The tag of a subset of a subset, which has no plus behind it."""


@dataclass(frozen=True)
class SignFont:
    """What the glyphs of a font are."""

    signs: Mapping[str, str] = field(default_factory=dict)
    """By the character that a glyph claims to be; only those that no glyph of the font is in truth."""
    codes: Mapping[int, str] = field(default_factory=dict)
    """By the place of a glyph in the font's own encoding, which its name tells: C14."""
    is_spelled: bool = False
    """Whether names are those of the characters of these codes too: `exclam`, in whose place there is an arrow."""

    def named(self, glyph: str) -> str:
        """Return what a glyph of that name, without its slash, is; empty where nobody knows."""
        numbered = _NUMBERED.fullmatch(glyph)
        if numbered:
            return self.codes.get(int(numbered[1]), "")
        claimed = listed(glyph)
        if claimed in self.signs or not self.is_spelled or len(claimed) != 1:
            return self.signs.get(claimed, "")
        return self.codes.get(_QUOTES.get(claimed, ord(claimed)), "")


def _pairs(claimed: str, signs: str) -> dict[str, str]:
    return dict(zip(claimed, signs, strict=True))


_QUOTES = {"’": 0x27, "‘": 0x60}  # where the standard encoding has them (ISO 32000-1, D.2)

# OMS, the encoding of TeX's symbols. Its ring is a degree in these papers; a stroke through the next sign and a piece
# of an arrow stand for nothing alone.
_TEX_SYMBOLS = SignFont(
    _pairs("¼½ðÞþ", "=[()+") | _pairs("0pjfg1!rhik", "′√|{}∞→∇⟨⟩‖"),
    coded(
        0,
        "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯°•"
        "≍≡⊆⊇≤≥≼≽∼≈⊂⊃≪≫≺≻"
        "←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝"
        "′∞∈∋△▽\0\0∀∃¬∅ℜℑ⊤⊥"
        "ℵABCDEFGHIJKLMNO"
        "PQRSTUVWXYZ∪∩⊎∧∨"
        "⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕\\≀"
        "√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠",
    )
    | {138: "]", 188: "=", 189: "[", 222: ")", 240: "(", 254: "+"},
    is_spelled=True,
)
# OML, that of TeX's letters for formulas, as far as they are not what they claim. Its full stop and comma are its own.
_TEX_LETTERS = SignFont(
    _pairs(':;=@"', ".,/∂ε"),
    coded(0, "ΓΔΘΛΞΠΣΥΦΨΩαβγδεζηθικλμνξπρστυφχψωεϑϖϱςφ") | {58: ".", 59: ",", 61: "/", 64: "∂", 96: "ℓ"},
    is_spelled=True,
)
# The accents of OT1, that of TeX's text.
_TEX_ACCENTS = SignFont(_pairs("_}", "˙˝"), coded(18, "`´ˇ˘¯˚¸") | {95: "˙", 125: "˝", 126: "˜", 127: "¨"})
_TEX_LARGE = SignFont(codes={code: large_sign(chr(code)) for code in range(128)}, is_spelled=True)

# Greek on the letters of its own alphabet: a α, b β, c γ ... x ω.
_IN_ORDER = _pairs("abcdefghijklmnopqrstuvwx", "αβγδεζηθικλμνξοπρστυφχψω") | _pairs(
    "ABCDEFGHIJKLMNOPQRSTUVWX", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
)
# Mathematical Pi's signs on figures, and Greek on letters that look alike.
_PI = _pairs("12345689,.#$", "+−×÷=±°′<>≤≥") | _pairs("abdgmprsxD", "αβδγμπρσχΔ")
_GREEK = _pairs("abcdgjmnprstvwxDVWY", "αβγδηξμνπρστωφχΔΩΦΨ")


_LATIN = frozenset(map(ord, string.ascii_letters)) | frozenset(range(0xA1, 0x100)) - {0xAD, *map(ord, "µ·º")}
"""Without what a program may well say of a true µ, dot or degree."""
_PRINTED = _LATIN | frozenset(range(0x21, 0x7F))


def _office(codes: Mapping[int, str], claimed: frozenset[int]) -> SignFont:
    """A font whose glyphs come as private characters, or as the characters of their codes that are `claimed`."""
    true = frozenset(codes.values())
    private = {chr(PRIVATE + code): sign for code, sign in codes.items()}
    return SignFont(
        private | {chr(code): sign for code, sign in codes.items() if code in claimed and chr(code) not in true}, codes
    )


_FONTS: dict[str, SignFont] = {
    **dict.fromkeys(("AdvP4C4E74", "AdvP40271B", "AdvMathSymb", "AdvMT_SY", "AdvMTSYan", "AdvMTSY_A"), _TEX_SYMBOLS),
    **dict.fromkeys(("AdvMacMthSy", "AdvMacMthSyN", "TeXCMMathsSymbols", "TeX_CM_Bold_Maths_Symbols"), _TEX_SYMBOLS),
    **dict.fromkeys(("AdvP4C4E51", "AdvMacMthIt", "AdvMT_MI", "AdvMTMI"), _TEX_LETTERS),
    **dict.fromkeys(("AdvP4C4E46", "AdvMT_EX", "AdvMTEX", "AdvMathExtr"), _TEX_LARGE),
    "AdvP4C4E59": _TEX_ACCENTS,
    "AdvPSSym": SignFont(codes=SYMBOL),
    **dict.fromkeys(("AdvPSMP10", "AdvPSMP11", "AdvPSMP13"), SignFont(_IN_ORDER)),
    **dict.fromkeys(("MathematicalPi-One", "AdvP7DA6", "AdvPS7DA6", "AdvP80675", "AdvP586B"), SignFont(_PI)),
    **dict.fromkeys(("AdvPS586B", "AdvP7DED", "AdvPS7DED", "AdvP414BFB"), SignFont(_PI)),
    "Universal-GreekwithMathPi": SignFont(_pairs(",.69mxu", "<>±′μχθ")),
    **dict.fromkeys(("AdvP43B38B", "AdvP3EAA99"), SignFont(_GREEK)),
    "AdvMPi-One": SignFont(_pairs("25", "−=")),
    "AdvP3F4C13": SignFont(_pairs("mdsaD", "μδσαΔ")),
    "AdvPS3F4C13": SignFont(_pairs("mdbau", "μδβαω")),
    "AdvPS4721B4": SignFont(_pairs("sbadgr4", "σβαδγρφ")),
    "AdvP40798": SignFont(_pairs("z{|~", "+−×=")),
    "AdvP4068C": SignFont({"L": "∂"}),
    "AdvP435818": SignFont({"g": "∈"}),
    "AdvP49423E": SignFont({">": "≳"}),
    "AdvP697C": SignFont(_pairs("ma\xe6", "μα⟩")),
    "AdvPS7CFD": SignFont({"£": "×"}),
    "WPTypographicSymbols": SignFont({"!": "●"}),
    "AdvP7DB7": SignFont(_pairs("<,", "≈∼")),
    "AdvPS3FDD77": SignFont(_pairs("wzZ", "∼≈=")),
    "AdvPS44A44B": SignFont(_pairs("edCG$", "–—+±·")),
    "AdvPi1": SignFont(_pairs("845m*+Dsadg6F&{:?.", "°><μ∼±Δσαδγ×Φ≈†≡∞•")),
    "AdvPi2": SignFont(_pairs("sfr%almtZnpdyg?xbzFD", "σφρ‰αλμτηνπδθγ→ξβζΦΔ")),
    "AdvPi3": SignFont(_pairs("#1", "©®")),
    "AdvPSMP4": SignFont(_pairs("\\[P", "<>≥")),
    "AdvPSSPS-AS": SignFont(_pairs("&)", "✉−")),
    "AdvPS586D": SignFont(_pairs("qw", "©®")),
    "AdvTir_symb": SignFont(_pairs("-?9BC", "−+×≤≥")),
    "AdvEls-ent4": SignFont(_pairs("or", "<≤")),
    "AdvEls-ent5": SignFont(_pairs("Z1", "≥°")),
    "AdvTT454a7a89": SignFont(_pairs("bN", "<>")),
    # A publisher's mark, in three pieces: no text.
    **dict.fromkeys(("AdvSPRING-R", "Springnew-Regular"), SignFont(_pairs("123", "   "))),
    "Wingdings2": _office(WINGDINGS_2, _PRINTED),
}
_FAMILIES = (
    (re.compile(r"TeX_CM_Maths_Symbols\d*"), _TEX_SYMBOLS),
    (re.compile(r"TeX_CM_Maths_Italic\d*"), _TEX_LETTERS),
    (re.compile(r"(?:Symbol(?:MT|PS|PSMT|Std|Greek)?|EuclidSymbol)(?:[-,].*)?"), _office(SYMBOL, _LATIN)),
    (re.compile(r"Wingdings(?:-Regular)?(?:,.*)?"), _office(WINGDINGS, _PRINTED)),
)


@lru_cache(maxsize=1_000)  # fonts of documents, of which a worker sees many
def sign_font(name: str) -> SignFont | None:
    """Return what is known of the font of that name, without the tag of its subset."""
    own = _SECOND_TAG.sub("", name)
    return _FONTS.get(own) or next((font for family, font in _FAMILIES if family.fullmatch(own)), None)
