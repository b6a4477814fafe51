"""Rules cleaned: doubles laid together, pieces of one stroke joined."""

from __future__ import annotations

from collections.abc import Iterable

from paperchute.engine.reading.layout.records import Rule

_SAME_STROKE = 2.0
_JOIN = 3.5


def joined_rules(rules: Iterable[Rule]) -> tuple[list[Rule], list[Rule]]:
    """(horizontal, vertical) strokes, sorted by place; strokes on one line that touch are one.

    A joined stroke counts as an edge only when all of its parts are.
    """
    rules = list(rules)
    flat = _joined([(r.y1, r.x1, r.x2, r.edge) for r in rules if r.horizontal])
    tall = _joined([(r.x1, r.y1, r.y2, r.edge) for r in rules if not r.horizontal])
    return (
        [Rule(start, at, end, at, edge) for at, start, end, edge in flat],
        [Rule(at, start, at, end, edge) for at, start, end, edge in tall],
    )


def _joined(strokes: list[tuple[float, float, float, bool]]) -> list[tuple[float, float, float, bool]]:
    """Strokes as (place, start, end, edge)."""
    strokes.sort()
    result: list[tuple[float, float, float, bool]] = []
    group: list[tuple[float, float, float, bool]] = []
    for stroke in strokes:
        if (group and stroke[0] - group[-1][0] > 0.7) or (group and stroke[0] - group[0][0] > _SAME_STROKE):
            result += _along(group)
            group = []
        group.append(stroke)
    return result + _along(group)


def _along(group: list[tuple[float, float, float, bool]]) -> list[tuple[float, float, float, bool]]:
    """Strokes at one place, joined where they touch."""
    result: list[tuple[float, float, float, bool]] = []
    for at, start, end, edge in sorted(group, key=lambda s: s[1]):
        if result and start <= result[-1][2] + _JOIN:
            was = result[-1]
            result[-1] = (was[0], was[1], max(was[2], end), was[3] and edge)
        else:
            result.append((at, start, end, edge))
    return result
