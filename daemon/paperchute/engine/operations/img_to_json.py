"""img-to-json: what is on a picture of a page, as JSON, as pdf-to-json does it for a PDF."""

from __future__ import annotations

from paperchute.engine.operations.pdf_to_json import run

__all__ = ["run"]
