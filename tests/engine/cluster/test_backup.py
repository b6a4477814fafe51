"""A copy of the database, taken while work waits, is enough to go on from beside the same storage."""

from __future__ import annotations

import subprocess
from pathlib import Path

import httpx
import psycopg
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import Caller, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer, programs, until
from tests.engine.service.running import HTML, KEY

pytestmark = [pytest.mark.cluster, pytest.mark.slow]


def test_what_was_done_is_there_and_what_waited_is_done(
    postgres_server: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    place = programs()
    assert place is not None
    headers = {"x-api-key": KEY}
    dump = tmp_path / "paperchute.dump"
    with cluster(tmp_path / "first", postgres_server, storage_server.environment()) as first:
        first.empty()
        (server,) = first.add("api")
        (worker,) = first.add("worker")
        with Caller([server]) as caller:
            done = caller.html("done before", key="done before")
        worker.close()
        files = {"file": ("page.html", HTML + b"waits")}
        answer = httpx.post(
            f"{server.base_url}/v2/processAsync/html/pdf", files=files, data={"password": "open"}, headers=headers
        )
        waiting = answer.json()["data"]["taskId"]
        subprocess.run([place / "pg_dump", "-Fc", "-f", dump, postgres_server.url], check=True, timeout=60)
        storage = first.environment
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("drop database if exists restored")
        connection.execute("create database restored")
    url = postgres_server.url.rpartition("/")[0] + "/restored"
    subprocess.run([place / "pg_restore", "--no-owner", "-d", url, dump], check=True, timeout=60)
    with cluster(tmp_path / "second", postgres_server, {**storage, "PAPERCHUTE_DATABASE": url}) as second:
        (server,) = second.add("api")
        second.add("worker")
        with Caller([server]) as caller:
            assert caller.html("done before", key="done before")["taskId"] == done["taskId"]
            assert caller.fetched(done)

        def told() -> dict[str, object]:
            asked = httpx.get(f"{server.base_url}/v2/task/taskInfo", params={"taskId": waiting}, headers=headers)
            return dict(asked.json()["data"])

        until(lambda: told()["taskStatus"] == "TaskFinish")
        assert told()["taskSuccessNum"] == 1
