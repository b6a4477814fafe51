"""Cell formats of a workbook, one object a look: spreadsheets hold only so many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_HEAD = "#E8ECF1"
_RULE = "#BFC5CC"
_SIZES = {1: 18, 2: 15, 3: 13}
DEFAULT_SIZE = 11
"""Points, of a workbook's text."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a row of text looks: the level of a heading, else 0; indent in steps; note for an annotation."""

    level: int = 0
    indent: int = 0
    bold: bool = False
    note: bool = False

    @property
    def size(self) -> int:
        """The font size in points."""
        return _SIZES.get(self.level, 12) if self.level else DEFAULT_SIZE


class Formats:
    """Makes each format once."""

    def __init__(self, workbook: Any) -> None:
        """`workbook`: XlsxWriter's."""
        self._workbook = workbook
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}

    def cell(self, number: str = "", bold: bool = False, header: bool = False, quoted: bool = False) -> Any:
        """A table cell. number: its number format. quoted: text that must not turn into a formula when edited."""
        look: dict[str, Any] = {"valign": "top", "border": 1, "border_color": _RULE}
        if number:
            look["num_format"] = number
        else:
            look["text_wrap"] = True
        if header:
            look |= {"bold": True, "bg_color": _HEAD, "valign": "vcenter"}
        elif bold:
            look["bold"] = True
        if quoted and not number:
            look["quote_prefix"] = True
        return self._format(look)

    def text(self, look: Look, wrapped: bool) -> Any:
        """A row of text."""
        shape: dict[str, Any] = {"valign": "top", "quote_prefix": True}
        if wrapped:
            shape["text_wrap"] = True
        if look.indent:
            shape["indent"] = min(look.indent, 15)
        if look.size != DEFAULT_SIZE:
            shape["font_size"] = look.size
        if look.bold or look.level:
            shape["bold"] = True
        if look.note:
            shape |= {"italic": True, "font_color": "#7A5C00"}
        return self._format(shape)

    def link(self) -> Any:
        """A reference to another sheet."""
        return self._format({"font_color": "#0563C1", "underline": 1})

    def _format(self, look: dict[str, Any]) -> Any:
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._workbook.add_format(look)
        return self._made[key]
