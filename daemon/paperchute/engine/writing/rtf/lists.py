"""Lists: a definition of its own for each series, so that readers count as the source did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from paperchute.engine.writing.office.parts import Marker
from paperchute.engine.writing.rtf.text import escaped

_LEVELS: Final = 9
_FORMATS: Final = {
    "decimal": 0,
    "upperRoman": 1,
    "lowerRoman": 2,
    "upperLetter": 3,
    "lowerLetter": 4,
    "bullet": 23,
}  # `\levelnfc`, section "List Table"
BULLETS: Final = {"\uf0b7": "•", "\uf0a7": "▪", "o": "○", "*": "•"}


@dataclass(slots=True)
class Lists:
    """Gathers the series of a document."""

    _series: dict[int, tuple[Marker, int]] = field(default_factory=dict)

    def number(self, marker: Marker, level: int) -> int:
        """The number (`\\ls`) that items of the marker's series point to."""
        self._series.setdefault(marker.series, (marker, level))
        return marker.series

    def tables(self) -> str:
        """The list table and the override table; empty without lists."""
        if not self._series:
            return ""
        lists = "".join(
            f"{{\\list\\listtemplateid{number}\\listhybrid"
            + "".join(_level(place, marker, own=place == level) for place in range(_LEVELS))
            + f"\\listid{number}}}\n"
            for number, (marker, level) in self._series.items()
        )
        overrides = "".join(
            f"{{\\listoverride\\listid{number}\\listoverridecount0\\ls{number}}}\n" for number in self._series
        )
        return f"{{\\*\\listtable\n{lists}}}\n{{\\*\\listoverridetable\n{overrides}}}\n"


def _level(place: int, marker: Marker, *, own: bool) -> str:
    """A level of a definition. The others than its own count in plain numbers."""
    style, pattern, start = (marker.format, marker.pattern, marker.start) if own else ("decimal", "%.", 1)
    if style == "bullet":
        sign = BULLETS.get(pattern, pattern)
        length = len(sign.encode("utf-16-le")) // 2
        text, numbers = f"\\'{length:02x}{escaped(sign)}", ""
    else:
        at = pattern.index("%")
        text = f"\\'{len(pattern):02x}" + escaped(pattern).replace("%", f"\\'{place:02x}")
        numbers = f"\\'{at + 1:02x}"
    return (
        f"{{\\listlevel\\levelnfc{_FORMATS[style]}\\leveljc0\\levelfollow0\\levelstartat{max(start, 0)}"
        f"{{\\leveltext{text};}}{{\\levelnumbers{numbers};}}\\fi-360\\li{360 * (place + 1)}}}"
    )
