"""What rules refer to and is not there: looked for now and then, so that it is said while it lasts and no longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from paperchute.rules.problems import told
from paperchute.rules.requirements import missing, missing_secrets
from paperchute.rules.settings import RuleFile

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
