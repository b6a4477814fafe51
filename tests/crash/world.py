"""The folders of one job, its lives, and what is found there from outside."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

from paperchute.files.names import CLAIM, OWN_TEMPORARY
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import HistoryEntry, Job, Written, called
from paperchute.rules.stored import rule_to_text
from tests.crash.calls import Calls
from tests.crash.forge import Forge
from tests.crash.life import LANES, Order
from tests.crash.scenarios import UNCERTAIN, Content, Scenario
from tests.crash.service import Account, LedgerService, Mood, label_of
from tests.jobs.makers import make_rule

_numbers = count(1)
KILLED = -9
HEARTBEAT = ".heartbeat"


class World:
    """One job in folders of its own."""

    def __init__(self, scenario: Scenario, base: Path, elsewhere: Path, service: LedgerService, forge: Forge) -> None:
        self.scenario = scenario
        self.base = base
        self.elsewhere = elsewhere
        self.kills = 0
        self._forge = forge
        self.hot = base / "hot"
        (base / "state" / "work").mkdir(parents=True)
        self._write({f"base/hot/{name}": content for name, content in scenario.drops.items()})
        self._write(scenario.present)
        self._write(scenario.own)
        self.account = Account(_moods(scenario), scenario.keeps_keys, expiring=scenario.expiring)
        url = service.open(str(next(_numbers)), self.account)
        changes = {
            key: value.replace("{elsewhere}", str(elsewhere)) if isinstance(value, str) else value
            for key, value in scenario.rule.items()
        }
        rule = make_rule(self.hot, steps=scenario.made_steps(), **changes)
        self._remember_own()
        self._order = Order(str(base / "state"), rule_to_text(rule), url, scenario.keeps_keys, scenario.poor)

    def _remember_own(self) -> None:
        journal = Journal(self.base / "state" / "journal.sqlite")
        for name, content in self.scenario.own.items():
            path = self.base / name.removeprefix("base/")
            journal.plans.remember(Written(path, hashlib.sha256(content).hexdigest(), "Lock", path, 0))
        journal.close()

    def live(self, kill_at: str | None = None, points: Path | None = None) -> bool:
        """One life of the daemon; whether it came to its end. A life that fails in itself fails the test."""
        code = self._forge.run(replace(self._order, kill_at=kill_at, points=str(points) if points else None))
        if code == KILLED:
            self.kills += 1
            self.check_moment()
            return False
        assert code == 0, f"the life ended with {code}\n{self._log()}"
        return True

    # ---------- what must hold at every moment ----------

    def check_moment(self) -> None:
        """Nothing half is to be seen, and no original is gone before its outputs are in place."""
        visible = {_home(name): content for name, content in self.tree().items() if OWN_TEMPORARY not in name}
        ends = [self.scenario.after, *([self.scenario.or_failed] if self.scenario.or_failed else [])]
        for name, content in visible.items():
            if name.startswith("base/hot/"):
                assert content == self.scenario.drops[name.removeprefix("base/hot/")], f"{name} was changed"
                continue
            allowed = [end[name] for end in ends if name in end]
            allowed += [before[name] for before in (self.scenario.present, self.scenario.own) if name in before]
            assert any(_holds(content, one) for one in allowed), f"{name} is seen with {content!r}"
        if all(f"base/hot/{name}" in visible for name in self.scenario.drops):
            return
        outputs = [name for name in self.scenario.after if _is_output(name)]
        missing = [name for name in outputs if not _holds(visible.get(name, b""), self.scenario.after[name])]
        assert not missing or any("hot.failed/" in name for name in visible), f"an original went before {missing}"

    # ---------- what must hold at the end ----------

    def check_end(self) -> None:
        """Every promise, from files, journal and the service's own ledger."""
        journal = Journal(self.base / "state" / "journal.sqlite")
        try:
            jobs = journal.queries.jobs(limit=1000)
            assert len(jobs) == 1, f"{[(j.state, j.path, j.note) for j in jobs]}\n{self._log()}"
            events = journal.history.events(jobs[0].id)
        finally:
            journal.close()
        uncertain = self._is_uncertain(jobs[0], events)
        self._check_job(jobs[0], uncertain)
        self._check_files(uncertain, jobs[0])
        self._check_calls(events, uncertain)

    def _is_uncertain(self, job: Job, events: list[HistoryEntry]) -> bool:
        """Whether the job rightly gave up because an answer that may not be repeated was lost with a killed life."""
        if self.scenario.or_failed is None or job.state != "failed":
            return False
        kinds = [event.kind for event in events]
        text = self.tree().get("base/hot.failed/a.pdf.error.txt", b"").decode()
        if UNCERTAIN[0] not in text:
            return False
        assert self.kills, "nothing was lost, and it gave up"
        assert kinds.count("sent") == 1
        assert "answered" not in kinds, "it gave up although it had the answer"
        return True

    def _check_job(self, job: Job, uncertain: bool) -> None:
        assert job.state == ("failed" if uncertain else self.scenario.state), f"{job}\n{self._log()}"
        if job.state not in ("done", "warned"):
            return
        outputs = {self._name(path) for path in job.outputs}
        made = {name for name in self.scenario.after if _is_output(name)} - self._untouched()
        assert outputs == made, f"the journal names {outputs}"
        if self.scenario.rule.get("on_conflict") == "skip":
            assert "left out" in job.warnings[0]

    def _untouched(self) -> set[str]:
        """What was there before and still is as it was."""
        return {n for n, content in self.scenario.present.items() if self.scenario.after.get(n) == content}

    def _check_files(self, uncertain: bool, job: Job) -> None:
        expected = self.scenario.or_failed if uncertain else self.scenario.after
        assert expected is not None
        found = self.tree()
        assert sorted(found) == sorted(expected), f"{sorted(found)} instead of {sorted(expected)}\n{self._log()}"
        for name, content in expected.items():
            assert _holds(found[name], content), f"{name} holds {found[name]!r}"
        parents = {str(parent) for name in expected for parent in Path(name).parents}
        siblings = {"base/hot", "base/hot.out", "base/hot.done", "base/hot.failed"}
        left = [name for name in self._folders() if _home(name) not in parents | siblings]
        assert not left, f"folders left: {left}"
        work = sorted(p.name for p in (self.base / "state" / "work").iterdir())
        assert work in ([], [job.token] if job.state == "failed" else [])
        hidden = [p for p in (self.base / "state").rglob("*") if OWN_TEMPORARY in p.name]
        assert not hidden, f"left in the work folder: {hidden}"

    def _check_calls(self, events: list[HistoryEntry], uncertain: bool) -> None:
        lost = 0
        for number, operation in enumerate(self.scenario.steps, start=1):
            for part in self._parts(number, events):
                label = f"{number}.{part}" if part else str(number)
                contacts = [c for c in self.account.contacts if label_of(c) == label]
                assert {c.operation for c in contacts} <= {operation}
                name = called(number - 1, part)
                calls = Calls(contacts, [e for e in events if e.text == name or e.text.startswith(f"{name}:")])
                calls.check()
                lost += calls.lost_in_silence
                assert calls.expired <= self.scenario.expiring
                if self.scenario.rule.get("retries") == 0:
                    assert len(contacts) <= 1, "repeated without leave"
                if self.scenario.keeps_keys and self.scenario.state != "failed" and not uncertain:
                    assert sum(c.worked for c in contacts) == 1 + calls.expired, "the work was done twice"
        if self.scenario.calls:
            parts = sum(len(self._parts(number, events)) for number in range(1, len(self.scenario.steps) + 1))
            assert parts == self.scenario.calls, f"{parts} calls"
        at_once = LANES if self.scenario.calls else 1
        assert lost <= self.kills * at_once, f"{lost} calls more than answers lost: {self.account.contacts}"

    def _parts(self, number: int, events: list[HistoryEntry]) -> set[str]:
        """The calls that a step was told to have."""
        told = (e.text.partition(":")[0] for e in events if e.kind == "sent")
        own = (text.removeprefix(f"step {number}") for text in told if text.split(",")[0] == f"step {number}")
        return {text.removeprefix(", part ") for text in own} or {""}

    # ---------- looking ----------

    def tree(self) -> dict[str, bytes]:
        """Every file outside of the state folder, hidden ones too."""
        return {self._name(p): p.read_bytes() for p in self._paths() if p.is_file() and p.name != HEARTBEAT}

    def _folders(self) -> list[str]:
        return [self._name(p) for p in self._paths() if p.is_dir()]

    def _paths(self) -> Iterator[Path]:
        for top in (self.base, self.elsewhere):
            for path in top.rglob("*") if top.is_dir() else ():
                if not path.is_relative_to(self.base / "state"):
                    yield path

    def _name(self, path: Path) -> str:
        if path.is_relative_to(self.elsewhere):
            return f"elsewhere/{path.relative_to(self.elsewhere)}"
        return f"base/{path.relative_to(self.base)}"

    def _write(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            top, _, rest = name.partition("/")
            path = (self.base if top == "base" else self.elsewhere) / rest
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def _log(self) -> str:
        log = self.base / "state" / "log"
        return log.read_text("utf-8") if log.exists() else ""


@contextmanager
def world(scenario: Scenario, service: LedgerService, forge: Forge, at: Path, other: Path | None) -> Iterator[World]:
    """A new world below `at`, removed after the block. other: a folder on another file system."""
    base = Path(tempfile.mkdtemp(dir=at))
    elsewhere = Path(tempfile.mkdtemp(dir=other)) if other else base / "elsewhere"
    try:
        yield World(scenario, base, elsewhere, service, forge)
    finally:
        shutil.rmtree(base)
        if other:
            shutil.rmtree(elsewhere)


def _moods(scenario: Scenario) -> Callable[[], Mood]:
    moods = list(scenario.moods)

    def next_mood() -> Mood:
        if len(moods) == 1 and scenario.moods_stay:
            return moods[0]
        return moods.pop(0) if moods else "good"

    return next_mood


def _home(name: str) -> str:
    """The name that a claimed original has in its hot folder."""
    return "/".join(part for part in name.split("/") if not part.startswith(CLAIM))


def _holds(found: bytes, content: Content) -> bool:
    return found == content if isinstance(content, bytes) else all(word.encode() in found for word in content)


def _is_output(name: str) -> bool:
    return name.startswith(("base/hot.out/", "elsewhere/out/"))
