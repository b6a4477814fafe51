"""Which paragraphs are headings and footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.lines import LINES, TextLine
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.paragraphs import Paragraph
from paperchute.engine.reading.layout.survey import SURVEY, Norms, normal, style_key


@dataclass(frozen=True, slots=True)
class HeadingSettings:
    """Which paragraphs are headings. Fixed on printed Markdown, and on tagged PDFs (headings 0.936 to 0.948)."""

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
    """Of the page's width: LaTeX draws 0.4 of the column; a rule of full width is a table's or a foot's."""


FOOTNOTES = FootnoteSettings()


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
