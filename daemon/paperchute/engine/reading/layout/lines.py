"""Words to printed lines."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter

from paperchute.engine.document.bidirectional import is_rtl
from paperchute.engine.document.geometry import Box
from paperchute.engine.document.model import Gap
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY
from paperchute.engine.reading.layout.word_order import logical


@dataclass(frozen=True, slots=True)
class LineSettings:
    """How words make lines.

    Distances are shares of the font size where nothing else is said. Fixed on printed Markdown (the roundtrip samples).
    """

    overlap: float = 0.4
    """By how much words of one line may lie over each other, as kerned and slanted ones do. Three sets of slides change
    at 0.5."""

    name: float = 18.0
    """Points: the size from which this holds; a number before smaller text may be its item's. Seven sets of slides and
    `mattsnotes` change without it."""

    lowered: float = 0.08
    """Below the baseline: from there smaller words are lowered, which indices are by less. Seven documents, most with
    formulas, change at 0.15."""


LINES = LineSettings()


_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_glued = attrgetter("glued")


@dataclass(slots=True)
class TextLine:
    """Words on one printed line, in logical order. `size` is that of most characters, `baseline` theirs.

    bold and mono: all of it; italic: most of it. chars: how many characters its words have. justified: its spaces are
    as wide as gaps between cells.
    """

    words: list[Word]
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float
    bold: bool
    italic: bool
    mono: bool
    rtl: bool
    chars: int
    justified: bool = False
    _text: str = field(default="", compare=False)

    @property
    def box(self) -> Box:
        """Its extent."""
        return Box(self.left, self.top, self.right, self.bottom)

    @property
    def text(self) -> str:
        """The words with their spaces."""
        if not self._text:  # it is asked for again and again
            self._text = words_text(self.words)
        return self._text

    def begin_with(self, word: Word) -> None:
        """Put a word in front of the others."""
        self.words.insert(0, word)
        self.left = word.left
        self.chars += len(word.text)
        self._text = ""

    def number_item(self) -> None:
        """Make its first word, a number that is told from the text by a shape around it, that of a list's item."""
        first = self.words[0]
        first.script, first.text = "", f"{first.text}."
        self.chars += 1
        self._text = ""

    def __reduce__(self) -> tuple[type[TextLine], tuple[object, ...]]:
        """For `pickle`, as that of `Word`."""
        return TextLine, _of_line(self)


_of_line = attrgetter(*(field.name for field in fields(TextLine)))


def around(found: Sequence[TextLine] | Sequence[Word]) -> Box:
    """The box around lines or words, of which there is at least one."""
    return Box(
        min([one.left for one in found]),
        min([one.top for one in found]),
        max([one.right for one in found]),
        max([one.bottom for one in found]),
    )


def words_text(words: Sequence[Word]) -> str:
    """The text of words in logical order, with a space before each that is not glued to its neighbour."""
    if any(map(_glued, words)):
        return "".join([word.text if not n or word.glued else " " + word.text for n, word in enumerate(words)])
    return " ".join([word.text for word in words])


def gaps_of(words: Sequence[Word], size: float) -> tuple[Gap, ...]:
    """The wide spaces between the words of an upright line. size: of its letters."""
    wide = TYPOGRAPHY.tab * size
    found = []
    at = 0
    for word, following in itertools.pairwise(words):
        at += len(word.text)
        if following.left - word.right > wide and not following.glued:
            found.append(Gap(at, word.right, following.left))
        at += not following.glued
    return tuple(found)


def segments(words: Sequence[Word]) -> list[TextLine]:
    """Upright words as pieces of lines without a wide gap, top to bottom.

    A page's content mostly comes in reading order, so words are first strung as they come and the strings then
    joined by place, which mends content in any other order.
    """
    strings: list[list[Word]] = []
    last: Word | None = None
    for word in words:
        if last is not None and _follows(last, word):
            strings[-1].append(word)
        else:
            strings.append([word])
        last = word
    if len(strings) == 1:  # as in most cells of tables
        return [line_of(strings[0])]
    return sorted(map(line_of, _joined(strings)), key=_place)


def rows(lines: Iterable[TextLine]) -> list[TextLine]:
    """Segments of one column joined across their gaps, so that each printed line is one record, top to bottom."""
    ordered = sorted(lines, key=_place)
    if len(ordered) < 2:
        return ordered
    found: list[list[TextLine]] = []
    for line in ordered:
        for group in reversed(found[-TYPOGRAPHY.few :]):
            if _level(group[0], line) and all(
                line.left >= o.right - TYPOGRAPHY.same_baseline * line.size
                or line.right <= o.left + TYPOGRAPHY.same_baseline * line.size
                for o in group
            ):
                group.append(line)
                break
        else:
            found.append([line])
    joined = [group[0] if len(group) == 1 else line_of([w for line in group for w in line.words]) for group in found]
    return sorted(joined, key=_place)


def line_of(words: Iterable[Word]) -> TextLine:
    """One line from words that share it: their order, the line's main size and style, raised and lowered words."""
    ordered, chars, rtl = logical(words)
    if len(ordered) == 1:  # as in most cells of tables
        word = ordered[0]
        font = word.font
        extent = word.left, word.top, word.right, word.bottom
        return TextLine(ordered, *extent, word.baseline, word.size, font.bold, font.italic, font.mono, rtl, chars)
    if chars < 2 * len(ordered) and len(ordered) > TYPOGRAPHY.few and not rtl:
        _glue_letters(ordered)
    size, baseline = ordered[0].size, ordered[0].baseline
    if [word.size for word in ordered].count(size) != len(ordered):
        size, baseline = _main_size(ordered)
    return TextLine(
        ordered,
        min([w.left for w in ordered]),
        min([w.top for w in ordered]),
        max([w.right for w in ordered]),
        max([w.bottom for w in ordered]),
        baseline,
        size,
        *_styles(ordered),
        rtl,
        chars,
    )


def _glue_letters(words: Sequence[Word]) -> None:
    """Glue the letters of words that pages show one by one: where the next one stands elsewhere, each is a word."""
    abutting = [
        then
        for here, then in itertools.pairwise(words)
        if here.font == then.font
        and not then.font.math
        and here.size == then.size
        and here.baseline == then.baseline
        and abs(then.left - here.right) < TYPOGRAPHY.touching * then.size
    ]
    if len(abutting) >= TYPOGRAPHY.few:
        for word in abutting:
            word.glued = True


def _styles(words: Sequence[Word]) -> tuple[bool, bool, bool]:
    """Return whether a line's words are bold, italic and mono as `TextLine` has it."""
    font = words[0].font
    if [word.font for word in words].count(font) == len(words):  # as in nearly all lines
        return font.bold, font.italic, font.mono
    letters = [w.font for w in words if _LETTER_OR_DIGIT.search(w.text)] or [w.font for w in words]
    italic = sum(len(w.text) for w in words if w.font.italic)
    return (
        all(font.bold for font in letters),
        italic > 0 and italic > TYPOGRAPHY.half * sum(len(w.text) for w in words),
        all(font.mono for font in letters),
    )


def _main_size(words: Sequence[Word]) -> tuple[float, float]:
    """The size of most characters and its baseline; smaller words that stand off it are marked as raised or lowered."""
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    size = max(sizes, key=lambda s: (sizes[s], s))
    baseline = next(word.baseline for word in words if word.size == size)
    for word in words:
        if word.size < TYPOGRAPHY.plainly_smaller * size:
            if word.baseline < baseline - TYPOGRAPHY.touching * size:
                word.script = "super"
            elif word.baseline > baseline + LINES.lowered * size:
                word.script = "sub"
    return size, baseline


def _follows(last: Word, word: Word) -> bool:
    """Decide whether `word`, next in the content, goes on right after the one before it."""
    if word.size == last.size and 0.0 <= word.left - last.right <= TYPOGRAPHY.em * word.size:
        return _same_row(last, word)  # as in most lines
    small, size = (last.size, word.size) if last.size < word.size else (word.size, last.size)
    if size > max(TYPOGRAPHY.display * small, LINES.name):
        size = small  # a name in large type between small lines
    gap, back = word.left - last.right, last.left - word.right
    if not -LINES.overlap * size <= (gap if gap > back else back) <= TYPOGRAPHY.em * size:
        return False
    return (word.left >= last.left or is_rtl(word.text) or is_rtl(last.text)) and _same_row(last, word)


def _same_row(a: Word, b: Word) -> bool:
    if a.baseline == b.baseline and a.top == b.top and a.bottom == b.bottom and a.size == b.size:
        return True  # as in most lines
    common = min(a.bottom, b.bottom) - max(a.top, b.top)
    if common < TYPOGRAPHY.half * min(a.bottom - a.top, b.bottom - b.top):
        return False
    alike = abs(a.size - b.size) <= TYPOGRAPHY.same_size * max(a.size, b.size)
    return not alike or abs(a.baseline - b.baseline) <= TYPOGRAPHY.same_baseline * max(a.size, b.size)


def _place(line: TextLine) -> tuple[float, float]:
    return line.baseline, line.left


def _level(a: TextLine, b: TextLine) -> bool:
    # Called for most pairs of lines, where `min` and `max` would take most of the time.
    bottom = a.bottom if a.bottom < b.bottom else b.bottom
    top = a.top if a.top > b.top else b.top
    high, other = a.bottom - a.top, b.bottom - b.top
    return bottom - top > TYPOGRAPHY.most * (high if high < other else other)


def _joined(strings: list[list[Word]]) -> list[list[Word]]:
    """Strings that stand on one line with no wide gap between them, made one."""
    if len(strings) < 2:
        return strings
    baselines = [s[0].baseline for s in strings]
    order = sorted(range(len(strings)), key=baselines.__getitem__)
    sizes = [max([w.size for w in s]) for s in strings]
    parent = list(range(len(strings)))

    @cache
    def ends(n: int) -> tuple[float, float]:
        """Left and right end of a string, which is not asked of one that has its printed line to itself."""
        return min([w.left for w in strings[n]]), max([w.right for w in strings[n]])

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    @cache
    def is_wrapped(n: int) -> bool:
        """Tell if enough strings around one in the content stand right under each other, as the lines of a cell do."""
        nearby = range(max(n - TYPOGRAPHY.several + 1, 0), min(n + TYPOGRAPHY.several, len(strings)))
        first = after = n
        while first - 1 in nearby and _is_under(strings[first - 1], strings[first]):
            first -= 1
        while after + 1 in nearby and _is_under(strings[after], strings[after + 1]):
            after += 1
        return after - first + 1 >= TYPOGRAPHY.several

    def are_cells(left: int, right: int) -> bool:
        """Tell if two strings are lines of two cells of text; a line of one word may be too long for its column."""
        return len(strings[left]) > 1 and is_wrapped(left) and is_wrapped(right)

    reach = min(BOUNDS.lines, max(BOUNDS.pairs // max(len(strings), 1), 8))
    for place, n in enumerate(order):
        below = TYPOGRAPHY.wide_space * sizes[n]
        for m in order[place + 1 : place + 1 + reach]:
            if baselines[m] - baselines[n] > below:
                break
            size = min(sizes[n], sizes[m])  # that of a heading is no measure beside the text of the next column
            (left_end, right_end), (other_left, other_right) = ends(n), ends(m)
            gap = max(other_left - right_end, left_end - other_right)
            if gap < -LINES.overlap * size and _fits_between(strings[n], strings[m]):
                parent[root(n)] = root(m)
            if not -LINES.overlap * size <= gap <= TYPOGRAPHY.wide_space * size:
                continue
            left, right = (n, m) if left_end <= other_left else (m, n)
            if _same_row(strings[left][-1], strings[right][0]) and not (gap > 0 and are_cells(left, right)):
                parent[root(n)] = root(m)
    groups: dict[int, list[Word]] = {}
    for n, string in enumerate(strings):
        groups.setdefault(root(n), []).extend(string)
    return list(groups.values())


def _is_under(first: Sequence[Word], second: Sequence[Word]) -> bool:
    """Decide whether a string goes on with a line of its own under the one before it in the content."""
    one, other = first[0], second[0]
    return (
        abs(one.left - other.left) < TYPOGRAPHY.size_step
        and TYPOGRAPHY.wide_space * one.size < other.baseline - one.baseline < TYPOGRAPHY.tab * one.size
        and any(map(str.isalpha, one.text))
        and any(map(str.isalpha, other.text))
    )


def _fits_between(a: Sequence[Word], b: Sequence[Word]) -> bool:
    """Decide whether the words of one string stand in the spaces of another on the same line."""
    if len(a) == len(b) == 1 or a[0].baseline != b[0].baseline:
        return False
    reach = TYPOGRAPHY.touching * a[0].size
    return all(one.right < other.left + reach or other.right < one.left + reach for one in a for other in b)
