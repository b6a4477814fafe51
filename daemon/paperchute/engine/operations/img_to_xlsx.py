"""img-to-xlsx: the tables of a picture, or all its content, as a workbook, as pdf-to-xlsx does it for a PDF.

The contract's default of enableOcr is 0, which puts the picture alone into the workbook; 1 finds words and tables.
"""

from __future__ import annotations

from paperchute.engine.operations.pdf_to_xlsx import check, run

__all__ = ["check", "run"]
