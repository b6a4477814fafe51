"""Lines of one column to paragraphs, and which of them are headings, footnotes and formulas."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from paperchute.engine.reading.layout.lines import LINES, TextLine, words_text
from paperchute.engine.reading.layout.lists import Marker, item_marker, marker_of, place_of
from paperchute.engine.reading.layout.marks import PageMarks, Word
from paperchute.engine.reading.layout.survey import SURVEY, Norms, normal, style_key


@dataclass(frozen=True, slots=True)
class ParagraphSettings:
    """Where a paragraph ends. Distances are shares of the font size where nothing else is said."""

    same_size: float = 0.08
    """By how much the sizes of lines of one paragraph may differ: as measured on scans; more is other type."""

    leading: float = 1.2
    """The distance of baselines where a size has no other: the usual `line-height: normal` of fonts."""

    least_step: float = 0.3
    """Baselines that are closer are not those of lines under each other."""

    apart: float = 1.25
    """Times the usual distance: lines further apart are of two paragraphs."""

    apart_least: float = 0.25
    """More than the usual distance, at least: with tight lines a quarter of them is too little."""

    outdent: float = 0.3
    """To the left of a list's marker: what begins there is no part of its item."""

    item_outdent: float = 0.5
    """To the left of an item's text, after a break that is meant: a paragraph under the list."""

    indent: tuple[float, float] = (0.7, 6.0)
    """Of a first line, at least and at most; more is a centred or right-aligned line."""

    flush: float = 0.5
    """How far right of the line before a new paragraph may begin without being its indented part."""

    fits: float = 0.6
    """Beside the next line's first word, which would have fitted: then the break is meant; a space and some."""

    same_leading_size: float = 0.5
    """Points by which sizes may differ where distances of lines are learnt: the rounding of sizes."""

    leading_overlap: float = 0.5
    """The share of the shorter line that stands under the other where distances are learnt."""

    leading_range: tuple[float, float] = (0.5, 2.2)
    """Distances of lines that count; others are of rows or paragraphs."""

    few_leading: float = 1.1
    """Times that of the main size: the largest distance of lines in a size that has few, which may all be headings."""

    few_steps: int = 3
    """Distances up to which a size has few."""

    full_line: float = 0.15
    """Of a run's width, short of its right edge: nearer lines are full."""

    full_share: float = 0.6
    """The share of full lines from which a run of lines has its own right edge, beside a picture for instance."""


PARAGRAPHS = ParagraphSettings()


@dataclass(frozen=True, slots=True)
class HeadingSettings:
    """Which paragraphs are headings."""

    most_lines: int = 4
    """Lines of a heading; more are a paragraph in large type, such as a lead."""

    most_chars: int = 220
    """Characters of a heading; more are a paragraph in large type."""

    same_size: float = 0.6
    """Points by which the lines of a heading differ: the rounding of sizes and a little."""

    sentence_size: float = 1.15
    """Of the body size: below it, what ends like a sentence and is not bold is one."""

    longest_sentence: int = 8
    """Words of a plain heading that ends like a sentence."""

    most_bold_lines: int = 2
    """Lines of a heading that only bold type tells."""

    most_bold_chars: int = 120
    """Characters of a heading that only bold type tells; more are a bold paragraph."""


HEADINGS = HeadingSettings()


@dataclass(frozen=True, slots=True)
class FootnoteSettings:
    """Which lines at a column's end are footnotes."""

    size: float = 0.93
    """Of the body size: notes are set smaller, by half a point at least on common type."""

    lower_half: float = 0.5
    """Of the page's height: notes begin in its lower half."""

    rule_gap: float = 2.0
    """Of the font size: from the rule over the notes to the first of them."""

    rule_start: float = 3.0
    """Of the font size: between the left ends of rule and notes."""

    rule_width: float = 0.45
    """Of the page's width: word processors and LaTeX draw a third; a rule of full width is a table's or a foot's."""


FOOTNOTES = FootnoteSettings()


@dataclass(frozen=True, slots=True)
class FormulaSettings:
    """Which paragraphs are displayed formulas."""

    share: float = 0.5
    """The share of characters in formula fonts, or that are signs: half of them or more."""

    most_lines: int = 12
    """Lines of one displayed formula; a bound on work as well."""

    fewest_chars: int = 3
    """Characters of a formula: `a=b`."""

    most_words: int = 2
    """Ordinary words in a formula, such as `if` and `otherwise`."""

    word: int = 4
    """Letters from which a word is an ordinary one; `sin` and `max` are not."""


FORMULAS = FormulaSettings()


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
    if abs(before.size - line.size) > PARAGRAPHS.same_size * size and not _mixed(before, line):
        return True
    if before.mono != line.mono and (before.mono or meant):
        return True
    if meant and before.bold != line.bold:
        return True
    if marker is not None and (marker.sure or meant or current.marker is not None):
        return True
    if current.marker is not None and line.left < current.marker.left - PARAGRAPHS.outdent * size:
        return True
    if current.marker is not None and meant and line.left < current.left - PARAGRAPHS.item_outdent * size:
        return True
    ends = words_text(before.words).endswith(_SENTENCE_END)
    indent = line.left - current.lines[0].left if len(current.lines) == 1 else line.left - before.left
    low, high = PARAGRAPHS.indent
    if current.marker is None and len(current.lines) > 1 and low * size < indent < high * size and ends:
        return True
    return (
        meant
        and ends
        and current.marker is None
        and line.left <= before.left + PARAGRAPHS.flush * size
        and not before.mono
    )


def _is_apart(before: TextLine, line: TextLine, leading: dict[float, float]) -> bool:
    """Whether the distance of two lines is not that of lines in a paragraph."""
    size = max(before.size, line.size)
    step = line.baseline - before.baseline
    usual = leading.get(round(line.size), PARAGRAPHS.leading * size)
    return step <= PARAGRAPHS.least_step * size or step > max(
        PARAGRAPHS.apart * usual, usual + PARAGRAPHS.apart_least * size
    )


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
        full = sum(own - line.right < PARAGRAPHS.full_line * width for line in run)
        result += [own if len(run) > 3 and full >= PARAGRAPHS.full_share * len(run) else column] * len(run)
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
    return right - before.right > (line.words[0].right - line.words[0].left) + PARAGRAPHS.fits * line.size


def _leadings(lines: Sequence[TextLine]) -> dict[float, float]:
    """The usual distance of baselines for each font size (rounded), in points.

    Few lines of a size may all be paragraphs of their own (headings): they are no further apart than the others.
    """
    steps: dict[float, list[float]] = {}
    low, high = PARAGRAPHS.leading_range
    for before, line in itertools.pairwise(lines):
        step = line.baseline - before.baseline
        over = min(before.right, line.right) - max(before.left, line.left)
        same = abs(before.size - line.size) < PARAGRAPHS.same_leading_size and over > PARAGRAPHS.leading_overlap * min(
            b.right - b.left for b in (before, line)
        )
        if same and low * line.size < step < high * line.size:
            steps.setdefault(round(line.size), []).append(step)
    if not steps:
        return {}
    main = max(steps, key=lambda size: len(steps[size]))
    ratio = _common(steps[main]) / max(main, 1)
    return {
        size: _common(found)
        if len(found) > PARAGRAPHS.few_steps
        else min(_common(found), PARAGRAPHS.few_leading * ratio * size)
        for size, found in steps.items()
    }


def _common(steps: list[float]) -> float:
    """The distance inside paragraphs: the median of the lower part, as the distances between paragraphs are larger."""
    steps = sorted(steps)
    return median(steps[: max(len(steps) * 2 // 3, 1)])


_NUMBERED = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.|[IVX]{1,5}\.|§\s?\d+)\s+\S")


def heading_level(paragraph: Paragraph, page: int, norms: Norms) -> int:
    """The outline level of a paragraph on page `page`, from 1; 0 when it is no heading."""
    lines = paragraph.lines
    text = " ".join(line.text for line in lines).strip()
    if (
        not any(c.isalpha() for c in text)
        or len(lines) > HEADINGS.most_lines
        or len(text) > HEADINGS.most_chars
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
    if not level or any(abs(line.size - lines[0].size) > HEADINGS.same_size for line in lines):
        return 0
    if key in norms.outlined:
        return level if bold or size > SURVEY.larger * norms.body_size else 0
    larger = size > SURVEY.larger * norms.body_size
    if paragraph.marker is not None and not (_NUMBERED.match(text) and (larger or bold)):
        return 0
    if larger:
        sentence = text.endswith((".", ",", ";")) and not _NUMBERED.match(text)
        if (
            sentence
            and not bold
            and (size < HEADINGS.sentence_size * norms.body_size or len(text.split()) > HEADINGS.longest_sentence)
        ):
            return 0
        return level
    if not bold or len(lines) > HEADINGS.most_bold_lines or len(text) > HEADINGS.most_bold_chars:
        return 0
    return level if _NUMBERED.match(text) or not text.endswith((".", ",", ";", ":")) else 0


_MARK = re.compile(r"^(?:\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\])[.)]?(?=\s|[A-Z\"“(]|$)")


def footnote_start(lines: Sequence[TextLine], marks: PageMarks, norms: Norms) -> int:
    """The number of the line from which on a column's lines are footnotes; len(lines) for none.

    They are the smaller lines at the end, in the lower half of the page, that begin with a note mark (raised, or under
    a short rule).
    """
    start = len(lines)
    while (
        start > 0
        and lines[start - 1].size < FOOTNOTES.size * norms.body_size
        and lines[start - 1].top > FOOTNOTES.lower_half * marks.height
    ):
        start -= 1
    for number in range(start, len(lines)):
        line = lines[number]
        first = line.words[0]
        if _MARK.match(first.text) and (
            first.script == "super" or first.size < LINES.script_size * line.size or _under_rule(line, marks)
        ):
            return number
    return len(lines)


def _under_rule(line: TextLine, marks: PageMarks) -> bool:
    return any(
        rule.horizontal
        and 0 <= line.top - rule.y1 < FOOTNOTES.rule_gap * line.size
        and abs(rule.x1 - line.left) < FOOTNOTES.rule_start * line.size
        and rule.x2 - rule.x1 < FOOTNOTES.rule_width * marks.width
        for rule in marks.rules
    )


_PLAIN_SIGNS = frozenset("+<=>|~")


def is_formula(lines: Sequence[TextLine]) -> bool:
    """Whether a paragraph is a displayed formula.

    At least half of its characters are set in a formula font (Computer Modern Math, Symbol, ...) or are mathematical
    signs, at least one of them is no plain letter or digit, and there are few ordinary words.
    """
    if len(lines) > FORMULAS.most_lines or not any(map(_is_formal, [word for line in lines for word in line.words])):
        return False
    total = formal = prose = 0
    sign = False
    for line in lines:
        for word in line.words:
            total += len(word.text)
            signs = sum(_is_sign(c) for c in word.text)
            formal += len(word.text) if word.font.math else signs
            sign = sign or signs > 0
            prose += len(word.text) >= FORMULAS.word and word.text.isalpha() and not word.font.math
    return total >= FORMULAS.fewest_chars and sign and formal >= FORMULAS.share * total and prose <= FORMULAS.most_words


def _is_formal(word: Word) -> bool:
    return word.font.math or not word.text.isascii() or not _PLAIN_SIGNS.isdisjoint(word.text)


def _is_sign(character: str) -> bool:
    return (
        unicodedata.category(character) == "Sm"
        or "\U0001d400" <= character <= "\U0001d7ff"
        or "\u0370" <= character <= "\u03ff"
    )
