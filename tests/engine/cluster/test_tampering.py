"""Somebody writes into the shared database, and has nothing else: what workers and servers make of such rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from tests.engine.cluster.members import SECRET, Cluster, Member, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer, until
from tests.engine.service.running import HTML, KEY, data_of


@pytest.fixture
def shared(postgres_server: PostgresServer, storage_server: MotoServer, tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path / "cluster", postgres_server, storage_server.environment()) as made:
        made.empty()
        made.add("api")
        yield made


@pytest.fixture
def client(shared: Cluster) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=shared.members[0].base_url, headers={"x-api-key": KEY}, verify=False) as made:
        yield made


def _waiting(client: httpx.Client, text: str = "x", **data: str) -> str:
    files = {"file": ("a.html", HTML + text.encode())}
    return str(data_of(client.post("/v2/processAsync/html/pdf", files=files, data=data))["taskId"])


def _code(shared: Cluster, task: str) -> str:
    """Of a task's only run, once that has ended."""
    ended = f"select code from run where task = '{task}' and state in ('success', 'failed')"
    until(lambda: shared.rows(ended))
    return str(shared.rows(ended)[0]["code"])


@pytest.mark.parametrize("stray", ["{outside}", "../../outside", "", "..", "a/../../../outside"])
def test_names_that_lead_out_of_a_workers_folder_reach_nothing(
    stray: str, shared: Cluster, client: httpx.Client, tmp_path: Path
) -> None:
    outside = tmp_path / "cluster" / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    name = stray.format(outside=outside)
    task, good = _waiting(client), _waiting(client)
    (row,) = shared.rows(f"select order_text from run where task = '{task}'")
    order = json.loads(row["order_text"]) | {"task": name}
    order["files"][0]["key"] = f"{name}/precious"
    for table, column in (("run", "task"), ("task", "id")):
        shared.do(f"update {table} set {column} = '{name}' where {column} = '{task}'")
    shared.do(f"update run set order_text = '{json.dumps(order)}' where task = '{name}'")
    shared.add("worker")
    assert _code(shared, name) == "02210"
    assert _code(shared, good) == ""
    assert (outside / "precious").read_text() == "precious"
    until(lambda: shared.rows(f"select id from task where id = '{name}' and state = 'finished'"))
    late = _waiting(client)  # nothing is stuck behind it
    assert _code(shared, late) == ""


def test_passwords_open_for_no_other_run(shared: Cluster, client: httpx.Client) -> None:
    ours, theirs = _waiting(client, password="ours"), _waiting(client, password="theirs")
    (row,) = shared.rows(f"select order_text from run where task = '{theirs}'")
    (mine,) = shared.rows(f"select order_text from run where task = '{ours}'")
    mixed = json.loads(row["order_text"]) | {"files": json.loads(mine["order_text"])["files"]}
    shared.do(f"update run set order_text = '{json.dumps(mixed)}' where task = '{ours}'")
    shared.add("worker")
    assert _code(shared, ours) == "01001"
    assert _code(shared, theirs) == ""


def test_an_engine_with_another_sealing_key_is_told_so_at_its_start(shared: Cluster, tmp_path: Path) -> None:
    environment = {**shared.environment, "PAPERCHUTE_SECRETS_KEY": SECRET.upper()}
    member = Member(tmp_path / "other", "worker", environment, (), errors=True)
    try:
        assert member.process.wait(60) == 1
        assert member.process.stderr is not None
        assert "PAPERCHUTE_SECRETS_KEY" in (said := member.process.stderr.read().decode())
        assert SECRET.upper() not in said
        assert shared.rows("select count(*) as n from sealing")[0]["n"] == 1
    finally:
        member.close()
