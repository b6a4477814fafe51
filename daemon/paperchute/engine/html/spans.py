"""Cells of tables that cover many columns and rows at once: how much of a table they cover together.

PlutoBook fills in each place that a cell covers, and one tag may say 1,000 columns and 65,534 rows.
"""

from __future__ import annotations

import re

from paperchute.engine import report
from paperchute.language import _

_MOST_COVERED = 2_000_000
"""Places that cells cover: PlutoBook takes a second for them. A year's plan of a hundred people has 40,000."""
_FEW_COVERED = 1_000  # of one cell: those of people, where others cover too much
_WIDEST = 1_000  # columns that a cell covers (WHATWG HTML, 4.9.11)
_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_CELL = re.compile(r"""<t[dh]\b(?:[^>"']++|"[^"]*"|'[^']*')*+""", re.IGNORECASE)
_COLUMNS = re.compile(r"""\bcolspan\s*=\s*["']?\s*\+?(\d+)""", re.IGNORECASE)
_ROWS = re.compile(r"""\b(rowspan\s*=\s*["']?\s*\+?)(\d+)""", re.IGNORECASE)


def within_rows(html: str) -> str:
    """The document; where its cells cover more than can be laid out, large ones stand in one row, which is a warning.

    Cells that cover columns or rows alone cost little, and stay.
    """
    rows = len(_ROW.findall(html))
    if sum(_covered(cell, rows) for cell in _CELL.findall(html)) <= _MOST_COVERED:
        return html
    report.warn(_("Cells that cover more of a table than can be laid out stand in one row."))
    return _CELL.sub(lambda cell: _in_a_row(cell[0]) if _covered(cell[0], rows) > _FEW_COVERED else cell[0], html)


def _covered(cell: str, rows: int) -> int:
    """The places that a cell of several columns and rows covers, in a table of so many rows."""
    across, down = _COLUMNS.search(cell), _ROWS.search(cell)
    if across is None or down is None:
        return 0
    return min(_number(across[1]), _WIDEST) * (min(_number(down[2]), rows) or rows)  # 0 rows are all that follow


def _number(digits: str) -> int:
    return int(digits[:9])  # more are beyond any table


def _in_a_row(cell: str) -> str:
    return _ROWS.sub(r"\g<1>1", cell)
