"""The tasks' interface as later routes will use it: submit, state, cancel, result, with plain data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import pytest

from paperchute.engine.metrics import Metrics
from paperchute.engine.settings import Limits, Settings
from paperchute.engine.tasks import pool
from paperchute.engine.tasks.local import PoolDispatcher
from paperchute.engine.tasks.manager import Tasks
from paperchute.engine.tasks.sqlite import SqliteStore
from paperchute.engine.tasks.storage import FolderBlobs
from paperchute.engine.tasks.task import NewTask, Order, StoredFile
from paperchute.engine.tasks.webhooks import Webhooks
from paperchute.engine.work import Refused
from tests.engine.service.running import HTML, python_path


@pytest.fixture(autouse=True)
def _tests_operations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path(tmp_path / "wanted" / "by a test.json"))


class Kept(NamedTuple):
    """Where the tasks' own interface ends."""

    store: SqliteStore
    blobs: FolderBlobs


def _with_tasks(folder: Path, use: Callable[[Tasks, Kept], Awaitable[None]]) -> None:
    async def run() -> None:
        store, blobs = SqliteStore(folder, 60.0), FolderBlobs(folder / "files", 1 << 30)
        webhooks = Webhooks(store, url="", token="", inner=())
        settings = Settings(folder, "key", workers=1, limits=Limits(queue=2))
        dispatcher = PoolDispatcher(store, blobs, settings, webhooks, Metrics())
        tasks = Tasks(store, blobs, dispatcher, settings, webhooks)
        try:
            await asyncio.wait_for(use(tasks, Kept(store, blobs)), 60.0)
        finally:
            tasks.stop()
            store.close()

    asyncio.run(run())


def _order(kept: Kept, text: str) -> Order:
    task = kept.blobs.new_task()
    path = kept.blobs.inputs(task) / "00001"
    path.write_bytes(HTML + text.encode())
    file = StoredFile("file", kept.blobs.key_of(path), "a.html", "html")
    size = path.stat().st_size
    return Order("r" + task, task, "html-to-pdf", "a.html", (file,), {"password": "p"}, "{}", size, "en")


def _submit(tasks: Tasks, *orders: Order) -> None:
    for order in orders:
        tasks.submit(NewTask(order.task, order.operation, "sync", "en"), [order])


async def _run_state(tasks: Tasks, order: Order) -> str:
    return (await tasks.result(order.task)).runs[0].state


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


def test_an_order_is_plain_data_that_another_machine_could_read(tmp_path: Path) -> None:
    async def use(tasks: Tasks, kept: Kept) -> None:
        order = _order(kept, "x")
        raw = json.loads(json.dumps(asdict(order)))
        files = tuple(StoredFile(**file) for file in raw["files"])
        again = Order(**{**raw, "files": files, "hosts": tuple(raw["hosts"])})
        assert again == order
        assert not Path(order.files[0].key).is_absolute()
        _submit(tasks, again)
        assert await _run_state(tasks, order) == "success"

    _with_tasks(tmp_path, use)


def test_a_task_waits_then_runs_then_has_ended(tmp_path: Path) -> None:
    async def use(tasks: Tasks, kept: Kept) -> None:
        marker = tmp_path / "marker"
        first, second = _order(kept, f"do: wait {marker}"), _order(kept, "x")
        _submit(tasks, first)
        await _until(marker.exists)
        _submit(tasks, second)
        states = [tasks.task(order.task).runs[0].state for order in (first, second)]
        assert states == ["processing", "waiting"]
        Path(f"{marker}.go").touch()
        assert [await _run_state(tasks, order) for order in (first, second)] == ["success", "success"]
        assert (await tasks.result(second.task)) == tasks.task(second.task)

    _with_tasks(tmp_path, use)


@pytest.mark.parametrize("running", [True, False])
def test_a_closed_task_is_at_its_end_without_its_files_and_the_next_is_done(tmp_path: Path, running: bool) -> None:
    async def use(tasks: Tasks, kept: Kept) -> None:
        marker = tmp_path / "marker"
        first, second = _order(kept, f"do: wait {marker}"), _order(kept, "x")
        _submit(tasks, first)
        await _until(marker.exists)
        _submit(tasks, second)
        gone, other = (first, second) if running else (second, first)
        waiting = asyncio.create_task(tasks.result(gone.task))
        await asyncio.sleep(0)
        tasks.close(gone.task)
        with pytest.raises(Refused, match="05002"):
            await waiting
        closed = tasks.task(gone.task)
        assert (closed.state, closed.runs[0].state, closed.runs[0].code) == ("closed", "failed", "05002")
        with pytest.raises(Refused, match="05002"):
            tasks.close(gone.task)
        Path(f"{marker}.go").touch()
        assert await _run_state(tasks, other) == "success"
        await _until(lambda: not (tmp_path / "files" / gone.task).exists())

    _with_tasks(tmp_path, use)


def test_a_worker_that_takes_a_run_just_as_its_task_is_closed_does_not_open_it_again(tmp_path: Path) -> None:
    async def use(tasks: Tasks, kept: Kept) -> None:
        marker = tmp_path / "marker"
        _submit(tasks, _order(kept, f"do: wait {marker}"))
        await _until(marker.exists)
        late = _order(kept, "x")
        _submit(tasks, late)
        tasks.close(late.task)
        kept.store.begin(late.run)
        assert tasks.task(late.task).runs[0].state == "failed"
        Path(f"{marker}.go").touch()

    _with_tasks(tmp_path, use)


def test_more_than_the_queue_holds_is_refused_and_not_kept(tmp_path: Path) -> None:
    async def use(tasks: Tasks, kept: Kept) -> None:
        marker = tmp_path / "marker"
        _submit(tasks, _order(kept, f"do: wait {marker}"))
        await _until(marker.exists)
        waiting = [_order(kept, "x"), _order(kept, "x")]
        _submit(tasks, *waiting)
        late = _order(kept, "x")
        with pytest.raises(Refused, match="01001"):
            _submit(tasks, late)
        assert kept.store.get(late.task) is None
        Path(f"{marker}.go").touch()
        assert [await _run_state(tasks, order) for order in waiting] == ["success", "success"]
        _submit(tasks, late)
        assert await _run_state(tasks, late) == "success"

    _with_tasks(tmp_path, use)


def test_whoever_waits_is_told_when_the_end_cannot_be_written_down(tmp_path: Path) -> None:
    async def use(tasks: Tasks, kept: Kept) -> None:
        marker = tmp_path / "marker"
        order = _order(kept, f"do: wait {marker}")
        _submit(tasks, order)
        await _until(marker.exists)
        kept.store.close()
        Path(f"{marker}.go").touch()
        with pytest.raises(Refused, match="01002"):
            await tasks.result(order.task)

    _with_tasks(tmp_path, use)


def test_an_unknown_task_is_said_to_be_unknown(tmp_path: Path) -> None:
    async def use(tasks: Tasks, _: Kept) -> None:
        with pytest.raises(Refused, match="05001"):
            tasks.task("nobody")
        with pytest.raises(Refused, match="05001"):
            await tasks.result("nobody")

    _with_tasks(tmp_path, use)


def test_a_worker_that_has_read_documents_is_replaced_after_a_quiet_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_IDLE_SECONDS", 0.1)

    async def use(tasks: Tasks, kept: Kept) -> None:
        order = _order(kept, "x")
        _submit(tasks, order)
        assert await _run_state(tasks, order) == "success"
        first = {path.name for path in (tmp_path / "workers").iterdir()}
        await _until(lambda: first.isdisjoint(path.name for path in (tmp_path / "workers").iterdir()))
        again = _order(kept, "x")
        _submit(tasks, again)
        assert await _run_state(tasks, again) == "success"

    _with_tasks(tmp_path, use)
