"""What files hold, read by a process that may crash or hang without harm."""

from __future__ import annotations

import sys
from pathlib import Path

import pikepdf
import pytest

from paperchute.app.facts import FactReader
from tests.ending import ends
from tests.journeys.documents import write_pdf

ALL = ("kind", "pages", "text")


def locked_pdf(path: Path, password: str) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(path, encryption=pikepdf.Encryption(user=password, owner=password + "!"))


def test_what_files_hold(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "Invoice 12")
    (tmp_path / "odd.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 40)
    (tmp_path / "page.html").write_text("<html><script>hidden</script><p>Total &amp; more</p>")
    (tmp_path / "n\udcff.txt").write_text("plain  Words\n")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 nothing")
    locked_pdf(tmp_path / "locked.pdf", "one")
    with FactReader() as reader:
        facts = {path.name: reader.read(path, 7, ALL) for path in tmp_path.iterdir()}
        gone = reader.read(tmp_path / "gone.pdf", None, ALL)
    assert (facts["a.pdf"].kind, facts["a.pdf"].pages, facts["a.pdf"].size) == ("pdf", 1, 7)
    assert facts["a.pdf"].text is not None
    assert "invoice 12" in facts["a.pdf"].text
    assert (facts["odd.pdf"].kind, facts["odd.pdf"].trouble) == ("png", "it is no PDF but png")
    assert facts["page.html"].text == "total & more"
    assert facts["n\udcff.txt"].text == "plain words"
    assert (facts["bad.pdf"].pages, facts["bad.pdf"].trouble) == (None, "it is damaged")
    assert facts["locked.pdf"].trouble == "it is locked"
    assert "No such file" in gone.trouble


def test_the_password_that_opens_is_found(tmp_path: Path) -> None:
    locked_pdf(tmp_path / "locked.pdf", "two")
    with FactReader() as reader:
        assert reader.opening(tmp_path / "locked.pdf", ["one", "two", "three"]) == 1
        assert reader.opening(tmp_path / "locked.pdf", ["one"]) is None
        assert reader.opening(tmp_path / "none.pdf", ["one"]) is None
        write_pdf(tmp_path / "free.pdf", "Free")
        assert reader.opening(tmp_path / "free.pdf", ["one"]) == -1


@pytest.mark.parametrize("program", ["import time; time.sleep(3600)", "import os; os.abort()", "print('nonsense')"])
def test_a_reader_that_hangs_or_dies_costs_one_answer_and_no_more(tmp_path: Path, program: str) -> None:
    write_pdf(tmp_path / "a.pdf", "Fine")

    def read() -> None:
        with FactReader(seconds=0.5, command=[sys.executable, "-c", program]) as reader:
            facts = reader.read(tmp_path / "a.pdf", 5, ALL)
            assert (facts.size, facts.pages, facts.trouble) == (5, None, "it could not be read in time")
            reader.read(tmp_path / "a.pdf", 5, ALL)

    ends(read)
