"""Rules that look at more than a name: what goes where, what stays, and what waits for its hours."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pikepdf
import pytest

from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import write_pdf

INBOX = """
version = 1
[defaults]
folder = "in"
operation = "pdf-to-markdown"

[[rule]]
name = "Everything is copied too"
match = "*.pdf"
also = true
kind = "pdf"
output = "copies/{stem}.{ext}"

[[rule]]
name = "Invoices"
text = ["invoice no", "Total"]
pattern = '^(?P<who>\\\\w+) (?P<no>\\\\d+)'
output = "invoices/{who}/{no}, {pages} p.{ext}"

[[rule]]
name = "Long"
pages = ">=2"
output = "long/{stem} ({counter:02}).{ext}"

[[rule]]
name = "Small"
max_size = 400
output = "small/{stem}.{ext}"
""".replace("\\\\", "\\")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    paperchute = Paperchute(tmp_path, INBOX)
    (tmp_path / "in").mkdir()
    yield paperchute
    paperchute.close()


def test_each_file_goes_where_its_content_says(office: Paperchute, tmp_path: Path) -> None:
    hot = tmp_path / "in"
    write_pdf(hot / "Müller 17 x.pdf", "INVOICE No 17, total 3 EUR")
    write_pdf(hot / "b.pdf", "Report", pages=2)
    write_pdf(hot / "c.pdf", "One page of no interest")
    (hot / "d.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 900)
    done = office.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert names(tmp_path / "copies") == ["Müller 17 x.md", "b.md", "c.md"]
    assert names(tmp_path / "invoices") == ["Müller/17, 1 p.md"]
    assert names(tmp_path / "long") == ["b (01).md"]
    assert names(tmp_path / "small") == []
    assert names(tmp_path / "in.done") == ["Müller 17 x.pdf", "b.pdf", "c.pdf"]
    assert names(hot) == ["d.pdf"], "what no rule takes stays where it is"


def test_a_locked_pdf_is_opened_by_one_of_the_rule_s_passwords(office: Paperchute, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not this one\n", "utf-8")
    secret.chmod(0o600)
    office.rules.write_text(
        'version = 1\n[[rule]]\nname = "Read"\nfolder = "in"\noperation = "pdf-to-markdown"\n'
        f'passwords = ["env:NOT_SET", "file:{secret}", "env:PAPERCHUTE_TEST_KEY"]\n',
        "utf-8",
    )
    write_pdf(tmp_path / "plain.pdf", "Locked words")
    for name, password in (("a", "key-of-the-test"), ("b", "of nobody")):
        with pikepdf.open(tmp_path / "plain.pdf") as pdf:
            pdf.save(tmp_path / "in" / f"{name}.pdf", encryption=pikepdf.Encryption(user=password, owner="o"))
    assert office.run("run", "--once").returncode == 1
    assert "Locked words" in (tmp_path / "in.out" / "a.md").read_text("utf-8")
    text = (tmp_path / "in.failed" / "b.pdf.error.txt").read_text("utf-8")
    assert "None of the rule's 2 passwords opens it. The variable NOT_SET is not set." in text
    written = b"".join(path.read_bytes() for path in office.state.rglob("*") if path.is_file())
    assert b"key-of-the-test" not in written
    assert b"not this one" not in written


def test_what_no_rule_takes_is_said_and_taken_once_a_rule_does(office: Paperchute, tmp_path: Path) -> None:
    (tmp_path / "in" / "d.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 900)
    office.start()
    wait_until(lambda: bool(office.said()["untaken"]))
    assert "kind: png (asked: pdf)" in office.run("status").stdout
    office.rules.write_text(INBOX.replace('kind = "pdf"', 'kind = "png"'), "utf-8")
    wait_until(lambda: names(tmp_path / "in.failed") == ["d.pdf", "d.pdf.error.txt"])
    wait_until(lambda: office.said()["untaken"] == [])


def test_work_waits_for_its_hours_and_a_change_of_hours_takes_effect(office: Paperchute, tmp_path: Path) -> None:
    later = datetime.now() + timedelta(hours=3)
    hours = f"{later:%H}:00-{later + timedelta(hours=1):%H}:00".replace("-00:00", "-24:00")
    rules = (
        f'version = 1\n[[rule]]\nname = "Night"\nfolder = "in"\noperation = "pdf-to-markdown"\nbetween = "{hours}"\n'
    )
    office.rules.write_text(rules, "utf-8")
    for name in "abc":
        write_pdf(tmp_path / "in" / f"{name}.pdf", "At night")
    done = office.run("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 jobs wait for the hours of their rules; the first begin on" in done.stdout
    assert names(tmp_path / "in") == ["a.pdf", "b.pdf", "c.pdf"]
    jobs = office.json("jobs")
    assert [job["state"] for job in jobs] == ["waiting"] * 3
    assert "waits for the hours of rule 'Night'" in jobs[0]["error"]
    office.start()
    wait_until(lambda: office.said()["postponed"]["jobs"] == 3)
    assert "3 jobs wait for the hours of their rules" in office.run("status").stdout
    office.rules.write_text(rules.replace("between", "#"), "utf-8")
    wait_until(lambda: names(tmp_path / "in.out") == ["a.md", "b.md", "c.md"])
