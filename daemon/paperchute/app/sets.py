"""What waits for others: files that make one job together, and sidecars whose file is not there.

A set is decided by the journal: until its job is written down, all of its files simply lie in the hot folder and a
restart gathers them anew; from then on none of them is taken for another set, and what comes later begins the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from paperchute.contract import contract
from paperchute.events import Waiting
from paperchute.files.identity import FileKey, key_of
from paperchute.files.names import natural_order
from paperchute.files.open_files import writer_open
from paperchute.files.presence import is_there
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Member, NewJob
from paperchute.rules.match import lead_stem, set_key, takes_file
from paperchute.rules.model import Rule
from paperchute.rules.sidecar import JOB_FILE, SUFFIX
from paperchute.watch.interface import Ready, Reason

_SHOWN_AT_MOST = 50
_LOOK_SECONDS = 5.0
_AGAIN_SECONDS = 0.2  # a batch that cannot be closed yet, since more of it is on its way

Expected = Callable[[Path], Collection[Path] | None]
"""A hot folder -> what is about to be judged there; None when there is no answer just now."""

Key = tuple[str, Path, str]


def waits_for_others(rule: Rule) -> bool:
    """Decide whether a file that the rule takes is only a part of a job, with others beside it."""
    return rule.gather == "batch" or bool(rule.partner)


@dataclass(frozen=True)
class _Part:
    """One file with what lies beside it. earlier: the job of a set that had it before and failed. since: monotonic."""

    new: NewJob
    since: float
    earlier: int | None

    @property
    def member(self) -> Member:
        """The file itself."""
        return self.new.members[0]


@dataclass
class _Set:
    """What has come so far, by path. last: when the latest file came, as monotonic seconds.

    held: it would be closed by now, but for a file that has appeared and may stay empty or cut for long.
    """

    rule: Rule
    parts: dict[Path, _Part] = field(default_factory=dict)
    last: float = 0.0
    held: bool = False


class Gathering:
    """The sets that are not whole yet. Used by the intake's thread alone, but for what only looks."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._sets: dict[Key, _Set] = {}
        self._look_at = 0.0  # when a set may have become whole, as monotonic seconds

    def add(self, new: NewJob) -> None:
        """A file is ready that its rule takes as a part. One that a set has already is none."""
        if self._journal.queries.holds(new.rule.name, new.members[0]):
            return
        now = time.monotonic()
        found = self._sets.setdefault(_key(new), _Set(new.rule))
        found.rule, found.last, found.held = new.rule, now, False
        self._look_at = now
        found.parts[new.path] = _Part(new, now, self._journal.queries.earlier_set(new.rule.name, new.members[0]))

    def look_now(self) -> None:
        """The rules have changed: what waits may not wait any more."""
        self._look_at = 0.0

    def is_due(self) -> bool:
        """Decide whether `whole` may have an answer."""
        return bool(self._sets) and time.monotonic() >= self._look_at

    def whole(self, rules: Sequence[Rule], expected: Expected) -> tuple[list[NewJob], list[Path]]:
        """The jobs of the sets that are whole now, which are forgotten here; and files that must be judged anew.

        rules: those in force. expected: asked before a batch is closed. Raises OSError when a folder is out of reach.
        """
        jobs: list[NewJob] = []
        anew: list[Path] = []
        in_force = {(rule.name, rule.folder): rule.fingerprint for rule in rules if rule.enabled}
        for key, one in list(self._sets.items()):
            if not self._drop_changed(one, anew):
                del self._sets[key]
                continue
            if in_force.get(key[:2]) != one.rule.fingerprint:
                anew.extend(one.parts)
                del self._sets[key]
                continue
            jobs += self._closed(one, expected)
            if not one.parts:
                del self._sets[key]
        self._look_at = self._next_look()
        return jobs, anew

    def is_about_to_close(self) -> bool:
        """Decide whether a batch is only waiting for its quiet; what waits for a partner may do so for ever."""
        sets = list(self._sets.values())
        return any(one.rule.gather == "batch" and _is_enough(one) and not one.held for one in sets)

    def is_empty(self) -> bool:
        """Decide whether nothing waits."""
        return not self._sets

    def waiting(self) -> list[Waiting]:
        """Return what has come and waits for others."""
        now = time.monotonic()
        found = []
        for one in list(self._sets.values()):
            reason: Reason = "batch" if one.rule.gather == "batch" and _is_enough(one) else "partner"
            for path, part in list(one.parts.items())[:_SHOWN_AT_MOST]:
                found.append(Waiting(path, reason, now - part.since))
        return found

    # ---------- when is a set whole? ----------

    def _next_look(self) -> float:
        """A batch is looked at when its quiet is over; now and then it is seen whether what waits is still there."""
        now = time.monotonic()
        ends = [one.last + one.rule.quiet for one in self._sets.values() if one.rule.gather == "batch"]
        return min([now + _LOOK_SECONDS, *(max(end, now + _AGAIN_SECONDS) for end in ends)])

    def _closed(self, one: _Set, expected: Expected) -> list[NewJob]:
        """The jobs that can be made of what has come; their files are taken out of it."""
        made = self._brought_back(one)
        if one.rule.gather != "batch":
            return [*made, *_pairs(one)]
        while len(one.parts) > one.rule.batch_size:
            first = sorted(one.parts.values(), key=lambda part: part.since)[: one.rule.batch_size]
            made.append(_batch(one, [part.new.path for part in first]))
        quiet = time.monotonic() - one.last >= one.rule.quiet
        full = len(one.parts) == one.rule.batch_size
        one.held = _is_enough(one) and quiet and not full and _is_expected(one, expected)
        if _is_enough(one) and (full or (quiet and not one.held)):
            made.append(_batch(one, list(one.parts)))
        return made

    def _brought_back(self, one: _Set) -> list[NewJob]:
        """Sets that had failed and are all there again: they are the same sets, whatever came meanwhile."""
        made = []
        for number in {part.earlier for part in one.parts.values()} - {None}:
            job = self._journal.queries.job(number) if number is not None else None
            inputs = [] if job is None else [m for m in job.members if m.path in one.parts]
            sidecars = {m for part in inputs for m in one.parts[part.path].new.members[1:]}
            if job is not None and set(job.members) == {one.parts[m.path].member for m in inputs} | sidecars:
                for member in inputs:
                    del one.parts[member.path]
                made.append(NewJob(one.rule, job.path, job.relative, job.members))
        return made

    @staticmethod
    def _drop_changed(one: _Set, anew: list[Path]) -> bool:
        """Leave out what is gone, or another file by now; whether anything is left."""
        for path, part in list(one.parts.items()):
            now = key_of(path)
            if now != part.member.key:
                del one.parts[path]
                if now is not None:
                    anew.append(path)
        return bool(one.parts)


def _key(new: NewJob) -> Key:
    return new.rule.name, new.rule.folder, set_key(new.rule, new.relative)


def _is_enough(one: _Set) -> bool:
    return len(one.parts) >= contract().known(one.rule.steps[0].operation).min_files


def _is_expected(one: _Set, expected: Expected) -> bool:
    """Decide whether another file of the batch has appeared and is not complete yet, or may have."""
    rule = one.rule
    coming = expected(rule.folder)
    if coming is None:
        return True
    here = set_key(rule, next(iter(one.parts.values())).new.relative)
    relatives = [PurePosixPath(path.relative_to(rule.folder).as_posix()) for path in coming]
    return any(takes_file(rule, relative) and set_key(rule, relative) == here for relative in relatives)


def _batch(one: _Set, paths: Sequence[Path]) -> NewJob:
    """A job of some of what has come, in natural order."""
    news = [one.parts.pop(path).new for path in natural_order(paths)]
    return _together(news)


def _pairs(one: _Set) -> list[NewJob]:
    """The pairs among what has come: usually one. Of two files that could be a first one the earlier is."""
    made = []
    ordered = sorted(one.parts.values(), key=lambda part: part.since)
    leads = [part.new for part in ordered if lead_stem(one.rule, part.new.relative) is None]
    partners = [part.new for part in ordered if lead_stem(one.rule, part.new.relative) is not None]
    for lead, partner in zip(leads, partners, strict=False):
        del one.parts[lead.path], one.parts[partner.path]
        made.append(_together([lead, partner]))
    return made


def _together(news: Sequence[NewJob]) -> NewJob:
    """One job, named after the first; what lies beside files comes behind all of them."""
    members = (*(new.members[0] for new in news), *(member for new in news for member in new.members[1:]))
    return NewJob(news[0].rule, news[0].path, news[0].relative, members)


_EMPTY_SECONDS = 10.0  # an empty file that nobody writes to is expected to be filled until then
_UNKNOWN_SECONDS = 2.0  # quiet that is asked for where nobody can tell whether it is being written


class NotWholeError(Exception):
    """A sidecar is there, and still being written."""


def with_sidecars(new: NewJob, ready: Ready) -> NewJob:
    """The same job with the sidecar of its file, or the job.toml of its sub-folder, as a further member.

    Raises NotWholeError, and OSError.
    """
    if ready.is_set:
        found = next(((path, key) for path, key in ready.members if path == ready.path / JOB_FILE), None)
        if found is None or any(member.path == found[0] for member in new.members):
            return new
        return replace(new, members=(*new.members, Member(*found)))
    path = new.path.with_name(new.path.name + SUFFIX)
    key = key_of(path)
    if key is None:
        return new
    if not _is_whole(path, key):
        raise NotWholeError
    return replace(new, members=(*new.members, Member(path, key)))


class Orphans:
    """Sidecars whose file is not there: they wait for it. Told by one thread, and any may look."""

    def __init__(self) -> None:
        self._seen: dict[Path, float] = {}

    def add(self, path: Path) -> None:
        """A sidecar is complete."""
        self._seen.setdefault(path, time.monotonic())

    def waiting(self) -> list[Waiting]:
        """Those that still are, and wait."""
        found = []
        for path, since in list(self._seen.items()):
            if not is_there(path):
                self._seen.pop(path, None)
            elif not is_there(path.with_name(path.name[: -len(SUFFIX)])):
                found.append(Waiting(path, "partner", time.monotonic() - since))
        return found


def _is_whole(path: Path, key: FileKey) -> bool:
    quiet = time.time() - key.mtime / 1e9
    writer = writer_open(path)
    if writer:
        return False
    if key.size == 0:
        return quiet >= _EMPTY_SECONDS
    return writer is False or quiet >= _UNKNOWN_SECONDS
