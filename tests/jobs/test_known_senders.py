"""Known senders name results, decide rules, and are remembered once somebody has answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paperchute.app.cures import answer, open_fields
from paperchute.errors import PaperchuteError
from tests.jobs.bench import Bench
from tests.jobs.test_decision import Office, placed, rule
from tests.jobs.test_document_fields import says

IBAN = "DE89370400440532013000"
UNSURE = {
    "sender": {"value": None, "reason": "two names", "candidates": [{"value": "Power"}]},
    "iban": {"value": IBAN},
    "identifiers": {
        "value": [{"kind": "iban", "value": IBAN}, {"kind": "vat", "value": "DE136695976"}, {"kind": 3}, "x"]
    },
}
OUTPUT = "else/{doc.folder}/{doc.sender} {stem}.{ext}"
LIST = "# ours\r\nNote;Name;IBAN;Folder;Kind;Domain\r\nx;Bank;;Money/Bank;statement;bank.example\r\n"


@pytest.fixture
def known(bench: Bench) -> Path:
    path = bench.hot.parent / "senders.csv"
    path.write_bytes(LIST.encode())
    return path


def dropped(bench: Bench, known: Path, file: str = "a.pdf", **keys: Any) -> Any:
    job = bench.run(bench.drop(file), **{"output": OUTPUT, "senders": str(known), **keys}).job
    return bench.journal.queries.job(job.id)


def test_what_proves_a_sender_names_the_result(bench: Bench, known: Path) -> None:
    says(bench, {**UNSURE, "identifiers": {"value": [{"kind": "domain", "value": "mail.bank.example"}]}})
    assert dropped(bench, known).state == "done"
    assert placed(bench) == {"else/Money/Bank/Bank a.md", "hot.done/a.pdf"}


def test_an_answered_sender_is_remembered_as_a_line(bench: Bench, known: Path) -> None:
    says(bench, UNSURE)
    job = dropped(bench, known)
    assert list(open_fields(bench.journal, job)) == ["sender"]
    assert answer(bench.journal, job.id, {"sender": "Power; Ltd"}) == []
    assert known.read_bytes() == LIST.encode() + f';"Power; Ltd";{IBAN};;;\r\n'.encode()
    assert dropped(bench, known, "b.pdf").state == "done", "the next one is known"
    assert "else/Power; Ltd/Power; Ltd b.md" in placed(bench)

    again = bench.hot.parent / "new.csv"
    job = dropped(bench, again, "c.pdf", name="Other")
    answer(bench.journal, job.id, {"sender": "Power"})
    assert again.read_text("utf-8").splitlines()[1] == f"Power,,,,{IBAN},,,"


@pytest.mark.parametrize("spoilt", ["locked", "broken"])
def test_a_list_that_is_open_or_spoilt_is_told_and_left(bench: Bench, known: Path, spoilt: str) -> None:
    says(bench, UNSURE)
    job = dropped(bench, known)
    if spoilt == "locked":
        known.with_name(".~lock.senders.csv#").write_text("me")
    else:
        known.write_text("nothing of the kind\n")
    before = known.read_bytes()
    with pytest.raises(PaperchuteError, match=r"senders\.csv"):
        answer(bench.journal, job.id, {"sender": "Power"})
    assert known.read_bytes() == before
    assert bench.journal.answers.given(job.id) == {"sender": "Power"}, "the answer itself is kept"


def test_work_waits_for_a_list_that_is_broken(bench: Bench, known: Path) -> None:
    says(bench, UNSURE)
    known.write_text("name,iban\nPower,DE00\n")
    job = dropped(bench, known)
    assert (job.state, len(bench.service.calls)) == ("waiting", 0)
    assert f"{known}:2:" in (job.error or "")
    known.write_text(f"name,iban\nPower,{IBAN}\n")
    assert bench.again().kind == "done"
    assert placed(bench) == {"else/Power/Power a.md", "hot.done/a.pdf"}


def test_two_that_fit_are_asked(bench: Bench, known: Path) -> None:
    says(bench, UNSURE)
    known.write_text(f"name,iban\nPower,{IBAN}\nGas,{IBAN}\n")
    job = dropped(bench, known)
    (said,) = open_fields(bench.journal, job).values()
    assert [one.value for one in said.candidates] == ["Power", "Gas", "Power"][: len(said.candidates)]
    assert answer(bench.journal, job.id, {"sender": "Gas"}) == []
    assert known.read_text().count("Gas") == 1


def test_known_senders_decide_which_rule_has_a_file(bench: Bench, known: Path) -> None:
    says(bench, {**UNSURE, "kind": {"value": None, "candidates": [{"value": "letter"}]}})
    known.write_text(f"name,iban,kind\nPower,{IBAN},invoice\n")
    keys = {"senders": str(known)}
    office = Office(
        bench,
        rule(bench, "bank", when={"sender": ("Bank",)}, **keys),
        rule(bench, "power", when={"sender": ("power",), "kind": ("invoice",)}, **keys),
    )
    office.take(bench.drop())
    office.run()
    assert placed(bench) == {"else/power/a.md", "hot.done/a.pdf"}
