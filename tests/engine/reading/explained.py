"""A document that has a bit of everything: heads, headings, text, a list, a table, clauses, notes and page numbers."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reading.sheets import Said, written

_KINDS = ("stone", "brick", "timber", "gravel")


def survey(path: Path) -> Path:
    """Write it: four pages, each with other words at other heights, so that only heads and numbers come again."""
    sheets = []
    for number, kind in enumerate(_KINDS, start=1):
        top = 110 + 9 * number
        said = [Said("Harbours of the North", 72, 30, 8), Said(str(number), 295, 800, 8)]
        said += [Said(f"Quays of {kind}", 72, top - 30, 16, "B")]
        said += [
            Said(f"The survey of year {n} showed that quays of {kind} last", 72, top + 12 * n, 10) for n in range(4)
        ]
        said += [Said(f"• {part} of {kind}", 72, top + 60 + 14 * n, 10) for n, part in enumerate(("walls", "steps"))]
        for row, label in enumerate(("Quays", "Cranes", "Sheds", "Piers")):
            said += [Said(f"{label} {number}", 72, top + 130 + 14 * row, 10)]
            said += [Said(f"1{row}.5{number}", 250, top + 130 + 14 * row, 10)]
            said += [Said(f"2{row}.75", 350, top + 130 + 14 * row, 10)]
        for row in range(6):
            said += [Said(f"{number}.{row + 1}", 72, top + 220 + 14 * row, 10)]
            said += [Said(f"The tenant of a quay of {kind} pays rent in each month", 110, top + 220 + 14 * row, 10)]
        said += [
            Said(str(number), 72, 728, 4),
            Said(f"See the report of the board for {kind} of that year.", 76, 730, 7),
        ]
        sheets.append(said)
    return written(path, sheets)
