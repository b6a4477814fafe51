"""Results where something of their name is already: nothing that somebody else made or changed is ever lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.files.folder import Folder
from paperchute.jobs import publication
from paperchute.jobs.folder_merge import plain
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Outcome
from paperchute.jobs.pruner import Pruner
from paperchute.rules.tables import Step
from tests.jobs.bench import Bench
from tests.jobs.interrupted import Crash, crash, crashes_at_write, hidden, interrupted, taken_up, then_crash
from tests.jobs.makers import other_file_system, runner_over
from tests.jobs.scripted import Scripted
from tests.observers import Told
from tests.systems import links


def pages(bench: Bench, *names: str, version: bytes = b"1", name: str = "a.pdf", **rule: Any) -> Outcome:
    """Run a job whose service makes several results, each of which holds its name and the version."""
    bench.service.outputs = tuple((one, one.encode() + b" " + version) for one in names)
    changes = {"output": "else/month.{ext}", **rule}
    return bench.run(bench.drop(name, b"%PDF " + os.urandom(8)), **changes)


@pytest.fixture
def month(bench: Bench) -> Path:
    return bench.hot.parent / "else" / "month"


def lying(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("conflict", ["number", "replace", "skip"])
def test_what_others_put_into_a_folder_of_results_stays(bench: Bench, month: Path, conflict: str) -> None:
    pages(bench, "1.pdf", "2.pdf", on_conflict=conflict)
    (month / "Notes.txt").write_bytes(b"mine")
    outcome = pages(bench, "3.pdf", "4.pdf", name="b.pdf", on_conflict=conflict)
    assert outcome.job.state == "done"
    assert outcome.job.outputs == (month / "3.pdf", month / "4.pdf")
    assert sorted(lying(month)) == ["1.pdf", "2.pdf", "3.pdf", "4.pdf", "Notes.txt"]
    assert [path.name for path in month.parent.iterdir()] == ["month"]


def test_by_default_only_the_file_that_clashes_gets_a_number(bench: Bench, month: Path) -> None:
    pages(bench, "1.pdf", "2.pdf")
    outcome = pages(bench, "2.pdf", "3.pdf", version=b"2", name="b.pdf")
    assert outcome.job.state == "done"
    assert lying(month) == {
        "1.pdf": b"1.pdf 1", "2.pdf": b"2.pdf 1", "2 (2).pdf": b"2.pdf 2", "3.pdf": b"3.pdf 2"
    }  # fmt: skip


def test_skip_leaves_out_what_clashes_and_names_it(bench: Bench, month: Path) -> None:
    pages(bench, "1.pdf", "2.pdf", on_conflict="skip")
    outcome = pages(bench, "2.pdf", "3.pdf", version=b"2", name="b.pdf", on_conflict="skip")
    assert outcome.job.state == "warned"
    assert str(month / "2.pdf") in outcome.job.warnings[0]
    assert str(month / "3.pdf") not in outcome.job.warnings[0]
    assert lying(month) == {"1.pdf": b"1.pdf 1", "2.pdf": b"2.pdf 1", "3.pdf": b"3.pdf 2"}
    assert hidden(month.parent) == []


def test_replace_replaces_our_own_unchanged_result_and_nothing_else(bench: Bench, month: Path) -> None:
    pages(bench, "1.pdf", "2.pdf", "3.pdf", on_conflict="replace")
    (month / "2.pdf").write_bytes(b"corrected by hand")
    (month / "4.pdf").write_bytes(b"mine")
    outcome = pages(bench, "1.pdf", "2.pdf", "4.pdf", version=b"2", name="b.pdf", on_conflict="replace")
    assert outcome.job.state == "warned"
    assert all(str(month / name) in " ".join(outcome.job.warnings) for name in ("2.pdf", "4.pdf"))
    assert str(month / "1.pdf") not in " ".join(outcome.job.warnings)
    expected = {
        "1.pdf": b"1.pdf 2", "2.pdf": b"corrected by hand", "2 (2).pdf": b"2.pdf 2", "3.pdf": b"3.pdf 1",
        "4.pdf": b"mine", "4 (2).pdf": b"4.pdf 2",
    }  # fmt: skip
    assert lying(month) == expected
    pages(bench, "2.pdf", "4.pdf", version=b"3", name="c.pdf", on_conflict="replace")
    assert lying(month) == {**expected, "2 (2).pdf": b"2.pdf 3", "4 (2).pdf": b"4.pdf 3"}


@pytest.mark.parametrize(
    "theirs", ["made", "changed", "another rule's", pytest.param("a link", marks=links), "a folder"]
)
def test_replace_never_takes_a_single_file_that_is_not_ours(bench: Bench, theirs: str) -> None:
    place = bench.hot.parent / "hot.out" / "a.md"
    place.parent.mkdir()
    elsewhere = bench.hot.parent / "elsewhere.md"
    elsewhere.write_bytes(b"theirs")
    if theirs == "made":
        place.write_bytes(b"theirs")
    elif theirs == "a link":
        place.symlink_to(elsewhere)
    elif theirs == "a folder":
        place.mkdir()
    else:
        rule = {"name": "Another"} if theirs == "another rule's" else {}
        bench.run(bench.drop(), on_conflict="replace", **rule)
        if theirs == "changed":
            place.write_bytes(b"theirs")
    before = place.read_bytes() if place.is_file() else b""
    bench.service.outputs = (("result.md", b"new"),)
    outcome = bench.run(bench.drop(content=b"%PDF again"), on_conflict="replace")
    assert outcome.job.state == "warned"
    assert str(place) in outcome.job.warnings[0]
    assert place.with_name("a (2).md").read_bytes() == b"new"
    assert (place.read_bytes() if place.is_file() else b"") == before
    assert elsewhere.read_bytes() == b"theirs"


def test_replace_replaces_a_single_unchanged_result(bench: Bench) -> None:
    for content in (b"one", b"two", b"three"):
        bench.service.outputs = (("result.md", content),)
        assert bench.run(bench.drop(content=b"%PDF " + content), on_conflict="replace").job.state == "done"
    assert lying(bench.hot.parent / "hot.out") == {"a.md": b"three"}


def test_it_is_known_whose_a_file_is_after_the_job_is_forgotten(bench: Bench, month: Path) -> None:
    first = pages(bench, "1.pdf", "2.pdf", on_conflict="replace")
    (month / "2.pdf").unlink()
    Pruner(bench.journal, lambda: [first.job.rule], Told()).prune(now=4e9)
    assert bench.journal.queries.job(first.job.id) is None
    assert bench.journal.plans.written(month / "2.pdf") is None  # nobody has to know that for ever
    assert pages(bench, "1.pdf", "2.pdf", version=b"2", on_conflict="replace").job.state == "done"
    assert lying(month) == {"1.pdf": b"1.pdf 2", "2.pdf": b"2.pdf 2"}


@pytest.mark.parametrize("conflict", ["number", "replace", "skip"])
def test_names_that_differ_in_case_or_unicode_form_alone_clash(bench: Bench, month: Path, conflict: str) -> None:
    month.mkdir(parents=True)
    (month / "MÜLLER.pdf").write_bytes(b"theirs")
    (month / unicodedata.normalize("NFD", "Größe.pdf")).write_bytes(b"theirs")
    pages(bench, "müller.pdf", "Größe.pdf", on_conflict=conflict)
    left = lying(month)
    assert list(left.values()).count(b"theirs") == 2
    assert len({plain(name) for name in left}) == len(left) == (2 if conflict == "skip" else 4)


@pytest.mark.parametrize("conflict", ["number", "replace", "skip"])
def test_a_folder_where_a_file_is_wanted_and_the_reverse_stay(bench: Bench, month: Path, conflict: str) -> None:
    (month / "1.pdf").mkdir(parents=True)
    (month / "deep").write_bytes(b"theirs")
    (month / "1.pdf" / "x").write_bytes(b"theirs")
    outcome = pages(bench, "1.pdf", "deep/2.pdf", on_conflict=conflict)
    assert outcome.kind == "done"
    left = lying(month)
    assert left.pop("1.pdf/x") == left.pop("deep") == b"theirs"
    assert left == {"deep (2)/2.pdf": b"deep/2.pdf 1", **({} if conflict == "skip" else {"1 (2).pdf": b"1.pdf 1"})}


@pytest.mark.parametrize("conflict", ["number", "replace", "skip"])
def test_a_page_and_its_pictures_stay_together(bench: Bench, month: Path, conflict: str) -> None:
    pages(bench, "a.md", "images/1.png", on_conflict=conflict)
    (month / "images" / "1.png").write_bytes(b"retouched")
    pages(bench, "a.md", "images/1.png", version=b"2", name="b.pdf", on_conflict=conflict)
    first = {"month/a.md": b"a.md 1", "month/images/1.png": b"retouched"}
    second = {"month (2)/a.md": b"a.md 2", "month (2)/images/1.png": b"images/1.png 2"}
    assert lying(month.parent) == (first if conflict == "skip" else {**first, **second})


def test_a_page_and_its_pictures_are_replaced_together(bench: Bench, month: Path) -> None:
    pages(bench, "a.md", "images/1.png", "images/2.png", on_conflict="replace")
    outcome = pages(bench, "a.md", "images/1.png", version=b"2", name="b.pdf", on_conflict="replace")
    assert outcome.job.state == "done"
    assert lying(month)["a.md"] == b"a.md 2"
    assert lying(month)["images/1.png"] == b"images/1.png 2"


def test_a_name_that_is_taken_at_the_last_moment_stays(
    bench: Bench, month: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    month.mkdir(parents=True)
    place_new = Folder.place_new

    def late(folder: Folder, name: str, other: Folder, new: str) -> bool:
        if new == "2.pdf":
            (month / "2.pdf").write_bytes(b"theirs")
        return place_new(folder, name, other, new)

    monkeypatch.setattr(Folder, "place_new", late)
    outcome = pages(bench, "1.pdf", "2.pdf")
    assert lying(month) == {"1.pdf": b"1.pdf 1", "2.pdf": b"theirs", "2 (2).pdf": b"2.pdf 1"}
    assert outcome.job.outputs == (month / "1.pdf", month / "2 (2).pdf")


def test_a_folder_that_is_taken_away_meanwhile_is_made_again(
    bench: Bench, month: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    month.mkdir(parents=True)
    place_new = Folder.place_new
    times: list[str] = []

    def late(folder: Folder, name: str, other: Folder, new: str) -> bool:
        times.append(new)
        if times.count("2.pdf") == 1 and new == "2.pdf":
            shutil.rmtree(month)
        return place_new(folder, name, other, new)

    monkeypatch.setattr(Folder, "place_new", late)
    if pages(bench, "1.pdf", "2.pdf").kind == "storage":
        assert bench.again().kind == "done"
    assert lying(month)["2.pdf"] == b"2.pdf 1"
    assert hidden(month.parent) == []


@pytest.mark.parametrize("conflict", ["number", "replace", "skip"])
def test_a_crash_at_any_write_or_rename_is_completed(bench: Bench, month: Path, conflict: str) -> None:
    pages(bench, "1.pdf", "2.pdf", on_conflict=conflict)
    (month / "2.pdf").write_bytes(b"theirs")
    expected = {
        "number": {"1.pdf": b"1.pdf 1", "1 (2).pdf": b"1.pdf 2", "2 (2).pdf": b"2.pdf 2"},
        "replace": {"1.pdf": b"1.pdf 2", "2 (2).pdf": b"2.pdf 2"},
        "skip": {"1.pdf": b"1.pdf 1"},
    }[conflict]
    for number in range(1, 40):
        for after in (False, True):
            for path in [p for p in month.iterdir() if p.name not in ("1.pdf", "2.pdf")]:
                path.unlink()
            bench.service.outputs = tuple((one, one.encode() + b" 2") for one in ("1.pdf", "2.pdf", "3.pdf"))
            job = bench.queue(
                bench.drop(f"{number}{after}.pdf", os.urandom(9)), output="else/month.{ext}", on_conflict=conflict
            )
            reached = crashes_at_write(number, partial(bench.runner.run, job), after=after)
            if not reached:
                return
            if (found := bench.journal.queries.job(job.id)) is not None and found.state in (
                "queued",
                "running",
                "waiting",
            ):
                bench.runner.run(taken_up(bench))
            assert lying(month) == {**expected, "2.pdf": b"theirs", "3.pdf": b"3.pdf 2"}
            assert hidden(month.parent) == []
    raise AssertionError("a job has fewer writes than that")


def test_a_crash_between_two_renames_is_completed(bench: Bench, month: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    month.mkdir(parents=True)
    (month / "1.pdf").write_bytes(b"theirs")
    place_new = Folder.place_new

    def dies(folder: Folder, name: str, other: Folder, new: str) -> bool:
        if new == "2.pdf":
            raise Crash
        return place_new(folder, name, other, new)

    bench.service.outputs = tuple((one, one.encode()) for one in ("1.pdf", "2.pdf"))
    job = bench.queue(bench.drop(), output="else/month.{ext}")
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "place_new", dies)
        again = interrupted(bench, job)
    outcome = bench.runner.run(again)
    assert outcome.job.outputs == (month / "1 (2).pdf", month / "2.pdf")
    assert lying(month) == {"1.pdf": b"theirs", "1 (2).pdf": b"1.pdf", "2.pdf": b"2.pdf"}


@pytest.mark.parametrize("several", [False, True])
def test_another_s_file_is_not_taken_for_a_result_that_was_lost(
    bench: Bench, month: Path, monkeypatch: pytest.MonkeyPatch, several: bool
) -> None:
    """Somebody tidies hidden files away after a crash, and a file of the result's name was there before."""
    (month if several else month.parent).mkdir(parents=True)
    (month / "1.pdf" if several else month.with_suffix(".pdf")).write_bytes(b"theirs")
    bench.service.outputs = (("1.pdf", b"1"), ("2.pdf", b"2"))[: 1 + several]
    job = bench.queue(bench.drop(), output="else/month.{ext}")
    with monkeypatch.context() as patch:
        patch.setattr(publication, "publish", crash)
        again = interrupted(bench, job)
    (left,) = hidden(month.parent)
    shutil.rmtree(left) if several else left.unlink()
    assert bench.runner.run(again).kind == "done"
    assert sorted(lying(month.parent).values()) == [*([b"1", b"2"] if several else [b"1"]), b"theirs"]


@links
def test_a_folder_on_another_disk_gets_its_results_once(
    bench: Bench, month: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = other_file_system(bench.hot)
    if other is None:
        pytest.skip("needs a second file system that can be written to")
    with tempfile.TemporaryDirectory(dir=other) as disk:
        month.parent.mkdir()
        month.symlink_to(disk)  # as somebody would whose rule names it
        (Path(disk) / "1.pdf").write_bytes(b"theirs")
        bench.service.outputs = (("1.pdf", b"1"), ("2.pdf", b"2"))
        table = bench.drop("May.csv", b"number\n1\n")
        rule = {"gather": "rows", "steps": (Step("pdf-generate", {"template": "<p>"}),), "match": ("*.csv",)}
        job = bench.queue(table, output="else/month/{row}.{ext}", **rule)
        with monkeypatch.context() as patch:
            patch.setattr(Folder, "place_new", then_crash(Folder.place_new))
            with contextlib.suppress(Crash):
                bench.runner.run(job)
        while (found := bench.journal.queries.job(job.id)) is not None and found.state != "done":
            assert bench.runner.run(taken_up(bench)).kind != "failed"
        assert sorted(lying(Path(disk)).values()) == [b"1", b"2", b"theirs"]
        assert hidden(month.parent) == hidden(Path(disk)) == []


def test_a_share_that_goes_before_its_results_appear_is_waited_for(
    bench: Bench, month: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = publication.publish
    away = month.parent.with_name("away")

    def late(*args: Any) -> Any:
        month.parent.rename(away)
        month.parent.mkdir()
        return publish(*args)

    with monkeypatch.context() as patch:
        patch.setattr(publication, "publish", late)
        outcome = pages(bench, "1.pdf", "2.pdf")
    assert outcome.kind == "storage"
    assert (bench.hot / "a.pdf").exists()
    month.parent.rmdir()
    away.rename(month.parent)
    assert bench.again().kind == "done"
    assert lying(month.parent) == {"month/1.pdf": b"1.pdf 1", "month/2.pdf": b"2.pdf 1"}


def test_many_jobs_into_one_folder_at_once_lose_nothing(bench: Bench, month: Path) -> None:
    bench.service.outputs = (("1.pdf", b"1"), ("2.pdf", b"2"), ("deep/3.pdf", b"3"))
    jobs = [bench.queue(bench.drop(f"{n}.pdf", b"%%PDF %d" % n), output="else/month.{ext}") for n in range(24)]
    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(bench.runner.run, jobs))
    assert {outcome.kind for outcome in outcomes} == {"done"}
    outputs = [path for job in jobs for path in bench.journal.queries.job(job.id).outputs]  # type: ignore[union-attr]
    assert len(set(outputs)) == 72
    assert sorted(lying(month).values()) == sorted([b"1", b"2", b"3"] * 24)
    assert {path.read_bytes() for path in outputs} == {b"1", b"2", b"3"}
    assert [path.name for path in month.parent.iterdir()] == ["month"]


_SPELLINGS = ["a.pdf", "A.pdf", "a (2).pdf", "b.pdf", "d/a.pdf", "D/a.pdf", "d", "d/e/x.pdf", "Ü.pdf", "U\u0308.pdf"]


def _are_possible(names: list[str]) -> bool:
    """No name is that of a folder which another one lies in."""
    return not any(plain(other).startswith(plain(name) + "/") for name in names for other in names)


NAMES = st.lists(st.sampled_from(_SPELLINGS), min_size=2, max_size=6, unique_by=plain).filter(_are_possible)


@given(there=NAMES, made=NAMES, conflict=st.sampled_from(["number", "replace", "skip"]))
def test_no_order_of_names_ever_loses_a_file(
    tmp_path_factory: pytest.TempPathFactory, there: list[str], made: list[str], conflict: str
) -> None:
    base = tmp_path_factory.mktemp("merge")
    (base / "hot").mkdir()
    (base / "state" / "work").mkdir(parents=True)
    bench = _bench(base)
    month = base / "else" / "month"
    for name in there:
        (month / name).parent.mkdir(parents=True, exist_ok=True)
        (month / name).write_bytes(b"theirs " + name.encode())
    outcome = pages(bench, *made, on_conflict=conflict)
    assert outcome.kind == "done"
    left = lying(base / "else")
    contents = list(left.values())
    assert all(contents.count(b"theirs " + name.encode()) == 1 for name in there)
    assert len(outcome.job.outputs) == len(left) - len(there)
    if conflict != "skip":
        assert all(contents.count(name.encode() + b" 1") == 1 for name in made)
    assert hidden(base / "else") == []
    bench.journal.close()
    shutil.rmtree(base)


def _bench(base: Path) -> Bench:
    journal, service = Journal(base / "state" / "journal.sqlite"), Scripted()
    return Bench(base / "hot", journal, service, runner_over(journal, lambda: service, base / "state" / "work"))
