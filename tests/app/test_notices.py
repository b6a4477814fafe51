"""People are told elsewhere in few messages; a server that is away costs no message and holds up nobody."""

from __future__ import annotations

import json
import queue
import socketserver
import threading
from collections.abc import Iterator
from email import message_from_string, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperchute.app.notices import News, Notices
from paperchute.app.outlets import Message, OutletError, send
from paperchute.events import Done, Event, Failed, Health, Stream, Trouble
from paperchute.jobs.journal import Journal
from paperchute.rules.notify import TOLD, NotifyKeys

PATIENCE = 120
FAILED = Failed(1, "Müller\n.pdf", "read", "the password is missing")
ALL = NotifyKeys.model_validate({"on": list(TOLD), "webhook_url": "http://127.0.0.1:9/hook"})


class Hooks:
    """A server on this machine that keeps what it gets, and answers with `status`."""

    def __init__(self) -> None:
        self.got: queue.SimpleQueue[tuple[str, Any, str]] = queue.SimpleQueue()
        self.status = 200
        hooks = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hooks.got.put((self.path, json.loads(body), self.headers.get("Authorization", "")))
                self.send_response(hooks.status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Post(socketserver.StreamRequestHandler):
    """As much of SMTP as a letter needs."""

    server: Server

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().rstrip():
            self.server.said.append(line)
            match line.split()[0].upper():
                case "EHLO":
                    self._say("250-here")
                    self._say("250 AUTH PLAIN")
                case "AUTH":
                    self._say("235 fine")
                case "DATA":
                    self._say("354 go on")
                    letter = b"".join(iter(self.rfile.readline, b".\r\n"))
                    self.server.letters.append(letter.decode())
                    self._say("250 taken")
                case "STARTTLS":
                    self._say("502 not here")
                case _:
                    self._say("250 fine")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Post)
        self.said: list[str] = []
        self.letters: list[str] = []


@pytest.fixture(autouse=True)
def _last_words_take_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent at the end is looked for here: on a busy machine it takes longer than people should wait."""
    monkeypatch.setattr("paperchute.app.notices._LAST_SECONDS", PATIENCE)


@pytest.fixture(name="hooks")
def _hooks() -> Iterator[Hooks]:
    hooks = Hooks()
    yield hooks
    hooks.server.shutdown()
    hooks.server.server_close()


@pytest.fixture(name="post")
def _post() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(name="journal")
def _journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.sqlite")
    yield journal
    journal.close()


def notices(keys: NotifyKeys, journal: Journal) -> Notices:
    told = Notices(lambda: keys, journal, Stream(), lambda: 3)
    told.start()
    return told


def mail(post: Server, **more: Any) -> NotifyKeys:
    keys = {"mail_to": ["a@b.example", "c@d.example"], "mail_from": "me@here.example", "smtp_host": "127.0.0.1"}
    return NotifyKeys.model_validate(
        {
            **keys,
            "smtp_port": post.server_address[1],
            "smtp_security": "none",
            **more,
        }
    )


def test_a_letter_tells_of_many_at_once(post: Server, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_WORD", "0pen-sesame")
    told = notices(mail(post, smtp_user="me", smtp_password="env:POST_WORD"), journal)
    for number in range(30):
        told.hear(Failed(number, f"{number}.pdf", "read", "0pen-sesame opens it not"))
    told.close()
    (text,) = post.letters
    letter = message_from_string(text, policy=policy.default)
    assert (letter["Subject"], letter["To"]) == ("Paperchute: 30 failed", "a@b.example, c@d.example")
    body = letter.get_content()
    assert "0.pdf: *** opens it not" in body
    assert "and 10 more" in body
    assert any(line.startswith("AUTH") for line in post.said)


def test_a_server_without_encryption_gets_no_password(post: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POST_WORD", "0pen-sesame")
    keys = mail(post, smtp_user="me", smtp_password="env:POST_WORD", smtp_security="starttls")
    with pytest.raises(OutletError):
        send("mail", keys, Message("a", "b"))
    assert not any(line.startswith(("AUTH", "MAIL")) for line in post.said)


def test_hooks_get_json_and_their_token(hooks: Hooks, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "t0ken")
    keys = {
        "ntfy_url": f"{hooks.address}/my-topic",
        "ntfy_token": "env:HOOK_TOKEN",
        "webhook_url": f"{hooks.address}/x/y",
    }
    told = notices(NotifyKeys.model_validate(keys), journal)
    told.hear(FAILED)
    told.close()
    got = {path: (body, token) for path, body, token in (hooks.got.get(timeout=PATIENCE) for _ in range(2))}
    title, text = "Paperchute: 1 failed", "Müller\\x0a.pdf: the password is missing"
    assert got["/"] == ({"topic": "my-topic", "title": title, "message": text}, "Bearer t0ken")
    assert got["/x/y"] == ({"title": title, "text": text, "content": f"{title}\n{text}"}, "")


def test_what_could_not_be_sent_goes_out_after_the_next_start(hooks: Hooks, journal: Journal) -> None:
    keys = NotifyKeys(webhook_url=f"{hooks.address}/hook")
    hooks.status = 503
    told = notices(keys, journal)
    told.hear(FAILED)
    told.close()
    assert hooks.got.get(timeout=PATIENCE)[1]["title"] == "Paperchute: 1 failed"
    hooks.status = 200
    told = notices(keys, journal)
    told.close()
    assert hooks.got.get(timeout=PATIENCE)[1]["title"] == "Paperchute: 1 failed"
    assert journal.settings.get("notices") is None
    assert hooks.got.empty()


def test_nothing_of_an_address_is_told_when_it_does_not_work(hooks: Hooks) -> None:
    hooks.status = 302
    for address in (f"{hooks.address}/s3cret-path", "http://127.0.0.1:1/s3cret-path", "https://nowhere.invalid/s3cret"):
        with pytest.raises(OutletError) as error:
            send("webhook", NotifyKeys(webhook_url=address), Message("a", "b"))
        assert "s3cret" not in str(error.value)
    assert hooks.got.get(timeout=PATIENCE)[0] == "/s3cret-path"
    assert hooks.got.empty(), "a redirect leads elsewhere"


def test_a_digest_counts_what_ended_since_the_last(hooks: Hooks, journal: Journal) -> None:
    keys = NotifyKeys(webhook_url=f"{hooks.address}/hook", digest="daily 08:00")
    notices(keys, journal).close()
    assert hooks.got.empty(), "nobody asked for it before today"
    journal.settings.set("digest", "1000000.0")
    notices(keys, journal).close()
    assert hooks.got.get(timeout=PATIENCE)[1]["title"] == "Paperchute: 0 documents done, 3 things need you"
    notices(keys, journal).close()
    assert hooks.got.empty()


def test_what_is_over_is_not_told() -> None:
    news = News()
    for event in (
        Trouble("missing", "/hot", "gone"),
        Health("open", "away"),
        Trouble("missing", "/hot", "back", over=True),
        Health("closed"),
    ):
        news.hear(event, TOLD, 5.0)
    assert news.since == 0.0


EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Failed, st.integers(), st.text(), st.text(), st.text()),
    st.builds(
        Done, st.integers(), st.text(), st.text(), st.none(), st.text(), st.lists(st.text(), max_size=2).map(tuple)
    ),
    st.builds(Trouble, st.text(), st.text(), st.text(), st.booleans()),
    st.builds(Health, st.sampled_from(["closed", "open", "stopped"]), st.text()),
)


@given(st.lists(EVENTS, max_size=40), st.sets(st.sampled_from(TOLD)))
def test_a_message_has_a_title_of_one_line_and_no_more_lines_than_anybody_reads(
    events: list[Event], on: set[str]
) -> None:
    news = News()
    for event in events:
        news.hear(event, tuple(on), 1.0)
    message = news.message()
    assert message.title.isprintable()
    assert message.text.count("\n") <= 20
    assert bool(news.since) == bool(message.text or news.failed or news.warned or news.needs)
