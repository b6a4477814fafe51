"""Lists as Word counts them: one definition for each form of marker, one instance for each series."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lxml.etree import _Element

from paperchute.engine.writing.docx.xml import element
from paperchute.engine.writing.office.parts import Marker

_LEVELS: Final = 9
_BULLETS: Final = {"\uf0b7": "•", "\uf0a7": "▪", "o": "○", "*": "•"}


@dataclass(slots=True)
class Numbering:
    """Gathers the series of a document."""

    _forms: dict[tuple[int, str, str], int] = field(default_factory=dict)
    _series: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def number(self, marker: Marker, level: int) -> int:
        """The id of the instance (`w:num`) that items of the marker's series point to."""
        form = self._forms.setdefault((level, marker.format, marker.pattern), len(self._forms))
        self._series.setdefault(marker.series, (form, level, marker.start))
        return marker.series

    def content(self) -> _Element:
        """The content of numbering.xml."""
        forms = [
            element(
                "w:abstractNum",
                {"w:abstractNumId": number},
                element("w:multiLevelType", {"w:val": "hybridMultilevel"}),
                *(_level(place, style, pattern, own=place == level) for place in range(_LEVELS)),
            )
            for (level, style, pattern), number in self._forms.items()
        ]
        series = [
            element(
                "w:num",
                {"w:numId": number},
                element("w:abstractNumId", {"w:val": form}),
                element("w:lvlOverride", {"w:ilvl": level}, element("w:startOverride", {"w:val": max(start, 0)})),
            )
            for number, (form, level, start) in self._series.items()
        ]
        return element("w:numbering", None, *forms, *series)


def _level(place: int, style: str, pattern: str, *, own: bool) -> _Element:
    """A level of a definition. The others than its own look alike, so that items can be moved in and out."""
    text = _BULLETS.get(pattern, pattern) if style == "bullet" else pattern.replace("%", f"%{place + 1}")
    indent = {"w:left": 360 * (place + 1), "w:hanging": 360}
    return element(
        "w:lvl",
        {"w:ilvl": place},
        element("w:start", {"w:val": 1}),
        element("w:numFmt", {"w:val": style if own or style == "bullet" else "decimal"}),
        element("w:lvlText", {"w:val": text}),
        element("w:lvlJc", {"w:val": "left"}),
        element("w:pPr", None, element("w:ind", {name: str(value) for name, value in indent.items()})),
    )
