"""Whoever may write to a hot folder has nothing of the user's read through a link in the place of a sub-folder.

The stat that a job remembers is no help where the link was there when the file was judged, so each file is opened from
the hot folder down, name by name.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from paperchute.files.identity import key_of
from paperchute.jobs.inputs import inputs_of
from paperchute.jobs.model import Job
from paperchute.jobs.work import Work
from paperchute.rules.tables import Step
from paperchute.service.html_assets import with_neighbours
from paperchute.service.model import Call, InputChangedError
from paperchute.service.upload import Form
from tests.jobs.bench import Bench
from tests.jobs.makers import make_rule, new_job

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")

SECRET = b"%PDF-1.7 private %%EOF"


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A folder of the user that has nothing to do with any rule."""
    folder = tmp_path / "private"
    folder.mkdir()
    for name in ("a.pdf", "a.csv", "a.url", "a.png", "a.html"):
        (folder / name).write_bytes(SECRET)
    return folder


@pytest.fixture
def swap(bench: Bench, private: Path) -> Callable[[], None]:
    """Puts a link to it where the sub-folder of the hot folder was."""

    def swapped() -> None:
        shutil.rmtree(bench.hot / "sub", ignore_errors=True)
        (bench.hot / "sub").symlink_to(private)

    return swapped


@pytest.mark.parametrize("name", ["sub/a.pdf", "link.pdf"])
def test_no_job_is_made_of_what_only_a_link_leads_to(bench: Bench, swap: Callable[[], None], name: str) -> None:
    new = new_job(make_rule(bench.hot, recursive=True), bench.drop(name))
    swap()
    (bench.hot / "link.pdf").unlink(missing_ok=True)
    (bench.hot / "link.pdf").symlink_to("sub/a.pdf")
    assert bench.journal.inserts.open_job(new) is None


@pytest.mark.parametrize(
    ("name", "operation"), [("a.pdf", "pdf-to-markdown"), ("a.html", "html-to-pdf"), ("a.url", "pdf-generate")]
)
def test_what_a_link_leads_to_by_now_is_not_sent(
    bench: Bench, swap: Callable[[], None], name: str, operation: str
) -> None:
    job = bench.queue(bench.drop(f"sub/{name}", SECRET), recursive=True, steps=(Step(operation, {}),))
    swap()
    sent: list[bytes] = []

    def send(call: Call) -> None:
        with Form(call) as form:
            sent.extend(form)

    bench.service.on_call = send
    assert bench.runner.run(judged_again(job)).kind != "done"
    assert not sent
    assert not (bench.hot.parent / "hot.out").exists()


def test_rows_are_not_read_through_a_link(bench: Bench, swap: Callable[[], None]) -> None:
    path = bench.drop("sub/a.csv", b"name\nAnna\n")
    job = bench.queue(path, recursive=True, gather="rows", steps=(Step("pdf-generate", {}),))
    assert inputs_of(Work(job, {})).rows
    swap()
    with pytest.raises(InputChangedError):
        inputs_of(Work(judged_again(job), {}))


def test_a_page_takes_nothing_along_from_behind_a_link(bench: Bench, swap: Callable[[], None]) -> None:
    page = b'<p><img src="a.png"><img src="sub/a.png">'
    above, inside = bench.drop("page.html", page), bench.drop("sub/page.html", page)
    for path in (bench.drop("sub/a.png", b"mine"), above, inside):
        assert path.is_file()
    assert b"data:" in with_neighbours(page, inside, bench.hot, {})
    assert b"data:" in with_neighbours(page, above, bench.hot, {})
    swap()
    missing: dict[str, str] = {}
    assert with_neighbours(page, inside, bench.hot, missing) == page
    assert with_neighbours(page, above, bench.hot, missing) == page
    assert missing


def test_a_folder_swapped_between_the_look_and_the_reading_is_not_gone_through(
    bench: Bench, swap: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = b'<p><img src="sub/a.png">'
    above = bench.drop("page.html", page)
    bench.drop("sub/a.png", b"mine")
    look = Path.is_file

    def looked(path: Path) -> bool:
        found = look(path)
        swap()
        return found

    monkeypatch.setattr(Path, "is_file", looked)
    assert with_neighbours(page, above, bench.hot, {}) == page


def judged_again(job: Job) -> Job:
    """The job as it stands where the link was there when its file was judged: by its stat nothing has changed."""
    return replace(job, members=tuple(replace(m, key=key_of(m.path) or m.key) for m in job.members))
