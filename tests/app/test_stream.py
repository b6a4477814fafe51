"""The events of a real daemon: every job's life is told whole and in order, to everybody, whatever they do with it."""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.app import daemon as daemon_module
from paperchute.app.daemon import Daemon
from paperchute.app.places import State
from paperchute.events import (
    Done,
    Event,
    Failed,
    Found,
    Health,
    NeedsAttention,
    Pages,
    Postponed,
    Queued,
    Status,
    StepStarted,
    Stream,
    Trouble,
    Waiting,
)
from paperchute.rules.file import load
from paperchute.service.model import Call, ServiceError
from tests.jobs.scripted import Scripted

LONG = 120.0  # seconds: the end of a hang, not a measure
PDF = b"%PDF-1.7\ncontent\n%%EOF\n"
RULES = """
version = 1
[[rule]]
name = "Read"
folder = "read"
operation = "pdf-to-markdown"
retries = 0
[[rule]]
name = "Twice"
folder = "twice"
retries = 0
steps = [{ operation = "pdf-to-editable" }, { operation = "pdf-to-markdown" }]
[[rule]]
name = "Bundle"
folder = "bundle"
gather = "folder"
operation = "pdf-merge"
retries = 0
"""
ANOTHER = '[[rule]]\nname = "Late"\nfolder = "late"\noperation = "pdf-to-markdown"\nretries = 0\n'


class Ear:
    """A subscriber that keeps what it hears."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def hear(self, event: Event, /) -> None:
        self.events.append(event)

    def of(self, *kinds: type) -> list[Any]:
        return [event for event in self.events.copy() if isinstance(event, kinds)]


class Failing(Ear):
    """One that falls over everything."""

    def hear(self, event: Event, /) -> None:
        raise ValueError("told")


class Hanging(Ear):
    """One that is stuck in its first event until it is freed."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    def hear(self, event: Event, /) -> None:
        self.free.wait(LONG)
        super().hear(event)


class ScriptedServices:
    """In the place of the engine and its client: what a file's name says happens to it."""

    service = Scripted()

    def __init__(self, *_: object) -> None:
        self.service.on_call = self._call

    def _call(self, call: Call) -> None:
        path = call.files[0][1]
        name = f"{path.parent.name}/{path.name}"
        call.on_pages(1, 2)
        if "refused" in name:
            raise ServiceError(f"{name} is refused.", "Take another.", kind="refused", code="01001")
        if "gone" in name:
            path.unlink()
        if Weather.down:
            raise ServiceError("The service does not answer.", "Wait.", kind="down")

    def client(self, name: str) -> Scripted:
        return self.service

    def client_of(self, *_: object) -> Scripted:
        return self.service

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def keep_alive(self) -> None: ...
    def look_at_assets(self) -> None: ...

    def check(self, *_: object) -> None:
        if Weather.down:
            raise ServiceError("The service does not answer.", "Wait.", kind="down")

    def assets(self) -> dict[str, object]:
        return {}

    def replace(self, settings: object) -> None: ...


class Weather:
    """Whether the service answers."""

    down = False


class House:
    """A place with rules and a daemon that may be started several times."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.rules = base / "rules.toml"
        self.rules.write_text(RULES, "utf-8")
        self.ear = Ear()
        self.others: list[Ear] = []
        self.dropped: set[Path] = set()
        self.daemon: Daemon | None = None

    def start(self) -> Daemon:
        self.daemon = Daemon(load(self.rules), State(self.base / "state"), (self.ear, *self.others))
        self.daemon.start()
        self.until_idle()  # what comes now is seen as it comes
        return self.daemon

    def stop(self) -> None:
        if self.daemon is not None:
            self.daemon.stop()
            self.daemon = None

    def until(self, true: Callable[[], object]) -> None:
        end = time.monotonic() + LONG
        while not true():
            assert self.daemon is not None
            assert time.monotonic() < end, self.ear.events[-10:]
            self.daemon.tick()
            time.sleep(0.01)

    def until_idle(self) -> None:
        """Until all that was dropped was found, and everything was done with it."""
        assert self.daemon is not None
        idle = self.daemon.idle
        self.until(lambda: self.dropped <= {event.path for event in self.ear.of(Found)} and idle())

    def drop(self, folder: str, name: str) -> None:
        """A person moves a file, or a folder of two, into a hot folder."""
        made = self.base / "elsewhere" / name
        own = b"%b %b" % (PDF, name.encode())  # a file that goes while it is at work is known again by what it holds
        made.parent.mkdir(exist_ok=True)
        if folder == "bundle":
            made.mkdir()
            for part in ("1.pdf", "2.pdf"):
                (made / part).write_bytes(own + part.encode())
        else:
            made.write_bytes(own)
        shutil.move(made, self.base / folder / name)
        self.dropped.add(self.base / folder / name)


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_module, "Services", ScriptedServices)
    Weather.down = False


@contextmanager
def house() -> Iterator[House]:
    with TemporaryDirectory() as base:
        made = House(Path(base))
        try:
            yield made
        finally:
            made.stop()


def lives(events: list[Event]) -> dict[int, list[Any]]:
    """The events of each job."""
    found: dict[int, list[Any]] = {}
    for event in events:
        if isinstance(event, Queued | StepStarted | Pages | Done | Failed | Postponed):
            found.setdefault(event.job, []).append(event)
    return found


def check_life(life: list[Any], steps: int) -> None:
    """Queued; then runs, each of which begins its steps in order and ends by itself; and one end for good."""
    first, *rest = life
    assert isinstance(first, Queued), life
    assert [event for event in rest if isinstance(event, Queued)] == []
    ends = [event for event in rest if isinstance(event, Done | Failed) or _is_cancelled(event)]
    assert ends == rest[-1:], "one end, and nothing after it"
    step = 0
    for event in rest:
        match event:
            case StepStarted():
                assert event.step in (step, step + 1), "a step begins after the one before it, or again"
                assert event.steps == steps
                step = event.step
            case Pages():
                assert step, "pages are of a step that has begun"
    if isinstance(rest[-1], Done):
        assert step == steps


def _is_cancelled(event: Event) -> bool:
    return isinstance(event, Postponed) and event.why == "cancelled"


drops = st.lists(
    st.sampled_from(
        [*itertools.product(["read", "twice"], ["good", "refused", "gone"]), ("bundle", "good"), ("bundle", "refused")]
    ),
    max_size=8,
)
few = settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))


def dropped(place: House, batch: str, found: list[tuple[str, str]]) -> int:
    for number, (folder, what) in enumerate(found):
        place.drop(folder, f"{batch} {number} {what}" + ("" if folder == "bundle" else ".pdf"))
    return len(found)


def check(place: House, count: int) -> None:
    """All that was dropped has been told of whole."""
    found = lives(place.ear.events)
    assert len(found) == count
    for life in found.values():
        check_life(life, 2 if life[0].rule == "Twice" else 1)
        heard = place.ear.events
        complete = next(i for i, event in enumerate(heard) if isinstance(event, Found) and event.path == life[0].path)
        assert complete < heard.index(life[0]), "found before it is queued"


@few
@given(drops, drops)
def test_every_life_is_told_whole_and_in_order(before: list[tuple[str, str]], after: list[tuple[str, str]]) -> None:
    """Over a restart, too, and while other rules come into force."""
    with house() as place:
        place.start()
        count = dropped(place, "a", before)
        place.until_idle()
        place.rules.write_text(RULES + ANOTHER, "utf-8")
        place.until(lambda: (place.base / "late").is_dir())
        count += dropped(place, "b", after)
        place.drop("late", "z good.pdf")
        place.until_idle()
        place.stop()
        place.start()
        place.drop("read", "c good.pdf")
        place.until_idle()
        place.stop()
        check(place, count + 2)


def test_a_job_that_a_restart_cuts_in_two_is_told_as_one(tmp_path: Path) -> None:
    place = House(tmp_path)
    Weather.down = True
    place.start()
    place.drop("twice", "a good.pdf")
    place.until(lambda: place.ear.of(Postponed) and place.ear.of(Health))
    place.stop()
    Weather.down = False
    place.start()
    place.stop()
    check(place, 1)
    (postponed,) = place.ear.of(Postponed)
    assert postponed.why == "service"
    assert [event.state for event in place.ear.of(Health)] == ["open"]


def test_one_who_fails_or_hangs_holds_up_nobody(tmp_path: Path) -> None:
    place = House(tmp_path)
    hanging, second = Hanging(), Ear()
    place.others = [Failing(), hanging, second]
    try:
        place.start()
        for number in range(5):
            place.drop("read", f"{number} good.pdf")
        place.until(lambda: len(place.ear.of(Done)) == 5)
        assert hanging.events == []
    finally:
        hanging.free.set()
        place.stop()
    assert len(list((tmp_path / "read.out").iterdir())) == 5
    assert place.ear.events == second.events == hanging.events, "in one order for all of them"


def test_what_waits_what_is_wrong_and_what_needs_somebody_is_told(tmp_path: Path) -> None:
    place = House(tmp_path)
    place.start()
    unfinished = tmp_path / "read" / "cut.pdf"
    unfinished.write_bytes(PDF[:12])
    place.drop("read", "refused.pdf")
    place.rules.write_text(RULES.replace("operation", "operatoin"), "utf-8")
    place.until(lambda: place.ear.of(Waiting) and place.ear.of(Trouble) and place.ear.of(NeedsAttention))
    (waiting,) = place.ear.of(Waiting)
    assert (waiting.path, waiting.reason) == (unfinished, "incomplete")
    (trouble,) = place.ear.of(Trouble)
    assert (trouble.kind, trouble.over) == ("rules", False)
    assert "the previous rules stay in force" in trouble.message
    unfinished.write_bytes(PDF)
    place.rules.write_text(RULES, "utf-8")
    place.until(lambda: place.ear.of(Trouble)[-1].over and place.ear.of(Waiting)[-1].over)
    place.until(lambda: place.ear.of(Status)[-1].attention == 1)
    place.stop()
    (failed,) = place.ear.of(Failed)
    assert failed.reason in dict(place.ear.of(Status)[-1].failures)[str(failed.job)]
    assert place.ear.of(NeedsAttention)[-1] == NeedsAttention(1)


def test_what_comes_after_the_end_is_heard_by_nobody() -> None:
    stream, ear = Stream(), Ear()
    stream.subscribe(ear)
    stream.publish(NeedsAttention(1))
    assert stream.close(LONG)
    stream.publish(NeedsAttention(2))
    assert stream.close(LONG)
    assert ear.events == [NeedsAttention(1)]


def test_a_hanging_subscriber_does_not_keep_the_stream_open() -> None:
    stream, hanging = Stream(), Hanging()
    stream.subscribe(hanging)
    stream.publish(NeedsAttention(1))
    assert not stream.close(0.05)
    hanging.free.set()
    assert stream.close(LONG)


def test_one_who_hangs_for_days_fills_no_memory_with_pictures_of_the_moment() -> None:
    stream, hanging, ear = Stream(), Hanging(), Ear()
    stream.subscribe(hanging)
    stream.subscribe(ear)
    for number in range(30_000):
        stream.publish(Pages(1, number, 30_000))
    stream.publish(Found(Path("/hot/a.pdf")))
    assert stream._lines[0].events.qsize() <= 10_001
    hanging.free.set()
    assert stream.close(LONG)
    assert len(hanging.of(Found)) == len(ear.of(Found)) == 1, "what happens is kept for everybody"
