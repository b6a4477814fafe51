"""The rules in force, and what they need: their hot folders, and whatever else they name."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

from loguru import logger

from paperchute.jobs.journal import Journal
from paperchute.rules.model import RuleFile
from paperchute.rules.problems import told
from paperchute.rules.requirements import missing, missing_secrets

_SETTING = "folders"


def make_folders(rules: RuleFile, journal: Journal) -> None:
    """Make the hot folders that no rule had before.

    One that is known and missing now is on a share that is away, or was renamed: made anew it would lie in the bare
    mount point, and what people drop there would vanish under the share when it comes back. The watcher says that it is
    missing, and takes it up again once it is there.
    """
    text = journal.settings.get(_SETTING)
    known = set(json.loads(text)) if text else set()
    there = set()
    for rule in rules.rules:
        name = str(rule.folder)
        if rule.enabled and name not in known:
            try:
                rule.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                logger.warning("the hot folder {} cannot be made: {}", rule.folder, error)
                continue
        if rule.enabled or name in known:
            there.add(name)
    if there != known:
        journal.settings.set(_SETTING, json.dumps(sorted(there)))


_LOOK_SECONDS = 5.0


class Missing:
    """Looks on a thread of its own, which may hang where a template lies on a share that is away."""

    def __init__(self, rules: Callable[[], RuleFile]) -> None:
        """rules: those in force."""
        self._rules = rules
        self._found: tuple[str, ...] = ()
        self._of: RuleFile | None = None
        self._next = 0.0
        self._thread: threading.Thread | None = None

    def lines(self) -> tuple[str, ...]:
        """What was missing when it was looked for last, for people. Looks again when it is time; never waits."""
        if (self._thread is None or not self._thread.is_alive()) and (
            time.monotonic() >= self._next or self._of is not self._rules()
        ):
            self._thread = threading.Thread(target=self._look, name="missing", daemon=True)
            self._thread.start()
        return self._found

    def _look(self) -> None:
        rules = self._rules()
        problems = dict.fromkeys([*missing(rules), *missing_secrets(rules)])
        self._found = tuple(f"{rules.path}:{told(problem)}" for problem in problems)
        self._of = rules
        self._next = time.monotonic() + _LOOK_SECONDS
