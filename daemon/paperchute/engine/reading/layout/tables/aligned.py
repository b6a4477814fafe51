"""Tables without walls, told by words that stand under each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paperchute.engine.document.geometry import Box, hull
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.marks import Rule, Word
from paperchute.engine.reading.layout.phrases import is_float_caption
from paperchute.engine.reading.layout.running_text import has_column, in_columns
from paperchute.engine.reading.layout.tables.addresses import with_whole_addresses
from paperchute.engine.reading.layout.tables.amounts import is_figure, with_whole_figures
from paperchute.engine.reading.layout.tables.assembly import (
    assembled,
    columns_under,
    in_parts,
)
from paperchute.engine.reading.layout.tables.bands import Band, bands_of, is_bold, runs
from paperchute.engine.reading.layout.tables.columns import Column, columns_of, with_crossed, without_crossing
from paperchute.engine.reading.layout.tables.evidence import Evidence
from paperchute.engine.reading.layout.tables.grid import FoundTable
from paperchute.engine.reading.layout.tables.rows import with_last_label
from paperchute.engine.reading.layout.trace import Measured, falls_short, goes_beyond
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


@dataclass(frozen=True, slots=True)
class AlignedTableSettings:
    """Which words under each other are a table.

    Distances are shares of the font size where nothing else is said. Fixed on printed Markdown and generated documents
    (TEDS 0.840 to 0.861, 0.857 to 0.899).
    """

    cell_spacing: float = 6.0
    """Points between rules that are drawn cell by cell: browsers leave 1.5 to 3 between cells."""

    same_end: float = 6.0
    """Points between the ends of rules of one width. Slides with two tables, one under the other, change at 3."""


ALIGNED = AlignedTableSettings()


def table_between(rules: Sequence[Rule], words: Sequence[Word]) -> FoundTable | None:
    """The table that horizontal rules of one width show, without vertical ones; None when it is none.

    words: those between the uppermost and the lowest rule and, above and below, those that may be its outer rows.
    """
    bands, parts = with_whole_figures(bands_of(words))
    ys = [rule.y1 for rule in rules]
    inner = [band for band in bands if ys[0] < (band.top + band.bottom) / 2 < ys[-1]]
    if not inner or len(inner) > BOUNDS.lines:
        return None
    text = _lines_of_text(inner)
    inner = inner[text:]
    plain = without_crossing(inner, ys[1])
    columns = with_crossed(inner, columns_of(plain, TYPOGRAPHY.half_em, TYPOGRAPHY.fifth))
    if len(columns) < 2:
        return None
    first, last = bands.index(inner[0]), bands.index(inner[-1]) + 1
    if (
        first
        and not text
        and _fits(bands[first - 1], columns)
        and ys[0] - bands[first - 1].bottom < TYPOGRAPHY.em * bands[first - 1].size
        and _are_near(bands[first - 1], bands[first])
    ):
        first -= 1
    if (
        last < len(bands)
        and _fits(bands[last], columns)
        and bands[last].top - ys[-1] < TYPOGRAPHY.em * bands[last].size
        and _are_near(bands[last - 1], bands[last])
    ):
        last += 1
    table = assembled(bands[first:last], columns, ys)
    if table.rows < 2 or table.columns < 2:
        return None
    return in_parts(table, parts)


def _are_near(above: Band, below: Band) -> bool:
    """Decide whether a row beyond the outermost rule follows the rows inside: a foot under its own rule does not."""
    return below.top - above.bottom <= TYPOGRAPHY.quads * below.size


def _lines_of_text(bands: Sequence[Band]) -> int:
    """Return how many of the uppermost lines are text over the table, as under the rule below a letter's head.

    They begin where the first column does and one of them runs beyond it; a single one may be the title of a part.
    """
    count = next((n for n, band in enumerate(bands) if len(band.cells) > 1), 0)
    if count < 2:
        return 0
    columns = columns_of(bands[count:], TYPOGRAPHY.half_em, TYPOGRAPHY.fifth)
    under = [columns_under(band.words, columns) for band in bands[:count]]
    return count if all(own[0] == 0 for own in under) and any(len(own) > 1 for own in under) else 0


def lacks_labels(table: FoundTable, lines: Sequence[TextLine]) -> bool:
    """Tell if the rules stand over the figures of a table alone, as over its sums: labels stand left of most rows."""
    first = [cell for cell in table.cells if cell.column == 0 and cell.words]
    figures = sum(is_figure(" ".join(word.text for word in cell.words)) for cell in first)
    if figures < TYPOGRAPHY.most * len(first):
        return False  # as of most tables, whose first column holds labels
    edge = max((cell.box.left for cell in first), default=0.0)
    labels = [line for line in lines if line.right <= edge]
    places = ((cell.box.left, cell.box.center[1]) for cell in first)
    named = sum(
        any(line.right <= left and line.top < middle < line.bottom for line in labels) for left, middle in places
    )
    return named >= TYPOGRAPHY.most * len(first)


def aligned_tables(evidence: Evidence) -> Iterator[FoundTable]:
    """The tables among the words of a column; only where alignment is strong evidence."""
    bands, parts = with_whole_figures(evidence.free.bands)
    free = 0
    for start, end in runs(bands):
        while start > free and _is_beside(bands[start - 1], bands[start], bands[start:end]):
            start -= 1
        end = with_last_label(bands, start, end)
        rows = [band for band in bands[start:end] if len(band.cells) > 1]
        head = _has_head(bands[start - 1], bands[start:end]) if start > free else False
        is_headed = len(rows) == 2 and (head or (is_bold(rows[0]) and not is_bold(rows[1])))
        box = hull(word.box for band in bands[start:end] for word in band.words)
        count = Measured("TYPOGRAPHY.several", len(rows), TYPOGRAPHY.several)
        if is_headed or not falls_short("alignment", box, "too few rows", count):
            table = _from_run(bands[start - head : end])
            if table is not None and (len(rows) > 2 or _are_of_one_size(bands[start:end])):
                yield in_parts(table, parts)
                free = end


def _are_of_one_size(run: Sequence[Band]) -> bool:
    """Decide whether two rows are set alike: those of a journal's head and the title under it are not."""
    sizes = [band.size for band in run]
    return max(sizes) <= TYPOGRAPHY.plainly_larger * min(sizes)


def _is_beside(above: Band, first: Band, run: Sequence[Band]) -> bool:
    """Tell if a band with a single cell right above a run is a line of a taller cell beside those of its first row."""
    if first.top - above.bottom > TYPOGRAPHY.half_em * first.size or len(above.cells) > 1:
        return False
    box = hull(word.box for word in above.words)
    beside = all(word.right < box.left or word.left > box.right for word in first.words)
    return beside and len(columns_under(above.words, columns_of(run, TYPOGRAPHY.wide_space, TYPOGRAPHY.half))) == 1


def _has_head(above: Band, run: Sequence[Band]) -> bool:
    """Decide whether the bold band above a run is its head, whose cells stand too close to have started it."""
    if not is_bold(above) or is_bold(run[0]) or run[0].top - above.bottom > TYPOGRAPHY.tab * above.size:
        return False
    columns = columns_of(run, TYPOGRAPHY.wide_space, TYPOGRAPHY.half)
    places = [columns_under(chunk, columns) for chunk in above.chunks(TYPOGRAPHY.half_em)]
    told = {place[0] for place in places if len(place) == 1}
    return len(told) == len(places) >= max(2, TYPOGRAPHY.most * len(columns))


def _from_run(bands: Sequence[Band]) -> FoundTable | None:
    columns = columns_of(bands, TYPOGRAPHY.wide_space, TYPOGRAPHY.half)
    table = assembled(bands, columns, [])
    if table.rows < 2 or table.columns < 2:
        return None
    spans = sum(c.column_span > 1 for c in table.cells) / len(table.cells)
    if goes_beyond("alignment", table.box, "too many heads", Measured("TYPOGRAPHY.fifth", spans, TYPOGRAPHY.fifth)):
        return None
    return with_whole_addresses(table)


def _fits(band: Band, columns: Sequence[Column]) -> bool:
    """Decide whether a band's chunks stand in the columns, two at least."""
    places = [columns_under(chunk, columns) for chunk in band.chunks(TYPOGRAPHY.half_em)]
    return len(places) > 1 and all(len(place) == 1 for place in places) and len({p[0] for p in places}) == len(places)


def rule_stacks(horizontal: Sequence[Rule], taken: Sequence[Box], lines: Sequence[TextLine]) -> list[list[Rule]]:
    """Horizontal rules of one width under each other, outside the boxes in `taken`: signs of a table without walls.

    lines: the page's text, of which a line across the space between two rules parts the tables above and below it.
    """
    stacks: list[list[Rule]] = []
    for rule in _whole_rules(horizontal):
        if rule.x2 - rule.x1 < TYPOGRAPHY.figure_side or any(
            box.grown(TYPOGRAPHY.frame).holds((rule.x1 + rule.x2) / 2, rule.y1) for box in taken
        ):
            continue
        for stack in reversed(stacks):
            if abs(stack[-1].x1 - rule.x1) < ALIGNED.same_end and abs(stack[-1].x2 - rule.x2) < ALIGNED.same_end:
                top = stack[-1].y1
                between = [line for line in lines if top < line.baseline < rule.y1]
                end = _end_over_heading(stack[-1], rule, between)
                if end is not None:
                    stack += [end] if len(stack) == 1 else []  # of several the last is the table's own end
                    stacks.append([rule])
                elif (
                    any(_parts_tables(line, stack[-1], between) for line in between)
                    or _holds_columns(stack[-1], rule, between)
                    or _is_between_tables(stack[-1], rule, lines)
                ):
                    stacks.append([rule])
                else:
                    stack.append(rule)
                break
        else:
            stacks.append([rule])
    stacks = [stack[1:-1] if _frames_page(stack, lines) else stack for stack in stacks]
    return [stack for stack in stacks if len(stack) >= 2 and not _frames(stack, lines)]


def _is_between_tables(above: Rule, below: Rule, lines: Sequence[TextLine]) -> bool:
    """Decide whether the head of another table stands between two rules.

    Under figures nothing stands for more than between rows, or a heading alone; then come words side by side, and
    closer below them figures again.
    """
    rows: list[list[TextLine]] = []
    reach = TYPOGRAPHY.quads * (lines[0].size if lines else 0.0)
    for line in lines:
        if above.x1 - line.size < line.left and line.right < above.x2 + line.size:
            if not above.y1 - reach < line.baseline < below.y1 + reach:
                continue
            if rows and line.baseline - rows[-1][0].baseline < line.size / 2:
                rows[-1].append(line)
            else:
                rows.append([line])
    figures = [any(is_figure(line.text) for line in row) for row in rows]
    for n in range(1, len(rows) - 1):
        head = rows[n]
        if figures[n] or len(head) < 2 or not figures[n + 1] or not above.y1 < head[0].baseline < below.y1:
            continue
        titled = n > 1 and len(rows[n - 1]) == 1 and not figures[n - 1]
        last = n - 1 - titled
        if not figures[last]:
            continue
        over = rows[last + 1][0].top - rows[last][0].bottom
        under = rows[n + 1][0].top - head[0].bottom
        if over > TYPOGRAPHY.em * head[0].size and over > TYPOGRAPHY.plainly_larger * under:
            return True
    return False


def _holds_columns(above: Rule, below: Rule, between: Sequence[TextLine]) -> bool:
    """Tell if the text between two rules, as those under a page's head and over its foot, is that of two columns."""
    if len(between) < TYPOGRAPHY.short_text:
        return False
    left, right = above.x1 - ALIGNED.same_end, above.x2 + ALIGNED.same_end
    return in_columns([line for line in between if left <= line.left and line.right <= right], above.x1, above.x2)


def _frames_page(stack: Sequence[Rule], lines: Sequence[TextLine]) -> bool:
    """Tell if the outermost rules stand under a page's head and over its foot, with columns of text between them."""
    above = [line for line in lines if line.baseline < stack[0].y1]
    below = any(line.baseline > stack[-1].y1 for line in lines)
    if not above or not below or len({round(line.baseline) for line in above}) > TYPOGRAPHY.pair:
        return False
    if any(is_float_caption(line.text) for line in above):
        return False
    between = [line for line in lines if stack[0].y1 < line.baseline < stack[-1].y1]
    return len(between) >= TYPOGRAPHY.short_text and in_columns(between, stack[0].x1, stack[0].x2)


def _frames(stack: Sequence[Rule], lines: Sequence[TextLine]) -> bool:
    """Decide whether two rules stand at the head and the foot of a page with running text, and show no table."""
    if len(stack) > 2 or len(lines) < TYPOGRAPHY.short_text:
        return False
    height = max(line.bottom for line in lines) - min(line.top for line in lines)
    if stack[-1].y1 - stack[0].y1 < TYPOGRAPHY.nearly_all * height:
        return False
    between = [line for line in lines if stack[0].y1 < line.baseline < stack[-1].y1]
    return has_column(between, stack[0].x1, stack[0].x2)


def _end_over_heading(above: Rule, rule: Rule, between: Sequence[TextLine]) -> Rule | None:
    """Where what begins under the rule above ends, if the next rule is drawn under a heading in larger type than that.

    between: the lines from the rule above on, of which the heading is the last.
    """
    own = [line for line in between if line.left < rule.x2 and line.right > rule.x1]
    if len(own) < 2:
        return None
    own.sort(key=lambda line: line.baseline)
    *others, last = own
    if (
        others[-1].baseline >= last.top
        or rule.y1 - last.baseline >= TYPOGRAPHY.em * last.size
        or last.size <= TYPOGRAPHY.larger * max(line.size for line in others)
        or last.left - rule.x1 >= last.size
    ):
        return None
    middle = (others[-1].bottom + last.top) / 2
    return Rule(above.x1, middle, above.x2, middle)


def _whole_rules(horizontal: Sequence[Rule]) -> list[Rule]:
    """Rules, top to bottom, with those made one that are drawn cell by cell with the cells' spacing between."""
    result: list[Rule] = []
    for rule in sorted(horizontal, key=lambda r: (round(r.y1), r.x1)):
        last = result[-1] if result else rule
        if result and round(last.y1) == round(rule.y1) and 0 <= rule.x1 - last.x2 <= ALIGNED.cell_spacing:
            result[-1] = Rule(last.x1, last.y1, rule.x2, last.y1, last.edge and rule.edge)
        else:
            result.append(rule)
    return result


def _parts_tables(line: TextLine, above: Rule, lines: Sequence[TextLine]) -> bool:
    """Tell if a line between two rules is none of a table's: a caption, or text that begins where they do, or before.

    lines: all between the two; a caption has none beside it between the ends of the rules, as a row of a list has.
    """
    if above.x1 - ALIGNED.same_end <= line.left <= above.x2 and is_float_caption(line.text):
        return not any(
            other is not line
            and abs(other.baseline - line.baseline) < line.size
            and min(other.right, above.x2) > max(other.left, above.x1)
            for other in lines
        )
    if line.left > above.x1 + line.size:
        return False
    wide = min(line.right, above.x2) - above.x1 > TYPOGRAPHY.most * (above.x2 - above.x1)
    return wide and len(line.words) > TYPOGRAPHY.phrase
