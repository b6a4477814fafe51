"""The tasks' interface as later routes will use it: submit, state, cancel, result, with plain data."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from paperchute.engine.settings import Limits, Settings
from paperchute.engine.store import Store
from paperchute.engine.tasks import Order, StoredFile, Tasks
from paperchute.engine.work import Refused
from tests.engine.service.running import HTML, python_path


@pytest.fixture(autouse=True)
def _tests_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path())


def _with_tasks(folder: Path, use: Callable[[Tasks, Store], Awaitable[None]]) -> None:
    async def run() -> None:
        store = Store(folder, 60.0)
        tasks = Tasks(store, Settings(folder, "key", workers=1, limits=Limits(queue=2)))
        try:
            await asyncio.wait_for(use(tasks, store), 60.0)
        finally:
            tasks.stop()
            store.close()

    asyncio.run(run())


def _order(store: Store, text: str) -> Order:
    task = store.new_id()
    path = store.inputs(task) / "00001"
    path.write_bytes(HTML + text.encode())
    file = StoredFile("file", store.key_of(path), "a.html", "html")
    return Order(task, "html-to-pdf", (file,), {"password": "p"}, "{}", path.stat().st_size, None, 1)


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


def test_an_order_is_plain_data_that_another_machine_could_read(tmp_path: Path) -> None:
    async def use(tasks: Tasks, store: Store) -> None:
        order = _order(store, "x")
        raw = json.loads(json.dumps(asdict(order)))
        again = Order(**{**raw, "files": tuple(StoredFile(**file) for file in raw["files"])})
        assert again == order
        assert not Path(order.files[0].key).is_absolute()
        tasks.submit(again)
        assert (await tasks.result(order.task)).state == "success"

    _with_tasks(tmp_path, use)


def test_a_task_waits_then_runs_then_has_ended(tmp_path: Path) -> None:
    async def use(tasks: Tasks, store: Store) -> None:
        marker = tmp_path / "marker"
        first, second = _order(store, f"do: wait {marker}"), _order(store, "x")
        tasks.submit(first)
        await _until(marker.exists)
        tasks.submit(second)
        states = [getattr(tasks.state(order.task), "state", None) for order in (first, second)]
        assert states == ["processing", "waiting"]
        Path(f"{marker}.go").touch()
        assert [(await tasks.result(order.task)).state for order in (first, second)] == ["success", "success"]
        assert (await tasks.result(second.task)) == tasks.state(second.task)

    _with_tasks(tmp_path, use)


@pytest.mark.parametrize("running", [True, False])
def test_a_cancelled_task_is_gone_with_its_files_and_the_next_is_done(tmp_path: Path, running: bool) -> None:
    async def use(tasks: Tasks, store: Store) -> None:
        marker = tmp_path / "marker"
        first, second = _order(store, f"do: wait {marker}"), _order(store, "x")
        tasks.submit(first)
        await _until(marker.exists)
        tasks.submit(second)
        gone, other = (first, second) if running else (second, first)
        waiting = asyncio.create_task(tasks.result(gone.task))
        await asyncio.sleep(0)
        assert tasks.cancel(gone.task)
        with pytest.raises(Refused, match="05001"):
            await waiting
        assert tasks.state(gone.task) is None
        assert not tasks.cancel(gone.task)
        Path(f"{marker}.go").touch()
        assert (await tasks.result(other.task)).state == "success"
        await _until(lambda: not (tmp_path / "files" / gone.task).exists())

    _with_tasks(tmp_path, use)


def test_more_than_the_queue_holds_is_refused_and_not_kept(tmp_path: Path) -> None:
    async def use(tasks: Tasks, store: Store) -> None:
        marker = tmp_path / "marker"
        tasks.submit(_order(store, f"do: wait {marker}"))
        await _until(marker.exists)
        waiting = [_order(store, "x"), _order(store, "x")]
        for order in waiting:
            tasks.submit(order)
        late = _order(store, "x")
        with pytest.raises(Refused, match="01001"):
            tasks.submit(late)
        assert tasks.state(late.task) is None
        Path(f"{marker}.go").touch()
        assert [(await tasks.result(order.task)).state for order in waiting] == ["success", "success"]
        tasks.submit(replace(late))
        assert (await tasks.result(late.task)).state == "success"

    _with_tasks(tmp_path, use)


def test_whoever_waits_is_told_when_the_end_cannot_be_written_down(tmp_path: Path) -> None:
    async def use(tasks: Tasks, store: Store) -> None:
        marker = tmp_path / "marker"
        order = _order(store, f"do: wait {marker}")
        tasks.submit(order)
        await _until(marker.exists)
        store.close()
        Path(f"{marker}.go").touch()
        with pytest.raises(Refused, match="01002"):
            await tasks.result(order.task)

    _with_tasks(tmp_path, use)


def test_an_unknown_task_is_said_to_be_unknown(tmp_path: Path) -> None:
    async def use(tasks: Tasks, _: Store) -> None:
        assert tasks.state("nobody") is None
        with pytest.raises(Refused, match="05001"):
            await tasks.result("nobody")

    _with_tasks(tmp_path, use)
