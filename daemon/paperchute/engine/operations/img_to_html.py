"""img-to-html: a picture of a page as HTML, as pdf-to-html does it for a PDF.

enableOcr 1 finds the words, which automatic recognition does too; 0 shows the picture alone.
"""

from __future__ import annotations

from paperchute.engine.operations.pdf_to_html import run

__all__ = ["run"]
