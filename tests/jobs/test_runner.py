"""A job's whole way, with a service that does what the test says."""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import Any

import pytest

from paperchute.rules.tables import Step
from paperchute.service.model import Call, InputChangedError, ServiceError
from tests.jobs.bench import Bench, failing
from tests.jobs.makers import make_rule, new_job

PDF = b"%PDF-1.7 %%EOF"


def test_a_file_becomes_its_result_and_is_filed(bench: Bench) -> None:
    outcome = bench.run(bench.drop())
    assert outcome.kind == "done"
    assert bench.tree() == {"hot.out/a.md": b"# result", "hot.done/a.pdf": PDF}
    assert outcome.job.outputs == (bench.hot.parent / "hot.out" / "a.md",)


def test_a_document_stands_before_the_pictures_below_it(bench: Bench) -> None:
    bench.service.outputs = (("images/a-1.png", b"picture"), ("z.md", b"text"))
    outputs = bench.run(bench.drop()).job.outputs
    assert [path.name for path in outputs] == ["z.md", "a-1.png"]


def test_a_sub_folder_keeps_its_place(bench: Bench) -> None:
    bench.run(bench.drop("x/y/a.pdf"), recursive=True)
    assert set(bench.tree()) == {"hot.out/x/y/a.md", "hot.done/x/y/a.pdf"}


def test_several_outputs_go_into_one_folder_named_after_the_input(bench: Bench) -> None:
    bench.service.outputs = (("a.md", b"1"), ("images/p.png", b"2"))
    outcome = bench.run(bench.drop())
    assert set(bench.tree()) == {"hot.out/a/a.md", "hot.out/a/images/p.png", "hot.done/a.pdf"}
    assert outcome.job.result == bench.hot.parent / "hot.out" / "a"


def test_an_existing_output_is_never_overwritten(bench: Bench) -> None:
    (bench.hot.parent / "hot.out").mkdir()
    (bench.hot.parent / "hot.out" / "a.md").write_bytes(b"precious")
    bench.run(bench.drop())
    assert bench.tree()["hot.out/a.md"] == b"precious"
    assert bench.tree()["hot.out/a (2).md"] == b"# result"


def test_skip_leaves_what_is_there_and_says_so(bench: Bench) -> None:
    out = bench.hot.parent / "hot.out"
    out.mkdir()
    (out / "a.md").write_bytes(b"old")
    outcome = bench.run(bench.drop(), on_conflict="skip")
    assert outcome.kind == "done"
    assert outcome.job.note is not None
    assert outcome.job.state == "warned"
    assert str(out / "a.md") in outcome.job.warnings[0]
    tree = bench.tree()
    assert tree.pop("hot.failed/a.pdf.warnings.txt")
    assert tree == {"hot.out/a.md": b"old", "hot.done/a.pdf": PDF}


@pytest.mark.parametrize(
    ("original", "left"),
    [
        ("done", {"hot.done/a.pdf"}),
        ("keep", {"hot/a.pdf"}),
        ("delete", set()),
        ("else", {"else/a.pdf"}),
    ],
)
def test_the_original_goes_where_the_rule_says(bench: Bench, original: str, left: set[str]) -> None:
    target = str(bench.hot.parent / "else") if original == "else" else original
    bench.run(bench.drop(), original=target)
    assert {path for path in bench.tree() if not path.startswith("hot.out")} == left


def test_two_files_of_one_name_are_both_filed(bench: Bench) -> None:
    bench.run(bench.drop(content=b"%PDF one"))
    bench.run(bench.drop(content=b"%PDF two"))
    tree = bench.tree()
    assert (tree["hot.done/a.pdf"], tree["hot.done/a (2).pdf"]) == (b"%PDF one", b"%PDF two")
    assert {"hot.out/a.md", "hot.out/a (2).md"} <= set(tree)


def test_a_bad_file_fails_with_the_service_s_words_and_a_way_to_retry(bench: Bench) -> None:
    bench.service.on_call = failing("bad-input", code="02207", reason="broken")
    outcome = bench.run(bench.drop())
    assert outcome.kind == "failed"
    tree = bench.tree()
    assert set(tree) == {"hot.failed/a.pdf", "hot.failed/a.pdf.error.txt"}
    text = tree["hot.failed/a.pdf.error.txt"].decode()
    for word in ("No.", "02207", "broken", "pdf-to-markdown", f"paperchute retry {outcome.job.id}", "Calls:     1"):
        assert word in text


def test_a_failed_file_moved_back_by_hand_leaves_no_old_error_text(bench: Bench) -> None:
    bench.service.on_call = failing("bad-input")
    path = bench.drop()
    bench.run(path)
    (bench.hot.parent / "hot.failed" / "a.pdf").rename(path)
    bench.service.on_call = lambda call: None
    assert bench.run(path).kind == "done"
    assert set(bench.tree()) == {"hot.out/a.md", "hot.done/a.pdf"}


def test_a_failed_kept_original_stays_and_is_explained(bench: Bench) -> None:
    bench.service.on_call = failing("bad-input")
    bench.run(bench.drop(), original="keep")
    assert set(bench.tree()) == {"hot/a.pdf", "hot.failed/a.pdf.error.txt"}


def test_steps_feed_each_other_and_done_ones_are_not_repeated(bench: Bench) -> None:
    steps = (Step("html-to-pdf", {}), Step("pdf-to-markdown", {}))

    def second_fails(call: Call) -> None:
        if call.operation == "pdf-to-markdown":
            raise ServiceError("No.", kind="transient")

    bench.service.outputs = (("mid.pdf", b"%PDF mid"),)
    bench.service.on_call = second_fails
    assert bench.run(bench.drop("a.html"), steps=steps).kind == "waiting"
    bench.service.on_call = lambda call: None
    assert bench.again().kind == "done"
    assert [c.operation for c in bench.service.calls] == ["html-to-pdf", "pdf-to-markdown", "pdf-to-markdown"]
    assert bench.service.calls[-1].files[0][1].name == "mid.pdf"


def test_an_input_that_changed_during_the_work_delivers_nothing(bench: Bench) -> None:
    path = bench.drop()
    bench.service.on_call = lambda call: path.write_bytes(b"%PDF grown and grown")
    outcome = bench.run(path)
    assert outcome.kind == "cancelled"
    assert [c.path for c in outcome.changed] == [path]
    assert set(bench.tree()) == {"hot/a.pdf"}


def test_an_input_whose_times_alone_changed_is_delivered(bench: Bench) -> None:
    path = bench.drop()
    bench.service.on_call = lambda call: os.utime(path, (1, 1))
    assert bench.run(path).kind == "done"
    assert set(bench.tree()) == {"hot.out/a.md", "hot.done/a.pdf"}


def test_an_input_that_the_client_finds_changed_is_judged_again(bench: Bench) -> None:
    path = bench.drop()

    def changed(call: Call) -> None:
        raise InputChangedError(path)

    bench.service.on_call = changed
    assert bench.run(path).kind == "cancelled"


def test_an_input_taken_away_is_let_go(bench: Bench) -> None:
    path = bench.drop()
    job = bench.queue(path)
    path.unlink()
    assert bench.runner.run(job).kind == "cancelled"
    assert bench.service.calls == []


def test_a_touched_kept_file_is_not_paid_for_twice(bench: Bench) -> None:
    path = bench.drop()
    bench.run(path, original="keep")
    os.utime(path, (5, 5))
    assert bench.run(path, original="keep").kind == "cancelled"
    assert len(bench.service.calls) == 1
    assert bench.journal.inserts.open_job(new_job(make_rule(bench.hot, original="keep"), path)) is None


def test_a_file_that_took_the_original_s_name_is_left_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bench.drop()
    job = bench.queue(path)
    delivered = bench.journal.plans.delivered

    def then_replaced(*args: Any) -> tuple[str, ...]:
        warnings = delivered(*args)
        path.unlink()
        (bench.hot / "other").write_bytes(b"%PDF other, longer")
        (bench.hot / "other").rename(path)
        return warnings

    monkeypatch.setattr(bench.journal.plans, "delivered", then_replaced)
    assert bench.runner.run(job).kind == "done"
    assert bench.tree()["hot/a.pdf"] == b"%PDF other, longer"


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(bench.hot))

    with monkeypatch.context() as patch:
        patch.setattr(bench.service, "on_download", full)
        outcome = bench.run(bench.drop())
    assert outcome.kind == "storage"
    assert set(bench.tree()) == {"hot/a.pdf"}
    assert bench.again().kind == "done"
    assert len(bench.service.calls) == 1


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere, and so may Windows")
def test_a_read_only_target_waits(bench: Bench) -> None:
    out = bench.hot.parent / "hot.out"
    out.mkdir(mode=0o500)
    assert bench.run(bench.drop()).kind == "storage"
    out.chmod(0o700)
    assert bench.again().kind == "done"


def test_a_handed_in_document_bears_its_name_and_job(bench: Bench) -> None:
    steps = (Step("document-upload", {"mode": "LayoutExtract", "metadata": '{"case": 7}'}),)
    bench.service.outputs = (("receipt.json", b"{}"),)
    outcome = bench.run(bench.drop("Vertrag.pdf"), steps=steps)
    metadata = json.loads(str(bench.service.calls[0].parameters["metadata"]))
    assert metadata == {"case": 7, "source": "Vertrag.pdf", "job": outcome.job.token}
    assert (bench.hot.parent / "hot.out" / "Vertrag.json").exists()
