"""Lists as HTML: nesting by level, printed numbers and letters kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from paperchute.engine.document.model import ListItem
from paperchute.engine.writing.html_text import text_html

_ORDER = re.compile(r"[(\[]?(?:(\d{1,9})|([ivxlcdm]+)|([IVXLCDM]+)|([a-z])|([A-Z]))[.)\]]?")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_PLAIN = {"1": re.compile(r"\d+\."), "a": re.compile(r"[a-z]\."), "A": re.compile(r"[A-Z]\.")}


def list_html(items: Sequence[ListItem], inner: Callable[[ListItem], str]) -> str:
    """One list block. `inner` gives the phrasing content of an item."""
    out: list[str] = []
    open_lists: list[tuple[int, str]] = []  # level, closing tag

    def close_to(level: int) -> None:
        while open_lists and open_lists[-1][0] > level:
            out.append(f"</li></{open_lists.pop()[1]}>")

    for number, item in enumerate(items):
        close_to(item.level)
        tag = "ol" if item.ordered else "ul"
        if open_lists and open_lists[-1][0] == item.level:
            out.append("</li>")
            if open_lists[-1][1] != tag:
                out.append(f"</{open_lists.pop()[1]}>")
        if not open_lists or open_lists[-1][0] < item.level:
            out.append(_opening(items, number, tag))
            open_lists.append((item.level, tag))
        out.append(_item(items, number) + inner(item))
    close_to(-1)
    return "".join(out)


def _opening(items: Sequence[ListItem], number: int, tag: str) -> str:
    if tag == "ul":
        return "<ul>"
    kind, start = _order(items, number)
    attributes = f' type="{kind}"' if kind != "1" else ""
    return f"<ol{attributes}>" if start == 1 else f'<ol{attributes} start="{start}">'


def _item(items: Sequence[ListItem], number: int) -> str:
    """The start tag; with its number where that is not the next one, and as printed where a browser writes it
    otherwise."""
    item = items[number]
    if not item.ordered:
        return "<li>"
    kind, value = _order(items, number)
    before = _before(items, number)
    follows = before is None or _order(items, before)[1] + 1 == value
    attributes = "" if follows else f' value="{value}"'
    plain = _PLAIN.get(kind)
    if plain is None or not plain.fullmatch(item.marker):
        attributes += f' data-marker="{text_html(item.marker)}"'
    return f"<li{attributes}>"


def _before(items: Sequence[ListItem], number: int) -> int | None:
    """The item before in the same list."""
    for n in range(number - 1, -1, -1):
        if items[n].level < items[number].level:
            return None
        if items[n].level == items[number].level:
            return n if items[n].ordered else None
    return None


def _order(items: Sequence[ListItem], number: int) -> tuple[str, int]:
    """The kind of numbering as <ol type> has it, and the item's place in it."""
    match = _ORDER.fullmatch(items[number].marker)
    if match is None:
        before = _before(items, number)
        return ("1", 1) if before is None else ("1", _order(items, before)[1] + 1)
    digits, roman, capitals, letter, capital = match.groups()
    if digits:
        return "1", int(digits)
    word = roman or capitals
    if word and (len(word) > 1 or word in "iI"):
        return ("i" if roman else "I"), _value(word.lower())
    single = word or letter or capital
    return ("a" if single.islower() else "A"), ord(single.lower()) - ord("a") + 1


def _value(word: str) -> int:
    total = 0
    for n, letter in enumerate(word):
        value = _ROMAN[letter]
        total += -value if n + 1 < len(word) and _ROMAN[word[n + 1]] > value else value
    return max(total, 1)
