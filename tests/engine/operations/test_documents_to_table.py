"""documents-to-table: what its workbook has of each document, what it adds up, and what it leaves to a person."""

from __future__ import annotations

import datetime
import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.contract import kind_of
from paperchute.engine import report
from paperchute.engine.extraction import stated
from paperchute.engine.extraction.rows import HEADS, Cell, Row
from paperchute.engine.operations import documents_to_table
from paperchute.engine.work import Refused, Source, Work
from paperchute.engine.writing.xlsx.documents import write_documents
from tests.engine.extraction.invoice_files import PAGE, data, invoice
from tests.engine.reading.sheets import Said, written

_AMOUNTS = ("Net", "Tax", "Total")


class Made:
    """The workbook of some documents, and what the task was told."""

    def __init__(self, folder: Path, files: Sequence[Path], **parameters: Any) -> None:
        sources = tuple(Source("file", path, path.name, kind_of(path)) for path in files)
        out = folder / "out"
        out.mkdir()
        with report.collected() as warnings:
            (path,) = documents_to_table.run(Work("documents-to-table", sources, parameters, out))
        self.path, self.warnings = path, warnings
        self.sheet: Any = openpyxl.load_workbook(path).worksheets[0]
        self._shown: Any = openpyxl.load_workbook(path, data_only=True).worksheets[0]
        self.heads = [str(cell.value) for cell in self.sheet[1]]

    def cell(self, row: int, head: str) -> Any:
        """A cell, by the number of its row, from 1 for the first document."""
        return self.sheet.cell(row + 1, self.heads.index(head) + 1)

    def values(self, row: int) -> dict[str, Any]:
        return {head: self.cell(row, head).value for head in self.heads}

    def sums(self) -> dict[str, list[float]]:
        """What is shown as the sums of net, tax and total, by currency."""
        places = [self.heads.index(name) for name in ("Currency", *_AMOUNTS)]
        rows = [[row[place].value for place in places] for row in self._shown.iter_rows() if _is_sum(row[1].value)]
        return {code: amounts for code, *amounts in rows}


def _is_sum(value: object) -> bool:
    return isinstance(value, str) and value.startswith("Sum ")


def xmls(folder: Path, *said: Mapping[str, str]) -> list[Path]:
    """E-invoices as files of data alone, each with a number of its own where none is said."""
    paths = []
    for number, one in enumerate(said):
        paths.append(folder / f"{number:02}.xml")
        paths[-1].write_bytes(data(**{"number": f"N-{number}", **one}))
    return paths


def test_a_row_has_typed_cells_and_the_sum_is_a_formula(tmp_path: Path) -> None:
    made = Made(tmp_path, xmls(tmp_path, {}, {"net": "0.10", "tax": "0.02", "total": "0.12"}))
    assert made.values(1) | {"To check": None} == {
        "Date": datetime.datetime(2026, 3, 12), "Sender": "Acme Tools Ltd", "Number": "N-0", "Kind": "invoice",
        "Net": 100, "Tax": 19, "Total": 119, "Currency": "EUR", "File": "00.xml", "To check": None,
    }  # fmt: skip
    assert made.cell(1, "Total").number_format.startswith("#,##0.00")
    assert made.cell(4, "Total").value == "=SUMIFS(G$2:G$4,$H$2:$H$4,$H5)"
    assert made.sums() == {"EUR": [100.10, 19.02, 119.12]}
    assert made.warnings == []


def test_currencies_are_never_added_to_each_other(tmp_path: Path) -> None:
    said = [{"currency": code} for code in ("EUR", "USD", "EUR", "CHF")]
    assert {code: one[2] for code, one in Made(tmp_path, xmls(tmp_path, *said)).sums().items()} == {
        "EUR": 238, "USD": 119, "CHF": 119
    }  # fmt: skip


def test_a_credit_note_is_taken_off_whether_it_prints_a_minus_or_not(tmp_path: Path) -> None:
    minus = {"type": "381", "net": "-100.00", "tax": "-19.00", "total": "-119.00"}
    made = Made(tmp_path, xmls(tmp_path, {}, {"type": "381"}, minus))
    assert [made.cell(row, "Total").value for row in (1, 2, 3)] == [119, -119, -119]
    assert made.cell(2, "Kind").value == "credit note"
    assert made.sums() == {"EUR": [-100, -19, -119]}


def test_what_page_and_data_dispute_is_text_marked_and_in_no_sum(tmp_path: Path) -> None:
    disputed = invoice(tmp_path / "disputed.pdf", data(number="4711", tax="91.00", total="191.00"))
    made = Made(tmp_path, [*xmls(tmp_path, {}), disputed])
    total = made.cell(2, "Total")
    assert total.value == "119.00 / 191.00 ?"
    assert total.comment is not None
    assert total.fill.fgColor.rgb != made.cell(1, "Total").fill.fgColor.rgb
    assert made.sums() == {"EUR": [100, 19, 119]}
    assert made.warnings == ["disputed.pdf: not sure: Net, Tax, Total."]


def test_a_broken_document_costs_its_own_row(tmp_path: Path) -> None:
    broken = [tmp_path / name for name in ("x.pdf", "y.xml", "z.pdf", "empty.pdf")]
    for path, content in zip(broken, (b"\x00\x01", b"<a>", b"PK\x03\x04", b""), strict=True):
        path.write_bytes(content)
    made = Made(tmp_path, [*broken, *xmls(tmp_path, {})])
    assert [made.cell(row, "File").value for row in range(1, 6)] == [*(path.name for path in broken), "00.xml"]
    assert all(made.values(row)["To check"].startswith("not read: ") for row in range(1, 5))
    assert made.sums() == {"EUR": [100, 19, 119]}
    assert [warning.split(":")[0] for warning in made.warnings] == [path.name for path in broken]


def test_a_fault_of_a_library_costs_its_own_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(content: bytes, name: str) -> object:
        if name == "00.xml":
            raise RecursionError
        return real(content, name)

    real = stated.read_data
    monkeypatch.setattr("paperchute.engine.operations.documents_to_table.read_data", read)
    made = Made(tmp_path, xmls(tmp_path, {}, {}))
    assert made.cell(1, "To check").value == "not read: the document could not be processed"
    assert made.cell(2, "Total").value == 119


def test_nothing_that_can_be_read_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(b"\x00\x01")
    with pytest.raises(Refused, match="02207"):
        Made(tmp_path, [tmp_path / "x.pdf"])


def test_an_invoice_that_is_there_twice_is_added_once(tmp_path: Path) -> None:
    paper = invoice(tmp_path / "paper.pdf", data())
    made = Made(tmp_path, [paper, *xmls(tmp_path, {"number": "4711"}, {"number": "4712"})])
    assert made.cell(2, "Total").value == "119.00 ?"
    assert made.warnings == ["00.xml: not added: it has the number of paper.pdf."]
    assert made.sums() == {"EUR": [200, 38, 238]}


def test_of_two_copies_the_one_that_is_sure_is_added(tmp_path: Path) -> None:
    unsure = invoice(tmp_path / "unsure.pdf", data(tax="91.00", total="191.00"))
    made = Made(tmp_path, [unsure, *xmls(tmp_path, {"number": "4711"})])
    assert made.sums() == {"EUR": [100, 19, 119]}


def test_a_credit_note_may_have_the_number_of_its_invoice(tmp_path: Path) -> None:
    made = Made(tmp_path, xmls(tmp_path, {"number": "7"}, {"number": "7", "type": "381"}))
    assert made.sums() == {"EUR": [0, 0, 0]}
    assert made.warnings == []


def test_data_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    made = Made(tmp_path, [invoice(tmp_path / "a.pdf", b"<a>")])
    assert made.cell(1, "Total").value == 119
    assert made.warnings == ["a.pdf: The invoice's data in factur-x.xml could not be read."]


def test_two_senders_may_have_one_number(tmp_path: Path) -> None:
    other = {"number": "7", "sender": "Bramley & Stone", "net": "1.00", "tax": "0.19", "total": "1.19"}
    made = Made(tmp_path, xmls(tmp_path, {"number": "7"}, {**other, "sender": "Bramley Ltd"}))
    assert made.sums() == {"EUR": [101, 19.19, 120.19]}


def test_a_reminder_is_told_and_not_added(tmp_path: Path) -> None:
    lines = [Said("Payment reminder", 60, 130, 18, "B") if said.text == "Invoice" else said for said in PAGE]
    made = Made(tmp_path, [written(tmp_path / "reminder.pdf", [lines]), *xmls(tmp_path, {})])
    assert made.cell(1, "Kind").value == "reminder"
    assert made.warnings == ["reminder.pdf: not added: reminder, no invoice; not found: Date."]
    assert made.sums() == {"EUR": [100, 19, 119]}


def test_what_does_not_say_its_kind_is_not_added(tmp_path: Path) -> None:
    negative = {"net": "-100.00", "tax": "-19.00", "total": "-119.00"}  # an invoice by its code, which gives money back
    made = Made(tmp_path, xmls(tmp_path, {}, negative))
    assert made.cell(2, "Total").value == "-119.00 ?"
    assert made.sums() == {"EUR": [100, 19, 119]}
    assert made.warnings == ["01.xml: not added: nothing says what it is; not found: Kind."]


def test_the_net_of_a_receipt_is_the_total_less_the_tax(tmp_path: Path) -> None:
    made = Made(tmp_path, xmls(tmp_path, {"net": ""}))
    assert made.cell(1, "Net").value == "=G2-F2"
    assert made.sums() == {"EUR": [100, 19, 119]}


def test_amounts_are_the_datas_to_the_last_digit(tmp_path: Path) -> None:
    long = {"net": "123456789012345.67", "tax": "0.00", "total": "123456789012345.67"}
    made = Made(tmp_path, xmls(tmp_path, {"net": "1.005", "tax": "0.000", "total": "1.005", "currency": "KWD"}, long))
    assert made.cell(1, "Total").value == 1.005
    assert made.cell(1, "Total").number_format.startswith("#,##0.000")
    assert made.cell(2, "Total").value == "123456789012345.67 ?"
    assert made.sums() == {"KWD": [1.005, 0, 1.005], "EUR": [0, 0, 0]}


def test_the_first_twenty_documents_are_told_by_name_and_the_rest_counted(tmp_path: Path) -> None:
    paths = xmls(tmp_path, *({} for _number in range(24)))
    for path in paths[1:]:
        path.write_bytes(b"<a/>")
    made = Made(tmp_path, paths)
    assert len(made.warnings) == 20
    assert made.warnings[-1] == "4 more documents need a look: the table says why."


def test_no_text_of_a_document_becomes_a_formula(tmp_path: Path) -> None:
    names = ["=HYPERLINK(&quot;http://x&quot;)", "+1", "-2+3", "@SUM(A1)", "{=1}"]
    made = Made(tmp_path, xmls(tmp_path, *({"sender": name, "number": name} for name in names)))
    for row in range(1, len(names) + 1):
        for head in ("Sender", "Number"):
            cell = made.cell(row, head)
            assert cell.data_type == "s"
            assert bool(cell.quotePrefix) == str(cell.value).startswith(("=", "+", "-", "@"))


_TEXTS = st.text(st.characters(exclude_categories=[]), max_size=40)  # halves of surrogate pairs, too
_MONEY = st.decimals(-10_000_000, 10_000_000, places=2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(_TEXTS, _MONEY, st.sampled_from(["EUR", "USD", "JPY"]), _TEXTS), min_size=1, max_size=8))
def test_any_text_stays_text_and_every_sum_is_right(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, Decimal, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("any") / "table.xlsx"
    rows = [
        Row(name, {"sender": Cell(sender), "total": Cell(total), "currency": Cell(code)}, (name,) if name else ())
        for sender, total, code, name in said
    ]
    write_documents(path, rows, ["x.pdf"] * len(rows))
    sheet: Any = openpyxl.load_workbook(path, data_only=True).worksheets[0]
    total, code = (list(HEADS).index(name) for name in ("total", "currency"))
    found = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
    assert [row[total] for row in found[: len(rows)]] == [float(row.value("total")) for row in rows]
    assert all(isinstance(row[1], str | None) for row in found)
    for row in found[len(rows) + 1 :]:
        assert row[total] == float(sum(one[1] for one in said if one[2] == row[code]))


def test_a_document_leads_to_its_file(tmp_path: Path) -> None:
    made = Made(tmp_path, xmls(tmp_path, {}, {}), links=["../in/a%20%231.xml", ""])
    assert made.cell(1, "File").hyperlink.target.replace("\\", "/") == "../in/a%20%231.xml"
    assert made.cell(2, "File").hyperlink is None


def test_what_is_said_of_a_part_is_heard_by_nobody_else() -> None:
    with report.collected() as outer, report.noted() as notes:
        report.warn("before")
        with report.apart() as inner:
            report.warn("within")
            report.note("within")
        report.warn("after")
    assert (outer, inner, notes) == (["before", "after"], ["within"], [])


@pytest.mark.parametrize("seed", range(3))
def test_rows_keep_the_order_of_the_files(tmp_path: Path, seed: int) -> None:
    paths = xmls(tmp_path, *({} for _number in range(5)))
    random.Random(seed).shuffle(paths)
    made = Made(tmp_path, paths)
    assert [made.cell(row, "File").value for row in range(1, 6)] == [path.name for path in paths]
