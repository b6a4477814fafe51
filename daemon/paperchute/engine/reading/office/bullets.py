"""What stands before the paragraphs of slides: bullets and automatic numbers (ECMA-376, 21.1.2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pptx.oxml.ns import qn

from paperchute.engine.reading.office.counting import written
from paperchute.engine.reading.symbol_fonts import in_font

_MOST = 32_767  # that a list may start at (ECMA-376, 20.1.10.75)
_SCHEME = re.compile(r"(alphaLc|alphaUc|arabic|romanLc|romanUc)(ParenBoth|ParenR|Period|Plain)")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_AROUND = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Plain": "{}"}
_DEEPEST = 4  # placeholders that follow each other: of the slide, its layout and its master


@dataclass(slots=True)
class Bullets:
    """Marks the paragraphs of one shape, which have to come in order.

    usual: what a paragraph has of which nothing says what it has.
    """

    shape: Any
    usual: str
    _counts: dict[int, tuple[str, int, int]] = field(default_factory=dict)
    """By level: the scheme, its first and its last number."""

    def next(self, paragraph: Any) -> str:
        """The mark of a paragraph, empty for none."""
        level = paragraph.level
        for deeper in [known for known in self._counts if known > level]:
            del self._counts[deeper]
        said = next(filter(None, map(_said, self._properties(paragraph, level))), None)
        if said is None or said[0] != "auto":
            self._counts.pop(level, None)
        if said is None:
            return self.usual
        kind, text, start = said
        if kind != "auto":
            return text
        scheme, first, last = self._counts.get(level, ("", 0, 0))
        number = last + 1 if (scheme, first) == (text, start) else start
        self._counts[level] = (text, start, number)
        found = _SCHEME.fullmatch(text)
        if found is None:
            return f"{number}."
        return _AROUND[found[2]].format(written(number, _FORMS.get(found[1], "decimal")))

    def _properties(self, paragraph: Any, level: int) -> Iterator[Any]:
        """Yield what may say it, nearest first: the paragraph, its shape, and the placeholders that this follows."""
        yield paragraph._p.pPr
        shape, named = self.shape, f"a:lvl{min(level, 8) + 1}pPr"
        for _ in range(_DEEPEST):
            if shape is None:
                return
            body = shape._element.find(qn("p:txBody"))
            style = body.find(qn("a:lstStyle")) if body is not None else None
            yield style.find(qn(named)) if style is not None else None
            shape = getattr(shape, "_base_placeholder", None) if shape.is_placeholder else None


def _said(properties: Any) -> tuple[str, str, int] | None:
    """(auto, char or none; scheme or sign; first number) that properties say, None where they say nothing."""
    if properties is None:
        return None
    if properties.find(qn("a:buNone")) is not None:
        return "none", "", 0
    number = properties.find(qn("a:buAutoNum"))
    if number is not None:
        start = number.get("startAt", "1")
        return "auto", number.get("type", ""), min(int(start), _MOST) if start.isdecimal() and len(start) < 9 else 1
    sign = properties.find(qn("a:buChar"))
    if sign is None:
        return ("char", "•", 0) if properties.find(qn("a:buBlip")) is not None else None
    font = properties.find(qn("a:buFont"))
    text = in_font(sign.get("char", ""), font.get("typeface", "") if font is not None else "").strip()
    return "char", text if text and not "\ue000" <= text <= "\uf8ff" else "•", 0
