"""What sheets are called: after the caption or heading above their table, as far as Excel takes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from paperchute.engine.document.flow import flowed_text
from paperchute.engine.document.model import Block
from paperchute.engine.reading.layout.phrases import is_figure_caption, is_float_caption


@dataclass(frozen=True, slots=True)
class NameSettings:
    """Limits of Excel, save where something else is said."""

    longest: int = 31
    """Letters of a name, counted as UTF-16 has them."""


NAMES = NameSettings()

_COLON = re.compile(r"\s*:(?=\s|$)")
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")
_EDGES = " '.,;–—-("
_RESERVED = "history"  # a sheet of Excel's own


def name_of(text: str) -> str:
    """A text as a sheet's name, of whole words as far as they fit; empty where nothing of it may be one."""
    plain = " ".join(_FORBIDDEN.sub(" ", _COLON.sub("", text)).split())
    return _cut(plain.strip(" '"), NAMES.longest)


def _cut(text: str, longest: int) -> str:
    """A text of at most so many letters, between words where that leaves enough of it."""
    if _length(text) <= longest:
        return text
    kept = text.encode("utf-16-le")[: 2 * longest].decode("utf-16-le", "ignore")
    words = kept.rpartition(" ")[0] if not text[len(kept)].isspace() else kept
    return (words if 2 * _length(words) > NAMES.longest else kept).rstrip(_EDGES)


def _length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@dataclass(slots=True)
class Titles:
    """Knows the heading that blocks stand under, and the caption right above the next table."""

    _heading: str = ""
    _caption: str = ""

    def pass_by(self, block: Block) -> None:
        """One more block of the document that is no table."""
        text = flowed_text(block.lines).strip() if block.lines else ""
        self._caption = text if is_float_caption(text) and not is_figure_caption(text) else ""
        if block.level and text:
            self._heading = text

    def of_table(self) -> str:
        """The name for the table that comes now; empty for none. A caption is of one table only."""
        caption, self._caption = self._caption, ""
        return name_of(caption) or name_of(self._heading)


@dataclass(slots=True)
class SheetNames:
    """Gives each name once, whatever the case of its letters."""

    _taken: set[str] = field(default_factory=lambda: {_RESERVED})

    def keep(self, name: str) -> None:
        """No sheet made here is to have a name."""
        self._taken.add(name.casefold())

    def fresh(self, wanted: str) -> str:
        """The name, or with a number behind it."""
        name, number = wanted, 1
        while name.casefold() in self._taken:
            number += 1
            after = f" ({number})"
            name = f"{_cut(wanted, NAMES.longest - len(after))}{after}"
        self._taken.add(name.casefold())
        return name
