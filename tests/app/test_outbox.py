"""Servers that lie, hang, cut off and refuse: a message goes out once, what waits is one, and people are told."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from email import message_from_string, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from paperchute.app import outbox, outlets
from paperchute.app.outbox import Outbox
from paperchute.app.outlets import Message, OutletError, PartlySentError, send
from paperchute.events import Event, Trouble
from paperchute.jobs.journal import Journal
from paperchute.rules.notify import NotifyKeys

PATIENCE = 120
MESSAGE = Message("Paperchute: 1 failed", "a.pdf: the password is missing")


class Post(socketserver.StreamRequestHandler):
    """A mail server that lies where its test says so: `lies` has an answer, or what to do, by the command."""

    server: Any

    def handle(self) -> None:
        goes_on = self._answer("", "220 here")
        while goes_on and (line := self.rfile.readline().decode().strip()):
            self.server.heard.append(line)
            if line == "data":
                self._say("354 go on")
                letter = b"".join(iter(self.rfile.readline, b".\r\n"))
                self.server.letters.append(letter.decode())
            goes_on = self._answer(line, "250-here\r\n250 AUTH PLAIN" if line.startswith("ehlo") else "250 fine")

    def finish(self) -> None:
        """However a conversation ends: on a slow machine perhaps before it has come to where its test lies."""
        self.server.hung_up.set()
        super().finish()

    def _answer(self, line: str, fine: str) -> bool:
        """Whether the conversation goes on."""
        lies = (
            lie for begin, lie in self.server.lies.items() if (line.lower().startswith(begin) if begin else not line)
        )
        lie = next(lies, fine)
        if callable(lie):
            lie(self)
            return False
        self._say(lie)
        return True

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Post)
        self.heard: list[str] = []
        self.letters: list[str] = []
        self.lies: dict[str, str | Callable[[Post], object]] = {}
        self.hung_up = threading.Event()
        self.chattered = 0

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever was cut off is no news."""


@pytest.fixture(name="post")
def _post() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class Events(list[Event]):
    def publish(self, event: Event, /) -> None:
        self.append(event)


@pytest.fixture(name="events")
def _events() -> Events:
    return Events()


@pytest.fixture(name="journal")
def _journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.sqlite")
    yield journal
    journal.close()


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "PAUSES", (0.0,))


def mail(post: Server, **more: Any) -> NotifyKeys:
    return NotifyKeys.model_validate(
        {
            "mail_to": ["a@b.example", "c@d.example"],
            "mail_from": "me@here.example",
            "smtp_host": "127.0.0.1",
            "smtp_port": post.server_address[1],
            "smtp_security": "none",
            **more,
        }
    )


def cut(post: Post) -> None:
    post.connection.shutdown(socket.SHUT_RDWR)


def trickle(post: Post) -> None:
    """Something now and then, for ever, until somebody hangs up."""
    try:
        while True:
            post.wfile.write(b"2")
            if post.connection.recv(1, socket.MSG_PEEK) == b"":
                break
    except OSError:
        pass


def chatter(post: Post) -> None:
    """Lines without end; how many were taken is what the test wants to know."""
    try:
        while post.server.chattered < 1 << 30:
            post.server.chattered += post.connection.send(b"250-and more of it\r\n" * 1000)
    except OSError:
        pass


def heads(post: Server) -> list[Any]:
    return [message_from_string(letter, policy=policy.default) for letter in post.letters]


def test_a_letter_whose_receipt_was_cut_off_is_the_same_letter_when_it_comes_again(
    post: Server, journal: Journal, events: Events
) -> None:
    box = Outbox(journal, events)
    box.put(MESSAGE, ["mail"])
    post.lies["data"] = cut
    box.send(mail(post))
    post.lies.clear()
    box = Outbox(journal, events)
    box.load()  # even by the next process
    box.send(mail(post))
    first, second = heads(post)
    assert first["Message-ID"] == second["Message-ID"]
    assert box.send(mail(post)) is None


def test_who_was_refused_is_told_of_and_the_others_get_no_second_letter(
    post: Server, journal: Journal, events: Events
) -> None:
    post.lies["rcpt to:<c@d.example>"] = "550 no such user"
    box = Outbox(journal, events)
    box.put(MESSAGE, ["mail"])
    box.send(mail(post))
    box.put(Message("Paperchute: 2 failed", "b.pdf: broken"), ["mail"])
    for _ in range(2):
        box.send(mail(post))
    assert len(post.letters) == 2, "each message once for who takes it"
    troubles = [event.message for event in events if isinstance(event, Trouble) and not event.over]
    assert "c@d.example" in troubles[-1]
    assert "2 messages wait" in troubles[-1]
    post.lies.clear()
    post.heard.clear()
    box.send(mail(post))
    assert {line.lower() for line in post.heard if line.startswith("rcpt")} == {"rcpt to:<c@d.example>"}
    assert box.send(mail(post)) is None
    assert isinstance(events[-1], Trouble)
    assert events[-1].over


@pytest.mark.parametrize("lie", [trickle, cut])
def test_what_comes_after_a_letter_was_taken_does_not_send_it_again(
    lie: Callable[[Post], None], post: Server, journal: Journal, events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlets, "WHOLE_SECONDS", 5.0)
    post.lies["quit"] = lie
    box = Outbox(journal, events)
    box.put(MESSAGE, ["mail"])
    assert box.send(mail(post)) is None
    assert len(post.letters) == 1


@pytest.mark.parametrize("where", ["", "ehlo", "mail from", "data"])
def test_who_is_not_waited_for_any_more_is_hung_up_on(
    where: str, post: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlets, "WHOLE_SECONDS", 0.5)
    post.lies[where] = trickle
    with pytest.raises(OutletError, match="does not answer"):
        send("mail", mail(post), MESSAGE)
    assert post.hung_up.wait(PATIENCE), "the letter may go out behind our back, and again later"


def test_one_who_hangs_before_the_encryption_stands_is_hung_up_on(
    post: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlets, "WHOLE_SECONDS", 0.5)
    post.lies[""] = lambda one: one.rfile.read()
    with pytest.raises(OutletError, match="does not answer"):
        send("mail", mail(post, smtp_security="tls"), MESSAGE)
    assert post.hung_up.wait(PATIENCE)


def test_a_connection_that_comes_too_late_is_hung_up_on() -> None:
    """Else the message went out by it after all, and once more when it is tried again."""
    given_up, hung_up = threading.Event(), threading.Event()

    def work(hold: outlets.Hold) -> tuple[str, ...]:
        assert given_up.wait(PATIENCE)
        hold(hung_up.set)
        return ()

    with pytest.raises(TimeoutError):
        outlets.within(0.1, work)
    given_up.set()
    assert hung_up.wait(PATIENCE)


@pytest.mark.parametrize("where", ["", "ehlo"])
def test_a_server_that_never_stops_talking_does_not_fill_the_memory(where: str, post: Server) -> None:
    post.lies[where] = chatter
    with pytest.raises(OutletError, match="closed the connection"):
        send("mail", mail(post), MESSAGE)
    assert post.hung_up.wait(PATIENCE)
    assert post.chattered < 100 * outlets.MOST_REPLY


@pytest.mark.parametrize(
    ("lies", "keys", "said"),
    [
        ({"auth": "535 wrong"}, {"smtp_user": "me", "smtp_password": "env:POST_WORD"}, "name or the password"),
        ({}, {"smtp_security": "starttls"}, "encryption"),
        ({"": "554 go away 0pen-sesame"}, {}, "answered 554"),
        ({"": cut}, {}, "closed the connection"),
        ({"": "220 here"}, {"smtp_security": "tls"}, "no encrypted connection"),
        ({"mail from": "550 no"}, {}, "mail from me@here.example"),
        ({"rcpt to": "550 no"}, {}, "does not accept a@b.example, c@d.example"),
        ({"ehlo": "250-here\r\n250 STARTTLS", "starttls": "220 go on"}, {"smtp_security": "starttls"}, "encrypted"),
    ],
    ids=["password", "stripped", "busy", "cut", "plain", "sender", "recipients", "no handshake"],
)
def test_why_no_letter_goes_out_is_said_in_words(
    lies: dict[str, Any], keys: dict[str, str], said: str, post: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POST_WORD", "0pen-sesame")
    post.lies.update(lies)
    with pytest.raises(OutletError) as error:
        send("mail", mail(post, **keys), MESSAGE)
    assert said in error.value.what
    assert "0pen-sesame" not in error.value.what
    assert not isinstance(error.value, PartlySentError)
    assert not post.letters


# ---------- hooks ----------


class Hooks:
    def __init__(self) -> None:
        self.got: list[tuple[Any, str]] = []
        self.status = 200
        hooks = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                hooks.got.append((body, self.headers.get("Idempotency-Key", "")))
                self.send_response(hooks.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.keys = NotifyKeys(webhook_url=f"http://127.0.0.1:{self.server.server_port}/s3cret-hook")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(name="hooks")
def _hooks() -> Iterator[Hooks]:
    hooks = Hooks()
    yield hooks
    hooks.server.shutdown()
    hooks.server.server_close()


def test_all_that_waited_for_a_server_comes_as_one_and_nothing_is_left_out_unsaid(
    hooks: Hooks, journal: Journal, events: Events
) -> None:
    hooks.status = 500
    box = Outbox(journal, events)
    for number in range(60):
        box.put(Message(f"Paperchute: {number} failed", f"{number}.pdf: broken"), ["webhook"])
    box.send(hooks.keys)
    first = hooks.got[-1]
    box.send(hooks.keys)
    assert hooks.got[-1] == first, "the same, under the same key"
    hooks.status = 200
    box = Outbox(journal, events)
    box.load()
    box.send(hooks.keys)
    assert hooks.got[-1] == first
    body = first[0]
    assert body["title"] == "Paperchute: 60 messages that could not be sent before"
    assert body["text"].startswith("10 earlier messages are left out.")
    assert "Paperchute: 10 failed\n10.pdf: broken" in body["text"]
    assert box.send(hooks.keys) is None
    box.put(MESSAGE, ["webhook"])
    box.send(hooks.keys)
    assert hooks.got[-1][0]["title"] == MESSAGE.title
    assert hooks.got[-1][1] != first[1]


def test_a_way_that_keeps_failing_is_told_until_it_does_not(hooks: Hooks, journal: Journal, events: Events) -> None:
    hooks.status = 500
    box = Outbox(journal, events)
    box.put(MESSAGE, ["webhook"])
    box.send(hooks.keys)
    assert events == [], "one failure is often over a minute later"
    box.send(hooks.keys)
    (trouble,) = events
    assert isinstance(trouble, Trouble)
    assert (trouble.kind, trouble.over) == ("notify", False)
    assert "the server answered 500" in trouble.message
    assert "1 message waits" in trouble.message
    assert "s3cret" not in trouble.message
    hooks.status = 200
    box.send(hooks.keys)
    assert isinstance(events[-1], Trouble)
    assert (events[-1].over, events[-1].subject) == (True, trouble.subject)


def test_a_way_that_is_taken_out_of_the_rules_is_no_trouble_any_more(
    hooks: Hooks, journal: Journal, events: Events
) -> None:
    hooks.status = 500
    box = Outbox(journal, events)
    box.put(MESSAGE, ["webhook"])
    for _ in range(2):
        box.send(hooks.keys)
    assert box.send(NotifyKeys()) is None
    assert [event.over for event in events if isinstance(event, Trouble)] == [False, True]


def test_whoever_mends_the_rules_does_not_wait_for_the_next_hour(
    hooks: Hooks, journal: Journal, events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "PAUSES", (3600.0,))
    hooks.status = 500
    box = Outbox(journal, events)
    box.put(MESSAGE, ["webhook"])
    box.send(hooks.keys)
    hooks.status = 200
    assert box.send(hooks.keys) is not None
    assert len(hooks.got) == 1
    assert box.send(hooks.keys.model_copy(update={"gather": 61})) is None
    assert len(hooks.got) == 2


def test_a_message_outlives_a_process_that_is_killed_while_it_sends(
    hooks: Hooks, journal: Journal, events: Events
) -> None:
    Outbox(journal, events).put(MESSAGE, ["webhook"])  # and nothing else comes
    box = Outbox(journal, events)
    box.load()
    box.send(hooks.keys)
    assert [body["title"] for body, _key in hooks.got] == [MESSAGE.title]
