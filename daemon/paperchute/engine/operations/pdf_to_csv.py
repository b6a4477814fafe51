"""pdf-to-csv: the tables of a PDF as CSV (docs/contract.md#operations); cells are written as `writing/csv.py` says.

- excelWorksheetOption: a file for each table, each page, or one for the document. Without any table: 190007.
- enableAiLayout 0 turns off what finds tables.
- CSV holds the text of cells only, so isContainImg and isContainAnnot have nothing to keep or to leave out.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.csv import written_tables


def run(work: Work) -> list[Path]:
    """The CSV files. Raises Refused 190007, 02201, 120002, 02207, 110001."""
    return written_tables(work)
