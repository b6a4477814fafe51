"""The order in which the words of a line are read, where some run from right to left (UAX #9)."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.reading.layout.marks import Word

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""Where Unicode has the characters that run right to left, with some that do not."""


def _is_currency(text: str) -> bool:
    """Decide whether a word is but a currency's sign, which apart from its figure takes the line's direction."""
    return all(unicodedata.category(character) == "Sc" for character in text)


def _is_bracket(text: str) -> bool:
    """Decide whether a word is nothing but brackets."""
    return all(unicodedata.category(character) in ("Ps", "Pe", "Pi", "Pf") for character in text)


def _turned(run: list[Word]) -> list[Word]:
    """A run within a line of the other direction; brackets at its end are the line's."""
    end = len(run)
    while end and _is_bracket(run[end - 1].text):
        end -= 1
    return run[end - 1 :: -1] + run[end:] if end else run[:]


def _glue_brackets(words: Sequence[Word]) -> None:
    """Glue brackets of their own to the words beside which they stand, in a line that runs to the left."""
    for before, word in itertools.pairwise(words):
        bracket = before.text if _is_bracket(before.text) else word.text
        opens = unicodedata.category(bracket[0]) in ("Ps", "Pi")
        if _is_bracket(bracket) and opens == (bracket is before.text):
            gap = max(before.left - word.right, word.left - before.right)
            word.glued |= gap < _BRACKET_GAP * word.size


_BRACKET_GAP = 0.25
"""Of the size, between a bracket and its word; a space is as wide."""


def logical(words: Iterable[Word]) -> tuple[list[Word], int, bool]:
    """Words of one line in reading order, how many characters they have, and whether the line runs right to left.

    Runs of the other direction inside the line are turned round, as the Unicode bidirectional algorithm shows them.
    """
    visual = list(words)
    middles = [w.left + w.right for w in visual]
    if middles != sorted(middles):  # they mostly come from left to right
        visual = [visual[n] for n in sorted(range(len(visual)), key=middles.__getitem__)]
    text = "".join([w.text for w in visual])
    if text.isascii() or not _RIGHT_TO_LEFT.search(text):
        return visual, len(text), False
    strong = [is_rtl(w.text) for w in visual if any(c.isalpha() for c in w.text)]
    if not any(strong):
        return visual, len(text), False
    rtl = sum(strong) * 2 > len(strong)
    if rtl:
        visual.reverse()
    result: list[Word] = []
    run: list[Word] = []
    for word in visual:
        if rtl and not run and _is_bracket(word.text):  # it belongs to the line, not to what stands in it
            result.append(word)
            continue
        against = is_rtl(word.text) != rtl and (rtl or is_rtl(word.text)) and not (rtl and _is_currency(word.text))
        if against:
            run.append(word)
            continue
        result += _turned(run)
        run.clear()
        result.append(word)
    result += _turned(run)
    if rtl:
        _glue_brackets(result)
    return result, len(text), rtl
