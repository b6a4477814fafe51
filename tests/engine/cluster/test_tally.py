"""The bytes that a cluster keeps are counted by one of it now and then, and each engine adds what came since."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.tasks.ports import Told
from paperchute.engine.tasks.task import NewTask

_UPLOAD, _RESULT = 1000, 10


@pytest.fixture
def store(shared_store: Callable[[float], PostgresStore]) -> Iterator[PostgresStore]:
    made = shared_store(60.0)
    yield made
    made.close()


def _add(store: PostgresStore, *tasks: str) -> None:
    for task in tasks:
        store.add(NewTask(task, "pdf-merge", "async", "en"), "started")
        store.add_run(
            task, task, "pdf-merge", state="waiting", file_name="a", file_size=_UPLOAD, parameters="{}", order="{}"
        )


def _end(store: PostgresStore, *tasks: str) -> None:
    for task in tasks:
        epoch = store.begin(task)
        assert epoch is not None
        store.finish(task, epoch, "a.pdf", _RESULT, Told(1))
        store.end(task, "finished")


def test_what_came_and_ended_since_it_was_counted_counts_as_it_stands(store: PostgresStore) -> None:
    _add(store, "ends", "goes on", "is closed", "had ended")
    _end(store, "had ended")
    assert store.stored() == 3 * _UPLOAD + _RESULT, "nobody has counted yet"
    store.tally()
    assert store.stored() == 3 * _UPLOAD + _RESULT
    _add(store, "comes", "comes and ends")
    _end(store, "ends", "comes and ends")
    store.drop("is closed", "closed", "05002", "closed")
    expected = 2 * _UPLOAD + 3 * _RESULT
    assert store.stored() == expected
    store.tally()
    assert store.stored() == expected


def test_not_each_task_is_looked_at_each_time(store: PostgresStore) -> None:
    _add(store, "old")
    store.tally()
    store.database.write("update run set file_size = 77")  # behind its back
    assert store.stored() == _UPLOAD
    store.tally()
    assert store.stored() == 77
    store.database.write("update run set file_size = 99")
    store.database.write("update tally set at = at - 3600")
    assert store.stored() == 99, "nobody counts any more"
