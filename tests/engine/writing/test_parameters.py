"""Every parameter of the operations that read documents has its effect: each is flipped, and something differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperchute.contract import contract
from tests.engine.writing.sample import PASSWORD, outcome, rich_pdf, scan_pdf

OPERATIONS = ("document-parsing", "document-extract", "pdf-to-html", "pdf-to-markdown", "pdf-to-xlsx")

# The other value of each parameter; with what else is set so that it can matter.
FLIPS: dict[str, tuple[Any, dict[str, Any]]] = {
    "password": ("wrong", {}),
    "pageRanges": ("2", {}),
    "isOutputDocumentPerPage": (1, {}),
    "image_type": ("base64", {}),
    "enableAiLayout": (0, {}),
    "isContainImg": (0, {}),
    "isContainAnnot": (0, {}),
    "formulaToImage": (1, {}),
    "pageLayoutMode": ("e_Box", {}),
    "isContainHeaderFooter": (1, {}),
    "excelAllContent": (0, {}),
    "mode": ("layout", {}),
    "extractFields": ('{"keys": ["Port"]}', {}),
    "find": ('{"port": {"label": "Port"}}', {}),
    "words": (1, {}),
    "enableGrounding": (False, {"mode": "layout"}),
    "optionsJson": ('{"mergeTables": true}', {}),
}
OCR = {"enableOcr": (0, 0), "ocrOption": ("INVALID_CHARACTER", 1), "ocrRecognitionLang": ("TAMIL", 1)}
"""What of recognition, against AUTO and ALL on a scan: not wanted, not for scans, in a language without a model."""
NEEDED = {"document-extract": {"extractFields": "{}"}}
SEVERAL = {
    "content_filter": ["all", "table", "heading", "toc", "image", "formula", "text"],
    "htmlOption": ["e_SinglePage", "e_SinglePageWithBookmark", "e_MultiPage", "e_MultiPageWithBookmark"],
    "excelWorksheetOption": ["e_ForTable", "e_ForPage", "e_ForDocument"],
}
PARSE_OPTIONS = {
    "applyDocumentTree": True,
    "mergeTables": True,
    "relevelTitles": True,
    "ignore_labels": [],
    "concatenate_pages": True,
    "use_layout_detection": False,
    "excel_base64": True,
}
REFUSED = ("use_doc_unwarping", "use_chart_recognition", "use_seal_recognition", "use_ocr_for_image_block")


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rich_pdf(tmp_path_factory.mktemp("rich"))


class Base:
    """The outcomes of operations with the contract's defaults, each made once."""

    def __init__(self, rich: Path, folder: Path) -> None:
        self.scan = scan_pdf(folder)
        self._rich = rich
        self._folder = folder
        self._known: dict[tuple[str, bool], dict[str, str]] = {}

    def __call__(self, operation: str, recognised: bool = False) -> dict[str, str]:
        """Of the rich document, or of the scan with recognition."""
        key = operation, recognised
        if key not in self._known:
            source = self.scan if recognised else self._rich
            more = {"enableOcr": 1} if recognised else {"password": PASSWORD}
            given = {**more, **NEEDED.get(operation, {})}
            self._known[key] = outcome(operation, source, self._folder / f"{len(self._known)}", **given)
        return self._known[key]


@pytest.fixture(scope="module")
def base(rich: Path, tmp_path_factory: pytest.TempPathFactory) -> Base:
    return Base(rich, tmp_path_factory.mktemp("base"))


def _parameters() -> list[tuple[str, str]]:
    return [
        (operation, parameter.name)
        for operation in OPERATIONS
        for parameter in contract().operations[operation].parameters
        if parameter.type != "file"
    ]


@pytest.mark.parametrize(("operation", "name"), _parameters())
def test_every_parameter_of_the_contract_makes_a_difference(
    rich: Path, base: Base, tmp_path: Path, operation: str, name: str
) -> None:
    before = base(operation)
    assert "refused" not in before
    always = {"password": PASSWORD, **NEEDED.get(operation, {})}
    if name in SEVERAL:
        values = SEVERAL[name]
        known = contract().operations[operation].parameter(name)
        assert known is not None
        assert set(values) == set(known.values)
        found = [outcome(operation, rich, tmp_path / value, **{**always, name: value}) for value in values]
        assert all(one != other for n, one in enumerate(found) for other in found[:n])
    elif name == "parse_options":
        assert _parsed(rich, tmp_path, applyDocumentTree=True) != before
    elif name == "language":
        return  # the words of messages: tests/engine/service/test_requests.py
    elif name in OCR:
        recognised = base(operation, True)
        assert "refused" not in recognised
        value, on = OCR[name]
        given = {**NEEDED.get(operation, {}), "enableOcr": on, name: value}
        assert outcome(operation, base.scan, tmp_path / "a", **given) != recognised
    elif name == "containPageBackgroundImage":
        found_without = outcome(operation, rich, tmp_path / "a", **{**always, name: 0})
        # The contract: in HTML only when OCR is on.
        assert (found_without == before) == (operation == "pdf-to-html")
    else:
        value, more = FLIPS[name]
        if more:
            before = outcome(operation, rich, tmp_path / "b", **{**always, **more})
        assert outcome(operation, rich, tmp_path / "a", **{**always, **more, name: value}) != before


def _parsed(rich: Path, folder: Path, **options: Any) -> dict[str, str]:
    texts = {"password": PASSWORD, "parse_options": json.dumps(options)}
    return outcome("document-parsing", rich, folder / "-".join(options or "x"), **texts)


@pytest.mark.parametrize("key", PARSE_OPTIONS)
def test_every_parse_option_makes_a_difference_in_either_spelling(
    rich: Path, base: Base, tmp_path: Path, key: str
) -> None:
    found = _parsed(rich, tmp_path / "a", **{key: PARSE_OPTIONS[key]})
    assert "refused" not in found
    assert found != base("document-parsing")
    other = _camel(key) if "_" in key else _snake(key)
    assert _parsed(rich, tmp_path / "b", **{other: PARSE_OPTIONS[key]}) == found


@pytest.mark.parametrize("key", REFUSED)
def test_what_the_engine_cannot_do_is_refused_when_it_is_switched_on(
    rich: Path, base: Base, tmp_path: Path, key: str
) -> None:
    found = _parsed(rich, tmp_path / "a", **{key: True})
    assert found["refused"] == "03000"
    assert key in found["reason"]
    assert _parsed(rich, tmp_path / "b", **{key: False}) == base("document-parsing")


def test_every_parse_option_of_the_contract_is_flipped_somewhere() -> None:
    known = {key["name"] for key in contract().raw["parse_option"]["keys"]}
    assert known == {*PARSE_OPTIONS, *REFUSED, "layout_shape_mode"} - {"excel_base64"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[1]", "01006"),
        ("{", "01006"),
        ('{"mergeTables": "perhaps"}', "03000"),
        ('{"ignore_labels": ["text"]}', "03000"),
        ('{"ignore_labels": "header"}', "03000"),
        ('{"layout_shape_mode": "poly"}', "03000"),
    ],
)
def test_parse_options_that_make_no_sense_are_refused(rich: Path, tmp_path: Path, text: str, code: str) -> None:
    found = outcome("document-parsing", rich, tmp_path / "a", password=PASSWORD, parse_options=text)
    assert found["refused"] == code


def test_unknown_parse_options_change_nothing(rich: Path, base: Base, tmp_path: Path) -> None:
    assert _parsed(rich, tmp_path, someDayMaybe=3) == base("document-parsing")


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _snake(key: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in key)
