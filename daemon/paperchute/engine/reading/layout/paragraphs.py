"""Lines of one column to paragraphs: where one ends and the next begins."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.contents import SECTION, is_entry
from paperchute.engine.reading.layout.levels import face_of
from paperchute.engine.reading.layout.lines import TextLine, around, words_text
from paperchute.engine.reading.layout.lists import BOXES, Marker, item_marker, marker_of, place_of
from paperchute.engine.reading.layout.sequences import clauses, in_sequence, opening, references, steps
from paperchute.engine.reading.layout.typefaces import single_font
from paperchute.engine.reading.layout.typography import TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class ParagraphSettings:
    """Where a paragraph ends.

    Distances are shares of the font size where nothing else is said. Fixed on printed Markdown, the distances of lines
    together with headings (0.903 to 0.931).
    """

    same_size: float = 0.08
    """By how much the sizes of lines of one paragraph may differ; more is other type. Seven documents change at 0.1,
    such as `eu-020` to `eu-024`."""

    apart: float = 1.25
    """Times the usual distance: lines further apart are of two paragraphs. `eu-015` and a textbook's page change at
    1.2."""

    fits: float = 0.6
    """Beside the next line's first word, which would have fitted: then the break is meant; a space and some. `eu-011`
    changes at 0.5, `eu-001` at 0.7."""

    leading_range: tuple[float, float] = (0.5, 2.2)
    """Distances of lines that count; others are of rows or paragraphs. `eu-003`, `eu-011` and two sets of slides change
    at 2.0."""

    narrow: float = 20.0
    """The width of such a column, at most; in a wider one more than a name or an amount stands on a line."""

    full_line: float = 0.15
    """Of the width of a run of lines, right of a line that fills it: ragged lines, and those before a long word, leave
    as much. At a tenth stanzas and ingredients have some of their lines' ends meant, and not the others; `earnings`
    changes at a fifth."""


PARAGRAPHS = ParagraphSettings()


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
    def box(self) -> Box:
        """Its extent."""
        return around(self.lines)

    @property
    def left(self) -> float:
        """The left edge of its text, after a list marker."""
        return self.marker.text_left if self.marker else min(line.left for line in self.lines)


def paragraphs(lines: Sequence[TextLine]) -> list[Paragraph]:
    """The lines, top to bottom, in paragraphs and list items."""
    if not lines:
        return []
    leading = _leadings(lines)
    apart = [_is_apart(before, line, leading) for before, line in itertools.pairwise(lines)]
    led = [is_entry(line) for line in lines]
    meant_ends = _meant_ends(lines, apart)
    if any(led):
        _join_titles(lines, led, meant_ends)
    begun: set[int] = set()
    markers = [_marker(line, begun) for line in lines]
    listed, opens = in_sequence(lines, markers), opening(lines, markers)
    entries, numbered, counted = references(lines), steps(lines), clauses(lines)
    boxes = sum(marker is not None and marker.text in BOXES for marker in markers)

    def opened(number: int) -> Paragraph:
        marker = markers[number]
        alone = marker is not None and (
            (_is_lettered(marker) and number not in listed) or (marker.text in BOXES and boxes == 1)
        )
        return Paragraph([lines[number]], marker=None if alone and place_of(lines[number]) is None else marker)

    result = [opened(0)]
    in_steps = 0 in numbered
    for number, (before, line) in enumerate(itertools.pairwise(lines)):
        current = result[-1]
        meant = meant_ends[number]
        marker = markers[number + 1]
        step = number + 1 in numbered  # its paragraph is the algorithm, whatever the lines look like
        parts = number + 1 in entries or led[number] or (number + 1 in opens and _begins_list(before, marker))
        parts = parts or (number + 1 in counted and (meant or before.words[-1].text.endswith(_SENTENCE_END)))
        if apart[number] or (not in_steps if step else parts or _parts(current, before, line, marker, meant)):
            result.append(opened(number + 1))
            in_steps = step
            continue
        if meant or step:
            current.hard.add(len(current.lines) - 1)
        current.lines.append(line)
    return result


def is_other_list(item: Paragraph, paragraph: Paragraph) -> bool:
    """Decide whether an item is of another list than the one before it, as the document's own structure says."""
    own, here = place_of(item.lines[0]), place_of(paragraph.lines[0])
    return own is not None and here is not None and own.list != here.list


def _is_lettered(marker: Marker) -> bool:
    return marker.ordered and not any(map(str.isdigit, marker.text))


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


def _begins_list(before: TextLine, marker: Marker | None) -> bool:
    """Decide whether the first of several markers ends what stands before it: dashes stand in sentences, too."""
    return marker is not None and (marker.ordered or before.words[-1].text.endswith(_SENTENCE_END))


def _parts(current: Paragraph, before: TextLine, line: TextLine, marker: Marker | None, meant: bool) -> bool:
    """Decide whether a new paragraph starts with `line`."""
    size = max(before.size, line.size)
    if before.words[-1].level != line.words[-1].level:
        return True
    if _item(before) != _item(line):
        return True
    if abs(before.size - line.size) > PARAGRAPHS.same_size * size and not _mixed(before, line):
        return True
    if before.mono != line.mono and (before.mono or meant):
        return True
    if meant and ((before.bold, before.italic) != (line.bold, line.italic) or _in_other_type(before, line)):
        return True
    if marker is not None and (marker.sure or marker.text in BOXES or meant or current.marker is not None):
        return True
    if current.marker is not None and line.left < current.marker.left - TYPOGRAPHY.same_baseline * size:
        return True
    if current.marker is not None and meant and line.left < current.left - TYPOGRAPHY.half_em * size:
        return True
    ends = before.words[-1].text.endswith(_SENTENCE_END)
    indent = line.left - current.lines[0].left if len(current.lines) == 1 else line.left - before.left
    low, high = TYPOGRAPHY.wide_space, 2 * TYPOGRAPHY.quads
    if ends and not line.rtl and _is_outdented(current, line):
        return True
    if ends and _hangs(current) and line.left < current.lines[0].left + TYPOGRAPHY.half_em * size:
        return True
    if current.marker is None and len(current.lines) > 1 and low * size < indent < high * size and ends:
        return True
    return (
        meant
        and ends
        and current.marker is None
        and line.left <= before.left + TYPOGRAPHY.half_em * size
        and not before.mono
    )


def _in_other_type(before: TextLine, line: TextLine) -> bool:
    """Tell whether of two lines the first alone is set in small capitals, or in a font of its own, as a heading is."""
    font = single_font(before)
    other = font is not None and font.name not in {word.font.name for word in line.words}
    return other or (face_of(before).look == "small caps" and face_of(line).look != "small caps")


def _is_outdented(paragraph: Paragraph, line: TextLine) -> bool:
    """Tell if a line begins to the left of a paragraph all of which is stepped in, as the next term of a glossary does.

    Of a paragraph of one line, which may be the first of one, only if the line is bold, too.
    """
    low = TYPOGRAPHY.wide_space * line.size
    lefts = [above.left for above in paragraph.lines]
    if paragraph.marker is not None or min(lefts) - line.left < low:
        return False
    if len(lefts) == 1:
        return line.bold and not paragraph.lines[0].bold
    return max(lefts) - min(lefts) < TYPOGRAPHY.same_baseline * line.size


def _hangs(paragraph: Paragraph) -> bool:
    """Tell if all lines but the first are indented, as in bibliographies, or begin beside a label, as a CV's years."""
    first, *others = paragraph.lines
    if paragraph.marker is not None or not others:
        return False
    low, high = TYPOGRAPHY.wide_space, 2 * TYPOGRAPHY.quads
    lefts = [line.left for line in others]
    if min(lefts) - first.left <= low * first.size:
        return False
    return max(lefts) - first.left < high * first.size or _has_label(first, min(lefts))


def _has_label(line: TextLine, left: float) -> bool:
    """Decide whether the text of a line begins at `left`, behind a gap that sets off what stands before it."""
    return any(
        abs(word.left - left) < TYPOGRAPHY.half_em * line.size and word.left - before.right > TYPOGRAPHY.em * line.size
        for before, word in itertools.pairwise(line.words)
    )


def _is_apart(before: TextLine, line: TextLine, leading: dict[float, float]) -> bool:
    """Decide whether the distance of two lines is not that of lines in a paragraph."""
    size = max(before.size, line.size)
    step = line.baseline - before.baseline
    usual = leading.get(round(line.size), TYPOGRAPHY.wider_leading * size)
    return step <= TYPOGRAPHY.same_baseline * size or step > max(
        PARAGRAPHS.apart * usual, usual + TYPOGRAPHY.same_baseline * size
    )


def _right_edges(lines: Sequence[TextLine], apart: Sequence[bool]) -> list[float]:
    """For each line how far lines reach there: to the column's edge, or to that of a narrower, filled run of lines."""
    column = max(line.right for line in lines)
    result: list[float] = []
    start = 0
    for end in range(1, len(lines) + 1):
        if end < len(lines) and not apart[end - 1]:
            continue
        run = lines[start:end]
        own = max(line.right for line in run)
        width = own - min(line.left for line in run)
        full = sum(own - line.right < PARAGRAPHS.full_line * width for line in run)
        result += [own if len(run) > 3 and full >= TYPOGRAPHY.most * len(run) else column] * len(run)
        start = end
    return result


def _mixed(before: TextLine, line: TextLine) -> bool:
    """Decide whether the lines share a font size although their main ones differ (inline code, small caps)."""
    return (
        bool({round(w.size, 1) for w in before.words} & {round(w.size, 1) for w in line.words})
        and before.bold == line.bold
    )


def _meant_ends(lines: Sequence[TextLine], apart: Sequence[bool]) -> list[bool]:
    """For each line but the last whether the break after it is meant."""
    rights = _right_edges(lines, apart)
    pairs = list(itertools.pairwise(lines))
    meant = [_was_meant(before, line, right) for (before, line), right in zip(pairs, rights, strict=False)]
    for is_apart, numbers in itertools.groupby(range(len(pairs)), key=apart.__getitem__):
        run = list(numbers)
        if is_apart:
            continue
        if _is_counted([pairs[run[0]][0], *(pairs[number][1] for number in run)]):
            for number in run:
                meant[number] = False
        if len(run) <= TYPOGRAPHY.pair:
            continue
        begins = [number for number in run if not _goes_on(pairs[number][1])]
        surely = sum(meant[number] for number in begins)
        if (
            surely >= max(TYPOGRAPHY.pair, TYPOGRAPHY.half * len(begins))
            and len(run) - len(begins) < TYPOGRAPHY.third * len(run)
            and _is_narrow([pairs[number][0] for number in run])
        ):
            for number in begins:
                meant[number] = True
    return meant


def _join_titles(lines: Sequence[TextLine], led: Sequence[bool], meant: list[bool]) -> None:
    """Let breaks in titles of a table of contents, whose page stands at their last line, not be meant.

    led: which lines lead to a page. A title without a page of its own ends before the place where titles are broken.
    """
    broken = [n for n, (here, below) in enumerate(itertools.pairwise(led)) if below and not here]
    titles = [word for line in itertools.compress(lines, led) for word in line.words[:-1] if word.text.strip(".·․…")]
    edge = max([*(lines[n].right for n in broken), *(word.right for word in titles)], default=0.0)
    for n in broken:
        before, line = lines[n], lines[n + 1]
        alike = before.bold == line.words[0].font.bold and SECTION.match(line.words[0].text) is None
        if alike and (_goes_on(line) or not _was_meant(before, line, edge)) and before.size == line.size:
            meant[n] = False


def _is_counted(lines: Sequence[TextLine]) -> bool:
    """Decide whether running text was broken by counting characters, as mails are: each next word was one too many."""
    if len(lines) <= TYPOGRAPHY.pair or sum(map(_goes_on, lines[1:])) < TYPOGRAPHY.third * (len(lines) - 1):
        return False
    texts = [words_text(line.words) for line in lines]
    most = max(map(len, texts))
    return most >= TYPOGRAPHY.line_chars and all(
        len(text) + 1 + len(line.words[0].text) > most for text, line in zip(texts, lines[1:], strict=False)
    )


def _is_narrow(lines: Sequence[TextLine]) -> bool:
    left, _, right, _ = around(lines)
    return right - left < PARAGRAPHS.narrow * lines[0].size and not any(line.rtl for line in lines)


def _goes_on(line: TextLine) -> bool:
    """Decide whether a line plainly goes on with the sentence of the one above: it begins with a small word."""
    first = line.words[0].text.rstrip(",.;:)")
    return first.isalpha() and first[0].islower()


def _runs_on(before: TextLine, line: TextLine) -> bool:
    """Decide whether a line of running text goes on in the next."""
    return (
        before.chars >= TYPOGRAPHY.running_chars
        and not before.words[-1].text.endswith(_SENTENCE_END)
        and _goes_on(line)
    )


def _was_meant(before: TextLine, line: TextLine, right: float) -> bool:
    """Decide whether the break after `before` is meant: the next word would have fitted on the line."""
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
        far = TYPOGRAPHY.quads if _runs_on(before, line) else high  # word processors set lines at 2.3, if doubly
        if not low * line.size < step < far * line.size:
            continue
        over = min(before.right, line.right) - max(before.left, line.left)
        narrower = min(before.right - before.left, line.right - line.left)
        same_size = abs(before.size - line.size) < TYPOGRAPHY.size_step
        if same_size and over > TYPOGRAPHY.half * narrower:
            steps.setdefault(round(line.size), []).append(step)
    if not steps:
        return {}
    main = max(steps, key=lambda size: len(steps[size]))
    ratio = _common(steps[main]) / max(main, 1)
    return {
        size: _common(found)
        if len(found) > TYPOGRAPHY.several
        else min(_common(found), TYPOGRAPHY.larger * ratio * size)
        for size, found in steps.items()
    }


def _common(steps: list[float]) -> float:
    """The distance inside paragraphs: the median of the lower part, as the distances between paragraphs are larger."""
    steps = sorted(steps)
    return median(steps[: max(len(steps) * 2 // 3, 1)])
