"""What the page shows and does is what tray and command line show and do."""

from __future__ import annotations

import io
import json
import threading
import time
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from PIL import Image

from paperchute.app.status import Surroundings
from paperchute.desktop.opener import CannotOpen
from paperchute.events import Done, Pages, Queued, StepStarted
from paperchute.files.identity import key_of
from paperchute.jobs.model import Job, Member, NewJob
from paperchute.page import feed, routes
from paperchute.page.picture import picture as picture_of
from paperchute.service.model import ServiceError
from tests.page.conftest import Shown


@pytest.fixture(autouse=True)
def _inside(shown: Shown) -> None:
    shown.enter()


def _pictures(shown: Shown, until: str, found: list[dict[str, Any]]) -> None:
    """Listen until a picture says so."""
    with shown.client.stream("GET", "/api/feed") as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                found.append(json.loads(line[6:]))
                if until in line:
                    return


def test_what_needs_people_is_asked_for_again_once_it_is_told(shown: Shown) -> None:
    shown.daemon.rules.path.write_text("version = 1\n[[rule]]\nname = 'A\n", "utf-8")
    shown.daemon._rulebook.read_again()  # as a round of the daemon does, before it tells of it
    early = picture_of(shown.daemon, [])
    assert early["attention"] > 0
    assert shown.needs()["mistakes"] == []
    shown.daemon._announcer.told = shown.daemon._board.as_json(Surroundings())
    assert shown.needs()["mistakes"]
    assert picture_of(shown.daemon, [])["needs"] != early["needs"]


def test_what_happens_is_told_to_all_who_listen(shown: Shown) -> None:
    heard: list[list[dict[str, Any]]] = [[], []]
    threads = [threading.Thread(target=_pictures, args=(shown, '"done": 3', one)) for one in heard]
    for thread in threads:
        thread.start()
    publish = shown.daemon._events.publish
    publish(Queued(1, "a.pdf", "Read PDFs", shown.hot / "a.pdf"))
    publish(StepStarted(1, "a.pdf", "Read PDFs", "pdf-to-markdown", 1, 1))
    publish(Pages(1, 3, 7))
    for thread in threads:
        thread.join(60)
    for pictures in heard:
        (running,) = pictures[-1]["running"]
        assert (running["name"], running["done"], running["pages"]) == ("a.pdf", 3, 7)
    publish(Done(1, "a.pdf", "Read PDFs", None))
    ended: list[dict[str, Any]] = []
    _pictures(shown, '"running": []', ended)
    assert ended[-1]["running"] == []


def test_the_picture_has_the_folders_of_the_rules_in_force(shown: Shown) -> None:
    (folder,) = picture_of(shown.daemon, [])["folders"]
    assert (folder["name"], folder["rules"], folder["left"], folder["done"]) == ("in", ["Read PDFs"], 0, 0)


def test_the_page_says_why_work_waits_and_when_it_is_tried_next(shown: Shown) -> None:
    (shown.hot / "a.pdf").write_bytes(b"%PDF-1.7")
    job, daemon = _job(shown, shown.hot / "a.pdf"), shown.daemon
    due = time.time() + 3600.0
    daemon.journal.queue.wait_until(job.id, due, "The service could not process a.pdf.", "500", attempt=True)
    daemon._announcer.told = daemon._board.as_json(Surroundings())
    picture = picture_of(daemon, [])
    (waiting,) = picture["waiting"]
    at = datetime.fromtimestamp(due).strftime("%H:%M:%S")
    said = f"1 job waits: The service could not process a.pdf. The next try is at {at}."
    assert waiting == {"name": "Read PDFs", "why": said}
    assert (picture["services"][0]["answers"], picture["services"][0]["message"]) == (
        False,
        "some calls have to be made again",
    )
    daemon._circuits.of("built-in").open(ServiceError("The service does not answer.", kind="down"))
    daemon._announcer.told = daemon._board.as_json(Surroundings())
    service = picture_of(daemon, [])["services"][0]
    assert service["answers"] is False
    assert service["message"].startswith("The service does not answer. The next try is at ")
    daemon._circuits.of("built-in").close()
    daemon.journal.completion.finish(job, "failed", kept=True, error="it is damaged")
    daemon._announcer.told = daemon._board.as_json(Surroundings())
    picture = picture_of(daemon, [])
    assert (picture["waiting"], picture["services"][0]["answers"], picture["services"][0]["message"]) == (
        [],
        True,
        "it answers",
    )


def test_what_changes_without_an_event_is_shown_a_little_later(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_SIGN_OF_LIFE_SECONDS", 0.05)
    heard: list[Any] = []
    thread = threading.Thread(target=_pictures, args=(shown, "in an hour", heard))
    thread.start()
    _pictures(shown, "it answers", [])
    service = {"name": "acme", "base_url": "x", "state": "down", "message": "It is asked again in an hour."}
    shown.daemon._announcer.told = {**shown.daemon.told, "services": [service]}
    thread.join(60)
    assert heard[-1]["services"][0]["message"] == service["message"]


def test_pausing_on_the_page_is_pausing(shown: Shown) -> None:
    assert shown.client.post("/api/daemon/pause").status_code == 200
    assert shown.daemon.journal.settings.get("paused")
    assert shown.client.post("/api/daemon/resume").status_code == 200
    assert not shown.daemon.journal.settings.get("paused")


def test_the_program_can_be_ended_and_started_at_log_in_from_the_page(shown: Shown) -> None:
    for path in ("quit", "autostart-on", "autostart-off"):
        assert shown.client.post(f"/api/program/{path}").status_code == 200
    assert shown.asked == ["quit", "True", "False"]
    assert shown.client.post("/api/program/erase").status_code == 404
    picture = picture_of(shown.daemon, [])
    assert (picture["starts"], picture["quits"]) == (None, False)


def test_what_fails_is_there_with_its_reason_and_can_be_tried_again(shown: Shown) -> None:
    number = _failed(shown, b"%PDF-broken")
    (failed,) = shown.needs()["failed"]
    assert (failed["job"], failed["name"], failed["rule"]) == (number, "a.pdf", "Read PDFs")
    assert shown.needs()["failed_count"] == 1
    answer = shown.client.post(f"/api/jobs/{number}/retry")
    assert answer.status_code == 409
    assert "a.pdf" in answer.json()["reason"]


@pytest.mark.parametrize("path", ["/api/jobs/1/erase", "/api/daemon/quit", "/api/jobs/x/retry"])
def test_there_is_nothing_else_to_do(shown: Shown, path: str) -> None:
    assert shown.client.post(path).status_code == 404


def test_a_job_that_is_not_there_is_said(shown: Shown) -> None:
    answer = shown.client.post("/api/jobs/77/retry")
    assert answer.status_code == 409
    assert "77" in answer.json()["reason"]


def test_what_cannot_be_opened_is_said(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise CannotOpen(f"{path.name} cannot be shown here: there is no desktop.", "Open it elsewhere.")

    monkeypatch.setattr(routes, "open_path", refuse)
    answer = shown.client.post(f"{shown.drops}/open")
    assert answer.status_code == 409
    assert "there is no desktop" in answer.json()["reason"]


@pytest.mark.parametrize("kind", ["pdf", "png", "tiff"])
def test_the_first_page_of_an_original_is_shown(shown: Shown, kind: str) -> None:
    drawn = io.BytesIO()
    Image.new("RGB", (2000, 1000), "red").save(drawn, kind)
    number = _failed(shown, drawn.getvalue(), f"a.{kind}")
    answer = shown.client.get(f"/api/jobs/{number}/thumbnail")
    assert answer.headers["content-type"] == "image/png"
    with Image.open(io.BytesIO(answer.content)) as picture:
        assert picture.size == (480, 240)
        assert picture.convert("RGB").getpixel((240, 120)) in [(255, 0, 0), (254, 0, 0)]


@pytest.mark.parametrize("content", [b"", b"%PDF-1.4 broken", b"\x89PNG\r\n\x1a\n broken", b"text"])
def test_of_what_is_broken_there_is_no_picture(shown: Shown, content: bytes) -> None:
    number = _failed(shown, content)
    assert shown.client.get(f"/api/jobs/{number}/thumbnail").status_code == 404
    assert shown.client.get("/api/jobs/77/thumbnail").status_code == 404


def test_a_name_that_is_no_text_is_shown_all_the_same(shown: Shown) -> None:
    _failed(shown, b"x", name=b"a\xff\x1b[31m.pdf".decode("utf-8", "surrogateescape"))
    (failed,) = shown.needs()["failed"]
    assert "\x1b" not in failed["name"]


def _failed(shown: Shown, content: bytes, name: str = "a.pdf") -> int:
    """A job that has failed, its original still in its place."""
    path = shown.hot / name
    path.write_bytes(content)
    job = _job(shown, path)
    shown.daemon.journal.completion.finish(job, "failed", kept=True, error="it is damaged")
    return job.id


def _job(shown: Shown, path: Path) -> Job:
    key = key_of(path)
    assert key is not None
    (rule, _off) = shown.daemon.rules.rules
    journal = shown.daemon.journal
    number = journal.inserts.open_job(NewJob(rule, path, PurePosixPath(path.name), (Member(path, key),)))
    assert number is not None
    job = journal.queries.job(number)
    assert job is not None
    return job


def test_the_use_has_seven_days_and_what_the_rules_used(shown: Shown) -> None:
    nothing = shown.client.get("/api/use").json()
    assert nothing["months"] == []
    assert nothing["quotas"] == []
    assert len(nothing["days"]) == 7
    (shown.hot / "a.pdf").write_bytes(b"%PDF-1.7")
    job = _job(shown, shown.hot / "a.pdf")
    shown.daemon.journal.calls.intend(job, 0, receipt=True)
    shown.daemon.journal.calls.answered(job, 0, "", "{}", pages=3, receipt=True)
    shown.daemon.journal.completion.finish(job, "done", kept=False)
    used = shown.client.get("/api/use").json()
    ((rule,),) = [month["rules"] for month in used["months"]]
    assert (rule["rule"], rule["jobs"], rule["calls"], rule["pages"]) == ("Read PDFs", 1, 1, 3)
    assert used["quotas"] == [{"name": "", "used": 1, "most": None}]
    assert sum(day["done"] for day in used["days"]) == 1
