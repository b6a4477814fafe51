"""What files hold, read by a process that may crash or hang without harm."""

from __future__ import annotations

import sys
from pathlib import Path, PurePath
from typing import Any

import pikepdf
import psutil
import pytest

from paperchute.app import facts
from paperchute.app.facts import FactReader, opening_of, unread_of
from paperchute.files import reader
from paperchute.files.reader import ReaderProcess, Readers
from paperchute.rules.match import Need, by_content, fits
from paperchute.rules.tables import Step
from tests.ending import ends
from tests.jobs.makers import make_rule
from tests.journeys.documents import write_pdf
from tests.systems import UNDER_WINE

ALL: tuple[Need, ...] = ("kind", "pages", "text")


def locked_pdf(path: Path, password: str) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(path, encryption=pikepdf.Encryption(user=password, owner=password + "!"))


def test_what_files_hold(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", "Invoice 12")
    (tmp_path / "odd.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 40)
    (tmp_path / "page.html").write_text("<html><script>hidden</script><p>Total &amp; more</p>")
    odd = "nÿ.txt" if UNDER_WINE else "n\udcff.txt"  # which has no text that can be printed; Wine makes no such file
    (tmp_path / odd).write_text("plain  Words\n")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 nothing")
    locked_pdf(tmp_path / "locked.pdf", "one")
    with FactReader() as reader:
        facts = {path.name: reader.read(path, 7, ALL) for path in tmp_path.iterdir()}
        gone = reader.read(tmp_path / "gone.pdf", None, ALL)
    assert (facts["a.pdf"].kind, facts["a.pdf"].pages, facts["a.pdf"].size) == ("pdf", 1, 7)
    assert facts["a.pdf"].text is not None
    assert "invoice 12" in facts["a.pdf"].text
    assert (facts["odd.pdf"].kind, facts["odd.pdf"].trouble) == ("png", "it is not a PDF but png")
    assert facts["page.html"].text == "total & more"
    assert facts[odd].text == "plain words"
    assert (facts["bad.pdf"].pages, facts["bad.pdf"].trouble) == (None, "it is damaged")
    assert facts["locked.pdf"].trouble == "it is locked"
    assert gone.trouble.startswith("it cannot be read (")
    assert not gone.trouble.endswith(".)")


def test_whether_somebody_has_signed_a_pdf(tmp_path: Path) -> None:
    for name, value in (("signed", b"\x30\x02"), ("to be signed", b""), ("without", None)):
        with pikepdf.new() as pdf:
            pdf.add_blank_page()
            if value is not None:
                field = pikepdf.Dictionary(FT=pikepdf.Name.Sig, T=pikepdf.String("s"))
                if value:
                    field.V = pdf.make_indirect(
                        pikepdf.Dictionary(
                            Type=pikepdf.Name.Sig, Contents=pikepdf.String(value), ByteRange=pikepdf.Array([0, 1, 2, 3])
                        )
                    )
                pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array([pdf.make_indirect(field)]))
            pdf.save(tmp_path / f"{name}.pdf")
    (tmp_path / "scan.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 40)
    (tmp_path / "letter.txt").write_text("signed")
    locked_pdf(tmp_path / "locked.pdf", "one")
    with FactReader() as reader:
        found = {path.name: reader.read(path, 7, {"signed"}) for path in tmp_path.iterdir()}
    assert {name: one.signed for name, one in found.items()} == {
        "signed.pdf": True,
        "to be signed.pdf": False,
        "without.pdf": False,
        "scan.png": False,
        "letter.txt": None,
        "locked.pdf": None,
    }
    hot = tmp_path / "hot"
    for asked, fitting in ((True, {"signed.pdf"}), (False, {"to be signed.pdf", "without.pdf", "scan.png"})):
        rule = make_rule(hot, signed=asked)
        assert {name for name, one in found.items() if fits(rule, one)} == fitting


def test_the_password_that_opens_is_found(tmp_path: Path) -> None:
    locked_pdf(tmp_path / "locked.pdf", "two")
    with FactReader() as reader:
        assert reader.opening(tmp_path / "locked.pdf", ["one", "two", "three"]) == 1
        assert reader.opening(tmp_path / "locked.pdf", ["one"]) is None
        assert reader.opening(tmp_path / "none.pdf", ["one"]) is None
        write_pdf(tmp_path / "free.pdf", "Free")
        assert reader.opening(tmp_path / "free.pdf", ["one"]) == -1


def test_a_locked_file_is_looked_into_for_the_rules_that_can_open_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "4711 locked.pdf"
    write_pdf(tmp_path / "free.pdf", "Invoice 12")
    with pikepdf.open(tmp_path / "free.pdf") as pdf:
        pdf.save(path, encryption=pikepdf.Encryption(user="two-secret", owner="owner"))
    (tmp_path / "list.csv").write_text("4711,two-secret\n")
    (tmp_path / "list.csv").chmod(0o600)
    monkeypatch.setenv("PW_WRONG", "one-secret")
    monkeypatch.setenv("PW_RIGHT", "two-secret")
    conditions: dict[str, Any] = {"pages": "1", "text": ("invoice",)}
    none = make_rule(tmp_path, name="none", **conditions)
    wrong = make_rule(tmp_path, name="wrong", passwords=("env:PW_WRONG", "env:PW_NOT_SET"), **conditions)
    right = make_rule(tmp_path, name="right", passwords=("env:PW_WRONG", "env:PW_RIGHT"), **conditions)
    by_name = make_rule(
        tmp_path, name="list", passwords=(f"csv:{tmp_path}/list.csv/{{no}}",), pattern=r"^(?P<no>\d+)", **conditions
    )
    step = make_rule(
        tmp_path, name="step", steps=(Step("pdf-to-markdown", {"password": "env:PW_RIGHT"}),), **conditions
    )
    rules = [none, wrong, right, by_name, step]
    with FactReader() as reader:
        facts = reader.read(path, 7, ALL, [(rule, PurePath(path.name)) for rule in rules])
        unknown = reader.read(path, 7, ALL, [(none, PurePath(path.name)), (wrong, PurePath(path.name))])
    assert [fits(rule, facts) for rule in rules] == [False, False, True, True, True]
    assert unknown.pages is None
    said = {rule.name: next(condition.seen for condition in by_content(rule, facts)) for rule in rules}
    assert said["right"] == "1 (asked: 1)"
    assert said["none"].startswith("it is locked; give the rule `passwords` that may open it")
    assert "none of the rule's passwords opens it; The variable PW_NOT_SET is not set; put that right" in said["wrong"]
    assert "secret" not in f"{said}{facts.missing}{facts.trouble}{unknown}"


def test_one_reader_serves_one_job_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    write_pdf(path, "A page with words enough that nobody need recognise anything on it")
    few = Readers()
    monkeypatch.setattr(facts, "readers", few)
    before = set(psutil.Process().children())
    assert not unread_of(path, "").scope
    (reader,) = set(psutil.Process().children()) - before
    assert opening_of(path, []) == -1
    assert not unread_of(path, "").scope
    assert set(psutil.Process().children()) - before == {reader}
    with few.lent() as process:
        process.end()


@pytest.mark.parametrize("program", ["import time; time.sleep(3600)", "import os; os.abort()", "print('nonsense')"])
def test_a_reader_that_hangs_or_dies_costs_one_answer_and_no_more(
    tmp_path: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_START_SECONDS", 0.5)
    write_pdf(tmp_path / "a.pdf", "Fine")

    def read() -> None:
        with FactReader(0.5, ReaderProcess([sys.executable, "-c", program])) as reader:
            facts = reader.read(tmp_path / "a.pdf", 5, ALL)
            assert (facts.size, facts.pages, facts.trouble) == (5, None, "it could not be read in time")
            reader.read(tmp_path / "a.pdf", 5, ALL)

    ends(read)


def test_a_reader_that_a_busy_machine_starts_slowly_reads_the_file_all_the_same() -> None:
    answer = 'print(\'{"kind": "pdf", "bytes": 0}\', flush=True)'
    program = f"import sys, time; time.sleep(1.5); sys.stdin.readline(); {answer}"
    with FactReader(0.5, ReaderProcess([sys.executable, "-c", program])) as facts_of:
        assert facts_of.read(Path("a.pdf"), 5, {"kind"}).kind == "pdf"


@pytest.mark.skipif(sys.platform != "linux", reason="the fences are Linux's")
def test_the_reader_has_no_secret_and_reaches_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document that takes the reader over finds nothing worth having, and no way to send it."""
    monkeypatch.setenv("RULE_PASSWORD", "hunter2")
    path = tmp_path / "a.txt"
    path.write_text("text", "utf-8")
    before = psutil.Process().children()
    with FactReader() as reader:
        assert reader.read(path, 4, {"text"}).text == "text"
        (child,) = set(psutil.Process().children()) - set(before)
        process = Path("/proc", str(child.pid))
        assert b"hunter2" not in (process / "environ").read_bytes()
        status = (process / "status").read_text("ascii")
        assert "NoNewPrivs:\t1" in status
        assert "Seccomp:\t2" in status or "Seccomp:" not in status
