"""Which languages can be recognised, by the contract's codes ([[ocr_language]]), and where their models lie.

The small PP-OCRv6 model inside the rapidocr package reads Chinese, Japanese, English and the languages in Latin script.
The others are read by models of the PP-OCR family that whoever runs the engine puts into a folder: flag `--ocr-models`
of the engine, or the variable PAPERCHUTE_OCR_MODELS.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from paperchute.contract.built_in import MODELS, MODELS_VARIABLE, model_of, not_installed
from paperchute.engine.work import Refused
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


def added_languages() -> list[str]:
    """The languages that the models folder adds."""
    return [language for language in MODELS if added_model(language)]


def check_language(language: str) -> None:
    """Raises Refused 03000 for a language whose model is not installed, saying how to add it."""
    if why := not_installed(language, os.environ.get(MODELS_VARIABLE, "")):
        raise Refused("03000", why)
