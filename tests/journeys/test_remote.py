"""The engine as a remote service: every mode of calling, the upload interface, and a month's calls."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.journeys.counting import counting_service
from tests.journeys.daemon import Paperchute, names, wait_until
from tests.journeys.documents import write_pdf
from tests.service.script import Asked, Reply, envelope, scripted

RULES = """
version = 1
[service]
base_url = "{url}"
api_key = "env:PAPERCHUTE_TEST_KEY"
{more}
[[rule]]
name = "Read"
folder = "hot"
operation = "pdf-to-markdown"
"""


@contextmanager
def engine(folder: Path) -> Iterator[str]:
    """A served engine's address, for the key of the tests."""
    folder.mkdir()
    served = Paperchute(folder, "version = 1\n")
    environment = {**served.environment, "ENGINE_KEY": served.environment["PAPERCHUTE_TEST_KEY"]}
    command = served.command("serve", "--api-key-env", "ENGINE_KEY")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["base_url"])
        finally:
            process.terminate()


@pytest.mark.parametrize("mode", ["sync", "async", "secure"])
def test_a_file_is_done_in_every_mode(mode: str, tmp_path: Path) -> None:
    with engine(tmp_path / "engine") as url:
        paperchute = Paperchute(tmp_path, RULES.format(url=url, more=f'mode = "{mode}"'))
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello from afar")
        done = paperchute.run("run", "--once")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Hello from afar" in (tmp_path / "hot.out" / "offer.md").read_text("utf-8")
        kinds = [event["kind"] for event in paperchute.json("jobs")[0]["events"]]
        assert ("submitted" in kinds) == (mode != "sync")


def test_a_document_is_handed_in_and_its_receipt_delivered(tmp_path: Path) -> None:
    with counting_service() as service, scripted() as hub:
        hub.answer = lambda asked: Reply(b'{"code": 200, "data": {"batchId": "b1", "taskIds": ["t1"]}}')
        more = f'hub_url = "{hub.url}"\nhub_key = "env:PAPERCHUTE_TEST_KEY"\n'
        rules = RULES.format(url=service.url, more=more).replace(
            'operation = "pdf-to-markdown"',
            'operation = "document-upload"\nparameters = { mode = "LayoutExtract", metadata = { case = 7 } }',
        )
        paperchute = Paperchute(tmp_path, rules)
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        done = paperchute.run("run", "--once")
        assert done.returncode == 0, done.stdout + done.stderr
        receipt = json.loads((tmp_path / "hot.out" / "offer.json").read_text("utf-8"))
        assert (receipt["batchId"], receipt["taskIds"], receipt["state"]) == ("b1", ["t1"], "accepted")
        assert json.loads(receipt["metadata"])["case"] == 7
        assert names(tmp_path / "hot.done") == ["offer.pdf"]
        hub.answer = lambda asked: Reply(b'{"code": 40017, "msg": "unknown mode"}')
        write_pdf(tmp_path / "hot" / "second.pdf", "Hello")
        assert paperchute.run("run", "--once").returncode == 1
        assert "unknown mode" in (tmp_path / "hot.failed" / "second.pdf.error.txt").read_text("utf-8")


def test_a_month_s_calls_are_kept_to_and_work_goes_on_when_more_are_allowed(tmp_path: Path) -> None:
    with counting_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url, more="monthly_calls = 2\nconcurrency = 1"))
        (tmp_path / "hot").mkdir()
        for number in range(4):
            (tmp_path / "hot" / f"{number}.pdf").write_bytes(b"%%PDF-1.7 %d\n%%%%EOF\n" % number)
        paperchute.start()
        try:
            wait_until(lambda: len(names(tmp_path / "hot.out")) == 2)
            wait_until(lambda: any("2 calls" in sentence for sentence in paperchute.said()["troubles"]))
            status = paperchute.json("status")
            assert (status["service"]["calls_this_month"], status["service"]["monthly_calls"]) == (2, 2)
            assert status["jobs"]["failed"] == 0, "they wait"
            rules = paperchute.rules.read_text().replace("monthly_calls = 2", "monthly_calls = 10")
            part = tmp_path / "rules.part"
            part.write_text(rules)
            part.replace(paperchute.rules)
            wait_until(lambda: len(names(tmp_path / "hot.out")) == 4)
            assert sum(service.calls.values()) == 4
        finally:
            paperchute.close()


QUOTA = Reply(b'{"code": "06001", "msg": "no units left"}', 402)
WRONG_KEY = Reply(b'{"code": "401", "msg": "who are you"}', 401)


@pytest.mark.parametrize(
    ("reply", "more", "why"),
    [
        (QUOTA, "", "The service has no units left. The service says: 06001 no units left."),
        (WRONG_KEY, "", "The service refuses the API key. The service says: 401 who are you."),
        (QUOTA, "monthly_calls = 0", "This month's 0 calls to the service are used up."),
    ],
    ids=["units", "key", "own limit"],
)
def test_a_service_that_says_no_does_answer(reply: Reply, more: str, why: str, tmp_path: Path) -> None:
    with scripted() as service:
        service.answer = lambda asked: reply
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url, more=more))
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: paperchute.said()["service"]["state"] == "stopped")
        finally:
            paperchute.stop()
    assert "does not answer" not in (tmp_path / "state" / "paperchute.log").read_text("utf-8")
    told = paperchute.run("status").stdout
    assert "not running" in told
    assert why in told
    assert any(why in sentence for sentence in paperchute.json("status")["waits"])
    paperchute.run("pause")
    assert "is paused" in paperchute.run("status").stdout


@pytest.mark.parametrize("refusal", [QUOTA, WRONG_KEY], ids=["units", "key"])
def test_the_advice_helps_once_the_account_is_good_again(refusal: Reply, tmp_path: Path) -> None:
    """Each way on: the command that the sentence names, `resume`, and a file that comes. Nothing else is touched."""
    refuses = True
    with scripted() as service:

        def answer(asked: Asked) -> Reply:
            if refuses and (asked.method == "POST" or refusal is WRONG_KEY):
                return refusal
            if asked.path == "/result":
                return Reply(b"# ok")
            return envelope(service.record()) if asked.method == "POST" else envelope({"tenantAsset": []})

        service.answer = answer
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url, more=""))
        (tmp_path / "hot").mkdir()
        paperchute.start()
        try:
            for number, way in enumerate(("retry --all-failed", "resume", "a file")):
                refuses = True
                write_pdf(tmp_path / "hot" / f"{number}.pdf", f"Hello {number}")
                wait_until(lambda: paperchute.said()["service"]["state"] == "stopped")
                advice = paperchute.said()["service"]["message"]
                assert "work then continues by itself within minutes, or at once with:" in advice
                refuses = False
                if way == "a file":
                    write_pdf(tmp_path / "hot" / "more.pdf", "Hello")
                else:
                    assert "retry --all-failed" in advice
                    assert paperchute.run(*way.split()).returncode == 0
                wait_until(lambda number=number: f"{number}.md" in names(tmp_path / "hot.out"))  # type: ignore[misc]
                wait_until(lambda: paperchute.said()["service"]["state"] == "closed")
            wait_until(lambda: "more.md" in names(tmp_path / "hot.out"))
        finally:
            paperchute.close()


def test_a_verb_answers_once_it_is_in_force(tmp_path: Path) -> None:
    """A file that is dropped right after `pause` or `rule off` has answered is not sent."""
    with counting_service() as service:
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url, more=""))
        assert "counts from its next start" in paperchute.run("pause").stdout
        assert "counts from its next start" in paperchute.run("resume").stdout
        paperchute.start()
        paperchute.until_it_runs()
        try:
            for number, (off, on) in enumerate(
                [(["pause"], ["resume"]), (["rule", "off", "Read"], ["rule", "on", "Read"])]
            ):
                said = paperchute.run(*off)
                assert (said.returncode, "next start" in said.stdout) == (0, False), said.stdout + said.stderr
                write_pdf(tmp_path / "hot" / f"{number}.pdf", f"Hello {number}")
                if off == ["pause"]:
                    wait_until(lambda: paperchute.said()["jobs"]["queued"] == 1)
                assert service.total() == number
                assert paperchute.run(*on).returncode == 0
                wait_until(lambda number=number: f"{number}.md" in names(tmp_path / "hot.out"))  # type: ignore[misc]
        finally:
            paperchute.close()


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b'{"code": 500, "message": "out of order"}', 500),
        Reply(b'{"code": "01001", "msg": "too many"}', 429, {"Retry-After": "120"}),
        Reply(b"<html>garbage</html>", 200),
    ],
    ids=["500", "429", "garbage"],
)
def test_status_says_why_work_waits_and_until_when(reply: Reply, tmp_path: Path) -> None:
    with scripted() as service:
        service.answer = lambda asked: reply if asked.method == "POST" else envelope({"tenantAsset": []})
        rules = RULES.format(url=service.url, more="") + "retries = 8\n"
        paperchute = Paperchute(tmp_path, rules)
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: paperchute.said()["waiting"])
            (waits,) = paperchute.said()["waiting"]
            assert (waits["jobs"], waits["rule"], waits["service"]) == (1, "Read", True)
            assert waits["next"] > 0
            told = paperchute.run("status").stdout
            assert "1 job waits: " in told
            assert "The next try is at " in told
            assert "it answers" not in told
        finally:
            paperchute.close()


def test_what_has_failed_does_not_say_that_it_is_tried_again(tmp_path: Path) -> None:
    with scripted() as service:
        service.answer = lambda asked: Reply(b'{"code": 500, "message": "out of order"}', 500)
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url, more="") + "retries = 0\n")
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        assert paperchute.run("run", "--once").returncode == 1
        text = (tmp_path / "hot.failed" / "offer.pdf.error.txt").read_text("utf-8")
        assert "out of order" in text
        assert "tried again" not in text
        assert "To try again, " in text


def test_a_wrong_webhook_token_is_told_and_costs_no_minute(tmp_path: Path) -> None:
    with scripted() as service:
        port = _free_port()
        record = service.record(convertSize=None, downFileName="offer.md")

        def answer(asked: Asked) -> Reply:
            if asked.path.startswith("/v2/processAsync/"):
                return envelope({"taskId": "t1", "taskStatus": "TaskWaiting"})
            if asked.path.startswith("/v2/task/taskInfo"):
                return envelope({"taskId": "t1", "taskStatus": "TaskFinish", "fileInfoDTOList": [record]})
            return Reply(b"# done") if asked.path == "/result" else Reply(b"{}", 404)

        service.answer = answer
        more = f'mode = "async"\nwebhook_listen = "127.0.0.1:{port}"\nwebhook_token = "file:token"'
        paperchute = Paperchute(tmp_path, RULES.format(url=service.url, more=more))
        (tmp_path / "token").write_text("agreed")
        (tmp_path / "token").chmod(0o600)
        write_pdf(tmp_path / "hot" / "offer.pdf", "Hello")
        paperchute.start()
        try:
            wait_until(lambda: any(asked.path.startswith("/v2/processAsync/") for asked in service.asked))
            event = {"eventName": "task.finish", "webhookToken": "other", "eventObject": "t1"}
            wait_until(lambda: _posted(port, event) == 403)
            wait_until(lambda: paperchute.said()["troubles"])
            assert "a token other than webhook_token" in paperchute.run("status").stdout
            wait_until(lambda: (tmp_path / "hot.out" / "offer.md").exists())
            asked_for = [asked.path for asked in service.asked if "taskInfo" in asked.path]
            assert asked_for, "the task was asked for though no announcement could be believed"
        finally:
            paperchute.stop()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _posted(port: int, event: dict[str, str]) -> int:
    try:
        return httpx.post(f"http://127.0.0.1:{port}/", json=event, trust_env=False).status_code
    except httpx.TransportError:
        return 0
