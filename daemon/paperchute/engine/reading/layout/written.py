"""Blocks of labels and values side by side, told by the order in which the page's content has them.

Tables are written row by row. Where the content goes down through rows, jumps up and goes down through further rows
beside them, two tables stand beside each other, though their rows may stand level: a payslip's, or a menu's.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from paperchute.engine.document.geometry import hull
from paperchute.engine.reading.layout.lines import TextLine
from paperchute.engine.reading.layout.sides import Piece, level_share
from paperchute.engine.reading.layout.tables.addresses import is_town
from paperchute.engine.reading.layout.typography import BOUNDS, TYPOGRAPHY


def blocks_beside(pieces: Sequence[Piece]) -> list[tuple[list[Piece], ...]]:
    """The pieces in bands: those above the uppermost blocks side by side, both blocks, those below; else none."""
    return _bands(pieces, lambda first, second: _are_blocks(first, second) or _are_headed(first, second))


def _bands(
    pieces: Sequence[Piece], are_apart: Callable[[Sequence[Piece], Sequence[Piece]], bool]
) -> list[tuple[list[Piece], ...]]:
    lines = sorted((piece for piece in pieces if piece.order >= 0 and piece.line is not None), key=lambda p: p.order)
    jumps = [n for n in range(1, len(lines)) if _goes_up(lines[n - 1], lines[n])]
    for n in jumps[: BOUNDS.beside]:
        first, second = _around(lines, n)
        if not are_apart(first, second):
            continue
        both = {id(piece) for piece in (*first, *second)}
        box = hull(piece.box for piece in (*first, *second))
        others = [piece for piece in pieces if id(piece) not in both]
        if any(box.top < piece.box.center[1] < box.bottom for piece in others):
            continue  # also of a third block beside them, which begins higher
        sides = sorted((first, second), key=lambda side: side[0].box.left)
        above = [piece for piece in others if piece.box.center[1] < box.top]
        below = [piece for piece in others if piece.box.center[1] >= box.top]
        return [band for band in ((above,), tuple(sides), (below,)) if all(band)]
    return []


def texts_beside(pieces: Sequence[Piece]) -> list[tuple[list[Piece], ...]]:
    """The same where neither block has rows: short texts that were written one after the other beside each other.

    Asked where nothing else parts the pieces: only such lines at other heights are none of one table's rows.
    """
    return _bands(pieces, _are_texts)


def _goes_up(above: Piece, piece: Piece) -> bool:
    assert above.line is not None
    assert piece.line is not None
    return above.line.baseline - piece.line.baseline > TYPOGRAPHY.em * piece.line.size


def _around(lines: Sequence[Piece], n: int) -> tuple[list[Piece], list[Piece]]:
    """What was written before and after a jump and stands on two sides of one gutter, none of it above the second."""
    begin = lines[n].box
    rightward = begin.left >= lines[n - 1].box.right
    start = n
    while start and lines[start - 1].box.center[1] > begin.top:
        box = lines[start - 1].box
        if (box.right > begin.left) if rightward else (box.left < begin.right):
            break
        start -= 1
    if start == n:
        return [], []
    first = hull(piece.box for piece in lines[start:n])
    end = n
    while end < len(lines) and lines[end].box.center[1] > begin.top:
        box = lines[end].box
        if (box.left < first.right) if rightward else (box.right > first.left):
            break
        end += 1
    return list(lines[start:n]), list(lines[n:end])


def _are_blocks(first: Sequence[Piece], second: Sequence[Piece]) -> bool:
    """Decide whether both are rows with labels of their own, or one is and the other has its lines at other heights."""
    if min(len(first), len(second)) < TYPOGRAPHY.several:
        return False
    rows = [_labelled(side) for side in (first, second)]
    full = [len(own) >= TYPOGRAPHY.pair for own in rows]
    if all(full):
        return True
    sides = [[piece.line for piece in side if piece.line] for side in (first, second)]
    return any(full[n] and level_share(rows[n], sides[1 - n]) < TYPOGRAPHY.nearly_all for n in (0, 1))


def _are_headed(first: Sequence[Piece], second: Sequence[Piece]) -> bool:
    """Tell whether both begin with a heading of one look, in larger type than all below it: cards beside each other."""
    sides = [[piece.line for piece in side if piece.line] for side in (first, second)]
    if min(map(len, sides)) < TYPOGRAPHY.several:
        return False
    heads = [side[0] for side in sides]
    if heads[0].size != heads[1].size or heads[0].bold != heads[1].bold:
        return False
    text = [line.size for side in sides for line in side if line.size != heads[0].size]
    return bool(text) and max(text) * TYPOGRAPHY.larger <= heads[0].size and all(side[1].size in text for side in sides)


def _are_texts(first: Sequence[Piece], second: Sequence[Piece]) -> bool:
    """Decide whether both are lines right under each other, few of them level with one of the other's.

    Or addresses, or to be signed, however level their lines are.
    """
    sides = [[piece.line for piece in side if piece.line] for side in (first, second)]
    if min(map(len, sides)) >= TYPOGRAPHY.pair and all(map(_is_signed, sides)):
        return True
    if min(map(len, sides)) < TYPOGRAPHY.several:
        return False
    # Addresses of one length are the cells of a table, as its method for them has it.
    if len(sides[0]) != len(sides[1]) and all(any(is_town(line.text) for line in side) for side in sides):
        return True
    for side in sides:
        words = sum(sum(map(str.isalpha, line.text)) >= TYPOGRAPHY.pair for line in side)
        if 2 * words < len(side):
            return False  # as the parts of a formula
        steps = [below.baseline - above.baseline for above, below in itertools.pairwise(side)]
        steps = [step for step in steps if abs(step) > TYPOGRAPHY.half_em * side[0].size]
        if 2 * sum(step < TYPOGRAPHY.next_line * side[0].size for step in steps) < len(steps):
            return False
    few, many = sorted(sides, key=len)
    return level_share(few, many) < TYPOGRAPHY.half


def _is_signed(side: Sequence[TextLine]) -> bool:
    """Tell whether a line to sign on stands in a block, whose rows are then no table's: names under it, and offices."""
    return any(_SIGN_HERE.fullmatch(line.text) for line in side)


_SIGN_HERE = re.compile(r"(?:[^\W\d_]+[:,]? ?)?(?:_{5,}|\.{10,}|…{4,})")


def _labelled(side: Sequence[Piece]) -> list[TextLine]:
    """The labels of a block's rows, with words or figures beside them that were written right after."""
    labels: list[TextLine] = []
    row: list[TextLine] = []
    for piece in side:
        line = piece.line
        assert line is not None
        if not row or abs(line.baseline - row[0].baseline) > TYPOGRAPHY.half_em * line.size:
            row = [line]
            continue
        row.append(line)
        if labels[-1:] == row[:1] or not any(map(str.isalnum, line.text)):
            continue
        if sum(map(str.isalpha, row[0].text)) >= TYPOGRAPHY.pair:
            labels.append(row[0])
    return labels
