"""Steps that make several files, steps that take them all again, and merges of more files than a service takes."""

from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from paperchute.contract import contract
from paperchute.files.folder import Folder
from paperchute.jobs.merge_rounds import TOO_MANY
from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.interrupted import Crash, interrupted, taken_up
from tests.jobs.makers import set_job
from tests.jobs.scripted import Joining

SPLIT = Step("pdf-split", {})
READ = Step("pdf-to-markdown", {})
MERGE = Step("pdf-merge", {})
LIMIT = contract().known("pdf-merge").max_files


@pytest.fixture
def joining(bench: Bench) -> Joining:
    """The bench's service, which makes pieces of a file and joins them, so that a result shows its whole way."""
    service = Joining()
    bench.service = service
    return service


def merge(bench: Bench, count: int, **parameters: Any) -> Any:
    """Run a gathered set of `count` files through one merge."""
    names = [f"set/{number}.pdf" for number in range(1, count + 1)]
    for number, name in enumerate(names, start=1):
        bench.drop(name, b"<%d>" % number)
    steps = (Step("pdf-merge", parameters),)
    return bench.runner.run(set_job(bench.journal, bench.hot, gather="folder", steps=steps))


def asked(service: Joining) -> list[tuple[str, int]]:
    """(operation, number of files) of each call."""
    return [(call.operation, len(call.files)) for call in service.calls]


def test_each_of_several_outputs_goes_on_by_itself(bench: Bench, joining: Joining) -> None:
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, READ)).kind == "done"
    assert bench.tree() == {
        "hot.out/a/1.md": b"read(x/1)",
        "hot.out/a/2.md": b"read(x/2)",
        "hot.out/a/3.md": b"read(x/3)",
        "hot.done/a.pdf": b"x",
    }


def test_a_later_step_takes_them_all_again_in_their_order(bench: Bench, joining: Joining) -> None:
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, Step("pdf-to-editable", {}), MERGE)).kind == "done"
    assert bench.tree()["hot.out/a.pdf"] == b"read(x/1)+read(x/2)+read(x/3)"
    assert asked(joining)[-1] == ("pdf-merge", 3)


def test_names_that_differ_by_case_alone_stay_apart(bench: Bench, joining: Joining) -> None:
    joining.names = ("B.pdf", "b.pdf", "x/b.pdf")
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, READ)).kind == "done"
    assert {name for name in bench.tree() if "out" in name} == {
        "hot.out/a/B.md",
        "hot.out/a/b (2).md",
        "hot.out/a/b (3).md",
    }


def test_a_share_that_takes_both_names_for_one_gets_both_results(
    bench: Bench, joining: Joining, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = Folder.status

    def without_case(folder: Folder, name: str) -> os.stat_result | None:
        return status(folder, next((one for one in folder.names() if one.lower() == name.lower()), name))

    monkeypatch.setattr(Folder, "status", without_case)
    joining.names = ("B.pdf", "b.pdf")
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT,)).kind == "done"
    made = {name: content for name, content in bench.tree().items() if "out" in name}
    assert made == {"hot.out/a/B.pdf": b"x/1", "hot.out/a/b (2).pdf": b"x/2"}


def test_a_step_that_makes_nothing_fails_and_says_so(bench: Bench, joining: Joining) -> None:
    joining.names = ()
    outcome = bench.run(bench.drop(content=b"x"), steps=(SPLIT, READ))
    assert outcome.kind == "failed"
    assert "pdf-split produced nothing from a.pdf." in (outcome.job.error or "")


def test_names_as_long_as_they_can_be_are_delivered(bench: Bench, joining: Joining) -> None:
    joining.names = ("x" * 250 + ".pdf", "x" * 251 + ".pdf")
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, READ)).kind == "done"
    assert len([name for name in bench.tree() if "out" in name]) == 2


def test_what_came_alone_need_not_be_joined(bench: Bench, joining: Joining) -> None:
    joining.names = ("1.pdf",)
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, MERGE)).kind == "done"
    assert bench.tree()["hot.out/a.pdf"] == b"x/1"
    assert asked(joining) == [("pdf-split", 1)]


def test_a_crash_repeats_no_part_that_was_answered(bench: Bench, joining: Joining) -> None:
    job = bench.queue(bench.drop(content=b"x"), steps=(SPLIT, READ))
    bench.runner = bench.made_runner(lanes=1)

    def fall(call: Call) -> None:
        if len(joining.calls) == 3:
            raise Crash

    joining.on_call = fall
    again = interrupted(bench, job)
    joining.on_call = lambda call: None
    assert bench.runner.run(again).kind == "done"
    keys = [call.idempotency_key for call in joining.calls]
    assert [key.split("-", 1)[1] for key in keys] == ["1-1", "2.1-1", "2.2-1", "2.2-1", "2.3-1"]


def test_a_failure_of_one_part_fails_the_job_and_delivers_nothing(bench: Bench, joining: Joining) -> None:
    def refuse(call: Call) -> None:
        if call.files[0][1].name == "2.pdf":
            raise ServiceError("No.", kind="bad-input", code="02207")

    joining.on_call = refuse
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, READ)).kind == "failed"
    assert set(bench.tree()) == {"hot.failed/a.pdf", "hot.failed/a.pdf.error.txt"}
    assert list((bench.hot.parent / "state" / "work").iterdir()) == []


def test_parts_that_were_received_are_not_fetched_again(bench: Bench, joining: Joining) -> None:
    bench.runner = bench.made_runner(lanes=1)
    job = bench.queue(bench.drop(content=b"x"), steps=(SPLIT, READ), retries=3)

    def busy(call: Call) -> None:
        if len(joining.calls) == 3:
            raise ServiceError("Busy.", kind="transient")

    joining.on_call = busy
    assert bench.runner.run(job).kind == "waiting"
    downloads = joining.downloads
    bench.journal.queue.retry_now()
    assert bench.runner.run(taken_up(bench)).kind == "done"
    assert joining.downloads == downloads + 2


def test_a_received_result_that_vanished_is_fetched_again(bench: Bench, joining: Joining) -> None:
    job = bench.queue(bench.drop(content=b"x"), steps=(SPLIT, READ))
    bench.runner = bench.made_runner(lanes=1)

    def tidy(call: Call) -> None:
        if len(joining.calls) == 4:
            (received,) = (bench.hot.parent / "state" / "work").rglob("1.md")
            received.unlink()
            raise Crash

    joining.on_call = tidy
    again = interrupted(bench, job)
    joining.on_call = lambda call: None
    assert bench.runner.run(again).kind == "done"
    assert bench.tree()["hot.out/a/1.md"] == b"read(x/1)"


@pytest.mark.parametrize("count", [2, LIMIT, LIMIT + 1, 12, 26])
def test_a_remote_service_joins_in_rounds_of_what_it_takes(bench: Bench, joining: Joining, count: int) -> None:
    joining.repeatable = False
    assert merge(bench, count).kind == "done"
    assert bench.tree()["hot.out/set.pdf"] == b"+".join(b"<%d>" % n for n in range(1, count + 1))
    assert max(files for _, files in asked(joining)) <= LIMIT


def test_our_own_engine_joins_everything_at_once(bench: Bench, joining: Joining) -> None:
    assert merge(bench, 26).kind == "done"
    assert asked(joining) == [("pdf-merge", 26)]


def test_a_service_that_takes_fewer_than_thought_is_asked_in_rounds(bench: Bench, joining: Joining) -> None:
    def few(call: Call) -> None:
        if len(call.files) > LIMIT:
            raise ServiceError("Too many.", kind="bad-parameters", code=TOO_MANY)

    joining.on_call = few
    assert merge(bench, 7).kind == "done"
    assert bench.tree()["hot.out/set.pdf"] == b"+".join(b"<%d>" % n for n in range(1, 8))
    first, *round_of_two, last = asked(joining)  # the calls of a round are made at once, and come in either order
    assert (first, last) == (("pdf-merge", 7), ("pdf-merge", 2))
    assert sorted(round_of_two) == [("pdf-merge", 2), ("pdf-merge", 5)]


def test_page_ranges_and_passwords_go_with_their_files_through_the_rounds(
    bench: Bench, joining: Joining, tmp_path: Path
) -> None:
    joining.repeatable = False
    secret = tmp_path / "secret"
    secret.write_text("hunter2", "utf-8")
    secret.chmod(0o600)
    pages = ["1", "", "2-3", "", "", "4"]
    passwords = ["", f"file:{secret}", "", "", "", f"file:{secret}"]
    assert merge(bench, 6, filePageRanges=pages, passwords=passwords, outputFileName="all.pdf").kind == "done"
    first, second = joining.calls
    assert first.parameters == {"filePageRanges": pages[:5], "passwords": ["", "hunter2", "", "", ""]}
    assert second.parameters == {
        "filePageRanges": ["", "4"],
        "passwords": ["", "hunter2"],
        "outputFileName": "all.pdf",
    }
    assert b"hunter2" not in (tmp_path / "state" / "journal.sqlite").read_bytes()


def test_a_list_of_another_length_than_the_files_says_so(bench: Bench, joining: Joining) -> None:
    outcome = merge(bench, 3, filePageRanges=["1"])
    assert outcome.kind == "failed"
    assert "filePageRanges has 1 entries, and set has 3 files." in (outcome.job.error or "")


def test_blank_pages_go_into_each_of_several_files(bench: Bench, joining: Joining) -> None:
    blank = Step("pdf-insert", {"actionType": "BLANK", "index": 1, "width": 595, "height": 842})
    assert bench.run(bench.drop(content=b"x"), steps=(SPLIT, blank)).kind == "done"
    assert asked(joining)[1:] == [("pdf-insert", 1)] * 3


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("steps", [(SPLIT,), (SPLIT, READ), (Step("pdf-to-editable", {}), SPLIT, READ)])
def test_the_parts_that_output_names_lie_in_its_folder_however_many(
    bench: Bench, joining: Joining, count: int, steps: tuple[Step, ...]
) -> None:
    joining.names = ("Huber 01.pdf", "Huber 02.pdf", "A 03.pdf")[:count]
    source = bench.drop("Post {code}.pdf", b"x")
    template = "hot.out/{stem}/{date:%Y} {code.to} {stem} {part:02}.{ext}"
    assert bench.run(source, steps=steps, output=template).kind == "done"
    (split,) = [call for call in joining.calls if call.operation == "pdf-split"]
    year = datetime.fromtimestamp(time.time()).year
    assert split.parameters["partName"] == f"{year} {{code.to}} Post (code) {{part:02}}"
    suffix = "pdf" if steps[-1] == SPLIT else "md"
    names = [Path(name).stem for name in joining.names]
    made = sorted(name for name in bench.tree() if "hot.out/" in name)
    assert made == [f"hot.out/Post {{code}}/{name}.{suffix}" for name in sorted(names)]


def test_parts_go_into_the_folder_that_is_there_over_nothing(bench: Bench, joining: Joining) -> None:
    joining.names = ("Huber 01.pdf",)
    for number in range(2):
        source = bench.drop(f"{number}.pdf", b"%d" % number)
        assert bench.run(source, steps=(SPLIT,), output="hot.out/{code} {part:02}.{ext}").kind == "done"
    made = {name: content for name, content in bench.tree().items() if "hot.out/" in name}
    assert made == {"hot.out/Huber 01.pdf": b"0/1", "hot.out/Huber 01 (2).pdf": b"1/1"}
