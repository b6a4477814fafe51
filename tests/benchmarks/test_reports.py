"""What was reported as wrong elsewhere is right here."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from benchmarks.reports.cases import Case, cases

from paperchute.engine import report
from paperchute.engine.operations import implementation
from tests.engine.operations.papers import work


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.operation}-{case.files[0]}")
def test_a_reported_case_is_right(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if case.known:
        request.applymarker(pytest.mark.xfail(reason=case.known, strict=True))
    with report.collected() as warnings:
        results = implementation(case.operation).run(work(case.operation, tmp_path, *case.inputs, **case.parameters))
    result = next((result for result in results if result.suffix == ".md"), results[0])
    assert case.wrong(result, list(warnings)) == [], case.source


def test_a_wrong_result_is_seen(tmp_path: Path) -> None:
    result = tmp_path / "a.md"
    result.write_text("two one", "utf-8")
    assert Case("", "", [], in_turn=["one", "two"]).wrong(result) == ["two"]
    assert Case("", "", [], never=["one"], told=["lost"]).wrong(result, ["all is well"]) == ["not one", "warning: lost"]


def test_a_wrong_part_of_a_pdf_is_seen(tmp_path: Path) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page(page_size=(400, 500))
        pdf.Root.AcroForm = pikepdf.Dictionary(
            Fields=[pikepdf.Dictionary(T=pikepdf.String("a"), V=pikepdf.String("1"))]
        )
        pdf.save(tmp_path / "a.pdf")
    right = {"fields": {"a": "1"}, "labels": ["1"], "sheets": [[0.0, 0.0, 400.0, 500.0, 0.0]]}
    assert Case("", "", [], **right).wrong(tmp_path / "a.pdf") == []  # type: ignore[arg-type]
    wrong = {"fields": {"a": "2"}, "labels": ["i"], "attachments": ["b"], "sheets": [[0.0, 0.0, 400.0, 500.0, 90.0]]}
    assert len(Case("", "", [], **wrong).wrong(tmp_path / "a.pdf")) == 4  # type: ignore[arg-type]
