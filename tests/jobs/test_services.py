"""Several services: each call goes to its own, another one does it where that is said, and none is paid twice."""

from __future__ import annotations

import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperchute.jobs import originals
from paperchute.jobs.dispatcher import Dispatcher
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.schema import MIGRATIONS
from paperchute.jobs.model import Job, Outcome
from paperchute.jobs.runner import Runner
from paperchute.jobs.switchboard import Circuits
from paperchute.jobs.work import Settings
from paperchute.rules.tables import Step
from paperchute.service.client import ServiceClient
from paperchute.service.model import Call, ServiceAddress, ServiceError
from tests.jobs.makers import make_rule, new_job
from tests.jobs.scripted import Scripted
from tests.observers import Told
from tests.service.script import Asked, Reply, Script, envelope, scripted

LONG = 60.0
ACME_OR_HOME = (Step("pdf-to-markdown", {}, service="acme", **{"or": "home"}),)


class House:
    """A journal and a runner over services by name."""

    def __init__(self, base: Path, services: dict[str, Any], **more: Any) -> None:
        self.count = 0
        self.hot = base / "hot"
        self.hot.mkdir(exist_ok=True)
        (base / "work").mkdir(exist_ok=True)
        self.journal = Journal(base / "journal.sqlite")
        self.services = services
        self.events = Told()
        self.circuits = Circuits(self.events, lambda: tuple(services))
        self.settings = Settings(base / "work", away=self.circuits.away, **more)
        self.runner = Runner(self.journal, lambda name: self.services[name], self.settings, self.events)

    def queue(self, name: str = "a.pdf", **rule: Any) -> Job:
        path = self.hot / name
        if not path.exists():  # else it was brought back
            path.write_bytes(b"%PDF-1.7 " + name.encode() + b" %%EOF")
        assert self.journal.inserts.open_job(new_job(make_rule(self.hot, **{"steps": ACME_OR_HOME, **rule}), path))
        return self.next()

    def next(self) -> Job:
        self.journal.queue.recover()
        self.journal.queue.retry_now()
        job = self.journal.queue.next()
        assert job is not None
        return job

    def run(self, **rule: Any) -> Outcome:
        return self.runner.run(self.queue(**rule))

    def again(self) -> Outcome:
        return self.runner.run(self.next())


def answered(script: Script) -> Callable[[Asked], Reply | None]:
    return lambda asked: Reply(b"# ok") if asked.path == "/result" else envelope([script.record()])


def spent(_: Asked) -> Reply:
    return Reply(b'{"code": "402", "msg": "no units"}', 402)


def lost(asked: Asked) -> Reply | None:
    return None if "/process/" in asked.path else Reply(status=500)


def processed(script: Script) -> int:
    return sum("/process/" in asked.path for asked in script.asked)


@pytest.fixture(name="two")
def _two(tmp_path: Path) -> Iterator[tuple[House, Script, Script]]:
    """Two services on loopback, each with a key of its own."""
    with ExitStack() as stack:
        acme, home = stack.enter_context(scripted()), stack.enter_context(scripted())
        home.answer = answered(home)
        addresses = {
            "acme": ServiceAddress(acme.url, "the-key-of-acme", mode="sync"),
            "home": ServiceAddress(home.url, "the-key-of-home", mode="sync"),
        }
        clients = {name: ServiceClient(address) for name, address in addresses.items()}
        for client in clients.values():
            stack.callback(client.close)
        yield House(tmp_path, clients), acme, home


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def gone(house: House) -> None:
    """From now on nobody answers where acme was."""
    house.services["acme"] = ServiceClient(ServiceAddress(f"http://127.0.0.1:{free_port()}", "the-key-of-acme"))


def test_another_service_does_what_is_spent_and_says_so(two: tuple[House, Script, Script]) -> None:
    house, acme, home = two
    acme.answer = spent
    outcome = house.run()
    assert (outcome.kind, outcome.job.state) == ("done", "warned")
    assert "was done by home, since acme was away or had no calls or units left" in outcome.job.warnings[0]
    assert (processed(acme), processed(home)) == (1, 1)
    assert house.journal.calls.services(outcome.job.id) == [(0, "home")]
    history = [event.text for event in house.journal.history.events(outcome.job.id)]
    assert "step 1: pdf-to-markdown (acme)" in history
    assert "step 1: pdf-to-markdown (home)" in history
    assert any(text.startswith("step 1: acme: The service has no units left.") for text in history)
    assert house.circuits.of("acme").stopped_by == "quota"
    assert house.circuits.of("home").state == "closed"


def test_another_service_does_what_nobody_has_taken(two: tuple[House, Script, Script]) -> None:
    house, _, home = two
    gone(house)
    outcome = house.run()
    assert (outcome.job.state, processed(home)) == ("warned", 1)
    assert house.circuits.of("acme").state == "down"


def test_a_lost_call_is_never_sent_to_another_service(two: tuple[House, Script, Script]) -> None:
    house, acme, home = two
    acme.answer = lost
    assert house.run().kind == "waiting"
    gone(house)  # it is away by now, and may have done it all the same
    assert house.again().kind == "service"
    house.services["acme"] = ServiceClient(ServiceAddress(acme.url, "the-key-of-acme", mode="sync"))
    acme.answer = spent
    assert house.again().kind == "service", "of this try alone is it known that it was not taken"
    gone(house)
    assert house.again().kind == "service"
    assert processed(home) == 0
    house.services["acme"] = ServiceClient(ServiceAddress(acme.url, "the-key-of-acme", mode="sync"))
    acme.answer = answered(acme)
    outcome = house.again()
    assert (outcome.job.state, outcome.job.warnings, processed(home)) == ("done", (), 0)
    assert house.journal.calls.services(outcome.job.id) == [(0, "acme")]


def test_what_a_busy_service_may_have_taken_is_not_sent_to_another_one(two: tuple[House, Script, Script]) -> None:
    house, acme, home = two
    acme.answer = lambda asked: Reply(b"busy", 503)
    assert house.run().kind == "waiting"
    gone(house)
    assert house.again().kind == "service"
    assert processed(home) == 0


@pytest.mark.parametrize("second", ["nothing", "no units", "begun"])
def test_a_task_that_may_have_begun_is_not_sent_to_another_one(two: tuple[House, Script, Script], second: str) -> None:
    house, acme, home = two
    house.services["acme"] = ServiceClient(ServiceAddress(acme.url, "the-key-of-acme", mode="secure"))
    starts: list[str] = []

    def answer(asked: Asked) -> Reply | None:
        if "/presignedUrl/" in asked.path:
            return envelope({"taskId": "t1", "presignedUrl": f"{acme.url}/place"})
        if asked.path.startswith("/v2/execute/start"):
            starts.append(asked.path)
            if len(starts) == 1 or second == "nothing":
                return None
            return spent(asked) if second == "no units" else Reply(b'{"code": "05002", "msg": "started"}')
        if asked.path.startswith("/v2/task/taskInfo"):
            return envelope(acme.record())
        return Reply(b"# ok") if asked.path == "/result" else Reply()

    acme.answer = answer
    outcome = house.run()
    assert processed(home) == 0
    assert len(starts) == 2
    assert house.journal.calls.this_month("acme") == 1
    if second == "begun":
        assert outcome.job.state == "done"
    else:
        assert outcome.kind == "waiting"
        gone(house)
        assert house.again().kind == "service"
        assert processed(home) == 0


def test_a_refused_key_waits_for_a_person(two: tuple[House, Script, Script]) -> None:
    house, acme, home = two
    acme.answer = lambda asked: Reply(b'{"code": "401"}', 401)
    outcome = house.run()
    assert (outcome.kind, processed(home)) == ("service", 0)
    assert outcome.error is not None
    assert outcome.error.service == "acme"
    assert str(outcome.error).startswith("acme: The service refuses the API key.")


def test_no_key_of_one_goes_to_the_other(two: tuple[House, Script, Script]) -> None:
    house, acme, home = two
    acme.answer = spent
    house.run()
    assert acme.asked
    assert home.asked
    for script, own, other in ((acme, b"acme", b"home"), (home, b"home", b"acme")):
        sent = b"".join(repr(asked).encode() for asked in script.asked)
        assert b"the-key-of-" + own in sent
        assert b"the-key-of-" + other not in sent


def test_a_month_s_calls_are_counted_by_service(tmp_path: Path) -> None:
    services = {"acme": Scripted(repeatable=False), "home": Scripted(repeatable=False)}
    house = House(tmp_path, services, monthly_calls=lambda name: {"acme": 1}.get(name))
    assert house.run().job.state == "done"
    outcome = house.run(name="b.pdf")
    assert (outcome.job.state, len(services["acme"].calls), len(services["home"].calls)) == ("warned", 1, 1)
    month = house.journal.calls.this_month
    assert (month("acme"), month("home"), month()) == (1, 1, 0)


def test_a_task_of_the_other_service_is_asked_of_that_one_after_a_crash(tmp_path: Path) -> None:
    services = {"acme": Scripted(repeatable=False), "home": Scripted(repeatable=False)}
    house = House(tmp_path, services)
    job = house.queue()
    house.journal.calls.intend(job, 0, service="home", receipt=True)
    house.journal.calls.submitted(job, 0, "", "task-of-home", None, receipt=True)
    outcome = house.again()
    assert (services["home"].resumed, services["acme"].resumed, services["acme"].calls) == (["task-of-home"], [], [])
    assert outcome.job.state == "warned", "which service did it is told after a crash as well"


def test_a_call_that_was_sent_before_a_crash_stays_with_its_service(tmp_path: Path) -> None:
    services = {"acme": Scripted(repeatable=False), "home": Scripted(repeatable=False)}
    house = House(tmp_path, services)
    house.journal.calls.intend(house.queue(), 0, service="home", receipt=True)
    assert house.again().job.state == "warned"
    assert (len(services["acme"].calls), len(services["home"].calls)) == (0, 1)


def test_a_step_at_home_beside_one_at_a_service(tmp_path: Path) -> None:
    services = {"acme": Scripted(("b.pdf", b"%PDF"), repeatable=False), "built-in": Scripted(("a.pdf", b"%PDF"))}
    house = House(tmp_path, services)
    steps = (Step("pdf-rotate", {"angle": 90}, service="built-in"), Step("pdf-to-markdown", {}, service="acme"))
    services["acme"].outputs = (("b.md", b"# b"),)
    outcome = house.run(steps=steps)
    assert outcome.job.state == "done"
    assert house.journal.calls.services(outcome.job.id) == [(0, "built-in"), (1, "acme")]
    assert house.journal.calls.this_month("acme") == 1
    assert house.journal.calls.this_month("built-in") == 0


def test_what_one_service_holds_up_others_go_on(tmp_path: Path) -> None:
    def away(call: Call) -> None:
        if is_away:
            raise ServiceError("No units.", kind="quota")

    is_away = [True]
    services = {"acme": Scripted(repeatable=False), "home": Scripted(repeatable=False)}
    services["acme"].on_call = away
    house = House(tmp_path, services, workers=2)
    house.settings = Settings(
        tmp_path / "work", workers=2, away=house.circuits.away, not_asked=house.circuits.not_asked
    )
    house.runner = Runner(house.journal, lambda name: services[name], house.settings, house.events)
    dispatcher = Dispatcher(house.journal, house.runner, house.circuits, house.settings, house.events)
    rules = {
        name: make_rule(house.hot, name=name, steps=(Step("pdf-to-markdown", {}, service=name),)) for name in services
    }
    for number in range(6):
        for name, rule in rules.items():
            path = house.hot / f"{name}-{number}.pdf"
            path.write_bytes(b"%PDF " + path.name.encode())
            house.journal.inserts.open_job(new_job(rule, path))
    counts = house.journal.queries.counts
    dispatcher.start()
    try:
        _until(lambda: [counts().of(state) for state in ("done", "waiting")] == [6, 6])
        assert len(services["acme"].calls) <= 2, "who is known to be away is not asked for each job"
        (waiting,) = house.journal.queries.waiting(9)
        assert (waiting.rule, waiting.count, waiting.reason) == ("acme", 6, "acme: No units.")
        is_away.clear()
        house.circuits.of("acme").close()
        house.journal.queue.ask_services_again()
        _until(lambda: counts().of("done") == 12)
    finally:
        dispatcher.stop(LONG)


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


DEEDS = ("done", "down", "spent", "limited", "busy", "busy but taken", "lost", "lost but taken", "auth", "no")


class Fickle(Scripted):
    """A service that does what a list says, and remembers which calls it may charge for."""

    def __init__(self, deeds: list[str]) -> None:
        super().__init__(repeatable=False)
        self.deeds = deeds
        self.charged: set[str] = set()
        self.on_call = self._do

    def _do(self, call: Call) -> None:
        deed = self.deeds.pop(0) if self.deeds else "done"
        if deed == "done" or deed.endswith("but taken"):
            self.charged.add(call.idempotency_key.rpartition("-")[0])
        match deed.removesuffix(" but taken"):
            case "down":
                raise ServiceError("Away.", kind="down")
            case "spent":
                raise ServiceError("No units.", kind="quota")
            case "limited":
                raise ServiceError("Slow down.", kind="limited")
            case "busy":
                raise ServiceError("Busy.", kind="transient", answered=False)
            case "lost":
                raise ServiceError("Lost.", kind="lost")
            case "auth":
                raise ServiceError("Key.", kind="auth")
            case "no":
                raise ServiceError("No.", kind="transient")


@pytest.fixture(name="lasting", scope="module")
def _lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One journal for many schedules: each has a file of its own, and leaves nothing that would run."""
    house = House(tmp_path_factory.mktemp("lasting"), {})
    yield house
    house.journal.close()


_deeds = st.lists(st.sampled_from(DEEDS), max_size=7)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_deeds, _deeds, st.integers(0, 3), st.booleans())
def test_no_call_is_paid_at_two_services(
    lasting: House, acme: list[str], home: list[str], retries: int, comes_back: bool
) -> None:
    services = lasting.services = {"acme": Fickle(acme), "home": Fickle(home)}
    lasting.count += 1
    name = f"{lasting.count}.pdf"
    outcome = lasting.run(name=name, retries=retries)
    for _ in range(16):
        if outcome.kind == "failed" and comes_back:  # a person tries it again, whatever has become of it there
            originals.bring_back(lasting.journal, outcome.job)
            lasting.queue(name, retries=retries)
        elif outcome.kind in ("done", "failed"):
            break
        outcome = lasting.again()
    lasting.journal.completion.cancel(outcome.job, "the end of the schedule", kept=False)
    assert not services["acme"].charged & services["home"].charged, "paid twice"
    if outcome.kind == "done" and outcome.job.state == "done":
        assert not services["home"].charged, "it did the work in silence"


def test_a_journal_of_an_earlier_release_goes_on(tmp_path: Path) -> None:
    """One of version 14: a call that it has made, and one that it may have made."""
    services = {"default": Scripted(repeatable=False)}
    house = House(tmp_path, services)
    steps = (Step("pdf-to-markdown", {}),)
    job = house.queue(steps=steps)
    house.journal.calls.intend(job, 0, receipt=True)
    house.journal.calls.submitted(job, 0, "", "old-task", None, receipt=True)
    house.journal.close()
    db = sqlite3.connect(tmp_path / "journal.sqlite")
    db.execute("alter table step drop column service")
    db.execute("alter table step drop column unsure")
    db.execute("drop table fingerprint")
    db.execute("drop table bates")
    db.execute("pragma user_version=14")
    db.commit()
    db.close()
    assert len(MIGRATIONS) == 17  # else there is more to take back above
    house = House(tmp_path, services)
    ((memo,),) = [house.journal.calls.memos(job).values()]
    assert (memo.service, memo.is_unsure, memo.is_bound) == (None, False, True)
    assert house.again().job.state == "done"
    assert services["default"].resumed == ["old-task"]
    assert house.journal.calls.this_month() == 1
