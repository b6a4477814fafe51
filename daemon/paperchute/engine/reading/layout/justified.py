"""Lines of justified text in narrow columns, whose spaces are as wide as gaps between cells.

Such a line reaches from one edge of its column to the other, as lines without wide spaces around it prove, and its
spaces are all alike; those of a table's row are not, or stand under each other.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from paperchute.engine.reading.layout.lines import TextLine, line_of
from paperchute.engine.reading.layout.marks import Word
from paperchute.engine.reading.layout.typography import TYPOGRAPHY

Measure = tuple[int, int]
"""The left and right edge of a column of text, rounded."""

_left = attrgetter("left")
_STOPS = (".", ",", ":", ";", "!", "?")


def with_justified(lines: list[TextLine]) -> list[TextLine]:
    """The pieces of a page's lines, top to bottom, with those of justified lines made one."""
    rows = list(_rows(lines))
    if not rows:
        return lines
    full = _full_lines(lines)
    if not full:
        return lines
    joined: dict[int, TextLine] = {}
    gone: set[int] = set()
    for measure, baselines in full.items():
        pieces = [own for row in rows if (own := _within(row, measure)) is not None]
        for own in _text(pieces, baselines):
            if not any(id(piece) in joined or id(piece) in gone for piece in own):
                joined[id(own[0])] = line_of([word for piece in own for word in piece.words])
                joined[id(own[0])].justified = True
                gone |= {id(piece) for piece in own[1:]}
    return [joined.get(id(line), line) for line in lines if id(line) not in gone] if joined else lines


def words_for_tables(lines: Iterable[TextLine]) -> list[Word]:
    """The words that may be cells: those of justified text, and of lists in the document's own structure, are none."""
    return [word for line in lines if not line.justified for word in line.words if word.place is None]


def _rows(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    row: list[TextLine] = []
    for line in lines:
        if row and line.baseline - row[0].baseline > TYPOGRAPHY.half_em:
            if len(row) > 1:
                yield sorted(row, key=_left)
            row = []
        row.append(line)
    if len(row) > 1:
        yield sorted(row, key=_left)


def _full_lines(lines: Sequence[TextLine]) -> dict[Measure, list[float]]:
    """The columns that lines without wide spaces show, with the baselines of these."""
    ends = [
        (round(line.left), round(line.right), line.baseline) for line in lines if len(line.words) >= TYPOGRAPHY.several
    ]
    counts = Counter((left, right) for left, right, _ in ends)
    found: defaultdict[Measure, list[float]] = defaultdict(list)
    columns: dict[Measure, Measure] = {}
    for left, right in counts if len(ends) >= TYPOGRAPHY.several else ():
        near = [(a, b) for a in (left - 1, left, left + 1) for b in (right - 1, right, right + 1)]
        often = [counts.get(measure, 0) for measure in near]
        if sum(often) >= TYPOGRAPHY.several:
            columns[left, right] = near[often.index(max(often))]
    for left, right, baseline in ends:
        if (left, right) in columns:
            found[columns[left, right]].append(baseline)
    return found


def _within(row: Sequence[TextLine], measure: Measure) -> list[TextLine] | None:
    """The pieces of a row that reach from edge to edge; None where they do not, or one piece does."""
    reach = TYPOGRAPHY.rounding
    own = [piece for piece in row if measure[0] - reach <= piece.left and piece.right <= measure[1] + reach]
    if len(own) < 2 or own[0].left > measure[0] + reach or own[-1].right < measure[1] - reach:
        return None
    return own


def _text(rows: Sequence[list[TextLine]], baselines: Sequence[float]) -> list[list[TextLine]]:
    """Those of a column's rows that are justified lines. baselines: those of its lines without wide spaces."""
    likely: list[list[TextLine]] = []
    known = list(baselines)
    for number, row in enumerate(rows):
        words = sorted((word for piece in row for word in piece.words), key=lambda word: word.left)
        spaces = [(after.left - word.right, word) for word, after in itertools.pairwise(words) if not after.glued]
        near = (*rows[max(number - 2, 0) : number], *rows[number + 1 : number + 3])
        if spaces and _are_alike(spaces) and not _are_cells(row, near):
            likely.append(row)
            widths = [space for space, _ in spaces]
            same = len(widths) > 1 and max(widths) - min(widths) < TYPOGRAPHY.same_baseline
            if same or len(widths) >= TYPOGRAPHY.several:
                known.append(row[0].baseline)
    for row in (*likely, *likely[::-1]):  # from known lines downwards, then upwards
        if any(abs(baseline - row[0].baseline) < TYPOGRAPHY.next_line * row[0].size for baseline in known):
            known.append(row[0].baseline)
    sure = set(known)
    return [row for row in likely if row[0].baseline in sure]


def _are_alike(spaces: Sequence[tuple[float, Word]]) -> bool:
    """Decide whether spaces are those of justified text; type of one width has one more, or not, in each."""
    least = min(space for space, _ in spaces)
    plain = [space for space, word in spaces if not word.text.endswith(_STOPS)]
    widths = [(word.right - word.left) / len(word.text) for _, word in spaces]
    typed = max(widths) - min(widths) < TYPOGRAPHY.same_baseline and len(widths) >= TYPOGRAPHY.several
    more = TYPOGRAPHY.rounding + (max(widths) if typed else (TYPOGRAPHY.plainly_larger - 1) * least)
    return max(plain, default=least) <= least + more


def _are_cells(row: Sequence[TextLine], others: Sequence[Sequence[TextLine]]) -> bool:
    """Decide whether the pieces stand under or over those of two other rows, or half of their words are figures."""
    words = [word for piece in row for word in piece.words]
    if 2 * sum(any(map(str.isdigit, word.text)) for word in words) >= len(words):
        return True
    under = sum(
        len(other) == len(row)
        and all(_is_under(piece, other) for piece in row[1:-1])
        and _is_under(row[-1], other, True)
        for other in others
    )
    return under >= min(2, len(others)) > 0


def _is_under(piece: TextLine, others: Sequence[TextLine], last: bool = False) -> bool:
    """Decide whether a piece begins where one of others does, or ends there; the last ends where the column does."""
    reach = TYPOGRAPHY.same_baseline
    return any(
        abs(piece.left - other.left) < reach or (not last and abs(piece.right - other.right) < reach)
        for other in others[1:]
    )
