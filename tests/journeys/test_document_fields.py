"""Names made of what a document says of itself, and of what a person answers where it is not sure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import plutoprint
import pytest

from paperchute.engine.fonts import use_carried_fonts
from tests.journeys.daemon import Paperchute, names

use_carried_fonts()

RULES = """
version = 1
[[rule]]
name = "Mail"
folder = "mail"
operation = "pdf-to-markdown"
output = "Post/{doc.sender}/{doc.date:%Y-%m}/{doc.number} {stem}.{ext}"
"""

_ITEMS = """<table><tr><th>Pos</th><th>Beschreibung</th><th>Menge</th><th>Einzelpreis</th><th>Betrag</th></tr>
<tr><td>1</td><td>Papier</td><td>2</td><td>500,00 €</td><td>1.000,00 €</td></tr></table>
<p>Netto: 1.000,00 €</p><p>MwSt 19 %: 190,00 €</p><p>Gesamtbetrag: 1.190,00 €</p>"""


def write_invoice(path: Path, sender: str, number: str) -> None:
    """An invoice of one page; a sender that is empty is named nowhere."""
    head = f"<p>{sender}<br>Hauptstraße 1<br>10115 Berlin</p>" if sender else ""
    seller = f"<p>Verkäufer: {sender}</p>" if sender else ""
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.load_html(
        f"{head}<h1>Rechnung</h1>{seller}<p>Rechnungsnummer: {number}</p><p>Rechnungsdatum: 12.03.2026</p>{_ITEMS}"
    )
    book.write_to_pdf(str(path))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    (tmp_path / "mail").mkdir()
    yield paperchute
    paperchute.close()


def test_sure_documents_are_named_and_the_others_ask(office: Paperchute, tmp_path: Path) -> None:
    write_invoice(tmp_path / "mail" / "scan1.pdf", "ACME GmbH", "RE-4711")
    write_invoice(tmp_path / "mail" / "scan2.pdf", "", "../4712")

    done = office.run("run", "--once")
    assert done.returncode == 1, done.stdout + done.stderr
    assert names(tmp_path / "Post") == ["ACME GmbH/2026-03/RE-4711 scan1.md"]
    assert names(tmp_path / "mail.failed") == ["scan2.pdf", "scan2.pdf.needs-you.txt"]
    (job,) = office.json("jobs", "--state", "failed")
    assert job["error_code"] == "unsure"
    text = (tmp_path / "mail.failed" / "scan2.pdf.needs-you.txt").read_text("utf-8")
    assert "sender:" in text
    assert f"answer {job['job']} " in text

    number = str(job["job"])
    twice = office.run("answer", number, "sender=A", "sender=B")
    assert twice.returncode == 2
    assert "answered twice" in twice.stderr
    refused = office.run("answer", number, "total=12")
    assert refused.returncode == 2
    assert "sender" in refused.stderr
    assert names(tmp_path / "mail.failed") == ["scan2.pdf", "scan2.pdf.needs-you.txt"]
    answered = office.run("answer", number, "sender=../Büro: 7/..", "number=4712")
    assert answered.returncode == 0, answered.stderr
    assert names(tmp_path / "mail.failed") == []
    assert office.run("run", "--once").returncode == 0
    assert names(tmp_path / "Post") == [
        "ACME GmbH/2026-03/RE-4711 scan1.md",
        "_Büro_ 7_/2026-03/4712 scan2.md",
    ]
    (job,) = [one for one in office.json("jobs") if one["job"] == int(number)]
    sent = [event["text"] for event in job["events"] if event["kind"] == "sent"]
    assert len(sent) == 2, "the document is read once, whatever is answered, and worked on once"

    undone = office.run("undo", number, "--yes")
    assert undone.returncode == 0, undone.stdout
    assert names(tmp_path / "mail") == ["scan2.pdf"]
    assert names(tmp_path / "Post") == ["ACME GmbH/2026-03/RE-4711 scan1.md"]
