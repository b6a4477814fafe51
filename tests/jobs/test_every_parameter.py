"""Every parameter of every operation in a rule: it reaches the wire under its contract name, or `check` refuses it."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath

import pytest

from paperchute.app.schedules import new_job
from paperchute.contract import Operation, Parameter, contract, wire
from paperchute.files.identity import key_of
from paperchute.jobs.model import Member, NewJob
from paperchute.rules.file import load
from paperchute.rules.model import Rule
from paperchute.rules.problems import RuleFileError
from paperchute.service.model import Call
from paperchute.service.upload import Form
from tests.jobs.bench import Bench

REFUSED = {("pdf-generate", "password"), ("html-to-pdf", "password")}
"""What no rule may ask for, and why stands in docs/parameters.md."""

NEEDED: dict[str, dict[str, object]] = {
    "pdf-encrypt": {"userPassword": "env:PAPERCHUTE_TEST_WORD"},
    "pdf-metadata": {"title": "Ports"},
    "pdf-insert": {"actionType": "BLANK", "index": 1, "width": 9, "height": 9},
}
PAGES = ("html", "htmlUrl", "htmlFile", "urls")
SECRET = "Kestrel-9"


@pytest.fixture(autouse=True)
def _word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERCHUTE_TEST_WORD", SECRET)


def _value(parameter: Parameter, folder: Path) -> object:
    """A value that the contract allows and is not the default."""
    if parameter.type == "file":
        (folder / "given.html").write_text("<p>given")
        return str(folder / "given.html")
    if parameter.is_secret:
        return ["env:PAPERCHUTE_TEST_WORD"] * 2 if parameter.type == "array" else "env:PAPERCHUTE_TEST_WORD"
    if parameter.values:
        return next((v for v in parameter.values if v != parameter.default), parameter.values[0])
    if parameter.format == "json":
        return {"a": 1}
    if parameter.name in ("htmlUrl", "baseUri"):
        return "http://a.example/"
    if parameter.type == "array":
        return ["http://a.example/", "http://b.example/"] if parameter.name == "urls" else ["1", "2"]
    return {"integer": 2, "number": 2, "boolean": True}.get(parameter.type, "2")


def _rule(operation: Operation, parameter: Parameter, folder: Path) -> Rule:
    """A rule with that parameter and what it cannot do without. Raises RuleFileError."""
    given = {**{p.name: _value(p, folder) for p in operation.parameters if p.required and p.type != "file"}}
    given |= NEEDED.get(operation.id, {})
    if operation.id == "pdf-add-watermark":  # either kind of mark needs what it shows
        given |= {"text": "Draft"} | {p.name: _value(p, folder) for p in operation.parameters if p.name == "imageFile"}
    if operation.one_of and parameter.name not in operation.one_of:
        given[operation.one_of[0]] = "1"
    given[parameter.name] = _value(parameter, folder)
    lines = [f'operation = "{operation.id}"']
    if parameter.name in PAGES:
        lines.append('schedule = "hourly"')
        given |= {"actionType": "FROM_PDF"} if parameter.name == "urls" else {}
    elif operation.min_files > 1 or given.get("actionType") == "FROM_PDF":
        lines.append('gather = "folder"')
    text = "\n".join(f"{name} = {_toml(value)}" for name, value in given.items())
    path = folder / "rules.toml"
    remote = ["[service]", 'base_url = "https://a.example"', 'api_key = "env:PAPERCHUTE_TEST_WORD"']
    head = [
        "version = 1",
        *remote,
        "[[rule]]",
        f'name = "{parameter.name}"',
        'folder = "hot"',
        *lines,
        "[rule.parameters]",
    ]
    path.write_text("\n".join([*head, text, ""]), "utf-8")
    return load(path).rules[0]


def _toml(value: object) -> str:
    return '{ "a" = 1 }' if isinstance(value, dict) else json.dumps(value)


def _dropped(rule: Rule, operation: Operation, hot: Path) -> NewJob:
    if rule.schedule:
        return new_job(rule)
    suffix = "html" if operation.id == "pdf-generate" else operation.input_ext[0]
    folder = hot / "set" if rule.gather == "folder" else hot
    folder.mkdir(exist_ok=True)
    members = []
    for number in range(2 if rule.gather == "folder" else 1):
        path = folder / f"{number}.{suffix}"
        path.write_text("<p>dropped")
        key = key_of(path)
        assert key is not None
        members.append(Member(path, key))
    path = folder if rule.gather == "folder" else members[0].path
    return NewJob(rule, path, PurePosixPath(path.relative_to(hot).as_posix()), tuple(members), rule.gather == "folder")


@pytest.mark.parametrize("operation", contract().operations.values(), ids=lambda operation: operation.id)
def test_what_a_rule_accepts_goes_over_the_wire(bench: Bench, tmp_path: Path, operation: Operation) -> None:
    for number, parameter in enumerate(operation.parameters):
        if parameter.name == "file" or parameter.is_ours:  # a remote service is asked for none of ours
            continue
        folder = tmp_path / str(number)
        hot = folder / "hot"
        hot.mkdir(parents=True)
        if (operation.id, parameter.name) in REFUSED:
            with pytest.raises(RuleFileError, match=parameter.name):
                _rule(operation, parameter, folder)
            continue
        rule = _rule(operation, parameter, folder)
        sent: list[bytes] = []
        bench.service.on_call = lambda call, sent=sent: sent.append(_body(call))  # type: ignore[misc]
        bench.journal.inserts.open_job(_dropped(rule, operation, hot)) if not rule.schedule else _due(bench, rule)
        job = bench.journal.queue.next()
        assert job is not None
        outcome = bench.runner.run(job)
        assert outcome.kind == "done", outcome.job.error
        fields = _fields(sent[0])
        assert parameter.name in fields, (operation.id, parameter.name)
        if parameter.type == "file":
            assert fields[parameter.name] == [b"<p>given"]
        else:
            known = rule.steps[0].parameters[parameter.name]
            texts = wire(known)
            expected = texts if isinstance(texts, list) else [texts]
            expected = [SECRET if parameter.is_secret else text for text in expected]
            assert [text.decode() for text in fields[parameter.name]] == expected


def _due(bench: Bench, rule: Rule) -> None:
    times = {"now": "2026-11-22T12:00:00", "furthest": "2026-11-23T12:00:00"}
    bench.journal.inserts.open_due(new_job(rule), "2026-11-22T12:00:00", **times)
    assert bench.journal.inserts.open_due(new_job(rule), "2026-11-22T13:00:00", **times) is not None


def _body(call: Call) -> bytes:
    with Form(call) as form:
        return b"".join(form)


def _fields(body: bytes) -> dict[str, list[bytes]]:
    """The parts of a form by name."""
    found: dict[str, list[bytes]] = {}
    boundary = body.partition(b"\r\n")[0]
    for part in body.split(boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]*)"', head)
        assert name is not None
        found.setdefault(name[1].decode(), []).append(content.removesuffix(b"\r\n"))
    return found
