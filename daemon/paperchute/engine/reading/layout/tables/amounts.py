"""Figures as tables print them: a number with its sign, brackets and unit, which may stand apart from it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.bands import Band, bands_of
from paperchute.engine.reading.layout.typography import TYPOGRAPHY
from paperchute.notation.currencies import CURRENCY


@dataclass(frozen=True, slots=True)
class AmountSettings:
    """How far the parts of one figure may stand apart. Distances are shares of the font size."""

    sign_before: float = 14.0
    """From a currency sign to the figure: reports print it at the left edge of its column, the figure at the right. 0.8
    to 1.2 times it reads 83 sample pages the same."""


AMOUNTS = AmountSettings()

_SIGN_AFTER = r"(?:(?:(?<=[.,]\d\d)|(?<=[.,]\d{3}))(?:[-−–+]|\s?(?:CR|DR|Cr|Dr|[SHC])))"
"""As banks and tills print it; after whole numbers it may be anything."""
_FIGURE = re.compile(
    rf"^[(\[]?(?:[-−–+±<>~≈]|[-−–]\s)?(?:{CURRENCY}\s?)?[(\[]?[-−–+±]?(?:\d[\d.,:/'’   ]*|[.,]\d+)(?<![.,:/])"
    rf"(?:[eE][-−+]?\d+)?(?:\s?{CURRENCY}|\s?[%‰]|[kKMBx]|bn|pp)?[)\]]*\s?%?{_SIGN_AFTER}?(?:\*{{1,4}}|[†‡§]|[a-e]\)?)?$"
)
_DASH = re.compile(rf"^(?:{CURRENCY}\s?)?(?:[-−–—‒]{{1,3}}|n/?a|N/?A|nil|n\.a\.)$")
_BEFORE = re.compile(rf"^[(\[]?{CURRENCY}?[(\[]?$")
_MINUS = frozenset("-−–")
_PLAIN = re.compile(r"^\d{1,9}(?:[.,:]\d{1,4})?$", re.ASCII)
_UNSIGNED = re.compile(rf"^(?:{CURRENCY}\s?)?\d")
_AFTER = re.compile(rf"^(?:[)\]]|[%‰]|{CURRENCY})[)\]]?%?\*{{0,3}}$")
_SIGN = re.compile(rf"^[(\[]?{CURRENCY}[(\[]?$")
_OPEN_END = re.compile(r"(?:±|\+/[-−])$")
_GROUPS = re.compile(r"^[(\[]?[-−–+]?(?:[$€£¥]\s?)?[(\[]?[1-9]\d{0,2}(?: \d{3})*$")
_NEXT_GROUP = re.compile(r"^\d{3}(?:[.,]\d+)?(?:[%)\]*]{0,4})$")


_DOTS = ".·․…"
_KEPT = 1 << 14
"""Texts whose judgement is kept: pages ask again and again for the same few thousand words."""


@lru_cache(_KEPT)
def is_figure(text: str) -> bool:
    """Tell if a text is a figure as cells hold it: a number with sign and unit, or the dash that stands for none."""
    return bool(_FIGURE.match(text)) or bool(_DASH.match(text)) or ("±" in text and text[:1].isdigit())


def with_whole_figures(bands: list[Band]) -> tuple[list[Band], dict[int, list[Word]]]:
    """The same of words that are in bands: these as they are where no figure has several parts."""
    words, parts = _whole(bands)
    return (bands_of(words) if parts else bands), parts


def _whole(bands: Sequence[Band]) -> tuple[list[Word], dict[int, list[Word]]]:
    result: list[Word] = []
    parts: dict[int, list[Word]] = {}
    lines = [band.ordered for band in bands]
    begin = {text for text in {word.text for ordered in lines for word in ordered} if _may_go_on(text)}
    dashes = set[int]() if begin.isdisjoint(_MINUS) else _range_dashes(lines)
    for ordered in lines:
        if not dashes and begin.isdisjoint([word.text for word in ordered[:-1]]):  # as lines of text
            result += ordered
            continue
        leads: bool | None = None
        group = ordered[:1]
        end = -math.inf
        for word in ordered[1:]:
            goes_on = bool(dashes) and not dashes.isdisjoint((id(group[-1]), id(word)))
            if not goes_on and group[0].text in begin:  # as few do
                leads = _signs_lead(ordered) if leads is None else leads
                goes_on = _goes_on(group, word, leads) or _is_signed(group, word, end)
            if goes_on:
                group.append(word)
                continue
            result.append(_joined(group, parts))
            end = group[-1].right
            group = [word]
        result.append(_joined(group, parts))
    return result, parts


def _range_dashes(bands: Sequence[Sequence[Word]]) -> set[int]:
    """The ids of dashes in a narrow column of their own between the ends of ranges, and in no line between others.

    A dash that stands for no figure is in a column where other lines have some, and what is beside it need not rise.
    """
    found = [
        dash
        for ordered in bands
        for low, dash, high in zip(ordered, ordered[1:], ordered[2:], strict=False)
        if dash.text in _MINUS and _is_between_ends(low, dash, high)
    ]
    if len(found) < TYPOGRAPHY.several:
        return set()
    dashes = set(map(id, found))
    others = [word for ordered in bands for word in ordered if is_figure(word.text) and id(word) not in dashes]
    result: set[int] = set()
    for dash in found:
        middle, reach = (dash.left + dash.right) / 2, TYPOGRAPHY.half_em * dash.size
        under = [one.baseline for one in found if abs((one.left + one.right) / 2 - middle) <= reach]
        among = (one for one in others if min(under) <= one.baseline <= max(under))
        if len(under) >= TYPOGRAPHY.several and not any(one.left <= middle <= one.right for one in among):
            result.add(id(dash))
    return result


def _is_between_ends(low: Word, dash: Word, high: Word) -> bool:
    """Decide whether a dash stands close between two plain numbers, or times, of which the second is the higher one."""
    space = TYPOGRAPHY.em * dash.size
    if not (_PLAIN.match(low.text) and _PLAIN.match(high.text)):
        return False
    if not (0 <= dash.left - low.right < space and 0 <= high.left - dash.right < space):
        return False
    first, last = (float(re.sub("[,:]", ".", word.text)) for word in (low, high))
    return first < last


def is_leader(text: str) -> bool:
    """Decide whether a word is nothing but dots."""
    return not text.strip(_DOTS)


def has_leaders(words: Iterable[Word]) -> bool:
    """Decide whether one of the words is nothing but dots."""
    return "" in [word.text.strip(_DOTS) for word in words]


def as_printed(words: Sequence[Word], parts: Mapping[int, Sequence[Word]]) -> list[Word]:
    """The words with the parts of `whole_figures` for whole ones.

    A bracket that stands in a narrow column of its own closes its figure: `(2,415)`.
    """
    found: list[Word] = []
    for word in words:
        first, *rest = parts.get(id(word), (word,))
        for part in rest:
            part.glued = part.glued or part.text[0] in ")]"
        found += [first, *rest]
    return found


def without_leaders(words: Iterable[Word]) -> list[Word]:
    """The words but for rows of dots, which lead the eye from a label to its figure and say nothing."""
    result: list[Word] = []
    found = list(words)
    leaders = {text for text in {word.text for word in found} if is_leader(text)}
    for band in bands_of(found):
        if leaders.isdisjoint([word.text for word in band.words]):
            result += band.ordered
            continue
        dots: list[Word] = []
        for word in [*band.ordered, None]:
            if word is not None and word.text in leaders:
                dots.append(word)
                continue
            if dots and sum(3 if c == "…" else 1 for dot in dots for c in dot.text) < TYPOGRAPHY.few:
                result += dots
            dots = []
            if word is not None:
                result.append(word)
    return result


def _signs_lead(words: Sequence[Word]) -> bool:
    """Decide whether a line's currency signs stand before its figures: the first one does."""
    for word in words:
        if _is_currency(word.text):
            return True
        if is_figure(word.text):
            return False
    return True


def _goes_on(group: Sequence[Word], word: Word, leads: bool) -> bool:
    """Decide whether a word is a further part of the figure that `group` has begun."""
    last = group[-1]
    text, right = last.text, last.right
    if len(group) > 1:
        text, right = " ".join(part.text for part in group), max(part.right for part in group)
    gap = (word.left - right) / max(last.size, word.size)
    if gap >= AMOUNTS.sign_before:
        return False
    if _begins(text):
        return is_figure(word.text)
    if not is_figure(text) and not _is_open(text):
        return False
    if word.text[0] == "±" or word.text.startswith("+/") or _is_open(text):
        return gap < TYPOGRAPHY.em and (is_figure(word.text) or _is_open(word.text))
    if _AFTER.match(word.text):
        return gap < TYPOGRAPHY.tab and not (leads and _SIGN.match(word.text))
    return gap < TYPOGRAPHY.half_em and bool(_GROUPS.match(text) and _NEXT_GROUP.match(word.text))


def _is_signed(group: Sequence[Word], word: Word, end: float) -> bool:
    """Tell whether a word is the figure of a minus that stands alone before it, and away from what ends left of it."""
    sign = group[0]
    if len(group) > 1 or sign.text not in _MINUS or not (_UNSIGNED.match(word.text) and is_figure(word.text)):
        return False
    space = TYPOGRAPHY.em * max(sign.size, word.size)
    return word.left - sign.right < space < sign.left - end


@lru_cache(_KEPT)
def _may_go_on(text: str) -> bool:
    """Decide whether a word can be the first part of a figure, as few are."""
    return is_figure(text) or _begins(text) or _is_open(text)


def _begins(text: str) -> bool:
    return bool(_BEFORE.match(text))


def _is_open(text: str) -> bool:
    return bool(_OPEN_END.search(text))


def _is_currency(text: str) -> bool:
    return bool(_SIGN.match(text))


def is_sign(text: str) -> bool:
    """Decide whether a text is but the sign, bracket or unit of a figure."""
    return bool(_SIGN.match(text) or _AFTER.match(text))


def _joined(group: Sequence[Word], parts: dict[int, list[Word]]) -> Word:
    if len(group) == 1:
        return group[0]
    main = max(group, key=lambda part: sum(c.isdigit() for c in part.text))
    whole = replace(
        main,
        text=" ".join(part.text for part in group),
        left=min(part.left for part in group),
        top=min(part.top for part in group),
        right=max(part.right for part in group),
        bottom=max(part.bottom for part in group),
    )
    parts[id(whole)] = list(group)
    return whole
