"""Fair shares of a few places: the last free one is kept for whoever has none, so that what hangs holds up no other."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from paperchute.baton import baton
from paperchute.rules.model import Rule

_QUICK_SECONDS = 30.0
"""Most calls take less, also those of a remote service; what hangs does not."""


class Holder(NamedTuple):
    """Who has a place: a rule of a hot folder."""

    folder: Path
    rule: str


def holder_of(rule: Rule) -> Holder:
    """Name a rule as the holder of a place."""
    return Holder(rule.folder, rule.name)


class Shares:
    """Who may have how many of the places. Thread-safe, as its caller looks and takes under a lock."""

    def __init__(self, places: int, rules: Callable[[], Sequence[Rule]]) -> None:
        """rules: the enabled rules of the rule file, as it is now."""
        self._places = places
        self._rules = rules
        self._quick: dict[Holder, bool] = {}

    def may_take(self, asking: Holder, held: Sequence[Holder]) -> bool:
        """Decide whether one more place may be taken.

        As long as another hot folder, or another rule, might need one, none gets the last place that has any, and none
        more than half of them that has not shown that it gives them back soon: it may hang.

        Args:
            asking: Who wants it.
            held: Who has each place that is taken.
        """
        free, rules = self._places - len(held), self._rules()
        if free <= 0:
            return False
        by_folder = sum(one.folder == asking.folder for one in held), any(r.folder != asking.folder for r in rules)
        by_rule = sum(one.rule == asking.rule for one in held), any(rule.name != asking.rule for rule in rules)
        most = self._places - 1 if self._quick.get(asking) else self._places // 2
        return not any(mine and others and (free == 1 or mine >= most) for mine, others in (by_folder, by_rule))

    def given_back(self, holder: Holder, seconds: float) -> None:
        """Learn for how long a place was held."""
        self._quick[holder] = seconds < _QUICK_SECONDS


class Lanes:
    """The calls that may be at work at the same time, of all jobs together. Thread-safe."""

    def __init__(self, places: int, rules: Callable[[], Sequence[Rule]]) -> None:
        """rules: the enabled rules of the rule file, as it is now."""
        self._shares = Shares(places, rules)
        self._changed = threading.Condition()
        self._held: list[Holder] = []

    @contextlib.contextmanager
    def held(self, rule: Rule) -> Iterator[None]:
        """Wait for a place, and have it for the length of the block."""
        asking = holder_of(rule)
        with baton.handed_on(), self._changed:
            self._changed.wait_for(lambda: self._shares.may_take(asking, self._held))
            self._held.append(asking)
        since = time.monotonic()
        try:
            yield
        finally:
            with self._changed:
                self._held.remove(asking)
                self._shares.given_back(asking, time.monotonic() - since)
                self._changed.notify_all()
