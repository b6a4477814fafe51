"""What `scan` and `pdf-split` ask a person, what becomes of the answer, and that no page is lost by it."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperchute.contract.questions import Question, questions_from
from paperchute.engine import report
from paperchute.engine.checks import CHECKS
from paperchute.engine.operations import implementation
from paperchute.engine.work import Refused
from tests.engine.operations.page_stacks import faint, letters
from tests.engine.operations.papers import work
from tests.engine.operations.stacks import blank, printed, scanned, stack

STILL = {"upright": 0, "straight": 0, "searchable": 0}


class Asked:
    """What came of a call: the looks of the pages of each result, what was asked, and what was said."""

    def __init__(self, operation: str, folder: Path, source: Path, **parameters: Any) -> None:
        with report.asked() as questions, report.collected() as self.warnings, report.noted() as self.notes:
            outputs = implementation(operation).run(work(operation, folder, source, **parameters))
        self.questions: list[Question] = questions
        self.pages = [_looks(output) for output in outputs]


def _looks(path: Path) -> list[bytes]:
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.render(scale=0.5).to_numpy().tobytes() for page in document]
    finally:
        document.close()


@pytest.fixture(scope="module")
def duplex(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A letter, a page that may be blank, one that is, and another letter."""
    chance = random.Random(5)
    first, second = (scanned(printed(chance, 3), chance) for _page in range(2))
    return stack(tmp_path_factory.mktemp("duplex") / "in.pdf", first, faint(), blank(), second)


def test_of_a_page_that_may_be_blank_a_person_is_asked(duplex: Path, tmp_path: Path) -> None:
    before = _looks(duplex)
    found = Asked("scan", tmp_path, duplex, **STILL)
    (question,) = found.questions
    assert (question.parameter, question.page_count, question.most) == ("removePages", 4, 1)
    assert [(one.page, one.proposed) for one in question.pages] == [(2, False)]
    assert "hardly any ink" in question.pages[0].reason
    assert found.pages == [[before[0], before[1], before[3]], [before[2]]]
    assert questions_from([question.as_json()]) == (question,)


@pytest.mark.parametrize(
    ("removed", "parts"), [("2", [[0, 3], [1, 2]]), ("none", [[0, 1, 3], [2]]), ("2,4", [[0], [1, 2, 3]])]
)
def test_the_answer_is_done_and_nothing_is_asked(
    duplex: Path, tmp_path: Path, removed: str, parts: list[list[int]]
) -> None:
    before = _looks(duplex)
    found = Asked("scan", tmp_path, duplex, removePages=removed, **STILL)
    assert found.questions == []
    assert found.warnings == []
    assert found.pages == [[before[page] for page in part] for part in parts]


def test_only_what_is_sure_is_taken_without_asking(duplex: Path, tmp_path: Path) -> None:
    found = Asked("scan", tmp_path, duplex, sure="take", **STILL)
    assert found.questions == []
    assert [len(pages) for pages in found.pages] == [3, 1]
    assert "page 2" in found.warnings[0]


def test_never_are_all_pages_taken_out(duplex: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        Asked("scan", tmp_path, duplex, removePages="1-2,4", **STILL)
    assert refused.value.code == "110002"
    alone = stack(tmp_path / "alone.pdf", blank(), faint())
    assert Asked("scan", tmp_path, alone, **STILL).questions == []


def test_pages_of_a_collated_stack_are_named_as_they_were_scanned(tmp_path: Path) -> None:
    chance = random.Random(6)
    fronts = [scanned(printed(chance, 3), chance) for _front in range(2)]
    source = stack(tmp_path / "in.pdf", *fronts, blank(), faint())  # the last one is the back of the first
    before = _looks(source)
    (question,) = Asked("scan", tmp_path, source, collate=1, **STILL).questions
    assert [one.page for one in question.pages] == [4]
    found = Asked("scan", tmp_path, source, collate=1, removePages="4", **STILL)
    assert found.pages == [[before[0], before[1]], [before[3], before[2]]]


# ---------- first pages ----------


def test_what_is_found_waits_and_the_stack_stays_whole(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.pdf", 2, 1, 3)
    found = Asked("pdf-split", tmp_path, source, firstPages="auto")
    (question,) = found.questions
    assert (question.parameter, question.page_count, question.any_page) == ("firstPages", 6, True)
    assert question.proposed == "1,3-4"
    assert "page 2 of 2 before it" in question.pages[1].reason
    assert [len(pages) for pages in found.pages] == [6]
    assert "firstPages = 1,3-4" in found.warnings[0]


def test_what_page_numbers_prove_is_taken_where_the_rule_says_so(tmp_path: Path) -> None:
    source = letters(tmp_path / "in.pdf", 2, 1, 3)
    found = Asked("pdf-split", tmp_path, source, firstPages="auto", sure="take")
    assert found.questions == []
    assert [len(pages) for pages in found.pages] == [2, 1, 3]
    unsure = letters(tmp_path / "bare.pdf", 2, 1, 3, numbered=False)
    held = Asked("pdf-split", tmp_path, unsure, firstPages="auto", sure="take")
    assert held.questions[0].proposed == "1,3-4"
    assert [len(pages) for pages in held.pages] == [6]


@pytest.mark.parametrize(
    "pages", [[1, 3, 2], [1, 2, 1], [2]], ids=["out of order", "one is missing", "the first is missing"]
)
def test_numbers_that_do_not_count_on_prove_nothing(tmp_path: Path, pages: list[int]) -> None:
    source = letters(tmp_path / "whole.pdf", 3, 2)
    kept = [page - 1 for page in pages] + [3, 4]
    with pypdfium2.PdfDocument(source) as whole, pypdfium2.PdfDocument.new() as made:
        made.import_pages(whole, kept)
        made.save(tmp_path / "in.pdf")
    found = Asked("pdf-split", tmp_path, tmp_path / "in.pdf", firstPages="auto", sure="take")
    assert len(found.pages) == 1


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three letters, of 2, 1 and 3 pages."""
    return letters(tmp_path_factory.mktemp("three") / "in.pdf", 2, 1, 3)


@settings(deadline=None, max_examples=8)
@given(st.sets(st.integers(1, 6)))
def test_whatever_is_answered_each_page_is_in_one_part(three: Path, starts: set[int]) -> None:
    with tempfile.TemporaryDirectory() as made:
        before = _looks(three)
        named = ",".join(map(str, sorted(starts))) or "none"
        found = Asked("pdf-split", Path(made), three, firstPages=named)
        assert [page for part in found.pages for page in part] == before
        assert len(found.pages) == len(starts | {1})


@pytest.mark.parametrize(
    ("operation", "name", "text"),
    [("scan", "removePages", "2-1"), ("scan", "removePages", "all"), ("pdf-split", "firstPages", "one")],
)
def test_what_is_no_list_of_pages_is_refused(
    duplex: Path, tmp_path: Path, operation: str, name: str, text: str
) -> None:
    with pytest.raises(Refused) as refused:
        CHECKS[operation](work(operation, tmp_path, duplex, **{name: text}))
    assert refused.value.code == "03000"


# ---------- answers ----------


@settings(max_examples=60)
@given(st.text(max_size=12) | st.lists(st.integers(0, 9), max_size=6).map(lambda pages: ",".join(map(str, pages))))
def test_an_accepted_answer_names_pages_that_may_be_named(text: str) -> None:
    raw = {
        "parameter": "removePages", "reason": "?", "pageCount": 7, "mostPages": 2, "anyPage": False,
        "pages": [{"page": 2}, {"page": 5, "proposed": True}, {"page": 6}, {"page": 9}],
    }  # fmt: skip
    (question,) = questions_from([raw])
    assert question.proposed == "5"
    try:
        accepted = question.accepted(text)
    except ValueError:
        return
    named = set() if accepted == "none" else {page for part in accepted.split(",") for page in _range(part)}
    assert named <= {2, 5, 6}
    assert len(named) <= 2
    assert question.accepted(accepted) == accepted


def _range(part: str) -> range:
    first, _dash, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


_KEYS = st.sampled_from(("parameter", "pageCount", "mostPages", "pages", "page", "reason"))
_PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=4)


@settings(max_examples=60)
@given(st.recursive(_PLAIN, lambda some: st.lists(some) | st.dictionaries(_KEYS, some)))
def test_questions_of_a_foreign_service_are_never_more_than_they_are(value: Any) -> None:
    for question in questions_from(value):
        assert all(0 < one.page <= question.page_count for one in question.pages)
