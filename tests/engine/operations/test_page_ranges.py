"""Page lists that name more than the document has: in every operation that takes one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pytest
from PIL import Image

from paperchute.contract import contract
from paperchute.engine import report
from paperchute.engine.operations import implementation, implemented
from paperchute.engine.work import Refused
from tests.engine.operations.papers import paper, work
from tests.engine.reading.printing import printed

TABLE = "<table><tr><td>Pier</td><td>Days</td></tr><tr><td>Crane</td><td>7</td></tr></table>"
CSS = "table{border-collapse:collapse} td{border:1px solid #000;padding:3px}"

TAKING = [
    (operation, parameter.name)
    for operation in sorted(implemented())
    for parameter in contract().operations[operation].parameters
    if (parameter.format or "").startswith("page-list")
]


def ran(operation: str, name: str, pages: str, folder: Path) -> tuple[list[str], list[Path]]:
    """What was said, and the results."""
    first = printed(folder / "a.pdf", TABLE, CSS)
    files = [first]
    parameters: dict[str, Any] = {name: pages}
    if operation == "pdf-merge":
        files, parameters = [first, paper(folder / "b.pdf", "b")], {name: ["all", pages]}
    if operation == "pdf-insert":
        files, parameters = [paper(folder / "t.pdf", "t"), first], {name: pages, "actionType": "FROM_PDF", "index": 1}
    if operation == "pdf-add-watermark":
        parameters |= {"type": "text", "text": "Draft"}
    if operation == "pdf-del-watermark":
        with pikepdf.open(first, allow_overwriting_input=True) as pdf:
            pdf.pages[0].contents_add(b"/Artifact <</Subtype /Watermark>> BDC q 0 0 9 9 re f Q EMC")
            pdf.save(first)
        parameters["mode"] = "tagged"
    if operation == "document-extract":
        parameters["extractFields"] = "{}"
    with report.collected() as said:
        asked = work(operation, folder, *files, enableOcr=0, **parameters)
        return said, implementation(operation).run(asked)


def test_reading_changing_and_joining_take_page_lists() -> None:
    assert {"pdf-to-markdown", "document-extract", "pdf-to-editable", "pdf-merge", "pdf-insert", "magic-color"} <= {
        operation for operation, _name in TAKING
    }


@pytest.mark.parametrize(("operation", "name"), [one for one in TAKING if one[0] != "pdf-delete"])  # no page is left
def test_what_is_there_is_done_and_what_is_not_is_named(operation: str, name: str, tmp_path: Path) -> None:
    said, results = ran(operation, name, "1-2,9", tmp_path)
    source = "b.pdf" if operation == "pdf-merge" else "a.pdf"
    assert f"{source} ends with page 1. Asked for, but not there: pages 2, 9." in said
    assert all(result.stat().st_size for result in results)


@pytest.mark.parametrize(("operation", "name"), TAKING)
def test_a_list_that_names_no_page_of_the_document_is_refused(operation: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="page 2 is outside the document") as refused:
        ran(operation, name, "2-3", tmp_path)
    assert refused.value.code == "110001"


@pytest.mark.parametrize("operation", ["magic-color", "document-parsing"])
def test_so_it_is_with_the_pages_of_a_tiff(operation: str, tmp_path: Path) -> None:
    sheet: Any = Image.new("L", (200, 100), 255)
    sheet.save(tmp_path / "a.tif", save_all=True, append_images=[sheet])
    with report.collected() as said:
        asked = work(operation, tmp_path, tmp_path / "a.tif", enableOcr=0, pageRanges="2-5")
        assert implementation(operation).run(asked)
    assert "a.tif ends with page 2. Asked for, but not there: pages 3-5." in said
