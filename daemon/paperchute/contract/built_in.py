"""What the built-in engine does of the interface, so that it is said before the first file.

The engine has the last word; a test holds this against what it answers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from paperchute.contract import tesseract
from paperchute.contract.engine_libraries import is_left_out, why_left_out
from paperchute.contract.operations import Operation
from paperchute.contract.recognition import defaults, is_automatic
from paperchute.contract.values import Value
from paperchute.language import N_, _

PRINTING = frozenset(("csv-to-pdf", "docx-to-pdf", "pptx-to-pdf", "rtf-to-pdf", "txt-to-pdf", "xlsx-to-pdf"))
"""The operations that print office files and texts."""

OPERATIONS = frozenset(
    (
        *PRINTING,
        *("document-extract", "document-fingerprint", "document-layout", "document-parsing"),
        *("document-upload", "documents-to-table"),
        *("e-invoice-check", "e-invoice-to-pdf", "html-to-pdf", "magic-color"),
        *("img-to-csv", "img-to-docx", "img-to-html", "img-to-json", "img-to-pdf", "img-to-pptx"),
        *("img-to-rtf", "img-to-txt", "img-to-xlsx"),
        *(
            "pdf-add-watermark",
            "pdf-compare",
            "pdf-compress",
            "pdf-convert-type",
            "pdf-decrypt",
            "pdf-del-watermark",
            "pdf-delete",
            "pdf-encrypt",
            "pdf-extract",
            "pdf-generate",
            "pdf-insert",
        ),
        *(
            "pdf-impose",
            "pdf-merge",
            "pdf-metadata",
            "pdf-number",
            "pdf-redact",
            "pdf-reorder",
            "pdf-rotate",
            "pdf-split",
        ),
        *("pdf-to-csv", "pdf-to-docx", "pdf-to-editable", "pdf-to-html", "pdf-to-img", "pdf-to-json"),
        *("pdf-to-markdown", "pdf-to-pptx", "pdf-to-rtf", "pdf-to-txt", "pdf-to-xlsx", "scan"),
    )
)

LANGUAGES = frozenset({"AUTO", "CHINESE", "CHINESE_TRAD", "ENGLISH", "JAPANESE", "LATIN"})
"""That can be recognised without anything added."""

MODELS = {
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
"""The model's file by language, for the others; any file whose name begins like it up to `_PP-OCR` serves as well."""

MODELS_VARIABLE = "PAPERCHUTE_OCR_MODELS"

UNSUPPORTED_OPTIONS = {
    "use_doc_unwarping": N_("it cannot flatten curved photos"),
    "use_chart_recognition": N_("it cannot read charts"),
    "use_seal_recognition": N_("it cannot read stamps"),
    "use_ocr_for_image_block": N_("it does not read text inside pictures among printed text"),
}
"""Keys of the options of parsing and extraction that it cannot switch on, and why."""

_OPTIONS = ("parse_options", "optionsJson")


@dataclass(frozen=True)
class Impossible:
    """Values of one operation that end in the same refusal for every file. parameter: the one to change.

    absent: what the engine takes for parameters that are not given, where that differs from the contract's default.
    """

    operations: tuple[str, ...]
    parameter: str
    values: Mapping[str, Value]
    why: str
    absent: Mapping[str, Value] = field(default_factory=dict)


IMPOSSIBLE = (
    Impossible(
        ("pdf-to-editable",),
        "containPageBackgroundImage",
        {"enableOcr": 1, "containPageBackgroundImage": 0, "transparentText": 1},
        N_(
            "containPageBackgroundImage 0 removes the scan, and transparentText 1 makes the text invisible:"
            " the page would be empty. Send transparentText 0 with it"
        ),
        {"enableOcr": 1, "containPageBackgroundImage": 1, "transparentText": 1},
    ),
    Impossible(("img-to-csv",), "enableOcr", {"enableOcr": 0}, N_("enableOcr 0 reads no text from a picture; send 1")),
    Impossible(
        ("pdf-to-csv",),
        "enableAiLayout",
        {"enableAiLayout": 0},
        N_("enableAiLayout 0 turns off what finds tables; send 1"),
        {"enableAiLayout": 1},
    ),
)

ARCHIVES = ("PDFTypeA1b", "PDFTypeA2b", "PDFTypeA3b")
"""The standards that pdf-convert-type can check its results against; PDF is that of a document which claims none."""


def is_done(operation: str) -> bool:
    """Decide whether this engine, on this machine, does an operation of the contract."""
    return operation in OPERATIONS and not is_left_out(operation)


def not_done(operation: str) -> str:
    """The engine's refusal of an operation."""
    if operation in OPERATIONS:
        return _("this engine does not do {operation} here: {why}", operation=operation, why=why_left_out(operation))
    return _("this engine does not do {operation} yet", operation=operation)


def model_of(language: str, folder: str) -> Path | None:
    """The file of a language's model in a folder of models, None where there is none."""
    wanted = MODELS.get(language, "")
    if not folder or not wanted:
        return None
    exact = Path(folder) / wanted
    if exact.is_file():
        return exact
    start = wanted[: wanted.index("_PP-OCR") + 1]
    return next(iter(sorted(Path(folder).glob(f"{start}*rec*.onnx"))), None)


def unopened(operation: str) -> str:
    """The engine's refusal of a password for what is printed."""
    return _("{operation} opens no locked files here: save it without a password first", operation=operation)


def not_installed(language: str, folder: str) -> str:
    """The engine's refusal of a language; empty for one that it reads. folder: of added models, if any."""
    if language in LANGUAGES or model_of(language, folder) is not None:
        return ""
    if trouble := tesseract.unfit(language):
        return f"ocrRecognitionLang: {trouble}"
    if tesseract.trained(language):
        return ""
    have = [*sorted(LANGUAGES), *(added for added in MODELS if model_of(added, folder) or tesseract.trained(added))]
    command = tesseract.install_command(language) or _(
        "Tesseract with its data {name}", name=tesseract.package_name(language)
    )
    return _(
        "ocrRecognitionLang: nothing that reads {language} is installed. Install it ({command}), or put the "
        "file {file} (PP-OCR recognition in ONNX form, as published by RapidOCR) into the models folder, which the "
        "engine's option --ocr-models or {variable} names. Installed: {installed}.",
        language=language,
        command=command,
        file=MODELS.get(language, ""),
        variable=MODELS_VARIABLE,
        installed=", ".join(have),
    )


def refusals(operation: Operation, given: Mapping[str, Value], models: str) -> Iterator[tuple[str, str]]:
    """(parameter, or empty for the operation; why) for what the engine refuses of every file.

    given: canonical values. models: the folder of added models, if any.
    """
    if not is_done(operation.id):
        yield "", not_done(operation.id)
        return
    default = defaults(operation)
    for one in IMPOSSIBLE:
        values = {**default, **one.absent, **given}
        if operation.id in one.operations and all(_same(values.get(name), value) for name, value in one.values.items()):
            yield one.parameter, _(one.why)
    if operation.id == "pdf-convert-type" and given.get("standard") not in (*ARCHIVES, "PDF", None):
        why = _(
            "nothing here can check whether a file meets this standard, and none is claimed unchecked; send {names}",
            names=", ".join(ARCHIVES),
        )
        yield "standard", why
    if operation.id == "pdf-del-watermark" and given.get("mode") == "untagged":
        yield (
            "mode",
            _(
                "untagged would take marks for what they look like, and content with them; send tagged, which takes "
                "out those that the document says are watermarks"
            ),
        )
    if operation.id in PRINTING and given.get("password"):
        yield "password", unopened(operation.id)
    editable = operation.id == "pdf-to-editable"  # which recognises unless it is told not to
    recognises = bool(given.get("enableOcr", editable or default.get("enableOcr", 0)))
    if (recognises or is_automatic(operation, given)) and (
        why := not_installed(str(given.get("ocrRecognitionLang", "AUTO")), models)
    ):
        yield "ocrRecognitionLang", why
    for name in _OPTIONS:
        for key in _switched_on(str(given.get(name, ""))):
            if key in UNSUPPORTED_OPTIONS:
                yield (
                    name,
                    _(
                        "{name}: this engine does not do {key}: {why}; leave it out or send false",
                        name=name,
                        key=key,
                        why=_(UNSUPPORTED_OPTIONS[key]),
                    ),
                )


def in_snake_case(key: str) -> str:
    """`useDocUnwarping` as `use_doc_unwarping`: options may be spelled in both ways."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower()


def _switched_on(text: str) -> Iterator[str]:
    try:
        options = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return
    if isinstance(options, dict):
        yield from (in_snake_case(key) for key, value in options.items() if str(value).lower() in ("true", "1"))


def _same(value: object, wanted: Value) -> bool:
    return value is not None and int(str(value)) == wanted
