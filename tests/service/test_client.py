"""The client against a real server: what goes out, what it makes of every kind of answer, and what people are told."""

from __future__ import annotations

import contextlib
import email.parser
import email.policy
import hashlib
import io
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paperchute.baton import baton
from paperchute.files.identity import key_of
from paperchute.language import speaking
from paperchute.service.answers import Verdict
from paperchute.service.client import ServiceClient
from paperchute.service.failures import from_verdict
from paperchute.service.model import Answer, Call, InputChangedError, ServiceAddress, ServiceError
from tests.service.script import Asked, Reply, Script, envelope

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
KEY = "the-key-nobody-may-see"


@pytest.fixture
def client(script: Script) -> Iterator[ServiceClient]:
    found = ServiceClient(ServiceAddress(script.url, KEY))
    yield found
    found.close()


def call(*paths: Path, operation: str = "pdf-to-markdown", **parameters: Any) -> Call:
    return Call(operation, tuple(("file", path) for path in paths), parameters, "job-1-1", timeout=120.0)


def parts(asked: Asked) -> list[tuple[str, str | None, bytes]]:
    """(name, file name, content) of a multipart body, read by the standard library."""
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + asked.headers["content-type"].encode() + b"\r\n\r\n" + asked.body
    )
    found = []
    for part in message.iter_parts():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        found.append((str(part.get_param("name", header="content-disposition")), part.get_filename(), content))
    return found


def test_a_client_that_was_closed_says_that_the_service_is_down(client: ServiceClient, pdf: Path) -> None:
    client.close()
    with pytest.raises(ServiceError) as caught:
        client.call(call(pdf))
    assert caught.value.kind == "down"


def test_another_job_works_while_the_service_thinks(
    client: ServiceClient, script: Script, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.baton._KEPT_SECONDS", 1200.0)  # nobody loses it
    both = threading.Barrier(2, timeout=120.0)

    def answer(_asked: Asked) -> Reply:
        both.wait()  # each answer waits for the other's question
        return envelope([script.record()])

    def work() -> None:
        with baton.held():
            client.call(call(pdf))

    script.answer = answer
    threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120.0)
    assert len(script.asked) == 2
    assert not both.broken


def test_a_call_carries_key_parameters_and_files_in_order(client: ServiceClient, script: Script, pdf: Path) -> None:
    script.answer = lambda asked: envelope([script.record()])
    other = pdf.with_name("ü 漢字 'q'.pdf" if os.name == "nt" else "ü 漢字 'q\".pdf")
    other.write_bytes(b"%PDF other")
    answer = client.call(call(pdf, other, operation="pdf-merge", filePageRanges=["1", ""], password="pw"))
    (asked,) = script.asked
    assert asked.path == "/v2/process/pdf/merge"
    assert asked.headers["x-api-key"] == KEY
    assert asked.headers["idempotency-key"] == "job-1-1"
    sent = parts(asked)
    assert [(n, c) for n, f, c in sent if f] == [("file", pdf.read_bytes()), ("file", b"%PDF other")]
    texts = [(n, c.decode()) for n, f, c in sent if not f]
    assert [c for n, c in texts if n == "filePageRanges"] == ["1", ""]
    assert ("password", "pw") in texts
    assert ("language", "1") in texts
    assert answer.hashes == tuple(hashlib.sha256(p.read_bytes()).hexdigest() for p in (pdf, other))
    assert "hunter2" not in answer.raw


def test_what_a_page_names_and_cannot_take_along_is_a_warning(
    client: ServiceClient, script: Script, tmp_path: Path
) -> None:
    script.answer = lambda asked: envelope([script.record()])
    page = tmp_path / "page.html"
    (tmp_path / "there.png").write_bytes(b"png")
    named = "<img src='there.png'><img src='gone.png'><img src='http://a.example/b'>"
    page.write_text(f"<p>x{named}<link rel=stylesheet href='../style.css'>")
    (warning,) = client.call(call(page, operation="html-to-pdf")).warnings
    assert warning == (
        "The page refers to files that were not sent along: gone.png (it is not there), "
        "../style.css (it is not below the page's folder)."
    )
    page.write_text("<p>x" + "".join(f"<img src='{'x' * 90}{n}.png'>" for n in range(9)))
    (warning,) = client.call(call(page, operation="html-to-pdf")).warnings
    assert warning.endswith(", and 4 more.")
    assert len(warning) <= 500
    page.write_text("<p>x<img src='there.png'><a href='other.html'>")
    assert client.call(call(page, operation="html-to-pdf")).warnings == ()


@pytest.mark.parametrize(
    "data",
    [
        lambda s: s.record(),
        lambda s: [s.record()],
        lambda s: {"taskId": "t1", "taskStatus": "TaskFinish", "fileInfoDTOList": [s.record()]},
        lambda s: s.record(status="completed", failureCode="", failureReason=""),
        lambda s: s.record(status="Success", convertSize="4"),
    ],
)
@pytest.mark.parametrize("code", ["200", 200])
def test_every_form_of_a_good_answer_is_understood(
    client: ServiceClient, script: Script, pdf: Path, tmp_path: Path, data: Any, code: Any
) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(b"# ab") if asked.path == "/result" else envelope(data(script), code)

    script.answer = answer
    found = client.call(call(pdf))
    (path,) = client.download(found, "pdf-to-markdown", tmp_path)
    assert path.read_bytes() == b"# ab"
    assert path.name == "a.md"
    assert "x-api-key" not in script.asked[-1].headers, "the key goes to the service itself only"


def test_a_task_that_is_still_running_is_asked_for_again(
    script: Script, pdf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperchute.service.client._FIRST_POLL_LOCAL", 0.05)
    client = ServiceClient(ServiceAddress(script.url, KEY, local=True))

    def answer(asked: Asked) -> Reply:
        if asked.path.startswith("/v2/task/taskInfo"):
            status = "TaskProcessing" if len(script.asked) < 3 else "TaskFinish"
            records = [script.record(status="processing" if status != "TaskFinish" else "success")]
            return envelope({"taskId": "t1", "taskStatus": status, "fileInfoDTOList": records})
        return envelope(script.record(status="processing", downloadUrl=None))

    script.answer = answer
    assert client.call(call(pdf)).task_id == "t1"
    assert [a.path.split("?")[0] for a in script.asked] == ["/v2/process/pdf/markdown"] + ["/v2/task/taskInfo"] * 2
    client.close()


@pytest.mark.parametrize(
    ("reply", "kind", "code"),
    [
        (
            lambda s: envelope(s.record(status="failed", failureCode="02201", failureReason="locked")),
            "password",
            "02201",
        ),
        (lambda s: envelope(s.record(status="failed", failureCode="02207")), "bad-input", "02207"),
        (lambda s: envelope(s.record(status="failed", failureCode="190007")), "no-content", "190007"),
        (lambda s: Reply(b'{"code": "03000", "msg": "no", "data": null}', 400), "bad-parameters", "03000"),
        (lambda s: Reply(b'{"code": "401", "msg": "key", "data": null}', 401), "auth", "401"),
        (lambda s: Reply(b'{"code": "06001", "msg": "units", "data": null}', 402), "quota", "06001"),
        (lambda s: Reply(b"<html>busy</html>", 503, {"Retry-After": "7"}), "transient", ""),
        (lambda s: Reply(b'{"code": "01001", "msg": "no"}', 429, {"Retry-After": "7"}), "limited", "01001"),
        (lambda s: Reply(b"<html>too many</html>", 429, {"Retry-After": "7"}), "limited", ""),
        (lambda s: Reply(b'{"code": 500, "message": "x", "traceId": "t"}', 500), "transient", "500"),
        (
            lambda s: Reply(b'{"success": false, "error_code": "INVALID", "code": 100002}', 400),
            "bad-parameters",
            "100002",
        ),
        (lambda s: Reply(b'{"code": "99999", "msg": "new"}', 400), "permanent", "99999"),
        (lambda s: Reply(b"[]", 200), "permanent", ""),
    ],
)
def test_every_refusal_has_its_class_and_a_sentence(
    client: ServiceClient, script: Script, pdf: Path, reply: Any, kind: str, code: str
) -> None:
    script.answer = lambda asked: reply(script)
    with pytest.raises(ServiceError) as caught:
        client.call(call(pdf, password="hunter2"))
    assert (caught.value.kind, caught.value.code) == (kind, code)
    assert caught.value.what.endswith(".")
    assert KEY not in str(caught.value)
    assert "hunter2" not in str(caught.value)
    if kind == "limited" or (kind == "transient" and not code):
        assert caught.value.retry_after == 7.0
    assert caught.value.answered == (kind not in ("limited", "transient")), "the call may have been taken"


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        ("02207", "a.pdf cannot be opened as a PDF: it is damaged", "a.pdf cannot be opened as a PDF: it is damaged."),
        ("03000", "pages is missing", "a.pdf: pages is missing."),
        ("190006", "too slow", "a.pdf takes more time or memory than the engine gives one file. The service says"),
    ],
)
def test_our_own_engine_says_itself_what_is_wrong_and_nobody_says_it_twice(
    script: Script, pdf: Path, code: str, reason: str, said: str
) -> None:
    client = ServiceClient(ServiceAddress(script.url, KEY, local=True))
    script.answer = lambda asked: envelope(script.record(status="failed", failureCode=code, failureReason=reason))
    with pytest.raises(ServiceError) as caught:
        client.call(call(pdf))
    client.close()
    assert caught.value.what.startswith(said)
    assert caught.value.what.count(reason) == 1


def test_nobody_at_the_address_is_down_and_a_broken_answer_is_lost(script: Script, pdf: Path) -> None:
    client = ServiceClient(ServiceAddress("http://127.0.0.1:9", KEY))
    with pytest.raises(ServiceError) as caught:
        client.call(call(pdf))
    assert caught.value.kind == "down"
    with pytest.raises(ServiceError) as caught:
        client.check()
    assert caught.value.kind == "down"
    client.close()

    client = ServiceClient(ServiceAddress(script.url, KEY))
    for reply in (None, Reply(b'{"code": "200"', cut=5)):
        script.answer = lambda asked, reply=reply: reply  # type: ignore[misc]
        with pytest.raises(ServiceError) as caught:
            client.call(call(pdf))
        assert caught.value.kind == "lost"
    client.close()


def test_a_result_that_is_cut_off_short_or_of_another_kind_never_appears(
    client: ServiceClient, script: Script, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    answer = Answer("t", f"{script.url}/result", "a.md", 10, (), "{}")
    for reply, kind in (
        (Reply(b"0123456789", cut=4), "transient"),
        (Reply(b"0123"), "transient"),
        (Reply(b"\x89PNG\r\n\x1a\n00"), "transient"),
        (Reply(b"gone", 410), "task"),
        (Reply(b"", 503), "transient"),
    ):
        script.answer = lambda asked, reply=reply: reply  # type: ignore[misc]
        with pytest.raises(ServiceError) as caught:
            client.download(answer, "pdf-to-markdown", folder)
        assert caught.value.kind == kind
        assert list(folder.iterdir()) == []


def test_several_results_come_unpacked_in_their_places(client: ServiceClient, script: Script, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("b.md", "2")
        archive.writestr("images/p.png", PNG)
    script.answer = lambda asked: Reply(buffer.getvalue())
    answer = Answer("t", f"{script.url}/result", "a.zip", None, (), "{}")
    found = client.download(answer, "pdf-to-markdown", tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in found] == ["b.md", "images/p.png"]


@pytest.mark.parametrize("name", ["../out.md", "/abs.md", "a/../../b.md", "..\\up.md"])
def test_an_archive_that_points_outside_is_refused(
    client: ServiceClient, script: Script, tmp_path: Path, name: str
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "x")
    script.answer = lambda asked: Reply(buffer.getvalue())
    folder = tmp_path / "in"
    folder.mkdir()
    with pytest.raises(ServiceError):
        client.download(Answer("t", f"{script.url}/r", "a.zip", None, (), "{}"), "pdf-to-markdown", folder)
    assert not [p for p in tmp_path.rglob("*") if p.is_file()]


def test_an_archive_that_swells_a_thousandfold_is_refused(
    client: ServiceClient, script: Script, tmp_path: Path
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.md", b"\0" * (64 << 20))
    script.answer = lambda asked: Reply(buffer.getvalue())
    with pytest.raises(ServiceError):
        client.download(Answer("t", f"{script.url}/r", "a.zip", None, (), "{}"), "pdf-to-markdown", tmp_path)


def test_our_own_engine_s_results_are_found_on_its_new_port(script: Script, tmp_path: Path) -> None:
    script.answer = lambda asked: Reply(b"# ab")
    client = ServiceClient(ServiceAddress(f"{script.url}/server", KEY, local=True))
    answer = Answer("t", "http://127.0.0.1:1/server/v2/download/x/a.md", "a.md", None, (), "{}")
    client.download(answer, "pdf-to-markdown", tmp_path)
    assert script.asked[0].path == "/server/v2/download/x/a.md"
    client.close()


def test_an_input_that_is_another_one_by_now_is_not_sent(client: ServiceClient, script: Script, pdf: Path) -> None:
    key = key_of(pdf)
    assert key is not None
    pdf.write_bytes(b"%PDF-1.7 something else, longer %%EOF")
    with pytest.raises(InputChangedError):
        client.call(Call("pdf-to-markdown", (("file", pdf),), {}, "k", {pdf: key}))
    pdf.unlink()
    with pytest.raises(InputChangedError):
        client.call(call(pdf))
    assert script.asked == []


def test_a_large_file_is_streamed(script: Script, tmp_path: Path) -> None:
    """300 MB go out of a process that grows by far less."""
    script.answer = lambda asked: envelope(script.record())
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.write(b"%PDF")
        file.truncate(300 << 20)
    code = f"""
from pathlib import Path
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress
from tests.systems import peak_memory
client = ServiceClient(ServiceAddress({script.url!r}, "k", mode="sync"))
before = peak_memory()
client.call(Call("pdf-to-markdown", (("file", Path({str(large)!r})),), {{}}, "k"))
print(peak_memory() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert int(done.stdout) < 100 << 20
    os.truncate(large, 0)


@pytest.mark.parametrize(
    ("local", "spoken", "sent"),
    [(False, "de", ["1"]), (False, "zh_Hans", ["2"]), (True, "de", []), (True, "zh_Hans", [])],
)
def test_a_service_is_asked_for_the_language_that_it_speaks(
    script: Script, pdf: Path, local: bool, spoken: str, sent: list[str]
) -> None:
    script.answer = lambda asked: envelope([script.record()])
    address = ServiceAddress(script.url, KEY, local=local)
    with speaking(spoken), contextlib.closing(ServiceClient(address)) as client:
        client.call(call(pdf, operation="document-parsing"))
    (asked,) = script.asked
    assert asked.headers["accept-language"] == spoken.replace("_", "-")
    assert [content.decode() for name, _, content in parts(asked) if name == "language"] == sent


@pytest.mark.parametrize("local", [True, False])
def test_only_our_own_engine_hears_what_a_rule_says_of_hosts_and_locks(script: Script, pdf: Path, local: bool) -> None:
    script.answer = lambda asked: envelope(script.record())
    with contextlib.closing(ServiceClient(ServiceAddress(script.url, KEY, local=local))) as client:
        client.call(replace(call(pdf), hosts=("a.example", "b.example"), protection="drop"))
    posted = next(asked for asked in script.asked if asked.path.startswith("/v2/process/"))
    assert posted.headers.get("paperchute-hosts") == ("a.example,b.example" if local else None)
    assert posted.headers.get("paperchute-protection") == ("drop" if local else None)


def test_no_service_is_asked_for_hidden_results(client: ServiceClient, script: Script, tmp_path: Path) -> None:
    hidden = tmp_path / ".scan.pdf"
    hidden.write_bytes(b"%PDF other")
    script.answer = lambda asked: envelope(script.record())
    client.call(call(hidden))
    assert [file for _, file, _ in parts(script.asked[0]) if file] == ["scan.pdf"]


@pytest.mark.parametrize("code", ["190006", "02210"])
def test_what_our_own_engine_ended_is_not_tried_again(code: str) -> None:
    failed = Verdict("failed", code=code, reason="it took too long")
    assert from_verdict(failed, "a.html", 200, None, local=True).kind == "permanent"
    assert from_verdict(failed, "a.html", 200, None).kind == "transient"
    assert from_verdict(Verdict("failed", code="190008"), "a.html", 200, None, local=True).kind == "transient"
    assert from_verdict(Verdict("refused", code=code), "a.html", 503, None, local=True).kind == "transient"


@pytest.mark.parametrize(("code", "damaged"), [("02002", False), ("02003", False), ("02207", True), ("190010", True)])
def test_a_file_of_another_kind_is_not_called_damaged(code: str, damaged: bool) -> None:
    error = from_verdict(Verdict("refused", code=code), "a.docx", 400, None)
    assert error.kind == "bad-input"
    assert ("damaged" in str(error)) is damaged
