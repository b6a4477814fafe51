"""How far a task is can be seen while it runs, by its id and by the key of the request that waits for it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from paperchute.service.client import ServiceClient
from paperchute.service.records import Call, ServiceAddress
from tests.engine.reading.printing import LOREM, printed
from tests.engine.service.running import KEY, RunningEngine, data_of, ended, task_info, until

_PAGES = 400


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    html = "".join(f"<p style='break-before:page'>{LOREM * 12}</p>" for _ in range(_PAGES))
    return printed(tmp_path_factory.mktemp("long") / "long.pdf", html)


def test_pages_are_counted_while_a_task_runs(long: Path, tmp_path: Path) -> None:
    with RunningEngine(tmp_path, real=True) as engine:
        task = data_of(engine.post_async("pdf/markdown", ("file", "long.pdf", long.read_bytes())))["taskId"]
        seen: list[tuple[int, int]] = []

        def moved() -> bool:
            info = task_info(engine, task)
            seen.append((info["pagesDone"], info["pagesTotal"]))
            return info["taskStatus"] == "TaskFinish" or 0 < info["pagesDone"] < info["pagesTotal"]

        until(moved)
        assert seen[0][0] <= seen[-1][0] < seen[-1][1] == _PAGES
        assert ended(engine, task)["pagesTotal"] == 0


def test_a_call_that_waits_hears_of_its_pages(long: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with RunningEngine(tmp_path, real=True) as engine:
        client = ServiceClient(ServiceAddress(engine.base_url, KEY, local=True))
        call = Call(
            "document-parsing", (("file", long),), {}, "key-1", on_pages=lambda done, total: told.append((done, total))
        )
        try:
            assert client.call(call).file_name == "long.zip"
        finally:
            client.close()
        until(lambda: not any(thread.name == "pages" for thread in threading.enumerate()))
        answer = engine.client.get("/v2/task/taskInfo", headers={"Idempotency-Key": "unheard-of"})
        assert answer.json()["code"] == "05001"
    assert told
    assert told == sorted(told)
    assert all(0 <= done < total == _PAGES for done, total in told)
