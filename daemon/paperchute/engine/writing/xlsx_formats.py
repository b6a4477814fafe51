"""Cell formats of a workbook, one object a look: spreadsheets hold only so many."""

from __future__ import annotations

from typing import Any

_HEAD = "#E8ECF1"
_RULE = "#BFC5CC"
_SIZES = {1: 18, 2: 15, 3: 13}


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

    def text(self, level: int, indent: int, bold: bool) -> Any:
        """A paragraph; `level` of a heading, else 0."""
        look: dict[str, Any] = {"text_wrap": True, "valign": "top", "quote_prefix": True}
        if indent:
            look["indent"] = min(indent, 15)
        if level:
            look |= {"bold": True, "font_size": _SIZES.get(level, 12)}
        elif bold:
            look["bold"] = True
        return self._format(look)

    def note(self) -> Any:
        """An annotation."""
        look = {"italic": True, "text_wrap": True, "valign": "top", "font_color": "#7A5C00", "quote_prefix": True}
        return self._format(look)

    def link(self) -> Any:
        """A reference to another sheet."""
        return self._format({"font_color": "#0563C1", "underline": 1})

    def _format(self, look: dict[str, Any]) -> Any:
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._workbook.add_format(look)
        return self._made[key]
