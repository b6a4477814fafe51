"""The page's history finds what was done, and takes it back as `paperchute undo` does."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from paperchute.app.indexer import Indexer
from paperchute.app.search_index import Entry, SearchIndex
from paperchute.jobs.model import Job
from paperchute.jobs.undo import trash
from paperchute.page.picture import picture
from tests.jobs.makers import new_job, runner_over
from tests.jobs.scripted import Scripted
from tests.page.conftest import Shown


@pytest.fixture(autouse=True)
def _inside(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise PermissionError(13, "no trash", path)

    monkeypatch.setattr(trash, "send2trash", refuse)
    shown.enter()


def done(shown: Shown, name: str, text: bytes, indexed: bool = True) -> Job:
    """A job of the first rule, done and, where wanted, in the index."""
    journal = shown.daemon.journal
    rule = shown.daemon.rules.rules[0]
    shown.hot.mkdir(exist_ok=True)
    (shown.hot / name).write_bytes(b"%PDF " + text)
    assert journal.inserts.open_job(new_job(rule, shown.hot / name))
    job = journal.queue.next()
    assert job is not None
    service = Scripted(("result.md", text))
    assert runner_over(journal, lambda: service, shown.state.work).run(job).kind == "done"
    if indexed:
        index = SearchIndex(shown.state.search_index)
        Indexer(journal, shown.state.search_index).index(index)
        index.close()
    return job


def test_the_last_results_are_those_of_the_journal_whoever_did_them(shown: Shown) -> None:
    """A daemon that has just started has done none of them itself, and what was taken back is no result any longer."""
    jobs = [done(shown, name, b"telegraph") for name in ("a.pdf", "b.pdf", "c.pdf")]
    told = picture(shown.daemon, [])["results"]
    assert [(one["job"], one["name"]) for one in told] == [(job.id, f"{job.path.stem}.md") for job in reversed(jobs)]
    assert shown.client.post(f"/api/jobs/{jobs[1].id}/undo").is_success
    assert [one["job"] for one in picture(shown.daemon, [])["results"]] == [jobs[2].id, jobs[0].id]


def names(shown: Shown, words: str, limit: int = 50) -> list[str]:
    answer = shown.client.get("/api/history", params={"words": words, "limit": str(limit)}).json()
    return [one["name"] for one in answer["jobs"]]


def test_beside_work_the_index_takes_less_of_the_processor(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    rested: list[float] = []
    for name in ("a.pdf", "b.pdf"):
        done(shown, name, b"telegraph", indexed=False)
    clock = SimpleNamespace(monotonic=count().__next__)  # whatever it does takes 1
    monkeypatch.setattr("paperchute.app.indexer.time", clock)
    for busy in (False, True):
        path = shown.state.search_index.with_name(f"{busy}.sqlite")
        index, indexer = SearchIndex(path), Indexer(shown.daemon.journal, path, partial(bool, busy))
        monkeypatch.setattr(indexer._stopping, "wait", rested.append)
        indexer.index(index)
        assert len(index.search("telegraph", 9)) == 2
        index.close()
    assert rested == [4, 4, 4, 19, 19, 19], "after each job, and after putting them in"


def test_text_is_indexed_without_a_reader(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(*_: object) -> None:
        raise AssertionError("nothing is parsed in what is text")

    monkeypatch.setattr("paperchute.app.indexer.readers.read", asked)
    done(shown, "a.pdf", "# Grüße\n".encode())
    assert names(shown, "gruße") == ["a.pdf"]


def test_what_an_end_leaves_of_a_batch_is_put_in_after_the_next_start(shown: Shown) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        done(shown, name, b"telegraph", indexed=False)
    index = SearchIndex(shown.state.search_index)
    first = Indexer(shown.daemon.journal, shown.state.search_index)
    entry_of = first._entry

    def stopped_within(job: Job) -> Entry:
        first.stop(0.0)
        return entry_of(job)

    first._entry = stopped_within  # type: ignore[method-assign]
    first.index(index)
    assert names(shown, "telegraph") == ["a.pdf"]
    Indexer(shown.daemon.journal, shown.state.search_index).index(index)
    index.close()
    assert names(shown, "telegraph") == ["c.pdf", "b.pdf", "a.pdf"]


def test_what_was_done_is_found_by_its_words(shown: Shown) -> None:
    done(shown, "Angebot Müller.pdf", b"The telegraph is due in March.")
    done(shown, "b.pdf", "发票编号一二三".encode())
    assert names(shown, "") == ["b.pdf", "Angebot Müller.pdf"]
    for words in ("mull", "TELEGR march", "read müller", "müller.md"):
        assert names(shown, words) == ["Angebot Müller.pdf"], words
    assert names(shown, "编号") == ["b.pdf"]
    for words in ("telegraph april", 'x" OR name:*', "NEAR(", "*", "-"):
        assert names(shown, words) == [], words
    assert shown.client.get("/api/history", params={"limit": "1"}).json()["more"] is True
    assert shown.client.get("/api/history", params={"limit": "all"}).status_code == 400


def test_a_job_is_taken_back_after_its_preview(shown: Shown) -> None:
    job = done(shown, "a.pdf", b"one")
    result = job.rule.folder.with_name("in.out") / "a.md"
    preview = shown.client.get(f"/api/jobs/{job.id}/undo").json()
    assert (preview["trash"], preview["back"], preview["why_not"]) == ([str(result)], [str(job.path)], "")
    assert result.exists()
    assert shown.client.post(f"/api/jobs/{job.id}/undo").status_code == 200
    assert not result.exists()
    assert job.path.exists()
    (one,) = shown.client.get("/api/history").json()["jobs"]
    assert (one["state"], one["original"], one["undoable"], one["held"]) == ("undone", str(job.path), False, True)
    assert shown.client.post(f"/api/jobs/{job.id}/retry").status_code == 200
    assert shown.client.get("/api/history").json()["jobs"][0]["held"] is False


def test_what_cannot_be_taken_back_is_said(shown: Shown) -> None:
    job = done(shown, "a.pdf", b"one")
    (job.rule.folder.with_name("in.out") / "a.md").write_bytes(b"mine")
    assert "was changed" in shown.client.get(f"/api/jobs/{job.id}/undo").json()["why_not"]
    answer = shown.client.post(f"/api/jobs/{job.id}/undo")
    assert (answer.status_code, "was changed" in answer.json()["reason"]) == (409, True)
    assert shown.client.get("/api/jobs/99/undo").status_code == 409
    assert shown.client.post("/api/jobs/99/open-result").status_code == 404


def test_without_a_session_nothing_is_told(shown: Shown) -> None:
    del shown.client.headers["Authorization"]
    assert shown.client.get("/api/history").status_code == 401
    assert shown.client.get("/api/jobs/1/undo").status_code == 401


def test_the_index_forgets_with_the_journal_and_has_no_more_than_it_may(shown: Shown, tmp_path: Path) -> None:
    job = done(shown, "a.pdf", b"telegraph")
    index = SearchIndex(shown.state.search_index, most_bytes=1)
    assert index.search("telegraph", 9) == [job.id]
    index.cut()
    assert (index.search("telegraph", 9), index.search("a.pdf", 9)) == ([], [job.id])
    assert shown.daemon.journal.retention.forget([job.id])
    Indexer(shown.daemon.journal, shown.state.search_index).forget(index)
    assert index.search("a.pdf", 9) == []
    index.close()
    assert b"telegraph" not in shown.state.search_index.read_bytes()
    (tmp_path / "damaged").write_bytes(b"no database at all, and long enough to be read as one" * 100)
    assert SearchIndex(tmp_path / "damaged").search("x", 1) == []


def test_secrets_in_use_are_in_no_index(shown: Shown) -> None:
    from paperchute.redaction import in_use

    in_use("Sesame-open-4711")
    done(shown, "a.pdf", b"The password is Sesame-open-4711 today")
    assert names(shown, "password today") == ["a.pdf"]
    assert names(shown, "sesame") == []
