"""Results come to whoever has a session, from other machines too: by the journal's own paths, and never to be run."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from paperchute.app import results as app_results
from paperchute.jobs.model import Job
from tests.jobs.makers import new_job, runner_over
from tests.jobs.scripted import Scripted
from tests.page.test_log_in import Remote

PAGE = b"<script>document.title = 'mine'</script>"


@pytest.fixture(name="remote")
def _remote(tmp_path: Path) -> Iterator[Remote]:
    remote = Remote(tmp_path)
    remote.log_in()
    yield remote
    remote.close()


def done(remote: Remote, name: str, *files: tuple[str, bytes]) -> Job:
    """A job with these results."""
    journal, rule = remote.daemon.journal, remote.daemon.rules.rules[0]
    (rule.folder / name).write_bytes(b"%PDF")
    assert journal.inserts.open_job(new_job(rule, rule.folder / name))
    job = journal.queue.next()
    assert job is not None
    service = Scripted(*files)
    assert runner_over(journal, lambda: service, remote.daemon.state.work).run(job).kind == "done"
    found = journal.queries.job(job.id)
    assert found is not None
    return found


def address(remote: Remote, job: int, which: str = "") -> httpx.Response:
    path = f"/api/jobs/{job}/results/{which}fetch"
    return remote.client.post(path, headers=remote.origin)


def test_a_result_is_fetched_once_as_a_file_that_nothing_shows(remote: Remote) -> None:
    job = done(remote, "ä b.pdf", ("result.md", PAGE))
    where = address(remote, job.id).json()["address"]
    del remote.client.headers["Authorization"]  # as a browser fetches it
    answer = remote.client.get(where, headers={"Sec-Fetch-Site": "same-origin"})
    assert (answer.status_code, answer.content) == (200, PAGE)
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4%20b.md"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"].split(", ")
    assert remote.client.get(where).status_code == 404


def test_several_are_one_archive_and_what_is_missing_is_said_before(remote: Remote) -> None:
    job = done(remote, "a.pdf", ("one.md", b"1" * 700_000), ("deep/two.png", b"\x89PNG\r\n\x1a\n"), ("three.md", b""))
    answer = remote.client.get(address(remote, job.id).json()["address"])
    assert answer.headers["content-disposition"].endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        held = {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert held == {path.name: path.read_bytes() for path in job.outputs}
    for number, path in enumerate(job.outputs):
        one = remote.client.get(address(remote, job.id, f"{number}/").json()["address"])
        assert one.content == path.read_bytes()
    job.outputs[1].unlink()
    refused = address(remote, job.id)
    assert refused.status_code == 409
    assert job.outputs[1].name in refused.json()["reason"]


def test_nothing_else_can_be_named_and_no_link_is_followed(remote: Remote, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine", "utf-8")
    job = done(remote, "a.pdf", ("result.md", b"text"))
    for which in ("1/", "99/", "-1/", "..%2f/", "x/"):
        assert address(remote, job.id, which).status_code == 404
    assert address(remote, 99).status_code == 409
    (result,) = job.outputs
    waiting = address(remote, job.id).json()["address"]
    result.unlink()
    try:
        result.symlink_to(tmp_path / "secret")
    except OSError:
        pytest.skip("this user may not make links")
    assert b"mine" not in remote.client.get(waiting).content
    for answer in (
        address(remote, job.id),
        remote.client.get(f"/api/jobs/{job.id}/results/0"),
        remote.client.get(f"/api/jobs/{job.id}/result/thumbnail"),
    ):
        assert answer.status_code in (404, 409)
        assert "mine" not in answer.text


def test_an_address_serves_nobody_else_and_no_longer_than_its_session(remote: Remote) -> None:
    job = done(remote, "a.pdf", ("result.md", b"text"))
    door = remote.page._door
    assert door is not None
    where = address(remote, job.id).json()["address"]
    with httpx.Client(base_url=f"http://127.0.0.1:{door.port}", trust_env=False) as here:
        assert here.get(where).status_code == 404
    where = address(remote, job.id).json()["address"]
    other = {"Origin": "http://attacker.example"}
    assert remote.client.get(where, headers=other).status_code == 403
    assert remote.client.get(where, headers={"Sec-Fetch-Site": "same-site"}).status_code == 403
    assert remote.client.post("/api/log-out", headers=remote.origin).status_code == 200
    assert remote.client.get(where).status_code == 404
    assert address(remote, job.id).status_code == 401


def test_what_is_too_much_is_refused_before_it_begins(remote: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    job = done(remote, "a.pdf", ("one.md", b"1"), ("two.md", b"22"))
    monkeypatch.setattr(app_results, "_MOST_BYTES", 2)
    answer = remote.client.get(address(remote, job.id).json()["address"])
    assert (answer.status_code, answer.headers["content-type"]) == (409, "text/plain; charset=utf-8")


def test_it_is_seen_on_the_page_as_text_that_the_reader_made(remote: Remote) -> None:
    job = done(remote, "a.pdf", ("result.md", b"# Title\n\n" + PAGE))
    seen = remote.client.get(f"/api/jobs/{job.id}/results/0").json()
    assert seen["text"] == ["# Title", "", PAGE.decode()]
    assert seen["picture"] == ""
    assert remote.client.get(f"/api/jobs/{job.id}/results/0?page=x").status_code == 400


def test_a_fetch_that_is_cut_off_leaves_room_for_others(remote: Remote) -> None:
    job = done(remote, "a.pdf", ("one.md", b"1" * 3_000_000), ("two.md", b"2" * 3_000_000))
    for _number in range(12):
        with remote.client.stream("GET", address(remote, job.id).json()["address"]) as cut:
            assert cut.status_code == 200
            next(cut.iter_raw())
    assert remote.client.get(address(remote, job.id).json()["address"]).status_code == 200
