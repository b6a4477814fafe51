"""The fonts of signs that offices have, Symbol and Wingdings, by the codes of their glyphs."""

from __future__ import annotations

from collections.abc import Mapping

PRIVATE = 0xF000
"""Where the private characters begin that stand for the codes of such a font (OpenType, `cmap`, encoding 3.0)."""


def coded(first: int, signs: str) -> dict[int, str]:
    """Signs by their codes; where a zero stands there is none."""
    return {first + n: sign for n, sign in enumerate(signs) if sign != "\0"}


# Adobe's Symbol (ISO 32000-1, D.5).
SYMBOL = (
    coded(0x20, " !∀#∃%&∍()∗+,−./0123456789:;<=>?")
    | coded(0x40, "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_")
    | coded(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼")
    | coded(0xA0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵")
    | coded(0xC0, "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓")
    | coded(0xE0, "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭")
)
# Microsoft's Wingdings and Wingdings 2 (by the names of Unicode's proposal L2/12-368), as far as offices use them.
WINGDINGS = (
    coded(0x28, "☎✆✉")
    | {0x36: "⌛"}
    | coded(0x3E, "✇✍\0✌\0\0\0☜☞☝☟\0☺\0☹\0☠")
    | coded(0x6C, "●❍■☐\0❑❒⬧⧫◆❖⬥☒")
    | coded(0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿")
    | coded(0x9E, "·•▪○\0\0◉◎\0▪☐\0✦★")
    | {0xD8: "➢", 0xDC: "➲"}
    | coded(0xDF, "←→↑↓↖↗↙↘←➔↑↓↖↗↙↘⇦⇨⇧⇩")
    | coded(0xFB, "✗✓☒☑")
)
WINGDINGS_2 = {
    0x4F: "✗",
    0x50: "✓",
    0x51: "☒",
    0x52: "☑",
    0x53: "☒",
    0x54: "☒",
    0x97: "●",
    0x98: "●",
    0xA2: "■",
    0xA3: "☐",
}
_FONTS = {"symbol": SYMBOL, "wingdings": WINGDINGS, "wingdings 2": WINGDINGS_2}


def symbols_of(font: str) -> Mapping[int, str]:
    """The signs of a font by their codes; empty where it is none of these."""
    return _FONTS.get(font.lower(), {})


def in_font(text: str, font: str, is_plain: bool = True) -> str:
    """Return what a text looks like in that font, whether typed in letters or in private characters.

    is_plain: whether letters of ASCII are in it too; slides have a font for them and another for what lies beyond.
    """
    signs = symbols_of(font)
    if not signs:
        return text
    first = 0 if is_plain else 0x80
    return "".join(
        signs.get(code - PRIVATE) or (signs.get(code) if code >= first else None) or letter
        for letter, code in zip(text, map(ord, text), strict=True)
    )
