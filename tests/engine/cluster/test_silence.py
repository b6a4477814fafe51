"""Machines that go silent instead of refusing: nothing waits for them without end, and nobody is blamed for it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

import psycopg
from procrastinate.exceptions import ConnectorException

from paperchute.engine.cluster import database as limits
from paperchute.engine.cluster import jobs
from paperchute.engine.cluster.database import BoundedAsyncConnection, BoundedConnection, Database, SilentError, bounded
from paperchute.engine.cluster.jobs import worker_app
from paperchute.engine.cluster.objects import Silence, StorageAway, bucket_at
from paperchute.engine.cluster.postgres import PostgresStore
from paperchute.engine.cluster.pulse import Pulse
from paperchute.engine.work import AskLater
from tests.engine.cluster.forwarder import Forwarder
from tests.engine.cluster.load import Load, all_is_well
from tests.engine.cluster.members import Caller, Cluster, Member, cluster
from tests.engine.cluster.servers import BUCKET, MotoServer, PostgresServer, free_port, s3_environment, until
from tests.engine.cluster.test_upkeep import Queue
from tests.engine.service.running import HTML, KEY

_QUIET_SECONDS = 0.5


@pytest.fixture
def forwarder(postgres_server: PostgresServer) -> Iterator[Forwarder]:
    made = Forwarder(postgres_server.port)
    yield made
    made.close()


@pytest.fixture
def url(forwarder: Forwarder, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of the database behind the forwarder, which connections wait for no longer than half a second."""
    for kind in (BoundedConnection, BoundedAsyncConnection):
        monkeypatch.setattr(kind, "patience", _QUIET_SECONDS)
    monkeypatch.setattr(limits, "SILENT_SECONDS", _QUIET_SECONDS)
    return f"postgresql://test@127.0.0.1:{forwarder.port}/postgres"


# ---------- the database ----------


def test_a_statement_without_an_answer_ends_and_the_next_has_another_connection(url: str, forwarder: Forwarder) -> None:
    database = Database(url)
    with database.connection() as connection:
        forwarder.fall_silent(is_open=True)
        with pytest.raises(SilentError):
            connection.execute("select 1")
    assert database.rows("select 2 as one") == [{"one": 2}]
    database.close()


def test_so_does_a_commit(url: str, forwarder: Forwarder) -> None:
    database = Database(url)

    def commit() -> None:
        with database.together():
            database.rows("select 1")
            forwarder.fall_silent(is_open=True)

    with pytest.raises(psycopg.OperationalError):
        commit()
    assert database.rows("select 2 as one") == [{"one": 2}]
    database.close()


def test_what_may_take_its_time_does(url: str) -> None:
    database = Database(url)
    with database.patient():
        database.rows(f"select pg_sleep({2 * _QUIET_SECONDS})")
    with pytest.raises(SilentError):
        database.rows(f"select pg_sleep({2 * _QUIET_SECONDS})")
    database.close()


def test_a_server_that_takes_connections_and_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits._LIMITS, "connect_timeout", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(psycopg.OperationalError):
        Database(f"postgresql://test@127.0.0.1:{silent.getsockname()[1]}/postgres")


def test_limits_that_an_address_has_already_stay() -> None:
    told = bounded("postgresql://db.example/papers?keepalives_idle=99")
    assert "keepalives_idle=99" in told
    assert "tcp_user_timeout=10000" in told


# ---------- the queue ----------


@pytest.mark.parametrize("how", ["silent", "ended"])
def test_a_worker_that_lost_its_listening_listens_again(
    how: str, url: str, forwarder: Forwarder, postgres_server: PostgresServer
) -> None:
    pulse, heard = Pulse(), threading.Event()

    async def on_notice(*, channel: str, payload: str) -> None:
        heard.set()

    def notify() -> bool:
        with psycopg.connect(postgres_server.url, autocommit=True) as connection:
            connection.execute("notify papers, 'x'")
        return heard.wait(0.3)

    async def work() -> None:
        app = worker_app(url, pulse, "work")
        listening = asyncio.create_task(app.connector.listen_notify(on_notice, ["papers"]))
        try:
            await asyncio.to_thread(until, notify)
            heard.clear()
            if how == "silent":
                forwarder.fall_silent(is_open=True)
            else:
                with psycopg.connect(postgres_server.url, autocommit=True) as connection:
                    connection.execute(
                        "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%papers%'"
                    )
            await asyncio.to_thread(until, notify)
        finally:
            listening.cancel()

    asyncio.run(work())


def test_a_worker_outlives_the_silence_with_its_heartbeat_and_gives_back_what_it_never_heard_of(
    url: str, forwarder: Forwarder, postgres_server: PostgresServer, shared_store: Callable[[float], Any]
) -> None:
    store = shared_store(60.0)
    store.close()
    own = psycopg.connect(postgres_server.url, autocommit=True)
    pulse = Pulse()

    async def work() -> None:
        app = worker_app(url, pulse, "work")
        async with app.open_async():
            manager = app.job_manager
            worker = await manager.register_worker()
            own.execute("insert into procrastinate_jobs (queue_name, task_name) values ('papers', 'x')")
            forwarder.fall_silent(is_open=False)
            beating = asyncio.create_task(manager.update_heartbeat(worker))
            assert await manager.fetch_job(["papers"], worker) is None
            with pytest.raises(AskLater):
                pulse.check_heard()
            own.execute("update procrastinate_jobs set status = 'doing', worker_id = %s", [worker])  # it was given away
            forwarder.go_on()
            await beating
            while (job := await manager.fetch_job(["papers"], worker)) is None:
                await asyncio.sleep(0.1)
            assert job.task_name == "x"
            pulse.check_heard()
            own.execute("delete from procrastinate_workers")  # given up for good
            own.execute("insert into procrastinate_jobs (queue_name, task_name) values ('papers', 'x')")
            with pytest.raises(ConnectorException):
                await manager.fetch_job(["papers"], worker)

    asyncio.run(work())
    own.close()


def test_a_run_that_cannot_be_put_there_is_the_database_s_fault(
    url: str, forwarder: Forwarder, shared_store: Callable[[float], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queue's library has errors of its own, which were taken for a fault of ours: 500, and the files discarded."""
    shared_store(60.0).close()
    store = PostgresStore(Database(url), 60.0, "a key")

    def silent(_operation: str) -> bool:
        forwarder.fall_silent(is_open=True)
        return False

    monkeypatch.setattr(jobs, "is_quick", silent)
    with pytest.raises(store.trouble, match="does not answer"):
        Queue(store).put("a")
    assert store.database.rows("select * from run") == []
    store.close()


# ---------- what probes are told ----------


def test_a_pulse_knows_who_is_silent_and_who_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    pulse = Pulse(still_seconds=30.0)
    pulse.heard("one")
    pulse.heard("other")
    pulse.check_heard()
    pulse.lost("one", "it does not answer")
    with pytest.raises(AskLater):
        pulse.check_heard()
    pulse.check_turns()
    pulse.heard("one")
    pulse.check_heard()
    now[0] += 89.0
    with pytest.raises(AskLater):
        pulse.check_heard()
    pulse.check_turns()
    pulse.heard("one")
    now[0] += 2.0
    with pytest.raises(AskLater, match="other"):
        pulse.check_turns()


# ---------- the storage ----------


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A storage that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as silent:
        for name, value in s3_environment(f"http://127.0.0.1:{silent.getsockname()[1]}").items():
            monkeypatch.setenv(name, value)
        yield f"s3://{BUCKET}/x"


def test_a_storage_that_hangs_holds_up_one_and_not_all(hung: str) -> None:
    import obstore

    bucket = bucket_at(hung, patience=0.3, answer=0.3)
    silence = Silence(3600.0)
    tries: list[int] = []

    def ask() -> None:
        with silence.asked():
            tries.append(1)
            obstore.head(bucket, "a")

    for _ in range(3):
        with pytest.raises(StorageAway):
            ask()
    assert len(tries) == 1


def test_a_storage_that_answers_again_or_only_says_no_is_asked_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from obstore.exceptions import GenericError

    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    silence = Silence(5.0)

    def asked(error: str = "") -> bool:
        """Whether it came to asking."""
        came = False
        try:
            with silence.asked():
                came = True
                if error:
                    raise GenericError(error)
        except StorageAway:
            pass
        return came

    assert asked("error sending request")
    assert not asked()
    now[0] += 6.0
    assert asked()
    assert asked("status code: 503")
    assert asked()
    assert asked("error sending request")
    now[0] += 6.0
    assert asked("error sending request")  # one finds out
    assert not asked()


# ---------- a whole service ----------


@pytest.fixture
def shared(
    postgres_server: PostgresServer, storage_server: MotoServer, forwarder: Forwarder, tmp_path: Path
) -> Iterator[Cluster]:
    """Its members reach the database through the forwarder."""
    with cluster(tmp_path, postgres_server, storage_server.environment()) as made:
        made.empty()
        made.environment["PAPERCHUTE_DATABASE"] = f"postgresql://test@127.0.0.1:{forwarder.port}/postgres"
        yield made


def _monitored(shared: Cluster) -> Member:
    (worker,) = shared.add("worker", 1, "--workers", "2", "--metrics-port", str(free_port()))
    return worker


def _says(member: Member, probe: str) -> int:
    address = member.said.get("metrics_url", member.base_url.replace("/server", "/metrics"))
    return httpx.get(address.replace("metrics", probe), timeout=5.0).status_code


def test_connections_that_fall_silent_cost_no_run_and_probes_know(
    shared: Cluster, forwarder: Forwarder, tmp_path: Path
) -> None:
    (server,) = shared.add("api")
    worker = _monitored(shared)
    with Caller([server]) as caller:
        load = Load(caller, tmp_path)
        thread = threading.Thread(target=load.run, args=(12,), kwargs={"held": 1})
        thread.start()
        until(lambda: len(load.seconds) >= 4)
        forwarder.fall_silent(is_open=False)
        for member in (server, worker):
            until(lambda member=member: _says(member, "ready") == 503)  # type: ignore[misc]
            assert _says(member, "health") == 200
        forwarder.go_on()
        for member in (server, worker):
            until(lambda member=member: _says(member, "ready") == 200)  # type: ignore[misc]
        until(lambda: len(load.seconds) == 11)
        Path(tmp_path / "held-0.go").touch()
        thread.join()
        all_is_well(shared, load, 12)
    assert "the database answers again" in (worker.state / "engine.log").read_text("utf-8")


# ---------- the chaos runs, with silence in place of refusal ----------


@pytest.mark.cluster
@pytest.mark.parametrize("is_open", [True, False])
def test_connections_of_all_fall_silent_again_and_again_under_load(
    is_open: bool, shared: Cluster, forwarder: Forwarder, tmp_path: Path
) -> None:
    """is_open: as when a firewall forgets its connections, or else as when the database's machine hangs."""
    servers = shared.add("api", 2)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = threading.Thread(target=load.run, args=(120,), kwargs={"twice": 20})
        thread.start()
        for done in (20, 50, 80):
            until(lambda done=done: len(load.seconds) > done, 300.0)  # type: ignore[misc]
            forwarder.fall_silent(is_open=is_open)
            time.sleep(15.0)
            forwarder.go_on()
        thread.join()
        all_is_well(shared, load, 120)


@pytest.mark.cluster
def test_a_database_that_stands_still_takes_no_work_from_those_who_have_it(
    shared: Cluster, postgres_server: PostgresServer, tmp_path: Path
) -> None:
    servers = shared.add("api", 2)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = threading.Thread(target=load.run, args=(40,), kwargs={"held": 1})
        thread.start()
        until(lambda: len(load.seconds) >= 20, 300.0)
        own = [postgres_server.pid, *_children(postgres_server.pid)]
        for pid in own:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(30.0)
        for pid in own:
            os.kill(pid, signal.SIGCONT)
        until(lambda: len(load.seconds) == 39, 300.0)
        Path(tmp_path / "held-0.go").touch()
        thread.join()
        all_is_well(shared, load, 40)
        assert shared.rows("select count(*) as n from death") == [{"n": 0}]
        (task,) = load.records["key-0"]
        assert shared.rows("select epoch from run where task = %s", task) == [{"epoch": 1}], "what was at work went on"


def _children(pid: int) -> list[int]:
    import psutil

    return [process.pid for process in psutil.Process(pid).children(recursive=True)]


@pytest.mark.cluster
def test_a_storage_that_hangs_leaves_everything_else_to_be_answered(
    postgres_server: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    with cluster(tmp_path / "members", postgres_server, storage_server.environment()) as shared:
        shared.empty()
        (server,) = shared.add("api")
        worker = _monitored(shared)
        with Caller([server]) as caller:
            load = Load(caller, tmp_path)
            thread = threading.Thread(target=load.run, args=(40,))
            thread.start()
            until(lambda: len(load.seconds) >= 10)
            os.kill(storage_server.pid, signal.SIGSTOP)
            try:
                waits = [threading.Thread(target=_refused, args=(server,)) for _ in range(24)]
                for wait in waits:
                    wait.start()
                for _ in range(10):
                    assert _says(server, "ready") == _says(server, "health") == 200
                    assert _says(worker, "ready") == _says(worker, "health") == 200
                    known = {"x-api-key": KEY}
                    assert httpx.get(f"{server.base_url}/v2/asset/info", headers=known, timeout=5.0).status_code == 200
                    time.sleep(0.5)
                begun = time.monotonic()
                for wait in waits:
                    wait.join()
                print(f"\n    24 uploads refused within {time.monotonic() - begun + 5.0:.1f} s")  # noqa: T201
            finally:
                os.kill(storage_server.pid, signal.SIGCONT)
            thread.join()
            all_is_well(shared, load, 40)


def _refused(server: Member) -> None:
    answer = httpx.post(
        f"{server.base_url}/v2/processAsync/html/pdf",
        files={"file": ("page.html", HTML)},
        headers={"x-api-key": KEY},
        timeout=60.0,
    )
    assert (answer.status_code, answer.headers["Paperchute-Task"]) == (503, "none")
