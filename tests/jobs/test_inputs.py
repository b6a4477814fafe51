"""What lies beside a job's files and inside its lists, and what becomes of a job when that changes."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from paperchute.files.identity import key_of
from paperchute.jobs.model import Job, Member, NewJob, Outcome
from paperchute.notation.columns import KEY, heard
from paperchute.rules.sidecar import Overrides
from paperchute.rules.tables import Step
from paperchute.service.model import Call, ServiceError
from tests.jobs.bench import Bench
from tests.jobs.interrupted import Crash, interrupted
from tests.jobs.makers import make_rule, set_job
from tests.jobs.scripted import Joining

PDF = b"%PDF-1.7 %%EOF"


@pytest.fixture
def joining(bench: Bench) -> Joining:
    service = Joining()
    bench.service = service
    return service


def loose(bench: Bench, files: dict[str, bytes], **rule: Any) -> Job:
    """The job, taken up, for these files; the first gives it its name."""
    paths = [bench.drop(name, content) for name, content in files.items()]
    members = tuple(Member(path, key) for path in paths if (key := key_of(path)))
    new = NewJob(make_rule(bench.hot, **rule), paths[0], PurePosixPath(next(iter(files))), members)
    assert bench.journal.inserts.open_job(new) is not None
    job = bench.journal.queue.next()
    assert job is not None
    return job


def failed(bench: Bench, outcome: Outcome) -> str:
    assert outcome.kind == "failed"
    return outcome.job.error or ""


def test_a_sidecar_s_values_stand_over_the_rule_s_and_in_no_column(bench: Bench, joining: Joining) -> None:
    steps = (Step("pdf-to-markdown", {"pageRanges": "1", "enableOcr": 1}),)
    text = b'password = "hunter2"\nparameters = { pageRanges = "2" }\n'
    job = loose(bench, {"a.pdf": PDF, "a.pdf.toml": text}, steps=steps)
    assert bench.runner.run(job).kind == "done"
    (call,) = joining.calls
    assert call.parameters == {"pageRanges": "2", "enableOcr": 1, "password": "hunter2"}
    assert [path.name for _, path in call.files] == ["a.pdf"]
    assert set(bench.tree()) == {"hot.out/a.md", "hot.done/a.pdf", "hot.done/a.pdf.toml"}
    state = bench.hot.parent / "state"
    assert b"hunter2" not in b"".join(path.read_bytes() for path in state.rglob("*") if path.is_file())


def test_a_sidecar_that_comes_late_starts_the_job_over(bench: Bench, joining: Joining) -> None:
    path = bench.drop("a.pdf", PDF)
    joining.on_call = lambda call: path.with_name("a.pdf.toml").write_text("")
    outcome = bench.run(path)
    assert outcome.kind == "cancelled"
    assert [changed.path for changed in outcome.changed] == [path]
    assert set(bench.tree()) == {"hot/a.pdf", "hot/a.pdf.toml"}
    joining.calls.clear()
    again = bench.run(path)  # taken without it once more, as it may be by another rule's job
    assert again.kind == "cancelled"
    assert joining.calls == [], "nothing is asked for that cannot be delivered"


def test_a_late_sidecar_of_a_claimed_file_is_seen_where_the_file_was_dropped(bench: Bench, joining: Joining) -> None:
    path = bench.drop(".paperchute-claim-x/a.pdf", PDF)
    key = key_of(path)
    assert key is not None
    new = NewJob(make_rule(bench.hot, shared=True), path, PurePosixPath("a.pdf"), (Member(path, key),))
    assert bench.journal.inserts.open_job(new) is not None
    bench.drop("a.pdf.toml", b"")
    job = bench.journal.queue.next()
    assert job is not None
    assert bench.runner.run(job).kind == "cancelled"


def test_a_sidecar_that_changes_meanwhile_starts_the_job_over(bench: Bench, joining: Joining) -> None:
    job = loose(bench, {"a.pdf": PDF, "a.pdf.toml": b'parameters = { pageRanges = "1" }'})
    joining.on_call = lambda call: (bench.hot / "a.pdf.toml").write_text("# nothing any more")
    outcome = bench.runner.run(job)
    assert outcome.kind == "cancelled"
    assert {changed.path.name for changed in outcome.changed} == {"a.pdf", "a.pdf.toml"}


def test_a_sidecar_names_no_secret_unless_its_rule_allows_it(
    bench: Bench, joining: Joining, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERCHUTE_TEST_SECRET", "s3same")
    files = {"a.pdf": PDF, "a.pdf.toml": b'password = "env:PAPERCHUTE_TEST_SECRET"'}
    why = failed(bench, bench.runner.run(loose(bench, files)))
    assert "does not allow that here" in why
    assert joining.calls == []
    everything = b"".join(p.read_bytes() for p in bench.hot.parent.rglob("*") if p.is_file())
    assert b"s3same" not in everything
    job = loose(bench, files, sidecar_secrets=("env:PAPERCHUTE_TEST_SECRET",), name="other")
    assert bench.runner.run(job).kind == "done"
    assert joining.calls[0].parameters == {"password": "s3same"}


def test_a_sidecar_cannot_have_a_rule_s_password_by_adding_one(
    bench: Bench, joining: Joining, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the older ciphers the owner password tells the user password."""
    monkeypatch.setenv("PAPERCHUTE_TEST_SECRET", "s3same")
    steps = (Step("pdf-encrypt", {"userPassword": "env:PAPERCHUTE_TEST_SECRET"}),)
    text = b'parameters = { ownerPassword = "attacker", algorithm = "rc4" }'
    job = loose(bench, {"a.pdf": PDF, "a.pdf.toml": text}, steps=steps)
    assert "is for the rule alone" in failed(bench, bench.runner.run(job))
    assert joining.calls == []


@pytest.mark.parametrize("name", ["userPassword", "ownerPassword", "algorithm", "allowPrint", "file"])
def test_what_the_reader_says_is_not_believed_where_it_matters(
    bench: Bench, joining: Joining, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("paperchute.jobs.inputs.overrides_of", lambda *given: Overrides(({name: "1"},)))
    steps = (Step("pdf-encrypt", {"userPassword": "env:PW"}),)
    job = loose(bench, {"a.pdf": PDF, "a.pdf.toml": b""}, steps=steps)
    assert failed(bench, bench.runner.run(job)) == f"Only the rule can set {name}."
    assert joining.calls == []


def test_a_job_file_gives_order_pages_and_passwords(bench: Bench, joining: Joining) -> None:
    for name in ("1.pdf", "2.pdf", "10.pdf"):
        bench.drop(f"set/{name}", name.encode())
    bench.drop("set/job.toml", b'order = ["10.pdf"]\n[files."2.pdf"]\npages = "3"\npassword = "pw"\n')
    job = set_job(bench.journal, bench.hot, gather="folder", steps=(Step("pdf-merge", {}),))
    assert bench.runner.run(job).kind == "done"
    (call,) = joining.calls
    assert [path.name for _, path in call.files] == ["10.pdf", "1.pdf", "2.pdf"]
    assert call.parameters == {"filePageRanges": ["", "", "3"], "passwords": ["", "", "pw"]}


def test_a_job_file_s_wishes_stay_with_their_files_through_rounds(bench: Bench, joining: Joining) -> None:
    joining.repeatable = False
    for number in range(1, 8):
        bench.drop(f"set/{number}.pdf", b"<%d>" % number)
    text = b'order = ["7.pdf"]\nfiles."6.pdf".pages = "2"'
    bench.drop("set/job.toml", text)
    job = set_job(bench.journal, bench.hot, gather="folder", steps=(Step("pdf-merge", {"outputFileName": "x.pdf"}),))
    assert bench.runner.run(job).kind == "done"
    assert bench.tree()["hot.out/set.pdf"] == b"<7>+<1>+<2>+<3>+<4>+<5>+<6>"
    asked = {call.idempotency_key.split("-", 1)[1]: call.parameters for call in joining.calls}
    assert asked == {
        "1.1-5-1": {},
        "1.6-7-1": {"filePageRanges": ["", "2"]},
        "1-1": {"outputFileName": "x.pdf"},
    }


def test_the_two_files_of_an_insertion_have_parameters_of_their_own(bench: Bench, joining: Joining) -> None:
    steps = (Step("pdf-insert", {"actionType": "FROM_PDF", "index": 1}),)
    files = {"a.pdf": PDF, "a.insert.pdf": PDF}
    beside = {"a.pdf.toml": b'password = "one"', "a.insert.pdf.toml": b'pages = "2"\npassword = "two"'}
    job = loose(bench, {**files, **beside}, gather="pair", partner=(".insert.pdf",), steps=steps)
    assert bench.runner.run(job).kind == "done"
    wished = {"targetPassword": "one", "insertPassword": "two", "sourcePages": "2"}
    assert joining.calls[0].parameters == {"actionType": "FROM_PDF", "index": 1, **wished}
    assert {name for name in bench.tree() if "done" in name} == {f"hot.done/{name}" for name in (*files, *beside)}


def test_a_wish_that_cannot_be_met_fails_with_its_reason(bench: Bench, joining: Joining) -> None:
    job = loose(bench, {"a.html": b"<p>x</p>", "a.html.toml": b'pages = "1"'}, steps=(Step("html-to-pdf", {}),))
    assert "html-to-pdf takes no pages for a.html." in failed(bench, bench.runner.run(job))
    assert set(bench.tree()) == {"hot.failed/a.html", "hot.failed/a.html.toml", "hot.failed/a.html.error.txt"}


ROWS: dict[str, Any] = {"gather": "rows", "partner": (".html",)}
GENERATE = Step("pdf-generate", {})
LIST = b"name,pw\nAda,x\nBob,y\nCy,z\n"


def listed(bench: Bench, content: bytes = LIST, *later: Step, **rule: Any) -> Job:
    files = {"a.csv": content, "a.html": b"<p>{{ name }}</p>"}
    return loose(bench, files, **{**ROWS, "steps": (GENERATE, *later), **rule})


def named(call: Call) -> dict[str, Any]:
    """The columns that a call fills the template with."""
    return {name: value for name, value in json.loads(str(call.parameters["data"])).items() if name != KEY}


def test_each_row_is_a_call_and_a_file_and_its_secret_column_goes_to_its_step_alone(
    bench: Bench, joining: Joining
) -> None:
    lock = Step("pdf-encrypt", {"userPassword": "row:pw"})
    job = listed(bench, LIST, lock, output="hot.out/{stem}/{row.name}.{ext}")
    assert bench.runner.run(job).kind == "done"
    assert {name for name in bench.tree() if "out" in name} == {
        f"hot.out/a/{name}.pdf" for name in ("Ada", "Bob", "Cy")
    }
    made = [call for call in joining.calls if call.operation == "pdf-generate"]
    assert sorted((named(call) for call in made), key=str) == [{"name": "Ada"}, {"name": "Bob"}, {"name": "Cy"}]
    assert all([part for part, _ in call.files] == ["templateFile"] for call in made)
    locked = {str(c.parameters["userPassword"]) for c in joining.calls if c.operation == "pdf-encrypt"}
    assert locked == {"x", "y", "z"}


def test_a_crash_repeats_no_row_that_was_answered(bench: Bench, joining: Joining) -> None:
    bench.runner = bench.made_runner(lanes=1)
    job = listed(bench)

    def fall(call: Call) -> None:
        if len(joining.calls) == 3:
            raise Crash

    joining.on_call = fall
    again = interrupted(bench, job)
    joining.on_call = lambda call: None
    assert bench.runner.run(again).kind == "done"
    asked = [named(call) for call in joining.calls]
    assert [asked.count({"name": name, "pw": pw}) for name, pw in (("Ada", "x"), ("Bob", "y"))] == [1, 1]


def test_a_list_that_changes_meanwhile_delivers_nothing(bench: Bench, joining: Joining) -> None:
    bench.runner = bench.made_runner(lanes=1)
    job = listed(bench)

    def change(call: Call) -> None:
        if len(joining.calls) == 2:
            (bench.hot / "a.csv").write_bytes(LIST.replace(b"Bob", b"Bea"))

    joining.on_call = change
    assert bench.runner.run(job).kind == "cancelled"
    assert set(bench.tree()) == {"hot/a.csv", "hot/a.html"}


@pytest.mark.parametrize(
    ("content", "rule", "expected"),
    [
        (b"name\n", {}, "a.csv has no rows."),
        (b"name,pw\nAda,\n", {"later": "row:pw"}, "a.csv, line 2: the column 'pw' is empty, and the rule takes"),
        (
            b"name\nAda\n",
            {"output": "o/{stem}/{row.no}.{ext}"},
            "a.csv, line 2: there is no column 'no', which `output` names.",
        ),
    ],
)
def test_what_a_list_lacks_is_said_before_anything_is_asked(
    bench: Bench, joining: Joining, content: bytes, rule: dict[str, str], expected: str
) -> None:
    later = (Step("pdf-encrypt", {"userPassword": rule["later"]}),) if "later" in rule else ()
    job = listed(bench, content, *later, output=rule.get("output", ""))
    assert expected in failed(bench, bench.runner.run(job))
    assert joining.calls == []


AMOUNTS = b"name;amount;pw\nAda;1.250;7.500\nBob;3,99;x\n"


def test_what_the_columns_say_goes_along_to_our_engine_without_those_that_bear_secrets(
    bench: Bench, joining: Joining
) -> None:
    lock = Step("pdf-encrypt", {"userPassword": "row:pw"})
    assert bench.runner.run(listed(bench, AMOUNTS, lock)).kind == "done"
    told = [json.loads(str(c.parameters["data"]))[KEY] for c in joining.calls if c.operation == "pdf-generate"]
    assert sorted(one["place"] for one in told) == ["line 2", "line 3"]
    assert told[0]["name"] == "a.csv"
    assert set(told[0]["columns"]) == {"amount"}
    assert heard(told[0]["columns"]["amount"]).numbers.proven == ","


def test_a_remote_service_is_sent_the_columns_as_they_are_and_nothing_of_other_rows(
    bench: Bench, joining: Joining
) -> None:
    joining.repeatable = False
    assert bench.runner.run(listed(bench, AMOUNTS)).kind == "done"
    assert sorted((json.loads(str(call.parameters["data"])) for call in joining.calls), key=str) == [
        {"name": "Ada", "amount": "1.250", "pw": "7.500"},
        {"name": "Bob", "amount": "3,99", "pw": "x"},
    ]


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (
            "01006",
            "a.csv, line 3, column 'amount': 'x' is not a number",
            "a.csv, line 3, column 'amount': 'x' is not a number. Correct the list, and try again.",
        ),
        ("01006", "the data is not JSON", "a.csv, line 2: the data is not JSON. Correct the list, and try again."),
        (
            "03000",
            "the template has a mistake in line 4: unexpected '}'",
            "a.html does not fit a.csv, line 2: the template has a mistake in line 4: unexpected '}'. Correct the",
        ),
        ("02207", "no", "a.csv, line 2: The service says no. Correct the rule."),
    ],
)
def test_a_refused_row_is_told_by_list_and_line_and_not_as_a_fault_of_the_rule(
    bench: Bench, joining: Joining, code: str, reason: str, expected: str
) -> None:
    bench.runner = bench.made_runner(lanes=1)

    def refuse(call: Call) -> None:
        raise ServiceError("The service says no.", "Correct the rule.", kind="bad-parameters", code=code, reason=reason)

    joining.on_call = refuse
    assert failed(bench, bench.runner.run(listed(bench, AMOUNTS)))
    (text,) = (content.decode() for name, content in bench.tree().items() if name.endswith(".error.txt"))
    assert expected in " ".join(text.split())
    assert len(joining.calls) == 1


def test_a_batch_whose_file_was_taken_away_gives_the_others_back(bench: Bench, joining: Joining) -> None:
    job = loose(bench, {"1.pdf": b"1", "2.pdf": b"2"}, gather="batch", steps=(Step("pdf-merge", {}),))
    (bench.hot / "2.pdf").unlink()
    outcome = bench.runner.run(job)
    assert outcome.kind == "cancelled"
    assert [changed.path.name for changed in outcome.changed] == ["1.pdf", "2.pdf"]
    assert set(bench.tree()) == {"hot/1.pdf"}


def test_a_failed_batch_is_filed_together_and_comes_back_together(bench: Bench, joining: Joining) -> None:
    def refuse(call: Call) -> None:
        raise ServiceError("No.", kind="bad-input")

    joining.on_call = refuse
    job = loose(bench, {"1.pdf": b"1", "2.pdf": b"2"}, gather="batch", steps=(Step("pdf-merge", {}),))
    outcome = bench.runner.run(job)
    assert set(bench.tree()) == {"hot.failed/1.pdf", "hot.failed/2.pdf", "hot.failed/1.pdf.error.txt"}
    assert b"Files:     1.pdf, 2.pdf" in bench.tree()["hot.failed/1.pdf.error.txt"]
    bench.bring_back(outcome.job)
    assert set(bench.tree()) == {"hot/1.pdf", "hot/2.pdf"}


def test_one_name_that_is_taken_keeps_a_failed_set_together_where_it_is(bench: Bench, joining: Joining) -> None:
    joining.on_call = lambda call: (_ for _ in ()).throw(ServiceError("No.", kind="bad-input"))
    job = loose(bench, {"1.pdf": b"1", "2.pdf": b"2"}, gather="batch", steps=(Step("pdf-merge", {}),))
    outcome = bench.runner.run(job)
    bench.drop("2.pdf", b"another")
    with pytest.raises(Exception, match="another file of that name"):
        bench.bring_back(outcome.job)
    assert Path("hot.failed/1.pdf").as_posix() in bench.tree()
