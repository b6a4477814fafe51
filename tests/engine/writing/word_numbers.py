"""The numbers that Word shows before paragraphs, counted as ECMA-376 part 1, 17.9 has it, by nothing of the engine."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import lxml.etree

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def labelled(path: Path) -> Iterator[tuple[str, str]]:
    """The number and the text of each paragraph of a Word file's body; an empty number where it has none."""
    with zipfile.ZipFile(path) as parts:
        body = lxml.etree.fromstring(parts.read("word/document.xml"))
        numbering = lxml.etree.fromstring(parts.read("word/numbering.xml"))
    counter = Numbers(numbering)
    for paragraph in body.iter(f"{_W}p"):
        yield counter.label(paragraph), "".join(text.text or "" for text in paragraph.iter(f"{_W}t"))


class Numbers:
    """Counts the paragraphs of a document in their order."""

    def __init__(self, numbering: lxml.etree._Element) -> None:
        self._looks = {_get(look, "abstractNumId"): look for look in numbering.iter(f"{_W}abstractNum")}
        self._lists = {_get(one, "numId"): one for one in numbering.iter(f"{_W}num")}
        self._counts: dict[str, dict[int, int]] = {}  # lists that look the same count on from each other
        self._begun: set[tuple[str, int]] = set()

    def label(self, paragraph: lxml.etree._Element) -> str:
        """What stands before a paragraph."""
        properties = paragraph.find(f"{_W}pPr/{_W}numPr")
        if properties is None:
            return ""
        number, level = _value(properties, "numId"), int(_value(properties, "ilvl"))
        one = self._lists[number]
        look = _value(one, "abstractNumId")
        levels = {int(_get(each, "ilvl")): each for each in self._looks[look].iter(f"{_W}lvl")}
        begins = {int(_get(each, "ilvl")): int(_value(each, "startOverride")) for each in one.iter(f"{_W}lvlOverride")}
        begins = {place: begins.get(place, int(_value(each, "start"))) for place, each in levels.items()}
        counts = self._counts.setdefault(look, {})
        first = (number, level) not in self._begun
        counts[level] = begins[level] if first or level not in counts else counts[level] + 1
        self._begun.add((number, level))
        for deeper in [place for place in counts if place > level]:
            del counts[deeper]

        def shown(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            return count_of(counts.get(place, begins[place]), _value(levels[place], "numFmt"))

        return re.sub(r"%(\d)", shown, _value(levels[level], "lvlText"))


def count_of(number: int, style: str) -> str:
    """A number as a style of Word shows it."""
    if style == "decimal":
        return str(number)
    if style.endswith("Letter"):
        text = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
    else:
        text = ""
        for worth, letters in _ROMAN:
            text += letters * (number // worth)
            number %= worth
    return text if style.startswith("lower") else text.upper()


def _get(element: lxml.etree._Element, name: str) -> str:
    return str(element.get(f"{_W}{name}"))


def _value(element: lxml.etree._Element, name: str) -> str:
    found = element.find(f"{_W}{name}")
    assert found is not None, name
    return _get(found, "val")
