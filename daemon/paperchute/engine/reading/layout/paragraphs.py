"""Lines of one column to paragraphs, and which of them are headings, footnotes and formulas."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from paperchute.engine.reading.layout.lines import TextLine, words_text
from paperchute.engine.reading.layout.lists import Marker, item_marker, marker_of, place_of
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.survey import Norms, normal, style_key

_FEW_STEPS = 3
_SENTENCE_END = (".", "!", "?", ":", "。", "！", "？", "：", ";", "…")


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together. `hard` holds the numbers of lines after which the break is meant.

    `marker`: what makes it a list item; its width is then cut from the first line.
    """

    lines: list[TextLine]
    hard: set[int] = field(default_factory=set)
    marker: Marker | None = None

    @property
    def left(self) -> float:
        """The left edge of its text, after a list marker."""
        return self.marker.text_left if self.marker else min(line.left for line in self.lines)


def paragraphs(lines: Sequence[TextLine]) -> list[Paragraph]:
    """The lines, top to bottom, in paragraphs and list items."""
    if not lines:
        return []
    leading = _leadings(lines)
    rights = _right_edges(lines, leading)
    begun: set[int] = set()
    result = [Paragraph([lines[0]], marker=_marker(lines[0], begun))]
    for number, (before, line) in enumerate(itertools.pairwise(lines)):
        current = result[-1]
        marker = _marker(line, begun)
        meant = _was_meant(before, line, rights[number])
        if _parts(current, before, line, marker, meant, leading):
            result.append(Paragraph([line], marker=marker))
            continue
        if meant:
            current.hard.add(len(current.lines) - 1)
        current.lines.append(line)
    return result


def _marker(line: TextLine, begun: set[int]) -> Marker | None:
    """The marker of an item that begins with a line. begun: the tagged items that have begun, which do so only once."""
    place = place_of(line)
    if place is None:
        return marker_of(line)
    if place.item in begun:
        return None
    begun.add(place.item)
    return item_marker(line)


def _item(line: TextLine) -> int:
    place = place_of(line)
    return place.item if place is not None else 0


def _parts(
    current: Paragraph,
    before: TextLine,
    line: TextLine,
    marker: Marker | None,
    meant: bool,
    leading: dict[float, float],
) -> bool:
    """Whether a new paragraph starts with `line`."""
    size = max(before.size, line.size)
    if _is_apart(before, line, leading) or before.words[-1].level != line.words[-1].level:
        return True
    if _item(before) != _item(line):
        return True
    if abs(before.size - line.size) > 0.08 * size and not _mixed(before, line):
        return True
    if before.mono != line.mono and (before.mono or meant):
        return True
    if meant and before.bold != line.bold:
        return True
    if marker is not None and (marker.sure or meant or current.marker is not None):
        return True
    if current.marker is not None and line.left < current.marker.left - 0.3 * size:
        return True
    if current.marker is not None and meant and line.left < current.left - 0.5 * size:
        return True
    ends = words_text(before.words).endswith(_SENTENCE_END)
    indent = line.left - current.lines[0].left if len(current.lines) == 1 else line.left - before.left
    if current.marker is None and len(current.lines) > 1 and 0.7 * size < indent < 6 * size and ends:
        return True
    return meant and ends and current.marker is None and line.left <= before.left + 0.5 * size and not before.mono


def _is_apart(before: TextLine, line: TextLine, leading: dict[float, float]) -> bool:
    """Whether the distance of two lines is not that of lines in a paragraph."""
    size = max(before.size, line.size)
    step = line.baseline - before.baseline
    usual = leading.get(round(line.size), 1.2 * size)
    return step <= 0.3 * size or step > max(1.25 * usual, usual + 0.25 * size)


def _right_edges(lines: Sequence[TextLine], leading: dict[float, float]) -> list[float]:
    """For each line how far lines reach there: to the column's edge, or to that of a narrower, filled run of lines."""
    column = max(line.right for line in lines)
    result: list[float] = []
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and not _is_apart(lines[end - 1], lines[end], leading):
            continue
        run = lines[start:end]
        own = max(line.right for line in run)
        width = own - min(line.left for line in run)
        full = sum(own - line.right < 0.15 * width for line in run)
        result += [own if len(run) > 3 and full >= 0.6 * len(run) else column] * len(run)
        start = end
    return result


def _mixed(before: TextLine, line: TextLine) -> bool:
    """Whether the lines share a font size although their main ones differ (inline code, small caps)."""
    return (
        bool({round(w.size, 1) for w in before.words} & {round(w.size, 1) for w in line.words})
        and before.bold == line.bold
    )


def _was_meant(before: TextLine, line: TextLine, right: float) -> bool:
    """Whether the break after `before` is meant: the next word would have fitted on the line."""
    if line.rtl:
        return False
    return right - before.right > (line.words[0].right - line.words[0].left) + 0.6 * line.size


def _leadings(lines: Sequence[TextLine]) -> dict[float, float]:
    """The usual distance of baselines for each font size (rounded), in points.

    Few lines of a size may all be paragraphs of their own (headings): they are no further apart than the others.
    """
    steps: dict[float, list[float]] = {}
    for before, line in itertools.pairwise(lines):
        step = line.baseline - before.baseline
        over = min(before.right, line.right) - max(before.left, line.left)
        same = abs(before.size - line.size) < 0.5 and over > 0.5 * min(b.right - b.left for b in (before, line))
        if same and 0.5 * line.size < step < 2.2 * line.size:
            steps.setdefault(round(line.size), []).append(step)
    if not steps:
        return {}
    main = max(steps, key=lambda size: len(steps[size]))
    ratio = _common(steps[main]) / max(main, 1)
    return {
        size: _common(found) if len(found) > _FEW_STEPS else min(_common(found), 1.1 * ratio * size)
        for size, found in steps.items()
    }


def _common(steps: list[float]) -> float:
    """The distance inside paragraphs: the median of the lower part, as the distances between paragraphs are larger."""
    steps = sorted(steps)
    return median(steps[: max(len(steps) * 2 // 3, 1)])


_MOST_HEADING_LINES = 4
_MOST_CHARS = 220
_LONGEST_SENTENCE = 8  # words of a plain heading that ends like a sentence
_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.|[IVX]{1,5}\.|§\s?\d+)\s+\S")


def heading_level(paragraph: Paragraph, page: int, norms: Norms) -> int:
    """The outline level of a paragraph on page `page`, from 1; 0 when it is no heading."""
    lines = paragraph.lines
    text = " ".join(line.text for line in lines).strip()
    if (
        not any(c.isalpha() for c in text)
        or len(lines) > _MOST_HEADING_LINES
        or len(text) > _MOST_CHARS
        or lines[0].mono
    ):
        return 0
    if paragraph.marker is not None and not paragraph.marker.ordered:
        return 0
    said = lines[0].words[-1].level
    if norms.tagged and said is not None and said >= 0:
        return said
    known = norms.outline.get((page, normal(text))) if norms.outline else None
    if known:
        return known
    size, bold = key = style_key(lines[0])
    level = norms.levels.get(key, 0)
    if not level or any(abs(line.size - lines[0].size) > 0.6 for line in lines):
        return 0
    if key in norms.outlined:
        return level if bold or size > 1.09 * norms.body_size else 0
    larger = size > 1.09 * norms.body_size
    if paragraph.marker is not None and not (_NUMBERED.match(text) and (larger or bold)):
        return 0
    if larger:
        sentence = text.endswith((".", ",", ";")) and not _NUMBERED.match(text)
        if sentence and not bold and (size < 1.15 * norms.body_size or len(text.split()) > _LONGEST_SENTENCE):
            return 0
        return level
    if not bold or len(lines) > 2 or len(text) > 120:
        return 0
    return level if _NUMBERED.match(text) or not text.endswith((".", ",", ";", ":")) else 0


_MARK = re.compile(r"^(?:\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\])[.)]?(?=\s|[A-Z\"“(]|$)")


def footnote_start(lines: Sequence[TextLine], marks: PageMarks, norms: Norms) -> int:
    """The number of the line from which on a column's lines are footnotes; len(lines) for none.

    They are the smaller lines at the end, in the lower half of the page, that begin with a note mark (raised, or under
    a short rule).
    """
    start = len(lines)
    while start > 0 and lines[start - 1].size < 0.93 * norms.body_size and lines[start - 1].top > 0.5 * marks.height:
        start -= 1
    for number in range(start, len(lines)):
        line = lines[number]
        first = line.words[0]
        if _MARK.match(first.text) and (
            first.script == "super" or first.size < 0.85 * line.size or _under_rule(line, marks)
        ):
            return number
    return len(lines)


def _under_rule(line: TextLine, marks: PageMarks) -> bool:
    return any(
        rule.horizontal
        and 0 <= line.top - rule.y1 < 2 * line.size
        and abs(rule.x1 - line.left) < 3 * line.size
        and rule.x2 - rule.x1 < 0.45 * marks.width
        for rule in marks.rules
    )


_SHARE = 0.5
_MOST_FORMULA_LINES = 12
_PLAIN_SIGNS = frozenset("+<=>|~")


def is_formula(lines: Sequence[TextLine]) -> bool:
    """Whether a paragraph is a displayed formula.

    At least half of its characters are set in a formula font (Computer Modern Math, Symbol, ...) or are mathematical
    signs, at least one of them is no plain letter or digit, and there are few ordinary words.
    """
    if len(lines) > _MOST_FORMULA_LINES or not any(map(_is_formal, [word for line in lines for word in line.words])):
        return False
    total = formal = prose = 0
    sign = False
    for line in lines:
        for word in line.words:
            total += len(word.text)
            signs = sum(_is_sign(c) for c in word.text)
            formal += len(word.text) if word.font.math else signs
            sign = sign or signs > 0
            prose += len(word.text) >= 4 and word.text.isalpha() and not word.font.math
    return total >= 3 and sign and formal >= _SHARE * total and prose <= 2


def _is_formal(word: Word) -> bool:
    return word.font.math or not word.text.isascii() or not _PLAIN_SIGNS.isdisjoint(word.text)


def _is_sign(character: str) -> bool:
    return (
        unicodedata.category(character) == "Sm"
        or "\U0001d400" <= character <= "\U0001d7ff"
        or "\u0370" <= character <= "\u03ff"
    )
