"""The result of document parsing: its shape (docs/contract.md#document-parsing) and its parts."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from paperchute.contract import contract
from paperchute.engine.checks.reading import check_parsing
from paperchute.engine.document.geometry import Quad
from paperchute.engine.document.headings import is_contents
from paperchute.engine.document.model import Block, Line, Page, Span
from paperchute.engine.parse_options import LABELS
from paperchute.engine.reading.layout.marks import Font, PageMarks, Word
from paperchute.engine.reading.layout.page import PageLayout
from paperchute.engine.reading.layout.survey import Survey
from paperchute.engine.work import Refused, Source, Work
from paperchute.engine.writing.parsed import ParseWriter
from tests.engine.writing.blocks import page, table, text
from tests.engine.writing.sample import PASSWORD, outputs, rich_pdf

_TYPES: dict[str, type | tuple[type, ...]] = {
    "integer": int, "number": (int, float), "string": str, "array": list, "object": dict,
    "array of string": list, "array of integer": list,
}  # fmt: skip
_FIELDS = contract().raw["parse_result"]


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rich_pdf(tmp_path_factory.mktemp("rich"))


def parsed(rich: Path, folder: Path, options: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    if options is not None:
        parameters["parse_options"] = json.dumps(options)
    paths = outputs("document-parsing", rich, folder, password=PASSWORD, **parameters)
    assert paths[0].name == "result.json"
    found: dict[str, Any] = json.loads(paths[0].read_text("utf-8"))
    assert found["result"]["markdown"] == paths[1].read_text("utf-8")
    return found


def _check(fields: list[dict[str, str]], record: dict[str, Any], *absent: str) -> None:
    for field in fields:
        if field["name"] in absent:
            assert field["name"] not in record
            continue
        assert isinstance(record[field["name"]], _TYPES[field["type"]]), field["name"]


def test_every_field_of_the_contract_is_there(rich: Path, tmp_path: Path) -> None:
    found = parsed(rich, tmp_path / "out")
    _check(_FIELDS["top"], found)
    result = found["result"]
    _check(_FIELDS["result"], result)
    assert (result["total_page_number"], result["valid_page_number"], len(result["pages"])) == (5, 5, 5)
    for number, record in enumerate(result["pages"], 1):
        _check(_FIELDS["page"], record)
        assert (record["page_id"], record["width"], record["height"]) == (number, 1191, 1684)
        for n, (block, content) in enumerate(zip(record["structured"], record["content"], strict=True)):
            is_table = block["type"] == "table"
            _check(_FIELDS["structured"], block, *(() if is_table else ("rows", "cols", "sub_type")))
            _check(_FIELDS["content"], content, *(("score", "angle") if is_table else ()))
            assert block["type"] in _FIELDS["block_types"]
            assert (block["id"], block["content"], content["id"]) == (n, [n], n)
            _check_place(block["pos"], record)
    for n, paragraph in enumerate(result["detail"], 1):
        _check(_FIELDS["detail"], paragraph)
        assert paragraph["paragraph_id"] == n
    assert len(found["metrics"]) == 5
    for metric in found["metrics"]:
        _check(_FIELDS["metrics"], metric)
        assert metric["dpi"] == 144


def _check_place(pos: list[int], record: dict[str, Any]) -> None:
    left, top, right, top2, right2, bottom, left2, bottom2 = pos
    assert (left, right, top, bottom) == (left2, right2, top2, bottom2)
    assert 0 <= left < right <= record["width"]
    assert 0 <= top < bottom <= record["height"]


def test_ignored_kinds_stay_in_the_records_but_not_in_the_markdown(rich: Path, tmp_path: Path) -> None:
    result = parsed(rich, tmp_path / "out")["result"]
    feet = [p for p in result["detail"] if p["sub_type"] == "number"]
    assert [foot["status"] for foot in feet] == [0] * 4
    assert "Page 1" not in result["markdown"]
    assert "Check this" not in result["markdown"]
    kept = parsed(rich, tmp_path / "kept", {"ignore_labels": ["header"]})["result"]
    assert "Page 1" in kept["markdown"]
    assert "Check this" in kept["markdown"]
    assert all(p["status"] == 1 for p in kept["detail"])


def test_pictures_lie_in_files_or_in_the_text(rich: Path, tmp_path: Path) -> None:
    linked = outputs("document-parsing", rich, tmp_path / "url", password=PASSWORD)
    assert [p.parent.name for p in linked[2:]] == ["images", "images"]
    markdown = linked[1].read_text("utf-8")
    assert all(f"![](images/{p.name})" in markdown for p in linked[2:])
    inline = outputs("document-parsing", rich, tmp_path / "b64", password=PASSWORD, image_type="base64")
    assert len(inline) == 2
    assert inline[1].read_text("utf-8").count("](data:image/png;base64,") == 2


def test_merged_tables_are_one_in_page_and_markdown(rich: Path, tmp_path: Path) -> None:
    apart = parsed(rich, tmp_path / "apart")["result"]
    whole = parsed(rich, tmp_path / "whole", {"merge_tables": True})["result"]
    assert [t["rows"] for t in _structured(apart, "table")] != [71]
    (only,) = _structured(whole, "table")
    assert (only["rows"], only["cols"], only["sub_type"]) == (71, 3, "bordered")
    assert apart["markdown"].count("<table>") > whole["markdown"].count("<table>") == 1
    assert whole["markdown"].count("<td>port") == 70


def _structured(result: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [block for page_ in result["pages"] for block in page_["structured"] if block["type"] == kind]


@pytest.mark.parametrize(
    ("wanted", "kinds"),
    [
        ("table", {"table"}),
        ("heading", {"doc_title", "paragraph_title"}),
        ("image", {"image"}),
        ("formula", {"formula"}),
        ("toc", set()),
    ],
)
def test_filters_keep_one_kind(rich: Path, tmp_path: Path, wanted: str, kinds: set[str]) -> None:
    result = parsed(rich, tmp_path / "out", content_filter=wanted)["result"]
    assert {block["type"] for page_ in result["pages"] for block in page_["structured"]} == kinds
    assert {paragraph["sub_type"] for paragraph in result["detail"]} == kinds


def test_the_catalog_is_a_tree_and_the_markdown_of_a_toc(rich: Path, tmp_path: Path) -> None:
    assert parsed(rich, tmp_path / "without")["result"]["catalog"] == {}
    catalog = parsed(rich, tmp_path / "with", {"apply_document_tree": True})["result"]["catalog"]
    (title,) = catalog["children"]
    assert (title["title"], title["page_id"]) == ("Harbours of the north", 1)
    assert [child["title"] for child in title["children"]] == ["Quays", "Ships", "Deep water"]
    toc = parsed(rich, tmp_path / "toc", content_filter="toc")["result"]
    assert toc["catalog"] == catalog
    assert [line.strip() for line in toc["markdown"].splitlines()][:2] == ["- Harbours of the north", "- Quays"]


def test_printed_contents_are_told_from_other_text() -> None:
    entries = [f"{n} Chapter {n} . . . . . . . {n * 7}" for n in range(1, 6)]
    assert is_contents(text(*entries))
    assert is_contents(table(*[(f"Chapter {n} ......", str(n)) for n in range(1, 6)]))
    assert not is_contents(text("In 1998 there were 12", "ships, in 2001", "there were 14", "and then 9"))
    assert not is_contents(table(("Port", "Ships"), ("x", "3"), ("y", "9"), ("z", "12")))


def test_the_workbook_comes_only_when_asked_for(rich: Path, tmp_path: Path) -> None:
    assert parsed(rich, tmp_path / "without")["result"]["excel_base64"] == ""
    found = parsed(rich, tmp_path / "with", {"excel_base64": True})["result"]["excel_base64"]
    workbook = openpyxl.load_workbook(io.BytesIO(base64.b64decode(found)))
    assert workbook.worksheets[0]["A2"].value == "port 1"


def test_a_folder_a_page(rich: Path, tmp_path: Path) -> None:
    paths = outputs(
        "document-parsing", rich, tmp_path / "out", password=PASSWORD, isOutputDocumentPerPage=1, pageRanges="2,5"
    )
    names = [path.relative_to(tmp_path / "out").as_posix() for path in paths]
    assert names == [
        *("page-2/result.json", "page-2/result.md", "page-5/result.json", "page-5/result.md"),
        "page-5/images/page-5-1.png",
    ]
    found = json.loads(paths[2].read_text("utf-8"))["result"]
    assert [p["page_id"] for p in found["pages"]] == [5]
    assert found["detail"][0]["paragraph_id"] == 1


def test_the_corners_of_slanted_regions_are_kept_or_made_upright(tmp_path: Path) -> None:
    slanted = Quad(10, 20, 110, 0, 115, 20, 15, 40)
    block = Block("text", slanted, (Line(slanted, (Span("up"),)),))
    for shape, pos in (("quad", [20, 40, 220, 0, 230, 40, 30, 80]), ("rect", [20, 0, 230, 0, 230, 80, 20, 80])):
        folder = tmp_path / shape
        folder.mkdir()
        path, _ = ParseWriter(folder, "PDF", 1, LABELS, shape=shape).write([page(1, block)], None)  # type: ignore[arg-type]
        assert json.loads(path.read_text("utf-8"))["result"]["pages"][0]["structured"][0]["pos"] == pos


def test_pages_are_written_as_they_come_and_nothing_is_left_behind(tmp_path: Path) -> None:
    """The first page's record is on its way to the disk while the last one is still to come."""
    out = tmp_path / "result.json"

    def pages() -> Iterator[Page]:
        for number in range(1, 400):
            yield page(number, text("word " * 200))
        assert out.stat().st_size > 300_000

    paths = ParseWriter(tmp_path, "PDF", 399, LABELS).write(pages(), None)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in paths)
    assert len(json.loads(out.read_text("utf-8"))["result"]["pages"]) == 399


def test_text_that_json_must_escape(tmp_path: Path) -> None:
    nasty = 'quote " back \\ tab \t null \x00 lone \u2028 é 漢 😀'
    path, _ = ParseWriter(tmp_path, "PDF", 1, LABELS).write([page(1, text(nasty, kind="code"))], None)
    result = json.loads(path.read_text("utf-8"))["result"]
    assert result["pages"][0]["content"][0]["text"] == nasty
    assert nasty in result["markdown"]


def test_other_kinds_of_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    work = Work("document-parsing", (Source("file", tmp_path / "a", "a.doc", "doc"),), {}, tmp_path)
    with pytest.raises(Refused) as refused:
        check_parsing(work)
    assert refused.value.code == "02002"
    assert "a.doc" in refused.value.reason


def test_how_sure_a_block_was_read_is_said(tmp_path: Path) -> None:
    """What is born digital is certain, and a recognised block is as sure as its letters are together."""
    font = Font()
    words = [
        Word(text, left, 10.0, left + 40.0, 20.0, 18.0, 10.0, font, confidence=sure)
        for left, text, sure in ((10.0, "ab", 0.9), (60.0, "abcdef", 0.7))
    ]
    marks = PageMarks(1, 200.0, 100.0, words=words)
    (placed,) = PageLayout(Survey().norms()).blocks(marks)
    seen = Page(1, 200.0, 100.0, blocks=(placed.block, text("printed")))
    ParseWriter(tmp_path, "PDF", 1, frozenset()).write([seen], None)
    found = json.loads((tmp_path / "result.json").read_text("utf-8"))["result"]["pages"][0]
    assert [block["confidence"] for block in found["structured"]] == [0.75, 1.0]
    assert [block["score"] for block in found["content"]] == [0.75, 1.0]


@pytest.mark.parametrize(
    ("language", "direction"), [("", ""), ("de", "ltr"), ("pt-BR", "ltr"), ("ar", "rtl"), ("he-IL", "rtl")]
)
def test_language_and_direction_of_the_text_are_told(language: str, direction: str, tmp_path: Path) -> None:
    path, *_ = ParseWriter(tmp_path, "PDF", 1, frozenset(), language=language).write([page(1, text("a"))], None)
    result = json.loads(path.read_text("utf-8"))["result"]
    assert (result["language"], result["direction"]) == (language, direction)
