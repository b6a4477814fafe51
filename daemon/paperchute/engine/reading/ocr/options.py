"""What the contract's OCR parameters ask for, and its checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from paperchute.engine.reading.ocr.languages import AUTO, check_language
from paperchute.engine.work import Work

LAYER_DEFAULTS = {"transparentText": 1, "containPageBackgroundImage": 1, "isContainImg": 1, "enableAiLayout": 1}
"""What the parameters of a text layer mean where they are absent (contract section 9, pdf-to-editable)."""

Scope = Literal["ALL", "SCAN_PAGE", "INVALID_CHARACTER", "INVALID_CHARACTER_AND_SCAN_PAGE"]


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """language: a code of [[ocr_language]]; scope: which pages, a word of [ocr_scope]."""

    language: str
    scope: Scope

    @property
    def scans(self) -> bool:
        """Whether scanned pages are to be recognised."""
        return "SCAN_PAGE" in self.scope or self.scope == "ALL"

    @property
    def garbled(self) -> bool:
        """Whether pages are whose text cannot be read as characters."""
        return "INVALID_CHARACTER" in self.scope or self.scope == "ALL"


def ocr_options(work: Work) -> OcrOptions | None:
    """What is asked for, None for no recognition. Absent parameters mean AUTO and ALL (contract section 9)."""
    if not work.flag("enableOcr"):
        return None
    return OcrOptions(work.text("ocrRecognitionLang") or AUTO, cast(Scope, work.text("ocrOption") or "ALL"))


def check_ocr(work: Work) -> None:
    """Raises Refused 03000 when recognition is asked for in a language that is not installed."""
    options = ocr_options(work)
    if options is not None:
        check_language(options.language)
