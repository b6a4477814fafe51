"""Fields and tables: found by name and place, given in the contract's shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperchute.engine.work import Refused
from tests.engine.reading.printing import LOREM, printed
from tests.engine.writing.sample import outputs

_HEAD = "<thead><tr><th>Pos</th><th>Article</th><th>Quantity</th></tr></thead>"
_ROWS = "".join(f"<tr><td>{n}</td><td>brick {n}</td><td>{n * 3}</td></tr>" for n in range(1, 61))
_HTML = f"""
<h1>Invoice</h1>
<p>Invoice No: 2024-0042<br>Date: 5 May 2024<br>Your order: A-77 Customer no.: 4711</p>
<table><tr><td>Supplier</td><td>Brick &amp; Sons</td></tr><tr><td>VAT ID</td><td>DE123</td></tr></table>
<p>Due</p><p>30 June 2024</p><p>We open at 12:30, see https://example.org/x. {LOREM}</p>
<table style='margin-top:20pt'>{_HEAD}{_ROWS}</table>
<p>Total: EUR 130.00</p>
"""
_CSS = "table{border-collapse:collapse} td,th{border:1px solid #000;padding:3px}"
SCHEMA = {
    "name": "Invoice",
    "keys": {"InvoiceNo": {"prompt": None}, "When": {"prompt": "Date"}, "Due": {}, "Total": {}, "Ship": {}},
    "tableHeaders": {"Lines": {"Article": {}, "Qty": {"prompt": "Quantity"}}, "Fees": {"Fee": {}, "Rate": {}}},
}


@pytest.fixture(scope="module")
def invoice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return printed(tmp_path_factory.mktemp("invoice") / "invoice.pdf", _HTML, _CSS)


def extracted(source: Path, folder: Path, schema: Any = SCHEMA, **parameters: Any) -> dict[str, Any]:
    (path,) = outputs("document-extract", source, folder, extractFields=json.dumps(schema), **parameters)
    assert path.name == "invoice.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def _last_page(found: dict[str, Any]) -> str:
    return [name for name in found if name.startswith("Page-")][-1]


def test_without_a_schema_everything_that_shows_itself_is_taken(invoice: Path, tmp_path: Path) -> None:
    found = extracted(invoice, tmp_path / "out", {})
    first = found["Page-1"]
    assert {name: value for name, value in first.items() if isinstance(value, str)} == {
        "Invoice No": "2024-0042",
        "Date": "5 May 2024",
        "Your order": "A-77",
        "Customer no.": "4711",
        "Supplier": "Brick & Sons",
        "VAT ID": "DE123",
    }
    assert first["Table_1"][:2] == [["Pos", "Article", "Quantity"], ["1", "brick 1", "3"]]
    assert found[_last_page(found)]["Total"] == "EUR 130.00"


def test_a_schema_is_filled_page_by_page(invoice: Path, tmp_path: Path) -> None:
    found = extracted(invoice, tmp_path / "out")
    first, last = found["Page-1"], found[_last_page(found)]
    assert (first["InvoiceNo"], first["When"], first["Due"], first["Ship"]) == (
        "2024-0042", "5 May 2024", "30 June 2024", "",
    )  # fmt: skip
    assert (first["Total"], last["Total"]) == ("", "EUR 130.00")
    assert first["Lines"][:2] == [["Article", "Qty"], ["brick 1", "3"]]
    assert first["Fees"] == []


def test_layout_mode_gives_each_field_once_with_its_place(invoice: Path, tmp_path: Path) -> None:
    found = extracted(invoice, tmp_path / "out", mode="layout")
    named = [(page, name) for page, fields in found.items() for name in fields]
    assert len(named) == len({name for _, name in named}) == 7
    first = found["Page-1"]
    assert first["InvoiceNo"]["value"] == "2024-0042"
    assert first["InvoiceNo"]["page"] == 1
    assert len(first["InvoiceNo"]["bboxes"][0]) == 8
    assert len(first["Lines"]["value"]) == 61  # one table over two pages, its head once
    assert found[list(found)[-1]]["Total"]["value"] == "EUR 130.00"
    assert first["Ship"] == ""
    plain = extracted(invoice, tmp_path / "plain", mode="layout", enableGrounding=False)
    assert plain["Page-1"]["InvoiceNo"] == "2024-0042"


def test_one_file_a_page(invoice: Path, tmp_path: Path) -> None:
    paths = outputs("document-extract", invoice, tmp_path / "out", extractFields="{}", isOutputDocumentPerPage=1)
    assert [path.name for path in paths] == [f"invoice-{n}.json" for n in (1, 2, 3)]
    assert list(json.loads(paths[1].read_text("utf-8"))) == ["Page-2", "Document"]


def test_the_parser_settings_matter(invoice: Path, tmp_path: Path) -> None:
    merged = extracted(invoice, tmp_path / "a", optionsJson='{"mergeTables": true}')
    assert len(merged["Page-1"]["Lines"]) == 61
    flat = extracted(invoice, tmp_path / "b", {}, optionsJson='{"use_layout_detection": false}')
    assert "Table_1" not in flat["Page-1"]


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ("[]", "01006"),
        ('{"keys": 3}', "03000"),
        ('{"tableHeaders": ["a"]}', "03000"),
        (json.dumps({"keys": [str(n) for n in range(501)]}), "03000"),
    ],
)
def test_schemas_that_make_no_sense_are_refused(invoice: Path, tmp_path: Path, schema: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        outputs("document-extract", invoice, tmp_path / "out", extractFields=schema)
    assert refused.value.code == code
