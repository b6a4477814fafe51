"""Which paragraphs are headings and footnotes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.contents import is_entry
from paperchute.engine.reading.layout.formulas import is_mathematical
from paperchute.engine.reading.layout.levels import USUAL, Face, HeadingClass
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import PageMarks
from paperchute.engine.reading.layout.numbering import section_number
from paperchute.engine.reading.layout.paragraphs import Paragraph
from paperchute.engine.reading.layout.phrases import (
    is_appendix,
    is_caption,
    is_label_with_value,
    is_names,
    is_statement,
    is_usual_title,
)
from paperchute.engine.reading.layout.survey import LISTED, Norms, number_of
from paperchute.engine.reading.layout.trace import Measured, rejected
from paperchute.engine.reading.layout.typefaces import stands_over
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class HeadingSettings:
    """Which paragraphs are headings. Fixed on printed Markdown, and on tagged PDFs (headings 0.936 to 0.948)."""

    apart: float = 1.15
    """Times the distance of lines: the least space above a heading that type does not tell. A newspaper changes at
    1.2."""


HEADINGS = HeadingSettings()


@dataclass(frozen=True, slots=True)
class FootnoteSettings:
    """Which lines at a column's end are footnotes."""

    size: float = 0.93
    """Of the body size: notes are set smaller, by half a point at least on common type. `eu-004` and `eu-007` change at
    0.9."""


FOOTNOTES = FootnoteSettings()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a paragraph stands: its page, the paragraphs before and after it in the column, and the column's edges."""

    page: int
    before: Paragraph | None
    after: Paragraph | None
    left: float
    right: float


def with_levels(found: Sequence[Paragraph], page: int, norms: Norms) -> list[tuple[Paragraph, int]]:
    """The paragraphs of one column with their outline levels, 0 for those that are no headings.

    A number alone (`Chapter 1`, `Article 5`) and the title under it are one heading.
    """
    if not found:
        return []
    left = min(line.left for paragraph in found for line in paragraph.lines)
    right = max(line.right for paragraph in found for line in paragraph.lines)
    levels = [
        heading_level(paragraph, Surroundings(page, before, after, left, right), norms)
        for before, paragraph, after in zip([None, *found], found, [*found[1:], None], strict=False)
    ]
    _drop_labels(found, levels, norms)
    result: list[tuple[Paragraph, int]] = []
    for paragraph, level in zip(found, levels, strict=True):
        before, above = result[-1] if result else (paragraph, 0)
        if level and result and _is_number_of(before, paragraph):
            result.pop()
            paragraph = Paragraph([*before.lines, *paragraph.lines])
            level = min(level, above or level)
        result.append((paragraph, level))
    return result


def _is_number_of(number: Paragraph, title: Paragraph) -> bool:
    """Decide whether a paragraph is nothing but the number of the heading under it."""
    text = number.lines[0].text
    if len(number.lines) > 1 or section_number(title.lines[0].text) is not None:
        return False
    found = section_number(text)
    alone = found is not None and not found.title and not found.scheme.startswith(LISTED)
    gap = title.lines[0].top - number.lines[0].bottom
    return (alone or is_appendix(text)) and 0 <= gap < TYPOGRAPHY.quads * title.lines[0].size


def _drop_labels(found: Sequence[Paragraph], levels: list[int], norms: Norms) -> None:
    """Several short bold lines under each other are labels, names or a menu, not as many empty sections."""

    def is_bare(number: int) -> bool:
        line = found[number].lines[0]
        said = line.words[-1].level if norms.tagged else None
        return levels[number] > 0 and not said and not norms.is_larger(norms.face_of(line)) and not number_of(line.text)

    for bare, numbers in itertools.groupby(range(len(found)), key=is_bare):
        run = list(numbers)
        if bare and len(run) >= TYPOGRAPHY.several:
            for number in run:
                levels[number] = 0


def heading_level(paragraph: Paragraph, around: Surroundings, norms: Norms) -> int:
    """The outline level of a paragraph, from 1; 0 when it is no heading."""
    if paragraph.marker is not None and not paragraph.marker.ordered:
        return 0
    lines = paragraph.lines
    face = norms.face_of(lines[0])
    larger = norms.is_larger(face)
    title = norms.front.is_title(around.page, face)
    by = Measured("TYPOGRAPHY.few", len(lines), TYPOGRAPHY.few)
    if title or (lines[0].bold and larger):
        by = Measured("TYPOGRAPHY.short_text", len(lines), TYPOGRAPHY.short_text)
    if by.value > by.limit:
        if larger:  # else it is text as nearly all
            rejected("headings", paragraph.box, "too many lines", by)
        return 0
    text = " ".join(line.text for line in lines).strip()
    if (
        not any(map(str.isalpha, text))
        or len(text) > ((2 if title else 1) * TYPOGRAPHY.heading_chars)
        or norms.is_code(lines[0])
    ):
        return 0
    said = lines[0].words[-1].level
    if norms.tagged and said is not None and said >= 0 and (said or not _is_title(paragraph, face, around, norms)):
        return said
    known = norms.outline.level(around.page, text)
    if known:
        return known
    if is_mathematical(lines) or any(map(is_entry, lines)):
        return 0
    heading = HeadingClass(face, number_of(text))
    level = norms.level_of(heading)
    if not level or any(abs(line.size - lines[0].size) > TYPOGRAPHY.size_step for line in lines):
        return 0
    if _is_heading(paragraph, text, heading, around, norms):
        return level
    rejected("headings", paragraph.box, "set as headings are, but by place, number or words it is none")
    return 0


def _is_title(paragraph: Paragraph, face: Face, around: Surroundings, norms: Norms) -> bool:
    """Decide whether a paragraph is the document's title: word processors tag it as a paragraph like any other."""
    above = paragraph.box.bottom <= norms.front.start + 1
    return norms.front.is_title(around.page, face) and norms.is_larger(face) and above


def _is_heading(paragraph: Paragraph, text: str, heading: HeadingClass, around: Surroundings, norms: Norms) -> bool:
    """Decide whether a paragraph in a face that headings have is one: by its type, its number and what it says."""
    face, number = heading
    larger = norms.is_larger(face)
    if not number and _is_beside_title(paragraph, text, face, around, norms):
        return False
    if face in norms.outlined and number != USUAL:
        return face.bold or larger
    if is_caption(text) or (is_statement(text) and not larger):
        return False
    told = bool(number) and not _is_list(heading, around, norms)
    if paragraph.marker is not None and not told:
        return False
    if _is_front_matter(paragraph, heading, around, norms) and not (face.bold and (larger or told)):
        return False
    sentence = text.endswith(_SENTENCE)
    if larger:
        long = face.size < TYPOGRAPHY.larger * norms.body_size or len(text.split()) > TYPOGRAPHY.phrase
        label = is_label_with_value(text) and face.size < TYPOGRAPHY.plainly_larger * norms.body_size
        return face.bold or told or not ((sentence and long) or label)
    if len(paragraph.lines) > TYPOGRAPHY.pair:
        return False
    if face.bold:
        return told or not (text.endswith((*_SENTENCE, ":")) or is_label_with_value(text))
    return not sentence and _stands_as_heading(paragraph, heading, around, norms, told)


def _stands_as_heading(
    paragraph: Paragraph, heading: HeadingClass, around: Surroundings, norms: Norms, told: bool
) -> bool:
    """Tell if a paragraph that is neither larger nor bold is a heading, as its place, look and number tell together."""
    face, number = heading
    if face.look == "typeface":
        return told or _leads_on(paragraph, around, norms)
    if face.look == "italic" and not told and norms.is_typeface(paragraph.lines[0], face):
        text = paragraph.lines[-1].text
        if not text.endswith(":") and not is_label_with_value(text) and _leads_on(paragraph, around, norms):
            return True
    looks = face.look not in ("", norms.body.look)
    if looks and told and number.startswith("decimal") and number != "decimal 1":
        return True
    if not _is_apart(paragraph, around):
        return False
    if number == USUAL:
        return True
    if not looks:
        return told and not number.startswith(LISTED) and _is_centred(paragraph, around)
    if not told:
        return _is_centred(paragraph, around) or (
            norms.typed and face.look == "caps" and not paragraph.lines[-1].text.endswith(":")
        )
    # An upright number before italics is that of a list, whose items begin with a title.
    return face.look != "italic" or paragraph.lines[0].words[0].font.italic


def _leads_on(paragraph: Paragraph, around: Surroundings, norms: Norms) -> bool:
    """Decide whether a paragraph in the typeface of headings stands over text, or over another heading."""
    if around.after is None or paragraph.lines[0].text[:1].islower():
        return False
    after = around.after.lines[0]
    return stands_over(paragraph.lines[-1], after) or norms.level_of(HeadingClass(norms.face_of(after), "")) > 0


def _is_front_matter(paragraph: Paragraph, heading: HeadingClass, around: Surroundings, norms: Norms) -> bool:
    """Decide whether a paragraph stands between the document's title and its text, and is no usual title."""
    return norms.front.has(around.page, paragraph.box) and heading.face != norms.front.title and heading.number != USUAL


def _is_beside_title(paragraph: Paragraph, text: str, face: Face, around: Surroundings, norms: Norms) -> bool:
    """Tell if a paragraph without number is the kind of article above the document's title, or its authors below."""
    front = norms.front
    if around.page != front.page or front.is_title(around.page, face):
        return False
    marked = any(word.script == "super" for line in paragraph.lines for word in line.words)
    return front.is_above(around.page, paragraph.box) or (
        is_names(text, TYPOGRAPHY.pair if marked else TYPOGRAPHY.several)
        and (marked or front.has(around.page, paragraph.box))
    )


_SENTENCE = (".", ",", ";")


def _is_list(heading: HeadingClass, around: Surroundings, norms: Norms) -> bool:
    """Decide whether what begins with a number is an item of a list: it has the face of the one next to it."""
    return any(
        other is not None
        and other.marker is not None
        and (norms.face_of(other.lines[0]), number_of(other.lines[0].text)) == heading
        and not is_usual_title(other.lines[0].text)
        for other in (around.before, around.after)
    ) and heading.number.startswith(LISTED)


def _is_apart(paragraph: Paragraph, around: Surroundings) -> bool:
    """Decide whether more space stands above a paragraph than between lines, or nothing."""
    if around.before is None or is_usual_title(around.before.lines[0].text):  # such as `APPENDIX`, then its title
        return True
    step = paragraph.lines[0].baseline - around.before.lines[-1].baseline
    after = around.after.lines if around.after is not None else []
    usual = [b.baseline - a.baseline for a, b in itertools.pairwise(after)] or [
        TYPOGRAPHY.wider_leading * paragraph.lines[0].size
    ]
    return step > HEADINGS.apart * min(usual)


def _is_centred(paragraph: Paragraph, around: Surroundings) -> bool:
    """Decide whether a paragraph's lines stand in the middle of the column, away from both its edges."""
    return all(
        min(line.left - around.left, around.right - line.right) > TYPOGRAPHY.em * line.size
        and abs(line.left - around.left - around.right + line.right) < TYPOGRAPHY.em * line.size
        for line in paragraph.lines
    )


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
        and lines[start - 1].top > TYPOGRAPHY.half * marks.height
    ):
        start -= 1
    # No note stands over a section's title: `1 Chair of Rivers` may, and be of the authors.
    start = max((n + 1 for n in range(start, len(lines)) if is_usual_title(lines[n].text)), default=start)
    for number in range(start, len(lines)):
        line = lines[number]
        first = line.words[0]
        if _MARK.match(first.text) and (
            first.script == "super" or first.size < TYPOGRAPHY.plainly_smaller * line.size or _under_rule(line, marks)
        ):
            return number
    return len(lines)


def _under_rule(line: TextLine, marks: PageMarks) -> bool:
    return any(
        rule.horizontal
        and 0 <= line.top - rule.y1 < TYPOGRAPHY.tab * line.size
        and abs(rule.x1 - line.left) < TYPOGRAPHY.quads * line.size
        and rule.x2 - rule.x1 < TYPOGRAPHY.half * marks.width
        for rule in marks.rules
    )
