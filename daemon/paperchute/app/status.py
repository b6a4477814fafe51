"""What the daemon tells the faces: one `Face` for tray and terminal, one JSON for `paperchute status`."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from paperchute.app.reasons import REASONS
from paperchute.app.schedules import told
from paperchute.desktop.model import Face, FaceState
from paperchute.events import Done, Event, Failed, Pages, Postponed, StepStarted
from paperchute.files.placement import write_whole
from paperchute.jobs.circuit import Circuit
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Outcome, State
from paperchute.jobs.overview import told_of_postponed
from paperchute.redaction import masked_all
from paperchute.rules.model import Rule, RuleFile
from paperchute.rules.problems import warned
from paperchute.service.model import Asset
from paperchute.watch.model import Trouble, Waiting

_RESULTS_SHOWN = 8
_UNTAKEN_SHOWN = 50
_WARNED_SHOWN = 10
_QUIET_SECONDS = 3.0
_HELD_SECONDS = 2.0


@dataclass(frozen=True)
class Running:
    """A job at work, for the faces. since: Unix time. pages_done, pages: of the present step, 0 where not known."""

    job: int
    name: str
    rule: str
    operation: str
    step: int
    steps: int
    since: float
    pages_done: int = 0
    pages: int = 0


class Board:
    """Collects facts from the rooms. One thread tells it, any may ask."""

    def __init__(self, journal: Journal, circuit: Circuit) -> None:
        self._journal = journal
        self._circuit = circuit
        self._running: dict[int, Running] = {}
        self._results: deque[Path] = deque(maxlen=_RESULTS_SHOWN)
        self._burst_done = 0
        self._burst_failed = 0
        self._burst_at = 0.0
        self.paused = False
        self.troubles: Sequence[Trouble] = ()
        self.waiting: Sequence[Waiting] = ()
        self.untaken: Sequence[tuple[Path, str]] = ()
        self.upcoming: Sequence[tuple[Rule, datetime]] = ()
        self.rule_errors: Sequence[str] = ()
        self.notices: Sequence[str] = ()
        self.assets: Sequence[Asset] = ()
        self.webhook_problem = ""
        self.storage: dict[Path, str] = {}

    def hear(self, event: Event) -> None:
        """Something has happened to a job at work."""
        match event:
            case StepStarted():
                self._running[event.job] = Running(
                    event.job, event.name, event.rule, event.operation, event.step, event.steps, time.time()
                )
            case Pages() if event.job in self._running:
                running = self._running[event.job]
                self._running[event.job] = replace(running, pages_done=event.done, pages=event.total)
            case Done() | Failed() | Postponed():
                self._running.pop(event.job, None)

    def running(self) -> list[Running]:
        """The jobs at work now."""
        return sorted(self._running.copy().values(), key=lambda running: running.since)

    def tell(self, outcome: Outcome) -> None:
        """A job's run has ended."""
        folder = outcome.job.rule.folder
        if outcome.kind == "storage":
            self.storage[folder] = outcome.job.error or ""
            return
        if outcome.kind not in ("done", "failed"):
            return
        self.storage.pop(folder, None)
        self._burst_at = time.monotonic()
        if outcome.kind == "failed":
            self._burst_failed += 1
            return
        self._burst_done += 1
        if outcome.job.result is not None:
            self._results.append(outcome.job.result)

    def face(self, rules: RuleFile) -> Face:
        """The present picture."""
        counts = self._journal.queries.counts()
        left = counts.of("queued", "running", "waiting") - self._journal.queries.postponed()[0]
        if left == 0 and self._burst_done + self._burst_failed and time.monotonic() - self._burst_at > _QUIET_SECONDS:
            self._burst_done = self._burst_failed = 0
        finished = self._burst_done + self._burst_failed
        failures = tuple(
            (str(job.id), f"{job.path.name}: {job.error}") for job in self._journal.queries.jobs(["failed"], 10)
        )
        warned = self._journal.queries.unseen_warnings(_WARNED_SHOWN)
        troubles = self.sentences()
        return Face(
            state=self._state(left, len(failures) + len(warned) + len(troubles)),
            done=finished,
            total=finished + left,
            part=sum(map(_share, self.running())),
            attention=counts.of("failed") + len(warned) + len(troubles),
            now=self._now(),
            results=tuple(reversed(self._results)),
            failures=failures,
            warned=tuple((str(job.id), f"{job.path.name}: {job.warnings[0]}") for job in warned),
            troubles=troubles,
            stopped_by=self._circuit.stopped_by,
            hot_folders=tuple(dict.fromkeys(rule.folder for rule in rules.rules if rule.enabled)),
        )

    def _now(self) -> tuple[str, ...]:
        """What runs, then what is not taken yet and why, one line each."""
        running = [
            f"{r.name}: {r.operation}"
            + (f" ({r.step} of {r.steps})" if r.steps > 1 else "")
            + (f", page {min(r.pages_done + 1, r.pages)} of {r.pages}" if r.pages > 1 else "")
            for r in self.running()
        ]
        later = [sentence] if (sentence := self.postponed()) else []
        return (*running, *self.held(), *later)

    def held(self) -> tuple[str, ...]:
        """What has appeared and is not taken yet, and why."""
        held = [w for w in self.waiting if w.seconds > _HELD_SECONDS]
        return tuple(f"{w.path.name}: not taken yet, {REASONS[w.reason]} ({w.seconds:.0f} s)" for w in held)

    def postponed(self) -> str:
        """How many jobs wait for their rules' hours, and until when, in a sentence; empty when none does."""
        return told_of_postponed(*self._journal.queries.postponed())

    def sentences(self) -> tuple[str, ...]:
        """Everything that is wrong just now, one sentence each."""
        troubles = [t.message for t in self.troubles if t.kind != "polling"]  # a share that is listed is no trouble
        found = [*self.notices, *self.rule_errors, *troubles, *self.storage.values()]
        if self._circuit.state != "closed":
            found.append(self._circuit.message)
        return tuple(filter(None, (*found, self.webhook_problem)))

    def _state(self, left: int, wrong: int) -> FaceState:
        if self.paused:
            return "paused"
        if self._circuit.state != "closed":
            return "down"
        if left:
            return "working"
        return "attention" if wrong else "idle"

    def status(self, rules: RuleFile, pid: int, started: float) -> dict[str, Any]:
        """The JSON of `paperchute status` while the daemon runs (docs/cli.md)."""
        counts = self._journal.queries.counts()
        postponed, until = self._journal.queries.postponed()
        return {
            "running": True,
            "pid": pid,
            "started": started,
            "rules": {
                "path": str(rules.path),
                "errors": list(self.rule_errors),
                "warnings": [warned(problem) for problem in rules.warnings],
                "rules": [{"name": r.name, "folder": str(r.folder), "enabled": r.enabled} for r in rules.rules],
            },
            "service": {
                "base_url": rules.service.base_url or "embedded engine",
                "state": self._circuit.state,
                "message": self._circuit.message,
                "calls_this_month": self._journal.calls.this_month(),
                "monthly_calls": rules.service.monthly_calls,
                "assets": [{"name": a.name, "left": a.left, "held": a.held} for a in self.assets],
            },
            "paused": self.paused,
            "jobs": {state: counts.of(state) for state in get_args(State)},
            "now": [
                {
                    "job": r.job,
                    "name": r.name,
                    "rule": r.rule,
                    "operation": r.operation,
                    "step": r.step,
                    "steps": r.steps,
                    "since": r.since,
                    "pages_done": r.pages_done,
                    "pages": r.pages,
                }
                for r in self.running()
            ],
            "settling": [{"path": str(w.path), "reason": w.reason, "seconds": round(w.seconds)} for w in self.waiting],
            "warned": [
                {"job": job.id, "path": str(job.path), "warnings": list(job.warnings)}
                for job in self._journal.queries.unseen_warnings(_WARNED_SHOWN)
            ],
            "untaken": [{"path": str(path), "reason": why} for path, why in self.untaken[:_UNTAKEN_SHOWN]],
            "upcoming": [{"rule": rule.name, "at": due.timestamp(), "told": told(due)} for rule, due in self.upcoming],
            "postponed": {"jobs": postponed, "until": until, "told": self.postponed()},
            "troubles": list(self.sentences()),
        }


def _share(running: Running) -> float:
    """How much of a running job is done, from 0 to 1, as far as its pages are known."""
    within = running.pages_done / running.pages if running.pages else 0.0
    return (running.step - 1 + within) / running.steps


def write_status(path: Path, status: dict[str, Any]) -> None:
    """Publish the status for other processes. Raises OSError."""
    write_whole(path, json.dumps(masked_all(status), indent=1))
