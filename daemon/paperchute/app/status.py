"""The status of the daemon: one `Status` for tray and terminal, one JSON for `paperchute status`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from paperchute.app.reasons import EMBEDDED, told_of_reason
from paperchute.app.rulebook import Rulebook
from paperchute.app.schedules import upcoming
from paperchute.app.tally import Running, Tally
from paperchute.app.untaken import Untaken
from paperchute.events import Activity, Observer, Status, Trouble, Waiting
from paperchute.files.placement import write_whole
from paperchute.jobs.journal import Journal
from paperchute.jobs.journal.retention import counted_as
from paperchute.jobs.model import State
from paperchute.jobs.overview import told_of_postponed, told_of_waiting
from paperchute.jobs.switchboard import Circuits
from paperchute.language import _
from paperchute.moments import told_of_date
from paperchute.redaction import masked_all
from paperchute.rules.problems import warned
from paperchute.rules.service_names import DEFAULT
from paperchute.rules.settings import ServiceSettings
from paperchute.service.model import Asset

_UNTAKEN_SHOWN = 50
_WARNED_SHOWN = 10
_WAITING_SHOWN = 10
_FAILED_SHOWN = 10
_RESULTS_SHOWN = 8
_HELD_SECONDS = 2.0
_TOUCH_SECONDS = 10.0
_KIND = "state"
"""Of the trouble."""


@dataclass(frozen=True)
class Surroundings:
    """What the rooms know at one moment, beside what has happened."""

    paused: bool = False
    paused_until: float = 0.0
    """Unix time; 0 = somebody ends the pause, or there is none."""
    waiting: Sequence[Waiting] = ()
    """What has appeared in hot folders and is not taken yet."""
    untaken: Sequence[tuple[Path, str]] = ()
    """What some rule would take by its name, and none does by its content, with the reason."""
    unwanted: Sequence[Untaken] = ()
    """What no rule takes by its name or place."""
    assets: Mapping[str, Sequence[Asset]] = field(default_factory=dict)
    """What the account at each service has left."""


class Board:
    """Puts the status together. Any thread may ask."""

    def __init__(self, journal: Journal, circuits: Circuits, rulebook: Rulebook, tally: Tally) -> None:
        self._journal = journal
        self._circuits = circuits
        self._rulebook = rulebook
        self._tally = tally
        self._started = time.time()

    def status(self, around: Surroundings) -> Status:
        """The present picture for people."""
        queries = self._journal.queries
        counts = queries.counts()
        left = counts.of("queued", "running", "waiting") - queries.postponed()[0]
        finished = self._tally.finished(left)
        running = self._tally.running()
        failed = queries.jobs(["failed"], _FAILED_SHOWN)
        ended = queries.jobs(["done", "warned"], _RESULTS_SHOWN)
        with_warnings = queries.unseen_warnings(_WARNED_SHOWN)
        troubles = tuple(self._rulebook.in_short(line) for line in self.troubles(headed=False))
        untaken_files = len(around.untaken) + sum(one.files for one in around.unwanted)
        attention = counts.of("failed") + len(with_warnings) + len(troubles) + untaken_files
        return Status(
            activity=self._activity(around, left, attention),
            done=finished,
            total=finished + left,
            part=sum(one.share for one in running),
            attention=attention,
            now=(*map(_line, running), *held(around.waiting), *filter(None, [self.postponed()])),
            results=tuple((job.id, job.result) for job in ended if job.result is not None),
            failures=tuple((str(job.id), f"{job.path.name}: {job.error}") for job in failed),
            warned=tuple((str(job.id), ": ".join((job.path.name, *job.warnings[:1]))) for job in with_warnings),
            troubles=troubles,
            stopped_by=self._circuits.stopped_by(),
            paused_until=around.paused_until,
            untaken_files=untaken_files,
            untaken=(
                *((path.parent, f"{path.name}: {why}") for path, why in around.untaken[:_UNTAKEN_SHOWN]),
                *((one.folder, one.line()) for one in around.unwanted),
            ),
            hot_folders=tuple(dict.fromkeys(rule.folder for rule in self._rulebook.rules if rule.enabled)),
        )

    def postponed(self) -> str:
        """Return how many jobs wait for their rules' hours, and until when, in a sentence; empty when none does."""
        return told_of_postponed(*self._journal.queries.postponed())

    def troubles(self, *, headed: bool = True) -> tuple[str, ...]:
        """Everything that is wrong just now, a sentence each. What the rules have wrong stands in front.

        headed: with a sentence above it that says what mistakes mean, for who reads more than the first line.
        """
        said = ("rules", "polling")  # the first stands in front in full, and a share that is listed is no trouble
        others = [one.message for one in self._tally.troubles() if one.kind not in said]
        mistakes = self._rulebook.mistakes
        headline = (
            [_("The rule file has mistakes, so the previous rules stay in force.")] if mistakes and headed else []
        )
        rules = [*headline, *mistakes, *self._rulebook.missing()]
        service = [circuit.message for circuit in self._circuits.open_ones()]
        names = {rule.name for rule in self._rulebook.rules}
        waiting = self._journal.queries.waiting(_WAITING_SHOWN)
        orphans = [one.reason for one in waiting if one.is_held and one.rule not in names]
        return tuple(filter(None, (*rules, *others, *orphans, *self._tally.refused_by_disks(), *service)))

    def as_json(self, around: Surroundings) -> dict[str, Any]:
        """Return what `paperchute status` reads while the daemon runs (docs/cli.md)."""
        queries = self._journal.queries
        counts = queries.counts()
        postponed, until = queries.postponed()
        return {
            "running": True,
            "pid": os.getpid(),
            "started": self._started,
            "rules": self._rules_json(),
            "service": self._service_json(around, self._rulebook.file.resolved("")),
            "services": [self._service_json(around, name) for name in self._circuits.all()],
            "paused": around.paused,
            "jobs": {state: counts.of(state) for state in get_args(State)},
            "now": [_running_json(running) for running in self._tally.running()],
            "settling": [
                {"path": str(one.path), "reason": one.reason, "seconds": round(one.seconds)} for one in around.waiting
            ],
            "warned": [
                {"job": job.id, "path": str(job.path), "warnings": list(job.warnings)}
                for job in queries.unseen_warnings(_WARNED_SHOWN)
            ],
            "untaken": [{"path": str(path), "reason": why} for path, why in around.untaken[:_UNTAKEN_SHOWN]],
            "unwanted": [one.as_json() for one in around.unwanted],
            "expired_this_month": self._journal.settings.counted(counted_as(time.strftime("%Y-%m"))),
            "upcoming": [
                {"rule": rule.name, "at": due.timestamp(), "told": told_of_date(due)}
                for rule, due in upcoming(self._rulebook.rules, datetime.now())
            ],
            "postponed": {"jobs": postponed, "until": until, "told": self.postponed()},
            "waiting": [
                {
                    "jobs": one.count,
                    "rule": one.rule,
                    "reason": one.reason,
                    "next": one.due or None,
                    "told": told_of_waiting(one.count, one.reason, one.due),
                    "service": one.is_of_service,
                }
                for one in queries.waiting(_WAITING_SHOWN)
            ],
            "troubles": list(self.troubles()),
        }

    def _activity(self, around: Surroundings, left: int, wrong: int) -> Activity:
        if around.paused:
            return "paused"
        if self._circuits.none_works():
            return "down"
        if left:
            return "working"
        return "attention" if wrong else "idle"

    def _rules_json(self) -> Mapping[str, Any]:
        file = self._rulebook.file
        return {
            "path": str(file.path),
            "errors": [*self._rulebook.mistakes, *self._rulebook.missing()],
            "broken": bool(self._rulebook.mistakes),
            "warnings": [warned(problem) for problem in file.warnings],
            "rules": [{"name": r.name, "folder": str(r.folder), "enabled": r.enabled} for r in file.rules],
        }

    def _service_json(self, around: Surroundings, name: str) -> Mapping[str, Any]:
        settings, circuit = self._rulebook.file.settings_of(name) or ServiceSettings(), self._circuits.of(name)
        assets = around.assets.get(name, ())
        counted = DEFAULT if name == self._rulebook.file.resolved("") else name
        return {
            "name": name,
            "base_url": settings.base_url or EMBEDDED,
            "state": circuit.state,
            "message": circuit.message,
            "next": circuit.next_probe,
            "calls_this_month": self._journal.calls.this_month(counted),
            "monthly_calls": settings.monthly_calls,
            "assets": [{"name": asset.name, "left": asset.left, "held": asset.held} for asset in assets],
        }


class WaitingNews:
    """Tells what waits before it is taken as events: once for each reason, and when it does no more."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._told: dict[Path, Waiting] = {}

    def tell(self, waiting: Sequence[Waiting]) -> None:
        """What waits now. What has only just appeared is no news."""
        now = {one.path: one for one in waiting if one.seconds > _HELD_SECONDS}
        for path, one in now.items():
            if path not in self._told or self._told[path].reason != one.reason:
                self._observer.publish(one)
        for path, one in self._told.items():
            if path not in now:
                self._observer.publish(Waiting(path, one.reason, one.seconds, over=True))
        self._told = now


def held(waiting: Sequence[Waiting]) -> tuple[str, ...]:
    """Return what has appeared and is not taken yet, and why, a line each."""
    return tuple(
        _(
            "{name}: not taken yet, {why} ({seconds} s)",
            name=one.path.name,
            why=told_of_reason(one.reason),
            seconds=round(one.seconds),
        )
        for one in waiting
        if one.seconds > _HELD_SECONDS
    )


class StatusFile:
    """The status as other processes read it."""

    def __init__(self, path: Path, observer: Observer) -> None:
        self._path = path
        self._observer = observer
        self._trouble = ""
        self._said: Mapping[str, Any] | None = None
        self._touched = 0.0

    def write(self, status: Mapping[str, Any]) -> None:
        """Publish it; where it cannot be written, the journal beside it cannot either, and that is told.

        What has not changed is not written again, and only now and then marked as of now.
        """
        try:
            if status != self._said or not self._path.exists():
                write_whole(self._path, json.dumps(masked_all(status), indent=1))
                self._said, self._touched = status, time.monotonic()
            elif time.monotonic() - self._touched > _TOUCH_SECONDS:
                os.utime(self._path)
                self._touched = time.monotonic()
        except OSError as error:
            folder, reason = self._path.parent, error.strerror or error
            trouble = _(
                "The state folder {folder} cannot be written to ({reason}); work is waiting.",
                folder=folder,
                reason=reason,
            )
            if trouble != self._trouble:
                self._observer.publish(Trouble(_KIND, str(folder), trouble))
            self._trouble = trouble
        else:
            if self._trouble:
                told = _("The state folder {folder} can be written to again.", folder=self._path.parent)
                self._observer.publish(Trouble(_KIND, str(self._path.parent), told, over=True))
            self._trouble = ""


def _line(running: Running) -> str:
    """A running job in one line."""
    steps = " " + _("({step} of {steps})", step=running.step, steps=running.steps) if running.steps > 1 else ""
    page = min(running.pages_done + 1, running.pages)
    pages = ", " + _("page {page} of {pages}", page=page, pages=running.pages) if running.pages > 1 else ""
    who = f" ({running.service})" if running.service else ""
    return f"{running.name}: {running.operation}{who}{steps}{pages}"


def _running_json(running: Running) -> Mapping[str, Any]:
    return {
        "job": running.job,
        "name": running.name,
        "rule": running.rule,
        "operation": running.operation,
        "service": running.service,
        "step": running.step,
        "steps": running.steps,
        "since": running.since,
        "pages_done": running.pages_done,
        "pages": running.pages,
    }
