"""txt-to-pdf: a text as pages (docs/contract.md#office-to-pdf)."""

from __future__ import annotations

from paperchute.engine.operations.docx_to_pdf import run

__all__ = ["run"]
