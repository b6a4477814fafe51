"""Which rules have a file by what its document says: read once for each original, asked where it is not sure."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paperchute.app.cures import answer, open_fields
from paperchute.errors import PaperchuteError
from paperchute.jobs.model import Outcome
from paperchute.rules.model import Rule
from paperchute.rules.stored import fingerprint
from paperchute.rules.tables import Find
from paperchute.service.model import Call, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.makers import make_rule, new_job, runner_over
from tests.jobs.test_document_fields import read, says

SAID = {
    "kind": {"value": "invoice"},
    "total": {"value": "1190.50"},
    "currency": {"value": "EUR"},
    "sender": {"value": "ACME GmbH"},
}
UNSURE = {**SAID, "kind": {"value": None, "reason": "no title"}, "total": {"value": None}}
LARGE = {"kind": ("invoice",), "total": (">=1000",), "currency": ("EUR",)}


class Office:
    """A bench whose rules can be changed, and whose files come in as the intake has them."""

    def __init__(self, bench: Bench, *rules: Rule) -> None:
        self.bench = bench
        self.rules = rules
        self.runner = runner_over(
            bench.journal, lambda: bench.service, bench.hot.parent / "state" / "work", ladder=lambda _job: self.rules
        )

    def take(self, path: Path) -> int | None:
        new = new_job(self.rules[0], path)
        if any(rule.when for rule in self.rules):
            new = replace(new, ladder=tuple(rule.fingerprint for rule in self.rules))
        return self.bench.journal.inserts.open_job(new)

    def run(self) -> list[Outcome]:
        """Run all that may run, one after the other."""
        self.bench.journal.queue.recover()
        self.bench.journal.queue.retry_now()
        found = []
        while (job := self.bench.journal.queue.next()) is not None:
            found.append(self.runner.run(job))
        return found


def rule(bench: Bench, name: str, **keys: Any) -> Rule:
    made = make_rule(bench.hot, name=name, output=f"else/{name}/{{stem}}.{{ext}}", **keys)
    return made.model_copy(update={"fingerprint": fingerprint(made)})


def placed(bench: Bench) -> set[str]:
    return set(bench.tree())


def test_the_first_rule_whose_conditions_hold_has_the_file(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(
        bench,
        rule(bench, "letters", when={"kind": ("letter",)}),
        rule(bench, "large", when=LARGE),
        rule(bench, "rest"),
    )
    office.take(bench.drop())
    (outcome,) = office.run()
    assert outcome.job.rule.name == "large"
    assert placed(bench) == {"else/large/a.md", "hot.done/a.pdf"}
    assert read(bench) == 1


def test_a_field_of_ones_own_decides_and_is_not_asked_for_where_it_is_nowhere(bench: Bench) -> None:
    find = {"project": Find(pattern="P-[0-9]+")}
    rules = rule(bench, "ours", when={"project": ("P-1*",)}, find=find), rule(bench, "rest", find=find)
    office = Office(bench, *rules)
    for name, own in (
        ("a.pdf", {"value": "P-17"}),
        ("b.pdf", {"value": None}),
        ("c.pdf", {"value": None, "candidates": [{"value": "P-1"}, {"value": "P-2"}]}),
    ):
        says(bench, {**SAID, "own": {"project": own}})
        office.take(bench.drop(name, f"%PDF-1.7 {name} %%EOF".encode()))
        (outcome,) = office.run()
    assert {name for name in placed(bench) if name.startswith("else/")} == {"else/ours/a.md", "else/rest/b.md"}
    assert list(open_fields(bench.journal, outcome.job)) == ["project"]


def test_also_gives_the_file_to_further_rules_and_files_it_once(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(
        bench,
        rule(bench, "index", also=True),
        rule(bench, "large", also=True, when=LARGE),
        rule(bench, "letters", when={"kind": ("letter",)}),
        rule(bench, "rest"),
        rule(bench, "never"),
    )
    office.take(bench.drop())
    assert [outcome.kind for outcome in office.run()] == ["done"] * 3
    assert placed(bench) == {"else/index/a.md", "else/large/a.md", "else/rest/a.md", "hot.done/a.pdf"}
    assert read(bench) == 1


def test_what_no_rule_has_stays_and_is_read_once(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(bench, rule(bench, "letters", when={"kind": ("letter",)}))
    path = bench.drop()
    office.take(path)
    (outcome,) = office.run()
    assert (outcome.kind, outcome.job.error_code) == ("cancelled", "untaken")
    assert placed(bench) == {"hot/a.pdf"}
    assert "invoice" in (outcome.job.note or "")
    assert office.take(path) is None, "neither it nor the rules have changed"

    office.rules = (*office.rules, rule(bench, "large", when=LARGE))
    assert office.take(path) == outcome.job.id
    office.run()
    assert placed(bench) == {"else/large/a.md", "hot.done/a.pdf"}
    assert read(bench) == 1


def test_what_no_rule_had_goes_on_once_a_rule_asks_nothing(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(bench, rule(bench, "letters", when={"kind": ("letter",)}))
    path = bench.drop()
    office.take(path)
    office.run()
    office.rules = (rule(bench, "letters"),)
    assert office.take(path) is not None
    office.run()
    assert placed(bench) == {"else/letters/a.md", "hot.done/a.pdf"}


def test_only_what_decides_is_asked(bench: Bench) -> None:
    says(bench, UNSURE)
    office = Office(
        bench,
        rule(bench, "dollars", when={"currency": ("USD",), "total": (">=1000",)}),
        rule(bench, "large", when=LARGE),
        rule(bench, "rest"),
    )
    office.take(bench.drop())
    job = office.run()[-1].job
    assert (job.state, job.error_code) == ("failed", "unsure")
    assert list(open_fields(bench.journal, job)) == ["kind", "total"], "another currency rules the first rule out"
    with pytest.raises(PaperchuteError):
        answer(bench.journal, job.id, {"sender": "Beta"})
    with pytest.raises(PaperchuteError, match="invoce"):
        answer(bench.journal, job.id, {"kind": "invoce"})  # which no rule can ask for
    assert answer(bench.journal, job.id, {"kind": "letter"}) == [], "no total is asked of a letter"
    assert office.take(bench.hot / "a.pdf") == job.id
    office.run()
    assert placed(bench) == {"else/rest/a.md", "hot.done/a.pdf"}
    assert read(bench) == 1


@pytest.mark.parametrize(("said", "place"), [("1000", "large"), ("999.99", "rest"), ("-", "rest")])
def test_an_answer_decides(bench: Bench, said: str, place: str) -> None:
    says(bench, UNSURE)
    office = Office(bench, rule(bench, "large", when=LARGE), rule(bench, "rest"))
    office.take(bench.drop())
    job = office.run()[-1].job
    assert answer(bench.journal, job.id, {"kind": "invoice"}) == ["total"]
    assert answer(bench.journal, job.id, {"total": said}) == []
    office.take(bench.hot / "a.pdf")
    office.run()
    assert placed(bench) == {f"else/{place}/a.md", "hot.done/a.pdf"}


def test_there_is_none_names_no_result(bench: Bench) -> None:
    says(bench, {**SAID, "sender": {"value": None}})
    named = rule(bench, "rest").model_copy(update={"output": "else/{doc.sender}/{stem}.{ext}", "fingerprint": "named"})
    office = Office(bench, rule(bench, "acme", when={"sender": ("ACME*",)}), named)
    office.take(bench.drop())
    job = office.run()[-1].job
    answer(bench.journal, job.id, {"sender": "-"})
    office.take(bench.hot / "a.pdf")
    (outcome,) = office.run()
    assert outcome.job.error_code == "unsure", "a result cannot be named after nothing"
    assert answer(bench.journal, job.id, {"sender": "Beta AG"}) == []
    office.take(bench.hot / "a.pdf")
    office.run()
    assert placed(bench) == {"else/Beta AG/a.md", "hot.done/a.pdf"}


def test_a_failed_companion_goes_on_alone(bench: Bench) -> None:
    says(bench, SAID)
    made = bench.service.on_call
    office = Office(bench, rule(bench, "large", also=True, when=LARGE), rule(bench, "rest"))
    answered: list[str] = []

    def second_fails(call: Call) -> None:
        assert made is not None
        if call.operation != "document-extract":
            answered.append(call.operation)
        if len(answered) == 2:
            raise ServiceError("No.", kind="bad-input")
        made(call)

    bench.service.on_call = second_fails
    office.take(bench.drop())
    jobs = [outcome.job for outcome in office.run()]
    assert placed(bench) == {"else/large/a.md", "hot.failed/a.pdf", "hot.failed/a.pdf.error.txt"}
    bench.bring_back(next(job for job in jobs if job.state == "failed"))
    office.take(bench.hot / "a.pdf")
    office.run()
    assert placed(bench) == {"else/large/a.md", "else/rest/a.md", "hot.done/a.pdf"}
    assert (read(bench), len(answered)) == (1, 3), "nothing is paid for twice"


def test_a_crash_after_reading_reads_nothing_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    says(bench, SAID)
    office = Office(bench, rule(bench, "large", also=True, when=LARGE), rule(bench, "rest"))
    office.take(bench.drop())
    with monkeypatch.context() as patch:
        patch.setattr(type(bench.journal.decisions), "take", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            office.run()
    assert office.take(bench.hot / "a.pdf") is None, "it is being worked on"
    office.run()
    assert placed(bench) == {"else/large/a.md", "else/rest/a.md", "hot.done/a.pdf"}
    assert read(bench) == 1


def test_other_times_of_the_same_bytes_are_not_read_again(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(bench, rule(bench, "large", original="keep", when=LARGE))
    path = bench.drop()
    office.take(path)
    office.run()
    os.utime(path, ns=(1, 1))
    assert office.take(path) is not None
    (outcome,) = office.run()
    assert outcome.kind == "cancelled"
    assert len(bench.service.calls) == 2, "one reads it, one makes the result"


def test_files_that_say_nothing_go_to_rules_that_ask_nothing(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(bench, rule(bench, "large", when=LARGE), rule(bench, "rest"))
    office.take(bench.drop("notes.txt", b"total 5000"))
    office.run()
    assert placed(bench) == {"else/rest/notes.md", "hot.done/notes.txt"}
    assert read(bench) == 0


def test_rules_that_are_gone_give_the_file_back(bench: Bench) -> None:
    says(bench, SAID)
    office = Office(bench, rule(bench, "large", when=LARGE))
    path = bench.drop()
    office.take(path)
    office.rules = ()
    (outcome,) = office.run()
    assert outcome.kind == "cancelled"
    assert [changed.path for changed in outcome.changed] == [path]
    assert read(bench) == 0
