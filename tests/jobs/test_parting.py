"""A set whose files are filed one by one, or copied to another disk: what is planted, or saved anew, meanwhile."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperchute.files import copies, placement
from paperchute.files.folder import Folder
from paperchute.jobs import relocation
from paperchute.jobs.model import FilingPlan, Job
from paperchute.rules.tables import Step
from tests.jobs.bench import Bench, failing
from tests.jobs.makers import other_file_system, set_job

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of the user with files named like those of a set."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "1.pdf").write_bytes(b"mine")
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system."""
    there = other_file_system(tmp_path)
    if there is None:
        pytest.skip("there is no other file system to write to")
    folder = Path(tempfile.mkdtemp(dir=there))
    yield folder
    shutil.rmtree(folder)


def merging(bench: Bench, name: str = "set", **rule: object) -> Job:
    for number in (1, 2):
        bench.drop(f"{name}/{number}.pdf", b"%%PDF %d" % number)
    return set_job(bench.journal, bench.hot, name, gather="folder", steps=(Step("pdf-merge", {}),), **rule)


@pytest.mark.parametrize("sibling", ["done", "failed"])
def test_files_filed_one_by_one_go_round_a_planted_link(
    sibling: str, bench: Bench, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is out, and the folder's other jobs need not wait for somebody who takes the link away."""
    beside = bench.hot.parent / f"hot.{sibling}"
    beside.mkdir()
    (beside / "sub").symlink_to(victim)
    if sibling == "failed":
        bench.service.on_call = failing("bad-input")
    monkeypatch.setattr(relocation, "has_more", lambda job: True)
    outcome = bench.runner.run(merging(bench, "sub/set", recursive=True))
    assert outcome.kind == sibling
    assert (beside / "sub (2)" / "set" / "1.pdf").read_bytes() == b"%PDF 1"
    assert [path.name for path in victim.iterdir()] == ["1.pdf"]


@pytest.mark.parametrize("planted", ["the folder", "one within", "a file's name"])
def test_a_link_planted_after_the_plan_is_gone_round_too(
    planted: str, bench: Bench, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned_apart = relocation.planned_apart

    def planting(job: Job, plan: FilingPlan) -> FilingPlan:
        made = planned_apart(job, plan)
        if made.target.name == "set":
            made.target.parent.mkdir(exist_ok=True)
            match planted:
                case "the folder":
                    made.target.symlink_to(victim)
                case "one within":
                    made.target.mkdir()
                    (made.target / "deep").symlink_to(victim)
                case "a file's name":
                    made.target.mkdir()
                    (made.target / "1.pdf").symlink_to(victim / "1.pdf")
        return made

    monkeypatch.setattr(relocation, "has_more", lambda job: True)
    monkeypatch.setattr(relocation, "planned_apart", planting)
    bench.drop("set/deep/3.pdf", b"%PDF 3")
    assert bench.runner.run(merging(bench)).kind == "done"
    filed = [path.read_bytes() for path in (bench.hot.parent / "hot.done").rglob("*.pdf") if not path.is_symlink()]
    assert sorted(filed) == [b"%PDF 1", b"%PDF 2", b"%PDF 3"]
    assert {path.name: path.read_bytes() for path in victim.iterdir()} == {"1.pdf": b"mine"}


def test_a_link_under_the_hidden_name_does_not_keep_a_set_from_being_deleted(bench: Bench, victim: Path) -> None:
    job = merging(bench, original="delete")
    (bench.hot / placement.temporary_name(job.token)).symlink_to(victim)
    assert bench.runner.run(job).kind == "done"
    assert list(bench.hot.iterdir()) == []
    assert [path.name for path in victim.iterdir()] == ["1.pdf"]


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_is_saved_anew_after_it_was_copied_to_another_disk_is_not_deleted(
    one_by_one: bool, bench: Bench, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copies.copy

    def saving(folder: Folder, name: str, other: Folder, new: str) -> None:
        copy(folder, name, other, new)
        if name in ("set", "1.pdf"):
            (bench.hot / "set" / "1.pdf").write_bytes(b"saved anew")

    monkeypatch.setattr(copies, "copy", saving)
    monkeypatch.setattr(relocation, "has_more", lambda job: one_by_one)
    assert bench.runner.run(merging(bench, original=str(elsewhere / "kept"))).kind == "done"
    assert (elsewhere / "kept" / "set" / "1.pdf").read_bytes() == b"%PDF 1"
    assert [path.read_bytes() for path in bench.hot.rglob("*") if path.is_file()] == [b"saved anew"]
