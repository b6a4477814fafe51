"""Printed numbers: those of sections (`III.`, `A.`, `1.2.3`, `§ 3`, `Appendix A`), and the order of list markers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


class SectionNumber(NamedTuple):
    """The number that a heading begins with.

    scheme: what counts, such as `decimal`, `roman`, `letter`, `§` or `chapter`. depth: how many parts it has, from 1.
    title: what stands behind it.
    """

    scheme: str
    depth: int
    title: str


# Words before a number, and the scheme they count in. Singular only: `Chapters 1 and 2` is running text.
_WORDS = {
    "part": "part teil partie parte parti deel część",
    "chapter": "chapter kapitel chapitre capítulo capitolo hoofdstuk rozdział",
    "section": "section abschnitt sección sezione sectie",
    "article": "article art artikel artículo articolo artigo",
    "clause": "clause ziffer cláusula clausola",
    "appendix": "appendix annex annexe anhang anlage anexo allegato bijlage schedule exhibit",
}
_SCHEMES = {word: scheme for scheme, words in _WORDS.items() for word in words.split()}
_WORDED = re.compile(
    r"^([^\W\d_]+)\.?\s+(\d{1,3}(?:\.\d{1,3})*[a-z]?|[IVXLC]+|[A-Z])(?=[\s.:,)–—-]|$)[\s.:)–—-]*",
    re.IGNORECASE,
)
_SIGN = re.compile(r"^§§?\s?(\d{1,4}[a-z]?)[.:)]?(?:\s+|$)")
_DECIMAL = re.compile(r"^((?:\d{1,3}|[A-Z])(?:\.\d{1,3}){1,5}|\d{1,3})[.)]?\s+(?=\S)")
_ROMAN = re.compile(r"^([IVX]{1,6}(?:\.(?:[A-Z]|\d{1,2})){0,3})[.)]\s+(?=\S)|^([IVX]{2,6}(?:\.[A-Z])?)\s+(?=\S)")
_LETTER = re.compile(r"^([A-Z])[.)]\s+(?=\S)")
_NUMERAL = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_HAN = re.compile(r"^第\s?[\d一二三四五六七八九十百]{1,5}\s?([章节節条條编篇部])\s*")
_ANY = re.compile("|".join([f"(?i:{_WORDED.pattern})", *(p.pattern for p in (_SIGN, _DECIMAL, _ROMAN, _LETTER, _HAN))]))
"""Any of these, which few lines begin with: one look at the others instead of six."""


def counts_sections(word: str) -> bool:
    """Decide whether a number of a section may stand behind a word, as behind `Chapter`."""
    return word.lower() in _SCHEMES


@lru_cache(1 << 10)  # the lines of some 25 pages: each is asked about several times, in both passes
def section_number(text: str) -> SectionNumber | None:
    """The number that `text` begins with, None for none.

    `I.`, `V.` and `X.` are taken for Roman ones: `I` begins their counting, and few documents come to a tenth letter.
    """
    if not _ANY.match(text):
        return None
    if (found := _WORDED.match(text)) and (scheme := _SCHEMES.get(found[1].lower())):
        return SectionNumber(scheme, found[2].count(".") + 1, text[found.end() :])
    if found := _SIGN.match(text):
        return SectionNumber("§", 1, text[found.end() :])
    if found := _DECIMAL.match(text):
        return SectionNumber("decimal", found[1].count(".") + 1, text[found.end() :])
    if (found := _ROMAN.match(text)) and _NUMERAL.fullmatch((found[1] or found[2]).partition(".")[0]):
        return SectionNumber("roman", (found[1] or found[2]).count(".") + 1, text[found.end() :])
    if found := _LETTER.match(text):
        return SectionNumber("letter", 1, text[found.end() :])
    if found := _HAN.match(text):
        return SectionNumber(found[1], 1, text[found.end() :])
    return None


_MARKER = re.compile(r"^([(\[]?)(\d{1,3}|[a-zA-Z]|[ivxlc]{2,7}|[IVXLC]{2,7})([.):\]]{1,2})$")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Counted(NamedTuple):
    """One way to read a marker: its kind with its signs, such as `(a)`, and its place in the counting, from 1."""

    kind: str
    value: int


def counted(marker: str) -> Iterator[Counted]:
    """The ways to read a marker; `i.` is the first Roman number and the ninth letter."""
    found = _MARKER.match(marker)
    if found is None:
        return
    before, number, after = found.groups()
    if number.isdigit():
        yield Counted(f"{before}1{after}", int(number))
        return
    case = "a" if number.islower() else "A"
    if len(number) == 1:
        yield Counted(f"{before}{case}{after}", ord(number.lower()) - ord("a") + 1)
    digits = [_ROMAN_DIGITS.get(letter, 0) for letter in number.lower()]
    if all(digits):
        value = sum(-d if d < max(digits[n:]) else d for n, d in enumerate(digits))
        yield Counted(f"{before}{'i' if case == 'a' else 'I'}{after}", value)
