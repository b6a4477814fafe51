"""A folder of receipts becomes one workbook, whatever one of them is."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import openpyxl

from tests.engine.extraction.invoice_files import data
from tests.journeys.daemon import Paperchute, names
from tests.journeys.test_document_fields import write_invoice

RULES = """
version = 1
[[rule]]
name = "Receipts"
folder = "receipts"
gather = "folder"
set_size = 5
operation = "documents-to-table"
output = "Tables/Receipts {set}.{ext}"
"""


def test_a_folder_with_a_broken_file_is_one_workbook(tmp_path: Path) -> None:
    office = Paperchute(tmp_path, RULES)
    try:
        march = tmp_path / "receipts" / "2026-03"
        march.mkdir(parents=True)
        write_invoice(march / "a #1 Büro.pdf", "ACME GmbH", "RE-1")
        (march / "b.xml").write_bytes(data(number="=2+3"))
        (march / "c.pdf").write_bytes(b"\x00\x01 no PDF")
        (march / "d.pdf").write_bytes(b"PK\x03\x04 no PDF either")
        (march / "e.png").write_text("<html>no picture")
        done = office.run("run", "--once")
        assert done.returncode == 0, done.stdout + done.stderr
        assert names(tmp_path / "Tables") == ["Receipts 2026-03.xlsx"]
        book = openpyxl.load_workbook(tmp_path / "Tables" / "Receipts 2026-03.xlsx")
        sheet = book.worksheets[0]
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2, max_row=6)]
        assert [row[2] for row in rows] == ["RE-1", "=2+3", None, None, None]
        assert [row[6] for row in rows] == [1190, 119, None, None, None]
        assert all("not read" in str(row[9]) for row in rows[2:])
        links = [
            unquote(link.target or "").replace("\\", "/")
            for row in range(2, 7)
            if (link := sheet.cell(row, 9).hyperlink)
        ]
        assert len(links) == 5
        assert all((tmp_path / "Tables" / link).is_file() for link in links), links
        (job,) = office.json("jobs")
        assert job["state"] == "warned"
        assert any("c.pdf" in text for text in job["warnings"])
    finally:
        office.close()
