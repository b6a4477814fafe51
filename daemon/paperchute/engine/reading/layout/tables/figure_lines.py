"""Printed lines with figures, and the runs of them whose figures stand in common columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import is_figure
from paperchute.engine.reading.layout.tables.anchors import text_of
from paperchute.engine.reading.layout.tables.bands import Band
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY
from paperchute.engine.words import one_of

_CAPTION = re.compile(rf"^(?:{one_of('table', 'figure')}\.?|exhibit|tables|note)\s*[\dA-Z]", re.IGNORECASE)


@dataclass(slots=True)
class FigureLine:
    """A band, what stands apart on it, and the extents of its figures that stand beside something."""

    band: Band
    chunks: list[list[Word]]
    figures: list[tuple[float, float]]

    @classmethod
    def of(cls, band: Band) -> FigureLine:
        """A band as such a line; one of typewriter type has no figures."""
        line = cls(band, band.cells, [])
        if len(line.chunks) > 1 and not all(word.font.mono for word in band.words):
            line.figures = _figures(line.chunks)
        return line

    @property
    def text(self) -> str:
        """Its words, left to right."""
        return " ".join(text_of(chunk) for chunk in self.chunks)

    @property
    def is_caption(self) -> bool:
        """Whether it says which table follows."""
        return len(self.chunks) == 1 and bool(_CAPTION.match(text_of(self.chunks[0])))


def figure_runs(lines: Sequence[FigureLine]) -> Iterator[tuple[int, int]]:
    """The runs of lines that have figures in common columns, with the labels between them, as (start, end).

    Lines of a run whose cells stand closer than cells usually do are parted in place.
    """
    start = free = 0
    while start < len(lines):
        end = _end(lines, start) if lines[start].figures else start
        if end > start:
            yield _with_tight_rows(lines, start, free, end), end
            free = end
        start = max(end, start + 1)


def _end(lines: Sequence[FigureLine], start: int) -> int:
    """The end of the run that begins at `start`; `start` when there are too few lines with figures."""
    strips = list(lines[start].figures)
    heads = {line.text for line in lines[max(start - 2, 0) : start] if len(line.chunks) > 1}
    gaps: list[float] = []
    end, count, quiet = start + 1, 1, 0
    for n in range(start + 1, min(len(lines), start + BOUNDS.lines)):
        line = lines[n]
        gap = line.band.top - lines[n - 1].band.bottom
        widest = max(gaps, default=TYPOGRAPHY.wide_space * line.band.size)
        if gap > TYPOGRAPHY.quads * line.band.size or (
            len(gaps) > TYPOGRAPHY.pair and gap > TYPOGRAPHY.several * widest + line.band.size
        ):
            break
        if not line.figures:
            _part(line, strips)
        after = lines[n + 1].band.top - line.band.bottom if n + 1 < len(lines) else gap
        if _is_next_head(line, gap, max(gaps, default=after)):
            break
        if line.figures:
            if not any(_meet(figure, strip) for figure in line.figures for strip in strips) and not (
                _is_of_table(line, lines[end - 1], strips, lines[max(start - TYPOGRAPHY.few, 0) : start])
            ):
                break
            strips = merged([*strips, *line.figures])
            end, count, quiet = n + 1, count + 1, 0
        else:
            crossing = is_crossed(line, strips)
            quiet += crossing
            if quiet > TYPOGRAPHY.several or not _is_label(line, crossing):
                break
            if len(line.chunks) == 1 and _runs_across(line.chunks[0], strips):
                break
            if line.band.size > TYPOGRAPHY.larger * lines[start].band.size or line.text in heads:
                break
        gaps.append(gap)
    enough = TYPOGRAPHY.several if len(strips) > 1 else TYPOGRAPHY.few
    return end if count >= enough else start


def _is_next_head(line: FigureLine, gap: float, widest: float) -> bool:
    """Decide whether a line is the head of another table: several words or phrases, further off than any row so far."""
    words = [chunk for chunk in line.chunks if any(map(str.isalpha, text_of(chunk)))]
    if len(words) < 2 or len(words) < len(line.chunks) or line.figures:
        return False
    return gap > TYPOGRAPHY.wider_leading * widest + TYPOGRAPHY.same_baseline * line.band.size


def _with_tight_rows(lines: Sequence[FigureLine], start: int, free: int, end: int) -> int:
    """Return where a run begins with the rows above whose cells stand too close to have begun it."""
    strips = merged([figure for line in lines[start:end] for figure in line.figures])
    while (
        start > free
        and lines[start].band.top - lines[start - 1].band.bottom <= TYPOGRAPHY.wide_space * lines[start].band.size
    ):
        _part(lines[start - 1], strips)
        if not lines[start - 1].figures:
            break
        start -= 1
    return start


def _figures(chunks: Sequence[Sequence[Word]]) -> list[tuple[float, float]]:
    """The extents of the figures that stand beside something; a unit may stand close behind."""
    figures = [[chunk[0]] if _has_unit(chunk) else chunk for chunk in chunks[1:]]
    return [extent_of(chunk) for chunk in figures if is_figure(text_of(chunk))]


def _has_unit(chunk: Sequence[Word]) -> bool:
    """Decide whether a short word in a column of its own may stand behind a figure."""
    return len(chunk) == 2 and len(chunk[1].text) <= TYPOGRAPHY.few and chunk[1].text.isalpha()


def _part(line: FigureLine, strips: Sequence[tuple[float, float]]) -> None:
    """Part the cells of a line that stand closer than cells usually do, where all but the first are figures in strips.

    strips: the places of the figures of the lines around.
    """
    chunks = line.band.chunks(TYPOGRAPHY.half_em)
    figures = _figures(chunks)
    slack = TYPOGRAPHY.half_em * line.band.size
    if len(figures) < max(len(chunks) - 1, 1) or extent_of(chunks[0])[1] > strips[0][0]:
        return
    if all(any(left - slack < x[0] and x[1] < right + slack for left, right in strips) for x in figures):
        line.chunks, line.figures = chunks, figures


def _is_of_table(
    line: FigureLine, row: FigureLine, strips: Sequence[tuple[float, float]], heads: Sequence[FigureLine]
) -> bool:
    """Decide whether a line whose figures stand under none so far is a row of the table, as a debit is after credits.

    row: the last line with figures. heads: the lines above the first.
    """
    own, above = ([chunk[0].left for chunk in one.chunks if chunk[-1].right < one.figures[0][0]] for one in (line, row))
    alike = sum(any(abs(left - other) < TYPOGRAPHY.rounding for other in above) for left in own)
    if alike >= TYPOGRAPHY.pair:
        return True
    return alike > 0 and any(
        _is_over(head, line.figures) and _is_over(head, strips) for head in heads if len(head.chunks) > 1
    )


def _is_over(head: FigureLine, strips: Sequence[tuple[float, float]]) -> bool:
    """Decide whether one of the cells of a head stands over figures."""
    return any(_meet(extent_of(chunk), strip) for chunk in head.chunks for strip in strips)


def is_crossed(line: FigureLine, strips: Sequence[tuple[float, float]]) -> bool:
    """Decide whether words of a line stand under or over figures."""
    return any(_meet(extent_of(chunk), strip) for chunk in line.chunks for strip in strips)


def _runs_across(chunk: Sequence[Word], strips: Sequence[tuple[float, float]]) -> bool:
    """Tell if a text begins before the figures and reaches beyond the middle of them: a line between two tables."""
    left, right = extent_of(chunk)
    low, high = strips[0][0], strips[-1][1]
    return left < low and right > (low + high) / 2 and len(chunk) > TYPOGRAPHY.few


def _is_label(line: FigureLine, crossing: bool) -> bool:
    """Decide whether a line without figures may stand between rows: a label, a head, further lines of cells."""
    if line.is_caption:
        return False
    return not crossing or all(len(chunk) <= TYPOGRAPHY.phrase for chunk in line.chunks)


def extent_of(chunk: Sequence[Word]) -> tuple[float, float]:
    """Left and right end of words."""
    return min([word.left for word in chunk]), max([word.right for word in chunk])


def _meet(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return min(a[1], b[1]) - max(a[0], b[0]) > TYPOGRAPHY.size_step


def merged(extents: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Extents with those that meet made one, left to right."""
    result: list[tuple[float, float]] = []
    for left, right in sorted(extents):
        if result and left < result[-1][1] - TYPOGRAPHY.size_step:
            result[-1] = result[-1][0], max(result[-1][1], right)
        else:
            result.append((left, right))
    return result
