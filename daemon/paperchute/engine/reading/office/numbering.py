"""The styles of a Word document, and the marks that its lists and headings are counted by (ECMA-376, 17.7 and 17.9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from docx.oxml.ns import qn

from paperchute.engine.reading.office.counting import BULLETS, written
from paperchute.engine.reading.symbol_fonts import in_font

_DEEPEST = 20  # styles based on each other: a bound on work on hostile files
_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_NESTED = re.compile(r"list (?:bullet|number) ([2-5])", re.IGNORECASE)
_CONTENTS = re.compile(r"toc \d|table of figures", re.IGNORECASE)
_LEVELS = 9  # of a list (ECMA-376, 17.9.6)
_HIGHEST = 100_000  # a count beyond it is a hostile file's


class Styles:
    """What the paragraph styles say. Each is looked up once: files hold thousands."""

    def __init__(self, document: Any) -> None:
        self._by_id: dict[str, Any] = {}
        self._usual = ""
        for style in document.styles.element.iterfind(qn("w:style")):
            key = style.get(qn("w:styleId"), "")
            self._by_id.setdefault(key, style)
            if style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default")) in ("1", "true", "on"):
                self._usual = self._usual or key
        self._chains: dict[str, list[Any]] = {}

    def of(self, paragraph: Any) -> list[Any]:
        """The paragraph's style and what that is based on, nearest first."""
        properties = paragraph.find(qn("w:pPr"))
        return self.chain(_value(properties, "w:pStyle") or self._usual)

    def chain(self, key: str) -> list[Any]:
        """The style of this id and what that is based on, nearest first."""
        if key not in self._chains:
            found: list[Any] = []
            at = key
            while at in self._by_id and len(found) < _DEEPEST:
                found.append(self._by_id[at])
                at = _value(self._by_id[at], "w:basedOn")
            self._chains[key] = found
        return self._chains[key]

    def heading(self, paragraph: Any) -> int:
        """The heading level that a paragraph's style or the styles it is based on give it, 0 for none."""
        for style in self.of(paragraph):
            name = _value(style, "w:name")
            named = _HEADING.fullmatch(name)
            if named:
                return min(max(int(named[1]), 1), 6)
            if name.lower() == "title":
                return 1
        return 0

    def is_contents(self, paragraph: Any) -> bool:
        """Decide whether a paragraph is an entry of a table of contents or figures."""
        return any(_CONTENTS.fullmatch(_value(style, "w:name")) for style in self.of(paragraph)[:1])

    def nested(self, paragraph: Any) -> int:
        """How deep a style that is a list of its own nests it, 0 for none."""
        named = next((_NESTED.fullmatch(_value(style, "w:name")) for style in self.of(paragraph)), None)
        return int(named[1]) - 1 if named else 0


class Mark(NamedTuple):
    """What stands before a paragraph that is counted.

    level: how deep it is nested, from 0. text: as it is printed. is_bullet: whether it is a sign that counts nothing.
    """

    level: int
    text: str
    is_bullet: bool = False


@dataclass(slots=True)
class _Level:
    form: str = "decimal"
    text: str = ""
    start: int = 1
    is_legal: bool = False
    restarts_after: int = -1
    """The level, from 0, whose next number lets this one begin anew; -1 for any above it, _LEVELS for none."""
    font: str = ""


@dataclass(slots=True)
class _List:
    """An abstract numbering: its levels, and which of them a style stands for."""

    levels: dict[int, _Level] = field(default_factory=dict)
    by_style: dict[str, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts a document's paragraphs, which have to come in order."""

    def __init__(self, document: Any, styles: Styles) -> None:
        self._styles = styles
        self._lists: dict[str, _List] = {}
        self._numbers: dict[str, tuple[str, dict[int, _Level], dict[int, int]]] = {}
        self._begun: set[tuple[str, int]] = set()
        try:
            root = document.part.numbering_part.element
        except (KeyError, NotImplementedError):
            return
        linked: dict[str, str] = {}
        for definition in root.iterfind(qn("w:abstractNum")):
            key = definition.get(qn("w:abstractNumId"), "")
            self._lists[key] = _list(definition)
            if style := _value(definition, "w:numStyleLink"):
                linked[key] = style
        for number in root.iterfind(qn("w:num")):
            levels, starts = {}, {}
            for override in number.iterfind(qn("w:lvlOverride")):
                depth = _integer(override.get(qn("w:ilvl")), 0)
                own = override.find(qn("w:lvl"))
                if own is not None:
                    levels[depth] = _level(own)
                if _value(override, "w:startOverride"):
                    starts[depth] = _integer(_value(override, "w:startOverride"), 1)
            self._numbers[number.get(qn("w:numId"), "")] = (_value(number, "w:abstractNumId"), levels, starts)
        for key, style in linked.items():  # the list is another's, which a style names
            number = next((_number_of(s)[0] for s in styles.chain(style) if _number_of(s)[0]), "")
            if self._numbers.get(number, ("",))[0] in self._lists:
                self._lists[key] = self._lists[self._numbers[number][0]]

    def mark(self, paragraph: Any) -> Mark | None:
        """The mark of a paragraph, which is counted by it; None for one that has none."""
        number, depth = self._place(paragraph)
        abstract, own, starts = self._numbers.get(number, ("", {}, {}))
        found = self._lists.get(abstract)
        if found is None:
            return None
        levels = {**found.levels, **own}
        level = levels.get(depth)
        if level is None or level.form == "none":
            return None
        if depth in starts and (number, depth) not in self._begun:
            found.counts[depth] = starts[depth]
        else:
            found.counts[depth] = min(found.counts.get(depth, level.start - 1) + 1, _HIGHEST)
        self._begun.add((number, depth))
        for deeper in range(depth + 1, _LEVELS):
            after = levels[deeper].restarts_after if deeper in levels else -1
            if after < 0 or depth <= after < _LEVELS:
                found.counts.pop(deeper, None)
        if level.form == "bullet":
            sign = in_font(level.text, level.font).strip()
            is_known = sign.isprintable() and not any("\ue000" <= letter <= "\uf8ff" for letter in sign)
            return Mark(depth, sign if sign and is_known else BULLETS[min(depth, 2)], is_bullet=True)
        return _mark(found.counts, levels, depth)

    def _place(self, paragraph: Any) -> tuple[str, int]:
        """(id of the list, level) by the paragraph itself, else by the nearest style that says so."""
        number, level = _number_of(paragraph)
        if number:
            return number, max(level, 0)
        for style in self._styles.of(paragraph):
            number, above = _number_of(style)
            if number:
                abstract = self._numbers.get(number, ("",))[0]
                named = self._lists[abstract].by_style if abstract in self._lists else {}
                depth = named.get(style.get(qn("w:styleId"), ""), max(above, 0))
                return number, level if level >= 0 else depth
        return "", 0


def _mark(counts: dict[int, int], levels: dict[int, _Level], depth: int) -> Mark:
    level = levels[depth]

    def counted(place: re.Match[str]) -> str:
        at = int(place[1]) - 1
        other = levels.get(at, _Level())
        form = other.form if not level.is_legal or other.form == "decimalZero" else "decimal"
        return written(counts.get(at, other.start), form)

    return Mark(depth, re.sub(r"%([1-9])", counted, level.text).strip())


def _list(definition: Any) -> _List:
    found = _List()
    for own in definition.iterfind(qn("w:lvl")):
        depth = _integer(own.get(qn("w:ilvl")), 0)
        found.levels[depth] = _level(own)
        if style := _value(own, "w:pStyle"):
            found.by_style[style] = depth
    return found


def _level(element: Any) -> _Level:
    legal = element.find(qn("w:isLgl"))
    fonts = element.find(f"{qn('w:rPr')}/{qn('w:rFonts')}")
    return _Level(
        form=_value(element, "w:numFmt") or "decimal",
        text=_value(element, "w:lvlText"),
        start=_integer(_value(element, "w:start"), 1),
        is_legal=legal is not None and legal.get(qn("w:val")) not in ("0", "false", "off"),
        restarts_after=_restart(_value(element, "w:lvlRestart")),
        font=fonts.get(qn("w:ascii"), "") if fonts is not None else "",
    )


def _restart(value: str) -> int:
    """Read `w:lvlRestart` (ECMA-376, 17.9.10), which counts levels from 1; 0 lets a level go on for ever."""
    after = _integer(value, -1)
    return _LEVELS if after == 0 else after - 1 if after > 0 else -1


def _number_of(element: Any) -> tuple[str, int]:
    """(id of the list, level) that a paragraph or style says itself; empty and -1 where it does not."""
    properties = element.find(qn("w:pPr"))
    numbers = properties.find(qn("w:numPr")) if properties is not None else None
    if numbers is None:
        return "", -1
    return _value(numbers, "w:numId"), min(_integer(_value(numbers, "w:ilvl"), -1), _LEVELS - 1)


def _value(element: Any, tag: str) -> str:
    found = element.find(qn(tag)) if element is not None else None
    return str(found.get(qn("w:val"), "")) if found is not None else ""


def _integer(text: str | None, absent: int) -> int:
    """A whole number as attributes hold them."""
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else absent
