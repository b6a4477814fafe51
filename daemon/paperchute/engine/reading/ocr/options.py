"""What recognition is asked for: the language of the text, and what of a document is recognised."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from paperchute.contract import contract
from paperchute.contract.built_in import MODELS_VARIABLE, model_of, not_installed
from paperchute.contract.recognition import SCOPE, SWITCH, WHERE_NEEDED, is_automatic
from paperchute.engine.work import Refused, Work
from paperchute.language import _

AUTO = "AUTO"
LATIN_ONLY = frozenset({"ENGLISH", "LATIN"})
"""Languages without Han, kana or other wide characters: the model that knows them too is kept from giving any."""


def built_in_model(name: str) -> Path:
    """A model file of the rapidocr package. Raises Refused 190005 when the package is not whole."""
    found = importlib.util.find_spec("rapidocr")
    places = list(found.submodule_search_locations or ()) if found else []
    for place in places:
        path = Path(place) / "models" / name
        if path.is_file():
            return path
    raise Refused(
        "190005",
        _(
            "Text recognition is not completely installed: {name} of the package rapidocr is missing. Reinstall it.",
            name=name,
        ),
    )


def added_model(language: str) -> Path | None:
    """The file of a language's model in the models folder, None where there is none."""
    return model_of(language, os.environ.get(MODELS_VARIABLE, ""))


def check_language(language: str) -> None:
    """Raises Refused 03000 for a language whose model is not installed, saying how to add it."""
    if why := not_installed(language, os.environ.get(MODELS_VARIABLE, "")):
        raise Refused("03000", why)


LAYER_DEFAULTS = {"transparentText": 1, "containPageBackgroundImage": 1, "isContainImg": 1, "enableAiLayout": 1}
"""What the parameters of a text layer mean where they are absent (docs/contract.md#operations, pdf-to-editable)."""

Scope = Literal["ALL", "SCAN_PAGE", "INVALID_CHARACTER", "INVALID_CHARACTER_AND_SCAN_PAGE"]


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """language: a code of [[ocr_language]]; scope: which pages, a word of [ocr_scope].

    automatic: nobody asked for recognition; text that an earlier one laid in stays where it reads well.
    """

    language: str
    scope: Scope
    automatic: bool = False

    @property
    def scans(self) -> bool:
        """Whether scanned pages are to be recognised."""
        return "SCAN_PAGE" in self.scope or self.scope == "ALL"

    @property
    def garbled(self) -> bool:
        """Whether pages are whose text cannot be read as characters."""
        return "INVALID_CHARACTER" in self.scope or self.scope == "ALL"


def ocr_options(work: Work) -> OcrOptions | None:
    """What is asked for, None for no recognition. Absent parameters mean AUTO and ALL (docs/contract.md#operations).

    Where nothing is said of enableOcr, the pages that need it are recognised (docs/contract.md#where-sources-disagree).
    """
    automatic = is_automatic(contract().known(work.operation), work.parameters)
    if not automatic and not work.flag(SWITCH):
        return None
    scope = work.text(SCOPE) or (WHERE_NEEDED if automatic else "ALL")
    return OcrOptions(work.text("ocrRecognitionLang") or AUTO, cast(Scope, scope), automatic)


def check_ocr(work: Work) -> None:
    """Raises Refused 03000 when recognition is asked for in a language that is not installed."""
    options = ocr_options(work)
    if options is not None:
        check_language(options.language)
