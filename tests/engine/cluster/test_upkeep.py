"""What a dead worker had begun is the next that is done, whatever came meanwhile and whatever any clock says."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

import psycopg
from procrastinate import utils

from paperchute.engine.cluster.jobs import QUEUE, JobQueue, worker_app
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.cluster.upkeep import Upkeep
from paperchute.engine.tasks.task import NewTask

_OPERATION = "pdf-to-markdown"


class Queue:
    """Runs are put into it, taken out of it by workers that are there or have died, and looked after."""

    def __init__(self, store: PostgresStore) -> None:
        self.store = store
        self._queue = JobQueue(store.database)

    def put(self, *runs: str) -> None:
        for run in runs:
            with self.store.together():
                self.store.add(NewTask(run, _OPERATION, "async", "en"), "started")
                self.store.add_run(
                    run, run, _OPERATION, state="waiting", file_name="a", file_size=1, parameters="{}", order=""
                )
                self._queue.put(run)

    def take(self, *, heard: str) -> str:
        """The run that a worker gets, which was heard of so long ago."""
        database = self.store.database
        (worker,) = database.rows(
            "insert into procrastinate_workers (last_heartbeat) values (now() - ?::interval) returning id", heard
        )
        (job,) = database.rows("select * from procrastinate_fetch_job_v2(array[?], ?)", QUEUE, worker["id"])
        assert job["id"] is not None
        run = str(job["args"]["run"])
        assert self.store.begin(run, str(job["id"]))
        return run

    def look_after(self, gap: float = 0.0, hung: float = 0.0) -> None:
        """One round of upkeep. gap: seconds since the one before. hung: those that the round waits for an answer."""
        pulse = Pulse()
        upkeep = Upkeep(self.store, self._queue, None, {}, pulse)  # type: ignore[arg-type]

        upkeep._rounded -= gap

        class Hung(psycopg.AsyncConnection):
            """One that answers late where the round asks whether it is the one that looks after the others."""

            async def execute(self, query: Any, *values: Any, **more: Any) -> Any:
                answer = await super().execute(query, *values, **more)
                if "lock" in query:
                    upkeep._rounded -= hung
                return answer

        async def round_() -> None:
            app = worker_app(self.store.database.url, pulse, "upkeep")
            async with app.open_async(), await Hung.connect(self.store.database.url) as connection:
                await upkeep._round(connection, app)

        asyncio.run(round_())


@pytest.fixture
def queue(shared_store: Callable[[float], PostgresStore]) -> Iterator[Queue]:
    made = Queue(shared_store(60.0))
    yield made
    made.store.close()


def test_a_dead_worker_s_run_comes_before_all_that_came_after_it(queue: Queue) -> None:
    queue.put("first", "second", "third")
    assert [queue.take(heard="0 s") for _ in range(2)] == ["first", "second"]
    assert queue.take(heard="1 min") == "third"
    queue.put("a", "b")  # whose rounds begin anew, since nothing waits
    queue.look_after()
    assert [queue.take(heard="0 s") for _ in range(3)] == ["third", "a", "b"]


def test_machines_that_are_gone_are_counted_apart_from_starts_and_their_run_rests_for_longer_each_time(
    queue: Queue,
) -> None:
    queue.put("a")
    rests = []
    for deaths in range(1, 6):
        assert queue.take(heard="1 min") == "a"
        queue.look_after()
        assert queue.store.deaths("a") == deaths
        (job,) = queue.store.database.rows(
            "select extract(epoch from scheduled_at - now())::double precision as rest from procrastinate_jobs"
        )
        rests.append(job["rest"] or 0.0)
        queue.store.database.write("update procrastinate_jobs set scheduled_at = null")
    assert rests[0] == 0.0
    assert 0.0 < rests[1] < rests[2] < rests[3] < rests[4] <= 16.0
    run = queue.store.by_id("a")
    assert run is not None
    assert (run.starts, run.epoch, run.state) == (0, 5, "waiting")
    queue.store.drop("a", "closed", "05002", "closed")
    queue.store.forget_turns()
    assert queue.store.deaths("a") == 0


def test_after_a_silence_of_the_database_nobody_is_given_up_before_he_could_be_heard_of(queue: Queue) -> None:
    queue.put("a")
    assert queue.take(heard="1 min") == "a"  # as all are after a minute in which none could be heard of
    queue.look_after(gap=60.0)
    assert queue.store.deaths("a") == 0
    queue.look_after(hung=60.0)
    assert queue.store.deaths("a") == 0
    queue.look_after()
    assert queue.store.deaths("a") == 1


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_worker_whose_clock_is_off_gives_it_to_another_at_once(
    hours: int, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = datetime.timedelta(hours=hours)
    monkeypatch.setattr(utils, "utcnow", lambda: datetime.datetime.now(datetime.UTC) + off)
    queue.put("a")
    assert queue.take(heard="1 min") == "a"
    queue.look_after()
    assert queue.take(heard="0 s") == "a"


def test_a_worker_that_was_only_late_does_not_end_the_job_of_whoever_has_its_run_now(queue: Queue) -> None:
    queue.put("a")
    queue.take(heard="1 hour")
    database = queue.store.database
    (late,) = database.rows("select id from procrastinate_jobs")
    queue.look_after()
    assert queue.take(heard="0 seconds") == "a"
    with pytest.raises(psycopg.Error):
        database.rows("select procrastinate_finish_job_v1(?, 'succeeded', true)", late["id"])
    assert queue.store.orphans() == []


def test_regular_work_is_done_by_one_engine_and_again_when_its_time_has_come(
    shared_store: Callable[[float], PostgresStore],
) -> None:
    engines = [shared_store(60.0) for _ in range(4)]

    def asked() -> list[bool]:
        """Each engine asks several times at once."""
        with ThreadPoolExecutor(16) as pool:
            return list(pool.map(lambda number: engines[number % 4].due("sweep", 3600.0), range(32)))

    assert sum(asked()) == 1
    assert sum(asked()) == 0
    engines[0].database.write("update upkeep set due = now() - interval '1 second'")
    assert sum(asked()) == 1
    for engine in engines:
        engine.close()
