"""The commands of the compose file, as processes, with a database and a storage that are not its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import SECRET, Caller
from tests.engine.cluster.servers import MotoServer, PostgresServer, free_port, until
from tests.engine.service.running import KEY
from tests.engine.test_metrics import samples
from tests.packaging.test_service_files import compose

pytestmark = [pytest.mark.cluster, pytest.mark.slow]
_SECRETS = {"api_key": KEY, "secrets_key": SECRET, "database_password": "not asked for", "storage_key": "tests' own"}


class Replica:
    """One of a service of the compose file."""

    def __init__(self, service: str, folder: Path, changed: dict[str, str]) -> None:
        described = compose()[service]
        port, folder = free_port(), folder / f"{service}-{free_port()}"
        folder.mkdir()
        for name in described["secrets"]:
            (folder / name).write_text(_SECRETS[name], "utf-8")
        told = {name: value.replace("/run/secrets", str(folder)) for name, value in described["environment"].items()}
        command = [str(port) if one in ("8000", "9000") else one for one in described["command"]]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "paperchute", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **told, **changed, "PAPERCHUTE_STATE": str(folder / "state")},
        )
        assert self.process.stdout is not None
        self.said = json.loads(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{port}"
        self.base_url = f"{self.url}/server"

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def replicas(
    postgres_server: PostgresServer, database_url: str, storage_server: MotoServer, tmp_path: Path
) -> Iterator[dict[str, list[Replica]]]:
    changed = {"PAPERCHUTE_DATABASE": database_url, "AWS_ENDPOINT_URL": storage_server.url}
    made: dict[str, list[Replica]] = {}
    for service in ("api", "worker"):
        made[service] = [Replica(service, tmp_path, changed) for _ in range(compose()[service]["deploy"]["replicas"])]
    yield made
    for one in (*made["api"], *made["worker"]):
        one.close()


def test_two_servers_and_two_workers_are_one_service_and_end_in_order(replicas: dict[str, list[Replica]]) -> None:
    servers, workers = replicas["api"], replicas["worker"]
    for one in (*servers, *workers):
        until(lambda one=one: httpx.get(f"{one.url}/ready").status_code == 200)  # type: ignore[misc]
    with Caller(servers) as caller:  # type: ignore[arg-type]
        for number in range(6):
            assert caller.fetched(caller.html(f"page {number}", first=number)).startswith(b"%PDF")
        servers[0].process.send_signal(signal.SIGTERM)
        workers[0].process.send_signal(signal.SIGTERM)
        assert caller.html("goes on")["status"] == "success"
    for one in (servers[0], workers[0]):
        assert one.process.wait(60) == 0
    there = samples(httpx.get(f"{servers[1].url}/metrics", headers={"Authorization": f"Bearer {KEY}"}).text)
    assert there["paperchute_workers"] >= 1
    done = samples(httpx.get(f"{workers[1].url}/metrics").text)
    assert done['paperchute_runs_total{operation="html-to-pdf",code="200"}'] >= 1
