"""img-to-csv: the tables in a picture, or in the pages of a TIFF file, as CSV (docs/contract.md#operations).

- without recognition a picture has no cells, so enableOcr 0 fails with 190007 and says so.
- The other parameters do what they do for pdf-to-csv.
"""

from __future__ import annotations

from pathlib import Path

from paperchute.engine.work import Work
from paperchute.engine.writing.csv import written_tables


def run(work: Work) -> list[Path]:
    """The CSV files. Raises Refused 190007; 02209, 100105, 02003, 190010 for pictures that cannot be read; 190005."""
    return written_tables(work)
