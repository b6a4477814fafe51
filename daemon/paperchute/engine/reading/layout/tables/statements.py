"""Tables of figures beside labels, found before a page is parted into columns: statements, accounts, results."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.tables.amounts import has_leaders, is_figure, whole_figures, without_leaders
from paperchute.engine.reading.layout.tables.anchors import ANCHORS, figure_columns, figure_share, text_of
from paperchute.engine.reading.layout.tables.assembly import (
    assembled,
    columns_under,
    filled_share,
    in_parts,
    is_formula,
    is_list,
    placed_words,
)
from paperchute.engine.reading.layout.tables.bands import (
    BANDS,
    RUNS,
    Band,
    Column,
    bands_of,
    columns_of,
)
from paperchute.engine.reading.layout.tables.contents import is_contents
from paperchute.engine.reading.layout.tables.grid import FoundTable, in_box, rated


@dataclass(frozen=True, slots=True)
class StatementSettings:
    """Which figures under each other are a table with the labels beside them.

    Distances are shares of the font size where nothing else is said.
    """

    fewest_rows: int = 3
    """Lines with figures: fewer stand under each other by chance. One less or more reads 83 sample pages the same."""

    fewest_single: int = 4
    """The same where there is but one column of figures."""

    larger: float = 1.1
    """Times the size of a table's type: larger words are a heading between two tables. Of 83 sample pages change 1 at
    0.8 times, 1 at 0.9, none at 1.2."""

    most_labels: int = 3
    """Lines without figures between two with, where they reach under or over figures: heads, and labels of sections. Of
    83 sample pages change 1 with one less, none with one more."""

    most_words: int = 10
    """Words that half of the cells of a column have at most: more are a column of text beside the table."""

    aligned: float = 0.6
    """The share of a column's figures that end, begin or are centred at one x."""

    same_x: float = 0.35
    """Between such ends: a bracket or a mark may stand out of the column."""

    head_step: float = 2.6
    """From a head to the line below it."""

    closer: float = 0.2
    """By so much lines of one label stand closer than rows: less is the rounding of places."""

    last_line: float = 0.9
    """From the last line with figures to further lines of its cells."""

    most_heads: int = 5
    """Lines of a head."""

    label_words: int = 4
    """Words of a label that reaches under most figures; more are a line of text."""

    head_words: int = 8
    """Words of one cell of a head. One less or more reads 83 sample pages the same."""

    full_lines: float = 0.75
    """The share of lines that reach the end of their column in running text; those of cells do so now and then."""

    full: float = 0.85
    """Of the column's width: a line that reaches its end."""

    running: float = 0.5
    """The share of such lines that begin with a small letter."""

    fewest_running: int = 6
    """Lines of running text: as many as cells rarely have."""

    confidence: float = 0.98
    """The share of right cells in such tables (179 of made documents and of the ICDAR 2013 competition)."""

    filled: float = 0.3
    """The share of places with words; lines that are labels alone leave many empty."""

    apart: float = 2.5
    """Times the widest of the other gaps: from there a column of labels after figures begins another table beside."""

    mixed: float = 0.3
    """The share of figures in a column from which it is none of labels."""

    alone: int = 2
    """Last lines with figures on one side alone from which the sides are tables of their own, one longer."""

    level: float = 0.6
    """The share of lines with words on both sides below which two sides are tables of their own."""


STATEMENTS = StatementSettings()

_CAPTION = re.compile(r"^(?:Table|Tab\.|Exhibit|Figure|Fig\.|Tabelle|Abb\.|Tableau|Tabla|Note)\s*[\dA-Z]", re.I)


@dataclass(slots=True)
class _Line:
    """A band, what stands apart on it, and the extents of its figures that stand beside something."""

    band: Band
    chunks: list[list[Word]]
    figures: list[tuple[float, float]]


def figure_tables(words: Sequence[Word]) -> list[FoundTable]:
    """The tables of figures among words that may stand in several columns of text."""
    if sum([is_figure(word.text) for word in words]) < ANCHORS.fewest:
        return []  # as on most pages
    said = without_leaders(words) if has_leaders(words) else words
    whole, parts = whole_figures(said)
    tables = [in_parts(table, parts) for table in _tables(whole)]
    if len(said) < len(words):
        kept = {id(word) for word in said}
        leaders = [word for word in words if id(word) not in kept]
        tables = [table for table in tables if not _is_led_astray(table, leaders)]
        for table in tables:
            table.leaders = in_box(leaders, table.box)
    return tables


def _is_led_astray(table: FoundTable, leaders: Sequence[Word]) -> bool:
    """Whether a cell has two lines of which one holds leaders: with its figure it is a row, and that figure is its."""
    inside = in_box(leaders, table.box)
    for cell in table.cells:
        if min(word.bottom for word in cell.words) <= max(word.top for word in cell.words):
            dots = [dot for dot in inside if cell.box.holds(*dot.box.center)]
            if any(
                dot.right < word.left and word.top < dot.baseline <= word.bottom for dot in dots for word in cell.words
            ):
                return True
    return False


def _tables(words: Sequence[Word]) -> Iterator[FoundTable]:
    lines = [_line(band) for band in bands_of(words)]
    free = 0  # lines before it are in a table already, and no word may stand in two
    for start, end in _runs(lines):
        start = max(start, free)
        if start >= end:
            continue
        bands = [line.band for line in lines[start:end]]
        strips = _merged([figure for line in lines[start:end] for figure in line.figures])
        plain = [line.band for line in lines[start:end] if line.figures or not _crosses(line, strips)]
        columns = columns_of(plain, BANDS.wide_between_rules, BANDS.wide_share_between_rules)
        placed = [placed_words(band, columns) for band in bands]
        edge = _beside(placed, columns)
        if edge is not None:
            near = lines[max(start - STATEMENTS.most_heads, free) : end + 1]
            open_ = [line for line in near if not any(_extent(c)[0] < edge < _extent(c)[1] for c in line.chunks)]
            inside = [word for line in open_ for word in line.band.words]
            yield from _tables([word for word in inside if word.right <= edge])
            yield from _tables([word for word in inside if word.right > edge])
            free = end + 1
            continue
        figures = figure_columns(placed)
        if not figures:
            continue
        first, last = _head(lines, start, free, columns, figures), _last(lines, start, end, columns, figures)
        table = assembled([line.band for line in lines[first:last]], columns, [])
        if _is_sure(table, placed, columns):
            table.confidence = rated(table, STATEMENTS.confidence)
            yield table
            free = last


def _line(band: Band) -> _Line:
    chunks = band.cells
    return _Line(
        band,
        chunks,
        []
        if len(chunks) < 2 or all(word.font.mono for word in band.words)
        else [_extent(chunk) for chunk in chunks[1:] if is_figure(text_of(chunk))],
    )


def _runs(lines: Sequence[_Line]) -> Iterator[tuple[int, int]]:
    """The runs of lines that have figures in common columns, with the labels between them."""
    start = 0
    while start < len(lines):
        end = _end(lines, start) if lines[start].figures else start
        if end > start:
            yield start, end
        start = max(end, start + 1)


def _end(lines: Sequence[_Line], start: int) -> int:
    """The end of the run that begins at `start`; `start` when there are too few lines with figures."""
    strips = list(lines[start].figures)
    heads = {_text(line) for line in lines[max(start - 2, 0) : start] if len(line.chunks) > 1}
    gaps: list[float] = []
    end, count, quiet = start + 1, 1, 0
    for n in range(start + 1, min(len(lines), start + RUNS.most_bands)):
        line = lines[n]
        gap = line.band.top - lines[n - 1].band.bottom
        widest = max(gaps, default=RUNS.tight * line.band.size)
        if gap > RUNS.widest_step * line.band.size or (
            len(gaps) > RUNS.gaps_known and gap > RUNS.wider * widest + line.band.size
        ):
            break
        if line.figures:
            if not any(_meet(figure, strip) for figure in line.figures for strip in strips):
                break
            strips = _merged([*strips, *line.figures])
            end, count, quiet = n + 1, count + 1, 0
        else:
            crossing = _crosses(line, strips)
            quiet += crossing
            if quiet > STATEMENTS.most_labels or n - end >= RUNS.most_lone or not _is_label(line, crossing):
                break
            if len(line.chunks) == 1 and _runs_across(line.chunks[0], strips):
                break
            if line.band.size > STATEMENTS.larger * lines[start].band.size or _text(line) in heads:
                break
        gaps.append(gap)
    enough = STATEMENTS.fewest_rows if len(strips) > 1 else STATEMENTS.fewest_single
    return end if count >= enough else start


def _crosses(line: _Line, strips: Sequence[tuple[float, float]]) -> bool:
    """Whether words of a line stand under or over figures."""
    return any(_meet(_extent(chunk), strip) for chunk in line.chunks for strip in strips)


def _runs_across(chunk: Sequence[Word], strips: Sequence[tuple[float, float]]) -> bool:
    """Whether a text begins before the figures and reaches beyond the middle of them: a line between two tables."""
    left, right = _extent(chunk)
    low, high = strips[0][0], strips[-1][1]
    return left < low and right > (low + high) / 2 and len(chunk) > STATEMENTS.label_words


def _is_label(line: _Line, crossing: bool) -> bool:
    """Whether a line without figures may stand between rows: a label, a head, further lines of cells."""
    if _is_caption(line):
        return False
    return not crossing or all(len(chunk) <= STATEMENTS.head_words for chunk in line.chunks)


def _is_caption(line: _Line) -> bool:
    return len(line.chunks) == 1 and bool(_CAPTION.match(text_of(line.chunks[0])))


def _head(lines: Sequence[_Line], start: int, free: int, columns: Sequence[Column], figures: set[int]) -> int:
    """Where the table begins with its head: lines above whose words stand over the columns of figures.

    Between them and the first figures may stand labels: of a section, or the upper lines of the first row's. Lines
    before `free` are another table's.
    """
    first, heads, named = start, 0, False
    for n in range(start - 1, max(start - 1 - RUNS.most_lone, free - 1), -1):
        line, below = lines[n], lines[n + 1]
        if below.band.top - line.band.bottom > STATEMENTS.head_step * line.band.size or heads == STATEMENTS.most_heads:
            break
        if _is_caption(line) or any(len(chunk) > STATEMENTS.head_words for chunk in line.chunks):
            break
        reach = line.band.size
        extents = [_extent(chunk) for chunk in line.chunks]
        over = [x for x in extents if x[0] > columns[0][0] + reach and sum(x) > 2 * columns[0][1]]
        if len(extents) > len(over) + 1 or (over and over[-1][1] > columns[-1][1] + 2 * reach):
            break
        if len(extents) == 1 and (_is_title(over[0], columns) if over else extents[0][1] > columns[1][0]):
            break
        label = len(extents) > len(over)
        if named and label and below.band.top - line.band.bottom > STATEMENTS.last_line * line.band.size:
            break  # the labels have a head already: this is what stands above the table
        if any(x[1] > columns[min(figures)][0] for x in over):
            first, heads, named = n, heads + 1, named or label
    return first


def _last(lines: Sequence[_Line], start: int, end: int, columns: Sequence[Column], figures: set[int]) -> int:
    """Where the table ends, with further lines of the last row's cells: close under it, in columns of text.

    In the first column these stand closer than rows do, or go on as labels within the table do.
    """
    gaps = [b.band.top - a.band.bottom for a, b in itertools.pairwise(lines[start:end])]
    rows = sum(bool(line.figures) for line in lines[start:end])
    while end < len(lines):
        line, above = lines[end].band, lines[end - 1].band
        gap = line.top - above.bottom
        places = {column for chunk in lines[end].chunks for column in columns_under(chunk, columns)}
        wider = sum(other > gap + STATEMENTS.closer * line.size for other in gaps)
        if gap > STATEMENTS.last_line * line.size or places & figures:
            break
        if 0 in places and 2 * wider < rows - 1 and not _is_label_as_before(lines, start, end, columns[0]):
            break
        end += 1
    return end


def _is_label_as_before(lines: Sequence[_Line], start: int, n: int, column: Column) -> bool:
    """Whether line `n` goes on with the label above it, for which that had no room, as other lines of the run do."""
    return _wraps(lines, n, column) and any(_wraps(lines, other, column) for other in range(start + 1, n))


def _wraps(lines: Sequence[_Line], n: int, column: Column) -> bool:
    chunks, above = lines[n].chunks, lines[n - 1].chunks[0]
    if len(chunks) > 1 or chunks[0][0].font != above[-1].font or abs(chunks[0][0].left - column[0]) > BANDS.same_edge:
        return False
    first = chunks[0][0]
    return above[-1].right < column[1] + first.size and above[-1].right + first.right - first.left > column[1]


def _is_title(extent: tuple[float, float], columns: Sequence[Column]) -> bool:
    """Whether words above a table stand over the middle of all of it rather than over that of its figures."""
    middle, right = sum(extent) / 2, columns[-1][1]
    return extent[0] < columns[0][1] and abs(middle - (columns[0][0] + right) / 2) < abs(
        middle - (columns[1][0] + right) / 2
    )


def _beside(placed: Sequence[list[tuple[int, int, list[Word]]]], columns: Sequence[Column]) -> float | None:
    """The x that parts two tables which stand side by side: labels follow figures, far off or on lines of their own."""
    figures = figure_columns(placed)
    gaps = [right[0] - left[1] for left, right in itertools.pairwise(columns)]
    for n in range(2, len(columns) - 1):
        if n in figures or n - 1 not in figures or not any(m in figures for m in range(n + 1, len(columns))):
            continue
        if figure_share(placed, n) >= STATEMENTS.mixed:
            continue  # prices, under which stand the labels of the sums beside them
        sides = [{cell[0] < n for cell in line if cell[0] in figures} for line in placed]
        sides = [side for side in sides if side]
        both = sum(len(side) == 2 for side in sides)
        alone = next((k for k, side in enumerate(reversed(sides)) if len(side) == 2), 0)
        others = [gap for m, gap in enumerate(gaps) if m != n - 1 and m + 1 in figures]
        if (
            both < STATEMENTS.level * len(sides)
            or alone >= STATEMENTS.alone
            or gaps[n - 1] > STATEMENTS.apart * max(others)
        ):
            return (columns[n - 1][1] + columns[n][0]) / 2
    return None


def _is_sure(table: FoundTable, placed: Sequence[list[tuple[int, int, list[Word]]]], columns: Sequence[Column]) -> bool:
    """Whether the figures stand as those of a table do, and nothing else stands beside them."""
    figures = figure_columns(placed)
    if table.rows < 2 or not figures or filled_share(table) < STATEMENTS.filled:
        return False
    if is_list(table) or is_formula(table) or is_contents(table):
        return False
    for column in range(len(columns)):
        lengths = sorted(len(words) for line in placed for c, span, words in line if c == column and span == 1)
        if lengths and lengths[len(lengths) // 2] > STATEMENTS.most_words:
            return False
        if column not in figures and _is_running([w for line in placed for c, span, w in line if c == column]):
            return False
    amounts = {
        column: [
            words
            for line in placed
            for c, span, words in line
            if c == column and span == 1 and is_figure(text_of(words))
        ]
        for column in figures
    }
    aligned = [column for column, cells in amounts.items() if _is_aligned(cells)]
    if 2 * len(aligned) < len(amounts):
        return False
    if not any(w.isalpha() for line in placed for cell in line for word in cell[2] for w in word.text[:1]):
        return len(columns) > 2  # two columns of bare numbers are the axes of two charts
    return len(figures) > 1 or table.heads > 0 or not _counts(amounts[next(iter(figures))])


def _is_running(lines: Sequence[Sequence[Word]]) -> bool:
    """Whether a column's lines are running text: most reach its end, and most begin within a sentence."""
    if len(lines) < STATEMENTS.fewest_running:
        return False
    left, right = min(line[0].left for line in lines), max(line[-1].right for line in lines)
    full = sum(line[-1].right - line[0].left > STATEMENTS.full * (right - left) for line in lines)
    small = sum(line[0].text[0].islower() for line in lines)
    return full >= STATEMENTS.full_lines * len(lines) and small >= STATEMENTS.running * len(lines)


def _is_aligned(cells: Sequence[Sequence[Word]]) -> bool:
    """Whether most of a column's figures end, begin or are centred at one x."""
    size = cells[0][0].size
    for places in (
        sorted(cell[-1].right for cell in cells),
        sorted(cell[0].left for cell in cells),
        sorted((cell[0].left + cell[-1].right) / 2 for cell in cells),
    ):
        middle = places[len(places) // 2]
        near = sum(abs(place - middle) <= STATEMENTS.same_x * size for place in places)
        if near >= STATEMENTS.aligned * len(places):
            return True
    return False


def _counts(cells: Sequence[Sequence[Word]]) -> bool:
    """Whether a lone column only counts upwards: numbers of equations, lines or the pages of a table of contents."""
    numbers = [re.sub(r"[^\d.,]", "", text_of(cell)) for cell in cells]
    if not all(number.isdigit() for number in numbers):
        return False
    return all(int(a) <= int(b) for a, b in itertools.pairwise(numbers))


def _text(line: _Line) -> str:
    return " ".join(text_of(chunk) for chunk in line.chunks)


def _extent(chunk: Sequence[Word]) -> tuple[float, float]:
    return min(word.left for word in chunk), max(word.right for word in chunk)


def _meet(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return min(a[1], b[1]) - max(a[0], b[0]) > BANDS.meeting


def _merged(extents: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    result: list[tuple[float, float]] = []
    for left, right in sorted(extents):
        if result and left < result[-1][1] - BANDS.meeting:
            result[-1] = result[-1][0], max(result[-1][1], right)
        else:
            result.append((left, right))
    return result
