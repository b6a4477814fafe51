"""From "complete" to "written down": which rule takes a file, and its job in the journal."""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath

from loguru import logger

from paperchute.app.beside import NotWholeError, Orphans, with_wishes
from paperchute.app.gathering import Expected, Gathering, waits_for_others
from paperchute.app.inspector import Facts, Inspector, Looked, why_not
from paperchute.events import Observer, Queued
from paperchute.files.identity import FileKey
from paperchute.files.names import CLAIM, listed
from paperchute.jobs.claims import Claims
from paperchute.jobs.codec import identity_of
from paperchute.jobs.journal import Journal
from paperchute.jobs.model import Job, Member, NewJob, SetFacts
from paperchute.rules.match import FileFacts, candidates, first_match, fits, is_matched, lead_stem, needs, takers
from paperchute.rules.model import Rule
from paperchute.rules.sets import is_complete, lacking, left_out, taken
from paperchute.rules.sidecar import is_sidecar
from paperchute.rules.stored import among_several
from paperchute.watch.records import HotFolder, Ready, SetNames, Trouble

_READY_AT_ONCE = 1000  # more of what is ready waits in the watcher's own table
_TAKEN_AT_ONCE = 100
_HELD_AT_ONCE = 8
_TURN_SECONDS = 0.05
_PAUSE_SECONDS = 2.0
_SETS_SECONDS = 0.2


def hot_folders(rules: Sequence[Rule]) -> list[HotFolder]:
    """One entry per hot folder of the enabled rules, wide enough for all of them."""
    by_path: dict[Path, list[Rule]] = {}
    for rule in rules:
        if rule.enabled:
            by_path.setdefault(rule.folder, []).append(rule)
    return [
        HotFolder(
            path=path,
            files=any(rule.gather != "folder" for rule in group),
            recursive=any(rule.recursive for rule in group if rule.gather != "folder"),
            gather=any(rule.gather == "folder" for rule in group),
            prompt=any(rule.set_size or rule.set_end for rule in group),
            settle=max(rule.settle for rule in group),
            watch=next((rule.watch for rule in group if rule.watch != "auto"), "auto"),
        )
        for path, group in by_path.items()
    ]


def wanted(rules: Sequence[Rule], folder: HotFolder, path: Path) -> bool:
    """Whether some rule takes `path`, so that watching need not judge what nobody wants."""
    relative = path.relative_to(folder.path)
    if first_match(rules, folder.path, relative) is not None or says_something(rules, folder.path, relative):
        return True
    return folder.gather and first_match(rules, folder.path, relative, is_set=True) is not None


def naming(rules: Sequence[Rule], folder: HotFolder, path: Path, names: Sequence[str]) -> SetNames:
    """What the rules make of the names in the sub-folder at `path`."""
    taking = candidates(rules, folder.path, path.relative_to(folder.path), is_set=True)
    inside = [PurePath(name) for name in names]
    said = {is_complete(rule, inside) for rule in taking}
    complete = False if False in said else None if None in said or not said else True
    counted = {str(name) for rule in taking for name in taken(rule, inside)}
    return SetNames(complete, frozenset(counted))


def says_something(rules: Sequence[Rule], folder: Path, relative: Path) -> bool:
    """Whether it is a sidecar of a file that some rule would take."""
    return is_sidecar(relative) and first_match(rules, folder, relative.with_suffix("")) is not None


def asking(rules: Sequence[Rule], ready: Ready) -> list[Rule]:
    """The rules that would take by its name what is ready; which of them do may depend on its content."""
    return candidates(rules, ready.folder, ready.path.relative_to(ready.folder), is_set=ready.is_set)


def concerned(asking: Sequence[Rule], ready: Ready) -> list[tuple[Path, FileKey]]:
    """The files of what is ready that count by their names: of a set those that some rule of it matches."""
    if not ready.is_set:
        return list(ready.members)
    return [one for one in ready.members if any(_is_of_set(rule, ready, one[0]) for rule in asking)]


def wishes(asking: Sequence[Rule], ready: Ready, facts: Facts) -> list[NewJob]:
    """The jobs that what is ready asks for: none when no rule takes it, several where a rule has `also`.

    facts: of its files, as far as `asking` needs more than their size.
    """
    relative = PurePosixPath(ready.path.relative_to(ready.folder))
    if not ready.is_set:
        ((path, key),) = ready.members
        second = [rule for rule in asking if lead_stem(rule, relative) is not None]
        taking = second[:1] or takers(asking, facts.get(path, FileFacts(key.size)))
        return [NewJob(rule, ready.path, relative, (Member(path, key),)) for rule in _sharing(taking)]
    of_rule: dict[str, tuple[Member, ...]] = {}
    taking = []
    for rule in asking:
        found = [
            Member(path, key)
            for path, key in ready.members
            if _is_of_set(rule, ready, path) and fits(rule, facts.get(path, FileFacts(key.size)))
        ]
        if found:
            of_rule[rule.name] = tuple(found)
            taking.append(rule)
            if not rule.also:
                break
    everything = [Member(path, key) for path, key in ready.members]
    whole = identity_of(everything) if len(taking) > 1 else ""
    return [
        NewJob(rule, ready.path, relative, of_rule[rule.name], is_set=True, whole=whole, facts=facts_of)
        for rule, facts_of in zip(_sharing(taking), _set_facts(taking, ready, of_rule), strict=True)
    ]


def _set_facts(taking: Sequence[Rule], ready: Ready, of_rule: Mapping[str, Sequence[Member]]) -> list[SetFacts]:
    """What is to be said of a set, for the job of each rule that takes it: all of them wait, or none does."""
    names = [path.relative_to(ready.path) for path, _ in ready.members]
    has = {member.path.relative_to(ready.path) for rule in taking for member in of_rule[rule.name]}
    held = next((sentence for rule in taking if (sentence := lacking(rule, names))), "")
    warnings: tuple[str, ...] = ()
    if left := left_out(taking, names, has):
        warnings = (f"Left out of the result, since no rule takes it: {listed(left)}.",)
        if not held and any(rule.left_out == "hold" for rule in taking):
            held = f"No rule takes {listed(left)}: convert it, or take it out of the folder, and try again."
    found = []
    for rule in taking:
        own = {member.path for member in of_rule[rule.name]}
        others = tuple(Member(path, key) for path, key in ready.members if path not in own)
        found.append(SetFacts(others, warnings, held))
    return found


def _is_of_set(rule: Rule, ready: Ready, path: Path) -> bool:
    return is_matched(rule, path.relative_to(ready.path))


def _sharing(taking: Sequence[Rule]) -> Sequence[Rule]:
    """Several rules leave the original to the last one that is done with it; what becomes of it the last rule says."""
    return [among_several(rule, taking[-1].original) for rule in taking] if len(taking) > 1 else taking


def claimed(news: Sequence[NewJob], claims: Claims) -> list[NewJob]:
    """The same jobs of one input on the claimed one; none when another Paperchute was first. Raises OSError."""
    first = news[0]
    path = claims.take(first.rule.folder, first.path)
    if path is None:
        return []
    places = {first.path: path}
    if not first.is_set:  # what lies beside it
        for aside in dict.fromkeys(member.path for new in news for member in new.members[1:]):
            if (place := claims.take(first.rule.folder, aside)) is not None:
                places[aside] = place
    if first.is_set:
        return [_set_at(path, new) for new in news]
    return [replace(new, path=path, members=_moved(new, places)) for new in news]


def _set_at(folder: Path, new: NewJob) -> NewJob:
    """The same set, which was moved to `folder` in whole."""

    def moved(members: Iterable[Member]) -> tuple[Member, ...]:
        return tuple(replace(member, path=folder / member.path.relative_to(new.path)) for member in members)

    facts = None if new.facts is None else replace(new.facts, others=moved(new.facts.others))
    return replace(new, path=folder, members=moved(new.members), facts=facts)


def _moved(new: NewJob, places: Mapping[Path, Path]) -> tuple[Member, ...]:
    return tuple(replace(member, path=places[member.path]) for member in new.members if member.path in places)


def is_held_elsewhere(new: NewJob) -> bool:
    """Whether a set of the same name is claimed by anybody. Raises OSError."""
    return new.is_set and any((place / new.relative).is_dir() for place in new.rule.folder.glob(f"{CLAIM}*"))


class Intake:
    """The thread that writes down what is ready. Under a backlog many files share one transaction.

    In a shared hot folder no more is claimed than is about to be worked on, so that others get their share.
    """

    def __init__(
        self, journal: Journal, claims: Claims, rules: Callable[[], Sequence[Rule]], observer: Observer
    ) -> None:
        """rules: those in force now."""
        self.ready: queue.Queue[Ready | Looked | Trouble | None] = queue.Queue(_READY_AT_ONCE)
        self.inspector = Inspector(self.ready.put)
        self.gathering = Gathering(journal)
        self.orphans = Orphans()
        self.expected: Expected = lambda folder: ()  # asked what is about to be ready
        self.not_taken: Callable[[Path], None] = lambda path: None  # told of a file that must be reported again
        self._journal = journal
        self._claims = claims
        self._rules = rules
        self._observer = observer
        self._later: deque[tuple[float, Path]] = deque()  # what could not be taken, and when to ask for it again
        self._unclaimed: deque[Sequence[NewJob]] = deque()  # of each input in shared folders, until we claim more
        self._held: set[int] = set()  # jobs on claimed inputs that have not ended
        self._restored: set[Path] = set()
        self._thread = threading.Thread()
        self._stopping = False

    def start(self) -> None:
        """Start the thread, or start it again after it died; what waits is kept."""
        self._thread = threading.Thread(target=self._run, name="intake", daemon=True)
        self._thread.start()

    def revive(self) -> bool:
        """Start the thread again if it has died; False when it had not."""
        if self._thread.is_alive() or self._stopping:
            return False
        self.start()
        return True

    def rules_changed(self) -> None:
        """Ask again for what no rule took so far, and for what waits. Called on any thread."""
        self.gathering.look_now()
        for path in self.inspector.forget_untaken():
            self.not_taken(path)

    def stop(self, timeout: float) -> None:
        """Write down what was reported, and end; wait at most `timeout` seconds for it."""
        self._stopping = True
        if self._thread.ident is not None:
            self.ready.put(None)
            self._thread.join(timeout)

    def idle(self) -> bool:
        """Whether everything reported was written down."""
        waits = self._later or self._unclaimed or self.gathering.is_about_to_close()
        return self.inspector.idle() and not self.ready.unfinished_tasks and not waits

    def let_go(self, job: Job) -> None:
        """A job on a claimed input has ended: another one may be claimed. Called on any thread."""
        self._held.discard(job.id)

    def _run(self) -> None:
        self._restore()
        while True:
            items = self._next()
            try:
                self._take([item for item in items if isinstance(item, Ready | Looked)])
            except BaseException:
                for item in items:
                    if isinstance(item, Ready | Looked):
                        self._not_yet(item.path)
                raise
            finally:
                for item in items:
                    if isinstance(item, Trouble):
                        logger.log("INFO" if item.over else "WARNING", "{}", item.message)
                    self.ready.task_done()
            if None in items:
                return

    def _next(self) -> list[Ready | Looked | Trouble | None]:
        """What has been reported, once there is anything. What could not be taken is asked for again meanwhile."""
        while True:
            while self._later and self._later[0][0] <= time.monotonic():
                self.not_taken(self._later.popleft()[1])
            self._claim()
            self._write_down_sets()
            with contextlib.suppress(queue.Empty):
                items = [self.ready.get(timeout=self._pause())]
                with contextlib.suppress(queue.Empty):
                    while len(items) < _TAKEN_AT_ONCE:
                        items.append(self.ready.get_nowait())
                return items

    def _pause(self) -> float | None:
        """Seconds after which something must be seen to, whatever is reported."""
        if self._unclaimed:
            return _TURN_SECONDS
        if not self.gathering.is_empty():
            return _SETS_SECONDS
        return _PAUSE_SECONDS if self._later else None

    def _take(self, items: Sequence[Ready | Looked]) -> None:
        self._restore()
        wished: list[NewJob] = []
        for item in items:
            news = self._wishes(item)
            if news and news[0].rule.shared:
                self._unclaimed.append(news)
            elif news and waits_for_others(news[0].rule):
                self.gathering.add(news[0])
            else:
                wished += news
        try:
            self._write_down(wished)
        except OSError:
            by_path: dict[Path, list[NewJob]] = {}
            for new in wished:
                by_path.setdefault(new.path, []).append(new)
            for group in by_path.values():  # one is in a folder that is out of reach; the others need not wait for it
                self._write_down_alone(group)

    def _wishes(self, item: Ready | Looked) -> list[NewJob]:
        """What is ready asks for these jobs; it is looked into first where a rule wants to know its content."""
        ready = item.ready if isinstance(item, Looked) else item
        rules = asking(self._rules(), ready)
        if not rules and not ready.is_set and is_sidecar(PurePath(ready.path.name)):
            self.orphans.add(ready.path)
            return []
        need = needs(rules)
        if need and not (isinstance(item, Looked) and need <= item.need):
            self.inspector.look(ready, need, (path for path, _ in concerned(rules, ready)), rules)
            return []
        facts = item.facts if isinstance(item, Looked) else {}
        found = wishes(rules, ready, facts)
        try:
            found = [with_wishes(new, ready) for new in found]
        except (NotWholeError, OSError):
            self._not_yet(ready.path)
            return []
        if not found and rules:
            self.inspector.untaken(ready.path, why_not(rules, ready, facts))
        return found

    def _write_down_sets(self) -> None:
        """Write down the jobs of sets that are whole, unless more has been reported and not been looked at."""
        if not self.gathering.is_due() or not self.ready.empty() or not self.inspector.idle():
            return
        try:
            found, anew = self.gathering.whole(self._rules(), self._expected_now)
        except OSError as error:
            logger.warning("what waits for others cannot be looked at ({})", error)
            return
        for path in anew:
            self._not_yet(path)
        for new in found:
            try:
                written = self._write_down([new])
            except OSError as error:
                logger.warning("{} cannot be taken yet ({})", new.path, error)
                written = []
            for member in new.members if not written else ():
                self._not_yet(member.path)

    def _expected_now(self, folder: Path) -> Collection[Path] | None:
        """What is about to be ready. None when something has become ready while that was asked."""
        found = self.expected(folder)
        return found if self.ready.empty() and self.inspector.idle() else None

    def _claim(self) -> None:
        """Claim what there is room for."""
        while self._unclaimed and len(self._held) < _HELD_AT_ONCE and not self._stopping:
            news = self._unclaimed[0]  # stays there until it is written down, so that nobody takes us for idle
            try:
                if is_held_elsewhere(news[0]):
                    self._not_yet(news[0].path)  # more of a set that another Paperchute has, and will look for
                else:
                    self._held.update(self._write_down(claimed(news, self._claims)))
            except OSError as error:
                logger.warning("{} cannot be claimed yet ({})", news[0].path, error)
                self._not_yet(news[0].path)
            self._unclaimed.popleft()

    def _write_down_alone(self, group: Sequence[NewJob]) -> None:
        try:
            self._write_down(group)
        except OSError as error:
            new = group[0]
            logger.warning("{} cannot be taken yet ({})", new.path, error)
            self._not_yet(new.rule.folder / Path(new.relative))

    def _write_down(self, wishes: Sequence[NewJob]) -> list[int]:
        """The new jobs. Raises OSError when an input's folder cannot be looked at; then nothing is written down."""
        while wishes:
            try:
                numbers = self._journal.inserts.open_jobs(wishes)
            except sqlite3.Error as error:
                logger.error("The journal cannot be written ({}); new files wait for its disk.", error)
                time.sleep(_PAUSE_SECONDS)
                continue
            for number, new in zip(numbers, wishes, strict=True):
                if number is not None:
                    logger.bind(job=number).info("queued: {} by rule {!r}", new.path, new.rule.name)
                    self._observer.publish(Queued(number, new.path.name, new.rule.name))
            return [number for number in numbers if number is not None]
        return []

    def _not_yet(self, path: Path) -> None:
        self._later.append((time.monotonic() + _PAUSE_SECONDS, path))

    def _restore(self) -> None:
        """Before anything new is claimed in a shared folder: what a crash left there without a job goes back."""
        for hot in shared_folders(self._rules()) - self._restored:
            try:
                self._claims.restore(hot, self._journal.queries.open_paths())
                self._held.update(self._journal.queries.open_in(hot))
            except OSError as error:
                logger.warning("the claims in {} cannot be looked through ({})", hot, error)
                continue
            self._restored.add(hot)


def shared_folders(rules: Sequence[Rule]) -> set[Path]:
    """The hot folders that several Paperchutes watch."""
    return {rule.folder for rule in rules if rule.enabled and rule.shared}
