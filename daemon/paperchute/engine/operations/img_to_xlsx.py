"""img-to-xlsx: the tables of a picture, or all its content, as a workbook, as pdf-to-xlsx does it for a PDF.

enableOcr 1 finds words and tables, as automatic recognition does; 0 puts the picture alone into the workbook.
"""

from __future__ import annotations

from paperchute.engine.operations.pdf_to_xlsx import run

__all__ = ["run"]
