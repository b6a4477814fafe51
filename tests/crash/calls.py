"""The calls of one step of one job, as the service saw them and as the journal tells of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from paperchute.jobs.model import HistoryEntry
from tests.crash.service import Contact


@dataclass(frozen=True)
class Calls:
    """contacts: in the service's ledger. events: the journal's, in their order; both of this step alone."""

    contacts: Sequence[Contact]
    events: Sequence[HistoryEntry]

    @property
    def expired(self) -> int:
        """How often a result was gone when it was fetched."""
        return self._kinds["expired"]

    @property
    def lost_in_silence(self) -> int:
        """Calls carried out beyond the one that is due, that no cut connection explains: only a killed caller does."""
        return max(0, len(self.contacts) - self._refused - self._cut - self.expired - 1)

    def check(self) -> None:
        """What holds whenever a process was killed: nothing asked for twice without need, and nothing in silence."""
        told = [event.kind for event in self.events]
        assert len(self.contacts) <= self._kinds["sent"], "a call went out that the journal does not know"
        for earlier, later in pairwise(kind for kind in told if kind != "repeated"):
            assert (earlier, later) != ("answered", "sent"), f"called again after its answer was recorded: {told}"
        assert self._kinds["answered"] <= 1 + self.expired
        explained = 1 + self.expired + self._kinds["repeated"] + self._refused
        assert self._kinds["sent"] <= explained, f"repeated in silence: {told}"
        assert self._cut + self.lost_in_silence <= self._kinds["repeated"] + self._last_was_cut

    @property
    def _kinds(self) -> Counter[str]:
        return Counter(event.kind for event in self.events)

    @property
    def _refused(self) -> int:
        return sum(isinstance(contact.mood, int) for contact in self.contacts)

    @property
    def _cut(self) -> int:
        return sum(contact.mood == "cut" for contact in self.contacts)

    @property
    def _last_was_cut(self) -> int:
        return int(bool(self.contacts) and self.contacts[-1].mood == "cut")
