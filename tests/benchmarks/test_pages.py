"""The benchmark of the page operations itself works: small tasks, measured and judged, in the shape that is kept."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from benchmarks.pages import looks, measuring, programs
from benchmarks.pages.__main__ import as_markdown, machine
from benchmarks.pages.documents import paper

pytestmark = pytest.mark.skipif(
    not (shutil.which("qpdf") and shutil.which("pdftoppm")), reason="results are judged by qpdf and Poppler"
)


@pytest.mark.parametrize(("task", "size"), [("merge", (3, 2)), ("insert", (6, 2)), ("encrypt", (4, 0))])
def test_a_small_task_is_measured_and_judged(
    task: str, size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "_RUNS", 1)
    monkeypatch.setattr(measuring, "_TOOLS", {task: ()})
    monkeypatch.setattr(programs, "installed", lambda name: name == "qpdf")
    rows = measuring.joined(tmp_path, task, sys.executable, size)
    assert [row["tool"] for row in rows] == ["paperchute", "qpdf"]
    for row in rows:
        assert (row.get("failed"), row["qpdf --check"], row["two renderers"]) == (None, "clean", "same")
    assert json.loads(json.dumps(rows)) == rows
    assert "| paperchute |" in as_markdown({"machine": machine(), "sections": {task: rows}})


def test_what_becomes_smaller_is_measured_beside_a_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_RUNS", 1)
    monkeypatch.setattr(programs, "installed", lambda name: False)
    rows = measuring.compressed(tmp_path, paper, 3)
    assert [row["tool"] for row in rows] == [f"paperchute, {x}" for x in ("lossless", "same", "small")] + ["pikepdf"]
    for row in rows:
        assert (row.get("failed"), row["qpdf --check"]) == (None, "clean")
        assert row["share"] < 1


def test_a_few_invoices_go_through_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "_TOOLS", {"invoices": ("plutoprint",)})
    monkeypatch.setattr(programs, "installed", lambda name: False)
    rows = measuring.generated(tmp_path, sys.executable, 5)
    assert {row["tool"]: row["files"] for row in rows} == {"paperchute, worker": 5, "paperchute": 5, "plutoprint": 5}


def test_a_difference_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = paper(tmp_path / "one.pdf", 1)
    assert looks.alike(looks.same_look(one, tmp_path))
    true = looks._poppler
    monkeypatch.setattr(looks, "_poppler", lambda *given: true(*given).point(lambda value: 255 - value))
    assert not looks.alike(looks.same_look(one, tmp_path))
