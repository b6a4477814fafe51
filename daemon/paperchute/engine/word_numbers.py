"""The numbers that Word shows before the paragraphs of a file just written, which stand nowhere in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paperchute.engine.writing.office.lists import shown
from paperchute.engine.writing.office.parts import NumberFormat

_LOOK = re.compile(r'<w:abstractNum w:abstractNumId="(\d+)">(.*?)</w:abstractNum>', re.DOTALL)
_LEVEL = re.compile(r'<w:lvl w:ilvl="(\d)">.*?<w:numFmt w:val="(\w+)"/>.*?<w:lvlText w:val="([^"]*)"/>', re.DOTALL)
_LIST = re.compile(r'<w:num w:numId="(\d+)"><w:abstractNumId w:val="(\d+)"/>(.*?)</w:num>', re.DOTALL)
_START = re.compile(r'<w:lvlOverride w:ilvl="(\d)"><w:startOverride w:val="(\d+)"/>')
_USED = re.compile(r'<w:numPr><w:ilvl w:val="(\d)"/><w:numId w:val="(\d+)"/></w:numPr>')
_NUMBER = re.compile(r"%(\d)")


def counted_numbers(document: str, numbering: str) -> Iterator[str]:
    """The numbers of a body's items, in its order. document, numbering: parts of a Word file of ours."""
    looks = {
        number: {int(level): (style, text) for level, style, text in _LEVEL.findall(levels)}
        for number, levels in _LOOK.findall(numbering)
    }
    lists = {
        number: (look, {int(level): int(start) for level, start in _START.findall(own)})
        for number, look, own in _LIST.findall(numbering)
    }
    counts: dict[str, dict[int, int]] = {}  # of lists that look alike: they count on from each other
    begun: set[tuple[str, int]] = set()
    for at, number in _USED.findall(document):
        level = int(at)
        look, starts = lists[number]
        own = counts.setdefault(look, {})
        begins = (number, level) not in begun or level not in own
        own[level] = starts.get(level, 1) if begins else own[level] + 1
        begun.add((number, level))
        for deeper in [known for known in own if known > level]:
            del own[deeper]
        if looks[look][level][0] != "bullet":
            yield _said(looks[look], level, starts | own)


def _said(levels: dict[int, tuple[NumberFormat, str]], level: int, counts: dict[int, int]) -> str:
    """The number of a level with those above it that stand in it."""
    return _NUMBER.sub(
        lambda found: shown(counts.get(int(found[1]) - 1, 1), levels[int(found[1]) - 1][0]), levels[level][1]
    )
