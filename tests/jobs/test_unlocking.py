"""Passwords for locked PDFs: found without a call, used for one, and never seen again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.interrupted import gathered
from tests.jobs.makers import runner_over, set_job
from tests.jobs.scripted import Joining
from tests.jobs.test_inputs import loose

SECRETS = {"PW_ONE": "first-secret", "PW_TWO": "second-secret"}
REFERENCES = ("env:PW_ONE", "env:PW_TWO")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)


def locked(bench: Bench, opens: dict[str, str]) -> None:
    """Files that only these passwords open, to the service and to us; what is not named is not locked."""

    def on_call(call: Call) -> None:
        for number, (_, path) in enumerate(call.files):
            wanted = opens.get(path.name)
            given: object = call.parameters.get("passwords") or [call.parameters.get("password", "")] * len(call.files)
            assert isinstance(given, list)
            if wanted is not None and given[number] != wanted:
                raise ServiceError(f"{path.name} is locked.", kind="password", code="02201")

    def opener(path: Path, passwords: Any) -> int | None:
        wanted = opens.get(path.name)
        return -1 if wanted is None else passwords.index(wanted) if wanted in passwords else None

    bench.service.on_call = on_call
    bench.runner = runner_over(bench.journal, lambda: bench.service, bench.hot.parent / "state" / "work", opener=opener)


def test_the_password_that_opens_is_used_after_one_refusal(bench: Bench) -> None:
    locked(bench, {"a.pdf": "second-secret"})
    assert bench.run(bench.drop(), passwords=REFERENCES).kind == "done"
    assert [call.parameters.get("password") for call in bench.service.calls] == [None, "second-secret"]
    assert len({call.idempotency_key for call in bench.service.calls}) == 2
    text = "".join(f.read_bytes().decode("latin-1") for f in (bench.hot.parent / "state").rglob("*") if f.is_file())
    assert not any(secret in text for secret in SECRETS.values())


def test_an_open_file_costs_one_call(bench: Bench) -> None:
    locked(bench, {})
    assert bench.run(bench.drop(), passwords=REFERENCES).kind == "done"
    assert len(bench.service.calls) == 1


def test_no_call_is_spent_where_none_of_them_opens_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    locked(bench, {"a.pdf": "something else"})
    monkeypatch.delenv("PW_TWO")
    outcome = bench.run(bench.drop(), passwords=REFERENCES)
    assert outcome.kind == "failed"
    assert len(bench.service.calls) == 1
    text = bench.tree()["hot.failed/a.pdf.error.txt"].decode()
    assert "The rule's password does not open it." in text
    assert "PW_TWO is not set" in text
    assert "02201" in text
    assert not any(secret in text for secret in SECRETS.values())


def test_of_several_files_each_gets_its_own(bench: Bench) -> None:
    locked(bench, {"1.pdf": "second-secret"})
    job = gathered(bench, steps=(Step("pdf-merge", {}),), passwords=REFERENCES)
    assert bench.runner.run(job).kind == "done"
    assert bench.service.calls[-1].parameters["passwords"] == ["second-secret", ""]


def test_other_refusals_are_no_matter_of_passwords(bench: Bench) -> None:
    def refuse(call: Call) -> None:
        raise ServiceError("Broken.", kind="bad-input", code="02207")

    locked(bench, {})
    bench.service.on_call = refuse
    assert bench.run(bench.drop(), passwords=REFERENCES).kind == "failed"
    assert len(bench.service.calls) == 1


def test_a_call_has_the_time_that_its_rule_gives_it(bench: Bench) -> None:
    assert bench.run(bench.drop(), timeout=42.0).kind == "done"
    assert bench.service.calls[0].timeout == 42.0


def test_what_a_step_made_of_a_locked_file_opens_with_the_same_password(bench: Bench) -> None:
    steps = (Step("magic-color", {"password": "env:PW_ONE"}), Step("pdf-to-markdown", {}))
    locked(bench, {"a.pdf": "first-secret", "result.pdf": "first-secret"})
    bench.service.outputs = (("result.pdf", b"%PDF-1.7 of the first step"),)
    assert bench.run(bench.drop(), steps=steps).kind == "done", bench.tree()
    assert [call.parameters.get("password") for call in bench.service.calls] == ["first-secret", None, "first-secret"]


def test_what_lies_beside_a_file_opens_what_is_made_of_it(bench: Bench) -> None:
    steps = (Step("magic-color", {}), Step("pdf-to-markdown", {}))
    locked(bench, {"a.pdf": "of-the-file", "result.pdf": "of-the-file"})
    bench.service.outputs = (("result.pdf", b"%PDF-1.7 of the first step"),)
    job = loose(bench, {"a.pdf": b"%PDF-1.7 %%EOF", "a.pdf.toml": b'password = "of-the-file"'}, steps=steps)
    assert bench.runner.run(job).kind == "done", bench.tree()
    assert bench.service.calls[-1].parameters["password"] == "of-the-file"


def test_of_several_the_one_that_stays_locked_is_named(bench: Bench) -> None:
    locked(bench, {"2.pdf": "something else"})
    job = gathered(bench, steps=(Step("pdf-merge", {}),), passwords=REFERENCES)
    assert bench.runner.run(job).kind == "failed"
    (text,) = (content.decode() for name, content in bench.tree().items() if name.endswith("error.txt"))
    assert "None of the rule's 2 passwords opens 2.pdf." in text


def test_what_a_round_of_a_merge_has_joined_opens_with_its_files_password(bench: Bench) -> None:
    """Where the service is another's and keeps protection, as ours does."""
    bench.service = Joining()
    bench.service.repeatable = False
    opens = {f"{number}.pdf": "of-the-set" for number in range(1, 8)} | {"merged.pdf": "of-the-set"}
    locked(bench, opens)
    for number in range(1, 8):
        bench.drop(f"set/{number}.pdf", b"<%d>" % number)
    bench.drop("set/job.toml", "".join(f'[files."{n}.pdf"]\npassword = "of-the-set"\n' for n in range(1, 8)).encode())
    job = set_job(bench.journal, bench.hot, gather="folder", steps=(Step("pdf-merge", {}),))
    assert bench.runner.run(job).kind == "done", bench.tree()
    assert bench.service.calls[-1].parameters["passwords"] == ["of-the-set", "of-the-set"]
