"""img-to-txt: the text of a picture of a page, as pdf-to-txt does it for a PDF."""

from __future__ import annotations

from paperchute.engine.operations.pdf_to_txt import run

__all__ = ["run"]
