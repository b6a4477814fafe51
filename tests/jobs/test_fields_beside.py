"""`write_fields`: what was read of a document lies in NAME.json beside its result, delivered and undone with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paperchute.app.cures import answer
from paperchute.jobs import publication
from paperchute.rules.file import load
from paperchute.rules.problems import RuleFileError
from paperchute.service.model import Call
from tests.jobs.bench import Bench
from tests.jobs.test_document_fields import SURE, UNSURE, read, says
from tests.jobs.test_undo import bin_, undo  # noqa: F401 -- a fixture

PLACE = {"page": 2, "words": "12 March 2026", "bboxes": [[10, 20, 30, 20, 30, 40, 10, 40]]}
TOTAL = {"value": None, "reason": "nothing confirms it", "candidates": [{"value": "9.50", "evidence": [PLACE]}]}
PLACED = {**SURE, "date": {"value": "2026-03-12", "evidence": [PLACE]}, "total": TOTAL}


def ran(bench: Bench, name: str = "a.pdf", **rule: Any) -> Any:
    return bench.run(bench.drop(name), output="else/{stem}.{ext}", write_fields=True, **rule)


def fields(bench: Bench, name: str) -> Any:
    return json.loads(bench.tree()[name])


def test_what_was_read_lies_beside_the_result(bench: Bench) -> None:
    says(bench, PLACED)
    outcome = ran(bench)
    assert [path.name for path in outcome.job.outputs] == ["a.md", "a.json"]
    assert set(bench.tree()) == {"else/a.md", "else/a.json", "hot.done/a.pdf"}
    told = fields(bench, "else/a.json")
    box = [10, 20, 30, 40]
    assert told["file"] == "a.pdf"
    assert told["fields"]["date"] == {
        "value": "2026-03-12", "sure": True, "page": 2, "box": box, "words": "12 March 2026",
    }  # fmt: skip
    assert told["fields"]["total"] == {
        "value": None, "sure": False, "reason": "nothing confirms it",
        "candidates": [{"value": "9.50", "page": 2, "box": box, "words": "12 March 2026"}],
    }  # fmt: skip
    assert told["fields"]["due"] == {"value": None, "sure": False}
    assert read(bench) == 1


def test_an_answer_is_told_as_such(bench: Bench) -> None:
    says(bench, UNSURE)
    job = ran(bench, require=("sender",)).job
    assert answer(bench.journal, job.id, {"sender": "Bolt"}) == []
    outcome = bench.run(bench.hot / "a.pdf", output="else/{stem}.{ext}", write_fields=True, require=("sender",))
    assert outcome.kind == "done"
    sender = fields(bench, "else/a.json")["fields"]["sender"]
    assert (sender["value"], sender["sure"], sender["answered"]) == ("Bolt", True, True)


@pytest.mark.parametrize("taken", ["a.md", "a.json", "A.JSON"])
def test_where_either_name_is_taken_both_get_a_number(bench: Bench, taken: str) -> None:
    says(bench, SURE)
    place = bench.hot.parent / "else" / taken
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"mine")
    assert ran(bench).kind == "done"
    made = {"else/a (2).md", "else/a (2).json"} if taken.islower() else {"else/a.md", "else/a.json"}
    assert set(bench.tree()) == {f"else/{taken}", *made, "hot.done/a.pdf"}
    assert place.read_bytes() == b"mine"


def test_skip_leaves_both_out(bench: Bench) -> None:
    says(bench, SURE)
    place = bench.hot.parent / "else" / "a.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"mine")
    job = ran(bench, on_conflict="skip").job
    assert (job.state, set(bench.tree())) == (
        "warned",
        {"else/a.json", "hot.done/a.pdf", "hot.failed/a.pdf.warnings.txt"},
    )


def test_replace_takes_the_place_of_both_of_ours_alone(bench: Bench) -> None:
    says(bench, SURE)
    assert ran(bench, on_conflict="replace").kind == "done"
    says(bench, {**SURE, "number": {"value": "7"}})
    bench.drop("a.pdf", b"%PDF-1.7 other %%EOF")
    assert bench.run(bench.hot / "a.pdf", output="else/{stem}.{ext}", write_fields=True, on_conflict="replace").kind
    assert {name for name in bench.tree() if name.startswith("else/")} == {"else/a.md", "else/a.json"}
    assert fields(bench, "else/a.json")["fields"]["number"]["value"] == "7"
    (bench.hot.parent / "else" / "a.json").write_bytes(b"edited")
    bench.drop("a.pdf", b"%PDF-1.7 third %%EOF")
    bench.run(bench.hot / "a.pdf", output="else/{stem}.{ext}", write_fields=True, on_conflict="replace")
    assert bench.tree()["else/a.json"] == b"edited"
    assert {"else/a (2).md", "else/a (2).json"} <= set(bench.tree())


def test_a_crash_between_the_two_is_completed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    says(bench, SURE)
    moved = publication._Publisher._moved
    count = 0

    def once(self: Any, *args: Any) -> Any:
        nonlocal count
        count += 1
        if count == 2:
            raise OSError("gone")
        return moved(self, *args)

    monkeypatch.setattr(publication._Publisher, "_moved", once)
    ran(bench)
    assert [name for name in bench.tree() if name in ("else/a.md", "else/a.json")] == ["else/a.md"]
    assert bench.again().kind == "done"
    assert set(bench.tree()) == {"else/a.md", "else/a.json", "hot.done/a.pdf"}


def test_undo_takes_both_back(bench: Bench) -> None:
    says(bench, SURE)
    job = ran(bench).job
    undo(bench, job)
    assert set(bench.tree()) == {"hot/a.pdf"}


def test_several_results_have_it_in_their_folder(bench: Bench) -> None:
    def made(call: Call) -> None:
        is_read = call.operation == "document-extract"
        content = json.dumps({"Document": SURE}).encode()
        bench.service.outputs = (("a.json", content),) if is_read else (("1.md", b"one"), ("2.md", b"two"))

    bench.service.on_call = made
    assert ran(bench).kind == "done"
    assert {name for name in bench.tree() if name.startswith("else/")} == {
        "else/a/1.md",
        "else/a/2.md",
        "else/a/a.json",
    }


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('operation = "pdf-to-json"', "NAME.json itself"),
        ('operation = "pdf-merge"\ngather = "batch"', "single files"),
        ('operation = "pdf-generate"\nparameters = { template = "x" }', "not read"),
    ],
)
def test_check_refuses_it_where_it_means_nothing(more: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(f'version = 1\n[[rule]]\nname = "A"\nfolder = "hot"\nwrite_fields = true\n{more}\n', "utf-8")
    with pytest.raises(RuleFileError, match=said):
        load(path)
