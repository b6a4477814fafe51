"""What a table of documents is told of where they will lie: each link leads to its file once that is filed."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from paperchute.rules.tables import Step
from tests.jobs.bench import Bench
from tests.jobs.makers import set_job
from tests.jobs.scripted import Scripted
from tests.jobs.test_inputs import loose

TABLE = (Step("documents-to-table", {}),)


@pytest.fixture
def table(bench: Bench) -> Bench:
    bench.service = Scripted(("documents.xlsx", b"PK table"))
    return bench


def links(bench: Bench) -> list[str]:
    """Those of the last call, as paths."""
    told: Any = bench.service.calls[-1].parameters.get("links", [])
    return [unquote(link) for link in told]


def run_set(bench: Bench, *names: str, **keys: Any) -> list[str]:
    for name in names:
        bench.drop(f"set/{name}", name.encode())
    assert bench.runner.run(set_job(bench.journal, bench.hot, gather="folder", steps=TABLE, **keys)).kind == "done"
    return links(bench)


def check(bench: Bench, told: list[str], *names: str) -> None:
    """Each link leads from the folder of the result to the file that it is of."""
    out = bench.hot.with_name("hot.out")
    assert [(out / link).read_bytes().decode() for link in told] == list(names)


NAMES = ("a #1 100%.pdf", "b/Büro %41;.pdf")


def test_links_lead_to_a_set_that_is_filed(table: Bench) -> None:
    check(table, run_set(table, *NAMES), *NAMES)


def test_links_lead_to_the_name_that_is_free(table: Bench) -> None:
    earlier = table.hot.with_name("hot.done") / "set" / "a.pdf"
    earlier.parent.mkdir(parents=True)
    earlier.write_bytes(b"another one")
    told = run_set(table, "a.pdf")
    check(table, told, "a.pdf")
    assert "set (2)" in told[0]


def test_links_lead_to_the_folder_that_the_rule_names(table: Bench, tmp_path: Path) -> None:
    check(table, run_set(table, *NAMES, original=str(tmp_path / "Archive")), *NAMES)


def test_links_lead_to_what_stays(table: Bench) -> None:
    check(table, run_set(table, *NAMES, original="keep"), *NAMES)


def test_links_lead_to_each_file_of_a_batch(table: Bench) -> None:
    earlier = table.hot.with_name("hot.done") / "a.pdf"
    earlier.parent.mkdir()
    earlier.write_bytes(b"another one")
    job = loose(table, {"a.pdf": b"a.pdf", "b.xml": b"b.xml"}, gather="batch", steps=TABLE)
    assert table.runner.run(job).kind == "done"
    check(table, links(table), "a.pdf", "b.xml")


@pytest.mark.parametrize("keys", [{"original": "delete"}, {"also": True}], ids=str)
def test_there_are_no_links_where_none_would_lead(table: Bench, keys: dict[str, Any]) -> None:
    assert run_set(table, "a.pdf", **keys) == []


def test_other_operations_are_told_of_no_links(bench: Bench) -> None:
    assert bench.run(bench.drop()).kind == "done"
    assert "links" not in bench.service.calls[-1].parameters
