"""Papers that were scanned twice, under rules which compare what files hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from paperchute.jobs.model import Outcome
from paperchute.service.model import Answer, Call, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.fingerprints import LETTER, scan_of
from tests.jobs.interrupted import crashes_at_write
from tests.jobs.makers import runner_over
from tests.jobs.scripted import Scripted

FIRST, AGAIN = scan_of(LETTER), scan_of(LETTER, degrees=1.5, shift=8 - 5j)
OTHER_NUMBER = scan_of(["RE-20418" if word == "RE-20417" else word for word in LETTER])
OTHER_WORD = scan_of(["Tinder" if word == "Timber" else word for word in LETTER])


class Reading(Scripted):
    """A service that gives the fingerprint which a file of the test holds, behind the head of a PDF."""

    def download(self, answer: Answer, operation: str, folder: Path) -> list[Path]:
        if operation != "document-fingerprint":
            return super().download(answer, operation, folder)
        path = folder / "found.json"
        path.write_bytes(self.calls[int(answer.task_id.removeprefix("task-")) - 1].files[0][1].read_bytes()[8:-5])
        return [path]

    @property
    def asked(self) -> list[str]:
        return [call.operation for call in self.calls]


@dataclass
class Scans:
    """A bench whose rule compares what files hold."""

    bench: Bench
    service: Reading

    def drop(self, name: str, fingerprint: bytes) -> Path:
        return self.bench.drop(name, b"%PDF-1.7" + fingerprint + b"%%EOF")

    def run(self, name: str, fingerprint: bytes, duplicates: str = "skip") -> Outcome:
        rule = {"duplicates": duplicates, "duplicates_by": "content"}
        return self.bench.run(self.drop(name, fingerprint), **rule)


@pytest.fixture
def scans(bench: Bench) -> Scans:
    service = Reading()
    runner = runner_over(bench.journal, lambda: service, bench.hot.parent / "state" / "work")
    return Scans(replace(bench, service=service, runner=runner), service)


def test_a_second_scan_is_filed_and_says_where_the_first_is(scans: Scans) -> None:
    first, second = scans.run("a.pdf", FIRST), scans.run("b.pdf", AGAIN)
    assert (first.kind, second.kind) == ("done", "done")
    assert "by text and picture" in str(second.job.note)
    assert str(Path("hot.done", "a.pdf")) in str(second.job.note)
    assert set(scans.bench.tree()) == {"hot.done/a.pdf", "hot.done/b.pdf", "hot.out/a.md"}
    assert scans.service.asked == ["document-fingerprint", "pdf-to-markdown", "document-fingerprint"]


def test_the_very_same_bytes_are_known_without_being_read(scans: Scans) -> None:
    scans.run("a.pdf", FIRST)
    assert "by text" not in str(scans.run("b.pdf", FIRST).job.note)
    assert scans.service.asked == ["document-fingerprint", "pdf-to-markdown"]


def test_another_number_is_another_document(scans: Scans) -> None:
    scans.run("a.pdf", FIRST)
    assert scans.run("b.pdf", OTHER_NUMBER).job.outputs
    assert scans.run("c.pdf", OTHER_NUMBER, "ask").job.error_code == "duplicate"


@pytest.mark.parametrize("duplicates", ["skip", "ask"])
def test_what_is_not_sure_is_asked_or_done(scans: Scans, duplicates: str) -> None:
    scans.run("a.pdf", FIRST, duplicates)
    found = scans.run("b.pdf", OTHER_WORD, duplicates)
    said = [event.text for event in scans.bench.journal.history.events(found.job.id)]
    assert any("perhaps the same as" in text and "a.pdf" in text for text in said)
    if duplicates == "skip":
        assert found.job.outputs
    else:
        assert found.job.error_code == "duplicate"
        assert "hot.failed/b.pdf" in scans.bench.tree()


def test_while_the_first_is_at_work_the_second_waits(scans: Scans) -> None:
    rule = {"duplicates": "skip", "duplicates_by": "content"}
    first, seconds = scans.bench.queue(scans.drop("a.pdf", FIRST), **rule), list[Outcome]()

    def meanwhile(call: Call) -> None:
        if call.operation != "document-fingerprint" and not seconds:
            seconds.append(scans.bench.runner.run(scans.bench.queue(scans.drop("b.pdf", AGAIN), **rule)))

    scans.service.on_call = meanwhile
    assert scans.bench.runner.run(first).kind == "done"
    assert seconds[0].kind == "waiting"
    scans.bench.again()
    assert scans.service.asked.count("pdf-to-markdown") == 1
    assert scans.service.asked.count("document-fingerprint") == 2


def test_a_document_that_cannot_be_read_is_compared_with_none(scans: Scans) -> None:
    def refuse(call: Call) -> None:
        if call.operation == "document-fingerprint":
            raise ServiceError("It is damaged.", kind="bad-input", code="02207")

    scans.service.on_call = refuse
    done = scans.run("a.pdf", FIRST)
    assert done.kind == "done"
    assert done.job.outputs
    said = [event.text for event in scans.bench.journal.history.events(done.job.id)]
    assert any("not compared" in text and "damaged" in text for text in said)
    scans.service.on_call = lambda call: None
    assert scans.run("b.pdf", b"[]").job.outputs, "nor one whose fingerprint is none"


def test_a_crash_at_any_write_does_each_paper_once(scans: Scans) -> None:
    scans.run("a.pdf", FIRST)
    number, crashed, bench = 1, True, scans.bench
    while crashed:
        again = scan_of(LETTER, degrees=number / 50)
        job = bench.queue(scans.drop(f"{number}.pdf", again), duplicates="skip", duplicates_by="content")
        crashed = crashes_at_write(number, partial(bench.runner.run, job), after=True)
        bench.journal.queue.recover()
        while (left := bench.journal.queue.next()) is not None:
            assert bench.runner.run(left).kind == "done"
        assert f"hot.done/{number}.pdf" in bench.tree()
        number += 1
    assert number > 5
    assert scans.service.asked.count("pdf-to-markdown") == 1
