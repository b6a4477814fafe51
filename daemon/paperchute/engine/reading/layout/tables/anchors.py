"""Rows of a table by its figures: a printed line with figures is a row, other lines are heads, labels or go on."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

RowWords = Sequence[tuple[int, int, list[Word]]]
"""A printed line's words by column, left to right: (column, column span, words)."""


_HEAD_FIGURE = re.compile(r"^(?:(?:FY ?)?(?:1[89]|20)\d\d(?:[-/–]\d{2,4})?[a-zA-Z*]?|\(\d{1,2}\)|[-–—])$")
_OPEN = re.compile(
    r"(?:[,&/+–-]|\b(?:and|or|of|the|for|in|to|by|with|on|from|at|per|net|less|und|von|de|des|et|y))$", re.I
)


def figure_columns(placed: Sequence[RowWords]) -> set[int]:
    """The columns, but the first, in which figures stand under each other."""
    texts: dict[int, list[bool]] = {}
    for line in placed:
        for column, span, words in line:
            if column > 0 and span == 1:
                texts.setdefault(column, []).append(is_figure(text_of(words)))
    return {
        column
        for column, figures in texts.items()
        if sum(figures) >= TYPOGRAPHY.several and sum(figures) >= TYPOGRAPHY.most * len(figures)
    }


def figure_share(placed: Sequence[RowWords], column: int) -> float:
    """The share of the texts in a column that are figures."""
    texts = [is_figure(text_of(words)) for line in placed for c, span, words in line if c == column and span == 1]
    return sum(texts) / len(texts) if texts else 0.0


def text_of(words: Sequence[Word]) -> str:
    """The words of a place in a line as they are read."""
    return " ".join([word.text for word in words])


def head_lines(placed: Sequence[RowWords], figures: set[int]) -> int:
    """How many lines from the top belong to the head: down to the last with words, years or numbers over figures."""
    heads = 0
    for number, line in enumerate(placed):
        over = [text_of(words) for column, _, words in line if column in figures]
        if any(is_figure(text) and not _HEAD_FIGURE.match(text) for text in over):
            break
        if over:
            heads = number + 1
    return heads if heads < len(placed) else 0


def starts_by_figures(bands: Sequence[Band], placed: Sequence[RowWords]) -> list[bool]:
    """For each line whether a row starts with it; empty where no column holds figures."""
    figures = figure_columns(placed)
    if not figures:
        return []
    anchors = [any(c in figures and is_figure(text_of(words)) for c, _, words in line) for line in placed]
    broken = [n > 0 and _ends_open(placed[n - 1], line) for n, line in enumerate(placed)]
    anchors = [anchor and not part for anchor, part in zip(anchors, broken, strict=True)]
    heads = head_lines(placed, figures)
    starts = _by_distance(bands, placed, anchors, heads) or _by_wording(bands, placed, anchors, heads)
    for n in range(1, heads):
        starts[n] = not _heads_go_on(bands[n - 1], bands[n], placed[n - 1], placed[n])
    if heads < len(starts):
        starts[heads] = True
    return [start and not part for start, part in zip(starts, broken, strict=True)]


def _ends_open(above: RowWords, here: RowWords) -> bool:
    """Decide whether a figure of the line above goes on in this one, as its last sign says; a sign alone is a head."""
    columns = {column for column, _, _ in here}
    return any(
        column in columns
        and words[-1].text.endswith(("±", "+/-", "+/−"))
        and any(c.isdigit() for word in words for c in word.text)
        for column, _, words in above
    )


def _by_distance(
    bands: Sequence[Band], placed: Sequence[RowWords], anchors: Sequence[bool], heads: int
) -> list[bool] | None:
    """Where lines of one cell stand closer than rows; None when all lines stand alike or rows would have two figures.

    A row goes on wherever a cell of any column does, so cells that are centred beside taller ones do not part it.
    """
    size = sorted(band.size for band in bands)[len(bands) // 2]
    rows = [b.bottom - a.bottom for n, (a, b) in enumerate(itertools.pairwise(bands)) if anchors[n] and anchors[n + 1]]
    by_column: dict[int, list[int]] = {}
    for n in range(heads, len(placed)):
        for column, _, _ in placed[n]:
            by_column.setdefault(column, []).append(n)
    pairs = [
        p for lines in by_column.values() for p in itertools.pairwise(lines) if not (anchors[p[0]] and anchors[p[1]])
    ]
    steps = [bands[below].bottom - bands[above].bottom for above, below in pairs]
    pitch = min((step for step in steps if step >= TYPOGRAPHY.smaller * size), default=0.0)
    others = rows or [step for step in steps if step > TYPOGRAPHY.larger * pitch + TYPOGRAPHY.size_step]
    if not others or pitch >= TYPOGRAPHY.smaller * min(others):
        return None
    starts = [True] * len(bands)
    for step, (above, below) in zip(steps, pairs, strict=True):
        if step <= TYPOGRAPHY.larger * pitch + TYPOGRAPHY.size_step:
            starts[above + 1 : below + 1] = [False] * (below - above)
    count = 0
    for start, anchor in zip(starts, anchors, strict=True):
        count = anchor if start else count + anchor
        if count > 1:
            return None
    return starts


def _by_wording(bands: Sequence[Band], placed: Sequence[RowWords], anchors: Sequence[bool], heads: int) -> list[bool]:
    """Return where all lines stand alike: those with figures are rows, others go on where their words say so."""
    starts = [True] * len(bands)
    wraps = labels_wrap(placed, anchors, heads)
    for n in range(max(heads, 1), len(bands)):
        if anchors[n] and anchors[n - 1]:
            continue
        above, here = placed[n - 1], placed[n]
        if here[0][0] > 0:
            # Without a label a line is no row: its words belong to the cells above, figures to the label above them.
            starts[n] = anchors[n] and above[0][0] > 0
        elif above[0][0] == 0:
            bold = [all(word.font.bold for word in line[0][2]) for line in (above, here)]
            goes_on = _reads_on(above[0][2], here[0][2]) or (wraps and not anchors[n] and len(here) == 1)
            starts[n] = bold[0] != bold[1] or not goes_on
        if starts[n] is False and anchors[n] and _has_anchor(starts, anchors, n):
            starts[n] = True
    return starts


def labels_wrap(placed: Sequence[RowWords], anchors: Sequence[bool], heads: int) -> bool:
    """Tell if lines that are labels alone go on with the label above: nearly all begin with a word that had no room."""
    ends = [line[0][2][-1].right for line in placed[heads:] if line[0][0] == 0]
    edge = max(ends, default=0.0)
    alone = wrapped = 0
    for n in range(heads + 1, len(placed)):
        above, here = placed[n - 1], placed[n]
        if anchors[n] or len(here) > 1 or here[0][0] > 0 or above[0][0] > 0:
            continue
        alone += 1
        wrapped += had_no_room(above[0][2][-1], here[0][2][0], edge)
    return alone > 0 and wrapped >= TYPOGRAPHY.nearly_all * alone


def had_no_room(last: Word, first: Word, edge: float) -> bool:
    """Tell if the first word of a line had no room behind the last one of the line above, so that both are one text."""
    return last.right + TYPOGRAPHY.same_baseline * first.size + first.right - first.left > edge


def _has_anchor(starts: Sequence[bool], anchors: Sequence[bool], number: int) -> bool:
    """Decide whether the row that a line would go on with has figures already."""
    while number > 0:
        number -= 1
        if anchors[number]:
            return True
        if starts[number]:
            return False
    return False


def _reads_on(above: Sequence[Word], here: Sequence[Word]) -> bool:
    """Decide whether a line's words go on with those above: in small letters, or after a word that asks for more."""
    first = next((c for c in here[0].text if c.isalnum()), "")
    return first.islower() or bool(_OPEN.search(above[-1].text))


def _heads_go_on(above: Band, here: Band, upper: RowWords, lower: RowWords) -> bool:
    """Decide whether a line of a table's head goes on with the one above, as words of a head that were wrapped do."""
    if any(span > 1 for line in (upper, lower) for _, span, _ in line):
        return False
    if here.bottom - above.bottom > TYPOGRAPHY.tight_line * here.size:
        return False
    over = {column: words for column, _, words in upper}
    both = [(over[column], words) for column, _, words in lower if column in over]
    if all(_HEAD_FIGURE.match(text_of(words)) for _, _, words in lower):
        return bool(both) and all(words[-1].text.endswith(",") for words, _ in both)
    return bool(both) and not any(text_of(words).startswith("(") for _, words in both)
