"""Documents made to hurt, and workers that have been taken over, in a cluster: a refusal with a sentence each time.

Not in the ordinary run: `python -m pytest -m cluster -s tests/engine/cluster`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

pytest.importorskip("psycopg", reason="paperchute[scale] is not installed")

from paperchute.engine.report import LONGEST, MOST
from tests.engine.cluster.members import Cluster, cluster
from tests.engine.cluster.servers import MotoServer, PostgresServer
from tests.engine.hostile.bad_pdfs import ENDLESS
from tests.engine.service.running import HTML, KEY, record_of

pytestmark = pytest.mark.cluster

_WORDS = ("packed", "million", "absurd")  # the others do no more here than in an engine alone
_LIMITS = ("--task-seconds", "20", "--memory", str(400 << 20))


@pytest.fixture(scope="module")
def shared(
    postgres_server: PostgresServer, storage_server: MotoServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster"), postgres_server, storage_server.environment()) as made:
        made.empty()
        made.add("api")
        made.add("worker", 1, *_LIMITS)
        yield made


def _record(shared: Cluster, path: str, *files: tuple[str, bytes]) -> dict[str, Any]:
    parts = [("file", file) for file in files]
    headers = {"x-api-key": KEY}
    return record_of(
        httpx.post(f"{shared.members[0].base_url}/v2/process/{path}", files=parts, headers=headers, timeout=120.0)
    )


def _begins(shared: Cluster, record: dict[str, Any]) -> int:
    return int(shared.rows(f"select starts from run where id = '{record['fileKey']}'")[0]["starts"])


@pytest.mark.parametrize("name", [name for name in ENDLESS if any(word in name for word in _WORDS)])
def test_endless_work_is_begun_once_and_ends(shared: Cluster, name: str) -> None:
    record = _record(shared, "pdf/docx", ("bad.pdf", ENDLESS[name]()))
    if record["status"] == "failed":
        assert record["failureCode"] in {"02207", "02210"}, record
        assert record["failureReason"] not in ("", "the document could not be processed")
    assert _begins(shared, record) == 1


@pytest.mark.parametrize("text", ["eat", "segfault", "lie warnings", "lie name", "lie endless"])
def test_a_worker_process_that_has_been_taken_over_costs_one_run(shared: Cluster, text: str) -> None:
    record = _record(shared, "html/pdf", ("page.html", HTML + f"do: {text}".encode()))
    assert (record["status"], record["failureCode"]) == ("failed", "02210")
    assert record["failureReason"]
    assert _begins(shared, record) == 1
    assert _record(shared, "html/pdf", ("page.html", HTML))["status"] == "success"


@pytest.mark.parametrize("kind", ["null", "half", "long"])
def test_whatever_is_said_of_a_document_is_kept_and_bounded(shared: Cluster, kind: str) -> None:
    warned = _record(shared, "html/pdf", ("page.html", HTML + f"do: say {kind}".encode()))
    refused = _record(shared, "html/pdf", ("page.html", HTML + f"do: say refused-{kind}".encode()))
    assert (warned["status"], len(warned["warnings"])) == ("success", MOST)
    assert refused["failureCode"] == "02201"
    assert all(0 < len(said) <= LONGEST for said in (*warned["warnings"], refused["failureReason"]))
    assert _begins(shared, warned) == _begins(shared, refused) == 1
