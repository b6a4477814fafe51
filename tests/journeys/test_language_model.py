"""A model that is asked over HTTP: what is sent is what `explain` shows, and only where a rule says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.model_server import ModelServer
from tests.journeys.daemon import Paperchute, names
from tests.journeys.test_document_fields import write_invoice

_HEAD = """
version = 1
[model]
base_url = "{url}"
model = "tiny"
api_key = "env:MODEL_KEY"
[[rule]]
name = "Mail"
folder = "mail"
operation = "pdf-to-markdown"
output = "Post/{{doc.sender}}/{{stem}}.{{ext}}"
"""
KEY = "key-of-the-model-4711"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def office(tmp_path: Path, server: ModelServer, more: str) -> Paperchute:
    (tmp_path / "mail").mkdir()
    write_invoice(tmp_path / "mail" / "scan.pdf", "", "4712")
    return Paperchute(tmp_path, _HEAD.format(url=server.url) + more)


def test_what_is_sent_is_what_explain_shows(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    server.answers({"sender": "Papier"})
    paperchute = office(tmp_path, server, "ask_model = true\n")
    try:
        told = paperchute.run("explain", str(tmp_path / "mail" / "scan.pdf")).stdout
        assert server.asked == [], "explaining asks nobody"
        paperchute.run("run", "--once")
        ((headers, body),) = server.asked
        assert body.decode() == told[told.index("{\n") :].rstrip("\n")
        assert f"would send to {server.url}/chat/completions:" in told
        assert "Rechnungsnummer: 4712" in json.loads(body)["messages"][1]["content"]
        assert headers["authorization"] == f"Bearer {KEY}"
        assert names(tmp_path / "mail.failed") == ["scan.pdf", "scan.pdf.needs-you.txt"], "it is no candidate"
        text = (tmp_path / "mail.failed" / "scan.pdf.needs-you.txt").read_text("utf-8")
        assert "tiny proposes Papier" in text
    finally:
        paperchute.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in kept
    assert KEY not in told
    assert b"tiny was asked" in kept


def test_without_the_key_of_the_rule_nothing_is_sent(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    paperchute = office(tmp_path, server, "")
    try:
        assert "chat/completions" not in paperchute.run("explain", str(tmp_path / "mail" / "scan.pdf")).stdout
        paperchute.run("run", "--once")
    finally:
        paperchute.close()
    assert names(tmp_path / "mail.failed") == ["scan.pdf", "scan.pdf.needs-you.txt"]
    assert server.asked == []


_DECIDED = """when = {{ number = "{number}" }}
ask_model = true
[[rule]]
name = "Others"
folder = "mail"
operation = "pdf-to-markdown"
output = "Other/{{doc.recipient}}.{{ext}}"
ask_model = {others}
[[rule]]
name = "Behind the one that takes all"
folder = "mail"
operation = "pdf-to-markdown"
"""


@pytest.mark.parametrize(("number", "others", "taker"), [("47*", "false", "Mail"), ("99*", "true", "Others")])
def test_where_the_document_decides_explain_shows_what_the_rule_that_has_it_sends(
    number: str, others: str, taker: str, tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    server.answers({})
    paperchute = office(tmp_path, server, _DECIDED.format(number=number, others=others))
    try:
        told = paperchute.run("explain", str(tmp_path / "mail" / "scan.pdf")).stdout
        paperchute.run("run", "--once")
    finally:
        paperchute.close()
    ((_headers, body),) = server.asked
    assert body.decode() == told[told.index("{\n") :].rstrip("\n")
    assert f"rule '{taker}' would send to" in told


def test_behind_a_rule_that_takes_all_none_keeps_explain_from_telling(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    server.answers({})
    paperchute = office(tmp_path, server, _DECIDED.format(number="1", others="true").replace("number =", "sender ="))
    try:
        told = paperchute.run("explain", str(tmp_path / "mail" / "scan.pdf")).stdout
        paperchute.run("run", "--once")
    finally:
        paperchute.close()
    ((_headers, body),) = server.asked
    assert body.decode() == told[told.index("{\n") :].rstrip("\n")
    assert "rule 'Mail', 'Others' would send to" in told
