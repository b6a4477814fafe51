"""A service of many engines as a simulation of events: documents come, wait for a worker, are worked on and end.

What each step waits for: the submission, the beginning and the end of a run for the database, which writes so many
transactions a second, one after the other; the work for a process of a worker. Quick work has one more process on each
machine while all others are taken. Left out: the turns of API keys (a queue is first come, first served), the way
through the network, engines that answer calls (they wait for nothing but the database).
"""

from __future__ import annotations

import heapq
import math
import random
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

HOUR = 3600.0
_SUBMITTED, _WORKED, _FREE = range(3)


@dataclass(frozen=True)
class Kind:
    """One kind of document."""

    name: str
    share: float
    """Of all documents."""
    seconds: float
    """Of a processor, on the mean."""
    scatter: float = 0.8
    """Of the logarithm of the seconds: most take less than the mean, some many times as much."""
    together: int = 1
    """How many come at once, as out of a scanner's tray."""
    is_quick: bool = False


@dataclass(frozen=True)
class Service:
    """What there is to work with."""

    processes: Sequence[int]
    """Of workers, by the hour of the day."""
    machines: int
    """Over which they are spread; each does one quick run more."""
    transactions: float
    """A second that the database writes at most."""
    sync: float = 0.002
    """Seconds that whoever writes one waits beside that, for the disk."""
    submission: float = 6.0
    beginning: float = 6.0
    end: float = 9.0
    """Transactions of each step of a run."""
    around: float = 0.045
    """Seconds in which a process of a worker has a run and does not compute: its file comes, its result goes."""


@dataclass
class Seen:
    """What became of the documents; waits and times in seconds."""

    ended: int = 0
    left: int = 0
    """Not ended when the last one had come and a day was over."""
    waits: array[float] = field(default_factory=lambda: array("d"))
    """From the queue to a worker, in the order in which runs were begun."""
    took: array[float] = field(default_factory=lambda: array("d"))
    """From the call to the written end."""
    oldest: dict[int, float] = field(default_factory=dict)
    """The longest wait of runs that were begun in an hour."""
    busy: float = 0.0
    """Seconds of processes that had a run."""
    written: dict[int, float] = field(default_factory=dict)
    """Transactions by the minute."""

    def wait(self, share: float) -> float:
        """How long so many of all waited at most."""
        ordered = sorted(self.waits)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    def busiest(self) -> float:
        """Transactions a second in the busiest minute."""
        return max(self.written.values()) / 60.0


Arrival = tuple[float, bool, float]
"""When a document comes, whether its work is quick, and how many seconds it will take."""


class Simulation:
    """One database with its workers, for as long as documents come and until all have ended or a day has passed."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._hour = 0
        self._free = service.processes[0]
        self._more = service.machines
        self._written_until = 0.0
        self._events: list[tuple[float, int, int, Arrival, bool]] = []
        self._count = 0
        self._queues: tuple[deque[tuple[float, Arrival]], ...] = (deque(), deque())
        self._seen = Seen()

    def run(self, arrivals: Iterable[Arrival], ends: float = 24 * HOUR) -> Seen:
        """What becomes of documents that come in order of time, and of those that wait until `ends`."""
        for arrival in arrivals:
            while self._events and self._events[0][0] <= arrival[0]:
                self._happen(*heapq.heappop(self._events))
            self._at(self._write(arrival[0], self._service.submission), _SUBMITTED, arrival)
        while self._events and self._events[0][0] <= ends:
            self._happen(*heapq.heappop(self._events))
        self._seen.left = sum(map(len, self._queues)) + sum(event[2] != _FREE for event in self._events)
        return self._seen

    def _happen(self, now: float, _number: int, what: int, arrival: Arrival, is_more: bool) -> None:
        self._scale(now)
        if what == _SUBMITTED:
            self._queues[arrival[1]].append((now, arrival))
        elif what == _WORKED:
            written = self._write(now, self._service.end)
            self._seen.ended += 1
            self._seen.took.append(written - arrival[0])
            self._seen.busy += written - now
            self._at(written, _FREE, arrival, is_more)
        elif is_more:
            self._more += 1
        else:
            self._free += 1
        self._begin(now)

    def _begin(self, now: float) -> None:
        """Give processes that are free what waits; whichever came first."""
        heavy, quick = self._queues
        while self._free > 0 and (heavy or quick):
            is_quick = bool(quick) and (not heavy or quick[0][0] <= heavy[0][0])
            self._free -= 1
            self._take(now, *(quick if is_quick else heavy).popleft(), is_more=False)
        while self._more > 0 and quick:
            self._more -= 1
            self._take(now, *quick.popleft(), is_more=True)

    def _take(self, now: float, since: float, arrival: Arrival, *, is_more: bool) -> None:
        hour = int(now // HOUR)
        self._seen.waits.append(now - since)
        self._seen.oldest[hour] = max(self._seen.oldest.get(hour, 0.0), now - since)
        done = self._write(now, self._service.beginning) + self._service.around + arrival[2]
        self._seen.busy += done - now
        self._at(done, _WORKED, arrival, is_more)

    def _scale(self, now: float) -> None:
        """Workers come and go by the hour; who has a run ends it first."""
        by_hour = self._service.processes
        while (self._hour + 1) * HOUR <= now:
            self._hour += 1
            self._free += by_hour[self._hour % len(by_hour)] - by_hour[(self._hour - 1) % len(by_hour)]

    def _write(self, now: float, transactions: float) -> float:
        """When so many transactions are written, which the database begins when it has written all before."""
        self._written_until = max(now, self._written_until) + transactions / self._service.transactions
        minute = int(self._written_until // 60)
        self._seen.written[minute] = self._seen.written.get(minute, 0.0) + transactions
        return self._written_until + transactions * self._service.sync

    def _at(self, when: float, what: int, arrival: Arrival, is_more: bool = False) -> None:
        self._count += 1
        heapq.heappush(self._events, (when, self._count, what, arrival, is_more))


def arrivals(documents: float, by_hour: Sequence[float], kinds: Sequence[Kind], seed: int) -> Iterator[Arrival]:
    """A day's documents by chance: `documents` on the mean, in each hour its share of them.

    Each group of documents comes when it comes, whatever came before (a Poisson process by the hour).
    """
    chance = random.Random(seed)
    groups = [kind.share / kind.together for kind in kinds]
    whole = sum(by_hour)
    for hour, share in enumerate(by_hour):
        rate = documents * share / whole * sum(groups) / HOUR
        now, end = hour * HOUR, (hour + 1) * HOUR
        while rate > 0.0:
            now += chance.expovariate(rate)
            if now >= end:
                break
            (kind,) = chance.choices(kinds, groups)
            mean = math.log(kind.seconds) - kind.scatter**2 / 2
            for _ in range(kind.together):
                yield now, kind.is_quick, chance.lognormvariate(mean, kind.scatter)
