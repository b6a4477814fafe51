"""What breaks while a cluster is at work: nothing is lost, nothing is done twice for whoever asks.

Not in the ordinary run: `python -m pytest -m cluster tests/engine/cluster`, which takes about five minutes. Each test
prints what it saw (`-s`); docs/scaling.md has figures of one run.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.load import Load, all_is_well
from tests.engine.cluster.members import Caller, Cluster, Member, cluster, kill
from tests.engine.cluster.servers import MotoServer, PostgresServer, until
from tests.engine.reading.ocr.scanning import scan_pdf, scanned
from tests.engine.service.running import KEY, data_of

pytestmark = pytest.mark.cluster

_SCANS = 12  # pages, each of which takes half a second or more
_DRAIN_SECONDS = 2.0


@pytest.fixture
def shared(postgres_server: PostgresServer, storage: dict[str, str], tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, postgres_server, storage) as made:
        made.empty()
        yield made


def _meanwhile(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def _holder(shared: Cluster, marker: Path) -> Member:
    """The worker whose process is at work on the run that wrote its process id to the marker."""
    import psutil

    until(marker.exists)
    until(lambda: marker.read_text().strip())
    ancestors = {process.pid for process in psutil.Process(int(marker.read_text().split()[-1])).parents()}
    (found,) = [member for member in shared.members if member.process.pid in ancestors]
    return found


def test_two_workers_killed_in_the_middle_of_a_run(shared: Cluster, tmp_path: Path) -> None:
    servers = shared.add("api", 2)
    shared.add("worker", 4)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = _meanwhile(lambda: load.run(200, twice=30, held=2))
        begun = 0.0
        for number in (0, 1):
            marker = tmp_path / f"held-{number}"
            holder = _holder(shared, marker)
            begun = time.monotonic()
            kill(holder)
            shared.members.remove(holder)
            holder.close()
            Path(f"{marker}.go").touch()
        until(lambda: len((tmp_path / "held-1").read_text().split()) == 2)
        print(f"\n    taken over after {time.monotonic() - begun:.1f} s")  # noqa: T201
        thread.join()
        all_is_well(shared, load, 200)


def test_a_worker_that_stood_still_is_late_and_goes_on(shared: Cluster, tmp_path: Path) -> None:
    servers = shared.add("api", 1)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = _meanwhile(lambda: load.run(60, held=1))
        marker = tmp_path / "held-0"
        still = _holder(shared, marker)
        still.signal(signal.SIGSTOP)
        until(lambda: len(marker.read_text().split()) == 2)  # another has begun it
        still.signal(signal.SIGCONT)
        time.sleep(1.0)
        Path(f"{marker}.go").touch()
        thread.join()
        all_is_well(shared, load, 60)
        (seen,) = shared.rows("select epoch from run order by epoch desc limit 1")
        assert seen["epoch"] >= 2
        other = next(member for member in shared.members[1:] if member is not still)
        kill(other)
        assert caller.html("more")["status"] == "success"  # by the one that had stood still


def test_a_server_killed_under_load(shared: Cluster, tmp_path: Path) -> None:
    servers = shared.add("api", 2)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = _meanwhile(lambda: load.run(150))
        until(lambda: len(load.seconds) > 30)
        kill(servers[0])
        thread.join()
        assert caller.again > 0
        all_is_well(shared, load, 150)


def test_postgresql_restarted_under_load(shared: Cluster, postgres_server: PostgresServer, tmp_path: Path) -> None:
    servers = shared.add("api", 2)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = _meanwhile(lambda: load.run(120))
        for done in (20, 60):
            until(lambda done=done: len(load.seconds) > done)  # type: ignore[misc]
            postgres_server.stop()
            time.sleep(1.0)
            postgres_server.start()
        thread.join()
        all_is_well(shared, load, 120)


def test_a_worker_is_told_to_end_in_the_middle_of_a_long_recognition(shared: Cluster, tmp_path: Path) -> None:
    page = scanned(tmp_path, "<p>Harbour survey of the northern reach. " * 20, dpi=150)
    scan = scan_pdf(tmp_path / "scan.pdf", *[page] * _SCANS, dpi=150).read_bytes()
    (server,) = shared.add("api", 1)
    (leaves,) = shared.add("worker", 1, "--drain-seconds", str(_DRAIN_SECONDS))
    headers = {"x-api-key": KEY}
    answer = httpx.post(
        f"{server.base_url}/v2/processAsync/pdf/docx", files={"file": ("scan.pdf", scan)}, headers=headers, timeout=60.0
    )
    task = data_of(answer)["taskId"]

    def told() -> dict[str, Any]:
        asked = httpx.get(f"{server.base_url}/v2/task/taskInfo", params={"taskId": task}, headers=headers, timeout=60.0)
        return data_of(asked)

    until(lambda: told()["pagesDone"] >= 1, 120.0)
    shared.add("worker", 1)
    begun = time.monotonic()
    leaves.signal(signal.SIGTERM)
    assert leaves.process.wait(60.0) == 0
    seconds, at_the_end = time.monotonic() - begun, told()
    print(f"\n    it ended after {seconds:.1f} s, at page {at_the_end['pagesDone']} of {_SCANS}")  # noqa: T201
    assert at_the_end["taskStatus"] != "TaskFinish"
    until(lambda: told()["taskStatus"] == "TaskFinish", 300.0)
    (record,) = told()["fileInfoDTOList"]
    assert record["status"] == "success"
    assert shared.rows("select epoch, starts, state from run") == [{"epoch": 2, "starts": 1, "state": "success"}]
    found = httpx.get(record["downloadUrl"], follow_redirects=True, verify=False).content
    assert found.startswith(b"PK")
    assert len(found) == record["convertSize"]
    assert '"trace"' not in (leaves.state / "engine.log").read_text("utf-8")


def test_machines_that_die_one_after_the_other_fail_no_document_that_was_there(shared: Cluster, tmp_path: Path) -> None:
    servers = shared.add("api", 1)
    marker = tmp_path / "waits"
    with Caller(servers) as caller:
        got: list[dict[str, Any]] = []
        thread = _meanwhile(lambda: got.append(caller.html(f"do: wait {marker}")))
        for number in (1, 2, 3, 4):
            (worker,) = shared.add("worker")
            until(lambda n=number: marker.exists() and len(marker.read_text().split()) == n)  # type: ignore[misc]
            kill(worker)
        Path(f"{marker}.go").touch()
        shared.add("worker")
        thread.join()
        assert got[0]["status"] == "success"
        assert shared.rows("select epoch, starts from run") == [{"epoch": 5, "starts": 1}]


def test_more_than_may_wait_is_refused_and_then_done(shared: Cluster, tmp_path: Path) -> None:
    servers = shared.add("api", 2, "--queue", "5")
    shared.add("worker", 1)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        load.run(60)
        all_is_well(shared, load, 60)


def test_a_storage_that_stands_still_for_a_while(shared: Cluster, storage_server: MotoServer, tmp_path: Path) -> None:
    servers = shared.add("api", 1)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, tmp_path)
        thread = _meanwhile(lambda: load.run(60))
        until(lambda: len(load.seconds) > 10)
        storage_server.stand_still(15.0)
        thread.join()
        all_is_well(shared, load, 60)


def test_a_run_without_a_job_is_found_and_done(shared: Cluster, tmp_path: Path) -> None:
    servers = shared.add("api", 1)
    with Caller(servers) as caller:
        got: list[dict[str, Any]] = []
        thread = _meanwhile(lambda: got.append(caller.html("x")))
        until(lambda: shared.rows("select count(*) as n from procrastinate_jobs")[0]["n"] == 1)
        shared.do("delete from procrastinate_jobs")
        shared.add("worker")
        thread.join()
        assert got[0]["status"] == "success"
