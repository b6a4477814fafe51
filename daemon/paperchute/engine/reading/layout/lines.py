"""Words to printed lines."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box
from paperchute.engine.reading.layout.records import Word

_WIDEST_SPACE = 1.0  # of the font size; wider gaps part table cells and columns, narrower ones words of justified text
_LOOK_AHEAD = 400
_MOST_COMPARED = 1_000_000  # pairs on one page; a dense printed one has 20,000
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


@dataclass(slots=True)
class TextLine:
    """Words on one printed line, in logical order. `size` is that of most characters, `baseline` theirs.

    bold and mono: all of it; italic: most of it.
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

    @property
    def box(self) -> Box:
        """Its extent."""
        return Box(self.left, self.top, self.right, self.bottom)

    @property
    def text(self) -> str:
        """The words with their spaces."""
        return words_text(self.words)

    @property
    def chars(self) -> int:
        """How many characters its words have."""
        return sum(len(word.text) for word in self.words)


def words_text(words: Sequence[Word]) -> str:
    """The text of words in logical order, with a space before each that is not glued to its neighbour."""
    return "".join(("" if not n or word.glued else " ") + word.text for n, word in enumerate(words))


def segments(words: Sequence[Word]) -> list[TextLine]:
    """Upright words as pieces of lines without a wide gap, top to bottom.

    A page's content mostly comes in reading order, so words are first strung as they come and the strings then
    joined by place, which mends content in any other order.
    """
    strings: list[list[Word]] = []
    for word in words:
        if strings and _follows(strings[-1], word):
            strings[-1].append(word)
        else:
            strings.append([word])
    return sorted((line_of(group) for group in _joined(strings)), key=lambda line: (line.baseline, line.left))


def rows(lines: Iterable[TextLine]) -> list[TextLine]:
    """Segments of one column joined across their gaps, so that each printed line is one record, top to bottom."""
    found: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: (line.baseline, line.left)):
        for group in reversed(found[-4:]):
            if _level(group[0], line) and all(
                line.left >= o.right - 0.3 * line.size or line.right <= o.left + 0.3 * line.size for o in group
            ):
                group.append(line)
                break
        else:
            found.append([line])
    joined = [group[0] if len(group) == 1 else line_of([w for line in group for w in line.words]) for group in found]
    return sorted(joined, key=lambda line: (line.baseline, line.left))


def line_of(words: Iterable[Word]) -> TextLine:
    """One line from words that share it: their order, the line's main size and style, raised and lowered words."""
    ordered, rtl = _logical(list(words))
    first = ordered[0]
    size, baseline = first.size, first.baseline
    if any(word.size != size for word in ordered):
        size, baseline = _main_size(ordered)
    letters = [w for w in ordered if _LETTER_OR_DIGIT.search(w.text)] or ordered
    italic = sum(len(w.text) for w in ordered if w.font.italic)
    return TextLine(
        ordered,
        min([w.left for w in ordered]),
        min([w.top for w in ordered]),
        max([w.right for w in ordered]),
        max([w.bottom for w in ordered]),
        baseline=baseline,
        size=size,
        bold=all(w.font.bold for w in letters),
        italic=italic > 0 and italic > 0.5 * sum(len(w.text) for w in ordered),
        mono=all(w.font.mono for w in letters),
        rtl=rtl,
    )


def _main_size(words: Sequence[Word]) -> tuple[float, float]:
    """The size of most characters and its baseline; smaller words that stand off it are marked as raised or lowered."""
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    size = max(sizes, key=lambda s: (sizes[s], s))
    baseline = next(word.baseline for word in words if word.size == size)
    for word in words:
        if word.size < 0.85 * size and not word.font.math:
            if word.baseline < baseline - 0.15 * size:
                word.script = "super"
            elif word.baseline > baseline + 0.08 * size:
                word.script = "sub"
    return size, baseline


def _follows(string: list[Word], word: Word) -> bool:
    """Whether `word`, next in the content, goes on right after the string."""
    last = string[-1]
    if not _same_row(last, word):
        return False
    size = max(last.size, word.size)
    gap = max(word.left - last.right, last.left - word.right)
    return (-0.4 * size <= gap <= _WIDEST_SPACE * size) and (
        word.left >= last.left or is_rtl(word.text) or is_rtl(last.text)
    )


def _same_row(a: Word, b: Word) -> bool:
    common = min(a.bottom, b.bottom) - max(a.top, b.top)
    if common < 0.5 * min(a.bottom - a.top, b.bottom - b.top):
        return False
    alike = abs(a.size - b.size) <= 0.15 * max(a.size, b.size)
    return not alike or abs(a.baseline - b.baseline) <= 0.25 * max(a.size, b.size)


def _level(a: TextLine, b: TextLine) -> bool:
    common = min(a.bottom, b.bottom) - max(a.top, b.top)
    return common > 0.6 * min(a.bottom - a.top, b.bottom - b.top)


def _joined(strings: list[list[Word]]) -> list[list[Word]]:
    """Strings that stand on one line with no wide gap between them, made one."""
    order = sorted(range(len(strings)), key=lambda n: strings[n][0].baseline)
    boxes = [_extent(s) for s in strings]
    sizes = [max(w.size for w in s) for s in strings]
    parent = list(range(len(strings)))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    reach = min(_LOOK_AHEAD, max(_MOST_COMPARED // max(len(strings), 1), 8))
    for place, n in enumerate(order):
        for m in order[place + 1 : place + 1 + reach]:
            if strings[m][0].baseline - strings[n][0].baseline > 0.6 * max(sizes[n], 6.0):
                break
            size = max(sizes[n], sizes[m])
            gap = max(boxes[m][0] - boxes[n][1], boxes[n][0] - boxes[m][1])
            if not -0.4 * size <= gap <= 0.7 * size:
                continue
            left, right = (n, m) if boxes[n][0] <= boxes[m][0] else (m, n)
            if _same_row(strings[left][-1], strings[right][0]):
                parent[root(n)] = root(m)
    groups: dict[int, list[Word]] = {}
    for n, string in enumerate(strings):
        groups.setdefault(root(n), []).extend(string)
    return list(groups.values())


def _extent(words: Sequence[Word]) -> tuple[float, float]:
    return min([w.left for w in words]), max([w.right for w in words])


def is_rtl(text: str) -> bool:
    """Whether the text's first strong character runs right to left."""
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def _logical(words: list[Word]) -> tuple[list[Word], bool]:
    """Words of one line in reading order, and whether the line runs right to left.

    Runs of the other direction inside the line are turned round, as the Unicode bidirectional algorithm shows them.
    """
    visual = sorted(words, key=lambda w: w.left + w.right)
    if all(w.text.isascii() for w in visual):
        return visual, False
    strong = [is_rtl(w.text) for w in visual if any(c.isalpha() for c in w.text)]
    if not any(strong):
        return visual, False
    rtl = sum(strong) * 2 > len(strong)
    if rtl:
        visual.reverse()
    result: list[Word] = []
    run: list[Word] = []
    for word in visual:
        against = is_rtl(word.text) != rtl and (rtl or is_rtl(word.text))
        if against:
            run.append(word)
            continue
        result += reversed(run)
        run.clear()
        result.append(word)
    return result + run[::-1], rtl
