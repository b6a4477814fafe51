"""img-to-html: a picture of a page as HTML, as pdf-to-html does it for a PDF.

The contract's default of enableOcr is 0, which shows the picture alone; 1 finds its words.
"""

from __future__ import annotations

from paperchute.engine.operations.pdf_to_html import check, run

__all__ = ["check", "run"]
