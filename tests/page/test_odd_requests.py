"""Requests that no page of ours makes are answered as what they are, and break nothing."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.page.conftest import Shown

HUGE = "99999999999999999999"


@pytest.fixture(autouse=True)
def _inside(shown: Shown) -> None:
    shown.enter()


@pytest.mark.parametrize("number", [HUGE, str(1 << 63), "0"])
def test_a_job_that_cannot_be_is_no_job(shown: Shown, number: str) -> None:
    for path in ("thumbnail", "result/thumbnail"):
        assert shown.client.get(f"/api/jobs/{number}/{path}").status_code == 404
    assert shown.client.get(f"/api/jobs/{number}/undo").status_code in (404, 409)
    for verb in ("retry", "password", "recognise", "seen", "show", "undo", "open-result", "show-result"):
        assert shown.client.post(f"/api/jobs/{number}/{verb}").status_code in (200, 404, 409)


@pytest.mark.parametrize("has_session", [True, False])
def test_a_number_of_thousands_of_digits_is_no_fault(shown: Shown, has_session: bool) -> None:
    """It was one before anybody had shown a session: 500, and a traceback in the log for each request."""
    if not has_session:
        del shown.client.headers["Authorization"]
    huge = "9" * 5000
    for method, path in (
        ("POST", f"jobs/{huge}/retry"),
        ("GET", f"jobs/1/results/{huge}"),
        ("GET", f"jobs/{huge}/results/{huge}"),
        ("GET", f"jobs/{huge}/thumbnail"),
        ("GET", f"jobs/1/pages/{huge}"),
    ):
        assert shown.client.request(method, f"/api/{path}").status_code == (404 if has_session else 401)
    answer = shown.client.get("/api/history", params={"limit": huge})
    assert answer.status_code == (400 if has_session else 401)


@pytest.mark.parametrize("body", [b"[" * 4000, b'{"a": 1}', b"", b"\xff", b"[[]]"])
def test_what_is_no_choice_of_first_rules_is_refused(shown: Shown, body: bytes) -> None:
    assert shown.client.post("/api/first", content=body).status_code in (400, 409)


@pytest.mark.parametrize(
    "words",
    ["a\0b", "\0", '"', "*", "a*", "NEAR(a b)", "a OR b", "a AND", "NOT", "-a", "^a", "name:a", "{name rule}:a", "(a",
     "'; drop table entry;--", "\ud800", "\u202eabc", "x" * 4000, "ab " * 1300],
)  # fmt: skip
def test_no_words_are_an_operator(shown: Shown, words: str) -> None:
    asked = quote(words.encode("utf-8", "surrogatepass"))
    answer = shown.client.get(f"/api/history?words={asked}")
    assert (answer.status_code, answer.json()["jobs"]) == (200, [])
