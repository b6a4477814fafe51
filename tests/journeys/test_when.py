"""Rules that have a file by what its document says: amounts, senders, kinds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import plutoprint
import pytest

from paperchute.engine.fonts import use_carried_fonts
from tests.journeys.daemon import Paperchute, names, wait_until

use_carried_fonts()

RULES = """
version = 1
[[rule]]
name = "For the boss"
folder = "mail"
operation = "pdf-to-markdown"
also = true
output = "Boss/{stem}.{ext}"
when = { kind = "invoice", currency = "EUR", total = ">=1000" }

[[rule]]
name = "Credit notes"
folder = "mail"
operation = "pdf-to-txt"
output = "Credit/{stem}.{ext}"
when = { kind = "credit_note" }

[[rule]]
name = "Of ACME"
folder = "mail"
operation = "pdf-to-markdown"
output = "Archive/{doc.sender}/{stem}.{ext}"
when = { sender = ["acme*", "Beta AG"] }
"""


def write_invoice(path: Path, sender: str, net: int, currency: str = "€", foot: str = "") -> None:
    """An invoice of one page with 19 % tax; a sender that is empty is named nowhere."""
    head = f"<p>{sender}<br>Hauptstraße 1<br>10115 Berlin</p><p>Verkäufer: {sender}</p>" if sender else ""
    facts = "<h1>Rechnung</h1><p>Rechnungsnummer: RE-4711</p><p>Rechnungsdatum: 12.03.2026</p>"
    one, tax, gross = (f"{amount:.2f} {currency}".replace(".", ",") for amount in (net, net * 0.19, net * 1.19))
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.load_html(
        f"{head}{facts}<table><tr><th>Pos</th><th>Beschreibung</th><th>Menge</th><th>Einzelpreis</th><th>Betrag</th>"
        f"</tr><tr><td>1</td><td>Papier</td><td>1</td><td>{one}</td><td>{one}</td></tr></table>"
        f"<p>Netto: {one}</p><p>MwSt 19 %: {tax}</p><p>Gesamtbetrag: {gross}</p><p>{foot}</p>"
    )
    book.write_to_pdf(str(path))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, RULES)
    (tmp_path / "mail").mkdir()
    yield paperchute
    paperchute.close()


def readings(office: Paperchute) -> int:
    """How often a document was read for what it says."""
    calls = [event["text"] for job in office.json("jobs") for event in job["events"] if event["kind"] == "sent"]
    return sum(call.endswith("document-extract") for call in calls)


def test_documents_go_to_the_rules_whose_conditions_hold(office: Paperchute, tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    write_invoice(mail / "large.pdf", "ACME GmbH", 1000)
    write_invoice(mail / "small.pdf", "ACME GmbH", 100)
    write_invoice(mail / "dollars.pdf", "Beta AG", 5000, "USD")
    write_invoice(mail / "other.pdf", "Gamma KG", 200)

    before = office.run("run", "--dry").stdout
    assert before.count("its document is read first") == 4
    assert "4 jobs would be done" in before
    done = office.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert names(tmp_path / "Boss") == ["large.md"]
    assert names(tmp_path / "Archive") == ["ACME GmbH/large.md", "ACME GmbH/small.md", "Beta AG/dollars.md"]
    assert names(mail) == ["other.pdf"], "what no rule has stays where it is"
    assert names(tmp_path / "mail.done") == ["dollars.pdf", "large.pdf", "small.pdf"]
    assert readings(office) == 4, "each original is read once, whatever rules ask"
    (left,) = [job for job in office.json("jobs") if job["state"] == "cancelled"]
    assert left["error_code"] == "untaken"
    assert "'Of ACME': no, when sender Gamma KG" in left["note"]

    assert office.run("run", "--once").returncode == 0
    assert readings(office) == 4, "what nobody has is not read again"
    explained = office.run("explain", str(mail / "other.pdf")).stdout
    assert "when sender: Gamma KG (asked: acme* | Beta AG)" in explained
    assert "stays: 'For the boss': no, when total 238.00 EUR" in office.run("run", "--dry").stdout
    office.rules.write_text(RULES.replace('"Beta AG"', '"Gamma*"'), "utf-8")
    assert "Archive/Gamma KG/other.md" in office.run("run", "--dry").stdout.replace("\\", "/")
    assert office.run("run", "--once").returncode == 0
    assert names(mail) == []
    assert "Gamma KG/other.md" in names(tmp_path / "Archive")
    assert readings(office) == 4, "other rules judge what was read"


def test_what_decides_and_is_not_sure_is_asked(office: Paperchute, tmp_path: Path) -> None:
    mail = tmp_path / "mail"
    write_invoice(mail / "scan.pdf", "", 1000)
    assert office.run("run", "--once").returncode == 1
    assert names(tmp_path / "mail.failed") == ["scan.pdf", "scan.pdf.needs-you.txt"]
    assert not (tmp_path / "Boss").exists(), "nothing is done before it is known who has it"
    (job,) = office.json("jobs")
    assert job["error_code"] == "unsure"
    text = (tmp_path / "mail.failed" / "scan.pdf.needs-you.txt").read_text("utf-8")
    assert "sender:" in text
    assert "total:" not in text, "only what decides is asked"
    assert office.run("answer", str(job["job"]), "total=1").returncode == 2

    assert office.run("answer", str(job["job"]), "sender=Acme SE").returncode == 0
    assert office.run("run", "--once").returncode == 0
    assert names(tmp_path / "Boss") == ["scan.md"]
    assert names(tmp_path / "Archive") == ["Acme SE/scan.md"]
    assert names(tmp_path / "mail.done") == ["scan.pdf"]
    assert readings(office) == 1

    undone = office.run("undo", str(job["job"]), "--yes")
    assert undone.returncode == 0, undone.stdout
    assert names(mail) == ["scan.pdf"]
    assert names(tmp_path / "Boss") == []
    assert names(tmp_path / "Archive") == []


def test_an_empty_answer_says_that_there_is_none(office: Paperchute, tmp_path: Path) -> None:
    write_invoice(tmp_path / "mail" / "scan.pdf", "", 10)
    assert office.run("run", "--once").returncode == 1
    (job,) = office.json("jobs")
    assert "sender=-" in (tmp_path / "mail.failed" / "scan.pdf.needs-you.txt").read_text("utf-8")
    assert office.run("answer", str(job["job"]), "sender=-").returncode == 0
    assert office.run("run", "--once").returncode == 0
    assert names(tmp_path / "mail") == ["scan.pdf"]
    (job,) = office.json("jobs")
    assert job["error_code"] == "untaken"


def test_a_known_sender_is_proven_by_the_foot_of_the_page(office: Paperchute, tmp_path: Path) -> None:
    rules = RULES.replace("[[rule]]", '[defaults]\nsenders = "senders.csv"\n[[rule]]', 1)
    office.rules.write_text(rules.replace("{doc.sender}", "{doc.folder}"), "utf-8")
    senders = tmp_path / "senders.csv"
    senders.write_text("name,vat,folder\nAcme Paper,DE136695976,Office/Paper\nnobody,DE136695977,\n", "utf-8")
    checked = office.run("check")
    assert "senders.csv:3: DE136695977 is no VAT id" in checked.stdout
    senders.write_text("name,vat,folder\nAcme Paper,DE136695976,Office/Paper\n", "utf-8")
    assert office.run("check").returncode == 0
    write_invoice(tmp_path / "mail" / "scan.pdf", "", 10, foot="USt-IdNr. DE 136 695 976")
    assert office.run("run", "--once").returncode == 0
    assert names(tmp_path / "Archive") == ["Office/Paper/scan.md"]


def test_a_running_daemon_tells_what_nobody_has_and_judges_it_by_new_rules(office: Paperchute, tmp_path: Path) -> None:
    office.start()
    office.until_it_runs()
    write_invoice(tmp_path / "mail" / "other.pdf", "Gamma KG", 200)
    wait_until(lambda: office.said()["untaken"])
    office.kill()
    office.start()
    office.until_it_runs()
    wait_until(lambda: office.said()["untaken"])
    (left,) = office.said()["untaken"]
    assert Path(left["path"]).name == "other.pdf"
    assert "when sender Gamma KG" in left["reason"]
    office.rules.write_text(RULES.replace('"Beta AG"', '"Gamma*"'), "utf-8")
    wait_until((tmp_path / "Archive" / "Gamma KG" / "other.md").exists)
    wait_until(lambda: not office.said()["untaken"])
    assert readings(office) == 1
