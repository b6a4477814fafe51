"""Files that belong together, through the real daemon and its engine: batches, pairs, lists of rows, sidecars."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest

from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import page_count, write_pdf

OFFICE = """
version = 1

[[rule]]
name      = "Post of a day"
folder    = "post"
gather    = "batch"
quiet     = 1
operation = "pdf-merge"

[[rule]]
name       = "Cover pages"
folder     = "covers"
gather     = "pair"
operation  = "pdf-insert"
parameters = { actionType = "FROM_PDF", index = 1 }

[[rule]]
name      = "Letters"
folder    = "letters"
gather    = "pair"
operation = "pdf-generate"

[[rule]]
name   = "Payslips"
folder = "pay"
gather = "rows"
output = "{folder.name}.out/{stem}/{row.department}/{row.name} {row:02}.{ext}"
steps  = [
  { operation = "pdf-generate", parameters = { templateFile = "payslip.html" } },
  { operation = "pdf-encrypt", parameters = { userPassword = "row:password" } },
]

[[rule]]
name   = "Serial letter, one file to print"
folder = "print"
gather = "rows"
steps  = [{ operation = "pdf-generate" }, { operation = "pdf-merge" }]

[[rule]]
name      = "Bundle"
folder    = "bundles"
gather    = "folder"
operation = "pdf-merge"

[[rule]]
name      = "Read"
folder    = "read"
operation = "pdf-to-markdown"
"""

PAYSLIP = "<!doctype html><h1>{{ name }}</h1><p>{{ amount }} EUR</p>"
PEOPLE = """name;department;amount;password
Ada;Engines;4200,00;enchantress
Böb;Sales;17,50;hunter2
Ada;Engines;1,00;second
"""


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Paperchute]:
    (tmp_path / "payslip.html").write_text(PAYSLIP, "utf-8")
    paperchute = Paperchute(tmp_path, OFFICE)
    yield paperchute
    paperchute.close()


def once(office: Paperchute, expected: int = 0) -> None:
    """Work off what is there."""
    done = office.run("run", "--once")
    assert done.returncode == expected, done.stdout + done.stderr


def words(path: Path, password: str = "") -> str:
    """The text of a PDF's pages."""
    with pypdfium2.PdfDocument(str(path), password=password or None) as pdf:
        return "\n".join(page.get_textpage().get_text_range() for page in pdf)


def settling(office: Paperchute) -> dict[str, str]:
    """What the running daemon says has come and is not taken yet: name and reason."""
    path = office.state / "status.json"
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["settling"] if path.exists() else []
    return {Path(entry["path"]).name: entry["reason"] for entry in found}


def drop(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")


def test_what_comes_together_becomes_one_job_and_what_comes_later_the_next(office: Paperchute, tmp_path: Path) -> None:
    office.start()
    for number in (1, 2, 10):
        write_pdf(tmp_path / "post" / f"{number}.pdf", f"Letter {number}")
    wait_until(lambda: names(tmp_path / "post.out") == ["1.pdf"])
    text = words(tmp_path / "post.out" / "1.pdf")
    assert [line for line in text.splitlines() if line.startswith("Letter")] == ["Letter 1", "Letter 2", "Letter 10"]
    wait_until(lambda: names(tmp_path / "post.done") == ["1.pdf", "10.pdf", "2.pdf"])
    write_pdf(tmp_path / "post" / "3.pdf", "Late")
    wait_until(lambda: settling(office) == {"3.pdf": "partner"})
    write_pdf(tmp_path / "post" / "4.pdf", "Later")
    wait_until(lambda: names(tmp_path / "post.out") == ["1.pdf", "3.pdf"])
    assert page_count(tmp_path / "post.out" / "3.pdf") == 2


def test_a_half_waits_for_its_partner_over_a_restart_and_is_shown(office: Paperchute, tmp_path: Path) -> None:
    write_pdf(tmp_path / "covers" / "a.insert.pdf", "Cover")
    drop(tmp_path / "letters" / "Brief.html", "<!doctype html><p>Dear {{ name }}</p>")
    once(office)
    assert names(tmp_path / "covers") == ["a.insert.pdf"]
    office.start()
    wait_until(lambda: settling(office) == {"a.insert.pdf": "partner", "Brief.html": "partner"})
    assert "it waits for what belongs to it" in office.run("status").stdout
    write_pdf(tmp_path / "covers" / "A.pdf", "Text", pages=2)
    drop(tmp_path / "letters" / "brief.json", '{"name": "Ada"}')
    wait_until(lambda: names(tmp_path / "covers.done") == ["A.pdf", "a.insert.pdf"])
    assert page_count(tmp_path / "covers.out" / "A.pdf") == 3
    assert words(tmp_path / "covers.out" / "A.pdf").startswith("Cover")
    wait_until(lambda: names(tmp_path / "letters.done") == ["Brief.html", "brief.json"])
    assert "Dear Ada" in words(tmp_path / "letters.out" / "Brief.pdf")


def test_a_list_of_people_becomes_a_locked_payslip_each(office: Paperchute, tmp_path: Path) -> None:
    drop(tmp_path / "pay" / "May.csv", PEOPLE)
    once(office)
    made = tmp_path / "pay.out" / "May"
    assert names(made) == ["Engines/Ada 01.pdf", "Engines/Ada 03.pdf", "Sales/Böb 02.pdf"]
    assert names(tmp_path / "pay.done") == ["May.csv"]
    assert "4200,00 EUR" in words(made / "Engines" / "Ada 01.pdf", "enchantress")
    assert "17,50 EUR" in words(made / "Sales" / "Böb 02.pdf", "hunter2")
    with pytest.raises(pikepdf.PasswordError):
        page_count(made / "Engines" / "Ada 01.pdf", "hunter2")
    kept = b"".join(path.read_bytes() for path in office.state.rglob("*") if path.is_file())
    assert b"enchantress" not in kept, "a password stands in the state folder"


def test_a_list_with_its_template_beside_becomes_one_file(office: Paperchute, tmp_path: Path) -> None:
    drop(tmp_path / "print" / "guests.json", '[{"name": "Ada"}, {"name": "Bob"}]')
    drop(tmp_path / "print" / "guests.html", "<!doctype html><p>Dear {{ name }}</p>")
    once(office)
    assert page_count(tmp_path / "print.out" / "guests.pdf") == 2
    assert names(tmp_path / "print.done") == ["guests.html", "guests.json"]


def test_a_list_that_lacks_something_fails_before_anything_is_made(office: Paperchute, tmp_path: Path) -> None:
    drop(tmp_path / "pay" / "May.csv", PEOPLE.replace("hunter2", ""))
    once(office, expected=1)
    said = (tmp_path / "pay.failed" / "May.csv.error.txt").read_text("utf-8")
    assert "May.csv, line 3: the column 'password' is empty" in said
    assert "Calls:     0" in said


def test_a_folder_says_itself_how_it_is_joined(office: Paperchute, tmp_path: Path) -> None:
    folder = tmp_path / "bundles" / "Contract"
    write_pdf(folder / "1 terms.pdf", "Terms", pages=3)
    write_pdf(folder / "2 cover.pdf", "Cover")
    with pikepdf.open(folder / "1 terms.pdf", allow_overwriting_input=True) as pdf:
        pdf.save(encryption=pikepdf.Encryption(user="s3same", owner="s3same"))
    drop(folder / "job.toml", 'order = ["2 cover.pdf"]\n[files."1 terms.pdf"]\npages = "2-3"\npassword = "s3same"\n')
    once(office)
    text = words(tmp_path / "bundles.out" / "Contract.pdf", "s3same")  # locked as its part was
    assert [line for line in text.splitlines() if line.startswith("Page")] == [
        "Page 1 speaks of Cover.",
        "Page 2 speaks of Terms.",
        "Page 3 speaks of Terms.",
    ]
    assert "job.toml" in names(tmp_path / "bundles.done" / "Contract")
    kept = b"".join(path.read_bytes() for path in office.state.rglob("*") if path.is_file())
    assert b"s3same" not in kept


@pytest.mark.parametrize("order", ["sidecar first", "sidecar last"])
def test_a_sidecar_is_followed_and_filed_with_its_file(
    office: Paperchute, tmp_path: Path, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.start()
    wait_until(lambda: (tmp_path / "read").is_dir())
    acts: list[Callable[[], None]] = [
        lambda: drop(tmp_path / "read" / "a.pdf.toml", 'parameters = { pageRanges = "2" }'),
        lambda: write_pdf(tmp_path / "read" / "a.pdf", "Report", pages=2),
    ]
    for act in acts if order == "sidecar first" else reversed(acts):
        act()
    wait_until(lambda: names(tmp_path / "read.done") == ["a.pdf", "a.pdf.toml"])
    text = (tmp_path / "read.out" / "a.md").read_text("utf-8")
    assert "Page 2 speaks" in text
    assert "Page 1 speaks" not in text


def test_a_sidecar_without_its_file_waits_and_is_shown(office: Paperchute, tmp_path: Path) -> None:
    drop(tmp_path / "read" / "a.pdf.toml", 'parameters = { pageRanges = "2" }')
    once(office)
    office.start()
    wait_until(lambda: settling(office) == {"a.pdf.toml": "partner"})
    write_pdf(tmp_path / "read" / "a.pdf", "Report", pages=2)
    wait_until(lambda: names(tmp_path / "read.done") == ["a.pdf", "a.pdf.toml"])
    wait_until(lambda: settling(office) == {})


def test_a_mistake_in_a_sidecar_is_said_with_its_place(office: Paperchute, tmp_path: Path) -> None:
    drop(tmp_path / "read" / "a.pdf.toml", 'parameters = { pageRangs = "2" }')
    write_pdf(tmp_path / "read" / "a.pdf", "Report")
    once(office, expected=1)
    assert names(tmp_path / "read.failed") == ["a.pdf", "a.pdf.error.txt", "a.pdf.toml"]
    said = (tmp_path / "read.failed" / "a.pdf.error.txt").read_text("utf-8")
    assert "a.pdf.toml:1:16: pdf-to-markdown has no parameter 'pageRangs'. Did you mean pageRanges?" in said


def test_a_folder_that_is_filled_with_a_pause_is_one_pdf_with_every_page(office: Paperchute, tmp_path: Path) -> None:
    office.start()
    office.until_it_runs()
    folder = tmp_path / "bundles" / "Contract"
    for number in (1, 2):
        write_pdf(folder / f"{number}.pdf", f"Page {number}")
    time.sleep(4)  # no shorter pause tells: what was taken too early was taken after two seconds
    write_pdf(folder / "3.pdf", "Page 3")
    (folder / "4.docx").write_bytes(b"PK\x03\x04 an annex")
    wait_until(lambda: names(tmp_path / "bundles.done"))
    assert page_count(tmp_path / "bundles.out" / "Contract.pdf") == 3
    (job,) = office.json("jobs")
    assert job["state"] == "warned"
    assert "4.docx" in " ".join(job["warnings"])
    assert names(tmp_path / "bundles.done") == [f"Contract/{name}" for name in ("1.pdf", "2.pdf", "3.pdf", "4.docx")]
