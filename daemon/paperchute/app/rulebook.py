"""The rules in force: read again when their file changes, with what they need: hot folders, and whatever they name."""

from __future__ import annotations

import errno
import json
import os
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from loguru import logger

from paperchute.app import selection
from paperchute.events import Observer, Trouble
from paperchute.invocation import command
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job
from paperchute.jobs.work import Standing
from paperchute.language import _, ngettext
from paperchute.rules.file import load
from paperchute.rules.model import Rule
from paperchute.rules.problems import RuleFileError, told
from paperchute.rules.requirements import absent_parent, missing, missing_secrets
from paperchute.rules.schedule import is_open, next_opening
from paperchute.rules.settings import RuleFile
from paperchute.rules.stored import among_several
from paperchute.watch.interface import HotFolder, SetNames

_FOLDERS = "folders"
_LOOK_SECONDS = 5.0
_PLACE = re.compile(r"(\d+):\d+: (.*)", re.DOTALL)
"""As `rules.problems.told` writes it."""


def make_hot_folder(folder: Path) -> None:
    """Make a hot folder, if it is not there. Raises FileNotFoundError where it has no place, and OSError."""
    if (parent := absent_parent(folder)) is not None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(parent))
    folder.mkdir(parents=True, exist_ok=True)


class Rulebook:
    """The rules in force. One thread reads them again, any may ask."""

    def __init__(self, file: RuleFile, observer: Observer) -> None:
        self.file = file
        """What was read last without a mistake."""
        self.mistakes: tuple[str, ...] = ()
        """Everything wrong with the file as it is now, a line each; while there is any, the rules before it go on."""
        self._observer = observer
        self._stamp = _stamp(file.path)
        self._missing = _Missing()

    @property
    def rules(self) -> Sequence[Rule]:
        """All of them, in their order."""
        return self.file.rules

    def is_written_anew(self) -> bool:
        """Decide whether the file was changed since it was read."""
        return _stamp(self.file.path) != self._stamp

    def read_again(self) -> bool:
        """Read the file if it has changed; whether other rules are in force now."""
        stamp = _stamp(self.file.path)
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            file = load(self.file.path)
        except RuleFileError as error:
            self._tell(tuple(error.lines()))
            return False
        self._tell(())
        self.file = file
        return True

    def missing(self) -> tuple[str, ...]:
        """Return what the rules name and was not there when it was looked for last, a line each; never waits for it."""
        return self._missing.lines(self.file)

    def in_short(self, line: str) -> str:
        """Return what is wrong with the rule file, without the path in front of it; any other line as it is."""
        place = _PLACE.match(line.removeprefix(f"{self.file.path}:")) if line.startswith(f"{self.file.path}:") else None
        return _("Rules, line {line}: {message}", line=place[1], message=place[2]) if place else line

    def make_folders(self, journal: Journal) -> None:
        """Make the hot folders that no rule had before.

        One that is known and missing now is on a share that is away, or was renamed: made anew it would lie in the bare
        mount point, and what people drop there would vanish under the share when it comes back. The watcher says that
        it is missing, and takes it up again once it is there.
        """
        text = journal.settings.get(_FOLDERS)
        known = set(json.loads(text)) if text else set()
        there = set()
        for rule in self.rules:
            name = str(rule.folder)
            if rule.enabled and name not in known:
                try:
                    make_hot_folder(rule.folder)
                except OSError as error:
                    logger.warning("the hot folder {} cannot be made: {}", rule.folder, error)
                    continue
            if rule.enabled or name in known:
                there.add(name)
        if there != known:
            journal.settings.set(_FOLDERS, json.dumps(sorted(there)))

    # ---------- what others ask, on their threads ----------

    def wanted(self, folder: HotFolder, path: Path) -> bool:
        """See `watch.interface.Interest`."""
        return selection.wanted(self.rules, folder, path)

    def naming(self, folder: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
        """See `watch.interface.Interest`."""
        return selection.naming(self.rules, folder, path, names)

    def enabled(self) -> Sequence[Rule]:
        """The rules that are on."""
        return [rule for rule in self.rules if rule.enabled]

    def monthly_calls(self, service: str) -> int | None:
        """Return how many times a remote service may be asked in a month; None = any number."""
        settings = self.file.settings_of(service)
        return settings.monthly_calls if settings is not None else None

    def is_in_force(self, job: Job) -> bool:
        """Decide whether the rule file still has the steps that a job began with."""
        return any(rule.name == job.rule.name and rule.steps == job.rule.steps for rule in self.rules)

    def standing(self, job: Job) -> Standing:
        """Tell what the rules as they stand say of a job that was written down under those before them."""
        here = [rule for rule in self.rules if rule.folder == job.rule.folder]
        if job.undecided and any(rule.enabled for rule in here):
            return Standing()  # which of them has it is found by the rules as they stand
        rule = next((rule for rule in here if rule.name == job.rule.name), None)
        if rule is not None and not rule.enabled:
            return Standing(
                waits=_(
                    "Rule '{rule}' is off. The work waits until it is on again: {command}",
                    rule=rule.name,
                    command=command(f'rule on "{rule.name}"'),
                )
            )
        if rule is None and job.members and not any(other.enabled for other in here):
            return Standing(
                waits=_(
                    "Rule '{rule}' is no longer in the rule file, and no other rule watches {folder}. The work waits"
                    " until the rule is there again; or move the file into the folder of another rule.",
                    rule=job.rule.name,
                    folder=job.rule.folder,
                )
            )
        if rule is None:
            return Standing(changed=True)
        same = among_several(rule, job.rule.original) if job.rule.also else rule
        return Standing(changed=job.rule.fingerprint not in (rule.fingerprint, same.fingerprint), rule=rule)

    def opens(self, job: Job) -> float:
        """Return when the hours of a job's rule, as the file has it now, begin, as Unix time; 0 within them."""
        rule = next((rule for rule in self.rules if rule.name == job.rule.name), job.rule)
        now = time.time()
        if is_open(rule.between, rule.days, now):
            return 0.0
        return next_opening(rule.between, rule.days, now)

    def _tell(self, mistakes: tuple[str, ...]) -> None:
        """Say that the file is broken, and what that means, or that it is good again."""
        if mistakes:
            first = mistakes[0]
            message = ngettext(
                "{first} The previous rules stay in force.",
                "{first} That is one of {n} mistakes; the previous rules stay in force.",
                len(mistakes),
                first=self.in_short(first),
            )
            self._observer.publish(Trouble("rules", str(self.file.path), message))
        elif self.mistakes:
            self._observer.publish(Trouble("rules", str(self.file.path), _("The rule file is valid again."), over=True))
        self.mistakes = mistakes


class _Missing:
    """Looks on a thread of its own, which may hang where a template lies on a share that is away."""

    def __init__(self) -> None:
        self._found: tuple[str, ...] = ()
        self._of: RuleFile | None = None
        self._next = 0.0
        self._thread: threading.Thread | None = None

    def lines(self, file: RuleFile) -> tuple[str, ...]:
        """Return what was missing when it was looked for last, for people. Looks again when it is time; never waits."""
        if (self._thread is None or not self._thread.is_alive()) and (
            time.monotonic() >= self._next or self._of is not file
        ):
            self._thread = threading.Thread(target=self._look, args=(file,), name="missing", daemon=True)
            self._thread.start()
        return self._found

    def _look(self, file: RuleFile) -> None:
        problems = dict.fromkeys([*missing(file), *missing_secrets(file)])
        self._found = tuple(f"{file.path}:{told(problem)}" for problem in problems)
        self._of = file
        self._next = time.monotonic() + _LOOK_SECONDS


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
