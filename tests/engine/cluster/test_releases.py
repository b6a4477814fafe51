"""This release beside another on one database and one storage: servers of one with workers of the other.

    OTHER_RELEASE=/path/to/its/tree python -m pytest -m cluster -s tests/engine/cluster/test_releases.py

The other one's tree is one of Git, such as `git worktree add` makes; its migrations are no newer than this one's.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.load import Load, all_is_well
from tests.engine.cluster.members import SECRET, Caller, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer
from tests.engine.service.running import ROOT

pytestmark = pytest.mark.cluster

_OTHER = os.environ.get("OTHER_RELEASE", "")
_COUNT = 40
_FILES = ("PAPERCHUTE_SECRETS_KEY_FILE", "AWS_SECRET_ACCESS_KEY_FILE")  # earlier releases know nothing of them


def _path(tree: Path, folder: Path) -> dict[str, str]:
    """The environment of an engine of a tree, with the operations of its tests."""
    extra = tree / "tests" / "engine" / "service" / "extra"
    (folder / "by a test.json").write_text(json.dumps({"open": [str(folder)]}), "utf-8")
    secrets = {"PAPERCHUTE_SECRETS_KEY": SECRET, "AWS_SECRET_ACCESS_KEY": "any", **dict.fromkeys(_FILES, "")}
    return {**secrets, "PYTHONPATH": os.pathsep.join([str(folder), str(extra), str(tree / "daemon")])}


@pytest.mark.skipif(not _OTHER, reason="OTHER_RELEASE names no tree")
@pytest.mark.parametrize("first", ["this", "other"])
@pytest.mark.parametrize("serves", ["this", "other"])
def test_one_serves_and_the_other_works(
    first: str, serves: str, postgres_server: PostgresServer, storage_server: MotoServer, tmp_path: Path
) -> None:
    """first: who finds the database empty."""
    trees = {"this": ROOT, "other": Path(_OTHER)}
    works = "other" if serves == "this" else "this"
    with cluster(tmp_path / "cluster", postgres_server, storage_server.environment()) as shared:
        shared.empty()
        shared.add("worker", more=_path(trees[first], tmp_path))[0].close()
        servers = shared.add("api", 1, more=_path(trees[serves], tmp_path))
        shared.add("worker", 2, more=_path(trees[works], tmp_path))
        with Caller(servers) as caller:
            load = Load(caller, tmp_path)
            load.run(_COUNT, twice=5)
            all_is_well(shared, load, _COUNT)
