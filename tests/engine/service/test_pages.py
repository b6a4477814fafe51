"""How far a task is can be seen while it runs, by its id and by the key of the request that waits for it."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest

from paperchute.engine import report
from paperchute.engine.operations import implementation
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress
from tests.engine.operations.papers import paper, work
from tests.engine.service.running import HTML, KEY, RunningEngine, data_of, ended, task_info, until


@pytest.mark.parametrize("operation", ["document-parsing", "pdf-to-markdown"])
def test_reading_tells_of_each_page(operation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "_SECONDS", 0.0)
    order = work(operation, tmp_path, paper(tmp_path / "a.pdf", "one", "two", "three"))
    told: list[tuple[int, int]] = []
    report.listen(lambda done, total: told.append((done, total)))
    try:
        implementation(operation).run(order)
    finally:
        report.listen(None)
    assert told == [(0, 3), (1, 3), (2, 3)]


def test_pages_are_counted_while_a_task_runs(engine: RunningEngine, tmp_path: Path) -> None:
    go_on = tmp_path / "go on"
    content = HTML + f"do: pages {tmp_path}".encode()
    task = data_of(engine.post_async("html/pdf", ("file", "a.html", content)))["taskId"]
    until(lambda: task_info(engine, task)["pagesDone"] > 0)
    info = task_info(engine, task)
    assert (info["taskStatus"], info["pagesDone"], info["pagesTotal"]) == ("TaskProcessing", 4, 12)
    go_on.touch()
    assert ended(engine, task)["pagesTotal"] == 0


def test_a_call_that_waits_hears_of_its_pages(engine: RunningEngine, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_bytes(HTML + f"do: pages {tmp_path}".encode())
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        if done:
            (tmp_path / "go on").touch()

    with contextlib.closing(ServiceClient(ServiceAddress(engine.base_url, KEY, local=True))) as client:
        call = Call("html-to-pdf", (("file", page),), {}, f"key-{tmp_path}", on_pages=tell)
        assert client.call(call).file_name == "told.json"
    assert told[-1] == (4, 12)
    assert set(told) <= {(0, 12), (4, 12)}
    until(lambda: not any(thread.name == "pages" for thread in threading.enumerate()))


def test_of_a_call_nobody_made_nothing_is_told(engine: RunningEngine) -> None:
    answer = engine.client.get("/v2/task/taskInfo", headers={"Idempotency-Key": "unheard-of"})
    assert answer.json()["code"] == "05001"
