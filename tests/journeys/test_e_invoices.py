"""An e-invoice goes its way: taken by its kind, named by its data, printed, and told beside the result."""

from __future__ import annotations

import json
from pathlib import Path

from tests.engine.e_invoice.samples import SOUND
from tests.journeys.daemon import Paperchute, names
from tests.journeys.test_document_fields import write_invoice

RULES = """
version = 1
[[rule]]
name = "E-invoices"
folder = "mail"
match = "*.xml"
operation = "e-invoice-to-pdf"
parameters = { pageLanguage = "de" }
when = { kind = "e-invoice" }
output = "In/{doc.kind}/{doc.sender} {doc.number} {doc.total}.{ext}"
write_fields = true

[[rule]]
name = "Paper"
folder = "mail"
match = "*.pdf"
operation = "pdf-to-markdown"
output = "In/paper/{doc.invoice_no} {stem}.{ext}"
[rule.find]
invoice_no = { label = "Rechnungsnummer" }
"""


def test_data_and_paper_go_their_ways(tmp_path: Path) -> None:
    office = Paperchute(tmp_path, RULES)
    try:
        mail = tmp_path / "mail"
        mail.mkdir()
        (mail / "a.xml").write_text(SOUND["UBL"], "utf-8")
        (mail / "b.xml").write_text("<order/>", "utf-8")
        write_invoice(mail / "c.pdf", "ACME GmbH", "RE-4711")
        office.run("run", "--once")
        made = "e-invoice/Acme Tools Ltd 4711 177.85"
        assert names(tmp_path / "In") == [f"{made}.json", f"{made}.pdf", "paper/RE-4711 c.md"]
        told = json.loads((tmp_path / "In" / f"{made}.json").read_text("utf-8"))
        assert told["fields"]["total"]["value"] == "177.85"
        assert names(tmp_path / "mail.failed") == ["b.xml", "b.xml.needs-you.txt"]  # nothing says its kind
    finally:
        office.close()
