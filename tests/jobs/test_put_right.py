"""What an earlier failure left in the failed folder, once a file of that name is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperchute.jobs.model import Outcome
from tests.jobs.bench import Bench, failing


def failed(bench: Bench, content: bytes, **rule: object) -> Outcome:
    bench.service.on_call = failing("bad-input")
    outcome = bench.run(bench.drop("slow.pdf", content), **rule)
    assert outcome.kind == "failed"
    bench.service.on_call = lambda call: None
    return outcome


def done(bench: Bench, content: bytes, **rule: object) -> Outcome:
    outcome = bench.run(bench.drop("slow.pdf", content), **rule)
    assert outcome.kind == "done"
    return outcome


def left(bench: Bench) -> set[str]:
    folder = bench.hot.parent / "hot.failed"
    return {path.name for path in folder.iterdir()}


def test_an_empty_file_goes_with_its_text_once_the_scan_is_done(bench: Bench) -> None:
    failed(bench, b"")
    done(bench, b"%PDF the scan")
    assert left(bench) == set()


def test_the_same_file_goes_once_it_is_done(bench: Bench) -> None:
    failed(bench, b"%PDF same")
    done(bench, b"%PDF same")
    assert left(bench) == set()
    assert bench.tree()["hot.done/slow.pdf"] == b"%PDF same"


@pytest.mark.parametrize(
    ("first", "rule"),
    [(b"%PDF another", {}), (b"%PDF the scan", {"original": "delete"})],
    ids=["content", "the only one"],
)
def test_what_lies_nowhere_else_stays_and_its_text_says_what_came_later(
    bench: Bench, first: bytes, rule: dict[str, object]
) -> None:
    failed(bench, first, **rule)
    outcome = done(bench, b"%PDF the scan", **rule)
    assert left(bench) == {"slow.pdf", "slow.pdf.error.txt"}
    text = (bench.hot.parent / "hot.failed" / "slow.pdf.error.txt").read_text("utf-8")
    assert f"A later file of this name was done by job {outcome.job.id}" in text
    assert "To try again" in text


def test_a_text_that_somebody_has_written_into_stays(bench: Bench) -> None:
    failed(bench, b"")
    text = bench.hot.parent / "hot.failed" / "slow.pdf.error.txt"
    text.write_text("rang Ms Berg about it", "utf-8")
    done(bench, b"%PDF the scan")
    assert left(bench) == {"slow.pdf.error.txt"}
    assert text.read_text("utf-8") == "rang Ms Berg about it"


def test_a_person_s_own_file_under_the_name_of_the_text_stays(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "hot.failed").mkdir()
    (tmp_path / "hot.failed" / "slow.pdf.error.txt").write_bytes(b"mine")
    outcome = failed(bench, b"%PDF")
    assert left(bench) == {"slow.pdf", "slow.pdf.error.txt", "slow.pdf.error (2).txt"}
    bench.bring_back(outcome.job)
    assert left(bench) == {"slow.pdf.error.txt"}
    assert (tmp_path / "hot.failed" / "slow.pdf.error.txt").read_bytes() == b"mine"
