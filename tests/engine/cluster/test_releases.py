"""This release beside an earlier one on one database and one storage: servers of one with workers of the other.

    python -m pytest -m cluster -s tests/engine/cluster/test_releases.py

The earlier ones are taken out of Git's history: for each of the last two migrations the commit before it came, which
knows nothing of the table or column that the newer engine makes. OTHER_RELEASE=/path/to/its/tree names another one
instead, whose migrations are no newer than this one's.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.load import Load, all_is_well
from tests.engine.cluster.members import SECRET, Caller, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer
from tests.engine.service.running import ROOT

pytestmark = pytest.mark.cluster

_OTHER = os.environ.get("OTHER_RELEASE", "")
_MIGRATIONS = Path("daemon/paperchute/engine/cluster/migrations")
_LAST = [] if _OTHER else [file.name for file in sorted((ROOT / _MIGRATIONS).glob("*.sql"))[-2:]]
_COUNT = 40
_FILES = ("PAPERCHUTE_SECRETS_KEY_FILE", "AWS_SECRET_ACCESS_KEY_FILE")  # earlier releases know nothing of them


def _git(*arguments: str) -> bytes:
    if shutil.which("git") is None:
        pytest.skip("Git is not installed")
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"there is no history to take a release from: {done.stderr.decode().strip()}")
    return done.stdout


@pytest.fixture(scope="module", params=_LAST or ["OTHER_RELEASE"])
def other(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of an earlier release: the last one without a migration."""
    if _OTHER:
        return Path(_OTHER)
    added = _git("log", "--diff-filter=A", "--format=%H", "--", f"{_MIGRATIONS / request.param}").decode().split()
    if not added:
        pytest.skip(f"{request.param} is not in the history")
    tree = tmp_path_factory.mktemp("before")
    with tarfile.open(fileobj=io.BytesIO(_git("archive", f"{added[-1]}~1", "daemon", "tests"))) as archive:
        archive.extractall(tree, filter="data")
    assert request.param not in _migrations(tree)
    return tree


def _migrations(tree: Path) -> set[str]:
    return {file.name for file in (tree / _MIGRATIONS).glob("*.sql")}


def _path(tree: Path, folder: Path) -> dict[str, str]:
    """The environment of an engine of a tree, with the operations of its tests."""
    extra = tree / "tests" / "engine" / "service" / "extra"
    (folder / "by a test.json").write_text(json.dumps({"open": [str(folder)]}), "utf-8")
    secrets = {"PAPERCHUTE_SECRETS_KEY": SECRET, "AWS_SECRET_ACCESS_KEY": "any", **dict.fromkeys(_FILES, "")}
    return {**secrets, "PYTHONPATH": os.pathsep.join([str(folder), str(extra), str(tree / "daemon")])}


@pytest.mark.parametrize("first", ["this", "other"])
@pytest.mark.parametrize("serves", ["this", "other"])
def test_one_serves_and_the_other_works(
    first: str, serves: str, other: Path, postgres_server: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    """first: who finds the database empty."""
    trees = {"this": ROOT, "other": other}
    works = "other" if serves == "this" else "this"
    with cluster(tmp_path / "cluster", postgres_server, storage_server.environment()) as shared:
        shared.empty()
        shared.add("worker", more=_path(trees[first], tmp_path))[0].close()
        made = {row["name"] for row in shared.rows("select name from migration where name not like '%/%'")}
        assert made == _migrations(trees[first]), "it is the tree that was meant"
        servers = shared.add("api", 1, more=_path(trees[serves], tmp_path))
        shared.add("worker", 2, more=_path(trees[works], tmp_path))
        with Caller(servers) as caller:
            load = Load(caller, tmp_path)
            load.run(_COUNT, twice=5)
            all_is_well(shared, load, _COUNT)
