"""What a rule has made does not go through it again, by whatever path it comes back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from paperchute.files.identity import hash_of, key_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.lineage import why_round
from paperchute.jobs.model import Member, NewJob, Written
from paperchute.rules.model import Rule
from tests.jobs.makers import make_rule, new_job
from tests.journeys.daemon import Paperchute, wait_until
from tests.journeys.documents import write_pdf


@pytest.fixture(name="journal")
def _journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal.sqlite")


def _file(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def _asked(rule: Rule, *paths: Path) -> NewJob:
    members = []
    for path in paths:
        key = key_of(path)
        assert key is not None
        members.append(Member(path, key))
    return NewJob(rule, paths[0], new_job(rule, paths[0]).relative, tuple(members))


def _did(journal: Journal, rule: Rule, source: Path, result: Path) -> None:
    """The rule makes `result` of `source`."""
    number = journal.inserts.open_job(new_job(rule, source))
    job = journal.queries.job(number or 0)
    assert job is not None
    journal.calls.note_hashes(job, (hash_of(source),))
    written = Written(result, hash_of(result), rule.name, result, job.id, result.stat().st_size)
    journal.plans.delivered(job, [written])
    journal.completion.finish(job, "done", kept=False)


def test_a_rule_does_not_have_its_own_result_wherever_it_lies(journal: Journal, tmp_path: Path) -> None:
    rule = make_rule(tmp_path / "hot")
    source, result = _file(tmp_path / "hot/a.pdf", b"a"), _file(tmp_path / "out/a.pdf", b"A result")
    assert why_round(journal, _asked(rule, source)) == ""
    _did(journal, rule, source, result)
    again = _file(tmp_path / "hot/b.pdf", b"A result")
    assert "has made it itself" in why_round(journal, _asked(rule, again))
    assert why_round(journal, _asked(rule, _file(tmp_path / "hot/c.pdf", b"A other!"))) == "", "of the same size"


def test_a_chain_goes_once_through_each_rule_and_no_further(journal: Journal, tmp_path: Path) -> None:
    one, two = make_rule(tmp_path / "one", name="one"), make_rule(tmp_path / "two", name="two")
    first, second = _file(tmp_path / "one/a.pdf", b"1"), _file(tmp_path / "two/a.pdf", b"22")
    _did(journal, one, first, second)
    assert why_round(journal, _asked(two, second)) == ""
    third = _file(tmp_path / "one/b.pdf", b"333")
    _did(journal, two, second, third)
    assert why_round(journal, _asked(one, third)) != ""
    assert why_round(journal, _asked(make_rule(tmp_path / "one", name="three"), third)) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
def test_people_may_put_earlier_results_together_but_no_set_feeds_itself(journal: Journal, tmp_path: Path) -> None:
    rule = make_rule(tmp_path / "hot", gather="batch")
    source, result = _file(tmp_path / "hot/a.pdf", b"a"), _file(tmp_path / "out/a.pdf", b"merged")
    _did(journal, rule, source, result)
    copy = _file(tmp_path / "hot/month.pdf", b"merged")
    assert why_round(journal, _asked(rule, copy)) == ""
    (tmp_path / "hot/back").symlink_to(tmp_path / "out")
    assert why_round(journal, _asked(rule, tmp_path / "hot/back/a.pdf")) != ""


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there that people lack")
def test_a_loop_through_a_link_is_paid_for_once_and_said(tmp_path: Path) -> None:
    (tmp_path / "hot").mkdir()
    (tmp_path / "up").symlink_to(".")
    rules = "version = 1\n[[rule]]\nname = 'a'\nfolder = 'hot'\noperation = 'pdf-to-editable'\n"
    paperchute = Paperchute(tmp_path, rules + "output = 'up/hot/{stem}_ocr.{ext}'\n")
    assert "endlessly" in paperchute.run("check").stdout
    write_pdf(tmp_path / "hot" / "a.pdf", "Letter")
    paperchute.start()
    try:
        wait_until(lambda: bool(paperchute.said()["untaken"]))
        said = paperchute.said()
        assert "does not go through it again" in said["untaken"][0]["reason"]
        assert any("endlessly" in one for one in said["troubles"])
        assert said["jobs"]["done"] == 1
        assert (tmp_path / "hot" / "a_ocr.pdf").is_file()
    finally:
        paperchute.stop()
