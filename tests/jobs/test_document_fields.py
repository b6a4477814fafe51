"""What a document says of itself names results only where it is sure or answered, and is asked for once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperchute.app.cures import answer, open_fields
from paperchute.errors import PaperchuteError
from paperchute.jobs.model import Outcome
from paperchute.rules.tables import Find
from paperchute.service.model import Call
from tests.jobs.bench import Bench

OUTPUT = "else/{doc.sender}/{doc.date:%Y-%m} {stem}.{ext}"
SURE = {"sender": {"value": "ACME GmbH"}, "date": {"value": "2026-03-12"}}
UNSURE = {
    "sender": {
        "value": None,
        "reason": "may be the sender or the recipient",
        "candidates": [
            {"value": "ACME GmbH", "evidence": [{"page": 2, "words": "ACME"}]},
            {"value": "\x1b[31m" + "x" * 400},
        ],
    },
    "date": {"value": "2026-03-12"},
}


def says(bench: Bench, document: Any) -> None:
    """Have the service say this of every document, and make Markdown of the rest."""

    def made(call: Call) -> None:
        is_read = call.operation == "document-extract"
        content = json.dumps({"Page-1": {}, "Document": document}).encode()
        bench.service.outputs = (("a.json", content),) if is_read else (("a.md", b"text"),)

    bench.service.on_call = made


def ran(bench: Bench, **rule: Any) -> Outcome:
    return bench.run(bench.drop(), **{"output": OUTPUT, **rule})


def read(bench: Bench) -> int:
    return sum(call.operation == "document-extract" for call in bench.service.calls)


def test_a_sure_document_names_its_result(bench: Bench) -> None:
    says(bench, SURE)
    assert ran(bench).kind == "done"
    assert set(bench.tree()) == {"else/ACME GmbH/2026-03 a.md", "hot.done/a.pdf"}


def test_a_rule_that_asks_for_nothing_reads_nothing(bench: Bench) -> None:
    says(bench, SURE)
    assert ran(bench, output="else/{stem}.{ext}").kind == "done"
    assert read(bench) == 0


@pytest.mark.parametrize("repeatable", [True, False])
def test_what_is_not_sure_waits_for_an_answer_and_is_read_once(bench: Bench, repeatable: bool) -> None:
    bench.service.repeatable = repeatable
    says(bench, UNSURE)
    job = ran(bench).job
    assert (job.state, job.error_code) == ("failed", "unsure")
    assert set(bench.tree()) == {"hot.failed/a.pdf", "hot.failed/a.pdf.needs-you.txt"}
    text = bench.tree()["hot.failed/a.pdf.needs-you.txt"].decode()
    assert "may be the sender or the recipient" in text
    assert 'ACME GmbH  page 2  "ACME"' in text
    assert "\x1b" not in text
    assert list(open_fields(bench.journal, job)) == ["sender"]

    assert answer(bench.journal, job.id, {"sender": "Bolt / Söhne"}) == []
    assert set(bench.tree()) == {"hot/a.pdf"}
    done = bench.run(bench.hot / "a.pdf", output=OUTPUT)
    assert (done.kind, done.job.id) == ("done", job.id)
    assert set(bench.tree()) == {"else/Bolt _ Söhne/2026-03 a.md", "hot.done/a.pdf"}
    assert read(bench) == 1


def test_what_is_required_must_be_sure_though_it_names_nothing(bench: Bench) -> None:
    says(bench, SURE)
    job = ran(bench, require=("total",)).job
    assert list(open_fields(bench.journal, job)) == ["total"]
    for wrong in ({"total": "much"}, {"total": "NaN"}, {"due": "2026-03-12"}, {"nonsense": "x"}):
        with pytest.raises(PaperchuteError):
            answer(bench.journal, job.id, wrong)
    assert answer(bench.journal, job.id, {"total": "1190.50"}) == []
    assert bench.run(bench.hot / "a.pdf", output=OUTPUT, require=("total",)).kind == "done"


def test_an_answer_holds_under_a_changed_rule(bench: Bench) -> None:
    says(bench, UNSURE)
    job = ran(bench).job
    answer(bench.journal, job.id, {"sender": "Bolt"})
    assert bench.run(bench.hot / "a.pdf", output=OUTPUT, retries=1).kind == "done"
    assert "else/Bolt/2026-03 a.md" in bench.tree()


def test_a_field_of_ones_own_names_and_is_asked_for(bench: Bench) -> None:
    find = {"customer": Find(label="Customer no.")}
    rule: Any = {"output": "else/{doc.customer}/{stem}.{ext}", "find": find}
    says(bench, {**SURE, "own": {"customer": {"value": "4711"}, "Nonsense!": {"value": "x"}}})
    assert ran(bench, **rule).kind == "done"
    assert "else/4711/a.md" in bench.tree()
    assert json.loads(str(bench.service.calls[0].parameters["find"])) == {"customer": {"label": "Customer no."}}
    says(bench, {**SURE, "own": {"customer": {"value": None, "candidates": [{"value": "1"}, {"value": "2"}]}}})
    job = bench.run(bench.drop("b.pdf", b"%PDF-1.7 other %%EOF"), **rule).job
    assert (job.error_code, list(open_fields(bench.journal, job))) == ("unsure", ["customer"])
    assert answer(bench.journal, job.id, {"customer": "K/2"}) == []
    assert bench.run(bench.hot / "b.pdf", **rule).kind == "done"
    assert "else/K_2/b.md" in bench.tree()


def test_page_and_data_that_differ_are_asked_whatever_the_rule_needs(bench: Bench) -> None:
    disputed = {
        "value": None,
        "reason": "the page says 119.00, the invoice's embedded data says 191.00",
        "disputed": {"page": "119.00", "data": "191.00"},
        "candidates": [{"value": "119.00"}, {"value": "191.00"}],
    }
    says(bench, {**SURE, "total": disputed, "due": disputed | {"candidates": [{"value": "2026-04-01"}]}})
    job = ran(bench).job
    assert (job.state, job.error_code) == ("failed", "unsure")
    assert list(open_fields(bench.journal, job)) == ["total"]
    assert answer(bench.journal, job.id, {"total": "119.00"}) == []
    assert bench.run(bench.hot / "a.pdf", output=OUTPUT).kind == "done"
    assert read(bench) == 1


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ({"value": "invoice"}, "e-invoice"),
        ({"value": "credit_note"}, "e-credit_note"),
        ({"value": None}, "e-invoice"),  # a code that no word is known for, such as that of a corrected invoice
    ],
)
def test_an_invoice_that_has_come_as_data_is_of_a_kind_of_its_own(bench: Bench, kind: Any, told: str) -> None:
    says(bench, {**SURE, "kind": kind, "eInvoice": {"file": "a.xml", "syntax": "CII", "specification": None}})
    assert ran(bench, output="else/{doc.kind}.{ext}").kind == "done"
    assert f"else/{told}.md" in bench.tree()


@pytest.mark.parametrize("document", [None, [], "x"])
def test_a_service_that_does_not_say_what_is_sure_names_nothing(bench: Bench, document: object) -> None:
    says(bench, document)
    job = ran(bench).job
    assert (job.state, job.error_code) == ("failed", None)
    assert set(bench.tree()) == {"hot.failed/a.pdf", "hot.failed/a.pdf.error.txt"}


@pytest.mark.parametrize("sender", ["..", "../../etc", "CON", "a\\b", "x" * 299, ".hidden"])
def test_no_document_leads_out_of_the_folder(bench: Bench, sender: str, tmp_path: Path) -> None:
    says(bench, {**SURE, "sender": {"value": sender}})
    outcome = ran(bench)
    made = [name for name in bench.tree() if name.endswith(".md")]
    assert outcome.kind == "done" or made == []
    assert all(name.startswith("else/") and name.count("/") == 2 and "/." not in name for name in made)
