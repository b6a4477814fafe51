"""Which languages can be recognised, by the contract's codes ([[ocr_language]]), and where their models lie.

The small PP-OCRv6 model inside the rapidocr package reads Chinese, Japanese, English and the languages in Latin script.
The others are read by models of the PP-OCR family that whoever runs the engine puts into a folder: flag `--ocr-models`
of the engine, or the variable PAPERCHUTE_OCR_MODELS.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path

from paperchute.engine.work import Refused

MODELS_VARIABLE = "PAPERCHUTE_OCR_MODELS"

AUTO = "AUTO"
LATIN_ONLY = frozenset({"ENGLISH", "LATIN"})
"""Languages without Han, kana or other wide characters: the model that knows them too is kept from giving any."""

_BUILT_IN = frozenset({AUTO, "CHINESE", "CHINESE_TRAD", "ENGLISH", "JAPANESE", "LATIN"})
_ADDED = {
    "KOREAN": "korean_PP-OCRv5_rec_mobile.onnx",
    "DEVANAGARI": "devanagari_PP-OCRv5_rec_mobile.onnx",
    "CYRILLIC": "cyrillic_PP-OCRv5_rec_mobile.onnx",
    "ARABIC": "arabic_PP-OCRv5_rec_mobile.onnx",
    "TAMIL": "ta_PP-OCRv5_rec_mobile.onnx",
    "TELUGU": "te_PP-OCRv5_rec_mobile.onnx",
    "KANNADA": "ka_PP-OCRv4_rec_mobile.onnx",
    "THAI": "th_PP-OCRv5_rec_mobile.onnx",
    "GREEK": "el_PP-OCRv5_rec_mobile.onnx",
    "ESLAV": "eslav_PP-OCRv5_rec_mobile.onnx",
}
"""The model's file by language; any file whose name begins like it up to `_PP-OCR` serves as well."""


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
        f"Text recognition is not installed whole: {name} of the package rapidocr is missing. Install it again.",
        "文字识别组件不完整，请重新安装 rapidocr。",
    )


def added_model(language: str) -> Path | None:
    """The file of a language's model in the models folder, None where there is none."""
    folder = os.environ.get(MODELS_VARIABLE, "")
    wanted = _ADDED.get(language, "")
    if not folder or not wanted:
        return None
    start = wanted[: wanted.index("_PP-OCR") + 1]
    found = sorted(Path(folder).glob(f"{start}*rec*.onnx"))
    exact = Path(folder) / wanted
    return exact if exact.is_file() else next(iter(found), None)


def added_languages() -> list[str]:
    """The languages that the models folder adds."""
    return [language for language in _ADDED if added_model(language)]


def check_language(language: str) -> None:
    """Raises Refused 03000 for a language whose model is not installed, saying how to add it."""
    if language in _BUILT_IN or added_model(language):
        return
    file = _ADDED[language]
    have = ", ".join(sorted(_BUILT_IN) + added_languages())
    raise Refused(
        "03000",
        f"ocrRecognitionLang: the model for {language} is not installed. Put the file {file} (PP-OCR recognition in "
        f"ONNX form, as RapidOCR publishes it) into the models folder, which --ocr-models of the engine or "
        f"{MODELS_VARIABLE} names. Installed: {have}.",
        f"ocrRecognitionLang：未安装 {language} 的识别模型。请将 {file} 放入 {MODELS_VARIABLE} 所指的模型文件夹。",
    )


@cache
def known_languages() -> frozenset[str]:
    """All codes of the contract that there is a model for, installed or not."""
    return _BUILT_IN | frozenset(_ADDED)
