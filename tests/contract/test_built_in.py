"""What is said of the built-in engine before the first file is what the engine then answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paperchute.contract import contract, engine_libraries
from paperchute.contract.built_in import (
    ARCHIVES,
    IMPOSSIBLE,
    LANGUAGES,
    MODELS,
    MODELS_VARIABLE,
    OPERATIONS,
    UNSUPPORTED_OPTIONS,
    Impossible,
    refusals,
)
from paperchute.engine.http.submission import check_implemented
from paperchute.engine.operations import implementation, implemented
from paperchute.engine.work import Refused, Source, Work
from paperchute.rules.steps import usual


def answer(operation: str, values: dict[str, Any], folder: Path, *, runs: bool = False) -> str:
    """What the engine says to a call; empty when it does it. runs: not only what it sees before the work begins."""
    known = contract().operations[operation]
    kind = "png" if operation.startswith("img") else "pdf"
    path = folder / f"a.{kind}"
    if runs:
        make(path)
    default = {p.name: p.default for p in known.parameters if p.default is not None}
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    work = Work(operation, (Source("file", path, path.name, kind),), {**default, **values}, scratch)
    try:
        implementation(operation).check(work)
        if runs:
            implementation(operation).run(work)
    except Refused as error:
        return error.reason
    return ""


def make(path: Path) -> None:
    """A page, or a picture of one, with a word."""
    from PIL import Image, ImageDraw

    from tests.journeys.documents import write_pdf

    if path.suffix == ".pdf":
        write_pdf(path, "word")
        return
    picture = Image.new("RGB", (400, 200), "white")
    ImageDraw.Draw(picture).text((20, 20), "word", "black")
    picture.save(path)


def said(operation: str, values: dict[str, Any], models: str = "") -> list[tuple[str, str]]:
    return list(refusals(contract().known(operation), values, models))


def test_the_operations_are_those_that_it_does() -> None:
    assert set(implemented()) | {contract().upload.id} == OPERATIONS
    for operation in contract().operations.values():
        refused = ""
        try:
            check_implemented(operation)
        except Refused as error:
            refused = error.reason
        assert [why for _, why in said(operation.id, dict(usual(operation)))] == ([refused] if refused else [])


@pytest.mark.parametrize("one", IMPOSSIBLE, ids=lambda one: f"{one.operations[0]} {one.parameter}")
def test_what_is_impossible_is_refused_and_each_cure_is_one(one: Impossible, tmp_path: Path) -> None:
    for operation in one.operations:
        values = dict(one.values)
        assert [name for name, _ in said(operation, values)] == [one.parameter]
        assert one.why in answer(operation, values, tmp_path, runs=True)
        for name in values:
            other = {**values, name: 1 - int(str(values[name]))}
            assert said(operation, other) == []
            assert one.why not in answer(operation, other, tmp_path, runs=True)


@pytest.mark.parametrize("operation", sorted(OPERATIONS - {"document-upload", "pdf-generate", "pdf-insert"}))
def test_no_rule_is_blamed_that_says_nothing(operation: str) -> None:
    assert said(operation, dict(usual(contract().known(operation)))) == []


def test_a_language_is_missing_exactly_where_its_model_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [language["code"] for language in contract().raw["ocr_language"]]
    assert set(codes) == LANGUAGES | set(MODELS)
    (tmp_path / MODELS["GREEK"]).touch()
    for folder in ("", str(tmp_path)):
        monkeypatch.setenv(MODELS_VARIABLE, folder)
        for code in codes:
            for operation, on in (
                ("pdf-to-markdown", {"enableOcr": 1}),
                ("pdf-to-editable", {}),
                ("img-to-docx", {"enableOcr": 1}),
            ):
                values = {**on, "ocrRecognitionLang": code}
                refused = answer(operation, values, tmp_path)
                assert said(operation, values, folder) == ([("ocrRecognitionLang", refused)] if refused else [])
    assert said("pdf-to-markdown", {"enableOcr": 0, "ocrRecognitionLang": "THAI"}) == []


@pytest.mark.parametrize("key", [*UNSUPPORTED_OPTIONS, "useDocUnwarping", "merge_tables", "unknown"])
def test_an_option_that_it_cannot_switch_on_is_told(key: str, tmp_path: Path) -> None:
    for name, operation in (("parse_options", "document-parsing"), ("optionsJson", "document-extract")):
        for value in ("true", "false"):
            values = {name: f'{{"{key}": {value}}}', "extractFields": '{"keys": ["total"]}', "mode": "layout"}
            given = {k: v for k, v in values.items() if contract().known(operation).parameter(k)}
            refused = answer(operation, given, tmp_path).removesuffix(".")
            assert [why for _, why in said(operation, given)] == ([refused] if refused else [])


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("pdf-to-word", "pdf-to-docx"),
        ("pdf-to-excel", "pdf-to-xlsx"),
        ("PDF to Word", "pdf-to-docx"),
        ("word-to-pdf", "docx-to-pdf"),
        ("jpg_to_pdf", "img-to-pdf"),
        ("pdf2docx", "pdf-to-docx"),
        ("pdf-to-text", "pdf-to-txt"),
        ("ocr", "pdf-to-editable"),
        ("searchable", "pdf-to-editable"),
        ("merge", "pdf-merge"),
        ("lock", "pdf-encrypt"),
        ("pdf-to-markdwon", "pdf-to-markdown"),
        ("zzz", None),
    ],
)
def test_everyday_words_are_understood(word: str, meant: str | None) -> None:
    assert contract().nearest_operation(word) == meant


@pytest.mark.parametrize("standard", ["PDFTypeA1a", "PDFTypeX4", "PDFTypeUA1", "PDFTypeA2b", "PDFTypeA3b", "PDF"])
def test_a_standard_that_nothing_can_check_is_refused_and_no_other(standard: str, tmp_path: Path) -> None:
    refused = answer("pdf-convert-type", {"standard": standard}, tmp_path)
    is_checked = standard in (*ARCHIVES, "PDF")
    assert bool(refused) is not is_checked
    assert [f"{name}: {why}" for name, why in said("pdf-convert-type", {"standard": standard})] == (
        [] if is_checked else [refused]
    )


def test_an_intel_mac_is_told_what_pikepdf_lacks_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_libraries, "has_validator", lambda: False)
    ((parameter, why),) = said("pdf-convert-type", {"standard": "PDFTypeA2b"})
    assert (parameter, "Intel" in why) == ("", True)
    assert said("pdf-compress", {}) == []
