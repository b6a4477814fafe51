"""An input that is renamed while it is worked on is paid for once; one that is removed stops its call."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from paperchute.jobs import runner
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.makers import make_rule, new_job, set_job
from tests.jobs.test_dispatcher import LONG, House
from tests.service.script import envelope, scripted


def renaming(bench: Bench, new: str, then: Callable[[Path], object]) -> None:
    """Have the input get another name while its call is under way."""

    def rename(call: Call) -> None:
        then(call.files[0][1].rename(bench.hot / new))

    bench.service.on_call = rename


def judge(bench: Bench, path: Path) -> None:
    """As the watcher and the intake do with what is new in the folder."""
    assert bench.journal.inserts.open_job(new_job(make_rule(bench.hot), path)) is None, "it is no new job"


def test_a_file_that_is_renamed_at_work_is_delivered_under_its_new_name(bench: Bench) -> None:
    renaming(bench, "b.pdf", lambda path: judge(bench, path))
    assert bench.run(bench.drop()).kind == "done"
    assert set(bench.tree()) == {"hot.out/b.md", "hot.done/b.pdf"}
    assert len(bench.service.calls) == 1


def test_the_call_may_end_before_the_new_name_has_been_judged(bench: Bench) -> None:
    renaming(bench, "b.pdf", lambda path: None)
    outcome = bench.run(bench.drop())
    assert (outcome.kind, outcome.job.error) == (
        "waiting",
        "a.pdf has another name now, under which it is looked for.",
    )
    judge(bench, bench.hot / "b.pdf")
    assert bench.again().kind == "done"
    assert set(bench.tree()) == {"hot.out/b.md", "hot.done/b.pdf"}
    assert len(bench.service.calls) == 1


def test_a_rename_over_a_restart_and_one_after_the_other(bench: Bench) -> None:
    bench.service.on_call = lambda call: (_ for _ in ()).throw(ServiceError("Not now.", kind="transient"))
    assert bench.run(bench.drop()).kind == "waiting"
    bench.service.on_call = lambda call: None
    for before, after in (("a.pdf", "b.pdf"), ("b.pdf", "c.pdf")):
        (bench.hot / before).rename(bench.hot / after)
        judge(bench, bench.hot / after)
    assert bench.again().kind == "done"
    assert set(bench.tree()) == {"hot.out/c.md", "hot.done/c.pdf"}


def test_a_copy_in_place_of_the_file_is_the_same_by_its_content(bench: Bench) -> None:
    def drop_connection(*_: object) -> None:
        raise ServiceError("Gone.", kind="lost")

    bench.service.on_download = drop_connection
    path = bench.drop()
    assert bench.run(path).kind == "waiting", "answered, and so paid for"
    bench.service.on_download = lambda answer: None
    shutil.copyfile(path, bench.hot / "b.pdf")
    path.unlink()
    judge(bench, bench.hot / "b.pdf")
    assert bench.again().kind == "done"
    assert set(bench.tree()) == {"hot.out/b.md", "hot.done/b.pdf"}
    assert len(bench.service.calls) == 1


def test_another_file_or_one_beside_it_is_a_new_job(bench: Bench) -> None:
    bench.service.on_call = lambda call: (_ for _ in ()).throw(ServiceError("Not now.", kind="transient"))
    path = bench.drop()
    assert bench.run(path).kind == "waiting"
    shutil.copyfile(path, bench.hot / "copy.pdf")
    assert bench.journal.inserts.open_job(new_job(make_rule(bench.hot), bench.hot / "copy.pdf")) is not None
    path.unlink()
    other = bench.drop("other.pdf", b"%PDF-1.7 !!EOF")
    assert bench.journal.inserts.open_job(new_job(make_rule(bench.hot), other)) is not None


def test_an_input_that_is_gone_with_its_folder_ends_the_job(bench: Bench) -> None:
    job = bench.queue(bench.drop(".paperchute-claim-x/a.pdf"), shared=True)
    shutil.rmtree(job.path.parent)  # others gave back what a machine held that they took for dead
    assert bench.runner.run(job).kind == "cancelled"


def test_a_folder_that_is_renamed_at_work_is_delivered_under_its_new_name(bench: Bench) -> None:
    for name in ("set/1.pdf", "set/2.pdf"):
        bench.drop(name, name.encode())
    job = set_job(bench.journal, bench.hot)
    (bench.hot / "set").rename(bench.hot / "new")
    outcome = bench.runner.run(job)
    assert outcome.kind == "waiting"
    bench.journal.queue.wait_until(job.id, 0.0, "", None, attempt=False)
    with pytest.raises(AssertionError):  # no new job
        set_job(bench.journal, bench.hot, "new")
    assert bench.again().kind == "done"
    assert "hot.out/new.md" in bench.tree()


def test_a_new_name_that_no_rule_takes_ends_the_job(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    renaming(bench, "a.bak", lambda path: None)
    assert bench.run(bench.drop()).kind == "waiting"
    assert bench.again().kind == "waiting"
    monkeypatch.setattr(runner, "_RENAMED_SECONDS", -1.0)
    outcome = bench.again()
    assert (outcome.kind, set(bench.tree())) == ("cancelled", {"hot/a.bak"})


def test_what_is_removed_stops_its_call_and_what_is_renamed_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.jobs.dispatcher._INPUTS_SECONDS", 0.01)
    house = House(tmp_path, workers=2)
    ends = {"removed.pdf": threading.Event(), "renamed.pdf": threading.Event()}
    house.service.on_abandon = ends["removed.pdf"].set

    def held(call: Call) -> None:
        name = call.files[0][1].name
        assert ends[name].wait(LONG)
        if name == "removed.pdf":
            raise ServiceError("The task was closed.", kind="task", code="05002")

    house.service.on_call = held
    house.drop("hot", *ends)
    house.dispatcher.start()
    house.until(lambda: len(house.service.calls) == 2)
    (tmp_path / "hot" / "renamed.pdf").rename(tmp_path / "hot" / "new.pdf")
    (tmp_path / "hot" / "removed.pdf").unlink()
    house.until(lambda: house.journal.queries.counts().of("cancelled") == 1)
    closed = {key for key, _task in house.service.abandoned}
    assert closed == {call.idempotency_key for call in house.service.calls if call.files[0][1].name == "removed.pdf"}
    ends["renamed.pdf"].set()
    new = new_job(house.rules["hot"], tmp_path / "hot" / "new.pdf")
    assert house.journal.inserts.open_job(new) is None
    house.until_done()
    assert (tmp_path / "hot.out" / "new.md").exists()
    assert len(house.service.calls) == 2
    assert house.dispatcher.stop(LONG)


@pytest.mark.parametrize(
    ("local", "task", "asked"),
    [
        (True, "", ["/v2/task/taskInfo", "/v2/task/closeTask?taskId=t%201"]),
        (False, "t 1", ["/v2/task/closeTask?taskId=t%201"]),
        (False, "", []),
    ],
)
def test_a_call_is_ended_by_its_task(local: bool, task: str, asked: list[str]) -> None:
    with scripted() as service:
        service.answer = lambda _asked: envelope({"taskId": "t 1"})
        client = ServiceClient(ServiceAddress(service.url, "key", local=local))
        client.abandon("the key", task)
        client.close()
        assert [one.path for one in service.asked] == asked
        assert all(one.headers["idempotency-key"] == "the key" for one in service.asked if one.method == "GET")
