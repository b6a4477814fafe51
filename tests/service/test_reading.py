"""Reading answers: any bytes are read without a crash, and none is taken for a success that is not one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.redaction import in_use
from paperchute.service.answers import masked, read_answer

_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=10,
)
_fields = st.sampled_from(
    [
        "code",
        "msg",
        "message",
        "data",
        "taskId",
        "status",
        "downloadUrl",
        "convertSize",
        "failureCode",
        "fileInfoDTOList",
        "taskStatus",
        "result",
        "warnings",
    ]
)


@given(st.integers(100, 599), st.binary(max_size=200))
def test_any_bytes_are_an_outcome(status: int, content: bytes) -> None:
    assert read_answer(status, content).kind in ("done", "pending", "failed", "refused")


@given(st.integers(100, 599), st.dictionaries(_fields, st.one_of(_json, st.dictionaries(_fields, _json))))
def test_any_object_is_an_outcome_and_success_has_something_to_fetch(status: int, value: Any) -> None:
    outcome = read_answer(status, json.dumps(value).encode())
    if outcome.kind == "done":
        assert 200 <= status < 300
        assert outcome.download_url or outcome.body
    if outcome.kind == "pending":
        assert outcome.task_id


def test_a_parse_result_as_the_answer_itself_is_taken() -> None:
    assert read_answer(200, b'{"code": 200, "result": {"pages": []}}').body


def test_passwords_never_reach_the_journal() -> None:
    raw = {"data": [{"userPassword": "a1b2", "deep": {"passwords": ["c3d4"]}, "fileParameter": "e5f6"}]}
    text = masked(json.dumps(raw).encode())
    assert not any(secret in text for secret in ("a1b2", "c3d4", "e5f6"))


def test_warnings_are_few_short_lines_of_text() -> None:
    said = ["one\nline", " ", 7, None, "x" * 10_000, *(f"w{number}" for number in range(100))]
    record = {"taskId": "t", "status": "success", "downloadUrl": "http://a/b", "warnings": said}
    outcome = read_answer(200, json.dumps({"code": "200", "data": record}).encode())
    assert outcome.warnings[:2] == ("one line", "x" * 499 + "…")
    assert len(outcome.warnings) == 17  # of the first 20 three are no sentences
    assert all("\n" not in text for text in outcome.warnings)


def test_counts_of_words_are_numbers_under_known_names() -> None:
    said = {"shown": 7, "written": "7", "unaccounted": -1, "outside": 10**20, "else": 3}
    record = {"taskId": "t", "status": "success", "downloadUrl": "http://a/b", "words": said}
    assert read_answer(200, json.dumps({"code": "200", "data": record}).encode()).words == {"shown": 7}


@pytest.mark.parametrize("before", ["the password ", "x" * 490])
def test_a_warning_that_repeats_a_password_is_kept_without_it(before: str) -> None:
    """Also where it is cut off within the password."""
    in_use("RULESECRET_5x5q")
    record = {
        "taskId": "t",
        "status": "success",
        "downloadUrl": "http://a/b",
        "warnings": [f"{before}RULESECRET_5x5q is weak"],
    }
    answer = read_answer(200, json.dumps({"code": "200", "data": record}).encode())
    assert answer.warnings
    assert "RULE" not in " ".join(answer.warnings)
