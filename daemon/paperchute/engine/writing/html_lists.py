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
    lists: list[tuple[int, str]] = []  # the open ones: level, and what they are: ul or the type of an ol

    def close_one() -> None:
        _, kind = lists.pop()
        out.append("</li></ul>" if kind == "ul" else "</li></ol>")

    for number, item in enumerate(items):
        while lists and lists[-1][0] > item.level:
            close_one()
        kind = _order(items, number)[0] if item.ordered else "ul"
        if lists and lists[-1] == (item.level, kind):
            out.append("</li>")
        else:
            if lists and lists[-1][0] == item.level:
                close_one()
            out.append(_opening(items, number, kind))
            lists.append((item.level, kind))
        out.append(_item(items, number) + inner(item))
    while lists:
        close_one()
    return "".join(out)


def _opening(items: Sequence[ListItem], number: int, kind: str) -> str:
    if kind == "ul":
        return "<ul>"
    start = _order(items, number)[1]
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
    if before is not None and _order(items, before)[0] != kind:
        before = None
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
