"""People want to hear of a batch once, and never of a missing notification service."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import desktop_notifier.main
import pytest
from desktop_notifier.backends.dummy import DummyNotificationCenter
from hypothesis import given
from hypothesis import strategies as st

from paperchute.desktop.notify import BurstSummary, Ending, Message, Notifier
from tests.desktop.conftest import PATIENCE

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a session bus")


def test_every_file_of_a_batch_rings_the_bell() -> None:
    summary = BurstSummary(quiet=3)
    for second in range(100):
        summary.add(f"{second}.pdf", "failed" if second == 40 else "warned" if second in (7, 9) else "done", now=second)
        assert summary.take(second + 2.9) is None
    assert summary.take(102) == Message(
        "97 done, 2 done with warnings, 1 failed", "40.pdf. The text beside it says why."
    )
    assert summary.take(200) is None


def test_one_file_is_announced_like_a_batch() -> None:
    summary = BurstSummary(quiet=3)
    summary.add("a.pdf", "done", now=0)
    assert summary.take(3) == Message("a.pdf is done", "")
    summary.add("b.pdf", "failed", now=5)
    assert summary.take(8) == Message("b.pdf failed", "The text beside it says why.")
    summary.add("c.pdf", "warned", now=9)
    where = "The .warnings.txt file in the failed folder says what is missing."
    assert summary.take(12) == Message("c.pdf is done with warnings", where)


@given(st.lists(st.tuples(st.sampled_from(get_args(Ending)), st.floats(0, 10)), max_size=50), st.floats(0.1, 5))
def test_an_end_is_counted_twice_or_not_at_all(ends: list[tuple[Ending, float]], quiet: float) -> None:
    summary = BurstSummary(quiet)
    now, told = 0.0, 0
    for ending, pause in ends:
        now += pause
        told += count(summary.take(now))
        summary.add("x", ending, now=now)
    told += count(summary.take(now + quiet * 1.01))
    assert told == len(ends)
    assert summary.wait(now) is None
    assert summary.finish() is None


def count(message: Message | None) -> int:
    if message is None:
        return 0
    if message.title.startswith("x"):
        return 1
    return sum(int(part.split()[0]) for part in message.title.split(", "))


@pytest.fixture
def shown(session_bus: object) -> Iterator[queue.SimpleQueue[tuple[str, str]]]:
    """Title and body of each notification that the desktop got."""
    import asyncio

    from dbus_fast.aio import MessageBus

    from tests.desktop.bus_services import Notifications

    heard: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    ready, end = threading.Event(), threading.Event()

    async def serve() -> None:
        bus = await MessageBus().connect()
        bus.export("/org/freedesktop/Notifications", Notifications(heard))
        await bus.request_name("org.freedesktop.Notifications")
        ready.set()
        await asyncio.to_thread(end.wait)
        bus.disconnect()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(PATIENCE)
    yield heard
    end.set()
    thread.join(PATIENCE)


@linux
def test_a_batch_arrives_on_the_desktop_as_many_notifications(shown: queue.SimpleQueue[tuple[str, str]]) -> None:
    notifier = Notifier(print, quiet=0.2)
    for number in range(50):
        notifier.done(f"{number}.pdf")
    assert shown.get(timeout=PATIENCE) == ("50 done", "0.pdf, 1.pdf, 2.pdf and 47 more.")
    notifier.close()
    assert shown.empty()


@linux
def test_a_file_name_is_read_as_markup_or_steers_the_desktop(shown: queue.SimpleQueue[tuple[str, str]]) -> None:
    notifier = Notifier(print, quiet=1000)
    notifier.say("Failed: <b>", "<a href='x'>&\x1b[2J\n")
    notifier.close()
    assert shown.get(timeout=PATIENCE) == ("Failed: <b>", "&lt;a href='x'&gt;&amp;\\x1b[2J\\x0a")


@linux
def test_the_last_batch_before_the_end_is_never_told(shown: queue.SimpleQueue[tuple[str, str]]) -> None:
    notifier = Notifier(print, quiet=1000)
    notifier.failed("a.pdf")
    notifier.close()
    assert shown.get(timeout=PATIENCE)[0] == "a.pdf failed"


@linux
@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "garbled", None])
def test_a_machine_without_notifications_stops_the_work(
    address: str | None, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    if address is None:
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    else:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    notifier = Notifier(print, quiet=0.01)
    notifier.done("a.pdf")
    notifier.say("Title", "Text")
    notifier.close()
    notifier.done("after the end")
    assert "Traceback" not in capfd.readouterr().err


@linux
def test_what_is_no_app_bundle_shows_nothing_on_macos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for `osascript` keeps its words; desktop-notifier is as it is without a bundle."""
    heard = tmp_path / "heard"
    (tmp_path / "osascript").write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >>'{heard}'\n", "utf-8")
    (tmp_path / "osascript").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(desktop_notifier.main, "get_backend_class", lambda: DummyNotificationCenter)
    monkeypatch.setattr(sys, "platform", "darwin")
    notifier = Notifier(print, quiet=1000)
    notifier.say('-e do "x"', '" & (do shell script "touch /tmp/x") & "\\')
    notifier.close()
    *script, name, title, text = heard.read_text("utf-8").splitlines()
    lines = ["on run argv", "display notification (item 3 of argv) with title (item 2 of argv)", "end run"]
    assert script == [word for line in lines for word in ("-e", line)]
    assert (name, title, text) == ("Paperchute", '-e do "x"', '" & (do shell script "touch /tmp/x") & "\\')
