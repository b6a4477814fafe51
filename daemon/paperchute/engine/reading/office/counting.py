"""What stands before the items of lists: numbers as HTML, Word and slides write them, and bullets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")),
    *((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
BULLETS = ("•", "◦", "▪")
"""By depth, as browsers draw them."""
_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*(?:\"([^\"]*)\"|'([^']*)'|([^;]*))", re.IGNORECASE)
_FORMS = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "decimal": "decimal",
    "decimal-leading-zero": "decimalZero",
    "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter",
    "upper-alpha": "upperLetter",
    "upper-latin": "upperLetter",
    "lower-roman": "lowerRoman",
    "upper-roman": "upperRoman",
    "lower-greek": "lowerGreek",
}
_SIGNS = {"disc": "•", "circle": "◦", "square": "▪", "none": ""}


def written(number: int, form: str) -> str:
    """Write a count in a format of ECMA-376, 17.18.59; in decimal where the format is not known here."""
    match form:
        case "lowerLetter" | "upperLetter" if 0 < number <= 26 * 30:
            text = chr(ord("A") + (number - 1) % 26) * ((number - 1) // 26 + 1)  # Word goes on with AA, BB
            return text.lower() if form == "lowerLetter" else text
        case "lowerRoman" | "upperRoman" if 0 < number < 5000:
            text, rest = "", number
            for value, sign in _ROMAN:
                text += sign * (rest // value)
                rest %= value
            return text.lower() if form == "lowerRoman" else text
        case "lowerGreek" if 0 < number <= len(_GREEK):
            return _GREEK[number - 1]
        case "decimalZero":
            return f"{number:02}"
        case "none":
            return ""
    return str(number)


def markers_of(tag: str, attributes: Mapping[str, str], asked: Sequence[str], depth: int) -> list[str]:
    """Write what HTML prints before the items of a list (WHATWG HTML, 4.4.5 and 4.4.8).

    asked: each item's own `value`, empty where it has none. depth: in how many lists this one stands.
    """
    style = _STYLE.search(attributes.get("style", ""))
    if style is not None and style[3] is None:
        return [(style[1] or style[2] or "").strip()] * len(asked)
    names = (style[3] if style is not None else attributes.get("type", "")).split()
    form = next((_FORMS[name] for name in names if name in _FORMS), "")
    sign = next((_SIGNS[name.lower()] for name in names if name.lower() in _SIGNS), None)
    if sign is not None or (tag != "ol" and not form):
        return [BULLETS[min(depth, 2)] if sign is None else sign] * len(asked)
    step = -1 if "reversed" in attributes else 1
    at = _integer(attributes.get("start", ""), len(asked) if step < 0 else 1)
    made = []
    for value in asked:
        at = _integer(value, at)
        made.append(f"{_latin(at, form or 'decimal')}.")
        at += step
    return made


def _latin(number: int, form: str) -> str:
    """As `written`, but letters go on with aa, ab (CSS Counter Styles 3, 2.3.3), where Word goes on with aa, bb."""
    if form not in ("lowerLetter", "upperLetter") or number <= 26:
        return written(number, form)
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text.lower() if form == "lowerLetter" else text


def _integer(text: str, absent: int) -> int:
    text = text.strip()
    return int(text) if re.fullmatch(r"[-+]?\d{1,9}", text) else absent
